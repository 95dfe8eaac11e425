//! zlib's streams: compression and decompression in steps.

use std::ffi::{c_int, c_uint, c_void};
use std::mem::MaybeUninit;

use libz_sys as z;
use vm_runtime::limits;

use crate::support::counted;

/// What a step came to: one of zlib's numbers.
pub(crate) type Status = c_int;

/// How much of the input a step must bring out: one of zlib's numbers.
pub(crate) type Flush = c_int;

/// Output is made in pieces of this size where nothing is known of it.
const PIECE: usize = 8192;

/// zlib's text for a status.
pub(crate) fn status_text(status: Status) -> &'static str {
    match status {
        z::Z_NEED_DICT => "need dictionary",
        z::Z_STREAM_END => "stream end",
        z::Z_ERRNO => "file error",
        z::Z_STREAM_ERROR => "stream error",
        z::Z_DATA_ERROR => "data error",
        z::Z_MEM_ERROR => "insufficient memory",
        z::Z_BUF_ERROR => "buffer error",
        z::Z_VERSION_ERROR => "incompatible version",
        _ => "",
    }
}

/// Memory for zlib, from the allocator that counts.
extern "C" fn allocate(_: *mut c_void, count: c_uint, size: c_uint) -> *mut c_void {
    counted::allocate_zeroed(count as usize, size as usize)
}

unsafe extern "C" fn free(_: *mut c_void, memory: *mut c_void) {
    // SAFETY: zlib gives back what it got from us.
    unsafe { counted::free(memory) };
}

/// A stream of zlib.
struct Raw {
    stream: Box<z::z_stream>,
}

impl std::fmt::Debug for Raw {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("z_stream")
    }
}

impl Raw {
    fn new() -> Raw {
        let mut stream: Box<MaybeUninit<z::z_stream>> = Box::new(MaybeUninit::zeroed());
        // SAFETY: every field may be zero but the two functions, which are set before the
        // structure is taken for initialised.
        let stream = unsafe {
            let fields = stream.as_mut_ptr();
            (&raw mut (*fields).zalloc).write(allocate);
            (&raw mut (*fields).zfree).write(free);
            stream.assume_init()
        };
        Raw { stream }
    }

    /// Runs `step` on some input and a vector's room; gives the bytes taken and the status. At most
    /// `room` bytes are put out.
    fn step(
        &mut self,
        input: &[u8],
        output: &mut Vec<u8>,
        room: usize,
        step: impl FnOnce(*mut z::z_stream) -> Status,
    ) -> (usize, Status) {
        let room = room.min(1 << 30);
        let available = input.len().min(1 << 30);
        limits::reserve(room);
        output.reserve(room);
        self.stream.next_in = input.as_ptr().cast_mut();
        self.stream.avail_in = available as c_uint;
        self.stream.next_out = output.spare_capacity_mut().as_mut_ptr().cast();
        self.stream.avail_out = room as c_uint;
        let status = step(&mut *self.stream);
        let made = room - self.stream.avail_out as usize;
        let taken = available - self.stream.avail_in as usize;
        // SAFETY: zlib wrote this many bytes into the room.
        unsafe { output.set_len(output.len() + made) };
        (taken, status)
    }
}

/// What compression is like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameters {
    pub(crate) level: i64,
    /// Logarithm of the window, and the format: negative is raw, with 16 added gzip.
    pub(crate) window: i64,
    pub(crate) memory: i64,
    pub(crate) strategy: i64,
}

/// Compression.
#[derive(Debug)]
pub(crate) struct Deflater(Raw);

impl Deflater {
    /// None if zlib refuses the parameters.
    pub(crate) fn new(parameters: Parameters) -> Option<Deflater> {
        let mut raw = Raw::new();
        // SAFETY: the stream is initialised as zlib asks for, and stays where it is.
        let status = unsafe {
            z::deflateInit2_(
                &mut *raw.stream,
                parameters.level as c_int,
                z::Z_DEFLATED,
                parameters.window as c_int,
                parameters.memory as c_int,
                parameters.strategy as c_int,
                z::zlibVersion(),
                size_of::<z::z_stream>() as c_int,
            )
        };
        (status == z::Z_OK).then_some(Deflater(raw))
    }

    /// Sets what the data is known to repeat.
    pub(crate) fn set_dictionary(&mut self, dictionary: &[u8]) -> bool {
        // SAFETY: the stream is initialised; the bytes live during the call.
        let status = unsafe {
            z::deflateSetDictionary(
                &mut *self.0.stream,
                dictionary.as_ptr(),
                dictionary.len() as c_uint,
            )
        };
        status == z::Z_OK
    }

    /// One step into at most `room` bytes.
    pub(crate) fn step(
        &mut self,
        input: &[u8],
        output: &mut Vec<u8>,
        room: usize,
        flush: Flush,
    ) -> (usize, Status) {
        self.0.step(input, output, room, |stream| {
            // SAFETY: the stream is initialised, and input and room are as long as it says.
            unsafe { z::deflate(stream, flush) }
        })
    }

    /// Compresses all of the input.
    pub(crate) fn run(&mut self, input: &[u8], output: &mut Vec<u8>, flush: Flush) -> Status {
        self.run_from(input, output, PIECE, flush)
    }

    /// As [`Deflater::run`], with room for the first step.
    pub(crate) fn run_from(
        &mut self,
        mut input: &[u8],
        output: &mut Vec<u8>,
        mut room: usize,
        flush: Flush,
    ) -> Status {
        loop {
            limits::poll();
            let before = output.len();
            let (taken, status) = self.step(input, output, room, flush);
            input = &input[taken..];
            let is_full = output.len() - before == room;
            if status != z::Z_OK || !is_full && input.is_empty() {
                return status;
            }
            room = PIECE;
        }
    }

    /// Makes it as it was when it was new.
    pub(crate) fn reset(&mut self) {
        // SAFETY: the stream is initialised.
        unsafe { z::deflateReset(&mut *self.0.stream) };
    }
}

impl Drop for Deflater {
    fn drop(&mut self) {
        // SAFETY: initialised by `new`, ended once.
        unsafe { z::deflateEnd(&mut *self.0.stream) };
    }
}

/// Decompression.
#[derive(Debug)]
pub(crate) struct Inflater(Raw);

impl Inflater {
    /// None if zlib refuses the window, which is as in [`Parameters::window`]; with 32 added
    /// it takes zlib's and gzip's format.
    pub(crate) fn new(window: i64) -> Option<Inflater> {
        let mut raw = Raw::new();
        // SAFETY: as for `Deflater::new`.
        let status = unsafe {
            z::inflateInit2_(
                &mut *raw.stream,
                window as c_int,
                z::zlibVersion(),
                size_of::<z::z_stream>() as c_int,
            )
        };
        (status == z::Z_OK).then_some(Inflater(raw))
    }

    /// Sets what the data was known to repeat.
    pub(crate) fn set_dictionary(&mut self, dictionary: &[u8]) -> Status {
        // SAFETY: as for `Deflater::set_dictionary`.
        unsafe {
            z::inflateSetDictionary(
                &mut *self.0.stream,
                dictionary.as_ptr(),
                dictionary.len() as c_uint,
            )
        }
    }

    /// One step into at most `room` bytes.
    pub(crate) fn step(
        &mut self,
        input: &[u8],
        output: &mut Vec<u8>,
        room: usize,
        flush: Flush,
    ) -> (usize, Status) {
        self.0.step(input, output, room, |stream| {
            // SAFETY: the stream is initialised, and input and room are as long as it says.
            unsafe { z::inflate(stream, flush) }
        })
    }

    /// Makes it as it was when it was new.
    pub(crate) fn reset(&mut self) {
        // SAFETY: the stream is initialised.
        unsafe { z::inflateReset(&mut *self.0.stream) };
    }
}

impl Drop for Inflater {
    fn drop(&mut self) {
        // SAFETY: initialised by `new`, ended once.
        unsafe { z::inflateEnd(&mut *self.0.stream) };
    }
}
