//! Numbers, strings and heredocs.

use super::{Parser, Result, T};
use crate::ast::{ExprKind as E, ExprRef, StringPart, StringPartSyntax};
use crate::lexer::heredoc::{Heredoc, strip_indentation};
use crate::lexer::numbers::{Number, float, integer};
use crate::lexer::strings::{decode_escapes, decode_single_quoted};
use crate::lexer::{Token, count_newlines};

/// What encloses the parts of an interpolated string.
#[derive(Clone, Copy)]
enum Enclosure {
    Quote(u8),
    Heredoc(Heredoc),
}

impl<'a> Parser<'a, '_> {
    pub(super) fn number(&mut self) -> Result<ExprRef<'a>> {
        let token = self.token();
        let text = self.text(token);
        let has_base = matches!(text, [b'0', b'x' | b'X' | b'b' | b'B' | b'o' | b'O', ..]);
        let has_fraction = text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
        let kind = match has_fraction && !has_base {
            true => Number::Float(float(text)),
            false => integer(text),
        };
        let kind = match kind {
            Number::Int(value) => E::Int(value),
            Number::Float(value) => E::Float(value),
            Number::Invalid => return self.parse_error("Invalid numeric literal", token.line),
        };
        self.bump();
        Ok(self.make(kind, token.line))
    }

    /// A string without interpolation.
    pub(super) fn quoted_string(&mut self) -> Result<ExprRef<'a>> {
        let token = self.token();
        let text = self.text(token);
        let prefix = usize::from(!matches!(text[0], b'"' | b'\''));
        let contents = &text[prefix + 1..text.len() - 1];
        let bytes = if text[prefix] == b'\'' {
            decode_single_quoted(self.arena, contents)
        } else {
            self.decode(contents, Some(b'"'), token)?
        };
        let bytes = self.literal(bytes);
        self.bump();
        Ok(self.make(E::String(bytes), self.start_line(token)))
    }

    /// The text of a literal, in the encoding that literals have.
    pub(super) fn literal(&self, text: &'a [u8]) -> &'a [u8] {
        match self.multibyte.and_then(|multibyte| multibyte.literals) {
            Some((encode, encoding)) => self.arena.alloc_slice_copy(&encode(text, encoding)),
            None => text,
        }
    }

    /// Resolves escapes; errors and warnings have the line their place is on.
    fn decode(&mut self, text: &'a [u8], quote: Option<u8>, token: Token) -> Result<&'a [u8]> {
        let mut overflows = Vec::new();
        let decoded = decode_escapes(self.arena, text, quote, &mut overflows);
        for offset in overflows {
            let digits = String::from_utf8_lossy(&text[offset..offset + 3]);
            let message =
                format!("Octal escape sequence overflow \\{digits} is greater than \\377");
            self.warn(
                message,
                self.start_line(token) + count_newlines(text, 0, offset),
            );
        }
        decoded.or_else(|error| {
            let line = self.start_line(token) + count_newlines(text, 0, error.offset);
            self.parse_error(error.message, line)
        })
    }

    /// `"..."` with variables in it.
    pub(super) fn interpolated_string(&mut self) -> Result<ExprRef<'a>> {
        self.bump();
        let (parts, line) = self.string_parts(T::DoubleQuote, Enclosure::Quote(b'"'))?;
        Ok(self.make(E::Interpolated(parts), line))
    }

    /// `` `...` ``
    pub(super) fn shell_exec(&mut self) -> Result<ExprRef<'a>> {
        self.bump();
        let (parts, line) = self.string_parts(T::Backtick, Enclosure::Quote(b'`'))?;
        Ok(self.make(E::ShellExec(parts), line))
    }

    /// `<<<X ... X`
    pub(super) fn heredoc(&mut self) -> Result<ExprRef<'a>> {
        let heredoc = self.lexed.heredocs[self.heredocs_seen];
        self.heredocs_seen += 1;
        self.bump();
        // The check of the first line's indentation comes before its text is read.
        let starts_bare = matches!(self.kind(), T::Variable | T::DollarBrace | T::CurlyOpen);
        if starts_bare && heredoc.indentation > 0 {
            let message = format!(
                "Invalid body indentation level (expecting an indentation level of at least {})",
                heredoc.indentation
            );
            return self.parse_error(message, self.previous_line());
        }
        let (parts, line) = self.string_parts(T::HeredocEnd, Enclosure::Heredoc(heredoc))?;
        let kind = match parts {
            [] => E::String(b""),
            [
                StringPart {
                    expr,
                    syntax: StringPartSyntax::Literal,
                },
            ] => expr.kind,
            parts => E::Interpolated(parts),
        };
        Ok(self.make(kind, line))
    }

    /// The parts up to the closing token, and the line of the first.
    fn string_parts(
        &mut self,
        close: T,
        enclosure: Enclosure,
    ) -> Result<(&'a [StringPart<'a>], u32)> {
        let mut parts = Vec::new();
        while self.kind() != close {
            parts.push(self.string_part(enclosure)?);
        }
        let end = self.bump();
        let line = parts.first().map_or(end.line, |part| part.expr.line);
        Ok((self.arena.alloc_slice_copy(&parts), line))
    }

    fn string_part(&mut self, enclosure: Enclosure) -> Result<StringPart<'a>> {
        let (expr, syntax) = match self.kind() {
            T::StringContent => (self.string_content(enclosure)?, StringPartSyntax::Literal),
            T::Variable => (self.simple_interpolation()?, StringPartSyntax::Simple),
            T::CurlyOpen => {
                self.bump();
                let variable = self.variable()?;
                self.expect(T::CloseBrace)?;
                (variable, StringPartSyntax::Braced)
            }
            T::DollarBrace => self.dollar_brace()?,
            _ => return self.syntax(),
        };
        Ok(StringPart { expr, syntax })
    }

    /// Literal text between interpolations.
    fn string_content(&mut self, enclosure: Enclosure) -> Result<ExprRef<'a>> {
        let token = self.token();
        let line = self.start_line(token);
        let text = self.text(token);
        let bytes = match enclosure {
            Enclosure::Quote(quote) => self.decode(text, Some(quote), token)?,
            Enclosure::Heredoc(heredoc) => {
                let text = self.without_indentation(text, &heredoc, line)?;
                if heredoc.nowdoc {
                    text
                } else {
                    self.decode(text, None, token)?
                }
            }
        };
        let bytes = self.literal(bytes);
        self.bump();
        Ok(self.make(E::String(bytes), line))
    }

    fn without_indentation(
        &self,
        text: &'a [u8],
        heredoc: &Heredoc,
        line: u32,
    ) -> Result<&'a [u8]> {
        if heredoc.indentation == 0 {
            return Ok(text);
        }
        let first = self.index - 1 == heredoc.token as usize;
        let last = self.next_kind() == T::HeredocEnd;
        let mut output = Vec::with_capacity(text.len());
        match strip_indentation(text, heredoc, first, last, &mut output) {
            Ok(()) => Ok(self.arena.alloc_slice_copy(&output)),
            Err(error) => self.parse_error(error.message, line + error.lines),
        }
    }

    /// `$name`, `$name[index]`, `$name->property`
    fn simple_interpolation(&mut self) -> Result<ExprRef<'a>> {
        let token = self.bump();
        let variable = self.make(E::Variable(&self.text(token)[1..]), token.line);
        match self.kind() {
            T::OpenBracket => {
                self.bump();
                let index = Some(self.simple_index()?);
                self.expect(T::CloseBracket)?;
                Ok(self.make(
                    E::Dim {
                        base: variable,
                        index,
                    },
                    token.line,
                ))
            }
            T::Arrow | T::NullsafeArrow => {
                let nullsafe = self.bump().kind == T::NullsafeArrow;
                let name = self.expect(T::Identifier)?;
                let name = self.make(E::String(self.text(name)), name.line);
                Ok(self.make(
                    E::Prop {
                        object: variable,
                        name,
                        nullsafe,
                    },
                    token.line,
                ))
            }
            _ => Ok(variable),
        }
    }

    /// An index in a string: a word is a string there, and only canonical integers are numbers.
    fn simple_index(&mut self) -> Result<ExprRef<'a>> {
        let token = self.token();
        let text = self.text(token);
        let kind = match token.kind {
            T::Identifier => E::String(text),
            T::Variable => E::Variable(&text[1..]),
            T::NumString => canonical_integer(text).map_or(E::String(text), E::Int),
            T::Minus if self.next_kind() == T::NumString => {
                self.bump();
                let number = self.token();
                let signed = &self.source[token.start as usize..number.end as usize];
                match canonical_integer(self.text(number)) {
                    Some(value) if value != 0 => E::Int(-value),
                    _ => E::String(signed),
                }
            }
            _ => {
                self.eat(T::Minus);
                return self.syntax();
            }
        };
        self.bump();
        Ok(self.make(kind, token.line))
    }

    /// `${name}`, `${name[index]}`, `${expression}`
    fn dollar_brace(&mut self) -> Result<(ExprRef<'a>, StringPartSyntax)> {
        self.bump();
        if self.kind() != T::StringVarname {
            let name = self.expression()?;
            self.expect(T::CloseBrace)?;
            let variable = self.variable_named(name);
            return Ok((variable, StringPartSyntax::DollarBraceExpression));
        }
        let token = self.bump();
        let mut variable = self.make(E::Variable(self.text(token)), token.line);
        if self.eat(T::OpenBracket) {
            let index = Some(self.expression()?);
            self.expect(T::CloseBracket)?;
            variable = self.make(
                E::Dim {
                    base: variable,
                    index,
                },
                token.line,
            );
        }
        self.expect(T::CloseBrace)?;
        Ok((variable, StringPartSyntax::DollarBrace))
    }
}

/// The value of a decimal integer without leading zeros that fits in 64 bits.
fn canonical_integer(text: &[u8]) -> Option<i64> {
    let decimal = text.iter().all(u8::is_ascii_digit);
    let canonical = decimal && (text == b"0" || text.first() != Some(&b'0'));
    if !canonical {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}
