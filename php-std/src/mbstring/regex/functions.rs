//! Matching, replacing and splitting.

use std::rc::Rc;

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::{ArrayHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::options::Options;
use super::{Subject, compiled, encoding, named, parse_options, set_limits, state, to_utf8};
use crate::pcre::Regex;
use crate::support::{functions, string_of, text};

functions! {
    "mb_regex_encoding(?string $encoding = null): string|bool" => mb_regex_encoding,
    "mb_ereg(string $pattern, string $string, &$matches = null): bool" => mb_ereg,
    "mb_eregi(string $pattern, string $string, &$matches = null): bool" => mb_eregi,
    "mb_ereg_replace(string $pattern, string $replacement, string $string, ?string $options = null): string|false|null" => mb_ereg_replace,
    "mb_eregi_replace(string $pattern, string $replacement, string $string, ?string $options = null): string|false|null" => mb_eregi_replace,
    "mb_ereg_replace_callback(string $pattern, callable $callback, string $string, ?string $options = null): string|false|null" => mb_ereg_replace_callback,
    "mb_split(string $pattern, string $string, int $limit = -1): array|false" => mb_split,
    "mb_ereg_match(string $pattern, string $string, ?string $options = null): bool" => mb_ereg_match,
    "mb_regex_set_options(?string $options = null): string" => mb_regex_set_options,
}

fn mb_regex_encoding(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(name) = call.optional_bytes(0) else {
        let encoding = encoding(call.vm);
        return text(call.vm, super::name_of(encoding));
    };
    let Some(found) = named(name) else {
        let shown = vm_runtime::message::text(name).into_owned();
        let problem = format!("must be a valid encoding, \"{shown}\" given");
        return Err(call.value_error(0, &problem));
    };
    state(call.vm).encoding = Some(found);
    Ok(true.into())
}

fn mb_regex_set_options(call: &mut Call<'_>) -> PhpResult<Value> {
    let before = state(call.vm).options;
    if let Some(letters) = call.optional_bytes(0) {
        let options = parse_options(call.vm, letters)?;
        state(call.vm).options = options;
    }
    text(call.vm, before.text())
}

/// The options in argument `index`, or those that were set.
pub(super) fn options(call: &mut Call<'_>, index: usize) -> PhpResult<Options> {
    match call.optional_bytes(index) {
        Some(letters) => parse_options(call.vm, letters),
        None => Ok(state(call.vm).options),
    }
}

fn mb_ereg(call: &mut Call<'_>) -> PhpResult<Value> {
    let options = state(call.vm).options;
    matches(call, options)
}

fn mb_eregi(call: &mut Call<'_>) -> PhpResult<Value> {
    let options = Options {
        ignore_case: true,
        ..state(call.vm).options
    };
    matches(call, options)
}

fn matches(call: &mut Call<'_>, options: Options) -> PhpResult<Value> {
    let (pattern, string) = (call.bytes(0), call.bytes(1));
    let wants_groups = call.count() > 2;
    if pattern.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if wants_groups {
        let empty = call.vm.new_array().into();
        call.assign(2, empty);
    }
    let Some(subject) = Subject::new(call.vm, string) else {
        return Ok(false.into());
    };
    let Some(regex) = compiled(call.vm, pattern, options)? else {
        return Ok(false.into());
    };
    let Some(groups) = find(call.vm, &regex, &subject, 0, options)? else {
        return Ok(false.into());
    };
    if wants_groups {
        let table = group_table(call.vm, &regex, &subject, &groups, false);
        call.assign(2, table.into());
    }
    Ok(true.into())
}

/// Start and end of the whole match and of each group that took part.
pub(super) type Groups = Vec<Option<(usize, usize)>>;

/// The next match from a place on.
pub(super) fn find(
    vm: &mut Vm,
    regex: &Rc<Regex>,
    subject: &Subject,
    from: usize,
    options: Options,
) -> PhpResult<Option<Groups>> {
    set_limits(vm);
    let machine = &state(vm).machine;
    let mut matcher = regex.matcher(machine, &subject.utf8);
    let mut from = from;
    loop {
        let found = matcher.find(from, false).unwrap_or(false);
        if !found {
            return Ok(None);
        }
        let (start, end) = matcher.whole();
        if options.not_empty && start == end && end < subject.utf8.len() {
            from = matcher.next_character(end);
            limits::poll();
            continue;
        }
        if options.not_empty && start == end {
            return Ok(None);
        }
        return Ok(Some(
            (0..regex.groups)
                .map(|group| matcher.group(group))
                .collect(),
        ));
    }
}

/// Where a name stands among others: PHP's order is that of Oniguruma's table of names, a chain for each
/// remainder of a hash.
fn place_of_name(name: &[u8]) -> u32 {
    const CHAINS: u32 = 11;
    let hash = name.iter().fold(0u32, |hash, &byte| {
        hash.wrapping_mul(997).wrapping_add(u32::from(byte))
    });
    hash.wrapping_add(hash >> 5) % CHAINS
}

/// The groups of a match as scripts see them: by number, then by name.
pub(super) fn group_table(
    vm: &mut Vm,
    regex: &Regex,
    subject: &Subject,
    groups: &Groups,
    keeps_empty: bool,
) -> ArrayHandle {
    let mut table = vm.new_array();
    let values: Vec<Value> = groups
        .iter()
        .map(|group| match group {
            Some((start, end)) if start < end || keeps_empty => {
                vm.string(subject.own(&subject.utf8[*start..*end])).into()
            }
            _ => false.into(),
        })
        .collect();
    let array = table.make_mut(vm);
    for (number, value) in values.iter().enumerate() {
        array.set_long(number as i64, value.clone());
    }
    let mut names: Vec<(usize, &[u8])> = Vec::new();
    for (number, name) in regex.names.iter().enumerate().rev() {
        if let Some(name) = name {
            names.push((number, name));
        }
    }
    names.sort_by_key(|(_, name)| place_of_name(name));
    for (number, name) in names {
        let took_part = groups.get(number).is_some_and(Option::is_some);
        // Of several groups with one name the last that took part counts.
        let known = array.get_bytes(name).map(|known| known.kind());
        let is_free = known.is_none_or(|kind| kind != vm_runtime::value::STRING && took_part);
        if let Some(value) = values.get(number)
            && is_free
        {
            array.set_bytes(name, value.clone());
        }
    }
    table
}

fn mb_ereg_match(call: &mut Call<'_>) -> PhpResult<Value> {
    let options = options(call, 2)?;
    let (pattern, string) = (call.bytes(0), call.bytes(1));
    let Some(subject) = Subject::new(call.vm, string) else {
        return Ok(false.into());
    };
    // Only a match at the start counts.
    let anchored = [b"\\G(?:", pattern, b")"].concat();
    let Some(regex) = compiled(call.vm, &anchored, options)? else {
        return Ok(false.into());
    };
    Ok(find(call.vm, &regex, &subject, 0, options)?
        .is_some()
        .into())
}

/// What stands in place of a match.
enum Replacement<'a> {
    Text(&'a [u8]),
    Callback(Value),
}

fn mb_ereg_replace(call: &mut Call<'_>) -> PhpResult<Value> {
    let options = options(call, 3)?;
    let replacement = call.bytes(1);
    replace(call, options, Replacement::Text(replacement))
}

fn mb_eregi_replace(call: &mut Call<'_>) -> PhpResult<Value> {
    let options = Options {
        ignore_case: true,
        ..options(call, 3)?
    };
    let replacement = call.bytes(1);
    replace(call, options, Replacement::Text(replacement))
}

fn mb_ereg_replace_callback(call: &mut Call<'_>) -> PhpResult<Value> {
    let options = options(call, 3)?;
    let callback = call.value(1);
    replace(call, options, Replacement::Callback(callback))
}

fn replace(
    call: &mut Call<'_>,
    options: Options,
    replacement: Replacement<'_>,
) -> PhpResult<Value> {
    let (pattern, string) = (call.bytes(0), call.bytes(2));
    let Some(subject) = Subject::new(call.vm, string) else {
        return Ok(Value::NULL);
    };
    let Some(regex) = compiled(call.vm, pattern, options)? else {
        return Ok(false.into());
    };
    let mut result = Vec::new();
    let mut at = 0;
    while let Some(groups) = find(call.vm, &regex, &subject, at, options)? {
        let Some(Some((start, end))) = groups.first().copied() else {
            break;
        };
        result.extend_from_slice(&subject.utf8[at..start]);
        match &replacement {
            Replacement::Text(pattern) => {
                let pattern = to_utf8(subject.encoding, pattern);
                expand(&pattern, &regex, &subject, &groups, &mut result);
            }
            Replacement::Callback(callback) => {
                let table = group_table(call.vm, &regex, &subject, &groups, true);
                let answer = call.vm.call(callback, vec![table.into()])?;
                let answer = string_of(call.vm, &answer)?;
                result.extend_from_slice(&to_utf8(subject.encoding, &answer));
            }
        }
        limits::poll();
        at = end;
        if start == end {
            // Nothing was taken: the next character stays, and the search goes on behind it.
            if end >= subject.utf8.len() {
                break;
            }
            let next = end + character_length(&subject.utf8[end..]);
            result.extend_from_slice(&subject.utf8[end..next]);
            at = next;
        }
    }
    result.extend_from_slice(&subject.utf8[at.min(subject.utf8.len())..]);
    let result = subject.own(&result);
    text(call.vm, result)
}

fn character_length(text: &[u8]) -> usize {
    let more = text[1..].iter().take_while(|&&byte| byte & 0xc0 == 0x80);
    1 + more.count()
}

/// Writes a replacement: `\0` to `\9`, `\k<name>` and `\k'name'` stand for groups.
fn expand(pattern: &[u8], regex: &Regex, subject: &Subject, groups: &Groups, result: &mut Vec<u8>) {
    let group = |number: usize| -> Option<&[u8]> {
        let group = groups.get(number)?;
        let (start, end) = group.unwrap_or((0, 0));
        Some(&subject.utf8[start..end])
    };
    let mut at = 0;
    while at < pattern.len() {
        if pattern[at] != b'\\' {
            result.push(pattern[at]);
            at += 1;
            continue;
        }
        let rest = &pattern[at + 1..];
        let found = match rest {
            [digit @ b'0'..=b'9', ..] => {
                let number = (digit - b'0') as usize;
                // Where groups have names, numbers mean nothing.
                let counts = number == 0 || regex.names.is_empty();
                group(number).filter(|_| counts).map(|text| (text, 1))
            }
            [b'k', open @ (b'<' | b'\''), name @ ..] => {
                let close = if *open == b'<' { b'>' } else { b'\'' };
                memchr::memchr(close, name).and_then(|end| {
                    let name = &name[..end];
                    let by_name = regex
                        .names
                        .iter()
                        .position(|known| known.as_deref() == Some(name));
                    let number = std::str::from_utf8(name).ok()?.parse().ok();
                    let text = group(by_name.or(number)?)?;
                    Some((text, end + 3))
                })
            }
            // A backslash before a backslash: both stay.
            [b'\\', ..] => Some((&b"\\\\"[..], 1)),
            _ => None,
        };
        match found {
            Some((text, length)) => {
                result.extend_from_slice(text);
                at += 1 + length;
            }
            None => {
                result.push(b'\\');
                at += 1;
            }
        }
    }
}

fn mb_split(call: &mut Call<'_>) -> PhpResult<Value> {
    let (pattern, string) = (call.bytes(0), call.bytes(1));
    let mut left = match call.long(2) {
        ..0 => i64::MAX,
        limit => limit.max(1),
    };
    let Some(subject) = Subject::new(call.vm, string) else {
        return Ok(false.into());
    };
    let options = state(call.vm).options;
    let Some(regex) = compiled(call.vm, pattern, options)? else {
        return Ok(false.into());
    };
    let mut pieces = Vec::new();
    let (mut piece, mut at) = (0, 0);
    while left != 1 && at < subject.utf8.len() {
        let Some(groups) = find(call.vm, &regex, &subject, at, options)? else {
            break;
        };
        let Some(Some((start, end))) = groups.first().copied() else {
            break;
        };
        limits::poll();
        if start == end {
            // Nothing does not split.
            at = end.max(at);
            if at >= subject.utf8.len() {
                break;
            }
            at += character_length(&subject.utf8[at..]);
            continue;
        }
        pieces.push(subject.own(&subject.utf8[piece..start]));
        (piece, at) = (end, end);
        left -= (left > 0) as i64;
    }
    pieces.push(subject.own(&subject.utf8[piece..]));
    let pieces: Vec<Value> = pieces
        .into_iter()
        .map(|piece| call.vm.string(piece).into())
        .collect();
    Ok(crate::support::list(call.vm, pieces))
}

/// An Error of the search functions.
pub(super) fn fail(vm: &mut Vm, message: &str) -> vm_runtime::vm::Thrown {
    vm.throw_error(KnownClass::Error, message)
}
