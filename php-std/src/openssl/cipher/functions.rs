//! The functions that encrypt and decrypt.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::{Cipher, Mode, Named, named, names, same};
use crate::openssl::errors::{
    self, CIPHER_OPERATION_FAILED, FAILED_TO_GET_PARAMETER, Failure, INVALID_IV_LENGTH,
    INVALID_TAG, INVALID_TAG_LENGTH, TOO_SMALL_BUFFER, UNSUPPORTED,
};
use crate::standard::strings::encode::{decode_base64, encode_base64};
use crate::support::{functions, list};

functions! {
    "openssl_get_cipher_methods(bool $aliases = false): array" => cipher_methods,
    "openssl_encrypt(#[SensitiveParameter] string $data, string $cipher_algo, #[SensitiveParameter] string $passphrase, int $options = 0, string $iv = \"\", &$tag = null, string $aad = \"\", int $tag_length = 16): string|false" => encrypt,
    "openssl_decrypt(string $data, string $cipher_algo, #[SensitiveParameter] string $passphrase, int $options = 0, string $iv = \"\", ?string $tag = null, string $aad = \"\"): string|false" => decrypt,
    "openssl_cipher_iv_length(string $cipher_algo): int|false" => iv_length,
    "openssl_cipher_key_length(string $cipher_algo): int|false" => key_length,
}

pub(in crate::openssl) const RAW_DATA: i64 = 1;
pub(in crate::openssl) const ZERO_PADDING: i64 = 2;
pub(in crate::openssl) const DONT_ZERO_PAD_KEY: i64 = 4;

/// What a script was told, or will be.
enum Problem {
    /// A warning, and errors in the queue.
    Told(&'static str, Failure),
    /// Errors in the queue alone.
    Noted(Failure),
}

impl From<Failure> for Problem {
    fn from(errors: Failure) -> Problem {
        Problem::Noted(errors)
    }
}

fn cipher_methods(call: &mut Call<'_>) -> PhpResult<Value> {
    let names: Vec<Value> = names(call.bool(0))
        .map(|name| call.vm.string(name).into())
        .collect();
    Ok(list(call.vm, names))
}

/// The cipher that an argument names, or nothing after a warning.
fn found(call: &mut Call<'_>, name: &[u8]) -> Option<Named> {
    let found = named(name);
    if found.is_none() {
        call.vm.function_warning("Unknown cipher algorithm");
    }
    found
}

fn iv_length(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.bytes(0);
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    Ok(match found(call, name) {
        Some(Named::Cipher(cipher)) => (cipher.iv_length() as i64).into(),
        Some(Named::Legacy { iv, .. }) => (iv as i64).into(),
        None => false.into(),
    })
}

fn key_length(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.bytes(0);
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    Ok(match found(call, name) {
        Some(Named::Cipher(cipher)) => (cipher.key_length as i64).into(),
        Some(Named::Legacy { key, .. }) => (key as i64).into(),
        None => false.into(),
    })
}

/// What both directions need: checked and brought to the lengths that the cipher wants.
struct Prepared {
    key: Vec<u8>,
    iv: Vec<u8>,
    padded: bool,
}

/// The initialization vector, as long as the cipher wants it: scripts are told if it was not. That there is
/// none is told of what encrypts.
fn fitted_iv(vm: &mut Vm, cipher: Cipher, iv: &[u8], encrypts: bool) -> Result<Vec<u8>, Problem> {
    let wanted = cipher.iv_length();
    if iv.len() == wanted {
        return Ok(iv.to_vec());
    }
    if cipher.is_authenticated() {
        return match cipher.takes_iv(iv.len()) {
            true => Ok(iv.to_vec()),
            false if cipher.mode == Mode::Ocb => Err(Problem::Told(
                "Setting of IV length for AEAD mode failed",
                &[],
            )),
            false => Err(Problem::Told(
                "Setting of IV length for AEAD mode failed",
                &[INVALID_IV_LENGTH],
            )),
        };
    }
    let given = iv.len();
    match given {
        0 if !encrypts => {}
        0 => vm.function_warning(
            "Using an empty Initialization Vector (iv) is potentially insecure and not recommended",
        ),
        _ if given < wanted => vm.function_warning(format!(
            "IV passed is only {given} bytes long, cipher expects an IV of precisely {wanted} bytes, padding with \\0"
        )),
        _ => vm.function_warning(format!(
            "IV passed is {given} bytes long which is longer than the {wanted} expected by selected cipher, truncating"
        )),
    }
    let mut fitted = iv.to_vec();
    fitted.resize(wanted, 0);
    Ok(fitted)
}

/// Checks a tag's length; the tag itself is there when something is decrypted.
fn check_tag(vm: &mut Vm, cipher: Cipher, length: i64, tag: Option<&[u8]>) -> Result<(), Problem> {
    const LENGTH_FAILED: &str = "Setting tag length for AEAD cipher failed";
    const TAG_FAILED: &str = "Setting tag for AEAD cipher decryption failed";
    let encrypting = tag.is_none();
    let tag = tag.unwrap_or_default();
    match cipher.mode {
        Mode::Ocb if !(0..=16).contains(&length) => {
            return Err(Problem::Told(LENGTH_FAILED, &[INVALID_TAG_LENGTH]));
        }
        Mode::Ccm if encrypting && !matches!(length, 4 | 6 | 8 | 10 | 12 | 14 | 16) => {
            return Err(Problem::Told(LENGTH_FAILED, &[INVALID_TAG_LENGTH]));
        }
        _ => {}
    }
    if tag.is_empty() {
        return Ok(());
    }
    match cipher.mode {
        Mode::Gcm if tag.len() > 16 => Err(Problem::Told(
            TAG_FAILED,
            &[TOO_SMALL_BUFFER, FAILED_TO_GET_PARAMETER],
        )),
        Mode::Ccm if !matches!(tag.len(), 4 | 6 | 8 | 10 | 12 | 14 | 16) => {
            Err(Problem::Told(TAG_FAILED, &[INVALID_TAG_LENGTH]))
        }
        Mode::Poly1305 if tag.len() > 16 => Err(Problem::Told(TAG_FAILED, &[INVALID_TAG_LENGTH])),
        _ if !cipher.is_authenticated() => {
            vm.function_warning(
                "The tag cannot be used because the cipher algorithm does not support AEAD",
            );
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The key, filled up with zeros or cut off.
fn fitted_key(
    vm: &mut Vm,
    cipher: Cipher,
    passphrase: &[u8],
    options: i64,
) -> Result<Vec<u8>, Problem> {
    if passphrase.len() < cipher.key_length && options & DONT_ZERO_PAD_KEY != 0 {
        errors::push(vm, cipher.key_length_error());
        return Err(Problem::Told(
            "Key length cannot be set for the cipher algorithm",
            &[],
        ));
    }
    // Two keys one behind the other are cut off without a word.
    if passphrase.len() > cipher.key_length && cipher.mode != Mode::Xts {
        errors::push(vm, cipher.key_length_error());
    }
    let mut key = passphrase.to_vec();
    key.resize(cipher.key_length, 0);
    Ok(key)
}

/// `length` is that of the tag; `tag` is there when something is decrypted.
fn prepare(
    call: &mut Call<'_>,
    cipher: Cipher,
    length: i64,
    tag: Option<&[u8]>,
) -> Result<Prepared, Problem> {
    let (passphrase, options, iv) = (call.bytes(2), call.long(3), call.bytes(4));
    let iv = fitted_iv(call.vm, cipher, iv, tag.is_none())?;
    check_tag(call.vm, cipher, length, tag)?;
    let key = fitted_key(call.vm, cipher, passphrase, options)?;
    Ok(Prepared {
        key,
        iv,
        padded: options & ZERO_PADDING == 0,
    })
}

/// The result for a script, after what has to be told.
fn told(call: &mut Call<'_>, result: Result<Value, Problem>) -> PhpResult<Value> {
    Ok(match result {
        Ok(value) => value,
        Err(problem) => {
            let errors = match problem {
                Problem::Told(warning, errors) => {
                    call.vm.function_warning(warning);
                    errors
                }
                Problem::Noted(errors) => errors,
            };
            errors::push_all(call.vm, errors);
            false.into()
        }
    })
}

fn cipher(call: &mut Call<'_>) -> Option<Cipher> {
    let name = call.bytes(1);
    match found(call, name)? {
        Named::Cipher(cipher) => Some(cipher),
        Named::Legacy { .. } => {
            errors::push(call.vm, UNSUPPORTED);
            None
        }
    }
}

fn encrypt(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(cipher) = cipher(call) else {
        return Ok(false.into());
    };
    let result = encrypted(call, cipher);
    told(call, result)
}

fn encrypted(call: &mut Call<'_>, cipher: Cipher) -> Result<Value, Problem> {
    let tag_length = call.long(7);
    let prepared = prepare(call, cipher, tag_length, None)?;
    let data = call.bytes(0);
    let wants_tag = call.count() > 5;
    let result = if cipher.is_authenticated() {
        if cipher.mode == Mode::Ocb && tag_length == 0 {
            return Err(Problem::Told(
                "Setting of additional application data failed",
                &[],
            ));
        }
        vm_runtime::limits::reserve(data.len());
        let mut data = data.to_vec();
        let length = tag_length.clamp(0, 16) as usize;
        let (key, iv) = (&prepared.key, &prepared.iv);
        let tag = cipher.authenticate(key, iv, call.bytes(6), &mut data, length, true);
        if !wants_tag {
            return Err(Problem::Told(
                "A tag should be provided when using AEAD mode",
                &[],
            ));
        }
        if !(1..=16).contains(&tag_length) {
            let errors: Failure = match cipher.mode {
                Mode::Poly1305 => &[INVALID_TAG_LENGTH],
                _ => &[INVALID_TAG],
            };
            return Err(Problem::Told("Retrieving verification tag failed", errors));
        }
        let tag = call.vm.string(&tag[..length]);
        call.assign(5, tag.into());
        data
    } else {
        let encrypted = cipher.encrypt(&prepared.key, &prepared.iv, prepared.padded, data)?;
        if wants_tag {
            call.assign(5, Value::NULL);
        }
        encrypted
    };
    let raw = call.long(3) & RAW_DATA != 0;
    Ok(match raw {
        true => call.vm.string(&result).into(),
        false => call.vm.string(encode_base64(&result)).into(),
    })
}

fn decrypt(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(cipher) = cipher(call) else {
        return Ok(false.into());
    };
    let result = decrypted(call, cipher);
    told(call, result)
}

fn decrypted(call: &mut Call<'_>, cipher: Cipher) -> Result<Value, Problem> {
    let mut decoded = None;
    if call.long(3) & RAW_DATA == 0 {
        decoded = decode_base64(call.bytes(0), false);
        if decoded.is_none() {
            return Err(Problem::Told("Failed to base64 decode the input", &[]));
        }
    }
    let data = decoded.as_deref().unwrap_or(call.bytes(0));
    let tag = call.optional_bytes(5).unwrap_or_default();
    let prepared = prepare(call, cipher, tag.len() as i64, Some(tag))?;
    let (key, iv) = (&prepared.key, &prepared.iv);
    if !cipher.is_authenticated() {
        let result = cipher.decrypt(key, iv, prepared.padded, data)?;
        return Ok(call.vm.string(result).into());
    }
    // Without a tag, only ChaCha20 decrypts nevertheless.
    match cipher.mode {
        Mode::Ocb if tag.is_empty() => {
            return Err(Problem::Told(
                "Setting of additional application data failed",
                &[],
            ));
        }
        Mode::Ccm if tag.is_empty() => return Err(Problem::Noted(&[CIPHER_OPERATION_FAILED])),
        Mode::Gcm if tag.is_empty() => return Err(Problem::Noted(&[])),
        _ => {}
    }
    vm_runtime::limits::reserve(data.len());
    let mut data = data.to_vec();
    let right = cipher.authenticate(key, iv, call.bytes(6), &mut data, tag.len(), false);
    if !same(tag, &right[..tag.len()]) {
        return Err(Problem::Noted(match cipher.mode {
            Mode::Ccm => &[CIPHER_OPERATION_FAILED],
            _ => &[],
        }));
    }
    Ok(call.vm.string(&data).into())
}
