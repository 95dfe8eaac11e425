//! Names of hosts, protocols and services, as the system knows them.

use std::ffi::{CStr, CString};
use std::net::{IpAddr, ToSocketAddrs};

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use crate::standard::files::check_path;
use crate::support::{functions, list, text};

functions! {
    "gethostbyname(string $hostname): string" => gethostbyname,
    "gethostbynamel(string $hostname): array|false" => gethostbynamel,
    "gethostbyaddr(string $ip): string|false" => gethostbyaddr,
    "getprotobyname(string $protocol): int|false" => getprotobyname,
    "getprotobynumber(int $protocol): string|false" => getprotobynumber,
    "getservbyname(path $service, string $protocol): int|false" => getservbyname,
    "getservbyport(int $port, string $protocol): string|false" => getservbyport,
}

/// Names that no host has.
const LONGEST: usize = 255;

/// The IPv4 addresses of a host; `None`, after a warning, if its name is too long.
fn addresses(call: &mut Call<'_>) -> PhpResult<Option<Vec<String>>> {
    let name = call.bytes(0);
    if memchr::memchr(0, name).is_some() {
        return Err(call.value_error(0, "must not contain any null bytes"));
    }
    if name.len() > LONGEST {
        call.vm.function_warning(format!(
            "Host name cannot be longer than {LONGEST} characters"
        ));
        return Ok(None);
    }
    let Ok(name) = std::str::from_utf8(name) else {
        return Ok(Some(Vec::new()));
    };
    let found = (name, 0).to_socket_addrs();
    let mut addresses: Vec<String> = found
        .into_iter()
        .flatten()
        .filter(|address| address.is_ipv4())
        .map(|address| address.ip().to_string())
        .collect();
    addresses.dedup();
    Ok(Some(addresses))
}

fn gethostbyname(call: &mut Call<'_>) -> PhpResult<Value> {
    let found = addresses(call)?.unwrap_or_default();
    match found.into_iter().next() {
        Some(address) => text(call.vm, address),
        None => Ok(call.value(0)),
    }
}

fn gethostbynamel(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(found) = addresses(call)? else {
        return Ok(false.into());
    };
    if found.is_empty() {
        return Ok(false.into());
    }
    let found: Vec<Value> = found
        .into_iter()
        .map(|address| call.vm.string(address).into())
        .collect();
    Ok(list(call.vm, found))
}

fn gethostbyaddr(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let given = std::str::from_utf8(call.bytes(0)).ok();
    let Some(address) = given.and_then(|given| given.parse::<IpAddr>().ok()) else {
        call.vm
            .function_warning("Address is not a valid IPv4 or IPv6 address");
        return Ok(false.into());
    };
    let mut name = [0u8; 1025];
    // SAFETY: the address structures are plain data, filled before they are passed with their size;
    // the buffer is passed with its length.
    let failed = unsafe {
        let name = name.as_mut_ptr().cast();
        let lookup = |address: *const libc::sockaddr, size: usize| {
            libc::getnameinfo(
                address,
                size as u32,
                name,
                1025,
                std::ptr::null_mut(),
                0,
                libc::NI_NAMEREQD,
            )
        };
        match address {
            IpAddr::V4(address) => {
                let mut socket: libc::sockaddr_in = std::mem::zeroed();
                socket.sin_family = libc::AF_INET as u16;
                socket.sin_addr.s_addr = u32::from(address).to_be();
                lookup((&raw const socket).cast(), size_of_val(&socket))
            }
            IpAddr::V6(address) => {
                let mut socket: libc::sockaddr_in6 = std::mem::zeroed();
                socket.sin6_family = libc::AF_INET6 as u16;
                socket.sin6_addr.s6_addr = address.octets();
                lookup((&raw const socket).cast(), size_of_val(&socket))
            }
        }
    } != 0;
    match CStr::from_bytes_until_nul(&name) {
        Ok(name) if !failed => text(call.vm, name.to_bytes()),
        _ => Ok(call.value(0)),
    }
}

/// A name as the system takes it.
pub(super) fn c_name(bytes: &[u8]) -> CString {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    CString::new(&bytes[..end]).unwrap_or_default()
}

fn getprotobyname(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let name = c_name(call.bytes(0));
    // SAFETY: the name is zero-terminated; the entry is read before the next look-up.
    let number = unsafe { libc::getprotobyname(name.as_ptr()).as_ref() }.map(|entry| entry.p_proto);
    Ok(number.map_or(false.into(), |number| i64::from(number).into()))
}

fn getprotobynumber(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: the entry and its name are read before the next look-up.
    let name = unsafe {
        libc::getprotobynumber(call.long(0) as i32)
            .as_ref()
            .map(|entry| CStr::from_ptr(entry.p_name).to_bytes().to_vec())
    };
    match name {
        Some(name) => text(call.vm, name),
        None => Ok(false.into()),
    }
}

fn getservbyname(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    check_path(call, 1)?;
    let (name, protocol) = (c_name(call.bytes(0)), c_name(call.bytes(1)));
    // SAFETY: both names are zero-terminated; the entry is read before the next look-up.
    let port = unsafe {
        libc::getservbyname(name.as_ptr(), protocol.as_ptr())
            .as_ref()
            .map(|entry| u16::from_be(entry.s_port as u16))
    };
    Ok(port.map_or(false.into(), |port| i64::from(port).into()))
}

fn getservbyport(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 1)?;
    let protocol = c_name(call.bytes(1));
    let port = i32::from((call.long(0) as u16).to_be());
    // SAFETY: the name is zero-terminated; the entry and its name are read before the next look-up.
    let name = unsafe {
        libc::getservbyport(port, protocol.as_ptr())
            .as_ref()
            .map(|entry| CStr::from_ptr(entry.s_name).to_bytes().to_vec())
    };
    match name {
        Some(name) => text(call.vm, name),
        None => Ok(false.into()),
    }
}
