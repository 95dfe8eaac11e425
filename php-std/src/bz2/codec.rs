//! bzip2's streams: compression and decompression in steps.

use bzip2::{Action, Compress, Compression, Decompress, Error, Status};
use vm_runtime::limits;

use crate::support::apart;

/// bzip2's numbers for what a step came to.
pub(crate) mod status {
    pub(crate) const OK: i64 = 0;
    pub(crate) const STREAM_END: i64 = 4;
    pub(crate) const SEQUENCE: i64 = -1;
    pub(crate) const PARAMETER: i64 = -2;
    pub(crate) const MEMORY: i64 = -3;
    pub(crate) const DATA: i64 = -4;
    pub(crate) const MAGIC: i64 = -5;
    pub(crate) const IO: i64 = -6;
    pub(crate) const UNEXPECTED_END: i64 = -7;
}

/// Output is made in pieces of this size.
pub(crate) const PIECE: usize = 8192;
/// Bytes that compression takes for each 100,000 of a block, and decompression at most.
const MEMORY_OF_BLOCK: usize = 900_000;
const MEMORY_OF_DECOMPRESSION: usize = 4 << 20;

/// What compression is like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameters {
    /// Hundred thousands of bytes in a block.
    pub(crate) blocks: u32,
    /// When to take the slow way of sorting, 0 for bzip2's own choice.
    pub(crate) work: u32,
}

impl Parameters {
    /// None if they are out of bounds.
    pub(crate) fn checked(blocks: i64, work: i64) -> Option<Parameters> {
        let are_good = (1..=9).contains(&blocks) && (0..=250).contains(&work);
        are_good.then_some(Parameters {
            blocks: blocks as u32,
            work: work as u32,
        })
    }
}

/// Bytes of input behind which a step may take long: blocks are sorted as a whole.
const LONG: usize = 100_000;

/// Compression.
pub(crate) struct Compressor {
    /// None once limits have ended the script in the middle of a step.
    stream: Option<Compress>,
    /// Bytes that were taken since something came out.
    waiting: usize,
}

impl std::fmt::Debug for Compressor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Compressor")
    }
}

impl Compressor {
    pub(crate) fn new(parameters: Parameters) -> Compressor {
        limits::reserve(parameters.blocks as usize * MEMORY_OF_BLOCK);
        let stream = Compress::new(Compression::new(parameters.blocks), parameters.work);
        Compressor {
            stream: Some(stream),
            waiting: 0,
        }
    }

    /// One whose blocks are as large as a level from 1 to 9 says.
    #[cfg(feature = "zip")]
    pub(crate) fn of_level(level: u32) -> Compressor {
        let blocks = level.clamp(1, 9);
        Compressor::new(Parameters { blocks, work: 0 })
    }

    /// Compresses all of the input; what becomes of it may come out later.
    pub(crate) fn run(&mut self, mut input: &[u8], output: &mut Vec<u8>) {
        while !input.is_empty() {
            let piece = &input[..input.len().min(1 << 20)];
            let before = self.taken();
            let status = self.step(piece, output, Action::Run);
            if self.stream.is_none() {
                return;
            }
            input = &input[(self.taken() - before) as usize..];
            debug_assert_eq!(status, Ok(Status::RunOk));
        }
    }

    /// What was taken so far comes out, as a block of its own.
    pub(crate) fn flush(&mut self, output: &mut Vec<u8>) {
        while self.step(b"", output, Action::Flush) == Ok(Status::FlushOk) {}
    }

    /// Nothing follows: everything comes out.
    pub(crate) fn finish(&mut self, output: &mut Vec<u8>) {
        while self.step(b"", output, Action::Finish) == Ok(Status::FinishOk) {}
    }

    /// Bytes of input that were taken so far.
    fn taken(&self) -> u64 {
        self.stream.as_ref().map_or(0, Compress::total_in)
    }

    fn step(
        &mut self,
        input: &[u8],
        output: &mut Vec<u8>,
        action: Action,
    ) -> Result<Status, Error> {
        limits::poll();
        let Some(mut stream) = self.stream.take() else {
            return Err(Error::Sequence);
        };
        self.waiting += input.len();
        // There is always room, without which bzip2 would not go on.
        let (status, stream, made) = if self.waiting < LONG {
            output.reserve(PIECE);
            let before = output.len();
            let status = stream.compress_vec(input, output, action);
            (status, stream, output.len() - before)
        } else {
            let input = input.to_vec();
            let (status, stream, piece) = apart(move || {
                let mut piece = Vec::with_capacity(PIECE);
                let status = stream.compress_vec(&input, &mut piece, action);
                (status, stream, piece)
            });
            output.extend_from_slice(&piece);
            (status, stream, piece.len())
        };
        if made > 0 {
            self.waiting = 0;
        }
        self.stream = Some(stream);
        status
    }
}

/// Compresses a string.
pub(crate) fn compress(data: &[u8], parameters: Parameters) -> Vec<u8> {
    let mut output = Vec::new();
    let mut compressor = Compressor::new(parameters);
    compressor.run(data, &mut output);
    compressor.finish(&mut output);
    output
}

/// Decompression.
pub(crate) struct Decompressor(Decompress);

impl std::fmt::Debug for Decompressor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Decompressor")
    }
}

impl Decompressor {
    /// One that takes its time and little memory, or neither.
    pub(crate) fn new(is_small: bool) -> Decompressor {
        limits::reserve(MEMORY_OF_DECOMPRESSION);
        Decompressor(Decompress::new(is_small))
    }

    /// One step into at most `room` bytes, of which there is one; gives the bytes taken and the
    /// status.
    pub(crate) fn step(&mut self, input: &[u8], output: &mut Vec<u8>, room: usize) -> (usize, i64) {
        let (taken_before, made_before) = (self.0.total_in(), self.0.total_out());
        let start = output.len();
        limits::reserve(room);
        output.resize(start + room, 0);
        let outcome = self.0.decompress(input, &mut output[start..]);
        output.truncate(start + (self.0.total_out() - made_before) as usize);
        let status = match outcome {
            Ok(Status::StreamEnd) => status::STREAM_END,
            Ok(Status::MemNeeded) => status::MEMORY,
            Ok(_) => status::OK,
            Err(Error::Sequence) => status::SEQUENCE,
            Err(Error::Data) => status::DATA,
            Err(Error::DataMagic) => status::MAGIC,
            Err(Error::Param) => status::PARAMETER,
        };
        ((self.0.total_in() - taken_before) as usize, status)
    }
}
