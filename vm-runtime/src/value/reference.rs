//! Reference boxes and resources.

use crate::heap::Heap;
use crate::value::{Header, REFERENCE, ReferenceHandle, Zval};

/// A box shared by everything that is bound by `&`. Its value is never a reference itself.
#[repr(C)]
#[derive(Debug)]
pub struct PhpReference {
    /// Count and flags.
    pub header: Header,
    /// The shared value.
    pub value: Zval,
    /// Typed properties that this reference is bound to: a
    /// [`crate::class::TypedReferenceSources`], or null.
    pub sources: *mut crate::class::TypedReferenceSources,
}

const _: () = assert!(std::mem::offset_of!(PhpReference, value) == 8);

impl PhpReference {
    /// A new box that takes over `value`.
    pub fn allocate(heap: &mut Heap, value: Zval) -> ReferenceHandle {
        let pointer = heap
            .allocate(size_of::<PhpReference>())
            .cast::<PhpReference>();
        // SAFETY: fresh memory of the right size; the handle takes the first share.
        unsafe {
            pointer.write(PhpReference {
                header: Header::new(REFERENCE),
                value,
                sources: std::ptr::null_mut(),
            });
            ReferenceHandle::from_raw(pointer.as_ptr())
        }
    }
}

/// Makes a slot a reference (if it is none yet) and returns its box.
///
/// # Safety
/// `slot` is a live slot; an undefined one becomes `null` first.
pub unsafe fn make_reference(heap: &mut Heap, slot: *mut Zval) -> *mut PhpReference {
    // SAFETY: by the caller.
    unsafe {
        if !(*slot).is_reference() {
            let value = if (*slot).is_undef() {
                Zval::NULL
            } else {
                *slot
            };
            let boxed = PhpReference::allocate(heap, Zval { extra: 0, ..value });
            (*slot).set(Zval::from_reference(boxed.into_raw()));
        }
        (*slot).reference()
    }
}

/// A resource: a number and a native payload.
#[repr(C)]
#[derive(Debug)]
pub struct PhpResource {
    /// Count and flags.
    pub header: Header,
    /// What `(int)$resource` gives.
    pub id: i64,
    /// Type name, as `get_resource_type()` tells it; empty once closed.
    pub type_name: &'static str,
    /// The native payload.
    pub payload: Option<Box<dyn std::any::Any>>,
    /// Runs before the payload is dropped, while the resource is still what it was: user code that
    /// takes part in closing it may look at it.
    pub before_close: Option<unsafe fn(*mut PhpResource)>,
}
