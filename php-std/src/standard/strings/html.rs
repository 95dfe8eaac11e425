//! HTML: `htmlspecialchars`, `htmlentities` and their inverses.
//!
//! Charsets other than those of [`super::html_charset`] count as UTF-8 after a warning.

use std::sync::OnceLock;

use smallvec::SmallVec;
use vm_runtime::function::Call;
use vm_runtime::string::PhpString;
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::html_charset::Charset;
use crate::support::{Plain, StringBuilder, define, direct, functions, new_list, utf8};

functions! {
    "htmlspecialchars(string $string, int $flags = ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML401, ?string $encoding = null, bool $double_encode = true): string" => htmlspecialchars | htmlspecialchars_directly,
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

#[cold]
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

type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::FixedState>;

/// The bytes that an entity stands for: a character, or two.
type Bytes = SmallVec<[u8; 16]>;

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

/// The character that HTML 4.01 has a name for.
pub(crate) fn html4_character(name: &[u8]) -> Option<char> {
    if name == b"quot" {
        return Some('"');
    }
    let bytes = entities(0).by_name.get(std::str::from_utf8(name).ok()?)?;
    std::str::from_utf8(bytes).ok()?.chars().next()
}

/// Lines of an entity's name and its characters in hexadecimal.
fn parse(table: &'static str) -> Entities {
    let mut entities = Entities {
        by_name: HashMap::default(),
        by_character: HashMap::default(),
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

/// What a byte is written as. `all` is true where other characters have entities, too: in XHTML these are those of
/// HTML 4.01, which has no name for the apostrophe.
fn special(byte: u8, flags: i64, all: bool) -> Option<&'static [u8]> {
    Some(match byte {
        b'&' => b"&amp;",
        b'<' => b"&lt;",
        b'>' => b"&gt;",
        b'"' if flags & DOUBLE_QUOTES != 0 => b"&quot;",
        b'\'' if flags & SINGLE_QUOTES != 0 => {
            if matches!((flags & DOCUMENT, all), (HTML401, _) | (XHTML, true)) {
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

/// What the flags are if none are given.
const DEFAULT: i64 = DOUBLE_QUOTES | SINGLE_QUOTES | SUBSTITUTE | HTML401;

direct! {
    /// Of UTF-8 only the special characters are looked at.
    fn htmlspecialchars_directly(
        vm; string: &Zval; flags: i64 = DEFAULT, encoding: Option<&[u8]> = None, double: bool = true
    ) {
        let text = <&PhpString>::of(string)?;
        let encoding = encoding.filter(|name| !name.is_empty());
        let is_default = encoding.unwrap_or_else(|| vm.ini.charset()).eq_ignore_ascii_case(b"utf-8");
        if !is_default || !double || flags & DISALLOWED != 0 || !text.is_utf8() {
            return None;
        }
        let text = text.as_bytes();
        let mut builder: Option<StringBuilder> = None;
        let mut done = 0;
        for (at, &byte) in text.iter().enumerate() {
            if let Some(entity) = special(byte, flags, false) {
                let builder = builder.get_or_insert_with(|| StringBuilder::new(vm, text.len() + text.len() / 8));
                builder.push(&text[done..at]);
                builder.push(entity);
                done = at + 1;
            }
        }
        Some(match builder {
            None => Value::share(string),
            Some(mut builder) => {
                builder.push(&text[done..]);
                builder.into_value(vm)
            }
        })
    }
}

fn htmlentities(call: &mut Call<'_>) -> PhpResult<Value> {
    escape(call, true)
}

fn escape(call: &mut Call<'_>, all: bool) -> PhpResult<Value> {
    let (string, flags, double) = (call.bytes(0), call.long(1), call.bool(3));
    let charset = Charset::named(call, call.optional_bytes(2))?;
    let all = all && !has_only_basic(call, charset)?;
    // HTML 5 has entities for ASCII, too.
    let names_ascii = all && flags & DOCUMENT == HTML5;
    // Most strings have nothing to do.
    let plain = |&byte: &u8| byte < 0x80 && !names_ascii && special(byte, flags, all).is_none();
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
        if byte < 0x80 && flags & DISALLOWED == 0 && !names_ascii {
            match special(byte, flags, all) {
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
        let is_known = character != 0 || bytes == [0];
        if flags & DISALLOWED != 0 && is_known && !is_allowed(character, flags) {
            builder.push(replacement(charset));
            continue;
        }
        if character < 0x80 {
            match special(character as u8, flags, all) {
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
                None => {
                    let rest = if names_ascii { &string[at..] } else { &[] };
                    at += push_entity(&mut builder, (all, flags), charset, character, bytes, rest);
                }
            }
        } else {
            let rest = &string[at..];
            at += push_entity(&mut builder, (all, flags), charset, character, bytes, rest);
        }
    }
    Ok(builder.into_value(call.vm))
}

/// True where only the basic entities are written, which `htmlentities()` says.
fn has_only_basic(call: &mut Call<'_>, charset: Charset) -> PhpResult<bool> {
    if !matches!(charset, Charset::MultiByte(_)) {
        return Ok(false);
    }
    call.vm.function_notice(
        "Only basic entities substitution is supported for multi-byte encodings other than UTF-8; \
         functionality is equivalent to htmlspecialchars",
    );
    call.vm.check()?;
    Ok(true)
}

/// Writes a character, as an entity if it has one; gives how many bytes of what follows are part
/// of it.
fn push_entity(
    builder: &mut StringBuilder,
    (all, flags): (bool, i64),
    charset: Charset,
    character: u32,
    bytes: &[u8],
    rest: &[u8],
) -> usize {
    let names = (all && flags & DOCUMENT != XML1)
        .then(|| entities(flags & DOCUMENT).by_character.get(&character))
        .flatten();
    for (further, name) in names.into_iter().flatten() {
        let mut taken = 0;
        let follows = further.iter().all(|&wanted| {
            if rest.len() <= taken {
                return false;
            }
            let (found, length) = charset.decode(&rest[taken..]);
            taken += length;
            found == Some(wanted)
        });
        if follows {
            builder.push_all([b"&", name.as_bytes(), b";"]);
            return taken;
        }
    }
    builder.push(bytes);
    0
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
    // Nobody asks for the charset of a text without entities.
    if memchr::memchr(b'&', call.bytes(0)).is_none() {
        return Ok(call.value(0));
    }
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
        if let Some((byte, length)) = special_entity(&string[at..], flags) {
            builder.push_byte(byte);
            at += length;
            continue;
        }
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

/// What an entity that [`special`] writes stands for, and its length: most of them are such.
fn special_entity(bytes: &[u8], flags: i64) -> Option<(u8, usize)> {
    Some(match bytes {
        [b'&', b'l', b't', b';', ..] => (b'<', 4),
        [b'&', b'g', b't', b';', ..] => (b'>', 4),
        [b'&', b'a', b'm', b'p', b';', ..] => (b'&', 5),
        [b'&', b'q', b'u', b'o', b't', b';', ..] if flags & DOUBLE_QUOTES != 0 => (b'"', 6),
        [b'&', b'#', b'0', b'3', b'9', b';', ..] if flags & SINGLE_QUOTES != 0 => (b'\'', 6),
        _ => return None,
    })
}

/// What the entity at the start of `bytes` stands for, and its length.
fn decoded(bytes: &[u8], all: bool, flags: i64, charset: Charset) -> Option<(Bytes, usize)> {
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
        Bytes::from_slice(&encoded[..length])
    } else {
        let bytes = named_entity(name, flags)?;
        if !all && !matches!(bytes, b"\"" | b"&" | b"'" | b"<" | b">") {
            return None;
        }
        Bytes::from_slice(bytes)
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
    // Entities of two characters are left alone.
    let (character, length) = utf8::decode(&utf8_bytes);
    if length != utf8_bytes.len() {
        return None;
    }
    let (encoded, length) = charset.encode(character?)?;
    Some((Bytes::from_slice(&encoded[..length]), end + 1))
}

fn get_html_translation_table(call: &mut Call<'_>) -> PhpResult<Value> {
    let (all, flags) = (call.long(0) != 0, call.long(1));
    let charset = Charset::named(call, call.optional_bytes(2))?;
    let mut entries: Vec<(Vec<u8>, String)> = Vec::new();
    let has_all = all && !matches!(charset, Charset::MultiByte(_));
    for byte in [b'"', b'&', b'\'', b'<', b'>'] {
        if let Some(entity) = special(byte, flags, has_all) {
            entries.push((vec![byte], String::from_utf8_lossy(entity).into_owned()));
        }
    }
    if has_all && flags & DOCUMENT != XML1 {
        for (bytes, name) in &entities(flags & DOCUMENT).list {
            if matches!(bytes.as_slice(), b"&" | b"<" | b">" | b"\"" | b"'") {
                continue;
            }
            let encoded = match charset {
                Charset::Utf8 => Some(bytes.clone()),
                _ => in_charset(bytes, charset),
            };
            if let Some(encoded) = encoded {
                entries.push((encoded, format!("&{name};")));
            }
        }
        entries.sort();
    }
    let mut result = new_list(call.vm, entries.len());
    let array = result.make_mut(call.vm);
    for (bytes, entity) in entries {
        array.set_bytes(&bytes, call.vm.string(entity).into());
    }
    Ok(result.into())
}

/// UTF-8 in another charset, if that has all of its characters.
fn in_charset(mut bytes: &[u8], charset: Charset) -> Option<Vec<u8>> {
    let mut output = Vec::new();
    while !bytes.is_empty() {
        let (character, length) = utf8::decode(bytes);
        let (encoded, size) = charset.encode(character?)?;
        output.extend_from_slice(&encoded[..size]);
        bytes = &bytes[length..];
    }
    Some(output)
}
