//! Functions declared at run time, and closures.

use std::sync::Arc;

use crate::frame::Frame;
use crate::function::{Function, SharedFunction, flags};
use crate::interpreter::operand::*;
use crate::object::PhpObject;
use crate::object::closure::{ClosureData, StaticVariableSlot, data_of, wrap};
use crate::op::Op;
use crate::op_array::OpArray;
use crate::value::{ObjectHandle, Zval, make_reference};
use crate::vm::Vm;

/// Adds a user function to the function table; a taken name is a fatal error.
pub fn declare(vm: &mut Vm, code: &Arc<OpArray>) {
    // SAFETY: I4: names of a loaded script are live.
    let name = unsafe { (*code.draft.name).as_bytes().to_vec() };
    let lowercase = name.to_ascii_lowercase();
    if let Some(existing) = vm.find_function(&lowercase) {
        // SAFETY: I4: functions live until the VM ends.
        let place = unsafe {
            match &(*existing).code {
                Some(code) => format!(
                    " (previously declared in {}:{})",
                    (*code.draft.filename).to_text(),
                    code.draft.line_start
                ),
                None => String::new(),
            }
        };
        // SAFETY: I4, as above.
        let file = unsafe { (*code.draft.filename).as_bytes().to_vec() };
        vm.fatal_error_at(
            crate::diagnostics::level::ERROR,
            &format!(
                "Cannot redeclare function {}(){place}",
                crate::message::text(&name)
            ),
            &file,
            code.draft.line_start,
        );
    }
    let function = Function::for_op_array(code, std::ptr::null_mut());
    vm.functions
        .insert(lowercase.into(), Box::into_raw(Box::new(function)));
}

/// DECLARE_FUNCTION.
pub unsafe fn declare_function(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let code = &*(*(*frame).function).op_array;
    let function = Arc::clone(&code.draft.functions[(*opline).op2 as usize]);
    declare(&mut *vm, &function);
    next(frame)
}

/// The function that all closures made by this opline are copies of. The runtime cache owns it, and
/// so does each closure.
#[cold]
unsafe fn closure_function(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *mut Function {
    let code = &*(*(*frame).function).op_array;
    let nested = Arc::clone(&code.draft.functions[(*opline).op2 as usize]);
    let mut function = Function::for_op_array(&nested, (*(*frame).function).scope);
    (*vm).prepare_function(&mut function);
    function.allocate_cache();
    SharedFunction::new(function).into_raw()
}

/// DECLARE_LAMBDA_FUNCTION: makes a closure of a nested function.
pub unsafe fn declare_lambda_function(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> *const Op {
    (*frame).opline = opline;
    let closure = new_closure(frame, opline, vm);
    *result(frame, opline) = Zval::from_object(closure.into_raw());
    next(frame)
}

/// The closure that a DECLARE_LAMBDA_FUNCTION makes, without its variables.
pub unsafe fn new_closure(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> ObjectHandle {
    let known = cache::<Function>(frame, (*opline).extended_value);
    if (*known).is_null() {
        *known = closure_function(frame, opline, vm);
    }
    let owner = SharedFunction::share_raw(*known);
    let function = &**known;
    let called = (*frame).called_class();
    let this = if (*frame).has_this() && function.flags & flags::STATIC == 0 {
        Some(ObjectHandle::share_raw((*frame).this.object()))
    } else {
        None
    };
    let data = ClosureData::new(function, Some(owner), this, called, true);
    wrap(&mut *vm, data)
}

/// BIND_LEXICAL: gives a closure one of its used variables.
pub unsafe fn bind_lexical(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    const BY_REFERENCE: u32 = 1;
    const IMPLICIT: u32 = 2;
    let op = &*opline;
    let closure = (*slot(frame, op.op1)).object();
    let variable = slot(frame, op.op2);
    let value = if op.extended_value & BY_REFERENCE != 0 {
        make_reference(&mut (*vm).heap, variable);
        (*variable).share()
    } else if (*variable).is_undef() {
        if op.extended_value & IMPLICIT != 0 {
            // An arrow function complains when it uses the variable.
            Zval::UNDEF
        } else {
            undefined_variable(vm, frame, op.op2);
            if !(*vm).exception.is_null() {
                return next(frame);
            }
            Zval::NULL
        }
    } else {
        (*variable).share_deref()
    };
    capture(closure, op.extended_value, value);
    next(frame)
}

/// Gives a closure the variable that the extended value of a BIND_LEXICAL names.
pub unsafe fn capture(closure: *mut PhpObject, extended: u32, value: Zval) {
    let index = ((extended & !7) / crate::op_array::STATIC_VARIABLE_STRIDE) as usize;
    if let Some(data) = data_of(&*closure) {
        data.variables[index] = StaticVariableSlot::from_zval(value);
    }
}
