//! Division, remainders and powers of numbers that fit into 128 bits with all their digits.

use smallvec::SmallVec;

/// A decimal number: an integer and how many of its digits are a fraction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Short {
    is_negative: bool,
    digits: u128,
    scale: usize,
}

/// So many digits fit into 128 bits.
const MOST: usize = 38;

/// 10 to some power, if there is room for it.
fn ten(power: usize) -> Option<u128> {
    (power <= MOST).then(|| 10u128.pow(power as u32))
}

/// A number as text.
pub(super) type Shown = SmallVec<[u8; 96]>;

impl Short {
    /// The number that a text stands for, as [`super::Decimal::parse`] reads it. None if it is long, or none.
    fn of(text: &[u8]) -> Option<Short> {
        let (is_negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        if digits.len() > MOST {
            return None;
        }
        let (mut number, mut scale, mut is_behind_point) = (0u128, 0, false);
        for &byte in digits {
            match byte {
                b'0'..=b'9' => {
                    number = number * 10 + u128::from(byte - b'0');
                    scale += usize::from(is_behind_point);
                }
                b'.' if !is_behind_point => is_behind_point = true,
                _ => return None,
            }
        }
        Some(Short {
            is_negative,
            digits: number,
            scale,
        })
    }

    /// The digits as those of a number with more of a fraction.
    fn scaled(self, scale: usize) -> Option<u128> {
        self.digits.checked_mul(ten(scale - self.scale)?)
    }

    /// The number with exactly `scale` digits behind the point.
    fn text(self, scale: usize) -> Option<Shown> {
        let digits = match scale.checked_sub(self.scale) {
            Some(more) => self.digits.checked_mul(ten(more)?)?,
            None => self.digits / ten(self.scale - scale)?,
        };
        // From the last digit on, and at least one of them in front of the point.
        let (mut text, mut rest) = (Shown::new(), digits);
        while rest > u128::from(u64::MAX) {
            let mut chunk = (rest % CHUNK) as u64;
            rest /= CHUNK;
            for _ in 0..CHUNK_DIGITS {
                text.push(b'0' + (chunk % 10) as u8);
                chunk /= 10;
            }
        }
        let mut rest = rest as u64;
        while rest > 0 {
            text.push(b'0' + (rest % 10) as u8);
            rest /= 10;
        }
        while text.len() <= scale {
            text.push(b'0');
        }
        if scale > 0 {
            text.insert(scale, b'.');
        }
        if self.is_negative && digits > 0 {
            text.push(b'-');
        }
        text.reverse();
        Some(text)
    }
}

/// Digits that are written at once, and 10 to the power of their number.
const CHUNK_DIGITS: usize = 18;
const CHUNK: u128 = 1_000_000_000_000_000_000;

/// Both numbers, none of them longer than the other behind the point. None if the second one is zero.
fn aligned(one: &[u8], two: &[u8]) -> Option<(Short, Short)> {
    let (mut one, mut two) = (Short::of(one)?, Short::of(two)?);
    let scale = one.scale.max(two.scale);
    (one.digits, two.digits) = (one.scaled(scale)?, two.scaled(scale)?);
    (one.scale, two.scale) = (scale, scale);
    (two.digits > 0).then_some((one, two))
}

/// The quotient, cut off behind `scale` digits.
pub(super) fn divide(one: &[u8], two: &[u8], scale: usize) -> Option<Shown> {
    let (one, two) = aligned(one, two)?;
    let quotient = Short {
        is_negative: one.is_negative != two.is_negative,
        digits: one.digits.checked_mul(ten(scale)?)? / two.digits,
        scale,
    };
    quotient.text(scale)
}

/// What is left by a division to a whole number.
pub(super) fn remainder(one: &[u8], two: &[u8], scale: usize) -> Option<Shown> {
    let (one, two) = aligned(one, two)?;
    let rest = Short {
        digits: one.digits % two.digits,
        ..one
    };
    rest.text(scale)
}

/// A power whose exponent is whole and not negative.
pub(super) fn power(base: &[u8], exponent: &[u8], scale: usize) -> Option<Shown> {
    let (base, exponent) = (Short::of(base)?, Short::of(exponent)?);
    if exponent.scale > 0 || exponent.is_negative {
        return None;
    }
    let exponent = u32::try_from(exponent.digits).ok()?;
    let power = Short {
        is_negative: base.is_negative && exponent % 2 == 1,
        digits: base.digits.checked_pow(exponent)?,
        scale: base.scale.checked_mul(exponent as usize)?,
    };
    power.text(scale)
}

#[cfg(test)]
mod tests {
    use super::super::number::Decimal;
    use super::*;

    #[test]
    fn short_numbers_are_calculated_as_long_ones() {
        let numbers = [
            "0",
            "-0",
            "1",
            "-1",
            "+7",
            "2",
            "10",
            "0.5",
            "-.25",
            "5.",
            ".",
            "",
            "3.14159",
            "1000000",
            "12345678901234567",
            "123456789012345678",
            "1234567890123456789",
            "12345678901234567890",
            "1234567890123456789.5",
            "123456789012345678.25",
            "12345678901234567.125",
            "-98765432109876543210.0125",
            "0.0000000000000000001",
            "99999999999999999999999999999999999999",
            "0.30",
            "1e3",
            "1.2.3",
            "--1",
            "\u{0}1",
        ];
        for one in numbers {
            for two in numbers {
                for scale in [0, 1, 5, 20, 40] {
                    let Some(short) =
                        Decimal::parse(one.as_bytes()).zip(Decimal::parse(two.as_bytes()))
                    else {
                        assert_eq!(None, divide(one.as_bytes(), two.as_bytes(), scale));
                        continue;
                    };
                    let (a, b) = short;
                    let text = |shown: Option<Shown>| {
                        shown.map(|shown| String::from_utf8_lossy(&shown).into_owned())
                    };
                    if let Some(shown) = text(divide(one.as_bytes(), two.as_bytes(), scale)) {
                        assert_eq!(
                            a.divide(&b, scale).text(scale),
                            shown,
                            "{one} / {two} {scale}"
                        );
                    }
                    if let Some(shown) = text(remainder(one.as_bytes(), two.as_bytes(), scale)) {
                        let rest = a.divide_with_rest(&b).1;
                        assert_eq!(rest.text(scale), shown, "{one} % {two} {scale}");
                    }
                    if let Some(shown) = text(power(one.as_bytes(), two.as_bytes(), scale)) {
                        let exponent = two
                            .trim_end_matches('.')
                            .trim_start_matches('+')
                            .parse()
                            .unwrap_or(0);
                        assert_eq!(
                            a.power(exponent).text(scale),
                            shown,
                            "{one} ** {two} {scale}"
                        );
                    }
                }
            }
        }
    }
}
