//! Sorting in place, by the functions of the same names.

use vm_runtime::function::Call;
use vm_runtime::value::{PhpReference, Value, Zval};
use vm_runtime::vm::PhpResult;

use super::storage::{Target, target};
use crate::spl::this;

/// Calls a sort function on the wrapped array. Meanwhile the object has an empty one.
fn sort(call: &mut Call<'_>, function: &[u8], argument: Option<Value>) -> PhpResult<Value> {
    let object = this(call);
    let Some(function) = call.vm.find_function(function) else {
        return Ok(Value::NULL);
    };
    let empty = call.vm.new_array();
    let Target::Array(array) = target(&object) else {
        return Ok(true.into());
    };
    let taken = std::mem::replace(array, empty);
    let boxed = PhpReference::allocate(&mut call.vm.heap, taken.into_value().into_zval());
    // SAFETY: I3: the share belongs to the argument.
    let reference = unsafe { Value::from_zval(Zval::from_reference(boxed.clone().into_raw())) };
    let mut arguments = vec![reference];
    arguments.extend(argument);
    let outcome = call
        .vm
        .call_function(function, None, std::ptr::null_mut(), arguments);
    let sorted = Value::share(&boxed.value);
    if let (Target::Array(array), Some(sorted)) = (target(&object), sorted.array()) {
        *array = sorted;
    }
    outcome.map(|_| true.into())
}

fn given(call: &Call<'_>) -> Option<Value> {
    Some(call.value(0))
}

pub(super) fn asort(call: &mut Call<'_>) -> PhpResult<Value> {
    let flags = given(call);
    sort(call, b"asort", flags)
}

pub(super) fn ksort(call: &mut Call<'_>) -> PhpResult<Value> {
    let flags = given(call);
    sort(call, b"ksort", flags)
}

pub(super) fn uasort(call: &mut Call<'_>) -> PhpResult<Value> {
    let callback = given(call);
    sort(call, b"uasort", callback)
}

pub(super) fn uksort(call: &mut Call<'_>) -> PhpResult<Value> {
    let callback = given(call);
    sort(call, b"uksort", callback)
}

pub(super) fn natsort(call: &mut Call<'_>) -> PhpResult<Value> {
    sort(call, b"natsort", None)
}

pub(super) fn natcasesort(call: &mut Call<'_>) -> PhpResult<Value> {
    sort(call, b"natcasesort", None)
}
