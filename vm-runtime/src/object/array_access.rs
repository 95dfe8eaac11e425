//! Objects as arrays: ArrayAccess, and Countable.

use crate::exceptions::KnownClass;
use crate::function::Function;
use crate::value::{ObjectHandle, Value};
use crate::vm::{PhpResult, Thrown, Vm};

fn method(vm: &mut Vm, object: &ObjectHandle, method: *const Function) -> PhpResult<*const Function> {
    if method.is_null() {
        let class = object.class().display_name();
        return Err(not_an_array(vm, &class));
    }
    Ok(method)
}

fn not_an_array(vm: &mut Vm, class: &str) -> Thrown {
    vm.throw_error(KnownClass::Error, format!("Cannot use object of type {class} as array"))
}

/// `$object[offset]`
pub fn get(vm: &mut Vm, object: &ObjectHandle, offset: &Value) -> PhpResult<Value> {
    let function = method(vm, object, object.class().magic.offset_get)?;
    vm.call_function(function, Some(object.clone()), object.class, vec![offset.clone()])
}

/// `$object[offset] = value`; no offset for `[]`.
pub fn set(
    vm: &mut Vm,
    object: &ObjectHandle,
    offset: Option<&Value>,
    value: Value,
) -> PhpResult<()> {
    let function = method(vm, object, object.class().magic.offset_set)?;
    let offset = offset.cloned().unwrap_or(Value::NULL);
    vm.call_function(function, Some(object.clone()), object.class, vec![offset, value]).map(drop)
}

/// `isset($object[offset])`; with `truthy` the element must also be truthy.
pub fn exists(vm: &mut Vm, object: &ObjectHandle, offset: &Value, truthy: bool) -> PhpResult<bool> {
    let function = method(vm, object, object.class().magic.offset_exists)?;
    let found =
        vm.call_function(function, Some(object.clone()), object.class, vec![offset.clone()])?;
    if !crate::operators::to_bool(&found) {
        return Ok(false);
    }
    if !truthy {
        return Ok(true);
    }
    let value = get(vm, object, offset)?;
    Ok(crate::operators::to_bool(&value))
}

/// `unset($object[offset])`
pub fn unset(vm: &mut Vm, object: &ObjectHandle, offset: &Value) -> PhpResult<()> {
    let function = method(vm, object, object.class().magic.offset_unset)?;
    vm.call_function(function, Some(object.clone()), object.class, vec![offset.clone()]).map(drop)
}

/// `count($object)`; None if it is not Countable.
pub fn count(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<Option<i64>> {
    let function = object.class().magic.count;
    if function.is_null() {
        return Ok(None);
    }
    let counted = vm.call_function(function, Some(object.clone()), object.class, Vec::new())?;
    Ok(Some(crate::operators::to_long(vm, &counted)))
}
