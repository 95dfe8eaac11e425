//! Array literals: INIT_ARRAY, ADD_ARRAY_*.

use crate::array::{KeyRef, PhpArray};
use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::interpreter::array_keys::{KeyUse, array_key, next_key_taken};
use crate::interpreter::assign::{free_write_operand, take_operand};
use crate::interpreter::operand::*;
use crate::op::{ELEMENT_BY_REFERENCE, IS_CV, IS_UNUSED, IS_VAR, Op};
use crate::value::{ARRAY, ArrayHandle, OBJECT, Value, ValueKind, make_reference, release};
use crate::vm::{Thrown, Vm};

/// How far the number of elements stands above the flags in extended_value of INIT_ARRAY.
pub const SIZE: u32 = 2;

/// INIT_ARRAY.
pub unsafe fn init_array(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let size = (op.extended_value >> SIZE) as usize;
    let array = PhpArray::with_capacity(&mut (*vm).heap, size);
    *result(frame, opline) = array.into_value().into_zval();
    if op.op1_type == IS_UNUSED {
        return opline.add(1);
    }
    add_element(frame, opline, vm);
    next(frame)
}

/// ADD_ARRAY_ELEMENT.
pub unsafe fn add_array_element(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    add_element(frame, opline, vm);
    next(frame)
}

unsafe fn add_element(frame: *mut Frame, opline: *const Op, vm: *mut Vm) {
    let op = &*opline;
    let by_reference =
        op.extended_value & ELEMENT_BY_REFERENCE != 0 && op.op1_type & (IS_VAR | IS_CV) != 0;
    let value = if by_reference {
        let variable = write_op1(frame, opline);
        make_reference(&mut (*vm).heap, variable);
        let value = (*variable).share();
        if op.op1_type == IS_VAR {
            free_write_operand(frame, opline);
        }
        value
    } else {
        take_operand(frame, opline, vm, op.op1_type, op.op1)
    };
    let array = (*result(frame, opline)).array();
    if op.op2_type == IS_UNUSED {
        match (*array).slot_next() {
            Some(slot) => (*slot).set(value),
            None => {
                release(&value);
                next_key_taken(&mut *vm);
            }
        }
        return;
    }
    let offset = read_op2(frame, opline, vm);
    match array_key(&mut *vm, &*offset, KeyUse::Access) {
        Ok(key) => (*array).set(key, Value::from_zval(value)),
        Err(Thrown) => release(&value),
    }
    free_op2(frame, opline);
}

/// ADD_ARRAY_UNPACK: `[...$values]`.
pub unsafe fn add_array_unpack(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let source = read_op1(frame, opline, vm);
    let target = (*result(frame, opline)).array();
    match (*source).kind() {
        ARRAY => {
            let held = ArrayHandle::share_raw((*source).array());
            if (*target).has_next_keys(held.len()) {
                (*target).merge_from(&held);
                free_op1(frame, opline);
                return next(frame);
            }
            for (key, value) in held.iter() {
                // A reference that somebody else has, too, stays one.
                let value = crate::operators::convert::share_element(value);
                match key {
                    KeyRef::String(_) => (*target).set(key, value),
                    KeyRef::Long(_) => {
                        if (*target).push(value).is_err() {
                            next_key_taken(&mut *vm);
                            break;
                        }
                    }
                }
            }
        }
        OBJECT if (*(*frame).function).is_expression() => {
            (*vm).throw_error(
                KnownClass::Error,
                "Only arrays can be unpacked in constant expression",
            );
        }
        OBJECT if super::iteration::is_unpacked(&*source) => {
            let held = Value::share(&*source);
            let scope = (*(*frame).function).scope;
            let append = &mut |vm: &mut Vm, key: Value, value: Value| {
                let value = Value::share(&value);
                match key.deref().view() {
                    ValueKind::Long(_) => (*target).push(value).map_err(|_| next_key_taken(vm)),
                    ValueKind::String(name) if is_numeric_key(name) => {
                        (*target).push(value).map_err(|_| next_key_taken(vm))
                    }
                    ValueKind::String(name) => {
                        (*target).set_string(name, value);
                        Ok(())
                    }
                    _ => Err(vm.throw_error(
                        KnownClass::Error,
                        "Keys must be of type int|string during array unpacking",
                    )),
                }
            };
            let _ = super::iteration::for_each_unpacked(&mut *vm, &held, scope, append);
        }
        _ => {
            let kind = crate::operators::value_name(&*source);
            (*vm).throw_error(
                match (*source).kind() {
                    OBJECT => KnownClass::TypeError,
                    _ => KnownClass::Error,
                },
                format!("Only arrays and Traversables can be unpacked, {kind} given"),
            );
        }
    }
    free_op1(frame, opline);
    next(frame)
}

fn is_numeric_key(name: &crate::string::PhpString) -> bool {
    crate::array::integer_key(name.as_bytes()).is_some()
}
