//! The extension `xmlwriter`: XML written piece by piece, as libxml2 writes it.

mod encoding;
mod table;
mod write;

use std::any::Any;

use vm_runtime::class::Class;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::value::{ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use self::encoding::Encoder;

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(table::FUNCTIONS);
    vm.register_classes(table::CLASSES);
}

/// What is open.
#[derive(Debug, Clone, PartialEq)]
enum Open {
    /// A tag that further attributes may go into.
    Tag(Vec<u8>),
    /// An element behind its start tag.
    Content(Vec<u8>),
    Attribute,
    Comment,
    /// A processing instruction; true once it has data.
    Instruction(bool),
    CData,
    /// A document type; true once its subset is open.
    Doctype(bool),
    /// A declaration in a document type; true once it has content.
    Declaration(bool, &'static [u8]),
}

/// Where the text goes.
enum Target {
    Memory,
    /// A file by name, or a stream of the script.
    Stream(Value),
}

/// A writer that was opened.
struct Writer {
    target: Target,
    /// What was written and has not been encoded.
    buffer: Vec<u8>,
    /// What goes to the target next.
    encoded: Vec<u8>,
    encoder: Option<Encoder>,
    /// Whether the document has said what it is encoded in: until it has, attributes are ASCII.
    has_encoding: bool,
    /// Whether an attribute was given bytes that are no characters, which is to be told.
    has_broken_text: bool,
    open: Vec<Open>,
    /// Namespace declarations that the open tag still needs: name and URI.
    declarations: Vec<(Vec<u8>, Vec<u8>)>,
    indents: bool,
    indentation: Vec<u8>,
    /// The end tag stands on a line of its own.
    is_on_new_line: bool,
}

/// The native part.
struct State(Option<Writer>);

impl NativeData for State {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Some(Writer {
            target: Target::Stream(stream),
            ..
        }) = &self.0
        {
            visitor(stream);
        }
    }
}

fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::new(State(None)))
}

impl Writer {
    fn new(target: Target) -> Writer {
        Writer {
            target,
            buffer: Vec::new(),
            encoded: Vec::new(),
            encoder: None,
            has_encoding: false,
            has_broken_text: false,
            open: Vec::new(),
            declarations: Vec::new(),
            indents: false,
            indentation: b" ".to_vec(),
            is_on_new_line: false,
        }
    }
}

fn state(object: &PhpObject) -> &mut State {
    object.native::<State>().expect("made with the object")
}

/// The writer of a call: of `$this`, or of the first argument.
fn writer(call: &mut Call<'_>, first: usize) -> PhpResult<(ObjectHandle, &'static mut Writer)> {
    let object = if first == 0 {
        crate::spl::this(call)
    } else {
        call.object(0)
    };
    // SAFETY: I3: the handle that is given with it keeps the object, and with it the writer.
    match unsafe { (*object.as_ptr()).native::<State>() }.and_then(|state| state.0.as_mut()) {
        Some(writer) => Ok((object, writer)),
        None => Err(call.vm.throw_error(
            KnownClass::Error,
            "Invalid or uninitialized XMLWriter object",
        )),
    }
}

/// A stream that a file of that name is written through, if it can be.
fn open_target(call: &mut Call<'_>) -> PhpResult<Option<Target>> {
    let name = call.bytes(0);
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    crate::standard::files::check_path(call, 0)?;
    let file = crate::xml::uri::file_of(name);
    if !has_folder(&file) {
        return Ok(None);
    }
    let mut arguments = vec![call.vm.string(&*file).into(), call.vm.string("wb").into()];
    if let Some(context) = crate::libxml::context(call.vm) {
        arguments.extend([false.into(), context]);
    }
    let silence = call.vm.begin_silence();
    let stream = crate::support::call_native(call.vm, "fopen", arguments);
    call.vm.end_silence(silence);
    let stream = stream?;
    if !matches!(stream.view(), vm_runtime::value::ValueKind::Resource(_)) {
        return Ok(None);
    }
    Ok(Some(Target::Stream(stream)))
}

/// Whether the folder is there that a file of that name would be in; of addresses that is not asked.
fn has_folder(name: &[u8]) -> bool {
    use std::os::unix::ffi::OsStrExt;
    if memchr::memmem::find(name, b"://").is_some() {
        return true;
    }
    let parent = std::path::Path::new(std::ffi::OsStr::from_bytes(name)).parent();
    parent.is_none_or(|folder| folder.as_os_str().is_empty() || folder.is_dir())
}

fn tell_unresolved(call: &mut Call<'_>) -> PhpResult<Value> {
    call.vm.function_warning("Unable to resolve file path");
    call.vm.check()?;
    Ok(false.into())
}

/// A new object with a writer.
fn make(vm: &mut Vm, class: *mut Class, target: Target) -> PhpResult<Value> {
    let object = new_object(vm, class)?;
    drop(state(&object).0.replace(Writer::new(target)));
    Ok(object.into())
}

/// Gives an object another writer, or none; what the one before has not sent is sent.
fn replace(vm: &mut Vm, object: &PhpObject, writer: Option<Writer>) -> PhpResult<()> {
    match std::mem::replace(&mut state(object).0, writer) {
        Some(mut old) => write::send_from(vm, &mut old).map(drop),
        None => Ok(()),
    }
}

/// The object goes.
fn destruct(vm: &mut Vm, object: *mut PhpObject) {
    // SAFETY: I3: the object is live, by the caller. What is thrown stays in the VM.
    let _ = replace(vm, unsafe { &*object }, None);
}

fn writer_class(vm: &mut Vm) -> *mut Class {
    vm.linked_class(b"xmlwriter")
        .unwrap_or(std::ptr::null_mut())
}

fn open_uri(call: &mut Call<'_>) -> PhpResult<Value> {
    match open_target(call)? {
        Some(target) => {
            let class = writer_class(call.vm);
            make(call.vm, class, target)
        }
        None => tell_unresolved(call),
    }
}

fn open_memory(call: &mut Call<'_>) -> PhpResult<Value> {
    let class = writer_class(call.vm);
    make(call.vm, class, Target::Memory)
}

fn method_open_uri(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    match open_target(call)? {
        Some(target) => {
            replace(call.vm, &object, Some(Writer::new(target)))?;
            Ok(true.into())
        }
        None => tell_unresolved(call),
    }
}

fn method_open_memory(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    replace(call.vm, &object, Some(Writer::new(Target::Memory)))?;
    Ok(true.into())
}

/// A new object of the class that the method was called on, made as `new` does.
fn make_constructed(call: &mut Call<'_>, target: Target) -> PhpResult<Value> {
    let class = crate::support::called_class(call);
    let object = crate::support::constructed(call.vm, class)?;
    drop(state(&object).0.replace(Writer::new(target)));
    Ok(object.into())
}

fn to_uri(call: &mut Call<'_>) -> PhpResult<Value> {
    match open_target(call)? {
        Some(target) => make_constructed(call, target),
        None => Err(call.value_error(0, "must resolve to a valid file path")),
    }
}

fn to_memory(call: &mut Call<'_>) -> PhpResult<Value> {
    make_constructed(call, Target::Memory)
}

fn to_stream(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::standard::files::stream(call, 0)?;
    let stream = call.value(0);
    make_constructed(call, Target::Stream(stream))
}
