//! ReflectionType and its kinds.

use std::borrow::Cow;

use vm_runtime::class::{NativeClass, direct_method, method};
use vm_runtime::function::{Call, Type, type_mask};
use vm_runtime::message::Message;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::subject::{
    FLAGS, Subject, create, getter, name_bytes, own_subject, subject, uninitialised,
};
use crate::support::{direct, static_text};

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("abstract class ReflectionType implements Stringable")
        .create_native(create)
        .flags(FLAGS)
        .methods(&[
            method("private function __clone(): void", |_| Ok(Value::NULL)),
            getter!(
                "tentative public function allowsNull(): bool",
                type_of,
                |declared| allows_null(declared)
            ),
            direct_method(
                "public function __toString(): string",
                |call| {
                    let declared = about(call)?;
                    named(call.vm, shown(declared))
                },
                text_directly,
            ),
        ]),
    &NativeClass::new("class ReflectionNamedType extends ReflectionType").methods(&[
        direct_method(
            "tentative public function getName(): string",
            |call| {
                let declared = about(call)?;
                name(call.vm, declared)
            },
            name_directly,
        ),
        getter!(
            "tentative public function isBuiltin(): bool",
            type_of,
            |declared| is_builtin(declared)
        ),
    ]),
    &NativeClass::new("class ReflectionUnionType extends ReflectionType").methods(&[method(
        "public function getTypes(): array",
        |call| {
            let parts = alternatives(about(call)?);
            list(call.vm, parts)
        },
    )]),
    &NativeClass::new("class ReflectionIntersectionType extends ReflectionType").methods(&[
        method("public function getTypes(): array", |call| {
            let declared = about(call)?;
            let names = declared.classes.first().cloned().unwrap_or_default();
            let parts = names.into_iter().map(|name| Type {
                mask: 0,
                classes: vec![vec![name]],
            });
            list(call.vm, parts.collect())
        }),
    ]),
];

direct! {
    fn text_directly(vm, this;) {
        let declared = type_of(subject(this))?;
        named(vm, shown(declared)).ok()
    }

    fn name_directly(vm, this;) {
        let declared = type_of(subject(this))?;
        name(vm, declared).ok()
    }
}

/// The name without a `?`.
fn name(vm: &mut Vm, declared: &Type) -> PhpResult<Value> {
    if let [names] = declared.classes.as_slice()
        && let [only] = names.as_slice()
        && declared.mask & !type_mask::NULL == 0
    {
        return Ok(vm.string(name_bytes(only.name)).into());
    }
    match is_alone(declared) {
        true => named(vm, shown(declared)),
        false => named(vm, shown(&without_null(declared))),
    }
}

/// The type that an object is about.
fn type_of(subject: &Subject) -> Option<&Type> {
    match subject {
        Subject::Type(declared) => Some(declared),
        Subject::ParameterType(function, index) => super::parameter::declared(function, *index),
        _ => None,
    }
}

fn about<'a>(call: &mut Call<'a>) -> PhpResult<&'a Type> {
    match type_of(own_subject(call)) {
        Some(declared) => Ok(declared),
        None => Err(uninitialised(call.vm)),
    }
}

fn list(vm: &mut Vm, parts: Vec<Type>) -> PhpResult<Value> {
    let mut made = Vec::new();
    for part in parts {
        made.push(make(vm, part)?);
    }
    Ok(crate::support::list(vm, made))
}

/// True if the type takes `null`.
pub(super) fn allows_null(declared: &Type) -> bool {
    declared.mask & type_mask::NULL != 0
}

/// `static` counts as the name of a class.
fn is_builtin(declared: &Type) -> bool {
    let has_name = declared.classes.is_empty() || is_iterable(declared);
    has_name && declared.mask & type_mask::STATIC == 0
}

/// `mixed` and `null` have no form without `null`.
fn is_alone(declared: &Type) -> bool {
    declared.is_mixed() || declared.classes.is_empty() && declared.mask == type_mask::NULL
}

fn without_null(declared: &Type) -> Type {
    Type {
        mask: declared.mask & !type_mask::NULL,
        classes: declared.classes.clone(),
    }
}

/// True for `iterable`, which stands for a class and arrays, with or without `null`.
fn is_iterable(declared: &Type) -> bool {
    let mask = declared.mask & !type_mask::NULL;
    mask == type_mask::ITERABLE | type_mask::ARRAY && declared.classes.len() <= 1
}

/// The type as its own object shows it: `iterable` alone keeps its name.
fn shown(declared: &Type) -> Cow<'static, str> {
    match is_iterable(declared) {
        true if allows_null(declared) => "?iterable".into(),
        true => "iterable".into(),
        false => text(declared),
    }
}

/// The type as texts about functions show it.
pub(super) fn text(declared: &Type) -> Cow<'static, str> {
    if declared.classes.is_empty() {
        let name = match declared.mask {
            type_mask::BOOL => "bool",
            type_mask::LONG => "int",
            type_mask::DOUBLE => "float",
            type_mask::STRING => "string",
            type_mask::ARRAY => "array",
            _ => return declared.display().into(),
        };
        return name.into();
    }
    declared.display().into()
}

/// The name of a type as a value.
fn named(vm: &mut Vm, name: Cow<'static, str>) -> PhpResult<Value> {
    Ok(match name {
        Cow::Borrowed(name) => static_text(vm, name),
        Cow::Owned(name) => vm.string(name.message()).into(),
    })
}

/// The reflection object of a type.
pub(super) fn make(vm: &mut Vm, declared: Type) -> PhpResult<Value> {
    let kind = class_for(&declared);
    super::subject::make(vm, kind, Subject::Type(declared), [])
}

/// The reflection object of a type that a subject leads to.
pub(super) fn make_of(vm: &mut Vm, declared: &Type, about: Subject) -> PhpResult<Value> {
    super::subject::make(vm, class_for(declared), about, [])
}

/// The class of the reflection object of a type.
fn class_for(declared: &Type) -> &'static str {
    let mask = declared.mask & !type_mask::NULL;
    match declared.classes.as_slice() {
        _ if is_alone(declared) || is_iterable(declared) => "ReflectionNamedType",
        [names] if names.len() > 1 && declared.mask == 0 => "ReflectionIntersectionType",
        [names] if names.len() == 1 && mask == 0 => "ReflectionNamedType",
        [] if mask.is_power_of_two() || mask == type_mask::BOOL => "ReflectionNamedType",
        _ => "ReflectionUnionType",
    }
}

/// Built-in alternatives of a union in the order in which they are listed.
const BUILT_IN: [u32; 10] = [
    type_mask::STATIC,
    type_mask::CALLABLE,
    type_mask::OBJECT,
    type_mask::ARRAY,
    type_mask::STRING,
    type_mask::LONG,
    type_mask::DOUBLE,
    type_mask::BOOL,
    type_mask::FALSE,
    type_mask::TRUE,
];

/// The alternatives of a union.
fn alternatives(declared: &Type) -> Vec<Type> {
    let mut parts: Vec<Type> = declared
        .classes
        .iter()
        .map(|names| Type {
            mask: 0,
            classes: vec![names.clone()],
        })
        .collect();
    let mut mask = declared.mask;
    for bits in BUILT_IN.into_iter().chain([type_mask::NULL]) {
        if mask & bits == bits {
            mask &= !bits;
            parts.push(Type {
                mask: bits,
                classes: Vec::new(),
            });
        }
    }
    parts
}
