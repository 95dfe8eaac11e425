//! The stream filters `bzip2.compress` and `bzip2.decompress`.

use vm_runtime::operators::convert::to_bool;
use vm_runtime::operators::to_long;
use vm_runtime::value::{PhpResource, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::codec::{Compressor, Decompressor, PIECE, Parameters, status};
use crate::standard::files::{Buckets, FilterStatus, StreamFilter};
use crate::support::parameter;

/// A filter of this module.
pub(crate) fn make(
    vm: &mut Vm,
    name: &[u8],
    params: &Value,
) -> PhpResult<Option<Box<dyn StreamFilter>>> {
    Ok(match name {
        b"bzip2.compress" => Some(Box::new(compress(vm, params)?)),
        b"bzip2.decompress" => Some(Box::new(decompress(vm, params)?)),
        _ => None,
    })
}

fn compress(vm: &mut Vm, params: &Value) -> PhpResult<Filter> {
    let mut parameters = Parameters { blocks: 4, work: 0 };
    if let Some(value) = parameter(vm, params, "blocks")? {
        let blocks = to_long(vm, &value);
        match Parameters::checked(blocks, 0) {
            Some(checked) => parameters.blocks = checked.blocks,
            None => refused(vm, "number of blocks to allocate", blocks)?,
        }
    }
    if let Some(value) = parameter(vm, params, "work")? {
        let work = to_long(vm, &value);
        match Parameters::checked(1, work) {
            Some(checked) => parameters.work = checked.work,
            None => refused(vm, "work factor", work)?,
        }
    }
    Ok(Filter::Compress {
        compressor: Some(Compressor::new(parameters)),
        is_dirty: false,
    })
}

fn refused(vm: &mut Vm, what: &str, given: i64) -> PhpResult<()> {
    vm.function_warning(format!("Invalid parameter given for {what} ({given})"));
    vm.check()
}

fn decompress(vm: &mut Vm, params: &Value) -> PhpResult<Filter> {
    let mut goes_on = false;
    let mut is_small = false;
    match params.view() {
        ValueKind::Array(_) | ValueKind::Object(_) => {
            goes_on = parameter(vm, params, "concatenated")?.is_some_and(|value| to_bool(&value));
            is_small = parameter(vm, params, "small")?.is_some_and(|value| to_bool(&value));
        }
        ValueKind::Null => {}
        _ => is_small = to_bool(params),
    }
    Ok(Filter::Decompress {
        decompressor: Decompressor::new(is_small),
        is_small,
        goes_on,
        is_over: false,
        vm,
    })
}

#[derive(Debug)]
enum Filter {
    Compress {
        /// None when everything has come out.
        compressor: Option<Compressor>,
        /// It may hold something back.
        is_dirty: bool,
    },
    Decompress {
        decompressor: Decompressor,
        is_small: bool,
        /// Where compressed data end other compressed data may begin.
        goes_on: bool,
        /// The data has ended; what follows is dropped.
        is_over: bool,
        /// The VM, which never moves and outlives its streams.
        vm: *mut Vm,
    },
}

impl Filter {
    /// Bytes that are said to be taken; None if the data is broken.
    fn take(&mut self, bucket: &[u8], output: &mut Vec<u8>) -> Option<usize> {
        let (decompressor, is_small, goes_on, is_over) = match self {
            Filter::Compress {
                compressor,
                is_dirty,
            } => {
                if let Some(compressor) = compressor {
                    compressor.run(bucket, output);
                    *is_dirty |= !bucket.is_empty();
                }
                return Some(bucket.len());
            }
            Filter::Decompress {
                decompressor,
                is_small,
                goes_on,
                is_over,
                ..
            } => (decompressor, *is_small, *goes_on, is_over),
        };
        let mut at = 0;
        let mut made = true;
        while at < bucket.len() || made && !*is_over {
            vm_runtime::limits::poll();
            if *is_over {
                // PHP counts the whole of it once more.
                return Some(at + bucket.len());
            }
            let before = output.len();
            let (taken, status) = decompressor.step(&bucket[at..], output, PIECE);
            at += taken;
            made = output.len() > before;
            match status {
                status::OK if taken == 0 && !made => break,
                status::OK => {}
                status::STREAM_END if goes_on => {
                    *decompressor = Decompressor::new(is_small);
                    made = false;
                }
                status::STREAM_END => *is_over = true,
                _ => return None,
            }
        }
        Some(at)
    }
}

impl StreamFilter for Filter {
    fn filter(
        &mut self,
        input: Buckets,
        closing: bool,
        _stream: *mut PhpResource,
    ) -> (FilterStatus, Buckets, usize) {
        let mut output = Vec::new();
        let mut taken = 0;
        for bucket in &input {
            match self.take(bucket, &mut output) {
                Some(bytes) => taken += bytes,
                None => {
                    if let Filter::Decompress { vm, .. } = self {
                        // SAFETY: I1: the VM never moves, and outlives its streams.
                        unsafe { (**vm).function_notice("bzip2 decompression failed") };
                    }
                    return (FilterStatus::Fatal, Vec::new(), taken);
                }
            }
        }
        if closing
            && let Filter::Compress { compressor, .. } = self
            && let Some(mut compressor) = compressor.take()
        {
            compressor.finish(&mut output);
        }
        match output.is_empty() {
            true => (FilterStatus::FeedMe, Vec::new(), taken),
            false => (FilterStatus::PassOn, vec![output], taken),
        }
    }

    fn flush(&mut self, _stream: *mut PhpResource) -> Vec<u8> {
        let mut output = Vec::new();
        if let Filter::Compress {
            compressor: Some(compressor),
            is_dirty,
        } = self
            && std::mem::take(is_dirty)
        {
            compressor.flush(&mut output);
        }
        output
    }
}
