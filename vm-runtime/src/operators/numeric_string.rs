//! Which strings are numbers, and which numbers they are.
//!
//! PHP distinguishes three kinds: *numeric* strings (`"12"`, `" 1.5e3 "`), *leading-numeric* ones
//! (`"12 apples"`) and all others.

/// An `int` or a `float`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// `int`
    Long(i64),
    /// `float`
    Double(f64),
}

impl Number {
    /// The number as a `float`.
    #[inline(always)]
    pub fn to_double(self) -> f64 {
        match self {
            Number::Long(value) => value as f64,
            Number::Double(value) => value,
        }
    }
}

/// The number at the start of a string.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Numeric {
    /// The number.
    pub number: Number,
    /// True if nothing but white space follows it: the string is numeric.
    pub whole: bool,
    /// 1 or -1 if the digits of an integer are too large for `int`, else 0.
    pub overflow: i8,
}

/// The white space PHP allows around numbers.
#[inline(always)]
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// Reads the number at the start of `bytes`; `None` if there is none.
#[inline]
pub fn parse(bytes: &[u8]) -> Option<Numeric> {
    // Nearly all strings that are no numbers are told by their first byte.
    match bytes.first() {
        Some(byte) if *byte <= b'9' => parse_number(bytes),
        _ => None,
    }
}

/// The number that the whole string is, white space around it allowed.
#[inline]
pub fn parse_whole(bytes: &[u8]) -> Option<Number> {
    match parse(bytes) {
        Some(Numeric {
            number,
            whole: true,
            ..
        }) => Some(number),
        _ => None,
    }
}

/// Whether the whole string is a number, white space around it allowed.
#[inline]
pub fn is_number(bytes: &[u8]) -> bool {
    // As for [`parse`].
    bytes.first().is_some_and(|&byte| byte <= b'9') && is_whole(bytes)
}

fn is_whole(bytes: &[u8]) -> bool {
    scan(bytes).is_some_and(|scanned| scanned.whole)
}

/// Where a number stands in a string.
struct Scanned {
    /// Its first byte, which may be a sign.
    start: usize,
    /// Behind its last byte.
    end: usize,
    negative: bool,
    is_double: bool,
    /// The digits of an integer, if they fit, as a number that is not above zero.
    digits: Option<i64>,
    /// True if nothing but white space follows it.
    whole: bool,
}

/// The number that eight digits are, added up in pairs, fours and eights within one word; None if one is no digit.
#[inline(always)]
fn eight_digits(text: [u8; 8]) -> Option<i64> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(text);
    // Digits are 0x30 to 0x39: six more leaves their upper half as it is.
    let upper = |word: u64| word & (0xf0 * LOW);
    if upper(word) != 0x30 * LOW || upper(word.wrapping_add(6 * LOW)) != 0x30 * LOW {
        return None;
    }
    let digits = word & (0x0f * LOW);
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let eight = (fours * 10_000 + (fours >> 32)) & 0xffff_ffff;
    Some(eight as i64)
}

/// Finds the number at the start of `bytes`.
#[inline(always)]
fn scan(bytes: &[u8]) -> Option<Scanned> {
    let mut position = 0;
    while position < bytes.len() && is_space(bytes[position]) {
        position += 1;
    }
    let start = position;
    let negative = bytes.get(position) == Some(&b'-');
    if negative || bytes.get(position) == Some(&b'+') {
        position += 1;
    }
    let digits = position;
    // Counted below zero, where there is room for the smallest integer.
    let mut value = 0i64;
    let mut fits = true;
    let mut append = |power: i64, digits: i64| {
        let next = value.checked_mul(power);
        match next.and_then(|next| next.checked_sub(digits)) {
            Some(next) => value = next,
            None => fits = false,
        }
    };
    while let Some(eight) = bytes[position..]
        .first_chunk()
        .and_then(|text| eight_digits(*text))
    {
        append(100_000_000, eight);
        position += 8;
    }
    while let Some(digit) = bytes.get(position).map(|byte| byte.wrapping_sub(b'0'))
        && digit < 10
    {
        append(10, digit as i64);
        position += 1;
    }
    let has_digits = position > digits;
    let mut is_double = false;
    if bytes.get(position) == Some(&b'.')
        && (has_digits || bytes.get(position + 1).is_some_and(u8::is_ascii_digit))
    {
        is_double = true;
        position += 1;
        while bytes.get(position).is_some_and(u8::is_ascii_digit) {
            position += 1;
        }
    } else if !has_digits {
        return None;
    }
    if matches!(bytes.get(position), Some(b'e' | b'E')) {
        let sign = matches!(bytes.get(position + 1), Some(b'+' | b'-')) as usize;
        let mut end = position + 1 + sign;
        if bytes.get(end).is_some_and(u8::is_ascii_digit) {
            is_double = true;
            while bytes.get(end).is_some_and(u8::is_ascii_digit) {
                end += 1;
            }
            position = end;
        }
    }
    Some(Scanned {
        start,
        end: position,
        negative,
        is_double,
        digits: fits.then_some(value),
        whole: bytes[position..].iter().all(|&byte| is_space(byte)),
    })
}

fn parse_number(bytes: &[u8]) -> Option<Numeric> {
    let scanned = scan(bytes)?;
    let Scanned {
        negative,
        is_double,
        whole,
        ..
    } = scanned;
    let value = match scanned.digits {
        Some(value) if negative => Some(value),
        digits => digits.and_then(i64::checked_neg),
    };
    match value {
        Some(value) if !is_double => Some(Numeric {
            number: Number::Long(value),
            whole,
            overflow: 0,
        }),
        _ => {
            let overflow = if is_double {
                0
            } else if negative {
                -1
            } else {
                1
            };
            let number = Number::Double(read_double(&bytes[scanned.start..scanned.end]));
            Some(Numeric {
                number,
                whole,
                overflow,
            })
        }
    }
}

/// The `float` that `text`, which has the form of a number, stands for.
fn read_double(text: &[u8]) -> f64 {
    if let Some(value) = read_short(text) {
        return value;
    }
    std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0.0)
}

/// A decimal fraction of at most 15 digits. The digits as a whole number and the power of ten are exact
/// as floats, so that their quotient is rounded once only (Clinger, "How to read floating point numbers
/// accurately", 1990).
fn read_short(text: &[u8]) -> Option<f64> {
    const LONGEST: usize = 16;
    const POWERS: [f64; LONGEST] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ];
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        _ => (false, text),
    };
    if digits.len() > LONGEST {
        return None;
    }
    let mut number = 0i64;
    let mut point = None;
    for (at, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => number = number * 10 + i64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(at),
            _ => return None,
        }
    }
    let value = number as f64 / POWERS[digits.len() - 1 - point?];
    Some(if negative { -value } else { value })
}

/// `(float)$string`: the number at the start, or 0.
pub fn to_double(bytes: &[u8]) -> f64 {
    match parse(bytes).map(|numeric| numeric.number) {
        // An `int` has no negative zero.
        Some(Number::Long(0)) if bytes.trim_ascii_start().first() == Some(&b'-') => -0.0,
        Some(number) => number.to_double(),
        None => 0.0,
    }
}

/// `(int)$string`: the number at the start, or 0. Too large ones become the largest `int`.
pub fn to_long(bytes: &[u8]) -> i64 {
    match parse(bytes) {
        Some(Numeric {
            number: Number::Long(value),
            ..
        }) => value,
        Some(Numeric {
            number: Number::Double(value),
            ..
        }) => saturate(value),
        None => 0,
    }
}

/// A `float` out of a string as `int`: cut off, held at the limits; 0 if not finite.
pub fn saturate(value: f64) -> i64 {
    if value.is_finite() { value as i64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, number: Number, whole: bool) {
        let numeric = parse(text.as_bytes()).expect(text);
        assert_eq!((numeric.number, numeric.whole), (number, whole), "{text:?}");
    }

    #[test]
    fn integers() {
        check("0", Number::Long(0), true);
        check("-0", Number::Long(0), true);
        check("+5", Number::Long(5), true);
        check("00000000000000000000000012", Number::Long(12), true);
        check("\t\n 5", Number::Long(5), true);
        check("5 \x0b", Number::Long(5), true);
        check("5 x", Number::Long(5), false);
        check("5\0", Number::Long(5), false);
        check("0x1A", Number::Long(0), false);
        check("1e", Number::Long(1), false);
        check("1e+", Number::Long(1), false);
        check("9223372036854775807", Number::Long(i64::MAX), true);
        check("-9223372036854775808", Number::Long(i64::MIN), true);
        for (text, value) in [
            ("12345678", 12345678),
            ("-90817263", -90817263),
            ("1234567/", 1234567),
            ("1234567:8", 1234567),
            ("123456789012345", 123456789012345),
            ("1234567890123456", 1234567890123456),
            ("-12345678901234567", -12345678901234567),
            ("0000000000000000000000099999999", 99999999),
            ("12345678\u{b2}", 12345678),
        ] {
            let whole = text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-');
            check(text, Number::Long(value), whole);
        }
    }

    #[test]
    fn floats() {
        check("5.", Number::Double(5.0), true);
        check(".5", Number::Double(0.5), true);
        check("-.5e1", Number::Double(-5.0), true);
        check("1e5", Number::Double(1e5), true);
        check("1.5E-3 ", Number::Double(0.0015), true);
        check("1e1000", Number::Double(f64::INFINITY), true);
        check("1.5.5", Number::Double(1.5), false);
        check(
            "9223372036854775808",
            Number::Double(9223372036854775808.0),
            true,
        );
        check(
            "-9223372036854775809",
            Number::Double(-9223372036854775808.0),
            true,
        );
    }

    #[test]
    fn overflow_is_told() {
        assert_eq!(parse(b"9223372036854775808").unwrap().overflow, 1);
        assert_eq!(parse(b"-9223372036854775809").unwrap().overflow, -1);
        assert_eq!(parse(b"9223372036854775808.0").unwrap().overflow, 0);
        assert_eq!(parse(b"1").unwrap().overflow, 0);
    }

    #[test]
    fn not_numbers() {
        for text in [
            "", " ", "abc", "-", "+", ".", "-.", "- 5", "--5", ".e5", "e5", "INF", "\x005",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn casts_to_int() {
        assert_eq!(to_long(b"1e19"), i64::MAX);
        assert_eq!(to_long(b"-1e19"), i64::MIN);
        assert_eq!(to_long(b"1e1000"), 0);
        assert_eq!(to_long(b"12abc"), 12);
        assert_eq!(to_long(b"1.9e1"), 19);
        assert!(to_double(b"-0").is_sign_negative());
        assert_eq!(to_double(b"12abc"), 12.0);
    }
}
