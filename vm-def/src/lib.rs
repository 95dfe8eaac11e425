//! The opcode definitions of the Opline VM: data and grammar, no engine.
//!
//! * [`FILES`] holds the definition files, one per opcode family.
//! * [`grammar`] holds the words that the files may use.
//! * [`facts`] holds the types of the tables that are derived from the files.
//! * [`ir`] holds the micro-operations that fast clauses are lowered to.
//! * [`disassembly`] prints an opline by the facts of its opcode.
//!
//! The crate must not know anything about values, frames or PHP source text.
#![forbid(unsafe_code)]

pub mod disassembly;
pub mod facts;
mod files;
pub mod grammar;
pub mod ir;
pub mod types;

pub use files::{DefinitionFile, FILES};
