//! Boxes: messages for who has a secret key.

use curve25519_dalek::montgomery::MontgomeryPoint;
use salsa20::cipher::consts::U10;
use sha2::{Digest, Sha512};
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::streams::{MAC, opened, sealed};
use super::{blake2b, fixed, internal_error, random};
use crate::support::{functions, text};

functions! {
    "sodium_crypto_box(#[SensitiveParameter] string $message, string $nonce, #[SensitiveParameter] string $key_pair): string" => seal_with_both,
    "sodium_crypto_box_keypair(): string" => new_pair,
    "sodium_crypto_box_seed_keypair(#[SensitiveParameter] string $seed): string" => pair_of_seed,
    "sodium_crypto_box_keypair_from_secretkey_and_publickey(#[SensitiveParameter] string $secret_key, string $public_key): string" => pair_of_keys,
    "sodium_crypto_box_open(string $ciphertext, string $nonce, #[SensitiveParameter] string $key_pair): string|false" => open_with_both,
    "sodium_crypto_box_publickey(#[SensitiveParameter] string $key_pair): string" => public_key,
    "sodium_crypto_box_publickey_from_secretkey(#[SensitiveParameter] string $secret_key): string" => public_of_secret,
    "sodium_crypto_box_seal(#[SensitiveParameter] string $message, string $public_key): string" => seal,
    "sodium_crypto_box_seal_open(string $ciphertext, #[SensitiveParameter] string $key_pair): string|false" => seal_open,
    "sodium_crypto_box_secretkey(#[SensitiveParameter] string $key_pair): string" => secret_key,
    "sodium_crypto_scalarmult_base(#[SensitiveParameter] string $secret_key): string" => public_of_secret,
    "sodium_crypto_scalarmult(string $n, string $p): string" => multiply,
}

pub(super) type Key = [u8; 32];

/// The public key of a secret one.
pub(super) fn public(secret: &Key) -> Key {
    MontgomeryPoint::mul_base_clamped(*secret).to_bytes()
}

/// The secret key and its public key: how pairs are written.
pub(super) fn pair(secret: &Key) -> [u8; 64] {
    let mut pair = [0; 64];
    pair[..32].copy_from_slice(secret);
    pair[32..].copy_from_slice(&public(secret));
    pair
}

/// Secret and public key of a pair.
pub(super) fn parts(pair: &[u8; 64]) -> (&Key, &Key) {
    let (secret, public) = pair.split_at(32);
    (
        secret.try_into().expect("32 bytes"),
        public.try_into().expect("32 bytes"),
    )
}

/// What the owners of both keys have in common; nothing if the public key is one that gives the same to everybody.
pub(super) fn shared(secret: &Key, public: &Key) -> Option<Key> {
    let shared = MontgomeryPoint(*public).mul_clamped(*secret).to_bytes();
    (shared != [0; 32]).then_some(shared)
}

/// The key of boxes between two.
fn box_key(secret: &Key, public: &Key) -> Option<Key> {
    let shared = shared(secret, public)?;
    Some(salsa20::hsalsa::<U10>((&shared).into(), &[0; 16].into()).into())
}

/// The nonce of a sealed box, made of the keys.
fn seal_nonce(ephemeral: &Key, public: &Key) -> [u8; 24] {
    let hash = blake2b::hash(24, &[], &[ephemeral, public]);
    hash.try_into().expect("24 bytes")
}

fn key_pair<'c>(call: &mut Call<'c>, index: usize) -> PhpResult<(&'c Key, &'c Key)> {
    Ok(parts(fixed(call, index, "SODIUM_CRYPTO_BOX_KEYPAIRBYTES")?))
}

fn new_pair(call: &mut Call<'_>) -> PhpResult<Value> {
    text(call.vm, pair(&random()))
}

fn pair_of_seed(call: &mut Call<'_>) -> PhpResult<Value> {
    let seed = fixed::<32>(call, 0, "SODIUM_CRYPTO_BOX_SEEDBYTES")?;
    let hash = Sha512::digest(seed);
    let secret: Key = hash[..32].try_into().expect("32 bytes");
    text(call.vm, pair(&secret))
}

fn pair_of_keys(call: &mut Call<'_>) -> PhpResult<Value> {
    let secret = fixed::<32>(call, 0, "SODIUM_CRYPTO_BOX_SECRETKEYBYTES")?;
    let public = fixed::<32>(call, 1, "SODIUM_CRYPTO_BOX_PUBLICKEYBYTES")?;
    text(call.vm, [*secret, *public].concat())
}

fn public_key(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, public) = key_pair(call, 0)?;
    text(call.vm, public)
}

fn secret_key(call: &mut Call<'_>) -> PhpResult<Value> {
    let (secret, _) = key_pair(call, 0)?;
    text(call.vm, secret)
}

fn public_of_secret(call: &mut Call<'_>) -> PhpResult<Value> {
    let secret = fixed(call, 0, "SODIUM_CRYPTO_BOX_SECRETKEYBYTES")?;
    text(call.vm, public(secret))
}

fn seal_with_both(call: &mut Call<'_>) -> PhpResult<Value> {
    let nonce = fixed(call, 1, "SODIUM_CRYPTO_BOX_NONCEBYTES")?;
    let (secret, public) = key_pair(call, 2)?;
    match box_key(secret, public) {
        Some(key) => text(call.vm, sealed(call.bytes(0), nonce, &key)),
        None => Err(internal_error(call.vm)),
    }
}

fn open_with_both(call: &mut Call<'_>) -> PhpResult<Value> {
    let nonce = fixed(call, 1, "SODIUM_CRYPTO_BOX_NONCEBYTES")?;
    let (secret, public) = key_pair(call, 2)?;
    let message = box_key(secret, public).and_then(|key| opened(call.bytes(0), nonce, &key));
    match message {
        Some(message) => text(call.vm, message),
        None => Ok(false.into()),
    }
}

fn seal(call: &mut Call<'_>) -> PhpResult<Value> {
    let receiver = fixed(call, 1, "SODIUM_CRYPTO_BOX_PUBLICKEYBYTES")?;
    let secret = random();
    let ephemeral = public(&secret);
    let Some(key) = box_key(&secret, receiver) else {
        return Err(internal_error(call.vm));
    };
    let mut result = ephemeral.to_vec();
    result.extend(sealed(
        call.bytes(0),
        &seal_nonce(&ephemeral, receiver),
        &key,
    ));
    text(call.vm, result)
}

fn seal_open(call: &mut Call<'_>) -> PhpResult<Value> {
    let (secret, public) = key_pair(call, 1)?;
    let given = call.bytes(0);
    if given.len() < 32 + MAC {
        return Ok(false.into());
    }
    let (ephemeral, sealed) = given.split_first_chunk::<32>().expect("long enough");
    let message = box_key(secret, ephemeral)
        .and_then(|key| opened(sealed, &seal_nonce(ephemeral, public), &key));
    match message {
        Some(message) => text(call.vm, message),
        None => Ok(false.into()),
    }
}

fn multiply(call: &mut Call<'_>) -> PhpResult<Value> {
    let scalar = fixed(call, 0, "SODIUM_CRYPTO_SCALARMULT_SCALARBYTES")?;
    let point = fixed(call, 1, "SODIUM_CRYPTO_SCALARMULT_BYTES")?;
    match shared(scalar, point) {
        Some(shared) => text(call.vm, shared),
        None => Err(internal_error(call.vm)),
    }
}
