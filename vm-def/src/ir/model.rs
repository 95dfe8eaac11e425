//! The data types of the intermediate form.

use serde::{Deserialize, Serialize};

use super::intrinsics::{Intrinsic, IntrinsicEffect};
use super::layout::{Field, Sequence};
use super::traits::Traits;
use crate::grammar::OplineField;
use crate::types::TypeMask;

/// The name of an unboxed value; defined once in its clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Value(pub u32);

/// The index of a block in its clause; block 0 is the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BlockId(pub u32);

/// How a value is held outside of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Representation {
    /// A 64-bit integer.
    Long,
    /// A 64-bit float.
    Double,
    /// A truth value.
    Bool,
    /// The address of a slot that is only borrowed.
    Boxed,
    /// The address of a structure of the runtime, perhaps null.
    Pointer,
}

/// A slot that an instruction reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Place {
    /// The first operand: a slot, a literal, or `$this`.
    Op1,
    /// The second operand.
    Op2,
    /// The operand of OP_DATA.
    Data,
    /// The result. What is written there when the opline has no result goes nowhere.
    Result,
    /// Where this address leads.
    At(Value),
}

macro_rules! named {
    ($($(#[$doc:meta])* enum $name:ident { $($item:ident = $word:literal,)* })*) => {
        $(
            $(#[$doc])*
            #[allow(missing_docs, reason = "each variant is its text form")]
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
            pub enum $name { $($item,)* }

            impl $name {
                /// Every member.
                pub const ALL: &'static [$name] = &[$($name::$item,)*];

                /// The text form.
                pub const fn word(self) -> &'static str {
                    match self { $($name::$item => $word,)* }
                }

                /// The member with this text form.
                pub fn from_word(word: &str) -> Option<$name> {
                    match word { $($word => Some($name::$item),)* _ => None }
                }
            }
        )*
    };
}

named! {
    /// Why a guard leaves a clause; profiles and deoptimisation are kept by it.
    enum Reason {
        Value = "Value",
        Range = "Range",
        Type = "Type",
        Class = "Class",
        Function = "Function",
        Unique = "Unique",
        Bounds = "Bounds",
        Undefined = "Undefined",
        Counted = "Counted",
        Callee = "Callee",
        Room = "Room",
    }

    /// What a clause can ask of where it runs.
    enum Register {
        Frame = "frame",
        Opline = "opline",
        Vm = "vm",
    }

    /// A field of the opline, as a number.
    enum Number {
        Op1 = "op1",
        Op2 = "op2",
        Result = "result",
        Extended = "extended",
        DataExtended = "data_extended",
    }

    /// Operations with one operand.
    enum UnaryOperation {
        NegateLong = "neg_i64",
        NotLong = "not_i64",
        NegateDouble = "neg_f64",
        NotBool = "not_bool",
        LongToDouble = "i64_to_f64",
        BoolToLong = "bool_to_i64",
        LongToPointer = "i64_to_ptr",
        PointerToLong = "ptr_to_i64",
        IsNull = "is_null",
    }

    /// Operations with two operands. Integer operations wrap; a divisor is never zero.
    enum BinaryOperation {
        AddLong = "add_i64",
        SubLong = "sub_i64",
        MulLong = "mul_i64",
        DivLong = "div_i64",
        RemLong = "rem_i64",
        AndLong = "and_i64",
        OrLong = "or_i64",
        XorLong = "xor_i64",
        ShlLong = "shl_i64",
        ShrLong = "shr_i64",
        AddDouble = "add_f64",
        SubDouble = "sub_f64",
        MulDouble = "mul_f64",
        DivDouble = "div_f64",
        EqLong = "eq_i64",
        NeLong = "ne_i64",
        LtLong = "lt_i64",
        LeLong = "le_i64",
        GtLong = "gt_i64",
        GeLong = "ge_i64",
        WithinLong = "within_i64",
        EqDouble = "eq_f64",
        NeDouble = "ne_f64",
        LtDouble = "lt_f64",
        LeDouble = "le_f64",
        GtDouble = "gt_f64",
        GeDouble = "ge_f64",
        EqBool = "eq_bool",
        NeBool = "ne_bool",
        AndBool = "and_bool",
        OrBool = "or_bool",
        XorBool = "xor_bool",
        EqPointer = "eq_ptr",
        NePointer = "ne_ptr",
    }

    /// Integer operations that continue elsewhere when they overflow.
    enum OverflowOperation {
        Add = "add_i64_overflow",
        Sub = "sub_i64_overflow",
        Mul = "mul_i64_overflow",
    }
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instruction {
    /// The value that it defines.
    pub output: Option<Value>,
    /// What it does.
    pub operation: Operation,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Operation {
    /// Exits unless the slot's type is in the set.
    GuardType(Place, TypeMask),
    /// Exits unless the value is true.
    Guard(Value, Reason),
    /// Exits if the slot holds something counted.
    GuardUncounted(Place),
    /// Whether the slot's type is in the set.
    TestType(Place, TypeMask),
    /// The slot's type word.
    TypeWord(Place),
    /// Unboxes a slot whose type is known: its number, its truth value, the address of its payload
    /// (`Pointer`), or the address of the slot itself (`Boxed`).
    Load(Place, Representation),
    /// The address of the slot, or of the value in the reference that it holds.
    Deref(Place),
    /// The address of the slot, or of the variable that an INDIRECT in it points to.
    Indirect(Place),
    /// A field of the opline.
    Number(Number),
    /// Where a jump field leads.
    Target(OplineField),
    /// The frame, the opline, the VM.
    Register(Register),
    /// A word of the opline's runtime cache: its offset is in the field, this many words further.
    CacheWord(Number, u8, Representation),
    /// Reads a field.
    LoadField(Field, Value),
    /// Writes a field.
    StoreField(Field, Value, Value),
    /// The address of the element at an index.
    Element(Sequence, Value, Value),
    /// An integer.
    ConstantLong(i64),
    /// A float.
    ConstantDouble(f64),
    /// A truth value.
    ConstantBool(bool),
    /// A number of the runtime, as its index in [`super::layout::NUMBERS`].
    Named(u16),
    /// One operand.
    Unary(UnaryOperation, Value),
    /// Two operands.
    Binary(BinaryOperation, Value, Value),
    /// A function of the runtime; may exit.
    Intrinsic(Intrinsic, Vec<Value>),
    /// Boxes a value into a slot. A `Boxed` value is copied, which counts a reference. The old value
    /// is not released.
    Store(Place, Representation, Value),
    /// Writes null into a slot.
    StoreNull(Place),
    /// Makes a slot undefined.
    StoreUndef(Place),
    /// Writes a payload with this type word into a slot.
    StoreTyped(Place, u32, Value),
    /// Writes a string into a slot, with a share of its own if it is counted.
    StoreString(Place, Value),
    /// Copies the value at an address into a slot, with its share.
    Move(Place, Value),
    /// One more owner of what the slot holds, if it is counted.
    Retain(Place),
    /// Gives back the share of a value that has other owners and needs no note of the collector, or
    /// is not counted at all.
    DropShare(Place),
    /// Gives back the slot's share. If it was the last the value is destroyed, which may run code of
    /// the script; only in middle paths.
    Release(Place),
    /// Nothing. What follows may be a function of its own, so that what comes before it needs few registers.
    Apart,
    /// Gives back an operand that the instruction consumes: always right in front of `Next`. Of an
    /// operand that may be a variable as well as a temporary only the temporary is given back.
    Free(Place),
}

/// How a clause goes on in another frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Way {
    /// A function is entered, which comes back behind the opline; polls.
    Enter,
    /// A frame that was left before goes on; whoever leaves it finishes the opline. Polls.
    Resume,
    /// This frame is left.
    Leave,
}

impl Way {
    /// All ways with the words for them.
    pub const ALL: [(&str, Way); 3] = [
        ("enter", Way::Enter),
        ("resume", Way::Resume),
        ("leave", Way::Leave),
    ];

    /// The way that a word stands for.
    pub fn from_word(word: &str) -> Option<Way> {
        let mut all = Way::ALL.iter();
        all.find_map(|&(known, way)| (known == word).then_some(way))
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        let mut all = Way::ALL.iter();
        all.find_map(|&(word, way)| (way == self).then_some(word))
            .unwrap_or_default()
    }
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Terminator {
    /// Goes on with the next opline.
    Next,
    /// The result is this truth value: takes the smart branch, or stores it and goes on.
    Decide(Value),
    /// Jumps to the target in a field of the opline, and polls.
    Jump(OplineField),
    /// Goes on with an opline of the same frame, without a poll.
    Goto(Value),
    /// Goes on with an opline in another frame, which becomes the current one.
    Switch {
        /// The frame.
        frame: Value,
        /// The opline.
        opline: Value,
        /// What becomes of this frame.
        way: Way,
    },
    /// Goes on with a helper of the definition, by its name.
    Helper(String),
    /// Two ways on.
    Branch {
        /// Decides.
        condition: Value,
        /// If it is true.
        then: BlockId,
        /// If it is false.
        otherwise: BlockId,
    },
    /// An integer operation that may overflow.
    Overflow {
        /// The operation.
        operation: OverflowOperation,
        /// Defined in `exact` and what follows it.
        output: Value,
        /// The left operand.
        left: Value,
        /// The right operand.
        right: Value,
        /// If the output is exact.
        exact: BlockId,
        /// If it is not.
        overflow: BlockId,
    },
}

/// Straight code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The instructions.
    pub instructions: Vec<Instruction>,
    /// The end.
    pub terminator: Terminator,
}

/// One fast clause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clause {
    /// The name, if the clause yields a type-specialised handler.
    pub name: Option<String>,
    /// The types of op1 that it takes.
    pub op1: Option<TypeMask>,
    /// The types of op2 that it takes.
    pub op2: Option<TypeMask>,
    /// It stands on the middle path: it may allocate, release and call.
    pub middle: bool,
    /// The blocks.
    pub blocks: Vec<Block>,
}

/// The clauses of one specialisation of an opcode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lowering {
    /// The opcode's name.
    pub opcode: String,
    /// The clauses, tried in order, those of the middle path last; when all exit, the opline is
    /// interpreted.
    pub clauses: Vec<Clause>,
    /// What there is to know of each of them.
    pub traits: Vec<Traits>,
}

impl Lowering {
    /// The lowering of an opcode with these clauses.
    pub fn new(opcode: String, clauses: Vec<Clause>) -> Lowering {
        Lowering {
            opcode,
            traits: Traits::of(&clauses),
            clauses,
        }
    }
}

impl Clause {
    /// Whether some path exits.
    pub fn may_exit(&self) -> bool {
        self.instructions()
            .any(|instruction| instruction.operation.may_exit())
    }

    /// Whether it may apply where another one did not although the operands' types were right.
    pub fn may_follow(&self, other: &Clause) -> bool {
        let meet = |types: Option<TypeMask>, others: Option<TypeMask>| match (types, others) {
            (Some(types), Some(others)) => types.intersects(others),
            _ => true,
        };
        meet(self.op1, other.op1)
            && meet(self.op2, other.op2)
            && meet(self.data_types(), other.data_types())
    }

    /// The types of OP_DATA's operand that it takes, as far as the first block tells.
    fn data_types(&self) -> Option<TypeMask> {
        let mut instructions = self.blocks[0].instructions.iter();
        instructions.find_map(|instruction| match instruction.operation {
            Operation::GuardType(Place::Data, types) => Some(types),
            _ => None,
        })
    }

    /// Every instruction of every block.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.blocks.iter().flat_map(|block| &block.instructions)
    }

    /// Whether some instruction writes to the place.
    pub fn writes(&self, place: Place) -> bool {
        self.instructions()
            .any(|instruction| instruction.operation.written() == Some(place))
    }

    /// Whether some instruction may leave an exception behind, or run code of the script.
    pub fn may_throw(&self) -> bool {
        self.instructions()
            .any(|instruction| instruction.operation.may_throw())
    }

    /// Whether it may run code of the script, also by what its operands are when it gives them back.
    pub fn reenters(&self) -> bool {
        self.instructions().any(|instruction| {
            matches!(instruction.operation, Operation::Free(_)) || instruction.operation.may_throw()
        })
    }
}

impl Operation {
    /// Whether it may exit.
    pub fn may_exit(&self) -> bool {
        match self {
            Operation::GuardType(_, types) => *types != TypeMask::ANY,
            Operation::Guard(..) | Operation::GuardUncounted(_) => true,
            Operation::Intrinsic(intrinsic, _) => intrinsic.may_exit(),
            _ => false,
        }
    }

    /// Whether it may leave an exception behind, or run code of the script.
    pub fn may_throw(&self) -> bool {
        match self {
            Operation::Release(_) => true,
            Operation::Intrinsic(intrinsic, _) => intrinsic.effect() == IntrinsicEffect::Reenters,
            _ => false,
        }
    }

    /// Whether it changes memory, or may.
    pub fn has_effect(&self) -> bool {
        self.written().is_some()
            || match self {
                Operation::StoreField(..)
                | Operation::Retain(_)
                | Operation::DropShare(_)
                | Operation::Release(_)
                | Operation::Free(_) => true,
                Operation::Intrinsic(intrinsic, _) => intrinsic.effect() != IntrinsicEffect::Pure,
                _ => false,
            }
    }

    /// The slot that it writes.
    pub fn written(&self) -> Option<Place> {
        match self {
            Operation::Store(place, ..)
            | Operation::StoreNull(place)
            | Operation::StoreUndef(place)
            | Operation::StoreTyped(place, ..)
            | Operation::StoreString(place, _)
            | Operation::Move(place, _) => Some(*place),
            _ => None,
        }
    }

    /// The slots that it looks at or writes.
    pub fn place(&self) -> Option<Place> {
        match self {
            Operation::GuardType(place, _)
            | Operation::GuardUncounted(place)
            | Operation::TestType(place, _)
            | Operation::TypeWord(place)
            | Operation::Load(place, _)
            | Operation::Deref(place)
            | Operation::Indirect(place)
            | Operation::Retain(place)
            | Operation::DropShare(place)
            | Operation::Release(place)
            | Operation::Free(place) => Some(*place),
            _ => self.written(),
        }
    }

    /// Calls the function with every value that it uses.
    pub fn for_each_use(&self, mut visit: impl FnMut(Value)) {
        if let Some(Place::At(value)) = self.place() {
            visit(value);
        }
        match self {
            Operation::Guard(value, _)
            | Operation::LoadField(_, value)
            | Operation::Unary(_, value)
            | Operation::Store(_, _, value)
            | Operation::StoreTyped(_, _, value)
            | Operation::StoreString(_, value)
            | Operation::Move(_, value) => visit(*value),
            Operation::StoreField(_, left, right)
            | Operation::Element(_, left, right)
            | Operation::Binary(_, left, right) => {
                visit(*left);
                visit(*right);
            }
            Operation::Intrinsic(_, arguments) => arguments.iter().copied().for_each(visit),
            _ => {}
        }
    }
}

impl Terminator {
    /// Calls the function with every value that it uses.
    pub fn for_each_use(&self, mut visit: impl FnMut(Value)) {
        match self {
            Terminator::Decide(value)
            | Terminator::Goto(value)
            | Terminator::Branch {
                condition: value, ..
            } => visit(*value),
            Terminator::Overflow {
                left: first,
                right: second,
                ..
            }
            | Terminator::Switch {
                frame: first,
                opline: second,
                ..
            } => {
                visit(*first);
                visit(*second);
            }
            Terminator::Next | Terminator::Jump(_) | Terminator::Helper(_) => {}
        }
    }
}

impl Representation {
    /// The suffix of `load_…` and `store_…` in the text form.
    pub const fn word(self) -> &'static str {
        match self {
            Representation::Long => "i64",
            Representation::Double => "f64",
            Representation::Bool => "bool",
            Representation::Boxed => "boxed",
            Representation::Pointer => "ptr",
        }
    }

    /// The representation with this suffix.
    pub fn from_word(word: &str) -> Option<Representation> {
        [
            Self::Long,
            Self::Double,
            Self::Bool,
            Self::Boxed,
            Self::Pointer,
        ]
        .into_iter()
        .find(|representation| representation.word() == word)
    }
}

impl BinaryOperation {
    /// The representation of the operands and of the output.
    pub fn signature(self) -> (Representation, Representation) {
        use Representation::{Bool, Double, Long, Pointer};
        let (operation, kind) = self.word().split_once('_').unwrap_or((self.word(), ""));
        let operands = match kind {
            "i64" => Long,
            "f64" => Double,
            "ptr" => Pointer,
            _ => Bool,
        };
        let compares = matches!(
            operation,
            "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "within"
        );
        (operands, if compares { Bool } else { operands })
    }
}
