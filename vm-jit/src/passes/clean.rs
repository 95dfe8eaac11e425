//! What nobody needs goes: unused values, blocks that only lead on.

use hashbrown::HashSet;

use crate::graph::{Graph, Terminator, Value};

/// Merges blocks that follow each other, then removes unused instructions and parameters.
pub fn run(graph: &mut Graph) {
    merge(graph);
    remove_unused(graph);
}

/// Appends a block to the only one that leads to it.
fn merge(graph: &mut Graph) {
    let counts = graph.predecessor_counts();
    for id in graph.order() {
        while let Terminator::Jump(target) = &graph.at(id).terminator {
            let (next, arguments) = (target.block, target.arguments.clone());
            if next == id || counts[next.0 as usize] != 1 || !arguments.is_empty() {
                break;
            }
            let mut following = std::mem::take(&mut graph.at_mut(next).instructions);
            let terminator = graph.at(next).terminator.clone();
            let block = graph.at_mut(id);
            block.instructions.append(&mut following);
            block.terminator = terminator;
            // Nothing leads to the emptied block any more.
            let empty = graph.at_mut(next);
            empty.terminator = Terminator::Leave(crate::graph::SnapshotId(u32::MAX));
        }
    }
}

/// Removes instructions whose value nobody uses, and parameters.
fn remove_unused(graph: &mut Graph) {
    let order = graph.order();
    let mut used: HashSet<Value> = HashSet::new();
    let mut changed = true;
    while changed {
        let before = used.len();
        for &id in order.iter().rev() {
            let block = graph.at(id);
            block.terminator.for_operands(|value| {
                used.insert(value);
            });
            if let Some(snapshot) = block.terminator.snapshot() {
                graph.for_saved(snapshot, |value| {
                    used.insert(value);
                });
            }
            for target in block.terminator.targets() {
                let parameters = &graph.at(target.block).parameters;
                for (parameter, argument) in parameters.iter().zip(&target.arguments) {
                    if used.contains(parameter) {
                        used.insert(*argument);
                    }
                }
            }
            for instruction in block.instructions.iter().rev() {
                let wanted = instruction
                    .output
                    .is_some_and(|output| used.contains(&output));
                if !wanted && instruction.operation.is_removable() {
                    continue;
                }
                instruction.operation.for_operands(|value| {
                    used.insert(value);
                });
                if let Some(snapshot) = instruction.operation.snapshot() {
                    graph.for_saved(snapshot, |value| {
                        used.insert(value);
                    });
                }
            }
        }
        changed = used.len() != before;
    }
    for id in order {
        let keep: Vec<bool> = graph
            .at(id)
            .parameters
            .iter()
            .map(|parameter| used.contains(parameter))
            .collect();
        graph.keep_parameters(id, &keep);
        graph.at_mut(id).instructions.retain(|instruction| {
            !instruction.operation.is_removable()
                || instruction
                    .output
                    .is_some_and(|output| used.contains(&output))
        });
    }
}
