//! `ZipArchive::extractTo()`.

use vm_runtime::function::Call;
use vm_runtime::limits::{self, directories::is_allowed};
use vm_runtime::object::PhpObject;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::class::{archive_of, noted};
use super::data::PIECE;
use super::names;
use super::problem::code;
use crate::spl::this;
use crate::standard::files::{check_path, open, parent, path, status, status_options};
use crate::support::call_native;

pub(super) fn extract_to(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let object = this(call);
    archive_of(call.vm, &object)?;
    let target = call.bytes(0).to_vec();
    if target.is_empty() {
        return Ok(false.into());
    }
    let wanted = call.value(1);
    let names: Option<Vec<Vec<u8>>> = match wanted.view() {
        ValueKind::String(name) => Some(vec![name.to_vec()]),
        ValueKind::Array(names) => Some(
            names
                .iter()
                .filter_map(|(_, name)| match name.deref().view() {
                    ValueKind::String(name) => Some(name.to_vec()),
                    _ => None,
                })
                .collect(),
        ),
        _ => None,
    };
    if names.as_ref().is_some_and(Vec::is_empty) {
        return Ok(false.into());
    }
    if !make_directory(call.vm, &target)? {
        return Ok(false.into());
    }
    let archive = archive_of(call.vm, &object)?;
    let mut indexes = Vec::new();
    match names {
        None => indexes.extend(0..archive.entries.len() as i64),
        Some(names) => {
            for name in names {
                let found = archive.find(&name, 0);
                match noted(archive, found) {
                    Some(index) => indexes.push(index as i64),
                    None => indexes.push(-1),
                }
            }
        }
    }
    for index in indexes {
        limits::poll();
        if !extract(call.vm, &object, index, &target)? {
            return Ok(false.into());
        }
    }
    Ok(true.into())
}

/// Makes a directory and those above it, if it is not there.
fn make_directory(vm: &mut Vm, name: &[u8]) -> PhpResult<bool> {
    if status(vm, name, status_options::STAT_QUIET)?.is_some() {
        return Ok(true);
    }
    if memchr::memmem::find(name, b"://").is_some() {
        let name = vm.string(name).into();
        let made = call_native(vm, "mkdir", vec![name, 0o777i64.into(), true.into()])?;
        return Ok(vm_runtime::operators::to_bool(&made));
    }
    let function = crate::support::current_function(vm);
    if !is_allowed(vm, name, &function)? {
        return Ok(false);
    }
    match std::fs::create_dir_all(path(name)) {
        Ok(()) => Ok(true),
        Err(error) => {
            vm.function_warning(vm_runtime::interpreter::include::os_error_text(&error));
            vm.check()?;
            Ok(false)
        }
    }
}

/// Writes an entry to its place below a directory.
fn extract(vm: &mut Vm, object: &PhpObject, index: i64, target: &[u8]) -> PhpResult<bool> {
    let archive = archive_of(vm, object)?;
    let record = archive.record(index, 0).cloned();
    let Some(record) = noted(archive, record) else {
        return Ok(false);
    };
    let name = names::shown(&record.name, record.flags, 0).into_owned();
    let inside = names::inside(&name);
    if inside.is_empty() {
        return Ok(name.ends_with(b"/"));
    }
    let full = [target, b"/", &inside].concat();
    if name.ends_with(b"/") {
        return make_directory(vm, &full);
    }
    if memchr::memchr(b'/', &inside).is_some() && !make_directory(vm, parent(&full))? {
        return Ok(false);
    }
    // Code of the script may have run, and closed it.
    let archive = archive_of(vm, object)?;
    let reader = archive.reader(index, 0);
    let Some(mut reader) = noted(archive, reader) else {
        return Ok(false);
    };
    let Some(mut file) = open(vm, &full, b"w+b")? else {
        return Ok(false);
    };
    let mut piece = Vec::new();
    loop {
        limits::poll();
        piece.clear();
        let outcome = reader.read(&mut piece, PIECE);
        // What has another checksum is written even so; what cannot be unpacked is not.
        let is_given = outcome
            .as_ref()
            .map_or_else(|problem| problem.code == code::CRC, |_| true);
        if is_given && !piece.is_empty() && file.write(vm, &piece).is_err() {
            return Ok(false);
        }
        let Ok(is_over) = outcome else {
            return Ok(false);
        };
        if is_over {
            break;
        }
    }
    if let Some(file) = file.file() {
        let time = std::time::UNIX_EPOCH
            .checked_add(std::time::Duration::from_secs(record.time.max(0) as u64));
        // A time that cannot be set is none.
        let _ = time.map(|time| file.set_modified(time));
    }
    file.flush();
    Ok(true)
}
