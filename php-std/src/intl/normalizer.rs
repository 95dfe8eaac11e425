//! The class `Normalizer`: Unicode's normal forms.

use unicode_normalization::{
    IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick,
};
use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Thrown};

use super::errors::{self, ILLEGAL_ARGUMENT, INVALID_CHARACTER};
use super::letters;
use crate::mbstring::unicode::{Mapping, map};
use crate::support::{functions, text, utf8};

functions! {
    "normalizer_normalize(string $string, int $form = Normalizer::FORM_C): string|false" => normalize,
    "normalizer_is_normalized(string $string, int $form = Normalizer::FORM_C): bool" => is_normalized,
    "normalizer_get_raw_decomposition(string $string, int $form = Normalizer::FORM_C): ?string" => raw_decomposition,
}

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class Normalizer")
    .constants(&[
        "FORM_D = 4",
        "NFD = 4",
        "FORM_KD = 8",
        "NFKD = 8",
        "FORM_C = 16",
        "NFC = 16",
        "FORM_KC = 32",
        "NFKC = 32",
        "FORM_KC_CF = 48",
        "NFKC_CF = 48",
    ])
    .methods(&[
        method(
            "tentative public static function normalize(string $string, int $form = Normalizer::FORM_C): string|false",
            normalize,
        ),
        method(
            "tentative public static function isNormalized(string $string, int $form = Normalizer::FORM_C): bool",
            is_normalized,
        ),
        method(
            "tentative public static function getRawDecomposition(string $string, int $form = Normalizer::FORM_C): ?string",
            raw_decomposition,
        ),
    ])];

/// A normal form.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Decomposed,
    CompatiblyDecomposed,
    Composed,
    CompatiblyComposed,
    /// Composed without what only compatibility, case or what is ignored tells apart.
    Folded,
}

impl Form {
    fn of(number: i64) -> Option<Form> {
        Some(match number {
            4 => Form::Decomposed,
            8 => Form::CompatiblyDecomposed,
            16 => Form::Composed,
            32 => Form::CompatiblyComposed,
            48 => Form::Folded,
            _ => return None,
        })
    }

    /// True if a text is in this form by what each of its characters says alone.
    fn is_surely_of(self, source: &str) -> bool {
        let letters = letters(source);
        let found = match self {
            Form::Decomposed => is_nfd_quick(letters),
            Form::CompatiblyDecomposed => is_nfkd_quick(letters),
            Form::Composed => is_nfc_quick(letters),
            Form::CompatiblyComposed => is_nfkc_quick(letters),
            Form::Folded => IsNormalized::Maybe,
        };
        found == IsNormalized::Yes
    }

    fn apply(self, source: &str) -> String {
        let letters = letters(source);
        match self {
            Form::Decomposed => letters.nfd().collect(),
            Form::CompatiblyDecomposed => letters.nfkd().collect(),
            Form::Composed => letters.nfc().collect(),
            Form::CompatiblyComposed => letters.nfkc().collect(),
            Form::Folded => folded(source),
        }
    }
}

/// Each letter is folded alone, as the table of Unicode says it (`NFKC_Casefold`).
fn folded(source: &str) -> String {
    letters(source).flat_map(folded_letter).nfc().collect()
}

/// What a letter is folded to.
fn folded_letter(letter: char) -> std::vec::IntoIter<char> {
    let mut current = vec![letter];
    // Folding may make what normalizes further, and the other way round.
    loop {
        let next = fold_once(&current);
        if next == current {
            return current.into_iter();
        }
        current = next;
    }
}

fn fold_once(letters: &[char]) -> Vec<char> {
    let mut folded = Vec::with_capacity(letters.len());
    for letter in letters.iter().copied().nfkd() {
        if !is_ignorable(letter) {
            map(Mapping::Fold, letter.into(), &mut folded);
        }
    }
    let folded = folded.into_iter().filter_map(char::from_u32);
    folded.nfkc().collect()
}

/// True for characters with `Default_Ignorable_Code_Point`.
pub(super) fn is_ignorable(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

fn form(call: &mut Call<'_>) -> PhpResult<Form> {
    match Form::of(call.long(1)) {
        Some(form) => Ok(form),
        None => Err::<Form, Thrown>(call.value_error(1, "must be a a valid normalization form")),
    }
}

fn normalize(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let form = form(call)?;
    let bytes = call.bytes(0);
    if bytes.is_ascii() && form != Form::Folded {
        return Ok(call.value(0));
    }
    let Ok(source) = std::str::from_utf8(bytes) else {
        let problem = "Error converting input string to UTF-16";
        errors::set(call.vm, INVALID_CHARACTER, problem);
        return Ok(false.into());
    };
    if form.is_surely_of(source) {
        return Ok(call.value(0));
    }
    let result = form.apply(source);
    text(call.vm, result)
}

fn is_normalized(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let form = form(call)?;
    let Ok(source) = std::str::from_utf8(call.bytes(0)) else {
        let problem = "Error converting string to UTF-16.";
        errors::set(call.vm, INVALID_CHARACTER, problem);
        return Ok(false.into());
    };
    let is_plain = source.is_ascii() && form != Form::Folded;
    let is_normalized = is_plain || form.is_surely_of(source) || form.apply(source) == source;
    Ok(is_normalized.into())
}

fn raw_decomposition(call: &mut Call<'_>) -> PhpResult<Value> {
    errors::clear(call.vm);
    let bytes = call.bytes(0);
    let (character, length) = match bytes {
        [] => (None, 0),
        bytes => utf8::decode(bytes),
    };
    if bytes.is_empty() || length != bytes.len() {
        let problem = "Input string must be exactly one UTF-8 encoded code point long.";
        errors::set(call.vm, ILLEGAL_ARGUMENT, problem);
        return Ok(Value::NULL);
    }
    let Some(character) = character.and_then(char::from_u32) else {
        errors::set(call.vm, ILLEGAL_ARGUMENT, "Code point out of range");
        return Ok(Value::NULL);
    };
    let parts = match Form::of(call.long(1)) {
        Some(Form::Decomposed | Form::Composed) => canonical_parts(character),
        Some(Form::CompatiblyDecomposed | Form::CompatiblyComposed) => {
            canonical_parts(character).or_else(|| differing(character, Form::CompatiblyComposed))
        }
        Some(Form::Folded) => {
            differing(character, Form::Folded).or_else(|| canonical_parts(character))
        }
        None => return text(call.vm, ""),
    };
    match parts {
        Some(parts) => text(call.vm, parts),
        None => Ok(Value::NULL),
    }
}

/// The form of a character that does not have it.
fn differing(character: char, form: Form) -> Option<String> {
    let whole = character.to_string();
    Some(form.apply(&whole)).filter(|other| *other != whole)
}

/// What a character canonically stands for: another one, or a shorter one and a mark.
fn canonical_parts(character: char) -> Option<String> {
    let decomposed: Vec<char> = std::iter::once(character).nfd().collect();
    if decomposed == [character] {
        return None;
    }
    let composed: String = std::iter::once(character).nfc().collect();
    if composed.chars().count() == 1 && !composed.starts_with(character) {
        return Some(composed);
    }
    let (last, first) = decomposed.split_last()?;
    let mut parts: String = first.iter().copied().nfc().collect();
    parts.push(*last);
    Some(parts)
}
