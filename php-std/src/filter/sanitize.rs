//! Filters that take characters out or write them in another way.

use super::constants::{filter, flag};

/// Takes out the bytes that flags name.
fn strip(text: &[u8], flags: i64) -> Vec<u8> {
    let goes = |byte: u8| {
        byte >= 127 && flags & flag::STRIP_HIGH != 0
            || byte < 32 && flags & flag::STRIP_LOW != 0
            || byte == b'`' && flags & flag::STRIP_BACKTICK != 0
    };
    text.iter().copied().filter(|&byte| !goes(byte)).collect()
}

/// Writes some bytes as references to characters: `&#60;`.
fn references(text: &[u8], which: impl Fn(u8) -> bool) -> Vec<u8> {
    let mut output = Vec::with_capacity(text.len());
    for &byte in text {
        if which(byte) {
            output.extend_from_slice(format!("&#{byte};").as_bytes());
        } else {
            output.push(byte);
        }
    }
    output
}

fn encodes(byte: u8, flags: i64) -> bool {
    byte == b'&' && flags & flag::ENCODE_AMP != 0
        || byte < 32 && flags & flag::ENCODE_LOW != 0
        || byte > 126 && flags & flag::ENCODE_HIGH != 0
}

/// Keeps letters and digits, and the characters of a list.
fn keep(text: &[u8], list: &[u8]) -> Vec<u8> {
    let stays = |byte: &u8| byte.is_ascii_alphanumeric() || list.contains(byte);
    text.iter().copied().filter(stays).collect()
}

/// The characters of URLs.
pub(super) fn url(text: &[u8]) -> Vec<u8> {
    keep(text, b"$-_.+!*'(),{}|\\^~[]`<>#%\";/?:@&=")
}

/// The characters of mail addresses.
pub(super) fn email(text: &[u8]) -> Vec<u8> {
    keep(text, b"!#$%&'*+-=?^_`{|}~@.[]")
}

/// What a filter makes of text; none if it is none of these.
pub(super) fn sanitize(number: i64, text: &[u8], flags: i64) -> Option<Vec<u8>> {
    Some(match number {
        filter::UNSAFE_RAW => references(&strip(text, flags), |byte| encodes(byte, flags)),
        // The tags are taken out afterwards.
        filter::SANITIZE_STRING => {
            let quotes = flags & flag::NO_ENCODE_QUOTES == 0;
            references(&strip(text, flags), |byte| {
                quotes && matches!(byte, b'"' | b'\'') || encodes(byte, flags)
            })
        }
        filter::SANITIZE_ENCODED => {
            let mut output = Vec::with_capacity(text.len());
            for byte in strip(text, flags) {
                if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
                    output.push(byte);
                } else {
                    output.extend_from_slice(format!("%{byte:02X}").as_bytes());
                }
            }
            output
        }
        filter::SANITIZE_SPECIAL_CHARS => references(&strip(text, flags), |byte| {
            matches!(byte, b'\'' | b'"' | b'<' | b'>' | b'&')
                || byte < 32
                || byte > 126 && flags & flag::ENCODE_HIGH != 0
        }),
        filter::SANITIZE_EMAIL => email(text),
        filter::SANITIZE_URL => url(text),
        filter::SANITIZE_NUMBER_INT => numbers(text, b"+-"),
        filter::SANITIZE_NUMBER_FLOAT => {
            let mut list = b"+-".to_vec();
            if flags & flag::ALLOW_FRACTION != 0 {
                list.push(b'.');
            }
            if flags & flag::ALLOW_THOUSAND != 0 {
                list.push(b',');
            }
            if flags & flag::ALLOW_SCIENTIFIC != 0 {
                list.extend_from_slice(b"eE");
            }
            numbers(text, &list)
        }
        filter::SANITIZE_ADD_SLASHES => {
            let mut output = Vec::with_capacity(text.len());
            for &byte in text {
                match byte {
                    0 => output.extend_from_slice(b"\\0"),
                    b'\'' | b'"' | b'\\' => output.extend_from_slice(&[b'\\', byte]),
                    _ => output.push(byte),
                }
            }
            output
        }
        _ => return None,
    })
}

/// Keeps digits, and the characters of a list.
fn numbers(text: &[u8], list: &[u8]) -> Vec<u8> {
    let stays = |byte: &u8| byte.is_ascii_digit() || list.contains(byte);
    text.iter().copied().filter(stays).collect()
}
