//! State that extensions keep in a VM.

use std::any::{Any, TypeId};
use std::hash::{Hash, Hasher};

/// One value of any type that an extension chooses, made when it is first asked for.
#[derive(Debug, Default)]
pub struct Extensions {
    states: Vec<(TypeId, Box<dyn Any>)>,
    /// Where a state stood when one of its slot was last asked for; types share slots.
    places: [u8; SLOTS],
}

/// More than extensions that one program uses at a time.
const SLOTS: usize = 32;

/// Gives back what it is fed: the identity of a type is a hash.
#[derive(Default)]
struct Same(u64);

impl Hasher for Same {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0 << 8 ^ u64::from(byte);
        }
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

/// The slot of a type: known when the engine is built.
#[inline]
fn slot(kind: TypeId) -> usize {
    let mut hash = Same::default();
    kind.hash(&mut hash);
    hash.finish() as usize % SLOTS
}

impl Extensions {
    /// The state of type `T`.
    #[inline]
    pub fn state<T: Any + Default>(&mut self) -> &mut T {
        let wanted = TypeId::of::<T>();
        let noted = self.places[slot(wanted)] as usize;
        let place = match self.states.get(noted) {
            Some((kind, _)) if *kind == wanted => noted,
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
        self.places[slot(wanted)] = u8::try_from(place).unwrap_or(u8::MAX);
        place
    }
}
