//! Values of properties, by ReflectionProperty.

use vm_runtime::class::{Class, NO_SLOT, PropertyInfo};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, flags};
use vm_runtime::object::{Access, PhpObject, fill_table, lazy, read, write};
use vm_runtime::value::{CONSTANT_EXPRESSION, ObjectHandle, Value, Zval, release};
use vm_runtime::vm::{PhpResult, Vm};

use super::subject::{
    PropertySubject, class, fail, name_bytes, property_of, property_subject, subject,
};
use crate::support::direct;

/// The object argument; an error if it has nothing to do with the property.
pub(super) fn object_argument(
    call: &mut Call<'_>,
    about: &PropertySubject,
) -> PhpResult<ObjectHandle> {
    let Some(object) = call.value(0).object() else {
        let function = call.function().display_name();
        return Err(call.vm.throw_error(
            KnownClass::TypeError,
            format!("{function}(): Argument #1 ($object) must be provided for instance properties"),
        ));
    };
    let owner = about.info().map_or(about.class, |info| info.class);
    if !object.class().is_subclass_of(owner) {
        return Err(fail(
            call.vm,
            "Given object is not an instance of the class this property was declared in",
            0,
        ));
    }
    Ok(object)
}

pub(super) fn scope(about: &PropertySubject) -> *mut vm_runtime::class::Class {
    about.info().map_or(about.class, |info| info.class)
}

direct! {
    /// What stands in the slot of an object's property: not what a hook or a method gives, or would be there after the
    /// object was initialised.
    pub(super) fn value_directly(_vm, this; object: &PhpObject) {
        let about = property_of(subject(this))?;
        let info = about.info()?;
        let is_plain = info.flags & flags::STATIC == 0
            && !info.has_hooks()
            && info.slot != NO_SLOT
            && !object.is_lazy()
            && (std::ptr::eq(object.class, about.class)
                || info.flags & flags::PRIVATE != 0
                    && object.class().is_subclass_of(class(info.class)));
        if !is_plain {
            return None;
        }
        // SAFETY: I4: objects of a class have the slots of its properties.
        let value = unsafe { (*object.slot(info.slot)).deref() };
        (!value.is_undef()).then(|| Value::share(value))
    }
}

pub(super) fn get_value(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = property_subject(call)?;
    if let Some(info) = about.info().filter(|info| info.flags & flags::STATIC != 0) {
        let found = call
            .vm
            .static_property(about.class, &about.name, info.class, Access::Read)?;
        // SAFETY: I6: the member is live.
        return Ok(unsafe { Value::share(&*found.slot) });
    }
    let object = object_argument(call, &about)?;
    read::read_property(
        call.vm,
        object.as_ptr(),
        &about.name,
        scope(&about),
        Access::Read,
    )
}

pub(super) fn set_value(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = property_subject(call)?;
    if let Some(info) = about.info().filter(|info| info.flags & flags::STATIC != 0) {
        let index = usize::from(call.count() > 1);
        let problem = match call.value(0) {
            _ if index == 0 => Some("with a single argument"),
            first if first.is_null() || first.object().is_some() => None,
            _ => Some("with a 1st argument which is not null or an object"),
        };
        if let Some(problem) = problem {
            call.vm.deprecated(format!(
                "Calling ReflectionProperty::setValue() {problem} is deprecated"
            ));
            call.vm.check()?;
        }
        let mut value = call.value(index);
        let found = call
            .vm
            .static_property(about.class, &about.name, info.class, Access::Write)?;
        // SAFETY: I4 and I6: info and member are live; the old value goes after it was replaced.
        unsafe {
            if (*found.slot).is_reference() && !(*(*found.slot).reference()).sources.is_null() {
                let reference = &*(*found.slot).reference();
                vm_runtime::types::verify_reference(call.vm, reference, value.as_zval_mut())?;
            } else if (*found.info).declared.is_some() {
                vm_runtime::types::verify_property(
                    call.vm,
                    &*found.info,
                    value.as_zval_mut(),
                    false,
                )?;
            }
            let place = (*found.slot).deref_mut();
            let old = *place;
            place.set(value.into_zval());
            release(&old);
        }
        return Ok(Value::NULL);
    }
    if call.count() != 2 {
        let function = call.function().display_name();
        let message = format!(
            "{function}() expects exactly 2 arguments, {} given",
            call.count()
        );
        return Err(call.vm.throw_error(KnownClass::ArgumentCountError, message));
    }
    let Some(object) = call.value(0).object() else {
        let given = call.value(0);
        let given = vm_runtime::operators::value_name(&given);
        return Err(call.type_error(0, &format!("must be of type object, {given} given")));
    };
    let value = call.value(1);
    write::write_property(call.vm, object.as_ptr(), &about.name, value, scope(&about))?;
    Ok(Value::NULL)
}

pub(super) fn get_raw_value(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = property_subject(call)?;
    let object = object_argument(call, &about)?;
    match about.info() {
        Some(info) if info.flags & flags::STATIC != 0 => Err(fail(
            call.vm,
            "May not use getRawValue on static properties",
            0,
        )),
        Some(info) if !info.get_hook.is_null() => {
            read::read_storage(call.vm, object.as_ptr(), &about.name)
        }
        _ => read::read_property(
            call.vm,
            object.as_ptr(),
            &about.name,
            scope(&about),
            Access::Read,
        ),
    }
}

pub(super) fn set_raw_value(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = property_subject(call)?;
    let object = call.object(0);
    let value = call.value(1);
    if about
        .info()
        .is_some_and(|info| info.flags & flags::STATIC != 0)
    {
        return Err(fail(
            call.vm,
            "May not use setRawValue on static properties",
            0,
        ));
    }
    write_raw(call.vm, &object, &about, value)?;
    Ok(Value::NULL)
}

/// Writes past the hooks.
pub(super) fn write_raw(
    vm: &mut Vm,
    object: &ObjectHandle,
    about: &PropertySubject,
    value: Value,
) -> PhpResult<()> {
    // An object that has no such property is written to by the name, as in the class of the property.
    let has_property = object.class().is_subclass_of(scope(about));
    match about.info() {
        Some(info) if has_property && !info.set_hook.is_null() => {
            write::write_storage(vm, object.as_ptr(), &about.name, value)?;
            Ok(())
        }
        _ => {
            write::write_property(vm, object.as_ptr(), &about.name, value, scope(about))?;
            Ok(())
        }
    }
}

pub(super) fn is_initialised(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = property_subject(call)?;
    if let Some(info) = about.info().filter(|info| info.flags & flags::STATIC != 0) {
        let found = call
            .vm
            .static_property(about.class, &about.name, info.class, Access::Write)?;
        // SAFETY: I6: the member is live.
        return Ok((!unsafe { (*found.slot).is_undef() }).into());
    }
    let object = object_argument(call, &about)?;
    let slot = about.info().map(|info| info.slot);
    let object = match slot {
        // A virtual property has nothing that could be missing.
        Some(NO_SLOT) => return Ok(true.into()),
        Some(slot) if !lazy::is_lazy_slot(&object, slot) => object,
        _ => lazy::with_state(call.vm, &object)?,
    };
    fill_table(call.vm, &object);
    // SAFETY: I3: slots and table belong to the live object.
    let is_set = unsafe {
        match slot {
            Some(slot) => !(*object.slot(slot)).is_undef(),
            None => {
                !object.dynamic.is_null() && (*object.dynamic).get_string(&about.name).is_some()
            }
        }
    };
    Ok(is_set.into())
}

/// The default value, if there is one.
pub(super) fn default(call: &mut Call<'_>) -> PhpResult<Option<Value>> {
    let about = property_subject(call)?;
    match about.info() {
        Some(info) => declared_default(call.vm, info),
        None => Ok(None),
    }
}

/// The default of a static property as the class or a trait of it declares it.
fn static_default(owner: &Class, name: &[u8]) -> Option<Zval> {
    let declaration = owner.declaration.as_ref()?;
    let mut own = declaration.properties.iter();
    let own = own.find(|known| name_bytes(known.name) == name);
    own.map(|known| known.default).or_else(|| {
        let mut traits = owner.traits.iter();
        traits.find_map(|&used| static_default(class(used), name))
    })
}

/// The default value that a property was declared with.
pub(super) fn declared_default(vm: &mut Vm, info: &PropertyInfo) -> PhpResult<Option<Value>> {
    if info.flags & flags::PROMOTED != 0 || info.slot == NO_SLOT {
        return Ok(None);
    }
    vm.initialise_class(info.class)?;
    let owner = class(info.class);
    if info.flags & flags::STATIC == 0 {
        let value = owner.default_properties.get(info.slot as usize).copied();
        return Ok(value
            .filter(|value| !value.is_undef())
            .map(|value| Value::share(&value)));
    }
    // The member may have changed since.
    match static_default(owner, name_bytes(info.name)) {
        Some(value) if value.kind() == CONSTANT_EXPRESSION => {
            // SAFETY: I4: the expression lives in a literal pool of a loaded script.
            unsafe {
                vm.evaluate_constant(&*value.expression(), info.class)
                    .map(Some)
            }
        }
        Some(value) if value.is_undef() => Ok(None),
        Some(value) => Ok(Some(Value::share(&value))),
        None => Ok(None),
    }
}
