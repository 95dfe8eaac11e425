//! Letter case, reversal, repetition, padding.

use vm_runtime::function::Call;
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::search::byte_set;
use super::{lanes, words};
use crate::support::{Outcome, Plain, StringBuilder, define, direct, functions, text};

functions! {
    "strtolower(string $string): string" => strtolower | strtolower_directly,
    "strtoupper(string $string): string" => strtoupper | strtoupper_directly,
    "ucfirst(string $string): string" => ucfirst | ucfirst_directly,
    "lcfirst(string $string): string" => lcfirst | lcfirst_directly,
    "ucwords(string $string, string $separators = \" \\t\\r\\n\\f\\v\"): string" => ucwords | ucwords_directly,
    "strrev(string $string): string" => strrev | strrev_directly,
    "str_repeat(string $string, int $times): string" => str_repeat | str_repeat_directly,
    "str_pad(string $string, int $length, string $pad_string = \" \", int $pad_type = STR_PAD_RIGHT): string" => str_pad | str_pad_directly,
    "str_shuffle(string $string): string" => str_shuffle,
    "str_rot13(string $string): string" => str_rot13,
    "str_increment(string $string): string" => str_increment,
    "str_decrement(string $string): string" => str_decrement,
    "chr(int $codepoint): string" => chr | chr_directly,
    "ord(string $character): int" => ord | ord_directly,
}

#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    define(
        vm,
        &[
            ("STR_PAD_LEFT", 0i64),
            ("STR_PAD_RIGHT", 1),
            ("STR_PAD_BOTH", 2),
        ],
    );
}

/// The string itself if `unchanged`, else a copy changed in place by `change`.
fn changed(
    call: &mut Call<'_>,
    unchanged: bool,
    change: impl FnOnce(&mut [u8]),
) -> PhpResult<Value> {
    if unchanged {
        return Ok(call.value(0));
    }
    let bytes = call.bytes(0);
    let mut builder = StringBuilder::new(call.vm, bytes.len());
    builder.push(bytes);
    change(builder.as_mut_bytes());
    Ok(builder.into_value(call.vm))
}

/// True if a byte from `first` on, 26 in all, occurs. Written so that it becomes vector code.
fn has_letter(bytes: &[u8], first: u8) -> bool {
    let is_letter = |byte: &u8| byte.wrapping_sub(first) < 26;
    let mut chunks = bytes.chunks_exact(64);
    chunks.any(|chunk| {
        chunk
            .iter()
            .fold(false, |found, byte| found | is_letter(byte))
    }) || chunks.remainder().iter().any(is_letter)
}

fn strtolower(call: &mut Call<'_>) -> PhpResult<Value> {
    let unchanged = !has_letter(call.bytes(0), b'A');
    changed(call, unchanged, |bytes| lanes::swap_case_of(bytes, b'A'))
}

fn strtoupper(call: &mut Call<'_>) -> PhpResult<Value> {
    let unchanged = !has_letter(call.bytes(0), b'a');
    changed(call, unchanged, |bytes| lanes::swap_case_of(bytes, b'a'))
}

/// As [`changed`] for the only argument of a call.
#[inline]
fn changed_directly(
    vm: &mut Vm,
    arguments: &[Zval],
    result: &mut Zval,
    changes: impl Fn(&[u8]) -> bool,
    change: impl FnOnce(&mut [u8]),
) -> bool {
    let [string] = arguments else {
        return false;
    };
    let Some(bytes) = <&[u8]>::of(string) else {
        return false;
    };
    if !changes(bytes) {
        return Value::share(string).store(result);
    }
    let mut builder = StringBuilder::exact(vm, bytes.len());
    builder.push(bytes);
    change(builder.as_mut_bytes());
    builder.finish(vm).store(result)
}

fn strtolower_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let changes = |bytes: &[u8]| has_letter(bytes, b'A');
    let change = |bytes: &mut [u8]| lanes::swap_case_of(bytes, b'A');
    changed_directly(vm, arguments, result, changes, change)
}

fn strtoupper_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let changes = |bytes: &[u8]| has_letter(bytes, b'a');
    let change = |bytes: &mut [u8]| lanes::swap_case_of(bytes, b'a');
    changed_directly(vm, arguments, result, changes, change)
}

fn strrev_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let [string] = arguments else {
        return false;
    };
    let Some(bytes) = <&[u8]>::of(string) else {
        return false;
    };
    match bytes.len() < 2 {
        true => Value::share(string).store(result),
        false => reversed(vm, bytes).store(result),
    }
}

/// A text backwards.
fn reversed(vm: &mut Vm, bytes: &[u8]) -> Value {
    let mut builder = StringBuilder::exact(vm, bytes.len());
    builder.push(bytes);
    words::copy_reversed(bytes, builder.as_mut_bytes());
    builder.into_value(vm)
}

fn ucfirst_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let changes = |bytes: &[u8]| bytes.first().is_some_and(u8::is_ascii_lowercase);
    let change = |bytes: &mut [u8]| bytes[0].make_ascii_uppercase();
    changed_directly(vm, arguments, result, changes, change)
}

fn lcfirst_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let changes = |bytes: &[u8]| bytes.first().is_some_and(u8::is_ascii_uppercase);
    let change = |bytes: &mut [u8]| bytes[0].make_ascii_lowercase();
    changed_directly(vm, arguments, result, changes, change)
}

fn ucfirst(call: &mut Call<'_>) -> PhpResult<Value> {
    let unchanged = !call.bytes(0).first().is_some_and(u8::is_ascii_lowercase);
    changed(call, unchanged, |bytes| bytes[..1].make_ascii_uppercase())
}

fn lcfirst(call: &mut Call<'_>) -> PhpResult<Value> {
    let unchanged = !call.bytes(0).first().is_some_and(u8::is_ascii_uppercase);
    changed(call, unchanged, |bytes| bytes[..1].make_ascii_lowercase())
}

fn ucwords(call: &mut Call<'_>) -> PhpResult<Value> {
    let set = if call.count() > 1 {
        super::trim::character_set(call, call.bytes(1))?
    } else {
        byte_set(WORD_ENDS)
    };
    let empty = call.bytes(0).is_empty();
    changed(call, empty, |bytes| capitalise(bytes, &set))
}

/// What separates words if nothing else is said.
const WORD_ENDS: &[u8] = b" \t\r\n\x0c\x0b";

/// Makes letters large that stand at the start or behind a byte of a set.
fn capitalise(bytes: &mut [u8], set: &[bool; 256]) {
    let mut starts = true;
    for byte in bytes {
        if starts {
            byte.make_ascii_uppercase();
        }
        starts = set[*byte as usize];
    }
}

direct! {
    fn ucwords_directly(vm; string: &[u8]; separators: &[u8] = WORD_ENDS) {
        let set = super::trim::plain_character_set(separators)?;
        let mut builder = StringBuilder::exact(vm, string.len());
        builder.push(string);
        capitalise(builder.as_mut_bytes(), &set);
        Some(builder.finish(vm))
    }
}

fn strrev(call: &mut Call<'_>) -> PhpResult<Value> {
    let bytes = call.bytes(0);
    match bytes.len() < 2 {
        true => Ok(call.value(0)),
        false => Ok(reversed(call.vm, bytes)),
    }
}

fn str_repeat(call: &mut Call<'_>) -> PhpResult<Value> {
    let (string, times) = (call.bytes(0), call.long(1));
    match repeated(call.vm, string, times) {
        Some(repeated) => Ok(repeated),
        None => Err(call.value_error(1, "must be greater than or equal to 0")),
    }
}

/// A text so many times; none if they are less than none.
#[inline]
fn repeated(vm: &mut Vm, string: &[u8], times: i64) -> Option<Value> {
    let times = usize::try_from(times).ok()?;
    if string.is_empty() || times == 0 {
        return Some(vm.string("").into());
    }
    let length = string.len().saturating_mul(times);
    let mut builder = StringBuilder::exact(vm, length);
    if let [byte] = string {
        builder.fill(*byte, times);
        return Some(builder.into_value(vm));
    }
    builder.push(string);
    // Doubles what is there, so that long repetitions are a few large copies.
    while builder.len() < length {
        builder.repeat_start(length);
    }
    Some(builder.into_value(vm))
}

direct! {
    fn str_repeat_directly(vm; string: &[u8], times: i64) {
        repeated(vm, string, times)
    }
}

/// `STR_PAD_RIGHT`, as an argument.
const RIGHT: i64 = 1;

fn str_pad(call: &mut Call<'_>) -> PhpResult<Value> {
    let (string, length, pad, side) = (call.bytes(0), call.long(1), call.bytes(2), call.long(3));
    if length < 0 || length as usize <= string.len() {
        return Ok(call.value(0));
    }
    if pad.is_empty() {
        return Err(call.value_error(2, "must not be empty"));
    }
    if !(0..=2).contains(&side) {
        return Err(call.value_error(3, "must be STR_PAD_LEFT, STR_PAD_RIGHT, or STR_PAD_BOTH"));
    }
    Ok(padded(call.vm, string, length as usize, pad, side))
}

fn str_pad_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let (string, length, pad, side) = match arguments {
        [string, length] => (string, length, Some(&b" "[..]), Some(RIGHT)),
        [string, length, pad] => (string, length, <&[u8]>::of(pad), Some(RIGHT)),
        [string, length, pad, side] => (string, length, <&[u8]>::of(pad), i64::of(side)),
        _ => return false,
    };
    let (Some(bytes), Some(length)) = (<&[u8]>::of(string), i64::of(length)) else {
        return false;
    };
    let (Some(pad @ [_, ..]), Some(side @ 0..=2)) = (pad, side) else {
        return false;
    };
    if length < 0 || length as usize <= bytes.len() {
        return Value::share(string).store(result);
    }
    padded(vm, bytes, length as usize, pad, side).store(result)
}

/// A text made this long, which is longer than it is.
fn padded(vm: &mut Vm, string: &[u8], length: usize, pad: &[u8], side: i64) -> Value {
    let missing = length - string.len();
    let left = match side {
        0 => missing,
        RIGHT => 0,
        _ => missing / 2,
    };
    let mut builder = StringBuilder::exact(vm, length);
    let fill = |builder: &mut StringBuilder, mut count: usize| {
        if let [byte] = pad {
            return builder.fill(*byte, count);
        }
        while count > 0 {
            let take = count.min(pad.len());
            builder.push(&pad[..take]);
            count -= take;
        }
    };
    fill(&mut builder, left);
    builder.push(string);
    fill(&mut builder, missing - left);
    builder.into_value(vm)
}

fn str_shuffle(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = call.bytes(0).len();
    if length < 2 {
        return Ok(call.value(0));
    }
    // As PHP does it: from the end, each exchanged with one before or at it.
    let targets: Vec<usize> = (1..length)
        .rev()
        .map(|last| crate::support::random_range(call.vm, 0, last as i64) as usize)
        .collect();
    changed(call, false, |bytes| {
        for (last, target) in (1..length).rev().zip(targets) {
            bytes.swap(last, target);
        }
    })
}

fn str_rot13(call: &mut Call<'_>) -> PhpResult<Value> {
    let empty = call.bytes(0).is_empty();
    changed(call, empty, words::rotate_letters)
}

fn alphanumeric(call: &mut Call<'_>) -> PhpResult<Vec<u8>> {
    let bytes = call.bytes(0);
    if bytes.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if !bytes.iter().all(u8::is_ascii_alphanumeric) {
        return Err(call.value_error(0, "must be composed only of alphanumeric ASCII characters"));
    }
    Ok(bytes.to_vec())
}

fn str_increment(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut bytes = alphanumeric(call)?;
    for position in (0..bytes.len()).rev() {
        let (next, carried) = match bytes[position] {
            b'z' => (b'a', Some(b'a')),
            b'Z' => (b'A', Some(b'A')),
            b'9' => (b'0', Some(b'1')),
            other => (other + 1, None),
        };
        bytes[position] = next;
        match carried {
            None => break,
            Some(first) if position == 0 => bytes.insert(0, first),
            Some(_) => {}
        }
    }
    text(call.vm, bytes)
}

fn str_decrement(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut bytes = alphanumeric(call)?;
    let range = |call: &mut Call<'_>| {
        let shown = vm_runtime::message::text(call.bytes(0)).into_owned();
        call.value_error(0, &format!("\"{shown}\" is out of decrement range"))
    };
    if bytes[0] == b'0' {
        return Err(range(call));
    }
    let mut position = bytes.len();
    let borrowed = loop {
        position -= 1;
        let (previous, borrow) = match bytes[position] {
            b'a' => (b'z', true),
            b'A' => (b'Z', true),
            b'0' => (b'9', true),
            other => (other - 1, false),
        };
        bytes[position] = previous;
        if !borrow || position == 0 {
            break borrow;
        }
    };
    if borrowed && bytes.len() == 1 {
        return Err(range(call));
    }
    if borrowed || bytes[0] == b'0' && bytes.len() > 1 {
        bytes.remove(0);
    }
    text(call.vm, bytes)
}

direct! {
    fn chr_directly(vm; code: i64) { vm.string([code as u8]) }

    fn ord_directly(_; bytes: &[u8]) { i64::from(bytes.first().copied().unwrap_or(0)) }
}

fn chr(call: &mut Call<'_>) -> PhpResult<Value> {
    let byte = call.long(0) as u8;
    text(call.vm, [byte])
}

fn ord(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((call.bytes(0).first().copied().unwrap_or(0) as i64).into())
}
