//! The extension `Reflection`: classes, functions and their parts as objects.
//!
//! Every object has a [`subject::Subject`], what it is about. The classes state their methods in
//! one table a file.

mod attribute;
mod class;
mod class_members;
mod constant;
mod enums;
mod extension;
mod function;
mod generator;
mod lazy;
mod method;
mod parameter;
mod property;
mod property_values;
mod subject;
mod text;
mod types;

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::{Call, flags};
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

/// Registers the extension.
#[cold]
pub fn register(vm: &mut Vm) {
    vm.register_classes(CLASSES);
    vm.register_classes(function::CLASSES);
    vm.register_classes(generator::CLASSES);
    vm.register_classes(parameter::CLASSES);
    vm.register_classes(types::CLASSES);
    vm.register_classes(method::CLASSES);
    vm.register_classes(class::CLASSES);
    vm.register_classes(property::CLASSES);
    vm.register_classes(constant::CLASSES);
    vm.register_classes(extension::CLASSES);
    vm.register_classes(extension::ZEND);
    vm.register_classes(attribute::CLASSES);
    vm.register_classes(enums::CLASSES);
}

static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class ReflectionException extends Exception"),
    &NativeClass::new("class Reflection").methods(&[method(
        "tentative public static function getModifierNames(int $modifiers): array",
        modifier_names,
    )]),
    &NativeClass::new("interface Reflector extends Stringable"),
];

fn modifier_names(call: &mut Call<'_>) -> PhpResult<Value> {
    let names: Vec<Value> = modifier_words(call.long(0) as u32)
        .into_iter()
        .map(|word| call.vm.string(word).into())
        .collect();
    Ok(crate::support::list(call.vm, names))
}

/// Of a class's `getModifiers()`; members have another bit for `readonly`.
const READONLY_CLASS: u32 = 1 << 16;

/// The words of modifiers, in the order in which they are written.
fn modifier_words(modifiers: u32) -> Vec<&'static str> {
    let mut words = Vec::new();
    if modifiers & flags::ABSTRACT != 0 {
        words.push("abstract");
    }
    if modifiers & flags::FINAL != 0 {
        words.push("final");
    }
    if modifiers & flags::VIRTUAL != 0 {
        words.push("virtual");
    }
    match modifiers & flags::VISIBILITY {
        flags::PUBLIC => words.push("public"),
        flags::PRIVATE => words.push("private"),
        flags::PROTECTED => words.push("protected"),
        _ => {}
    }
    if modifiers & flags::STATIC != 0 {
        words.push("static");
    }
    if modifiers & (flags::READONLY | READONLY_CLASS) != 0 {
        words.push("readonly");
    }
    words
}
