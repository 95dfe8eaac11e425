//! PHP's own format: a stub, `__HALT_COMPILER();`, a manifest, the contents, a signature.

use std::rc::Rc;

use vm_runtime::limits;
use vm_runtime::vm::Vm;

use super::{append, number_16, number_32};
use crate::phar::archive::{Archive, Body, Entry, Format, flags, shown};
use crate::phar::signature;
use crate::phar::source::Source;

/// What the stub ends with.
pub(crate) const HALT: &[u8] = b"__HALT_COMPILER();";
/// What the file ends with if it is signed.
const SIGNED: &[u8] = b"GBMB";
/// A flag of the manifest: a signature follows the contents.
const HAS_SIGNATURE: u32 = 0x1_0000;
/// Bytes of a manifest at most.
const LONGEST_MANIFEST: u64 = 100 << 20;
/// Bytes of a manifest at least.
const SHORTEST_MANIFEST: u64 = 18;
/// Bytes of an entry in the manifest without its name and metadata.
const ENTRY: usize = 28;
/// The version that is written.
const VERSION: u16 = 0x1110;
/// The oldest version that is read.
const OLDEST: u16 = 0x1000;
/// The part of the version that counts.
const VERSION_MASK: u16 = 0xfff0;

/// Reads the manifest piece by piece.
struct Manifest<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Manifest<'a> {
    fn number(&mut self) -> Option<u32> {
        let number = number_32(self.bytes, self.at)?;
        self.at += 4;
        Some(number)
    }

    fn take(&mut self, length: u32) -> Option<&'a [u8]> {
        let end = self.at.checked_add(length as usize)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }
}

/// Where the code ends, with `__HALT_COMPILER();`, and where the stub does, with what closes the code.
fn end_of_stub(source: &Source) -> Option<(u64, u64)> {
    let halt_end = source.find(&HALT.to_ascii_lowercase())? + HALT.len() as u64;
    let mut end = halt_end;
    let rest = source.read_most(end, 5);
    if let [b' ' | b'\n', b'?', b'>', after @ ..] = rest.as_slice() {
        end += 3;
        end += match after {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => 0,
        };
    }
    Some((halt_end, end))
}

/// Reads an archive.
pub(crate) fn read(vm: &mut Vm, name: &[u8], source: Source) -> Result<Archive, String> {
    let corrupt = |problem: &str| {
        format!(
            "internal corruption of phar \"{}\" ({problem})",
            shown(name)
        )
    };
    let Some(end) = end_of_stub(&source) else {
        return Err(corrupt(match source.length() <= HALT.len() as u64 {
            true => "truncated entry",
            false => "__HALT_COMPILER(); not found",
        }));
    };
    read_at(vm, name, source, end)
}

/// Reads an archive whose code and stub end at these places.
fn read_at(
    vm: &mut Vm,
    name: &[u8],
    source: Source,
    (halt_end, stub_end): (u64, u64),
) -> Result<Archive, String> {
    let corrupt = |problem: &str| {
        format!(
            "internal corruption of phar \"{}\" ({problem})",
            shown(name)
        )
    };
    if stub_end > source.length() {
        return Err(corrupt("truncated manifest at stub end"));
    }
    let head = source.read_most(stub_end, 4);
    if source.length() < halt_end + 3 {
        return Err(corrupt("truncated manifest at stub end"));
    }
    let Some(length) = number_32(&head, 0) else {
        return Err(corrupt("truncated manifest at manifest length"));
    };
    let length = u64::from(length);
    if length > LONGEST_MANIFEST {
        return Err(format!(
            "manifest cannot be larger than 100 MB in phar \"{}\"",
            shown(name)
        ));
    }
    let bytes = match source.read(stub_end + 4, length) {
        Some(bytes) if length >= SHORTEST_MANIFEST => bytes,
        _ => return Err(corrupt("truncated manifest header")),
    };
    let truncated = || corrupt("truncated manifest header");
    let count = number_32(&bytes, 0).ok_or_else(truncated)?;
    if count == 0 {
        return Err(format!(
            "in phar \"{}\", manifest claims to have zero entries.  Phars must have at least 1 entry",
            shown(name)
        ));
    }
    let version = number_16(&bytes, 4).ok_or_else(truncated)?.swap_bytes() & VERSION_MASK;
    if version < OLDEST {
        return Err(format!(
            "phar \"{}\" is API version {}.{}.{}, and cannot be processed",
            shown(name),
            version >> 12,
            version >> 8 & 15,
            version >> 4 & 15
        ));
    }
    let global_flags = number_32(&bytes, 6).ok_or_else(truncated)?;
    let mut archive = Archive::new(name, Format::Phar);
    archive.version = version_text(version);
    if global_flags & HAS_SIGNATURE != 0 {
        let signed = read_signature(name, &source)?;
        archive.algorithm = signed.algorithm;
        archive.signature = Some(signed);
    } else if vm.ini.bool("phar.require_hash") {
        return Err(format!(
            "phar \"{}\" does not have a signature",
            shown(name)
        ));
    }
    let mut manifest = Manifest {
        bytes: &bytes,
        at: 10,
    };
    let overrun = || corrupt("buffer overrun");
    let alias_length = manifest.number().ok_or_else(truncated)?;
    if length < SHORTEST_MANIFEST + u64::from(alias_length) {
        return Err(truncated());
    }
    let alias = manifest.take(alias_length).ok_or_else(overrun)?;
    if !alias.is_empty() {
        archive.alias = Some(alias.to_vec());
        archive.has_temporary_alias = false;
    }
    let metadata = match manifest.number() {
        Some(length) => manifest.take(length),
        None => None,
    };
    let metadata = metadata.ok_or_else(|| corrupt("trying to read past buffer end"))?;
    archive.metadata = kept(metadata);
    if count as usize > manifest.left() / ENTRY {
        return Err(corrupt("too many manifest entries for size of manifest"));
    }
    let mut offset = stub_end + 4 + length;
    for _ in 0..count {
        limits::poll();
        let entry = read_entry(name, &mut manifest, version, offset)?;
        offset += entry.stored;
        archive.put(entry);
    }
    archive.stub_end = stub_end;
    archive.source = source;
    Ok(archive)
}

fn version_text(version: u16) -> String {
    format!(
        "{}.{}.{}",
        version >> 12,
        version >> 8 & 15,
        version >> 4 & 15
    )
}

fn kept(metadata: &[u8]) -> Option<Rc<[u8]>> {
    (!metadata.is_empty()).then(|| metadata.into())
}

fn read_entry(
    name: &[u8],
    manifest: &mut Manifest<'_>,
    version: u16,
    offset: u64,
) -> Result<Entry, String> {
    let corrupt = |problem: &str| {
        format!(
            "internal corruption of phar \"{}\" ({problem})",
            shown(name)
        )
    };
    let truncated = || corrupt("truncated manifest entry");
    let length = manifest.number().ok_or_else(truncated)?;
    if length == 0 {
        return Err(format!(
            "zero-length filename encountered in phar \"{}\"",
            shown(name)
        ));
    }
    let file = manifest.take(length).ok_or_else(truncated)?;
    let mut fields = [0; 6];
    for field in &mut fields {
        *field = manifest.number().ok_or_else(truncated)?;
    }
    let [size, time, stored, crc, entry_flags, metadata_length] = fields;
    let metadata = manifest.take(metadata_length).ok_or_else(truncated)?;
    let compression = entry_flags & flags::COMPRESSED;
    if compression == 0 && size != stored {
        return Err(corrupt(
            "compressed and uncompressed size does not match for uncompressed entry",
        ));
    }
    // Directories have a slash at the end since version 1.1.1.
    let is_directory = version >= 0x1110 && file.ends_with(b"/");
    let file = match is_directory {
        true => &file[..file.len() - 1],
        false => file,
    };
    let mut entry = Entry::new(file);
    entry.size = u64::from(size);
    entry.stored = u64::from(stored);
    entry.time = i64::from(time);
    entry.crc = crc;
    entry.flags = entry_flags;
    entry.metadata = kept(metadata);
    entry.is_directory = is_directory;
    entry.kind = if is_directory { b'5' } else { b'0' };
    entry.body = Body::Stored {
        offset,
        flags: entry_flags,
    };
    entry.is_modified = false;
    entry.is_crc_checked = false;
    Ok(entry)
}

fn read_signature(name: &[u8], source: &Source) -> Result<signature::Signature, String> {
    let broken = || format!("phar \"{}\" has a broken signature", shown(name));
    let end = source.length();
    let tail = end.checked_sub(8).and_then(|at| source.read(at, 8));
    let tail = tail
        .filter(|tail| tail[4..] == *SIGNED)
        .ok_or_else(broken)?;
    let number = number_32(&tail, 0).ok_or_else(broken)?;
    let length = match signature::length(number) {
        Some(length) => length,
        None if signature::is_openssl(number) => {
            let at = end.checked_sub(12).ok_or_else(broken)?;
            let length = source.read(at, 4).and_then(|bytes| number_32(&bytes, 0));
            u64::from(length.ok_or_else(broken)?) + 4
        }
        None => {
            return Err(format!(
                "phar \"{}\" has a broken or unsupported signature",
                shown(name)
            ));
        }
    };
    let start = (end - 8).checked_sub(length).ok_or_else(broken)?;
    // What OpenSSL made is followed by its length.
    let own = if signature::is_openssl(number) {
        length - 4
    } else {
        length
    };
    let expected = source.read(start, own).ok_or_else(broken)?;
    signature::verify(name, source, start, number, &expected).map_err(|problem| {
        let kind = signature::message_name(number);
        format!(
            "phar \"{}\" {kind} signature could not be verified: {problem}",
            shown(name)
        )
    })
}

/// Where an entry's contents came to lie.
pub(crate) type Places = Vec<(Vec<u8>, u64)>;

/// The archive as bytes, behind a stub.
pub(crate) fn write(archive: &mut Archive, stub: &[u8]) -> Result<(Vec<u8>, Places), String> {
    let mut out = Vec::new();
    append(&mut out, stub);
    let names: Vec<Vec<u8>> = archive
        .entries
        .iter()
        .filter(|entry| !entry.is_mounted())
        .map(|entry| entry.name.clone())
        .collect();
    let mut bodies = Vec::new();
    let mut global_flags = HAS_SIGNATURE;
    for name in &names {
        limits::poll();
        bodies.push(archive.packed(name)?);
    }
    let mut manifest = Vec::new();
    append(&mut manifest, &(names.len() as u32).to_le_bytes());
    append(&mut manifest, &VERSION.to_be_bytes());
    for name in &names {
        if let Some(entry) = archive.entries.get(name) {
            global_flags |= entry.flags & flags::COMPRESSED;
        }
    }
    append(&mut manifest, &global_flags.to_le_bytes());
    let alias = match archive.has_temporary_alias {
        true => &[][..],
        false => archive.alias.as_deref().unwrap_or_default(),
    };
    append(&mut manifest, &(alias.len() as u32).to_le_bytes());
    append(&mut manifest, alias);
    let metadata = archive.metadata.as_deref().unwrap_or_default();
    append(&mut manifest, &(metadata.len() as u32).to_le_bytes());
    append(&mut manifest, metadata);
    for name in &names {
        let Some(entry) = archive.entries.get(name) else {
            continue;
        };
        let slash: &[u8] = if entry.is_directory { b"/" } else { b"" };
        let length = entry.name.len() + slash.len();
        append(&mut manifest, &(length as u32).to_le_bytes());
        append(&mut manifest, &entry.name);
        append(&mut manifest, slash);
        let metadata = entry.metadata.as_deref().unwrap_or_default();
        for field in [
            entry.size as u32,
            entry.time as u32,
            entry.stored as u32,
            entry.crc,
            entry.flags,
            metadata.len() as u32,
        ] {
            append(&mut manifest, &field.to_le_bytes());
        }
        append(&mut manifest, metadata);
    }
    append(&mut out, &(manifest.len() as u32).to_le_bytes());
    append(&mut out, &manifest);
    let mut places = Vec::new();
    for (name, body) in names.into_iter().zip(bodies) {
        places.push((name, out.len() as u64));
        append(&mut out, &body);
    }
    let (number, signed) = signature::sign(archive, &[&out])
        .map_err(|problem| format!("phar error: unable to write signature: {problem}"))?;
    append(&mut out, &signed);
    if signature::is_openssl(number) {
        append(&mut out, &(signed.len() as u32).to_le_bytes());
    }
    append(&mut out, &number.to_le_bytes());
    append(&mut out, SIGNED);
    archive.stub_end = stub.len() as u64;
    archive.version = version_text(VERSION);
    Ok((out, places))
}
