//! Whole files: `file_get_contents`, `file_put_contents`, `file`, `readfile`.

use std::ops::{Deref, DerefMut};

use vm_runtime::function::Call;
use vm_runtime::interpreter::include::os_error_text;
use vm_runtime::value::{ARRAY, OBJECT, RESOURCE, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::context::context_argument;
use super::open::{check_path, close_value, open_argument, stream, stream_in, stream_value};
use super::stream::{Backend, Stream};
use crate::support::{Append, functions, hold, new_list, string_of, text};

functions! {
    "file_get_contents(path $filename, bool $use_include_path = false, $context = null, int $offset = 0, ?int $length = null): string|false" => file_get_contents,
    "file_put_contents(path $filename, mixed $data, int $flags = 0, $context = null): int|false" => file_put_contents,
    "file(path $filename, int $flags = 0, $context = null): array|false" => file,
    "readfile(path $filename, bool $use_include_path = false, $context = null): int|false" => readfile,
}

functions! { CORE_FUNCTIONS:
    "get_included_files(): array" => get_included_files,
    "get_required_files(): array" => get_included_files,
}

pub(super) const USE_INCLUDE_PATH: i64 = 1;
pub(super) const IGNORE_NEW_LINES: i64 = 2;
pub(super) const SKIP_EMPTY_LINES: i64 = 4;
pub(super) const FILE_APPEND: i64 = 8;
pub(super) const LOCK_EX: i64 = 2;

pub(crate) fn read_failed(vm: &mut Vm, error: &std::io::Error) -> PhpResult<()> {
    let Some(number) = error.raw_os_error() else {
        // Not the system: what failed said so itself.
        return Ok(());
    };
    let name = crate::support::current_function(vm);
    vm.notice(format!(
        "{name}(): Read of 8192 bytes failed with errno={number} {}",
        os_error_text(error)
    ));
    vm.check()
}

fn file_get_contents(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = call.optional_long(4);
    if length.is_some_and(|length| length < 0) {
        return Err(call.value_error(4, "must be greater than or equal to 0"));
    }
    let along_path = call.bool(1);
    let Some(mut source) = open_transient(call, b"rb", along_path, 2)? else {
        return Ok(false.into());
    };
    let offset = call.long(3);
    if offset != 0 && !source.seek(offset, if offset > 0 { 0 } else { 2 }) {
        call.vm.warning(format!(
            "file_get_contents(): Failed to seek to position {offset} in the stream"
        ));
        return Ok(false.into());
    }
    let contents = match length {
        Some(length) => source.read(length as usize),
        None => source.read_all(),
    };
    match contents {
        Ok(contents) => text(call.vm, contents),
        Err(error) => {
            read_failed(call.vm, &error)?;
            text(call.vm, "")
        }
    }
}

/// The stream of one call. If it has filters it is a resource meanwhile, which they are shown.
struct Transient {
    stream: Option<Stream>,
    resource: Value,
}

impl Transient {
    fn new(vm: &mut Vm, mut stream: Stream) -> Transient {
        // The call closes it, and nobody else.
        stream.belongs_to_object = true;
        match stream.filters.read.is_empty() && stream.filters.write.is_empty() {
            true => Transient {
                stream: Some(stream),
                resource: Value::NULL,
            },
            false => Transient {
                stream: None,
                resource: stream_value(vm, stream),
            },
        }
    }
}

impl Drop for Transient {
    fn drop(&mut self) {
        // A filter that kept it has a closed resource.
        close_value(&self.resource);
    }
}

impl Deref for Transient {
    type Target = Stream;

    fn deref(&self) -> &Stream {
        match &self.stream {
            Some(stream) => stream,
            // SAFETY: I3: the value keeps the resource alive as long as the borrow is.
            None => unsafe { stream_in(&self.resource) }.expect("it was made of a stream"),
        }
    }
}

impl DerefMut for Transient {
    fn deref_mut(&mut self) -> &mut Stream {
        match &mut self.stream {
            Some(stream) => stream,
            // SAFETY: I3: as above.
            None => unsafe { stream_in(&self.resource) }.expect("it was made of a stream"),
        }
    }
}

/// Opens the stream of one call, as [`open_argument`] does.
fn open_transient(
    call: &mut Call<'_>,
    mode: &[u8],
    along_path: bool,
    context: usize,
) -> PhpResult<Option<Transient>> {
    let stream = open_argument(call, mode, along_path, context)?;
    Ok(stream.map(|stream| Transient::new(call.vm, stream)))
}

/// True if an object can be converted to a string.
fn has_text(value: &Value) -> bool {
    let object = value.object();
    object.is_some_and(|object| object.class().methods.get(b"__tostring").is_some())
}

fn file_put_contents(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    context_argument(call, 3)?;
    let flags = call.long(2);
    let data = call.value(1);
    if data.kind() == RESOURCE {
        stream(call, 1)?;
    }
    let mode: &[u8] = match flags {
        flags if flags & FILE_APPEND != 0 => b"ab",
        flags if flags & LOCK_EX != 0 => b"cb",
        _ => b"wb",
    };
    let is_locked = flags & LOCK_EX != 0;
    if mode == b"cb" && is_foreign(call.bytes(0)) {
        call.vm
            .function_warning("Exclusive locks may only be set for regular files");
        return Ok(false.into());
    }
    let Some(mut target) = open_transient(call, mode, flags & USE_INCLUDE_PATH != 0, 3)? else {
        return Ok(false.into());
    };
    if is_locked && !lock_exclusively(&mut target) {
        call.vm.check()?;
        drop(target);
        call.vm
            .function_warning("Exclusive locks are not supported for this stream");
        return Ok(false.into());
    }
    call.vm.check()?;
    // Emptied by whoever has the lock, and not before.
    if mode == b"cb" {
        target.truncate(0);
    }
    match data.kind() {
        RESOURCE => {
            let source = stream(call, 1)?;
            let bytes = source.read_all().unwrap_or_default();
            let has_failed = source.has_failed();
            let taken = put(call, &mut target, &bytes, Part::All)?;
            Ok(if has_failed { false.into() } else { taken })
        }
        ARRAY => {
            let mut all = 0;
            for (_, value) in call.elements(1).iter() {
                let part = string_of(call.vm, &hold(value))?;
                match put(call, &mut target, &part, Part::Element)?.view() {
                    ValueKind::Long(taken) => all += taken,
                    _ => return Ok(false.into()),
                }
            }
            Ok(all.into())
        }
        OBJECT if !has_text(&data) => Ok(false.into()),
        _ => {
            let bytes = string_of(call.vm, &data)?;
            put(call, &mut target, &bytes, Part::All)
        }
    }
}

/// True of a name with a scheme that is not that of files.
fn is_foreign(name: &[u8]) -> bool {
    let is_file = name
        .get(..7)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"file://"));
    memchr::memmem::find(name, b"://").is_some() && !is_file
}

/// Waits for an exclusive lock; false if there is none to be had.
fn lock_exclusively(target: &mut Stream) -> bool {
    if let Backend::User(user) = &mut target.backend {
        // First it is asked whether it can be locked at all.
        return user.lock(0) && user.lock(LOCK_EX);
    }
    target
        .file()
        .is_some_and(|file| vm_runtime::limits::lock(file, libc::LOCK_EX).is_ok())
}

/// What of the contents of a file is written at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    /// One of several, whose failure is told apart.
    Element,
}

/// Writes bytes; gives how many, or false after it has told why not.
fn put(call: &mut Call<'_>, target: &mut Stream, bytes: &[u8], part: Part) -> PhpResult<Value> {
    if bytes.is_empty() {
        return Ok(0i64.into());
    }
    let outcome = match target.writable || matches!(target.backend, Backend::User(_)) {
        true => target.write(call.vm, bytes).map_err(|error| {
            error.raw_os_error().map(|number| {
                let (length, reason) = (bytes.len(), os_error_text(&error));
                format!("Write of {length} bytes failed with errno={number} {reason}")
            })
        }),
        false => Err(Some(String::from("Stream is not writable"))),
    };
    call.vm.check()?;
    match outcome {
        Ok(taken) if taken == bytes.len() => return Ok(taken.into()),
        Ok(taken) => call.vm.function_warning(format!(
            "Only {taken} of {} bytes written, possibly out of free disk space",
            bytes.len()
        )),
        Err(problem) => {
            if let Some(problem) = problem {
                call.vm.function_notice(problem);
                call.vm.check()?;
            }
            if part == Part::Element {
                let name = vm_runtime::message::text(call.bytes(0)).into_owned();
                let length = bytes.len();
                call.vm
                    .function_warning(format!("Failed to write {length} bytes to {name}"));
            }
        }
    }
    call.vm.check()?;
    Ok(false.into())
}

fn file(call: &mut Call<'_>) -> PhpResult<Value> {
    let flags = call.long(1);
    const NO_DEFAULT_CONTEXT: i64 = 16;
    let known = USE_INCLUDE_PATH | IGNORE_NEW_LINES | SKIP_EMPTY_LINES | NO_DEFAULT_CONTEXT;
    if flags & !known != 0 {
        return Err(call.value_error(1, "must be a valid flag value"));
    }
    let Some(mut source) = open_transient(call, b"rb", flags & USE_INCLUDE_PATH != 0, 2)? else {
        return Ok(false.into());
    };
    let contents = match source.read_all() {
        Ok(contents) => contents,
        Err(error) => {
            read_failed(call.vm, &error)?;
            Vec::new()
        }
    };
    let mut result = new_list(call.vm, 16);
    let array = result.make_mut(call.vm);
    for line in contents.split_inclusive(|&byte| byte == b'\n') {
        let mut line = line;
        if flags & IGNORE_NEW_LINES != 0 {
            line = line.strip_suffix(b"\n").unwrap_or(line);
            line = line.strip_suffix(b"\r").unwrap_or(line);
            if flags & SKIP_EMPTY_LINES != 0 && line.is_empty() {
                continue;
            }
        }
        array.append(call.vm.string(line).into());
    }
    Ok(result.into())
}

fn readfile(call: &mut Call<'_>) -> PhpResult<Value> {
    let along_path = call.bool(1);
    let Some(mut source) = open_transient(call, b"rb", along_path, 2)? else {
        return Ok(false.into());
    };
    let mut written = 0usize;
    loop {
        match source.read_piece() {
            Ok(Some(piece)) => {
                call.vm.write(&piece);
                written += piece.len();
            }
            Ok(None) => return Ok(written.into()),
            Err(error) => {
                read_failed(call.vm, &error)?;
                return Ok(super::transfer::passed(written));
            }
        }
    }
}

fn get_included_files(call: &mut Call<'_>) -> PhpResult<Value> {
    let files: Vec<Vec<u8>> = call.vm.included_files.paths().map(<[u8]>::to_vec).collect();
    let mut result = new_list(call.vm, files.len());
    for file in files {
        let file = call.vm.string(file).into();
        result.make_mut(call.vm).append(file);
    }
    Ok(result.into())
}
