//! SplFileObject and SplTempFileObject.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::generated::Opcode;
use vm_runtime::object::PhpObject;
use vm_runtime::value::{ObjectHandle, STRING, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::{Kind, data};
use crate::spl::{this, throw};
use crate::standard::files::{
    Dialect, Request, Stream, context_argument, csv_fields, csv_line, lock, status,
    status_options::{STAT_QUIET, USE_PATH},
    stream_in, stream_value, try_open,
};
use crate::standard::strings::scan::scan_into;
use crate::support::{string_of, text};

const DROP_NEW_LINE: i64 = 1;
const READ_AHEAD: i64 = 2;
const SKIP_EMPTY: i64 = 4;
const READ_CSV: i64 = 8;

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new(
        "class SplFileObject extends SplFileInfo implements RecursiveIterator, SeekableIterator",
    )
    .flags(vm_runtime::function::class_flags::NOT_CLONEABLE)
    .constants(&[
        "int DROP_NEW_LINE = 1",
        "int READ_AHEAD = 2",
        "int SKIP_EMPTY = 4",
        "int READ_CSV = 8",
    ])
    .methods(&[
        method(
            "public function __construct(path $filename, string $mode = \"r\", bool $useIncludePath = false, $context = null)",
            construct,
        ),
        method("tentative public function rewind(): void", |call| {
            let object = this(call);
            rewind(call.vm, &object)?;
            Ok(Value::NULL)
        }),
        method("tentative public function eof(): bool", |call| {
            Ok(stream(call)?.check_end().into())
        }),
        method("tentative public function valid(): bool", |call| {
            let object = this(call);
            let Some(file) = opened(call.vm, &object)? else {
                return Ok(false.into());
            };
            if file.flags & READ_AHEAD != 0 {
                return Ok((file.line.is_some() || file.fields.is_some()).into());
            }
            Ok((!file.stream().check_end()).into())
        }),
        method("tentative public function fgets(): string", |call| {
            let object = this(call);
            if !read_raw(call.vm, &object, Silence::Throws, 1, true)? {
                return Ok(Value::NULL);
            }
            let line = file(call.vm, &object)?.line.clone().unwrap_or_default();
            text(call.vm, line)
        }),
        method("tentative public function fread(int $length): string|false", |call| {
            let length = call.long(0);
            if length <= 0 {
                return Err(call.value_error(0, "must be greater than 0"));
            }
            match stream(call)?.read(length as usize) {
                Ok(bytes) => text(call.vm, bytes),
                Err(_) => Ok(false.into()),
            }
        }),
        method(
            "tentative public function fgetcsv(string $separator = \",\", string $enclosure = \"\\\"\", string $escape = \"\\\\\"): array|false",
            |call| {
                let object = this(call);
                let dialect = chosen_dialect(call, 0)?;
                if !read_fields(call.vm, &object, dialect, Silence::Quiet)? {
                    return Ok(false.into());
                }
                Ok(file(call.vm, &object)?.fields.clone().unwrap_or_default())
            },
        ),
        method(
            "tentative public function fputcsv(array $fields, string $separator = \",\", string $enclosure = \"\\\"\", string $escape = \"\\\\\", string $eol = \"\\n\"): int|false",
            |call| {
                let dialect = chosen_dialect(call, 1)?;
                let mut line = csv_line(call, 0, dialect)?;
                line.extend_from_slice(call.bytes(4));
                write(call, &line)
            },
        ),
        method(
            "tentative public function setCsvControl(string $separator = \",\", string $enclosure = \"\\\"\", string $escape = \"\\\\\"): void",
            |call| {
                let object = this(call);
                let dialect = Dialect::from_arguments(call, 0, Dialect::default())?;
                if call.count() < 3 {
                    complain_of_escape(call, "must be provided as its default value will change")?;
                }
                let file = file(call.vm, &object)?;
                file.dialect = dialect;
                file.escape_was_set = true;
                Ok(Value::NULL)
            },
        ),
        method("tentative public function getCsvControl(): array", |call| {
            let dialect = file(call.vm, &this(call))?.dialect;
            let parts = [
                vec![dialect.separator],
                vec![dialect.enclosure],
                dialect.escape.into_iter().collect(),
            ];
            let parts = parts.map(|part| Value::from(call.vm.string(part)));
            Ok(crate::support::list(call.vm, parts))
        }),
        method(
            "tentative public function flock(int $operation, &$wouldBlock = null): bool",
            |call| {
                let stream = stream(call)?;
                lock(call, stream, 0)
            },
        ),
        method("tentative public function fflush(): bool", |call| {
            let target = stream(call)?;
            Ok(target.flush().into())
        }),
        method("tentative public function ftell(): int|false", |call| {
            Ok((stream(call)?.tell() as i64).into())
        }),
        method(
            "tentative public function fseek(int $offset, int $whence = SEEK_SET): int",
            |call| {
                let (object, offset, whence) = (this(call), call.long(0), call.long(1));
                file(call.vm, &object)?.forget();
                let moved = stream(call)?.seek(offset, whence);
                Ok(Value::from(if moved { 0i64 } else { -1 }))
            },
        ),
        method("tentative public function fgetc(): string|false", |call| {
            let object = this(call);
            file(call.vm, &object)?.forget();
            let byte = stream(call)?.read(1).unwrap_or_default();
            if byte == b"\n" {
                file(call.vm, &object)?.number += 1;
            }
            match byte.is_empty() {
                true => Ok(false.into()),
                false => text(call.vm, byte),
            }
        }),
        method("tentative public function fpassthru(): int", |call| {
            let rest = stream(call)?.read_all().unwrap_or_default();
            call.vm.write(&rest);
            Ok(rest.len().into())
        }),
        method(
            "tentative public function fscanf(string $format, mixed &...$vars): array|int|null",
            |call| {
                let object = this(call);
                file(call.vm, &object)?.max_length = 0;
                if !read_raw(call.vm, &object, Silence::Throws, 1, true)? {
                    return Ok(Value::NULL);
                }
                let line = file(call.vm, &object)?.line.clone().unwrap_or_default();
                scan_into(call, &line, 0)
            },
        ),
        method(
            "tentative public function fwrite(string $data, int $length = 0): int|false",
            |call| {
                let mut bytes = call.bytes(0);
                if call.count() > 1 {
                    bytes = &bytes[..bytes.len().min(call.long(1).max(0) as usize)];
                }
                write(call, bytes)
            },
        ),
        method("tentative public function fstat(): array", |call| {
            match stream(call)?.status() {
                Some(status) => Ok(status.to_array(call.vm)),
                None => Ok(false.into()),
            }
        }),
        method("tentative public function ftruncate(int $size): bool", |call| {
            let size = call.long(0);
            if size < 0 {
                return Err(call.value_error(0, "must be greater than or equal to 0"));
            }
            let target = stream(call)?;
            if !target.can_truncate() {
                let name = shown_name(&this(call));
                let message = format!("Can't truncate file {name}");
                return Err(throw(call.vm, "LogicException", &message));
            }
            Ok(target.truncate(size as u64).into())
        }),
        method("tentative public function current(): string|array|false", current),
        method("tentative public function key(): int", |call| {
            let number = opened(call.vm, &this(call))?.map(|file| file.number);
            Ok(number.map_or(Value::from(0i64), Value::from))
        }),
        method("tentative public function next(): void", |call| {
            let object = this(call);
            file(call.vm, &object)?.forget();
            if file(call.vm, &object)?.flags & READ_AHEAD != 0 {
                read_line(call.vm, &object, Silence::Quiet)?;
            }
            file(call.vm, &object)?.number += 1;
            Ok(Value::NULL)
        }),
        method("tentative public function setFlags(int $flags): void", |call| {
            let flags = call.long(0);
            if let Some(file) = opened(call.vm, &this(call))? {
                file.flags = flags;
            }
            Ok(Value::NULL)
        }),
        method("tentative public function getFlags(): int", |call| {
            let modes = DROP_NEW_LINE | READ_AHEAD | SKIP_EMPTY | READ_CSV;
            Ok(opened(call.vm, &this(call))?.map_or(0, |file| file.flags & modes).into())
        }),
        method("tentative public function setMaxLineLen(int $maxLength): void", |call| {
            let length = call.long(0);
            if length < 0 {
                return Err(call.value_error(0, "must be greater than or equal to 0"));
            }
            if let Some(file) = opened(call.vm, &this(call))? {
                file.max_length = length as usize;
            }
            Ok(Value::NULL)
        }),
        method("tentative public function getMaxLineLen(): int", |call| {
            Ok(opened(call.vm, &this(call))?.map_or(0, |file| file.max_length).into())
        }),
        method("tentative public function hasChildren(): false", |_| Ok(false.into())),
        method("tentative public function getChildren(): null", |_| Ok(Value::NULL)),
        method("tentative public function seek(int $line): void", seek),
        method("tentative public function getCurrentLine(): string", |call| {
            let object = this(call);
            if !read_raw(call.vm, &object, Silence::Throws, 1, true)? {
                return Ok(Value::NULL);
            }
            let line = file(call.vm, &object)?.line.clone().unwrap_or_default();
            text(call.vm, line)
        }),
        method("public function __toString(): string", |call| {
            let object = this(call);
            if file(call.vm, &object)?.line.is_none() {
                read_line(call.vm, &object, Silence::Throws)?;
            }
            let line = file(call.vm, &object)?.line.clone().unwrap_or_default();
            text(call.vm, line)
        }),
    ]),
    &NativeClass::new("class SplTempFileObject extends SplFileObject").methods(&[method(
        "public function __construct(int $maxMemory = 2 * 1024 * 1024)",
        |call| {
            let name = match call.count() {
                0 => String::from("php://temp"),
                _ if call.long(0) < 0 => String::from("php://memory"),
                _ => format!("php://temp/maxmemory:{}", call.long(0)),
            };
            let object = this(call);
            open(call, &object, name.as_bytes(), b"wb", 0, None)
        },
    )]),
];

/// An open file.
#[derive(Debug)]
pub(super) struct OpenFile {
    /// The stream's resource.
    stream: Value,
    mode: Vec<u8>,
    dialect: Dialect,
    escape_was_set: bool,
    flags: i64,
    max_length: usize,
    /// The line that was read last.
    line: Option<Vec<u8>>,
    /// Its fields, if it was taken apart.
    fields: Option<Value>,
    number: i64,
}

impl OpenFile {
    #[allow(clippy::mut_from_ref)]
    fn stream(&self) -> &mut Stream {
        // SAFETY: I3: the value keeps the resource alive; natives of one VM run on one thread and do
        // not hold two borrows of a stream. Nobody else sees the resource to close it.
        unsafe { stream_in(&self.stream) }.expect("closed with the object alone")
    }

    fn forget(&mut self) {
        self.line = None;
        drop(self.fields.take());
    }

    /// The mode it was opened with.
    pub(super) fn mode(&self) -> &[u8] {
        &self.mode
    }

    /// Separator and enclosure.
    pub(super) fn dialect(&self) -> (u8, u8) {
        (self.dialect.separator, self.dialect.enclosure)
    }

    pub(super) fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        visitor(self.stream.as_zval());
        if let Some(fields) = &self.fields {
            visitor(fields.as_zval());
        }
    }

    fn line_is_empty(&self) -> bool {
        let line = self.line.as_deref().unwrap_or_default();
        line.is_empty()
            || self.flags & (READ_CSV | DROP_NEW_LINE) == READ_CSV | DROP_NEW_LINE
                && matches!(line, b"\n" | b"\r\n")
    }
}

/// What happens if there is nothing left to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Silence {
    Quiet,
    Throws,
}

/// The open file of an object, if its constructor was called. Code cannot call methods of one without;
/// through reflection that is possible.
fn opened<'a>(vm: &mut Vm, object: &'a PhpObject) -> PhpResult<Option<&'a mut OpenFile>> {
    match &mut data(object).kind {
        Kind::File(file) => Ok(Some(file)),
        _ if is_called_by_code(vm) => Err(vm.throw_error(
            KnownClass::Error,
            "The parent constructor was not called: the object is in an invalid state",
        )),
        _ => Ok(None),
    }
}

/// True if the method that runs was called by user code, and not by `count()` in it.
pub(super) fn is_called_by_code(vm: &Vm) -> bool {
    // SAFETY: I4: frames, their functions and oplines are live.
    unsafe {
        let caller = vm.current_frame.as_ref().map(|frame| frame.previous);
        caller
            .and_then(|caller| caller.as_ref())
            .filter(|caller| caller.is_user())
            .is_some_and(|caller| (*caller.opline).opcode != Opcode::COUNT as u8)
    }
}

/// The open file of an object.
fn file<'a>(vm: &mut Vm, object: &'a PhpObject) -> PhpResult<&'a mut OpenFile> {
    match opened(vm, object)? {
        Some(file) => Ok(file),
        None => Err(vm.throw_error(KnownClass::Error, "Object not initialized")),
    }
}

fn stream<'a>(call: &mut Call<'a>) -> PhpResult<&'a mut Stream> {
    let object = this(call);
    let file = file(call.vm, &object)?;
    // SAFETY: I3: the frame's `$this` keeps the object, and that its stream, during the call.
    Ok(unsafe { &mut *(file.stream() as *mut Stream) })
}

fn shown_name(object: &PhpObject) -> String {
    let name = data(object).name.as_deref().unwrap_or_default();
    vm_runtime::message::text(name).into_owned()
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (name, mode) = (call.bytes(0), call.bytes(1));
    if memchr::memchr(0, name).is_some() {
        return Err(call.value_error(0, "must not contain any null bytes"));
    }
    if !matches!(call.argument(3).view(), ValueKind::Resource(_)) {
        // Says what is wrong with one that is no resource; others are looked at later.
        context_argument(call, 3)?;
    }
    let options = if call.bool(2) { USE_PATH } else { 0 };
    let object = this(call);
    open(call, &object, name, mode, options, Some(3))
}

/// What the constructor does for an object made by `SplFileInfo::openFile()`, which calls none. The last argument is
/// the context.
pub(super) fn open_made(
    call: &mut Call<'_>,
    object: &ObjectHandle,
    name: &[u8],
) -> PhpResult<Value> {
    let mode = call.bytes(0);
    let options = if call.bool(1) { USE_PATH } else { 0 };
    open(call, object, name, mode, options, Some(2))
}

fn open(
    call: &mut Call<'_>,
    object: &ObjectHandle,
    name: &[u8],
    mode: &[u8],
    options: i64,
    context_at: Option<usize>,
) -> PhpResult<Value> {
    if let Kind::File(_) = data(object).kind {
        let message = "Cannot call constructor twice";
        return Err(call
            .vm
            .throw_error(vm_runtime::exceptions::KnownClass::Error, message));
    }
    let found = status(call.vm, name, STAT_QUIET)?;
    if found.is_some_and(|status| status.is(libc::S_IFDIR)) {
        let message = "Cannot use SplFileObject with directories";
        return Err(throw(call.vm, "LogicException", message));
    }
    let context = match context_at {
        Some(at) => Some(context_argument(call, at)?),
        None => None,
    };
    let function = call.function().display_name();
    let request = Request {
        name,
        mode,
        options,
        context: context.as_ref(),
        function: &function,
    };
    let stream = match try_open(call.vm, &request)? {
        Ok(stream) => stream,
        Err(reason) => {
            let shown = vm_runtime::message::text(name);
            let message = format!("{function}({shown}): Failed to open stream: {reason}");
            return Err(throw(call.vm, "RuntimeException", &message));
        }
    };
    let mut stream = stream;
    stream.belongs_to_object = true;
    let stream = stream_value(call.vm, stream);
    let along_path = options & USE_PATH != 0;
    let found = match along_path {
        true => call.vm.resolve_include_path(name),
        false => None,
    };
    let about = data(object);
    about.set_name(found.as_deref().unwrap_or(name));
    if name.starts_with(b"php://") {
        about.path.clear();
    }
    let file = Kind::File(Box::new(OpenFile {
        stream,
        mode: mode.to_vec(),
        dialect: Dialect::default(),
        escape_was_set: false,
        flags: 0,
        max_length: 0,
        line: None,
        fields: None,
        number: 0,
    }));
    // What opened the file may have opened one for the object, too.
    drop(std::mem::replace(&mut about.kind, file));
    Ok(Value::NULL)
}

/// Reads a line, `step` lines further; false at the end of the file, if that is not an error.
fn read_raw(
    vm: &mut Vm,
    object: &PhpObject,
    silence: Silence,
    step: i64,
    whole: bool,
) -> PhpResult<bool> {
    let file = file(vm, object)?;
    file.forget();
    if file.stream().check_end() {
        vm.check()?;
        return match silence {
            Silence::Quiet => Ok(false),
            Silence::Throws => Err(cannot_read(vm, object)),
        };
    }
    let limit = match file.max_length {
        0 => usize::MAX,
        length => length,
    };
    let line = file.stream().read_line(b'\n', limit);
    vm.check()?;
    let mut line = line.ok().flatten().unwrap_or_default();
    if whole && file.flags & DROP_NEW_LINE != 0 && line.last() == Some(&b'\n') {
        line.pop();
        if line.last() == Some(&b'\r') {
            line.pop();
        }
    }
    file.line = Some(line);
    file.number += step;
    Ok(true)
}

fn cannot_read(vm: &mut Vm, object: &PhpObject) -> vm_runtime::vm::Thrown {
    let message = format!("Cannot read from file {}", shown_name(object));
    throw(vm, "RuntimeException", &message)
}

/// As [`read_raw`]; the line counts if another one was read before.
fn read(vm: &mut Vm, object: &PhpObject, silence: Silence, whole: bool) -> PhpResult<bool> {
    let step = file(vm, object)?.line.is_some() as i64;
    read_raw(vm, object, silence, step, whole)
}

/// Reads the fields of a line, or of several if an enclosure spans them.
fn read_fields(
    vm: &mut Vm,
    object: &PhpObject,
    dialect: Dialect,
    silence: Silence,
) -> PhpResult<bool> {
    loop {
        if !read(vm, object, silence, false)? {
            return Ok(false);
        }
        let file = file(vm, object)?;
        if file.flags & SKIP_EMPTY == 0 || !file.line_is_empty() {
            break;
        }
    }
    let file = file(vm, object)?;
    let line = file.line.clone().unwrap_or_default();
    let fields = csv_fields(vm, line, dialect, Some(file.stream()));
    file.fields = Some(fields);
    Ok(true)
}

/// Reads what the iteration stands at, by the flags and by an overridden `getCurrentLine()`.
fn read_once(vm: &mut Vm, object: &PhpObject, silence: Silence) -> PhpResult<bool> {
    let file = file(vm, object)?;
    if file.flags & READ_CSV != 0 {
        return read_fields(vm, object, file.dialect, silence);
    }
    let getter = object.class().methods.get(b"getcurrentline");
    // SAFETY: I4: functions live as long as their class.
    if !getter.is_some_and(|getter| unsafe { (**getter).is_user }) {
        return read(vm, object, silence, true);
    }
    file.forget();
    if file.stream().check_end() {
        return match silence {
            Silence::Quiet => Ok(false),
            Silence::Throws => Err(cannot_read(vm, object)),
        };
    }
    // SAFETY: I3: the object is live.
    let handle =
        unsafe { vm_runtime::value::ObjectHandle::share_raw((&raw const *object).cast_mut()) };
    let line = vm.call_method(&handle, b"getcurrentline", Vec::new())?;
    if line.as_zval().kind() != STRING {
        let class = object.class().display_name();
        let given = vm_runtime::operators::value_name(&line);
        let message = format!(
            "{class}::getCurrentLine(): Return value must be of type string, {given} returned"
        );
        return Err(vm.throw_error(KnownClass::TypeError, message));
    }
    let line = string_of(vm, &line)?;
    if file.line.is_some() || file.fields.is_some() {
        file.number += 1;
        file.forget();
    }
    file.line = Some(line.to_vec());
    Ok(true)
}

/// As [`read_once`], past empty lines if they are not wanted.
fn read_line(vm: &mut Vm, object: &PhpObject, silence: Silence) -> PhpResult<bool> {
    loop {
        if !read_once(vm, object, silence)? {
            return Ok(false);
        }
        let file = file(vm, object)?;
        if file.flags & SKIP_EMPTY == 0 || !file.line_is_empty() {
            return Ok(true);
        }
        file.forget();
    }
}

fn rewind(vm: &mut Vm, object: &PhpObject) -> PhpResult<()> {
    let file = file(vm, object)?;
    if !file.stream().seek(0, 0) {
        let message = format!("Cannot rewind file {}", shown_name(object));
        return Err(throw(vm, "RuntimeException", &message));
    }
    file.forget();
    file.number = 0;
    if file.flags & READ_AHEAD != 0 {
        read_line(vm, object, Silence::Quiet)?;
    }
    Ok(())
}

fn current_value(vm: &mut Vm, object: &PhpObject) -> PhpResult<Value> {
    let file = file(vm, object)?;
    if file.line.is_none() && file.fields.is_none() {
        read_line(vm, object, Silence::Quiet)?;
    }
    if let Some(fields) = &file.fields {
        return Ok(fields.clone());
    }
    match file.line.clone() {
        Some(line) => text(vm, line),
        None => Ok(false.into()),
    }
}

fn current(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    current_value(call.vm, &object)
}

fn seek(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, line) = (this(call), call.long(0));
    if line < 0 {
        return Err(call.value_error(0, "must be greater than or equal to 0"));
    }
    rewind(call.vm, &object)?;
    for _ in 0..line {
        if !read_line(call.vm, &object, Silence::Quiet)? {
            return Ok(Value::NULL);
        }
    }
    let file = file(call.vm, &object)?;
    if line > 0 && file.flags & READ_AHEAD == 0 {
        file.number += 1;
        file.forget();
    }
    Ok(Value::NULL)
}

fn write(call: &mut Call<'_>, bytes: &[u8]) -> PhpResult<Value> {
    let target = stream(call)?;
    if bytes.is_empty() {
        return Ok(0i64.into());
    }
    match target.writable {
        true => Ok(target
            .write(call.vm, bytes)
            .map_or(Value::from(false), Value::from)),
        false => {
            // Memory refuses without a word.
            if target.kind == "STDIO" {
                call.vm.function_notice(format!(
                    "Write of {} bytes failed with errno=9 Bad file descriptor",
                    bytes.len()
                ));
                call.vm.check()?;
            }
            Ok(false.into())
        }
    }
}

/// The dialect that arguments from `first` on choose, or the one that was set.
fn chosen_dialect(call: &mut Call<'_>, first: usize) -> PhpResult<Dialect> {
    let object = this(call);
    let set = file(call.vm, &object)?.dialect;
    let dialect = Dialect::from_arguments(call, first, set)?;
    if call.count() <= first + 2 && !file(call.vm, &object)?.escape_was_set {
        complain_of_escape(
            call,
            "must be provided, as its default value will change, either explicitly or via SplFileObject::setCsvControl()",
        )?;
    }
    Ok(dialect)
}

fn complain_of_escape(call: &mut Call<'_>, problem: &str) -> PhpResult<()> {
    call.vm
        .function_deprecated(format!("the $escape parameter {problem}"));
    call.vm.check()
}
