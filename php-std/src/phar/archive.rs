//! Archives and their entries as they are kept while a request runs.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use vm_runtime::limits;

use super::compression;
use super::signature::Signature;
use super::source::Source;

/// An archive that objects, streams and the table of archives share.
pub(super) type Shared = Rc<RefCell<Archive>>;

/// The directory of an archive that belongs to the format itself.
pub(super) const MAGIC: &[u8] = b".phar";

/// Links that lead to each other at most.
const LONGEST_CHAIN: usize = 40;

/// Bits of an entry's flags, as the format has them.
pub(super) mod flags {
    /// Permissions.
    pub(crate) const PERMISSIONS: u32 = 0o777;
    /// Deflated.
    pub(crate) const GZ: u32 = 0x1000;
    /// Compressed by bzip2.
    pub(crate) const BZ2: u32 = 0x2000;
    /// Any of these.
    pub(crate) const COMPRESSED: u32 = 0xf000;
    /// Permissions of a new file.
    pub(crate) const NEW_FILE: u32 = 0o666;
    /// Permissions of a new directory.
    pub(crate) const NEW_DIRECTORY: u32 = 0o777;
}

/// What sort of container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Phar,
    Tar,
    Zip,
}

impl Format {
    /// The number that scripts have for it.
    pub(super) fn number(self) -> i64 {
        match self {
            Format::Phar => 1,
            Format::Tar => 2,
            Format::Zip => 3,
        }
    }

    /// How messages begin.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Format::Phar => "",
            Format::Tar => "tar-based ",
            Format::Zip => "zip-based ",
        }
    }
}

/// Where an entry's contents are.
#[derive(Debug, Clone)]
pub(super) enum Body {
    /// In the archive's source, from this offset on, as its flags say.
    Stored { offset: u64, flags: u32 },
    /// As they are.
    Memory(Rc<Vec<u8>>),
    /// A file or directory outside, by its path.
    Mounted(Vec<u8>),
    /// An entry of an archive that appears under another name: its contents.
    MountedEntry(Rc<Vec<u8>>),
}

/// A file or directory in an archive.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    /// Bytes of the contents.
    pub(super) size: u64,
    /// Bytes in the archive.
    pub(super) stored: u64,
    pub(super) time: i64,
    pub(super) crc: u32,
    /// See [`flags`].
    pub(super) flags: u32,
    /// Serialised.
    pub(super) metadata: Option<Rc<[u8]>>,
    pub(super) body: Body,
    pub(super) is_directory: bool,
    pub(super) is_modified: bool,
    pub(super) is_crc_checked: bool,
    /// The target, in a tar archive.
    pub(super) link: Option<Vec<u8>>,
    /// The type in a tar archive.
    pub(super) kind: u8,
    /// Streams that read it, and one that writes it.
    pub(super) readers: usize,
    pub(super) writers: usize,
}

impl Entry {
    /// A new, empty file.
    pub(super) fn new(name: &[u8]) -> Entry {
        Entry {
            name: name.to_vec(),
            size: 0,
            stored: 0,
            time: now(),
            crc: 0,
            flags: flags::NEW_FILE,
            metadata: None,
            body: Body::Memory(Rc::default()),
            is_directory: false,
            is_modified: true,
            is_crc_checked: true,
            link: None,
            kind: b'0',
            readers: 0,
            writers: 0,
        }
    }

    /// A new directory.
    pub(super) fn directory(name: &[u8]) -> Entry {
        Entry {
            is_directory: true,
            flags: flags::NEW_DIRECTORY,
            kind: b'5',
            ..Entry::new(name)
        }
    }

    /// Gives it other contents.
    pub(super) fn set_contents(&mut self, contents: Vec<u8>) {
        self.size = contents.len() as u64;
        self.stored = self.size;
        self.crc = crc32fast::hash(&contents);
        self.is_crc_checked = true;
        self.is_modified = true;
        self.body = Body::Memory(Rc::new(contents));
        self.time = now();
    }

    /// True if it is a file or directory outside.
    pub(super) fn is_mounted(&self) -> bool {
        matches!(self.body, Body::Mounted(_) | Body::MountedEntry(_))
    }

    /// True in the directory of the format itself.
    pub(super) fn is_magic(&self) -> bool {
        is_magic(&self.name)
    }
}

/// True of names in the directory of the format itself.
pub(super) fn is_magic(name: &[u8]) -> bool {
    let name = name.strip_prefix(b"/").unwrap_or(name);
    name.strip_prefix(MAGIC)
        .is_some_and(|rest| matches!(rest.first(), None | Some(b'/' | b'\\')))
}

/// Seconds since 1970.
pub(super) fn now() -> i64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |passed| passed.as_secs() as i64)
}

/// Entries by name, in the order in which they came.
#[derive(Debug, Default, Clone)]
pub(super) struct Entries {
    list: BTreeMap<u64, Entry>,
    places: HashMap<Vec<u8>, u64>,
    next: u64,
}

impl Entries {
    pub(super) fn get(&self, name: &[u8]) -> Option<&Entry> {
        self.list.get(self.places.get(name)?)
    }

    pub(super) fn get_mut(&mut self, name: &[u8]) -> Option<&mut Entry> {
        self.list.get_mut(self.places.get(name)?)
    }

    /// Adds an entry, in the place of one with its name if there is one.
    pub(super) fn put(&mut self, entry: Entry) {
        if let Some(place) = self.places.get(&entry.name) {
            self.list.insert(*place, entry);
            return;
        }
        self.places.insert(entry.name.clone(), self.next);
        self.list.insert(self.next, entry);
        self.next += 1;
    }

    pub(super) fn remove(&mut self, name: &[u8]) -> Option<Entry> {
        self.list.remove(&self.places.remove(name)?)
    }

    /// Gives an entry another name; it stays where it is.
    pub(super) fn rename(&mut self, from: &[u8], to: &[u8]) {
        if from == to {
            return;
        }
        if let Some(place) = self.places.remove(from) {
            if let Some(other) = self.places.insert(to.to_vec(), place) {
                self.list.remove(&other);
            }
            if let Some(entry) = self.list.get_mut(&place) {
                entry.name = to.to_vec();
                entry.is_modified = true;
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.list.values()
    }
}

/// An archive.
#[derive(Debug, Clone)]
pub(super) struct Archive {
    /// The path of its file.
    pub(super) name: Vec<u8>,
    /// What scripts may call it besides; an empty one if it has none and its path is none either.
    pub(super) alias: Option<Vec<u8>>,
    /// The alias does not stand in the archive.
    pub(super) has_temporary_alias: bool,
    pub(super) format: Format,
    /// How the whole file is compressed: bits of [`flags`].
    pub(super) compression: u32,
    /// An archive without a stub: `PharData`.
    pub(super) is_data: bool,
    /// Never written so far.
    pub(super) is_new: bool,
    pub(super) is_modified: bool,
    /// Its file can be written.
    pub(super) is_writable: bool,
    /// Changes are kept back.
    pub(super) is_buffering: bool,
    pub(super) version: String,
    pub(super) metadata: Option<Rc<[u8]>>,
    pub(super) entries: Entries,
    /// Directories, with entries of their own or not.
    pub(super) directories: HashSet<Vec<u8>>,
    pub(super) source: Source,
    /// Where the stub ends in a phar; 0 if there is none.
    pub(super) stub_end: u64,
    /// The stub that is to be written.
    pub(super) new_stub: Option<Vec<u8>>,
    pub(super) signature: Option<Signature>,
    /// The algorithm that is to be used, by its number.
    pub(super) algorithm: u32,
    /// The private key that it is written with.
    pub(super) signing_key: Option<Rc<[u8]>>,
}

impl Archive {
    /// An archive without entries.
    pub(super) fn new(name: &[u8], format: Format) -> Archive {
        Archive {
            name: name.to_vec(),
            alias: None,
            has_temporary_alias: true,
            format,
            compression: 0,
            is_data: false,
            is_new: true,
            is_modified: false,
            is_writable: true,
            is_buffering: false,
            version: "1.1.1".into(),
            metadata: None,
            entries: Entries::default(),
            directories: HashSet::new(),
            source: Source::nothing(),
            stub_end: 0,
            new_stub: None,
            signature: None,
            algorithm: 0,
            signing_key: None,
        }
    }

    /// The name for messages.
    pub(super) fn shown(&self) -> String {
        shown(&self.name)
    }

    /// Adds an entry and the directories that it lies in.
    pub(super) fn put(&mut self, entry: Entry) {
        self.add_directories(&entry.name, entry.is_directory);
        self.entries.put(entry);
    }

    /// Notes the directories that a name lies in.
    pub(super) fn add_directories(&mut self, name: &[u8], is_directory: bool) {
        let mut rest = name;
        if is_directory {
            self.directories.insert(rest.to_vec());
        }
        while let Some(slash) = memchr::memrchr(b'/', rest) {
            rest = &rest[..slash];
            if rest.is_empty() || !self.directories.insert(rest.to_vec()) {
                break;
            }
        }
    }

    /// True if a name is a directory.
    pub(super) fn is_directory(&self, name: &[u8]) -> bool {
        match self.entries.get(name) {
            Some(entry) => entry.is_directory,
            None => name.is_empty() || self.directories.contains(name),
        }
    }

    /// The mounted directory that a name lies in: its path outside and the rest of the name.
    pub(super) fn mounted_place(&self, name: &[u8]) -> Option<Vec<u8>> {
        let mounted = self.entries.iter().filter(|entry| entry.is_directory);
        for entry in mounted {
            if let Body::Mounted(path) = &entry.body
                && let Some(rest) = name.strip_prefix(entry.name.as_slice())
                && rest.first() == Some(&b'/')
            {
                return Some([path.as_slice(), rest].concat());
            }
        }
        None
    }

    /// What is in a directory: names, sorted.
    pub(super) fn children(&self, directory: &[u8]) -> Vec<Vec<u8>> {
        let mut found = std::collections::BTreeSet::new();
        let names = self.entries.iter().map(|entry| entry.name.as_slice());
        for name in names {
            let below = match directory.is_empty() {
                true => Some(name),
                false => name
                    .strip_prefix(directory)
                    .and_then(|rest| rest.strip_prefix(b"/")),
            };
            let Some(below) = below.filter(|below| !below.is_empty()) else {
                continue;
            };
            let end = memchr::memchr(b'/', below).unwrap_or(below.len());
            if directory.is_empty() && &below[..end] == MAGIC {
                continue;
            }
            found.insert(below[..end].to_vec());
        }
        found.into_iter().collect()
    }

    /// The entry that a link of a tar archive leads to. Links that lead in a circle lead nowhere.
    fn link_target(&self, name: &[u8]) -> Option<Vec<u8>> {
        let mut name = name.to_vec();
        let mut found = None;
        for _ in 0..=LONGEST_CHAIN {
            let Some(link) = self.entries.get(&name).and_then(|entry| entry.link.clone()) else {
                return found;
            };
            // By the whole name, or from the directory of the link.
            name = match self.entries.get(&link) {
                Some(_) => link,
                None => {
                    let slash = memchr::memrchr(b'/', &name).map_or(0, |at| at + 1);
                    super::names::normalise(&[&name[..slash], &link[..]].concat(), None)
                }
            };
            found = Some(name.clone());
        }
        None
    }

    /// The contents of an entry, checked when it is read first; or what is wrong with it.
    pub(super) fn contents(&mut self, name: &[u8]) -> Result<Rc<Vec<u8>>, String> {
        let source = self.source.clone();
        let shown = self.shown();
        let has_checksums = self.format != Format::Tar;
        let is_zip = self.format == Format::Zip;
        let linked = self.link_target(name);
        let name = linked.as_deref().unwrap_or(name);
        let Some(entry) = self.entries.get_mut(name) else {
            return Err(String::new());
        };
        let corrupt = |problem: &str| {
            format!("phar error: internal corruption of phar \"{shown}\" ({problem})")
        };
        let file = vm_runtime::message::text(name).into_owned();
        let (offset, stored_flags) = match &entry.body {
            Body::Memory(contents) | Body::MountedEntry(contents) => {
                return Ok(Rc::clone(contents));
            }
            Body::Mounted(path) => {
                let path = crate::standard::files::path(path);
                let contents = limits::read_file(&path).map_err(|_| {
                    format!(
                        "phar error: Cannot open temporary file or mounted \"{}\"",
                        path.display()
                    )
                })?;
                return Ok(Rc::new(contents));
            }
            Body::Stored { offset, flags } => (*offset, *flags),
        };
        let mismatch = || corrupt(&format!("actual filesize mismatch on file \"{file}\""));
        let bytes = source.read(offset, entry.stored).ok_or_else(mismatch)?;
        let contents = match stored_flags & flags::COMPRESSED {
            0 => bytes,
            method if compression::is_supported(method) => {
                let most = usize::try_from(entry.size).map_err(|_| mismatch())?;
                compression::unpack(method, &bytes, most).ok_or_else(mismatch)?
            }
            _ => {
                return Err(format!(
                    "phar error: unable to read phar \"{shown}\" (cannot create bzip2.decompress filter while decompressing file \"{file}\")"
                ));
            }
        };
        if contents.len() as u64 != entry.size {
            return Err(mismatch());
        }
        if !entry.is_crc_checked {
            if has_checksums && crc32fast::hash(&contents) != entry.crc {
                return Err(corrupt(&format!("crc32 mismatch on file \"{file}\"")));
            }
            // In zip archives PHP compares it each time.
            entry.is_crc_checked = !is_zip;
        }
        Ok(Rc::new(contents))
    }

    /// The bytes of an entry as they go into the archive, by its flags; notes how many there are.
    pub(super) fn packed(&mut self, name: &[u8]) -> Result<Vec<u8>, String> {
        let source = self.source.clone();
        if let Some(entry) = self.entries.get(name)
            && let Body::Stored { offset, flags } = &entry.body
            && flags & flags::COMPRESSED == entry.flags & flags::COMPRESSED
            && let Some(bytes) = source.read(*offset, entry.stored)
        {
            return Ok(bytes);
        }
        let contents = self.contents(name)?;
        let Some(entry) = self.entries.get_mut(name) else {
            return Err(String::new());
        };
        let packed = compression::pack(entry.flags & flags::COMPRESSED, &contents);
        entry.size = contents.len() as u64;
        entry.crc = crc32fast::hash(&contents);
        entry.stored = packed.len() as u64;
        Ok(packed)
    }
}

/// A name for messages.
pub(super) fn shown(name: &[u8]) -> String {
    vm_runtime::message::text(name).into_owned()
}
