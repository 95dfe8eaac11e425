//! What is mostly calculated: of numbers that objects hold, or integers, and that are not long.

use num_bigint::BigInt;
use vm_runtime::value::{Value, ValueKind, Zval};
use vm_runtime::vm::Vm;

use super::arithmetic;
use super::number::Number;
use super::object::{held, made, order};
use crate::support::direct;

/// Longer numbers are left to the functions, which look at limits.
const SHORT: u64 = 1 << 12;

fn plain(argument: &Zval) -> Option<Number> {
    let number = match argument.view() {
        ValueKind::Object(object) => held(object)?,
        ValueKind::Long(number) => Number::new(BigInt::from(number)),
        _ => return None,
    };
    (number.bits() < SHORT).then_some(number)
}

/// What an operator that always has a result makes of two numbers.
fn calculated(vm: &mut Vm, symbol: &'static str, left: &Zval, right: &Zval) -> Option<Value> {
    let (left, right) = (plain(left)?, plain(right)?);
    let number = arithmetic::binary(vm, symbol, &left, &right).ok()?;
    made(vm, number).ok()
}

direct! {
    pub(super) fn add_directly(vm; left: &Zval, right: &Zval) { calculated(vm, "+", left, right) }

    pub(super) fn sub_directly(vm; left: &Zval, right: &Zval) { calculated(vm, "-", left, right) }

    pub(super) fn mul_directly(vm; left: &Zval, right: &Zval) { calculated(vm, "*", left, right) }

    pub(super) fn and_directly(vm; left: &Zval, right: &Zval) { calculated(vm, "&", left, right) }

    pub(super) fn or_directly(vm; left: &Zval, right: &Zval) { calculated(vm, "|", left, right) }

    pub(super) fn xor_directly(vm; left: &Zval, right: &Zval) { calculated(vm, "^", left, right) }

    pub(super) fn compare_directly(_; left: &Zval, right: &Zval) {
        let (one, two) = (plain(left)?, plain(right)?);
        Some(i64::from(match right.view() {
            ValueKind::Long(_) => order(&one, &two),
            _ => one.cmp(&two) as i32,
        }))
    }
}
