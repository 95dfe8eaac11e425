//! Generates the Opline VM from its opcode definitions.
#![forbid(unsafe_code)]
