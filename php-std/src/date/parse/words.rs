//! English words in dates.

use crate::date::time::WeekdayRule;

/// The names of the months.
pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const ROMAN: [&str; 12] = [
    "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII",
];

/// The names of the days of a week.
pub(crate) const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

const ORDINALS: [&str; 12] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
];

/// The name of a month, from 1.
pub(in crate::date) fn english_month(month: i64) -> &'static str {
    MONTHS[(month - 1).rem_euclid(12) as usize]
}

/// The name of a weekday; 0 is Sunday.
pub(in crate::date) fn english_weekday(day: i64) -> &'static str {
    WEEKDAYS[day.rem_euclid(7) as usize]
}

/// Whether a text is the beginning of a name, three letters or more.
fn abbreviates(text: &[u8], name: &str) -> bool {
    let head = name.as_bytes().get(..text.len());
    text.len() >= 3 && head.is_some_and(|head| head.eq_ignore_ascii_case(text))
}

/// The month that a name means, from 1.
pub(in crate::date) fn month_number(text: &[u8]) -> Option<i64> {
    let roman = ROMAN.iter().position(|roman| roman.as_bytes() == text);
    let named = || MONTHS.iter().position(|name| abbreviates(text, name));
    Some(roman.or_else(named)? as i64 + 1)
}

/// The weekday that a name means; 0 is Sunday.
pub(in crate::date) fn weekday_number(text: &[u8]) -> Option<i64> {
    let singular = match text {
        [head @ .., b's' | b'S'] if head.len() >= 6 => head,
        _ => text,
    };
    let day = WEEKDAYS.iter().position(|name| abbreviates(singular, name));
    day.map(|day| day as i64)
}

/// The number that `third` or `next` stands for, and what it means for weekdays.
pub(super) fn ordinal(text: &[u8]) -> (i64, WeekdayRule) {
    match text.to_ascii_lowercase().as_slice() {
        b"next" => (1, WeekdayRule::After),
        b"last" | b"previous" => (-1, WeekdayRule::After),
        b"this" => (0, WeekdayRule::From),
        b"eight" => (8, WeekdayRule::After),
        text => {
            let place = ORDINALS.iter().position(|known| known.as_bytes() == text);
            (
                place.map_or(0, |place| place as i64 + 1),
                WeekdayRule::After,
            )
        }
    }
}

/// A unit of relative times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// So many microseconds.
    Micros(i64),
    Second,
    Minute,
    Hour,
    /// So many days.
    Days(i64),
    Month,
    Year,
    Weekday(i64),
    /// Days from Monday to Friday.
    Weekdays,
}

pub(super) fn unit(text: &[u8]) -> Option<Unit> {
    let lower = text.to_ascii_lowercase();
    let singular = match lower.as_slice() {
        b"ms" => return Some(Unit::Micros(1000)),
        text if text == "µs".as_bytes() => return Some(Unit::Micros(1)),
        [head @ .., b's'] => head,
        text => text,
    };
    Some(match singular {
        b"msec" | b"millisecond" => Unit::Micros(1000),
        b"usec" | b"microsecond" => Unit::Micros(1),
        b"sec" | b"second" => Unit::Second,
        b"min" | b"minute" => Unit::Minute,
        b"hour" => Unit::Hour,
        b"day" => Unit::Days(1),
        b"week" => Unit::Days(7),
        b"fortnight" | b"forthnight" => Unit::Days(14),
        b"month" => Unit::Month,
        b"year" => Unit::Year,
        b"weekday" => Unit::Weekdays,
        _ => Unit::Weekday(weekday_number(&lower)?),
    })
}
