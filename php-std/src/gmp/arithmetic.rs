//! What operators and functions calculate alike.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::number::{Number, reserve, watched};

/// The error of a division by zero.
pub(super) fn by_zero(vm: &mut Vm, what: &str) -> Thrown {
    vm.throw_error(KnownClass::DivisionByZeroError, format!("{what} by zero"))
}

/// An operator that is told by its symbol. Quotients are cut off, remainders not negative.
pub(super) fn binary(
    vm: &mut Vm,
    symbol: &'static str,
    left: &Number,
    right: &Number,
) -> PhpResult<BigInt> {
    match symbol {
        "/" if right.is_zero() => return Err(by_zero(vm, "Division")),
        "%" if right.is_zero() => return Err(by_zero(vm, "Modulo")),
        _ => {}
    }
    let (bits, size) = (left.bits() + right.bits(), left.bits().max(right.bits()));
    reserve(vm, if symbol == "*" { bits } else { size })?;
    let linear = matches!(symbol, "+" | "-" | "|" | "&" | "^");
    // What takes time in proportion to the length needs no watching.
    let bits = if linear { 0 } else { bits };
    Ok(watched(
        bits,
        [left, right],
        move |[left, right]| match symbol {
            "+" => left + right,
            "-" => left - right,
            "*" => left * right,
            "/" => left / right,
            "%" => left.mod_floor(&right.abs()),
            "|" => left | right,
            "&" => left & right,
            _ => left ^ right,
        },
    ))
}

/// A power.
pub(super) fn power(vm: &mut Vm, base: &Number, exponent: u64) -> PhpResult<BigInt> {
    if base.magnitude().is_one() || base.is_zero() {
        let zero = base.is_zero() && exponent == 0;
        return Ok(if zero || exponent.is_multiple_of(2) && !base.is_zero() {
            BigInt::one()
        } else {
            (**base).clone()
        });
    }
    let bits = base.bits().saturating_mul(exponent);
    reserve(vm, bits)?;
    Ok(watched(bits, [base], move |[base]| {
        // Powers of two are only moved.
        let zeros = base.trailing_zeros().unwrap_or(0);
        let odd: BigInt = base >> zeros;
        num_traits::Pow::pow(&odd, exponent) << (zeros * exponent)
    }))
}

/// A product with a power of two.
pub(super) fn shift_left(vm: &mut Vm, number: &Number, count: u64) -> PhpResult<BigInt> {
    if number.is_zero() {
        return Ok(BigInt::zero());
    }
    reserve(vm, number.bits().saturating_add(count))?;
    Ok(&**number << count)
}

/// How a quotient is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    Zero,
    Up,
    Down,
}

/// Quotient and remainder; the divisor is not 0.
pub(super) fn divide(
    vm: &mut Vm,
    left: &Number,
    right: &Number,
    rounding: Rounding,
) -> PhpResult<(BigInt, BigInt)> {
    let bits = left.bits() + right.bits();
    reserve(vm, bits)?;
    Ok(watched(
        bits,
        [left, right],
        move |[left, right]| match rounding {
            Rounding::Zero => left.div_rem(right),
            Rounding::Down => left.div_mod_floor(right),
            Rounding::Up => {
                let (quotient, remainder) = left.div_mod_floor(right);
                if remainder.is_zero() {
                    (quotient, remainder)
                } else {
                    (quotient + 1, remainder - right)
                }
            }
        },
    ))
}
