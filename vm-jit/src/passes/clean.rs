//! What nobody needs goes: unused values, blocks that only lead on.

use crate::graph::{BlockId, Graph, Lists, SnapshotId, Table, Terminator, Value};

/// Merges blocks that follow each other, then removes unused instructions and parameters.
pub fn run(graph: &mut Graph) {
    merge(graph);
    remove_unused(graph);
}

/// Appends a block to the only one that leads to it.
pub fn merge(graph: &mut Graph) {
    let counts = graph.predecessor_counts();
    for id in graph.order() {
        while let Terminator::Jump(target) = &graph.at(id).terminator {
            let next = target.block;
            if next == id || counts[next.0 as usize] != 1 || !target.arguments.is_empty() {
                break;
            }
            // Nothing leads to the emptied block any more.
            let empty = graph.at_mut(next);
            let mut following = std::mem::take(&mut empty.instructions);
            let nowhere = Terminator::Leave(SnapshotId(u32::MAX));
            let terminator = std::mem::replace(&mut empty.terminator, nowhere);
            let block = graph.at_mut(id);
            block.instructions.append(&mut following);
            block.terminator = terminator;
        }
    }
}

/// Removes instructions whose value nobody uses, and parameters.
pub fn remove_unused(graph: &mut Graph) {
    let order = graph.order();
    let mut used = Used {
        is_used: vec![false; graph.types.len()],
        waiting: Vec::new(),
    };
    // By value: the instruction that defines it, if it can go, or the position of the parameter.
    let mut defined: Table<Value, Definition> = Table::with_room(graph.types.len());
    // Ways with arguments: to a block, from another one.
    let mut ways: Vec<(u32, u32)> = Vec::new();
    for &id in &order {
        let block = graph.at(id);
        for (position, &parameter) in block.parameters.iter().enumerate() {
            defined.insert(parameter, Definition::Parameter(id, position));
        }
        for target in block.terminator.targets() {
            if !target.arguments.is_empty() {
                ways.push((target.block.0, id.0));
            }
        }
        block.terminator.for_operands(|value| used.add(value));
        if let Some(snapshot) = block.terminator.snapshot() {
            graph.for_saved(snapshot, |value| used.add(value));
        }
        for (position, instruction) in block.instructions.iter().enumerate() {
            if let Some(output) = instruction.output
                && instruction.operation.is_removable()
            {
                defined.insert(output, Definition::Instruction(id, position));
                continue;
            }
            instruction.operation.for_operands(|value| used.add(value));
            if let Some(snapshot) = instruction.operation.snapshot() {
                graph.for_saved(snapshot, |value| used.add(value));
            }
        }
    }
    let leading = Lists::of(graph.blocks.len(), ways.into_iter());
    while let Some(value) = used.waiting.pop() {
        match defined.get(value) {
            Some(Definition::Instruction(id, position)) => {
                let operation = &graph.at(*id).instructions[*position].operation;
                operation.for_operands(|value| used.add(value));
            }
            Some(Definition::Parameter(id, position)) => {
                for from in leading.of_one(id.0) {
                    for target in graph.at(BlockId(*from)).terminator.targets() {
                        if target.block == *id {
                            used.add(target.arguments[*position]);
                        }
                    }
                }
            }
            None => {}
        }
    }
    let is_used = used.is_used;
    graph.keep_parameters(&order, |parameter| is_used[parameter.0 as usize]);
    for id in order {
        graph.at_mut(id).instructions.retain(|instruction| {
            let output = instruction.output;
            output.is_none_or(|output| is_used[output.0 as usize])
                || !instruction.operation.is_removable()
        });
    }
}

/// Where a value comes from.
enum Definition {
    Instruction(BlockId, usize),
    Parameter(BlockId, usize),
}

/// Values that somebody needs.
struct Used {
    is_used: Vec<bool>,
    /// Those whose own operands have not been looked at.
    waiting: Vec<Value>,
}

impl Used {
    fn add(&mut self, value: Value) {
        if !std::mem::replace(&mut self.is_used[value.0 as usize], true) {
            self.waiting.push(value);
        }
    }
}
