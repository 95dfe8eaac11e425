//! Groups that get messages sent to many: which interface they are for, joining and leaving them.

use std::ffi::CString;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::RawFd;

use socket2::SockAddr;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::PhpObject;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::addresses::host;
use super::{complain, native};
use crate::support::{hold, string_of};

/// What the system takes for a group: `group_req`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Group {
    interface: u32,
    group: libc::sockaddr_storage,
}

/// The same for one source of messages: `group_source_req`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct GroupSource {
    interface: u32,
    group: libc::sockaddr_storage,
    source: libc::sockaddr_storage,
}

/// What an option for groups is told.
pub(super) enum Request {
    Group(Group),
    Source(GroupSource),
}

/// Options for groups by their numbers.
const JOIN: i32 = 42;
const BLOCK_SOURCE: i32 = 43;
const LEAVE: i32 = 45;
const LEAVE_SOURCE: i32 = 47;

/// True of options for groups.
pub(super) fn is_group_option(option: i32) -> bool {
    (JOIN..=LEAVE_SOURCE).contains(&option)
}

/// The number of the interface that a value names; nothing after a warning.
pub(super) fn interface(call: &mut Call<'_>, value: &Value) -> PhpResult<Option<u32>> {
    if let ValueKind::Long(number) = value.view() {
        let Ok(index) = u32::try_from(number) else {
            let message = format!("Index must be between 0 and {}", u32::MAX);
            return Err(call.vm.throw_error(KnownClass::ValueError, message));
        };
        return Ok(Some(index));
    }
    let name = string_of(call.vm, value)?;
    let index = CString::new(name.as_bytes()).map_or(0, |name| {
        // SAFETY: the name ends with NUL.
        unsafe { libc::if_nametoindex(name.as_ptr()) }
    });
    if index == 0 {
        let shown = name.to_text();
        call.vm
            .function_warning(format!("No interface with name \"{shown}\" could be found"));
        call.vm.check()?;
        return Ok(None);
    }
    Ok(Some(index))
}

/// The addresses of interfaces in the fourth version of the protocol: names and addresses.
fn interface_addresses() -> Vec<(CString, libc::in_addr)> {
    let mut found = Vec::new();
    let mut list: *mut libc::ifaddrs = std::ptr::null_mut();
    // SAFETY: the list is read as far as it goes, and freed once.
    unsafe {
        if libc::getifaddrs(&raw mut list) != 0 {
            return found;
        }
        let mut entry = list;
        while !entry.is_null() {
            let address = (*entry).ifa_addr;
            if !address.is_null() && i32::from((*address).sa_family) == libc::AF_INET {
                let name = std::ffi::CStr::from_ptr((*entry).ifa_name).to_owned();
                found.push((name, (*address.cast::<libc::sockaddr_in>()).sin_addr));
            }
            entry = (*entry).ifa_next;
        }
        libc::freeifaddrs(list);
    }
    found
}

fn index_of(name: &CString) -> u32 {
    // SAFETY: the name ends with NUL.
    unsafe { libc::if_nametoindex(name.as_ptr()) }
}

/// The address of an interface, any if it is none; nothing after a warning.
pub(super) fn address_of(call: &mut Call<'_>, index: u32) -> PhpResult<Option<libc::in_addr>> {
    if index == 0 {
        return Ok(Some(libc::in_addr {
            s_addr: libc::INADDR_ANY,
        }));
    }
    let known = interface_addresses();
    let found = known.iter().find(|(name, _)| index_of(name) == index);
    if let Some((_, address)) = found {
        return Ok(Some(*address));
    }
    let problem = format!(
        "Failed obtaining address for interface {index}: error {}",
        libc::ENODEV
    );
    call.vm.function_warning(problem);
    call.vm.check()?;
    Ok(None)
}

/// The number of the interface that has an address; nothing if there is none.
pub(super) fn interface_with(address: libc::in_addr) -> Option<u32> {
    if address.s_addr == libc::INADDR_ANY {
        return Some(0);
    }
    let known = interface_addresses();
    let found = known.iter().find(|(_, own)| own.s_addr == address.s_addr);
    found.map(|(name, _)| index_of(name))
}

/// The address in an entry of the array that an option takes; nothing after a warning.
fn entry(
    call: &mut Call<'_>,
    object: &ObjectHandle,
    given: Option<&ArrayHandle>,
    name: &str,
) -> PhpResult<Option<libc::sockaddr_storage>> {
    let value = given
        .and_then(|given| given.get_bytes(name.as_bytes()))
        .map(hold);
    let Some(value) = value else {
        let message = format!("No key \"{name}\" passed in optval");
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    };
    let text = string_of(call.vm, &value)?;
    match resolved(object, text.as_bytes()) {
        Ok(address) => Ok(Some(storage(&SocketAddr::new(address, 0).into()))),
        Err(error) => {
            complain(call.vm, Some(object), "Host lookup failed", error)?;
            Ok(None)
        }
    }
}

/// The address of a name for a socket.
fn resolved(object: &PhpObject, name: &[u8]) -> Result<IpAddr, i32> {
    let family = native(object).family;
    let plain = std::str::from_utf8(name)
        .ok()
        .and_then(|name| name.parse::<IpAddr>().ok());
    match plain {
        Some(IpAddr::V4(address)) if family == libc::AF_INET6 => {
            Ok(IpAddr::V6(address.to_ipv6_mapped()))
        }
        _ => host(name, family),
    }
}

fn storage(address: &SockAddr) -> libc::sockaddr_storage {
    // SAFETY: an address of zeros is one; the length is that of the address, which is no longer than the storage.
    unsafe {
        let mut storage: libc::sockaddr_storage = std::mem::zeroed();
        std::ptr::copy_nonoverlapping(
            address.as_ptr().cast::<u8>(),
            (&raw mut storage).cast::<u8>(),
            address.len() as usize,
        );
        storage
    }
}

/// What an option for groups is told by an argument; nothing after a warning.
pub(super) fn request(
    call: &mut Call<'_>,
    object: &ObjectHandle,
    option: i32,
) -> PhpResult<Option<Request>> {
    let given = call.value(3).array();
    let Some(group) = entry(call, object, given.as_ref(), "group")? else {
        return Ok(None);
    };
    let has_source = option >= BLOCK_SOURCE && option != LEAVE;
    let source = match has_source {
        true => match entry(call, object, given.as_ref(), "source")? {
            Some(source) => Some(source),
            None => return Ok(None),
        },
        false => None,
    };
    let named = given
        .as_ref()
        .and_then(|given| given.get_bytes(b"interface"));
    let interface = match named.map(hold) {
        Some(value) => match interface(call, &value)? {
            Some(index) => index,
            None => return Ok(None),
        },
        None => 0,
    };
    Ok(Some(match source {
        Some(source) => Request::Source(GroupSource {
            interface,
            group,
            source,
        }),
        None => Request::Group(Group { interface, group }),
    }))
}

/// Tells the system; true if that was done.
pub(super) fn tell(descriptor: RawFd, level: i32, option: i32, request: &Request) -> bool {
    match request {
        Request::Group(group) => super::options::tell(descriptor, level, option, group),
        Request::Source(source) => super::options::tell(descriptor, level, option, source),
    }
}
