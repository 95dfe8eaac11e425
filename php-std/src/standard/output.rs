//! Output buffers: the `ob_*` functions.

use vm_runtime::function::Call;
use vm_runtime::output::{Buffer, buffer_flags};
use vm_runtime::value::{ArrayHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{Append, callable_name, define_one, direct, functions, new_list};

functions! {
    "ob_start($callback = null, int $chunk_size = 0, int $flags = PHP_OUTPUT_HANDLER_STDFLAGS): bool" => ob_start,
    "ob_flush(): bool" => ob_flush,
    "ob_clean(): bool" => ob_clean,
    "ob_end_flush(): bool" => ob_end_flush,
    "ob_end_clean(): bool" => ob_end_clean,
    "ob_get_flush(): string|false" => ob_get_flush,
    "ob_get_clean(): string|false" => ob_get_clean,
    "ob_get_contents(): string|false" => ob_get_contents,
    "ob_get_level(): int" => ob_get_level | ob_get_level_directly,
    "ob_get_length(): int|false" => ob_get_length,
    "ob_list_handlers(): array" => ob_list_handlers,
    "ob_get_status(bool $full_status = false): array" => ob_get_status,
    "ob_implicit_flush(bool $enable = true): void" => ob_implicit_flush,
    "flush(): void" => flush,
}

/// Defines the flags of output buffers.
pub(super) fn define_flags(vm: &mut Vm) {
    use buffer_flags::*;
    let constants = [
        ("PHP_OUTPUT_HANDLER_START", START),
        ("PHP_OUTPUT_HANDLER_WRITE", WRITE),
        ("PHP_OUTPUT_HANDLER_CONT", WRITE),
        ("PHP_OUTPUT_HANDLER_FLUSH", FLUSH),
        ("PHP_OUTPUT_HANDLER_CLEAN", CLEAN),
        ("PHP_OUTPUT_HANDLER_FINAL", FINAL),
        ("PHP_OUTPUT_HANDLER_END", FINAL),
        ("PHP_OUTPUT_HANDLER_CLEANABLE", CLEANABLE),
        ("PHP_OUTPUT_HANDLER_FLUSHABLE", FLUSHABLE),
        ("PHP_OUTPUT_HANDLER_REMOVABLE", REMOVABLE),
        ("PHP_OUTPUT_HANDLER_STDFLAGS", STANDARD),
        ("PHP_OUTPUT_HANDLER_STARTED", STARTED),
        ("PHP_OUTPUT_HANDLER_DISABLED", DISABLED),
        ("PHP_OUTPUT_HANDLER_PROCESSED", PROCESSED),
    ];
    for (name, value) in constants {
        define_one(vm, name, (value as i64).into());
    }
}

fn ob_start(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut callback = call.value(0);
    let mut name = Vec::new();
    if call.has(0) {
        if let Err(reason) = call.vm.resolve_callable(&callback) {
            call.vm.function_warning(&reason);
            call.vm.check()?;
            call.vm.forbid_in_callback();
            call.vm.function_notice("Failed to create buffer");
            return Ok(false.into());
        }
        name = callable_name(&callback);
        callback = call.vm.kept_callable(callback);
    }
    let chunk_size = call.long(1).max(0) as usize;
    let allowed = call.long(2) as u32;
    if !call.vm.start_buffer(callback, &name, chunk_size, allowed) {
        call.vm.function_notice("Failed to create buffer");
        return Ok(false.into());
    }
    Ok(true.into())
}

/// Notices that there is no buffer to work on.
fn no_buffer(vm: &mut Vm, what: &str) -> bool {
    if vm.active_buffer().is_some() {
        return false;
    }
    vm.function_notice(format!("Failed to {what}"));
    true
}

/// Notices that the active buffer does not allow what was asked for.
fn not_allowed(vm: &mut Vm, verb: &str) -> Value {
    let level = vm.buffers().len().saturating_sub(1);
    let name = vm
        .active_buffer()
        .map(|buffer| buffer.name.to_text().into_owned());
    let name = name.unwrap_or_default();
    vm.function_notice(format!("Failed to {verb} buffer of {name} ({level})"));
    false.into()
}

fn ob_flush(call: &mut Call<'_>) -> PhpResult<Value> {
    if no_buffer(call.vm, "flush buffer. No buffer to flush") {
        return Ok(false.into());
    }
    Ok(if call.vm.flush_buffer() {
        true.into()
    } else {
        not_allowed(call.vm, "flush")
    })
}

fn ob_clean(call: &mut Call<'_>) -> PhpResult<Value> {
    if no_buffer(call.vm, "delete buffer. No buffer to delete") {
        return Ok(false.into());
    }
    Ok(if call.vm.clean_buffer() {
        true.into()
    } else {
        not_allowed(call.vm, "delete")
    })
}

fn ob_end_flush(call: &mut Call<'_>) -> PhpResult<Value> {
    if no_buffer(
        call.vm,
        "delete and flush buffer. No buffer to delete or flush",
    ) {
        return Ok(false.into());
    }
    Ok(call.vm.end_buffer(false).into())
}

fn ob_end_clean(call: &mut Call<'_>) -> PhpResult<Value> {
    if no_buffer(call.vm, "delete buffer. No buffer to delete") {
        return Ok(false.into());
    }
    Ok(call.vm.end_buffer(true).into())
}

fn ob_get_flush(call: &mut Call<'_>) -> PhpResult<Value> {
    if no_buffer(
        call.vm,
        "delete and flush buffer. No buffer to delete or flush",
    ) {
        return Ok(false.into());
    }
    let contents = call.vm.buffer_contents();
    if !call.vm.end_buffer(false) {
        not_allowed(call.vm, "delete");
    }
    Ok(contents.into())
}

fn ob_get_clean(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(contents) = call.vm.buffer_contents() else {
        return Ok(false.into());
    };
    if !call.vm.end_buffer(true) {
        not_allowed(call.vm, "delete");
    }
    Ok(contents.into())
}

fn ob_get_contents(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.vm.buffer_contents().map_or(false.into(), Value::from))
}

direct! {
    fn ob_get_level_directly(vm;) { vm.buffers().len() as i64 }
}

fn ob_get_level(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.vm.buffers().len().into())
}

fn ob_get_length(call: &mut Call<'_>) -> PhpResult<Value> {
    let length = call
        .vm
        .active_buffer()
        .map(|buffer| buffer.contents().len());
    Ok(length.map_or(false.into(), Value::from))
}

fn ob_list_handlers(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut list = new_list(call.vm, call.vm.buffers().len());
    for level in 0..call.vm.buffers().len() {
        let name = call.vm.buffers()[level].name.clone();
        list.make_mut(call.vm).append(name.into());
    }
    Ok(list.into())
}

fn status(vm: &mut Vm, level: usize) -> ArrayHandle {
    let Buffer {
        name,
        flags,
        chunk_size,
        size,
        ..
    } = &vm.buffers()[level];
    let fields: [(&str, Value); 7] = [
        ("name", name.clone().into()),
        ("type", ((flags & buffer_flags::USER) as i64).into()),
        ("flags", (*flags as i64).into()),
        ("level", level.into()),
        ("chunk_size", (*chunk_size).into()),
        ("buffer_size", (*size).into()),
        ("buffer_used", vm.buffers()[level].contents().len().into()),
    ];
    let mut status = vm.new_array();
    for (name, value) in fields {
        status.make_mut(vm).set_bytes(name.as_bytes(), value);
    }
    status
}

fn ob_get_status(call: &mut Call<'_>) -> PhpResult<Value> {
    let levels = call.vm.buffers().len();
    if !call.bool(0) {
        let last = levels.checked_sub(1).map(|level| status(call.vm, level));
        return Ok(last.unwrap_or_else(|| call.vm.new_array()).into());
    }
    let mut list = new_list(call.vm, levels);
    for level in 0..levels {
        let status = status(call.vm, level);
        list.make_mut(call.vm).append(status.into());
    }
    Ok(list.into())
}

fn ob_implicit_flush(call: &mut Call<'_>) -> PhpResult<Value> {
    call.vm.output.implicit_flush = call.bool(0);
    Ok(Value::NULL)
}

fn flush(call: &mut Call<'_>) -> PhpResult<Value> {
    call.vm.output.flush();
    Ok(Value::NULL)
}
