//! The classes of the extension.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::class_flags;

use super::list::Element;
use super::{element, methods, xpath};

/// The classes.
pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class SimpleXMLElement implements Countable, RecursiveIterator")
        .flags(class_flags::NOT_SERIALIZABLE)
        .create_native(|_, _| Some(Box::<Element>::default()))
        .handlers(&element::HANDLERS)
        .methods(&[
            method("tentative public function xpath(string $expression): array|false|null", xpath::xpath),
            method("tentative public function registerXPathNamespace(string $prefix, string $namespace): bool", xpath::register_namespace),
            method("tentative public function asXML(?path $filename = null): string|bool", methods::as_xml),
            method("tentative public function saveXML(?path $filename = null): string|bool", methods::as_xml),
            method("tentative public function getNamespaces(bool $recursive = false): array", methods::get_namespaces),
            method("tentative public function getDocNamespaces(bool $recursive = false, bool $fromRoot = true): array|false", methods::get_doc_namespaces),
            method("tentative public function children(?string $namespaceOrPrefix = null, bool $isPrefix = false): ?SimpleXMLElement", methods::children),
            method("tentative public function attributes(?string $namespaceOrPrefix = null, bool $isPrefix = false): ?SimpleXMLElement", methods::attributes),
            method("public function __construct(string $data, int $options = 0, bool $dataIsURL = false, string $namespaceOrPrefix = \"\", bool $isPrefix = false)", methods::construct),
            method("tentative public function addChild(string $qualifiedName, ?string $value = null, ?string $namespace = null): ?SimpleXMLElement", methods::add_child),
            method("tentative public function addAttribute(string $qualifiedName, string $value, ?string $namespace = null): void", methods::add_attribute),
            method("tentative public function getName(): string", methods::get_name),
            method("public function __toString(): string", methods::to_string),
            method("public function __debugInfo(): ?array", methods::debug_info),
            method("tentative public function count(): int", methods::count),
            method("tentative public function rewind(): void", methods::rewind),
            method("tentative public function valid(): bool", methods::valid),
            method("tentative public function current(): SimpleXMLElement", methods::current),
            method("tentative public function key(): string", methods::key),
            method("tentative public function next(): void", methods::next),
            method("tentative public function hasChildren(): bool", methods::has_children),
            method("tentative public function getChildren(): ?SimpleXMLElement", methods::get_children),
        ]),
    &NativeClass::new("class SimpleXMLIterator extends SimpleXMLElement"),
];
