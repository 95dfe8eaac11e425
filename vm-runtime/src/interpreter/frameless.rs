//! FRAMELESS_ICALL_*: calls of native functions without INIT, SEND and DO.
//!
//! The compiler chooses them for functions whose signature says `#[Frameless(arity, ...)]`. Most are
//! answered by the function's direct entry ([`crate::function::DirectFunction`]). If that leaves them
//! to the function, a frame is made after all, so that errors and traces are those of any call.

use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::function::Function;
use crate::interpreter::assign::is_undefined;
use crate::interpreter::calls::{call_native, push_frame};
use crate::interpreter::operand::*;
use crate::op::{IS_CONST, IS_CV, Op};
use crate::value::{Zval, release_temporary};
use crate::vm::Vm;

/// The function that an opline calls, kept in the runtime cache. Null after an Error.
unsafe fn callee(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Function {
    let cached = cache::<Function>(frame, (*opline).extended_value);
    if !(*cached).is_null() {
        return *cached;
    }
    let running = (*frame).function;
    let number = (*running).index_of(opline);
    let Some(name) = (*(*running).op_array).frameless_name(number) else {
        return std::ptr::null();
    };
    match (*vm).find_function(name) {
        Some(function) => {
            *cached = function;
            function
        }
        None => {
            let name = crate::message::text(name);
            let message = format!("Call to undefined function {name}()");
            (*vm).throw_error(KnownClass::Error, message);
            std::ptr::null()
        }
    }
}

/// An operand of a frameless call: its kind and where it is.
type Operand = (u8, u32);

/// FRAMELESS_ICALL_0.
pub unsafe fn call_0(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    call(frame, opline, vm, []);
    next(frame)
}

/// FRAMELESS_ICALL_1.
pub unsafe fn call_1(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    let op = &*opline;
    call(frame, opline, vm, [(op.op1_type, op.op1)]);
    next(frame)
}

/// FRAMELESS_ICALL_2.
pub unsafe fn call_2(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    let op = &*opline;
    call(
        frame,
        opline,
        vm,
        [(op.op1_type, op.op1), (op.op2_type, op.op2)],
    );
    next(frame)
}

/// FRAMELESS_ICALL_3: the third argument is OP_DATA. A literal stands where the OP_DATA names it.
pub unsafe fn call_3(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    let (op, data) = (&*opline, &*opline.add(1));
    // Literals are found from the opline that names them.
    let third = match data.op1_type {
        IS_CONST => (IS_CONST, data.op1.wrapping_add(size_of::<Op>() as u32)),
        kind => (kind, data.op1),
    };
    call(
        frame,
        opline,
        vm,
        [(op.op1_type, op.op1), (op.op2_type, op.op2), third],
    );
    next2(frame)
}

/// Makes the call with operands that may be undefined, and gives them back. Not inlined: a handler
/// must not take the address of a local.
#[inline(never)]
unsafe fn call<const N: usize>(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    operands: [Operand; N],
) {
    (*frame).opline = opline;
    (*result(frame, opline)).set_undef();
    for (kind, operand) in operands {
        if is_undefined(frame, kind, operand) {
            undefined_variable(vm, frame, operand);
        }
    }
    if (*vm).exception.is_null() {
        // Borrowed: the operands keep them.
        let arguments =
            operands.map(|(kind, operand)| (*fetch_silent(frame, opline, kind, operand)).copy());
        call_borrowed(frame, vm, arguments);
    } else {
        (*vm).redirect_to_exception_handler();
    }
    for (kind, operand) in operands {
        if kind & (IS_CONST | IS_CV) == 0 {
            release_temporary(slot(frame, operand));
        }
    }
}

/// Makes the call of the frame's opline with arguments that somebody else keeps.
///
/// They stand side by side on the VM stack meanwhile, for which every page has room
/// ([`crate::frame::DEFAULT_SLOTS`]): a handler must not take the address of a local.
#[inline(always)]
pub unsafe fn call_borrowed<const N: usize>(frame: *mut Frame, vm: *mut Vm, arguments: [Zval; N]) {
    const { assert!(N <= MOST) };
    let opline = (*frame).opline;
    let function = *cache::<Function>(frame, (*opline).extended_value);
    let first = (*vm).stack.top;
    for (number, argument) in arguments.into_iter().enumerate() {
        first.add(number).write(argument);
    }
    (*vm).stack.top = first.add(N);
    let is_done = match function.as_ref().and_then(|function| function.direct) {
        Some(direct) => {
            let arguments = std::slice::from_raw_parts(first, N);
            direct(
                &mut *vm,
                &Zval::UNDEF,
                arguments,
                &mut *result(frame, opline),
            )
        }
        None => false,
    };
    (*vm).stack.top = first;
    if !is_done {
        call_with_frame(frame, vm, N);
    } else if !(*vm).exception.is_null() {
        redirect(vm);
    }
}

/// Arguments that a frameless call has at most.
const MOST: usize = 3;

#[cold]
#[inline(never)]
unsafe fn redirect(vm: *mut Vm) {
    (*vm).redirect_to_exception_handler();
}

/// The call in full, with so many arguments that stand where the next frame goes.
#[inline(never)]
unsafe fn call_with_frame(frame: *mut Frame, vm: *mut Vm, count: usize) {
    let opline = (*frame).opline;
    let target = result(frame, opline);
    (*target).set_undef();
    let mut arguments = [Zval::UNDEF; MOST];
    let given = (*vm).stack.top;
    for (number, argument) in arguments[..count].iter_mut().enumerate() {
        *argument = (*given.add(number)).copy();
    }
    let function = callee(frame, opline, vm);
    if function.is_null() {
        return (*vm).redirect_to_exception_handler();
    }
    let callee = push_frame(vm, function, count as u32, 0, Zval::UNDEF);
    (*callee).previous = (*frame).call;
    (*frame).call = callee;
    for (number, argument) in arguments[..count].iter().enumerate() {
        (*callee).slot(number as u32).write(argument.share());
    }
    call_native(vm, frame, callee, target);
}

/// What the runtime cache of a JMP_FRAMELESS says when the namespace has no function of that name.
pub const GLOBAL: usize = 1;

/// JMP_FRAMELESS: jumps to the frameless call unless the namespace has a function of that name. What
/// is found at first holds for good, as in PHP.
pub unsafe fn jump(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    const UNKNOWN: usize = 0;
    const NAMESPACED: usize = 2;
    let found = cache::<()>(frame, (*opline).extended_value).cast::<usize>();
    if *found == UNKNOWN {
        let name = (*constant(opline, (*opline).op1)).string();
        *found = match (*vm).find_function((*name).as_bytes()) {
            Some(_) => NAMESPACED,
            None => GLOBAL,
        };
    }
    match *found {
        GLOBAL => jump_target(opline, (*opline).op2),
        _ => opline.add(1),
    }
}
