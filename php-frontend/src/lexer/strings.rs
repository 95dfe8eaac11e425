//! Quoted strings: cutting them into tokens, and decoding their escapes.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::tokens::TokenKind as T;
use super::{Lexer, State, is_label, is_label_start};

impl Lexer<'_> {
    /// A string in `"`: one token when nothing is interpolated, else the start of its parts.
    pub(super) fn double_quote(&mut self, start: usize) -> bool {
        let quote = if self.source[start] == b'"' {
            start
        } else {
            start + 1
        };
        let mut position = quote + 1;
        let mut newlines = false;
        while let Some(&byte) = self.source.get(position) {
            match byte {
                b'"' => {
                    self.position = position + 1;
                    if newlines {
                        self.count_newlines(start, position);
                    }
                    self.push(T::QuotedString, start);
                    return true;
                }
                b'\n' | b'\r' => newlines = true,
                // A line end may be escaped too.
                b'\\' => {
                    position += 1;
                    newlines |= matches!(self.source.get(position), Some(b'\n' | b'\r'));
                }
                b'$' | b'{' if self.interpolates(position) => break,
                _ => {}
            }
            position += 1;
        }
        self.position = quote + 1;
        self.push(T::DoubleQuote, start);
        self.state = State::DoubleQuotes;
        false
    }

    /// A string in `'`.
    pub(super) fn single_quoted(&mut self, start: usize) -> bool {
        let quote = if self.source[start] == b'\'' {
            start
        } else {
            start + 1
        };
        let mut position = quote + 1;
        let mut newlines = false;
        while let Some(&byte) = self.source.get(position) {
            match byte {
                b'\'' => {
                    self.position = position + 1;
                    if newlines {
                        self.count_newlines(start, position);
                    }
                    self.push(T::QuotedString, start);
                    return true;
                }
                b'\n' | b'\r' => newlines = true,
                b'\\' => {
                    position += 1;
                    newlines |= matches!(self.source.get(position), Some(b'\n' | b'\r'));
                }
                _ => {}
            }
            position += 1;
        }
        // Zend has no token for a lone `'`: the rest is string content, its lines uncounted.
        self.position = self.source.len();
        self.push(T::StringContent, start);
        true
    }

    /// Whether `$name`, `${` or `{$` is at the position.
    #[inline]
    pub(super) fn interpolates(&self, position: usize) -> bool {
        match (self.source[position], self.source.get(position + 1)) {
            (b'$', Some(&next)) => next == b'{' || is_label_start(next),
            (b'{', Some(&next)) => next == b'$',
            _ => false,
        }
    }

    /// The next part of a string in `"` or `` ` ``.
    pub(super) fn string_part(&mut self, quote: u8) -> bool {
        let start = self.position;
        let Some(&byte) = self.source.get(start) else {
            return self.finish();
        };
        if byte == quote {
            self.position += 1;
            self.push(
                if quote == b'"' {
                    T::DoubleQuote
                } else {
                    T::Backtick
                },
                start,
            );
            self.state = State::Code;
            return true;
        }
        if matches!(byte, b'$' | b'{') && self.interpolates(start) {
            return self.interpolation();
        }
        let mut position = start;
        while let Some(&byte) = self.source.get(position) {
            match byte {
                b'\\' => position += 1,
                b'$' | b'{' if self.interpolates(position) => break,
                _ if byte == quote => break,
                _ => {}
            }
            position += 1;
        }
        self.position = position.min(self.source.len());
        self.count_newlines(start, self.position);
        self.push(T::StringContent, start);
        true
    }

    /// An interpolation at the position; see [`Self::interpolates`].
    pub(super) fn interpolation(&mut self) -> bool {
        let start = self.position;
        if self.source[start] == b'{' {
            self.open(b'{');
            self.position += 1;
            self.push(T::CurlyOpen, start);
            self.state = State::Code;
            return true;
        }
        if self.peek_at(1) == b'{' {
            self.open(b'{');
            self.position += 2;
            self.push(T::DollarBrace, start);
            self.state = State::Code;
            let name = self.position;
            let end = self.label_end_at(name);
            // `${name}` and `${name[`: anything else is an expression.
            if end > name && matches!(self.source.get(end), Some(b'[' | b'}')) {
                self.position = end;
                self.push(T::StringVarname, name);
            }
            return true;
        }
        self.position = self.label_end_at(start + 1);
        self.push(T::Variable, start);
        match self.rest() {
            [b'[', ..] => return self.variable_offset(),
            [b'-', b'>', next, ..] if is_label_start(*next) => self.simple_property(T::Arrow, 2),
            [b'?', b'-', b'>', next, ..] if is_label_start(*next) => {
                self.simple_property(T::NullsafeArrow, 3);
            }
            _ => {}
        }
        true
    }

    fn label_end_at(&self, start: usize) -> usize {
        let mut position = start;
        if self
            .source
            .get(position)
            .copied()
            .is_some_and(is_label_start)
        {
            while self.source.get(position).copied().is_some_and(is_label) {
                position += 1;
            }
        }
        position
    }

    fn simple_property(&mut self, arrow: T, length: usize) {
        let start = self.position;
        self.position += length;
        self.push(arrow, start);
        let name = self.position;
        self.position = self.label_end_at(name);
        self.push(T::Identifier, name);
    }

    /// `[index]` after a variable in a string. What cannot be an index becomes the token Zend's
    /// lexer makes of it, for the message; the parser goes no further.
    fn variable_offset(&mut self) -> bool {
        let start = self.position;
        self.position += 1;
        self.push(T::OpenBracket, start);
        for _ in 0..3 {
            let start = self.position;
            let Some(&byte) = self.source.get(start) else {
                return true;
            };
            if byte == b']' {
                self.position += 1;
                self.push(T::CloseBracket, start);
                return true;
            }
            if byte.is_ascii_digit() {
                self.number();
                self.keep_integer_part(start);
            } else if is_label_start(byte) {
                self.position = self.label_end_at(start);
                self.push(T::Identifier, start);
            } else if byte == b'$' && is_label_start(self.peek_at(1)) {
                self.position = self.label_end_at(start + 1);
                self.push(T::Variable, start);
            } else if matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b'\\' | b'\'' | b'#') {
                self.push(T::StringContent, start);
                return true;
            } else if let Some(kind) = single_byte_token(byte) {
                self.position += 1;
                self.push(kind, start);
                if kind != T::Minus {
                    return true;
                }
            } else {
                return self.bad_character(byte);
            }
        }
        true
    }

    /// An index has no fraction and no exponent: `"$a[1.5]"` stops at the point.
    fn keep_integer_part(&mut self, start: usize) {
        let text = &self.source[start..self.position];
        let plain = text.len() > 1 && text[0] == b'0' && text[1].is_ascii_alphabetic();
        if !plain {
            let length = text
                .iter()
                .position(|byte| !matches!(byte, b'0'..=b'9' | b'_'))
                .unwrap_or(text.len());
            self.position = start + length;
        }
        let end = self.position as u32;
        if let Some(token) = self.output.tokens.last_mut() {
            token.kind = T::NumString;
            token.end = end;
        }
    }
}

/// The token of one byte that stands for itself.
fn single_byte_token(byte: u8) -> Option<T> {
    T::ALL
        .iter()
        .copied()
        .find(|kind| kind.is_quoted() && kind.text().as_bytes() == [byte])
        .or(match byte {
            b'"' => Some(T::DoubleQuote),
            _ => None,
        })
}

/// Why the escapes of a string are wrong, and at which offset of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EscapeError {
    pub message: &'static str,
    pub offset: usize,
}

/// The contents of a string in `'`: only `\\` and `\'` are escapes.
pub(crate) fn decode_single_quoted<'a>(arena: &'a Bump, text: &'a [u8]) -> &'a [u8] {
    let Some(first) = memchr::memchr(b'\\', text) else {
        return text;
    };
    let mut output = ArenaVec::with_capacity_in(text.len(), arena);
    output.extend_from_slice_copy(&text[..first]);
    let mut rest = &text[first..];
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after.first()) {
            (b'\\', Some(&next @ (b'\\' | b'\''))) => {
                output.push(next);
                rest = &after[1..];
            }
            _ => output.push(byte),
        }
    }
    output.into_bump_slice()
}

/// The contents of a string in `"` or `` ` ``, or of a heredoc (`quote` is `None`).
///
/// The offsets of octal escapes above `\377` are added to `overflows`.
pub(crate) fn decode_escapes<'a>(
    arena: &'a Bump,
    text: &'a [u8],
    quote: Option<u8>,
    overflows: &mut Vec<usize>,
) -> Result<&'a [u8], EscapeError> {
    let Some(first) = memchr::memchr(b'\\', text) else {
        return Ok(text);
    };
    let mut output = ArenaVec::with_capacity_in(text.len(), arena);
    output.extend_from_slice_copy(&text[..first]);
    let mut position = first;
    while position < text.len() {
        let byte = text[position];
        position += 1;
        let Some(&escape) = text.get(position).filter(|_| byte == b'\\') else {
            output.push(byte);
            continue;
        };
        position += 1;
        match escape {
            b'n' => output.push(b'\n'),
            b't' => output.push(b'\t'),
            b'r' => output.push(b'\r'),
            b'f' => output.push(0x0c),
            b'v' => output.push(0x0b),
            b'e' => output.push(0x1b),
            b'\\' | b'$' => output.push(escape),
            b'"' | b'`' if quote == Some(escape) => output.push(escape),
            b'x' | b'X' if text.get(position).is_some_and(u8::is_ascii_hexdigit) => {
                output.push(radix(text, &mut position, 16, 2));
            }
            b'0'..=b'7' => {
                position -= 1;
                let digits = position;
                output.push(radix(text, &mut position, 8, 3));
                if position - digits == 3 && text[digits] > b'3' {
                    overflows.push(digits);
                }
            }
            b'u' if text.get(position) == Some(&b'{') => {
                position = unicode(text, position, &mut output)?;
            }
            _ => output.extend_from_slice_copy(&[b'\\', escape]),
        }
    }
    Ok(output.into_bump_slice())
}

/// Up to `most` digits as a byte; the ninth bit of `\777` falls away.
fn radix(text: &[u8], position: &mut usize, base: u32, most: usize) -> u8 {
    let mut value = 0;
    for _ in 0..most {
        let Some(digit) = text
            .get(*position)
            .and_then(|&byte| char::from(byte).to_digit(base))
        else {
            break;
        };
        value = value * base + digit;
        *position += 1;
    }
    value as u8
}

/// `{hex}` at the position: appends its UTF-8 form, gives the position after it.
fn unicode(
    text: &[u8],
    position: usize,
    output: &mut ArenaVec<'_, u8>,
) -> Result<usize, EscapeError> {
    let digits = position + 1;
    let invalid = EscapeError {
        message: "Invalid UTF-8 codepoint escape sequence",
        offset: position,
    };
    let length = text[digits..]
        .iter()
        .position(|byte| !byte.is_ascii_hexdigit())
        .filter(|&length| length > 0 && text[digits + length] == b'}')
        .ok_or(invalid)?;
    let code = text[digits..digits + length]
        .iter()
        .fold(0u32, |value, &byte| {
            let digit = char::from(byte).to_digit(16).unwrap_or(0);
            value.saturating_mul(16).saturating_add(digit)
        });
    if code > 0x10_ffff {
        let message = "Invalid UTF-8 codepoint escape sequence: Codepoint too large";
        return Err(EscapeError {
            message,
            offset: position,
        });
    }
    // PHP encodes surrogates too, which `char` refuses.
    let low = |shift: u32| 0x80 | (code >> shift & 0x3f) as u8;
    match code {
        0..0x80 => output.push(code as u8),
        0x80..0x800 => output.extend_from_slice_copy(&[0xc0 | (code >> 6) as u8, low(0)]),
        0x800..0x1_0000 => {
            output.extend_from_slice_copy(&[0xe0 | (code >> 12) as u8, low(6), low(0)]);
        }
        _ => output.extend_from_slice_copy(&[0xf0 | (code >> 18) as u8, low(12), low(6), low(0)]),
    }
    Ok(digits + length + 1)
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;

    use super::{decode_escapes, decode_single_quoted};

    #[test]
    fn escapes_of_double_quotes() {
        let arena = Bump::new();
        let text = br#"a\n\x41\X4\101\u{e9}\u{1F600}\$\"\'\q\\"#;
        let decoded = decode_escapes(&arena, text, Some(b'"'), &mut Vec::new()).unwrap();
        let expected = "a\nA\x04A\u{e9}\u{1F600}$\"\\'\\q\\";
        assert_eq!(decoded, expected.as_bytes());
    }

    #[test]
    fn quotes_stay_escaped_elsewhere() {
        let arena = Bump::new();
        assert_eq!(
            decode_escapes(&arena, br#"\""#, None, &mut Vec::new()).unwrap(),
            br#"\""#
        );
        assert_eq!(decode_single_quoted(&arena, br"a\'b\\c\n"), br"a'b\c\n");
    }

    #[test]
    fn bad_unicode_escapes() {
        let arena = Bump::new();
        for text in [&br"\u{"[..], br"\u{}", br"\u{zz}", br"\u{110000}"] {
            assert!(decode_escapes(&arena, text, None, &mut Vec::new()).is_err());
        }
        assert_eq!(
            decode_escapes(&arena, br"\u41", None, &mut Vec::new()).unwrap(),
            br"\u41"
        );
    }
}
