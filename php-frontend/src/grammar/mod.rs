//! What PHP says about a source that its grammar does not allow.
//!
//! `php.grammar` is made into the tables of an LALR parser by the build script. They are used only
//! once the parser has found an error: the messages are those of Bison, which depend on its tables.

mod automaton;

use automaton::Outcome;

use crate::lexer::tokens::TokenKind as T;
use crate::lexer::{Token, Tokens};
use crate::{ParseError, ParseErrorKind};

/// How the lexer begins what it says of a character that it does not know.
const BAD_CHARACTER: &[u8] = b"syntax error, unexpected character ";

/// Messages quote this much of a token.
const LONGEST_QUOTE: usize = 30;

/// The error of a source that the parser stopped at, at the token of that number.
pub(crate) fn syntax_error(source: &[u8], lexed: &Tokens, stopped_at: usize) -> ParseError {
    let outcome = automaton::run(lexed.tokens.iter().map(|token| token.kind));
    let (index, expected) = match outcome {
        Outcome::Failed { index, expected } => (index, expected),
        // The parser is stricter than the grammar file only by mistake.
        Outcome::Accepted => (stopped_at, Vec::new()),
    };
    let token = lexed.tokens[index];
    let mut message = b"syntax error, unexpected ".to_vec();
    match &lexed.error {
        // A character that is none of a token is like a token that is not allowed.
        Some(error) if index + 1 == lexed.tokens.len() => {
            if !is_of_character(error) {
                return error.clone();
            }
            message.clone_from(&error.message);
        }
        _ => message.extend_from_slice(&unexpected(source, token)),
    }
    for (number, kind) in expected.iter().enumerate() {
        message.extend_from_slice(if number == 0 {
            b", expecting "
        } else {
            b" or "
        });
        message.extend_from_slice(&self::expected(*kind));
    }
    ParseError::new(ParseErrorKind::Syntax, message, token.line)
}

/// True for an error of the lexer that the grammar has something to say of, too: a character that it does not know.
pub(crate) fn is_of_character(error: &ParseError) -> bool {
    error.message.starts_with(BAD_CHARACTER)
}

/// How an allowed token is named.
fn expected(kind: T) -> Vec<u8> {
    // One of the two tokens of `&` shows its internal name.
    if kind == T::Ampersand {
        return b"amp".to_vec();
    }
    if kind.is_quoted() {
        format!("\"{}\"", kind.text())
    } else {
        kind.text().to_owned()
    }
    .into()
}

/// How the token that is not allowed is named, with its text unless that is fixed.
fn unexpected(source: &[u8], token: Token) -> Vec<u8> {
    let kind = token.kind;
    if kind.is_quoted() {
        return format!("token \"{}\"", kind.text()).into();
    }
    if matches!(kind, T::EndOfFile | T::DoubleQuote) {
        return kind.text().into();
    }
    let mut text = &source[token.start as usize..token.end as usize];
    let mut name = kind.text();
    // Quotes go first at one end, then, after the text is cut at a line end, at the other.
    if let [quote @ (b'"' | b'\''), rest @ ..] = text {
        text = rest;
        if kind == T::QuotedString {
            name = if *quote == b'"' {
                "double-quoted string"
            } else {
                "single-quoted string"
            };
        }
    }
    if let Some(line_end) = memchr::memchr(b'\n', text) {
        text = &text[..line_end];
    }
    if let [rest @ .., b'"' | b'\''] = text
        && may_end_in_quote(kind)
    {
        text = rest;
    }
    let mut message = format!("{name} \"").into_bytes();
    if text.len() > LONGEST_QUOTE + 3 {
        message.extend_from_slice(&text[..LONGEST_QUOTE]);
        message.extend_from_slice(b"...");
    } else {
        message.extend_from_slice(text);
    }
    message.push(b'"');
    message
}

/// Only these can have a quote for their last byte.
fn may_end_in_quote(kind: T) -> bool {
    matches!(kind, T::QuotedString | T::HeredocStart | T::StringContent)
}
