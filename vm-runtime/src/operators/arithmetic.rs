//! `+`, `-`, `*`, `/`, `%`, `**`.

use super::convert::{operand_long, operand_number, share_element};
use super::numeric_string::Number;
use super::store;
use super::type_names::class_or_type_name;
use crate::array::PhpArray;
use crate::class::NativeHandlers;
use crate::exceptions::KnownClass;
use crate::value::{ARRAY, ArrayHandle, DOUBLE, LONG, OBJECT, Value, ValueKind, Zval};
use crate::vm::{PhpResult, Thrown, Vm};

impl From<Number> for Zval {
    #[inline(always)]
    fn from(number: Number) -> Zval {
        match number {
            Number::Long(value) => Zval::from_long(value),
            Number::Double(value) => Zval::from_double(value),
        }
    }
}

#[inline(always)]
fn plain_number(value: &Zval) -> Option<Number> {
    match value.kind() {
        LONG => Some(Number::Long(value.long())),
        DOUBLE => Some(Number::Double(value.double())),
        _ => None,
    }
}

/// What an object among the operands makes of the operator, if it has it.
#[inline]
pub(super) fn overloaded(
    vm: &mut Vm,
    left: &Zval,
    right: &Zval,
    symbol: &'static str,
) -> Option<PhpResult<Zval>> {
    match (left.kind(), right.kind()) {
        (OBJECT, _) | (_, OBJECT) => ask_objects(vm, left, right, symbol),
        _ => None,
    }
}

/// As [`overloaded`], where a left operand that is no object must be a whole number before the right one
/// is asked.
#[inline]
pub(super) fn overloaded_right(
    vm: &mut Vm,
    left: &Zval,
    right: &Zval,
    symbol: &'static str,
) -> Option<PhpResult<Zval>> {
    // SAFETY: I3: an object payload is live.
    let has_operators = |value: &Zval| unsafe {
        value.kind() == OBJECT
            && ((*value.object()).class().handlers)
                .is_some_and(|handlers: &NativeHandlers| handlers.operate.is_some())
    };
    match (left.kind(), right.kind()) {
        (LONG, OBJECT) => ask_objects(vm, left, right, symbol),
        (OBJECT, _) if has_operators(left) => ask_objects(vm, left, right, symbol),
        (_, OBJECT) if has_operators(right) => {
            let (left, right) = (Value::share(left), Value::share(right));
            match operand_long(vm, &left) {
                Ok(Some(_)) => ask_objects(vm, &left, &right, symbol),
                Ok(None) => Some(Err(unsupported(vm, &left, &right, symbol))),
                Err(thrown) => Some(Err(thrown)),
            }
        }
        _ => None,
    }
}

#[cold]
fn ask_objects(
    vm: &mut Vm,
    left: &Zval,
    right: &Zval,
    symbol: &'static str,
) -> Option<PhpResult<Zval>> {
    let (left, right) = (Value::share(left), Value::share(right));
    for operand in [&left, &right] {
        let ValueKind::Object(object) = operand.view() else {
            continue;
        };
        let handlers = object.class().handlers;
        if let Some(operate) = handlers.and_then(|handlers| handlers.operate) {
            // Only the first is asked.
            return match operate(vm, symbol, &left, &right) {
                Ok(value) => value.map(|value| Ok(value.into_zval())),
                Err(thrown) => Some(Err(thrown)),
            };
        }
    }
    None
}

/// An operator on numbers, or what objects make of it.
#[inline(always)]
fn binary(
    vm: &mut Vm,
    result: &mut Zval,
    (left, right): (&Zval, &Zval),
    symbol: &'static str,
    apply: impl FnOnce(&mut Vm, Number, Number) -> PhpResult<Zval>,
) {
    let value = match overloaded(vm, left, right, symbol) {
        Some(value) => value,
        None => numbers(vm, left, right, symbol).and_then(|(left, right)| apply(vm, left, right)),
    };
    store(result, value);
}

/// Both operands as numbers, converted from left to right.
#[inline]
fn numbers(vm: &mut Vm, left: &Zval, right: &Zval, symbol: &str) -> PhpResult<(Number, Number)> {
    match (plain_number(left), plain_number(right)) {
        (Some(left), Some(right)) => Ok((left, right)),
        _ => converted_numbers(vm, left, right, symbol),
    }
}

#[inline(never)]
fn converted_numbers(
    vm: &mut Vm,
    left: &Zval,
    right: &Zval,
    symbol: &str,
) -> PhpResult<(Number, Number)> {
    let (left, right) = (Value::share(left), Value::share(right));
    if let Some(left_number) = operand_number(vm, &left)?
        && let Some(right_number) = operand_number(vm, &right)?
    {
        return Ok((left_number, right_number));
    }
    Err(unsupported(vm, &left, &right, symbol))
}

/// Both operands as `int`, converted from left to right.
pub(super) fn longs(vm: &mut Vm, left: &Zval, right: &Zval, symbol: &str) -> PhpResult<(i64, i64)> {
    if left.kind() == LONG && right.kind() == LONG {
        return Ok((left.long(), right.long()));
    }
    let (left, right) = (Value::share(left), Value::share(right));
    if let Some(left_long) = operand_long(vm, &left)?
        && let Some(right_long) = operand_long(vm, &right)?
    {
        return Ok((left_long, right_long));
    }
    Err(unsupported(vm, &left, &right, symbol))
}

/// Operands of types that the operator does not take. It is silent if an exception is pending: what
/// that came from made the operand what it is.
#[cold]
pub(super) fn unsupported(vm: &mut Vm, left: &Zval, right: &Zval, symbol: &str) -> Thrown {
    if !vm.exception.is_null() {
        return Thrown;
    }
    let message = format!(
        "Unsupported operand types: {} {symbol} {}",
        class_or_type_name(left),
        class_or_type_name(right)
    );
    vm.throw_error(KnownClass::TypeError, message)
}

/// An operator on two numbers: `int` unless that overflows.
#[inline(always)]
fn arithmetic(
    left: Number,
    right: Number,
    long: impl FnOnce(i64, i64) -> Option<i64>,
    double: impl FnOnce(f64, f64) -> f64,
) -> Number {
    if let (Number::Long(left), Number::Long(right)) = (left, right)
        && let Some(value) = long(left, right)
    {
        return Number::Long(value);
    }
    Number::Double(double(left.to_double(), right.to_double()))
}

/// `$left + $right`
pub fn add(vm: &mut Vm, result: &mut Zval, left: &Zval, right: &Zval) {
    let (left, right) = (left.deref(), right.deref());
    if left.kind() == ARRAY && right.kind() == ARRAY {
        // SAFETY: I3: array payloads are live.
        let (mut sum, right) = unsafe {
            (
                ArrayHandle::share_raw(left.array()),
                ArrayHandle::share_raw(right.array()),
            )
        };
        unite(vm, &mut sum, &right);
        result.set(sum.into_value().into_zval());
        return;
    }
    binary(vm, result, (left, right), "+", |_, left, right| {
        Ok(arithmetic(left, right, i64::checked_add, |left, right| left + right).into())
    });
}

/// Adds the elements of `right` whose keys `target` does not have.
pub fn unite(vm: &mut Vm, target: &mut ArrayHandle, right: &PhpArray) {
    if right.is_empty() || std::ptr::eq(&**target, right) {
        return;
    }
    // The copy of an array starts where `current()` of the empty one stood.
    if target.is_empty() && right.internal_position() == 0 && right.has_fresh_next_key() {
        // SAFETY: a borrowed array is live.
        *target = unsafe { ArrayHandle::share_raw((&raw const *right).cast_mut()) };
        return;
    }
    if target.is_empty() && !target.has_fresh_next_key() {
        let position = target.internal_position();
        *target = vm.new_array();
        target.make_mut(vm).set_internal_position(position);
    }
    let sum = target.make_mut(vm);
    for (key, value) in right.iter() {
        if sum.get(key).is_none() {
            sum.set(key, share_element(value));
        }
    }
}

/// `$left - $right`
pub fn sub(vm: &mut Vm, result: &mut Zval, left: &Zval, right: &Zval) {
    binary(
        vm,
        result,
        (left.deref(), right.deref()),
        "-",
        |_, left, right| {
            Ok(arithmetic(left, right, i64::checked_sub, |left, right| left - right).into())
        },
    );
}

/// `$left * $right`
pub fn mul(vm: &mut Vm, result: &mut Zval, left: &Zval, right: &Zval) {
    binary(
        vm,
        result,
        (left.deref(), right.deref()),
        "*",
        |_, left, right| {
            Ok(arithmetic(left, right, i64::checked_mul, |left, right| left * right).into())
        },
    );
}

/// `$left / $right`
pub fn div(vm: &mut Vm, result: &mut Zval, left: &Zval, right: &Zval) {
    binary(
        vm,
        result,
        (left.deref(), right.deref()),
        "/",
        |vm, left, right| {
            if matches!(right, Number::Long(0)) || right.to_double() == 0.0 {
                return Err(vm.throw_error(KnownClass::DivisionByZeroError, "Division by zero"));
            }
            let exact =
                |left: i64, right: i64| (left.checked_rem(right) == Some(0)).then(|| left / right);
            Ok(arithmetic(left, right, exact, |left, right| left / right).into())
        },
    );
}

/// `$left % $right`
pub fn modulus(vm: &mut Vm, result: &mut Zval, left: &Zval, right: &Zval) {
    let (left, right) = (left.deref(), right.deref());
    if let Some(value) = overloaded_right(vm, left, right, "%") {
        return store(result, value);
    }
    let remainder = longs(vm, left, right, "%").and_then(|(left, right)| {
        if right == 0 {
            return Err(vm.throw_error(KnownClass::DivisionByZeroError, "Modulo by zero"));
        }
        Ok(Zval::from_long(left.wrapping_rem(right)))
    });
    store(result, remainder);
}

/// `$left ** $right`
pub fn pow(vm: &mut Vm, result: &mut Zval, left: &Zval, right: &Zval) {
    binary(
        vm,
        result,
        (left.deref(), right.deref()),
        "**",
        |vm, base, exponent| {
            if base.to_double() == 0.0 && exponent.to_double() < 0.0 {
                vm.deprecated("Power of base 0 and negative exponent is deprecated");
                vm.check()?;
            }
            Ok(power(base, exponent).into())
        },
    );
}

/// A power of what are numbers; none if a message comes with it.
pub fn silent_power(base: &Zval, exponent: &Zval) -> Option<Zval> {
    let (base, exponent) = (plain_number(base)?, plain_number(exponent)?);
    let is_silent = base.to_double() != 0.0 || exponent.to_double() >= 0.0;
    is_silent.then(|| Zval::from(power(base, exponent)))
}

/// A power of numbers: `int` as long as it fits, by squaring.
pub fn power(base: Number, exponent: Number) -> Number {
    let (Number::Long(mut square), Number::Long(mut rest @ 0..)) = (base, exponent) else {
        return Number::Double(base.to_double().powf(exponent.to_double()));
    };
    let mut product = 1i64;
    while rest >= 1 {
        if rest % 2 != 0 {
            rest -= 1;
            match product.checked_mul(square) {
                Some(next) => product = next,
                None => {
                    let overflowed = product as f64 * square as f64;
                    return Number::Double(overflowed * (square as f64).powf(rest as f64));
                }
            }
        } else {
            rest /= 2;
            match square.checked_mul(square) {
                Some(next) => square = next,
                None => {
                    let overflowed = square as f64 * square as f64;
                    return Number::Double(product as f64 * overflowed.powf(rest as f64));
                }
            }
        }
    }
    Number::Long(product)
}
