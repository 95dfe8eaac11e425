//! Rules that the definitions must follow.

use crate::diagnostics::Diagnostics;
use crate::emit::Lowerings;
use crate::model::Definitions;

/// Gives aliases the declarations of what they stand for.
pub(crate) fn resolve_aliases(_definitions: &mut Definitions) {}

/// Checks all definitions.
pub(crate) fn check(
    _definitions: &Definitions,
    _lowerings: &Lowerings,
    _diagnostics: &mut Diagnostics,
) {
}
