//! Running archives: what a stub asks for, and files that are named from within.

use std::os::unix::ffi::OsStrExt;

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::archive::{Format, Shared, shown};
use super::flush::stub_of;
use super::format::native::HALT;
use super::format::tar::is_tar;
use super::names::{self, Extension, Presence, SCHEME, normalise};
use super::table::{self, Opening, phars};
use super::wrapper::locate;
use crate::spl::throw;
use crate::standard::files::{path, status, status_options};
use crate::standard::strings::search::find;
use crate::support::text;

/// The code of an archive that is run or included as a file and begins with other things: a tar or
/// zip archive, or one that is compressed as a whole.
pub fn code_of(vm: &mut Vm, source: &[u8], file: &[u8]) -> Option<Vec<u8>> {
    find(file, b".phar")?;
    let start = &source[..source.len().min(512)];
    let is_packed = start.starts_with(&[0x1f, 0x8b, 8]) || start.starts_with(b"PK\x03\x04");
    if names::without_scheme(file).is_some() || !is_packed && !is_tar(start, file) {
        return None;
    }
    let opened = table::open_existing(vm, file, Opening::default()).ok()??;
    let mut archive = opened.borrow_mut();
    if archive.format == Format::Phar {
        // With all that follows the stub: its code knows where it ends.
        let length = archive.source.length();
        return archive.source.read(0, length);
    }
    stub_of(&mut archive).ok().filter(|stub| !stub.is_empty())
}

/// The archive that the running code lies in: its path, and whether the code is an entry.
pub(super) fn running_archive(vm: &mut Vm) -> Option<Vec<u8>> {
    let file = vm.current_file();
    let rest = names::without_scheme(file.as_bytes())?.to_vec();
    let (archive, _) = names::split(vm, &rest, Extension::Any, Presence::Exists).ok()?;
    Some(archive)
}

/// A file in an archive.
fn in_archive(archive: &[u8], entry: &[u8]) -> Vec<u8> {
    [SCHEME, archive, b"/", entry].concat()
}

/// The file in the archive that runs which a name means to a function for files, if it was asked
/// that these look there.
pub(crate) fn intercepted(vm: &mut Vm, name: &[u8]) -> Option<Vec<u8>> {
    let (shared, entry) = named_inside(vm, name)?;
    let shared = shared.borrow();
    let exists = shared.entries.get(&entry).is_some() || shared.is_directory(&entry);
    (exists && !entry.is_empty()).then(|| in_archive(&shared.name, &entry))
}

/// As [`intercepted`], for directories, whether they are there or not.
pub(crate) fn intercepted_directory(vm: &mut Vm, name: &[u8]) -> Option<Vec<u8>> {
    let (shared, entry) = named_inside(vm, name)?;
    let shared = shared.borrow();
    Some(in_archive(&shared.name, &entry))
}

/// The archive that runs and the entry that a name would be in it.
fn named_inside(vm: &mut Vm, name: &[u8]) -> Option<(Shared, Vec<u8>)> {
    if !phars(vm).intercepts || name.is_empty() || name.starts_with(b"/") {
        return None;
    }
    if memchr::memmem::find(name, b"://").is_some() {
        return None;
    }
    let archive = running_archive(vm)?;
    let directory = phars(vm).directory.clone();
    let entry = normalise(name, directory.as_deref());
    Some((phars(vm).find(&archive)?, entry))
}

/// Finds what `include` means by a name: a file in an archive by its full name, or a file along an
/// include path that leads into archives.
pub(super) fn resolve(vm: &mut Vm, name: &[u8]) -> Option<Vec<u8>> {
    if names::without_scheme(name).is_some() {
        let (shared, entry) = locate(vm, name, false).ok()?;
        let archive = shared.borrow();
        let exists = archive
            .entries
            .get(&entry)
            .is_some_and(|entry| !entry.is_directory);
        return exists.then(|| in_archive(&archive.name, &entry));
    }
    if name.is_empty() || name.starts_with(b"/") || find(name, b"://").is_some() {
        return None;
    }
    let running = running_archive(vm);
    let include_path = vm.include_path().into_bytes();
    let leads_into = find(&include_path, SCHEME).is_some();
    if running.is_none() && !leads_into {
        return None;
    }
    let directory = phars(vm).directory.clone();
    if let Some(archive) = &running
        && name.starts_with(b".")
    {
        let entry = normalise(name, directory.as_deref());
        let found = in_archive(archive, &entry);
        if let Some(found) = resolve(vm, &found) {
            return Some(found);
        }
        return None;
    }
    let mut places = Vec::new();
    if let Some(archive) = &running {
        places.push(in_archive(
            archive,
            directory.as_deref().unwrap_or_default(),
        ));
    }
    places.extend(parts_of(&include_path));
    if let Some(slash) = memchr::memrchr(b'/', vm.current_file().as_bytes()) {
        places.push(vm.current_file().as_bytes()[..slash].to_vec());
    }
    for place in places {
        let full = [place.as_slice(), b"/", name].concat();
        if names::without_scheme(&full).is_some() {
            if let Some(found) = resolve(vm, &full) {
                return Some(found);
            }
            continue;
        }
        if memchr::memmem::find(&full, b"://").is_some() {
            let found = status(vm, &full, status_options::STAT_QUIET).ok()?;
            if found.is_some() {
                return Some(full);
            }
            continue;
        }
        if let Ok(found) = std::fs::canonicalize(path(&full))
            && found.is_file()
        {
            return Some(found.as_os_str().as_bytes().to_vec());
        }
    }
    None
}

/// The directories of an include path; the colon of a scheme does not separate.
fn parts_of(include_path: &[u8]) -> Vec<Vec<u8>> {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    let mut is_scheme = false;
    for part in include_path.split(|&byte| byte == b':') {
        match parts.last_mut() {
            Some(last) if is_scheme && part.starts_with(b"//") => {
                last.push(b':');
                last.extend_from_slice(part);
            }
            _ => parts.push(part.to_vec()),
        }
        is_scheme = part.len() > 1 && part.iter().all(|byte| byte.is_ascii_alphanumeric());
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Opens the archive that the running code is the stub of.
pub(super) fn open_running(vm: &mut Vm, alias: Option<&[u8]>) -> Result<Shared, String> {
    let file = vm.current_file().as_bytes().to_vec();
    let opening = Opening {
        alias,
        is_data: false,
    };
    if let Some(rest) = names::without_scheme(&file) {
        let (archive, _) = names::split(vm, rest, Extension::Any, Presence::Exists)
            .map_err(|_| String::from("__HALT_COMPILER(); must be declared in a phar"))?;
        return match table::open_existing(vm, &archive, opening)? {
            Some(found) => Ok(found),
            None => Err("__HALT_COMPILER(); must be declared in a phar".into()),
        };
    }
    if phars(vm).find(&file).is_none() {
        let Ok(source) = super::source::Source::open(&path(&file)) else {
            return Err("cannot initialize a phar outside of PHP execution".into());
        };
        let is_packed = source.read_most(0, 2) == [0x1f, 0x8b];
        if !is_packed
            && source.find(&HALT.to_ascii_lowercase()).is_none()
            && source.read_most(0, 2) != b"PK"
        {
            return Err("__HALT_COMPILER(); must be declared in a phar".into());
        }
    }
    match table::open_existing(vm, &file, opening)? {
        Some(found) => Ok(found),
        None => Err(format!(
            "unable to open phar for reading \"{}\"",
            shown(&file)
        )),
    }
}

pub(super) fn map_phar(call: &mut Call<'_>) -> PhpResult<Value> {
    let alias = call.optional_bytes(0);
    match open_running(call.vm, alias) {
        Ok(_) => Ok(true.into()),
        Err(problem) => Err(throw(call.vm, "PharException", &problem)),
    }
}

pub(super) fn load_phar(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::standard::files::check_path(call, 0)?;
    let name = call.bytes(0);
    let opening = Opening {
        alias: call.optional_bytes(1),
        is_data: memchr::memmem::find(name, b".phar").is_none(),
    };
    match table::open_existing(call.vm, name, opening) {
        Ok(Some(_)) => Ok(true.into()),
        Ok(None) => {
            let message = format!("unable to open phar for reading \"{}\"", shown(name));
            Err(throw(call.vm, "PharException", &message))
        }
        Err(problem) => Err(throw(call.vm, "PharException", &problem)),
    }
}

pub(super) fn running(call: &mut Call<'_>) -> PhpResult<Value> {
    match running_archive(call.vm) {
        Some(archive) if call.bool(0) => text(call.vm, [SCHEME, &archive].concat()),
        Some(archive) => text(call.vm, archive),
        None => text(call.vm, ""),
    }
}

pub(super) fn intercept(call: &mut Call<'_>) -> PhpResult<Value> {
    phars(call.vm).intercepts = true;
    Ok(Value::NULL)
}
