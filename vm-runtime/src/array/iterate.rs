//! Walking arrays, and positions that survive changes.

use std::marker::PhantomData;

use super::{Bucket, PhpArray, integer_key};
use crate::string::PhpString;
use crate::value::{INDIRECT, StringHandle, Value, Zval};

/// A borrowed key.
#[derive(Debug, Clone, Copy)]
pub enum KeyRef<'a> {
    /// An `int` key.
    Long(i64),
    /// A `string` key; never a decimal integer in PHP arrays.
    String(&'a PhpString),
}

impl PartialEq for KeyRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (KeyRef::Long(a), KeyRef::Long(b)) => a == b,
            (KeyRef::String(a), KeyRef::String(b)) => a.equals(b),
            _ => false,
        }
    }
}

/// An owned key.
#[derive(Debug, Clone)]
pub enum Key {
    /// An `int` key.
    Long(i64),
    /// A `string` key.
    String(StringHandle),
}

impl Key {
    /// The key, borrowed.
    pub fn as_ref(&self) -> KeyRef<'_> {
        match self {
            Key::Long(key) => KeyRef::Long(*key),
            Key::String(key) => KeyRef::String(key),
        }
    }
}

impl<'a> KeyRef<'a> {
    /// The key that a string means in `$array["..."]`: decimal integers are `int` keys.
    #[inline]
    pub fn of_text(text: &'a PhpString) -> KeyRef<'a> {
        match integer_key(text.as_bytes()) {
            Some(key) => KeyRef::Long(key),
            None => KeyRef::String(text),
        }
    }
}

impl KeyRef<'_> {
    /// The key with a share of its own.
    pub fn to_key(self) -> Key {
        match self {
            KeyRef::Long(key) => Key::Long(key),
            KeyRef::String(key) => {
                // SAFETY: a borrowed string is live.
                Key::String(unsafe { StringHandle::share_raw((&raw const *key).cast_mut()) })
            }
        }
    }

    /// The key as a value: `int` or `string`.
    pub fn to_value(self) -> Value {
        match self.to_key() {
            Key::Long(key) => key.into(),
            Key::String(key) => key.into(),
        }
    }
}

/// Live entries in order.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    array: &'a PhpArray,
    position: u32,
    end: u32,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (KeyRef<'a>, &'a Zval);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        while self.position < self.end {
            let position = self.position;
            self.position += 1;
            if let Some(entry) = self.array.entry_at(position) {
                return Some(entry);
            }
        }
        None
    }
}

impl DoubleEndedIterator for Entries<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        while self.position < self.end {
            self.end -= 1;
            if let Some(entry) = self.array.entry_at(self.end) {
                return Some(entry);
            }
        }
        None
    }
}

/// Live values in order.
#[derive(Debug, Clone)]
pub struct Values<'a> {
    next: *const Zval,
    end: *const Zval,
    /// Bytes from one to the next.
    stride: usize,
    left: usize,
    array: PhantomData<&'a PhpArray>,
}

impl<'a> Iterator for Values<'a> {
    type Item = &'a Zval;

    #[inline(always)]
    fn next(&mut self) -> Option<&'a Zval> {
        while self.next < self.end {
            // SAFETY: I5: the values of an array up to its end are initialised, and it does not change
            // as long as it is borrowed; I6 for INDIRECT targets.
            unsafe {
                let mut value = self.next;
                self.next = value.byte_add(self.stride);
                if (*value).kind() == INDIRECT {
                    value = (*value).indirect();
                }
                if !(*value).is_undef() {
                    self.left = self.left.wrapping_sub(1);
                    return Some(&*value);
                }
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl PhpArray {
    /// Live values in order, without their keys. No user code may run meanwhile.
    #[inline]
    pub fn live_values(&self) -> Values<'_> {
        let used = self.used as usize;
        // SAFETY: I5: `used` values or buckets are initialised. A bucket begins with its value.
        let (next, end, stride) = unsafe {
            match self.is_packed() {
                true => (self.values(), self.values().add(used), size_of::<Zval>()),
                false => {
                    let first = self.buckets();
                    (first.cast(), first.add(used).cast(), size_of::<Bucket>())
                }
            }
        };
        Values {
            next,
            end,
            stride,
            left: self.len(),
            array: PhantomData,
        }
    }

    /// Live entries in order. The array must not change meanwhile; use positions or
    /// [`IteratorTable`] where user code may run.
    pub fn iter(&self) -> Entries<'_> {
        Entries {
            array: self,
            position: 0,
            end: self.used,
        }
    }

    /// Calls `each` with every value as it stands, deleted ones (undefined) and INDIRECT ones among
    /// them.
    #[inline(always)]
    pub(crate) fn each_value(&self, mut each: impl FnMut(&Zval)) {
        for index in 0..self.used as usize {
            // SAFETY: I5: `used` values or buckets are initialised.
            unsafe {
                each(match self.is_packed() {
                    true => &*self.values().add(index),
                    false => &(*self.buckets().add(index)).value,
                });
            }
        }
    }

    /// The entry at a position, unless it was deleted or the position is past the end. INDIRECT
    /// entries are followed.
    #[inline(always)]
    pub fn entry_at(&self, position: u32) -> Option<(KeyRef<'_>, &Zval)> {
        if position >= self.used {
            return None;
        }
        // SAFETY: I5: positions below `used` are initialised; I6 for INDIRECT targets.
        unsafe {
            let mut value = self.value_at(position);
            if (*value).kind() == INDIRECT {
                value = (*value).indirect();
            }
            if (*value).is_undef() {
                return None;
            }
            Some((self.key_at(position), &*value))
        }
    }

    #[inline(always)]
    pub(crate) unsafe fn key_at(&self, position: u32) -> KeyRef<'_> {
        if self.is_packed() {
            return KeyRef::Long(position as i64);
        }
        // SAFETY: I5, by the caller.
        unsafe {
            let bucket = self.buckets().add(position as usize);
            if (*bucket).key.is_null() {
                KeyRef::Long((*bucket).hash as i64)
            } else {
                KeyRef::String(&*(*bucket).key)
            }
        }
    }

    /// The first position from `position` on that holds a live entry, or the end.
    #[inline]
    pub fn next_position(&self, mut position: u32) -> u32 {
        while position < self.used && self.entry_at(position).is_none() {
            position += 1;
        }
        position.min(self.used)
    }

    /// The last position before `position` that holds a live entry.
    pub fn previous_position(&self, position: u32) -> Option<u32> {
        (0..position.min(self.used))
            .rev()
            .find(|&position| self.entry_at(position).is_some())
    }
}

/// A registered position in an array.
#[derive(Debug, Clone, Copy)]
struct IteratorEntry {
    array: *const PhpArray,
    position: u32,
    in_use: bool,
    /// The number of the iterator that this one would be if its loop went on with a copy of the
    /// array; [`NO_ORIGINAL`] for a loop's own.
    copy_of: u32,
    /// How many copies of it there are.
    copies: u32,
}

const NO_ORIGINAL: u32 = u32::MAX;

impl IteratorEntry {
    /// Stops following the array.
    fn leave(&mut self) {
        if !self.array.is_null() {
            // SAFETY: arrays with iterators take themselves out of the table when they go.
            unsafe { (*self.array.cast_mut()).iterators -= 1 };
        }
        self.array = std::ptr::null();
    }
}

/// The positions of running by-reference loops, and of iterators that are objects. They follow their array when it is
/// rebuilt, separated or replaced.
#[derive(Debug, Default)]
pub struct IteratorTable {
    entries: Vec<IteratorEntry>,
    /// How many of them are not in use, which is none mostly: nobody looks for one then.
    free: usize,
}

impl IteratorTable {
    /// Registers a position and returns its number.
    pub fn add(&mut self, array: &mut PhpArray, position: u32) -> u32 {
        self.insert(array, position, NO_ORIGINAL)
    }

    fn insert(&mut self, array: &mut PhpArray, position: u32, copy_of: u32) -> u32 {
        array.iterators += 1;
        let entry = IteratorEntry {
            array,
            position,
            in_use: true,
            copy_of,
            copies: 0,
        };
        if copy_of != NO_ORIGINAL {
            self.entries[copy_of as usize].copies += 1;
        }
        let free = match self.free {
            0 => None,
            _ => self.entries.iter().position(|entry| !entry.in_use),
        };
        match free {
            Some(index) => {
                self.free -= 1;
                self.entries[index] = entry;
                index as u32
            }
            None => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
        }
    }

    /// The position of iterator `index` in `array`. If the loop's variable holds another array
    /// now, the iterator moves there: to where it was, if that is a copy of the one it walked, else
    /// to the array's internal position, as PHP does.
    pub fn position(&mut self, index: u32, array: &mut PhpArray) -> u32 {
        let internal = array.internal_position;
        self.move_to(index, array, internal)
    }

    /// As [`IteratorTable::position`] for an iterator that keeps the number of its position in an array that is no copy.
    pub fn kept_position(&mut self, index: u32, array: &mut PhpArray) -> u32 {
        let kept = self.entries[index as usize].position;
        self.move_to(index, array, kept)
    }

    fn move_to(&mut self, index: u32, array: &mut PhpArray, otherwise: u32) -> u32 {
        if !std::ptr::eq(self.entries[index as usize].array, array) {
            let copy = match self.entries[index as usize].copies {
                0 => None,
                _ => self
                    .entries
                    .iter()
                    .find(|entry| entry.copy_of == index && std::ptr::eq(entry.array, array)),
            };
            let position = copy.map_or(otherwise, |copy| copy.position);
            self.drop_copies(index);
            self.entries[index as usize].leave();
            array.iterators += 1;
            let entry = &mut self.entries[index as usize];
            entry.array = array;
            entry.position = position;
        }
        self.entries[index as usize].position
    }

    /// Where iterator `index` was in the array that it went over last.
    pub fn last_position(&self, index: u32) -> u32 {
        self.entries[index as usize].position
    }

    /// Whether an iterator goes over this array.
    pub(crate) fn goes_over(&mut self, index: u32, array: *const PhpArray) -> bool {
        self.place_in(index, array).is_some()
    }

    /// The position of an iterator, if it goes over this array.
    #[inline]
    pub fn place_in(&mut self, index: u32, array: *const PhpArray) -> Option<&mut u32> {
        let entry = self.entries.get_mut(index as usize)?;
        std::ptr::eq(entry.array, array).then_some(&mut entry.position)
    }

    /// An array with iterators was copied: which of the two a loop goes on with shows when it asks
    /// for its position.
    pub(super) fn duplicated(&mut self, from: *const PhpArray, to: &mut PhpArray) {
        for index in 0..self.entries.len() {
            let entry = self.entries[index];
            if entry.in_use && entry.array == from {
                let original = match entry.copy_of {
                    NO_ORIGINAL => index as u32,
                    original => original,
                };
                self.insert(to, entry.position, original);
            }
        }
    }

    fn drop_copies(&mut self, index: u32) {
        if std::mem::take(&mut self.entries[index as usize].copies) == 0 {
            return;
        }
        for entry in &mut self.entries {
            if entry.copy_of == index {
                entry.leave();
                entry.in_use = false;
                entry.copy_of = NO_ORIGINAL;
                self.free += 1;
            }
        }
    }

    /// Moves iterator `index` on.
    pub fn set_position(&mut self, index: u32, position: u32) {
        self.entries[index as usize].position = position;
    }

    /// Ends iterator `index`.
    pub fn remove(&mut self, index: u32) {
        self.drop_copies(index);
        let entry = &mut self.entries[index as usize];
        entry.leave();
        entry.in_use = false;
        self.free += 1;
        while self.entries.last().is_some_and(|entry| !entry.in_use) {
            self.entries.pop();
            self.free -= 1;
        }
    }

    pub(super) fn clamp(&mut self, array: *const PhpArray, used: u32) {
        for entry in self.entries.iter_mut().filter(|entry| entry.array == array) {
            entry.position = entry.position.min(used);
        }
    }

    /// The first entry of a packed array was taken out, and the others moved down.
    pub(super) fn shifted(&mut self, array: *const PhpArray) {
        for entry in self.entries.iter_mut().filter(|entry| entry.array == array) {
            entry.position = entry.position.saturating_sub(1);
        }
    }

    /// `to` takes the place of `from`; where the loops go on in it follows from where they are.
    pub(super) fn carried(
        &mut self,
        from: *const PhpArray,
        to: *const PhpArray,
        position: impl Fn(u32) -> u32,
    ) {
        // Where there are very many, most stand where the one before does.
        let mut known = None;
        for entry in self.entries.iter_mut().filter(|entry| entry.array == from) {
            entry.array = to;
            let place = match known {
                Some((at, place)) if at == entry.position => place,
                _ => position(entry.position),
            };
            known = Some((entry.position, place));
            entry.position = place;
        }
    }

    /// The deleted entries of an array go, of which `lives` tells: all others are numbered anew. However many iterators
    /// there are, the entries are looked at once.
    pub(super) fn squeezed(
        &mut self,
        array: *const PhpArray,
        used: u32,
        lives: impl Fn(u32) -> bool,
    ) {
        let mut places: Vec<&mut u32> = self
            .entries
            .iter_mut()
            .filter(|entry| entry.array == array)
            .map(|entry| &mut entry.position)
            .collect();
        places.sort_unstable();
        let (mut at, mut before) = (0, 0);
        for place in places {
            while at < used.min(*place) {
                before += u32::from(lives(at));
                at += 1;
            }
            *place = before;
        }
    }

    pub(super) fn forget(&mut self, array: *const PhpArray) {
        for index in 0..self.entries.len() {
            let entry = &mut self.entries[index];
            if entry.array != array {
                continue;
            }
            entry.array = std::ptr::null();
            let original = std::mem::replace(&mut entry.copy_of, NO_ORIGINAL);
            if original != NO_ORIGINAL {
                entry.in_use = false;
                self.free += 1;
                self.entries[original as usize].copies -= 1;
            }
        }
    }
}
