//! Zip archives. Metadata are comments; what else belongs to the archive lies in `.phar`.

use std::rc::Rc;

use vm_runtime::limits;
use vm_runtime::vm::Vm;

use super::native::Places;
use super::tar::{ALIAS, SIGNATURE, STUB};
use super::{append, number_16, number_32};
use crate::phar::archive::{Archive, Body, Entry, Format, flags, shown};
use crate::phar::signature::{self, Signature};
use crate::phar::source::Source;
use crate::support::dos_time::{from_dos, to_dos};

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
/// Bytes of the record at the end, without the comment.
const END_LENGTH: u64 = 22;
/// Bytes of an entry in the central directory, without what varies.
const CENTRAL_LENGTH: u64 = 46;
const LOCAL_LENGTH: u64 = 30;
/// The tag of the extra field that has permissions.
const UNIX: u16 = 0x6e75;
/// The tag of the extra field that has times.
const TIME: u16 = 0x5455;
/// A flag of an entry: its name is in UTF-8.
const UTF_8: u16 = 0x800;
/// A flag of an entry: encrypted.
const ENCRYPTED: u16 = 1;
const DEFLATED: u16 = 8;
const BZIP2: u16 = 12;

/// What messages call ways of compression that are not supported.
fn method_name(method: u16) -> &'static str {
    match method {
        1 => "Shrunk",
        2..=5 => "Reduce",
        6 => "Implode",
        7 => "Tokenize",
        9 => "Deflate64",
        10 => "PKWare Implode/old IBM TERSE",
        14 => "LZMA",
        18 => "IBM TERSE",
        19 => "IBM LZ77",
        97 => "WavPack",
        98 => "PPMd",
        _ => "unknown",
    }
}

/// Reads an archive.
pub(crate) fn read(vm: &mut Vm, name: &[u8], source: Source) -> Result<Archive, String> {
    let problem = |problem: &str| {
        format!(
            "phar error: {problem} in zip-based phar \"{}\"",
            shown(name)
        )
    };
    let length = source.length();
    let tail_length = length.min(END_LENGTH + 65535);
    let tail = source.read_most(length - tail_length, tail_length);
    let searched = &tail[..tail.len().saturating_sub(END_LENGTH as usize - END.len())];
    // Only where what follows is the comment does the record begin.
    let mut places = memchr::memmem::rfind_iter(searched, END);
    let at = places
        .find(|&at| {
            let comment = number_16(&tail, at + 20).map(usize::from);
            comment.is_some_and(|length| at + END_LENGTH as usize + length == tail.len())
        })
        .ok_or_else(|| problem("end of central directory not found"))?;
    let record = &tail[at..];
    let field = |at| number_16(record, at).unwrap_or_default();
    if field(4) != 0 || field(6) != 0 {
        return Err(problem(
            "split archives spanning multiple zips cannot be processed",
        ));
    }
    let count = field(8);
    if count != field(10) {
        return Err(problem(
            "corrupt zip archive, conflicting file count in end of central directory record",
        ));
    }
    let mut archive = Archive::new(name, Format::Zip);
    let comment_length = usize::from(field(20));
    if comment_length > 0 {
        let comment = record.get(END_LENGTH as usize..).unwrap_or_default();
        if comment.len() != comment_length {
            return Err(problem("corrupt zip archive, zip file comment truncated"));
        }
        archive.metadata = Some(comment.into());
    }
    let directory = u64::from(number_32(record, 16).unwrap_or_default());
    let mut reader = Reader {
        source: &source,
        at: directory,
        directory,
        comment: archive.metadata.clone(),
    };
    for index in 0..count {
        limits::poll();
        if let Some(entry) = reader.entry(name, &mut archive, index + 1 == count)? {
            archive.put(entry);
        }
    }
    let is_phar = archive.entries.get(STUB).is_some();
    if is_phar && archive.signature.is_none() && vm.ini.bool("phar.require_hash") {
        return Err(problem("signature is missing"));
    }
    archive.source = source;
    if let Some(entry) = archive.entries.get(ALIAS) {
        if entry.size > 511 {
            return Err(problem("alias is larger than 511 bytes, cannot process"));
        }
        let alias = archive
            .contents(ALIAS)
            .map_err(|_| problem("unable to read in alias, truncated"))?;
        archive.alias = Some(alias.to_vec());
        archive.has_temporary_alias = false;
    }
    Ok(archive)
}

/// Reads the central directory.
struct Reader<'a> {
    source: &'a Source,
    at: u64,
    /// Where the central directory begins.
    directory: u64,
    comment: Option<Rc<[u8]>>,
}

impl Reader<'_> {
    fn entry(
        &mut self,
        name: &[u8],
        archive: &mut Archive,
        is_last: bool,
    ) -> Result<Option<Entry>, String> {
        let problem = |problem: &str| {
            format!(
                "phar error: {problem} in zip-based phar \"{}\"",
                shown(name)
            )
        };
        let start = self.at;
        let Some(record) = self.source.read(start, CENTRAL_LENGTH) else {
            return Err(problem("unable to read central directory entry, truncated"));
        };
        if &record[..4] != CENTRAL {
            return Err(problem(
                "corrupted central directory entry, no magic signature",
            ));
        }
        let field = |at| number_16(&record, at).unwrap_or_default();
        let long = |at| number_32(&record, at).unwrap_or_default();
        let (name_length, extra_length, comment_length) = (field(28), field(30), field(32));
        if field(8) & ENCRYPTED != 0 {
            return Err(problem("Cannot process encrypted zip files"));
        }
        if name_length == 0 {
            return Err(problem(
                "Cannot process zips created from stdin (zero-length filename)",
            ));
        }
        let mut at = start + CENTRAL_LENGTH;
        let mut take = |length: u16, what: &str| {
            let bytes = self.source.read(at, u64::from(length));
            at += u64::from(length);
            bytes.ok_or_else(|| problem(what))
        };
        let file = take(
            name_length,
            "unable to read in filename from central directory, truncated",
        )?;
        let extra = take(
            extra_length,
            "Unable to process extra field header for file in central directory",
        )?;
        let comment = take(comment_length, "unable to read in file comment, truncated")?;
        self.at = at;
        let is_directory = file.ends_with(b"/");
        let file = match is_directory {
            true => file[..file.len() - 1].to_vec(),
            false => file,
        };
        let mut entry = Entry::new(&file);
        entry.is_directory = is_directory;
        entry.kind = if is_directory { b'5' } else { b'0' };
        entry.flags = match is_directory {
            true => flags::NEW_DIRECTORY,
            false => flags::NEW_FILE,
        };
        entry.is_modified = false;
        entry.crc = long(16);
        entry.stored = u64::from(long(20));
        entry.size = u64::from(long(24));
        entry.time = from_dos(field(14), field(12));
        entry.metadata = (!comment.is_empty()).then(|| comment.into());
        if !read_extra(&extra, &mut entry) {
            return Err(problem(
                "Unable to process extra field header for file in central directory",
            ));
        }
        match field(10) {
            0 => {}
            DEFLATED => entry.flags |= flags::GZ,
            BZIP2 => entry.flags |= flags::BZ2,
            method => {
                let method = method_name(method);
                return Err(problem(&format!(
                    "unsupported compression method ({method}) used in this zip"
                )));
            }
        }
        if entry.flags & flags::COMPRESSED == 0 {
            entry.stored = entry.size;
        }
        let local_at = u64::from(long(42));
        let local = self.source.read(local_at, LOCAL_LENGTH);
        let local = local.filter(|local| &local[..4] == LOCAL);
        if local.is_none() && is_last && file == SIGNATURE {
            return Err(problem("signature cannot be read"));
        }
        // What the local header says of lengths goes; a broken one is found when the file is read.
        let skipped = local.map_or(u64::from(name_length) + u64::from(extra_length), |local| {
            let field = |at| u64::from(number_16(&local, at).unwrap_or_default());
            field(26) + field(28)
        });
        entry.body = Body::Stored {
            offset: local_at + LOCAL_LENGTH + skipped,
            flags: entry.flags,
        };
        entry.is_crc_checked = false;
        if file == SIGNATURE {
            let signed = self.signature(name, &entry, local_at, start);
            let signed = signed.map_err(|reason| problem(&reason))?;
            archive.algorithm = signed.algorithm;
            archive.signature = Some(signed);
            return Ok(None);
        }
        Ok(Some(entry))
    }

    /// Checks the signature, whose entry begins at `local_at` and is described at `central_at`.
    fn signature(
        &self,
        name: &[u8],
        entry: &Entry,
        local_at: u64,
        central_at: u64,
    ) -> Result<Signature, String> {
        let Body::Stored { offset, .. } = entry.body else {
            return Err("signature cannot be read".into());
        };
        if entry.size > 511 {
            return Err("signatures larger than 511 bytes are not supported".into());
        }
        let read = || "signature cannot be read".to_string();
        let bytes = self.source.read(offset, entry.size).ok_or_else(read)?;
        let number = number_32(&bytes, 0).ok_or_else(read)?;
        let expected = bytes.get(8..).ok_or_else(read)?;
        // What was signed: the files, the central directory and the comment.
        let mut signed = self.source.read(0, local_at).ok_or_else(read)?;
        let length = central_at.checked_sub(self.directory).ok_or_else(read)?;
        let directory = self.source.read(self.directory, length).ok_or_else(read)?;
        append(&mut signed, &directory);
        append(&mut signed, self.comment.as_deref().unwrap_or_default());
        let signed = Source::Memory(Rc::new(signed));
        signature::verify(name, &signed, signed.length(), number, expected)
            .map_err(|problem| format!("signature cannot be verified: {problem}"))
    }
}

/// Takes permissions from the extra fields; false if they are broken.
fn read_extra(mut extra: &[u8], entry: &mut Entry) -> bool {
    while !extra.is_empty() {
        let (Some(tag), Some(length)) = (number_16(extra, 0), number_16(extra, 2)) else {
            return false;
        };
        let Some(field) = extra.get(4..4 + usize::from(length)) else {
            return false;
        };
        if tag == TIME
            && field.first().is_some_and(|bits| bits & 1 != 0)
            && let Some(time) = number_32(field, 1)
        {
            entry.time = i64::from(time as i32);
        }
        // A checksum stands before the permissions.
        if tag == UNIX
            && let Some(permissions) = number_16(field, 4)
        {
            entry.flags =
                entry.flags & !flags::PERMISSIONS | u32::from(permissions) & flags::PERMISSIONS;
        }
        extra = &extra[4 + usize::from(length)..];
    }
    true
}

/// Writes an entry to the files and to the central directory; gives where its contents begin.
fn append_entry(out: &mut Vec<u8>, directory: &mut Vec<u8>, entry: &Entry, body: &[u8]) -> u64 {
    let slash: &[u8] = if entry.is_directory { b"/" } else { b"" };
    let name = [entry.name.as_slice(), slash].concat();
    let method = match entry.flags & flags::COMPRESSED {
        flags::GZ => DEFLATED,
        flags::BZ2 => BZIP2,
        _ => 0,
    };
    let (date, time) = to_dos(entry.time);
    let permissions = (entry.flags & flags::PERMISSIONS) as u16;
    // Permissions, size or device, owner and group.
    let mut unix = Vec::new();
    unix.extend_from_slice(&permissions.to_le_bytes());
    unix.extend_from_slice(&[0; 8]);
    let mut extra = Vec::new();
    extra.extend_from_slice(&UNIX.to_le_bytes());
    extra.extend_from_slice(&((unix.len() + 4) as u16).to_le_bytes());
    extra.extend_from_slice(&crc32fast::hash(&unix).to_le_bytes());
    extra.extend_from_slice(&unix);
    let mut common = Vec::new();
    for field in [20, UTF_8, method, time, date] {
        common.extend_from_slice(&field.to_le_bytes());
    }
    for field in [entry.crc, entry.stored as u32, entry.size as u32] {
        common.extend_from_slice(&field.to_le_bytes());
    }
    for field in [name.len() as u16, extra.len() as u16] {
        common.extend_from_slice(&field.to_le_bytes());
    }
    let start = out.len() as u32;
    append(out, LOCAL);
    append(out, &common);
    append(out, &name);
    append(out, &extra);
    let place = out.len() as u64;
    append(out, body);
    let comment = entry.metadata.as_deref().unwrap_or_default();
    append(directory, CENTRAL);
    append(directory, &20u16.to_le_bytes());
    append(directory, &common);
    append(directory, &(comment.len() as u16).to_le_bytes());
    // Disk and internal attributes; external ones.
    append(directory, &[0; 8]);
    append(directory, &start.to_le_bytes());
    append(directory, &name);
    append(directory, &extra);
    append(directory, comment);
    place
}

/// The archive as bytes.
pub(crate) fn write(archive: &mut Archive) -> Result<(Vec<u8>, Places), String> {
    let (mut out, mut directory, mut places) = (Vec::new(), Vec::new(), Vec::new());
    let names: Vec<Vec<u8>> = archive
        .entries
        .iter()
        .filter(|entry| !entry.is_mounted() && entry.name != SIGNATURE)
        .map(|entry| entry.name.clone())
        .collect();
    let mut count = names.len() as u16;
    for name in names {
        limits::poll();
        let is_directory = archive.is_directory(&name);
        let body = match is_directory {
            true => Vec::new(),
            false => archive.packed(&name)?,
        };
        if let Some(entry) = archive.entries.get(&name) {
            let place = append_entry(&mut out, &mut directory, entry, &body);
            places.push((name, place));
        }
    }
    let comment = archive.metadata.clone().unwrap_or_default();
    let signed = signature::sign_entry(archive, "zip", &[&out, &directory, &comment]).map_err(
        |problem| {
            format!(
                "phar zip flush of \"{}\" failed: {problem}",
                archive.shown()
            )
        },
    )?;
    if let Some(contents) = signed {
        let mut entry = Entry::new(SIGNATURE);
        entry.set_contents(contents.clone());
        append_entry(&mut out, &mut directory, &entry, &contents);
        count += 1;
    }
    let start = out.len() as u32;
    append(&mut out, &directory);
    append(&mut out, END);
    append(&mut out, &[0; 4]);
    append(&mut out, &count.to_le_bytes());
    append(&mut out, &count.to_le_bytes());
    append(&mut out, &(directory.len() as u32).to_le_bytes());
    append(&mut out, &start.to_le_bytes());
    append(&mut out, &(comment.len() as u16).to_le_bytes());
    append(&mut out, &comment);
    Ok((out, places))
}
