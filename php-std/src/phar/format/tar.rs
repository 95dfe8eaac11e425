//! Tar archives. What belongs to the archive as a whole lies in files in the directory `.phar`.

use std::rc::Rc;

use vm_runtime::limits;
use vm_runtime::vm::Vm;

use super::append;
use super::native::Places;
use crate::phar::archive::{Archive, Body, Entry, Format, flags, shown};
use crate::phar::names::is_alias;
use crate::phar::signature::{self, Signature};
use crate::phar::source::Source;

/// Bytes of a header; contents are padded to as many.
const BLOCK: u64 = 512;
/// Bytes of the longest alias and signature.
const LONGEST: u64 = 511;
/// Names that need more than this are not written.
const LONGEST_NAME: usize = 256;

pub(crate) const ALIAS: &[u8] = b".phar/alias.txt";
pub(crate) const STUB: &[u8] = b".phar/stub.php";
pub(crate) const SIGNATURE: &[u8] = b".phar/signature.bin";
const METADATA: &[u8] = b".phar/.metadata.bin";
const METADATA_OF_FILES: &[u8] = b".phar/.metadata/";
const METADATA_END: &[u8] = b"/.metadata.bin";

/// A field of octal digits.
fn octal(field: &[u8]) -> u64 {
    let digits = field.iter().skip_while(|&&byte| byte == b' ');
    digits
        .take_while(|byte| (b'0'..=b'7').contains(byte))
        .fold(0u64, |number, digit| {
            number.wrapping_mul(8).wrapping_add(u64::from(digit - b'0'))
        })
}

/// The sum of a header's bytes, those of the sum taken for spaces.
fn checksum(header: &[u8]) -> u64 {
    let (before, rest) = header.split_at(148);
    let sum = |bytes: &[u8]| bytes.iter().map(|&byte| u64::from(byte)).sum::<u64>();
    sum(before) + 8 * 32 + sum(&rest[8..])
}

/// True if bytes at the start of a file, or its name, are those of a tar archive.
pub(crate) fn is_tar(start: &[u8], name: &[u8]) -> bool {
    let header = start.get(..BLOCK as usize);
    if header.is_some_and(|header| {
        &header[257..262] == b"ustar" || checksum(header) == octal(&header[148..156])
    }) {
        return true;
    }
    // A file without a stub and with this name is probably a broken one.
    let has_code = memchr::memmem::find(start, b"<?php").is_some();
    !has_code
        && memchr::memmem::find(name, b".tar")
            .is_some_and(|at| name.get(at + 4).is_none_or(|&byte| byte == b'.'))
}

/// A text that ends at a zero byte.
fn text(field: &[u8]) -> &[u8] {
    let end = memchr::memchr(0, field).unwrap_or(field.len());
    &field[..end]
}

/// Reads an archive.
pub(crate) fn read(
    vm: &mut Vm,
    name: &[u8],
    source: Source,
    compression: u32,
) -> Result<Archive, String> {
    let corrupt = |problem: &str| {
        format!(
            "phar error: \"{}\" is a corrupted tar file ({problem})",
            shown(name)
        )
    };
    let mut archive = Archive::new(name, Format::Tar);
    let mut metadata = Vec::new();
    let mut at = 0;
    let mut long_name: Option<Vec<u8>> = None;
    let end = source.length();
    let Some(first) = source.read(0, BLOCK) else {
        return Err(format!(
            "phar error: \"{}\" is not a tar file or is truncated",
            shown(name)
        ));
    };
    let mut header = first;
    loop {
        limits::poll();
        let stated = octal(&header[148..156]);
        let sum = checksum(&header);
        at += BLOCK;
        if stated == 0 && sum == 8 * 32 {
            break;
        }
        if octal(&header[124..136]) > end {
            return Err(corrupt("invalid entry size"));
        }
        if stated != sum {
            let file = shown(text(&header[..100]));
            return Err(corrupt(&format!("checksum mismatch of file \"{file}\"")));
        }
        let size = octal(&header[124..136]);
        let kind = header[156];
        let is_old = &header[257..262] != b"ustar";
        let padded = size.checked_add(BLOCK - 1).map(|size| size / BLOCK * BLOCK);
        let Some(padded) = padded.filter(|_| size <= end) else {
            return Err(corrupt("invalid entry size"));
        };
        if at.checked_add(size).is_none_or(|stop| stop > end) && kind != b'L' {
            return Err(corrupt("truncated"));
        }
        let body = at;
        let mut file = match long_name.take() {
            Some(file) => file,
            None => {
                let prefix = text(&header[345..500]);
                match is_old || prefix.is_empty() {
                    true => text(&header[..100]).to_vec(),
                    false => [prefix, b"/", text(&header[..100])].concat(),
                }
            }
        };
        match kind {
            b'g' | b'x' => {}
            b'L' => {
                let bytes = source
                    .read(body, size)
                    .ok_or_else(|| corrupt("truncated"))?;
                long_name = Some(text(&bytes).to_vec());
            }
            _ if file == SIGNATURE => {
                if size > LONGEST {
                    return Err(format!(
                        "phar error: tar-based phar \"{}\" has signature that is larger than 511 bytes, cannot process",
                        shown(name)
                    ));
                }
                let signed = read_signature(name, &source, body, size);
                let signed = signed.map_err(|problem| {
                    format!(
                        "phar error: tar-based phar \"{}\" signature cannot be verified: {problem}",
                        shown(name)
                    )
                })?;
                archive.algorithm = signed.algorithm;
                archive.signature = Some(signed);
                let next = source.read_most(body + padded, BLOCK);
                if next.len() == BLOCK as usize && next.iter().any(|&byte| byte != 0) {
                    return Err(format!(
                        "phar error: \"{}\" has entries after signature, invalid phar",
                        shown(name)
                    ));
                }
            }
            _ => {
                let is_directory = kind == b'5' || file.ends_with(b"/");
                while file.ends_with(b"/") {
                    file.pop();
                }
                let contents = |what: &str| {
                    if size > LONGEST {
                        return Err(format!(
                            "phar error: tar-based phar \"{}\" has {what} that is larger than 511 bytes, cannot process",
                            shown(name)
                        ));
                    }
                    source.read(body, size).ok_or_else(|| corrupt("truncated"))
                };
                if file == ALIAS {
                    let alias = contents("alias")?;
                    if !is_alias(&alias) {
                        return Err(format!(
                            "phar error: invalid alias \"{}\" in tar-based phar \"{}\"",
                            super::shown_alias(&alias),
                            shown(name)
                        ));
                    }
                    archive.alias = Some(alias);
                    archive.has_temporary_alias = false;
                }
                let is_metadata = file == METADATA
                    || file.starts_with(METADATA_OF_FILES) && file.ends_with(METADATA_END);
                if is_metadata {
                    let bytes = source
                        .read(body, size)
                        .ok_or_else(|| corrupt("truncated"))?;
                    metadata.push((file, bytes));
                } else if !file.is_empty() {
                    let mut entry = Entry::new(&file);
                    entry.size = size;
                    entry.stored = size;
                    entry.time = octal(&header[136..148]) as i64;
                    entry.flags = octal(&header[100..108]) as u32 & flags::PERMISSIONS;
                    entry.is_directory = is_directory;
                    entry.kind = match kind {
                        0 | b'0' | b'7' if is_directory => b'5',
                        0 => b'0',
                        other => other,
                    };
                    entry.is_modified = false;
                    entry.body = Body::Stored {
                        offset: body,
                        flags: 0,
                    };
                    if matches!(kind, b'1' | b'2') {
                        let target = text(&header[157..257]).to_vec();
                        if kind == b'1' && archive.entries.get(&target).is_none() {
                            return Err(format!(
                                "phar error: \"{}\" is a corrupted tar file - hard link to non-existent file \"{}\"",
                                shown(name),
                                shown(&target)
                            ));
                        }
                        entry.link = Some(target);
                    }
                    archive.put(entry);
                }
            }
        }
        at = body.saturating_add(padded);
        if at >= end {
            break;
        }
        match source.read(at, BLOCK) {
            Some(next) => header = next,
            None => return Err(corrupt("truncated")),
        }
    }
    apply_metadata(&mut archive, metadata)?;
    let has_stub = archive.entries.get(STUB).is_some();
    if archive.signature.is_none() && has_stub && vm.ini.bool("phar.require_hash") {
        return Err(format!(
            "tar-based phar \"{}\" does not have a signature",
            shown(name)
        ));
    }
    archive.compression = compression;
    archive.source = source;
    Ok(archive)
}

fn apply_metadata(archive: &mut Archive, found: Vec<(Vec<u8>, Vec<u8>)>) -> Result<(), String> {
    for (file, bytes) in found {
        if bytes.is_empty() {
            return Err(format!(
                "phar error: tar-based phar \"{}\" has invalid metadata in magic file \"{}\"",
                archive.shown(),
                shown(&file)
            ));
        }
        let bytes: Rc<[u8]> = bytes.into();
        if file == METADATA {
            archive.metadata = Some(bytes);
            continue;
        }
        let inner = file
            .strip_prefix(METADATA_OF_FILES)
            .and_then(|rest| rest.strip_suffix(METADATA_END));
        if let Some(entry) = inner.and_then(|inner| archive.entries.get_mut(inner)) {
            entry.metadata = Some(bytes);
        }
    }
    Ok(())
}

fn read_signature(name: &[u8], source: &Source, body: u64, size: u64) -> Result<Signature, String> {
    let broken = || String::from("signature cannot be read");
    let bytes = source.read(body, size).ok_or_else(broken)?;
    let number = super::number_32(&bytes, 0).ok_or_else(broken)?;
    let expected = bytes.get(8..).ok_or_else(broken)?;
    signature::verify(name, source, body - BLOCK, number, expected)
}

/// A header. The name was found to fit.
fn header(entry: &Entry, name: &[u8], size: u64, archive: &str) -> Result<Vec<u8>, String> {
    let mut header = vec![0; BLOCK as usize];
    let too_long = || {
        format!(
            "tar-based phar \"{archive}\" cannot be created, filename \"{}\" is too long for tar file format",
            shown(&entry.name)
        )
    };
    if name.len() > 100 {
        // The name is cut at a slash.
        if name.len() > LONGEST_NAME {
            return Err(too_long());
        }
        let first = name.len().saturating_sub(101);
        let slash = memchr::memchr(b'/', &name[first..]).map(|at| first + at);
        let slash = slash
            .filter(|&at| at <= 155 && at > 0)
            .ok_or_else(too_long)?;
        header[345..345 + slash].copy_from_slice(&name[..slash]);
        let rest = &name[slash + 1..];
        header[..rest.len()].copy_from_slice(rest);
    } else {
        header[..name.len()].copy_from_slice(name);
    }
    let mut put = |at: usize, width: usize, number: u64| {
        let digits = format!("{number:0width$o}");
        if digits.len() > width {
            return false;
        }
        header[at..at + width].copy_from_slice(digits.as_bytes());
        true
    };
    put(100, 7, u64::from(entry.flags & flags::PERMISSIONS));
    if !put(124, 11, size) {
        return Err(format!(
            "tar-based phar \"{archive}\" cannot be created, filename \"{}\" is too large for tar file format",
            shown(&entry.name)
        ));
    }
    if !put(136, 11, entry.time as u64) {
        return Err(format!(
            "tar-based phar \"{archive}\" cannot be created, file modification time of file \"{}\" is too large for tar file format",
            shown(&entry.name)
        ));
    }
    header[156] = entry.kind;
    if let Some(link) = &entry.link {
        if link.len() > 100 {
            return Err(format!(
                "tar-based phar \"{archive}\" cannot be created, link \"{}\" is too long for format",
                shown(link)
            ));
        }
        header[157..157 + link.len()].copy_from_slice(link);
    }
    header[257..262].copy_from_slice(b"ustar");
    header[263..265].copy_from_slice(b"00");
    let sum = format!("{:07o}", checksum(&header));
    header[148..155].copy_from_slice(sum.as_bytes());
    Ok(header)
}

/// The header of an entry with so many bytes of contents.
fn header_of(entry: &Entry, size: u64, archive: &str) -> Result<Vec<u8>, String> {
    let slash: &[u8] = if entry.is_directory { b"/" } else { b"" };
    header(
        entry,
        &[entry.name.as_slice(), slash].concat(),
        size,
        archive,
    )
}

/// The sum of the bytes of an entry's header, which stands for the checksum that its contents do not have.
pub(crate) fn sum_of_header(entry: &Entry, size: u64, archive: &str) -> Result<u32, String> {
    let header = header_of(entry, size, archive)?;
    Ok(checksum(&header) as u32)
}

/// Appends an entry; gives where its contents begin.
fn append_entry(
    out: &mut Vec<u8>,
    entry: &Entry,
    contents: &[u8],
    archive: &str,
) -> Result<u64, String> {
    append(out, &header_of(entry, contents.len() as u64, archive)?);
    let place = out.len() as u64;
    append(out, contents);
    let padding = (BLOCK as usize - contents.len() % BLOCK as usize) % BLOCK as usize;
    append(out, &[0; BLOCK as usize][..padding]);
    Ok(place)
}

/// The archive as bytes, before it is compressed as a whole.
pub(crate) fn write(archive: &mut Archive) -> Result<(Vec<u8>, Places), String> {
    let mut out = Vec::new();
    let mut places = Vec::new();
    let shown_name = archive.shown();
    let names: Vec<Vec<u8>> = archive
        .entries
        .iter()
        .filter(|entry| !entry.is_mounted() && entry.name != SIGNATURE)
        .map(|entry| entry.name.clone())
        .collect();
    for name in &names {
        limits::poll();
        let is_link = archive
            .entries
            .get(name)
            .is_some_and(|entry| entry.link.is_some() || entry.is_directory);
        let contents = match is_link {
            true => Rc::default(),
            false => archive.contents(name)?,
        };
        if let Some(entry) = archive.entries.get_mut(name) {
            entry.stored = contents.len() as u64;
            entry.crc = sum_of_header(entry, entry.stored, &shown_name)?;
            let entry = entry.clone();
            let place = append_entry(&mut out, &entry, &contents, &shown_name)?;
            places.push((name.clone(), place));
        }
    }
    if let Some(metadata) = archive.metadata.clone() {
        append_entry(&mut out, &Entry::new(METADATA), &metadata, &shown_name)?;
    }
    for name in &names {
        let metadata = archive
            .entries
            .get(name)
            .and_then(|entry| entry.metadata.clone());
        if let Some(metadata) = metadata {
            let file = [METADATA_OF_FILES, name, METADATA_END].concat();
            append_entry(&mut out, &Entry::new(&file), &metadata, &shown_name)?;
        }
    }
    if let Some(contents) = signature::sign_entry(archive, "tar", &[&out])? {
        append_entry(&mut out, &Entry::new(SIGNATURE), &contents, &shown_name)?;
    }
    append(&mut out, &[0; 2 * BLOCK as usize]);
    Ok((out, places))
}
