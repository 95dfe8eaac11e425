//! Whole numbers of any length: their text, and calculating with them within limits.

use std::sync::Arc;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{Signed, ToPrimitive, Zero};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::apart;

/// A number as objects hold it: shared with work on other threads.
pub(super) type Number = Arc<BigInt>;

/// From so many bits on, work is done on a thread of its own, so that limits end the script meanwhile.
const LONG: u64 = 1 << 16;
/// Longer numbers are refused whatever the memory limit is.
const LONGEST: u64 = 1 << 35;

/// Ends the script if a result of so many bits, and what is needed to calculate it, is more than its
/// memory holds.
pub(super) fn reserve(vm: &mut Vm, bits: u64) -> PhpResult<()> {
    let size = usize::try_from(bits / 8).unwrap_or(usize::MAX);
    if size > 1 << 14 {
        vm.heap.check_limit(size.saturating_mul(4), size);
    }
    if bits > LONGEST {
        return Err(vm.throw_error(KnownClass::Error, "The number is too large"));
    }
    Ok(())
}

/// Calculates with numbers; apart from the script if `bits`, those of operands and result, are many.
pub(super) fn watched<const COUNT: usize, T: Send + 'static>(
    bits: u64,
    numbers: [&Number; COUNT],
    work: impl FnOnce([&BigInt; COUNT]) -> T + Send + 'static,
) -> T {
    if bits < LONG {
        return work(numbers.map(|number| &**number));
    }
    let numbers = numbers.map(Arc::clone);
    apart(move || work(std::array::from_fn(|index| &*numbers[index])))
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// The value of a digit; above base 36 upper case comes before lower case.
fn digit(byte: u8, base: u32) -> Option<u8> {
    let value = match byte {
        b'0'..=b'9' => byte - b'0',
        b'A'..=b'Z' => byte - b'A' + 10,
        b'a'..=b'z' if base <= 36 => byte - b'a' + 10,
        b'a'..=b'z' => byte - b'a' + 36,
        _ => return None,
    };
    (u32::from(value) < base).then_some(value)
}

/// The number that text stands for in a base, or in base 0 by its prefix: white space and what
/// follows a NUL do not count, and a prefix may stand before the sign or behind it.
pub(super) fn parse(text: &[u8], mut base: u32) -> Option<BigInt> {
    let length = memchr::memchr(0, text).unwrap_or(text.len());
    let mut text = text[..length].trim_ascii_start();
    while let [byte, rest @ ..] = text
        && is_space(*byte)
    {
        text = rest;
    }
    if let [b'0', letter, rest @ ..] = text {
        let prefixed = match letter {
            b'x' | b'X' => 16,
            b'o' | b'O' => 8,
            b'b' | b'B' => 2,
            _ => 0,
        };
        if prefixed != 0 && (base == 0 || base == prefixed) {
            (base, text) = (prefixed, rest);
        }
    }
    while let [byte, rest @ ..] = text
        && is_space(*byte)
    {
        text = rest;
    }
    let negative = text.first() == Some(&b'-');
    text = &text[usize::from(negative)..];
    digit(*text.first()?, if base == 0 { 10 } else { base })?;
    if base == 0 {
        (base, text) = match text {
            [b'0', b'x' | b'X', rest @ ..] => (16, rest),
            [b'0', b'b' | b'B', rest @ ..] => (2, rest),
            [b'0', rest @ ..] => (8, rest),
            _ => (10, text),
        };
    }
    if base == 10
        && let Some(magnitude) = short_decimal(text)
    {
        return Some(BigInt::from(if negative { -magnitude } else { magnitude }));
    }
    let digits = text.iter().filter(|byte| !is_space(**byte));
    let digits: Vec<u8> = digits
        .map(|byte| digit(*byte, base))
        .collect::<Option<_>>()?;
    if digits.is_empty() {
        return Some(BigInt::zero());
    }
    let convert = move || BigUint::from_radix_be(&digits, base);
    let magnitude = match length as u64 * 4 {
        ..LONG => convert(),
        _ => apart(convert),
    }?;
    Some(BigInt::from_biguint(
        if negative { Sign::Minus } else { Sign::Plus },
        magnitude,
    ))
}

/// The number that some digits stand for, if they are few and nothing else.
fn short_decimal(digits: &[u8]) -> Option<i128> {
    /// So many digits fit into a word.
    const PART: usize = 18;
    if digits.len() > 2 * PART || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let word = |digits: &[u8]| {
        let digits = digits.iter().map(|digit| u64::from(digit - b'0'));
        digits.fold(0, |number, digit| number * 10 + digit)
    };
    let (high, low) = digits.split_at(digits.len().saturating_sub(PART));
    let high = i128::from(word(high)) * i128::from(10u64.pow(PART as u32));
    Some(high + i128::from(word(low)))
}

/// The text of a number in a base from 2 to 62, or with capital letters from -36 to -2.
pub(super) fn text(vm: &mut Vm, number: &Number, base: i64) -> PhpResult<Vec<u8>> {
    let radix = base.unsigned_abs() as u32;
    if base == 10
        && let Some(number) = number.to_i128()
    {
        return Ok(number.to_string().into_bytes());
    }
    // No digit takes less than a bit.
    reserve(
        vm,
        number.bits().saturating_mul(8) / u64::from(radix.ilog2()),
    )?;
    let (sign, mut digits) = watched(number.bits(), [number], move |[number]| {
        number.to_radix_be(radix)
    });
    for digit in &mut digits {
        *digit = match *digit {
            value @ 0..10 => b'0' + value,
            value @ 10..36 if !(0..=36).contains(&base) => b'A' + value - 10,
            value @ 10..36 => b'a' + value - 10,
            value => b'a' + value - 36,
        };
    }
    if sign == Sign::Minus {
        digits.insert(0, b'-');
    }
    Ok(digits)
}

/// The number as `int`: its low bits, with its sign.
pub(super) fn to_long(number: &BigInt) -> i64 {
    const MASK: u64 = i64::MAX as u64;
    let low = number.magnitude().iter_u64_digits().next().unwrap_or(0);
    match number.sign() {
        Sign::Minus => -1 - (low.wrapping_sub(1) & MASK) as i64,
        _ => (low & MASK) as i64,
    }
}

/// The number as `float`, cut off.
pub(super) fn to_double(number: &BigInt) -> f64 {
    let bits = number.bits();
    let cut = bits.saturating_sub(f64::MANTISSA_DIGITS.into());
    let magnitude = number.magnitude() >> cut;
    let exponent = i32::try_from(cut).unwrap_or(i32::MAX);
    // Both factors are exact, and so is the product unless it is infinite.
    let double = magnitude.to_f64().unwrap_or(f64::INFINITY) * 2f64.powi(exponent);
    if number.is_negative() {
        -double
    } else {
        double
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbers() {
        let cases: &[(&str, u32, Option<i64>)] = &[
            ("12", 0, Some(12)),
            (" 1 2 ", 10, Some(12)),
            ("-0x1A", 0, Some(-26)),
            ("0x-5", 0, Some(-5)),
            ("010", 0, Some(8)),
            ("0b11", 0, Some(3)),
            ("0o17", 8, Some(15)),
            ("1\u{0}2", 10, Some(1)),
            ("zZ", 62, Some(61 * 62 + 35)),
            ("zZ", 36, Some(35 * 36 + 35)),
            ("", 0, None),
            ("0x", 0, None),
            ("+5", 10, None),
            ("12", 2, None),
        ];
        for &(text, base, value) in cases {
            assert_eq!(
                parse(text.as_bytes(), base),
                value.map(BigInt::from),
                "{text:?}"
            );
        }
    }

    #[test]
    fn conversions_cut_off() {
        let number = |text: &str| parse(text.as_bytes(), 10).unwrap();
        assert_eq!(
            to_long(&number("99999999999999999999")),
            7766279631452241919
        );
        assert_eq!(
            to_long(&number("-99999999999999999999")),
            -7766279631452241919
        );
        assert_eq!(to_long(&number("-9223372036854775808")), i64::MIN);
        assert_eq!(
            to_double(&number("99999999999999999999")),
            9.999999999999998e19
        );
        assert_eq!(to_double(&(BigInt::from(-1) << 2000)), f64::NEG_INFINITY);
    }
}
