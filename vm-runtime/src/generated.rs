//! The interpreter as generated from the definitions in `vm-def`: opcode enum, tables, handlers
//! and their selection. `VM_GEN_OUT=dir cargo build` writes a readable copy to `dir`.

include!(concat!(env!("OUT_DIR"), "/generated.rs"));

pub use opcode::Opcode;

/// Name of an opcode, as in a dump.
pub fn opcode_name(number: u8) -> &'static str {
    facts::facts(number).map_or("UNKNOWN", |facts| facts.name)
}

/// True for opcodes that can take the jump that follows.
pub fn may_branch(number: u8) -> bool {
    facts::facts(number).is_some_and(|facts| facts.spec.smart_branch)
}

/// The handler of an opline without an OP_DATA, when nothing is known about its operands.
pub fn handler_of(op: &crate::op::Op) -> Option<crate::op::Handler> {
    selection::select(op, None, vm_def::facts::TypeFacts::UNKNOWN)
}

/// The functions of the runtime that machine code calls.
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each has one: machine code passes what the clause would have passed"
)]
pub mod intrinsics {
    include!(concat!(env!("OUT_DIR"), "/intrinsics.rs"));
}

/// Where the fields are that clauses name: for whoever executes lowerings without this crate's types.
pub mod layout {
    include!(concat!(env!("OUT_DIR"), "/layout.rs"));
}
