//! The classes `Phar`, `PharData` and `PharException`: what they are, and what they tell and set.

use std::rc::Rc;

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::Call;
use vm_runtime::operators::to_long;
use vm_runtime::value::{ObjectHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::archive::{Archive, Shared, flags, shown};
use super::flush::{default_stub, flush, set_default_stub, set_stub, stub_of};
use super::names::{self, Extension, Presence, SCHEME, is_alias};
use super::signature::{self, SigningKey, algorithm};
use super::table::{self, Opening, phars};
use super::wrapper::is_read_only;
use super::{convert, entries, extract, run, web};
use crate::spl::{files, this, throw};
use crate::standard::files::{Stream, check_path, stream_in};
use crate::standard::variables::{serialized, unserialized, unserialized_with};
use crate::support::{called_class, list, new_list, text};

/// Bytes of a path, one more than there may be.
const LONGEST_PATH: usize = 4096;

/// What an object of these classes keeps.
pub(super) type Kept = Shared;

/// The methods of an archive class, which say `$class` where they give an archive; and those that only
/// one class has.
macro_rules! methods {
    ($class:literal, $truth:literal, $constructor:literal, $stub:literal) => {
        &[
            method($constructor, construct),
            method("public function __destruct()", |_| Ok(Value::NULL)),
            method("tentative public function addEmptyDir(string $directory): void", entries::add_directory),
            method("tentative public function addFile(string $filename, ?string $localName = null): void", entries::add_file),
            method("tentative public function addFromString(string $localName, string $contents): void", entries::add_string),
            method("tentative public function buildFromDirectory(string $directory, string $pattern = \"\"): array", entries::build_from_directory),
            method("tentative public function buildFromIterator(Traversable $iterator, ?string $baseDirectory = null): array", entries::build_from_iterator),
            method("tentative public function compressFiles(int $compression): void", convert::compress_files),
            method("tentative public function decompressFiles(): true", convert::decompress_files),
            method(concat!("tentative public function compress(int $compression, ?string $extension = null): ?", $class), convert::compress),
            method(concat!("tentative public function decompress(?string $extension = null): ?", $class), convert::decompress),
            method("tentative public function convertToExecutable(?int $format = null, ?int $compression = null, ?string $extension = null): ?Phar", convert::to_executable),
            method("tentative public function convertToData(?int $format = null, ?int $compression = null, ?string $extension = null): ?PharData", convert::to_data),
            method("tentative public function copy(string $from, string $to): true", entries::copy),
            method("tentative public function count(int $mode = COUNT_NORMAL): int", count),
            method("tentative public function delete(string $localName): true", entries::delete),
            method("tentative public function delMetadata(): true", delete_metadata),
            method("tentative public function extractTo(string $directory, array|string|null $files = null, bool $overwrite = false): bool", extract::extract_to),
            method("tentative public function getAlias(): ?string", alias),
            method("tentative public function getPath(): string", |call| {
                let name = archive(call)?.borrow().name.clone();
                text(call.vm, name)
            }),
            method("tentative public function getMetadata(array $unserializeOptions = []): mixed", metadata),
            method("tentative public function getModified(): bool", |call| {
                Ok(archive(call)?.borrow().is_modified.into())
            }),
            method("tentative public function getSignature(): array|false", signature),
            method("tentative public function getStub(): string", stub),
            method("tentative public function getVersion(): string", |call| {
                let version = archive(call)?.borrow().version.clone();
                text(call.vm, version)
            }),
            method("tentative public function hasMetadata(): bool", |call| {
                Ok(archive(call)?.borrow().metadata.is_some().into())
            }),
            method("tentative public function isBuffering(): bool", |call| {
                Ok(archive(call)?.borrow().is_buffering.into())
            }),
            method("tentative public function isCompressed(): int|false", |call| {
                let archive = archive(call)?;
                let compression = archive.borrow().compression;
                Ok(match compression {
                    0 => false.into(),
                    other => i64::from(other).into(),
                })
            }),
            method("tentative public function isFileFormat(int $format): bool", is_format),
            method("tentative public function isWritable(): bool", |call| {
                let shared = archive(call)?;
                let archive = shared.borrow();
                Ok((archive.is_writable && !is_read_only(call.vm, &archive)).into())
            }),
            method("tentative public function offsetExists($localName): bool", entries::exists),
            method("tentative public function offsetGet($localName): SplFileInfo", entries::get),
            method("tentative public function offsetSet($localName, $value): void", entries::set),
            method("tentative public function offsetUnset($localName): void", entries::unset),
            method(concat!("tentative public function setAlias(string $alias): ", $truth), set_alias),
            method(concat!("tentative public function setDefaultStub(?string $index = null, ?string $webIndex = null): ", $truth), set_default),
            method("tentative public function setMetadata(mixed $metadata): void", set_metadata),
            method("tentative public function setSignatureAlgorithm(int $algo, ?string $privateKey = null): void", set_signature),
            method($stub, set_own_stub),
            method("tentative public function startBuffering(): void", |call| {
                archive(call)?.borrow_mut().is_buffering = true;
                Ok(Value::NULL)
            }),
            method("tentative public function stopBuffering(): void", stop_buffering),
            method("final public static function apiVersion(): string", |call| text(call.vm, "1.1.1")),
            method("final public static function canCompress(int $compression = 0): bool", |call| {
                Ok(match call.long(0) as u32 {
                    method @ (flags::GZ | flags::BZ2) => super::compression::is_supported(method),
                    _ => true,
                }
                .into())
            }),
            method("final public static function canWrite(): bool", |call| {
                Ok((!call.vm.ini.bool("phar.readonly")).into())
            }),
            method("final public static function createDefaultStub(?path $index = null, ?string $webIndex = null): string", create_stub),
            method("final public static function getSupportedCompression(): array", |call| {
                let known = [("GZ", flags::GZ), ("BZIP2", flags::BZ2)];
                let known = known
                    .into_iter()
                    .filter(|&(_, method)| super::compression::is_supported(method));
                let names: Vec<Value> = known
                    .map(|(name, _)| call.vm.string(name).into())
                    .collect();
                Ok(list(call.vm, names))
            }),
            method("final public static function getSupportedSignatures(): array", |call| {
                let names = ["MD5", "SHA-1", "SHA-256", "SHA-512"];
                let names = names.map(|name| Value::from(call.vm.string(name)));
                Ok(list(call.vm, names))
            }),
            method("final public static function interceptFileFuncs(): void", run::intercept),
            method("final public static function isValidPharFilename(path $filename, bool $executable = true): bool", is_valid_name),
            method("final public static function loadPhar(path $filename, ?string $alias = null): bool", run::load_phar),
            method("final public static function mapPhar(?string $alias = null, int $offset = 0): bool", run::map_phar),
            method("final public static function running(bool $returnPhar = true): string", run::running),
            method("final public static function mount(path $pharPath, string $externalPath): void", entries::mount),
            method("final public static function mungServer(array $variables): void", web::munge),
            method("final public static function unlinkArchive(string $filename): true", unlink_archive),
            method("final public static function webPhar(?string $alias = null, ?string $index = null, ?string $fileNotFoundScript = null, array $mimeTypes = [], ?callable $rewrite = null): void", web::web_phar),
        ]
    };
}

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class PharException extends Exception"),
    &NativeClass::new("class Phar extends RecursiveDirectoryIterator implements Countable, ArrayAccess")
        .constants(&[
            "int BZ2 = 8192",
            "int GZ = 4096",
            "int NONE = 0",
            "int PHAR = 1",
            "int TAR = 2",
            "int ZIP = 3",
            "int COMPRESSED = 61440",
            "int PHP = 0",
            "int PHPS = 1",
            "int MD5 = 1",
            "int OPENSSL = 16",
            "int OPENSSL_SHA256 = 17",
            "int OPENSSL_SHA512 = 18",
            "int SHA1 = 2",
            "int SHA256 = 3",
            "int SHA512 = 4",
        ])
        .methods(methods!(
            "Phar",
            "true",
            "public function __construct(path $filename, int $flags = FilesystemIterator::SKIP_DOTS | FilesystemIterator::UNIX_PATHS, ?string $alias = null)",
            "tentative public function setStub($stub, int $length = UNKNOWN): true"
        )),
    &NativeClass::new(
        "class PharData extends RecursiveDirectoryIterator implements Countable, ArrayAccess",
    )
    .methods(methods!(
        "PharData",
        "bool",
        "public function __construct(path $filename, int $flags = FilesystemIterator::SKIP_DOTS | FilesystemIterator::UNIX_PATHS, ?string $alias = null, int $format = 0)",
        "public function setStub($stub, int $length = UNKNOWN): true"
    )),
];

/// The archive of `$this`.
pub(super) fn archive(call: &mut Call<'_>) -> PhpResult<Shared> {
    let object = this(call);
    match files::attached::<Kept>(&object) {
        Some(kept) => Ok(Rc::clone(&kept)),
        None => Err(bad_call(
            call.vm,
            "Cannot call method on an uninitialized Phar object",
        )),
    }
}

/// A `BadMethodCallException`.
pub(super) fn bad_call(vm: &mut Vm, message: &str) -> Thrown {
    throw(vm, "BadMethodCallException", message)
}

/// An `UnexpectedValueException`.
pub(super) fn unexpected(vm: &mut Vm, message: &str) -> Thrown {
    throw(vm, "UnexpectedValueException", message)
}

/// Writes an archive; a `PharException` if that fails.
pub(super) fn flush_or_throw(vm: &mut Vm, shared: &Shared) -> PhpResult<()> {
    shared.borrow_mut().is_modified = true;
    match flush(vm, shared) {
        Ok(()) => Ok(()),
        Err(problem) => Err(throw(vm, "PharException", &problem)),
    }
}

/// Whether an object is one of `PharData`.
fn is_data_object(vm: &mut Vm, object: &ObjectHandle) -> bool {
    let class = vm.linked_class(b"phardata");
    class.is_some_and(|class| object.class().is_subclass_of(class))
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    check_path(call, 0)?;
    if files::attached::<Kept>(&object).is_some() {
        return Err(bad_call(call.vm, "Cannot call constructor twice"));
    }
    let is_data = is_data_object(call.vm, &object);
    let (flags, alias) = (call.long(1), call.optional_bytes(2));
    let format = match is_data && call.has(3) {
        true => call.long(3),
        false => 0,
    };
    let name = call.bytes(0).to_vec();
    if name.len() >= LONGEST_PATH {
        return Err(unexpected(call.vm, "Phar creation or opening failed"));
    }
    let wanted = match is_data {
        true => Extension::Data,
        false => Extension::Executable,
    };
    let split = names::split(call.vm, &name, wanted, Presence::Either);
    let (path, entry) = match &split {
        Ok((path, entry)) => (path.clone(), entry.clone()),
        Err(_) => (name.clone(), Vec::new()),
    };
    let opening = Opening { alias, is_data };
    let wanted_format = match format {
        3 => Some(super::archive::Format::Zip),
        2 => Some(super::archive::Format::Tar),
        _ => None,
    };
    let opened = match split.is_err() && phars(call.vm).find(&path).is_none() {
        true => table::refuse_name(call.vm, &path),
        false => table::open_or_create(call.vm, &path, opening, wanted_format),
    };
    let shared = match opened {
        Ok(shared) => shared,
        Err(problem) => return Err(unexpected(call.vm, &problem)),
    };
    // Opening the directory says more of a plain archive that must not become one with a stub.
    let refused = table::stub_problem(call.vm, &shared.borrow(), is_data).is_some();
    if is_data != shared.borrow().is_data && !refused {
        let message = match is_data {
            true => "PharData class can only be used for non-executable tar and zip archives",
            false => "Phar class can only be used for executable tar and zip archives",
        };
        return Err(unexpected(call.vm, message));
    }
    let url = [SCHEME, &shared.borrow().name, b"/", &entry].concat();
    files::attach(&object, Rc::new(shared));
    let parent = call.vm.linked_class(b"recursivedirectoryiterator");
    let Some(parent) = parent else {
        return Ok(Value::NULL);
    };
    // SAFETY: I4: classes and functions live until the VM ends.
    let constructor = unsafe { (*parent).magic.construct };
    let arguments = vec![call.vm.string(url).into(), flags.into()];
    call.vm
        .call_function(constructor, Some(object.clone()), object.class, arguments)?;
    if let Some(class) = call.vm.linked_class(b"pharfileinfo") {
        files::set_info_class(&object, class);
    }
    Ok(Value::NULL)
}

fn count(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    let count = shared.borrow().entries.len();
    Ok(count.into())
}

fn alias(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    let (alias, name, is_data) = {
        let archive = shared.borrow();
        (archive.alias.clone(), archive.name.clone(), archive.is_data)
    };
    match alias {
        Some(alias) if alias.is_empty() => Ok(Value::NULL),
        Some(alias) => text(call.vm, alias),
        None if is_data => Ok(Value::NULL),
        None => text(call.vm, name),
    }
}

fn is_format(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    let wanted = call.long(0);
    if !(1..=3).contains(&wanted) {
        let message = "Unknown file format specified";
        return Err(throw(call.vm, "PharException", message));
    }
    let format = shared.borrow().format;
    Ok((format.number() == wanted).into())
}

/// What serialised metadata stand for; options for that are in argument #1.
pub(super) fn metadata_value(call: &mut Call<'_>, data: Option<Rc<[u8]>>) -> PhpResult<Value> {
    match data {
        None => Ok(Value::NULL),
        Some(data) if call.has(0) && !call.elements(0).is_empty() => {
            unserialized_with(call, &data, 0)
        }
        Some(data) => unserialized(call.vm, &data),
    }
}

/// Argument #1, serialised.
pub(super) fn serialized_argument(call: &mut Call<'_>) -> PhpResult<Rc<[u8]>> {
    let value = call.value(0);
    let data = serialized(call.vm, &value)?;
    call.vm.check()?;
    Ok(data.as_bytes().into())
}

fn metadata(call: &mut Call<'_>) -> PhpResult<Value> {
    let data = archive(call)?.borrow().metadata.clone();
    metadata_value(call, data)
}

/// Throws if the settings keep scripts from changing an archive.
pub(super) fn check_writable(vm: &mut Vm, shared: &Shared, message: &str) -> PhpResult<()> {
    match is_read_only(vm, &shared.borrow()) {
        true => Err(unexpected(vm, message)),
        false => Ok(()),
    }
}

/// What most methods say if an archive must not be changed.
pub(super) const WRITE_DISABLED: &str =
    "Write operations disabled by the php.ini setting phar.readonly";

fn set_metadata(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    check_writable(call.vm, &shared, WRITE_DISABLED)?;
    let data = serialized_argument(call)?;
    shared.borrow_mut().metadata = Some(data);
    flush_or_throw(call.vm, &shared)?;
    Ok(Value::NULL)
}

fn delete_metadata(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    check_writable(call.vm, &shared, WRITE_DISABLED)?;
    if shared.borrow_mut().metadata.take().is_some() {
        flush_or_throw(call.vm, &shared)?;
    }
    Ok(true.into())
}

fn signature(call: &mut Call<'_>) -> PhpResult<Value> {
    let signature = archive(call)?.borrow().signature.clone();
    let Some(signature) = signature else {
        return Ok(false.into());
    };
    let mut result = new_list(call.vm, 2);
    let hash = call.vm.string(&signature.hash).into();
    let kind = call.vm.string(signature.type_name()).into();
    let array = result.make_mut(call.vm);
    array.set_bytes(b"hash", hash);
    array.set_bytes(b"hash_type", kind);
    Ok(result.into())
}

fn set_signature(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    check_writable(
        call.vm,
        &shared,
        "Cannot set signature algorithm, phar is read-only",
    )?;
    let number = call.long(0) as u32;
    if !(algorithm::MD5..=algorithm::SHA512).contains(&number) && !signature::is_openssl(number) {
        return Err(unexpected(call.vm, "Unknown signature algorithm specified"));
    }
    let key = call.optional_bytes(1).map(Rc::from);
    call.vm.extensions.state::<SigningKey>().0 = key;
    shared.borrow_mut().algorithm = number;
    flush_or_throw(call.vm, &shared)?;
    Ok(Value::NULL)
}

fn stub(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    let stub = stub_of(&mut shared.borrow_mut());
    match stub {
        Ok(stub) => text(call.vm, stub),
        Err(problem) => Err(throw(call.vm, "RuntimeException", &problem)),
    }
}

fn create_stub(call: &mut Call<'_>) -> PhpResult<Value> {
    match default_stub(call.optional_bytes(0), call.optional_bytes(1)) {
        Ok(stub) => text(call.vm, stub),
        Err(problem) => Err(throw(call.vm, "PharException", &problem)),
    }
}

/// What an archive without a stub answers.
fn refuse_plain(vm: &mut Vm, archive: &Archive, what: &str) -> PhpResult<()> {
    if !archive.is_data {
        return Ok(());
    }
    let kind = match archive.format {
        super::archive::Format::Zip => "zip",
        _ => "tar",
    };
    let message = format!("A Phar {what} cannot be set in a plain {kind} archive");
    Err(unexpected(vm, &message))
}

fn set_own_stub(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    if is_read_only(call.vm, &shared.borrow()) {
        let message = "Cannot change stub, phar is read-only";
        return Err(unexpected(call.vm, message));
    }
    refuse_plain(call.vm, &shared.borrow(), "stub")?;
    let given = call.value(0);
    let code = if let ValueKind::Resource(_) = given.view() {
        let length = match call.has(1) {
            true => {
                let value = call.value(1);
                to_long(call.vm, &value)
            }
            false => -1,
        };
        let name = call.function().display_name();
        call.vm.deprecated(format!(
            "Calling {name}(resource $stub, int $length) is deprecated"
        ));
        call.vm.check()?;
        // SAFETY: I3: the argument keeps the resource alive, and nothing else reads it meanwhile.
        let Some(stream): Option<&mut Stream> = (unsafe { stream_in(&given) }) else {
            let message = "Cannot change stub, unable to read from input stream";
            return Err(unexpected(call.vm, message));
        };
        let read = match length {
            length if length > 0 => stream.read(length as usize),
            _ => stream.read_all(),
        };
        read.unwrap_or_default()
    } else {
        call.undeclared_string(0)?.as_bytes().to_vec()
    };
    let changed = set_stub(&mut shared.borrow_mut(), &code);
    if let Err(problem) = changed {
        return Err(throw(call.vm, "PharException", &problem));
    }
    flush_or_throw(call.vm, &shared)?;
    Ok(true.into())
}

fn set_default(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    let is_data = shared.borrow().is_data;
    if is_data {
        refuse_plain(call.vm, &shared.borrow(), "stub")?;
    }
    let format = shared.borrow().format;
    if format != super::archive::Format::Phar {
        for index in [0, 1] {
            if call.has(index) {
                return Err(call.value_error(
                    index,
                    "must be null for a tar- or zip-based phar stub, string given",
                ));
            }
        }
    }
    if is_read_only(call.vm, &shared.borrow()) {
        let message = "Cannot change stub: phar.readonly=1";
        return Err(unexpected(call.vm, message));
    }
    let changed = match format {
        super::archive::Format::Phar => {
            let stub = default_stub(call.optional_bytes(0), call.optional_bytes(1));
            stub.map(|stub| {
                shared.borrow_mut().new_stub = Some(stub);
            })
        }
        _ => set_default_stub(&mut shared.borrow_mut()),
    };
    if let Err(problem) = changed {
        return Err(throw(call.vm, "PharException", &problem));
    }
    flush_or_throw(call.vm, &shared)?;
    Ok(true.into())
}

fn set_alias(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    if is_read_only(call.vm, &shared.borrow()) {
        return Err(unexpected(
            call.vm,
            "Cannot write out phar archive, phar is read-only",
        ));
    }
    refuse_plain(call.vm, &shared.borrow(), "alias")?;
    let alias = call.bytes(0);
    let name = shared.borrow().name.clone();
    if shared.borrow().alias.as_deref() == Some(alias) {
        return Ok(true.into());
    }
    if let Err(owner) = phars(call.vm).free_alias(alias, &name) {
        let message = format!(
            "alias \"{}\" is already used for archive \"{}\" and cannot be used for other archives",
            shown(alias),
            shown(&owner)
        );
        return Err(throw(call.vm, "PharException", &message));
    }
    if !is_alias(alias) {
        let message = format!(
            "Invalid alias \"{}\" specified for phar \"{}\"",
            shown(alias),
            shown(&name)
        );
        return Err(unexpected(call.vm, &message));
    }
    let old = {
        let mut archive = shared.borrow_mut();
        archive.has_temporary_alias = false;
        archive.alias.replace(alias.to_vec())
    };
    if let Some(old) = old {
        phars(call.vm).drop_alias(&old);
    }
    phars(call.vm).set_alias(alias, &name);
    flush_or_throw(call.vm, &shared)?;
    Ok(true.into())
}

fn stop_buffering(call: &mut Call<'_>) -> PhpResult<Value> {
    let shared = archive(call)?;
    check_writable(
        call.vm,
        &shared,
        "Cannot write out phar archive, phar is read-only",
    )?;
    shared.borrow_mut().is_buffering = false;
    flush_or_throw(call.vm, &shared)?;
    Ok(Value::NULL)
}

fn is_valid_name(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let wanted = match call.bool(1) {
        true => Extension::Executable,
        false => Extension::Data,
    };
    let name = call.bytes(0);
    Ok(names::has_extension(name, wanted).into())
}

fn unlink_archive(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let _ = called_class(call);
    let name = call.bytes(0);
    if name.is_empty() {
        return Err(throw(call.vm, "PharException", "Unknown phar archive \"\""));
    }
    let opening = Opening {
        alias: None,
        is_data: true,
    };
    let shared = match table::open_existing(call.vm, name, opening) {
        Ok(Some(shared)) => shared,
        Ok(None) => {
            let message = format!("Unknown phar archive \"{}\"", shown(name));
            return Err(throw(call.vm, "PharException", &message));
        }
        Err(problem) => {
            let message = format!("Unknown phar archive \"{}\": {problem}", shown(name));
            return Err(throw(call.vm, "PharException", &message));
        }
    };
    let path = shared.borrow().name.clone();
    let running = run::running_archive(call.vm);
    if running.is_some_and(|running| running == path) {
        let message = format!(
            "phar archive \"{}\" cannot be unlinked from within itself",
            shown(name)
        );
        return Err(throw(call.vm, "PharException", &message));
    }
    // The table has it, and this function.
    if Rc::strong_count(&shared) > 2 {
        let message = format!(
            "phar archive \"{}\" has open file handles or objects.  fclose() all file handles, and unset() all objects prior to calling unlinkArchive()",
            shown(name)
        );
        return Err(throw(call.vm, "PharException", &message));
    }
    phars(call.vm).forget(&path);
    if let Err(error) = std::fs::remove_file(crate::standard::files::path(&path)) {
        let reason = vm_runtime::interpreter::include::os_error_text(&error);
        call.vm
            .function_warning(format!("unlink of \"{}\" failed: {reason}", shown(&path)));
        call.vm.check()?;
    }
    Ok(true.into())
}
