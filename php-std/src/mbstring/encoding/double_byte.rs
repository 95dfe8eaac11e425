//! Encodings of one to three bytes a character: the tables of encoding_rs with PHP's differences.

use std::collections::HashMap;

use encoding_rs::Encoding;

use super::Lengths;

/// Where PHP differs, a section an encoding.
static DIFFERENCES: &str = include_str!("differences.txt");

/// JIS X 0213 and CNS 11643: a line a row, with its plane, its number and its characters.
static JIS_ROWS: &str = include_str!("jisx0213.txt");
static CNS_ROWS: &str = include_str!("cns11643.txt");

/// What the table of an encoding starts from.
#[derive(Clone, Copy)]
enum Base {
    Whatwg(&'static Encoding),
    /// Another table.
    Table(&'static str),
    /// Rows, and the code of plane, row and cell.
    Rows(&'static str, fn(u32, u32, u32) -> u32),
}

/// The encodings and the table each is based on.
static BASES: &[(&str, Base)] = &[
    ("EUC-JP", Base::Whatwg(encoding_rs::EUC_JP)),
    ("eucJP-win", Base::Whatwg(encoding_rs::EUC_JP)),
    ("CP51932", Base::Whatwg(encoding_rs::EUC_JP)),
    ("SJIS", Base::Whatwg(encoding_rs::SHIFT_JIS)),
    ("CP932", Base::Whatwg(encoding_rs::SHIFT_JIS)),
    ("SJIS-win", Base::Whatwg(encoding_rs::SHIFT_JIS)),
    ("EUC-CN", Base::Whatwg(encoding_rs::GBK)),
    ("CP936", Base::Whatwg(encoding_rs::GBK)),
    ("BIG-5", Base::Whatwg(encoding_rs::BIG5)),
    ("CP950", Base::Whatwg(encoding_rs::BIG5)),
    ("EUC-KR", Base::Whatwg(encoding_rs::EUC_KR)),
    ("UHC", Base::Whatwg(encoding_rs::EUC_KR)),
    ("EUC-JP-2004", Base::Rows(JIS_ROWS, euc_code)),
    ("SJIS-2004", Base::Rows(JIS_ROWS, shift_jis_code)),
    ("EUC-TW", Base::Rows(CNS_ROWS, taiwan_code)),
    ("SJIS-mac", Base::Table("SJIS")),
    ("SJIS-Mobile#DOCOMO", Base::Table("CP932")),
    ("SJIS-Mobile#KDDI", Base::Table("CP932")),
    ("SJIS-Mobile#SOFTBANK", Base::Table("CP932")),
    ("ISO-2022-JP-MOBILE#KDDI", Base::Table("CP51932")),
];

fn euc_code(plane: u32, row: u32, cell: u32) -> u32 {
    let code = (row + 0xa0) << 8 | (cell + 0xa0);
    if plane == 2 { 0x8f_0000 | code } else { code }
}

fn taiwan_code(plane: u32, row: u32, cell: u32) -> u32 {
    let code = (row + 0xa0) << 8 | (cell + 0xa0);
    match plane {
        1 => code,
        _ => (0x8ea0_0000 + (plane << 16)) | code,
    }
}

/// The code in Shift_JIS: two rows a first byte. Those of the second plane fill the gaps behind.
fn shift_jis_code(plane: u32, row: u32, cell: u32) -> u32 {
    let place = match (plane, row) {
        (1, _) => row - 1,
        (_, 1) => 94,
        (_, 8) => 95,
        (_, 3..=5) => row + 93,
        (_, 12..=15) => row + 87,
        _ => row + 25,
    };
    let lead = match place / 2 {
        half @ 0..=30 => half + 0x81,
        half => half + 0xc1,
    };
    let trail = match (place % 2, cell) {
        (1, _) => cell + 0x9e,
        (_, ..=63) => cell + 0x3f,
        _ => cell + 0x40,
    };
    lead << 8 | trail
}

/// Set in [`DoubleByte::decode`] for codes that are several characters.
const SEVERAL: u32 = 1 << 31;

/// A table made for use.
#[derive(Clone)]
pub(super) struct DoubleByte {
    /// Characters by code: one byte (below 0x100), two, or the last two of more (see [`place`]). 0 is
    /// no character; with [`SEVERAL`] it is a place in `sequences`.
    decode: Vec<u32>,
    encode: HashMap<u32, u32, foldhash::fast::FixedState>,
    pub(super) sequences: Sequences,
}

/// The place of a code in [`DoubleByte::decode`]: planes behind 0x8f or 0x8e follow the two bytes.
fn place(code: u32) -> usize {
    let low = code as usize & 0xffff;
    match code >> 16 {
        0 | 0x8ea1 => low,
        0x8f | 0x8ea2 => 0x1_0000 + low,
        0x8eae => 0x2_0000 + low,
        _ => usize::MAX,
    }
}

impl DoubleByte {
    /// The table of an encoding.
    pub(super) fn new(name: &str) -> DoubleByte {
        let base = BASES.iter().find(|(known, _)| *known == name);
        let mut table = match base.map(|known| known.1) {
            Some(Base::Table(other)) => DoubleByte::new(other),
            Some(Base::Rows(rows, code)) => DoubleByte::of_rows(name, rows, code),
            Some(Base::Whatwg(base)) => DoubleByte::of_whatwg(name, base),
            None => DoubleByte::of_whatwg(name, encoding_rs::SHIFT_JIS),
        };
        table.differ(name);
        table
    }

    fn of_whatwg(name: &str, base: &'static Encoding) -> DoubleByte {
        let has_three = matches!(name, "EUC-JP" | "eucJP-win");
        let mut decode = vec![0u32; if has_three { 0x2_0000 } else { 0x1_0000 }];
        for lead in 0x80..=0xffu8 {
            set(base, &mut decode, &[lead]);
            for trail in 0x21..=0xff {
                set(base, &mut decode, &[lead, trail]);
                if has_three && lead >= 0xa1 && trail >= 0xa1 {
                    set(base, &mut decode, &[0x8f, lead, trail]);
                }
            }
        }
        // Whatever else there is must be known before it is told what each character becomes.
        let mut table = DoubleByte::empty(decode);
        table.differ_in_decoding(name);
        table.invert(matches!(name, "CP932" | "SJIS-win"));
        table
    }

    fn of_rows(name: &str, rows: &str, code: fn(u32, u32, u32) -> u32) -> DoubleByte {
        let mut table = DoubleByte::empty(vec![0; 0x3_0000]);
        for line in rows.lines() {
            let mut parts = line.splitn(3, ' ');
            let mut number = || parts.next().and_then(|part| part.parse().ok());
            let (Some(plane), Some(row)) = (number(), number()) else {
                continue;
            };
            let characters = parts.next().unwrap_or_default().chars();
            for (cell, character) in characters.enumerate() {
                if character != ' ' {
                    table.decode[place(code(plane, row, cell as u32 + 1))] = character.into();
                }
            }
        }
        // Half-width Katakana.
        let start = match name {
            "EUC-JP-2004" => 0x8ea1,
            "SJIS-2004" => 0xa1,
            _ => 0,
        };
        if start != 0 {
            for number in 0..=(0xff9f - 0xff61) {
                table.decode[start + number as usize] = 0xff61 + number;
            }
        }
        table.differ_in_decoding(name);
        table.invert(false);
        table
    }

    fn empty(mut decode: Vec<u32>) -> DoubleByte {
        for (code, slot) in decode[..0x80].iter_mut().enumerate() {
            *slot = code as u32;
        }
        DoubleByte {
            decode,
            encode: HashMap::default(),
            sequences: Sequences::default(),
        }
    }

    /// Each character gets its first code; with `prefers_ibm` those of IBM before those of NEC.
    fn invert(&mut self, prefers_ibm: bool) {
        let is_late = |code: usize| prefers_ibm && (0xed00..0xef00).contains(&code);
        for late in [false, true] {
            for (place, &character) in self.decode.iter().enumerate().skip(0x80) {
                if character != 0 && is_late(place) == late {
                    let low = place as u32 & 0xffff;
                    // Places of three bytes are only given where there are any.
                    let code = match (place >> 16, self.decode.len() >> 16) {
                        (0, _) => low,
                        (1, 2) => 0x8f_0000 | low,
                        (1, _) if self.is_japanese() => 0x8f_0000 | low,
                        (1, _) => 0x8ea2_0000 | low,
                        _ => 0x8eae_0000 | low,
                    };
                    self.encode.entry(character).or_insert(code);
                }
            }
        }
    }

    /// True if it has Hiragana where Japanese sets do.
    fn is_japanese(&self) -> bool {
        self.decode[0xa4a2] == 0x3042
    }

    fn differ_in_decoding(&mut self, name: &str) {
        for (first, last, target) in differences(name, "decode ") {
            for code in first..=last {
                let character = target.map_or(0, |target| target + (code - first));
                if let Some(slot) = self.decode.get_mut(place(code)) {
                    *slot = character;
                }
            }
        }
    }

    /// Applies the differences of an encoding.
    fn differ(&mut self, name: &str) {
        self.differ_in_decoding(name);
        for (first, last, target) in differences(name, "encode ") {
            for character in first..=last {
                if let Some(target) = target {
                    self.encode.insert(character, target + (character - first));
                } else {
                    self.encode.remove(&character);
                }
            }
        }
        self.sequences = Sequences::new(name);
        for (number, (_, code)) in self.sequences.0.iter().enumerate() {
            if let Some(slot) = self.decode.get_mut(place(*code)) {
                *slot = SEVERAL | number as u32;
            }
        }
    }

    /// The character of a code of one, two or three bytes.
    pub(super) fn character(&self, code: u32) -> Option<u32> {
        let character = *self.decode.get(place(code))?;
        (character != 0 || code == 0).then_some(character)
    }

    /// Appends what a code stands for; false if it stands for nothing.
    pub(super) fn put_characters(&self, code: u32, output: &mut Vec<u32>) -> bool {
        match self.character(code) {
            Some(number) if number & SEVERAL != 0 => {
                let sequence = self.sequences.0.get((number & !SEVERAL) as usize);
                output.extend(sequence.iter().flat_map(|known| &known.0));
                true
            }
            Some(character) => {
                output.push(character);
                true
            }
            None => false,
        }
    }

    /// The code of a character, its bytes as one number.
    pub(super) fn code(&self, character: u32) -> Option<u32> {
        match self.encode.get(&character) {
            Some(code) => Some(*code),
            None if character < 0x80 => Some(character),
            None => None,
        }
    }

    /// Decodes text; `lengths` tells how many bytes a first byte asks for.
    pub(super) fn decode(&self, bytes: &[u8], lengths: &Lengths, output: &mut Vec<u32>) {
        let resumes = !lengths.tells_all;
        let lengths = &lengths.bytes;
        let mut rest = bytes;
        while let [first, after @ ..] = rest {
            if self.put_characters(*first as u32, output) {
                rest = after;
                continue;
            }
            let length = lengths[*first as usize] as usize;
            if length == 1 || rest.len() < length {
                output.push(super::BAD);
                rest = &rest[length.min(rest.len())..];
                continue;
            }
            // Of more than two bytes, those that cannot follow are not taken along.
            let length = match rest[1..length].iter().position(|byte| *byte < 0xa1) {
                Some(at) if length > 2 && resumes => at + 2,
                _ if length == 4 && !matches!(rest[1], 0xa1..=0xb0) => 2,
                _ => length,
            };
            let code = rest[..length]
                .iter()
                .fold(0u32, |code, &byte| code << 8 | byte as u32);
            if !self.put_characters(code, output) {
                output.push(super::BAD);
            }
            rest = &rest[length..];
        }
    }

    /// Appends a character; false if there is none in the encoding.
    pub(super) fn encode(&self, character: u32, output: &mut Vec<u8>) -> bool {
        let Some(code) = self.code(character) else {
            return false;
        };
        put_code(code, output);
        true
    }
}

/// Appends the bytes of a code.
pub(super) fn put_code(code: u32, output: &mut Vec<u8>) {
    let bytes = code.to_be_bytes();
    let skip = bytes.iter().take(3).take_while(|byte| **byte == 0).count();
    output.extend_from_slice(&bytes[skip..]);
}

/// Codes that stand for several characters.
#[derive(Clone, Default, Debug)]
pub(super) struct Sequences(Vec<(Vec<u32>, u32)>);

impl Sequences {
    fn new(name: &str) -> Sequences {
        let parse = |entry: &str| {
            let number = |text: &str| u32::from_str_radix(text, 16).ok();
            let (code, characters) = entry.split_once('=')?;
            let characters = characters.split('+').map(number).collect::<Option<_>>()?;
            Some((characters, number(code)?))
        };
        let entries = line(name, "sequences ").split_ascii_whitespace();
        Sequences(entries.filter_map(parse).collect())
    }

    /// True if characters may become the start of a sequence, or are one.
    pub(super) fn start_with(&self, characters: &[u32]) -> bool {
        self.0.iter().any(|known| known.0.starts_with(characters))
    }

    /// The longest sequence that characters start with: its code and its length.
    pub(super) fn longest(&self, characters: &[u32]) -> Option<(u32, usize)> {
        let fitting = self
            .0
            .iter()
            .filter(|known| characters.starts_with(&known.0));
        let longest = fitting.max_by_key(|known| known.0.len())?;
        Some((longest.1, longest.0.len()))
    }
}

/// Characters of UTF-8 that a mobile operator has for its pictures, and those of Unicode.
pub(super) struct Pictures {
    decode: HashMap<u32, u32, foldhash::fast::FixedState>,
    encode: HashMap<u32, u32, foldhash::fast::FixedState>,
    pub(super) sequences: Sequences,
}

impl Pictures {
    /// The pictures of an encoding.
    pub(super) fn new(name: &str) -> Pictures {
        let table = |kind: &'static str| {
            differences(name, kind)
                .flat_map(|(first, last, target)| {
                    (first..=last).map(move |from| {
                        (
                            from,
                            target.map_or(super::BAD, |target| target + (from - first)),
                        )
                    })
                })
                .collect()
        };
        Pictures {
            decode: table("decode "),
            encode: table("encode "),
            sequences: Sequences::new(name),
        }
    }

    /// Appends what a character stands for.
    pub(super) fn put_characters(&self, character: u32, output: &mut Vec<u32>) {
        match self.sequences.0.iter().find(|known| known.1 == character) {
            Some(known) => output.extend(&known.0),
            None => output.push(*self.decode.get(&character).unwrap_or(&character)),
        }
    }

    /// What is written for a character.
    pub(super) fn character(&self, character: u32) -> u32 {
        *self.encode.get(&character).unwrap_or(&character)
    }
}

/// Notes what a base table has for a code.
fn set(base: &'static Encoding, decode: &mut [u32], bytes: &[u8]) {
    let Some(text) = base.decode_without_bom_handling_and_without_replacement(bytes) else {
        return;
    };
    let mut characters = text.encode_utf16();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        let code = bytes
            .iter()
            .fold(0u32, |code, &byte| code << 8 | byte as u32);
        decode[place(code)] = character.into();
    }
}

/// A line of an encoding's section.
fn line(name: &str, kind: &str) -> &'static str {
    let section = DIFFERENCES
        .split('[')
        .find_map(|section| section.strip_prefix(name)?.strip_prefix("]\n"))
        .unwrap_or_default();
    let mut lines = section.lines();
    lines
        .find_map(|text| text.strip_prefix(kind))
        .unwrap_or_default()
}

/// Entries of a line of an encoding's section: first, last, and what the first one is.
fn differences(name: &str, kind: &str) -> impl Iterator<Item = (u32, u32, Option<u32>)> {
    let entries = line(name, kind);
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
