//! Whole strings: `gzcompress()` and its relatives.

use libz_sys as z;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::codec::{Deflater, Inflater, Parameters, Status, status_text};
use super::{DEFLATE, FORMATS, GZIP, RAW};
use crate::support::{functions, text};

functions! {
    "zlib_encode(string $data, int $encoding, int $level = -1): string|false" => zlib_encode,
    "zlib_decode(string $data, int $max_length = 0): string|false" => zlib_decode,
    "gzdeflate(string $data, int $level = -1, int $encoding = ZLIB_ENCODING_RAW): string|false" => gzcompress,
    "gzencode(string $data, int $level = -1, int $encoding = ZLIB_ENCODING_GZIP): string|false" => gzcompress,
    "gzcompress(string $data, int $level = -1, int $encoding = ZLIB_ENCODING_DEFLATE): string|false" => gzcompress,
    "gzinflate(string $data, int $max_length = 0): string|false" => gzinflate,
    "gzdecode(string $data, int $max_length = 0): string|false" => gzdecode,
    "gzuncompress(string $data, int $max_length = 0): string|false" => gzuncompress,
}

/// Zlib's or gzip's format, whichever it is.
const EITHER: i64 = 47;

/// Compresses a string.
pub(super) fn compress(data: &[u8], format: i64, level: i64) -> Result<Vec<u8>, Status> {
    let parameters = Parameters {
        level,
        window: format,
        memory: 9,
        strategy: 0,
    };
    let mut deflater = Deflater::new(parameters).ok_or(z::Z_STREAM_ERROR)?;
    // PHP's guess: how level 0 cuts its blocks follows from it.
    let guess = (data.len() as f64 * 1.015) as usize + 10 + 8 + 4 + 1;
    let mut output = Vec::new();
    match deflater.run_from(data, &mut output, guess, z::Z_FINISH) {
        z::Z_STREAM_END => Ok(output),
        status => Err(status),
    }
}

fn encode(call: &mut Call<'_>, level_at: usize, format_at: usize) -> PhpResult<Value> {
    let (level, format) = (call.long(level_at), call.long(format_at));
    if !(-1..=9).contains(&level) {
        return Err(call.value_error(level_at, "must be between -1 and 9"));
    }
    if !matches!(format, RAW | GZIP | DEFLATE) {
        return Err(call.value_error(format_at, FORMATS));
    }
    match compress(call.bytes(0), format, level) {
        Ok(output) => text(call.vm, output),
        Err(status) => failed(call, status),
    }
}

fn failed(call: &mut Call<'_>, status: Status) -> PhpResult<Value> {
    call.vm.function_warning(status_text(status));
    call.vm.check()?;
    Ok(false.into())
}

fn zlib_encode(call: &mut Call<'_>) -> PhpResult<Value> {
    encode(call, 2, 1)
}

fn gzcompress(call: &mut Call<'_>) -> PhpResult<Value> {
    encode(call, 1, 2)
}

/// Decompresses a string into at most `most` bytes, 0 for any number.
fn decompress(data: &[u8], format: i64, most: usize) -> Result<Vec<u8>, Status> {
    let mut inflater = Inflater::new(format).ok_or(z::Z_STREAM_ERROR)?;
    let mut output = Vec::new();
    let mut left = data;
    let mut room = match most {
        0 => data.len(),
        most => data.len().min(most),
    };
    loop {
        limits::poll();
        let before = output.len();
        if most > 0 && most <= before {
            return Err(z::Z_MEM_ERROR);
        }
        let (taken, status) = inflater.step(left, &mut output, room, z::Z_NO_FLUSH);
        left = &left[taken..];
        let is_full = output.len() - before == room;
        match status {
            z::Z_STREAM_END => return Ok(output),
            z::Z_OK if !left.is_empty() || is_full => {}
            z::Z_OK | z::Z_BUF_ERROR => return Err(z::Z_DATA_ERROR),
            status => return Err(status),
        }
        // With a limit, room grows as PHP's does: it decides how far beyond it one gets.
        room = match most {
            0 => (output.len() / 8).clamp(8192, 16 << 20),
            _ => output.len() / 8 + 1,
        };
    }
}

fn decode(call: &mut Call<'_>, format: i64) -> PhpResult<Value> {
    let most = call.long(1);
    if most < 0 {
        return Err(call.value_error(1, "must be greater than or equal to 0"));
    }
    let (data, most) = (call.bytes(0), most as usize);
    if data.is_empty() {
        return failed(call, z::Z_DATA_ERROR);
    }
    let mut outcome = decompress(data, format, most);
    if format == EITHER && outcome == Err(z::Z_DATA_ERROR) {
        outcome = decompress(data, RAW, most);
    }
    match outcome {
        Ok(output) => text(call.vm, output),
        Err(status) => failed(call, status),
    }
}

fn zlib_decode(call: &mut Call<'_>) -> PhpResult<Value> {
    decode(call, EITHER)
}

fn gzinflate(call: &mut Call<'_>) -> PhpResult<Value> {
    decode(call, RAW)
}

fn gzdecode(call: &mut Call<'_>) -> PhpResult<Value> {
    decode(call, GZIP)
}

fn gzuncompress(call: &mut Call<'_>) -> PhpResult<Value> {
    decode(call, DEFLATE)
}

/// Compressed data without a header becomes what it was, if that is no more than `most` bytes.
#[cfg(feature = "phar")]
pub(crate) fn inflate(data: &[u8], most: usize) -> Option<Vec<u8>> {
    // Room for one byte more than there may be, by which too many are noticed.
    let output = decompress(data, RAW, most.checked_add(1)?).ok()?;
    (output.len() <= most).then_some(output)
}

/// Data compressed without a header.
#[cfg(feature = "phar")]
pub(crate) fn deflate(data: &[u8]) -> Vec<u8> {
    compress(data, RAW, -1).unwrap_or_default()
}

/// What is in a file compressed by gzip.
#[cfg(feature = "phar")]
pub(crate) fn gunzip(data: &[u8]) -> Option<Vec<u8>> {
    decompress(data, GZIP, 0).ok()
}

/// A file compressed by gzip.
#[cfg(feature = "phar")]
pub(crate) fn gzip(data: &[u8]) -> Vec<u8> {
    compress(data, GZIP, -1).unwrap_or_default()
}
