//! BLAKE2b whose state can be handed out.
//!
//! Scripts hold the state of `sodium_crypto_generichash_init()` as a string, in libsodium's layout; the crate
//! `blake2` keeps its own to itself.

const BLOCK: usize = 128;

const START: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

/// The order of a message's words in each round.
const ORDER: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// How long a state is as a string: libsodium's structure, whose end is not used.
pub(super) const STATE: usize = 384;

/// Where the parts of a state stand in the string: the words, how much was hashed, two flags, the buffer of two
/// blocks, and how far that is filled.
const HASHED_AT: usize = 64;
const BUFFER_AT: usize = 96;
const FILLED_AT: usize = BUFFER_AT + 2 * BLOCK;

/// A hash that is being made.
#[derive(Debug, Clone)]
pub(super) struct Blake2b {
    words: [u64; 8],
    hashed: u128,
    buffer: [u8; 2 * BLOCK],
    filled: usize,
}

impl Blake2b {
    /// Begins a hash of so many bytes. Salt and purpose have sixteen bytes each.
    pub(super) fn new(length: usize, key: &[u8], salt: [u8; 16], purpose: [u8; 16]) -> Blake2b {
        let mut parameters = [0; 64];
        parameters[..4].copy_from_slice(&[length as u8, key.len() as u8, 1, 1]);
        parameters[32..48].copy_from_slice(&salt);
        parameters[48..].copy_from_slice(&purpose);
        let mut words = START;
        for (word, bytes) in words.iter_mut().zip(parameters.as_chunks().0) {
            *word ^= u64::from_le_bytes(*bytes);
        }
        let mut hash = Blake2b {
            words,
            hashed: 0,
            buffer: [0; 2 * BLOCK],
            filled: 0,
        };
        if !key.is_empty() {
            hash.buffer[..key.len()].copy_from_slice(key);
            hash.filled = BLOCK;
        }
        hash
    }

    pub(super) fn add(&mut self, mut data: &[u8]) {
        let mut blocks = 0usize;
        while !data.is_empty() {
            // The last block waits until something follows it.
            if self.filled == 2 * BLOCK {
                self.compress(BLOCK, false);
                blocks += 1;
                if blocks.is_multiple_of(512) {
                    vm_runtime::limits::poll();
                }
                self.buffer.copy_within(BLOCK.., 0);
                self.filled = BLOCK;
            }
            let taken = data.len().min(2 * BLOCK - self.filled);
            self.buffer[self.filled..self.filled + taken].copy_from_slice(&data[..taken]);
            self.filled += taken;
            data = &data[taken..];
        }
    }

    /// The hash, of which as much is taken as is asked for.
    pub(super) fn finish(mut self, length: usize) -> Vec<u8> {
        if self.filled > BLOCK {
            self.compress(BLOCK, false);
            self.buffer.copy_within(BLOCK.., 0);
            self.filled -= BLOCK;
        }
        self.buffer[self.filled..].fill(0);
        self.compress(self.filled, true);
        let mut hash: Vec<u8> = self
            .words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        hash.truncate(length);
        hash
    }

    /// Hashes the first block of the buffer, of which so many bytes count.
    fn compress(&mut self, count: usize, last: bool) {
        self.hashed += count as u128;
        let mut message = [0; 16];
        for (word, bytes) in message.iter_mut().zip(self.buffer.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let mut v = [0; 16];
        v[..8].copy_from_slice(&self.words);
        v[8..].copy_from_slice(&START);
        v[12] ^= self.hashed as u64;
        v[13] ^= (self.hashed >> 64) as u64;
        if last {
            v[14] = !v[14];
        }
        for round in 0..12 {
            let order = &ORDER[round % 10];
            for (step, [a, b, c, d]) in [
                [0, 4, 8, 12],
                [1, 5, 9, 13],
                [2, 6, 10, 14],
                [3, 7, 11, 15],
                [0, 5, 10, 15],
                [1, 6, 11, 12],
                [2, 7, 8, 13],
                [3, 4, 9, 14],
            ]
            .into_iter()
            .enumerate()
            {
                let (x, y) = (message[order[2 * step]], message[order[2 * step + 1]]);
                v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
                v[d] = (v[d] ^ v[a]).rotate_right(32);
                v[c] = v[c].wrapping_add(v[d]);
                v[b] = (v[b] ^ v[c]).rotate_right(24);
                v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
                v[d] = (v[d] ^ v[a]).rotate_right(16);
                v[c] = v[c].wrapping_add(v[d]);
                v[b] = (v[b] ^ v[c]).rotate_right(63);
            }
        }
        for (at, word) in self.words.iter_mut().enumerate() {
            *word ^= v[at] ^ v[at + 8];
        }
    }

    /// The state as a string.
    pub(super) fn state(&self) -> Vec<u8> {
        let mut state = vec![0; STATE];
        for (bytes, word) in state.as_chunks_mut().0.iter_mut().zip(self.words) {
            *bytes = word.to_le_bytes();
        }
        state[HASHED_AT..HASHED_AT + 16].copy_from_slice(&self.hashed.to_le_bytes());
        state[BUFFER_AT..FILLED_AT].copy_from_slice(&self.buffer);
        state[FILLED_AT..FILLED_AT + 8].copy_from_slice(&(self.filled as u64).to_le_bytes());
        state
    }

    /// The hash that a state belongs to.
    pub(super) fn of_state(state: &[u8]) -> Option<Blake2b> {
        if state.len() != STATE {
            return None;
        }
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(state.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let filled = u64::from_le_bytes(*state[FILLED_AT..].first_chunk()?);
        Some(Blake2b {
            words,
            hashed: u128::from_le_bytes(*state[HASHED_AT..].first_chunk()?),
            buffer: *state[BUFFER_AT..].first_chunk()?,
            // Scripts may have written it themselves.
            filled: (filled as usize).min(2 * BLOCK),
        })
    }
}

/// A hash in one go.
pub(super) fn hash(length: usize, key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let mut hash = Blake2b::new(length, key, [0; 16], [0; 16]);
    parts.iter().for_each(|part| hash.add(part));
    hash.finish(length)
}
