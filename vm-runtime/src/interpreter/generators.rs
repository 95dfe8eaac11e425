//! Generators: GENERATOR_CREATE, YIELD, YIELD_FROM, GENERATOR_RETURN.
//!
//! A generator's frame lives on the heap. It is flagged TOP, so that leaving it ends the nested
//! interpreter loop that resumed it; YIELD ends that loop too, by giving no next opline. FE_FETCH_R
//! resumes without such a loop: it takes the flag away, and control comes back to the frame in
//! `previous`, which has been given the element by then. In the frame's `return_value` stands the Generator object, which owns the frame.

mod class;
mod delegation;
mod destroy;
mod frame;
pub mod inspect;
mod iterate;
mod resume;
mod state;

pub(crate) use class::CLASS;
pub use frame::move_to_heap;
pub use iterate::{
    check_iterable, check_loop, fetch, fetch_element, is_generator, loop_fetch, loop_start, walk,
};
pub use resume::resume;
pub use state::{Generator, data};

use crate::exceptions::KnownClass;
use crate::frame::{Frame, call_info};
use crate::function::flags;
use crate::interpreter::assign::{free_write_operand, take_operand};
use crate::interpreter::calls::pop_frame;
use crate::interpreter::operand::*;
use crate::op::{IS_CONST, IS_TMP_VAR, IS_UNUSED, IS_VAR, Op};
use crate::value::{
    ARRAY, ArrayHandle, LONG, OBJECT, ObjectHandle, REFERENCE, Zval, make_reference, release,
};
use crate::vm::{PhpResult, Thrown, Vm};
use iterate::{Resumed, come_back};
use state::Source;
pub(crate) use state::of_frame;

/// GENERATOR_CREATE: the frame moves to the heap, and the caller gets a Generator.
pub unsafe fn create(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let target = (*frame).return_value;
    if target.is_null() {
        // Nobody wants the generator, so it never runs.
        return super::returns::leave(vm, frame);
    }
    let object = frame::move_to_heap(vm, frame);
    *target = Zval::from_object(object.into_raw());
    let previous = (*frame).previous;
    let info = (*frame).call_info();
    (*vm).current_frame = previous;
    pop_frame(vm, frame);
    if info & call_info::TOP != 0 {
        return std::ptr::null();
    }
    (*previous).opline.add(1)
}

/// Throws on behalf of an opline that cannot suspend its generator.
unsafe fn refuse(frame: *mut Frame, opline: *const Op, vm: *mut Vm, message: &str) -> *const Op {
    (*vm).throw_error(KnownClass::Error, message);
    free_op2(frame, opline);
    free_op1(frame, opline);
    if result_used(opline) {
        (*result(frame, opline)).set_undef();
    }
    next(frame)
}

/// YIELD: stores value and key and gives control back to who resumed the generator.
pub unsafe fn yield_(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let generator = of_frame(frame);
    if (*generator).forced_close {
        return refuse(
            frame,
            opline,
            vm,
            "Cannot yield from finally in a force-closed generator",
        );
    }
    (*generator).release_yielded();
    (*generator).value = if op.op1_type == IS_UNUSED {
        Zval::NULL
    } else if (*(*frame).function).flags & flags::RETURN_REFERENCE != 0 {
        yielded_reference(frame, opline, vm)
    } else {
        take_operand(frame, opline, vm, op.op1_type, op.op1)
    };
    if op.op2_type == IS_UNUSED {
        (*generator).largest_key = (*generator).largest_key.wrapping_add(1);
        (*generator).key = Zval::from_long((*generator).largest_key);
    } else {
        let key = take_operand(frame, opline, vm, op.op2_type, op.op2);
        if key.kind() == LONG && key.long() > (*generator).largest_key {
            (*generator).largest_key = key.long();
        }
        (*generator).key = key;
    }
    (*generator).send_target = if result_used(opline) {
        let target = result(frame, opline);
        *target = Zval::NULL;
        target
    } else {
        std::ptr::null_mut()
    };
    // What a warning threw ends the generator: it is suspended here all the same.
    (*frame).opline = opline;
    give_back(vm, frame, Resumed::Element(of_frame(frame)))
}

/// The value that `function &f()` yields: a reference to the variable, if there is one.
unsafe fn yielded_reference(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> Zval {
    const FUNCTION_RESULT: u32 = 1;
    let op = &*opline;
    if op.op1_type & (IS_CONST | IS_TMP_VAR) != 0 {
        (*vm).notice("Only variable references should be yielded by reference");
        return take_operand(frame, opline, vm, op.op1_type, op.op1);
    }
    let variable = write_op1(frame, opline);
    let is_result = op.op1_type == IS_VAR && op.extended_value == FUNCTION_RESULT;
    if is_result && (*variable).kind() != REFERENCE {
        (*vm).notice("Only variable references should be yielded by reference");
        return take_operand(frame, opline, vm, op.op1_type, op.op1);
    }
    make_reference(&mut (*vm).heap, variable);
    let value = (*variable).share();
    if op.op1_type == IS_VAR {
        free_write_operand(frame, opline);
    }
    value
}

/// YIELD_FROM: gives the values of an array, a Traversable or another generator.
pub unsafe fn yield_from(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let generator = of_frame(frame);
    if (*generator).forced_close {
        return refuse(
            frame,
            opline,
            vm,
            "Cannot use \"yield from\" in a force-closed generator",
        );
    }
    let target = result(frame, opline);
    (*target).set_undef();
    let values = read_op1(frame, opline, vm);
    match (*values).kind() {
        ARRAY => {
            let array = ArrayHandle::share_raw((*values).array());
            free_op1(frame, opline);
            (*generator).source = Some(Source::Array { array, position: 0 });
        }
        OBJECT if super::iteration::is_traversable(&*values) => {
            let object = ObjectHandle::share_raw((*values).object());
            free_op1(frame, opline);
            if delegate_to(vm, generator, object).is_err() {
                return next(frame);
            }
        }
        OBJECT if super::iteration::is_unpacked(&*values) => {
            let object = ObjectHandle::share_raw((*values).object());
            free_op1(frame, opline);
            (*generator).source = Some(Source::Properties {
                object,
                position: 0,
            });
        }
        _ => {
            (*vm).throw_error(
                KnownClass::Error,
                "Can use \"yield from\" only with arrays and Traversables",
            );
            free_op1(frame, opline);
            return next(frame);
        }
    }
    if !(*vm).exception.is_null() {
        return next(frame);
    }
    *target = Zval::NULL;
    (*generator).send_target = std::ptr::null_mut();
    give_back(vm, frame, Resumed::Delegating)
}

/// Makes `generator` give the values of a Traversable.
unsafe fn delegate_to(
    vm: *mut Vm,
    generator: *mut Generator,
    object: ObjectHandle,
) -> PhpResult<()> {
    if !is_generator(&*vm, &object) {
        let iterator = super::iteration::iterator_of(&mut *vm, &object)?;
        if !is_generator(&*vm, &iterator) {
            (*vm).call_method(&iterator, b"rewind", Vec::new())?;
            (*generator).source = Some(Source::Iterator {
                iterator,
                started: false,
            });
            return Ok(());
        }
        // An IteratorAggregate that gives a generator is not a delegation.
        iterate::check_open(vm, data(iterator.as_ptr()))?;
        iterate::rewind(vm, data(iterator.as_ptr()))?;
        (*generator).source = Some(Source::Iterator {
            iterator,
            started: false,
        });
        return Ok(());
    }
    let child = data(object.as_ptr());
    if (*child).frame.is_null() {
        return Err((*vm).throw_error(
            KnownClass::Error,
            "Generator passed to yield from was aborted without proper return and is unable to continue",
        ));
    }
    if delegation::current(vm, child) == generator {
        return Err((*vm).throw_error(
            KnownClass::Error,
            "Impossible to yield from the Generator being currently run",
        ));
    }
    if !(*vm).exception.is_null() {
        return Err(Thrown);
    }
    delegation::link(generator, object);
    Ok(())
}

/// GENERATOR_RETURN: keeps the value for `getReturn()` and ends the generator.
pub unsafe fn return_(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    let op = &*opline;
    let generator = of_frame(frame);
    let value = take_operand(frame, opline, vm, op.op1_type, op.op1);
    if !(*vm).exception.is_null() {
        release(&value);
        return next(frame);
    }
    (*generator).returned = value;
    leave(vm, frame)
}

/// Gives control back to who resumed the generator, which holds what it yields.
pub unsafe fn suspend(frame: *mut Frame, _opline: *const Op, vm: *mut Vm) -> *const Op {
    give_back(vm, frame, Resumed::Element(of_frame(frame)))
}

/// Gives control back to who resumed the generator.
unsafe fn give_back(vm: *mut Vm, frame: *mut Frame, resumed: Resumed) -> *const Op {
    if (*frame).call_info() & call_info::TOP != 0 {
        return std::ptr::null();
    }
    let generator = of_frame(frame);
    let consumer = (*frame).previous;
    // A destructor that throws below redirects the frame.
    let opline = (*consumer).opline;
    (*frame).add_call_info(call_info::TOP);
    if !(*frame).call.is_null() {
        frame::freeze_calls(vm, generator);
    }
    (*generator).running = false;
    (*vm).current_frame = consumer;
    if !(*vm).exception.is_null() {
        frame::close(vm, generator, false);
    }
    come_back(consumer, opline, vm, resumed)
}

/// Ends a generator that holds what it returns.
pub unsafe fn finish(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    leave(vm, frame)
}

/// Leaves a generator's frame for good, by return or by exception. It owns nothing any more that
/// the unwinder would have to release.
pub unsafe fn leave(vm: *mut Vm, frame: *mut Frame) -> *const Op {
    let generator = of_frame(frame);
    let consumer = (*frame).previous;
    (*vm).current_frame = consumer;
    if (*frame).call_info() & call_info::TOP != 0 {
        frame::close(vm, generator, true);
        return std::ptr::null();
    }
    let opline = (*consumer).opline;
    frame::close(vm, generator, true);
    (*generator).running = false;
    come_back(consumer, opline, vm, Resumed::Ended)
}
