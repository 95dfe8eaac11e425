//! What is mostly calculated: of numbers that objects hold, or integers, and that are not long.

use num_bigint::BigInt;
use num_traits::Zero;
use vm_runtime::value::{Value, ValueKind, Zval};
use vm_runtime::vm::Vm;

use super::arithmetic;
use super::number::{self, Number};
use super::object::{self, held, made, order};
use super::theory::shared;
use crate::support::direct;

/// Longer numbers are left to the functions, which look at limits.
const SHORT: u64 = 1 << 12;

/// And so are longer texts.
const SHORT_TEXT: usize = 1 << 10;

fn plain(argument: &Zval) -> Option<Number> {
    let number = match argument.view() {
        ValueKind::Object(object) => held(object)?,
        ValueKind::Long(number) => Number::new(BigInt::from(number)),
        ValueKind::String(text) if text.len() < SHORT_TEXT => shared(number::parse(text, 0)?),
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

    pub(super) fn modulo_directly(vm; left: &Zval, right: &Zval) {
        let (left, right) = (plain(left)?, plain(right)?);
        if right.is_zero() {
            return None;
        }
        let number = arithmetic::binary(vm, "%", &left, &right).ok()?;
        made(vm, number).ok()
    }

    pub(super) fn power_directly(vm; base: &Zval, exponent: i64) {
        let (base, exponent) = (plain(base)?, u64::try_from(exponent).ok()?);
        if base.bits().saturating_mul(exponent) >= SHORT {
            return None;
        }
        let number = arithmetic::power(vm, &base, exponent).ok()?;
        made(vm, number).ok()
    }

    pub(super) fn init_directly(vm; number: &Zval) {
        // An object is no number here.
        if matches!(number.view(), ValueKind::Object(_)) {
            return None;
        }
        object::object(vm, plain(number)?).ok()
    }

    pub(super) fn strval_directly(vm; number: &Zval) {
        let digits = number::text(vm, &plain(number)?, 10).ok()?;
        Some(vm.string(digits))
    }

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
