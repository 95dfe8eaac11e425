//! The functions that make keys, read them and write them.

use vm_runtime::array::PhpArray;
use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::object::{Half, check_length, held, key_in, key_of, wrapped};
use super::{Key, curve, made, use_of};
use crate::openssl::cipher::Cipher;
use crate::openssl::pem;
use crate::standard::files::check_path;
use crate::support::{functions, list};

functions! {
    "openssl_pkey_new(?array $options = null): OpenSSLAsymmetricKey|false" => made::new,
    "openssl_pkey_export_to_file(#[SensitiveParameter] $key, path $output_filename, #[SensitiveParameter] ?string $passphrase = null, ?array $options = null): bool" => export_to_file,
    "openssl_pkey_export(#[SensitiveParameter] $key, &$output, #[SensitiveParameter] ?string $passphrase = null, ?array $options = null): bool" => export,
    "openssl_pkey_get_public($public_key): OpenSSLAsymmetricKey|false" => get_public,
    "openssl_get_publickey($public_key): OpenSSLAsymmetricKey|false" => get_public,
    "#[Deprecated(\"8.0\", \"as OpenSSLAsymmetricKey objects are freed automatically\")] openssl_pkey_free(OpenSSLAsymmetricKey $key): void" => free,
    "#[Deprecated(\"8.0\", \"as OpenSSLAsymmetricKey objects are freed automatically\")] openssl_free_key(OpenSSLAsymmetricKey $key): void" => free,
    "openssl_pkey_get_private(#[SensitiveParameter] $private_key, #[SensitiveParameter] ?string $passphrase = null): OpenSSLAsymmetricKey|false" => get_private,
    "openssl_get_privatekey(#[SensitiveParameter] $private_key, #[SensitiveParameter] ?string $passphrase = null): OpenSSLAsymmetricKey|false" => get_private,
    "openssl_pkey_get_details(OpenSSLAsymmetricKey $key): array|false" => details,
    "openssl_private_encrypt(#[SensitiveParameter] string $data, &$encrypted_data, #[SensitiveParameter] $private_key, int $padding = OPENSSL_PKCS1_PADDING): bool" => use_of::private_encrypt,
    "openssl_private_decrypt(string $data, #[SensitiveParameter] &$decrypted_data, #[SensitiveParameter] $private_key, int $padding = OPENSSL_PKCS1_PADDING): bool" => use_of::private_decrypt,
    "openssl_public_encrypt(#[SensitiveParameter] string $data, &$encrypted_data, $public_key, int $padding = OPENSSL_PKCS1_PADDING): bool" => use_of::public_encrypt,
    "openssl_public_decrypt(string $data, #[SensitiveParameter] &$decrypted_data, $public_key, int $padding = OPENSSL_PKCS1_PADDING): bool" => use_of::public_decrypt,
    "openssl_sign(string $data, &$signature, #[SensitiveParameter] $private_key, string|int $algorithm = OPENSSL_ALGO_SHA1): bool" => use_of::sign,
    "openssl_verify(string $data, string $signature, $public_key, string|int $algorithm = OPENSSL_ALGO_SHA1): int|false" => use_of::verify,
    "openssl_seal(#[SensitiveParameter] string $data, &$sealed_data, &$encrypted_keys, array $public_key, string $cipher_algo, &$iv = null): int|false" => use_of::seal,
    "openssl_open(string $data, #[SensitiveParameter] &$output, string $encrypted_key, #[SensitiveParameter] $private_key, string $cipher_algo, ?string $iv = null): bool" => use_of::open,
    "openssl_get_curve_names(): array|false" => curve_names,
    "openssl_dh_compute_key(string $public_key, #[SensitiveParameter] OpenSSLAsymmetricKey $private_key): string|false" => use_of::dh_compute_key,
    "openssl_pkey_derive($public_key, #[SensitiveParameter] $private_key, int $key_length = 0): string|false" => use_of::derive,
}

fn free(_: &mut Call<'_>) -> PhpResult<Value> {
    Ok(Value::NULL)
}

fn curve_names(call: &mut Call<'_>) -> PhpResult<Value> {
    let names: Vec<Value> = curve::names()
        .map(|name| call.vm.string(name).into())
        .collect();
    Ok(list(call.vm, names))
}

fn get_public(call: &mut Call<'_>) -> PhpResult<Value> {
    match key_in(call, 0, Half::Public)? {
        Some(key) => wrapped(call.vm, (*key).clone()),
        None => Ok(false.into()),
    }
}

fn get_private(call: &mut Call<'_>) -> PhpResult<Value> {
    let passphrase = call.optional_bytes(1).unwrap_or_default();
    let given = call.value(0);
    match key_of(call, 0, &given, Half::Private, passphrase)? {
        Some(key) => wrapped(call.vm, (*key).clone()),
        None => Ok(false.into()),
    }
}

/// The ciphers that encrypt keys, by PHP's numbers, with their identifiers.
const KEY_CIPHERS: [(i64, &str, &str); 4] = [
    (4, "des-ede3-cbc", "1.2.840.113549.3.7"),
    (5, "aes-128-cbc", "2.16.840.1.101.3.4.1.2"),
    (6, "aes-192-cbc", "2.16.840.1.101.3.4.1.22"),
    (7, "aes-256-cbc", "2.16.840.1.101.3.4.1.42"),
];

fn option(options: Option<&PhpArray>, name: &[u8]) -> Option<Value> {
    Some(Value::share(options?.get_bytes(name)?.deref()))
}

/// The armoured text of an argument's key, or nothing, and then the reasons are told.
fn exported(call: &mut Call<'_>) -> PhpResult<Option<Vec<u8>>> {
    let passphrase = call.optional_bytes(2);
    let given = call.value(0);
    let Some(key) = key_of(
        call,
        0,
        &given,
        Half::Private,
        passphrase.unwrap_or_default(),
    )?
    else {
        call.vm.check()?;
        call.vm.function_warning("Cannot get key from parameter 1");
        return Ok(None);
    };
    let options = call.has(3).then(|| call.elements(3));
    let mut cipher = KEY_CIPHERS[0];
    if let Some(number) = option(options, b"encrypt_key_cipher")
        && let ValueKind::Long(number) = number.view()
    {
        let Some(&known) = KEY_CIPHERS.iter().find(|(known, ..)| *known == number) else {
            call.vm
                .function_warning("Unknown cipher algorithm for private key");
            return Ok(None);
        };
        cipher = known;
    }
    let is_wanted = match option(options, b"encrypt_key") {
        Some(wanted) => wanted.kind() != vm_runtime::value::FALSE,
        None => true,
    };
    let found = Cipher::named(cipher.1.as_bytes());
    let encryption = match (passphrase, found) {
        (Some(passphrase), Some(found)) if is_wanted && !passphrase.is_empty() => {
            Some((passphrase, found, cipher.2))
        }
        _ => None,
    };
    Ok(key.armoured_private(encryption))
}

fn export(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(text) = exported(call)? else {
        return Ok(false.into());
    };
    let text = call.vm.string(text).into();
    call.assign(1, text);
    call.vm.check()?;
    Ok(true.into())
}

fn export_to_file(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 1)?;
    let path = call.bytes(1);
    if !check_length(call, 1, path) {
        return Ok(false.into());
    }
    let Some(text) = exported(call)? else {
        return Ok(false.into());
    };
    crate::openssl::write_file(call, path, &text)
}

fn numbers(vm: &mut Vm, fields: &[(&'static str, &[u8])]) -> Value {
    let mut array = vm.new_array();
    for &(name, digits) in fields {
        let digits = vm.string(digits).into();
        array.make_mut(vm).set_bytes(name.as_bytes(), digits);
    }
    array.into()
}

fn details(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let Some(key) = held(&object) else {
        return Ok(false.into());
    };
    let vm = &mut *call.vm;
    let public = pem::armoured("PUBLIC KEY", &key.written_public());
    let public = vm.string(public).into();
    let (bits, kind, name, parts) = match &*key {
        Key::Rsa(key) => {
            let mut fields: Vec<(&'static str, &[u8])> =
                vec![("n", &key.modulus), ("e", &key.exponent)];
            if let Some(private) = &key.private {
                fields.push(("d", &private.exponent));
                let names = ["p", "q", "dmp1", "dmq1", "iqmp"];
                let factors = names
                    .into_iter()
                    .zip(private.factors.iter().map(Vec::as_slice));
                fields.extend(factors.filter(|(_, digits)| !digits.is_empty()));
            }
            (key.bits() as i64, 0, "rsa", numbers(vm, &fields))
        }
        Key::Dh(key) => {
            let mut fields: Vec<(&'static str, &[u8])> = vec![("p", &key.prime), ("g", &key.base)];
            fields.extend(
                key.private
                    .as_ref()
                    .map(|private| ("priv_key", private.as_slice())),
            );
            fields.push(("pub_key", &key.public));
            (
                super::bit_length(&key.prime) as i64,
                2,
                "dh",
                numbers(vm, &fields),
            )
        }
        Key::Ec(key) => {
            let size = key.curve.field_size();
            let (x, y) = (
                curve::padded(&key.public.0, size),
                curve::padded(&key.public.1, size),
            );
            let mut fields: Vec<(&'static str, &[u8])> = Vec::new();
            if !key.curve.name.is_empty() {
                fields.push(("curve_name", key.curve.name.as_bytes()));
                fields.push(("curve_oid", key.curve.identifier.as_bytes()));
            }
            fields.extend([("x", &*x), ("y", &*y)]);
            fields.extend(
                key.private
                    .as_ref()
                    .map(|private| ("d", private.as_slice())),
            );
            (key.curve.bits(), 3, "ec", numbers(vm, &fields))
        }
        Key::Ed25519(key) | Key::X25519(key) => {
            let mut fields: Vec<(&'static str, &[u8])> = Vec::new();
            fields.extend(
                key.private
                    .as_ref()
                    .map(|private| ("priv_key", &private[..])),
            );
            fields.push(("pub_key", &key.public));
            let fields = numbers(vm, &fields);
            match &*held(&object).expect("it was there") {
                Key::Ed25519(_) => (256, 5, "ed25519", fields),
                _ => (253, 4, "x25519", fields),
            }
        }
    };
    let mut array = vm.new_array();
    let entries: [(&str, Value); 4] = [
        ("bits", bits.into()),
        ("key", public),
        (name, parts),
        ("type", i64::from(kind).into()),
    ];
    for (name, value) in entries {
        array.make_mut(vm).set_bytes(name.as_bytes(), value);
    }
    Ok(array.into())
}
