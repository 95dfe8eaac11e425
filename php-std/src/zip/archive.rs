//! An open archive: what was in it, and what is to become of that.

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;
use std::rc::Rc;

use super::data::{Origin, Reader};
use super::format::{self, Record, encryption};
use super::names;
use super::problem::{Problem, code};
use crate::standard::files::path;

/// Flags of `ZipArchive::open()`.
pub(super) mod opening {
    pub(in crate::zip) const CREATE: i64 = 1;
    pub(in crate::zip) const EXCLUSIVE: i64 = 2;
    pub(in crate::zip) const CHECK: i64 = 4;
    pub(in crate::zip) const OVERWRITE: i64 = 8;
    pub(in crate::zip) const READ_ONLY: i64 = 16;
}

/// Flags of most methods.
pub(super) mod flags {
    pub(in crate::zip) const ANY_CASE: i64 = 1;
    pub(in crate::zip) const NO_DIRECTORY: i64 = 2;
    pub(in crate::zip) const COMPRESSED: i64 = 4;
    pub(in crate::zip) const UNCHANGED: i64 = 8;
    pub(in crate::zip) const OVERWRITE: i64 = 8192;
    pub(in crate::zip) const RAW: i64 = 64;
    pub(in crate::zip) const STRICT: i64 = 128;
    pub(in crate::zip) const UTF8: i64 = 2048;
    pub(in crate::zip) const CP437: i64 = 4096;
    pub(in crate::zip) const OPEN_NOW: i64 = 1 << 30;
}

/// Flags of the archive as a whole.
pub(super) mod archive_flags {
    pub(in crate::zip) const READ_ONLY: i64 = 2;
    pub(in crate::zip) const IS_TORRENT: i64 = 4;
    pub(in crate::zip) const WANT_TORRENT: i64 = 8;
    pub(in crate::zip) const KEEP_EMPTY: i64 = 16;
}

/// Contents that an entry gets.
#[derive(Debug, Clone)]
pub(super) enum Data {
    Bytes(Rc<[u8]>),
    File {
        path: PathBuf,
        start: u64,
        /// To the end if it is none.
        length: Option<u64>,
        /// Where it was opened already.
        file: Option<Rc<File>>,
    },
}

/// How the contents of an entry are to be written, where that was said.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Wishes {
    pub(super) method: Option<u16>,
    pub(super) level: u32,
    pub(super) encryption: Option<u16>,
    pub(super) password: Option<Vec<u8>>,
}

/// An entry.
#[derive(Debug)]
pub(super) struct Entry {
    /// As it is in the file.
    pub(super) original: Option<Record>,
    /// As it will be.
    pub(super) record: Record,
    pub(super) data: Option<Data>,
    pub(super) wishes: Wishes,
    /// Attributes were set, those of a file do not count.
    pub(super) has_attributes: bool,
    pub(super) is_deleted: bool,
}

impl Entry {
    pub(super) fn is_changed(&self) -> bool {
        self.is_deleted
            || self.data.is_some()
            || self.wishes != Wishes::default()
            || self.original.as_ref() != Some(&self.record)
    }
}

/// An archive.
#[derive(Debug)]
pub(super) struct Archive {
    pub(super) path: PathBuf,
    /// The file it was read from.
    pub(super) file: Option<Rc<File>>,
    pub(super) entries: Vec<Entry>,
    /// Where entries are, by their names as they will be.
    names: HashMap<Vec<u8>, usize>,
    original_comment: Vec<u8>,
    pub(super) comment: Vec<u8>,
    /// See [`archive_flags`].
    pub(super) flags: i64,
    original_flags: i64,
    /// There is a file that is to be written over.
    pub(super) is_overwritten: bool,
    pub(super) password: Option<Vec<u8>>,
    /// What went wrong last.
    pub(super) problem: Problem,
}

impl Archive {
    /// Opens or begins an archive.
    pub(super) fn open(name: &[u8], wanted: i64) -> Result<Archive, Problem> {
        let path = path(name);
        let mut archive = Archive {
            path,
            file: None,
            entries: Vec::new(),
            names: HashMap::new(),
            original_comment: Vec::new(),
            comment: Vec::new(),
            flags: 0,
            original_flags: 0,
            is_overwritten: false,
            password: None,
            problem: Problem::default(),
        };
        let metadata = match std::fs::metadata(&archive.path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Problem::of(code::OPEN, &error));
            }
            Err(_) if wanted & opening::CREATE != 0 => return Ok(archive),
            Err(_) => return Err(code::NOENT.into()),
        };
        if wanted & opening::EXCLUSIVE != 0 {
            return Err(code::EXISTS.into());
        }
        if !metadata.is_file() {
            return Err(code::OPNOTSUPP.into());
        }
        if wanted & opening::OVERWRITE != 0 {
            archive.is_overwritten = true;
            return Ok(archive);
        }
        let file = File::open(&archive.path).map_err(|error| Problem::of(code::OPEN, &error))?;
        let file = Rc::new(file);
        if metadata.len() > 0 {
            let contents = format::read(&file, metadata.len(), wanted & opening::CHECK != 0)?;
            if contents.is_torrent {
                archive.flags |= archive_flags::IS_TORRENT;
            }
            archive.comment.clone_from(&contents.comment);
            archive.original_comment = contents.comment;
            archive.entries = contents
                .records
                .into_iter()
                .map(|record| Entry {
                    original: Some(record.clone()),
                    record,
                    data: None,
                    wishes: Wishes::default(),
                    has_attributes: false,
                    is_deleted: false,
                })
                .collect();
            archive.index();
        } else {
            archive.is_overwritten = true;
        }
        archive.file = Some(file);
        if wanted & opening::READ_ONLY != 0 {
            archive.flags |= archive_flags::READ_ONLY;
        }
        archive.original_flags = archive.flags;
        Ok(archive)
    }

    /// Notes where names are.
    fn index(&mut self) {
        self.names.clear();
        for (index, entry) in self.entries.iter().enumerate() {
            if !entry.is_deleted {
                self.names.entry(entry.record.name.clone()).or_insert(index);
            }
        }
    }

    /// True if something is to be written.
    pub(super) fn is_changed(&self) -> bool {
        self.is_overwritten
            || self.comment != self.original_comment
            || self.flags & archive_flags::WANT_TORRENT != 0
            || self.entries.iter().any(Entry::is_changed)
    }

    /// An error unless the archive may be changed.
    pub(super) fn check_writable(&self) -> Result<(), Problem> {
        match self.flags & archive_flags::READ_ONLY {
            0 => Ok(()),
            _ => Err(code::RDONLY.into()),
        }
    }

    /// The entry of a number, which was not deleted, for a change.
    pub(super) fn entry_mut(&mut self, index: i64) -> Result<&mut Entry, Problem> {
        let read_only = self.check_writable();
        let entry = usize::try_from(index)
            .ok()
            .and_then(|index| self.entries.get_mut(index));
        let entry = entry.ok_or(code::INVAL)?;
        read_only?;
        match entry.is_deleted {
            true => Err(code::DELETED.into()),
            false => Ok(entry),
        }
    }

    /// What is known of an entry, as it is or as it was.
    pub(super) fn record(&self, index: i64, how: i64) -> Result<&Record, Problem> {
        let entry = usize::try_from(index)
            .ok()
            .and_then(|index| self.entries.get(index));
        let entry = entry.ok_or(code::INVAL)?;
        if how & flags::UNCHANGED != 0 {
            return entry.original.as_ref().ok_or(code::INVAL.into());
        }
        match entry.is_deleted {
            true => Err(code::DELETED.into()),
            false => Ok(&entry.record),
        }
    }

    /// The number of the entry of a name.
    pub(super) fn find(&self, name: &[u8], how: i64) -> Result<usize, Problem> {
        let is_special = flags::ANY_CASE | flags::NO_DIRECTORY | flags::UNCHANGED;
        if how & is_special == 0
            && let Some(&index) = self.names.get(name)
        {
            return Ok(index);
        }
        if how & is_special == 0 && name.is_ascii() {
            return Err(code::NOENT.into());
        }
        let found = (0..self.entries.len()).find(|&index| {
            let Ok(record) = self.record(index as i64, how) else {
                return false;
            };
            let shown = names::shown(&record.name, record.flags, 0);
            [&record.name[..], &shown[..]].into_iter().any(|known| {
                let known = match (how & flags::NO_DIRECTORY, memchr::memrchr(b'/', known)) {
                    (0, _) | (_, None) => known,
                    (_, Some(at)) => &known[at + 1..],
                };
                match how & flags::ANY_CASE {
                    0 => known == name,
                    _ => known.eq_ignore_ascii_case(name),
                }
            })
        });
        found.ok_or(code::NOENT.into())
    }

    /// Adds an entry, or gives new contents to the one of its name.
    pub(super) fn add(&mut self, name: &[u8], data: Data, how: i64) -> Result<usize, Problem> {
        self.check_writable()?;
        let name_flags = names::flags(name, how)?;
        let is_directory = name.ends_with(b"/");
        let found = self.find(name, 0).ok();
        if let Some(index) = found {
            if how & flags::OVERWRITE == 0 {
                return Err(code::EXISTS.into());
            }
            self.replace(index as i64, data)?;
            return Ok(index);
        }
        let mut record = Record::new(name, is_directory);
        record.flags = name_flags;
        let mut entry = Entry {
            original: None,
            record,
            data: None,
            wishes: Wishes::default(),
            has_attributes: is_directory,
            is_deleted: false,
        };
        entry.set_data(data);
        let index = self.entries.len();
        self.entries.push(entry);
        self.names.insert(name.to_vec(), index);
        Ok(index)
    }

    /// Gives new contents to an entry.
    pub(super) fn replace(&mut self, index: i64, data: Data) -> Result<(), Problem> {
        self.entry_mut(index)?.set_data(data);
        Ok(())
    }

    pub(super) fn rename(&mut self, index: i64, name: &[u8]) -> Result<(), Problem> {
        let name_flags = names::flags(name, 0)?;
        let known = self.find(name, 0).ok();
        let old = self.entry_mut(index)?.record.name.clone();
        if known.is_some_and(|known| known as i64 != index) {
            return Err(code::EXISTS.into());
        }
        if old.ends_with(b"/") != name.ends_with(b"/") {
            return Err(code::INVAL.into());
        }
        let record = &mut self.entry_mut(index)?.record;
        record.name = name.to_vec();
        record.flags = record.flags & !format::UTF8 | name_flags;
        self.names.remove(&old);
        self.names.insert(name.to_vec(), index as usize);
        Ok(())
    }

    pub(super) fn delete(&mut self, index: i64) -> Result<(), Problem> {
        let entry = self.entry_mut(index)?;
        entry.is_deleted = true;
        entry.data = None;
        let name = entry.record.name.clone();
        self.names.remove(&name);
        Ok(())
    }

    /// Takes changes of an entry back; one that was added goes.
    pub(super) fn unchange(&mut self, index: i64) -> Result<(), Problem> {
        let entry = usize::try_from(index)
            .ok()
            .and_then(|index| self.entries.get(index));
        let entry = entry.ok_or(code::INVAL)?;
        if let Some(original) = &entry.original {
            let taken = self.names.get(&original.name);
            if taken.is_some_and(|&taken| taken as i64 != index) {
                return Err(code::EXISTS.into());
            }
        }
        let entry = &mut self.entries[index as usize];
        match &entry.original {
            Some(original) => {
                entry.record = original.clone();
                entry.is_deleted = false;
            }
            None => entry.is_deleted = true,
        }
        entry.data = None;
        entry.wishes = Wishes::default();
        entry.has_attributes = false;
        self.index();
        Ok(())
    }

    /// Takes all changes of entries back.
    pub(super) fn unchange_all(&mut self) {
        self.entries.retain(|entry| entry.original.is_some());
        for entry in &mut self.entries {
            if let Some(original) = &entry.original {
                entry.record = original.clone();
            }
            entry.data = None;
            entry.wishes = Wishes::default();
            entry.is_deleted = false;
        }
        self.index();
        self.unchange_archive();
    }

    /// Takes changes of the archive itself back.
    pub(super) fn unchange_archive(&mut self) {
        self.comment.clone_from(&self.original_comment);
        self.flags = self.original_flags;
    }

    /// Sets or clears flags of the archive.
    pub(super) fn set_flags(&mut self, which: i64, on: bool) -> Result<(), Problem> {
        let new = if on {
            self.flags | which
        } else {
            self.flags & !which
        };
        let changed = new ^ self.flags;
        if changed == 0 {
            return Ok(());
        }
        if changed & archive_flags::IS_TORRENT != 0 {
            return Err(code::INVAL.into());
        }
        if changed & archive_flags::READ_ONLY != 0 {
            if self.original_flags & archive_flags::READ_ONLY != 0 {
                return Err(code::RDONLY.into());
            }
            if on && self.is_changed() {
                return Err(code::CHANGED.into());
            }
        } else {
            self.check_writable()?;
        }
        self.flags = new;
        Ok(())
    }

    /// Opens the contents of an entry.
    pub(super) fn reader(&self, index: i64, how: i64) -> Result<Reader, Problem> {
        let record = self.record(index, how)?;
        let entry = &self.entries[index as usize];
        match &entry.data {
            Some(data) if how & flags::UNCHANGED == 0 => match data {
                Data::Bytes(bytes) => Ok(Reader::plain(Origin::Memory {
                    bytes: bytes.clone(),
                    at: 0,
                })),
                // What is to be read from a file may change until then.
                Data::File { .. } => Err(code::CHANGED.into()),
            },
            _ => {
                let original = entry.original.as_ref().unwrap_or(record);
                let file = self.file.as_ref().ok_or(code::INVAL)?;
                match how & flags::COMPRESSED {
                    0 => Reader::open(file, original, self.password.as_deref()),
                    _ => Reader::raw(file, original),
                }
            }
        }
    }
}

impl Entry {
    /// Gives it new contents.
    fn set_data(&mut self, data: Data) {
        self.record.method = format::method::STORE;
        self.record.encryption = encryption::NONE;
        self.record.flags &= format::UTF8;
        self.record.crc = 0;
        (self.record.size, self.record.stored, self.record.time) = match &data {
            Data::Bytes(bytes) => (bytes.len() as u64, bytes.len() as u64, format::now()),
            Data::File {
                path,
                start,
                length,
                ..
            } => {
                use std::os::unix::fs::MetadataExt;
                let metadata = std::fs::metadata(path).ok();
                let all = metadata.as_ref().map_or(0, |found| found.len());
                let rest = all.saturating_sub(*start);
                let size = length.map_or(rest, |length| length);
                (
                    size,
                    0,
                    metadata.map_or(format::now(), |found| found.mtime()),
                )
            }
        };
        self.data = Some(data);
    }
}
