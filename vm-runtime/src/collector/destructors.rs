//! Destructors of garbage.
//!
//! They may suspend a fiber. So inside of a fiber they run in one of their own: if it is suspended,
//! the collector goes on in another.

use crate::collector::collect::hold_back;
use crate::collector::node::{Colour, kind, set_colour};
use crate::collector::roots::Place;
use crate::function::Call;
use crate::interpreter::fibers;
use crate::object::PhpObject;
use crate::value::{HEADER_DESTRUCTOR_CALLED, OBJECT, Value};
use crate::vm::{PhpResult, Vm};

/// Marks the garbage whose destructors are to be called and keeps what it leads to from being
/// freed. Gives how many values counted as garbage that was; None if there are no destructors.
pub(super) unsafe fn set_apart(vm: *mut Vm) -> Option<u64> {
    let end = (*vm).heap.collector.roots.end();
    let mut any = false;
    for place in 1..end {
        let roots = &mut (*vm).heap.collector.roots;
        let Place::Garbage(node) = roots.at(place) else {
            continue;
        };
        if kind(node) != OBJECT || (*node).type_info & HEADER_DESTRUCTOR_CALLED != 0 {
            continue;
        }
        let object = node.cast::<PhpObject>();
        if (*(*object).class).magic.destruct.is_null() || (*object).is_lazy() {
            (*node).type_info |= HEADER_DESTRUCTOR_CALLED;
        } else {
            roots.set(place, Place::Destructible(node));
            set_colour(node, Colour::Purple);
            any = true;
        }
    }
    if !any {
        return None;
    }
    let mut count = 0;
    for place in 1..end {
        if let Place::Destructible(node) = (*vm).heap.collector.roots.at(place) {
            count += hold_back(vm, node);
        }
    }
    Some(count)
}

/// Calls the destructors of the garbage that was set apart.
pub(super) unsafe fn call(vm: *mut Vm) {
    if (*vm).fiber.is_null() {
        call_all(vm);
        return;
    }
    // A fiber that was suspended leaves the rest to the next.
    while remaining(vm) {
        if !fibers::run_destructors(vm) {
            call_all(vm);
        }
    }
}

unsafe fn remaining(vm: *mut Vm) -> bool {
    let roots = &(*vm).heap.collector.roots;
    (1..roots.end()).any(|place| matches!(roots.at(place), Place::Destructible(_)))
}

unsafe fn call_all(vm: *mut Vm) {
    let mut place = 1;
    loop {
        let roots = &mut (*vm).heap.collector.roots;
        if place >= roots.end() {
            break;
        }
        if let Place::Destructible(node) = roots.at(place) {
            roots.set(place, Place::Root(node));
            if (*node).type_info & HEADER_DESTRUCTOR_CALLED == 0 {
                (*node).type_info |= HEADER_DESTRUCTOR_CALLED;
                (*node).refcount += 1;
                (*vm).call_destructor(node.cast());
                // Without an owner it is a root all the same: the next go frees and counts it.
                (*node).refcount -= 1;
            }
        }
        place += 1;
    }
}

/// The function of the fiber for destructors; its name is seen in backtraces.
pub(crate) fn destructor_fiber(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: I1: the VM of this call, in the middle of a run of its collector.
    unsafe { call_all(call.vm) };
    Ok(Value::NULL)
}
