//! The two ways in which words of mail headers are encoded (RFC 2047).

use crate::standard::strings::encode::{decode_base64, hex_digit};

/// Bytes in the Q encoding; `is_plain` says which of them stand for themselves.
pub(crate) fn encode_quoted(bytes: &[u8], is_plain: impl Fn(u8) -> bool) -> Vec<u8> {
    let mut output = Vec::with_capacity(bytes.len() * 3);
    for &byte in bytes {
        if is_plain(byte) {
            output.push(byte);
        } else {
            let digit = |digit: u8| b"0123456789ABCDEF"[usize::from(digit & 15)];
            output.extend_from_slice(&[b'=', digit(byte >> 4), digit(byte)]);
        }
    }
    output
}

/// What the content of an encoded word stands for; nothing if there is no such encoding.
pub(crate) fn decode(letter: u8, content: &[u8]) -> Option<Vec<u8>> {
    match letter {
        b'b' | b'B' => Some(decode_base64(content, false).unwrap_or_default()),
        b'q' | b'Q' => Some(decode_quoted(content)),
        _ => None,
    }
}

fn decode_quoted(content: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(content.len());
    let mut rest = content;
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'_', _) => output.push(b' '),
            (b'=', [high, low, tail @ ..]) => match (hex_digit(*high), hex_digit(*low)) {
                (Some(high), Some(low)) => {
                    output.push(high << 4 | low);
                    rest = tail;
                }
                _ => output.push(b'='),
            },
            _ => output.push(*first),
        }
    }
    output
}
