//! `phar://`: the files in archives as streams.

use std::io;
use std::rc::Rc;

use vm_runtime::limits;
use vm_runtime::operators::to_long;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::archive::{Archive, Body, Entry, Shared, flags, is_magic, shown};
use super::compression::is_supported;
use super::flush::flush;
use super::names::{self, Extension, Presence, Problem};
use super::table::{self, Opening, phars};
use crate::standard::files::{
    Backend, Change, Channel, Listing, Names, Opened, Request, Status, Stream, Wrapper,
    context_option, flags as options, status as status_outside,
};

/// `phar://`
#[derive(Debug)]
pub(crate) struct PharWrapper;

/// What to do to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    /// Written from its start on.
    Write,
    /// Read and written.
    Update,
}

const READ_ONLY: &str =
    "phar error: write operations disabled by the php.ini setting phar.readonly";

/// The archive and the name of the entry of a URL, the archive opened.
pub(super) fn locate(vm: &mut Vm, url: &[u8], creates: bool) -> Result<(Shared, Vec<u8>), String> {
    let presence = match creates {
        true => Presence::Either,
        false => Presence::Exists,
    };
    let (archive, entry) = match names::split(vm, url, Extension::Any, presence) {
        Ok(parts) => parts,
        Err(Problem::NoExtension) => {
            let start = names::without_scheme(url).unwrap_or(url);
            return Err(format!(
                "phar error: no directory in \"{}\", must have at least phar://{}/ for root directory (always use full path to a new phar)",
                shown(url),
                shown(start)
            ));
        }
        Err(Problem::NoArchive) => {
            return Err(format!(
                "phar error: invalid url or non-existent phar \"{}\"",
                shown(url)
            ));
        }
    };
    // A name without `.phar` leads to plain archives as well.
    let opening = Opening {
        alias: None,
        is_data: memchr::memmem::find(&archive, b".phar").is_none(),
    };
    let opened = match creates {
        false => table::open_existing(vm, &archive, opening)?,
        true => {
            let known = phars(vm).find(&archive);
            let is_data = known.as_ref().is_some_and(|known| known.borrow().is_data);
            if vm.ini.bool("phar.readonly") && !is_data && !opening.is_data {
                return Err(READ_ONLY.into());
            }
            let opening = Opening {
                is_data: opening.is_data || is_data,
                ..opening
            };
            Some(table::open_or_create(vm, &archive, opening, None)?)
        }
    };
    match opened {
        Some(found) => Ok((found, entry)),
        None => Err(format!(
            "phar error: invalid url or non-existent phar \"{}\"",
            shown(url)
        )),
    }
}

/// The archive of a URL as it is spelt there.
fn archive_of(vm: &mut Vm, url: &[u8]) -> Vec<u8> {
    let parts = names::split(vm, url, Extension::Any, Presence::Either);
    parts.map(|(archive, _)| archive).unwrap_or_default()
}

/// Prepares an entry for reading or writing: its name, and what is in it now.
pub(super) fn open_entry(
    vm: &mut Vm,
    shared: &Shared,
    name: &[u8],
    access: Access,
    is_inner: bool,
) -> Result<(Vec<u8>, Rc<Vec<u8>>), String> {
    let mut archive = shared.borrow_mut();
    let name = match memchr::memchr(b'?', name) {
        Some(at) => &name[..at],
        None => name,
    };
    let writes = access != Access::Read;
    if writes && vm.ini.bool("phar.readonly") && !archive.is_data {
        return Err(READ_ONLY.into());
    }
    if name.is_empty() {
        return Err(format!(
            "phar error: file \"\" in phar \"{}\" must not be empty",
            archive.shown()
        ));
    }
    if !is_inner && writes && is_magic(name) {
        return Err(
            "phar error: cannot directly access magic \".phar\" directory or files within it"
                .into(),
        );
    }
    if let Some(problem) = names::path_problem(name) {
        return Err(format!(
            "phar error: invalid path \"{}\" {problem}",
            shown(name)
        ));
    }
    if let Some(outside) = archive.mounted_place(name) {
        return open_outside(vm, &mut archive, name, &outside);
    }
    let place = |what: &str, archive: &Archive| {
        format!(
            "phar error: file \"{}\" in phar \"{}\" cannot be opened for {what} file pointers are open",
            shown(name),
            archive.shown()
        )
    };
    // A directory without an entry is nothing that could be read.
    if archive
        .entries
        .get(name)
        .is_some_and(|entry| entry.is_directory)
    {
        return Err(format!(
            "phar error: path \"{}\" is a directory",
            shown(name)
        ));
    }
    let Some(entry) = archive.entries.get(name) else {
        if !writes {
            return Err(format!(
                "phar error: \"{}\" is not a file in phar \"{}\"",
                shown(name),
                archive.shown()
            ));
        }
        archive.put(Entry::new(name));
        return Ok((name.to_vec(), Rc::default()));
    };
    if writes {
        if entry.readers > 0 {
            return Err(place("writing, readable", &archive));
        }
        if entry.writers > 0 {
            return Err(place("writing, writable", &archive));
        }
    } else if entry.writers > 0 {
        return Err(place("reading, writable", &archive));
    }
    if access == Access::Write {
        if let Some(entry) = archive.entries.get_mut(name) {
            let kept = entry.flags & flags::COMPRESSED;
            entry.set_contents(Vec::new());
            entry.flags = entry.flags & !flags::COMPRESSED | kept;
            entry.link = None;
        }
        return Ok((name.to_vec(), Rc::default()));
    }
    let contents = archive.contents(name)?;
    Ok((name.to_vec(), contents))
}

/// A file in a directory that was mounted.
fn open_outside(
    vm: &mut Vm,
    archive: &mut Archive,
    name: &[u8],
    outside: &[u8],
) -> Result<(Vec<u8>, Rc<Vec<u8>>), String> {
    let file = crate::standard::files::path(outside);
    if file.is_dir() {
        return Err(format!(
            "phar error: path \"{}\" is a directory",
            shown(name)
        ));
    }
    if !vm_runtime::limits::directories::lies_within(vm, outside) || !file.is_file() {
        return Err(format!(
            "phar error: \"{}\" is not a file in phar \"{}\"",
            shown(name),
            archive.shown()
        ));
    }
    let mut entry = Entry::new(name);
    entry.body = Body::Mounted(outside.to_vec());
    archive.put(entry);
    Ok((name.to_vec(), archive.contents(name)?))
}

/// An open entry.
#[derive(Debug)]
struct EntryStream {
    archive: Shared,
    name: Vec<u8>,
    contents: Contents,
    position: usize,
    writes: bool,
    /// Something must be written when it is closed.
    dirty: bool,
    /// The VM, which never moves and outlives its streams.
    vm: *mut Vm,
}

#[derive(Debug)]
enum Contents {
    Shared(Rc<Vec<u8>>),
    Own(Vec<u8>),
}

impl Contents {
    fn bytes(&self) -> &[u8] {
        match self {
            Contents::Shared(bytes) => bytes,
            Contents::Own(bytes) => bytes,
        }
    }
}

impl EntryStream {
    fn own(&mut self) -> Option<&mut Vec<u8>> {
        match &mut self.contents {
            Contents::Own(bytes) => Some(bytes),
            Contents::Shared(_) => None,
        }
    }

    /// Puts what was written into the archive, and writes that.
    fn store(&mut self) -> bool {
        if !std::mem::replace(&mut self.dirty, false) {
            return true;
        }
        let contents = self.contents.bytes();
        limits::reserve(contents.len());
        let contents = contents.to_vec();
        {
            let mut archive = self.archive.borrow_mut();
            archive.is_modified = true;
            match archive.entries.get_mut(&self.name) {
                Some(entry) => entry.set_contents(contents),
                None => return true,
            }
        }
        // SAFETY: I1: the VM never moves, and outlives its streams.
        let vm = unsafe { &mut *self.vm };
        match flush(vm, &self.archive) {
            Ok(()) => true,
            Err(problem) => {
                vm.function_warning(problem);
                false
            }
        }
    }
}

impl Channel for EntryStream {
    fn read(&mut self, buffer: &mut Vec<u8>, most: usize) -> io::Result<bool> {
        let bytes = self.contents.bytes();
        let rest = bytes.get(self.position..).unwrap_or_default();
        let taken = rest.len().min(most);
        buffer.extend_from_slice(&rest[..taken]);
        self.position += taken;
        Ok(self.position >= bytes.len())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let position = self.position;
        let Some(contents) = self.own() else {
            return Err(io::Error::from_raw_os_error(libc::EBADF));
        };
        let end = position + bytes.len();
        if end > contents.len() {
            let more = end - contents.len();
            if more > contents.capacity() - contents.len() {
                limits::reserve(more.max(contents.len()));
            }
            contents.resize(end, 0);
        }
        contents[position..end].copy_from_slice(bytes);
        self.position = end;
        self.dirty = true;
        Ok(bytes.len())
    }

    fn seek(&mut self, offset: i64, whence: i64) -> Option<u64> {
        let length = self.contents.bytes().len() as i64;
        let target = match whence {
            2 => length.checked_add(offset)?,
            1 => (self.position as i64).checked_add(offset)?,
            _ => offset,
        };
        if !(0..=length).contains(&target) {
            return None;
        }
        self.position = target as usize;
        Some(target as u64)
    }

    fn flush(&mut self) -> bool {
        self.store()
    }

    fn close(&mut self) {
        if !std::thread::panicking() {
            self.store();
        }
    }

    fn size(&self) -> Option<u64> {
        Some(self.contents.bytes().len() as u64)
    }

    fn truncate(&mut self, _length: u64) -> Option<bool> {
        None
    }

    fn status(&self) -> Option<Status> {
        let archive = self.archive.borrow();
        // SAFETY: I1: the VM never moves, and outlives its streams.
        let vm = unsafe { &*self.vm };
        let mut status = status_of(vm, &archive, &self.name)?;
        status.set("size", self.contents.bytes().len() as i64);
        Some(status)
    }
}

impl Drop for EntryStream {
    fn drop(&mut self) {
        if let Ok(mut archive) = self.archive.try_borrow_mut()
            && let Some(entry) = archive.entries.get_mut(&self.name)
        {
            let count = match self.writes {
                true => &mut entry.writers,
                false => &mut entry.readers,
            };
            *count = count.saturating_sub(1);
        }
    }
}

/// What is known of an entry or a directory.
pub(super) fn status_of(vm: &Vm, archive: &Archive, name: &[u8]) -> Option<Status> {
    let mut status = Status::default();
    let (mode, size, time) = match archive.entries.get(name) {
        Some(entry) => {
            let kind = if entry.is_directory {
                libc::S_IFDIR
            } else {
                libc::S_IFREG
            };
            let size = if entry.is_directory { 0 } else { entry.size };
            (entry.flags & flags::PERMISSIONS | kind, size, entry.time)
        }
        None if archive.is_directory(name) => {
            let newest = archive.entries.iter().map(|entry| entry.time).max();
            (libc::S_IFDIR | 0o777, 0, newest.unwrap_or_default())
        }
        None => return None,
    };
    let mode = match archive.is_writable && !is_read_only(vm, archive) {
        true => mode,
        false => mode & 0o555 | mode & !0o777,
    };
    let mut inode: u32 = 5381;
    for &byte in name {
        inode = inode.wrapping_mul(33).wrapping_add(u32::from(byte));
    }
    for (field, value) in [
        ("dev", 12),
        ("ino", i64::from(inode & 0xffff)),
        ("mode", i64::from(mode)),
        ("nlink", 1),
        ("rdev", -1),
        ("size", size as i64),
        ("atime", time),
        ("mtime", time),
        ("ctime", time),
        ("blksize", -1),
        ("blocks", -1),
    ] {
        status.set(field, value);
    }
    Some(status)
}

/// The stream of an entry that was opened.
fn stream_of(
    vm: &mut Vm,
    shared: Shared,
    name: Vec<u8>,
    contents: Rc<Vec<u8>>,
    access: Access,
) -> Stream {
    let writes = access != Access::Read;
    if let Some(entry) = shared.borrow_mut().entries.get_mut(&name) {
        match writes {
            true => entry.writers += 1,
            false => entry.readers += 1,
        }
    }
    let contents = match writes {
        true => {
            limits::reserve(contents.len());
            Contents::Own(contents.to_vec())
        }
        false => Contents::Shared(contents),
    };
    let uri = [names::SCHEME, &shared.borrow().name, b"/", &name].concat();
    let channel = EntryStream {
        archive: shared,
        name,
        contents,
        position: 0,
        writes,
        dirty: access == Access::Write,
        vm,
    };
    let mut stream = Stream::new(
        Backend::Channel(Box::new(channel)),
        access != Access::Write,
        writes,
    );
    (stream.wrapper, stream.kind) = ("phar", "phar stream");
    stream.uri = uri;
    stream
}

impl Wrapper for PharWrapper {
    fn label(&self) -> &'static str {
        "phar"
    }

    fn open(&self, vm: &mut Vm, request: &Request<'_>) -> PhpResult<Opened> {
        let mode = request.mode;
        if mode.first() == Some(&b'a') {
            return Ok(Err("phar error: open mode append not supported".into()));
        }
        let access = match mode {
            [b'w', ..] if mode.contains(&b'+') => Access::Write,
            [b'w', ..] | [b'x', ..] | [b'c', ..] => Access::Write,
            _ if mode.contains(&b'+') => Access::Update,
            _ => Access::Read,
        };
        let (shared, entry) = match locate(vm, request.name, access == Access::Write) {
            Ok(found) => found,
            Err(problem) => return Ok(Err(problem)),
        };
        let includes = request.options & options::FOR_INCLUDE != 0;
        if entry.is_empty() && includes {
            return Ok(open_stub(shared, request));
        }
        let read_only = access != Access::Read && is_read_only(vm, &shared.borrow());
        if entry.is_empty() && !read_only {
            return Ok(Err(format!(
                "phar error: file \"\" in phar \"{}\" must not be empty",
                shown(&archive_of(vm, request.name))
            )));
        }
        match open_entry(vm, &shared, &entry, access, includes) {
            Ok((name, contents)) => {
                if includes && phars(vm).directory.is_none() {
                    let slash = memchr::memrchr(b'/', &name).unwrap_or(0);
                    phars(vm).directory = Some(name[..slash].to_vec());
                }
                if access == Access::Write
                    && let Some(context) = request.context
                {
                    apply_context(vm, &shared, &name, context)?;
                }
                let mut stream = stream_of(vm, shared, name, contents, access);
                stream.mode = mode.to_vec();
                if access == Access::Write && mode.contains(&b'+') {
                    stream.readable = true;
                }
                stream.uri = request.name.to_vec();
                Ok(Ok(stream))
            }
            Err(problem) => Ok(Err(problem)),
        }
    }

    fn status(&self, vm: &mut Vm, name: &[u8], flags: i64) -> PhpResult<Option<Status>> {
        let Ok((shared, entry)) = locate(vm, name, false) else {
            return Ok(None);
        };
        let (status, outside) = {
            let archive = shared.borrow();
            let outside = match archive.entries.get(&entry).map(|entry| &entry.body) {
                Some(Body::Mounted(outside)) => Some(outside.clone()),
                _ => archive.mounted_place(&entry),
            };
            (status_of(vm, &archive, &entry), outside)
        };
        match outside {
            Some(outside) => status_outside(vm, &outside, flags),
            None => Ok(status),
        }
    }

    fn list(
        &self,
        vm: &mut Vm,
        name: &[u8],
        _context: Option<&Value>,
    ) -> PhpResult<Result<Box<dyn Listing>, io::Error>> {
        let (shared, entry) = match locate(vm, name, false) {
            Ok(found) => found,
            Err(problem) => {
                let message = format!("{problem}\nphar url \"{}\" is unknown", shown(name));
                return Ok(Err(io::Error::other(message)));
            }
        };
        let archive = shared.borrow();
        let outside = match archive.entries.get(&entry).map(|entry| &entry.body) {
            Some(Body::Mounted(outside)) => Some(outside.clone()),
            _ => archive.mounted_place(&entry),
        };
        if let Some(outside) = outside {
            drop(archive);
            return crate::standard::files::list(vm, &outside, None);
        }
        if !archive.is_directory(&entry) {
            // What is wrong is not told.
            return Ok(Err(io::Error::other("operation failed")));
        }
        Ok(Ok(Box::new(Names::new(archive.children(&entry)))))
    }

    fn can_change(&self) -> bool {
        true
    }

    fn change(&self, vm: &mut Vm, change: Change<'_>) -> PhpResult<Option<bool>> {
        let done = match change {
            Change::Unlink(name) => unlink(vm, name),
            Change::Rename(from, to) => rename(vm, from, to),
            Change::MakeDirectory { name, .. } => make_directory(vm, name),
            Change::RemoveDirectory(name) => remove_directory(vm, name),
        };
        if let Err(problem) = &done {
            vm.function_warning(problem);
            vm.check()?;
        }
        Ok(Some(done.is_ok()))
    }
}

/// What the options `compress` and `metadata` of a context say of an entry that is written.
fn apply_context(vm: &mut Vm, shared: &Shared, name: &[u8], context: &Value) -> PhpResult<()> {
    let compression = context_option(context, b"phar", b"compress");
    let metadata = context_option(context, b"phar", b"metadata");
    let compression = compression.map(|value| to_long(vm, &value) as u32);
    let metadata = match metadata {
        Some(value) => Some(crate::standard::variables::serialized(vm, &value)?),
        None => None,
    };
    if let Some(entry) = shared.borrow_mut().entries.get_mut(name) {
        if let Some(compression) = compression.filter(|&method| is_supported(method)) {
            entry.flags = entry.flags & !flags::COMPRESSED | compression;
        }
        if let Some(metadata) = metadata {
            entry.metadata = Some(metadata.as_bytes().into());
        }
    }
    Ok(())
}

/// `include 'phar://app.phar'`: the code in front of the archive.
fn open_stub(shared: Shared, request: &Request<'_>) -> Opened {
    let stub = super::flush::stub_of(&mut shared.borrow_mut())?;
    let mut stream = Stream::new(Backend::memory(stub), true, false);
    (stream.wrapper, stream.kind) = ("phar", "phar stream");
    stream.uri = request.name.to_vec();
    stream.mode = request.mode.to_vec();
    Ok(stream)
}

/// True if the settings keep scripts from changing an archive.
pub(super) fn is_read_only(vm: &Vm, archive: &Archive) -> bool {
    vm.ini.bool("phar.readonly") && !archive.is_data
}

fn unlink(vm: &mut Vm, url: &[u8]) -> Result<(), String> {
    let (shared, name) = match locate(vm, url, false) {
        Ok(found) => found,
        Err(problem) => {
            vm.function_warning(problem);
            return Err("phar error: unlink failed".into());
        }
    };
    if name.is_empty() {
        return Err(format!(
            "unlink of \"{}\" failed: phar error: file \"\" in phar \"{}\" must not be empty",
            shown(url),
            shown(&archive_of(vm, url))
        ));
    }
    {
        let mut archive = shared.borrow_mut();
        if is_read_only(vm, &archive) {
            return Err(READ_ONLY.into());
        }
        let file = shown(&name);
        match archive.entries.get(&name) {
            None => {
                return Err(format!(
                    "unlink of \"{}\" failed, file does not exist",
                    shown(url)
                ));
            }
            Some(entry) if entry.is_directory => {
                return Err(format!(
                    "unlink of \"{}\" failed: phar error: path \"{file}\" is a directory",
                    shown(url)
                ));
            }
            Some(entry) if entry.readers + entry.writers > 0 => {
                return Err(format!(
                    "phar error: \"{file}\" in phar \"{}\", has open file pointers, cannot unlink",
                    archive.shown()
                ));
            }
            Some(_) => {}
        }
        archive.entries.remove(&name);
        archive.is_modified = true;
    }
    flush(vm, &shared)
}

fn rename(vm: &mut Vm, from: &[u8], to: &[u8]) -> Result<(), String> {
    let cannot = format!(
        "phar error: cannot rename \"{}\" to \"{}\"",
        shown(from),
        shown(to)
    );
    let presence = Presence::Exists;
    let source = names::split(vm, from, Extension::Any, presence)
        .map_err(|_| format!("{cannot}: invalid or non-writable url \"{}\"", shown(from)))?;
    let target = names::split(vm, to, Extension::Any, presence)
        .map_err(|_| format!("{cannot}: invalid or non-writable url \"{}\"", shown(to)))?;
    if source.0 != target.0 {
        return Err(format!("{cannot}, not within the same phar archive"));
    }
    let shared = locate(vm, from, false)
        .map_err(|problem| format!("{cannot}: {problem}"))?
        .0;
    let (old, new) = (source.1, target.1);
    {
        let mut archive = shared.borrow_mut();
        if is_read_only(vm, &archive) {
            return Err(READ_ONLY.into());
        }
        match archive.entries.get(&old) {
            Some(entry) if entry.is_mounted() => {
                return Err(format!(
                    "{cannot} from extracted phar archive, cannot rename mounted file"
                ));
            }
            Some(entry) => {
                let is_directory = entry.is_directory;
                archive.entries.rename(&old, &new);
                archive.add_directories(&new, is_directory);
                if is_directory {
                    rename_below(&mut archive, &old, &new);
                }
            }
            None if archive.directories.contains(&old) => {
                rename_below(&mut archive, &old, &new);
            }
            None => {
                return Err(format!(
                    "{cannot} from extracted phar archive, source does not exist"
                ));
            }
        }
        archive.is_modified = true;
    }
    flush(vm, &shared)
}

/// Gives what lies in a directory other names.
fn rename_below(archive: &mut Archive, old: &[u8], new: &[u8]) {
    let start = [old, b"/"].concat();
    let moved: Vec<Vec<u8>> = archive
        .entries
        .iter()
        .filter(|entry| entry.name.starts_with(&start))
        .map(|entry| entry.name.clone())
        .collect();
    for name in moved {
        let target = [new, &name[old.len()..]].concat();
        archive.entries.rename(&name, &target);
        archive.add_directories(&target, false);
    }
    let directories: Vec<Vec<u8>> = archive
        .directories
        .iter()
        .filter(|name| *name == old || name.starts_with(&start))
        .cloned()
        .collect();
    for name in directories {
        archive.directories.remove(&name);
        let target = [new, &name[old.len()..]].concat();
        archive.directories.insert(target);
    }
}

fn make_directory(vm: &mut Vm, url: &[u8]) -> Result<(), String> {
    let none = || {
        format!(
            "phar error: cannot create directory \"{}\", no phar archive specified",
            shown(url)
        )
    };
    let (path, _) = names::split(vm, url, Extension::Any, Presence::Either).map_err(|_| none())?;
    let is_data = phars(vm)
        .find(&path)
        .is_some_and(|found| found.borrow().is_data);
    if vm.ini.bool("phar.readonly") && !is_data {
        return Err(format!(
            "phar error: cannot create directory \"{}\", write operations are disabled",
            shown(url)
        ));
    }
    let (shared, name) = locate(vm, url, true).map_err(|problem| {
        format!(
            "phar error: cannot create directory \"{}\" in phar \"{}\", error retrieving phar information: {problem}",
            shown(url),
            shown(&path)
        )
    })?;
    {
        let mut archive = shared.borrow_mut();
        let cannot = |problem: String| {
            Err(format!(
                "phar error: cannot create directory \"{}\" in phar \"{}\", {problem}",
                shown(&name),
                shown(&path)
            ))
        };
        if let Some(problem) = names::path_problem(&name) {
            return cannot(format!(
                "phar error: invalid path \"{}\" {problem}",
                shown(&name)
            ));
        }
        if archive.is_directory(&name) {
            return cannot("directory already exists".into());
        }
        if archive.entries.get(&name).is_some() {
            return cannot(format!(
                "phar error: path \"{}\" exists and is a not a directory",
                shown(&name)
            ));
        }
        archive.put(Entry::directory(&name));
        archive.is_modified = true;
    }
    flush(vm, &shared)
}

fn remove_directory(vm: &mut Vm, url: &[u8]) -> Result<(), String> {
    let none = || {
        format!(
            "phar error: cannot remove directory \"{}\", no phar archive specified, or phar archive does not exist",
            shown(url)
        )
    };
    let Ok((path, _)) = names::split(vm, url, Extension::Any, Presence::Exists) else {
        return Err(none());
    };
    let (shared, name) = locate(vm, url, false)?;
    {
        let mut archive = shared.borrow_mut();
        if is_read_only(vm, &archive) {
            return Err(format!(
                "phar error: cannot remove directory \"{}\", write operations are disabled",
                shown(url)
            ));
        }
        let cannot = |problem: String| {
            Err(format!(
                "phar error: cannot remove directory \"{}\" in phar \"{}\", {problem}",
                shown(&name),
                archive.shown()
            ))
        };
        if name.is_empty() {
            let problem = format!(
                "phar error: cannot remove directory \"\" in phar \"{}\", directory does not exist",
                shown(&path)
            );
            return Err(problem);
        }
        if !archive.is_directory(&name) {
            return match archive.entries.get(&name) {
                Some(_) => cannot(format!(
                    "phar error: path \"{}\" exists and is a not a directory",
                    shown(&name)
                )),
                None => cannot("directory does not exist".into()),
            };
        }
        if !archive.children(&name).is_empty() {
            return Err("phar error: Directory not empty".into());
        }
        archive.entries.remove(&name);
        archive.directories.remove(&name);
        archive.is_modified = true;
    }
    flush(vm, &shared)
}
