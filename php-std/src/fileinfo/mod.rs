//! The extension `fileinfo`: what files are, by rules in the language of `magic(5)`. The rules for common formats
//! are Opline's own (`common.magic`); whoever wants more names a file of rules.

mod answer;
mod archive;
mod database;
mod magic;
mod text;

use std::any::Any;
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;

use vm_runtime::class::{NativeClass, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::value::{RESOURCE, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use self::answer::answer;
use self::magic::Database;
use self::magic::matching::Facts;
use crate::spl::this;
use crate::standard::files::{context_argument, open, path, stream};
use crate::support::{define, functions};

functions! {
    "finfo_open(int $flags = FILEINFO_NONE, ?string $magic_database = null): finfo|false" => finfo_open,
    "finfo_close(finfo $finfo): bool" => finfo_close,
    "finfo_set_flags(finfo $finfo, int $flags): true" => finfo_set_flags,
    "finfo_file(finfo $finfo, string $filename, int $flags = FILEINFO_NONE, $context = null): string|false" => finfo_file,
    "finfo_buffer(finfo $finfo, string $string, int $flags = FILEINFO_NONE, $context = null): string|false" => finfo_buffer,
    "mime_content_type($filename): string|false" => mime_content_type,
}

const TYPE: i64 = 16;
const GOES_ON: i64 = 32;
const CHECKS: i64 = 64;
const ENCODING: i64 = 1024;
const EXTENSIONS: i64 = 1 << 24;

/// How much of a file is looked at.
const MOST: usize = 1 << 20;

#[derive(Default)]
struct State {
    flags: i64,
    /// The script's own rules.
    database: Option<Rc<Database>>,
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
                let loaded = match named_database(call)? {
                    Some(name) => match database::load(call.vm, &name, call.long(0))? {
                        Ok(loaded) => Some(loaded),
                        Err(refusals) => return Err(refused_in_constructor(call.vm, refusals)),
                    },
                    None => None,
                };
                let object = this(call);
                let state = state(&object);
                (state.flags, state.database) = (call.long(0), loaded);
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

/// Registers the extension.
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
            ("FILEINFO_CONTINUE", GOES_ON),
            ("FILEINFO_PRESERVE_ATIME", 128),
            ("FILEINFO_RAW", 256),
            ("FILEINFO_APPLE", 2048),
            ("FILEINFO_EXTENSION", EXTENSIONS),
        ],
    );
    vm.register_functions(FUNCTIONS);
    vm.register_classes(CLASSES);
}

fn state(object: &PhpObject) -> &mut State {
    object.native::<State>().expect("made with the object")
}

/// The file of rules that a call names; none for those that are built in.
fn named_database(call: &mut Call<'_>) -> PhpResult<Option<Vec<u8>>> {
    let name = call.optional_bytes(1).unwrap_or_default();
    if name.contains(&0) {
        return Err(call.value_error(1, "must not contain any null bytes"));
    }
    Ok((!name.is_empty()).then(|| name.to_vec()))
}

/// What a constructor throws instead of its first warning.
fn refused_in_constructor(vm: &mut Vm, refusals: Vec<database::Refusal>) -> vm_runtime::vm::Thrown {
    let first = refusals.into_iter().next();
    let text = first.map_or(String::new(), |refusal| refusal.text("finfo::__construct"));
    vm.throw_error(KnownClass::Exception, text)
}

fn finfo_open(call: &mut Call<'_>) -> PhpResult<Value> {
    let loaded = match named_database(call)? {
        Some(name) => match database::load(call.vm, &name, call.long(0))? {
            Ok(loaded) => Some(loaded),
            Err(refusals) => {
                for refusal in refusals {
                    match &refusal {
                        database::Refusal::Bad(what) => call.vm.function_warning(what.as_str()),
                        opened => call.vm.warning(opened.text("finfo_open")),
                    }
                    call.vm.check()?;
                }
                return Ok(false.into());
            }
        },
        None => None,
    };
    let class = call
        .vm
        .linked_class(b"finfo")
        .expect("registered with the functions");
    let object = new_object(call.vm, class)?;
    let state = state(&object);
    (state.flags, state.database) = (call.long(0), loaded);
    Ok(object.into())
}

fn finfo_set_flags(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    set_flags(call, object, 1)
}

fn finfo_file(call: &mut Call<'_>) -> PhpResult<Value> {
    context_argument(call, 3)?;
    let object = call.object(0);
    file(call, object, 1)
}

fn finfo_buffer(call: &mut Call<'_>) -> PhpResult<Value> {
    // That it is a resource is all that matters.
    if call.has(3) && call.value(3).kind() != RESOURCE {
        context_argument(call, 3)?;
    }
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

/// What the flags of a call, or else those of the object, ask for, and of which database.
fn asked(call: &Call<'_>, object: &PhpObject, index: usize) -> (i64, Option<Rc<Database>>) {
    let state = state(object);
    let flags = match call.long(index) {
        0 => state.flags,
        flags => flags,
    };
    (flags, state.database.clone())
}

fn buffer(
    call: &mut Call<'_>,
    object: vm_runtime::value::ObjectHandle,
    index: usize,
) -> PhpResult<Value> {
    let (flags, rules) = asked(call, &object, index + 1);
    answer(call.vm, call.bytes(index), flags, rules, Facts::default())
}

fn file(
    call: &mut Call<'_>,
    object: vm_runtime::value::ObjectHandle,
    index: usize,
) -> PhpResult<Value> {
    let (flags, rules) = asked(call, &object, index + 1);
    // The method, too, counts from the object on when it complains.
    named(call, index, 1, flags, rules)
}

/// What is said of the file that an argument names, which another may be blamed for.
fn named(
    call: &mut Call<'_>,
    index: usize,
    blamed: usize,
    flags: i64,
    rules: Option<Rc<Database>>,
) -> PhpResult<Value> {
    let name = call.bytes(index);
    if memchr::memchr(0, name).is_some() {
        return Err(call.type_error(blamed, "must not contain any null bytes"));
    }
    if name.is_empty() {
        return Err(call.value_error(blamed, "must not be empty"));
    }
    of_file(call.vm, name, flags, rules)
}

fn of_file(vm: &mut Vm, name: &[u8], flags: i64, rules: Option<Rc<Database>>) -> PhpResult<Value> {
    if path(name).is_dir() {
        return crate::support::text(vm, "directory");
    }
    let Some(mut opened) = open(vm, name, b"rb")? else {
        return Ok(false.into());
    };
    let bytes = opened.read(MOST).unwrap_or_default();
    let status = opened.file().and_then(|file| file.metadata().ok());
    let facts = Facts {
        is_file: status.is_some(),
        is_executable: status.is_some_and(|status| status.mode() & 0o111 != 0),
        is_text: false,
    };
    answer(vm, &bytes, flags, rules, facts)
}

fn mime_content_type(call: &mut Call<'_>) -> PhpResult<Value> {
    let given = call.value(0);
    match given.view() {
        _ if given.kind() == RESOURCE => {
            let source = stream(call, 0)?;
            let bytes = source.read(MOST).unwrap_or_default();
            answer(call.vm, &bytes, TYPE, None, Facts::default())
        }
        ValueKind::String(_) => named(call, 0, 0, TYPE, None),
        _ => {
            let given = vm_runtime::operators::value_name(&given);
            let message = format!(
                "mime_content_type(): Argument #1 ($filename) must be of type resource|string, {given} given"
            );
            Err(call.vm.throw_error(KnownClass::TypeError, message))
        }
    }
}
