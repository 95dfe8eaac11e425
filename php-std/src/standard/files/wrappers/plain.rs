//! `file://` and names without a scheme: files.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Component, Path, PathBuf};

use vm_runtime::interpreter::include::os_error_text;
use vm_runtime::limits::{self, Foreign};
use vm_runtime::vm::{PhpResult, Vm};

use super::super::directory::Listing;
use super::super::open::path;
use super::super::status::Status;
use super::super::stream::{Backend, Stream};
use super::{Opened, Request, Wrapper, options};
use vm_runtime::limits::directories::is_allowed;

/// The scheme `file`, which names its files with or without it.
#[derive(Debug)]
pub(super) struct PlainWrapper;

impl Wrapper for PlainWrapper {
    fn label(&self) -> &'static str {
        "plainfile"
    }

    fn open(&self, vm: &mut Vm, request: &Request<'_>) -> PhpResult<Opened> {
        open(vm, request)
    }
}

/// What a mode allows.
#[derive(Debug, Clone, Copy)]
struct Mode {
    read: bool,
    write: bool,
    append: bool,
    truncate: bool,
    create: bool,
    exclusive: bool,
}

impl Mode {
    fn parse(mode: &[u8]) -> Option<Mode> {
        let plus = mode.contains(&b'+');
        let none = Mode {
            read: plus,
            write: true,
            append: false,
            truncate: false,
            create: true,
            exclusive: false,
        };
        Some(match mode.first()? {
            b'r' => Mode {
                read: true,
                write: plus,
                create: false,
                ..none
            },
            b'w' => Mode {
                truncate: true,
                ..none
            },
            b'a' => Mode {
                append: true,
                ..none
            },
            b'x' => Mode {
                exclusive: true,
                ..none
            },
            b'c' => none,
            _ => return None,
        })
    }

    fn options(self) -> OpenOptions {
        let mut options = OpenOptions::new();
        options
            .read(self.read)
            .write(self.write && !self.append)
            .append(self.append)
            .truncate(self.truncate);
        if self.exclusive {
            options.create_new(true);
        } else {
            options.create(self.create);
        }
        options
    }
}

pub(super) fn open(vm: &mut Vm, request: &Request<'_>) -> PhpResult<Opened> {
    let (name, mode) = (request.name, request.mode);
    let Some(parsed) = Mode::parse(mode) else {
        let mode = vm_runtime::message::text(mode);
        return Ok(Err(format!("`{mode}' is not a valid mode for fopen")));
    };
    if !is_allowed(vm, name, request.function)? {
        let error = io::Error::from_raw_os_error(libc::EPERM);
        return Ok(Err(os_error_text(&error)));
    }
    Ok(match open_path(&parsed.options(), &path(name)) {
        Ok(file) => {
            let mut stream = open_file(file, parsed.read, parsed.write);
            stream.append = parsed.append;
            (stream.uri, stream.mode) = (name.to_vec(), mode.to_vec());
            Ok(stream)
        }
        // A path that goes through a file leads nowhere.
        Err(error)
            if error.kind() == io::ErrorKind::NotADirectory
                || error.kind() == io::ErrorKind::IsADirectory && !path(name).is_dir() =>
        {
            Err(os_error_text(&io::Error::from_raw_os_error(libc::ENOENT)))
        }
        Err(error) => Err(os_error_text(&error)),
    })
}

/// Opens a file as PHP does, which goes by the names alone if there is `..` behind a directory that is not there.
fn open_path(options: &OpenOptions, wanted: &Path) -> io::Result<File> {
    let opened = limits::open(options, wanted);
    let is_missing = matches!(&opened, Err(error) if error.kind() == io::ErrorKind::NotFound);
    let is_up = |part: &Component<'_>| *part == Component::ParentDir;
    if !is_missing || !wanted.components().any(|part| is_up(&part)) {
        return opened;
    }
    let mut so_far = PathBuf::new();
    let mut is_there = true;
    for part in wanted.components() {
        is_there &= !is_up(&part) || so_far.as_os_str().is_empty() || so_far.exists();
        so_far.push(part);
    }
    if is_there {
        return opened;
    }
    limits::open(options, &without_steps_up(wanted))
}

/// A path without `..` behind a name, and without that name.
pub(super) fn without_steps_up(wanted: &Path) -> PathBuf {
    let mut by_name = PathBuf::new();
    for part in wanted.components() {
        let above = by_name.components().next_back();
        if part == Component::ParentDir && matches!(above, Some(Component::Normal(_))) {
            by_name.pop();
        } else {
            by_name.push(part);
        }
    }
    by_name
}

/// The stream of a file.
pub(crate) fn open_file(file: File, reads: bool, writes: bool) -> Stream {
    let is_regular = file
        .metadata()
        .is_ok_and(|metadata| metadata.is_file() || metadata.is_dir());
    let mut stream = Stream::new(Backend::File(file), reads, writes);
    stream.seekable = is_regular;
    stream.wrapper = "plainfile";
    stream
}

pub(super) fn status(vm: &mut Vm, name: &[u8], flags: i64) -> PhpResult<Option<Status>> {
    if name.is_empty() || memchr::memchr(0, name).is_some() {
        return Ok(None);
    }
    let function = crate::support::current_function(vm);
    if !is_allowed(vm, name, &function)? {
        return Ok(None);
    }
    let found = match flags & options::STAT_LINK != 0 {
        true => std::fs::symlink_metadata(path(name)),
        false => std::fs::metadata(path(name)),
    };
    Ok(found.ok().as_ref().map(Status::of))
}

pub(super) fn list(vm: &mut Vm, name: &[u8]) -> PhpResult<Result<Box<dyn Listing>, io::Error>> {
    let function = crate::support::current_function(vm);
    if !is_allowed(vm, name, &function)? {
        return Ok(Err(io::Error::from_raw_os_error(libc::EPERM)));
    }
    Ok(PlainDirectory::open(name).map(|directory| Box::new(directory) as Box<dyn Listing>))
}

/// A directory of the system, read entry by entry as the system gives them.
#[derive(Debug)]
struct PlainDirectory {
    handle: *mut libc::DIR,
    /// What the last entry is, as the system numbers that.
    last_type: u8,
    /// What the C library reads entries into.
    _buffer: Foreign,
}

/// Bytes of that.
const DIRECTORY_BUFFER: usize = 32 * 1024;

impl PlainDirectory {
    fn open(name: &[u8]) -> io::Result<PlainDirectory> {
        use std::os::unix::ffi::OsStrExt;
        let name = CString::new(path(name).as_os_str().as_bytes())?;
        // SAFETY: the name is zero-terminated.
        let handle = unsafe { libc::opendir(name.as_ptr()) };
        match handle.is_null() {
            true => Err(io::Error::last_os_error()),
            false => Ok(PlainDirectory {
                handle,
                last_type: libc::DT_UNKNOWN,
                _buffer: Foreign::new(DIRECTORY_BUFFER),
            }),
        }
    }
}

impl Listing for PlainDirectory {
    fn next(&mut self) -> Option<Vec<u8>> {
        // SAFETY: the handle is open; the entry is valid until the next call, and copied before.
        unsafe {
            let entry = libc::readdir(self.handle);
            if entry.is_null() {
                return None;
            }
            self.last_type = (*entry).d_type;
            let name = std::ffi::CStr::from_ptr((*entry).d_name.as_ptr());
            Some(name.to_bytes().to_vec())
        }
    }

    fn rewind(&mut self) {
        // SAFETY: the handle is open.
        unsafe { libc::rewinddir(self.handle) }
    }

    fn is_directory(&self) -> Option<bool> {
        match self.last_type {
            libc::DT_DIR => Some(true),
            libc::DT_REG => Some(false),
            _ => None,
        }
    }
}

impl Drop for PlainDirectory {
    fn drop(&mut self) {
        // SAFETY: opened by us, closed once.
        unsafe { libc::closedir(self.handle) };
    }
}
