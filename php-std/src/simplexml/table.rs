//! The classes of the extension.

use vm_runtime::class::{NativeClass, method};

use super::list::Element;
use super::{element, xpath};

/// The classes.
pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class SimpleXMLElement implements Countable, RecursiveIterator")
        .create_native(|_, _| Some(Box::<Element>::default()))
        .handlers(&element::HANDLERS)
        .methods(&[
            method("tentative public function xpath(string $expression): array|false|null", xpath::xpath),
            method("tentative public function registerXPathNamespace(string $prefix, string $namespace): bool", xpath::register_namespace),
            method("tentative public function asXML(?string $filename = null): string|bool", element::as_xml),
            method("tentative public function saveXML(?string $filename = null): string|bool", element::as_xml),
            method("tentative public function getNamespaces(bool $recursive = false): array", element::get_namespaces),
            method("tentative public function getDocNamespaces(bool $recursive = false, bool $fromRoot = true): array|false", element::get_doc_namespaces),
            method("tentative public function children(?string $namespaceOrPrefix = null, bool $isPrefix = false): ?SimpleXMLElement", element::children),
            method("tentative public function attributes(?string $namespaceOrPrefix = null, bool $isPrefix = false): ?SimpleXMLElement", element::attributes),
            method("public function __construct(string $data, int $options = 0, bool $dataIsURL = false, string $namespaceOrPrefix = '', bool $isPrefix = false)", element::construct),
            method("tentative public function addChild(string $qualifiedName, ?string $value = null, ?string $namespace = null): ?SimpleXMLElement", element::add_child),
            method("tentative public function addAttribute(string $qualifiedName, string $value, ?string $namespace = null): void", element::add_attribute),
            method("tentative public function getName(): string", element::get_name),
            method("public function __toString(): string", element::to_string),
            method("public function __debugInfo(): ?array", element::debug_info),
            method("tentative public function count(): int", element::count),
            method("tentative public function rewind(): void", element::rewind),
            method("tentative public function valid(): bool", element::valid),
            method("tentative public function current(): SimpleXMLElement", element::current),
            method("tentative public function key(): string", element::key),
            method("tentative public function next(): void", element::next),
            method("tentative public function hasChildren(): bool", element::has_children),
            method("tentative public function getChildren(): ?SimpleXMLElement", element::get_children),
        ]),
    &NativeClass::new("class SimpleXMLIterator extends SimpleXMLElement"),
];
