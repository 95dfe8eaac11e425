//! Giving back shares of counted values, and destroying those without owners.

use crate::collector::{GC_INFO, forget, possible_root};
use crate::heap::Heap;
use crate::limits::stack_is_low;
use crate::value::{
    ARRAY, COLLECTABLE, Header, OBJECT, PhpReference, PhpResource, REFERENCE, RESOURCE, STRING,
    Zval,
};

/// Nesting of destruction up to which it recurses; deeper values are put off and destroyed by the
/// outermost call, so that a long list cannot exhaust the native stack.
const DEPTH_LIMIT: u32 = 1000;
/// From this nesting on it looks how much of the native stack is left.
const DEPTH_CHECKED: u32 = 16;

/// Gives back one share of `value`; destroys it if that was the last.
///
/// # Safety
/// The caller owns the share and does not use it again (invariant I3).
#[inline(always)]
pub unsafe fn release(value: *const Zval) {
    // SAFETY: I3, by the caller.
    unsafe {
        if (*value).is_refcounted() {
            let header = (*value).counted();
            (*header).refcount -= 1;
            if (*header).refcount == 0 {
                destroy(header, (*value).kind());
            } else if (*value).type_info & COLLECTABLE != 0 {
                lost_owner(header);
            }
        }
    }
}

/// As [`release`], for shares that only stood for others while something was computed: operands
/// and arguments. That they go says nothing about cycles, so no root is noted.
///
/// # Safety
/// As for [`release`].
#[inline(always)]
pub unsafe fn release_temporary(value: *const Zval) {
    // SAFETY: I3, by the caller.
    unsafe {
        if (*value).is_refcounted() {
            let header = (*value).counted();
            (*header).refcount -= 1;
            if (*header).refcount == 0 {
                destroy(header, (*value).kind());
            }
        }
    }
}

/// Tells the cycle collector of a collectable value that lost an owner but not its last.
///
/// # Safety
/// `header` is a live collectable value (invariant I3).
#[inline(always)]
pub(crate) unsafe fn lost_owner(header: *mut Header) {
    // SAFETY: by the caller.
    unsafe {
        if (*header).type_info & GC_INFO == 0 {
            possible_root(header);
        }
    }
}

/// Destroys a counted value that has no owner left.
///
/// # Safety
/// `header` is a live value of type `kind` whose count is zero (invariant I3).
#[inline(never)]
pub unsafe fn destroy(header: *mut Header, kind: u8) {
    // SAFETY: I3, by the caller; a string is its own memory and nothing else.
    unsafe {
        if kind != STRING {
            return match kind {
                ARRAY => destroy_array(header),
                _ => destroy_collectable(header, kind),
            };
        }
        // See below.
        if !std::thread::panicking() {
            Heap::free(header);
        }
    }
}

/// Destroys an array: at once if there is nothing in it that could lead further.
#[inline(never)]
unsafe fn destroy_array(header: *mut Header) {
    // SAFETY: I3, by the caller. What is said of unwinding and of the heap in `destroy_collectable` holds here, too.
    unsafe {
        let is_flat = !std::thread::panicking()
            && !Heap::of(header).is_abandoned()
            && crate::array::destroy_flat(header.cast());
        if !is_flat {
            destroy_collectable(header, ARRAY);
        }
    }
}

/// Destroys what is no string.
#[inline(never)]
unsafe fn destroy_collectable(header: *mut Header, kind: u8) {
    // The native stack is unwinding: counts need not be exact, what was being made may be half made,
    // and no destructor may run.
    if std::thread::panicking() {
        return;
    }
    // SAFETY: I3, by the caller; each arm is the type that `kind` says.
    unsafe {
        let heap = Heap::of(header);
        if heap.is_abandoned() {
            return;
        }
        if heap.destroy_depth >= DEPTH_CHECKED
            && (heap.destroy_depth >= DEPTH_LIMIT || stack_is_low())
        {
            // Nothing holds it any more: it must not be taken for garbage.
            forget(header);
            heap.put_off.push(header);
            return;
        }
        heap.destroy_depth += 1;
        match kind {
            ARRAY => crate::array::destroy(header.cast()),
            kind => destroy_now(header, kind),
        }
        let heap = Heap::of_heap(heap);
        heap.destroy_depth -= 1;
        if heap.destroy_depth == 0 {
            while let Some(header) = heap.put_off.pop() {
                heap.destroy_depth += 1;
                destroy_now(header, (*header).type_info as u8);
                heap.destroy_depth -= 1;
            }
        }
    }
}

#[inline(never)]
unsafe fn destroy_now(header: *mut Header, kind: u8) {
    // SAFETY: I3, by the caller.
    unsafe {
        match kind {
            ARRAY => crate::array::destroy(header.cast()),
            OBJECT => crate::object::destroy(header.cast()),
            REFERENCE => {
                let reference = header.cast::<PhpReference>();
                if !(*reference).sources.is_null() {
                    drop(Box::from_raw((*reference).sources));
                }
                let value = (*reference).value;
                Heap::free_sized(reference);
                release(&value);
            }
            RESOURCE => {
                let resource = header.cast::<PhpResource>();
                // Closing may run user code, which may even keep the resource.
                (*resource).header.refcount += 1;
                if let Some(before_close) = (*resource).before_close.take() {
                    before_close(resource);
                }
                (*resource).type_name = "";
                drop((*resource).payload.take());
                (*resource).header.refcount -= 1;
                if (*resource).header.refcount > 0 {
                    return;
                }
                Heap::of(header).resources.remove(&(*resource).id);
                Heap::free(resource);
            }
            _ => Heap::free(header),
        }
    }
}

impl Heap {
    /// The same heap with a fresh borrow: user code may have run in between.
    #[inline(always)]
    fn of_heap<'a>(heap: *mut Heap) -> &'a mut Heap {
        // SAFETY: I1: the heap does not move and outlives its values.
        unsafe { &mut *heap }
    }
}
