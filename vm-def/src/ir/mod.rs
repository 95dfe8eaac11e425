//! The micro-operations that fast clauses are lowered to.
//!
//! A [`Lowering`] is a list of clauses, tried in order. Every clause is a tree of blocks: each block
//! but the first has exactly one predecessor, so values need no joins. A failed guard *exits*: nothing
//! has been written yet, the state is the one before the opline (the lowering proves that no store
//! comes before a guard), so whoever executes the clause may try the next one, call the slow path or
//! hand the opline to the interpreter (`interp_one`).
//!
//! The interpreter's handlers are emitted from this form, the evaluator runs it on abstract values, and
//! the JIT builds its graphs from it.

mod evaluate;
mod intrinsics;
mod model;
mod text;

pub use evaluate::{AbstractValue, Machine, Outcome};
pub use intrinsics::{Argument, Intrinsic};
pub use model::{
    BinaryOperation, Block, BlockId, Clause, Instruction, Lowering, Operation, OverflowOperation,
    Place, Representation, Terminator, UnaryOperation, Value,
};
pub use text::ParseError;
