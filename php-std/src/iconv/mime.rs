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

/// Bytes that stand for themselves in the Q encoding.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!*+-/".contains(&byte)
}

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
    let to = given(call, "output-charset")?.unwrap_or_else(|| from.clone());
    if !check_name(call.vm, &from)? || !check_name(call.vm, &to)? {
        return Ok(false.into());
    }
    let line = match given(call, "line-length")? {
        Some(length) => String::from_utf8_lossy(&length).parse().unwrap_or(76usize),
        None => 76,
    };
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
    // The name counts with its colon and space, the frame of a word with its end.
    let mut room = line.saturating_sub(name.len() + 2);
    let wide = match convert(&from, b"UCS-4LE", value) {
        (wide, None) => wide,
        (_, Some(problem)) => {
            tell(call.vm, problem, &from, &to)?;
            return Ok(false.into());
        }
    };
    let characters: Vec<&[u8]> = wide.chunks_exact(4).collect();
    let encode = |part: &[&[u8]]| -> Result<Vec<u8>, Problem> {
        match convert(b"UCS-4LE", &to, &part.concat()) {
            (bytes, None) => Ok(if is_base64 {
                encode_base64(&bytes)
            } else {
                encoded_words::encode_quoted(&bytes, is_plain)
            }),
            (_, Some(problem)) => Err(problem),
        }
    };
    let mut at = 0;
    let mut is_first = true;
    while at < characters.len() {
        if !is_first {
            output.extend_from_slice(&newline);
            output.push(b' ');
            room = line - 1;
        }
        is_first = false;
        let content = room.saturating_sub(introduction.len() + 2 + newline.len());
        let mut end = at;
        let mut word = Vec::new();
        while end < characters.len() {
            match encode(&characters[at..=end]) {
                Ok(longer) if longer.len() <= content => {
                    word = longer;
                    end += 1;
                }
                Ok(_) => break,
                Err(problem) => {
                    tell(call.vm, problem, &from, &to)?;
                    return Ok(false.into());
                }
            }
        }
        if end == at {
            if room == line - 1 {
                let message = "An unknown error occurred";
                call.vm.function_warning(message);
                return Ok(false.into());
            }
            // Not one character fits behind the name.
            continue;
        }
        output.extend_from_slice(&introduction);
        output.extend(word);
        output.extend_from_slice(b"?=");
        at = end;
    }
    text(call.vm, output)
}

/// An encoded word at the start of text: charset, bytes, and its length. An error is one that is
/// broken.
fn encoded_word(bytes: &[u8]) -> Result<(Vec<u8>, Vec<u8>, usize), ()> {
    let rest = bytes.get(2..).ok_or(())?;
    let end = memchr::memchr(b'?', rest).ok_or(())?;
    let charset = &rest[..end];
    let charset = &charset[..memchr::memchr(b'*', charset).unwrap_or(charset.len())];
    let [letter, b'?', content @ ..] = &rest[end + 1..] else {
        return Err(());
    };
    let length = memchr::memmem::find(content, b"?=").ok_or(())?;
    let total = 2 + end + 1 + 2 + length + 2;
    let content = &content[..length];
    let decoded = encoded_words::decode(*letter, content).ok_or(())?;
    Ok((charset.to_vec(), decoded, total))
}

/// Decodes a header; none after a message.
fn decode(vm: &mut Vm, bytes: &[u8], mode: i64, target: &[u8]) -> PhpResult<Option<Vec<u8>>> {
    let mut output = Vec::new();
    let mut rest = bytes;
    // White space between encoded words does not count.
    let mut gap: Vec<u8> = Vec::new();
    let mut after_word = false;
    while let Some(&first) = rest.first() {
        if rest.starts_with(b"=?") {
            match encoded_word(rest) {
                Ok((charset, decoded, length)) => {
                    match convert(&charset, target, &decoded) {
                        (converted, None) => {
                            if !after_word {
                                output.append(&mut gap);
                            }
                            gap.clear();
                            output.extend(converted);
                        }
                        (_, Some(problem)) => {
                            if mode & CONTINUE_ON_ERROR == 0 {
                                let shown: &[u8] = if problem == Problem::WrongEncoding {
                                    b"???"
                                } else {
                                    &charset
                                };
                                tell(vm, problem, shown, target)?;
                                return Ok(None);
                            }
                            output.append(&mut gap);
                            output.extend_from_slice(&rest[..length]);
                        }
                    }
                    after_word = true;
                    rest = &rest[length..];
                    continue;
                }
                Err(()) => {
                    if mode & CONTINUE_ON_ERROR == 0 {
                        vm.function_warning("Malformed string");
                        vm.check()?;
                        return Ok(None);
                    }
                    output.append(&mut gap);
                    output.extend_from_slice(b"=?");
                    after_word = false;
                    rest = &rest[2..];
                    continue;
                }
            }
        }
        if matches!(first, b' ' | b'\t' | b'\r' | b'\n') {
            let length = rest
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
                .count();
            let blanks = &rest[..length];
            let is_folded = blanks.iter().any(|byte| matches!(byte, b'\r' | b'\n'));
            if is_folded {
                gap = b" ".to_vec();
            } else {
                gap.extend_from_slice(blanks);
            }
            rest = &rest[length..];
            continue;
        }
        output.append(&mut gap);
        output.push(first);
        after_word = false;
        rest = &rest[1..];
    }
    if !gap.iter().all(|byte| *byte == b' ') || !gap.is_empty() && !bytes.ends_with(b"\n") {
        output.extend(gap);
    }
    Ok(Some(output))
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
    for line in call.bytes(0).split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            break;
        }
        match headers.last_mut() {
            Some(header) if matches!(line[0], b' ' | b'\t') => {
                header.push(b' ');
                header.extend_from_slice(line.trim_ascii_start());
            }
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
