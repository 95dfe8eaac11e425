//! Immutable arrays for literals: made once, shared between threads, never counted.

use super::{Bucket, Key, PhpArray};
use crate::heap::Heap;
use crate::limits::Foreign;
use crate::value::{ARRAY_IMMUTABLE, HEADER_IMMUTABLE, Value, Zval};

/// The page that a chunk starts with.
const HEADER: usize = 4096;

/// A heap that only makes immutable arrays; it lives as long as the literal pool.
#[derive(Debug)]
pub(crate) struct LiteralHeap {
    heap: Box<Heap>,
    /// What is used of the heap: most of a chunk never is, and is no memory then.
    counted: Foreign,
}

// SAFETY: the arrays in it are immutable after they are made.
unsafe impl Send for LiteralHeap {}
// SAFETY: as above.
unsafe impl Sync for LiteralHeap {}

impl LiteralHeap {
    pub(crate) fn new() -> LiteralHeap {
        LiteralHeap {
            heap: Box::new(Heap::new(usize::MAX)),
            counted: Foreign::new(HEADER),
        }
    }

    /// Makes an immutable array. Keys and values must be immutable or plain.
    pub(crate) fn array(&mut self, entries: &[(Key, Zval)]) -> *mut PhpArray {
        let handle = PhpArray::with_capacity(&mut self.heap, entries.len());
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
        self.counted.grow_to(HEADER + self.heap.used());
        pointer
    }
}

const _: () = assert!(align_of::<Bucket>() == 8);
