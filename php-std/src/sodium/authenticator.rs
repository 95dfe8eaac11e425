//! Poly1305 over data that comes in pieces of any length.

use poly1305::universal_hash::{KeyInit, UniversalHash};
use poly1305::{Block, Key, Poly1305};

/// The authenticator, with what does not fill a block yet.
pub(super) struct Authenticator {
    hash: Poly1305,
    rest: [u8; 16],
    filled: usize,
}

impl Authenticator {
    pub(super) fn new(key: &[u8]) -> Authenticator {
        let key = Key::try_from(key).expect("the length of a key");
        Authenticator {
            hash: Poly1305::new(&key),
            rest: [0; 16],
            filled: 0,
        }
    }

    pub(super) fn add(&mut self, mut data: &[u8]) {
        if self.filled > 0 {
            let taken = data.len().min(16 - self.filled);
            self.rest[self.filled..self.filled + taken].copy_from_slice(&data[..taken]);
            self.filled += taken;
            data = &data[taken..];
            if self.filled < 16 {
                return;
            }
            self.hash.update(&[Block::from(self.rest)]);
            self.filled = 0;
        }
        for piece in data.chunks(32 * 1024) {
            if piece.len() == 32 * 1024 {
                vm_runtime::limits::poll();
            }
            let (blocks, rest) = Block::slice_as_chunks(piece);
            self.hash.update(blocks);
            self.rest[..rest.len()].copy_from_slice(rest);
            self.filled = rest.len();
        }
    }

    /// Adds zeros.
    pub(super) fn add_zeros(&mut self, count: usize) {
        self.add(&[0; 16][..count]);
    }

    /// Adds a length, as eight bytes.
    pub(super) fn add_length(&mut self, length: usize) {
        self.add(&(length as u64).to_le_bytes());
    }

    pub(super) fn finish(self) -> [u8; 16] {
        let mut tag = [0; 16];
        tag.copy_from_slice(&self.hash.compute_unpadded(&self.rest[..self.filled]));
        tag
    }
}
