//! Searching in text.

use std::borrow::Cow;

use vm_runtime::function::Call;
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::case::{convert_case_in, mapped_utf8};
use super::encoding::{Encoding, Substitute, utf8_encoding};
use super::settings::internal_encoding;
use super::unicode::Mapping;
use super::{convert, encoding_argument, encoding_directly};
use crate::standard::strings::search as strings;
use crate::support::{Outcome, Plain, functions, utf8};

functions! {
    "mb_strpos(string $haystack, string $needle, int $offset = 0, ?string $encoding = null): int|false" => mb_strpos | mb_strpos_directly,
    "mb_strrpos(string $haystack, string $needle, int $offset = 0, ?string $encoding = null): int|false" => mb_strrpos | mb_strrpos_directly,
    "mb_stripos(string $haystack, string $needle, int $offset = 0, ?string $encoding = null): int|false" => mb_stripos,
    "mb_strripos(string $haystack, string $needle, int $offset = 0, ?string $encoding = null): int|false" => mb_strripos,
    "mb_strstr(string $haystack, string $needle, bool $before_needle = false, ?string $encoding = null): string|false" => mb_strstr,
    "mb_strrchr(string $haystack, string $needle, bool $before_needle = false, ?string $encoding = null): string|false" => mb_strrchr,
    "mb_stristr(string $haystack, string $needle, bool $before_needle = false, ?string $encoding = null): string|false" => mb_stristr,
    "mb_strrichr(string $haystack, string $needle, bool $before_needle = false, ?string $encoding = null): string|false" => mb_strrichr,
    "mb_substr_count(string $haystack, string $needle, ?string $encoding = null): int" => mb_substr_count | mb_substr_count_directly,
}

/// What is searched: the text in UTF-8, where broken bytes of UTF-8 stand for themselves.
fn searchable<'a>(encoding: &Encoding, bytes: &'a [u8], folds: bool) -> Cow<'a, [u8]> {
    if encoding.is_utf8() {
        if !folds {
            return Cow::Borrowed(bytes);
        }
        if let Some(folded) = mapped_utf8(Mapping::FoldSimple, bytes) {
            return Cow::Owned(folded);
        }
    }
    let mut characters = encoding.decode(bytes);
    if folds {
        characters = convert_case_in(encoding, Mapping::FoldSimple, &characters);
    }
    Cow::Owned(in_utf8(characters))
}

/// Characters in UTF-8, with question marks for bad ones.
fn in_utf8(characters: Vec<u32>) -> Vec<u8> {
    let substitute = Substitute::Character(u32::from(b'?'));
    utf8_encoding().encode(&characters, substitute).0
}

/// The length of the character at the start of text, by its first byte.
fn step(bytes: &[u8]) -> usize {
    super::characters::utf8_length(bytes[0]).min(bytes.len())
}

/// Characters in text: bytes that do not continue one.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

/// Where character `number` starts; none if there are fewer.
fn place(bytes: &[u8], number: usize) -> Option<usize> {
    let mut at = 0;
    for _ in 0..number {
        if at >= bytes.len() {
            return None;
        }
        at += step(&bytes[at..]);
    }
    Some(at)
}

/// Finds the first or the last occurrence: its number in characters. An error is an offset
/// outside of the text.
fn find(haystack: &[u8], needle: &[u8], offset: i64, last: bool) -> Result<Option<usize>, ()> {
    let start = if offset < 0 {
        let back = offset.unsigned_abs() as usize;
        let number = count(haystack).checked_sub(back).ok_or(())?;
        place(haystack, number).ok_or(())?
    } else {
        place(haystack, offset as usize).ok_or(())?
    };
    let found = if !last {
        strings::find(&haystack[start..], needle).map(|found| start + found)
    } else if offset < 0 {
        // What is found starts at or before the offset.
        let end = haystack.len().min(start + needle.len());
        strings::find_last(&haystack[..end], needle)
    } else {
        strings::find_last(&haystack[start..], needle).map(|found| start + found)
    };
    Ok(found.map(|found| count(&haystack[..found])))
}

fn position(call: &mut Call<'_>, folds: bool, last: bool) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 3)?;
    let haystack = searchable(encoding, call.bytes(0), folds);
    let needle = searchable(encoding, call.bytes(1), folds);
    match find(&haystack, &needle, call.long(2), last) {
        Ok(Some(found)) => Ok(found.into()),
        Ok(None) => Ok(false.into()),
        Err(()) => Err(call.value_error(2, "must be contained in argument #1 ($haystack)")),
    }
}

/// In UTF-8.
fn mb_strpos_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    position_directly(vm, arguments, false, result)
}

fn mb_strrpos_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    position_directly(vm, arguments, true, result)
}

/// Where one text is found first or last in another, both in UTF-8.
#[inline(always)]
fn position_directly(vm: &mut Vm, arguments: &[Zval], last: bool, result: &mut Zval) -> bool {
    let (offset, given) = match arguments {
        [haystack, needle] => (Some(0), Some((internal_encoding(vm), [haystack, needle]))),
        [_, _, offset, ..] => {
            let given = encoding_directly(vm, arguments);
            let texts =
                given.map(|(encoding, [haystack, needle, _])| (encoding, [haystack, needle]));
            (i64::of(offset), texts)
        }
        _ => return false,
    };
    let (Some(offset), Some((encoding, [haystack, needle]))) = (offset, given) else {
        return false;
    };
    let (Some(haystack), Some(needle)) = (<&[u8]>::of(haystack), <&[u8]>::of(needle)) else {
        return false;
    };
    if !encoding.is_utf8() {
        return false;
    }
    let found = find(haystack, needle, offset, last).ok();
    found
        .map(|found| found.map_or(Value::from(false), Value::from))
        .store(result)
}

fn mb_strpos(call: &mut Call<'_>) -> PhpResult<Value> {
    position(call, false, false)
}

fn mb_strrpos(call: &mut Call<'_>) -> PhpResult<Value> {
    position(call, false, true)
}

fn mb_stripos(call: &mut Call<'_>) -> PhpResult<Value> {
    position(call, true, false)
}

fn mb_strripos(call: &mut Call<'_>) -> PhpResult<Value> {
    position(call, true, true)
}

/// Characters from one number to another.
fn part(
    vm: &mut Vm,
    encoding: &Encoding,
    bytes: &[u8],
    from: usize,
    to: Option<usize>,
) -> PhpResult<Value> {
    if encoding.is_utf8() && utf8::valid(bytes).is_some() {
        let first = place(bytes, from).unwrap_or(bytes.len());
        let last = to.and_then(|to| place(bytes, to)).unwrap_or(bytes.len());
        return crate::support::text(vm, &bytes[first..last]);
    }
    let characters = encoding.decode(bytes);
    let last = to.unwrap_or(characters.len()).min(characters.len());
    convert::encoded(vm, encoding, &characters[from.min(last)..last])
}

fn occurrence(call: &mut Call<'_>, folds: bool, last: bool) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 3)?;
    let haystack = searchable(encoding, call.bytes(0), folds);
    let needle = searchable(encoding, call.bytes(1), folds);
    let Ok(Some(found)) = find(&haystack, &needle, 0, last) else {
        return Ok(false.into());
    };
    let bytes = call.bytes(0);
    if call.bool(2) {
        part(call.vm, encoding, bytes, 0, Some(found))
    } else {
        part(call.vm, encoding, bytes, found, None)
    }
}

fn mb_strstr(call: &mut Call<'_>) -> PhpResult<Value> {
    occurrence(call, false, false)
}

fn mb_strrchr(call: &mut Call<'_>) -> PhpResult<Value> {
    occurrence(call, false, true)
}

fn mb_stristr(call: &mut Call<'_>) -> PhpResult<Value> {
    occurrence(call, true, false)
}

fn mb_strrichr(call: &mut Call<'_>) -> PhpResult<Value> {
    occurrence(call, true, true)
}

fn mb_substr_count_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let Some((encoding, [haystack, needle])) = encoding_directly(vm, arguments) else {
        return false;
    };
    match (<&[u8]>::of(haystack), <&[u8]>::of(needle)) {
        (Some(haystack), Some(needle)) => occurrences(encoding, haystack, needle).store(result),
        _ => false,
    }
}

fn mb_substr_count(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.bytes(1).is_empty() {
        return Err(call.value_error(1, "must not be empty"));
    }
    let encoding = encoding_argument(call, 2)?;
    match occurrences(encoding, call.bytes(0), call.bytes(1)) {
        Some(count) => Ok(count.into()),
        None => Err(call.value_error(1, "must not be empty")),
    }
}

/// How often one text occurs in another; none if it is empty.
fn occurrences(encoding: &Encoding, haystack: &[u8], needle: &[u8]) -> Option<i64> {
    let (haystack, needle) = (valid(encoding, haystack), valid(encoding, needle));
    if needle.is_empty() {
        return None;
    }
    let mut count = 0;
    strings::each_found(&haystack, &needle, |_| count += 1);
    Some(count)
}

/// Text in valid UTF-8.
fn valid<'a>(encoding: &Encoding, bytes: &'a [u8]) -> Cow<'a, [u8]> {
    match encoding.is_utf8() && utf8::valid(bytes).is_some() {
        true => Cow::Borrowed(bytes),
        false => Cow::Owned(in_utf8(encoding.decode(bytes))),
    }
}
