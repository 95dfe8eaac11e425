//! The built-in simple types: what their values look like, and how they compare.

use std::cmp::Ordering;

/// What a built-in type is derived from in the end, as far as its values look different.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lexical {
    Text,
    Boolean,
    Decimal,
    /// With the least and largest value.
    Integer(Option<i128>, Option<i128>),
    Float,
    Date(&'static str),
    Duration,
    Hex,
    Base64,
    Uri,
    QualifiedName,
    Language,
    NameToken,
    Name,
    /// A name without a colon.
    PlainName,
    /// A name that no other element has.
    Id,
}

/// White space in values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Preserve,
    Replace,
    Collapse,
}

const I64: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);

/// The built-in atomic types.
pub(super) const BUILT_IN: &[(&str, Lexical)] = &[
    ("anySimpleType", Lexical::Text),
    ("string", Lexical::Text),
    ("normalizedString", Lexical::Text),
    ("token", Lexical::Text),
    ("boolean", Lexical::Boolean),
    ("decimal", Lexical::Decimal),
    ("integer", Lexical::Integer(None, None)),
    ("nonPositiveInteger", Lexical::Integer(None, Some(0))),
    ("negativeInteger", Lexical::Integer(None, Some(-1))),
    ("nonNegativeInteger", Lexical::Integer(Some(0), None)),
    ("positiveInteger", Lexical::Integer(Some(1), None)),
    ("long", Lexical::Integer(Some(I64.0), Some(I64.1))),
    (
        "int",
        Lexical::Integer(Some(-0x8000_0000), Some(0x7fff_ffff)),
    ),
    ("short", Lexical::Integer(Some(-0x8000), Some(0x7fff))),
    ("byte", Lexical::Integer(Some(-0x80), Some(0x7f))),
    (
        "unsignedLong",
        Lexical::Integer(Some(0), Some(u64::MAX as i128)),
    ),
    ("unsignedInt", Lexical::Integer(Some(0), Some(0xffff_ffff))),
    ("unsignedShort", Lexical::Integer(Some(0), Some(0xffff))),
    ("unsignedByte", Lexical::Integer(Some(0), Some(0xff))),
    ("float", Lexical::Float),
    ("double", Lexical::Float),
    ("dateTime", Lexical::Date("Y-M-DTh")),
    ("date", Lexical::Date("Y-M-D")),
    ("time", Lexical::Date("h")),
    ("gYear", Lexical::Date("Y")),
    ("gYearMonth", Lexical::Date("Y-M")),
    ("gMonth", Lexical::Date("--M")),
    ("gMonthDay", Lexical::Date("--M-D")),
    ("gDay", Lexical::Date("---D")),
    ("duration", Lexical::Duration),
    ("hexBinary", Lexical::Hex),
    ("base64Binary", Lexical::Base64),
    ("anyURI", Lexical::Uri),
    ("QName", Lexical::QualifiedName),
    ("NOTATION", Lexical::QualifiedName),
    ("language", Lexical::Language),
    ("NMTOKEN", Lexical::NameToken),
    ("Name", Lexical::Name),
    ("NCName", Lexical::PlainName),
    ("ID", Lexical::Id),
    ("IDREF", Lexical::PlainName),
    ("ENTITY", Lexical::PlainName),
];

/// The built-in lists and what is in them.
pub(super) const BUILT_IN_LISTS: &[(&str, &str)] = &[
    ("NMTOKENS", "NMTOKEN"),
    ("IDREFS", "IDREF"),
    ("ENTITIES", "ENTITY"),
];

/// What a built-in type does with white space.
pub(super) fn space_of(name: &str) -> Space {
    match name {
        "anySimpleType" | "string" => Space::Preserve,
        "normalizedString" => Space::Replace,
        _ => Space::Collapse,
    }
}

pub(super) fn normalized(value: &[u8], space: Space) -> Vec<u8> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    match space {
        Space::Preserve => value.to_vec(),
        Space::Replace => {
            let replaced = value
                .iter()
                .map(|byte| if is_space(byte) { b' ' } else { *byte });
            replaced.collect()
        }
        Space::Collapse => {
            let words = value.split(is_space).filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(&b' ')
        }
    }
}

/// Digits of a decimal number: the sign, those in front of the point and those behind it, without
/// zeros that mean nothing.
pub(super) struct Decimal<'v> {
    is_negative: bool,
    pub(super) whole: &'v [u8],
    pub(super) fraction: &'v [u8],
}

impl Decimal<'_> {
    pub(super) fn is_negative(&self) -> bool {
        self.is_negative
    }

    pub(super) fn read(value: &[u8]) -> Option<Decimal<'_>> {
        let (is_negative, digits) = match value {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] => (false, digits),
            digits => (false, digits),
        };
        let point = digits.iter().position(|&byte| byte == b'.');
        let (mut whole, mut fraction) = match point {
            Some(point) => (&digits[..point], &digits[point + 1..]),
            None => (digits, &b""[..]),
        };
        let all = whole.iter().chain(fraction);
        if whole.len() + fraction.len() == 0 || !all.clone().all(u8::is_ascii_digit) {
            return None;
        }
        while let [b'0', rest @ ..] = whole {
            whole = rest;
        }
        while let [rest @ .., b'0'] = fraction {
            fraction = rest;
        }
        Some(Decimal {
            is_negative: is_negative && whole.len() + fraction.len() > 0,
            whole,
            fraction,
        })
    }

    fn compare(&self, other: &Decimal<'_>) -> Ordering {
        let size = |number: &Decimal<'_>, against: &Decimal<'_>| {
            (number.whole.len().cmp(&against.whole.len()))
                .then_with(|| number.whole.cmp(against.whole))
                .then_with(|| number.fraction.cmp(against.fraction))
        };
        match (self.is_negative, other.is_negative) {
            (false, false) => size(self, other),
            (true, true) => size(other, self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl Lexical {
    /// Whether a value, its white space being normalised, looks like one of the type.
    pub(super) fn takes(self, value: &[u8]) -> bool {
        let text = std::str::from_utf8(value).unwrap_or("\u{1}");
        let is_plain_name =
            |text: &str| !text.contains(':') && crate::xml::parser::is_name(text.as_bytes());
        match self {
            Lexical::Text => true,
            Lexical::Boolean => matches!(value, b"true" | b"false" | b"1" | b"0"),
            Lexical::Decimal => Decimal::read(value).is_some(),
            Lexical::Integer(least, most) => {
                let is_integer = Decimal::read(value).is_some() && !value.contains(&b'.');
                let number = text.parse::<i128>();
                // What does not even fit is beyond any limit on its side.
                let number = number.unwrap_or(if text.starts_with('-') {
                    i128::MIN
                } else {
                    i128::MAX
                });
                is_integer
                    && least.is_none_or(|least| number >= least)
                    && most.is_none_or(|most| number <= most)
            }
            Lexical::Float => match text {
                "INF" | "-INF" | "NaN" => true,
                _ => {
                    let known = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
                    value.iter().all(known) && text.parse::<f64>().is_ok()
                }
            },
            Lexical::Date(shape) => moment(shape, text).is_some(),
            Lexical::Duration => is_duration(text),
            Lexical::Hex => {
                value.len().is_multiple_of(2) && value.iter().all(u8::is_ascii_hexdigit)
            }
            Lexical::Base64 => is_base64(value),
            Lexical::Uri => is_uri(value),
            Lexical::QualifiedName => match text.split_once(':') {
                Some((prefix, local)) => is_plain_name(prefix) && is_plain_name(local),
                None => is_plain_name(text),
            },
            Lexical::Language => {
                let mut parts = text.split('-');
                let first = parts.next().unwrap_or_default();
                let fits = |part: &str| (1..=8).contains(&part.len());
                fits(first)
                    && first.bytes().all(|byte| byte.is_ascii_alphabetic())
                    && parts.all(|part| {
                        fits(part) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
                    })
            }
            // With a letter in front any token of names is a name.
            Lexical::NameToken => {
                !value.is_empty() && crate::xml::parser::is_name(&[b"a", value].concat())
            }
            Lexical::Name => crate::xml::parser::is_name(value),
            Lexical::PlainName | Lexical::Id => is_plain_name(text),
        }
    }

    /// How two values of the type compare; None if there is no saying.
    pub(super) fn compare(self, one: &[u8], other: &[u8]) -> Option<Ordering> {
        let text = |value| std::str::from_utf8(value).ok();
        match self {
            Lexical::Decimal | Lexical::Integer(..) => {
                Some(Decimal::read(one)?.compare(&Decimal::read(other)?))
            }
            Lexical::Float => {
                let number = |value| text(value)?.replace("INF", "inf").parse::<f64>().ok();
                number(one)?.partial_cmp(&number(other)?)
            }
            Lexical::Date(shape) => {
                Some(moment(shape, text(one)?)?.cmp(&moment(shape, text(other)?)?))
            }
            Lexical::Boolean => {
                let truth = |value: &[u8]| matches!(value, b"true" | b"1");
                Some(truth(one).cmp(&truth(other)))
            }
            _ => (one == other).then_some(Ordering::Equal),
        }
    }

    /// The length of a value as facets count it.
    pub(super) fn length(self, value: &[u8]) -> usize {
        match self {
            Lexical::Hex => value.len() / 2,
            Lexical::Base64 => {
                let digits = value.iter().filter(|byte| !b" =".contains(byte)).count();
                digits * 3 / 4
            }
            _ => String::from_utf8_lossy(value).chars().count(),
        }
    }
}

/// A point of time in microseconds; parts that the shape does not have are those of the year 2000.
fn moment(shape: &str, text: &str) -> Option<i128> {
    let mut rest = text;
    let (mut year, mut month, mut day, mut micros) = (2000i128, 1i128, 1i128, 0i128);
    for part in shape.chars() {
        match part {
            'Y' => {
                let sign = if let Some(after) = rest.strip_prefix('-') {
                    rest = after;
                    -1
                } else {
                    1
                };
                let length = rest.bytes().take_while(u8::is_ascii_digit).count();
                if !(4..=12).contains(&length) || (length > 4 && rest.starts_with('0')) {
                    return None;
                }
                year = sign * digits(&mut rest, length)?;
                if year == 0 {
                    return None;
                }
            }
            'M' => month = digits(&mut rest, 2).filter(|month| (1..=12).contains(month))?,
            'D' => day = digits(&mut rest, 2).filter(|day| (1..=31).contains(day))?,
            'h' => {
                let hour = digits(&mut rest, 2)?;
                rest = rest.strip_prefix(':')?;
                let minute = digits(&mut rest, 2)?;
                rest = rest.strip_prefix(':')?;
                let second = digits(&mut rest, 2)?;
                let mut fraction = 0;
                if let Some(after) = rest.strip_prefix('.') {
                    let length = after.bytes().take_while(u8::is_ascii_digit).count();
                    if length == 0 {
                        return None;
                    }
                    let known = format!("{:0<6}", &after[..length.min(6)]);
                    fraction = known.parse::<i128>().ok()?;
                    rest = &after[length..];
                }
                let is_last = hour == 24;
                if hour > 24
                    || minute > 59
                    || second > 59
                    || (is_last && minute + second + fraction > 0)
                {
                    return None;
                }
                micros = ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction;
            }
            other => rest = rest.strip_prefix(other)?,
        }
    }
    if shape.contains('D') && shape.contains('M') {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let most = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if day > most {
            return None;
        }
    }
    let offset = match rest.as_bytes() {
        [] | b"Z" => 0,
        [sign @ (b'+' | b'-'), ..] => {
            let mut after = &rest[1..];
            let hours = digits(&mut after, 2)?;
            after = after.strip_prefix(':')?;
            let minutes = digits(&mut after, 2)?;
            if !after.is_empty() || hours > 14 || minutes > 59 || (hours == 14 && minutes > 0) {
                return None;
            }
            let minutes = hours * 60 + minutes;
            if *sign == b'-' { -minutes } else { minutes }
        }
        _ => return None,
    };
    let days = i128::from(crate::date::days_from_date(
        year as i64,
        month as i64,
        day as i64,
    ));
    Some((days * 1440 - offset) * 60_000_000 + micros)
}

/// So many digits at the front, which are taken away.
fn digits(rest: &mut &str, length: usize) -> Option<i128> {
    let text = rest.get(..length)?;
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    *rest = &rest[length..];
    text.parse().ok()
}

fn is_duration(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let Some(text) = text.strip_prefix('P') else {
        return false;
    };
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let fits = |mut rest: &str, units: &str| {
        let mut units = units.chars();
        while !rest.is_empty() {
            let length = rest.bytes().take_while(u8::is_ascii_digit).count();
            if length == 0 {
                return false;
            }
            rest = &rest[length..];
            let mut has_fraction = false;
            if let Some(after) = rest.strip_prefix('.') {
                let length = after.bytes().take_while(u8::is_ascii_digit).count();
                has_fraction = length > 0;
                rest = &after[length..];
                if !has_fraction {
                    return false;
                }
            }
            let Some(unit) = rest.chars().next() else {
                return false;
            };
            if !units.any(|known| known == unit) || (has_fraction && unit != 'S') {
                return false;
            }
            rest = &rest[unit.len_utf8()..];
        }
        true
    };
    fits(date, "YMD")
        && time.is_none_or(|time| !time.is_empty() && fits(time, "HMS"))
        && (!date.is_empty() || time.is_some())
}

fn is_base64(value: &[u8]) -> bool {
    let digits: Vec<u8> = value.iter().copied().filter(|&byte| byte != b' ').collect();
    let padding = digits
        .iter()
        .rev()
        .take_while(|&&byte| byte == b'=')
        .count();
    let plain = &digits[..digits.len() - padding];
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/".contains(byte);
    digits.len().is_multiple_of(4) && padding <= 2 && plain.iter().all(is_digit)
}

/// Whether it is a URI, once what may not stand in one is escaped.
fn is_uri(value: &[u8]) -> bool {
    let mut rest = value;
    while let Some(at) = memchr::memchr(b'%', rest) {
        match &rest[at + 1..] {
            [high, low, after @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                rest = after;
            }
            _ => return false,
        }
    }
    if value.iter().filter(|&&byte| byte == b'#').count() > 1 {
        return false;
    }
    // A colon in front of anything else ends a scheme.
    let end = value.iter().position(|byte| b":/?#".contains(byte));
    match end {
        Some(end) if value[end] == b':' => {
            let known = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
            end > 0 && value[0].is_ascii_alphabetic() && value[..end].iter().all(known)
        }
        _ => true,
    }
}
