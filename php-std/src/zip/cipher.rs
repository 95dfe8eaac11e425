//! Encryption of entries: the traditional one, which is weak, and AES.

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use crc32fast::Hasher;
use sha1::{Digest, Sha1};

use super::format::encryption;
use super::problem::{Problem, code};

/// Bytes before the contents of an entry with traditional encryption.
pub(super) const HEADER: usize = 12;
/// Bytes behind the contents of an entry with AES, by which they are known to be the right ones.
const SEAL: usize = 10;
/// How often the password is mixed with the salt.
const ROUNDS: u32 = 1000;
/// Bytes of the key that only tell whether the password is right.
const CHECK: usize = 2;

/// What encrypts or decrypts an entry.
#[derive(Debug)]
pub(super) enum Cipher {
    Traditional(Traditional),
    Aes(Box<Aes>),
}

impl Cipher {
    /// Makes bytes readable.
    pub(super) fn decrypt(&mut self, bytes: &mut [u8]) {
        match self {
            Cipher::Traditional(keys) => keys.decrypt(bytes),
            Cipher::Aes(aes) => {
                aes.seal.update(bytes);
                aes.apply(bytes);
            }
        }
    }

    /// Makes bytes unreadable.
    pub(super) fn encrypt(&mut self, bytes: &mut [u8]) {
        match self {
            Cipher::Traditional(keys) => keys.encrypt(bytes),
            Cipher::Aes(aes) => {
                aes.apply(bytes);
                aes.seal.update(bytes);
            }
        }
    }

    /// Bytes that stand behind the contents.
    pub(super) fn trailer(&self) -> usize {
        match self {
            Cipher::Traditional(_) => 0,
            Cipher::Aes(_) => SEAL,
        }
    }

    /// What stands behind the contents, which have all gone through.
    pub(super) fn seal(&self) -> Vec<u8> {
        match self {
            Cipher::Traditional(_) => Vec::new(),
            Cipher::Aes(aes) => aes.seal.clone().finish()[..SEAL].to_vec(),
        }
    }
}

/// A keyed digest (HMAC with SHA-1).
#[derive(Debug, Clone)]
struct Keyed {
    inner: Sha1,
    outer: Sha1,
}

impl Keyed {
    fn new(key: &[u8]) -> Keyed {
        let mut block = [0; 64];
        match key.len() <= block.len() {
            true => block[..key.len()].copy_from_slice(key),
            false => block[..20].copy_from_slice(&Sha1::digest(key)),
        }
        let mut keyed = Keyed {
            inner: Sha1::new(),
            outer: Sha1::new(),
        };
        keyed.inner.update(block.map(|byte| byte ^ 0x36));
        keyed.outer.update(block.map(|byte| byte ^ 0x5c));
        keyed
    }

    fn update(&mut self, bytes: &[u8]) {
        self.inner.update(bytes);
    }

    fn finish(mut self) -> [u8; 20] {
        self.outer.update(self.inner.finalize());
        self.outer.finalize().into()
    }
}

/// A key of a length from a password (PBKDF2).
fn derive(password: &[u8], salt: &[u8], length: usize) -> Vec<u8> {
    let keyed = Keyed::new(password);
    let mut key = Vec::new();
    for number in 1u32.. {
        if key.len() >= length {
            break;
        }
        let mut first = keyed.clone();
        first.update(salt);
        first.update(&number.to_be_bytes());
        let mut last = first.finish();
        let mut block = last;
        for _ in 1..ROUNDS {
            let mut next = keyed.clone();
            next.update(&last);
            last = next.finish();
            for (sum, byte) in block.iter_mut().zip(last) {
                *sum ^= byte;
            }
        }
        key.extend_from_slice(&block);
    }
    key.truncate(length);
    key
}

/// AES with keys of the three lengths.
enum Blocks {
    Short(aes::Aes128),
    Middle(aes::Aes192),
    Long(aes::Aes256),
}

/// AES that counts, as WinZip has it.
pub(super) struct Aes {
    blocks: Blocks,
    counter: u128,
    /// What is combined with the next bytes, from a place on.
    pad: [u8; 16],
    used: usize,
    seal: Keyed,
}

impl std::fmt::Debug for Aes {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Aes")
    }
}

/// Bytes of the key of a kind of encryption.
fn key_length(kind: u16) -> usize {
    8 * (2 + usize::from(kind - encryption::AES_128))
}

/// Bytes of the salt.
fn salt_length(kind: u16) -> usize {
    key_length(kind) / 2
}

/// Bytes before the contents of an entry with AES.
pub(super) fn header_length(kind: u16) -> usize {
    salt_length(kind) + CHECK
}

impl Aes {
    /// A cipher, and what tells whether the password is right.
    fn new(kind: u16, password: &[u8], salt: &[u8]) -> Result<(Aes, Vec<u8>), Problem> {
        let length = key_length(kind);
        let mut key = derive(password, salt, 2 * length + CHECK);
        let check = key.split_off(2 * length);
        let (own, sealing) = key.split_at(length);
        let failed = |_| Problem::from(code::ENCRNOTSUPP);
        let blocks = match kind {
            encryption::AES_128 => Blocks::Short(aes::Aes128::new_from_slice(own).map_err(failed)?),
            encryption::AES_256 => Blocks::Long(aes::Aes256::new_from_slice(own).map_err(failed)?),
            _ => Blocks::Middle(aes::Aes192::new_from_slice(own).map_err(failed)?),
        };
        let aes = Aes {
            blocks,
            counter: 0,
            pad: [0; 16],
            used: 16,
            seal: Keyed::new(sealing),
        };
        Ok((aes, check))
    }

    /// Reads the header of an entry.
    pub(super) fn unlock(kind: u16, password: &[u8], header: &[u8]) -> Result<Aes, Problem> {
        if header.len() < header_length(kind) {
            return Err(code::EOF.into());
        }
        let (salt, wanted) = header.split_at(salt_length(kind));
        let (aes, check) = Aes::new(kind, password, salt)?;
        match check == wanted {
            true => Ok(aes),
            false => Err(code::WRONGPASSWD.into()),
        }
    }

    /// A cipher for a new entry, and its header.
    pub(super) fn lock(kind: u16, password: &[u8]) -> Result<(Aes, Vec<u8>), Problem> {
        let mut header = vec![0; salt_length(kind)];
        getrandom::fill(&mut header).map_err(|_| code::ENCRNOTSUPP)?;
        let (aes, check) = Aes::new(kind, password, &header)?;
        header.extend_from_slice(&check);
        Ok((aes, header))
    }

    /// Combines bytes with what the counter becomes.
    fn apply(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            if self.used == self.pad.len() {
                self.counter += 1;
                let mut block = aes::Block::from(self.counter.to_le_bytes());
                match &self.blocks {
                    Blocks::Short(cipher) => cipher.encrypt_block(&mut block),
                    Blocks::Middle(cipher) => cipher.encrypt_block(&mut block),
                    Blocks::Long(cipher) => cipher.encrypt_block(&mut block),
                }
                self.pad = block.into();
                self.used = 0;
            }
            *byte ^= self.pad[self.used];
            self.used += 1;
        }
    }
}

/// The three keys, which change with every byte.
#[derive(Debug, Clone)]
pub(super) struct Traditional([u32; 3]);

/// A step of the checksum without its inversions.
fn step(sum: u32, byte: u8) -> u32 {
    let mut hasher = Hasher::new_with_initial(!sum);
    hasher.update(&[byte]);
    !hasher.finalize()
}

impl Traditional {
    pub(super) fn new(password: &[u8]) -> Traditional {
        let mut keys = Traditional([0x1234_5678, 0x2345_6789, 0x3456_7890]);
        for &byte in password {
            keys.update(byte);
        }
        keys
    }

    fn update(&mut self, byte: u8) {
        let [first, second, third] = &mut self.0;
        *first = step(*first, byte);
        *second = second.wrapping_add(*first & 0xff);
        *second = second.wrapping_mul(0x0808_8405).wrapping_add(1);
        *third = step(*third, (*second >> 24) as u8);
    }

    fn mask(&self) -> u8 {
        let word = (self.0[2] | 2) & 0xffff;
        (word.wrapping_mul(word ^ 1) >> 8) as u8
    }

    /// Makes bytes readable.
    pub(super) fn decrypt(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte ^= self.mask();
            self.update(*byte);
        }
    }

    /// Makes bytes unreadable.
    pub(super) fn encrypt(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            let plain = *byte;
            *byte ^= self.mask();
            self.update(plain);
        }
    }
}
