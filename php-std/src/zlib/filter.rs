//! The stream filters `zlib.deflate` and `zlib.inflate`.

use libz_sys as z;
use vm_runtime::operators::to_long;
use vm_runtime::value::{PhpResource, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::codec::{Deflater, Inflater, Parameters, status_text};
use crate::standard::files::{Buckets, FilterStatus, StreamFilter};
use crate::support::parameter;

/// A filter of this module.
pub(crate) fn make(
    vm: &mut Vm,
    name: &[u8],
    params: &Value,
) -> PhpResult<Option<Box<dyn StreamFilter>>> {
    match name {
        b"zlib.deflate" => deflate(vm, params),
        b"zlib.inflate" => inflate(vm, params),
        _ => Ok(None),
    }
}

/// A number among the parameters.
fn option(vm: &mut Vm, params: &Value, name: &str) -> PhpResult<Option<i64>> {
    let value = parameter(vm, params, name)?;
    Ok(value.map(|value| to_long(vm, &value)))
}

/// Warns of a parameter that is out of its bounds, and leaves the default.
fn checked(
    vm: &mut Vm,
    value: Option<i64>,
    most: i64,
    least: i64,
    default: i64,
    what: &str,
) -> PhpResult<i64> {
    match value {
        None => Ok(default),
        Some(value) if (least..=most).contains(&value) => Ok(value),
        Some(value) => {
            vm.function_warning(format!("{what} ({value})"));
            vm.check()?;
            Ok(default)
        }
    }
}

const WINDOW: &str = "Invalid parameter given for window size";
const MEMORY: &str = "Invalid parameter given for memory level";
const LEVEL: &str = "Invalid compression level specified.";

fn deflate(vm: &mut Vm, params: &Value) -> PhpResult<Option<Box<dyn StreamFilter>>> {
    let mut parameters = Parameters {
        level: -1,
        window: -15,
        memory: 9,
        strategy: 0,
    };
    let level = match params.view() {
        ValueKind::Null => None,
        ValueKind::Array(_) | ValueKind::Object(_) => {
            let memory = option(vm, params, "memory")?;
            parameters.memory = checked(vm, memory, 9, 1, 9, MEMORY)?;
            let window = option(vm, params, "window")?;
            parameters.window = checked(vm, window, 47, -15, -15, WINDOW)?;
            option(vm, params, "level")?
        }
        ValueKind::String(_) | ValueKind::Double(_) | ValueKind::Long(_) => {
            Some(to_long(vm, params))
        }
        _ => {
            vm.function_warning("Invalid filter parameter, ignored");
            vm.check()?;
            None
        }
    };
    parameters.level = checked(vm, level, 9, -1, -1, LEVEL)?;
    Ok(Deflater::new(parameters).map(|deflater| {
        Box::new(Deflate {
            deflater,
            dirty: false,
            over: false,
        }) as Box<dyn StreamFilter>
    }))
}

fn inflate(vm: &mut Vm, params: &Value) -> PhpResult<Option<Box<dyn StreamFilter>>> {
    let window = option(vm, params, "window")?;
    let window = checked(vm, window, 47, -15, -15, WINDOW)?;
    Ok(Inflater::new(window).map(|inflater| {
        Box::new(Inflate {
            inflater,
            vm,
            over: false,
        }) as Box<dyn StreamFilter>
    }))
}

#[derive(Debug)]
struct Deflate {
    deflater: Deflater,
    /// It may hold something back.
    dirty: bool,
    over: bool,
}

impl StreamFilter for Deflate {
    fn filter(
        &mut self,
        input: Buckets,
        closing: bool,
        _stream: *mut PhpResource,
    ) -> (FilterStatus, Buckets, usize) {
        let mut output = Vec::new();
        let taken = input.iter().map(Vec::len).sum();
        for bucket in input.iter().filter(|bucket| !bucket.is_empty()) {
            self.deflater.run(bucket, &mut output, z::Z_NO_FLUSH);
            self.dirty = true;
        }
        if closing && !self.over {
            self.over = true;
            self.deflater.run(b"", &mut output, z::Z_FINISH);
        }
        pass_on(output, taken)
    }

    fn flush(&mut self, _stream: *mut PhpResource) -> Vec<u8> {
        let mut output = Vec::new();
        if std::mem::take(&mut self.dirty) && !self.over {
            self.deflater.run(b"", &mut output, z::Z_SYNC_FLUSH);
        }
        output
    }
}

fn pass_on(output: Vec<u8>, taken: usize) -> (FilterStatus, Buckets, usize) {
    match output.is_empty() {
        true => (FilterStatus::FeedMe, Vec::new(), taken),
        false => (FilterStatus::PassOn, vec![output], taken),
    }
}

#[derive(Debug)]
struct Inflate {
    inflater: Inflater,
    /// The VM, which never moves and outlives its streams.
    vm: *mut Vm,
    /// The data has ended; what follows is dropped.
    over: bool,
}

impl StreamFilter for Inflate {
    fn filter(
        &mut self,
        input: Buckets,
        _closing: bool,
        _stream: *mut PhpResource,
    ) -> (FilterStatus, Buckets, usize) {
        let mut output = Vec::new();
        let taken = input.iter().map(Vec::len).sum();
        for bucket in &input {
            let mut left = &bucket[..];
            while !self.over {
                vm_runtime::limits::poll();
                let before = output.len();
                let (used, status) = self.inflater.step(left, &mut output, 8192, z::Z_NO_FLUSH);
                left = &left[used..];
                match status {
                    z::Z_STREAM_END => self.over = true,
                    z::Z_OK if !left.is_empty() || output.len() - before == 8192 => {}
                    z::Z_OK | z::Z_BUF_ERROR => break,
                    status => {
                        let message = format!("zlib: {}", status_text(status));
                        // SAFETY: I1: the VM never moves, and outlives its streams.
                        unsafe { (*self.vm).function_notice(message) };
                        return (FilterStatus::Fatal, Vec::new(), taken);
                    }
                }
            }
        }
        pass_on(output, taken)
    }
}
