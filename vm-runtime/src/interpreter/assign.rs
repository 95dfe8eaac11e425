//! Assignments to variables: ASSIGN, ASSIGN_OP, ASSIGN_REF, increments.

use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::generated::Opcode;
use crate::interpreter::operand::*;
use crate::op::{IS_CONST, IS_CV, IS_VAR, Op};
use crate::value::{
    DOUBLE, INDIRECT, LONG, PhpReference, REFERENCE, UNDEF, Value, Zval, make_reference, release,
    release_temporary,
};
use crate::vm::Vm;

/// Assigns to a variable, following its reference; takes over `value`. Returns where the value is
/// now. A typed reference coerces or throws, and then keeps its old value.
#[inline]
pub unsafe fn assign_variable(vm: *mut Vm, variable: *mut Zval, value: Zval) -> *mut Zval {
    assign_with_result(vm, variable, value, std::ptr::null_mut())
}

/// As [`assign_variable`]; what the variable holds then is shared with `result`, unless that is
/// null, before the old value is released: its destructor may free the variable.
#[inline]
pub unsafe fn assign_with_result(
    vm: *mut Vm,
    variable: *mut Zval,
    value: Zval,
    result: *mut Zval,
) -> *mut Zval {
    let mut target = variable;
    if (*variable).kind() == REFERENCE {
        let reference = (*variable).reference();
        target = &raw mut (*reference).value;
        if !(*reference).sources.is_null() {
            return assign_typed(vm, reference, value, result);
        }
    }
    replace(target, value, result);
    target
}

/// Stores a value, shares it with `result` unless that is null, then releases the old one.
#[inline(always)]
unsafe fn replace(target: *mut Zval, value: Zval, result: *mut Zval) {
    let old = *target;
    (*target).set(value);
    if !result.is_null() {
        *result = (*target).share();
    }
    release(&old);
}

#[cold]
#[inline(never)]
unsafe fn assign_typed(
    vm: *mut Vm,
    reference: *mut PhpReference,
    mut value: Zval,
    result: *mut Zval,
) -> *mut Zval {
    let target = &raw mut (*reference).value;
    if crate::types::verify_reference(&mut *vm, &*reference, &mut value).is_err() {
        release(&value);
        if !result.is_null() {
            *result = (*target).share();
        }
    } else {
        replace(target, value, result);
    }
    target
}

/// Stores a computed value into a result that is a CV (a fused `T = OP; ASSIGN CV, T`).
pub unsafe fn assign_result(vm: *mut Vm, variable: *mut Zval, value: Zval) {
    assign_variable(vm, variable, value);
}

/// An operand as an owned value to be stored: copied, moved out of a temporary, dereferenced.
#[inline]
pub unsafe fn take_operand(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    kind: u8,
    operand: u32,
) -> Zval {
    let value = raw(frame, opline, kind, operand);
    match (*value).kind() {
        UNDEF if kind == IS_CV => {
            undefined_variable(vm, frame, operand);
            Zval::NULL
        }
        REFERENCE => {
            let copy = (*value).share_deref();
            if kind == IS_VAR {
                release_temporary(value);
            }
            copy
        }
        INDIRECT => (*(*value).indirect()).share_deref(),
        _ if kind & (IS_CONST | IS_CV) != 0 => (*value).share(),
        _ => Zval { extra: 0, ..*value },
    }
}

/// The operand of the OP_DATA behind `opline`, as [`take_operand`] gives it.
pub unsafe fn take_data(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> Value {
    let data = opline.add(1);
    Value::from_zval(take_operand(frame, data, vm, (*data).op1_type, (*data).op1))
}

/// ASSIGN in full.
pub unsafe fn assign(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let value = take_operand(frame, opline, vm, op.op2_type, op.op2);
    let variable = write_op1(frame, opline);
    let target = if result_used(opline) {
        result(frame, opline)
    } else {
        std::ptr::null_mut()
    };
    assign_with_result(vm, variable, value, target);
    if op.op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
    next(frame)
}

/// Releases a VAR that was written through: nothing for an INDIRECT.
#[inline(always)]
pub unsafe fn free_write_operand(frame: *mut Frame, opline: *const Op) {
    let slot = slot(frame, (*opline).op1);
    if (*slot).kind() != INDIRECT {
        release_temporary(slot);
    }
}

/// ASSIGN_REF.
pub unsafe fn assign_ref(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let source = if op.op2_type == IS_VAR {
        indirect(slot(frame, op.op2))
    } else {
        slot(frame, op.op2)
    };
    let variable = write_op1(frame, opline);
    const SOURCE_IS_FUNCTION: u32 = 1;
    if op.op2_type == IS_VAR
        && op.extended_value == SOURCE_IS_FUNCTION
        && (*source).kind() != REFERENCE
    {
        // A function that returns by value: a plain assignment with a notice.
        (*vm).notice("Only variables should be assigned by reference");
        let value = Zval {
            extra: 0,
            ..*source
        };
        if (*vm).exception.is_null() {
            let target = assign_variable(vm, variable, value);
            if result_used(opline) {
                *result(frame, opline) = (*target).share();
            }
        } else {
            release(&value);
        }
        return next(frame);
    }
    bind_reference(vm, variable, source);
    if result_used(opline) {
        *result(frame, opline) = (*variable).share_deref();
    }
    if op.op2_type == IS_VAR {
        let temporary = slot(frame, op.op2);
        if (*temporary).kind() != INDIRECT {
            release_temporary(temporary);
        }
    }
    if op.op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
    next(frame)
}

/// Makes `variable` share `source`'s reference.
pub unsafe fn bind_reference(vm: *mut Vm, variable: *mut Zval, source: *mut Zval) {
    if variable == source {
        make_reference(&mut (*vm).heap, source);
        return;
    }
    let reference = make_reference(&mut (*vm).heap, source);
    if (*variable).kind() == REFERENCE && (*variable).reference() == reference {
        return;
    }
    (*reference).header.refcount += 1;
    let old = *variable;
    (*variable).set(Zval::from_reference(reference));
    release(&old);
}

/// Applies a binary operator by its opcode number.
pub unsafe fn binary_operator(vm: *mut Vm, opcode: u32, target: &mut Zval, a: &Zval, b: &Zval) {
    use crate::operators as o;
    let vm = &mut *vm;
    const ADD: u32 = Opcode::ADD as u32;
    const SUB: u32 = Opcode::SUB as u32;
    const MUL: u32 = Opcode::MUL as u32;
    const DIV: u32 = Opcode::DIV as u32;
    const MOD: u32 = Opcode::MOD as u32;
    const SL: u32 = Opcode::SL as u32;
    const SR: u32 = Opcode::SR as u32;
    const CONCAT: u32 = Opcode::CONCAT as u32;
    const BW_OR: u32 = Opcode::BW_OR as u32;
    const BW_AND: u32 = Opcode::BW_AND as u32;
    const BW_XOR: u32 = Opcode::BW_XOR as u32;
    match opcode {
        ADD => o::add(vm, target, a, b),
        SUB => o::sub(vm, target, a, b),
        MUL => o::mul(vm, target, a, b),
        DIV => o::div(vm, target, a, b),
        MOD => o::modulus(vm, target, a, b),
        SL => o::shift_left(vm, target, a, b),
        SR => o::shift_right(vm, target, a, b),
        CONCAT => o::concat(vm, target, a, b),
        BW_OR => o::bitwise_or(vm, target, a, b),
        BW_AND => o::bitwise_and(vm, target, a, b),
        BW_XOR => o::bitwise_xor(vm, target, a, b),
        _ => o::pow(vm, target, a, b),
    }
}

/// `$variable OP= value` in place: `variable` may be a reference; typed ones are checked.
/// An operator that throws leaves the variable as it was.
pub unsafe fn compound_assign(vm: *mut Vm, variable: *mut Zval, opcode: u32, right: &Zval) {
    let target = deref(variable);
    if opcode == Opcode::CONCAT as u32 && !is_typed_reference(variable) {
        crate::operators::concat_assign(&mut *vm, &mut *target, right);
        return;
    }
    // The operands may be changed by user code that runs in between; hold them.
    let left = (*target).share();
    let held = right.share();
    let mut value = Zval::UNDEF;
    binary_operator(vm, opcode, &mut value, &left, &held);
    release(&held);
    release(&left);
    if !(*vm).exception.is_null() {
        release(&value);
        return;
    }
    assign_variable(vm, variable, value);
}

/// True for a reference that typed properties are bound to.
#[inline(always)]
pub unsafe fn is_typed_reference(variable: *const Zval) -> bool {
    (*variable).kind() == REFERENCE && !(*(*variable).reference()).sources.is_null()
}

/// `$string .= $string` where neither is anything else and no result is wanted.
unsafe fn append_string(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> bool {
    let right = deref(raw_op2(frame, opline));
    let target = deref(write_op1(frame, opline));
    if (*right).kind() != crate::value::STRING
        || (*target).kind() != crate::value::STRING
        || (*opline).op1_type != IS_CV
        || result_used(opline)
        || right == target
    {
        return false;
    }
    crate::operators::concat_assign(&mut *vm, &mut *target, &*right);
    free_op2(frame, opline);
    true
}

/// ASSIGN_OP in full.
pub unsafe fn assign_op(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    if op.extended_value == Opcode::CONCAT as u32 && append_string(frame, opline, vm) {
        return opline.add(1);
    }
    // Right side first: PHP warns about it before the left.
    let right = read_op2(frame, opline, vm);
    let held = (*right).share();
    let variable = write_op1(frame, opline);
    if op.op1_type == IS_CV && (*variable).is_undef() {
        undefined_variable(vm, frame, op.op1);
        if (*variable).is_undef() {
            (*variable).set_null();
        }
    }
    if (*vm).exception.is_null() {
        compound_assign(vm, variable, op.extended_value, &held);
    }
    if result_used(opline) {
        *result(frame, opline) = if (*vm).exception.is_null() {
            (*variable).share_deref()
        } else {
            Zval::UNDEF
        };
    }
    release(&held);
    free_op2(frame, opline);
    if op.op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
    next(frame)
}

/// Adds or subtracts one in place, with PHP's rules for every type.
pub unsafe fn step(vm: *mut Vm, variable: *mut Zval, up: bool) {
    let target = deref(variable);
    match (*target).kind() {
        LONG => {
            let stepped = if up {
                (*target).long().checked_add(1)
            } else {
                (*target).long().checked_sub(1)
            };
            match stepped {
                Some(value) => (*target).set_long(value),
                None if is_typed_reference(variable) => {
                    step_typed(vm, variable, up);
                }
                None => {
                    let value = (*target).long() as f64;
                    (*target).set_double(if up { value + 1.0 } else { value - 1.0 });
                }
            }
        }
        DOUBLE => {
            let value = (*target).double();
            (*target).set_double(if up { value + 1.0 } else { value - 1.0 });
        }
        _ if is_typed_reference(variable) => step_typed(vm, variable, up),
        _ if up => crate::operators::increment(&mut *vm, &mut *target),
        _ => crate::operators::decrement(&mut *vm, &mut *target),
    }
}

unsafe fn step_typed(vm: *mut Vm, variable: *mut Zval, up: bool) {
    let mut value = (*variable).share_deref();
    if value.kind() == LONG {
        let which = if up { "increment" } else { "decrement" };
        let bound = if up { "maximal" } else { "minimal" };
        let _ = crate::types::reference_overflow(&mut *vm, &*(*variable).reference(), which, bound);
        return;
    }
    if up {
        crate::operators::increment(&mut *vm, &mut value);
    } else {
        crate::operators::decrement(&mut *vm, &mut value);
    }
    if (*vm).exception.is_null() {
        assign_variable(vm, variable, value);
    } else {
        release(&value);
    }
}

/// PRE_INC, PRE_DEC, POST_INC, POST_DEC in full.
pub unsafe fn increment(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let up = op.opcode == Opcode::PRE_INC as u8 || op.opcode == Opcode::POST_INC as u8;
    let before = op.opcode == Opcode::POST_INC as u8 || op.opcode == Opcode::POST_DEC as u8;
    let variable = write_op1(frame, opline);
    if op.op1_type == IS_CV && (*variable).is_undef() {
        undefined_variable(vm, frame, op.op1);
        if (*variable).is_undef() {
            (*variable).set_null();
        }
        if !(*vm).exception.is_null() {
            if result_used(opline) {
                (*result(frame, opline)).set_undef();
            }
            return next(frame);
        }
    }
    let old = if before {
        (*variable).share_deref()
    } else {
        Zval::UNDEF
    };
    step(vm, variable, up);
    if result_used(opline) {
        let failed = !(*vm).exception.is_null();
        *result(frame, opline) = match (before, failed) {
            (true, _) => old,
            (false, true) => Zval::UNDEF,
            (false, false) => (*variable).share_deref(),
        };
    } else if before {
        release(&old);
    }
    if op.op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
    next(frame)
}

/// MAKE_REF.
pub unsafe fn make_ref(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    let op = &*opline;
    let raw = slot(frame, op.op1);
    let target = result(frame, opline);
    if op.op1_type == IS_VAR && (*raw).kind() != INDIRECT {
        let value = *raw;
        *target = value;
        return opline.add(1);
    }
    let variable = indirect(raw);
    make_reference(&mut (*vm).heap, variable);
    *target = (*variable).share();
    opline.add(1)
}

/// SEPARATE: a function's result that is about to be written must not be a lone reference.
pub unsafe fn separate(frame: *mut Frame, opline: *const Op, _vm: *mut Vm) -> *const Op {
    let value = slot(frame, (*opline).op1);
    if (*value).kind() == REFERENCE && (*(*value).counted()).refcount == 1 {
        let inner = (*value).share_deref();
        release(value);
        (*value).set(inner);
    }
    opline.add(1)
}

/// QM_ASSIGN in full.
pub unsafe fn qm_assign(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    *result(frame, opline) = take_operand(frame, opline, vm, op.op1_type, op.op1);
    next(frame)
}

/// COPY_TMP: a second share of a temporary that stays.
pub unsafe fn copy_tmp(frame: *mut Frame, opline: *const Op, _vm: *mut Vm) -> *const Op {
    *result(frame, opline) = (*slot(frame, (*opline).op1)).share();
    opline.add(1)
}

/// Throws that `$this` cannot be used here.
pub unsafe fn no_this(vm: *mut Vm) {
    (*vm).throw_error(KnownClass::Error, "Using $this when not in object context");
}
