//! How many bytes a character has, by its first byte.

/// A table of lengths.
pub(crate) type Lengths = [u8; 256];

/// Two bytes from each first byte in the ranges on, one from others.
const fn two(ranges: &[(u8, u8)]) -> Lengths {
    let mut table = [1; 256];
    let mut index = 0;
    while index < ranges.len() {
        let (first, last) = ranges[index];
        let mut byte = first as usize;
        while byte <= last as usize {
            table[byte] = 2;
            byte += 1;
        }
        index += 1;
    }
    table
}

const fn with_three(mut table: Lengths, first: u8) -> Lengths {
    table[first as usize] = 3;
    table
}

/// EUC-JP, with JIS X 0212 behind 0x8f.
pub(crate) static EUC_JP: Lengths = with_three(two(&[(0x8e, 0x8e), (0xa1, 0xfe)]), 0x8f);
/// Microsoft's EUC-JP without JIS X 0212.
pub(crate) static CP51932: Lengths = two(&[(0x8e, 0x8e), (0xa1, 0xfe)]);
/// Shift_JIS.
pub(crate) static SHIFT_JIS: Lengths = two(&[(0x81, 0x9f), (0xe0, 0xef)]);
/// Microsoft's Shift_JIS.
pub(crate) static CP932: Lengths = two(&[(0x81, 0x9f), (0xe0, 0xfc)]);
/// GB 2312.
pub(crate) static EUC_CN: Lengths = two(&[(0xa1, 0xa9), (0xb0, 0xf7)]);
/// GBK, and CP950.
pub(crate) static GBK: Lengths = two(&[(0x81, 0xfe)]);
/// Big5.
pub(crate) static BIG5: Lengths = two(&[(0xa1, 0xc7), (0xc9, 0xf9)]);
/// KS X 1001.
pub(crate) static EUC_KR: Lengths = two(&[(0xa1, 0xac), (0xb0, 0xc8), (0xca, 0xfd)]);
/// Unified Hangul Code.
pub(crate) static UHC: Lengths = two(&[(0x81, 0xc8), (0xca, 0xfd)]);
