//! Heredocs and nowdocs.
//!
//! The body's tokens are cut first; the indentation to remove is known at the closing label, and is
//! kept beside the tokens for the parser to apply with [`strip_indentation`].

use super::tokens::TokenKind as T;
use super::{Lexer, State, is_label, is_label_start};

/// What is known of a heredoc.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heredoc {
    /// Number of its `HeredocStart` token.
    pub token: u32,
    label_start: usize,
    label_end: usize,
    /// Written with `'`: nothing in it is special.
    pub nowdoc: bool,
    /// Width of the white space before the closing label.
    pub indentation: usize,
    /// Whether that white space is spaces; tabs otherwise.
    pub uses_spaces: bool,
}

/// A closing label found.
struct Closing {
    /// Offset of the line end before it, where the text stops.
    text_end: usize,
    /// Offset after that line end.
    line_start: usize,
    mixed: bool,
}

impl Lexer<'_> {
    /// `<<<LABEL` at the position, `start` being the `b` before it or the same. Not a heredoc when
    /// no label and line end follow: `false`, and nothing is read.
    pub(super) fn heredoc_start(&mut self, start: usize) -> bool {
        let mut position = self.position + 3;
        while matches!(self.source.get(position), Some(b' ' | b'\t')) {
            position += 1;
        }
        let quote = self
            .source
            .get(position)
            .copied()
            .filter(|byte| matches!(byte, b'\'' | b'"'));
        position += usize::from(quote.is_some());
        let label_start = position;
        if !self
            .source
            .get(position)
            .copied()
            .is_some_and(is_label_start)
        {
            return false;
        }
        while self.source.get(position).copied().is_some_and(is_label) {
            position += 1;
        }
        let label_end = position;
        if let Some(quote) = quote {
            if self.source.get(position) != Some(&quote) {
                return false;
            }
            position += 1;
        }
        position += match &self.source[position..] {
            [b'\r', b'\n', ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            _ => return false,
        };
        self.position = position;
        self.line += 1;
        let number = self.output.heredocs.len() as u32;
        self.output.heredocs.push(Heredoc {
            token: self.output.tokens.len() as u32,
            label_start,
            label_end,
            nowdoc: quote == Some(b'\''),
            indentation: 0,
            uses_spaces: false,
        });
        self.push(T::HeredocStart, start);
        self.state = State::Heredoc(number);
        true
    }

    /// The next part of a heredoc or nowdoc.
    pub(super) fn heredoc_part(&mut self, number: u32) -> bool {
        let heredoc = self.output.heredocs[number as usize];
        let start = self.position;
        let at_body_start =
            matches!(self.output.tokens.last(), Some(t) if t.kind == T::HeredocStart);
        if at_body_start && let Some(closing) = self.closing_label(&heredoc, start) {
            return self.heredoc_end(number, closing.line_start, closing.mixed);
        }
        if start >= self.source.len() {
            return self.finish();
        }
        if !heredoc.nowdoc && matches!(self.source[start], b'$' | b'{') && self.interpolates(start)
        {
            return self.interpolation();
        }
        let mut position = start;
        let mut closing = None;
        while let Some(&byte) = self.source.get(position) {
            match byte {
                b'\n' | b'\r' => {
                    let line_end = position;
                    if byte == b'\r' && self.source.get(position + 1) == Some(&b'\n') {
                        position += 1;
                    }
                    if let Some(found) = self.closing_label(&heredoc, position + 1) {
                        closing = Some(Closing {
                            text_end: line_end,
                            ..found
                        });
                        break;
                    }
                }
                // An escaped line end still ends the line.
                b'\\'
                    if !heredoc.nowdoc
                        && !matches!(self.source.get(position + 1), Some(b'\n' | b'\r')) =>
                {
                    position += 1;
                }
                b'$' | b'{' if !heredoc.nowdoc && self.interpolates(position) => break,
                _ => {}
            }
            position += 1;
        }
        let Some(closing) = closing else {
            self.position = position.min(self.source.len());
            self.count_newlines(start, self.position);
            self.push(T::StringContent, start);
            return true;
        };
        if closing.mixed {
            self.position = closing.line_start;
            return self.heredoc_end(number, closing.line_start, true);
        }
        self.position = closing.text_end;
        self.count_newlines(start, closing.text_end);
        self.push(T::StringContent, start);
        self.pending_newline = true;
        self.heredoc_end(number, closing.line_start, false)
    }

    /// The closing label on the line at the position.
    fn closing_label(&self, heredoc: &Heredoc, line_start: usize) -> Option<Closing> {
        let line = self.source.get(line_start..)?;
        let width = line.iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
        let label = &self.source[heredoc.label_start..heredoc.label_end];
        let after = line[width..].strip_prefix(label)?;
        // A label that ends the file does not end the heredoc.
        if after.first().copied().is_none_or(is_label) {
            return None;
        }
        let blank = &line[..width];
        let mixed = blank.contains(&b' ') && blank.contains(&b'\t');
        Some(Closing {
            text_end: line_start,
            line_start,
            mixed,
        })
    }

    /// The token of the closing label, whose line starts at the position given.
    fn heredoc_end(&mut self, number: u32, line_start: usize, mixed: bool) -> bool {
        if mixed && !self.lenient {
            return self.fail("Invalid indentation - tabs and spaces cannot be mixed");
        }
        self.settle_newline();
        let blank = self.source[line_start..]
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        let heredoc = &mut self.output.heredocs[number as usize];
        heredoc.indentation = blank;
        heredoc.uses_spaces = self.source[line_start] == b' ';
        self.position = line_start + blank + (heredoc.label_end - heredoc.label_start);
        self.push(T::HeredocEnd, line_start);
        self.state = State::Code;
        true
    }
}

/// Why a heredoc's body does not fit its indentation, and after how many of its line ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndentationError {
    pub message: String,
    pub lines: u32,
}

/// Removes the closing label's indentation from a part of the body.
///
/// `at_line_start` says whether the part begins a line (the first part, and no other, does);
/// `ends_line` whether it is the last, so that its last line may be shorter when blank.
pub(crate) fn strip_indentation(
    text: &[u8],
    heredoc: &Heredoc,
    at_line_start: bool,
    ends_line: bool,
    output: &mut Vec<u8>,
) -> Result<(), IndentationError> {
    let mut position = 0;
    let mut lines = 0;
    if !at_line_start {
        let Some(end) = line_end(text, 0) else {
            output.extend_from_slice(text);
            return Ok(());
        };
        output.extend_from_slice(&text[..end.1]);
        position = end.1;
        lines = 1;
    }
    loop {
        let end = line_end(text, position);
        // The end of a blank line excuses it from being indented.
        let blank_end = end.map(|end| end.0).or(ends_line.then_some(text.len()));
        for _ in 0..heredoc.indentation {
            if Some(position) == blank_end {
                break;
            }
            match text.get(position) {
                Some(b' ' | b'\t') => {}
                _ => {
                    let message = format!(
                        "Invalid body indentation level (expecting an indentation level of at least {})",
                        heredoc.indentation
                    );
                    return Err(IndentationError { message, lines });
                }
            }
            if (text[position] == b' ') != heredoc.uses_spaces {
                let message = "Invalid indentation - tabs and spaces cannot be mixed".to_owned();
                return Err(IndentationError { message, lines });
            }
            position += 1;
        }
        let Some((_, next)) = end else {
            output.extend_from_slice(&text[position..]);
            return Ok(());
        };
        output.extend_from_slice(&text[position..next]);
        position = next;
        lines += 1;
    }
}

/// Where the line at the position ends, and where the next begins.
fn line_end(text: &[u8], position: usize) -> Option<(usize, usize)> {
    let end = position + memchr::memchr2(b'\n', b'\r', &text[position..])?;
    let next = match text[end..] {
        [b'\r', b'\n', ..] => end + 2,
        _ => end + 1,
    };
    Some((end, next))
}
