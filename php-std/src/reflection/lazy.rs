//! Lazy objects: what ReflectionClass and ReflectionProperty do with them.

use vm_runtime::class::{Class, NO_SLOT};
use vm_runtime::function::{Call, flags};
use vm_runtime::object::lazy::{self, SKIP_DESTRUCTOR, SKIP_INITIALIZATION_ON_SERIALIZE, Strategy};
use vm_runtime::object::write::write_slot;
use vm_runtime::value::{ObjectHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::subject::{PropertySubject, class, class_subject, fail, name_bytes, property_subject};
use crate::support::kept_callable;

/// Throws a ReflectionException about argument `number` (1-based).
fn argument_problem(call: &mut Call<'_>, number: u32, problem: &str) -> Thrown {
    let function = call.function();
    let message = format!(
        "{}(): Argument #{number} (${}) {problem}",
        function.display_name(),
        function.parameter_name(number - 1).unwrap_or_default()
    );
    fail(call.vm, &message, 0)
}

/// The options argument, checked.
fn options(call: &mut Call<'_>, number: u32) -> PhpResult<u32> {
    const KNOWN: i64 = (SKIP_INITIALIZATION_ON_SERIALIZE | SKIP_DESTRUCTOR) as i64;
    let options = call.long(number as usize - 1);
    if options & !KNOWN != 0 {
        return Err(argument_problem(call, number, "contains invalid flags"));
    }
    Ok(options as u32)
}

fn new_lazy(call: &mut Call<'_>, strategy: Strategy) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let (initialiser, options) = (kept_callable(call, 0), options(call, 2)?);
    if options & SKIP_DESTRUCTOR != 0 {
        let problem = "does not accept ReflectionClass::SKIP_DESTRUCTOR";
        return Err(argument_problem(call, 2, problem));
    }
    Ok(lazy::new_lazy(call.vm, about, strategy, initialiser, options)?.into())
}

pub(super) fn new_ghost(call: &mut Call<'_>) -> PhpResult<Value> {
    new_lazy(call, Strategy::Ghost)
}

pub(super) fn new_proxy(call: &mut Call<'_>) -> PhpResult<Value> {
    new_lazy(call, Strategy::Proxy)
}

/// The object argument: an instance of the class.
fn instance(call: &mut Call<'_>, about: *mut Class) -> PhpResult<ObjectHandle> {
    let given = call.argument(0);
    if let ValueKind::Object(object) = given.view()
        && object.class().is_subclass_of(about)
    {
        return Ok(call.object(0));
    }
    let problem = format!(
        "must be of type {}, {} given",
        class(about).display_name(),
        vm_runtime::types::value_name(given)
    );
    Err(call.type_error(0, &problem))
}

fn reset(call: &mut Call<'_>, strategy: Strategy) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let object = instance(call, about)?;
    call.check_from(1)?;
    let (initialiser, options) = (kept_callable(call, 1), options(call, 3)?);
    if object.is_uninitialised_lazy() {
        return Err(fail(call.vm, "Object is already lazy", 0));
    }
    lazy::reset_as_lazy(call.vm, &object, about, strategy, initialiser, options)?;
    Ok(Value::NULL)
}

pub(super) fn reset_as_ghost(call: &mut Call<'_>) -> PhpResult<Value> {
    reset(call, Strategy::Ghost)
}

pub(super) fn reset_as_proxy(call: &mut Call<'_>) -> PhpResult<Value> {
    reset(call, Strategy::Proxy)
}

pub(super) fn initialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let object = instance(call, about)?;
    Ok(lazy::with_state(call.vm, &object)?.into())
}

pub(super) fn is_uninitialised(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    Ok(instance(call, about)?.is_uninitialised_lazy().into())
}

pub(super) fn mark_as_initialised(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let object = instance(call, about)?;
    Ok(lazy::mark_as_initialised(call.vm, &object)?.into())
}

pub(super) fn get_initialiser(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let object = instance(call, about)?;
    Ok(lazy::initialiser(call.vm, &object).unwrap_or(Value::NULL))
}

/// The object argument: an instance of the class that declares the property.
fn owned_argument(call: &mut Call<'_>, about: &PropertySubject) -> PhpResult<ObjectHandle> {
    instance(call, about.info().map_or(about.class, |info| info.class))
}

/// The object and slot of a property that can be set past the initialiser.
fn slot_argument(call: &mut Call<'_>, about: &PropertySubject) -> PhpResult<(ObjectHandle, u32)> {
    let object = owned_argument(call, about)?;
    let function = vm_runtime::message::whole_text(name_bytes(call.function().name)).into_owned();
    let kind = match about.info() {
        None => Some("dynamic"),
        Some(info) if info.flags & flags::STATIC != 0 => Some("static"),
        Some(info) if info.slot == NO_SLOT => Some("virtual"),
        Some(_) => None,
    };
    let owner = about.info().map_or(about.class, |info| info.class);
    if let Some(kind) = kind {
        let message = format!(
            "Can not use {function} on {kind} property {}::${}",
            class(owner).display_name(),
            about.name.whole_text()
        );
        return Err(fail(call.vm, &message, 0));
    }
    let slot = about.info().map_or(NO_SLOT, |info| info.slot);
    Ok((object, slot))
}

/// The innermost instance behind initialised proxies.
fn behind(vm: &Vm, object: ObjectHandle) -> ObjectHandle {
    let mut object = object;
    while let Some(instance) = lazy::instance(vm, &object) {
        object = instance;
    }
    object
}

pub(super) fn set_raw_value(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = property_subject(call)?;
    let (object, slot) = slot_argument(call, &about)?;
    let value = call.value(1);
    // The instance of an initialised proxy takes it.
    let object = behind(call.vm, object);
    if object.is_lazy() && !lazy::is_lazy_slot(&object, slot) {
        // What was set already is written like anywhere else, but past the hooks.
        super::property_values::write_raw(call.vm, &object, &about, value)?;
        return Ok(Value::NULL);
    }
    lazy::write_unmarked(call.vm, &object, slot, |vm| {
        let Some(info) = about.info() else {
            return Ok(());
        };
        // SAFETY: I3: the slot belongs to the object, which the handle keeps.
        unsafe {
            write_slot(
                vm,
                object.as_ptr(),
                object.slot(slot),
                info,
                value,
                info.class,
            )?
        };
        Ok(())
    })?;
    Ok(Value::NULL)
}

pub(super) fn skip_initialisation(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = property_subject(call)?;
    let (object, slot) = slot_argument(call, &about)?;
    let object = behind(call.vm, object);
    if object.is_uninitialised_lazy() {
        lazy::skip_slot(call.vm, &object, slot)?;
    }
    Ok(Value::NULL)
}

pub(super) fn is_lazy_property(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = property_subject(call)?;
    let object = owned_argument(call, &about)?;
    let Some(info) = about.info() else {
        return Ok(false.into());
    };
    if info.flags & flags::STATIC != 0 || info.slot == NO_SLOT {
        return Ok(false.into());
    }
    let object = behind(call.vm, object);
    Ok(lazy::is_lazy_slot(&object, info.slot).into())
}
