//! The attributes of Dom\Element.

use std::borrow::Cow;

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::{qualified_node, split_qualified};
use crate::dom::object::{Problem, adopt, argument, this, throw, wrap, wrap_optional};
use crate::xml::parser::is_name;
use crate::xml::tree::{Document, Kind, Node, NodeId, Tree};

/// A name as it counts at an element: in HTML without upper case.
fn adjusted<'n>(tree: &Tree, id: NodeId, name: &'n [u8]) -> Cow<'n, [u8]> {
    if tree.is_html_element(id) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

/// The attribute of a qualified name.
fn find(tree: &Tree, id: NodeId, name: &[u8]) -> Option<NodeId> {
    let name = adjusted(tree, id, name);
    tree[id]
        .attributes
        .iter()
        .copied()
        .find(|&attribute| tree[attribute].qualified_name() == *name)
}

fn value(call: &mut Call<'_>, document: &Document, found: Option<NodeId>) -> Value {
    let Some(found) = found else {
        return Value::NULL;
    };
    let value = document.read()[found].value.clone();
    call.vm.string(value).into()
}

pub(super) fn get_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let found = find(&document.read(), id, call.bytes(0));
    Ok(value(call, &document, found))
}

pub(super) fn get_attribute_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let namespace = call.optional_bytes(0).filter(|uri| !uri.is_empty());
    let found = document.read().attribute_in(id, namespace, call.bytes(1));
    Ok(value(call, &document, found))
}

pub(super) fn has_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let found = find(&document.read(), id, call.bytes(0));
    Ok(found.is_some().into())
}

pub(super) fn get_attribute_node(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let found = find(&document.read(), id, call.bytes(0));
    wrap_optional(call.vm, &document, found)
}

/// Gives an attribute a value.
fn set_value(tree: &mut Tree, attribute: NodeId, value: &[u8]) {
    tree.drop_children(attribute);
    tree[attribute].value = value.to_vec();
}

pub(super) fn set_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let (name, value) = (call.bytes(0), call.bytes(1));
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if !is_name(name) {
        return Err(throw(call.vm, Problem::InvalidCharacter));
    }
    let mut tree = document.write();
    match find(&tree, id, name) {
        Some(found) => set_value(&mut tree, found, value),
        None => {
            let mut node = Node::new(Kind::Attribute, &adjusted(&tree, id, name));
            node.value = value.to_vec();
            let attribute = tree.add(node);
            tree.add_attribute(id, attribute);
        }
    }
    Ok(Value::NULL)
}

pub(super) fn set_attribute_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let (namespace, name, value) = (call.optional_bytes(0), call.bytes(1), call.bytes(2));
    if name.is_empty() {
        return Err(call.value_error(1, "must not be empty"));
    }
    let namespace = namespace.filter(|uri| !uri.is_empty());
    let (prefix, local) = match split_qualified(namespace, name) {
        Ok(parts) => parts,
        Err(problem) => return Err(throw(call.vm, problem)),
    };
    let mut tree = document.write();
    match tree.attribute_in(id, namespace, local) {
        Some(found) => {
            set_value(&mut tree, found, value);
            tree[found].prefix = prefix.map(Into::into);
        }
        None => {
            if let Ok(mut node) = qualified_node(Kind::Attribute, namespace, name) {
                node.value = value.to_vec();
                let attribute = tree.add(node);
                tree.add_attribute(id, attribute);
            }
        }
    }
    Ok(Value::NULL)
}

pub(super) fn remove_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let mut tree = document.write();
    if let Some(found) = find(&tree, id, call.bytes(0)) {
        tree.detach(found);
    }
    Ok(Value::NULL)
}

pub(super) fn toggle_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let name = call.bytes(0);
    if !is_name(name) {
        return Err(throw(call.vm, Problem::InvalidCharacter));
    }
    let force = call.has(1).then(|| call.bool(1));
    let mut tree = document.write();
    match find(&tree, id, name) {
        Some(_) if force == Some(true) => Ok(true.into()),
        Some(found) => {
            tree.detach(found);
            Ok(false.into())
        }
        None if force == Some(false) => Ok(false.into()),
        None => {
            let node = Node::new(Kind::Attribute, &adjusted(&tree, id, name));
            let attribute = tree.add(node);
            tree.add_attribute(id, attribute);
            Ok(true.into())
        }
    }
}

pub(super) fn set_attribute_node(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let (other, attribute) = argument(call, 0)?;
    let (parent, namespace, name) = {
        let tree = other.read();
        let node = &tree[attribute];
        (node.parent, node.namespace.clone(), node.name.clone())
    };
    let is_own = other == document && parent == Some(id);
    if parent.is_some() && !is_own {
        return Err(throw(call.vm, Problem::InUseAttribute));
    }
    let old = document
        .read()
        .attribute_in(id, namespace.as_deref(), &name);
    if is_own && old == Some(attribute) {
        return Ok(Value::NULL);
    }
    let shown = match old {
        Some(old) => wrap(call.vm, &document, old)?,
        None => Value::NULL,
    };
    let attribute = adopt(&other, attribute, &document);
    let mut tree = document.write();
    match old {
        Some(old) => {
            let place = tree[id].attributes.iter().position(|&known| known == old);
            tree[old].parent = None;
            tree[attribute].parent = Some(id);
            if let Some(place) = place {
                tree[id].attributes[place] = attribute;
            }
        }
        None => tree.add_attribute(id, attribute),
    }
    Ok(shown)
}
