//! The options `ssl` of a context.

use vm_runtime::operators::{to_bool, to_long};
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::Side;
use super::suites::{self, Suite};
use crate::standard::files::context_option;
use crate::support::string_of;

/// Bits of `crypto_method`: the versions of the protocol.
pub(crate) mod protocol {
    /// `STREAM_CRYPTO_PROTO_TLSv1_2`
    pub(crate) const TLS_1_2: i64 = 32;
    /// `STREAM_CRYPTO_PROTO_TLSv1_3`
    pub(crate) const TLS_1_3: i64 = 64;
    /// All that connections are made with unless something else is asked for.
    pub(crate) const ANY: i64 = 8 | 16 | TLS_1_2 | TLS_1_3;
    /// The bits that say a version.
    pub(super) const VERSIONS: i64 = 2 | 4 | ANY;
}

/// The most certificates between a connection's and one that is trusted, and that one, unless the context says so.
const MOST_ISSUERS: i64 = 9;

/// Files with a certificate, those that lead to its issuer, and its key.
#[derive(Debug, Clone)]
pub(super) struct Files {
    pub(super) certificate: Vec<u8>,
    pub(super) key: Option<Vec<u8>>,
}

/// What a context says of encryption.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(super) side: Side,
    /// Bits of [`protocol`].
    pub(super) versions: i64,
    pub(super) verifies_peer: bool,
    pub(super) verifies_name: bool,
    pub(super) allows_self_signed: bool,
    pub(super) most_issuers: i64,
    /// Who is expected at the other end.
    pub(super) peer_name: Option<Vec<u8>>,
    pub(super) sends_name: bool,
    pub(super) trusted_file: Option<Vec<u8>>,
    pub(super) trusted_folder: Option<Vec<u8>>,
    pub(super) local: Option<Files>,
    /// By names that clients may ask for.
    pub(super) local_by_name: FilesByName,
    pub(super) passphrase: Vec<u8>,
    pub(super) suites: Vec<Suite>,
    pub(super) curve: Option<Vec<u8>>,
    pub(super) prefers_own_suites: bool,
    pub(super) applications: Vec<Vec<u8>>,
    pub(super) fingerprint: Option<Value>,
    pub(super) captures_certificate: bool,
    pub(super) captures_chain: bool,
}

/// Reads options of a context.
struct Options<'a> {
    vm: &'a mut Vm,
    context: Option<&'a Value>,
}

impl Options<'_> {
    fn value(&self, name: &str) -> Option<Value> {
        context_option(self.context?, b"ssl", name.as_bytes())
    }

    fn flag(&self, name: &str, default: bool) -> bool {
        self.value(name).map_or(default, |value| to_bool(&value))
    }

    fn number(&mut self, name: &str) -> Option<i64> {
        self.value(name).map(|value| to_long(self.vm, &value))
    }

    fn text(&mut self, name: &str) -> PhpResult<Option<Vec<u8>>> {
        match self.value(name) {
            Some(value) => Ok(Some(string_of(self.vm, &value)?.to_vec())),
            None => Ok(None),
        }
    }
}

/// Options that would change what a connection is, and that rustls has nothing for.
const NOT_BUILT: [&str; 2] = ["dh_param", "rsa_key_size"];

impl Settings {
    /// The settings of a context for the versions in `method` (bits of [`protocol`]). Nothing, after a warning, if
    /// it asks for what is not built.
    pub(crate) fn read(
        vm: &mut Vm,
        context: Option<&Value>,
        side: Side,
        method: i64,
    ) -> PhpResult<Option<Settings>> {
        let mut options = Options { vm, context };
        let mut versions = method & protocol::VERSIONS;
        if let Some(least) = options.number("min_proto_version") {
            versions &= !(least - 1);
        }
        if let Some(most) = options.number("max_proto_version") {
            versions &= (most << 1) - 1;
        }
        if versions & (protocol::TLS_1_2 | protocol::TLS_1_3) == 0 {
            options
                .vm
                .function_warning("Only TLSv1.2 and TLSv1.3 are supported by this engine");
            return Ok(None);
        }
        for name in NOT_BUILT {
            if options.value(name).is_some() {
                options.vm.function_warning(format!(
                    "The ssl option \"{name}\" is not supported by this engine"
                ));
                return Ok(None);
            }
        }
        if options
            .number("security_level")
            .is_some_and(|level| level > 2)
        {
            options
                .vm
                .function_warning("A security_level above 2 is not supported by this engine");
            return Ok(None);
        }
        let suites = match options.text("ciphers")? {
            None => suites::all(),
            Some(list) => match suites::listed(&list) {
                Some(suites) => suites,
                None => {
                    options.vm.function_warning(
                        "Failed setting cipher list: none of its ciphers is supported",
                    );
                    return Ok(None);
                }
            },
        };
        let local_by_name = match options.value("SNI_server_certs") {
            Some(given) if side == Side::Server => match by_name(options.vm, &given)? {
                Some(found) => found,
                None => return Ok(None),
            },
            _ => Vec::new(),
        };
        let key = options.text("local_pk")?;
        let local = options.text("local_cert")?;
        let applications = options.text("alpn_protocols")?.unwrap_or_default();
        let is_client = side == Side::Client;
        Ok(Some(Settings {
            side,
            versions,
            verifies_peer: options.flag("verify_peer", is_client),
            verifies_name: options.flag("verify_peer_name", is_client),
            allows_self_signed: options.flag("allow_self_signed", false),
            most_issuers: options.number("verify_depth").unwrap_or(MOST_ISSUERS),
            peer_name: options.text("peer_name")?,
            sends_name: options.flag("SNI_enabled", true),
            trusted_file: options.text("cafile")?,
            trusted_folder: options.text("capath")?,
            local: local.map(|certificate| Files { certificate, key }),
            local_by_name,
            passphrase: options.text("passphrase")?.unwrap_or_default(),
            suites,
            curve: options.text("ecdh_curve")?,
            prefers_own_suites: options.flag("honor_cipher_order", true),
            applications: applications
                .split(|&byte| byte == b',')
                .filter(|name| !name.is_empty())
                .map(<[u8]>::to_vec)
                .collect(),
            fingerprint: options.value("peer_fingerprint"),
            captures_certificate: options.flag("capture_peer_cert", false),
            captures_chain: options.flag("capture_peer_cert_chain", false),
        }))
    }

    /// Expects the host of an address at the other end, unless the context names somebody else.
    pub(crate) fn expect(&mut self, address: &[u8]) {
        if self.peer_name.is_none() && self.side == Side::Client {
            self.peer_name = host_of(address);
        }
    }
}

/// The host in `scheme://host:port`.
fn host_of(address: &[u8]) -> Option<Vec<u8>> {
    let start = memchr::memmem::find(address, b"://").map_or(0, |at| at + 3);
    let rest = &address[start..];
    let host = match rest.strip_prefix(b"[") {
        Some(inner) => &inner[..memchr::memchr(b']', inner)?],
        None => &rest[..memchr::memchr2(b':', b'/', rest).unwrap_or(rest.len())],
    };
    let dots = host.iter().rev().take_while(|&&byte| byte == b'.').count();
    let host = &host[..host.len() - dots];
    (!host.is_empty()).then(|| host.to_vec())
}

/// The files of each host.
pub(super) type FilesByName = Vec<(Vec<u8>, Files)>;

/// `SNI_server_certs`: files by name; nothing after a warning.
fn by_name(vm: &mut Vm, given: &Value) -> PhpResult<Option<FilesByName>> {
    let Some(table) = given.array() else {
        vm.function_warning("SNI_server_certs requires an array mapping host names to cert paths");
        return Ok(None);
    };
    if table.is_empty() {
        vm.function_warning("SNI_server_certs host cert array must not be empty");
        return Ok(None);
    }
    let mut found = Vec::new();
    for (key, value) in table.iter() {
        let vm_runtime::array::KeyRef::String(name) = key else {
            vm.function_warning("SNI_server_certs array requires string host name keys");
            return Ok(None);
        };
        let files = match value.deref().view() {
            ValueKind::Array(pair) => {
                let (certificate, key) =
                    (pair.get_bytes(b"local_cert"), pair.get_bytes(b"local_pk"));
                let Some(certificate) = certificate else {
                    vm.function_warning("local_cert not present in the array");
                    return Ok(None);
                };
                let Some(key) = key else {
                    vm.function_warning("local_pk not present in the array");
                    return Ok(None);
                };
                let (certificate, key) =
                    (Value::share(certificate.deref()), Value::share(key.deref()));
                Files {
                    certificate: string_of(vm, &certificate)?.to_vec(),
                    key: Some(string_of(vm, &key)?.to_vec()),
                }
            }
            _ => {
                let certificate = Value::share(value.deref());
                Files {
                    certificate: string_of(vm, &certificate)?.to_vec(),
                    key: None,
                }
            }
        };
        found.push((name.as_bytes().to_vec(), files));
    }
    Ok(Some(found))
}
