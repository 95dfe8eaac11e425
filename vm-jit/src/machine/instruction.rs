//! What instructions for the register allocator are: what they do, where what they look at is, and how they leave.

use regalloc2::Block;
use vm_def::ir::{BinaryOperation, Field, Intrinsic, OverflowOperation, Sequence, UnaryOperation};
use vm_def::types::TypeMask;

use super::addresses::offset;
use super::survey::OfField;
use crate::graph::{Released, Slot, Type, Write};

/// The right operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Right {
    /// In a register: the operand with this index.
    Register(usize),
    /// A constant.
    Immediate(i32),
    /// A float constant.
    Constant(u64),
}

/// Where something is in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Memory {
    /// So many bytes from the frame.
    Frame(i32),
    /// So many bytes from where the operand with this index leads.
    At(usize, i32),
    /// At an address that is near the code.
    Near(u64),
}

impl Memory {
    /// A slot of the frame.
    pub fn slot(slot: Slot) -> Memory {
        Memory::Frame(offset(slot))
    }
}

/// What is tested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Test {
    /// Two integers or truth values; the left one is the operand with this index.
    Long(BinaryOperation, usize, Right),
    /// Whether an integer has any of these bits.
    Bits(usize, i32),
    /// Two floats.
    Double(BinaryOperation, usize, Right),
    /// A truth value.
    Bool(usize),
    /// The type of a slot.
    Type(Memory, TypeMask),
    /// A field of what is there.
    Field(Field, Memory, OfField),
}

/// What decides which way to go.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// A test, and whether it must be false.
    Test(Test, bool),
    /// What a slot holds needs no more than counting when its share is given back; whether that must be false.
    Kept(Memory, bool),
    /// Both hold.
    Both(Box<[Condition; 2]>),
    /// At least one holds.
    Either(Box<[Condition; 2]>),
}

/// Where a slot's value is when compiled code leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Saved {
    /// In the operand with this index.
    Operand(Type, usize),
    /// A constant, by its bits.
    Constant(Type, u64),
    /// A type without a payload, by its number.
    Bare(u8),
    /// All of a value: its type word and its payload.
    Whole(u32, u64),
    /// A copy of the value to which the operand with this index leads.
    Copied(usize),
    /// A copy of the value at this address.
    CopiedConstant(u64),
}

/// How to leave for the interpreter.
#[derive(Clone, Debug, PartialEq)]
pub struct Exit {
    /// The opline to go on with.
    pub opline: u32,
    /// What to write.
    pub slots: Vec<(Slot, Saved)>,
    /// Fields to write: with what the operand with an index holds, or with what is known.
    pub writes: Vec<(Write, Option<usize>)>,
}

/// What an instruction does. Operand 0 is what it defines; the others are given by index.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// All entries, for the register allocator: no code.
    Entries,
    /// An integer constant.
    Long(i64),
    /// A float constant.
    Double(u64),
    /// An address.
    Address(Memory),
    /// One operand.
    Unary(UnaryOperation),
    /// Two operands that give an integer or a float; the left one is operand 1.
    Binary(BinaryOperation, Right),
    /// As `Binary`, leaving on overflow.
    Checked(OverflowOperation, Right, Exit),
    /// A truth value from a test.
    Set(Test),
    /// Follows the reference that may stand where operand 1 leads.
    Deref,
    /// The payload of a slot.
    Load(Memory, Type),
    /// The type word of a slot.
    TypeWord(Memory),
    IsKept(Memory),
    /// A field of what is there.
    LoadField(Field, Memory),
    /// Writes a field of what is there.
    StoreField(Field, Memory, Right),
    /// A word at an offset from there.
    LoadWord(Memory, u32, Type),
    /// The address of an element of what operand 1 leads to.
    Element(Sequence, Right),
    /// Writes a slot.
    Store(Memory, Saved),
    /// Writes a slot: a payload, which is the operand with this index, with a type word.
    StoreTyped(Memory, u32, usize),
    /// Writes a string, which is the operand with this index.
    StoreString(Memory, usize),
    /// Copies the value to which the operand with this index leads; with one more owner or not.
    Copy(Memory, usize, bool),
    /// One more owner of what a slot holds.
    Retain(Memory),
    /// One owner less.
    DropShare(Memory),
    /// An operation on a value whose address is operand 1.
    Intrinsic(Intrinsic),
    /// Leaves unless the condition holds.
    Guard(Condition, Exit),
    /// Leaves for the opline so many behind the one in operand 0 unless that has this address.
    Onward(u64, u32),
    /// Leaves if a slot holds something counted.
    GuardUncounted(Memory, Exit),
    /// The address of the interrupt word.
    Interrupt,
    /// Leaves if the interrupt word is set, whose address is operand 0.
    Poll(Memory, Exit),
    /// Calls a function of the runtime.
    Call(usize),
    /// Gives back what a slot holds, by the function at this address.
    Release(Memory, Released),
    /// Executes an opline by the function at this address.
    Execute(u32, u64),
    /// Leaves for the opline in operand 0 and the current frame.
    Follow,
    /// Leaves; that may be counted.
    Leave(Exit, bool),
    /// Leaves for a helper.
    Helper(u64, Exit),
    /// Leaves for the frame and the opline in operands 0 and 1.
    Switch(Exit),
    /// Goes to a block.
    Jump(Block),
    /// Goes to one of two blocks.
    Branch(Condition, Block, Block),
}

impl Kind {
    /// Whether it may change other registers than those that it names.
    pub fn clobbers(&self) -> bool {
        use BinaryOperation::{DivLong, RemLong};
        matches!(
            self,
            Kind::Call(_)
                | Kind::Release(..)
                | Kind::Execute(..)
                | Kind::Binary(DivLong | RemLong, _)
        )
    }
}
