//! Addresses that are a distance from another one: the processor adds it where memory is accessed.

use vm_def::ir::{FieldKind, UnaryOperation};
use vm_runtime::frame::HEADER_SLOTS;
use vm_runtime::generated::layout::{FIELD_OFFSETS, SEQUENCE_STARTS};
use vm_runtime::value::Zval;

use super::reach::Reach;
use crate::graph::{BlockId, Graph, Operation, Place, Slot, Table, Value};

/// Elements behind this one are not reached by a distance.
const MOST_ELEMENTS: i64 = 1 << 20;

/// What an address is counted from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Root {
    /// The frame, which has a register of its own.
    Frame,
    /// What is near the code.
    Near(u64),
    /// Another value.
    Value(Value),
}

/// The addresses of a graph that are distances.
#[derive(Debug)]
pub struct Addresses {
    reach: Reach,
    known: Table<Value, (Root, i32)>,
    /// Those that are wanted elsewhere than in accesses.
    wanted: Vec<bool>,
}

impl Addresses {
    /// Looks at a graph, whose blocks are given in an order in which definitions come before uses.
    pub fn of(graph: &Graph, order: &[BlockId], reach: Reach) -> Addresses {
        let mut addresses = Addresses {
            reach,
            known: Table::with_room(graph.types.len()),
            wanted: vec![false; graph.types.len()],
        };
        for (value, operation) in graph.constants.iter() {
            if let Some(place) = addresses.place(operation, graph) {
                addresses.known.insert(value, place);
            }
        }
        for &block in order {
            for instruction in &graph.at(block).instructions {
                let Some(output) = instruction.output else {
                    continue;
                };
                if let Some(place) = addresses.place(&instruction.operation, graph) {
                    addresses.known.insert(output, place);
                }
            }
        }
        for &block in order {
            addresses.want(graph, block);
        }
        addresses
    }

    /// What an address is a distance from, and the distance in bytes.
    pub fn get(&self, value: Value) -> Option<(Root, i32)> {
        self.known.get(value).copied()
    }

    /// Whether a value is a distance that only accesses want.
    pub fn is_only_accessed(&self, value: Value) -> bool {
        self.known.contains(value) && !self.wanted[value.0 as usize]
    }

    fn from(&self, base: Value, distance: i64) -> Option<(Root, i32)> {
        let (root, before) = self.get(base).unwrap_or((Root::Value(base), 0));
        let distance = i32::try_from(distance).ok()?;
        Some((root, before.checked_add(distance)?))
    }

    fn place(&self, operation: &Operation, graph: &Graph) -> Option<(Root, i32)> {
        match operation {
            Operation::Frame => Some((Root::Frame, 0)),
            Operation::Literal(address) if self.reach.is_near(*address) => {
                Some((Root::Near(*address), 0))
            }
            Operation::SlotAddress(slot) => Some((Root::Frame, offset(*slot))),
            Operation::Unary(UnaryOperation::LongToPointer, value) => self.from(*value, 0),
            Operation::LoadField(field, base) if field.facts().kind == FieldKind::Value => {
                self.from(*base, FIELD_OFFSETS[usize::from(field.0)] as i64)
            }
            Operation::Element(sequence, base, index) => {
                let (start, is_pointer) = SEQUENCE_STARTS[usize::from(sequence.0)];
                let index = graph.long(*index)?;
                if is_pointer || !(0..MOST_ELEMENTS).contains(&index) {
                    return None;
                }
                let distance = start as i64 + index * i64::from(sequence.facts().stride);
                self.from(*base, distance)
            }
            _ => None,
        }
    }

    fn want(&mut self, graph: &Graph, block: BlockId) {
        let block = graph.at(block);
        let wanted = &mut self.wanted;
        let mut want = |value: Value| wanted[value.0 as usize] = true;
        for instruction in &block.instructions {
            let operation = &instruction.operation;
            let accessed = accessed(operation);
            let is_distance = instruction
                .output
                .is_some_and(|output| self.known.contains(output));
            // What another distance is counted from is told by that.
            if !is_distance {
                let mut is_first = true;
                operation.for_operands(|value| {
                    if Some(value) == accessed && std::mem::take(&mut is_first) {
                        return;
                    }
                    want(value);
                });
            }
            if let Some(snapshot) = operation.snapshot() {
                graph.for_saved(snapshot, &mut want);
            }
        }
        block.terminator.for_operands(&mut want);
        if let Some(snapshot) = block.terminator.snapshot() {
            graph.for_saved(snapshot, &mut want);
        }
        for target in block.terminator.targets() {
            target.arguments.iter().copied().for_each(&mut want);
        }
    }
}

/// The address at which an operation accesses memory.
fn accessed(operation: &Operation) -> Option<Value> {
    match operation {
        Operation::Load(Place::At(address), _)
        | Operation::TypeWord(Place::At(address))
        | Operation::IsType(Place::At(address), _)
        | Operation::IsKept(Place::At(address))
        | Operation::GuardType(Place::At(address), ..)
        | Operation::GuardUncounted(Place::At(address), _)
        | Operation::Store(Place::At(address), _)
        | Operation::StoreTyped(Place::At(address), ..)
        | Operation::StoreString(Place::At(address), _)
        | Operation::Copy(Place::At(address), ..)
        | Operation::Retain(Place::At(address))
        | Operation::DropShare(Place::At(address))
        | Operation::LoadField(_, address)
        | Operation::StoreField(_, address, _)
        | Operation::LoadWord(address, ..) => Some(*address),
        _ => None,
    }
}

/// Offset of a slot from the frame.
pub fn offset(slot: Slot) -> i32 {
    ((HEADER_SLOTS + slot.0) as usize * size_of::<Zval>()) as i32
}
