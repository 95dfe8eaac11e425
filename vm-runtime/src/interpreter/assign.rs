//! Assignments to variables: ASSIGN, ASSIGN_OP, ASSIGN_REF, increments.

use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::function::type_mask;
use crate::generated::Opcode;
use crate::interpreter::operand::*;
use crate::op::{IS_CONST, IS_CV, IS_VAR, Op};
use crate::value::{
    DOUBLE, INDIRECT, LONG, NULL, PhpReference, REFERENCE, STRING, UNDEF, Value, Zval,
    make_reference, release, release_temporary,
};
use crate::vm::Vm;

/// Assigns to a variable, following its reference; takes over `value`. A typed reference coerces
/// or throws, and then keeps its old value. The variable may be gone afterwards: what it held is
/// released, and types may convert.
#[inline]
pub unsafe fn assign_variable(vm: *mut Vm, variable: *mut Zval, value: Zval) {
    assign_with_result(vm, variable, value, std::ptr::null_mut());
}

/// As [`assign_variable`]; what the variable holds then is shared with `result`, unless that is
/// null, before the old value is released: its destructor may free the variable.
#[inline]
pub unsafe fn assign_with_result(vm: *mut Vm, variable: *mut Zval, value: Zval, result: *mut Zval) {
    let mut target = variable;
    if (*variable).kind() == REFERENCE {
        let reference = (*variable).reference();
        target = &raw mut (*reference).value;
        if !(*reference).sources.is_null() {
            let strict = (*vm).is_strict();
            return assign_typed(vm, reference, value, result, strict);
        }
    }
    replace(target, value, result);
}

/// What a `catch` stores in its variable is the exception itself, whatever types of properties would make of it.
pub(super) unsafe fn assign_caught(vm: *mut Vm, variable: *mut Zval, exception: Zval) {
    if (*variable).kind() == REFERENCE && !(*(*variable).reference()).sources.is_null() {
        let reference = (*variable).reference();
        return assign_typed(vm, reference, exception, std::ptr::null_mut(), true);
    }
    assign_variable(vm, variable, exception);
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
    strict: bool,
) {
    let target = &raw mut (*reference).value;
    // Converting the value may run user code that drops the reference.
    let held = Zval::from_reference(reference).share();
    if crate::types::verify_reference_as(&mut *vm, &*reference, &mut value, strict).is_err() {
        release(&value);
        if !result.is_null() {
            *result = (*target).share();
        }
    } else {
        replace(target, value, result);
    }
    release_temporary(&held);
}

/// Runs `change`, during which user code may run, on a variable's place. User code may move the
/// place or free it (a variable by name, an array element): meanwhile a reference stands in it, and
/// `change` gets a share of that.
pub unsafe fn with_held_place<T>(
    vm: *mut Vm,
    variable: *mut Zval,
    change: impl FnOnce(*mut Zval) -> T,
) -> T {
    let was_reference = (*variable).is_reference();
    make_reference(&mut (*vm).heap, variable);
    let mut place = (*variable).share();
    let entries = (*vm).entries;
    let outcome = change(&mut place);
    // Without user code the place is where it was; a variable of the running frame always is.
    let is_there = (*vm).entries == entries || is_local(vm, variable);
    if !was_reference && is_there && is_alone_with(variable, &place) {
        // A plain variable again.
        (*variable).set(place.share_deref());
        release_temporary(&place);
    }
    release_temporary(&place);
    outcome
}

/// True if the variable stands in the running frame itself.
unsafe fn is_local(vm: *mut Vm, variable: *const Zval) -> bool {
    let frame = (*vm).current_frame;
    let first: *const Zval = (*frame).slot(0);
    (first..first.add((*(*frame).function).slots as usize)).contains(&variable)
}

/// True if the variable holds the same reference as `share`, and nobody else does.
unsafe fn is_alone_with(variable: *const Zval, share: &Zval) -> bool {
    (*variable).is_reference()
        && std::ptr::eq((*variable).reference(), share.reference())
        && (*share.counted()).refcount == 2
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

/// True for an operand that is a variable without a value: reading it warns.
#[inline(always)]
pub unsafe fn is_undefined(frame: *mut Frame, kind: u8, operand: u32) -> bool {
    kind == IS_CV && (*slot(frame, operand)).is_undef()
}

/// ASSIGN in full.
pub unsafe fn assign(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let variable = write_op1(frame, opline);
    let target = if result_used(opline) {
        result(frame, opline)
    } else {
        std::ptr::null_mut()
    };
    let assign_to = |variable| {
        let value = take_operand(frame, opline, vm, op.op2_type, op.op2);
        assign_with_result(vm, variable, value, target);
    };
    if op.op1_type == IS_VAR && is_undefined(frame, op.op2_type, op.op2) {
        with_held_place(vm, variable, assign_to);
    } else {
        assign_to(variable);
    }
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
    let target = if result_used(opline) {
        result(frame, opline)
    } else {
        std::ptr::null_mut()
    };
    const SOURCE_IS_FUNCTION: u32 = 1;
    if op.op2_type == IS_VAR
        && op.extended_value == SOURCE_IS_FUNCTION
        && (*source).kind() != REFERENCE
    {
        // A function that returns by value: a plain assignment with a notice.
        let value = Zval {
            extra: 0,
            ..*source
        };
        with_held_place(vm, variable, |variable| {
            (*vm).notice("Only variables should be assigned by reference");
            if (*vm).exception.is_null() {
                assign_with_result(vm, variable, value, target);
            } else {
                release(&value);
            }
        });
        return next(frame);
    }
    if op.op1_type == IS_VAR && (*slot(frame, op.op1)).kind() != INDIRECT {
        // What `offsetGet()` gave is no variable.
        if !target.is_null() {
            (*target).set_undef();
        }
        (*vm).throw_error(
            KnownClass::Error,
            "Cannot assign by reference to an array dimension of an object",
        );
    } else {
        bind_with_result(vm, variable, source, target);
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
    bind_with_result(vm, variable, source, std::ptr::null_mut());
}

/// As [`bind_reference`]; `result`, unless it is null, gets a share of the reference, so that
/// `f($a = &$b)` can pass it on.
pub unsafe fn bind_with_result(
    vm: *mut Vm,
    variable: *mut Zval,
    source: *mut Zval,
    result: *mut Zval,
) {
    let reference = make_reference(&mut (*vm).heap, source);
    if !result.is_null() {
        *result = (*source).share();
    }
    if variable == source || (*variable).kind() == REFERENCE && (*variable).reference() == reference
    {
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
/// An operator that throws leaves the variable as it was. What the variable holds then is shared
/// with `result`, unless that is null; after an exception that stays undefined.
pub unsafe fn compound_assign(
    vm: *mut Vm,
    variable: *mut Zval,
    opcode: u32,
    right: &Zval,
    result: *mut Zval,
) {
    let operate = |variable: *mut Zval| {
        if opcode == Opcode::CONCAT as u32 && takes_all(variable, type_mask::STRING) {
            crate::operators::concat_assign(&mut *vm, deref(variable), right);
        } else {
            let left = (*variable).share_deref();
            let held = right.share();
            let mut value = Zval::UNDEF;
            binary_operator(vm, opcode, &mut value, &left, &held);
            release(&held);
            release(&left);
            // An exception that came before the operation does not stop it. What has a type takes
            // the outcome of one that failed, too, and makes a zero or an empty string of it.
            if !value.is_undef() || is_typed_reference(variable) {
                assign_with_result(vm, variable, value, result);
            }
            return;
        }
        if !result.is_null() && (*vm).exception.is_null() {
            *result = (*variable).share_deref();
        }
    };
    if is_quiet(opcode, &*deref(variable), right.deref()) {
        operate(variable);
    } else {
        with_held_place(vm, variable, operate);
    }
}

/// True if no user code can run while an operator computes: no warning, no conversion of objects.
fn is_quiet(opcode: u32, left: &Zval, right: &Zval) -> bool {
    const CONCAT: u32 = Opcode::CONCAT as u32;
    const EXACT: [u32; 4] = [
        Opcode::ADD as u32,
        Opcode::SUB as u32,
        Opcode::MUL as u32,
        Opcode::DIV as u32,
    ];
    let (left, right) = (left.kind(), right.kind());
    if opcode == CONCAT {
        return left <= STRING && right <= STRING;
    }
    left <= LONG && right <= LONG || EXACT.contains(&opcode) && left <= DOUBLE && right <= DOUBLE
}

/// Mask of the types that an operator's result can have, where the operands tell; 0 where that
/// depends on them. What is appended to a string makes a string, or leaves it as it is.
pub(super) fn outcome_of(opcode: u32, left: &Zval, right: &Zval) -> u32 {
    let is_text = left.kind() == STRING || left.kind() < STRING && right.kind() <= STRING;
    match opcode == Opcode::CONCAT as u32 && is_text {
        true => type_mask::STRING,
        false => 0,
    }
}

/// True if a variable takes values of these types unchecked: it is no reference that a typed property
/// is bound to, or all that are take them.
unsafe fn takes_all(variable: *const Zval, types: u32) -> bool {
    if !is_typed_reference(variable) {
        return true;
    }
    let sources = &*(*(*variable).reference()).sources;
    sources.properties.iter().all(|&info| {
        let declared = (*info).declared.as_ref();
        declared.is_none_or(|declared| declared.mask & types == types)
    })
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
    let variable = write_op1(frame, opline);
    let mut assigned = Zval::UNDEF;
    let mut operate = |variable: *mut Zval| {
        // Right side first: PHP warns about it before the left.
        let held = (*read_op2(frame, opline, vm)).share();
        if op.op1_type == IS_CV && (*variable).is_undef() {
            undefined_variable(vm, frame, op.op1);
            if (*variable).is_undef() {
                (*variable).set_null();
            }
        }
        let is_same = op.op1_type == IS_CV && op.op2_type == IS_CV && op.op1 == op.op2;
        if is_same
            && op.extended_value == Opcode::CONCAT as u32
            && ![crate::value::STRING, REFERENCE].contains(&(*variable).kind())
        {
            crate::operators::concat_with_itself(&mut *vm, variable);
            if (*vm).exception.is_null() {
                assigned = (*variable).share();
            }
        } else {
            compound_assign(vm, variable, op.extended_value, &held, &mut assigned);
        }
        release(&held);
    };
    if op.op1_type == IS_VAR && is_undefined(frame, op.op2_type, op.op2) {
        with_held_place(vm, variable, operate);
    } else {
        operate(variable);
    }
    finish_assignment(frame, opline, assigned);
    next(frame)
}

/// Ends an opcode that changed what its first operand names: gives the result away, and frees both
/// operands.
pub(super) unsafe fn finish_assignment(frame: *mut Frame, opline: *const Op, assigned: Zval) {
    store_result(frame, opline, assigned);
    free_op2(frame, opline);
    if (*opline).op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
}

/// Hands a result over; releases it if the opline has none.
pub(super) unsafe fn store_result(frame: *mut Frame, opline: *const Op, value: Zval) {
    if result_used(opline) {
        *result(frame, opline) = value;
    } else {
        release(&value);
    }
}

/// Adds or subtracts one in place, with PHP's rules for every type. What the variable held before
/// is shared with `old`, what it holds then with `new`, unless these are null; after an exception
/// `new` stays undefined.
pub unsafe fn step(vm: *mut Vm, variable: *mut Zval, up: bool, old: *mut Zval, new: *mut Zval) {
    if !old.is_null() {
        *old = (*variable).share_deref();
    }
    let typed = is_typed_reference(variable);
    let quiet = match (*deref(variable)).kind() {
        LONG => (*deref(variable)).long() != if up { i64::MAX } else { i64::MIN },
        DOUBLE => true,
        NULL => up && !typed,
        _ => false,
    };
    let operate = |variable: *mut Zval| {
        if typed && !quiet {
            step_typed(vm, variable, up);
        } else if up {
            crate::operators::increment(&mut *vm, variable);
        } else {
            crate::operators::decrement(&mut *vm, variable);
        }
        if !new.is_null() && (*vm).exception.is_null() {
            *new = (*variable).share_deref();
        }
    };
    if quiet {
        operate(variable);
    } else {
        with_held_place(vm, variable, operate);
    }
}

/// Adds or subtracts one from a value that native code has and that is no reference: what the script does meanwhile cannot
/// reach it.
pub unsafe fn step_value(vm: *mut Vm, value: &mut Zval, up: bool) {
    if up {
        crate::operators::increment(&mut *vm, value);
    } else {
        crate::operators::decrement(&mut *vm, value);
    }
}

unsafe fn step_typed(vm: *mut Vm, variable: *mut Zval, up: bool) {
    let mut value = (*variable).share_deref();
    if value.kind() == LONG {
        let which = if up { "increment" } else { "decrement" };
        let bound = if up { "maximal" } else { "minimal" };
        let reference = &*(*variable).reference();
        if crate::types::reference_overflow(&mut *vm, reference, which, bound).is_err() {
            return;
        }
    }
    step_value(vm, &mut value, up);
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
    }
    let target = if result_used(opline) {
        (*result(frame, opline)).set_undef();
        result(frame, opline)
    } else {
        std::ptr::null_mut()
    };
    let (old, new) = if before {
        (target, std::ptr::null_mut())
    } else {
        (std::ptr::null_mut(), target)
    };
    step(vm, variable, up, old, new);
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
