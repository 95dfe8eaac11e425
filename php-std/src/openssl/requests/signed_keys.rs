//! `openssl_spki_*`: a key with a challenge, signed by it, as browsers sent them.

use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::signed;
use crate::openssl::certificates::digest_of_signature;
use crate::openssl::der::{self, Element, Reader};
use crate::openssl::digest::Digest;
use crate::openssl::errors;
use crate::openssl::keys::{Half, Key, key_of, numbered};
use crate::openssl::pem;
use crate::standard::strings::encode::{decode_base64, encode_base64};
use crate::support::{functions, text};

functions! {
    "openssl_spki_new(#[SensitiveParameter] OpenSSLAsymmetricKey $private_key, string $challenge, int $digest_algo = OPENSSL_ALGO_MD5): string|false" => new,
    "openssl_spki_verify(string $spki): bool" => verify,
    "openssl_spki_export(string $spki): string|false" => export,
    "openssl_spki_export_challenge(string $spki): string|false" => export_challenge,
}

fn new(call: &mut Call<'_>) -> PhpResult<Value> {
    let (given, number) = (call.value(0), call.long(2));
    let Some(key) = key_of(call, 0, &given, Half::Private, b"")? else {
        call.vm.check()?;
        call.vm
            .function_warning("Unable to use supplied private key");
        return Ok(false.into());
    };
    let Some(digest) = numbered(number) else {
        call.vm.function_warning("Unknown digest algorithm");
        return Ok(false.into());
    };
    let challenge = der::element(0x16, &[call.bytes(1)]);
    let made = signed(&key, digest, |_| {
        der::sequence(&[&key.written_public(), &challenge])
    });
    match made {
        Ok(made) => text(call.vm, [b"SPKAC=".to_vec(), encode_base64(&made)].concat()),
        Err(problems) => {
            errors::push_all(call.vm, problems);
            call.vm
                .function_warning("Unable to sign with specified digest algorithm");
            Ok(false.into())
        }
    }
}

/// The parts of a signed key.
struct Parts {
    body: Vec<u8>,
    key: Vec<u8>,
    challenge: Vec<u8>,
    algorithm: String,
    signature: Vec<u8>,
}

/// What stands in argument #1; nothing after a warning.
fn parts_in(call: &mut Call<'_>, warning: &str) -> Option<Parts> {
    let given: Vec<u8> = call
        .bytes(0)
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let read = |bytes: &[u8]| {
        let mut whole = Reader(bytes).sequence()?;
        let body: Element<'_> = whole.next()?;
        let mut inner = Reader(body.content);
        let (key, challenge) = (inner.next()?, inner.next()?);
        Some(Parts {
            body: body.whole.to_vec(),
            key: key.whole.to_vec(),
            challenge: challenge.content.to_vec(),
            algorithm: whole.sequence()?.identifier()?,
            signature: whole.bits()?.to_vec(),
        })
    };
    let found = decode_base64(&given, true).and_then(|bytes| read(&bytes));
    if found.is_none() {
        let is_empty = call.bytes(0).is_empty();
        let warning = if is_empty { "Invalid SPKAC" } else { warning };
        call.vm.function_warning(warning);
    }
    found
}

const UNDECODED: &str = "Unable to decode supplied SPKAC";

fn verify(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(parts) = parts_in(call, UNDECODED) else {
        return Ok(false.into());
    };
    let Some(key) = Key::read_public(&parts.key) else {
        call.vm
            .function_warning("Unable to acquire signed public key");
        return Ok(false.into());
    };
    let digest: Option<Option<&'static Digest>> = digest_of_signature(&parts.algorithm);
    let is_right = digest
        .and_then(|digest| key.verify(digest, &parts.body, &parts.signature).ok())
        .unwrap_or(false);
    if !is_right {
        errors::push(call.vm, errors::SIGNATURE_FAILURE);
    }
    Ok(is_right.into())
}

fn export(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(parts) = parts_in(call, UNDECODED) else {
        return Ok(false.into());
    };
    if Key::read_public(&parts.key).is_none() {
        call.vm
            .function_warning("Unable to acquire signed public key");
        return Ok(false.into());
    }
    text(call.vm, pem::armoured("PUBLIC KEY", &parts.key))
}

fn export_challenge(call: &mut Call<'_>) -> PhpResult<Value> {
    debug_assert!(matches!(call.value(0).view(), ValueKind::String(_)));
    match parts_in(call, "Unable to decode SPKAC") {
        Some(parts) => text(call.vm, parts.challenge),
        None => Ok(false.into()),
    }
}
