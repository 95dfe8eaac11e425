//! ReflectionAttribute.

use std::sync::Arc;

use vm_runtime::class::{Class, NativeClass, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, Function, flags};
use vm_runtime::message::Message;
use vm_runtime::op_array::{AttributeDeclaration, OpArray};
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::subject::{
    FLAGS, HANDLERS, Subject, class, create, make, name_bytes, name_value, own_subject,
    uninitialised,
};

/// An attribute on something.
#[derive(Clone)]
pub(super) struct AttributeSubject {
    declaration: *const AttributeDeclaration,
    /// The code it stands on, if that might go before.
    _code: Option<Arc<OpArray>>,
    /// The class in which its arguments are evaluated.
    scope: *mut Class,
    /// What it stands on, as a bit of `Attribute::TARGET_*`.
    target: i64,
    repeated: bool,
}

impl AttributeSubject {
    fn get(&self) -> &AttributeDeclaration {
        // SAFETY: I4: attributes live as long as the code or class they stand on; code is held.
        unsafe { &*self.declaration }
    }
}

const IS_INSTANCEOF: i64 = 2;
const TARGET_CLASS: i64 = 1;
const TARGET_FUNCTION: i64 = 2;
const TARGET_METHOD: i64 = 4;
const TARGET_PARAMETER: i64 = 32;

pub(super) static CLASSES: &[&NativeClass] =
    &[
        &NativeClass::new("class ReflectionAttribute implements Reflector")
            .create_native(create)
            .handlers(&HANDLERS)
            .flags(FLAGS)
            .constants(&["int IS_INSTANCEOF = 2"])
            .properties(&["public string $name"])
            .methods(&[
                method("public function getName(): string", |call| {
                    Ok(name_value(about(call)?.get().name))
                }),
                method("public function getTarget(): int", |call| {
                    Ok(about(call)?.target.into())
                }),
                method("public function isRepeated(): bool", |call| {
                    Ok(about(call)?.repeated.into())
                }),
                method("public function getArguments(): array", |call| {
                    let about = about(call)?;
                    Ok(arguments(call.vm, &about)?.into())
                }),
                method("public function newInstance(): object", new_instance),
                method("public function __toString(): string", |call| {
                    let about = about(call)?;
                    let text = super::text::attribute_text(call.vm, about.get())?;
                    Ok(call.vm.string(text.message()).into())
                }),
                method("private function __clone(): void", |_| Ok(Value::NULL)),
                method("private function __construct()", |_| Ok(Value::NULL)),
            ]),
    ];

fn about(call: &mut Call<'_>) -> PhpResult<AttributeSubject> {
    match own_subject(call) {
        Subject::Attribute(about) => Ok(about.clone()),
        _ => Err(uninitialised(call.vm)),
    }
}

fn arguments(vm: &mut Vm, about: &AttributeSubject) -> PhpResult<vm_runtime::value::ArrayHandle> {
    let mut table = vm.new_array();
    for (name, value) in &about.get().arguments {
        let value = vm.attribute_argument(value, about.scope)?;
        if name.is_null() {
            let _ = table.make_mut(vm).push(value);
        } else {
            // SAFETY: I4: names of arguments live as long as the attribute.
            let name = unsafe { &**name };
            table.make_mut(vm).set_string(name, value);
        }
    }
    Ok(table)
}

/// `getAttributes()` of anything: its attributes, those of one name, or those of one kind.
pub(super) fn list(
    call: &mut Call<'_>,
    attributes: &[AttributeDeclaration],
    code: Option<&Arc<OpArray>>,
    scope: *mut Class,
    target: i64,
) -> PhpResult<Value> {
    let flags = call.long(1);
    if flags & !IS_INSTANCEOF != 0 {
        return Err(call.value_error(1, "must be a valid attribute filter flag"));
    }
    let wanted = call.optional_string(0);
    let base = match &wanted {
        Some(name) if flags & IS_INSTANCEOF != 0 => {
            match call.vm.class_by_name(name.as_bytes(), true)? {
                Some(base) => Some(base),
                None => {
                    let message = format!("Class \"{}\" not found", name.whole_text());
                    return Err(call.vm.throw_error(KnownClass::Error, message));
                }
            }
        }
        _ => None,
    };
    let wanted_name = wanted.map(|name| {
        let name = name.as_bytes();
        name.strip_prefix(b"\\")
            .unwrap_or(name)
            .to_ascii_lowercase()
    });
    let mut found = Vec::new();
    for declaration in attributes {
        let lowercase = name_bytes(declaration.lowercase);
        let matches = match (base, &wanted_name) {
            (Some(base), _) => {
                let own = call.vm.class_by_name(name_bytes(declaration.name), true)?;
                own.is_some_and(|own| class(own).is_subclass_of(base))
            }
            (None, Some(name)) => lowercase == name.as_slice(),
            (None, None) => true,
        };
        if !matches {
            continue;
        }
        let repeated = attributes
            .iter()
            .filter(|other| name_bytes(other.lowercase) == lowercase)
            .count()
            > 1;
        let about = AttributeSubject {
            declaration,
            _code: code.cloned(),
            scope,
            target,
            repeated,
        };
        let name = name_value(declaration.name);
        found.push(make(
            call.vm,
            "ReflectionAttribute",
            Subject::Attribute(about),
            [name],
        )?);
    }
    Ok(crate::support::list(call.vm, found))
}

/// The attributes of a class.
pub(super) fn of_class(call: &mut Call<'_>, about: *mut Class) -> PhpResult<Value> {
    list(call, class(about).attributes(), None, about, TARGET_CLASS)
}

/// The attributes of a function.
pub(super) fn of_function(call: &mut Call<'_>, function: &Function) -> PhpResult<Value> {
    let target = match function.scope.is_null() || function.flags & flags::CLOSURE != 0 {
        true => TARGET_FUNCTION,
        false => TARGET_METHOD,
    };
    match &function.code {
        Some(code) => list(
            call,
            &code.draft.attributes,
            Some(code),
            function.scope,
            target,
        ),
        None => list(call, &[], None, function.scope, target),
    }
}

/// The attributes of a parameter.
pub(super) fn of_parameter(
    call: &mut Call<'_>,
    function: &Function,
    index: usize,
) -> PhpResult<Value> {
    let attributes = &function.parameters[index].attributes;
    let code = function.code.as_ref();
    list(call, attributes, code, function.scope, TARGET_PARAMETER)
}

/// Names of targets in the order of their bits.
const TARGETS: [&str; 6] = [
    "class",
    "function",
    "method",
    "property",
    "class constant",
    "parameter",
];

fn target_names(bits: i64) -> String {
    let names: Vec<&str> = TARGETS
        .iter()
        .enumerate()
        .filter(|(index, _)| bits & 1 << index != 0)
        .map(|(_, name)| *name)
        .collect();
    names.join(", ")
}

/// Flags of the `#[Attribute]` on a class; None if it is no attribute class.
fn attribute_flags(vm: &mut Vm, about: *mut Class) -> PhpResult<Option<i64>> {
    let attributes = class(about).attributes();
    let Some(marker) = attributes
        .iter()
        .find(|known| known.lowercase_bytes() == b"attribute")
    else {
        return Ok(None);
    };
    let Some((_, value)) = marker.arguments.first() else {
        return Ok(Some(63));
    };
    let value = vm.attribute_argument(value, about)?;
    match value.view() {
        ValueKind::Long(bits) => {
            if bits & !127 != 0 {
                return Err(vm.throw_error(KnownClass::Error, "Invalid attribute flags specified"));
            }
            Ok(Some(bits))
        }
        _ => {
            let given = vm_runtime::operators::value_name(&value);
            Err(vm.throw_error(
                KnownClass::Error,
                format!("Attribute::__construct(): Argument #1 ($flags) must be of type int, {given} given"),
            ))
        }
    }
}

fn new_instance(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = about(call)?;
    let name = vm_runtime::message::whole_text(name_bytes(about.get().name)).into_owned();
    let owner = match call.vm.class_by_name(name_bytes(about.get().name), true) {
        Ok(Some(owner)) => owner,
        Err(exit) if call.vm.is_exiting() => return Err(exit),
        // What the autoloader threw is behind it.
        _ => {
            return Err(call.vm.throw_error(
                KnownClass::Error,
                format!("Attribute class \"{name}\" not found"),
            ));
        }
    };
    let Some(bits) = attribute_flags(call.vm, owner)? else {
        return Err(call.vm.throw_error(
            KnownClass::Error,
            format!("Attempting to use non-attribute class \"{name}\" as attribute"),
        ));
    };
    if bits & about.target == 0 {
        let (target, allowed) = (target_names(about.target), target_names(bits));
        return Err(call.vm.throw_error(
            KnownClass::Error,
            format!("Attribute \"{name}\" cannot target {target} (allowed targets: {allowed})"),
        ));
    }
    if about.repeated && bits & 64 == 0 {
        return Err(call.vm.throw_error(
            KnownClass::Error,
            format!("Attribute \"{name}\" must not be repeated"),
        ));
    }
    Ok(call
        .vm
        .attribute_instance(about.get(), owner, about.scope)?
        .into())
}
