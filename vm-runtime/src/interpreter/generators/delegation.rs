//! `yield from` another generator: chains of generators, of which the innermost runs.
//!
//! A generator owns the one it delegates to. Several generators may delegate to the same one:
//! they share its values, and whoever is resumed next takes the next. Where a chain ends is
//! remembered in a pair: `leaf` of the generator that was resumed, `outer` of the one that ran.
//! While the pair stands, the frames between the two are linked by `previous`, as calls are, so
//! that backtraces show them.

use std::ptr::null_mut;

use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::interpreter::generators::frame::take_result_of_delegation;
use crate::interpreter::generators::resume::resume;
use crate::interpreter::generators::state::{Consumers, Generator, data};
use crate::interpreter::operand::result;
use crate::value::{ObjectHandle, Value, Zval, release};
use crate::vm::Vm;

/// Hands `consumer` over to another generator.
pub unsafe fn link(consumer: *mut Generator, delegate: ObjectHandle) {
    let child = data(delegate.as_ptr());
    (*child).consumers.add(consumer);
    (*consumer).delegate = Some(delegate);
    (*consumer).handed_over = true;
}

/// Takes `consumer` away from the generator it delegates to. The share of that generator is given
/// to the caller, for user code may run when it is dropped.
pub unsafe fn detach(consumer: *mut Generator) -> Option<ObjectHandle> {
    let delegate = (*consumer).delegate.take()?;
    if let Some(child) = present(&delegate) {
        (*child).consumers.remove(consumer);
        unpair((*child).outer);
    }
    Some(delegate)
}

/// Takes a generator that goes away out of all chains.
pub unsafe fn unlink(generator: *mut Generator) {
    let mut leaf = (*generator).leaf;
    unpair(generator);
    unpair((*generator).outer);
    if !matches!((*generator).consumers, Consumers::None) {
        // It goes although others delegate to it: they are garbage together. Their chains end here from now on.
        let mut end = generator;
        while let Some((next, _)) = below(end) {
            end = next;
        }
        unpair((*end).outer);
        leaf = null_mut();
    }
    let delegate = detach(generator);
    if let Some(delegate) = &delegate
        && let Some(child) = present(delegate)
        && matches!((*child).consumers, Consumers::None)
    {
        inherit_leaf(child, leaf);
    }
    drop(delegate);
}

/// Forgets where the chain of `outer` ends.
unsafe fn unpair(outer: *mut Generator) {
    if outer.is_null() || (*outer).leaf.is_null() {
        return;
    }
    (*(*outer).leaf).outer = null_mut();
    (*outer).leaf = null_mut();
}

/// Notes that the chain of `outer` ends at `leaf`.
unsafe fn pair(outer: *mut Generator, leaf: *mut Generator) {
    if (*outer).leaf == leaf {
        return;
    }
    unpair(outer);
    unpair((*leaf).outer);
    if leaf != outer {
        (*outer).leaf = leaf;
        (*leaf).outer = outer;
    }
}

/// The generator whose values `outer` gives now. Delegates that have ended give their result to
/// who delegated to them; if that throws, the exception takes its course before this returns.
#[inline]
pub unsafe fn current(vm: *mut Vm, outer: *mut Generator) -> *mut Generator {
    let node = innermost(vm, outer);
    if (*vm).exception.is_null() || (*node).running {
        return node;
    }
    resume(vm, outer);
    innermost(vm, outer)
}

/// As [`current`], but an exception only redirects the frame of the generator returned.
#[inline]
pub unsafe fn innermost(vm: *mut Vm, outer: *mut Generator) -> *mut Generator {
    let leaf = (*outer).leaf;
    if leaf.is_null() {
        if (*outer).delegate.is_none() {
            unpair((*outer).outer);
            return outer;
        }
    } else if (*leaf).delegate.is_none() && !(*leaf).frame.is_null() {
        return leaf;
    }
    walk(vm, outer)
}

/// Notes that the chain of `outer` ends where that of who delegates, or delegated, to it does, if that is known: the
/// frames between are linked. Whoever asks or ends the generators of a long chain from the outermost inwards walks it
/// once.
unsafe fn inherit_leaf(outer: *mut Generator, leaf: *mut Generator) {
    if !leaf.is_null() && leaf != outer {
        pair(outer, leaf);
    }
}

/// What stands below a generator in its chain: the end of the chain as it was found last, between which and this one
/// the frames are linked, or else the generator that it delegates to.
pub unsafe fn below(node: *mut Generator) -> Option<(*mut Generator, bool)> {
    let delegate = (*node).delegate.as_ref()?;
    match (*node).leaf.is_null() {
        true => Some((present(delegate)?, false)),
        false => Some(((*node).leaf, true)),
    }
}

/// The generator that an object is. Of garbage the one that others delegate to may have been emptied before them.
unsafe fn present(delegate: &ObjectHandle) -> Option<*mut Generator> {
    delegate.native.as_ref().map(|_| data(delegate.as_ptr()))
}

#[cold]
#[inline(never)]
unsafe fn walk(vm: *mut Vm, outer: *mut Generator) -> *mut Generator {
    let was_quiet = (*vm).exception.is_null();
    if (*outer).leaf.is_null()
        && let Consumers::One(consumer) = (*outer).consumers
    {
        inherit_leaf(outer, (*consumer).leaf);
    }
    loop {
        let mut node = outer;
        while let Some((next, _)) = below(node) {
            node = next;
        }
        if (*node).running {
            // Its frames are linked to whoever runs it. Those above an end that was known before may be linked to
            // somebody else when it does not run any more.
            unpair(outer);
            return node;
        }
        let mut above = outer;
        while let Some((next, is_linked)) = below(above) {
            if !is_linked && !(*next).frame.is_null() {
                (*(*next).frame).previous = (*above).frame;
            }
            above = next;
        }
        if node == outer || !(*node).frame.is_null() {
            pair(outer, node);
            if was_quiet && !(*vm).exception.is_null() && !(*node).frame.is_null() {
                hand_over_thrown(vm, node);
            }
            return node;
        }
        // Destructors that run meanwhile may do anything to the chain: where it ends is asked anew.
        take_result(vm, outer, consumer_of(outer, node));
    }
}

/// Who delegates to `node` in the chain of `outer`.
pub unsafe fn consumer_of(outer: *mut Generator, node: *mut Generator) -> *mut Generator {
    if let Consumers::One(consumer) = (*node).consumers {
        return consumer;
    }
    let mut above = outer;
    while let Some(delegate) = &(*above).delegate {
        let below = data(delegate.as_ptr());
        if below == node {
            break;
        }
        above = below;
    }
    above
}

/// Ends the delegation of `consumer` to a generator that has ended: the value returned is the
/// result of its `yield from`. Without one an exception is thrown there.
unsafe fn take_result(vm: *mut Vm, outer: *mut Generator, consumer: *mut Generator) {
    let Some(delegate) = detach(consumer) else {
        return;
    };
    let frame = (*consumer).frame;
    if frame.is_null() {
        return;
    }
    let child = data(delegate.as_ptr());
    // From here on the chain ends there, whoever asks.
    pair(outer, consumer);
    let original = (*vm).current_frame;
    (*(*outer).frame).previous = original;
    if (*child).returned.is_undef() {
        (*vm).current_frame = frame;
        (*vm).throw_error(
            KnownClass::ClosedGeneratorException,
            "Generator yielded from aborted, no return value available",
        );
        let_go(vm, original, consumer, delegate);
    } else {
        let old = std::mem::replace(&mut (*consumer).value, (*child).value.share());
        *result(frame, (*frame).opline) = (*child).returned.share();
        release(&old);
        drop(delegate);
    }
}

/// Drops what a generator had whose frame, the current one, has been sent to handle an exception, and makes `original`
/// the current frame again. Destructors are called by that one, as by any code that lets go of something; they
/// cannot resume the generator before it handles what was thrown.
unsafe fn let_go<T>(vm: *mut Vm, original: *mut Frame, generator: *mut Generator, held: T) {
    let pending = (*vm).take_exception();
    let frame = std::mem::replace(&mut (*vm).current_frame, original);
    let ran = std::mem::replace(&mut (*generator).running, true);
    drop(held);
    (*generator).running = ran;
    send_thrown(vm, frame);
    (*vm).current_frame = frame;
    (*vm).put_back_exception(pending);
    (*vm).current_frame = original;
}

/// What destructors have thrown while ended generators were taken out of a chain is for its new end to handle: it is as
/// if that had been resumed with it.
unsafe fn hand_over_thrown(vm: *mut Vm, node: *mut Generator) {
    let given = take_result_of_delegation((*node).frame);
    send_thrown(vm, (*node).frame);
    leave_source(vm, node, given);
}

/// Has what destructors have thrown in the current frame handled by the frame of a suspended generator.
unsafe fn send_thrown(vm: *mut Vm, frame: *mut Frame) {
    let thrown = (*vm).take_exception();
    let original = std::mem::replace(&mut (*vm).current_frame, frame);
    (*vm).put_back_exception(thrown);
    (*vm).current_frame = original;
}

/// Takes the pending exception from `node`, which it ended, to who delegates to it in the chain of
/// `outer`.
pub unsafe fn rethrow(vm: *mut Vm, outer: *mut Generator, node: *mut Generator) {
    let consumer = consumer_of(outer, node);
    let delegate = detach(consumer);
    let original = (*vm).current_frame;
    (*vm).current_frame = (*consumer).frame;
    (*vm).redirect_to_exception_handler();
    let_go(vm, original, consumer, delegate);
}

/// Throws an object where the suspended `node` of the chain of `outer` is.
pub unsafe fn inject(
    vm: *mut Vm,
    outer: *mut Generator,
    node: *mut Generator,
    exception: ObjectHandle,
) {
    let original = (*vm).current_frame;
    (*(*outer).frame).previous = original;
    let given = take_result_of_delegation((*node).frame);
    (*vm).current_frame = (*node).frame;
    (*vm).throw_object(exception);
    // An array or iterator in the way is left, and what a chain has given already. The generator's own frame is
    // the one that does it; destructors cannot resume it before it handles what was thrown.
    let held = ((*node).source.take(), given);
    let ran = std::mem::replace(&mut (*node).running, true);
    drop(held);
    (*node).running = ran;
    (*vm).current_frame = original;
}

/// Has a generator leave the array or iterator that it goes over, and what a chain has given it already: its frame has
/// been sent to handle an exception.
unsafe fn leave_source(vm: *mut Vm, node: *mut Generator, given: Option<Value>) {
    let source = (*node).source.take();
    let original = std::mem::replace(&mut (*vm).current_frame, (*node).frame);
    let_go(vm, original, node, (source, given));
}

/// The current value of a generator, shared and dereferenced; `null` if it has none.
pub unsafe fn current_value(outer: *mut Generator, node: *mut Generator) -> Zval {
    if (*outer).frame.is_null() {
        Zval::NULL
    } else {
        (*node).value.share_deref()
    }
}
