//! The classes of the extension, as PHP 8.4 declares them.

use vm_runtime::class::{NativeClass, declare, method};
use vm_runtime::function::{NativeDefinition, class_flags};

use super::{
    attribute, character_data, document, element, fragment, implementation, lists, mutation, node,
    object, properties, xinclude, xpath,
};

/// A class of nodes.
pub(super) const fn node(declaration: &'static str) -> NativeClass {
    NativeClass::new(declaration)
        .create_native(object::create)
        .handlers(&properties::HANDLERS)
}

/// A class of lists.
pub(super) const fn list(declaration: &'static str) -> NativeClass {
    NativeClass::new(declaration)
        .create_native(lists::create)
        .handlers(&lists::HANDLERS)
}

/// Puts lists of members together at compile time; the first one is not empty.
macro_rules! joined {
    ($kind:ty: $($part:expr),+ $(,)?) => {{
        const PARTS: &[&[$kind]] = &[$($part),+];
        const LENGTH: usize = {
            let (mut length, mut part) = (0, 0);
            while part < PARTS.len() {
                length += PARTS[part].len();
                part += 1;
            }
            length
        };
        const JOINED: [$kind; LENGTH] = {
            let mut joined = [PARTS[0][0]; LENGTH];
            let (mut at, mut part) = (0, 0);
            while part < PARTS.len() {
                let mut index = 0;
                while index < PARTS[part].len() {
                    joined[at] = PARTS[part][index];
                    at += 1;
                    index += 1;
                }
                part += 1;
            }
            joined
        };
        &JOINED
    }};
}
pub(super) use joined;

pub(super) const POSITIONS: &[&str] = &[
    "int DOCUMENT_POSITION_DISCONNECTED = 1",
    "int DOCUMENT_POSITION_PRECEDING = 2",
    "int DOCUMENT_POSITION_FOLLOWING = 4",
    "int DOCUMENT_POSITION_CONTAINS = 8",
    "int DOCUMENT_POSITION_CONTAINED_BY = 16",
    "int DOCUMENT_POSITION_IMPLEMENTATION_SPECIFIC = 32",
];
const ELEMENT_CHILDREN: &[&str] = &[
    "virtual public ?DOMElement $firstElementChild",
    "virtual public ?DOMElement $lastElementChild",
    "virtual public int $childElementCount",
];
const ELEMENT_SIBLINGS: &[&str] = &[
    "virtual public ?DOMElement $previousElementSibling",
    "virtual public ?DOMElement $nextElementSibling",
];
const PARENT_NODE: &[NativeDefinition] = &[
    method("public function append(...$nodes): void", mutation::append),
    method(
        "public function prepend(...$nodes): void",
        mutation::prepend,
    ),
    method(
        "public function replaceChildren(...$nodes): void",
        mutation::replace_children,
    ),
];
const CHILD_NODE: &[NativeDefinition] = &[
    method("public function remove(): void", mutation::remove),
    method("public function before(...$nodes): void", mutation::before),
    method("public function after(...$nodes): void", mutation::after),
    method(
        "public function replaceWith(...$nodes): void",
        mutation::replace_with,
    ),
];
pub(super) const NOT_SERIALIZABLE: &[NativeDefinition] = &[
    method("public function __sleep(): array", node::sleep),
    method("public function __wakeup(): void", node::wakeup),
];

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("final class DOMException extends Exception")
        .properties(&[
            "public $code = 0",
        ]),
    &NativeClass::new("interface DOMParentNode")
        .methods(&[
            declare("public function append(...$nodes): void"),
            declare("public function prepend(...$nodes): void"),
            declare("public function replaceChildren(...$nodes): void"),
        ]),
    &NativeClass::new("interface DOMChildNode")
        .methods(&[
            declare("public function remove(): void"),
            declare("public function before(...$nodes): void"),
            declare("public function after(...$nodes): void"),
            declare("public function replaceWith(...$nodes): void"),
        ]),
    &NativeClass::new("class DOMImplementation")
        .methods(&[
            method("tentative public function hasFeature(string $feature, string $version): bool", implementation::has_feature),
            method("public function createDocumentType(string $qualifiedName, string $publicId = \"\", string $systemId = \"\")", implementation::create_document_type),
            method("tentative public function createDocument(?string $namespace = null, string $qualifiedName = \"\", ?DOMDocumentType $doctype = null): DOMDocument", implementation::create_document),
        ]),
    &node("class DOMNode")
        .constants(POSITIONS)
        .properties(&[
            "virtual public string $nodeName",
            "virtual public ?string $nodeValue",
            "virtual public int $nodeType",
            "virtual public ?DOMNode $parentNode",
            "virtual public ?DOMElement $parentElement",
            "virtual public DOMNodeList $childNodes",
            "virtual public ?DOMNode $firstChild",
            "virtual public ?DOMNode $lastChild",
            "virtual public ?DOMNode $previousSibling",
            "virtual public ?DOMNode $nextSibling",
            "virtual public ?DOMNamedNodeMap $attributes",
            "virtual public bool $isConnected",
            "virtual public ?DOMDocument $ownerDocument",
            "virtual public ?string $namespaceURI",
            "virtual public string $prefix",
            "virtual public ?string $localName",
            "virtual public ?string $baseURI",
            "virtual public string $textContent",
        ])
        .methods(joined!(NativeDefinition: &[
            method("public function appendChild(DOMNode $node)", node::append_child),
            method("tentative public function C14N(bool $exclusive = false, bool $withComments = false, ?array $xpath = null, ?array $nsPrefixes = null): string|false", node::c14n),
            method("tentative public function C14NFile(path $uri, bool $exclusive = false, bool $withComments = false, ?array $xpath = null, ?array $nsPrefixes = null): int|false", node::c14n_file),
            method("public function cloneNode(bool $deep = false)", node::clone_node),
            method("tentative public function getLineNo(): int", node::get_line_no),
            method("tentative public function getNodePath(): ?string", node::get_node_path),
            method("tentative public function hasAttributes(): bool", node::has_attributes),
            method("tentative public function hasChildNodes(): bool", node::has_child_nodes),
            method("public function insertBefore(DOMNode $node, ?DOMNode $child = null)", node::insert_before),
            method("tentative public function isDefaultNamespace(string $namespace): bool", node::is_default_namespace),
            method("tentative public function isSameNode(DOMNode $otherNode): bool", node::is_same_node),
            method("public function isEqualNode(?DOMNode $otherNode): bool", node::is_equal_node),
            method("tentative public function isSupported(string $feature, string $version): bool", node::is_supported),
            method("tentative public function lookupNamespaceURI(?string $prefix): ?string", node::lookup_namespace_uri),
            method("tentative public function lookupPrefix(string $namespace): ?string", node::lookup_prefix),
            method("tentative public function normalize(): void", node::normalize),
            method("public function removeChild(DOMNode $child)", node::remove_child),
            method("public function replaceChild(DOMNode $node, DOMNode $child)", node::replace_child),
            method("public function contains(DOMNode|DOMNameSpaceNode|null $other): bool", node::contains),
            method("public function getRootNode(?array $options = null): DOMNode", node::get_root_node),
            method("public function compareDocumentPosition(DOMNode $other): int", node::compare_document_position),
            ], NOT_SERIALIZABLE)),
    &node("class DOMNameSpaceNode")
        .properties(&[
            "virtual public string $nodeName",
            "virtual public ?string $nodeValue",
            "virtual public int $nodeType",
            "virtual public string $prefix",
            "virtual public ?string $localName",
            "virtual public ?string $namespaceURI",
            "virtual public bool $isConnected",
            "virtual public ?DOMDocument $ownerDocument",
            "virtual public ?DOMNode $parentNode",
            "virtual public ?DOMElement $parentElement",
        ])
        .methods(NOT_SERIALIZABLE),
    &node("class DOMDocumentFragment extends DOMNode implements DOMParentNode")
        .properties(ELEMENT_CHILDREN)
        .methods(joined!(NativeDefinition: &[
            method("public function __construct()", fragment::construct),
            method("tentative public function appendXML(string $data): bool", fragment::append_xml),
            ], PARENT_NODE)),
    &node("class DOMDocument extends DOMNode implements DOMParentNode")
        .properties(joined!(&str: &[
            "virtual public ?DOMDocumentType $doctype",
            "virtual public DOMImplementation $implementation",
            "virtual public ?DOMElement $documentElement",
            "virtual public ?string $actualEncoding",
            "virtual public ?string $encoding",
            "virtual public ?string $xmlEncoding",
            "virtual public bool $standalone",
            "virtual public bool $xmlStandalone",
            "virtual public ?string $version",
            "virtual public ?string $xmlVersion",
            "virtual public bool $strictErrorChecking",
            "virtual public ?string $documentURI",
            "virtual public mixed $config",
            "virtual public bool $formatOutput",
            "virtual public bool $validateOnParse",
            "virtual public bool $resolveExternals",
            "virtual public bool $preserveWhiteSpace",
            "virtual public bool $recover",
            "virtual public bool $substituteEntities",
            ], ELEMENT_CHILDREN))
        .methods(joined!(NativeDefinition: &[
            method("public function __construct(string $version = \"1.0\", string $encoding = \"\")", document::construct),
            method("public function createAttribute(string $localName)", document::create_attribute),
            method("public function createAttributeNS(?string $namespace, string $qualifiedName)", document::create_attribute_ns),
            method("public function createCDATASection(string $data)", document::create_cdata_section),
            method("tentative public function createComment(string $data): DOMComment", document::create_comment),
            method("tentative public function createDocumentFragment(): DOMDocumentFragment", document::create_document_fragment),
            method("public function createElement(string $localName, string $value = \"\")", document::create_element),
            method("public function createElementNS(?string $namespace, string $qualifiedName, string $value = \"\")", document::create_element_ns),
            method("public function createEntityReference(string $name)", document::create_entity_reference),
            method("public function createProcessingInstruction(string $target, string $data = \"\")", document::create_processing_instruction),
            method("tentative public function createTextNode(string $data): DOMText", document::create_text_node),
            method("tentative public function getElementById(string $elementId): ?DOMElement", document::get_element_by_id),
            method("tentative public function getElementsByTagName(string $qualifiedName): DOMNodeList", lists::get_elements_by_tag_name),
            method("tentative public function getElementsByTagNameNS(?string $namespace, string $localName): DOMNodeList", lists::get_elements_by_tag_name_ns),
            method("public function importNode(DOMNode $node, bool $deep = false)", document::import_node),
            method("tentative public function load(string $filename, int $options = 0): bool", document::load),
            method("tentative public function loadXML(string $source, int $options = 0): bool", document::load_xml),
            method("tentative public function normalizeDocument(): void", document::normalize_document),
            method("tentative public function registerNodeClass(class_name $baseClass, ?class_name $extendedClass): true", document::register_node_class),
            method("tentative public function save(string $filename, int $options = 0): int|false", document::save),
            method("tentative public function loadHTML(string $source, int $options = 0): bool", document::load_html),
            method("tentative public function loadHTMLFile(string $filename, int $options = 0): bool", document::load_html_file),
            method("tentative public function saveHTML(?DOMNode $node = null): string|false", document::save_html),
            method("tentative public function saveHTMLFile(string $filename): int|false", document::save_html_file),
            method("tentative public function saveXML(?DOMNode $node = null, int $options = 0): string|false", document::save_xml),
            method("tentative public function schemaValidate(string $filename, int $flags = 0): bool", document::schema_validate),
            method("tentative public function schemaValidateSource(string $source, int $flags = 0): bool", document::schema_validate_source),
            method("tentative public function relaxNGValidate(path $filename): bool", document::relax_ng_validate),
            method("tentative public function relaxNGValidateSource(string $source): bool", document::relax_ng_validate_source),
            method("tentative public function validate(): bool", document::validate),
            method("tentative public function xinclude(int $options = 0): int|false", xinclude::xinclude),
            method("tentative public function adoptNode(DOMNode $node): DOMNode|false", document::adopt_node),
            ], PARENT_NODE)),
    &list("class DOMNodeList implements IteratorAggregate, Countable")
        .properties(&[
            "virtual public int $length",
        ])
        .methods(&[
            method("tentative public function count(): int", lists::count),
            method("public function getIterator(): Iterator", lists::get_iterator),
            method("public function item(int $index)", lists::item),
        ]),
    &list("class DOMNamedNodeMap implements IteratorAggregate, Countable")
        .properties(&[
            "virtual public int $length",
        ])
        .methods(&[
            method("tentative public function getNamedItem(string $qualifiedName): ?DOMNode", lists::get_named_item),
            method("tentative public function getNamedItemNS(?string $namespace, string $localName): ?DOMNode", lists::get_named_item_ns),
            method("tentative public function item(int $index): ?DOMNode", lists::map_item),
            method("tentative public function count(): int", lists::count),
            method("public function getIterator(): Iterator", lists::get_iterator),
        ]),
    &node("class DOMCharacterData extends DOMNode implements DOMChildNode")
        .properties(joined!(&str: &[
            "virtual public string $data",
            "virtual public int $length",
            ], ELEMENT_SIBLINGS))
        .methods(&[
            method("tentative public function appendData(string $data): true", character_data::append_data),
            method("public function substringData(int $offset, int $count)", character_data::substring_data),
            method("tentative public function insertData(int $offset, string $data): bool", character_data::insert_data),
            method("tentative public function deleteData(int $offset, int $count): bool", character_data::delete_data),
            method("tentative public function replaceData(int $offset, int $count, string $data): bool", character_data::replace_data),
            method("public function replaceWith(...$nodes): void", mutation::replace_with),
            method("public function remove(): void", mutation::remove),
            method("public function before(...$nodes): void", mutation::before),
            method("public function after(...$nodes): void", mutation::after),
        ]),
    &node("class DOMAttr extends DOMNode")
        .properties(&[
            "virtual public string $name",
            "virtual public bool $specified",
            "virtual public string $value",
            "virtual public ?DOMElement $ownerElement",
            "virtual public mixed $schemaTypeInfo",
        ])
        .methods(&[
            method("public function __construct(string $name, string $value = \"\")", attribute::construct),
            method("tentative public function isId(): bool", attribute::is_id),
        ]),
    &node("class DOMElement extends DOMNode implements DOMParentNode, DOMChildNode")
        .properties(joined!(&str: &[
            "virtual public string $tagName",
            "virtual public string $className",
            "virtual public string $id",
            "virtual public mixed $schemaTypeInfo",
            ], ELEMENT_CHILDREN, ELEMENT_SIBLINGS))
        .methods(joined!(NativeDefinition: &[
            method("public function __construct(string $qualifiedName, ?string $value = null, string $namespace = \"\")", element::construct),
            method("tentative public function getAttribute(string $qualifiedName): string", element::get_attribute),
            method("public function getAttributeNames(): array", element::get_attribute_names),
            method("tentative public function getAttributeNS(?string $namespace, string $localName): string", element::get_attribute_ns),
            method("public function getAttributeNode(string $qualifiedName)", element::get_attribute_node),
            method("public function getAttributeNodeNS(?string $namespace, string $localName)", element::get_attribute_node_ns),
            method("tentative public function getElementsByTagName(string $qualifiedName): DOMNodeList", lists::get_elements_by_tag_name),
            method("tentative public function getElementsByTagNameNS(?string $namespace, string $localName): DOMNodeList", lists::get_elements_by_tag_name_ns),
            method("tentative public function hasAttribute(string $qualifiedName): bool", element::has_attribute),
            method("tentative public function hasAttributeNS(?string $namespace, string $localName): bool", element::has_attribute_ns),
            method("tentative public function removeAttribute(string $qualifiedName): bool", element::remove_attribute),
            method("tentative public function removeAttributeNS(?string $namespace, string $localName): void", element::remove_attribute_ns),
            method("public function removeAttributeNode(DOMAttr $attr)", element::remove_attribute_node),
            method("public function setAttribute(string $qualifiedName, string $value)", element::set_attribute),
            method("tentative public function setAttributeNS(?string $namespace, string $qualifiedName, string $value): void", element::set_attribute_ns),
            method("public function setAttributeNode(DOMAttr $attr)", element::set_attribute_node),
            method("public function setAttributeNodeNS(DOMAttr $attr)", element::set_attribute_node_ns),
            method("tentative public function setIdAttribute(string $qualifiedName, bool $isId): void", element::set_id_attribute),
            method("tentative public function setIdAttributeNS(string $namespace, string $qualifiedName, bool $isId): void", element::set_id_attribute_ns),
            method("tentative public function setIdAttributeNode(DOMAttr $attr, bool $isId): void", element::set_id_attribute_node),
            method("public function toggleAttribute(string $qualifiedName, ?bool $force = null): bool", element::toggle_attribute),
            ], CHILD_NODE, PARENT_NODE, &[
            method("public function insertAdjacentElement(string $where, DOMElement $element): ?DOMElement", element::insert_adjacent_element),
            method("public function insertAdjacentText(string $where, string $data): void", element::insert_adjacent_text),
            ])),
    &node("class DOMText extends DOMCharacterData")
        .properties(&[
            "virtual public string $wholeText",
        ])
        .methods(&[
            method("public function __construct(string $data = \"\")", character_data::construct_text),
            method("tentative public function isWhitespaceInElementContent(): bool", character_data::is_whitespace_in_element_content),
            method("tentative public function isElementContentWhitespace(): bool", character_data::is_element_content_whitespace),
            method("public function splitText(int $offset)", character_data::split_text),
        ]),
    &node("class DOMComment extends DOMCharacterData")
        .methods(&[
            method("public function __construct(string $data = \"\")", character_data::construct_comment),
        ]),
    &node("class DOMCdataSection extends DOMText")
        .methods(&[
            method("public function __construct(string $data)", character_data::construct_cdata_section),
        ]),
    &node("class DOMDocumentType extends DOMNode")
        .properties(&[
            "virtual public string $name",
            "virtual public DOMNamedNodeMap $entities",
            "virtual public DOMNamedNodeMap $notations",
            "virtual public string $publicId",
            "virtual public string $systemId",
            "virtual public ?string $internalSubset",
        ]),
    &node("class DOMNotation extends DOMNode")
        .properties(&[
            "virtual public string $publicId",
            "virtual public string $systemId",
        ]),
    &node("class DOMEntity extends DOMNode")
        .properties(&[
            "virtual public ?string $publicId",
            "virtual public ?string $systemId",
            "virtual public ?string $notationName",
            "virtual public ?string $actualEncoding",
            "virtual public ?string $encoding",
            "virtual public ?string $version",
        ]),
    &node("class DOMEntityReference extends DOMNode")
        .methods(&[
            method("public function __construct(string $name)", node::construct_entity_reference),
        ]),
    &node("class DOMProcessingInstruction extends DOMNode")
        .properties(&[
            "virtual public string $target",
            "virtual public string $data",
        ])
        .methods(&[
            method("public function __construct(string $name, string $value = \"\")", character_data::construct_processing_instruction),
        ]),
    &NativeClass::new("class DOMXPath")
        .flags(class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE)
        .properties(&[
            "virtual public DOMDocument $document",
            "virtual public bool $registerNodeNamespaces",
        ])
        .create_native(xpath::create)
        .handlers(&xpath::HANDLERS)
        .methods(&[
            method("public function __construct(DOMDocument $document, bool $registerNodeNS = true)", xpath::construct),
            method("tentative public function evaluate(string $expression, ?DOMNode $contextNode = null, bool $registerNodeNS = true): mixed", xpath::evaluate),
            method("tentative public function query(string $expression, ?DOMNode $contextNode = null, bool $registerNodeNS = true): mixed", xpath::query),
            method("tentative public function registerNamespace(string $prefix, string $namespace): bool", xpath::register_namespace),
            method("tentative public function registerPhpFunctions(array|string|null $restrict = null): void", xpath::register_php_functions),
            method("public function registerPhpFunctionNS(string $namespaceURI, string $name, callable $callable): void", xpath::register_php_function_ns),
            method("public static function quote(string $str): string", xpath::quote),
        ]),
];
