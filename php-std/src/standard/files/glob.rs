//! `glob`: files by pattern.

use std::cell::Cell;
use std::ffi::{CStr, CString};

use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::limits::directories::lies_within;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::directory::string_list;
use super::open::{check_path, path};
use crate::support::functions;

functions! {
    "glob(string $pattern, int $flags = 0): array|false" => glob,
}

/// The flags that a script may use. The library has others, which need more than a pattern.
pub(super) const AVAILABLE: i64 = (libc::GLOB_BRACE
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
    let mut found = find_by_pattern(&pattern, flags);
    found.retain(|name| lies_within(call.vm, name));
    Ok(string_list(call.vm, found))
}

/// The names that a pattern finds.
pub(crate) fn find_by_pattern(pattern: &[u8], flags: i64) -> Vec<Vec<u8>> {
    let plain = flags as i32 & !(libc::GLOB_ONLYDIR | libc::GLOB_BRACE);
    let mut found = Vec::new();
    if flags as i32 & libc::GLOB_BRACE != 0 {
        // The library recurses, and takes as long as there are combinations.
        let mut waiting = vec![pattern.to_vec()];
        while let Some(next) = waiting.pop() {
            limits::poll();
            match alternatives(&next, plain & libc::GLOB_NOESCAPE == 0) {
                Some(more) => waiting.extend(more.into_iter().rev()),
                None => found.extend(matching(&next, plain & !libc::GLOB_NOCHECK)),
            }
        }
    }
    if found.is_empty() {
        found = matching(pattern, plain);
    }
    if flags as i32 & libc::GLOB_ONLYDIR != 0 {
        found.retain(|name| path(name).is_dir());
    }
    found
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

/// The library's `glob_t`, with the functions by which it reads directories.
#[repr(C)]
struct Search {
    count: libc::size_t,
    names: *mut *mut libc::c_char,
    offset: libc::size_t,
    flags: libc::c_int,
    close: unsafe extern "C" fn(*mut libc::c_void),
    read: unsafe extern "C" fn(*mut libc::c_void) -> *mut libc::dirent,
    open: unsafe extern "C" fn(*const libc::c_char) -> *mut libc::c_void,
    status: unsafe extern "C" fn(*const libc::c_char, *mut libc::stat) -> libc::c_int,
    link_status: unsafe extern "C" fn(*const libc::c_char, *mut libc::stat) -> libc::c_int,
}

const _: () = assert!(size_of::<Search>() == size_of::<libc::glob_t>());

/// Use the functions of [`Search`].
const OWN_FUNCTIONS: libc::c_int = 1 << 6;

thread_local! {
    /// Bytes that the search may have taken so far.
    static TAKEN: Cell<usize> = const { Cell::new(0) };
}

/// True if the search has to come to an end. The library cannot be left otherwise.
fn is_over() -> bool {
    limits::is_ending() || !limits::fits(TAKEN.get())
}

unsafe extern "C" fn open(name: *const libc::c_char) -> *mut libc::c_void {
    if is_over() {
        return std::ptr::null_mut();
    }
    // SAFETY: the library gives a name that ends with a zero.
    unsafe { libc::opendir(name).cast() }
}

unsafe extern "C" fn read(directory: *mut libc::c_void) -> *mut libc::dirent {
    if is_over() {
        return std::ptr::null_mut();
    }
    // SAFETY: the library gives what `open` gave.
    let entry = unsafe { libc::readdir(directory.cast()) };
    // A name, its directory and a pointer; found names are held twice.
    TAKEN.set(TAKEN.get() + 128);
    entry
}

unsafe extern "C" fn close(directory: *mut libc::c_void) {
    // SAFETY: as for `read`. There is nobody to tell of an error.
    unsafe { libc::closedir(directory.cast()) };
}

/// The names that match a pattern without braces.
fn matching(pattern: &[u8], flags: i32) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let Ok(pattern) = CString::new(pattern) else {
        return found;
    };
    let mut search = Search {
        count: 0,
        names: std::ptr::null_mut(),
        offset: 0,
        flags: 0,
        close,
        read,
        open,
        status: libc::stat,
        link_status: libc::lstat,
    };
    // Sorting takes long, too.
    let library_flags = flags | OWN_FUNCTIONS | libc::GLOB_NOSORT;
    TAKEN.set(0);
    // SAFETY: the pattern is zero-terminated; `Search` is laid out as the library wants it; the result is
    // freed after it was copied.
    unsafe {
        let list = (&raw mut search).cast::<libc::glob_t>();
        if libc::glob(pattern.as_ptr(), library_flags, None, list) == 0 && !is_over() {
            for index in 0..search.count {
                let name = CStr::from_ptr(*search.names.add(index));
                found.push(name.to_bytes().to_vec());
            }
        }
        libc::globfree(list);
    }
    // Nothing of the library's is held any more: the limits may take effect.
    limits::poll();
    limits::reserve(TAKEN.get());
    if flags & libc::GLOB_NOSORT == 0 {
        found.sort_unstable();
    }
    found
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
