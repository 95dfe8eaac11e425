//! `glob`: files by pattern.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;

use vm_runtime::function::Call;
use vm_runtime::limits::Waits;
use vm_runtime::limits::directories::lies_within;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::directory::string_list;
use super::open::{check_path, path};
use crate::support::functions;

functions! {
    "glob(path $pattern, int $flags = 0): array|false" => glob,
}

/// The flags that a script may use. The library has others, which need more than a pattern.
pub(crate) const AVAILABLE: i64 = (libc::GLOB_BRACE
    | libc::GLOB_MARK
    | libc::GLOB_NOSORT
    | libc::GLOB_NOCHECK
    | libc::GLOB_NOESCAPE
    | libc::GLOB_ERR
    | libc::GLOB_ONLYDIR) as i64;

/// The longest pattern, in bytes.
const LONGEST: usize = libc::PATH_MAX as usize;

fn glob(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let (pattern, flags) = (call.bytes(0).to_vec(), call.long(1));
    if pattern.len() >= LONGEST {
        call.vm.function_warning(format!(
            "Pattern exceeds the maximum allowed length of {LONGEST} characters"
        ));
        return Ok(false.into());
    }
    if flags & !AVAILABLE != 0 {
        call.vm.function_warning(
            "At least one of the passed flags is invalid or not supported on this platform",
        );
        return Ok(false.into());
    }
    let Some(mut found) = find_by_pattern(&pattern, flags) else {
        return Ok(false.into());
    };
    found.retain(|name| lies_within(call.vm, name));
    Ok(string_list(call.vm, found))
}

/// The names that a pattern finds; None if a directory cannot be read and the flags ask for an end then.
pub(crate) fn find_by_pattern(pattern: &[u8], flags: i64) -> Option<Vec<Vec<u8>>> {
    let plain = flags as i32 & !(libc::GLOB_ONLYDIR | libc::GLOB_BRACE);
    let (mut found, mut waits) = (Vec::new(), Waits::begin());
    if flags as i32 & libc::GLOB_BRACE != 0 {
        // The library recurses, and takes as long as there are combinations.
        let mut waiting = vec![pattern.to_vec()];
        while let Some(next) = waiting.pop() {
            waits.poll();
            match alternatives(&next, plain & libc::GLOB_NOESCAPE == 0) {
                Some(more) => waiting.extend(more.into_iter().rev()),
                None => found.extend(matching(&next, plain & !libc::GLOB_NOCHECK, &mut waits)?),
            }
        }
    }
    if found.is_empty() {
        found = matching(pattern, plain, &mut waits)?;
    }
    if flags as i32 & libc::GLOB_ONLYDIR != 0 {
        found.retain(|name| {
            waits.poll();
            path(name).is_dir()
        });
    }
    Some(found)
}

/// The patterns that the first braces of a pattern stand for; None if it has none.
fn alternatives(pattern: &[u8], escapes: bool) -> Option<Vec<Vec<u8>>> {
    let mut start = None;
    let (mut depth, mut parts, mut part) = (0, Vec::new(), 0);
    let mut index = 0;
    while index < pattern.len() {
        match pattern[index] {
            b'\\' if escapes => index += 1,
            b'{' if start.is_none() && pattern.get(index + 1) == Some(&b'}') => index += 1,
            b'{' => {
                if start.is_none() {
                    start = Some(index);
                    part = index + 1;
                }
                depth += 1;
            }
            b',' if depth == 1 => {
                parts.push(&pattern[part..index]);
                part = index + 1;
            }
            b'}' if depth == 1 => {
                parts.push(&pattern[part..index]);
                let (before, behind) = (&pattern[..start?], &pattern[index + 1..]);
                let join = |part: &[u8]| [before, part, behind].concat();
                return Some(parts.into_iter().map(join).collect());
            }
            b'}' if depth > 1 => depth -= 1,
            _ => {}
        }
        index += 1;
    }
    None
}

/// A part of a pattern between slashes, and the slashes in front of it.
struct Piece<'p> {
    slashes: &'p [u8],
    part: &'p [u8],
}

fn pieces(pattern: &[u8]) -> Vec<Piece<'_>> {
    let (mut rest, mut pieces) = (pattern, Vec::new());
    loop {
        let start = rest.iter().position(|&byte| byte != b'/');
        let (slashes, behind) = rest.split_at(start.unwrap_or(rest.len()));
        let end = memchr::memchr(b'/', behind).unwrap_or(behind.len());
        let (part, behind) = behind.split_at(end);
        pieces.push(Piece { slashes, part });
        if behind.is_empty() {
            return pieces;
        }
        rest = behind;
    }
}

/// Whether a part of a pattern stands for more than itself.
fn is_open(part: &[u8], escapes: bool) -> bool {
    let (mut index, last) = (0, memchr::memrchr(b']', part));
    while let Some(byte) = part.get(index) {
        match byte {
            b'\\' if escapes => index += 1,
            b'*' | b'?' => return true,
            b'[' if last > Some(index) => return true,
            _ => {}
        }
        index += 1;
    }
    false
}

fn without_escapes(part: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(part.len());
    let mut bytes = part.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\\' => plain.extend(bytes.next()),
            _ => plain.push(byte),
        }
    }
    plain
}

/// A part of a pattern in which brackets that nothing closes are escaped: the library looks for the end of each.
fn with_plain_brackets(part: &[u8]) -> Vec<u8> {
    let (mut plain, last) = (Vec::with_capacity(part.len()), memchr::memrchr(b']', part));
    let mut bytes = part.iter().enumerate();
    while let Some((index, &byte)) = bytes.next() {
        if byte == b'[' && last < Some(index) {
            plain.push(b'\\');
        }
        plain.push(byte);
        if byte == b'\\' {
            plain.extend(bytes.next().map(|(_, &escaped)| escaped));
        }
    }
    plain
}

/// The names that match a pattern without braces. The library's own function cannot be left on the way, and
/// its memory is not counted.
fn matching(pattern: &[u8], flags: i32, waits: &mut Waits) -> Option<Vec<Vec<u8>>> {
    let mut pieces = pieces(pattern);
    // A slash at the end asks for directories, and is put behind what is one.
    let asks_for_directories =
        pieces.len() > 1 && pieces.last().is_some_and(|last| last.part.is_empty());
    if asks_for_directories {
        pieces.pop();
    }
    let mut names = vec![Vec::new()];
    for (index, piece) in pieces.iter().enumerate() {
        let is_last = index + 1 == pieces.len();
        let mut longer = Vec::new();
        for mut name in names {
            waits.poll();
            name.extend_from_slice(piece.slashes);
            let directories = !is_last || asks_for_directories;
            let kinds = [is_last, directories];
            if !find_piece(name, piece.part, kinds, flags, &mut longer, waits) {
                return None;
            }
        }
        names = longer;
    }
    // The library marks some of them twice.
    let marks = flags & libc::GLOB_MARK != 0 && (!asks_for_directories || pieces.len() == 1);
    for _ in 0..usize::from(asks_for_directories) + usize::from(marks) {
        for name in &mut names {
            waits.poll();
            if path(name).is_dir() {
                name.push(b'/');
            }
        }
    }
    if names.is_empty() && flags & libc::GLOB_NOCHECK != 0 {
        names.push(pattern.to_vec());
    }
    if flags & libc::GLOB_NOSORT == 0 {
        names.sort_unstable();
    }
    Some(names)
}

/// Adds what matches one part of a pattern in the directory `name`. False if that cannot be read, and the
/// flags say that the search ends then.
fn find_piece(
    mut name: Vec<u8>,
    part: &[u8],
    [is_last, directories]: [bool; 2],
    flags: i32,
    found: &mut Vec<Vec<u8>>,
    waits: &mut Waits,
) -> bool {
    let escapes = flags & libc::GLOB_NOESCAPE == 0;
    if part.is_empty() {
        if path(&name).is_dir() {
            found.push(name);
        }
        return true;
    }
    // Nothing has a name that ends with the beginning of an escape.
    let last = part.iter().rev().take_while(|&&byte| byte == b'\\').count();
    if is_last && !directories && escapes && last % 2 == 1 {
        return true;
    }
    if !is_open(part, escapes) {
        match escapes {
            true => name.extend(without_escapes(part)),
            false => name.extend_from_slice(part),
        }
        if !is_last || std::fs::symlink_metadata(path(&name)).is_ok() {
            found.push(name);
        }
        return true;
    }
    let part = match escapes {
        true => with_plain_brackets(part),
        false => part.to_vec(),
    };
    let Ok(part) = CString::new(part) else {
        return true;
    };
    let flags_of_names = match escapes {
        true => libc::FNM_PERIOD,
        false => libc::FNM_PERIOD | libc::FNM_NOESCAPE,
    };
    let matches = |entry: &[u8]| {
        let Ok(entry) = CString::new(entry) else {
            return false;
        };
        // SAFETY: both texts end with a zero.
        unsafe { libc::fnmatch(part.as_ptr(), entry.as_ptr(), flags_of_names) == 0 }
    };
    let directory: &[u8] = if name.is_empty() { b"." } else { &name };
    let entries = match std::fs::read_dir(path(directory)) {
        Ok(entries) => entries,
        Err(error) => {
            let is_fatal = error.raw_os_error() != Some(libc::ENOTDIR);
            return !is_fatal || flags & libc::GLOB_ERR == 0;
        }
    };
    let mut add = |entry: &[u8]| found.push([&name, entry].concat());
    for entry in [".", ".."].map(str::as_bytes) {
        if matches(entry) {
            add(entry);
        }
    }
    for entry in entries.flatten() {
        waits.poll();
        if matches(entry.file_name().as_bytes()) && (!directories || is_directory(&entry)) {
            add(entry.file_name().as_bytes());
        }
    }
    true
}

/// True for directories, and links to some.
fn is_directory(entry: &std::fs::DirEntry) -> bool {
    match entry.file_type() {
        Ok(kind) if kind.is_symlink() => entry.path().is_dir(),
        Ok(kind) => kind.is_dir(),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::alternatives;

    #[test]
    fn braces_stand_for_patterns() {
        let of = |pattern: &str| {
            let found = alternatives(pattern.as_bytes(), true)?;
            let text = |part| String::from_utf8(part).expect("text");
            Some(found.into_iter().map(text).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(of("a{b,c}d").as_deref(), Some("abd acd"));
        assert_eq!(of("{a,{b,c}}").as_deref(), Some("a {b,c}"));
        assert_eq!(of("a{b}{c,d}").as_deref(), Some("ab{c,d}"));
        assert_eq!(of("{}{a,b}").as_deref(), Some("{}a {}b"));
        assert_eq!(of("a\\{b,c}"), None);
        assert_eq!(of("a{b,c"), None);
        assert_eq!(of("abc"), None);
    }
}
