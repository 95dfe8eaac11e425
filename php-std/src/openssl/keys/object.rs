//! Keys as objects of scripts, and what else scripts give where a key is wanted.

use std::any::Any;
use std::rc::Rc;

use vm_runtime::class::{NativeClass, NativeHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::{Ec, Key, Rsa, decrypted};
use crate::openssl::der::Reader;
use crate::openssl::errors::{
    self, BAD_DECRYPT, BIO_NO_SUCH_FILE, DECODER_UNSUPPORTED, NO_SUCH_FILE, PEM_BAD_DECRYPT,
    PKCS12_CIPHER_FINAL,
};
use crate::openssl::pem;

pub(in crate::openssl) const FLAGS: u32 =
    class_flags::NO_DYNAMIC_PROPERTIES | class_flags::NOT_SERIALIZABLE | class_flags::NOT_CLONEABLE;

pub(in crate::openssl) static CLASS: NativeClass =
    NativeClass::new("final class OpenSSLAsymmetricKey")
        .flags(FLAGS)
        .handlers(&NativeHandlers {
            made_by: Some("openssl_pkey_new()"),
            ..NativeHandlers::STANDARD
        })
        .create_native(|_, _| Some(Box::<Native>::default()));

/// The native part of a key.
#[derive(Default)]
struct Native(Option<Rc<Key>>);

impl NativeData for Native {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, _: &mut dyn FnMut(&vm_runtime::value::Zval)) {}
}

/// The key in an object.
pub(in crate::openssl) fn held(object: &PhpObject) -> Option<Rc<Key>> {
    object.native::<Native>()?.0.clone()
}

/// An object of a key.
pub(in crate::openssl) fn wrapped(vm: &mut Vm, key: Key) -> PhpResult<Value> {
    let Some(class) = vm.linked_class(b"opensslasymmetrickey") else {
        return Ok(Value::NULL);
    };
    let object = new_object(vm, class)?;
    if let Some(native) = object.native::<Native>() {
        native.0 = Some(Rc::new(key));
    }
    Ok(object.into())
}

/// What stands in front of the paths of files.
const SCHEME: &[u8] = b"file://";

/// Paths of the system are shorter.
const LONGEST_PATH: usize = 4096;

/// Whether a file of that name can be meant: paths of the system are shorter than some. Else that is told.
pub(in crate::openssl) fn check_length(call: &mut Call<'_>, index: usize, path: &[u8]) -> bool {
    if path.len() < LONGEST_PATH {
        return true;
    }
    let parameter = call.function().parameter_name(index as u32);
    let parameter = parameter.unwrap_or_default();
    let function = crate::support::current_function(call.vm);
    call.vm.warning(format!(
        "{function}({parameter}): must be a valid file path"
    ));
    false
}

/// Whether a text is the path of a file with a NUL byte in it.
pub(in crate::openssl) fn is_cut_off(text: &[u8]) -> bool {
    text.starts_with(SCHEME) && text.contains(&0)
}

/// What a script gave as a key or certificate: the text itself, or that of the file that it names.
pub(in crate::openssl) fn text_of(
    call: &mut Call<'_>,
    index: usize,
    given: &[u8],
) -> PhpResult<Option<Vec<u8>>> {
    let Some(path) = given.strip_prefix(SCHEME) else {
        return Ok(Some(given.to_vec()));
    };
    if is_cut_off(given) {
        return Err(call.value_error(index, "must not contain any null bytes"));
    }
    if !check_length(call, index, path) {
        return Ok(None);
    }
    let function = crate::support::current_function(call.vm);
    if !vm_runtime::limits::directories::is_allowed(call.vm, path, &function)? {
        return Ok(None);
    }
    use std::os::unix::ffi::OsStrExt;
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(path));
    match vm_runtime::limits::read_file(path) {
        Ok(text) => Ok(Some(text)),
        Err(_) => {
            errors::push_all(call.vm, &[NO_SUCH_FILE, BIO_NO_SUCH_FILE]);
            Ok(None)
        }
    }
}

/// The public key of a certificate or signing request, whose outer part this is.
pub(in crate::openssl) fn public_key_of(certificate: &[u8]) -> Option<Key> {
    let mut reader = Reader(certificate).sequence()?;
    let mut body = reader.sequence()?;
    let _version = body.expect(0xa0);
    // The number may be negative, which it should not be.
    body.expect(crate::openssl::der::INTEGER)?;
    // The algorithm, who issued it, how long it is valid, whose it is.
    for _ in 0..4 {
        body.next()?;
    }
    Key::read_public(body.next()?.whole)
}

pub(in crate::openssl) fn public_in(text: &[u8]) -> Option<Key> {
    let blocks = pem::blocks(text);
    let certificate = blocks
        .iter()
        .find(|block| block.label.ends_with("CERTIFICATE"));
    if let Some(key) = certificate.and_then(|block| public_key_of(&block.bytes(b"")?)) {
        return Some(key);
    }
    let block = blocks.iter().find(|block| block.label == "PUBLIC KEY")?;
    Key::read_public(&block.bytes(b"")?)
}

pub(in crate::openssl) fn private_in(
    text: &[u8],
    passphrase: &[u8],
) -> Result<Key, errors::Failure> {
    const UNSUPPORTED: errors::Failure = &[DECODER_UNSUPPORTED];
    // Two ways are tried.
    const WRONG: errors::Failure = &[
        BAD_DECRYPT,
        PKCS12_CIPHER_FINAL,
        BAD_DECRYPT,
        PKCS12_CIPHER_FINAL,
    ];
    for block in pem::blocks(text) {
        let wrong: errors::Failure = &[BAD_DECRYPT, PEM_BAD_DECRYPT];
        let found = match block.label.as_str() {
            "PRIVATE KEY" => block
                .bytes(passphrase)
                .and_then(|bytes| Key::read_private(&bytes)),
            "ENCRYPTED PRIVATE KEY" => {
                let encrypted = block.bytes(passphrase).ok_or(UNSUPPORTED)?;
                let plain = decrypted(&encrypted, passphrase).ok_or(WRONG)?;
                Key::read_private(&plain)
            }
            "RSA PRIVATE KEY" => {
                let bytes = block.bytes(passphrase).ok_or(wrong)?;
                Rsa::read_private(&bytes).map(Key::Rsa)
            }
            "EC PRIVATE KEY" => {
                let bytes = block.bytes(passphrase).ok_or(wrong)?;
                Ec::read_private(&bytes, None).map(Key::Ec)
            }
            _ => continue,
        };
        return found.ok_or(UNSUPPORTED);
    }
    Err(UNSUPPORTED)
}

/// Which half of a key is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::openssl) enum Half {
    Public,
    Private,
}

/// The key that an argument gives, or nothing, and then the reasons are told.
pub(in crate::openssl) fn key_of(
    call: &mut Call<'_>,
    index: usize,
    given: &Value,
    half: Half,
    passphrase: &[u8],
) -> PhpResult<Option<Rc<Key>>> {
    let mut passphrase = passphrase.to_vec();
    let mut given = Value::share(given);
    if let ValueKind::Array(pair) = given.view() {
        let (Some(key), Some(phrase)) = (pair.get_long(0), pair.get_long(1)) else {
            let message = "Key array must be of the form array(0 => key, 1 => phrase)";
            return Err(call.vm.throw_error(KnownClass::ValueError, message));
        };
        let (key, phrase) = (Value::share(key.deref()), Value::share(phrase.deref()));
        passphrase = crate::support::string_of(call.vm, &phrase)?.to_vec();
        given = key;
    }
    if let ValueKind::Object(object) = given.view() {
        if let Some(key) = held(object) {
            return Ok(match (half, key.is_private()) {
                (Half::Private, false) => {
                    call.vm
                        .function_warning("Supplied key param is a public key");
                    None
                }
                (Half::Public, true) => {
                    let message = "Don't know how to get public key from this private key";
                    call.vm.function_warning(message);
                    None
                }
                _ => Some(key),
            });
        }
        if half == Half::Public
            && let Some(certificate) = crate::openssl::certificates::held(object)
        {
            return Ok(public_key_of(&certificate).map(Rc::new));
        }
    }
    if !matches!(given.view(), ValueKind::String(_) | ValueKind::Object(_)) {
        return Ok(None);
    }
    let text = crate::support::string_of(call.vm, &given)?.to_vec();
    let Some(text) = text_of(call, index, &text)? else {
        return Ok(None);
    };
    let found = match half {
        Half::Public => public_in(&text).ok_or(&[DECODER_UNSUPPORTED] as errors::Failure),
        Half::Private => private_in(&text, &passphrase),
    };
    match found {
        Ok(key) => Ok(Some(Rc::new(key))),
        Err(problems) => {
            errors::push_all(call.vm, problems);
            Ok(None)
        }
    }
}

/// As [`key_of`], for an argument.
pub(in crate::openssl) fn key_in(
    call: &mut Call<'_>,
    index: usize,
    half: Half,
) -> PhpResult<Option<Rc<Key>>> {
    let given = call.value(index);
    key_of(call, index, &given, half, b"")
}
