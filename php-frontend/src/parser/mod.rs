//! The parser: tokens to the tree, by recursive descent, with precedence climbing for expressions.
//!
//! It only decides that a source is wrong; what PHP says about it is worked out by [`crate::grammar`]
//! once there is an error, since only the tables of an LALR parser know which tokens Bison lists.

mod arguments;
mod array;
mod class;
mod control;
mod expr;
mod function;
mod literal;
mod member;
mod modifiers;
mod names;
mod primary;
mod stmt;
mod toplevel;
mod types;

use bumpalo::Bump;
use vm_runtime::limits::known_stack_is_low;

use crate::ast::{Arg, ArrayItem, Expr, ExprKind, ExprRef, ParseWarning, Program, Stmt};
use crate::lexer::tokens::TokenKind as T;
use crate::lexer::{Token, Tokens, count_newlines, tokenize};
use crate::{Multibyte, ParseError, ParseErrorKind, ParseOptions, Warning, grammar};

/// How deep a source may nest. PHP's own parser stops at about ten thousand symbols. Both the parser and the users of the tree recurse on nesting, and
/// must fit in the 2 MB stack of a thread; without optimisation frames are many times as large.
const MAXIMUM_DEPTH: u32 = if cfg!(debug_assertions) { 250 } else { 1000 };

/// Why parsing stopped: an error of its own text, or a token the grammar does not allow.
#[derive(Debug)]
pub(crate) struct Failure(Option<Box<ParseError>>);

type Result<T> = std::result::Result<T, Failure>;

/// The parser at work.
struct Parser<'a, 't> {
    arena: &'a Bump,
    source: &'a [u8],
    tokens: &'t [Token],
    lexed: &'t Tokens,
    /// Number of the token looked at.
    index: usize,
    depth: u32,
    /// How many events of `lexed.docs` have been seen.
    docs_seen: usize,
    doc_comment: Option<&'a [u8]>,
    /// How many of `lexed.heredocs` have been taken.
    heredocs_seen: usize,
    /// A `yield` has been read in the function being parsed.
    saw_yield: bool,
    halt_offset: Option<usize>,
    /// An error that counts only if the rest of the source is right.
    deferred: Option<ParseError>,
    warnings: Vec<Warning>,
    multibyte: Option<Multibyte>,
    // Lists being read; a list is copied to the arena when it is complete.
    statements: Vec<Stmt<'a>>,
    expressions: Vec<ExprRef<'a>>,
    arguments: Vec<Arg<'a>>,
    items: Vec<Option<ArrayItem<'a>>>,
}

/// Parses a source text; see [`crate::parse`].
pub(crate) fn parse<'a>(
    arena: &'a Bump,
    source: &'a [u8],
    options: ParseOptions,
) -> std::result::Result<Program<'a>, ParseError> {
    let lexed = tokenize(source, &options);
    let mut parser = Parser {
        arena,
        source,
        tokens: &lexed.tokens,
        lexed: &lexed,
        index: 0,
        depth: 0,
        docs_seen: 0,
        doc_comment: None,
        heredocs_seen: 0,
        saw_yield: false,
        halt_offset: None,
        deferred: None,
        warnings: Vec::new(),
        multibyte: options.multibyte,
        statements: Vec::new(),
        expressions: Vec::new(),
        arguments: Vec::new(),
        items: Vec::new(),
    };
    let failure = match parser.program() {
        Ok(program) => match parser.deferred.take() {
            None => return Ok(program),
            Some(error) => Failure(Some(Box::new(error))),
        },
        Err(failure) => failure,
    };
    let error = match failure {
        Failure(Some(error)) => *error,
        Failure(None) => grammar::syntax_error(source, &lexed, parser.index),
    };
    Err(ParseError {
        warnings: parser.warnings,
        ..error
    })
}

impl<'a> Parser<'a, '_> {
    fn program(&mut self) -> Result<Program<'a>> {
        let statements = self.top_statements(T::EndOfFile)?;
        if self.kind() != T::EndOfFile {
            return self.syntax();
        }
        let warnings = self
            .arena
            .alloc_slice_fill_iter(self.warnings.iter().map(|warning| ParseWarning {
                message: self.arena.alloc_str(&warning.message),
                line: warning.line,
            }));
        Ok(Program {
            statements,
            halt_offset: self.halt_offset,
            end_line: self.line(),
            warnings,
        })
    }

    /// The kind of the token looked at.
    #[inline]
    fn kind(&self) -> T {
        self.tokens[self.index].kind
    }

    /// The kind of the token after it.
    #[inline]
    fn next_kind(&self) -> T {
        self.kind_at(1)
    }

    #[inline]
    fn kind_at(&self, distance: usize) -> T {
        self.tokens
            .get(self.index + distance)
            .map_or(T::EndOfFile, |token| token.kind)
    }

    #[inline]
    fn token(&self) -> Token {
        self.tokens[self.index]
    }

    #[inline]
    fn text(&self, token: Token) -> &'a [u8] {
        &self.source[token.start as usize..token.end as usize]
    }

    /// The line the lexer is at with the token looked at read.
    #[inline]
    fn line(&self) -> u32 {
        self.tokens[self.index].line
    }

    /// The line the lexer was at before it read the token looked at.
    #[inline]
    fn previous_line(&self) -> u32 {
        self.tokens[self.index.saturating_sub(1)].line
    }

    /// The line a token begins on.
    fn start_line(&self, token: Token) -> u32 {
        token.line - count_newlines(self.source, token.start as usize, token.end as usize)
    }

    /// Takes the token looked at. The last token is never taken.
    #[inline]
    fn bump(&mut self) -> Token {
        let token = self.tokens[self.index];
        if self.index + 1 < self.tokens.len() {
            self.index += 1;
        }
        token
    }

    /// Takes the token if it is of that kind.
    #[inline]
    fn eat(&mut self, kind: T) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    /// Takes a token that has to be of that kind.
    #[inline]
    fn expect(&mut self, kind: T) -> Result<Token> {
        if self.kind() == kind {
            Ok(self.bump())
        } else {
            self.syntax()
        }
    }

    /// `&`, whichever of its tokens it is.
    fn eat_ampersand(&mut self) -> bool {
        self.eat(T::Ampersand) || self.eat(T::AmpersandFollowed)
    }

    /// The grammar does not allow the token looked at.
    #[cold]
    fn syntax<R>(&self) -> Result<R> {
        match &self.lexed.error {
            Some(error) if self.kind() == T::Error && !grammar::is_of_character(error) => {
                Err(Failure(Some(Box::new(error.clone()))))
            }
            _ => Err(Failure(None)),
        }
    }

    /// A parse error with a text of its own.
    #[cold]
    fn parse_error<R>(&self, message: impl Into<Vec<u8>>, line: u32) -> Result<R> {
        let error = ParseError::new(ParseErrorKind::Syntax, message, line);
        Err(Failure(Some(Box::new(error))))
    }

    /// A fatal error that PHP raises while it parses.
    #[cold]
    fn fatal<R>(&self, message: impl Into<Vec<u8>>, line: u32) -> Result<R> {
        let error = ParseError::new(ParseErrorKind::Compile, message, line);
        Err(Failure(Some(Box::new(error))))
    }

    /// A fatal error that PHP raises once everything is parsed.
    #[cold]
    fn defer(&mut self, message: &str, line: u32) {
        let error = || ParseError::new(ParseErrorKind::Compile, message, line);
        self.deferred.get_or_insert_with(error);
    }

    #[cold]
    fn warn(&mut self, message: impl Into<String>, line: u32) {
        self.warnings.push(Warning {
            message: message.into(),
            line,
        });
    }

    /// Runs a step one level deeper.
    #[inline]
    fn nested<R>(&mut self, step: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        self.depth += 1;
        if self.depth > MAXIMUM_DEPTH || known_stack_is_low() {
            return self.parse_error("memory exhausted", self.line());
        }
        let result = step(self)?;
        self.depth -= 1;
        Ok(result)
    }

    #[inline]
    fn make(&self, kind: ExprKind<'a>, line: u32) -> ExprRef<'a> {
        self.arena.alloc(Expr {
            kind,
            line,
            parenthesized: false,
        })
    }

    /// The doc comment before the token of that number, if nothing has taken it.
    fn take_doc_comment(&mut self, before: usize) -> Option<&'a [u8]> {
        while let Some(event) = self.lexed.docs.get(self.docs_seen)
            && event.token as usize <= before
        {
            self.docs_seen += 1;
            self.doc_comment = (event.start < event.end)
                .then(|| &self.source[event.start as usize..event.end as usize]);
        }
        self.doc_comment.take()
    }
}
