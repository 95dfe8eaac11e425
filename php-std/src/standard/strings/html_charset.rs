//! The charsets that the HTML functions know: UTF-8, charsets of single bytes, and East Asian ones,
//! of which only the lengths of characters matter.

use std::sync::OnceLock;

use encoding_rs::Encoding;
use vm_runtime::function::Call;
use vm_runtime::vm::PhpResult;

use crate::support::utf8;

/// A charset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charset {
    Utf8,
    /// The number of its table.
    SingleByte(usize),
    MultiByte(Asian),
}

/// East Asian charsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asian {
    Big5,
    Big5HongKong,
    Gb2312,
    ShiftJis,
    EucJp,
}

/// Names in lower case, and what they mean.
const NAMES: &[(&[&str], Charset)] = &[
    (&["utf-8"], Charset::Utf8),
    (&["iso-8859-1", "iso8859-1"], Charset::SingleByte(0)),
    (&["iso-8859-15", "iso8859-15"], Charset::SingleByte(1)),
    (&["windows-1252", "1252", "cp1252"], Charset::SingleByte(2)),
    (
        &["windows-1251", "cp1251", "win-1251"],
        Charset::SingleByte(3),
    ),
    (&["koi8-r", "koi8-ru", "koi8r"], Charset::SingleByte(4)),
    (&["cp866", "866", "ibm866"], Charset::SingleByte(5)),
    (&["iso-8859-5", "iso8859-5"], Charset::SingleByte(6)),
    (&["macroman"], Charset::SingleByte(7)),
    (&["big5", "950"], Charset::MultiByte(Asian::Big5)),
    (&["big5-hkscs"], Charset::MultiByte(Asian::Big5HongKong)),
    (&["gb2312", "936"], Charset::MultiByte(Asian::Gb2312)),
    (
        &["shift_jis", "sjis", "932"],
        Charset::MultiByte(Asian::ShiftJis),
    ),
    (
        &["euc-jp", "eucjp", "eucjp-win"],
        Charset::MultiByte(Asian::EucJp),
    ),
];

/// Tables of the charsets of single bytes; none for ISO-8859-1.
static BASES: [Option<&Encoding>; 8] = [
    None,
    Some(encoding_rs::ISO_8859_15),
    Some(encoding_rs::WINDOWS_1252),
    Some(encoding_rs::WINDOWS_1251),
    Some(encoding_rs::KOI8_R),
    Some(encoding_rs::IBM866),
    Some(encoding_rs::ISO_8859_5),
    Some(encoding_rs::MACINTOSH),
];

/// Characters of the bytes from 0x80 on; 0 where there is none.
type Table = [u32; 128];

fn table(number: usize) -> &'static Table {
    static TABLES: [OnceLock<Table>; 8] = [const { OnceLock::new() }; 8];
    TABLES[number].get_or_init(|| {
        std::array::from_fn(|index| {
            let byte = 0x80 + index as u8;
            let Some(base) = BASES[number] else {
                return u32::from(byte);
            };
            let text = base
                .decode_without_bom_handling_and_without_replacement(&[byte])
                .map(|text| text.chars().next());
            let character = text.flatten().map_or(0, u32::from);
            // Microsoft's code pages have holes where the standard has control characters.
            let is_hole = matches!(number, 2 | 3) && (0x80..0xa0).contains(&character);
            if is_hole { 0 } else { character }
        })
    })
}

impl Charset {
    /// The charset with this name, with PHP's warning about an unknown one.
    pub(super) fn named(call: &mut Call<'_>, name: Option<&[u8]>) -> PhpResult<Charset> {
        let default = call.vm.ini.charset();
        let name = name.filter(|name| !name.is_empty()).unwrap_or(default);
        if matches!(name, b"" | b"UTF-8") {
            return Ok(Charset::Utf8);
        }
        let same = |known: &&str| known.as_bytes().eq_ignore_ascii_case(name);
        if let Some((_, charset)) = NAMES.iter().find(|(names, _)| names.iter().any(same)) {
            return Ok(*charset);
        }
        let name = vm_runtime::message::text(name).into_owned();
        let function = call.function().display_name();
        let message = format!("{function}(): Charset \"{name}\" is not supported, assuming UTF-8");
        call.vm.warning(message);
        call.vm.check()?;
        Ok(Charset::Utf8)
    }

    /// The character at the start of `bytes` and its length; no character for bytes that are
    /// none. Bytes that stand for nothing in particular are 0.
    pub(super) fn decode(self, bytes: &[u8]) -> (Option<u32>, usize) {
        match (self, bytes[0]) {
            (Charset::Utf8, _) => utf8::decode_or_skip(bytes),
            (_, byte @ 0..=0x7f) => (Some(u32::from(byte)), 1),
            (Charset::SingleByte(number), byte) => {
                (Some(table(number)[usize::from(byte) - 0x80]), 1)
            }
            (Charset::MultiByte(asian), _) => match asian.length(bytes) {
                Ok(length) => (Some(0), length),
                Err(length) => (None, length),
            },
        }
    }

    /// A character in this charset, if it has it.
    pub(super) fn encode(self, character: u32) -> Option<([u8; 4], usize)> {
        match self {
            Charset::Utf8 => Some(utf8::encode(character)),
            _ if character < 0x80 => Some(([character as u8, 0, 0, 0], 1)),
            Charset::SingleByte(number) => {
                let place = table(number).iter().position(|&known| known == character)?;
                Some(([0x80 + place as u8, 0, 0, 0], 1))
            }
            Charset::MultiByte(_) => None,
        }
    }
}

impl Asian {
    /// The bytes of the character in front, which is not ASCII, or how many are none.
    fn length(self, bytes: &[u8]) -> Result<usize, usize> {
        use Asian::*;
        let first = bytes[0];
        let is_single = match self {
            Big5 | Big5HongKong => matches!(first, 0x80 | 0xff),
            Gb2312 | EucJp => matches!(first, 0x80..=0x8d | 0x90..=0x9f),
            ShiftJis => matches!(first, 0xa1..=0xdf),
        };
        if is_single {
            return Ok(1);
        }
        let is_lead = match self {
            Big5 | Big5HongKong => true,
            Gb2312 => matches!(first, 0xa1..=0xfe),
            EucJp => matches!(first, 0x8e | 0x8f | 0xa1..=0xfe),
            ShiftJis => matches!(first, 0x81..=0x9f | 0xe0..=0xfc),
        };
        let Some(&second) = bytes.get(1).filter(|_| is_lead) else {
            return Err(1);
        };
        let is_trail = match self {
            Big5 | Big5HongKong => matches!(second, 0x40..=0x7e | 0xa1..=0xfe),
            ShiftJis => matches!(second, 0x40..=0x7e | 0x80..=0xfc),
            EucJp if first == 0x8e => matches!(second, 0xa1..=0xdf),
            Gb2312 | EucJp => matches!(second, 0xa1..=0xfe),
        };
        // Bytes that start nothing go with what is in front of them.
        let starts_nothing = match self {
            Big5 => false,
            Big5HongKong => matches!(second, 0x80 | 0xff),
            Gb2312 => matches!(second, 0x8e | 0x8f | 0xa0 | 0xff),
            EucJp => matches!(second, 0xa0 | 0xff),
            ShiftJis => matches!(second, 0xfd..=0xff),
        };
        match (is_trail, starts_nothing) {
            (true, _) if self == EucJp && first == 0x8f => match bytes.get(2) {
                Some(0xa1..=0xfe) => Ok(3),
                _ => Err(1),
            },
            (true, _) => Ok(2),
            (false, true) => Err(2),
            (false, false) => Err(1),
        }
    }
}
