//! Encoded words in the headers of mail (RFC 2047).

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::encoding::{self, Encoding, Substitute};
use super::{convert, required_encoding, settings};
use crate::standard::strings::encode::encode_base64;
use crate::support::{encoded_words, functions, text};

functions! {
    "mb_encode_mimeheader(string $string, ?string $charset = null, ?string $transfer_encoding = null, string $newline = \"\\r\\n\", int $indent = 0): string" => mb_encode_mimeheader,
    "mb_decode_mimeheader(string $string): string" => mb_decode_mimeheader,
}

/// Characters in a line, not counting the space in front of a continued one.
const LINE: usize = 75;
/// Columns up to which an encoded word may begin behind other text, with its introduction.
const LAST_START: usize = 61;

/// True for a character that stands in a header only inside of an encoded word.
fn needs_encoding(character: u32) -> bool {
    !(0x20..0x7f).contains(&character) || matches!(character, 0x3d | 0x3f | 0x5f)
}

/// True for a byte that stands for itself in the Q encoding.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'!' | b'*' | b'+' | b'-' | b'/')
}

/// The two ways of writing bytes in an encoded word.
#[derive(Clone, Copy, PartialEq)]
enum Transfer {
    Base64,
    Quoted,
}

impl Transfer {
    fn letter(self) -> char {
        match self {
            Transfer::Base64 => 'B',
            Transfer::Quoted => 'Q',
        }
    }

    /// How long bytes are when they are encoded.
    fn length(self, bytes: &[u8]) -> usize {
        match self {
            Transfer::Base64 => bytes.len().div_ceil(3) * 4,
            Transfer::Quoted => {
                let plain = bytes.iter().filter(|&&byte| is_plain(byte)).count();
                bytes.len() * 3 - plain * 2
            }
        }
    }

    fn encode(self, bytes: &[u8]) -> Vec<u8> {
        if self == Transfer::Base64 {
            return encode_base64(bytes);
        }
        encoded_words::encode_quoted(bytes, is_plain)
    }
}

fn mb_encode_mimeheader(call: &mut Call<'_>) -> PhpResult<Value> {
    // Both may be null by their types and still are not meant to be.
    for (index, name) in [(1, "charset"), (2, "transfer_encoding")] {
        if index < call.count() && call.value(index).is_null() {
            let number = index + 1;
            call.vm.function_deprecated(format!(
                "Passing null to parameter #{number} (${name}) of type ?string is deprecated"
            ));
            call.vm.check()?;
        }
    }
    if call.count() > 1 && call.value(1).is_null() {
        return Err(call.value_error(1, "must be a valid encoding, \"\" given"));
    }
    let source = settings::internal_encoding(call.vm);
    let (mail_charset, is_base64) = settings::mail(call.vm);
    let charset = if call.has(1) {
        let charset = required_encoding(call, 1)?;
        if charset.mime.is_none() || charset.is_transfer() {
            let name = vm_runtime::message::text(call.bytes(1)).into_owned();
            return Err(call.value_error(
                1,
                &format!("\"{name}\" cannot be used for MIME header encoding"),
            ));
        }
        charset
    } else {
        mail_charset
    };
    let by_language = if is_base64 {
        Transfer::Base64
    } else {
        Transfer::Quoted
    };
    let transfer = match call.optional_bytes(2).and_then(|name| name.first()) {
        Some(b'b' | b'B') => Transfer::Base64,
        Some(b'q' | b'Q') => Transfer::Quoted,
        Some(_) => Transfer::Base64,
        None if call.has(1) => Transfer::Base64,
        None => by_language,
    };
    let newline = call.bytes(3);
    // Longer ones would be an attack on the header; it ends at a NUL byte.
    let end = memchr::memchr(0, newline).unwrap_or(newline.len());
    let newline = &newline[..end.min(8)];
    let indent = usize::try_from(call.long(4))
        .ok()
        .filter(|&indent| indent < LINE - 1);
    let characters = source.decode(call.bytes(0));
    let header = encode(&characters, charset, transfer, newline, indent.unwrap_or(0));
    text(call.vm, header)
}

/// Text as a header of mail has it.
pub(super) fn encoded_text(characters: &[u32], charset: &Encoding, is_base64: bool) -> Vec<u8> {
    let transfer = match is_base64 {
        true => Transfer::Base64,
        false => Transfer::Quoted,
    };
    // Behind the name of the header.
    encode(characters, charset, transfer, b"\r\n", "Subject: ".len())
}

/// Where the character of UTF-8 ends that begins at a place.
fn end_of_character(text: &[u8], start: usize) -> usize {
    let is_start = |byte: &u8| *byte & 0xc0 != 0x80;
    let length = text[start + 1..].iter().position(is_start);
    length.map_or(text.len(), |length| start + 1 + length)
}

fn encode(
    characters: &[u32],
    charset: &Encoding,
    transfer: Transfer,
    newline: &[u8],
    indent: usize,
) -> Vec<u8> {
    let mut output = Vec::new();
    let mut column = indent;
    let mut at = 0;
    // Words of plain text come first, as long as there are. A space parts them; more of them belong to the next one.
    while at < characters.len() {
        let is_space = |&&character: &&u32| character == 0x20;
        let start = at + usize::from(at > 0);
        let spaces = characters[start..].iter().take_while(is_space).count();
        let end = characters[start + spaces..]
            .iter()
            .position(|&character| character == 0x20)
            .map_or(characters.len(), |length| start + spaces + length);
        let word = &characters[start..end];
        // What fills a line and does not end the text is encoded, to be folded.
        let is_endless = end < characters.len() && word.len() >= LINE - 1;
        if is_endless || word.iter().any(|&character| needs_encoding(character)) {
            at = start;
            break;
        }
        if word.is_empty() {
            return output;
        }
        let is_first = at == 0;
        let is_long = match is_first {
            true => end < characters.len() && column + word.len() >= LINE,
            false => column + 1 + word.len() > LINE,
        };
        if is_long {
            output.extend_from_slice(newline);
            column = 0;
        }
        if is_long || !is_first {
            output.push(b' ');
            column += 1;
        }
        output.extend(word.iter().map(|&character| character as u8));
        column += word.len();
        at = end;
    }
    if at >= characters.len() {
        return output;
    }
    let name = charset.mime.unwrap_or(charset.name);
    let introduction = format!("=?{name}?{}?", transfer.letter());
    if at > 0 {
        let is_short = introduction.len() + column < LAST_START;
        if is_short {
            output.push(b' ');
            column += 1;
        } else {
            output.extend_from_slice(newline);
            output.push(b' ');
            column = 0;
        }
    } else if column + introduction.len() >= LAST_START {
        output.extend_from_slice(newline);
        output.push(b' ');
        column = 0;
    }
    let substitute = Substitute::Character(u32::from(b'?'));
    if charset.name == "UTF-8" {
        // Bytes of a character do not depend on those before it: they are cut where a word is full.
        let bytes = charset.encode(&characters[at..], substitute).0;
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let room = LINE.saturating_sub(column + introduction.len() + 2);
            let mut end = end_of_character(rest, 0);
            while end < rest.len() {
                let longer = end_of_character(rest, end);
                if transfer.length(&rest[..longer]) > room {
                    break;
                }
                end = longer;
            }
            output.extend_from_slice(introduction.as_bytes());
            output.extend(transfer.encode(&rest[..end]));
            output.extend_from_slice(b"?=");
            rest = &rest[end..];
            if !rest.is_empty() {
                output.extend_from_slice(newline);
                output.push(b' ');
                column = 0;
            }
        }
        return output;
    }
    while at < characters.len() {
        let room = LINE.saturating_sub(column + introduction.len() + 2);
        let encoded =
            |end: usize| transfer.encode(&charset.encode(&characters[at..end], substitute).0);
        let mut end = at + 1;
        let mut word = encoded(end);
        while end < characters.len() {
            let longer = encoded(end + 1);
            if longer.len() > room {
                break;
            }
            word = longer;
            end += 1;
        }
        output.extend_from_slice(introduction.as_bytes());
        output.extend_from_slice(&word);
        output.extend_from_slice(b"?=");
        at = end;
        if at < characters.len() {
            output.extend_from_slice(newline);
            output.push(b' ');
            column = 0;
        }
    }
    output
}

/// An encoded word at the start of text: its bytes, charset, and what is behind it.
fn encoded_word(bytes: &[u8]) -> Option<(Vec<u8>, &'static Encoding, &[u8])> {
    let rest = bytes.strip_prefix(b"=?")?;
    let end = memchr::memchr(b'?', rest)?;
    let charset = encoding::find(&rest[..end])?;
    let [letter, b'?', content @ ..] = &rest[end + 1..] else {
        return None;
    };
    let length = memchr::memchr(b'?', content).unwrap_or(content.len());
    let after = &content[length..];
    let after = match after {
        [b'?', b'=', after @ ..] | [b'?', after @ ..] => after,
        _ => after,
    };
    let content = &content[..length];
    Some((encoded_words::decode(*letter, content)?, charset, after))
}

fn mb_decode_mimeheader(call: &mut Call<'_>) -> PhpResult<Value> {
    let target = settings::internal_encoding(call.vm);
    let mut rest = call.bytes(0);
    let mut output = Vec::new();
    // White space between encoded words does not count.
    let mut space_from = None;
    let mut after_word = false;
    while !rest.is_empty() {
        if let Some((bytes, charset, after)) = encoded_word(rest) {
            if after_word && let Some(from) = space_from {
                output.truncate(from);
            }
            output.extend(convert::convert(call.vm, &bytes, charset, target));
            rest = after;
            after_word = true;
            space_from = Some(output.len());
            continue;
        }
        match rest[0] {
            b'\r' | b'\n' => {
                let blanks = rest
                    .iter()
                    .take_while(|byte| matches!(byte, b'\r' | b'\n' | b' ' | b'\t'))
                    .count();
                rest = &rest[blanks..];
                if !rest.is_empty() {
                    output.push(b' ');
                }
            }
            byte => {
                if !matches!(byte, b' ' | b'\t') {
                    after_word = false;
                }
                // Outside of words there is ASCII.
                match super::encoding::find(b"ASCII").filter(|_| !byte.is_ascii()) {
                    Some(ascii) => output.extend(convert::convert(call.vm, &[byte], ascii, target)),
                    None => output.push(byte),
                }
                rest = &rest[1..];
            }
        }
    }
    text(call.vm, output)
}
