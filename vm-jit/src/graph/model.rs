//! The data types of a graph.

use vm_def::ir::{
    BinaryOperation, Field, Intrinsic, IntrinsicEffect, Output, OverflowOperation, Representation,
    Sequence, UnaryOperation,
};
use vm_def::types::TypeMask;

use super::constants::Constants;

/// A value: defined once, by an instruction or as a parameter of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// The index of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// The index of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SnapshotId(pub u32);

/// The number of a slot of the frame: variables first, then temporaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

/// What a value is, outside of any slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A 64-bit integer.
    Long,
    /// A 64-bit float.
    Double,
    /// A truth value.
    Bool,
    /// The address of a slot, a literal or a structure of the runtime.
    Address,
}

/// What a slot holds, as far as compiled code has it: in a register or as a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Held {
    /// An integer.
    Long(Value),
    /// A float.
    Double(Value),
    /// A truth value.
    Bool(Value),
    /// `null`
    Null,
    /// No value: the variable is not set.
    Undef,
    /// A copy of the value at this address, outside of frames, with a share of its own.
    Copied(Value),
    /// A value that is known and not counted.
    Constant(Constant),
}

/// A value that is known before the code runs, stays as long as the code, and is not counted: a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constant {
    /// Where it stands.
    pub address: u64,
    /// Its type word.
    pub word: u32,
    /// Its payload.
    pub payload: u64,
}

/// A slot that an instruction looks at or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A slot of the frame.
    Slot(Slot),
    /// Where this address leads.
    At(Value),
}

/// The state that the interpreter needs to go on: which opline, and which slots of the frame have
/// to be written first. All others are in the frame already.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The number of the opline to go on with; it has had no effect yet.
    pub opline: u32,
    /// What to write.
    pub slots: Vec<(Slot, Held)>,
    /// What to write elsewhere.
    pub writes: Vec<Write>,
}

/// A field that has yet to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Write {
    /// The field.
    pub field: Field,
    /// Of what.
    pub base: Where,
    /// What is written.
    pub value: Written,
}

/// An address that is known before the code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Where {
    /// The frame.
    Frame,
    /// So many bytes behind the start of a slot of the frame.
    Slot(Slot, i32),
    /// This one.
    Address(u64),
}

/// What is written to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Written {
    /// An address.
    Where(Where),
    /// An integer.
    Long(i64),
    /// An integer or an address.
    Value(Value),
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instruction {
    /// The value that it defines.
    pub output: Option<Value>,
    /// What it does.
    pub operation: Operation,
}

/// The arguments of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arguments {
    count: u8,
    values: [Value; MOST_ARGUMENTS],
}

/// Functions of the runtime have no more arguments.
pub const MOST_ARGUMENTS: usize = 5;

const _: () = {
    let mut number = 0;
    while number < Intrinsic::ALL.len() {
        assert!(Intrinsic::ALL[number].arguments().len() <= MOST_ARGUMENTS);
        number += 1;
    }
};

impl Arguments {
    /// The arguments; None if there are too many.
    pub fn new(given: &[Value]) -> Option<Arguments> {
        let mut values = [Value(0); MOST_ARGUMENTS];
        values.get_mut(..given.len())?.copy_from_slice(given);
        let count = given.len() as u8;
        Some(Arguments { count, values })
    }

    /// The arguments.
    pub fn as_slice(&self) -> &[Value] {
        &self.values[..usize::from(self.count)]
    }

    fn as_mut_slice(&mut self) -> &mut [Value] {
        &mut self.values[..usize::from(self.count)]
    }
}

/// What an instruction does. Those with a snapshot leave for the interpreter if their condition
/// does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// An integer.
    Long(i64),
    /// A float, by its bits.
    Double(u64),
    /// A truth value.
    Bool(bool),
    /// The address of something that stays where it is: a literal, an opline, the VM.
    Literal(u64),
    /// The address of the frame.
    Frame,
    /// The address of a slot.
    SlotAddress(Slot),
    /// The address of the VM's interrupt word.
    Interrupt,
    /// The address, or that of the value in the reference that stands there.
    Deref(Value),
    /// One operand.
    Unary(UnaryOperation, Value),
    /// Two operands.
    Binary(BinaryOperation, Value, Value),
    /// An integer operation that leaves if it overflows.
    Checked(OverflowOperation, Value, Value, SnapshotId),
    /// A function of the runtime; one that may refuse gives a null pointer.
    Intrinsic(Intrinsic, Arguments),
    /// The payload of a slot whose type is known.
    Load(Place, Type),
    /// The type word of a slot.
    TypeWord(Place),
    /// Whether the slot's type is in the set.
    IsType(Place, TypeMask),
    /// Whether a share of what the slot holds can be given back without a word: others keep it and the collector knows
    /// of it, or it is not counted.
    IsKept(Place),
    /// Reads a field.
    LoadField(Field, Value),
    /// Writes a field.
    StoreField(Field, Value, Value),
    /// The frame whose head is at an address has been left: nobody looks at the head any more.
    LeaveHead(Value),
    /// Reads a word at so many bytes from an address.
    LoadWord(Value, u32, Type),
    /// The address of the element at an index.
    Element(Sequence, Value, Value),
    /// Writes a slot; what it held is not released.
    Store(Place, Held),
    /// As `Store`, a payload with this type word.
    StoreTyped(Place, u32, Value),
    /// Writes a string into a slot, with one more owner if it is counted.
    StoreString(Place, Value),
    /// Copies the value at an address into a slot; with one more owner, if it says so.
    Copy(Place, Value, bool),
    /// One more owner of what the slot holds, if it is counted.
    Retain(Place),
    /// One owner less of what the slot holds, if it is counted; not the last one.
    DropShare(Place),
    /// One owner less of what the slot holds, which is destroyed if that was the last; that may run
    /// code of the script. A value that was no temporary is noted for the collector.
    Release(Place, Released),
    /// Executes an opline by its slow path, the function at this address: everything is in the frame.
    /// Gives the opline to go on with, in the VM's current frame.
    Execute(u32, u64),
    /// Leaves unless the slot's type is in the set.
    GuardType(Place, TypeMask, SnapshotId),
    /// Leaves if the slot holds something counted.
    GuardUncounted(Place, SnapshotId),
    /// Leaves unless the value is true.
    Guard(Value, SnapshotId),
    /// Unless the value is the address of an opline, which comes second, the interpreter goes on with the opline that is
    /// so many behind the value, in the VM's current frame: everything is in memory.
    Onward(Value, u64, u32),
    /// Leaves if the interrupt word, which is at this address, is set.
    Poll(Value, SnapshotId),
    /// A loop begins here; what it tests may be tested in front of it, where this is how to leave.
    Loop(SnapshotId),
}

/// What is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Released {
    /// A temporary that was consumed.
    Temporary,
    /// A value that others may share.
    Shared,
}

/// A way to a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Where it leads.
    pub block: BlockId,
    /// A value for each parameter.
    pub arguments: Vec<Value>,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Terminator {
    /// One way on.
    Jump(Target),
    /// Two ways on.
    Branch {
        /// Decides.
        condition: Value,
        /// If it is true.
        then: Target,
        /// If it is false.
        otherwise: Target,
    },
    /// The interpreter goes on.
    Leave(SnapshotId),
    /// As `Leave`, where nobody has seen execution go: it is counted.
    Unseen(SnapshotId),
    /// The interpreter goes on with this opline in the VM's current frame: everything is in memory.
    Follow(Value),
    /// A helper of the definitions goes on, by its address.
    Helper(u64, SnapshotId),
    /// Another frame becomes the current one; what the snapshot names is written to this one
    /// first.
    Switch {
        /// The frame.
        frame: Value,
        /// The opline to go on with there.
        opline: Value,
        /// What to write.
        snapshot: SnapshotId,
    },
}

/// So many instructions a block has room for from the first one on.
const USUAL_LENGTH: usize = 12;

/// Straight code.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Values that the way here provides.
    pub parameters: Vec<Value>,
    /// The instructions.
    pub instructions: Vec<Instruction>,
    /// The end.
    pub terminator: Terminator,
    /// The opline whose code begins here.
    pub opline: u32,
}

/// A place where the interpreter enters: the frame holds everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The opline.
    pub opline: u32,
    /// The block; nothing else leads there.
    pub block: BlockId,
}

/// The code of a function.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Graph {
    /// The type of each value.
    pub types: Vec<Type>,
    /// What stands outside of blocks.
    pub constants: Constants,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The snapshots.
    pub snapshots: Vec<Snapshot>,
    /// The ways in.
    pub entries: Vec<Entry>,
    /// What every block finds in memory whose opline is this one or follows it, up to the next one here.
    pub invariants: Vec<(u32, Write)>,
    /// What fields hold for good whose address is known: what was read of functions when translating.
    pub facts: Vec<Write>,
}

impl Held {
    /// The value, if it is not a constant.
    pub fn value(self) -> Option<Value> {
        match self {
            Held::Long(value) | Held::Double(value) | Held::Bool(value) | Held::Copied(value) => {
                Some(value)
            }
            Held::Null | Held::Undef | Held::Constant(_) => None,
        }
    }

    /// The same with another value.
    pub fn with(self, value: Value) -> Held {
        match self {
            Held::Long(_) => Held::Long(value),
            Held::Double(_) => Held::Double(value),
            Held::Bool(_) => Held::Bool(value),
            Held::Copied(_) => Held::Copied(value),
            constant => constant,
        }
    }

    /// The types that the slot may have then.
    pub fn types(self) -> TypeMask {
        match self {
            Held::Long(_) => TypeMask::LONG,
            Held::Double(_) => TypeMask::DOUBLE,
            Held::Bool(_) => TypeMask::BOOL,
            Held::Null => TypeMask::NULL,
            Held::Undef => TypeMask::UNDEF,
            Held::Copied(_) => TypeMask::ANY,
            Held::Constant(constant) => TypeMask(1 << (constant.word & 255)),
        }
    }
}

impl Operation {
    /// Calls `visit` with each operand; snapshots are not looked at.
    pub fn for_operands(&self, mut visit: impl FnMut(Value)) {
        let mut copy = *self;
        copy.map_operands(|value| {
            visit(value);
            value
        });
    }

    /// Replaces each operand; snapshots are not looked at.
    pub fn map_operands(&mut self, mut map: impl FnMut(Value) -> Value) {
        if let Some(Place::At(value)) = self.place_mut() {
            *value = map(*value);
        }
        match self {
            Operation::Unary(_, value)
            | Operation::Guard(value, _)
            | Operation::Onward(value, ..)
            | Operation::Poll(value, _)
            | Operation::Deref(value)
            | Operation::LoadField(_, value)
            | Operation::LeaveHead(value)
            | Operation::LoadWord(value, ..)
            | Operation::StoreTyped(_, _, value)
            | Operation::StoreString(_, value)
            | Operation::Copy(_, value, _) => *value = map(*value),
            Operation::Binary(_, left, right)
            | Operation::Checked(_, left, right, _)
            | Operation::StoreField(_, left, right)
            | Operation::Element(_, left, right) => {
                *left = map(*left);
                *right = map(*right);
            }
            Operation::Intrinsic(_, arguments) => {
                for argument in arguments.as_mut_slice() {
                    *argument = map(*argument);
                }
            }
            Operation::Store(_, held) => {
                if let Some(value) = held.value() {
                    *held = held.with(map(value));
                }
            }
            _ => {}
        }
    }

    /// The slot that it looks at or writes, if it does.
    pub fn place(&self) -> Option<Place> {
        let mut copy = *self;
        copy.place_mut().copied()
    }

    fn place_mut(&mut self) -> Option<&mut Place> {
        match self {
            Operation::Load(place, _)
            | Operation::TypeWord(place)
            | Operation::IsType(place, _)
            | Operation::IsKept(place)
            | Operation::Store(place, _)
            | Operation::StoreTyped(place, ..)
            | Operation::StoreString(place, _)
            | Operation::Copy(place, ..)
            | Operation::Retain(place)
            | Operation::DropShare(place)
            | Operation::Release(place, _)
            | Operation::GuardType(place, ..)
            | Operation::GuardUncounted(place, _) => Some(place),
            _ => None,
        }
    }

    /// Where it leaves, if it may.
    pub fn snapshot(&self) -> Option<SnapshotId> {
        match self {
            Operation::Checked(.., snapshot)
            | Operation::GuardType(_, _, snapshot)
            | Operation::GuardUncounted(_, snapshot)
            | Operation::Guard(_, snapshot)
            | Operation::Poll(_, snapshot)
            | Operation::Loop(snapshot) => Some(*snapshot),
            _ => None,
        }
    }

    /// The same with another snapshot, if it has one.
    pub fn with_snapshot(mut self, other: SnapshotId) -> Operation {
        match &mut self {
            Operation::Checked(.., snapshot)
            | Operation::GuardType(_, _, snapshot)
            | Operation::GuardUncounted(_, snapshot)
            | Operation::Guard(_, snapshot)
            | Operation::Poll(_, snapshot)
            | Operation::Loop(snapshot) => *snapshot = other,
            _ => {}
        }
        self
    }

    /// Whether it changes memory, or may.
    pub fn has_effect(&self) -> bool {
        match self {
            Operation::Store(..)
            | Operation::StoreTyped(..)
            | Operation::StoreString(..)
            | Operation::Copy(..)
            | Operation::Retain(_)
            | Operation::DropShare(_)
            | Operation::Release(..)
            | Operation::Execute(..)
            | Operation::LeaveHead(_)
            | Operation::StoreField(..) => true,
            Operation::Intrinsic(intrinsic, _) => intrinsic.effect() != IntrinsicEffect::Pure,
            _ => false,
        }
    }

    /// Whether it can be left out if nobody wants its value.
    pub fn is_removable(&self) -> bool {
        self.snapshot().is_none() && !self.has_effect() && self.result_type().is_some()
    }

    /// Whether it gives the same wherever it stands: it reads nothing but its operands.
    pub fn is_pure(&self) -> bool {
        self.is_constant()
            || matches!(
                self,
                Operation::Unary(..) | Operation::Binary(..) | Operation::Interrupt
            )
    }

    /// Whether its value is known before the code runs, or costs nothing where it is used.
    pub fn is_constant(&self) -> bool {
        matches!(
            self,
            Operation::Long(_)
                | Operation::Double(_)
                | Operation::Bool(_)
                | Operation::Literal(_)
                | Operation::Frame
                | Operation::SlotAddress(_)
        )
    }

    /// The type of its value, if it has one.
    pub fn result_type(&self) -> Option<Type> {
        Some(match self {
            Operation::Long(_) | Operation::Checked(..) | Operation::TypeWord(_) => Type::Long,
            Operation::Double(_) => Type::Double,
            Operation::Bool(_) | Operation::IsType(..) | Operation::IsKept(_) => Type::Bool,
            Operation::Literal(_)
            | Operation::Frame
            | Operation::SlotAddress(_)
            | Operation::Interrupt
            | Operation::Deref(_)
            | Operation::Execute(..)
            | Operation::Element(..) => Type::Address,
            Operation::Unary(operation, _) => match operation {
                UnaryOperation::NegateLong
                | UnaryOperation::NotLong
                | UnaryOperation::PointerToLong
                | UnaryOperation::BoolToLong => Type::Long,
                UnaryOperation::NegateDouble | UnaryOperation::LongToDouble => Type::Double,
                UnaryOperation::NotBool | UnaryOperation::IsNull => Type::Bool,
                UnaryOperation::LongToPointer => Type::Address,
            },
            Operation::Binary(operation, ..) => Type::of(operation.signature().1),
            Operation::Intrinsic(intrinsic, _) => match intrinsic.output() {
                Output::Nothing => return None,
                Output::Plain(representation) => Type::of(representation),
                Output::Slot | Output::To(_) => Type::Address,
            },
            Operation::Load(_, result) | Operation::LoadWord(_, _, result) => *result,
            Operation::LoadField(field, _) => Type::of(field.facts().kind.representation()),
            Operation::Store(..)
            | Operation::StoreTyped(..)
            | Operation::StoreString(..)
            | Operation::StoreField(..)
            | Operation::LeaveHead(_)
            | Operation::Copy(..)
            | Operation::Retain(_)
            | Operation::DropShare(_)
            | Operation::Release(..)
            | Operation::GuardType(..)
            | Operation::GuardUncounted(..)
            | Operation::Guard(..)
            | Operation::Onward(..)
            | Operation::Poll(..)
            | Operation::Loop(_) => return None,
        })
    }
}

impl Type {
    /// The type of what is held so outside of a slot.
    pub fn of(representation: Representation) -> Type {
        match representation {
            Representation::Long => Type::Long,
            Representation::Double => Type::Double,
            Representation::Bool => Type::Bool,
            Representation::Boxed | Representation::Pointer => Type::Address,
        }
    }
}

impl Terminator {
    /// The way to a block without parameters.
    pub fn jump(block: BlockId) -> Terminator {
        Terminator::Jump(Target {
            block,
            arguments: Vec::new(),
        })
    }

    /// A choice between blocks without parameters.
    pub fn branch(condition: Value, then: BlockId, otherwise: BlockId) -> Terminator {
        let to = |block| Target {
            block,
            arguments: Vec::new(),
        };
        Terminator::Branch {
            condition,
            then: to(then),
            otherwise: to(otherwise),
        }
    }

    /// Calls `visit` with each value that it uses itself, arguments and snapshots aside.
    pub fn for_operands(&self, mut visit: impl FnMut(Value)) {
        match self {
            Terminator::Branch { condition, .. } => visit(*condition),
            Terminator::Follow(opline) => visit(*opline),
            Terminator::Switch { frame, opline, .. } => {
                visit(*frame);
                visit(*opline);
            }
            Terminator::Jump(_)
            | Terminator::Leave(_)
            | Terminator::Unseen(_)
            | Terminator::Helper(..) => {}
        }
    }

    /// Replaces each value that it uses itself, arguments and snapshots aside.
    pub fn map_operands(&mut self, mut map: impl FnMut(Value) -> Value) {
        match self {
            Terminator::Branch { condition, .. } => *condition = map(*condition),
            Terminator::Follow(opline) => *opline = map(*opline),
            Terminator::Switch { frame, opline, .. } => {
                *frame = map(*frame);
                *opline = map(*opline);
            }
            Terminator::Jump(_)
            | Terminator::Leave(_)
            | Terminator::Unseen(_)
            | Terminator::Helper(..) => {}
        }
    }

    /// Where it leaves, if it does.
    pub fn snapshot(&self) -> Option<SnapshotId> {
        match self {
            Terminator::Leave(snapshot)
            | Terminator::Unseen(snapshot)
            | Terminator::Helper(_, snapshot)
            | Terminator::Switch { snapshot, .. } => Some(*snapshot),
            Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Follow(_) => None,
        }
    }

    /// The ways on.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        let (first, second) = match self {
            Terminator::Jump(target) => (Some(target), None),
            Terminator::Branch {
                then, otherwise, ..
            } => (Some(then), Some(otherwise)),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// Where the ways on lead.
    fn ways(&self) -> [Option<BlockId>; 2] {
        match self {
            Terminator::Jump(target) => [Some(target.block), None],
            Terminator::Branch {
                then, otherwise, ..
            } => [Some(then.block), Some(otherwise.block)],
            _ => [None, None],
        }
    }

    /// The ways on, to be changed.
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut Target> {
        let (first, second) = match self {
            Terminator::Jump(target) => (Some(target), None),
            Terminator::Branch {
                then, otherwise, ..
            } => (Some(then), Some(otherwise)),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }
}

impl Graph {
    /// A new value.
    pub fn value(&mut self, of: Type) -> Value {
        self.types.push(of);
        Value(self.types.len() as u32 - 1)
    }

    /// A new block, which has no end yet.
    pub fn block(&mut self, opline: u32) -> BlockId {
        self.blocks.push(Block {
            parameters: Vec::new(),
            instructions: Vec::new(),
            terminator: Terminator::Leave(SnapshotId(u32::MAX)),
            opline,
        });
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// Adds an instruction, unless it is a constant, and gives its value, if it has one.
    pub fn push(&mut self, block: BlockId, operation: Operation) -> Option<Value> {
        if operation.is_constant() {
            return Some(self.constant(operation));
        }
        let output = operation.result_type().map(|of| self.value(of));
        let instructions = &mut self.blocks[block.0 as usize].instructions;
        if instructions.capacity() == 0 {
            instructions.reserve(USUAL_LENGTH);
        }
        instructions.push(Instruction { output, operation });
        output
    }

    /// Adds a snapshot.
    pub fn snapshot(&mut self, snapshot: Snapshot) -> SnapshotId {
        self.snapshots.push(snapshot);
        SnapshotId(self.snapshots.len() as u32 - 1)
    }

    /// What the field at an address holds for good, if that is known.
    pub fn fact(&self, field: Field, address: u64) -> Option<Operation> {
        let base = Where::Address(address);
        let mut facts = self.facts.iter();
        let fact = facts.find(|fact| fact.base == base && fact.field == field)?;
        let Written::Long(value) = fact.value else {
            return None;
        };
        Some(match Type::of(field.facts().kind.representation()) {
            Type::Bool => Operation::Bool(value != 0),
            Type::Address => Operation::Literal(value as u64),
            Type::Long | Type::Double => Operation::Long(value),
        })
    }

    /// The type of a value.
    pub fn type_of(&self, value: Value) -> Type {
        self.types[value.0 as usize]
    }

    /// The block with this index.
    pub fn at(&self, block: BlockId) -> &Block {
        &self.blocks[block.0 as usize]
    }

    /// The block with this index, to be changed.
    pub fn at_mut(&mut self, block: BlockId) -> &mut Block {
        &mut self.blocks[block.0 as usize]
    }

    /// Blocks that can be reached from the entries, in reverse postorder.
    pub fn order(&self) -> Vec<BlockId> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::with_capacity(self.blocks.len());
        // Blocks with the ways on that are left to go, the last one first.
        let mut stack: Vec<(BlockId, [Option<BlockId>; 2])> = Vec::with_capacity(self.blocks.len());
        for entry in self.entries.iter().rev() {
            if std::mem::replace(&mut seen[entry.block.0 as usize], true) {
                continue;
            }
            stack.push((entry.block, self.at(entry.block).terminator.ways()));
            while let Some((block, [first, second])) = stack.last_mut() {
                match second.take().or_else(|| first.take()) {
                    None => {
                        order.push(*block);
                        stack.pop();
                    }
                    Some(next) if std::mem::replace(&mut seen[next.0 as usize], true) => {}
                    Some(next) => stack.push((next, self.at(next).terminator.ways())),
                }
            }
        }
        order.reverse();
        order
    }

    /// How many ways lead to each block; an entry counts as one.
    pub fn predecessor_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.blocks.len()];
        for entry in &self.entries {
            counts[entry.block.0 as usize] += 1;
        }
        for block in self.order() {
            for target in self.at(block).terminator.targets() {
                counts[target.block.0 as usize] += 1;
            }
        }
        counts
    }
}

impl Graph {
    /// Calls `visit` with each value that a snapshot saves.
    pub fn for_saved(&self, snapshot: SnapshotId, mut visit: impl FnMut(Value)) {
        let snapshot = &self.snapshots[snapshot.0 as usize];
        for (_, held) in &snapshot.slots {
            if let Some(value) = held.value() {
                visit(value);
            }
        }
        for write in &snapshot.writes {
            if let Written::Value(value) = write.value {
                visit(value);
            }
        }
    }

    /// Removes the parameters of the blocks in `order` that are not to be kept, with their arguments.
    pub fn keep_parameters(&mut self, order: &[BlockId], keep: impl Fn(Value) -> bool) {
        for &id in order {
            let mut terminator = std::mem::replace(
                &mut self.at_mut(id).terminator,
                Terminator::Leave(SnapshotId(u32::MAX)),
            );
            for target in terminator.targets_mut() {
                let mut parameters = self.at(target.block).parameters.iter();
                target
                    .arguments
                    .retain(|_| parameters.next().is_none_or(|parameter| keep(*parameter)));
            }
            self.at_mut(id).terminator = terminator;
        }
        for &id in order {
            self.at_mut(id)
                .parameters
                .retain(|parameter| keep(*parameter));
        }
    }
}
