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
    pub fn state<T: Any + Default>(&mut self) -> &mut T {
        let wanted = TypeId::of::<T>();
        let found = self.states.iter().position(|(kind, _)| *kind == wanted);
        let place = match found {
            Some(0) => 0,
            Some(place) => {
                self.states.swap(place, place - 1);
                place - 1
            }
            None => {
                self.states.push((wanted, Box::new(T::default())));
                self.states.len() - 1
            }
        };
        match self.states[place].1.downcast_mut() {
            Some(state) => state,
            // States are found by type.
            None => unreachable!("extension state of another type"),
        }
    }

    /// Drops all states, and with them the values they own.
    pub fn clear(&mut self) {
        self.states.clear();
    }
}
