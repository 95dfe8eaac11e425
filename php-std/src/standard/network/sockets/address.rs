//! Addresses of sockets as scripts write them: `tcp://host:port`, `unix:///path`.

use std::net::{SocketAddr, ToSocketAddrs};

use socket2::{Domain, SockAddr, Type};

/// What carries the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Tcp,
    Udp,
    /// A stream socket in the file system.
    Unix,
    /// A datagram socket in the file system.
    UnixDatagram,
}

/// The names of the transports, in PHP's order.
pub(super) const TRANSPORTS: [(&str, Transport); 4] = [
    ("tcp", Transport::Tcp),
    ("udp", Transport::Udp),
    ("unix", Transport::Unix),
    ("udg", Transport::UnixDatagram),
];

/// The names of transports that are encrypted, with the versions of the protocol (bits of a `crypto_method`).
#[cfg(feature = "tls")]
pub(super) const ENCRYPTED: [(&str, i64); 4] = {
    use crate::tls::protocol::{ANY, TLS_1_2, TLS_1_3};
    [
        ("ssl", ANY),
        ("tls", ANY),
        ("tlsv1.2", TLS_1_2),
        ("tlsv1.3", TLS_1_3),
    ]
};
#[cfg(not(feature = "tls"))]
pub(super) const ENCRYPTED: [(&str, i64); 0] = [];

/// How a connection to `name` is encrypted, if it is: bits of a `crypto_method`.
pub(super) fn encryption(name: &[u8]) -> Option<i64> {
    let scheme = &name[..memchr::memmem::find(name, b"://")?];
    let mut known = ENCRYPTED.iter();
    let found = known.find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(scheme));
    found.map(|&(_, method)| method)
}

impl Transport {
    pub(super) fn socket_type(self) -> Type {
        match self {
            Transport::Tcp | Transport::Unix => Type::STREAM,
            Transport::Udp | Transport::UnixDatagram => Type::DGRAM,
        }
    }

    pub(super) fn is_local(self) -> bool {
        matches!(self, Transport::Unix | Transport::UnixDatagram)
    }
}

/// Why there is no connection: a number of the system, or 0, and a text.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) number: i64,
    pub(super) text: String,
    /// Told in a warning of its own besides.
    pub(super) is_lookup: bool,
}

impl Failure {
    pub(super) fn new(text: String) -> Failure {
        Failure {
            number: 0,
            text,
            is_lookup: false,
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure {
            number: error.raw_os_error().unwrap_or(0) as i64,
            text: vm_runtime::interpreter::include::os_error_text(&error),
            is_lookup: false,
        }
    }
}

/// Splits `name` into a transport and what stands behind it.
pub(super) fn transport(name: &[u8]) -> Result<(Transport, &[u8]), Failure> {
    let Some(at) = memchr::memmem::find(name, b"://") else {
        return Ok((Transport::Tcp, name));
    };
    let (scheme, rest) = (&name[..at], &name[at + 3..]);
    let known = TRANSPORTS
        .iter()
        .find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(scheme));
    match known {
        Some(&(_, transport)) => Ok((transport, rest)),
        None if encryption(name).is_some() => Ok((Transport::Tcp, rest)),
        None => Err(Failure::new(format!(
            "Unable to find the socket transport \"{}\" - did you forget to enable it when you configured PHP?",
            vm_runtime::message::text(scheme)
        ))),
    }
}

/// The host and the port of `host:port` or `[address]:port`.
fn host_and_port(name: &[u8]) -> Result<(String, u16), Failure> {
    let shown = vm_runtime::message::text(name);
    let port = |digits: &str| {
        let end = digits
            .find(|byte: char| !byte.is_ascii_digit())
            .unwrap_or(digits.len());
        digits[..end].parse::<u64>().unwrap_or(0) as u16
    };
    if let Some(rest) = shown.strip_prefix('[')
        && name.len() > 1
    {
        return match rest.split_once("]:") {
            Some((host, rest)) => Ok((host.to_owned(), port(rest))),
            None => Err(Failure::new(format!(
                "Failed to parse IPv6 address \"{shown}\""
            ))),
        };
    }
    match shown.split_once(':') {
        Some((host, rest)) if !rest.is_empty() => Ok((host.to_owned(), port(rest))),
        _ => Err(Failure::new(format!("Failed to parse address \"{shown}\""))),
    }
}

/// The addresses that a name behind a transport stands for.
pub(super) fn resolve(transport: Transport, name: &[u8]) -> Result<Vec<SockAddr>, Failure> {
    if transport.is_local() {
        use std::os::unix::ffi::OsStrExt;
        let path = std::ffi::OsStr::from_bytes(name);
        return Ok(vec![SockAddr::unix(path)?]);
    }
    let (host, port) = host_and_port(name)?;
    if host.contains('\0') {
        let text = "The hostname must not contain null bytes";
        return Err(Failure::new(text.into()));
    }
    let unknown = || Failure {
        number: 0,
        text: format!(
            "php_network_getaddresses: getaddrinfo for {host} failed: Name or service not known"
        ),
        is_lookup: true,
    };
    if host.is_empty() {
        return Err(unknown());
    }
    let found = (&*host, port).to_socket_addrs();
    let found: Vec<SocketAddr> = found.map_err(|_| unknown())?.collect();
    if found.is_empty() {
        return Err(unknown());
    }
    Ok(found.into_iter().map(SockAddr::from).collect())
}

/// An address of numbers alone, for datagrams.
pub(super) fn numeric(domain: Domain, name: &[u8]) -> Option<SockAddr> {
    if domain == Domain::UNIX {
        return SockAddr::unix(crate::standard::files::path(name)).ok();
    }
    let (_, rest) = transport(name).ok()?;
    resolve(Transport::Udp, rest).ok()?.into_iter().next()
}

/// An address as `stream_socket_get_name()` gives it.
pub(super) fn text(address: &SockAddr) -> Option<Vec<u8>> {
    if let Some(address) = address.as_socket() {
        return Some(address.to_string().into_bytes());
    }
    use std::os::unix::ffi::OsStrExt;
    if let Some(path) = address.as_pathname() {
        return Some(path.as_os_str().as_bytes().to_vec());
    }
    if let Some(name) = address.as_abstract_namespace() {
        let mut text = vec![0];
        text.extend_from_slice(name);
        return Some(text);
    }
    address.is_unix().then(Vec::new)
}
