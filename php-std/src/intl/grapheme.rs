//! `grapheme_*`: texts as what readers take for characters.
//!
//! Text that is not ASCII is compared by what it canonically stands for. (ICU compares by the root
//! collation, which also ignores control characters.)

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::errors::{self, ILLEGAL_ARGUMENT, INVALID_CHARACTER};
use super::normalizer::is_ignorable;
use crate::mbstring::unicode::{Mapping, map};
use crate::support::{functions, list, text};

functions! {
    "grapheme_strlen(string $string): int|false|null" => strlen,
    "grapheme_strpos(string $haystack, string $needle, int $offset = 0): int|false" => strpos,
    "grapheme_stripos(string $haystack, string $needle, int $offset = 0): int|false" => stripos,
    "grapheme_strrpos(string $haystack, string $needle, int $offset = 0): int|false" => strrpos,
    "grapheme_strripos(string $haystack, string $needle, int $offset = 0): int|false" => strripos,
    "grapheme_substr(string $string, int $offset, ?int $length = null): string|false" => substr,
    "grapheme_strstr(string $haystack, string $needle, bool $beforeNeedle = false): string|false" => strstr,
    "grapheme_stristr(string $haystack, string $needle, bool $beforeNeedle = false): string|false" => stristr,
    "grapheme_extract(string $haystack, int $size, int $type = GRAPHEME_EXTR_COUNT, int $offset = 0, &$next = null): string|false" => extract,
    "grapheme_str_split(string $string, int $length = 1): array|false" => str_split,
}

const BY_COUNT: i64 = 0;
const BY_BYTES: i64 = 1;
const BY_CHARACTERS: i64 = 2;

pub(super) const CONSTANTS: &[(&str, i64)] = &[
    ("GRAPHEME_EXTR_COUNT", BY_COUNT),
    ("GRAPHEME_EXTR_MAXBYTES", BY_BYTES),
    ("GRAPHEME_EXTR_MAXCHARS", BY_CHARACTERS),
];

/// The graphemes of a text; each part that is no UTF-8 counts as one.
fn graphemes(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let broken = Some(chunk.invalid()).filter(|broken| !broken.is_empty());
        let valid = chunk.valid().graphemes(true).map(str::as_bytes);
        valid.chain(broken)
    })
}

/// An argument that has to be UTF-8.
fn utf8<'a>(call: &mut Call<'a>, index: usize, name: &str) -> Option<&'a str> {
    let source = std::str::from_utf8(call.bytes(index)).ok();
    if source.is_none() {
        let problem = format!("Error converting {name} string to UTF-16");
        errors::set(call.vm, INVALID_CHARACTER, &problem);
    }
    source
}

/// An argument that counts as a number of 32 bits.
fn small(call: &mut Call<'_>, index: usize) -> PhpResult<i64> {
    let number = call.long(index);
    match i32::try_from(number) {
        Ok(_) => Ok(number),
        Err(_) => Err(call.value_error(index, "is too large")),
    }
}

fn strlen(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(match utf8(call, 0, "input") {
        Some(source) => source.graphemes(true).count().into(),
        None => Value::NULL,
    })
}

/// How a text is looked for.
#[derive(Debug, Clone, Copy)]
struct Search {
    is_last: bool,
    ignores_case: bool,
}

impl Search {
    const FIRST: Search = Search {
        is_last: false,
        ignores_case: false,
    };
    const LAST: Search = Search {
        is_last: true,
        ..Search::FIRST
    };

    const fn folded(self) -> Search {
        Search {
            ignores_case: true,
            ..self
        }
    }

    /// What graphemes that count as the same have in common.
    fn keys(self, source: &str) -> Vec<Cow<'_, str>> {
        let key = |part| match part {
            part if self.ignores_case => Cow::Owned(folded(part)),
            part if part.is_ascii() => Cow::Borrowed(part),
            part => Cow::Owned(part.nfd().filter(|&letter| !is_ignorable(letter)).collect()),
        };
        source.graphemes(true).map(key).collect()
    }

    /// The number of the grapheme where the needle is, as `strpos` and `strrpos` look for bytes.
    /// None if the offset is outside.
    fn place(self, haystack: &str, needle: &str, offset: i64) -> Option<Option<usize>> {
        let (haystack, mut needle) = (self.keys(haystack), self.keys(needle));
        needle.retain(|key| !key.is_empty());
        let length = haystack.len() as i64;
        let start = if offset < 0 { length + offset } else { offset };
        if !(0..=length).contains(&start) {
            return None;
        }
        let start = start as usize;
        let Some(latest) = haystack.len().checked_sub(needle.len()) else {
            return Some(None);
        };
        let is_here = |&at: &usize| {
            limits::poll();
            haystack[at..].starts_with(&needle)
        };
        Some(match (self.is_last, offset < 0) {
            (false, _) => (start..=latest).find(is_here),
            (true, false) => (start..=latest).rev().find(is_here),
            (true, true) => (0..=latest.min(start)).rev().find(is_here),
        })
    }
}

/// A grapheme without the difference between upper and lower case.
fn folded(part: &str) -> String {
    if part.is_ascii() {
        return part.to_ascii_lowercase();
    }
    let mut characters = Vec::with_capacity(part.len());
    for letter in part.nfd().filter(|&letter| !is_ignorable(letter)) {
        map(Mapping::FoldSimple, letter.into(), &mut characters);
    }
    characters
        .into_iter()
        .filter_map(char::from_u32)
        .nfd()
        .collect()
}

fn find(call: &mut Call<'_>, search: Search) -> PhpResult<Value> {
    let offset = call.long(2);
    let outside = "must be contained in argument #1 ($haystack)";
    if i32::try_from(offset).is_err() || offset.unsigned_abs() > call.bytes(0).len() as u64 {
        return Err(call.value_error(2, outside));
    }
    let Some(haystack) = utf8(call, 0, "input") else {
        return Ok(false.into());
    };
    let Some(needle) = utf8(call, 1, "needle") else {
        return Ok(false.into());
    };
    match search.place(haystack, needle, offset) {
        Some(Some(place)) => Ok(place.into()),
        Some(None) => Ok(false.into()),
        None => Err(call.value_error(2, outside)),
    }
}

fn strpos(call: &mut Call<'_>) -> PhpResult<Value> {
    find(call, Search::FIRST)
}

fn stripos(call: &mut Call<'_>) -> PhpResult<Value> {
    find(call, Search::FIRST.folded())
}

fn strrpos(call: &mut Call<'_>) -> PhpResult<Value> {
    find(call, Search::LAST)
}

fn strripos(call: &mut Call<'_>) -> PhpResult<Value> {
    find(call, Search::LAST.folded())
}

/// The text from the needle on, or before it.
fn part(call: &mut Call<'_>, search: Search) -> PhpResult<Value> {
    let Some(haystack) = utf8(call, 0, "input") else {
        return Ok(false.into());
    };
    let Some(needle) = utf8(call, 1, "needle") else {
        return Ok(false.into());
    };
    let Some(Some(place)) = search.place(haystack, needle, 0) else {
        return Ok(false.into());
    };
    let place = byte_place(haystack, place);
    match call.bool(2) {
        true => text(call.vm, &haystack[..place]),
        false => text(call.vm, &haystack[place..]),
    }
}

fn strstr(call: &mut Call<'_>) -> PhpResult<Value> {
    part(call, Search::FIRST)
}

fn stristr(call: &mut Call<'_>) -> PhpResult<Value> {
    part(call, Search::FIRST.folded())
}

/// Where a grapheme begins; the end of the text if there are fewer.
fn byte_place(source: &str, number: usize) -> usize {
    let mut places = source.grapheme_indices(true).map(|(place, _)| place);
    places.nth(number).unwrap_or(source.len())
}

fn substr(call: &mut Call<'_>) -> PhpResult<Value> {
    let start = small(call, 1)?;
    let length = match call.optional_long(2) {
        Some(_) => Some(small(call, 2)?),
        None => None,
    };
    let Some(source) = utf8(call, 0, "input") else {
        return Ok(false.into());
    };
    let count = match start < 0 || length.is_some_and(|length| length < 0) {
        true => source.graphemes(true).count() as i64,
        false => i64::MAX,
    };
    let start = if start < 0 {
        (count + start).max(0)
    } else {
        start
    };
    let end = match length {
        Some(length) if length < 0 => count + length,
        Some(length) => start + length,
        None => i64::MAX,
    };
    if end <= start {
        return text(call.vm, "");
    }
    let first = byte_place(source, start as usize);
    let rest = &source[first..];
    let last = match end {
        i64::MAX => rest.len(),
        end => byte_place(rest, (end - start) as usize),
    };
    text(call.vm, &rest[..last])
}

fn extract(call: &mut Call<'_>) -> PhpResult<Value> {
    let (haystack, size, kind, offset) = (call.bytes(0), call.long(1), call.long(2), call.long(3));
    let start = match offset < 0 {
        true => offset + haystack.len() as i64,
        false => offset,
    };
    call.assign(4, start.into());
    if !(BY_COUNT..=BY_CHARACTERS).contains(&kind) {
        let problem =
            "must be one of GRAPHEME_EXTR_COUNT, GRAPHEME_EXTR_MAXBYTES, or GRAPHEME_EXTR_MAXCHARS";
        return Err(call.value_error(2, problem));
    }
    let Ok(mut start) = usize::try_from(start) else {
        return outside(call);
    };
    if start >= haystack.len() {
        return outside(call);
    }
    if size < 0 {
        return Err(call.value_error(1, "must be greater than or equal to 0"));
    }
    small(call, 1)?;
    if size == 0 {
        return text(call.vm, "");
    }
    // An offset where no character begins means the next one.
    let given = start;
    let begins = |byte: &u8| matches!(byte, 0..0x80 | 0xc2..=0xf4);
    while haystack.get(start).is_some_and(|byte| !begins(byte)) {
        start += 1;
    }
    if start == haystack.len() {
        return outside(call);
    }
    let rest = &haystack[start..];
    let size = size as usize;
    let (mut end, mut used) = (0, 0);
    for part in graphemes(rest) {
        used += match kind {
            BY_COUNT => 1,
            BY_BYTES => part.len(),
            _ => part
                .utf8_chunks()
                .map(|chunk| chunk.valid().chars().count())
                .sum::<usize>()
                .max(1),
        };
        if used > size {
            break;
        }
        end += part.len();
    }
    // The place behind is counted from the offset that was given.
    call.assign(4, (given + end).into());
    text(call.vm, &rest[..end])
}

fn outside(call: &mut Call<'_>) -> PhpResult<Value> {
    let problem = "grapheme_extract: start not contained in string";
    errors::set(call.vm, ILLEGAL_ARGUMENT, problem);
    Ok(false.into())
}

/// The most graphemes that a part may have.
const LARGEST_PART: i64 = 1_073_741_823;

fn str_split(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = call.long(1);
    if !(1..=LARGEST_PART).contains(&length) {
        let problem = format!("must be greater than 0 and less than or equal to {LARGEST_PART}");
        return Err(call.value_error(1, &problem));
    }
    let source = call.bytes(0);
    let mut parts = Vec::new();
    let (mut start, mut end, mut count) = (0, 0, 0);
    for part in graphemes(source) {
        end += part.len();
        count += 1;
        if count == length {
            parts.push(Value::from(call.vm.string(&source[start..end])));
            (start, count) = (end, 0);
        }
    }
    if start < end {
        parts.push(call.vm.string(&source[start..]).into());
    }
    Ok(list(call.vm, parts))
}
