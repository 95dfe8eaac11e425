//! What PHP itself asks of the other end once both have agreed: a certificate, its fingerprint, whom it names.

use std::rc::Rc;

use rustls::pki_types::CertificateDer;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::names::{self, Outcome};
use super::session::Session;
use super::settings::Settings;
use crate::openssl::{certificate_object, digest_of};
use crate::standard::files::set_context_option;
use crate::standard::strings::encode::hexadecimal;
use crate::support::list;

/// Whether the other end is who it should be; says why not. Certificates go to the context that asks for them.
pub(crate) fn approve(
    vm: &mut Vm,
    settings: &Settings,
    session: &Session,
    context: Option<&Value>,
) -> PhpResult<bool> {
    let chain = session.connection.peer_certificates().unwrap_or_default();
    if let Some(context) = context {
        capture(vm, settings, chain, context)?;
    }
    let wants_certificate =
        settings.verifies_peer || settings.verifies_name || settings.fingerprint.is_some();
    let Some(certificate) = chain.first() else {
        if wants_certificate {
            vm.function_warning("Could not get peer certificate");
        }
        return Ok(!wants_certificate);
    };
    if let Some(expected) = &settings.fingerprint
        && !has_fingerprint(vm, certificate, expected)
    {
        return Ok(false);
    }
    if settings.verifies_name {
        let Some(expected) = &settings.peer_name else {
            return Ok(false);
        };
        if let Outcome::Other(reason) = names::looked_for(expected, certificate) {
            vm.function_warning(reason);
            return Ok(false);
        }
    }
    Ok(true)
}

fn capture(
    vm: &mut Vm,
    settings: &Settings,
    chain: &[CertificateDer<'_>],
    context: &Value,
) -> PhpResult<()> {
    if settings.captures_certificate
        && let Some(certificate) = chain.first()
    {
        let object = certificate_object(vm, Rc::from(&**certificate))?;
        set_context_option(vm, context, b"ssl", b"peer_certificate", object);
    }
    if settings.captures_chain {
        let mut objects = Vec::new();
        for certificate in chain {
            objects.push(certificate_object(vm, Rc::from(&**certificate))?);
        }
        let objects = list(vm, objects);
        set_context_option(vm, context, b"ssl", b"peer_certificate_chain", objects);
    }
    Ok(())
}

/// Whether a certificate has a fingerprint, or all of several; says why not.
fn has_fingerprint(vm: &mut Vm, certificate: &[u8], expected: &Value) -> bool {
    let is_right = |algorithm: &[u8], expected: &[u8]| {
        let digest = digest_of(algorithm, certificate);
        digest.is_some_and(|digest| hexadecimal(&digest).eq_ignore_ascii_case(expected))
    };
    let is_right = match expected.view() {
        ValueKind::String(expected) => match expected.len() {
            32 => is_right(b"md5", expected.as_bytes()),
            40 => is_right(b"sha1", expected.as_bytes()),
            _ => false,
        },
        ValueKind::Array(all) => {
            let mut is_each = !all.is_empty();
            for (algorithm, expected) in all.iter() {
                let (vm_runtime::array::KeyRef::String(algorithm), ValueKind::String(expected)) =
                    (algorithm, expected.deref().view())
                else {
                    vm.function_warning(
                        "Invalid peer_fingerprint array; [algo => fingerprint] form required",
                    );
                    is_each = false;
                    break;
                };
                is_each &= is_right(algorithm.as_bytes(), expected.as_bytes());
            }
            if all.is_empty() {
                vm.function_warning(
                    "Invalid peer_fingerprint array; [algo => fingerprint] form required",
                );
            }
            is_each
        }
        _ => {
            vm.function_warning("Expected peer fingerprint must be a string or an array");
            return false;
        }
    };
    if !is_right {
        vm.function_warning("peer_fingerprint match failure");
    }
    is_right
}
