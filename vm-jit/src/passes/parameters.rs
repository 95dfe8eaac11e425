//! Parameters that always get the same value are that value.

use super::rewrite;
use crate::graph::{Graph, Replacements, Table, Value};

/// Replaces parameters to which every way in gives one value, or themselves.
pub fn run(graph: &mut Graph) {
    let order = graph.order();
    // What a parameter gets; none if that differs.
    let mut given: Table<Value, Option<Value>> = Table::with_room(graph.types.len());
    let mut replaced = Replacements::default();
    // What is replaced makes others the same.
    loop {
        let mut any = false;
        given.clear();
        for &id in &order {
            for target in graph.at(id).terminator.targets() {
                let parameters = &graph.at(target.block).parameters;
                for (parameter, argument) in parameters.iter().zip(&target.arguments) {
                    let argument = replaced.last(*argument);
                    if argument == replaced.last(*parameter) {
                        continue;
                    }
                    match given.slot(*parameter) {
                        Some(known) if *known == Some(argument) => {}
                        Some(known) => *known = None,
                        empty => *empty = Some(Some(argument)),
                    }
                }
            }
        }
        for &id in &order {
            for &parameter in &graph.at(id).parameters {
                if let Some(Some(value)) = given.get(parameter)
                    && replaced.current(parameter) == parameter
                    // Two that only give each other have no value at all: none of them is reached.
                    && replaced.last(*value) != parameter
                {
                    replaced.insert(parameter, *value);
                    any = true;
                }
            }
        }
        if !any {
            break;
        }
    }
    if replaced.is_empty() {
        return;
    }
    graph.keep_parameters(&order, |parameter| replaced.current(parameter) == parameter);
    rewrite(graph, |value| replaced.last(value));
}
