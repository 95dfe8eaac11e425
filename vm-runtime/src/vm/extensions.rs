//! State that extensions keep in a VM.

use std::any::{Any, TypeId};

/// One value of any type that an extension chooses, made when it is first asked for.
#[derive(Debug, Default)]
pub struct Extensions {
    /// What is asked for often moves to the front.
    states: Vec<(TypeId, Box<dyn Any>)>,
}

impl Extensions {
    /// The state of type `T`.
    #[inline]
    pub fn state<T: Any + Default>(&mut self) -> &mut T {
        let wanted = TypeId::of::<T>();
        if self.states.first().is_none_or(|(kind, _)| *kind != wanted) {
            self.move_to_front(wanted, || Box::new(T::default()));
        }
        let state: *mut dyn Any = &mut *self.states[0].1;
        debug_assert!(self.states[0].1.is::<T>());
        // SAFETY: states are found by type: the first one is that of `T` now.
        unsafe { &mut *state.cast::<T>() }
    }

    #[inline(never)]
    fn move_to_front(&mut self, wanted: TypeId, make: fn() -> Box<dyn Any>) {
        let found = self.states.iter().position(|(kind, _)| *kind == wanted);
        let place = found.unwrap_or_else(|| {
            self.states.push((wanted, make()));
            self.states.len() - 1
        });
        // Those asked for in turn stand at the front together.
        self.states[..=place].rotate_right(1);
    }

    /// Drops all states, and with them the values they own.
    pub fn clear(&mut self) {
        self.states.clear();
    }
}
