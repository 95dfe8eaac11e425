//! Number literals.

use super::Lexer;
use super::tokens::TokenKind;

/// The value of a number literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// It fits in 64 bits.
    Int(i64),
    /// It has a point or an exponent, or does not fit.
    Float(f64),
    /// An octal literal with an `8` or a `9` in it.
    Invalid,
}

/// Literals shorter than this fit in 64 bits whatever their base.
const ALWAYS_FITS: usize = 16;

impl Lexer<'_> {
    /// A number, at a digit or at a point before a digit.
    pub(super) fn number(&mut self) {
        let start = self.position;
        let mut kind = TokenKind::Integer;
        let digit: Option<fn(u8) -> bool> = match (self.peek(), self.peek_at(1) | 0x20) {
            (b'0', b'x') => Some(|byte| byte.is_ascii_hexdigit()),
            (b'0', b'b') => Some(|byte| matches!(byte, b'0' | b'1')),
            (b'0', b'o') => Some(|byte| matches!(byte, b'0'..=b'7')),
            _ => None,
        };
        if let Some(digit) = digit
            && digit(self.peek_at(2))
        {
            self.position += 2;
            self.digits(digit);
        } else {
            self.digits(|byte| byte.is_ascii_digit());
            if self.peek() == b'.' {
                kind = TokenKind::Float;
                self.position += 1;
                self.digits(|byte| byte.is_ascii_digit());
            }
            if self.peek() | 0x20 == b'e' {
                let sign = usize::from(matches!(self.peek_at(1), b'+' | b'-'));
                if self.peek_at(1 + sign).is_ascii_digit() {
                    kind = TokenKind::Float;
                    self.position += 1 + sign;
                    self.digits(|byte| byte.is_ascii_digit());
                }
            }
        }
        let text = &self.source[start..self.position];
        if kind == TokenKind::Integer && text.len() >= ALWAYS_FITS && is_too_large(text) {
            kind = TokenKind::Float;
        }
        self.push(kind, start);
    }

    /// Digits with single underscores between them.
    #[inline]
    fn digits(&mut self, digit: impl Fn(u8) -> bool) {
        if !digit(self.peek()) {
            return;
        }
        while digit(self.peek()) || (self.peek() == b'_' && digit(self.peek_at(1))) {
            self.position += 1;
        }
    }
}

/// Whether an integer literal does not fit, going by its digits before one that is none of its base.
fn is_too_large(text: &[u8]) -> bool {
    let text = match integer(text) {
        Number::Invalid => {
            let end = text.iter().position(|byte| matches!(byte, b'8' | b'9'));
            &text[..end.unwrap_or(text.len())]
        }
        Number::Float(_) => return true,
        Number::Int(_) => return false,
    };
    matches!(integer(text), Number::Float(_))
}

/// The value of an integer literal's text.
pub(crate) fn integer(text: &[u8]) -> Number {
    let (base, digits) = match text {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        [b'0', b'b' | b'B', digits @ ..] => (2, digits),
        [b'0', b'o' | b'O', digits @ ..] | [b'0', digits @ ..] => (8, digits),
        digits => (10, digits),
    };
    let mut value = Some(0i64);
    for &byte in digits {
        if byte == b'_' {
            continue;
        }
        let Some(digit) = char::from(byte).to_digit(base) else {
            return Number::Invalid;
        };
        value = value
            .and_then(|value| value.checked_mul(i64::from(base)))
            .and_then(|value| value.checked_add(i64::from(digit)));
    }
    match value {
        Some(value) => Number::Int(value),
        None if base == 10 => Number::Float(float(digits)),
        None => Number::Float(accumulate(digits, base)),
    }
}

/// The value of digits that do not fit in an integer, rounded as Zend rounds them.
///
/// It adds them up in floating point; in bases 2 and 8 it adds the byte and takes `'0'` away, two
/// roundings a digit, so that 64 binary ones are less than 2 to the 64.
fn accumulate(digits: &[u8], base: u32) -> f64 {
    let digits = digits.iter().copied().filter(|&byte| byte != b'_');
    digits.fold(0.0, |value, byte| match base {
        16 => value * 16.0 + f64::from(char::from(byte).to_digit(16).unwrap_or(0)),
        _ => value * f64::from(base) + f64::from(byte) - f64::from(b'0'),
    })
}

/// The value of a float literal's text.
pub(crate) fn float(text: &[u8]) -> f64 {
    let digits: String = text
        .iter()
        .filter(|&&byte| byte != b'_')
        .map(|&byte| char::from(byte))
        .collect();
    digits.parse().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::{Number, float, integer};

    #[test]
    fn integers_of_every_base() {
        for (text, value) in [
            ("0", 0),
            ("1_000", 1000),
            ("0xFf", 255),
            ("0b101", 5),
            ("0o17", 15),
        ] {
            assert_eq!(integer(text.as_bytes()), Number::Int(value), "{text}");
        }
        assert_eq!(integer(b"017"), Number::Int(15));
        assert_eq!(integer(b"018"), Number::Invalid);
        assert_eq!(integer(b"9223372036854775807"), Number::Int(i64::MAX));
        assert_eq!(
            integer(b"9223372036854775808"),
            Number::Float(9223372036854775808.0)
        );
        assert_eq!(
            integer(b"0xFFFFFFFFFFFFFFFF"),
            Number::Float(18446744073709551616.0)
        );
    }

    #[test]
    fn overlong_integers_round_as_in_zend() {
        let ones = [&b"0b"[..], &[b'1'; 64]].concat();
        assert_eq!(integer(&ones), Number::Float(18446744073709549568.0));
        let sevens = [&b"0o3"[..], &[b'7'; 21]].concat();
        assert_eq!(integer(&sevens), Number::Float(36893488147419099136.0));
    }

    #[test]
    fn floats() {
        assert_eq!(float(b"1_0.5e1"), 105.0);
        assert_eq!(float(b".5"), 0.5);
        assert_eq!(float(b"1."), 1.0);
    }
}
