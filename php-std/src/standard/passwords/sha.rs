//! `crypt()` with SHA-256 and SHA-512, as Ulrich Drepper laid it down ("Unix crypt using SHA-256 and
//! SHA-512"). Salts say how many rounds there are, so limits are asked on the way.

use sha2::{Digest, Sha256, Sha512};
use vm_runtime::limits;

const ALPHABET: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DEFAULT_ROUNDS: u32 = 5000;
const LONGEST_SALT: usize = 16;
/// Bytes that are digested between two questions to the limits.
const STEP: usize = 1 << 20;

/// The hash by a setting that begins with `$5$` or `$6$`.
pub(super) fn hash(plain: &[u8], setting: &[u8]) -> Option<Vec<u8>> {
    let (prefix, rest) = setting.split_at_checked(3)?;
    let (rounds, rest) = match number_of_rounds(rest) {
        Some((rounds, _)) if !(1000..=999_999_999).contains(&rounds) => return None,
        Some((rounds, rest)) => (Some(rounds), rest),
        None => (None, rest),
    };
    let salt = rest.split(|&byte| byte == b'$').next().unwrap_or_default();
    let salt = &salt[..salt.len().min(LONGEST_SALT)];
    let count = rounds.map_or(DEFAULT_ROUNDS, |rounds| rounds as u32);
    let mut result = prefix.to_vec();
    if let Some(rounds) = rounds {
        result.extend(format!("rounds={rounds}$").into_bytes());
    }
    result.extend_from_slice(salt);
    result.push(b'$');
    result.extend(match prefix {
        b"$5$" => encode_256(&digest::<Sha256>(plain, salt, count)),
        _ => encode_512(&digest::<Sha512>(plain, salt, count)),
    });
    Some(result)
}

/// What `rounds=N$` says, and what follows; what is not written so is part of the salt.
fn number_of_rounds(setting: &[u8]) -> Option<(u64, &[u8])> {
    let rest = setting.strip_prefix(b"rounds=")?;
    let end = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    if rest[end] != b'$' {
        return None;
    }
    let digits = std::str::from_utf8(&rest[..end]).ok()?;
    Some((digits.parse().unwrap_or(u64::MAX), &rest[end + 1..]))
}

/// Asks the limits now and then: not each time, a round is short.
#[derive(Debug, Default)]
struct Meter(usize);

impl Meter {
    fn count(&mut self, bytes: usize) {
        self.0 += bytes + 128;
        if self.0 >= STEP {
            self.0 = 0;
            limits::poll();
        }
    }
}

/// As many bytes of a digest as `length`, which may be longer than it.
fn repeated(digest: &[u8], length: usize) -> Vec<u8> {
    digest.iter().copied().cycle().take(length).collect()
}

fn digest<D: Digest>(plain: &[u8], salt: &[u8], rounds: u32) -> Vec<u8> {
    let mut meter = Meter::default();
    let other = D::new()
        .chain_update(plain)
        .chain_update(salt)
        .chain_update(plain)
        .finalize();
    let mut first = D::new().chain_update(plain).chain_update(salt);
    first.update(repeated(&other, plain.len()));
    let mut bits = plain.len();
    while bits > 0 {
        match bits & 1 {
            1 => first.update(&other),
            _ => first.update(plain),
        }
        bits >>= 1;
    }
    let mut last = first.finalize();
    let mut passwords = D::new();
    for _ in 0..plain.len() {
        meter.count(plain.len());
        passwords.update(plain);
    }
    let passwords = repeated(&passwords.finalize(), plain.len());
    let mut salts = D::new();
    for _ in 0..16 + usize::from(last[0]) {
        salts.update(salt);
    }
    let salts = repeated(&salts.finalize(), salt.len());
    for round in 0..rounds {
        meter.count(plain.len());
        let mut next = D::new();
        match round % 2 {
            1 => next.update(&passwords),
            _ => next.update(&last),
        }
        if round % 3 != 0 {
            next.update(&salts);
        }
        if round % 7 != 0 {
            next.update(&passwords);
        }
        match round % 2 {
            1 => next.update(&last),
            _ => next.update(&passwords),
        }
        last = next.finalize();
    }
    last.to_vec()
}

/// Three bytes, the first of which is the highest, as digits of base 64 from the lowest on.
pub(super) fn digits(bytes: [u8; 3], count: usize) -> impl Iterator<Item = u8> {
    let bits = bytes
        .iter()
        .fold(0u32, |bits, byte| (bits << 8) | u32::from(*byte));
    (0..count).map(move |digit| ALPHABET[((bits >> (6 * digit)) & 63) as usize])
}

/// Bytes of a third of the digest each, which third comes first turns with each group.
fn encode_256(digest: &[u8]) -> Vec<u8> {
    let (mut a, mut b, mut c) = (0, 10, 20);
    let mut text = Vec::with_capacity(43);
    for _ in 0..10 {
        text.extend(digits([digest[a], digest[b], digest[c]], 4));
        (a, b, c) = (c + 1, a + 1, b + 1);
    }
    text.extend(digits([0, digest[31], digest[30]], 3));
    text
}

fn encode_512(digest: &[u8]) -> Vec<u8> {
    let (mut a, mut b, mut c) = (0, 21, 42);
    let mut text = Vec::with_capacity(86);
    for _ in 0..21 {
        text.extend(digits([digest[a], digest[b], digest[c]], 4));
        (a, b, c) = (b + 1, c + 1, a + 1);
    }
    text.extend(digits([0, 0, digest[63]], 2));
    text
}
