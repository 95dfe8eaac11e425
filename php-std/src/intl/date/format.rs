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
            2 => self.number(year.rem_euclid(100), 2, target),
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
                    _ => target.push_str(&symbols::quarter(&locale, letter == 'q', width, quarter)),
                }
            }
            'M' | 'L' => {
                let month = self.value(MONTH);
                match count {
                    1 | 2 => self.number(month + 1, count, target),
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
                self.number(day, count, target);
            }
            'e' | 'c' => target.push_str(&symbols::weekday(
                &locale,
                letter == 'c',
                width,
                self.value(DAY_OF_WEEK),
            )),
            'a' => target.push_str(&symbols::half_day(&locale, width, self.value(AM_PM))),
            'b' | 'B' => self.day_period(letter == 'b', width, target),
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

    fn day_period(&mut self, only_points: bool, width: Width, target: &mut String) {
        let (hour, minute) = (self.value(HOUR_OF_DAY), self.value(MINUTE));
        let locale = &self.language.locale;
        match symbols::day_period(locale, width, hour, minute, only_points) {
            Some(name) => target.push_str(name),
            None => target.push_str(&symbols::half_day(locale, width, hour / 12)),
        }
    }

    fn zone(&mut self, letter: char, count: usize, target: &mut String) {
        let time = self.calendar.time().unwrap_or(0.0);
        let zone = &self.calendar.zone;
        let now = zone.at(time);
        let offset = now.raw + now.summer;
        let named = |style| display_name(zone, self.language, style, now.summer != 0, time);
        let iso = |colon: bool, zulu: bool, only_hours: bool| {
            if zulu && offset == 0 {
                return "Z".to_owned();
            }
            let shown = basic(offset, colon);
            match only_hours && offset.abs() / 1000 % 3600 == 0 {
                true => shown[..3].to_owned(),
                false => shown,
            }
        };
        let shown = match (letter, count) {
            ('z', 4) => named(Style::Long),
            ('z', _) => named(Style::Short),
            ('Z', 4) | ('O', 4) => gmt(self.language, offset, false),
            ('Z', 5) => iso(true, true, false),
            ('Z', _) => basic(offset, false),
            ('O', _) => gmt(self.language, offset, true),
            ('v', 4) => named(Style::LongGeneric),
            ('v', _) => named(Style::ShortGeneric),
            ('V', 4) => named(Style::GenericLocation),
            ('V', 3) => city(&zone.id, self.language),
            ('V', 2) => zone.id.clone(),
            ('V', _) => crate::intl::zone::short_id(&zone.id),
            ('X', 1) => iso(false, true, true),
            ('X', 2 | 4) => iso(false, true, false),
            ('X', _) => iso(true, true, false),
            (_, 1) => iso(false, false, true),
            (_, 2 | 4) => iso(false, false, false),
            _ => iso(true, false, false),
        };
        target.push_str(&shown);
    }
}
