//! What is the same on every turn of a loop is read and tested in front of it.
//!
//! [`Operation::Loop`] stands where a loop begins and knows how to leave there. What every turn executes, reads
//! nothing that the loop writes, and is made of what comes from outside, moves in front of the loop; a guard that
//! moves leaves where the loop begins, before its first turn. What a test makes safe to read does not pass it: what
//! shares a value or a slot with a test that stays in the loop stays, too. Inner loops come first, so that what
//! they do not change may move on.

use super::loops::{Loops, beginning, entry, headers};
use super::memory::{Addresses, Parts};
use crate::graph::{
    BlockId, Graph, Instruction, Operation, Place, Slot, SnapshotId, Table, Terminator, Value,
};

/// Moves what loops do not change in front of them.
pub fn run(graph: &mut Graph) {
    let order = graph.order();
    let headers = headers(graph, &order);
    if headers.is_empty() {
        return;
    }
    let (loops, fronts) = Loops::with_fronts(graph, order, &headers);
    let definitions = graph.definitions(&loops.order);
    let addresses = Addresses::of(graph, &loops.order);
    for (header, front) in headers.into_iter().zip(fronts).rev() {
        let beginning = beginning(graph.at(header));
        let body = loops.body(header);
        if let (Some(beginning), false) = (beginning, body.is_empty()) {
            let mut hoisting = Hoisting {
                definitions: &definitions,
                addresses: &addresses,
                inside: inside(graph, &body),
                written: written(graph, &body, &addresses),
                staying: Roots::default(),
                entry: entry(graph, header, front, beginning),
                moved: Vec::new(),
            };
            for id in loops.always(&body, header) {
                hoisting.block(graph, id);
            }
            let moved = hoisting.moved;
            graph.at_mut(front).instructions.extend(moved);
        }
        let instructions = &mut graph.at_mut(header).instructions;
        instructions.retain(|instruction| !matches!(instruction.operation, Operation::Loop(_)));
    }
}

/// The values that a loop defines.
fn inside(graph: &Graph, body: &[BlockId]) -> Table<Value, ()> {
    let mut inside = Table::with_room(graph.types.len());
    for &id in body {
        let block = graph.at(id);
        let outputs = block.instructions.iter().filter_map(|one| one.output);
        for value in block.parameters.iter().copied().chain(outputs) {
            inside.insert(value, ());
        }
    }
    inside
}

/// What of memory a loop writes.
fn written(graph: &Graph, body: &[BlockId], addresses: &Addresses) -> Parts {
    let mut written = Parts::default();
    for &id in body {
        for instruction in &graph.at(id).instructions {
            written.add(&addresses.written(&instruction.operation));
        }
    }
    written
}

/// What values and slots something is made of.
#[derive(Debug, Default)]
struct Roots {
    values: Vec<Value>,
    slots: Vec<Slot>,
}

impl Roots {
    fn meet(&self, others: &Roots) -> bool {
        self.values
            .iter()
            .any(|value| others.values.contains(value))
            || self.slots.iter().any(|slot| others.slots.contains(slot))
    }

    fn add_value(&mut self, value: Value, definitions: &Table<Value, Operation>) {
        match definitions.get(value) {
            Some(Operation::SlotAddress(slot)) => self.slots.push(*slot),
            Some(operation) if operation.is_constant() => {}
            _ if self.values.contains(&value) => {}
            Some(operation) => {
                self.values.push(value);
                self.add(operation, definitions);
            }
            None => self.values.push(value),
        }
    }

    fn add(&mut self, operation: &Operation, definitions: &Table<Value, Operation>) {
        if let Some(Place::Slot(slot)) = operation.place() {
            self.slots.push(slot);
        }
        operation.for_operands(|value| self.add_value(value, definitions));
    }
}

struct Hoisting<'g> {
    definitions: &'g Table<Value, Operation>,
    addresses: &'g Addresses,
    /// The values that the loop defines, without those that moved.
    inside: Table<Value, ()>,
    written: Parts,
    /// What tests that stay are made of.
    staying: Roots,
    /// How to leave in front of the loop.
    entry: SnapshotId,
    moved: Vec<Instruction>,
}

impl Hoisting<'_> {
    fn block(&mut self, graph: &mut Graph, id: BlockId) {
        let instructions = std::mem::take(&mut graph.at_mut(id).instructions);
        let mut kept = Vec::with_capacity(instructions.len());
        for instruction in instructions {
            if self.may_move(&instruction.operation) {
                self.take(instruction);
                continue;
            }
            if is_test(&instruction.operation) {
                self.staying.add(&instruction.operation, self.definitions);
            }
            kept.push(instruction);
        }
        let block = graph.at_mut(id);
        block.instructions = kept;
        if let Terminator::Branch { condition, .. } = &block.terminator {
            self.staying.add_value(*condition, self.definitions);
        }
    }

    fn may_move(&self, operation: &Operation) -> bool {
        if operation.has_effect() || matches!(operation, Operation::Poll(..) | Operation::Loop(_)) {
            return false;
        }
        let mut is_outside = true;
        operation.for_operands(|value| is_outside &= !self.inside.contains(value));
        if !is_outside || self.addresses.read(operation).meet(&self.written) {
            return false;
        }
        let mut roots = Roots::default();
        roots.add(operation, self.definitions);
        !roots.meet(&self.staying)
    }

    /// Moves an instruction.
    fn take(&mut self, mut instruction: Instruction) {
        let operation = &mut instruction.operation;
        if operation.snapshot().is_some() {
            *operation = operation.with_snapshot(self.entry);
        }
        if let Some(output) = instruction.output {
            self.inside.remove(output);
        }
        self.moved.push(instruction);
    }
}

/// Whether execution goes on behind the operation only if something holds.
fn is_test(operation: &Operation) -> bool {
    operation.snapshot().is_some() && !matches!(operation, Operation::Poll(..) | Operation::Loop(_))
}
