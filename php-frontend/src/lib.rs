//! PHP 8.4 source to Opline op arrays: lexer, parser, AST, compiler.
#![forbid(unsafe_code)]

use bumpalo::Bump;

pub mod ast;
mod compiler;
mod error;
mod grammar;
pub mod lexer;
mod parser;

pub use compiler::{
    CompileError, CompileOptions, Compiled, Diagnostic, EmptyEnvironment, Environment, KnownClass,
    KnownFunction, Severity, compile, is_reserved_class_name,
};
pub use error::{ParseError, ParseErrorKind, Warning};

/// How a source is read under `zend.multibyte`, where it has an encoding.
#[derive(Clone, Copy, Debug)]
pub struct Multibyte {
    /// Whether there is an encoding of this name.
    pub knows: fn(&[u8]) -> bool,
    /// What makes the text of literals, and the name of the encoding that they get; without, they stay
    /// as they are.
    pub literals: Option<(LiteralEncoder, &'static str)>,
}

/// Writes text of a source in an encoding of this name.
pub type LiteralEncoder = fn(&[u8], &'static str) -> Vec<u8>;

/// Settings that change how a source is read.
#[derive(Clone, Copy, Debug)]
pub struct ParseOptions {
    /// `<?` opens PHP code (`short_open_tag`).
    pub short_open_tag: bool,
    /// Skip a first line that starts with `#!`, as the CLI does for its main file.
    pub skip_shebang: bool,
    /// Start inside PHP code, without an opening tag, as `eval` does.
    pub in_code: bool,
    /// The line the first byte is on.
    pub first_line: u32,
    /// Sources have encodings (`zend.multibyte`).
    pub multibyte: Option<Multibyte>,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            short_open_tag: true,
            skip_shebang: false,
            in_code: false,
            first_line: 1,
            multibyte: None,
        }
    }
}

/// Parses a source text into a tree that lives in `arena`.
///
/// # Errors
/// The first syntax or parse-time compile error, with PHP's text and line.
pub fn parse<'a>(
    arena: &'a Bump,
    source: &'a [u8],
    options: ParseOptions,
) -> Result<ast::Program<'a>, ParseError> {
    parser::parse(arena, source, options)
}
