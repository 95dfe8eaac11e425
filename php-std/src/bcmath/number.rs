//! Decimal numbers of any length: an integer and how many of its digits are a fraction.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{Pow, Signed, Zero};

use crate::support::apart;

/// A decimal number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decimal {
    /// The digits, with those of the fraction.
    pub(super) digits: BigInt,
    /// Digits of the fraction.
    pub(super) scale: usize,
}

/// Ways of rounding, named as PHP's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    HalfAwayFromZero,
    HalfTowardsZero,
    HalfEven,
    HalfOdd,
    TowardsZero,
    AwayFromZero,
    NegativeInfinity,
    PositiveInfinity,
}

/// Numbers of so many digits may take long: they are calculated with on a thread of their own, so that
/// limits end the script meanwhile.
const LONG: usize = 20_000;

/// Calculates with copies of some numbers, apart if they and the result have many digits.
macro_rules! watched {
    ($digits:expr, [$($name:ident),*], $work:expr) => {
        if $digits < LONG {
            $work
        } else {
            $(let $name = $name.clone();)*
            apart(move || $work)
        }
    };
}

/// 10 to some power.
fn ten(power: usize) -> BigInt {
    Pow::pow(BigInt::from(10), power)
}

impl Decimal {
    /// The number that text stands for: a sign, digits, a point, digits. A zero byte ends the text.
    pub(super) fn parse(text: &[u8]) -> Option<Decimal> {
        let text = &text[..memchr::memchr(0, text).unwrap_or(text.len())];
        let (negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let point = memchr::memchr(b'.', digits);
        let (whole, fraction) = match point {
            Some(point) => (&digits[..point], &digits[point + 1..]),
            None => (digits, &b""[..]),
        };
        if !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
            return None;
        }
        let all = [whole, fraction].concat();
        let digits = if all.is_empty() {
            BigInt::zero()
        } else {
            watched!(all.len(), [all], BigInt::parse_bytes(&all, 10))?
        };
        Some(Decimal {
            digits: if negative { -digits } else { digits },
            scale: fraction.len(),
        })
    }

    /// The digits as those of a number with more of a fraction.
    fn scaled(&self, scale: usize) -> BigInt {
        let (digits, places) = (&self.digits, scale - self.scale);
        watched!(self.length() + places, [digits], digits * ten(places))
    }

    fn times_ten(&self, power: usize) -> Decimal {
        Decimal {
            digits: self.scaled(self.scale + power),
            scale: 0,
        }
    }

    /// About as many digits as it has.
    fn length(&self) -> usize {
        self.digits.bits() as usize / 3
    }

    /// The number with another length of its fraction, cut off or filled with zeros.
    pub(super) fn with_scale(&self, scale: usize) -> Decimal {
        let digits = if scale >= self.scale {
            self.scaled(scale)
        } else {
            // Division cuts towards zero.
            let (digits, places) = (&self.digits, self.scale - scale);
            watched!(self.length() + places, [digits], digits / ten(places))
        };
        Decimal { digits, scale }
    }

    /// The number without zeros at its end, but with at least `scale` digits behind the point.
    pub(super) fn trimmed(&self, scale: usize) -> Decimal {
        let digits = self.digits.magnitude();
        let text = watched!(self.length(), [digits], digits.to_string());
        let zeros = text.bytes().rev().take_while(|&byte| byte == b'0').count();
        let kept = match self.is_zero() {
            true => scale,
            false => scale.max(self.scale.saturating_sub(zeros)),
        };
        self.with_scale(kept.min(self.scale))
    }

    fn aligned(&self, other: &Decimal) -> (BigInt, BigInt, usize) {
        let scale = self.scale.max(other.scale);
        (self.scaled(scale), other.scaled(scale), scale)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_zero()
    }

    pub(super) fn is_negative(&self) -> bool {
        self.digits.is_negative()
    }

    pub(super) fn is_integer(&self) -> bool {
        let (digits, scale) = (&self.digits, self.scale);
        scale == 0
            || watched!(
                self.length() + scale,
                [digits],
                (digits % ten(scale)).is_zero()
            )
    }

    /// The part in front of the point.
    pub(super) fn whole(&self) -> BigInt {
        self.with_scale(0).digits
    }

    pub(super) fn add(&self, other: &Decimal) -> Decimal {
        let (one, two, scale) = self.aligned(other);
        Decimal {
            digits: one + two,
            scale,
        }
    }

    pub(super) fn subtract(&self, other: &Decimal) -> Decimal {
        let (one, two, scale) = self.aligned(other);
        Decimal {
            digits: one - two,
            scale,
        }
    }

    pub(super) fn multiply(&self, other: &Decimal) -> Decimal {
        Decimal {
            digits: {
                let (one, two) = (&self.digits, &other.digits);
                watched!(self.length() + other.length(), [one, two], one * two)
            },
            scale: self.scale + other.scale,
        }
    }

    /// The quotient, cut off behind `scale` digits; the divisor is not 0.
    pub(super) fn divide(&self, other: &Decimal, scale: usize) -> Decimal {
        let (one, two, _) = self.aligned(other);
        let length = self.length() + other.length() + scale;
        let digits = watched!(length, [one, two], one * ten(scale) / two);
        Decimal { digits, scale }
    }

    /// Whole quotient and remainder; the divisor is not 0.
    pub(super) fn divide_with_rest(&self, other: &Decimal) -> (Decimal, Decimal) {
        let (one, two, scale) = self.aligned(other);
        let length = self.length() + other.length();
        let (quotient, rest) = watched!(length, [one, two], one.div_rem(&two));
        (
            Decimal {
                digits: quotient,
                scale: 0,
            },
            Decimal {
                digits: rest,
                scale,
            },
        )
    }

    /// A whole power that is not negative.
    pub(super) fn power(&self, exponent: u32) -> Decimal {
        let (digits, length) = (
            &self.digits,
            self.length().saturating_mul(exponent as usize),
        );
        Decimal {
            digits: watched!(length, [digits], Pow::pow(digits, exponent)),
            scale: self.scale * exponent as usize,
        }
    }

    /// The square root, cut off behind `scale` digits, of a number that is not negative.
    pub(super) fn square_root(&self, scale: usize) -> Decimal {
        let wanted = 2 * scale.max(self.scale.div_ceil(2));
        let digits = self.with_scale(wanted).digits;
        let digits = watched!(self.length() + wanted, [digits], digits.sqrt());
        Decimal {
            digits,
            scale: wanted / 2,
        }
        .with_scale(scale)
    }

    /// Compares two numbers.
    pub(super) fn compare(&self, other: &Decimal) -> std::cmp::Ordering {
        let (one, two, _) = self.aligned(other);
        one.cmp(&two)
    }

    /// The number rounded to some digits behind the point, or in front of it if negative.
    pub(super) fn round(&self, places: i64, rounding: Rounding) -> Decimal {
        let dropped = self.scale as i64 - places;
        if dropped <= 0 {
            return self.with_scale(places.max(0) as usize);
        }
        let (digits, length) = (&self.digits, self.length() + dropped as usize);
        let (mut quotient, rest, unit) = watched!(length, [digits], {
            let unit = ten(dropped as usize);
            let (quotient, rest) = digits.div_rem(&unit);
            (quotient, rest, unit)
        });
        let twice = rest.abs() * 2u32;
        let is_negative = self.digits.sign() == Sign::Minus;
        let goes_away = !rest.is_zero()
            && match rounding {
                Rounding::TowardsZero => false,
                Rounding::AwayFromZero => true,
                Rounding::NegativeInfinity => is_negative,
                Rounding::PositiveInfinity => !is_negative,
                _ => match (twice.cmp(&unit), rounding) {
                    (std::cmp::Ordering::Less, _) => false,
                    (std::cmp::Ordering::Greater, _) => true,
                    (_, Rounding::HalfAwayFromZero) => true,
                    (_, Rounding::HalfTowardsZero) => false,
                    (_, Rounding::HalfEven) => quotient.is_odd(),
                    (_, _) => quotient.is_even(),
                },
            };
        if goes_away {
            quotient += if is_negative { -1 } else { 1 };
        }
        if places >= 0 {
            return Decimal {
                digits: quotient,
                scale: places as usize,
            };
        }
        Decimal {
            digits: quotient,
            scale: 0,
        }
        .times_ten(places.unsigned_abs() as usize)
    }

    /// The number as text, with exactly `scale` digits behind the point. Zero has no sign.
    pub(super) fn text(&self, scale: usize) -> String {
        let number = self.with_scale(scale);
        let digits = number.digits.magnitude();
        let digits = watched!(number.length(), [digits], digits.to_string());
        // Widths of formats end at 65,535.
        let zeros = "0".repeat((scale + 1).saturating_sub(digits.len()));
        let digits = zeros + &digits;
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        let sign = if number.is_negative() { "-" } else { "" };
        if scale == 0 {
            format!("{sign}{whole}")
        } else {
            format!("{sign}{whole}.{fraction}")
        }
    }
}
