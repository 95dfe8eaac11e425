//! The extension `openssl`: ciphers, digests, keys, certificates and messages, without OpenSSL: crates do the
//! arithmetic. What OpenSSL would say of what fails is said in its words ([`errors`]).

mod certificates;
mod cipher;
mod configuration;
mod der;
mod digest;
mod digits;
mod errors;
mod keys;
mod messages;
mod pem;
mod pkcs12;
mod requests;
pub(crate) mod x509;

use vm_runtime::class::NativeClass;
use vm_runtime::function::Call;
use vm_runtime::ini::{IniDefinition, access};
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{define, define_one, functions};

functions! {
    "openssl_error_string(): string|false" => errors::error_string,
    "openssl_random_pseudo_bytes(int $length, &$strong_result = null): string" => random_pseudo_bytes,
    "openssl_get_cert_locations(): array" => certificate_locations,
}

const fn setting(name: &'static str) -> IniDefinition {
    IniDefinition {
        name,
        default: None,
        access: access::DIRECTORY & !access::SYSTEM,
        on_change: None,
    }
}

static SETTINGS: &[IniDefinition] = &[setting("openssl.cafile"), setting("openssl.capath")];

/// The version whose behaviour this is.
const VERSION: &str = "OpenSSL 3.5.7 9 Jun 2026";

const STREAM_CIPHERS: &str = "ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES256-GCM-SHA384:DHE-RSA-AES128-GCM-SHA256:DHE-DSS-AES128-GCM-SHA256:kEDH+AESGCM:ECDHE-RSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA:ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES256-SHA384:ECDHE-ECDSA-AES256-SHA384:ECDHE-RSA-AES256-SHA:ECDHE-ECDSA-AES256-SHA:DHE-RSA-AES128-SHA256:DHE-RSA-AES128-SHA:DHE-DSS-AES128-SHA256:DHE-RSA-AES256-SHA256:DHE-DSS-AES256-SHA:DHE-RSA-AES256-SHA:AES128-GCM-SHA256:AES256-GCM-SHA384:AES128:AES256:HIGH:!SSLv2:!aNULL:!eNULL:!EXPORT:!DES:!MD5:!RC4:!ADH";

const CONSTANTS: &[(&str, i64)] = &[
    ("OPENSSL_VERSION_NUMBER", 810_549_360),
    ("OPENSSL_TLSEXT_SERVER_NAME", 1),
    ("OPENSSL_ALGO_SHA1", 1),
    ("OPENSSL_ALGO_MD5", 2),
    ("OPENSSL_ALGO_MD4", 3),
    ("OPENSSL_ALGO_SHA224", 6),
    ("OPENSSL_ALGO_SHA256", 7),
    ("OPENSSL_ALGO_SHA384", 8),
    ("OPENSSL_ALGO_SHA512", 9),
    ("OPENSSL_ALGO_RMD160", 10),
    ("OPENSSL_PKCS1_PADDING", 1),
    ("OPENSSL_NO_PADDING", 3),
    ("OPENSSL_PKCS1_OAEP_PADDING", 4),
    ("OPENSSL_CIPHER_3DES", 4),
    ("OPENSSL_CIPHER_AES_128_CBC", 5),
    ("OPENSSL_CIPHER_AES_192_CBC", 6),
    ("OPENSSL_CIPHER_AES_256_CBC", 7),
    ("OPENSSL_KEYTYPE_RSA", 0),
    ("OPENSSL_KEYTYPE_DSA", 1),
    ("OPENSSL_KEYTYPE_DH", 2),
    ("OPENSSL_KEYTYPE_EC", 3),
    ("OPENSSL_KEYTYPE_X25519", 4),
    ("OPENSSL_KEYTYPE_ED25519", 5),
    ("OPENSSL_KEYTYPE_X448", 6),
    ("OPENSSL_KEYTYPE_ED448", 7),
    ("OPENSSL_RAW_DATA", 1),
    ("OPENSSL_ZERO_PADDING", 2),
    ("OPENSSL_DONT_ZERO_PAD_KEY", 4),
];

#[cfg(feature = "sodium")]
pub(crate) use cipher::authenticated;

#[cfg(feature = "tls")]
pub(crate) use certificates::wrapped as certificate_object;

/// The certificates in an armoured text.
pub(crate) fn certificates_in(text: &[u8]) -> Vec<Vec<u8>> {
    let blocks = pem::blocks(text);
    let found = blocks
        .iter()
        .filter(|block| certificates::is_label(&block.label));
    found.filter_map(|block| block.bytes(b"")).collect()
}

/// The private key in an armoured text, in PKCS #8, if it belongs to a certificate. Nothing there if it does not
/// belong to it; no key at all is an error.
#[cfg(feature = "tls")]
pub(crate) fn private_key_for(
    certificate: &[u8],
    text: &[u8],
    passphrase: &[u8],
) -> Result<Option<Vec<u8>>, ()> {
    let key = keys::private_in(text, passphrase).map_err(drop)?;
    let public = keys::public_key_of(certificate);
    let belongs = public.is_some_and(|public| public.matches(&key));
    Ok(key.written_private().filter(|_| belongs))
}

/// A digest by its name.
#[cfg(feature = "tls")]
pub(crate) fn digest_of(name: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
    digest::Digest::named(name)?.of(&[bytes])
}

/// A signature by a private key in an armoured text; nothing if there is no such key.
#[cfg(feature = "phar")]
pub(crate) fn signed(key: &[u8], digest: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
    let key = keys::private_in(key, b"").ok()?;
    key.sign(digest::Digest::named(digest), bytes).ok()
}

/// Whether a signature is right by a public key in an armoured text; nothing if there is no such key.
#[cfg(feature = "phar")]
pub(crate) fn is_signed(key: &[u8], digest: &[u8], bytes: &[u8], signature: &[u8]) -> Option<bool> {
    let key = keys::public_in(key)?;
    let is_right = key.verify(digest::Digest::named(digest), bytes, signature);
    Some(is_right.unwrap_or(false))
}

static CLASSES: &[&NativeClass] = &[&certificates::CLASS, &keys::CLASS, &requests::CLASS];

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(SETTINGS);
    vm.register_functions(FUNCTIONS);
    vm.register_functions(cipher::FUNCTIONS);
    vm.register_functions(digest::FUNCTIONS);
    vm.register_functions(keys::FUNCTIONS);
    vm.register_functions(certificates::FUNCTIONS);
    vm.register_functions(x509::FUNCTIONS);
    vm.register_functions(x509::CHAINS);
    vm.register_functions(pkcs12::FUNCTIONS);
    vm.register_functions(messages::FUNCTIONS);
    vm.register_functions(requests::FUNCTIONS);
    vm.register_functions(requests::SIGNED_KEYS);
    vm.register_classes(CLASSES);
    let version = vm.string(VERSION).into();
    define_one(vm, "OPENSSL_VERSION_TEXT", version);
    define(vm, CONSTANTS);
    define(vm, x509::CONSTANTS);
    define(vm, messages::CONSTANTS);
    let ciphers = vm.string(STREAM_CIPHERS).into();
    define_one(vm, "OPENSSL_DEFAULT_STREAM_CIPHERS", ciphers);
}

/// Fills a buffer with bytes that nobody can predict.
fn random_bytes(target: &mut [u8]) {
    crate::random::fill_secure(target).expect("the system's random numbers");
}

/// Writes what a function exports to a file, and says whether that went well.
fn write_file(call: &mut Call<'_>, path: &[u8], text: &[u8]) -> PhpResult<Value> {
    use std::os::unix::ffi::OsStrExt;
    let function = crate::support::current_function(call.vm);
    if !vm_runtime::limits::directories::is_allowed(call.vm, path, &function)? {
        return Ok(false.into());
    }
    let path = path.strip_prefix(b"file://").unwrap_or(path);
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(path));
    match vm_runtime::limits::write_file(path, text) {
        Ok(()) => Ok(true.into()),
        Err(_) => {
            let path = path.display();
            call.vm
                .function_warning(format!("Error opening file {path}"));
            errors::push_all(call.vm, &[errors::NO_SUCH_FILE, errors::BIO_NO_SUCH_FILE]);
            Ok(false.into())
        }
    }
}

fn random_pseudo_bytes(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = call.long(0);
    if length <= 0 {
        return Err(call.value_error(0, "must be greater than 0"));
    }
    if length > i64::from(i32::MAX) {
        return Err(call.value_error(0, "must be less than or equal to 2147483647"));
    }
    vm_runtime::limits::reserve(length as usize);
    let mut bytes = vec![0; length as usize];
    random_bytes(&mut bytes);
    call.assign(1, true.into());
    Ok(call.vm.string(&bytes).into())
}

/// Where OpenSSL looks for certificates: as Debian builds it.
const LOCATIONS: [(&str, &str); 6] = [
    ("default_cert_file", "/usr/lib/ssl/cert.pem"),
    ("default_cert_file_env", "SSL_CERT_FILE"),
    ("default_cert_dir", "/usr/lib/ssl/certs"),
    ("default_cert_dir_env", "SSL_CERT_DIR"),
    ("default_private_dir", "/usr/lib/ssl/private"),
    ("default_default_cert_area", "/usr/lib/ssl"),
];

fn certificate_locations(call: &mut Call<'_>) -> PhpResult<Value> {
    let vm = &mut *call.vm;
    let mut array = vm.new_array();
    for (name, path) in LOCATIONS {
        let path = vm.string(path).into();
        array.make_mut(vm).set_bytes(name.as_bytes(), path);
    }
    for (name, setting) in [
        ("ini_cafile", "openssl.cafile"),
        ("ini_capath", "openssl.capath"),
    ] {
        let value = vm.ini.text(setting).to_vec();
        let value = vm.string(value).into();
        array.make_mut(vm).set_bytes(name.as_bytes(), value);
    }
    Ok(array.into())
}
