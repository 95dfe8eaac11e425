//! What the system knows of files: `is_file`, `filesize`, `stat`, ...

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use vm_runtime::array::PhpArray;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::open::{path, stream};
use crate::support::{functions, new_list, text};

functions! {
    "file_exists(string $filename): bool" => file_exists,
    "is_file(string $filename): bool" => is_file,
    "is_dir(string $filename): bool" => is_dir,
    "is_link(string $filename): bool" => is_link,
    "is_readable(string $filename): bool" => is_readable,
    "is_writable(string $filename): bool" => is_writable,
    "is_writeable(string $filename): bool" => is_writable,
    "is_executable(string $filename): bool" => is_executable,
    "filesize(string $filename): int|false" => filesize,
    "filemtime(string $filename): int|false" => filemtime,
    "fileatime(string $filename): int|false" => fileatime,
    "filectime(string $filename): int|false" => filectime,
    "fileperms(string $filename): int|false" => fileperms,
    "fileinode(string $filename): int|false" => fileinode,
    "fileowner(string $filename): int|false" => fileowner,
    "filegroup(string $filename): int|false" => filegroup,
    "filetype(string $filename): string|false" => filetype,
    "stat(string $filename): array|false" => stat,
    "lstat(string $filename): array|false" => lstat,
    "fstat(resource $stream): array|false" => fstat,
    "clearstatcache(bool $clear_realpath_cache = false, string $filename = \"\"): void" => clearstatcache,
}

/// The metadata of argument #1, links followed. A name with a zero byte has none.
fn metadata(call: &Call<'_>) -> io::Result<Metadata> {
    let name = call.bytes(0);
    if name.is_empty() || memchr::memchr(0, name).is_some() {
        return Err(io::ErrorKind::NotFound.into());
    }
    std::fs::metadata(path(name))
}

fn file_exists(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(metadata(call).is_ok().into())
}

fn is_file(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(metadata(call)
        .is_ok_and(|metadata| metadata.is_file())
        .into())
}

fn is_dir(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(metadata(call)
        .is_ok_and(|metadata| metadata.is_dir())
        .into())
}

fn is_link(call: &mut Call<'_>) -> PhpResult<Value> {
    let found = std::fs::symlink_metadata(path(call.bytes(0)));
    Ok(found.is_ok_and(|metadata| metadata.is_symlink()).into())
}

fn access(call: &Call<'_>, mode: i32) -> PhpResult<Value> {
    let name = call.bytes(0);
    let Ok(name) = std::ffi::CString::new(name) else {
        return Ok(false.into());
    };
    // SAFETY: the name is zero-terminated.
    Ok((unsafe { libc::access(name.as_ptr(), mode) } == 0).into())
}

fn is_readable(call: &mut Call<'_>) -> PhpResult<Value> {
    access(call, libc::R_OK)
}

fn is_writable(call: &mut Call<'_>) -> PhpResult<Value> {
    access(call, libc::W_OK)
}

fn is_executable(call: &mut Call<'_>) -> PhpResult<Value> {
    access(call, libc::X_OK)
}

/// Warns that there is no such file.
fn failed(call: &mut Call<'_>, what: &str) -> PhpResult<Value> {
    let name = call.function().display_name();
    let file = String::from_utf8_lossy(call.bytes(0)).into_owned();
    call.vm
        .warning(format!("{name}(): {what} failed for {file}"));
    call.vm.check()?;
    Ok(false.into())
}

fn number(call: &mut Call<'_>, of: impl Fn(&Metadata) -> i64) -> PhpResult<Value> {
    match metadata(call) {
        Ok(metadata) => Ok(of(&metadata).into()),
        Err(_) => failed(call, "stat"),
    }
}

fn filesize(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, |metadata| metadata.len() as i64)
}

fn filemtime(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, MetadataExt::mtime)
}

fn fileatime(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, MetadataExt::atime)
}

fn filectime(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, MetadataExt::ctime)
}

fn fileperms(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, |metadata| metadata.mode() as i64)
}

fn fileinode(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, |metadata| metadata.ino() as i64)
}

fn fileowner(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, |metadata| metadata.uid() as i64)
}

fn filegroup(call: &mut Call<'_>) -> PhpResult<Value> {
    number(call, |metadata| metadata.gid() as i64)
}

fn filetype(call: &mut Call<'_>) -> PhpResult<Value> {
    let Ok(metadata) = std::fs::symlink_metadata(path(call.bytes(0))) else {
        return failed(call, "Lstat");
    };
    let kind = metadata.file_type();
    let name = match kind {
        kind if kind.is_symlink() => "link",
        kind if kind.is_dir() => "dir",
        kind if kind.is_file() => "file",
        kind if kind.is_fifo() => "fifo",
        kind if kind.is_char_device() => "char",
        kind if kind.is_block_device() => "block",
        _ => "unknown",
    };
    text(call.vm, name)
}

/// The fields of `stat`, by number and by name.
fn fields(vm: &mut Vm, metadata: &Metadata) -> Value {
    let fields: [(&str, i64); 13] = [
        ("dev", metadata.dev() as i64),
        ("ino", metadata.ino() as i64),
        ("mode", metadata.mode() as i64),
        ("nlink", metadata.nlink() as i64),
        ("uid", metadata.uid() as i64),
        ("gid", metadata.gid() as i64),
        ("rdev", metadata.rdev() as i64),
        ("size", metadata.len() as i64),
        ("atime", metadata.atime()),
        ("mtime", metadata.mtime()),
        ("ctime", metadata.ctime()),
        ("blksize", metadata.blksize() as i64),
        ("blocks", metadata.blocks() as i64),
    ];
    let mut result = new_list(vm, 26);
    let array: &mut PhpArray = result.make_mut(vm);
    for (index, (_, value)) in fields.iter().enumerate() {
        array.set_long(index as i64, (*value).into());
    }
    for (name, value) in fields {
        array.set_bytes(name.as_bytes(), value.into());
    }
    result.into()
}

fn stat(call: &mut Call<'_>) -> PhpResult<Value> {
    match metadata(call) {
        Ok(metadata) => Ok(fields(call.vm, &metadata)),
        Err(_) => failed(call, "stat"),
    }
}

fn lstat(call: &mut Call<'_>) -> PhpResult<Value> {
    match std::fs::symlink_metadata(path(call.bytes(0))) {
        Ok(metadata) => Ok(fields(call.vm, &metadata)),
        Err(_) => failed(call, "Lstat"),
    }
}

fn fstat(call: &mut Call<'_>) -> PhpResult<Value> {
    let source = stream(call, 0)?;
    if let Some(metadata) = source.file().and_then(|file| file.metadata().ok()) {
        return Ok(fields(call.vm, &metadata));
    }
    let Some(length) = source.length() else {
        return Ok(false.into());
    };
    let mut result = new_list(call.vm, 26);
    let array: &mut PhpArray = result.make_mut(call.vm);
    let names = [
        "dev", "ino", "mode", "nlink", "uid", "gid", "rdev", "size", "atime", "mtime", "ctime",
        "blksize", "blocks",
    ];
    let value = |name: &str| match name {
        "mode" => 0o100_666,
        "nlink" => 1,
        "size" => length as i64,
        "rdev" | "blksize" | "blocks" => -1,
        _ => 0i64,
    };
    for (index, name) in names.iter().enumerate() {
        array.set_long(index as i64, value(name).into());
    }
    for name in names {
        array.set_bytes(name.as_bytes(), value(name).into());
    }
    Ok(result.into())
}

fn clearstatcache(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(Value::NULL)
}
