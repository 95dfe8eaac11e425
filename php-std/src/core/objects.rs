//! Functions about objects.

use vm_runtime::array::KeyRef;
use vm_runtime::function::Call;
use vm_runtime::object::{each_visible, fill_table, lazy};
use vm_runtime::operators::convert::{object_to_array, property_table, share_element};
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::functions;

functions! {
    "get_object_vars(object $object): array" => get_object_vars,
    "get_mangled_object_vars(object $object): array" => get_mangled_object_vars,
}

fn get_object_vars(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let own = object
        .class()
        .handlers
        .and_then(|handlers| handlers.variables);
    let class = object.class();
    if class.handlers.is_none() && class.properties.is_empty() && !object.is_lazy() {
        return Ok(object_to_array(call.vm, &object)?.into());
    }
    let scope = call.vm.current_scope();
    let mut table = call.vm.new_array();
    if let Some(own) = own {
        let all = own(call.vm, object.as_ptr())?;
        let is_hidden = |key: KeyRef<'_>| matches!(key, KeyRef::String(name) if name.as_bytes().first() == Some(&0));
        if !all.iter().any(|(key, _)| is_hidden(key)) {
            return Ok(all.into());
        }
        // Of what is not public the running code may see some.
        for (key, value) in all.iter().filter(|(key, _)| !is_hidden(*key)) {
            table.make_mut(call.vm).set(key, share_element(value));
        }
    }
    each_visible(call.vm, &object, scope, true, |vm, property| {
        table
            .make_mut(vm)
            .set_symbol(&property.name, property.value);
    })?;
    Ok(table.into())
}

fn get_mangled_object_vars(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    // One that is still lazy is only looked at.
    let object = match object.is_uninitialised_lazy() {
        true => object,
        false => lazy::with_state(call.vm, &object)?,
    };
    Ok(mangled_properties(call.vm, &object).into())
}

/// The properties of the object itself by their mangled names, whatever a native class makes of a cast to
/// array.
pub(crate) fn mangled_properties(vm: &mut Vm, object: &ObjectHandle) -> ArrayHandle {
    fill_table(vm, object);
    let properties = property_table(vm, object);
    let mut table = vm.new_array();
    for (key, value) in properties.iter() {
        if let KeyRef::String(name) = key {
            table.make_mut(vm).set_symbol(name, share_element(value));
        }
    }
    let place = vm_runtime::object::pointer(object);
    table.make_mut(vm).set_internal_position(place);
    table
}
