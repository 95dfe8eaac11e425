//! Streams whose work a class of the script does: `stream_wrapper_register()`.

use std::io;

use vm_runtime::class::Class;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::interpreter::include::Source;
use vm_runtime::object::instantiate;
use vm_runtime::object::write::write_property;
use vm_runtime::operators::{to_bool, to_long};
use vm_runtime::value::{ObjectHandle, PhpReference, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::super::busy::Busy;
use super::super::directory::Listing;
use super::super::status::Status;
use super::super::stream::{Backend, Stream};
use super::{OPERATION_FAILED, Opened, Request, Responsible, attempt, options, responsible};

pub(super) const READ_BUFFER: i64 = 2;
pub(super) const BUFFER_FULL: i64 = 2;
/// Bytes asked of a wrapper at once.
const CHUNK: i64 = 8192;

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

/// The object behind a stream or a directory. The VM never moves and outlives it.
#[derive(Debug)]
pub(crate) struct Peer {
    vm: *mut Vm,
    object: ObjectHandle,
    /// One of its methods runs: it must not be closed.
    busy: Busy,
}

impl Peer {
    fn new(vm: &mut Vm, object: ObjectHandle) -> Peer {
        Peer {
            vm: &raw mut *vm,
            object,
            busy: Busy::default(),
        }
    }

    /// Nothing if the method that opens said yes; otherwise what is wrong.
    fn check_opened(&self, method: &str, answer: Option<Value>) -> Result<(), String> {
        match answer {
            Some(answer) if to_bool(&answer) => Ok(()),
            _ => Err(format!("\"{}::{method}\" call failed", self.class_name())),
        }
    }

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
        let at_work = self.busy.enter();
        let result = vm.call_method(&self.object, called.as_bytes(), arguments);
        drop(at_work);
        result.ok()
    }

    fn complain(&self, problem: &str) {
        let message = format!("{}::{problem}", self.class_name());
        self.vm().function_warning(message);
    }

    /// As [`Peer::call`]; a method that is missing is complained of.
    fn demand(&mut self, method: &str, arguments: Vec<Value>) -> Option<Value> {
        let answer = self.call(method, arguments);
        if answer.is_none() && self.vm().exception.is_null() {
            self.complain(&format!("{method} is not implemented!"));
        }
        answer
    }
}

/// What the object of a stream does.
#[derive(Debug)]
pub(crate) struct UserStream {
    peer: Peer,
    /// Something was written since the last flush.
    dirty: bool,
}

impl UserStream {
    /// True while a method of the object runs.
    pub(in crate::standard::files) fn is_busy(&self) -> bool {
        self.peer.busy.is_set()
    }

    /// True if the object has a method, or answers for it.
    pub(in crate::standard::files) fn has(&self, method: &str) -> bool {
        let class = self.peer.object.class();
        class.methods.get(method.as_bytes()).is_some() || !class.magic.call.is_null()
    }

    /// The next bytes, and whether they were the last; an error without a number if the object says `false`.
    pub(in crate::standard::files) fn read(&mut self, chunk: usize) -> io::Result<(Vec<u8>, bool)> {
        let Some(read) = self.peer.demand("stream_read", vec![chunk.into()]) else {
            return Ok((Vec::new(), true));
        };
        let bytes = match read.view() {
            ValueKind::Bool(false) => return Err(io::Error::other("the object could not read")),
            _ => match crate::support::string_of(self.peer.vm(), &read) {
                Ok(text) => text.to_vec(),
                Err(_) => return Ok((Vec::new(), true)),
            },
        };
        if !self.peer.vm().exception.is_null() {
            return Ok((bytes, true));
        }
        let end = self.at_end();
        Ok((bytes, end))
    }

    /// Whether the object says that there is no more.
    pub(in crate::standard::files) fn at_end(&mut self) -> bool {
        match self.peer.call("stream_eof", Vec::new()) {
            Some(end) => to_bool(&end),
            None => {
                self.peer
                    .complain("stream_eof is not implemented! Assuming EOF");
                true
            }
        }
    }

    /// Hands bytes over; how many were taken.
    pub(in crate::standard::files) fn write(&mut self, bytes: &[u8]) -> Option<usize> {
        let vm = self.peer.vm();
        let data: Value = vm.string(bytes).into();
        self.dirty = true;
        let written = self.peer.demand("stream_write", vec![data])?;
        if written.as_zval().kind() == vm_runtime::value::FALSE {
            return None;
        }
        let written = to_long(vm, &written);
        if written > bytes.len() as i64 {
            self.peer.complain(&format!(
                "stream_write wrote {} bytes more data than requested ({written} written, {} max)",
                written - bytes.len() as i64,
                bytes.len()
            ));
        }
        Some((written.max(0) as usize).min(bytes.len()))
    }

    /// Moves the position; where it is then, or nothing if the object refused. `None` if it was not asked.
    pub(in crate::standard::files) fn seek(
        &mut self,
        offset: i64,
        whence: i64,
    ) -> Option<Option<i64>> {
        let moved = self
            .peer
            .call("stream_seek", vec![offset.into(), whence.into()])?;
        if !to_bool(&moved) {
            return Some(None);
        }
        let position = self.peer.demand("stream_tell", Vec::new())?;
        Some(Some(to_long(self.peer.vm(), &position)))
    }

    /// Has what was written stored.
    pub(in crate::standard::files) fn flush(&mut self) -> bool {
        self.dirty = false;
        let flushed = self.peer.call("stream_flush", Vec::new());
        flushed.is_some_and(|flushed| to_bool(&flushed))
    }

    /// What `stream_stat()` says.
    pub(in crate::standard::files) fn status(&mut self) -> Option<Status> {
        let found = self.peer.demand("stream_stat", Vec::new())?;
        let found = found.array()?;
        Some(Status::from_array(self.peer.vm(), &found))
    }

    /// Asks for a lock as `flock()` does.
    pub(in crate::standard::files) fn lock(&mut self, operation: i64) -> bool {
        let locked = self.peer.demand("stream_lock", vec![operation.into()]);
        locked.is_some_and(|locked| to_bool(&locked))
    }

    /// Cuts or extends, if the object can.
    pub(in crate::standard::files) fn truncate(&mut self, length: u64) -> bool {
        let arguments = vec![Value::from(length as i64)];
        let Some(done) = self.peer.call("stream_truncate", arguments) else {
            return false;
        };
        match done.view() {
            ValueKind::Bool(done) => done,
            _ => {
                self.peer
                    .complain("stream_truncate did not return a boolean!");
                false
            }
        }
    }

    /// Hands an option over; `None` if the object does not know of options.
    pub(in crate::standard::files) fn set_option(
        &mut self,
        option: i64,
        first: i64,
        second: Option<i64>,
    ) -> Option<bool> {
        let second = second.map_or(Value::NULL, Value::from);
        let arguments = vec![option.into(), first.into(), second];
        let done = self.peer.demand("stream_set_option", arguments)?;
        Some(to_bool(&done))
    }

    /// The stream that can be waited for in place of this one.
    pub(crate) fn cast(&mut self) -> Option<Value> {
        const FOR_SELECT: i64 = 3;
        let answer = self.peer.demand("stream_cast", vec![FOR_SELECT.into()])?;
        matches!(answer.view(), ValueKind::Resource(_)).then_some(answer)
    }

    /// The object, for `stream_get_meta_data()`.
    pub(in crate::standard::files) fn object(&self) -> &ObjectHandle {
        &self.peer.object
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
        self.peer.call("stream_close", Vec::new());
    }
}

fn reference_to_null(vm: &mut Vm) -> Value {
    let reference = PhpReference::allocate(&mut vm.heap, Value::NULL.into_zval());
    reference.into_value()
}

/// An instance of a wrapper's class, its property `context` set; `None` if the class has no instances.
fn make_wrapper(
    vm: &mut Vm,
    class: *mut Class,
    context: Option<&Value>,
) -> PhpResult<Option<ObjectHandle>> {
    const WITHOUT_INSTANCES: u32 =
        class_flags::INTERFACE | class_flags::TRAIT | class_flags::ABSTRACT;
    // SAFETY: I4: classes live until the VM ends.
    if unsafe { (*class).flags } & WITHOUT_INSTANCES != 0 {
        return Ok(None);
    }
    let object = instantiate(vm, class)?;
    let name = vm.string("context");
    let context = context.cloned().unwrap_or(Value::NULL);
    let no_scope = std::ptr::null();
    write_property(vm, object.as_ptr(), &name, context, no_scope)?;
    // SAFETY: I4: classes live until the VM ends.
    if unsafe { !(*class).magic.construct.is_null() } {
        vm.call_method(&object, b"__construct", Vec::new())?;
    }
    Ok(Some(object))
}

/// Calls a method of a new object of the class; `None` if there is no object, or, after a warning, if it has
/// no such method.
fn ask(
    vm: &mut Vm,
    class: *mut Class,
    context: Option<&Value>,
    method: &str,
    arguments: Vec<Value>,
) -> PhpResult<Option<Value>> {
    let Some(object) = make_wrapper(vm, class, context)? else {
        return Ok(None);
    };
    let Some((called, arguments)) = callee(vm, &object, method, arguments) else {
        let class = object.class().display_name();
        vm.function_warning(format!("{class}::{method} is not implemented!"));
        vm.check()?;
        return Ok(None);
    };
    vm.call_method(&object, called.as_bytes(), arguments)
        .map(Some)
}

/// Has the wrapper for the name in argument #1 do what a function is asked for: `unlink` and its
/// like. `None` if no wrapper of the script handles the name.
pub(in crate::standard::files) fn operate(
    call: &mut Call<'_>,
    context: Option<&Value>,
    method: &str,
    arguments: Vec<Value>,
) -> PhpResult<Option<Value>> {
    let Responsible::User(class) = responsible(call.vm, call.bytes(0), false)? else {
        return Ok(None);
    };
    let done = ask(call.vm, class, context, method, arguments)?;
    let done = done.is_some_and(|done| matches!(done.view(), ValueKind::Bool(true)));
    Ok(Some(done.into()))
}

/// What `url_stat()` of the class says of a name.
pub(super) fn status(
    vm: &mut Vm,
    class: *mut Class,
    name: &[u8],
    flags: i64,
) -> PhpResult<Option<Status>> {
    let arguments = vec![vm.string(name).into(), flags.into()];
    let found = ask(vm, class, None, "url_stat", arguments)?;
    Ok(found.and_then(|found| Some(Status::from_array(vm, &*found.array()?))))
}

/// Opens a directory by the class's `dir_opendir()`.
pub(super) fn list(
    vm: &mut Vm,
    class: *mut Class,
    name: &[u8],
    context: Option<&Value>,
) -> PhpResult<Result<Box<dyn Listing>, std::io::Error>> {
    let Some(object) = make_wrapper(vm, class, context)? else {
        return Ok(Err(std::io::Error::other(OPERATION_FAILED)));
    };
    let mut peer = Peer::new(vm, object);
    let arguments = vec![vm.string(name).into(), Value::from(0i64)];
    let opened = peer.call("dir_opendir", arguments);
    vm.check()?;
    Ok(match peer.check_opened("dir_opendir", opened) {
        Ok(()) => Ok(Box::new(UserDirectory(peer))),
        Err(problem) => Err(std::io::Error::other(problem)),
    })
}

/// A directory that an object of the script lists.
#[derive(Debug)]
struct UserDirectory(Peer);

impl Listing for UserDirectory {
    fn next(&mut self) -> Option<Vec<u8>> {
        let entry = self.0.demand("dir_readdir", Vec::new())?;
        if entry.as_zval().kind() == vm_runtime::value::FALSE {
            return None;
        }
        let name = crate::support::string_of(self.0.vm(), &entry).ok()?;
        Some(name.to_vec())
    }

    fn rewind(&mut self) {
        self.0.call("dir_rewinddir", Vec::new());
    }
}

impl Drop for UserDirectory {
    fn drop(&mut self) {
        // A fatal error unwinds to the end of the script: no more of it runs.
        if !std::thread::panicking() {
            self.0.call("dir_closedir", Vec::new());
        }
    }
}

/// Opens a name that a class of the script handles.
pub(super) fn open(vm: &mut Vm, class: *mut Class, request: &Request<'_>) -> PhpResult<Opened> {
    let mode = request.mode;
    let Some(object) = make_wrapper(vm, class, request.context)? else {
        return Ok(Err(OPERATION_FAILED.into()));
    };
    let mut peer = Peer::new(vm, object);
    let arguments = vec![
        vm.string(request.name).into(),
        vm.string(mode).into(),
        request.options.into(),
        // The path that was really opened: nobody asks for it.
        reference_to_null(vm),
    ];
    let opened = peer.call("stream_open", arguments);
    vm.check()?;
    if let Err(problem) = peer.check_opened("stream_open", opened) {
        return Ok(Err(problem));
    }
    let writes = mode.contains(&b'+') || mode.first() != Some(&b'r');
    // Reading is asked of the object whatever the mode is.
    let mut stream = Stream::new(
        Backend::User(UserStream { peer, dirty: false }),
        true,
        writes,
    );
    (stream.wrapper, stream.kind) = ("user-space", "user-space");
    (stream.uri, stream.mode) = (request.name.to_vec(), mode.to_vec());
    stream.context = request.context.cloned();
    // Where it appends, the object is asked where that is.
    if mode.contains(&b'a') {
        stream.find_position();
        vm.check()?;
    }
    Ok(Ok(stream))
}

/// The source text that `include` gets of what is no file.
pub(super) fn read_source(vm: &mut Vm, name: &[u8], function: &str) -> PhpResult<Source> {
    if matches!(responsible(vm, name, true)?, Responsible::File) {
        return Ok(Source::File);
    }
    let request = Request {
        name,
        mode: b"rb",
        options: options::FOR_INCLUDE | options::USE_PATH | options::FOR_ENGINE,
        context: None,
        function,
    };
    let mut stream = match attempt(vm, &request)? {
        Ok(stream) => stream,
        Err(reason) => {
            let shown = vm_runtime::message::text(name);
            vm.warning(format!(
                "{function}({shown}): Failed to open stream: {reason}"
            ));
            vm.check()?;
            return Ok(Source::Failed);
        }
    };
    if let Backend::User(user) = &mut stream.backend {
        let options = vec![READ_BUFFER.into(), BUFFER_FULL.into(), CHUNK.into()];
        user.peer.call("stream_set_option", options);
        vm.check()?;
        user.peer.call("stream_stat", Vec::new());
        vm.check()?;
    }
    // Filters of the script want to see a resource.
    let value = super::super::stream_value(vm, stream);
    // SAFETY: I3: the value keeps the resource alive, and only filters look at it.
    let stream = unsafe { super::super::stream_in(&value) };
    let text = stream.map(|stream| stream.read_all());
    vm.check()?;
    drop(value);
    vm.check()?;
    Ok(match text {
        Some(Ok(text)) => Source::Text(text),
        _ => Source::Failed,
    })
}
