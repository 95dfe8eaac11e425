//! The forms that programs write most, read without patterns: `2026-11-22 10:20:30.5+01:00`, `now`,
//! `@1700000000`, `+1 month -2 days`. Whatever else there is, or is out of range, is left to the formats, which
//! say the same of these.

use super::{Parser, WeekdayRule, fraction, number};

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

impl Parser<'_> {
    /// Reads the text if it has one of the plain forms; false if not.
    pub(super) fn read_plain(&mut self) -> bool {
        let text = self.text;
        let done = match text[0] {
            b'0'..=b'9' => self.read_date(text),
            b'+' | b'-' => self.read_relative(text),
            b'@' => self.read_stamp(text),
            _ => self.read_word(text),
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
        let clock = match text.get(10) {
            None => None,
            Some(b' ' | b'T') => match clock(&text[11..]) {
                Some(clock) => Some(clock),
                None => return false,
            },
            Some(_) => return false,
        };
        self.begin_date();
        (self.parsed.year, self.parsed.month) = (Some(year), Some(month));
        self.parsed.day = Some(day);
        if let Some(clock) = clock {
            self.begin_time();
            self.parsed
                .set_time(clock.hour, clock.minute, clock.second, clock.micro);
            if !clock.zone.is_empty() {
                self.zone(clock.zone);
            }
        }
        true
    }

    fn read_relative(&mut self, text: &[u8]) -> bool {
        let mut parts = Vec::new();
        let mut rest = text;
        loop {
            let Some((amount, unit, length)) = relative(rest) else {
                return false;
            };
            parts.push((amount, unit));
            match rest.get(length) {
                None => break,
                Some(_) => rest = &rest[length + 1..],
            }
        }
        for (amount, unit) in parts {
            self.relative();
            self.add(amount, unit, WeekdayRule::From, false);
        }
        true
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
        ] {
            let plain = super::super::parse(vm, text.as_bytes());
            let by_formats = super::super::parse_by_formats(vm, text.as_bytes());
            assert_eq!(format!("{plain:?}"), format!("{by_formats:?}"), "{text}");
        }
    }
}
