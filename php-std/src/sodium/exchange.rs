//! Keys that a client and a server agree upon.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::boxes::{Key, pair, parts, shared};
use super::{blake2b, fixed, internal_error, random};
use crate::support::{functions, list, text};

functions! {
    "sodium_crypto_kx_keypair(): string" => new_pair,
    "sodium_crypto_kx_publickey(#[SensitiveParameter] string $key_pair): string" => public_key,
    "sodium_crypto_kx_secretkey(#[SensitiveParameter] string $key_pair): string" => secret_key,
    "sodium_crypto_kx_seed_keypair(#[SensitiveParameter] string $seed): string" => pair_of_seed,
    "sodium_crypto_kx_client_session_keys(#[SensitiveParameter] string $client_key_pair, string $server_key): array" => client_keys,
    "sodium_crypto_kx_server_session_keys(#[SensitiveParameter] string $server_key_pair, string $client_key): array" => server_keys,
}

fn key_pair<'c>(call: &mut Call<'c>) -> PhpResult<(&'c Key, &'c Key)> {
    Ok(parts(fixed(call, 0, "SODIUM_CRYPTO_KX_KEYPAIRBYTES")?))
}

fn new_pair(call: &mut Call<'_>) -> PhpResult<Value> {
    text(call.vm, pair(&random()))
}

fn pair_of_seed(call: &mut Call<'_>) -> PhpResult<Value> {
    let seed = fixed::<32>(call, 0, "SODIUM_CRYPTO_KX_SEEDBYTES")?;
    let secret: Key = blake2b::hash(32, &[], &[seed])
        .try_into()
        .expect("32 bytes");
    text(call.vm, pair(&secret))
}

fn public_key(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, public) = key_pair(call)?;
    text(call.vm, public)
}

fn secret_key(call: &mut Call<'_>) -> PhpResult<Value> {
    let (secret, _) = key_pair(call)?;
    text(call.vm, secret)
}

/// The keys to receive and to send with, for one side.
fn session_keys(call: &mut Call<'_>, is_client: bool) -> PhpResult<Value> {
    let (secret, own) = key_pair(call)?;
    let other = fixed::<32>(call, 1, "SODIUM_CRYPTO_KX_PUBLICKEYBYTES")?;
    let Some(shared) = shared(secret, other) else {
        return Err(internal_error(call.vm));
    };
    let (client, server) = if is_client {
        (own, other)
    } else {
        (other, own)
    };
    let keys = blake2b::hash(64, &[], &[&shared, client, server]);
    let (first, second) = keys.split_at(32);
    let (receive, send) = if is_client {
        (first, second)
    } else {
        (second, first)
    };
    let keys = [text(call.vm, receive)?, text(call.vm, send)?];
    Ok(list(call.vm, keys))
}

fn client_keys(call: &mut Call<'_>) -> PhpResult<Value> {
    session_keys(call, true)
}

fn server_keys(call: &mut Call<'_>) -> PhpResult<Value> {
    session_keys(call, false)
}
