//! The opcode definitions of the Opline VM: data and grammar, no engine.
#![forbid(unsafe_code)]
