//! Memory and the cycle collector.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use crate::support::{direct, functions};

functions! {
    "memory_get_usage(bool $real_usage = false): int" => memory_get_usage | memory_get_usage_directly,
    "memory_get_peak_usage(bool $real_usage = false): int" => memory_get_peak_usage | memory_get_peak_usage_directly,
    "memory_reset_peak_usage(): void" => memory_reset_peak_usage,
}

functions! { CORE_FUNCTIONS:
    "gc_mem_caches(): int" => gc_mem_caches,
    "gc_collect_cycles(): int" => gc_collect_cycles,
    "gc_enabled(): bool" => gc_enabled,
    "gc_enable(): void" => gc_enable,
    "gc_disable(): void" => gc_disable,
    "gc_status(): array" => gc_status,
}

direct! {
    fn memory_get_usage_directly(vm;) { vm.heap.used() as i64 }

    fn memory_get_peak_usage_directly(vm;) { vm.heap.peak() as i64 }
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

fn gc_mem_caches(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(call.vm.heap.collect_unused().into())
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

fn gc_collect_cycles(call: &mut Call<'_>) -> PhpResult<Value> {
    let count = call.vm.collect_cycles();
    call.vm.check()?;
    Ok((count as i64).into())
}

fn gc_status(call: &mut Call<'_>) -> PhpResult<Value> {
    let status = call.vm.heap.collector.status();
    let seconds = |time: std::time::Duration| Value::from(time.as_secs_f64());
    let fields: [(&str, Value); 12] = [
        ("running", status.running.into()),
        // No part of a run is protected from another, and the buffer grows with the roots.
        ("protected", false.into()),
        ("full", false.into()),
        ("runs", (status.runs as i64).into()),
        ("collected", (status.collected as i64).into()),
        ("threshold", i64::from(status.threshold).into()),
        ("buffer_size", i64::from(status.buffer_size).into()),
        ("roots", i64::from(status.roots).into()),
        ("application_time", seconds(status.application_time)),
        ("collector_time", seconds(status.collector_time)),
        ("destructor_time", seconds(status.destructor_time)),
        ("free_time", seconds(status.free_time)),
    ];
    let mut table = call.vm.new_array();
    for (name, value) in fields {
        table.make_mut(call.vm).set_bytes(name.as_bytes(), value);
    }
    Ok(table.into())
}
