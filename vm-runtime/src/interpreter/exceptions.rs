//! Unwinding: HANDLE_EXCEPTION, CATCH, THROW, FAST_CALL, FAST_RET, DISCARD_EXCEPTION, and silence.

use vm_def::facts::{EffectFacts, ResultPlace};
use vm_def::grammar::Unwinding;

use crate::exceptions::KnownClass;
use crate::frame::{Frame, call_info};
use crate::generated::Opcode;
use crate::interpreter::calls::{pop_frame, release_frame_extras};
use crate::interpreter::operand::*;
use crate::op::{
    IS_CONST, IS_SMART_BRANCH_JMPNZ, IS_SMART_BRANCH_JMPZ, IS_TMP_VAR, IS_UNUSED, IS_VAR, Op,
};
use crate::op_array::{LiveKind, OpArray};
use crate::value::{OBJECT, ObjectHandle, UNDEF, Zval, release};
use crate::vm::Vm;

const FREE_ON_RETURN: u32 = 1;

unsafe fn op_array<'a>(frame: *mut Frame) -> &'a OpArray {
    &*(*(*frame).function).op_array
}

/// The oplines with which the function goes on.
unsafe fn ops(frame: *mut Frame) -> *const Op {
    (*(*frame).function).ops
}

/// The number of an opline of the frame's function.
unsafe fn number_of(frame: *mut Frame, opline: *const Op) -> u32 {
    (*(*frame).function).index_of(opline) as u32
}

/// HANDLE_EXCEPTION: finds who handles the exception that redirected the frame.
pub unsafe fn handle_exception(frame: *mut Frame, _opline: *const Op, vm: *mut Vm) -> *const Op {
    let code = op_array(frame);
    let ops = ops(frame);
    let throwing = (*vm).opline_before_exception;
    let mut number = number_of(frame, throwing);
    (*frame).opline = throwing;
    let op = &*throwing;
    // What the destruction throws belongs to the end of the loop, outside of the try blocks in it.
    if is_freed_on_return(throwing) {
        let last = number + op.op2;
        cleanup_live(vm, frame, number, last);
        number = last;
    }
    let innermost = code
        .draft
        .try_catch
        .iter()
        .enumerate()
        .rev()
        .find(|(_, element)| {
            element.try_op <= number && (number < element.catch_op || number < element.finally_end)
        });
    let start = innermost.map_or(-1, |(index, _)| index as i64);
    cleanup_unfinished_calls(vm, frame, throwing);
    free_throwing_result(frame, op);
    dispatch_try(vm, frame, start, number, ops)
}

/// True for an opline that frees a loop early, which is left by return or break.
pub unsafe fn is_freed_on_return(opline: *const Op) -> bool {
    let op = &*opline;
    (op.opcode == Opcode::FREE as u8 || op.opcode == Opcode::FE_FREE as u8)
        && op.extended_value & FREE_ON_RETURN != 0
}

/// Releases the result of the throwing opline, which a handler always leaves defined.
unsafe fn free_throwing_result(frame: *mut Frame, op: &Op) {
    if !leaves_result(op) {
        return;
    }
    let value = slot(frame, op.result);
    release(value);
    (*value).set_undef();
}

/// True if an opline that throws has left a result, be it undefined.
fn leaves_result(op: &Op) -> bool {
    if op.result_type & (IS_TMP_VAR | IS_VAR) == 0
        || op.result_type & (IS_SMART_BRANCH_JMPZ | IS_SMART_BRANCH_JMPNZ) != 0
    {
        return false;
    }
    let Some(facts) = crate::generated::facts::facts(op.opcode) else {
        return false;
    };
    // A rope is of its live range once its ROPE_INIT is reached.
    let is_value = !matches!(facts.result.unwound, Unwinding::Nothing | Unwinding::Rope);
    is_value && !facts.result.same_as_before && !facts.spec.smart_branch
}

/// Makes the place of an opline's result look like a counted value at an address that does not exist. So a
/// handler that throws without having written there is found.
#[cfg(debug_assertions)]
pub unsafe fn poison_result(frame: *mut Frame, opline: *const Op) {
    let op = &*opline;
    let is_operand =
        |kind: u8, operand: u32| kind & (IS_TMP_VAR | IS_VAR) != 0 && operand == op.result;
    if !leaves_result(op) || is_operand(op.op1_type, op.op1) || is_operand(op.op2_type, op.op2) {
        return;
    }
    let data = &*opline.add(1);
    if data.opcode == Opcode::OP_DATA as u8 && is_operand(data.op1_type, data.op1) {
        return;
    }
    let place = slot(frame, op.result);
    crate::frame::poison(place.cast(), size_of::<Zval>());
}

/// Walks the try elements outwards from `element` until one takes the exception.
pub unsafe fn dispatch_try(
    vm: *mut Vm,
    frame: *mut Frame,
    mut element: i64,
    number: u32,
    ops: *const Op,
) -> *const Op {
    let code = op_array(frame);
    while element >= 0 {
        let entry = code.draft.try_catch[element as usize];
        if number < entry.catch_op && !(*vm).exception.is_null() && !(*vm).is_exiting() {
            cleanup_live(vm, frame, number, entry.catch_op);
            let target = ops.add(entry.catch_op as usize);
            (*frame).opline = target;
            return target;
        }
        if number < entry.finally_op {
            if (*vm).is_exiting() {
                element -= 1;
                continue;
            }
            // The exception waits in the FAST_CALL variable while the finally block runs.
            cleanup_live(vm, frame, number, entry.finally_op);
            let variable = slot(frame, (*ops.add(entry.finally_end as usize)).op1);
            (*variable).payload.object = (*vm).exception;
            (*variable).extra = u32::MAX;
            (*vm).exception = std::ptr::null_mut();
            let target = ops.add(entry.finally_op as usize);
            (*frame).opline = target;
            return target;
        }
        if number < entry.finally_end {
            let variable = slot(frame, (*ops.add(entry.finally_end as usize)).op1);
            // A finally block that throws drops a pending return value ...
            if (*variable).extra != u32::MAX {
                let call = ops.add((*variable).extra as usize);
                if (*call).op2_type & (IS_TMP_VAR | IS_VAR) != 0 {
                    let pending = slot(frame, (*call).op2);
                    release(pending);
                    (*pending).set_undef();
                }
            }
            // ... and chains a pending exception to its own.
            let pending = (*variable).payload.object;
            if !pending.is_null() {
                (*variable).payload.object = std::ptr::null_mut();
                if (*vm).is_exiting() {
                    drop(ObjectHandle::from_raw(pending));
                } else if (*vm).exception.is_null() {
                    (*vm).exception = pending;
                } else {
                    crate::exceptions::set_previous(
                        &mut *vm,
                        (*vm).exception,
                        ObjectHandle::from_raw(pending),
                    );
                }
            }
        }
        element -= 1;
    }
    // Nobody here takes it: leave the frame.
    cleanup_live(vm, frame, number, 0);
    if (*frame).call_info() & call_info::GENERATOR != 0 {
        return super::generators::leave(vm, frame);
    }
    let target = (*frame).return_value;
    if !target.is_null() {
        (*target).set_undef();
    }
    super::returns::leave(vm, frame)
}

/// Releases temporaries that are live at `number` but not in the code at `target` (0: leaving).
pub unsafe fn cleanup_live(vm: *mut Vm, frame: *mut Frame, number: u32, target: u32) {
    let code = op_array(frame);
    // A destructor may run, and somebody may look at the frame then: it does not hold the value any more.
    let taken = |variable: *mut Zval| {
        let value = *variable;
        (*variable).set_undef();
        value
    };
    for range in &code.live_ranges {
        if range.start > number {
            break;
        }
        if number >= range.end || (target != 0 && target < range.end) {
            continue;
        }
        let variable = slot(frame, range.variable);
        match range.kind {
            LiveKind::Temporary => {
                if !freed_on_return(code, range.end, target) {
                    release(&taken(variable));
                }
            }
            LiveKind::New => {
                let object = (*variable).object();
                (*object).header.type_info |= crate::value::HEADER_DESTRUCTOR_CALLED;
                release(&taken(variable));
            }
            LiveKind::Loop => {
                if freed_on_return(code, range.end, target) {
                    continue;
                }
                super::iteration::end_loop(vm, &mut taken(variable));
            }
            LiveKind::Silence => {
                if (*variable).kind() == crate::value::LONG {
                    (*vm).end_silence((*variable).long() as u32);
                }
            }
            LiveKind::Rope => {
                let mut at = number;
                let index = loop {
                    match super::strings::rope_of(&*code.ops().add(at as usize)) {
                        Some((rope, index)) if rope == range.variable => break index,
                        _ => at -= 1,
                    }
                };
                super::strings::release_rope(variable, index);
            }
        }
    }
}

/// True if the range ends at a free that is part of a return and the catch block at `target` still
/// lies before the loop's final free: the value is gone already, or lives on.
unsafe fn freed_on_return(code: &OpArray, end: u32, target: u32) -> bool {
    let last = &*code.ops().add(end as usize);
    target != 0
        && last.extended_value & FREE_ON_RETURN != 0
        && (last.opcode == Opcode::FE_FREE as u8 || last.opcode == Opcode::FREE as u8)
        && target < end + last.op2
}

/// Frees the calls whose arguments were being sent when `throwing` threw.
pub unsafe fn cleanup_unfinished_calls(vm: *mut Vm, frame: *mut Frame, throwing: *const Op) {
    release_unfinished_calls(frame, throwing, |call| pop_frame(vm, call));
}

/// Releases what these calls hold, and takes them off the frame, the innermost first.
pub unsafe fn release_unfinished_calls(
    frame: *mut Frame,
    throwing: *const Op,
    mut released: impl FnMut(*mut Frame),
) {
    let mut opline = throwing;
    if !(*frame).call.is_null() && effects((*opline).opcode).opens_call {
        // The throwing INIT has not pushed its frame.
        opline = opline.sub(1);
    }
    // Destructors may run, and somebody may look at the frame then: where it is says nothing of calls any more.
    let mut innermost = std::mem::replace(&mut (*frame).call, std::ptr::null_mut());
    while !innermost.is_null() {
        let call = innermost;
        (*call).this.extra = sent_arguments(call, &mut opline);
        innermost = (*call).previous;
        for number in 0..(*call).argument_count() {
            release((*call).slot(number));
        }
        if (*call).call_info() & call_info::CONSTRUCTOR != 0 && (*call).has_this() {
            (*(*call).this.object()).header.type_info |= crate::value::HEADER_DESTRUCTOR_CALLED;
        }
        release_frame_extras(call);
        released(call);
    }
}

/// How many arguments of the innermost call were sent when `opline` was reached; `opline` is moved
/// in front of that call.
pub unsafe fn sent_arguments(call: *mut Frame, opline: &mut *const Op) -> u32 {
    let mut level = 0;
    let mut sent = None;
    loop {
        let op = &**opline;
        *opline = opline.sub(1);
        if effects(op.opcode).closes_call {
            level += 1;
        } else if effects(op.opcode).opens_call {
            if level == 0 {
                return sent.unwrap_or(0);
            }
            level -= 1;
        } else if level == 0 && sent.is_none() {
            sent = sent_by(op, call);
        }
    }
}

/// How many arguments the call has once `op`, a SEND, has run.
unsafe fn sent_by(op: &Op, call: *mut Frame) -> Option<u32> {
    let facts = crate::generated::facts::facts(op.opcode)?;
    let sends = facts.result.place == ResultPlace::Argument;
    match facts.effects.moves_call || sends && op.op2_type == IS_CONST {
        true => Some((*call).argument_count()),
        false => sends.then_some(op.op2),
    }
}

/// What the definition says of an opcode.
pub(crate) fn effects(opcode: u8) -> &'static EffectFacts {
    let facts = crate::generated::facts::facts(opcode);
    facts.map_or(&EffectFacts::NONE, |facts| &facts.effects)
}

/// CATCH.
pub unsafe fn catch(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    const LAST_CATCH: u32 = 1;
    let op = &*opline;
    if (*vm).exception.is_null() {
        return jump_target(opline, op.op2);
    }
    let cached = cache::<crate::class::Class>(frame, op.extended_value & !LAST_CATCH);
    let mut class = *cached;
    if class.is_null() {
        let name = constant(opline, op.op1).add(1);
        if let Some(found) = (*vm).find_class((*(*name).string()).as_bytes()) {
            class = found;
            *cached = class;
        }
    }
    let exception = (*vm).exception;
    if class.is_null() || !(*(*exception).class).is_subclass_of(class) {
        if op.extended_value & LAST_CATCH != 0 {
            (*vm).opline_before_exception = opline;
            return handle_rethrow(frame, opline, vm);
        }
        return jump_target(opline, op.op2);
    }
    (*vm).exception = std::ptr::null_mut();
    let value = Zval::from_object(exception);
    if op.result_type == IS_UNUSED {
        release(&value);
    } else {
        let variable = slot(frame, op.result);
        super::assign::assign_caught(vm, variable, value);
    }
    next(frame)
}

/// Goes on unwinding from a CATCH that does not take the exception.
unsafe fn handle_rethrow(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*vm).opline_before_exception = opline;
    handle_exception(frame, opline, vm)
}

/// THROW.
pub unsafe fn throw(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let value = read_op1(frame, opline, vm);
    if (*value).kind() != OBJECT {
        if (*vm).exception.is_null() {
            (*vm).throw_error(KnownClass::Error, "Can only throw objects");
        }
        free_op1(frame, opline);
        return next(frame);
    }
    let object = ObjectHandle::share_raw((*value).object());
    free_op1(frame, opline);
    let throwable = (*vm).known_class(KnownClass::Throwable);
    if !object.class().is_subclass_of(throwable) {
        (*vm).throw_error(
            KnownClass::Error,
            "Cannot throw objects that do not implement Throwable",
        );
        return next(frame);
    }
    (*vm).throw_object(object);
    next(frame)
}

/// FAST_CALL: runs a finally block and comes back.
pub unsafe fn fast_call(frame: *mut Frame, opline: *const Op, _vm: *mut Vm) -> *const Op {
    note_call(frame, opline, result(frame, opline));
    jump_target(opline, (*opline).op1)
}

/// Notes where the end of a finally block goes on: behind the opline that called it.
pub(super) unsafe fn note_call(frame: *mut Frame, opline: *const Op, state: *mut Zval) {
    (*state).payload.object = std::ptr::null_mut();
    (*state).extra = number_of(frame, opline);
    (*state).type_info = UNDEF as u32;
}

/// FAST_RET: the end of a finally block.
pub unsafe fn fast_ret(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    let op = &*opline;
    let variable = slot(frame, op.op1);
    if (*variable).extra != u32::MAX {
        return ops(frame).add((*variable).extra as usize + 1);
    }
    // The block ran because of an exception: go on with it.
    let pending = (*variable).payload.object;
    (*variable).payload.object = std::ptr::null_mut();
    (*vm).exception = pending;
    let element = if op.op2_type == IS_UNUSED && op.op2 == u32::MAX {
        -1
    } else {
        op.op2 as i32 as i64
    };
    let number = number_of(frame, opline);
    (*frame).opline = opline;
    dispatch_try(vm, frame, element, number, ops(frame))
}

/// DISCARD_EXCEPTION: a finally block that returns or breaks out.
pub unsafe fn discard_exception(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let variable = slot(frame, (*opline).op1);
    if (*variable).extra != u32::MAX {
        let call = ops(frame).add((*variable).extra as usize);
        if (*call).op2_type & (IS_TMP_VAR | IS_VAR) != 0 {
            let pending = slot(frame, (*call).op2);
            let value = *pending;
            (*pending).set_null();
            release(&value);
        }
    }
    let pending = (*variable).payload.object;
    if !pending.is_null() {
        (*variable).payload.object = std::ptr::null_mut();
        drop(ObjectHandle::from_raw(pending));
    }
    let _ = vm;
    next(frame)
}

/// BEGIN_SILENCE: `@`.
pub unsafe fn begin_silence(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let old = (*vm).begin_silence();
    *result(frame, opline) = Zval::from_long(old as i64);
    opline.add(1)
}

/// END_SILENCE.
pub unsafe fn end_silence(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    let old = (*slot(frame, (*opline).op1)).long();
    (*vm).end_silence(old as u32);
    opline.add(1)
}

/// The oplines that exceptions redirect to.
pub fn handler_ops() -> Box<[Op; 3]> {
    let mut op = Op::new(Opcode::HANDLE_EXCEPTION as u8, 0);
    if let Some(handler) = crate::generated::handler_of(&op) {
        op.handler = handler;
    }
    Box::new([op; 3])
}

impl Vm {
    /// True while `exit` leaves all frames.
    pub fn is_exiting(&self) -> bool {
        // SAFETY: I3: a pending exception is live.
        !self.exception.is_null() && unsafe { crate::exceptions::is_exit(&*self.exception) }
    }

    /// Sends the current user frame to HANDLE_EXCEPTION. Nothing to do if native code is running
    /// or the frame has been sent there already.
    pub fn redirect_to_exception_handler(&mut self) {
        // SAFETY: I4: the current frame is live.
        unsafe {
            let frame = self.current_frame;
            if frame.is_null() || !(*frame).is_user() {
                return;
            }
            let handler = self.exception_ops.as_ptr();
            if (*frame).opline == handler {
                return;
            }
            self.opline_before_exception = (*frame).opline;
            (*frame).opline = handler;
        }
    }

    /// Takes back that the current frame was sent to HANDLE_EXCEPTION: nothing is pending any more.
    pub(crate) fn undo_redirection(&mut self) {
        let frame = self.current_frame;
        // SAFETY: I4: the current frame is live. Whatever threw while it was redirected has left the opline that
        // it was at.
        unsafe {
            let is_redirected = !frame.is_null()
                && (*frame).is_user()
                && (*frame).opline == self.exception_ops.as_ptr();
            if is_redirected {
                (*frame).opline = self.opline_before_exception;
            }
        }
    }
}
