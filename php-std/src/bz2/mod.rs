//! The extension `bz2`: strings, files and streams compressed by bzip2.

mod codec;
mod file;
mod filter;

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

pub(crate) use file::Bzip2Wrapper;
pub(crate) use filter::make as make_filter;

use crate::support::{functions, text};
use codec::Parameters;
pub(crate) use codec::{Compressor, Decompressor, status};

functions! {
    "bzcompress(string $data, int $block_size = 4, int $work_factor = 0): string|int" => bzcompress,
    "bzdecompress(string $data, bool $use_less_memory = false): string|int|false" => bzdecompress,
}

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(file::FUNCTIONS);
    vm.register_functions(FUNCTIONS);
}

fn bzcompress(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(parameters) = Parameters::checked(call.long(1), call.long(2)) else {
        return Ok(status::PARAMETER.into());
    };
    let output = codec::compress(call.bytes(0), parameters);
    text(call.vm, output)
}

/// What is cut off is no error: as much is given as there is.
fn bzdecompress(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut decompressor = Decompressor::new(call.bool(1));
    let mut output = Vec::new();
    let mut left = call.bytes(0);
    loop {
        vm_runtime::limits::poll();
        let before = output.len();
        let (taken, status) = decompressor.step(left, &mut output, codec::PIECE);
        left = &left[taken..];
        match status {
            status::STREAM_END => break,
            status::OK if !left.is_empty() || output.len() > before => {}
            status::OK => break,
            status => return Ok(status.into()),
        }
    }
    text(call.vm, output)
}

/// A string, compressed as PHP does if nothing else is asked for.
#[cfg(feature = "phar")]
pub(crate) fn pack(data: &[u8]) -> Vec<u8> {
    codec::compress(data, Parameters { blocks: 4, work: 0 })
}

/// What was compressed, if it is whole and no more than `most` bytes.
#[cfg(feature = "phar")]
pub(crate) fn unpack(data: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut decompressor = Decompressor::new(false);
    let (mut output, mut left) = (Vec::new(), data);
    loop {
        vm_runtime::limits::poll();
        let before = output.len();
        let (taken, status) = decompressor.step(left, &mut output, codec::PIECE);
        left = &left[taken..];
        match status {
            _ if output.len() > most => return None,
            status::STREAM_END => return Some(output),
            status::OK if taken > 0 || output.len() > before => {}
            _ => return None,
        }
    }
}
