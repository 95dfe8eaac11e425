//! ReflectionExtension and ReflectionReference.

use vm_runtime::class::{Class, NativeClass, method};
use vm_runtime::exceptions::set_slot;
use vm_runtime::function::{Call, Function, NativeDefinition, class_flags};
use vm_runtime::ini::IniDefinition;
use vm_runtime::message::Message;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::function::make_function;
use super::subject::{
    FLAGS, FunctionSubject, HANDLERS, Subject, class, create, fail, make, make_class, name_value,
    own_subject, set_subject, this, uninitialised,
};

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class ReflectionExtension implements Reflector")
        .create_native(create)
        .handlers(&HANDLERS)
        .flags(FLAGS)
        .properties(&["public string $name"])
        .methods(&[
            method("private function __clone(): void", |_| Ok(Value::NULL)),
            method("public function __construct(string $name)", construct),
            method("public function __toString(): string", |call| {
                let name = about(call)?;
                let text = super::text::extension_text(call.vm, name)?;
                Ok(call.vm.string(text.message()).into())
            }),
            method("tentative public function getName(): string", |call| {
                let name = about(call)?;
                Ok(call.vm.string(name).into())
            }),
            method("tentative public function getVersion(): ?string", |call| {
                about(call)?;
                Ok(call.vm.string(VERSION).into())
            }),
            method("tentative public function getFunctions(): array", |call| {
                let name = about(call)?;
                let mut table = call.vm.new_array();
                for found in functions_of(call.vm, name) {
                    let key = name_value(found.get().name);
                    let made = make_function(call.vm, found)?;
                    if let Some(key) = key.string() {
                        table.make_mut(call.vm).set_string(&key, made);
                    }
                }
                Ok(table.into())
            }),
            method("tentative public function getConstants(): array", |call| {
                let name = about(call)?;
                let mut table = call.vm.new_array();
                for (name, value) in constants_of(call.vm, name) {
                    table.make_mut(call.vm).set_bytes(name.as_bytes(), value);
                }
                Ok(table.into())
            }),
            method("tentative public function getINIEntries(): array", |call| {
                let name = about(call)?;
                let mut table = call.vm.new_array();
                for definition in settings_of(call.vm, name) {
                    let name = definition.name.as_bytes();
                    let value = call.vm.ini.get(name).flatten().map(<[u8]>::to_vec);
                    let value = value.map_or(Value::NULL, |value| call.vm.string(value).into());
                    table.make_mut(call.vm).set_bytes(name, value);
                }
                Ok(table.into())
            }),
            method("tentative public function getClasses(): array", |call| {
                let name = about(call)?;
                let mut table = call.vm.new_array();
                for known in classes_of(call.vm, name) {
                    let made = make_class(call.vm, known)?;
                    // SAFETY: I4: a class's name lives as long as it.
                    let key = unsafe { &*class(known).name };
                    table.make_mut(call.vm).set_string(key, made);
                }
                Ok(table.into())
            }),
            method("tentative public function getClassNames(): array", |call| {
                let name = about(call)?;
                let names: Vec<Value> = classes_of(call.vm, name)
                    .into_iter()
                    .map(|known| super::subject::name_value(class(known).name))
                    .collect();
                Ok(crate::support::list(call.vm, names))
            }),
            method("tentative public function getDependencies(): array", |call| {
                let name = about(call)?;
                let mut table = call.vm.new_array();
                for (other, kind) in dependencies_of(name) {
                    let kind = call.vm.string(kind).into();
                    table.make_mut(call.vm).set_bytes(other.as_bytes(), kind);
                }
                Ok(table.into())
            }),
            method("tentative public function info(): void", |call| {
                let name = about(call)?;
                crate::standard::info::phpinfo::print_extension(call.vm, name);
                Ok(Value::NULL)
            }),
            method("tentative public function isPersistent(): bool", |_| Ok(true.into())),
            method("tentative public function isTemporary(): bool", |_| Ok(false.into())),
        ]),
    &NativeClass::new("final class ReflectionReference").create_native(create).flags(FLAGS).methods(&[
        method("public static function fromArrayElement(array $array, int|string $key): ?ReflectionReference", |call| {
            let array = call.array(0);
            let key = call.value(1);
            let element = match key.view() {
                ValueKind::Long(key) => array.get_long(key),
                // The text of a number is the name of no element.
                ValueKind::String(key) => array.get_string(key),
                _ => None,
            };
            let Some(element) = element else { return Err(fail(call.vm, "Array key not found", 0)) };
            if !element.is_reference() {
                return Ok(Value::NULL);
            }
            // A reference without other owners is none, unless its value is the array that it stands in: copies of that
            // keep it.
            // SAFETY: I3: a reference payload is live.
            let is_alone = unsafe { (*element.counted()).refcount } == 1;
            let is_array_itself =
                matches!(element.view(), ValueKind::Array(value) if std::ptr::eq(value, &raw const *array));
            if is_alone && !is_array_itself {
                return Ok(Value::NULL);
            }
            // SAFETY: I3: the share belongs to the new object.
            let held = unsafe { Value::from_zval(element.share()) };
            make(call.vm, "ReflectionReference", Subject::Reference(held), [])
        }),
        method("public function getId(): string", |call| match own_subject(call) {
            Subject::Reference(held) => {
                let address = held.as_zval().counted() as usize;
                let mut id = [0u8; 20];
                for (index, byte) in id.iter_mut().enumerate() {
                    let mixed = (address as u64 ^ 0x9e37_79b9_7f4a_7c15)
                        .wrapping_mul(0xff51_afd7_ed55_8ccd + 2 * index as u64)
                        .rotate_left(index as u32 * 7);
                    *byte = mixed as u8;
                }
                Ok(call.vm.string(id).into())
            }
            _ => Err(uninitialised(call.vm)),
        }),
        method("private function __clone(): void", |_| Ok(Value::NULL)),
        method("private function __construct()", |_| Ok(Value::NULL)),
    ]),
];

/// The version of PHP that the extensions are those of.
pub(super) const VERSION: &str = "8.4.24";

/// The other extensions that one needs or makes use of.
pub(super) fn dependencies_of(extension: &str) -> &'static [(&'static str, &'static str)] {
    match extension {
        "SPL" => &[("json", "Required")],
        "session" => &[("spl", "Optional")],
        "standard" => &[("session", "Optional")],
        "sodium" => &[("standard", "Required")],
        "dom" => &[("libxml", "Required"), ("domxml", "Conflicts")],
        "xmlreader" => &[("libxml", "Required")],
        "simplexml" | "SimpleXML" => &[("libxml", "Required"), ("spl", "Required")],
        "PDO" => &[("spl", "Required")],
        "pdo_sqlite" => &[("pdo", "Required")],
        _ => &[],
    }
}

/// The functions of an extension.
pub(super) fn functions_of(vm: &mut Vm, extension: &str) -> Vec<FunctionSubject> {
    let names = vm.natives.names_of_extension(extension.as_bytes());
    names
        .unwrap_or_default()
        .into_iter()
        .filter_map(|name| vm.find_function(name.as_bytes()))
        .map(|function| FunctionSubject {
            function,
            closure: None,
            class: std::ptr::null_mut(),
        })
        .collect()
}

/// The constants of an extension with their values.
pub(super) fn constants_of(vm: &mut Vm, extension: &str) -> Vec<(&'static str, Value)> {
    let Some(extension) = vm.natives.extension(extension.as_bytes()) else {
        return Vec::new();
    };
    let names = vm.constants_of_extension(extension);
    names
        .into_iter()
        .filter_map(|name| Some((name, vm.constants.get(name.as_bytes())?.clone())))
        .collect()
}

/// The settings of an extension.
pub(super) fn settings_of(vm: &mut Vm, extension: &str) -> Vec<&'static IniDefinition> {
    match vm.natives.extension(extension.as_bytes()).cloned() {
        Some(extension) => vm.settings_of_extension(&extension),
        None => Vec::new(),
    }
}

fn about(call: &mut Call<'_>) -> PhpResult<&'static str> {
    match own_subject(call) {
        Subject::Extension(name) => Ok(name),
        _ => Err(uninitialised(call.vm)),
    }
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, given) = (this(call), call.string(0));
    let found = call.vm.natives.extension(given.as_bytes());
    let Some(name) = found.map(|found| found.name) else {
        let message = format!("Extension \"{}\" does not exist", given.whole_text());
        return Err(fail(call.vm, &message, 0));
    };
    let shown = call.vm.string(name);
    set_slot(&object, 0, shown.into());
    set_subject(&object, Subject::Extension(name));
    Ok(Value::NULL)
}

/// A ReflectionExtension.
pub(super) fn make_extension(vm: &mut Vm, name: &'static str) -> PhpResult<Value> {
    let shown = vm.string(name).into();
    make(vm, "ReflectionExtension", Subject::Extension(name), [shown])
}

/// The extension of a native class. What the engine registers itself belongs to `Core`.
pub(super) fn of_class(vm: &Vm, about: &Class) -> Option<&'static str> {
    let is_native = about.flags & class_flags::INTERNAL != 0;
    is_native.then(|| vm.extension_of_class(about).unwrap_or("Core"))
}

/// The extension of a native function or method.
pub(super) fn of_function(vm: &Vm, function: &Function) -> Option<&'static str> {
    if function.is_user {
        return None;
    }
    if !function.scope.is_null() {
        return of_class(vm, class(function.scope));
    }
    let definition = function.native_data as *const NativeDefinition;
    vm.natives.extension_of_function(definition)
}

/// The classes of an extension, those of the engine itself with `Core`.
pub(super) fn classes_of(vm: &mut Vm, extension: &str) -> Vec<*mut Class> {
    vm.link_all_native_classes();
    vm.class_state
        .list
        .iter()
        .copied()
        .filter(|&known| of_class(vm, class(known)) == Some(extension))
        .collect()
}

/// No Zend extension is ever loaded: there is none to be told of.
pub(super) static ZEND: &[&NativeClass] =
    &[
        &NativeClass::new("class ReflectionZendExtension implements Reflector")
            .create_native(create)
            .handlers(&HANDLERS)
            .flags(FLAGS)
            .properties(&["public string $name"])
            .methods(&[
                method("private function __clone(): void", |_| Ok(Value::NULL)),
                method("public function __construct(string $name)", |call| {
                    let name = call.string(0);
                    let message =
                        format!("Zend Extension \"{}\" does not exist", name.whole_text());
                    Err(fail(call.vm, &message, 0))
                }),
                method("public function __toString(): string", |call| {
                    Err(uninitialised(call.vm))
                }),
                method("tentative public function getName(): string", |call| {
                    Err(uninitialised(call.vm))
                }),
                method("tentative public function getVersion(): string", |call| {
                    Err(uninitialised(call.vm))
                }),
                method("tentative public function getAuthor(): string", |call| {
                    Err(uninitialised(call.vm))
                }),
                method("tentative public function getURL(): string", |call| {
                    Err(uninitialised(call.vm))
                }),
                method("tentative public function getCopyright(): string", |call| {
                    Err(uninitialised(call.vm))
                }),
            ]),
    ];
