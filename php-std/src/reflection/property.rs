//! ReflectionProperty.

use vm_runtime::class::{NativeClass, PropertyInfo, direct_method, method};
use vm_runtime::exceptions::set_slot;
use vm_runtime::function::{Call, Function, Type, flags};
use vm_runtime::message::Message;
use vm_runtime::object::{PhpObject, fill_table};
use vm_runtime::string::PhpString;
use vm_runtime::value::{Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::lazy;
use super::property_values as values;
use super::subject::{
    FLAGS, FunctionSubject, HANDLERS, PropertySubject, Subject, class, create, fail, getter, make,
    make_class, make_type, name_value, property_of, property_subject, set_subject, string_or_false,
    this,
};
use crate::support::{Outcome, Plain, this_of};

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new(
    "class ReflectionProperty implements Reflector",
)
.create_native(create)
.handlers(&HANDLERS)
.flags(FLAGS)
.constants(&[
    "int IS_STATIC = 16",
    "int IS_READONLY = 128",
    "int IS_PUBLIC = 1",
    "int IS_PROTECTED = 2",
    "int IS_PRIVATE = 4",
    "int IS_ABSTRACT = 64",
    "int IS_PROTECTED_SET = 2048",
    "int IS_PRIVATE_SET = 4096",
    "int IS_VIRTUAL = 512",
    "int IS_FINAL = 32",
])
.properties(&["public string $name", "public string $class"])
.methods(&[
    method("private function __clone(): void", |_| Ok(Value::NULL)),
    direct_method(
        "public function __construct(object|string $class, string $property)",
        construct,
        construct_directly,
    ),
    method("public function __toString(): string", |call| {
        let about = property_subject(call)?;
        let text = super::text::property_text(call.vm, &about, "")?;
        Ok(call.vm.string(text.message()).into())
    }),
    getter!(
        "tentative public function getName(): string",
        property_of,
        |about| about.name.clone()
    ),
    direct_method(
        "tentative public function getValue(?object $object = null): mixed",
        values::get_value,
        values::value_directly,
    ),
    method(
        "#[Unchecked(1, 2, at least 2)] tentative public function setValue(mixed $objectOrValue, mixed $value = UNKNOWN): void",
        values::set_value,
    ),
    method(
        "public function getRawValue(object $object): mixed",
        values::get_raw_value,
    ),
    method(
        "public function setRawValue(object $object, mixed $value): void",
        values::set_raw_value,
    ),
    method(
        "#[Unchecked(1)] public function setRawValueWithoutLazyInitialization(object $object, mixed $value): void",
        lazy::set_raw_value,
    ),
    method(
        "#[Unchecked(1)] public function skipLazyInitialization(object $object): void",
        lazy::skip_initialisation,
    ),
    method(
        "#[Unchecked(1)] public function isLazy(object $object): bool",
        lazy::is_lazy_property,
    ),
    method(
        "tentative public function isInitialized(?object $object = null): bool",
        values::is_initialised,
    ),
    getter!(
        "tentative public function isPublic(): bool",
        property_of,
        |about| about.has_flag(flags::PUBLIC)
    ),
    getter!(
        "tentative public function isPrivate(): bool",
        property_of,
        |about| about.has_flag(flags::PRIVATE)
    ),
    getter!(
        "tentative public function isProtected(): bool",
        property_of,
        |about| about.has_flag(flags::PROTECTED)
    ),
    getter!(
        "public function isPrivateSet(): bool",
        property_of,
        |about| about.has_flag(flags::PRIVATE_SET)
    ),
    getter!(
        "public function isProtectedSet(): bool",
        property_of,
        |about| about
            .info()
            .is_some_and(|info| shown_flags(info) & flags::PROTECTED_SET != 0)
    ),
    getter!(
        "tentative public function isStatic(): bool",
        property_of,
        |about| about.has_flag(flags::STATIC)
    ),
    getter!("public function isReadOnly(): bool", property_of, |about| {
        about.has_flag(flags::READONLY)
    }),
    method("tentative public function isDefault(): bool", |call| {
        Ok((!property_subject(call)?.info.is_null()).into())
    }),
    method("public function isDynamic(): bool", |call| {
        Ok(property_subject(call)?.info.is_null().into())
    }),
    getter!("public function isAbstract(): bool", property_of, |about| {
        about.has_flag(flags::ABSTRACT)
    }),
    getter!("public function isVirtual(): bool", property_of, |about| {
        about.has_flag(flags::VIRTUAL)
    }),
    getter!("public function isPromoted(): bool", property_of, |about| {
        about.has_flag(flags::PROMOTED)
    }),
    method("tentative public function getModifiers(): int", |call| {
        let about = property_subject(call)?;
        const KEPT: u32 = flags::VISIBILITY
            | flags::STATIC
            | flags::READONLY
            | flags::ABSTRACT
            | flags::FINAL
            | flags::VIRTUAL
            | flags::PROTECTED_SET
            | flags::PRIVATE_SET;
        Ok(about
            .info()
            .map_or(1, |info| (shown_flags(info) & KEPT) as i64)
            .into())
    }),
    method(
        "tentative public function getDeclaringClass(): ReflectionClass",
        |call| {
            let about = property_subject(call)?;
            let owner = about.info().map_or(about.class, |info| info.class);
            make_class(call.vm, owner)
        },
    ),
    method(
        "tentative public function getDocComment(): string|false",
        |call| {
            let about = property_subject(call)?;
            Ok(about
                .info()
                .map_or(false.into(), |info| string_or_false(info.doc_comment)))
        },
    ),
    method(
        "tentative public function setAccessible(bool $accessible): void",
        |_| Ok(Value::NULL),
    ),
    method(
        "tentative public function getType(): ?ReflectionType",
        |call| {
            let about = property_subject(call)?;
            make_type(
                call.vm,
                about.info().and_then(|info| info.declared.as_ref()),
            )
        },
    ),
    method(
        "public function getSettableType(): ?ReflectionType",
        |call| {
            let about = property_subject(call)?;
            let Some(info) = about.info() else {
                return Ok(Value::NULL);
            };
            if info.flags & flags::VIRTUAL != 0 && info.set_hook.is_null() {
                let never = Type {
                    mask: vm_runtime::function::type_mask::NEVER,
                    classes: Vec::new(),
                };
                return make_type(call.vm, Some(&never));
            }
            // SAFETY: I4: hooks are null or live.
            let parameter =
                unsafe { info.set_hook.as_ref() }.and_then(|hook| hook.parameters.first().cloned());
            match parameter {
                Some(parameter) => make_type(call.vm, parameter.declared.as_ref()),
                None => make_type(call.vm, info.declared.as_ref()),
            }
        },
    ),
    getter!(
        "tentative public function hasType(): bool",
        property_of,
        |about| about.info().is_some_and(|info| info.declared.is_some())
    ),
    method("public function hasDefaultValue(): bool", |call| {
        Ok(values::default(call)?.is_some().into())
    }),
    method(
        "tentative public function getDefaultValue(): mixed",
        |call| Ok(values::default(call)?.unwrap_or(Value::NULL)),
    ),
    method(
        "public function getAttributes(?string $name = null, int $flags = 0): array",
        |call| {
            let about = property_subject(call)?;
            let Some(info) = about.info() else {
                return Ok(call.vm.new_array().into());
            };
            // SAFETY: I4: attributes belong to a declaration that a live class holds.
            let attributes = unsafe { &*info.attributes };
            super::attribute::list(call, attributes, None, info.class, 8)
        },
    ),
    method("public function hasHooks(): bool", |call| {
        Ok(property_subject(call)?
            .info()
            .is_some_and(PropertyInfo::has_hooks)
            .into())
    }),
    method("public function getHooks(): array", |call| {
        let about = property_subject(call)?;
        let mut table = call.vm.new_array();
        let Some(info) = about.info() else {
            return Ok(table.into());
        };
        for (name, hook) in [(&b"get"[..], info.get_hook), (b"set", info.set_hook)] {
            if !hook.is_null() {
                let made = make_hook(call.vm, hook)?;
                table.make_mut(call.vm).set_bytes(name, made);
            }
        }
        Ok(table.into())
    }),
    method(
        "public function hasHook(PropertyHookType $type): bool",
        |call| {
            let hook = hook(call)?;
            Ok((!hook.is_null()).into())
        },
    ),
    method(
        "public function getHook(PropertyHookType $type): ?ReflectionMethod",
        |call| {
            let hook = hook(call)?;
            if hook.is_null() {
                Ok(Value::NULL)
            } else {
                make_hook(call.vm, hook)
            }
        },
    ),
    getter!("public function isFinal(): bool", property_of, |about| {
        about.has_flag(flags::FINAL)
    }),
])];

impl PropertySubject {
    /// The declaration, unless it is a dynamic property.
    pub(super) fn info(&self) -> Option<&PropertyInfo> {
        // SAFETY: I4: infos live as long as their class.
        unsafe { self.info.as_ref() }
    }

    /// Whether it has been declared so. What was not is public.
    fn has_flag(&self, flag: u32) -> bool {
        match self.info() {
            Some(info) => info.flags & flag != 0,
            None => flag == flags::PUBLIC,
        }
    }
}

/// A ReflectionProperty.
/// The flags of a property as they are told: a `readonly` property that is not public is as protected for writing as
/// it is for reading, which is no modifier of its own.
pub(super) fn shown_flags(info: &PropertyInfo) -> u32 {
    match info.flags & (flags::READONLY | flags::PUBLIC) {
        flags::READONLY => info.flags & !flags::PROTECTED_SET,
        _ => info.flags,
    }
}

pub(super) fn make_property(vm: &mut Vm, about: PropertySubject) -> PhpResult<Value> {
    let owner = about.info().map_or(about.class, |info| info.class);
    let names = [about.name.clone().into(), name_value(class(owner).name)];
    make(vm, "ReflectionProperty", Subject::Property(about), names)
}

fn make_hook(vm: &mut Vm, hook: *const Function) -> PhpResult<Value> {
    // SAFETY: I4: hooks live as long as their class.
    let owner = unsafe { (*hook).scope };
    super::subject::make_method(
        vm,
        FunctionSubject {
            function: hook,
            closure: None,
            class: owner,
        },
    )
}

/// The hook that an argument of type PropertyHookType asks for.
fn hook(call: &mut Call<'_>) -> PhpResult<*const Function> {
    let about = property_subject(call)?;
    let wanted = call.object(0);
    // SAFETY: I3: a case's first slot is its name.
    let is_get = unsafe { (*wanted.slot(0)).as_bytes() == Some(&b"Get"[..]) };
    Ok(about.info().map_or(std::ptr::null(), |info| {
        if is_get { info.get_hook } else { info.set_hook }
    }))
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first, name) = (this(call), call.value(0), call.string(1));
    let (owner, instance) = match first.view() {
        ValueKind::Object(instance) => (instance.class, first.object()),
        _ => {
            let owner = call.string(0);
            (
                super::subject::existing_class(call.vm, owner.as_bytes(), 0)?,
                None,
            )
        }
    };
    let info = class(owner).properties.get(name.as_bytes()).cloned();
    let info = info.filter(|info| info.flags & flags::PRIVATE == 0 || info.class == owner);
    let pointer = match &info {
        Some(info) => std::rc::Rc::as_ptr(info),
        None => {
            let is_dynamic = instance.as_ref().is_some_and(|instance| {
                fill_table(call.vm, instance);
                // SAFETY: I3: the table of dynamic properties lives as long as the object.
                !instance.dynamic.is_null()
                    && unsafe { (*instance.dynamic).get_string(&name).is_some() }
            });
            if !is_dynamic {
                let message = format!(
                    "Property {}::${} does not exist",
                    class(owner).display_name(),
                    name.whole_text()
                );
                return Err(fail(call.vm, &message, 0));
            }
            std::ptr::null()
        }
    };
    let about = PropertySubject {
        info: pointer,
        name,
        class: owner,
    };
    fill(&object, about);
    Ok(Value::NULL)
}

/// Makes a new object one about a property.
fn fill(object: &PhpObject, about: PropertySubject) {
    let declaring = about.info().map_or(about.class, |info| info.class);
    set_slot(object, 0, about.name.clone().into());
    set_slot(object, 1, name_value(class(declaring).name));
    set_subject(object, Subject::Property(about));
}

/// Of a property that a class declares or inherits, both by names.
fn construct_directly(vm: &mut Vm, this: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let [owner, name] = arguments else {
        return false;
    };
    let (Some(owner), Some(given)) = (<&PhpString>::of(owner), <&PhpString>::of(name)) else {
        return false;
    };
    let Ok(Some(owner)) = vm.class_named(owner, false) else {
        return false;
    };
    let info = class(owner).properties.get_string(given);
    let Some(info) = info.filter(|info| info.flags & flags::PRIVATE == 0 || info.class == owner)
    else {
        return false;
    };
    let Some(name) = Value::share(name).string() else {
        return false;
    };
    let about = PropertySubject {
        info: std::rc::Rc::as_ptr(info),
        name,
        class: owner,
    };
    fill(this_of(this), about);
    Outcome::store((), result)
}
