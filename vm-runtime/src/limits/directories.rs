//! `open_basedir`: the directories that scripts are kept in.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::vm::{PhpResult, Vm};

/// Whether the setting `open_basedir` lets a script at a file; `function` warns if not.
pub fn is_allowed(vm: &mut Vm, name: &[u8], function: &str) -> PhpResult<bool> {
    if lies_within(vm, name) {
        return Ok(true);
    }
    let file = crate::message::text(name).into_owned();
    let allowed = crate::message::text(vm.ini.text("open_basedir")).into_owned();
    vm.warning(format!(
        "{function}(): open_basedir restriction in effect. File({file}) is not within the allowed path(s): ({allowed})"
    ));
    vm.check()?;
    Ok(false)
}

/// As [`is_allowed`], without a word.
pub fn lies_within(vm: &Vm, name: &[u8]) -> bool {
    let allowed = vm.ini.text("open_basedir");
    if allowed.is_empty() {
        return true;
    }
    let wanted = resolve(path(name));
    allowed
        .split(|&byte| byte == b':')
        .filter(|directory| !directory.is_empty())
        .any(|directory| wanted.starts_with(resolve(path(directory))))
}

/// The path that a name means, with or without `file://`.
fn path(name: &[u8]) -> &Path {
    let name = match name.get(..7) {
        Some(scheme) if scheme.eq_ignore_ascii_case(b"file://") => &name[7..],
        _ => name,
    };
    Path::new(OsStr::from_bytes(name))
}

/// Whether a new value of the setting keeps a script in no wider a room than the present one.
pub(crate) fn narrows(vm: &Vm, value: &[u8]) -> bool {
    let mut directories = value
        .split(|&byte| byte == b':')
        .filter(|directory| !directory.is_empty())
        .peekable();
    directories.peek().is_some()
        && directories.all(|directory| {
            !directory
                .split(|&byte| byte == b'/')
                .any(|part| part == b"..")
                && lies_within(vm, directory)
        })
}

/// The path without links, as far as it exists; what does not exist is taken by name.
fn resolve(name: &Path) -> PathBuf {
    let full = std::env::current_dir().unwrap_or_default().join(name);
    let mut rest = Vec::new();
    let mut existing = full.as_path();
    loop {
        if let Ok(mut resolved) = std::fs::canonicalize(existing) {
            for component in rest.into_iter().rev() {
                match component {
                    Component::CurDir => {}
                    Component::ParentDir => drop(resolved.pop()),
                    other => resolved.push(other),
                }
            }
            return resolved;
        }
        let mut components = existing.components();
        let Some(last) = components.next_back() else {
            return full;
        };
        rest.push(last);
        existing = components.as_path();
    }
}
