//! What can be told of a picture without decoding it: `getimagesize` and its kin.

mod formats;
mod iptc;
mod jpeg;

use vm_runtime::array::PhpArray;
use vm_runtime::function::Call;
use vm_runtime::value::{StringHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::files::{Backend, Stream, check_path, open};
use crate::support::{define, define_one, functions, text};

functions! {
    "getimagesize(string $filename, &$image_info = null): array|false" => getimagesize,
    "getimagesizefromstring(string $string, &$image_info = null): array|false" => getimagesizefromstring,
    "image_type_to_mime_type(int $image_type): string" => image_type_to_mime_type,
    "image_type_to_extension(int $image_type, bool $include_dot = true): string|false" => image_type_to_extension,
}

/// The formats by number: name of the constant, media type, extension.
const TYPES: [(&str, &str, &str); 20] = [
    ("IMAGETYPE_UNKNOWN", UNKNOWN_MEDIA_TYPE, ""),
    ("IMAGETYPE_GIF", "image/gif", "gif"),
    ("IMAGETYPE_JPEG", "image/jpeg", "jpeg"),
    ("IMAGETYPE_PNG", "image/png", "png"),
    ("IMAGETYPE_SWF", "application/x-shockwave-flash", "swf"),
    ("IMAGETYPE_PSD", "image/psd", "psd"),
    ("IMAGETYPE_BMP", "image/bmp", "bmp"),
    ("IMAGETYPE_TIFF_II", "image/tiff", "tiff"),
    ("IMAGETYPE_TIFF_MM", "image/tiff", "tiff"),
    ("IMAGETYPE_JPC", UNKNOWN_MEDIA_TYPE, "jpc"),
    ("IMAGETYPE_JP2", "image/jp2", "jp2"),
    ("IMAGETYPE_JPX", UNKNOWN_MEDIA_TYPE, "jpx"),
    ("IMAGETYPE_JB2", UNKNOWN_MEDIA_TYPE, "jb2"),
    ("IMAGETYPE_SWC", "application/x-shockwave-flash", "swf"),
    ("IMAGETYPE_IFF", "image/iff", "iff"),
    ("IMAGETYPE_WBMP", "image/vnd.wap.wbmp", "bmp"),
    ("IMAGETYPE_XBM", "image/xbm", "xbm"),
    ("IMAGETYPE_ICO", "image/vnd.microsoft.icon", "ico"),
    ("IMAGETYPE_WEBP", "image/webp", "webp"),
    ("IMAGETYPE_AVIF", "image/avif", "avif"),
];

const UNKNOWN_MEDIA_TYPE: &str = "application/octet-stream";

/// What a header says of a picture.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Size {
    width: u64,
    height: u64,
    /// 0 if unknown, as the next.
    bits: u64,
    channels: u64,
}

impl Size {
    fn new(width: u64, height: u64) -> Size {
        Size {
            width,
            height,
            ..Size::default()
        }
    }
}

/// Registers functions and constants.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_functions(iptc::FUNCTIONS);
    for (number, (name, ..)) in TYPES.iter().enumerate() {
        define_one(vm, name, number.into());
    }
    define(vm, &[("IMAGETYPE_JPEG2000", 9i64)]);
    define_one(vm, "IMAGETYPE_COUNT", TYPES.len().into());
}

fn type_of(number: i64) -> Option<&'static (&'static str, &'static str, &'static str)> {
    TYPES.get(usize::try_from(number).ok()?)
}

/// The media type of a format.
pub(crate) fn media_type(number: i64) -> &'static str {
    type_of(number).map_or(UNKNOWN_MEDIA_TYPE, |found| found.1)
}

fn image_type_to_mime_type(call: &mut Call<'_>) -> PhpResult<Value> {
    let media_type = media_type(call.long(0));
    text(call.vm, media_type)
}

fn image_type_to_extension(call: &mut Call<'_>) -> PhpResult<Value> {
    match type_of(call.long(0)) {
        Some((_, _, extension)) if !extension.is_empty() => {
            let dot = if call.bool(1) { "." } else { "" };
            text(call.vm, format!("{dot}{extension}"))
        }
        _ => Ok(false.into()),
    }
}

fn getimagesize(call: &mut Call<'_>) -> PhpResult<Value> {
    let wants_info = call.count() > 1;
    if wants_info {
        let empty = call.vm.new_array().into();
        call.assign(1, empty);
    }
    check_path(call, 0)?;
    let Some(mut source) = open(call.vm, call.bytes(0), b"rb")? else {
        return Ok(false.into());
    };
    describe(call, &mut source, wants_info)
}

fn getimagesizefromstring(call: &mut Call<'_>) -> PhpResult<Value> {
    let wants_info = call.count() > 1;
    if wants_info {
        let empty = call.vm.new_array().into();
        call.assign(1, empty);
    }
    let memory = Backend::memory(call.bytes(0).to_vec());
    describe(call, &mut Stream::new(memory, true, false), wants_info)
}

/// The number of the format that a file is in.
#[cfg(feature = "exif")]
pub(crate) fn detect(data: &[u8]) -> Option<i64> {
    formats::detect(data)
}

/// Width and height of a picture in a JPEG file.
#[cfg(feature = "exif")]
pub(crate) fn jpeg_size(data: &[u8]) -> Option<(u64, u64)> {
    let size = jpeg::size(data, None)?;
    Some((size.width, size.height))
}

/// What a picture's file has; none, with a notice, if that is too short for any.
pub(crate) fn read(call: &mut Call<'_>, source: &mut Stream) -> PhpResult<Option<Vec<u8>>> {
    let data = match source.read_all() {
        Ok(data) => data,
        Err(error) => {
            crate::standard::files::contents::read_failed(call.vm, &error)?;
            Vec::new()
        }
    };
    call.vm.check()?;
    if data.len() < 3 {
        reading_failed(call);
        return Ok(None);
    }
    Ok(Some(data))
}

fn reading_failed(call: &mut Call<'_>) {
    let shown = vm_runtime::message::text(call.bytes(0)).into_owned();
    call.vm
        .function_notice(format!("Error reading from {shown}!"));
}

fn describe(call: &mut Call<'_>, source: &mut Stream, wants_info: bool) -> PhpResult<Value> {
    let Some(data) = read(call, source)? else {
        return Ok(false.into());
    };
    if data.starts_with(b"\x89PN") && !data.starts_with(formats::PNG) {
        call.vm
            .function_warning("PNG file corrupted by ASCII conversion");
        return Ok(false.into());
    }
    let Some(number) = formats::detect(&data) else {
        if data.len() < 12 && formats::wbmp(&data).is_none() {
            reading_failed(call);
        }
        return Ok(false.into());
    };
    let size = match number {
        formats::JPEG => {
            let mut segments = Vec::new();
            let size = jpeg::size(&data, wants_info.then_some(&mut segments));
            if wants_info {
                let info = segment_table(call.vm, &segments);
                call.assign(1, info);
            }
            size
        }
        formats::SWC => {
            #[cfg(feature = "zlib")]
            let size = formats::compressed_flash(&data);
            #[cfg(not(feature = "zlib"))]
            let size = {
                call.vm.function_notice(
                    "The image is a compressed SWF file, but you do not have a static version of \
                     the zlib extension enabled",
                );
                None
            };
            size
        }
        _ => formats::size(number, &data),
    };
    call.vm.check()?;
    let Some(size) = size else {
        return Ok(false.into());
    };
    let mut table = call.vm.new_array();
    let shown = format!("width=\"{}\" height=\"{}\"", size.width, size.height);
    let shown = call.vm.string(shown).into();
    let media_type = call.vm.string(media_type(number)).into();
    let array: &mut PhpArray = table.make_mut(call.vm);
    for (key, value) in [size.width as i64, size.height as i64, number]
        .into_iter()
        .enumerate()
    {
        array.set_long(key as i64, value.into());
    }
    array.set_long(3, shown);
    for (name, value) in [("bits", size.bits), ("channels", size.channels)] {
        if value != 0 {
            array.set_bytes(name.as_bytes(), (value as i64).into());
        }
    }
    array.set_bytes(b"mime", media_type);
    Ok(table.into())
}

/// The application segments of a JPEG file; of several with one number the first.
fn segment_table(vm: &mut Vm, segments: &[(u8, &[u8])]) -> Value {
    let mut table = vm.new_array();
    for (number, contents) in segments {
        let name: StringHandle = vm.string(format!("APP{number}"));
        if table.get_string(&name).is_none() {
            let contents = vm.string(contents).into();
            table.make_mut(vm).set_string(&name, contents);
        }
    }
    table.into()
}
