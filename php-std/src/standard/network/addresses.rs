//! Internet addresses as text and as numbers.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use crate::standard::files::check_path;
use crate::support::{direct, functions, text};

functions! {
    "ip2long(string $ip): int|false" => ip2long | ip2long_directly,
    "long2ip(int $ip): string" => long2ip,
    "inet_pton(string $ip): string|false" => inet_pton,
    "inet_ntop(string $ip): string|false" => inet_ntop,
}

/// An address of four decimal numbers without leading zeros.
fn parse_v4(bytes: &[u8]) -> Option<Ipv4Addr> {
    crate::filter::ipv4(bytes).map(Ipv4Addr::from)
}

fn ip2long(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    Ok(match parse_v4(call.bytes(0)) {
        Some(address) => i64::from(u32::from(address)).into(),
        None => false.into(),
    })
}

direct! {
    fn ip2long_directly(_; ip: &[u8]) { parse_v4(ip).map(|address| i64::from(u32::from(address))) }
}

fn long2ip(call: &mut Call<'_>) -> PhpResult<Value> {
    let address = Ipv4Addr::from(call.long(0) as u32);
    text(call.vm, address.to_string())
}

fn inet_pton(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let given = call.bytes(0);
    let address = match given.contains(&b':') {
        true => std::str::from_utf8(given)
            .ok()
            .and_then(|given| given.parse::<Ipv6Addr>().ok())
            .map(IpAddr::from),
        false => parse_v4(given).map(IpAddr::from),
    };
    match address {
        Some(IpAddr::V4(address)) => text(call.vm, address.octets()),
        Some(IpAddr::V6(address)) => text(call.vm, address.octets()),
        None => Ok(false.into()),
    }
}

fn inet_ntop(call: &mut Call<'_>) -> PhpResult<Value> {
    let bytes = call.bytes(0);
    if let Ok(octets) = <[u8; 4]>::try_from(bytes) {
        return text(call.vm, Ipv4Addr::from(octets).to_string());
    }
    if let Ok(octets) = <[u8; 16]>::try_from(bytes) {
        return text(call.vm, v6_text(octets));
    }
    Ok(false.into())
}

/// An address as the system writes it, which shows more kinds of embedded IPv4 addresses.
fn v6_text(octets: [u8; 16]) -> String {
    match octets {
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d] if (a, b) != (0, 0) => {
            format!("::{a}.{b}.{c}.{d}")
        }
        _ => Ipv6Addr::from(octets).to_string(),
    }
}
