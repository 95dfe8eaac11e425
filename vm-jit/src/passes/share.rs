//! What was computed, loaded or tested before is not again.
//!
//! Values are looked up along the dominator tree. What was read from memory holds for a block if
//! nothing on the ways from its dominator writes there; so what a loop does not change is read in
//! front of it only, if it was read there.

use hashbrown::HashMap;

use super::fold::Folder;
use super::left::{Answer, Left, key};
use super::memory::{Addresses, Parts};
use super::rewrite;
use vm_def::ir::{Field, FieldKind, Intrinsic, Sequence, Structure};

use crate::graph::{
    BlockId, Dominators, Graph, Held, Instruction, Operation, Place, Replacements, SnapshotId,
    Table, Terminator, Type, Value,
};

/// One part in so many of the ways that meet are many: if fewer fall, there is next to nothing left to be found by
/// looking again.
const MANY_WAYS: usize = 5;

/// Replaces what is known by the value that is known, folds what that makes constant, and removes tests whose answer
/// is known. If many ways that met others are never gone, more is known where they did.
pub fn run(graph: &mut Graph) {
    let order = graph.order();
    let meeting = ways_that_meet(graph, &order);
    if !run_once(graph, &order) {
        return;
    }
    let order = graph.order();
    let gone = meeting.saturating_sub(ways_that_meet(graph, &order));
    if gone > 0 && gone * MANY_WAYS >= meeting {
        run_once(graph, &order);
    }
}

/// How many ways lead to blocks besides the first one to each.
fn ways_that_meet(graph: &Graph, order: &[BlockId]) -> usize {
    let ways = order
        .iter()
        .map(|&block| graph.at(block).terminator.targets().count());
    (ways.sum::<usize>() + graph.entries.len()).saturating_sub(order.len())
}

/// Tells whether ways were found that are never gone.
fn run_once(graph: &mut Graph, order: &[BlockId]) -> bool {
    let addresses = Addresses::of(graph, order);
    let mut sharing = Sharing {
        writes: writes(graph, order, &addresses),
        dominators: Dominators::of(graph, order),
        addresses,
        order,
        replaced: Replacements::default(),
        known: Known::default(),
        folder: Folder::default(),
        falls: false,
        visits: vec![0; order.len() + 1],
        visit: 0,
        waiting: Vec::new(),
        kept: Vec::new(),
    };
    let children = sharing.dominators.children();
    let mut stack = vec![Step::Children(0)];
    while let Some(step) = stack.pop() {
        match step {
            Step::Children(position) => {
                for &child in children.of_one(position) {
                    stack.push(Step::Block(child, position));
                }
            }
            Step::Block(position, parent) => {
                stack.push(Step::Forget(sharing.known.enter()));
                sharing.enter(graph, parent, position);
                sharing.block(graph, position);
                stack.push(Step::Children(position));
            }
            Step::Forget(mark) => sharing.known.undo(mark),
        }
    }
    let (replaced, falls) = (sharing.replaced, sharing.falls);
    if !replaced.is_empty() {
        rewrite(graph, |value| replaced.current(value));
    }
    falls
}

/// What is to be done on the way through the dominator tree, by position.
enum Step {
    /// A block, below another one.
    Block(u32, u32),
    /// What is below a block.
    Children(u32),
    /// What became known since then holds no longer.
    Forget(Mark),
}

/// How much was known and written at a place.
#[derive(Clone, Copy)]
struct Mark {
    changes: usize,
    written: usize,
    joined: usize,
}

/// What was read from memory; a test that passed has no value.
#[derive(Clone, Copy, Debug)]
struct Read {
    value: Option<Value>,
    /// What was stored there, for [`key`].
    left: Option<Left>,
    parts: Parts,
    /// How much of what was written stands in front of it.
    written: u32,
}

/// What is known at a place.
#[derive(Debug, Default)]
struct Known {
    /// Values by what computes them.
    values: HashMap<Operation, Value>,
    /// The same for what reads memory, unless that was written since.
    memory: HashMap<Operation, Read>,
    /// What was written on the way here, in order. What is written after the last one joins that unless something
    /// was read in between, or ways have parted.
    written: Vec<Parts>,
    /// So many of them nothing joins.
    joined: usize,
    /// Truth values that are known.
    truths: Table<Value, bool>,
    /// What was changed on the way here.
    changes: Vec<Change>,
}

/// A change of what is known, and what was known before.
#[derive(Debug)]
enum Change {
    Value(Operation),
    Memory(Operation, Option<Read>),
    Truth(Value, Option<bool>),
}

impl Known {
    fn add_value(&mut self, operation: Operation, value: Value) {
        self.values.insert(operation, value);
        self.changes.push(Change::Value(operation));
    }

    fn add_read(&mut self, operation: Operation, value: Option<Value>, parts: Parts) {
        self.add(operation, value, None, parts);
    }

    fn add_left(&mut self, place: Place, left: Left, parts: Parts) {
        self.add(key(place), None, Some(left), parts);
    }

    fn add(
        &mut self,
        operation: Operation,
        value: Option<Value>,
        left: Option<Left>,
        parts: Parts,
    ) {
        self.joined = self.written.len();
        let written = self.written.len() as u32;
        let read = Read {
            value,
            left,
            parts,
            written,
        };
        let before = self.memory.insert(operation, read);
        self.changes.push(Change::Memory(operation, before));
    }

    /// What was read and is there still.
    fn read(&self, operation: &Operation) -> Option<&Read> {
        let read = self.memory.get(operation)?;
        let mut since = self.written[read.written as usize..].iter();
        (!since.any(|written| written.meet(&read.parts))).then_some(read)
    }

    /// Notes a truth value; tells what was known of it.
    fn add_truth(&mut self, value: Value, truth: bool) -> Option<bool> {
        let before = self.truths.slot(value).replace(truth);
        if before != Some(truth) {
            self.changes.push(Change::Truth(value, before));
        }
        before
    }

    /// Notes what may have been written.
    fn write(&mut self, parts: &Parts) {
        if *parts == Parts::default() {
            return;
        }
        match self.written[self.joined..].last_mut() {
            Some(last) => last.add(parts),
            None => self.written.push(*parts),
        }
    }

    /// Ways part here.
    fn enter(&mut self) -> Mark {
        let mark = Mark {
            changes: self.changes.len(),
            written: self.written.len(),
            joined: self.joined,
        };
        self.joined = self.written.len();
        mark
    }

    /// Goes back to where ways parted.
    fn undo(&mut self, mark: Mark) {
        self.written.truncate(mark.written);
        self.joined = mark.joined;
        for change in self.changes.drain(mark.changes..).rev() {
            match change {
                Change::Value(operation) => {
                    self.values.remove(&operation);
                }
                Change::Memory(operation, Some(read)) => {
                    self.memory.insert(operation, read);
                }
                Change::Memory(operation, None) => {
                    self.memory.remove(&operation);
                }
                Change::Truth(value, before) => *self.truths.slot(value) = before,
            }
        }
    }
}

struct Sharing<'o> {
    /// What each block writes, by position in the order.
    writes: Vec<Parts>,
    dominators: Dominators,
    addresses: Addresses,
    order: &'o [BlockId],
    replaced: Replacements,
    /// What is known where the walk is.
    known: Known,
    folder: Folder,
    /// There are ways that are never gone.
    falls: bool,
    /// By position: the last search that came there.
    visits: Vec<u32>,
    visit: u32,
    /// Where that search goes on.
    waiting: Vec<u32>,
    /// Room for the instructions of a block that are kept.
    kept: Vec<Instruction>,
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

impl Sharing<'_> {
    /// Keeps what holds at the start of a block of what is known at the end of the one above it.
    fn enter(&mut self, graph: &Graph, above: u32, position: u32) {
        if above == 0 {
            return;
        }
        let written = self.written_between(above, position);
        self.known.write(&written);
        if let [only] = self.dominators.predecessors(position)
            && let Some(block) = only.checked_sub(1)
            && let Terminator::Branch {
                condition,
                then,
                otherwise,
            } = &graph.at(self.order[block as usize]).terminator
            && then.block != otherwise.block
        {
            let truth = then.block == self.order[position as usize - 1];
            let condition = self.replaced.current(*condition);
            self.known.add_truth(condition, truth);
        }
    }

    /// What is written on the ways from the end of one block to the start of another that it
    /// dominates.
    fn written_between(&mut self, above: u32, below: u32) -> Parts {
        let mut parts = Parts::default();
        if self.dominators.predecessors(below) == [above] {
            return parts;
        }
        self.visit += 1;
        self.waiting.extend(self.dominators.predecessors(below));
        while let Some(block) = self.waiting.pop() {
            let visited = std::mem::replace(&mut self.visits[block as usize], self.visit);
            if block == above || visited == self.visit {
                continue;
            }
            parts.add(&self.writes[block as usize]);
            self.waiting.extend(self.dominators.predecessors(block));
        }
        parts
    }

    fn block(&mut self, graph: &mut Graph, position: u32) {
        let id = self.order[position as usize - 1];
        let mut instructions = std::mem::take(&mut graph.at_mut(id).instructions);
        let mut kept = std::mem::take(&mut self.kept);
        kept.reserve(instructions.len());
        for mut instruction in instructions.drain(..) {
            let replaced = &self.replaced;
            instruction
                .operation
                .map_operands(|value| replaced.current(value));
            if self.is_left(&mut instruction) {
                continue;
            }
            let folder = &mut self.folder;
            if folder.replaces(graph, &mut instruction, &mut self.replaced) {
                continue;
            }
            if self.is_known(graph, &instruction.operation, instruction.output) {
                continue;
            }
            if self.clear(graph, &instruction.operation, &mut kept) {
                continue;
            }
            let written = self.addresses.written(&instruction.operation);
            self.known.write(&written);
            self.remember(graph, &instruction);
            kept.push(instruction);
        }
        self.kept = instructions;
        graph.at_mut(id).instructions = kept;
        let Terminator::Branch {
            condition,
            then,
            otherwise,
        } = &graph.at(id).terminator
        else {
            return;
        };
        if let Some(truth) = self.truth(graph, self.replaced.current(*condition)) {
            let taken = if truth { then } else { otherwise };
            graph.at_mut(id).terminator = Terminator::Jump(taken.clone());
            self.falls = true;
        }
    }

    /// Answers what looks at a place by what a store left there. Tells whether it can be left out.
    fn is_left(&mut self, instruction: &mut Instruction) -> bool {
        let operation = &instruction.operation;
        let answer = match *operation {
            Operation::Copy(place, from, retains) => {
                let from = self.addresses.slot(from).map(Place::Slot);
                let stored = |left: Left| left.stored_in(place, retains);
                let stored = from.and_then(|from| self.left(from).and_then(stored));
                stored.map(Answer::Operation)
            }
            _ => operation
                .place()
                .and_then(|place| self.left(place)?.answer(operation)),
        };
        match answer {
            Some(Answer::Passes) => true,
            Some(Answer::Value(value)) => {
                if let Some(output) = instruction.output {
                    self.replaced.insert(output, value);
                }
                true
            }
            Some(Answer::Operation(answer)) => {
                instruction.operation = answer;
                false
            }
            None => false,
        }
    }

    /// What a store left in a place.
    fn left(&self, place: Place) -> Option<Left> {
        self.known.read(&key(place))?.left
    }

    /// Notes what a store leaves in a field or a place.
    fn remember(&mut self, graph: &Graph, instruction: &Instruction) {
        if let Some((place, left)) = Left::by(&instruction.operation) {
            let parts = self.addresses.place(place);
            self.known.add_left(place, left, parts);
        }
        match (&instruction.operation, instruction.output) {
            (Operation::StoreField(field, base, value), _) => {
                let fits = match field.facts().kind {
                    FieldKind::Word | FieldKind::Pointer(_) => true,
                    // What is read again has lost the upper half.
                    FieldKind::Unsigned => {
                        let constant = graph.long(*value);
                        constant.is_some_and(|value| u32::try_from(value).is_ok())
                    }
                    FieldKind::Bool | FieldKind::Byte | FieldKind::Value => false,
                };
                if fits {
                    let load = Operation::LoadField(*field, *base);
                    let value = Some(*value);
                    let parts = self.addresses.read(&load);
                    self.known.add_read(load, value, parts);
                }
            }
            (Operation::Intrinsic(Intrinsic::NewObject, arguments), Some(object)) => {
                if let (&[_, class], Some(field)) = (
                    arguments.as_slice(),
                    Field::find(Structure::Object, "class"),
                ) {
                    let load = Operation::LoadField(field, object);
                    let parts = self.addresses.read(&load);
                    self.known.add_read(load, Some(class), parts);
                }
            }
            _ => {}
        }
    }

    /// The truth value that is known where the walk is.
    fn truth(&self, graph: &Graph, value: Value) -> Option<bool> {
        let known = graph.truth(value);
        known.or_else(|| self.known.truths.get(value).copied())
    }

    /// Clears the few variables of a frame of a known function one by one.
    fn clear(
        &mut self,
        graph: &mut Graph,
        operation: &Operation,
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
        let function = load.and_then(|load| self.known.read(&load)?.value);
        let function = function.and_then(|value| graph.address(value));
        let slots = Sequence::find(Structure::Frame, "slot");
        let (Some(function), Some(count), Some(slots)) = (function, graph.long(*count), slots)
        else {
            return false;
        };
        let field = Field::find(Structure::Function, "variables");
        let fact = field.and_then(|field| graph.fact(field, function));
        let Some(Operation::Long(variables)) = fact else {
            return false;
        };
        if variables - count > MOST_CLEARED {
            return false;
        }
        for variable in count..variables {
            let index = graph.constant(Operation::Long(variable));
            let slot = graph.value(Type::Address);
            kept.push(Instruction {
                output: Some(slot),
                operation: Operation::Element(slots, *frame, index),
            });
            kept.push(Instruction {
                output: None,
                operation: Operation::Store(Place::At(slot), Held::Undef),
            });
        }
        self.known.write(&Parts::variables());
        true
    }

    /// Whether the operation can be left out; if not, what it tells is noted.
    fn is_known(&mut self, graph: &Graph, operation: &Operation, output: Option<Value>) -> bool {
        if let Operation::Guard(value, _) = operation {
            if graph.truth(*value) == Some(true) {
                return true;
            }
            return self.known.add_truth(*value, true) == Some(true);
        }
        let key = operation.with_snapshot(SnapshotId(0));
        if operation.is_pure() || matches!(operation, Operation::Checked(..)) {
            let Some(output) = output else { return false };
            if let Some(&value) = self.known.values.get(&key) {
                self.replaced.insert(output, value);
                return true;
            }
            self.known.add_value(key, output);
            return false;
        }
        if operation.has_effect() || matches!(operation, Operation::Poll(..) | Operation::Loop(_)) {
            return false;
        }
        match self.known.read(&key) {
            Some(read) => {
                if let (Some(output), Some(value)) = (output, read.value) {
                    self.replaced.insert(output, value);
                }
                true
            }
            None => {
                let parts = self.addresses.read(operation);
                self.known.add_read(key, output, parts);
                false
            }
        }
    }
}
