//! Bytes of scripts in messages.
//!
//! Messages are put together as Rust's text, but what a script calls things need not be UTF-8, and PHP
//! prints the bytes as they are. So a byte that is no part of UTF-8 stands in the text as a private
//! character of its own ([`text`]), and where the text becomes a PHP string it is a byte again
//! ([`Message::message`]). A script's own characters of that range are taken apart in the same way, so that
//! nothing is mistaken for something else.

use std::borrow::Cow;

/// The character that stands for the byte 0; only bytes from 0x80 on ever need one.
const FIRST: u32 = 0x10FE00;
/// How the characters for the bytes from 0x80 and from 0xC0 on begin in UTF-8; a last byte follows.
const LEADS: [[u8; 3]; 2] = [[0xF4, 0x8F, 0xBA], [0xF4, 0x8F, 0xBB]];

/// Bytes of a script as PHP puts them into its messages: up to a NUL byte. [`Message::message`] makes the same
/// bytes of the text.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    whole_text(&bytes[..end])
}

/// As [`text`] with all bytes: for what is no message, and for what PHP puts in by its length.
pub fn whole_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if stand_in(bytes).is_none() => Cow::Borrowed(text),
        _ => Cow::Owned(spelled(bytes)),
    }
}

/// [`whole_text`] where some bytes need characters.
#[cold]
fn spelled(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for part in bytes.utf8_chunks() {
        for char in part.valid().chars() {
            match char as u32 {
                0x10FE80..=0x10FEFF => {
                    let mut buffer = [0; 4];
                    text.extend(char.encode_utf8(&mut buffer).bytes().map(character));
                }
                _ => text.push(char),
            }
        }
        text.extend(part.invalid().iter().copied().map(character));
    }
    text
}

fn character(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Where the first character that stands for a byte is.
fn stand_in(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(LEADS[0][0], bytes)
        .find(|&at| LEADS.iter().any(|lead| bytes[at..].starts_with(lead)))
}

/// What a message is given as: bytes stay as they are, in text characters of [`text`] are bytes again.
pub trait Message {
    /// The bytes that PHP prints.
    fn message(&self) -> Cow<'_, [u8]>;
}

impl Message for str {
    fn message(&self) -> Cow<'_, [u8]> {
        let text = self.as_bytes();
        let Some(mut at) = stand_in(text) else {
            return Cow::Borrowed(text);
        };
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text;
        loop {
            bytes.extend_from_slice(&rest[..at]);
            // The last two bits of the third byte and the six of the fourth.
            bytes.push(rest[at + 2] << 6 | rest[at + 3] & 0x3F);
            rest = &rest[at + 4..];
            match stand_in(rest) {
                Some(next) => at = next,
                None => break,
            }
        }
        bytes.extend_from_slice(rest);
        Cow::Owned(bytes)
    }
}

impl Message for [u8] {
    fn message(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(self)
    }
}

impl<const LENGTH: usize> Message for [u8; LENGTH] {
    fn message(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(self)
    }
}

impl Message for String {
    fn message(&self) -> Cow<'_, [u8]> {
        self.as_str().message()
    }
}

impl Message for Vec<u8> {
    fn message(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(self)
    }
}

impl<T: Message + ToOwned + ?Sized> Message for Cow<'_, T> {
    fn message(&self) -> Cow<'_, [u8]> {
        (**self).message()
    }
}

impl<T: Message + ?Sized> Message for &T {
    fn message(&self) -> Cow<'_, [u8]> {
        (**self).message()
    }
}

#[cfg(test)]
mod tests {
    use super::{Message, text, whole_text};

    #[test]
    fn bytes_survive_as_text() {
        let long: Vec<u8> = (0..=255).cycle().take(700).collect();
        let cases: [&[u8]; 7] = [
            b"",
            b"plain",
            "größer".as_bytes(),
            b"n\xFF\x80\xE9",
            b"\xF4\x8F\xBA\x80\xF4\x8F\xBB\xBF",
            b"\xF4\x8F\xF4\x8F\xBB",
            &long,
        ];
        for bytes in cases {
            let shown = whole_text(bytes);
            let message = format!("key \"{shown}\" of [{shown}]");
            let expected = [b"key \"", bytes, b"\" of [", bytes, b"]"].concat();
            assert_eq!(Message::message(&message), expected);
        }
    }

    #[test]
    fn text_ends_at_a_nul_byte() {
        assert_eq!(text(b"a\0b"), "a");
        assert_eq!(text(b"\0"), "");
    }

    #[test]
    fn bytes_that_are_given_as_bytes_stay() {
        let bytes = b"\xF4\x8F\xBA\x80\xFF";
        assert_eq!(Message::message(bytes), &bytes[..]);
        assert_eq!(Message::message(&bytes.to_vec()), &bytes[..]);
    }
}
