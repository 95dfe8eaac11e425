//! ArrayObject, ArrayIterator and RecursiveArrayIterator.

mod as_properties;
mod iteration;
mod methods;
mod place;
mod sorting;
mod storage;

use vm_runtime::class::{NativeClass, NativeHandlers, direct_method, method};
use vm_runtime::function::NativeDefinition;

use self::storage::{create, debug_info, offset_exists, offset_pointer, properties};

const ITERATOR_HANDLERS: NativeHandlers = NativeHandlers {
    current_place: Some(iteration::current_place),
    step: Some(iteration::step),
    fetch: Some(iteration::fetch),
    ..HANDLERS
};

const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(debug_info),
    properties: Some(properties),
    offset_pointer: Some(offset_pointer),
    unreadable_is_null: true,
    offset_place: Some(storage::place),
    offset_value: Some(methods::offset_value),
    offset_store: Some(methods::offset_store),
    direct_offsets: Some(|_| true),
    offset_exists: Some(offset_exists),
    offset_if_set: Some(storage::offset_if_set),
    properties_by_code: Some(&as_properties::HANDLERS),
    ..NativeHandlers::STANDARD
};

const CONSTANTS: &[&str] = &["int STD_PROP_LIST = 1", "int ARRAY_AS_PROPS = 2"];

/// The methods of a class: those that ArrayObject and ArrayIterator share stand between the
/// others.
macro_rules! around_shared_methods {
    ([$($before:expr),* $(,)?], [$($after:expr),* $(,)?]) => {
        &[
            $($before,)*
            method(
                "tentative public function getArrayCopy(): array",
                methods::get_array_copy,
            ),
            direct_method(
                "tentative public function count(): int",
                methods::count,
                storage::count_directly,
            ),
            method(
                "tentative public function getFlags(): int",
                methods::get_flags,
            ),
            method(
                "tentative public function setFlags(int $flags): void",
                methods::set_flags,
            ),
            method(
                "tentative public function asort(int $flags = SORT_REGULAR): true",
                sorting::asort,
            ),
            method(
                "tentative public function ksort(int $flags = SORT_REGULAR): true",
                sorting::ksort,
            ),
            method(
                "#[Unchecked(1)] tentative public function uasort(callable $callback): true",
                sorting::uasort,
            ),
            method(
                "#[Unchecked(1)] tentative public function uksort(callable $callback): true",
                sorting::uksort,
            ),
            method(
                "tentative public function natsort(): true",
                sorting::natsort,
            ),
            method(
                "tentative public function natcasesort(): true",
                sorting::natcasesort,
            ),
            method(
                "tentative public function unserialize(string $data): void",
                methods::unserialize_legacy,
            ),
            method(
                "tentative public function serialize(): string",
                methods::serialize_legacy,
            ),
            method(
                "tentative public function __serialize(): array",
                methods::serialize,
            ),
            method(
                "tentative public function __unserialize(array $data): void",
                methods::unserialize,
            ),
            $($after,)*
        ]
    };
}

static OBJECT_METHODS: &[NativeDefinition] = around_shared_methods!(
    [
        method(
            "public function __construct(array|object $array = [], int $flags = 0, class_name $iteratorClass = ArrayIterator::class)",
            methods::construct_object,
        ),
        direct_method(
            "tentative public function offsetExists(mixed $key): bool",
            methods::offset_exists,
            storage::offset_exists_directly,
        ),
        direct_method(
            "tentative public function offsetGet(mixed $key): mixed",
            methods::offset_get,
            storage::offset_get_directly,
        ),
        method(
            "tentative public function offsetSet(mixed $key, mixed $value): void",
            methods::offset_set,
        ),
        method(
            "tentative public function offsetUnset(mixed $key): void",
            methods::offset_unset,
        ),
        direct_method(
            "tentative public function append(mixed $value): void",
            methods::append,
            storage::append_directly,
        ),
    ],
    [
        method(
            "tentative public function getIterator(): Iterator",
            methods::get_iterator,
        ),
        method(
            "tentative public function exchangeArray(array|object $array): array",
            methods::exchange_array,
        ),
        method(
            "tentative public function setIteratorClass(class_name $iteratorClass): void",
            methods::set_iterator_class,
        ),
        method(
            "tentative public function getIteratorClass(): string",
            methods::get_iterator_class,
        ),
        method(
            "tentative public function __debugInfo(): array",
            methods::debug_info,
        ),
    ]
);

static ITERATOR_METHODS: &[NativeDefinition] = around_shared_methods!(
    [
        method(
            "public function __construct(array|object $array = [], int $flags = 0)",
            methods::construct_iterator,
        ),
        direct_method(
            "tentative public function offsetExists(mixed $key): bool",
            methods::offset_exists,
            storage::offset_exists_directly,
        ),
        direct_method(
            "tentative public function offsetGet(mixed $key): mixed",
            methods::offset_get,
            storage::offset_get_directly,
        ),
        method(
            "tentative public function offsetSet(mixed $key, mixed $value): void",
            methods::offset_set,
        ),
        method(
            "tentative public function offsetUnset(mixed $key): void",
            methods::offset_unset,
        ),
        direct_method(
            "tentative public function append(mixed $value): void",
            methods::append,
            storage::append_directly,
        ),
    ],
    [
        method(
            "tentative public function rewind(): void",
            iteration::rewind,
        ),
        direct_method(
            "tentative public function current(): mixed",
            iteration::current,
            iteration::current_directly,
        ),
        direct_method(
            "tentative public function key(): string|int|null",
            iteration::key,
            iteration::key_directly,
        ),
        direct_method(
            "tentative public function next(): void",
            iteration::next,
            iteration::next_directly,
        ),
        direct_method(
            "tentative public function valid(): bool",
            iteration::valid,
            iteration::valid_directly,
        ),
        method(
            "tentative public function seek(int $offset): void",
            iteration::seek,
        ),
        method(
            "tentative public function __debugInfo(): array",
            methods::debug_info,
        ),
    ]
);

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new(
        "class ArrayObject implements IteratorAggregate, ArrayAccess, Serializable, Countable",
    )
    .constants(CONSTANTS)
    .create_native(create)
    .handlers(&HANDLERS)
    .methods(OBJECT_METHODS),
    &NativeClass::new(
        "class ArrayIterator implements SeekableIterator, ArrayAccess, Serializable, Countable",
    )
    .constants(CONSTANTS)
    .create_native(create)
    .handlers(&ITERATOR_HANDLERS)
    .methods(ITERATOR_METHODS),
    &NativeClass::new(
        "class RecursiveArrayIterator extends ArrayIterator implements RecursiveIterator",
    )
    .constants(&["int CHILD_ARRAYS_ONLY = 4"])
    .methods(&[
        direct_method(
            "tentative public function hasChildren(): bool",
            iteration::has_children,
            iteration::has_children_directly,
        ),
        method(
            "tentative public function getChildren(): ?RecursiveArrayIterator",
            iteration::get_children,
        ),
    ]),
];
