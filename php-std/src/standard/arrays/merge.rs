//! `array_merge`, `array_replace` and their recursive forms.

use vm_runtime::array::{Key, KeyRef, PhpArray};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators::{self, convert::share_element};
use vm_runtime::value::{ARRAY, ArrayHandle, NULL, OBJECT, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{Append, Outcome, Plain, functions, hold, new_list};

functions! {
    "array_merge(array ...$arrays): array" => array_merge | array_merge_directly,
    "array_merge_recursive(array ...$arrays): array" => array_merge_recursive,
    "array_replace(array $array, array ...$replacements): array" => array_replace,
    "array_replace_recursive(array $array, array ...$replacements): array" => array_replace_recursive,
}

fn array_merge(call: &mut Call<'_>) -> PhpResult<Value> {
    let arguments: Vec<Zval> = (0..call.count())
        .map(|index| *call.argument(index).deref())
        .collect();
    let mut merged = Value::UNDEF;
    if array_merge_directly(call.vm, &Zval::UNDEF, &arguments, merged.as_zval_mut()) {
        return Ok(merged);
    }
    Err(call.vm.throw_error(
        KnownClass::Error,
        "The total number of elements must be lower than 1073741824",
    ))
}

fn array_merge_directly(vm: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let mut total = 0;
    for argument in arguments {
        match <&PhpArray>::of(argument) {
            Some(array) => total += array.len(),
            None => return false,
        }
    }
    if total >= 0x4000_0000 {
        return false;
    }
    let arrays = arguments
        .iter()
        .filter_map(|argument| Some((argument, <&PhpArray>::of(argument)?)));
    // One array and nothing else, which would not be renumbered: the same one. The copy of a single argument starts
    // anew where `current()` stands.
    if let Some((only, list)) = arrays.clone().find(|(_, array)| array.len() == total)
        && total > 0
        && match arguments.len() {
            2 => list.packed().is_some() || has_names_only(list),
            _ => {
                list.packed().is_some()
                    && list.internal_position() == 0
                    && list.has_fresh_next_key()
            }
        }
    {
        return Value::share(only).store(result);
    }
    let mut merged = new_list(vm, total);
    let target = merged.make_mut(vm);
    for (_, array) in arrays {
        target.merge_from(array);
    }
    Value::from(merged).store(result)
}

/// Whether no key is an `int`.
fn has_names_only(array: &PhpArray) -> bool {
    !array.is_packed()
        && array
            .iter()
            .all(|(key, _)| matches!(key, KeyRef::String(_)))
}

fn array_merge_recursive(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.count() == 2
        && let [one, other] = [call.argument(0), call.argument(1)].map(Zval::deref)
        && let (Some(first), Some(second)) = (<&PhpArray>::of(one), <&PhpArray>::of(other))
        && first.is_empty() != second.is_empty()
    {
        let (only, list) = if first.is_empty() {
            (other, second)
        } else {
            (one, first)
        };
        if list.packed().is_some() || has_names_only(list) {
            return Ok(Value::share(only));
        }
    }
    let first = (call.count() > 0).then(|| call.array(0));
    let is_begun = |first: &ArrayHandle| {
        (first.packed().is_some() || has_names_only(first))
            && first.internal_position() == 0
            && first.has_fresh_next_key()
    };
    // What such an array would be merged into nothing to is a copy of it.
    let (mut result, rest) = match first.filter(is_begun) {
        Some(first) => (first, 1),
        None => (new_list(call.vm, 0), 0),
    };
    for index in rest..call.count() {
        let source = call.array(index);
        merge_into(call.vm, &mut result, &source, &mut Above::new())?;
    }
    Ok(result.into())
}

/// The arrays that are being read, innermost last.
type Above = Vec<*const PhpArray>;

/// Notes that `source` is being read; an Error if it is already.
fn enter(vm: &mut Vm, source: &PhpArray, above: &mut Above) -> PhpResult<()> {
    if above.contains(&(&raw const *source)) {
        return Err(vm.throw_error(KnownClass::Error, "Recursion detected"));
    }
    vm.check_native_stack()?;
    vm.poll();
    above.push(source);
    Ok(())
}

fn merge_into(
    vm: &mut Vm,
    target: &mut ArrayHandle,
    source: &PhpArray,
    above: &mut Above,
) -> PhpResult<()> {
    enter(vm, source, above)?;
    for (key, value) in source.iter() {
        let KeyRef::String(name) = key else {
            append(vm, target, share_element(value))?;
            continue;
        };
        let Some(existing) = target.get_string(name) else {
            target.make_mut(vm).set_string(name, share_element(value));
            continue;
        };
        let is_reference = existing.is_reference();
        let existing = hold(existing);
        if is_single(&existing) && is_single(value.deref()) {
            let mut pair = new_list(vm, 2);
            let elements = pair.make_mut(vm);
            elements.append(existing);
            elements.append(hold(value));
            target.make_mut(vm).set_string(name, pair.into());
            continue;
        }
        // Its place in the target lets go, so that the merge can happen in place.
        target.make_mut(vm).set_string(name, Value::NULL);
        let mut merged = match existing.kind() {
            // Only null itself becomes an element.
            NULL if is_reference => new_list(vm, 2),
            _ => as_array(vm, existing),
        };
        let value = hold(value);
        if value.kind() == ARRAY {
            if let Some(inner) = value.array() {
                merge_into(vm, &mut merged, &inner, above)?;
            }
        } else {
            append(vm, &mut merged, value)?;
        }
        target.make_mut(vm).set_string(name, merged.into());
    }
    above.pop();
    Ok(())
}

/// Whether a value is merged as the only element of an array.
fn is_single(value: &Zval) -> bool {
    !matches!(value.kind(), NULL | ARRAY | OBJECT)
}

/// Appends a value; an Error if no key is free.
fn append(vm: &mut Vm, target: &mut ArrayHandle, value: Value) -> PhpResult<()> {
    target.make_mut(vm).push(value).map_err(|_| {
        vm.throw_error(
            KnownClass::Error,
            "Cannot add element to the array as the next element is already occupied",
        )
    })
}

/// The array a value becomes when something is merged into it.
fn as_array(vm: &mut Vm, value: Value) -> ArrayHandle {
    match value.kind() {
        NULL => {
            let mut array = new_list(vm, 2);
            array.make_mut(vm).append(Value::NULL);
            array
        }
        _ => operators::to_array(vm, &value),
    }
}

fn array_replace(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut result = call.array(0);
    for index in 1..call.count() {
        let source = call.elements(index);
        if source.is_empty() {
            continue;
        }
        let target = result.make_mut(call.vm);
        for (key, value) in source.iter() {
            target.set(key, share_element(value));
        }
        call.vm.poll();
    }
    Ok(result.into())
}

fn array_replace_recursive(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut result = call.array(0);
    for index in 1..call.count() {
        let source = call.array(index);
        replace_into(call.vm, &mut result, &source, &mut Above::new())?;
    }
    Ok(result.into())
}

fn replace_into(
    vm: &mut Vm,
    target: &mut ArrayHandle,
    source: &PhpArray,
    above: &mut Above,
) -> PhpResult<()> {
    enter(vm, source, above)?;
    for (key, value) in source.iter() {
        vm.poll();
        if value.deref().kind() != ARRAY {
            target.make_mut(vm).set(key, share_element(value));
            continue;
        }
        let new = hold(value).array();
        let old = target.get(key).map(hold).and_then(|value| value.array());
        match (old, new) {
            (Some(mut old), Some(new)) => {
                let key: Key = key.to_key();
                target.make_mut(vm).set(key.as_ref(), Value::NULL);
                replace_into(vm, &mut old, &new, above)?;
                target.make_mut(vm).set(key.as_ref(), old.into());
            }
            _ => target.make_mut(vm).set(key, share_element(value)),
        }
    }
    above.pop();
    Ok(())
}
