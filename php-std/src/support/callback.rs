//! Calling back into user code.

/// A callable argument, to be called many times.
pub(crate) use vm_runtime::interpreter::prepared::Prepared as Callback;
