//! What calls and returns write to the heads of frames waits until somebody may look: an inlined call that
//! returns without that has written nothing.
//!
//! Writes wait within a block and in the blocks that it alone leads to. Exits carry what waits; whatever may
//! read it comes behind it. When a frame has been left ([`Operation::LeaveHead`]), what waits to be written to
//! its head is forgotten; and nothing is written that is there already, until something else is put where the head is:
//! the slots of another frame, or a head that begins a few slots beside.

use vm_def::ir::{BinaryOperation, Field, Structure, UnaryOperation};
use vm_runtime::frame::HEADER_SLOTS;
use vm_runtime::value::Zval;

use super::memory::{ALL_SLOTS, Addresses, Parts, field_parts, field_read, slot_bit};
use crate::graph::{
    BlockId, Graph, Instruction, Operation, Slot, Snapshot, SnapshotId, Table, Terminator, Value,
    Where, Write, Written,
};

/// Lets writes to the heads of frames wait.
pub fn run(graph: &mut Graph) {
    let order = graph.order();
    let marks =
        |instruction: &Instruction| matches!(instruction.operation, Operation::LeaveHead(_));
    let mut blocks = order.iter().map(|id| graph.at(*id));
    if !blocks.any(|block| block.instructions.iter().any(marks)) {
        return;
    }
    // What nobody needs any more reads nothing.
    super::clean::remove_unused(graph);
    let addresses = Addresses::of(graph, &order);
    let definitions = graph.definitions(&order);
    let counts = graph.predecessor_counts();
    let mut sinking = Sinking {
        addresses,
        definitions,
        at_start: Table::with_room(graph.blocks.len()),
        kept: Vec::new(),
    };
    for &id in &order {
        sinking.block(graph, id, &counts);
    }
}

/// A write that waits, with the values that it is made of.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    write: Write,
    base: Value,
    value: Value,
}

/// What is known at a place.
#[derive(Clone, Debug, Default)]
struct Known {
    waiting: Vec<Waiting>,
    /// What fields hold in memory.
    memory: Vec<(Field, Where, Written)>,
    /// Numbers that were found to be the same as an address.
    same: Vec<(Value, Written)>,
}

impl Known {
    /// What is known where a block begins to which several ways lead.
    fn at(graph: &Graph, id: BlockId) -> Known {
        let opline = graph.at(id).opline;
        let invariants = graph.invariants.iter();
        let own = invariants.rev().find(|(first, _)| *first <= opline);
        let memory = own.map(|(_, write)| (write.field, write.base, write.value));
        Known {
            memory: memory.into_iter().collect(),
            ..Known::default()
        }
    }

    /// Nobody looks at the head of a frame any more, nor at where its caller was: that goes on.
    fn leave(&mut self, head: Where) {
        let is = |waiting: &Waiting, name: &str, base: Where| {
            waiting.write.base == base && waiting.write.field.facts().name == name
        };
        let mut waiting = self.waiting.iter();
        let caller = waiting.find(|waiting| is(waiting, "previous", head));
        if let Some(Written::Where(caller)) = caller.map(|waiting| waiting.write.value) {
            self.waiting
                .retain(|waiting| !is(waiting, "opline", caller));
        }
        self.waiting.retain(|waiting| waiting.write.base != head);
    }
}

struct Sinking {
    addresses: Addresses,
    definitions: Table<Value, Operation>,
    at_start: Table<BlockId, Known>,
    /// Room for the instructions of a block that are kept.
    kept: Vec<Instruction>,
}

impl Sinking {
    /// Where an address leads, if that is known before the code runs.
    fn place(&self, address: Value) -> Option<Where> {
        match self.definitions.get(address)? {
            Operation::Frame => Some(Where::Frame),
            Operation::SlotAddress(slot) => Some(Where::Slot(*slot, 0)),
            Operation::Literal(address) => Some(Where::Address(*address)),
            Operation::Unary(
                UnaryOperation::PointerToLong | UnaryOperation::LongToPointer,
                address,
            ) => self.place(*address),
            Operation::Binary(BinaryOperation::AddLong, address, offset) => {
                match (self.place(*address)?, self.definitions.get(*offset)?) {
                    (Where::Slot(slot, before), Operation::Long(offset)) => {
                        let offset = i32::try_from(*offset).ok()?;
                        place_of_slot(slot, before.checked_add(offset)?)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn written(&self, value: Value, known: &Known) -> Written {
        if let Some((_, same)) = known.same.iter().find(|(number, _)| *number == value) {
            return *same;
        }
        if let Some(place) = self.place(value) {
            return Written::Where(place);
        }
        match self.definitions.get(value) {
            Some(Operation::Long(number)) => Written::Long(*number),
            _ => Written::Value(value),
        }
    }

    fn block(&mut self, graph: &mut Graph, id: BlockId, counts: &[u32]) {
        let waited = self.at_start.slot(id).take();
        let mut known = waited.unwrap_or_else(|| Known::at(graph, id));
        let mut instructions = std::mem::take(&mut graph.at_mut(id).instructions);
        let mut kept = std::mem::take(&mut self.kept);
        for mut instruction in instructions.drain(..) {
            if let Operation::LeaveHead(head) = instruction.operation {
                if let Some(head) = self.place(head) {
                    known.leave(head);
                }
                continue;
            }
            if let Operation::StoreField(field, base, value) = instruction.operation
                && self.wait(field, base, value, &mut known, &mut kept)
            {
                continue;
            }
            self.flush_for(&instruction.operation, &mut known, &mut kept);
            if let Some(snapshot) = instruction.operation.snapshot() {
                let snapshot = carrying(graph, snapshot, &known);
                instruction.operation = instruction.operation.with_snapshot(snapshot);
            }
            self.learn(&instruction, &mut known);
            kept.push(instruction);
        }
        let passes_on = {
            let targets = graph.at(id).terminator.targets();
            let mut targets = targets.map(|target| counts[target.block.0 as usize] == 1);
            targets.all(|alone| alone)
        };
        match graph.at(id).terminator {
            Terminator::Leave(snapshot) => {
                graph.at_mut(id).terminator = Terminator::Leave(carrying(graph, snapshot, &known));
            }
            Terminator::Unseen(snapshot) => {
                graph.at_mut(id).terminator = Terminator::Unseen(carrying(graph, snapshot, &known));
            }
            Terminator::Jump(_) | Terminator::Branch { .. } if passes_on => {}
            _ => flush(&mut known, &mut kept, |_| true),
        }
        let targets = graph.at(id).terminator.targets();
        let mut targets = targets
            .map(|target| target.block)
            .filter(|target| counts[target.0 as usize] == 1);
        let (first, second) = (targets.next(), targets.next());
        drop(targets);
        if let Some(second) = second {
            self.at_start.insert(second, known.clone());
        }
        if let Some(first) = first {
            self.at_start.insert(first, known);
        }
        graph.at_mut(id).instructions = kept;
        self.kept = instructions;
    }

    /// Lets a write wait. False if it has to be made now.
    fn wait(
        &self,
        field: Field,
        base: Value,
        value: Value,
        known: &mut Known,
        kept: &mut Vec<Instruction>,
    ) -> bool {
        if !matches!(field.facts().structure, Structure::Frame | Structure::Vm) {
            return false;
        }
        let Some(place) = self.place(base) else {
            return false;
        };
        let written = self.written(value, known);
        // Leaving has one register for what is written outside of frames.
        if let (Where::Address(_), Written::Value(_)) = (place, written) {
            flush(known, kept, |waiting| waiting.write.field == field);
            known.memory.retain(|(other, ..)| *other != field);
            return false;
        }
        known
            .waiting
            .retain(|waiting| (waiting.write.field, waiting.write.base) != (field, place));
        let slots = slots_of_head(place);
        known
            .memory
            .retain(|(_, base, _)| *base == place || slots_of_head(*base) & slots == 0);
        if known.memory.contains(&(field, place, written)) {
            return true;
        }
        let write = Write {
            field,
            base: place,
            value: written,
        };
        known.waiting.push(Waiting { write, base, value });
        true
    }

    /// Makes what an operation may read, or what it may write as well.
    fn flush_for(&self, operation: &Operation, known: &mut Known, kept: &mut Vec<Instruction>) {
        if known.waiting.is_empty() && known.memory.is_empty() {
            return;
        }
        let mut touched = self.addresses.read(operation);
        let written = self.addresses.written(operation);
        touched.add(&written);
        if touched == Parts::default() {
            return;
        }
        let only = match operation {
            Operation::LoadField(_, base) => self.place(*base),
            _ => None,
        };
        flush(known, kept, |waiting| {
            only.is_none_or(|place| place == waiting.write.base)
                && field_parts(waiting.write.field).meet(&touched)
        });
        if written == Parts::default() {
            return;
        }
        // A frame that is made somewhere may be made where others were.
        let makes_frame = matches!(operation, Operation::StoreField(field, base, _)
            if field.facts().structure == Structure::Frame && self.place(*base).is_none());
        let slots = if makes_frame {
            ALL_SLOTS
        } else {
            written.slots()
        };
        known.memory.retain(|(field, base, _)| {
            !field_read(*field).meet(&written) && slots_of_head(*base) & slots == 0
        });
    }

    fn learn(&self, instruction: &Instruction, known: &mut Known) {
        match (&instruction.operation, instruction.output) {
            (Operation::LoadField(field, base), Some(output)) => {
                if let Some(place) = self.place(*base) {
                    let written = self.written(output, known);
                    known.memory.push((*field, place, written));
                }
            }
            (Operation::Guard(condition, _), _) => {
                if let Some(Operation::Binary(BinaryOperation::EqLong, left, right)) =
                    self.definitions.get(*condition)
                    && let Some(place) = self.place(*right)
                {
                    let before = self.written(*left, known);
                    let same = Written::Where(place);
                    known.same.push((*left, same));
                    for (.., held) in &mut known.memory {
                        if *held == before {
                            *held = same;
                        }
                    }
                }
            }
            _ => {}
        }
    }
}

/// The place so many bytes behind the beginning of a slot: one place has one name.
fn place_of_slot(slot: Slot, offset: i32) -> Option<Where> {
    let size = size_of::<Zval>() as i32;
    let slots = u32::try_from(offset.div_euclid(size)).ok()?;
    Some(Where::Slot(
        Slot(slot.0.checked_add(slots)?),
        offset.rem_euclid(size),
    ))
}

/// The slots where a head is that begins there, as [`slot_bit`]s.
fn slots_of_head(place: Where) -> u128 {
    match place {
        Where::Slot(first, _) => {
            let slots = first.0..=first.0 + HEADER_SLOTS;
            slots.fold(0, |bits, slot| bits | slot_bit(Slot(slot)))
        }
        Where::Frame | Where::Address(_) => 0,
    }
}

/// Makes the writes that are chosen, in their order; they are in memory then.
fn flush(known: &mut Known, kept: &mut Vec<Instruction>, chosen: impl Fn(&Waiting) -> bool) {
    if !known.waiting.iter().any(&chosen) {
        return;
    }
    let mut left = Vec::new();
    for waiting in std::mem::take(&mut known.waiting) {
        if !chosen(&waiting) {
            left.push(waiting);
            continue;
        }
        let Write { field, base, value } = waiting.write;
        kept.push(Instruction {
            output: None,
            operation: Operation::StoreField(field, waiting.base, waiting.value),
        });
        known
            .memory
            .retain(|(other, place, _)| (*other, *place) != (field, base));
        known.memory.push((field, base, value));
    }
    known.waiting = left;
}

/// The snapshot with what waits.
fn carrying(graph: &mut Graph, snapshot: SnapshotId, known: &Known) -> SnapshotId {
    if known.waiting.is_empty() {
        return snapshot;
    }
    let before = &graph.snapshots[snapshot.0 as usize];
    let carrying = Snapshot {
        writes: known.waiting.iter().map(|waiting| waiting.write).collect(),
        ..before.clone()
    };
    graph.snapshot(carrying)
}
