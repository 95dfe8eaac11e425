//! libcurl's memory comes from the allocator that counts.

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;
use std::sync::Once;

use super::sys;

/// Stands in front of what libcurl allocates: its size.
const HEADER: usize = 16;

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEADER)?, HEADER).ok()
}

extern "C" fn allocate(size: usize) -> *mut c_void {
    let Some(layout) = layout(size) else {
        return null_mut();
    };
    // SAFETY: the layout is not empty; the size is kept in front of what is handed out.
    unsafe {
        let memory = alloc(layout);
        if memory.is_null() {
            return null_mut();
        }
        memory.cast::<usize>().write(size);
        memory.add(HEADER).cast()
    }
}

extern "C" fn free(memory: *mut c_void) {
    if memory.is_null() {
        return;
    }
    // SAFETY: libcurl gives back what it got from us, whose size stands in front.
    unsafe {
        let start = memory.cast::<u8>().sub(HEADER);
        let size = start.cast::<usize>().read();
        dealloc(
            start,
            Layout::from_size_align_unchecked(size + HEADER, HEADER),
        );
    }
}

extern "C" fn reallocate(memory: *mut c_void, size: usize) -> *mut c_void {
    if memory.is_null() {
        return allocate(size);
    }
    let Some(new) = layout(size) else {
        return null_mut();
    };
    // SAFETY: as in `free`.
    unsafe {
        let start = memory.cast::<u8>().sub(HEADER);
        let old = start.cast::<usize>().read();
        let old = Layout::from_size_align_unchecked(old + HEADER, HEADER);
        let memory = realloc(start, old, new.size());
        if memory.is_null() {
            return null_mut();
        }
        memory.cast::<usize>().write(size);
        memory.add(HEADER).cast()
    }
}

extern "C" fn duplicate(text: *const c_char) -> *mut c_char {
    // SAFETY: libcurl's texts end with NUL.
    unsafe {
        let length = libc::strlen(text) + 1;
        let memory = allocate(length).cast::<c_char>();
        if !memory.is_null() {
            std::ptr::copy_nonoverlapping(text, memory, length);
        }
        memory
    }
}

extern "C" fn allocate_zeroed(count: usize, size: usize) -> *mut c_void {
    let Some(size) = count.checked_mul(size) else {
        return null_mut();
    };
    let memory = allocate(size);
    if !memory.is_null() {
        // SAFETY: that many bytes were just allocated.
        unsafe { memory.cast::<u8>().write_bytes(0, size) };
    }
    memory
}

/// Prepares libcurl, before it is used for the first time.
pub(super) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: libcurl was not used before.
        unsafe {
            sys::curl_global_init_mem(
                sys::CURL_GLOBAL_ALL,
                allocate,
                free,
                reallocate,
                duplicate,
                allocate_zeroed,
            );
        }
    });
}
