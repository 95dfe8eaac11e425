//! The interpreter: what the generated handlers call.
//!
//! Handlers come from the definitions in `vm-def`; see [`crate::generated`]. The functions here
//! are their slow paths, one module a family of opcodes, with the signature
//! `unsafe fn(frame, opline, vm) -> next opline`.
//!
//! # Safety of the whole module
//! Every function takes a frame, an opline and a VM that belong together (invariants I1 to I6 of
//! ARCHITECTURE.md): operands are decoded from published oplines, whose numbers the publishing
//! pass has made offsets inside the frame and the literal block. That contract is stated once
//! here instead of at each pointer access.
#![allow(
    unsafe_op_in_unsafe_fn,
    clippy::missing_safety_doc,
    clippy::undocumented_unsafe_blocks
)]
#![allow(clippy::not_unsafe_ptr_arg_deref)]

pub mod arguments;
pub mod array_keys;
pub mod array_literals;
pub mod array_queries;
pub mod assign;
pub mod attributes;
pub mod callback;
pub mod calls;
pub mod classes;
pub mod closures;
pub mod constants;
pub mod control;
pub mod dimension_writes;
pub mod dimensions;
pub mod dispatch;
pub mod exceptions;
pub mod fibers;
pub mod frameless;
pub mod generators;
mod given_up;
pub mod host;
pub mod include;
pub mod intrinsics;
pub mod iteration;
pub mod kept_code;
mod named_properties;
pub mod object_loops;
pub mod operand;
pub mod prepared;
#[cfg(debug_assertions)]
pub mod promise;
pub mod properties;
pub mod property_cache;
pub mod property_changes;
pub mod receiving;
pub mod request;
pub mod returns;
pub mod state;
pub mod static_properties;
pub mod string_offsets;
pub mod strings;
pub(crate) mod suspended;
pub mod ticks;
pub mod top_level;
pub mod variables;

pub use assign::{assign_result, assign_variable};
pub use given_up::MOST_INLINED_SLOTS;

/// True if the interrupt word is set: polled at jumps and calls.
#[inline(always)]
pub unsafe fn interrupted(vm: *mut crate::vm::Vm) -> bool {
    !cfg!(feature = "unlimited") && (*vm).interrupt.load(std::sync::atomic::Ordering::Relaxed) != 0
}
