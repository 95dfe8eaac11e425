//! Certificates: read, written, compared and verified.

use std::any::Any;
use std::rc::Rc;

use vm_runtime::class::{NativeClass, NativeHandlers};
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::der::{self, Reader};
use super::digest::Digest;
use super::errors::{self, PEM_NO_START_LINE};
use super::keys::{self, Half, check_length, is_cut_off, key_in, public_key_of, text_of};
use super::pem;
use crate::standard::files::check_path;
use crate::standard::strings::encode::hexadecimal;
use crate::support::functions;

functions! {
    "openssl_x509_export_to_file(OpenSSLCertificate|string $certificate, path $output_filename, bool $no_text = true): bool" => export_to_file,
    "openssl_x509_export(OpenSSLCertificate|string $certificate, &$output, bool $no_text = true): bool" => export,
    "openssl_x509_fingerprint(OpenSSLCertificate|string $certificate, string $digest_algo = \"sha1\", bool $binary = false): string|false" => fingerprint,
    "openssl_x509_check_private_key(OpenSSLCertificate|string $certificate, #[SensitiveParameter] $private_key): bool" => check_private_key,
    "openssl_x509_verify(OpenSSLCertificate|string $certificate, $public_key): int" => verify,
    "openssl_x509_read(OpenSSLCertificate|string $certificate): OpenSSLCertificate|false" => read,
    "#[Deprecated(\"8.0\", \"as OpenSSLCertificate objects are freed automatically\")] openssl_x509_free(OpenSSLCertificate $certificate): void" => free,
}

pub(super) static CLASS: NativeClass = NativeClass::new("final class OpenSSLCertificate")
    .flags(keys::FLAGS)
    .handlers(&NativeHandlers {
        made_by: Some("openssl_x509_read()"),
        ..NativeHandlers::STANDARD
    })
    .create_native(|_, _| Some(Box::<Native>::default()));

/// The native part of a certificate: its bytes.
#[derive(Default)]
struct Native(Option<Rc<[u8]>>);

impl NativeData for Native {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, _: &mut dyn FnMut(&vm_runtime::value::Zval)) {}
}

/// The certificate in an object.
pub(super) fn held(object: &PhpObject) -> Option<Rc<[u8]>> {
    object.native::<Native>()?.0.clone()
}

/// Whether these bytes are put together like a certificate.
fn is_certificate(bytes: &[u8]) -> bool {
    let parts = || {
        let mut whole = Reader(bytes);
        let mut reader = whole.sequence()?;
        let mut body = reader.sequence()?;
        let _version = body.expect(0xa0);
        body.expect(der::INTEGER)?;
        for _ in 0..5 {
            body.sequence()?;
        }
        reader.sequence()?;
        reader.expect(der::BIT_STRING)
    };
    parts().is_some()
}

/// Whether armour with this label has a certificate in it.
pub(super) fn is_label(label: &str) -> bool {
    matches!(
        label,
        "CERTIFICATE" | "X509 CERTIFICATE" | "TRUSTED CERTIFICATE"
    )
}

/// An object of a certificate.
pub(crate) fn wrapped(vm: &mut Vm, certificate: Rc<[u8]>) -> PhpResult<Value> {
    let Some(class) = vm.linked_class(b"opensslcertificate") else {
        return Ok(false.into());
    };
    let object = new_object(vm, class)?;
    if let Some(native) = object.native::<Native>() {
        native.0 = Some(certificate);
    }
    Ok(object.into())
}

/// The certificate that an argument gives, or nothing, and then the reasons are told.
pub(super) fn certificate_in(call: &mut Call<'_>, index: usize) -> PhpResult<Option<Rc<[u8]>>> {
    let given = call.value(index);
    certificate_of(call, index, &given)
}

/// As [`certificate_in`], for a value that an argument gives.
pub(super) fn certificate_of(
    call: &mut Call<'_>,
    index: usize,
    given: &Value,
) -> PhpResult<Option<Rc<[u8]>>> {
    if let ValueKind::Object(object) = given.view()
        && object.native::<Native>().is_some()
    {
        return Ok(held(object));
    }
    let given = &*crate::support::string_of(call.vm, given)?.to_vec();
    let Some(text) = text_of(call, index, given)? else {
        return Ok(None);
    };
    let blocks = pem::blocks(&text);
    let block = blocks.iter().find(|block| is_label(&block.label));
    let Some(block) = block else {
        errors::push(call.vm, PEM_NO_START_LINE);
        return Ok(None);
    };
    let bytes = block.bytes(b"").filter(|bytes| is_certificate(bytes));
    if bytes.is_none() {
        errors::push_all(
            call.vm,
            &[errors::WRONG_TAG, errors::NESTED_ASN1, errors::PEM_ASN1],
        );
    }
    Ok(bytes.map(Rc::from))
}

/// As [`certificate_in`], with a warning.
fn wanted(call: &mut Call<'_>, index: usize, warning: &str) -> PhpResult<Option<Rc<[u8]>>> {
    let value = call.value(index);
    if let ValueKind::String(text) = value.view()
        && is_cut_off(text.as_bytes())
    {
        // This is told although an exception follows.
        call.vm.function_warning(warning);
        call.vm.check()?;
    }
    let found = certificate_in(call, index)?;
    if found.is_none() {
        call.vm.check()?;
        call.vm.function_warning(warning);
    }
    Ok(found)
}

fn free(_: &mut Call<'_>) -> PhpResult<Value> {
    Ok(Value::NULL)
}

fn read(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(certificate) = wanted(call, 0, "X.509 Certificate cannot be retrieved")? else {
        return Ok(false.into());
    };
    wrapped(call.vm, certificate)
}

/// The text that an export gives; nothing if that is not built, or after a warning.
fn exported(call: &mut Call<'_>) -> PhpResult<Option<Vec<u8>>> {
    let Some(certificate) = wanted(call, 0, "X.509 Certificate cannot be retrieved")? else {
        return Ok(None);
    };
    if !call.bool(2) {
        call.vm
            .function_warning("Describing certificates in words is not supported by this engine");
        return Ok(None);
    }
    Ok(Some(pem::armoured("CERTIFICATE", &certificate)))
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
    super::write_file(call, path, &text)
}

fn fingerprint(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(certificate) = wanted(call, 0, "X.509 Certificate cannot be retrieved")? else {
        return Ok(false.into());
    };
    let Some(digest) = Digest::named(call.bytes(1)) else {
        call.vm.function_warning("Unknown digest algorithm");
        return Ok(false.into());
    };
    let Some(digest) = digest.of(&[&certificate]) else {
        call.vm.function_warning("Could not generate signature");
        return Ok(false.into());
    };
    Ok(match call.bool(2) {
        true => call.vm.string(&digest).into(),
        false => call.vm.string(hexadecimal(&digest)).into(),
    })
}

fn check_private_key(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(certificate) = certificate_in(call, 0)? else {
        return Ok(false.into());
    };
    let Some(key) = key_in(call, 1, Half::Private)? else {
        return Ok(false.into());
    };
    let public = public_key_of(&certificate);
    let is_same = public.as_ref().is_some_and(|public| public.matches(&key));
    if !is_same {
        let problems: errors::Failure = match public.is_some_and(|public| public.is_like(&key)) {
            true => &[errors::KEY_VALUES_MISMATCH],
            false => &[errors::DIFFERENT_KEY_TYPES, errors::KEY_TYPE_MISMATCH],
        };
        errors::push_all(call.vm, problems);
    }
    Ok(is_same.into())
}

/// The digests of signatures, by the algorithms' identifiers: those with RSA, with curves, and without a digest.
pub(super) fn digest_of_signature(identifier: &str) -> Option<Option<&'static Digest>> {
    let name = match identifier {
        "1.2.840.113549.1.1.4" => "md5",
        "1.2.840.113549.1.1.5" | "1.2.840.10045.4.1" => "sha1",
        "1.2.840.113549.1.1.14" | "1.2.840.10045.4.3.1" => "sha224",
        "1.2.840.113549.1.1.11" | "1.2.840.10045.4.3.2" => "sha256",
        "1.2.840.113549.1.1.12" | "1.2.840.10045.4.3.3" => "sha384",
        "1.2.840.113549.1.1.13" | "1.2.840.10045.4.3.4" => "sha512",
        "1.3.101.112" => return Some(None),
        _ => return None,
    };
    Digest::named(name.as_bytes()).map(Some)
}

fn verify(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(certificate) = certificate_in(call, 0)? else {
        return Ok(Value::from(-1i64));
    };
    let Some(key) = key_in(call, 1, Half::Public)? else {
        return Ok(Value::from(-1i64));
    };
    let parts = || {
        let mut reader = Reader(&certificate).sequence()?;
        let body = reader.next()?;
        let algorithm = reader.sequence()?.identifier()?;
        let digest = digest_of_signature(&algorithm)?;
        Some((body.whole, digest, reader.bits()?, algorithm))
    };
    let Some((body, digest, signature, wanted)) = parts() else {
        return Ok(Value::from(-1i64));
    };
    if !key.is_signing_by(&wanted) {
        errors::push(call.vm, errors::WRONG_PUBLIC_KEY_TYPE);
        return Ok(Value::from(-1i64));
    }
    Ok(match key.verify(digest, body, signature) {
        Ok(is_right) => {
            if !is_right {
                errors::push(call.vm, errors::SIGNATURE_FAILURE);
            }
            i64::from(is_right).into()
        }
        Err((result, problems)) => {
            errors::push_all(call.vm, problems);
            result.into()
        }
    })
}
