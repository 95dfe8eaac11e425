//! Both ends: `array_push`, `array_pop`, `array_shift`, `array_unshift`, and the internal pointer.

use vm_runtime::array::{KeyRef, PhpArray};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::lazy::with_state;
use vm_runtime::object::set_pointer;
use vm_runtime::operators::convert::share_element;
use vm_runtime::value::{ARRAY, ArrayHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{Append, Outcome, direct, functions, hold, new_list};

functions! {
    "array_push(array &$array, mixed ...$values): int" => array_push | array_push_directly,
    "array_pop(array &$array): mixed" => array_pop | array_pop_directly,
    "array_shift(array &$array): mixed" => array_shift | array_shift_directly,
    "array_unshift(array &$array, mixed ...$values): int" => array_unshift | array_unshift_directly,
    "current(array|object $array): mixed" => current | current_directly,
    "pos(array|object $array): mixed" => current | current_directly,
    "key(array|object $array): string|int|null" => key | key_directly,
    "next(array|object &$array): mixed" => next | next_directly,
    "prev(array|object &$array): mixed" => prev | prev_directly,
    "reset(array|object &$array): mixed" => reset | reset_directly,
    "end(array|object &$array): mixed" => end | end_directly,
}

/// The array in a variable that was passed by reference, if it can be changed in place: nobody else
/// shares it, and no typed property is bound to the variable.
#[allow(
    clippy::mut_from_ref,
    reason = "the reference is shared, the array behind it is not"
)]
fn own_array(argument: &Zval) -> Option<&mut PhpArray> {
    if !argument.is_reference() {
        return None;
    }
    // SAFETY: I3: the reference is live. A VM runs on one thread, and a direct entry has the only
    // borrow of an array whose single owner is this variable.
    unsafe {
        let reference = argument.reference();
        let value = &(*reference).value;
        if !(*reference).sources.is_null()
            || value.kind() != ARRAY
            || !value.is_refcounted()
            || (*value.counted()).refcount != 1
        {
            return None;
        }
        Some(&mut *value.array())
    }
}

fn array_push_directly(_: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let [array, value] = arguments else {
        return false;
    };
    let Some(array) = own_array(array).filter(|array| array.next_free_key().is_some()) else {
        return false;
    };
    let pushed = array.push(Value::share(value)).is_ok();
    debug_assert!(pushed, "a key was free");
    (array.len() as i64).store(result)
}

fn array_pop_directly(_: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let [array] = arguments else {
        return false;
    };
    match own_array(array) {
        Some(array) => pop(array).store(result),
        None => false,
    }
}

fn array_shift_directly(_: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let [array] = arguments else {
        return false;
    };
    match own_array(array).and_then(PhpArray::shift_packed) {
        Some(value) if value.is_reference() => hold(&value).store(result),
        Some(value) => value.store(result),
        None => false,
    }
}

fn array_unshift_directly(_: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let [array, values @ ..] = arguments else {
        return false;
    };
    let Some(array) = own_array(array) else {
        return false;
    };
    let is_done = array.unshift_packed(values.iter().map(Value::share));
    is_done && (array.len() as i64).store(result)
}

/// Takes the last element out.
fn pop(array: &mut PhpArray) -> Value {
    if let Some(value) = array.pop_packed() {
        return match value.is_reference() {
            true => hold(&value),
            false => value,
        };
    }
    let Some(position) = array.previous_position(array.positions()) else {
        return Value::NULL;
    };
    let number = match array.entry_at(position) {
        Some((KeyRef::Long(number), _)) => Some(number),
        _ => None,
    };
    let value = array.take_at(position);
    if let Some(number) = number
        && array.next_free_key() == number.checked_add(1)
    {
        array.set_next_free_key(number);
    }
    array.set_internal_position(0);
    hold(&value)
}

direct! {
    fn current_directly(_; array: &PhpArray) { element_at(array, pointer(array)) }

    fn key_directly(_; array: &PhpArray) { key_at(array, pointer(array)) }
}

/// Where the internal pointer of an array stands: at an element, or behind all.
fn pointer(array: &PhpArray) -> u32 {
    array.next_position(array.internal_position())
}

/// The element at a position, or `false`.
fn element_at(array: &PhpArray, position: u32) -> Value {
    let entry = array.entry_at(position);
    entry.map_or(false.into(), |(_, value)| hold(value))
}

/// The key at a position, or `null`.
fn key_at(array: &PhpArray, position: u32) -> Value {
    let entry = array.entry_at(position);
    entry.map_or(Value::NULL, |(key, _)| key.to_value())
}

/// Moves the pointer of an array, given where it stands, and gives the element there.
fn move_pointer(array: &mut PhpArray, to: fn(&PhpArray, u32) -> u32) -> Value {
    let position = to(array, pointer(array));
    array.set_internal_position(position);
    element_at(array, position)
}

fn behind(array: &PhpArray, here: u32) -> u32 {
    match here < array.positions() {
        true => array.next_position(here + 1),
        false => here,
    }
}

fn before(array: &PhpArray, here: u32) -> u32 {
    match here < array.positions() {
        true => array.previous_position(here).unwrap_or(array.positions()),
        false => here,
    }
}

fn at_start(array: &PhpArray, _: u32) -> u32 {
    array.next_position(0)
}

fn at_end(array: &PhpArray, _: u32) -> u32 {
    array.previous_position(array.positions()).unwrap_or(0)
}

/// Direct entries of functions that move the pointer of an array which can be changed in place.
macro_rules! moving_directly {
    ($($name:ident => $to:ident,)*) => {$(
        fn $name(_: &mut Vm, _: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
            let [array] = arguments else {
                return false;
            };
            own_array(array).is_some_and(|array| move_pointer(array, $to).store(result))
        }
    )*};
}

moving_directly! {
    next_directly => behind,
    prev_directly => before,
    reset_directly => at_start,
    end_directly => at_end,
}

fn array_push(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut array = call.take_array(0);
    for index in 1..call.count() {
        let value = call.value(index);
        if array.make_mut(call.vm).push(value).is_err() {
            call.assign(0, array.into());
            return Err(call.vm.throw_error(
                KnownClass::Error,
                "Cannot add element to the array as the next element is already occupied",
            ));
        }
    }
    let count = array.len();
    call.assign(0, array.into());
    Ok(count.into())
}

fn array_pop(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut array = call.take_array(0);
    let value = pop(array.make_mut(call.vm));
    call.assign(0, array.into());
    Ok(value)
}

/// The same elements with `int` keys counted from 0 on.
fn renumbered(vm: &mut Vm, before: &[Value], array: &ArrayHandle, skip: usize) -> ArrayHandle {
    let mut result = new_list(vm, before.len() + array.len());
    let target = result.make_mut(vm);
    target.extend_shared(before.iter().map(Value::as_zval));
    if let Some(values) = array.packed() {
        target.extend_shared(values[skip.min(values.len())..].iter());
        return result;
    }
    for (key, value) in array.iter().skip(skip) {
        let value = share_element(value);
        match key {
            KeyRef::Long(_) => target.append(value),
            KeyRef::String(key) => target.set_string(key, value),
        }
    }
    result
}

fn array_shift(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut array = call.take_array(0);
    if array.is_empty() {
        call.assign(0, array.into());
        return Ok(Value::NULL);
    }
    if let Some(first) = array.make_mut(call.vm).shift_packed() {
        call.assign(0, array.into());
        return Ok(hold(&first));
    }
    let first = array
        .iter()
        .next()
        .map_or(Value::NULL, |(_, value)| hold(value));
    let mut rest = renumbered(call.vm, &[], &array, 1);
    let vm = &mut *call.vm;
    let rest_of_loop = |array: &PhpArray, at: u32| {
        // Elements of a list take the loops along that stand at them.
        let stays = array.entry_at(at).is_none() || at == array.next_position(0);
        match array.is_packed() && stays {
            true => at,
            false => array.elements_before(at).saturating_sub(1),
        }
    };
    rest.make_mut(vm)
        .take_iterators(array.make_mut(vm), rest_of_loop);
    drop(array);
    call.assign(0, rest.into());
    Ok(first)
}

fn array_unshift(call: &mut Call<'_>) -> PhpResult<Value> {
    let values: Vec<Value> = (1..call.count()).map(|index| call.value(index)).collect();
    let mut array = call.take_array(0);
    let mut result = renumbered(call.vm, &values, &array, 0);
    let vm = &mut *call.vm;
    if array.refcount() == 1 {
        let added = values.len() as u32;
        result
            .make_mut(vm)
            .take_iterators(array.make_mut(vm), |_, at| at.saturating_add(added));
    }
    drop(array);
    let count = result.len();
    call.assign(0, result.into());
    Ok(count.into())
}

/// The array whose pointer a function reads: the argument itself, or an object's properties.
fn pointed(call: &mut Call<'_>) -> PhpResult<ArrayHandle> {
    let value = call.value(0);
    if value.kind() == ARRAY {
        return Ok(call.array(0));
    }
    let name = call.function().display_name();
    call.vm.deprecated(format!(
        "{name}(): Calling {name}() on an object is deprecated"
    ));
    call.vm.check()?;
    // Its own properties, whatever a native class makes of a cast to array.
    match value.object() {
        Some(object) => {
            let object = with_state(call.vm, &object)?;
            Ok(crate::core::mangled_properties(call.vm, &object))
        }
        None => Ok(vm_runtime::operators::to_array(call.vm, &value)),
    }
}

fn current(call: &mut Call<'_>) -> PhpResult<Value> {
    let array = pointed(call)?;
    Ok(element_at(&array, pointer(&array)))
}

fn key(call: &mut Call<'_>) -> PhpResult<Value> {
    let array = pointed(call)?;
    Ok(key_at(&array, pointer(&array)))
}

/// Moves the pointer of the array in argument #1 and gives the element there, or `false`.
fn moved(call: &mut Call<'_>, to: fn(&PhpArray, u32) -> u32) -> PhpResult<Value> {
    let slot: &Zval = call.argument(0).deref();
    let mut array = if slot.kind() == ARRAY {
        call.take_array(0)
    } else {
        pointed(call)?
    };
    let is_array = call.argument(0).deref().kind() == vm_runtime::value::NULL;
    // Separating squeezes out deleted entries: positions are those of the separated array.
    let value = move_pointer(array.make_mut(call.vm), to);
    if is_array {
        call.assign(0, array.into());
    } else if let Some(object) = call.value(0).object() {
        let object = with_state(call.vm, &object)?;
        set_pointer(call.vm, &object, array.internal_position());
    }
    Ok(value)
}

fn next(call: &mut Call<'_>) -> PhpResult<Value> {
    moved(call, behind)
}

fn prev(call: &mut Call<'_>) -> PhpResult<Value> {
    moved(call, before)
}

fn reset(call: &mut Call<'_>) -> PhpResult<Value> {
    moved(call, at_start)
}

fn end(call: &mut Call<'_>) -> PhpResult<Value> {
    moved(call, at_end)
}
