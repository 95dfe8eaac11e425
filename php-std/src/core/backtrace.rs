//! `debug_backtrace()` and `debug_print_backtrace()`.

use vm_runtime::exceptions::{BacktraceOptions, trace_lines};
use vm_runtime::function::Call;
use vm_runtime::value::{ArrayHandle, Value};
use vm_runtime::vm::PhpResult;

use crate::support::functions;

functions! {
    "debug_backtrace(int $options = DEBUG_BACKTRACE_PROVIDE_OBJECT, int $limit = 0): array" => debug_backtrace,
    "debug_print_backtrace(int $options = 0, int $limit = 0): void" => debug_print_backtrace,
}

/// What is asked for; nothing if the limit, a number of 32 bits, is below 0.
fn options(call: &Call<'_>) -> Option<BacktraceOptions> {
    let (bits, limit) = (call.long(0), call.long(1) as i32);
    (limit >= 0).then_some(BacktraceOptions {
        objects: bits & 1 != 0,
        ignore_arguments: bits & 2 != 0,
        skip_last: true,
        limit: limit as usize,
    })
}

/// The frames that a call of one of the functions asks for.
fn trace(call: &mut Call<'_>) -> ArrayHandle {
    match options(call) {
        Some(options) => call.vm.backtrace(options),
        None => call.vm.new_array(),
    }
}

fn debug_backtrace(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(trace(call).into())
}

fn debug_print_backtrace(call: &mut Call<'_>) -> PhpResult<Value> {
    let trace: Value = trace(call).into();
    let lines = trace_lines(call.vm, &trace);
    call.vm.write(&lines);
    Ok(Value::NULL)
}
