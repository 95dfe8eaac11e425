//! Memory and the cycle collector.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use crate::support::functions;

functions! {
    "memory_get_usage(bool $real_usage = false): int" => memory_get_usage,
    "memory_get_peak_usage(bool $real_usage = false): int" => memory_get_peak_usage,
    "memory_reset_peak_usage(): void" => memory_reset_peak_usage,
    "gc_enable(): void" => gc_enable,
    "gc_disable(): void" => gc_disable,
    "gc_enabled(): bool" => gc_enabled,
    "gc_mem_caches(): int" => zero,
    "gc_collect_cycles(): int" => zero,
    "gc_status(): array" => gc_status,
}

fn memory_get_usage(call: &mut Call<'_>) -> PhpResult<Value> {
    let heap = &call.vm.heap;
    Ok(if call.bool(0) {
        heap.mapped()
    } else {
        heap.used()
    }
    .into())
}

fn memory_get_peak_usage(call: &mut Call<'_>) -> PhpResult<Value> {
    let heap = &call.vm.heap;
    Ok(if call.bool(0) {
        heap.mapped_peak()
    } else {
        heap.peak()
    }
    .into())
}

fn memory_reset_peak_usage(call: &mut Call<'_>) -> PhpResult<Value> {
    call.vm.heap.reset_peak();
    Ok(Value::NULL)
}

/// Sets `zend.enable_gc`; everyone may, and it takes any value.
fn set_enabled(call: &mut Call<'_>, value: &[u8]) -> PhpResult<Value> {
    let _ = call.vm.ini_set("zend.enable_gc", value);
    Ok(Value::NULL)
}

fn gc_enable(call: &mut Call<'_>) -> PhpResult<Value> {
    set_enabled(call, b"1")
}

fn gc_disable(call: &mut Call<'_>) -> PhpResult<Value> {
    set_enabled(call, b"0")
}

fn gc_enabled(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.vm.ini.enable_gc.into())
}

/// There is nothing to give back, and no cycle collector yet.
fn zero(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(0i64.into())
}

fn gc_status(call: &mut Call<'_>) -> PhpResult<Value> {
    let fields: [(&str, Value); 12] = [
        ("running", false.into()),
        ("protected", false.into()),
        ("full", false.into()),
        ("runs", 0i64.into()),
        ("collected", 0i64.into()),
        ("threshold", 10_001i64.into()),
        ("buffer_size", 16_384i64.into()),
        ("roots", 0i64.into()),
        ("application_time", 0.0.into()),
        ("collector_time", 0.0.into()),
        ("destructor_time", 0.0.into()),
        ("free_time", 0.0.into()),
    ];
    let mut status = call.vm.new_array();
    for (name, value) in fields {
        status.make_mut(call.vm).set_bytes(name.as_bytes(), value);
    }
    Ok(status.into())
}
