//! Sorting in place.

use std::cmp::Ordering;

use super::{Bucket, HAS_INDIRECT, KeyRef, PhpArray, UNINITIALISED};
use crate::value::Zval;

impl PhpArray {
    /// Sorts the entries, keys with their values, by a comparison that runs no code of the script; equal
    /// ones keep their order. False, and nothing is done, if something refers to places in the array. The
    /// array must have one owner.
    pub fn sort_entries(
        &mut self,
        mut compare: impl FnMut((KeyRef<'_>, &Zval), (KeyRef<'_>, &Zval)) -> Ordering,
    ) -> bool {
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
            let buckets = std::slice::from_raw_parts_mut(self.buckets(), self.used as usize);
            for (order, bucket) in (0..).zip(&mut *buckets) {
                bucket.value.extra = order;
            }
            let entry = |bucket: &Bucket| match bucket.key.as_ref() {
                Some(key) => KeyRef::String(&*std::ptr::from_ref(key)),
                None => KeyRef::Long(bucket.hash as i64),
            };
            buckets.sort_unstable_by(|a, b| {
                compare((entry(a), &a.value), (entry(b), &b.value))
                    .then(a.value.extra.cmp(&b.value.extra))
            });
            self.rebuild_chains();
        }
        self.internal_position = 0;
        true
    }
}
