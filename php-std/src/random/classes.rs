//! Errors of the extension, and the enumeration of bounds.

use vm_runtime::class::NativeClass;
use vm_runtime::vm::{Thrown, Vm};

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class Random\\RandomError extends Error"),
    &NativeClass::new("class Random\\BrokenRandomEngineError extends Random\\RandomError"),
    &NativeClass::new("class Random\\RandomException extends Exception"),
    &NativeClass::new("enum Random\\IntervalBoundary").constants(&[
        "case ClosedOpen",
        "case ClosedClosed",
        "case OpenClosed",
        "case OpenOpen",
    ]),
];

/// Throws an exception of one of these classes, named in lower case.
pub(super) fn throw(vm: &mut Vm, class: &str, message: &str) -> Thrown {
    let Some(class) = vm.linked_class(class.as_bytes()) else {
        return Thrown;
    };
    let object = vm.new_throwable(class, message.as_bytes(), 0);
    vm.throw_object(object)
}
