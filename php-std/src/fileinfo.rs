//! Of the extension `fileinfo` what tells types and encodings: MIME types of common formats by their first bytes, and of
//! text. Descriptions in English are not built, so the extension does not count as loaded.

use std::any::Any;

use vm_runtime::class::{NativeClass, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::value::{RESOURCE, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::spl::this;
use crate::standard::files::{open, path, stream};
use crate::support::{define, functions, text};

functions! {
    "finfo_open(int $flags = FILEINFO_NONE, ?string $magic_database = null): finfo|false" => finfo_open,
    "finfo_close(finfo $finfo): bool" => finfo_close,
    "finfo_set_flags(finfo $finfo, int $flags): true" => finfo_set_flags,
    "finfo_file(finfo $finfo, string $filename, int $flags = FILEINFO_NONE, $context = null): string|false" => finfo_file,
    "finfo_buffer(finfo $finfo, string $string, int $flags = FILEINFO_NONE, $context = null): string|false" => finfo_buffer,
    "mime_content_type($filename): string|false" => mime_content_type,
}

const TYPE: i64 = 16;
const ENCODING: i64 = 1024;

/// How much of a file is looked at.
const MOST: usize = 1 << 20;

#[derive(Default)]
struct State {
    flags: i64,
}

impl NativeData for State {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, _visitor: &mut dyn FnMut(&Zval)) {}
}

static CLASSES: &[&NativeClass] = &[&NativeClass::new("class finfo")
    .flags(class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE)
    .create_native(|_, _| Some(Box::<State>::default()))
    .methods(&[
        method(
            "public function __construct(int $flags = FILEINFO_NONE, ?string $magic_database = null)",
            |call| {
                if call.has(1) && !call.bytes(1).is_empty() {
                    return Err(no_database(call.vm));
                }
                state(&this(call)).flags = call.long(0);
                Ok(Value::NULL)
            },
        ),
        method(
            "tentative public function file(string $filename, int $flags = FILEINFO_NONE, $context = null): string|false",
            |call| {
                let object = this(call);
                file(call, object, 0)
            },
        ),
        method(
            "tentative public function buffer(string $string, int $flags = FILEINFO_NONE, $context = null): string|false",
            |call| {
                let object = this(call);
                buffer(call, object, 0)
            },
        ),
        method("tentative public function set_flags(int $flags): true", |call| {
            let object = this(call);
            set_flags(call, object, 0)
        }),
    ])];

/// Registers what there is of the extension.
pub(crate) fn register(vm: &mut Vm) {
    define(
        vm,
        &[
            ("FILEINFO_NONE", 0),
            ("FILEINFO_SYMLINK", 2),
            ("FILEINFO_MIME", TYPE | ENCODING),
            ("FILEINFO_MIME_TYPE", TYPE),
            ("FILEINFO_MIME_ENCODING", ENCODING),
            ("FILEINFO_DEVICES", 8),
            ("FILEINFO_CONTINUE", 32),
            ("FILEINFO_PRESERVE_ATIME", 128),
            ("FILEINFO_RAW", 256),
            ("FILEINFO_APPLE", 2048),
            ("FILEINFO_EXTENSION", 1 << 24),
        ],
    );
    vm.register_functions(FUNCTIONS);
    vm.register_classes(CLASSES);
}

fn state(object: &PhpObject) -> &mut State {
    object.native::<State>().expect("made with the object")
}

fn no_database(vm: &mut Vm) -> vm_runtime::vm::Thrown {
    let message = "finfo: databases of one's own are not built into Opline";
    vm.throw_error(KnownClass::Error, message)
}

fn finfo_open(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.has(1) && !call.bytes(1).is_empty() {
        return Err(no_database(call.vm));
    }
    let class = call
        .vm
        .linked_class(b"finfo")
        .expect("registered with the functions");
    let object = new_object(call.vm, class)?;
    state(&object).flags = call.long(0);
    Ok(object.into())
}

fn finfo_set_flags(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    set_flags(call, object, 1)
}

fn finfo_file(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    file(call, object, 1)
}

fn finfo_buffer(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    buffer(call, object, 1)
}

fn finfo_close(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(true.into())
}

fn set_flags(
    call: &mut Call<'_>,
    object: vm_runtime::value::ObjectHandle,
    index: usize,
) -> PhpResult<Value> {
    state(&object).flags = call.long(index);
    Ok(true.into())
}

/// What the flags of a call, or else those of the object, ask for.
fn asked(call: &Call<'_>, object: &PhpObject, index: usize) -> i64 {
    match call.long(index) {
        0 => state(object).flags,
        flags => flags,
    }
}

fn buffer(
    call: &mut Call<'_>,
    object: vm_runtime::value::ObjectHandle,
    index: usize,
) -> PhpResult<Value> {
    let flags = asked(call, &object, index + 1);
    answer(call.vm, call.bytes(index), flags)
}

fn file(
    call: &mut Call<'_>,
    object: vm_runtime::value::ObjectHandle,
    index: usize,
) -> PhpResult<Value> {
    let flags = asked(call, &object, index + 1);
    // The method, too, counts from the object on when it complains.
    named(call, index, 1, flags)
}

/// What is said of the file that an argument names, which another may be blamed for.
fn named(call: &mut Call<'_>, index: usize, blamed: usize, flags: i64) -> PhpResult<Value> {
    let name = call.bytes(index);
    if memchr::memchr(0, name).is_some() {
        return Err(call.type_error(blamed, "must not contain any null bytes"));
    }
    if name.is_empty() {
        return Err(call.value_error(blamed, "must not be empty"));
    }
    of_file(call.vm, name, flags)
}

fn of_file(vm: &mut Vm, name: &[u8], flags: i64) -> PhpResult<Value> {
    if path(name).is_dir() {
        return text(vm, "directory");
    }
    let Some(mut opened) = open(vm, name, b"rb")? else {
        return Ok(false.into());
    };
    let bytes = opened.read(MOST).unwrap_or_default();
    answer(vm, &bytes, flags)
}

fn mime_content_type(call: &mut Call<'_>) -> PhpResult<Value> {
    let given = call.value(0);
    match given.view() {
        _ if given.kind() == RESOURCE => {
            let source = stream(call, 0)?;
            let bytes = source.read(MOST).unwrap_or_default();
            answer(call.vm, &bytes, TYPE)
        }
        ValueKind::String(_) => named(call, 0, 0, TYPE),
        _ => {
            let given = vm_runtime::operators::value_name(&given);
            let message = format!(
                "mime_content_type(): Argument #1 ($filename) must be of type resource|string, {given} given"
            );
            Err(call.vm.throw_error(KnownClass::TypeError, message))
        }
    }
}

/// What is said of bytes.
fn answer(vm: &mut Vm, bytes: &[u8], flags: i64) -> PhpResult<Value> {
    let (kind, encoding) = (kind_of(vm, bytes), encoding_of(bytes));
    match flags & (TYPE | ENCODING) {
        TYPE => text(vm, kind),
        ENCODING => text(vm, encoding),
        0 => {
            let message = "finfo: descriptions of files are not built into Opline, only FILEINFO_MIME, FILEINFO_MIME_TYPE and FILEINFO_MIME_ENCODING";
            Err(vm.throw_error(KnownClass::Error, message))
        }
        _ => text(vm, format!("{kind}; charset={encoding}")),
    }
}

/// Marks of formats: where they stand, what stands there, and the type.
static MARKS: &[(usize, &[u8], &str)] = &[
    (0, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
    (0, b"GIF8", "image/gif"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"%!PS", "application/postscript"),
    (0, b"{\\rtf", "text/rtf"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\0", "application/x-xz"),
    (0, b"\x28\xb5\x2f\xfd", "application/zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/x-rar"),
    (257, b"ustar\0", "application/x-ustar"),
    (257, b"ustar  \0", "application/x-gtar"),
    (0, b"fLaC", "audio/flac"),
    (0, b"MThd", "audio/midi"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\x7fELF", "application/x-executable"),
    (0, b"wOFF", "font/woff"),
    (0, b"wOF2", "font/woff2"),
    (0, b"SQLite format 3\0", "application/vnd.sqlite3"),
    (0, b"\0asm\x01\0\0\0", "application/wasm"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"OggS", "application/ogg"),
    (0, b"8BPS\0\x01", "image/vnd.adobe.photoshop"),
];

/// Forms of RIFF, of containers of video, of what stands in front of archives, and of first lines of programs.
static FORMS: &[(&[u8], &str)] = &[
    (b"WEBP", "image/webp"),
    (b"WAVE", "audio/x-wav"),
    (b"AVI ", "video/x-msvideo"),
];
static BRANDS: &[(&[u8], &str)] = &[
    (b"qt  ", "video/quicktime"),
    (b"avif", "image/avif"),
    (b"heic", "image/heic"),
    (b"M4A ", "audio/x-m4a"),
    (b"3gp", "video/3gpp"),
    (b"", "video/mp4"),
];
static INTERPRETERS: &[(&str, &str)] = &[
    ("python", "text/x-script.python"),
    ("perl", "text/x-perl"),
    ("php", "text/x-php"),
    ("sh", "text/x-shellscript"),
];

/// The type of bytes.
fn kind_of(vm: &mut Vm, bytes: &[u8]) -> &'static str {
    if bytes.is_empty() {
        return "application/x-empty";
    }
    if bytes.len() == 1 {
        return "application/octet-stream";
    }
    for &(at, mark, kind) in MARKS {
        if bytes.get(at..).is_some_and(|rest| rest.starts_with(mark)) {
            return kind;
        }
    }
    let find = |table: &[(&[u8], &'static str)], part: Option<&[u8]>| {
        let part = part?;
        let mut entries = table.iter();
        entries.find_map(|&(name, kind)| part.starts_with(name).then_some(kind))
    };
    let has = |part: &[u8]| memchr::memmem::find(&bytes[..bytes.len().min(4096)], part).is_some();
    let found = match bytes {
        [b'R', b'I', b'F', b'F', ..] => find(FORMS, bytes.get(8..)),
        [b'P', b'K', 3, 4, ..] => Some(archive(bytes)),
        [b'B', b'M', ..] if matches!(bytes.get(14..18), Some([12 | 40 | 108 | 124, 0, 0, 0])) => {
            Some("image/bmp")
        }
        [0, 0, 1, 0, count, 0, ..]
            if *count > 0 && bytes.get(9) == Some(&0) && bytes.len() > 22 =>
        {
            Some("image/vnd.microsoft.icon")
        }
        [_, _, _, _, b'f', b't', b'y', b'p', brand @ ..] => find(BRANDS, Some(brand)),
        [0x1a, 0x45, 0xdf, 0xa3, ..] if has(b"webm") => Some("video/webm"),
        [0x1a, 0x45, 0xdf, 0xa3, ..] if has(b"matroska") => Some("video/x-matroska"),
        _ => None,
    };
    if let Some(kind) = found {
        return kind;
    }
    match encoding_of(bytes) {
        "binary" => "application/octet-stream",
        _ => kind_of_text(vm, bytes),
    }
}

/// The type of an archive of zip, by what its first file is called or says.
fn archive(bytes: &[u8]) -> &'static str {
    static KNOWN: &[&str] = &[
        "application/epub+zip",
        "application/vnd.oasis.opendocument.text",
        "application/vnd.oasis.opendocument.spreadsheet",
        "application/vnd.oasis.opendocument.presentation",
        "application/vnd.oasis.opendocument.graphics",
    ];
    if bytes.get(30..38) == Some(b"mimetype") {
        let rest = &bytes[38..];
        // Longer names do not stand in front of each other.
        return KNOWN
            .iter()
            .find(|kind| rest.starts_with(kind.as_bytes()))
            .unwrap_or(&"application/zip");
    }
    let has =
        |part: &[u8]| memchr::memmem::find(&bytes[..bytes.len().min(1 << 16)], part).is_some();
    if has(b"[Content_Types].xml") {
        for (part, kind) in [
            (
                &b"word/"[..],
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            ),
            (
                b"xl/",
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            ),
            (
                b"ppt/",
                "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            ),
        ] {
            if has(part) {
                return kind;
            }
        }
    }
    "application/zip"
}

fn kind_of_text(vm: &mut Vm, bytes: &[u8]) -> &'static str {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = bytes.trim_ascii_start();
    let lower: Vec<u8> = start[..start.len().min(1024)].to_ascii_lowercase();
    let has = |part: &[u8]| memchr::memmem::find(&lower, part).is_some();
    if let Some(line) = start.strip_prefix(b"#!") {
        let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let known = INTERPRETERS.iter().find(|(name, _)| line.contains(name));
        return known.map_or("text/plain", |&(_, kind)| kind);
    }
    if lower.starts_with(b"<?php") {
        return "text/x-php";
    }
    if lower.starts_with(b"<svg") || lower.starts_with(b"<?xml") && has(b"<svg") {
        return "image/svg+xml";
    }
    if lower.starts_with(b"<?xml") {
        return "text/xml";
    }
    if lower.starts_with(b"<!doctype html")
        || lower.starts_with(b"<html")
        || lower.starts_with(b"<head")
    {
        return "text/html";
    }
    if matches!(start.first(), Some(b'{' | b'[')) && crate::json::is_json(vm, bytes) {
        return "application/json";
    }
    "text/plain"
}

/// The encoding of bytes: `binary` if they are no text.
fn encoding_of(bytes: &[u8]) -> &'static str {
    if bytes.len() < 2 {
        return "binary";
    }
    if bytes.starts_with(b"\xff\xfe") && bytes.len().is_multiple_of(2) {
        return "utf-16le";
    }
    if bytes.starts_with(b"\xfe\xff") && bytes.len().is_multiple_of(2) {
        return "utf-16be";
    }
    let is_text = |&byte: &u8| matches!(byte, 7..=13 | 27 | 0x20..=0x7e | 0x80..);
    if !bytes.iter().all(is_text) {
        return "binary";
    }
    if bytes.is_ascii() {
        return "us-ascii";
    }
    let is_utf8 = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        // The end may be in the midst of a character.
        Err(error) => error.error_len().is_none(),
    };
    if is_utf8 {
        return "utf-8";
    }
    match bytes
        .iter()
        .any(|byte| (0x80..0xa0).contains(byte) && *byte != 0x85)
    {
        true => "unknown-8bit",
        false => "iso-8859-1",
    }
}
