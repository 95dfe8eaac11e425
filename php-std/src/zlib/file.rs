//! Compressed files: `gzopen()`, and the names `compress.zlib://...`.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use libz_sys as z;
use vm_runtime::function::Call;
use vm_runtime::operators::to_long;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::codec::{Deflater, Inflater, Parameters};
use crate::standard::files::{
    Backend, Channel, OPERATION_FAILED, Opened, Request, Stream, Wrapper, close_file,
    context_option, end_of_file, flags as options, pass_through, read_bytes, read_character,
    read_line, rewind, seek, stream_value, tell, try_open, without_credentials, write_string,
};
use crate::support::{Append, current_function, functions, new_list};

functions! {
    "gzfile(path $filename, int $use_include_path = 0): array|false" => gzfile,
    "gzopen(path $filename, string $mode, int $use_include_path = 0)" => gzopen,
    "readgzfile(path $filename, int $use_include_path = 0): int|false" => readgzfile,
    "gzwrite(resource $stream, string $data, ?int $length = null): int|false" => write_string,
    "gzputs(resource $stream, string $data, ?int $length = null): int|false" => write_string,
    "gzrewind(resource $stream): bool" => rewind,
    "gzclose(resource $stream): bool" => close_file,
    "gzeof(resource $stream): bool" => end_of_file,
    "gzgetc(resource $stream): string|false" => read_character,
    "gzpassthru(resource $stream): int" => pass_through,
    "gzseek(resource $stream, int $offset, int $whence = SEEK_SET): int" => seek,
    "gztell(resource $stream): int|false" => tell,
    "gzread(resource $stream, int $length): string|false" => read_bytes,
    "gzgets(resource $stream, ?int $length = null): string|false" => read_line,
}

const SCHEME: &[u8] = b"compress.zlib://";
/// Bytes of the file read at once.
const PIECE: usize = 8192;
/// Bytes per line of `gzfile()`, and one.
const LINE: usize = 8192;

/// What is behind a compressed file: a file of the system, or what another wrapper gave.
#[derive(Debug)]
enum Source {
    File(File),
    Memory(io::Cursor<Vec<u8>>),
}

impl Source {
    fn of(stream: &mut Stream) -> Option<Source> {
        match std::mem::replace(&mut stream.backend, Backend::Output) {
            Backend::File(file) => Some(Source::File(file)),
            Backend::Memory { data, .. } => Some(Source::Memory(io::Cursor::new(data))),
            _ => None,
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Source::File(file) => file.write_all(bytes),
            Source::Memory(_) => Err(io::Error::from_raw_os_error(libc::EBADF)),
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::File(file) => file.read(buffer),
            Source::Memory(memory) => memory.read(buffer),
        }
    }

    fn rewind_to(&mut self, position: u64) -> io::Result<u64> {
        match self {
            Source::File(file) => file.seek(SeekFrom::Start(position)),
            Source::Memory(memory) => memory.seek(SeekFrom::Start(position)),
        }
    }
}

/// What a file that is read turned out to be.
#[derive(Debug)]
enum Contents {
    Unknown,
    Plain,
    Compressed(Inflater),
    /// What follows the compressed data is no such data.
    Over,
}

#[derive(Debug)]
enum Direction {
    Reading {
        contents: Contents,
        /// Bytes of the file that were not used yet.
        input: Vec<u8>,
        at: usize,
        at_end: bool,
        /// Decompressed bytes that nobody asked for yet.
        ahead: Vec<u8>,
    },
    Writing {
        deflater: Deflater,
        /// Something was written since the last flush.
        dirty: bool,
        /// Zeros that come before what is written next.
        skipped: u64,
    },
}

impl Direction {
    fn reading() -> Direction {
        Direction::Reading {
            contents: Contents::Unknown,
            input: Vec::new(),
            at: 0,
            at_end: false,
            ahead: Vec::new(),
        }
    }
}

/// A compressed file. One that is not is read as it is.
#[derive(Debug)]
struct GzFile {
    source: Source,
    direction: Direction,
    position: u64,
    /// The VM, which never moves and outlives its streams.
    vm: *mut Vm,
}

impl GzFile {
    fn open(vm: &mut Vm, source: Source, mode: &[u8], level: Option<i64>) -> Option<GzFile> {
        let mut parameters = Parameters {
            level: -1,
            window: 31,
            memory: 8,
            strategy: 0,
        };
        // As zlib reads modes: the last of r, w and a counts.
        let mut writes = None;
        for &letter in mode {
            match letter {
                b'r' => writes = Some(false),
                b'w' | b'a' | b'x' => writes = Some(true),
                b'0'..=b'9' => parameters.level = i64::from(letter - b'0'),
                b'f' => parameters.strategy = 1,
                b'h' => parameters.strategy = 2,
                b'R' => parameters.strategy = 3,
                b'F' => parameters.strategy = 4,
                _ => {}
            }
        }
        let direction = match writes? {
            false => Direction::reading(),
            true => Direction::Writing {
                deflater: Deflater::new(Parameters {
                    level: level.unwrap_or(parameters.level),
                    ..parameters
                })?,
                dirty: false,
                skipped: 0,
            },
        };
        Some(GzFile {
            source,
            direction,
            position: 0,
            vm,
        })
    }

    fn compress(&mut self, bytes: &[u8], flush: i32) -> io::Result<()> {
        let Direction::Writing { deflater, .. } = &mut self.direction else {
            return Err(io::Error::from_raw_os_error(libc::EBADF));
        };
        let mut output = Vec::new();
        for piece in bytes
            .chunks(1 << 20)
            .chain(bytes.is_empty().then_some(bytes))
        {
            deflater.run(piece, &mut output, flush);
            self.source.write(&output)?;
            output.clear();
        }
        Ok(())
    }

    /// Writes the zeros that were skipped.
    fn write_skipped(&mut self) -> io::Result<()> {
        let zeros = [0; PIECE];
        while let Direction::Writing { skipped, .. } = &mut self.direction
            && *skipped > 0
        {
            vm_runtime::limits::poll();
            let piece = (*skipped).min(PIECE as u64);
            *skipped -= piece;
            self.compress(&zeros[..piece as usize], z::Z_NO_FLUSH)?;
        }
        Ok(())
    }

    /// Appends up to `most` bytes to a buffer; true if the end was met.
    fn decompress(&mut self, buffer: &mut Vec<u8>, most: usize) -> io::Result<bool> {
        let Direction::Reading {
            contents,
            input,
            at,
            at_end,
            ahead,
        } = &mut self.direction
        else {
            return Err(io::Error::other("a file that is written"));
        };
        while ahead.len() < most {
            if *at == input.len() && !*at_end {
                input.resize(PIECE, 0);
                let read = self.source.read(input)?;
                input.truncate(read);
                (*at, *at_end) = (0, read == 0);
            }
            let rest = &input[*at..];
            match contents {
                Contents::Over => break,
                _ if rest.is_empty() => break,
                Contents::Unknown => {
                    *contents = match rest {
                        [0x1f, 0x8b, ..] => match Inflater::new(31) {
                            Some(inflater) => Contents::Compressed(inflater),
                            None => Contents::Over,
                        },
                        _ => Contents::Plain,
                    };
                }
                Contents::Plain => {
                    ahead.extend_from_slice(rest);
                    *at = input.len();
                }
                Contents::Compressed(inflater) => {
                    let (taken, status) = inflater.step(rest, ahead, PIECE, z::Z_NO_FLUSH);
                    *at += taken;
                    match status {
                        z::Z_OK | z::Z_BUF_ERROR => {}
                        z::Z_STREAM_END => {
                            let more = &input[*at..];
                            let another = more.is_empty() || more.starts_with(&[0x1f]);
                            match another {
                                true => inflater.reset(),
                                false => *contents = Contents::Over,
                            }
                        }
                        _ if ahead.is_empty() => {
                            *contents = Contents::Over;
                            return Err(io::Error::other("data error"));
                        }
                        _ => *contents = Contents::Over,
                    }
                }
            }
        }
        let given = most.min(ahead.len());
        buffer.extend(ahead.drain(..given));
        self.position += given as u64;
        Ok(given < most)
    }
}

impl Channel for GzFile {
    fn read(&mut self, buffer: &mut Vec<u8>, most: usize) -> io::Result<bool> {
        self.decompress(buffer, most)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Direction::Writing { dirty, .. } = &mut self.direction {
            *dirty = true;
        }
        self.write_skipped()?;
        self.compress(bytes, z::Z_NO_FLUSH)?;
        self.position += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn seek(&mut self, offset: i64, whence: i64) -> Option<u64> {
        if whence == 2 {
            // SAFETY: I1: the VM never moves, and outlives its streams.
            unsafe { (*self.vm).function_warning("SEEK_END is not supported") };
            return None;
        }
        let target = match whence {
            1 => self.position.checked_add_signed(offset)?,
            _ => u64::try_from(offset).ok()?,
        };
        if let Direction::Writing { skipped, .. } = &mut self.direction {
            // Zeros, written when something follows. Who changes his mind takes them back.
            self.position -= std::mem::take(skipped);
            *skipped = target.checked_sub(self.position)?;
            self.position = target;
            return Some(target);
        }
        if target < self.position {
            self.source.rewind_to(0).ok()?;
            self.direction = Direction::reading();
            self.position = 0;
        }
        let mut skipped = Vec::new();
        while self.position < target {
            vm_runtime::limits::poll();
            let piece = (target - self.position).min(PIECE as u64);
            skipped.clear();
            if self.decompress(&mut skipped, piece as usize).ok()? {
                // Beyond the end zlib believes what it is told.
                self.position = target;
            }
        }
        Some(target)
    }

    fn flush(&mut self) -> bool {
        let Direction::Writing { dirty, .. } = &mut self.direction else {
            return false;
        };
        *dirty = false;
        self.compress(b"", z::Z_SYNC_FLUSH).is_ok()
    }

    fn close(&mut self) {
        let Direction::Writing { dirty, .. } = self.direction else {
            return;
        };
        // PHP flushes what was written before it closes. Nobody is told if that fails.
        if dirty {
            let _ = self.compress(b"", z::Z_SYNC_FLUSH);
        }
        let _ = self.write_skipped();
        let _ = self.compress(b"", z::Z_FINISH);
    }
}

/// `compress.zlib://`
#[derive(Debug)]
pub(crate) struct ZlibWrapper;

impl Wrapper for ZlibWrapper {
    fn label(&self) -> &'static str {
        "ZLIB"
    }

    fn open(&self, vm: &mut Vm, request: &Request<'_>) -> PhpResult<Opened> {
        let inner = Request {
            name: &request.name[SCHEME.len()..],
            ..*request
        };
        Ok(match open_compressed(vm, &inner, true)? {
            Ok(mut stream) => {
                stream.wrapper = "ZLIB";
                stream.uri = request.name.to_vec();
                Ok(stream)
            }
            Err(_) => Err(OPERATION_FAILED.into()),
        })
    }
}

/// Opens a compressed file. `Err` holds why its file cannot be opened, or nothing if that was said.
fn open_compressed(
    vm: &mut Vm,
    request: &Request<'_>,
    quiet: bool,
) -> PhpResult<Result<Stream, String>> {
    if request.mode.contains(&b'+') {
        if !quiet {
            let message = "Cannot open a zlib stream for reading and writing at the same time!";
            vm.function_warning(message);
            vm.check()?;
        }
        return Ok(Err(String::new()));
    }
    let mut inner = match try_open(vm, request)? {
        Ok(inner) => inner,
        Err(reason) => return Ok(Err(reason)),
    };
    let level = match request.context {
        Some(context) => context_option(context, b"zlib", b"level"),
        None => None,
    };
    let level = level.map(|level| to_long(vm, &level));
    let source = Source::of(&mut inner);
    let Some(file) = source.and_then(|source| GzFile::open(vm, source, request.mode, level)) else {
        vm.function_warning("gzopen failed");
        vm.check()?;
        return Ok(Err(String::new()));
    };
    let mut stream = Stream::new(Backend::Channel(Box::new(file)), true, true);
    (stream.kind, stream.wrapper) = ("ZLIB", "");
    stream.mode = request.mode.to_vec();
    Ok(Ok(stream))
}

/// Opens the file in argument #1 for a function of this module, or warns why it cannot be opened.
fn open_argument(
    call: &mut Call<'_>,
    mode: &[u8],
    include_path_at: usize,
) -> PhpResult<Option<Stream>> {
    crate::standard::files::check_path(call, 0)?;
    let function = current_function(call.vm);
    let name = call.bytes(0);
    let prefix = name.get(..SCHEME.len());
    let name = match prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(SCHEME)) {
        true => &name[SCHEME.len()..],
        false => name,
    };
    let request = Request {
        name,
        mode,
        options: match call.long(include_path_at) {
            0 => 0,
            _ => options::USE_PATH,
        },
        context: None,
        function: &function,
    };
    match open_compressed(call.vm, &request, false)? {
        Ok(stream) => Ok(Some(stream)),
        Err(reason) if reason.is_empty() => Ok(None),
        Err(reason) => {
            let shown = without_credentials(name);
            let shown = vm_runtime::message::text(&shown);
            let message = format!("{function}({shown}): Failed to open stream: {reason}");
            call.vm.warning(message);
            call.vm.check()?;
            Ok(None)
        }
    }
}

fn gzopen(call: &mut Call<'_>) -> PhpResult<Value> {
    let mode = call.bytes(1);
    Ok(match open_argument(call, mode, 2)? {
        Some(stream) => stream_value(call.vm, stream),
        None => false.into(),
    })
}

fn gzfile(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(mut stream) = open_argument(call, b"rb", 1)? else {
        return Ok(false.into());
    };
    let mut lines = new_list(call.vm, 16);
    while let Ok(Some(line)) = stream.read_line(b'\n', LINE - 1) {
        // PHP takes lines for texts that end at NUL.
        let end = memchr::memchr(0, &line).unwrap_or(line.len());
        let line = call.vm.string(&line[..end]).into();
        lines.make_mut(call.vm).append(line);
    }
    Ok(lines.into())
}

fn readgzfile(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(mut stream) = open_argument(call, b"rb", 1)? else {
        return Ok(false.into());
    };
    let mut written = 0usize;
    while let Ok(Some(piece)) = stream.read_piece() {
        call.vm.write(&piece);
        written += piece.len();
    }
    Ok(written.into())
}
