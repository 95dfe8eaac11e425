//! `php://`: the script's own input and output, memory, descriptors, filters.

use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::{FromRawFd, OwnedFd};

use vm_runtime::exceptions::KnownClass;
use vm_runtime::vm::{PhpResult, Vm};

use super::super::filters::{add_from_url, find_names, starts_with_any_case};
use super::super::open::allocate;
use super::super::stream::{Backend, Stream};
use super::{OPERATION_FAILED, Opened, Request, Wrapper, attempt};

/// What came with the request, for `php://input`.
#[derive(Debug, Default)]
pub(crate) struct RequestBody(pub(crate) Vec<u8>);

/// The names `php://...`.
#[derive(Debug)]
pub(super) struct PhpWrapper;

impl Wrapper for PhpWrapper {
    fn label(&self) -> &'static str {
        "PHP"
    }

    fn open(&self, vm: &mut Vm, request: &Request<'_>) -> PhpResult<Opened> {
        let name = request.name;
        let rest = &name[b"php://".len()..];
        // The name of another stream may be as long as it likes.
        if starts_with_any_case(rest, b"filter/") {
            return open_filtered(vm, request);
        }
        let rest = name[b"php://".len()..].to_ascii_lowercase();
        let standard = match rest.as_slice() {
            b"stdin" => Some(libc::STDIN_FILENO),
            b"stdout" => Some(libc::STDOUT_FILENO),
            b"stderr" => Some(libc::STDERR_FILENO),
            _ => None,
        };
        // SAFETY: asks for the flags of a descriptor; one that is not open gives an error.
        if standard.is_some_and(|number| unsafe { libc::fcntl(number, libc::F_GETFD) } < 0) {
            return Ok(Err(OPERATION_FAILED.into()));
        }
        let mut stream = match rest.as_slice() {
            _ if rest.starts_with(b"fd/") => match open_descriptor(&rest[b"fd/".len()..]) {
                Ok(stream) => with_mode(stream, request.mode),
                Err(problem) => return Ok(Err(problem)),
            },
            b"stdin" => with_mode(standard_stream(libc::STDIN_FILENO), request.mode),
            b"stdout" => with_mode(standard_stream(libc::STDOUT_FILENO), request.mode),
            b"stderr" => with_mode(standard_stream(libc::STDERR_FILENO), request.mode),
            b"output" => {
                let mut stream = Stream::new(Backend::Output, false, true);
                stream.seekable = false;
                stream.mode = b"wb".to_vec();
                stream
            }
            b"input" => {
                let mut stream = Stream::new(
                    Backend::memory(vm.extensions.state::<RequestBody>().0.clone()),
                    true,
                    false,
                );
                (stream.kind, stream.mode) = ("Input", b"rb".to_vec());
                stream
            }
            b"memory" => memory_stream("MEMORY", request.mode),
            // Whatever stands behind `temp`.
            _ if rest.starts_with(b"temp") => {
                if let Some(limit) = rest.strip_prefix(b"temp/maxmemory:")
                    && limit.first() == Some(&b'-')
                {
                    let message = "Max memory must be greater than or equal to 0";
                    return Err(vm.throw_error(KnownClass::ValueError, message));
                }
                memory_stream("TEMP", request.mode)
            }
            _ => {
                vm.function_warning("Invalid php:// URL specified");
                vm.check()?;
                return Ok(Err(OPERATION_FAILED.into()));
            }
        };
        stream.uri = name.to_vec();
        Ok(Ok(stream))
    }
}

/// `php://memory` and `php://temp`: read-only unless the mode says otherwise.
pub(crate) fn memory_stream(kind: &'static str, mode: &[u8]) -> Stream {
    let appends = mode.contains(&b'a');
    let writes = appends || mode.contains(&b'w') || mode.contains(&b'+');
    let mut stream = Stream::new(Backend::memory(Vec::new()), true, writes);
    (stream.kind, stream.append) = (kind, appends);
    stream.mode = match (appends, writes) {
        (true, _) => b"a+b".to_vec(),
        (_, true) => b"w+b".to_vec(),
        _ => b"rb".to_vec(),
    };
    stream
}

/// A stream of the standard descriptors or of another one, with the mode it was opened with.
fn with_mode(mut stream: Stream, mode: &[u8]) -> Stream {
    let plus = mode.contains(&b'+');
    stream.readable = plus || mode.first() == Some(&b'r');
    stream.writable = plus || mode.first() != Some(&b'r');
    stream.mode = mode.to_vec();
    stream
}

/// A stream of a descriptor of the process.
pub(crate) fn standard_stream(descriptor: i32) -> Stream {
    // SAFETY: the descriptor belongs to the process; it is never closed by this handle.
    let file = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) });
    let input = descriptor == libc::STDIN_FILENO;
    // SAFETY: asks where the descriptor stands; one that is not open gives an error.
    let seekable = unsafe { libc::lseek(descriptor, 0, libc::SEEK_CUR) } >= 0;
    let mut stream = Stream::new(Backend::Standard(file), input, !input);
    stream.seekable = seekable;
    stream
}

/// Defines the constants of the standard streams.
pub(crate) fn define_standard_streams(vm: &mut Vm) {
    for (id, name, descriptor, uri, mode) in [
        (1, "STDIN", libc::STDIN_FILENO, "php://stdin", "rb"),
        (2, "STDOUT", libc::STDOUT_FILENO, "php://stdout", "wb"),
        (3, "STDERR", libc::STDERR_FILENO, "php://stderr", "wb"),
    ] {
        let mut stream = standard_stream(descriptor);
        (stream.uri, stream.mode) = (uri.into(), mode.into());
        let value = allocate(vm, id, "stream", Box::new(stream));
        crate::support::define_one(vm, name, value);
    }
}

/// `php://fd/N`: a duplicate of a descriptor of the process.
fn open_descriptor(number: &[u8]) -> Result<Stream, String> {
    let number: Option<i32> = std::str::from_utf8(number)
        .ok()
        .and_then(|number| number.parse().ok());
    let Some(number) = number else {
        return Err("php://fd/ stream must be specified in the form php://fd/<orig fd>".into());
    };
    // SAFETY: limits of the process are read.
    let largest = unsafe { libc::getdtablesize() };
    if number < 0 || number >= largest {
        return Err(format!(
            "The file descriptors must be non-negative numbers smaller than {largest}"
        ));
    }
    // SAFETY: any number may be passed: one that is not open gives an error.
    let copy = unsafe { libc::dup(number) };
    if copy < 0 {
        let error = std::io::Error::last_os_error();
        return Err(format!(
            "Error duping file descriptor {number}; possibly it doesn't exist: [{}]: {}",
            error.raw_os_error().unwrap_or(0),
            vm_runtime::interpreter::include::os_error_text(&error)
        ));
    }
    // SAFETY: the descriptor is new and ours.
    let file = File::from(unsafe { OwnedFd::from_raw_fd(copy) });
    let is_regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
    let mut stream = Stream::new(Backend::File(file), true, true);
    stream.seekable = is_regular;
    Ok(stream)
}

/// `php://filter/...`: another stream, with filters added.
fn open_filtered(vm: &mut Vm, request: &Request<'_>) -> PhpResult<Opened> {
    let Some((names, resource)) = find_names(&request.name[b"php://filter".len()..]) else {
        return Err(vm.throw_error(KnownClass::Error, "No URL resource specified"));
    };
    let inner = Request {
        name: resource,
        ..*request
    };
    let Ok(mut stream) = attempt(vm, &inner)? else {
        return Ok(Err(OPERATION_FAILED.into()));
    };
    add_from_url(vm, &mut stream, names, request.mode)?;
    stream.wrapper = "PHP";
    stream.uri = request.name.to_vec();
    Ok(Ok(stream))
}
