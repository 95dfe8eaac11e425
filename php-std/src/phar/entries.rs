//! Putting entries into archives, and taking them out.

use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

use vm_runtime::function::Call;
use vm_runtime::interpreter::iteration::{Wanted, walk};
use vm_runtime::limits::directories::lies_within;
use vm_runtime::object::PhpObject;
use vm_runtime::value::{ObjectHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::archive::{Archive, Body, Entry, Shared, flags, is_magic, shown};
use super::classes::{
    WRITE_DISABLED, archive, bad_call, check_writable, flush_or_throw, unexpected,
};
use super::format::tar::{ALIAS, STUB};
use super::names::{self, Extension, Presence, SCHEME, expand, normalise, path_problem};
use super::run::running_archive;
use super::table::phars;
use super::wrapper::{Access, locate, open_entry};
use crate::spl::{files, this, throw};
use crate::standard::files::Request;
use crate::standard::files::{Stream, check_path, file_mask, path, stream_in, try_open};
use crate::support::{new_list, string_of};

/// Argument `index` of a parameter that shows no type: a string without zero bytes.
fn name_argument(call: &mut Call<'_>, index: usize) -> PhpResult<Vec<u8>> {
    call.undeclared_string(index)?;
    check_path(call, index)?;
    Ok(call.bytes(index).to_vec())
}

/// The name of an entry as the archive has it: no slash before it.
fn plain(name: &[u8]) -> &[u8] {
    let name = name.strip_prefix(b"/").unwrap_or(name);
    name.strip_suffix(b"/").unwrap_or(name)
}

pub(super) fn exists(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    let name = name_argument(call, 0)?;
    let name = plain(&name);
    let archive = shared.borrow();
    if is_magic(name) {
        return Ok(false.into());
    }
    let found = archive.entries.get(name).is_some() || archive.directories.contains(name);
    Ok(found.into())
}

pub(super) fn get(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    let given = name_argument(call, 0)?;
    let name = given.clone();
    let url = {
        let archive = shared.borrow();
        let stripped = plain(&name);
        let is_known = archive.entries.get(stripped).is_some()
            || archive.is_directory(stripped) && !stripped.is_empty()
            || archive.mounted_place(stripped).is_some();
        let path = archive.shown();
        let message = if !is_known {
            let problem = path_problem(&name).map(|problem| {
                format!(": phar error: invalid path \"{}\" {problem}", shown(&name))
            });
            Some(format!(
                "Entry {} does not exist{}",
                shown(&name),
                problem.unwrap_or_default()
            ))
        } else if stripped == STUB {
            Some(format!(
                "Cannot get stub \".phar/stub.php\" directly in phar \"{path}\", use getStub"
            ))
        } else if stripped == ALIAS {
            Some(format!(
                "Cannot get alias \".phar/alias.txt\" directly in phar \"{path}\", use getAlias"
            ))
        } else if is_magic(stripped) {
            Some("Cannot directly get any files or directories in magic \".phar\" directory".into())
        } else {
            None
        };
        if let Some(message) = message {
            drop(archive);
            return Err(bad_call(call.vm, &message));
        }
        [SCHEME, &archive.name, b"/", stripped].concat()
    };
    let object = this(call);
    files::new_info(call.vm, &object, url)
}

/// Writes contents to an entry, which is made if it is not there. Nothing goes to the file yet.
fn put(
    vm: &mut Vm,
    shared: &Shared,
    name: &[u8],
    contents: Vec<u8>,
    permissions: Option<u32>,
) -> Result<(), String> {
    let (name, _) = open_entry(vm, shared, plain(name), Access::Write, false)?;
    let mut archive = shared.borrow_mut();
    archive.is_modified = true;
    if let Some(entry) = archive.entries.get_mut(&name) {
        entry.set_contents(contents);
        if let Some(permissions) = permissions {
            entry.flags = entry.flags & !flags::PERMISSIONS | permissions & flags::PERMISSIONS;
        }
    }
    Ok(())
}

/// As [`put`], as methods do it: with exceptions, and written.
fn add(
    call: &mut Call<'_>,
    shared: &Shared,
    name: &[u8],
    contents: Vec<u8>,
    permissions: Option<u32>,
) -> PhpResult<()> {
    if is_magic(name) {
        let message = "Cannot create any files in magic \".phar\" directory";
        return Err(bad_call(call.vm, message));
    }
    let permissions = permissions.unwrap_or_else(|| flags::NEW_FILE & !file_mask(None));
    if let Err(problem) = put(call.vm, shared, name, contents, Some(permissions)) {
        let message = format!(
            "Entry {} does not exist and cannot be created: {problem}",
            shown(name)
        );
        return Err(bad_call(call.vm, &message));
    }
    flush_or_throw(call.vm, shared)
}

/// What is in the stream or the string that a value is.
fn contents_of(vm: &mut Vm, value: &Value) -> PhpResult<Vec<u8>> {
    if let ValueKind::Resource(_) = value.view() {
        // SAFETY: I3: the value keeps the resource alive; nothing else reads it meanwhile.
        let stream: Option<&mut Stream> = unsafe { stream_in(value) };
        let read = stream.and_then(|stream| stream.read_all().ok());
        vm.check()?;
        return Ok(read.unwrap_or_default());
    }
    Ok(string_of(vm, value)?.as_bytes().to_vec())
}

pub(super) fn set(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    if super::wrapper::is_read_only(call.vm, &shared.borrow()) {
        return Err(bad_call(call.vm, WRITE_DISABLED));
    }
    let name = name_argument(call, 0)?;
    let path = shared.borrow().shown();
    let message = match plain(&name) {
        name if name == STUB => Some(format!(
            "Cannot set stub \".phar/stub.php\" directly in phar \"{path}\", use setStub"
        )),
        name if name == ALIAS => Some(format!(
            "Cannot set alias \".phar/alias.txt\" directly in phar \"{path}\", use setAlias"
        )),
        name if is_magic(name) => {
            Some("Cannot set any files or directories in magic \".phar\" directory".into())
        }
        _ => None,
    };
    if let Some(message) = message {
        return Err(bad_call(call.vm, &message));
    }
    let value = call.value(1);
    let contents = match value.view() {
        ValueKind::Resource(_) => contents_of(call.vm, &value)?,
        _ => call.undeclared_string(1)?.to_vec(),
    };
    add(call, &shared, &name, contents, None)?;
    Ok(Value::NULL)
}

pub(super) fn add_string(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    check_path(call, 0)?;
    let (name, contents) = (call.bytes(0).to_vec(), call.bytes(1).to_vec());
    add(call, &shared, &name, contents, None)?;
    Ok(Value::NULL)
}

/// A file outside, and its permissions.
fn read_outside(vm: &mut Vm, name: &[u8]) -> PhpResult<Option<(Vec<u8>, Option<u32>)>> {
    let request = Request {
        name,
        mode: b"rb",
        options: 0,
        context: None,
        function: "",
    };
    let mut stream = match try_open(vm, &request)? {
        Ok(stream) => stream,
        Err(_) => return Ok(None),
    };
    let permissions = stream.status().map(|status| status.mode());
    let contents = stream.read_all();
    vm.check()?;
    Ok(contents.ok().map(|contents| (contents, permissions)))
}

pub(super) fn add_file(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    check_path(call, 0)?;
    let file = call.bytes(0).to_vec();
    let name = call.optional_bytes(1).unwrap_or(&file).to_vec();
    let is_local = memchr::memmem::find(&file, b"://").is_none();
    if is_local && !lies_within(call.vm, &file) {
        let message = format!(
            "phar error: unable to open file \"{}\" to add to phar archive, open_basedir restrictions prevent this",
            shown(&file)
        );
        return Err(throw(call.vm, "RuntimeException", &message));
    }
    let is_itself = names::without_scheme(&file).is_some()
        && locate(call.vm, &file, false).is_ok_and(|(other, entry)| {
            std::rc::Rc::ptr_eq(&other, &shared) && entry == plain(&name)
        });
    if is_itself {
        let message = format!(
            "Entry {0} does not exist and cannot be created: phar error: file \"{0}\" in phar \"{1}\" cannot be opened for writing, readable file pointers are open",
            shown(&name),
            shared.borrow().shown()
        );
        return Err(bad_call(call.vm, &message));
    }
    match read_outside(call.vm, &file)? {
        Some((contents, permissions)) => add(call, &shared, &name, contents, permissions)?,
        None => {
            let message = format!(
                "phar error: unable to open file \"{}\" to add to phar archive",
                shown(&file)
            );
            return Err(throw(call.vm, "RuntimeException", &message));
        }
    }
    Ok(Value::NULL)
}

pub(super) fn add_directory(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    check_path(call, 0)?;
    let name = call.bytes(0);
    if is_magic(name) {
        let message = "Cannot create a directory in magic \".phar\" directory";
        return Err(bad_call(call.vm, message));
    }
    let name = normalise(name, None);
    let problem = {
        let archive = shared.borrow();
        if super::wrapper::is_read_only(call.vm, &archive) {
            Some(
                "phar error: write operations disabled by the php.ini setting phar.readonly".into(),
            )
        } else if archive
            .entries
            .get(&name)
            .is_some_and(|entry| !entry.is_directory)
        {
            Some(format!(
                "phar error: unable to add new entry \"{}\" to phar \"{}\"",
                shown(&name),
                archive.shown()
            ))
        } else if call.bytes(0).is_empty() {
            Some(format!(
                "phar error: file \"\" in phar \"{}\" must not be empty",
                archive.shown()
            ))
        } else {
            path_problem(&name)
                .map(|problem| format!("phar error: invalid path \"{}\" {problem}", shown(&name)))
        }
    };
    if let Some(problem) = problem {
        let message = format!(
            "Directory {} does not exist and cannot be created: {problem}",
            shown(&name)
        );
        return Err(bad_call(call.vm, &message));
    }
    if shared.borrow().entries.get(&name).is_none() {
        shared.borrow_mut().put(Entry::directory(&name));
    }
    flush_or_throw(call.vm, &shared)?;
    Ok(Value::NULL)
}

/// Takes an entry out; false if there is none.
fn remove(archive: &mut Archive, name: &[u8]) -> bool {
    archive.is_modified = true;
    match archive.entries.remove(name) {
        Some(entry) if entry.is_directory => {
            archive.directories.remove(name);
            true
        }
        found => found.is_some(),
    }
}

pub(super) fn unset(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    if super::wrapper::is_read_only(call.vm, &shared.borrow()) {
        return Err(bad_call(call.vm, WRITE_DISABLED));
    }
    let name = name_argument(call, 0)?;
    if remove(&mut shared.borrow_mut(), plain(&name)) {
        flush_or_throw(call.vm, &shared)?;
    }
    Ok(Value::NULL)
}

pub(super) fn delete(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    check_writable(
        call.vm,
        &shared,
        "Cannot write out phar archive, phar is read-only",
    )?;
    check_path(call, 0)?;
    let name = call.bytes(0);
    if !remove(&mut shared.borrow_mut(), plain(name)) {
        let message = format!("Entry {} does not exist and cannot be deleted", shown(name));
        return Err(bad_call(call.vm, &message));
    }
    flush_or_throw(call.vm, &shared)?;
    Ok(true.into())
}

pub(super) fn copy(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    check_path(call, 0)?;
    check_path(call, 1)?;
    let (from, to) = (call.bytes(0), call.bytes(1));
    let (shown_from, shown_to) = (shown(from), shown(to));
    if super::wrapper::is_read_only(call.vm, &shared.borrow()) {
        let message = format!("Cannot copy \"{shown_from}\" to \"{shown_to}\", phar is read-only");
        return Err(unexpected(call.vm, &message));
    }
    let path = shared.borrow().shown();
    let cannot = |reason: &str| {
        format!("file \"{shown_from}\" cannot be copied to file \"{shown_to}\", {reason}")
    };
    let problem = {
        let archive = shared.borrow();
        let has = |name: &[u8]| archive.entries.get(name).is_some();
        if is_magic(from) {
            Some(cannot(&format!("cannot copy Phar meta-file in {path}")))
        } else if is_magic(to) {
            Some(cannot(&format!("cannot copy to Phar meta-file in {path}")))
        } else if !has(from) {
            Some(cannot(&format!("file does not exist in {path}")))
        } else if has(to) {
            Some(cannot(&format!(
                "file must not already exist in phar {path}"
            )))
        } else {
            path_problem(to).map(|problem| {
                let problem = problem.strip_prefix("contains ").unwrap_or(problem);
                format!(
                    "file \"{shown_to}\" contains invalid characters {problem}, cannot be copied from \"{shown_from}\" in phar {path}"
                )
            })
        }
    };
    if let Some(problem) = problem {
        return Err(unexpected(call.vm, &problem));
    }
    {
        let mut archive = shared.borrow_mut();
        if let Some(entry) = archive.entries.get(from).cloned() {
            archive.put(Entry {
                name: to.to_vec(),
                readers: 0,
                writers: 0,
                is_modified: true,
                ..entry
            });
        }
    }
    flush_or_throw(call.vm, &shared)?;
    Ok(true.into())
}

pub(super) fn build_from_directory(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    check_writable(
        call.vm,
        &shared,
        "Cannot write to archive - write operations restricted by INI setting",
    )?;
    check_path(call, 0)?;
    let directory = call.bytes(0).to_vec();
    let pattern = call.bytes(1).to_vec();
    let vm = &mut *call.vm;
    // Neither dots nor links are followed, and names have slashes.
    let flags = 0x3000i64;
    let arguments = vec![vm.string(&directory).into(), flags.into()];
    let inner = make(vm, b"recursivedirectoryiterator", arguments)?;
    let mut iterator = make(vm, b"recursiveiteratoriterator", vec![inner.into()])?;
    if !pattern.is_empty() {
        let pattern = vm.string(&pattern).into();
        iterator = make(vm, b"regexiterator", vec![iterator.into(), pattern])?;
    }
    build(call, &shared, &iterator, Some(&directory))
}

/// A new object of a class of another extension.
fn make(vm: &mut Vm, class: &[u8], arguments: Vec<Value>) -> PhpResult<ObjectHandle> {
    let Some(class) = vm.linked_class(class) else {
        return Err(vm_runtime::vm::Thrown);
    };
    let object = vm_runtime::object::instantiate(vm, class)?;
    // SAFETY: I4: classes and functions live until the VM ends.
    let constructor = unsafe { (*class).magic.construct };
    vm.call_function(constructor, Some(object.clone()), class, arguments)?;
    Ok(object)
}

pub(super) fn build_from_iterator(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    check_writable(
        call.vm,
        &shared,
        "Cannot write out phar archive, phar is read-only",
    )?;
    let iterator = call.object(0);
    let base = call.optional_bytes(1).map(<[u8]>::to_vec);
    build(call, &shared, &iterator, base.as_deref())
}

/// The path of a file, links followed.
fn resolved(name: &[u8]) -> Vec<u8> {
    match std::fs::canonicalize(path(name)) {
        Ok(found) => found.as_os_str().as_bytes().to_vec(),
        Err(_) => expand(name),
    }
}

/// The name in an archive for a file: what is left of its path behind the base directory.
fn name_below(file: &[u8], base: &[u8]) -> Option<Vec<u8>> {
    let rest = resolved(file);
    let base = resolved(base);
    let rest = rest.strip_prefix(base.as_slice())?;
    let rest = match base.ends_with(b"/") {
        true => rest,
        false => rest
            .strip_prefix(b"/")
            .or(rest.is_empty().then_some(rest))?,
    };
    Some(rest.to_vec())
}

/// Adds what an iterator gives, and says what came from where.
fn build(
    call: &mut Call<'_>,
    shared: &Shared,
    iterator: &ObjectHandle,
    base: Option<&[u8]>,
) -> PhpResult<Value> {
    let mut result = new_list(call.vm, 8);
    let class = iterator.class().display_name();
    // Keys are only asked for where they are needed.
    let has_keys = iterator.class().methods.get(&b"key"[..]).is_some();
    let wanted = match has_keys {
        true => Wanted::Value,
        false => Wanted::KeyAndValue,
    };
    let added = walk(
        call.vm,
        Value::from(iterator.clone()).as_zval(),
        wanted,
        &mut |vm, key, value| {
            let mut key = match has_keys {
                true => Key::Later(iterator.clone()),
                false => Key::Known(key),
            };
            let added = build_one(vm, shared, &class, base, &mut key, &value)?;
            if let Some((name, file)) = added {
                let file = vm.string(file).into();
                result.make_mut(vm).set_bytes(&name, file);
            }
            Ok(ControlFlow::Continue(()))
        },
    );
    added?;
    flush_or_throw(call.vm, shared)?;
    Ok(result.into())
}

/// The key of what an iterator gives.
enum Key {
    Known(Value),
    Later(ObjectHandle),
}

impl Key {
    /// The key, if it is a string.
    fn name(&mut self, vm: &mut Vm) -> PhpResult<Option<Vec<u8>>> {
        let key = match self {
            Key::Known(key) => key.clone(),
            Key::Later(iterator) => vm.call_method(iterator, b"key", Vec::new())?,
        };
        Ok(match key.view() {
            ValueKind::String(name) => Some(name.as_bytes().to_vec()),
            _ => None,
        })
    }
}

/// The path of an object of SplFileInfo or a child of it.
fn path_of(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<Option<Vec<u8>>> {
    let Some(base) = vm.linked_class(b"splfileinfo") else {
        return Ok(None);
    };
    let inner: &PhpObject = object;
    if !inner.class().is_subclass_of(base) {
        return Ok(None);
    }
    let name = vm.call_method(object, b"getpathname", Vec::new())?;
    Ok(Some(string_of(vm, &name)?.as_bytes().to_vec()))
}

fn build_one(
    vm: &mut Vm,
    shared: &Shared,
    class: &str,
    base: Option<&[u8]>,
    key: &mut Key,
    value: &Value,
) -> PhpResult<Option<(Vec<u8>, Vec<u8>)>> {
    let bad_key = format!("Iterator {class} returned an invalid key (must return a string)");
    let mut is_info = false;
    let file = match value.view() {
        ValueKind::Resource(_) => {
            let Some(name) = key.name(vm)? else {
                return Err(unexpected(vm, &bad_key));
            };
            let contents = contents_of(vm, value)?;
            if is_magic(&name) {
                return Ok(None);
            }
            store(vm, shared, &name, contents, None)?;
            return Ok(Some((name, b"[stream]".to_vec())));
        }
        ValueKind::String(name) => name.as_bytes().to_vec(),
        ValueKind::Object(_) => {
            let object = value.clone().object();
            let found = match &object {
                Some(object) => path_of(vm, object)?,
                None => None,
            };
            match found {
                Some(found) => {
                    is_info = true;
                    found
                }
                None => {
                    let message = format!(
                        "Iterator {class} returned an invalid value (must return a string, a stream, or an SplFileInfo object)"
                    );
                    return Err(unexpected(vm, &message));
                }
            }
        }
        _ => {
            let message =
                format!("Iterator {class} returned an invalid value (must return a string)");
            return Err(unexpected(vm, &message));
        }
    };
    let name = match base {
        Some(base) if !base.is_empty() => match name_below(&file, base) {
            Some(name) => name,
            None => {
                let message = format!(
                    "Iterator {class} returned a path \"{}\" that is not in the base directory \"{}\"",
                    shown(&resolved(&file)),
                    shown(&resolved(base))
                );
                return Err(unexpected(vm, &message));
            }
        },
        _ if is_info => {
            // Without a base directory there is no telling what the name in the archive is.
            let message = format!(
                "Iterator {class} returns an SplFileInfo object, so base directory must be specified"
            );
            return Err(bad_call(vm, &message));
        }
        _ => match key.name(vm)? {
            Some(name) => name,
            None => return Err(unexpected(vm, &bad_key)),
        },
    };
    let outside = path(&file);
    if is_info && outside.is_dir() || name.is_empty() && outside.is_dir() {
        return Ok(None);
    }
    let is_local = memchr::memmem::find(&file, b"://").is_none();
    if is_local && !lies_within(vm, &file) {
        let message = format!(
            "Iterator {class} returned a path \"{}\" that open_basedir prevents opening",
            shown(&file)
        );
        return Err(unexpected(vm, &message));
    }
    if is_local && outside.is_dir() {
        let message = format!(
            "Iterator {class} returned a file that could not be opened \"{}\"",
            shown(&file)
        );
        return Err(unexpected(vm, &message));
    }
    let Some((contents, permissions)) = read_outside(vm, &file)? else {
        let message = format!(
            "Iterator {class} returned a file that could not be opened \"{}\"",
            shown(&file)
        );
        return Err(unexpected(vm, &message));
    };
    if is_magic(&name) {
        return Ok(None);
    }
    store(vm, shared, &name, contents, permissions)?;
    if is_local && let Ok(found) = std::fs::metadata(path(&file)) {
        let mut archive = shared.borrow_mut();
        if let Some(entry) = archive.entries.get_mut(plain(&name)) {
            entry.flags = entry.flags & !flags::PERMISSIONS | found.mode() & flags::PERMISSIONS;
        }
    }
    let file = if is_local { expand(&file) } else { file };
    Ok(Some((name, file)))
}

fn store(
    vm: &mut Vm,
    shared: &Shared,
    name: &[u8],
    contents: Vec<u8>,
    permissions: Option<u32>,
) -> PhpResult<()> {
    match put(vm, shared, name, contents, permissions) {
        Ok(()) => Ok(()),
        Err(problem) => {
            let message = format!("Entry {} cannot be created: {problem}", shown(name));
            Err(bad_call(vm, &message))
        }
    }
}

pub(super) fn mount(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    check_path(call, 1)?;
    let (inside, outside) = (call.bytes(0).to_vec(), call.bytes(1).to_vec());
    let file = call.vm.current_file().as_bytes().to_vec();
    let running =
        running_archive(call.vm).or_else(|| phars(call.vm).by_path(&file).map(|_| file.clone()));
    if let Some(running) = running
        && names::without_scheme(&inside).is_none()
    {
        let shared = phars(call.vm).find(&running);
        let mounted = shared.is_some_and(|shared| mount_in(call.vm, &shared, &inside, &outside));
        if mounted {
            return Ok(Value::NULL);
        }
        let message = format!(
            "Mounting of {} to {} within phar {} failed",
            shown(&inside),
            shown(&outside),
            shown(&running)
        );
        return Err(throw(call.vm, "PharException", &message));
    }
    if running_archive(call.vm).is_some() {
        let message = format!(
            "Can only mount internal paths within a phar archive, use a relative path instead of \"{}\"",
            shown(&inside)
        );
        return Err(throw(call.vm, "PharException", &message));
    }
    let Ok((archive, entry)) = names::split(call.vm, &inside, Extension::Any, Presence::Exists)
    else {
        let message = format!(
            "Mounting of {} to {} failed",
            shown(&inside),
            shown(&outside)
        );
        return Err(throw(call.vm, "PharException", &message));
    };
    if let Ok((shared, entry)) = locate(call.vm, &inside, false)
        && mount_in(call.vm, &shared, &entry, &outside)
    {
        return Ok(Value::NULL);
    }
    let message = format!(
        "Mounting of /{} to {} within phar {} failed",
        shown(&entry),
        shown(&outside),
        shown(&archive)
    );
    Err(throw(call.vm, "PharException", &message))
}

/// Lets a file or directory outside appear in an archive.
fn mount_in(vm: &mut Vm, shared: &Shared, inside: &[u8], outside: &[u8]) -> bool {
    let inside = plain(inside);
    if path_problem(inside).is_some()
        || is_magic(inside)
        || memchr::memchr(b'\\', outside).is_some()
    {
        return false;
    }
    if names::without_scheme(outside).is_some() {
        return mount_entry(vm, shared, inside, outside);
    }
    let full = expand(outside);
    if !lies_within(vm, &full) {
        return false;
    }
    let Ok(found) = std::fs::metadata(path(&full)) else {
        return false;
    };
    let mut archive = shared.borrow_mut();
    if archive.entries.get(inside).is_some() {
        return false;
    }
    let mut entry = match found.is_dir() {
        true => Entry::directory(inside),
        false => Entry::new(inside),
    };
    entry.size = found.len();
    entry.stored = found.len();
    entry.flags = found.mode() & flags::PERMISSIONS;
    entry.body = Body::Mounted(full);
    archive.put(entry);
    true
}

/// Lets an entry of an archive appear under another name.
fn mount_entry(vm: &mut Vm, shared: &Shared, inside: &[u8], outside: &[u8]) -> bool {
    let Ok((other, name)) = locate(vm, outside, false) else {
        return false;
    };
    let contents = other.borrow_mut().contents(&name);
    let (Ok(contents), Some(found)) = (contents, other.borrow().entries.get(&name).cloned()) else {
        return false;
    };
    let mut archive = shared.borrow_mut();
    if archive.entries.get(inside).is_some() {
        return false;
    }
    let mut entry = Entry::new(inside);
    entry.size = found.size;
    entry.flags = found.flags & flags::PERMISSIONS;
    entry.body = Body::MountedEntry(contents);
    archive.put(entry);
    true
}
