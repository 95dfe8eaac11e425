//! HTML: `htmlspecialchars`, `htmlentities` and their inverses.
//!
//! Charsets: UTF-8 (the default), and ISO-8859-1 and Windows-1252 as single bytes. Others count as
//! UTF-8 after a warning.

use std::collections::HashMap;
use std::sync::OnceLock;

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{StringBuilder, define, functions, new_list, utf8};

functions! {
    "htmlspecialchars(string $string, int $flags = ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML401, ?string $encoding = null, bool $double_encode = true): string" => htmlspecialchars,
    "htmlspecialchars_decode(string $string, int $flags = ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML401): string" => htmlspecialchars_decode,
    "htmlentities(string $string, int $flags = ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML401, ?string $encoding = null, bool $double_encode = true): string" => htmlentities,
    "html_entity_decode(string $string, int $flags = ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML401, ?string $encoding = null): string" => html_entity_decode,
    "get_html_translation_table(int $table = HTML_SPECIALCHARS, int $flags = ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML401, string $encoding = \"UTF-8\"): array" => get_html_translation_table,
}

const DOUBLE_QUOTES: i64 = 2;
const SINGLE_QUOTES: i64 = 1;
const IGNORE: i64 = 4;
const SUBSTITUTE: i64 = 8;
const DISALLOWED: i64 = 128;
const DOCUMENT: i64 = 16 | 32;
const HTML401: i64 = 0;
const XML1: i64 = 16;
const XHTML: i64 = 32;
const HTML5: i64 = 48;

pub(crate) fn register(vm: &mut Vm) {
    define(
        vm,
        &[
            ("ENT_HTML401", HTML401),
            ("ENT_COMPAT", DOUBLE_QUOTES),
            ("ENT_QUOTES", DOUBLE_QUOTES | SINGLE_QUOTES),
            ("ENT_NOQUOTES", 0),
            ("ENT_IGNORE", IGNORE),
            ("ENT_SUBSTITUTE", SUBSTITUTE),
            ("ENT_DISALLOWED", DISALLOWED),
            ("ENT_XML1", XML1),
            ("ENT_XHTML", XHTML),
            ("ENT_HTML5", HTML5),
            ("HTML_SPECIALCHARS", 0),
            ("HTML_ENTITIES", 1),
        ],
    );
    vm.register_functions(FUNCTIONS);
}

/// Entities of a document type, but for the quotes.
struct Entities {
    /// Name to UTF-8.
    by_name: HashMap<&'static str, Vec<u8>>,
    /// First character to (further characters, name).
    by_character: HashMap<u32, Vec<(Vec<u32>, &'static str)>>,
    /// In order.
    list: Vec<(Vec<u8>, &'static str)>,
}

fn entities(document: i64) -> &'static Entities {
    static OLD: OnceLock<Entities> = OnceLock::new();
    static NEW: OnceLock<Entities> = OnceLock::new();
    match document {
        HTML5 => NEW.get_or_init(|| {
            let mut entities = parse(include_str!("html5.txt"));
            // Further names are only decoded.
            entities
                .by_name
                .extend(parse(include_str!("html5_aliases.txt")).by_name);
            entities
        }),
        _ => OLD.get_or_init(|| parse(include_str!("html401.txt"))),
    }
}

/// The name that HTML 4.01 has for a character.
pub(crate) fn entity_of(character: u32) -> Option<&'static str> {
    let names = entities(0).by_character.get(&character)?;
    let single = names.iter().find(|(further, _)| further.is_empty())?;
    Some(single.1)
}

/// Lines of an entity's name and its characters in hexadecimal.
fn parse(table: &'static str) -> Entities {
    let mut entities = Entities {
        by_name: HashMap::new(),
        by_character: HashMap::new(),
        list: Vec::new(),
    };
    for line in table.lines() {
        let mut words = line.split(' ');
        let Some(name) = words.next() else { continue };
        let characters: Vec<u32> = words
            .filter_map(|word| u32::from_str_radix(word, 16).ok())
            .collect();
        let mut bytes = Vec::new();
        for &character in &characters {
            let (encoded, length) = utf8::encode(character);
            bytes.extend_from_slice(&encoded[..length]);
        }
        if let Some((&first, rest)) = characters.split_first() {
            let names = entities.by_character.entry(first).or_default();
            // Longer sequences first.
            let place = if rest.is_empty() { names.len() } else { 0 };
            names.insert(place, (rest.to_vec(), name));
        }
        entities.by_name.insert(name, bytes.clone());
        entities.list.push((bytes, name));
    }
    entities
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Charset {
    Utf8,
    Latin1,
    Windows1252,
}

/// Characters of the bytes 0x80 to 0x9f in Windows-1252; 0 where there is none.
const WINDOWS_1252: [u16; 32] = [
    0x20ac, 0, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039,
    0x0152, 0, 0x017d, 0, 0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc,
    0x2122, 0x0161, 0x203a, 0x0153, 0, 0x017e, 0x0178,
];

impl Charset {
    /// The charset with this name, with PHP's warning about an unknown one.
    fn named(call: &mut Call<'_>, name: Option<&[u8]>) -> PhpResult<Charset> {
        let default = call.vm.ini.text("default_charset").to_vec();
        let name = name.filter(|name| !name.is_empty()).unwrap_or(&default);
        if name.is_empty() {
            return Ok(Charset::Utf8);
        }
        match name.to_ascii_lowercase().as_slice() {
            b"utf-8" => Ok(Charset::Utf8),
            b"iso-8859-1" | b"iso8859-1" | b"iso-8859-15" | b"iso8859-15" => Ok(Charset::Latin1),
            b"cp1252" | b"windows-1252" | b"1252" => Ok(Charset::Windows1252),
            _ => {
                let function = call.function().display_name();
                let name = String::from_utf8_lossy(name);
                let message =
                    format!("{function}(): Charset \"{name}\" is not supported, assuming UTF-8");
                call.vm.warning(message);
                call.vm.check()?;
                Ok(Charset::Utf8)
            }
        }
    }

    /// The character at the start of `bytes` and its length.
    fn decode(self, bytes: &[u8]) -> (Option<u32>, usize) {
        match (self, bytes[0]) {
            (Charset::Utf8, _) => utf8::decode(bytes),
            (Charset::Windows1252, byte @ 0x80..=0x9f) => (
                Some(WINDOWS_1252[byte as usize - 0x80] as u32).filter(|&character| character != 0),
                1,
            ),
            (_, byte) => (Some(byte as u32), 1),
        }
    }

    /// A character in this charset, if it has it.
    fn encode(self, character: u32) -> Option<([u8; 4], usize)> {
        match self {
            Charset::Utf8 => Some(utf8::encode(character)),
            Charset::Windows1252 if !(0x80..0xa0).contains(&character) && character > 0x7f => {
                let place = WINDOWS_1252
                    .iter()
                    .position(|&known| known as u32 == character);
                match place {
                    Some(place) => Some(([0x80 + place as u8, 0, 0, 0], 1)),
                    None if character < 0x100 => Some(([character as u8, 0, 0, 0], 1)),
                    None => None,
                }
            }
            _ if character < 0x100 => Some(([character as u8, 0, 0, 0], 1)),
            _ => None,
        }
    }
}

fn special(byte: u8, flags: i64) -> Option<&'static [u8]> {
    Some(match byte {
        b'&' => b"&amp;",
        b'<' => b"&lt;",
        b'>' => b"&gt;",
        b'"' if flags & DOUBLE_QUOTES != 0 => b"&quot;",
        b'\'' if flags & SINGLE_QUOTES != 0 => {
            if flags & DOCUMENT == HTML401 {
                b"&#039;"
            } else {
                b"&apos;"
            }
        }
        _ => return None,
    })
}

fn htmlspecialchars(call: &mut Call<'_>) -> PhpResult<Value> {
    escape(call, false)
}

fn htmlentities(call: &mut Call<'_>) -> PhpResult<Value> {
    escape(call, true)
}

fn escape(call: &mut Call<'_>, all: bool) -> PhpResult<Value> {
    let (string, flags, double) = (call.bytes(0), call.long(1), call.bool(3));
    let charset = Charset::named(call, call.optional_bytes(2))?;
    // Most strings have nothing to do.
    let plain = |&byte: &u8| byte < 0x80 && special(byte, flags).is_none();
    let Some(first) = string
        .iter()
        .position(|byte| !plain(byte))
        .or((flags & DISALLOWED != 0).then_some(0))
    else {
        return Ok(call.value(0));
    };
    let mut builder = StringBuilder::new(call.vm, string.len() + string.len() / 8);
    builder.push(&string[..first]);
    let mut at = first;
    while at < string.len() {
        let byte = string[at];
        if byte < 0x80 && flags & DISALLOWED == 0 {
            match special(byte, flags) {
                Some(_) if byte == b'&' && !double && entity_length(&string[at..], flags) > 0 => {
                    let length = entity_length(&string[at..], flags);
                    builder.push(&string[at..at + length]);
                    at += length;
                    continue;
                }
                Some(entity) => builder.push(entity),
                None => builder.push_byte(byte),
            }
            at += 1;
            continue;
        }
        let (character, length) = charset.decode(&string[at..]);
        let bytes = &string[at..at + length];
        at += length;
        let Some(character) = character else {
            if flags & IGNORE != 0 {
                continue;
            }
            if flags & SUBSTITUTE == 0 {
                return crate::support::text(call.vm, "");
            }
            builder.push(replacement(charset));
            continue;
        };
        if flags & DISALLOWED != 0 && !is_allowed(character, flags) {
            builder.push(replacement(charset));
            continue;
        }
        if character < 0x80 {
            match special(character as u8, flags) {
                Some(_)
                    if character == 0x26
                        && !double
                        && entity_length(&string[at - 1..], flags) > 0 =>
                {
                    let length = entity_length(&string[at - 1..], flags);
                    builder.push(&string[at - 1..at - 1 + length]);
                    at += length - 1;
                }
                Some(entity) => builder.push(entity),
                None => push_entity(&mut builder, all, flags, character, bytes),
            }
        } else {
            push_entity(&mut builder, all, flags, character, bytes);
        }
    }
    Ok(builder.into_value(call.vm))
}

fn push_entity(builder: &mut StringBuilder, all: bool, flags: i64, character: u32, bytes: &[u8]) {
    let name = (all && flags & DOCUMENT != XML1)
        .then(|| entities(flags & DOCUMENT).by_character.get(&character))
        .flatten()
        .and_then(|names| names.iter().find(|(rest, _)| rest.is_empty()));
    match name {
        Some((_, name)) => {
            builder.push_byte(b'&');
            builder.push(name.as_bytes());
            builder.push_byte(b';');
        }
        None => builder.push(bytes),
    }
}

fn replacement(charset: Charset) -> &'static [u8] {
    if charset == Charset::Utf8 {
        "\u{fffd}".as_bytes()
    } else {
        b"&#xFFFD;"
    }
}

/// Length of the entity at the start of `bytes` (an `&`), 0 if there is none that is valid.
fn entity_length(bytes: &[u8], flags: i64) -> usize {
    let Some(end) = bytes.iter().take(40).position(|&byte| byte == b';') else {
        return 0;
    };
    let name = &bytes[1..end];
    let valid = match name {
        [b'#', ..] => numeric_reference(name).is_some(),
        _ => named_entity(name, flags).is_some(),
    };
    if valid { end + 1 } else { 0 }
}

/// The number of `#123` or `#x7b`.
fn numeric_reference(name: &[u8]) -> Option<u32> {
    let digits = std::str::from_utf8(name.strip_prefix(b"#")?).ok()?;
    let (digits, base) = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (digits, 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(base)) {
        return None;
    }
    u32::from_str_radix(digits, base)
        .ok()
        .filter(|&number| number <= 0x10_ffff)
}

/// The UTF-8 of a named entity.
fn named_entity(name: &[u8], flags: i64) -> Option<&'static [u8]> {
    let name = std::str::from_utf8(name).ok()?;
    match name {
        "quot" => return Some(b"\""),
        "amp" => return Some(b"&"),
        "lt" => return Some(b"<"),
        "gt" => return Some(b">"),
        "apos" if flags & DOCUMENT != HTML401 => return Some(b"'"),
        _ if flags & DOCUMENT == XML1 => return None,
        _ => {}
    }
    entities(flags & DOCUMENT)
        .by_name
        .get(name)
        .map(Vec::as_slice)
}

/// Characters that a document of this type may contain.
fn is_allowed(character: u32, flags: i64) -> bool {
    match flags & DOCUMENT {
        HTML5 => {
            matches!(character, 0x20..=0x7e | 0x09 | 0x0a | 0x0c | 0x0d | 0xa0..=0xd7ff)
                || (0xe000..=0x10_ffff).contains(&character)
                    && character & 0xffff != 0xfffe
                    && character & 0xffff != 0xffff
                    && !(0xfdd0..=0xfdef).contains(&character)
        }
        HTML401 => {
            matches!(character, 0x20..=0x7e | 0x09 | 0x0a | 0x0d | 0xa0..=0xd7ff | 0xe000..=0x10_ffff)
        }
        _ => matches!(
            character,
            0x20..=0xd7ff | 0x09 | 0x0a | 0x0d | 0xe000..=0xfffd | 0x10000..=0x10_ffff
        ),
    }
}

/// Characters that a numeric entity is decoded to.
fn is_decodable(character: u32, flags: i64) -> bool {
    match flags & DOCUMENT {
        HTML401 => {
            matches!(character, 0x20..=0x7e | 0x09 | 0x0a | 0x0d | 0xa0..=0xd7ff | 0xe000..=0x10_ffff)
        }
        HTML5 => character != 0x0d && is_allowed(character, flags),
        _ => is_allowed(character, flags),
    }
}

fn htmlspecialchars_decode(call: &mut Call<'_>) -> PhpResult<Value> {
    unescape(call, false, Charset::Utf8)
}

fn html_entity_decode(call: &mut Call<'_>) -> PhpResult<Value> {
    let charset = Charset::named(call, call.optional_bytes(2))?;
    unescape(call, true, charset)
}

fn unescape(call: &mut Call<'_>, all: bool, charset: Charset) -> PhpResult<Value> {
    let (string, flags) = (call.bytes(0), call.long(1));
    if memchr::memchr(b'&', string).is_none() {
        return Ok(call.value(0));
    }
    let mut builder = StringBuilder::new(call.vm, string.len());
    let mut at = 0;
    while let Some(offset) = memchr::memchr(b'&', &string[at..]) {
        builder.push(&string[at..at + offset]);
        at += offset;
        match decoded(&string[at..], all, flags, charset) {
            Some((bytes, length)) => {
                builder.push(&bytes);
                at += length;
            }
            None => {
                builder.push_byte(b'&');
                at += 1;
            }
        }
    }
    builder.push(&string[at..]);
    Ok(builder.into_value(call.vm))
}

/// What the entity at the start of `bytes` stands for, and its length.
fn decoded(bytes: &[u8], all: bool, flags: i64, charset: Charset) -> Option<(Vec<u8>, usize)> {
    let end = bytes.iter().take(40).position(|&byte| byte == b';')?;
    let name = &bytes[1..end];
    let utf8_bytes = if name.first() == Some(&b'#') {
        let character = numeric_reference(name)?;
        if !all && !matches!(character, 0x22 | 0x26 | 0x27 | 0x3c | 0x3e)
            || !is_decodable(character, flags)
        {
            return None;
        }
        let (encoded, length) = utf8::encode(character);
        encoded[..length].to_vec()
    } else {
        let bytes = named_entity(name, flags)?;
        if !all && !matches!(bytes, b"\"" | b"&" | b"'" | b"<" | b">") {
            return None;
        }
        bytes.to_vec()
    };
    let unwanted = match utf8_bytes.as_slice() {
        b"\"" => flags & DOUBLE_QUOTES == 0,
        b"'" => flags & SINGLE_QUOTES == 0,
        _ => false,
    };
    if unwanted {
        return None;
    }
    if charset == Charset::Utf8 {
        return Some((utf8_bytes, end + 1));
    }
    let (character, length) = utf8::decode(&utf8_bytes);
    if length != utf8_bytes.len() {
        return None;
    }
    let (encoded, length) = charset.encode(character?)?;
    Some((encoded[..length].to_vec(), end + 1))
}

fn get_html_translation_table(call: &mut Call<'_>) -> PhpResult<Value> {
    let (all, flags) = (call.long(0) != 0, call.long(1));
    let mut entries: Vec<(Vec<u8>, String)> = Vec::new();
    for byte in [b'"', b'&', b'\'', b'<', b'>'] {
        if let Some(entity) = special(byte, flags) {
            entries.push((vec![byte], String::from_utf8_lossy(entity).into_owned()));
        }
    }
    if all && flags & DOCUMENT != XML1 {
        entries.extend(
            entities(flags & DOCUMENT)
                .list
                .iter()
                .filter(|(bytes, _)| !matches!(bytes.as_slice(), b"&" | b"<" | b">"))
                .map(|(bytes, name)| (bytes.clone(), format!("&{name};"))),
        );
        entries.sort();
    }
    let mut result = new_list(call.vm, entries.len());
    let array = result.make_mut(call.vm);
    for (bytes, entity) in entries {
        array.set_bytes(&bytes, call.vm.string(entity).into());
    }
    Ok(result.into())
}
