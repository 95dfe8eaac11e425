//! ReflectionClassConstant and ReflectionConstant.

use vm_runtime::class::{Class, ClassConstant, NativeClass, method};
use vm_runtime::exceptions::{KnownClass, set_slot};
use vm_runtime::function::{Call, class_flags, flags};
use vm_runtime::message::Message;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::class_members::constant_value;
use super::subject::{
    FLAGS, HANDLERS, Subject, class, create, fail, make, make_class, make_type, name_value,
    own_subject, set_subject, string_or_false, this, uninitialised,
};

/// Fails if a script took the name away.
fn check_name(call: &mut Call<'_>) -> PhpResult<()> {
    let object = this(call);
    // SAFETY: I4: `$name` is the first property of the class.
    if unsafe { (*object.slot(0)).is_undef() } {
        let message = "Typed property ReflectionClassConstant::$name must not be accessed before initialization";
        return Err(call.vm.throw_error(KnownClass::Error, message));
    }
    Ok(())
}

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class ReflectionClassConstant implements Reflector")
        .create_native(create)
        .handlers(&HANDLERS)
        .flags(FLAGS)
        .constants(&[
            "int IS_PUBLIC = 1",
            "int IS_PROTECTED = 2",
            "int IS_PRIVATE = 4",
            "int IS_FINAL = 32",
        ])
        .properties(&["public string $name", "public string $class"])
        .methods(&[
            method("private function __clone(): void", |_| Ok(Value::NULL)),
            method(
                "public function __construct(object|string $class, string $constant)",
                construct,
            ),
            method("public function __toString(): string", |call| {
                check_name(call)?;
                let (owner, name, _) = about(call)?;
                let text = super::text::constant_text(call.vm, owner, &name, "")?;
                Ok(call.vm.string(text.message()).into())
            }),
            method("tentative public function getName(): string", |call| {
                check_name(call)?;
                let (_, name, _) = about(call)?;
                Ok(call.vm.string(name).into())
            }),
            method("tentative public function getValue(): mixed", |call| {
                let (owner, name, _) = about(call)?;
                constant_value(call.vm, owner, &name)
            }),
            method("tentative public function isPublic(): bool", |call| {
                has_flag(call, flags::PUBLIC)
            }),
            method("tentative public function isPrivate(): bool", |call| {
                has_flag(call, flags::PRIVATE)
            }),
            method("tentative public function isProtected(): bool", |call| {
                has_flag(call, flags::PROTECTED)
            }),
            method("public function isFinal(): bool", |call| {
                has_flag(call, flags::FINAL)
            }),
            method("tentative public function getModifiers(): int", |call| {
                let (_, _, constant) = about(call)?;
                Ok(((constant.flags & (flags::VISIBILITY | flags::FINAL)) as i64).into())
            }),
            method(
                "tentative public function getDeclaringClass(): ReflectionClass",
                |call| {
                    let (_, _, constant) = about(call)?;
                    make_class(call.vm, constant.class)
                },
            ),
            method(
                "tentative public function getDocComment(): string|false",
                |call| Ok(string_or_false(about(call)?.2.doc_comment)),
            ),
            method(
                "public function getAttributes(?string $name = null, int $flags = 0): array",
                |call| {
                    let (_, _, constant) = about(call)?;
                    // SAFETY: I4: attributes belong to a declaration that a live class holds.
                    let attributes = unsafe { &*constant.attributes };
                    super::attribute::list(call, attributes, None, constant.class, 16)
                },
            ),
            method("#[Uncounted] public function isEnumCase(): bool", |call| {
                has_flag(call, flags::ENUM_CASE)
            }),
            method("public function isDeprecated(): bool", |call| {
                has_flag(call, flags::DEPRECATED)
            }),
            method("public function hasType(): bool", |call| {
                Ok(about(call)?.2.declared.is_some().into())
            }),
            method("public function getType(): ?ReflectionType", |call| {
                let (_, _, constant) = about(call)?;
                make_type(call.vm, constant.declared.as_ref())
            }),
        ]),
    &NativeClass::new("final class ReflectionConstant implements Reflector")
        .create_native(create)
        .handlers(&HANDLERS)
        .flags(FLAGS | class_flags::NO_DYNAMIC_PROPERTIES)
        .properties(&["public string $name"])
        .methods(&[
            method(
                "public function __construct(string $name)",
                construct_global,
            ),
            method("public function getName(): string", |call| {
                let name = global(call)?;
                Ok(call.vm.string(name).into())
            }),
            method("public function getNamespaceName(): string", |call| {
                let name = global(call)?;
                let end = name.iter().rposition(|&byte| byte == b'\\').unwrap_or(0);
                Ok(call.vm.string(&name[..end]).into())
            }),
            method("public function getShortName(): string", |call| {
                let name = global(call)?;
                let start = name
                    .iter()
                    .rposition(|&byte| byte == b'\\')
                    .map_or(0, |position| position + 1);
                Ok(call.vm.string(&name[start..]).into())
            }),
            method("public function getValue(): mixed", |call| {
                let name = global(call)?;
                Ok(call
                    .vm
                    .find_constant_bytes(&name)
                    .map_or(Value::NULL, Value::share))
            }),
            method("public function isDeprecated(): bool", |call| {
                let name = global(call)?;
                Ok(is_deprecated(call.vm, &name).into())
            }),
            method("public function __toString(): string", |call| {
                let name = global(call)?;
                let marks = marks(call.vm, &name);
                let value = call
                    .vm
                    .find_constant_bytes(&name)
                    .map_or(Value::NULL, Value::share);
                let kind = vm_runtime::operators::type_name(&value);
                let shown = match value.view() {
                    ValueKind::Array(_) => String::from("Array"),
                    ValueKind::Object(_) => String::from("Object"),
                    _ => vm_runtime::operators::to_string(call.vm, &value)?
                        .whole_text()
                        .into_owned(),
                };
                let name = vm_runtime::message::whole_text(&name).into_owned();
                Ok(call
                    .vm
                    .string(format!("Constant [ {marks}{kind} {name} ] {{ {shown} }}\n"))
                    .into())
            }),
        ]),
];

fn is_deprecated(vm: &Vm, name: &[u8]) -> bool {
    vm.deprecated_constants
        .iter()
        .any(|known| known.as_bytes() == name)
}

/// What the text of a constant says of it; nothing for one of the script.
fn marks(vm: &mut Vm, name: &[u8]) -> &'static str {
    let is_native = vm
        .constants_by_extension()
        .iter()
        .flat_map(|(_, constants)| constants)
        .any(|constant| constant.as_bytes() == name);
    match name {
        // The command defines it for each request.
        b"PHP_CLI_PROCESS_TITLE" | b"STDIN" | b"STDOUT" | b"STDERR" => "",
        // They depend on how PHP was started.
        b"PHP_SAPI" | b"PHP_BINARY" => "<persistent, no_file_cache> ",
        _ if is_deprecated(vm, name) => "<persistent, deprecated> ",
        _ if is_native => "<persistent> ",
        _ => "",
    }
}

type About<'a> = (*mut Class, Vec<u8>, &'a ClassConstant);

fn about<'a>(call: &mut Call<'_>) -> PhpResult<About<'a>> {
    match own_subject(call) {
        Subject::Constant {
            class,
            name,
            constant,
        } => {
            // SAFETY: I4: constants live as long as their class.
            let known = unsafe { &**constant };
            Ok((*class, name.clone(), known))
        }
        _ => Err(uninitialised(call.vm)),
    }
}

fn global(call: &mut Call<'_>) -> PhpResult<Vec<u8>> {
    match own_subject(call) {
        Subject::GlobalConstant(name) => Ok(name.clone()),
        _ => Err(uninitialised(call.vm)),
    }
}

fn has_flag(call: &mut Call<'_>, flag: u32) -> PhpResult<Value> {
    Ok((about(call)?.2.flags & flag != 0).into())
}

/// The subject for a constant of a class, if it has it.
pub(super) fn constant_subject(owner: *mut Class, name: &[u8]) -> Option<Subject> {
    let constant = class(owner).constants.get(name)?;
    Some(Subject::Constant {
        class: owner,
        name: name.to_vec(),
        constant: std::rc::Rc::as_ptr(constant),
    })
}

/// A ReflectionClassConstant.
pub(super) fn make_constant(vm: &mut Vm, owner: *mut Class, name: &[u8]) -> PhpResult<Value> {
    let Some(subject) = constant_subject(owner, name) else {
        return Ok(false.into());
    };
    let declaring = class(owner)
        .constants
        .get(name)
        .map_or(owner, |constant| constant.class);
    let names = [vm.string(name).into(), name_value(class(declaring).name)];
    make(vm, "ReflectionClassConstant", subject, names)
}

/// Class and constant arguments; used by the enum classes, too.
pub(super) fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, first, name) = (this(call), call.value(0), call.string(1));
    let owner = match first.view() {
        ValueKind::Object(instance) => instance.class,
        _ => {
            let owner = call.string(0);
            super::subject::existing_class(call.vm, owner.as_bytes(), 0)?
        }
    };
    let Some(found) = constant_subject(owner, name.as_bytes()) else {
        let message = format!(
            "Constant {}::{} does not exist",
            class(owner).display_name(),
            name.whole_text()
        );
        return Err(fail(call.vm, &message, 0));
    };
    let declaring = class(owner)
        .constants
        .get(name.as_bytes())
        .map_or(owner, |constant| constant.class);
    set_slot(&object, 0, name.into());
    set_slot(&object, 1, name_value(class(declaring).name));
    set_subject(&object, found);
    Ok(Value::NULL)
}

fn construct_global(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, name) = (this(call), call.string(0));
    let plain = name
        .as_bytes()
        .strip_prefix(b"\\")
        .unwrap_or(name.as_bytes())
        .to_vec();
    if call.vm.find_constant_bytes(&plain).is_none() {
        let message = format!("Constant \"{}\" does not exist", name.whole_text());
        return Err(fail(call.vm, &message, 0));
    }
    set_slot(&object, 0, name.clone().into());
    set_subject(&object, Subject::GlobalConstant(plain));
    Ok(Value::NULL)
}
