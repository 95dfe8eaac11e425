//! `Phar::extractTo()`.

use std::io;
use std::os::unix::fs::PermissionsExt;

use vm_runtime::function::Call;
use vm_runtime::limits::{self, directories::lies_within};
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::archive::{Shared, flags, shown};
use super::classes::{archive, unexpected};
use super::names::{expand, normalise};
use crate::spl::throw;
use crate::standard::files::{check_path, path};

pub(super) fn extract_to(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    check_path(call, 0)?;
    let (target, overwrite) = (call.bytes(0).to_vec(), call.bool(2));
    if target.is_empty() {
        return Err(throw(
            call.vm,
            "InvalidArgumentException",
            "Invalid argument, extraction path must be non-zero length",
        ));
    }
    if target.len() >= 4096 {
        let message = format!(
            "Cannot extract to \"{}...\", destination directory is too long for filesystem",
            shown(&target[..50])
        );
        return Err(throw(call.vm, "InvalidArgumentException", &message));
    }
    let wanted = wanted_names(call)?;
    let directory = path(&target);
    match std::fs::metadata(&directory) {
        Err(_) => {
            if !lies_within(call.vm, &target) || std::fs::create_dir_all(&directory).is_err() {
                let message = format!(
                    "Unable to create path \"{}\" for extraction",
                    shown(&target)
                );
                return Err(throw(call.vm, "RuntimeException", &message));
            }
        }
        Ok(found) if !found.is_dir() => {
            let message = format!(
                "Unable to use path \"{}\" for extraction, it is a file, must be a directory",
                shown(&target)
            );
            return Err(throw(call.vm, "RuntimeException", &message));
        }
        Ok(_) => {}
    }
    let names = match wanted {
        None => all_names(&shared, b""),
        Some(wanted) => {
            let mut names = Vec::new();
            for name in wanted {
                let found = match name.is_empty() {
                    true => Vec::new(),
                    false => all_names(&shared, &name),
                };
                if found.is_empty() {
                    let message = format!(
                        "phar error: attempted to extract non-existent file or directory \"{}\" from phar \"{}\"",
                        shown(&name),
                        shared.borrow().shown()
                    );
                    return Err(throw(call.vm, "PharException", &message));
                }
                names.extend(found);
            }
            names
        }
    };
    for name in names {
        limits::poll();
        if let Err(problem) = extract(call.vm, &shared, &name, &target, overwrite) {
            let message = format!(
                "Extraction from phar \"{}\" failed: {problem}",
                shared.borrow().shown()
            );
            return Err(throw(call.vm, "PharException", &message));
        }
    }
    Ok(true.into())
}

/// The names in argument #2; none if everything is wanted.
fn wanted_names(call: &mut Call<'_>) -> PhpResult<Option<Vec<Vec<u8>>>> {
    if !call.has(1) {
        return Ok(None);
    }
    let given = call.value(1);
    let mut names = Vec::new();
    match given.view() {
        ValueKind::String(name) => names.push(name.as_bytes().to_vec()),
        ValueKind::Array(list) => {
            if list.is_empty() {
                return Ok(Some(names));
            }
            for (_, name) in list.iter() {
                match name.deref().view() {
                    ValueKind::String(name) => names.push(name.as_bytes().to_vec()),
                    _ => {
                        return Err(throw(
                            call.vm,
                            "InvalidArgumentException",
                            "Invalid argument, array of filenames to extract contains non-string value",
                        ));
                    }
                }
            }
        }
        _ => return Err(unexpected(call.vm, "Invalid argument")),
    }
    Ok(Some(names))
}

/// An entry and all below it; everything for an empty name.
fn all_names(shared: &Shared, wanted: &[u8]) -> Vec<Vec<u8>> {
    let archive = shared.borrow();
    let is_wanted = |name: &[u8]| {
        let directory = wanted.strip_suffix(b"/").unwrap_or(wanted);
        wanted.is_empty()
            || name == directory && (archive.is_directory(name) || directory == wanted)
            || name
                .strip_prefix(directory)
                .is_some_and(|rest| rest.starts_with(b"/"))
    };
    let entries = archive.entries.iter().filter(|entry| !entry.is_magic());
    entries
        .filter(|entry| is_wanted(&entry.name))
        .map(|entry| entry.name.clone())
        .collect()
}

fn extract(
    vm: &mut Vm,
    shared: &Shared,
    name: &[u8],
    target: &[u8],
    overwrite: bool,
) -> Result<(), String> {
    let file = shown(name);
    // Steps up stay in the directory.
    let inside = normalise(name, None);
    if inside.is_empty() {
        return Err(format!("Cannot extract \"{file}\", internal error"));
    }
    let full = [target, b"/", &inside].concat();
    let shown_full = shown(&full);
    if full.len() >= 4096 {
        return Err(format!(
            "Cannot extract \"{file}\" to \"{shown_full}\", extracted filename is too long for filesystem"
        ));
    }
    if !lies_within(vm, &expand(&full)) {
        return Err(format!(
            "Cannot extract \"{file}\" to \"{shown_full}\", openBasedir/safe mode restrictions in effect"
        ));
    }
    let place = path(&full);
    let (is_directory, permissions) = {
        let archive = shared.borrow();
        let Some(entry) = archive.entries.get(name) else {
            return Ok(());
        };
        if entry.is_mounted() {
            return Ok(());
        }
        (entry.is_directory, entry.flags & flags::PERMISSIONS)
    };
    if !overwrite && !is_directory && std::fs::symlink_metadata(&place).is_ok() {
        return Err(format!(
            "Cannot extract \"{file}\" to \"{shown_full}\", path already exists"
        ));
    }
    // A directory appears with what is in it.
    if let Some(parent) = place.parent()
        && std::fs::create_dir_all(parent).is_err()
    {
        return Err(format!(
            "Cannot extract \"{file}\", could not create directory \"{}\"",
            parent.display()
        ));
    }
    if is_directory {
        return Ok(());
    }
    let contents = shared.borrow_mut().contents(name);
    let contents = contents.map_err(|problem| {
        let problem = problem.strip_prefix("phar error: ").unwrap_or(&problem).to_string();
        format!(
            "Cannot extract \"{file}\" to \"{shown_full}\", unable to open internal file pointer: {problem}"
        )
    })?;
    let written: io::Result<()> = (|| {
        // What is there may be a link that leads elsewhere.
        if std::fs::symlink_metadata(&place).is_ok_and(|found| found.is_symlink()) {
            std::fs::remove_file(&place)?;
        }
        limits::write_file(&place, contents.as_slice())?;
        std::fs::set_permissions(&place, std::fs::Permissions::from_mode(permissions))
    })();
    written.map_err(|_| {
        format!("Cannot extract \"{file}\", could not open for writing \"{shown_full}\"")
    })
}
