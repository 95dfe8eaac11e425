//! `crypt()` with MD5, as Poul-Henning Kamp laid it down for FreeBSD. Salts may have any characters.

use md5::{Digest, Md5};

use super::sha::digits;

const PREFIX: &[u8] = b"$1$";
const ROUNDS: u32 = 1000;
const LONGEST_SALT: usize = 8;

/// The hash by a setting, of which the prefix was taken away.
pub(super) fn hash(plain: &[u8], setting: &[u8]) -> Vec<u8> {
    let is_end = |byte: &u8| matches!(byte, b'$' | 0);
    let salt = setting.split(is_end).next().unwrap_or_default();
    let salt = &salt[..salt.len().min(LONGEST_SALT)];
    let mut text = [PREFIX, salt, b"$"].concat();
    text.extend(encode(&digest(plain, salt)));
    text
}

fn digest(plain: &[u8], salt: &[u8]) -> [u8; 16] {
    let other = Md5::new()
        .chain_update(plain)
        .chain_update(salt)
        .chain_update(plain)
        .finalize();
    let mut first = Md5::new()
        .chain_update(plain)
        .chain_update(PREFIX)
        .chain_update(salt);
    for piece in plain.chunks(other.len()) {
        first.update(&other[..piece.len()]);
    }
    let mut bits = plain.len();
    while bits > 0 {
        match bits & 1 {
            1 => first.update([0]),
            _ => first.update(&plain[..1]),
        }
        bits >>= 1;
    }
    let mut last = first.finalize();
    for round in 0..ROUNDS {
        vm_runtime::limits::poll();
        let mut next = Md5::new();
        match round % 2 {
            1 => next.update(plain),
            _ => next.update(last),
        }
        if round % 3 != 0 {
            next.update(salt);
        }
        if round % 7 != 0 {
            next.update(plain);
        }
        match round % 2 {
            1 => next.update(last),
            _ => next.update(plain),
        }
        last = next.finalize();
    }
    last.into()
}

/// Groups of three bytes that stand six apart.
fn encode(digest: &[u8; 16]) -> Vec<u8> {
    let mut text = Vec::with_capacity(22);
    for first in 0..5 {
        let third = if first == 4 { 5 } else { first + 12 };
        text.extend(digits([digest[first], digest[first + 6], digest[third]], 4));
    }
    text.extend(digits([0, 0, digest[11]], 2));
    text
}
