//! Messages with control data: `socket_sendmsg()`, `socket_recvmsg()`, `socket_cmsg_space()`.
//!
//! A message is an array. What is wrong in it is told with the path to it. Addresses and control data
//! are laid out as bytes here, the way Linux has them on 64 bits.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::raw::{c_int, c_void};

use vm_runtime::array::PhpArray;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::operators::{numeric_string, to_string};
use vm_runtime::value::{ArrayHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::addresses::host;
use super::transfer::wait;
use super::{complain, descriptor, error_text, make, native, note, opened, system_error};
use crate::standard::files::{Backend, Stream, stream_in, stream_value};
use crate::support::{Append, hold, new_list, string_of};

/// The kinds of control data that are known: level, type, size of the data.
const KINDS: [(c_int, c_int, usize); 5] = [
    (libc::SOL_SOCKET, libc::SCM_RIGHTS, 0),
    (libc::SOL_SOCKET, libc::SCM_CREDENTIALS, 12),
    (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO, 20),
    (libc::IPPROTO_IPV6, libc::IPV6_HOPLIMIT, 4),
    (libc::IPPROTO_IPV6, libc::IPV6_TCLASS, 4),
];

/// The head of control data: length, level, type.
const HEAD: usize = 16;
/// Size of a descriptor.
const RIGHT: usize = 4;
/// The longest buffer.
const LONGEST: i64 = 100 * 1024 * 1024;

fn aligned(length: usize) -> usize {
    length.next_multiple_of(8)
}

fn known(level: c_int, kind: c_int) -> Option<usize> {
    KINDS
        .iter()
        .find(|known| (known.0, known.1) == (level, kind))
        .map(|known| known.2)
}

/// Why a message cannot be used.
pub(super) enum Problem {
    /// What is wrong, and where.
    Told(String, Vec<String>),
    /// Something was thrown.
    Thrown,
}

fn wrong<T>(what: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Told(what.into(), Vec::new()))
}

/// Says where something was read.
fn at<T>(place: impl ToString, outcome: Result<T, Problem>) -> Result<T, Problem> {
    outcome.map_err(|problem| match problem {
        Problem::Told(what, mut path) => {
            path.push(place.to_string());
            Problem::Told(what, path)
        }
        Problem::Thrown => Problem::Thrown,
    })
}

/// Warns of a problem.
pub(super) fn report(vm: &mut Vm, problem: Problem) -> PhpResult<Value> {
    if let Problem::Told(what, mut path) = problem {
        path.reverse();
        vm.function_warning(format!(
            "error converting user data (path: {}): {what}",
            path.join(" > ")
        ));
    }
    vm.check()?;
    Ok(false.into())
}

fn array(value: &Value) -> Result<ArrayHandle, Problem> {
    match value.array() {
        Some(array) => Ok(array),
        None => wrong("expected an array here"),
    }
}

fn integer(vm: &mut Vm, value: &Value) -> Result<i64, Problem> {
    match value.deref().view() {
        ValueKind::Long(number) => Ok(number),
        ValueKind::Double(number) => Ok(number as i64),
        ValueKind::Bool(flag) => Ok(flag.into()),
        ValueKind::Null => Ok(0),
        ValueKind::Array(_) => {
            wrong("expected an integer, either of a PHP integer type or of a convertible type")
        }
        _ => {
            let text = to_string(vm, value).map_err(|_| Problem::Thrown)?;
            match numeric_string::parse_whole(text.as_bytes()) {
                Some(numeric_string::Number::Long(number)) => Ok(number),
                Some(numeric_string::Number::Double(number)) => Ok(number as i64),
                None => wrong(format!(
                    "expected an integer, but got a non numeric string (possibly from a converted \
                     object): '{}'",
                    text.to_text()
                )),
            }
        }
    }
}

fn native_int(vm: &mut Vm, value: &Value) -> Result<c_int, Problem> {
    let number = integer(vm, value)?;
    c_int::try_from(number)
        .or_else(|_| wrong("given PHP integer is out of bounds for a native int"))
}

fn unsigned<T: TryFrom<i64>>(vm: &mut Vm, value: &Value, bits: u32) -> Result<T, Problem> {
    let number = integer(vm, value)?;
    T::try_from(number).or_else(|_| {
        wrong(format!(
            "given PHP integer is out of bounds for an unsigned {bits}-bit integer"
        ))
    })
}

/// An entry, read under its name; nothing if it is not there.
fn entry<T>(
    vm: &mut Vm,
    array: &PhpArray,
    name: &str,
    read: impl FnOnce(&mut Vm, &Value) -> Result<T, Problem>,
) -> Result<Option<T>, Problem> {
    let Some(value) = array.get_bytes(name.as_bytes()).map(hold) else {
        return Ok(None);
    };
    at(name, read(vm, &value)).map(Some)
}

fn required<T>(
    vm: &mut Vm,
    array: &PhpArray,
    name: &str,
    read: impl FnOnce(&mut Vm, &Value) -> Result<T, Problem>,
) -> Result<T, Problem> {
    match entry(vm, array, name, read)? {
        Some(value) => Ok(value),
        None => wrong(format!("The key '{name}' is required")),
    }
}

/// An address of a family by name or number.
fn address(vm: &mut Vm, value: &Value, family: c_int) -> Result<IpAddr, Problem> {
    let name = string_of(vm, value).map_err(|_| Problem::Thrown)?;
    host(name.as_bytes(), family).or_else(|error| {
        let message = format!("Host lookup failed [{error}]: {}", error_text(error));
        note(vm, None, error);
        vm.function_warning(message);
        let family = match family {
            libc::AF_INET => "AF_INET",
            _ => "AF_INET6",
        };
        wrong(format!(
            "could not resolve address '{}' to get an {family} address",
            name.to_text()
        ))
    })
}

fn address6(vm: &mut Vm, value: &Value) -> Result<Ipv6Addr, Problem> {
    match address(vm, value, libc::AF_INET6)? {
        IpAddr::V6(address) => Ok(address),
        IpAddr::V4(address) => Ok(address.to_ipv6_mapped()),
    }
}

/// The name in a message as the system has it.
fn name(vm: &mut Vm, value: &Value, own: c_int) -> Result<Vec<u8>, Problem> {
    let array = array(value)?;
    let family = entry(vm, &array, "family", native_int)?.unwrap_or(own);
    let shown = match family {
        libc::AF_INET => "AF_INET",
        libc::AF_INET6 => "AF_INET6",
        libc::AF_UNIX => "AF_UNIX",
        _ => {
            return wrong(
                "the only families currently supported are AF_INET, AF_INET6 and AF_UNIX",
            );
        }
    };
    if family != own {
        return wrong(format!(
            "the specified family ({shown}) is not supported on this socket"
        ));
    }
    let mut bytes = (family as u16).to_ne_bytes().to_vec();
    if family == libc::AF_UNIX {
        let path = entry(vm, &array, "path", |vm, value| {
            let path = string_of(vm, value).map_err(|_| Problem::Thrown)?;
            match path.len() {
                0 => wrong("the path is must not be empty"),
                1..108 => Ok(path.as_bytes().to_vec()),
                _ => wrong("the path is too long, the maximum permitted length is 107"),
            }
        })?;
        match path {
            Some(path) => {
                let is_abstract = path[0] == 0;
                bytes.extend(path);
                if !is_abstract {
                    bytes.push(0);
                }
            }
            None => bytes.resize(2 + 108, 0),
        }
        return Ok(bytes);
    }
    let host = entry(vm, &array, "addr", |vm, value| address(vm, value, family))?;
    let port: u16 = entry(vm, &array, "port", |vm, value| unsigned(vm, value, 16))?.unwrap_or(0);
    bytes.extend(port.to_be_bytes());
    match (family, host) {
        (libc::AF_INET, host) => {
            let host = match host {
                Some(IpAddr::V4(host)) => host,
                _ => Ipv4Addr::UNSPECIFIED,
            };
            bytes.extend(host.octets());
            bytes.extend([0; 8]);
        }
        (_, host) => {
            let host = match host {
                Some(IpAddr::V6(host)) => host,
                _ => Ipv6Addr::UNSPECIFIED,
            };
            let flow: u32 =
                entry(vm, &array, "flowinfo", |vm, value| unsigned(vm, value, 32))?.unwrap_or(0);
            bytes.extend(flow.to_be_bytes());
            bytes.extend(host.octets());
            let scope = entry(vm, &array, "scope_id", interface)?.unwrap_or(0);
            bytes.extend(scope.to_ne_bytes());
        }
    }
    Ok(bytes)
}

/// The number of a network interface, which may be named.
fn interface(vm: &mut Vm, value: &Value) -> Result<u32, Problem> {
    if let ValueKind::Long(_) = value.deref().view() {
        return unsigned(vm, value, 32);
    }
    let name = string_of(vm, value).map_err(|_| Problem::Thrown)?;
    let text = std::ffi::CString::new(name.as_bytes()).unwrap_or_default();
    // SAFETY: a string that ends in NUL.
    match unsafe { libc::if_nametoindex(text.as_ptr()) } {
        0 => wrong(format!(
            "no interface with name \"{}\" could be found",
            name.to_text()
        )),
        number => Ok(number),
    }
}

/// Where packets come from or go to, as `IPV6_PKTINFO` has it.
pub(super) fn packet_info(vm: &mut Vm, value: &Value) -> Result<Vec<u8>, Problem> {
    let array = array(value)?;
    let host = required(vm, &array, "addr", address6)?;
    let number = required(vm, &array, "ifindex", interface)?;
    Ok([host.octets().as_slice(), &number.to_ne_bytes()].concat())
}

/// What [`packet_info`] says of a value of `socket_set_option()`.
pub(super) fn packet_info_option(vm: &mut Vm, value: &Value) -> Result<Vec<u8>, Problem> {
    at("in6_pktinfo", packet_info(vm, value))
}

fn credentials(vm: &mut Vm, value: &Value) -> Result<Vec<u8>, Problem> {
    let array = array(value)?;
    let process = required(vm, &array, "pid", native_int)?;
    let user: u32 = required(vm, &array, "uid", |vm, value| unsigned(vm, value, 32))?;
    let group: u32 = required(vm, &array, "gid", |vm, value| unsigned(vm, value, 32))?;
    let parts = [
        process.to_ne_bytes(),
        user.to_ne_bytes(),
        group.to_ne_bytes(),
    ];
    Ok(parts.concat())
}

/// Descriptors of sockets and streams.
fn rights(value: &Value) -> Result<Vec<u8>, Problem> {
    let array = array(value)?;
    let mut bytes = Vec::new();
    for (index, (_, value)) in array.iter().enumerate() {
        let value = hold(value);
        let found = right(&value);
        let Some(found) = found else {
            // PHP counts these from one.
            return at(
                format!("element #{}", index + 1),
                wrong("expected a Socket object or a stream resource"),
            );
        };
        bytes.extend(found.to_ne_bytes());
    }
    Ok(bytes)
}

fn right(value: &Value) -> Option<RawFd> {
    if let Some(object) = value.object() {
        return object
            .native::<super::Socket>()
            .and_then(|_| descriptor(&object));
    }
    // SAFETY: I3: the value keeps the resource alive.
    let stream = unsafe { stream_in(value) }?;
    stream.file().map(AsRawFd::as_raw_fd)
}

/// Control data as the system has it.
fn control(vm: &mut Vm, value: &Value) -> Result<Vec<u8>, Problem> {
    let list = array(value)?;
    let mut bytes = Vec::new();
    for (index, (_, element)) in list.iter().enumerate() {
        let element = hold(element);
        at(
            format!("element #{index}"),
            one_control(vm, &element, &mut bytes),
        )?;
    }
    Ok(bytes)
}

fn one_control(vm: &mut Vm, element: &Value, out: &mut Vec<u8>) -> Result<(), Problem> {
    let element = array(element)?;
    let level = entry(vm, &element, "level", native_int)?.unwrap_or(0);
    let kind = entry(vm, &element, "type", native_int)?.unwrap_or(0);
    if known(level, kind).is_none() {
        return wrong(format!(
            "cmsghdr with level {level} and type {kind} not supported"
        ));
    }
    let Some(value) = element.get_bytes(b"data").map(hold) else {
        return wrong("cmsghdr should have a 'data' element here");
    };
    let data = match (level, kind) {
        // PHP counts the elements before it goes into them.
        (libc::SOL_SOCKET, libc::SCM_RIGHTS) => match value.array() {
            Some(_) => at("data", rights(&value))?,
            None => return wrong("expected an array here"),
        },
        (libc::SOL_SOCKET, _) => at("data", credentials(vm, &value))?,
        (_, libc::IPV6_PKTINFO) => at("data", packet_info(vm, &value))?,
        _ => at("data", native_int(vm, &value))?.to_ne_bytes().to_vec(),
    };
    out.extend((HEAD + data.len()).to_ne_bytes());
    out.extend(level.to_ne_bytes());
    out.extend(kind.to_ne_bytes());
    out.extend_from_slice(&data);
    out.resize(aligned(out.len()), 0);
    Ok(())
}

/// A message to be sent.
struct Message {
    name: Option<Vec<u8>>,
    parts: Vec<Vec<u8>>,
    control: Vec<u8>,
}

fn message(vm: &mut Vm, array: &PhpArray, family: c_int) -> Result<Message, Problem> {
    let name = entry(vm, array, "name", |vm, value| name(vm, value, family))?;
    let parts = entry(vm, array, "iov", |vm, value| {
        let list = self::array(value)?;
        let mut parts = Vec::with_capacity(list.len());
        for (_, part) in list.iter() {
            let part = string_of(vm, &hold(part)).map_err(|_| Problem::Thrown)?;
            limits::reserve(part.len());
            parts.push(part.as_bytes().to_vec());
        }
        Ok(parts)
    })?;
    let control = entry(vm, array, "control", control)?;
    Ok(Message {
        name,
        parts: parts.unwrap_or_default(),
        control: control.unwrap_or_default(),
    })
}

pub(super) fn sendmsg(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    let Some(array) = call.value(1).array() else {
        return Ok(false.into());
    };
    let family = native(&object).family;
    let mut message = match at("msghdr", message(call.vm, &array, family)) {
        Ok(message) => message,
        Err(problem) => return report(call.vm, problem),
    };
    let mut parts: Vec<libc::iovec> = message
        .parts
        .iter_mut()
        .map(|part| libc::iovec {
            iov_base: part.as_mut_ptr().cast(),
            iov_len: part.len(),
        })
        .collect();
    // Control data has to be aligned.
    let mut words = words(&message.control);
    // SAFETY: zeros are a value of the structure; its pointers and lengths belong together and outlive
    // the call.
    let sent = unsafe {
        let mut head: libc::msghdr = std::mem::zeroed();
        if let Some(name) = &mut message.name {
            head.msg_name = name.as_mut_ptr().cast();
            head.msg_namelen = name.len() as libc::socklen_t;
        }
        head.msg_iov = parts.as_mut_ptr();
        head.msg_iovlen = parts.len();
        if !message.control.is_empty() {
            head.msg_control = words.as_mut_ptr().cast();
            head.msg_controllen = message.control.len();
        }
        libc::sendmsg(
            descriptor,
            &head,
            call.long(2) as c_int | libc::MSG_NOSIGNAL,
        )
    };
    if sent < 0 {
        let error = system_error();
        return complain(call.vm, Some(&object), "Error in sendmsg", error);
    }
    Ok((sent as i64).into())
}

fn words(bytes: &[u8]) -> Vec<u64> {
    let mut words = vec![0u64; bytes.len().div_ceil(8)];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut whole = [0; 8];
        whole[..chunk.len()].copy_from_slice(chunk);
        *word = u64::from_ne_bytes(whole);
    }
    words
}

/// What is wanted of a message: room for data and control data, and whether the name is.
struct Wanted {
    buffer: usize,
    control: usize,
}

fn wanted(vm: &mut Vm, array: &PhpArray, family: c_int) -> Result<Wanted, Problem> {
    entry(vm, array, "name", |vm, value| name(vm, value, family))?;
    let buffer = entry(vm, array, "buffer_size", |vm, value| {
        let size = integer(vm, value)?;
        match size {
            1..=LONGEST => Ok(size as usize),
            _ => wrong(format!(
                "the buffer size must be between 1 and {LONGEST}; given {size}"
            )),
        }
    })?;
    let control: u32 = required(vm, array, "controllen", |vm, value| {
        match unsigned(vm, value, 32)? {
            0 => wrong("controllen cannot be 0"),
            length => Ok(length),
        }
    })?;
    Ok(Wanted {
        buffer: buffer.unwrap_or(8192),
        control: control as usize,
    })
}

pub(super) fn recvmsg(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, descriptor) = opened(call, 0)?;
    let Some(array) = call.value(1).array() else {
        return Ok(false.into());
    };
    let family = native(&object).family;
    let wanted = match at("msghdr", wanted(call.vm, &array, family)) {
        Ok(wanted) => wanted,
        Err(problem) => return report(call.vm, problem),
    };
    let flags = call.long(2) as c_int;
    if flags & libc::MSG_DONTWAIT == 0 {
        wait(call, &object, descriptor);
    }
    limits::reserve(wanted.buffer + wanted.control);
    let mut buffer = vec![0u8; wanted.buffer];
    let mut control = vec![0u64; wanted.control.div_ceil(8)];
    let mut name = [0u64; 16];
    let mut part = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    // SAFETY: zeros are a value of the structure; its pointers and lengths belong together and outlive
    // the call.
    let (got, head) = unsafe {
        let mut head: libc::msghdr = std::mem::zeroed();
        head.msg_name = name.as_mut_ptr().cast();
        head.msg_namelen = size_of_val(&name) as libc::socklen_t;
        head.msg_iov = &mut part;
        head.msg_iovlen = 1;
        head.msg_control = control.as_mut_ptr().cast();
        head.msg_controllen = wanted.control;
        (libc::recvmsg(descriptor, &mut head, flags), head)
    };
    if got < 0 {
        let error = system_error();
        note(call.vm, Some(&object), error);
        call.vm
            .function_warning(format!("Error in recvmsg [{error}]: {}", error_text(error)));
        call.vm.check()?;
        return Ok(false.into());
    }
    let name: Vec<u8> = name.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let name = &name[..name.len().min(head.msg_namelen as usize)];
    let control: Vec<u8> = control.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let control = &control[..control.len().min(head.msg_controllen)];
    let name = shown_name(call.vm, name);
    let control = shown_control(call.vm, control)?;
    let data: Value = call.vm.string(&buffer[..got as usize]).into();
    let data = crate::support::list(call.vm, [data]);
    let mut message = call.vm.new_array();
    let entries = [
        ("name", name),
        ("control", control),
        ("iov", data),
        ("flags", i64::from(head.msg_flags).into()),
    ];
    for (name, value) in entries {
        message.make_mut(call.vm).set_bytes(name.as_bytes(), value);
    }
    call.assign(1, message.into());
    Ok((got as i64).into())
}

fn shown(vm: &mut Vm, entries: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let mut array = vm.new_array();
    for (name, value) in entries {
        array.make_mut(vm).set_bytes(name.as_bytes(), value);
    }
    array.into()
}

/// Four bytes as a number of the machine's order.
fn number(bytes: &[u8], at: usize) -> i64 {
    match bytes.get(at..at + 4) {
        Some(&[a, b, c, d]) => i64::from(i32::from_ne_bytes([a, b, c, d])),
        _ => 0,
    }
}

fn octets<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut octets = [0; N];
    if let Some(part) = bytes.get(at..at + N) {
        octets.copy_from_slice(part);
    }
    octets
}

fn shown_name(vm: &mut Vm, name: &[u8]) -> Value {
    if name.len() <= 2 {
        return Value::NULL;
    }
    let family = c_int::from(u16::from_ne_bytes([name[0], name[1]]));
    let port = || i64::from(u16::from_be_bytes(octets(name, 2)));
    match family {
        libc::AF_INET => {
            let host = Ipv4Addr::from(octets::<4>(name, 4)).to_string();
            let host = vm.string(host).into();
            let port = port().into();
            shown(
                vm,
                [
                    ("family", i64::from(family).into()),
                    ("addr", host),
                    ("port", port),
                ],
            )
        }
        libc::AF_INET6 => {
            let host = Ipv6Addr::from(octets::<16>(name, 8)).to_string();
            let host = vm.string(host).into();
            let flow = i64::from(u32::from_be_bytes(octets(name, 4)));
            let port = port().into();
            shown(
                vm,
                [
                    ("family", i64::from(family).into()),
                    ("addr", host),
                    ("port", port),
                    ("flowinfo", flow.into()),
                    ("scope_id", (number(name, 24) & 0xffff_ffff).into()),
                ],
            )
        }
        _ => {
            let path = &name[2..];
            let end = match path.first() {
                Some(0) => path.len(),
                _ => memchr::memchr(0, path).unwrap_or(path.len()),
            };
            let path = vm.string(&path[..end]).into();
            shown(vm, [("family", i64::from(family).into()), ("path", path)])
        }
    }
}

fn shown_control(vm: &mut Vm, bytes: &[u8]) -> PhpResult<Value> {
    let mut list = new_list(vm, 0);
    let mut rest = bytes;
    while rest.len() >= HEAD {
        let length = usize::from_ne_bytes(octets(rest, 0));
        let (level, kind) = (number(rest, 8), number(rest, 12));
        let Some(data) = rest.get(HEAD..length) else {
            break;
        };
        let data = shown_data(vm, level as c_int, kind as c_int, data)?;
        let element = shown(
            vm,
            [
                ("level", level.into()),
                ("type", kind.into()),
                ("data", data),
            ],
        );
        list.make_mut(vm).append(element);
        rest = rest.get(aligned(length)..).unwrap_or_default();
    }
    Ok(list.into())
}

fn shown_data(vm: &mut Vm, level: c_int, kind: c_int, data: &[u8]) -> PhpResult<Value> {
    Ok(match (level, kind) {
        (libc::SOL_SOCKET, libc::SCM_RIGHTS) => {
            let mut list = new_list(vm, data.len() / RIGHT);
            for right in data.chunks_exact(RIGHT) {
                let value = received(vm, number(right, 0) as RawFd)?;
                list.make_mut(vm).append(value);
            }
            list.into()
        }
        (libc::SOL_SOCKET, libc::SCM_CREDENTIALS) => shown(
            vm,
            [
                ("pid", number(data, 0).into()),
                ("uid", (number(data, 4) & 0xffff_ffff).into()),
                ("gid", (number(data, 8) & 0xffff_ffff).into()),
            ],
        ),
        (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO) => {
            let host = Ipv6Addr::from(octets::<16>(data, 0)).to_string();
            let host = vm.string(host).into();
            shown(vm, [("addr", host), ("ifindex", number(data, 16).into())])
        }
        (libc::IPPROTO_IPV6, libc::IPV6_HOPLIMIT | libc::IPV6_TCLASS) => number(data, 0).into(),
        // What this does not know is given as it is.
        _ => vm.string(data).into(),
    })
}

/// A descriptor that came: a Socket, or a stream.
fn received(vm: &mut Vm, descriptor: RawFd) -> PhpResult<Value> {
    // SAFETY: the descriptor is new and ours.
    let own = unsafe { OwnedFd::from_raw_fd(descriptor) };
    let mut family: c_int = 0;
    let mut length = size_of::<c_int>() as libc::socklen_t;
    // SAFETY: the system writes no more than there is room for.
    let is_socket = unsafe {
        let place: *mut c_void = (&raw mut family).cast();
        let fd = own.as_raw_fd();
        libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_DOMAIN, place, &mut length) == 0
    };
    if is_socket {
        use std::os::fd::IntoRawFd;
        return make(vm, own.into_raw_fd(), family);
    }
    let file = std::fs::File::from(own);
    let is_regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
    let mut stream = Stream::new(Backend::File(file), true, true);
    stream.seekable = is_regular;
    Ok(stream_value(vm, stream))
}

pub(super) fn cmsg_space(call: &mut Call<'_>) -> PhpResult<Value> {
    let (level, kind, count) = (call.long(0), call.long(1), call.long(2));
    let bounds = i64::from(i32::MIN)..=i64::from(i32::MAX);
    for (index, number) in [(0, level), (1, kind), (2, count)] {
        if !bounds.contains(&number) {
            return Err(call.value_error(index, "must be between -2147483648 and 2147483647"));
        }
    }
    if count < 0 {
        return Err(call.value_error(2, "must be greater than or equal to 0"));
    }
    let Some(size) = known(level as c_int, kind as c_int) else {
        let message = format!("Pair level {level} and/or type {kind} is not supported");
        let class = vm_runtime::exceptions::KnownClass::ValueError;
        return Err(call.vm.throw_error(class, message));
    };
    let more = match size {
        0 => count as usize * RIGHT,
        _ => 0,
    };
    Ok(((HEAD + aligned(size + more)) as i64).into())
}
