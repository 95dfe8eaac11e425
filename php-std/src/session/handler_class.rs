//! The class `SessionHandler`, which is the handler `files` for classes of the script, and the
//! interfaces of such classes.

use vm_runtime::class::{NativeClass, declare, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::{handlers, state};
use crate::support::text;

/// The classes and interfaces.
pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("interface SessionHandlerInterface").methods(&[
        declare("tentative abstract public function open(string $path, string $name): bool"),
        declare("tentative abstract public function close(): bool"),
        declare("tentative abstract public function read(string $id): string|false"),
        declare("tentative abstract public function write(string $id, string $data): bool"),
        declare("tentative abstract public function destroy(string $id): bool"),
        declare("tentative abstract public function gc(int $max_lifetime): int|false"),
    ]),
    &NativeClass::new("interface SessionIdInterface").methods(&[declare(
        "tentative abstract public function create_sid(): string",
    )]),
    &NativeClass::new("interface SessionUpdateTimestampHandlerInterface").methods(&[
        declare("tentative abstract public function validateId(string $id): bool"),
        declare(
            "tentative abstract public function updateTimestamp(string $id, string $data): bool",
        ),
    ]),
    &NativeClass::new(
        "class SessionHandler implements SessionHandlerInterface, SessionIdInterface",
    )
    .methods(&[
        method(
            "tentative public function open(string $path, string $name): bool",
            open,
        ),
        method(
            "#[Uncounted] tentative public function close(): bool",
            close,
        ),
        method(
            "tentative public function read(string $id): string|false",
            read,
        ),
        method(
            "tentative public function write(string $id, string $data): bool",
            write,
        ),
        method(
            "tentative public function destroy(string $id): bool",
            destroy,
        ),
        method(
            "tentative public function gc(int $max_lifetime): int|false",
            gc,
        ),
        method("tentative public function create_sid(): string", create_sid),
    ]),
];

/// An Error unless a session is active.
fn check_active(call: &mut Call<'_>) -> PhpResult<()> {
    if state(call.vm).is_active || state(call.vm).in_handler {
        return Ok(());
    }
    Err(call
        .vm
        .throw_error(KnownClass::Error, "Session is not active"))
}

/// True if `open()` was called; warns otherwise.
fn check_open(call: &mut Call<'_>) -> PhpResult<bool> {
    check_active(call)?;
    if state(call.vm).files.is_some() {
        return Ok(true);
    }
    call.vm
        .function_warning("Parent session handler is not open");
    call.vm.check()?;
    Ok(false)
}

fn open(call: &mut Call<'_>) -> PhpResult<Value> {
    check_active(call)?;
    Ok(handlers::open_files(call.vm, call.bytes(0))?.into())
}

fn close(call: &mut Call<'_>) -> PhpResult<Value> {
    if !check_open(call)? {
        return Ok(false.into());
    }
    state(call.vm).files = None;
    Ok(true.into())
}

fn read(call: &mut Call<'_>) -> PhpResult<Value> {
    if !check_open(call)? {
        return Ok(false.into());
    }
    let id = call.bytes(0);
    match handlers::with_files(call.vm, |files, vm| files.read(vm, id))?.flatten() {
        Some(data) => text(call.vm, data),
        None => Ok(false.into()),
    }
}

fn write(call: &mut Call<'_>) -> PhpResult<Value> {
    if !check_open(call)? {
        return Ok(false.into());
    }
    let (id, data) = (call.bytes(0), call.bytes(1));
    let written = handlers::with_files(call.vm, |files, vm| files.write(vm, id, data))?;
    Ok(written.unwrap_or(false).into())
}

fn destroy(call: &mut Call<'_>) -> PhpResult<Value> {
    if !check_open(call)? {
        return Ok(false.into());
    }
    let id = call.bytes(0);
    let destroyed = handlers::with_files(call.vm, |files, _| Ok(files.destroy(id)))?;
    Ok(destroyed.unwrap_or(false).into())
}

fn gc(call: &mut Call<'_>) -> PhpResult<Value> {
    if !check_open(call)? {
        return Ok(false.into());
    }
    let lifetime = call.long(0);
    let count = handlers::with_files(call.vm, |files, vm| files.collect(vm, lifetime))?;
    Ok(match count {
        Some(count) if count >= 0 => count.into(),
        _ => false.into(),
    })
}

fn create_sid(call: &mut Call<'_>) -> PhpResult<Value> {
    check_active(call)?;
    let id = handlers::random_id(call.vm, b"")?;
    text(call.vm, id)
}
