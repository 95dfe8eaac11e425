//! ArrayIterator as an iterator.

use vm_runtime::array::KeyRef;
use vm_runtime::class::{Fetched, Step};
use vm_runtime::function::Call;

use vm_runtime::object::PhpObject;
use vm_runtime::operators::convert::share_element;
use vm_runtime::value::{
    ARRAY, ArrayHandle, OBJECT, ObjectHandle, Value, ValueKind, Zval, make_reference,
};
use vm_runtime::vm::{PhpResult, Vm};

use super::storage::{Storage, Target, data, object_table, place_of_property, target};
use crate::spl::{this, throw};
use crate::support::{direct, string_of};

/// The elements for reading.
fn elements(vm: &mut Vm, object: &PhpObject) -> PhpResult<ArrayHandle> {
    match target(object) {
        Target::Array(array) => Ok(array.clone()),
        Target::Object(inner) => object_table(vm, &inner),
    }
}

/// What `take` makes of the current entry, if there is one.
fn with_entry<T>(
    vm: &mut Vm,
    object: &PhpObject,
    take: impl FnOnce(KeyRef<'_>, &Zval) -> T,
) -> PhpResult<Option<T>> {
    let own = data(object);
    if let Storage::Array(array) = &own.storage {
        own.position = array.next_position(own.position);
        let entry = array.entry_at(own.position);
        return Ok(entry.map(|(key, value)| take(key, value)));
    }
    let from = own.position;
    let own;
    let array = match target(object) {
        Target::Array(array) => &**array,
        Target::Object(inner) => {
            data(object).note_walk(vm, inner.as_ptr());
            own = object_table(vm, &inner)?;
            &*own
        }
    };
    let position = array.next_position(from);
    let taken = array
        .entry_at(position)
        .map(|(key, value)| take(key, value));
    if position != from {
        data(object).position = position;
    }
    Ok(taken)
}

/// The current entry: key and value.
fn entry(call: &mut Call<'_>) -> PhpResult<Option<(Value, Value)>> {
    let object = this(call);
    with_entry(call.vm, &object, |key, value| {
        (key.to_value(), Value::share(value))
    })
}

/// A step of a loop. The current element may be a reference.
pub(super) fn step(vm: &mut Vm, object: &ObjectHandle, step: Step) -> PhpResult<Value> {
    Ok(match step {
        Step::Rewind => {
            data(object).position = 0;
            if let Target::Object(inner) = target(object) {
                data(object).note_walk(vm, inner.as_ptr());
            }
            Value::NULL
        }
        Step::Valid => with_entry(vm, object, |_, _| ())?.is_some().into(),
        Step::Current => {
            with_entry(vm, object, |_, value| share_element(value))?.unwrap_or(Value::NULL)
        }
        Step::Key => with_entry(vm, object, |key, _| key.to_value())?.unwrap_or(Value::NULL),
        Step::Next => {
            if with_entry(vm, object, |_, _| ())?.is_some() {
                data(object).position += 1;
            }
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
    if goes_on && with_entry(vm, object, |_, _| ())?.is_some() {
        data(object).position += 1;
    }
    let fetched = with_entry(vm, object, |key, value| {
        (share_element(value), wants_key.then(|| key.to_value()))
    })?;
    let nothing = (!goes_on).then(|| (Value::NULL, wants_key.then_some(Value::NULL)));
    Ok(fetched.or(nothing))
}

/// The current element as a reference to its place, for loops by reference.
pub(super) fn current_place(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<Value> {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { &*object };
    let position = data(object).position;
    match target(object) {
        Target::Array(array) => {
            let array = array.make_mut(vm);
            let position = array.next_position(position);
            data(object).position = position;
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
        Target::Object(inner) => {
            data(object).note_walk(vm, inner.as_ptr());
            let table = object_table(vm, &inner)?;
            let position = table.next_position(position);
            data(object).position = position;
            let Some((key, _)) = table.entry_at(position) else {
                return Ok(Value::NULL);
            };
            let name = string_of(vm, &key.to_value())?;
            place_of_property(vm, &inner, &name)
        }
    }
}

/// What `take` makes of the current entry of the array that is wrapped, if there is one.
fn of_entry<T>(this: &PhpObject, take: impl FnOnce(KeyRef<'_>, &Zval) -> T) -> Option<Option<T>> {
    let own = data(this);
    let Storage::Array(array) = &own.storage else {
        return None;
    };
    own.position = array.next_position(own.position);
    let entry = array.entry_at(own.position);
    Some(entry.map(|(key, value)| take(key, value)))
}

direct! {
    pub(super) fn current_directly(_, this;) {
        let current = of_entry(this, |_, value| Value::share(value))?;
        Some(current.unwrap_or(Value::NULL))
    }

    pub(super) fn key_directly(_, this;) {
        let key = of_entry(this, |key, _| key.to_value())?;
        Some(key.unwrap_or(Value::NULL))
    }

    pub(super) fn has_children_directly(_, this;) {
        let arrays_only = data(this).flags & ARRAYS_ONLY != 0;
        let has = of_entry(this, |_, value| match value.deref().kind() {
            ARRAY => true,
            kind => kind == OBJECT && !arrays_only,
        })?;
        Some(has.unwrap_or(false))
    }

    pub(super) fn valid_directly(_, this;) {
        of_entry(this, |_, _| ()).map(|entry| entry.is_some())
    }

    pub(super) fn next_directly(_, this;) {
        let entry = of_entry(this, |_, _| ())?;
        data(this).position += u32::from(entry.is_some());
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
    let array = elements(call.vm, &object)?;
    if wanted >= 0 {
        let mut position = array.next_position(0);
        for _ in 0..wanted.min(array.len() as i64) {
            position = array.next_position(position + 1);
        }
        // A search that finds nothing leads to the end.
        data(&object).position = position;
        if array.entry_at(position).is_some() {
            return Ok(Value::NULL);
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
    let arrays_only = data(&this(call)).flags & ARRAYS_ONLY != 0;
    let found = entry(call)?.is_some_and(|(_, value)| match value.view() {
        ValueKind::Array(_) => true,
        ValueKind::Object(_) => !arrays_only,
        _ => false,
    });
    Ok(found.into())
}

pub(super) fn get_children(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let Some((_, value)) = entry(call)? else {
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
