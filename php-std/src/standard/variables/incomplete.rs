//! `__PHP_Incomplete_Class`: objects of classes that were not there when they were unserialised.

use vm_runtime::class::{NativeClass, NativeHandlers, PropertyHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::class_flags;
use vm_runtime::object::{PhpObject, new_object};
use vm_runtime::string::KnownString;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

/// The class's name.
pub(super) const CLASS_NAME: &str = "__PHP_Incomplete_Class";

pub(super) static CLASS: NativeClass = NativeClass::new("final class __PHP_Incomplete_Class")
    .flags(class_flags::ALLOW_DYNAMIC_PROPERTIES)
    .handlers(&HANDLERS);

/// Its properties are only kept: code that reads them is warned, code that writes them fails.
const HANDLERS: NativeHandlers = NativeHandlers {
    properties_by_code: Some(&PropertyHandlers {
        read: |vm, object, _, access| match access.is_write() {
            true => Err(refused(vm, object)),
            false => warned(vm, object).map(|()| Some(Value::NULL)),
        },
        write: |vm, object, _, _| Err(refused(vm, object)),
        has: |vm, object, _, _| warned(vm, object).map(|()| Some(false)),
        unset: |vm, object, _| Err(refused(vm, object)),
    }),
    ..NativeHandlers::STANDARD
};

fn problem(object: &PhpObject, attempt: &str) -> String {
    // SAFETY: I3: the table of dynamic properties is live as long as the object.
    let table = unsafe { object.dynamic.as_ref() };
    let name = table
        .and_then(|table| table.get_string(&NAME.handle()))
        .and_then(|name| name.deref().as_bytes())
        .unwrap_or(b"unknown");
    format!(
        "The script tried to {attempt} on an incomplete object. Please ensure that the class definition \"{}\" of the object you are trying to operate on was loaded _before_ unserialize() gets called or provide an autoloader to load the class definition",
        vm_runtime::message::text(name)
    )
}

fn warned(vm: &mut Vm, object: &PhpObject) -> PhpResult<()> {
    let function = match crate::support::current_function(vm) {
        name if name.is_empty() => String::from("main"),
        name => name,
    };
    let problem = problem(object, "access a property");
    vm.warning(format!("{function}(): {problem}"));
    vm.check()
}

fn refused(vm: &mut Vm, object: &PhpObject) -> Thrown {
    let problem = problem(object, "modify a property");
    vm.throw_error(KnownClass::Error, problem)
}

/// The property that holds the name of the class.
static NAME: KnownString = KnownString::new(b"__PHP_Incomplete_Class_Name");

/// A new object in place of one of class `name`.
pub(super) fn stand_in(vm: &mut Vm, name: &[u8]) -> PhpResult<ObjectHandle> {
    let class = vm.class_by_name(CLASS_NAME.as_bytes(), false)?;
    let object = match class {
        Some(class) => new_object(vm, class)?,
        None => {
            let class = vm.known_class(KnownClass::StdClass);
            PhpObject::allocate(vm, class)
        }
    };
    let name = vm.string(name);
    vm_runtime::object::write::write_dynamic(vm, object.as_ptr(), &NAME.handle(), name.into())?;
    Ok(object)
}

/// The class name and the properties that a stand-in stands for.
pub(super) fn original(
    vm: &mut Vm,
    object: &ObjectHandle,
    table: &ArrayHandle,
) -> Option<(Vec<u8>, ArrayHandle)> {
    // SAFETY: I4: a class's name lives as long as it does.
    if unsafe { (*object.class().lowercase).as_bytes() } != b"__php_incomplete_class" {
        return None;
    }
    let name = table.get_string(&NAME.handle())?.as_bytes()?.to_vec();
    let mut table = table.clone();
    table.make_mut(vm).remove_string(&NAME.handle());
    Some((name, table))
}
