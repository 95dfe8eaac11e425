//! `net_get_interfaces`: the network interfaces of the machine.

use std::ffi::CStr;
use std::net::{Ipv4Addr, Ipv6Addr};

use vm_runtime::function::Call;
use vm_runtime::value::{ArrayHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{functions, list};

functions! {
    "net_get_interfaces(): array|false" => net_get_interfaces,
}

/// One address of an interface.
struct Entry {
    interface: Vec<u8>,
    flags: u32,
    family: Option<u16>,
    /// Names and texts: address, mask, and whom it reaches.
    addresses: Vec<(&'static str, String)>,
}

/// An internet address as text.
///
/// # Safety
///
/// The pointer is null or leads to a whole address of the family that it names.
unsafe fn address_text(address: *const libc::sockaddr) -> Option<String> {
    if address.is_null() {
        return None;
    }
    // SAFETY: as said above.
    unsafe {
        match i32::from((*address).sa_family) {
            libc::AF_INET => {
                let address = address.cast::<libc::sockaddr_in>().read_unaligned();
                let bits = u32::from_be(address.sin_addr.s_addr);
                Some(Ipv4Addr::from(bits).to_string())
            }
            libc::AF_INET6 => {
                let address = address.cast::<libc::sockaddr_in6>().read_unaligned();
                Some(Ipv6Addr::from(address.sin6_addr.s6_addr).to_string())
            }
            _ => None,
        }
    }
}

/// What the system tells, in its order.
fn entries() -> Option<Vec<Entry>> {
    let mut first: *mut libc::ifaddrs = std::ptr::null_mut();
    // SAFETY: the list is written to a place of ours.
    if unsafe { libc::getifaddrs(&raw mut first) } != 0 {
        return None;
    }
    let mut entries = Vec::new();
    let mut next: *const libc::ifaddrs = first;
    // SAFETY: the list ends with null, and is whole until it is freed, which nobody does before.
    while let Some(entry) = unsafe { next.as_ref() } {
        let flags = entry.ifa_flags;
        // What the last field is depends on what the interface can do.
        let reached = match flags as i32 {
            flags if flags & libc::IFF_BROADCAST != 0 => Some("broadcast"),
            flags if flags & libc::IFF_POINTOPOINT != 0 => Some("ptp"),
            _ => None,
        };
        // SAFETY: addresses and names of the list are whole.
        let (interface, family, texts) = unsafe {
            let family = entry.ifa_addr.as_ref().map(|address| address.sa_family);
            let texts = [
                (Some("address"), address_text(entry.ifa_addr)),
                (Some("netmask"), address_text(entry.ifa_netmask)),
                (reached, address_text(entry.ifa_ifu)),
            ];
            (CStr::from_ptr(entry.ifa_name).to_bytes(), family, texts)
        };
        let addresses = texts.into_iter().filter_map(|(name, text)| name.zip(text));
        entries.push(Entry {
            interface: interface.to_vec(),
            flags,
            family,
            addresses: addresses.collect(),
        });
        next = entry.ifa_next;
    }
    // SAFETY: the list is what `getifaddrs` gave, and nothing of it is used any more.
    unsafe { libc::freeifaddrs(first) };
    Some(entries)
}

fn described(vm: &mut Vm, entry: &Entry) -> Value {
    let mut table = vm.new_array();
    let row = table.make_mut(vm);
    row.set_bytes(b"flags", i64::from(entry.flags).into());
    if let Some(family) = entry.family {
        row.set_bytes(b"family", i64::from(family).into());
    }
    for (name, text) in &entry.addresses {
        let text = vm.string(text).into();
        table.make_mut(vm).set_bytes(name.as_bytes(), text);
    }
    table.into()
}

fn net_get_interfaces(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(entries) = entries() else {
        let error = std::io::Error::last_os_error();
        let problem = vm_runtime::interpreter::include::os_error_text(&error);
        call.vm.function_warning(format!(
            "getifaddrs() failed {}: {problem}",
            error.raw_os_error().unwrap_or(0)
        ));
        return Ok(false.into());
    };
    let vm = &mut *call.vm;
    let mut result: ArrayHandle = vm.new_array();
    let mut done: Vec<&[u8]> = Vec::new();
    for entry in &entries {
        if done.contains(&entry.interface.as_slice()) {
            continue;
        }
        done.push(&entry.interface);
        let own = || (entries.iter()).filter(|other| other.interface == entry.interface);
        let addresses: Vec<Value> = own().map(|entry| described(vm, entry)).collect();
        let is_up = own().any(|entry| entry.flags as i32 & libc::IFF_UP != 0);
        let addresses = list(vm, addresses);
        let mut table = vm.new_array();
        let row = table.make_mut(vm);
        row.set_bytes(b"unicast", addresses);
        row.set_bytes(b"up", is_up.into());
        result
            .make_mut(vm)
            .set_bytes(&entry.interface, table.into());
    }
    Ok(result.into())
}
