//! Versions and extensions.

use vm_runtime::function::Call;
use vm_runtime::operators::numeric_string;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::configuration::ServerInterface;
use crate::support::{direct, functions, list, static_text, text};

/// The PHP version whose language and library this is.
pub const VERSION: &str = "8.4.24";
pub(super) const MAJOR: i64 = 8;
pub(super) const MINOR: i64 = 4;
pub(super) const RELEASE: i64 = 24;

functions! {
    "phpversion(?string $extension = null): string|false" => phpversion | phpversion_directly,
    "php_sapi_name(): string|false" => php_sapi_name | php_sapi_name_directly,
    "version_compare(string $version1, string $version2, ?string $operator = null): int|bool" => version_compare | version_compare_directly,
    "dl(string $extension_filename): bool" => dl,
}

functions! { CORE_FUNCTIONS:
    "zend_version(): string" => zend_version,
    "get_loaded_extensions(bool $zend_extensions = false): array" => get_loaded_extensions,
    "extension_loaded(string $extension): bool" => extension_loaded | extension_loaded_directly,
    "get_extension_funcs(string $extension): array|false" => get_extension_funcs,
}

fn phpversion(call: &mut Call<'_>) -> PhpResult<Value> {
    match call.optional_bytes(0) {
        Some(extension) if call.vm.natives.extension(extension).is_none() => Ok(false.into()),
        _ => text(call.vm, VERSION),
    }
}

direct! {
    fn phpversion_directly(vm;) { static_text(vm, VERSION) }
    fn php_sapi_name_directly(vm;) {
        let name = vm.extensions.state::<ServerInterface>().name();
        static_text(vm, name)
    }
    fn extension_loaded_directly(vm; extension: &[u8]) { vm.natives.extension(extension).is_some() }
    fn version_compare_directly(_; one: &[u8], other: &[u8]; operator: Option<&[u8]> = None) {
        let order = compare_versions(one, other);
        match operator {
            None => Some(Value::from(order as i64)),
            Some(operator) => decide(order as i64, operator).map(Value::from),
        }
    }
}

fn zend_version(call: &mut Call<'_>) -> PhpResult<Value> {
    text(call.vm, "4.4.24")
}

fn php_sapi_name(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.vm.extensions.state::<ServerInterface>().name();
    text(call.vm, name)
}

fn extension_loaded(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.vm.natives.extension(call.bytes(0)).is_some().into())
}

fn get_loaded_extensions(call: &mut Call<'_>) -> PhpResult<Value> {
    let known: Vec<&'static str> = match call.bool(0) {
        true => Vec::new(),
        false => call.vm.natives.extensions().collect(),
    };
    let names: Vec<Value> = known
        .into_iter()
        .map(|name| call.vm.string(name).into())
        .collect();
    Ok(list(call.vm, names))
}

fn get_extension_funcs(call: &mut Call<'_>) -> PhpResult<Value> {
    let extension = match call.bytes(0) {
        name if name.eq_ignore_ascii_case(b"zend") => b"core",
        name => name,
    };
    let Some(names) = call.vm.natives.names_of_extension(extension) else {
        return Ok(false.into());
    };
    let names: Vec<Value> = names
        .iter()
        .map(|name| call.vm.string(name).into())
        .collect();
    Ok(list(call.vm, names))
}

/// There are no extensions to load at run time: none is found.
fn dl(call: &mut Call<'_>) -> PhpResult<Value> {
    const LONGEST: usize = 4096;
    let name = call.bytes(0);
    let problem = if name.len() >= LONGEST {
        format!("Filename exceeds the maximum allowed length of {LONGEST} characters")
    } else if name.contains(&b'/') {
        "Temporary module name should contain only filename".to_string()
    } else {
        let shown = vm_runtime::message::text(name).into_owned();
        let directory = super::constants::EXTENSION_DIRECTORY;
        let missing = "cannot open shared object file: No such file or directory";
        format!(
            "Unable to load dynamic library '{shown}' (tried: {directory}/{shown} \
             ({directory}/{shown}: {missing}), {directory}/{shown}.so \
             ({directory}/{shown}.so: {missing}))"
        )
    };
    call.vm.function_warning(problem);
    Ok(false.into())
}

fn version_compare(call: &mut Call<'_>) -> PhpResult<Value> {
    let order = compare_versions(call.bytes(0), call.bytes(1));
    let Some(operator) = call.optional_bytes(2) else {
        return Ok((order as i64).into());
    };
    match decide(order as i64, operator) {
        Some(decided) => Ok(decided.into()),
        None => Err(call.value_error(2, "must be a valid comparison operator")),
    }
}

/// Whether an operator holds for two versions of this order; none if there is no such operator.
fn decide(order: i64, operator: &[u8]) -> Option<bool> {
    Some(match operator {
        b"<" | b"lt" => order < 0,
        b"<=" | b"le" => order <= 0,
        b">" | b"gt" => order > 0,
        b">=" | b"ge" => order >= 0,
        b"=" | b"==" | b"eq" => order == 0,
        b"!=" | b"<>" | b"ne" => order != 0,
        _ => return None,
    })
}

/// Puts a dot between the parts of a version: at every change between digits and other characters,
/// and in place of punctuation.
fn canonical(version: &[u8]) -> Vec<u8> {
    let mut result: Vec<u8> = Vec::with_capacity(version.len() * 2);
    let Some((&first, rest)) = version.split_first() else {
        return result;
    };
    result.push(first);
    let mut previous = first;
    for &byte in rest {
        let dotted = result.last() == Some(&b'.');
        let digit = byte.is_ascii_digit();
        let change = previous != b'.' && byte != b'.' && previous.is_ascii_digit() != digit;
        if !byte.is_ascii_alphanumeric() && !change || matches!(byte, b'-' | b'_' | b'+') {
            if !dotted {
                result.push(b'.');
            }
        } else {
            if change && !dotted {
                result.push(b'.');
            }
            result.push(byte);
        }
        previous = byte;
    }
    if result.len() > 1 && result.last() == Some(&b'.') {
        result.pop();
    }
    result
}

/// Rank of a part that is no number: development versions first, patch levels last.
fn rank(part: &[u8]) -> i32 {
    const FORMS: [(&[u8], i32); 11] = [
        (b"dev", 0),
        (b"alpha", 1),
        (b"a", 1),
        (b"beta", 2),
        (b"b", 2),
        (b"RC", 3),
        (b"rc", 3),
        (b"#", 4),
        (b"pl", 5),
        (b"p", 5),
        (b"", -1),
    ];
    FORMS
        .iter()
        .find(|(form, _)| part.starts_with(form))
        .map_or(-1, |&(_, rank)| rank)
}

/// Stands for any number among parts that are none.
const NUMBER: &[u8] = b"#N#";

fn compare_parts(left: &[u8], right: &[u8]) -> i32 {
    let is_number = |part: &[u8]| part.first().is_some_and(u8::is_ascii_digit);
    let order = match (is_number(left), is_number(right)) {
        (true, true) => numeric_string::to_long(left).cmp(&numeric_string::to_long(right)),
        (false, false) => rank(left).cmp(&rank(right)),
        (true, false) => rank(NUMBER).cmp(&rank(right)),
        (false, true) => rank(left).cmp(&rank(NUMBER)),
    };
    order as i32
}

/// -1, 0 or 1.
fn compare_versions(left: &[u8], right: &[u8]) -> i32 {
    if left.is_empty() || right.is_empty() {
        return !left.is_empty() as i32 - !right.is_empty() as i32;
    }
    let form = |version: &[u8]| match version.first() {
        Some(b'#') => version.to_vec(),
        _ => canonical(version),
    };
    let (left, right) = (form(left), form(right));
    let mut left_parts = left.split(|&byte| byte == b'.');
    let mut right_parts = right.split(|&byte| byte == b'.');
    loop {
        let order = match (left_parts.next(), right_parts.next()) {
            (None, None) => return 0,
            (Some(left), Some(right)) => match compare_parts(left, right) {
                0 => continue,
                order => order,
            },
            (Some(left), None) => longer(&rejoin(left, left_parts)),
            (None, Some(right)) => -longer(&rejoin(right, right_parts)),
        };
        return order;
    }
}

fn rejoin<'a>(first: &[u8], rest: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    rest.fold(first.to_vec(), |mut text, part| {
        text.push(b'.');
        text.extend_from_slice(part);
        text
    })
}

/// How a version with these further parts compares to one without.
fn longer(rest: &[u8]) -> i32 {
    match rest.first() {
        Some(byte) if byte.is_ascii_digit() => 1,
        _ => compare_versions(rest, NUMBER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for (left, right, expected) in [
            ("5.2", "5.10", -1),
            ("5.2.0", "5.2", 1),
            ("8.0.0beta1", "8.0.0RC1", -1),
            ("8.0.0", "8.0.0RC1", 1),
            ("1.0-dev", "1.0", -1),
            ("1.0pl1", "1.0", 1),
            ("1", "", 1),
            ("", "1", -1),
            ("", "", 0),
            ("1.0.0", "1.0.0", 0),
            ("1alpha", "1a", 0),
            ("1.2a", "1.2b", -1),
            ("5.2.", "5.2", 0),
            ("1foo", "1", -1),
            ("1..2", "1.2", 0),
            ("1.0.", "1.0.1", -1),
            ("1.#", "1", 0),
            ("#", "1", 0),
            ("1.x", "1", -1),
            ("1.d", "1.e", 0),
        ] {
            let order = compare_versions(left.as_bytes(), right.as_bytes());
            assert_eq!(order, expected, "{left} {right}");
        }
    }
}
