//! Operand access for handlers.

use crate::frame::Frame;
use crate::heap::Heap;
use crate::op::{IS_CONST, IS_CV, IS_TMP_VAR, IS_UNUSED, IS_VAR, Op};
use crate::string::PhpString;
use crate::value::{INDIRECT, REFERENCE, UNDEF, Value, Zval, release_temporary};
use crate::vm::Vm;

/// The literal that a CONST operand stands for.
#[inline(always)]
pub unsafe fn constant(opline: *const Op, operand: u32) -> *mut Zval {
    opline
        .cast::<u8>()
        .offset(operand as i32 as isize)
        .cast::<Zval>()
        .cast_mut()
}

/// The slot of a TMP, VAR or CV operand.
#[inline(always)]
pub unsafe fn slot(frame: *mut Frame, operand: u32) -> *mut Zval {
    frame.cast::<u8>().add(operand as usize).cast()
}

/// The target of a jump operand.
#[inline(always)]
pub unsafe fn jump_target(opline: *const Op, operand: u32) -> *const Op {
    opline.cast::<u8>().offset(operand as i32 as isize).cast()
}

/// Follows a reference.
#[inline(always)]
pub unsafe fn deref(value: *mut Zval) -> *mut Zval {
    if (*value).kind() == REFERENCE {
        &raw mut (*(*value).reference()).value
    } else {
        value
    }
}

/// Follows an INDIRECT.
#[inline(always)]
pub unsafe fn indirect(value: *mut Zval) -> *mut Zval {
    if (*value).kind() == INDIRECT {
        (*value).indirect()
    } else {
        value
    }
}

/// Releases a consumed temporary.
#[inline(always)]
pub unsafe fn free(_vm: *mut Vm, value: *mut Zval) {
    release_temporary(value);
}

/// The operand's slot or literal, whatever it holds.
#[inline(always)]
pub unsafe fn raw(frame: *mut Frame, opline: *const Op, kind: u8, operand: u32) -> *mut Zval {
    if kind == IS_CONST {
        constant(opline, operand)
    } else {
        slot(frame, operand)
    }
}

/// An operand for reading: references followed, an undefined CV warned about and read as `null`.
#[inline]
pub unsafe fn fetch_read(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    kind: u8,
    operand: u32,
) -> *const Zval {
    let value = raw(frame, opline, kind, operand);
    match (*value).kind() {
        UNDEF if kind == IS_CV => {
            undefined_variable(vm, frame, operand);
            &Zval::NULL
        }
        REFERENCE => &raw const (*(*value).reference()).value,
        _ => value,
    }
}

/// As [`fetch_read`] but without a warning.
#[inline]
pub unsafe fn fetch_silent(
    frame: *mut Frame,
    opline: *const Op,
    kind: u8,
    operand: u32,
) -> *const Zval {
    let value = raw(frame, opline, kind, operand);
    match (*value).kind() {
        UNDEF => &Zval::NULL,
        REFERENCE => &raw const (*(*value).reference()).value,
        _ => value,
    }
}

/// Releases the operand if it is a temporary.
#[inline(always)]
pub unsafe fn free_operand(frame: *mut Frame, kind: u8, operand: u32) {
    if kind & (IS_TMP_VAR | IS_VAR) != 0 {
        release_temporary(slot(frame, operand));
    }
}

/// `op1` for reading.
#[inline]
pub unsafe fn read_op1(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Zval {
    fetch_read(frame, opline, vm, (*opline).op1_type, (*opline).op1)
}

/// `op2` for reading.
#[inline]
pub unsafe fn read_op2(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Zval {
    fetch_read(frame, opline, vm, (*opline).op2_type, (*opline).op2)
}

/// `op1` and `op2` for reading, and what keeps the first one where it is: a warning about the second one may run code of
/// the script that unsets the variable, and with it the reference that the value stands in. The caller drops it when it
/// has read both, and before it asks whether something was thrown: a destructor may run then.
pub unsafe fn read_both(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> (*const Zval, *const Zval, Value) {
    let op1 = read_op1(frame, opline, vm);
    if (*opline).op2_type != IS_CV || !(*raw_op2(frame, opline)).is_undef() {
        return (op1, read_op2(frame, opline, vm), Value::UNDEF);
    }
    let held = hold_reference(raw_op1(frame, opline));
    let op2 = read_op2(frame, opline, vm);
    // The variable itself stays, but may have become a reference.
    (deref(op1.cast_mut()), op2, held)
}

/// A share of the reference that an operand is, if it is one: its value stays where it is while code of the script runs.
pub unsafe fn hold_reference(operand: *const Zval) -> Value {
    match (*operand).kind() {
        REFERENCE => Value::from_zval((*operand).share()),
        _ => Value::UNDEF,
    }
}

/// `op1` as it stands.
#[inline(always)]
pub unsafe fn raw_op1(frame: *mut Frame, opline: *const Op) -> *mut Zval {
    raw(frame, opline, (*opline).op1_type, (*opline).op1)
}

/// `op2` as it stands.
#[inline(always)]
pub unsafe fn raw_op2(frame: *mut Frame, opline: *const Op) -> *mut Zval {
    raw(frame, opline, (*opline).op2_type, (*opline).op2)
}

/// The slot that `op1` names for writing: INDIRECT followed, references not.
#[inline(always)]
pub unsafe fn write_op1(frame: *mut Frame, opline: *const Op) -> *mut Zval {
    let value = slot(frame, (*opline).op1);
    if (*opline).op1_type == IS_VAR {
        indirect(value)
    } else {
        value
    }
}

/// Releases `op1` if it is a temporary.
#[inline(always)]
pub unsafe fn free_op1(frame: *mut Frame, opline: *const Op) {
    free_operand(frame, (*opline).op1_type, (*opline).op1);
}

/// Releases `op2` if it is a temporary.
#[inline(always)]
pub unsafe fn free_op2(frame: *mut Frame, opline: *const Op) {
    free_operand(frame, (*opline).op2_type, (*opline).op2);
}

/// The result slot.
#[inline(always)]
pub unsafe fn result(frame: *mut Frame, opline: *const Op) -> *mut Zval {
    slot(frame, (*opline).result)
}

/// True if the opline has a result that someone reads.
#[inline(always)]
pub unsafe fn result_used(opline: *const Op) -> bool {
    (*opline).result_type & 15 != IS_UNUSED
}

/// The opline after this one, or the exception handler if something was thrown.
#[inline(always)]
pub unsafe fn next(frame: *mut Frame) -> *const Op {
    (*frame).opline.add(1)
}

/// As [`next`], behind an OP_DATA.
#[inline(always)]
pub unsafe fn next2(frame: *mut Frame) -> *const Op {
    (*frame).opline.add(2)
}

/// A slot of the runtime cache.
#[inline(always)]
pub unsafe fn cache<T>(frame: *mut Frame, offset: u32) -> *mut *mut T {
    (*frame).run_time_cache.add(offset as usize).cast()
}

/// Name of the CV behind an operand offset.
pub unsafe fn variable_name(frame: *mut Frame, operand: u32) -> *mut PhpString {
    let number = operand as usize / size_of::<Zval>() - crate::frame::HEADER_SLOTS as usize;
    (&(*(*(*frame).function).op_array).draft.variables)[number]
}

/// Warns about a CV that was never assigned, unless the opline has thrown for another operand.
#[cold]
#[inline(never)]
pub unsafe fn undefined_variable(vm: *mut Vm, frame: *mut Frame, operand: u32) {
    if !(*vm).exception.is_null() {
        return;
    }
    let name = variable_name(frame, operand);
    (*vm).warning(format!("Undefined variable ${}", (*name).to_text()));
}

/// The heap of a VM behind a raw pointer.
#[inline(always)]
pub unsafe fn heap<'a>(vm: *mut Vm) -> &'a mut Heap {
    &mut (*vm).heap
}

/// The argument slot that a SEND's result field names in the call being prepared.
#[inline(always)]
pub unsafe fn argument(frame: *mut Frame, field: u32) -> *mut Zval {
    slot((*frame).call, field)
}
