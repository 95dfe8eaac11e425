//! Numbers in strings and numbers as strings, by PHP's rules.

/// What a string is when it is used as a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Numeric {
    Long(i64),
    Double(f64),
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// The number a whole string is, with white space around it.
pub(crate) fn parse_numeric(bytes: &[u8]) -> Option<Numeric> {
    let (value, rest) = parse_prefix(bytes)?;
    rest.iter().all(|byte| is_space(*byte)).then_some(value)
}

/// The number a string begins with, and what follows it.
pub(crate) fn parse_prefix(bytes: &[u8]) -> Option<(Numeric, &[u8])> {
    let start = bytes.iter().position(|byte| !is_space(*byte))?;
    let bytes = &bytes[start..];
    let mut at = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let whole = digits(at);
    at += whole;
    let mut is_double = false;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        fraction = digits(at + 1);
        if whole + fraction > 0 {
            is_double = true;
            at += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + sign);
        if exponent > 0 {
            is_double = true;
            at += 1 + sign + exponent;
        }
    }
    let text = std::str::from_utf8(&bytes[..at]).ok()?;
    let rest = &bytes[at..];
    if !is_double && let Ok(value) = text.parse::<i64>() {
        return Some((Numeric::Long(value), rest));
    }
    Some((Numeric::Double(text.parse().ok()?), rest))
}

/// The integer that an array key spelt like this stands for.
pub(crate) fn integer_key(bytes: &[u8]) -> Option<i64> {
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    if digits.is_empty() || digits.len() > 19 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    if digits[0] == b'0' && bytes.len() > 1 {
        return None;
    }
    std::str::from_utf8(bytes).ok()?.parse::<i64>().ok()
}

/// A float as a string with `precision` digits, or as many as are needed if it is negative or 17.
pub(crate) fn double_to_string(value: f64, precision: i32) -> String {
    if value.is_nan() {
        return String::from("NAN");
    }
    if value.is_infinite() {
        return String::from(if value > 0.0 { "INF" } else { "-INF" });
    }
    let (limit, scientific) = if precision < 0 {
        (17, format!("{value:e}"))
    } else {
        let digits = precision.max(1);
        (digits, format!("{value:.*e}", digits as usize - 1))
    };
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let mut digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.truncate(digits.trim_end_matches('0').len().max(1));
    if exponent < -4 || exponent >= limit {
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}.{rest}E{exponent_sign}{}", exponent.abs());
    }
    if exponent < 0 {
        return format!("{sign}0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        return format!("{sign}{digits}{}", "0".repeat(whole - digits.len()));
    }
    format!("{sign}{}.{}", &digits[..whole], &digits[whole..])
}

/// A float as an integer, wrapping around as PHP's casts do.
pub(crate) fn double_to_long(value: f64) -> i64 {
    if !value.is_finite() {
        return 0;
    }
    if (-9.223_372_036_854_776e18..9.223_372_036_854_776e18).contains(&value) {
        return value as i64;
    }
    let modulus = 18_446_744_073_709_551_616.0_f64;
    let mut rest = value % modulus;
    if rest < 0.0 {
        rest += modulus;
    }
    if rest >= 9.223_372_036_854_776e18 {
        (rest - modulus) as i64
    } else {
        rest as i64
    }
}

/// Whether a float is an integer that fits.
pub(crate) fn is_long_compatible(value: f64) -> bool {
    double_to_long(value) as f64 == value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_as_strings() {
        let cases = [
            (1.5, "1.5"),
            (1e25, "1.0E+25"),
            (0.1, "0.1"),
            (1e15, "1.0E+15"),
            (123_456_789_012_345_678.0, "1.2345678901235E+17"),
            (-0.0, "-0"),
            (0.0001, "0.0001"),
            (0.00001, "1.0E-5"),
            (100_000.0, "100000"),
            (1e14, "1.0E+14"),
        ];
        for (value, text) in cases {
            assert_eq!(double_to_string(value, 14), text);
        }
        assert_eq!(double_to_string(0.1, -1), "0.1");
        assert_eq!(double_to_string(1e17, -1), "1.0E+17");
    }

    #[test]
    fn numbers_in_strings() {
        assert_eq!(parse_numeric(b" 12 "), Some(Numeric::Long(12)));
        assert_eq!(parse_numeric(b"1e3"), Some(Numeric::Double(1000.0)));
        assert_eq!(parse_numeric(b"."), None);
        assert_eq!(parse_numeric(b"1x"), None);
        assert_eq!(integer_key(b"08"), None);
        assert_eq!(integer_key(b"-8"), Some(-8));
        assert_eq!(integer_key(b"-0"), None);
    }
}
