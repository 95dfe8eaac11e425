//! Machine code for hot functions.
//!
//! Op arrays become graphs in typed SSA form ([`translate`], [`graph`]), which are optimised
//! ([`passes`]) and become machine code ([`machine`]). What an opcode means is said by its lowering
//! in `vm-def` alone. [`tier`] decides when, and plugs into the runtime.

pub mod graph;
pub mod inspect;
pub mod machine;
pub mod passes;
mod telling;
pub mod tier;
pub mod translate;

pub use tier::register;
