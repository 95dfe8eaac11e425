//! What the compiler can find wrong, and what it only warns about.

use thiserror::Error;

/// How serious a diagnostic of the compiler is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// `Deprecated:`
    Deprecated,
    /// `Warning:`
    Warning,
    /// `Fatal error:`, or `Parse error:` when [`CompileError::is_syntax`] is set.
    Fatal,
}

/// A message of the compiler that does not stop it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Deprecation or warning.
    pub severity: Severity,
    /// PHP's text.
    pub message: Vec<u8>,
    /// The line PHP reports.
    pub line: u32,
}

/// The first error of a source text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} on line {line}", String::from_utf8_lossy(message))]
pub struct CompileError {
    /// A syntax error: PHP throws `ParseError` for it; all else is a fatal error.
    pub is_syntax: bool,
    /// PHP's text, as bytes since it quotes the source.
    pub message: Vec<u8>,
    /// The line PHP reports.
    pub line: u32,
    /// What was reported before the error.
    pub diagnostics: Vec<Diagnostic>,
}

/// The result of a compile step. The error is boxed: it is rare, and results are many.
pub(crate) type Result<T> = std::result::Result<T, Box<CompileError>>;

/// Builds a message from text and byte strings.
macro_rules! message {
    ($($part:expr),+ $(,)?) => {{
        let mut message: Vec<u8> = Vec::new();
        $( message.extend_from_slice(AsRef::<[u8]>::as_ref(&$part)); )+
        message
    }};
}
pub(crate) use message;
