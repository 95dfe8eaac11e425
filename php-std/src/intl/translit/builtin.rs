//! Transliterators that are no rules: normal forms, cases, numbers and names of characters.

use std::fmt::Write;

use unicode_normalization::UnicodeNormalization;
use vm_runtime::limits;

use super::text::{Position, Text};
use crate::intl::character::data::{other, property, value};

/// How a character is written by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hex {
    /// `U+0041`
    Unicode,
    /// `\u0041`, in halves of UTF-16
    Java,
    /// `\u0041`, `\U0001F600`
    C,
    /// `&#x41;`
    Xml,
    /// `&#65;`
    Xml10,
    /// `\x{41}`
    Perl,
}

const FORMS: &[(&str, Hex)] = &[
    ("unicode", Hex::Unicode),
    ("java", Hex::Java),
    ("c", Hex::C),
    ("xml", Hex::Xml),
    ("xml10", Hex::Xml10),
    ("perl", Hex::Perl),
];

#[derive(Debug, Clone, Copy)]
pub(super) enum Builtin {
    Null,
    Remove,
    Normal(Normal),
    Lower,
    Upper,
    Title,
    ToHex(Hex),
    /// From one form, or from any.
    FromHex(Option<Hex>),
    ToName,
    FromName,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Normal {
    C,
    D,
    Kc,
    Kd,
}

impl Builtin {
    pub(super) fn named(name: &str) -> Option<Builtin> {
        let name = name.to_ascii_lowercase();
        if let Some(form) = name.strip_prefix("any-hex") {
            return match form {
                "" => Some(Builtin::ToHex(Hex::Java)),
                form => named_form(form.strip_prefix('/')?).map(Builtin::ToHex),
            };
        }
        if let Some(form) = name.strip_prefix("hex-any") {
            return match form {
                "" => Some(Builtin::FromHex(None)),
                form => {
                    named_form(form.strip_prefix('/')?).map(|form| Builtin::FromHex(Some(form)))
                }
            };
        }
        Some(match &*name {
            // Words are not told apart here where nothing is written between them.
            "any-null" | "any-breakinternal" => Builtin::Null,
            "any-remove" => Builtin::Remove,
            "any-nfc" | "any-fcc" => Builtin::Normal(Normal::C),
            "any-nfd" | "any-fcd" => Builtin::Normal(Normal::D),
            "any-nfkc" => Builtin::Normal(Normal::Kc),
            "any-nfkd" => Builtin::Normal(Normal::Kd),
            "any-lower" => Builtin::Lower,
            "any-upper" => Builtin::Upper,
            "any-title" => Builtin::Title,
            "any-name" => Builtin::ToName,
            "name-any" => Builtin::FromName,
            _ => return None,
        })
    }

    pub(super) fn transliterate(self, text: &mut Text, position: &mut Position) {
        let (start, limit) = (position.start, position.limit);
        let own = || {
            let own = text[start..limit].iter().copied();
            own.inspect(|_| limits::poll())
        };
        let new: Vec<char> = match self {
            Builtin::Null => own().collect(),
            Builtin::Remove => Vec::new(),
            Builtin::Normal(Normal::C) => own().nfc().collect(),
            Builtin::Normal(Normal::D) => own().nfd().collect(),
            Builtin::Normal(Normal::Kc) => own().nfkc().collect(),
            Builtin::Normal(Normal::Kd) => own().nfkd().collect(),
            Builtin::Lower => (start..limit).flat_map(|at| lower(text, at)).collect(),
            Builtin::Upper => own().flat_map(char::to_uppercase).collect(),
            Builtin::Title => title(text, start, limit),
            Builtin::ToHex(form) => own()
                .flat_map(|character| written(form, character))
                .collect(),
            Builtin::FromHex(form) => replaced(&text[start..limit], |rest| read_number(rest, form)),
            Builtin::ToName => {
                let shown = own().map(|character| match unicode_names2::name(character) {
                    Some(name) => format!("\\N{{{name}}}"),
                    None => format!("\\N{{<unassigned-{:04X}>}}", u32::from(character)),
                });
                shown.collect::<String>().chars().collect()
            }
            Builtin::FromName => replaced(&text[start..limit], read_name),
        };
        position.replace(text, start, limit, &new);
        position.start = position.limit;
    }
}

fn named_form(name: &str) -> Option<Hex> {
    let known = FORMS.iter().find(|(own, _)| *own == name);
    known.map(|(_, form)| *form)
}

fn has(character: char, property: u32) -> bool {
    value(property, character.into()) != 0
}

/// A character in lower case. A sigma at the end of a word has a form of its own.
fn lower(text: &Text, at: usize) -> Vec<char> {
    limits::poll();
    let is_word = |mut others: Box<dyn Iterator<Item = char> + '_>| {
        let other = others.find(|&other| !has(other, property::CASE_IGNORABLE));
        other.is_some_and(|other| has(other, property::CASED))
    };
    match text[at] {
        'Σ' => {
            let before = is_word(Box::new(text[..at].iter().rev().copied()));
            let behind = is_word(Box::new(text[at + 1..].iter().copied()));
            vec![if before && !behind { 'ς' } else { 'σ' }]
        }
        character => character.to_lowercase().collect(),
    }
}

/// A character at the beginning of a word.
fn titled(character: char) -> Vec<char> {
    let simple = char::from_u32(other(property::TO_TITLE, character.into())).unwrap_or(character);
    let upper = character.to_uppercase();
    match upper.len() {
        1 => vec![simple],
        _ if simple != character => vec![simple],
        _ => {
            // Several letters: the first of them is a capital.
            let mut all: Vec<char> = upper.collect();
            if let [_, rest @ ..] = all.as_mut_slice() {
                for letter in rest {
                    *letter = letter.to_lowercase().next().unwrap_or(*letter);
                }
            }
            all
        }
    }
}

fn title(text: &Text, start: usize, limit: usize) -> Vec<char> {
    // A word may have begun in front of the part that is changed.
    let mut before = text[..start].iter().rev().copied();
    let mut is_in_word = before
        .find(|&other| !has(other, property::CASE_IGNORABLE))
        .is_some_and(|other| has(other, property::CASED));
    let mut new = Vec::new();
    for at in start..limit {
        limits::poll();
        let character = text[at];
        if has(character, property::CASE_IGNORABLE) {
            new.push(character);
            continue;
        }
        match is_in_word {
            true => new.extend(lower(text, at)),
            false => new.extend(titled(character)),
        }
        is_in_word = has(character, property::CASED);
    }
    new
}

fn written(form: Hex, character: char) -> Vec<char> {
    let number = u32::from(character);
    let text = match form {
        Hex::Unicode => format!("U+{number:04X}"),
        Hex::Java => {
            let mut halves = [0; 2];
            let mut text = String::new();
            for half in character.encode_utf16(&mut halves) {
                let _ = write!(text, "\\u{half:04X}");
            }
            text
        }
        Hex::C if number > 0xffff => format!("\\U{number:08X}"),
        Hex::C => format!("\\u{number:04X}"),
        Hex::Xml => format!("&#x{number:X};"),
        Hex::Xml10 => format!("&#{number};"),
        Hex::Perl => format!("\\x{{{number:X}}}"),
    };
    text.chars().collect()
}

/// A text in which what `read` knows is replaced: it gives a character and how much it has read.
fn replaced(text: &[char], read: impl Fn(&[char]) -> Option<(char, usize)>) -> Vec<char> {
    let (mut at, mut new) = (0, Vec::new());
    while at < text.len() {
        limits::poll();
        match read(&text[at..]) {
            Some((character, length)) => {
                new.push(character);
                at += length;
            }
            None => {
                new.push(text[at]);
                at += 1;
            }
        }
    }
    new
}

/// A number between a beginning and an end.
fn digits(
    text: &[char],
    start: &str,
    counts: std::ops::RangeInclusive<usize>,
    base: u32,
    end: &str,
) -> Option<(u32, usize)> {
    let has = |at: usize, wanted: &str| {
        text.get(at..)
            .is_some_and(|rest| rest.iter().copied().take(wanted.len()).eq(wanted.chars()))
    };
    if !has(0, start) {
        return None;
    }
    let rest = &text[start.len()..];
    let count = rest
        .iter()
        .take(*counts.end())
        .take_while(|digit| digit.is_digit(base))
        .count();
    let number: String = rest[..count].iter().collect();
    let behind = start.len() + count;
    let is_read = counts.contains(&count) && has(behind, end);
    is_read
        .then(|| {
            u32::from_str_radix(&number, base)
                .ok()
                .map(|number| (number, behind + end.len()))
        })
        .flatten()
}

fn read_number(text: &[char], form: Option<Hex>) -> Option<(char, usize)> {
    let read = |form: Hex| match form {
        Hex::Unicode => digits(text, "U+", 4..=6, 16, ""),
        Hex::Java => {
            let (high, length) = digits(text, "\\u", 4..=4, 16, "")?;
            if !(0xd800..0xdc00).contains(&high) {
                return Some((high, length));
            }
            let (low, more) = digits(&text[length..], "\\u", 4..=4, 16, "")?;
            let is_low = (0xdc00..0xe000).contains(&low);
            is_low.then(|| {
                (
                    0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00),
                    length + more,
                )
            })
        }
        Hex::C => digits(text, "\\u", 4..=4, 16, "").or_else(|| digits(text, "\\U", 8..=8, 16, "")),
        Hex::Xml => digits(text, "&#x", 1..=6, 16, ";"),
        Hex::Xml10 => digits(text, "&#", 1..=7, 10, ";"),
        Hex::Perl => digits(text, "\\x{", 1..=6, 16, "}"),
    };
    let found = match form {
        Some(form) => read(form),
        None => FORMS.iter().find_map(|(_, form)| read(*form)),
    };
    found.and_then(|(number, length)| Some((char::from_u32(number)?, length)))
}

fn read_name(text: &[char]) -> Option<(char, usize)> {
    let rest = text.strip_prefix(&['\\', 'N', '{'])?;
    let length = rest.iter().position(|&next| next == '}')?;
    let name: String = rest[..length].iter().collect();
    unicode_names2::character(name.trim()).map(|character| (character, length + 4))
}
