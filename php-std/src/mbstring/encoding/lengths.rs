//! How many bytes a character has, by its first byte.

/// A table of lengths.
#[derive(Debug)]
pub(crate) struct Lengths {
    pub(crate) bytes: [u8; 256],
    /// True if PHP counts characters by the table alone, whatever the other bytes are.
    pub(crate) tells_all: bool,
    /// Where text is cut, first bytes are taken for what they could be.
    pub(crate) for_cuts: Option<&'static [u8; 256]>,
}

/// Two bytes from each first byte in the ranges on, one from others.
const fn two(ranges: &[(u8, u8)]) -> Lengths {
    let mut bytes = [1; 256];
    let mut index = 0;
    while index < ranges.len() {
        let (first, last) = ranges[index];
        let mut byte = first as usize;
        while byte <= last as usize {
            bytes[byte] = 2;
            byte += 1;
        }
        index += 1;
    }
    Lengths {
        bytes,
        tells_all: true,
        for_cuts: None,
    }
}

/// With another table for cuts.
const fn cut_by(mut table: Lengths, cuts: &'static Lengths) -> Lengths {
    table.for_cuts = Some(&cuts.bytes);
    table
}

static EUC: Lengths = two(&[(0xa1, 0xfe)]);
static EUC_WITH_PLANES: Lengths = with(two(&[(0xa1, 0xfe)]), 0x8e, 4);

/// A first byte with more than one behind it.
const fn with(mut table: Lengths, first: u8, length: u8) -> Lengths {
    table.bytes[first as usize] = length;
    table
}

/// Characters must be decoded to be counted.
const fn decoded(mut table: Lengths) -> Lengths {
    table.tells_all = false;
    table
}

/// EUC-JP, with JIS X 0212 behind 0x8f.
pub(crate) static EUC_JP: Lengths = with(two(&[(0x8e, 0x8e), (0xa1, 0xfe)]), 0x8f, 3);
/// EUC-JP with JIS X 0213.
pub(crate) static EUC_JP_2004: Lengths = decoded(with(two(&[(0x8e, 0x8e), (0xa1, 0xfe)]), 0x8f, 3));
/// Microsoft's EUC-JP without JIS X 0212.
pub(crate) static CP51932: Lengths = two(&[(0x8e, 0x8e), (0xa1, 0xfe)]);
/// Shift_JIS.
pub(crate) static SHIFT_JIS: Lengths = two(&[(0x81, 0x9f), (0xe0, 0xef)]);
/// Apple's Shift_JIS.
pub(crate) static SJIS_MAC: Lengths = decoded(two(&[(0x81, 0x9f), (0xe0, 0xed)]));
/// Shift_JIS with codes that are several characters.
pub(crate) static SJIS_WITH_SEQUENCES: Lengths = decoded(two(&[(0x81, 0x9f), (0xe0, 0xfc)]));
/// Microsoft's Shift_JIS.
pub(crate) static CP932: Lengths = two(&[(0x81, 0x9f), (0xe0, 0xfc)]);
/// GB 2312.
pub(crate) static EUC_CN: Lengths = cut_by(two(&[(0xa1, 0xa9), (0xb0, 0xf7)]), &EUC);
/// EUC for CNS 11643, with planes behind 0x8e.
pub(crate) static EUC_TW: Lengths = cut_by(
    decoded(with(
        two(&[(0xa1, 0xa6), (0xc2, 0xc2), (0xc4, 0xfd)]),
        0x8e,
        4,
    )),
    &EUC_WITH_PLANES,
);
/// GBK, and CP950.
pub(crate) static GBK: Lengths = two(&[(0x81, 0xfe)]);
/// Big5.
pub(crate) static BIG5: Lengths = cut_by(two(&[(0xa1, 0xc7), (0xc9, 0xf9)]), &GBK);
/// KS X 1001.
pub(crate) static EUC_KR: Lengths = cut_by(two(&[(0xa1, 0xac), (0xb0, 0xc8), (0xca, 0xfd)]), &EUC);
/// Unified Hangul Code.
pub(crate) static UHC: Lengths = cut_by(two(&[(0x81, 0xc8), (0xca, 0xfd)]), &GBK);
