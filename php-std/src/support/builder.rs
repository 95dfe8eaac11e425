//! Building strings in place.

use vm_runtime::operators::float_text::PAIRS;
use vm_runtime::string::PhpString;
use vm_runtime::value::{StringHandle, Value};
use vm_runtime::vm::Vm;

/// A string under construction: grows in the VM's heap, so that its memory is counted and the
/// finished string is not copied.
#[derive(Debug)]
pub(crate) struct StringBuilder {
    /// Has one owner; its length is the capacity. None only while it is being grown.
    string: Option<StringHandle>,
    capacity: usize,
    length: usize,
}

impl StringBuilder {
    /// An empty string with room for `capacity` bytes.
    pub(crate) fn new(vm: &mut Vm, capacity: usize) -> StringBuilder {
        let capacity = capacity.max(24);
        // SAFETY: bytes up to `length` are written before the string is handed out.
        let string = unsafe { PhpString::allocate(&mut vm.heap, capacity) };
        StringBuilder {
            string: Some(string),
            capacity,
            length: 0,
        }
    }

    /// An empty string that will have `length` bytes.
    #[inline]
    pub(crate) fn exact(vm: &mut Vm, length: usize) -> StringBuilder {
        // SAFETY: bytes up to `length` are written before the string is handed out.
        let string = unsafe { PhpString::allocate(&mut vm.heap, length) };
        StringBuilder {
            string: Some(string),
            capacity: length,
            length: 0,
        }
    }

    /// Bytes so far.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    fn data(&self) -> *mut u8 {
        // SAFETY: I3: the builder is the only owner of its string, which is always there between
        // calls.
        unsafe { (*self.string.as_ref().unwrap_unchecked().as_ptr()).data() }
    }

    /// The bytes so far.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        // SAFETY: `length` bytes were written.
        unsafe { std::slice::from_raw_parts(self.data(), self.length) }
    }

    /// Makes room for `more` bytes.
    #[inline]
    pub(crate) fn reserve(&mut self, more: usize) {
        if self.capacity - self.length < more {
            self.grow(more);
        }
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        let capacity = self
            .length
            .saturating_add(more)
            .max(self.capacity.saturating_mul(2));
        if let Some(string) = self.string.take() {
            // SAFETY: one owner; new bytes are written before the string is handed out.
            self.string = Some(unsafe { string.resize(capacity) });
            self.capacity = capacity;
        }
    }

    /// Appends bytes.
    #[inline]
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len());
        // SAFETY: there is room.
        unsafe { copy_bytes(bytes, self.data().add(self.length)) };
        self.length += bytes.len();
    }

    /// Appends pieces of text.
    #[inline]
    pub(crate) fn push_all<const N: usize>(&mut self, pieces: [&[u8]; N]) {
        self.reserve(pieces.iter().map(|piece| piece.len()).sum());
        let mut target = self.data().wrapping_add(self.length);
        for piece in pieces {
            // SAFETY: there is room for all of them.
            unsafe {
                copy_bytes(piece, target);
                target = target.add(piece.len());
            }
            self.length += piece.len();
        }
    }

    /// Appends one byte.
    #[inline]
    pub(crate) fn push_byte(&mut self, byte: u8) {
        self.reserve(1);
        // SAFETY: there is room.
        unsafe { *self.data().add(self.length) = byte };
        self.length += 1;
    }

    /// Appends an integer in decimal.
    #[inline]
    pub(crate) fn push_integer(&mut self, value: i64) {
        if (0..10).contains(&value) {
            return self.push_byte(b'0' + value as u8);
        }
        let mut digits = [0; 20];
        let mut start = digits.len();
        let mut rest = value.unsigned_abs();
        while rest >= 10 {
            start -= 2;
            let pair = (rest % 100) as usize * 2;
            digits[start..start + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
            rest /= 100;
        }
        if rest > 0 {
            start -= 1;
            digits[start] = b'0' + rest as u8;
        }
        if value < 0 {
            start -= 1;
            digits[start] = b'-';
        }
        self.push(&digits[start..]);
    }

    /// Room for `most` bytes behind those so far, to be filled one by one.
    #[inline]
    pub(crate) fn tail(&mut self, most: usize) -> Tail<'_> {
        self.reserve(most);
        let next = self.data().wrapping_add(self.length);
        Tail {
            next,
            end: next.wrapping_add(most),
            builder: self,
        }
    }

    /// Appends `count` times the same byte.
    #[inline]
    pub(crate) fn fill(&mut self, byte: u8, count: usize) {
        self.reserve(count);
        // SAFETY: there is room. A few are written faster than a call is made.
        unsafe {
            let target = self.data().add(self.length);
            match count {
                0..=8 => (0..count).for_each(|at| *target.add(at) = byte),
                _ => std::ptr::write_bytes(target, byte, count),
            }
        }
        self.length += count;
    }

    /// Appends bytes that are still to be written.
    ///
    /// # Safety
    /// There is room for them, and they are written before they are read or the string is handed out.
    #[inline]
    pub(crate) unsafe fn claim(&mut self, count: usize) {
        debug_assert!(self.capacity - self.length >= count);
        self.length += count;
    }

    /// Appends what is there once more, but not beyond `limit` bytes in all.
    pub(crate) fn repeat_start(&mut self, limit: usize) {
        let count = self.length.min(limit.saturating_sub(self.length));
        self.reserve(count);
        // SAFETY: there is room, and source and target do not overlap.
        unsafe {
            let data = self.data();
            std::ptr::copy_nonoverlapping(data, data.add(self.length), count);
        }
        self.length += count;
    }

    /// Drops what was written after `length` bytes.
    pub(crate) fn shorten(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// The bytes so far, for changing in place.
    pub(crate) fn as_mut_bytes(&mut self) -> &mut [u8] {
        // SAFETY: `length` bytes were written; the builder is the only owner.
        unsafe { std::slice::from_raw_parts_mut(self.data(), self.length) }
    }

    /// The finished string.
    #[inline]
    pub(crate) fn finish(mut self, vm: &mut Vm) -> StringHandle {
        if self.length <= 1 {
            return vm.string(self.as_bytes());
        }
        match self.string.take() {
            Some(string) if self.length == self.capacity => string,
            // SAFETY: one owner; all bytes were written.
            Some(string) => unsafe { string.resize(self.length) },
            None => vm.string(""),
        }
    }

    /// The finished string as a value.
    pub(crate) fn into_value(self, vm: &mut Vm) -> Value {
        self.finish(vm).into()
    }
}

/// Bytes being appended to a string that has room for them.
#[derive(Debug)]
pub(crate) struct Tail<'a> {
    builder: &'a mut StringBuilder,
    next: *mut u8,
    end: *mut u8,
}

impl Tail<'_> {
    /// Appends some bytes, which must fit into the room.
    #[inline(always)]
    pub(crate) fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        assert!(self.end as usize - self.next as usize >= N);
        // SAFETY: there is room up to `end`, as was just tested.
        unsafe {
            self.next.cast::<[u8; N]>().write_unaligned(bytes);
            self.next = self.next.add(N);
        }
    }
}

impl Tail<'_> {
    /// Appends a short text, which must fit into the room.
    #[inline(always)]
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        assert!(self.end as usize - self.next as usize >= bytes.len());
        // SAFETY: there is room up to `end`, as was just tested.
        unsafe {
            copy_bytes(bytes, self.next);
            self.next = self.next.add(bytes.len());
        }
    }
}

impl Drop for Tail<'_> {
    fn drop(&mut self) {
        self.builder.length = self.next as usize - self.builder.data() as usize;
    }
}

/// Copies bytes. Pieces of text are mostly so short that a call takes longer than the copy.
///
/// # Safety
/// `target` has room for them, and is no part of them.
#[inline(always)]
unsafe fn copy_bytes(bytes: &[u8], target: *mut u8) {
    /// A copy of the first and of the last bytes of a piece, which may overlap.
    #[inline(always)]
    unsafe fn ends<T: Copy>(source: *const u8, target: *mut u8, length: usize) {
        let back = length - size_of::<T>();
        // SAFETY: the piece is as long as a `T` at least.
        unsafe {
            let first = source.cast::<T>().read_unaligned();
            let last = source.add(back).cast::<T>().read_unaligned();
            target.cast::<T>().write_unaligned(first);
            target.add(back).cast::<T>().write_unaligned(last);
        }
    }
    let (source, length) = (bytes.as_ptr(), bytes.len());
    // SAFETY: by the caller; lengths are tested.
    unsafe {
        match length {
            0 => {}
            1 => *target = *source,
            2..4 => ends::<u16>(source, target, length),
            4..8 => ends::<u32>(source, target, length),
            8..=16 => ends::<u64>(source, target, length),
            _ => std::ptr::copy_nonoverlapping(source, target, length),
        }
    }
}

impl std::fmt::Write for StringBuilder {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}
