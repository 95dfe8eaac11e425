//! Source text as a list of tokens without gaps: the lexer's, and the tags, comments and white space
//! between them.

use php_frontend::ParseOptions;
use php_frontend::lexer::tokens::TokenKind as Kind;
use php_frontend::lexer::{Tokens, scan as scan_tokens};

use super::names;

/// A token, as scripts see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'s> {
    /// Number of its name, or the byte of a single character.
    pub(crate) id: i64,
    pub(crate) text: &'s [u8],
    /// The line it starts on.
    pub(crate) line: i64,
    /// Where it starts.
    pub(crate) position: usize,
}

impl Token<'_> {
    /// Whether it is a single character without a name.
    pub(crate) fn is_character(&self) -> bool {
        self.id < 256
    }
}

struct Scan<'s> {
    source: &'s [u8],
    position: usize,
    line: i64,
    tokens: Vec<Token<'s>>,
}

impl<'s> Scan<'s> {
    /// Adds the token from the position up to `end`.
    fn push(&mut self, id: i64, end: usize) {
        let text = &self.source[self.position..end];
        if text.is_empty() {
            return;
        }
        self.tokens.push(Token {
            id,
            text,
            line: self.line,
            position: self.position,
        });
        self.line += line_ends(self.source, self.position, end);
        self.position = end;
    }

    /// What the lexer passed over, up to `end`.
    fn gap(&mut self, end: usize) {
        while self.position < end {
            let rest = &self.source[self.position..end];
            match rest {
                [b'<', b'?', ..] => {
                    let length = open_tag_length(rest);
                    self.push(names::OPEN_TAG, self.position + length);
                }
                [b'#', ..] | [b'/', b'/', ..] => {
                    let length = rest
                        .iter()
                        .position(|byte| matches!(byte, b'\n' | b'\r'))
                        .unwrap_or(rest.len());
                    self.push(names::COMMENT, self.position + length);
                }
                [b'/', b'*', ..] => {
                    let length = match memchr::memmem::find(&rest[2..], b"*/") {
                        Some(found) => found + 4,
                        None => rest.len(),
                    };
                    let is_doc = matches!(rest[2..], [b'*', b' ' | b'\t' | b'\n' | b'\r', ..]);
                    let id = if is_doc {
                        names::DOC_COMMENT
                    } else {
                        names::COMMENT
                    };
                    self.push(id, self.position + length);
                }
                _ => {
                    let length = rest
                        .iter()
                        .position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
                        .unwrap_or(rest.len())
                        .max(1);
                    self.push(names::WHITESPACE, self.position + length);
                }
            }
        }
    }

    /// The line end before a heredoc's closing label belongs to its text.
    fn end_of_heredoc_text(&mut self, end: usize) {
        if self.position == end {
            return;
        }
        match self.tokens.last_mut() {
            Some(last) if last.id == names::ENCAPSED_AND_WHITESPACE => {
                last.text = &self.source[last.position..end];
                self.line += line_ends(self.source, self.position, end);
                self.position = end;
            }
            _ => self.push(names::ENCAPSED_AND_WHITESPACE, end),
        }
    }
}

fn line_ends(source: &[u8], start: usize, end: usize) -> i64 {
    let newline = |at: &usize| match source[*at] {
        b'\n' => true,
        b'\r' => source.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    (start..end).filter(newline).count() as i64
}

/// `<?php` with one white space, or `<?`.
fn open_tag_length(text: &[u8]) -> usize {
    match text.get(2..5) {
        Some(word) if word.eq_ignore_ascii_case(b"php") => match text[5..] {
            [b'\r', b'\n', ..] => 7,
            [] => 5,
            _ => 6,
        },
        _ => 2,
    }
}

/// The tokens of a source; whatever it holds, their texts together are the source.
pub(crate) fn scan<'s>(source: &'s [u8], options: &ParseOptions) -> Vec<Token<'s>> {
    let Tokens { tokens, .. } = scan_tokens(source, options);
    let mut scan = Scan {
        source,
        position: 0,
        line: 1,
        tokens: Vec::with_capacity(tokens.len() * 2),
    };
    for token in &tokens {
        let (start, end) = (token.start as usize, token.end as usize);
        if token.kind == Kind::HeredocEnd {
            scan.end_of_heredoc_text(start);
        }
        scan.gap(start);
        let text = &source[start..end];
        let id = match token.kind {
            Kind::EndOfFile | Kind::Error => break,
            Kind::Echo if text == b"<?=" => names::OPEN_TAG_WITH_ECHO,
            Kind::Semicolon if text.starts_with(b"?>") => names::CLOSE_TAG,
            // The grammar alone gives `b"` a meaning of its own.
            Kind::DoubleQuote => i64::from(b'"'),
            kind => names::number_of(kind).unwrap_or_else(|| text[0].into()),
        };
        scan.push(id, end);
    }
    // What follows `__halt_compiler();` is data.
    scan.push(names::INLINE_HTML, source.len());
    scan.tokens
}
