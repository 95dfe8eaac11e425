//! The old functions: an archive is a resource, and each of its entries.

use std::any::Any;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::limits::directories::is_allowed;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::archive::Archive;
use super::data::Reader;
use super::format::Record;
use super::names;
use crate::standard::files::{check_path, close_value, new_resource};
use crate::support::{functions, text};

functions! {
    "#[Deprecated(\"8.0\", \"use ZipArchive::open() instead\")] zip_open(string $filename)" => zip_open,
    "#[Deprecated(\"8.0\", \"use ZipArchive::close() instead\")] zip_close(resource $zip): void" => zip_close,
    "#[Deprecated(\"8.0\", \"use ZipArchive::statIndex() instead\")] zip_read(resource $zip)" => zip_read,
    "#[Deprecated(\"8.0\")] zip_entry_open(resource $zip_dp, resource $zip_entry, string $mode = \"rb\"): bool" => zip_entry_open,
    "#[Deprecated(\"8.0\")] zip_entry_close(resource $zip_entry): bool" => zip_entry_close,
    "#[Deprecated(\"8.0\", \"use ZipArchive::getFromIndex() instead\")] zip_entry_read(resource $zip_entry, int $len = 1024): string|false" => zip_entry_read,
    "#[Deprecated(\"8.0\", \"use ZipArchive::statIndex() instead\")] zip_entry_name(resource $zip_entry): string|false" => zip_entry_name,
    "#[Deprecated(\"8.0\", \"use ZipArchive::statIndex() instead\")] zip_entry_compressedsize(resource $zip_entry): int|false" => zip_entry_compressedsize,
    "#[Deprecated(\"8.0\", \"use ZipArchive::statIndex() instead\")] zip_entry_filesize(resource $zip_entry): int|false" => zip_entry_filesize,
    "#[Deprecated(\"8.0\", \"use ZipArchive::statIndex() instead\")] zip_entry_compressionmethod(resource $zip_entry): string|false" => zip_entry_compressionmethod,
}

/// What resources are called.
const DIRECTORY: &str = "Zip Directory";
const ENTRY: &str = "Zip Entry";

/// An open archive, and the number of the next entry.
struct Directory {
    archive: Rc<RefCell<Archive>>,
    next: usize,
}

/// An entry, as long as its archive is open.
struct Entry {
    archive: Weak<RefCell<Archive>>,
    record: Record,
    reader: Option<Reader>,
}

/// What the resource in argument `index` holds; an error if it is another one.
fn held<'a, T: Any>(call: &mut Call<'a>, index: usize, what: &str) -> PhpResult<&'a mut T> {
    let value = call.argument(index).deref();
    if let ValueKind::Resource(_) = value.view() {
        // SAFETY: I3: the argument keeps the resource alive during the call; natives of one VM run
        // on one thread and do not hold two borrows of it.
        let payload = unsafe { (*value.resource()).payload.as_mut() };
        if let Some(held) = payload.and_then(|payload| payload.downcast_mut()) {
            return Ok(held);
        }
    }
    let name = call.function().display_name();
    let message = format!("{name}(): supplied resource is not a valid {what} resource");
    Err(call.vm.throw_error(KnownClass::TypeError, message))
}

fn zip_open(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let name = call.bytes(0);
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if !is_allowed(call.vm, name, "zip_open")? {
        return Ok(false.into());
    }
    Ok(match Archive::open(&names::expand(name), 0) {
        Ok(archive) => {
            let directory = Directory {
                archive: Rc::new(RefCell::new(archive)),
                next: 0,
            };
            new_resource(call.vm, DIRECTORY, Box::new(directory))
        }
        Err(problem) => problem.code.into(),
    })
}

fn zip_close(call: &mut Call<'_>) -> PhpResult<Value> {
    held::<Directory>(call, 0, DIRECTORY)?;
    close_value(&call.value(0));
    Ok(Value::NULL)
}

fn zip_read(call: &mut Call<'_>) -> PhpResult<Value> {
    let directory = held::<Directory>(call, 0, DIRECTORY)?;
    let archive = directory.archive.borrow();
    let Some(entry) = archive.entries.get(directory.next) else {
        return Ok(false.into());
    };
    let entry = Entry {
        archive: Rc::downgrade(&directory.archive),
        record: entry.record.clone(),
        reader: archive.reader(directory.next as i64, 0).ok(),
    };
    drop(archive);
    directory.next += 1;
    Ok(new_resource(call.vm, ENTRY, Box::new(entry)))
}

fn zip_entry_open(call: &mut Call<'_>) -> PhpResult<Value> {
    held::<Directory>(call, 0, DIRECTORY)?;
    let can_be_read = held::<Entry>(call, 1, ENTRY)?.reader.is_some();
    let mode = call.bytes(2);
    Ok((can_be_read && mode.first() == Some(&b'r')).into())
}

fn zip_entry_close(call: &mut Call<'_>) -> PhpResult<Value> {
    held::<Entry>(call, 0, ENTRY)?;
    close_value(&call.value(0));
    Ok(true.into())
}

fn zip_entry_read(call: &mut Call<'_>) -> PhpResult<Value> {
    let entry = held::<Entry>(call, 0, ENTRY)?;
    let length = match usize::try_from(call.long(1)) {
        Ok(length) if length > 0 => length,
        _ => 1024,
    };
    let Some(reader) = &mut entry.reader else {
        return Ok(false.into());
    };
    let bytes = reader.read_most(length).unwrap_or_default();
    text(call.vm, bytes)
}

/// What is known of the entry in argument #1, as long as its archive is open.
fn record<'a>(call: &mut Call<'a>) -> PhpResult<Option<&'a Record>> {
    let entry = held::<Entry>(call, 0, ENTRY)?;
    Ok((entry.archive.strong_count() > 0).then_some(&entry.record))
}

fn zip_entry_name(call: &mut Call<'_>) -> PhpResult<Value> {
    match record(call)? {
        Some(record) => text(call.vm, names::shown(&record.name, record.flags, 0)),
        None => Ok(false.into()),
    }
}

fn zip_entry_compressedsize(call: &mut Call<'_>) -> PhpResult<Value> {
    let record = record(call)?;
    Ok(record.map_or(false.into(), |record| (record.stored as i64).into()))
}

fn zip_entry_filesize(call: &mut Call<'_>) -> PhpResult<Value> {
    let record = record(call)?;
    Ok(record.map_or(false.into(), |record| (record.size as i64).into()))
}

fn zip_entry_compressionmethod(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(record) = record(call)? else {
        return Ok(false.into());
    };
    let name = match record.method {
        0 => "stored",
        1 => "shrunk",
        2..=5 => "reduced",
        6 => "imploded",
        7 => "tokenized",
        8 => "deflated",
        9 => "deflatedX",
        10 => "implodedX",
        _ => return Ok(false.into()),
    };
    text(call.vm, name)
}
