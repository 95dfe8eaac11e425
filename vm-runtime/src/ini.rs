//! Configuration settings (`-d`, `ini_set`).

/// Settings of a VM.
#[derive(Debug, Default)]
pub struct Ini {}
