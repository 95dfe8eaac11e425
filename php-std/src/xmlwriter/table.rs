//! The functions and methods: each does the same, on `$this` or on its first argument.

use vm_runtime::class::{NativeClass, NativeHandlers, method};
use vm_runtime::function::{NativeDefinition, class_flags};

use super::{
    create, destruct, method_open_memory, method_open_uri, open_memory, open_uri, to_memory,
    to_stream, to_uri, write,
};

/// Both tables from one list: name of the function, name of the method, parameters, return type and
/// what is done; that is told with which argument the parameters start.
macro_rules! both {
    ($($function:ident $method:ident($($parameters:literal)?) $result:literal => $code:expr;)*) => {
        /// The functions.
        pub(super) static FUNCTIONS: &[NativeDefinition] = &[
            method("xmlwriter_open_uri(string $uri): XMLWriter|false", open_uri),
            method("xmlwriter_open_memory(): XMLWriter|false", open_memory),
            $(method(
                concat!(
                    "xmlwriter_", stringify!($function), "(XMLWriter $writer"
                    $(, ", ", $parameters)?, "): ", $result
                ),
                |call| $code(call, 1),
            ),)*
        ];

        /// The class.
        pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class XMLWriter")
            .flags(class_flags::NOT_CLONEABLE)
            .create_native(create)
            .handlers(&NativeHandlers {
                destruct: Some(destruct),
                ..NativeHandlers::STANDARD
            })
            .methods(&[
                method("tentative public function openUri(string $uri): bool", method_open_uri),
                method("public static function toUri(string $uri): static", to_uri),
                method("tentative public function openMemory(): bool", method_open_memory),
                method("public static function toMemory(): static", to_memory),
                method("public static function toStream(resource $stream): static", to_stream),
                $(method(
                    concat!(
                        "tentative public function ", stringify!($method), "("
                        $(, $parameters)?, "): ", $result
                    ),
                    |call| $code(call, 0),
                ),)*
            ])];
    };
}

both! {
    set_indent setIndent("bool $enable") "bool" => write::set_indent;
    set_indent_string setIndentString("string $indentation") "bool" => write::set_indent_string;
    start_comment startComment() "bool" => write::start_comment;
    end_comment endComment() "bool" => write::end_comment;
    start_attribute startAttribute("string $name") "bool" => write::start_attribute;
    end_attribute endAttribute() "bool" => write::end_attribute;
    write_attribute writeAttribute("string $name, string $value") "bool" => write::write_attribute;
    start_attribute_ns startAttributeNs("?string $prefix, string $name, ?string $namespace") "bool" => write::start_attribute_ns;
    write_attribute_ns writeAttributeNs("?string $prefix, string $name, ?string $namespace, string $value") "bool" => write::write_attribute_ns;
    start_element startElement("string $name") "bool" => write::start_element;
    end_element endElement() "bool" => write::end_element;
    full_end_element fullEndElement() "bool" => write::full_end_element;
    start_element_ns startElementNs("?string $prefix, string $name, ?string $namespace") "bool" => write::start_element_ns;
    write_element writeElement("string $name, ?string $content = null") "bool" => write::write_element;
    write_element_ns writeElementNs("?string $prefix, string $name, ?string $namespace, ?string $content = null") "bool" => write::write_element_ns;
    start_pi startPi("string $target") "bool" => write::start_pi;
    end_pi endPi() "bool" => write::end_pi;
    write_pi writePi("string $target, string $content") "bool" => write::write_pi;
    start_cdata startCdata() "bool" => write::start_cdata;
    end_cdata endCdata() "bool" => write::end_cdata;
    write_cdata writeCdata("string $content") "bool" => write::write_cdata;
    text text("string $content") "bool" => write::text;
    write_raw writeRaw("string $content") "bool" => write::write_raw;
    start_document startDocument("?string $version = '1.0', ?string $encoding = null, ?string $standalone = null") "bool" => write::start_document;
    end_document endDocument() "bool" => write::end_document;
    write_comment writeComment("string $content") "bool" => write::write_comment;
    start_dtd startDtd("string $qualifiedName, ?string $publicId = null, ?string $systemId = null") "bool" => write::start_dtd;
    end_dtd endDtd() "bool" => write::end_dtd;
    write_dtd writeDtd("string $name, ?string $publicId = null, ?string $systemId = null, ?string $content = null") "bool" => write::write_dtd;
    start_dtd_element startDtdElement("string $qualifiedName") "bool" => write::start_dtd_element;
    end_dtd_element endDtdElement() "bool" => write::end_dtd_element;
    write_dtd_element writeDtdElement("string $name, string $content") "bool" => write::write_dtd_element;
    start_dtd_attlist startDtdAttlist("string $name") "bool" => write::start_dtd_attlist;
    end_dtd_attlist endDtdAttlist() "bool" => write::end_dtd_attlist;
    write_dtd_attlist writeDtdAttlist("string $name, string $content") "bool" => write::write_dtd_attlist;
    start_dtd_entity startDtdEntity("string $name, bool $isParam") "bool" => write::start_dtd_entity;
    end_dtd_entity endDtdEntity() "bool" => write::end_dtd_entity;
    write_dtd_entity writeDtdEntity("string $name, string $content, bool $isParam = false, ?string $publicId = null, ?string $systemId = null, ?string $notationData = null") "bool" => write::write_dtd_entity;
    output_memory outputMemory("bool $flush = true") "string" => write::output_memory;
    flush flush("bool $empty = true") "string|int" => write::flush;
}
