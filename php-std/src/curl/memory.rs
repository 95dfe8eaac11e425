//! libcurl's memory comes from the allocator that counts.

use std::ffi::{c_char, c_void};
use std::sync::Once;

use super::sys;
use crate::support::counted::{self, allocate, allocate_zeroed};

extern "C" fn free(memory: *mut c_void) {
    // SAFETY: libcurl gives back what it got from us.
    unsafe { counted::free(memory) };
}

extern "C" fn reallocate(memory: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: as in `free`.
    unsafe { counted::reallocate(memory, size) }
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
