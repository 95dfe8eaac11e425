//! Sorting in place, by the functions of the same names.

use vm_runtime::function::Call;
use vm_runtime::object::write::dynamic_table;
use vm_runtime::operators::convert::property_table;
use vm_runtime::value::{PhpReference, Value, Zval};
use vm_runtime::vm::PhpResult;

use super::storage::{Target, data, target};
use crate::spl::this;

/// Calls a sort function on the elements. Meanwhile the object keeps them as they were.
fn sort(call: &mut Call<'_>, function: &[u8], argument: Option<Value>) -> PhpResult<Value> {
    let object = this(call);
    let Some(function) = call.vm.find_function(function) else {
        return Ok(Value::NULL);
    };
    let elements = match target(&object) {
        Target::Array(array) => array.clone(),
        // Only what is not declared can stand in another order.
        Target::Object(inner) if inner.slot_count == 0 && !inner.dynamic.is_null() => {
            property_table(call.vm, &inner)
        }
        Target::Object(_) => return Ok(true.into()),
    };
    let boxed = PhpReference::allocate(&mut call.vm.heap, elements.into_value().into_zval());
    // SAFETY: I3: the share belongs to the argument.
    let reference = unsafe { Value::from_zval(Zval::from_reference(boxed.clone().into_raw())) };
    let mut arguments = vec![reference];
    arguments.extend(argument);
    data(&object).sorting += 1;
    let outcome = call
        .vm
        .call_function(function, None, std::ptr::null_mut(), arguments);
    data(&object).sorting -= 1;
    let Some(mut sorted) = Value::share(&boxed.value).array() else {
        return outcome.map(|_| true.into());
    };
    drop(boxed);
    match target(&object) {
        Target::Array(array) if std::ptr::eq(array.as_ptr(), sorted.as_ptr()) => {}
        Target::Array(array) => {
            // Iterators stay where they are by number: they do not follow the copy that was sorted.
            let mut elements = call.vm.new_array();
            let contents = sorted.make_mut(call.vm);
            elements.make_mut(call.vm).exchange(contents);
            let before = std::mem::replace(array, elements);
            drop(before);
        }
        // What became lazy meanwhile has no properties to be put in order.
        Target::Object(inner) if inner.is_uninitialised_lazy() => {}
        Target::Object(inner) => {
            let mut properties = call.vm.new_array();
            for (key, value) in sorted.iter() {
                properties.make_mut(call.vm).set(key, Value::share(value));
            }
            // All at once: what the properties held goes when the object has the others, for its destructors may do
            // anything to the object, and to its table.
            // SAFETY: I3: the handle keeps the object alive.
            let table = unsafe { dynamic_table(call.vm, inner.as_ptr()) };
            properties.make_mut(call.vm).exchange(table);
            drop(properties);
        }
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
