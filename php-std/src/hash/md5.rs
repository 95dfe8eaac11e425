//! MD5 of input that is all there. Scripts ask for it more than for any other digest, mostly of short texts; the crate's
//! states, for input that comes in pieces, take a third longer.

use vm_runtime::limits;

/// Bytes of a block.
const BLOCK: usize = 64;

/// Blocks between two looks at the limits.
const POLLED: usize = 1024;

/// How far each step of a round turns its sum.
const TURNS: [[u32; 4]; 4] = [
    [7, 12, 17, 22],
    [5, 9, 14, 20],
    [4, 11, 16, 23],
    [6, 10, 15, 21],
];

/// What is added in each step: the sine's first 32 bits behind the point.
const SINES: [u32; 64] = [
    0xd76a_a478,
    0xe8c7_b756,
    0x2420_70db,
    0xc1bd_ceee,
    0xf57c_0faf,
    0x4787_c62a,
    0xa830_4613,
    0xfd46_9501,
    0x6980_98d8,
    0x8b44_f7af,
    0xffff_5bb1,
    0x895c_d7be,
    0x6b90_1122,
    0xfd98_7193,
    0xa679_438e,
    0x49b4_0821,
    0xf61e_2562,
    0xc040_b340,
    0x265e_5a51,
    0xe9b6_c7aa,
    0xd62f_105d,
    0x0244_1453,
    0xd8a1_e681,
    0xe7d3_fbc8,
    0x21e1_cde6,
    0xc337_07d6,
    0xf4d5_0d87,
    0x455a_14ed,
    0xa9e3_e905,
    0xfcef_a3f8,
    0x676f_02d9,
    0x8d2a_4c8a,
    0xfffa_3942,
    0x8771_f681,
    0x6d9d_6122,
    0xfde5_380c,
    0xa4be_ea44,
    0x4bde_cfa9,
    0xf6bb_4b60,
    0xbebf_bc70,
    0x289b_7ec6,
    0xeaa1_27fa,
    0xd4ef_3085,
    0x0488_1d05,
    0xd9d4_d039,
    0xe6db_99e5,
    0x1fa2_7cf8,
    0xc4ac_5665,
    0xf429_2244,
    0x432a_ff97,
    0xab94_23a7,
    0xfc93_a039,
    0x655b_59c3,
    0x8f0c_cc92,
    0xffef_f47d,
    0x8584_5dd1,
    0x6fa8_7e4f,
    0xfe2c_e6e0,
    0xa301_4314,
    0x4e08_11a1,
    0xf753_7e82,
    0xbd3a_f235,
    0x2ad7_d2bb,
    0xeb86_d391,
];

/// Takes a block into the state.
fn compress(state: &mut [u32; 4], block: &[u8; BLOCK]) {
    let mut words = [0; 16];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let [mut a, mut b, mut c, mut d] = *state;
    // A step. The value of the step before, `b`, comes last into each sum, for everything waits for it.
    macro_rules! step {
        ($round:expr, $place:expr, $a:ident, $b:ident, $c:ident, $d:ident, $mixed:expr, $word:expr) => {
            let known = $a
                .wrapping_add(words[$word & 15])
                .wrapping_add(SINES[$round * 16 + $place]);
            let sum = $mixed(known, $b, $c, $d);
            $a = $b.wrapping_add(u32::rotate_left(sum, TURNS[$round][$place & 3]));
        };
    }
    macro_rules! round {
        ($round:expr, $mixed:expr, $factor:expr, $first:expr; $($place:expr)*) => {
            $(
                step!($round, $place, a, b, c, d, $mixed, $factor * $place + $first);
                step!($round, $place + 1, d, a, b, c, $mixed, $factor * ($place + 1) + $first);
                step!($round, $place + 2, c, d, a, b, $mixed, $factor * ($place + 2) + $first);
                step!($round, $place + 3, b, c, d, a, $mixed, $factor * ($place + 3) + $first);
            )*
        };
    }
    let choose = |known: u32, b: u32, c: u32, d: u32| known.wrapping_add(d ^ (b & (c ^ d)));
    // The two parts have no bit in common, so that they can be added one after the other.
    let choose_other =
        |known: u32, b: u32, c: u32, d: u32| known.wrapping_add(c & !d).wrapping_add(b & d);
    let differ = |known: u32, b: u32, c: u32, d: u32| known.wrapping_add(b ^ (c ^ d));
    let turn = |known: u32, b: u32, c: u32, d: u32| known.wrapping_add(c ^ (b | !d));
    round!(0, choose, 1, 0; 0 4 8 12);
    round!(1, choose_other, 5, 1; 0 4 8 12);
    round!(2, differ, 3, 5; 0 4 8 12);
    round!(3, turn, 7, 0; 0 4 8 12);
    for (sum, value) in state.iter_mut().zip([a, b, c, d]) {
        *sum = sum.wrapping_add(value);
    }
}

/// The digest.
pub(super) fn digest(data: &[u8]) -> [u8; 16] {
    let mut state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let (blocks, rest) = data.as_chunks::<BLOCK>();
    for piece in blocks.chunks(POLLED) {
        if piece.len() == POLLED {
            limits::poll();
        }
        for block in piece {
            compress(&mut state, block);
        }
    }
    // A one, zeros and the number of bits end it.
    let mut end = [0; BLOCK];
    end[..rest.len()].copy_from_slice(rest);
    end[rest.len()] = 0x80;
    if rest.len() >= BLOCK - 8 {
        compress(&mut state, &end);
        end = [0; BLOCK];
    }
    end[BLOCK - 8..].copy_from_slice(&(data.len() as u64).wrapping_mul(8).to_le_bytes());
    compress(&mut state, &end);
    let mut digest = [0; 16];
    for (bytes, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    digest
}

#[cfg(test)]
mod tests {
    use ::md5::{Digest, Md5};

    #[test]
    fn digests_are_those_of_the_crate() {
        let data: Vec<u8> = (0..300u32).map(|at| (at * 7 + at / 5) as u8).collect();
        for length in 0..data.len() {
            let wanted: [u8; 16] = Md5::digest(&data[..length]).into();
            assert_eq!(super::digest(&data[..length]), wanted, "{length} bytes");
        }
    }
}
