//! The functions and methods: each does the same, on `$this` or on its first argument.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::{NativeDefinition, class_flags};

use super::{
    create, method_open_memory, method_open_uri, open_memory, open_uri, to_memory, to_stream,
    to_uri, write,
};

/// The functions.
pub(super) static FUNCTIONS: &[NativeDefinition] = &[
    method("xmlwriter_open_uri(string $uri): XMLWriter|false", open_uri),
    method("xmlwriter_open_memory(): XMLWriter|false", open_memory),
    method(
        "xmlwriter_set_indent(XMLWriter $writer, bool $enable): bool",
        |call| write::set_indent(call, 1),
    ),
    method(
        "xmlwriter_set_indent_string(XMLWriter $writer, string $indentation): bool",
        |call| write::set_indent_string(call, 1),
    ),
    method("xmlwriter_start_comment(XMLWriter $writer): bool", |call| {
        write::start_comment(call, 1)
    }),
    method("xmlwriter_end_comment(XMLWriter $writer): bool", |call| {
        write::end_comment(call, 1)
    }),
    method(
        "xmlwriter_start_attribute(XMLWriter $writer, string $name): bool",
        |call| write::start_attribute(call, 1),
    ),
    method("xmlwriter_end_attribute(XMLWriter $writer): bool", |call| {
        write::end_attribute(call, 1)
    }),
    method(
        "xmlwriter_write_attribute(XMLWriter $writer, string $name, string $value): bool",
        |call| write::write_attribute(call, 1),
    ),
    method(
        "xmlwriter_start_attribute_ns(XMLWriter $writer, ?string $prefix, string $name, ?string $namespace): bool",
        |call| write::start_attribute_ns(call, 1),
    ),
    method(
        "xmlwriter_write_attribute_ns(XMLWriter $writer, ?string $prefix, string $name, ?string $namespace, string $value): bool",
        |call| write::write_attribute_ns(call, 1),
    ),
    method(
        "xmlwriter_start_element(XMLWriter $writer, string $name): bool",
        |call| write::start_element(call, 1),
    ),
    method("xmlwriter_end_element(XMLWriter $writer): bool", |call| {
        write::end_element(call, 1)
    }),
    method(
        "xmlwriter_full_end_element(XMLWriter $writer): bool",
        |call| write::full_end_element(call, 1),
    ),
    method(
        "xmlwriter_start_element_ns(XMLWriter $writer, ?string $prefix, string $name, ?string $namespace): bool",
        |call| write::start_element_ns(call, 1),
    ),
    method(
        "xmlwriter_write_element(XMLWriter $writer, string $name, ?string $content = null): bool",
        |call| write::write_element(call, 1),
    ),
    method(
        "xmlwriter_write_element_ns(XMLWriter $writer, ?string $prefix, string $name, ?string $namespace, ?string $content = null): bool",
        |call| write::write_element_ns(call, 1),
    ),
    method(
        "xmlwriter_start_pi(XMLWriter $writer, string $target): bool",
        |call| write::start_pi(call, 1),
    ),
    method("xmlwriter_end_pi(XMLWriter $writer): bool", |call| {
        write::end_pi(call, 1)
    }),
    method(
        "xmlwriter_write_pi(XMLWriter $writer, string $target, string $content): bool",
        |call| write::write_pi(call, 1),
    ),
    method("xmlwriter_start_cdata(XMLWriter $writer): bool", |call| {
        write::start_cdata(call, 1)
    }),
    method("xmlwriter_end_cdata(XMLWriter $writer): bool", |call| {
        write::end_cdata(call, 1)
    }),
    method(
        "xmlwriter_write_cdata(XMLWriter $writer, string $content): bool",
        |call| write::write_cdata(call, 1),
    ),
    method(
        "xmlwriter_text(XMLWriter $writer, string $content): bool",
        |call| write::text(call, 1),
    ),
    method(
        "xmlwriter_write_raw(XMLWriter $writer, string $content): bool",
        |call| write::write_raw(call, 1),
    ),
    method(
        "xmlwriter_start_document(XMLWriter $writer, ?string $version = '1.0', ?string $encoding = null, ?string $standalone = null): bool",
        |call| write::start_document(call, 1),
    ),
    method("xmlwriter_end_document(XMLWriter $writer): bool", |call| {
        write::end_document(call, 1)
    }),
    method(
        "xmlwriter_write_comment(XMLWriter $writer, string $content): bool",
        |call| write::write_comment(call, 1),
    ),
    method(
        "xmlwriter_start_dtd(XMLWriter $writer, string $qualifiedName, ?string $publicId = null, ?string $systemId = null): bool",
        |call| write::start_dtd(call, 1),
    ),
    method("xmlwriter_end_dtd(XMLWriter $writer): bool", |call| {
        write::end_dtd(call, 1)
    }),
    method(
        "xmlwriter_write_dtd(XMLWriter $writer, string $name, ?string $publicId = null, ?string $systemId = null, ?string $content = null): bool",
        |call| write::write_dtd(call, 1),
    ),
    method(
        "xmlwriter_start_dtd_element(XMLWriter $writer, string $qualifiedName): bool",
        |call| write::start_dtd_element(call, 1),
    ),
    method(
        "xmlwriter_end_dtd_element(XMLWriter $writer): bool",
        |call| write::end_dtd_element(call, 1),
    ),
    method(
        "xmlwriter_write_dtd_element(XMLWriter $writer, string $name, string $content): bool",
        |call| write::write_dtd_element(call, 1),
    ),
    method(
        "xmlwriter_start_dtd_attlist(XMLWriter $writer, string $name): bool",
        |call| write::start_dtd_attlist(call, 1),
    ),
    method(
        "xmlwriter_end_dtd_attlist(XMLWriter $writer): bool",
        |call| write::end_dtd_attlist(call, 1),
    ),
    method(
        "xmlwriter_write_dtd_attlist(XMLWriter $writer, string $name, string $content): bool",
        |call| write::write_dtd_attlist(call, 1),
    ),
    method(
        "xmlwriter_start_dtd_entity(XMLWriter $writer, string $name, bool $isParam): bool",
        |call| write::start_dtd_entity(call, 1),
    ),
    method(
        "xmlwriter_end_dtd_entity(XMLWriter $writer): bool",
        |call| write::end_dtd_entity(call, 1),
    ),
    method(
        "xmlwriter_write_dtd_entity(XMLWriter $writer, string $name, string $content, bool $isParam = false, ?string $publicId = null, ?string $systemId = null, ?string $notationData = null): bool",
        |call| write::write_dtd_entity(call, 1),
    ),
    method(
        "xmlwriter_output_memory(XMLWriter $writer, bool $flush = true): string",
        |call| write::output_memory(call, 1),
    ),
    method(
        "xmlwriter_flush(XMLWriter $writer, bool $empty = true): string|int",
        |call| write::flush(call, 1),
    ),
];

/// The class.
pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class XMLWriter")
        .flags(class_flags::NOT_CLONEABLE)
        .create_native(create)
        .methods(&[
            method("tentative public function openUri(string $uri): bool", method_open_uri),
            method("public static function toUri(string $uri): static", to_uri),
            method("tentative public function openMemory(): bool", method_open_memory),
            method("public static function toMemory(): static", to_memory),
            method("public static function toStream($stream): static", to_stream),
            method("tentative public function setIndent(bool $enable): bool", |call| write::set_indent(call, 0)),
            method("tentative public function setIndentString(string $indentation): bool", |call| write::set_indent_string(call, 0)),
            method("tentative public function startComment(): bool", |call| write::start_comment(call, 0)),
            method("tentative public function endComment(): bool", |call| write::end_comment(call, 0)),
            method("tentative public function startAttribute(string $name): bool", |call| write::start_attribute(call, 0)),
            method("tentative public function endAttribute(): bool", |call| write::end_attribute(call, 0)),
            method("tentative public function writeAttribute(string $name, string $value): bool", |call| write::write_attribute(call, 0)),
            method("tentative public function startAttributeNs(?string $prefix, string $name, ?string $namespace): bool", |call| write::start_attribute_ns(call, 0)),
            method("tentative public function writeAttributeNs(?string $prefix, string $name, ?string $namespace, string $value): bool", |call| write::write_attribute_ns(call, 0)),
            method("tentative public function startElement(string $name): bool", |call| write::start_element(call, 0)),
            method("tentative public function endElement(): bool", |call| write::end_element(call, 0)),
            method("tentative public function fullEndElement(): bool", |call| write::full_end_element(call, 0)),
            method("tentative public function startElementNs(?string $prefix, string $name, ?string $namespace): bool", |call| write::start_element_ns(call, 0)),
            method("tentative public function writeElement(string $name, ?string $content = null): bool", |call| write::write_element(call, 0)),
            method("tentative public function writeElementNs(?string $prefix, string $name, ?string $namespace, ?string $content = null): bool", |call| write::write_element_ns(call, 0)),
            method("tentative public function startPi(string $target): bool", |call| write::start_pi(call, 0)),
            method("tentative public function endPi(): bool", |call| write::end_pi(call, 0)),
            method("tentative public function writePi(string $target, string $content): bool", |call| write::write_pi(call, 0)),
            method("tentative public function startCdata(): bool", |call| write::start_cdata(call, 0)),
            method("tentative public function endCdata(): bool", |call| write::end_cdata(call, 0)),
            method("tentative public function writeCdata(string $content): bool", |call| write::write_cdata(call, 0)),
            method("tentative public function text(string $content): bool", |call| write::text(call, 0)),
            method("tentative public function writeRaw(string $content): bool", |call| write::write_raw(call, 0)),
            method("tentative public function startDocument(?string $version = '1.0', ?string $encoding = null, ?string $standalone = null): bool", |call| write::start_document(call, 0)),
            method("tentative public function endDocument(): bool", |call| write::end_document(call, 0)),
            method("tentative public function writeComment(string $content): bool", |call| write::write_comment(call, 0)),
            method("tentative public function startDtd(string $qualifiedName, ?string $publicId = null, ?string $systemId = null): bool", |call| write::start_dtd(call, 0)),
            method("tentative public function endDtd(): bool", |call| write::end_dtd(call, 0)),
            method("tentative public function writeDtd(string $name, ?string $publicId = null, ?string $systemId = null, ?string $content = null): bool", |call| write::write_dtd(call, 0)),
            method("tentative public function startDtdElement(string $qualifiedName): bool", |call| write::start_dtd_element(call, 0)),
            method("tentative public function endDtdElement(): bool", |call| write::end_dtd_element(call, 0)),
            method("tentative public function writeDtdElement(string $name, string $content): bool", |call| write::write_dtd_element(call, 0)),
            method("tentative public function startDtdAttlist(string $name): bool", |call| write::start_dtd_attlist(call, 0)),
            method("tentative public function endDtdAttlist(): bool", |call| write::end_dtd_attlist(call, 0)),
            method("tentative public function writeDtdAttlist(string $name, string $content): bool", |call| write::write_dtd_attlist(call, 0)),
            method("tentative public function startDtdEntity(string $name, bool $isParam): bool", |call| write::start_dtd_entity(call, 0)),
            method("tentative public function endDtdEntity(): bool", |call| write::end_dtd_entity(call, 0)),
            method("tentative public function writeDtdEntity(string $name, string $content, bool $isParam = false, ?string $publicId = null, ?string $systemId = null, ?string $notationData = null): bool", |call| write::write_dtd_entity(call, 0)),
            method("tentative public function outputMemory(bool $flush = true): string", |call| write::output_memory(call, 0)),
            method("tentative public function flush(bool $empty = true): string|int", |call| write::flush(call, 0)),
        ]),
];
