//! Arrays and callbacks: `array_map`, `array_filter`, `array_walk`, `array_reduce`, `array_find`, ...

use vm_runtime::array::{Entries, KeyRef, PhpArray};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::interpreter::object_loops;
use vm_runtime::object::write::{dynamic_table, make_property_reference};
use vm_runtime::object::{fill_table, lazy};
use vm_runtime::operators::{self, convert::share_element};
use vm_runtime::value::{ARRAY, OBJECT, ObjectHandle, StringHandle, Value, Zval, make_reference};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{Append, Callback, define, functions, hold, new_list};

functions! {
    "array_map(?callable $callback, array $array, array ...$arrays): array" => array_map,
    "array_filter(array $array, ?callable $callback = null, int $mode = 0): array" => array_filter,
    "array_reduce(array $array, callable $callback, mixed $initial = null): mixed" => array_reduce,
    "array_walk(array|object &$array, callable $callback, mixed $arg = UNKNOWN): true" => array_walk,
    "array_walk_recursive(array|object &$array, callable $callback, mixed $arg = UNKNOWN): true" => array_walk_recursive,
    "array_find(array $array, callable $callback): mixed" => array_find,
    "array_find_key(array $array, callable $callback): mixed" => array_find_key,
    "array_any(array $array, callable $callback): bool" => array_any,
    "array_all(array $array, callable $callback): bool" => array_all,
}

const USE_BOTH: i64 = 1;
const USE_KEY: i64 = 2;

#[cold]
pub(crate) fn register(vm: &mut vm_runtime::vm::Vm) {
    define(
        vm,
        &[
            ("ARRAY_FILTER_USE_BOTH", USE_BOTH),
            ("ARRAY_FILTER_USE_KEY", USE_KEY),
        ],
    );
    vm.register_functions(FUNCTIONS);
}

fn array_map(call: &mut Call<'_>) -> PhpResult<Value> {
    let callback = call.has(0).then(|| Callback::new(call.vm, call.value(0)));
    if call.count() > 2 {
        return map_many(call, callback);
    }
    let array = call.elements(1);
    let Some(callback) = callback else {
        return Ok(call.value(1));
    };
    let mut result = new_list(call.vm, array.len());
    for (key, value) in array.iter() {
        let mapped = callback.call(call.vm, [share_element(value)])?;
        let target = result.make_mut(call.vm);
        if array.is_packed() && key == KeyRef::Long(target.len() as i64) {
            target.append(mapped);
        } else {
            target.set_new(key, mapped);
        }
    }
    Ok(result.into())
}

fn map_many(call: &mut Call<'_>, callback: Option<Callback>) -> PhpResult<Value> {
    let arrays: Vec<&PhpArray> = (1..call.count())
        .map(|index| call.elements(index))
        .collect();
    let rows = arrays.iter().map(|array| array.len()).max().unwrap_or(0);
    let mut columns: Vec<_> = arrays.iter().map(|array| array.iter()).collect();
    let mut result = new_list(call.vm, rows);
    let next = |column: &mut Entries<'_>| {
        let value = column.next();
        value.map_or(Value::NULL, |(_, value)| share_element(value))
    };
    for _ in 0..rows {
        let value = match (&callback, columns.as_mut_slice()) {
            (Some(callback), [one, other]) => callback.call(call.vm, [next(one), next(other)])?,
            (Some(callback), columns) => {
                callback.call_all(call.vm, columns.iter_mut().map(next).collect())?
            }
            (None, columns) => {
                let mut row = new_list(call.vm, columns.len());
                let values = row.make_mut(call.vm);
                columns
                    .iter_mut()
                    .for_each(|column| values.append(next(column)));
                row.into()
            }
        };
        result.make_mut(call.vm).append(value);
    }
    Ok(result.into())
}

fn array_filter(call: &mut Call<'_>) -> PhpResult<Value> {
    let array = call.elements(0);
    let callback = call.has(1).then(|| Callback::new(call.vm, call.value(1)));
    let mode = call.long(2);
    let mut result = new_list(call.vm, 0);
    for (key, value) in array.iter() {
        let keep = match &callback {
            None => operators::to_bool(value),
            Some(callback) => {
                let verdict = match mode {
                    USE_KEY => callback.call(call.vm, [key.to_value()])?,
                    USE_BOTH => callback.call(call.vm, [share_element(value), key.to_value()])?,
                    _ => callback.call(call.vm, [share_element(value)])?,
                };
                operators::to_bool(&verdict)
            }
        };
        if keep {
            result.make_mut(call.vm).set_new(key, share_element(value));
        }
    }
    Ok(result.into())
}

fn array_reduce(call: &mut Call<'_>) -> PhpResult<Value> {
    let array = call.elements(0);
    let callback = Callback::new(call.vm, call.value(1));
    let mut carry = call.value(2);
    for (_, value) in array.iter() {
        carry = callback.call(call.vm, [carry, share_element(value)])?;
    }
    Ok(carry)
}

fn array_walk(call: &mut Call<'_>) -> PhpResult<Value> {
    walk(call, false)
}

fn array_walk_recursive(call: &mut Call<'_>) -> PhpResult<Value> {
    walk(call, true)
}

fn walk(call: &mut Call<'_>, recursive: bool) -> PhpResult<Value> {
    let callback = Callback::new(call.vm, call.value(1));
    let is_given = !call.argument(2).is_undef();
    let mut walk = Walk {
        callback: &callback,
        extra: is_given.then(|| call.value(2)),
        recursive,
        above: Vec::new(),
    };
    let slot = call.slot(0);
    walk.slot(call.vm, slot)?;
    Ok(true.into())
}

/// A walk through arrays and objects that code of the script may change meanwhile.
struct Walk<'c> {
    callback: &'c Callback,
    /// What the callback is given besides.
    extra: Option<Value>,
    recursive: bool,
    /// The arrays in arrays that are being walked, innermost last.
    above: Vec<*const PhpArray>,
}

impl Walk<'_> {
    /// Walks what is in a slot, with a place that follows the array as that of a loop by reference does.
    fn slot(&mut self, vm: &mut Vm, slot: *mut Zval) -> PhpResult<()> {
        let mut place = None;
        let outcome = self.steps(vm, slot, &mut place);
        if let Some(place) = place {
            vm.heap.iterators.remove(place);
        }
        outcome
    }

    /// The steps of it: each finds its place anew.
    fn steps(&mut self, vm: &mut Vm, slot: *mut Zval, place: &mut Option<u32>) -> PhpResult<()> {
        let mut has_begun = false;
        loop {
            // SAFETY: I4: the slot is an argument or lies in a reference box that the caller holds.
            let target = unsafe { (*slot).deref_mut() };
            if target.kind() == OBJECT
                && let Some(object) = Value::share(target).object()
            {
                object_loops::begin(vm, object.as_ptr());
                let outcome = self.object(vm, slot, &object);
                object_loops::end(vm, object.as_ptr());
                if outcome? {
                    return Ok(());
                }
                has_begun = true;
                if let Some(place) = place.take() {
                    vm.heap.iterators.remove(place);
                }
                continue;
            }
            if target.kind() != ARRAY {
                return Err(vm.throw_error(
                    KnownClass::TypeError,
                    "Iterated value is no longer an array or object",
                ));
            }
            // The element becomes a reference in an array of which the slot is the only owner.
            let mut array = crate::support::take_array(target);
            let writable = array.make_mut(vm);
            let iterators = &mut vm.heap.iterators;
            // An array that took the place of another one is walked from its own position on.
            let number = *place.get_or_insert_with(|| {
                let start = if has_begun {
                    writable.internal_position()
                } else {
                    0
                };
                iterators.add(writable, start)
            });
            let position = iterators.position(number, writable);
            let position = writable.next_position(position);
            iterators.set_position(number, position + 1);
            let found = writable.entry_at(position).map(|(key, _)| key.to_value());
            let Some(key) = found else {
                target.set(array.into_value().into_zval());
                return Ok(());
            };
            let element = writable.value_slot(position);
            // SAFETY: I5: a live entry of an array with one owner.
            let reference = unsafe {
                make_reference(&mut vm.heap, element);
                Value::from_zval((*element).share())
            };
            let walked = array.as_ptr().cast_const();
            has_begun = true;
            target.set(array.into_value().into_zval());
            self.element(vm, reference, key)?;
            // SAFETY: as above.
            let target = unsafe { (*slot).deref_mut() };
            if target.kind() == ARRAY && std::ptr::eq(target.array(), walked) {
                // SAFETY: I3: the array is live.
                let next = vm
                    .heap
                    .iterators
                    .position(number, unsafe { &mut *target.array() });
                crate::support::unwrap_element(target, next.saturating_sub(1));
            }
        }
    }

    /// Walks the properties of the object in a slot, whoever may see them: each becomes a reference for the call.
    /// False if something else took the object's place.
    fn object(&mut self, vm: &mut Vm, slot: *mut Zval, object: &ObjectHandle) -> PhpResult<bool> {
        let has_table =
            |handlers: &vm_runtime::class::NativeHandlers| handlers.properties.is_some();
        if object.class().handlers.is_some_and(has_table) {
            fill_table(vm, object);
            self.table(vm, object)?;
            return Ok(true);
        }
        let owner = &lazy::with_state(vm, object)?;
        let mut position = 0;
        while let Some((key, property)) = next_property(vm, owner, &mut position) {
            // SAFETY: I3: the slot is one of the object's, and the share keeps the reference.
            let reference = unsafe { Value::from_zval((*property).share()) };
            self.element(vm, reference, key.into())?;
            // SAFETY: I4: the slot is an argument or lies in a reference box that the caller holds.
            let target = Value::share(unsafe { (*slot).deref() });
            if target
                .object()
                .is_none_or(|target| target.as_ptr() != object.as_ptr())
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Walks what is in a reference, or gives it to the callback.
    fn element(&mut self, vm: &mut Vm, mut reference: Value, key: Value) -> PhpResult<()> {
        if !self.recursive || reference.deref().kind() != ARRAY {
            match &self.extra {
                None => self.callback.call(vm, [reference, key])?,
                Some(extra) => self.callback.call(vm, [reference, key, extra.clone()])?,
            };
            return Ok(());
        }
        vm.check_native_stack()?;
        let slot = reference.as_zval_mut();
        let target = slot.deref_mut();
        let mut array = crate::support::take_array(target);
        array.make_mut(vm);
        let inner = array.as_ptr().cast_const();
        target.set(array.into_value().into_zval());
        if self.above.contains(&inner) {
            return Err(vm.throw_error(KnownClass::Error, "Recursion detected"));
        }
        self.above.push(inner);
        let outcome = self.slot(vm, slot);
        self.above.pop();
        outcome
    }

    /// Walks what an object shows as its properties but does not have as such.
    fn table(&mut self, vm: &mut Vm, object: &ObjectHandle) -> PhpResult<()> {
        let properties = operators::convert::property_table(vm, object);
        for (key, value) in properties.iter() {
            // SAFETY: I3: the new share belongs to the new value; references stay references.
            let value = unsafe { Value::from_zval(value.share()) };
            let mut arguments = vec![value, key.to_value()];
            arguments.extend(self.extra.clone());
            self.callback.call_all(vm, arguments)?;
        }
        Ok(())
    }
}

/// The mangled name of the property at a position or after it, and its slot, made a reference.
fn next_property(
    vm: &mut Vm,
    object: &ObjectHandle,
    position: &mut u32,
) -> Option<(StringHandle, *mut Zval)> {
    // SAFETY: I3: slots of the live object; I4: names and infos live as long as the class.
    unsafe {
        while *position < object.slot_count {
            let index = *position;
            *position += 1;
            let info = object.class().slot_properties[index as usize];
            let slot = object.slot(index);
            if !info.is_null() && !(*slot).is_undef() {
                make_property_reference(vm, slot, info);
                return Some((StringHandle::share_raw((*info).mangled), slot));
            }
        }
        if object.dynamic.is_null() {
            return None;
        }
        let table = dynamic_table(vm, object.as_ptr());
        let found = table.next_position(*position - object.slot_count);
        let (key, _) = table.entry_at(found)?;
        let key = key.to_value();
        *position = object.slot_count + found + 1;
        let slot = table.value_slot(found);
        make_reference(&mut vm.heap, slot);
        let name = operators::to_string(vm, &key).ok()?;
        Some((name, slot))
    }
}

/// Key and value of the first element of which the callback says `wanted`.
fn first_with(call: &mut Call<'_>, wanted: bool) -> PhpResult<Option<(Value, Value)>> {
    let array = call.elements(0);
    let callback = Callback::new(call.vm, call.value(1));
    for (key, value) in array.iter() {
        let value = share_element(value);
        let verdict = callback.call(call.vm, [value.clone(), key.to_value()])?;
        if operators::to_bool(&verdict) == wanted {
            return Ok(Some((key.to_value(), hold(&value))));
        }
    }
    Ok(None)
}

fn array_find(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(first_with(call, true)?
        .map(|(_, value)| value)
        .unwrap_or_default())
}

fn array_find_key(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(first_with(call, true)?
        .map(|(key, _)| key)
        .unwrap_or_default())
}

fn array_any(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(first_with(call, true)?.is_some().into())
}

fn array_all(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(first_with(call, false)?.is_none().into())
}
