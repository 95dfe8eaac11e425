//! RSA: the arithmetic is the crate's, the padding is here, as OpenSSL does it.

use rsa::hazmat::{rsa_decrypt_and_check, rsa_encrypt};
use rsa::traits::{PrivateKeyParts, PublicKeyParts};
use rsa::{PrivateKey, PublicKey};

use super::numbers::{digits, number};
use crate::openssl::der;
use crate::openssl::digest::Digest;
use crate::openssl::errors::{
    BAD_SIGNATURE, DATA_GREATER_THAN_MODULUS, DATA_TOO_LARGE_FOR_KEY, DATA_TOO_LARGE_FOR_MODULUS,
    DATA_TOO_SMALL_FOR_KEY, DIGEST_NOT_ALLOWED, Failure, ILLEGAL_PADDING, INVALID_PADDING,
    INVALID_X931_DIGEST, OAEP_DECODING, PADDING_CHECK_FAILED, RSA_INTERNAL, RSA_LIBRARY,
    SIGNATURE_FAILURE, UNKNOWN_PADDING, WRONG_SIGNATURE_LENGTH,
};

pub(in crate::openssl) const PKCS1_PADDING: i64 = 1;
pub(in crate::openssl) const NO_PADDING: i64 = 3;
pub(in crate::openssl) const OAEP_PADDING: i64 = 4;

/// Digits of the parts of a key.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::openssl) struct Rsa {
    pub(super) modulus: Vec<u8>,
    pub(super) exponent: Vec<u8>,
    pub(super) private: Option<Private>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Private {
    pub(super) exponent: Vec<u8>,
    /// The primes p and q, the exponents for each, and the inverse of q: empty if nobody gave them.
    pub(super) factors: [Vec<u8>; 5],
}

/// What fills random numbers for the crate.
pub(super) struct System;

impl rsa::rand_core::TryRng for System {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_ne_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Self::Error> {
        crate::openssl::random_bytes(target);
        Ok(())
    }
}

impl rsa::rand_core::TryCryptoRng for System {}

/// The most bits that are calculated with: what is more is refused.
pub(super) const MOST_BITS: usize = 16_384;

impl Rsa {
    /// A new key.
    pub(super) fn generate(bits: usize) -> Option<Rsa> {
        let key =
            crate::support::apart(move || PrivateKey::new_unchecked(&mut System, bits)).ok()?;
        let bytes = |number: &rsa::BoxedUint| der::trimmed(&number.to_be_bytes()).to_vec();
        let [p, q] = key.primes() else {
            return None;
        };
        let mut made = Rsa {
            modulus: bytes(key.n().as_ref()),
            exponent: bytes(key.e()),
            private: None,
        };
        let (mut p, mut q) = (bytes(p), bytes(q));
        if super::larger(&q, &p) {
            std::mem::swap(&mut p, &mut q);
        }
        made.private = Some(Private {
            exponent: bytes(key.d()),
            factors: super::factors(&bytes(key.d()), p, q)?,
        });
        Some(made)
    }

    /// How many bytes numbers have.
    pub(super) fn size(&self) -> usize {
        self.modulus.len()
    }

    pub(super) fn bits(&self) -> usize {
        super::bit_length(&self.modulus)
    }

    fn precision(&self) -> u32 {
        self.modulus.len() as u32 * 8
    }

    fn public_key(&self) -> Option<PublicKey> {
        let is_odd = self.modulus.last().is_some_and(|digit| digit & 1 == 1);
        if !is_odd || self.bits() > MOST_BITS || self.modulus.len() < 8 || self.exponent.is_empty()
        {
            return None;
        }
        let modulus = number(&self.modulus, self.precision())?;
        // A larger exponent than the modulus is nobody's key.
        let exponent = number(&self.exponent, self.precision())?;
        Some(PublicKey::new_unchecked(modulus, exponent))
    }

    /// The public operation; the input is less than the modulus.
    fn apply_public(&self, input: &[u8]) -> Option<Vec<u8>> {
        let key = self.public_key()?;
        let result = rsa_encrypt(&key, &number(input, self.precision())?).ok()?;
        Some(digits(&result, self.size()))
    }

    /// The private operation, blinded, whose result is checked.
    fn apply_private(&self, input: &[u8]) -> Option<Vec<u8>> {
        let private = self.private.as_ref()?;
        self.public_key()?;
        let bits = self.precision();
        let part = |digits: &[u8]| number(digits, bits);
        let [p, q, ..] = &private.factors;
        let mut primes = Vec::new();
        if !p.is_empty() && !q.is_empty() {
            for prime in [p, q] {
                primes.push(number(prime, prime.len() as u32 * 8)?);
            }
        }
        let (modulus, exponent) = (part(&self.modulus)?, part(&self.exponent)?);
        let secret = part(&private.exponent)?;
        let key =
            PrivateKey::from_components_with_large_exponent(modulus, exponent, secret, primes)
                .ok()?;
        let result = rsa_decrypt_and_check(&key, Some(&mut System), &part(input)?).ok()?;
        Some(digits(&result, self.size()))
    }

    fn is_below_modulus(&self, input: &[u8]) -> bool {
        super::larger(&self.modulus, der::trimmed(input))
    }

    pub(in crate::openssl) fn encrypt_publicly(
        &self,
        data: &[u8],
        padding: i64,
    ) -> Result<Vec<u8>, Failure> {
        let padded = match padding {
            PKCS1_PADDING => self.padded_randomly(data)?,
            OAEP_PADDING => self.padded_by_oaep(data)?,
            NO_PADDING => self.unpadded(data)?,
            _ => return Err(&[UNKNOWN_PADDING]),
        };
        if !self.is_below_modulus(&padded) {
            return Err(&[DATA_TOO_LARGE_FOR_MODULUS]);
        }
        self.apply_public(&padded).ok_or(&[RSA_INTERNAL])
    }

    pub(in crate::openssl) fn decrypt_privately(
        &self,
        data: &[u8],
        padding: i64,
    ) -> Result<Vec<u8>, Failure> {
        if !matches!(padding, PKCS1_PADDING | OAEP_PADDING | NO_PADDING) {
            return Err(&[UNKNOWN_PADDING]);
        }
        if data.len() > self.size() {
            return Err(&[DATA_GREATER_THAN_MODULUS]);
        }
        if !self.is_below_modulus(data) {
            return Err(&[DATA_TOO_LARGE_FOR_MODULUS]);
        }
        let plain = self.apply_private(data).ok_or(&[RSA_INTERNAL] as Failure)?;
        match padding {
            PKCS1_PADDING => Ok(self.without_random_padding(&plain, data)),
            OAEP_PADDING => self.without_oaep(&plain).ok_or(&[OAEP_DECODING]),
            _ => Ok(plain),
        }
    }

    pub(in crate::openssl) fn encrypt_privately(
        &self,
        data: &[u8],
        padding: i64,
    ) -> Result<Vec<u8>, Failure> {
        let padded = match padding {
            PKCS1_PADDING => self.padded_for_signing(data).ok_or(&[
                DATA_TOO_LARGE_FOR_KEY,
                RSA_LIBRARY,
                SIGNATURE_FAILURE,
            ] as Failure)?,
            NO_PADDING if data.len() == self.size() => data.to_vec(),
            NO_PADDING if data.len() < self.size() => {
                return Err(&[DATA_TOO_SMALL_FOR_KEY, RSA_LIBRARY, SIGNATURE_FAILURE]);
            }
            NO_PADDING => return Err(&[DATA_TOO_LARGE_FOR_KEY, RSA_LIBRARY, SIGNATURE_FAILURE]),
            5 => return Err(&[INVALID_X931_DIGEST]),
            _ => return Err(&[ILLEGAL_PADDING]),
        };
        if !self.is_below_modulus(&padded) {
            return Err(&[DATA_TOO_LARGE_FOR_MODULUS, RSA_LIBRARY, SIGNATURE_FAILURE]);
        }
        self.apply_private(&padded).ok_or(&[RSA_INTERNAL])
    }

    pub(in crate::openssl) fn decrypt_publicly(
        &self,
        data: &[u8],
        padding: i64,
    ) -> Result<Vec<u8>, Failure> {
        match padding {
            PKCS1_PADDING | NO_PADDING => {}
            5 => return Err(&[INVALID_X931_DIGEST]),
            _ => return Err(&[ILLEGAL_PADDING]),
        }
        if data.len() > self.size() {
            return Err(&[DATA_GREATER_THAN_MODULUS, RSA_LIBRARY, SIGNATURE_FAILURE]);
        }
        if !self.is_below_modulus(data) {
            return Err(&[DATA_TOO_LARGE_FOR_MODULUS, RSA_LIBRARY, SIGNATURE_FAILURE]);
        }
        let plain = self.apply_public(data).ok_or(&[RSA_INTERNAL] as Failure)?;
        if padding == NO_PADDING {
            return Ok(plain);
        }
        without_signing_padding(&plain).map(<[u8]>::to_vec).ok_or(&[
            INVALID_PADDING,
            PADDING_CHECK_FAILED,
            RSA_LIBRARY,
            SIGNATURE_FAILURE,
        ])
    }

    fn unpadded(&self, data: &[u8]) -> Result<Vec<u8>, Failure> {
        match data.len().cmp(&self.size()) {
            std::cmp::Ordering::Equal => Ok(data.to_vec()),
            std::cmp::Ordering::Less => Err(&[DATA_TOO_SMALL_FOR_KEY]),
            std::cmp::Ordering::Greater => Err(&[DATA_TOO_LARGE_FOR_KEY]),
        }
    }

    /// PKCS #1 for encryption: random bytes that are not zero.
    fn padded_randomly(&self, data: &[u8]) -> Result<Vec<u8>, Failure> {
        let size = self.size();
        if data.len() + 11 > size {
            return Err(&[DATA_TOO_LARGE_FOR_KEY]);
        }
        let mut result = vec![0; size];
        result[1] = 2;
        let end = size - data.len() - 1;
        for byte in &mut result[2..end] {
            while *byte == 0 {
                crate::openssl::random_bytes(std::slice::from_mut(byte));
            }
        }
        result[end + 1..].copy_from_slice(data);
        Ok(result)
    }

    /// The reverse. What was not padded so gives bytes that depend on key and input, so that nobody
    /// learns from how it fails: the way of draft-irtf-cfrg-rsa-guidance, which OpenSSL follows.
    fn without_random_padding(&self, plain: &[u8], encrypted: &[u8]) -> Vec<u8> {
        let size = self.size();
        let sha256 = Digest::named(b"sha256").expect("there is one");
        let hash = |pieces: &[&[u8]]| sha256.of(pieces).unwrap_or_default();
        let filled = |digits: &[u8]| {
            let mut all = vec![0; size.saturating_sub(digits.len())];
            all.extend_from_slice(digits);
            all
        };
        let secret = self
            .private
            .as_ref()
            .map_or(&[][..], |private| &private.exponent);
        let key = sha256.hmac(&hash(&[&filled(secret)]), &[&filled(encrypted)]);
        let stream = |label: &[u8], length: usize| {
            let mut bytes = Vec::new();
            let bits = (length as u16).wrapping_mul(8).to_be_bytes();
            for number in 0u16.. {
                if bytes.len() >= length {
                    break;
                }
                bytes.extend(sha256.hmac(&key, &[&number.to_be_bytes(), label, &bits]));
            }
            bytes.truncate(length);
            bytes
        };
        let made_up = stream(b"message", size);
        let most = (size as u16).saturating_sub(10);
        let mut mask = most;
        for shift in [1, 2, 4, 8] {
            mask |= mask >> shift;
        }
        let mut length = 0u16;
        for pair in stream(b"length", 256).chunks_exact(2) {
            let candidate = u16::from_be_bytes([pair[0], pair[1]]) & mask;
            if candidate < most {
                length = candidate;
            }
        }
        let separator = plain
            .iter()
            .skip(2)
            .position(|&byte| byte == 0)
            .map(|at| at + 2);
        let is_good = plain.starts_with(&[0, 2]) && separator.is_some_and(|at| at >= 10);
        match separator.filter(|_| is_good) {
            Some(at) => plain[at + 1..].to_vec(),
            None => made_up[size - usize::from(length)..].to_vec(),
        }
    }

    fn padded_by_oaep(&self, data: &[u8]) -> Result<Vec<u8>, Failure> {
        let size = self.size();
        if data.len() + 42 > size {
            return Err(&[DATA_TOO_LARGE_FOR_KEY]);
        }
        let sha1 = Digest::named(b"sha1").expect("there is one");
        let mut block = sha1.of(&[]).unwrap_or_default();
        block.resize(size - 22 - data.len(), 0);
        block.push(1);
        block.extend_from_slice(data);
        let mut seed = [0; 20];
        crate::openssl::random_bytes(&mut seed);
        mask(&mut block, &seed);
        mask(&mut seed, &block);
        Ok([&[0], &seed[..], &block].concat())
    }

    fn without_oaep(&self, plain: &[u8]) -> Option<Vec<u8>> {
        if plain.len() < 42 {
            return None;
        }
        let mut seed = plain[1..21].to_vec();
        let mut block = plain[21..].to_vec();
        mask(&mut seed, &block);
        mask(&mut block, &seed);
        let label = Digest::named(b"sha1")?.of(&[])?;
        let rest = &block[20..];
        let end = rest.iter().position(|&byte| byte != 0);
        let is_good = plain[0] == 0
            && crate::openssl::cipher::same(&block[..20], &label)
            && end.is_some_and(|end| rest[end] == 1);
        end.filter(|_| is_good).map(|end| rest[end + 1..].to_vec())
    }

    /// PKCS #1 for signatures.
    fn padded_for_signing(&self, data: &[u8]) -> Option<Vec<u8>> {
        let filling = self
            .size()
            .checked_sub(data.len() + 3)
            .filter(|&filling| filling >= 8)?;
        Some([&[0, 1], &*vec![0xff; filling], &[0], data].concat())
    }

    /// What is signed: the digest with its name.
    fn digest_info(digest: &Digest, data: &[u8]) -> Result<Vec<u8>, Failure> {
        let hash = digest.of(&[data]).ok_or(&[DIGEST_NOT_ALLOWED] as Failure)?;
        Ok(match digest.name {
            "md5-sha1" => hash,
            "blake2b512" | "blake2s256" => return Err(&[DIGEST_NOT_ALLOWED]),
            name => {
                let identifier = match name {
                    // What OpenSSL writes: that of the signature.
                    "sm3" => "1.2.156.10197.1.504",
                    _ => digest.identifier,
                };
                let algorithm = der::sequence(&[&der::identifier(identifier), &der::null()]);
                der::sequence(&[&algorithm, &der::octets(&hash)])
            }
        })
    }

    pub(in crate::openssl) fn sign(
        &self,
        digest: &Digest,
        data: &[u8],
    ) -> Result<Vec<u8>, Failure> {
        let info = Rsa::digest_info(digest, data)?;
        let padded = self
            .padded_for_signing(&info)
            .ok_or(&[DATA_TOO_LARGE_FOR_KEY, RSA_LIBRARY] as Failure)?;
        self.apply_private(&padded).ok_or(&[RSA_INTERNAL])
    }

    pub(in crate::openssl) fn verify(
        &self,
        digest: &Digest,
        data: &[u8],
        signature: &[u8],
    ) -> Result<(), Failure> {
        let info = Rsa::digest_info(digest, data)?;
        if signature.len() != self.size() {
            return Err(&[WRONG_SIGNATURE_LENGTH, RSA_LIBRARY]);
        }
        if !self.is_below_modulus(signature) {
            return Err(&[DATA_TOO_LARGE_FOR_MODULUS, RSA_LIBRARY]);
        }
        let plain = self
            .apply_public(signature)
            .ok_or(&[RSA_INTERNAL] as Failure)?;
        match without_signing_padding(&plain) {
            None => Err(&[INVALID_PADDING, PADDING_CHECK_FAILED, RSA_LIBRARY]),
            Some(found) if found == info => Ok(()),
            Some(_) => Err(&[BAD_SIGNATURE, RSA_LIBRARY]),
        }
    }
}

fn without_signing_padding(plain: &[u8]) -> Option<&[u8]> {
    let rest = plain.strip_prefix(&[0, 1])?;
    let end = rest.iter().position(|&byte| byte != 0xff)?;
    (end >= 8 && rest[end] == 0).then(|| &rest[end + 1..])
}

/// MGF1 with SHA-1.
fn mask(target: &mut [u8], seed: &[u8]) {
    let sha1 = Digest::named(b"sha1").expect("there is one");
    for (number, part) in target.chunks_mut(20).enumerate() {
        let stream = sha1
            .of(&[seed, &(number as u32).to_be_bytes()])
            .unwrap_or_default();
        part.iter_mut()
            .zip(stream)
            .for_each(|(byte, with)| *byte ^= with);
    }
}
