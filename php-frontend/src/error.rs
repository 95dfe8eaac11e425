//! What can be wrong with a source text.

use thiserror::Error;

/// Whether PHP would throw `ParseError` or stop with a fatal error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParseErrorKind {
    /// `PHP Parse error:`; a `ParseError` in `eval` and `include`.
    Syntax,
    /// `PHP Fatal error:`, found while parsing.
    Compile,
}

/// The first error of a source text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} on line {line}", String::from_utf8_lossy(message))]
pub struct ParseError {
    /// Which kind of PHP error it is.
    pub kind: ParseErrorKind,
    /// PHP's text, as bytes since it quotes the source.
    pub message: Vec<u8>,
    /// The line PHP reports.
    pub line: u32,
}
