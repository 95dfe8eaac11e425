//! State that extensions keep in a VM.

use std::any::{Any, TypeId};

use hashbrown::HashMap;

/// One value of any type that an extension chooses, made when it is first asked for.
#[derive(Debug, Default)]
pub struct Extensions {
    states: HashMap<TypeId, Box<dyn Any>, foldhash::fast::FixedState>,
}

impl Extensions {
    /// The state of type `T`.
    pub fn state<T: Any + Default>(&mut self) -> &mut T {
        let state = self
            .states
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Box::new(T::default()));
        match state.downcast_mut() {
            Some(state) => state,
            // The map is keyed by type.
            None => unreachable!("extension state of another type"),
        }
    }

    /// Drops all states, and with them the values they own.
    pub fn clear(&mut self) {
        self.states.clear();
    }
}
