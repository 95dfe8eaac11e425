//! What was computed, loaded or tested before is not again.
//!
//! Values are looked up along the dominator tree. What was read from memory holds for a block if
//! nothing on the ways from its dominator writes there; so what a loop does not change is read in
//! front of it only, if it was read there.

use hashbrown::HashMap;

use super::memory::{Addresses, Parts};
use super::rewrite;
use vm_def::ir::{Field, FieldKind, Intrinsic, Sequence, Structure};
use vm_runtime::function::Function;

use crate::graph::{
    BlockId, Dominators, Graph, Held, Instruction, Operation, Place, SnapshotId, Terminator, Value,
};

/// Replaces what is known by the value that is known, and removes tests whose answer is known.
pub fn run(graph: &mut Graph) {
    let order = graph.order();
    let dominators = Dominators::of(graph, &order);
    let addresses = Addresses::of(graph);
    let mut sharing = Sharing {
        writes: writes(graph, &order, &addresses),
        predecessors: predecessors(graph, &order),
        addresses,
        order: &order,
        replaced: HashMap::new(),
        constants: HashMap::new(),
    };
    let children = dominators.children();
    let mut stack = vec![(0, Known::default())];
    while let Some((position, known)) = stack.pop() {
        for &child in &children[position as usize] {
            let inside = sharing.enter(graph, position, child, &known);
            let inside = sharing.block(graph, child, inside);
            stack.push((child, inside));
        }
    }
    let replaced = sharing.replaced;
    rewrite(graph, &|value| {
        replaced.get(&value).copied().unwrap_or(value)
    });
}

/// What is known at the end of a block.
#[derive(Clone, Debug, Default)]
struct Known {
    /// Values by what computes them.
    values: HashMap<Operation, Value>,
    /// The same for what reads memory; a test that passed has no value.
    memory: HashMap<Operation, Option<Value>>,
    /// Truth values that are known.
    truths: HashMap<Value, bool>,
}

struct Sharing<'o> {
    /// What each block writes, by position in the order.
    writes: Vec<Parts>,
    /// By position; position 0 stands for the world outside.
    predecessors: Vec<Vec<u32>>,
    addresses: Addresses,
    order: &'o [BlockId],
    replaced: HashMap<Value, Value>,
    /// Integers and addresses that are known.
    constants: HashMap<Value, i64>,
}

/// So many variables are cleared one by one.
const MOST_CLEARED: i64 = 8;

fn writes(graph: &Graph, order: &[BlockId], addresses: &Addresses) -> Vec<Parts> {
    let mut writes = vec![Parts::default()];
    for &block in order {
        let mut parts = Parts::default();
        for instruction in &graph.at(block).instructions {
            parts.add(&addresses.written(&instruction.operation));
        }
        writes.push(parts);
    }
    writes
}

fn predecessors(graph: &Graph, order: &[BlockId]) -> Vec<Vec<u32>> {
    let positions: HashMap<BlockId, u32> = order
        .iter()
        .enumerate()
        .map(|(position, block)| (*block, position as u32 + 1))
        .collect();
    let mut predecessors = vec![Vec::new(); order.len() + 1];
    for (position, block) in order.iter().enumerate() {
        for target in graph.at(*block).terminator.targets() {
            predecessors[positions[&target.block] as usize].push(position as u32 + 1);
        }
    }
    for entry in &graph.entries {
        predecessors[positions[&entry.block] as usize].push(0);
    }
    predecessors
}

impl Sharing<'_> {
    /// What of the knowledge at the end of `parent` holds at the start of `child`.
    fn enter(&self, graph: &Graph, parent: u32, child: u32, known: &Known) -> Known {
        let mut inside = known.clone();
        if parent == 0 {
            return Known::default();
        }
        let written = self.written_between(parent, child);
        self.forget(&mut inside, &written);
        if let [only] = self.predecessors[child as usize].as_slice()
            && let Some(block) = only.checked_sub(1)
            && let Terminator::Branch {
                condition,
                then,
                otherwise,
            } = &graph.at(self.order[block as usize]).terminator
            && then.block != otherwise.block
        {
            let truth = then.block == self.order[child as usize - 1];
            let condition = self.current(*condition);
            inside.truths.insert(condition, truth);
        }
        inside
    }

    fn current(&self, value: Value) -> Value {
        self.replaced.get(&value).copied().unwrap_or(value)
    }

    /// What is written on the ways from the end of one block to the start of another that it
    /// dominates.
    fn written_between(&self, above: u32, below: u32) -> Parts {
        let mut parts = Parts::default();
        let mut seen = vec![false; self.writes.len()];
        let mut stack = self.predecessors[below as usize].clone();
        while let Some(block) = stack.pop() {
            if block == above || std::mem::replace(&mut seen[block as usize], true) {
                continue;
            }
            parts.add(&self.writes[block as usize]);
            stack.extend(&self.predecessors[block as usize]);
        }
        parts
    }

    fn forget(&self, known: &mut Known, written: &Parts) {
        if *written == Parts::default() {
            return;
        }
        let addresses = &self.addresses;
        known
            .memory
            .retain(|operation, _| !addresses.read(operation).meet(written));
    }

    fn block(&mut self, graph: &mut Graph, position: u32, mut known: Known) -> Known {
        let id = self.order[position as usize - 1];
        let mut kept = Vec::new();
        for mut instruction in std::mem::take(&mut graph.at_mut(id).instructions) {
            let replaced = &self.replaced;
            instruction
                .operation
                .map_operands(|value| replaced.get(&value).copied().unwrap_or(value));
            self.fold_function(&mut instruction.operation);
            if let (Operation::Long(value), Some(output)) =
                (&instruction.operation, instruction.output)
            {
                self.constants.insert(output, *value);
            }
            if self.is_known(&instruction.operation, instruction.output, &mut known) {
                continue;
            }
            if self.clear(graph, &instruction.operation, &mut known, &mut kept) {
                continue;
            }
            let written = self.addresses.written(&instruction.operation);
            self.forget(&mut known, &written);
            self.remember(&instruction, &mut known);
            kept.push(instruction);
        }
        graph.at_mut(id).instructions = kept;
        let terminator = &graph.at(id).terminator;
        if let Terminator::Branch {
            condition,
            then,
            otherwise,
        } = terminator
            && let Some(truth) = known.truths.get(&self.current(*condition))
        {
            let taken = if *truth { then } else { otherwise };
            graph.at_mut(id).terminator = Terminator::Jump(taken.clone());
        }
        known
    }

    /// Notes constants, and what a store leaves in a field.
    fn remember(&mut self, instruction: &Instruction, known: &mut Known) {
        match (&instruction.operation, instruction.output) {
            (Operation::Long(value), Some(output)) => {
                self.constants.insert(output, *value);
            }
            (Operation::Literal(address), Some(output)) => {
                self.constants.insert(output, *address as i64);
            }
            (Operation::StoreField(field, base, value), _) => {
                let fits = match field.facts().kind {
                    FieldKind::Word | FieldKind::Pointer(_) => true,
                    // What is read again has lost the upper half.
                    FieldKind::Unsigned => {
                        let constant = self.constants.get(value);
                        constant.is_some_and(|value| u32::try_from(*value).is_ok())
                    }
                    FieldKind::Bool | FieldKind::Value => false,
                };
                if fits {
                    let load = Operation::LoadField(*field, *base);
                    known.memory.insert(load, Some(*value));
                }
            }
            _ => {}
        }
    }

    /// Fields of a function that is known are read now: it does not change once it has been called.
    fn fold_function(&self, operation: &mut Operation) {
        let Operation::LoadField(field, base) = operation else {
            return;
        };
        let Some(&address) = self.constants.get(base) else {
            return;
        };
        if field.facts().structure != Structure::Function || address == 0 {
            return;
        }
        // SAFETY: I4: what fields of a function are read of is a function, and functions live.
        let function = unsafe { &*(address as *const Function) };
        *operation = match field.facts().name {
            "parameters" => Operation::Long(i64::from(function.parameter_count)),
            "variables" => Operation::Long(i64::from(function.variables)),
            "flags" => Operation::Long(i64::from(function.flags)),
            "cache" if !function.run_time_cache.is_null() => {
                Operation::Long(function.run_time_cache as i64)
            }
            "ops" if !function.run_time_cache.is_null() => Operation::Literal(function.ops as u64),
            _ => return,
        };
    }

    /// Clears the few variables of a frame of a known function one by one.
    fn clear(
        &mut self,
        graph: &mut Graph,
        operation: &Operation,
        known: &mut Known,
        kept: &mut Vec<Instruction>,
    ) -> bool {
        let Operation::Intrinsic(Intrinsic::ClearVariables, arguments) = operation else {
            return false;
        };
        let [frame, count] = arguments.as_slice() else {
            return false;
        };
        let load = Field::find(Structure::Frame, "function")
            .map(|field| Operation::LoadField(field, *frame));
        let function = load.and_then(|load| known.memory.get(&load).copied().flatten());
        let function = function.and_then(|value| self.constants.get(&value));
        let slots = Sequence::find(Structure::Frame, "slot");
        let (Some(&function), Some(&count), Some(slots)) =
            (function, self.constants.get(count), slots)
        else {
            return false;
        };
        // SAFETY: I4: as above.
        let variables = i64::from(unsafe { (*(function as *const Function)).variables });
        if variables - count > MOST_CLEARED {
            return false;
        }
        for variable in count..variables {
            let mut push = |operation: Operation| {
                let output = operation.result_type().map(|of| graph.value(of));
                kept.push(Instruction { output, operation });
                output
            };
            let Some(index) = push(Operation::Long(variable)) else {
                continue;
            };
            self.constants.insert(index, variable);
            if let Some(slot) = push(Operation::Element(slots, *frame, index)) {
                push(Operation::Store(Place::At(slot), Held::Undef));
            }
        }
        self.forget(known, &Parts::variables());
        true
    }

    /// Whether the operation can be left out; if not, what it tells is noted.
    fn is_known(
        &mut self,
        operation: &Operation,
        output: Option<Value>,
        known: &mut Known,
    ) -> bool {
        if let Operation::Guard(value, _) = operation {
            return known.truths.insert(*value, true) == Some(true);
        }
        let key = operation.clone().with_snapshot(SnapshotId(0));
        if operation.is_pure() || matches!(operation, Operation::Checked(..)) {
            let Some(output) = output else { return false };
            // A constant costs nothing where it is used.
            if let Some(&value) = known.values.get(&key) {
                self.replaced.insert(output, value);
                return true;
            }
            known.values.insert(key, output);
            return false;
        }
        if operation.has_effect() || matches!(operation, Operation::Poll(_)) {
            return false;
        }
        match known.memory.get(&key) {
            Some(&value) => {
                self.replaced.extend(output.zip(value));
                true
            }
            None => {
                known.memory.insert(key, output);
                false
            }
        }
    }
}
