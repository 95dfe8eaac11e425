//! PHP arrays: ordered maps, packed while the keys are 0, 1, 2, ... in order.
//!
//! A packed array holds values only; a hash array holds [`Bucket`]s in insertion order and, in
//! front of them in the same allocation, a table of chain heads. Deleted entries stay as
//! undefined values until the table is rebuilt. Arrays that are shared (count above one) or
//! immutable must be separated before they are written: see [`crate::value::ArrayHandle::make_mut`].

mod build;
mod extend;
mod flood;
mod iterate;
mod lookup;
mod position;
mod sort;
mod storage;
mod write;

pub(crate) use build::LiteralHeap;
pub use iterate::{Entries, IteratorTable, Key, KeyRef};
pub use lookup::integer_key;
pub use sort::SortedEntry;
pub use storage::{destroy, destroy_flat, empty_array};

use crate::string::PhpString;
use crate::value::{Header, Zval};

/// An entry of a hash array. `value.extra` is the next entry of the hash chain.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Bucket {
    /// The value; undefined if the entry was deleted.
    pub value: Zval,
    /// The string key's hash, or the integer key.
    pub hash: u64,
    /// The string key, or null for an integer key.
    pub key: *mut PhpString,
}

const _: () = assert!(size_of::<Bucket>() == 32);

/// Array flag: values only, keys are positions.
pub const PACKED: u32 = 1 << 2;
/// Array flag: no storage was allocated yet.
pub const UNINITIALISED: u32 = 1 << 3;
/// Array flag: some values may be INDIRECT (symbol tables, property tables).
pub const HAS_INDIRECT: u32 = 1 << 5;

/// End of a hash chain.
const INVALID: u32 = u32::MAX;
/// Smallest capacity.
const MINIMUM: u32 = 8;
/// Largest capacity.
const MAXIMUM: u32 = 0x4000_0000;

/// A PHP array.
#[repr(C)]
#[derive(Debug)]
pub struct PhpArray {
    /// Count and flags.
    pub header: Header,
    pub(crate) flags: u32,
    /// Number of chain heads, as a negative number: `hash | mask` is the (negative) index of the
    /// head of a chain, counted back from the first bucket.
    mask: u32,
    /// First bucket or value.
    pub(crate) data: *mut Zval,
    /// Entries used, deleted ones included.
    pub(crate) used: u32,
    /// Live entries.
    pub(crate) count: u32,
    pub(crate) capacity: u32,
    /// Position of `current()`, `next()`, ...
    pub(crate) internal_position: u32,
    /// Key that `[]` gives next; `i64::MIN` while no integer key was ever set.
    pub(crate) next_free: i64,
    /// Number of registered `foreach` iterators.
    pub(crate) iterators: u32,
}

const _: () = assert!(std::mem::offset_of!(PhpArray, flags) == 8);
const _: () = assert!(std::mem::offset_of!(PhpArray, data) == 16);
const _: () = assert!(std::mem::offset_of!(PhpArray, used) == 24);

impl PhpArray {
    /// Number of elements.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// True for `[]`.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// True if only values are stored and the keys are their positions.
    #[inline(always)]
    pub fn is_packed(&self) -> bool {
        self.flags & PACKED != 0
    }

    /// True if the keys are 0, 1, 2, ... in this order (`array_is_list`).
    pub fn is_list(&self) -> bool {
        if self.is_packed() && self.used == self.count {
            return true;
        }
        self.iter()
            .enumerate()
            .all(|(index, (key, _))| key == KeyRef::Long(index as i64))
    }

    /// Positions in use, deleted entries included: the bound for [`PhpArray::entry_at`].
    #[inline(always)]
    pub fn positions(&self) -> u32 {
        self.used
    }

    /// The key that `[]` would give next, if there is one.
    pub fn next_free_key(&self) -> Option<i64> {
        match self.next_free {
            i64::MIN => Some(0),
            next if next == i64::MAX && self.has_long(i64::MAX) => None,
            next => Some(next),
        }
    }

    #[inline(always)]
    fn has_long(&self, key: i64) -> bool {
        self.get_long(key).is_some()
    }

    #[inline(always)]
    pub(crate) fn values(&self) -> *mut Zval {
        self.data
    }

    #[inline(always)]
    pub(crate) fn buckets(&self) -> *mut Bucket {
        self.data.cast()
    }

    /// Head of the chain of `hash`.
    #[inline(always)]
    unsafe fn head(&self, hash: u64) -> *mut u32 {
        let hash = match self.flags & flood::SCRAMBLED {
            0 => hash,
            _ => flood::scramble(hash),
        };
        // SAFETY: I5: `mask` chain heads lie in front of the data.
        unsafe {
            self.data
                .cast::<u32>()
                .offset((hash as u32 | self.mask) as i32 as isize)
        }
    }
}
