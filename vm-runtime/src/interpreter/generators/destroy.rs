//! Destroying a generator that has not ended: its finally blocks still run.

use std::ptr::null_mut;

use crate::frame::Frame;
use crate::interpreter::generators::delegation;
use crate::interpreter::generators::frame::{abandon, close, restore_calls};
use crate::interpreter::generators::resume::resume;
use crate::interpreter::generators::state::{Generator, data};
use crate::interpreter::operand::slot;
use crate::object::PhpObject;
use crate::op::{IS_TMP_VAR, IS_VAR};
use crate::op_array::OpArray;
use crate::value::{ObjectHandle, Zval, release};
use crate::vm::Vm;

/// The destructor of Generator objects.
pub fn destruct(vm: &mut Vm, object: *mut PhpObject) {
    // SAFETY: the module's contract: the object is a generator of this VM.
    unsafe {
        let generator = data(object);
        let known_idle = std::mem::replace(&mut vm.idle_generator, null_mut()) == generator;
        if !known_idle && runs(generator) {
            // In a suspended fiber, whose end is the generator's end.
            (*generator).forced_close = true;
            return;
        }
        let source = (*generator).source.take();
        drop(source);
        // What it delegates to does not run either: a long chain is walked once.
        let delegate = (*generator).delegate.as_ref();
        vm.idle_generator = delegate.map_or(null_mut(), |delegate| data(delegate.as_ptr()));
        delegation::unlink(generator);
        vm.idle_generator = null_mut();
        if !(*generator).frame.is_null() {
            run_finally(vm, generator);
        }
        close(vm, generator, false);
    }
}

/// True if the generator, or one that it delegates to, is being executed.
unsafe fn runs(generator: *mut Generator) -> bool {
    let mut node = generator;
    while !(*node).running {
        // Only the end of a chain runs: what stands before a known end is passed.
        match delegation::below(node) {
            Some((next, _)) => node = next,
            None => return false,
        }
    }
    true
}

/// Runs the innermost finally block around the place where a generator is suspended, and what follows it. What is
/// pending, or thrown by temporaries that go before, waits: the block cannot drop it.
unsafe fn run_finally(vm: *mut Vm, generator: *mut Generator) {
    let frame = (*generator).frame;
    let code: &OpArray = &*(*(*frame).function).op_array;
    let number = (*(*frame).function).index_of((*frame).opline) as u32;
    let ops = (*(*frame).function).ops;
    // Its frame is taken apart: destructors that run meanwhile cannot resume it.
    (*generator).running = true;
    for entry in code.draft.try_catch.iter().rev() {
        if entry.try_op > number || (number >= entry.catch_op && number >= entry.finally_end) {
            continue;
        }
        if number < entry.finally_op {
            let pending = (*vm).take_exception();
            restore_calls(vm, generator);
            // What destructors throw here belongs to the generator.
            let original = (*vm).current_frame;
            (*frame).previous = original;
            (*vm).current_frame = frame;
            abandon(vm, frame, entry.finally_op);
            (*vm).put_back_exception(pending);
            let pending = (*vm).take_exception();
            (*vm).current_frame = original;
            let state = slot(frame, (*ops.add(entry.finally_end as usize)).op1);
            *state = Zval {
                extra: u32::MAX,
                ..Zval::UNDEF
            };
            (*state).payload.object = null_mut();
            // Resuming goes on behind this opline.
            (*frame).opline = ops.add(entry.finally_op as usize).sub(1);
            (*generator).forced_close = true;
            // There is no generator behind `yield from` any more whose value would come first.
            (*generator).handed_over = false;
            (*generator).running = false;
            resume(vm, generator);
            (*vm).put_back_exception(pending);
            return;
        }
        if number < entry.finally_end {
            leave_finally(frame, code, entry.finally_end);
        }
    }
    (*generator).running = false;
}

/// Drops what waits for the end of the finally block that the frame is in.
unsafe fn leave_finally(frame: *mut Frame, code: &OpArray, finally_end: u32) {
    let ops = code.ops();
    let state = slot(frame, (*ops.add(finally_end as usize)).op1);
    if (*state).extra != u32::MAX {
        let call = ops.add((*state).extra as usize);
        if (*call).op2_type & (IS_TMP_VAR | IS_VAR) != 0 {
            let pending = slot(frame, (*call).op2);
            release(pending);
            (*pending).set_undef();
        }
    }
    let pending = (*state).payload.object;
    if !pending.is_null() {
        (*state).payload.object = null_mut();
        drop(ObjectHandle::from_raw(pending));
    }
}
