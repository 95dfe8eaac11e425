//! Columns in a terminal.

use vm_runtime::function::Call;
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::encoding::Encoding;
use super::unicode::width;
use super::{convert, encoding_argument, encoding_directly};
use crate::support::{Outcome, Plain, StringBuilder, functions, text, utf8};

functions! {
    "mb_strwidth(string $string, ?string $encoding = null): int" => mb_strwidth | mb_strwidth_directly,
    "mb_strimwidth(string $string, int $start, int $width, string $trim_marker = \"\", ?string $encoding = null): string" => mb_strimwidth,
}

fn columns(characters: &[u32]) -> usize {
    characters.iter().map(|&character| width(character)).sum()
}

fn mb_strwidth(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 1)?;
    Ok(columns_of(encoding, call.bytes(0)).into())
}

fn mb_strwidth_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let Some((encoding, [text])) = encoding_directly(vm, arguments) else {
        return false;
    };
    let text = <&[u8]>::of(text);
    text.map(|text| columns_of(encoding, text) as i64)
        .store(result)
}

/// The columns that a text takes.
fn columns_of(encoding: &Encoding, text: &[u8]) -> usize {
    // Nothing in front of U+1100, whose first byte this is, is wide.
    if encoding.is_utf8()
        && text.iter().all(|&byte| byte < 0xe1)
        && let Some(text) = utf8::valid(text)
    {
        return text.chars().count();
    }
    let mut columns = 0;
    encoding.each_character(text, |character| columns += width(character));
    columns
}

/// How many characters fit into some columns.
fn fitting(characters: &[u32], columns: usize) -> usize {
    let mut left = columns;
    characters
        .iter()
        .take_while(|&&character| match left.checked_sub(width(character)) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        })
        .count()
}

/// How many bytes of a text fit into some columns.
fn fitting_bytes(text: &str, columns: usize) -> usize {
    let mut taken = 0;
    let mut places = text.char_indices();
    let beyond = places.find(|&(_, letter)| {
        taken += width(letter.into());
        taken > columns
    });
    beyond.map_or(text.len(), |(place, _)| place)
}

/// A text in UTF-8, or as much of its start as fits into some columns with a marker behind it.
fn trimmed(call: &mut Call<'_>, string: &str, wanted: usize, marker: &str) -> Value {
    if fitting_bytes(string, wanted) == string.len() {
        return call.value(0);
    }
    let marker_columns = marker.chars().map(|letter| width(letter.into())).sum();
    let Some(left) = wanted.checked_sub(marker_columns).filter(|&left| left > 0) else {
        return call.vm.string(marker).into();
    };
    let kept = fitting_bytes(string, left);
    let mut builder = StringBuilder::exact(call.vm, kept + marker.len());
    builder.push_all([&string.as_bytes()[..kept], marker.as_bytes()]);
    builder.into_value(call.vm)
}

fn mb_strimwidth(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 4)?;
    let (start, wanted) = (call.long(1), call.long(2));
    if start == 0
        && encoding.is_utf8()
        && let Ok(wanted) = usize::try_from(wanted)
        && let Some(string) = utf8::valid(call.bytes(0))
        && let Some(marker) = utf8::valid(call.bytes(3))
    {
        return Ok(trimmed(call, string, wanted, marker));
    }
    let characters = encoding.decode(call.bytes(0));
    let total = characters.len() as i64;
    let first = if start < 0 { total + start } else { start };
    if !(0..=total).contains(&first) {
        return Err(call.value_error(1, "is out of range"));
    }
    if wanted < 0 {
        call.vm.function_deprecated(
            "passing a negative integer to argument #3 ($width) is deprecated",
        );
        call.vm.check()?;
    }
    let rest = &characters[first as usize..];
    let wanted = if wanted < 0 {
        columns(rest) as i64 + wanted
    } else {
        wanted
    };
    let Ok(wanted) = usize::try_from(wanted) else {
        return Err(call.value_error(2, "is out of range"));
    };
    if columns(rest) <= wanted {
        return convert::encoded(call.vm, encoding, rest);
    }
    let marker = encoding.decode(call.bytes(3));
    let marker_columns = columns(&marker);
    if marker_columns >= wanted {
        // A marker that has no place is written as it is given.
        return text(call.vm, call.bytes(3));
    }
    let kept = &rest[..fitting(rest, wanted - marker_columns)];
    let mut output = convert::encode(call.vm, encoding, kept);
    output.extend_from_slice(call.bytes(3));
    text(call.vm, output)
}
