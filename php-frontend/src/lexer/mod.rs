//! The lexer: bytes to tokens.
//!
//! PHP's lexer never asks the parser anything, so a whole file is cut into tokens first and the
//! parser walks an array. A lexical error ends the array with an `Error` token; it is reported only
//! if the parser gets that far. Texts are decoded (strings, numbers, heredocs) when the
//! parser takes a token, since most tokens need no decoding.

mod code;
pub(crate) mod heredoc;
mod keywords;
pub(crate) mod numbers;
pub(crate) mod strings;
pub mod tokens;

use crate::{ParseError, ParseErrorKind, ParseOptions};
use heredoc::Heredoc;
use tokens::TokenKind;

/// A token: what it is, where it is, and the line the lexer had reached when it was read.
///
/// For a token with newlines in it that is the line of its end, as it is for Zend's lexer.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
    /// The line at the end of the token.
    pub line: u32,
    /// What it is.
    pub kind: TokenKind,
}

/// A doc comment, or a `}` that makes Zend forget the one before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DocEvent {
    /// Number of the token that follows.
    pub token: u32,
    /// Offset of the first byte; equal to `end` when the event forgets.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

/// What the lexer makes of a source.
#[derive(Debug)]
pub struct Tokens {
    /// The tokens; the last is `EndOfFile` or `Error`.
    pub tokens: Vec<Token>,
    /// Doc comments in order.
    pub(crate) docs: Vec<DocEvent>,
    /// Heredocs and nowdocs, in order of their start.
    pub(crate) heredocs: Vec<Heredoc>,
    /// Why the last token is `Error`.
    pub error: Option<ParseError>,
}

/// What kind of text the lexer is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Outside of the PHP tags.
    Html,
    /// PHP code.
    Code,
    /// Inside `"`.
    DoubleQuotes,
    /// Inside `` ` ``.
    Backtick,
    /// Inside the heredoc of that number.
    Heredoc(u32),
}

/// An open bracket.
#[derive(Clone, Copy, Debug)]
struct Bracket {
    open: u8,
    line: u32,
    /// What to go back to at the closing `}`.
    state: State,
}

/// A lexer at work.
struct Lexer<'s> {
    source: &'s [u8],
    position: usize,
    line: u32,
    /// The newline of `?>` or before a heredoc's end counts only when the next token is read.
    pending_newline: bool,
    state: State,
    brackets: Vec<Bracket>,
    short_open_tag: bool,
    /// After `->`: a word is a name, whatever it spells.
    after_arrow: bool,
    /// How many tokens of `__halt_compiler ( ) ;` have been seen.
    halt_progress: u8,
    /// Read on over what is no token; see [`scan`].
    lenient: bool,
    output: Tokens,
}

/// Whether a byte can start an identifier.
pub(crate) const fn is_label_start(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80..)
}

/// Whether a byte can continue an identifier.
pub(crate) const fn is_label(byte: u8) -> bool {
    LABEL[byte as usize]
}

static LABEL: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = is_label_start(byte as u8) || (byte as u8).is_ascii_digit();
        byte += 1;
    }
    table
};

/// Cuts a source into tokens.
pub fn tokenize(source: &[u8], options: &ParseOptions) -> Tokens {
    run(source, options, false)
}

/// Cuts a source into tokens for tools that show them: what is no token becomes `BadCharacter`, an
/// unterminated comment reaches to the end, and brackets need not match.
pub fn scan(source: &[u8], options: &ParseOptions) -> Tokens {
    run(source, options, true)
}

fn run(source: &[u8], options: &ParseOptions, lenient: bool) -> Tokens {
    let mut lexer = Lexer {
        source,
        position: 0,
        line: options.first_line,
        pending_newline: false,
        state: if options.in_code {
            State::Code
        } else {
            State::Html
        },
        brackets: Vec::new(),
        short_open_tag: options.short_open_tag,
        after_arrow: false,
        halt_progress: 0,
        lenient,
        output: Tokens {
            tokens: Vec::with_capacity(source.len() / 5 + 8),
            docs: Vec::new(),
            heredocs: Vec::new(),
            error: None,
        },
    };
    if source.len() >= u32::MAX as usize {
        lexer.fail("source file is too large");
        return lexer.output;
    }
    if options.skip_shebang && source.starts_with(b"#!") {
        lexer.skip_shebang();
    }
    lexer.run();
    lexer.output
}

impl Lexer<'_> {
    fn run(&mut self) {
        loop {
            let more = match self.state {
                State::Code => self.code(),
                State::Html => self.html(),
                State::DoubleQuotes => self.string_part(b'"'),
                State::Backtick => self.string_part(b'`'),
                State::Heredoc(number) => self.heredoc_part(number),
            };
            if !more {
                return;
            }
        }
    }

    /// The byte at the position, or zero at the end: no token can have a zero in it unseen, because
    /// those that take any byte compare positions.
    #[inline]
    fn peek(&self) -> u8 {
        self.peek_at(0)
    }

    #[inline]
    fn peek_at(&self, distance: usize) -> u8 {
        self.source
            .get(self.position + distance)
            .copied()
            .unwrap_or(0)
    }

    fn rest(&self) -> &[u8] {
        self.source.get(self.position..).unwrap_or(&[])
    }

    #[inline]
    fn push(&mut self, kind: TokenKind, start: usize) {
        self.output.tokens.push(Token {
            start: start as u32,
            end: self.position as u32,
            line: self.line,
            kind,
        });
    }

    #[inline]
    fn settle_newline(&mut self) {
        if self.pending_newline {
            self.pending_newline = false;
            self.line += 1;
        }
    }

    /// Ends the tokens with an error; `false` stops the lexer.
    fn fail(&mut self, message: impl Into<Vec<u8>>) -> bool {
        let start = self.position;
        self.push(TokenKind::Error, start);
        self.output.error = Some(ParseError::new(ParseErrorKind::Syntax, message, self.line));
        false
    }

    /// Ends the tokens; open brackets are an error of the lexer, not of the grammar.
    fn finish(&mut self) -> bool {
        self.settle_newline();
        if let Some(bracket) = self.brackets.last().copied()
            && !self.lenient
        {
            let message = self.unclosed(bracket);
            return self.fail(message);
        }
        let start = self.position;
        self.push(TokenKind::EndOfFile, start);
        false
    }

    fn unclosed(&self, bracket: Bracket) -> String {
        let open = bracket.open as char;
        if bracket.line == self.line {
            format!("Unclosed '{open}'")
        } else {
            format!("Unclosed '{open}' on line {}", bracket.line)
        }
    }

    fn open(&mut self, open: u8) {
        let bracket = Bracket {
            open,
            line: self.line,
            state: self.state,
        };
        self.brackets.push(bracket);
    }

    /// Checks a closing bracket against the open one. `Err` holds what [`Self::fail`] returned.
    fn close(&mut self, close: u8) -> Result<Bracket, bool> {
        let Some(bracket) = self.brackets.pop() else {
            if self.lenient {
                return Ok(Bracket {
                    open: close,
                    line: self.line,
                    state: State::Code,
                });
            }
            return Err(self.fail(format!("Unmatched '{}'", close as char)));
        };
        let matches = matches!(
            (bracket.open, close),
            (b'(', b')') | (b'[', b']') | (b'{', b'}')
        );
        if matches || self.lenient {
            return Ok(bracket);
        }
        let message = format!(
            "{} does not match '{}'",
            self.unclosed(bracket),
            close as char
        );
        Err(self.fail(message))
    }

    /// Adds the newlines of `start..end` to the line.
    fn count_newlines(&mut self, start: usize, end: usize) {
        self.line += count_newlines(self.source, start, end);
    }

    fn skip_shebang(&mut self) {
        match memchr::memchr(b'\n', self.source) {
            Some(newline) => {
                self.position = newline + 1;
                self.line += 1;
            }
            None => self.position = self.source.len(),
        }
    }

    /// Text outside of the tags, up to and with the next opening tag.
    fn html(&mut self) -> bool {
        self.settle_newline();
        let start = self.position;
        let mut search = start;
        loop {
            let Some(found) = memchr::memmem::find(&self.source[search..], b"<?") else {
                self.position = self.source.len();
                self.inline_html(start, self.position);
                return self.finish();
            };
            let tag = search + found;
            let after = &self.source[tag + 2..];
            if after.first() == Some(&b'=') {
                self.position = tag;
                self.inline_html(start, tag);
                self.position = tag + 3;
                self.push(TokenKind::Echo, tag);
                self.state = State::Code;
                return true;
            }
            if let Some(length) = php_tag_length(after) {
                self.position = tag;
                self.inline_html(start, tag);
                self.position = tag + 2 + length;
                self.count_newlines(tag, self.position);
                self.state = State::Code;
                return true;
            }
            if self.short_open_tag {
                self.position = tag;
                self.inline_html(start, tag);
                self.position = tag + 2;
                self.state = State::Code;
                return true;
            }
            search = tag + 2;
        }
    }

    fn inline_html(&mut self, start: usize, end: usize) {
        if start < end {
            self.count_newlines(start, end);
            self.push(TokenKind::InlineHtml, start);
        }
    }
}

/// Length of `php` and the white space it needs after it, when the text has them.
fn php_tag_length(after: &[u8]) -> Option<usize> {
    let word = after.get(..3)?;
    if !word.eq_ignore_ascii_case(b"php") {
        return None;
    }
    match after.get(3) {
        None => Some(3),
        Some(b' ' | b'\t' | b'\n') => Some(4),
        Some(b'\r') if after.get(4) == Some(&b'\n') => Some(5),
        Some(b'\r') => Some(4),
        Some(_) => None,
    }
}

/// Line ends in `start..end`: `\n`, and `\r` when no `\n` follows it.
pub(crate) fn count_newlines(source: &[u8], start: usize, end: usize) -> u32 {
    let text = &source[start..end];
    let mut count = memchr::memchr_iter(b'\n', text).count();
    if memchr::memchr(b'\r', text).is_some() {
        count += memchr::memchr_iter(b'\r', text)
            .filter(|&at| source.get(start + at + 1) != Some(&b'\n'))
            .count();
    }
    count as u32
}
