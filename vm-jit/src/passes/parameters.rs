//! Parameters that always get the same value are that value.

use hashbrown::HashMap;

use super::rewrite;
use crate::graph::{Graph, Value};

/// Replaces parameters to which every way in gives one value, or themselves.
pub fn run(graph: &mut Graph) {
    while replace(graph) {}
}

fn replace(graph: &mut Graph) -> bool {
    let order = graph.order();
    let mut given: HashMap<Value, Option<Value>> = HashMap::new();
    for &id in &order {
        for target in graph.at(id).terminator.targets() {
            let parameters = &graph.at(target.block).parameters;
            for (parameter, argument) in parameters.iter().zip(&target.arguments) {
                if argument == parameter {
                    continue;
                }
                let known = given.entry(*parameter).or_insert(Some(*argument));
                if *known != Some(*argument) {
                    *known = None;
                }
            }
        }
    }
    let mut replaced: HashMap<Value, Value> = HashMap::new();
    for (&parameter, value) in &given {
        if let Some(value) = value {
            replaced.insert(parameter, *value);
        }
    }
    // Two parameters that only give each other have no value at all: none of them is reached.
    replaced.retain(|parameter, _| given.contains_key(parameter));
    if replaced.is_empty() {
        return false;
    }
    for id in order {
        let keep: Vec<bool> = graph
            .at(id)
            .parameters
            .iter()
            .map(|parameter| !replaced.contains_key(parameter))
            .collect();
        graph.keep_parameters(id, &keep);
    }
    rewrite(graph, &|value| {
        let mut value = value;
        // Chains are as long as loops are deep.
        for _ in 0..replaced.len() + 1 {
            match replaced.get(&value) {
                Some(&by) => value = by,
                None => break,
            }
        }
        value
    });
    true
}
