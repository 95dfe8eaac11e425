//! What functions on arrays compile to: ARRAY_KEY_EXISTS, IN_ARRAY, COUNT.

use crate::array::PhpArray;
use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::interpreter::array_keys::{KeyUse, array_key};
use crate::interpreter::operand::*;
use crate::interpreter::variables::finish_boolean;
use crate::object::array_access;
use crate::op::Op;
use crate::value::{ARRAY, ArrayHandle, LONG, OBJECT, ObjectHandle, STRING, Zval};
use crate::vm::{Thrown, Vm};

/// ARRAY_KEY_EXISTS.
pub unsafe fn array_key_exists(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let (key, subject, held) = read_both(frame, opline, vm);
    let mut found = false;
    if (*subject).kind() == ARRAY {
        // What is said about the key may run code of the script that takes the array away.
        let array = ArrayHandle::share_raw((*subject).array());
        let kind = (*key).kind();
        if matches!(kind, ARRAY | OBJECT) {
            (*vm).throw_error(
                KnownClass::TypeError,
                "Cannot access offset of type %s on array"
                    .replace("%s", &crate::operators::class_or_type_name(&*key)),
            );
        } else if let Ok(key) = array_key(&mut *vm, &*key, KeyUse::Access) {
            found = array.get(key).is_some();
        }
    } else if (*vm).exception.is_null() {
        let kind = crate::operators::value_name(&*subject);
        (*vm).throw_error(
            KnownClass::TypeError,
            format!("array_key_exists(): Argument #2 ($array) must be of type array, {kind} given"),
        );
    }
    drop(held);
    free_op2(frame, opline);
    free_op1(frame, opline);
    finish_boolean(frame, opline, found)
}

/// IN_ARRAY: op2 is a literal array whose keys are the values looked for.
pub unsafe fn in_array(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let needle = read_op1(frame, opline, vm);
    // Objects are compared by code of the script.
    let held = hold_reference(raw_op1(frame, opline));
    let table = (*constant(opline, (*opline).op2)).array();
    let strict = (*opline).extended_value != 0;
    let found = match (*needle).kind() {
        STRING => (*table).get_string(&*(*needle).string()).is_some(),
        LONG => match (*table).get_long((*needle).long()) {
            Some(_) => true,
            None => !strict && loosely_in(vm, &*table, &*needle),
        },
        _ if strict => false,
        _ => loosely_in(vm, &*table, &*needle),
    };
    drop(held);
    free_op1(frame, opline);
    finish_boolean(frame, opline, found)
}

unsafe fn loosely_in(vm: *mut Vm, table: &PhpArray, needle: &Zval) -> bool {
    table
        .iter()
        .any(|(key, _)| crate::operators::is_equal(&mut *vm, &key.to_value(), needle))
}

/// COUNT in full.
pub unsafe fn count(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let value = read_op1(frame, opline, vm);
    let target = result(frame, opline);
    match (*value).kind() {
        ARRAY => *target = Zval::from_long((*(*value).array()).len() as i64),
        OBJECT => {
            let object = ObjectHandle::share_raw((*value).object());
            match array_access::count(&mut *vm, &object) {
                Ok(Some(count)) => *target = Zval::from_long(count),
                Ok(None) => not_countable(frame, opline, vm, &*value),
                Err(Thrown) => (*target).set_undef(),
            }
        }
        _ => not_countable(frame, opline, vm, &*value),
    }
    free_op1(frame, opline);
    next(frame)
}

/// Throws the TypeError, also if an error handler has thrown because the variable is not defined.
unsafe fn not_countable(frame: *mut Frame, opline: *const Op, vm: *mut Vm, value: &Zval) {
    (*result(frame, opline)).set_undef();
    let name = if (*opline).extended_value != 0 {
        "sizeof"
    } else {
        "count"
    };
    let kind = crate::operators::value_name(value);
    (*vm).throw_error(
        KnownClass::TypeError,
        format!("{name}(): Argument #1 ($value) must be of type Countable|array, {kind} given"),
    );
}
