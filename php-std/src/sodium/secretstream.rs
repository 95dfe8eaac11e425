//! A stream of messages that belong together, as libsodium defines it over ChaCha20 and Poly1305.

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::authenticator::Authenticator;
use super::streams::{apply, subkey};
use super::{argument_problem, equal, fixed, new_key, problem, random, referenced};
use crate::support::{functions, list, text};

functions! {
    "sodium_crypto_secretstream_xchacha20poly1305_keygen(): string" => new_key::<32>,
    "sodium_crypto_secretstream_xchacha20poly1305_init_push(#[SensitiveParameter] string $key): array" => init_push,
    "#[Unconverted] sodium_crypto_secretstream_xchacha20poly1305_push(string &$state, #[SensitiveParameter] string $message, string $additional_data = \"\", int $tag = SODIUM_CRYPTO_SECRETSTREAM_XCHACHA20POLY1305_TAG_MESSAGE): string" => push,
    "sodium_crypto_secretstream_xchacha20poly1305_init_pull(string $header, #[SensitiveParameter] string $key): string" => init_pull,
    "#[Unconverted] sodium_crypto_secretstream_xchacha20poly1305_pull(string &$state, string $ciphertext, string $additional_data = \"\"): array|false" => pull,
    "#[Unconverted] sodium_crypto_secretstream_xchacha20poly1305_rekey(string &$state): void" => rekey,
}

const KEY: &str = "SODIUM_CRYPTO_SECRETSTREAM_XCHACHA20POLY1305_KEYBYTES";
const HEADER: &str = "SODIUM_CRYPTO_SECRETSTREAM_XCHACHA20POLY1305_HEADERBYTES";

/// The bit of a tag that asks for another key.
const REKEY: u8 = 2;

/// How long a state is as a string: key, counter, nonce, and eight bytes that are not used.
const STATE: usize = 52;

/// A block of the cipher.
const BLOCK: usize = 64;

/// What a message is longer by: its tag in front, and what authenticates it behind.
const MORE: usize = 17;

struct State {
    key: [u8; 32],
    counter: u32,
    nonce: [u8; 8],
}

impl State {
    fn new(key: &[u8; 32], header: &[u8; 24]) -> State {
        State {
            key: subkey(key, header),
            counter: 1,
            nonce: header[16..].try_into().expect("eight bytes"),
        }
    }

    fn of(text: &[u8]) -> Option<State> {
        (text.len() == STATE).then(|| State {
            key: text[..32].try_into().expect("32 bytes"),
            counter: u32::from_le_bytes(text[32..36].try_into().expect("four bytes")),
            nonce: text[36..44].try_into().expect("eight bytes"),
        })
    }

    fn text(&self) -> Vec<u8> {
        let counter = self.counter.to_le_bytes();
        [&self.key[..], &counter, &self.nonce, &[0; 8]].concat()
    }

    fn stream(&self) -> ChaCha20 {
        let mut nonce = [0; 12];
        nonce[..4].copy_from_slice(&self.counter.to_le_bytes());
        nonce[4..].copy_from_slice(&self.nonce);
        ChaCha20::new((&self.key).into(), (&nonce).into())
    }

    /// The cipher at the message, and the authenticator behind the further data and the tag's block; `encrypted` gives
    /// the tag as it is encrypted.
    fn begin(&self, tag: u8, encrypt: bool, further: &[u8]) -> (ChaCha20, Authenticator, u8) {
        let mut stream = self.stream();
        let mut first = [0; BLOCK];
        stream.apply_keystream(&mut first);
        let mut authenticator = Authenticator::new(&first[..32]);
        authenticator.add(further);
        authenticator.add_zeros((16 - further.len() % 16) % 16);
        let mut block = [0; BLOCK];
        block[0] = tag;
        stream.apply_keystream(&mut block);
        let other = block[0];
        if !encrypt {
            block[0] = tag;
        }
        authenticator.add(&block);
        (stream, authenticator, other)
    }

    /// Authenticates what was encrypted.
    fn finish(mut authenticator: Authenticator, data: &[u8], further: usize) -> [u8; 16] {
        authenticator.add(data);
        // Not as many as are missing: so it was defined.
        authenticator.add_zeros(data.len() % 16);
        authenticator.add_length(further);
        authenticator.add_length(BLOCK + data.len());
        authenticator.finish()
    }

    /// Goes on to the next message.
    fn advance(&mut self, mac: &[u8], tag: u8) {
        for (byte, with) in self.nonce.iter_mut().zip(mac) {
            *byte ^= with;
        }
        self.counter = self.counter.wrapping_add(1);
        if tag & REKEY != 0 || self.counter == 0 {
            self.rekey();
        }
    }

    fn rekey(&mut self) {
        let mut fresh = [0; 40];
        fresh[..32].copy_from_slice(&self.key);
        fresh[32..].copy_from_slice(&self.nonce);
        self.stream().apply_keystream(&mut fresh);
        self.key.copy_from_slice(&fresh[..32]);
        self.nonce.copy_from_slice(&fresh[32..]);
        self.counter = 1;
    }
}

fn init_push(call: &mut Call<'_>) -> PhpResult<Value> {
    let key = fixed(call, 0, KEY)?;
    let header = random();
    let state = State::new(key, &header).text();
    let values = [text(call.vm, state)?, text(call.vm, header)?];
    Ok(list(call.vm, values))
}

fn init_pull(call: &mut Call<'_>) -> PhpResult<Value> {
    let header = fixed(call, 0, HEADER)?;
    let key = fixed(call, 1, KEY)?;
    text(call.vm, State::new(key, header).text())
}

/// The text of a state that was passed.
fn given(call: &mut Call<'_>) -> PhpResult<Vec<u8>> {
    match referenced(call, 0) {
        Some(state) => Ok(state),
        None => Err(argument_problem(call, 0, "must be a reference to a state")),
    }
}

fn push(call: &mut Call<'_>) -> PhpResult<Value> {
    let state = given(call)?;
    let Some(mut state) = State::of(&state) else {
        return Err(argument_problem(call, 0, "must have a correct length"));
    };
    let Ok(tag) = u8::try_from(call.long(3)) else {
        return Err(argument_problem(call, 3, "must be in the range of 0-255"));
    };
    let (message, further) = (call.bytes(1), call.bytes(2));
    limits::reserve(message.len());
    let (mut stream, authenticator, first) = state.begin(tag, true, further);
    let mut result = vec![first];
    result.extend_from_slice(message);
    apply(&mut stream, &mut result[1..]);
    let mac = State::finish(authenticator, &result[1..], further.len());
    result.extend_from_slice(&mac);
    state.advance(&mac, tag);
    let state = text(call.vm, state.text())?;
    call.assign(0, state);
    text(call.vm, result)
}

fn pull(call: &mut Call<'_>) -> PhpResult<Value> {
    let state = given(call)?;
    let Some(mut state) = State::of(&state) else {
        return Err(problem(call.vm, "incorrect state length"));
    };
    let (encrypted, further) = (call.bytes(1), call.bytes(2));
    let Some(length) = encrypted.len().checked_sub(MORE) else {
        return Ok(false.into());
    };
    let (mut stream, authenticator, tag) = state.begin(encrypted[0], false, further);
    let (data, mac) = encrypted[1..].split_at(length);
    let expected = State::finish(authenticator, data, further.len());
    if !equal(&expected, mac) {
        return Ok(false.into());
    }
    limits::reserve(length);
    let mut message = data.to_vec();
    apply(&mut stream, &mut message);
    state.advance(mac, tag);
    let state = text(call.vm, state.text())?;
    call.assign(0, state);
    let values = [text(call.vm, message)?, i64::from(tag).into()];
    Ok(list(call.vm, values))
}

fn rekey(call: &mut Call<'_>) -> PhpResult<Value> {
    let state = given(call)?;
    let Some(mut state) = State::of(&state) else {
        return Err(problem(call.vm, "incorrect state length"));
    };
    state.rekey();
    let state = text(call.vm, state.text())?;
    call.assign(0, state);
    Ok(Value::NULL)
}
