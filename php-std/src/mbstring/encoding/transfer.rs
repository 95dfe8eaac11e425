//! Codings of bytes that PHP counts among the encodings: Base64, Quoted-Printable, uuencode and
//! HTML entities.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::BAD;
use super::unicode_forms::base64_value;
use crate::standard::strings::encode::{encode_base64 as base64, hex_digit};

/// Characters in a line of Base64 and Quoted-Printable.
const LINE: usize = 76;

pub(super) fn decode_base64(bytes: &[u8], output: &mut Vec<u32>) {
    let (mut bits, mut count) = (0u32, 0);
    for &byte in bytes {
        match base64_value(byte, b'/') {
            Some(value) => {
                bits = bits << 6 | value;
                count += 6;
                if count == 24 {
                    output.extend([16, 8, 0].map(|shift| bits >> shift & 0xff));
                    (bits, count) = (0, 0);
                }
            }
            None if matches!(byte, b'\r' | b'\n' | b' ' | b'\t' | b'=') => {}
            None => output.push(BAD),
        }
    }
    while count >= 8 {
        count -= 8;
        output.push(bits >> count & 0xff);
    }
}

pub(super) fn encode_base64(bytes: &[u8]) -> Vec<u8> {
    let encoded = base64(bytes);
    encoded.chunks(LINE).collect::<Vec<_>>().join(&b"\r\n"[..])
}

pub(super) fn decode_quoted_printable(bytes: &[u8], output: &mut Vec<u32>) {
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'=' {
            output.push(*first as u32);
            continue;
        }
        match after {
            [b'\r', b'\n', tail @ ..] | [b'\n' | b'\r', tail @ ..] => rest = tail,
            [high, low, tail @ ..] => match (hex_digit(*high), hex_digit(*low)) {
                (Some(high), Some(low)) => {
                    output.push((high as u32) << 4 | low as u32);
                    rest = tail;
                }
                _ => output.push(u32::from(b'=')),
            },
            _ => output.push(u32::from(b'=')),
        }
    }
}

pub(super) fn encode_quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(bytes.len() * 2);
    let mut column = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        if matches!(byte, b'\r' | b'\n') {
            if byte == b'\r' || at == 0 || bytes[at - 1] != b'\r' {
                output.extend_from_slice(b"\r\n");
            }
            column = 0;
            continue;
        }
        let is_plain = byte < 0x80 && byte != b'=' && byte != 0;
        if column >= 72 {
            output.extend_from_slice(b"=\r\n");
            column = 0;
        }
        if is_plain {
            output.push(byte);
            column += 1;
        } else {
            output.extend_from_slice(format!("={byte:02X}").as_bytes());
            column += 3;
        }
    }
    output
}

pub(super) fn decode_uuencode(bytes: &[u8], output: &mut Vec<u32>) {
    let mut lines = bytes.split(|&byte| byte == b'\n');
    if !lines.any(|line| line.starts_with(b"begin ")) {
        return;
    }
    for line in lines {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Some((&length, digits)) = line.split_first() else {
            continue;
        };
        let mut left = (length.wrapping_sub(b' ') & 0x3f) as usize;
        if left == 0 {
            break;
        }
        for group in digits.chunks(4) {
            let bits = (0..4).fold(0u32, |bits, index| {
                let digit = group.get(index).copied().unwrap_or(b' ');
                bits << 6 | (digit.wrapping_sub(b' ') & 0x3f) as u32
            });
            let taken = left.min(3);
            output.extend((0..taken).map(|index| bits >> (16 - 8 * index) & 0xff));
            left -= taken;
        }
    }
}

pub(super) fn encode_uuencode(bytes: &[u8]) -> Vec<u8> {
    if bytes.is_empty() {
        return Vec::new();
    }
    let mut output = b"begin 0644 filename\n".to_vec();
    let digit = |value: u32| match value & 0x3f {
        0 => b'`',
        value => b' ' + value as u8,
    };
    for line in bytes.chunks(45) {
        output.push(digit(line.len() as u32));
        for group in line.chunks(3) {
            let byte = |index: usize| group.get(index).copied().unwrap_or(0) as u32;
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            output.extend([18, 12, 6, 0].map(|shift| digit(bits >> shift)));
        }
        output.push(b'\n');
    }
    output
}

/// The entities of HTML 4.01: name and character.
static ENTITIES: &str = include_str!("../../standard/strings/html401.txt");

struct Entities {
    by_name: HashMap<&'static str, u32>,
    by_character: HashMap<u32, &'static str>,
}

fn entities() -> &'static Entities {
    static MADE: OnceLock<Entities> = OnceLock::new();
    MADE.get_or_init(|| {
        let pairs = ENTITIES.lines().filter_map(|line| {
            let (name, character) = line.split_once(' ')?;
            Some((name, u32::from_str_radix(character, 16).ok()?))
        });
        let pairs: Vec<_> = pairs.collect();
        Entities {
            by_name: pairs.iter().copied().collect(),
            by_character: pairs
                .iter()
                .rev()
                .map(|&(name, character)| (character, name))
                .collect(),
        }
    })
}

/// The character between `&` and `;`.
fn entity(name: &[u8]) -> Option<u32> {
    let name = std::str::from_utf8(name).ok()?;
    let Some(number) = name.strip_prefix('#') else {
        return match name {
            "quot" => Some(0x22),
            "amp" => Some(0x26),
            "lt" => Some(0x3c),
            "gt" => Some(0x3e),
            _ => entities().by_name.get(name).copied(),
        };
    };
    let character = match number.strip_prefix(['x', 'X']) {
        Some(digits) if !digits.starts_with('+') => u32::from_str_radix(digits, 16).ok()?,
        None if !number.starts_with('+') => number.parse().ok()?,
        _ => return None,
    };
    char::from_u32(character).map(u32::from)
}

/// The longest name of an entity, with its mark.
const LONGEST: usize = 16;

pub(super) fn decode_html(bytes: &[u8], output: &mut Vec<u32>) {
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        if byte == b'&' {
            let rest = &bytes[at..bytes.len().min(at + LONGEST)];
            if let Some(end) = memchr::memchr(b';', rest)
                && let Some(character) = entity(&rest[..end])
            {
                output.push(character);
                at += end + 1;
                continue;
            }
        }
        output.push(byte as u32);
    }
}

pub(super) fn encode_html(character: u32, output: &mut Vec<u8>) -> bool {
    if character == BAD {
        return false;
    }
    if character < 0x80 {
        output.push(character as u8);
        return true;
    }
    match entities().by_character.get(&character) {
        Some(name) => output.extend_from_slice(format!("&{name};").as_bytes()),
        None => output.extend_from_slice(format!("&#{character};").as_bytes()),
    }
    true
}
