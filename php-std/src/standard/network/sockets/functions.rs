//! `stream_socket_*` and `fsockopen`.

use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::time::Duration;

use socket2::{Domain, Socket as System, Type};
use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::address::{self, ENCRYPTED, Failure, TRANSPORTS};
use super::persistent;
use super::{Socket, Wanted, connect, default_timeout, socket_stream, unconnected};
use crate::standard::files::{
    Backend, Stream, context_argument, context_option, stream, stream_value,
};
use crate::support::{functions, list, text};

functions! {
    "stream_socket_client(string $address, &$error_code = null, &$error_message = null, ?float $timeout = null, int $flags = STREAM_CLIENT_CONNECT, $context = null)" => stream_socket_client,
    "stream_socket_server(string $address, &$error_code = null, &$error_message = null, int $flags = 12, $context = null)" => stream_socket_server,
    "stream_socket_accept(resource $socket, ?float $timeout = null, &$peer_name = null)" => stream_socket_accept,
    "stream_socket_get_name(resource $socket, bool $remote): string|false" => stream_socket_get_name,
    "stream_socket_recvfrom(resource $socket, int $length, int $flags = 0, &$address = null): string|false" => stream_socket_recvfrom,
    "stream_socket_sendto(resource $socket, string $data, int $flags = 0, string $address = \"\"): int|false" => stream_socket_sendto,
    "stream_socket_enable_crypto(resource $stream, bool $enable, ?int $crypto_method = null, $session_stream = null): int|bool" => stream_socket_enable_crypto,
    "stream_socket_shutdown(resource $stream, int $mode): bool" => stream_socket_shutdown,
    "stream_socket_pair(int $domain, int $type, int $protocol): array|false" => stream_socket_pair,
    "stream_get_transports(): array" => stream_get_transports,
    "fsockopen(string $hostname, int $port = -1, &$error_code = null, &$error_message = null, ?float $timeout = null)" => fsockopen,
    "pfsockopen(string $hostname, int $port = -1, &$error_code = null, &$error_message = null, ?float $timeout = null)" => pfsockopen,
}

pub(super) const PERSISTENT: i64 = 1;
pub(super) const ASYNC_CONNECT: i64 = 2;
pub(super) const CONNECT: i64 = 4;
pub(super) const BIND: i64 = 4;
pub(super) const LISTEN: i64 = 8;
pub(super) const OUT_OF_BAND: i64 = 1;
pub(super) const PEEK: i64 = 2;

/// Connections that wait to be accepted.
const BACKLOG: i32 = 32;

/// Seconds that a connection may take; too many are as many as there can be.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::from_secs(u32::MAX as u64))
}

/// The argument `$timeout`, or the default.
fn timeout(call: &mut Call<'_>, index: usize) -> PhpResult<Duration> {
    if !call.has(index) {
        return Ok(default_timeout(call.vm));
    }
    let seconds = call.double(index);
    if !seconds.is_finite() {
        return Err(call.value_error(index, "must be a finite value"));
    }
    Ok(duration(seconds))
}

/// The stream, kept under a name if it has one. If there is none the script is told why, by a warning and in
/// its variables.
fn finish(
    call: &mut Call<'_>,
    first: usize,
    shown: &str,
    outcome: Result<Stream, Failure>,
    persistent: Option<Vec<u8>>,
) -> PhpResult<Value> {
    let failure = match outcome {
        Ok(stream) => {
            return Ok(match persistent {
                Some(name) => persistent::keep(call.vm, name, stream),
                None => stream_value(call.vm, stream),
            });
        }
        Err(failure) => failure,
    };
    if failure.is_lookup {
        call.vm.function_warning(&failure.text);
        call.vm.check()?;
    }
    let reason = match &*failure.text {
        "" => "Unknown error",
        reason => reason,
    };
    call.vm
        .function_warning(format!("Unable to connect to {shown} ({reason})"));
    call.vm.check()?;
    call.assign(first, failure.number.into());
    let message = call.vm.string(failure.text).into();
    call.assign(first + 1, message);
    Ok(false.into())
}

fn clear(call: &mut Call<'_>, first: usize) {
    call.assign(first, 0i64.into());
    let empty = call.vm.string("").into();
    call.assign(first + 1, empty);
}

fn stream_socket_client(call: &mut Call<'_>) -> PhpResult<Value> {
    let timeout = timeout(call, 3)?;
    let flags = call.long(4);
    let context = context_argument(call, 5)?;
    let local = context_option(&context, b"socket", b"bindto");
    let local = local.map(|value| crate::support::string_of(call.vm, &value));
    let local = local.transpose()?.map(|name| name.to_vec());
    clear(call, 1);
    let name = call.bytes(0);
    let persistent = (flags & PERSISTENT != 0).then(|| [b"stream_socket_client__", name].concat());
    if let Some(known) = persistent
        .as_ref()
        .and_then(|name| persistent::find(call.vm, name))
    {
        return Ok(known);
    }
    let wanted = Wanted {
        name,
        timeout,
        waits: flags & ASYNC_CONNECT == 0,
        local,
        context: Some(&context),
    };
    let outcome = match flags & (CONNECT | ASYNC_CONNECT) {
        0 => unconnected(call.vm, &wanted),
        _ => connect(call.vm, &wanted),
    };
    let shown = vm_runtime::message::text(name);
    finish(call, 1, &shown, outcome, persistent)
}

fn fsockopen(call: &mut Call<'_>) -> PhpResult<Value> {
    connect_to_port(call, false)
}

fn pfsockopen(call: &mut Call<'_>) -> PhpResult<Value> {
    connect_to_port(call, true)
}

fn connect_to_port(call: &mut Call<'_>, is_persistent: bool) -> PhpResult<Value> {
    let timeout = timeout(call, 4)?;
    clear(call, 2);
    let port = call.long(1);
    let mut name = call.bytes(0).to_vec();
    if port > 0 {
        name.extend_from_slice(format!(":{port}").as_bytes());
    }
    let persistent = is_persistent.then(|| {
        [
            b"pfsockopen__",
            call.bytes(0),
            b":",
            port.to_string().as_bytes(),
        ]
        .concat()
    });
    if let Some(known) = persistent
        .as_ref()
        .and_then(|name| persistent::find(call.vm, name))
    {
        return Ok(known);
    }
    let wanted = Wanted {
        name: &name,
        timeout,
        waits: true,
        local: None,
        context: None,
    };
    let outcome = match memchr::memchr(0, &name) {
        Some(_) if !name.starts_with(b"unix://") && !name.starts_with(b"udg://") => Err(
            Failure::new("The hostname must not contain null bytes".into()),
        ),
        _ => connect(call.vm, &wanted),
    };
    let host = call.bytes(0);
    let host = &host[..memchr::memchr(0, host).unwrap_or(host.len())];
    let shown = format!("{}:{port}", vm_runtime::message::text(host));
    finish(call, 2, &shown, outcome, persistent)
}

fn listen(call: &mut Call<'_>, flags: i64, context: Value) -> Result<Stream, Failure> {
    let name = call.bytes(0);
    let (transport, rest) = address::transport(name)?;
    let mut failure = Failure::new(String::new());
    for address in address::resolve(transport, rest)? {
        let bound =
            System::new(address.domain(), transport.socket_type(), None).and_then(|system| {
                if !transport.is_local() {
                    system.set_reuse_address(true)?;
                }
                system.bind(&address)?;
                if flags & LISTEN != 0 {
                    system.listen(BACKLOG)?;
                }
                Ok(system)
            });
        match bound {
            Ok(system) => {
                let mut stream = socket_stream(call.vm, system, Some(transport), name);
                stream.context = Some(context);
                return Ok(stream);
            }
            // Servers tell no number.
            Err(error) => {
                failure = Failure {
                    number: 0,
                    ..Failure::from(error)
                };
            }
        }
    }
    Err(failure)
}

fn stream_socket_server(call: &mut Call<'_>) -> PhpResult<Value> {
    let flags = call.long(3);
    let context = context_argument(call, 4)?;
    clear(call, 1);
    let outcome = listen(call, flags, context);
    let shown = vm_runtime::message::text(call.bytes(0)).into_owned();
    finish(call, 1, &shown, outcome, None)
}

/// The socket behind the stream in argument #1.
fn socket<'a>(call: &mut Call<'a>) -> PhpResult<Option<&'a mut Socket>> {
    Ok(match &mut stream(call, 0)?.backend {
        Backend::Socket(socket) => Some(socket),
        _ => None,
    })
}

fn stream_socket_accept(call: &mut Call<'_>) -> PhpResult<Value> {
    let timeout = timeout(call, 1)?;
    if call.count() > 2 {
        call.assign(2, Value::NULL);
    }
    let Some(server) = socket(call)? else {
        call.vm.function_warning("Accept failed: Unknown error");
        return Ok(false.into());
    };
    let accepted = match server.wait(libc::POLLIN, Some(timeout)) {
        true => server.system().accept(),
        false => Err(std::io::Error::from_raw_os_error(libc::ETIMEDOUT)),
    };
    match accepted {
        Ok((system, peer)) => {
            if call.count() > 2
                && let Some(name) = address::text(&peer)
            {
                let name = call.vm.string(name).into();
                call.assign(2, name);
            }
            let transport = server.transport;
            let mut accepted = socket_stream(call.vm, system, transport, b"");
            let server = stream(call, 0)?;
            accepted.context = server.context.clone();
            let address = server.uri.clone();
            if let Err(reason) = greeted(call, &mut accepted, &address, timeout)? {
                call.vm.function_warning(format!("Accept failed: {reason}"));
                return Ok(false.into());
            }
            Ok(stream_value(call.vm, accepted))
        }
        Err(error) => {
            let reason = Failure::from(error).text;
            call.vm.function_warning(format!("Accept failed: {reason}"));
            Ok(false.into())
        }
    }
}

fn stream_socket_get_name(call: &mut Call<'_>) -> PhpResult<Value> {
    let remote = call.bool(1);
    let Some(socket) = socket(call)? else {
        return Ok(false.into());
    };
    let address = match remote {
        true => socket.system().peer_addr(),
        false => socket.system().local_addr(),
    };
    match address.ok().and_then(|address| address::text(&address)) {
        Some(name) if !name.is_empty() => text(call.vm, name),
        _ => Ok(false.into()),
    }
}

fn stream_socket_recvfrom(call: &mut Call<'_>) -> PhpResult<Value> {
    let (length, flags) = (call.long(1), call.long(2));
    if length <= 0 {
        return Err(call.value_error(1, "must be greater than 0"));
    }
    if call.count() > 3 {
        call.assign(3, Value::NULL);
    }
    let target = stream(call, 0)?;
    // What was read ahead comes first.
    let ahead = target.buffered();
    if !ahead.is_empty() {
        let taken = ahead[..ahead.len().min(length as usize)].to_vec();
        if flags & PEEK == 0 {
            let _ = target.read(taken.len());
        }
        return text(call.vm, taken);
    }
    let Backend::Socket(socket) = &mut target.backend else {
        return Ok(false.into());
    };
    vm_runtime::limits::reserve(length as usize);
    let mut buffer = vec![MaybeUninit::new(0u8); length as usize];
    let mut system_flags = libc::MSG_DONTWAIT;
    if flags & OUT_OF_BAND != 0 {
        system_flags |= libc::MSG_OOB;
    }
    if flags & PEEK != 0 {
        system_flags |= libc::MSG_PEEK;
    }
    let (read, peer) = loop {
        match socket
            .system()
            .recv_from_with_flags(&mut buffer, system_flags)
        {
            Ok(received) => break received,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock && socket.blocking => {
                socket.wait(libc::POLLIN, None);
            }
            Err(_) => return Ok(false.into()),
        }
    };
    // SAFETY: all bytes were initialised above, and the call only writes bytes.
    let bytes: Vec<u8> = buffer[..read]
        .iter()
        .map(|byte| unsafe { byte.assume_init() })
        .collect();
    if call.count() > 3 {
        let name = match address::text(&peer) {
            Some(name) if peer.len() > 0 && !name.is_empty() => call.vm.string(name).into(),
            _ => call.vm.string("").into(),
        };
        call.assign(3, name);
    }
    text(call.vm, bytes)
}

fn stream_socket_sendto(call: &mut Call<'_>) -> PhpResult<Value> {
    let flags = call.long(2);
    let (data, name) = (call.bytes(1), call.optional_bytes(3).unwrap_or_default());
    let Some(socket) = socket(call)? else {
        return Ok((-1i64).into());
    };
    let mut system_flags = libc::MSG_NOSIGNAL;
    if flags & OUT_OF_BAND != 0 {
        system_flags |= libc::MSG_OOB;
    }
    let sent = if name.is_empty() {
        socket.system().send_with_flags(data, system_flags)
    } else {
        let domain = socket.system().domain().unwrap_or(Domain::IPV4);
        let Some(address) = address::numeric(domain, name) else {
            let shown = vm_runtime::message::text(name).into_owned();
            call.vm.function_warning(format!(
                "Failed to parse `{shown}' into a valid network address"
            ));
            return Ok(false.into());
        };
        socket
            .system()
            .send_to_with_flags(data, &address, system_flags)
    };
    match sent {
        Ok(sent) => Ok(sent.into()),
        Err(error) => {
            let reason = Failure::from(error).text;
            call.vm.function_warning(format!("{reason}\n"));
            Ok((-1i64).into())
        }
    }
}

/// Encrypts a connection that was just accepted if the address says so.
#[cfg(feature = "tls")]
fn greeted(
    call: &mut Call<'_>,
    accepted: &mut Stream,
    address: &[u8],
    timeout: Duration,
) -> PhpResult<Result<(), &'static str>> {
    let Some(method) = address::encryption(address) else {
        return Ok(Ok(()));
    };
    let wish = super::Wish {
        timeout,
        ..super::Wish::of(crate::tls::Side::Server, method)
    };
    if let super::Enabled::Done = super::enable(call.vm, accepted, &wish)? {
        return Ok(Ok(()));
    }
    call.vm.function_warning("Failed to enable crypto");
    call.vm.check()?;
    Ok(Err("Cannot enable crypto"))
}

#[cfg(not(feature = "tls"))]
fn greeted(
    _: &mut Call<'_>,
    _: &mut Stream,
    _: &[u8],
    _: Duration,
) -> PhpResult<Result<(), &'static str>> {
    Ok(Ok(()))
}

#[cfg(feature = "tls")]
use super::encryption::stream_socket_enable_crypto;

#[cfg(not(feature = "tls"))]
fn stream_socket_enable_crypto(call: &mut Call<'_>) -> PhpResult<Value> {
    stream(call, 0)?;
    call.vm
        .function_warning("Opline was built without support for encrypted connections");
    Ok(false.into())
}

fn stream_socket_shutdown(call: &mut Call<'_>) -> PhpResult<Value> {
    let how = match call.long(1) {
        0 => Shutdown::Read,
        1 => Shutdown::Write,
        2 => Shutdown::Both,
        _ => {
            return Err(call.value_error(
                1,
                "must be one of STREAM_SHUT_RD, STREAM_SHUT_WR, or STREAM_SHUT_RDWR",
            ));
        }
    };
    Ok(match socket(call)? {
        Some(socket) => socket.system().shutdown(how).is_ok(),
        None => false,
    }
    .into())
}

fn stream_socket_pair(call: &mut Call<'_>) -> PhpResult<Value> {
    let domain = Domain::from(call.long(0) as i32);
    let kind = Type::from(call.long(1) as i32);
    let protocol = match call.long(2) {
        0 => None,
        number => Some(socket2::Protocol::from(number as i32)),
    };
    match System::pair(domain, kind, protocol) {
        Ok((one, other)) => {
            let pair = [one, other].map(|system| socket_stream(call.vm, system, None, b""));
            let pair = pair.map(|stream| stream_value(call.vm, stream));
            Ok(list(call.vm, pair))
        }
        Err(error) => {
            let number = error.raw_os_error().unwrap_or(0);
            let reason = Failure::from(error).text;
            call.vm
                .function_warning(format!("Failed to create sockets: [{number}]: {reason}"));
            Ok(false.into())
        }
    }
}

fn stream_get_transports(call: &mut Call<'_>) -> PhpResult<Value> {
    let plain = TRANSPORTS.iter().map(|(name, _)| *name);
    let names: Vec<Value> = plain
        .chain(ENCRYPTED.iter().map(|(name, _)| *name))
        .map(|name| call.vm.string(name).into())
        .collect();
    Ok(list(call.vm, names))
}

/// True if a value is a resource: what `stream_select()` takes.
pub(super) fn is_resource(value: &Value) -> bool {
    matches!(value.deref().view(), ValueKind::Resource(_))
}
