//! What is known about the slots of the frame at a point of the code.

use vm_def::types::TypeMask;
use vm_runtime::value::Zval;

use crate::graph::{Constant, Held, Slot, Type, Value};

/// What is known about a slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SlotState {
    /// Its value is in the frame.
    Memory {
        /// The types that it may have.
        types: TypeMask,
        /// It is known not to be counted (nor a reference).
        uncounted: bool,
    },
    /// Its value is known.
    Held {
        /// The value.
        held: Held,
        /// The frame has something else, which needs no release.
        dirty: bool,
    },
    /// A temporary that stands for a copy of the value at this address, outside of frames. It is
    /// not made unless somebody needs it, at the latest before memory changes.
    Borrowed {
        /// Where the value is.
        address: Value,
        /// The types that it may have.
        types: TypeMask,
    },
}

/// The shape of a [`SlotState`]: what code may rely on, without the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// As [`SlotState::Memory`].
    Memory {
        /// The types that it may have.
        types: TypeMask,
        /// It is known not to be counted.
        uncounted: bool,
    },
    /// A parameter of this type.
    Parameter {
        /// The parameter's type.
        of: Type,
        /// The frame may have something else.
        dirty: bool,
    },
    /// `null`, not in the frame.
    Null,
    /// No value, not in the frame.
    Undef,
    /// A value that is known, not in the frame.
    Constant(Constant),
    /// As [`SlotState::Borrowed`]: a parameter is the address.
    Borrowed(TypeMask),
}

/// What the frame holds when nothing is known.
pub const UNKNOWN: SlotState = SlotState::Memory {
    types: TypeMask::ANY,
    uncounted: false,
};

/// A call that is being prepared, not an inlined one, of which function and arguments are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// Its frame.
    pub frame: Value,
    /// What is called.
    pub call: Callee,
}

/// What is known of a call that is being prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Callee {
    /// The opline that prepared it.
    pub opened: u32,
    /// The address of the function.
    pub function: u64,
    /// Number of arguments.
    pub arguments: u32,
}

/// What is known of the slots: of most of them nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The slots of which something is known, in order.
    known: Vec<(Slot, SlotState)>,
    /// How many frames of inlined calls are known to be where their slots are, the outermost first.
    pub frames: u32,
    /// The beginning of the loop that is being entered behind it. What it tests at its end, if that is short, is
    /// translated for that alone, so that this way into the loop leads through its beginning as well.
    pub entering: Option<u32>,
    /// The innermost of the calls that are being prepared, as far as they are known, the outermost first.
    pub calls: Vec<Prepared>,
}

impl State {
    /// The states of the slots of which something is known, in order.
    pub fn new(known: Vec<(Slot, SlotState)>, frames: u32) -> State {
        debug_assert!(known.is_sorted_by(|before, behind| before.0.0 < behind.0.0));
        State {
            known,
            frames,
            entering: None,
            calls: Vec::new(),
        }
    }

    /// The state of a slot.
    pub fn at(&self, slot: Slot) -> SlotState {
        match self.find(slot) {
            Ok(index) => self.known[index].1,
            Err(_) => UNKNOWN,
        }
    }

    /// Changes the state of a slot.
    pub fn set(&mut self, slot: Slot, state: SlotState) {
        match self.find(slot) {
            Ok(index) if state == UNKNOWN => drop(self.known.remove(index)),
            Ok(index) => self.known[index].1 = state,
            Err(_) if state == UNKNOWN => {}
            Err(index) => self.known.insert(index, (slot, state)),
        }
    }

    /// Keeps what is known of slots that are wanted.
    pub fn retain(&mut self, is_wanted: impl Fn(Slot) -> bool) {
        self.known.retain(|(slot, _)| is_wanted(*slot));
    }

    /// The call that is being prepared since an opline, if it is known.
    pub fn call(&self, opened: Option<u32>) -> Option<Prepared> {
        let innermost = self.calls.last()?;
        (Some(innermost.call.opened) == opened).then_some(*innermost)
    }

    /// The call that was prepared at an opline is made. Gives what was known of it.
    pub fn close_call(&mut self, opened: Option<u32>) -> Option<Prepared> {
        self.call(opened)?;
        self.calls.pop()
    }

    /// The slots of which something is known, in order.
    pub fn known(&self) -> &[(Slot, SlotState)] {
        &self.known
    }

    /// The same, one by one.
    pub fn iter(&self) -> impl Iterator<Item = (Slot, SlotState)> {
        self.known.iter().copied()
    }

    /// The slots whose state is such, in order: they may be changed meanwhile.
    pub fn such(&self, is_such: impl Fn(SlotState) -> bool) -> Vec<Slot> {
        let such = self.iter().filter(|(_, state)| is_such(*state));
        such.map(|(slot, _)| slot).collect()
    }

    fn find(&self, slot: Slot) -> Result<usize, usize> {
        self.known
            .binary_search_by_key(&slot.0, |(known, _)| known.0)
    }
}

impl SlotState {
    /// Whether it stands for a copy that has not been made.
    pub fn is_borrowed(self) -> bool {
        matches!(self, SlotState::Borrowed { .. })
    }

    /// The literal that the slot holds, if that is known.
    pub fn constant(self) -> Option<*const Zval> {
        match self {
            SlotState::Held {
                held: Held::Constant(constant),
                ..
            } => Some(constant.address as *const Zval),
            _ => None,
        }
    }

    /// Whether the slot holds a literal that is known.
    pub fn is_constant(self) -> bool {
        self.constant().is_some()
    }

    /// The types that the slot may have.
    pub fn types(self) -> TypeMask {
        match self {
            SlotState::Memory { types, .. } | SlotState::Borrowed { types, .. } => types,
            SlotState::Held { held, .. } => held.types(),
        }
    }

    /// Whether the value is known not to be counted.
    pub fn is_uncounted(self) -> bool {
        match self {
            SlotState::Memory { types, uncounted } => {
                uncounted || !types.intersects(TypeMask::COUNTED)
            }
            SlotState::Borrowed { types, .. } => !types.intersects(TypeMask::COUNTED),
            SlotState::Held { .. } => true,
        }
    }

    /// The value, if the frame does not have it.
    pub fn unsaved(self) -> Option<Held> {
        match self {
            SlotState::Held { held, dirty: true } => Some(held),
            SlotState::Borrowed { address, .. } => Some(Held::Copied(address)),
            _ => None,
        }
    }

    /// The shape that code for this state relies on. In loops every value counts as one that the
    /// frame does not have, so that writing it makes no other shape.
    pub fn shape(self, in_loop: bool) -> Shape {
        match self {
            SlotState::Memory { types, uncounted } => Shape::Memory { types, uncounted },
            SlotState::Borrowed { types, .. } => Shape::Borrowed(types),
            SlotState::Held { held, dirty } => {
                let of = match held {
                    Held::Long(_) => Type::Long,
                    Held::Double(_) => Type::Double,
                    Held::Bool(_) => Type::Bool,
                    Held::Null => return Shape::Null,
                    Held::Undef => return Shape::Undef,
                    Held::Constant(constant) => return Shape::Constant(constant),
                    Held::Copied(_) => {
                        return Shape::Memory {
                            types: TypeMask::ANY,
                            uncounted: false,
                        };
                    }
                };
                let dirty = dirty || in_loop;
                Shape::Parameter { of, dirty }
            }
        }
    }

    /// What it takes to go from this state to a shape; None if that needs a guard.
    pub fn cost(self, shape: Shape) -> Option<u32> {
        match (self, shape) {
            (state, Shape::Memory { types, uncounted }) => {
                let fits = state.types().is_subset_of(types);
                let fits = fits && (!uncounted || state.is_uncounted());
                fits.then_some(u32::from(state.unsaved().is_some()))
            }
            (SlotState::Held { held, dirty }, Shape::Parameter { of, dirty: allowed }) => {
                let fits = of.accepts(held);
                fits.then_some(u32::from(dirty && !allowed))
            }
            (SlotState::Memory { types, .. }, Shape::Parameter { of, .. }) => {
                types.is_subset_of(of.types()).then_some(1)
            }
            (SlotState::Held { held, .. }, Shape::Null) => (held == Held::Null).then_some(0),
            (SlotState::Held { held, .. }, Shape::Undef) => (held == Held::Undef).then_some(0),
            (SlotState::Held { held, .. }, Shape::Constant(constant)) => {
                (held == Held::Constant(constant)).then_some(0)
            }
            (SlotState::Borrowed { types, .. }, Shape::Borrowed(borrowed)) => {
                types.is_subset_of(borrowed).then_some(0)
            }
            (_, Shape::Borrowed(_))
            | (SlotState::Memory { .. }, Shape::Null | Shape::Undef | Shape::Constant(_))
            | (SlotState::Borrowed { .. }, _) => None,
        }
    }
}

impl Shape {
    /// The shape that states have that have this one or the other.
    pub fn or(self, other: Shape) -> Shape {
        match (self, other) {
            _ if self == other => self,
            (Shape::Parameter { of, .. }, Shape::Parameter { of: same, .. }) if of == same => {
                Shape::Parameter { of, dirty: true }
            }
            _ => {
                let ((types, uncounted), (more, also)) = (self.in_memory(), other.in_memory());
                Shape::Memory {
                    types: TypeMask(types.0 | more.0),
                    uncounted: uncounted && also,
                }
            }
        }
    }

    /// The types that a slot may have whose value is in the frame, and whether it is known not to be counted.
    fn in_memory(self) -> (TypeMask, bool) {
        match self {
            Shape::Memory { types, uncounted } => (types, uncounted),
            Shape::Parameter { of, .. } => (of.types(), true),
            Shape::Null => (TypeMask::NULL, true),
            Shape::Undef => (TypeMask::UNDEF, true),
            Shape::Constant(constant) => (TypeMask(1 << (constant.word & 0xff)), true),
            Shape::Borrowed(types) => (types, !types.intersects(TypeMask::COUNTED)),
        }
    }
}

impl Type {
    /// Whether a value of this type is held.
    pub fn accepts(self, held: Held) -> bool {
        matches!(
            (self, held),
            (Type::Long, Held::Long(_))
                | (Type::Double, Held::Double(_))
                | (Type::Bool, Held::Bool(_))
        )
    }

    /// The types of slots whose payload it is.
    pub fn types(self) -> TypeMask {
        match self {
            Type::Long => TypeMask::LONG,
            Type::Double => TypeMask::DOUBLE,
            Type::Bool => TypeMask::BOOL,
            Type::Address => TypeMask::NONE,
        }
    }

    /// The type that holds values of these types, if one does.
    pub fn holding(types: TypeMask) -> Option<Type> {
        [Type::Long, Type::Double, Type::Bool]
            .into_iter()
            .find(|of| types != TypeMask::NONE && types.is_subset_of(of.types()))
    }

    /// A value of this type as what a slot holds.
    pub fn hold(self, value: Value) -> Held {
        match self {
            Type::Double => Held::Double(value),
            Type::Bool => Held::Bool(value),
            Type::Long | Type::Address => Held::Long(value),
        }
    }
}
