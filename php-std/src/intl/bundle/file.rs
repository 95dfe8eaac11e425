//! Files of resources in ICU's compiled form (`*.res`), read where they lie in memory.
//!
//! Behind a header stand 32-bit words: the root, then how long the parts of the file are. A resource is a word: its kind
//! in the upper four bits, below them an offset in words from the root on, or, for the short kinds, in 16-bit units from
//! where the keys end.

use std::path::Path;

use vm_runtime::limits;

/// The kinds of resources.
mod kind {
    pub(super) const STRING: u32 = 0;
    pub(super) const BINARY: u32 = 1;
    pub(super) const TABLE: u32 = 2;
    pub(super) const TABLE_32: u32 = 4;
    pub(super) const TABLE_16: u32 = 5;
    pub(super) const SHORT_STRING: u32 = 6;
    pub(super) const NUMBER: u32 = 7;
    pub(super) const ARRAY: u32 = 8;
    pub(super) const ARRAY_16: u32 = 9;
    pub(super) const NUMBERS: u32 = 14;
}

/// Where the header says what kind of data these are.
const FORMAT: &[u8] = b"ResB";

/// What a resource is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    Text(String),
    Binary(Vec<u8>),
    Number(i64),
    Numbers(Vec<i64>),
    /// Parts with keys or without.
    Parts,
}

/// A file.
#[derive(Debug)]
pub(super) struct File {
    bytes: Vec<u8>,
    /// Where the root stands.
    body: usize,
    /// Where the 16-bit units begin.
    units: usize,
}

/// A resource of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Resource(u32);

impl File {
    /// Reads a file; nothing if it is none of resources.
    pub(super) fn open(path: &Path) -> Option<File> {
        let bytes = limits::read_file(path).ok()?;
        let header = usize::from(u16::from_le_bytes(*bytes.first_chunk()?));
        // Of the other byte order there is a one.
        let is_ours =
            bytes.get(2..4)? == [0xda, 0x27] && bytes.get(8)? == &0 && bytes.get(12..16)? == FORMAT;
        if !is_ours || header < 20 {
            return None;
        }
        let mut file = File {
            bytes,
            body: header,
            units: header,
        };
        file.word(header)?;
        // The first format had neither short kinds nor lengths.
        if file.bytes[16] >= 2 {
            file.units += file.word(header + 8)? as usize * 4;
        }
        Some(file)
    }

    pub(super) fn root(&self) -> Resource {
        Resource(self.word(self.body).unwrap_or_default())
    }

    fn word(&self, at: usize) -> Option<u32> {
        Some(u32::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?))
    }

    fn unit(&self, at: usize) -> Option<u16> {
        Some(u16::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?))
    }

    fn kind(resource: Resource) -> u32 {
        resource.0 >> 28
    }

    /// Where a resource stands.
    fn place(&self, resource: Resource) -> usize {
        let offset = (resource.0 & 0x0fff_ffff) as usize;
        match File::kind(resource) {
            kind::TABLE_16 | kind::SHORT_STRING | kind::ARRAY_16 => self.units + offset * 2,
            _ => self.body + offset * 4,
        }
    }

    fn is_empty(resource: Resource) -> bool {
        resource.0 & 0x0fff_ffff == 0
    }

    fn text(&self, start: usize, length: usize) -> Option<String> {
        let units = self
            .bytes
            .get(start..start.checked_add(length.checked_mul(2)?)?)?;
        let units = units
            .chunks_exact(2)
            .map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
        Some(
            char::decode_utf16(units)
                .map(|found| found.unwrap_or('\u{fffd}'))
                .collect(),
        )
    }

    /// A string whose length stands in front of it if it is long, and which a nought ends if not.
    fn short_text(&self, start: usize) -> Option<String> {
        let first = self.unit(start)?;
        let (skipped, length) = match first {
            0xdc00..=0xdfee => (1, usize::from(first & 0x3ff)),
            0xdfef..=0xdffe => (
                2,
                usize::from(first - 0xdfef) << 16 | usize::from(self.unit(start + 2)?),
            ),
            0xdfff => (
                3,
                usize::from(self.unit(start + 2)?) << 16 | usize::from(self.unit(start + 4)?),
            ),
            _ => {
                let mut length = 0;
                while self.unit(start + length * 2)? != 0 {
                    length += 1;
                }
                (0, length)
            }
        };
        self.text(start + skipped * 2, length)
    }

    /// What a resource is; nothing if the file is broken or has what is not read.
    pub(super) fn content(&self, resource: Resource) -> Option<Content> {
        let place = self.place(resource);
        let is_empty = File::is_empty(resource);
        Some(match File::kind(resource) {
            kind::STRING if is_empty => Content::Text(String::new()),
            kind::STRING => Content::Text(self.text(place + 4, self.word(place)? as usize)?),
            kind::SHORT_STRING => Content::Text(self.short_text(place)?),
            kind::BINARY if is_empty => Content::Binary(Vec::new()),
            kind::BINARY => {
                let end = (place + 4).checked_add(self.word(place)? as usize)?;
                Content::Binary(self.bytes.get(place + 4..end)?.to_vec())
            }
            kind::NUMBER => Content::Number(i64::from((resource.0 << 4) as i32 >> 4)),
            kind::NUMBERS if is_empty => Content::Numbers(Vec::new()),
            kind::NUMBERS => {
                let count = self.word(place)? as usize;
                let number = |index: usize| self.word(place + 4 + index * 4);
                let numbers = (0..count).map(|index| Some(i64::from(number(index)? as i32)));
                Content::Numbers(numbers.collect::<Option<_>>()?)
            }
            kind::TABLE | kind::TABLE_16 | kind::TABLE_32 | kind::ARRAY | kind::ARRAY_16 => {
                Content::Parts
            }
            _ => return None,
        })
    }

    /// How many parts a resource has.
    pub(super) fn count(&self, resource: Resource) -> usize {
        let place = self.place(resource);
        let is_empty = File::is_empty(resource);
        let count = match File::kind(resource) {
            kind::TABLE if !is_empty => self.unit(place).map(usize::from),
            kind::TABLE_16 | kind::ARRAY_16 => self.unit(place).map(usize::from),
            kind::TABLE_32 | kind::ARRAY if !is_empty => {
                self.word(place).map(|count| count as usize)
            }
            _ => None,
        };
        count.unwrap_or(0)
    }

    /// A part of a resource by its number, and its key if it has one.
    pub(super) fn part(
        &self,
        resource: Resource,
        index: usize,
    ) -> Option<(Option<String>, Resource)> {
        let count = self.count(resource);
        if index >= count {
            return None;
        }
        let place = self.place(resource);
        let short = |at: usize| {
            Some(Resource(
                kind::SHORT_STRING << 28 | u32::from(self.unit(at)?),
            ))
        };
        let key = |offset: usize| {
            let start = self.body + offset;
            let length = self
                .bytes
                .get(start..)?
                .iter()
                .position(|&byte| byte == 0)?;
            Some(String::from_utf8_lossy(&self.bytes[start..start + length]).into_owned())
        };
        let short_key = || key(usize::from(self.unit(place + 2 + index * 2)?));
        Some(match File::kind(resource) {
            kind::TABLE => {
                // Behind the keys what follows begins at a whole word.
                let start = place + (2 + count * 2).next_multiple_of(4);
                (Some(short_key()?), Resource(self.word(start + index * 4)?))
            }
            kind::TABLE_16 => (
                Some(short_key()?),
                short(place + 2 + count * 2 + index * 2)?,
            ),
            kind::TABLE_32 => {
                let offset = self.word(place + 4 + index * 4)? as usize;
                let start = place + 4 + count * 4;
                (Some(key(offset)?), Resource(self.word(start + index * 4)?))
            }
            kind::ARRAY => (None, Resource(self.word(place + 4 + index * 4)?)),
            kind::ARRAY_16 => (None, short(place + 2 + index * 2)?),
            _ => return None,
        })
    }
}
