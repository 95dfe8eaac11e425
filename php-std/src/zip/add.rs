//! Methods that add entries to archives.

use std::fs::File;
use std::rc::Rc;

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::limits::{self, directories::is_allowed};
use vm_runtime::operators::{to_long, value_name};
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::archive::{Archive, Data, flags};
use super::class::{archive_of, data, noted, outcome};
use super::details::{compress, encrypt};
use super::names;
use super::problem::{Problem, code};
use crate::spl::this;
use crate::standard::files::{
    AVAILABLE, base_name, check_path, find_by_pattern, list as list_directory, path, status,
    status_options,
};
use crate::support::{Append, hold, new_list};

/// The longest path, and one.
const LONGEST: usize = 4096;
/// What stands for a length up to the end, and one that nobody looks at before it is needed.
const TO_END: i64 = 0;
const UNCHECKED: i64 = -2;

/// What was added is the last; nothing is wrong any more.
fn added(archive: &mut Archive, index: Option<usize>, last: &mut Option<usize>) -> Value {
    *last = index;
    if index.is_some() {
        archive.problem = Problem::default();
    }
    index.is_some().into()
}

pub(super) fn add_empty_dir(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let archive = archive_of(call.vm, &object)?;
    let mut name = call.bytes(0).to_vec();
    if name.is_empty() {
        return Ok(false.into());
    }
    if !name.ends_with(b"/") {
        name.push(b'/');
    }
    let result = archive.add(&name, Data::Bytes(Rc::new([])), call.long(1));
    let index = noted(archive, result);
    Ok(added(archive, index, &mut data(&object).last_id))
}

pub(super) fn add_from_string(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let archive = archive_of(call.vm, &object)?;
    let contents = call.bytes(1);
    limits::reserve(contents.len());
    let result = archive.add(call.bytes(0), Data::Bytes(contents.into()), call.long(2));
    let index = noted(archive, result);
    Ok(added(archive, index, &mut data(&object).last_id))
}

/// What the arguments say of a file whose contents an entry gets.
#[derive(Clone, Copy)]
struct Part {
    start: i64,
    length: i64,
    how: i64,
}

/// The contents of a file; none, after a warning, if there is no such file.
fn file_data(vm: &mut Vm, name: &[u8], part: Part) -> PhpResult<Option<Result<Data, Problem>>> {
    let function = crate::support::current_function(vm);
    if !is_allowed(vm, name, &function)? {
        return Ok(None);
    }
    let full = path(&names::expand(name));
    if part.length != UNCHECKED && !full.exists() {
        vm.function_warning("No such file or directory");
        vm.check()?;
        return Ok(None);
    }
    let length = match part.length {
        TO_END | UNCHECKED | -1 => None,
        length => match u64::try_from(length) {
            Ok(length) => Some(length),
            Err(_) => return Ok(Some(Err(code::INVAL.into()))),
        },
    };
    let Ok(start) = u64::try_from(part.start) else {
        return Ok(Some(Err(code::INVAL.into())));
    };
    let file = match part.how & flags::OPEN_NOW {
        0 => None,
        _ => match limits::open(File::options().read(true), &full) {
            Ok(file) => Some(Rc::new(file)),
            Err(error) => return Ok(Some(Err(Problem::of(code::OPEN, &error)))),
        },
    };
    Ok(Some(Ok(Data::File {
        path: full,
        start,
        length,
        file,
    })))
}

pub(super) fn add_file(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    check_path(call, 0)?;
    let (file, name) = (call.bytes(0), call.bytes(1));
    if file.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let part = Part {
        start: call.long(2),
        length: call.long(3),
        how: call.long(4),
    };
    let name = if name.is_empty() { file } else { name };
    let Some(contents) = file_data(call.vm, file, part)? else {
        return Ok(false.into());
    };
    let archive = archive_of(call.vm, &object)?;
    let result = contents.and_then(|contents| archive.add(name, contents, part.how));
    let index = noted(archive, result);
    Ok(added(archive, index, &mut data(&object).last_id))
}

pub(super) fn replace_file(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    check_path(call, 0)?;
    let (file, index) = (call.bytes(0), call.long(1));
    if file.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if index < 0 {
        return Err(call.value_error(1, "must be greater than or equal to 0"));
    }
    let part = Part {
        start: call.long(2),
        length: call.long(3),
        how: call.long(4),
    };
    let Some(contents) = file_data(call.vm, file, part)? else {
        return Ok(false.into());
    };
    let archive = archive_of(call.vm, &object)?;
    let result = contents.and_then(|contents| archive.replace(index, contents));
    let replaced = noted(archive, result).map(|()| index as usize);
    Ok(added(archive, replaced, &mut data(&object).last_id))
}

/// Options of `addGlob()` and `addPattern()`.
struct Options {
    without_path: bool,
    add_path: Vec<u8>,
    remove_path: Vec<u8>,
    how: i64,
    /// A method and its level.
    compression: Option<(i64, i64)>,
    encryption: Option<(i64, Option<Vec<u8>>)>,
}

/// What stands in the options under a name.
fn option(call: &Call<'_>, name: &str) -> Option<Value> {
    call.elements(2)
        .get_bytes(name.as_bytes())
        .map(|value| hold(value.deref()))
}

/// A number among the options; a warning if it is something else, which is then left out.
fn number(call: &mut Call<'_>, name: &str) -> PhpResult<Option<i64>> {
    let Some(value) = option(call, name) else {
        return Ok(None);
    };
    if let ValueKind::Long(number) = value.view() {
        return Ok(Some(number));
    }
    let given = value_name(&value);
    let message = format!("Option \"{name}\" must be of type int, {given} given");
    call.vm.function_warning(message);
    call.vm.check()?;
    Ok(None)
}

/// A text among the options, or an error if it is something else.
fn string(call: &mut Call<'_>, name: &str) -> PhpResult<Option<Vec<u8>>> {
    let Some(value) = option(call, name) else {
        return Ok(None);
    };
    match value.view() {
        ValueKind::String(text) => Ok(Some(text.to_vec())),
        _ => {
            let given = value_name(&value);
            let message = format!("Option \"{name}\" must be of type string, {given} given");
            Err(call.vm.throw_error(KnownClass::TypeError, message))
        }
    }
}

/// A part of a path among the options; empty if there is none.
fn directory(call: &mut Call<'_>, name: &str) -> PhpResult<Vec<u8>> {
    let Some(value) = string(call, name)? else {
        return Ok(Vec::new());
    };
    let problem = match value.len() {
        0 => "must not be empty",
        length if length >= LONGEST => "must be less than 4096 bytes",
        _ => return Ok(value),
    };
    let message = format!("Option \"{name}\" {problem}");
    Err(call.vm.throw_error(KnownClass::ValueError, message))
}

fn options(call: &mut Call<'_>) -> PhpResult<Options> {
    let without_path = match option(call, "remove_all_path") {
        Some(value) => to_long(call.vm, &value) != 0,
        None => false,
    };
    let mut compression = None;
    if let Some(method) = number(call, "comp_method")? {
        let level = number(call, "comp_flags")?.unwrap_or(0);
        compression = Some((method, level));
    }
    let add_path = directory(call, "add_path")?;
    let remove_path = directory(call, "remove_path")?;
    let how = match option(call, "flags") {
        None => flags::OVERWRITE,
        Some(value) => match value.view() {
            ValueKind::Long(flags) => flags,
            _ => {
                let given = value_name(&value);
                let message = format!("Option \"flags\" must be of type int, {given} given");
                return Err(call.vm.throw_error(KnownClass::TypeError, message));
            }
        },
    };
    let mut encryption = None;
    if let Some(method) = number(call, "enc_method")? {
        encryption = Some((method, string(call, "enc_password")?));
    }
    Ok(Options {
        without_path,
        add_path,
        remove_path,
        how,
        compression,
        encryption,
    })
}

pub(super) fn add_glob(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let (pattern, how) = (call.bytes(0), call.long(1));
    if pattern.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let options = options(call)?;
    if how & !AVAILABLE != 0 {
        call.vm.function_warning(
            "At least one of the passed flags is invalid or not supported on this platform",
        );
        call.vm.check()?;
        return Ok(false.into());
    }
    let found = find_by_pattern(pattern, how).unwrap_or_default();
    if let Some(first) = found.first() {
        let function = call.function().display_name();
        if !is_allowed(call.vm, first, &function)? {
            return Ok(false.into());
        }
    }
    add_all(call, &object, found, &options)
}

pub(super) fn add_pattern(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    check_path(call, 1)?;
    if call.bytes(0).is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let options = options(call)?;
    let directory = call.bytes(1);
    let function = call.function().display_name();
    if !is_allowed(call.vm, directory, &function)? {
        return Ok(false.into());
    }
    let Ok(mut listing) = list_directory(call.vm, directory, None)? else {
        return Ok(false.into());
    };
    let mut names = Vec::new();
    while let Some(name) = listing.next() {
        limits::poll();
        names.push(name);
    }
    names.sort();
    let mut found = Vec::new();
    for name in names {
        limits::poll();
        let matched = crate::pcre::matches(call.vm, call.bytes(0), &name);
        call.vm.check()?;
        let Some(matched) = matched else {
            call.vm.function_warning("Invalid expression");
            call.vm.check()?;
            return Ok(false.into());
        };
        if matches!(&name[..], b"." | b"..") {
            continue;
        }
        let full = [directory, b"/", &name].concat();
        let known = status(call.vm, &full, status_options::STAT_QUIET)?;
        if matched && known.is_some_and(|known| !known.is(libc::S_IFDIR)) {
            found.push(full);
        }
    }
    add_all(call, &object, found, &options)
}

/// Adds files; gives their names.
fn add_all(
    call: &mut Call<'_>,
    object: &vm_runtime::object::PhpObject,
    found: Vec<Vec<u8>>,
    options: &Options,
) -> PhpResult<Value> {
    let mut answer = new_list(call.vm, 0);
    for file in found {
        limits::poll();
        let mut name = &file[..];
        if options.without_path {
            name = base_name(&file);
        } else if !options.remove_path.is_empty()
            && let Some(rest) = file.strip_prefix(&options.remove_path[..])
            && !rest.is_empty()
        {
            name = rest.strip_prefix(b"/").unwrap_or(rest);
        }
        let length = options.add_path.len() + name.len();
        if !options.add_path.is_empty() && length > LONGEST {
            let most = LONGEST - 1;
            call.vm
                .function_warning(format!("Entry name too long (max: {most}, {length} given)"));
            call.vm.check()?;
            return Ok(false.into());
        }
        let name = [&options.add_path, name].concat();
        let part = Part {
            start: 0,
            length: 0,
            how: options.how,
        };
        let Some(contents) = file_data(call.vm, &file, part)? else {
            return Ok(false.into());
        };
        let archive = archive_of(call.vm, object)?;
        let result = contents.and_then(|contents| archive.add(&name, contents, options.how));
        let index = noted(archive, result);
        added(archive, index, &mut data(object).last_id);
        let Some(index) = index.map(|index| index as i64) else {
            return Ok(false.into());
        };
        let mut wished = Ok(());
        if let Some((method, level)) = options.compression.filter(|(method, _)| *method >= 0) {
            wished = compress(archive, index, method, level);
        }
        if let Some((method, password)) = &options.encryption
            && wished.is_ok()
        {
            wished = encrypt(archive, index, *method, password.as_deref());
        }
        if wished.is_err() {
            return Ok(outcome(archive, wished));
        }
        let name = call.vm.string(&file).into();
        answer.make_mut(call.vm).append(name);
    }
    Ok(answer.into())
}
