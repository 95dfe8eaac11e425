//! Setting and removing elements. The array must have one owner.

use super::storage::release_key;
use super::{HAS_INDIRECT, INVALID, KeyRef, PACKED, PhpArray, UNINITIALISED};
use crate::heap::Heap;
use crate::string::PhpString;
use crate::value::{ArrayHandle, INDIRECT, Value, Zval, release};

/// A share of a key for an array.
///
/// # Safety
/// The key is live (invariant I3).
#[inline(always)]
unsafe fn share_key(key: &PhpString) -> *mut PhpString {
    let pointer = (&raw const *key).cast_mut();
    // SAFETY: by the caller.
    unsafe {
        if !(*pointer).header.is_immutable() {
            (*pointer).header.refcount += 1;
        }
    }
    pointer
}

impl PhpArray {
    /// Sets an element, taking over `value`; an old value is released.
    #[inline]
    pub fn set_long(&mut self, key: i64, value: Value) {
        // SAFETY: the slot is initialised and ours to overwrite.
        unsafe {
            let slot = self.slot_long(key);
            let old = *slot;
            (*slot).set(value.into_zval());
            release(&old);
        }
    }

    /// Sets an element by a string key, taken as it is: no conversion of decimal integers.
    #[inline]
    pub fn set_string(&mut self, key: &PhpString, value: Value) {
        if self.flags & (UNINITIALISED | PACKED | HAS_INDIRECT) == 0 && self.used < self.capacity {
            return self.set_in_room(key, value);
        }
        // SAFETY: the slot is initialised and ours to overwrite.
        unsafe {
            let slot = self.slot_string(key);
            let old = *slot;
            (*slot).set(value.into_zval());
            release(&old);
        }
    }

    /// Sets an element by bytes, taken as they are.
    pub fn set_bytes(&mut self, key: &[u8], value: Value) {
        // SAFETY: I2: an array that is written lives in a heap.
        let key = PhpString::new(unsafe { Heap::of(self) }, key);
        self.set_string(&key, value);
    }

    /// Sets an element by bytes as PHP's `$array["..."]` does: decimal integers become `int` keys.
    #[inline]
    pub fn set_symbol(&mut self, key: &PhpString, value: Value) {
        self.set(KeyRef::of_text(key), value);
    }

    /// Sets an element by a key of either kind.
    #[inline]
    pub fn set(&mut self, key: KeyRef<'_>, value: Value) {
        match key {
            KeyRef::Long(key) => self.set_long(key, value),
            KeyRef::String(key) => self.set_string(key, value),
        }
    }

    /// Sets an element of a hash array that has room for one more, and no INDIRECT entries.
    #[inline]
    fn set_in_room(&mut self, key: &PhpString, value: Value) {
        let hash = key.hash();
        // SAFETY: I5: chains lead through initialised buckets, and there is room for one more.
        unsafe {
            let head = self.head(hash);
            let mut index = *head;
            while index != INVALID {
                let bucket = &mut *self.buckets().add(index as usize);
                if std::ptr::eq(bucket.key, key)
                    || bucket.hash == hash
                        && !bucket.key.is_null()
                        && (*bucket.key).equals_inline(key)
                {
                    let old = bucket.value;
                    bucket.value.set(value.into_zval());
                    return release(&old);
                }
                index = bucket.value.extra;
            }
            self.put_in_room(head, hash, share_key(key), value);
        }
    }

    /// Appends an entry that is not there yet at the head of its chain.
    ///
    /// # Safety
    /// There is room for one more bucket, and `head` is the head of the chain of `hash` (I5); the share
    /// of `key`, which is null or live, moves here (I3).
    #[inline(always)]
    unsafe fn put_in_room(&mut self, head: *mut u32, hash: u64, key: *mut PhpString, value: Value) {
        // SAFETY: by the caller.
        unsafe {
            let index = self.used;
            let bucket = self.buckets().add(index as usize);
            let value = value.into_zval();
            (*bucket).value = Zval {
                extra: *head,
                ..value
            };
            (*bucket).hash = hash;
            (*bucket).key = key;
            *head = index;
            self.used += 1;
            self.count += 1;
            self.check_chain(index);
        }
    }

    /// A hash array with room for `capacity` elements, of which it has the first, with a string key and
    /// without a value yet.
    #[inline]
    pub(crate) fn begun_table(heap: &mut Heap, capacity: usize, key: &PhpString) -> ArrayHandle {
        let array = PhpArray::keyed(heap, capacity);
        // SAFETY: I5: the array is new, and its storage has room for an entry.
        unsafe {
            let fresh = &mut *array.as_ptr();
            let hash = key.hash();
            fresh.put_in_room(fresh.head(hash), hash, share_key(key), Value::NULL);
        }
        array
    }

    /// Sets an element whose key is known not to be there yet: it is not looked for.
    #[inline]
    pub fn set_new(&mut self, key: KeyRef<'_>, value: Value) {
        debug_assert!(self.position_of(key).is_none());
        if self.flags & (UNINITIALISED | PACKED) != 0 {
            match key {
                KeyRef::String(_) if self.flags & UNINITIALISED != 0 => {
                    // SAFETY: I2: an array that is written lives in a heap.
                    self.initialise_hash(unsafe { Heap::of(self) });
                }
                KeyRef::Long(key) if self.is_packed() && self.skip_to(key) => {
                    let slot = self.push_in_place();
                    // SAFETY: I5: there is room at this position, which is a fresh slot.
                    return unsafe { slot.write(value.into_zval()) };
                }
                _ => return self.set(key, value),
            }
        }
        if self.used >= self.capacity {
            self.grow_hash();
        }
        // SAFETY: I5: there is room; `key` is live, and the array takes a share of it.
        unsafe {
            match key {
                KeyRef::Long(key) => {
                    self.note_key(key);
                    let head = self.head(key as u64);
                    self.put_in_room(head, key as u64, std::ptr::null_mut(), value);
                }
                KeyRef::String(key) => {
                    let hash = key.hash();
                    self.put_in_room(self.head(hash), hash, share_key(key), value);
                }
            }
        }
    }

    /// Leaves holes in a packed array up to a key behind its last one, if there is room for it and the next free
    /// key is not behind that.
    #[inline]
    fn skip_to(&mut self, key: i64) -> bool {
        let is_near = key >= i64::from(self.used) && key < i64::from(self.capacity);
        if !is_near || self.next_free > key {
            return false;
        }
        while i64::from(self.used) < key {
            // SAFETY: I5: positions below the capacity have room.
            unsafe { self.values().add(self.used as usize).write(Zval::UNDEF) };
            self.used += 1;
        }
        self.next_free = key;
        true
    }

    /// Appends with the next free key. Gives the value back if there is none left.
    #[inline]
    pub fn push(&mut self, value: Value) -> Result<(), Value> {
        match self.slot_next() {
            Some(slot) => {
                // SAFETY: a fresh slot.
                unsafe { (*slot).set(value.into_zval()) };
                Ok(())
            }
            None => Err(value),
        }
    }

    /// The slot behind the last element, for the next free key; holds `null`. None if the largest
    /// key is taken.
    #[inline]
    pub fn slot_next(&mut self) -> Option<*mut Zval> {
        // SAFETY: I5: below capacity there is room for one more value.
        unsafe {
            if self.is_packed() && self.used < self.capacity && self.next_free == self.used as i64 {
                let slot = self.values().add(self.used as usize);
                slot.write(Zval::NULL);
                self.used += 1;
                self.count += 1;
                self.next_free += 1;
                return Some(slot);
            }
        }
        let key = self.next_free_key()?;
        Some(self.slot_long(key))
    }

    /// The slot behind the last element of a packed array that has room; null otherwise.
    #[inline(always)]
    pub(crate) fn push_in_place(&mut self) -> *mut Zval {
        if !self.is_packed() || self.used >= self.capacity || self.next_free != self.used as i64 {
            return std::ptr::null_mut();
        }
        // SAFETY: I5: below capacity there is room for one more value.
        let slot = unsafe { self.values().add(self.used as usize) };
        self.used += 1;
        self.count += 1;
        self.next_free += 1;
        slot
    }

    /// The slot of an integer key; a new one holds `null`.
    #[inline]
    pub fn slot_long(&mut self, key: i64) -> *mut Zval {
        // SAFETY: I5 throughout: positions are below `used`, appended ones below `capacity`.
        unsafe {
            if self.is_packed() {
                if (key as u64) < self.used as u64 {
                    let slot = self.values().add(key as usize);
                    if !(*slot).is_undef() {
                        return slot;
                    }
                }
                if self.extend_packed(key) {
                    let slot = self.values().add(key as usize);
                    slot.write(Zval::NULL);
                    return slot;
                }
                self.packed_to_hash();
            } else if self.flags & UNINITIALISED != 0 {
                if (key as u64) < self.capacity as u64 {
                    let heap = Heap::of(self);
                    self.initialise_packed(heap);
                    return self.slot_long(key);
                }
                let heap = Heap::of(self);
                self.initialise_hash(heap);
            } else if let Some(index) = self.find_long(key) {
                return &raw mut (*self.buckets().add(index as usize)).value;
            }
            self.append_bucket(key as u64, std::ptr::null_mut())
        }
    }

    /// Makes position `key` of a packed array usable, if that does not leave too many holes.
    unsafe fn extend_packed(&mut self, key: i64) -> bool {
        // Filling a hole, or near the end: the same bounds as PHP, so that dumps of memory agree.
        if key < 0 {
            return false;
        }
        let key = key as u64;
        // SAFETY: I5, by the caller.
        unsafe {
            if key < self.used as u64 {
                // Filling a hole would put the element out of insertion order.
                return false;
            }
            if key >= self.capacity as u64 {
                if !((key >> 1) < self.capacity as u64 && (self.capacity >> 1) < self.count) {
                    return false;
                }
                self.grow_packed(key as u32 + 1);
            }
            for index in self.used as u64..key {
                self.values().add(index as usize).write(Zval::UNDEF);
            }
            self.used = key as u32 + 1;
            self.count += 1;
            // As in PHP, where elements behind it were unset, their keys are free again.
            self.next_free = key as i64 + 1;
            true
        }
    }

    #[inline(always)]
    fn note_key(&mut self, key: i64) {
        if key >= self.next_free {
            self.next_free = if key == i64::MAX { i64::MAX } else { key + 1 };
        }
    }

    /// The slot of a string key; a new one holds `null`. INDIRECT entries are followed.
    #[inline]
    pub fn slot_string(&mut self, key: &PhpString) -> *mut Zval {
        // SAFETY: I5; `key` is live, and the array takes a share of it.
        unsafe {
            if self.is_packed() {
                self.packed_to_hash();
            } else if self.flags & UNINITIALISED != 0 {
                let heap = Heap::of(self);
                self.initialise_hash(heap);
            } else if let Some(index) = self.find_string(key) {
                let slot = &raw mut (*self.buckets().add(index as usize)).value;
                if self.flags & HAS_INDIRECT != 0 && (*slot).kind() == INDIRECT {
                    let target = (*slot).indirect();
                    if (*target).is_undef() {
                        (*target).set_null();
                    }
                    return target;
                }
                return slot;
            }
            self.append_bucket(key.hash(), share_key(key))
        }
    }

    /// The slot of a key of either kind; a new one holds `null`.
    pub fn slot(&mut self, key: KeyRef<'_>) -> *mut Zval {
        match key {
            KeyRef::Long(key) => self.slot_long(key),
            KeyRef::String(key) => self.slot_string(key),
        }
    }

    #[inline(always)]
    unsafe fn append_bucket(&mut self, hash: u64, key: *mut PhpString) -> *mut Zval {
        if self.used >= self.capacity {
            self.grow_hash();
        }
        // SAFETY: I5: there is room for one more bucket now.
        unsafe {
            let index = self.used;
            let bucket = self.buckets().add(index as usize);
            (*bucket).value = Zval::NULL;
            (*bucket).hash = hash;
            (*bucket).key = key;
            self.used += 1;
            self.count += 1;
            if key.is_null() {
                self.note_key(hash as i64);
            }
            self.link(index);
            self.check_chain(index);
            &raw mut (*bucket).value
        }
    }

    /// Removes an element; true if it was there.
    pub fn remove(&mut self, key: KeyRef<'_>) -> bool {
        match self.position_of(key) {
            Some(position) => {
                self.remove_at(position);
                true
            }
            None => false,
        }
    }

    /// Removes the element with an integer key.
    #[inline]
    pub fn remove_long(&mut self, key: i64) -> bool {
        // SAFETY: I5: positions below `used` are initialised, and chains lead through them.
        unsafe {
            let position = if self.is_packed() {
                if key as u64 >= u64::from(self.used) || (*self.value_at(key as u32)).is_undef() {
                    return false;
                }
                key as u32
            } else {
                let mut link = self.head(key as u64);
                loop {
                    if *link == INVALID {
                        return false;
                    }
                    let bucket = self.buckets().add(*link as usize);
                    if (*bucket).hash == key as u64 && (*bucket).key.is_null() {
                        break;
                    }
                    link = &raw mut (*bucket).value.extra;
                }
                let position = *link;
                if (*self.value_at(position)).kind() == INDIRECT {
                    self.remove_at(position);
                    return true;
                }
                *link = (*self.value_at(position)).extra;
                position
            };
            let slot = self.value_at(position);
            let old = (*slot).copy();
            (*slot).set_undef();
            self.note_removed(position);
            release(&old);
        }
        true
    }

    /// Removes the element with a string key, as it is. A symbol table's CV is unset instead.
    pub fn remove_string(&mut self, key: &PhpString) -> bool {
        self.remove(KeyRef::String(key))
    }

    /// Removes the live element at a position.
    pub fn remove_at(&mut self, position: u32) {
        drop(self.take_at(position));
    }

    /// Removes the live element at a position and gives its value.
    pub fn take_at(&mut self, position: u32) -> Value {
        // SAFETY: I5: `position` is a live entry.
        unsafe {
            let slot = self.value_at(position);
            if (*slot).kind() == INDIRECT {
                let target = (*slot).indirect();
                let value = *target;
                (*target).set_undef();
                return Value::from_zval(value);
            }
            let value = Zval { extra: 0, ..*slot };
            if !self.is_packed() {
                self.unlink(position);
                let key = (*self.buckets().add(position as usize)).key;
                (*slot).set_undef();
                release_key(key);
            } else {
                (*slot).set_undef();
            }
            self.note_removed(position);
            Value::from_zval(value)
        }
    }

    /// Counts the entry at a position no more, which is undefined by now.
    ///
    /// # Safety
    /// It was a live entry (I5).
    #[inline(always)]
    unsafe fn note_removed(&mut self, position: u32) {
        self.count -= 1;
        // Loops by reference stay: they pass what is deleted when they go on.
        if self.internal_position == position {
            self.internal_position = self.next_position(position + 1);
        }
        if position + 1 == self.used {
            // SAFETY: by the caller.
            unsafe { self.drop_last_holes() };
        }
    }

    /// Trailing holes go at once, so that appending to a stack stays compact.
    ///
    /// # Safety
    /// Entries below `used` are initialised (I5).
    #[inline]
    pub(super) unsafe fn drop_last_holes(&mut self) {
        // SAFETY: by the caller.
        unsafe {
            while self.used > 0 && (*self.value_at(self.used - 1)).is_undef() {
                self.used -= 1;
            }
            self.internal_position = self.internal_position.min(self.used);
            if self.iterators != 0 {
                let used = self.used;
                Heap::of(self).iterators.clamp(self, used);
            }
        }
    }

    unsafe fn unlink(&mut self, position: u32) {
        // SAFETY: I5: the entry is in the chain of its hash.
        unsafe {
            let bucket = self.buckets().add(position as usize);
            let mut link = self.head((*bucket).hash);
            while *link != position {
                debug_assert_ne!(*link, INVALID);
                link = &raw mut (*self.buckets().add(*link as usize)).value.extra;
            }
            *link = (*bucket).value.extra;
        }
    }
}
