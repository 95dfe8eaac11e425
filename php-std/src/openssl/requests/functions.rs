//! `openssl_csr_*`.

use std::any::Any;
use std::rc::Rc;

use vm_runtime::array::KeyRef;
use vm_runtime::class::{NativeClass, NativeHandlers};
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::extensions::{Subject, of_section};
use super::issued::{Refused, Request, Terms, certificate};
use super::names::{self, Mask, Name, Wrong};
use super::signed;
use crate::openssl::certificates::{self, certificate_in, digest_of_signature};
use crate::openssl::configuration::Configuration;
use crate::openssl::der;
use crate::openssl::errors::{self, PEM_NO_START_LINE};
use crate::openssl::keys::{
    self, Half, Key, check_length, generated, key_of, public_key_of, text_of, wrapped,
};
use crate::openssl::pem;
use crate::openssl::x509::name_table;
use crate::standard::files::check_path;
use crate::support::{functions, string_of};

functions! {
    "openssl_csr_export_to_file(OpenSSLCertificateSigningRequest|string $csr, path $output_filename, bool $no_text = true): bool" => export_to_file,
    "openssl_csr_export(OpenSSLCertificateSigningRequest|string $csr, &$output, bool $no_text = true): bool" => export,
    "openssl_csr_sign(OpenSSLCertificateSigningRequest|string $csr, OpenSSLCertificate|string|null $ca_certificate, #[SensitiveParameter] $private_key, int $days, ?array $options = null, int $serial = 0, ?string $serial_hex = null): OpenSSLCertificate|false" => sign,
    "openssl_csr_new(array $distinguished_names, #[SensitiveParameter] &$private_key, ?array $options = null, ?array $extra_attributes = null): OpenSSLCertificateSigningRequest|bool" => new,
    "openssl_csr_get_subject(OpenSSLCertificateSigningRequest|string $csr, bool $short_names = true): array|false" => subject,
    "openssl_csr_get_public_key(OpenSSLCertificateSigningRequest|string $csr, bool $short_names = true): OpenSSLAsymmetricKey|false" => public_key,
}

pub(in crate::openssl) static CLASS: NativeClass =
    NativeClass::new("final class OpenSSLCertificateSigningRequest")
        .flags(keys::FLAGS)
        .handlers(&NativeHandlers {
            made_by: Some("openssl_csr_new()"),
            ..NativeHandlers::STANDARD
        })
        .create_native(|_, _| Some(Box::<Native>::default()));

/// The native part of a request: its bytes.
#[derive(Default)]
struct Native(Option<Rc<[u8]>>);

impl NativeData for Native {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, _: &mut dyn FnMut(&vm_runtime::value::Zval)) {}
}

fn held(object: &PhpObject) -> Option<Rc<[u8]>> {
    object.native::<Native>()?.0.clone()
}

/// The request in argument #1, or nothing, and then the reason is told.
fn request_in(call: &mut Call<'_>) -> PhpResult<Option<Rc<[u8]>>> {
    let given = call.value(0);
    if let ValueKind::Object(object) = given.view() {
        return Ok(held(object));
    }
    let given = call.bytes(0);
    let found = text_of(call, 0, given)?.and_then(|text| {
        let blocks = pem::blocks(&text);
        let mut all = blocks.iter();
        let block = all.find(|block| {
            matches!(
                &*block.label,
                "CERTIFICATE REQUEST" | "NEW CERTIFICATE REQUEST"
            )
        })?;
        let bytes = block.bytes(b"")?;
        Request::of(&bytes).is_some().then(|| Rc::from(bytes))
    });
    if found.is_none() {
        errors::push(call.vm, PEM_NO_START_LINE);
    }
    Ok(found)
}

/// As [`request_in`], with a warning.
fn wanted(call: &mut Call<'_>) -> PhpResult<Option<Rc<[u8]>>> {
    let found = request_in(call)?;
    if found.is_none() {
        let message = "X.509 Certificate Signing Request cannot be retrieved";
        call.vm.function_warning(message);
        call.vm.check()?;
    }
    Ok(found)
}

/// The text that an export gives; nothing after a warning.
fn exported(call: &mut Call<'_>) -> PhpResult<Option<Vec<u8>>> {
    let Some(request) = wanted(call)? else {
        return Ok(None);
    };
    if !call.bool(2) {
        call.vm
            .function_warning("Describing requests in words is not supported by this engine");
        return Ok(None);
    }
    Ok(Some(pem::armoured("CERTIFICATE REQUEST", &request)))
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

fn subject(call: &mut Call<'_>) -> PhpResult<Value> {
    let short = call.bool(1);
    let Some(bytes) = request_in(call)? else {
        return Ok(false.into());
    };
    let Some(request) = Request::of(&bytes) else {
        return Ok(false.into());
    };
    let name = der::Reader(request.subject)
        .expect(der::SEQUENCE)
        .unwrap_or_default();
    Ok(name_table(call.vm, name, short).into())
}

fn public_key(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(bytes) = request_in(call)? else {
        return Ok(false.into());
    };
    match Request::of(&bytes).and_then(|request| Key::read_public(request.key)) {
        Some(key) => wrapped(call.vm, key),
        None => Ok(false.into()),
    }
}

/// Warns of a part of a name that is none.
fn complain(vm: &mut Vm, wrong: &Wrong, words: &str, name: &str, value: &[u8]) -> bool {
    let shown = vm_runtime::message::text(value).into_owned();
    match wrong {
        Wrong::Unknown => {
            let what = match words {
                "dn" => "name",
                _ => "attribute name",
            };
            vm.function_warning(format!("{words}: {name} is not a recognized {what}"));
            true
        }
        Wrong::Refused(number, reason) => {
            errors::push(vm, reason);
            let how = match words {
                "dn" => format!("dn: add_entry_by_NID {number}"),
                _ => format!("attributes: add_attr_by_NID {number}"),
            };
            vm.function_warning(format!(
                "{how} -> {shown} (failed; check error queue and value of string_mask OpenSSL option if illegal characters are reported)"
            ));
            false
        }
    }
}

/// The name that a script and a configuration put together; nothing after a warning.
fn name(call: &mut Call<'_>, configuration: &Configuration, mask: Mask) -> PhpResult<Option<Name>> {
    let mut result = Name::default();
    let given = call.array(0);
    for (key, value) in given.iter() {
        let KeyRef::String(key) = key else {
            continue;
        };
        let key = String::from_utf8_lossy(key.as_bytes()).into_owned();
        let value = Value::share(value.deref());
        let values: Vec<Value> = match value.array() {
            Some(all) => all
                .iter()
                .map(|(_, one)| Value::share(one.deref()))
                .collect(),
            None => vec![value],
        };
        for value in values {
            let value = string_of(call.vm, &value)?.to_vec();
            if let Err(wrong) = result.add(&key, &value, mask)
                && !complain(call.vm, &wrong, "dn", &key, &value)
            {
                return Ok(None);
            }
        }
    }
    let Some(section) = configuration.entry("distinguished_name") else {
        return Ok(None);
    };
    for (key, value) in configuration.file.section(section).unwrap_or_default() {
        let Some(key) = key.strip_suffix("_default") else {
            continue;
        };
        // Several of one kind are numbered.
        let key = key
            .split_once(['.', ':', ','])
            .map_or(key, |(_, rest)| rest);
        let Some(identifier) = names::identifier(key) else {
            continue;
        };
        if !result.has(&identifier)
            && let Err(wrong) = result.add(key, value.as_bytes(), mask)
            && !complain(call.vm, &wrong, "dn", key, value.as_bytes())
        {
            return Ok(None);
        }
    }
    Ok(Some(result))
}

/// Attributes that a script asks for, as elements of a set; nothing after a warning.
fn attributes(
    call: &mut Call<'_>,
    configuration: &Configuration,
    mask: Mask,
) -> PhpResult<Option<Vec<u8>>> {
    let mut all = Vec::new();
    if !call.has(3) {
        return Ok(Some(all));
    }
    let mut add = |name: &str, value: &[u8]| -> Result<(), Wrong> {
        let identifier = names::identifier(name).ok_or(Wrong::Unknown)?;
        let text = names::text(&identifier, value, mask)?;
        let set = der::element(der::SET, &[&text]);
        all.extend(der::sequence(&[&der::identifier(&identifier), &set]));
        Ok(())
    };
    let given = call.array(3);
    for (key, value) in given.iter() {
        let KeyRef::String(key) = key else {
            call.vm
                .function_warning("attributes: numeric fild names are not supported");
            continue;
        };
        let key = String::from_utf8_lossy(key.as_bytes()).into_owned();
        let value = Value::share(value.deref());
        let value = string_of(call.vm, &value)?.to_vec();
        if let Err(wrong) = add(&key, &value)
            && !complain(call.vm, &wrong, "attributes", &key, &value)
        {
            return Ok(None);
        }
    }
    let section = configuration.entry("attributes").unwrap_or_default();
    for (key, value) in configuration.file.section(section).unwrap_or_default() {
        if add(key, value.as_bytes()).is_err() {
            errors::push(
                call.vm,
                "05800077:x509 certificate routines::invalid field name",
            );
            call.vm.function_warning(format!(
                "add1_attr_by_txt {key} -> {value} (failed; check error queue and value of string_mask OpenSSL option if illegal characters are reported)"
            ));
            return Ok(None);
        }
    }
    Ok(Some(all))
}

fn new(call: &mut Call<'_>) -> PhpResult<Value> {
    let options = call.has(2).then(|| call.elements(2));
    let Some(configuration) = Configuration::read(call, options)? else {
        return Ok(false.into());
    };
    let given = call.value(1);
    // A request is put together even for what is no key, and only then is that told.
    let mut thrown = None;
    let known = match given.is_null() {
        true => None,
        false => key_of(call, 1, &given, Half::Private, b"").unwrap_or_else(|error| {
            thrown = Some(error);
            None
        }),
    };
    let is_new = known.is_none();
    let key = match known {
        Some(key) => key,
        None => match generated(call.vm, &configuration) {
            Some(key) => Rc::new(key),
            None => {
                call.vm.function_warning("Unable to generate a private key");
                return thrown.map_or(Ok(false.into()), Err);
            }
        },
    };
    let Some(mask) = Mask::of(configuration.entry("string_mask")) else {
        return Ok(false.into());
    };
    let made = match name(call, &configuration, mask)? {
        Some(name) => attributes(call, &configuration, mask)?.map(|attributes| (name, attributes)),
        None => None,
    };
    if let Some(thrown) = thrown {
        return Err(thrown);
    }
    let Some((name, mut attributes)) = made else {
        call.vm.check()?;
        return Ok(false.into());
    };
    if let Some(section) = &configuration.request_extensions {
        let subject = Subject {
            key: &key,
            issuer: None,
            issuer_key: &key,
        };
        let Some(extensions) = of_section(&configuration.file, section, &subject) else {
            no_extensions(
                call.vm,
                "request_extensions_section",
                section,
                &configuration,
            );
            return Ok(false.into());
        };
        const REQUESTED: &str = "1.2.840.113549.1.9.14";
        let set = der::element(der::SET, &[&extensions]);
        attributes.extend(der::sequence(&[&der::identifier(REQUESTED), &set]));
    }
    let request = signed(&key, configuration.digest, |_| {
        der::sequence(&[
            &der::integer(&[]),
            &name.written(),
            &key.written_public(),
            &der::element(0xa0, &[&attributes]),
        ])
    });
    let request = match request {
        Ok(request) => request,
        Err(problems) => {
            errors::push_all(call.vm, problems);
            call.vm.function_warning("Error signing request");
            return Ok(false.into());
        }
    };
    if is_new {
        let key = wrapped(call.vm, (*key).clone())?;
        call.assign(1, key);
        call.vm.check()?;
    }
    let Some(class) = call.vm.linked_class(b"opensslcertificatesigningrequest") else {
        return Ok(false.into());
    };
    let object = new_object(call.vm, class)?;
    if let Some(native) = object.native::<Native>() {
        native.0 = Some(Rc::from(request));
    }
    Ok(object.into())
}

fn no_extensions(vm: &mut Vm, what: &str, section: &str, configuration: &Configuration) {
    let file = &configuration.name;
    vm.function_warning(format!("Error loading {what} section {section} of {file}"));
}

/// The number of a certificate in the last arguments; nothing after a warning.
fn serial(call: &mut Call<'_>) -> Option<Vec<u8>> {
    match call.optional_bytes(6) {
        None => Some(call.long(5).unsigned_abs().to_be_bytes().to_vec()),
        Some(hex) => {
            let digits = std::str::from_utf8(hex).ok()?;
            let number = num_bigint::BigUint::parse_bytes(digits.as_bytes(), 16);
            if number.is_none() {
                call.vm
                    .function_warning("Error parsing serial number because it is not valid hex");
            }
            number.map(|number| number.to_bytes_be())
        }
    }
}

fn sign(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(bytes) = wanted(call)? else {
        return Ok(false.into());
    };
    let issuer = match call.has(1) {
        false => None,
        true => match certificate_in(call, 1)? {
            Some(issuer) => Some(issuer),
            None => {
                call.vm
                    .function_warning("X.509 Certificate cannot be retrieved");
                return Ok(false.into());
            }
        },
    };
    let given = call.value(2);
    let Some(key) = key_of(call, 2, &given, Half::Private, b"")? else {
        call.vm.check()?;
        call.vm
            .function_warning("Cannot get private key from parameter 3");
        return Ok(false.into());
    };
    if let Some(issuer) = &issuer
        && !public_key_of(issuer).is_some_and(|public| public.matches(&key))
    {
        errors::push(call.vm, errors::KEY_VALUES_MISMATCH);
        call.vm
            .function_warning("Private key does not correspond to signing cert");
        return Ok(false.into());
    }
    let options = call.has(4).then(|| call.elements(4));
    let Some(configuration) = Configuration::read(call, options)? else {
        return Ok(false.into());
    };
    let Some(request) = Request::of(&bytes) else {
        return Ok(false.into());
    };
    let Some(request_key) = Key::read_public(request.key) else {
        call.vm.function_warning("Error unpacking public key");
        return Ok(false.into());
    };
    let digest = digest_of_signature(&request.algorithm);
    let is_right = digest
        .map(|digest| request_key.verify(digest, request.body, request.signature))
        .map(|outcome| outcome.unwrap_or(false));
    match is_right {
        Some(true) => {}
        Some(false) => {
            call.vm
                .function_warning("Signature did not match the certificate request");
            return Ok(false.into());
        }
        None => {
            call.vm.function_warning("Signature verification problems");
            return Ok(false.into());
        }
    }
    const MOST_DAYS: i64 = i64::MAX / 86_400;
    let days = call.long(3);
    if !(0..=MOST_DAYS).contains(&days) {
        call.vm
            .function_warning(format!("Days must be between 0 and {MOST_DAYS}"));
        return Ok(false.into());
    }
    let Some(serial) = serial(call) else {
        return Ok(false.into());
    };
    let terms = Terms {
        issuer: issuer.as_deref(),
        key: &key,
        days,
        serial,
    };
    match certificate(&request, &request_key, &terms, &configuration) {
        Ok(made) => certificates::wrapped(call.vm, Rc::from(made)),
        Err(Refused::Extensions) => {
            let section = configuration
                .certificate_extensions
                .clone()
                .unwrap_or_default();
            no_extensions(call.vm, "extensions_section", &section, &configuration);
            Ok(false.into())
        }
        Err(Refused::Signing(problems)) => {
            errors::push_all(call.vm, problems);
            call.vm.function_warning("Failed to sign it");
            Ok(false.into())
        }
    }
}
