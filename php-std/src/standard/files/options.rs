//! How an open stream waits and collects: `stream_set_blocking()` and its kin.

use std::os::fd::AsRawFd;
use std::time::Duration;

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::open::stream;
use super::stream::Backend;
use crate::support::functions;

functions! {
    "stream_set_blocking(resource $stream, bool $enable): bool" => stream_set_blocking,
    "socket_set_blocking(resource $stream, bool $enable): bool" => stream_set_blocking,
    "stream_set_timeout(resource $stream, int $seconds, int $microseconds = 0): bool" => stream_set_timeout,
    "socket_set_timeout(resource $stream, int $seconds, int $microseconds = 0): bool" => stream_set_timeout,
    "stream_set_read_buffer(resource $stream, int $size): int" => stream_set_read_buffer,
    "stream_set_write_buffer(resource $stream, int $size): int" => stream_set_write_buffer,
    "set_file_buffer(resource $stream, int $size): int" => stream_set_write_buffer,
    "stream_set_chunk_size(resource $stream, int $size): int" => stream_set_chunk_size,
    "stream_supports_lock(resource $stream): bool" => stream_supports_lock,
}

/// The options of `stream_set_option()` of a class of the script.
pub(super) mod option {
    pub(crate) const BLOCKING: i64 = 1;
    pub(crate) const READ_BUFFER: i64 = 2;
    pub(crate) const WRITE_BUFFER: i64 = 3;
    pub(crate) const READ_TIMEOUT: i64 = 4;
}

/// `STREAM_BUFFER_NONE` and `STREAM_BUFFER_FULL`.
const NO_BUFFER: i64 = 0;
const FULL_BUFFER: i64 = 2;
/// What a class of the script is told if no size was wanted.
const DEFAULT_BUFFER: i64 = 8192;

/// Hands an option to an object of the script; `None` for other streams.
fn of_user(
    call: &mut Call<'_>,
    option: i64,
    first: i64,
    second: Option<i64>,
) -> PhpResult<Option<bool>> {
    let Backend::User(user) = &mut stream(call, 0)?.backend else {
        return Ok(None);
    };
    let done = user.set_option(option, first, second).unwrap_or(false);
    call.vm.check()?;
    Ok(Some(done))
}

fn stream_set_blocking(call: &mut Call<'_>) -> PhpResult<Value> {
    let wanted = call.bool(1);
    if let Some(done) = of_user(call, option::BLOCKING, wanted as i64, None)? {
        return Ok(done.into());
    }
    let target = stream(call, 0)?;
    if let Backend::Socket(socket) = &mut target.backend {
        target.blocking = wanted;
        return Ok(socket.set_blocking(wanted).into());
    }
    let Some(descriptor) = target.file().map(AsRawFd::as_raw_fd) else {
        // What is in memory never waits.
        return Ok(true.into());
    };
    // SAFETY: the descriptor is open as long as the stream.
    let done = unsafe {
        let flags = libc::fcntl(descriptor, libc::F_GETFL);
        let changed = match wanted {
            true => flags & !libc::O_NONBLOCK,
            false => flags | libc::O_NONBLOCK,
        };
        flags >= 0 && libc::fcntl(descriptor, libc::F_SETFL, changed) == 0
    };
    if done {
        target.blocking = wanted;
    }
    Ok(done.into())
}

fn stream_set_timeout(call: &mut Call<'_>) -> PhpResult<Value> {
    let (seconds, microseconds) = (call.long(1), call.long(2));
    if let Some(done) = of_user(call, option::READ_TIMEOUT, seconds, Some(microseconds))? {
        return Ok(done.into());
    }
    // Only connections wait no longer than they are told.
    if let Backend::Socket(socket) = &mut stream(call, 0)?.backend {
        let time = Duration::from_secs(seconds.max(0) as u64)
            .saturating_add(Duration::from_micros(microseconds.max(0) as u64));
        socket.set_timeout(time);
        return Ok(true.into());
    }
    Ok(false.into())
}

/// `stream_set_read_buffer()` and `stream_set_write_buffer()`: 0 if it was done, -1 if not.
fn set_buffer(call: &mut Call<'_>, option: i64) -> PhpResult<Value> {
    let size = call.long(1);
    let kind = if size == 0 { NO_BUFFER } else { FULL_BUFFER };
    let length = if size == 0 { DEFAULT_BUFFER } else { size };
    if let Some(done) = of_user(call, option, kind, Some(length))? {
        return Ok(Value::from(if done { 0i64 } else { -1 }));
    }
    stream(call, 0)?;
    if let Backend::Socket(_) = stream(call, 0)?.backend
        && size != 0
        && option == option::WRITE_BUFFER
    {
        return Ok(Value::from(-1i64));
    }
    // Writes go to the system at once, whatever was wanted.
    let done = option == option::READ_BUFFER;
    Ok(Value::from(if done { 0i64 } else { -1 }))
}

fn stream_set_read_buffer(call: &mut Call<'_>) -> PhpResult<Value> {
    set_buffer(call, option::READ_BUFFER)
}

fn stream_set_write_buffer(call: &mut Call<'_>) -> PhpResult<Value> {
    set_buffer(call, option::WRITE_BUFFER)
}

fn stream_set_chunk_size(call: &mut Call<'_>) -> PhpResult<Value> {
    let size = call.long(1);
    if size <= 0 {
        return Err(call.value_error(1, "must be greater than 0"));
    }
    if size > i64::from(i32::MAX) {
        return Err(call.value_error(1, "is too large"));
    }
    let target = stream(call, 0)?;
    let before = std::mem::replace(&mut target.chunk, size as usize);
    Ok(before.into())
}

fn stream_supports_lock(call: &mut Call<'_>) -> PhpResult<Value> {
    let target = stream(call, 0)?;
    let supports = matches!(
        target.backend,
        Backend::User(_) | Backend::File(_) | Backend::Standard(_)
    );
    Ok(supports.into())
}
