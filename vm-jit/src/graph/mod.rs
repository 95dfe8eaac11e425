//! The typed SSA form of a function: blocks with parameters in place of phis.
//!
//! Slots of the frame become values as soon as compiled code knows them. A [`Snapshot`] says for
//! each place where compiled code may leave what has to be written to the frame, so that the
//! interpreter finds the state it would have made itself.

mod constants;
mod dominators;
mod model;
mod table;
mod text;
mod verify;

pub use constants::Constants;
pub use dominators::{Dominators, Lists};
pub use model::{
    Arguments, Block, BlockId, Constant, Entry, Graph, Held, Instruction, MOST_ARGUMENTS,
    Operation, Place, Released, Slot, Snapshot, SnapshotId, Target, Terminator, Type, Value, Where,
    Write, Written,
};
pub use table::{Numbered, Replacements, Table};
pub use text::parse;
pub use verify::verify;
