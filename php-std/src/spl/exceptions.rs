//! Exceptions for the errors that programs have in common.

use vm_runtime::class::NativeClass;

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class LogicException extends Exception"),
    &NativeClass::new("class BadFunctionCallException extends LogicException"),
    &NativeClass::new("class BadMethodCallException extends BadFunctionCallException"),
    &NativeClass::new("class DomainException extends LogicException"),
    &NativeClass::new("class InvalidArgumentException extends LogicException"),
    &NativeClass::new("class LengthException extends LogicException"),
    &NativeClass::new("class OutOfRangeException extends LogicException"),
    &NativeClass::new("class RuntimeException extends Exception"),
    &NativeClass::new("class OutOfBoundsException extends RuntimeException"),
    &NativeClass::new("class OverflowException extends RuntimeException"),
    &NativeClass::new("class RangeException extends RuntimeException"),
    &NativeClass::new("class UnderflowException extends RuntimeException"),
    &NativeClass::new("class UnexpectedValueException extends RuntimeException"),
];
