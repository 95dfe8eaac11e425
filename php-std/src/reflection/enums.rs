//! ReflectionEnum and its cases, and the enum PropertyHookType.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::{Call, Type, class_flags, flags};
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::class_members::constant_value;
use super::constant::{constant_subject, construct as construct_constant};
use super::subject::{
    Subject, class, class_subject, fail, make, make_type, name_value, own_subject, set_subject,
    this, uninitialised,
};

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("enum PropertyHookType: string")
        .constants(&["case Get = 'get'", "case Set = 'set'"]),
    &NativeClass::new("class ReflectionEnum extends ReflectionClass").methods(&[
        method(
            "public function __construct(object|string $objectOrClass)",
            construct,
        ),
        method("public function hasCase(string $name): bool", |call| {
            let about = class_subject(call)?;
            let constant = class(about).constants.get(call.bytes(0));
            Ok(constant
                .is_some_and(|constant| constant.flags & flags::ENUM_CASE != 0)
                .into())
        }),
        method(
            "public function getCase(string $name): ReflectionEnumUnitCase",
            |call| {
                let about = class_subject(call)?;
                let name = call.string(0);
                let shown = format!("{}::{}", class(about).display_name(), name.whole_text());
                match class(about).constants.get(name.as_bytes()) {
                    None => Err(fail(call.vm, &format!("Case {shown} does not exist"), 0)),
                    Some(constant) if constant.flags & flags::ENUM_CASE == 0 => {
                        Err(fail(call.vm, &format!("{shown} is not a case"), 0))
                    }
                    Some(_) => make_case(call, about, name.as_bytes()),
                }
            },
        ),
        method("public function getCases(): array", |call| {
            let about = class_subject(call)?;
            let names: Vec<Vec<u8>> = class(about)
                .constants
                .iter()
                .filter(|(_, constant)| constant.flags & flags::ENUM_CASE != 0)
                .map(|(name, _)| name.to_vec())
                .collect();
            let mut list = Vec::new();
            for name in names {
                list.push(make_case(call, about, &name)?);
            }
            Ok(crate::support::list(call.vm, list))
        }),
        method("public function isBacked(): bool", |call| {
            Ok((class(class_subject(call)?).backing_type != 0).into())
        }),
        method(
            "public function getBackingType(): ?ReflectionNamedType",
            |call| {
                let mask = class(class_subject(call)?).backing_type;
                if mask == 0 {
                    return Ok(Value::NULL);
                }
                make_type(
                    call.vm,
                    Some(&Type {
                        mask,
                        classes: Vec::new(),
                    }),
                )
            },
        ),
    ]),
    &NativeClass::new("class ReflectionEnumUnitCase extends ReflectionClassConstant").methods(&[
        method(
            "public function __construct(object|string $class, string $constant)",
            |call| {
                construct_constant(call)?;
                check_case(call)
            },
        ),
        method("public function getEnum(): ReflectionEnum", |call| {
            let Subject::Constant { constant, .. } = own_subject(call).clone() else {
                return Err(uninitialised(call.vm));
            };
            // SAFETY: I4: constants live as long as their class.
            let owner = unsafe { (*constant).class };
            let name = name_value(class(owner).name);
            make(
                call.vm,
                "ReflectionEnum",
                Subject::Class(owner, None),
                [name],
            )
        }),
        method("public function getValue(): UnitEnum", |call| {
            let Subject::Constant { class, name, .. } = own_subject(call).clone() else {
                return Err(uninitialised(call.vm));
            };
            constant_value(call.vm, class, &name)
        }),
    ]),
    &NativeClass::new("class ReflectionEnumBackedCase extends ReflectionEnumUnitCase").methods(&[
        method(
            "public function __construct(object|string $class, string $constant)",
            |call| {
                construct_constant(call)?;
                check_case(call)?;
                let Subject::Constant {
                    class: owner, name, ..
                } = own_subject(call).clone()
                else {
                    return Ok(Value::NULL);
                };
                if class(owner).backing_type == 0 {
                    let shown = format!(
                        "{}::{}",
                        class(owner).display_name(),
                        vm_runtime::message::whole_text(&name)
                    );
                    return Err(fail(
                        call.vm,
                        &format!("Enum case {shown} is not a backed case"),
                        0,
                    ));
                }
                Ok(Value::NULL)
            },
        ),
        method("public function getBackingValue(): int|string", |call| {
            let Subject::Constant { class, name, .. } = own_subject(call).clone() else {
                return Err(uninitialised(call.vm));
            };
            let case = constant_value(call.vm, class, &name)?;
            match case.object() {
                // SAFETY: I3: a backed case's second slot is its value.
                Some(case) => Ok(unsafe { Value::share(&*case.slot(1)) }),
                None => Ok(Value::NULL),
            }
        }),
    ]),
];

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let first = call.value(0);
    let owner = match first.object() {
        Some(object) => object.class,
        None => {
            let name = call.string(0);
            super::subject::class_by_name(call.vm, name.as_bytes())?
        }
    };
    if class(owner).flags & class_flags::ENUM == 0 {
        let message = format!("Class \"{}\" is not an enum", class(owner).display_name());
        return Err(fail(call.vm, &message, -1));
    }
    let object = this(call);
    vm_runtime::exceptions::set_slot(&object, 0, name_value(class(owner).name));
    set_subject(&object, Subject::Class(owner, None));
    Ok(Value::NULL)
}

fn check_case(call: &mut Call<'_>) -> PhpResult<Value> {
    if let Subject::Constant {
        class: owner,
        name,
        constant,
    } = own_subject(call).clone()
    {
        // SAFETY: I4: constants live as long as their class.
        if unsafe { (*constant).flags & flags::ENUM_CASE == 0 } {
            let shown = format!(
                "{}::{}",
                class(owner).display_name(),
                vm_runtime::message::whole_text(&name)
            );
            return Err(fail(call.vm, &format!("Constant {shown} is not a case"), 0));
        }
    }
    Ok(Value::NULL)
}

fn make_case(
    call: &mut Call<'_>,
    owner: *mut vm_runtime::class::Class,
    name: &[u8],
) -> PhpResult<Value> {
    let kind = if class(owner).backing_type != 0 {
        "ReflectionEnumBackedCase"
    } else {
        "ReflectionEnumUnitCase"
    };
    let Some(about) = constant_subject(owner, name) else {
        return Ok(Value::NULL);
    };
    let names = [call.vm.string(name).into(), name_value(class(owner).name)];
    make(call.vm, kind, about, names)
}
