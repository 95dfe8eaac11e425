//! Immutable arrays for literals: made once, shared between threads, never counted.

use super::{Bucket, Key, PhpArray};
use crate::heap::Heap;
use crate::value::{ARRAY_IMMUTABLE, HEADER_IMMUTABLE, Value, Zval};

/// A heap that only makes immutable arrays; it lives as long as the literal pool.
#[derive(Debug)]
pub(crate) struct LiteralHeap(Box<Heap>);

// SAFETY: the arrays in it are immutable after they are made.
unsafe impl Send for LiteralHeap {}
// SAFETY: as above.
unsafe impl Sync for LiteralHeap {}

impl LiteralHeap {
    pub(crate) fn new() -> LiteralHeap {
        LiteralHeap(Box::new(Heap::new(usize::MAX)))
    }

    /// Makes an immutable array. Keys and values must be immutable or plain.
    pub(crate) fn array(&mut self, entries: &[(Key, Zval)]) -> *mut PhpArray {
        let handle = PhpArray::with_capacity(&mut self.0, entries.len());
        let pointer = handle.into_raw();
        // SAFETY: the new array has one owner; elements are not counted.
        unsafe {
            for (key, value) in entries {
                (*pointer).set(key.as_ref(), Value::from_zval(*value));
            }
            (*pointer).header.type_info |= HEADER_IMMUTABLE;
            (*pointer).header.refcount = 2;
        }
        debug_assert_eq!(Zval::from_any_array(pointer).type_info, ARRAY_IMMUTABLE);
        pointer
    }
}

const _: () = assert!(align_of::<Bucket>() == 8);
