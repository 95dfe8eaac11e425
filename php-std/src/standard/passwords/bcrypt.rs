//! bcrypt: Blowfish with a key schedule that takes as long as one wants, so limits are asked on the way.

use blowfish::Blowfish;
use vm_runtime::limits;

/// The alphabet of bcrypt's own base 64.
const ALPHABET: &[u8; 64] = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// Longer passwords are cut off.
const LONGEST: usize = 72;
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

/// The hash of a password, behind the `setting` of `$2y$NN$` and 22 characters of salt.
pub(super) fn hash(plain: &[u8], setting: &[u8], cost: u32) -> Option<Vec<u8>> {
    let salt = decode(setting.get(7..29)?)?;
    let mut key = plain[..plain.len().min(LONGEST)].to_vec();
    if key.len() < LONGEST {
        key.push(0);
    }
    let mut state = Blowfish::bc_init_state();
    state.salted_expand_key(&salt, &key);
    for round in 0..1u64 << cost {
        if round % ROUNDS == 0 {
            limits::poll();
        }
        state.bc_expand_key(&key);
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
