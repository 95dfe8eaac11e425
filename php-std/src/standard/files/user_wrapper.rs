//! Streams whose work a class of the script does: `stream_wrapper_register()`.

use vm_runtime::class::Class;
use vm_runtime::function::Call;
use vm_runtime::interpreter::include::Source;
use vm_runtime::object::instantiate;
use vm_runtime::object::write::write_property;
use vm_runtime::operators::{to_bool, to_long};
use vm_runtime::value::{ObjectHandle, PhpReference, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::stream::{Backend, Stream};
use crate::support::{Append, current_function, define, functions, new_list};

functions! {
    "stream_wrapper_register(string $protocol, string $class, int $flags = 0): bool" => stream_wrapper_register,
    "stream_register_wrapper(string $protocol, string $class, int $flags = 0): bool" => stream_wrapper_register,
    "stream_wrapper_unregister(string $protocol): bool" => stream_wrapper_unregister,
    "stream_wrapper_restore(string $protocol): bool" => stream_wrapper_restore,
    "stream_get_wrappers(): array" => stream_get_wrappers,
}

/// Schemes that PHP has itself.
const NATIVE: [&str; 4] = ["php", "file", "glob", "data"];

/// The schemes of a VM.
#[derive(Debug, Default)]
struct Wrappers {
    user: Vec<(Box<[u8]>, *mut Class)>,
    /// Native schemes that the script took away.
    removed: Vec<&'static str>,
}

/// Registers functions and constants, and makes `include` know the wrappers.
pub(super) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    define(
        vm,
        &[
            ("STREAM_USE_PATH", 1i64),
            ("STREAM_REPORT_ERRORS", REPORT_ERRORS),
            ("STREAM_MUST_SEEK", 16),
            ("STREAM_URL_STAT_LINK", 1),
            ("STREAM_URL_STAT_QUIET", 2),
            ("STREAM_MKDIR_RECURSIVE", 1),
            ("STREAM_IS_URL", 1),
            ("STREAM_OPTION_BLOCKING", 1),
            ("STREAM_OPTION_READ_TIMEOUT", 4),
            ("STREAM_OPTION_READ_BUFFER", READ_BUFFER),
            ("STREAM_OPTION_WRITE_BUFFER", 3),
            ("STREAM_BUFFER_NONE", 0),
            ("STREAM_BUFFER_LINE", 1),
            ("STREAM_BUFFER_FULL", BUFFER_FULL),
        ],
    );
    vm.source_reader = Some(read_source);
}

pub(super) const REPORT_ERRORS: i64 = 8;
const READ_BUFFER: i64 = 2;
const BUFFER_FULL: i64 = 2;
/// Bytes asked of a wrapper at once.
const CHUNK: i64 = 8192;

/// The scheme of a URL.
fn scheme(name: &[u8]) -> Option<&[u8]> {
    let end = memchr::memmem::find(name, b"://")?;
    is_scheme(&name[..end]).then_some(&name[..end])
}

fn is_scheme(text: &[u8]) -> bool {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    !text.is_empty() && text.iter().all(allowed)
}

/// The class that handles a name.
fn wrapper_class(vm: &mut Vm, name: &[u8]) -> Option<*mut Class> {
    let scheme = scheme(name)?;
    let wrappers = vm.extensions.state::<Wrappers>();
    let found = wrappers
        .user
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(scheme));
    found.map(|&(_, class)| class)
}

/// The method to call, and its arguments: `__call()` stands in for one that is missing.
fn callee<'m>(
    vm: &mut Vm,
    object: &ObjectHandle,
    method: &'m str,
    arguments: Vec<Value>,
) -> Option<(&'m str, Vec<Value>)> {
    let class = object.class();
    if class.methods.get(method.as_bytes()).is_some() {
        return Some((method, arguments));
    }
    if class.magic.call.is_null() {
        return None;
    }
    let name = vm.string(method).into();
    let list = crate::support::list(vm, arguments);
    Some(("__call", vec![name, list]))
}

/// What the object of a stream does. The VM never moves and outlives it.
#[derive(Debug)]
pub(crate) struct UserStream {
    vm: *mut Vm,
    object: ObjectHandle,
    /// Something was written since the last flush.
    dirty: bool,
    /// One of its methods runs: it must not be closed.
    pub(super) busy: bool,
}

impl UserStream {
    fn vm<'v>(&self) -> &'v mut Vm {
        // SAFETY: I1: the VM never moves, and outlives all values.
        unsafe { &mut *self.vm }
    }

    fn class_name(&self) -> String {
        self.object.class().display_name()
    }

    /// Calls a method; `None` if there is none, or if it threw.
    fn call(&mut self, method: &str, arguments: Vec<Value>) -> Option<Value> {
        let vm = self.vm();
        let (called, arguments) = callee(vm, &self.object, method, arguments)?;
        self.busy = true;
        let result = vm.call_method(&self.object, called.as_bytes(), arguments);
        self.busy = false;
        result.ok()
    }

    fn complain(&self, problem: &str) {
        let message = format!("{}::{problem}", self.class_name());
        self.vm().function_warning(message);
    }

    /// The next bytes, and whether they were the last.
    pub(super) fn read(&mut self) -> (Vec<u8>, bool) {
        let Some(read) = self.call("stream_read", vec![CHUNK.into()]) else {
            if self.vm().exception.is_null() {
                self.complain("stream_read is not implemented!");
            }
            return (Vec::new(), true);
        };
        let bytes = match read.view() {
            ValueKind::Bool(false) => Vec::new(),
            _ => match crate::support::string_of(self.vm(), &read) {
                Ok(text) => text.to_vec(),
                Err(_) => return (Vec::new(), true),
            },
        };
        if !self.vm().exception.is_null() {
            return (bytes, true);
        }
        let end = self.at_end();
        (bytes, end)
    }

    /// Whether the object says that there is no more.
    pub(super) fn at_end(&mut self) -> bool {
        match self.call("stream_eof", Vec::new()) {
            Some(end) => to_bool(&end),
            None => {
                self.complain("stream_eof is not implemented! Assuming EOF");
                true
            }
        }
    }

    /// Hands bytes over; how many were taken.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Option<usize> {
        let vm = self.vm();
        let data: Value = vm.string(bytes).into();
        self.dirty = true;
        let Some(written) = self.call("stream_write", vec![data]) else {
            if self.vm().exception.is_null() {
                self.complain("stream_write is not implemented!");
            }
            return None;
        };
        if written.as_zval().kind() == vm_runtime::value::FALSE {
            return None;
        }
        let written = to_long(vm, &written);
        if written > bytes.len() as i64 {
            self.complain(&format!(
                "stream_write wrote {} bytes more data than requested ({written} written, {} max)",
                written - bytes.len() as i64,
                bytes.len()
            ));
        }
        Some((written.max(0) as usize).min(bytes.len()))
    }

    /// Moves the position; where it is then.
    pub(super) fn seek(&mut self, offset: i64, whence: i64) -> Option<i64> {
        let moved = self.call("stream_seek", vec![offset.into(), whence.into()])?;
        if !to_bool(&moved) {
            return None;
        }
        match self.call("stream_tell", Vec::new()) {
            Some(position) => Some(to_long(self.vm(), &position)),
            None => {
                if self.vm().exception.is_null() {
                    self.complain("stream_tell is not implemented!");
                }
                None
            }
        }
    }

    /// Has what was written stored.
    pub(super) fn flush(&mut self) -> bool {
        self.dirty = false;
        let flushed = self.call("stream_flush", Vec::new());
        flushed.is_some_and(|flushed| to_bool(&flushed))
    }

    /// The object, for `stream_get_meta_data()`.
    pub(super) fn object(&self) -> &ObjectHandle {
        &self.object
    }
}

impl Drop for UserStream {
    fn drop(&mut self) {
        // A fatal error unwinds to the end of the script: no more of it runs.
        if std::thread::panicking() {
            return;
        }
        if self.dirty {
            self.flush();
        }
        self.call("stream_close", Vec::new());
    }
}

fn reference_to_null(vm: &mut Vm) -> Value {
    let reference = PhpReference::allocate(&mut vm.heap, Value::NULL.into_zval());
    reference.into_value()
}

/// An instance of a wrapper's class.
fn make_wrapper(vm: &mut Vm, class: *mut Class) -> PhpResult<ObjectHandle> {
    let object = instantiate(vm, class)?;
    let context = vm.string("context");
    let no_scope = std::ptr::null();
    write_property(vm, object.as_ptr(), &context, Value::NULL, no_scope)?;
    // SAFETY: I4: classes live until the VM ends.
    if unsafe { !(*class).magic.construct.is_null() } {
        vm.call_method(&object, b"__construct", Vec::new())?;
    }
    Ok(object)
}

/// Has the wrapper for the name in argument #1 do what a function is asked for: `unlink` and its
/// like. `None` if no wrapper of the script handles the name.
pub(super) fn operate(
    call: &mut Call<'_>,
    method: &str,
    arguments: Vec<Value>,
) -> PhpResult<Option<Value>> {
    let Some(class) = wrapper_class(call.vm, call.bytes(0)) else {
        return Ok(None);
    };
    let object = make_wrapper(call.vm, class)?;
    let Some((called, arguments)) = callee(call.vm, &object, method, arguments) else {
        let class = object.class().display_name();
        call.vm
            .function_warning(format!("{class}::{method} is not implemented!"));
        return Ok(Some(false.into()));
    };
    let done = call.vm.call_method(&object, called.as_bytes(), arguments)?;
    Ok(Some(matches!(done.view(), ValueKind::Bool(true)).into()))
}

/// Opens a name that a wrapper of the script handles; `None` if there is none for it.
pub(super) fn open(
    vm: &mut Vm,
    name: &[u8],
    mode: &[u8],
    function: &str,
) -> PhpResult<Option<Option<Stream>>> {
    let Some(class) = wrapper_class(vm, name) else {
        return Ok(None);
    };
    let object = make_wrapper(vm, class)?;
    let shown = String::from_utf8_lossy(name).into_owned();
    let mut user = UserStream {
        vm: &raw mut *vm,
        object,
        dirty: false,
        busy: false,
    };
    let arguments = vec![
        vm.string(name).into(),
        vm.string(mode).into(),
        REPORT_ERRORS.into(),
        // The path that was really opened: nobody asks for it.
        reference_to_null(vm),
    ];
    let opened = user.call("stream_open", arguments);
    vm.check()?;
    if !opened.as_ref().is_some_and(|opened| to_bool(opened)) {
        let problem = match opened {
            Some(_) => "call failed",
            None => "is not implemented!",
        };
        let class = user.class_name();
        // It never was open.
        std::mem::forget(user);
        vm.warning(format!(
            "{function}({shown}): Failed to open stream: \"{class}::stream_open\" {problem}"
        ));
        vm.check()?;
        return Ok(Some(None));
    }
    let plus = mode.contains(&b'+');
    let reads = plus || mode.first() == Some(&b'r');
    let writes = plus || mode.first() != Some(&b'r');
    let mut stream = Stream::new(Backend::User(user), reads, writes);
    (stream.wrapper, stream.kind) = ("user-space", "user-space");
    (stream.uri, stream.mode) = (name.to_vec(), mode.to_vec());
    Ok(Some(Some(stream)))
}

/// The source text that `include` gets of a wrapper.
fn read_source(vm: &mut Vm, name: &[u8], function: &str) -> PhpResult<Source> {
    if name.to_ascii_lowercase().starts_with(b"php://filter/") {
        return read_filtered(vm, name);
    }
    let mut stream = match open(vm, name, b"rb", function)? {
        None => return Ok(Source::File),
        Some(None) => return Ok(Source::Failed),
        Some(Some(stream)) => stream,
    };
    if let Backend::User(user) = &mut stream.backend {
        let options = vec![READ_BUFFER.into(), BUFFER_FULL.into(), CHUNK.into()];
        user.call("stream_set_option", options);
        vm.check()?;
        user.call("stream_stat", Vec::new());
        vm.check()?;
    }
    let text = stream.read_all().unwrap_or_default();
    vm.check()?;
    drop(stream);
    vm.check()?;
    Ok(Source::Text(text))
}

/// The source text behind a `php://filter` URL.
fn read_filtered(vm: &mut Vm, name: &[u8]) -> PhpResult<Source> {
    let Some(stream) = super::open(vm, name, b"rb")? else {
        return Ok(Source::Failed);
    };
    // Filters of the script want to see a resource.
    let value = super::stream_value(vm, stream);
    // SAFETY: I3: the value keeps the resource alive, and only filters look at it.
    let stream = unsafe { super::stream_in(&value) };
    let text = stream.map(|stream| stream.read_all());
    vm.check()?;
    drop(value);
    vm.check()?;
    Ok(match text {
        Some(Ok(text)) => Source::Text(text),
        _ => Source::Failed,
    })
}

fn stream_wrapper_register(call: &mut Call<'_>) -> PhpResult<Value> {
    let (protocol, class_name) = (call.bytes(0), call.bytes(1));
    let Some(class) = call.vm.class_by_name(class_name, true)? else {
        let shown = String::from_utf8_lossy(class_name).into_owned();
        let problem = format!("must be a valid class name, {shown} given");
        return Err(call.type_error(1, &problem));
    };
    let shown = String::from_utf8_lossy(protocol).into_owned();
    if !is_scheme(protocol) {
        // SAFETY: I4: classes live until the VM ends.
        let class = unsafe { (*class).display_name() };
        call.vm.function_warning(format!(
            "Invalid protocol scheme specified. Unable to register wrapper class {class} to {shown}://"
        ));
        return Ok(false.into());
    }
    let wrappers = call.vm.extensions.state::<Wrappers>();
    let is_native = NATIVE.iter().any(|known| {
        known.as_bytes().eq_ignore_ascii_case(protocol) && !wrappers.removed.contains(known)
    });
    let mut known = wrappers.user.iter();
    if is_native || known.any(|(known, _)| known.eq_ignore_ascii_case(protocol)) {
        call.vm
            .function_warning(format!("Protocol {shown}:// is already defined."));
        return Ok(false.into());
    }
    wrappers.user.push((protocol.into(), class));
    Ok(true.into())
}

fn stream_wrapper_unregister(call: &mut Call<'_>) -> PhpResult<Value> {
    let protocol = call.bytes(0);
    let wrappers = call.vm.extensions.state::<Wrappers>();
    let before = wrappers.user.len();
    wrappers
        .user
        .retain(|(known, _)| !known.eq_ignore_ascii_case(protocol));
    if wrappers.user.len() < before {
        return Ok(true.into());
    }
    let native = NATIVE
        .iter()
        .find(|known| known.as_bytes().eq_ignore_ascii_case(protocol));
    match native {
        Some(native) if !wrappers.removed.contains(native) => {
            wrappers.removed.push(native);
            Ok(true.into())
        }
        _ => {
            let shown = String::from_utf8_lossy(protocol).into_owned();
            call.vm
                .function_warning(format!("Unable to unregister {shown}://"));
            Ok(false.into())
        }
    }
}

fn stream_wrapper_restore(call: &mut Call<'_>) -> PhpResult<Value> {
    let protocol = call.bytes(0);
    let shown = String::from_utf8_lossy(protocol).into_owned();
    let native = NATIVE
        .iter()
        .find(|known| known.as_bytes().eq_ignore_ascii_case(protocol));
    let Some(native) = native else {
        call.vm
            .function_warning(format!("{shown}:// never existed, nothing to restore"));
        return Ok(false.into());
    };
    let wrappers = call.vm.extensions.state::<Wrappers>();
    let replaced = wrappers.user.len();
    wrappers
        .user
        .retain(|(known, _)| !known.eq_ignore_ascii_case(protocol));
    let removed = wrappers.removed.len();
    wrappers.removed.retain(|known| known != native);
    if wrappers.user.len() == replaced && wrappers.removed.len() == removed {
        call.vm
            .function_notice(format!("{shown}:// was never changed, nothing to restore"));
    }
    Ok(true.into())
}

fn stream_get_wrappers(call: &mut Call<'_>) -> PhpResult<Value> {
    let wrappers = call.vm.extensions.state::<Wrappers>();
    let native = NATIVE
        .iter()
        .filter(|name| !wrappers.removed.contains(name));
    let mut names: Vec<Vec<u8>> = native.map(|name| name.as_bytes().to_vec()).collect();
    names.extend(wrappers.user.iter().map(|(name, _)| name.to_vec()));
    let mut result = new_list(call.vm, names.len());
    for name in names {
        let name = call.vm.string(name).into();
        result.make_mut(call.vm).append(name);
    }
    Ok(result.into())
}

/// Opens a name for the function that is running.
pub(super) fn open_for_function(
    vm: &mut Vm,
    name: &[u8],
    mode: &[u8],
) -> PhpResult<Option<Option<Stream>>> {
    let function = current_function(vm);
    open(vm, name, mode, &function)
}
