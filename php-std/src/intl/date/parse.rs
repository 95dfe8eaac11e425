//! Reading dates by a pattern.

use vm_runtime::limits;

use super::pattern::Part;
use super::symbols::{self, Width};
use crate::intl::calendar::fields::*;
use crate::intl::zone::IcuZone;
use crate::intl::zone::names::Language;

/// A text that is being read.
pub(super) struct Reader<'r> {
    pub(super) calendar: &'r mut Calendar,
    pub(super) language: &'r Language,
    pub(super) text: &'r str,
    /// How far it was read.
    pub(super) at: usize,
    pub(super) lenient: bool,
}

/// A text that does not fit.
pub(super) struct Mismatch;

fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{a0}' | '\u{202f}')
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        while let Some(character) = self
            .rest()
            .chars()
            .next()
            .filter(|&character| is_space(character))
        {
            self.at += character.len_utf8();
        }
    }

    /// Reads by the parts of a pattern, and sets the fields that they say.
    pub(super) fn read(&mut self, parts: &[Part]) -> Result<(), Mismatch> {
        for (index, part) in parts.iter().enumerate() {
            limits::poll();
            match part {
                Part::Text(text) => self.literal(text)?,
                Part::Field(letter, count) => {
                    // Digits of fields that touch are counted.
                    let touches = matches!(parts.get(index + 1), Some(Part::Field(next, _)) if !next.is_ascii_uppercase() || "MHKSDLQFEY".contains(*next));
                    self.field(*letter, *count, touches)?;
                }
            }
        }
        Ok(())
    }

    fn literal(&mut self, text: &str) -> Result<(), Mismatch> {
        for wanted in text.chars() {
            if is_space(wanted) {
                self.skip_space();
                continue;
            }
            match self.rest().chars().next() {
                Some(found) if found == wanted => self.at += found.len_utf8(),
                // What separates may be left out or be something else.
                Some(found)
                    if self.lenient
                        && matches!(
                            (wanted, found),
                            (',' | '.' | '-' | '/', ',' | '.' | '-' | '/')
                        ) =>
                {
                    self.at += found.len_utf8();
                }
                _ if self.lenient && matches!(wanted, ',' | '.') => {}
                _ => return Err(Mismatch),
            }
        }
        Ok(())
    }

    fn number(&mut self, most: usize) -> Result<(i64, usize), Mismatch> {
        self.skip_space();
        let zero = self.language.zero as u32;
        let (mut number, mut count) = (0i64, 0);
        let mut negative = false;
        if self.rest().starts_with('-') {
            negative = true;
            self.at += 1;
        }
        while count < most
            && let Some(character) = self.rest().chars().next()
        {
            let own = (character as u32)
                .checked_sub(zero)
                .filter(|&digit| digit < 10);
            let Some(digit) = own.or_else(|| character.to_digit(10)) else {
                break;
            };
            number = number.saturating_mul(10).saturating_add(digit.into());
            count += 1;
            self.at += character.len_utf8();
        }
        match count {
            0 => Err(Mismatch),
            count => Ok((if negative { -number } else { number }, count)),
        }
    }

    /// The one of some names that the text goes on with, the longest if there are more.
    fn name(&mut self, names: impl Iterator<Item = (String, i64)>) -> Option<i64> {
        self.skip_space();
        let rest = self.rest().to_lowercase();
        let fits =
            names.filter(|(name, _)| !name.is_empty() && rest.starts_with(&name.to_lowercase()));
        let (name, value) = fits.max_by_key(|(name, _)| name.len())?;
        // Letters that are of another length when they are small are rare, and taken for what they were.
        let count = name.chars().count();
        self.at += self
            .rest()
            .chars()
            .take(count)
            .map(char::len_utf8)
            .sum::<usize>();
        Some(value)
    }

    fn named(
        &mut self,
        count: i64,
        first: i64,
        name: fn(&str, bool, Width, i64) -> String,
    ) -> Result<i64, Mismatch> {
        let locale = self.language.locale.clone();
        let widths = [Width::Wide, Width::Abbreviated, Width::Short];
        let all = widths
            .into_iter()
            .flat_map(|width| [(width, false), (width, true)]);
        let names = all.flat_map(|(width, alone)| {
            let locale = locale.clone();
            (first..first + count).map(move |value| (name(&locale, alone, width, value), value))
        });
        self.name(names).ok_or(Mismatch)
    }

    fn set(&mut self, field: usize, value: i64) {
        self.calendar.set(field, value);
    }

    fn field(&mut self, letter: char, count: usize, touches: bool) -> Result<(), Mismatch> {
        let digits = if touches { count } else { 20 };
        match letter {
            'G' => {
                let locale = self.language.locale.clone();
                let names = [Width::Wide, Width::Abbreviated, Width::Narrow].into_iter();
                let names = names
                    .flat_map(|width| [0, 1].map(|era| (symbols::era(&locale, width, era), era)));
                let era = self.name(names).ok_or(Mismatch)?;
                self.set(ERA, era);
            }
            'y' | 'Y' | 'u' | 'r' | 'U' => {
                let (mut year, found) = self.number(digits)?;
                if count == 2 && found == 2 && letter != 'u' {
                    year = full_year(year);
                }
                let field = match letter {
                    'Y' => YEAR_WOY,
                    'u' | 'r' => EXTENDED_YEAR,
                    _ => YEAR,
                };
                self.set(field, year);
            }
            'M' | 'L' if count > 2 => {
                let month = match self.named(12, 0, symbols::month) {
                    Ok(month) => month,
                    Err(Mismatch) if self.lenient => self.number(digits)?.0 - 1,
                    Err(Mismatch) => return Err(Mismatch),
                };
                self.set(MONTH, month);
            }
            'M' | 'L' => {
                let month = self.number(digits)?.0;
                self.set(MONTH, month - 1);
            }
            'Q' | 'q' if count > 2 => {
                let quarter = self.named(4, 0, symbols::quarter)?;
                self.set(MONTH, quarter * 3);
            }
            'Q' | 'q' => {
                let quarter = self.number(digits)?.0;
                self.set(MONTH, (quarter - 1) * 3);
            }
            'E' | 'e' | 'c' if letter == 'E' || count > 2 => {
                let day = self.named(7, 1, symbols::weekday)?;
                self.set(DAY_OF_WEEK, day);
            }
            'a' | 'b' | 'B' => {
                let locale = self.language.locale.clone();
                let widths = [Width::Wide, Width::Abbreviated, Width::Narrow].into_iter();
                let names = widths.flat_map(|width| {
                    [0, 1].map(|half| (symbols::half_day(&locale, width, half), half))
                });
                let half = self.name(names).ok_or(Mismatch)?;
                self.set(AM_PM, half);
            }
            'h' => {
                let hour = self.number(digits)?.0;
                self.set(HOUR, if hour == 12 { 0 } else { hour });
            }
            'k' => {
                let hour = self.number(digits)?.0;
                self.set(HOUR_OF_DAY, if hour == 24 { 0 } else { hour });
            }
            'S' => {
                let (mut number, mut found) = self.number(digits)?;
                while found < 3 {
                    number *= 10;
                    found += 1;
                }
                while found > 3 {
                    number /= 10;
                    found -= 1;
                }
                self.set(MILLISECOND, number);
            }
            'z' | 'Z' | 'O' | 'v' | 'V' | 'X' | 'x' => return self.zone(),
            letter => {
                let field = match letter {
                    'w' => WEEK_OF_YEAR,
                    'W' => WEEK_OF_MONTH,
                    'd' => DATE,
                    'D' => DAY_OF_YEAR,
                    'F' => DAY_OF_WEEK_IN_MONTH,
                    'g' => JULIAN_DAY,
                    'e' | 'c' => DOW_LOCAL,
                    'H' => HOUR_OF_DAY,
                    'K' => HOUR,
                    'm' => MINUTE,
                    's' => SECOND,
                    'A' => MILLISECONDS_IN_DAY,
                    _ => return Ok(()),
                };
                let value = self.number(digits)?.0;
                self.set(field, value);
            }
        }
        Ok(())
    }

    /// A zone: an offset, a name of a zone, or one of the names that it has in the language.
    fn zone(&mut self) -> Result<(), Mismatch> {
        self.skip_space();
        let rest = self.rest();
        if rest.starts_with('Z') {
            self.at += 1;
            self.set_offset(0);
            return Ok(());
        }
        for prefix in ["GMT", "UTC", "UT", ""] {
            let Some(behind) = rest.strip_prefix(prefix) else {
                continue;
            };
            if let Some((offset, length)) = offset(behind) {
                self.at += prefix.len() + length;
                self.set_offset(offset);
                return Ok(());
            }
            if !prefix.is_empty()
                && !behind.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '/')
            {
                self.at += prefix.len();
                self.set_offset(0);
                return Ok(());
            }
        }
        let length =
            rest.find(|next: char| !(next.is_ascii_alphanumeric() || "/_+-".contains(next)));
        let id = &rest[..length.unwrap_or(rest.len())];
        let zone = IcuZone::of(id);
        if zone.id == id {
            self.at += id.len();
            self.calendar.zone = zone;
            return Ok(());
        }
        let found = crate::intl::zone::names::find(rest, &self.calendar.zone, self.language);
        let Some((length, zone, is_summer)) = found else {
            return Err(Mismatch);
        };
        self.at += length;
        let now = zone.at(crate::intl::zone::now());
        let summer = if is_summer {
            now.summer.max(3_600_000)
        } else {
            0
        };
        self.calendar.set(ZONE_OFFSET, now.raw);
        self.calendar.set(DST_OFFSET, summer);
        Ok(())
    }

    fn set_offset(&mut self, offset: i64) {
        self.calendar.set(ZONE_OFFSET, offset);
        self.calendar.set(DST_OFFSET, 0);
    }
}

/// A year of two digits: at most twenty years from now.
fn full_year(year: i64) -> i64 {
    let (now, _, _) = crate::date::date_from_days((crate::intl::zone::now() / DAY) as i64);
    let start = now - 80;
    let century = start - start.rem_euclid(100);
    let full = century + year;
    if full < start { full + 100 } else { full }
}

/// `+0130`, `+01:30` or `+1` in milliseconds, and how long that is.
fn offset(text: &str) -> Option<(i64, usize)> {
    let negative = match text.chars().next()? {
        '+' => false,
        '-' => true,
        _ => return None,
    };
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[1..];
    let first = digits(rest).min(6);
    let (hours, minutes, length) = match first {
        0 => return None,
        1 | 2 => match rest[first..].strip_prefix(':') {
            Some(behind) if digits(behind) >= 2 => (
                rest[..first].parse::<i64>().ok()?,
                behind[..2].parse::<i64>().ok()?,
                first + 3,
            ),
            _ => (rest[..first].parse().ok()?, 0, first),
        },
        3 | 4 => {
            let number: i64 = rest[..first].parse().ok()?;
            (number / 100, number % 100, first)
        }
        _ => {
            let number: i64 = rest[..4].parse().ok()?;
            (number / 100, number % 100, 4)
        }
    };
    let offset = (hours * 60 + minutes) * 60_000;
    Some((if negative { -offset } else { offset }, length + 1))
}
