//! The forms that programs write most, read without patterns: `2026-11-22 10:20:30.5+01:00 +1 day`, `now`,
//! `@1700000000`, `+1 month -2 days`, `Sun, 22 Nov 2026 10:20:30 GMT`, `November 22, 2026`. Whatever else there is, or
//! is out of range, is left to the formats, which say the same of these.

use super::{MONTHS, Parser, WEEKDAYS, WeekdayRule, fraction, number};

/// Units of relative parts, without their plural.
const UNITS: [&[u8]; 10] = [
    b"sec",
    b"second",
    b"min",
    b"minute",
    b"hour",
    b"day",
    b"week",
    b"fortnight",
    b"month",
    b"year",
];

/// The number that `length` digits at `at` say, if it is in a range.
fn digits(
    text: &[u8],
    at: usize,
    length: usize,
    range: std::ops::RangeInclusive<i64>,
) -> Option<i64> {
    let digits = text.get(at..at + length)?;
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(number(digits)).filter(|number| range.contains(number))
}

/// The number of a name in a list, in full or by its first three letters.
fn place_of(word: &[u8], names: &[&str]) -> Option<i64> {
    let is_named = |name: &&str| {
        let name = name.as_bytes();
        name.eq_ignore_ascii_case(word) || name[..3].eq_ignore_ascii_case(word)
    };
    names.iter().position(is_named).map(|place| place as i64)
}

/// A day of a month in one or two digits.
fn day_of(word: &[u8]) -> Option<i64> {
    match word.len() {
        length @ (1 | 2) => digits(word, 0, length, 1..=31),
        _ => None,
    }
}

/// A date in words.
struct Worded<'s> {
    weekday: Option<i64>,
    date: (i64, i64, i64),
    clock: Option<Clock<'s>>,
}

/// `Sun, 22 Nov 2026 10:20:30 GMT`, `22 November 2026`, `Nov 22, 2026 10:20`.
fn worded(text: &[u8]) -> Option<Worded<'_>> {
    let mut words = text.split(|&byte| byte == b' ');
    let mut word = words.next()?;
    let name = word.strip_suffix(b",").unwrap_or(word);
    let weekday = place_of(name, &WEEKDAYS);
    if weekday.is_some() {
        word = words.next()?;
    }
    let second = words.next()?;
    let (day, month) = match word.first()? {
        b'0'..=b'9' => (day_of(word)?, place_of(second, &MONTHS)?),
        _ => {
            let day = second.strip_suffix(b",").unwrap_or(second);
            (day_of(day)?, place_of(word, &MONTHS)?)
        }
    };
    let year = words.next().filter(|year| year.len() == 4)?;
    let date = (digits(year, 0, 4, 0..=9999)?, month + 1, day);
    let mut clock = match words.next() {
        Some(time) => Some(clock(time).filter(|clock| clock.zone.is_empty())?),
        None => None,
    };
    if let (Some(clock), Some(zone)) = (&mut clock, words.next()) {
        let is_offset = zone.len() == 5
            && matches!(zone[0], b'+' | b'-')
            && digits(zone, 1, 2, 0..=14).is_some()
            && digits(zone, 3, 2, 0..=59).is_some();
        if !is_offset && !matches!(zone, b"GMT" | b"UTC" | b"Z") {
            return None;
        }
        clock.zone = zone;
    }
    words.next().is_none().then_some(Worded {
        weekday,
        date,
        clock,
    })
}

/// A time of the day behind a date, with what stands behind it.
struct Clock<'s> {
    hour: i64,
    minute: i64,
    second: i64,
    micro: i64,
    zone: &'s [u8],
}

/// `10:20`, `10:20:30`, `10:20:30.5`, each with a zone or without.
fn clock(text: &[u8]) -> Option<Clock<'_>> {
    let hour = digits(text, 0, 2, 0..=23)?;
    let minute = digits(text, 3, 2, 0..=59)?;
    if text[2] != b':' {
        return None;
    }
    let (mut second, mut micro, mut at) = (0, 0, 5);
    if text.get(5) == Some(&b':') {
        second = digits(text, 6, 2, 0..=59)?;
        at = 8;
        if text.get(8) == Some(&b'.') {
            let length = text[9..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            if !(1..=8).contains(&length) {
                return None;
            }
            micro = fraction(&text[9..9 + length]);
            at = 9 + length;
        }
    }
    let zone = &text[at..];
    let is_known = match zone {
        [] | [b'Z'] => true,
        [b'+' | b'-', offset @ ..] => match offset.len() {
            4 => digits(offset, 0, 2, 0..=14).is_some() && digits(offset, 2, 2, 0..=59).is_some(),
            5 => {
                offset[2] == b':'
                    && digits(offset, 0, 2, 0..=14).is_some()
                    && digits(offset, 3, 2, 0..=59).is_some()
            }
            _ => false,
        },
        _ => false,
    };
    // A zone counts behind seconds alone.
    (is_known && (zone.is_empty() || at >= 8)).then_some(Clock {
        hour,
        minute,
        second,
        micro,
        zone,
    })
}

/// A relative part at the start of a text: the amount, the unit, and the length of both.
fn relative(text: &[u8]) -> Option<(i64, &[u8], usize)> {
    if !matches!(text.first()?, b'+' | b'-') {
        return None;
    }
    let length = text[1..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if !(1..=9).contains(&length) {
        return None;
    }
    let amount = number(&text[..1 + length]);
    let mut at = 1 + length;
    at += (text.get(at) == Some(&b' ')) as usize;
    let rest = &text[at..];
    let letters = rest
        .iter()
        .take_while(|byte| byte.is_ascii_lowercase())
        .count();
    let unit = &rest[..letters];
    let singular = unit.strip_suffix(b"s").unwrap_or(unit);
    let ends = matches!(rest.get(letters), None | Some(b' '));
    (ends && UNITS.contains(&singular)).then_some((amount, unit, at + letters))
}

/// The relative parts that a text consists of: amounts and units.
fn relatives(text: &[u8]) -> Option<Vec<(i64, &[u8])>> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let (amount, unit, length) = relative(rest)?;
        parts.push((amount, unit));
        match rest.get(length) {
            None => return Some(parts),
            Some(_) => rest = &rest[length + 1..],
        }
    }
}

impl Parser<'_> {
    /// Reads the text if it has one of the plain forms; false if not.
    pub(super) fn read_plain(&mut self) -> bool {
        let text = self.text;
        let done = match text[0] {
            b'0'..=b'9' => self.read_date(text) || self.read_worded(text),
            b'+' | b'-' => self.read_relative(text),
            b'@' => self.read_stamp(text),
            _ => self.read_word(text) || self.read_worded(text),
        };
        if done {
            self.position = text.len();
        }
        done
    }

    fn read_date(&mut self, text: &[u8]) -> bool {
        let date = (
            digits(text, 0, 4, 0..=9999),
            digits(text, 5, 2, 1..=12),
            digits(text, 8, 2, 1..=31),
        );
        let (Some(year), Some(month), Some(day)) = date else {
            return false;
        };
        if text[4] != b'-' || text[7] != b'-' {
            return false;
        }
        // What is relative follows the first space in front of a sign.
        let signed = |pair: &[u8]| pair[0] == b' ' && matches!(pair[1], b'+' | b'-');
        let end = text.windows(2).position(signed).unwrap_or(text.len());
        let clock = match text[..end].get(10) {
            None => None,
            Some(b' ' | b'T') => match clock(&text[11..end]) {
                Some(clock) => Some(clock),
                None => return false,
            },
            Some(_) => return false,
        };
        let parts = match text.get(end + 1..).map(relatives) {
            None => Vec::new(),
            Some(Some(parts)) => parts,
            Some(None) => return false,
        };
        self.set_plain((year, month, day), clock);
        self.add_all(parts);
        true
    }

    fn read_worded(&mut self, text: &[u8]) -> bool {
        let Some(worded) = worded(text) else {
            return false;
        };
        if let Some(day) = worded.weekday {
            self.relative();
            self.reset_time();
            self.set_weekday(day, WeekdayRule::From);
        }
        self.set_plain(worded.date, worded.clock);
        true
    }

    /// Sets a date and perhaps a time.
    fn set_plain(&mut self, date: (i64, i64, i64), clock: Option<Clock<'_>>) {
        self.begin_date();
        (self.parsed.year, self.parsed.month) = (Some(date.0), Some(date.1));
        self.parsed.day = Some(date.2);
        if let Some(clock) = clock {
            self.begin_time();
            self.parsed
                .set_time(clock.hour, clock.minute, clock.second, clock.micro);
            if !clock.zone.is_empty() {
                self.zone(clock.zone);
            }
        }
    }

    fn read_relative(&mut self, text: &[u8]) -> bool {
        let Some(parts) = relatives(text) else {
            return false;
        };
        self.add_all(parts);
        true
    }

    fn add_all(&mut self, parts: Vec<(i64, &[u8])>) {
        for (amount, unit) in parts {
            self.relative();
            self.add(amount, unit, WeekdayRule::From, false);
        }
    }

    fn read_stamp(&mut self, text: &[u8]) -> bool {
        let digits = text[1..].strip_prefix(b"-").unwrap_or(&text[1..]);
        if digits.is_empty() || digits.len() > 18 || !digits.iter().all(u8::is_ascii_digit) {
            return false;
        }
        self.set_stamp(number(&text[1..]), 0);
        true
    }

    fn read_word(&mut self, text: &[u8]) -> bool {
        match text {
            b"now" => {}
            b"today" | b"midnight" => self.reset_time(),
            b"tomorrow" | b"yesterday" => {
                self.relative().days = if text == b"tomorrow" { 1 } else { -1 };
                self.reset_time();
            }
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::support::testing::vm;

    #[test]
    fn plain_forms_are_read_as_the_formats_read_them() {
        let vm = &mut *vm();
        for text in [
            "2026-11-22",
            "0001-01-31",
            "2026-02-31",
            "2026-11-22 10:20",
            "2026-11-22 10:20:30",
            "2026-11-22T10:20:30",
            "2026-11-22 10:20:30.123456",
            "2026-11-22T10:20:30.5Z",
            "2026-11-22T10:20:30Z",
            "2026-11-22T10:20:30+02:00",
            "2026-11-22 10:20:30-0330",
            "2026-11-22T10:20:30.25+01:00",
            "now",
            "today",
            "midnight",
            "tomorrow",
            "yesterday",
            "@0",
            "@-86400",
            "@1700000000",
            "+1 day",
            "-3 months",
            "+2weeks",
            "+1 month -1 day",
            "+10 min +3 secs",
            "-1 year +2 fortnights",
            "2026-11-22 +1 day",
            "2026-11-22 10:20:30 +1 day -2 weeks",
            "2026-11-22 10:20 -1 month",
            "2026-11-22T10:20:30Z +3 hours",
            "2026-11-22T10:20:30+02:00 +1 day",
            "2026-11-22 10:20:30 +02:00",
            "2026-11-22 10:20 +0100",
            "2026-11-22 10:20:30 +1",
            "Sun, 22 Nov 2026 10:20:30 GMT",
            "Sun, 22 Nov 2026 10:20:30 +0200",
            "Sun, 22 Nov 2026 10:20:30 -0330",
            "sunday 2 november 2026",
            "Wednesday, 1 May 2024 10:20",
            "22 November 2026",
            "2 nov 0026 10:20:30.25",
            "November 22, 2026",
            "November 22 2026",
            "Sat Nov 2, 2026 10:20:30 UTC",
            "Nov 31, 2026",
            "May 5, 2026 24:20",
            "May 5, 2026 4:20",
            "Mon 5 Sept 2026",
            "Monday 15 Aug",
            "1 January 2020 GMT",
        ] {
            let plain = super::super::parse(vm, text.as_bytes());
            let by_formats = super::super::parse_by_formats(vm, text.as_bytes());
            assert_eq!(format!("{plain:?}"), format!("{by_formats:?}"), "{text}");
        }
    }
}
