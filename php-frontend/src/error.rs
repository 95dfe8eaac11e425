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
    /// Warnings that come before the error.
    pub warnings: Vec<Warning>,
}

impl ParseError {
    pub(crate) fn new(kind: ParseErrorKind, message: impl Into<Vec<u8>>, line: u32) -> Self {
        Self {
            kind,
            message: message.into(),
            line,
            warnings: Vec::new(),
        }
    }
}

/// A warning that PHP raises while it parses, before any error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// PHP's text.
    pub message: String,
    /// The line PHP reports.
    pub line: u32,
}
