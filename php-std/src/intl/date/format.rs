//! Writing dates.

use super::pattern::Part;
use super::symbols::{self, Width};
use crate::intl::calendar::fields::*;
use crate::intl::zone::names::{Language, Style, basic, city, display_name, gmt};

/// A time with its fields.
pub(super) struct Writer<'w> {
    pub(super) calendar: &'w mut Calendar,
    pub(super) language: &'w Language,
}

impl Writer<'_> {
    fn value(&mut self, field: usize) -> i64 {
        self.calendar.get(field).unwrap_or(0)
    }

    fn number(&self, number: i64, least: usize, target: &mut String) {
        let zero = self.language.zero as u32;
        if number < 0 {
            target.push('-');
        }
        let digits = number.unsigned_abs().to_string();
        let missing = least.saturating_sub(digits.len());
        for digit in std::iter::repeat_n(b'0', missing).chain(digits.bytes()) {
            target.extend(char::from_u32(zero + u32::from(digit - b'0')));
        }
    }

    pub(super) fn write(&mut self, parts: &[Part]) -> String {
        let mut target = String::new();
        for part in parts {
            match part {
                Part::Text(text) => target.push_str(text),
                Part::Field(letter, count) => self.field(*letter, *count, &mut target),
            }
        }
        target
    }

    fn year(&mut self, field: usize, count: usize, target: &mut String) {
        let year = self.value(field);
        match count {
            2 => self.number(year % 100, 2, target),
            count => self.number(year, count, target),
        }
    }

    fn field(&mut self, letter: char, count: usize, target: &mut String) {
        let locale = self.language.locale.clone();
        let width = Width::of_count(count);
        match letter {
            'G' => target.push_str(&symbols::era(&locale, width, self.value(ERA))),
            'y' | 'U' => self.year(YEAR, count, target),
            'Y' => self.year(YEAR_WOY, count, target),
            'u' | 'r' => {
                let year = self.value(EXTENDED_YEAR);
                self.number(year, count, target);
            }
            'Q' | 'q' => {
                let quarter = self.value(MONTH) / 3;
                match count {
                    1 | 2 => self.number(quarter + 1, count, target),
                    _ => {
                        let width = Width::of_count(count.min(5));
                        target.push_str(&symbols::quarter(&locale, letter == 'q', width, quarter));
                    }
                }
            }
            'M' | 'L' => {
                let month = self.value(MONTH);
                match count {
                    1 | 2 | 6.. => self.number(month + 1, count, target),
                    _ => target.push_str(&symbols::month(&locale, letter == 'L', width, month)),
                }
            }
            'E' => target.push_str(&symbols::weekday(
                &locale,
                false,
                width,
                self.value(DAY_OF_WEEK),
            )),
            'e' | 'c' if count < 3 => {
                let day = self.value(DOW_LOCAL);
                let digits = if letter == 'c' { 1 } else { count };
                self.number(day, digits, target);
            }
            'e' | 'c' => target.push_str(&symbols::weekday(
                &locale,
                letter == 'c',
                width,
                self.value(DAY_OF_WEEK),
            )),
            'a' => {
                let half = self.value(AM_PM);
                target.push_str(&symbols::half_day(&locale, half_day_width(count), half));
            }
            'b' | 'B' => self.day_period(letter == 'b', count, target),
            'h' => {
                let hour = (self.value(HOUR) + 11) % 12 + 1;
                self.number(hour, count, target);
            }
            'k' => {
                let hour = (self.value(HOUR_OF_DAY) + 23) % 24 + 1;
                self.number(hour, count, target);
            }
            'S' => {
                let digits = format!("{:03}", self.value(MILLISECOND));
                let digits: String = digits
                    .chars()
                    .chain(std::iter::repeat('0'))
                    .take(count)
                    .collect();
                for digit in digits.bytes() {
                    self.number(i64::from(digit - b'0'), 1, target);
                }
            }
            'z' | 'Z' | 'O' | 'v' | 'V' | 'X' | 'x' => self.zone(letter, count, target),
            letter => {
                let field = match letter {
                    'w' => WEEK_OF_YEAR,
                    'W' => WEEK_OF_MONTH,
                    'd' => DATE,
                    'D' => DAY_OF_YEAR,
                    'F' => DAY_OF_WEEK_IN_MONTH,
                    'g' => JULIAN_DAY,
                    'H' => HOUR_OF_DAY,
                    'K' => HOUR,
                    'm' => MINUTE,
                    's' => SECOND,
                    'A' => MILLISECONDS_IN_DAY,
                    // An old letter for nothing.
                    _ => return,
                };
                let value = self.value(field);
                self.number(value, count, target);
            }
        }
    }

    fn day_period(&mut self, only_points: bool, count: usize, target: &mut String) {
        let seconds = self.value(HOUR_OF_DAY) * 3600 + self.value(MINUTE) * 60 + self.value(SECOND);
        let width = match count {
            0..=3 => Width::Abbreviated,
            5 => Width::Narrow,
            _ => Width::Wide,
        };
        let locale = &self.language.locale;
        match symbols::day_period(locale, width, seconds, only_points) {
            Some(name) => target.push_str(name),
            None => {
                let half = seconds / (12 * 3600);
                target.push_str(&symbols::half_day(locale, half_day_width(count), half));
            }
        }
    }

    fn zone(&mut self, letter: char, count: usize, target: &mut String) {
        let time = self.calendar.time().unwrap_or(0.0);
        let zone = &self.calendar.zone;
        let now = zone.at(time);
        let offset = now.raw + now.summer;
        let named = |style| display_name(zone, self.language, style, now.summer != 0, time);
        let iso = |colon: bool, zulu: bool| {
            // Seconds are shown from the fourth letter on.
            let offset = if count < 4 {
                offset / 60_000 * 60_000
            } else {
                offset
            };
            if zulu && offset == 0 {
                return "Z".to_owned();
            }
            let shown = basic(offset, colon);
            match count == 1 && offset % 3_600_000 == 0 {
                true => shown[..3].to_owned(),
                false => shown,
            }
        };
        let shown = match (letter, count) {
            ('z', 4..) => named(Style::Long),
            ('z', _) => named(Style::Short),
            ('Z', 1..=3) => basic(offset, false),
            ('Z', 5) => iso(true, true),
            ('Z', _) | ('O', 4) => gmt(self.language, offset, false),
            ('O', 1) => gmt(self.language, offset, true),
            ('v', 4) => named(Style::LongGeneric),
            ('v', 1) => named(Style::ShortGeneric),
            ('V', 4) => named(Style::GenericLocation),
            ('V', 3) => city(&zone.id, self.language),
            ('V', 2) => zone.id.clone(),
            ('V', 1) => crate::intl::zone::short_id(&zone.id),
            ('X' | 'x', 1 | 2 | 4) => iso(false, letter == 'X'),
            ('X' | 'x', 3 | 5) => iso(true, letter == 'X'),
            // So many letters mean nothing.
            _ => String::new(),
        };
        target.push_str(&shown);
    }
}

/// How the halves of a day are called, by how often a letter stands in a pattern.
fn half_day_width(count: usize) -> Width {
    Width::of_count(count.min(5))
}
