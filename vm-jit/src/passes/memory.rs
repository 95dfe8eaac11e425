//! What of memory an operation reads and writes.

use std::sync::LazyLock;

use vm_def::ir::layout::FIELDS;
use vm_def::ir::{Argument, Field, Intrinsic, IntrinsicEffect, Sequence, Structure};

use crate::graph::{BlockId, Graph, Operation, Place, Slot, Table, Value};

/// A part of memory. Different parts never overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A slot of the frame.
    Slot(Slot),
    /// Values elsewhere: elements, properties, what references hold.
    Values,
    /// What sequences of a structure are reached by.
    Sequences(u8),
    /// A field, by its number.
    Field(u16),
    /// Values in the heads of frames, as far as they are read by their fields.
    HeadFields,
    /// The same, as far as they are read as values.
    HeadValues,
    /// The counts of all that is counted.
    Counts,
    /// Runtime caches: of what is compiled only some intrinsics write them.
    Caches,
}

/// All slots of the frame, a bit each; the last one stands for all that have none of their own.
pub const ALL_SLOTS: u128 = u128::MAX;

/// The bit of a slot.
pub fn slot_bit(slot: Slot) -> u128 {
    1 << slot.0.min(127)
}

/// Parts of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Parts {
    /// All parts that are no slots of the frame, a bit each.
    others: u128,
    /// Slots of the frame ([`slot_bit`]).
    slots: u128,
}

impl Parts {
    const ALL: Parts = Parts {
        others: u128::MAX,
        slots: ALL_SLOTS,
    };
    const SLOTS: Parts = Parts {
        others: 0,
        slots: ALL_SLOTS,
    };

    fn one(part: Part) -> Parts {
        let other = |bit: u32| Parts {
            others: 1 << bit,
            slots: 0,
        };
        match part {
            Part::Slot(slot) => Parts {
                others: 0,
                slots: slot_bit(slot),
            },
            Part::Values => other(0),
            Part::Counts => other(1),
            Part::Caches => other(2),
            Part::HeadFields => other(3),
            Part::HeadValues => other(4),
            Part::Sequences(structure) => other(5 + u32::from(structure)),
            Part::Field(field) => other((5 + STRUCTURES + u32::from(field)).min(127)),
        }
    }

    fn and(mut self, others: Parts) -> Parts {
        self.add(&others);
        self
    }

    /// The variables of frames.
    pub fn variables() -> Parts {
        Parts::SLOTS.and(Parts::one(Part::Values))
    }

    /// Those that are slots of the frame.
    pub fn slots(&self) -> u128 {
        self.slots
    }

    /// Adds others.
    pub fn add(&mut self, others: &Parts) {
        self.others |= others.others;
        self.slots |= others.slots;
    }

    /// Whether they have a part in common.
    pub fn meet(&self, others: &Parts) -> bool {
        self.others & others.others != 0 || self.slots & others.slots != 0
    }
}

/// What addresses lead to.
#[derive(Debug)]
pub struct Addresses(Table<Value, Lead>);

/// What an address leads to.
#[derive(Clone, Copy, Debug)]
enum Lead {
    /// A value outside of frames.
    Value,
    /// A slot.
    Slot(Slot),
    /// Behind the head of a frame.
    Argument,
    /// The head of the unit's own frame.
    Own,
}

const STRUCTURES: u32 = Structure::ALL.len() as u32;

impl Addresses {
    /// Looks at where the graph's addresses come from.
    pub fn of(graph: &Graph, order: &[BlockId]) -> Addresses {
        let mut addresses = Table::with_room(graph.types.len());
        let outside = |structure| {
            matches!(
                structure,
                Structure::Array | Structure::Object | Structure::Bucket | Structure::Reference
            )
        };
        for (value, operation) in graph.constants.iter() {
            let lead = match operation {
                Operation::Literal(_) => Lead::Value,
                Operation::SlotAddress(slot) => Lead::Slot(*slot),
                Operation::Frame => Lead::Own,
                _ => continue,
            };
            addresses.insert(value, lead);
        }
        for block in order {
            for instruction in &graph.at(*block).instructions {
                let Some(output) = instruction.output else {
                    continue;
                };
                match &instruction.operation {
                    Operation::Element(sequence, ..) if outside(structure_of(*sequence)) => {
                        addresses.insert(output, Lead::Value);
                    }
                    Operation::LoadField(field, _) if outside(field.facts().structure) => {
                        addresses.insert(output, Lead::Value);
                    }
                    Operation::Element(sequence, ..)
                        if sequence.facts().structure == Structure::Frame =>
                    {
                        addresses.insert(output, Lead::Argument);
                    }
                    _ => {}
                }
            }
        }
        Addresses(addresses)
    }

    /// The slot to which an address leads, if it leads to one.
    pub fn slot(&self, address: Value) -> Option<Slot> {
        match self.0.get(address) {
            Some(Lead::Slot(slot)) => Some(*slot),
            _ => None,
        }
    }

    fn is_own(&self, frame: Value) -> bool {
        matches!(self.0.get(frame), Some(Lead::Own))
    }

    fn place_written(&self, place: Place) -> Parts {
        let parts = self.place(place);
        match parts.meet(&Parts::one(Part::HeadValues)) {
            true => parts.and(Parts::one(Part::HeadFields)),
            false => parts,
        }
    }

    /// Where a value in a place is.
    pub fn place(&self, place: Place) -> Parts {
        match place {
            Place::Slot(slot) => Parts::one(Part::Slot(slot)),
            Place::At(address) => match self.0.get(address) {
                Some(Lead::Slot(slot)) => Parts::one(Part::Slot(*slot)),
                Some(Lead::Value) => Parts::one(Part::Values),
                Some(Lead::Argument) => Parts::SLOTS.and(Parts::one(Part::Values)),
                Some(Lead::Own) | None => Parts::variables().and(Parts::one(Part::HeadValues)),
            },
        }
    }

    /// What the operation reads.
    pub fn read(&self, operation: &Operation) -> Parts {
        match operation {
            Operation::Load(place, _)
            | Operation::TypeWord(place)
            | Operation::IsType(place, _)
            | Operation::GuardType(place, ..)
            | Operation::GuardUncounted(place, _) => self.place(*place),
            // Of a reference it is asked what it holds.
            Operation::IsKept(place) => self
                .place(*place)
                .and(Parts::one(Part::Counts))
                .and(Parts::one(Part::Values)),
            Operation::Deref(address) => self.place(Place::At(*address)),
            // What a place has besides its value goes when the place is written as a whole.
            Operation::LoadField(field, base) if is_of_slot(*field) => {
                field_read(*field).and(self.place(Place::At(*base)))
            }
            // A frame keeps its `$this` as long as it runs.
            Operation::LoadField(field, base) if is_this(*field) && self.is_own(*base) => {
                Parts::default()
            }
            Operation::LoadField(field, _) => field_read(*field),
            // Bytes of strings are read so as well: what changes them writes everything.
            Operation::LoadWord(..) => Parts::one(Part::Caches),
            // Who goes on elsewhere may look at everything.
            Operation::Onward(..) => Parts::ALL,
            Operation::Element(sequence, ..) => {
                Parts::one(Part::Sequences(structure_of(*sequence) as u8))
            }
            Operation::Intrinsic(intrinsic, arguments) => {
                self.reached(*intrinsic, arguments.as_slice())
            }
            _ => Parts::default(),
        }
    }

    /// What a function of the runtime can look at: slots of frames only if an address leads there.
    fn reached(&self, intrinsic: Intrinsic, arguments: &[Value]) -> Parts {
        let mut reached = Parts {
            slots: 0,
            ..Parts::ALL
        };
        for (of, &argument) in intrinsic.arguments().iter().zip(arguments) {
            match of {
                Argument::To(
                    Structure::Array
                    | Structure::Class
                    | Structure::Function
                    | Structure::Object
                    | Structure::String,
                )
                | Argument::Plain(_) => {}
                _ => reached.add(&self.place(Place::At(argument))),
            }
        }
        reached
    }

    /// What the operation writes.
    pub fn written(&self, operation: &Operation) -> Parts {
        match operation {
            Operation::Store(place, _) | Operation::StoreTyped(place, ..) => {
                self.place_written(*place)
            }
            Operation::Copy(place, _, retains) => {
                let mut parts = self.place_written(*place);
                if *retains {
                    parts.add(&Parts::one(Part::Counts));
                }
                parts
            }
            Operation::StoreString(place, _) => {
                let mut parts = self.place_written(*place);
                parts.add(&Parts::one(Part::Counts));
                parts
            }
            Operation::Retain(_) | Operation::DropShare(_) => Parts::one(Part::Counts),
            Operation::Release(..) | Operation::Execute(..) => Parts::ALL,
            Operation::StoreField(field, ..) => field_written(*field),
            Operation::Intrinsic(intrinsic, _) if intrinsic.effect() != IntrinsicEffect::Pure => {
                Parts::ALL
            }
            Operation::Intrinsic(intrinsic, _) if intrinsic.refills_cache() => {
                Parts::one(Part::Caches)
            }
            _ => Parts::default(),
        }
    }
}

fn structure_of(sequence: Sequence) -> Structure {
    sequence.facts().structure
}

/// What of memory a field is, in whatever way it is looked at.
pub fn field_parts(field: Field) -> Parts {
    field_read(field).and(field_written(field))
}

/// What of memory a field is for whoever reads it.
pub fn field_read(field: Field) -> Parts {
    FIELD_PARTS[usize::from(field.0)].0
}

/// What of memory a field is for whoever writes it: another field of the head stays.
fn field_written(field: Field) -> Parts {
    FIELD_PARTS[usize::from(field.0)].1
}

/// What of memory each field is, for whoever reads it and for whoever writes it.
static FIELD_PARTS: LazyLock<Vec<(Parts, Parts)>> = LazyLock::new(|| {
    let parts = |field: Field| {
        let own = own_parts(field);
        let (read, written) = match is_in_head(field) {
            true => (
                own.and(Parts::one(Part::HeadFields)),
                own.and(Parts::one(Part::HeadValues)),
            ),
            false => (own, own),
        };
        match is_for_good(field) {
            true => (Parts::default(), written),
            false => (read, written),
        }
    };
    let fields = 0..FIELDS.len() as u16;
    fields.map(|number| parts(Field(number))).collect()
});

/// Whether a field never changes: an object keeps its class as long as it is there.
fn is_for_good(field: Field) -> bool {
    let facts = field.facts();
    facts.structure == Structure::Object && facts.name == "class"
}

/// Whether a field is the object that a frame runs with.
fn is_this(field: Field) -> bool {
    let facts = field.facts();
    facts.structure == Structure::Frame && facts.name == "this_pointer"
}

/// Whether a field is what a place has besides its value.
fn is_of_slot(field: Field) -> bool {
    field.facts().structure == Structure::Slot
}

/// Whether a field is a piece of a value in the head of a frame.
fn is_in_head(field: Field) -> bool {
    let facts = field.facts();
    facts.structure == Structure::Frame && facts.path.starts_with("this")
}

fn own_parts(field: Field) -> Parts {
    let facts = field.facts();
    if facts.name == "refcount" {
        return Parts::one(Part::Counts);
    }
    let own = Parts::one(Part::Field(field.0));
    match facts.structure {
        // No piece of the value.
        Structure::Slot => own,
        // Beside the count, which all structures share, it is known by no other name.
        Structure::Header => own,
        Structure::Frame | Structure::Vm | Structure::Function => own,
        structure => own.and(Parts::one(Part::Sequences(structure as u8))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_counts_of_heads_have_other_names() {
        let in_heads = FIELDS.iter().filter(|facts| {
            facts.path.starts_with("header") && facts.structure != Structure::Header
        });
        let names: Vec<&str> = in_heads.map(|facts| facts.name).collect();
        assert!(!names.is_empty() && names.iter().all(|name| *name == "refcount"));
    }
}
