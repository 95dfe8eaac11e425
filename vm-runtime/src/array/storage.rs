//! Allocation, growth and destruction of array storage.

use std::mem::ManuallyDrop;
use std::ptr::{copy_nonoverlapping, null_mut};

use super::{
    Bucket, HAS_INDIRECT, INVALID, KeyRef, MAXIMUM, MINIMUM, PACKED, PhpArray, UNINITIALISED,
};
use crate::heap::Heap;
use crate::value::{ARRAY, ArrayHandle, Header, Zval, release};

/// Chain heads of arrays without storage: every look-up finds an end of chain.
static NO_HEADS: [u32; 2] = [INVALID; 2];
/// Mask of packed and uninitialised arrays.
const NO_MASK: u32 = -2i32 as u32;

/// Bytes of chain heads in front of the data of a packed array: none; packed look-ups never
/// follow chains because every hash look-up tests the flag first.
const PACKED_HEADS: usize = 0;

/// Chain heads of a hash array of the least capacity.
const LEAST_HEADS: usize = MINIMUM as usize * 2;

struct SyncArray(PhpArray);
// SAFETY: the empty array is immutable.
unsafe impl Sync for SyncArray {}

static EMPTY: SyncArray = SyncArray(PhpArray {
    header: Header::immutable(ARRAY),
    flags: UNINITIALISED,
    mask: NO_MASK,
    data: (&raw const NO_HEADS)
        .cast::<u32>()
        .cast_mut()
        .wrapping_add(2)
        .cast::<Zval>(),
    used: 0,
    count: 0,
    capacity: MINIMUM,
    internal_position: 0,
    next_free: i64::MIN,
    iterators: 0,
});

/// The immutable empty array.
#[inline(always)]
pub fn empty_array() -> *mut PhpArray {
    (&raw const EMPTY.0).cast_mut()
}

impl PhpArray {
    fn blank() -> PhpArray {
        PhpArray {
            header: Header::new(ARRAY),
            flags: UNINITIALISED,
            mask: NO_MASK,
            data: (&raw const NO_HEADS)
                .cast::<u32>()
                .cast_mut()
                .wrapping_add(2)
                .cast::<Zval>(),
            used: 0,
            count: 0,
            capacity: MINIMUM,
            internal_position: 0,
            next_free: i64::MIN,
            iterators: 0,
        }
    }

    /// An empty array that will hold about `capacity` elements.
    #[inline]
    pub fn with_capacity(heap: &mut Heap, capacity: usize) -> ArrayHandle {
        let pointer = heap.allocate(size_of::<PhpArray>()).cast::<PhpArray>();
        let mut array = PhpArray::blank();
        array.capacity = round_capacity(capacity);
        // SAFETY: fresh memory of the right size; the handle takes the first share.
        unsafe {
            pointer.write(array);
            ArrayHandle::from_raw(pointer.as_ptr())
        }
    }

    /// As [`PhpArray::with_capacity`], for keys that are not just counted on.
    pub fn keyed(heap: &mut Heap, capacity: usize) -> ArrayHandle {
        let array = PhpArray::with_capacity(heap, capacity);
        // SAFETY: the handle is the only owner.
        unsafe { (*array.as_ptr()).initialise_hash(heap) };
        array
    }

    /// An empty array.
    #[inline]
    pub fn new(heap: &mut Heap) -> ArrayHandle {
        PhpArray::with_capacity(heap, 0)
    }

    /// Allocates packed storage of the announced capacity.
    pub(super) fn initialise_packed(&mut self, heap: &mut Heap) {
        self.data = heap
            .allocate(PACKED_HEADS + self.capacity as usize * size_of::<Zval>())
            .cast::<Zval>()
            .as_ptr();
        self.mask = NO_MASK;
        self.flags = self.flags & !UNINITIALISED | PACKED;
    }

    /// Allocates hash storage of the announced capacity.
    pub(super) fn initialise_hash(&mut self, heap: &mut Heap) {
        // SAFETY: fresh storage replaces none.
        unsafe { self.set_hash_storage(heap, self.capacity) };
        self.flags &= !(UNINITIALISED | PACKED);
    }

    /// Puts fresh hash storage with empty chains in place; the old storage is the caller's.
    unsafe fn set_hash_storage(&mut self, heap: &mut Heap, capacity: u32) {
        let heads = capacity as usize * 2;
        let bytes = heads * size_of::<u32>() + capacity as usize * size_of::<Bucket>();
        let block = heap.allocate(bytes).cast::<u32>().as_ptr();
        // SAFETY: the block holds `heads` chain heads, then the buckets.
        unsafe {
            match capacity {
                // As many as most arrays have: a few stores instead of a call.
                MINIMUM => block
                    .cast::<[u32; LEAST_HEADS]>()
                    .write([INVALID; LEAST_HEADS]),
                _ => std::slice::from_raw_parts_mut(block, heads).fill(INVALID),
            }
            self.data = block.add(heads).cast();
        }
        self.mask = (heads as u32).wrapping_neg();
        self.capacity = capacity;
    }

    /// Start of the storage block.
    unsafe fn block(&self) -> *mut u8 {
        if self.is_packed() {
            self.data.cast()
        } else {
            // SAFETY: I5: `-mask` chain heads lie in front of the buckets.
            unsafe {
                self.data
                    .cast::<u32>()
                    .offset(self.mask as i32 as isize)
                    .cast()
            }
        }
    }

    /// Frees the storage block, not the values in it.
    #[inline(always)]
    pub(super) unsafe fn free_storage(&mut self) {
        if self.flags & UNINITIALISED == 0 {
            // SAFETY: I5: initialised arrays own their block.
            unsafe { Heap::free(self.block()) };
        }
    }

    /// Turns a packed array into a hash array with the same entries.
    #[cold]
    #[inline(never)]
    pub fn packed_to_hash(&mut self) {
        // SAFETY: I5: `used` values stand in the packed storage.
        unsafe {
            let heap = Heap::of(self);
            let old = self.data;
            self.set_hash_storage(heap, self.capacity.max(MINIMUM).next_power_of_two());
            self.flags &= !PACKED;
            for index in 0..self.used {
                let bucket = self.buckets().add(index as usize);
                (*bucket).value = *old.add(index as usize);
                (*bucket).hash = index as u64;
                (*bucket).key = null_mut();
                if !(*bucket).value.is_undef() {
                    self.link(index);
                }
            }
            Heap::free(old);
        }
    }

    /// Puts entry `index` at the head of its chain.
    #[inline(always)]
    pub(super) unsafe fn link(&mut self, index: u32) {
        // SAFETY: I5: `index` is an initialised bucket.
        unsafe {
            let bucket = self.buckets().add(index as usize);
            let head = self.head((*bucket).hash);
            (*bucket).value.extra = *head;
            *head = index;
        }
    }

    /// Makes room for one more entry at the end of a packed array.
    #[cold]
    #[inline(never)]
    pub(super) fn grow_packed(&mut self, needed: u32) {
        let mut capacity = self.capacity;
        while capacity < needed {
            // SAFETY: I2: an array that is written lives in a heap.
            capacity = double(unsafe { Heap::of(self) }, capacity);
        }
        let bytes = capacity as usize * size_of::<Zval>();
        let keep = self.used as usize * size_of::<Zval>();
        // SAFETY: I5: the packed block holds `used` values.
        unsafe {
            self.data = Heap::reallocate(self.data.cast(), bytes, keep)
                .cast()
                .as_ptr()
        };
        self.capacity = capacity;
    }

    /// Makes room for one more entry in a hash array: squeezes out deleted entries, or doubles.
    #[cold]
    #[inline(never)]
    pub(super) fn grow_hash(&mut self) {
        if self.used > self.count + (self.count >> 5) {
            self.rebuild();
            return;
        }
        // SAFETY: I5: `used` buckets are copied to the new block.
        unsafe {
            let heap = Heap::of(self);
            let old_block = self.block();
            let old = self.buckets();
            let capacity = double(heap, self.capacity);
            self.set_hash_storage(heap, capacity);
            copy_nonoverlapping(old, self.buckets(), self.used as usize);
            Heap::free(old_block);
            self.relink();
        }
    }

    /// Links all entries anew.
    ///
    /// # Safety
    /// The array is a hash array (invariant I5).
    pub(super) unsafe fn rebuild_chains(&mut self) {
        // SAFETY: I5: `-mask` chain heads lie in front of the buckets.
        unsafe {
            let heads = self.data.cast::<u32>().offset(self.mask as i32 as isize);
            std::slice::from_raw_parts_mut(heads, self.mask.wrapping_neg() as usize).fill(INVALID);
            self.relink();
        }
    }

    unsafe fn relink(&mut self) {
        // SAFETY: I5: `used` buckets are initialised.
        unsafe {
            for index in 0..self.used {
                if !(*self.buckets().add(index as usize)).value.is_undef() {
                    self.link(index);
                }
            }
        }
    }

    /// Squeezes out deleted entries and rebuilds the chains; iterators move along.
    pub fn rebuild(&mut self) {
        // SAFETY: I5: `used` entries are initialised, and targets never lie behind sources.
        unsafe {
            let packed = self.is_packed();
            let mut target = 0u32;
            // Loops that wait at a deleted entry go on with the next one.
            self.squeeze_iterators();
            for index in 0..self.used {
                let value = self.value_at(index);
                if (*value).is_undef() {
                    continue;
                }
                if index != target {
                    if packed {
                        // Positions are keys: a packed array is never squeezed.
                        debug_assert!(false, "squeezing a packed array would change its keys");
                    }
                    *self.buckets().add(target as usize) = *self.buckets().add(index as usize);
                    if self.internal_position == index {
                        self.internal_position = target;
                    }
                }
                target += 1;
            }
            let end = self.used;
            if end != target && self.internal_position == end {
                self.internal_position = target;
            }
            self.used = target;
            if !packed {
                self.rebuild_chains();
            }
        }
    }

    /// The value at a position, deleted entries included.
    #[inline(always)]
    pub(crate) unsafe fn value_at(&self, index: u32) -> *mut Zval {
        // SAFETY: I5: `index` is below `used`.
        unsafe {
            if self.is_packed() {
                self.values().add(index as usize)
            } else {
                &raw mut (*self.buckets().add(index as usize)).value
            }
        }
    }

    /// A copy with its own share of every element. References with a single owner are resolved,
    /// as PHP does when it separates an array.
    #[inline(never)]
    pub fn duplicate(&self, heap: &mut Heap) -> ArrayHandle {
        let mut copy = PhpArray::with_capacity(heap, 0);
        // SAFETY: `copy` has one owner; I5 for both arrays.
        unsafe {
            let target = &mut *copy.as_ptr();
            target.next_free = self.next_free;
            target.flags = self.flags & !UNINITIALISED & !HAS_INDIRECT;
            if self.count == 0 {
                target.flags |= UNINITIALISED;
                target.flags &= !PACKED;
                return copy;
            }
            target.capacity = self.capacity;
            target.internal_position = self.position_in_copy();
            if self.iterators != 0 {
                heap.iterators.duplicated(self, target);
            }
            if self.is_packed() {
                target.initialise_packed(heap);
                let (from, to) = (self.values(), target.values());
                from.copy_to_nonoverlapping(to, self.used as usize);
                for index in 0..self.used as usize {
                    (*to.add(index)).share_copied(self);
                }
                target.used = self.used;
                target.count = self.count;
            } else if self.is_dense() {
                target.copy_hash_storage(self, heap);
            } else {
                target.set_hash_storage(heap, self.capacity);
                let mut used = 0u32;
                if target.iterators != 0 {
                    let is_there = |index| self.entry_at(index).is_some();
                    heap.iterators.squeezed(target, self.used, is_there);
                }
                for index in 0..self.used {
                    let bucket = self.buckets().add(index as usize);
                    let mut value = (*bucket).value;
                    if value.kind() == crate::value::INDIRECT {
                        value = *value.indirect();
                    }
                    if value.is_undef() {
                        continue;
                    }
                    if self.internal_position == index {
                        target.internal_position = used;
                    }
                    let slot = target.buckets().add(used as usize);
                    (&raw mut (*slot).value).write(Zval { extra: 0, ..value });
                    (*slot).value.share_copied(self);
                    (*slot).hash = (*bucket).hash;
                    (*slot).key = (*bucket).key;
                    if !(*slot).key.is_null() && !(*(*slot).key).header.is_immutable() {
                        (*(*slot).key).header.refcount += 1;
                    }
                    target.link(used);
                    used += 1;
                }
                target.used = used;
                target.count = used;
            }
        }
        copy.hint_unique();
        copy
    }
}

impl ArrayHandle {
    fn hint_unique(&mut self) {
        debug_assert_eq!(self.refcount(), 1);
    }
}

impl PhpArray {
    /// Gives an array without storage the entries of another one if all of their keys are strings; false if
    /// that cannot be done by a copy.
    pub(super) fn copy_names(&mut self, source: &PhpArray) -> bool {
        let is_copied = self.flags & UNINITIALISED != 0
            && self.iterators == 0
            && source.count > 0
            && !source.is_packed()
            && source.is_dense()
            && source
                .iter()
                .all(|(key, _)| matches!(key, KeyRef::String(_)));
        if is_copied {
            self.flags &= !(UNINITIALISED | PACKED);
            self.capacity = source.capacity;
            // SAFETY: I2: an array that is written lives in a heap; it has no storage yet.
            unsafe { self.copy_hash_storage(source, Heap::of(self)) };
            self.internal_position = 0;
        }
        is_copied
    }

    /// Whether its entries are all there, in a hash array that nothing points into or out of.
    fn is_dense(&self) -> bool {
        self.used == self.count && self.iterators == 0 && self.flags & HAS_INDIRECT == 0
    }

    /// Gives a fresh array the entries of a dense one: chains are the same, so the block is copied as it is.
    unsafe fn copy_hash_storage(&mut self, from: &PhpArray, heap: &mut Heap) {
        // SAFETY: I5 for both arrays: the blocks hold `-mask` chain heads, then `used` initialised buckets.
        unsafe {
            let heads = from.mask.wrapping_neg() as usize * size_of::<u32>();
            let room = heads + from.capacity as usize * size_of::<Bucket>();
            let taken = heads + from.used as usize * size_of::<Bucket>();
            let block = heap.allocate(room).as_ptr().cast::<u8>();
            block.copy_from_nonoverlapping(from.block(), taken);
            self.data = block.add(heads).cast();
            self.mask = from.mask;
            for index in 0..from.used as usize {
                let bucket = &mut *self.buckets().add(index);
                bucket.value.share_copied(from);
                if !bucket.key.is_null() && !(*bucket.key).header.is_immutable() {
                    (*bucket.key).header.refcount += 1;
                }
            }
        }
        self.used = from.used;
        self.count = from.count;
        self.internal_position = from.position_in_copy();
    }

    /// Where `current()` stands in a copy: one that has come to the end starts anew, as in PHP.
    fn position_in_copy(&self) -> u32 {
        match self.internal_position < self.used {
            true => self.internal_position,
            false => 0,
        }
    }
}

impl Zval {
    /// Gives an element that was copied as it is from an array, `from`, a share of its own; a reference that nobody
    /// else holds is resolved, unless it leads back to that array.
    #[inline(always)]
    unsafe fn share_copied(&mut self, from: *const PhpArray) {
        if !self.is_refcounted() {
            return;
        }
        // SAFETY: I3: the payload is live.
        unsafe {
            if self.is_reference() && (*self.counted()).refcount == 1 {
                let held = (*self.reference()).value;
                if held.kind() != ARRAY || !std::ptr::eq(held.array(), from) {
                    let extra = self.extra;
                    *self = Zval { extra, ..held };
                }
            }
        }
        if self.is_refcounted() {
            self.add_reference();
        }
    }
}

/// Destroys an array whose count reached zero.
///
/// # Safety
/// Nothing refers to the array any more (invariant I3).
#[inline(always)]
pub unsafe fn destroy(array: *mut PhpArray) {
    // SAFETY: I3 and I5.
    unsafe {
        crate::collector::forget(array.cast());
        if (*array).iterators != 0 {
            Heap::of(array).iterators.forget(array);
        }
        (*array).release_entries();
        (*array).free_storage();
        Heap::free_sized(array);
    }
}

/// Destroys an array whose count reached zero if nothing in it has to be given back, and nobody knows of it;
/// false if not, and nothing has happened then.
///
/// # Safety
/// As for [`destroy`].
#[inline(always)]
pub unsafe fn destroy_flat(array: *mut PhpArray) -> bool {
    // SAFETY: I3 and I5.
    unsafe {
        if (*array).header.type_info & crate::collector::GC_INFO != 0 || (*array).iterators != 0 {
            return false;
        }
        if (*array).is_packed() {
            let mut value = (*array).values();
            let end = value.add((*array).used as usize);
            while value < end {
                if (*value).is_refcounted() {
                    return false;
                }
                value = value.add(1);
            }
        } else {
            let mut bucket = (*array).buckets();
            let end = bucket.add((*array).used as usize);
            while bucket < end {
                let key = (*bucket).key;
                let owns_key = !key.is_null() && !(*bucket).value.is_undef();
                if (*bucket).value.is_refcounted() || owns_key && !(*key).header.is_immutable() {
                    return false;
                }
                bucket = bucket.add(1);
            }
        }
        (*array).free_storage();
        Heap::free_sized(array);
    }
    true
}

impl PhpArray {
    #[inline(always)]
    unsafe fn release_entries(&mut self) {
        // SAFETY: I5: `used` entries are initialised.
        unsafe {
            if self.is_packed() {
                let mut value = self.values();
                let end = value.add(self.used as usize);
                while value < end {
                    release(value);
                    value = value.add(1);
                }
            } else {
                let mut bucket = self.buckets();
                let end = bucket.add(self.used as usize);
                while bucket < end {
                    let key = (*bucket).key;
                    if !(*bucket).value.is_undef() {
                        release(&(*bucket).value);
                        release_key(key);
                    }
                    bucket = bucket.add(1);
                }
            }
        }
    }

    /// Becomes empty without looking at its elements, which are leaked: after a fatal error.
    pub(crate) fn forget_entries(&mut self) {
        let Header {
            refcount,
            type_info,
            ..
        } = self.header;
        *self = PhpArray::blank();
        self.header.refcount = refcount;
        self.header.type_info = type_info;
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        // SAFETY: I5; the entries are taken out before user code can run in a destructor.
        unsafe {
            let mut old = ManuallyDrop::new(std::mem::replace(self, PhpArray::blank()));
            self.header.refcount = old.header.refcount;
            self.header.type_info = old.header.type_info;
            self.iterators = old.iterators;
            old.release_entries();
            old.free_storage();
        }
    }
}

/// Gives back an array's share of a key.
#[inline(always)]
pub(super) unsafe fn release_key(key: *mut crate::string::PhpString) {
    // SAFETY: I5: a key is null or live.
    unsafe {
        if !key.is_null() && !(*key).header.is_immutable() {
            (*key).header.refcount -= 1;
            if (*key).header.refcount == 0 {
                Heap::free(key);
            }
        }
    }
}

/// The capacity that is announced for so many elements; more than the maximum cannot be.
#[inline]
pub(super) fn round_capacity(capacity: usize) -> u32 {
    let capacity = capacity.clamp(MINIMUM as usize, MAXIMUM as usize);
    (capacity as u32).next_power_of_two()
}

fn double(heap: &mut Heap, capacity: u32) -> u32 {
    if capacity >= MAXIMUM {
        heap.exhausted(capacity as usize * 2 * size_of::<Bucket>());
    }
    capacity * 2
}
