//! What a store leaves in its place, for whoever looks there next.

use vm_def::types::TypeMask;
use vm_runtime::value::REFCOUNTED;

use crate::graph::{Held, Operation, Place, Type, Value};

/// A value that was stored.
#[derive(Clone, Copy, Debug)]
pub enum Left {
    /// What [`Operation::Store`] stores, but for copies.
    Held(Held),
    /// A payload with this type word.
    Typed(u32, Value),
}

/// What the answer to an operation is, where something was left.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// It tests what is so, or has nothing to do.
    Passes,
    /// It gives this value.
    Value(Value),
    /// It is as good as this operation.
    Operation(Operation),
}

/// How what was left in a place is looked up.
pub fn key(place: Place) -> Operation {
    Operation::Store(place, Held::Undef)
}

impl Left {
    /// What an operation leaves, and where.
    pub fn by(operation: &Operation) -> Option<(Place, Left)> {
        match *operation {
            Operation::Store(_, Held::Copied(_)) => None,
            Operation::Store(place, held) => Some((place, Left::Held(held))),
            Operation::StoreTyped(place, word, value) => Some((place, Left::Typed(word, value))),
            _ => None,
        }
    }

    /// The answer to an operation that looks at the place.
    pub fn answer(self, operation: &Operation) -> Option<Answer> {
        let types = self.types();
        let same = |operation| Some(Answer::Operation(operation));
        match operation {
            Operation::GuardType(_, expected, _) if types.is_subset_of(*expected) => {
                Some(Answer::Passes)
            }
            Operation::GuardUncounted(..)
            | Operation::Retain(_)
            | Operation::DropShare(_)
            | Operation::Release(..)
                if self.is_uncounted() =>
            {
                Some(Answer::Passes)
            }
            Operation::IsType(_, asked) if types.is_subset_of(*asked) => {
                same(Operation::Bool(true))
            }
            Operation::IsType(_, asked) if !types.intersects(*asked) => {
                same(Operation::Bool(false))
            }
            Operation::IsKept(_) if self.is_uncounted() => same(Operation::Bool(true)),
            Operation::TypeWord(_) => same(Operation::Long(i64::from(self.word()?))),
            Operation::Load(_, of) => {
                let (stored, value) = self.payload()?;
                (stored == *of).then_some(Answer::Value(value))
            }
            _ => None,
        }
    }

    /// Stores the same into another place, which is to have a share of its own or not. None if that is more than a
    /// store.
    pub fn stored_in(self, place: Place, retains: bool) -> Option<Operation> {
        let is_plain = !retains || self.is_uncounted();
        is_plain.then_some(match self {
            Left::Held(held) => Operation::Store(place, held),
            Left::Typed(word, value) => Operation::StoreTyped(place, word, value),
        })
    }

    fn types(self) -> TypeMask {
        match self {
            Left::Held(held) => held.types(),
            Left::Typed(word, _) => TypeMask(1 << (word & 255)),
        }
    }

    /// Its type word; none if that depends on the value.
    fn word(self) -> Option<u32> {
        match self {
            Left::Held(Held::Constant(constant)) => Some(constant.word),
            Left::Held(held) => held.types().single().map(u32::from),
            Left::Typed(word, _) => Some(word),
        }
    }

    fn payload(self) -> Option<(Type, Value)> {
        match self {
            Left::Held(Held::Long(value)) => Some((Type::Long, value)),
            Left::Held(Held::Double(value)) => Some((Type::Double, value)),
            Left::Held(Held::Bool(value)) => Some((Type::Bool, value)),
            _ => None,
        }
    }

    fn is_uncounted(self) -> bool {
        let is_said = self.word().is_some_and(|word| word & REFCOUNTED == 0);
        is_said || !self.types().intersects(TypeMask::COUNTED)
    }
}
