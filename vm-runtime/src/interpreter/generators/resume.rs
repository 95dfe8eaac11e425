//! Resuming generators.

use crate::class::Step;
use crate::exceptions::KnownClass;
use crate::interpreter::dispatch;
use crate::interpreter::generators::delegation::{innermost, rethrow};
use crate::interpreter::generators::frame::{close, freeze_calls, restore_calls};
use crate::interpreter::generators::state::{Generator, Source};
use crate::interpreter::generators::{is_generator, loop_fetch};
use crate::interpreter::iteration::next_with_hooks;
use crate::interpreter::operand::indirect;
use crate::value::{ObjectHandle, Value, Zval, release};
use crate::vm::{PhpResult, Vm};

/// Runs a generator to its next `yield`, to its end, or until it throws. With a pending exception,
/// which has redirected the frame of the generator that is to run, that is where it goes on.
pub unsafe fn resume(vm: *mut Vm, outer: *mut Generator) {
    if (*outer).frame.is_null() {
        return;
    }
    if (*vm).exception.is_null() && (*vm).native_stack_is_low() {
        (*vm).throw_stack_overflow();
        return;
    }
    let original = (*vm).current_frame;
    loop {
        let node = innermost(vm, outer);
        if (*node).frame.is_null() {
            break;
        }
        if (*node).running {
            (*vm).throw_error(
                KnownClass::Error,
                "Cannot resume an already running generator",
            );
            return;
        }
        if (*outer).handed_over && (*vm).exception.is_null() && !(*node).value.is_undef() {
            // The generator behind `yield from` has been started: its current value comes first.
            break;
        }
        (*outer).at_first_yield = false;
        (*(*outer).frame).previous = original;
        (*vm).current_frame = (*node).frame;
        (*node).running = true;
        if (*node).source.is_some() && (*vm).exception.is_null() && next_of_source(vm, node) {
            (*node).running = false;
            break;
        }
        run(vm, node);
        if !(*vm).exception.is_null() {
            // As long as it runs, nobody else takes the exception for its result.
            close(vm, node, false);
        }
        (*node).running = false;
        if node != outer {
            // It is `outer` that gets the first value of what this one hands over to.
            (*node).handed_over = false;
        }
        (*vm).current_frame = original;
        if !(*vm).exception.is_null() {
            if node == outer {
                break;
            }
            rethrow(vm, outer, node);
            (*outer).handed_over = false;
        } else if (*node).frame.is_null() {
            if node == outer {
                break;
            }
        } else if (*node).delegate.is_none() && (*node).source.is_none() {
            break;
        }
    }
    (*outer).handed_over = false;
    (*vm).current_frame = original;
    if !(*vm).exception.is_null() {
        (*vm).redirect_to_exception_handler();
    }
}

/// Executes the frame of a generator from behind the opline it was suspended at.
unsafe fn run(vm: *mut Vm, node: *mut Generator) {
    let frame = (*node).frame;
    if !(*node).frozen.is_empty() {
        restore_calls(vm, node);
    }
    if (*vm).exception.is_null() {
        (*frame).opline = (*frame).opline.add(1);
    }
    dispatch::execute(vm, frame);
    if !(*node).frame.is_null() && !(*frame).call.is_null() {
        freeze_calls(vm, node);
    }
}

/// Runs a generator to its first `yield` if it has not started.
#[inline]
pub unsafe fn start(vm: *mut Vm, generator: *mut Generator) {
    if (*generator).value.is_undef()
        && !(*generator).frame.is_null()
        && (*generator).delegate.is_none()
    {
        resume(vm, generator);
        (*generator).at_first_yield = true;
    }
}

/// Takes the next value of the array or iterator that `yield from` goes over. False if there is
/// none, or if getting it threw; the source is dropped then.
unsafe fn next_of_source(vm: *mut Vm, node: *mut Generator) -> bool {
    match &mut (*node).source {
        None => false,
        Some(Source::Array { array, position }) => {
            while *position < array.positions() {
                let entry = array.entry_at(*position);
                *position += 1;
                if let Some((key, value)) = entry {
                    let value = (*indirect((&raw const *value).cast_mut())).share();
                    let key = key.to_value().into_zval();
                    store(node, value, key);
                    return true;
                }
            }
            let source = (*node).source.take();
            drop(source);
            false
        }
        Some(Source::Properties { object, position }) => {
            let object = object.clone();
            let scope = (*(*(*node).frame).function).scope;
            // Getters may run whatever they like: the place is noted before.
            let mut place = *position;
            let found = next_with_hooks(vm, &object, scope, &mut place);
            if let Some(Source::Properties { position, .. }) = &mut (*node).source {
                *position = place;
            }
            if let Ok(Some((name, value))) = found {
                store(node, value.into_zval(), Value::from(name).into_zval());
                return true;
            }
            let source = (*node).source.take();
            drop(source);
            false
        }
        Some(Source::Iterator { iterator, started }) => {
            let first = !std::mem::replace(started, true);
            let iterator = iterator.clone();
            let fetched = if is_generator(&*vm, &iterator) {
                fetch_of_generator(vm, &iterator, !first)
            } else {
                fetch_of_iterator(&mut *vm, &iterator, !first)
            };
            if let Ok(Some((value, key))) = fetched {
                store(node, value.into_zval(), key.into_zval());
                return true;
            }
            let source = (*node).source.take();
            drop(source);
            false
        }
    }
}

/// Value and key that a generator behind an IteratorAggregate gives, without calls of its methods; a reference stays one.
unsafe fn fetch_of_generator(
    vm: *mut Vm,
    iterator: &ObjectHandle,
    advance: bool,
) -> PhpResult<Option<(Value, Value)>> {
    let found = loop_fetch(vm, iterator.as_ptr(), advance)?;
    Ok(found.map(|node| {
        let value = Value::from_zval((*node).value.share());
        (value, Value::share(&(*node).key))
    }))
}

fn fetch_of_iterator(
    vm: &mut Vm,
    iterator: &ObjectHandle,
    advance: bool,
) -> PhpResult<Option<(Value, Value)>> {
    if advance {
        vm.call_iterator(iterator, Step::Next)?;
    }
    let valid = vm.call_iterator(iterator, Step::Valid)?;
    if !crate::operators::to_bool(&valid) {
        return Ok(None);
    }
    let value = vm.iterator_element(iterator)?;
    let key = vm.call_iterator(iterator, Step::Key)?;
    Ok(Some((value, key)))
}

unsafe fn store(node: *mut Generator, value: Zval, key: Zval) {
    let old_value = std::mem::replace(&mut (*node).value, value);
    let old_key = std::mem::replace(&mut (*node).key, key);
    release(&old_value);
    release(&old_key);
}
