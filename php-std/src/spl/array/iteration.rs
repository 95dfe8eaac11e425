//! ArrayIterator as an iterator.

use vm_runtime::array::PhpArray;
use vm_runtime::class::{Fetched, Step};
use vm_runtime::function::Call;

use vm_runtime::object::PhpObject;
use vm_runtime::operators::convert::share_element;
use vm_runtime::value::{ARRAY, OBJECT, ObjectHandle, Value, ValueKind, make_reference};
use vm_runtime::vm::{PhpResult, Vm};

use super::place::{Properties, in_array};
use super::storage::{Target, data, place_of_property, target};
use crate::spl::{this, throw};
use crate::support::{direct, string_of};

/// The current entry: key and value.
fn entry(vm: &mut Vm, object: &PhpObject) -> PhpResult<Option<(Value, Value)>> {
    if let Some((array, position)) = in_array(vm, object) {
        let entry = array.entry_at(array.next_position(*position));
        return Ok(entry.map(|(key, value)| (key.to_value(), Value::share(value))));
    }
    let Some(properties) = properties(vm, object, Properties::here)? else {
        return Ok(None);
    };
    let value = properties.value();
    Ok(properties
        .key()
        .zip(value.map(|value| Value::share(value.as_zval()))))
}

/// The properties that are gone through where an object is wrapped, at the first one or where the iterator is.
fn properties(
    vm: &mut Vm,
    object: &PhpObject,
    at: fn(&mut Vm, &PhpObject, &ObjectHandle) -> PhpResult<Properties>,
) -> PhpResult<Option<Properties>> {
    match target(object) {
        Target::Array(_) => Ok(None),
        Target::Object(inner) => at(vm, object, &inner).map(Some),
    }
}

/// Where the element behind a position is, or the end; behind that a step leads nowhere.
#[inline]
fn following(array: &PhpArray, position: u32) -> u32 {
    let here = array.next_position(position);
    match here < array.positions() {
        true => array.next_position(here + 1),
        false => position,
    }
}

/// A step of a loop. The current element may be a reference.
pub(super) fn step(vm: &mut Vm, object: &ObjectHandle, step: Step) -> PhpResult<Value> {
    if let Some((array, position)) = in_array(vm, object) {
        let here = array.next_position(*position);
        return Ok(match step {
            Step::Rewind => {
                *position = array.next_position(0);
                Value::NULL
            }
            Step::Valid => (here < array.positions()).into(),
            Step::Current => array
                .entry_at(here)
                .map_or(Value::NULL, |(_, value)| share_element(value)),
            Step::Key => array
                .entry_at(here)
                .map_or(Value::NULL, |(key, _)| key.to_value()),
            Step::Next => {
                *position = following(array, *position);
                Value::NULL
            }
        });
    }
    let at = match step {
        Step::Rewind => Properties::first,
        _ => Properties::here,
    };
    let Some(mut properties) = properties(vm, object, at)? else {
        return Ok(Value::NULL);
    };
    Ok(match step {
        Step::Rewind => Value::NULL,
        Step::Valid => properties.is_valid().into(),
        Step::Current => properties.value().unwrap_or(Value::NULL),
        Step::Key => properties.key().unwrap_or(Value::NULL),
        Step::Next => {
            properties.advance(vm, object);
            Value::NULL
        }
    })
}

/// What a loop fetches. The element may be a reference.
pub(super) fn fetch(
    vm: &mut Vm,
    object: &ObjectHandle,
    goes_on: bool,
    wants_key: bool,
) -> PhpResult<Option<Fetched>> {
    let fetched = match in_array(vm, object) {
        Some((array, position)) => {
            if goes_on {
                *position = following(array, *position);
            }
            array
                .entry_at(array.next_position(*position))
                .map(|(key, value)| (share_element(value), wants_key.then(|| key.to_value())))
        }
        None => fetch_property(vm, object, goes_on, wants_key)?,
    };
    let nothing = (!goes_on).then(|| (Value::NULL, wants_key.then_some(Value::NULL)));
    Ok(fetched.or(nothing))
}

fn fetch_property(
    vm: &mut Vm,
    object: &PhpObject,
    goes_on: bool,
    wants_key: bool,
) -> PhpResult<Option<Fetched>> {
    let Some(mut properties) = properties(vm, object, Properties::here)? else {
        return Ok(None);
    };
    if goes_on {
        properties.advance(vm, object);
    }
    if !properties.is_valid() {
        return Ok(None);
    }
    let value = properties.value().unwrap_or(Value::NULL);
    let key = wants_key.then(|| properties.key().unwrap_or(Value::NULL));
    Ok(Some((value, key)))
}

/// The current element as a reference to its place, for loops by reference.
pub(super) fn current_place(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<Value> {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { &*object };
    if let Some(properties) = properties(vm, object, Properties::here)? {
        let Some(key) = properties.key().filter(|_| properties.is_valid()) else {
            return Ok(Value::NULL);
        };
        let name = string_of(vm, &key)?;
        return place_of_property(vm, properties.object(), &name);
    }
    if let Target::Array(array) = target(object) {
        array.make_mut(vm);
    }
    let Some((array, position)) = in_array(vm, object) else {
        return Ok(Value::NULL);
    };
    let position = array.next_position(*position);
    let Target::Array(array) = target(object) else {
        return Ok(Value::NULL);
    };
    let array = array.make_mut(vm);
    if position >= array.positions() {
        return Ok(Value::NULL);
    }
    let place = array.value_slot(position);
    // SAFETY: I5: a live entry of an array with one owner.
    unsafe {
        make_reference(&mut vm.heap, place);
        Ok(Value::from_zval((*place).share()))
    }
}

direct! {
    pub(super) fn current_directly(vm, this;) {
        let (array, position) = in_array(vm, this)?;
        let entry = array.entry_at(array.next_position(*position));
        Some(entry.map_or(Value::NULL, |(_, value)| Value::share(value)))
    }

    pub(super) fn key_directly(vm, this;) {
        let (array, position) = in_array(vm, this)?;
        let entry = array.entry_at(array.next_position(*position));
        Some(entry.map_or(Value::NULL, |(key, _)| key.to_value()))
    }

    pub(super) fn has_children_directly(vm, this;) {
        let arrays_only = data(this).flags & ARRAYS_ONLY != 0;
        let (array, position) = in_array(vm, this)?;
        let entry = array.entry_at(array.next_position(*position));
        Some(entry.is_some_and(|(_, value)| match value.deref().kind() {
            ARRAY => true,
            kind => kind == OBJECT && !arrays_only,
        }))
    }

    pub(super) fn valid_directly(vm, this;) {
        let (array, position) = in_array(vm, this)?;
        Some(array.next_position(*position) < array.positions())
    }

    pub(super) fn next_directly(vm, this;) {
        let (array, position) = in_array(vm, this)?;
        *position = following(array, *position);
        Some(())
    }
}

pub(super) fn rewind(call: &mut Call<'_>) -> PhpResult<Value> {
    step(call.vm, &this(call), Step::Rewind)
}

pub(super) fn current(call: &mut Call<'_>) -> PhpResult<Value> {
    let element = step(call.vm, &this(call), Step::Current)?;
    Ok(Value::share(element.as_zval()))
}

pub(super) fn key(call: &mut Call<'_>) -> PhpResult<Value> {
    step(call.vm, &this(call), Step::Key)
}

pub(super) fn next(call: &mut Call<'_>) -> PhpResult<Value> {
    step(call.vm, &this(call), Step::Next)
}

pub(super) fn valid(call: &mut Call<'_>) -> PhpResult<Value> {
    step(call.vm, &this(call), Step::Valid)
}

pub(super) fn seek(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, wanted) = (this(call), call.long(0));
    if wanted >= 0 {
        step(call.vm, &object, Step::Rewind)?;
        for left in (0..=wanted).rev() {
            // A search that finds nothing leads to the end.
            let valid = step(call.vm, &object, Step::Valid)?;
            if !vm_runtime::operators::to_bool(&valid) {
                break;
            }
            if left == 0 {
                return Ok(Value::NULL);
            }
            step(call.vm, &object, Step::Next)?;
        }
    }
    Err(throw(
        call.vm,
        "OutOfBoundsException",
        &format!("Seek position {wanted} is out of range"),
    ))
}

/// `CHILD_ARRAYS_ONLY`
const ARRAYS_ONLY: i64 = 4;

pub(super) fn has_children(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let arrays_only = data(&object).flags & ARRAYS_ONLY != 0;
    let found = entry(call.vm, &object)?.is_some_and(|(_, value)| match value.view() {
        ValueKind::Array(_) => true,
        ValueKind::Object(_) => !arrays_only,
        _ => false,
    });
    Ok(found.into())
}

pub(super) fn get_children(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let Some((_, value)) = entry(call.vm, &object)? else {
        return Ok(Value::NULL);
    };
    if value.as_zval().kind() == OBJECT {
        if data(&object).flags & ARRAYS_ONLY != 0 {
            return Ok(Value::NULL);
        }
        if value
            .object()
            .is_some_and(|inner| inner.class().is_subclass_of(object.class))
        {
            return Ok(value);
        }
    }
    let flags = Value::from(data(&object).flags);
    let child = vm_runtime::object::new_object(call.vm, object.class)?;
    let constructor = child.class().magic.construct;
    call.vm.call_function(
        constructor,
        Some(child.clone()),
        child.class,
        vec![value, flags],
    )?;
    Ok(child.into())
}
