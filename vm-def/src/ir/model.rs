//! The data types of the intermediate form.

use super::intrinsics::Intrinsic;
use crate::grammar::JumpField;
use crate::types::TypeMask;

/// The name of an unboxed value; defined once in its clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// The index of a block in its clause; block 0 is the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// How a value is held outside of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Representation {
    /// A 64-bit integer.
    Long,
    /// A 64-bit float.
    Double,
    /// A truth value.
    Bool,
    /// The address of a slot that is only borrowed.
    Boxed,
}

macro_rules! named {
    ($($(#[$doc:meta])* enum $name:ident { $($item:ident = $word:literal,)* })*) => {
        $(
            $(#[$doc])*
            #[allow(missing_docs, reason = "each variant is its text form")]
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// A slot that an instruction reads or writes.
    enum Place {
        Op1 = "op1",
        Op2 = "op2",
        Result = "result",
    }

    /// Operations with one operand.
    enum UnaryOperation {
        NegateLong = "neg_i64",
        NotLong = "not_i64",
        NegateDouble = "neg_f64",
        NotBool = "not_bool",
        LongToDouble = "i64_to_f64",
        BoolToLong = "bool_to_i64",
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
    }

    /// Integer operations that continue elsewhere when they overflow.
    enum OverflowOperation {
        Add = "add_i64_overflow",
        Sub = "sub_i64_overflow",
        Mul = "mul_i64_overflow",
    }
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// The value that it defines.
    pub output: Option<Value>,
    /// What it does.
    pub operation: Operation,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Exits unless the slot's type is in the set.
    GuardType(Place, TypeMask),
    /// Exits unless the value is true.
    Guard(Value),
    /// Unboxes a slot whose type is known.
    Load(Place, Representation),
    /// Gives `extended_value`.
    LoadExtended,
    /// An integer.
    ConstantLong(i64),
    /// A float.
    ConstantDouble(f64),
    /// A truth value.
    ConstantBool(bool),
    /// One operand.
    Unary(UnaryOperation, Value),
    /// Two operands.
    Binary(BinaryOperation, Value, Value),
    /// An operation on strings or arrays; may exit.
    Intrinsic(Intrinsic, Vec<Value>),
    /// Boxes a value into a slot. A `Boxed` value is copied, which counts a reference.
    Store(Place, Representation, Value),
    /// Writes null into a slot.
    StoreNull(Place),
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Terminator {
    /// Goes on with the next opline.
    Next,
    /// The result is this truth value: takes the smart branch, or stores it and goes on.
    Decide(Value),
    /// Jumps to the target in a field of the opline.
    Jump(JumpField),
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
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The instructions.
    pub instructions: Vec<Instruction>,
    /// The end.
    pub terminator: Terminator,
}

/// One fast clause.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// The name, if the clause yields a type-specialised handler.
    pub name: Option<String>,
    /// The types of op1 that it takes.
    pub op1: Option<TypeMask>,
    /// The types of op2 that it takes.
    pub op2: Option<TypeMask>,
    /// The blocks.
    pub blocks: Vec<Block>,
}

/// An opcode's clauses.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowering {
    /// The opcode's name.
    pub opcode: String,
    /// The clauses, tried in order; when all exit, the opline is interpreted.
    pub clauses: Vec<Clause>,
}

impl Clause {
    /// Whether some path exits.
    pub fn may_exit(&self) -> bool {
        self.instructions()
            .any(|instruction| instruction.operation.may_exit())
    }

    /// Whether some path exits although the types of the operands are proven.
    pub fn may_exit_when_typed(&self) -> bool {
        self.instructions().any(|instruction| {
            !matches!(instruction.operation, Operation::GuardType(..))
                && instruction.operation.may_exit()
        })
    }

    /// Every instruction of every block.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.blocks.iter().flat_map(|block| &block.instructions)
    }

    /// Whether some instruction writes to the place.
    pub fn writes(&self, place: Place) -> bool {
        self.instructions()
            .any(|instruction| match &instruction.operation {
                Operation::Store(target, ..) | Operation::StoreNull(target) => *target == place,
                _ => false,
            })
    }
}

impl Operation {
    /// Whether it may exit.
    pub fn may_exit(&self) -> bool {
        match self {
            Operation::GuardType(_, types) => *types != TypeMask::ANY,
            Operation::Guard(_) => true,
            Operation::Intrinsic(intrinsic, _) => intrinsic.may_exit(),
            _ => false,
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
        }
    }

    /// The representation with this suffix.
    pub fn from_word(word: &str) -> Option<Representation> {
        [Self::Long, Self::Double, Self::Bool, Self::Boxed]
            .into_iter()
            .find(|representation| representation.word() == word)
    }
}

impl BinaryOperation {
    /// The representation of the operands and of the output.
    pub fn signature(self) -> (Representation, Representation) {
        use Representation::{Bool, Double, Long};
        let (operation, kind) = self.word().split_once('_').unwrap_or((self.word(), ""));
        let operands = match kind {
            "i64" => Long,
            "f64" => Double,
            _ => Bool,
        };
        let compares = matches!(operation, "eq" | "ne" | "lt" | "le" | "gt" | "ge");
        (operands, if compares { Bool } else { operands })
    }
}
