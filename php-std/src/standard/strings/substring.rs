//! Parts of strings by position: `substr`, `substr_replace`, `substr_compare`.

use vm_runtime::array::PhpArray;
use vm_runtime::function::Call;
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::compare::{binary_compare, case_compare};
use crate::support::{Outcome, Plain, StringBuilder, direct, functions, new_list, string_of, text};

functions! {
    "#[Frameless(2, 3)] substr(string $string, int $offset, ?int $length = null): string" => substr | substr_directly,
    "substr_replace(array|string $string, array|string $replace, array|int $offset, array|int|null $length = null): string|array" => substr_replace | substr_replace_directly,
    "substr_compare(string $haystack, string $needle, int $offset, ?int $length = null, bool $case_insensitive = false): int" => substr_compare | substr_compare_directly,
}

/// The range that an offset and a length, both maybe counted from the end, select of `total` bytes.
pub(crate) fn select(total: usize, offset: i64, length: Option<i64>) -> std::ops::Range<usize> {
    let total = total as i64;
    let start = if offset < 0 {
        offset.saturating_add(total).max(0)
    } else {
        offset.min(total)
    };
    let rest = total - start;
    let count = match length {
        None => rest,
        Some(length) if length < 0 => length.saturating_add(rest).max(0),
        Some(length) => length.min(rest),
    };
    start as usize..(start + count) as usize
}

fn substr_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let (string, offset, length) = match arguments {
        [string, offset] => (string, offset, None),
        [string, offset, length] => match i64::of(length) {
            Some(length) => (string, offset, Some(length)),
            None => return false,
        },
        _ => return false,
    };
    let (Some(bytes), Some(offset)) = (<&[u8]>::of(string), i64::of(offset)) else {
        return false;
    };
    let range = select(bytes.len(), offset, length);
    if range.len() == bytes.len() {
        return Value::share(string).store(result);
    }
    vm.string(&bytes[range]).store(result)
}

fn substr(call: &mut Call<'_>) -> PhpResult<Value> {
    let string = call.bytes(0);
    let range = select(string.len(), call.long(1), call.optional_long(2));
    if range.len() == string.len() {
        return Ok(call.value(0));
    }
    text(call.vm, &string[range])
}

fn replaced(vm: &mut Vm, string: &[u8], range: std::ops::Range<usize>, with: &[u8]) -> Value {
    let mut builder = StringBuilder::new(vm, string.len() - range.len() + with.len());
    builder.push(&string[..range.start]);
    builder.push(with);
    builder.push(&string[range.end..]);
    builder.into_value(vm)
}

fn substr_replace_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let (string, with, offset, length) = match arguments {
        [string, with, offset] => (string, with, offset, None),
        [string, with, offset, length] => match i64::of(length) {
            Some(length) => (string, with, offset, Some(length)),
            None => return false,
        },
        _ => return false,
    };
    match (<&[u8]>::of(string), <&[u8]>::of(with), i64::of(offset)) {
        (Some(string), Some(with), Some(offset)) => {
            let range = select(string.len(), offset, length);
            replaced(vm, string, range, with).store(result)
        }
        _ => false,
    }
}

/// The live values of an array in order, with shares of their own.
fn values(array: &PhpArray) -> Vec<Value> {
    array.iter().map(|(_, value)| Value::share(value)).collect()
}

fn is_array(value: &Zval) -> bool {
    value.deref().kind() == vm_runtime::value::ARRAY
}

fn substr_replace(call: &mut Call<'_>) -> PhpResult<Value> {
    let offsets = is_array(call.argument(2)).then(|| values(call.elements(2)));
    let lengths = is_array(call.argument(3)).then(|| values(call.elements(3)));
    if !is_array(call.argument(0)) {
        return replace_in_one(call, offsets, lengths);
    }
    let replacements = is_array(call.argument(1)).then(|| values(call.elements(1)));
    let strings = call.elements(0);
    let mut result = new_list(call.vm, strings.len());
    for (index, (key, value)) in strings.iter().enumerate() {
        let held = Value::share(value);
        let string = string_of(call.vm, &held)?;
        let offset = match &offsets {
            Some(offsets) => number_at(call.vm, offsets, index, 0),
            None => call.long(2),
        };
        let length = match &lengths {
            Some(lengths) => number_at(call.vm, lengths, index, string.len() as i64),
            None => call.optional_long(3).unwrap_or(string.len() as i64),
        };
        let with = match &replacements {
            Some(replacements) => match replacements.get(index) {
                Some(replacement) => string_of(call.vm, replacement)?,
                None => call.vm.string(""),
            },
            None => call.string(1),
        };
        let range = select(string.len(), offset, Some(length));
        let value = replaced(call.vm, &string, range, &with);
        result.make_mut(call.vm).set(key, value);
    }
    Ok(result.into())
}

fn number_at(vm: &mut Vm, numbers: &[Value], index: usize, otherwise: i64) -> i64 {
    match numbers.get(index) {
        Some(number) => vm_runtime::operators::to_long(vm, number),
        None => otherwise,
    }
}

fn replace_in_one(
    call: &mut Call<'_>,
    offsets: Option<Vec<Value>>,
    lengths: Option<Vec<Value>>,
) -> PhpResult<Value> {
    let length_is_array = lengths.is_some();
    let has_length = offsets.is_some() || call.has(3);
    if offsets.is_some() != length_is_array && has_length {
        let index = if offsets.is_some() { 2 } else { 3 };
        let problem = "cannot be an array when working on a single string";
        return Err(call.type_error(index, problem));
    }
    if offsets.is_some() {
        return Err(call.type_error(2, "cannot be an array when working on a single string"));
    }
    let string = call.bytes(0);
    let first = if is_array(call.argument(1)) {
        values(call.elements(1)).into_iter().next()
    } else {
        None
    };
    let with = match (&first, is_array(call.argument(1))) {
        (Some(value), _) => string_of(call.vm, value)?,
        (None, true) => call.vm.string(""),
        (None, false) => call.string(1),
    };
    let range = select(string.len(), call.long(2), call.optional_long(3));
    Ok(replaced(call.vm, string, range, &with))
}

fn substr_compare(call: &mut Call<'_>) -> PhpResult<Value> {
    let (haystack, needle) = (call.bytes(0), call.bytes(1));
    let limit = match call.optional_long(3) {
        Some(0) => return Ok(0i64.into()),
        Some(length) if length < 0 => {
            return Err(call.value_error(3, "must be greater than or equal to 0"));
        }
        Some(length) => Some(length as usize),
        None => None,
    };
    let offset = call.long(2);
    let total = haystack.len() as i64;
    let start = if offset < 0 {
        offset.saturating_add(total).max(0)
    } else {
        offset
    };
    if start > total {
        return Err(call.value_error(2, "must be contained in argument #1 ($haystack)"));
    }
    let part = &haystack[start as usize..];
    Ok(compare_up_to(part, needle, limit, call.bool(4)).into())
}

/// Compares at most so many bytes.
fn compare_up_to(part: &[u8], needle: &[u8], limit: Option<usize>, ignores_case: bool) -> i64 {
    let limit = limit.unwrap_or(needle.len().max(part.len()));
    let (part, needle) = (
        &part[..part.len().min(limit)],
        &needle[..needle.len().min(limit)],
    );
    i64::from(match ignores_case {
        true => case_compare(part, needle),
        false => binary_compare(part, needle),
    })
}

direct! {
    fn substr_compare_directly(_; haystack: &[u8], needle: &[u8], offset: i64;
        length: Option<i64> = None, ignores_case: bool = false) {
        let limit = match length {
            Some(length) => Some(usize::try_from(length).ok().filter(|length| *length > 0)?),
            None => None,
        };
        let start = match offset < 0 {
            true => offset.saturating_add(haystack.len() as i64).max(0),
            false => offset,
        };
        Some(compare_up_to(haystack.get(start as usize..)?, needle, limit, ignores_case))
    }
}
