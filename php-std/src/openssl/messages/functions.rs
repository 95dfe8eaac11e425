//! The functions: files are read, something is done, and files are written.

use std::rc::Rc;

use vm_runtime::array::KeyRef;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::limits::directories::is_allowed;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::signed::{Distrust, Message, Signing};
use super::{Family, enveloped, flags, mime};
use crate::openssl::certificates::certificate_of;
use crate::openssl::certificates_in;
use crate::openssl::errors;
use crate::openssl::keys::{Half, Key, key_of};
use crate::openssl::pem;
use crate::openssl::x509::store;
use crate::standard::files::path;
use crate::support::{current_function, functions, list, string_of};

functions! {
    "openssl_pkcs7_verify(path $input_filename, int $flags, ?path $signers_certificates_filename = null, array $ca_info = [], ?path $untrusted_certificates_filename = null, ?string $content = null, ?string $output_filename = null): int|bool" => pkcs7_verify,
    "openssl_pkcs7_encrypt(path $input_filename, path $output_filename, $certificate, ?array $headers, int $flags = 0, int $cipher_algo = OPENSSL_CIPHER_AES_128_CBC): bool" => pkcs7_encrypt,
    "openssl_pkcs7_sign(path $input_filename, path $output_filename, OpenSSLCertificate|string $certificate, #[SensitiveParameter] $private_key, ?array $headers, int $flags = PKCS7_DETACHED, ?path $untrusted_certificates_filename = null): bool" => pkcs7_sign,
    "openssl_pkcs7_decrypt(path $input_filename, path $output_filename, #[SensitiveParameter] $certificate, #[SensitiveParameter] $private_key = null): bool" => pkcs7_decrypt,
    "openssl_pkcs7_read(string $data, &$certificates): bool" => pkcs7_read,
    "openssl_cms_verify(path $input_filename, int $flags = 0, ?path $certificates = null, array $ca_info = [], ?path $untrusted_certificates_filename = null, ?string $content = null, ?string $pk7 = null, ?string $sigfile = null, int $encoding = OPENSSL_ENCODING_SMIME): bool" => cms_verify,
    "openssl_cms_encrypt(path $input_filename, path $output_filename, $certificate, ?array $headers, int $flags = 0, int $encoding = OPENSSL_ENCODING_SMIME, int $cipher_algo = OPENSSL_CIPHER_AES_128_CBC): bool" => cms_encrypt,
    "openssl_cms_sign(path $input_filename, path $output_filename, OpenSSLCertificate|string $certificate, #[SensitiveParameter] $private_key, ?array $headers, int $flags = 0, int $encoding = OPENSSL_ENCODING_SMIME, ?path $untrusted_certificates_filename = null): bool" => cms_sign,
    "openssl_cms_decrypt(path $input_filename, path $output_filename, #[SensitiveParameter] $certificate, #[SensitiveParameter] $private_key = null, int $encoding = OPENSSL_ENCODING_SMIME): bool" => cms_decrypt,
    "openssl_cms_read(path $input_filename, &$certificates): bool" => cms_read,
}

const DER: i64 = 0;
const SMIME: i64 = 1;
const PEM: i64 = 2;

pub(in crate::openssl) const CONSTANTS: &[(&str, i64)] = &[
    ("PKCS7_DETACHED", 64),
    ("PKCS7_TEXT", 1),
    ("PKCS7_NOINTERN", 16),
    ("PKCS7_NOVERIFY", 32),
    ("PKCS7_NOCHAIN", 8),
    ("PKCS7_NOCERTS", 2),
    ("PKCS7_NOATTR", 256),
    ("PKCS7_BINARY", 128),
    ("PKCS7_NOSIGS", 4),
    ("PKCS7_NOOLDMIMETYPE", 1024),
    ("OPENSSL_CMS_DETACHED", 64),
    ("OPENSSL_CMS_TEXT", 1),
    ("OPENSSL_CMS_NOINTERN", 16),
    ("OPENSSL_CMS_NOVERIFY", 32),
    ("OPENSSL_CMS_NOCERTS", 2),
    ("OPENSSL_CMS_NOATTR", 256),
    ("OPENSSL_CMS_BINARY", 128),
    ("OPENSSL_CMS_NOSIGS", 12),
    ("OPENSSL_CMS_OLDMIMETYPE", 1024),
    ("OPENSSL_CIPHER_RC2_40", 0),
    ("OPENSSL_CIPHER_RC2_128", 1),
    ("OPENSSL_CIPHER_RC2_64", 2),
    ("OPENSSL_CIPHER_DES", 3),
    ("OPENSSL_CIPHER_AES_192_CBC", 6),
    ("OPENSSL_ENCODING_DER", DER),
    ("OPENSSL_ENCODING_SMIME", SMIME),
    ("OPENSSL_ENCODING_PEM", PEM),
];

/// The contents of the file that an argument names; nothing if it cannot be read.
fn file(call: &mut Call<'_>, index: usize) -> PhpResult<Option<Vec<u8>>> {
    let Some(name) = call.optional_bytes(index) else {
        return Ok(None);
    };
    let function = current_function(call.vm);
    if !is_allowed(call.vm, name, &function)? {
        return Ok(None);
    }
    let read = limits::read_file(&path(name)).ok();
    if read.is_none() {
        errors::push_all(call.vm, &[errors::NO_SUCH_FILE, errors::BIO_NO_SUCH_FILE]);
    }
    Ok(read)
}

/// Writes the file that an argument names; false if that failed.
fn write(call: &mut Call<'_>, index: usize, bytes: &[u8]) -> PhpResult<bool> {
    let Some(name) = call.optional_bytes(index) else {
        return Ok(true);
    };
    let function = current_function(call.vm);
    if !is_allowed(call.vm, name, &function)? {
        return Ok(false);
    }
    let is_done = limits::write_file(&path(name), bytes).is_ok();
    if !is_done {
        errors::push_all(call.vm, &[errors::NO_SUCH_FILE, errors::BIO_NO_SUCH_FILE]);
    }
    Ok(is_done)
}

fn shown(call: &mut Call<'_>, index: usize) -> String {
    vm_runtime::message::text(call.bytes(index)).into_owned()
}

/// A warning and false.
fn refuse(call: &mut Call<'_>, warning: impl Into<String>) -> PhpResult<Value> {
    call.vm.check()?;
    call.vm.function_warning(warning.into());
    call.vm.check()?;
    Ok(false.into())
}

/// Header lines that a script wants in front of a message.
fn headers(call: &mut Call<'_>, index: usize) -> PhpResult<Vec<u8>> {
    let mut text = Vec::new();
    if !call.has(index) {
        return Ok(text);
    }
    let given = call.array(index);
    for (key, value) in given.iter() {
        let value = Value::share(value.deref());
        let value = string_of(call.vm, &value)?.to_vec();
        if let KeyRef::String(key) = key {
            text.extend_from_slice(key.as_bytes());
            text.extend_from_slice(b": ");
        }
        text.extend_from_slice(&value);
        text.push(b'\n');
    }
    Ok(text)
}

/// A message as an encoding has it.
fn encoded(message: &[u8], encoding: i64, mail: impl FnOnce() -> Vec<u8>) -> Option<Vec<u8>> {
    match encoding {
        DER => Some(message.to_vec()),
        SMIME => Some(mail()),
        PEM => Some(pem::armoured("CMS", message)),
        _ => None,
    }
}

/// Reads a message as an encoding has it.
fn decoded(text: &[u8], encoding: i64) -> Option<mime::Read> {
    let alone = |message| mime::Read {
        message,
        content: None,
    };
    match encoding {
        DER => Some(alone(text.to_vec())),
        SMIME => mime::read(text),
        PEM => mime::read_armoured(text).map(alone),
        _ => None,
    }
}

fn pkcs7_sign(call: &mut Call<'_>) -> PhpResult<Value> {
    let flags = call.long(5);
    sign(call, Family::Pkcs7, flags, SMIME, 6)
}

fn cms_sign(call: &mut Call<'_>) -> PhpResult<Value> {
    let (flags, encoding) = (call.long(5), call.long(6));
    if encoding == SMIME && flags & flags::DETACHED != 0 {
        return refuse(
            call,
            "Detached signatures not possible with S/MIME encoding",
        );
    }
    sign(call, Family::Cms, flags, encoding, 7)
}

fn sign(
    call: &mut Call<'_>,
    family: Family,
    given: i64,
    encoding: i64,
    more: usize,
) -> PhpResult<Value> {
    let mut others = Vec::new();
    if call.has(more) {
        let Some(text) = file(call, more)? else {
            return Ok(false.into());
        };
        others = certificates_in(&text);
    }
    let key = call.value(3);
    let Some(key) = key_of(call, 3, &key, Half::Private, b"")? else {
        return refuse(call, "Error getting private key");
    };
    let certificate = call.value(2);
    let Some(certificate) = certificate_of(call, 2, &certificate)? else {
        return refuse(call, "X.509 Certificate cannot be retrieved");
    };
    let Some(content) = file(call, 0)? else {
        let name = shown(call, 0);
        return refuse(call, format!("Error opening input file {name}!"));
    };
    let content = mime::canonical(&content, given);
    let signing = Signing {
        family,
        certificate: &certificate,
        key: &key,
        others: &others,
        flags: given,
    };
    let message = match signing.message(&content) {
        Ok(message) => message,
        Err(problems) => {
            errors::push_all(call.vm, problems);
            let what = match family {
                Family::Pkcs7 => "Error creating PKCS7 structure!",
                Family::Cms => "Error creating CMS structure",
            };
            return refuse(call, what);
        }
    };
    let mut text = match encoding {
        SMIME => headers(call, 4)?,
        _ => Vec::new(),
    };
    let mail = || match given & flags::DETACHED {
        0 => mime::alone(family, &message, "signed-data", given),
        _ => mime::detached(family, &message, &content, given),
    };
    let Some(written) = encoded(&message, encoding, mail) else {
        return refuse(call, "Unknown OPENSSL encoding");
    };
    text.extend(written);
    if !write(call, 1, &text)? {
        let name = shown(call, 1);
        return refuse(call, format!("Error opening output file {name}!"));
    }
    Ok(true.into())
}

/// What is trusted: files and folders in an argument, or what the system has.
fn trusted(call: &mut Call<'_>, index: usize) -> PhpResult<Vec<Vec<u8>>> {
    let places = call.array(index);
    if places.is_empty() {
        return Ok(store::of_system());
    }
    store::of_places(call, index, &places)
}

/// What a verification is about, besides the message.
struct Asked {
    family: Family,
    flags: i64,
    encoding: i64,
    /// Arguments: where signers, the content and the message go.
    signers: usize,
    content: usize,
    message: usize,
    /// The content of a detached signature in a file of its own.
    detached: Option<Vec<u8>>,
}

/// Verifies what is in a file: nothing if that cannot even be looked at.
fn verify(call: &mut Call<'_>, asked: &Asked, input: &[u8]) -> PhpResult<Option<bool>> {
    let mut others = Vec::new();
    if call.has(4) {
        let Some(text) = file(call, 4)? else {
            return Ok(None);
        };
        others = certificates_in(&text);
    }
    let trusted = trusted(call, 3)?;
    let Some(read) = decoded(input, asked.encoding) else {
        return Ok(None);
    };
    let Some(message) = Message::of(&read.message) else {
        return Ok(None);
    };
    let content = [&read.content, &message.content, &asked.detached];
    let content = content.into_iter().flatten().next();
    let outcome = match content {
        Some(content) => message.verify(content, &others, &trusted, asked.flags),
        None => Err(Distrust::NoContent),
    };
    if let Err(distrust) = outcome {
        errors::push_all(call.vm, words(asked.family, distrust));
        return Ok(Some(false));
    }
    let signers = message.signers(&others, asked.flags).unwrap_or_default();
    let text: Vec<u8> = signers
        .iter()
        .flat_map(|signer| pem::armoured("CERTIFICATE", signer))
        .collect();
    let mut is_written = !call.has(asked.signers) || write(call, asked.signers, &text)?;
    if call.has(asked.content)
        && let Some(content) = content
    {
        let content = match asked.flags & flags::TEXT {
            0 => Some(content.as_slice()),
            _ => mime::plain_text(content),
        };
        is_written &= match content {
            Some(content) => write(call, asked.content, content)?,
            None => false,
        };
    }
    if call.has(asked.message) {
        let label = match asked.family {
            Family::Pkcs7 => "PKCS7",
            Family::Cms => "CMS",
        };
        is_written &= write(call, asked.message, &pem::armoured(label, &read.message))?;
    }
    Ok(Some(is_written))
}

/// Why a message is not to be trusted, in OpenSSL's words.
fn words(family: Family, distrust: Distrust) -> errors::Failure {
    match (family, distrust) {
        (Family::Pkcs7, Distrust::NoContent) => &["1080007A:PKCS7 routines::no content"],
        (Family::Pkcs7, Distrust::NoSigner) => {
            &["10800080:PKCS7 routines::signer certificate not found"]
        }
        (Family::Pkcs7, Distrust::Chain) => &["10800075:PKCS7 routines::certificate verify error"],
        (Family::Pkcs7, Distrust::Digest) => &[
            "10800065:PKCS7 routines::digest failure",
            "10800069:PKCS7 routines::signature failure",
        ],
        (Family::Pkcs7, Distrust::Signature) => &["10800069:PKCS7 routines::signature failure"],
        (Family::Cms, Distrust::NoContent) => &["1700007F:CMS routines::no content"],
        (Family::Cms, Distrust::NoSigner) => {
            &["1700008A:CMS routines::signer certificate not found"]
        }
        (Family::Cms, Distrust::Chain) => &["17000064:CMS routines::certificate verify error"],
        (Family::Cms, Distrust::Digest) => &[
            "1700009E:CMS routines::verification failure",
            "1700006D:CMS routines::content verify error",
        ],
        (Family::Cms, Distrust::Signature) => &["1700009E:CMS routines::verification failure"],
    }
}

fn pkcs7_verify(call: &mut Call<'_>) -> PhpResult<Value> {
    let asked = Asked {
        family: Family::Pkcs7,
        flags: call.long(1),
        encoding: SMIME,
        signers: 2,
        content: 5,
        message: 6,
        detached: None,
    };
    let Some(input) = file(call, 0)? else {
        return Ok((-1i64).into());
    };
    match verify(call, &asked, &input)? {
        Some(is_right) => Ok(is_right.into()),
        None => Ok((-1i64).into()),
    }
}

fn cms_verify(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(mut input) = file(call, 0)? else {
        return Ok(false.into());
    };
    let mut asked = Asked {
        family: Family::Cms,
        flags: call.long(1) & !0x8,
        encoding: call.long(8),
        signers: 2,
        content: 5,
        message: 6,
        detached: None,
    };
    if asked.flags & flags::DETACHED != 0 && asked.encoding != SMIME {
        if !call.has(7) {
            return Ok(false.into());
        }
        let Some(signature) = file(call, 7)? else {
            return Ok(false.into());
        };
        let content = std::mem::replace(&mut input, signature);
        asked.detached = Some(mime::canonical(&content, asked.flags & flags::BINARY));
    }
    Ok(verify(call, &asked, &input)?.unwrap_or(false).into())
}

fn pkcs7_encrypt(call: &mut Call<'_>) -> PhpResult<Value> {
    let (flags, cipher) = (call.long(4), call.long(5));
    encrypt(call, Family::Pkcs7, flags, SMIME, cipher)
}

fn cms_encrypt(call: &mut Call<'_>) -> PhpResult<Value> {
    let (flags, encoding, cipher) = (call.long(4), call.long(5), call.long(6));
    encrypt(call, Family::Cms, flags, encoding, cipher)
}

fn encrypt(
    call: &mut Call<'_>,
    family: Family,
    given: i64,
    encoding: i64,
    cipher: i64,
) -> PhpResult<Value> {
    let Some(content) = file(call, 0)? else {
        return Ok(false.into());
    };
    let wanted = call.value(2);
    let wanted: Vec<Value> = match wanted.array() {
        Some(all) => all
            .iter()
            .map(|(_, one)| Value::share(one.deref()))
            .collect(),
        None => vec![wanted],
    };
    let mut certificates: Vec<Rc<[u8]>> = Vec::new();
    for one in wanted {
        let is_text = matches!(one.view(), ValueKind::String(_) | ValueKind::Object(_));
        let found = match is_text {
            true => certificate_of(call, 2, &one)?,
            false => None,
        };
        let Some(found) = found else {
            return Ok(false.into());
        };
        certificates.push(found);
    }
    let Some(cipher) = enveloped::cipher(cipher) else {
        return refuse(call, "Failed to get cipher");
    };
    let content = mime::canonical(&content, given);
    let is_beside = family == Family::Cms && given & flags::DETACHED != 0;
    let message = match enveloped::message(&content, &certificates, cipher, is_beside) {
        Ok(message) => message,
        Err(problems) => {
            errors::push_all(call.vm, problems);
            return Ok(false.into());
        }
    };
    let mut text = match encoding {
        SMIME => headers(call, 3)?,
        _ => Vec::new(),
    };
    let mail = || mime::alone(family, &message, "enveloped-data", given);
    let Some(written) = encoded(&message, encoding, mail) else {
        return refuse(call, "Unknown OPENSSL encoding");
    };
    text.extend(written);
    Ok(write(call, 1, &text)?.into())
}

fn pkcs7_decrypt(call: &mut Call<'_>) -> PhpResult<Value> {
    decrypt(call, SMIME)
}

fn cms_decrypt(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = call.long(4);
    decrypt(call, encoding)
}

fn decrypt(call: &mut Call<'_>, encoding: i64) -> PhpResult<Value> {
    let given = call.value(2);
    let Some(certificate) = certificate_of(call, 2, &given)? else {
        return refuse(call, "X.509 Certificate cannot be retrieved");
    };
    let key = match call.has(3) {
        true => call.value(3),
        false => given,
    };
    let Some(key): Option<Rc<Key>> = key_of(call, 3, &key, Half::Private, b"")? else {
        return refuse(call, "Unable to get private key");
    };
    let Some(input) = file(call, 0)? else {
        return Ok(false.into());
    };
    let opened = decoded(&input, encoding)
        .and_then(|read| enveloped::opened(&read.message, Some(&certificate), &key));
    match opened {
        Some(content) => Ok(write(call, 1, &content)?.into()),
        None => {
            // The file is there before it is known that nothing comes.
            write(call, 1, b"")?;
            Ok(false.into())
        }
    }
}

fn pkcs7_read(call: &mut Call<'_>) -> PhpResult<Value> {
    let text = call.bytes(0).to_vec();
    read(call, &text)
}

fn cms_read(call: &mut Call<'_>) -> PhpResult<Value> {
    let text = call.bytes(0).to_vec();
    read(call, &text)
}

/// Gives out the certificates in a message, and the lists of revoked ones.
fn read(call: &mut Call<'_>, text: &[u8]) -> PhpResult<Value> {
    let Some(bytes) = mime::read_armoured(text) else {
        errors::push(call.vm, errors::PEM_NO_START_LINE);
        return Ok(false.into());
    };
    let Some(message) = Message::of(&bytes) else {
        return Ok(false.into());
    };
    let certificates = message
        .certificates
        .iter()
        .map(|one| pem::armoured("CERTIFICATE", one));
    let lists = message
        .lists
        .iter()
        .map(|one| pem::armoured("X509 CRL", one));
    let all: Vec<Value> = certificates
        .chain(lists)
        .map(|text| call.vm.string(text).into())
        .collect();
    let all = list(call.vm, all);
    call.assign(1, all);
    call.vm.check()?;
    Ok(true.into())
}
