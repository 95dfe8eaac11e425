//! Opening streams: `fopen`, wrappers, `tmpfile`, the constants `STDIN`, `STDOUT`, `STDERR`.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::interpreter::include::os_error_text;
use vm_runtime::value::{Header, PhpResource, RESOURCE, ResourceHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::super::strings::encode::{UrlStyle, decode_url};
use super::filters::{add_from_url, find_names};
use super::stream::{Backend, Stream};
use crate::support::{current_function, functions};

functions! {
    "fopen(string $filename, string $mode, bool $use_include_path = false, $context = null)" => fopen,
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
        // 1 to 3 are the standard streams, 4 is the script's.
        Numbers { next: 5 }
    }
}

fn allocate(
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
    let numbers = vm.extensions.state::<Numbers>();
    let id = numbers.next;
    numbers.next += 1;
    allocate(vm, id, type_name, payload)
}

/// A resource of a stream.
pub(crate) fn stream_value(vm: &mut Vm, stream: Stream) -> Value {
    let value = new_resource(vm, "stream", Box::new(stream));
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

/// Defines the constants of the standard streams.
pub(super) fn define_standard_streams(vm: &mut Vm) {
    for (id, name, descriptor, uri) in [
        (1, "STDIN", libc::STDIN_FILENO, "php://stdin"),
        (2, "STDOUT", libc::STDOUT_FILENO, "php://stdout"),
        (3, "STDERR", libc::STDERR_FILENO, "php://stderr"),
    ] {
        let stream = standard_stream(descriptor, uri.as_bytes());
        let value = allocate(vm, id, "stream", Box::new(stream));
        vm.constants.insert(name.as_bytes().into(), value);
    }
}

fn standard_stream(descriptor: i32, uri: &[u8]) -> Stream {
    // SAFETY: the descriptor belongs to the process; it is never closed by this handle.
    let file = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) });
    let input = descriptor == libc::STDIN_FILENO;
    let mut stream = Stream::new(Backend::Standard(file), input, !input);
    stream.seekable = false;
    stream.uri = uri.to_vec();
    stream.mode = if input { b"r".to_vec() } else { b"w".to_vec() };
    stream
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

fn fclose(call: &mut Call<'_>) -> PhpResult<Value> {
    if stream(call, 0)?.is_busy() {
        call.vm.function_warning(
            "cannot close the provided stream, as it must not be manually closed",
        );
        return Ok(false.into());
    }
    close(call, 0);
    Ok(true.into())
}

/// Drops the payload of a resource; what is left is a closed resource.
pub(crate) fn close(call: &mut Call<'_>, index: usize) {
    let value = call.argument(index).deref();
    // SAFETY: I3: the argument keeps the resource alive.
    unsafe {
        if let Some(before_close) = (*value.resource()).before_close.take() {
            before_close(value.resource());
        }
        let resource = &mut *value.resource();
        resource.type_name = "";
        // What closing runs sees a closed resource.
        drop(resource.payload.take());
    }
}

/// A path of bytes.
pub(crate) fn path(bytes: &[u8]) -> PathBuf {
    let bytes = bytes.strip_prefix(b"file://").unwrap_or(bytes);
    Path::new(OsStr::from_bytes(bytes)).to_path_buf()
}

/// What a mode allows.
#[derive(Debug, Clone, Copy)]
struct Mode {
    read: bool,
    write: bool,
    append: bool,
    truncate: bool,
    create: bool,
    exclusive: bool,
}

fn parse_mode(mode: &[u8]) -> Option<Mode> {
    let plus = mode.contains(&b'+');
    let none = Mode {
        read: plus,
        write: true,
        append: false,
        truncate: false,
        create: true,
        exclusive: false,
    };
    Some(match mode.first()? {
        b'r' => Mode {
            read: true,
            write: plus,
            create: false,
            ..none
        },
        b'w' => Mode {
            truncate: true,
            ..none
        },
        b'a' => Mode {
            append: true,
            ..none
        },
        b'x' => Mode {
            exclusive: true,
            ..none
        },
        b'c' => none,
        _ => return None,
    })
}

/// Opens a stream, or warns why it cannot be opened.
pub(crate) fn open(vm: &mut Vm, name: &[u8], mode: &[u8]) -> PhpResult<Option<Stream>> {
    if name.is_empty() {
        return Err(vm.throw_error(KnownClass::ValueError, "Path must not be empty"));
    }
    if let Some(opened) = super::user_wrapper::open_for_function(vm, name, mode)? {
        return Ok(opened);
    }
    let shown = String::from_utf8_lossy(name).into_owned();
    let fail = |vm: &mut Vm, reason: &str| {
        let function = current_function(vm);
        vm.warning(format!(
            "{function}({shown}): Failed to open stream: {reason}"
        ));
        vm.check()?;
        Ok(None)
    };
    let lower = name.to_ascii_lowercase();
    if lower.starts_with(b"php://filter/") {
        let Some((names, resource)) = find_names(&name[b"php://filter".len()..]) else {
            return Err(vm.throw_error(KnownClass::Error, "No URL resource specified"));
        };
        let Some(mut stream) = open(vm, resource, mode)? else {
            return Ok(None);
        };
        add_from_url(vm, &mut stream, names, mode)?;
        return Ok(Some(stream));
    }
    if let Some(rest) = lower.strip_prefix(b"php://") {
        return match open_internal(rest, name, mode) {
            Some(stream) => Ok(Some(stream)),
            None => {
                let function = current_function(vm);
                vm.warning(format!("{function}(): Invalid php:// URL specified"));
                vm.check()?;
                fail(vm, "operation failed")
            }
        };
    }
    if lower.starts_with(b"data:") {
        return match data_uri(&name[5..]) {
            Some(contents) => {
                let backend = Backend::Memory {
                    data: contents,
                    position: 0,
                };
                let mut stream = Stream::new(backend, true, false);
                (stream.wrapper, stream.kind) = ("RFC2397", "RFC2397");
                (stream.uri, stream.mode) = (name.to_vec(), mode.to_vec());
                Ok(Some(stream))
            }
            None => {
                let function = current_function(vm);
                vm.warning(format!("{function}(): rfc2397: no comma in URL"));
                vm.check()?;
                fail(vm, "operation failed")
            }
        };
    }
    if let Some(at) = memchr::memmem::find(name, b"://")
        && !lower.starts_with(b"file://")
        && at > 1
        && name[..at]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
    {
        let function = current_function(vm);
        let scheme = String::from_utf8_lossy(&name[..at]).into_owned();
        vm.warning(format!(
            "{function}(): Unable to find the wrapper \"{scheme}\" - did you forget to enable it when you configured PHP?"
        ));
        vm.check()?;
    }
    let Some(parsed) = parse_mode(mode) else {
        let mode = String::from_utf8_lossy(mode).into_owned();
        return fail(vm, &format!("`{mode}' is not a valid mode for fopen"));
    };
    let mut options = OpenOptions::new();
    options
        .read(parsed.read)
        .write(parsed.write && !parsed.append)
        .append(parsed.append);
    options.truncate(parsed.truncate);
    if parsed.exclusive {
        options.create_new(true);
    } else {
        options.create(parsed.create);
    }
    match options.open(path(name)) {
        Ok(file) => {
            let regular = file
                .metadata()
                .is_ok_and(|metadata| metadata.is_file() || metadata.is_dir());
            let mut stream = Stream::new(Backend::File(file), parsed.read, parsed.write);
            stream.append = parsed.append;
            stream.seekable = regular;
            stream.wrapper = "plainfile";
            (stream.uri, stream.mode) = (name.to_vec(), mode.to_vec());
            Ok(Some(stream))
        }
        Err(error) => fail(vm, &os_error_text(&error)),
    }
}

/// `php://...`; `rest` is what follows, in lower case.
fn open_internal(rest: &[u8], name: &[u8], mode: &[u8]) -> Option<Stream> {
    let mut stream = match rest {
        b"stdin" => standard_stream(libc::STDIN_FILENO, name),
        b"stdout" => standard_stream(libc::STDOUT_FILENO, name),
        b"stderr" => standard_stream(libc::STDERR_FILENO, name),
        b"output" => {
            let mut stream = Stream::new(Backend::Output, false, true);
            stream.seekable = false;
            stream
        }
        b"input" => Stream::new(
            Backend::Memory {
                data: Vec::new(),
                position: 0,
            },
            true,
            false,
        ),
        _ if rest == b"memory" || rest.starts_with(b"temp") => {
            let read_only = mode.first() == Some(&b'r') && !mode.contains(&b'+');
            let mut stream = Stream::new(
                Backend::Memory {
                    data: Vec::new(),
                    position: 0,
                },
                true,
                !read_only,
            );
            stream.append = mode.first() == Some(&b'a');
            if rest.starts_with(b"temp") {
                stream.kind = "TEMP";
            }
            stream
        }
        _ => return None,
    };
    stream.uri = name.to_vec();
    stream.mode = mode.to_vec();
    Some(stream)
}

/// The contents of a `data:` URI.
fn data_uri(rest: &[u8]) -> Option<Vec<u8>> {
    let rest = rest.strip_prefix(b"//").unwrap_or(rest);
    let comma = memchr::memchr(b',', rest)?;
    let data = decode_url(&rest[comma + 1..], UrlStyle::Raw);
    if rest[..comma].ends_with(b";base64") {
        return super::super::strings::encode::decode_base64(&data, false);
    }
    Some(data)
}

/// A `ValueError` if a path argument holds a zero byte.
pub(crate) fn check_path(call: &mut Call<'_>, index: usize) -> PhpResult<()> {
    if memchr::memchr(0, call.bytes(index)).is_some() {
        return Err(call.value_error(index, "must not contain any null bytes"));
    }
    Ok(())
}

fn fopen(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    match open(call.vm, call.bytes(0), call.bytes(1))? {
        Some(stream) => Ok(stream_value(call.vm, stream)),
        None => Ok(false.into()),
    }
}

/// Creates a file with a name nobody else has.
pub(super) fn create_temporary(
    directory: &Path,
    prefix: &[u8],
) -> std::io::Result<(File, PathBuf)> {
    let mut template = directory.as_os_str().as_bytes().to_vec();
    if !template.ends_with(b"/") {
        template.push(b'/');
    }
    template.extend_from_slice(&prefix[..prefix.len().min(63)]);
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
    match create_temporary(&std::env::temp_dir(), b"php") {
        Ok((file, path)) => {
            let mut stream = Stream::new(Backend::File(file), true, true);
            stream.wrapper = "plainfile";
            stream.mode = b"r+b".to_vec();
            stream.uri = path.as_os_str().as_bytes().to_vec();
            stream.temporary = Some(path);
            Ok(stream_value(call.vm, stream))
        }
        Err(_) => Ok(false.into()),
    }
}
