//! Bytes to characters and back, by a converter.

use super::table::{Converter, kind};
use super::utf7::Utf7;
use crate::mbstring::encoding::find as find_encoding;

/// A character, or bytes that are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Character(u32),
    Bad {
        start: usize,
        end: usize,
        problem: Problem,
    },
}

/// What is wrong with bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Problem {
    /// They are no character of this encoding.
    Unassigned,
    Illegal,
    /// The text ends too early.
    Truncated,
}

/// The order of the bytes of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Big,
    Little,
}

impl Order {
    fn read(self, bytes: &[u8]) -> u32 {
        let add = |number, byte: &u8| number << 8 | u32::from(*byte);
        match self {
            Order::Big => bytes.iter().fold(0, add),
            Order::Little => bytes.iter().rev().fold(0, add),
        }
    }

    fn write(self, number: u32, length: usize, output: &mut Vec<u8>) {
        match self {
            Order::Big => output.extend_from_slice(&number.to_be_bytes()[4 - length..]),
            Order::Little => output.extend_from_slice(&number.to_le_bytes()[..length]),
        }
    }
}

/// The characters of a text.
pub(super) fn decode(converter: &Converter, bytes: &[u8]) -> Vec<Part> {
    vm_runtime::limits::poll();
    vm_runtime::limits::reserve(bytes.len() * size_of::<Part>());
    let mut parts = Vec::with_capacity(bytes.len());
    let of_byte = |(at, byte): (usize, &u8), limit: u8| match *byte < limit {
        true => Part::Character((*byte).into()),
        false => bad(at, at + 1, Problem::Illegal),
    };
    let bytes_with_places = bytes.iter().enumerate();
    match converter.kind {
        kind::ASCII => parts.extend(bytes_with_places.map(|byte| of_byte(byte, 0x80))),
        kind::LATIN_1 => parts.extend(bytes.iter().map(|byte| Part::Character((*byte).into()))),
        kind::UTF8 => decode_utf8(bytes, false, &mut parts),
        kind::CESU8 => decode_utf8(bytes, true, &mut parts),
        kind::UTF7 => decode_utf7(bytes, &mut parts),
        kind::UTF16_BIG => decode_utf16(bytes, 0, Order::Big, &mut parts),
        kind::UTF16_LITTLE => decode_utf16(bytes, 0, Order::Little, &mut parts),
        kind::UTF32_BIG => decode_utf32(bytes, 0, Order::Big, &mut parts),
        kind::UTF32_LITTLE => decode_utf32(bytes, 0, Order::Little, &mut parts),
        kind::UTF16 => match bytes {
            [0xff, 0xfe, ..] => decode_utf16(bytes, 2, Order::Little, &mut parts),
            [0xfe, 0xff, ..] => decode_utf16(bytes, 2, Order::Big, &mut parts),
            _ => decode_utf16(bytes, 0, Order::Big, &mut parts),
        },
        kind::UTF32 => match bytes {
            [0xff, 0xfe, 0, 0, ..] => decode_utf32(bytes, 4, Order::Little, &mut parts),
            [0, 0, 0xfe, 0xff, ..] => decode_utf32(bytes, 4, Order::Big, &mut parts),
            _ => decode_utf32(bytes, 0, Order::Big, &mut parts),
        },
        _ => parts.extend(
            bytes_with_places.map(|(at, byte)| match converter.character(*byte) {
                Some(character) => Part::Character(character),
                None => bad(at, at + 1, Problem::Unassigned),
            }),
        ),
    }
    parts
}

fn bad(start: usize, end: usize, problem: Problem) -> Part {
    Part::Bad {
        start,
        end,
        problem,
    }
}

/// UTF-8, or CESU-8, where what UTF-16 has two units for is two characters of three bytes.
fn decode_utf8(bytes: &[u8], is_cesu: bool, parts: &mut Vec<Part>) {
    let mut at = 0;
    while let Some(&lead) = bytes.get(at) {
        let start = at;
        at += 1;
        let (length, mut character) = match lead {
            0..0x80 => (1, u32::from(lead)),
            0xc2..0xe0 => (2, u32::from(lead & 0x1f)),
            0xe0..0xf0 => (3, u32::from(lead & 0xf)),
            0xf0..0xf5 => (4, u32::from(lead & 7)),
            _ => {
                parts.push(bad(start, at, Problem::Illegal));
                continue;
            }
        };
        let mut problem = None;
        for place in 1..length {
            let Some(&trail) = bytes.get(at) else {
                problem = Some(Problem::Truncated);
                break;
            };
            let fits = match (place, lead) {
                (1, 0xe0) => (0xa0..0xc0).contains(&trail),
                (1, 0xed) if !is_cesu => (0x80..0xa0).contains(&trail),
                (1, 0xf0) => (0x90..0xc0).contains(&trail),
                (1, 0xf4) => (0x80..0x90).contains(&trail),
                _ => (0x80..0xc0).contains(&trail),
            };
            if !fits {
                problem = Some(Problem::Illegal);
                break;
            }
            character = character << 6 | u32::from(trail & 0x3f);
            at += 1;
        }
        if is_cesu && length == 4 {
            problem = problem.or(Some(Problem::Illegal));
        }
        match problem {
            Some(problem) => parts.push(bad(start, at, problem)),
            None => parts.push(Part::Character(character)),
        }
    }
    if is_cesu {
        join_halves(parts);
    }
}

/// Makes characters of two halves of one each.
fn join_halves(parts: &mut Vec<Part>) {
    let mut joined: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts.drain(..) {
        if let Part::Character(low @ 0xdc00..0xe000) = part
            && let Some(Part::Character(high @ 0xd800..0xdc00)) = joined.last().copied()
        {
            joined.pop();
            joined.push(Part::Character(whole(high, low)));
            continue;
        }
        joined.push(part);
    }
    *parts = joined;
}

fn whole(high: u32, low: u32) -> u32 {
    0x1_0000 + ((high - 0xd800) << 10 | (low - 0xdc00))
}

fn decode_utf16(bytes: &[u8], from: usize, order: Order, parts: &mut Vec<Part>) {
    let mut at = from;
    while at < bytes.len() {
        let unit = |at: usize| bytes.get(at..at + 2).map(|bytes| order.read(bytes));
        let Some(first) = unit(at) else {
            parts.push(bad(at, bytes.len(), Problem::Truncated));
            return;
        };
        match (first, unit(at + 2)) {
            (0xd800..0xdc00, Some(second @ 0xdc00..0xe000)) => {
                parts.push(Part::Character(whole(first, second)));
                at += 2;
            }
            (0xd800..0xdc00, None) => {
                parts.push(bad(at, bytes.len(), Problem::Truncated));
                return;
            }
            (0xd800..0xe000, _) => parts.push(bad(at, at + 2, Problem::Illegal)),
            _ => parts.push(Part::Character(first)),
        }
        at += 2;
    }
}

fn decode_utf32(bytes: &[u8], from: usize, order: Order, parts: &mut Vec<Part>) {
    for (index, unit) in bytes[from..].chunks(4).enumerate() {
        let (start, number) = (from + index * 4, order.read(unit));
        let end = start + unit.len();
        parts.push(match char::from_u32(number) {
            _ if unit.len() < 4 => bad(start, end, Problem::Truncated),
            Some(_) => Part::Character(number),
            None => bad(start, end, Problem::Illegal),
        });
    }
}

/// UTF-7, by mbstring. Where it is wrong all of what that takes for no character is illegal.
fn decode_utf7(bytes: &[u8], parts: &mut Vec<Part>) {
    let Some(encoding) = find_encoding(b"UTF-7") else {
        return;
    };
    for character in encoding.decode(bytes) {
        parts.push(match char::from_u32(character) {
            Some(_) => Part::Character(character),
            None => bad(0, 0, Problem::Illegal),
        });
    }
}

/// Writes characters.
pub(super) struct Writer {
    converter: Converter,
    /// Where bytes are characters, the byte of each.
    bytes: Vec<(u32, u8)>,
    /// UTF-7 remembers where it is.
    utf7: Utf7,
    pub(super) output: Vec<u8>,
}

impl Writer {
    pub(super) fn new(converter: &Converter, is_empty: bool) -> Writer {
        // What has no order in its name begins with the mark that tells it.
        let output = match converter.kind {
            kind::UTF16 if !is_empty => vec![0xff, 0xfe],
            kind::UTF32 if !is_empty => vec![0xff, 0xfe, 0, 0],
            _ => Vec::new(),
        };
        Writer {
            bytes: converter.bytes(),
            converter: *converter,
            utf7: Utf7::default(),
            output,
        }
    }

    /// Writes a character; false if the encoding does not have it.
    pub(super) fn put(&mut self, character: u32) -> bool {
        let output = &mut self.output;
        let Some(letter) = char::from_u32(character) else {
            return false;
        };
        match self.converter.kind {
            kind::ASCII if character < 0x80 => output.push(character as u8),
            kind::LATIN_1 if character < 0x100 => output.push(character as u8),
            kind::UTF8 => output.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            kind::CESU8 => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    put_three(u32::from(*unit), output);
                }
            }
            kind::UTF16_BIG => put_units(letter, Order::Big, output),
            kind::UTF16 | kind::UTF16_LITTLE => put_units(letter, Order::Little, output),
            kind::UTF32_BIG => Order::Big.write(character, 4, output),
            kind::UTF32 | kind::UTF32_LITTLE => Order::Little.write(character, 4, output),
            kind::UTF7 => self.utf7.put(letter, output),
            _ => {
                let known = &self.bytes;
                let Ok(place) = known.binary_search_by_key(&character, |(known, _)| *known) else {
                    return false;
                };
                output.push(known[place].1);
            }
        }
        true
    }

    /// The whole text.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.utf7.finish(&mut self.output);
        self.output
    }
}

fn put_units(letter: char, order: Order, output: &mut Vec<u8>) {
    for unit in letter.encode_utf16(&mut [0; 2]) {
        order.write(u32::from(*unit), 2, output);
    }
}

/// A unit of UTF-16 as up to three bytes.
fn put_three(unit: u32, output: &mut Vec<u8>) {
    let trail = |shift: u32| 0x80 | (unit >> shift) as u8 & 0x3f;
    match unit {
        0..0x80 => output.push(unit as u8),
        0x80..0x800 => output.extend_from_slice(&[0xc0 | (unit >> 6) as u8, trail(0)]),
        _ => output.extend_from_slice(&[0xe0 | (unit >> 12) as u8, trail(6), trail(0)]),
    }
}
