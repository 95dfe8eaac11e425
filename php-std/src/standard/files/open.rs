//! Streams as resources: `fopen`, `fclose`, `tmpfile`.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::FromRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::{Header, PhpResource, RESOURCE, ResourceHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::context::context_argument;
use super::stream::Stream;
use super::wrappers::{Request, open_file, open_request, options};
use crate::standard::info::temporary_folder;
use crate::support::{Plain, current_function, functions};

functions! {
    "fopen(path $filename, string $mode, bool $use_include_path = false, $context = null)" => fopen,
    "fclose(resource $stream): bool" => fclose,
    "tmpfile()" => tmpfile,
}

/// Numbers of resources.
#[derive(Debug)]
struct Numbers {
    next: i64,
}

impl Default for Numbers {
    fn default() -> Numbers {
        // 1 to 3 are the standard streams.
        Numbers { next: 4 }
    }
}

/// A resource of this number.
pub(super) fn allocate(
    vm: &mut Vm,
    id: i64,
    type_name: &'static str,
    payload: Box<dyn std::any::Any>,
) -> Value {
    let resource = PhpResource {
        header: Header::new(RESOURCE),
        id,
        type_name,
        payload: Some(payload),
        before_close: None,
    };
    let pointer = vm
        .heap
        .allocate(size_of::<PhpResource>())
        .cast::<PhpResource>();
    // SAFETY: fresh memory of the right size; the handle takes the first share.
    unsafe {
        pointer.write(resource);
        vm.heap.resources.insert(id, pointer.as_ptr());
        ResourceHandle::from_raw(pointer.as_ptr()).into_value()
    }
}

/// A new resource.
pub(crate) fn new_resource(
    vm: &mut Vm,
    type_name: &'static str,
    payload: Box<dyn std::any::Any>,
) -> Value {
    let id = reserve_number(vm);
    allocate(vm, id, type_name, payload)
}

/// The next number of a resource.
pub(super) fn reserve_number(vm: &mut Vm) -> i64 {
    let numbers = vm.extensions.state::<Numbers>();
    numbers.next += 1;
    numbers.next - 1
}

/// A resource of a stream.
pub(crate) fn stream_value(vm: &mut Vm, stream: Stream) -> Value {
    let number = match stream.number {
        0 => reserve_number(vm),
        number => number,
    };
    let value = allocate(vm, number, "stream", Box::new(stream));
    // SAFETY: I3: the resource is new and ours.
    if let Some(stream) = unsafe { stream_in(&value) } {
        stream.resource = value.resource();
        // SAFETY: I3: as above.
        unsafe { (*stream.resource).before_close = Some(finish) };
    }
    value
}

/// Lets the filters of a stream finish before it is closed.
unsafe fn finish(resource: *mut PhpResource) {
    // SAFETY: I3: the resource is live, by the caller.
    if let Some(stream) = unsafe { stream_in(&Zval::from_resource(resource)) } {
        stream.finish();
    }
}

/// The stream in argument `index`, which stays there; a `TypeError` if it was closed.
pub(crate) fn stream<'a>(call: &mut Call<'a>, index: usize) -> PhpResult<&'a mut Stream> {
    // SAFETY: I3: the argument keeps the resource alive during the call; natives of one VM
    // run on one thread and do not hold two borrows of a stream.
    if let Some(stream) = unsafe { stream_in(call.argument(index).deref()) } {
        return Ok(stream);
    }
    let name = call.function().display_name();
    let message = format!("{name}(): supplied resource is not a valid stream resource");
    Err(call.vm.throw_error(KnownClass::TypeError, message))
}

/// The stream that a value is.
///
/// # Safety
/// The value is kept alive, and its stream is not borrowed otherwise, as long as this borrow is.
pub(crate) unsafe fn stream_in<'a>(value: &Zval) -> Option<&'a mut Stream> {
    let ValueKind::Resource(_) = value.view() else {
        return None;
    };
    // SAFETY: by the caller.
    let payload = unsafe { (*value.resource()).payload.as_mut() };
    payload.and_then(|payload| payload.downcast_mut())
}

/// The stream that an argument of a direct entry is.
impl<'a> Plain<'a> for &'a mut Stream {
    fn of(argument: &'a Zval) -> Option<&'a mut Stream> {
        // SAFETY: I3: as for `stream()`.
        unsafe { stream_in(argument) }
    }
}

pub(crate) fn fclose(call: &mut Call<'_>) -> PhpResult<Value> {
    let target = stream(call, 0)?;
    // Only `closedir()` closes a directory.
    if target.is_busy() || matches!(target.backend, super::Backend::Directory(_)) {
        // SAFETY: I3: the argument keeps the resource alive.
        let number = unsafe { (*call.argument(0).deref().resource()).id };
        call.vm
            .function_warning(format!("{number} is not a valid stream resource"));
        return Ok(false.into());
    }
    let descriptor = constant_descriptor(call.argument(0).deref());
    close(call, 0);
    if let Some(descriptor) = descriptor {
        call.vm.output.flush();
        // SAFETY: the stream of the constant was the one that had the descriptor.
        unsafe { libc::close(descriptor) };
    }
    Ok(true.into())
}

/// The descriptor of `STDIN`, `STDOUT` or `STDERR`, if a value is that: closing these closes the
/// descriptor of the process, as programs want that go to the background.
fn constant_descriptor(value: &Zval) -> Option<i32> {
    // SAFETY: I3: the value keeps the resource alive.
    let (number, stream) = unsafe { ((*value.resource()).id, stream_in(value)?) };
    let is_standard = matches!(stream.backend, super::Backend::Standard(_));
    (is_standard && (1..=3).contains(&number)).then(|| number as i32 - 1)
}

/// Drops the payload of a resource; what is left is a closed resource.
pub(crate) fn close(call: &mut Call<'_>, index: usize) {
    // SAFETY: I3: the argument keeps the resource alive.
    unsafe { close_resource(call.argument(index).deref().resource()) };
}

/// Closes a resource, unless it is a stream that is at work: what works on it needs it yet.
///
/// # Safety
/// The resource is live, and stays so.
unsafe fn close_resource(resource: *mut PhpResource) {
    // SAFETY: by the caller.
    unsafe {
        let stream = stream_in(&Zval::from_resource(resource));
        if stream.is_some_and(|stream| stream.is_at_work()) {
            return;
        }
        if let Some(before_close) = (*resource).before_close.take() {
            before_close(resource);
        }
        (*resource).type_name = "";
        // What closing runs sees a closed resource.
        let payload = (*resource).payload.take();
        drop(payload);
    }
}

/// Closes a stream that a value is, as [`close`].
pub(crate) fn close_value(value: &Value) {
    if !matches!(value.view(), ValueKind::Resource(_)) {
        return;
    }
    // SAFETY: I3: the value keeps the resource alive.
    unsafe { close_resource(value.resource()) };
}

/// A path of bytes.
pub(crate) fn path(bytes: &[u8]) -> PathBuf {
    let bytes = match bytes.get(..7) {
        Some(scheme) if scheme.eq_ignore_ascii_case(b"file://") => match bytes.get(7..17) {
            Some(host) if host.eq_ignore_ascii_case(b"localhost/") => &bytes[16..],
            _ => &bytes[7..],
        },
        _ => bytes,
    };
    Path::new(OsStr::from_bytes(bytes)).to_path_buf()
}

/// A `ValueError` if a path argument holds a zero byte.
pub(crate) fn check_path(call: &mut Call<'_>, index: usize) -> PhpResult<()> {
    if memchr::memchr(0, call.bytes(index)).is_some() {
        return Err(call.value_error(index, "must not contain any null bytes"));
    }
    Ok(())
}

/// Opens the file in argument #1 for a function, which may look along the include path and may
/// have a context in argument `context`.
pub(super) fn open_argument(
    call: &mut Call<'_>,
    mode: &[u8],
    along_path: bool,
    context: usize,
) -> PhpResult<Option<Stream>> {
    check_path(call, 0)?;
    let context = context_argument(call, context)?;
    let function = current_function(call.vm);
    let request = Request {
        name: call.bytes(0),
        mode,
        options: if along_path { options::USE_PATH } else { 0 },
        context: Some(&context),
        function: &function,
    };
    open_request(call.vm, &request)
}

fn fopen(call: &mut Call<'_>) -> PhpResult<Value> {
    let (mode, along_path) = (call.bytes(1), call.bool(2));
    match open_argument(call, mode, along_path, 3)? {
        Some(stream) => Ok(stream_value(call.vm, stream)),
        None => Ok(false.into()),
    }
}

/// Creates a file with a name nobody else has, and gives its whole name: without links.
pub(crate) fn create_temporary(
    directory: &Path,
    prefix: &[u8],
) -> std::io::Result<(File, PathBuf)> {
    let directory = directory.canonicalize()?;
    let mut template = directory.into_os_string().into_vec();
    if !template.ends_with(b"/") {
        template.push(b'/');
    }
    template.extend_from_slice(&prefix[..prefix.len().min(76)]);
    template.extend_from_slice(b"XXXXXX\0");
    // SAFETY: the template is zero-terminated and writable.
    let descriptor = unsafe { libc::mkstemp(template.as_mut_ptr().cast()) };
    if descriptor < 0 {
        return Err(std::io::Error::last_os_error());
    }
    template.pop();
    // SAFETY: the descriptor is new and ours.
    let file = unsafe { File::from_raw_fd(descriptor) };
    Ok((file, path(&template)))
}

fn tmpfile(call: &mut Call<'_>) -> PhpResult<Value> {
    let folder = temporary_folder(call.vm);
    match create_temporary(&path(&folder), b"php") {
        Ok((file, path)) => {
            let mut stream = open_file(file, true, true);
            stream.mode = b"r+b".to_vec();
            stream.uri = path.as_os_str().as_bytes().to_vec();
            stream.temporary = Some(path);
            Ok(stream_value(call.vm, stream))
        }
        Err(_) => Ok(false.into()),
    }
}
