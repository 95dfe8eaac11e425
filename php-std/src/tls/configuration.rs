//! From settings to what rustls wants to know.

use std::net::Ipv4Addr;
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::ServerName;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, Connection, ServerConfig, ServerConnection};
use vm_runtime::vm::Vm;

use super::identity::Identity;
use super::settings::{Settings, protocol};
use super::trust::Verifier;
use super::{Side, suites};

/// The arithmetic, as far as settings let it be used; nothing after a warning.
fn provider(vm: &mut Vm, settings: &Settings) -> Option<CryptoProvider> {
    let mut provider = ring::default_provider();
    provider.cipher_suites = settings.suites.iter().map(|suite| suite.suite).collect();
    if let Some(list) = &settings.curve {
        match suites::curves(list) {
            Some(curves) => provider.kx_groups = curves,
            None => {
                vm.function_warning("The curves in ecdh_curve are not supported by this engine");
                return None;
            }
        }
    }
    Some(provider)
}

/// The beginning of a connection, and where its sessions are remembered; nothing after a warning.
pub(super) fn connection(
    vm: &mut Vm,
    settings: &Settings,
    remembered: Option<Resumption>,
) -> Option<(Connection, Resumption)> {
    let provider = provider(vm, settings)?;
    let algorithms = provider.signature_verification_algorithms;
    let mut versions = Vec::new();
    for (bit, version) in [(protocol::TLS_1_2, &TLS12), (protocol::TLS_1_3, &TLS13)] {
        if settings.versions & bit != 0 {
            versions.push(version);
        }
    }
    let identity = Arc::new(Identity::new(vm, settings, provider.key_provider)?);
    let verifier = Arc::new(Verifier::new(vm, settings, algorithms)?);
    let provider = Arc::new(provider);
    let remembered = remembered.unwrap_or_else(|| Resumption::in_memory_sessions(4));
    let made = match settings.side {
        Side::Client => {
            let builder = ClientConfig::builder_with_provider(provider);
            builder
                .with_protocol_versions(&versions)
                .and_then(|builder| {
                    let mut configuration = builder
                        .dangerous()
                        .with_custom_certificate_verifier(verifier)
                        .with_client_cert_resolver(identity);
                    configuration.alpn_protocols = settings.applications.clone();
                    configuration.resumption = remembered.clone();
                    let name = server_name(settings);
                    configuration.enable_sni = settings.sends_name && name.is_some();
                    // What stands for a server without a name is not sent.
                    let name = name.unwrap_or(ServerName::IpAddress(Ipv4Addr::UNSPECIFIED.into()));
                    ClientConnection::new(Arc::new(configuration), name).map(Connection::Client)
                })
        }
        Side::Server => {
            let builder = ServerConfig::builder_with_provider(provider);
            builder
                .with_protocol_versions(&versions)
                .and_then(|builder| {
                    let builder = match settings.verifies_peer {
                        true => builder.with_client_cert_verifier(verifier),
                        false => builder.with_no_client_auth(),
                    };
                    let mut configuration = builder.with_cert_resolver(identity);
                    configuration.alpn_protocols = settings.applications.clone();
                    configuration.ignore_client_order = settings.prefers_own_suites;
                    ServerConnection::new(Arc::new(configuration)).map(Connection::Server)
                })
        }
    };
    match made {
        Ok(connection) => Some((connection, remembered)),
        Err(_) => {
            // Versions and suites that do not go together.
            vm.function_warning("SSL context creation failure");
            None
        }
    }
}

fn server_name(settings: &Settings) -> Option<ServerName<'static>> {
    let name = String::from_utf8(settings.peer_name.clone()?).ok()?;
    ServerName::try_from(name).ok()
}
