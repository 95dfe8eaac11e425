//! Reading values of settings.

use crate::operators::numeric_string::is_space;

/// What a word without quotes stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// `on`, `yes`, `true`: 1.
    Yes,
    /// `off`, `no`, `none`, `false`: nothing.
    No,
    /// `null`: nothing.
    Null,
}

/// What a word without quotes stands for, in any case; none if that is itself.
pub fn parse_word(word: &[u8]) -> Option<Word> {
    const WORDS: [(Word, &[&[u8]]); 3] = [
        (Word::Yes, &[b"true", b"on", b"yes"]),
        (Word::No, &[b"false", b"off", b"no", b"none"]),
        (Word::Null, &[b"null"]),
    ];
    let is_one_of = |words: &[&[u8]]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
    let known = WORDS.iter().find(|(_, words)| is_one_of(words));
    known.map(|(stands_for, _)| *stands_for)
}

/// `on`, `yes`, `true` in any case, or a number other than 0.
pub fn parse_bool(value: &[u8]) -> bool {
    parse_word(value) == Some(Word::Yes) || parse_long(value) != 0
}

/// The decimal integer at the start, or 0 (`atol`).
pub fn parse_long(value: &[u8]) -> i64 {
    let start = value
        .iter()
        .position(|&byte| !is_space(byte))
        .unwrap_or(value.len());
    let (negative, digits) = match &value[start..] {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let magnitude =
        digits
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .fold(0i64, |number, byte| {
                number
                    .saturating_mul(10)
                    .saturating_add((byte - b'0') as i64)
            });
    if negative { -magnitude } else { magnitude }
}

/// A number of bytes with an optional `K`, `M` or `G`, and what is wrong with it.
pub fn parse_quantity(value: &[u8]) -> (i64, Option<String>) {
    let trimmed = trim(value);
    let shown = escaped(value);
    if trimmed.is_empty() {
        return (0, None);
    }
    let (negative, unsigned) = match trimmed {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let no_digits = || {
        let message = format!(
            "Invalid quantity \"{shown}\": no valid leading digits, \
             interpreting as \"0\" for backwards compatibility"
        );
        (0, Some(message))
    };
    if !unsigned.first().is_some_and(u8::is_ascii_digit) {
        return no_digits();
    }
    let (radix, digits) = match unsigned {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', b'o' | b'O', rest @ ..] => (8, rest),
        [b'0', b'b' | b'B', rest @ ..] => (2, rest),
        [b'0', rest @ ..] if rest.first().is_some_and(u8::is_ascii_digit) => (8, rest),
        rest => (10, rest),
    };
    let count = digits
        .iter()
        .take_while(|byte| (**byte as char).is_digit(radix))
        .count();
    if count == 0 {
        return no_digits();
    }
    let mut overflow = false;
    let magnitude = digits[..count].iter().fold(0u64, |number, byte| {
        let digit = (*byte as char).to_digit(radix).unwrap_or(0) as u64;
        match number
            .checked_mul(radix as u64)
            .and_then(|number| number.checked_add(digit))
        {
            Some(number) => number,
            None => {
                overflow = true;
                u64::MAX
            }
        }
    });
    overflow |= i64::try_from(magnitude).is_err() && !(negative && magnitude == 1 << 63);
    let number = if negative {
        (magnitude as i64).wrapping_neg()
    } else {
        magnitude as i64
    };
    let rest = trim(&digits[count..]);
    let leading = value.iter().take_while(|&&byte| is_space(byte)).count();
    let before = |rest: &[u8]| &value[..leading + trimmed.len() - rest.len()];
    let Some(&last) = rest.last() else {
        return (number, overflow.then(|| out_of_range(&shown)));
    };
    let factor: i64 = match last {
        b'k' | b'K' => 1 << 10,
        b'm' | b'M' => 1 << 20,
        b'g' | b'G' => 1 << 30,
        _ => {
            let message = format!(
                "Invalid quantity \"{shown}\": unknown multiplier \"{}\", interpreting as \
                 \"{}\" for backwards compatibility",
                escaped(&[last]),
                escaped(before(rest)),
            );
            return (number, Some(message));
        }
    };
    let scaled = number.wrapping_mul(factor);
    if rest.len() > 1 {
        let message = format!(
            "Invalid quantity \"{shown}\", interpreting as \"{}{}\" for backwards compatibility",
            escaped(before(rest)),
            last as char,
        );
        return (scaled, Some(message));
    }
    overflow |= number.checked_mul(factor).is_none();
    (scaled, overflow.then(|| out_of_range(&shown)))
}

/// Bytes that cannot be printed are shown as escapes.
fn escaped(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    crate::exceptions::trace::escape(&mut text, bytes);
    crate::message::text(&text).into_owned()
}

fn out_of_range(shown: &str) -> String {
    format!(
        "Invalid quantity \"{shown}\": value is out of range, \
         using overflow result for backwards compatibility"
    )
}

fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = bytes
        && is_space(*first)
    {
        bytes = rest;
    }
    while let [rest @ .., last] = bytes
        && is_space(*last)
    {
        bytes = rest;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities() {
        for (text, expected) in [
            ("", 0),
            ("128M", 128 << 20),
            (" 1 k ", 1024),
            ("1g", 1 << 30),
            ("0x10", 16),
            ("010", 8),
            ("0b11K", 3072),
            ("-1", -1),
            ("0", 0),
        ] {
            assert_eq!(
                parse_quantity(text.as_bytes()),
                (expected, None),
                "{text:?}"
            );
        }
    }

    #[test]
    fn invalid_quantities() {
        let invalid = |text: &str| {
            let (number, message) = parse_quantity(text.as_bytes());
            (number, message.unwrap())
        };
        assert_eq!(
            invalid("1Gx"),
            (
                1,
                "Invalid quantity \"1Gx\": unknown multiplier \"x\", interpreting as \"1\" for \
                 backwards compatibility"
                    .into()
            )
        );
        assert_eq!(
            invalid("1xK"),
            (
                1024,
                "Invalid quantity \"1xK\", interpreting as \"1K\" for backwards compatibility"
                    .into()
            )
        );
        assert!(invalid("K").1.contains("no valid leading digits"));
    }

    #[test]
    fn booleans() {
        for text in ["1", "on", "On", "YES", "true", "-3", " 2"] {
            assert!(parse_bool(text.as_bytes()), "{text:?}");
        }
        for text in ["", "0", "off", "no", "false", "none", "x"] {
            assert!(!parse_bool(text.as_bytes()), "{text:?}");
        }
    }
}
