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

fn sign(number: i64) -> &'static str {
    if number < 0 { "-" } else { "" }
}

/// A point of time by a format of `date()`.
pub(super) fn format(time: &Time, format: &[u8]) -> Vec<u8> {
    write(time, format, field)
}

/// A point of time by a format of `gmdate()`, where the zone has its old name.
pub(super) fn format_utc(time: &Time, format: &[u8]) -> Vec<u8> {
    write(time, format, |time, character| match character {
        b'T' => Some("GMT".to_owned()),
        _ => field(time, character),
    })
}

fn write(time: &Time, format: &[u8], field: fn(&Time, u8) -> Option<String>) -> Vec<u8> {
    let mut output = Vec::with_capacity(format.len() * 3);
    let mut characters = format.iter();
    while let Some(&character) = characters.next() {
        if characters.len() % 256 == 255 {
            vm_runtime::limits::poll();
        }
        if character == b'\\' {
            output.extend(characters.next());
            continue;
        }
        match field(time, character) {
            Some(text) => output.extend_from_slice(text.as_bytes()),
            None => output.push(character),
        }
    }
    output
}

/// What a character of a format stands for.
fn field(time: &Time, character: u8) -> Option<String> {
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
    let day_of_week = weekday(year, month, day);
    let offset = |colon: bool| minutes_text(time.state.seconds, colon);
    let part = |text: &[u8]| String::from_utf8_lossy(&format(time, text)).into_owned();
    Some(match character {
        b'd' => format!("{day:02}"),
        b'D' => english_weekday(day_of_week)[..3].to_owned(),
        b'j' => day.to_string(),
        b'l' => english_weekday(day_of_week).to_owned(),
        b'S' => ordinal_suffix(day).to_owned(),
        b'w' => day_of_week.to_string(),
        b'N' => iso_weekday(year, month, day).to_string(),
        b'z' => day_of_year(year, month, day).to_string(),
        b'W' => format!("{:02}", iso_week(year, month, day).1),
        b'o' => iso_week(year, month, day).0.to_string(),
        b'F' => english_month(month).to_owned(),
        b'm' => format!("{month:02}"),
        b'M' => english_month(month)[..3].to_owned(),
        b'n' => month.to_string(),
        b't' => days_in_month(year, month).to_string(),
        b'L' => i64::from(is_leap(year)).to_string(),
        b'y' => format!("{:02}", year % 100),
        b'Y' => format!("{}{:04}", sign(year), year.unsigned_abs()),
        b'x' => match year {
            0..=9999 => format!("{year:04}"),
            _ => format!(
                "{}{:04}",
                if year < 0 { "-" } else { "+" },
                year.unsigned_abs()
            ),
        },
        b'X' => format!(
            "{}{:04}",
            if year < 0 { "-" } else { "+" },
            year.unsigned_abs()
        ),
        b'a' => if hour >= 12 { "pm" } else { "am" }.to_owned(),
        b'A' => if hour >= 12 { "PM" } else { "AM" }.to_owned(),
        b'B' => format!("{:03}", beats(time)),
        b'g' => hour12(hour).to_string(),
        b'G' => hour.to_string(),
        b'h' => format!("{:02}", hour12(hour)),
        b'H' => format!("{hour:02}"),
        b'i' => format!("{minute:02}"),
        b's' => format!("{second:02}"),
        b'u' => format!("{micro:06}"),
        b'v' => format!("{:03}", micro / 1000),
        b'I' => i64::from(time.state.is_dst).to_string(),
        b'p' if time.state.seconds == 0 && is_utc(&time.zone) => "Z".to_owned(),
        b'P' | b'p' => offset(true),
        b'O' => offset(false),
        b'T' => match &time.zone {
            Zone::Offset(_) => format!("GMT{}", offset(false)),
            zone => zone.abbreviation(time.stamp),
        },
        b'e' => time.zone.name(),
        b'Z' => time.state.seconds.to_string(),
        // The sign counts as one of the four places here.
        b'c' => format!("{year:04}") + &part(b"-m-d\\TH:i:sP"),
        b'r' => part(b"D, d M ") + &format!("{year:04}") + &part(b" H:i:s O"),
        b'U' => time.stamp.to_string(),
        _ => return None,
    })
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
