//! Whom to trust: bundles and folders of certificates, and the chains that lead to one of them.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, TrustAnchor, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{CertificateError, DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};
use vm_runtime::vm::Vm;

use super::settings::Settings;
use crate::openssl::certificates_in;
use crate::openssl::x509::{Parts, store};
use crate::standard::files::path;

/// Decides whether a chain of certificates is to be trusted.
#[derive(Debug)]
pub(super) struct Verifier {
    /// None if everybody is trusted.
    trusted: Option<Vec<CertificateDer<'static>>>,
    allows_self_signed: bool,
    most_issuers: i64,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Verifier {
    /// As settings want it; nothing, after a warning, if what they name cannot be read.
    pub(super) fn new(
        vm: &mut Vm,
        settings: &Settings,
        algorithms: WebPkiSupportedAlgorithms,
    ) -> Option<Verifier> {
        let trusted = match settings.verifies_peer {
            true => Some(trusted(vm, settings)?),
            false => None,
        };
        Some(Verifier {
            trusted,
            allows_self_signed: settings.allows_self_signed,
            most_issuers: settings.most_issuers,
            algorithms,
        })
    }

    /// Looks for a chain from a certificate to one that is trusted.
    fn check(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        now: UnixTime,
        usage: webpki::KeyUsage,
    ) -> Result<(), Error> {
        let Some(trusted) = &self.trusted else {
            return Ok(());
        };
        let bad = |problem| Err(Error::InvalidCertificate(problem));
        let Some(parts) = Parts::of(certificate) else {
            return bad(CertificateError::BadEncoding);
        };
        // Who vouches for itself needs no chain, only to be known.
        if parts.is_self_issued() {
            let is_known = trusted.iter().any(|known| known == certificate);
            if is_known || self.allows_self_signed {
                return match parts.is_valid_at(now.as_secs() as i64) {
                    true => Ok(()),
                    false => bad(CertificateError::Expired),
                };
            }
            return bad(CertificateError::UnknownIssuer);
        }
        let anchors: Vec<TrustAnchor<'_>> = trusted
            .iter()
            .filter_map(|known| webpki::anchor_from_trusted_cert(known).ok())
            .collect();
        let most = self.most_issuers;
        let is_short = |path: &webpki::VerifiedPath<'_>| {
            let issuers = path.intermediate_certificates().count() as i64 + 1;
            match issuers > most {
                true => Err(webpki::Error::MaximumPathDepthExceeded),
                false => Ok(()),
            }
        };
        let outcome = webpki::EndEntityCert::try_from(certificate).and_then(|certificate| {
            certificate
                .verify_for_usage(
                    self.algorithms.all,
                    &anchors,
                    others,
                    now,
                    usage,
                    None,
                    Some(&is_short),
                )
                .map(drop)
        });
        match outcome {
            Ok(()) => Ok(()),
            Err(webpki::Error::CertExpired { .. }) => bad(CertificateError::Expired),
            Err(webpki::Error::CertNotValidYet { .. }) => bad(CertificateError::NotValidYet),
            Err(webpki::Error::UnknownIssuer) => bad(CertificateError::UnknownIssuer),
            Err(_) => bad(CertificateError::BadEncoding),
        }
    }
}

/// The certificates that settings trust; nothing after a warning.
fn trusted(vm: &mut Vm, settings: &Settings) -> Option<Vec<CertificateDer<'static>>> {
    let setting =
        |vm: &Vm, name: &str| Some(vm.ini.text(name).to_vec()).filter(|text| !text.is_empty());
    let file = settings
        .trusted_file
        .clone()
        .or_else(|| setting(vm, "openssl.cafile"));
    let folder = settings
        .trusted_folder
        .clone()
        .or_else(|| setting(vm, "openssl.capath"));
    let mut found = Vec::new();
    if let Some(name) = &file {
        let shown = vm_runtime::message::text(name).into_owned();
        let is_there = super::identity::readable(vm, name)
            .map(|text| found.extend(certificates_in(&text)))
            .is_some();
        if !is_there {
            vm.warning(format!("failed loading cafile stream: `{shown}'"));
        } else if found.is_empty() {
            vm.warning(format!("no valid certs found cafile stream: `{shown}'"));
        }
        if found.is_empty() && folder.is_none() {
            return None;
        }
    }
    if let Some(name) = &folder {
        found.extend(store::of_folder(&path(name)));
    }
    if file.is_none() && folder.is_none() {
        found = store::of_system();
    }
    Some(found.into_iter().map(CertificateDer::from).collect())
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        // Whom it names is PHP's own matter: `policy.rs`.
        self.check(certificate, others, now, webpki::KeyUsage::server_auth())?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

impl ClientCertVerifier for Verifier {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(certificate, others, now, webpki::KeyUsage::client_auth())?;
        Ok(ClientCertVerified::assertion())
    }

    /// Who sends none is turned away afterwards, in PHP's words.
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
