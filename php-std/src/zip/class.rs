//! The class `ZipArchive`: its constants, properties and methods.

use std::any::Any;

use vm_runtime::class::{NativeClass, NativeHandlers, PropertyHandlers, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::read::Question;
use vm_runtime::object::{Access, NativeData, PhpObject};
use vm_runtime::operators::convert::property_table;
use vm_runtime::operators::to_bool;
use vm_runtime::string::PhpString;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::archive::{Archive, opening};
use super::details::*;
use super::problem::{Problem, code};
use super::{add, extract, names, read, save};
use crate::spl::this;
use crate::standard::files::check_path;
use crate::support::{Callback, text};

/// The native part.
#[derive(Default)]
pub(super) struct ZipData {
    archive: Option<Archive>,
    /// The number of the entry that was added last, or -1.
    pub(super) last_id: Option<usize>,
    /// What went wrong when the archive was closed.
    problem: Problem,
    /// How often it is to be told of progress, and what is called.
    progress: Option<(f64, Value)>,
    cancel: Option<Value>,
}

impl NativeData for ZipData {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Some((_, callback)) = &self.progress {
            visitor(callback);
        }
        if let Some(callback) = &self.cancel {
            visitor(callback);
        }
    }
}

pub(super) fn data(object: &PhpObject) -> &mut ZipData {
    object.native::<ZipData>().expect("made with the object")
}

const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(table),
    properties: Some(table),
    variables: Some(table),
    loops_over_computed: true,
    count: Some(|vm, object| {
        // SAFETY: I3: the caller keeps the object alive.
        let object = unsafe { ObjectHandle::share_raw(object) };
        Ok(archive_of(vm, &object)?.entries.len() as i64)
    }),
    destruct: Some(destruct),
    properties_by_code: Some(&PropertyHandlers {
        read: |vm, object, name, _: Access| Ok(property(vm, object, name)),
        write: |vm, object, name, _| {
            if !is_computed(object, name) {
                return Ok(false);
            }
            let class = object.class().display_name();
            let message = format!(
                "Cannot write read-only property {class}::${}",
                name.to_text()
            );
            Err(vm.throw_error(KnownClass::Error, message))
        },
        has: |vm, object, name, question| {
            let value = property(vm, object, name);
            Ok(value.map(|value| match question {
                Question::NotEmpty => to_bool(&value),
                _ => true,
            }))
        },
        unset: |_, object, name| Ok(is_computed(object, name)),
    }),
    ..NativeHandlers::STANDARD
};

const PROPERTIES: &[&str] = &[
    "virtual public int $lastId",
    "virtual public int $status",
    "virtual public int $statusSys",
    "virtual public int $numFiles",
    "virtual public string $filename",
    "virtual public string $comment",
];

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new(
    "class ZipArchive implements Countable",
)
.flags(class_flags::NOT_CLONEABLE)
.create_native(|_, _| Some(Box::<ZipData>::default()))
.handlers(&HANDLERS)
.constants(&[
        "int CREATE = 1",
        "int EXCL = 2",
        "int CHECKCONS = 4",
        "int OVERWRITE = 8",
        "int RDONLY = 16",
        "int FL_NOCASE = 1",
        "int FL_NODIR = 2",
        "int FL_COMPRESSED = 4",
        "int FL_UNCHANGED = 8",
        "#[Deprecated(\"8.3\")] int FL_RECOMPRESS = 16",
        "int FL_ENCRYPTED = 32",
        "int FL_OVERWRITE = 8192",
        "int FL_LOCAL = 256",
        "int FL_CENTRAL = 512",
        "int FL_ENC_GUESS = 0",
        "int FL_ENC_RAW = 64",
        "int FL_ENC_STRICT = 128",
        "int FL_ENC_UTF_8 = 2048",
        "int FL_ENC_CP437 = 4096",
        "int FL_OPEN_FILE_NOW = 1073741824",
        "int CM_DEFAULT = -1",
        "int CM_STORE = 0",
        "int CM_SHRINK = 1",
        "int CM_REDUCE_1 = 2",
        "int CM_REDUCE_2 = 3",
        "int CM_REDUCE_3 = 4",
        "int CM_REDUCE_4 = 5",
        "int CM_IMPLODE = 6",
        "int CM_DEFLATE = 8",
        "int CM_DEFLATE64 = 9",
        "int CM_PKWARE_IMPLODE = 10",
        "int CM_BZIP2 = 12",
        "int CM_LZMA = 14",
        "int CM_LZMA2 = 33",
        "int CM_ZSTD = 93",
        "int CM_XZ = 95",
        "int CM_TERSE = 18",
        "int CM_LZ77 = 19",
        "int CM_WAVPACK = 97",
        "int CM_PPMD = 98",
        "int ER_OK = 0",
        "int ER_MULTIDISK = 1",
        "int ER_RENAME = 2",
        "int ER_CLOSE = 3",
        "int ER_SEEK = 4",
        "int ER_READ = 5",
        "int ER_WRITE = 6",
        "int ER_CRC = 7",
        "int ER_ZIPCLOSED = 8",
        "int ER_NOENT = 9",
        "int ER_EXISTS = 10",
        "int ER_OPEN = 11",
        "int ER_TMPOPEN = 12",
        "int ER_ZLIB = 13",
        "int ER_MEMORY = 14",
        "int ER_CHANGED = 15",
        "int ER_COMPNOTSUPP = 16",
        "int ER_EOF = 17",
        "int ER_INVAL = 18",
        "int ER_NOZIP = 19",
        "int ER_INTERNAL = 20",
        "int ER_INCONS = 21",
        "int ER_REMOVE = 22",
        "int ER_DELETED = 23",
        "int ER_ENCRNOTSUPP = 24",
        "int ER_RDONLY = 25",
        "int ER_NOPASSWD = 26",
        "int ER_WRONGPASSWD = 27",
        "int ER_OPNOTSUPP = 28",
        "int ER_INUSE = 29",
        "int ER_TELL = 30",
        "int ER_COMPRESSED_DATA = 31",
        "int ER_CANCELLED = 32",
        "int ER_DATA_LENGTH = 33",
        "int ER_NOT_ALLOWED = 34",
        "int ER_TRUNCATED_ZIP = 35",
        "int AFL_RDONLY = 2",
        "int AFL_IS_TORRENTZIP = 4",
        "int AFL_WANT_TORRENTZIP = 8",
        "int AFL_CREATE_OR_KEEP_FILE_FOR_EMPTY_ARCHIVE = 16",
        "int OPSYS_DOS = 0",
        "int OPSYS_AMIGA = 1",
        "int OPSYS_OPENVMS = 2",
        "int OPSYS_UNIX = 3",
        "int OPSYS_VM_CMS = 4",
        "int OPSYS_ATARI_ST = 5",
        "int OPSYS_OS_2 = 6",
        "int OPSYS_MACINTOSH = 7",
        "int OPSYS_Z_SYSTEM = 8",
        "int OPSYS_CPM = 9",
        "int OPSYS_WINDOWS_NTFS = 10",
        "int OPSYS_MVS = 11",
        "int OPSYS_VSE = 12",
        "int OPSYS_ACORN_RISC = 13",
        "int OPSYS_VFAT = 14",
        "int OPSYS_ALTERNATE_MVS = 15",
        "int OPSYS_BEOS = 16",
        "int OPSYS_TANDEM = 17",
        "int OPSYS_OS_400 = 18",
        "int OPSYS_OS_X = 19",
        "int OPSYS_DEFAULT = 3",
        "int EM_NONE = 0",
        "int EM_TRAD_PKWARE = 1",
        "int EM_AES_128 = 257",
        "int EM_AES_192 = 258",
        "int EM_AES_256 = 259",
        "int EM_UNKNOWN = 65535",
        "string LIBZIP_VERSION = '1.11.3'",
        "int LENGTH_TO_END = 0",
        "int LENGTH_UNCHECKED = -2",
])
.properties(PROPERTIES)
.methods(&[
        method("tentative public function open(string $filename, int $flags = 0): int|bool", open),
        method("tentative public function setPassword(#[SensitiveParameter] string $password): bool", set_password),
        method("tentative public function close(): bool", close),
        method("tentative public function count(): int", count),
        method("tentative public function getStatusString(): string", get_status_string),
        method("public function clearError(): void", clear_error),
        method("tentative public function addEmptyDir(string $dirname, int $flags = 0): bool", add::add_empty_dir),
        method("tentative public function addFromString(string $name, string $content, int $flags = ZipArchive::FL_OVERWRITE): bool", add::add_from_string),
        method("tentative public function addFile(string $filepath, string $entryname = \"\", int $start = 0, int $length = ZipArchive::LENGTH_TO_END, int $flags = ZipArchive::FL_OVERWRITE): bool", add::add_file),
        method("tentative public function replaceFile(string $filepath, int $index, int $start = 0, int $length = ZipArchive::LENGTH_TO_END, int $flags = 0): bool", add::replace_file),
        method("tentative public function addGlob(string $pattern, int $flags = 0, array $options = []): array|false", add::add_glob),
        method("tentative public function addPattern(string $pattern, string $path = \".\", array $options = []): array|false", add::add_pattern),
        method("tentative public function renameIndex(int $index, string $new_name): bool", rename_index),
        method("tentative public function renameName(string $name, string $new_name): bool", rename_name),
        method("tentative public function setArchiveComment(string $comment): bool", set_archive_comment),
        method("tentative public function getArchiveComment(int $flags = 0): string|false", get_archive_comment),
        method("public function setArchiveFlag(int $flag, int $value): bool", set_archive_flag),
        method("public function getArchiveFlag(int $flag, int $flags = 0): int", get_archive_flag),
        method("tentative public function setCommentIndex(int $index, string $comment): bool", set_comment_index),
        method("tentative public function setCommentName(string $name, string $comment): bool", set_comment_name),
        method("tentative public function setMtimeIndex(int $index, int $timestamp, int $flags = 0): bool", set_mtime_index),
        method("tentative public function setMtimeName(string $name, int $timestamp, int $flags = 0): bool", set_mtime_name),
        method("tentative public function getCommentIndex(int $index, int $flags = 0): string|false", get_comment_index),
        method("tentative public function getCommentName(string $name, int $flags = 0): string|false", get_comment_name),
        method("tentative public function deleteIndex(int $index): bool", delete_index),
        method("tentative public function deleteName(string $name): bool", delete_name),
        method("tentative public function statName(string $name, int $flags = 0): array|false", stat_name),
        method("tentative public function statIndex(int $index, int $flags = 0): array|false", stat_index),
        method("tentative public function locateName(string $name, int $flags = 0): int|false", locate_name),
        method("tentative public function getNameIndex(int $index, int $flags = 0): string|false", get_name_index),
        method("tentative public function unchangeArchive(): bool", unchange_archive),
        method("tentative public function unchangeAll(): bool", unchange_all),
        method("tentative public function unchangeIndex(int $index): bool", unchange_index),
        method("tentative public function unchangeName(string $name): bool", unchange_name),
        method("tentative public function extractTo(string $pathto, array|string|null $files = null): bool", extract::extract_to),
        method("tentative public function getFromName(string $name, int $len = 0, int $flags = 0): string|false", read::get_from_name),
        method("tentative public function getFromIndex(int $index, int $len = 0, int $flags = 0): string|false", read::get_from_index),
        method("public function getStreamIndex(int $index, int $flags = 0)", read::get_stream_index),
        method("public function getStreamName(string $name, int $flags = 0)", read::get_stream_name),
        method("public function getStream(string $name)", read::get_stream),
        method("tentative public function setExternalAttributesName(string $name, int $opsys, int $attr, int $flags = 0): bool", set_external_attributes_name),
        method("tentative public function setExternalAttributesIndex(int $index, int $opsys, int $attr, int $flags = 0): bool", set_external_attributes_index),
        method("tentative public function getExternalAttributesName(string $name, &$opsys, &$attr, int $flags = 0): bool", get_external_attributes_name),
        method("tentative public function getExternalAttributesIndex(int $index, &$opsys, &$attr, int $flags = 0): bool", get_external_attributes_index),
        method("tentative public function setCompressionName(string $name, int $method, int $compflags = 0): bool", set_compression_name),
        method("tentative public function setCompressionIndex(int $index, int $method, int $compflags = 0): bool", set_compression_index),
        method("tentative public function setEncryptionName(string $name, int $method, #[SensitiveParameter] ?string $password = null): bool", set_encryption_name),
        method("tentative public function setEncryptionIndex(int $index, int $method, #[SensitiveParameter] ?string $password = null): bool", set_encryption_index),
        method("tentative public function registerProgressCallback(float $rate, callable $callback): bool", register_progress_callback),
        method("tentative public function registerCancelCallback(callable $callback): bool", register_cancel_callback),
        method("public static function isCompressionMethodSupported(int $method, bool $enc = true): bool", is_compression_method_supported),
        method("public static function isEncryptionMethodSupported(int $method, bool $enc = true): bool", is_encryption_method_supported),
])];

fn is_computed(object: &PhpObject, name: &PhpString) -> bool {
    vm_runtime::object::is_computed(object, name)
}

fn property(vm: &mut Vm, object: &ObjectHandle, name: &PhpString) -> Option<Value> {
    if !is_computed(object, name) {
        return None;
    }
    let data = data(object);
    let archive = data.archive.as_ref();
    let problem = archive.map_or(data.problem, |archive| archive.problem);
    Some(match name.as_bytes() {
        b"lastId" => data.last_id.map_or(-1, |id| id as i64).into(),
        b"status" => problem.code.into(),
        b"statusSys" => i64::from(problem.system).into(),
        b"numFiles" => archive.map_or(0, |archive| archive.entries.len()).into(),
        b"filename" => {
            let name = archive.map(|archive| save::bytes_of(&archive.path));
            vm.string(name.unwrap_or_default()).into()
        }
        _ => {
            let comment = archive.map(|archive| names::shown(&archive.comment, 0, 0));
            vm.string(comment.unwrap_or_default()).into()
        }
    })
}

/// All properties.
fn table(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the caller keeps the object alive.
    let object = unsafe { ObjectHandle::share_raw(object) };
    let mut table = crate::support::new_list(vm, 0);
    for declaration in PROPERTIES {
        let name = declaration.rsplit('$').next().unwrap_or_default();
        let name = vm.string(name);
        if let Some(value) = property(vm, &object, &name) {
            table.make_mut(vm).set_string(&name, value);
        }
    }
    let others = property_table(vm, &object);
    for (key, value) in others.iter() {
        table.make_mut(vm).set(key, crate::support::hold(value));
    }
    Ok(table)
}

/// The archive of an object, or an error.
pub(super) fn archive_of<'a>(vm: &mut Vm, object: &'a PhpObject) -> PhpResult<&'a mut Archive> {
    match &mut data(object).archive {
        Some(archive) => Ok(archive),
        None => {
            let message = "Invalid or uninitialized Zip object";
            Err(vm.throw_error(KnownClass::ValueError, message))
        }
    }
}

/// `true`, or `false` if something went wrong, which the archive notes.
pub(super) fn outcome(archive: &mut Archive, result: Result<(), Problem>) -> Value {
    noted(archive, result).is_some().into()
}

/// Notes what went wrong.
pub(super) fn noted<T>(archive: &mut Archive, result: Result<T, Problem>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(problem) => {
            archive.problem = problem;
            None
        }
    }
}

fn open(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let (name, wanted) = (call.bytes(0), call.long(1));
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let function = call.function().display_name();
    if !vm_runtime::limits::directories::is_allowed(call.vm, name, &function)? {
        return Ok(false.into());
    }
    let full = names::expand(name);
    let object = this(call);
    if let Err(problem) = finish(call.vm, &object)? {
        let message = format!("Cannot destroy the zip context: {}", problem.text());
        call.vm.function_warning(message);
        call.vm.check()?;
        return Ok(false.into());
    }
    let opened = Archive::open(&full, wanted);
    let is_empty = opened.as_ref().is_ok_and(|archive| {
        archive.file.as_ref().is_some_and(|file| {
            let metadata = file.metadata();
            metadata.is_ok_and(|metadata| metadata.len() == 0)
        })
    });
    if is_empty && wanted & opening::OVERWRITE == 0 {
        let message = format!("{function}(): Using empty file as ZipArchive is deprecated");
        call.vm.deprecated(message);
        call.vm.check()?;
    }
    let data = data(&object);
    Ok(match opened {
        Ok(archive) => {
            data.archive = Some(archive);
            data.last_id = None;
            data.problem = Problem::default();
            true.into()
        }
        Err(problem) => problem.code.into(),
    })
}

/// Writes and closes the archive of an object, if it has one.
fn finish(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<Result<(), Problem>> {
    let Some(archive) = data(object).archive.take() else {
        return Ok(Ok(()));
    };
    // What is called may use the object, and it is gone there.
    let progress = data(object).progress.take();
    let cancel = data(object).cancel.take();
    let rate = progress.as_ref().map_or(0.0, |(rate, _)| *rate);
    let progress = progress.map(|(_, callback)| Callback::new(vm, callback));
    let cancel = cancel.map(|callback| Callback::new(vm, callback));
    let (mut thrown, mut last) = (None, None);
    let mut told = |done: f64| {
        let is_due = last.is_none_or(|last| done - last > rate) || done >= 1.0;
        if let Some(progress) = &progress
            && is_due
            && last != Some(1.0)
        {
            last = Some(done);
            if let Err(error) = progress.call(vm, [done.into()]) {
                thrown = Some(error);
                return Err(code::CANCELLED.into());
            }
        }
        if let Some(cancel) = &cancel {
            match cancel.call(vm, []) {
                Ok(answer) if vm_runtime::operators::to_long(vm, &answer) == 0 => {}
                Ok(_) => return Err(code::CANCELLED.into()),
                Err(error) => {
                    thrown = Some(error);
                    return Err(code::CANCELLED.into());
                }
            }
        }
        Ok(())
    };
    let saved = save::save(&archive, &mut told);
    match thrown {
        Some(error) => Err(error),
        None => Ok(saved),
    }
}

/// An archive that nobody closed is written when its object goes.
fn destruct(vm: &mut Vm, object: *mut PhpObject) {
    // SAFETY: I3: the caller keeps the object alive.
    let object = unsafe { ObjectHandle::share_raw(object) };
    if let Ok(Err(problem)) = finish(vm, &object) {
        let function = crate::support::current_function(vm);
        let problem = problem.text();
        vm.warning(format!(
            "{function}(): Cannot destroy the zip context: {problem}"
        ));
    }
}

fn close(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    archive_of(call.vm, &object)?;
    let saved = finish(call.vm, &object)?;
    data(&object).problem = saved.err().unwrap_or_default();
    if let Err(problem) = saved {
        call.vm.function_warning(problem.text());
        call.vm.check()?;
    }
    Ok(saved.is_ok().into())
}

fn count(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    Ok(archive_of(call.vm, &object)?.entries.len().into())
}

fn get_status_string(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let data = data(&object);
    let problem = data
        .archive
        .as_ref()
        .map_or(data.problem, |archive| archive.problem);
    text(call.vm, problem.text())
}

fn clear_error(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let data = data(&object);
    data.problem = Problem::default();
    if let Some(archive) = &mut data.archive {
        archive.problem = Problem::default();
    }
    Ok(Value::NULL)
}

fn register_progress_callback(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    archive_of(call.vm, &object)?;
    let old = data(&object)
        .progress
        .replace((call.double(0), call.value(1)));
    drop(old);
    Ok(true.into())
}

fn register_cancel_callback(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    archive_of(call.vm, &object)?;
    let old = data(&object).cancel.replace(call.value(0));
    drop(old);
    Ok(true.into())
}
