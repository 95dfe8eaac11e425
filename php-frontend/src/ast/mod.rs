//! The syntax tree: what the parser makes and the compiler reads.
//!
//! Every node lives in one [`bumpalo::Bump`] arena, is `Copy`, and borrows names and string contents
//! as bytes, since PHP source has no encoding. Lines follow the rule of Zend's tree: a node made
//! of children has the line of its first child, else the line the lexer had reached.

mod decl;
mod dump;
mod expr;
mod stmt;

pub use decl::*;
pub use dump::dump;
pub use expr::*;
pub use stmt::*;

/// A whole parsed file.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The top-level statements, in source order.
    pub statements: &'a [Stmt<'a>],
    /// Offset of the first byte after `__halt_compiler();`, when the file has one.
    pub halt_offset: Option<usize>,
    /// The line the lexer was at when parsing ended; the final implicit `return` carries it.
    pub end_line: u32,
    /// Warnings that PHP raises while it parses.
    pub warnings: &'a [ParseWarning<'a>],
}

/// A warning that PHP raises while it parses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseWarning<'a> {
    /// PHP's text.
    pub message: &'a str,
    /// The line PHP reports.
    pub line: u32,
}

/// How a name was written, which decides how it is resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameKind {
    /// `Foo`
    Unqualified,
    /// `Foo\Bar`
    Qualified,
    /// `\Foo\Bar`; the leading backslash is not in the bytes.
    FullyQualified,
    /// `namespace\Foo`; the leading `namespace\` is not in the bytes.
    Relative,
}

/// A class, function or constant name as written.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    /// The name without the prefix its kind implies.
    pub bytes: &'a [u8],
    /// Source line.
    pub line: u32,
    /// How it was written.
    pub kind: NameKind,
}

/// An identifier with its line, where a name can have no namespace.
#[derive(Clone, Copy, Debug)]
pub struct Identifier<'a> {
    /// The bytes as written (case kept).
    pub bytes: &'a [u8],
    /// Source line.
    pub line: u32,
}

/// A type declaration.
#[derive(Clone, Copy, Debug)]
pub struct Type<'a> {
    /// What type it is.
    pub kind: TypeKind<'a>,
    /// Source line.
    pub line: u32,
}

/// The forms of a type declaration.
#[derive(Clone, Copy, Debug)]
pub enum TypeKind<'a> {
    /// A class or a built-in type written as a name (`int`, `self`, `mixed`, ...).
    Named(Name<'a>),
    /// `array`, a keyword of its own.
    Array,
    /// `callable`, a keyword of its own.
    Callable,
    /// `static`.
    Static,
    /// `?T`
    Nullable(&'a Type<'a>),
    /// `A|B`, whose members may be parenthesised intersections.
    Union(&'a [Type<'a>]),
    /// `A&B`
    Intersection(&'a [Type<'a>]),
}
