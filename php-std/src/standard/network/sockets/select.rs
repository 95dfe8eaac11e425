//! `stream_select`: waiting for several streams.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use vm_runtime::array::Key;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::functions::is_resource;
use crate::standard::files::{Backend, Stream, stream_in};
use crate::support::{functions, hold};

functions! {
    "stream_select(?array &$read, ?array &$write, ?array &$except, ?int $seconds, ?int $microseconds = null): int|false" => stream_select,
}

/// A stream that is waited for.
#[derive(Debug)]
struct Watched {
    key: Key,
    value: Value,
    descriptor: i32,
    /// Something was read ahead: it need not be waited for.
    is_ready: bool,
}

/// The streams of one of the arrays, and what is there besides.
#[derive(Debug, Default)]
struct List {
    streams: Vec<Watched>,
    /// What is no stream.
    wrong: Vec<Value>,
}

/// Throws for each of the values, which are no streams.
fn refuse(call: &mut Call<'_>, wrong: &[Value]) {
    let name = call.function().display_name();
    for value in wrong {
        let what = match is_resource(value) {
            true => "resource",
            false => "argument",
        };
        let message = format!("{name}(): supplied {what} is not a valid stream resource");
        call.vm.throw_error(KnownClass::TypeError, message);
    }
}

/// What stands in one of the arrays. What is no stream throws, and the others are looked at all the same.
fn watched(call: &mut Call<'_>, index: usize) -> List {
    let mut list = List::default();
    let Some(array) = call.value(index).array() else {
        return list;
    };
    for (key, value) in array.iter() {
        let value = hold(value);
        let target = match is_resource(&value) {
            // SAFETY: I3: `value` keeps the resource alive; nothing else borrows the stream meanwhile.
            true => unsafe { stream_in(value.deref()) },
            false => None,
        };
        let Some(target) = target else {
            refuse(call, std::slice::from_ref(&value));
            list.wrong.push(value);
            continue;
        };
        let Some(descriptor) = descriptor_of(target) else {
            if !matches!(target.backend, Backend::User(_)) {
                let kind = target.kind;
                call.vm.function_warning(format!(
                    "Cannot represent a stream of type {kind} as a select()able descriptor"
                ));
                continue;
            }
            let Ok(Some(descriptor)) = cast(call, &value) else {
                continue;
            };
            list.streams.push(Watched {
                key: key.to_key(),
                value,
                descriptor,
                is_ready: false,
            });
            continue;
        };
        let is_ready = index == 0 && (!target.buffered().is_empty() || is_ahead(target));
        list.streams.push(Watched {
            key: key.to_key(),
            value,
            descriptor,
            is_ready,
        });
    }
    list
}

/// The descriptor behind an object of the script, which `stream_cast()` gives.
fn cast(call: &mut Call<'_>, value: &Value) -> PhpResult<Option<i32>> {
    call.vm.check()?;
    // SAFETY: I3: the value keeps the resource alive.
    let Some(target) = (unsafe { stream_in(value.deref()) }) else {
        return Ok(None);
    };
    let Backend::User(user) = &mut target.backend else {
        return Ok(None);
    };
    let inner = user.cast();
    call.vm.check()?;
    let Some(inner) = inner else {
        let kind = target.kind;
        call.vm.function_warning(format!(
            "Cannot represent a stream of type {kind} as a select()able descriptor"
        ));
        call.vm.check()?;
        return Ok(None);
    };
    // SAFETY: I3: `inner` keeps the resource alive.
    let found = unsafe { stream_in(inner.deref()) };
    Ok(found.and_then(descriptor_of))
}

/// What is waited for of a stream. `php://temp` is always ready, as the file is that it may become.
fn descriptor_of(stream: &mut Stream) -> Option<i32> {
    static READY: OnceLock<Option<File>> = OnceLock::new();
    if matches!(stream.backend, Backend::Memory { .. }) && stream.kind == "TEMP" {
        let open = || {
            File::options()
                .read(true)
                .write(true)
                .open("/dev/null")
                .ok()
        };
        return READY
            .get_or_init(open)
            .as_ref()
            .map(|file| file.as_raw_fd());
    }
    stream.file().map(|file| file.as_raw_fd())
}

/// True if something arrived that was decrypted already.
fn is_ahead(stream: &Stream) -> bool {
    #[cfg(feature = "tls")]
    if let Backend::Socket(socket) = &stream.backend
        && let Some(encryption) = &socket.encryption
    {
        return encryption.session.ahead() > 0;
    }
    let _ = stream;
    false
}

/// Leaves in an argument what `is_ready` holds for.
fn keep(
    call: &mut Call<'_>,
    index: usize,
    streams: &[Watched],
    is_ready: impl Fn(&Watched) -> bool,
) {
    if call.value(index).array().is_none() {
        return;
    }
    let mut table = call.vm.new_array();
    for watched in streams.iter().filter(|watched| is_ready(watched)) {
        let key = watched.key.as_ref();
        table.make_mut(call.vm).set(key, watched.value.clone());
    }
    call.assign(index, table.into());
}

fn stream_select(call: &mut Call<'_>) -> PhpResult<Value> {
    let [read, write, except] = [0, 1, 2].map(|index| watched(call, index));
    let lists = [read.streams, write.streams, except.streams];
    if lists.iter().all(Vec::is_empty) {
        let message = "No stream arrays were passed";
        return Err(call.vm.throw_error(KnownClass::ValueError, message));
    }
    let (seconds, microseconds) = (call.optional_long(3), call.optional_long(4));
    let problem = match (seconds, microseconds) {
        (None, Some(given)) if given != 0 => {
            Some((4, "must be null when argument #4 ($seconds) is null"))
        }
        (Some(..0), _) => Some((3, "must be greater than or equal to 0")),
        (_, Some(..0)) => Some((4, "must be greater than or equal to 0")),
        _ => None,
    };
    if let Some((index, problem)) = problem {
        // Nothing is said of a time once something was thrown.
        call.vm.check()?;
        return Err(call.value_error(index, problem));
    }
    // Whoever looks for what was read ahead, and for what is ready, comes across them again.
    refuse(call, &read.wrong);
    let ahead = lists[0].iter().filter(|watched| watched.is_ready).count();
    if ahead > 0 {
        keep(call, 0, &lists[0], |watched| watched.is_ready);
        keep(call, 1, &lists[1], |_| false);
        keep(call, 2, &lists[2], |_| false);
        call.vm.check()?;
        return Ok(ahead.into());
    }
    let limit = seconds.map(|seconds| {
        Duration::from_secs(seconds as u64)
            .saturating_add(Duration::from_micros(microseconds.unwrap_or(0) as u64))
    });
    let events = [libc::POLLIN, libc::POLLOUT, libc::POLLPRI];
    let mut entries: Vec<libc::pollfd> = Vec::new();
    for (streams, event) in lists.iter().zip(events) {
        entries.extend(streams.iter().map(|watched| libc::pollfd {
            fd: watched.descriptor,
            events: event,
            revents: 0,
        }));
    }
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    let ready = call.vm.wait_until(|_, slice| {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let slice = left.map_or(slice, |left| left.min(slice));
        let milliseconds = slice.as_micros().div_ceil(1000) as libc::c_int;
        // SAFETY: the entries are as many as is said, and the call writes to them.
        let ready = unsafe {
            libc::poll(
                entries.as_mut_ptr(),
                entries.len() as libc::nfds_t,
                milliseconds,
            )
        };
        let is_over = ready != 0 || left.is_some_and(|left| left.is_zero());
        is_over.then_some(ready)
    });
    if ready < 0 {
        let error = std::io::Error::last_os_error();
        call.vm.run_signals()?;
        let number = error.raw_os_error().unwrap_or(0);
        let highest = entries.iter().map(|entry| entry.fd).max().unwrap_or(0);
        let reason = vm_runtime::interpreter::include::os_error_text(&error);
        call.vm.function_warning(format!(
            "Unable to select [{number}]: {reason} (max_fd={highest})"
        ));
        return Ok(false.into());
    }
    let mut at = 0;
    let mut count = 0usize;
    // A closed other end counts as something to read and to write.
    let wanted = [
        libc::POLLIN | libc::POLLHUP | libc::POLLERR,
        libc::POLLOUT | libc::POLLERR,
        libc::POLLPRI,
    ];
    for (index, streams) in lists.iter().enumerate() {
        let entries = &entries[at..at + streams.len()];
        at += streams.len();
        let flags: Vec<bool> = entries
            .iter()
            .map(|entry| entry.revents & wanted[index] != 0)
            .collect();
        count += flags.iter().filter(|ready| **ready).count();
        let position = |watched: &Watched| {
            streams
                .iter()
                .position(|other| std::ptr::eq(other, watched))
                .is_some_and(|position| flags[position])
        };
        keep(call, index, streams, position);
    }
    for wrong in [&read.wrong, &write.wrong, &except.wrong] {
        refuse(call, wrong);
    }
    call.vm.check()?;
    Ok(count.into())
}
