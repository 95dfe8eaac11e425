//! Numbers as decimal digits, and how they are rounded.

use num_bigint::BigUint;
use num_traits::Zero;

/// How a number is rounded, by ICU's numbers.
pub(in crate::intl) mod rounding {
    pub(in crate::intl) const CEILING: i64 = 0;
    pub(in crate::intl) const FLOOR: i64 = 1;
    pub(in crate::intl) const DOWN: i64 = 2;
    pub(in crate::intl) const UP: i64 = 3;
    pub(in crate::intl) const HALF_EVEN: i64 = 4;
    pub(in crate::intl) const HALF_DOWN: i64 = 5;
    pub(in crate::intl) const HALF_UP: i64 = 6;
    pub(in crate::intl) const HALF_ODD: i64 = 8;
}

/// A finite number: `0.d1d2d3… * 10^point`, without zeros at either end.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::intl) struct Decimal {
    pub(in crate::intl) negative: bool,
    pub(in crate::intl) digits: Vec<u8>,
    pub(in crate::intl) point: i32,
}

impl Decimal {
    pub(in crate::intl) fn of_long(number: i64) -> Decimal {
        Decimal::of_text(&number.to_string())
    }

    /// The shortest digits that stand for a finite number.
    pub(in crate::intl) fn of_double(number: f64) -> Decimal {
        Decimal::of_text(&format!("{number:e}"))
    }

    /// A number in digits, with a point and an exponent perhaps.
    pub(in crate::intl) fn of_text(text: &str) -> Decimal {
        let (negative, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = whole
            .bytes()
            .chain(fraction.bytes())
            .map(|digit| digit - b'0')
            .collect();
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let mut decimal = Decimal {
            negative,
            digits,
            point: exponent.saturating_add(whole.len() as i32),
        };
        decimal.normalise();
        decimal
    }

    /// The nearest number of the machine.
    pub(in crate::intl) fn double(&self) -> f64 {
        let digits: String = self
            .digits
            .iter()
            .map(|digit| char::from(b'0' + digit))
            .collect();
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}0.{digits}0e{}", self.point)
            .parse()
            .unwrap_or(0.0)
    }

    fn normalise(&mut self) {
        let zeros = self.digits.iter().take_while(|&&digit| digit == 0).count();
        self.digits.drain(..zeros);
        self.point -= zeros as i32;
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.point = 0;
        }
    }

    pub(in crate::intl) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// The digit that stands for `10^power`.
    pub(in crate::intl) fn digit(&self, power: i32) -> u8 {
        let at = self.point - 1 - power;
        usize::try_from(at)
            .ok()
            .and_then(|at| self.digits.get(at).copied())
            .unwrap_or(0)
    }

    /// The power of the lowest digit that is not zero.
    pub(in crate::intl) fn lowest(&self) -> i32 {
        self.point - self.digits.len() as i32
    }

    /// All digits as a number, and the power of the last one.
    fn whole(&self) -> BigUint {
        BigUint::from_radix_be(&self.digits, 10).unwrap_or_default()
    }

    pub(in crate::intl) fn multiply(&mut self, factor: i64) {
        if factor < 0 {
            self.negative = !self.negative;
        }
        let product = self.whole() * factor.unsigned_abs();
        let lowest = self.lowest();
        self.set_whole(&product, lowest);
    }

    fn set_whole(&mut self, whole: &BigUint, lowest: i32) {
        self.digits = if whole.is_zero() {
            Vec::new()
        } else {
            whole.to_radix_be(10)
        };
        self.point = lowest + self.digits.len() as i32;
        self.normalise();
    }

    /// Rounds so that no digit stands for less than `10^power`.
    pub(in crate::intl) fn round(&mut self, power: i32, mode: i64) {
        let kept = self.point - power;
        if kept >= self.digits.len() as i32 {
            return;
        }
        let (kept, next, rest) = if kept < 0 {
            (0, 0, true)
        } else {
            let kept = kept as usize;
            (
                kept,
                self.digits[kept],
                self.digits[kept + 1..].iter().any(|&digit| digit > 0),
            )
        };
        let half = match next.cmp(&5) {
            std::cmp::Ordering::Less => std::cmp::Ordering::Less,
            std::cmp::Ordering::Equal if !rest => std::cmp::Ordering::Equal,
            _ => std::cmp::Ordering::Greater,
        };
        let is_odd = kept > 0 && self.digits[kept - 1] % 2 == 1;
        let up = goes_up(mode, self.negative, half, is_odd);
        self.digits.truncate(kept);
        if up {
            let whole = self.whole() + 1u8;
            self.set_whole(&whole, power);
        } else {
            self.normalise();
        }
    }

    /// Rounds to a multiple of `increment`, which is a number of `10^power`.
    pub(in crate::intl) fn round_to(&mut self, increment: u64, power: i32, mode: i64) {
        let lowest = self.lowest().min(power);
        let scaled =
            |number: BigUint, from: i32| number * BigUint::from(10u8).pow((from - lowest) as u32);
        let number = scaled(self.whole(), self.lowest());
        let step = scaled(BigUint::from(increment), power);
        let mut count = &number / &step;
        let rest = &number % &step;
        if !rest.is_zero() {
            let half = (rest * 2u8).cmp(&step);
            let is_odd = count.bit(0);
            if goes_up(mode, self.negative, half, is_odd) {
                count += 1u8;
            }
        }
        self.set_whole(&(count * step), lowest);
    }

    /// Rounds to so many digits.
    pub(in crate::intl) fn round_to_digits(&mut self, count: i32, mode: i64) {
        if !self.is_zero() {
            let power = self.point - count;
            self.round(power, mode);
        }
    }
}

/// Whether what is cut off adds one to what stays.
fn goes_up(mode: i64, negative: bool, half: std::cmp::Ordering, is_odd: bool) -> bool {
    use std::cmp::Ordering::{Equal, Greater};
    match mode {
        rounding::CEILING => !negative,
        rounding::FLOOR => negative,
        rounding::DOWN => false,
        rounding::UP => true,
        rounding::HALF_DOWN => half == Greater,
        rounding::HALF_UP => half != std::cmp::Ordering::Less,
        rounding::HALF_ODD => half == Greater || half == Equal && !is_odd,
        _ => half == Greater || half == Equal && is_odd,
    }
}
