//! PHP's patterns: delimiters and modifiers around a PCRE2 pattern, and the cache of compiled ones.

use std::rc::Rc;

use pcre2_sys as ffi;
use vm_runtime::string::are_equal;
use vm_runtime::vm::Vm;

use super::State;
use super::regex::{MatchError, Regex};
use crate::support::current_function;

/// Compiled patterns that are kept.
const CACHE_SIZE: usize = 4096;
/// And the bytes that they may take all together, which count against the memory limit.
const CACHE_BYTES: usize = 8 << 20;

/// Patterns that were used lately, by where their text stands: literals stay where they are, so that
/// their text need not be hashed each time.
#[derive(Debug)]
pub(super) struct Recent([Option<KnownPattern>; Recent::SIZE]);

/// The text of a pattern and its compiled form.
type KnownPattern = (Box<[u8]>, Rc<Regex>);

impl Default for Recent {
    fn default() -> Recent {
        Recent(std::array::from_fn(|_| None))
    }
}

impl Recent {
    const SIZE: usize = 64;

    fn place(pattern: &[u8]) -> usize {
        let address = pattern.as_ptr() as usize;
        (address >> 3 ^ address >> 10) % Recent::SIZE
    }

    fn get(&self, pattern: &[u8]) -> Option<&Rc<Regex>> {
        let (text, regex) = self.0[Recent::place(pattern)].as_ref()?;
        are_equal(text, pattern).then_some(regex)
    }

    fn note(&mut self, pattern: &[u8], regex: &Rc<Regex>) {
        self.0[Recent::place(pattern)] = Some((pattern.into(), regex.clone()));
    }
}

/// The compiled form of a pattern that was used before.
pub(super) fn known(vm: &mut Vm, pattern: &[u8]) -> Option<Rc<Regex>> {
    let state = vm.extensions.state::<State>();
    if let Some(regex) = state.recent.get(pattern) {
        return Some(regex.clone());
    }
    let regex = state.cache.get(pattern)?;
    state.recent.note(pattern, regex);
    Some(regex.clone())
}

/// The compiled form of a pattern; nothing, after a warning, if it is broken.
pub(super) fn compiled(vm: &mut Vm, pattern: &[u8]) -> Option<Rc<Regex>> {
    match try_compiled(vm, pattern) {
        Ok(regex) => Some(regex),
        Err(problem) => {
            vm.warning(format!("{}(): {problem}", current_function(vm)));
            None
        }
    }
}

/// The compiled form of a pattern, or what is wrong with it.
pub(super) fn try_compiled(vm: &mut Vm, pattern: &[u8]) -> Result<Rc<Regex>, String> {
    if let Some(regex) = known(vm, pattern) {
        return Ok(regex);
    }
    let jit = vm.extensions.state::<State>().jit;
    match compile(pattern, jit) {
        Ok(mut regex) => {
            regex.make_keys(vm);
            let regex = Rc::new(regex);
            let state = vm.extensions.state::<State>();
            if state.cache.len() >= CACHE_SIZE || state.cached_bytes + regex.size() > CACHE_BYTES {
                state.forget_patterns();
            }
            state.cached_bytes += regex.size();
            state.cache.insert(pattern.into(), regex.clone());
            Ok(regex)
        }
        Err(problem) => {
            vm.extensions.state::<State>().error = Some(MatchError::Internal);
            Err(problem)
        }
    }
}

fn compile(pattern: &[u8], jit: bool) -> Result<Regex, String> {
    let start = pattern
        .iter()
        .position(|byte| !matches!(byte, b' ' | b'\t'..=b'\r'));
    let Some(start) = start else {
        return Err(String::from("Empty regular expression"));
    };
    let open = pattern[start];
    if open.is_ascii_alphanumeric() || open == b'\\' || open == 0 {
        return Err(String::from(
            "Delimiter must not be alphanumeric, backslash, or NUL byte",
        ));
    }
    let body = &pattern[start + 1..];
    let close = match open {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b'<' => b'>',
        other => other,
    };
    let end = closing(body, open, close).ok_or_else(|| {
        let kind = if open == close {
            "ending"
        } else {
            "ending matching"
        };
        format!(
            "No {kind} delimiter '{}' found",
            vm_runtime::message::text(&[close])
        )
    })?;
    let (options, extra) = modifiers(&body[end + 1..])?;
    Regex::compile(&body[..end], options, extra, jit).map_err(|error| {
        format!(
            "Compilation failed: {} at offset {}",
            error.message, error.offset
        )
    })
}

/// Where the closing delimiter stands; brackets may nest.
fn closing(body: &[u8], open: u8, close: u8) -> Option<usize> {
    let mut depth = 1;
    let mut at = 0;
    while at < body.len() {
        let byte = body[at];
        if byte == b'\\' {
            at += 2;
            continue;
        }
        if byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        } else if byte == open {
            depth += 1;
        }
        at += 1;
    }
    None
}

fn modifiers(letters: &[u8]) -> Result<(u32, u32), String> {
    let mut options = 0;
    let mut extra = ffi::PCRE2_EXTRA_ALLOW_LOOKAROUND_BSK;
    for &letter in letters {
        options |= match letter {
            b'i' => ffi::PCRE2_CASELESS,
            b'm' => ffi::PCRE2_MULTILINE,
            b's' => ffi::PCRE2_DOTALL,
            b'x' => ffi::PCRE2_EXTENDED,
            b'n' => ffi::PCRE2_NO_AUTO_CAPTURE,
            b'A' => ffi::PCRE2_ANCHORED,
            b'D' => ffi::PCRE2_DOLLAR_ENDONLY,
            b'U' => ffi::PCRE2_UNGREEDY,
            b'u' => ffi::PCRE2_UTF | ffi::PCRE2_UCP | ffi::PCRE2_NEVER_BACKSLASH_C,
            b'J' => ffi::PCRE2_DUPNAMES,
            b'r' => {
                extra |= ffi::PCRE2_EXTRA_CASELESS_RESTRICT;
                0
            }
            b'S' | b'X' | b' ' | b'\n' | b'\r' => 0,
            0 => return Err(String::from("NUL byte is not a valid modifier")),
            other => {
                return Err(format!(
                    "Unknown modifier '{}'",
                    vm_runtime::message::text(&[other])
                ));
            }
        };
    }
    Ok((options, extra))
}
