//! Reading and writing open streams: `fgets`, `fread`, `fwrite`, `fseek`, ...

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::interpreter::include::os_error_text;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::super::strings::format::{Arguments, format};
use super::open::{stream, stream_in};
use super::stream::{Backend, Stream};
use crate::support::{StringBuilder, direct, functions, new_list, text};

functions! {
    "feof(resource $stream): bool" => feof | feof_directly,
    "fgets(resource $stream, ?int $length = null): string|false" => fgets | fgets_directly,
    "fgetc(resource $stream): string|false" => fgetc | fgetc_directly,
    "fread(resource $stream, int $length): string|false" => fread | fread_directly,
    "fwrite(resource $stream, string $data, ?int $length = null): int|false" => fwrite | fwrite_directly,
    "fputs(resource $stream, string $data, ?int $length = null): int|false" => fwrite | fwrite_directly,
    "fflush(resource $stream): bool" => fflush,
    "fsync(resource $stream): bool" => fsync,
    "fseek(resource $stream, int $offset, int $whence = SEEK_SET): int" => fseek,
    "ftell(resource $stream): int|false" => ftell | ftell_directly,
    "rewind(resource $stream): bool" => rewind,
    "ftruncate(resource $stream, int $size): bool" => ftruncate,
    "flock(resource $stream, int $operation, &$would_block = null): bool" => flock,
    "fpassthru(resource $stream): int" => fpassthru,
    "fprintf(resource $stream, string $format, mixed ...$values): int" => fprintf,
    "vfprintf(resource $stream, string $format, array $values): int" => vfprintf,
    "stream_get_contents(resource $stream, ?int $length = null, int $offset = -1): string|false" => stream_get_contents,
    "stream_get_line(resource $stream, int $length, string $ending = \"\"): string|false" => stream_get_line,
    "stream_copy_to_stream(resource $from, resource $to, ?int $length = null, int $offset = 0): int|false" => stream_copy_to_stream,
    "stream_get_meta_data(resource $stream): array" => stream_get_meta_data,
    "socket_get_status(resource $stream): array" => stream_get_meta_data,
    "fdatasync(resource $stream): bool" => fdatasync,
    "stream_isatty(resource $stream): bool" => stream_isatty,
}

/// Bytes copied at once.
const PIECE: usize = 64 * 1024;

pub(crate) fn feof(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(stream(call, 0)?.check_end().into())
}

/// Complains that reading failed, as PHP does with what the system said.
fn read_failed(call: &mut Call<'_>, error: &std::io::Error) -> PhpResult<Value> {
    let Some(number) = error.raw_os_error() else {
        // Not the system: what failed said so itself.
        return Ok(false.into());
    };
    let name = call.function().display_name();
    call.vm.notice(format!(
        "{name}(): Read of 8192 bytes failed with errno={number} {}",
        os_error_text(error)
    ));
    call.vm.check()?;
    Ok(false.into())
}

/// False, after a notice, if the stream cannot be read.
pub(crate) fn readable(call: &mut Call<'_>) -> PhpResult<bool> {
    if stream(call, 0)?.readable {
        return Ok(true);
    }
    let error = std::io::Error::from_raw_os_error(libc::EBADF);
    read_failed(call, &error)?;
    Ok(false)
}

pub(crate) fn fgets(call: &mut Call<'_>) -> PhpResult<Value> {
    let limit = match call.optional_long(1) {
        Some(length) if length <= 0 => return Err(call.value_error(1, "must be greater than 0")),
        Some(length) => length as usize - 1,
        None => usize::MAX,
    };
    if !readable(call)? || limit == 0 {
        return Ok(false.into());
    }
    match stream(call, 0)?.read_line(b'\n', limit) {
        Ok(Some(line)) => text(call.vm, line),
        Ok(None) => Ok(false.into()),
        Err(error) => read_failed(call, &error),
    }
}

/// The next line of the stream that a value is, for the command's own loop over its input.
pub fn next_line(stream: &Value) -> Option<Vec<u8>> {
    // SAFETY: I3: the caller's value keeps the resource alive; as for `stream()`.
    let stream = unsafe { stream_in(stream) }.filter(|stream| stream.readable)?;
    stream.read_line(b'\n', usize::MAX).ok().flatten()
}

pub(crate) fn fgetc(call: &mut Call<'_>) -> PhpResult<Value> {
    if !readable(call)? {
        return Ok(false.into());
    }
    match stream(call, 0)?.read(1) {
        Ok(byte) if byte.is_empty() => Ok(false.into()),
        Ok(byte) => text(call.vm, byte),
        Err(error) => read_failed(call, &error),
    }
}

pub(crate) fn fread(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = call.long(1);
    // A closed stream is told of first.
    stream(call, 0)?;
    if length <= 0 {
        return Err(call.value_error(1, "must be greater than 0"));
    }
    if !readable(call)? {
        return Ok(false.into());
    }
    match stream(call, 0)?.read(length as usize) {
        Ok(bytes) => text(call.vm, bytes),
        Err(error) => read_failed(call, &error),
    }
}

direct! {
    /// These do what they do with what was read ahead, and with memory: all else may warn, wait or run code.
    fn feof_directly(_; stream: &mut Stream) { (!stream.buffered().is_empty()).then_some(false) }

    fn fgets_directly(vm; stream: &mut Stream; length: i64 = i64::MAX) {
        let limit = usize::try_from(length).ok()?.checked_sub(1)?;
        Some(vm.string(stream.line_at_once(limit)?))
    }

    fn fgetc_directly(vm; stream: &mut Stream) { Some(vm.string(stream.read_at_once(1)?)) }

    fn fread_directly(vm; stream: &mut Stream, length: i64) {
        Some(vm.string(stream.read_at_once(usize::try_from(length).ok()?)?))
    }

    fn ftell_directly(_; stream: &mut Stream) { stream.tell() as i64 }

    fn fwrite_directly(_; stream: &mut Stream, bytes: &[u8]) {
        (!bytes.is_empty() && stream.write_at_once(bytes)).then_some(bytes.len() as i64)
    }
}

/// A stream that was opened for reading is written to.
fn refused(call: &mut Call<'_>, bytes: &[u8]) -> PhpResult<Value> {
    let name = call.function().display_name();
    let target = stream(call, 0)?;
    let message = match target.backend {
        Backend::Memory { .. } if target.wrapper == "RFC2397" => {
            String::from("Stream is not writable")
        }
        Backend::Directory(_) => String::from("Stream is not writable"),
        Backend::Memory { .. } => return Ok(false.into()),
        _ => {
            let error = std::io::Error::from_raw_os_error(libc::EBADF);
            format!(
                "Write of {} bytes failed with errno={} {}",
                bytes.len(),
                libc::EBADF,
                os_error_text(&error)
            )
        }
    };
    call.vm.notice(format!("{name}(): {message}"));
    call.vm.check()?;
    Ok(false.into())
}

/// Writes bytes to the stream in argument #1; gives their number, or `false` after a notice.
pub(super) fn write_bytes(call: &mut Call<'_>, bytes: &[u8]) -> PhpResult<Value> {
    let target = stream(call, 0)?;
    // Objects of the script see for themselves what may be written.
    let outcome = match target.writable || matches!(target.backend, Backend::User(_)) {
        true => target.write(call.vm, bytes),
        false => return refused(call, bytes),
    };
    match outcome {
        Ok(taken) => Ok(taken.into()),
        // An object or a filter of the script took nothing.
        Err(error) if error.raw_os_error().is_none() => Ok(false.into()),
        Err(error) => {
            let name = call.function().display_name();
            let number = error.raw_os_error().unwrap_or(0);
            let verb = match stream(call, 0)?.backend {
                Backend::Socket(_) => "Send",
                _ => "Write",
            };
            call.vm.notice(format!(
                "{name}(): {verb} of {} bytes failed with errno={number} {}",
                bytes.len(),
                os_error_text(&error)
            ));
            call.vm.check()?;
            Ok(false.into())
        }
    }
}

pub(crate) fn fwrite(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut bytes = call.bytes(1);
    if let Some(length) = call.optional_long(2) {
        bytes = &bytes[..bytes.len().min(length.max(0) as usize)];
    }
    if bytes.is_empty() {
        // PHP does not look at the stream then.
        return Ok(0i64.into());
    }
    write_bytes(call, bytes)
}

pub(crate) fn fflush(call: &mut Call<'_>) -> PhpResult<Value> {
    let target = stream(call, 0)?;
    if let Backend::Output | Backend::Standard(_) = target.backend {
        call.vm.output.flush();
    }
    Ok(target.flush().into())
}

fn fsync(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: a plain call about a descriptor that is open.
    synchronised(call, |descriptor| unsafe { libc::fsync(descriptor) } == 0)
}

fn fdatasync(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: as above.
    synchronised(
        call,
        |descriptor| unsafe { libc::fdatasync(descriptor) } == 0,
    )
}

/// Has the system write to the disk what was written to a file.
fn synchronised(call: &mut Call<'_>, write: impl Fn(i32) -> bool) -> PhpResult<Value> {
    let target = stream(call, 0)?;
    let Some(descriptor) = target.descriptor() else {
        call.vm.function_warning("Can't fsync this stream!");
        return Ok(false.into());
    };
    vm_runtime::limits::note_file_access();
    Ok((target.flush() && write(descriptor)).into())
}

/// Moves the position; warns of a stream that cannot do that.
fn moved(call: &mut Call<'_>, offset: i64, whence: i64) -> PhpResult<bool> {
    let target = stream(call, 0)?;
    if let Backend::Directory(listing) = &mut target.backend {
        // There is no place in it but its beginning.
        listing.rewind();
        return Ok(true);
    }
    let moved = target.seek(offset, whence);
    // Forward there is a way, as far as there is something to read.
    let is_forward = whence == 1 && offset >= 0;
    if !moved && !target.seekable && !is_forward {
        call.vm.function_warning("Stream does not support seeking");
        call.vm.check()?;
    }
    Ok(moved)
}

pub(crate) fn fseek(call: &mut Call<'_>) -> PhpResult<Value> {
    let (offset, whence) = (call.long(1), call.long(2));
    let moved = moved(call, offset, whence)?;
    Ok(Value::from(if moved { 0i64 } else { -1 }))
}

pub(crate) fn ftell(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((stream(call, 0)?.tell() as i64).into())
}

pub(crate) fn rewind(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(moved(call, 0, 0)?.into())
}

fn ftruncate(call: &mut Call<'_>) -> PhpResult<Value> {
    let size = call.long(1);
    if size < 0 {
        return Err(call.value_error(1, "must be greater than or equal to 0"));
    }
    let target = stream(call, 0)?;
    if !target.can_truncate() {
        call.vm.function_warning("Can't truncate this stream!");
        return Ok(false.into());
    }
    let done = target.truncate(size as u64);
    call.vm.check()?;
    Ok(done.into())
}

fn flock(call: &mut Call<'_>) -> PhpResult<Value> {
    let target = stream(call, 0)?;
    lock(call, target, 1)
}

/// Locks a stream as argument `at` says, and tells in the next one if somebody else has it.
pub(crate) fn lock(call: &mut Call<'_>, target: &mut Stream, at: usize) -> PhpResult<Value> {
    let operation = call.long(at);
    let wanted = match operation & 3 {
        1 => libc::LOCK_SH,
        2 => libc::LOCK_EX,
        3 => libc::LOCK_UN,
        _ => return Err(call.value_error(at, "must be one of LOCK_SH, LOCK_EX, or LOCK_UN")),
    };
    if call.count() > at + 1 {
        call.assign(at + 1, 0i64.into());
    }
    if let Backend::User(user) = &mut target.backend {
        let locked = user.lock(operation & 7);
        call.vm.check()?;
        return Ok(locked.into());
    }
    let flags = wanted | if operation & 4 != 0 { libc::LOCK_NB } else { 0 };
    let Some(file) = target.file() else {
        return Ok(false.into());
    };
    let locked = limits::lock(file, flags);
    let would_block = |error: &std::io::Error| error.kind() == std::io::ErrorKind::WouldBlock;
    if call.count() > at + 1 && locked.as_ref().is_err_and(would_block) {
        call.assign(at + 1, 1i64.into());
    }
    Ok(locked.is_ok().into())
}

pub(crate) fn fpassthru(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut written = 0usize;
    loop {
        match stream(call, 0)?.read_piece() {
            Ok(Some(piece)) => {
                call.vm.write(&piece);
                written += piece.len();
            }
            Ok(None) => return Ok(written.into()),
            Err(error) => {
                read_failed(call, &error)?;
                return Ok(passed(written));
            }
        }
    }
}

/// What is told of bytes passed through before reading failed: the failure if there were none.
pub(super) fn passed(written: usize) -> Value {
    match written {
        0 => (-1i64).into(),
        written => written.into(),
    }
}

/// Writes what was formatted, and tells how much that is whether or not it could be written.
fn write_formatted(call: &mut Call<'_>, builder: StringBuilder) -> PhpResult<Value> {
    let length = builder.len();
    if length > 0 {
        write_bytes(call, builder.as_bytes())?;
        call.vm.check()?;
    }
    Ok(length.into())
}

fn fprintf(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.count() < 2 {
        let message = format!("2 arguments are required, {} given", call.count());
        return Err(call.vm.throw_error(KnownClass::ArgumentCountError, message));
    }
    stream(call, 0)?;
    let values: Vec<Value> = (2..call.count()).map(|index| call.value(index)).collect();
    let pattern = call.bytes(1);
    let builder = format(call.vm, pattern, &values, Arguments::List { before: 2 })?;
    write_formatted(call, builder)
}

fn vfprintf(call: &mut Call<'_>) -> PhpResult<Value> {
    stream(call, 0)?;
    let values: Vec<Value> = call
        .elements(2)
        .iter()
        .map(|(_, value)| Value::share(value))
        .collect();
    let pattern = call.bytes(1);
    let builder = format(call.vm, pattern, &values, Arguments::Array)?;
    write_formatted(call, builder)
}

fn stream_get_contents(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = match call.optional_long(1) {
        Some(length) if length < -1 => {
            return Err(call.value_error(1, "must be greater than or equal to -1"));
        }
        Some(length) if length >= 0 => Some(length as usize),
        _ => None,
    };
    let offset = call.long(2);
    if offset >= 0 && !stream(call, 0)?.seek(offset, 0) {
        call.vm.warning(format!(
            "stream_get_contents(): Failed to seek to position {offset} in the stream"
        ));
        return Ok(false.into());
    }
    if !readable(call)? {
        return text(call.vm, "");
    }
    let source = stream(call, 0)?;
    let contents = match length {
        Some(length) => source.read(length),
        None => source.read_all(),
    };
    match contents {
        Ok(contents) => text(call.vm, contents),
        // A filter failed.
        Err(error) if error.raw_os_error().is_none() => text(call.vm, ""),
        Err(error) => read_failed(call, &error),
    }
}

/// The longest record of `stream_get_line()` where no length is given.
const LINE_LIMIT: usize = 8192;

fn stream_get_line(call: &mut Call<'_>) -> PhpResult<Value> {
    let (length, ending) = (call.long(1), call.bytes(2));
    if length < 0 {
        return Err(call.value_error(1, "must be greater than or equal to 0"));
    }
    // 0 stands for PHP's own limit.
    let limit = if length == 0 {
        LINE_LIMIT
    } else {
        length as usize
    };
    let source = stream(call, 0)?;
    let Some(&last) = ending.last() else {
        // Without an ending only the limit ends a record.
        let mut record = Vec::new();
        while record.len() < limit {
            match source.read((limit - record.len()).min(PIECE)) {
                Ok(piece) if !piece.is_empty() => record.extend_from_slice(&piece),
                _ => break,
            }
        }
        return if record.is_empty() {
            Ok(false.into())
        } else {
            text(call.vm, record)
        };
    };
    let mut line: Vec<u8> = Vec::new();
    while let Ok(Some(part)) = source.read_up_to(last, limit - line.len(), true) {
        line.extend_from_slice(&part);
        if line.ends_with(ending) {
            line.truncate(line.len() - ending.len());
            return text(call.vm, line);
        }
        if line.len() >= limit {
            break;
        }
    }
    if line.is_empty() {
        Ok(false.into())
    } else {
        text(call.vm, line)
    }
}

fn stream_copy_to_stream(call: &mut Call<'_>) -> PhpResult<Value> {
    let (length, offset) = (call.optional_long(2), call.long(3));
    let source = stream(call, 0)?;
    if offset > 0 && !source.seek(offset, 0) {
        if !source.seekable {
            call.vm.function_warning("Stream does not support seeking");
        }
        call.vm
            .function_warning(format!("Failed to seek to position {offset} in the stream"));
        return Ok(false.into());
    }
    let mut left = length.map_or(usize::MAX, |length| length.max(0) as usize);
    let mut copied = 0usize;
    while left > 0 {
        let source = stream(call, 0)?;
        let piece = match left {
            usize::MAX => source.read_piece(),
            left => source
                .read(left.min(PIECE))
                .map(|piece| (!piece.is_empty()).then_some(piece)),
        };
        let Ok(piece) = piece else {
            return Ok(false.into());
        };
        let Some(piece) = piece else {
            if stream(call, 0)?.has_failed() {
                return Ok(false.into());
            }
            break;
        };
        let target = stream(call, 1)?;
        if !target.writable && matches!(target.backend, Backend::Memory { .. }) {
            return Ok(false.into());
        }
        let mut rest = &piece[..];
        while !rest.is_empty() {
            let Ok(written) = target.write(call.vm, rest) else {
                return Ok(false.into());
            };
            rest = &rest[written..];
            if !rest.is_empty() {
                // A pipe that is full, and does not wait.
                call.vm.wait(std::time::Duration::from_millis(1));
            }
        }
        copied += piece.len();
        if left != usize::MAX {
            left -= piece.len();
        }
    }
    Ok(copied.into())
}

fn stream_get_meta_data(call: &mut Call<'_>) -> PhpResult<Value> {
    let source = stream(call, 0)?;
    let mut result = new_list(call.vm, 10);
    let vm = &mut *call.vm;
    let array = result.make_mut(vm);
    let mut add = |name: &[u8], value: Value| array.set_bytes(name, value);
    #[cfg(feature = "tls")]
    if let Backend::Socket(socket) = &source.backend
        && let Some(encryption) = &socket.encryption
        && let Some(description) = encryption.session.description(vm)
    {
        add(b"crypto", description);
    }
    let is_early = |name: &[u8]| name != b"wrapper_data";
    for (name, value) in source.described.iter().filter(|(name, _)| is_early(name)) {
        add(name, value.clone());
    }
    // Streams whose wrapper knows nothing of waiting say nothing of it.
    if !matches!(source.kind, "TEMP" | "RFC2397") {
        add(b"timed_out", source.timed_out.into());
        add(b"blocked", source.blocking.into());
        add(b"eof", source.end.into());
    }
    for (name, value) in source.described.iter().filter(|(name, _)| !is_early(name)) {
        add(name, value.clone());
    }
    if let Backend::User(user) = &source.backend {
        add(b"wrapper_data", user.object().clone().into());
    }
    if !source.wrapper.is_empty() {
        add(b"wrapper_type", vm.string(source.wrapper).into());
    }
    add(b"stream_type", vm.string(source.kind).into());
    add(b"mode", vm.string(&source.mode).into());
    add(b"unread_bytes", source.buffered().len().into());
    add(b"seekable", source.seekable.into());
    if !source.uri.is_empty() {
        add(b"uri", vm.string(&source.uri).into());
    }
    Ok(result.into())
}

fn stream_isatty(call: &mut Call<'_>) -> PhpResult<Value> {
    use std::io::IsTerminal;
    Ok(stream(call, 0)?
        .file()
        .is_some_and(|file| file.is_terminal())
        .into())
}
