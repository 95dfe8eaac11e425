//! Filling arrays in bulk.

use super::{KeyRef, PhpArray, UNINITIALISED};
use crate::heap::Heap;
use crate::operators::convert::share_element;
use crate::value::{ArrayHandle, Value, Zval};

/// Values that were written behind the last one of an array, which counts them when this goes: making
/// one may end the script.
struct Fill<'a> {
    array: &'a mut PhpArray,
    count: usize,
}

impl Drop for Fill<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.array.used += self.count as u32;
        self.array.count += self.count as u32;
        self.array.next_free += self.count as i64;
    }
}

impl PhpArray {
    /// Appends `count` values that `make` gives for 0, 1, 2, ...
    ///
    /// As long as the array is packed this is one check of its size; the values' shares move in.
    #[inline]
    pub fn extend_with(&mut self, count: usize, mut make: impl FnMut(usize) -> Value) {
        if !self.make_room(count) {
            for index in 0..count {
                drop(self.push(make(index)));
            }
            return;
        }
        // SAFETY: I5: there is room for `count` more values behind the last one.
        let first = unsafe { self.values().add(self.used as usize) };
        let mut fill = Fill {
            array: self,
            count: 0,
        };
        while fill.count < count {
            let value = make(fill.count).into_zval();
            // SAFETY: as above.
            unsafe { first.add(fill.count).write(Zval { extra: 0, ..value }) };
            fill.count += 1;
        }
    }

    /// A packed array with room for `capacity` elements, of which it has the first, which is undefined.
    #[inline]
    pub(crate) fn begun_list(heap: &mut Heap, capacity: usize) -> ArrayHandle {
        let array = PhpArray::with_capacity(heap, capacity);
        // SAFETY: the array is new, and its storage has room for a value (I5).
        unsafe {
            let fresh = &mut *array.as_ptr();
            fresh.initialise_packed(heap);
            fresh.values().write(Zval::UNDEF);
            fresh.used = 1;
            fresh.count = 1;
            fresh.next_free = 1;
        }
        array
    }

    /// A packed array of the `count` values that `make` gives for 0, 1, 2, ...: shares that move in.
    /// `make` runs no code of the script.
    #[inline]
    pub fn packed_with(
        heap: &mut Heap,
        count: usize,
        mut make: impl FnMut(usize) -> Zval,
    ) -> ArrayHandle {
        if count == 0 {
            // SAFETY: the empty array is always live.
            return unsafe { ArrayHandle::share_raw(super::empty_array()) };
        }
        let array = PhpArray::with_capacity(heap, count);
        // SAFETY: the array is new, and its storage has room for `count` values (I5).
        unsafe {
            let fresh = &mut *array.as_ptr();
            fresh.initialise_packed(heap);
            let first = fresh.values();
            for index in 0..count {
                first.add(index).write(Zval {
                    extra: 0,
                    ..make(index)
                });
            }
            fresh.used = count as u32;
            fresh.count = count as u32;
            fresh.next_free = count as i64;
        }
        array
    }

    /// Appends shares of values; a reference that has no other owner is taken as its value.
    #[inline]
    pub fn extend_shared<'a>(&mut self, mut values: impl ExactSizeIterator<Item = &'a Zval>) {
        self.extend_with(values.len(), |_| match values.next() {
            Some(value) => share_element(value),
            None => Value::NULL,
        });
    }

    /// Makes room for `count` more values behind the last one; false if the array is not packed, or the
    /// keys do not go on.
    fn make_room(&mut self, count: usize) -> bool {
        if self.flags & UNINITIALISED != 0 && matches!(self.next_free, 0 | i64::MIN) && count > 0 {
            self.next_free = 0;
            self.capacity = self.capacity.max(super::storage::round_capacity(count));
            // SAFETY: I2: an array that is written lives in a heap.
            let heap = unsafe { Heap::of(self) };
            self.initialise_packed(heap);
        }
        if !self.is_packed() || self.next_free != self.used as i64 {
            return false;
        }
        let needed = self.used as usize + count;
        if needed > self.capacity as usize {
            self.grow_packed(super::storage::round_capacity(needed));
        }
        true
    }

    /// Whether there are keys left for `count` more values.
    pub(crate) fn has_next_keys(&self, count: usize) -> bool {
        self.next_free.checked_add(count as i64).is_some()
    }

    /// Appends shares of the values of another array; `int` keys are counted on, string keys stay.
    pub fn merge_from(&mut self, source: &PhpArray) {
        if let Some(values) = source.packed() {
            self.extend_shared(values.iter());
            return;
        }
        if self.copy_names(source) {
            return;
        }
        let is_new = self.is_empty();
        for (key, value) in source.iter() {
            let value = share_element(value);
            match key {
                KeyRef::Long(_) => drop(self.push(value)),
                key if is_new => self.set_new(key, value),
                KeyRef::String(key) => self.set_string(key, value),
            }
        }
    }
}
