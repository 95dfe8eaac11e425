//! The extension's classes.

mod datetime;
mod exceptions;
mod interval;
mod moment;
mod period;
mod zone;

use vm_runtime::array::{KeyRef, PhpArray};
use vm_runtime::class::Class;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::PhpObject;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

pub(super) use datetime::FORMATS;

/// The zone of an object of DateTimeZone, if its constructor ran.
#[cfg(feature = "intl")]
pub(crate) fn zone_of_object(object: &PhpObject) -> Option<super::Zone> {
    zone::known_zone(object)
}

/// A DateTimeZone.
#[cfg(feature = "intl")]
pub(crate) fn zone_object(vm: &mut Vm, found: super::Zone) -> PhpResult<Value> {
    Ok(zone::with_zone(vm, found)?.into())
}

/// Seconds and microseconds since 1970 and the zone of an object of DateTimeInterface, if its constructor ran.
#[cfg(feature = "intl")]
pub(crate) fn stamp_of_object(object: &PhpObject) -> Option<(i64, i64, super::Zone)> {
    let time = moment::known_time(object)?;
    Some((time.stamp, time.micro, time.zone.clone()))
}

/// True for objects of DateTimeInterface.
#[cfg(feature = "intl")]
pub(crate) fn is_moment(object: &PhpObject) -> bool {
    object.native::<moment::Moment>().is_some()
}

/// A DateTime.
#[cfg(feature = "intl")]
pub(crate) fn moment_object(
    vm: &mut Vm,
    seconds: i64,
    micros: i64,
    zone: super::Zone,
) -> PhpResult<Value> {
    let class = vm.linked_class(b"datetime").unwrap_or(std::ptr::null_mut());
    let time = super::time::Time::from_stamp(seconds, micros, zone);
    Ok(moment::with_time(vm, class, time)?.into())
}

/// A new object of a class, whose constructor gets a text.
#[cfg(feature = "intl")]
pub(crate) fn parsed_object(vm: &mut Vm, class: *mut Class, text: &Value) -> PhpResult<Value> {
    let object = vm_runtime::object::new_object(vm, class)?;
    // SAFETY: I4: classes and functions live until the VM ends.
    let constructor = unsafe { (*class).magic.construct };
    vm.call_function(
        constructor,
        Some(object.clone()),
        class,
        vec![Value::share(text)],
    )?;
    Ok(object.into())
}

/// Registers classes, and the functions that are their methods under another name.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    vm.register_classes(exceptions::CLASSES);
    vm.register_classes(datetime::CLASSES);
    vm.register_classes(zone::CLASSES);
    vm.register_classes(interval::CLASSES);
    vm.register_classes(period::CLASSES);
    vm.register_functions(datetime::FUNCTIONS);
    vm.register_functions(zone::FUNCTIONS);
    vm.register_functions(interval::FUNCTIONS);
}

/// What a method, or a function that takes the object first, is about; and the number of the first
/// argument after it.
fn subject(call: &Call<'_>) -> (ObjectHandle, usize) {
    match call.this() {
        Some(object) => (object, 0),
        None => (call.object(0), 1),
    }
}

/// Whether a function was called, not a method.
fn is_function(call: &Call<'_>) -> bool {
    call.function().scope.is_null()
}

/// The class that a static method was called on.
fn called_class(call: &Call<'_>) -> *mut Class {
    // SAFETY: I4: the frame of a call and its class are live.
    unsafe { (*call.frame).called_class() }
}

/// The class of the extension that an object's class is or extends.
fn native_class(object: &PhpObject) -> &Class {
    let mut class = object.class();
    while class.flags & class_flags::INTERNAL == 0 {
        // SAFETY: I4: classes live until the VM ends; a native class is among the parents.
        match unsafe { class.parent.as_ref() } {
            Some(parent) => class = parent,
            None => break,
        }
    }
    class
}

/// The error about an object whose constructor a child class did not call.
pub(crate) fn uninitialized(vm: &mut Vm, object: &PhpObject) -> Thrown {
    let (class, native) = (object.class(), native_class(object));
    let mut message = format!("Object of type {}", class.display_name());
    if !std::ptr::eq(native, class) {
        message += &format!(" (inheriting {})", native.display_name());
    }
    message +=
        " has not been correctly initialized by calling parent::__construct() in its constructor";
    exceptions::throw(vm, "DateObjectError", &message)
}

/// The error about serialised data that isn't right.
fn invalid_serialization(vm: &mut Vm, object: &PhpObject) -> Thrown {
    let message = format!(
        "Invalid serialization data for {} object",
        native_class(object).display_name()
    );
    vm.throw_error(vm_runtime::exceptions::KnownClass::Error, message)
}

/// Elements of an array that are text.
fn text_element(array: &PhpArray, key: &str) -> Option<Vec<u8>> {
    match array.get_bytes(key.as_bytes())?.deref().view() {
        ValueKind::String(text) => Some(text.to_vec()),
        _ => None,
    }
}

fn long_element(array: &PhpArray, key: &str) -> Option<i64> {
    match array.get_bytes(key.as_bytes())?.deref().view() {
        ValueKind::Long(number) => Some(number),
        _ => None,
    }
}

/// Adds the properties of a child class and dynamic ones to serialised data.
fn add_members(vm: &mut Vm, object: &PhpObject, table: &mut ArrayHandle, own: &[&str]) {
    let members = vm_runtime::operators::convert::property_table(vm, object);
    for (key, value) in members.iter() {
        if let KeyRef::String(name) = key
            && !own.iter().any(|own| own.as_bytes() == name.as_bytes())
        {
            table.make_mut(vm).set_string(name, Value::share(value));
        }
    }
}

/// Takes back what [`add_members`] added.
fn other_members(
    vm: &mut Vm,
    object: &ObjectHandle,
    data: &PhpArray,
    own: &[&str],
) -> PhpResult<()> {
    for (key, value) in data.iter() {
        let KeyRef::String(name) = key else {
            continue;
        };
        let name = name.as_bytes();
        if own.iter().any(|own| own.as_bytes() == name) {
            continue;
        }
        // Names of hidden properties say whose they are: `\0Class\0name`, `\0*\0name`.
        let mut scope: *const Class = object.class;
        let mut plain = name;
        if let Some((class, rest)) = name.strip_prefix(b"\0").and_then(|hidden| {
            let end = memchr::memchr(0, hidden)?;
            Some((&hidden[..end], &hidden[end + 1..]))
        }) {
            plain = rest;
            if class != b"*" {
                let Some(declaring) = ancestor(object, class) else {
                    continue;
                };
                scope = declaring;
            }
        }
        let value = Value::share(value.deref());
        let plain = vm.string(plain);
        vm_runtime::object::write::write_property(vm, object.as_ptr(), &plain, value, scope)?;
    }
    Ok(())
}

/// The class of that name that an object is of.
fn ancestor(object: &PhpObject, name: &[u8]) -> Option<*const Class> {
    let mut class: *const Class = object.class;
    // SAFETY: I4: classes and their names live until the VM ends.
    unsafe {
        while let Some(known) = class.as_ref() {
            if (*known.name).as_bytes() == name {
                return Some(class);
            }
            class = known.parent;
        }
    }
    None
}
