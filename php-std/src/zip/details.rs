//! Methods that tell or change what is known of entries and archives.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::archive::Archive;
use super::class::{archive_of, noted, outcome};
use super::data::is_method_supported;
use super::format::{Record, encryption};
use super::names;
use super::problem::{Problem, code};
use crate::spl::this;
use crate::support::{new_list, set_named, text};

/// The longest comment, and one.
const LONGEST_COMMENT: usize = 0xffff;

/// What a method for a name does with the number of its entry.
type Action = fn(&mut Archive, i64) -> Result<(), Problem>;

/// The number of the entry whose name argument #1 is, if there is one.
pub(super) fn named(
    call: &mut Call<'_>,
    archive: &mut Archive,
    how: i64,
) -> PhpResult<Option<i64>> {
    let name = call.bytes(0);
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let found = archive.find(name, how);
    Ok(noted(archive, found).map(|index| index as i64))
}

/// Does something to the entry of a number.
fn by_index(call: &mut Call<'_>, action: Action) -> PhpResult<Value> {
    let object = this(call);
    let archive = archive_of(call.vm, &object)?;
    let index = call.long(0);
    if index < 0 {
        return Ok(false.into());
    }
    let result = action(archive, index);
    Ok(outcome(archive, result))
}

/// Does something to the entry of a name.
fn by_name(call: &mut Call<'_>, action: Action) -> PhpResult<Value> {
    let object = this(call);
    let archive = archive_of(call.vm, &object)?;
    let Some(index) = named(call, archive, 0)? else {
        return Ok(false.into());
    };
    let result = action(archive, index);
    Ok(outcome(archive, result))
}

/// Does something to an entry by its number or name.
fn change(
    call: &mut Call<'_>,
    is_named: bool,
    action: impl FnOnce(&mut Archive, i64) -> Result<(), Problem>,
) -> PhpResult<Value> {
    let object = this(call);
    let archive = archive_of(call.vm, &object)?;
    let index = match is_named {
        true => named(call, archive, 0)?,
        false => Some(call.long(0)),
    };
    let Some(index) = index else {
        return Ok(false.into());
    };
    let result = action(archive, index);
    Ok(outcome(archive, result))
}

pub(super) fn set_password(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let archive = archive_of(call.vm, &object)?;
    let password = call.bytes(0);
    if password.is_empty() {
        return Ok(false.into());
    }
    archive.password = Some(password.to_vec());
    Ok(true.into())
}

pub(super) fn rename_index(call: &mut Call<'_>) -> PhpResult<Value> {
    rename(call, false)
}

pub(super) fn rename_name(call: &mut Call<'_>) -> PhpResult<Value> {
    rename(call, true)
}

fn rename(call: &mut Call<'_>, is_named: bool) -> PhpResult<Value> {
    let object = this(call);
    archive_of(call.vm, &object)?;
    let new = call.bytes(1);
    if !is_named && call.long(0) < 0 {
        return Ok(false.into());
    }
    if is_named && call.bytes(0).is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if new.is_empty() {
        return Err(call.value_error(1, "must not be empty"));
    }
    change(call, is_named, |archive, index| archive.rename(index, new))
}

pub(super) fn delete_index(call: &mut Call<'_>) -> PhpResult<Value> {
    by_index(call, Archive::delete)
}

pub(super) fn delete_name(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    archive_of(call.vm, &object)?;
    if call.bytes(0).is_empty() {
        return Ok(false.into());
    }
    by_name(call, Archive::delete)
}

pub(super) fn unchange_index(call: &mut Call<'_>) -> PhpResult<Value> {
    by_index(call, Archive::unchange)
}

pub(super) fn unchange_name(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    archive_of(call.vm, &object)?;
    if call.bytes(0).is_empty() {
        return Ok(false.into());
    }
    by_name(call, Archive::unchange)
}

pub(super) fn unchange_all(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    archive_of(call.vm, &object)?.unchange_all();
    Ok(true.into())
}

pub(super) fn unchange_archive(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    archive_of(call.vm, &object)?.unchange_archive();
    Ok(true.into())
}

pub(super) fn set_archive_comment(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let archive = archive_of(call.vm, &object)?;
    let comment = call.bytes(0);
    if comment.len() > LONGEST_COMMENT {
        return Err(call.value_error(0, "must be less than 65535 bytes"));
    }
    let result = archive.check_writable();
    if result.is_ok() {
        archive.comment = comment.to_vec();
    }
    Ok(outcome(archive, result))
}

pub(super) fn get_archive_comment(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let archive = archive_of(call.vm, &object)?;
    let comment = match archive.comment.is_empty() {
        true => return text(call.vm, ""),
        false => names::shown(&archive.comment, 0, call.long(0)),
    };
    text(call.vm, comment)
}

pub(super) fn set_archive_flag(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let archive = archive_of(call.vm, &object)?;
    let result = archive.set_flags(call.long(0), call.long(1) != 0);
    Ok(outcome(archive, result))
}

pub(super) fn get_archive_flag(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let archive = archive_of(call.vm, &object)?;
    Ok(i64::from(archive.flags & call.long(0) != 0).into())
}

fn set_comment(call: &mut Call<'_>, is_named: bool) -> PhpResult<Value> {
    let object = this(call);
    archive_of(call.vm, &object)?;
    let comment = call.bytes(1);
    if is_named && call.bytes(0).is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if comment.len() > LONGEST_COMMENT {
        return Err(call.value_error(1, "must be less than 65535 bytes"));
    }
    change(call, is_named, |archive, index| {
        archive.entry_mut(index)?.record.comment = comment.to_vec();
        Ok(())
    })
}

pub(super) fn set_comment_index(call: &mut Call<'_>) -> PhpResult<Value> {
    set_comment(call, false)
}

pub(super) fn set_comment_name(call: &mut Call<'_>) -> PhpResult<Value> {
    set_comment(call, true)
}

fn set_mtime(call: &mut Call<'_>, is_named: bool) -> PhpResult<Value> {
    let time = call.long(1);
    change(call, is_named, |archive, index| {
        archive.entry_mut(index)?.record.time = time;
        Ok(())
    })
}

pub(super) fn set_mtime_index(call: &mut Call<'_>) -> PhpResult<Value> {
    set_mtime(call, false)
}

pub(super) fn set_mtime_name(call: &mut Call<'_>) -> PhpResult<Value> {
    set_mtime(call, true)
}

/// Tells something of an entry, which is found by its number or name.
fn tell(
    call: &mut Call<'_>,
    is_named: bool,
    how: i64,
    tell: impl FnOnce(&mut Vm, i64, &Record) -> PhpResult<Value>,
) -> PhpResult<Value> {
    let object = this(call);
    let archive = archive_of(call.vm, &object)?;
    let index = match is_named {
        true => named(call, archive, how)?,
        false => Some(call.long(0)),
    };
    let Some(index) = index else {
        return Ok(false.into());
    };
    let record = archive.record(index, how).cloned();
    match noted(archive, record) {
        Some(record) => tell(call.vm, index, &record),
        None => Ok(false.into()),
    }
}

fn comment(vm: &mut Vm, record: &Record, how: i64) -> PhpResult<Value> {
    text(vm, names::shown(&record.comment, record.flags, how))
}

pub(super) fn get_comment_index(call: &mut Call<'_>) -> PhpResult<Value> {
    let how = call.long(1);
    tell(call, false, how, |vm, _, record| comment(vm, record, how))
}

pub(super) fn get_comment_name(call: &mut Call<'_>) -> PhpResult<Value> {
    let how = call.long(1);
    tell(call, true, how, |vm, _, record| comment(vm, record, how))
}

/// What `statName()` and `statIndex()` give.
fn status(vm: &mut Vm, index: i64, record: &Record, how: i64) -> PhpResult<Value> {
    let name = text(vm, names::shown(&record.name, record.flags, how))?;
    let mut answer = new_list(vm, 0);
    let array = answer.make_mut(vm);
    let numbers = [
        ("index", index),
        ("crc", record.crc.into()),
        ("size", record.size as i64),
        ("mtime", record.time),
        ("comp_size", record.stored as i64),
        ("comp_method", record.method.into()),
        ("encryption_method", record.encryption.into()),
    ];
    set_named(vm, array, "name", name);
    for (name, number) in numbers {
        set_named(vm, array, name, number.into());
    }
    Ok(answer.into())
}

pub(super) fn stat_name(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    let how = call.long(1);
    tell(call, true, how, |vm, index, record| {
        status(vm, index, record, how)
    })
}

pub(super) fn stat_index(call: &mut Call<'_>) -> PhpResult<Value> {
    let how = call.long(1);
    tell(call, false, how, |vm, index, record| {
        status(vm, index, record, how)
    })
}

pub(super) fn get_name_index(call: &mut Call<'_>) -> PhpResult<Value> {
    let how = call.long(1);
    tell(call, false, how, |vm, _, record| {
        text(vm, names::shown(&record.name, record.flags, how))
    })
}

pub(super) fn locate_name(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    let object = this(call);
    let archive = archive_of(call.vm, &object)?;
    let name = call.bytes(0);
    if name.is_empty() {
        return Ok(false.into());
    }
    let found = archive.find(name, call.long(1));
    Ok(match noted(archive, found) {
        Some(index) => index.into(),
        None => false.into(),
    })
}

fn set_attributes(call: &mut Call<'_>, is_named: bool) -> PhpResult<Value> {
    let (system, attributes) = (call.long(1) as u8, call.long(2) as u32);
    change(call, is_named, |archive, index| {
        let entry = archive.entry_mut(index)?;
        (entry.record.system, entry.record.attributes) = (system, attributes);
        entry.has_attributes = true;
        Ok(())
    })
}

pub(super) fn set_external_attributes_index(call: &mut Call<'_>) -> PhpResult<Value> {
    set_attributes(call, false)
}

pub(super) fn set_external_attributes_name(call: &mut Call<'_>) -> PhpResult<Value> {
    set_attributes(call, true)
}

fn get_attributes(call: &mut Call<'_>, is_named: bool) -> PhpResult<Value> {
    let how = call.long(3);
    let mut found = None;
    let told = tell(call, is_named, how, |_, _, record| {
        found = Some((record.system, record.attributes));
        Ok(true.into())
    })?;
    if let Some((system, attributes)) = found {
        call.assign(1, i64::from(system).into());
        call.assign(2, i64::from(attributes).into());
    }
    Ok(told)
}

pub(super) fn get_external_attributes_index(call: &mut Call<'_>) -> PhpResult<Value> {
    get_attributes(call, false)
}

pub(super) fn get_external_attributes_name(call: &mut Call<'_>) -> PhpResult<Value> {
    get_attributes(call, true)
}

/// Says how an entry is to be compressed.
pub(super) fn compress(
    archive: &mut Archive,
    index: i64,
    number: i64,
    level: i64,
) -> Result<(), Problem> {
    let entry = archive.entry_mut(index)?;
    if !is_method_supported(number) {
        return Err(code::COMPNOTSUPP.into());
    }
    entry.wishes.method = u16::try_from(number).ok();
    entry.wishes.level = u32::try_from(level).unwrap_or_default();
    Ok(())
}

fn set_compression(call: &mut Call<'_>, is_named: bool) -> PhpResult<Value> {
    let (number, level) = (call.long(1), call.long(2));
    change(call, is_named, |archive, index| {
        compress(archive, index, number, level)
    })
}

pub(super) fn set_compression_index(call: &mut Call<'_>) -> PhpResult<Value> {
    set_compression(call, false)
}

pub(super) fn set_compression_name(call: &mut Call<'_>) -> PhpResult<Value> {
    set_compression(call, true)
}

/// Whether entries can be encrypted in a way.
fn is_encryption_supported(number: i64) -> bool {
    matches!(
        u16::try_from(number),
        Ok(encryption::NONE | encryption::TRADITIONAL | encryption::AES_128..=encryption::AES_256)
    )
}

/// Says how an entry is to be encrypted.
pub(super) fn encrypt(
    archive: &mut Archive,
    index: i64,
    number: i64,
    password: Option<&[u8]>,
) -> Result<(), Problem> {
    let entry = archive.entry_mut(index)?;
    if !is_encryption_supported(number) {
        return Err(code::ENCRNOTSUPP.into());
    }
    entry.wishes.encryption = Some(number as u16);
    entry.wishes.password = password.map(<[u8]>::to_vec);
    Ok(())
}

fn set_encryption(call: &mut Call<'_>, is_named: bool) -> PhpResult<Value> {
    let (number, password) = (call.long(1), call.optional_bytes(2));
    change(call, is_named, |archive, index| {
        encrypt(archive, index, number, password)
    })
}

pub(super) fn set_encryption_index(call: &mut Call<'_>) -> PhpResult<Value> {
    set_encryption(call, false)
}

pub(super) fn set_encryption_name(call: &mut Call<'_>) -> PhpResult<Value> {
    set_encryption(call, true)
}

pub(super) fn is_compression_method_supported(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(is_method_supported(call.long(0)).into())
}

pub(super) fn is_encryption_method_supported(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(is_encryption_supported(call.long(0)).into())
}
