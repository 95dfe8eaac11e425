//! `date()`: points of time as text.

use super::calendar::{day_of_year, days_in_month, is_leap, iso_week, iso_weekday, weekday};
use super::parse::{english_month, english_weekday};
use super::time::Time;
use super::zone::{Zone, minutes_text};

/// `st`, `nd`, `rd` or `th` of a day.
fn ordinal_suffix(day: i64) -> &'static str {
    match day {
        11..=13 => "th",
        _ => match day % 10 {
            1 => "st",
            2 => "nd",
            3 => "rd",
            _ => "th",
        },
    }
}

/// The hour on a clock with twelve.
pub(super) fn hour12(hour: i64) -> i64 {
    match hour % 12 {
        0 => 12,
        hour => hour,
    }
}

/// Swatch's beats: a thousand a day, counted in Biel.
fn beats(time: &Time) -> i64 {
    let tenths = (time.stamp.rem_euclid(86_400) + 3600) * 10;
    tenths / 864 % 1000
}

/// A point of time by a format of `date()`.
pub(super) fn format(time: &Time, format: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(format.len() * 3);
    write(time, format, field, &mut output);
    output
}

/// A point of time by a format of `gmdate()`, where the zone has its old name.
pub(super) fn format_utc(time: &Time, format: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(format.len() * 3);
    let of_utc = |time: &Time, character: u8, output: &mut Vec<u8>| match character {
        b'T' => {
            output.extend_from_slice(b"GMT");
            true
        }
        _ => field(time, character, output),
    };
    write(time, format, of_utc, &mut output);
    output
}

fn write(
    time: &Time,
    format: &[u8],
    field: impl Fn(&Time, u8, &mut Vec<u8>) -> bool,
    output: &mut Vec<u8>,
) {
    let mut characters = format.iter();
    while let Some(&character) = characters.next() {
        if characters.len() % 256 == 255 {
            vm_runtime::limits::poll();
        }
        if character == b'\\' {
            // At the end it is the NUL byte behind the text.
            output.push(characters.next().copied().unwrap_or(0));
        } else if !field(time, character, output) {
            output.push(character);
        }
    }
}

/// Appends a number with zeros in front up to a width, in which its sign counts.
fn padded(output: &mut Vec<u8>, number: i64, width: usize) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    let mut rest = number.unsigned_abs();
    while rest > 0 || start == digits.len() {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let mut width = width;
    if number < 0 {
        output.push(b'-');
        width = width.saturating_sub(1);
    }
    for _ in digits.len() - start..width {
        output.push(b'0');
    }
    output.extend_from_slice(&digits[start..]);
}

/// Appends what a character of a format stands for; false if it is none.
fn field(time: &Time, character: u8, output: &mut Vec<u8>) -> bool {
    let &Time {
        year,
        month,
        day,
        hour,
        minute,
        second,
        micro,
        ..
    } = time;
    let day_of_week = || weekday(year, month, day);
    let offset = |colon: bool| minutes_text(time.state.seconds, colon);
    let sign = |plus: &'static str| if year < 0 { "-" } else { plus };
    // Of at least four digits, the sign not counted.
    let signed_year = |output: &mut Vec<u8>, plus: &'static str| {
        output.extend_from_slice(sign(plus).as_bytes());
        padded(output, year.saturating_abs(), 4);
    };
    let mut text = |text: &str| output.extend_from_slice(text.as_bytes());
    match character {
        b'D' => text(&english_weekday(day_of_week())[..3]),
        b'l' => text(english_weekday(day_of_week())),
        b'S' => text(ordinal_suffix(day)),
        b'F' => text(english_month(month)),
        b'M' => text(&english_month(month)[..3]),
        b'a' => text(if hour >= 12 { "pm" } else { "am" }),
        b'A' => text(if hour >= 12 { "PM" } else { "AM" }),
        b'p' if time.state.seconds == 0 && is_utc(&time.zone) => text("Z"),
        b'P' | b'p' => text(&offset(true)),
        b'O' => text(&offset(false)),
        b'T' => match &time.zone {
            Zone::Offset(_) => text(&format!("GMT{}", offset(false))),
            zone => text(&zone.abbreviation(time.stamp)),
        },
        b'e' => text(&time.zone.name()),
        b'd' => padded(output, day, 2),
        b'j' => padded(output, day, 1),
        b'w' => padded(output, day_of_week(), 1),
        b'N' => padded(output, iso_weekday(year, month, day), 1),
        b'z' => padded(output, day_of_year(year, month, day), 1),
        b'W' => padded(output, iso_week(year, month, day).1, 2),
        b'o' => padded(output, iso_week(year, month, day).0, 1),
        b'm' => padded(output, month, 2),
        b'n' => padded(output, month, 1),
        b't' => padded(output, days_in_month(year, month), 1),
        b'L' => padded(output, is_leap(year).into(), 1),
        b'y' => padded(output, year % 100, 2),
        b'Y' => signed_year(output, ""),
        b'x' if (0..=9999).contains(&year) => padded(output, year, 4),
        b'x' | b'X' => signed_year(output, "+"),
        b'B' => padded(output, beats(time), 3),
        b'g' => padded(output, hour12(hour), 1),
        b'G' => padded(output, hour, 1),
        b'h' => padded(output, hour12(hour), 2),
        b'H' => padded(output, hour, 2),
        b'i' => padded(output, minute, 2),
        b's' => padded(output, second, 2),
        b'u' => padded(output, micro, 6),
        b'v' => padded(output, micro / 1000, 3),
        b'I' => padded(output, time.state.is_dst.into(), 1),
        b'Z' => padded(output, time.state.seconds, 1),
        // The sign counts as one of the four places here.
        b'c' => {
            padded(output, year, 4);
            write(time, b"-m-d\\TH:i:sP", field, output);
        }
        b'r' => {
            write(time, b"D, d M ", field, output);
            padded(output, year, 4);
            write(time, b" H:i:s O", field, output);
        }
        b'U' => padded(output, time.stamp, 1),
        _ => return false,
    }
    true
}

/// Whether `p` shows `Z`.
fn is_utc(zone: &Zone) -> bool {
    match zone {
        Zone::Offset(seconds) => *seconds == 0,
        zone => matches!(zone.name().as_str(), "UTC" | "Z"),
    }
}

/// A field of `idate()`; `None` if the character isn't one.
pub(super) fn number_field(time: &Time, character: u8) -> Option<i64> {
    let &Time {
        year, month, day, ..
    } = time;
    Some(match character {
        b'B' => beats(time),
        b'd' | b'j' => day,
        b'h' | b'g' => hour12(time.hour),
        b'H' | b'G' => time.hour,
        b'i' => time.minute,
        b'I' => i64::from(time.state.is_dst),
        b'L' => i64::from(is_leap(year)),
        b'm' | b'n' => month,
        b'N' => iso_weekday(year, month, day),
        b'o' => iso_week(year, month, day).0,
        b's' => time.second,
        b't' => days_in_month(year, month),
        b'U' => time.stamp,
        b'w' => weekday(year, month, day),
        b'W' => iso_week(year, month, day).1,
        b'y' => year % 100,
        b'Y' => year,
        b'z' => day_of_year(year, month, day),
        b'Z' => time.state.seconds,
        _ => return None,
    })
}
