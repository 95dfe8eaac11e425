//! The extension's classes.

mod datetime;
mod exceptions;
mod interval;
mod moment;
mod period;
mod zone;

use vm_runtime::class::Class;
use vm_runtime::function::Call;
use vm_runtime::object::PhpObject;
use vm_runtime::value::{ObjectHandle, Value, ValueKind};
use vm_runtime::vm::{Thrown, Vm};

pub(super) use datetime::FORMATS;

/// Registers classes, and the functions that are their methods under another name.
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

/// The error about an object whose constructor a child class did not call.
fn uninitialized(vm: &mut Vm, object: &PhpObject) -> Thrown {
    let class = object.class();
    let mut native = class;
    // SAFETY: I4: classes live until the VM ends; the native class is among the parents.
    while let Some(parent) = unsafe { native.parent.as_ref() }
        && native.flags & vm_runtime::function::class_flags::INTERNAL == 0
    {
        native = parent;
    }
    let mut message = format!("Object of type {}", class.display_name());
    if !std::ptr::eq(native, class) {
        message += &format!(" (inheriting {})", native.display_name());
    }
    message +=
        " has not been correctly initialized by calling parent::__construct() in its constructor";
    exceptions::throw(vm, "DateObjectError", &message)
}

/// The class of the extension that an object's class is or extends, by name.
fn native_name(object: &PhpObject) -> String {
    let mut class = object.class();
    // SAFETY: I4: classes live until the VM ends.
    while class.flags & vm_runtime::function::class_flags::INTERNAL == 0
        && let Some(parent) = unsafe { class.parent.as_ref() }
    {
        class = parent;
    }
    class.display_name()
}

/// The error about serialised data that isn't right.
fn invalid_serialization(vm: &mut Vm, object: &PhpObject) -> Thrown {
    let message = format!(
        "Invalid serialization data for {} object",
        native_name(object)
    );
    vm.throw_error(vm_runtime::exceptions::KnownClass::Error, message)
}

/// Elements of an array that are text.
fn text_element(array: &vm_runtime::array::PhpArray, key: &str) -> Option<Vec<u8>> {
    match array.get_bytes(key.as_bytes())?.deref().view() {
        ValueKind::String(text) => Some(text.to_vec()),
        _ => None,
    }
}

fn long_element(array: &vm_runtime::array::PhpArray, key: &str) -> Option<i64> {
    match array.get_bytes(key.as_bytes())?.deref().view() {
        ValueKind::Long(number) => Some(number),
        _ => None,
    }
}

/// The properties of a child class and dynamic ones, for serialisation beside the state.
fn other_members(
    vm: &mut Vm,
    object: &ObjectHandle,
    array: &vm_runtime::array::PhpArray,
    own: &[&str],
) -> vm_runtime::vm::PhpResult<()> {
    for (key, value) in array.iter() {
        let vm_runtime::array::KeyRef::String(name) = key else {
            continue;
        };
        if own.iter().any(|own| own.as_bytes() == name.as_bytes()) {
            continue;
        }
        let value = Value::share(value.deref());
        // Mangled names of hidden properties end with the plain one.
        let plain = name.as_bytes().rsplit(|&byte| byte == 0).next();
        let plain = vm.string(plain.unwrap_or_default());
        let scope = object.class;
        vm_runtime::object::write::write_property(vm, object.as_ptr(), &plain, value, scope)?;
    }
    Ok(())
}
