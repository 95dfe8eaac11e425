//! `strftime()` and `gmstrftime()`, in the locale `C`.

use super::calendar::{day_of_year, iso_week, iso_weekday, weekday};
use super::format::hour12;
use super::parse::{english_month, english_weekday};
use super::time::Time;

/// A point of time by a format of C's `strftime`.
pub(super) fn strftime(time: &Time, format: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(format.len() * 3);
    let mut rest = format;
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            output.push(*first);
            continue;
        }
        // The modifiers E and O change nothing in this locale.
        let (modifier, character, after) = match after {
            [modifier @ (b'E' | b'O'), character, after @ ..] => {
                (Some(*modifier), *character, after)
            }
            [character, after @ ..] => (None, *character, after),
            [] => {
                output.push(b'%');
                break;
            }
        };
        rest = after;
        match field(time, character) {
            Some(text) => output.extend_from_slice(text.as_bytes()),
            None => {
                output.push(b'%');
                output.extend(modifier);
                output.push(character);
            }
        }
    }
    output
}

fn field(time: &Time, character: u8) -> Option<String> {
    let &Time {
        year,
        month,
        day,
        hour,
        minute,
        second,
        ..
    } = time;
    let day_of_week = weekday(year, month, day);
    let of_year = day_of_year(year, month, day);
    let part = |text: &[u8]| String::from_utf8_lossy(&strftime(time, text)).into_owned();
    let (iso_year, week) = iso_week(year, month, day);
    Some(match character {
        b'a' => english_weekday(day_of_week)[..3].to_owned(),
        b'A' => english_weekday(day_of_week).to_owned(),
        b'b' | b'h' => english_month(month)[..3].to_owned(),
        b'B' => english_month(month).to_owned(),
        b'c' => part(b"%a %b %e %H:%M:%S %Y"),
        b'C' => format!("{:02}", year.div_euclid(100)),
        b'd' => format!("{day:02}"),
        b'D' | b'x' => part(b"%m/%d/%y"),
        b'e' => format!("{day:2}"),
        b'F' => part(b"%Y-%m-%d"),
        b'g' => format!("{:02}", iso_year.rem_euclid(100)),
        b'G' => iso_year.to_string(),
        b'H' => format!("{hour:02}"),
        b'I' => format!("{:02}", hour12(hour)),
        b'j' => format!("{:03}", of_year + 1),
        b'k' => format!("{hour:2}"),
        b'l' => format!("{:2}", hour12(hour)),
        b'm' => format!("{month:02}"),
        b'M' => format!("{minute:02}"),
        b'n' => "\n".to_owned(),
        b'p' => if hour >= 12 { "PM" } else { "AM" }.to_owned(),
        b'P' => if hour >= 12 { "pm" } else { "am" }.to_owned(),
        b'r' => part(b"%I:%M:%S %p"),
        b'R' => part(b"%H:%M"),
        b's' => time.stamp.to_string(),
        b'S' => format!("{second:02}"),
        b't' => "\t".to_owned(),
        b'T' | b'X' => part(b"%H:%M:%S"),
        b'u' => iso_weekday(year, month, day).to_string(),
        b'U' => format!("{:02}", (of_year + 7 - day_of_week) / 7),
        b'V' => format!("{week:02}"),
        b'w' => day_of_week.to_string(),
        b'W' => format!("{:02}", (of_year + 7 - (day_of_week + 6) % 7) / 7),
        b'y' => format!("{:02}", year.rem_euclid(100)),
        b'Y' => year.to_string(),
        b'z' => super::zone::minutes_text(time.state.seconds, false),
        b'Z' => time.zone.abbreviation(time.stamp),
        b'%' => "%".to_owned(),
        _ => return None,
    })
}
