//! Encodings of one to three bytes a character: the tables of encoding_rs with PHP's differences.

use std::collections::HashMap;

use encoding_rs::Encoding;

/// Where PHP differs, a section an encoding.
static DIFFERENCES: &str = include_str!("differences.txt");

/// The encodings and the table each is based on.
static BASES: &[(&str, &Encoding)] = &[
    ("EUC-JP", encoding_rs::EUC_JP),
    ("eucJP-win", encoding_rs::EUC_JP),
    ("CP51932", encoding_rs::EUC_JP),
    ("SJIS", encoding_rs::SHIFT_JIS),
    ("CP932", encoding_rs::SHIFT_JIS),
    ("SJIS-win", encoding_rs::SHIFT_JIS),
    ("EUC-CN", encoding_rs::GBK),
    ("CP936", encoding_rs::GBK),
    ("BIG-5", encoding_rs::BIG5),
    ("CP950", encoding_rs::BIG5),
    ("EUC-KR", encoding_rs::EUC_KR),
    ("UHC", encoding_rs::EUC_KR),
];

/// A table made for use.
pub(super) struct DoubleByte {
    /// Characters by code: one byte (below 0x100), two, or the last two of three (JIS X 0212, from
    /// 0x10000 on). 0 is no character.
    decode: Vec<u16>,
    encode: HashMap<u32, u32, foldhash::fast::FixedState>,
    /// True if 0x8f starts a character of three bytes.
    has_three: bool,
}

/// The place of a code in [`DoubleByte::decode`].
fn place(code: u32) -> usize {
    match code {
        0x8f_0000.. => 0x1_0000 + (code as usize & 0xffff),
        _ => code as usize,
    }
}

impl DoubleByte {
    /// The table of an encoding.
    pub(super) fn new(name: &str) -> DoubleByte {
        let base = BASES.iter().find(|(known, _)| *known == name);
        let base = base.map_or(encoding_rs::SHIFT_JIS, |known| known.1);
        let has_three = matches!(name, "EUC-JP" | "eucJP-win");
        let mut decode = vec![0u16; if has_three { 0x2_0000 } else { 0x1_0000 }];
        for lead in 0x80..=0xffu8 {
            set(base, &mut decode, &[lead]);
            for trail in 0x21..=0xff {
                set(base, &mut decode, &[lead, trail]);
                if has_three && lead >= 0xa1 && trail >= 0xa1 {
                    set(base, &mut decode, &[0x8f, lead, trail]);
                }
            }
        }
        for (first, last, target) in differences(name, "decode ") {
            for code in first..=last {
                let character = target.map_or(0, |target| target + (code - first));
                if let Some(slot) = decode.get_mut(place(code)) {
                    *slot = character as u16;
                }
            }
        }
        let mut encode = HashMap::default();
        let prefers_ibm = matches!(name, "CP932" | "SJIS-win");
        let is_late = |code: usize| prefers_ibm && (0xed00..0xef00).contains(&code);
        for late in [false, true] {
            for (code, &character) in decode.iter().enumerate() {
                if character != 0 && is_late(code) == late {
                    let code = if code > 0xffff {
                        0x8f_0000 | (code as u32 & 0xffff)
                    } else {
                        code as u32
                    };
                    encode.entry(character as u32).or_insert(code);
                }
            }
        }
        for (first, last, target) in differences(name, "encode ") {
            for character in first..=last {
                match target {
                    Some(target) => drop(encode.insert(character, target + (character - first))),
                    None => drop(encode.remove(&character)),
                }
            }
        }
        DoubleByte {
            decode,
            encode,
            has_three,
        }
    }

    /// The character of a code of one, two or three bytes.
    pub(super) fn character(&self, code: u32) -> Option<u32> {
        if code < 0x80 {
            return Some(code);
        }
        let character = *self.decode.get(place(code))?;
        (character != 0).then_some(character as u32)
    }

    /// The code of a character, its bytes as one number.
    pub(super) fn code(&self, character: u32) -> Option<u32> {
        if character < 0x80 {
            return Some(character);
        }
        self.encode.get(&character).copied()
    }

    /// Decodes text; `lengths` tells how many bytes a first byte asks for.
    pub(super) fn decode(&self, bytes: &[u8], lengths: &[u8; 256], output: &mut Vec<u32>) {
        let mut rest = bytes;
        while let [first, after @ ..] = rest {
            if let Some(character) = self.character(*first as u32) {
                output.push(character);
                rest = after;
                continue;
            }
            let length = lengths[*first as usize] as usize;
            if length == 1 || rest.len() < length {
                output.push(super::BAD);
                rest = &rest[length.min(rest.len())..];
                continue;
            }
            let code = rest[..length]
                .iter()
                .fold(0u32, |code, &byte| code << 8 | byte as u32);
            output.push(self.character(code).unwrap_or(super::BAD));
            rest = &rest[length..];
        }
        debug_assert!(self.has_three || lengths[0x8f] < 3);
    }

    /// Appends a character; false if there is none in the encoding.
    pub(super) fn encode(&self, character: u32, output: &mut Vec<u8>) -> bool {
        let Some(code) = self.code(character) else {
            return false;
        };
        let bytes = code.to_be_bytes();
        let skip = bytes.iter().take(3).take_while(|byte| **byte == 0).count();
        output.extend_from_slice(&bytes[skip..]);
        true
    }
}

/// Notes what a base table has for a code.
fn set(base: &'static Encoding, decode: &mut [u16], bytes: &[u8]) {
    let Some(text) = base.decode_without_bom_handling_and_without_replacement(bytes) else {
        return;
    };
    let mut characters = text.encode_utf16();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        let code = bytes
            .iter()
            .fold(0u32, |code, &byte| code << 8 | byte as u32);
        decode[place(code)] = character;
    }
}

/// Entries of a line of an encoding's section: first, last, and what the first one is.
fn differences(name: &str, line: &'static str) -> impl Iterator<Item = (u32, u32, Option<u32>)> {
    let section = DIFFERENCES
        .split('[')
        .find_map(|section| section.strip_prefix(name)?.strip_prefix("]\n"))
        .unwrap_or_default();
    let entries = section
        .lines()
        .find_map(|text| text.strip_prefix(line))
        .unwrap_or_default();
    entries.split_ascii_whitespace().map(|entry| {
        let number = |text: &str| u32::from_str_radix(text, 16).unwrap_or_default();
        let (range, target) = match entry.split_once('=') {
            Some((range, target)) => (range, Some(number(target))),
            None => (entry, None),
        };
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        (number(first), number(last), target)
    })
}
