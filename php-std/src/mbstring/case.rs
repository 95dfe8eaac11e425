//! Upper, lower and title case.

use vm_runtime::function::Call;
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::encoding::{BAD, Encoding};
use super::unicode::{Mapping, is_case_ignorable, is_cased, map};
use super::{convert, encoding_argument, encoding_directly, substring};
use crate::support::{Outcome, Plain, StringBuilder, functions, utf8};

functions! {
    "mb_convert_case(string $string, int $mode, ?string $encoding = null): string" => mb_convert_case | mb_convert_case_directly,
    "mb_strtoupper(string $string, ?string $encoding = null): string" => mb_strtoupper | mb_strtoupper_directly,
    "mb_strtolower(string $string, ?string $encoding = null): string" => mb_strtolower | mb_strtolower_directly,
    "mb_ucfirst(string $string, ?string $encoding = null): string" => mb_ucfirst,
    "mb_lcfirst(string $string, ?string $encoding = null): string" => mb_lcfirst,
}

/// The mappings by their numbers, `MB_CASE_*`.
pub(super) const MODES: [(&str, Mapping); 8] = [
    ("MB_CASE_UPPER", Mapping::Upper),
    ("MB_CASE_LOWER", Mapping::Lower),
    ("MB_CASE_TITLE", Mapping::Title),
    ("MB_CASE_FOLD", Mapping::Fold),
    ("MB_CASE_UPPER_SIMPLE", Mapping::UpperSimple),
    ("MB_CASE_LOWER_SIMPLE", Mapping::LowerSimple),
    ("MB_CASE_TITLE_SIMPLE", Mapping::TitleSimple),
    ("MB_CASE_FOLD_SIMPLE", Mapping::FoldSimple),
];

const CAPITAL_SIGMA: u32 = 0x3a3;
const FINAL_SIGMA: u32 = 0x3c2;

/// How far back the letter before a sigma is looked for.
const FARTHEST: usize = 64;

/// True if the sigma at `at` ends a word: a letter stands before it and none behind it.
fn is_final_sigma(characters: &[u32], at: usize) -> bool {
    let counts = |&&character: &&u32| !is_case_ignorable(character);
    let is_letter =
        |character: Option<&u32>| character.is_some_and(|&character| is_cased(character));
    is_letter(characters[..at].iter().rev().take(FARTHEST).find(counts))
        && !is_letter(characters[at + 1..].iter().find(counts))
}

/// Maps characters to a case.
pub(super) fn convert_case(mapping: Mapping, characters: &[u32]) -> Vec<u32> {
    convert_case_of(mapping, characters, |_, character| character)
}

/// As [`convert_case`], of what `replaced` says stands for a character in a case.
fn convert_case_of(
    mapping: Mapping,
    characters: &[u32],
    replaced: impl Fn(Mapping, u32) -> u32,
) -> Vec<u32> {
    let mut output = Vec::with_capacity(characters.len());
    let is_title = matches!(mapping, Mapping::Title | Mapping::TitleSimple);
    let lower = within_word(mapping);
    let mut in_word = false;
    for (at, &character) in characters.iter().enumerate() {
        let mapping = if is_title && in_word { lower } else { mapping };
        if character == BAD {
            output.push(BAD);
        } else if mapping == Mapping::Lower
            && character == CAPITAL_SIGMA
            && is_final_sigma(characters, at)
        {
            output.push(FINAL_SIGMA);
        } else {
            map(mapping, replaced(mapping, character), &mut output);
        }
        // Broken bytes neither begin nor end a word.
        if is_title && character != BAD && !is_case_ignorable(character) {
            in_word = is_cased(character);
        }
    }
    output
}

/// Text in UTF-8 with each character mapped. None if it is broken, or a character's neighbours count.
pub(super) fn mapped_utf8(mapping: Mapping, bytes: &[u8]) -> Option<Vec<u8>> {
    let text = utf8::valid(bytes)?;
    match mapping {
        Mapping::Lower | Mapping::Title if text.contains('\u{3a3}') => return None,
        Mapping::Title | Mapping::TitleSimple => return Some(titled(mapping, text)),
        _ => {}
    }
    let is_upper = matches!(mapping, Mapping::Upper | Mapping::UpperSimple);
    if let Some(output) = mapped_in_place(mapping, is_upper, text) {
        return Some(output);
    }
    let mut output = Vec::with_capacity(bytes.len() + bytes.len() / 8);
    let mut mapped = Vec::new();
    let mut rest = text;
    loop {
        let end = rest.bytes().position(|byte| byte >= 0x80);
        let start = output.len();
        output.extend_from_slice(&rest.as_bytes()[..end.unwrap_or(rest.len())]);
        match is_upper {
            true => output[start..].make_ascii_uppercase(),
            false => output[start..].make_ascii_lowercase(),
        }
        let Some(end) = end else {
            return Some(output);
        };
        let mut characters = rest[end..].chars();
        let letter = characters.next()?;
        rest = characters.as_str();
        mapped.clear();
        match western(is_upper, letter) {
            Some(letter) => mapped.push(letter),
            None => map(mapping, letter.into(), &mut mapped),
        }
        for &character in &mapped {
            let (bytes, length) = utf8::encode(character);
            output.extend_from_slice(&bytes[..length]);
        }
    }
}

/// As [`mapped_utf8`], where each character becomes one of as many bytes, as most do; None where one does not.
fn mapped_in_place(mapping: Mapping, is_upper: bool, text: &str) -> Option<Vec<u8>> {
    let mut output = text.as_bytes().to_vec();
    match is_upper {
        true => output.make_ascii_uppercase(),
        false => output.make_ascii_lowercase(),
    }
    let mut mapped = Vec::new();
    for (place, letter) in text.char_indices() {
        if letter.is_ascii() {
            continue;
        }
        let character = match western(is_upper, letter) {
            Some(character) => character,
            None => {
                mapped.clear();
                map(mapping, letter.into(), &mut mapped);
                match *mapped {
                    [character] => character,
                    _ => return None,
                }
            }
        };
        let (bytes, length) = utf8::encode(character);
        if length != letter.len_utf8() {
            return None;
        }
        output[place..place + length].copy_from_slice(&bytes[..length]);
    }
    Some(output)
}

/// Text with the first letter of each word in title case, and the others in lower case.
fn titled(mapping: Mapping, text: &str) -> Vec<u8> {
    let lower = within_word(mapping);
    let mut output = Vec::with_capacity(text.len() + text.len() / 8);
    let mut mapped = Vec::new();
    let mut in_word = false;
    for letter in text.chars() {
        let character = u32::from(letter);
        if let Ok(byte) = u8::try_from(character)
            && byte.is_ascii()
        {
            output.push(match in_word {
                true => byte.to_ascii_lowercase(),
                false => byte.to_ascii_uppercase(),
            });
        } else {
            mapped.clear();
            let mapping = if in_word { lower } else { mapping };
            match western(!in_word, letter) {
                Some(letter) => mapped.push(letter),
                None => map(mapping, character, &mut mapped),
            }
            for &character in &mapped {
                let (bytes, length) = utf8::encode(character);
                output.extend_from_slice(&bytes[..length]);
            }
        }
        if !is_case_ignorable(character) {
            in_word = is_cased(character);
        }
    }
    output
}

/// How the letters behind the first one of a word are mapped.
fn within_word(mapping: Mapping) -> Mapping {
    match mapping {
        Mapping::TitleSimple => Mapping::LowerSimple,
        _ => Mapping::Lower,
    }
}

/// A letter of Latin-1 in upper or lower case; most of them stand in two rows.
fn western(is_upper: bool, letter: char) -> Option<u32> {
    let character = u32::from(letter);
    match (is_upper, character) {
        (false, 0xc0..=0xd6 | 0xd8..=0xde) => Some(character + 0x20),
        (false, 0xe0..=0xff) => Some(character),
        (true, 0xe0..=0xf6 | 0xf8..=0xfe) => Some(character - 0x20),
        (true, 0xc0..=0xde) => Some(character),
        _ => None,
    }
}

/// Text in UTF-8 in a case, as [`mapped_utf8`] gives it.
fn converted_utf8(vm: &mut Vm, mapping: Mapping, text: &[u8]) -> Option<Value> {
    if !text.is_ascii() || matches!(mapping, Mapping::Title | Mapping::TitleSimple) {
        return mapped_utf8(mapping, text).map(|mapped| vm.string(mapped).into());
    }
    let mut builder = StringBuilder::exact(vm, text.len());
    builder.push(text);
    match mapping {
        Mapping::Upper | Mapping::UpperSimple => builder.as_mut_bytes().make_ascii_uppercase(),
        _ => builder.as_mut_bytes().make_ascii_lowercase(),
    }
    Some(builder.into_value(vm))
}

/// As [`converted_utf8`], for the arguments of a direct call.
fn converted_directly(vm: &mut Vm, mapping: Mapping, arguments: &[Zval]) -> Option<Value> {
    let (encoding, [text]) = encoding_directly(vm, arguments)?;
    let text = <&[u8]>::of(text).filter(|_| encoding.is_utf8())?;
    converted_utf8(vm, mapping, text)
}

fn mb_strtoupper_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    converted_directly(vm, Mapping::Upper, arguments).store(result)
}

fn mb_strtolower_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    converted_directly(vm, Mapping::Lower, arguments).store(result)
}

fn mb_convert_case_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let Some((encoding, [text, mode])) = encoding_directly(vm, arguments) else {
        return false;
    };
    let mode = i64::of(mode).and_then(|mode| MODES.get(usize::try_from(mode).ok()?));
    let text = <&[u8]>::of(text).filter(|_| encoding.is_utf8());
    let converted = match (mode, text) {
        (Some(&(_, mapping)), Some(text)) => converted_utf8(vm, mapping, text),
        _ => None,
    };
    converted.store(result)
}

fn converted(call: &mut Call<'_>, mapping: Mapping, encoding: &Encoding) -> PhpResult<Value> {
    let text = call.bytes(0);
    if encoding.is_utf8()
        && let Some(mapped) = converted_utf8(call.vm, mapping, text)
    {
        return Ok(mapped);
    }
    let characters = encoding.decode(text);
    let output = convert_case_in(encoding, mapping, &characters);
    convert::encoded(call.vm, encoding, &output)
}

/// Characters that text of this encoding has, in another case.
pub(super) fn convert_case_in(
    encoding: &Encoding,
    mapping: Mapping,
    characters: &[u32],
) -> Vec<u32> {
    match is_turkish(encoding) {
        true => convert_case_of(mapping, characters, turkish),
        false => convert_case(mapping, characters),
    }
}

/// The only encoding that PHP takes for that of Turkish text.
fn is_turkish(encoding: &Encoding) -> bool {
    encoding.name == "ISO-8859-9"
}

/// Turkish has an `i` with a dot and one without, in both cases.
fn turkish(mapping: Mapping, character: u32) -> u32 {
    const CAPITAL_WITH_DOT: u32 = 0x130;
    const SMALL_WITHOUT_DOT: u32 = 0x131;
    let is_small = matches!(
        mapping,
        Mapping::Lower | Mapping::LowerSimple | Mapping::Fold | Mapping::FoldSimple
    );
    match character {
        0x69 if !is_small => CAPITAL_WITH_DOT,
        CAPITAL_WITH_DOT if is_small => 0x69,
        0x49 if is_small => SMALL_WITHOUT_DOT,
        _ => character,
    }
}

fn mb_convert_case(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 2)?;
    let mode = usize::try_from(call.long(1)).ok();
    match mode.and_then(|mode| MODES.get(mode)) {
        Some(&(_, mapping)) => converted(call, mapping, encoding),
        None => Err(call.value_error(1, "must be one of the MB_CASE_* constants")),
    }
}

fn mb_strtoupper(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 1)?;
    converted(call, Mapping::Upper, encoding)
}

fn mb_strtolower(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 1)?;
    converted(call, Mapping::Lower, encoding)
}

/// Maps the first character only; the rest of the bytes stay as they are.
fn first(call: &mut Call<'_>, mapping: Mapping) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 1)?;
    let text = call.value(0);
    if !encoding.is_utf8() {
        return first_apart(call, encoding, mapping);
    }
    let characters = encoding.decode(call.bytes(0));
    let Some((&first, rest)) = characters.split_first() else {
        return Ok(text);
    };
    let mut output = Vec::with_capacity(characters.len());
    if first == BAD {
        return Ok(text);
    }
    map(mapping, first, &mut output);
    if output == [first] {
        return Ok(text);
    }
    output.extend_from_slice(rest);
    convert::encoded(call.vm, encoding, &output)
}

/// As [`first`]: what the first character becomes and the others are texts of their own in such an encoding.
fn first_apart(call: &mut Call<'_>, encoding: &Encoding, mapping: Mapping) -> PhpResult<Value> {
    let (text, bytes) = (call.value(0), call.bytes(0));
    let head = substring::part(call.vm, encoding, bytes, 0, 1)?;
    let head = head.as_bytes().unwrap_or_default();
    let mut mapped = Vec::new();
    for character in encoding.decode(head) {
        match character {
            BAD => mapped.push(BAD),
            _ if is_turkish(encoding) => map(mapping, turkish(mapping, character), &mut mapped),
            _ => map(mapping, character, &mut mapped),
        }
    }
    let mapped = convert::encoded(call.vm, encoding, &mapped)?;
    let mapped = mapped.as_bytes().unwrap_or_default();
    if mapped == head {
        return Ok(text);
    }
    let rest = substring::part(call.vm, encoding, bytes, 1, usize::MAX)?;
    let whole = [mapped, rest.as_bytes().unwrap_or_default()].concat();
    Ok(call.vm.string(whole).into())
}

fn mb_ucfirst(call: &mut Call<'_>) -> PhpResult<Value> {
    first(call, Mapping::Title)
}

fn mb_lcfirst(call: &mut Call<'_>) -> PhpResult<Value> {
    first(call, Mapping::Lower)
}
