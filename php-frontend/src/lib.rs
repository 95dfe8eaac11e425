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
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            short_open_tag: true,
            skip_shebang: false,
            in_code: false,
            first_line: 1,
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
