//! Writing an archive: to a file beside it, which then takes its place.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use vm_runtime::limits;

use super::archive::{Archive, Data, Entry, archive_flags};
use super::cipher;
use super::data::{Origin, PIECE, Packing, Reader, pack};
use super::format::{self, Record, encryption, method};
use super::problem::{Problem, code};

/// The moment that all entries of a torrent's archive have: 24 December 1996, 23:32 (as DOS tells it).
const TORRENT_TIME: (i32, i32, i32, i32, i32) = (96, 11, 24, 23, 32);

/// Contents that AES encrypts have a checksum from this size on.
const SEALED_ONLY: u64 = 20;

/// Told how far writing got, from 0 to 1; an error puts an end to it.
pub(super) type Progress<'a> = dyn FnMut(f64) -> Result<(), Problem> + 'a;

/// Writes an archive if something of it was changed.
pub(super) fn save(archive: &Archive, progress: &mut Progress<'_>) -> Result<(), Problem> {
    if !archive.is_changed() {
        return Ok(());
    }
    limits::note_file_access();
    let mut survivors: Vec<&Entry> = archive
        .entries
        .iter()
        .filter(|entry| !entry.is_deleted)
        .collect();
    let existed = archive.file.is_some() || archive.is_overwritten;
    if survivors.is_empty() && archive.flags & archive_flags::KEEP_EMPTY == 0 {
        if existed && let Err(error) = std::fs::remove_file(&archive.path) {
            return Err(Problem::of(code::REMOVE, &error));
        }
        return Ok(());
    }
    let is_torrent = archive.flags & archive_flags::WANT_TORRENT != 0;
    if is_torrent {
        survivors.sort_by_cached_key(|entry| entry.record.name.to_ascii_lowercase());
    }
    progress(0.0)?;
    let (mut file, temporary) = create_beside(&archive.path)?;
    let outcome = write(archive, &survivors, is_torrent, &mut file, progress);
    let outcome = outcome.and_then(|()| {
        let mode = match std::fs::metadata(&archive.path) {
            Ok(metadata) => metadata.mode() & 0o7777,
            Err(_) => 0o666 & !mask(),
        };
        // What cannot be set stays as it is.
        let _ = file.set_permissions(std::fs::Permissions::from_mode(mode));
        std::fs::rename(&temporary, &archive.path)
            .map_err(|error| Problem::of(code::RENAME, &error))
    });
    if outcome.is_err() {
        let _ = std::fs::remove_file(&temporary);
        return outcome;
    }
    progress(1.0)
}

/// The bits that new files do not get.
fn mask() -> u32 {
    // SAFETY: sets the mask, which has no other way to be read, and sets it back.
    unsafe {
        let mask = libc::umask(0o077);
        libc::umask(mask);
        mask
    }
}

/// A new file in the folder of another one.
fn create_beside(path: &Path) -> Result<(File, PathBuf), Problem> {
    let mut seed = [0; 8];
    getrandom::fill(&mut seed).map_err(|_| code::TMPOPEN)?;
    let mut name = path.as_os_str().to_os_string();
    name.push(format!(".{:012x}", u64::from_le_bytes(seed) >> 16));
    let created = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&name);
    match created {
        Ok(file) => Ok((file, name.into())),
        Err(error) => Err(Problem::of(code::TMPOPEN, &error)),
    }
}

fn write(
    archive: &Archive,
    survivors: &[&Entry],
    is_torrent: bool,
    file: &mut File,
    progress: &mut Progress<'_>,
) -> Result<(), Problem> {
    let failed = |error: std::io::Error| Problem::of(code::WRITE, &error);
    let mut records = Vec::new();
    let count = survivors.len() as f64;
    for (number, entry) in survivors.iter().enumerate() {
        limits::poll();
        let mut record = entry.record.clone();
        if is_torrent {
            record.time = torrent_time();
            record.comment.clear();
            record.extra.clear();
            record.attributes = 0;
        }
        let size = record.size.max(1) as f64;
        let mut told = |given: u64| {
            let done = number as f64 + (given as f64 / size).min(1.0);
            match done < count {
                true => progress(done / count),
                false => Ok(()),
            }
        };
        let must_pack = is_torrent
            || entry.data.is_some()
            || entry
                .wishes
                .method
                .is_some_and(|method| method != record.method)
            || entry.wishes.encryption.is_some();
        record.offset = file.stream_position().map_err(failed)?;
        match must_pack {
            true => pack_entry(archive, entry, &mut record, is_torrent, file, &mut told)?,
            false => copy_entry(archive, entry, &record, file, &mut told)?,
        }
        records.push(record);
    }
    let at = file.stream_position().map_err(failed)?;
    let end = format::end(&records, at, &archive.comment, is_torrent);
    file.write_all(&end).map_err(failed)
}

fn torrent_time() -> i64 {
    // SAFETY: the fields are plain numbers, and the call reads no more than them.
    unsafe {
        let mut fields: libc::tm = std::mem::zeroed();
        fields.tm_isdst = -1;
        (
            fields.tm_year,
            fields.tm_mon,
            fields.tm_mday,
            fields.tm_hour,
            fields.tm_min,
        ) = TORRENT_TIME;
        libc::mktime(&mut fields)
    }
}

/// Takes the bytes of an entry over as they are.
fn copy_entry(
    archive: &Archive,
    entry: &Entry,
    record: &Record,
    file: &mut File,
    told: &mut dyn FnMut(u64) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let failed = |error: std::io::Error| Problem::of(code::WRITE, &error);
    let source = archive.file.as_ref().ok_or(code::INVAL)?;
    let original = entry.original.as_ref().ok_or(code::INVAL)?;
    let is_large = format::is_large(record.size) || format::is_large(record.stored);
    file.write_all(&format::local_header(record, is_large))
        .map_err(failed)?;
    let mut reader = Reader::raw(source, original)?;
    let (mut piece, mut copied) = (Vec::new(), 0);
    loop {
        piece.clear();
        let is_over = reader.read(&mut piece, PIECE)?;
        file.write_all(&piece).map_err(failed)?;
        copied += piece.len() as u64;
        told(copied)?;
        if is_over {
            break;
        }
    }
    if copied != record.stored {
        return Err(code::EOF.into());
    }
    if record.flags & format::DESCRIBED_BEHIND != 0 {
        file.write_all(&format::descriptor(record, is_large))
            .map_err(failed)?;
    }
    Ok(())
}

/// Opens the contents that an entry is to have, and tells how many bytes there are.
fn contents(
    archive: &Archive,
    entry: &Entry,
    record: &mut Record,
) -> Result<(Reader, u64), Problem> {
    let origin = match &entry.data {
        None => {
            let source = archive.file.as_ref().ok_or(code::INVAL)?;
            let original = entry.original.as_ref().ok_or(code::INVAL)?;
            let reader = Reader::open(source, original, archive.password.as_deref())?;
            return Ok((reader, original.size));
        }
        Some(Data::Bytes(bytes)) => {
            let length = bytes.len() as u64;
            let bytes = bytes.clone();
            return Ok((Reader::plain(Origin::Memory { bytes, at: 0 }), length));
        }
        Some(Data::File {
            path,
            start,
            length,
            file,
        }) => {
            let file = match file {
                Some(file) => file.clone(),
                None => {
                    let opened = limits::open(File::options().read(true), path);
                    Rc::new(opened.map_err(|error| Problem::of(code::OPEN, &error))?)
                }
            };
            let metadata = file
                .metadata()
                .map_err(|error| Problem::of(code::READ, &error))?;
            if metadata.is_dir() {
                let error = std::io::Error::from_raw_os_error(libc::EISDIR);
                return Err(Problem::of(code::READ, &error));
            }
            if !entry.has_attributes {
                record.attributes = metadata.mode() << 16;
            }
            // Of a device or a pipe nobody knows the length.
            let rest = match metadata.is_file() {
                true => metadata.len().saturating_sub(*start),
                false => 0,
            };
            let left = length.unwrap_or(rest);
            if left > rest {
                return Err(code::EOF.into());
            }
            Origin::File {
                file,
                at: *start,
                left,
            }
        }
    };
    let length = match &origin {
        Origin::File { left, .. } => *left,
        Origin::Memory { bytes, .. } => bytes.len() as u64,
    };
    Ok((Reader::plain(origin), length))
}

/// Compresses and encrypts the contents of an entry as its wishes say.
fn pack_entry(
    archive: &Archive,
    entry: &Entry,
    record: &mut Record,
    is_torrent: bool,
    file: &mut File,
    told: &mut dyn FnMut(u64) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let failed = |error: std::io::Error| Problem::of(code::WRITE, &error);
    let (mut reader, length) = contents(archive, entry, record)?;
    let wishes = &entry.wishes;
    let known = if entry.data.is_none() {
        Some(record.method)
    } else {
        None
    };
    let mut wanted = wishes.method.or(known).unwrap_or(method::DEFLATE);
    if is_torrent {
        wanted = method::DEFLATE;
    } else if length == 0 {
        wanted = method::STORE;
    }
    record.encryption = wishes.encryption.unwrap_or(match entry.data {
        Some(_) => encryption::NONE,
        None => record.encryption,
    });
    let password = wishes.password.as_deref().or(archive.password.as_deref());
    let secret = match record.encryption {
        encryption::NONE => None,
        kind => {
            let last = (format::dos_time(record.time) >> 8) as u8;
            Some((password.ok_or(code::NOPASSWD)?, kind, last))
        }
    };
    let is_large = format::is_large(length + (length >> 10) + 64);
    let body_at = record.offset;
    loop {
        record.method = wanted;
        record.flags &= format::UTF8;
        if wanted == method::DEFLATE {
            record.flags |= match wishes.level {
                1 | 2 => 6,
                3 | 4 => 4,
                5..=7 => 0,
                _ => format::BEST,
            };
        }
        if secret.is_some() {
            record.flags |= format::ENCRYPTED;
        }
        if record.encryption == encryption::TRADITIONAL {
            record.flags |= format::DESCRIBED_BEHIND;
        }
        (record.crc, record.size, record.stored) = (0, 0, 0);
        file.write_all(&format::local_header(record, is_large))
            .map_err(failed)?;
        let packing = Packing {
            method: wanted,
            level: wishes.level,
            is_torrent,
            secret,
        };
        let packed = pack(&mut reader, packing, file, told)?;
        (record.crc, record.size, record.stored) = (packed.crc, packed.size, packed.stored);
        // What does not get smaller is written as it is.
        let overhead = match record.encryption {
            encryption::NONE => 0,
            encryption::TRADITIONAL => 12,
            kind => cipher::header_length(kind) as u64 + 10,
        };
        if wanted == method::STORE || is_torrent || packed.stored - overhead < packed.size {
            break;
        }
        wanted = method::STORE;
        file.seek(SeekFrom::Start(body_at)).map_err(failed)?;
        file.set_len(body_at).map_err(failed)?;
        reader = contents(archive, entry, record)?.0;
    }
    // A checksum would tell too much of contents that are short; their seal has to do.
    if record.encryption > encryption::TRADITIONAL && record.size < SEALED_ONLY {
        record.crc = 0;
    }
    // Now that the sizes are known they are written into the header.
    let header = format::local_header(record, is_large);
    file.write_all_at(&header, body_at).map_err(failed)?;
    if record.flags & format::DESCRIBED_BEHIND != 0 {
        file.write_all(&format::descriptor(record, is_large))
            .map_err(failed)?;
    }
    Ok(())
}

/// The name of a file, for messages.
pub(super) fn bytes_of(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}
