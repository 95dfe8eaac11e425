//! SplFileInfo.

use std::os::unix::ffi::OsStrExt;

use vm_runtime::class::{NativeClass, NativeHandlers, method};
use vm_runtime::function::{Call, class_flags};
use vm_runtime::interpreter::include::os_error_text;
use vm_runtime::object::instantiate;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::{class_argument, construct, create, data, debug_info, file, known_name, uninitialised};
use crate::spl::{this, throw};
use crate::standard::files::{
    Status, base_name, context_argument, is_permitted, path, status,
    status_options::{STAT_LINK, STAT_QUIET},
    without_suffix,
};
use crate::support::text;

pub(super) const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(debug_info),
    ..NativeHandlers::STANDARD
};

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class SplFileInfo")
    .flags(class_flags::NOT_SERIALIZABLE)
    .create_native(create)
    .handlers(&HANDLERS)
    .methods(&[
        method("public function __construct(string $filename)", |call| {
            let object = this(call);
            if memchr::memchr(0, call.bytes(0)).is_some() {
                return Err(call.value_error(0, "must not contain any null bytes"));
            }
            data(&object).set_name(call.bytes(0));
            Ok(Value::NULL)
        }),
        method("tentative public function getPath(): string", |call| {
            let object = this(call);
            let path = data(&object).directory_part().to_vec();
            text(call.vm, path)
        }),
        method("tentative public function getFilename(): string", |call| {
            let object = this(call);
            known_name(call.vm, &object)?;
            text(call.vm, data(&object).last_part())
        }),
        method("tentative public function getExtension(): string", |call| {
            let object = this(call);
            known_name(call.vm, &object)?;
            extension(call.vm, &data(&object).last_part())
        }),
        method("tentative public function getBasename(string $suffix = \"\"): string", |call| {
            let object = this(call);
            known_name(call.vm, &object)?;
            let last = data(&object).last_part();
            text(call.vm, without_suffix(base_name(&last), call.bytes(0)))
        }),
        method("tentative public function getPathname(): string", |call| {
            let object = this(call);
            text(call.vm, data(&object).full_name().unwrap_or_default())
        }),
        method("tentative public function getPerms(): int|false", |call| field(call, "mode")),
        method("tentative public function getInode(): int|false", |call| field(call, "ino")),
        method("tentative public function getSize(): int|false", |call| field(call, "size")),
        method("tentative public function getOwner(): int|false", |call| field(call, "uid")),
        method("tentative public function getGroup(): int|false", |call| field(call, "gid")),
        method("tentative public function getATime(): int|false", |call| field(call, "atime")),
        method("tentative public function getMTime(): int|false", |call| field(call, "mtime")),
        method("tentative public function getCTime(): int|false", |call| field(call, "ctime")),
        method("tentative public function getType(): string|false", |call| {
            match known_status(call, STAT_LINK)? {
                Some(status) => text(call.vm, status.type_name().unwrap_or("unknown")),
                None => Ok(false.into()),
            }
        }),
        method("tentative public function isWritable(): bool", |call| permitted(call, 2)),
        method("tentative public function isReadable(): bool", |call| permitted(call, 4)),
        method("tentative public function isExecutable(): bool", |call| permitted(call, 1)),
        method("tentative public function isFile(): bool", |call| is_type(call, libc::S_IFREG, 0)),
        method("tentative public function isDir(): bool", |call| is_type(call, libc::S_IFDIR, 0)),
        method("tentative public function isLink(): bool", |call| {
            is_type(call, libc::S_IFLNK, STAT_LINK)
        }),
        method("tentative public function getLinkTarget(): string|false", link_target),
        method("tentative public function getRealPath(): string|false", real_path),
        method("tentative public function getFileInfo(?class_name $class = null): SplFileInfo", |call| {
            let object = this(call);
            let name = known_name(call.vm, &object)?;
            make_info(call, name)
        }),
        method("tentative public function getPathInfo(?class_name $class = null): ?SplFileInfo", |call| {
            let object = this(call);
            if let Some(class) = call.optional_string(0)
                && call.vm.class_by_name(class.as_bytes(), true)?.is_none()
            {
                let given = class.to_text();
                let problem = format!("must be a valid class name or null, {given} given");
                return Err(call.type_error(0, &problem));
            }
            let name = data(&object).full_name().unwrap_or_default();
            let above = crate::standard::files::parent(&name).to_vec();
            match above.is_empty() {
                true => Ok(Value::NULL),
                false => make_info(call, above),
            }
        }),
        method(
            "tentative public function openFile(string $mode = \"r\", bool $useIncludePath = false, $context = null): SplFileObject",
            open_file,
        ),
        method("tentative public function setFileClass(class_name $class = SplFileObject::class): void", |call| {
            let class = class_argument(call, 0, "SplFileObject", false)?;
            data(&this(call)).file_class = class;
            Ok(Value::NULL)
        }),
        method("tentative public function setInfoClass(class_name $class = SplFileInfo::class): void", |call| {
            let class = class_argument(call, 0, "SplFileInfo", false)?;
            data(&this(call)).info_class = class;
            Ok(Value::NULL)
        }),
        method("public function __toString(): string", |call| {
            let object = this(call);
            text(call.vm, data(&object).full_name().unwrap_or_default())
        }),
        method("tentative public function __debugInfo(): array", |call| {
            let object = this(call);
            Ok(debug_info(call.vm, object.as_ptr())?.into())
        }),
        method("#[Deprecated(\"8.2\")] final tentative public function _bad_state_ex(): void", |call| {
            Err(call.vm.throw_error(
                vm_runtime::exceptions::KnownClass::Error,
                "The parent constructor was not called: the object is in an invalid state",
            ))
        }),
    ])];

/// What stands behind the last dot of a name.
pub(super) fn extension(vm: &mut Vm, name: &[u8]) -> PhpResult<Value> {
    let base = base_name(name);
    let dot = memchr::memrchr(b'.', base);
    text(vm, dot.map_or(&b""[..], |dot| &base[dot + 1..]))
}

/// The status of the file, or an exception; None of a file without a name.
fn known_status(call: &mut Call<'_>, flags: i64) -> PhpResult<Option<Status>> {
    let object = this(call);
    let name = known_name(call.vm, &object)?;
    if name.is_empty() {
        return Ok(None);
    }
    if let Some(found) = status(call.vm, &name, flags)? {
        return Ok(Some(found));
    }
    let method = call.function().display_name();
    let what = match flags & STAT_LINK {
        0 => "stat",
        _ => "Lstat",
    };
    let shown = vm_runtime::message::text(&name);
    let message = format!("{method}(): {what} failed for {shown}");
    Err(throw(call.vm, "RuntimeException", &message))
}

fn field(call: &mut Call<'_>, name: &str) -> PhpResult<Value> {
    let status = known_status(call, 0)?;
    Ok(status.map_or(false.into(), |status| status.field(name).into()))
}

fn is_type(call: &mut Call<'_>, kind: u32, flags: i64) -> PhpResult<Value> {
    let object = this(call);
    let name = known_name(call.vm, &object)?;
    let found = status(call.vm, &name, flags | STAT_QUIET)?;
    Ok(found.is_some_and(|status| status.is(kind)).into())
}

fn permitted(call: &mut Call<'_>, wanted: u32) -> PhpResult<Value> {
    let object = this(call);
    let name = known_name(call.vm, &object)?;
    is_permitted(call.vm, &name, wanted).map(Value::from)
}

fn link_target(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let Some(name) = data(&object).full_name() else {
        return Err(uninitialised(call.vm));
    };
    if name.is_empty() {
        let reason = os_error_text(&std::io::Error::from_raw_os_error(libc::ENOENT));
        call.vm.function_warning(reason);
        return Ok(false.into());
    }
    match std::fs::read_link(path(&name)) {
        Ok(target) => text(call.vm, target.as_os_str().as_bytes()),
        Err(error) => {
            let shown = vm_runtime::message::text(&name);
            let reason = os_error_text(&error);
            let message = format!("Unable to read link {shown}, error: {reason}");
            Err(throw(call.vm, "RuntimeException", &message))
        }
    }
}

fn real_path(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let name = known_name(call.vm, &object)?;
    match crate::standard::files::path::real_path(call.vm, &name) {
        Some(found) => text(call.vm, found),
        None => Ok(false.into()),
    }
}

/// An object of the class in argument #1, or of the one that was set, for a name.
fn make_info(call: &mut Call<'_>, name: Vec<u8>) -> PhpResult<Value> {
    let chosen = class_argument(call, 0, "SplFileInfo", true)?;
    let object = this(call);
    new_info(call.vm, &object, chosen, name)
}

/// An object of a class, or of the one that was set, for a name; the classes that were set go on.
pub(super) fn new_info(
    vm: &mut Vm,
    from: &vm_runtime::object::PhpObject,
    chosen: Option<*mut vm_runtime::class::Class>,
    name: Vec<u8>,
) -> PhpResult<Value> {
    let set = data(from).info_class;
    let Some(class) = chosen.or(set).or_else(|| vm.linked_class(b"splfileinfo")) else {
        return Ok(Value::NULL);
    };
    let name = vm.string(name).into();
    let made = construct(vm, class, vec![name])?;
    (data(&made).file_class, data(&made).info_class) = (data(from).file_class, set);
    Ok(made.into())
}

fn open_file(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let is_context = matches!(call.argument(2).view(), ValueKind::Resource(_));
    if call.has(2) && !is_context {
        // Says what is wrong with it.
        context_argument(call, 2)?;
    }
    let name = known_name(call.vm, &object)?;
    let set = data(&object).file_class;
    let Some(class) = set.or_else(|| call.vm.linked_class(b"splfileobject")) else {
        return Ok(Value::NULL);
    };
    // SAFETY: I4: classes and their methods live until the VM ends.
    let makes = unsafe { (*class).magic.construct.as_ref() };
    if makes.is_some_and(|made_by| Some(made_by.scope) == call.vm.linked_class(b"splfileobject")) {
        let object = instantiate(call.vm, class)?;
        file::open_made(call, &object, &name)?;
        return Ok(object.into());
    }
    // A constructor of the script is told the name and the mode alone.
    let arguments = vec![call.vm.string(name).into(), call.value(0)];
    Ok(construct(call.vm, class, arguments)?.into())
}
