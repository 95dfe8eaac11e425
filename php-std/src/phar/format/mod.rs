//! The containers: PHP's own, tar and zip.

pub(super) mod native;
pub(super) mod tar;
pub(super) mod zip;

use vm_runtime::limits;

/// An alias for messages, which are not to be too long.
pub(super) fn shown_alias(alias: &[u8]) -> String {
    match alias.get(..50) {
        Some(start) if alias.len() > 50 => format!("{}...", super::archive::shown(start)),
        _ => super::archive::shown(alias),
    }
}

/// A little-endian number of four bytes at the start of some.
pub(super) fn number_32(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// A little-endian number of two bytes.
pub(super) fn number_16(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(bytes.try_into().ok()?))
}

/// Appends bytes, as far as the memory limit goes.
pub(super) fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    if out.capacity() - out.len() < bytes.len() {
        limits::poll();
        let more = bytes.len().max(out.len());
        limits::reserve(more);
        out.reserve(more);
    }
    out.extend_from_slice(bytes);
}
