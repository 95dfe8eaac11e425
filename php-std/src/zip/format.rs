//! The container: records of entries, read from and written to the central directory.

use std::fs::File;
use std::os::unix::fs::FileExt;

use vm_runtime::limits;

use super::problem::{Problem, code};
use crate::support::dos_time::{from_dos, to_dos};

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
/// The record at the end of archives too large for [`END`], and what points to it.
const LARGE_END: u32 = 0x0606_4b50;
const LARGE_LOCATOR: u32 = 0x0706_4b50;
const END_LENGTH: usize = 22;
const CENTRAL_LENGTH: usize = 46;
/// Bytes of an entry before its name.
pub(super) const LOCAL_LENGTH: usize = 30;
/// The extra fields with sizes above 32 bits, and with the kind of encryption by AES.
const LARGE: u16 = 1;
pub(super) const AES: u16 = 0x9901;
/// Flags of an entry.
pub(super) const ENCRYPTED: u16 = 1;
pub(super) const BEST: u16 = 2;
pub(super) const DESCRIBED_BEHIND: u16 = 8;
pub(super) const UTF8: u16 = 0x800;
/// What stands for a number of which the extra field tells.
const ELSEWHERE: u32 = u32::MAX;

/// Ways of compression.
pub(super) mod method {
    pub(in crate::zip) const STORE: u16 = 0;
    pub(in crate::zip) const DEFLATE: u16 = 8;
    pub(in crate::zip) const BZIP2: u16 = 12;
    /// The real way is told in the extra field.
    pub(in crate::zip) const AES: u16 = 99;
}

/// Ways of encryption.
pub(super) mod encryption {
    pub(in crate::zip) const NONE: u16 = 0;
    pub(in crate::zip) const TRADITIONAL: u16 = 1;
    pub(in crate::zip) const AES_128: u16 = 0x101;
    pub(in crate::zip) const AES_256: u16 = 0x103;
    pub(in crate::zip) const UNKNOWN: u16 = 0xffff;
}

/// What is known of an entry.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    /// As it is in the archive; see [`UTF8`].
    pub(super) name: Vec<u8>,
    pub(super) comment: Vec<u8>,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) encryption: u16,
    /// Seconds since 1970.
    pub(super) time: i64,
    pub(super) crc: u32,
    pub(super) size: u64,
    /// Bytes it takes in the archive.
    pub(super) stored: u64,
    /// The system whose attributes it has, and those.
    pub(super) system: u8,
    pub(super) attributes: u32,
    /// Where it begins in the archive.
    pub(super) offset: u64,
    /// Extra fields that mean nothing here.
    pub(super) extra: Vec<u8>,
}

impl Record {
    /// A new one.
    pub(super) fn new(name: &[u8], is_directory: bool) -> Record {
        let mode: u32 = if is_directory { 0o40777 } else { 0o100_666 };
        Record {
            name: name.to_vec(),
            comment: Vec::new(),
            flags: 0,
            method: method::STORE,
            encryption: encryption::NONE,
            time: now(),
            crc: 0,
            size: 0,
            stored: 0,
            system: 3,
            attributes: mode << 16,
            offset: 0,
            extra: Vec::new(),
        }
    }
}

/// The present.
pub(super) fn now() -> i64 {
    let now = std::time::SystemTime::now();
    let since = now.duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs() as i64)
}

/// The time of DOS.
pub(super) fn dos_time(seconds: i64) -> u16 {
    to_dos(seconds).1
}

/// A number of two bytes.
fn short(bytes: &[u8], at: usize) -> u16 {
    let field = bytes
        .get(at..at + 2)
        .and_then(|field| field.try_into().ok());
    field.map_or(0, u16::from_le_bytes)
}

/// A number of four bytes.
fn long(bytes: &[u8], at: usize) -> u32 {
    let field = bytes
        .get(at..at + 4)
        .and_then(|field| field.try_into().ok());
    field.map_or(0, u32::from_le_bytes)
}

/// A number of eight bytes.
fn large(bytes: &[u8], at: usize) -> u64 {
    u64::from(long(bytes, at)) | u64::from(long(bytes, at + 4)) << 32
}

/// The contents of an extra field.
fn extra_field(mut extra: &[u8], tag: u16) -> Option<&[u8]> {
    while extra.len() >= 4 {
        let length = usize::from(short(extra, 2));
        let field = extra.get(4..4 + length)?;
        if short(extra, 0) == tag {
            return Some(field);
        }
        extra = &extra[4 + length..];
    }
    None
}

/// The extra fields without those that are written anew.
fn other_fields(mut extra: &[u8]) -> Vec<u8> {
    let mut kept = Vec::new();
    while extra.len() >= 4 {
        let end = 4 + usize::from(short(extra, 2));
        let Some(field) = extra.get(..end) else {
            break;
        };
        if !matches!(short(extra, 0), LARGE | AES) {
            kept.extend_from_slice(field);
        }
        extra = &extra[end..];
    }
    kept
}

/// Bytes from a place of a file; fewer at its end.
pub(super) fn read_at(file: &File, offset: u64, length: usize) -> Result<Vec<u8>, Problem> {
    limits::reserve(length);
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while filled < length {
        match file.read_at(&mut bytes[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Problem::of(code::READ, &error)),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// What an archive holds.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) records: Vec<Record>,
    pub(super) comment: Vec<u8>,
    /// It is as a program of that name wants it.
    pub(super) is_torrent: bool,
}

/// Reads what is in an archive of `length` bytes. With `strict`, headers must agree with the
/// central directory.
pub(super) fn read(file: &File, length: u64, strict: bool) -> Result<Contents, Problem> {
    let tail_length = length.min(END_LENGTH as u64 + 65535 + 20);
    let tail_at = length - tail_length;
    let tail = read_at(file, tail_at, tail_length as usize)?;
    let mark = END.to_le_bytes();
    let mut outcome = Err(Problem::from(code::NOZIP));
    let searched = &tail[..tail.len().saturating_sub(END_LENGTH - mark.len())];
    // Where reading fails, the mark may belong to a comment.
    for at in memchr::memmem::rfind_iter(searched, &mark).take(16) {
        match read_from(file, &tail, at, tail_at, strict) {
            Ok(contents) => return Ok(contents),
            Err(problem) if outcome.is_err() => {
                outcome = Err(problem);
            }
            Err(_) => {}
        }
    }
    outcome
}

/// Reads what the record at a place of the file's end describes.
fn read_from(
    file: &File,
    tail: &[u8],
    at: usize,
    tail_at: u64,
    strict: bool,
) -> Result<Contents, Problem> {
    let inconsistent = Problem::from(code::INCONS);
    let end = &tail[at..];
    let end_at = tail_at + at as u64;
    if short(end, 4) != 0 || short(end, 6) != 0 {
        return Err(code::MULTIDISK.into());
    }
    let mut count = u64::from(short(end, 10));
    let mut directory_length = u64::from(long(end, 12));
    let mut directory_at = u64::from(long(end, 16));
    let comment_length = usize::from(short(end, 20));
    let comment = &end[END_LENGTH..];
    if strict && comment.len() != comment_length {
        return Err(inconsistent);
    }
    if short(end, 8) != short(end, 10) {
        return Err(code::MULTIDISK.into());
    }
    let is_large = count == 0xffff || directory_at == u64::from(ELSEWHERE);
    if is_large && at >= 20 && long(tail, at - 20) == LARGE_LOCATOR {
        let record = read_at(file, large(tail, at - 12), 56)?;
        if record.len() < 56 || long(&record, 0) != LARGE_END {
            return Err(inconsistent);
        }
        count = large(&record, 32);
        directory_length = large(&record, 40);
        directory_at = large(&record, 48);
    }
    if directory_at
        .checked_add(directory_length)
        .is_none_or(|stop| stop > end_at)
    {
        return Err(match strict {
            true => inconsistent,
            false => code::TRUNCATED.into(),
        });
    }
    // Each entry takes bytes, so what is allocated for them is bounded by the file.
    let directory = read_at(file, directory_at, directory_length as usize)?;
    if count > directory.len() as u64 / CENTRAL_LENGTH as u64 {
        return Err(inconsistent);
    }
    let mut contents = Contents {
        comment: comment[..comment_length.min(comment.len())].to_vec(),
        ..Contents::default()
    };
    let mut rest = &directory[..];
    for _ in 0..count {
        limits::poll();
        if rest.len() >= 4 && long(rest, 0) != CENTRAL {
            return Err(code::TRUNCATED.into());
        }
        let (record, length) = read_record(rest).ok_or(inconsistent)?;
        if strict {
            check_local(file, &record, rest, directory_at)?;
        }
        contents.records.push(record);
        rest = &rest[length..];
    }
    if !rest.is_empty() && strict {
        return Err(inconsistent);
    }
    let sum = format!("TORRENTZIPPED-{:08X}", crc32fast::hash(&directory));
    contents.is_torrent = contents.comment == sum.as_bytes();
    Ok(contents)
}

/// The record at the start of a central directory, and its length.
fn read_record(bytes: &[u8]) -> Option<(Record, usize)> {
    if bytes.len() < CENTRAL_LENGTH {
        return None;
    }
    let name_end = CENTRAL_LENGTH + usize::from(short(bytes, 28));
    let extra_end = name_end + usize::from(short(bytes, 30));
    let end = extra_end + usize::from(short(bytes, 32));
    let name = bytes.get(CENTRAL_LENGTH..name_end)?;
    let extra = bytes.get(name_end..extra_end)?;
    let comment = bytes.get(extra_end..end)?;
    let mut record = Record {
        name: name.to_vec(),
        comment: comment.to_vec(),
        flags: short(bytes, 8),
        method: short(bytes, 10),
        encryption: encryption::NONE,
        time: from_dos(short(bytes, 14), short(bytes, 12)),
        crc: long(bytes, 16),
        size: u64::from(long(bytes, 24)),
        stored: u64::from(long(bytes, 20)),
        system: (short(bytes, 4) >> 8) as u8,
        attributes: long(bytes, 38),
        offset: u64::from(long(bytes, 42)),
        extra: other_fields(extra),
    };
    // In this order, those that do not fit.
    let mut field = extra_field(extra, LARGE).unwrap_or_default();
    for number in [&mut record.size, &mut record.stored, &mut record.offset] {
        if *number == u64::from(ELSEWHERE) && field.len() >= 8 {
            *number = large(field, 0);
            field = &field[8..];
        }
    }
    if record.flags & ENCRYPTED != 0 {
        record.encryption = encryption::TRADITIONAL;
        if record.method == method::AES {
            let field = extra_field(extra, AES).filter(|field| field.len() >= 7);
            record.encryption = encryption::UNKNOWN;
            if let Some(field) = field {
                if (1..=3).contains(&field[4]) {
                    record.encryption = 0x100 | u16::from(field[4]);
                }
                record.method = short(field, 5);
            }
        }
    }
    Some((record, end))
}

/// Compares a record, which is read from `central`, with the header before the contents.
fn check_local(
    file: &File,
    record: &Record,
    central: &[u8],
    directory_at: u64,
) -> Result<(), Problem> {
    let header = read_at(file, record.offset, LOCAL_LENGTH)?;
    if header.len() < LOCAL_LENGTH || long(&header, 0) != LOCAL {
        return Err(code::NOZIP.into());
    }
    let name_length = usize::from(short(&header, 26));
    let body = record.offset + (LOCAL_LENGTH + name_length) as u64 + u64::from(short(&header, 28));
    let end = body.checked_add(record.stored);
    if body > directory_at {
        return Err(code::EOF.into());
    }
    let name = read_at(file, record.offset + LOCAL_LENGTH as u64, name_length)?;
    if end.is_none_or(|end| end > directory_at) {
        return Err(code::TRUNCATED.into());
    }
    // Method and time, and then the checksum and sizes.
    let sums = &header[14..26];
    let is_later = short(&header, 6) & DESCRIBED_BEHIND != 0 && sums.iter().all(|&byte| byte == 0);
    let has_large_sizes = extra_field(&record.extra, LARGE).is_some() || long(sums, 4) == ELSEWHERE;
    let agrees = header[8..14] == central[10..16]
        && (is_later || has_large_sizes || *sums == central[16..28])
        && name == record.name;
    agrees.then_some(()).ok_or(code::INCONS.into())
}

/// Where the contents of an entry begin.
pub(super) fn body_offset(file: &File, record: &Record) -> Result<u64, Problem> {
    let header = read_at(file, record.offset, LOCAL_LENGTH)?;
    if header.len() < LOCAL_LENGTH {
        return Err(code::EOF.into());
    }
    let skipped = u64::from(short(&header, 26)) + u64::from(short(&header, 28));
    Ok(record.offset + LOCAL_LENGTH as u64 + skipped)
}

/// Bytes of the fields that a header and the central directory have in common, without the name.
fn common(record: &Record, extra_length: usize, is_large: bool) -> Vec<u8> {
    let is_aes =
        record.encryption >= encryption::AES_128 && record.encryption <= encryption::AES_256;
    let needed: u16 = match (is_large, is_aes) {
        (_, true) => 51,
        (true, false) => 45,
        _ if record.method == method::BZIP2 => 46,
        _ => 20,
    };
    let (date, time) = to_dos(record.time);
    let method = if is_aes { method::AES } else { record.method };
    let mut fields = Vec::new();
    for field in [needed, record.flags, method, time, date] {
        fields.extend_from_slice(&field.to_le_bytes());
    }
    fields.extend_from_slice(&record.crc.to_le_bytes());
    for size in [record.stored, record.size] {
        let size = if is_large { ELSEWHERE } else { size as u32 };
        fields.extend_from_slice(&size.to_le_bytes());
    }
    for length in [record.name.len(), extra_length] {
        fields.extend_from_slice(&(length as u16).to_le_bytes());
    }
    fields
}

/// The extra field that tells how an entry is encrypted.
fn aes_field(record: &Record) -> Vec<u8> {
    if !(encryption::AES_128..=encryption::AES_256).contains(&record.encryption) {
        return Vec::new();
    }
    let mut field = Vec::new();
    // The first version of this encryption kept the checksum.
    let version = if record.crc == 0 { 2 } else { 1 };
    for number in [AES, 7, version] {
        field.extend_from_slice(&u16::to_le_bytes(number));
    }
    field.extend_from_slice(b"AE");
    field.push(record.encryption as u8);
    field.extend_from_slice(&record.method.to_le_bytes());
    field
}

/// What stands before an entry. Its sizes must be 0 or below 4 GiB if it is not `is_large`.
pub(super) fn local_header(record: &Record, is_large: bool) -> Vec<u8> {
    let mut extra = Vec::new();
    if is_large {
        extra.extend_from_slice(&LARGE.to_le_bytes());
        extra.extend_from_slice(&16u16.to_le_bytes());
        extra.extend_from_slice(&record.size.to_le_bytes());
        extra.extend_from_slice(&record.stored.to_le_bytes());
    }
    extra.extend_from_slice(&aes_field(record));
    extra.extend_from_slice(&record.extra);
    let mut header = LOCAL.to_le_bytes().to_vec();
    header.extend_from_slice(&common(record, extra.len(), is_large));
    header.extend_from_slice(&record.name);
    header.extend_from_slice(&extra);
    header
}

/// What stands behind an entry with the flag [`DESCRIBED_BEHIND`].
pub(super) fn descriptor(record: &Record, is_large: bool) -> Vec<u8> {
    let mut bytes = 0x0807_4b50u32.to_le_bytes().to_vec();
    bytes.extend_from_slice(&record.crc.to_le_bytes());
    for size in [record.stored, record.size] {
        match is_large {
            true => bytes.extend_from_slice(&size.to_le_bytes()),
            false => bytes.extend_from_slice(&(size as u32).to_le_bytes()),
        }
    }
    bytes
}

/// True if a number needs more than 32 bits.
pub(super) fn is_large(number: u64) -> bool {
    number >= u64::from(ELSEWHERE)
}

/// An entry of the central directory.
fn central_header(record: &Record, is_torrent: bool) -> Vec<u8> {
    let sizes_are_large = is_large(record.size) || is_large(record.stored);
    let mut extra = Vec::new();
    if sizes_are_large || is_large(record.offset) {
        let mut field = Vec::new();
        if sizes_are_large {
            field.extend_from_slice(&record.size.to_le_bytes());
            field.extend_from_slice(&record.stored.to_le_bytes());
        }
        if is_large(record.offset) {
            field.extend_from_slice(&record.offset.to_le_bytes());
        }
        extra.extend_from_slice(&LARGE.to_le_bytes());
        extra.extend_from_slice(&(field.len() as u16).to_le_bytes());
        extra.extend_from_slice(&field);
    }
    extra.extend_from_slice(&aes_field(record));
    extra.extend_from_slice(&record.extra);
    let made_by = match is_torrent {
        true => 0,
        false => u16::from(record.system) << 8 | 63,
    };
    let mut header = CENTRAL.to_le_bytes().to_vec();
    header.extend_from_slice(&made_by.to_le_bytes());
    header.extend_from_slice(&common(record, extra.len(), sizes_are_large));
    header.extend_from_slice(&(record.comment.len() as u16).to_le_bytes());
    header.extend_from_slice(&[0; 4]);
    header.extend_from_slice(&record.attributes.to_le_bytes());
    header.extend_from_slice(&(record.offset.min(u64::from(ELSEWHERE)) as u32).to_le_bytes());
    header.extend_from_slice(&record.name);
    header.extend_from_slice(&extra);
    header.extend_from_slice(&record.comment);
    header
}

/// What follows the entries, which end at `at`.
pub(super) fn end(records: &[Record], at: u64, comment: &[u8], is_torrent: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for record in records {
        limits::poll();
        let header = central_header(record, is_torrent);
        limits::reserve(header.len());
        bytes.extend_from_slice(&header);
    }
    let comment = match is_torrent {
        true => format!("TORRENTZIPPED-{:08X}", crc32fast::hash(&bytes)).into_bytes(),
        false => comment.to_vec(),
    };
    let (count, length) = (records.len() as u64, bytes.len() as u64);
    if count >= 0xffff || is_large(at) || is_large(length) {
        let record_at = at + length;
        bytes.extend_from_slice(&LARGE_END.to_le_bytes());
        bytes.extend_from_slice(&44u64.to_le_bytes());
        bytes.extend_from_slice(&[63, 3, 45, 0]);
        bytes.extend_from_slice(&[0; 8]);
        for number in [count, count, length, at] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&LARGE_LOCATOR.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&record_at.to_le_bytes());
        bytes.extend_from_slice(&1u32.to_le_bytes());
    }
    bytes.extend_from_slice(&END.to_le_bytes());
    bytes.extend_from_slice(&[0; 4]);
    for _ in 0..2 {
        bytes.extend_from_slice(&(count.min(0xffff) as u16).to_le_bytes());
    }
    for number in [length, at] {
        bytes.extend_from_slice(&(number.min(u64::from(ELSEWHERE)) as u32).to_le_bytes());
    }
    bytes.extend_from_slice(&(comment.len() as u16).to_le_bytes());
    bytes.extend_from_slice(&comment);
    bytes
}
