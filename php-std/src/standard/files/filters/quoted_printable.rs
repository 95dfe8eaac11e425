//! Quoted-printable: `=` and two digits stand for bytes that are not plain text.

use super::convert::{Coder, Invalid, LineBreaks};

/// To quoted-printable.
#[derive(Debug)]
pub(super) struct Encoder {
    breaks: Option<LineBreaks>,
    /// Line breaks and white space are bytes like others.
    binary: bool,
    /// The first byte of each line is written as an escape.
    force_first: bool,
    column: usize,
    /// White space, and the start of what may be a line break: how it is written depends on what
    /// follows.
    kept: Vec<u8>,
}

impl Encoder {
    pub(super) fn new(breaks: Option<LineBreaks>, binary: bool, force_first: bool) -> Encoder {
        Encoder {
            breaks,
            binary,
            force_first,
            column: 0,
            kept: Vec::new(),
        }
    }

    /// Writes a byte, as it is if that is possible.
    fn put(&mut self, byte: u8, escaped: bool, output: &mut Vec<u8>) {
        let escaped = escaped || self.force_first && self.column == 0;
        let width = if escaped { 3 } else { 1 };
        if let Some(breaks) = &self.breaks
            && self.column + width + 1 > breaks.length
        {
            output.push(b'=');
            output.extend_from_slice(&breaks.text);
            self.column = 0;
        }
        if escaped {
            output.extend_from_slice(format!("={byte:02X}").as_bytes());
        } else {
            output.push(byte);
        }
        self.column += width;
    }

    /// Writes what was kept back; at the end of a line white space must be escaped.
    fn put_kept(&mut self, at_line_end: bool, output: &mut Vec<u8>) {
        for byte in std::mem::take(&mut self.kept) {
            let space = matches!(byte, b' ' | b'\t');
            self.put(byte, !space || at_line_end, output);
        }
    }
}

impl Coder for Encoder {
    fn convert(&mut self, input: &[u8], output: &mut Vec<u8>) -> Result<(), Invalid> {
        for &byte in input {
            if self.binary {
                self.put(byte, !matches!(byte, 33..=60 | 62..=126), output);
                continue;
            }
            if let Some(breaks) = &self.breaks {
                // White space, then perhaps a line break.
                let spaces = self
                    .kept
                    .iter()
                    .take_while(|&&kept| matches!(kept, b' ' | b'\t'));
                let spaces = spaces.count();
                let matched = self.kept.len() - spaces;
                if breaks.text.get(matched) == Some(&byte) {
                    self.kept.push(byte);
                    if matched + 1 == breaks.text.len() {
                        let text = breaks.text.clone();
                        self.kept.truncate(spaces);
                        self.put_kept(true, output);
                        output.extend_from_slice(&text);
                        self.column = 0;
                    }
                    continue;
                }
                if matched == 0 && matches!(byte, b' ' | b'\t') {
                    self.kept.push(byte);
                    continue;
                }
                self.put_kept(false, output);
            }
            self.put(byte, !matches!(byte, 32..=60 | 62..=126), output);
        }
        Ok(())
    }

    fn finish(&mut self, output: &mut Vec<u8>) -> Result<(), Invalid> {
        self.put_kept(false, output);
        Ok(())
    }
}

/// From quoted-printable.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// An escape that has begun.
    escape: Option<Vec<u8>>,
}

impl Coder for Decoder {
    fn convert(&mut self, input: &[u8], output: &mut Vec<u8>) -> Result<(), Invalid> {
        for &byte in input {
            // A carriage return ends a line by itself, too.
            if byte != b'\n' && self.escape.as_deref() == Some(b"\r") {
                self.escape = None;
            }
            let Some(escape) = &mut self.escape else {
                match byte {
                    b'=' => self.escape = Some(Vec::new()),
                    _ => output.push(byte),
                }
                continue;
            };
            escape.push(byte);
            match escape[..] {
                // A line break that is not part of the data.
                [b'\n'] | [b'\r', b'\n'] => self.escape = None,
                [b'\r' | b' ' | b'\t'] => {}
                [b' ' | b'\t', ..] => {
                    escape.remove(0);
                }
                [first] if first.is_ascii_hexdigit() => {}
                [first, second] if first.is_ascii_hexdigit() && second.is_ascii_hexdigit() => {
                    let digits = [first, second].map(|digit| (digit as char).to_digit(16));
                    if let [Some(high), Some(low)] = digits {
                        output.push((high * 16 + low) as u8);
                    }
                    self.escape = None;
                }
                _ => return Err(Invalid),
            }
        }
        Ok(())
    }

    fn finish(&mut self, _output: &mut Vec<u8>) -> Result<(), Invalid> {
        // An escape that was begun counts for nothing.
        self.escape = None;
        Ok(())
    }
}
