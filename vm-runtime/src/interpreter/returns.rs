//! RETURN and leaving frames, VERIFY_*.

use crate::collector::GC_INFO;
use crate::exceptions::KnownClass;
use crate::frame::{Frame, call_info};
use crate::function::flags;
use crate::interpreter::calls::{give_up_this, pop_frame, release_callee};
use crate::interpreter::operand::*;
use crate::op::{IS_CONST, IS_CV, IS_TMP_VAR, IS_UNUSED, IS_VAR, Op};
use crate::value::{COLLECTABLE, Header, REFERENCE, UNDEF, Zval, make_reference, release};
use crate::vm::Vm;

/// RETURN in full: any operand kind, any frame.
pub unsafe fn return_(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    store_return_value(frame, opline, vm);
    leave(vm, frame)
}

unsafe fn store_return_value(frame: *mut Frame, opline: *const Op, vm: *mut Vm) {
    let target = (*frame).return_value;
    let kind = (*opline).op1_type;
    let value = raw_op1(frame, opline);
    if kind == IS_CV && (*value).kind() == UNDEF {
        undefined_variable(vm, frame, (*opline).op1);
        if !target.is_null() {
            *target = Zval::NULL;
        }
        return;
    }
    if target.is_null() {
        free_op1(frame, opline);
        return;
    }
    match kind {
        IS_TMP_VAR => *target = Zval { extra: 0, ..*value },
        IS_CONST => *target = (*value).share(),
        _ if (*value).kind() == REFERENCE => {
            *target = (*value).share_deref();
            if kind == IS_VAR {
                release(value);
            }
        }
        IS_VAR => *target = Zval { extra: 0, ..*value },
        _ => {
            if (*value).is_refcounted()
                && (*frame).this.type_info & call_info::CODE == 0
                && (*frame).this.type_info & call_info::HAS_SYMBOL_TABLE == 0
            {
                // The frame is about to give up the variable: its share moves out.
                *target = Zval { extra: 0, ..*value };
                (*value).set_null();
            } else {
                *target = (*value).share();
            }
        }
    }
}

/// RETURN_BY_REF: `function &f()`.
pub unsafe fn return_by_ref(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let target = (*frame).return_value;
    const FUNCTION_RESULT: u32 = 1;
    const VALUE: u32 = 2;
    if op.op1_type & (IS_CONST | IS_TMP_VAR) != 0 || op.extended_value == VALUE {
        (*vm).notice("Only variable references should be returned by reference");
        let value = raw_op1(frame, opline);
        if target.is_null() {
            free_op1(frame, opline);
        } else {
            let owned = if op.op1_type == IS_CONST {
                (*value).share()
            } else {
                Zval { extra: 0, ..*value }
            };
            if owned.kind() == REFERENCE {
                *target = owned;
            } else {
                let boxed = crate::value::PhpReference::allocate(&mut (*vm).heap, owned);
                *target = Zval::from_reference(boxed.into_raw());
            }
        }
        return leave(vm, frame);
    }
    let slot = write_op1(frame, opline);
    if op.op1_type == IS_VAR && op.extended_value == FUNCTION_RESULT && (*slot).kind() != REFERENCE
    {
        (*vm).notice("Only variable references should be returned by reference");
        if target.is_null() {
            free_op1(frame, opline);
        } else {
            let value = Zval { extra: 0, ..*slot };
            let boxed = crate::value::PhpReference::allocate(&mut (*vm).heap, value);
            *target = Zval::from_reference(boxed.into_raw());
        }
        return leave(vm, frame);
    }
    if !target.is_null() {
        make_reference(&mut (*vm).heap, slot);
        *target = (*slot).share();
    }
    if op.op1_type == IS_VAR {
        free_op1(frame, opline);
    }
    leave(vm, frame)
}

/// True if a share of an object can be given up without a word: it is neither the last one, nor
/// does the collector have to note the object.
unsafe fn needs_no_note(header: *const Header) -> bool {
    (*header).refcount > 1 && (*header).type_info & GC_INFO != 0
}

/// Gives back the frame's shares of `$this` and its closure, or tells the collector, if that is all there is to do.
unsafe fn release_shared_owners(frame: *mut Frame, info: u32) -> bool {
    let this = (*frame).this.payload.object;
    let closure = (*(*frame).function).closure;
    let has_this = info & call_info::RELEASE_THIS != 0;
    let has_closure = info & call_info::CLOSURE != 0;
    if info & call_info::NOTES_THIS != 0 && !crate::collector::note_root(&raw mut (*this).header) {
        return false;
    }
    if has_this && !needs_no_note(&(*this).header)
        || has_closure && !needs_no_note(&(*closure).header)
    {
        return false;
    }
    if has_this {
        (*this).header.refcount -= 1;
    }
    if has_closure {
        (*closure).header.refcount -= 1;
    }
    true
}

/// The end of a RETURN that has done everything but give up `$this` and the closure.
pub unsafe fn leave_owners(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    if !release_shared_owners(frame, (*frame).call_info()) {
        return leave(vm, frame);
    }
    let previous = (*frame).previous;
    (*vm).current_frame = previous;
    (*vm).stack.top = frame.cast();
    (*previous).opline.add(1)
}

/// Leaves a frame whose result is stored: gives up all that it holds. As long as that only takes shares
/// away there are no calls in here.
pub unsafe fn leave_frame(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    const SPECIAL: u32 = call_info::SLOW_LEAVE & !call_info::TOP;
    let info = (*frame).call_info();
    if info & SPECIAL != 0 || !(*vm).exception.is_null() {
        return leave(vm, frame);
    }
    let mut variable = (*frame).slot(0);
    let end = variable.add((*(*frame).function).variables as usize);
    while variable < end {
        if (*variable).is_refcounted() {
            let header = (*variable).counted();
            let is_easy = (*header).refcount > 1
                && ((*variable).type_info & COLLECTABLE == 0
                    || crate::collector::is_easily_noted(header));
            if !is_easy {
                return leave_destroying(vm, frame, variable, end);
            }
            (*header).refcount -= 1;
        }
        variable = variable.add(1);
    }
    if info & call_info::OWNERS != 0 && !release_shared_owners(frame, info) {
        return leave_destroying(vm, frame, end, end);
    }
    let previous = (*frame).previous;
    (*vm).current_frame = previous;
    let stack = &mut (*vm).stack;
    crate::frame::poison(frame.cast(), stack.top as usize - frame as usize);
    stack.top = frame.cast();
    if info & call_info::TOP != 0 {
        return std::ptr::null();
    }
    (*previous).opline.add(1)
}

/// The rest of [`leave_frame`] from the first variable on for which something has to be destroyed, or if it is `$this`
/// or the closure.
#[inline(never)]
unsafe fn leave_destroying(
    vm: *mut Vm,
    frame: *mut Frame,
    first: *mut Zval,
    end: *mut Zval,
) -> *const Op {
    let previous = (*frame).previous;
    let info = (*frame).call_info();
    let is_top = info & call_info::TOP != 0;
    (*vm).current_frame = previous;
    let mut variable = first;
    while variable < end {
        // The frame is left: nobody looks at its variables any more.
        release(variable);
        variable = variable.add(1);
    }
    give_up_this(&(*frame).this, info);
    if info & call_info::CLOSURE != 0 {
        release_callee(frame, info);
    }
    let stack = &mut (*vm).stack;
    crate::frame::poison(frame.cast(), stack.top as usize - frame as usize);
    stack.top = frame.cast();
    if is_top {
        return std::ptr::null();
    }
    if !(*vm).exception.is_null() {
        (*vm).redirect_to_exception_handler();
        return (*previous).opline;
    }
    (*previous).opline.add(1)
}

/// Leaves a frame whose CVs may hold counted values. Returns the caller's next opline, or null
/// when native code called the frame.
pub unsafe fn leave(vm: *mut Vm, frame: *mut Frame) -> *const Op {
    let info = (*frame).call_info();
    let function = (*frame).function;
    const SPECIAL: u32 = call_info::SLOW_LEAVE & !call_info::TOP | call_info::CLOSURE;
    let constructs = info & call_info::CONSTRUCTOR != 0 && !(*vm).exception.is_null();
    if info & SPECIAL == 0 && !constructs && (*function).flags & flags::CALL_VIA_TRAMPOLINE == 0 {
        // Nothing but its variables and `$this` has to go.
        let previous = (*frame).previous;
        (*vm).current_frame = previous;
        let mut variable = (*frame).slot(0);
        let end = variable.add((*function).variables as usize);
        while variable < end {
            // The frame is left: nobody looks at its variables any more.
            release(variable);
            variable = variable.add(1);
        }
        give_up_this(&(*frame).this, info);
        let stack = &mut (*vm).stack;
        crate::frame::poison(frame.cast(), stack.top as usize - frame as usize);
        stack.top = frame.cast();
        if info & call_info::TOP != 0 {
            return std::ptr::null();
        }
        if !(*vm).exception.is_null() {
            (*vm).redirect_to_exception_handler();
            return (*previous).opline;
        }
        return (*previous).opline.add(1);
    }
    if info & call_info::CODE != 0 {
        return super::top_level::leave_code(vm, frame);
    }
    // Destructors of what the frame held see the caller: this frame counts as left.
    let previous = (*frame).previous;
    (*vm).current_frame = previous;
    release_variables(frame);
    if info & call_info::HAS_SYMBOL_TABLE != 0 {
        super::variables::drop_symbol_table(vm, frame);
    }
    if info & call_info::HAS_EXTRA_NAMED != 0 && !(*frame).extra_named.is_null() {
        release(&Zval::from_array((*frame).extra_named));
    }
    if info & call_info::FREE_EXTRA_ARGUMENTS != 0 {
        release_extra_arguments(frame);
    }
    if info & call_info::CONSTRUCTOR != 0 && !(*vm).exception.is_null() {
        // The constructor failed: no destructor for a half-made object.
        (*(*frame).this.object()).header.type_info |= crate::value::HEADER_DESTRUCTOR_CALLED;
    }
    give_up_this(&(*frame).this, info);
    if info & call_info::CLOSURE != 0 || (*function).flags & flags::CALL_VIA_TRAMPOLINE != 0 {
        release_callee(frame, info);
    }
    pop_frame(vm, frame);
    if info & call_info::TOP != 0 {
        return std::ptr::null();
    }
    if !(*vm).exception.is_null() {
        (*vm).redirect_to_exception_handler();
        return (*previous).opline;
    }
    (*previous).opline.add(1)
}

/// Releases the CVs of a frame.
pub unsafe fn release_variables(frame: *mut Frame) {
    for number in 0..(*(*frame).function).variables {
        let slot = (*frame).slot(number);
        if (*slot).is_refcounted() {
            let value = *slot;
            (*slot).set_undef();
            release(&value);
        }
    }
}

/// Releases arguments beyond the declared parameters.
pub unsafe fn release_extra_arguments(frame: *mut Frame) {
    let function = (*frame).function;
    let declared = (*function).parameter_count;
    for number in declared..(*frame).argument_count() {
        release((*frame).slot(number - declared + (*function).slots));
    }
}

/// VERIFY_RETURN_TYPE in full.
pub unsafe fn verify_return_type(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let function = &*(*frame).function;
    if op.op1_type == IS_UNUSED {
        let _ = crate::types::verify_missing_return(&mut *vm, function);
        return next(frame);
    }
    let mut value = raw_op1(frame, opline);
    if op.op1_type == IS_CONST {
        let target = result(frame, opline);
        *target = (*value).share();
        value = target;
    } else if op.op1_type == IS_CV && (*value).is_undef() {
        undefined_variable(vm, frame, op.op1);
        if !(*vm).exception.is_null() {
            return next(frame);
        }
        let mut null = Zval::NULL;
        let _ = crate::types::verify_return(&mut *vm, function, &mut null, 0);
        return next(frame);
    } else if op.op1_type == IS_VAR {
        value = indirect(value);
    }
    let _ = crate::types::verify_return(&mut *vm, function, value, op.op2);
    next(frame)
}

/// VERIFY_NEVER_TYPE.
pub unsafe fn verify_never_type(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let function = &*(*frame).function;
    let kind = match function.scope.is_null() {
        true => "function",
        false => "method",
    };
    let name = function.display_name();
    let message = format!("{name}(): never-returning {kind} must not implicitly return");
    (*vm).throw_error(KnownClass::TypeError, message);
    next(frame)
}
