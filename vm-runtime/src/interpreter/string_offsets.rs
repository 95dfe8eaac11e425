//! Bytes of strings by offset.

use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::interpreter::array_keys::KeyUse;
use crate::interpreter::assign::{take_data, with_held_place};
use crate::interpreter::operand::*;
use crate::op::{IS_UNUSED, Op};
use crate::operators::numeric_string::{Number, Numeric};
use crate::string::PhpString;
use crate::value::{DOUBLE, FALSE, LONG, NULL, STRING, StringHandle, TRUE, UNDEF, Value, Zval};
use crate::vm::Vm;

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
    let text = crate::message::text(offset.as_bytes().unwrap_or_default());
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
    match byte_at(string.as_bytes(), index) {
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

/// The byte of a text at an index, counted from its end if that is negative. None if it has none there.
pub fn byte_at(text: &[u8], index: i64) -> Option<u8> {
    let index = if index < 0 {
        index.checked_add(text.len() as i64)?
    } else {
        index
    };
    text.get(usize::try_from(index).ok()?).copied()
}

/// `$string[offset] = value`; gives the result. The variable is held while warnings about offset and
/// value may run user code; a string that was replaced meanwhile is not written to.
pub(super) unsafe fn assign_string_offset(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    variable: *mut Zval,
) -> Zval {
    let (op, data) = (&*opline, &*opline.add(1));
    if op.op2_type == IS_UNUSED {
        (*vm).throw_error(KnownClass::Error, "[] operator not supported for strings");
        free_operand(frame, data.op1_type, data.op1);
        return Zval::UNDEF;
    }
    let value = raw(frame, opline.add(1), data.op1_type, data.op1);
    let quiet = (*deref(raw_op2(frame, opline))).kind() == LONG
        && (*value).kind() == STRING
        && (*(*value).string()).len() == 1;
    let assign_byte = |variable: *mut Zval| {
        let replaced = |held: &StringHandle| {
            let now = deref(variable);
            let is_gone = !quiet && (*(*variable).counted()).refcount == 1;
            is_gone || (*now).kind() != STRING || (*now).string() != held.as_ptr()
        };
        let held = StringHandle::share_raw((*deref(variable)).string());
        let offset = read_op2(frame, opline, vm);
        let index = string_offset(&mut *vm, &*offset, KeyUse::Access);
        if index.is_none() || replaced(&held) {
            free_operand(frame, data.op1_type, data.op1);
            return if index.is_some() {
                Zval::NULL
            } else {
                Zval::UNDEF
            };
        }
        let length = held.len() as i64;
        let index = match index {
            Some(index) if index < -length => {
                (*vm).warning(format!("Illegal string offset {index}"));
                free_operand(frame, data.op1_type, data.op1);
                return Zval::NULL;
            }
            Some(index) if index < 0 => (index + length) as usize,
            index => index.unwrap_or(0) as usize,
        };
        let value = take_data(frame, opline, vm);
        let Ok(text) = crate::operators::to_string(&mut *vm, &value) else {
            return Zval::UNDEF;
        };
        if replaced(&held) {
            return Zval::NULL;
        }
        let Some(&byte) = text.as_bytes().first() else {
            (*vm).throw_error(
                KnownClass::Error,
                "Cannot assign an empty string to a string offset",
            );
            return Zval::NULL;
        };
        if text.len() > 1 {
            (*vm).warning("Only the first byte will be assigned to the string offset");
            if !(*vm).exception.is_null() {
                return Zval::UNDEF;
            }
        }
        if replaced(&held) {
            return Zval::NULL;
        }
        if index >= crate::string::MAXIMUM_LENGTH {
            (*vm).fatal_error("Possible integer overflow in memory allocation");
        }
        drop(held);
        set_byte(&mut *vm, deref(variable), index, byte);
        Zval::from_string(crate::string::single_byte(byte))
    };
    if quiet {
        assign_byte(variable)
    } else {
        with_held_place(vm, variable, assign_byte)
    }
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
    (*string.as_ptr()).note_change();
    (*container).set(string.into_value().into_zval());
}
