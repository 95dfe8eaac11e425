//! Paths as text: `basename`, `dirname`, `pathinfo`, `realpath`, `fnmatch`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use vm_runtime::function::Call;
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::open::check_path;
use crate::support::{Outcome, Plain, direct, functions, new_list, text};
use vm_runtime::limits::directories::is_allowed;

functions! {
    "basename(string $path, string $suffix = \"\"): string" => basename | basename_directly,
    "#[Frameless(1, 2)] dirname(string $path, int $levels = 1): string" => dirname | dirname_directly,
    "pathinfo(string $path, int $flags = PATHINFO_ALL): array|string" => pathinfo,
    "realpath(string $path): string|false" => realpath,
    "realpath_cache_get(): array" => realpath_cache_get,
    "realpath_cache_size(): int" => realpath_cache_size,
    "stream_resolve_include_path(string $filename): string|false" => stream_resolve_include_path,
    "fnmatch(path $pattern, string $filename, int $flags = 0): bool" => fnmatch,
}

/// The last part of a path, slashes behind it not counted.
pub(crate) fn base_name(path: &[u8]) -> &[u8] {
    let end = path
        .iter()
        .rposition(|&byte| byte != b'/')
        .map_or(0, |last| last + 1);
    let start = path[..end]
        .iter()
        .rposition(|&byte| byte == b'/')
        .map_or(0, |slash| slash + 1);
    &path[start..end]
}

/// A name without what it ends with, unless it is nothing else.
pub(crate) fn without_suffix<'a>(name: &'a [u8], suffix: &[u8]) -> &'a [u8] {
    match name.strip_suffix(suffix) {
        Some(shorter) if !shorter.is_empty() => shorter,
        _ => name,
    }
}

fn basename(call: &mut Call<'_>) -> PhpResult<Value> {
    let base = base_name(call.bytes(0));
    text(call.vm, without_suffix(base, call.bytes(1)))
}

direct! {
    fn dirname_directly(vm; path: &[u8]; levels: i64 = 1) {
        (levels >= 1).then(|| vm.string(ancestor(path, levels)))
    }
}

fn basename_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let (path, suffix) = match arguments {
        [path] => (<&[u8]>::of(path), Some(&b""[..])),
        [path, suffix] => (<&[u8]>::of(path), <&[u8]>::of(suffix)),
        _ => return false,
    };
    match (path, suffix) {
        (Some(path), Some(suffix)) => vm
            .string(without_suffix(base_name(path), suffix))
            .store(result),
        _ => false,
    }
}

/// The path without its last part.
pub(crate) fn parent(path: &[u8]) -> &[u8] {
    if path.is_empty() {
        return b"";
    }
    let trimmed = |path: &[u8]| {
        path.iter()
            .rposition(|&byte| byte != b'/')
            .map_or(0, |last| last + 1)
    };
    let end = trimmed(path);
    if end == 0 {
        return b"/";
    }
    let Some(slash) = path[..end].iter().rposition(|&byte| byte == b'/') else {
        return b".";
    };
    match trimmed(&path[..slash]) {
        0 => b"/",
        end => &path[..end],
    }
}

fn dirname(call: &mut Call<'_>) -> PhpResult<Value> {
    let levels = call.long(1);
    if levels < 1 {
        return Err(call.value_error(1, "must be greater than or equal to 1"));
    }
    let directory = ancestor(call.bytes(0), levels);
    text(call.vm, directory)
}

/// The path without its last parts.
fn ancestor(path: &[u8], levels: i64) -> &[u8] {
    let mut directory = path;
    for _ in 0..levels {
        let above = parent(directory);
        if above == directory {
            break;
        }
        directory = above;
    }
    directory
}

fn pathinfo(call: &mut Call<'_>) -> PhpResult<Value> {
    let (whole, flags) = (call.bytes(0), call.long(1));
    let base = base_name(whole);
    let dot = memchr::memrchr(b'.', base);
    let directory = parent(whole);
    let parts: [(i64, &'static str, Option<&[u8]>); 4] = [
        (1, "dirname", (!directory.is_empty()).then_some(directory)),
        (2, "basename", Some(base)),
        (4, "extension", dot.map(|dot| &base[dot + 1..])),
        (8, "filename", Some(&base[..dot.unwrap_or(base.len())])),
    ];
    if flags == 15 {
        let mut result = new_list(call.vm, 4);
        for (_, name, part) in parts {
            if let Some(part) = part {
                let part = call.vm.string(part).into();
                let name = call.vm.static_name(name);
                result.make_mut(call.vm).set_string(name, part);
            }
        }
        return Ok(result.into());
    }
    let part = parts
        .iter()
        .find(|(flag, _, part)| flags & flag != 0 && part.is_some());
    text(
        call.vm,
        part.and_then(|(_, _, part)| *part).unwrap_or_default(),
    )
}

fn realpath(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let name = call.bytes(0);
    match real_path(call.vm, name) {
        Some(path) if is_allowed(call.vm, &path, "realpath")? => text(call.vm, path),
        _ => Ok(false.into()),
    }
}

/// The canonical path of a name, an empty one being that of the working directory. Schemes mean nothing here, not
/// even that of files.
pub(crate) fn real_path(vm: &mut Vm, name: &[u8]) -> Option<Vec<u8>> {
    let name = Path::new(OsStr::from_bytes(name));
    if name.is_absolute() {
        return vm.real_path(name);
    }
    let here = std::env::current_dir().ok()?;
    vm.real_path(&here.join(name))
}

/// What an entry is known by besides its name: 64 bits of FNV-1 with the constants of that of 32 bits.
fn cache_key(name: &[u8]) -> Value {
    let key = name.iter().fold(2_166_136_261u64, |key, &byte| {
        key.wrapping_mul(16_777_619) ^ u64::from(byte)
    });
    match i64::try_from(key) {
        Ok(key) => key.into(),
        Err(_) => (key as f64).into(),
    }
}

fn realpath_cache_get(call: &mut Call<'_>) -> PhpResult<Value> {
    struct Known {
        name: Vec<u8>,
        real: Vec<u8>,
        is_directory: bool,
        expires: u64,
    }
    let entries = call.vm.real_paths.entries();
    let mut known: Vec<Known> = entries
        .map(|entry| Known {
            name: entry.name.to_vec(),
            real: entry.real.to_vec(),
            is_directory: entry.is_directory,
            expires: entry.expires,
        })
        .collect();
    known.sort_by(|one, other| one.name.cmp(&other.name));
    let mut result = call.vm.new_array();
    for found in known {
        let real = call.vm.string(found.real).into();
        let mut entry = call.vm.new_array();
        for (key, value) in [
            ("key", cache_key(&found.name)),
            ("is_dir", found.is_directory.into()),
            ("realpath", real),
            ("expires", (found.expires as i64).into()),
        ] {
            let name = call.vm.static_name(key);
            entry.make_mut(call.vm).set_string(name, value);
        }
        result
            .make_mut(call.vm)
            .set_bytes(&found.name, entry.into());
    }
    Ok(result.into())
}

fn realpath_cache_size(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.vm.real_paths.bytes().into())
}

fn stream_resolve_include_path(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    match call.vm.resolve_include_path(call.bytes(0)) {
        Some(found) => text(call.vm, found),
        None => Ok(false.into()),
    }
}

fn fnmatch(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    check_path(call, 1)?;
    let terminated = |bytes: &[u8]| {
        let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
        let mut copy = bytes[..end].to_vec();
        copy.push(0);
        copy
    };
    const MOST: usize = libc::PATH_MAX as usize;
    for (index, what) in [(1, "Filename"), (0, "Pattern")] {
        if call.bytes(index).len() >= MOST {
            call.vm.function_warning(format!(
                "{what} exceeds the maximum allowed length of {MOST} characters"
            ));
            return Ok(false.into());
        }
    }
    let (pattern, name) = (terminated(call.bytes(0)), terminated(call.bytes(1)));
    let flags = call.long(2) as i32;
    // SAFETY: both strings are zero-terminated.
    let found = unsafe { libc::fnmatch(pattern.as_ptr().cast(), name.as_ptr().cast(), flags) } == 0;
    Ok(found.into())
}
