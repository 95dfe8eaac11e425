//! Threads besides the script's.

use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

/// What a thread has for its stack, as those of the standard library have.
const STACK: usize = 2 << 20;

struct Start {
    name: &'static CStr,
    work: Box<dyn FnOnce() + Send>,
}

/// Starts a thread that nobody waits for. False if the system has none, or no memory for it: a script can bring that about,
/// and those of the standard library end the process then, as they begin.
pub fn start_thread(name: &'static CStr, work: impl FnOnce() + Send + 'static) -> bool {
    extern "C" fn begin(start: *mut c_void) -> *mut c_void {
        // SAFETY: made below, for this thread alone.
        let Start { name, work } = *unsafe { Box::from_raw(start.cast::<Start>()) };
        // SAFETY: the name ends with NUL. One that is too long is none.
        unsafe { libc::pthread_setname_np(libc::pthread_self(), name.as_ptr()) };
        // A panic has said why; there is nobody else to tell.
        let _ = catch_unwind(AssertUnwindSafe(work));
        null_mut()
    }
    let work: Box<dyn FnOnce() + Send> = Box::new(work);
    let start = Box::into_raw(Box::new(Start { name, work }));
    // SAFETY: the attributes are this function's own, and are initialised before they are used; if there is no thread, the start is
    // nobody else's.
    unsafe {
        let mut attributes = std::mem::zeroed();
        let has_attributes = libc::pthread_attr_init(&mut attributes) == 0;
        let mut failed = !has_attributes;
        if has_attributes {
            libc::pthread_attr_setstacksize(&mut attributes, STACK);
            libc::pthread_attr_setdetachstate(&mut attributes, libc::PTHREAD_CREATE_DETACHED);
            let mut thread = std::mem::zeroed();
            failed = libc::pthread_create(&mut thread, &attributes, begin, start.cast()) != 0;
            libc::pthread_attr_destroy(&mut attributes);
        }
        if failed {
            drop(Box::from_raw(start));
        }
        !failed
    }
}
