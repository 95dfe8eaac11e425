//! What libcurl calls while it transfers.

use std::ffi::{c_char, c_int, c_long, c_void};

use vm_runtime::operators::to_string;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::Vm;

use super::handle::{Handle, Sink, guarded, text};
use super::sys;
use crate::standard::files::stream_in;

/// Numbers of options and answers that the crate does not name.
const XFERINFO_FUNCTION: sys::CURLoption = 20219;
const PREREQ_FUNCTION: sys::CURLoption = 20312;
const PREREQ_DATA: sys::CURLoption = 10313;
const HOST_KEY_FUNCTION: sys::CURLoption = 20316;
const HOST_KEY_DATA: sys::CURLoption = 10317;
const READ_ABORT: usize = 0x1000_0000;
const READ_PAUSE: i64 = 0x1000_0001;
const HOST_KEY_REJECT: c_int = 1;
const PREREQ_ABORT: c_int = 1;
const MATCH_FAIL: c_int = 2;

type Debug = unsafe extern "C" fn(*mut sys::CURL, c_int, *mut c_char, usize, *mut c_void) -> c_int;
type Progress = unsafe extern "C" fn(*mut c_void, f64, f64, f64, f64) -> c_int;
type Transfer = unsafe extern "C" fn(*mut c_void, i64, i64, i64, i64) -> c_int;
type Match = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> c_int;

/// Tells libcurl of our functions, those that the script asked for.
pub(super) fn connect(handle: &mut Handle) {
    let easy = handle.easy;
    let data: *mut c_void = std::ptr::from_mut(handle).cast();
    let functions = &handle.functions;
    let none = std::ptr::null::<c_void>();
    // SAFETY: the handle stays where it is as long as libcurl has its address; the functions have the
    // types that libcurl calls them with.
    unsafe {
        let set = |option, function: Option<*const c_void>| {
            sys::curl_easy_setopt(easy, option, function.unwrap_or(none));
        };
        sys::curl_easy_setopt(easy, sys::CURLOPT_WRITEFUNCTION, write as *const c_void);
        sys::curl_easy_setopt(easy, sys::CURLOPT_WRITEDATA, data);
        sys::curl_easy_setopt(easy, sys::CURLOPT_HEADERFUNCTION, header as *const c_void);
        sys::curl_easy_setopt(easy, sys::CURLOPT_HEADERDATA, data);
        sys::curl_easy_setopt(easy, sys::CURLOPT_READFUNCTION, read as *const c_void);
        sys::curl_easy_setopt(easy, sys::CURLOPT_READDATA, data);
        // Setting one of these to nothing switches libcurl's own meter on, so that comes first.
        if functions.asks_progress || functions.asks_transfer {
            set(sys::CURLOPT_PROGRESSFUNCTION, None);
            set(XFERINFO_FUNCTION, None);
        }
        if functions.asks_progress {
            set(
                sys::CURLOPT_PROGRESSFUNCTION,
                Some(progress as Progress as *const c_void),
            );
        }
        if functions.asks_transfer {
            set(
                XFERINFO_FUNCTION,
                Some(transfer as Transfer as *const c_void),
            );
        }
        sys::curl_easy_setopt(easy, sys::CURLOPT_PROGRESSDATA, data);
        let matches_function = functions
            .matches
            .as_ref()
            .map(|_| matches as Match as *const c_void);
        set(sys::CURLOPT_FNMATCH_FUNCTION, matches_function);
        sys::curl_easy_setopt(easy, sys::CURLOPT_FNMATCH_DATA, data);
        set(
            PREREQ_FUNCTION,
            functions.before.as_ref().map(|_| before as *const c_void),
        );
        sys::curl_easy_setopt(easy, PREREQ_DATA, data);
        set(
            HOST_KEY_FUNCTION,
            functions
                .host_key
                .as_ref()
                .map(|_| host_key as *const c_void),
        );
        sys::curl_easy_setopt(easy, HOST_KEY_DATA, data);
        let listens = functions.debug.is_some() || handle.wants_sent || handle.errors.is_some();
        set(
            sys::CURLOPT_DEBUGFUNCTION,
            listens.then_some(debug as Debug as *const c_void),
        );
        sys::curl_easy_setopt(easy, sys::CURLOPT_DEBUGDATA, data);
        // Headers that are sent are told with everything else that is told.
        let is_verbose = handle.is_verbose || handle.wants_sent;
        sys::curl_easy_setopt(easy, sys::CURLOPT_VERBOSE, c_long::from(is_verbose));
    }
}

/// Tells libcurl to call nothing any more.
pub(super) fn disconnect(handle: &mut Handle) {
    let none = std::ptr::null::<c_void>();
    // SAFETY: the handle is live.
    unsafe {
        sys::curl_easy_setopt(handle.easy, sys::CURLOPT_VERBOSE, 0 as c_long);
        sys::curl_easy_setopt(handle.easy, sys::CURLOPT_DEBUGFUNCTION, none);
        sys::curl_easy_setopt(
            handle.easy,
            sys::CURLOPT_WRITEFUNCTION,
            nothing as *const c_void,
        );
        sys::curl_easy_setopt(
            handle.easy,
            sys::CURLOPT_HEADERFUNCTION,
            nothing as *const c_void,
        );
        sys::curl_easy_setopt(handle.easy, sys::CURLOPT_NOPROGRESS, 1 as c_long);
    }
}

unsafe extern "C" fn nothing(_: *mut c_char, size: usize, count: usize, _: *mut c_void) -> usize {
    size.saturating_mul(count)
}

/// The bytes that libcurl hands over.
///
/// # Safety
/// `data` leads to that many bytes.
unsafe fn bytes<'a>(data: *const c_char, length: usize) -> &'a [u8] {
    if data.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: by the caller.
    unsafe { std::slice::from_raw_parts(data.cast(), length) }
}

/// The handle that libcurl was given, and its VM.
///
/// # Safety
/// `data` is a handle's address.
unsafe fn handle_at<'a>(data: *mut c_void) -> &'a mut Handle {
    // SAFETY: by the caller; the object of a handle is held while libcurl works for it.
    unsafe { &mut *data.cast::<Handle>() }
}

/// All of a callback, down to letting go of what functions of the script gave, whose destructors may end the script:
/// nothing unwinds through libcurl.
///
/// # Safety
/// `data` is a handle's address.
unsafe fn whole<T>(data: *mut c_void, otherwise: T, body: impl FnOnce(&mut Handle) -> T) -> T {
    // SAFETY: by the caller.
    let handle = unsafe { handle_at(data) };
    guarded(handle.vm, |_| body(handle)).unwrap_or(otherwise)
}

/// Calls a function of the script; none if an exception is pending or it throws one.
fn call(
    handle: &mut Handle,
    function: &Value,
    arguments: impl FnOnce(&mut Vm) -> Vec<Value>,
) -> Option<Value> {
    let this = handle.value();
    let function = function.clone();
    handle.running += 1;
    let answer = guarded(handle.vm, |vm| {
        vm.check().ok()?;
        vm.poll();
        let mut all = vec![this];
        all.extend(arguments(vm));
        vm.call(&function, all).ok()
    });
    handle.running -= 1;
    answer.flatten()
}

/// An answer as a number.
fn number(handle: &Handle, answer: &Value) -> i64 {
    guarded(handle.vm, |vm| answer.to_long(vm)).unwrap_or(0)
}

/// Puts bytes where a sink leads; how many were taken.
fn take(handle: &mut Handle, is_header: bool, bytes: &[u8]) -> usize {
    let sink = match is_header {
        true => handle.header.clone(),
        false => handle.write.clone(),
    };
    match sink {
        Sink::Standard if is_header => bytes.len(),
        Sink::Standard => {
            let done = guarded(handle.vm, |vm| {
                vm.poll();
                vm.write(bytes);
            });
            done.map_or(0, |()| bytes.len())
        }
        Sink::Kept => {
            let received = &mut handle.received;
            let done = guarded(handle.vm, |vm| {
                vm.poll();
                let wanted = received.len() + bytes.len();
                if wanted > received.capacity() {
                    let room = wanted.max(received.capacity() * 2);
                    vm_runtime::limits::reserve(room);
                    received.reserve_exact(room - received.len());
                }
                received.extend_from_slice(bytes);
            });
            done.map_or(0, |()| bytes.len())
        }
        Sink::File(file) => {
            let written = guarded(handle.vm, |vm| {
                // SAFETY: I3: the value is held; nobody else has the stream now.
                unsafe { stream_in(&file) }
                    .and_then(|stream| stream.write(vm, bytes).ok())
                    .unwrap_or(0)
            });
            written.unwrap_or(0)
        }
        Sink::Function(function) => {
            let answer = call(handle, &function, |vm| vec![vm.string(bytes).into()]);
            match answer {
                Some(answer) => {
                    let taken = number(handle, &answer);
                    usize::try_from(taken).unwrap_or(usize::MAX)
                }
                None => usize::MAX,
            }
        }
    }
}

unsafe extern "C" fn write(data: *mut c_char, size: usize, count: usize, to: *mut c_void) -> usize {
    // SAFETY: libcurl hands over the address it was given, and that many bytes.
    unsafe {
        let bytes = bytes(data, size * count);
        whole(to, usize::MAX, |handle| take(handle, false, bytes))
    }
}

unsafe extern "C" fn header(
    data: *mut c_char,
    size: usize,
    count: usize,
    to: *mut c_void,
) -> usize {
    // SAFETY: as in `write`.
    unsafe {
        let bytes = bytes(data, size * count);
        whole(to, usize::MAX, |handle| take(handle, true, bytes))
    }
}

unsafe extern "C" fn read(
    buffer: *mut c_char,
    size: usize,
    count: usize,
    from: *mut c_void,
) -> usize {
    let room = size * count;
    // SAFETY: as in `write`.
    let found = match unsafe { whole(from, Input::Nothing, |handle| input(handle, room)) } {
        Input::Bytes(found) => found,
        Input::Verdict(number) => return number,
        Input::Nothing => return READ_ABORT,
    };
    let length = found.len().min(room);
    // SAFETY: the buffer has that much room.
    unsafe { std::ptr::copy_nonoverlapping(found.as_ptr(), buffer.cast(), length) };
    length
}

/// What there is to send.
enum Input {
    Bytes(Vec<u8>),
    /// What libcurl is told instead.
    Verdict(usize),
    Nothing,
}

/// What is to be sent next, as much as there is room for.
fn input(handle: &mut Handle, room: usize) -> Input {
    let found: Option<Vec<u8>> = match handle.functions.read.clone() {
        Some(function) => {
            let input = handle.input.clone().unwrap_or(Value::NULL);
            let answer = call(handle, &function, |_| vec![input, room.into()]);
            match &answer {
                Some(answer) => match answer.view() {
                    ValueKind::String(text) => Some(text.as_bytes().to_vec()),
                    ValueKind::Long(number @ (0 | READ_PAUSE)) => {
                        return Input::Verdict(number as usize);
                    }
                    ValueKind::Long(_) => None,
                    _ => Some(Vec::new()),
                },
                None => None,
            }
        }
        None => {
            let input = handle.input.clone();
            guarded(handle.vm, |vm| {
                vm.poll();
                let Some(input) = &input else {
                    return Vec::new();
                };
                // SAFETY: I3: the value is held; nobody else has the stream now.
                let stream = unsafe { stream_in(input) };
                stream
                    .and_then(|stream| stream.read(room).ok())
                    .unwrap_or_default()
            })
        }
    };
    found.map_or(Input::Nothing, Input::Bytes)
}

fn is_unwinding(handle: &Handle) -> bool {
    guarded(handle.vm, |vm| vm.check().is_err()).unwrap_or(true)
}

fn report(handle: &mut Handle, function: Option<Value>, numbers: [Value; 4]) -> c_int {
    let Some(function) = function else {
        return 0;
    };
    match call(handle, &function, |_| numbers.to_vec()) {
        Some(answer) => c_int::from(number(handle, &answer) != 0),
        None => 1,
    }
}

unsafe extern "C" fn progress(data: *mut c_void, a: f64, b: f64, c: f64, d: f64) -> c_int {
    // SAFETY: as in `write`.
    unsafe {
        whole(data, 1, |handle| {
            let function = handle.functions.progress.clone();
            let numbers = [a, b, c, d].map(|number| Value::from(number as i64));
            report(handle, function, numbers)
        })
    }
}

unsafe extern "C" fn transfer(data: *mut c_void, a: i64, b: i64, c: i64, d: i64) -> c_int {
    // SAFETY: as in `write`.
    unsafe {
        whole(data, 1, |handle| {
            let function = handle.functions.transfer.clone();
            report(handle, function, [a, b, c, d].map(Value::from))
        })
    }
}

unsafe extern "C" fn matches(
    data: *mut c_void,
    pattern: *const c_char,
    name: *const c_char,
) -> c_int {
    // SAFETY: as in `write`; both are texts.
    unsafe {
        let texts = [text(pattern), text(name)];
        whole(data, MATCH_FAIL, |handle| is_match(handle, texts))
    }
}

/// Whether a name fits a pattern, as a function of the script says.
fn is_match(handle: &mut Handle, texts: [Option<Vec<u8>>; 2]) -> c_int {
    let Some(function) = handle.functions.matches.clone() else {
        return MATCH_FAIL;
    };
    let answer = call(handle, &function, |vm| {
        let texts = texts.map(Option::unwrap_or_default);
        texts.map(|text| vm.string(text).into()).to_vec()
    });
    match answer {
        Some(answer) => number(handle, &answer) as c_int,
        None => MATCH_FAIL,
    }
}

unsafe extern "C" fn before(
    data: *mut c_void,
    remote: *mut c_char,
    local: *mut c_char,
    remote_port: c_int,
    local_port: c_int,
) -> c_int {
    // SAFETY: as in `write`; both are texts.
    unsafe {
        let texts = [text(remote), text(local)];
        whole(data, PREREQ_ABORT, |handle| {
            may_begin(handle, texts, [remote_port, local_port])
        })
    }
}

/// Whether a request is made, as a function of the script says.
fn may_begin(
    handle: &mut Handle,
    [remote, local]: [Option<Vec<u8>>; 2],
    [remote_port, local_port]: [c_int; 2],
) -> c_int {
    let Some(function) = handle.functions.before.clone() else {
        return 0;
    };
    let answer = call(handle, &function, |vm| {
        vec![
            vm.string(remote.unwrap_or_default()).into(),
            vm.string(local.unwrap_or_default()).into(),
            i64::from(remote_port).into(),
            i64::from(local_port).into(),
        ]
    });
    let vm = handle.vm;
    match answer.as_ref().map(|answer| answer.view()) {
        Some(ValueKind::Long(number @ (0 | 1))) => number as c_int,
        Some(other) => {
            let is_number = matches!(other, ValueKind::Long(_));
            guarded(vm, |vm| {
                let message = match is_number {
                    true => {
                        "The CURLOPT_PREREQFUNCTION callback must return either CURL_PREREQFUNC_OK or CURL_PREREQFUNC_ABORT"
                    }
                    false => {
                        "The CURLOPT_PREREQFUNCTION callback must return either CURL_PREREQFUNC_OK or CURL_PREREQFUNC_ABORT"
                    }
                };
                let class = match is_number {
                    true => vm_runtime::exceptions::KnownClass::ValueError,
                    false => vm_runtime::exceptions::KnownClass::TypeError,
                };
                vm.throw_error(class, message);
            });
            PREREQ_ABORT
        }
        None => PREREQ_ABORT,
    }
}

unsafe extern "C" fn host_key(
    data: *mut c_void,
    kind: c_int,
    key: *const c_char,
    length: usize,
) -> c_int {
    // SAFETY: as in `write`.
    unsafe {
        let key = bytes(key, length);
        whole(data, HOST_KEY_REJECT, |handle| judge_key(handle, kind, key))
    }
}

/// What a function of the script says of a host's key.
fn judge_key(handle: &mut Handle, kind: c_int, key: &[u8]) -> c_int {
    let Some(function) = handle.functions.host_key.clone() else {
        return HOST_KEY_REJECT;
    };
    let answer = call(handle, &function, |vm| {
        vec![
            i64::from(kind).into(),
            vm.string(key).into(),
            key.len().into(),
        ]
    });
    match answer.as_ref().map(|answer| answer.view()) {
        Some(ValueKind::Long(number)) => number as c_int,
        _ => HOST_KEY_REJECT,
    }
}

/// Kinds of what is told: text, headers received and sent, and others.
const SENT_HEADER: c_int = 2;

unsafe extern "C" fn debug(
    _easy: *mut sys::CURL,
    kind: c_int,
    data: *mut c_char,
    length: usize,
    to: *mut c_void,
) -> c_int {
    // SAFETY: as in `write`.
    unsafe {
        let bytes = bytes(data, length);
        whole(to, 0, |handle| tell(handle, kind, bytes))
    }
}

/// Tells what goes on: the function of the script, or on standard error.
fn tell(handle: &mut Handle, kind: c_int, bytes: &[u8]) -> c_int {
    if kind == SENT_HEADER {
        handle.sent = Some(bytes.to_vec());
    }
    if !handle.is_verbose && handle.functions.debug.is_none() {
        return 0;
    }
    if let Some(function) = handle.functions.debug.clone() {
        if handle.is_verbose && !is_unwinding(handle) {
            call(handle, &function, |vm| {
                vec![i64::from(kind).into(), vm.string(bytes).into()]
            });
        }
        return 0;
    }
    // As libcurl itself writes it: text and headers alone.
    let mark: &[u8] = match kind {
        0 => b"* ",
        1 => b"< ",
        2 => b"> ",
        _ => return 0,
    };
    let errors = handle.errors.clone();
    guarded(handle.vm, |vm| {
        let line = [mark, bytes].concat();
        match &errors {
            // SAFETY: I3: the value is held; nobody else has the stream now.
            Some(file) => match unsafe { stream_in(file) } {
                Some(stream) => drop(stream.write(vm, &line)),
                None => vm_runtime::output::write_stderr(&line),
            },
            None => vm_runtime::output::write_stderr(&line),
        }
    });
    0
}

/// The text of a value that libcurl is given.
pub(super) fn text_of(vm: &mut Vm, value: &Value) -> vm_runtime::vm::PhpResult<Vec<u8>> {
    Ok(to_string(vm, value)?.to_vec())
}
