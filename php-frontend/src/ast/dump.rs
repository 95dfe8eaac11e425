//! The text form of the tree, for tests.

use super::Program;

/// The tree as indented text.
pub fn dump(program: &Program<'_>) -> String {
    format!("{program:#?}")
}
