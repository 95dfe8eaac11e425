//! Errors and exceptions of the extension.

use vm_runtime::class::NativeClass;
use vm_runtime::function::class_flags;
use vm_runtime::vm::{Thrown, Vm};

pub(super) static CLASSES: &[&NativeClass] = &[
    &exception("class DateError extends Error"),
    &exception("class DateObjectError extends DateError"),
    &exception("class DateRangeError extends DateError"),
    &exception("class DateException extends Exception"),
    &exception("class DateInvalidTimeZoneException extends DateException"),
    &exception("class DateInvalidOperationException extends DateException"),
    &exception("class DateMalformedStringException extends DateException"),
    &exception("class DateMalformedIntervalStringException extends DateException"),
    &exception("class DateMalformedPeriodStringException extends DateException"),
];

const fn exception(declaration: &'static str) -> NativeClass {
    NativeClass::new(declaration).flags(class_flags::NO_DYNAMIC_PROPERTIES)
}

/// Throws an exception of one of these classes.
pub(super) fn throw(vm: &mut Vm, class: &str, message: &str) -> Thrown {
    let Some(class) = vm.linked_class(class.to_ascii_lowercase().as_bytes()) else {
        return Thrown;
    };
    let object = vm.new_throwable(class, message, 0);
    vm.throw_object(object)
}
