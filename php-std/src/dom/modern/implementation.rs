//! Dom\Implementation.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::{new_document, qualified_node};
use crate::dom::mutation::place;
use crate::dom::object::{argument, throw, wrap};
use crate::xml::tree::{HTML_NAMESPACE, Kind, Node, NodeId, ROOT, Tree};

pub(super) fn create_document_type(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0, 1, 2])?;
    crate::dom::implementation::doctype_of(call, new_document(Kind::Document))
}

pub(super) fn create_document(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0, 1])?;
    let (namespace, name) = (call.optional_bytes(0), call.bytes(1));
    let document = new_document(Kind::Document);
    let element = if name.is_empty() {
        None
    } else {
        match qualified_node(Kind::Element, namespace, name) {
            Ok(node) => Some(node),
            Err(problem) => return Err(throw(call.vm, problem)),
        }
    };
    if call.has(2) {
        let (other, doctype) = argument(call, 2)?;
        place((&document, ROOT), (&other, doctype), None);
    }
    if let Some(node) = element {
        let mut tree = document.write();
        let element = tree.add(node);
        tree.append(ROOT, element);
    }
    wrap(call.vm, &document, ROOT)
}

pub(super) fn create_html_document(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    let document = new_document(Kind::HtmlDocument);
    {
        let mut tree = document.write();
        let mut node = Node::new(Kind::DocumentType, b"html");
        node.doctype = Some(Box::default());
        let doctype = tree.add(node);
        tree.append(ROOT, doctype);
        let html = add(&mut tree, ROOT, b"html");
        let head = add(&mut tree, html, b"head");
        if let Some(title) = call.optional_bytes(0) {
            let element = add(&mut tree, head, b"title");
            let text = tree.add_text(Kind::Text, title);
            tree.append(element, text);
        }
        add(&mut tree, html, b"body");
    }
    wrap(call.vm, &document, ROOT)
}

/// A new element of HTML.
pub(super) fn add(tree: &mut Tree, parent: NodeId, name: &[u8]) -> NodeId {
    let mut node = Node::new(Kind::Element, name);
    node.namespace = Some(HTML_NAMESPACE.into());
    let id = tree.add(node);
    tree.append(parent, id);
    id
}
