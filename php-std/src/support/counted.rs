//! Memory for libraries written in C, from the allocator that counts.

use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_void;
use std::ptr::null_mut;

/// Stands in front of what is handed out: its size.
const HEADER: usize = 16;

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEADER)?, HEADER).ok()
}

/// The layout of what has this size already.
///
/// # Safety
/// The size is that of an allocation, so its layout was made before.
unsafe fn known_layout(size: usize) -> Layout {
    // SAFETY: by the caller.
    unsafe { Layout::from_size_align_unchecked(size + HEADER, HEADER) }
}

/// Notes the size, and gives what is handed out: null if there is no memory.
///
/// # Safety
/// `start` is null, or the beginning of an allocation for `size` bytes.
unsafe fn hand_out(start: *mut u8, size: usize) -> *mut c_void {
    if start.is_null() {
        return null_mut();
    }
    // SAFETY: by the caller.
    unsafe {
        start.cast::<usize>().write(size);
        start.add(HEADER).cast()
    }
}

/// As `malloc` does.
pub(crate) extern "C" fn allocate(size: usize) -> *mut c_void {
    let Some(layout) = layout(size) else {
        return null_mut();
    };
    // SAFETY: the layout is not empty.
    unsafe { hand_out(alloc(layout), size) }
}

/// As `calloc` does.
#[cfg(any(test, feature = "curl", feature = "zlib"))]
pub(crate) extern "C" fn allocate_zeroed(count: usize, size: usize) -> *mut c_void {
    let Some(layout) = count.checked_mul(size).and_then(layout) else {
        return null_mut();
    };
    // SAFETY: the layout is not empty.
    unsafe { hand_out(std::alloc::alloc_zeroed(layout), count * size) }
}

/// The start of an allocation and its size.
///
/// # Safety
/// `memory` was handed out here.
unsafe fn origin(memory: *mut c_void) -> (*mut u8, usize) {
    // SAFETY: by the caller.
    unsafe {
        let start = memory.cast::<u8>().sub(HEADER);
        (start, start.cast::<usize>().read())
    }
}

/// As `free` does.
///
/// # Safety
/// `memory` is null or was handed out here, and nobody uses it any more.
pub(crate) unsafe extern "C" fn free(memory: *mut c_void) {
    if memory.is_null() {
        return;
    }
    // SAFETY: by the caller.
    unsafe {
        let (start, size) = origin(memory);
        dealloc(start, known_layout(size));
    }
}

/// As `realloc` does.
///
/// # Safety
/// As of [`free`].
#[cfg(any(test, feature = "curl", feature = "sqlite"))]
pub(crate) unsafe extern "C" fn reallocate(memory: *mut c_void, size: usize) -> *mut c_void {
    if memory.is_null() {
        return allocate(size);
    }
    let Some(new) = layout(size) else {
        return null_mut();
    };
    // SAFETY: by the caller.
    unsafe {
        let (start, old) = origin(memory);
        hand_out(
            std::alloc::realloc(start, known_layout(old), new.size()),
            size,
        )
    }
}

/// The size of an allocation.
///
/// # Safety
/// `memory` is null or was handed out here.
#[cfg(feature = "sqlite")]
pub(crate) unsafe fn size_of_memory(memory: *mut c_void) -> usize {
    match memory.is_null() {
        true => 0,
        // SAFETY: by the caller.
        false => unsafe { origin(memory).1 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_out_keeps_its_contents_when_it_grows() {
        let memory = allocate_zeroed(3, 7);
        // SAFETY: 21 bytes, then 5,000 of which 21 are written.
        unsafe {
            assert_eq!(std::slice::from_raw_parts(memory.cast::<u8>(), 21), [0; 21]);
            memory.cast::<u8>().write_bytes(9, 21);
            let memory = reallocate(memory, 5000);
            assert_eq!(std::slice::from_raw_parts(memory.cast::<u8>(), 21), [9; 21]);
            free(memory);
        }
    }

    #[test]
    fn what_cannot_be_is_null() {
        assert!(allocate(usize::MAX).is_null());
        assert!(allocate_zeroed(usize::MAX, 2).is_null());
        // SAFETY: null is allowed.
        unsafe { free(null_mut()) };
    }
}
