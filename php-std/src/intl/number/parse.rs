//! Reading numbers.

use super::format::Format;
use super::symbols::*;

/// A number that was read, and how many bytes it has.
#[derive(Debug, Clone, Copy)]
pub(in crate::intl) struct Parsed {
    pub(in crate::intl) number: f64,
    /// If it is a whole number.
    pub(in crate::intl) whole: Option<i64>,
    pub(in crate::intl) length: usize,
}

/// How a number is read.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::intl) struct Reading {
    /// Nothing behind the point.
    pub(in crate::intl) only_whole: bool,
    /// Groups may have other lengths than they should.
    pub(in crate::intl) is_lenient: bool,
}

/// How far reading came, if there is no number.
#[derive(Debug, Clone, Copy)]
pub(in crate::intl) struct Failed(pub(in crate::intl) usize);

fn is_ignored(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// The rest behind a sign, if that stands there. Signs that look alike are one.
fn skip<'t>(text: &'t str, wanted: &str) -> Option<&'t str> {
    let mut rest = text;
    let mut wanted = wanted
        .chars()
        .filter(|&character| !is_ignored(character))
        .peekable();
    while let Some(expected) = wanted.peek().copied() {
        let found = rest.chars().next()?;
        rest = &rest[found.len_utf8()..];
        if is_ignored(found) {
            continue;
        }
        if !is_same(found, expected) {
            return None;
        }
        wanted.next();
    }
    Some(rest)
}

fn is_same(one: char, other: char) -> bool {
    let kind = |character| match character {
        '-' | '−' | '‐' | '‑' | '–' | '—' | '﹣' | '－' => '-',
        '+' | '＋' => '+',
        '%' | '٪' | '％' => '%',
        ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' => ' ',
        '’' | '\'' => '\'',
        character => character,
    };
    kind(one) == kind(other)
}

/// What stands between groups wherever people read.
const SEPARATORS: &[char] = &[
    '\'', '’', ' ', '\u{a0}', '\u{202f}', '\u{2003}', '\u{2009}', '\u{3000}', '\u{66c}',
];

fn is_comma(character: char) -> bool {
    matches!(character, ',' | '，' | '\u{66b}')
}

fn is_full_stop(character: char) -> bool {
    matches!(character, '.' | '．')
}

/// What stands between groups and in front of fractions.
struct Marks<'f> {
    group: &'f str,
    point: &'f str,
    /// What stood between the first two groups, which stands between all others.
    used: Option<char>,
}

impl Marks<'_> {
    fn has_comma(&self) -> bool {
        self.point.chars().next().is_some_and(is_comma)
    }

    /// The rest behind what separates groups.
    fn behind_group<'t>(&mut self, rest: &'t str) -> Option<&'t str> {
        let next = rest.chars().next()?;
        let own = skip(rest, self.group);
        let fits = match self.used {
            Some(used) => is_same(used, next),
            None => {
                let is_other = match self.has_comma() {
                    true => is_full_stop(next),
                    false => is_comma(next),
                };
                own.is_some() || is_other || SEPARATORS.contains(&next)
            }
        };
        if !fits {
            return None;
        }
        self.used = Some(next);
        own.or_else(|| Some(&rest[next.len_utf8()..]))
    }

    /// The rest behind what stands in front of a fraction.
    fn behind_point<'t>(&self, rest: &'t str) -> Option<&'t str> {
        skip(rest, self.point).or_else(|| {
            let next = rest.chars().next()?;
            let fits = match self.has_comma() {
                true => is_comma(next),
                false => is_full_stop(next),
            };
            fits.then(|| &rest[next.len_utf8()..])
        })
    }
}

/// The digit that a character is, of any script.
fn digit(character: char, zero: char) -> Option<u8> {
    let of = |zero: u32| {
        (character as u32)
            .checked_sub(zero)
            .filter(|&value| value < 10)
    };
    let known = [zero as u32, '0' as u32].into_iter().find_map(of);
    // Scripts in which people count, by their noughts.
    const OTHERS: &[u32] = &[
        0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6,
        0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0xff10,
    ];
    known
        .or_else(|| OTHERS.iter().find_map(|&zero| of(zero)))
        .map(|value| value as u8)
}

impl Format {
    /// The number at the start of a text.
    pub(in crate::intl) fn parse(
        &self,
        text: &str,
        reading: Reading,
        code: &str,
    ) -> Result<Parsed, Failed> {
        let (positive, negative) = (self.affixes(false, code), self.affixes(true, code));
        let mut furthest = 0;
        // What has the longer prefix is tried first.
        let mut ways = [(false, &positive), (true, &negative)];
        if negative.0.len() > positive.0.len() {
            ways.reverse();
        }
        let mut found: Option<(Parsed, bool)> = None;
        for (is_negative, (prefix, suffix)) in ways {
            let Some(rest) = skip(text, prefix) else {
                continue;
            };
            furthest = furthest.max(text.len() - rest.len());
            let Some((mut parsed, rest)) = self.digits(rest, reading) else {
                continue;
            };
            furthest = furthest.max(text.len() - rest.len());
            let Some(rest) = skip(rest, suffix) else {
                continue;
            };
            parsed.length = text.len() - rest.len();
            if found
                .as_ref()
                .is_none_or(|(known, _)| known.length < parsed.length)
            {
                found = Some((parsed, is_negative));
            }
        }
        let Some((mut parsed, is_negative)) = found else {
            return Err(Failed(furthest));
        };
        if is_negative {
            parsed.number = -parsed.number;
            parsed.whole = parsed.whole.map(i64::wrapping_neg);
        }
        if self.settings.multiplier != 1 && self.settings.multiplier != 0 {
            parsed.number /= self.settings.multiplier as f64;
            parsed.whole = parsed
                .whole
                .filter(|whole| whole % self.settings.multiplier == 0);
            parsed.whole = parsed.whole.map(|whole| whole / self.settings.multiplier);
        }
        Ok(parsed)
    }

    fn affixes(&self, negative: bool, code: &str) -> (String, String) {
        let mut shown = self.clone();
        shown.currency = code.to_owned();
        shown.shown_affixes(negative)
    }

    /// Digits, with groups, a point and an exponent.
    fn digits<'t>(&self, text: &'t str, reading: Reading) -> Option<(Parsed, &'t str)> {
        let whole = |number: f64, rest| {
            let parsed = Parsed {
                number,
                whole: None,
                length: 0,
            };
            Some((parsed, rest))
        };
        if let Some(rest) = skip(text, &self.symbols[NAN]) {
            return whole(f64::NAN, rest);
        }
        if let Some(rest) = skip(text, &self.symbols[INFINITY]) {
            return whole(f64::INFINITY, rest);
        }
        let zero = self.symbols[ZERO].chars().next().unwrap_or('0');
        let is_money = self.has_currency();
        let (group, point) = match is_money {
            true => (&self.symbols[MONEY_GROUP], &self.symbols[MONEY_DECIMAL]),
            false => (&self.symbols[GROUP], &self.symbols[DECIMAL]),
        };
        let mut marks = Marks {
            group,
            point,
            used: None,
        };
        let follows = |text: &str| {
            let next = text.chars().next();
            next.is_some_and(|next| digit(next, zero).is_some())
        };
        let mut number = String::new();
        let mut rest = text;
        // How many digits stand in each group.
        let mut groups = vec![0];
        // What stands in front of the last separator: the text behind it, and how many digits.
        let mut before: Option<(&str, usize)> = None;
        loop {
            let mut characters = rest.chars();
            match characters.next() {
                Some(character) if is_ignored(character) => rest = characters.as_str(),
                Some(character) => match digit(character, zero) {
                    Some(digit) => {
                        number.push(char::from(b'0' + digit));
                        *groups.last_mut()? += 1;
                        rest = characters.as_str();
                    }
                    None => {
                        if !self.settings.is_grouped || (number.is_empty() && !reading.is_lenient) {
                            break;
                        }
                        let mut behind = marks.behind_group(rest);
                        while reading.is_lenient
                            && let Some(next) = behind.and_then(|text| marks.behind_group(text))
                        {
                            behind = Some(next);
                        }
                        let Some(behind) = behind.filter(|text| follows(text)) else {
                            break;
                        };
                        // One digit alone is no group.
                        if groups.len() > 1 && groups.last() == Some(&1) && reading.is_lenient {
                            break;
                        }
                        before = Some((rest, number.len()));
                        groups.push(0);
                        rest = behind;
                    }
                },
                None => break,
            }
        }
        let mut ends_early = false;
        if !reading.is_lenient {
            if !self.fits(&groups) {
                return None;
            }
        } else if groups.last() == Some(&1)
            && let Some((text, length)) = before
        {
            rest = text;
            number.truncate(length);
            ends_early = true;
        }
        let mut is_whole = true;
        if !reading.only_whole
            && !ends_early
            && let Some(mut behind) = marks.behind_point(rest)
        {
            let mut fraction = String::new();
            while let Some(found) = behind.chars().next().and_then(|next| digit(next, zero)) {
                fraction.push(char::from(b'0' + found));
                behind = &behind[behind.chars().next().map_or(0, char::len_utf8)..];
            }
            if !fraction.is_empty() || !number.is_empty() {
                is_whole = fraction.bytes().all(|digit| digit == b'0');
                number.push('.');
                number.push_str(&fraction);
                rest = behind;
            }
        }
        if number.trim_matches('.').is_empty() {
            return None;
        }
        if let Some((exponent, behind)) = self.exponent(rest, zero) {
            number.push_str(&format!("e{exponent}"));
            rest = behind;
            is_whole = is_whole && exponent >= 0;
        }
        if number.starts_with('.') {
            number.insert(0, '0');
        }
        let value: f64 = number
            .replace(".e", ".0e")
            .trim_end_matches('.')
            .parse()
            .ok()?;
        let exact = number
            .split(['.', 'e'])
            .next()
            .and_then(|digits| digits.parse().ok());
        let whole = match number.contains('e') {
            true => (value.abs() < 9e15).then_some(value as i64),
            false => exact,
        };
        let parsed = Parsed {
            number: value,
            whole: whole.filter(|_| is_whole),
            length: 0,
        };
        Some((parsed, rest))
    }

    /// True if all groups are as long as they should be.
    fn fits(&self, groups: &[i32]) -> bool {
        let [first, middle @ .., last] = groups else {
            return true;
        };
        let near = self.settings.group;
        let far = if self.settings.further_group > 0 {
            self.settings.further_group
        } else {
            near
        };
        *last == near && *first <= far && middle.iter().all(|&count| count == far)
    }

    fn exponent<'t>(&self, text: &'t str, zero: char) -> Option<(i32, &'t str)> {
        let sign = &self.symbols[EXPONENT];
        let rest = skip(text, sign).or_else(|| skip(text, &sign.to_lowercase()))?;
        let (negative, mut rest) = match skip(rest, &self.symbols[MINUS]) {
            Some(rest) => (true, rest),
            None => (false, skip(rest, &self.symbols[PLUS]).unwrap_or(rest)),
        };
        let mut exponent: Option<i32> = None;
        while let Some(next) = rest.chars().next()
            && let Some(found) = digit(next, zero)
        {
            let grown = exponent.unwrap_or(0).saturating_mul(10);
            exponent = Some(grown.saturating_add(found.into()));
            rest = &rest[next.len_utf8()..];
        }
        let exponent = exponent?;
        Some((if negative { -exponent } else { exponent }, rest))
    }
}
