//! Where an ArrayIterator stands. Among the elements of an array that is a registered iterator, which moves along when
//! elements go, and so it is among the dynamic properties of an object; the declared ones before them are counted.

use vm_runtime::array::{KeyRef, PhpArray};
use vm_runtime::function::flags;
use vm_runtime::interpreter::object_loops;
use vm_runtime::object::{PhpObject, fill_table, lazy};
use vm_runtime::operators::convert::share_element;
use vm_runtime::value::{ArrayHandle, ObjectHandle, StringHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::storage::{Target, data, target};

/// No iterator is registered.
const NONE: u32 = u32::MAX;

/// Where an iterator is.
pub(super) struct Place {
    /// The registered iterator.
    iterator: u32,
    /// Of an object the number of the declared property by its slot, or how many slots there are: then the iterator tells
    /// which of the dynamic ones it is. 0 in an array, where the iterator alone tells.
    slot: u32,
    /// The object whose properties are gone through, or null. It may be gone.
    walked: *const PhpObject,
}

impl Place {
    /// That of an iterator that nobody has asked for anything.
    pub(super) const NOWHERE: Place = Place {
        iterator: NONE,
        slot: 0,
        walked: std::ptr::null(),
    };

    /// What was gone through is so no more.
    pub(super) fn leave(&mut self, vm: &mut Vm) {
        self.note_walk(vm, std::ptr::null());
        let iterator = std::mem::replace(&mut self.iterator, NONE);
        if iterator != NONE {
            vm.heap.iterators.remove(iterator);
        }
    }

    /// Notes that the properties of this object are gone through, as long as the iterator lives.
    fn note_walk(&mut self, vm: &mut Vm, object: *const PhpObject) {
        if std::ptr::eq(self.walked, object) {
            return;
        }
        let before = std::mem::replace(&mut self.walked, object);
        if !before.is_null() {
            object_loops::end(vm, before);
        }
        if !object.is_null() {
            object_loops::begin(vm, object);
        }
    }

    /// Its number among the elements, or the properties, that it went through last; none if nobody has asked for any.
    fn number(&self, vm: &Vm) -> Option<u32> {
        match self.iterator {
            NONE if self.walked.is_null() => None,
            NONE => Some(self.slot),
            iterator => Some(self.slot + vm.heap.iterators.last_position(iterator)),
        }
    }

    /// Has the iterator go over this array: where it was, if that is a copy of the one before, else at the same number.
    fn enter(&mut self, vm: &mut Vm, array: &mut ArrayHandle) {
        if array.header.is_immutable() {
            array.make_mut(vm);
        }
        // SAFETY: I3: the handle keeps the array, which is none that others read without counting; how many
        // iterators it has is no part of what it holds.
        let array = unsafe { &mut *array.as_ptr() };
        if self.slot == 0 && self.iterator != NONE {
            self.note_walk(vm, std::ptr::null());
            vm.heap.iterators.kept_position(self.iterator, array);
            return;
        }
        let number = self.number(vm).unwrap_or_else(|| array.next_position(0));
        self.leave(vm);
        self.slot = 0;
        self.iterator = vm.heap.iterators.add(array, number);
    }
}

/// The array that an iterator goes over, with the position in it; none if it goes through an object.
#[inline]
pub(super) fn in_array<'a>(
    vm: &'a mut Vm,
    object: &'a PhpObject,
) -> Option<(&'a PhpArray, &'a mut u32)> {
    let Target::Array(array) = target(object) else {
        return None;
    };
    let place = &mut data(object).place;
    let (heap, known) = (&raw mut vm.heap, place.iterator);
    // SAFETY: I1: the heap is the VM's, and nothing else looks at its iterators meanwhile.
    if let Some(position) = unsafe { (*heap).iterators.place_in(known, array.as_ptr()) } {
        return Some((&**array, position));
    }
    place.enter(vm, array);
    let position = vm.heap.iterators.place_in(place.iterator, array.as_ptr())?;
    Some((&**array, position))
}

/// The properties of an object that an iterator goes through.
pub(super) struct Properties {
    object: ObjectHandle,
    /// The declared ones by their slots, then the dynamic ones by their positions.
    position: u32,
}

impl Properties {
    /// At the first property of an object.
    pub(super) fn first(vm: &mut Vm, own: &PhpObject, inner: &ObjectHandle) -> PhpResult<Self> {
        let mut properties = Properties {
            object: lazy::with_state(vm, inner)?,
            position: 0,
        };
        properties.begin(vm, own, inner);
        properties.go(vm, own, 0);
        Ok(properties)
    }

    /// Where an iterator is in an object: at the same number as in what it went through before, if that was something
    /// else, and at the first property if nobody has asked it for anything.
    pub(super) fn here(vm: &mut Vm, own: &PhpObject, inner: &ObjectHandle) -> PhpResult<Self> {
        let mut properties = Properties {
            object: lazy::with_state(vm, inner)?,
            position: 0,
        };
        let place = &mut data(own).place;
        if std::ptr::eq(place.walked, inner.as_ptr()) {
            let slots = properties.object.slot_count;
            properties.position = match properties.dynamic() {
                Some(table) if place.slot >= slots => {
                    if place.iterator == NONE {
                        place.iterator = vm.heap.iterators.add(table, 0);
                    }
                    slots + vm.heap.iterators.kept_position(place.iterator, table)
                }
                _ => place.slot,
            };
            return Ok(properties);
        }
        let number = place.number(vm);
        properties.begin(vm, own, inner);
        match number {
            Some(number) => {
                properties.position = number;
                properties.keep(vm, own);
            }
            None => properties.go(vm, own, 0),
        }
        Ok(properties)
    }

    /// Has the iterator go through these properties from now on.
    fn begin(&self, vm: &mut Vm, own: &PhpObject, inner: &ObjectHandle) {
        let place = &mut data(own).place;
        if !std::ptr::eq(place.walked, inner.as_ptr()) {
            place.leave(vm);
            place.note_walk(vm, inner.as_ptr());
        }
        fill_table(vm, &self.object);
    }

    pub(super) fn object(&self) -> &ObjectHandle {
        &self.object
    }

    #[allow(clippy::mut_from_ref, reason = "as for `PhpObject::native`")]
    fn dynamic(&self) -> Option<&mut PhpArray> {
        // SAFETY: I3: the table lives as long as the object, which is held.
        unsafe { self.object.dynamic.as_mut() }
    }

    /// The declared property at the position, if it is public.
    fn declared(&self) -> Option<&vm_runtime::class::PropertyInfo> {
        let infos = &self.object.class().slot_properties;
        // SAFETY: I4: infos live as long as their class.
        let info = unsafe { infos.get(self.position as usize)?.as_ref()? };
        let is_public = info.flags & (flags::PRIVATE | flags::PROTECTED | flags::STATIC) == 0;
        is_public.then_some(info)
    }

    fn is_declared(&self) -> bool {
        self.position < self.object.slot_count
    }

    /// Whether the position is that of a property, be it one that was unset or nobody may see.
    pub(super) fn is_valid(&self) -> bool {
        if self.is_declared() {
            return true;
        }
        let position = self.position - self.object.slot_count;
        self.dynamic()
            .is_some_and(|table| table.next_position(position) < table.positions())
    }

    /// Whether there is something to be seen at the position.
    fn is_visible(&self) -> bool {
        if self.is_declared() {
            // SAFETY: I3: below the slot count.
            let value = unsafe { &*self.object.slot(self.position) };
            return !value.is_undef() && self.declared().is_some();
        }
        let position = self.position - self.object.slot_count;
        match self.dynamic().and_then(|table| table.entry_at(position)) {
            Some((KeyRef::String(name), _)) => !name.as_bytes().starts_with(b"\0"),
            found => found.is_some(),
        }
    }

    /// The value at the position. It may be a reference.
    pub(super) fn value(&self) -> Option<Value> {
        if self.is_declared() {
            // SAFETY: I3: below the slot count.
            let value = unsafe { &*self.object.slot(self.position) };
            return (!value.is_undef()).then(|| share_element(value));
        }
        let position = self.position - self.object.slot_count;
        let table = self.dynamic()?;
        let (_, value) = table.entry_at(table.next_position(position))?;
        Some(share_element(value))
    }

    /// The key at the position: a name, or the number of what was appended.
    pub(super) fn key(&self) -> Option<Value> {
        if let Some(info) = self.declared() {
            // SAFETY: I4: names live as long as the class.
            return Some(unsafe { StringHandle::share_raw(info.name) }.into());
        }
        let position = self.position.checked_sub(self.object.slot_count)?;
        let table = self.dynamic()?;
        let (key, _) = table.entry_at(table.next_position(position))?;
        Some(key.to_value())
    }

    /// Goes to the next property. What was unset where the iterator stood was the one before already.
    pub(super) fn advance(&mut self, vm: &mut Vm, own: &PhpObject) {
        if !self.is_valid() {
            return;
        }
        let here = match self.dynamic() {
            Some(table) if !self.is_declared() => {
                let slots = self.object.slot_count;
                slots + table.next_position(self.position - slots)
            }
            _ => self.position,
        };
        self.go(vm, own, here + 1);
    }

    /// Goes to the first property from a position on that can be seen.
    fn go(&mut self, vm: &mut Vm, own: &PhpObject, position: u32) {
        self.position = position;
        let end = self.object.slot_count + self.dynamic().map_or(0, |table| table.positions());
        while self.position < end && !self.is_visible() {
            self.position += 1;
        }
        self.keep(vm, own);
    }

    /// Has the iterator stay here.
    fn keep(&self, vm: &mut Vm, own: &PhpObject) {
        let place = &mut data(own).place;
        place.slot = self.position.min(self.object.slot_count);
        let Some(table) = self.dynamic().filter(|_| !self.is_declared()) else {
            let iterator = std::mem::replace(&mut place.iterator, NONE);
            if iterator != NONE {
                vm.heap.iterators.remove(iterator);
            }
            return;
        };
        if place.iterator == NONE {
            place.iterator = vm.heap.iterators.add(table, 0);
        }
        vm.heap.iterators.kept_position(place.iterator, table);
        let position = self.position - self.object.slot_count;
        vm.heap.iterators.set_position(place.iterator, position);
    }
}
