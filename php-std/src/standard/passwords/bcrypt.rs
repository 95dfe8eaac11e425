//! bcrypt: Blowfish with a key schedule that takes as long as one wants, so limits are asked on the way.

use blowfish::Blowfish;
use vm_runtime::limits;

/// The alphabet of bcrypt's own base 64.
const ALPHABET: &[u8; 64] = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// Rounds between two questions to the limits: some ten milliseconds.
const ROUNDS: u64 = 64;

/// The text that is encrypted: "OrpheanBeholderScryDoubt".
const TEXT: [u32; 6] = [
    0x4f72_7068,
    0x6561_6e42,
    0x6568_6f6c,
    0x6465_7253,
    0x6372_7944,
    0x6f75_6274,
];

/// The words of the key schedule.
const WORDS: usize = 18;

/// What the key schedule is fed with: a key of its size at first, and another one later.
struct Keys {
    first: [u8; 4 * WORDS],
    later: [u8; 4 * WORDS],
}

impl Keys {
    /// The keys of a password, by the letter of the setting.
    ///
    /// An old implementation took bytes above 127 for negative numbers, which overwrote those before them.
    /// `$2x$` is for hashes that it made. `$2a$` is for those of either kind: it does without the mistake, but
    /// where a password could have been made to have the hash of another one by it, it takes a hash that neither has.
    fn new(plain: &[u8], letter: u8) -> Keys {
        let mut cycle = plain.iter().chain([&0]).cycle();
        let (mut right, mut wrong) = ([0u32; WORDS], [0u32; WORDS]);
        let mut was_extended = false;
        for (right, wrong) in right.iter_mut().zip(&mut wrong) {
            for (place, &byte) in cycle.by_ref().take(4).enumerate() {
                *right = *right << 8 | u32::from(byte);
                *wrong = *wrong << 8 | i32::from(byte as i8) as u32;
                was_extended |= place > 0 && *wrong & 0x80 != 0;
            }
        }
        let chosen = if letter == b'x' { wrong } else { right };
        let mut first = chosen;
        if letter == b'a' && was_extended && right == wrong {
            first[0] ^= 0x1_0000;
        }
        Keys {
            first: bytes_of(first),
            later: bytes_of(chosen),
        }
    }
}

fn bytes_of(words: [u32; WORDS]) -> [u8; 4 * WORDS] {
    let mut bytes = [0; 4 * WORDS];
    for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    bytes
}

/// The hash of a password, behind the `setting` of `$2y$NN$` and 22 characters of salt.
pub(super) fn hash(plain: &[u8], setting: &[u8], cost: u32) -> Option<Vec<u8>> {
    let salt = decode(setting.get(7..29)?)?;
    let plain = &plain[..memchr::memchr(0, plain).unwrap_or(plain.len())];
    let keys = Keys::new(plain, *setting.get(2)?);
    let mut state = Blowfish::bc_init_state();
    state.salted_expand_key(&salt, &keys.first);
    for round in 0..1u64 << cost {
        if round % ROUNDS == 0 {
            limits::poll();
        }
        state.bc_expand_key(&keys.later);
        state.bc_expand_key(&salt);
    }
    let mut result = Vec::with_capacity(24);
    for pair in TEXT.chunks_exact(2) {
        let (mut left, mut right) = (pair[0], pair[1]);
        for _ in 0..64 {
            (left, right) = state.bc_encrypt(left, right);
        }
        result.extend(left.to_be_bytes());
        result.extend(right.to_be_bytes());
    }
    // The last byte was forgotten once, and has been ever since.
    result.truncate(23);
    let mut hash = setting[..7].to_vec();
    hash.extend(encode(&salt));
    hash.extend(encode(&result));
    Some(hash)
}

fn encode(bytes: &[u8]) -> Vec<u8> {
    let groups = bytes.chunks(3).flat_map(|group| {
        let [a, b, c] = [0, 1, 2].map(|at| u32::from(*group.get(at).unwrap_or(&0)));
        let bits = (a << 16) | (b << 8) | c;
        let digits = [18, 12, 6, 0].map(|shift| ALPHABET[((bits >> shift) & 63) as usize]);
        digits.into_iter().take(group.len() + 1)
    });
    groups.collect()
}

/// The 16 bytes of a salt; the last bits of its 22 characters say nothing.
fn decode(salt: &[u8]) -> Option<[u8; 16]> {
    let (mut bits, mut length, mut bytes) = (0u32, 0, Vec::with_capacity(16));
    for character in salt {
        let digit = ALPHABET.iter().position(|known| known == character)?;
        bits = (bits << 6) | digit as u32;
        length += 6;
        if length >= 8 {
            length -= 8;
            bytes.push((bits >> length) as u8);
        }
    }
    bytes.try_into().ok()
}
