//! Contents of entries: as strings, and as streams.

use std::io;

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::archive::Archive;
use super::class::{archive_of, noted};
use super::data::Reader;
use super::details::named;
use super::names;
use super::problem::{Problem, code};
use crate::spl::this;
use crate::standard::files::{
    Backend, Channel, OPERATION_FAILED, Opened, Request, Status, Stream, Wrapper, stream_value,
};
use crate::support::text;

const SCHEME: &[u8] = b"zip://";

pub(super) fn get_from_name(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    let object = this(call);
    let archive = archive_of(call.vm, &object)?;
    let how = call.long(2);
    match named(call, archive, how)? {
        Some(index) => contents(call, archive, index),
        None => Ok(false.into()),
    }
}

pub(super) fn get_from_index(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let archive = archive_of(call.vm, &object)?;
    contents(call, archive, call.long(0))
}

/// The contents of an entry, of which argument #2 may ask for the start only.
fn contents(call: &mut Call<'_>, archive: &mut Archive, index: i64) -> PhpResult<Value> {
    let (length, how) = (call.long(1), call.long(2));
    let size = archive.record(index, how).map(|record| record.size);
    let Some(size) = noted(archive, size) else {
        return Ok(false.into());
    };
    let most = match usize::try_from(length) {
        Ok(length) if length > 0 => (size as usize).min(length),
        _ => size as usize,
    };
    // What is empty is read, too: only its end tells whether it is what was put there.
    let most = most.max(1);
    let reader = archive.reader(index, how);
    let Some(mut reader) = noted(archive, reader) else {
        return Ok(false.into());
    };
    // What goes wrong from here on belongs to a stream that nobody sees: the archive's status says nothing of it.
    match reader.read_most(most) {
        Ok(bytes) => text(call.vm, bytes),
        Err(problem) => {
            let message = format!("Cannot read entry: {}", problem.text());
            call.vm.function_warning(message);
            Ok(false.into())
        }
    }
}

/// An entry that is read as a stream.
#[derive(Debug)]
struct EntryStream {
    reader: Reader,
    position: u64,
    size: u64,
    time: i64,
    /// Its name is one of the scheme, so that more is known of it.
    is_named: bool,
    /// What went wrong behind bytes that were given: the next read tells, and ends.
    broken: Option<Problem>,
    /// It has told.
    has_failed: bool,
    /// The VM, which never moves and outlives its streams.
    vm: *mut Vm,
}

impl EntryStream {
    fn tell(&self, problem: Problem) {
        let message = format!("Zip stream error: {}", problem.text());
        // SAFETY: I1: the VM never moves, and outlives its streams.
        unsafe { (*self.vm).function_warning(message) };
    }
}

impl Channel for EntryStream {
    fn read(&mut self, buffer: &mut Vec<u8>, most: usize) -> io::Result<bool> {
        if let Some(problem) = self.broken.take() {
            self.has_failed = true;
            self.tell(problem);
            return Ok(true);
        }
        let before = buffer.len();
        let outcome = self.reader.read(buffer, most);
        let given = buffer.len() - before;
        self.position += given as u64;
        match outcome {
            Ok(is_over) => Ok(is_over || self.position >= self.size),
            // What is checked behind the last bytes leaves them; what cannot be unpacked has none.
            Err(problem) if given > 0 && problem.code == code::CRC => {
                self.broken = Some(problem);
                Ok(false)
            }
            Err(problem) => {
                self.tell(problem);
                Err(io::Error::other("a broken entry"))
            }
        }
    }

    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::Error::from_raw_os_error(libc::EBADF))
    }

    fn seek(&mut self, offset: i64, whence: i64) -> Option<u64> {
        let target = match whence {
            0 => offset,
            1 => (self.position as i64).checked_add(offset)?,
            _ => (self.size as i64).checked_add(offset)?,
        };
        let target = u64::try_from(target)
            .ok()
            .filter(|&target| target <= self.size)?;
        self.reader.seek(target).then_some(())?;
        self.position = target;
        Some(target)
    }

    fn last_error(&self) -> Option<i64> {
        Some(0)
    }

    fn has_failed(&self) -> bool {
        self.has_failed
    }

    fn status(&self) -> Option<Status> {
        if !self.is_named {
            return None;
        }
        let mut status = Status::default();
        status.set("ino", -1);
        status.set("mode", libc::S_IFREG.into());
        status.set("nlink", 1);
        status.set("rdev", -1);
        status.set("size", self.size as i64);
        for field in ["atime", "mtime", "ctime"] {
            status.set(field, self.time);
        }
        // What stands for nobody, and for sizes that nothing has.
        for field in ["blksize", "blocks"] {
            status.set(field, -1);
        }
        Some(status)
    }
}

/// A stream of an entry.
fn stream_of(
    vm: &mut Vm,
    archive: &Archive,
    index: i64,
    how: i64,
    is_named: bool,
) -> Result<Stream, Problem> {
    let record = archive.record(index, how)?;
    let reader = archive.reader(index, how)?;
    let is_plain = reader.is_plain();
    let channel = EntryStream {
        reader,
        position: 0,
        size: record.size,
        time: record.time,
        is_named,
        broken: None,
        has_failed: false,
        vm,
    };
    let mut stream = Stream::new(Backend::Channel(Box::new(channel)), true, false);
    (stream.kind, stream.wrapper) = ("zip", "");
    stream.mode = b"rb".to_vec();
    stream.seekable = is_plain;
    stream.uri = names::shown(&record.name, record.flags, 0).into_owned();
    Ok(stream)
}

fn open_stream(call: &mut Call<'_>, is_named: bool, how: i64) -> PhpResult<Value> {
    let object = this(call);
    let archive = archive_of(call.vm, &object)?;
    let index = match is_named {
        true => named(call, archive, how)?,
        false => Some(call.long(0)),
    };
    let Some(index) = index else {
        return Ok(false.into());
    };
    let opened = stream_of(call.vm, archive, index, how, false);
    Ok(match noted(archive, opened) {
        Some(opened) => stream_value(call.vm, opened),
        None => false.into(),
    })
}

pub(super) fn get_stream_index(call: &mut Call<'_>) -> PhpResult<Value> {
    let how = call.long(1);
    open_stream(call, false, how)
}

pub(super) fn get_stream_name(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    let how = call.long(1);
    open_stream(call, true, how)
}

pub(super) fn get_stream(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    open_stream(call, true, 0)
}

/// `zip://archive.zip#entry`
#[derive(Debug)]
pub(crate) struct ZipWrapper;

/// The archive and the number of the entry that a name means.
fn resolve(vm: &mut Vm, name: &[u8]) -> PhpResult<Option<(Archive, i64)>> {
    let name = match name.get(..SCHEME.len()) {
        Some(scheme) if scheme.eq_ignore_ascii_case(SCHEME) => &name[SCHEME.len()..],
        _ => name,
    };
    let Some(at) = memchr::memchr(b'#', name) else {
        return Ok(None);
    };
    let (file, entry) = (&name[..at], &name[at + 1..]);
    if entry.is_empty() {
        return Ok(None);
    }
    let function = crate::support::current_function(vm);
    if !vm_runtime::limits::directories::is_allowed(vm, file, &function)? {
        return Ok(None);
    }
    let Ok(archive) = Archive::open(&names::expand(file), 0) else {
        return Ok(None);
    };
    let found = archive.find(entry, 0).ok();
    Ok(found.map(|index| (archive, index as i64)))
}

impl Wrapper for ZipWrapper {
    fn label(&self) -> &'static str {
        "zip wrapper"
    }

    fn open(&self, vm: &mut Vm, request: &Request<'_>) -> PhpResult<Opened> {
        if request.mode.first() != Some(&b'r') {
            return Ok(Err(OPERATION_FAILED.into()));
        }
        let Some((mut archive, index)) = resolve(vm, request.name)? else {
            return Ok(Err(OPERATION_FAILED.into()));
        };
        let password = request.context.and_then(|context| {
            crate::standard::files::context_option(context, b"zip", b"password")
        });
        if let Some(password) = password.and_then(|password| password.string()) {
            archive.password = Some(password.as_bytes().to_vec());
        }
        let Ok(mut stream) = stream_of(vm, &archive, index, 0, true) else {
            return Ok(Err(OPERATION_FAILED.into()));
        };
        stream.wrapper = "zip wrapper";
        stream.uri = request.name.to_vec();
        stream.mode = request.mode.to_vec();
        Ok(Ok(stream))
    }
}
