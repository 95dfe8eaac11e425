//! PHP strings: bytes with a length and a cached hash, in one allocation.

use std::ptr::addr_of_mut;
use std::sync::LazyLock;

use crate::heap::{Heap, SMALL_LIMIT};
use crate::value::{HEADER_UTF8, Header, STRING, StringHandle};

/// A byte string. The bytes follow the struct in the same allocation.
#[repr(C)]
#[derive(Debug)]
pub struct PhpString {
    /// Count and flags.
    pub header: Header,
    /// Cached hash, 0 while not computed.
    hash: std::cell::Cell<u64>,
    pub(crate) length: usize,
    bytes: [u8; 0],
}

/// Bytes before the contents.
pub const STRING_HEADER: usize = 24;
/// The longest string, in bytes: far beyond any memory, low enough that sizes never overflow.
pub const MAXIMUM_LENGTH: usize = isize::MAX as usize - 4096;

const _: () = assert!(size_of::<PhpString>() == STRING_HEADER);
const _: () = assert!(std::mem::offset_of!(PhpString, length) == 16);

/// Powers of the factor of [`hash_bytes`], from 0 on.
static POWERS: LazyLock<[u64; 9]> = LazyLock::new(|| {
    let factor = crate::secret::string_factor();
    std::array::from_fn(|exponent| factor.wrapping_pow(exponent as u32))
});

/// The hash of a byte string: the same for all VMs of a process, because literals are shared between
/// them. Never 0, which stands for "not computed".
///
/// A polynomial in a factor that is secret, so that nobody can choose keys with equal hashes (see
/// `array/flood.rs`). Short keys are hashed at once, and keys that differ in their last
/// characters (`key1`, `key2`, ...) meet neighbouring chain heads, which caches like.
#[inline]
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let powers = &*POWERS;
    let mut hash = 5381u64;
    let mut blocks = bytes.chunks_exact(8);
    for block in &mut blocks {
        // Eight steps at once: the products do not wait for each other.
        let step = |index: usize| u64::from(block[index]).wrapping_mul(powers[7 - index]);
        hash = hash
            .wrapping_mul(powers[8])
            .wrapping_add(step(0))
            .wrapping_add(step(1))
            .wrapping_add(step(2))
            .wrapping_add(step(3))
            .wrapping_add(step(4))
            .wrapping_add(step(5))
            .wrapping_add(step(6))
            .wrapping_add(step(7));
    }
    for &byte in blocks.remainder() {
        hash = hash.wrapping_mul(powers[1]).wrapping_add(u64::from(byte));
    }
    hash | 1 << 63
}

/// True if the next `T` at both places differs.
///
/// # Safety
/// Both places have bytes enough.
#[inline(always)]
unsafe fn differ<T: PartialEq>(a: *const u8, b: *const u8) -> bool {
    // SAFETY: by the caller.
    unsafe { a.cast::<T>().read_unaligned() != b.cast::<T>().read_unaligned() }
}

/// Copies bytes to fresh memory: short texts, the most frequent ones, without a call.
///
/// # Safety
/// `target` has room for all of `bytes` and does not overlap them.
#[inline(always)]
pub(crate) unsafe fn copy_bytes(bytes: &[u8], target: *mut u8) {
    let (source, length) = (bytes.as_ptr(), bytes.len());
    // SAFETY: by the caller; the two loads of a pair overlap but stay within the bytes.
    unsafe {
        if length > 16 {
            std::ptr::copy_nonoverlapping(source, target, length);
        } else if length >= 8 {
            let first = source.cast::<u64>().read_unaligned();
            let last = source.add(length - 8).cast::<u64>().read_unaligned();
            target.cast::<u64>().write_unaligned(first);
            target.add(length - 8).cast::<u64>().write_unaligned(last);
        } else if length >= 4 {
            let first = source.cast::<u32>().read_unaligned();
            let last = source.add(length - 4).cast::<u32>().read_unaligned();
            target.cast::<u32>().write_unaligned(first);
            target.add(length - 4).cast::<u32>().write_unaligned(last);
        } else if length >= 2 {
            let first = source.cast::<u16>().read_unaligned();
            let last = source.add(length - 2).cast::<u16>().read_unaligned();
            target.cast::<u16>().write_unaligned(first);
            target.add(length - 2).cast::<u16>().write_unaligned(last);
        } else if length == 1 {
            *target = *source;
        }
    }
}

impl PhpString {
    /// A string of `length` bytes whose contents are not set yet.
    ///
    /// # Safety
    /// The caller writes all bytes before anyone reads them.
    #[inline]
    pub unsafe fn allocate(heap: &mut Heap, length: usize) -> StringHandle {
        // NUL-terminated like PHP's own, so that native code may rely on it.
        let pointer = heap
            .allocate(STRING_HEADER + length.min(MAXIMUM_LENGTH) + 1)
            .cast::<PhpString>();
        // SAFETY: fresh memory of that size.
        unsafe {
            pointer.write(PhpString {
                header: Header::new(STRING),
                hash: std::cell::Cell::new(0),
                length,
                bytes: [],
            });
            *pointer.as_ptr().cast::<u8>().add(STRING_HEADER + length) = 0;
            StringHandle::from_raw(pointer.as_ptr())
        }
    }

    /// A string with these bytes.
    #[inline]
    pub fn new(heap: &mut Heap, bytes: &[u8]) -> StringHandle {
        // SAFETY: the bytes fill the string.
        unsafe {
            let string = PhpString::allocate(heap, bytes.len());
            copy_bytes(bytes, (*string.as_ptr()).data());
            string
        }
    }

    /// Two pieces of text as one string.
    #[inline]
    pub fn joined(heap: &mut Heap, left: &[u8], right: &[u8]) -> StringHandle {
        // SAFETY: the pieces fill all bytes.
        unsafe {
            let string = PhpString::allocate(heap, left.len() + right.len());
            let target = (*string.as_ptr()).data();
            copy_bytes(left, target);
            copy_bytes(right, target.add(left.len()));
            string
        }
    }

    /// The concatenation of `parts` in one allocation.
    #[inline]
    pub fn from_parts(heap: &mut Heap, parts: &[&[u8]]) -> StringHandle {
        let length = parts.iter().map(|part| part.len()).sum();
        // SAFETY: the parts fill all `length` bytes.
        unsafe {
            let string = PhpString::allocate(heap, length);
            let mut target = (*string.as_ptr()).data();
            for part in parts {
                copy_bytes(part, target);
                target = target.add(part.len());
            }
            string
        }
    }

    /// A string that is never freed and may be shared between threads: its hash is computed here.
    /// It lives outside of any VM's heap, as long as the [`crate::op_array::LiteralPool`] that
    /// called this.
    pub(crate) fn immutable(bytes: &[u8]) -> *mut PhpString {
        let layout = std::alloc::Layout::from_size_align(PhpString::immutable_size(bytes.len()), 8)
            .expect("a source string is far shorter than the address space");
        // SAFETY: the layout is not empty and large enough for the string.
        unsafe {
            let pointer = std::alloc::alloc(layout);
            if pointer.is_null() {
                std::alloc::handle_alloc_error(layout);
            }
            PhpString::write_immutable(pointer, bytes, hash_bytes(bytes))
        }
    }

    /// Bytes that an immutable string of this length takes.
    pub(crate) fn immutable_size(length: usize) -> usize {
        STRING_HEADER + length + 1
    }

    /// Makes an immutable string in place.
    ///
    /// # Safety
    /// `memory` is aligned to 8 and has [`PhpString::immutable_size`] bytes; `hash` is the hash of
    /// the bytes.
    pub(crate) unsafe fn write_immutable(
        memory: *mut u8,
        bytes: &[u8],
        hash: u64,
    ) -> *mut PhpString {
        let pointer = memory.cast::<PhpString>();
        let mut header = Header::immutable(STRING);
        if std::str::from_utf8(bytes).is_ok() {
            header.type_info |= HEADER_UTF8;
        }
        // SAFETY: by the caller; all of the string is written here.
        unsafe {
            pointer.write(PhpString {
                header,
                hash: std::cell::Cell::new(hash),
                length: bytes.len(),
                bytes: [],
            });
            let data = memory.add(STRING_HEADER);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), data, bytes.len());
            *data.add(bytes.len()) = 0;
        }
        pointer
    }

    /// Length in bytes.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.length
    }

    /// True for `""`.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The contents.
    #[inline(always)]
    pub fn as_bytes(&self) -> &[u8] {
        // SAFETY: I3: `length` bytes follow the header.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr(), self.length) }
    }

    /// The contents as text of a message, up to a NUL byte: see [`crate::message`].
    pub fn to_text(&self) -> std::borrow::Cow<'_, str> {
        crate::message::text(self.as_bytes())
    }

    /// As [`PhpString::to_text`] with all bytes.
    pub fn whole_text(&self) -> std::borrow::Cow<'_, str> {
        crate::message::whole_text(self.as_bytes())
    }

    /// First byte of the contents, for writing into a string that has one owner.
    #[inline(always)]
    pub fn data(&mut self) -> *mut u8 {
        addr_of_mut!(self.bytes).cast()
    }

    /// The hash, computed once.
    #[inline(always)]
    pub fn hash(&self) -> u64 {
        match self.hash.get() {
            0 => {
                let hash = hash_bytes(self.as_bytes());
                self.hash.set(hash);
                hash
            }
            hash => hash,
        }
    }

    /// Says how long the contents are, after bytes were written behind them.
    ///
    /// # Safety
    /// The string has one owner, its allocation has room for `length` bytes and a NUL, and all of
    /// these bytes are set.
    #[inline(always)]
    pub unsafe fn set_length(&mut self, length: usize) {
        self.length = length;
        self.note_change();
        // SAFETY: by the caller.
        unsafe { *self.data().add(length) = 0 };
    }

    /// The hash if it was computed before, else 0.
    #[inline(always)]
    pub fn hash_made(&self) -> u64 {
        self.hash.get()
    }

    /// Forgets what was found out about the contents, after they were changed in place.
    #[inline(always)]
    pub fn note_change(&mut self) {
        self.hash.set(0);
        self.header.type_info &= !HEADER_UTF8;
    }

    /// True if the contents are UTF-8. It is remembered that they are, as PHP does: scanners look at one string again
    /// and again.
    #[inline]
    pub fn is_utf8(&self) -> bool {
        self.header.type_info & HEADER_UTF8 != 0 || self.finds_utf8()
    }

    #[inline(never)]
    fn finds_utf8(&self) -> bool {
        let is_utf8 = std::str::from_utf8(self.as_bytes()).is_ok();
        // Of immutable strings it is known from the start.
        if is_utf8 && !self.header.is_immutable() {
            let info = (&raw const self.header.type_info).cast_mut();
            // SAFETY: only this thread has a string that is counted, and headers are written through `&`
            // ([`Header::shared`]).
            unsafe { *info |= HEADER_UTF8 };
        }
        is_utf8
    }

    /// As [`PhpString::equals`] for short strings, without a call.
    #[inline(always)]
    pub fn equals_inline(&self, other: &PhpString) -> bool {
        are_equal_inline(self.as_bytes(), other.as_bytes())
    }

    /// True if both have the same contents.
    #[inline(always)]
    pub fn equals(&self, other: &PhpString) -> bool {
        std::ptr::eq(self, other) || are_equal(self.as_bytes(), other.as_bytes())
    }
}

/// True if both are the same bytes. Texts are mostly so short that a call takes longer than to compare
/// them.
#[inline(always)]
pub fn are_equal(one: &[u8], other: &[u8]) -> bool {
    /// Up to this many bytes nothing is called.
    const SHORT: usize = 32;
    match one.len() <= SHORT {
        true => are_equal_inline(one, other),
        false => one == other,
    }
}

/// As [`are_equal`], without a call whatever the length.
#[inline(always)]
fn are_equal_inline(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let (mut a, mut b) = (one.as_ptr(), other.as_ptr());
    let mut left = one.len();
    // SAFETY: both are `left` bytes long; the last two loads of a width overlap.
    unsafe {
        if left >= 8 {
            while left > 8 {
                if differ::<u64>(a, b) {
                    return false;
                }
                (a, b, left) = (a.add(8), b.add(8), left - 8);
            }
            let back = 8 - left;
            return !differ::<u64>(a.sub(back), b.sub(back));
        }
        if left >= 4 {
            let last = left - 4;
            return !(differ::<u32>(a, b) || differ::<u32>(a.add(last), b.add(last)));
        }
        left == 0
            || left == 1 && *a == *b
            || left >= 2
                && !(differ::<u16>(a, b) || differ::<u16>(a.add(left - 2), b.add(left - 2)))
    }
}

impl std::ops::Deref for PhpString {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl StringHandle {
    /// Grows or shrinks a string that has one owner; new bytes are not set. The string may move.
    ///
    /// # Safety
    /// The caller is the only owner, and writes the new bytes before anyone reads them.
    #[inline(always)]
    pub unsafe fn resize(self, length: usize) -> StringHandle {
        // SAFETY: one owner, by the caller; a small block is not worth exchanging for a smaller one.
        unsafe {
            let string = &mut *self.as_ptr();
            if length <= string.length && string.length < SMALL_LIMIT - STRING_HEADER {
                string.set_length(length);
                return self;
            }
            self.exchange(length)
        }
    }

    /// As [`StringHandle::resize`], by a block of the right size.
    #[inline(never)]
    unsafe fn exchange(self, length: usize) -> StringHandle {
        let pointer = self.into_raw();
        // SAFETY: one owner, by the caller; the block is at least header and contents long.
        unsafe {
            let keep = STRING_HEADER + (*pointer).length.min(length);
            // More than there can be is more than there is.
            let size = length.saturating_add(STRING_HEADER + 1);
            let grown = Heap::reallocate(pointer.cast(), size, keep);
            let string = grown.cast::<PhpString>().as_ptr();
            (*string).length = length;
            (*string).note_change();
            *(*string).data().add(length) = 0;
            StringHandle::from_raw(string)
        }
    }

    /// True if this handle is the only owner, so that the contents may be changed in place.
    pub fn is_unique(&self) -> bool {
        !self.header.is_immutable() && self.header.refcount == 1
    }
}

/// Interned strings of one byte each, and the empty one at index 256.
static SINGLE: [std::sync::OnceLock<Immutable>; 257] = [const { std::sync::OnceLock::new() }; 257];

struct Immutable(*mut PhpString);
// SAFETY: immutable strings have their hash computed and are only read.
unsafe impl Send for Immutable {}
// SAFETY: as above.
unsafe impl Sync for Immutable {}

/// The interned string of one byte.
pub fn single_byte(byte: u8) -> *mut PhpString {
    SINGLE[byte as usize]
        .get_or_init(|| Immutable(PhpString::immutable(&[byte])))
        .0
}

/// As [`single_byte`], but null if nobody asked for this byte yet: no call, for fast paths.
#[inline(always)]
pub fn single_byte_made(byte: u8) -> *mut PhpString {
    SINGLE[byte as usize]
        .get()
        .map_or(std::ptr::null_mut(), |string| string.0)
}

/// The interned empty string.
pub fn empty() -> *mut PhpString {
    SINGLE[256]
        .get_or_init(|| Immutable(PhpString::immutable(b"")))
        .0
}

/// An interned string for a name the engine itself uses; made once for each call site's static.
pub struct KnownString {
    bytes: &'static [u8],
    cell: std::sync::OnceLock<Immutable>,
}

impl KnownString {
    /// The known string with these contents.
    pub const fn new(bytes: &'static [u8]) -> KnownString {
        KnownString {
            bytes,
            cell: std::sync::OnceLock::new(),
        }
    }

    /// Its contents.
    pub fn as_bytes(&self) -> &'static [u8] {
        self.bytes
    }

    /// The string itself.
    #[inline]
    pub fn get(&self) -> *mut PhpString {
        self.cell
            .get_or_init(|| Immutable(PhpString::immutable(self.bytes)))
            .0
    }

    /// An owned handle (immutable strings are not counted).
    pub fn handle(&self) -> StringHandle {
        // SAFETY: immutable strings are always live.
        unsafe { StringHandle::share_raw(self.get()) }
    }
}

impl std::fmt::Debug for KnownString {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KnownString({:?})", String::from_utf8_lossy(self.bytes))
    }
}
