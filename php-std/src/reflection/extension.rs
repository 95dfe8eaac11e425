//! ReflectionExtension and ReflectionReference.

use vm_runtime::array::KeyRef;
use vm_runtime::class::{Class, NativeClass, method};
use vm_runtime::exceptions::set_slot;
use vm_runtime::function::{Call, Function, class_flags};
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::subject::{
    FLAGS, Subject, class, create, fail, make, make_class, subject, this, uninitialised,
};

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class ReflectionExtension implements Reflector")
        .create_native(create)
        .flags(FLAGS)
        .properties(&["public string $name"])
        .methods(&[
            method("private function __clone(): void", |_| Ok(Value::NULL)),
            method("public function __construct(string $name)", construct),
            method("public function __toString(): string", |call| {
                let name = about(call)?;
                Ok(call.vm.string(format!("Extension [ <persistent> extension #0 {name} version {VERSION} ] {{\n}}\n")).into())
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
                about(call)?;
                Ok(call.vm.new_array().into())
            }),
            method("tentative public function getConstants(): array", |call| {
                about(call)?;
                Ok(call.vm.new_array().into())
            }),
            method("tentative public function getINIEntries(): array", |call| {
                about(call)?;
                Ok(call.vm.new_array().into())
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
                about(call)?;
                Ok(call.vm.new_array().into())
            }),
            method("tentative public function info(): void", |call| {
                let name = about(call)?;
                call.vm.write(format!("\n{name}\n\n").as_bytes());
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
                ValueKind::String(key) => match vm_runtime::array::integer_key(key.as_bytes()) {
                    Some(number) => array.get(KeyRef::Long(number)),
                    None => array.get_string(key),
                },
                _ => None,
            };
            let Some(element) = element else { return Err(fail(call.vm, "Array key not found", 0)) };
            // A reference without other owners is none.
            // SAFETY: I3: a reference payload is live.
            if !element.is_reference() || unsafe { (*element.counted()).refcount } == 1 {
                return Ok(Value::NULL);
            }
            // SAFETY: I3: the share belongs to the new object.
            let held = unsafe { Value::from_zval(element.share()) };
            make(call.vm, "ReflectionReference", Subject::Reference(held), &[])
        }),
        method("public function getId(): string", |call| match subject(&this(call)) {
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
const VERSION: &str = "8.4.0";

/// Extensions by the names that scripts use.
const EXTENSIONS: [&str; 12] = [
    "Core",
    "standard",
    "Reflection",
    "SPL",
    "date",
    "pcre",
    "json",
    "hash",
    "ctype",
    "random",
    "mbstring",
    "tokenizer",
];

fn about(call: &mut Call<'_>) -> PhpResult<&'static str> {
    match subject(&this(call)) {
        Subject::Extension(name) => Ok(name),
        _ => Err(uninitialised(call.vm)),
    }
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, given) = (this(call), call.string(0));
    let found = EXTENSIONS
        .iter()
        .find(|known| known.as_bytes().eq_ignore_ascii_case(given.as_bytes()));
    let Some(&name) = found else {
        let message = format!("Extension \"{}\" does not exist", given.to_text());
        return Err(fail(call.vm, &message, 0));
    };
    let shown = call.vm.string(name);
    set_slot(&object, 0, shown.into());
    *subject(&object) = Subject::Extension(name);
    Ok(Value::NULL)
}

/// A ReflectionExtension.
pub(super) fn make_extension(vm: &mut Vm, name: &'static str) -> PhpResult<Value> {
    let shown = vm.string(name).into();
    make(
        vm,
        "ReflectionExtension",
        Subject::Extension(name),
        &[shown],
    )
}

/// The extension of a native class, by its name.
pub(super) fn of_class(about: &Class) -> Option<&'static str> {
    if about.flags & class_flags::INTERNAL == 0 {
        return None;
    }
    let name = about.display_name();
    const CORE: [&str; 36] = [
        "stdClass",
        "Traversable",
        "Iterator",
        "IteratorAggregate",
        "ArrayAccess",
        "Countable",
        "Stringable",
        "Serializable",
        "UnitEnum",
        "BackedEnum",
        "Throwable",
        "Exception",
        "ErrorException",
        "Error",
        "CompileError",
        "ParseError",
        "TypeError",
        "ArgumentCountError",
        "ValueError",
        "ArithmeticError",
        "DivisionByZeroError",
        "UnhandledMatchError",
        "RequestParseBodyException",
        "ClosedGeneratorException",
        "Closure",
        "Generator",
        "Fiber",
        "FiberError",
        "WeakReference",
        "WeakMap",
        "Attribute",
        "ReturnTypeWillChange",
        "AllowDynamicProperties",
        "SensitiveParameter",
        "Override",
        "InternalIterator",
    ];
    Some(match name.as_str() {
        _ if CORE.contains(&name.as_str()) => "Core",
        "SensitiveParameterValue" | "Deprecated" => "Core",
        _ if name.starts_with("Reflect") || name == "PropertyHookType" => "Reflection",
        _ if name.starts_with("Date") => "date",
        _ if name.starts_with("Json") => "json",
        _ if name.starts_with("Random") => "random",
        _ if name.starts_with("Hash") => "hash",
        "php_user_filter" | "Directory" | "AssertionError" | "__PHP_Incomplete_Class" => "standard",
        _ => "SPL",
    })
}

/// The extension of a native function; functions do not know theirs.
pub(super) fn of_function(function: &Function) -> Option<&'static str> {
    if function.is_user {
        return None;
    }
    if !function.scope.is_null() {
        return of_class(class(function.scope));
    }
    let name = super::subject::name_bytes(function.name);
    Some(match name {
        _ if name.starts_with(b"preg_") => "pcre",
        _ if name.starts_with(b"json_") => "json",
        _ if name.starts_with(b"ctype_") => "ctype",
        _ if name.starts_with(b"hash") => "hash",
        _ if name.starts_with(b"spl_")
            || name.starts_with(b"iterator_")
            || name.starts_with(b"class_") =>
        {
            "SPL"
        }
        _ if name.starts_with(b"date_") || name.starts_with(b"timezone_") => "date",
        _ if name.starts_with(b"mb_") => "mbstring",
        b"strlen" | b"strcmp" | b"strncmp" | b"define" | b"defined" | b"func_get_args"
        | b"get_class" | b"error_reporting" | b"function_exists" => "Core",
        _ => "standard",
    })
}

fn classes_of(vm: &mut Vm, extension: &str) -> Vec<*mut Class> {
    vm.link_all_native_classes();
    vm.class_state
        .list
        .iter()
        .copied()
        .filter(|&known| of_class(class(known)) == Some(extension))
        .collect()
}
