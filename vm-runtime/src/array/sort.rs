//! Sorting in place.

use std::cmp::Ordering;

use super::{Bucket, HAS_INDIRECT, KeyRef, PhpArray, UNINITIALISED};
use crate::value::Zval;

/// An entry of an array that is being sorted.
#[derive(Debug)]
#[repr(transparent)]
pub struct SortedEntry(Bucket);

impl SortedEntry {
    /// Its key.
    #[inline]
    pub fn key(&self) -> KeyRef<'_> {
        // SAFETY: I5: keys are null or live.
        match unsafe { self.0.key.as_ref() } {
            Some(key) => KeyRef::String(key),
            None => KeyRef::Long(self.0.hash as i64),
        }
    }

    /// Its value.
    #[inline]
    pub fn value(&self) -> &Zval {
        &self.0.value
    }

    /// Where it stood.
    #[inline]
    pub fn order(&self) -> u32 {
        self.0.value.extra
    }
}

impl PhpArray {
    /// Sorts the entries, keys with their values, by a comparison that runs no code of the script; equal
    /// ones keep their order. False, and nothing is done, if something refers to places in the array. The
    /// array must have one owner.
    pub fn sort_entries(
        &mut self,
        mut compare: impl FnMut((KeyRef<'_>, &Zval), (KeyRef<'_>, &Zval)) -> Ordering,
    ) -> bool {
        self.sort_entries_by(|entries| {
            entries.sort_unstable_by(|a, b| {
                compare((a.key(), a.value()), (b.key(), b.value())).then(a.order().cmp(&b.order()))
            });
        })
    }

    /// As [`PhpArray::sort_entries`], by an algorithm of the caller's, which brings the entries into another
    /// order.
    pub fn sort_entries_by(&mut self, sort: impl FnOnce(&mut [SortedEntry])) -> bool {
        if self.flags & (HAS_INDIRECT | UNINITIALISED) != 0 || self.iterators != 0 {
            return false;
        }
        if self.is_packed() {
            self.packed_to_hash();
        }
        if self.used != self.count {
            self.rebuild();
        }
        // SAFETY: I5: `used` buckets are initialised, all live now, and keys are null or live. What holds
        // the chains together holds the order meanwhile, and is made anew.
        unsafe {
            let buckets: *mut SortedEntry = self.buckets().cast();
            let entries = std::slice::from_raw_parts_mut(buckets, self.used as usize);
            for (order, entry) in (0..).zip(&mut *entries) {
                entry.0.value.extra = order;
            }
            sort(entries);
            self.rebuild_chains();
        }
        self.internal_position = 0;
        true
    }
}
