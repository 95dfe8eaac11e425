//! Signatures with Ed25519.

use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::{Scalar, clamp_integer};
use ed25519_dalek::{Signature, VerifyingKey};
use sha2::{Digest, Sha512};
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::{fixed, problem, random};
use crate::support::{functions, text};

functions! {
    "sodium_crypto_sign(string $message, #[SensitiveParameter] string $secret_key): string" => sign,
    "sodium_crypto_sign_detached(string $message, #[SensitiveParameter] string $secret_key): string" => sign_detached,
    "sodium_crypto_sign_ed25519_pk_to_curve25519(string $public_key): string" => public_to_curve,
    "sodium_crypto_sign_ed25519_sk_to_curve25519(#[SensitiveParameter] string $secret_key): string" => secret_to_curve,
    "sodium_crypto_sign_keypair(): string" => new_pair,
    "sodium_crypto_sign_keypair_from_secretkey_and_publickey(#[SensitiveParameter] string $secret_key, string $public_key): string" => pair_of_keys,
    "sodium_crypto_sign_open(string $signed_message, string $public_key): string|false" => open,
    "sodium_crypto_sign_publickey(#[SensitiveParameter] string $key_pair): string" => public_key,
    "sodium_crypto_sign_secretkey(#[SensitiveParameter] string $key_pair): string" => secret_key,
    "sodium_crypto_sign_publickey_from_secretkey(#[SensitiveParameter] string $secret_key): string" => public_of_secret,
    "sodium_crypto_sign_seed_keypair(#[SensitiveParameter] string $seed): string" => pair_of_seed,
    "sodium_crypto_sign_verify_detached(string $signature, string $message, string $public_key): bool" => verify_detached,
}

/// A secret key is the seed and the public key behind it.
const SECRET: &str = "SODIUM_CRYPTO_SIGN_SECRETKEYBYTES";
const PUBLIC: &str = "SODIUM_CRYPTO_SIGN_PUBLICKEYBYTES";
const PAIR: &str = "SODIUM_CRYPTO_SIGN_KEYPAIRBYTES";

/// The number that a seed stands for, and what nonces are made with.
fn expanded(seed: &[u8]) -> ([u8; 32], [u8; 32]) {
    let hash = Sha512::digest(seed);
    let number = hash[..32].try_into().expect("32 bytes");
    (
        clamp_integer(number),
        hash[32..].try_into().expect("32 bytes"),
    )
}

/// The secret key, and the public one again: how pairs are written.
fn pair(seed: &[u8; 32]) -> [u8; 96] {
    let (number, _) = expanded(seed);
    let public = EdwardsPoint::mul_base_clamped(number).compress().0;
    let mut pair = [0; 96];
    pair[..32].copy_from_slice(seed);
    pair[32..64].copy_from_slice(&public);
    pair[64..].copy_from_slice(&public);
    pair
}

/// The signature of a message. As libsodium does, this believes what the secret key says of the public one.
fn signature(message: &[u8], secret: &[u8; 64]) -> [u8; 64] {
    let (seed, public) = secret.split_at(32);
    let (number, prefix) = expanded(seed);
    let hashed = |parts: &[&[u8]]| {
        let mut hash = Sha512::new();
        for part in parts {
            for piece in part.chunks(64 * 1024) {
                limits::poll();
                hash.update(piece);
            }
        }
        Scalar::from_bytes_mod_order_wide(&hash.finalize().into())
    };
    let nonce = hashed(&[&prefix, message]);
    let point = EdwardsPoint::mul_base(&nonce).compress().0;
    let challenge = hashed(&[&point, public, message]);
    let answer = challenge * Scalar::from_bytes_mod_order(number) + nonce;
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&point);
    signature[32..].copy_from_slice(answer.as_bytes());
    signature
}

/// A public key, if it is written in the one way that it can be.
fn known(public: &[u8; 32]) -> Option<VerifyingKey> {
    let key = VerifyingKey::from_bytes(public).ok()?;
    (key.to_edwards().compress().0 == *public).then_some(key)
}

fn is_signed(signature: &[u8; 64], message: &[u8], public: &[u8; 32]) -> bool {
    let Some(key) = known(public) else {
        return false;
    };
    key.verify_strict(message, &Signature::from_bytes(signature))
        .is_ok()
}

fn sign(call: &mut Call<'_>) -> PhpResult<Value> {
    let secret = fixed(call, 1, SECRET)?;
    let message = call.bytes(0);
    limits::reserve(message.len());
    text(call.vm, [&signature(message, secret), message].concat())
}

fn sign_detached(call: &mut Call<'_>) -> PhpResult<Value> {
    let secret = fixed(call, 1, SECRET)?;
    text(call.vm, signature(call.bytes(0), secret))
}

fn open(call: &mut Call<'_>) -> PhpResult<Value> {
    let public = fixed(call, 1, PUBLIC)?;
    match call.bytes(0).split_first_chunk::<64>() {
        Some((signature, message)) if is_signed(signature, message, public) => {
            text(call.vm, message)
        }
        _ => Ok(false.into()),
    }
}

fn verify_detached(call: &mut Call<'_>) -> PhpResult<Value> {
    let signature = fixed(call, 0, "SODIUM_CRYPTO_SIGN_BYTES")?;
    let public = fixed(call, 2, PUBLIC)?;
    Ok(is_signed(signature, call.bytes(1), public).into())
}

fn new_pair(call: &mut Call<'_>) -> PhpResult<Value> {
    text(call.vm, pair(&random()))
}

fn pair_of_seed(call: &mut Call<'_>) -> PhpResult<Value> {
    let seed = fixed(call, 0, "SODIUM_CRYPTO_SIGN_SEEDBYTES")?;
    text(call.vm, pair(seed))
}

fn pair_of_keys(call: &mut Call<'_>) -> PhpResult<Value> {
    let secret = fixed::<64>(call, 0, SECRET)?;
    let public = fixed::<32>(call, 1, PUBLIC)?;
    text(call.vm, [&secret[..], public].concat())
}

fn secret_key(call: &mut Call<'_>) -> PhpResult<Value> {
    let pair = fixed::<96>(call, 0, PAIR)?;
    text(call.vm, &pair[..64])
}

fn public_key(call: &mut Call<'_>) -> PhpResult<Value> {
    let pair = fixed::<96>(call, 0, PAIR)?;
    text(call.vm, &pair[64..])
}

fn public_of_secret(call: &mut Call<'_>) -> PhpResult<Value> {
    let secret = fixed::<64>(call, 0, SECRET)?;
    text(call.vm, &secret[32..])
}

fn public_to_curve(call: &mut Call<'_>) -> PhpResult<Value> {
    let public = fixed(call, 0, PUBLIC)?;
    let key = known(public).map(|key| key.to_edwards());
    match key.filter(|point| !point.is_small_order() && point.is_torsion_free()) {
        Some(point) => text(call.vm, point.to_montgomery().to_bytes()),
        None => Err(problem(call.vm, "conversion failed")),
    }
}

fn secret_to_curve(call: &mut Call<'_>) -> PhpResult<Value> {
    let secret = fixed::<64>(call, 0, SECRET)?;
    let (number, _) = expanded(&secret[..32]);
    text(call.vm, number)
}
