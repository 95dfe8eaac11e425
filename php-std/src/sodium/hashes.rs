//! Hashes: of messages, of short ones, and keys that are made of a key.

use std::hash::Hasher;

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::blake2b::{self, Blake2b};
use super::{argument_problem, fixed, new_key, problem, referenced};
use crate::support::{functions, text};

functions! {
    "sodium_crypto_generichash(string $message, #[SensitiveParameter] string $key = \"\", int $length = SODIUM_CRYPTO_GENERICHASH_BYTES): string" => generichash,
    "sodium_crypto_generichash_keygen(): string" => new_key::<32>,
    "sodium_crypto_generichash_init(#[SensitiveParameter] string $key = \"\", int $length = SODIUM_CRYPTO_GENERICHASH_BYTES): string" => init,
    "#[Unconverted] sodium_crypto_generichash_update(string &$state, string $message): true" => update,
    "#[Unconverted] sodium_crypto_generichash_final(string &$state, int $length = SODIUM_CRYPTO_GENERICHASH_BYTES): string" => finish,
    "sodium_crypto_kdf_derive_from_key(int $subkey_length, int $subkey_id, string $context, #[SensitiveParameter] string $key): string" => derive,
    "sodium_crypto_kdf_keygen(): string" => new_key::<32>,
    "sodium_crypto_shorthash(string $message, #[SensitiveParameter] string $key): string" => shorthash,
    "sodium_crypto_shorthash_keygen(): string" => new_key::<16>,
}

/// The length that a hash is to have.
fn length(call: &mut Call<'_>, index: usize) -> PhpResult<usize> {
    match call.long(index) {
        length @ 16..=64 => Ok(length as usize),
        _ => Err(problem(call.vm, "unsupported output length")),
    }
}

fn key<'c>(call: &mut Call<'c>, index: usize) -> PhpResult<&'c [u8]> {
    match call.bytes(index) {
        key if key.is_empty() || (16..=64).contains(&key.len()) => Ok(key),
        _ => Err(problem(call.vm, "unsupported key length")),
    }
}

fn generichash(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = length(call, 2)?;
    let key = key(call, 1)?;
    text(call.vm, blake2b::hash(length, key, &[call.bytes(0)]))
}

fn init(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = length(call, 1)?;
    let key = key(call, 0)?;
    text(call.vm, Blake2b::new(length, key, [0; 16], [0; 16]).state())
}

/// The hash whose state a script has.
fn begun(call: &mut Call<'_>) -> PhpResult<Blake2b> {
    let Some(state) = referenced(call, 0) else {
        return Err(argument_problem(call, 0, "must be a reference to a state"));
    };
    match Blake2b::of_state(&state) {
        Some(hash) => Ok(hash),
        None => Err(problem(call.vm, "incorrect state length")),
    }
}

fn update(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut hash = begun(call)?;
    hash.add(call.bytes(1));
    let state = text(call.vm, hash.state())?;
    call.assign(0, state);
    Ok(true.into())
}

fn finish(call: &mut Call<'_>) -> PhpResult<Value> {
    let hash = begun(call)?;
    let length = length(call, 1)?;
    call.assign(0, Value::NULL);
    text(call.vm, hash.finish(length))
}

fn derive(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = call.long(0);
    if length < 16 {
        let what = "must be greater than or equal to SODIUM_CRYPTO_KDF_BYTES_MIN";
        return Err(argument_problem(call, 0, what));
    }
    if length > 64 {
        let what = "must be less than or equal to SODIUM_CRYPTO_KDF_BYTES_MAX";
        return Err(argument_problem(call, 0, what));
    }
    let number = call.long(1);
    if number < 0 {
        return Err(argument_problem(
            call,
            1,
            "must be greater than or equal to 0",
        ));
    }
    let context = fixed::<8>(call, 2, "SODIUM_CRYPTO_KDF_CONTEXTBYTES")?;
    let key = fixed::<32>(call, 3, "SODIUM_CRYPTO_KDF_KEYBYTES")?;
    let (mut salt, mut purpose) = ([0; 16], [0; 16]);
    salt[..8].copy_from_slice(&number.to_le_bytes());
    purpose[..8].copy_from_slice(context);
    let hash = Blake2b::new(length as usize, key, salt, purpose);
    text(call.vm, hash.finish(length as usize))
}

fn shorthash(call: &mut Call<'_>) -> PhpResult<Value> {
    let key = fixed::<16>(call, 1, "SODIUM_CRYPTO_SHORTHASH_KEYBYTES")?;
    let mut hash = siphasher::sip::SipHasher24::new_with_key(key);
    hash.write(call.bytes(0));
    text(call.vm, hash.finish().to_le_bytes())
}
