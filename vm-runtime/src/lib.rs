//! Values, heap, frames and the generated interpreter of Opline.
//!
//! This crate knows nothing of PHP source text: it executes op arrays. The interpreter's handlers
//! are generated from the definitions in `vm-def` (see `build.rs` and [`generated`]); what they
//! call on their slow paths lives in [`interpreter`].

pub mod array;
pub mod class;
pub mod collector;
pub mod counters;
pub mod diagnostics;
pub mod dump;
pub mod exceptions;
pub mod frame;
pub mod function;
pub mod generated;
pub mod heap;
pub mod infer;
pub mod ini;
pub mod interpreter;
pub mod layout;
pub mod limits;
pub mod live_ranges;
pub mod message;
pub mod object;
pub mod op;
pub mod op_array;
pub mod operators;
pub mod output;
pub mod publish;
mod secret;
pub mod string;
#[cfg(test)]
mod testing;
pub mod tier;
pub mod types;
mod unpacked_lists;
pub mod value;
pub mod vm;

pub use generated::opcode;
