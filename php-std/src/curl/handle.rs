//! Easy handles: what a script sets for a transfer, and what comes of it.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::null_mut;
use std::rc::Rc;

use vm_runtime::limits;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::value::{ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::form::Form;
use super::{callbacks, memory, sys};

/// The length of libcurl's texts of errors.
const ERROR_SIZE: usize = 256;

/// Where what is received goes.
#[derive(Clone, Default)]
pub(super) enum Sink {
    /// To the output of the script; nowhere for headers.
    #[default]
    Standard,
    Kept,
    File(Value),
    Function(Value),
}

/// A list of texts, which libcurl does not copy.
pub(super) struct List(*mut sys::curl_slist);

impl List {
    pub(super) fn new(texts: &[CString]) -> List {
        let mut list = List(null_mut());
        // libcurl looks for the end of the list that it is given: the last one is the end of a list of one.
        let mut last: *mut sys::curl_slist = null_mut();
        for text in texts {
            limits::poll();
            // SAFETY: the text ends with NUL and is copied; the list is ours.
            let added = unsafe { sys::curl_slist_append(last, text.as_ptr()) };
            if added.is_null() {
                continue;
            }
            if last.is_null() {
                (list.0, last) = (added, added);
            } else {
                // SAFETY: the list is ours, and what was added stands behind its last one.
                last = unsafe { (*last).next };
            }
        }
        list
    }

    pub(super) fn pointer(&self) -> *mut sys::curl_slist {
        self.0
    }
}

impl Drop for List {
    fn drop(&mut self) {
        // SAFETY: the list is ours, and no handle has it any more.
        unsafe { sys::curl_slist_free_all(self.0) };
    }
}

/// Functions of the script that libcurl calls.
#[derive(Clone, Default)]
pub(super) struct Functions {
    pub(super) read: Option<Value>,
    pub(super) progress: Option<Value>,
    pub(super) transfer: Option<Value>,
    pub(super) matches: Option<Value>,
    pub(super) debug: Option<Value>,
    pub(super) before: Option<Value>,
    pub(super) host_key: Option<Value>,
    /// The options were set, perhaps to nothing: libcurl's own meter is not shown.
    pub(super) asks_progress: bool,
    pub(super) asks_transfer: bool,
}

impl Functions {
    fn all(&self) -> impl Iterator<Item = &Value> {
        [
            &self.read,
            &self.progress,
            &self.transfer,
            &self.matches,
            &self.debug,
            &self.before,
            &self.host_key,
        ]
        .into_iter()
        .flatten()
    }
}

/// An easy handle. libcurl has its address, so it stays where it is.
pub(super) struct Handle {
    pub(super) easy: *mut sys::CURL,
    /// What runs the transfers of `curl_exec()`, and keeps connections.
    pub(super) own_multi: *mut sys::CURLM,
    /// The VM, which never moves and outlives its handles.
    pub(super) vm: *mut Vm,
    /// The object whose handle this is.
    pub(super) object: *mut PhpObject,
    pub(super) write: Sink,
    pub(super) header: Sink,
    /// The file that was given to write to, also if something else was chosen since.
    pub(super) write_file: Option<Value>,
    pub(super) input: Option<Value>,
    pub(super) errors: Option<Value>,
    pub(super) functions: Functions,
    /// What was received and is to be returned.
    pub(super) received: Vec<u8>,
    /// Headers that were sent, if the script wants to know.
    pub(super) sent: Option<Vec<u8>>,
    pub(super) wants_sent: bool,
    /// `CURLOPT_VERBOSE`.
    pub(super) is_verbose: bool,
    /// libcurl's text of the last error.
    message: Box<[u8; ERROR_SIZE]>,
    pub(super) code: sys::CURLcode,
    pub(super) lists: HashMap<i64, Rc<List>>,
    pub(super) form: Option<Form>,
    /// The fields of the form, to make one for a copy.
    pub(super) fields: Option<Value>,
    pub(super) private: Option<Value>,
    pub(super) share: Option<Value>,
    /// How many callbacks are running.
    pub(super) running: usize,
    /// The multi handle that this one was added to; null in it when that went.
    pub(super) attached: Option<Shared>,
    /// What libcurl may still use until the handle is taken out of its multi handle.
    kept: Vec<Box<dyn Any>>,
}

/// A multi handle; null when it went.
pub(super) type Shared = Rc<Cell<*mut sys::CURLM>>;

/// The native part of a `CurlHandle`.
#[derive(Default)]
pub(super) struct Native(pub(super) Option<Box<Handle>>);

impl NativeData for Native {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        let Some(handle) = &self.0 else {
            return;
        };
        for sink in [&handle.write, &handle.header] {
            if let Sink::File(value) | Sink::Function(value) = sink {
                visitor(value);
            }
        }
        let others = [
            &handle.write_file,
            &handle.input,
            &handle.errors,
            &handle.fields,
            &handle.private,
            &handle.share,
        ];
        for value in others.into_iter().flatten().chain(handle.functions.all()) {
            visitor(value);
        }
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        let copy = self.0.as_ref().and_then(|handle| handle.copy());
        Some(Box::new(Native(copy)))
    }

    fn attached(&mut self, vm: &mut Vm, object: *mut PhpObject) {
        if let Some(handle) = &mut self.0 {
            handle.object = object;
            // What a copy sends is put together anew.
            let _ = super::form::attach(vm, handle);
        }
    }
}

/// The handle of an object.
pub(super) fn of(object: &PhpObject) -> &mut Handle {
    let native = object.native::<Native>().expect("made with the object");
    native.0.as_mut().expect("made by curl_init()")
}

/// A new object with a handle.
pub(super) fn create(vm: &mut Vm) -> PhpResult<Option<ObjectHandle>> {
    memory::install();
    // SAFETY: libcurl is prepared.
    let easy = unsafe { sys::curl_easy_init() };
    if easy.is_null() {
        return Ok(None);
    }
    let handle = Handle::around(vm, easy);
    wrap(vm, handle).map(Some)
}

/// An object for a handle.
pub(super) fn wrap(vm: &mut Vm, handle: Box<Handle>) -> PhpResult<ObjectHandle> {
    let Some(class) = vm.linked_class(b"curlhandle") else {
        vm.fatal_error("Class \"CurlHandle\" is not part of this build");
    };
    let object = new_object(vm, class)?;
    let native = object.native::<Native>().expect("made with the object");
    native.0 = Some(handle);
    of(&object).object = object.as_ptr();
    Ok(object)
}

impl Handle {
    fn around(vm: *mut Vm, easy: *mut sys::CURL) -> Box<Handle> {
        let mut handle = Box::new(Handle {
            easy,
            own_multi: null_mut(),
            vm,
            object: null_mut(),
            write: Sink::default(),
            header: Sink::default(),
            write_file: None,
            input: None,
            errors: None,
            functions: Functions::default(),
            received: Vec::new(),
            sent: None,
            wants_sent: false,
            is_verbose: false,
            message: Box::new([0; ERROR_SIZE]),
            code: 0,
            lists: HashMap::new(),
            form: None,
            fields: None,
            private: None,
            share: None,
            running: 0,
            attached: None,
            kept: Vec::new(),
        });
        handle.set_defaults();
        handle
    }

    /// A handle with the same settings.
    pub(super) fn copy(&self) -> Option<Box<Handle>> {
        // The copy has parts of its form that are read from the same files until it gets its own.
        if let Some(form) = &self.form {
            form.share();
        }
        // SAFETY: the handle is live.
        let easy = unsafe { sys::curl_easy_duphandle(self.easy) };
        if easy.is_null() {
            return None;
        }
        let mut copy = Handle::around(self.vm, easy);
        copy.write = self.write.clone();
        copy.header = self.header.clone();
        copy.write_file = self.write_file.clone();
        copy.input = self.input.clone();
        copy.errors = self.errors.clone();
        copy.functions = self.functions.clone();
        copy.wants_sent = self.wants_sent;
        copy.is_verbose = self.is_verbose;
        copy.lists = self.lists.clone();
        copy.fields = self.fields.clone();
        copy.private = self.private.clone();
        copy.share = self.share.clone();
        callbacks::connect(&mut copy);
        Some(copy)
    }

    /// Tells libcurl what PHP sets for each handle.
    pub(super) fn set_defaults(&mut self) {
        let message = self.message.as_mut_ptr();
        // SAFETY: the handle is live, and the text lives as long.
        unsafe {
            sys::curl_easy_setopt(self.easy, sys::CURLOPT_NOPROGRESS, 1i64);
            sys::curl_easy_setopt(self.easy, sys::CURLOPT_VERBOSE, i64::from(self.is_verbose));
            sys::curl_easy_setopt(self.easy, sys::CURLOPT_ERRORBUFFER, message);
            sys::curl_easy_setopt(self.easy, sys::CURLOPT_DNS_CACHE_TIMEOUT, 120i64);
            sys::curl_easy_setopt(self.easy, sys::CURLOPT_MAXREDIRS, 20i64);
            // Signals would reach whoever hosts the engine.
            sys::curl_easy_setopt(self.easy, sys::CURLOPT_NOSIGNAL, 1i64);
        }
        callbacks::connect(self);
    }

    /// The multi handle that this one is in.
    pub(super) fn multi(&self) -> Option<*mut sys::CURLM> {
        let multi = self.attached.as_ref()?.get();
        (!multi.is_null()).then_some(multi)
    }

    /// Notes which multi handle this one is in now.
    pub(super) fn set_multi(&mut self, multi: Option<Shared>) {
        self.attached = multi;
        if self.attached.is_none() {
            drop(std::mem::take(&mut self.kept));
        }
    }

    /// Lets go of something that libcurl was given, when it does not use it any more.
    pub(super) fn let_go<T: 'static>(&mut self, thing: T) {
        if self.multi().is_some() || self.running > 0 {
            vm_runtime::limits::grow(&mut self.kept);
            self.kept.push(Box::new(thing));
        } else {
            let kept = std::mem::take(&mut self.kept);
            drop((kept, thing));
        }
    }

    /// Forgets everything that was set.
    pub(super) fn reset(&mut self) {
        // SAFETY: the handles are live; what they refer to goes only after this. A transfer that is on
        // its way begins anew.
        unsafe {
            if let Some(multi) = self.multi() {
                sys::curl_multi_remove_handle(multi, self.easy);
            }
            sys::curl_easy_reset(self.easy);
        }
        // Destructors of what goes may set options again: they find the handle as it is from here on.
        use std::mem::take;
        let gone = (
            (take(&mut self.write), take(&mut self.header)),
            (
                self.write_file.take(),
                self.input.take(),
                self.errors.take(),
            ),
            take(&mut self.functions),
            (take(&mut self.lists), self.form.take(), self.fields.take()),
            (self.private.take(), self.share.take(), take(&mut self.kept)),
        );
        self.received = Vec::new();
        self.wants_sent = false;
        self.is_verbose = false;
        self.code = 0;
        self.message[0] = 0;
        self.set_defaults();
        if let Some(multi) = self.multi() {
            // SAFETY: both handles are live.
            unsafe { sys::curl_multi_add_handle(multi, self.easy) };
        }
        drop(gone);
    }

    /// Forgets what the last transfer left, before the next one.
    pub(super) fn begin(&mut self) {
        self.received = Vec::new();
        self.sent = None;
        self.message[0] = 0;
        self.code = 0;
    }

    /// The text of the last error.
    pub(super) fn error(&self) -> Vec<u8> {
        if self.code == 0 {
            return Vec::new();
        }
        let end = memchr::memchr(0, &*self.message).unwrap_or(ERROR_SIZE);
        if end > 0 {
            return self.message[..end].to_vec();
        }
        // SAFETY: libcurl gives a constant text for each number.
        unsafe { text(sys::curl_easy_strerror(self.code)) }.unwrap_or_default()
    }

    /// A share of the object.
    pub(super) fn value(&self) -> Value {
        // SAFETY: I3: the object has this handle, so it is live.
        unsafe { ObjectHandle::share_raw(self.object) }.into()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        callbacks::disconnect(self);
        // SAFETY: the handle is live, and in no multi handle but our own.
        unsafe {
            if !self.own_multi.is_null() {
                sys::curl_multi_cleanup(self.own_multi);
            }
            sys::curl_easy_cleanup(self.easy);
        }
    }
}

/// A text of libcurl's.
///
/// # Safety
/// `pointer` is null or leads to a text that ends with NUL.
pub(super) unsafe fn text(pointer: *const c_char) -> Option<Vec<u8>> {
    // SAFETY: by the caller.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_bytes().to_vec())
}

/// What unwinds through libcurl: it waits until libcurl has returned.
type Payload = Box<dyn Any + Send>;

thread_local! {
    static UNWINDING: RefCell<Option<Payload>> = const { RefCell::new(None) };
}

/// Runs code of ours that libcurl calls: nothing unwinds through libcurl. None if it unwound, or
/// something did before.
pub(super) fn guarded<T>(vm: *mut Vm, body: impl FnOnce(&mut Vm) -> T) -> Option<T> {
    if UNWINDING.with_borrow(Option::is_some) {
        return None;
    }
    // SAFETY: I1: the VM never moves, and outlives its handles.
    let vm = unsafe { &mut *vm };
    if std::thread::panicking() {
        // What objects hold is dropped while a fatal error unwinds: the script runs no more.
        return None;
    }
    match catch_unwind(AssertUnwindSafe(|| body(vm))) {
        Ok(result) => Some(result),
        Err(payload) => {
            UNWINDING.set(Some(payload));
            None
        }
    }
}

/// Calls libcurl; what callbacks threw natively meanwhile goes on afterwards.
pub(super) fn run<T>(call: impl FnOnce() -> T) -> T {
    let result = call();
    if let Some(payload) = UNWINDING.take() {
        resume_unwind(payload);
    }
    result
}
