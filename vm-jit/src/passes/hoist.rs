//! What is the same on every turn of a loop is read and tested in front of it.
//!
//! [`Operation::Loop`] stands where a loop begins and knows how to leave there. What every turn executes, reads
//! nothing that the loop writes, and is made of what comes from outside, moves in front of the loop; a guard that
//! moves leaves where the loop begins, before its first turn. What a test makes safe to read does not pass it: what
//! shares a value or a slot with a test that stays in the loop stays, too. Inner loops come first, so that what
//! they do not change may move on.

use super::memory::{Addresses, Parts};
use crate::graph::{
    Block, BlockId, Dominators, Graph, Instruction, Operation, Place, Slot, Snapshot, SnapshotId,
    Table, Target, Terminator, Value,
};

/// Moves what loops do not change in front of them.
pub fn run(graph: &mut Graph) {
    let order = graph.order();
    let begins = |id: &BlockId| beginning(graph.at(*id)).is_some();
    let headers: Vec<BlockId> = order.iter().copied().filter(begins).collect();
    if headers.is_empty() {
        return;
    }
    let mut loops = Loops::of(graph, order);
    let blocks = graph.blocks.len();
    let fronts: Vec<BlockId> = headers
        .iter()
        .map(|header| loops.front(graph, *header))
        .collect();
    if graph.blocks.len() != blocks {
        loops = Loops::of(graph, graph.order());
    }
    let mut definitions = Table::with_room(graph.types.len());
    for &id in &loops.order {
        for instruction in &graph.at(id).instructions {
            if let Some(output) = instruction.output {
                definitions.insert(output, instruction.operation);
            }
        }
    }
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

/// How to leave where a loop begins, if one begins at the block.
fn beginning(block: &Block) -> Option<SnapshotId> {
    let mut instructions = block.instructions.iter();
    instructions.find_map(|instruction| match instruction.operation {
        Operation::Loop(snapshot) => Some(snapshot),
        _ => None,
    })
}

/// The graph's blocks as far as loops are looked for.
struct Loops {
    order: Vec<BlockId>,
    dominators: Dominators,
}

impl Loops {
    fn of(graph: &Graph, order: Vec<BlockId>) -> Loops {
        Loops {
            dominators: Dominators::of(graph, &order),
            order,
        }
    }

    fn leading_to(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        let position = self.dominators.position(block);
        let before = self.dominators.predecessors(position).iter();
        before.filter_map(|position| Some(self.order[position.checked_sub(1)? as usize]))
    }

    /// The blocks that lead back to a header.
    fn latches(&self, header: BlockId) -> impl Iterator<Item = BlockId> {
        let before = self.leading_to(header);
        before.filter(move |block| self.dominators.dominates(header, *block))
    }

    /// The block in front of a loop that leads nowhere else: a new one, if there is none.
    fn front(&self, graph: &mut Graph, header: BlockId) -> BlockId {
        let outside = |block: &BlockId| !self.dominators.dominates(header, *block);
        let before: Vec<BlockId> = self.leading_to(header).filter(outside).collect();
        if let [only] = before.as_slice()
            && matches!(graph.at(*only).terminator, Terminator::Jump(_))
        {
            return *only;
        }
        let front = graph.block(graph.at(header).opline);
        let parameters = graph.at(header).parameters.clone();
        let own: Vec<Value> = parameters
            .iter()
            .map(|parameter| graph.value(graph.type_of(*parameter)))
            .collect();
        let block = graph.at_mut(front);
        block.parameters.clone_from(&own);
        block.terminator = Terminator::Jump(Target {
            block: header,
            arguments: own,
        });
        for block in before {
            for target in graph.at_mut(block).terminator.targets_mut() {
                if target.block == header {
                    target.block = front;
                }
            }
        }
        front
    }

    /// The blocks of the loop that begins at a header, in order; none if it is no loop.
    fn body(&self, header: BlockId) -> Vec<BlockId> {
        let mut is_inside = vec![false; self.order.len()];
        let mut waiting: Vec<BlockId> = self.latches(header).collect();
        if !waiting.is_empty() {
            waiting.push(header);
        }
        while let Some(block) = waiting.pop() {
            let position = self.dominators.position(block) as usize - 1;
            let was_inside = std::mem::replace(&mut is_inside[position], true);
            if !was_inside && block != header {
                waiting.extend(self.leading_to(block));
            }
        }
        let both = self.order.iter().zip(is_inside);
        both.filter_map(|(block, is_inside)| is_inside.then_some(*block))
            .collect()
    }

    /// The blocks of a loop that every turn comes through, in that order.
    fn always(&self, body: &[BlockId], header: BlockId) -> Vec<BlockId> {
        let latches: Vec<BlockId> = self.latches(header).collect();
        let mut always = body.to_vec();
        always.retain(|block| {
            let mut latches = latches.iter();
            latches.all(|latch| self.dominators.dominates(*block, *latch))
        });
        always
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

/// How to leave in front of a loop, from how to leave where it begins.
fn entry(graph: &mut Graph, header: BlockId, front: BlockId, beginning: SnapshotId) -> SnapshotId {
    let parameters = &graph.at(header).parameters;
    let given = graph.at(front).terminator.targets().next();
    let given = given.map_or(&[][..], |target| &target.arguments);
    let outside = |value: Value| {
        let mut both = parameters.iter().zip(given);
        both.find_map(|(parameter, given)| (*parameter == value).then_some(*given))
            .unwrap_or(value)
    };
    let mut snapshot: Snapshot = graph.snapshots[beginning.0 as usize].clone();
    for (_, held) in &mut snapshot.slots {
        if let Some(value) = held.value() {
            *held = held.with(outside(value));
        }
    }
    graph.snapshot(snapshot)
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
                self.take(graph, instruction);
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
        if operation.is_constant()
            || operation.has_effect()
            || matches!(operation, Operation::Poll(_) | Operation::Loop(_))
        {
            return false;
        }
        let mut is_outside = true;
        operation.for_operands(|value| {
            let constant = self
                .definitions
                .get(value)
                .is_some_and(Operation::is_constant);
            is_outside &= constant || !self.inside.contains(value);
        });
        if !is_outside || self.addresses.read(operation).meet(&self.written) {
            return false;
        }
        let mut roots = Roots::default();
        roots.add(operation, self.definitions);
        !roots.meet(&self.staying)
    }

    /// Moves an instruction, with copies of the constants that it uses.
    fn take(&mut self, graph: &mut Graph, mut instruction: Instruction) {
        let operation = &mut instruction.operation;
        operation.map_operands(|value| match self.definitions.get(value) {
            Some(constant) if constant.is_constant() && self.inside.contains(value) => {
                let copy = graph.value(graph.type_of(value));
                self.moved.push(Instruction {
                    output: Some(copy),
                    operation: *constant,
                });
                copy
            }
            _ => value,
        });
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
    operation.snapshot().is_some() && !matches!(operation, Operation::Poll(_) | Operation::Loop(_))
}
