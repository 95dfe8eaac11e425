//! ReflectionMethod.

use vm_runtime::class::lookup::with_lowercase;
use vm_runtime::class::{Class, NativeClass, direct_method, method};
use vm_runtime::exceptions::set_slot;
use vm_runtime::function::{Call, flags};
use vm_runtime::interpreter::callback::Callee;
use vm_runtime::message::Message;
use vm_runtime::object::{PhpObject, closure};
use vm_runtime::string::PhpString;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::subject::{
    FunctionSubject, Subject, class, fail, function_of, function_subject, getter, make_class,
    make_method, name_bytes, name_value, set_subject, this,
};
use crate::core::functions::{named_arguments, rest, split_arguments};
use crate::support::direct;

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new(
    "class ReflectionMethod extends ReflectionFunctionAbstract",
)
.constants(&[
    "int IS_STATIC = 16",
    "int IS_PUBLIC = 1",
    "int IS_PROTECTED = 2",
    "int IS_PRIVATE = 4",
    "int IS_ABSTRACT = 64",
    "int IS_FINAL = 32",
])
.properties(&["public string $class"])
.methods(&[
    direct_method(
        "public function __construct(object|string $objectOrMethod, ?string $method = null)",
        construct,
        construct_directly,
    ),
    method(
        "public static function createFromMethodName(string $method): static",
        |call| {
            let name = call.string(0);
            let about = by_full_name(call, name.as_bytes())?;
            // SAFETY: I4: the frame of the call is live.
            let called = unsafe { (*call.frame).called_class() };
            let object = vm_runtime::object::instantiate(call.vm, called)?;
            fill(&object, about);
            Ok(object.into())
        },
    ),
    method("public function __toString(): string", |call| {
        let about = function_subject(call)?;
        let text = super::text::function_text(call.vm, &about, "")?;
        Ok(call.vm.string(text.message()).into())
    }),
    getter!(
        "tentative public function isPublic(): bool",
        function_of,
        |about| about.get().flags & flags::PUBLIC != 0
    ),
    getter!(
        "tentative public function isPrivate(): bool",
        function_of,
        |about| about.get().flags & flags::PRIVATE != 0
    ),
    getter!(
        "tentative public function isProtected(): bool",
        function_of,
        |about| about.get().flags & flags::PROTECTED != 0
    ),
    getter!(
        "tentative public function isAbstract(): bool",
        function_of,
        |about| about.get().flags & flags::ABSTRACT != 0
    ),
    getter!(
        "tentative public function isFinal(): bool",
        function_of,
        |about| about.get().flags & flags::FINAL != 0
    ),
    getter!(
        "tentative public function isConstructor(): bool",
        function_of,
        |about| is_named(about, b"__construct")
    ),
    method("tentative public function isDestructor(): bool", |call| {
        let about = function_subject(call)?;
        Ok(is_named(&about, b"__destruct").into())
    }),
    method(
        "tentative public function getClosure(?object $object = null): Closure",
        get_closure,
    ),
    getter!(
        "tentative public function getModifiers(): int",
        function_of,
        |about| i64::from(about.get().flags & MODIFIERS)
    ),
    method(
        "tentative public function invoke(?object $object, mixed ...?$args): mixed",
        |call| {
            let object = call.has(0).then(|| call.object(0));
            let (positional, named) = (rest(call, 1), named_arguments(call));
            invoke(call, object, positional, named)
        },
    ),
    method(
        "tentative public function invokeArgs(?object $object, array $args): mixed",
        |call| {
            let object = call.has(0).then(|| call.object(0));
            let (positional, named) = match call.has(1) {
                true => split_arguments(call.vm, &call.array(1))?,
                false => Default::default(),
            };
            invoke(call, object, positional, named)
        },
    ),
    method(
        "tentative public function getDeclaringClass(): ReflectionClass",
        |call| {
            let about = function_subject(call)?;
            make_class(call.vm, about.get().scope)
        },
    ),
    method(
        "tentative public function getPrototype(): ReflectionMethod",
        |call| {
            let about = function_subject(call)?;
            match prototype(&about) {
                Some(found) => make_method(call.vm, found),
                None => {
                    let message = format!(
                        "Method {} does not have a prototype",
                        about.get().display_name()
                    );
                    Err(fail(call.vm, &message, 0))
                }
            }
        },
    ),
    method("public function hasPrototype(): bool", |call| {
        let about = function_subject(call)?;
        Ok(prototype(&about).is_some().into())
    }),
    method(
        "tentative public function setAccessible(bool $accessible): void",
        |_| Ok(Value::NULL),
    ),
])];

/// The modifiers of a method that scripts see.
pub(super) const MODIFIERS: u32 =
    flags::VISIBILITY | flags::STATIC | flags::ABSTRACT | flags::FINAL;

fn is_named(about: &FunctionSubject, lowercase: &[u8]) -> bool {
    name_bytes(about.get().name).eq_ignore_ascii_case(lowercase)
}

/// The method that it overrides or implements.
fn prototype(about: &FunctionSubject) -> Option<FunctionSubject> {
    if about.closure.is_some() {
        return None;
    }
    let owner = super::text::prototype_class(about.get())?;
    let lowercase = name_bytes(about.get().name).to_ascii_lowercase();
    let &function = class(owner).methods.get(&lowercase)?;
    Some(FunctionSubject {
        function,
        closure: None,
        class: owner,
    })
}

/// The method of this name; for a closure also its `__invoke`.
pub(super) fn find(
    vm: &mut Vm,
    owner: *mut Class,
    instance: Option<&ObjectHandle>,
    name: &[u8],
) -> PhpResult<FunctionSubject> {
    let lowercase = name.to_ascii_lowercase();
    if lowercase == b"__invoke"
        && let Some(object) = instance
        && let Some(function) = closure::function_of(object)
    {
        let closure = Some(object.clone());
        return Ok(FunctionSubject {
            function,
            closure,
            class: owner,
        });
    }
    match class(owner).methods.get(&lowercase) {
        Some(&function) => Ok(FunctionSubject {
            function,
            closure: None,
            class: owner,
        }),
        None => {
            let (owner, name) = (
                class(owner).display_name(),
                vm_runtime::message::whole_text(name),
            );
            Err(fail(
                vm,
                &format!("Method {owner}::{name}() does not exist"),
                0,
            ))
        }
    }
}

/// The method that `Class::method` names.
fn by_full_name(call: &mut Call<'_>, name: &[u8]) -> PhpResult<FunctionSubject> {
    let Some(position) = memchr::memmem::find(name, b"::") else {
        let function = call.function();
        let message = format!(
            "{}(): Argument #1 (${}) must be a valid method name",
            function.display_name(),
            function.parameter_name(0).unwrap_or_default()
        );
        return Err(fail(call.vm, &message, 0));
    };
    let owner = super::subject::existing_class(call.vm, &name[..position], 0)?;
    find(call.vm, owner, None, &name[position + 2..])
}

direct! {
    /// A method of a class, both by names, that is there.
    fn construct_directly(vm, this; owner: &PhpString, name: &PhpString) {
        let owner = vm.class_named(owner, false).ok()??;
        let &function = with_lowercase(name.as_bytes(), |name| class(owner).methods.get(name))?;
        fill(this, FunctionSubject { function, closure: None, class: owner });
        Some(())
    }
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first) = (this(call), call.value(0));
    let about = match first.view() {
        _ if call.has(1) => {
            let name = call.string(1);
            let owner = owner_argument(call)?;
            find(call.vm, owner, first.object().as_ref(), name.as_bytes())?
        }
        given => {
            if call.count() == 1 {
                call.vm.deprecated(
                    "Calling ReflectionMethod::__construct() with 1 argument is deprecated, use ReflectionMethod::createFromMethodName() instead",
                );
                call.vm.check()?;
            }
            if let ValueKind::Object(_) = given {
                return Err(call.value_error(
                    1,
                    "cannot be null when argument #1 ($objectOrMethod) is an object",
                ));
            }
            let name = call.string(0);
            by_full_name(call, name.as_bytes())?
        }
    };
    fill(&object, about);
    Ok(Value::NULL)
}

/// The class of the first argument; its absence has another code than elsewhere.
fn owner_argument(call: &mut Call<'_>) -> PhpResult<*mut Class> {
    if let Some(object) = call.value(0).object() {
        return Ok(object.class);
    }
    let name = call.string(0);
    match call.vm.class_by_name(name.as_bytes(), true)? {
        Some(found) => Ok(found),
        None => {
            let message = format!("Class \"{}\" does not exist", name.whole_text());
            Err(fail(call.vm, &message, 0))
        }
    }
}

static INVOKE: vm_runtime::string::KnownString = vm_runtime::string::KnownString::new(b"__invoke");

/// Gives a new object its subject.
fn fill(object: &PhpObject, about: FunctionSubject) {
    let name = match about.closure {
        Some(_) => about.class,
        None => about.get().scope,
    };
    let method = match about.is_invoke() {
        true => INVOKE.handle().into(),
        false => name_value(about.get().name),
    };
    set_slot(object, 0, method);
    set_slot(object, 1, name_value(class(name).name));
    set_subject(object, Subject::Function(about));
}

/// The object to call a method on, checked.
fn receiver(
    call: &mut Call<'_>,
    about: &FunctionSubject,
    object: Option<ObjectHandle>,
) -> PhpResult<Option<ObjectHandle>> {
    let function = about.get();
    if function.is_static() {
        return Ok(None);
    }
    let Some(object) = object else {
        let message = format!(
            "Trying to invoke non static method {}() without an object",
            function.display_name()
        );
        return Err(fail(call.vm, &message, 0));
    };
    if about.closure.is_none() && !object.class().is_subclass_of(function.scope) {
        return Err(fail(
            call.vm,
            "Given object is not an instance of the class this method was declared in",
            0,
        ));
    }
    Ok(Some(object))
}

fn invoke(
    call: &mut Call<'_>,
    object: Option<ObjectHandle>,
    positional: Vec<Value>,
    named: Option<ArrayHandle>,
) -> PhpResult<Value> {
    let about = function_subject(call)?;
    let function = about.get();
    if function.flags & flags::ABSTRACT != 0 {
        let message = format!(
            "Trying to invoke abstract method {}()",
            function.display_name()
        );
        return Err(fail(call.vm, &message, 0));
    }
    let this = receiver(call, &about, object)?;
    let callee = match &about.closure {
        Some(closure) => closure::callee(closure),
        None => None,
    };
    let callee = callee.unwrap_or_else(|| {
        let called_class = match &this {
            Some(object) => object.class,
            None if about.class.is_null() => function.scope,
            None => about.class,
        };
        Callee {
            function: about.function,
            this,
            called_class,
            closure: None,
        }
    });
    // SAFETY: I4: methods live as long as their class, closures as long as the callee.
    let result = unsafe { call.vm.call_callee(callee, positional, named)? };
    Ok(Value::share(&result))
}

fn get_closure(call: &mut Call<'_>) -> PhpResult<Value> {
    let about = function_subject(call)?;
    let given = call.has(0).then(|| call.object(0));
    if given.is_none() && !about.get().is_static() {
        return Err(call.value_error(0, "cannot be null for non-static methods"));
    }
    let this = receiver(call, &about, given)?;
    if let Some(closure) = about.closure {
        return Ok(closure.into());
    }
    let called = this
        .as_ref()
        .map_or(about.get().scope, |object| object.class);
    Ok(closure::from_function(call.vm, about.function, this, called).into())
}
