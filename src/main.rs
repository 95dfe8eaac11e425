//! The `opline` command line.
fn main() {}
