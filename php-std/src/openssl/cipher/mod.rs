//! Ciphers by their names, and what they do.

pub(crate) mod authenticated;
mod block;
mod functions;
mod modes;

use std::sync::LazyLock;

use block::Family;
pub(super) use functions::FUNCTIONS;

use super::errors::{
    CIPHER_OPERATION_FAILED, Failure, INVALID_CIPHER_KEY_LENGTH, INVALID_KEY_LENGTH,
    WRONG_FINAL_BLOCK, XTS_DUPLICATED_KEYS,
};

type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::FixedState>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Ecb,
    Cbc,
    /// CBC, made to be used by TLS together with a digest: nothing is filled up.
    CbcUnpadded,
    Cfb,
    Cfb1,
    Cfb8,
    Ofb,
    Ctr,
    Xts,
    Gcm,
    Ccm,
    Ocb,
    Wrap,
    WrapPadded,
    TripleWrap,
    /// ChaCha20 by itself.
    Stream,
    /// ChaCha20 with Poly1305.
    Poly1305,
}

/// A cipher: what does it, how, and how long its key is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cipher {
    family: Family,
    mode: Mode,
    pub(super) key_length: usize,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy)]
enum Named {
    Cipher(Cipher),
    /// One that OpenSSL keeps in its room for old ciphers, which nobody opened.
    Legacy {
        iv: usize,
        key: usize,
    },
}

/// All names, sorted; other names for the same cipher, or for one that PHP does not find, have `=` behind them.
const NAMES: &str = include_str!("names.txt");

/// Old ciphers, with the lengths of initialization vector and key.
const LEGACY: &[(&str, usize, usize)] = &[
    ("bf", 8, 16),
    ("bf-cbc", 8, 16),
    ("bf-cfb", 8, 16),
    ("bf-ecb", 0, 16),
    ("bf-ofb", 8, 16),
    ("blowfish", 8, 16),
    ("cast", 8, 16),
    ("cast-cbc", 8, 16),
    ("cast5-cbc", 8, 16),
    ("cast5-cfb", 8, 16),
    ("cast5-ecb", 0, 16),
    ("cast5-ofb", 8, 16),
    ("des", 8, 8),
    ("des-cbc", 8, 8),
    ("des-cfb", 8, 8),
    ("des-cfb1", 8, 8),
    ("des-cfb8", 8, 8),
    ("des-ecb", 0, 8),
    ("des-ofb", 8, 8),
    ("desx", 8, 24),
    ("desx-cbc", 8, 24),
    ("rc2", 8, 16),
    ("rc2-40-cbc", 8, 5),
    ("rc2-64-cbc", 8, 8),
    ("rc2-cbc", 8, 16),
    ("rc2-cfb", 8, 16),
    ("rc2-ecb", 0, 16),
    ("rc2-ofb", 8, 16),
    ("rc4", 0, 16),
    ("rc4-40", 0, 5),
    ("rc4-hmac-md5", 0, 16),
    ("seed", 16, 16),
    ("seed-cbc", 16, 16),
    ("seed-cfb", 16, 16),
    ("seed-ecb", 0, 16),
    ("seed-ofb", 16, 16),
];

/// The names of ciphers, with or without the other names that they have.
fn names(aliases: bool) -> impl Iterator<Item = &'static str> {
    NAMES
        .lines()
        .filter_map(move |line| match line.split_once('=') {
            Some((name, _)) => aliases.then_some(name),
            None => Some(line),
        })
}

/// What the names stand for, which are looked up in lower case.
static MEANT: LazyLock<HashMap<Vec<u8>, &'static str>> = LazyLock::new(|| {
    let mut meant = HashMap::default();
    for line in NAMES.lines() {
        let (name, means) = line.split_once('=').unwrap_or((line, line));
        let name = name.to_ascii_lowercase().into_bytes();
        meant.entry(name).or_insert(means);
    }
    meant
});

fn named(name: &[u8]) -> Option<Named> {
    let lower_case = name.to_ascii_lowercase();
    match MEANT.get(&lower_case[..]) {
        Some(meant) => of_name(meant).map(Named::Cipher),
        None => LEGACY
            .iter()
            .find(|(known, ..)| known.as_bytes().eq_ignore_ascii_case(name))
            .map(|&(_, iv, key)| Named::Legacy { iv, key }),
    }
}

/// A cipher of a name that is no alias: the family, the length of the key if there are several, the mode.
fn of_name(name: &str) -> Option<Cipher> {
    let made = |family, mode, key_length| {
        Some(Cipher {
            family,
            mode,
            key_length,
        })
    };
    match name {
        "chacha20" => return made(Family::ChaCha20, Mode::Stream, 32),
        "chacha20-poly1305" => return made(Family::ChaCha20, Mode::Poly1305, 32),
        "des3-wrap" => return made(Family::TripleDes, Mode::TripleWrap, 24),
        _ => {}
    }
    let (family, rest) = name.split_once('-')?;
    let (family, size, mode) = match family {
        "des" => {
            let (keys, mode) = rest.split_once('-')?;
            let size = if keys == "ede3" { 24 } else { 16 };
            (Family::TripleDes, size, mode)
        }
        "sm4" => (Family::Sm4, 16, rest),
        _ => {
            let family = match family {
                "aes" => Family::Aes,
                "aria" => Family::Aria,
                _ => Family::Camellia,
            };
            let (bits, mode) = rest.split_once('-')?;
            (family, bits.parse::<usize>().ok()? / 8, mode)
        }
    };
    let mode = match mode {
        "ecb" => Mode::Ecb,
        "cbc" => Mode::Cbc,
        "cbc-hmac-sha1" | "cbc-hmac-sha256" => Mode::CbcUnpadded,
        "cfb" => Mode::Cfb,
        "cfb1" => Mode::Cfb1,
        "cfb8" => Mode::Cfb8,
        "ofb" => Mode::Ofb,
        "ctr" => Mode::Ctr,
        "wrap" => Mode::Wrap,
        "wrap-pad" => Mode::WrapPadded,
        "gcm" if family != Family::Sm4 => Mode::Gcm,
        "ccm" if family != Family::Sm4 => Mode::Ccm,
        "ocb" => Mode::Ocb,
        "xts" if family != Family::Sm4 => return made(family, Mode::Xts, size * 2),
        _ => return None,
    };
    made(family, mode, size)
}

/// Whether two byte strings are equal; how long it takes does not tell where they differ.
pub(super) fn same(one: &[u8], two: &[u8]) -> bool {
    let difference = one.iter().zip(two).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == two.len() && std::hint::black_box(difference) == 0
}

impl Cipher {
    /// The cipher of a name that PHP knows.
    pub(super) fn named(name: &[u8]) -> Option<Cipher> {
        match named(name) {
            Some(Named::Cipher(cipher)) => Some(cipher),
            _ => None,
        }
    }

    /// How long an initialization vector it wants.
    pub(super) fn iv_length(self) -> usize {
        match self.mode {
            Mode::Ecb | Mode::TripleWrap => 0,
            Mode::Wrap => 8,
            Mode::WrapPadded => 4,
            Mode::Gcm | Mode::Ccm | Mode::Ocb | Mode::Poly1305 => 12,
            _ if self.family == Family::TripleDes => 8,
            _ => 16,
        }
    }

    fn is_authenticated(self) -> bool {
        matches!(
            self.mode,
            Mode::Gcm | Mode::Ccm | Mode::Ocb | Mode::Poly1305
        )
    }

    /// What is said of a key that is too long or too short.
    fn key_length_error(self) -> &'static str {
        match (self.family, self.mode) {
            (Family::ChaCha20, _) | (_, Mode::CbcUnpadded) => INVALID_CIPHER_KEY_LENGTH,
            _ => INVALID_KEY_LENGTH,
        }
    }

    /// Encrypts; key and vector have the lengths that it wants.
    pub(super) fn encrypt(
        self,
        key: &[u8],
        iv: &[u8],
        padded: bool,
        data: &[u8],
    ) -> Result<Vec<u8>, Failure> {
        vm_runtime::limits::reserve(data.len().saturating_mul(2));
        let block = self.blocks(key);
        match self.mode {
            Mode::Wrap => return modes::wrap(&*block, iv, data),
            Mode::WrapPadded => return Ok(modes::wrap_padded(&*block, iv, data)),
            Mode::TripleWrap => return modes::triple_wrap(&*block, data),
            _ => {}
        }
        let mut data = data.to_vec();
        if padded && matches!(self.mode, Mode::Ecb | Mode::Cbc) {
            modes::pad(&mut data, block.size());
        }
        self.check_length(&data, block.size())?;
        match self.mode {
            Mode::Cbc | Mode::CbcUnpadded => modes::cbc_encrypt(&*block, iv, &mut data),
            _ => self.transform(&*block, key, iv, &mut data, true)?,
        }
        Ok(data)
    }

    /// The reverse of [`Cipher::encrypt`].
    pub(super) fn decrypt(
        self,
        key: &[u8],
        iv: &[u8],
        padded: bool,
        data: &[u8],
    ) -> Result<Vec<u8>, Failure> {
        vm_runtime::limits::reserve(data.len().saturating_mul(2));
        let block = self.blocks(key);
        match self.mode {
            Mode::Wrap => return modes::unwrap(&*block, iv, data),
            Mode::WrapPadded => return modes::unwrap_padded(&*block, iv, data),
            Mode::TripleWrap => return modes::triple_unwrap(&*block, data),
            _ => {}
        }
        let padded = padded && matches!(self.mode, Mode::Ecb | Mode::Cbc);
        if padded && data.is_empty() {
            return Err(&[WRONG_FINAL_BLOCK]);
        }
        self.check_length(data, block.size())?;
        let mut data = data.to_vec();
        match self.mode {
            Mode::Cbc | Mode::CbcUnpadded => modes::cbc_decrypt(&*block, iv, &mut data),
            _ => self.transform(&*block, key, iv, &mut data, false)?,
        }
        if padded {
            modes::unpad(&mut data, block.size())?;
        }
        Ok(data)
    }

    fn check_length(self, data: &[u8], size: usize) -> Result<(), Failure> {
        match self.mode {
            Mode::Ecb | Mode::Cbc if !data.len().is_multiple_of(size) => Err(&[WRONG_FINAL_BLOCK]),
            Mode::CbcUnpadded if !data.len().is_multiple_of(size) => {
                Err(&[CIPHER_OPERATION_FAILED])
            }
            Mode::Xts if data.len() < 16 => Err(&[CIPHER_OPERATION_FAILED]),
            _ => Ok(()),
        }
    }

    fn transform(
        self,
        block: &dyn block::Block,
        key: &[u8],
        iv: &[u8],
        data: &mut [u8],
        encrypt: bool,
    ) -> Result<(), Failure> {
        match self.mode {
            Mode::Ecb => modes::ecb(block, data, encrypt),
            Mode::Cfb => modes::cfb(block, iv, data, encrypt),
            Mode::Cfb1 => modes::cfb1(block, iv, data, encrypt),
            Mode::Cfb8 => modes::cfb8(block, iv, data, encrypt),
            Mode::Ofb => modes::ofb(block, iv, data),
            Mode::Ctr => {
                let mut counter = iv.try_into().expect("a block");
                modes::ctr(block, &mut counter, 16, data);
            }
            Mode::Stream => authenticated::chacha20(key, iv, data),
            Mode::Xts => {
                let (one, two) = key.split_at(key.len() / 2);
                if same(one, two) {
                    return Err(&[XTS_DUPLICATED_KEYS]);
                }
                modes::xts(block, &*block::keyed(self.family, two), iv, data, encrypt);
            }
            _ => unreachable!("a mode with a function of its own"),
        }
        Ok(())
    }

    /// The block cipher below it; a mere placeholder for ChaCha20, which has none.
    fn blocks(self, key: &[u8]) -> Box<dyn block::Block> {
        match self.mode {
            Mode::Stream | Mode::Poly1305 => block::keyed(Family::Aes, key),
            Mode::Xts => block::keyed(self.family, &key[..key.len() / 2]),
            _ => block::keyed(self.family, key),
        }
    }

    /// Encrypts or decrypts in place, and gives the tag.
    fn authenticate(
        self,
        key: &[u8],
        iv: &[u8],
        aad: &[u8],
        data: &mut [u8],
        tag_length: usize,
        encrypt: bool,
    ) -> authenticated::Tag {
        let block = self.blocks(key);
        match self.mode {
            Mode::Gcm => authenticated::gcm(&*block, iv, aad, data, encrypt),
            Mode::Ccm => authenticated::ccm(&*block, iv, aad, data, tag_length, encrypt),
            Mode::Ocb => authenticated::ocb(&*block, iv, aad, data, tag_length, encrypt),
            _ => authenticated::chacha20_poly1305(key, iv, aad, data, encrypt),
        }
    }

    /// Whether it takes a vector of this length.
    fn takes_iv(self, length: usize) -> bool {
        match self.mode {
            Mode::Gcm => (1..=128).contains(&length),
            Mode::Ccm => (7..=13).contains(&length),
            Mode::Ocb => (1..=15).contains(&length),
            _ => length == 12,
        }
    }
}
