//! SQLite's memory comes from the allocator that counts.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Once;

use vm_runtime::limits;

use super::sys;
use crate::support::counted;

/// The size of what SQLite is given. It is refused memory far beyond the limit: views of views make it ask for
/// more and more, without a poll in between.
fn granted(size: c_int) -> Option<usize> {
    usize::try_from(size)
        .ok()
        .filter(|_| !limits::is_far_beyond())
}

unsafe extern "C" fn allocate(size: c_int) -> *mut c_void {
    granted(size).map_or(null_mut(), |size| counted::allocate(size))
}

unsafe extern "C" fn reallocate(memory: *mut c_void, size: c_int) -> *mut c_void {
    let Some(size) = granted(size) else {
        return null_mut();
    };
    // SAFETY: SQLite gives back what it got from us.
    unsafe { counted::reallocate(memory, size) }
}

unsafe extern "C" fn size_of_memory(memory: *mut c_void) -> c_int {
    // SAFETY: SQLite asks about what it got from us, whose size was a `c_int`.
    unsafe { counted::size_of_memory(memory) as c_int }
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
            xFree: Some(counted::free),
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
