//! Having an allocation fail, to see that whatever happens then is safe. In debug builds only.

use std::cell::Cell;

use super::Heap;

thread_local! {
    /// Allocations that this thread's heaps have made since [`fail_allocation`].
    static MADE: Cell<u64> = const { Cell::new(0) };
    /// The number of the one that fails.
    static FAILING: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Has allocation number `number` from now on (the first is 1) fail on this thread, as if there was no
/// memory left for it.
pub fn fail_allocation(number: u64) {
    MADE.set(0);
    FAILING.set(number);
}

/// How many allocations this thread's heaps have made since [`fail_allocation`].
pub fn made_allocations() -> u64 {
    MADE.get()
}

impl Heap {
    pub(super) fn count_allocation(&mut self, size: usize) {
        let made = MADE.get() + 1;
        MADE.set(made);
        // What belongs to no VM cannot report anything.
        if made == FAILING.get() && !self.vm.is_null() {
            self.exhausted(size);
        }
    }
}
