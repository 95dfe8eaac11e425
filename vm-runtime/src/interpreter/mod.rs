//! The interpreter: what the generated handlers call.
