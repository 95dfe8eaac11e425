//! The extension `iconv`: conversion between encodings by the system's library.

mod converter;
mod mime;
mod stream;

use std::borrow::Cow;

use vm_runtime::function::Call;
use vm_runtime::ini::{IniDefinition, OnChange, access};
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use self::converter::convert_again;
pub(crate) use self::converter::{Converter, Problem};
pub(crate) use self::stream::make_filter;
use crate::support::{define, define_one, functions, text};

functions! {
    "iconv_strlen(string $string, ?string $encoding = null): int|false" => iconv_strlen,
    "iconv_substr(string $string, int $offset, ?int $length = null, ?string $encoding = null): string|false" => iconv_substr,
    "iconv_strpos(string $haystack, string $needle, int $offset = 0, ?string $encoding = null): int|false" => iconv_strpos,
    "iconv_strrpos(string $haystack, string $needle, ?string $encoding = null): int|false" => iconv_strrpos,
    "iconv_mime_encode(string $field_name, string $field_value, array $options = []): string|false" => mime::iconv_mime_encode,
    "iconv_mime_decode(string $string, int $mode = 0, ?string $encoding = null): string|false" => mime::iconv_mime_decode,
    "iconv_mime_decode_headers(string $headers, int $mode = 0, ?string $encoding = null): array|false" => mime::iconv_mime_decode_headers,
    "iconv(string $from_encoding, string $to_encoding, string $string): string|false" => iconv,
    "iconv_set_encoding(string $type, string $encoding): bool" => iconv_set_encoding,
    "iconv_get_encoding(string $type = \"all\"): array|string|false" => iconv_get_encoding,
    "ob_iconv_handler(string $contents, int $status): string" => stream::ob_iconv_handler,
}

const fn setting(name: &'static str, on_change: OnChange) -> IniDefinition {
    IniDefinition {
        name,
        default: Some(""),
        access: access::ALL,
        on_change: Some(on_change),
    }
}

/// Tells that a setting has a successor.
fn deprecated(vm: &mut Vm, value: Option<&[u8]>, name: &str) -> bool {
    let value = value.unwrap_or_default();
    if value.len() >= LONGEST {
        return false;
    }
    if !value.is_empty() {
        let message = format!("Use of iconv.{name} is deprecated");
        if vm.current_frame.is_null() {
            vm.deprecated(format!("PHP Startup: {message}"));
        } else {
            vm.function_deprecated(message);
        }
    }
    true
}

static SETTINGS: &[IniDefinition] = &[
    setting("iconv.input_encoding", |vm, value| {
        deprecated(vm, value, "input_encoding")
    }),
    setting("iconv.internal_encoding", |vm, value| {
        deprecated(vm, value, "internal_encoding")
    }),
    setting("iconv.output_encoding", |vm, value| {
        deprecated(vm, value, "output_encoding")
    }),
];

/// The longest name of an encoding.
const LONGEST: usize = 64;

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(SETTINGS);
    vm.register_functions(FUNCTIONS);
    define(
        vm,
        &[
            ("ICONV_MIME_DECODE_STRICT", mime::STRICT),
            (
                "ICONV_MIME_DECODE_CONTINUE_ON_ERROR",
                mime::CONTINUE_ON_ERROR,
            ),
        ],
    );
    for (name, value) in [("ICONV_IMPL", "glibc"), ("ICONV_VERSION", "2.41")] {
        let value: Value = vm.string(value).into();
        define_one(vm, name, value);
    }
}

/// An encoding that is set: of this extension, in general, or by default.
fn configured(vm: &Vm, kind: &str) -> Vec<u8> {
    let names = [
        format!("iconv.{kind}"),
        kind.to_owned(),
        String::from("default_charset"),
    ];
    let found = names
        .iter()
        .map(|name| vm.ini.text(name))
        .find(|text| !text.is_empty());
    found.unwrap_or(b"UTF-8").to_vec()
}

/// The encoding that an argument names, or the internal one; none after a warning.
fn encoding_argument(call: &mut Call<'_>, index: usize) -> PhpResult<Option<Vec<u8>>> {
    let Some(name) = call.optional_bytes(index) else {
        return Ok(Some(configured(call.vm, "internal_encoding")));
    };
    check_name(call.vm, name).map(|fits| fits.then(|| name.to_vec()))
}

/// False, after a warning, for a name that is too long.
fn check_name(vm: &mut Vm, name: &[u8]) -> PhpResult<bool> {
    if name.len() < LONGEST {
        return Ok(true);
    }
    vm.function_warning(format!(
        "Encoding parameter exceeds the maximum allowed length of {LONGEST} characters"
    ));
    vm.check()?;
    Ok(false)
}

/// Tells why text was not converted.
fn tell(vm: &mut Vm, problem: Problem, from: &[u8], to: &[u8]) -> PhpResult<()> {
    match problem {
        Problem::WrongEncoding => {
            let (from, to) = (
                vm_runtime::message::text(from),
                vm_runtime::message::text(to),
            );
            vm.function_warning(format!(
                "Wrong encoding, conversion from \"{from}\" to \"{to}\" is not allowed"
            ));
        }
        Problem::Illegal => vm.function_notice("Detected an illegal character in input string"),
        Problem::Incomplete => {
            vm.function_notice("Detected an incomplete multibyte character in input string");
        }
        Problem::Undecodable => vm.function_warning("Unknown error (84)"),
        Problem::Other => vm.function_warning("Unknown error (0)"),
    }
    vm.check()
}

/// The encoding of this name, or without a name the internal one.
fn or_configured<'a>(vm: &Vm, name: &'a [u8]) -> Cow<'a, [u8]> {
    match name {
        b"" => Cow::Owned(configured(vm, "internal_encoding")),
        name => Cow::Borrowed(name),
    }
}

fn iconv(call: &mut Call<'_>) -> PhpResult<Value> {
    let (from, to) = (call.bytes(0), call.bytes(1));
    if !check_name(call.vm, from)? || !check_name(call.vm, to)? {
        return Ok(false.into());
    }
    let (source, target) = (or_configured(call.vm, from), or_configured(call.vm, to));
    match convert_again(call.vm, &source, &target, call.bytes(2)) {
        (output, None) => text(call.vm, output),
        (_, Some(problem)) => {
            tell(call.vm, problem, from, to)?;
            Ok(false.into())
        }
    }
}

/// The characters of text; none after a message.
fn characters(call: &mut Call<'_>, text: &[u8], encoding: &[u8]) -> PhpResult<Option<Vec<u32>>> {
    const WIDE: &[u8] = b"UCS-4LE";
    match convert_again(call.vm, encoding, WIDE, text) {
        (output, None) => {
            let character = |bytes: &[u8]| {
                bytes
                    .iter()
                    .rev()
                    .fold(0, |all, &byte| all << 8 | byte as u32)
            };
            Ok(Some(output.chunks_exact(4).map(character).collect()))
        }
        (_, Some(problem)) => {
            tell(call.vm, problem, encoding, WIDE)?;
            Ok(None)
        }
    }
}

fn iconv_strlen(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(encoding) = encoding_argument(call, 1)? else {
        return Ok(false.into());
    };
    let given = call.bytes(0);
    let characters = characters(call, given, &encoding)?;
    Ok(characters.map_or(false.into(), |characters| characters.len().into()))
}

fn iconv_substr(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(encoding) = encoding_argument(call, 3)? else {
        return Ok(false.into());
    };
    let given = call.bytes(0);
    let Some(characters) = characters(call, given, &encoding)? else {
        return Ok(false.into());
    };
    let total = characters.len() as i64;
    let (offset, length) = (call.long(1), call.optional_long(2).unwrap_or(total));
    let first = if offset < 0 {
        (total + offset).max(0)
    } else {
        offset.min(total)
    };
    let last = if length < 0 {
        (total + length).max(first)
    } else {
        first.saturating_add(length).min(total)
    };
    let part = &characters[first as usize..last as usize];
    let wide: Vec<u8> = part
        .iter()
        .flat_map(|character| character.to_le_bytes())
        .collect();
    match convert_again(call.vm, b"UCS-4LE", &encoding, &wide) {
        (output, None) => text(call.vm, output),
        (_, Some(problem)) => {
            tell(call.vm, problem, b"UCS-4LE", &encoding)?;
            Ok(false.into())
        }
    }
}

fn iconv_strpos(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(encoding) = encoding_argument(call, 3)? else {
        return Ok(false.into());
    };
    let (haystack, needle) = (call.bytes(0), call.bytes(1));
    let Some(haystack) = characters(call, haystack, &encoding)? else {
        return Ok(false.into());
    };
    let mut offset = call.long(2);
    if offset < 0 {
        offset += haystack.len() as i64;
        if offset < 0 {
            return Err(call.value_error(2, "must be contained in argument #1 ($haystack)"));
        }
    }
    if needle.is_empty() {
        return Ok(false.into());
    }
    let Some(needle) = characters(call, needle, &encoding)? else {
        return Ok(false.into());
    };
    if offset as usize > haystack.len() {
        return Err(call.value_error(2, "must be contained in argument #1 ($haystack)"));
    }
    let start = offset as usize;
    let found = haystack[start..]
        .windows(needle.len())
        .position(|part| is_found(part, &needle));
    Ok(found.map_or(false.into(), |found| (start + found).into()))
}

/// True if a part of a text is what is looked for.
fn is_found<T: PartialEq>(part: &[T], needle: &[T]) -> bool {
    // The others are told apart by their first character.
    if part.first() == needle.first() {
        vm_runtime::limits::poll();
    }
    part == needle
}

fn iconv_strrpos(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(encoding) = encoding_argument(call, 2)? else {
        return Ok(false.into());
    };
    let (haystack, needle) = (call.bytes(0), call.bytes(1));
    if needle.is_empty() {
        return Ok(false.into());
    }
    let Some(haystack) = characters(call, haystack, &encoding)? else {
        return Ok(false.into());
    };
    let Some(needle) = characters(call, needle, &encoding)? else {
        return Ok(false.into());
    };
    let found = haystack
        .windows(needle.len())
        .rposition(|part| is_found(part, &needle));
    Ok(found.map_or(false.into(), Value::from))
}

/// The kinds of encodings that can be set.
const KINDS: [&str; 3] = ["input_encoding", "output_encoding", "internal_encoding"];

fn iconv_set_encoding(call: &mut Call<'_>) -> PhpResult<Value> {
    let (kind, encoding) = (call.bytes(0), call.bytes(1));
    if !check_name(call.vm, encoding)? {
        return Ok(false.into());
    }
    let known = KINDS
        .iter()
        .find(|known| known.as_bytes().eq_ignore_ascii_case(kind));
    let Some(known) = known else {
        return Ok(false.into());
    };
    let outcome = call.vm.ini_set(&format!("iconv.{known}"), encoding);
    Ok(outcome.is_ok().into())
}

fn iconv_get_encoding(call: &mut Call<'_>) -> PhpResult<Value> {
    let kind = call.bytes(0);
    if kind.eq_ignore_ascii_case(b"all") {
        let mut table = call.vm.new_array();
        for kind in KINDS {
            let name = configured(call.vm, kind);
            let name = call.vm.string(name).into();
            table.make_mut(call.vm).set_bytes(kind.as_bytes(), name);
        }
        return Ok(table.into());
    }
    match KINDS
        .iter()
        .find(|known| known.as_bytes().eq_ignore_ascii_case(kind))
    {
        Some(known) => {
            let name = configured(call.vm, known);
            text(call.vm, name)
        }
        None => Ok(false.into()),
    }
}
