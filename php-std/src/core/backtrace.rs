//! `debug_backtrace()` and `debug_print_backtrace()`.

use vm_runtime::exceptions::{BacktraceOptions, trace_lines};
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use crate::support::functions;

functions! {
    "debug_backtrace(int $options = DEBUG_BACKTRACE_PROVIDE_OBJECT, int $limit = 0): array" => debug_backtrace,
    "debug_print_backtrace(int $options = 0, int $limit = 0): void" => debug_print_backtrace,
}

fn options(call: &Call<'_>) -> BacktraceOptions {
    let bits = call.long(0);
    BacktraceOptions {
        objects: bits & 1 != 0,
        ignore_arguments: bits & 2 != 0,
        skip_last: true,
        limit: usize::try_from(call.long(1)).unwrap_or(0),
    }
}

fn debug_backtrace(call: &mut Call<'_>) -> PhpResult<Value> {
    let options = options(call);
    Ok(call.vm.backtrace(options).into())
}

fn debug_print_backtrace(call: &mut Call<'_>) -> PhpResult<Value> {
    let options = options(call);
    let trace: Value = call.vm.backtrace(options).into();
    let lines = trace_lines(call.vm, &trace);
    call.vm.write(&lines);
    Ok(Value::NULL)
}
