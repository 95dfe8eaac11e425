//! Compressed output: `ob_gzhandler()` and the setting `zlib.output_compression`.

use libz_sys as z;
use vm_runtime::function::Call;
use vm_runtime::ini::{parse_bool, parse_long};
use vm_runtime::output::buffer_flags;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::codec::{Deflater, Parameters};
use super::{DEFLATE, GZIP};
use crate::support::{functions, text};
use crate::web::add_header;

functions! {
    "ob_gzhandler(string $data, int $flags): string|false" => ob_gzhandler,
    "zlib_get_coding_type(): string|false" => zlib_get_coding_type,
}

/// The name of the buffer that the setting starts.
const BUFFER: &[u8] = b"zlib output compression";

/// How output is compressed.
#[derive(Debug, Default)]
struct State {
    format: Option<i64>,
    deflater: Option<Deflater>,
}

fn state(vm: &mut Vm) -> &mut State {
    vm.extensions.state()
}

/// The format that the client takes.
fn accepted(vm: &mut Vm) -> Option<i64> {
    let server = vm.global(b"_SERVER")?.array()?;
    let accepted = server.get_bytes(b"HTTP_ACCEPT_ENCODING")?.deref();
    let accepted = Value::share(accepted);
    let accepted = accepted.as_bytes()?;
    if memchr::memmem::find(accepted, b"gzip").is_some() {
        return Some(GZIP);
    }
    memchr::memmem::find(accepted, b"deflate").map(|_| DEFLATE)
}

fn is_on(value: Option<&[u8]>) -> bool {
    value.is_some_and(|value| parse_bool(value) || parse_long(value) > 0)
}

/// `zlib.output_compression`: a buffer compresses from now on.
pub(super) fn change_compression(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    if vm.output.started.is_some() {
        vm.function_warning("Cannot change zlib.output_compression - headers already sent");
        return false;
    }
    if !is_on(value) {
        return true;
    }
    if vm
        .buffers()
        .iter()
        .any(|buffer| buffer.name.as_bytes() == b"ob_gzhandler")
    {
        vm.function_warning("Cannot change zlib.output_compression when using ob_gzhandler");
        return false;
    }
    if state(vm).format.is_none() {
        state(vm).format = accepted(vm);
    }
    if !vm
        .buffers()
        .iter()
        .any(|buffer| buffer.name.as_bytes() == BUFFER)
    {
        let size = value.map_or(0, parse_long);
        let size = if size > 1 { size as usize } else { 0x4000 };
        let callback = vm.string("ob_gzhandler").into();
        vm.start_buffer(callback, BUFFER, size, buffer_flags::STANDARD);
    }
    true
}

/// `zlib.output_handler`, which only goes together with the compression.
pub(super) fn change_handler(vm: &mut Vm, _value: Option<&[u8]>) -> bool {
    if vm.output.started.is_some() {
        vm.function_warning("Cannot change zlib.output_handler - headers already sent");
        return false;
    }
    true
}

fn zlib_get_coding_type(call: &mut Call<'_>) -> PhpResult<Value> {
    match state(call.vm).format {
        Some(GZIP) => text(call.vm, "gzip"),
        Some(DEFLATE) => text(call.vm, "deflate"),
        _ => Ok(false.into()),
    }
}

fn ob_gzhandler(call: &mut Call<'_>) -> PhpResult<Value> {
    let (data, flags) = (call.bytes(0), call.long(1) as u32);
    let by_setting = call
        .vm
        .active_buffer()
        .is_some_and(|buffer| buffer.name.as_bytes() == BUFFER);
    if by_setting && !is_on(Some(call.vm.ini.text("zlib.output_compression"))) {
        return Ok(false.into());
    }
    if flags & buffer_flags::START != 0 {
        let Some(format) = accepted(call.vm) else {
            return Ok(false.into());
        };
        let level = call.vm.ini.long("zlib.output_compression_level");
        let parameters = Parameters {
            level: level.clamp(-1, 9),
            window: format,
            memory: 9,
            strategy: 0,
        };
        let Some(deflater) = Deflater::new(parameters) else {
            return Ok(false.into());
        };
        // What is thrown away at once has no head.
        let is_discarded = flags & buffer_flags::CLEAN != 0 && flags & buffer_flags::FINAL != 0;
        if call.vm.output.started.is_none() && !is_discarded {
            let name: &[u8] = match format {
                GZIP => b"Content-Encoding: gzip",
                _ => b"Content-Encoding: deflate",
            };
            add_header(call.vm, name, true);
            add_header(call.vm, b"Vary: Accept-Encoding", false);
        }
        *state(call.vm) = State {
            format: Some(format),
            deflater: Some(deflater),
        };
    }
    let Some(deflater) = &mut state(call.vm).deflater else {
        return Ok(false.into());
    };
    if flags & buffer_flags::CLEAN != 0 {
        deflater.reset();
        return text(call.vm, "");
    }
    let flush = if flags & buffer_flags::FINAL != 0 {
        z::Z_FINISH
    } else if flags & buffer_flags::FLUSH != 0 {
        z::Z_SYNC_FLUSH
    } else {
        z::Z_NO_FLUSH
    };
    let mut output = Vec::new();
    deflater.run(data, &mut output, flush);
    if flush == z::Z_FINISH {
        state(call.vm).deflater = None;
    }
    text(call.vm, output)
}
