//! The extension `exif`: what cameras write into pictures.

mod makers;
mod picture;
mod reader;
mod tags;
mod values;

use vm_runtime::function::Call;
use vm_runtime::ini::{IniDefinition, access};
use vm_runtime::value::{RESOURCE, Value};
use vm_runtime::vm::{PhpResult, Vm};

use self::picture::{Data, Picture, SECTIONS, Section, Thumbnail};
use self::reader::Reader;
use self::values::{Conversion, Encodings};
use crate::mbstring;
use crate::standard::files::{Request, Stream};
use crate::standard::files::{base_name, check_path, stream, try_open};
use crate::standard::images;
use crate::support::{
    Append, current_function, define, functions, list, new_list, string_of, text,
};

functions! {
    "exif_tagname(int $index): string|false" => tag_name,
    "#[Unchecked(1)] exif_read_data($file, ?string $required_sections = null, bool $as_arrays = false, bool $read_thumbnail = false): array|false" => read_data,
    "#[Unchecked(1)] exif_thumbnail($file, &$width = null, &$height = null, &$image_type = null): string|false" => thumbnail,
    "exif_imagetype(string $filename): int|false" => image_type,
}

const fn setting(name: &'static str, default: &'static str) -> IniDefinition {
    IniDefinition {
        name,
        default: Some(default),
        access: access::ALL,
        on_change: Some(|vm, value| names_encodings(vm, value.unwrap_or_default())),
    }
}

static SETTINGS: &[IniDefinition] = &[
    setting("exif.decode_jis_intel", "JIS"),
    setting("exif.decode_jis_motorola", "JIS"),
    setting("exif.decode_unicode_intel", "UCS-2LE"),
    setting("exif.decode_unicode_motorola", "UCS-2BE"),
    setting("exif.encode_jis", ""),
    setting("exif.encode_unicode", "ISO-8859-15"),
];

/// After so many problems PHP says no more of a file.
const MOST_PROBLEMS: usize = 10;

/// True if a new value of a setting names encodings, or nothing.
fn names_encodings(vm: &mut Vm, value: &[u8]) -> bool {
    let Some(unknown) = mbstring::unknown_encoding(vm, value) else {
        return true;
    };
    vm.function_warning(format!(
        "INI setting contains invalid encoding \"{unknown}\""
    ));
    let shown = vm_runtime::message::text(value).into_owned();
    vm.function_warning(format!("Illegal encoding ignored: '{shown}'"));
    false
}

/// The encodings that text in files has and is to get, by the settings.
fn encodings(vm: &mut Vm) -> Encodings {
    let named = |setting: &str| mbstring::encoding::find(vm.ini.text(setting));
    Encodings {
        unicode: Conversion {
            little_endian: named("exif.decode_unicode_intel"),
            big_endian: named("exif.decode_unicode_motorola"),
            shown: named("exif.encode_unicode"),
        },
        jis: Conversion {
            little_endian: named("exif.decode_jis_intel"),
            big_endian: named("exif.decode_jis_motorola"),
            shown: named("exif.encode_jis"),
        },
        substitute: mbstring::substitute(vm),
    }
}

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(SETTINGS);
    define(vm, &[("EXIF_USE_MBSTRING", 1i64)]);
    vm.register_functions(FUNCTIONS);
}

fn tag_name(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = u16::try_from(call.long(0)).ok();
    match number.and_then(tags::image_tag) {
        Some(name) => text(call.vm, name),
        None => Ok(false.into()),
    }
}

/// A file's contents.
struct File {
    name: Vec<u8>,
    changed: i64,
    bytes: Vec<u8>,
}

impl File {
    fn of(stream: &mut Stream) -> File {
        use std::os::unix::fs::MetadataExt;
        let before = stream.tell();
        if before != 0 {
            stream.seek(0, 0);
        }
        let bytes = stream.read_all().unwrap_or_default();
        if stream.seekable {
            stream.seek(before as i64, 0);
        }
        let status = stream.file().and_then(|file| file.metadata().ok());
        File {
            // What is no file of the system has no name.
            name: match &status {
                Some(_) => base_name(&stream.uri).to_vec(),
                None => Vec::new(),
            },
            changed: status.map_or(0, |status| status.mtime()),
            bytes,
        }
    }
}

/// The file in the first argument: its name or an open stream.
fn file(call: &mut Call<'_>) -> PhpResult<Option<File>> {
    if call.argument(0).deref().kind() == RESOURCE {
        let stream = stream(call, 0)?;
        let file = File::of(stream);
        call.vm.check()?;
        return Ok(Some(file));
    }
    let given = call.value(0);
    let name = string_of(call.vm, &given)?;
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if name.contains(&0) {
        return Err(call.value_error(0, "must not contain any null bytes"));
    }
    let function = current_function(call.vm);
    let request = Request {
        name: &name,
        mode: b"rb",
        options: 0,
        context: None,
        function: &function,
    };
    let Ok(mut stream) = try_open(call.vm, &request)? else {
        call.vm.function_warning("Unable to open file");
        call.vm.check()?;
        return Ok(None);
    };
    let is_other = |file: &std::fs::File| file.metadata().is_ok_and(|status| !status.is_file());
    if stream.file().is_some_and(is_other) {
        call.vm.function_warning("Not a file");
        call.vm.check()?;
        return Ok(None);
    }
    let mut file = File::of(&mut stream);
    if stream.file().is_some() {
        file.name = base_name(&name).to_vec();
    }
    call.vm.check()?;
    Ok(Some(file))
}

/// What a file tells, with warnings of what is wrong with it; none if it cannot be read.
fn read(call: &mut Call<'_>, file: &File, wants_thumbnail: bool) -> PhpResult<Option<Picture>> {
    let mut reader = Reader::new(&file.bytes, wants_thumbnail, encodings(call.vm));
    let is_read = reader.read();
    let function = current_function(call.vm);
    let name = vm_runtime::message::text(&file.name);
    for problem in reader.problems.iter().take(MOST_PROBLEMS) {
        let text = format!("{function}({name}): {}", problem.text);
        match problem.is_notice {
            true => call.vm.notice(text),
            false => call.vm.warning(text),
        }
        call.vm.check()?;
    }
    if reader.problems.len() > MOST_PROBLEMS {
        call.vm
            .function_warning("Further exif parsing errors have been suppressed");
        call.vm.check()?;
    }
    Ok(is_read.then_some(reader.picture))
}

/// Measures the small picture, if its size is not known.
fn measure(thumbnail: &mut Thumbnail) {
    if (thumbnail.width == 0 || thumbnail.height == 0)
        && let Some(data) = &thumbnail.data
    {
        (thumbnail.width, thumbnail.height) = images::jpeg_size(data).unwrap_or_default();
    }
}

fn read_data(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(file) = file(call)? else {
        return Ok(false.into());
    };
    let wanted = call.optional_bytes(1).map(<[u8]>::to_ascii_uppercase);
    let (as_arrays, wants_thumbnail) = (call.bool(2), call.bool(3));
    let Some(mut picture) = read(call, &file, wants_thumbnail)? else {
        return Ok(false.into());
    };
    let wanted: Vec<Section> = match &wanted {
        Some(names) => {
            let names = names.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
            let section = |name: &[u8]| {
                let mut known = SECTIONS.iter();
                known.find(|(_, known)| known.as_bytes() == name)
            };
            names
                .filter_map(section)
                .map(|(section, _)| *section)
                .collect()
        }
        None => Vec::new(),
    };
    if !wanted.is_empty() && !wanted.iter().any(|section| picture.has(*section)) {
        return Ok(false.into());
    }
    let found = picture.found_names();
    let data = picture.thumbnail.data.clone();
    measure(&mut picture.thumbnail);
    let mut shown = Picture::default();
    describe_file(&mut shown, &file, &picture, found);
    compute(&mut shown, &picture);
    shown.entries.append(&mut picture.entries);
    if let Some(data) = data {
        shown.add(Section::Thumbnail, "THUMBNAIL", Data::Bytes(data));
    }
    result(call.vm, &shown, as_arrays)
}

fn describe_file(shown: &mut Picture, file: &File, picture: &Picture, found: String) {
    let section = Section::File;
    if !file.name.is_empty() {
        shown.add(section, "FileName", Data::Bytes(file.name.clone()));
    }
    shown.add(section, "FileDateTime", Data::Long(file.changed));
    shown.add(section, "FileSize", Data::Long(file.bytes.len() as i64));
    shown.add(section, "FileType", Data::Long(picture.format));
    shown.add(section, "MimeType", media_type(picture.format));
    shown.add(section, "SectionsFound", Data::Text(found));
}

fn media_type(format: i64) -> Data {
    Data::Text(images::media_type(format).to_owned())
}

/// What is calculated from the tags.
fn compute(shown: &mut Picture, picture: &Picture) {
    let mut add = |name: &str, data: Data| shown.add(Section::Computed, name, data);
    if picture.width > 0 && picture.height > 0 {
        let (width, height) = (picture.width, picture.height);
        add(
            "html",
            Data::Text(format!("width=\"{width}\" height=\"{height}\"")),
        );
        add("Height", Data::Long(height));
        add("Width", Data::Long(width));
    }
    add("IsColor", Data::Long(picture.is_colored.into()));
    if let Some(big_endian) = picture.big_endian {
        add("ByteOrderMotorola", Data::Long(big_endian.into()));
    }
    if picture.sensor_width != 0.0 {
        add(
            "CCDWidth",
            Data::Text(format!("{}mm", picture.sensor_width as i32)),
        );
    }
    if picture.aperture != 0.0 {
        add(
            "ApertureFNumber",
            Data::Text(format!("f/{:.1}", picture.aperture)),
        );
    }
    if picture.distance != 0.0 {
        let distance = match picture.distance {
            ..0.0 => "Infinite".to_owned(),
            distance => format!("{distance:.2}m"),
        };
        add("FocusDistance", Data::Text(distance));
    }
    if let Some((comment, encoding)) = &picture.comment {
        let comment = match comment.is_empty() {
            true => Data::Nothing,
            false => Data::Bytes(comment.clone()),
        };
        add("UserComment", comment);
        if let Some(encoding) = encoding {
            add("UserCommentEncoding", Data::Text((*encoding).to_owned()));
        }
    }
    if let Some(copyright) = &picture.copyright {
        add("Copyright", Data::Bytes(copyright.clone()));
    }
    if let Some((photographer, editor)) = &picture.photographer_and_editor {
        add("Copyright.Photographer", Data::Bytes(photographer.clone()));
        add("Copyright.Editor", Data::Bytes(editor.clone()));
    }
    let thumbnail = &picture.thumbnail;
    if thumbnail.size != 0 {
        add("Thumbnail.FileType", Data::Long(thumbnail.format));
        add("Thumbnail.MimeType", media_type(thumbnail.format));
    }
    if thumbnail.width != 0 && thumbnail.height != 0 {
        add("Thumbnail.Height", Data::Long(thumbnail.height as i64));
        add("Thumbnail.Width", Data::Long(thumbnail.width as i64));
    }
}

fn value(vm: &mut Vm, data: &Data) -> PhpResult<Value> {
    Ok(match data {
        Data::Bytes(bytes) => vm.string(bytes).into(),
        Data::Text(text) => vm.string(text).into(),
        Data::Long(number) => (*number).into(),
        Data::Double(number) => (*number).into(),
        Data::List(data) => {
            let mut values = Vec::with_capacity(data.len());
            for data in data {
                values.push(value(vm, data)?);
            }
            list(vm, values)
        }
        Data::Nothing => Value::NULL,
    })
}

/// The sections as an array, each in one of its own or most of them in one.
fn result(vm: &mut Vm, shown: &Picture, as_arrays: bool) -> PhpResult<Value> {
    let mut result = new_list(vm, 8);
    for (section, section_name) in SECTIONS {
        // Their names are also used elsewhere.
        let is_apart = as_arrays
            || matches!(
                section,
                Section::Computed | Section::Thumbnail | Section::Comment
            );
        let mut inner = vm.new_array();
        for entry in &shown.entries {
            if entry.section != section {
                continue;
            }
            let value = value(vm, &entry.data)?;
            let target = if is_apart { &mut inner } else { &mut result };
            let target = target.make_mut(vm);
            match &entry.name {
                Some(name) => target.set_bytes(name.as_bytes(), value),
                None => target.append(value),
            }
        }
        if !inner.is_empty() {
            result
                .make_mut(vm)
                .set_bytes(section_name.as_bytes(), inner.into());
        }
    }
    Ok(result.into())
}

fn thumbnail(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(file) = file(call)? else {
        return Ok(false.into());
    };
    let Some(mut picture) = read(call, &file, true)? else {
        return Ok(false.into());
    };
    measure(&mut picture.thumbnail);
    let thumbnail = picture.thumbnail;
    let Some(data) = thumbnail.data else {
        return Ok(false.into());
    };
    call.assign(1, (thumbnail.width as i64).into());
    call.assign(2, (thumbnail.height as i64).into());
    call.assign(3, thumbnail.format.into());
    text(call.vm, data)
}

fn image_type(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let opened = crate::standard::files::open(call.vm, call.bytes(0), b"rb")?;
    let Some(mut source) = opened else {
        return Ok(false.into());
    };
    let Some(data) = images::read(call, &mut source)? else {
        return Ok(false.into());
    };
    Ok(match images::detect(&data) {
        Some(number) => number.into(),
        None => false.into(),
    })
}
