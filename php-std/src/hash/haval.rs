//! HAVAL by Zheng, Pieprzyk and Seberry: 3 to 5 passes, digests of 128 to 256 bits.

use super::algorithms::State;
use super::blocks::Blocks;

/// Bytes of a block.
const BLOCK: usize = 128;
/// The version of the algorithm that stands in the padding.
const VERSION: u8 = 1;

/// The first eight words of the fraction of pi.
const START: [u32; 8] = [
    0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89,
];

/// The words of the fraction of pi that follow: what the second and later passes add.
#[rustfmt::skip]
const CONSTANTS: [u32; 128] = [
    0x452821e6, 0x38d01377, 0xbe5466cf, 0x34e90c6c, 0xc0ac29b7, 0xc97c50dd, 0x3f84d5b5, 0xb5470917,
    0x9216d5d9, 0x8979fb1b, 0xd1310ba6, 0x98dfb5ac, 0x2ffd72db, 0xd01adfb7, 0xb8e1afed, 0x6a267e96,
    0xba7c9045, 0xf12c7f99, 0x24a19947, 0xb3916cf7, 0x0801f2e2, 0x858efc16, 0x636920d8, 0x71574e69,
    0xa458fea3, 0xf4933d7e, 0x0d95748f, 0x728eb658, 0x718bcd58, 0x82154aee, 0x7b54a41d, 0xc25a59b5,
    0x9c30d539, 0x2af26013, 0xc5d1b023, 0x286085f0, 0xca417918, 0xb8db38ef, 0x8e79dcb0, 0x603a180e,
    0x6c9e0e8b, 0xb01e8a3e, 0xd71577c1, 0xbd314b27, 0x78af2fda, 0x55605c60, 0xe65525f3, 0xaa55ab94,
    0x57489862, 0x63e81440, 0x55ca396a, 0x2aab10b6, 0xb4cc5c34, 0x1141e8ce, 0xa15486af, 0x7c72e993,
    0xb3ee1411, 0x636fbc2a, 0x2ba9c55d, 0x741831f6, 0xce5c3e16, 0x9b87931e, 0xafd6ba33, 0x6c24cf5c,
    0x7a325381, 0x28958677, 0x3b8f4898, 0x6b4bb9af, 0xc4bfe81b, 0x66282193, 0x61d809cc, 0xfb21a991,
    0x487cac60, 0x5dec8032, 0xef845d5d, 0xe98575b1, 0xdc262302, 0xeb651b88, 0x23893e81, 0xd396acc5,
    0x0f6d6ff3, 0x83f44239, 0x2e0b4482, 0xa4842004, 0x69c8f04a, 0x9e1f9b5e, 0x21c66842, 0xf6e96c9a,
    0x670c9c61, 0xabd388f0, 0x6a51a0d2, 0xd8542f68, 0x960fa728, 0xab5133a3, 0x6eef0b6c, 0x137a3be4,
    0xba3bf050, 0x7efb2a98, 0xa1f1651d, 0x39af0176, 0x66ca593e, 0x82430e88, 0x8cee8619, 0x456f9fb4,
    0x7d84a5c3, 0x3b8b5ebe, 0xe06f75d8, 0x85c12073, 0x401a449f, 0x56c16aa6, 0x4ed3aa62, 0x363f7706,
    0x1bfedf72, 0x429b023d, 0x37d0d724, 0xd00a1248, 0xdb0fead3, 0x49f1c09b, 0x075372c9, 0x80991b7b,
    0x25d479d8, 0xf6e8def7, 0xe3fe501a, 0xb6794c3b, 0x976ce0bd, 0x04c006ba, 0xc1a94fb6, 0x409f60c4,
];

/// The word of the block that each step takes, by pass.
#[rustfmt::skip]
const ORDERS: [[u8; 32]; 5] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
     16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31],
    [5, 14, 26, 18, 11, 28, 7, 16, 0, 23, 20, 22, 1, 10, 4, 8,
     30, 3, 21, 9, 17, 24, 29, 6, 19, 12, 15, 13, 2, 25, 31, 27],
    [19, 9, 4, 20, 28, 17, 8, 22, 29, 14, 25, 12, 24, 30, 16, 26,
     31, 15, 7, 3, 1, 0, 18, 27, 13, 6, 21, 10, 23, 11, 5, 2],
    [24, 4, 0, 14, 2, 7, 28, 23, 26, 6, 30, 20, 18, 25, 19, 3,
     22, 11, 31, 21, 8, 27, 12, 9, 1, 29, 5, 15, 17, 10, 16, 13],
    [27, 3, 21, 26, 17, 11, 20, 29, 19, 0, 12, 7, 13, 8, 31, 10,
     5, 9, 14, 30, 18, 6, 28, 24, 2, 23, 16, 22, 4, 1, 25, 15],
];

/// Which of the seven words are x6 to x0 of a pass's function: for 3, 4 and 5 passes, by pass.
const ARRANGEMENTS: [&[[u8; 7]]; 3] = [
    &[
        [1, 0, 3, 5, 6, 2, 4],
        [4, 2, 1, 0, 5, 3, 6],
        [6, 1, 2, 3, 4, 5, 0],
    ],
    &[
        [2, 6, 1, 4, 5, 3, 0],
        [3, 5, 2, 0, 1, 6, 4],
        [1, 4, 3, 6, 0, 2, 5],
        [6, 4, 0, 5, 2, 1, 3],
    ],
    &[
        [3, 4, 1, 0, 5, 2, 6],
        [6, 2, 1, 0, 3, 4, 5],
        [2, 6, 0, 4, 3, 1, 5],
        [1, 5, 3, 2, 0, 4, 6],
        [2, 5, 0, 6, 4, 3, 1],
    ],
];

/// How the words that a shorter digest leaves out are added to those that it keeps: for each word
/// kept, pieces as (word, lowest bit, bits, bit where it goes).
type Folding = &'static [&'static [(u8, u8, u8, u8)]];

const FOLD_128: Folding = &[
    &[(7, 0, 8, 24), (6, 24, 8, 16), (5, 16, 8, 8), (4, 8, 8, 0)],
    &[(7, 8, 8, 24), (6, 0, 8, 16), (5, 24, 8, 8), (4, 16, 8, 0)],
    &[(7, 16, 8, 24), (6, 8, 8, 16), (5, 0, 8, 8), (4, 24, 8, 0)],
    &[(7, 24, 8, 24), (6, 16, 8, 16), (5, 8, 8, 8), (4, 0, 8, 0)],
];
const FOLD_160: Folding = &[
    &[(7, 0, 6, 13), (6, 25, 7, 6), (5, 19, 6, 0)],
    &[(7, 6, 6, 13), (6, 0, 6, 7), (5, 25, 7, 0)],
    &[(7, 12, 7, 12), (6, 6, 6, 6), (5, 0, 6, 0)],
    &[(7, 19, 6, 13), (6, 12, 7, 6), (5, 6, 6, 0)],
    &[(7, 25, 7, 13), (6, 19, 6, 7), (5, 12, 7, 0)],
];
const FOLD_192: Folding = &[
    &[(7, 0, 5, 6), (6, 26, 6, 0)],
    &[(7, 5, 5, 5), (6, 0, 5, 0)],
    &[(7, 10, 6, 5), (6, 5, 5, 0)],
    &[(7, 16, 5, 6), (6, 10, 6, 0)],
    &[(7, 21, 5, 5), (6, 16, 5, 0)],
    &[(7, 26, 6, 5), (6, 21, 5, 0)],
];
const FOLD_224: Folding = &[
    &[(7, 27, 5, 0)],
    &[(7, 22, 5, 0)],
    &[(7, 18, 4, 0)],
    &[(7, 13, 5, 0)],
    &[(7, 9, 4, 0)],
    &[(7, 4, 5, 0)],
    &[(7, 0, 4, 0)],
];

/// A digest in the making.
#[derive(Clone)]
pub(super) struct Haval {
    passes: usize,
    bits: usize,
    words: [u32; 8],
    blocks: Blocks,
}

impl Haval {
    /// A digest of `bits` bits by `passes` passes.
    pub(super) fn start(passes: usize, bits: usize) -> Box<dyn State> {
        Box::new(Haval {
            passes,
            bits,
            words: START,
            blocks: Blocks::default(),
        })
    }

    fn block(&mut self, block: &[u8]) {
        let mut input = [0u32; 32];
        for (word, bytes) in input.iter_mut().zip(block.chunks_exact(4)) {
            *word = u32::from_le_bytes(bytes.try_into().unwrap_or_default());
        }
        let mut words = self.words;
        for pass in 0..self.passes {
            let arrangement = &ARRANGEMENTS[self.passes - 3][pass];
            for step in 0..32 {
                // x7 is the word that this step changes; the others follow downwards.
                let at = |x: u8| words[(x as usize + 32 - step) % 8];
                let [x6, x5, x4, x3, x2, x1, x0] = arrangement.map(at);
                let mixed = mix(pass, x6, x5, x4, x3, x2, x1, x0);
                let constant = match pass {
                    0 => 0,
                    _ => CONSTANTS[(pass - 1) * 32 + step],
                };
                let changed = (7 + 32 - step) % 8;
                words[changed] = mixed
                    .rotate_right(7)
                    .wrapping_add(words[changed].rotate_right(11))
                    .wrapping_add(input[ORDERS[pass][step] as usize])
                    .wrapping_add(constant);
            }
        }
        for (word, made) in self.words.iter_mut().zip(words) {
            *word = word.wrapping_add(made);
        }
    }
}

/// The boolean function of a pass.
#[allow(clippy::too_many_arguments)]
fn mix(pass: usize, x6: u32, x5: u32, x4: u32, x3: u32, x2: u32, x1: u32, x0: u32) -> u32 {
    match pass {
        0 => x1 & x4 ^ x2 & x5 ^ x3 & x6 ^ x0 & x1 ^ x0,
        1 => {
            x1 & x2 & x3
                ^ x2 & x4 & x5
                ^ x1 & x2
                ^ x1 & x4
                ^ x2 & x6
                ^ x3 & x5
                ^ x4 & x5
                ^ x0 & x2
                ^ x0
        }
        2 => x1 & x2 & x3 ^ x1 & x4 ^ x2 & x5 ^ x3 & x6 ^ x0 & x3 ^ x0,
        3 => {
            x1 & x2 & x3
                ^ x2 & x4 & x5
                ^ x3 & x4 & x6
                ^ x1 & x4
                ^ x2 & x6
                ^ x3 & x4
                ^ x3 & x5
                ^ x3 & x6
                ^ x4 & x5
                ^ x4 & x6
                ^ x0 & x4
                ^ x0
        }
        _ => x1 & x4 ^ x2 & x5 ^ x3 & x6 ^ x0 & x1 & x2 & x3 ^ x0 & x5 ^ x0,
    }
}

impl State for Haval {
    fn update(&mut self, data: &[u8]) {
        let full = self.blocks.add(data, BLOCK);
        for block in full.chunks_exact(BLOCK) {
            self.block(block);
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<u8> {
        let bits = self.blocks.bits();
        let mut padding = self.blocks.padding(BLOCK, 10);
        let size = self.bits as u16;
        padding.push((size as u8 & 3) << 6 | (self.passes as u8) << 3 | VERSION);
        padding.push((size >> 2) as u8);
        padding.extend_from_slice(&bits.to_le_bytes());
        self.update(&padding);
        let folding = match self.bits {
            128 => FOLD_128,
            160 => FOLD_160,
            192 => FOLD_192,
            224 => FOLD_224,
            _ => &[],
        };
        let mut words = self.words;
        for (index, pieces) in folding.iter().enumerate() {
            let sum = pieces.iter().fold(0u32, |sum, &(word, low, bits, place)| {
                let mask = (1u32 << bits) - 1;
                sum | (self.words[word as usize] >> low & mask) << place
            });
            words[index] = words[index].wrapping_add(sum);
        }
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        bytes.take(self.bits / 8).collect()
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}
