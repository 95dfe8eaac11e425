//! Bytes of strings by offset.

use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::interpreter::array_keys::KeyUse;
use crate::interpreter::assign::take_data;
use crate::interpreter::dimension_writes::{defined_offset, write_offset};
use crate::interpreter::operand::*;
use crate::op::Op;
use crate::operators::numeric_string::{Number, Numeric};
use crate::string::PhpString;
use crate::value::{DOUBLE, FALSE, LONG, NULL, STRING, StringHandle, TRUE, UNDEF, Value, Zval};
use crate::vm::{Thrown, Vm};

/// The integer offset into a string; None after an error.
pub(super) fn string_offset(vm: &mut Vm, offset: &Zval, purpose: KeyUse) -> Option<i64> {
    let offset = offset.deref();
    match offset.kind() {
        LONG => Some(offset.long()),
        STRING => match leading_integer(offset.as_bytes().unwrap_or_default()) {
            Some((index, whole)) => {
                if !whole && purpose != KeyUse::Unset {
                    trailing_data(vm, offset);
                    vm.check().ok()?;
                }
                Some(index)
            }
            None => {
                illegal_string_offset(vm, offset, purpose);
                None
            }
        },
        DOUBLE | NULL | UNDEF | FALSE | TRUE => {
            vm.warning("String offset cast occurred");
            vm.check().ok()?;
            Some(crate::operators::to_long(vm, offset))
        }
        _ => {
            illegal_string_offset(vm, offset, purpose);
            None
        }
    }
}

/// The integer that a string begins with, and whether it is all of it; None for other numbers.
fn leading_integer(bytes: &[u8]) -> Option<(i64, bool)> {
    match crate::operators::numeric_string::parse(bytes)? {
        Numeric {
            number: Number::Long(index),
            whole,
            ..
        } => Some((index, whole)),
        _ => None,
    }
}

fn trailing_data(vm: &mut Vm, offset: &Zval) {
    let text = String::from_utf8_lossy(offset.as_bytes().unwrap_or_default());
    vm.warning(format!("Illegal string offset \"{text}\""));
}

fn illegal_string_offset(vm: &mut Vm, offset: &Zval, purpose: KeyUse) {
    if purpose == KeyUse::Unset {
        vm.throw_error(KnownClass::Error, "Cannot unset string offsets");
        return;
    }
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
        match coalesced_string_offset(vm, offset) {
            Some(index) => index,
            None => return Zval::NULL,
        }
    } else {
        match string_offset(vm, offset, KeyUse::Access) {
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

/// The offset of `$string[...] ?? ...`: strings that are no integers find nothing.
fn coalesced_string_offset(vm: &mut Vm, offset: &Zval) -> Option<i64> {
    let offset = offset.deref();
    match offset.kind() {
        STRING => {
            let (index, whole) = leading_integer(offset.as_bytes()?)?;
            if !whole {
                trailing_data(vm, offset);
            }
            Some(index)
        }
        LONG | DOUBLE | NULL | UNDEF | FALSE | TRUE => Some(crate::operators::to_long(vm, offset)),
        _ => {
            illegal_string_offset(vm, offset, KeyUse::Access);
            None
        }
    }
}

/// The offset of `isset($string[...])`: only what is an integer in full counts.
pub(super) fn isset_string_offset(vm: &mut Vm, offset: &Zval) -> Option<i64> {
    let offset = offset.deref();
    match offset.kind() {
        STRING => match leading_integer(offset.as_bytes()?)? {
            (index, true) => Some(index),
            _ => None,
        },
        DOUBLE => crate::operators::integral(vm, offset.double()).ok(),
        LONG | NULL | UNDEF | FALSE | TRUE => Some(crate::operators::to_long(vm, offset)),
        _ => None,
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
    let data = &*opline.add(1);
    let vm_ref = &mut *vm;
    let Some(offset) = write_offset(frame, opline, vm, container) else {
        vm_ref.throw_error(KnownClass::Error, "[] operator not supported for strings");
        free_operand(frame, data.op1_type, data.op1);
        return Zval::UNDEF;
    };
    // Warnings may run user code that changes the variable: the string is held until they are over.
    let held = StringHandle::share_raw((*container).string());
    let length = held.len() as i64;
    let index = match defined_offset(vm, offset) {
        Ok(offset) => {
            let offset = Value::share(&*offset);
            string_offset(vm_ref, &offset, KeyUse::Access)
        }
        Err(Thrown) => None,
    };
    let index = match index {
        Some(index) if index < -length => {
            vm_ref.warning(format!("Illegal string offset {index}"));
            free_operand(frame, data.op1_type, data.op1);
            return Zval::NULL;
        }
        Some(index) if index < 0 => (index + length) as usize,
        Some(index) => index as usize,
        None => {
            free_operand(frame, data.op1_type, data.op1);
            return Zval::UNDEF;
        }
    };
    let is_held = |container: *mut Zval| {
        (*container).kind() == STRING && (*container).string() == held.as_ptr()
    };
    if !is_held(deref(write_op1(frame, opline))) {
        free_operand(frame, data.op1_type, data.op1);
        return Zval::NULL;
    }
    let value = take_data(frame, opline, vm);
    let Ok(text) = crate::operators::to_string(vm_ref, &value) else {
        return Zval::UNDEF;
    };
    // The variable itself may be elsewhere by now, if it was a reference.
    if !is_held(deref(write_op1(frame, opline))) {
        return Zval::NULL;
    }
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
    let container = deref(write_op1(frame, opline));
    if !is_held(container) {
        return Zval::NULL;
    }
    if index >= crate::string::MAXIMUM_LENGTH {
        vm_ref.fatal_error("Possible integer overflow in memory allocation");
    }
    drop(held);
    let byte = text.as_bytes()[0];
    set_byte(vm_ref, container, index, byte);
    Zval::from_string(crate::string::single_byte(byte))
}

/// Sets a byte of the string in `container`, in place if it has no other owner; a longer string
/// is filled with spaces.
unsafe fn set_byte(vm: &mut Vm, container: *mut Zval, index: usize, byte: u8) {
    // The variable's share moves here until it is written back.
    let mut string = StringHandle::from_raw((*container).string());
    (*container).set(Zval::NULL);
    let length = string.len();
    let wanted = length.max(index + 1);
    if !string.is_unique() {
        let copy = PhpString::allocate(&mut vm.heap, wanted);
        crate::string::copy_bytes(string.as_bytes(), (*copy.as_ptr()).data());
        string = copy;
    } else if wanted > length {
        string = string.resize(wanted);
    }
    let bytes = (*string.as_ptr()).data();
    if wanted > length {
        bytes.add(length).write_bytes(b' ', wanted - length);
    }
    *bytes.add(index) = byte;
    (*string.as_ptr()).forget_hash();
    (*container).set(string.into_value().into_zval());
}
