//! Slots are not written that are written again before anybody looks.
//!
//! Exits say what is to be written when code leaves; what they do not name is looked at there.

use vm_def::ir::IntrinsicEffect;

use super::memory::{ALL_SLOTS, Addresses, slot_bit};
use crate::graph::{
    BlockId, Graph, Instruction, Operation, Place, SnapshotId, Table, Terminator, Type,
};

/// Takes such stores away.
pub fn run(graph: &mut Graph) {
    let order = graph.order();
    let mut blocks = order.iter().map(|id| graph.at(*id));
    if !blocks.any(|block| block.instructions.iter().any(is_store)) {
        return;
    }
    // What nobody needs looks at nothing.
    super::clean::remove_unused(graph);
    let addresses = Addresses::of(graph, &order);
    // By block: the slots that are looked at from its beginning on.
    let mut wanted: Table<BlockId, u128> = Table::with_room(graph.blocks.len());
    let mut changed = true;
    while changed {
        changed = false;
        for &id in order.iter().rev() {
            let mut slots = behind(graph, id, &wanted);
            for instruction in graph.at(id).instructions.iter().rev() {
                slots = before(graph, &addresses, &instruction.operation, slots);
            }
            changed |= wanted.slot(id).replace(slots) != Some(slots);
        }
    }
    for id in order {
        let mut slots = behind(graph, id, &wanted);
        let mut instructions = std::mem::take(&mut graph.at_mut(id).instructions);
        let mut is_kept = Vec::with_capacity(instructions.len());
        for instruction in instructions.iter().rev() {
            let keeps = !is_store(instruction) || slots & written(&instruction.operation) != 0;
            is_kept.push(keeps);
            if keeps {
                slots = before(graph, &addresses, &instruction.operation, slots);
            }
        }
        instructions.retain(|_| is_kept.pop().unwrap_or(true));
        graph.at_mut(id).instructions = instructions;
    }
}

fn is_store(instruction: &Instruction) -> bool {
    matches!(
        instruction.operation,
        Operation::Store(Place::Slot(_), _) | Operation::StoreTyped(Place::Slot(_), ..)
    )
}

/// The slot that is written as a whole.
fn written(operation: &Operation) -> u128 {
    match operation {
        Operation::Store(Place::Slot(slot), _)
        | Operation::StoreTyped(Place::Slot(slot), ..)
        | Operation::StoreString(Place::Slot(slot), _)
        | Operation::Copy(Place::Slot(slot), ..) => slot_bit(*slot),
        _ => 0,
    }
}

/// The slots that are looked at behind a block's instructions.
fn behind(graph: &Graph, id: BlockId, wanted: &Table<BlockId, u128>) -> u128 {
    let terminator = &graph.at(id).terminator;
    match terminator {
        Terminator::Leave(exit) | Terminator::Unseen(exit) => at_exit(graph, *exit),
        Terminator::Jump(_) | Terminator::Branch { .. } => {
            let targets = terminator.targets();
            targets.fold(0, |slots, target| {
                slots | wanted.get(target.block).copied().unwrap_or(0)
            })
        }
        Terminator::Follow(_) | Terminator::Helper(..) | Terminator::Switch { .. } => ALL_SLOTS,
    }
}

/// The slots that are looked at where code leaves.
fn at_exit(graph: &Graph, exit: SnapshotId) -> u128 {
    let slots = &graph.snapshots[exit.0 as usize].slots;
    let named = slots
        .iter()
        .fold(0, |named, (slot, _)| named | slot_bit(*slot));
    ALL_SLOTS & !own(named)
}

/// Without the bit that several slots share.
fn own(slots: u128) -> u128 {
    slots & !(1 << 127)
}

/// The slots that are looked at from an operation on, where these are behind it.
fn before(graph: &Graph, addresses: &Addresses, operation: &Operation, slots: u128) -> u128 {
    let mut slots = slots & !own(written(operation));
    if let Some(exit) = operation.snapshot() {
        slots |= at_exit(graph, exit);
    }
    let read = |place| addresses.read(&Operation::TypeWord(place)).slots();
    slots
        | match operation {
            Operation::Release(..) | Operation::Execute(..) => ALL_SLOTS,
            Operation::Intrinsic(intrinsic, _) if intrinsic.effect() != IntrinsicEffect::Pure => {
                ALL_SLOTS
            }
            Operation::Copy(_, from, _) => read(Place::At(*from)),
            Operation::Retain(place) | Operation::DropShare(place) => read(*place),
            Operation::Store(_, held) => match held.value() {
                // What is copied stands in memory.
                Some(value) if graph.type_of(value) == Type::Address => read(Place::At(value)),
                _ => 0,
            },
            other => addresses.read(other).slots(),
        }
}
