//! Errors and exceptions of the extension.

use vm_runtime::class::NativeClass;
use vm_runtime::vm::{Thrown, Vm};

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class DateError extends Error"),
    &NativeClass::new("class DateObjectError extends DateError"),
    &NativeClass::new("class DateRangeError extends DateError"),
    &NativeClass::new("class DateException extends Exception"),
    &NativeClass::new("class DateInvalidTimeZoneException extends DateException"),
    &NativeClass::new("class DateInvalidOperationException extends DateException"),
    &NativeClass::new("class DateMalformedStringException extends DateException"),
    &NativeClass::new("class DateMalformedIntervalStringException extends DateException"),
    &NativeClass::new("class DateMalformedPeriodStringException extends DateException"),
];

/// Throws an exception of one of these classes.
pub(super) fn throw(vm: &mut Vm, class: &str, message: &str) -> Thrown {
    let Some(class) = vm.linked_class(class.to_ascii_lowercase().as_bytes()) else {
        return Thrown;
    };
    let object = vm.new_throwable(class, message.as_bytes(), 0);
    vm.throw_object(object)
}
