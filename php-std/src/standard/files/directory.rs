//! Directories: `scandir`, `glob`, `opendir` and its kin.

use std::os::unix::ffi::{OsStrExt, OsStringExt};

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::interpreter::include::os_error_text;
use vm_runtime::value::{ResourceHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::open::{check_path, new_resource, path};
use crate::support::{Append, functions, new_list, text};

functions! {
    "scandir(string $directory, int $sorting_order = SCANDIR_SORT_ASCENDING, $context = null): array|false" => scandir,
    "glob(string $pattern, int $flags = 0): array|false" => glob,
    "opendir(string $directory, $context = null)" => opendir,
    "readdir($dir_handle = null): string|false" => readdir,
    "closedir($dir_handle = null): void" => closedir,
    "rewinddir($dir_handle = null): void" => rewinddir,
}

/// Names in a directory, `.` and `..` included, in the system's order.
fn names(call: &mut Call<'_>) -> PhpResult<Option<Vec<Vec<u8>>>> {
    check_path(call, 0)?;
    let directory = call.bytes(0);
    if directory.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let read = std::fs::read_dir(path(directory));
    let entries = match read {
        Ok(entries) => entries,
        Err(error) => {
            let name = call.function().display_name();
            let shown = String::from_utf8_lossy(directory).into_owned();
            let reason = os_error_text(&error);
            call.vm.warning(format!(
                "{name}({shown}): Failed to open directory: {reason}"
            ));
            if name == "scandir" {
                let number = error.raw_os_error().unwrap_or(0);
                call.vm
                    .warning(format!("{name}(): (errno {number}): {reason}"));
            }
            call.vm.check()?;
            return Ok(None);
        }
    };
    let mut names: Vec<Vec<u8>> = vec![b".".to_vec(), b"..".to_vec()];
    names.extend(entries.flatten().map(|entry| entry.file_name().into_vec()));
    Ok(Some(names))
}

fn string_list(vm: &mut Vm, names: Vec<Vec<u8>>) -> Value {
    let mut result = new_list(vm, names.len());
    let array = result.make_mut(vm);
    for name in names {
        array.append(vm.string(name).into());
    }
    result.into()
}

fn scandir(call: &mut Call<'_>) -> PhpResult<Value> {
    let order = call.long(1);
    let Some(mut names) = names(call)? else {
        return Ok(false.into());
    };
    match order {
        0 => names.sort(),
        1 => names.sort_by(|a, b| b.cmp(a)),
        _ => {}
    }
    Ok(string_list(call.vm, names))
}

fn glob(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let flags = call.long(1);
    let Ok(pattern) = std::ffi::CString::new(call.bytes(0)) else {
        return Ok(false.into());
    };
    let only_directories = flags & libc::GLOB_ONLYDIR as i64 != 0;
    let mut found = Vec::new();
    // SAFETY: the pattern is zero-terminated; the result is freed after it was copied.
    unsafe {
        let mut list: libc::glob_t = std::mem::zeroed();
        if libc::glob(
            pattern.as_ptr(),
            flags as i32 & !libc::GLOB_ONLYDIR,
            None,
            &mut list,
        ) == 0
        {
            for index in 0..list.gl_pathc {
                let name = std::ffi::CStr::from_ptr(*list.gl_pathv.add(index)).to_bytes();
                if !only_directories || path(name).is_dir() {
                    found.push(name.to_vec());
                }
            }
        }
        libc::globfree(&mut list);
    }
    Ok(string_list(call.vm, found))
}

/// An open directory: its names, read when it was opened.
#[derive(Debug)]
struct Directory {
    path: std::path::PathBuf,
    names: Vec<Vec<u8>>,
    next: usize,
}

/// The directory that was opened last, for calls without an argument.
#[derive(Debug, Default)]
struct LastDirectory(Option<Value>);

fn opendir(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(names) = names(call)? else {
        return Ok(false.into());
    };
    let directory = Directory {
        path: path(call.bytes(0)),
        names,
        next: 0,
    };
    let value = new_resource(call.vm, "stream", Box::new(directory));
    call.vm.extensions.state::<LastDirectory>().0 = Some(value.clone());
    Ok(value)
}

/// The directory that a call means; the handle keeps it alive.
fn handle(call: &mut Call<'_>) -> PhpResult<ResourceHandle> {
    let value = match call.has(0) {
        true => Some(call.value(0)),
        false => call.vm.extensions.state::<LastDirectory>().0.clone(),
    };
    let Some(value) = value else {
        return Err(call
            .vm
            .throw_error(KnownClass::TypeError, "No resource supplied"));
    };
    if let ValueKind::Resource(resource) = value.view() {
        let is_directory = resource
            .payload
            .as_ref()
            .is_some_and(|payload| payload.is::<Directory>());
        if is_directory {
            // SAFETY: I3: the resource is live.
            return Ok(unsafe { ResourceHandle::share_raw((&raw const *resource).cast_mut()) });
        }
        let name = call.function().display_name();
        let message = format!("{name}(): supplied resource is not a valid Directory resource");
        return Err(call.vm.throw_error(KnownClass::TypeError, message));
    }
    let name = vm_runtime::operators::value_name(&value);
    Err(call.type_error(
        0,
        &format!("must be of type resource or null, {name} given"),
    ))
}

fn with_directory<T>(
    handle: &ResourceHandle,
    change: impl FnOnce(&mut Directory) -> T,
) -> Option<T> {
    // SAFETY: I3: the handle keeps the resource alive; natives of one VM run on one thread.
    let resource = unsafe { &mut *handle.as_ptr() };
    resource
        .payload
        .as_mut()
        .and_then(|payload| payload.downcast_mut::<Directory>())
        .map(change)
}

fn readdir(call: &mut Call<'_>) -> PhpResult<Value> {
    let handle = handle(call)?;
    let name = with_directory(&handle, |directory| {
        directory.next += 1;
        directory.names.get(directory.next - 1).cloned()
    });
    match name.flatten() {
        Some(name) => text(call.vm, name),
        None => Ok(false.into()),
    }
}

fn closedir(call: &mut Call<'_>) -> PhpResult<Value> {
    let handle = handle(call)?;
    call.vm.extensions.state::<LastDirectory>().0 = None;
    // SAFETY: I3: the handle keeps the resource alive.
    unsafe {
        let resource = &mut *handle.as_ptr();
        resource.type_name = "";
        resource.payload = None;
    }
    Ok(Value::NULL)
}

fn rewinddir(call: &mut Call<'_>) -> PhpResult<Value> {
    let handle = handle(call)?;
    with_directory(&handle, |directory| {
        directory.next = 0;
        if let Ok(entries) = std::fs::read_dir(&directory.path) {
            directory.names.truncate(2);
            directory.names.extend(
                entries
                    .flatten()
                    .map(|entry| entry.file_name().as_bytes().to_vec()),
            );
        }
    });
    Ok(Value::NULL)
}
