//! Errors of the extension, and the enumeration of bounds.

use vm_runtime::class::NativeClass;
use vm_runtime::function::class_flags;
use vm_runtime::vm::{Thrown, Vm};

pub(super) static CLASSES: &[&NativeClass] = &[
    &exception("class Random\\RandomError extends Error"),
    &exception("class Random\\BrokenRandomEngineError extends Random\\RandomError"),
    &exception("class Random\\RandomException extends Exception"),
    &NativeClass::new("enum Random\\IntervalBoundary").constants(&[
        "case ClosedOpen",
        "case ClosedClosed",
        "case OpenClosed",
        "case OpenOpen",
    ]),
];

const fn exception(declaration: &'static str) -> NativeClass {
    NativeClass::new(declaration).flags(class_flags::NO_DYNAMIC_PROPERTIES)
}

/// Throws an exception of one of these classes, named in lower case.
pub(super) fn throw(vm: &mut Vm, class: &str, message: &str) -> Thrown {
    let Some(class) = vm.linked_class(class.as_bytes()) else {
        return Thrown;
    };
    let object = vm.new_throwable(class, message, 0);
    vm.throw_object(object)
}
