//! The classes below `Dom\`, as PHP 8.4 declares them.

use vm_runtime::class::{NativeClass, declare, method};
use vm_runtime::function::{NativeDefinition, class_flags};

use super::{
    document, element, html_document, implementation, namespace_info, node, rename, selectors,
    token_list, xml_document,
};
use crate::dom;
use crate::dom::classes::{self, joined, list, node as node_class};

/// Of classes whose objects are part of a document.
const CLOSED: u32 =
    class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE | class_flags::NO_DYNAMIC_PROPERTIES;
const ELEMENT_CHILDREN: &[&str] = &[
    "virtual public ?Dom\\Element $firstElementChild",
    "virtual public ?Dom\\Element $lastElementChild",
    "virtual public int $childElementCount",
];
const ELEMENT_SIBLINGS: &[&str] = &[
    "virtual public ?Dom\\Element $previousElementSibling",
    "virtual public ?Dom\\Element $nextElementSibling",
];
const PARENT_NODE: &[NativeDefinition] = &[
    method(
        "#[Unchecked(variadic)] public function append(Dom\\Node|string ...$nodes): void",
        dom::mutation::append,
    ),
    method(
        "#[Unchecked(variadic)] public function prepend(Dom\\Node|string ...$nodes): void",
        dom::mutation::prepend,
    ),
    method(
        "#[Unchecked(variadic)] public function replaceChildren(Dom\\Node|string ...$nodes): void",
        dom::mutation::replace_children,
    ),
];
const QUERIES: &[NativeDefinition] = &[
    method(
        "public function querySelector(string $selectors): ?Dom\\Element",
        selectors::query_selector,
    ),
    method(
        "public function querySelectorAll(string $selectors): Dom\\NodeList",
        selectors::query_selector_all,
    ),
];
const CHILD_NODE: &[NativeDefinition] = &[
    method("public function remove(): void", node::remove),
    method(
        "#[Unchecked(variadic)] public function before(Dom\\Node|string ...$nodes): void",
        dom::mutation::before,
    ),
    method(
        "#[Unchecked(variadic)] public function after(Dom\\Node|string ...$nodes): void",
        dom::mutation::after,
    ),
    method(
        "#[Unchecked(variadic)] public function replaceWith(Dom\\Node|string ...$nodes): void",
        dom::mutation::replace_with,
    ),
];

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("enum Dom\\AdjacentPosition: string").constants(&[
        "case BeforeBegin = 'beforebegin'",
        "case AfterBegin = 'afterbegin'",
        "case BeforeEnd = 'beforeend'",
        "case AfterEnd = 'afterend'",
    ]),
    &NativeClass::new("interface Dom\\ParentNode")
        .methods(&[
            declare("#[Unchecked(variadic)] public function append(Dom\\Node|string ...$nodes): void"),
            declare("#[Unchecked(variadic)] public function prepend(Dom\\Node|string ...$nodes): void"),
            declare("#[Unchecked(variadic)] public function replaceChildren(Dom\\Node|string ...$nodes): void"),
            declare("public function querySelector(string $selectors): ?Dom\\Element"),
            declare("public function querySelectorAll(string $selectors): Dom\\NodeList"),
        ]),
    &NativeClass::new("interface Dom\\ChildNode")
        .methods(&[
            declare("public function remove(): void"),
            declare("#[Unchecked(variadic)] public function before(Dom\\Node|string ...$nodes): void"),
            declare("#[Unchecked(variadic)] public function after(Dom\\Node|string ...$nodes): void"),
            declare("#[Unchecked(variadic)] public function replaceWith(Dom\\Node|string ...$nodes): void"),
        ]),
    &NativeClass::new("class Dom\\Implementation")
        .flags(CLOSED)
        .methods(&[
            method("public function createDocumentType(string $qualifiedName, string $publicId, string $systemId): Dom\\DocumentType", implementation::create_document_type),
            method("public function createDocument(?string $namespace, string $qualifiedName, ?Dom\\DocumentType $doctype = null): Dom\\XMLDocument", implementation::create_document),
            method("public function createHTMLDocument(?string $title = null): Dom\\HTMLDocument", implementation::create_html_document),
        ]),
    &node_class("class Dom\\Node")
        .flags(class_flags::NO_DYNAMIC_PROPERTIES)
        .constants(classes::POSITIONS)
        .properties(&[
            "virtual public int $nodeType",
            "virtual public string $nodeName",
            "virtual public string $baseURI",
            "virtual public bool $isConnected",
            "virtual public ?Dom\\Document $ownerDocument",
            "virtual public ?Dom\\Node $parentNode",
            "virtual public ?Dom\\Element $parentElement",
            "virtual public Dom\\NodeList $childNodes",
            "virtual public ?Dom\\Node $firstChild",
            "virtual public ?Dom\\Node $lastChild",
            "virtual public ?Dom\\Node $previousSibling",
            "virtual public ?Dom\\Node $nextSibling",
            "virtual public ?string $nodeValue",
            "virtual public ?string $textContent",
        ])
        .methods(joined!(NativeDefinition: &[
            method("final private function __construct()", node::no_constructor),
            method("public function getRootNode(array $options = []): Dom\\Node", dom::node::get_root_node),
            method("public function hasChildNodes(): bool", dom::node::has_child_nodes),
            method("public function normalize(): void", dom::node::normalize),
            method("public function cloneNode(bool $deep = false): Dom\\Node", dom::node::clone_node),
            method("public function isEqualNode(?Dom\\Node $otherNode): bool", dom::node::is_equal_node),
            method("public function isSameNode(?Dom\\Node $otherNode): bool", node::is_same_node),
            method("public function compareDocumentPosition(Dom\\Node $other): int", dom::node::compare_document_position),
            method("public function contains(?Dom\\Node $other): bool", dom::node::contains),
            method("public function lookupPrefix(?string $namespace): ?string", node::lookup_prefix),
            method("public function lookupNamespaceURI(?string $prefix): ?string", node::lookup_namespace_uri),
            method("public function isDefaultNamespace(?string $namespace): bool", node::is_default_namespace),
            method("public function insertBefore(Dom\\Node $node, ?Dom\\Node $child): Dom\\Node", node::insert_before),
            method("public function appendChild(Dom\\Node $node): Dom\\Node", node::append_child),
            method("public function replaceChild(Dom\\Node $node, Dom\\Node $child): Dom\\Node", node::replace_child),
            method("public function removeChild(Dom\\Node $child): Dom\\Node", dom::node::remove_child),
            method("public function getLineNo(): int", dom::node::get_line_no),
            method("public function getNodePath(): string", dom::node::get_node_path),
            method("public function C14N(bool $exclusive = false, bool $withComments = false, ?array $xpath = null, ?array $nsPrefixes = null): string|false", dom::node::c14n),
            method("public function C14NFile(path $uri, bool $exclusive = false, bool $withComments = false, ?array $xpath = null, ?array $nsPrefixes = null): int|false", dom::node::c14n_file),
        ], classes::NOT_SERIALIZABLE)),
    &NativeClass::new("final readonly class Dom\\NamespaceInfo")
        .flags(class_flags::NOT_SERIALIZABLE | class_flags::NO_DYNAMIC_PROPERTIES)
        .properties(&[
            "public readonly ?string $prefix",
            "public readonly ?string $namespaceURI",
            "public readonly Dom\\Element $element",
        ])
        .methods(&[
            method("private function __construct()", node::no_constructor),
        ]),
    &node_class("class Dom\\DocumentFragment extends Dom\\Node implements Dom\\ParentNode")
        .properties(ELEMENT_CHILDREN)
        .methods(joined!(NativeDefinition: &[
            method("public function appendXml(string $data): bool", dom::fragment::append_xml),
        ], PARENT_NODE, QUERIES)),
    &node_class("abstract class Dom\\Document extends Dom\\Node implements Dom\\ParentNode")
        .properties(joined!(&str: &[
            "virtual public Dom\\Implementation $implementation",
            "virtual public string $URL",
            "virtual public string $documentURI",
            "virtual public string $characterSet",
            "virtual public string $charset",
            "virtual public string $inputEncoding",
            "virtual public ?Dom\\DocumentType $doctype",
            "virtual public ?Dom\\Element $documentElement",
        ], ELEMENT_CHILDREN, &[
            "virtual public ?Dom\\HTMLElement $body",
            "virtual public ?Dom\\HTMLElement $head",
            "virtual public string $title",
        ]))
        .methods(joined!(NativeDefinition: &[
            method("public function getElementsByTagName(string $qualifiedName): Dom\\HTMLCollection", dom::lists::get_elements_by_tag_name),
            method("public function getElementsByTagNameNS(?string $namespace, string $localName): Dom\\HTMLCollection", dom::lists::get_elements_by_tag_name_ns),
            method("public function createElement(string $localName): Dom\\Element", document::create_element),
            method("public function createElementNS(?string $namespace, string $qualifiedName): Dom\\Element", document::create_element_ns),
            method("public function createDocumentFragment(): Dom\\DocumentFragment", dom::document::create_document_fragment),
            method("public function createTextNode(string $data): Dom\\Text", dom::document::create_text_node),
            method("public function createCDATASection(string $data): Dom\\CDATASection", document::create_cdata_section),
            method("public function createComment(string $data): Dom\\Comment", dom::document::create_comment),
            method("public function createProcessingInstruction(string $target, string $data): Dom\\ProcessingInstruction", document::create_processing_instruction),
            method("public function importNode(?Dom\\Node $node, bool $deep = false): Dom\\Node", document::import_node),
            method("public function adoptNode(Dom\\Node $node): Dom\\Node", document::adopt_node),
            method("public function createAttribute(string $localName): Dom\\Attr", document::create_attribute),
            method("public function createAttributeNS(?string $namespace, string $qualifiedName): Dom\\Attr", document::create_attribute_ns),
            method("public function getElementById(string $elementId): ?Dom\\Element", dom::document::get_element_by_id),
            method("public function registerNodeClass(class_name $baseClass, ?class_name $extendedClass): void", document::register_node_class),
            method("public function schemaValidate(string $filename, int $flags = 0): bool", dom::document::schema_validate),
            method("public function schemaValidateSource(string $source, int $flags = 0): bool", dom::document::schema_validate_source),
            method("public function relaxNgValidate(path $filename): bool", dom::document::relax_ng_validate),
            method("public function relaxNgValidateSource(string $source): bool", dom::document::relax_ng_validate_source),
        ], PARENT_NODE, &[
            method("public function importLegacyNode(DOMNode $node, bool $deep = false): Dom\\Node", document::import_legacy_node),
        ], QUERIES)),
    &node_class("final class Dom\\HTMLDocument extends Dom\\Document")
        .methods(&[
            method("public static function createEmpty(string $encoding = \"UTF-8\"): Dom\\HTMLDocument", html_document::create_empty),
            method("public static function createFromFile(path $path, int $options = 0, ?string $overrideEncoding = null): Dom\\HTMLDocument", html_document::create_from_file),
            method("public static function createFromString(string $source, int $options = 0, ?string $overrideEncoding = null): Dom\\HTMLDocument", html_document::create_from_string),
            method("public function saveXml(?Dom\\Node $node = null, int $options = 0): string|false", xml_document::save_xml),
            method("public function saveXmlFile(string $filename, int $options = 0): int|false", xml_document::save_xml_file),
            method("public function saveHtml(?Dom\\Node $node = null): string", html_document::save_html),
            method("public function saveHtmlFile(string $filename): int|false", html_document::save_html_file),
        ]),
    &node_class("final class Dom\\XMLDocument extends Dom\\Document")
        .properties(&[
            "virtual public string $xmlEncoding",
            "virtual public bool $xmlStandalone",
            "virtual public string $xmlVersion",
            "virtual public bool $formatOutput",
        ])
        .methods(&[
            method("public static function createEmpty(string $version = \"1.0\", string $encoding = \"UTF-8\"): Dom\\XMLDocument", xml_document::create_empty),
            method("public static function createFromFile(string $path, int $options = 0, ?string $overrideEncoding = null): Dom\\XMLDocument", xml_document::create_from_file),
            method("public static function createFromString(string $source, int $options = 0, ?string $overrideEncoding = null): Dom\\XMLDocument", xml_document::create_from_string),
            method("public function createEntityReference(string $name): Dom\\EntityReference", dom::document::create_entity_reference),
            method("public function validate(): bool", dom::document::validate),
            method("public function xinclude(int $options = 0): int", dom::xinclude::xinclude),
            method("public function saveXml(?Dom\\Node $node = null, int $options = 0): string|false", xml_document::save_xml),
            method("public function saveXmlFile(string $filename, int $options = 0): int|false", xml_document::save_xml_file),
        ]),
    &list("class Dom\\NodeList implements IteratorAggregate, Countable")
        .properties(&[
            "virtual public int $length",
        ])
        .methods(&[
            method("public function count(): int", dom::lists::count),
            method("public function getIterator(): Iterator", dom::lists::get_iterator),
            method("public function item(int $index): ?Dom\\Node", dom::lists::item),
        ]),
    &list("class Dom\\NamedNodeMap implements IteratorAggregate, Countable")
        .properties(&[
            "virtual public int $length",
        ])
        .methods(&[
            method("public function item(int $index): ?Dom\\Attr", dom::lists::map_item),
            method("public function getNamedItem(string $qualifiedName): ?Dom\\Attr", dom::lists::get_named_item),
            method("public function getNamedItemNS(?string $namespace, string $localName): ?Dom\\Attr", dom::lists::get_named_item_ns),
            method("public function count(): int", dom::lists::count),
            method("public function getIterator(): Iterator", dom::lists::get_iterator),
        ]),
    &list("class Dom\\DtdNamedNodeMap implements IteratorAggregate, Countable")
        .properties(&[
            "virtual public int $length",
        ])
        .methods(&[
            method("public function item(int $index): Dom\\Entity|Dom\\Notation|null", dom::lists::map_item),
            method("public function getNamedItem(string $qualifiedName): Dom\\Entity|Dom\\Notation|null", dom::lists::get_named_item),
            method("public function getNamedItemNS(?string $namespace, string $localName): Dom\\Entity|Dom\\Notation|null", dom::lists::get_named_item_ns),
            method("public function count(): int", dom::lists::count),
            method("public function getIterator(): Iterator", dom::lists::get_iterator),
        ]),
    &list("class Dom\\HTMLCollection implements IteratorAggregate, Countable")
        .properties(&[
            "virtual public int $length",
        ])
        .methods(&[
            method("public function item(int $index): ?Dom\\Element", dom::lists::item),
            method("public function namedItem(string $key): ?Dom\\Element", dom::lists::get_named_item),
            method("public function count(): int", dom::lists::count),
            method("public function getIterator(): Iterator", dom::lists::get_iterator),
        ]),
    &node_class("class Dom\\CharacterData extends Dom\\Node implements Dom\\ChildNode")
        .properties(joined!(&str: ELEMENT_SIBLINGS, &[
            "virtual public string $data",
            "virtual public int $length",
        ]))
        .methods(joined!(NativeDefinition: &[
            method("public function substringData(int $offset, int $count): string", dom::character_data::substring_data),
            method("public function appendData(string $data): void", dom::character_data::append_data),
            method("public function insertData(int $offset, string $data): void", dom::character_data::insert_data),
            method("public function deleteData(int $offset, int $count): void", dom::character_data::delete_data),
            method("public function replaceData(int $offset, int $count, string $data): void", dom::character_data::replace_data),
        ], CHILD_NODE)),
    &node_class("class Dom\\Attr extends Dom\\Node")
        .properties(&[
            "virtual public ?string $namespaceURI",
            "virtual public ?string $prefix",
            "virtual public string $localName",
            "virtual public string $name",
            "virtual public string $value",
            "virtual public ?Dom\\Element $ownerElement",
            "virtual public bool $specified",
        ])
        .methods(&[
            method("public function isId(): bool", dom::attribute::is_id),
            method("public function rename(?string $namespaceURI, string $qualifiedName): void", rename::rename),
        ]),
    &node_class("class Dom\\Element extends Dom\\Node implements Dom\\ParentNode, Dom\\ChildNode")
        .properties(joined!(&str: &[
            "virtual public ?string $namespaceURI",
            "virtual public ?string $prefix",
            "virtual public string $localName",
            "virtual public string $tagName",
            "virtual public string $id",
            "virtual public string $className",
            "virtual public Dom\\TokenList $classList",
            "virtual public Dom\\NamedNodeMap $attributes",
        ], ELEMENT_CHILDREN, ELEMENT_SIBLINGS, &[
            "virtual public string $innerHTML",
            "virtual public string $substitutedNodeValue",
        ]))
        .methods(joined!(NativeDefinition: &[
            method("public function hasAttributes(): bool", dom::node::has_attributes),
            method("public function getAttributeNames(): array", dom::element::get_attribute_names),
            method("public function getAttribute(string $qualifiedName): ?string", element::get_attribute),
            method("public function getAttributeNS(?string $namespace, string $localName): ?string", element::get_attribute_ns),
            method("public function setAttribute(string $qualifiedName, string $value): void", element::set_attribute),
            method("public function setAttributeNS(?string $namespace, string $qualifiedName, string $value): void", element::set_attribute_ns),
            method("public function removeAttribute(string $qualifiedName): void", element::remove_attribute),
            method("public function removeAttributeNS(?string $namespace, string $localName): void", dom::element::remove_attribute_ns),
            method("public function toggleAttribute(string $qualifiedName, ?bool $force = null): bool", element::toggle_attribute),
            method("public function hasAttribute(string $qualifiedName): bool", element::has_attribute),
            method("public function hasAttributeNS(?string $namespace, string $localName): bool", dom::element::has_attribute_ns),
            method("public function getAttributeNode(string $qualifiedName): ?Dom\\Attr", element::get_attribute_node),
            method("public function getAttributeNodeNS(?string $namespace, string $localName): ?Dom\\Attr", dom::element::get_attribute_node_ns),
            method("public function setAttributeNode(Dom\\Attr $attr): ?Dom\\Attr", element::set_attribute_node),
            method("public function setAttributeNodeNS(Dom\\Attr $attr): ?Dom\\Attr", element::set_attribute_node),
            method("public function removeAttributeNode(Dom\\Attr $attr): Dom\\Attr", dom::element::remove_attribute_node),
            method("public function getElementsByTagName(string $qualifiedName): Dom\\HTMLCollection", dom::lists::get_elements_by_tag_name),
            method("public function getElementsByTagNameNS(?string $namespace, string $localName): Dom\\HTMLCollection", dom::lists::get_elements_by_tag_name_ns),
            method("public function insertAdjacentElement(Dom\\AdjacentPosition $where, Dom\\Element $element): ?Dom\\Element", dom::element::insert_adjacent_element),
            method("public function insertAdjacentText(Dom\\AdjacentPosition $where, string $data): void", dom::element::insert_adjacent_text),
            method("public function setIdAttribute(string $qualifiedName, bool $isId): void", dom::element::set_id_attribute),
            method("public function setIdAttributeNS(?string $namespace, string $qualifiedName, bool $isId): void", dom::element::set_id_attribute_ns),
            method("public function setIdAttributeNode(Dom\\Attr $attr, bool $isId): void", dom::element::set_id_attribute_node),
        ], CHILD_NODE, PARENT_NODE, QUERIES, &[
            method("public function closest(string $selectors): ?Dom\\Element", selectors::closest),
            method("public function matches(string $selectors): bool", selectors::matches),
            method("public function getInScopeNamespaces(): array", namespace_info::in_scope),
            method("public function getDescendantNamespaces(): array", namespace_info::descendant),
            method("public function rename(?string $namespaceURI, string $qualifiedName): void", rename::rename),
        ])),
    &node_class("class Dom\\HTMLElement extends Dom\\Element"),
    &node_class("class Dom\\Text extends Dom\\CharacterData")
        .properties(&[
            "virtual public string $wholeText",
        ])
        .methods(&[
            method("public function splitText(int $offset): Dom\\Text", dom::character_data::split_text),
        ]),
    &node_class("class Dom\\Comment extends Dom\\CharacterData"),
    &node_class("class Dom\\CDATASection extends Dom\\Text"),
    &node_class("class Dom\\DocumentType extends Dom\\Node implements Dom\\ChildNode")
        .properties(&[
            "virtual public string $name",
            "virtual public Dom\\DtdNamedNodeMap $entities",
            "virtual public Dom\\DtdNamedNodeMap $notations",
            "virtual public string $publicId",
            "virtual public string $systemId",
            "virtual public ?string $internalSubset",
        ])
        .methods(CHILD_NODE),
    &node_class("class Dom\\Notation extends Dom\\Node")
        .properties(&[
            "virtual public string $publicId",
            "virtual public string $systemId",
        ]),
    &node_class("class Dom\\Entity extends Dom\\Node")
        .properties(&[
            "virtual public ?string $publicId",
            "virtual public ?string $systemId",
            "virtual public ?string $notationName",
        ]),
    &node_class("class Dom\\EntityReference extends Dom\\Node"),
    &node_class("class Dom\\ProcessingInstruction extends Dom\\CharacterData")
        .properties(&[
            "virtual public string $target",
        ]),
    &NativeClass::new("final class Dom\\XPath")
        .flags(class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE)
        .create_native(dom::xpath::create)
        .handlers(&dom::xpath::HANDLERS)
        .properties(&[
            "virtual public Dom\\Document $document",
            "virtual public bool $registerNodeNamespaces",
        ])
        .methods(&[
            method("public function __construct(Dom\\Document $document, bool $registerNodeNS = true)", dom::xpath::construct),
            method("public function evaluate(string $expression, ?Dom\\Node $contextNode = null, bool $registerNodeNS = true): Dom\\NodeList|string|float|bool|null", dom::xpath::evaluate),
            method("public function query(string $expression, ?Dom\\Node $contextNode = null, bool $registerNodeNS = true): Dom\\NodeList", dom::xpath::query),
            method("public function registerNamespace(string $prefix, string $namespace): bool", dom::xpath::register_namespace),
            method("public function registerPhpFunctions(array|string|null $restrict = null): void", dom::xpath::register_php_functions),
            method("public function registerPhpFunctionNS(string $namespaceURI, string $name, callable $callable): void", dom::xpath::register_php_function_ns),
            method("public static function quote(string $str): string", dom::xpath::quote),
        ]),
    &NativeClass::new("final class Dom\\TokenList implements IteratorAggregate, Countable")
        .flags(CLOSED)
        .create_native(token_list::create)
        .handlers(&token_list::HANDLERS)
        .properties(&[
            "virtual public int $length",
            "virtual public string $value",
        ])
        .methods(&[
            method("private function __construct()", node::no_constructor),
            method("public function item(int $index): ?string", token_list::item),
            method("public function contains(string $token): bool", token_list::contains),
            method("#[Unconverted] public function add(string ...$tokens): void", token_list::add),
            method("#[Unconverted] public function remove(string ...$tokens): void", token_list::remove),
            method("public function toggle(string $token, ?bool $force = null): bool", token_list::toggle),
            method("public function replace(string $token, string $newToken): bool", token_list::replace),
            method("public function supports(string $token): bool", token_list::supports),
            method("public function count(): int", token_list::count),
            method("public function getIterator(): Iterator", token_list::get_iterator),
        ]),
];
