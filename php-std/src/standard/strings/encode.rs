//! Encodings of bytes as text: hexadecimal, base64, URL, quoted-printable, uuencode, UTF-8.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::base64_vectors;
use crate::support::{StringBuilder, direct, functions, text};

functions! {
    "bin2hex(string $string): string" => bin2hex | bin2hex_directly,
    "hex2bin(string $string): string|false" => hex2bin | hex2bin_directly,
    "base64_encode(string $string): string" => base64_encode | base64_encode_directly,
    "base64_decode(string $string, bool $strict = false): string|false" => base64_decode | base64_decode_directly,
    "urlencode(string $string): string" => urlencode | urlencode_directly,
    "urldecode(string $string): string" => urldecode | urldecode_directly,
    "rawurlencode(string $string): string" => rawurlencode | rawurlencode_directly,
    "rawurldecode(string $string): string" => rawurldecode | rawurldecode_directly,
    "quoted_printable_encode(string $string): string" => quoted_printable_encode,
    "quoted_printable_decode(string $string): string" => quoted_printable_decode,
    "convert_uuencode(string $string): string" => convert_uuencode,
    "convert_uudecode(string $string): string|false" => convert_uudecode,
    "#[Deprecated(\"8.2\", \"visit the php.net documentation for various alternatives\")] utf8_encode(string $string): string" => utf8_encode,
    "#[Deprecated(\"8.2\", \"visit the php.net documentation for various alternatives\")] utf8_decode(string $string): string" => utf8_decode,
}

const LOWER_HEX: &[u8; 16] = b"0123456789abcdef";
const UPPER_HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Bytes in lower-case hexadecimal.
pub(crate) fn hexadecimal(bytes: &[u8]) -> Vec<u8> {
    let mut digits = vec![0; bytes.len() * 2];
    write_hexadecimal(bytes, &mut digits);
    digits
}

/// The two digits of each byte.
static HEX_PAIRS: [[u8; 2]; 256] = {
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [LOWER_HEX[byte >> 4], LOWER_HEX[byte & 15]];
        byte += 1;
    }
    pairs
};

/// Writes the digits of bytes to a target that is twice as long.
fn write_hexadecimal(bytes: &[u8], target: &mut [u8]) {
    for (byte, pair) in bytes.iter().zip(target.as_chunks_mut::<2>().0) {
        *pair = HEX_PAIRS[*byte as usize];
    }
}

direct! {
    fn bin2hex_directly(vm; bytes: &[u8]) { in_hexadecimal(vm, bytes) }

    fn base64_encode_directly(vm; bytes: &[u8]) { in_base64(vm, bytes) }

    fn base64_decode_directly(vm; text: &[u8]) {
        decoded_base64(vm, text, false)
    }

    fn urlencode_directly(vm; bytes: &[u8]) { encode_url(vm, bytes, UrlStyle::Form) }

    fn rawurlencode_directly(vm; bytes: &[u8]) { encode_url(vm, bytes, UrlStyle::Raw) }

    fn urldecode_directly(vm; bytes: &[u8]) { decoded_url(vm, bytes, UrlStyle::Form) }

    fn rawurldecode_directly(vm; bytes: &[u8]) { decoded_url(vm, bytes, UrlStyle::Raw) }
}

fn in_hexadecimal(vm: &mut Vm, bytes: &[u8]) -> Value {
    let mut builder = StringBuilder::new(vm, bytes.len() * 2);
    builder.fill(0, bytes.len() * 2);
    write_hexadecimal(bytes, builder.as_mut_bytes());
    builder.into_value(vm)
}

fn bin2hex(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(in_hexadecimal(call.vm, call.bytes(0)))
}

/// The value of a hexadecimal digit.
pub(crate) fn hex_digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|digit| digit as u8)
}

fn hex2bin(call: &mut Call<'_>) -> PhpResult<Value> {
    let string = call.bytes(0);
    if !string.len().is_multiple_of(2) {
        call.vm
            .warning("hex2bin(): Hexadecimal input string must have an even length");
        return Ok(false.into());
    }
    Ok(bytes_of_digits(call.vm, string).unwrap_or_else(|| {
        call.vm
            .warning("hex2bin(): Input string must be hexadecimal string");
        false.into()
    }))
}

direct! {
    fn hex2bin_directly(vm; string: &[u8]) {
        match string.len().is_multiple_of(2) {
            true => bytes_of_digits(vm, string),
            false => None,
        }
    }
}

/// The bytes that pairs of hexadecimal digits stand for.
fn bytes_of_digits(vm: &mut Vm, string: &[u8]) -> Option<Value> {
    let mut builder = StringBuilder::new(vm, string.len() / 2);
    let mut tail = builder.tail(string.len() / 2);
    for &[high, low] in string.as_chunks::<2>().0 {
        tail.put([hex_digit(high)? << 4 | hex_digit(low)?]);
    }
    drop(tail);
    Some(builder.into_value(vm))
}

pub(super) const BASE64: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What a byte means in base64: below 64 a digit.
pub(super) const BASE64_VALUE: [u8; 256] = {
    let mut table = [OTHER; 256];
    let mut digit = 0;
    while digit < 64 {
        table[BASE64[digit] as usize] = digit as u8;
        digit += 1;
    }
    table[b' ' as usize] = SPACE;
    table[b'\t' as usize] = SPACE;
    table[b'\r' as usize] = SPACE;
    table[b'\n' as usize] = SPACE;
    table
};
const SPACE: u8 = 254;
const OTHER: u8 = 255;

/// The two digits of each 12 bits.
static BASE64_PAIRS: [[u8; 2]; 4096] = {
    let mut pairs = [[0; 2]; 4096];
    let mut bits = 0;
    while bits < 4096 {
        pairs[bits] = [BASE64[bits >> 6], BASE64[bits & 63]];
        bits += 1;
    }
    pairs
};

fn in_base64(vm: &mut Vm, bytes: &[u8]) -> Value {
    let length = bytes.len().div_ceil(3) * 4;
    let mut builder = StringBuilder::exact(vm, length);
    // SAFETY: all of them are written now: the last four, which may end with `=`, and the digits in front of them.
    unsafe { builder.claim(length) };
    let target = builder.as_mut_bytes();
    target[length.saturating_sub(4)..].fill(b'=');
    write_base64(bytes, target);
    builder.into_value(vm)
}

fn base64_encode(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(in_base64(call.vm, call.bytes(0)))
}

/// Bytes as base64.
pub(crate) fn encode_base64(bytes: &[u8]) -> Vec<u8> {
    let mut text = vec![b'='; bytes.len().div_ceil(3) * 4];
    write_base64(bytes, &mut text);
    text
}

/// Writes bytes as base64 to a `target` of the right length that is full of `=`.
fn write_base64(bytes: &[u8], target: &mut [u8]) {
    let (groups, rest) = bytes.as_chunks::<3>();
    let (digits, last) = target.as_chunks_mut::<4>();
    let (last, digits) = match rest {
        [] => (last, digits),
        _ => match digits.split_last_mut() {
            Some((last, digits)) => (last.as_mut_slice(), digits),
            None => return,
        },
    };
    let done = base64_vectors::encode(bytes, digits);
    for (group, digits) in groups[done..].iter().zip(&mut digits[done..]) {
        let bits = u32::from_be_bytes([0, group[0], group[1], group[2]]) as usize;
        let (high, low) = (BASE64_PAIRS[bits >> 12], BASE64_PAIRS[bits & 4095]);
        *digits = [high[0], high[1], low[0], low[1]];
    }
    match *rest {
        [a] => last[..2].copy_from_slice(&BASE64_PAIRS[(a as usize) << 4]),
        [a, b] => {
            let bits = (a as usize) << 8 | b as usize;
            last[..2].copy_from_slice(&BASE64_PAIRS[bits >> 4]);
            last[2] = BASE64[(bits << 2) & 63];
        }
        _ => {}
    }
}

/// The bytes that base64 text stands for; none if `strict` does not allow the text.
pub(crate) fn decode_base64(text: &[u8], strict: bool) -> Option<Vec<u8>> {
    let groups = text.len() / 4;
    let mut decoded = Vec::with_capacity(groups * 3 + 3);
    decoded.resize(groups * 3, 0);
    let done = decode_groups(text, &mut decoded);
    decoded.truncate(done * 3);
    decode_rest(&text[done * 4..], strict, |byte| decoded.push(byte))?;
    Some(decoded)
}

/// As [`decode_base64`], as a value.
fn decoded_base64(vm: &mut Vm, text: &[u8], strict: bool) -> Option<Value> {
    let groups = text.len() / 4;
    let mut builder = StringBuilder::new(vm, groups * 3 + 3);
    // SAFETY: what is not written is given back, and nothing looks at it before.
    unsafe { builder.claim(groups * 3) };
    let done = decode_groups(text, builder.as_mut_bytes());
    builder.shorten(done * 3);
    decode_rest(&text[done * 4..], strict, |byte| builder.push_byte(byte))?;
    Some(builder.into_value(vm))
}

/// Decodes whole groups of digits, as nearly all of a text is, up to anything else; gives how many.
fn decode_groups(text: &[u8], target: &mut [u8]) -> usize {
    let mut done = base64_vectors::decode(text, target);
    let groups = text.as_chunks::<4>().0[done..].iter();
    for (&[a, b, c, d], bytes) in groups.zip(&mut target.as_chunks_mut::<3>().0[done..]) {
        let value = |byte: u8| BASE64_VALUE[byte as usize];
        let (a, b, c, d) = (value(a), value(b), value(c), value(d));
        if a | b | c | d >= 64 {
            break;
        }
        *bytes = [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d];
        done += 1;
    }
    done
}

/// Decodes what is left of a text; none if `strict` does not allow it.
fn decode_rest(text: &[u8], strict: bool, mut push: impl FnMut(u8)) -> Option<()> {
    let (mut bits, mut digits, mut padding) = (0u32, 0usize, 0usize);
    for &byte in text {
        if byte == b'=' {
            padding += 1;
            continue;
        }
        let value = BASE64_VALUE[byte as usize];
        if value >= SPACE {
            if strict && value == OTHER {
                return None;
            }
            continue;
        }
        if strict && padding > 0 {
            return None;
        }
        bits = bits << 6 | value as u32;
        digits += 1;
        if digits % 4 == 0 {
            [bits >> 16, bits >> 8, bits]
                .into_iter()
                .for_each(|bits| push(bits as u8));
        }
    }
    let wrong_padding = padding > 0 && (padding > 2 || (digits + padding) % 4 != 0);
    if strict && (digits % 4 == 1 || wrong_padding) {
        return None;
    }
    match digits % 4 {
        2 => push((bits >> 4) as u8),
        3 => {
            push((bits >> 10) as u8);
            push((bits >> 2) as u8);
        }
        _ => {}
    }
    Some(())
}

fn base64_decode(call: &mut Call<'_>) -> PhpResult<Value> {
    let (text, strict) = (call.bytes(0), call.bool(1));
    let decoded = decoded_base64(call.vm, text, strict);
    Ok(decoded.unwrap_or(Value::from(false)))
}

/// How a URL encodes what is not a letter, a digit or one of `-_.`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UrlStyle {
    /// `application/x-www-form-urlencoded`: a space is `+`.
    Form,
    /// RFC 3986: `~` stays, a space is `%20`.
    Raw,
}

/// Appends the encoded form of `bytes`.
pub(crate) fn push_url(builder: &mut StringBuilder, bytes: &[u8], style: UrlStyle) {
    let (space, tilde) = match style {
        UrlStyle::Form => (b' ', b'A'),
        UrlStyle::Raw => (b'A', b'~'),
    };
    // Piece by piece, so that much plain text does not ask for three times its room.
    for piece in bytes.chunks(256) {
        let mut tail = builder.tail(piece.len() * 3);
        for &byte in piece {
            if PLAIN_IN_URLS[byte as usize] || byte == tilde {
                tail.put([byte]);
            } else if byte == space {
                tail.put([b'+']);
            } else {
                let (high, low) = (byte >> 4, byte & 15);
                tail.put([b'%', UPPER_HEX[high as usize], UPPER_HEX[low as usize]]);
            }
        }
    }
}

/// The bytes that stand for themselves in both styles.
static PLAIN_IN_URLS: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0u8;
    while byte < 128 {
        plain[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        byte += 1;
    }
    plain
};

fn encode_url(vm: &mut Vm, bytes: &[u8], style: UrlStyle) -> Value {
    let mut builder = StringBuilder::new(vm, bytes.len() + bytes.len() / 4);
    push_url(&mut builder, bytes, style);
    builder.into_value(vm)
}

/// The bytes that an encoded URL part stands for.
pub(crate) fn decode_url(bytes: &[u8], style: UrlStyle) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(bytes.len());
    each_decoded(bytes, style, |byte| decoded.push(byte));
    decoded
}

/// As [`decode_url`], as a value.
fn decoded_url(vm: &mut Vm, bytes: &[u8], style: UrlStyle) -> Value {
    let mut builder = StringBuilder::new(vm, bytes.len());
    let mut tail = builder.tail(bytes.len());
    each_decoded(bytes, style, |byte| tail.put([byte]));
    drop(tail);
    builder.into_value(vm)
}

/// Passes on each byte that an encoded URL part stands for.
#[inline(always)]
fn each_decoded(bytes: &[u8], style: UrlStyle, mut each: impl FnMut(u8)) {
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'%'
            && let Some(high) = bytes.get(at + 1).copied().and_then(hex_digit)
            && let Some(low) = bytes.get(at + 2).copied().and_then(hex_digit)
        {
            each(high << 4 | low);
            at += 3;
            continue;
        }
        each(if byte == b'+' && style == UrlStyle::Form {
            b' '
        } else {
            byte
        });
        at += 1;
    }
}

fn urlencode(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(encode_url(call.vm, call.bytes(0), UrlStyle::Form))
}

fn rawurlencode(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(encode_url(call.vm, call.bytes(0), UrlStyle::Raw))
}

fn urldecode(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(decoded_url(call.vm, call.bytes(0), UrlStyle::Form))
}

fn rawurldecode(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(decoded_url(call.vm, call.bytes(0), UrlStyle::Raw))
}

fn quoted_printable_encode(call: &mut Call<'_>) -> PhpResult<Value> {
    const LINE: usize = 75;
    let bytes = call.bytes(0);
    let mut builder = StringBuilder::new(call.vm, bytes.len() + bytes.len() / 2);
    let mut column = 0;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
            builder.push(b"\r\n");
            at += 2;
            column = 0;
            continue;
        }
        let at_line_end = byte == b' ' && bytes.get(at + 1) == Some(&b'\r');
        if byte < 32 || byte == b'=' || byte >= 127 || at_line_end {
            // Characters of several bytes should stay on one line: room is asked for by the byte.
            let room = match byte {
                0x80..=0xdf => 3,
                0xe0..=0xef => 6,
                0xf0..=0xf4 => 9,
                _ => 0,
            };
            column += 3;
            if column + room > LINE {
                builder.push(b"=\r\n");
                column = 3;
            }
            builder.push(&[
                b'=',
                UPPER_HEX[(byte >> 4) as usize],
                UPPER_HEX[(byte & 15) as usize],
            ]);
        } else {
            column += 1;
            if column > LINE {
                builder.push(b"=\r\n");
                column = 1;
            }
            builder.push_byte(byte);
        }
        at += 1;
    }
    Ok(builder.into_value(call.vm))
}

fn quoted_printable_decode(call: &mut Call<'_>) -> PhpResult<Value> {
    let bytes = call.bytes(0);
    // A zero ends the text.
    let bytes = &bytes[..memchr::memchr(0, bytes).unwrap_or(bytes.len())];
    let mut builder = StringBuilder::new(call.vm, bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte != b'=' {
            builder.push_byte(byte);
            at += 1;
            continue;
        }
        if let Some(high) = bytes.get(at + 1).copied().and_then(hex_digit)
            && let Some(low) = bytes.get(at + 2).copied().and_then(hex_digit)
        {
            builder.push_byte(high << 4 | low);
            at += 3;
            continue;
        }
        // A soft line break: white space up to the end of the line is dropped with it.
        let blanks = bytes[at + 1..]
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        let end = at + 1 + blanks;
        match (bytes.get(end), bytes.get(end + 1)) {
            (None, _) => at = end,
            (Some(b'\r'), Some(b'\n')) => at = end + 2,
            (Some(b'\r' | b'\n'), _) => at = end + 1,
            _ => {
                builder.push_byte(byte);
                at += 1;
            }
        }
    }
    Ok(builder.into_value(call.vm))
}

fn uu(bits: u8) -> u8 {
    if bits == 0 { b'`' } else { bits + b' ' }
}

fn convert_uuencode(call: &mut Call<'_>) -> PhpResult<Value> {
    let bytes = call.bytes(0);
    let mut builder = StringBuilder::new(call.vm, bytes.len() / 2 * 3 + 46);
    for line in bytes.chunks(45) {
        builder.push_byte(uu(line.len() as u8));
        for group in line.chunks(3) {
            let at = |index: usize| group.get(index).copied().unwrap_or(0);
            let (a, b, c) = (at(0), at(1), at(2));
            builder.push(&[
                uu(a >> 2),
                uu(a << 4 & 0x30 | b >> 4),
                uu(b << 2 & 0x3c | c >> 6),
                uu(c & 0x3f),
            ]);
        }
        builder.push_byte(b'\n');
    }
    builder.push(b"`\n");
    Ok(builder.into_value(call.vm))
}

fn convert_uudecode(call: &mut Call<'_>) -> PhpResult<Value> {
    let bytes = call.bytes(0);
    match uudecode(bytes).filter(|_| !bytes.is_empty()) {
        Some(decoded) => text(call.vm, decoded),
        None => {
            call.vm
                .warning("convert_uudecode(): Argument #1 ($data) is not a valid uuencoded string");
            Ok(false.into())
        }
    }
}

fn uudecode(bytes: &[u8]) -> Option<Vec<u8>> {
    let value = |byte: u8| byte.wrapping_sub(b' ') & 0x3f;
    let mut decoded = Vec::with_capacity(bytes.len() / 4 * 3);
    let mut rest = bytes;
    while let Some((&first, line)) = rest.split_first() {
        let length = value(first) as usize;
        if length == 0 {
            break;
        }
        let groups = length.div_ceil(3);
        let digits = line.get(..groups * 4)?;
        let start = decoded.len();
        for group in digits.chunks_exact(4) {
            let [a, b, c, d] = [
                value(group[0]),
                value(group[1]),
                value(group[2]),
                value(group[3]),
            ];
            decoded.extend_from_slice(&[a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
        }
        decoded.truncate(start + length);
        // A short line is the last.
        if length < 45 {
            break;
        }
        rest = line.get(groups * 4 + 1..).unwrap_or_default();
    }
    Some(decoded)
}

fn utf8_encode(call: &mut Call<'_>) -> PhpResult<Value> {
    let bytes = call.bytes(0);
    let mut builder = StringBuilder::new(call.vm, bytes.len() * 2);
    for &byte in bytes {
        if byte < 0x80 {
            builder.push_byte(byte);
        } else {
            builder.push(&[0xc0 | byte >> 6, 0x80 | byte & 0x3f]);
        }
    }
    Ok(builder.into_value(call.vm))
}

fn utf8_decode(call: &mut Call<'_>) -> PhpResult<Value> {
    let bytes = call.bytes(0);
    let mut builder = StringBuilder::new(call.vm, bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let (character, length) = crate::support::utf8::decode_or_skip(rest);
        match character {
            Some(character) if character < 256 => builder.push_byte(character as u8),
            _ => builder.push_byte(b'?'),
        }
        rest = &rest[length..];
    }
    Ok(builder.into_value(call.vm))
}
