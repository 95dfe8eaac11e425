//! Snefru by Ralph Merkle, eight passes, a digest of 256 bits.

use std::sync::OnceLock;

use super::algorithms::State;
use super::blocks::Blocks;

/// Bytes of input in a block.
const BLOCK: usize = 32;
const PASSES: usize = 8;
/// How far all words are rotated after each round of a pass.
const ROTATIONS: [u32; 4] = [16, 8, 16, 24];

/// Merkle's sixteen tables of 256 words, one after the other.
fn tables() -> &'static [u32] {
    static TABLES: OnceLock<Vec<u32>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let words = include_str!("snefru.txt").split_ascii_whitespace();
        words
            .map(|word| u32::from_str_radix(word, 16).unwrap_or_default())
            .collect()
    })
}

/// A digest in the making.
#[derive(Clone)]
pub(super) struct Snefru {
    chain: [u32; 8],
    blocks: Blocks,
}

impl Snefru {
    /// A digest of no input yet.
    pub(super) fn start() -> Box<dyn State> {
        Box::new(Snefru {
            chain: [0; 8],
            blocks: Blocks::default(),
        })
    }

    fn block(&mut self, block: &[u8]) {
        let tables = tables();
        let mut words = [0u32; 16];
        words[..8].copy_from_slice(&self.chain);
        for (word, bytes) in words[8..].iter_mut().zip(block.chunks_exact(4)) {
            *word = u32::from_be_bytes(bytes.try_into().unwrap_or_default());
        }
        for pass in 0..PASSES {
            for rotation in ROTATIONS {
                for index in 0..16 {
                    let table = 2 * pass + (index / 2) % 2;
                    let entry = tables[table * 256 + (words[index] & 0xff) as usize];
                    words[(index + 1) % 16] ^= entry;
                    words[(index + 15) % 16] ^= entry;
                }
                words = words.map(|word| word.rotate_right(rotation));
            }
        }
        for (index, word) in self.chain.iter_mut().enumerate() {
            *word ^= words[15 - index];
        }
    }
}

impl State for Snefru {
    fn update(&mut self, data: &[u8]) {
        let full = self.blocks.add(data, BLOCK);
        for block in full.chunks_exact(BLOCK) {
            self.block(block);
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<u8> {
        let mut last = self.blocks.rest();
        if !last.is_empty() {
            last.resize(BLOCK, 0);
            self.block(&last);
        }
        let mut end = [0u8; BLOCK];
        end[BLOCK - 8..].copy_from_slice(&self.blocks.bits().to_be_bytes());
        self.block(&end);
        self.chain
            .iter()
            .flat_map(|word| word.to_be_bytes())
            .collect()
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}
