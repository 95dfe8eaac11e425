//! The classes below `Dom\`, which keep to the rules of the DOM standard.

mod classes;
mod document;
mod element;
mod html_document;
mod implementation;
mod namespace_info;
pub(super) mod node;
pub(super) mod properties;
mod rename;
mod selectors;
mod token_list;
mod xml_document;

use vm_runtime::function::{Call, NativeDefinition};
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::constants;
use super::object::wrap;
use crate::xml::parser::is_name;
use crate::xml::tree::{Document, Kind, Node, XML_NAMESPACE, XMLNS_NAMESPACE, split_name};

use super::object::Problem;

static IMPORT: [NativeDefinition; 1] = [NativeDefinition::new(
    "Dom\\import_simplexml(object $node): Dom\\Attr|Dom\\Element",
    import_simplexml,
)];

/// Registers what is below `Dom\`.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    vm.register_function_as("dom\\import_simplexml", &IMPORT);
    vm.register_classes(classes::CLASSES);
    vm.register_class_alias("dom\\domexception", "domexception");
    crate::support::define(vm, constants::MODERN);
}

fn import_simplexml(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let Some((document, id)) = crate::simplexml::node(&object) else {
        return Err(call.type_error(0, "is not a valid node type"));
    };
    {
        let mut tree = document.write();
        if !tree.is_modern && !tree.objects.is_empty() {
            drop(tree);
            return Err(call.type_error(0, "must not be already imported as a DOMNode"));
        }
        if !tree.is_modern {
            tree.is_modern = true;
            tree.modernize(crate::xml::tree::ROOT);
        }
    }
    wrap(call.vm, &document, id)
}

/// An empty document of these classes.
fn new_document(kind: Kind) -> Document {
    let document = Document::new(kind);
    {
        let mut tree = document.write();
        tree.is_modern = true;
        tree.encoding = Some(b"UTF-8".to_vec());
    }
    document
}

/// A name in a namespace: prefix and local part, or what is wrong with it.
fn split_qualified<'n>(
    namespace: Option<&[u8]>,
    name: &'n [u8],
) -> Result<(Option<&'n [u8]>, &'n [u8]), Problem> {
    let (prefix, local) = split_name(name);
    let is_plain = |part: &[u8]| is_name(part) && !part.contains(&b':');
    if !is_plain(local) || !prefix.is_none_or(is_plain) {
        return Err(Problem::InvalidCharacter);
    }
    let is_xmlns = prefix == Some(b"xmlns") || name == b"xmlns";
    let is_bad = prefix.is_some() && namespace.is_none()
        || prefix == Some(b"xml") && namespace != Some(XML_NAMESPACE)
        || is_xmlns != (namespace == Some(XMLNS_NAMESPACE));
    if is_bad {
        return Err(Problem::Namespace);
    }
    Ok((prefix, local))
}

/// A new element or attribute of a qualified name.
fn qualified_node(kind: Kind, namespace: Option<&[u8]>, name: &[u8]) -> Result<Node, Problem> {
    let namespace = namespace.filter(|uri| !uri.is_empty());
    let (prefix, local) = split_qualified(namespace, name)?;
    let mut node = Node::new(kind, local);
    node.prefix = prefix.map(Into::into);
    node.namespace = namespace.map(Into::into);
    Ok(node)
}
