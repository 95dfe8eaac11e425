//! What must not be taken away because it is at work, and may run code of the script.

use std::cell::Cell;
use std::rc::Rc;

/// How often something is at work: what it runs may have it do something else meanwhile. The number stands apart, for
/// it is read while the owner is borrowed.
#[derive(Debug, Default)]
pub(super) struct Busy(Option<Rc<Cell<u32>>>);

/// It is at work as long as this lives.
#[derive(Debug)]
pub(super) struct AtWork(Rc<Cell<u32>>);

impl Busy {
    /// From now on it is at work.
    pub(super) fn enter(&mut self) -> AtWork {
        let count = Rc::clone(self.0.get_or_insert_default());
        count.set(count.get() + 1);
        AtWork(count)
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|count| count.get() > 0)
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_first_does_not_end_the_rest() {
        let mut busy = Busy::default();
        assert!(!busy.is_set());
        let outer = busy.enter();
        drop(busy.enter());
        assert!(busy.is_set());
        drop(outer);
        assert!(!busy.is_set());
    }
}
