//! The certificate of one's own end, and its key.

use std::sync::Arc;

use rustls::client::ResolvesClientCert;
use rustls::crypto::KeyProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use vm_runtime::limits;
use vm_runtime::limits::directories::is_allowed;
use vm_runtime::vm::Vm;

use super::names::is_meant;
use super::settings::{Files, Settings};
use crate::openssl::{certificates_in, private_key_for};
use crate::standard::files::path;
use crate::support::current_function;

/// The contents of a file that scripts may read.
pub(super) fn readable(vm: &mut Vm, name: &[u8]) -> Option<Vec<u8>> {
    let function = current_function(vm);
    let name = name.strip_prefix(b"file://").unwrap_or(name);
    match is_allowed(vm, name, &function) {
        Ok(true) => limits::read_file(&path(name)).ok(),
        _ => None,
    }
}

/// What this end may show of itself.
#[derive(Debug)]
pub(super) struct Identity {
    usual: Option<Arc<CertifiedKey>>,
    /// By names that clients ask for.
    by_name: Vec<(Vec<u8>, Arc<CertifiedKey>)>,
}

impl Identity {
    /// As settings want it; nothing after a warning.
    pub(super) fn new(
        vm: &mut Vm,
        settings: &Settings,
        provider: &dyn KeyProvider,
    ) -> Option<Identity> {
        let usual = match &settings.local {
            Some(files) => Some(load(vm, files, settings, provider)?),
            None => None,
        };
        let mut by_name = Vec::new();
        for (name, files) in &settings.local_by_name {
            by_name.push((name.clone(), load(vm, files, settings, provider)?));
        }
        Some(Identity { usual, by_name })
    }
}

/// Reads a certificate and its key; nothing after a warning.
fn load(
    vm: &mut Vm,
    files: &Files,
    settings: &Settings,
    provider: &dyn KeyProvider,
) -> Option<Arc<CertifiedKey>> {
    let shown = vm_runtime::message::text(&files.certificate).into_owned();
    let text = readable(vm, &files.certificate).unwrap_or_default();
    let chain: Vec<CertificateDer<'static>> = certificates_in(&text)
        .into_iter()
        .map(CertificateDer::from)
        .collect();
    let Some(certificate) = chain.first() else {
        vm.function_warning(format!(
            "Unable to set local cert chain file `{shown}'; Check that your cafile/capath settings include details of your certificate and its issuer"
        ));
        return None;
    };
    let (key_text, shown) = match &files.key {
        Some(name) => (
            readable(vm, name).unwrap_or_default(),
            vm_runtime::message::text(name).into_owned(),
        ),
        None => (text, shown),
    };
    let Ok(key) = private_key_for(certificate, &key_text, &settings.passphrase) else {
        vm.function_warning(format!("Unable to set private key file `{shown}'"));
        return None;
    };
    let Some(key) = key else {
        vm.function_warning("Private key does not match certificate!");
        return None;
    };
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key));
    match provider.load_private_key(key) {
        Ok(key) => Some(Arc::new(CertifiedKey::new(chain, key))),
        Err(_) => {
            vm.function_warning(format!(
                "Private keys of the kind in `{shown}' are not supported for encrypted connections by this engine"
            ));
            None
        }
    }
}

impl ResolvesServerCert for Identity {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let named = hello.server_name().and_then(|wanted| {
            let mut all = self.by_name.iter();
            all.find(|(name, _)| is_meant(wanted.as_bytes(), name))
        });
        named.map(|(_, key)| key).or(self.usual.as_ref()).cloned()
    }
}

impl ResolvesClientCert for Identity {
    fn resolve(
        &self,
        _issuers: &[&[u8]],
        _schemes: &[rustls::SignatureScheme],
    ) -> Option<Arc<CertifiedKey>> {
        self.usual.clone()
    }

    fn has_certs(&self) -> bool {
        self.usual.is_some()
    }
}
