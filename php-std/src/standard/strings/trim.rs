//! `trim` and its character lists with ranges.

use vm_runtime::function::Call;
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::search::byte_set;
use crate::support::{Outcome, Plain, functions, text};

functions! {
    "#[Frameless(1, 2)] trim(string $string, string $characters = \" \\n\\r\\t\\x0B\\0\"): string" => trim | trim_directly,
    "ltrim(string $string, string $characters = \" \\n\\r\\t\\x0B\\0\"): string" => ltrim | ltrim_directly,
    "rtrim(string $string, string $characters = \" \\n\\r\\t\\x0B\\0\"): string" => rtrim | rtrim_directly,
    "chop(string $string, string $characters = \" \\n\\r\\t\\x0B\\0\"): string" => rtrim | rtrim_directly,
}

/// The set that a character list stands for: single bytes, and ranges `a..z`.
pub(crate) fn character_set(call: &mut Call<'_>, list: &[u8]) -> PhpResult<[bool; 256]> {
    set_of(list, |at| {
        let problem = range_problem(list, at);
        call.vm.warning(format!(
            "{}(): Invalid '..'-range{problem}",
            call.function().display_name()
        ));
        call.vm.check()
    })
}

/// As [`character_set`]; none if something is wrong with a range.
pub(crate) fn plain_character_set(list: &[u8]) -> Option<[bool; 256]> {
    set_of(list, |_| Err(())).ok()
}

/// The bytes of a list with ranges. `complain` is told where dots stand that make no range.
fn set_of<E>(
    list: &[u8],
    mut complain: impl FnMut(usize) -> Result<(), E>,
) -> Result<[bool; 256], E> {
    if list.len() < 2 || !list.windows(2).any(|pair| pair == b"..") {
        return Ok(byte_set(list));
    }
    let mut set = [false; 256];
    let mut at = 0;
    while at < list.len() {
        let byte = list[at];
        if list[at + 1..].starts_with(b"..") && list.get(at + 3).is_some_and(|&end| end >= byte) {
            for member in byte..=list[at + 3] {
                set[member as usize] = true;
            }
            at += 4;
            continue;
        }
        if list[at..].starts_with(b"..") {
            complain(at)?;
            at += 1;
            continue;
        }
        set[byte as usize] = true;
        at += 1;
    }
    Ok(set)
}

fn range_problem(list: &[u8], at: usize) -> &'static str {
    if at == 0 {
        ", no character to the left of '..'"
    } else if at + 2 >= list.len() {
        ", no character to the right of '..'"
    } else if list[at - 1] > list[at + 2] {
        ", '..'-range needs to be incrementing"
    } else {
        ""
    }
}

fn strip(call: &mut Call<'_>, left: bool, right: bool) -> PhpResult<Value> {
    let string = call.bytes(0);
    let set = if call.count() > 1 {
        character_set(call, call.bytes(1))?
    } else {
        DEFAULT_SET
    };
    let range = inner(string, |byte| set[byte as usize], left, right);
    if range.len() == string.len() {
        return Ok(call.value(0));
    }
    text(call.vm, &string[range])
}

/// What is left of a string when the bytes of a set go from its ends.
#[inline(always)]
fn inner(
    string: &[u8],
    is_in_set: impl Fn(u8) -> bool,
    left: bool,
    right: bool,
) -> std::ops::Range<usize> {
    let outside = |byte: &u8| !is_in_set(*byte);
    let start = if left {
        string.iter().position(outside).unwrap_or(string.len())
    } else {
        0
    };
    let end = if right {
        string[start..]
            .iter()
            .rposition(outside)
            .map_or(start, |last| start + last + 1)
    } else {
        string.len()
    };
    start..end
}

fn strip_directly(
    vm: &mut Vm,
    arguments: &[Zval],
    result: &mut Zval,
    left: bool,
    right: bool,
) -> bool {
    let (string, list) = match arguments {
        [string] => (string, None),
        [string, list] => (string, Some(list)),
        _ => return false,
    };
    let Some(bytes) = <&[u8]>::of(string) else {
        return false;
    };
    let range = match list.map(<&[u8]>::of) {
        None => inner(bytes, |byte| DEFAULT_SET[byte as usize], left, right),
        // In lists of up to two bytes there are no ranges, but `..` alone is said to be none.
        Some(Some(b"..")) => return false,
        Some(Some(&[one])) => inner(bytes, |byte| byte == one, left, right),
        Some(Some(&[one, other])) => inner(bytes, |byte| byte == one || byte == other, left, right),
        _ => return false,
    };
    if range.len() == bytes.len() {
        return Value::share(string).store(result);
    }
    vm.string(&bytes[range]).store(result)
}

fn trim_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    strip_directly(vm, arguments, result, true, true)
}

fn ltrim_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    strip_directly(vm, arguments, result, true, false)
}

fn rtrim_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    strip_directly(vm, arguments, result, false, true)
}

const DEFAULT_SET: [bool; 256] = {
    let mut set = [false; 256];
    let default = b" \n\r\t\x0B\0";
    let mut index = 0;
    while index < default.len() {
        set[default[index] as usize] = true;
        index += 1;
    }
    set
};

fn trim(call: &mut Call<'_>) -> PhpResult<Value> {
    strip(call, true, true)
}

fn ltrim(call: &mut Call<'_>) -> PhpResult<Value> {
    strip(call, true, false)
}

fn rtrim(call: &mut Call<'_>) -> PhpResult<Value> {
    strip(call, false, true)
}
