//! Data that is digested in blocks of one size.

/// What has come and has not been digested yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    pending: Vec<u8>,
    length: u64,
}

impl Blocks {
    /// Adds data; gives the blocks of `size` bytes that are full now.
    pub(super) fn add(&mut self, data: &[u8], size: usize) -> Vec<u8> {
        self.length = self.length.wrapping_add(data.len() as u64);
        self.pending.extend_from_slice(data);
        let rest = self.pending.len() / size * size;
        let rest = self.pending.split_off(rest);
        std::mem::replace(&mut self.pending, rest)
    }

    /// How many bits have come.
    pub(super) fn bits(&self) -> u64 {
        self.length.wrapping_mul(8)
    }

    /// What is left of the last block.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.pending)
    }

    /// A one and as many zeros as leave `room` bytes of a block of `size`.
    pub(super) fn padding(&self, size: usize, room: usize) -> Vec<u8> {
        let used = (self.pending.len() + 1) % size;
        let zeros = (2 * size - room - used) % size;
        let mut padding = vec![1];
        padding.resize(1 + zeros, 0);
        padding
    }
}
