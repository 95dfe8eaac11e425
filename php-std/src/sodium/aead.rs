//! Encryption that authenticates further data as well.

use chacha20::ChaCha20Legacy;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::authenticator::Authenticator;
use super::streams::{apply, subkey};
use super::{equal, fixed, new_key};
use crate::openssl::authenticated;
use crate::support::{functions, text};

functions! {
    "sodium_crypto_aead_aes256gcm_is_available(): bool" => is_available,
    "sodium_crypto_aead_aes256gcm_decrypt(string $ciphertext, string $additional_data, string $nonce, #[SensitiveParameter] string $key): string|false" => decrypt::<Aes>,
    "sodium_crypto_aead_aes256gcm_encrypt(#[SensitiveParameter] string $message, string $additional_data, string $nonce, #[SensitiveParameter] string $key): string" => encrypt::<Aes>,
    "sodium_crypto_aead_aes256gcm_keygen(): string" => new_key::<32>,
    "sodium_crypto_aead_chacha20poly1305_decrypt(string $ciphertext, string $additional_data, string $nonce, #[SensitiveParameter] string $key): string|false" => decrypt::<Original>,
    "sodium_crypto_aead_chacha20poly1305_encrypt(#[SensitiveParameter] string $message, string $additional_data, string $nonce, #[SensitiveParameter] string $key): string" => encrypt::<Original>,
    "sodium_crypto_aead_chacha20poly1305_keygen(): string" => new_key::<32>,
    "sodium_crypto_aead_chacha20poly1305_ietf_decrypt(string $ciphertext, string $additional_data, string $nonce, #[SensitiveParameter] string $key): string|false" => decrypt::<Ietf>,
    "sodium_crypto_aead_chacha20poly1305_ietf_encrypt(#[SensitiveParameter] string $message, string $additional_data, string $nonce, #[SensitiveParameter] string $key): string" => encrypt::<Ietf>,
    "sodium_crypto_aead_chacha20poly1305_ietf_keygen(): string" => new_key::<32>,
    "sodium_crypto_aead_xchacha20poly1305_ietf_decrypt(string $ciphertext, string $additional_data, string $nonce, #[SensitiveParameter] string $key): string|false" => decrypt::<Extended>,
    "sodium_crypto_aead_xchacha20poly1305_ietf_keygen(): string" => new_key::<32>,
    "sodium_crypto_aead_xchacha20poly1305_ietf_encrypt(#[SensitiveParameter] string $message, string $additional_data, string $nonce, #[SensitiveParameter] string $key): string" => encrypt::<Extended>,
}

const TAG: usize = 16;

/// Encrypts or decrypts in place, with a key, a nonce and further data; gives the tag of what is encrypted.
type Apply = fn(&[u8; 32], &[u8], &[u8], &mut [u8], bool) -> [u8; TAG];

/// A way to encrypt and authenticate.
trait Construction {
    /// What its constants begin with.
    const NAME: &str;
    const NONCE: usize;
    const APPLY: Apply;
}

struct Aes;

impl Construction for Aes {
    const NAME: &str = "SODIUM_CRYPTO_AEAD_AES256GCM";
    const NONCE: usize = 12;
    const APPLY: Apply = |key, nonce, further, data, encrypt| {
        authenticated::aes256_gcm(key, nonce, further, data, encrypt)
    };
}

/// As it was before RFC 8439: a counter and a nonce of 64 bits, and nothing is filled up.
struct Original;

impl Construction for Original {
    const NAME: &str = "SODIUM_CRYPTO_AEAD_CHACHA20POLY1305";
    const NONCE: usize = 8;
    const APPLY: Apply = |key, nonce, further, data, encrypt| {
        let mut stream = ChaCha20Legacy::new_from_slices(key, nonce).expect("the lengths");
        let mut first = [0; 64];
        stream.apply_keystream(&mut first);
        let mut authenticator = Authenticator::new(&first[..32]);
        authenticator.add(further);
        authenticator.add_length(further.len());
        if encrypt {
            apply(&mut stream, data);
        }
        authenticator.add(data);
        authenticator.add_length(data.len());
        if !encrypt {
            apply(&mut stream, data);
        }
        authenticator.finish()
    };
}

/// RFC 8439.
struct Ietf;

impl Construction for Ietf {
    const NAME: &str = "SODIUM_CRYPTO_AEAD_CHACHA20POLY1305_IETF";
    const NONCE: usize = 12;
    const APPLY: Apply = |key, nonce, further, data, encrypt| {
        authenticated::chacha20_poly1305(key, nonce, further, data, encrypt)
    };
}

/// With a nonce that is long enough to be random.
struct Extended;

impl Construction for Extended {
    const NAME: &str = "SODIUM_CRYPTO_AEAD_XCHACHA20POLY1305_IETF";
    const NONCE: usize = 24;
    const APPLY: Apply = |key, nonce, further, data, encrypt| {
        let key = subkey(key, nonce);
        let mut short = [0; 12];
        short[4..].copy_from_slice(&nonce[16..]);
        authenticated::chacha20_poly1305(&key, &short, further, data, encrypt)
    };
}

/// Nonce and key.
fn secrets<'c, C: Construction>(call: &mut Call<'c>) -> PhpResult<(&'c [u8], &'c [u8; 32])> {
    let nonce = call.bytes(2);
    if nonce.len() != C::NONCE {
        let constant = format!("{}_NPUBBYTES", C::NAME);
        return Err(super::wrong_length(call, 2, &constant));
    }
    let key = fixed(call, 3, &format!("{}_KEYBYTES", C::NAME))?;
    Ok((nonce, key))
}

fn encrypt<C: Construction>(call: &mut Call<'_>) -> PhpResult<Value> {
    let (nonce, key) = secrets::<C>(call)?;
    let message = call.bytes(0);
    limits::reserve(message.len());
    let mut data = Vec::with_capacity(message.len() + TAG);
    data.extend_from_slice(message);
    let tag = (C::APPLY)(key, nonce, call.bytes(1), &mut data, true);
    data.extend_from_slice(&tag);
    text(call.vm, data)
}

fn decrypt<C: Construction>(call: &mut Call<'_>) -> PhpResult<Value> {
    let (nonce, key) = secrets::<C>(call)?;
    let given = call.bytes(0);
    let Some(length) = given.len().checked_sub(TAG) else {
        return Ok(false.into());
    };
    limits::reserve(length);
    let mut data = given[..length].to_vec();
    let tag = (C::APPLY)(key, nonce, call.bytes(1), &mut data, false);
    match equal(&tag, &given[length..]) {
        true => text(call.vm, data),
        false => Ok(false.into()),
    }
}

/// The crate has AES for all processors.
fn is_available(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(true.into())
}
