//! `foreach` over generators, and iteration for native code, without method calls.

use crate::class::Fetched;
use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::function::flags;
use crate::generated::Opcode;
use crate::interpreter::assign::bind_reference;
use crate::interpreter::generators::delegation::current;
use crate::interpreter::generators::resume::{resume, start};
use crate::interpreter::generators::state::{Generator, data};
use crate::interpreter::iteration::{Visit, loop_end, no_key, store_value};
use crate::interpreter::operand::*;
use crate::object::PhpObject;
use crate::op::{IS_CV, Op};
use crate::value::{ObjectHandle, Value};
use crate::vm::{PhpResult, Thrown, Vm};

/// True for a Generator object.
#[inline]
pub fn is_generator(vm: &Vm, object: &PhpObject) -> bool {
    object.class == vm.known_class(KnownClass::Generator)
}

/// Fails for a generator that has ended.
pub unsafe fn check_open(vm: *mut Vm, generator: *mut Generator) -> PhpResult<()> {
    if (*generator).frame.is_null() {
        return Err((*vm).throw_error(
            KnownClass::Exception,
            "Cannot traverse an already closed generator",
        ));
    }
    Ok(())
}

/// Fails for a generator that has ended, for native code that is about to iterate over it.
pub fn check_iterable(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<()> {
    if !is_generator(vm, object) {
        return Ok(());
    }
    // SAFETY: the module's contract: the object is a generator of this VM.
    unsafe { check_open(vm, data(object.as_ptr())) }
}

/// Starts a generator. Fails if it has gone past its first `yield`.
pub unsafe fn rewind(vm: *mut Vm, generator: *mut Generator) -> PhpResult<()> {
    start(vm, generator);
    (*vm).check()?;
    if !(*generator).at_first_yield {
        return Err((*vm).throw_error(
            KnownClass::Exception,
            "Cannot rewind a generator that was already run",
        ));
    }
    Ok(())
}

/// Fails if there can be no loop over a generator.
pub unsafe fn check_loop(vm: *mut Vm, object: *mut PhpObject, by_reference: bool) -> PhpResult<()> {
    let generator = data(object);
    check_open(vm, generator)?;
    if by_reference && (*(*(*generator).frame).function).flags & flags::RETURN_REFERENCE == 0 {
        return Err((*vm).throw_error(
            KnownClass::Exception,
            "You can only iterate a generator by-reference if it declared that it yields by-reference",
        ));
    }
    Ok(())
}

/// Starts a loop over a generator; true if it has a value.
pub unsafe fn loop_start(vm: *mut Vm, object: *mut PhpObject) -> PhpResult<bool> {
    let generator = data(object);
    rewind(vm, generator)?;
    is_valid(vm, generator)
}

/// True if the generator has a value.
pub unsafe fn is_valid(vm: *mut Vm, generator: *mut Generator) -> PhpResult<bool> {
    current(vm, generator);
    (*vm).check()?;
    Ok(!(*generator).frame.is_null())
}

/// The generator that holds the current value and key of a loop over `object`; `advance` goes on
/// to the next ones. None at the end.
#[inline]
pub unsafe fn loop_fetch(
    vm: *mut Vm,
    object: *mut PhpObject,
    advance: bool,
) -> PhpResult<Option<*mut Generator>> {
    let generator = data(object);
    if advance {
        start(vm, generator);
        resume(vm, generator);
        (*vm).check()?;
    }
    let node = current(vm, generator);
    (*vm).check()?;
    Ok((!(*generator).frame.is_null()).then_some(node))
}

/// What a generator has come to that FE_FETCH_R resumed.
pub enum Resumed {
    /// It holds the next element.
    Element(*mut Generator),
    /// It delegates to something, which has to be asked.
    Delegating,
    /// It has ended.
    Ended,
}

/// Goes on in the frame whose FE_FETCH_R, `opline`, has resumed a generator.
pub unsafe fn come_back(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    resumed: Resumed,
) -> *const Op {
    if !(*vm).exception.is_null() {
        (*vm).redirect_to_exception_handler();
        return no_key(frame, opline);
    }
    match resumed {
        Resumed::Element(generator) => give_element(frame, opline, vm, generator),
        Resumed::Delegating => opline,
        Resumed::Ended => loop_end(opline),
    }
}

/// The next element of a loop over a generator.
pub unsafe fn fetch(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    iterator: &ObjectHandle,
    advance: bool,
) -> *const Op {
    let generator = match loop_fetch(vm, iterator.as_ptr(), advance) {
        Ok(Some(generator)) => generator,
        Ok(None) => return loop_end(opline),
        Err(Thrown) => return no_key(frame, opline),
    };
    give_element(frame, opline, vm, generator)
}

/// Gives a loop what a generator holds.
unsafe fn give_element(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    generator: *mut Generator,
) -> *const Op {
    if result_used(opline) {
        *result(frame, opline) = (*generator).key.share_deref();
    }
    if (*opline).opcode == Opcode::FE_FETCH_RW as u8 && (*opline).op2_type == IS_CV {
        bind_reference(vm, slot(frame, (*opline).op2), &raw mut (*generator).value);
    } else {
        store_value(frame, opline, vm, (*generator).value.share_deref());
    }
    next(frame)
}

/// The next element of a generator for native code, or if it does not go on the present one.
pub fn fetch_element(
    vm: &mut Vm,
    object: &ObjectHandle,
    goes_on: bool,
    wants_key: bool,
) -> PhpResult<Option<Fetched>> {
    // SAFETY: the module's contract: the object is a generator of this VM.
    unsafe {
        start(vm, data(object.as_ptr()));
        vm.check()?;
        let found = loop_fetch(vm, object.as_ptr(), goes_on)?;
        Ok(found.map(|node| {
            // A generator by reference gives references.
            let value = Value::from_zval((*node).value.share());
            (value, wants_key.then(|| Value::share(&(*node).key)))
        }))
    }
}

/// Calls `visit` with each key and value.
pub fn walk(vm: &mut Vm, object: &ObjectHandle, visit: &mut Visit<'_>) -> PhpResult<()> {
    // SAFETY: the module's contract: the object is a generator of this VM.
    unsafe {
        check_open(vm, data(object.as_ptr()))?;
        let mut more = loop_start(vm, object.as_ptr())?;
        let mut advance = false;
        while more {
            match loop_fetch(vm, object.as_ptr(), advance)? {
                Some(node) => {
                    // A generator by reference gives references.
                    let value = Value::from_zval((*node).value.share());
                    let key = Value::share(&(*node).key);
                    if visit(vm, key, value)?.is_break() {
                        break;
                    }
                }
                None => more = false,
            }
            advance = true;
        }
    }
    Ok(())
}
