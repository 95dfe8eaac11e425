//! Counting, splitting and making characters.

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::encoding::{BAD, Encoding, Kind};
use super::{convert, encoding_argument, encoding_directly};
use crate::support::{
    Append, Outcome, Plain, StringBuilder, direct, functions, list, new_list, text, utf8,
};

functions! {
    "mb_strlen(string $string, ?string $encoding = null): int" => mb_strlen | mb_strlen_directly,
    "mb_str_split(string $string, int $length = 1, ?string $encoding = null): array" => mb_str_split | mb_str_split_directly,
    "mb_ord(string $string, ?string $encoding = null): int|false" => mb_ord | mb_ord_directly,
    "mb_chr(int $codepoint, ?string $encoding = null): string|false" => mb_chr | mb_chr_directly,
    "mb_str_pad(string $string, int $length, string $pad_string = \" \", int $pad_type = STR_PAD_RIGHT, ?string $encoding = null): string" => mb_str_pad | mb_str_pad_directly,
}

/// The number of characters in a text.
pub(super) fn length(encoding: &Encoding, bytes: &[u8]) -> usize {
    if let Some(unit) = encoding.unit() {
        return bytes.len() / unit;
    }
    if encoding.is_utf8() {
        if bytes.is_ascii() {
            return bytes.len();
        }
        if let Some(text) = utf8::valid(bytes) {
            return text.chars().count();
        }
    }
    if let Some(lengths) = encoding.lengths() {
        let (mut at, mut count) = (0, 0);
        while at < bytes.len() {
            at += lengths[bytes[at] as usize] as usize;
            count += 1;
        }
        return count;
    }
    encoding.decode(bytes).len()
}

fn mb_strlen_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let Some((encoding, [text])) = encoding_directly(vm, arguments) else {
        return false;
    };
    let text = <&[u8]>::of(text);
    text.map(|text| length(encoding, text) as i64).store(result)
}

fn mb_strlen(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 1)?;
    Ok(length(encoding, call.bytes(0)).into())
}

direct! {
    /// The single characters of valid UTF-8.
    fn mb_str_split_directly(vm; bytes: &[u8]) {
        if !super::settings::internal_encoding(vm).is_utf8() {
            return None;
        }
        let text = utf8::valid(bytes)?;
        let mut result = new_list(vm, text.chars().count());
        let target = result.make_mut(vm);
        let mut at = 0;
        while at < bytes.len() {
            let end = at + utf8_length(bytes[at]);
            target.append(vm.string(&bytes[at..end]).into());
            at = end;
        }
        Some(Value::from(result))
    }
}

fn mb_str_split(call: &mut Call<'_>) -> PhpResult<Value> {
    let Ok(size @ 1..) = usize::try_from(call.long(1)) else {
        return Err(call.value_error(1, "must be greater than 0"));
    };
    if size > (u32::MAX / 4) as usize {
        return Err(call.value_error(1, "is too large"));
    }
    let encoding = encoding_argument(call, 2)?;
    let bytes = call.bytes(0);
    let mut pieces: Vec<Value> = Vec::new();
    // UTF-8 is cut by what its first bytes promise, broken or not.
    let by_first = |byte: u8| match (encoding.kind, encoding.unit(), encoding.cut_lengths()) {
        (_, Some(unit), _) => Some(unit),
        (_, _, Some(lengths)) => Some(lengths[byte as usize] as usize),
        (Kind::Utf8 | Kind::Pictures(_), ..) => Some(utf8_length(byte)),
        _ => None,
    };
    if by_first(0).is_some() {
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            for _ in 0..size {
                if at >= bytes.len() {
                    break;
                }
                at = bytes.len().min(at + by_first(bytes[at]).unwrap_or(1));
            }
            pieces.push(call.vm.string(&bytes[start..at]).into());
        }
    } else {
        for characters in encoding.decode(bytes).chunks(size) {
            let piece = convert::encoded(call.vm, encoding, characters)?;
            pieces.push(piece);
        }
    }
    Ok(list(call.vm, pieces))
}

/// The bytes that a first byte of UTF-8 promises.
pub(super) fn utf8_length(first: u8) -> usize {
    match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    }
}

/// An error for encodings whose text is no sequence of characters by itself.
fn forbid_stateful(call: &mut Call<'_>, encoding: &Encoding) -> PhpResult<()> {
    let is_bad = encoding.is_transfer()
        || matches!(
            encoding.kind,
            Kind::Utf7 | Kind::Utf7Imap | Kind::Iso2022Jp(_)
        );
    if !is_bad {
        return Ok(());
    }
    let message = format!(
        "{}() does not support the \"{}\" encoding",
        crate::support::current_function(call.vm),
        encoding.name
    );
    Err(call.vm.throw_error(KnownClass::ValueError, message))
}

fn mb_ord(call: &mut Call<'_>) -> PhpResult<Value> {
    let bytes = call.bytes(0);
    if bytes.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let encoding = encoding_argument(call, 1)?;
    forbid_stateful(call, encoding)?;
    // No character is longer, byte order mark included.
    let characters = encoding.decode(&bytes[..bytes.len().min(16)]);
    Ok(match characters.first() {
        Some(&character) if character != BAD => i64::from(character).into(),
        _ => false.into(),
    })
}

/// The first character of valid UTF-8.
fn mb_ord_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let Some((encoding, [text])) = encoding_directly(vm, arguments) else {
        return false;
    };
    let bytes = <&[u8]>::of(text).filter(|_| encoding.is_utf8());
    let character = bytes.and_then(|bytes| {
        let first = bytes.get(..utf8_length(*bytes.first()?))?;
        utf8::valid(first)?.chars().next()
    });
    character
        .map(|character| i64::from(u32::from(character)))
        .store(result)
}

/// A character in UTF-8.
fn mb_chr_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let Some((encoding, [number])) = encoding_directly(vm, arguments) else {
        return false;
    };
    let number = i64::of(number).filter(|_| encoding.is_utf8());
    let character = number.and_then(|number| char::from_u32(u32::try_from(number).ok()?));
    character
        .map(|character| vm.string(character.encode_utf8(&mut [0; 4]).as_bytes()))
        .store(result)
}

fn mb_chr(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 1)?;
    forbid_stateful(call, encoding)?;
    let character = u32::try_from(call.long(0)).ok().filter(|&number| {
        char::from_u32(number).is_some() || matches!(encoding.kind, Kind::Ucs4(_)) && number < BAD
    });
    let Some(character) = character else {
        return Ok(false.into());
    };
    let (bytes, substituted) = encoding.encode(&[character], super::encoding::Substitute::None);
    if substituted > 0 {
        return Ok(false.into());
    }
    text(call.vm, bytes)
}

/// Sides to pad.
const LEFT: i64 = 0;
const RIGHT: i64 = 1;
const BOTH: i64 = 2;

fn mb_str_pad(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 4)?;
    let (bytes, padding, side) = (call.bytes(0), call.bytes(2), call.long(3));
    let given = length(encoding, bytes);
    let wanted = usize::try_from(call.long(1)).unwrap_or(0);
    // What is long enough is given back whatever the other arguments say.
    if wanted <= given {
        return Ok(call.value(0));
    }
    if length(encoding, padding) == 0 {
        return Err(call.value_error(2, "must not be empty"));
    }
    if !(LEFT..=BOTH).contains(&side) {
        return Err(call.value_error(3, "must be STR_PAD_LEFT, STR_PAD_RIGHT, or STR_PAD_BOTH"));
    }
    Ok(padded(
        call.vm,
        encoding,
        bytes,
        padding,
        side,
        wanted - given,
    ))
}

direct! {
    fn mb_str_pad_directly(vm; string: &Zval, wanted: i64; padding: &[u8] = b" ".as_slice(), side: i64 = RIGHT) {
        let bytes = <&[u8]>::of(string)?;
        let encoding = super::settings::internal_encoding(vm);
        let given = length(encoding, bytes);
        let wanted = usize::try_from(wanted).unwrap_or(0);
        if wanted <= given {
            return Some(Value::share(string));
        }
        if length(encoding, padding) == 0 || !(LEFT..=BOTH).contains(&side) {
            return None;
        }
        Some(padded(vm, encoding, bytes, padding, side, wanted - given))
    }
}

/// A text with so many characters of padding, which is not empty.
fn padded(
    vm: &mut Vm,
    encoding: &Encoding,
    bytes: &[u8],
    padding: &[u8],
    side: i64,
    missing: usize,
) -> Value {
    vm.heap.check_limit(missing, missing);
    let (left, right) = match side {
        LEFT => (missing, 0),
        RIGHT => (0, missing),
        _ => (missing / 2, missing - missing / 2),
    };
    let unit = length(encoding, padding).max(1);
    let fill = |count: usize, output: &mut StringBuilder| {
        if let [byte] = *padding {
            output.fill(byte, count);
            return;
        }
        for _ in 0..count / unit {
            output.push(padding);
        }
        if !count.is_multiple_of(unit) {
            let rest = super::substring::slice(encoding, padding, 0, count % unit);
            output.push(&rest);
        }
    };
    let mut output = StringBuilder::new(vm, bytes.len() + missing);
    fill(left, &mut output);
    output.push(bytes);
    fill(right, &mut output);
    output.into_value(vm)
}
