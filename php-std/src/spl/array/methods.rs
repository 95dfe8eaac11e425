//! Methods that ArrayObject and ArrayIterator have in common.

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::PhpObject;
use vm_runtime::value::{ARRAY, LONG, ObjectHandle, StringHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use vm_runtime::interpreter::array_keys::KeyUse;

use super::storage::{self, ArrayData, Storage, Target, copy, data, target};
use crate::spl::{legacy, this, throw};

/// Takes an argument as the new storage.
///
/// Another ArrayObject that is the only argument adds its flags.
fn adopt(call: &mut Call<'_>, object: &PhpObject, index: usize) -> PhpResult<()> {
    storage::check_unsorted(call.vm, object)?;
    let value = call.value(index);
    let storage = match value.view() {
        ValueKind::Object(inner) => {
            let Some(handle) = value.object() else {
                return Ok(());
            };
            check_plain(call.vm, object, inner)?;
            if let Some(other) = inner.native::<ArrayData>()
                && call.count() == 1
            {
                data(object).flags |= other.flags;
            }
            match std::ptr::eq(inner, object) {
                true => Storage::Itself,
                false => Storage::Object(handle),
            }
        }
        _ => match value.array() {
            Some(array) => Storage::Array(array),
            None => return Ok(()),
        },
    };
    let old = replace_storage(call.vm, object, storage);
    drop(old);
    Ok(())
}

/// Puts another storage in the place of the old one, which nobody goes through any more.
fn replace_storage(vm: &mut Vm, object: &PhpObject, storage: Storage) -> Storage {
    let data = data(object);
    data.place.leave(vm);
    std::mem::replace(&mut data.storage, storage)
}

pub(super) fn construct_object(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.count() == 0 {
        // What it holds stays.
        return Ok(Value::NULL);
    }
    let object = this(call);
    data(&object).flags = call.long(1);
    if call.count() > 2 {
        let name = call.string(2);
        choose_iterator(call, &object, &name, 2)?;
    }
    adopt(call, &object, 0)?;
    Ok(Value::NULL)
}

pub(super) fn construct_iterator(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.count() == 0 {
        // What it holds stays.
        return Ok(Value::NULL);
    }
    let object = this(call);
    data(&object).flags = call.long(1);
    adopt(call, &object, 0)?;
    Ok(Value::NULL)
}

fn choose_iterator(
    call: &mut Call<'_>,
    object: &PhpObject,
    name: &StringHandle,
    index: usize,
) -> PhpResult<()> {
    let base = call.vm.linked_class(b"arrayiterator");
    let found = call.vm.class_by_name(name.as_bytes(), true)?;
    match (found, base) {
        // SAFETY: I4: classes live until the VM ends.
        (Some(found), Some(base)) if unsafe { (*found).is_subclass_of(base) } => {
            data(object).iterator_class = found;
            Ok(())
        }
        _ => {
            let problem = format!(
                "must be a class name derived from ArrayIterator, {} given",
                name.to_text()
            );
            Err(call.type_error(index, &problem))
        }
    }
}

pub(super) fn offset_exists(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, offset) = (this(call), call.value(0));
    let found = storage::get(call.vm, &object, &offset, KeyUse::Isset)?;
    Ok(found.is_some().into())
}

/// `$object[$offset]`, unless a class overrides `offsetGet()`.
pub(super) fn offset_value(vm: &mut Vm, object: *mut PhpObject, offset: &Zval) -> PhpResult<Value> {
    // SAFETY: I3: the caller keeps the object.
    let found = storage::get(vm, unsafe { &*object }, offset, KeyUse::Access)?;
    Ok(found.unwrap_or(Value::NULL))
}

pub(super) fn offset_store(
    vm: &mut Vm,
    object: *mut PhpObject,
    offset: Option<&Zval>,
    value: Value,
) -> PhpResult<()> {
    let offset = offset.filter(|offset| !offset.deref().is_null());
    // SAFETY: I3: the caller keeps the object.
    storage::set(vm, unsafe { &*object }, offset, value)
}

pub(super) fn offset_get(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, offset) = (this(call), call.value(0));
    let found = storage::get(call.vm, &object, &offset, KeyUse::Access)?;
    Ok(found.unwrap_or(Value::NULL))
}

pub(super) fn offset_set(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, offset, value) = (this(call), call.value(0), call.value(1));
    let offset = (!offset.is_null()).then_some(offset);
    storage::set(call.vm, &object, offset.as_deref(), value)?;
    Ok(Value::NULL)
}

pub(super) fn append(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, value) = (this(call), call.value(0));
    // `$object[] = $value` does not mind.
    if matches!(target(&object), Target::Object(_)) {
        let message = format!(
            "Cannot append properties to objects, use {}::offsetSet() instead",
            object.class().display_name()
        );
        return Err(call.vm.throw_error(KnownClass::Error, message));
    }
    storage::set(call.vm, &object, None, value)?;
    Ok(Value::NULL)
}

pub(super) fn offset_unset(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, offset) = (this(call), call.value(0));
    storage::unset(call.vm, &object, &offset)?;
    Ok(Value::NULL)
}

pub(super) fn get_array_copy(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    Ok(copy(call.vm, &object)?.into())
}

pub(super) fn count(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let count = storage::count(call.vm, &object)?;
    Ok(count.into())
}

pub(super) fn get_flags(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(data(&this(call)).flags.into())
}

pub(super) fn set_flags(call: &mut Call<'_>) -> PhpResult<Value> {
    data(&this(call)).flags = call.long(0);
    Ok(Value::NULL)
}

pub(super) fn debug_info(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    Ok(storage::debug_info(call.vm, object.as_ptr())?.into())
}

/// Says in a serialised text that the object wraps itself; the storage is left out there.
const WRAPS_ITSELF: i64 = 0x0100_0000;

fn serialised_flags(object: &PhpObject) -> i64 {
    let data = data(object);
    match data.storage {
        Storage::Itself => data.flags | WRAPS_ITSELF,
        Storage::Array(_) | Storage::Object(_) => data.flags,
    }
}

pub(super) fn serialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let storage = storage::wrapped(&object).unwrap_or(Value::NULL);
    let flags = Value::from(serialised_flags(&object));
    let members: Value = vm_runtime::operators::convert::property_table(call.vm, &object).into();
    // Of an ArrayIterator, which iterates itself, always null.
    let iterator_class = iterator_class_name(call.vm, &object, true);
    Ok(crate::support::list(
        call.vm,
        [flags, storage, members, iterator_class],
    ))
}

fn iterator_class_name(_vm: &mut Vm, object: &PhpObject, or_null: bool) -> Value {
    let class = data(object).iterator_class;
    if class.is_null() && or_null {
        return Value::NULL;
    }
    // SAFETY: I4: classes live until the VM ends.
    unsafe { StringHandle::share_raw((*class).name) }.into()
}

pub(super) fn unserialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let parts = call.array(0);
    let invalid = |vm: &mut Vm| {
        throw(
            vm,
            "UnexpectedValueException",
            "Incomplete or ill-typed serialization data",
        )
    };
    let (Some(flags), Some(storage)) = (parts.get_long(0), parts.get_long(1)) else {
        return Err(invalid(call.vm));
    };
    // References are not looked through.
    let has_members = parts.get_long(2).is_some_and(|part| part.kind() == ARRAY);
    if flags.kind() != LONG || !has_members {
        return Err(invalid(call.vm));
    }
    let flags = flags.long();
    let is_reference = storage.is_reference();
    let storage = Value::share(storage);
    let storage = match (storage.array(), storage.object()) {
        _ if flags & WRAPS_ITSELF != 0 => Storage::Itself,
        (_, Some(inner)) if !is_reference && inner.same(&object) => Storage::Itself,
        (Some(array), _) if !is_reference => Storage::Array(array),
        (_, Some(inner)) if !is_reference => Storage::Object(inner),
        _ => {
            return Err(throw(
                call.vm,
                "InvalidArgumentException",
                "Passed variable is not an array or object",
            ));
        }
    };
    data(&object).flags = flags & !WRAPS_ITSELF;
    // Destructors of what was there find the new elements.
    let old = replace_storage(call.vm, &object, storage);
    drop(old);
    if let Some(members) = parts
        .get_long(2)
        .map(Value::share)
        .and_then(|part| part.array())
    {
        legacy::load_members(call.vm, &object, &members)?;
    }
    if let Some(name) = parts.get_long(3).and_then(|part| part.as_bytes()) {
        let base = call.vm.linked_class(b"arrayiterator");
        let found = call.vm.class_by_name(name, true)?;
        match (found, base) {
            // SAFETY: I4: classes live until the VM ends.
            (Some(found), Some(base)) if unsafe { (*found).is_subclass_of(base) } => {
                data(&object).iterator_class = found;
            }
            (found, _) => {
                let problem = match found {
                    None => {
                        "Cannot deserialize ArrayObject with iterator class '{}'; no such class exists"
                    }
                    Some(_) => {
                        "Cannot deserialize ArrayObject with iterator class '{}'; this class does not implement the Iterator interface"
                    }
                };
                let message = problem.replace("{}", &vm_runtime::message::text(name));
                return Err(throw(call.vm, "UnexpectedValueException", &message));
            }
        }
    }
    Ok(Value::NULL)
}

pub(super) fn serialize_legacy(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let mut writer = legacy::Writer::new(call.vm);
    writer.bytes(b"x:");
    writer.value(call.vm, &Value::from(serialised_flags(&object)))?;
    if let Some(storage) = storage::wrapped(&object) {
        writer.value(call.vm, &storage)?;
        writer.bytes(b";");
    }
    writer.members(call.vm, &object)
}

pub(super) fn unserialize_legacy(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, text) = (this(call), call.string(0));
    if text.is_empty() {
        return Ok(Value::NULL);
    }
    storage::check_unsorted(call.vm, &object)?;
    let mut reader = legacy::Reader::new(call.vm, &text);
    reader.expect(call.vm, b'x')?;
    reader.expect(call.vm, b':')?;
    let flags = reader.number(call.vm)?;
    reader.expect(call.vm, b';')?;
    if flags & WRAPS_ITSELF != 0 {
        data(&object).flags = flags & !WRAPS_ITSELF;
        let old = replace_storage(call.vm, &object, Storage::Itself);
        drop(old);
        return reader.members(call.vm, &object).map(|()| Value::NULL);
    }
    if !matches!(reader.peek(), b'a' | b'O' | b'C' | b'r') {
        return Err(reader.error(call.vm));
    }
    let value = reader.value(call.vm)?;
    let storage = match (value.array(), value.object()) {
        (Some(array), _) => Storage::Array(array),
        (_, Some(inner)) => {
            check_plain(call.vm, &object, &inner)?;
            Storage::Object(inner)
        }
        _ => return Err(reader.error(call.vm)),
    };
    data(&object).flags = flags;
    let old = replace_storage(call.vm, &object, storage);
    drop(old);
    reader.expect(call.vm, b';')?;
    reader.members(call.vm, &object)?;
    Ok(Value::NULL)
}

/// Classes whose properties are not those of their table.
const OVERLOADED: &[&[u8]] = &[
    b"datetimeinterface",
    b"datetimezone",
    b"dateinterval",
    b"dateperiod",
    b"splfixedarray",
    b"simplexmlelement",
    b"weakmap",
    b"bcmath\\number",
    b"ziparchive",
];

/// Objects that have no ordinary table of properties cannot be wrapped.
fn check_plain(vm: &mut Vm, object: &PhpObject, inner: &PhpObject) -> PhpResult<()> {
    if inner.native.is_none() || inner.native::<ArrayData>().is_some() {
        return Ok(());
    }
    let is_overloaded = OVERLOADED.iter().any(|name| {
        vm.linked_class(name)
            .is_some_and(|class| inner.class().is_subclass_of(class))
    });
    if !is_overloaded {
        return Ok(());
    }
    let (given, own) = (inner.class().display_name(), object.class().display_name());
    let message = format!("Overloaded object of type {given} is not compatible with {own}");
    Err(throw(vm, "InvalidArgumentException", &message))
}

pub(super) fn get_iterator(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let chosen = data(&object).iterator_class;
    let class = match chosen.is_null() {
        false => chosen,
        true => match call.vm.linked_class(b"arrayiterator") {
            Some(class) => class,
            None => return Ok(Value::NULL),
        },
    };
    let iterator: ObjectHandle = vm_runtime::object::new_object(call.vm, class)?;
    // That of an object that wraps itself wraps itself, too, and so finds nothing.
    data(&iterator).storage = match data(&object).storage {
        Storage::Itself => Storage::Itself,
        Storage::Array(_) | Storage::Object(_) => Storage::Object(object.clone()),
    };
    data(&iterator).flags = data(&object).flags;
    Ok(iterator.into())
}

pub(super) fn exchange_array(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let old = copy(call.vm, &object)?;
    adopt(call, &object, 0)?;
    Ok(old.into())
}

pub(super) fn set_iterator_class(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, name) = (this(call), call.string(0));
    choose_iterator(call, &object, &name, 0)?;
    Ok(Value::NULL)
}

pub(super) fn get_iterator_class(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    if data(&object).iterator_class.is_null() {
        return Ok(call.vm.string("ArrayIterator").into());
    }
    Ok(iterator_class_name(call.vm, &object, false))
}
