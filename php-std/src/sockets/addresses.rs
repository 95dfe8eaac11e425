//! Addresses: binding, connecting, looking up names.

use std::any::Any;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::os::fd::RawFd;

use socket2::SockAddr;
use vm_runtime::array::KeyRef;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::operators::to_long;
use vm_runtime::value::{ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::transfer::{number_of, wait_for};
use super::{complain, make, native, note, opened, system_error};
use crate::support::{Append, hold, new_list};

/// The longest name of a local socket, and one.
const LONGEST: usize = 108;

/// The native part of an AddressInfo.
#[derive(Default)]
pub(super) struct Info {
    address: Option<SockAddr>,
    flags: i64,
    kind: i32,
    protocol: i32,
}

impl NativeData for Info {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// The address of a host, or the number of an error.
pub(super) fn host(name: &[u8], family: i32) -> Result<IpAddr, i32> {
    let text = std::str::from_utf8(name).map_err(|_| -10001)?;
    if family == libc::AF_INET {
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Ok(address.into());
        }
    } else if let Ok(address) = text.split('%').next().unwrap_or(text).parse::<Ipv6Addr>() {
        return Ok(address.into());
    }
    let found = (text, 0u16).to_socket_addrs().map_err(|_| -10001)?;
    found
        .map(|address| address.ip())
        .find(|address| address.is_ipv4() == (family == libc::AF_INET))
        .ok_or(-10001)
}

/// An address for a socket of a family. `Err(None)` if that was said already.
pub(super) fn address(
    call: &mut Call<'_>,
    object: &ObjectHandle,
    name_at: usize,
    port: u16,
) -> PhpResult<Option<SockAddr>> {
    let name = call.bytes(name_at);
    let family = native(object).family;
    if family == libc::AF_UNIX {
        if name.len() >= LONGEST {
            return Err(call.value_error(name_at, "must be less than 108"));
        }
        return match local(name) {
            Some(address) => Ok(Some(address)),
            None => {
                complain(call.vm, Some(object), "Unable to use address", libc::EINVAL)?;
                Ok(None)
            }
        };
    }
    match host(name, family) {
        Ok(address) => Ok(Some(SocketAddr::new(address, port).into())),
        Err(error) => {
            complain(call.vm, Some(object), "Host lookup failed", error)?;
            Ok(None)
        }
    }
}

/// The address of a local socket, whose name may begin with NUL.
fn local(name: &[u8]) -> Option<SockAddr> {
    use std::os::unix::ffi::OsStrExt;
    SockAddr::unix(std::ffi::OsStr::from_bytes(name)).ok()
}

/// Tells an address in arguments: the host or the name, and the port.
pub(super) fn tell(call: &mut Call<'_>, address: &SockAddr, name_at: usize) {
    match address.as_socket() {
        Some(known) => {
            let ip: Value = call.vm.string(known.ip().to_string()).into();
            call.assign(name_at, ip);
            if call.count() > name_at + 1 {
                call.assign(name_at + 1, i64::from(known.port()).into());
            }
        }
        None => {
            use std::os::unix::ffi::OsStrExt;
            let name = match address.as_pathname() {
                Some(path) => path.as_os_str().as_bytes().to_vec(),
                None => match address.as_abstract_namespace() {
                    Some(name) => [b"\0".as_slice(), name].concat(),
                    None => Vec::new(),
                },
            };
            let name: Value = call.vm.string(name).into();
            call.assign(name_at, name);
        }
    }
}

/// What a socket is bound or connected to.
fn own_address(call: &mut Call<'_>, is_peer: bool) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    // SAFETY: the descriptor is open; the system fills the storage and tells how much of it.
    let found = unsafe {
        SockAddr::try_init(|storage, length| {
            let outcome = match is_peer {
                true => libc::getpeername(descriptor, storage.cast(), length),
                false => libc::getsockname(descriptor, storage.cast(), length),
            };
            match outcome {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        })
    };
    match found {
        Ok(((), address)) => {
            tell(call, &address, 1);
            Ok(true.into())
        }
        Err(error) => {
            let what = match is_peer {
                true => "unable to retrieve peer name",
                false => "unable to retrieve socket name",
            };
            complain(
                call.vm,
                Some(&object),
                what,
                error.raw_os_error().unwrap_or(0),
            )
        }
    }
}

pub(super) fn getsockname(call: &mut Call<'_>) -> PhpResult<Value> {
    own_address(call, false)
}

pub(super) fn getpeername(call: &mut Call<'_>) -> PhpResult<Value> {
    own_address(call, true)
}

fn bind_to(descriptor: RawFd, address: &SockAddr) -> bool {
    // SAFETY: the descriptor is open; address and length belong together.
    unsafe { libc::bind(descriptor, address.as_ptr().cast(), address.len()) == 0 }
}

pub(super) fn bind(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    let port = call.long(2);
    let Some(address) = address(call, &object, 1, port as u16)? else {
        return Ok(false.into());
    };
    if bind_to(descriptor, &address) {
        return Ok(true.into());
    }
    let error = system_error();
    complain(call.vm, Some(&object), "Unable to bind address", error)
}

/// Connects. If the socket waits for that, limits end it.
fn connect_to(descriptor: RawFd, address: &SockAddr) -> Result<(), i32> {
    // SAFETY: the descriptor is open; as for `bind_to`.
    let (flags, connect) = unsafe {
        let connect = || match libc::connect(descriptor, address.as_ptr().cast(), address.len()) {
            0 => Ok(()),
            _ => Err(system_error()),
        };
        (libc::fcntl(descriptor, libc::F_GETFL), connect)
    };
    if flags < 0 || flags & libc::O_NONBLOCK != 0 {
        return connect();
    }
    let _waiting = Nonblocking::begin(descriptor, flags);
    loop {
        match connect() {
            Err(libc::EINPROGRESS) => break,
            // A listening socket of the system has no room yet.
            Err(libc::EAGAIN) => limits::wait_until(|slice| {
                std::thread::sleep(slice);
                (!slice.is_zero()).then_some(())
            }),
            outcome => return outcome,
        }
    }
    wait_for(descriptor, libc::POLLOUT);
    match number_of(descriptor, libc::SO_ERROR) {
        0 => Ok(()),
        error => Err(error),
    }
}

/// A descriptor that does not wait as long as this lives.
struct Nonblocking {
    descriptor: RawFd,
    flags: i32,
}

impl Nonblocking {
    fn begin(descriptor: RawFd, flags: i32) -> Nonblocking {
        // SAFETY: the descriptor is open; flags are only set.
        unsafe { libc::fcntl(descriptor, libc::F_SETFL, flags | libc::O_NONBLOCK) };
        Nonblocking { descriptor, flags }
    }
}

impl Drop for Nonblocking {
    fn drop(&mut self) {
        // SAFETY: as when it began.
        unsafe { libc::fcntl(self.descriptor, libc::F_SETFL, self.flags) };
    }
}

/// An error unless the argument names a port where one is needed.
pub(super) fn port(call: &mut Call<'_>, object: &PhpObject, index: usize) -> PhpResult<u16> {
    let family = native(object).family;
    match call.optional_long(index) {
        Some(port) => Ok(port as u16),
        None if family == libc::AF_UNIX => Ok(0),
        None => {
            let name = if family == libc::AF_INET {
                "AF_INET"
            } else {
                "AF_INET6"
            };
            let problem = format!("cannot be null when the socket type is {name}");
            Err(call.value_error(index, &problem))
        }
    }
}

pub(super) fn connect(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    let port = port(call, &object, 2)?;
    let Some(address) = address(call, &object, 1, port)? else {
        return Ok(false.into());
    };
    let Err(error) = connect_to(descriptor, &address) else {
        return Ok(true.into());
    };
    let what = "unable to connect";
    // Unlike others this one says that it goes on, too.
    note(call.vm, Some(&object), error);
    call.vm
        .function_warning(format!("{what} [{error}]: {}", super::error_text(error)));
    call.vm.check()?;
    Ok(false.into())
}

pub(super) fn create_listen(call: &mut Call<'_>) -> PhpResult<Value> {
    let (port, waiting) = (call.long(0), call.long(1));
    // SAFETY: asks for a new descriptor.
    let descriptor =
        unsafe { libc::socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) };
    if descriptor < 0 {
        let error = system_error();
        return complain(call.vm, None, "unable to create listening socket", error);
    }
    let socket = make(call.vm, descriptor, libc::AF_INET)?;
    let address = SockAddr::from(SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), port as u16));
    if !bind_to(descriptor, &address) {
        let error = system_error();
        return complain(call.vm, None, "unable to bind to given address", error);
    }
    // SAFETY: the descriptor is open.
    if unsafe { libc::listen(descriptor, waiting as i32) } < 0 {
        let error = system_error();
        return complain(call.vm, None, "unable to listen on socket", error);
    }
    Ok(socket)
}

pub(super) fn addrinfo_lookup(call: &mut Call<'_>) -> PhpResult<Value> {
    let (host, service) = (call.bytes(0), call.optional_bytes(1));
    // SAFETY: zeros are a value of the structure.
    let mut hints: libc::addrinfo = unsafe { std::mem::zeroed() };
    for (key, value) in call.elements(2).iter() {
        let number = to_long(call.vm, &hold(value)) as i32;
        match key {
            KeyRef::String(name) => match name.as_bytes() {
                b"ai_flags" => hints.ai_flags = number,
                b"ai_socktype" => hints.ai_socktype = number,
                b"ai_protocol" => hints.ai_protocol = number,
                b"ai_family" => hints.ai_family = number,
                _ => {
                    return Err(call.value_error(
                        2,
                        "must only contain array keys \"ai_flags\", \"ai_socktype\", \
                         \"ai_protocol\", or \"ai_family\"",
                    ));
                }
            },
            KeyRef::Long(_) => {
                return Err(call.value_error(2, "must only contain string keys"));
            }
        }
    }
    let text = |bytes: &[u8]| std::ffi::CString::new(bytes).unwrap_or_default();
    let (host, service) = (text(host), service.map(text));
    let mut found = std::ptr::null_mut();
    // SAFETY: the texts end with NUL; the list is freed below.
    let outcome = unsafe {
        libc::getaddrinfo(
            host.as_ptr(),
            service
                .as_ref()
                .map_or(std::ptr::null(), |service| service.as_ptr()),
            &hints,
            &mut found,
        )
    };
    if outcome != 0 {
        return Ok(false.into());
    }
    let mut infos = Vec::new();
    let mut next = found;
    // SAFETY: the system gave a list of live entries, which is freed once.
    unsafe {
        while let Some(entry) = next.as_ref() {
            next = entry.ai_next;
            if !matches!(entry.ai_family, libc::AF_INET | libc::AF_INET6) {
                continue;
            }
            let address = SockAddr::try_init(|storage, length| {
                std::ptr::copy_nonoverlapping(
                    entry.ai_addr.cast::<u8>(),
                    storage.cast::<u8>(),
                    entry.ai_addrlen as usize,
                );
                *length = entry.ai_addrlen;
                Ok(())
            });
            infos.push(Info {
                address: address.ok().map(|((), address)| address),
                flags: i64::from(entry.ai_flags),
                kind: entry.ai_socktype,
                protocol: entry.ai_protocol,
            });
        }
        libc::freeaddrinfo(found);
    }
    let class = call.vm.linked_class(b"addressinfo");
    let mut list = new_list(call.vm, infos.len());
    for info in infos {
        let object = new_object(call.vm, class.unwrap_or(std::ptr::null_mut()))?;
        if let Some(native) = object.native::<Info>() {
            *native = info;
        }
        list.make_mut(call.vm).append(object.into());
    }
    Ok(list.into())
}

/// A new socket for the address in argument #1.
fn of_info(call: &mut Call<'_>, connects: bool) -> PhpResult<Value> {
    let object = call.object(0);
    let info = object.native::<Info>().expect("made with the object");
    let Some(address) = info.address.clone() else {
        return Ok(false.into());
    };
    let family = i32::from(address.family());
    // SAFETY: asks for a new descriptor.
    let descriptor = unsafe { libc::socket(family, info.kind | libc::SOCK_CLOEXEC, info.protocol) };
    if descriptor < 0 {
        let error = system_error();
        return complain(call.vm, None, "Unable to create socket", error);
    }
    let socket = make(call.vm, descriptor, family)?;
    let (done, what) = match connects {
        true => (
            connect_to(descriptor, &address),
            "Unable to connect address",
        ),
        false => {
            let done = bind_to(descriptor, &address).then_some(());
            (done.ok_or_else(system_error), "Unable to bind address")
        }
    };
    let Err(error) = done else {
        return Ok(socket);
    };
    complain(call.vm, None, what, error)
}

pub(super) fn addrinfo_connect(call: &mut Call<'_>) -> PhpResult<Value> {
    of_info(call, true)
}

pub(super) fn addrinfo_bind(call: &mut Call<'_>) -> PhpResult<Value> {
    of_info(call, false)
}

fn set(vm: &mut Vm, table: &mut vm_runtime::value::ArrayHandle, name: &str, value: Value) {
    table.make_mut(vm).set_bytes(name.as_bytes(), value);
}

pub(super) fn addrinfo_explain(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let info = object.native::<Info>().expect("made with the object");
    let Some(address) = info.address.clone() else {
        let message = "The address is not initialised";
        return Err(call.vm.throw_error(KnownClass::Error, message));
    };
    let vm = &mut *call.vm;
    let (mut table, mut inner) = (vm.new_array(), vm.new_array());
    set(vm, &mut table, "ai_flags", info.flags.into());
    set(
        vm,
        &mut table,
        "ai_family",
        i64::from(address.family()).into(),
    );
    set(vm, &mut table, "ai_socktype", i64::from(info.kind).into());
    set(
        vm,
        &mut table,
        "ai_protocol",
        i64::from(info.protocol).into(),
    );
    if let Some(address) = address.as_socket() {
        let (port, ip) = match address.is_ipv4() {
            true => ("sin_port", "sin_addr"),
            false => ("sin6_port", "sin6_addr"),
        };
        set(vm, &mut inner, port, i64::from(address.port()).into());
        let shown = vm.string(address.ip().to_string()).into();
        set(vm, &mut inner, ip, shown);
    }
    set(vm, &mut table, "ai_addr", inner.into());
    Ok(table.into())
}
