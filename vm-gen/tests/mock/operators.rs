//! The value-form slow functions, right for integers and floats only.

use crate::value::Zval;
use crate::vm::Vm;

fn number(value: &Zval) -> f64 {
    match value.kind() {
        3 => 1.0,
        4 => value.long() as f64,
        5 => value.double(),
        _ => 0.0,
    }
}

macro_rules! arithmetic {
    ($($name:ident $checked:ident $operator:tt;)*) => {
        $(pub fn $name(vm: &mut Vm, result: &mut Zval, a: &Zval, b: &Zval) {
            vm.slow_calls += 1;
            if a.kind() == 4 && b.kind() == 4 {
                if let Some(value) = a.long().$checked(b.long()) {
                    return result.set_long(value);
                }
            }
            result.set_double(number(a) $operator number(b));
        })*
    };
}

arithmetic! {
    add checked_add +;
    sub checked_sub -;
    mul checked_mul *;
}

pub fn div(vm: &mut Vm, result: &mut Zval, a: &Zval, b: &Zval) {
    vm.slow_calls += 1;
    if number(b) == 0.0 {
        vm.throw = true;
    } else if a.kind() == 4 && b.kind() == 4 && a.long().checked_rem(b.long()) == Some(0) {
        result.set_long(a.long() / b.long());
    } else {
        result.set_double(number(a) / number(b));
    }
}

pub fn modulus(vm: &mut Vm, result: &mut Zval, a: &Zval, b: &Zval) {
    match (b.long(), a.long().checked_rem(b.long())) {
        (0, _) => vm.throw = true,
        (_, rest) => result.set_long(rest.unwrap_or(0)),
    }
}

pub fn pow(_: &mut Vm, result: &mut Zval, a: &Zval, b: &Zval) {
    result.set_double(number(a).powf(number(b)));
}

macro_rules! integer {
    ($($name:ident ($a:ident, $b:ident) $value:expr;)*) => {
        $(pub fn $name(_: &mut Vm, result: &mut Zval, $a: &Zval, $b: &Zval) {
            let ($a, $b) = ($a.long(), $b.long());
            result.set_long($value);
        })*
    };
}

integer! {
    shift_left(a, b) if (0..64).contains(&b) { a << b } else { 0 };
    shift_right(a, b) if (0..64).contains(&b) { a >> b } else { a >> 63 };
    bitwise_or(a, b) a | b;
    bitwise_and(a, b) a & b;
    bitwise_xor(a, b) a ^ b;
    concat(a, b) a.wrapping_add(b);
}

pub fn bitwise_not(_: &mut Vm, result: &mut Zval, a: &Zval) {
    result.set_long(!a.long());
}

/// `None`: one of them is not a number.
fn order(a: &Zval, b: &Zval) -> Option<std::cmp::Ordering> {
    match (a.kind(), b.kind()) {
        (4, 4) => Some(a.long().cmp(&b.long())),
        (6, 6) => Some(a.payload.cmp(&b.payload)),
        _ => number(a).partial_cmp(&number(b)),
    }
}

pub fn spaceship(_: &mut Vm, result: &mut Zval, a: &Zval, b: &Zval) {
    result.set_long(order(a, b).map_or(1, |order| order as i64));
}

pub fn boolean_xor(vm: &mut Vm, result: &mut Zval, a: &Zval, b: &Zval) {
    let value = is_true(vm, a) != is_true(vm, b);
    result.set_bool(value);
}

pub fn is_true(_: &mut Vm, a: &Zval) -> bool {
    number(a) != 0.0
}

pub fn is_identical(vm: &mut Vm, a: &Zval, b: &Zval) -> bool {
    a.kind() == b.kind() && is_equal(vm, a, b)
}

pub fn is_equal(vm: &mut Vm, a: &Zval, b: &Zval) -> bool {
    vm.slow_calls += 1;
    order(a, b).is_some_and(|order| order.is_eq())
}

pub fn is_smaller(_: &mut Vm, a: &Zval, b: &Zval) -> bool {
    order(a, b).is_some_and(|order| order.is_lt())
}

pub fn is_smaller_or_equal(_: &mut Vm, a: &Zval, b: &Zval) -> bool {
    order(a, b).is_some_and(|order| order.is_le())
}
