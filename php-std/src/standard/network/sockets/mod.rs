//! Sockets behind streams: transports, `stream_socket_*`, `fsockopen`, `stream_select`.

mod address;
#[cfg(feature = "tls")]
mod encryption;
mod functions;
mod persistent;
mod select;

use std::fs::File;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use socket2::{Domain, SockAddr, Socket as System};
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::Vm;

use crate::standard::files::{Backend, Stream};
use crate::support::define;

use address::{Failure, Transport};
#[cfg(feature = "tls")]
pub(crate) use encryption::{Enabled, Wish, enable};

/// A socket behind a stream.
#[derive(Debug)]
pub(crate) struct Socket {
    /// The descriptor, which is read and written as a file's.
    file: File,
    /// None for one of a pair.
    transport: Option<Transport>,
    /// How long a read waits.
    timeout: Duration,
    /// What a read waited for did not come.
    pub(crate) timed_out: bool,
    blocking: bool,
    /// The encryption of what is read and written.
    #[cfg(feature = "tls")]
    pub(crate) encryption: Option<Box<encryption::Encryption>>,
}

/// What came of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrived {
    /// This many bytes.
    Bytes(usize),
    /// Nothing yet.
    Nothing,
    /// The other end is closed.
    End,
}

impl Socket {
    fn new(system: System, transport: Option<Transport>, timeout: Duration) -> Socket {
        Socket {
            file: File::from(OwnedFd::from(system)),
            transport,
            timeout,
            timed_out: false,
            blocking: true,
            #[cfg(feature = "tls")]
            encryption: None,
        }
    }

    /// The socket, for calls that files do not know. The descriptor stays with the stream.
    fn system(&self) -> socket2::SockRef<'_> {
        socket2::SockRef::from(&self.file)
    }

    /// The descriptor.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// What meta data call it.
    fn kind(&self) -> &'static str {
        match self.transport {
            Some(Transport::Tcp) if cfg!(feature = "tls") => "tcp_socket/ssl",
            Some(Transport::Tcp) => "tcp_socket",
            Some(Transport::Udp) => "udp_socket",
            Some(Transport::Unix) => "unix_socket",
            Some(Transport::UnixDatagram) => "udg_socket",
            None => "generic_socket",
        }
    }

    /// Reads up to `length` bytes, waiting as long as was set.
    pub(crate) fn read(&mut self, buffer: &mut Vec<u8>, length: usize) -> io::Result<Arrived> {
        self.timed_out = false;
        #[cfg(feature = "tls")]
        if self.is_encrypted() {
            return self.read_encrypted(buffer, length);
        }
        if self.blocking && !self.wait(libc::POLLIN, Some(self.timeout)) {
            self.timed_out = true;
            return Ok(Arrived::Nothing);
        }
        let before = buffer.len();
        buffer.resize(before + length, 0);
        let outcome = loop {
            match (&self.file).read(&mut buffer[before..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => break outcome,
            }
        };
        buffer.truncate(before + outcome.as_ref().map_or(0, |&read| read));
        match outcome {
            Ok(0) => Ok(Arrived::End),
            Ok(read) => Ok(Arrived::Bytes(read)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Arrived::Nothing),
            // The other end is gone: PHP says no more than that.
            Err(_) => Err(io::Error::other("the connection is gone")),
        }
    }

    /// Sends bytes; gives how many were taken.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        #[cfg(feature = "tls")]
        if self.is_encrypted() {
            return self.write_encrypted(bytes);
        }
        let mut sent = 0;
        while sent < bytes.len() {
            // Whoever waits does so where limits end it.
            let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
            match self.system().send_with_flags(&bytes[sent..], flags) {
                Ok(taken) => sent += taken,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if !self.blocking || !self.wait(libc::POLLOUT, None) {
                        return Ok(sent);
                    }
                }
                Err(_) if sent > 0 => return Ok(sent),
                Err(error) => return Err(error),
            }
        }
        Ok(sent)
    }

    /// True if the other end was closed and nothing is left to read.
    pub(crate) fn is_closed(&mut self) -> bool {
        #[cfg(feature = "tls")]
        if let Some(is_closed) = self.is_encryption_closed() {
            return is_closed;
        }
        let mut byte = [MaybeUninit::uninit()];
        let flags = libc::MSG_PEEK | libc::MSG_DONTWAIT;
        match self.system().recv_with_flags(&mut byte, flags) {
            Ok(0) => true,
            Ok(_) => false,
            Err(error) => !matches!(
                error.kind(),
                io::ErrorKind::WouldBlock
                    | io::ErrorKind::Interrupted
                    | io::ErrorKind::NotConnected
            ),
        }
    }

    /// Tells the other end that nothing follows.
    pub(crate) fn end_sending(&mut self) {
        #[cfg(feature = "tls")]
        self.end_encryption();
        // Who is gone need not be told.
        let _ = self.system().shutdown(std::net::Shutdown::Write);
    }

    /// Whether reads and writes wait.
    pub(crate) fn set_blocking(&mut self, blocking: bool) -> bool {
        self.blocking = blocking;
        self.system().set_nonblocking(!blocking).is_ok()
    }

    /// How long a read waits.
    pub(crate) fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
    }

    /// Waits for an event; false if it did not come in time.
    fn wait(&self, events: i16, timeout: Option<Duration>) -> bool {
        wait_for_event(self.file.as_raw_fd(), events, timeout)
    }
}

/// Waits for an event at a descriptor; false if it did not come in time. Limits end the script meanwhile.
fn wait_for_event(descriptor: i32, events: i16, timeout: Option<Duration>) -> bool {
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    limits::wait_until(|slice| {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let slice = left.map_or(slice, |left| left.min(slice));
        let mut entry = libc::pollfd {
            fd: descriptor,
            events,
            revents: 0,
        };
        let milliseconds = slice.as_micros().div_ceil(1000) as libc::c_int;
        // SAFETY: one entry, which the call writes to.
        let ready = unsafe { libc::poll(&mut entry, 1, milliseconds) };
        if ready > 0 {
            return Some(true);
        }
        left.is_some_and(|left| left.is_zero()).then_some(false)
    })
}

/// The setting `default_socket_timeout`.
fn default_timeout(vm: &Vm) -> Duration {
    match vm.ini.long("default_socket_timeout") {
        seconds if seconds < 0 => Duration::from_secs(u32::MAX as u64),
        seconds => Duration::from_secs(seconds as u64),
    }
}

/// A stream of a socket.
fn socket_stream(vm: &Vm, system: System, transport: Option<Transport>, uri: &[u8]) -> Stream {
    let socket = Socket::new(system, transport, default_timeout(vm));
    let kind = socket.kind();
    let mut stream = Stream::new(Backend::Socket(Box::new(socket)), true, true);
    stream.seekable = false;
    stream.kind = kind;
    stream.wrapper = "";
    stream.mode = b"r+".to_vec();
    stream.uri = uri.to_vec();
    stream
}

/// A stream of one end of a pair of sockets.
pub(crate) fn pair_stream(vm: &Vm, end: OwnedFd) -> Stream {
    socket_stream(vm, System::from(end), None, b"")
}

/// A stream of a socket that an extension made.
pub(crate) fn stream_of(vm: &Vm, descriptor: OwnedFd, family: i32, kind: i32) -> Stream {
    let (transport, uri): (_, &[u8]) = match (family, kind) {
        (libc::AF_UNIX, libc::SOCK_DGRAM) => (Transport::UnixDatagram, b"udg://"),
        (libc::AF_UNIX, _) => (Transport::Unix, b"unix://"),
        (_, libc::SOCK_DGRAM) => (Transport::Udp, b"udp://"),
        _ => (Transport::Tcp, b"tcp://"),
    };
    socket_stream(vm, System::from(descriptor), Some(transport), uri)
}

/// Connects to an address, for at most a time.
fn connect_to(
    transport: Transport,
    address: &SockAddr,
    local: Option<&SockAddr>,
    timeout: Duration,
    waits: bool,
) -> Result<System, Failure> {
    let system = System::new(address.domain(), transport.socket_type(), None)?;
    if let Some(local) = local {
        system.bind(local)?;
    }
    system.set_nonblocking(true)?;
    let outcome = system.connect(address);
    let in_progress = |error: &io::Error| {
        error.raw_os_error() == Some(libc::EINPROGRESS) || error.kind() == io::ErrorKind::WouldBlock
    };
    match outcome {
        Ok(()) => {}
        Err(error) if in_progress(&error) && !waits => {}
        Err(error) if in_progress(&error) => {
            if !wait_for_event(system.as_raw_fd(), libc::POLLOUT, Some(timeout)) {
                return Err(io::Error::from_raw_os_error(libc::ETIMEDOUT).into());
            }
            if let Some(error) = system.take_error()? {
                return Err(error.into());
            }
        }
        Err(error) => return Err(error.into()),
    }
    system.set_nonblocking(false)?;
    Ok(system)
}

/// What a connection is asked for.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    /// The address, with a transport before it or without.
    pub(crate) name: &'a [u8],
    pub(crate) timeout: Duration,
    /// False to come back before the connection stands.
    pub(crate) waits: bool,
    /// The address of this end, if it matters: the option `bindto`.
    pub(crate) local: Option<Vec<u8>>,
    pub(crate) context: Option<&'a Value>,
}

/// A socket that is not connected to anything.
fn unconnected(vm: &mut Vm, wanted: &Wanted<'_>) -> Result<Stream, Failure> {
    let (transport, _) = address::transport(wanted.name)?;
    let domain = match transport.is_local() {
        true => Domain::UNIX,
        false => Domain::IPV4,
    };
    let system = System::new(domain, transport.socket_type(), None)?;
    let mut stream = socket_stream(vm, system, Some(transport), wanted.name);
    stream.context = wanted.context.cloned();
    Ok(stream)
}

/// Connects; tries the addresses of a name in turn.
fn connect(vm: &mut Vm, wanted: &Wanted<'_>) -> Result<Stream, Failure> {
    let (transport, rest) = address::transport(wanted.name)?;
    let addresses = address::resolve(transport, rest)?;
    let local = match &wanted.local {
        Some(name) => address::resolve(transport, name)?.into_iter().next(),
        None => None,
    };
    let mut failure = Failure::new(String::new());
    for address in addresses {
        let local = local
            .as_ref()
            .filter(|local| local.domain() == address.domain());
        // Who agrees on keys waits for that.
        let waits = wanted.waits || address::encryption(wanted.name).is_some();
        match connect_to(transport, &address, local, wanted.timeout, waits) {
            Ok(system) => {
                if transport == Transport::Tcp {
                    // Small messages go out at once; one that cannot still works.
                    let _ = system.set_tcp_nodelay(false);
                }
                let mut stream = socket_stream(vm, system, Some(transport), wanted.name);
                stream.context = wanted.context.cloned();
                return encrypted(vm, stream, wanted);
            }
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// A stream that was just connected, encrypted if that is wanted. Warns of why it cannot be.
#[cfg(feature = "tls")]
fn encrypted(vm: &mut Vm, mut stream: Stream, wanted: &Wanted<'_>) -> Result<Stream, Failure> {
    let Some(method) = address::encryption(wanted.name) else {
        return Ok(stream);
    };
    let wish = Wish {
        timeout: wanted.timeout,
        ..Wish::of(crate::tls::Side::Client, method)
    };
    match enable(vm, &mut stream, &wish) {
        Ok(Enabled::Done) => Ok(stream),
        _ => {
            vm.function_warning("Failed to enable crypto");
            Err(Failure::new(String::new()))
        }
    }
}

#[cfg(not(feature = "tls"))]
fn encrypted(_: &mut Vm, stream: Stream, _: &Wanted<'_>) -> Result<Stream, Failure> {
    Ok(stream)
}

/// Connects to `tcp://host:port` or an encrypted transport, within some seconds or the time that the settings give;
/// or says why not, and whether the name could not be found. Why encryption failed was told then.
pub(crate) fn connect_tcp(
    vm: &mut Vm,
    name: &[u8],
    seconds: Option<f64>,
    context: Option<&Value>,
) -> Result<Stream, (String, bool)> {
    let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let wanted = Wanted {
        name,
        timeout: timeout.unwrap_or_else(|| default_timeout(vm)),
        waits: true,
        local: None,
        context,
    };
    let mut stream = connect(vm, &wanted).map_err(|failure| (failure.text, failure.is_lookup))?;
    if let (Some(timeout), Backend::Socket(socket)) = (timeout, &mut stream.backend) {
        socket.set_timeout(timeout);
    }
    Ok(stream)
}

/// Registers functions and constants.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    vm.register_functions(functions::FUNCTIONS);
    vm.register_functions(select::FUNCTIONS);
    define(
        vm,
        &[
            ("STREAM_CLIENT_PERSISTENT", functions::PERSISTENT),
            ("STREAM_CLIENT_ASYNC_CONNECT", functions::ASYNC_CONNECT),
            ("STREAM_CLIENT_CONNECT", functions::CONNECT),
            ("STREAM_CRYPTO_METHOD_ANY_CLIENT", 127),
            ("STREAM_CRYPTO_METHOD_SSLv2_CLIENT", 3),
            ("STREAM_CRYPTO_METHOD_SSLv3_CLIENT", 5),
            ("STREAM_CRYPTO_METHOD_SSLv23_CLIENT", 57),
            ("STREAM_CRYPTO_METHOD_TLS_CLIENT", 121),
            ("STREAM_CRYPTO_METHOD_TLSv1_0_CLIENT", 9),
            ("STREAM_CRYPTO_METHOD_TLSv1_1_CLIENT", 17),
            ("STREAM_CRYPTO_METHOD_TLSv1_2_CLIENT", 33),
            ("STREAM_CRYPTO_METHOD_TLSv1_3_CLIENT", 65),
            ("STREAM_CRYPTO_METHOD_ANY_SERVER", 126),
            ("STREAM_CRYPTO_METHOD_SSLv2_SERVER", 2),
            ("STREAM_CRYPTO_METHOD_SSLv3_SERVER", 4),
            ("STREAM_CRYPTO_METHOD_SSLv23_SERVER", 120),
            ("STREAM_CRYPTO_METHOD_TLS_SERVER", 120),
            ("STREAM_CRYPTO_METHOD_TLSv1_0_SERVER", 8),
            ("STREAM_CRYPTO_METHOD_TLSv1_1_SERVER", 16),
            ("STREAM_CRYPTO_METHOD_TLSv1_2_SERVER", 32),
            ("STREAM_CRYPTO_METHOD_TLSv1_3_SERVER", 64),
            ("STREAM_CRYPTO_PROTO_SSLv3", 4),
            ("STREAM_CRYPTO_PROTO_TLSv1_0", 8),
            ("STREAM_CRYPTO_PROTO_TLSv1_1", 16),
            ("STREAM_CRYPTO_PROTO_TLSv1_2", 32),
            ("STREAM_CRYPTO_PROTO_TLSv1_3", 64),
            ("STREAM_SHUT_RD", 0),
            ("STREAM_SHUT_WR", 1),
            ("STREAM_SHUT_RDWR", 2),
            ("STREAM_PF_INET", libc::PF_INET as i64),
            ("STREAM_PF_INET6", libc::PF_INET6 as i64),
            ("STREAM_PF_UNIX", libc::PF_UNIX as i64),
            ("STREAM_IPPROTO_IP", 0),
            ("STREAM_IPPROTO_TCP", 6),
            ("STREAM_IPPROTO_UDP", 17),
            ("STREAM_IPPROTO_ICMP", 1),
            ("STREAM_IPPROTO_RAW", 255),
            ("STREAM_SOCK_STREAM", libc::SOCK_STREAM as i64),
            ("STREAM_SOCK_DGRAM", libc::SOCK_DGRAM as i64),
            ("STREAM_SOCK_RAW", libc::SOCK_RAW as i64),
            ("STREAM_SOCK_SEQPACKET", libc::SOCK_SEQPACKET as i64),
            ("STREAM_SOCK_RDM", libc::SOCK_RDM as i64),
            ("STREAM_PEEK", functions::PEEK),
            ("STREAM_OOB", functions::OUT_OF_BAND),
            ("STREAM_SERVER_BIND", functions::BIND),
            ("STREAM_SERVER_LISTEN", functions::LISTEN),
            ("STREAM_NOTIFY_CONNECT", 2),
            ("STREAM_NOTIFY_AUTH_REQUIRED", 3),
            ("STREAM_NOTIFY_AUTH_RESULT", 10),
            ("STREAM_NOTIFY_MIME_TYPE_IS", 4),
            ("STREAM_NOTIFY_FILE_SIZE_IS", 5),
            ("STREAM_NOTIFY_REDIRECTED", 6),
            ("STREAM_NOTIFY_PROGRESS", 7),
            ("STREAM_NOTIFY_FAILURE", 9),
            ("STREAM_NOTIFY_COMPLETED", 8),
            ("STREAM_NOTIFY_RESOLVE", 1),
            ("STREAM_NOTIFY_SEVERITY_INFO", 0),
            ("STREAM_NOTIFY_SEVERITY_WARN", 1),
            ("STREAM_NOTIFY_SEVERITY_ERR", 2),
        ],
    );
}
