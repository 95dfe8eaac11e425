//! The converters there are: what `data/converters.pack` says of them.
//!
//! For each converter: its names (two bytes for their length, and a line for each), its kind, its substitute (a byte
//! for its length), and where each byte is a character the bytes that only decode (a byte for their number) and 256
//! characters of two bytes.

use std::collections::HashMap;
use std::sync::LazyLock;

static PACK: &[u8] = include_bytes!("../data/converters.pack");

/// The kinds, by the numbers of UConverter's constants.
pub(super) mod kind {
    pub(crate) const SINGLE_BYTES: u8 = 0;
    pub(crate) const LATIN_1: u8 = 3;
    pub(crate) const UTF8: u8 = 4;
    pub(crate) const UTF16_BIG: u8 = 5;
    pub(crate) const UTF16_LITTLE: u8 = 6;
    pub(crate) const UTF32_BIG: u8 = 7;
    pub(crate) const UTF32_LITTLE: u8 = 8;
    pub(crate) const ASCII: u8 = 26;
    pub(crate) const UTF7: u8 = 27;
    pub(crate) const UTF16: u8 = 29;
    pub(crate) const UTF32: u8 = 30;
    pub(crate) const CESU8: u8 = 31;
}

/// What stands for a byte that is no character.
const UNASSIGNED: u16 = 0xfffd;

/// A converter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Converter {
    names: &'static str,
    pub(super) kind: u8,
    /// What is written for characters that it does not have.
    pub(super) substitute: &'static [u8],
    /// Bytes that are decoded, but not written.
    decoded_only: &'static [u8],
    table: &'static [u8],
}

/// How a name leads to a converter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Means {
    This,
    /// It is a name of others as well.
    Ambiguous,
    Another,
}

impl Converter {
    /// All names, the converter's own first, and what each of them means.
    pub(super) fn names(&self) -> impl Iterator<Item = (&'static str, Means)> {
        self.names.lines().map(|name| match name.as_bytes()[0] {
            b'!' => (&name[1..], Means::Ambiguous),
            b'-' => (&name[1..], Means::Another),
            _ => (name, Means::This),
        })
    }

    /// The name that it has for itself.
    pub(super) fn name(&self) -> &'static str {
        self.names().next().map_or("", |(name, _)| name)
    }

    /// The character that a byte is, where bytes are characters.
    pub(super) fn character(&self, byte: u8) -> Option<u32> {
        let pair = self.table.as_chunks::<2>().0.get(usize::from(byte))?;
        let character = u16::from_be_bytes(*pair);
        (character != UNASSIGNED).then_some(character.into())
    }

    /// Each character that has a byte, in their order.
    pub(super) fn bytes(&self) -> Vec<(u32, u8)> {
        let mut bytes: Vec<(u32, u8)> = (0..=u8::MAX)
            .filter(|byte| !self.decoded_only.contains(byte))
            .filter_map(|byte| Some((self.character(byte)?, byte)))
            .collect();
        bytes.sort_unstable();
        bytes
    }

    /// The fewest and the most bytes of a character.
    pub(super) fn lengths(&self) -> std::ops::RangeInclusive<usize> {
        match self.kind {
            kind::UTF8 | kind::CESU8 => 1..=3,
            kind::UTF16 | kind::UTF16_BIG | kind::UTF16_LITTLE => 2..=2,
            kind::UTF32 | kind::UTF32_BIG | kind::UTF32_LITTLE => 4..=4,
            kind::UTF7 => 1..=4,
            _ => 1..=1,
        }
    }
}

/// Takes bytes off the front.
fn take(pack: &mut &'static [u8], length: usize) -> &'static [u8] {
    let (taken, rest) = pack.split_at(length);
    *pack = rest;
    taken
}

/// Takes bytes off the front, and before them their number.
fn take_counted(pack: &mut &'static [u8]) -> &'static [u8] {
    let length = usize::from(take(pack, 1)[0]);
    take(pack, length)
}

/// All converters.
pub(super) fn all() -> impl Iterator<Item = Converter> {
    let mut pack = PACK;
    std::iter::from_fn(move || {
        if pack.is_empty() {
            return None;
        }
        let length = take(&mut pack, 2);
        let length = usize::from(length[0]) << 8 | usize::from(length[1]);
        let names = std::str::from_utf8(take(&mut pack, length)).unwrap_or_default();
        let kind = take(&mut pack, 1)[0];
        let substitute = take_counted(&mut pack);
        let (decoded_only, table) = match kind {
            kind::SINGLE_BYTES => (take_counted(&mut pack), take(&mut pack, 512)),
            _ => (&[][..], &[][..]),
        };
        Some(Converter {
            names,
            kind,
            substitute,
            decoded_only,
            table,
        })
    })
}

/// The converter that a name means, and whether others have that name as well.
pub(super) fn find(name: &[u8]) -> Option<(Converter, Means)> {
    static KNOWN: LazyLock<HashMap<Vec<u8>, (Converter, Means)>> = LazyLock::new(|| {
        let mut known = HashMap::new();
        for converter in all() {
            let own = converter.names();
            for (name, means) in own.filter(|(_, means)| *means != Means::Another) {
                let name = essence(name.as_bytes());
                known.entry(name).or_insert((converter, means));
            }
        }
        known
    });
    KNOWN.get(&essence(name)).copied()
}

/// What tells names apart: letters in any case, and digits without zeros in front.
fn essence(name: &[u8]) -> Vec<u8> {
    let mut essence: Vec<u8> = Vec::with_capacity(name.len());
    let mut after_digit = false;
    let mut rest = name.iter().peekable();
    while let Some(byte) = rest.next() {
        let is_leading_zero =
            *byte == b'0' && !after_digit && rest.peek().is_some_and(|next| next.is_ascii_digit());
        if byte.is_ascii_alphanumeric() && !is_leading_zero {
            essence.push(byte.to_ascii_lowercase());
        }
        after_digit = byte.is_ascii_digit() && !is_leading_zero;
    }
    essence
}

#[cfg(test)]
mod tests {
    use super::{Means, find};

    fn own_name(name: &str) -> Option<&'static str> {
        find(name.as_bytes()).map(|(converter, _)| converter.name())
    }

    #[test]
    fn names_differ_by_letters_and_digits() {
        for name in ["UTF-8", "utf_8", "u t f 8", "utf08", "Utf:8"] {
            assert_eq!(own_name(name), Some("UTF-8"));
        }
        assert_eq!(own_name("latin01"), Some("ISO-8859-1"));
        assert_eq!(own_name("ibm-0437"), Some("ibm-437_P100-1995"));
        assert_eq!(own_name(""), None);
        assert_eq!(own_name("utf-80"), None);
    }

    #[test]
    fn some_names_have_several_meanings() {
        let means = find(b"windows-1252").map(|(_, means)| means);
        assert_eq!(means, Some(Means::Ambiguous));
    }

    #[test]
    fn tables_go_both_ways() {
        let (converter, _) = find(b"koi8-r").expect("it is there");
        assert_eq!(converter.character(0xe4), Some(0x414));
        assert!(converter.bytes().contains(&(0x414, 0xe4)));
    }
}
