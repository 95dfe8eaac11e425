//! Giving elements and attributes other names.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::qualified_node;
use crate::dom::object::{Problem, this, throw, throw_text};
use crate::xml::tree::{HTML_NAMESPACE, Kind};

pub(super) fn rename(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let (namespace, name) = (call.optional_bytes(0), call.bytes(1));
    let kind = document.read()[id].kind;
    let node = match qualified_node(kind, namespace, name) {
        Ok(node) => node,
        Err(problem) => return Err(throw(call.vm, problem)),
    };
    let problem = {
        let tree = document.read();
        let was_html = tree[id].namespace.as_deref() == Some(HTML_NAMESPACE);
        let is_html = node.namespace.as_deref() == Some(HTML_NAMESPACE);
        let is_template = |name: &[u8]| name == b"template";
        if kind == Kind::Attribute {
            let taken = tree[id].parent.and_then(|element| {
                tree.attribute_in(element, node.namespace.as_deref(), &node.name)
            });
            let text = "An attribute with the given name in the given namespace already exists";
            taken
                .filter(|&taken| taken != id)
                .map(|_| (Problem::InvalidModification, text))
        } else if was_html != is_html {
            let text = if was_html {
                "It is not possible to move an element out of the HTML namespace because the HTML namespace is tied to the HTMLElement class"
            } else {
                "It is not possible to move an element into the HTML namespace because the HTML namespace is tied to the HTMLElement class"
            };
            Some((Problem::InvalidModification, text))
        } else if is_html && is_template(&tree[id].name) {
            let text = "It is not possible to rename the template element because it hosts a document fragment";
            Some((Problem::InvalidModification, text))
        } else if is_html && is_template(&node.name) {
            let text = "It is not possible to rename an element to a template element because it does not host a document fragment";
            Some((Problem::InvalidModification, text))
        } else {
            None
        }
    };
    if let Some((problem, text)) = problem {
        return Err(throw_text(call.vm, problem, text));
    }
    let mut tree = document.write();
    let renamed = &mut tree[id];
    (renamed.name, renamed.prefix, renamed.namespace) = (node.name, node.prefix, node.namespace);
    Ok(Value::NULL)
}
