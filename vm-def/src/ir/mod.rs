//! The micro-operations that clauses are lowered to.
//!
//! A [`Lowering`] belongs to one specialisation of an opcode: its operand kinds and the form of its
//! result are known. It is a list of clauses, tried in order. Every clause is a tree of blocks: each
//! block but the first has exactly one predecessor, so values need no joins. A failed guard *exits*:
//! nothing has been written yet, the state is the one before the opline (the lowering proves that no
//! effect comes before a guard), so whoever executes the clause may try the next one, call the slow
//! path or hand the opline to the interpreter (`interp_one`).
//!
//! Clauses of the *fast* path are leaves: they make no call. Those of the *middle* path may allocate,
//! release and call the runtime.
//!
//! The interpreter's handlers are emitted from this form, the evaluator runs it on abstract values, and
//! the JIT builds its graphs from it.

mod bytes;
mod evaluate;
mod intrinsics;
pub mod layout;
mod model;
mod text;
mod traits;
mod work;

pub use evaluate::{AbstractValue, Machine, Outcome};
pub use intrinsics::{Argument, Intrinsic, IntrinsicEffect, Output};
pub use layout::{Field, FieldKind, Sequence, Structure};
pub use model::{
    BinaryOperation, Block, BlockId, Clause, Instruction, Lowering, Number, Operation,
    OverflowOperation, Place, Reason, Register, Representation, Terminator, UnaryOperation, Value,
    Way,
};
pub use text::ParseError;
pub use traits::{LEADS_ON, Taking, Traits};
pub use work::{Work, Worker};
