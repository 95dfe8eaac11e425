//! Tiger by Ross Anderson and Eli Biham, 3 or 4 passes, digests of 128 to 192 bits.

use std::sync::OnceLock;

use super::algorithms::State;
use super::blocks::Blocks;

/// Bytes of a block.
const BLOCK: usize = 64;
const START: [u64; 3] = [0x0123456789abcdef, 0xfedcba9876543210, 0xf096a5b4c3b2e187];

type Tables = [[u64; 256]; 4];

/// The tables. Their authors made them by shuffling each column of bytes with what the function
/// itself gives for its title, five times.
fn tables() -> &'static Tables {
    static TABLES: OnceLock<Box<Tables>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let title = b"Tiger - A Fast New Hash Function, by Ross Anderson and Eli Biham";
        let mut tables = Box::new([[0u64; 256]; 4]);
        for table in tables.iter_mut() {
            for (byte, entry) in table.iter_mut().enumerate() {
                *entry = byte as u64 * 0x0101_0101_0101_0101;
            }
        }
        let mut words = START;
        let mut word = 2;
        for _ in 0..5 {
            for row in 0..256 {
                for table in 0..4 {
                    word += 1;
                    if word == 3 {
                        word = 0;
                        compress(&tables, &mut words, title, 3);
                    }
                    for column in 0..8 {
                        let mask = 0xffu64 << (8 * column);
                        let other = (words[word] >> (8 * column)) as usize & 0xff;
                        let entries = &mut tables[table];
                        let (one, two) = (entries[row] & mask, entries[other] & mask);
                        entries[row] = entries[row] & !mask | two;
                        entries[other] = entries[other] & !mask | one;
                    }
                }
            }
        }
        tables
    })
}

fn compress(tables: &Tables, state: &mut [u64; 3], block: &[u8], passes: u64) {
    let mut x = [0u64; 8];
    for (word, bytes) in x.iter_mut().zip(block.chunks_exact(8)) {
        *word = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
    }
    let [mut a, mut b, mut c] = *state;
    for pass in 0..passes {
        if pass > 0 {
            schedule(&mut x);
        }
        let factor = match pass {
            0 => 5,
            1 => 7,
            _ => 9,
        };
        // Each step turns the roles of the three words by one.
        for word in x {
            c ^= word;
            let byte = |index: u32| (c >> (8 * index)) as usize & 0xff;
            let even =
                tables[0][byte(0)] ^ tables[1][byte(2)] ^ tables[2][byte(4)] ^ tables[3][byte(6)];
            let odd =
                tables[3][byte(1)] ^ tables[2][byte(3)] ^ tables[1][byte(5)] ^ tables[0][byte(7)];
            a = a.wrapping_sub(even);
            b = b.wrapping_add(odd).wrapping_mul(factor);
            (a, b, c) = (b, c, a);
        }
    }
    *state = [
        a ^ state[0],
        b.wrapping_sub(state[1]),
        c.wrapping_add(state[2]),
    ];
}

fn schedule(x: &mut [u64; 8]) {
    x[0] = x[0].wrapping_sub(x[7] ^ 0xa5a5_a5a5_a5a5_a5a5);
    x[1] ^= x[0];
    x[2] = x[2].wrapping_add(x[1]);
    x[3] = x[3].wrapping_sub(x[2] ^ (!x[1] << 19));
    x[4] ^= x[3];
    x[5] = x[5].wrapping_add(x[4]);
    x[6] = x[6].wrapping_sub(x[5] ^ (!x[4] >> 23));
    x[7] ^= x[6];
    x[0] = x[0].wrapping_add(x[7]);
    x[1] = x[1].wrapping_sub(x[0] ^ (!x[7] << 19));
    x[2] ^= x[1];
    x[3] = x[3].wrapping_add(x[2]);
    x[4] = x[4].wrapping_sub(x[3] ^ (!x[2] >> 23));
    x[5] ^= x[4];
    x[6] = x[6].wrapping_add(x[5]);
    x[7] = x[7].wrapping_sub(x[6] ^ 0x0123_4567_89ab_cdef);
}

/// A digest in the making.
#[derive(Clone)]
pub(super) struct Tiger {
    passes: u64,
    /// Bytes of the digest.
    size: usize,
    words: [u64; 3],
    blocks: Blocks,
}

impl Tiger {
    /// A digest of `size` bytes by `passes` passes.
    pub(super) fn start(passes: u64, size: usize) -> Box<dyn State> {
        Box::new(Tiger {
            passes,
            size,
            words: START,
            blocks: Blocks::default(),
        })
    }
}

impl State for Tiger {
    fn update(&mut self, data: &[u8]) {
        let full = self.blocks.add(data, BLOCK);
        for block in full.chunks_exact(BLOCK) {
            compress(tables(), &mut self.words, block, self.passes);
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<u8> {
        let bits = self.blocks.bits();
        let mut padding = self.blocks.padding(BLOCK, 8);
        padding.extend_from_slice(&bits.to_le_bytes());
        self.update(&padding);
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
        bytes.take(self.size).collect()
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}
