//! Numbers as text: the forms of `echo`, `var_dump` and `printf`, correctly rounded.

use std::fmt::Write;

/// The decimal digits of a finite `float`: `0.d1d2d3... * 10^point`, without trailing zeros.
#[derive(Debug, Clone)]
pub struct Digits {
    small: [u8; 20],
    large: Vec<u8>,
    length: usize,
    /// Where the decimal point stands, counted from the first digit.
    pub point: i32,
    /// True for negative numbers and `-0.0`.
    pub negative: bool,
}

impl Digits {
    fn new(negative: bool) -> Digits {
        Digits {
            small: [0; 20],
            large: Vec::new(),
            length: 0,
            point: 0,
            negative,
        }
    }

    /// The digits, as ASCII; a zero has the one digit `0` and its point behind it.
    pub fn as_bytes(&self) -> &[u8] {
        if self.large.is_empty() {
            &self.small[..self.length]
        } else {
            &self.large
        }
    }

    fn push(&mut self, digit: u8) {
        if self.length < self.small.len() {
            self.small[self.length] = digit;
        } else {
            if self.large.is_empty() {
                self.large.extend_from_slice(&self.small);
            }
            self.large.push(digit);
        }
        self.length += 1;
    }

    /// Reads `d.ddd`, `ddd.0` or `d.ddde±x` as Rust and zmij print them.
    fn read(text: &str, negative: bool) -> Digits {
        let mut digits = Digits::new(negative);
        let (mantissa, exponent) = match text.split_once('e') {
            Some((mantissa, exponent)) => (mantissa, exponent.parse().unwrap_or(0)),
            None => (text, 0),
        };
        let mut point = None;
        let mut seen = 0;
        let mut leading = 0;
        for byte in mantissa.bytes() {
            match byte {
                b'0'..=b'9' => {
                    if byte == b'0' && digits.length == 0 {
                        leading += 1;
                    } else {
                        digits.push(byte);
                    }
                    seen += 1;
                }
                b'.' => point = Some(seen),
                _ => {}
            }
        }
        digits.point = point.unwrap_or(seen) - leading + exponent;
        digits.trim();
        digits
    }

    /// The first `count` of at most 20 digits, rounded by the one behind them.
    fn rounded(mut self, count: usize) -> Digits {
        let up = self.small[count] >= b'5';
        self.length = count;
        if up {
            while self.length > 0 && self.small[self.length - 1] == b'9' {
                self.length -= 1;
            }
            if self.length == 0 {
                self.small[0] = b'1';
                self.length = 1;
                self.point += 1;
                return self;
            }
            self.small[self.length - 1] += 1;
        }
        self.trim();
        self
    }

    fn trim(&mut self) {
        if self.large.is_empty() {
            while self.length > 0 && self.small[self.length - 1] == b'0' {
                self.length -= 1;
            }
        } else {
            while self.large.last() == Some(&b'0') {
                self.large.pop();
            }
            self.length = self.large.len();
        }
        if self.length == 0 {
            self.large.clear();
            self.small[0] = b'0';
            self.length = 1;
            self.point = 1;
        }
    }
}

/// The shortest digits that read back as the same finite `float`.
pub fn shortest_digits(value: f64) -> Digits {
    let mut buffer = zmij::Buffer::new();
    Digits::read(buffer.format_finite(value.abs()), value.is_sign_negative())
}

/// A fixed buffer for formatting without the heap.
struct Scratch {
    bytes: [u8; 64],
    length: usize,
}

impl Write for Scratch {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.length + text.len();
        let target = self
            .bytes
            .get_mut(self.length..end)
            .ok_or(std::fmt::Error)?;
        target.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

/// The first `precision` (at least one) significant digits of a finite `float`, correctly rounded.
pub fn significant_digits(value: f64, precision: usize) -> Digits {
    let precision = precision.clamp(1, 1100);
    let negative = value.is_sign_negative();
    let value = value.abs();
    // Up to 15 digits, the shortest form that is not longer is also the nearest. A longer one lies
    // on the same side of each middle between candidates as the number itself, because otherwise
    // the middle would be a shorter form; only one that is a middle tells nothing.
    if precision <= 15 && (value == 0.0 || value >= f64::MIN_POSITIVE) {
        let digits = shortest_digits(value);
        if digits.length <= precision {
            return Digits { negative, ..digits };
        }
        if digits.length > precision + 1 || digits.small[precision] != b'5' {
            return Digits {
                negative,
                ..digits.rounded(precision)
            };
        }
    }
    if let Some(digits) = tie_to_zero(value, precision) {
        return Digits { negative, ..digits };
    }
    let mut scratch = Scratch {
        bytes: [0; 64],
        length: 0,
    };
    if write!(scratch, "{:.*e}", precision - 1, value).is_ok() {
        let text = std::str::from_utf8(&scratch.bytes[..scratch.length]).unwrap_or("0");
        return Digits::read(text, negative);
    }
    Digits::read(&format!("{:.*e}", precision - 1, value), negative)
}

/// PHP keeps the zeros at the end in one case, which this is: a whole number below 10^15 that lies
/// in the middle between two candidates, of which the even one ends in 0.
fn tie_to_zero(value: f64, precision: usize) -> Option<Digits> {
    if value >= 1e15 || value.fract() != 0.0 || value < 10.0 || precision > 14 {
        return None;
    }
    let whole = value as u64;
    let count = whole.ilog10() as usize + 1;
    let unit = 10u64.pow(count.checked_sub(precision)? as u32);
    let kept = whole / unit;
    if whole % unit * 2 != unit || !kept.is_multiple_of(10) {
        return None;
    }
    let mut digits = Digits::new(false);
    for &digit in integer(kept as i64).as_bytes() {
        digits.push(digit);
    }
    digits.point = count as i32;
    Some(digits)
}

/// A short text on the stack.
#[derive(Debug, Clone)]
pub struct Text {
    small: [u8; 32],
    large: Vec<u8>,
    /// Where the text begins in `small`; it ends at `length`.
    start: usize,
    length: usize,
}

impl Text {
    fn new() -> Text {
        Text {
            small: [0; 32],
            large: Vec::new(),
            start: 0,
            length: 0,
        }
    }

    /// The text.
    pub fn as_bytes(&self) -> &[u8] {
        if self.large.is_empty() {
            &self.small[self.start..self.length]
        } else {
            &self.large
        }
    }

    /// The text; it is always ASCII.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or("")
    }

    fn push(&mut self, byte: u8) {
        self.append(&[byte]);
    }

    fn append(&mut self, bytes: &[u8]) {
        if !self.large.is_empty() || self.length + bytes.len() > self.small.len() {
            if self.large.is_empty() {
                self.large.extend_from_slice(&self.small[..self.length]);
            }
            self.large.extend_from_slice(bytes);
        } else {
            self.small[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        }
        self.length += bytes.len();
    }

    fn zeros(&mut self, count: usize) {
        for _ in 0..count {
            self.push(b'0');
        }
    }
}

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// `INF`, `-INF` or `NAN`, if the number is one of these.
fn not_finite(value: f64) -> Option<&'static [u8]> {
    if value.is_finite() {
        None
    } else if value.is_nan() {
        Some(b"NAN")
    } else if value > 0.0 {
        Some(b"INF")
    } else {
        Some(b"-INF")
    }
}

/// The `%G` layout of PHP: an exponent outside `10^-4 <= value < 10^precision`, written with
/// `exponent` (`b'E'` or `b'e'`).
pub fn layout_general(digits: &Digits, precision: i32, exponent: u8) -> Text {
    let mut text = Text::new();
    let bytes = digits.as_bytes();
    if digits.negative {
        text.push(b'-');
    }
    let point = digits.point;
    if point < -3 || point > precision {
        text.push(bytes[0]);
        text.push(b'.');
        text.append(if bytes.len() == 1 { b"0" } else { &bytes[1..] });
        text.push(exponent);
        text.push(if point > 0 { b'+' } else { b'-' });
        text.append(integer((point - 1).unsigned_abs().into()).as_bytes());
    } else if point <= 0 {
        text.append(b"0.");
        text.zeros(point.unsigned_abs() as usize);
        text.append(bytes);
    } else {
        let point = point as usize;
        let whole = point.min(bytes.len());
        text.append(&bytes[..whole]);
        text.zeros(point - whole);
        if whole < bytes.len() {
            text.push(b'.');
            text.append(&bytes[whole..]);
        }
    }
    text
}

/// `%.{precision}G`: the form of `echo` (precision 14) and `var_dump` (precision -1: shortest).
pub fn general(value: f64, precision: i64) -> Text {
    with_exponent(value, precision, b'E')
}

/// [`general`] of numbers neither large nor small whose shortest form has few enough digits: that form, without
/// a fraction of zero.
fn plain(value: f64, precision: i64) -> Option<Text> {
    let size = value.abs();
    if !(1e-4..1e14).contains(&size) {
        return None;
    }
    let mut buffer = zmij::Buffer::new();
    let shortest = buffer.format_finite(size).as_bytes();
    let shortest = shortest.strip_suffix(b".0").unwrap_or(shortest);
    // Beyond 15 digits the shortest form need not be the nearest.
    let most = match precision {
        ..0 => 17,
        0..=15 => precision,
        _ => return None,
    };
    if shortest.len() as i64 > most || shortest.contains(&b'e') {
        return None;
    }
    let mut text = Text::new();
    if value < 0.0 {
        text.push(b'-');
    }
    text.append(shortest);
    Some(text)
}

/// As [`general`], with another letter for the exponent: JSON writes `e`.
pub fn with_exponent(value: f64, precision: i64, exponent: u8) -> Text {
    if let Some(text) = plain(value, precision) {
        return text;
    }
    if let Some(name) = not_finite(value) {
        let mut text = Text::new();
        text.append(name);
        return text;
    }
    if precision < 0 {
        return layout_general(&shortest_digits(value), 17, exponent);
    }
    let precision = precision.clamp(1, 1100);
    layout_general(
        &significant_digits(value, precision as usize),
        precision as i32,
        exponent,
    )
}

/// The shortest form that reads back the same: `var_dump`, `serialize`, ... with
/// `serialize_precision` -1.
pub fn shortest(value: f64) -> Text {
    general(value, -1)
}

/// The shortest form, with `.0` where it would look like an integer (`var_export`).
pub fn with_fraction(value: f64, precision: i64) -> Text {
    let mut text = general(value, precision);
    if value.is_finite()
        && text
            .as_bytes()
            .iter()
            .all(|byte| matches!(byte, b'-' | b'0'..=b'9'))
    {
        text.append(b".0");
    }
    text
}

/// `%.{decimals}f`, correctly rounded (ties to even).
pub fn fixed(value: f64, decimals: usize) -> String {
    match fixed_by_integer(value, decimals) {
        Some(text) => text,
        None => format!("{value:.decimals$}"),
    }
}

/// As [`fixed`], for numbers whose digits fit an integer; nothing for others, and where the number
/// lies in the middle of two results.
fn fixed_by_integer(value: f64, decimals: usize) -> Option<String> {
    const SCALES: [f64; 16] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ];
    /// Products below have a bit left for a half.
    const LARGEST: f64 = 4503599627370496.0;
    let scale = *SCALES.get(decimals)?;
    let product = value.abs() * scale;
    if product.is_nan() || product >= LARGEST {
        return None;
    }
    // The product and this are the exact one.
    let rest = value.abs().mul_add(scale, -product);
    let below = product.floor();
    let beyond_half = (product - below - 0.5) + rest;
    if beyond_half == 0.0 {
        return None;
    }
    let digits = integer(below as i64 + i64::from(beyond_half > 0.0));
    let digits = digits.as_str();
    let mut text = String::with_capacity(digits.len() + decimals + 3);
    if value.is_sign_negative() {
        text.push('-');
    }
    let whole = digits.len().saturating_sub(decimals);
    text.push_str(if whole == 0 { "0" } else { &digits[..whole] });
    if decimals > 0 {
        text.push('.');
        text.extend(std::iter::repeat_n(
            '0',
            decimals.saturating_sub(digits.len()),
        ));
        text.push_str(&digits[whole..]);
    }
    Some(text)
}

/// A decimal integer.
#[inline]
pub fn integer(value: i64) -> Text {
    let mut text = Text::new();
    let start = write_integer(value, &mut text.small);
    text.length = text.small.len();
    text.start = start;
    text
}

/// Gives the text of a decimal integer to `use_it`.
#[inline]
pub fn with_integer<T>(value: i64, use_it: impl FnOnce(&[u8]) -> T) -> T {
    // The smallest has 20 bytes.
    let mut digits = [0; 20];
    let start = write_integer(value, &mut digits);
    use_it(&digits[start..])
}

/// Writes a decimal integer to the end of a buffer of at least 20 bytes; gives where it begins.
#[inline(always)]
fn write_integer(value: i64, digits: &mut [u8]) -> usize {
    let mut start = digits.len();
    let mut rest = value.unsigned_abs();
    while rest >= 100 {
        let pair = (rest % 100) as usize * 2;
        rest /= 100;
        start -= 2;
        digits[start..start + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    }
    if rest >= 10 {
        let pair = rest as usize * 2;
        start -= 2;
        digits[start..start + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    } else {
        start -= 1;
        digits[start] = b'0' + rest as u8;
    }
    if value < 0 {
        start -= 1;
        digits[start] = b'-';
    }
    start
}

/// The decimal digits of 0 to 99.
pub static PAIRS: [u8; 200] = {
    let mut pairs = [0; 200];
    let mut number = 0;
    while number < 100 {
        pairs[number * 2] = b'0' + (number / 10) as u8;
        pairs[number * 2 + 1] = b'0' + (number % 10) as u8;
        number += 1;
    }
    pairs
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn echo_and_var_dump() {
        let cases: &[(f64, &str, &str)] = &[
            (0.0, "0", "0"),
            (-0.0, "-0", "-0"),
            (1.0, "1", "1"),
            (-1.5, "-1.5", "-1.5"),
            (1e14, "1.0E+14", "100000000000000"),
            (1e15, "1.0E+15", "1000000000000000"),
            (1e16, "1.0E+16", "10000000000000000"),
            (1e17, "1.0E+17", "1.0E+17"),
            (
                123456789012345678.0,
                "1.2345678901235E+17",
                "1.2345678901234568E+17",
            ),
            (
                123_456_789_012_345.67,
                "1.2345678901235E+14",
                "123456789012345.67",
            ),
            (0.0001, "0.0001", "0.0001"),
            (0.00001, "1.0E-5", "1.0E-5"),
            (0.00012345, "0.00012345", "0.00012345"),
            (1.5e300, "1.5E+300", "1.5E+300"),
            (5e-324, "4.9406564584125E-324", "5.0E-324"),
            (0.1 + 0.2, "0.3", "0.30000000000000004"),
            (1.0 / 3.0, "0.33333333333333", "0.3333333333333333"),
            (100000.0, "100000", "100000"),
            (1000000000000000.5, "1.0E+15", "1000000000000000.5"),
            (f64::INFINITY, "INF", "INF"),
            (f64::NEG_INFINITY, "-INF", "-INF"),
            (f64::NAN, "NAN", "NAN"),
        ];
        for &(value, echo, dump) in cases {
            assert_eq!(general(value, 14).as_str(), echo);
            assert_eq!(shortest(value).as_str(), dump);
        }
    }

    #[test]
    fn other_precisions() {
        assert_eq!(general(0.1, 17).as_str(), "0.10000000000000001");
        assert_eq!(general(123.0, 0).as_str(), "1.0E+2");
        assert_eq!(general(0.15, 0).as_str(), "0.1");
        assert_eq!(
            general(100000000000205.0, 14).as_str(),
            "1.0000000000020E+14"
        );
        assert_eq!(
            general(123456789012305.0, 14).as_str(),
            "1.2345678901230E+14"
        );
        assert_eq!(
            general(123456789012304.0, 14).as_str(),
            "1.234567890123E+14"
        );
        assert_eq!(
            general(0.1, 40).as_str(),
            "0.1000000000000000055511151231257827021182"
        );
        assert_eq!(general(1.0 / 3.0, 5).as_str(), "0.33333");
        assert_eq!(with_fraction(1.0, 5).as_str(), "1.0");
        assert_eq!(with_fraction(1e17, 17).as_str(), "1.0E+17");
        assert_eq!(with_fraction(-0.0, -1).as_str(), "-0.0");
    }

    #[test]
    fn integers() {
        for value in [0, 7, -7, 10, 99, 100, -101, 123456789, i64::MAX, i64::MIN] {
            assert_eq!(integer(value).as_str(), value.to_string());
        }
    }
}
