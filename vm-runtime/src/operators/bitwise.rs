//! `|`, `&`, `^`, `~`, `<<`, `>>` and `xor`.

use super::arithmetic::{longs, overloaded, overloaded_right};
use super::convert::integral;
use super::store;
use super::type_names::value_name;
use crate::exceptions::KnownClass;
use crate::string::PhpString;
use crate::value::{STRING, StringHandle, ValueKind, Zval};
use crate::vm::{PhpResult, Vm};

/// Both operands, if both are strings.
fn strings<'a>(left: &'a Zval, right: &'a Zval) -> Option<(&'a [u8], &'a [u8])> {
    if left.kind() != STRING || right.kind() != STRING {
        return None;
    }
    Some((left.as_bytes()?, right.as_bytes()?))
}

fn string_value(string: StringHandle) -> Zval {
    string.into_value().into_zval()
}

/// A string made byte by byte.
fn bytewise(vm: &mut Vm, length: usize, byte: impl Fn(usize) -> u8) -> Zval {
    // SAFETY: all bytes are written before the string is used.
    unsafe {
        let string = PhpString::allocate(&mut vm.heap, length);
        let data = (*string.as_ptr()).data();
        for index in 0..length {
            *data.add(index) = byte(index);
        }
        string_value(string)
    }
}

/// `$left | $right`; of two strings byte by byte, as long as the longer one.
pub fn bitwise_or(vm: &mut Vm, result: &mut Zval, left: &Zval, right: &Zval) {
    let (left, right) = (left.deref(), right.deref());
    if let Some((left, right)) = strings(left, right) {
        let (longer, shorter) = if left.len() > right.len() {
            (left, right)
        } else {
            (right, left)
        };
        let value = bytewise(vm, longer.len(), |index| {
            longer[index] | shorter.get(index).copied().unwrap_or(0)
        });
        return result.set(value);
    }
    if let Some(value) = overloaded(vm, left, right, "|") {
        return store(result, value);
    }
    let value = longs(vm, left, right, "|").map(|(left, right)| Zval::from_long(left | right));
    store(result, value);
}

/// `$left & $right`; of two strings byte by byte, as long as the shorter one.
pub fn bitwise_and(vm: &mut Vm, result: &mut Zval, left: &Zval, right: &Zval) {
    let (left, right) = (left.deref(), right.deref());
    if let Some((left, right)) = strings(left, right) {
        let length = left.len().min(right.len());
        return result.set(bytewise(vm, length, |index| left[index] & right[index]));
    }
    if let Some(value) = overloaded(vm, left, right, "&") {
        return store(result, value);
    }
    let value = longs(vm, left, right, "&").map(|(left, right)| Zval::from_long(left & right));
    store(result, value);
}

/// `$left ^ $right`; of two strings byte by byte, as long as the shorter one.
pub fn bitwise_xor(vm: &mut Vm, result: &mut Zval, left: &Zval, right: &Zval) {
    let (left, right) = (left.deref(), right.deref());
    if let Some((left, right)) = strings(left, right) {
        let length = left.len().min(right.len());
        return result.set(bytewise(vm, length, |index| left[index] ^ right[index]));
    }
    if let Some(value) = overloaded(vm, left, right, "^") {
        return store(result, value);
    }
    let value = longs(vm, left, right, "^").map(|(left, right)| Zval::from_long(left ^ right));
    store(result, value);
}

/// `~$value`
pub fn bitwise_not(vm: &mut Vm, result: &mut Zval, value: &Zval) {
    if let Some(inverted) = overloaded(vm, value.deref(), &Zval::NULL, "~") {
        return store(result, inverted);
    }
    let inverted = match value.view() {
        ValueKind::Long(value) => Ok(Zval::from_long(!value)),
        ValueKind::Double(value) => integral(vm, value).map(|value| Zval::from_long(!value)),
        ValueKind::String(value) => Ok(bytewise(vm, value.len(), |index| !value[index])),
        _ => {
            let message = format!("Cannot perform bitwise not on {}", value_name(value));
            Err(vm.throw_error(KnownClass::TypeError, message))
        }
    };
    store(result, inverted);
}

/// Operands of a shift; the distance is not negative.
fn shift_operands(vm: &mut Vm, left: &Zval, right: &Zval, symbol: &str) -> PhpResult<(i64, u64)> {
    let (value, distance) = longs(vm, left, right, symbol)?;
    if distance < 0 {
        return Err(vm.throw_error(KnownClass::ArithmeticError, "Bit shift by negative number"));
    }
    Ok((value, distance as u64))
}

/// `$left << $right`
pub fn shift_left(vm: &mut Vm, result: &mut Zval, left: &Zval, right: &Zval) {
    let (left, right) = (left.deref(), right.deref());
    if let Some(value) = overloaded_right(vm, left, right, "<<") {
        return store(result, value);
    }
    let value = shift_operands(vm, left, right, "<<").map(|(value, distance)| {
        Zval::from_long(if distance < 64 { value << distance } else { 0 })
    });
    store(result, value);
}

/// `$left >> $right`
pub fn shift_right(vm: &mut Vm, result: &mut Zval, left: &Zval, right: &Zval) {
    let (left, right) = (left.deref(), right.deref());
    if let Some(value) = overloaded_right(vm, left, right, ">>") {
        return store(result, value);
    }
    let value = shift_operands(vm, left, right, ">>")
        .map(|(value, distance)| Zval::from_long(value >> distance.min(63)));
    store(result, value);
}

/// `$left xor $right`
pub fn boolean_xor(_vm: &mut Vm, result: &mut Zval, left: &Zval, right: &Zval) {
    result.set_bool(left.deref().to_bool() != right.deref().to_bool());
}
