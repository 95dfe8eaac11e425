//! Bytes of strings by offset.

use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::interpreter::assign::take_data;
use crate::interpreter::operand::*;
use crate::op::{IS_UNUSED, Op};
use crate::operators::numeric_string::{Number, Numeric};
use crate::string::PhpString;
use crate::value::{
    DOUBLE, FALSE, LONG, NULL, STRING, StringHandle, TRUE, UNDEF, Value, ValueKind, Zval, release,
};
use crate::vm::Vm;

/// The integer offset into a string; None after an error.
pub(super) fn string_offset(vm: &mut Vm, offset: &Zval, warn_trailing: bool) -> Option<i64> {
    let offset = offset.deref();
    match offset.kind() {
        LONG => Some(offset.long()),
        STRING => {
            let bytes = offset.as_bytes().unwrap_or_default();
            match crate::operators::numeric_string::parse(bytes) {
                Some(Numeric {
                    number: Number::Long(index),
                    whole,
                    ..
                }) => {
                    if !whole && warn_trailing {
                        vm.warning(format!(
                            "Illegal string offset \"{}\"",
                            String::from_utf8_lossy(bytes)
                        ));
                        vm.check().ok()?;
                    }
                    Some(index)
                }
                _ => {
                    illegal_string_offset(vm, offset);
                    None
                }
            }
        }
        DOUBLE | NULL | UNDEF | FALSE | TRUE => {
            vm.warning("String offset cast occurred");
            vm.check().ok()?;
            Some(crate::operators::to_long(vm, offset))
        }
        _ => {
            illegal_string_offset(vm, offset);
            None
        }
    }
}

fn illegal_string_offset(vm: &mut Vm, offset: &Zval) {
    let kind = crate::operators::class_or_type_name(offset);
    vm.throw_error(
        KnownClass::TypeError,
        format!("Cannot access offset of type {kind} on string"),
    );
}

pub(super) fn read_string_offset(
    vm: &mut Vm,
    container: &Zval,
    offset: &Zval,
    silent: bool,
) -> Zval {
    let held = Value::share(container);
    let Some(string) = held.string() else {
        return Zval::NULL;
    };
    let index = if silent {
        match silent_string_offset(vm, offset) {
            Some(index) => index,
            None => return Zval::NULL,
        }
    } else {
        match string_offset(vm, offset, true) {
            Some(index) => index,
            None => return Zval::UNDEF,
        }
    };
    match byte_at(&string, index) {
        Some(byte) => Zval::from_string(crate::string::single_byte(byte)),
        None if silent => Zval::NULL,
        None => {
            vm.warning(format!("Uninitialized string offset {index}"));
            Zval::from_string(crate::string::empty())
        }
    }
}

/// The offset of `isset($string[...])`: only what is an integer counts.
pub(super) fn silent_string_offset(vm: &mut Vm, offset: &Zval) -> Option<i64> {
    let offset = offset.deref();
    match offset.view() {
        ValueKind::Long(index) => Some(index),
        ValueKind::String(text) => match crate::operators::numeric_string::parse(text.as_bytes()) {
            Some(Numeric {
                number: Number::Long(index),
                whole: true,
                ..
            }) => Some(index),
            _ => None,
        },
        ValueKind::Null | ValueKind::Bool(_) | ValueKind::Double(_) => {
            Some(crate::operators::to_long(vm, offset))
        }
        _ => {
            illegal_string_offset(vm, offset);
            None
        }
    }
}

pub(super) fn byte_at(string: &PhpString, index: i64) -> Option<u8> {
    let index = if index < 0 {
        index.checked_add(string.len() as i64)?
    } else {
        index
    };
    string.as_bytes().get(usize::try_from(index).ok()?).copied()
}

/// `$string[offset] = value`; gives the result.
pub(super) unsafe fn assign_string_offset(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    container: *mut Zval,
) -> Zval {
    let op = &*opline;
    let data = &*opline.add(1);
    let vm_ref = &mut *vm;
    if op.op2_type == IS_UNUSED {
        vm_ref.throw_error(KnownClass::Error, "[] operator not supported for strings");
        free_operand(frame, data.op1_type, data.op1);
        return Zval::UNDEF;
    }
    let held = StringHandle::share_raw((*container).string());
    let offset = Value::share(&*read_op2(frame, opline, vm));
    let value = take_data(frame, opline, vm);
    let Some(index) = string_offset(vm_ref, &offset, true) else {
        return Zval::UNDEF;
    };
    let length = held.len() as i64;
    if index < -length {
        vm_ref.warning(format!("Illegal string offset {index}"));
        return Zval::NULL;
    }
    let Ok(text) = crate::operators::to_string(vm_ref, &value) else {
        return Zval::UNDEF;
    };
    if text.is_empty() {
        vm_ref.throw_error(
            KnownClass::Error,
            "Cannot assign an empty string to a string offset",
        );
        return Zval::NULL;
    }
    if text.len() > 1 {
        vm_ref.warning("Only the first byte will be assigned to the string offset");
        if !vm_ref.exception.is_null() {
            return Zval::UNDEF;
        }
    }
    let byte = text.as_bytes()[0];
    // The variable itself may be elsewhere by now, if it was a reference.
    let container = deref(write_op1(frame, opline));
    if (*container).kind() != STRING || (*container).string() != held.as_ptr() {
        // User code replaced the variable meanwhile.
        return Zval::NULL;
    }
    let index = if index < 0 { index + length } else { index } as usize;
    if index >= crate::string::MAXIMUM_LENGTH {
        vm_ref.fatal_error("Possible integer overflow in memory allocation");
    }
    let mut bytes = held.as_bytes().to_vec();
    drop(held);
    if index >= bytes.len() {
        bytes.resize(index + 1, b' ');
    }
    bytes[index] = byte;
    let fresh = PhpString::new(&mut vm_ref.heap, &bytes);
    let old = *container;
    (*container).set(fresh.into_value().into_zval());
    release(&old);
    Zval::from_string(crate::string::single_byte(byte))
}
