//! Tokens of PHP code.

use super::keywords::keyword;
use super::tokens::TokenKind as T;
use super::{DocEvent, Lexer, State, is_label, is_label_start};

/// What a byte starts, in code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Newline,
    Label,
    Digit,
    Other,
}

static CLASS: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        let value = byte as u8;
        table[byte] = match value {
            b' ' | b'\t' => Class::Space,
            b'\n' | b'\r' => Class::Newline,
            b'0'..=b'9' => Class::Digit,
            _ if is_label_start(value) => Class::Label,
            _ => Class::Other,
        };
        byte += 1;
    }
    table
};

impl Lexer<'_> {
    /// Reads code until the state changes or the source ends.
    pub(super) fn code(&mut self) -> bool {
        self.settle_newline();
        loop {
            let Some(&byte) = self.source.get(self.position) else {
                return self.finish();
            };
            match CLASS[byte as usize] {
                Class::Space => self.position += 1,
                Class::Newline => self.newline(byte),
                Class::Label => {
                    if !self.word() {
                        return self.state_changed_or_stopped();
                    }
                }
                Class::Digit => self.number(),
                Class::Other => {
                    if !self.punctuation(byte) {
                        return self.state_changed_or_stopped();
                    }
                }
            }
        }
    }

    /// After a step said stop: go on in another state unless the tokens are complete.
    fn state_changed_or_stopped(&self) -> bool {
        !matches!(self.output.tokens.last(), Some(token) if matches!(token.kind, T::Error | T::EndOfFile))
    }

    #[inline]
    fn newline(&mut self, byte: u8) {
        self.position += 1;
        if byte == b'\n' || self.peek() != b'\n' {
            self.line += 1;
        }
    }

    #[inline]
    fn label_end(&self, mut position: usize) -> usize {
        while let Some(&byte) = self.source.get(position)
            && is_label(byte)
        {
            position += 1;
        }
        position
    }

    /// An identifier, a keyword or a name with backslashes.
    fn word(&mut self) -> bool {
        let start = self.position;
        let end = self.label_end(start + 1);
        self.position = end;
        let next = self.peek();
        if self.after_arrow {
            self.after_arrow = false;
            self.push(T::Identifier, start);
            return true;
        }
        if next == b'\\' && is_label_start(self.peek_at(1)) {
            return self.qualified(start, end);
        }
        if matches!(next, b'"' | b'\'' | b'<')
            && end - start == 1
            && matches!(self.source[start], b'b' | b'B')
        {
            return self.binary_prefix(start, next);
        }
        let kind = keyword(&self.source[start..end]);
        if kind == T::Identifier {
            self.push(kind, start);
            return true;
        }
        self.keyword(kind, start)
    }

    /// `A\B`, or `namespace\A`.
    fn qualified(&mut self, start: usize, first_end: usize) -> bool {
        let relative = self.source[start..first_end].eq_ignore_ascii_case(b"namespace");
        self.qualified_tail();
        self.push(
            if relative {
                T::NameRelative
            } else {
                T::NameQualified
            },
            start,
        );
        true
    }

    /// Moves over `\A\B...` as far as it goes.
    fn qualified_tail(&mut self) {
        while self.peek() == b'\\' && is_label_start(self.peek_at(1)) {
            self.position = self.label_end(self.position + 2);
        }
    }

    /// `b"..."`, `b'...'` and `b<<<X`: the prefix means nothing.
    fn binary_prefix(&mut self, start: usize, next: u8) -> bool {
        match next {
            b'"' => self.double_quote(start),
            b'\'' => self.single_quoted(start),
            _ if self.rest().starts_with(b"<<<") && self.heredoc_start(start) => false,
            _ => {
                self.push(T::Identifier, start);
                true
            }
        }
    }

    /// Keywords that look at what follows them.
    fn keyword(&mut self, mut kind: T, start: usize) -> bool {
        match kind {
            T::Yield => {
                let after = self.skip_blank(self.position);
                let end = after + 4;
                if after > self.position
                    && self
                        .source
                        .get(after..end)
                        .is_some_and(|word| word.eq_ignore_ascii_case(b"from"))
                    && !self.source.get(end).copied().is_some_and(is_label)
                {
                    self.count_newlines(start, end);
                    self.position = end;
                    kind = T::YieldFrom;
                }
            }
            T::Enum => {
                let after = self.skip_blank(self.position);
                let word = &self.source[after..self.label_end(after)];
                let names_type = after > self.position
                    && word.first().copied().is_some_and(is_label_start)
                    && !word
                        .get(..7)
                        .is_some_and(|word| word.eq_ignore_ascii_case(b"extends"))
                    && !word
                        .get(..10)
                        .is_some_and(|word| word.eq_ignore_ascii_case(b"implements"));
                if !names_type {
                    kind = T::Identifier;
                }
            }
            T::Public | T::Protected | T::Private
                if self
                    .rest()
                    .get(..5)
                    .is_some_and(|text| text.eq_ignore_ascii_case(b"(set)")) =>
            {
                self.position += 5;
                kind = match kind {
                    T::Public => T::PublicSet,
                    T::Protected => T::ProtectedSet,
                    _ => T::PrivateSet,
                };
            }
            T::HaltCompiler => self.halt_progress = 1,
            _ => {}
        }
        self.push(kind, start);
        true
    }

    /// The position after white space and comments.
    fn skip_blank(&self, mut position: usize) -> usize {
        loop {
            let rest = &self.source[position..];
            match rest {
                [b' ' | b'\t' | b'\n' | b'\r', ..] => position += 1,
                [b'#', b'[', ..] => return position,
                [b'#', ..] | [b'/', b'/', ..] => match memchr::memchr2(b'\n', b'\r', rest) {
                    Some(end) => position += end,
                    None => return self.source.len(),
                },
                [b'/', b'*', ..] => match memchr::memmem::find(&rest[2..], b"*/") {
                    Some(end) => position += end + 4,
                    None => return position,
                },
                _ => return position,
            }
        }
    }

    /// `// ...` and `# ...`: up to the line end or a closing tag.
    fn line_comment(&mut self) {
        let mut position = self.position;
        loop {
            match memchr::memchr3(b'\n', b'\r', b'?', &self.source[position..]) {
                None => {
                    self.position = self.source.len();
                    return;
                }
                Some(found) => {
                    position += found;
                    if self.source[position] != b'?' || self.source.get(position + 1) == Some(&b'>')
                    {
                        self.position = position;
                        return;
                    }
                    position += 1;
                }
            }
        }
    }

    /// `/* ... */`
    fn block_comment(&mut self) -> bool {
        let start = self.position;
        let Some(found) = memchr::memmem::find(&self.source[start + 2..], b"*/") else {
            if self.lenient {
                self.position = self.source.len();
                return true;
            }
            let message = format!("Unterminated comment starting line {}", self.line);
            return self.fail(message);
        };
        let end = start + found + 4;
        if let [b'*', b' ' | b'\t' | b'\n' | b'\r', ..] = self.source[start + 2..end] {
            self.output.docs.push(DocEvent {
                token: self.output.tokens.len() as u32,
                start: start as u32,
                end: end as u32,
            });
        }
        self.count_newlines(start, end);
        self.position = end;
        true
    }

    /// A token of a fixed length.
    #[inline]
    fn fixed(&mut self, kind: T, length: usize) -> bool {
        let start = self.position;
        self.position += length;
        self.push(kind, start);
        true
    }

    /// Everything that is not a word, a number or white space. `false` leaves the code state.
    fn punctuation(&mut self, byte: u8) -> bool {
        let next = self.peek_at(1);
        if self.after_arrow && !matches!(byte, b'/' | b'#') {
            self.after_arrow = false;
        }
        match byte {
            b'$' => {
                if is_label_start(next) {
                    let start = self.position;
                    self.position = self.label_end(start + 2);
                    self.push(T::Variable, start);
                    return true;
                }
                self.fixed(T::Dollar, 1)
            }
            b';' => {
                self.fixed(T::Semicolon, 1);
                self.after_semicolon()
            }
            b',' => self.fixed(T::Comma, 1),
            b'(' => {
                if let Some((kind, length)) = self.cast() {
                    return self.fixed(kind, length);
                }
                self.open(b'(');
                self.halt_progress = if self.halt_progress == 1 { 2 } else { 0 };
                self.fixed(T::OpenParen, 1)
            }
            b')' => {
                self.position += 1;
                if self.close(b')').is_err() {
                    return false;
                }
                self.halt_progress = if self.halt_progress == 2 { 3 } else { 0 };
                let start = self.position - 1;
                self.push(T::CloseParen, start);
                true
            }
            b'[' => {
                self.open(b'[');
                self.fixed(T::OpenBracket, 1)
            }
            b']' => {
                self.position += 1;
                if self.close(b']').is_err() {
                    return false;
                }
                let start = self.position - 1;
                self.push(T::CloseBracket, start);
                true
            }
            b'{' => {
                self.open(b'{');
                self.fixed(T::OpenBrace, 1)
            }
            b'}' => self.close_brace(),
            b'"' => self.double_quote(self.position),
            b'\'' => self.single_quoted(self.position),
            b'`' => {
                self.fixed(T::Backtick, 1);
                self.state = State::Backtick;
                false
            }
            b'/' if next == b'/' => {
                self.line_comment();
                true
            }
            b'/' if next == b'*' => self.block_comment(),
            b'#' if next == b'[' => {
                self.open(b'[');
                self.fixed(T::AttributeStart, 2)
            }
            b'#' => {
                self.line_comment();
                true
            }
            b'?' if next == b'>' => self.close_tag(),
            b'.' if next.is_ascii_digit() => {
                self.number();
                true
            }
            b'\\' => {
                if is_label_start(next) {
                    let start = self.position;
                    self.qualified_tail();
                    self.push(T::NameFullyQualified, start);
                    return true;
                }
                self.fixed(T::Backslash, 1)
            }
            b'<' if next == b'<' && self.peek_at(2) == b'<' => {
                if self.heredoc_start(self.position) {
                    return false;
                }
                self.operator(byte, next)
            }
            // Vertical tab and form feed are not white space to PHP.
            0..=b' ' | 0x7f => self.bad_character(byte),
            _ => self.operator(byte, next),
        }
    }

    pub(super) fn bad_character(&mut self, byte: u8) -> bool {
        if self.lenient {
            return self.fixed(T::BadCharacter, 1);
        }
        self.fail(format!("syntax error, unexpected character 0x{byte:02X}"))
    }

    /// Operators, by their first bytes.
    fn operator(&mut self, byte: u8, next: u8) -> bool {
        let third = self.peek_at(2);
        let (kind, length) = match (byte, next, third) {
            (b'-', b'>', _) => {
                self.after_arrow = true;
                (T::Arrow, 2)
            }
            (b'-', b'-', _) => (T::Decrement, 2),
            (b'-', b'=', _) => (T::MinusEqual, 2),
            (b'-', _, _) => (T::Minus, 1),
            (b'=', b'=', b'=') => (T::IsIdentical, 3),
            (b'=', b'=', _) => (T::IsEqual, 2),
            (b'=', b'>', _) => (T::DoubleArrow, 2),
            (b'=', _, _) => (T::Equals, 1),
            (b':', b':', _) => (T::DoubleColon, 2),
            (b':', _, _) => (T::Colon, 1),
            (b'.', b'.', b'.') => (T::Ellipsis, 3),
            (b'.', b'=', _) => (T::DotEqual, 2),
            (b'.', _, _) => (T::Dot, 1),
            (b'!', b'=', b'=') => (T::IsNotIdentical, 3),
            (b'!', b'=', _) => (T::IsNotEqual, 2),
            (b'!', _, _) => (T::Bang, 1),
            (b'?', b'-', b'>') => {
                self.after_arrow = true;
                (T::NullsafeArrow, 3)
            }
            (b'?', b'?', b'=') => (T::CoalesceEqual, 3),
            (b'?', b'?', _) => (T::Coalesce, 2),
            (b'?', _, _) => (T::Question, 1),
            (b'+', b'+', _) => (T::Increment, 2),
            (b'+', b'=', _) => (T::PlusEqual, 2),
            (b'+', _, _) => (T::Plus, 1),
            (b'*', b'*', b'=') => (T::PowerEqual, 3),
            (b'*', b'*', _) => (T::Power, 2),
            (b'*', b'=', _) => (T::StarEqual, 2),
            (b'*', _, _) => (T::Star, 1),
            (b'/', b'=', _) => (T::SlashEqual, 2),
            (b'/', _, _) => (T::Slash, 1),
            (b'%', b'=', _) => (T::PercentEqual, 2),
            (b'%', _, _) => (T::Percent, 1),
            (b'|', b'|', _) => (T::BooleanOr, 2),
            (b'|', b'=', _) => (T::PipeEqual, 2),
            (b'|', _, _) => (T::Pipe, 1),
            (b'&', b'&', _) => (T::BooleanAnd, 2),
            (b'&', b'=', _) => (T::AmpersandEqual, 2),
            (b'&', _, _) => (self.ampersand(), 1),
            (b'^', b'=', _) => (T::CaretEqual, 2),
            (b'^', _, _) => (T::Caret, 1),
            (b'<', b'=', b'>') => (T::Spaceship, 3),
            (b'<', b'=', _) => (T::LessEqual, 2),
            (b'<', b'<', b'=') => (T::ShiftLeftEqual, 3),
            (b'<', b'<', _) => (T::ShiftLeft, 2),
            (b'<', b'>', _) => (T::IsNotEqual, 2),
            (b'<', _, _) => (T::Less, 1),
            (b'>', b'>', b'=') => (T::ShiftRightEqual, 3),
            (b'>', b'>', _) => (T::ShiftRight, 2),
            (b'>', b'=', _) => (T::GreaterEqual, 2),
            (b'>', _, _) => (T::Greater, 1),
            (b'@', _, _) => (T::At, 1),
            (b'~', _, _) => (T::Tilde, 1),
            _ => return self.bad_character(byte),
        };
        self.fixed(kind, length)
    }

    /// `&` is one of two tokens, by whether a parameter or a reference may follow it.
    fn ampersand(&self) -> T {
        let after = self.skip_blank(self.position + 1);
        match &self.source[after..] {
            [b'$', ..] | [b'.', b'.', b'.', ..] => T::AmpersandFollowed,
            _ => T::Ampersand,
        }
    }

    /// A cast at the position: its kind and length.
    fn cast(&self) -> Option<(T, usize)> {
        let mut position = self.position + 1;
        while matches!(self.source.get(position), Some(b' ' | b'\t')) {
            position += 1;
        }
        let start = position;
        while self
            .source
            .get(position)
            .is_some_and(u8::is_ascii_alphabetic)
        {
            position += 1;
        }
        let word = &self.source[start..position];
        if !(3..=7).contains(&word.len()) {
            return None;
        }
        while matches!(self.source.get(position), Some(b' ' | b'\t')) {
            position += 1;
        }
        if self.source.get(position) != Some(&b')') {
            return None;
        }
        let mut buffer = [0; 7];
        let lower = &mut buffer[..word.len()];
        lower.copy_from_slice(word);
        lower.make_ascii_lowercase();
        let kind = match &*lower {
            b"int" | b"integer" => T::IntCast,
            b"float" | b"double" | b"real" => T::FloatCast,
            b"string" | b"binary" => T::StringCast,
            b"array" => T::ArrayCast,
            b"object" => T::ObjectCast,
            b"bool" | b"boolean" => T::BoolCast,
            b"unset" => T::UnsetCast,
            _ => return None,
        };
        Some((kind, position + 1 - self.position))
    }

    fn close_brace(&mut self) -> bool {
        // Zend forgets the doc comment at every `}`; only a remembered one needs the event.
        if self
            .output
            .docs
            .last()
            .is_some_and(|doc| doc.start != doc.end)
        {
            self.output.docs.push(DocEvent {
                token: self.output.tokens.len() as u32,
                start: 0,
                end: 0,
            });
        }
        self.position += 1;
        let Ok(bracket) = self.close(b'}') else {
            return false;
        };
        let start = self.position - 1;
        self.push(T::CloseBrace, start);
        self.state = bracket.state;
        self.state == State::Code
    }

    /// `?>` stands for `;` and takes one newline with it.
    fn close_tag(&mut self) -> bool {
        let start = self.position;
        self.position += 2;
        match self.peek() {
            b'\n' => self.position += 1,
            b'\r' => self.position += if self.peek_at(1) == b'\n' { 2 } else { 1 },
            _ => {}
        }
        self.pending_newline = self.position > start + 2;
        self.push(T::Semicolon, start);
        self.state = State::Html;
        self.after_semicolon();
        false
    }

    /// Stops after `__halt_compiler();`: what follows is data.
    fn after_semicolon(&mut self) -> bool {
        if self.halt_progress != 3 {
            self.halt_progress = 0;
            return true;
        }
        self.finish()
    }
}
