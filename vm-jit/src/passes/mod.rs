//! Passes over graphs. Each leaves a graph that [`crate::graph::verify`] accepts; debug builds
//! check.

mod clean;
pub mod fold;
mod heads;
mod hoist;
mod left;
mod loops;
mod memory;
mod parameters;
mod ranges;
mod share;
mod stores;

use crate::graph::{Graph, Value, Written, verify};

/// Runs the pass of this name. False if there is none.
pub fn run(name: &str, graph: &mut Graph) -> bool {
    let Some((name, pass)) = PASSES.iter().find(|(known, _)| *known == name) else {
        return false;
    };
    pass(graph);
    check(name, graph);
    true
}

/// Runs all passes. `seen` is shown the graph before and after each.
pub fn optimise(graph: &mut Graph, mut seen: impl FnMut(&str, &Graph)) {
    check("translate", graph);
    seen("translate", graph);
    for (name, pass) in PASSES {
        pass(graph);
        check(name, graph);
        seen(name, graph);
    }
}

type Pass = (&'static str, fn(&mut Graph));

const PASSES: [Pass; 10] = [
    ("merge", clean::merge),
    ("parameters", parameters::run),
    ("share", share::run),
    ("heads", heads::run),
    ("stores", stores::run),
    ("ranges", ranges::run),
    ("hoist", hoist::run),
    ("fold", fold::run),
    ("parameters", parameters::run),
    ("clean", clean::run),
];

fn check(name: &str, graph: &Graph) {
    if cfg!(debug_assertions)
        && let Err(problem) = verify(graph)
    {
        panic!("after {name}: {problem}\n{graph}");
    }
}

/// Replaces values everywhere: in instructions, ends of blocks and snapshots.
fn rewrite(graph: &mut Graph, replace: impl Fn(Value) -> Value + Copy) {
    for block in &mut graph.blocks {
        for instruction in &mut block.instructions {
            instruction.operation.map_operands(replace);
        }
        block.terminator.map_operands(replace);
        for target in block.terminator.targets_mut() {
            for argument in &mut target.arguments {
                *argument = replace(*argument);
            }
        }
    }
    for snapshot in &mut graph.snapshots {
        for (_, held) in &mut snapshot.slots {
            if let Some(value) = held.value() {
                *held = held.with(replace(value));
            }
        }
        for write in &mut snapshot.writes {
            if let Written::Value(value) = &mut write.value {
                *value = replace(*value);
            }
        }
    }
}
