//! State that extensions keep in a VM.

use std::any::{Any, TypeId};

/// One value of any type that an extension chooses, made when it is first asked for.
#[derive(Debug, Default)]
pub struct Extensions {
    /// What is asked for moves to the front, unless it is near to it.
    states: Vec<(TypeId, Box<dyn Any>)>,
}

/// States up to this place are near to the front.
const NEAR: usize = 4;

impl Extensions {
    /// The state of type `T`.
    #[inline]
    pub fn state<T: Any + Default>(&mut self) -> &mut T {
        let wanted = TypeId::of::<T>();
        let place = match self.states.first() {
            Some((kind, _)) if *kind == wanted => 0,
            _ => self.find(wanted, || Box::new(T::default())),
        };
        let state: *mut dyn Any = &mut *self.states[place].1;
        debug_assert!(self.states[place].1.is::<T>());
        // SAFETY: states are found by type: the one at this place is that of `T`.
        unsafe { &mut *state.cast::<T>() }
    }

    /// The place of a state, which is made if it is not there.
    #[inline(never)]
    fn find(&mut self, wanted: TypeId, make: fn() -> Box<dyn Any>) -> usize {
        let found = self.states.iter().position(|(kind, _)| *kind == wanted);
        let place = found.unwrap_or_else(|| {
            self.states.push((wanted, make()));
            self.states.len() - 1
        });
        if place < NEAR {
            return place;
        }
        // Those asked for in turn stand at the front together.
        self.states[..=place].rotate_right(1);
        0
    }
}
