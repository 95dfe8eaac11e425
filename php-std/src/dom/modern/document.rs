//! The methods that Dom\HTMLDocument and Dom\XMLDocument share.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::node::give;
use super::qualified_node;
use crate::dom::object::{Problem, adopt, argument, this, throw, throw_text};
use crate::xml::parser::is_name;
use crate::xml::tree::{HTML_NAMESPACE, Kind, Node};

pub(super) fn create_element(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let name = call.bytes(0);
    if !is_name(name) {
        return Err(throw(call.vm, Problem::InvalidCharacter));
    }
    let is_html = document.read().is_html();
    let mut node = if is_html {
        Node::new(Kind::Element, &name.to_ascii_lowercase())
    } else {
        Node::new(Kind::Element, name)
    };
    node.namespace = is_html.then(|| HTML_NAMESPACE.into());
    give(call.vm, &document, node)
}

/// A new element or attribute of a namespace.
fn create_in(call: &mut Call<'_>, kind: Kind) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    match qualified_node(kind, call.optional_bytes(0), call.bytes(1)) {
        Ok(node) => give(call.vm, &document, node),
        Err(problem) => Err(throw(call.vm, problem)),
    }
}

pub(super) fn create_element_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    create_in(call, Kind::Element)
}

pub(super) fn create_attribute_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    create_in(call, Kind::Attribute)
}

pub(super) fn create_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    let (document, _) = this(call)?;
    let name = call.bytes(0);
    if !is_name(name) {
        return Err(throw(call.vm, Problem::InvalidCharacter));
    }
    let node = if document.read().is_html() {
        Node::new(Kind::Attribute, &name.to_ascii_lowercase())
    } else {
        Node::new(Kind::Attribute, name)
    };
    give(call.vm, &document, node)
}

pub(super) fn create_cdata_section(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let data = call.bytes(0);
    if document.read().is_html() {
        let text = "This operation is not supported for HTML documents";
        return Err(throw_text(call.vm, Problem::NotSupported, text));
    }
    if memchr::memmem::find(data, b"]]>").is_some() {
        let text = "Invalid character sequence \"]]>\" in CDATA section";
        return Err(throw_text(call.vm, Problem::InvalidCharacter, text));
    }
    let mut node = Node::new(Kind::CData, b"#cdata-section");
    node.value = data.to_vec();
    give(call.vm, &document, node)
}

pub(super) fn create_processing_instruction(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let (target, data) = (call.bytes(0), call.bytes(1));
    if !is_name(target) {
        return Err(throw(call.vm, Problem::InvalidCharacter));
    }
    if memchr::memmem::find(data, b"?>").is_some() {
        let text = "Invalid character sequence \"?>\" in processing instruction";
        return Err(throw_text(call.vm, Problem::InvalidCharacter, text));
    }
    let mut node = Node::new(Kind::ProcessingInstruction, target);
    node.value = data.to_vec();
    give(call.vm, &document, node)
}

pub(super) fn import_node(call: &mut Call<'_>) -> PhpResult<Value> {
    if !call.has(0) {
        return Err(call.type_error(0, "must be of type Dom\\Node, null given"));
    }
    import(call)
}

/// A copy of a node of another document, or a node of this one.
fn import(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let (source, id) = argument(call, 0)?;
    let deep = call.bool(1);
    if matches!(source.read()[id].kind, Kind::Document | Kind::HtmlDocument) {
        return Err(throw(call.vm, Problem::NotSupported));
    }
    // A node of the document itself is not copied.
    if source == document {
        return crate::dom::object::wrap(call.vm, &document, id);
    }
    let copy = {
        let tree = source.read();
        document.write().copy_from(Some(&tree), id, deep)
    };
    document.write().modernize(copy);
    crate::dom::object::wrap(call.vm, &document, copy)
}

pub(super) fn import_legacy_node(call: &mut Call<'_>) -> PhpResult<Value> {
    import(call)
}

pub(super) fn adopt_node(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let (source, id) = argument(call, 0)?;
    if matches!(source.read()[id].kind, Kind::Document | Kind::HtmlDocument) {
        return Err(throw(call.vm, Problem::NotSupported));
    }
    source.write().detach(id);
    adopt(&source, id, &document);
    Ok(call.value(0))
}

pub(super) fn register_node_class(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::document::register_node_class(call)?;
    Ok(Value::NULL)
}
