//! The classes and interfaces that the language itself knows, exceptions and closures apart.

use crate::class::{NativeClass, NativeHandlers, declare, method};
use crate::exceptions::{KnownClass, set_slot, slot};
use crate::function::{Call, class_flags};
use crate::value::{ObjectHandle, Value};
use crate::vm::{PhpResult, Vm};

/// Arrays and exports that are made of such an object show nothing of it.
static HIDDEN: NativeHandlers = NativeHandlers {
    properties: Some(|vm, _| Ok(vm.new_array())),
    ..NativeHandlers::STANDARD
};

static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class stdClass").flags(class_flags::ALLOW_DYNAMIC_PROPERTIES),
    &crate::object::CLOSURE_CLASS,
    &crate::interpreter::generators::CLASS,
    &NativeClass::new("interface Traversable"),
    &NativeClass::new("interface Iterator extends Traversable").methods(&[
        declare("tentative public function current(): mixed"),
        declare("tentative public function next(): void"),
        declare("tentative public function key(): mixed"),
        declare("tentative public function valid(): bool"),
        declare("tentative public function rewind(): void"),
    ]),
    &NativeClass::new("interface IteratorAggregate extends Traversable").methods(&[declare(
        "tentative public function getIterator(): Traversable",
    )]),
    &NativeClass::new("interface Serializable").methods(&[
        declare("public function serialize()"),
        declare("public function unserialize(string $data)"),
    ]),
    &NativeClass::new("interface ArrayAccess").methods(&[
        declare("tentative public function offsetExists(mixed $offset): bool"),
        declare("tentative public function offsetGet(mixed $offset): mixed"),
        declare("tentative public function offsetSet(mixed $offset, mixed $value): void"),
        declare("tentative public function offsetUnset(mixed $offset): void"),
    ]),
    &NativeClass::new("interface Countable")
        .methods(&[declare("tentative public function count(): int")]),
    &NativeClass::new("interface Stringable")
        .methods(&[declare("public function __toString(): string")]),
    &NativeClass::new("interface UnitEnum")
        .methods(&[declare("public static function cases(): array")]),
    &NativeClass::new("interface BackedEnum extends UnitEnum").methods(&[
        declare("public static function from(int|string $value): static"),
        declare("public static function tryFrom(int|string $value): ?static"),
    ]),
    &NativeClass::new("final class Attribute")
        .attribute(1)
        .constants(&[
            "int TARGET_CLASS = 1",
            "int TARGET_FUNCTION = 2",
            "int TARGET_METHOD = 4",
            "int TARGET_PROPERTY = 8",
            "int TARGET_CLASS_CONSTANT = 16",
            "int TARGET_PARAMETER = 32",
            "int TARGET_ALL = 63",
            "int IS_REPEATABLE = 64",
        ])
        .properties(&["public int $flags"])
        .methods(&[method(
            "public function __construct(int $flags = Attribute::TARGET_ALL)",
            |call| {
                let flags = call.value(0);
                set_slot(&this(call), 0, flags);
                Ok(Value::NULL)
            },
        )]),
    &NativeClass::new("final class ReturnTypeWillChange")
        .attribute(4)
        .methods(&[method("public function __construct()", nothing)]),
    &NativeClass::new("final class AllowDynamicProperties")
        .attribute(1)
        .methods(&[method("public function __construct()", nothing)]),
    &NativeClass::new("final class SensitiveParameter")
        .flags(class_flags::NO_DYNAMIC_PROPERTIES)
        .attribute(32)
        .methods(&[method("public function __construct()", nothing)]),
    &NativeClass::new("final class SensitiveParameterValue")
        .flags(class_flags::NO_DYNAMIC_PROPERTIES | class_flags::NOT_SERIALIZABLE)
        .properties(&["private readonly mixed $value"])
        .handlers(&HIDDEN)
        .methods(&[
            method("public function __construct(mixed $value)", |call| {
                let value = call.value(0);
                set_slot(&this(call), 0, value);
                Ok(Value::NULL)
            }),
            method("public function getValue(): mixed", |call| {
                Ok(Value::share(slot(&this(call), 0)))
            }),
            method("public function __debugInfo(): array", |call| {
                Ok(call.vm.new_array().into())
            }),
        ]),
    &NativeClass::new("final class Override")
        .flags(class_flags::NO_DYNAMIC_PROPERTIES)
        .attribute(4)
        .methods(&[method("public function __construct()", nothing)]),
    &NativeClass::new("final class Deprecated")
        .flags(class_flags::NO_DYNAMIC_PROPERTIES)
        .attribute(22)
        .properties(&[
            "public readonly ?string $message",
            "public readonly ?string $since",
        ])
        .methods(&[method(
            "public function __construct(?string $message = null, ?string $since = null)",
            |call| {
                let (message, since) = (call.value(0), call.value(1));
                set_slot(&this(call), 0, message);
                set_slot(&this(call), 1, since);
                Ok(Value::NULL)
            },
        )]),
    &crate::object::INTERNAL_ITERATOR_CLASS,
];

fn this(call: &Call<'_>) -> ObjectHandle {
    // SAFETY: I3: these methods are not static, so there is a live `$this`.
    unsafe { ObjectHandle::share_raw((*call.frame).this.object()) }
}

fn nothing(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(Value::NULL)
}

impl Vm {
    /// Registers the classes of the engine; those it refers to itself are linked at once.
    pub(crate) fn register_core_classes(&mut self) {
        self.register_classes(CLASSES);
        self.register_classes(crate::exceptions::CLASSES);
        self.register_classes(crate::interpreter::fibers::CLASSES);
        self.register_classes(crate::object::WEAK_CLASSES);
        for known in KnownClass::ALL {
            self.link_native(known.name().to_ascii_lowercase().as_bytes());
        }
    }
}
