//! A generator's frame: moved to the heap, its half-made calls put away and back, closed.

use std::mem::MaybeUninit;
use std::ptr::{copy_nonoverlapping, null_mut};

use crate::exceptions::KnownClass;
use crate::frame::{Frame, HEADER_SLOTS, call_info};
use crate::generated::Opcode;
use crate::heap::Heap;
use crate::interpreter::calls::{extend_stack, frame_bytes, pop_frame};
use crate::interpreter::exceptions::{cleanup_live, cleanup_unfinished_calls};
use crate::interpreter::generators::state::{FrozenCall, Generator};
use crate::interpreter::operand::{result, result_used};
use crate::interpreter::returns::{release_extra_arguments, release_variables};
use crate::interpreter::suspended::{visit_frame, visit_prepared};
use crate::interpreter::variables::drop_symbol_table;
use crate::object::PhpObject;
use crate::value::{ObjectHandle, Value, Zval, release};
use crate::vm::Vm;

/// Makes a Generator of a frame on the VM stack, whose arguments and CVs it takes over.
pub unsafe fn move_to_heap(vm: *mut Vm, frame: *mut Frame) -> ObjectHandle {
    let function = (*frame).function;
    let count = (*frame).argument_count();
    let bytes = frame_bytes(function, count);
    let moved = (*vm).heap.allocate(bytes).cast::<Frame>().as_ptr();
    let class = (*vm).known_class(KnownClass::Generator);
    let object = PhpObject::allocate(&mut *vm, class);
    // Header and CVs; temporaries hold nothing yet.
    let used = (HEADER_SLOTS + (*function).variables) as usize;
    copy_nonoverlapping(frame.cast::<Zval>(), moved.cast::<Zval>(), used);
    let extra = count.saturating_sub((*function).parameter_count);
    copy_nonoverlapping(
        (*frame).slot((*function).slots),
        (*moved).slot((*function).slots),
        extra as usize,
    );
    let info = (*frame).call_info();
    if (*frame).has_this() && info & call_info::RELEASE_THIS == 0 {
        (*(*frame).this.object()).header.refcount += 1;
        (*moved).add_call_info(call_info::RELEASE_THIS);
    }
    // The generator keeps the closure, also when it has ended.
    let closure =
        (info & call_info::CLOSURE != 0).then(|| ObjectHandle::from_raw((*function).closure));
    (*moved).remove_call_info(
        call_info::ALLOCATED | call_info::CONSTRUCTOR | call_info::NOTES_THIS | call_info::CLOSURE,
    );
    (*moved).add_call_info(call_info::TOP | call_info::GENERATOR);
    (*moved).previous = null_mut();
    (*moved).call = null_mut();
    (*moved).return_value = object.as_ptr().cast();
    let native = Generator::new(object.as_ptr(), moved, closure);
    (*object.as_ptr()).native = Some(Box::new(native));
    object
}

/// Takes the calls that are being prepared off the VM stack.
pub unsafe fn freeze_calls(vm: *mut Vm, generator: *mut Generator) {
    let frame = (*generator).frame;
    let mut call = (*frame).call;
    while !call.is_null() {
        let slots = frame_bytes((*call).function, (*call).argument_count()) / size_of::<Zval>();
        let mut frozen: FrozenCall = Box::new_uninit_slice(slots);
        copy_nonoverlapping(call.cast::<MaybeUninit<Zval>>(), frozen.as_mut_ptr(), slots);
        let previous = (*call).previous;
        pop_frame(vm, call);
        (*generator).frozen.push(frozen);
        call = previous;
    }
    (*frame).call = null_mut();
}

/// Pushes the calls that were being prepared on the VM stack again.
pub unsafe fn restore_calls(vm: *mut Vm, generator: *mut Generator) {
    let frame = (*generator).frame;
    while let Some(frozen) = (*generator).frozen.pop() {
        let bytes = size_of_val(&*frozen);
        let stack = &mut (*vm).stack;
        let own_page = !stack.has_room(bytes);
        let call = if own_page {
            extend_stack(vm, bytes)
        } else {
            let place = stack.top;
            stack.top = place.byte_add(bytes);
            place
        }
        .cast::<Frame>();
        copy_nonoverlapping(
            frozen.as_ptr(),
            call.cast::<MaybeUninit<Zval>>(),
            frozen.len(),
        );
        if own_page {
            (*call).add_call_info(call_info::ALLOCATED);
        } else {
            (*call).remove_call_info(call_info::ALLOCATED);
        }
        (*call).previous = (*frame).call;
        (*frame).call = call;
    }
}

/// Ends a generator: its frame is released and freed. `finished` says that it ran to its end, so
/// that there are neither temporaries nor calls being prepared.
pub unsafe fn close(vm: *mut Vm, generator: *mut Generator, finished: bool) {
    let frame = (*generator).frame;
    if frame.is_null() {
        return;
    }
    if !finished {
        // Needs the frame to be found; releases what it held at the opline it stopped at.
        restore_calls(vm, generator);
    }
    // From here on it counts as ended, whatever the destructors of its variables do.
    (*generator).frame = null_mut();
    (*generator).send_target = null_mut();
    let info = (*frame).call_info();
    release_variables(frame);
    if info & call_info::HAS_SYMBOL_TABLE != 0 {
        drop_symbol_table(vm, frame);
    }
    if info & call_info::HAS_EXTRA_NAMED != 0 && !(*frame).extra_named.is_null() {
        release(&Zval::from_array((*frame).extra_named));
    }
    if info & call_info::RELEASE_THIS != 0 {
        release(&Zval::from_object((*frame).this.object()));
    }
    if info & call_info::FREE_EXTRA_ARGUMENTS != 0 {
        release_extra_arguments(frame);
    }
    if !finished {
        abandon(vm, frame, 0);
    }
    Heap::free(frame);
}

/// Releases what a suspended frame was in the middle of: calls and temporaries, except those that
/// are live at opline `target` too (0: all).
pub unsafe fn abandon(vm: *mut Vm, frame: *mut Frame, target: u32) {
    let number = (*(*frame).function).index_of((*frame).opline) as u32;
    drop(take_result_of_delegation(frame));
    cleanup_unfinished_calls(vm, frame, (*frame).opline);
    cleanup_live(vm, frame, number, target);
}

/// Takes what a suspended frame was given as the result of its `yield from` before it was resumed.
pub unsafe fn take_result_of_delegation(frame: *mut Frame) -> Option<Value> {
    let place = result_of_delegation(frame)?;
    Some(Value::from_zval(std::mem::replace(&mut *place, Zval::NULL)))
}

/// Where a frame suspended at `yield from` has the result of it: no live range names it yet, for the opline that gives
/// the result has not ended. It is `null` until whoever it delegates to has ended.
unsafe fn result_of_delegation(frame: *mut Frame) -> Option<*mut Zval> {
    let number = (*(*frame).function).find((*frame).opline)?;
    let opline = (*(*frame).function).ops.add(number);
    ((*opline).opcode == Opcode::YIELD_FROM as u8 && result_used(opline))
        .then(|| result(frame, opline))
}

/// Shows the cycle collector what a suspended generator's frame owns.
pub unsafe fn visit(generator: &Generator, visitor: &mut dyn FnMut(&Zval)) {
    visit_frame(generator.frame, visitor);
    if !generator.running
        && let Some(place) = result_of_delegation(generator.frame)
    {
        visitor(&*place);
    }
    let mut opline = (*generator.frame).opline;
    for frozen in &generator.frozen {
        let call = frozen.as_ptr().cast::<Frame>().cast_mut();
        visit_prepared(call, &mut opline, visitor);
    }
}
