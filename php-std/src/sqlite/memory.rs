//! SQLite's memory comes from the allocator that counts.

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Once;

use super::sys;

/// Stands in front of what SQLite allocates: its size.
const HEADER: usize = 16;

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEADER)?, HEADER).ok()
}

unsafe extern "C" fn allocate(size: c_int) -> *mut c_void {
    let Some(layout) = usize::try_from(size).ok().and_then(layout) else {
        return null_mut();
    };
    // SAFETY: the layout is not empty; the size is kept in front of what is handed out.
    unsafe {
        let memory = alloc(layout);
        if memory.is_null() {
            return null_mut();
        }
        memory.cast::<usize>().write(size as usize);
        memory.add(HEADER).cast()
    }
}

/// The start of an allocation and its size.
///
/// # Safety
/// `memory` comes from `allocate` or `reallocate`.
unsafe fn origin(memory: *mut c_void) -> (*mut u8, usize) {
    // SAFETY: by the caller.
    unsafe {
        let start = memory.cast::<u8>().sub(HEADER);
        (start, start.cast::<usize>().read())
    }
}

unsafe extern "C" fn free(memory: *mut c_void) {
    if memory.is_null() {
        return;
    }
    // SAFETY: SQLite gives back what it got from us.
    unsafe {
        let (start, size) = origin(memory);
        dealloc(
            start,
            Layout::from_size_align_unchecked(size + HEADER, HEADER),
        );
    }
}

unsafe extern "C" fn reallocate(memory: *mut c_void, size: c_int) -> *mut c_void {
    let Some(new) = usize::try_from(size).ok().and_then(layout) else {
        return null_mut();
    };
    // SAFETY: SQLite gives back what it got from us, and never null or a size of zero.
    unsafe {
        let (start, old) = origin(memory);
        let old = Layout::from_size_align_unchecked(old + HEADER, HEADER);
        let memory = realloc(start, old, new.size());
        if memory.is_null() {
            return null_mut();
        }
        memory.cast::<usize>().write(size as usize);
        memory.add(HEADER).cast()
    }
}

unsafe extern "C" fn size_of_memory(memory: *mut c_void) -> c_int {
    if memory.is_null() {
        return 0;
    }
    // SAFETY: SQLite asks about what it got from us.
    unsafe { origin(memory).1 as c_int }
}

unsafe extern "C" fn round_up(size: c_int) -> c_int {
    size.saturating_add(7) & !7
}

unsafe extern "C" fn initialise(_: *mut c_void) -> c_int {
    sys::SQLITE_OK
}

unsafe extern "C" fn shut_down(_: *mut c_void) {}

/// Tells SQLite, before it is used for the first time.
pub(super) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let methods = sys::sqlite3_mem_methods {
            xMalloc: Some(allocate),
            xFree: Some(free),
            xRealloc: Some(reallocate),
            xSize: Some(size_of_memory),
            xRoundup: Some(round_up),
            xInit: Some(initialise),
            xShutdown: Some(shut_down),
            pAppData: null_mut(),
        };
        // SAFETY: SQLite was not used before; it copies the structure. If it refuses, it goes on
        // with its own memory.
        unsafe { sys::sqlite3_config(sys::SQLITE_CONFIG_MALLOC, &raw const methods) };
    });
}
