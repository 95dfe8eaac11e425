//! Encryption with one key: secret boxes, key streams, and authentication of messages.

use chacha20::ChaCha20LegacyCore;
use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherCore};
use salsa20::XSalsa20;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::authenticator::Authenticator;
use super::{argument_problem, equal, fixed, new_key};
use crate::support::{functions, text};

functions! {
    "sodium_crypto_auth(string $message, #[SensitiveParameter] string $key): string" => auth,
    "sodium_crypto_auth_keygen(): string" => new_key::<32>,
    "sodium_crypto_auth_verify(string $mac, string $message, #[SensitiveParameter] string $key): bool" => auth_verify,
    "sodium_crypto_secretbox(#[SensitiveParameter] string $message, string $nonce, #[SensitiveParameter] string $key): string" => secretbox,
    "sodium_crypto_secretbox_keygen(): string" => new_key::<32>,
    "sodium_crypto_secretbox_open(string $ciphertext, string $nonce, #[SensitiveParameter] string $key): string|false" => secretbox_open,
    "sodium_crypto_stream(int $length, string $nonce, #[SensitiveParameter] string $key): string" => stream,
    "sodium_crypto_stream_keygen(): string" => new_key::<32>,
    "sodium_crypto_stream_xor(#[SensitiveParameter] string $message, string $nonce, #[SensitiveParameter] string $key): string" => stream_xor,
    "sodium_crypto_stream_xchacha20(int $length, string $nonce, #[SensitiveParameter] string $key): string" => xchacha20,
    "sodium_crypto_stream_xchacha20_keygen(): string" => new_key::<32>,
    "sodium_crypto_stream_xchacha20_xor(#[SensitiveParameter] string $message, string $nonce, #[SensitiveParameter] string $key): string" => xchacha20_xor,
    "sodium_crypto_stream_xchacha20_xor_ic(#[SensitiveParameter] string $message, string $nonce, int $counter, #[SensitiveParameter] string $key): string" => xchacha20_xor_from,
}

/// The length of what authenticates a box.
pub(super) const MAC: usize = 16;

/// Applies a key stream, with looks at the limits.
pub(super) fn apply(stream: &mut impl StreamCipher, data: &mut [u8]) {
    for piece in data.chunks_mut(32 * 1024) {
        if piece.len() == 32 * 1024 {
            limits::poll();
        }
        stream.apply_keystream(piece);
    }
}

/// A message encrypted and authenticated, behind what authenticates it.
pub(super) fn sealed(message: &[u8], nonce: &[u8; 24], key: &[u8; 32]) -> Vec<u8> {
    let mut stream = XSalsa20::new(key.into(), nonce.into());
    let mut first = [0; 32];
    stream.apply_keystream(&mut first);
    limits::reserve(message.len());
    let mut sealed = vec![0; MAC + message.len()];
    sealed[MAC..].copy_from_slice(message);
    apply(&mut stream, &mut sealed[MAC..]);
    let mut authenticator = Authenticator::new(&first);
    authenticator.add(&sealed[MAC..]);
    sealed[..MAC].copy_from_slice(&authenticator.finish());
    sealed
}

/// The message in what [`sealed`] made, if nobody has changed it.
pub(super) fn opened(sealed: &[u8], nonce: &[u8; 24], key: &[u8; 32]) -> Option<Vec<u8>> {
    let (mac, data) = sealed.split_at_checked(MAC)?;
    let mut stream = XSalsa20::new(key.into(), nonce.into());
    let mut first = [0; 32];
    stream.apply_keystream(&mut first);
    let mut authenticator = Authenticator::new(&first);
    authenticator.add(data);
    if !equal(&authenticator.finish(), mac) {
        return None;
    }
    limits::reserve(data.len());
    let mut message = data.to_vec();
    apply(&mut stream, &mut message);
    Some(message)
}

fn secretbox(call: &mut Call<'_>) -> PhpResult<Value> {
    let nonce = fixed(call, 1, "SODIUM_CRYPTO_SECRETBOX_NONCEBYTES")?;
    let key = fixed(call, 2, "SODIUM_CRYPTO_SECRETBOX_KEYBYTES")?;
    text(call.vm, sealed(call.bytes(0), nonce, key))
}

fn secretbox_open(call: &mut Call<'_>) -> PhpResult<Value> {
    let nonce = fixed(call, 1, "SODIUM_CRYPTO_SECRETBOX_NONCEBYTES")?;
    let key = fixed(call, 2, "SODIUM_CRYPTO_SECRETBOX_KEYBYTES")?;
    match opened(call.bytes(0), nonce, key) {
        Some(message) => text(call.vm, message),
        None => Ok(false.into()),
    }
}

/// As many zeros as the first argument says, which is looked at before the nonce.
fn zeros(call: &mut Call<'_>) -> Vec<u8> {
    let length = usize::try_from(call.long(0)).unwrap_or(0);
    limits::reserve(length);
    vec![0; length]
}

fn check_length(call: &mut Call<'_>) -> PhpResult<()> {
    match call.long(0) {
        ..=0 => Err(argument_problem(call, 0, "must be greater than 0")),
        _ => Ok(()),
    }
}

fn salsa(call: &mut Call<'_>, data: impl FnOnce(&mut Call<'_>) -> Vec<u8>) -> PhpResult<Value> {
    let nonce = fixed::<24>(call, 1, "SODIUM_CRYPTO_STREAM_NONCEBYTES")?;
    let key = fixed::<32>(call, 2, "SODIUM_CRYPTO_STREAM_KEYBYTES")?;
    let mut data = data(call);
    apply(&mut XSalsa20::new(key.into(), nonce.into()), &mut data);
    text(call.vm, data)
}

fn message(call: &mut Call<'_>) -> Vec<u8> {
    limits::reserve(call.bytes(0).len());
    call.bytes(0).to_vec()
}

fn stream(call: &mut Call<'_>) -> PhpResult<Value> {
    check_length(call)?;
    salsa(call, zeros)
}

fn stream_xor(call: &mut Call<'_>) -> PhpResult<Value> {
    salsa(call, message)
}

/// The key that XChaCha20 makes of a key and the first part of a nonce.
pub(super) fn subkey(key: &[u8; 32], nonce: &[u8]) -> [u8; 32] {
    let nonce: &[u8; 16] = nonce[..16].try_into().expect("sixteen bytes");
    chacha20::hchacha::<chacha20::R20>(key.into(), nonce.into()).into()
}

/// Applies XChaCha20 from a block on. Its counter has 64 bits and begins again behind the last one, which the crate's
/// streams do not.
fn extended(key: &[u8; 32], nonce: &[u8; 24], counter: u64, data: &mut [u8]) {
    let key = subkey(key, nonce);
    let nonce: &[u8; 8] = nonce[16..].try_into().expect("eight bytes");
    let mut blocks = ChaCha20LegacyCore::new((&key).into(), nonce.into());
    blocks.set_block_pos(counter);
    for piece in data.chunks_mut(32 * 1024) {
        if piece.len() == 32 * 1024 {
            limits::poll();
        }
        for part in piece.chunks_mut(64) {
            let mut block = [0; 64].into();
            blocks.write_keystream_block(&mut block);
            part.iter_mut()
                .zip(block)
                .for_each(|(byte, with)| *byte ^= with);
        }
    }
}

fn chacha(call: &mut Call<'_>, data: impl FnOnce(&mut Call<'_>) -> Vec<u8>) -> PhpResult<Value> {
    let nonce = fixed(call, 1, "SODIUM_CRYPTO_STREAM_XCHACHA20_NONCEBYTES")?;
    let key = fixed(call, 2, "SODIUM_CRYPTO_STREAM_XCHACHA20_KEYBYTES")?;
    let mut data = data(call);
    extended(key, nonce, 0, &mut data);
    text(call.vm, data)
}

fn xchacha20(call: &mut Call<'_>) -> PhpResult<Value> {
    check_length(call)?;
    chacha(call, zeros)
}

fn xchacha20_xor(call: &mut Call<'_>) -> PhpResult<Value> {
    chacha(call, message)
}

fn xchacha20_xor_from(call: &mut Call<'_>) -> PhpResult<Value> {
    let nonce = fixed(call, 1, "SODIUM_CRYPTO_STREAM_XCHACHA20_NONCEBYTES")?;
    let Ok(key) = call.bytes(3).try_into() else {
        // PHP counts the argument before it.
        return Err(super::wrong_length(
            call,
            2,
            "SODIUM_CRYPTO_STREAM_XCHACHA20_KEYBYTES",
        ));
    };
    let mut data = message(call);
    extended(key, nonce, call.long(2) as u64, &mut data);
    text(call.vm, data)
}

/// The first half of HMAC with SHA-512.
fn mac(key: &[u8; 32], message: &[u8]) -> Vec<u8> {
    let mut mac = crate::hash::hmac_sha512(key, message);
    mac.truncate(32);
    mac
}

fn auth(call: &mut Call<'_>) -> PhpResult<Value> {
    let key = fixed(call, 1, "SODIUM_CRYPTO_AUTH_KEYBYTES")?;
    text(call.vm, mac(key, call.bytes(0)))
}

fn auth_verify(call: &mut Call<'_>) -> PhpResult<Value> {
    let key = fixed(call, 2, "SODIUM_CRYPTO_AUTH_KEYBYTES")?;
    let given = fixed::<32>(call, 0, "SODIUM_CRYPTO_AUTH_BYTES")?;
    Ok(equal(&mac(key, call.bytes(1)), given).into())
}
