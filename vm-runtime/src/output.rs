//! Output of scripts: a sink and the stack of output buffers.

/// Output state of a VM.
#[derive(Debug, Default)]
pub struct Output {}
