//! Compressed files: `bzopen()`, and the names `compress.bzip2://...`.

use std::fs::File;
use std::io::{self, Read, Write};

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators::value_name;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::codec::{Compressor, Decompressor, PIECE, Parameters, status};
use crate::standard::files::{
    Backend, Channel, OPERATION_FAILED, Opened, Request, Stream, Wrapper, close_file, flush_file,
    stream, stream_value, try_open, write_string,
};
use crate::support::{current_function, functions, set_named, text};

functions! {
    "bzopen($file, string $mode)" => bzopen,
    "bzread(resource $bz, int $length = 1024): string|false" => bzread,
    "bzwrite(resource $bz, string $data, ?int $length = null): int|false" => write_string,
    "bzflush(resource $bz): bool" => flush_file,
    "bzclose(resource $bz): bool" => close_file,
    "bzerrno(resource $bz): int" => bzerrno,
    "bzerrstr(resource $bz): string" => bzerrstr,
    "bzerror(resource $bz): array" => bzerror,
}

const SCHEME: &[u8] = b"compress.bzip2://";
/// What files are compressed with unless their mode has a digit.
const BLOCKS: u32 = 9;

/// bzip2's name for a number of [`status`].
fn status_name(number: i64) -> &'static str {
    match number {
        status::SEQUENCE => "SEQUENCE_ERROR",
        status::PARAMETER => "PARAM_ERROR",
        status::MEMORY => "MEM_ERROR",
        status::DATA => "DATA_ERROR",
        status::MAGIC => "DATA_ERROR_MAGIC",
        status::IO => "IO_ERROR",
        status::UNEXPECTED_END => "UNEXPECTED_EOF",
        _ => "OK",
    }
}

/// What is behind a compressed file: a file of the system, or the contents of a name like `data:`.
#[derive(Debug)]
enum Source {
    File(File),
    Memory(io::Cursor<Vec<u8>>),
}

impl Source {
    /// The file behind a stream that was opened for this.
    fn of(stream: &mut Stream) -> Option<Source> {
        match std::mem::replace(&mut stream.backend, Backend::Output) {
            Backend::File(file) => Some(Source::File(file)),
            Backend::Memory { data, .. } if stream.wrapper == "RFC2397" => {
                Some(Source::Memory(io::Cursor::new(data)))
            }
            other => {
                stream.backend = other;
                None
            }
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::File(file) => file.read(buffer),
            Source::Memory(memory) => memory.read(buffer),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Source::File(file) => file.write_all(bytes),
            Source::Memory(_) => Err(io::Error::from_raw_os_error(libc::EBADF)),
        }
    }
}

#[derive(Debug)]
enum Direction {
    Reading {
        decompressor: Decompressor,
        /// Bytes of the file that were not used yet.
        input: Vec<u8>,
        at: usize,
        at_end: bool,
    },
    Writing(Compressor),
}

/// A compressed file.
#[derive(Debug)]
struct BzFile {
    source: Source,
    direction: Direction,
    /// What happened last, as bzip2 numbers it.
    last: i64,
}

impl BzFile {
    /// As bzip2 reads modes: the last of r and w counts, and a digit is the size of blocks.
    fn open(source: Source, mode: &[u8]) -> BzFile {
        let (mut writes, mut is_small, mut blocks) = (false, false, BLOCKS);
        for &letter in mode {
            match letter {
                b'r' => writes = false,
                b'w' => writes = true,
                b's' => is_small = true,
                b'1'..=b'9' => blocks = u32::from(letter - b'0'),
                _ => {}
            }
        }
        let direction = match writes {
            true => Direction::Writing(Compressor::new(Parameters { blocks, work: 30 })),
            false => Direction::Reading {
                decompressor: Decompressor::new(is_small),
                input: Vec::new(),
                at: 0,
                at_end: false,
            },
        };
        BzFile {
            source,
            direction,
            last: status::OK,
        }
    }

    /// Notes what went wrong.
    fn failed<T>(&mut self, number: i64) -> io::Result<T> {
        self.last = number;
        Err(io::Error::other(status_name(number)))
    }

    fn decompress(&mut self, buffer: &mut Vec<u8>, most: usize) -> io::Result<bool> {
        if self.last == status::STREAM_END {
            return Ok(true);
        }
        let start = buffer.len();
        loop {
            vm_runtime::limits::poll();
            let Direction::Reading {
                decompressor,
                input,
                at,
                at_end,
            } = &mut self.direction
            else {
                return self.failed(status::SEQUENCE);
            };
            if *at == input.len() && !*at_end {
                input.resize(PIECE, 0);
                let Ok(read) = self.source.read(input) else {
                    input.clear();
                    *at = 0;
                    return self.failed(status::IO);
                };
                input.truncate(read);
                (*at, *at_end) = (0, read == 0);
            }
            let room = most - (buffer.len() - start);
            let (taken, status) = decompressor.step(&input[*at..], buffer, room);
            *at += taken;
            let missing = most - (buffer.len() - start);
            match status {
                status::OK if missing == 0 => {
                    self.last = status::OK;
                    return Ok(false);
                }
                status::OK if *at_end && *at == input.len() => {
                    // What there was is lost.
                    buffer.truncate(start);
                    return self.failed(status::UNEXPECTED_END);
                }
                status::OK => {}
                status::STREAM_END => {
                    self.last = status;
                    return Ok(true);
                }
                status => {
                    buffer.truncate(start);
                    return self.failed(status);
                }
            }
        }
    }
}

impl Channel for BzFile {
    fn read(&mut self, buffer: &mut Vec<u8>, most: usize) -> io::Result<bool> {
        self.decompress(buffer, most)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Direction::Writing(compressor) = &mut self.direction else {
            return self.failed(status::SEQUENCE);
        };
        let mut output = Vec::new();
        compressor.run(bytes, &mut output);
        if self.source.write(&output).is_err() {
            return self.failed(status::IO);
        }
        self.last = status::OK;
        Ok(bytes.len())
    }

    fn close(&mut self) {
        // After an error the file is left as it is. Nobody is told if writing fails.
        if let Direction::Writing(compressor) = &mut self.direction
            && self.last == status::OK
        {
            let mut output = Vec::new();
            compressor.finish(&mut output);
            let _ = self.source.write(&output);
        }
    }

    fn last_error(&self) -> Option<i64> {
        Some(self.last.min(status::OK))
    }
}

/// A stream of a compressed file.
fn compressed(source: Source, mode: &[u8]) -> Stream {
    let file = BzFile::open(source, mode);
    let mut stream = Stream::new(Backend::Channel(Box::new(file)), true, true);
    (stream.kind, stream.wrapper) = ("BZip2", "");
    stream.mode = mode.to_vec();
    stream.seekable = false;
    stream
}

/// Opens a compressed file. `Err` holds why its file cannot be opened, or nothing if that was said.
fn open_compressed(vm: &mut Vm, request: &Request<'_>, quiet: bool) -> PhpResult<Opened> {
    let mode = match request.mode.contains(&b'w') {
        true => b"wb",
        false => b"rb",
    };
    let mut inner = match try_open(vm, &Request { mode, ..*request })? {
        Ok(inner) => inner,
        Err(reason) => return Ok(Err(reason)),
    };
    let Some(source) = Source::of(&mut inner) else {
        if !quiet {
            let kind = inner.kind;
            vm.function_warning(format!(
                "Cannot represent a stream of type {kind} as a File Descriptor"
            ));
            vm.check()?;
        }
        return Ok(Err(String::new()));
    };
    Ok(Ok(compressed(source, request.mode)))
}

/// `compress.bzip2://`
#[derive(Debug)]
pub(crate) struct Bzip2Wrapper;

impl Wrapper for Bzip2Wrapper {
    fn label(&self) -> &'static str {
        "BZip2"
    }

    fn open(&self, vm: &mut Vm, request: &Request<'_>) -> PhpResult<Opened> {
        let inner = Request {
            name: &request.name[SCHEME.len()..],
            ..*request
        };
        Ok(match open_compressed(vm, &inner, true)? {
            Ok(mut stream) => {
                stream.wrapper = "BZip2";
                stream.uri = request.name.to_vec();
                Ok(stream)
            }
            Err(_) => Err(OPERATION_FAILED.into()),
        })
    }
}

fn bzopen(call: &mut Call<'_>) -> PhpResult<Value> {
    let mode = call.bytes(1);
    if !matches!(mode, b"r" | b"w") {
        return Err(call.value_error(1, "must be either \"r\" or \"w\""));
    }
    let file = call.value(0);
    let opened = match file.view() {
        ValueKind::String(name) => open_name(call, name, mode)?,
        ValueKind::Resource(_) => open_stream(call, mode)?,
        _ => {
            let given = value_name(&file);
            let message = format!(
                "bzopen(): Argument #1 ($file) must be of type string or file-resource, {given} given"
            );
            return Err(call.vm.throw_error(KnownClass::TypeError, message));
        }
    };
    Ok(match opened {
        Some(opened) => stream_value(call.vm, opened),
        None => {
            call.vm.check()?;
            false.into()
        }
    })
}

/// Opens a file by its name, or warns why it cannot be opened.
fn open_name(call: &mut Call<'_>, name: &[u8], mode: &[u8]) -> PhpResult<Option<Stream>> {
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if memchr::memchr(0, name).is_some() {
        let message = "bzopen(): Argument #1 ($file) must not contain null bytes";
        return Err(call.vm.throw_error(KnownClass::TypeError, message));
    }
    let prefix = name.get(..SCHEME.len());
    let name = match prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(SCHEME)) {
        true => &name[SCHEME.len()..],
        false => name,
    };
    let function = current_function(call.vm);
    let request = Request {
        name,
        mode,
        options: 0,
        context: None,
        function: &function,
    };
    match open_compressed(call.vm, &request, false)? {
        Ok(opened) => Ok(Some(opened)),
        Err(reason) if reason.is_empty() => Ok(None),
        Err(reason) => {
            let shown = vm_runtime::message::text(name);
            let message = format!("bzopen({shown}): Failed to open stream: {reason}");
            call.vm.warning(message);
            Ok(None)
        }
    }
}

/// Takes the file that a stream has, if that was opened in the right mode.
fn open_stream(call: &mut Call<'_>, mode: &[u8]) -> PhpResult<Option<Stream>> {
    let target = stream(call, 0)?;
    let mut known = &target.mode[..];
    // The letter b means nothing.
    if let [first, b'b'] | [b'b', first] = known {
        known = std::slice::from_ref(first);
    }
    let problem = match known {
        [b'r' | b'w' | b'a' | b'x'] => match (known[0], mode) {
            (b'r', b"w") => Some("cannot write to a stream opened in read only mode".to_string()),
            (b'w' | b'a' | b'x', b"r") => {
                Some("Cannot read from a stream opened in write only mode".to_string())
            }
            _ => None,
        },
        _ => {
            let shown = vm_runtime::message::text(&target.mode);
            Some(format!("Cannot use stream opened in mode '{shown}'"))
        }
    };
    if let Some(problem) = problem {
        call.vm.function_warning(problem);
        return Ok(None);
    }
    let source = match (&target.backend, target.file().map(File::try_clone)) {
        (_, Some(Ok(file))) => Source::File(file),
        (Backend::Memory { data, position }, _) => {
            let mut contents = io::Cursor::new(data.clone());
            contents.set_position(*position as u64);
            Source::Memory(contents)
        }
        _ => {
            let kind = target.kind;
            call.vm.function_warning(format!(
                "Cannot represent a stream of type {kind} as a File Descriptor"
            ));
            return Ok(None);
        }
    };
    Ok(Some(compressed(source, mode)))
}

fn bzread(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = call.long(1);
    if length < 0 {
        return Err(call.value_error(1, "must be greater than or equal to 0"));
    }
    match stream(call, 0)?.read(length as usize) {
        Ok(bytes) => text(call.vm, bytes),
        Err(_) => Ok(false.into()),
    }
}

/// What happened last to the file in argument #1.
fn last_error(call: &mut Call<'_>) -> PhpResult<i64> {
    let target = stream(call, 0)?;
    let number = match (&target.backend, target.kind) {
        (Backend::Channel(channel), "BZip2") => channel.last_error(),
        _ => None,
    };
    match number {
        Some(number) => Ok(number),
        None => {
            let name = call.function().display_name();
            let message = format!("{name}(): Argument #1 ($bz) must be a bz2 stream");
            Err(call.vm.throw_error(KnownClass::TypeError, message))
        }
    }
}

fn bzerrno(call: &mut Call<'_>) -> PhpResult<Value> {
    last_error(call).map(Value::from)
}

fn bzerrstr(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = last_error(call)?;
    text(call.vm, status_name(number))
}

fn bzerror(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = last_error(call)?;
    let name = text(call.vm, status_name(number))?;
    let mut answer = crate::support::new_list(call.vm, 0);
    let array = answer.make_mut(call.vm);
    set_named(call.vm, array, "errno", number.into());
    set_named(call.vm, array, "errstr", name);
    Ok(answer.into())
}
