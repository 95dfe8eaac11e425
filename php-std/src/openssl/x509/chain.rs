//! `openssl_x509_checkpurpose()`: chains of certificates by OpenSSL's rules, which are not those of TLS alone.

use std::time::{SystemTime, UNIX_EPOCH};

use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::limits::directories::is_allowed;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::parts::Parts;
use super::purposes::{PURPOSES, Purpose, Uses};
use super::store;
use crate::openssl::certificates::{certificate_in, digest_of_signature};
use crate::openssl::certificates_in;
use crate::openssl::der::Reader;
use crate::openssl::keys::public_key_of;
use crate::standard::files::path;
use crate::support::{current_function, functions};

functions! {
    "openssl_x509_checkpurpose(OpenSSLCertificate|string $certificate, int $purpose, array $ca_info = [], ?path $untrusted_certificates_file = null): int|bool" => check_purpose,
}

/// The longest chain.
const LONGEST: usize = 100;

/// Extensions whose meaning is known here; a critical one of another kind makes a certificate unusable.
const UNDERSTOOD: [&str; 7] = [
    "2.5.29.15",
    "2.5.29.17",
    "2.5.29.19",
    "2.5.29.32",
    "2.5.29.36",
    "2.5.29.37",
    "2.16.840.1.113730.1.1",
];

/// Whether one certificate was signed with the key of another.
fn is_signed_by(certificate: &[u8], issuer: &[u8]) -> bool {
    let parts = || {
        let mut reader = Reader(certificate).sequence()?;
        let body = reader.next()?;
        let algorithm = reader.sequence()?.identifier()?;
        let digest = digest_of_signature(&algorithm)?;
        Some((body.whole, digest, reader.bits()?, algorithm))
    };
    let (Some((body, digest, signature, algorithm)), Some(key)) = (parts(), public_key_of(issuer))
    else {
        return false;
    };
    key.is_signing_by(&algorithm) && key.verify(digest, body, signature).unwrap_or(false)
}

/// Whether a certificate can stand at a place of a chain: `below` are the authorities under it.
fn fits(certificate: &[u8], purpose: Option<Purpose>, below: Option<u64>, now: i64) -> bool {
    let Some(parts) = Parts::of(certificate) else {
        return false;
    };
    let is_understood = parts.extensions().iter().all(|extension| {
        !extension.is_critical || UNDERSTOOD.contains(&extension.identifier.as_str())
    });
    let uses = Uses::of(&parts);
    let is_short = match (below, uses.path_length) {
        (Some(below), Some(most)) => below <= most,
        _ => true,
    };
    let is_authority = below.is_none() || uses.allow(Purpose::Ocsp, true);
    let is_allowed = purpose.is_none_or(|purpose| uses.allow(purpose, below.is_some()));
    is_understood && is_short && is_authority && is_allowed && parts.is_valid_at(now)
}

/// Whether a chain leads from a certificate to one that is trusted and vouches for itself.
fn leads_to_trust(
    certificate: &[u8],
    purpose: Option<Purpose>,
    trusted: &[Vec<u8>],
    others: &[Vec<u8>],
) -> bool {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = since.map_or(0, |since| since.as_secs() as i64);
    if !fits(certificate, purpose, None, now) {
        return false;
    }
    let mut current = certificate;
    let mut below = 0;
    for _ in 0..LONGEST {
        limits::poll();
        let Some(parts) = Parts::of(current) else {
            return false;
        };
        let is_trusted = trusted.iter().any(|known| known == current);
        if parts.is_self_issued() && is_signed_by(current, current) {
            return is_trusted;
        }
        let is_issuer = |candidate: &&Vec<u8>| {
            Parts::of(candidate).is_some_and(|other| other.issuer_name() == parts.issuer.whole)
                && fits(candidate, purpose, Some(below), now)
                && is_signed_by(current, candidate)
        };
        let mut candidates = trusted.iter().chain(others);
        let Some(issuer) = candidates.find(is_issuer) else {
            return false;
        };
        if !Parts::of(issuer).is_some_and(|issuer| issuer.is_self_issued()) {
            below += 1;
        }
        current = issuer;
    }
    false
}

/// Whether a chain leads from who signed a mail to a certificate that is trusted.
pub(in crate::openssl) fn is_trusted_for_mail(
    certificate: &[u8],
    trusted: &[Vec<u8>],
    others: &[Vec<u8>],
) -> bool {
    leads_to_trust(certificate, Some(Purpose::MailSigning), trusted, others)
}

fn check_purpose(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = call.long(1);
    let mut others = Vec::new();
    if let Some(name) = call.optional_bytes(3) {
        let function = current_function(call.vm);
        if !is_allowed(call.vm, name, &function)? {
            return Ok((-1i64).into());
        }
        let shown = vm_runtime::message::text(name).into_owned();
        let Ok(text) = limits::read_file(&path(name)) else {
            call.vm
                .function_warning(format!("Error opening the file, {shown}"));
            return Ok((-1i64).into());
        };
        others = certificates_in(&text);
    }
    let places = call.array(2);
    let trusted = match places.is_empty() {
        true => store::of_system(),
        false => store::of_places(call, 2, &places)?,
    };
    let Some(certificate) = certificate_in(call, 0)? else {
        call.vm.check()?;
        return Ok((-1i64).into());
    };
    // Numbers that mean nothing are not asked for anything.
    let mut known = PURPOSES.iter().map(|(purpose, _)| *purpose);
    let purpose = known.find(|purpose| *purpose as i64 == number);
    Ok(leads_to_trust(&certificate, purpose, &trusted, &others).into())
}
