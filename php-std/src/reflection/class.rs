//! ReflectionClass and ReflectionObject.

use vm_runtime::class::lookup::constructor_for_new;
use vm_runtime::class::{Class, NativeClass, direct_method, method};
use vm_runtime::exceptions::{KnownClass, set_slot};
use vm_runtime::function::{Call, class_flags, flags};
use vm_runtime::interpreter::callback::Callee;
use vm_runtime::message::Message;
use vm_runtime::object::{PhpObject, instantiate, new_object};
use vm_runtime::op_array::ClassDeclaration;
use vm_runtime::string::PhpString;
use vm_runtime::value::{ArrayHandle, HEADER_DESTRUCTOR_CALLED, ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::class_members as members;
use super::function::{namespace, short_name};
use super::lazy;
use super::subject::{
    FLAGS, HANDLERS, Subject, class, class_argument, class_of, class_subject, create, fail, getter,
    make_class, make_method, name_bytes, name_value, own_subject, set_subject, string_or_false,
    subject, this,
};
use crate::core::functions::{named_arguments, rest, split_arguments};
use crate::support::direct;

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class ReflectionClass implements Reflector")
        .create_native(create)
        .handlers(&HANDLERS)
        .flags(FLAGS)
        .constants(&[
            "int IS_IMPLICIT_ABSTRACT = 16",
            "int IS_EXPLICIT_ABSTRACT = 64",
            "int IS_FINAL = 32",
            "int IS_READONLY = 65536",
            "int SKIP_INITIALIZATION_ON_SERIALIZE = 8",
            "int SKIP_DESTRUCTOR = 16",
        ])
        .properties(&["public string $name"])
        .methods(&[
            method("private function __clone(): void", |_| Ok(Value::NULL)),
            direct_method(
                "public function __construct(object|string $objectOrClass)",
                construct,
                construct_directly,
            ),
            method("public function __toString(): string", |call| {
                let about = class_subject(call)?;
                let text = super::text::class_text(call.vm, about, instance(call), "")?;
                Ok(call.vm.string(text.message()).into())
            }),
            getter!("tentative public function getName(): string", class_of, |about| name_value(about.name)),
            getter!("tentative public function isInternal(): bool", class_of, |about| about.flags & (class_flags::INTERNAL) != 0),
            getter!("tentative public function isUserDefined(): bool", class_of, |about| about.flags & class_flags::INTERNAL == 0),
            getter!("tentative public function isAnonymous(): bool", class_of, |about| about.flags & (class_flags::ANONYMOUS) != 0),
            getter!("tentative public function isInstantiable(): bool", class_of, |about| is_instantiable(about)),
            method("tentative public function isCloneable(): bool", |call| {
                let about = class_subject(call)?;
                Ok(is_cloneable(call.vm, about)?.into())
            }),
            method("tentative public function getFileName(): string|false", |call| {
                Ok(declaration(class_subject(call)?).map_or(false.into(), |found| name_value(found.filename)))
            }),
            method("tentative public function getStartLine(): int|false", |call| {
                Ok(declaration(class_subject(call)?).map_or(false.into(), |found| (found.line_start as i64).into()))
            }),
            method("tentative public function getEndLine(): int|false", |call| {
                Ok(declaration(class_subject(call)?).map_or(false.into(), |found| (found.line_end as i64).into()))
            }),
            method("tentative public function getDocComment(): string|false", |call| {
                Ok(declaration(class_subject(call)?).map_or(false.into(), |found| string_or_false(found.doc_comment)))
            }),
            direct_method(
                "tentative public function getConstructor(): ?ReflectionMethod",
                |call| {
                    let about = class_subject(call)?;
                    constructor(call.vm, about)
                },
                constructor_directly,
            ),
            method("tentative public function hasMethod(string $name): bool", members::has_method),
            method("tentative public function getMethod(string $name): ReflectionMethod", members::get_method),
            direct_method(
                "tentative public function getMethods(?int $filter = null): array",
                members::get_methods,
                members::methods_directly,
            ),
            method("tentative public function hasProperty(string $name): bool", members::has_property),
            method("tentative public function getProperty(string $name): ReflectionProperty", members::get_property),
            method("tentative public function getProperties(?int $filter = null): array", members::get_properties),
            method("tentative public function hasConstant(string $name): bool", members::has_constant),
            method("tentative public function getConstants(?int $filter = null): array", members::get_constants),
            method("tentative public function getReflectionConstants(?int $filter = null): array", members::get_reflection_constants),
            method("tentative public function getConstant(string $name): mixed", members::get_constant),
            method("tentative public function getReflectionConstant(string $name): ReflectionClassConstant|false", members::get_reflection_constant),
            method("tentative public function getInterfaces(): array", |call| {
                let list = class(class_subject(call)?).interfaces.clone();
                class_table(call.vm, &list)
            }),
            method("tentative public function getInterfaceNames(): array", |call| {
                let list = class(class_subject(call)?).interfaces.clone();
                Ok(class_names(call.vm, &list))
            }),
            getter!("tentative public function isInterface(): bool", class_of, |about| about.flags & (class_flags::INTERFACE) != 0),
            method("tentative public function getTraits(): array", |call| {
                let list = class(class_subject(call)?).traits.clone();
                class_table(call.vm, &list)
            }),
            method("tentative public function getTraitNames(): array", |call| {
                let list = class(class_subject(call)?).traits.clone();
                Ok(class_names(call.vm, &list))
            }),
            method("tentative public function getTraitAliases(): array", members::trait_aliases),
            getter!("tentative public function isTrait(): bool", class_of, |about| about.flags & (class_flags::TRAIT) != 0),
            getter!("public function isEnum(): bool", class_of, |about| about.flags & (class_flags::ENUM) != 0),
            getter!("tentative public function isAbstract(): bool", class_of, |about| about.flags & (class_flags::ABSTRACT | class_flags::IMPLICIT_ABSTRACT) != 0),
            getter!("tentative public function isFinal(): bool", class_of, |about| modifiers(about) & class_flags::FINAL != 0),
            getter!("public function isReadOnly(): bool", class_of, |about| about.flags & (class_flags::READONLY) != 0),
            getter!("tentative public function getModifiers(): int", class_of, |about| i64::from(modifiers(about))),
            method("tentative public function isInstance(object $object): bool", |call| {
                let about = class_subject(call)?;
                Ok(call.object(0).class().is_subclass_of(about).into())
            }),
            method("tentative public function newInstance(mixed ...?$args): object", |call| {
                let (positional, named) = (rest(call, 0), named_arguments(call));
                new_instance(call, positional, named)
            }),
            method("tentative public function newInstanceWithoutConstructor(): object", |call| {
                let about = class_subject(call)?;
                let known = class(about);
                if known.flags & class_flags::INTERNAL != 0
                    && known.flags & class_flags::FINAL != 0
                    && (known.create_native.is_some()
                        || known.flags & class_flags::NOT_INSTANTIABLE != 0
                        || is_made_specially(known))
                {
                    let message = format!(
                        "Class {} is an internal class marked as final that cannot be instantiated without invoking its constructor",
                        known.display_name()
                    );
                    return Err(fail(call.vm, &message, 0));
                }
                Ok(instantiate(call.vm, about)?.into())
            }),
            method("tentative public function newInstanceArgs(array $args = []): ?object", |call| {
                let (positional, named) = split_arguments(call.vm, &call.array(0))?;
                new_instance(call, positional, named)
            }),
            method("public function newLazyGhost(callable $initializer, int $options = 0): object", lazy::new_ghost),
            method("public function newLazyProxy(callable $factory, int $options = 0): object", lazy::new_proxy),
            method("#[Unchecked(1, 2, 3)] public function resetAsLazyGhost(object $object, callable $initializer, int $options = 0): void", lazy::reset_as_ghost),
            method("#[Unchecked(1, 2, 3)] public function resetAsLazyProxy(object $object, callable $factory, int $options = 0): void", lazy::reset_as_proxy),
            method("#[Unchecked(1)] public function initializeLazyObject(object $object): object", lazy::initialize),
            method("#[Unchecked(1)] public function isUninitializedLazyObject(object $object): bool", lazy::is_uninitialised),
            method("#[Unchecked(1)] public function markLazyObjectAsInitialized(object $object): object", lazy::mark_as_initialised),
            method("#[Unchecked(1)] public function getLazyInitializer(object $object): ?callable", lazy::get_initialiser),
            method("tentative public function getParentClass(): ReflectionClass|false", |call| {
                match class(class_subject(call)?).parent {
                    parent if parent.is_null() => Ok(false.into()),
                    parent => make_class(call.vm, parent),
                }
            }),
            method("tentative public function isSubclassOf(ReflectionClass|string $class): bool", |call| {
                let about = class_subject(call)?;
                let other = other_class(call, "Class")?;
                Ok((about != other && class(about).is_subclass_of(other)).into())
            }),
            method("tentative public function getStaticProperties(): array", members::static_properties),
            method("tentative public function getStaticPropertyValue(string $name, mixed $default = UNKNOWN): mixed", members::static_property_value),
            method("tentative public function setStaticPropertyValue(string $name, mixed $value): void", members::set_static_property_value),
            method("tentative public function getDefaultProperties(): array", members::default_properties),
            method("tentative public function isIterable(): bool", is_iterable),
            method("tentative public function isIterateable(): bool", is_iterable),
            method("tentative public function implementsInterface(ReflectionClass|string $interface): bool", |call| {
                let about = class_subject(call)?;
                let interface = other_class(call, "Interface")?;
                if class(interface).flags & class_flags::INTERFACE == 0 {
                    let message = format!("{} is not an interface", class(interface).display_name());
                    return Err(fail(call.vm, &message, 0));
                }
                Ok(class(about).is_subclass_of(interface).into())
            }),
            method("tentative public function getExtension(): ?ReflectionExtension", |call| {
                match extension_of(call)? {
                    Some(name) => super::extension::make_extension(call.vm, name),
                    None => Ok(Value::NULL),
                }
            }),
            method("tentative public function getExtensionName(): string|false", |call| {
                Ok(match extension_of(call)? {
                    Some(name) => call.vm.string(name).into(),
                    None => false.into(),
                })
            }),
            method("tentative public function inNamespace(): bool", |call| {
                let name = name_bytes(class(class_subject(call)?).name);
                Ok((!namespace(name).is_empty()).into())
            }),
            method("tentative public function getNamespaceName(): string", |call| {
                let name = name_bytes(class(class_subject(call)?).name);
                Ok(call.vm.string(namespace(name)).into())
            }),
            method("tentative public function getShortName(): string", |call| {
                let name = name_bytes(class(class_subject(call)?).name);
                Ok(call.vm.string(short_name(name)).into())
            }),
            method("public function getAttributes(?string $name = null, int $flags = 0): array", |call| {
                let about = class_subject(call)?;
                super::attribute::of_class(call, about)
            }),
        ]),
    &NativeClass::new("class ReflectionObject extends ReflectionClass")
        .methods(&[direct_method(
            "public function __construct(object $object)",
            construct,
            construct_of_object_directly,
        )]),
];

/// The object that a ReflectionObject is about.
pub(super) fn instance(call: &Call<'_>) -> Option<ObjectHandle> {
    match own_subject(call) {
        Subject::Class(_, instance) => instance.clone(),
        _ => None,
    }
}

/// The declaration of a user class.
pub(super) fn declaration<'a>(about: *mut Class) -> Option<&'a ClassDeclaration> {
    class(about).declaration.as_deref()
}

/// `getModifiers()`.
pub(super) fn modifiers(about: &Class) -> u32 {
    let mut kept = about.flags & (class_flags::FINAL | class_flags::ABSTRACT);
    if is_native_enum(about) {
        kept &= !class_flags::FINAL;
    }
    if about.flags & class_flags::READONLY != 0 {
        kept |= super::READONLY_CLASS;
    }
    kept
}

/// PHP does not call its own enums final.
pub(super) fn is_native_enum(about: &Class) -> bool {
    let both = class_flags::INTERNAL | class_flags::ENUM;
    about.flags & both == both
}

/// The constructor of a class, or `null`.
fn constructor(vm: &mut Vm, about: *mut Class) -> PhpResult<Value> {
    match class(about).magic.construct {
        constructor if constructor.is_null() => Ok(Value::NULL),
        constructor => make_method(vm, members::subject_of(constructor, about)),
    }
}

/// True if the constructor has not been called: nothing goes, and so no destructor runs.
fn is_new(this: &PhpObject) -> bool {
    matches!(subject(this), Subject::None)
}

direct! {
    fn constructor_directly(vm, this;) {
        match subject(this) {
            Subject::Class(about, _) => constructor(vm, *about).ok(),
            _ => None,
        }
    }

    /// Of a class that is there by its name.
    fn construct_directly(vm, this; name: &PhpString) {
        is_new(this).then_some(())?;
        let about = vm.class_named(name, false).ok()??;
        set_slot(this, 0, name_value(class(about).name));
        set_subject(this, Subject::Class(about, None));
        Some(())
    }

    fn construct_of_object_directly(vm, this; object: &PhpObject) {
        is_new(this).then_some(())?;
        let (_, about) = (vm, object.class);
        set_slot(this, 0, name_value(class(about).name));
        // SAFETY: I3: the argument is live.
        let instance = unsafe { ObjectHandle::share_raw((&raw const *object).cast_mut()) };
        set_subject(this, Subject::Class(about, Some(instance)));
        Some(())
    }
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, instance) = (this(call), call.value(0).object());
    // Only a ReflectionObject is about the object, too.
    let of_object = name_bytes(class(call.function().scope).name) == b"ReflectionObject";
    let instance = instance.filter(|_| of_object);
    let about = class_argument(call, 0)?;
    set_slot(&object, 0, name_value(class(about).name));
    set_subject(&object, Subject::Class(about, instance));
    Ok(Value::NULL)
}

const NO_INSTANCES: u32 = class_flags::INTERFACE
    | class_flags::TRAIT
    | class_flags::ENUM
    | class_flags::ABSTRACT
    | class_flags::IMPLICIT_ABSTRACT;

fn is_instantiable(about: &Class) -> bool {
    // SAFETY: I4: methods are null or live.
    let constructor = unsafe { about.magic.construct.as_ref() };
    about.flags & NO_INSTANCES == 0
        && constructor.is_none_or(|constructor| constructor.flags & flags::PUBLIC != 0)
}

fn is_cloneable(vm: &mut Vm, about: *mut Class) -> PhpResult<bool> {
    let known = class(about);
    if known.flags & (NO_INSTANCES | class_flags::NOT_CLONEABLE) != 0 {
        return Ok(false);
    }
    // SAFETY: I4: methods are null or live.
    if let Some(clone) = unsafe { known.magic.clone.as_ref() } {
        return Ok(clone.flags & flags::PUBLIC != 0);
    }
    if known.create_native.is_none() {
        return Ok(true);
    }
    let object = new_object(vm, about)?;
    let Some(native) = &object.native else {
        return Ok(true);
    };
    let copy = native.clone_native(vm);
    // Some cannot be cloned before they were constructed, and say so.
    Ok(copy.is_some() || vm.take_exception().is_some())
}

/// True for a class that has nothing native here, and whose objects PHP makes in a way of their own.
fn is_made_specially(known: &Class) -> bool {
    let is_throwable =
        |&interface: &*mut Class| name_bytes(class(interface).lowercase) == b"throwable";
    known.interfaces.iter().any(is_throwable)
        || [
            &b"random\\randomizer"[..],
            b"__php_incomplete_class",
            b"internaliterator",
        ]
        .contains(&name_bytes(known.lowercase))
}

/// True if `foreach` calls methods of instances.
pub(super) fn is_iterable_class(about: &Class) -> bool {
    let is_traversable =
        |&interface: &*mut Class| name_bytes(class(interface).lowercase) == b"traversable";
    const NOT_CLASSES: u32 = class_flags::INTERFACE | class_flags::TRAIT | class_flags::ENUM;
    about.flags & NOT_CLASSES == 0
        && (about.flags & class_flags::HAS_HOOKS != 0
            || about.interfaces.iter().any(is_traversable))
}

fn is_iterable(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let traversable = call.vm.class_of(KnownClass::Traversable);
    let iterable =
        class(about).flags & NO_INSTANCES == 0 && class(about).is_subclass_of(traversable);
    Ok(iterable.into())
}

fn class_names(vm: &mut Vm, list: &[*mut Class]) -> Value {
    crate::support::list(vm, list.iter().map(|&found| name_value(class(found).name)))
}

fn class_table(vm: &mut Vm, list: &[*mut Class]) -> PhpResult<Value> {
    let mut table = vm.new_array();
    for &found in list {
        let made = make_class(vm, found)?;
        // SAFETY: I4: a class's name lives as long as it.
        let key = unsafe { &*class(found).name };
        table.make_mut(vm).set_string(key, made);
    }
    Ok(table.into())
}

/// The class of an argument `ReflectionClass|string`.
fn other_class(call: &mut Call<'_>, kind: &str) -> PhpResult<*mut Class> {
    if let Some(object) = call.value(0).object() {
        return match subject(&object) {
            Subject::Class(other, _) => Ok(*other),
            _ => Err(super::subject::uninitialised(call.vm)),
        };
    }
    let name = call.string(0);
    match call.vm.class_by_name(name.as_bytes(), true)? {
        Some(found) => Ok(found),
        None => {
            let message = format!("{kind} \"{}\" does not exist", name.whole_text());
            Err(fail(call.vm, &message, 0))
        }
    }
}

fn new_instance(
    call: &mut Call<'_>,
    positional: Vec<Value>,
    named: Option<ArrayHandle>,
) -> PhpResult<Value> {
    let about = class_subject(call)?;
    let object = instantiate(call.vm, about)?;
    let constructor = class(about).magic.construct;
    // Only a function makes objects of some classes: without it they are none.
    let refused = constructor_for_new(call.vm, about, about).err();
    // SAFETY: I4: methods are null or live.
    let Some(function) = (unsafe { constructor.as_ref() }) else {
        if !positional.is_empty() || named.is_some() {
            let message = format!(
                "Class {} does not have a constructor, so you cannot pass any constructor arguments",
                class(about).display_name()
            );
            return Err(fail(call.vm, &message, 0));
        }
        return match refused {
            Some(thrown) => Err(thrown),
            None => Ok(object.into()),
        };
    };
    if let Some(thrown) = refused {
        return Err(thrown);
    }
    if function.flags & flags::PUBLIC == 0 {
        let message = format!(
            "Access to non-public constructor of class {}",
            class(about).display_name()
        );
        skip_destructor(&object);
        return Err(fail(call.vm, &message, 0));
    }
    let callee = Callee {
        function: constructor,
        this: Some(object.clone()),
        called_class: about,
        closure: None,
    };
    // SAFETY: I4: the constructor lives as long as its class.
    let outcome = unsafe { call.vm.call_callee(callee, positional, named) };
    if outcome.is_err() {
        skip_destructor(&object);
    }
    outcome?;
    Ok(object.into())
}

/// As after `new`: an object that was not constructed is not destructed.
fn skip_destructor(object: &ObjectHandle) {
    // SAFETY: I3: the handle keeps the object.
    unsafe { (*object.as_ptr()).header.type_info |= HEADER_DESTRUCTOR_CALLED };
}

/// The name of the extension of the class.
fn extension_of(call: &mut Call<'_>) -> PhpResult<Option<&'static str>> {
    let about = class(class_subject(call)?);
    Ok(super::extension::of_class(call.vm, about))
}
