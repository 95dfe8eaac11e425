//! `__PHP_Incomplete_Class`: objects of classes that were not there when they were unserialised.

use vm_runtime::class::NativeClass;
use vm_runtime::function::class_flags;
use vm_runtime::object::{PhpObject, new_object};
use vm_runtime::string::KnownString;
use vm_runtime::value::{ArrayHandle, ObjectHandle};
use vm_runtime::vm::{PhpResult, Vm};

pub(super) static CLASS: NativeClass = NativeClass::new("final class __PHP_Incomplete_Class")
    .flags(class_flags::ALLOW_DYNAMIC_PROPERTIES);

/// The property that holds the name of the class.
static NAME: KnownString = KnownString::new(b"__PHP_Incomplete_Class_Name");

/// A new object in place of one of class `name`.
pub(super) fn stand_in(vm: &mut Vm, name: &[u8]) -> PhpResult<ObjectHandle> {
    let class = vm.class_by_name(b"__PHP_Incomplete_Class", false)?;
    let object = match class {
        Some(class) => new_object(vm, class)?,
        None => {
            let class = vm.known_class(vm_runtime::exceptions::KnownClass::StdClass);
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
