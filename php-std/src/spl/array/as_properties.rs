//! `ArrayObject::ARRAY_AS_PROPS`: names that are no properties are keys of elements.

use vm_runtime::class::PropertyHandlers;
use vm_runtime::object::read::{Question, has_own_property};
use vm_runtime::object::{Access, array_access};
use vm_runtime::string::PhpString;
use vm_runtime::value::{ObjectHandle, StringHandle, Value, make_reference};
use vm_runtime::vm::{PhpResult, Vm};

use super::storage::data;

const ARRAY_AS_PROPS: i64 = 2;

pub(super) const HANDLERS: PropertyHandlers = PropertyHandlers {
    read,
    write,
    has,
    unset,
};

/// The key of the element that a property name stands for; none if there is such a property that can
/// be seen here, or the object does not want that.
fn key(vm: &mut Vm, object: &ObjectHandle, name: &PhpString) -> PhpResult<Option<Value>> {
    if data(object).flags & ARRAY_AS_PROPS == 0 {
        return Ok(None);
    }
    let scope = vm.current_scope();
    if has_own_property(vm, object.as_ptr(), name, scope)? {
        return Ok(None);
    }
    // SAFETY: I3: the caller holds the name.
    let name = unsafe { StringHandle::share_raw((&raw const *name).cast_mut()) };
    Ok(Some(name.into_value()))
}

fn read(
    vm: &mut Vm,
    object: &ObjectHandle,
    name: &PhpString,
    access: Access,
) -> PhpResult<Option<Value>> {
    let Some(key) = key(vm, object, name)? else {
        return Ok(None);
    };
    // What is unset inside of it is looked at without a word.
    if matches!(access, Access::Isset | Access::Unset)
        && !array_access::exists(vm, object, &key, false)?
    {
        return Ok(Some(Value::NULL));
    }
    if matches!(access, Access::Write | Access::ReadWrite | Access::Unset)
        && let Some(place) = array_access::pointer(vm, object, Some(key.as_zval()), access)
    {
        let place = place?;
        // SAFETY: I5: the place is an element of the storage until user code runs; the share is new.
        return Ok(Some(unsafe {
            make_reference(&mut vm.heap, place);
            Value::from_zval((*place).share())
        }));
    }
    array_access::get_for(vm, object, &key, access).map(Some)
}

fn write(vm: &mut Vm, object: &ObjectHandle, name: &PhpString, value: &Value) -> PhpResult<bool> {
    let Some(key) = key(vm, object, name)? else {
        return Ok(false);
    };
    array_access::set(vm, object, Some(&key), value.clone())?;
    Ok(true)
}

fn has(
    vm: &mut Vm,
    object: &ObjectHandle,
    name: &PhpString,
    question: Question,
) -> PhpResult<Option<bool>> {
    let Some(key) = key(vm, object, name)? else {
        return Ok(None);
    };
    if question == Question::Exists {
        // A key is enough: its element may be null.
        let function = object.class().magic.offset_exists;
        let found = vm.call_plain_method(function, object, [key])?;
        return Ok(Some(vm_runtime::operators::to_bool(&found)));
    }
    array_access::exists(vm, object, &key, question == Question::NotEmpty).map(Some)
}

fn unset(vm: &mut Vm, object: &ObjectHandle, name: &PhpString) -> PhpResult<bool> {
    let Some(key) = key(vm, object, name)? else {
        return Ok(false);
    };
    array_access::unset(vm, object, &key)?;
    Ok(true)
}
