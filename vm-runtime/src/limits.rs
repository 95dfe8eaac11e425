//! Limits that a script must not run into: the native stack, the time.

pub mod directories;
mod memory;
pub(crate) use memory::{NATIVE_ROOM, give_all_memory_back};
mod threads;
pub(crate) mod time;
mod wait;

pub use memory::{
    CountingAllocator, Foreign, end_by_large_files, end_process_beyond_limits, fits,
    give_memory_back, grow, grow_table, is_ending, is_far_beyond, need_stack, poll, reserve,
    survive_large_files, survives_large_files, take_over, thread_memory, time_left, wait_readable,
    wait_until,
};
pub use threads::start_thread;
pub(crate) use wait::read_identified;
pub use wait::{
    Waits, copy_file, file_accesses, lock, note_file_access, open, read_file, write_all, write_file,
};

use std::cell::Cell;

use corosensei::on_stack;
use corosensei::stack::{DefaultStack, Stack};

use crate::exceptions::KnownClass;
use crate::vm::{PhpResult, Thrown, Vm};

/// What is left of the native stack when recursion is refused.
const RESERVE: usize = 256 * 1024;

thread_local! {
    /// Lowest usable stack address of this thread with the reserve added; 0 while unknown.
    static STACK_LIMIT: Cell<usize> = const { Cell::new(0) };
}

/// The address below which this thread's stack counts as used up.
#[inline]
fn stack_limit() -> usize {
    match STACK_LIMIT.get() {
        0 => measure(),
        limit => limit,
    }
}

#[cold]
fn measure() -> usize {
    // SAFETY: the attributes are initialised by the call that is checked, and destroyed once.
    let bounds = unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
            None
        } else {
            let (mut base, mut size) = (std::ptr::null_mut(), 0);
            let known = libc::pthread_attr_getstack(&attributes, &mut base, &mut size) == 0;
            libc::pthread_attr_destroy(&mut attributes);
            known.then_some((base as usize, size))
        }
    };
    let limit = match bounds {
        Some((base, size)) => limit_of_stack(base, size),
        // Nothing is known about the stack: never low.
        None => 1,
    };
    STACK_LIMIT.set(limit);
    limit
}

/// The limit of a native stack that begins at `lowest` and is `size` bytes long.
pub(crate) fn limit_of_stack(lowest: usize, size: usize) -> usize {
    lowest + RESERVE.min(size / 2)
}

/// Sets the limit of the native stack that is switched to; gives that of the old one.
pub(crate) fn replace_stack_limit(limit: usize) -> usize {
    let old = stack_limit();
    STACK_LIMIT.set(limit);
    old
}

/// True if native recursion must stop here.
#[inline]
pub fn stack_is_low() -> bool {
    let local = 0u8;
    (&raw const local).addr() < stack_limit()
}

/// As [`stack_is_low`] where that was asked before: what begins near the top of the stack asks so, and a script may still
/// lower the limit of its process then, which is measured once.
#[inline]
pub fn known_stack_is_low() -> bool {
    STACK_LIMIT.get() != 0 && stack_is_low()
}

/// What nests as deep as compiling does needs so much of the native stack.
const DEEP: usize = 1_500_000;
/// The native stack that it gets if there is less.
const DEEP_STACK: usize = 4 * 1024 * 1024;

/// Runs what needs much of the native stack, and none of the script's code: deep in a recursion, and in a fiber whose
/// stack is small, it has a stack of its own. If there can be none it has to look at what is left itself.
pub fn with_deep_stack<R>(action: impl FnOnce() -> R) -> R {
    /// The limit of the stack that is gone back to, whatever happens on the other one.
    struct Back(usize);
    impl Drop for Back {
        fn drop(&mut self) {
            STACK_LIMIT.set(self.0);
        }
    }
    let local = 0u8;
    // Where nothing has asked for the limit yet nothing is deep, and it is not measured before the script may change it.
    let limit = STACK_LIMIT.get();
    if limit == 0 || (&raw const local).addr().saturating_sub(limit) >= DEEP {
        return action();
    }
    let Ok(mut stack) = DefaultStack::new(DEEP_STACK) else {
        return action();
    };
    let limit = limit_of_stack(stack.limit().get(), DEEP_STACK);
    let _back = Back(replace_stack_limit(limit));
    on_stack(&mut stack, action)
}

impl Vm {
    /// True if native recursion must stop here.
    #[inline]
    pub fn native_stack_is_low(&self) -> bool {
        stack_is_low()
    }

    /// Throws what deep nesting leads to, before the native stack ends: for native code that
    /// recurses.
    #[inline]
    pub fn check_native_stack(&mut self) -> PhpResult<()> {
        if stack_is_low() {
            return Err(self.throw_stack_overflow());
        }
        Ok(())
    }

    /// Throws what PHP throws when the native stack is used up.
    #[cold]
    pub fn throw_stack_overflow(&mut self) -> Thrown {
        self.throw_error(
            KnownClass::Error,
            "Maximum call stack size reached. Infinite recursion?",
        )
    }
}
