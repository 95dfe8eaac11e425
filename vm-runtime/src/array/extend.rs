//! Filling arrays in bulk.

use super::{KeyRef, PhpArray, UNINITIALISED};
use crate::heap::Heap;
use crate::value::{Value, Zval};

impl PhpArray {
    /// Appends `count` values that `make` gives for 0, 1, 2, ...
    ///
    /// As long as the array is packed this is one check of its size; the values' shares move in.
    #[inline]
    pub fn extend_with(&mut self, count: usize, mut make: impl FnMut(usize) -> Value) {
        if self.flags & UNINITIALISED != 0 && matches!(self.next_free, 0 | i64::MIN) && count > 0 {
            self.next_free = 0;
            self.capacity = self.capacity.max(super::storage::round_capacity(count));
            // SAFETY: I2: an array that is written lives in a heap.
            let heap = unsafe { Heap::of(self) };
            self.initialise_packed(heap);
        }
        if !self.is_packed() || self.next_free != self.used as i64 {
            for index in 0..count {
                drop(self.push(make(index)));
            }
            return;
        }
        let needed = self.used as usize + count;
        if needed > self.capacity as usize {
            self.grow_packed(super::storage::round_capacity(needed));
        }
        for index in 0..count {
            let value = make(index).into_zval();
            // SAFETY: I5: there is room for `count` more values. The array is consistent at each
            // step, because making a value may end the script.
            unsafe {
                let slot = self.values().add(self.used as usize);
                slot.write(Zval { extra: 0, ..value });
            }
            self.used += 1;
            self.count += 1;
            self.next_free += 1;
        }
    }

    /// Appends shares of the values of another array; `int` keys are counted on, string keys stay.
    pub fn merge_from(&mut self, source: &PhpArray) {
        if let Some(values) = source.packed() {
            self.extend_with(values.len(), |index| share_element(&values[index]));
            return;
        }
        for (key, value) in source.iter() {
            let value = share_element(value);
            match key {
                KeyRef::Long(_) => drop(self.push(value)),
                KeyRef::String(key) => self.set_string(key, value),
            }
        }
    }
}

/// A share of an element; a reference that has no other owner is taken as its value.
#[inline(always)]
fn share_element(value: &Zval) -> Value {
    if value.is_reference() {
        return crate::operators::convert::share_element(value);
    }
    // SAFETY: I3: the new share belongs to the new value.
    unsafe { Value::from_zval(value.share()) }
}
