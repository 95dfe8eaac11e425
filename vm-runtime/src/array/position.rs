//! What native array functions need beyond elements: the internal position, the next free key,
//! and packed contents as slices.

use super::{KeyRef, PhpArray};
use crate::heap::Heap;
use crate::value::{Value, Zval};

impl PhpArray {
    /// Position of `current()`, `next()`, ...; maybe that of a deleted entry or the end.
    pub fn internal_position(&self) -> u32 {
        self.internal_position
    }

    /// Moves the position of `current()`. It is no part of the contents, so a shared array allows
    /// it too.
    pub fn set_internal_position(&mut self, position: u32) {
        self.internal_position = position;
    }

    /// Takes the elements of another array in exchange for its own. Loops that go over one of them by reference
    /// stay there, at the position that they had.
    pub fn exchange(&mut self, other: &mut PhpArray) {
        use std::mem::swap;
        swap(&mut self.flags, &mut other.flags);
        swap(&mut self.mask, &mut other.mask);
        swap(&mut self.data, &mut other.data);
        swap(&mut self.used, &mut other.used);
        swap(&mut self.count, &mut other.count);
        swap(&mut self.capacity, &mut other.capacity);
        swap(&mut self.internal_position, &mut other.internal_position);
        swap(&mut self.next_free, &mut other.next_free);
    }

    /// True if `[]` gives the key next that it would if the elements had just been put in one after another: none behind
    /// the last one was taken out.
    pub fn has_fresh_next_key(&self) -> bool {
        if self.is_packed() && self.used == self.count {
            return self.next_free_key() == Some(i64::from(self.used));
        }
        let mut longs = self.iter().filter_map(|(key, _)| match key {
            KeyRef::Long(key) => Some(key),
            KeyRef::String(_) => None,
        });
        let first = longs.next();
        let last = longs.fold(first, |last, key| last.max(Some(key)));
        self.next_free_key() == last.map_or(Some(0), |last| last.checked_add(1))
    }

    /// Has `[]` go on where it would in the array of which this one was made, if that is later.
    pub fn keep_next_key_of(&mut self, origin: &PhpArray) {
        if let (Some(next), Some(own)) = (origin.next_free_key(), self.next_free_key())
            && next > own
        {
            self.set_next_free_key(next);
        }
    }

    /// Sets the key that `[]` gives next, which no `int` key may reach.
    pub fn set_next_free_key(&mut self, key: i64) {
        self.next_free = key;
        if self.is_packed() {
            debug_assert!(key >= self.used as i64);
        }
    }

    /// The slot of the entry at a position below [`PhpArray::positions`]; undefined if the entry
    /// was deleted. The array must have one owner for writing to it.
    #[inline]
    pub fn value_slot(&mut self, position: u32) -> *mut Zval {
        debug_assert!(position < self.used);
        // SAFETY: I5, by the caller; wrong positions are clamped in release builds.
        unsafe { self.value_at(position.min(self.used.saturating_sub(1))) }
    }

    /// The values of a packed array without holes, whose keys are 0, 1, 2, ...
    #[inline]
    pub fn packed(&self) -> Option<&[Zval]> {
        if !self.is_packed() || self.used as usize != self.len() {
            return None;
        }
        // SAFETY: I5: `used` values are initialised.
        Some(unsafe { std::slice::from_raw_parts(self.values(), self.used as usize) })
    }

    /// As [`PhpArray::packed`], for reordering and changing values in place. The array must have
    /// one owner.
    #[inline]
    pub fn packed_mut(&mut self) -> Option<&mut [Zval]> {
        if !self.is_packed() || self.used as usize != self.len() {
            return None;
        }
        // SAFETY: I5: `used` values are initialised.
        Some(unsafe { std::slice::from_raw_parts_mut(self.values(), self.used as usize) })
    }

    /// Takes over the iterators of an array that this one replaces in its variable, each to where its
    /// position there leads.
    pub fn take_iterators(&mut self, old: &mut PhpArray, position: impl Fn(&PhpArray, u32) -> u32) {
        if old.iterators != 0 && old.header.refcount == 1 {
            self.iterators += std::mem::take(&mut old.iterators);
            let old = &*old;
            // SAFETY: I2: an array with one owner lives in a heap.
            unsafe {
                Heap::of(self)
                    .iterators
                    .carried(old, self, |at| position(old, at))
            };
        }
    }

    /// How many elements stand before a position, which is where it would be without deleted entries.
    pub fn elements_before(&self, position: u32) -> u32 {
        let end = position.min(self.used);
        // SAFETY: I5: `used` entries are initialised.
        let is_there = |index: &u32| unsafe { !(*self.value_at(*index)).is_undef() };
        (0..end).filter(is_there).count() as u32
    }

    /// Iterators go on where they would be without deleted entries, which are about to go.
    pub fn squeeze_iterators(&mut self) {
        if self.iterators != 0 && self.used != self.count {
            let here: *const PhpArray = self;
            // SAFETY: I2: an array that has iterators lives in a heap; I5: `used` entries are initialised.
            unsafe {
                let lives = |index| !(*self.value_at(index)).is_undef();
                Heap::of(self).iterators.squeezed(here, self.used, lives);
            }
        }
    }

    /// Puts values in front of those of a packed array without holes, which move up; false, and nothing
    /// happens, for other arrays and for those that loops go over by reference.
    pub fn unshift_packed(&mut self, values: impl ExactSizeIterator<Item = Value>) -> bool {
        if self.packed().is_none() || self.iterators != 0 || self.next_free != self.used as i64 {
            return false;
        }
        let (before, added) = (self.len(), values.len());
        let mut values = values;
        self.extend_with(added, |_| values.next().unwrap_or_default());
        debug_assert_eq!(self.len(), before + added);
        if let Some(all) = self.packed_mut() {
            all.rotate_right(added);
        }
        self.internal_position = 0;
        true
    }

    /// Whether loops by reference go through the array.
    pub fn has_iterators(&self) -> bool {
        self.iterators != 0
    }

    /// Iterators follow moves from one position to another, one move after the other. However many there are, each
    /// move is looked at once.
    pub fn move_iterators(&mut self, moves: &[(u32, u32)]) {
        if self.iterators == 0 || moves.is_empty() {
            return;
        }
        let last = moves.iter().map(|&(from, to)| from.max(to)).max();
        let mut places: Vec<u32> = (0..=last.unwrap_or_default()).collect();
        // What follows a move is known when it is looked at: the last one comes first.
        for &(from, to) in moves.iter().rev() {
            places[from as usize] = places[to as usize];
        }
        let here: *const PhpArray = self;
        // SAFETY: I2: an array that has iterators lives in a heap.
        unsafe {
            Heap::of(self).iterators.carried(here, here, |at| {
                places.get(at as usize).copied().unwrap_or(at)
            });
        }
    }

    /// Iterators behind a position go on there.
    pub fn clamp_iterators(&mut self, position: u32) {
        if self.iterators != 0 {
            // SAFETY: I2: an array that has iterators lives in a heap.
            unsafe { Heap::of(self).iterators.clamp(self, position) };
        }
    }

    /// Takes the last value out of a packed array, whose key is free again then; internal positions go to the
    /// first.
    #[inline]
    pub fn pop_packed(&mut self) -> Option<Value> {
        if !self.is_packed() || self.used == 0 {
            return None;
        }
        let position = self.used - 1;
        // SAFETY: I5: positions below `used` are initialised; the share moves out.
        unsafe {
            let slot = self.values().add(position as usize);
            if (*slot).is_undef() {
                return None;
            }
            let value = Value::from_zval(Zval { extra: 0, ..*slot });
            (*slot).set_undef();
            self.count -= 1;
            if self.next_free == i64::from(self.used) {
                self.next_free = i64::from(position);
            }
            self.drop_last_holes();
            self.internal_position = 0;
            Some(value)
        }
    }

    /// Removes the first value of a packed array without holes; the others move down by one.
    pub fn shift_packed(&mut self) -> Option<Value> {
        let length = self.packed()?.len();
        if length == 0 {
            return None;
        }
        // SAFETY: I5: the values behind the first move down; the last place is no longer used.
        let first = unsafe {
            let first = self.values().read();
            std::ptr::copy(self.values().add(1), self.values(), length - 1);
            first
        };
        if self.iterators != 0 {
            // SAFETY: I2: an array that is written lives in a heap.
            unsafe { Heap::of(self).iterators.shifted(self) };
        }
        self.used -= 1;
        self.count -= 1;
        self.next_free = self.used as i64;
        self.internal_position = 0;
        // SAFETY: I3: the array gave up its share.
        Some(unsafe { Value::from_zval(Zval { extra: 0, ..first }) })
    }
}
