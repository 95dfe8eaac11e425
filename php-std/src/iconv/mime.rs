//! Encoded words in the headers of mail.

use vm_runtime::function::Call;
use vm_runtime::operators::to_string;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::converter::{Problem, convert};
use super::{check_name, encoding_argument, tell};
use crate::standard::strings::encode::encode_base64;
use crate::support::{Append, encoded_words, text};

/// Mode: words that no standard allows are errors.
pub(super) const STRICT: i64 = 1;
/// Mode: what cannot be decoded stays as it is.
pub(super) const CONTINUE_ON_ERROR: i64 = 2;

/// Bytes that stand for themselves in the Q encoding, as PHP has it.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"=?_".contains(&byte)
}

/// Bytes that PHP keeps free where a word is encoded by base64: for what leads back to ASCII.
const RESERVED: usize = 4;

pub(super) fn iconv_mime_encode(call: &mut Call<'_>) -> PhpResult<Value> {
    let (name, value) = (call.bytes(0), call.bytes(1));
    let options = call.array(2);
    let given = |call: &mut Call<'_>, key: &str| -> PhpResult<Option<Vec<u8>>> {
        match options.get_bytes(key.as_bytes()) {
            Some(value) => {
                let value = Value::share(value);
                Ok(Some(to_string(call.vm, &value)?.to_vec()))
            }
            None => Ok(None),
        }
    };
    let is_base64 = !matches!(given(call, "scheme")?.as_deref(), Some([b'q' | b'Q', ..]));
    let default = super::configured(call.vm, "internal_encoding");
    let from = given(call, "input-charset")?.unwrap_or_else(|| default.clone());
    let to = given(call, "output-charset")?.unwrap_or(default);
    if !check_name(call.vm, &from)? || !check_name(call.vm, &to)? {
        return Ok(false.into());
    }
    let line = match given(call, "line-length")? {
        Some(length) => String::from_utf8_lossy(&length).parse().unwrap_or(76usize),
        None => 76,
    };
    // A line is made in a buffer of its length.
    vm_runtime::limits::reserve(line);
    let newline = given(call, "line-break-chars")?.unwrap_or_else(|| b"\r\n".to_vec());
    let introduction = [
        &b"=?"[..],
        &to[..],
        b"?",
        if is_base64 { &b"B"[..] } else { b"Q" },
        b"?",
    ]
    .concat();
    let mut output = [name, b": "].concat();
    // The name counts with its colon and space.
    let mut room = line.saturating_sub(name.len() + 2);
    let wide = match convert(&from, b"UCS-4LE", value) {
        (wide, None) => wide,
        (_, Some(problem)) => {
            tell(call.vm, problem, &from, &to)?;
            return Ok(false.into());
        }
    };
    let characters: Vec<&[u8]> = wide.chunks_exact(4).collect();
    let converted = |part: &[&[u8]]| match convert(b"UCS-4LE", &to, &part.concat()) {
        (bytes, None) => Ok(bytes),
        (_, Some(problem)) => Err(problem),
    };
    // Behind the name, less room than this is none.
    let least = to.len() + if is_base64 { 14 } else { 13 };
    let mut at = 0;
    loop {
        if room < least {
            output.extend_from_slice(&newline);
            output.push(b' ');
            room = line.saturating_sub(1);
            if room < least {
                call.vm.function_warning("Buffer length exceeded");
                return Ok(false.into());
            }
        }
        let content = room.saturating_sub(introduction.len() + 2);
        let content = match is_base64 {
            true => (content / 4 * 3).saturating_sub(RESERVED),
            false => content,
        };
        if content == 0 {
            call.vm.function_warning("Buffer length exceeded");
            return Ok(false.into());
        }
        let (start, mut word) = (at, Vec::new());
        while at < characters.len() {
            let longer = match converted(&characters[start..=at]) {
                Ok(bytes) if is_base64 => {
                    // What leads back to ASCII has the room that is reserved.
                    let text = bytes.strip_suffix(b"\x1b(B").unwrap_or(&bytes);
                    (text.len() <= content).then(|| encode_base64(&bytes))
                }
                Ok(bytes) => {
                    let encoded = encoded_words::encode_quoted(&bytes, is_plain);
                    (encoded.len() <= content).then_some(encoded)
                }
                Err(problem) => {
                    tell(call.vm, problem, &from, &to)?;
                    return Ok(false.into());
                }
            };
            let Some(longer) = longer else {
                break;
            };
            (word, at) = (longer, at + 1);
        }
        if at == start && at < characters.len() {
            call.vm.function_warning("Buffer length exceeded");
            return Ok(false.into());
        }
        output.extend_from_slice(&introduction);
        output.extend(word);
        output.extend_from_slice(b"?=");
        if at == characters.len() {
            break;
        }
        output.extend_from_slice(&newline);
        output.push(b' ');
        room = line.saturating_sub(1);
    }
    text(call.vm, output)
}

/// What begins with `=?`.
enum Word {
    /// An encoded word: its charset, its letter and its contents, and how long it is.
    Encoded {
        charset: Vec<u8>,
        letter: u8,
        contents: Vec<u8>,
        length: usize,
    },
    /// So many bytes that are text, though they look like the start of a word.
    Text(usize),
    /// A word that is wrong where so many bytes end.
    Malformed(usize),
    /// A word whose end is missing.
    Cut,
}

fn word(bytes: &[u8]) -> Word {
    let mut charset_end = 2;
    loop {
        match bytes.get(charset_end) {
            None => return Word::Cut,
            Some(b'?') => break,
            Some(b'\r' | b'\n') => return Word::Text(charset_end),
            Some(_) => charset_end += 1,
        }
    }
    let charset = &bytes[2..charset_end];
    let charset = &charset[..memchr::memchr(b'*', charset).unwrap_or(charset.len())];
    let letter_at = charset_end + 1;
    let letter = match bytes.get(letter_at) {
        None => return Word::Cut,
        Some(&letter @ (b'b' | b'B' | b'q' | b'Q')) => letter,
        Some(_) => return Word::Malformed(letter_at + 1),
    };
    match bytes.get(letter_at + 1) {
        None => return Word::Cut,
        Some(b'?') => {}
        Some(_) => return Word::Malformed(letter_at + 2),
    }
    let start = letter_at + 2;
    let Some(length) = memchr::memchr(b'?', &bytes[start..]) else {
        return Word::Cut;
    };
    match bytes.get(start + length + 1) {
        None => Word::Cut,
        Some(b'=') => Word::Encoded {
            charset: charset.to_vec(),
            letter,
            contents: bytes[start..start + length].to_vec(),
            length: start + length + 2,
        },
        Some(_) => Word::Malformed(start + length + 2),
    }
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// A header that is being decoded.
struct Decoder<'a> {
    target: &'a [u8],
    goes_on: bool,
    output: Vec<u8>,
    /// White space that only counts if something else than an encoded word follows.
    gap: Vec<u8>,
    after_word: bool,
}

impl Decoder<'_> {
    /// Takes text, which is ASCII; other bytes are left out if problems do not matter.
    fn text(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        self.gap.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.gap);
        self.after_word = false;
        match bytes.is_ascii() {
            true => self.output.extend(convert(b"ASCII", self.target, &bytes).0),
            false if self.goes_on => {
                let plain: Vec<u8> = bytes.into_iter().filter(u8::is_ascii).collect();
                self.output.extend(convert(b"ASCII", self.target, &plain).0);
            }
            false => return Err(Problem::Illegal),
        }
        Ok(())
    }

    /// Takes an encoded word; `false` if it is left out.
    fn word(&mut self, charset: &[u8], letter: u8, contents: &[u8]) -> Result<(), Problem> {
        let decoded = encoded_words::decode(letter, contents).ok_or(Problem::Undecodable)?;
        let (converted, problem) = convert(charset, self.target, &decoded);
        if let Some(problem) = problem {
            return Err(problem);
        }
        if !self.after_word {
            self.flush_gap();
        }
        self.gap.clear();
        self.output.extend(converted);
        self.after_word = true;
        Ok(())
    }

    fn flush_gap(&mut self) {
        let gap = std::mem::take(&mut self.gap);
        self.output.extend(convert(b"ASCII", self.target, &gap).0);
    }
}

/// Decodes a header; none after a message.
fn decode(vm: &mut Vm, bytes: &[u8], mode: i64, target: &[u8]) -> PhpResult<Option<Vec<u8>>> {
    // A target that nobody knows is told of before anything is read.
    if let Some(problem @ Problem::WrongEncoding) = convert(b"ASCII", target, b"").1 {
        tell(vm, problem, b"???", target)?;
        return Ok(None);
    }
    let is_strict = mode & STRICT != 0;
    let mut decoder = Decoder {
        target,
        goes_on: mode & CONTINUE_ON_ERROR != 0,
        output: Vec::new(),
        gap: Vec::new(),
        after_word: false,
    };
    let malformed = |vm: &mut Vm| {
        vm.function_warning("Malformed string");
        vm.check().map(|()| None)
    };
    let mut rest = bytes;
    // A word of a standard stands alone.
    let mut may_start = true;
    while let Some(&first) = rest.first() {
        let folded = match rest {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => 0,
        };
        if folded > 0 {
            let blanks = rest[folded..]
                .iter()
                .take_while(|byte| is_blank(byte))
                .count();
            if blanks == 0 {
                break;
            }
            decoder.gap = match decoder.after_word {
                true => Vec::new(),
                false => b" ".to_vec(),
            };
            rest = &rest[folded + blanks..];
            may_start = true;
            continue;
        }
        if is_blank(&first) {
            decoder.gap.push(first);
            rest = &rest[1..];
            may_start = true;
            continue;
        }
        let length = if first != b'=' || is_strict && !may_start {
            let plain = |byte: &u8| !matches!(byte, b'=' | b' ' | b'\t' | b'\r' | b'\n');
            1 + rest[1..].iter().take_while(|byte| plain(byte)).count()
        } else {
            match rest.get(1) {
                None if decoder.goes_on => 1,
                None => return malformed(vm),
                Some(b'?') => match word(rest) {
                    Word::Text(length) => length,
                    Word::Malformed(length) if decoder.goes_on => length,
                    Word::Cut if decoder.goes_on => {
                        decoder.gap.clear();
                        break;
                    }
                    Word::Malformed(_) | Word::Cut => return malformed(vm),
                    Word::Encoded { length, .. }
                        if is_strict
                            && rest.get(length).is_some_and(|next| {
                                !is_blank(next) && !matches!(next, b'\r' | b'\n')
                            }) =>
                    {
                        length + 1
                    }
                    Word::Encoded {
                        charset,
                        letter,
                        contents,
                        length,
                    } => match decoder.word(&charset, letter, &contents) {
                        Ok(()) => {
                            rest = &rest[length..];
                            may_start = true;
                            continue;
                        }
                        Err(problem) if !decoder.goes_on => {
                            let shown: &[u8] = match problem {
                                Problem::WrongEncoding => b"???",
                                _ => &charset,
                            };
                            tell(vm, problem, shown, target)?;
                            return Ok(None);
                        }
                        Err(Problem::WrongEncoding | Problem::Undecodable) => {
                            // It stays as it is, and still is a word.
                            let kept = &rest[..length];
                            if decoder.text(kept).is_ok() {
                                decoder.after_word = true;
                            }
                            rest = &rest[length..];
                            continue;
                        }
                        Err(_) => {
                            rest = &rest[length..];
                            rest = rest.strip_prefix(b" ").unwrap_or(rest);
                            continue;
                        }
                    },
                },
                Some(b' ' | b'\t' | b'\r' | b'\n') => 1,
                Some(_) => 2,
            }
        };
        if let Err(problem) = decoder.text(&rest[..length]) {
            tell(vm, problem, b"ASCII", target)?;
            return Ok(None);
        }
        rest = &rest[length..];
        may_start = false;
    }
    Ok(Some(decoder.output))
}

pub(super) fn iconv_mime_decode(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(target) = encoding_argument(call, 2)? else {
        return Ok(false.into());
    };
    match decode(call.vm, call.bytes(0), call.long(1), &target)? {
        Some(decoded) => text(call.vm, decoded),
        None => Ok(false.into()),
    }
}

pub(super) fn iconv_mime_decode_headers(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(target) = encoding_argument(call, 2)? else {
        return Ok(false.into());
    };
    let mode = call.long(1);
    let mut headers: Vec<Vec<u8>> = Vec::new();
    for line in call.bytes(0).split_inclusive(|&byte| byte == b'\n') {
        match headers.last_mut() {
            Some(header) if matches!(line[0], b' ' | b'\t') => header.extend_from_slice(line),
            _ if matches!(line, b"\n" | b"\r\n") => break,
            _ => headers.push(line.to_vec()),
        }
    }
    let mut table = call.vm.new_array();
    for header in headers {
        let Some(decoded) = decode(call.vm, &header, mode, &target)? else {
            return Ok(false.into());
        };
        let Some(colon) = memchr::memchr(b':', &decoded) else {
            continue;
        };
        let (name, value) = (&decoded[..colon], decoded[colon + 1..].trim_ascii_start());
        let value: Value = call.vm.string(value).into();
        let existing = table.get_bytes(name).map(Value::share);
        let value = match existing {
            None => value,
            Some(existing) => {
                let mut list = match existing.array() {
                    Some(list) => list,
                    None => {
                        let mut list = call.vm.new_array();
                        list.make_mut(call.vm).append(existing);
                        list
                    }
                };
                list.make_mut(call.vm).append(value);
                list.into()
            }
        };
        table.make_mut(call.vm).set_bytes(name, value);
    }
    Ok(table.into())
}
