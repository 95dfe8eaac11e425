//! What PHP says about a source that its grammar does not allow.

use crate::lexer::Tokens;
use crate::{ParseError, ParseErrorKind};

/// The error of a source that the parser stopped at, at the token of that number.
pub(crate) fn syntax_error(source: &[u8], lexed: &Tokens, index: usize) -> ParseError {
    let token = lexed.tokens[index];
    let text = &source[token.start as usize..token.end as usize];
    let mut message = format!("syntax error, unexpected {} ", token.kind.text()).into_bytes();
    message.extend_from_slice(text);
    ParseError {
        kind: ParseErrorKind::Syntax,
        message,
        line: token.line,
    }
}
