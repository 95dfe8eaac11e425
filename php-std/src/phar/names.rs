//! Names: where in `phar://path/app.phar/entry` the archive ends, and what makes a name one of an
//! archive.

use std::os::unix::ffi::OsStrExt;
use std::path::Component;

use vm_runtime::vm::Vm;

use super::table::Phars;
use crate::standard::files::path;

/// `phar://`
pub(super) const SCHEME: &[u8] = b"phar://";

/// The longest extension of an archive.
const LONGEST_EXTENSION: usize = 50;

/// What a path is shorter than: nothing is there by a longer name, so that it need not be looked for.
pub(super) const LONGEST_PATH: usize = libc::PATH_MAX as usize;

/// Which extensions are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extension {
    /// One with `.phar` in it.
    Executable,
    /// One without.
    Data,
    /// Any.
    Any,
}

/// Whether the file of an archive is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// It must be.
    Exists,
    /// It must not be, but its directory.
    Missing,
    /// Its directory must be.
    Either,
}

/// Why a name is none of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Problem {
    /// No extension at all.
    NoExtension,
    /// None that leads to an archive.
    NoArchive,
}

/// The name without `phar://`, if it has that.
pub(super) fn without_scheme(name: &[u8]) -> Option<&[u8]> {
    let start = name.get(..SCHEME.len())?;
    start
        .eq_ignore_ascii_case(SCHEME)
        .then(|| &name[SCHEME.len()..])
}

/// A path from the root, with `.` and `..` taken away; links stay.
pub(super) fn expand(name: &[u8]) -> Vec<u8> {
    let full = std::env::current_dir().unwrap_or_default().join(path(name));
    let mut result = std::path::PathBuf::new();
    for component in full.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(result.pop()),
            other => result.push(other),
        }
    }
    result.as_os_str().as_bytes().to_vec()
}

/// The name of an entry with `.`, `..` and double slashes taken away, and without a slash at its
/// start. One that begins with `./` lies in `directory`.
pub(super) fn normalise(name: &[u8], directory: Option<&[u8]>) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = Vec::new();
    let is_here = name.len() > 2 && name.starts_with(b"./");
    let before = directory.filter(|_| is_here).unwrap_or_default();
    for part in before
        .split(|&byte| byte == b'/')
        .chain(name.split(|&byte| byte == b'/'))
    {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join(&b"/"[..])
}

/// Whether there is (or can be) an archive of a name.
fn is_present(name: &[u8], presence: Presence) -> bool {
    let full = path(&expand(name));
    match std::fs::metadata(&full) {
        Ok(found) => !found.is_dir() && presence != Presence::Missing,
        Err(_) if presence == Presence::Exists => false,
        Err(_) => full.parent().is_some_and(std::path::Path::is_dir),
    }
}

/// True if `extension`, with what stands around it, may be one of an archive.
fn is_extension(name: &[u8], from: usize, to: usize, wanted: Extension) -> bool {
    let extension = &name[from..to];
    if extension.len() >= LONGEST_EXTENSION {
        return false;
    }
    let position = memchr::memmem::find(extension, b".phar");
    let is_phar = position.is_some_and(|at| {
        let before = from + at;
        (before == 0 || name[before - 1] != b'/')
            && extension.get(at + 5).is_none_or(|&byte| byte == b'.')
    });
    let has_letters = extension.get(1).is_some_and(|&byte| byte != b'.');
    match wanted {
        Extension::Executable => is_phar,
        Extension::Data => !is_phar && has_letters,
        Extension::Any => has_letters,
    }
}

/// Where the name of an archive ends in a name without scheme. Only the start of the name is looked through that
/// could be a path.
pub(super) fn archive_end(
    name: &[u8],
    wanted: Extension,
    presence: Presence,
) -> Result<usize, Problem> {
    if name.len() <= 1 {
        return Err(Problem::NoExtension);
    }
    let next_dot = |from: usize| {
        let rest = name.get(from..)?;
        memchr::memchr(b'.', rest).map(|at| from + at)
    };
    let mut dot = next_dot(1).ok_or(Problem::NoExtension)?;
    while dot < LONGEST_PATH {
        while name[dot - 1] == b'/' {
            dot = next_dot(dot + 1).ok_or(Problem::NoArchive)?;
        }
        let slash = memchr::memchr(b'/', &name[dot..]).map(|at| dot + at);
        let end = slash.unwrap_or(name.len());
        if is_extension(name, dot, end, wanted) && is_present(&name[..end], presence) {
            return Ok(end);
        }
        if slash.is_none() {
            return Err(Problem::NoArchive);
        }
        dot = next_dot(dot + 1).ok_or(Problem::NoArchive)?;
    }
    Err(Problem::NoArchive)
}

/// The archive and the entry of a name, which may begin with `phar://`. An alias stands for itself.
pub(super) fn split(
    vm: &mut Vm,
    name: &[u8],
    wanted: Extension,
    presence: Presence,
) -> Result<(Vec<u8>, Vec<u8>), Problem> {
    let name = without_scheme(name).unwrap_or(name);
    let phars = vm.extensions.state::<Phars>();
    let end = match phars.known_start(name) {
        Some(end) => end,
        None => archive_end(name, wanted, presence)?,
    };
    Ok((name[..end].to_vec(), normalise(&name[end..], None)))
}

/// What is wrong with the name of an entry that is to be made.
pub(super) fn path_problem(name: &[u8]) -> Option<&'static str> {
    let mut rest = name;
    let mut previous_is_slash = false;
    if rest.is_empty() {
        return Some("must not be empty");
    }
    // Only at the start and as whole names are dots a way up.
    let parts = name.split(|&byte| byte == b'/');
    while let Some(&byte) = rest.first() {
        match byte {
            b'/' if previous_is_slash => return Some("contains double slash"),
            b'\\' => return Some("contains back-slash"),
            b'*' => return Some("contains star"),
            // Older versions cut a query off; it goes with the name.
            0..=8 | 11 | 12 | 14..=31 | 127 => return Some("contains illegal character"),
            _ => {}
        }
        previous_is_slash = byte == b'/';
        rest = &rest[1..];
    }
    // At the start of a longer name they are not minded.
    let first = usize::from(name.contains(&b'/'));
    for part in parts.skip(first) {
        match part {
            b".." => return Some("contains upper directory reference"),
            b"." => return Some("contains current directory reference"),
            _ => {}
        }
    }
    if std::str::from_utf8(name).is_err() {
        return Some("contains illegal character");
    }
    None
}

/// True if a text can be an alias.
pub(super) fn is_alias(alias: &[u8]) -> bool {
    !alias.iter().any(|byte| b"/\\:;\n\r".contains(byte))
}

/// True if a name could be one of an archive, whether there is one or not.
pub(super) fn has_extension(name: &[u8], wanted: Extension) -> bool {
    let base = memchr::memrchr(b'/', name).map_or(0, |at| at + 1);
    let Some(dot) = memchr::memchr(b'.', &name[base..]) else {
        return false;
    };
    let dot = base + dot;
    let is_dotfile = dot == 0 || name[dot - 1] == b'/';
    let dot = match is_dotfile {
        true => match memchr::memchr(b'.', &name[dot + 1..]) {
            Some(next) => dot + 1 + next,
            None => return false,
        },
        false => dot,
    };
    is_extension(name, dot, name.len(), wanted)
}
