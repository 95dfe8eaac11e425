//! Parts of dates and times, which are written as XML Schema has them.

use super::super::run::Run;
use crate::date::{MONTHS, WEEKDAYS};
use crate::xml::xpath::{Problem, Value};

/// What a text says of a date and a time.
#[derive(Debug, Clone, Copy, Default)]
struct Moment {
    year: Option<i64>,
    month: Option<u32>,
    day: Option<u32>,
    time: Option<(u32, u32, f64)>,
}

fn is_leap(year: i64) -> bool {
    // Years before the first are numbered without a year 0.
    let year = if year < 0 { year + 1 } else { year };
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A number of exactly two digits.
fn two(text: &mut &str, least: u32, most: u32) -> Option<u32> {
    let digits = text.get(..2)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = digits.parse().ok()?;
    *text = &text[2..];
    (least..=most).contains(&number).then_some(number)
}

fn year(text: &mut &str) -> Option<i64> {
    let is_negative = text.starts_with('-');
    let digits = text.strip_prefix('-').unwrap_or(text);
    let end = digits
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(digits.len());
    if end < 4 || end > 4 && digits.starts_with('0') {
        return None;
    }
    let number: i64 = digits[..end].parse().ok()?;
    if number == 0 {
        return None;
    }
    *text = &digits[end..];
    Some(if is_negative { -number } else { number })
}

fn time(text: &mut &str) -> Option<(u32, u32, f64)> {
    let hour = two(text, 0, 23)?;
    *text = text.strip_prefix(':')?;
    let minute = two(text, 0, 59)?;
    *text = text.strip_prefix(':')?;
    let second = two(text, 0, 59)?;
    let mut second = f64::from(second);
    if text.starts_with('.') {
        let end = text[1..]
            .find(|character: char| !character.is_ascii_digit())
            .map_or(text.len(), |end| end + 1);
        second += text[..end].parse::<f64>().ok()?;
        *text = &text[end..];
    }
    Some((hour, minute, second))
}

/// True for a time zone at the end of a text, or nothing.
fn is_zone(mut text: &str) -> bool {
    if text.is_empty() || text == "Z" {
        return true;
    }
    let Some(rest) = text.strip_prefix(['+', '-']) else {
        return false;
    };
    text = rest;
    two(&mut text, 0, 14).is_some()
        && text
            .strip_prefix(':')
            .is_some_and(|mut rest| two(&mut rest, 0, 59).is_some() && rest.is_empty())
}

impl Moment {
    /// Reads a text in any of the forms.
    fn parse(text: &str) -> Option<Moment> {
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        if let Some(mut rest) = text.strip_prefix("--") {
            let mut moment = Moment::default();
            if let Some(day) = rest.strip_prefix('-') {
                rest = day;
                moment.day = Some(two(&mut rest, 1, 31)?);
                return is_zone(rest).then_some(moment);
            }
            let month = two(&mut rest, 1, 12)?;
            moment.month = Some(month);
            if let Some(day) = rest.strip_prefix("--") {
                rest = day;
            } else if let Some(mut day) = rest.strip_prefix('-')
                && let Some(number) = two(&mut day, 1, days_in(2000, month))
            {
                moment.day = Some(number);
                rest = day;
            }
            return is_zone(rest).then_some(moment);
        }
        let mut rest = text;
        if text.as_bytes().get(2) == Some(&b':') {
            let time = time(&mut rest)?;
            let moment = Moment {
                time: Some(time),
                ..Moment::default()
            };
            return is_zone(rest).then_some(moment);
        }
        let mut moment = Moment {
            year: Some(year(&mut rest)?),
            ..Moment::default()
        };
        if is_zone(rest) {
            return Some(moment);
        }
        rest = rest.strip_prefix('-')?;
        moment.month = Some(two(&mut rest, 1, 12)?);
        if is_zone(rest) {
            return Some(moment);
        }
        rest = rest.strip_prefix('-')?;
        let most = days_in(moment.year?, moment.month?);
        moment.day = Some(two(&mut rest, 1, most)?);
        if is_zone(rest) {
            return Some(moment);
        }
        rest = rest.strip_prefix('T')?;
        moment.time = Some(time(&mut rest)?);
        is_zone(rest).then_some(moment)
    }

    fn date(&self) -> Option<(i64, u32, u32)> {
        Some((self.year?, self.month?, self.day?))
    }
}

fn day_in_year((year, month, day): (i64, u32, u32)) -> u32 {
    (1..month).map(|month| days_in(year, month)).sum::<u32>() + day
}

/// The day of the week, Sunday being 0.
fn weekday((year, month, day): (i64, u32, u32)) -> u32 {
    let counted = if year < 0 { year + 1 } else { year };
    let before = counted - 1;
    let days = before * 365 + before.div_euclid(4) - before.div_euclid(100)
        + before.div_euclid(400)
        + i64::from(day_in_year((year, month, day)));
    days.rem_euclid(7) as u32
}

/// The number of the week that has most of its days in the year, weeks beginning on Monday.
fn week(date: (i64, u32, u32)) -> u32 {
    let (year, ..) = date;
    let monday_first = (weekday(date) + 6) % 7;
    let thursday = i64::from(day_in_year(date)) - i64::from(monday_first) + 3;
    let length = |year: i64| if is_leap(year) { 366 } else { 365 };
    if thursday < 1 {
        return ((thursday + length(year - 1) - 1) / 7 + 1) as u32;
    }
    if thursday > length(year) {
        return 1;
    }
    ((thursday - 1) / 7 + 1) as u32
}

pub(super) fn call(
    run: &mut Run<'_>,
    name: &[u8],
    arguments: Vec<Value>,
) -> Result<Value, Problem> {
    let text = match arguments.as_slice() {
        [] if name != b"date-time" => now(),
        [] => return Ok(Value::Text(now().into_bytes())),
        [value] if name != b"date-time" => String::from_utf8_lossy(&run.text(value)).into_owned(),
        _ => return Err(Problem::WrongArguments),
    };
    let moment = Moment::parse(&text);
    let given = moment.unwrap_or_default();
    let has_month = given.month.is_some();
    let number = |value: Option<u32>| Value::Number(value.map_or(f64::NAN, f64::from));
    let words = |value: Option<&str>| Value::Text(value.unwrap_or_default().as_bytes().to_vec());
    let date = given.date();
    Ok(match name {
        b"year" => Value::Number(given.year.map_or(f64::NAN, |year| year as f64)),
        b"leap-year" => match given.year {
            Some(year) => Value::Bool(is_leap(year)),
            None => Value::Number(f64::NAN),
        },
        b"month-in-year" => number(given.month),
        b"month-name" if has_month => words(given.month.map(|month| MONTHS[month as usize - 1])),
        b"month-abbreviation" if has_month => {
            words(given.month.map(|month| &MONTHS[month as usize - 1][..3]))
        }
        b"month-name" | b"month-abbreviation" => words(None),
        b"week-in-year" => number(date.map(week)),
        b"week-in-month" => number(date.map(|(year, month, day)| {
            let first = (weekday((year, month, 1)) + 6) % 7;
            (day + first - 1) / 7 + 1
        })),
        b"day-in-year" => number(date.map(day_in_year)),
        b"day-in-month" => number(given.day),
        b"day-of-week-in-month" => number(date.map(|(_, _, day)| (day - 1) / 7 + 1)),
        b"day-in-week" => number(date.map(|date| weekday(date) + 1)),
        b"day-name" => words(date.map(|date| WEEKDAYS[weekday(date) as usize])),
        b"day-abbreviation" => words(date.map(|date| &WEEKDAYS[weekday(date) as usize][..3])),
        b"hour-in-day" => number(given.time.map(|time| time.0)),
        b"minute-in-hour" => number(given.time.map(|time| time.1)),
        b"second-in-minute" => Value::Number(given.time.map_or(f64::NAN, |time| time.2)),
        b"date" => match (date, text.trim().split_once('T')) {
            (Some(_), Some((date, rest))) => words(Some(&format!("{date}{}", zone(rest)))),
            (Some(_), None) => words(Some(text.trim())),
            _ => words(None),
        },
        _ => match (given.time, text.trim().split_once('T')) {
            (Some(_), Some((_, time))) => words(Some(time)),
            (Some(_), None) => words(Some(text.trim())),
            _ => words(None),
        },
    })
}

/// The time zone at the end of a time.
fn zone(time: &str) -> &str {
    let at = time.find(['Z', '+', '-']).unwrap_or(time.len());
    &time[at..]
}

/// The present moment.
fn now() -> String {
    let seconds = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (mut days, rest) = ((seconds / 86400) as i64, seconds % 86400);
    let mut year = 1970;
    while days >= if is_leap(year) { 366 } else { 365 } {
        days -= if is_leap(year) { 366 } else { 365 };
        year += 1;
    }
    let mut month = 1;
    while days >= i64::from(days_in(year, month)) {
        days -= i64::from(days_in(year, month));
        month += 1;
    }
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!(
        "{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z",
        days + 1
    )
}
