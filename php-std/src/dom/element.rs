//! The methods of DOMElement.

use vm_runtime::exceptions::slot;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::document::{NameOf, append_content, checked_name, element_in, require_name};
use super::mutation::place;
use super::namespaces::{bound_to, prefix_for, reconcile_attribute};
use super::object::{
    self, Problem, adopt, argument, fail, this, throw, until_zero, wrap, wrap_optional,
};
use super::xpath::namespace_node;
use crate::support::{hold, list};
use crate::xml::tree::{Document, Kind, Node, NodeId, ROOT, Tree, XMLNS_NAMESPACE, split_name};

pub(super) fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (name, namespace) = (call.bytes(0), call.bytes(2));
    require_name(call.vm, name)?;
    let node = if namespace.is_empty() {
        if name.contains(&b':') {
            return Err(throw(call.vm, Problem::Namespace));
        }
        Node::new(Kind::Element, name)
    } else {
        match element_in(Some(namespace), name) {
            Ok(node) => node,
            Err(problem) => return Err(throw(call.vm, problem)),
        }
    };
    let object = crate::spl::this(call);
    object::bind_alone(&object, node);
    let (document, id) = object::node_of(call.vm, &object)?;
    append_content(
        call.vm,
        &document,
        id,
        call.optional_bytes(1).unwrap_or_default(),
    )?;
    Ok(Value::NULL)
}

/// An attribute, or a namespace declaration as one: its value.
fn value_of(document: &Document, id: NodeId, name: &[u8]) -> Option<Vec<u8>> {
    let tree = document.read();
    if let Some(attribute) = tree.attribute(id, name) {
        return Some(tree[attribute].value.clone());
    }
    let Some(prefix) = declared_prefix(name) else {
        return default_of(&tree, id, name);
    };
    let found = tree[id]
        .declarations
        .iter()
        .find(|declaration| declaration.prefix.as_deref() == prefix);
    found.map(|declaration| declaration.uri.to_vec())
}

/// The value that the document type gives an attribute.
fn default_of(tree: &Tree, id: NodeId, name: &[u8]) -> Option<Vec<u8>> {
    let doctype = tree[tree.doctype()?].doctype.as_ref()?;
    let element = tree[id].qualified_name();
    doctype.rule(&element, name)?.default.clone()
}

/// The prefix that an attribute like `xmlns:p` declares; the inner `None` for `xmlns`.
fn declared_prefix(name: &[u8]) -> Option<Option<&[u8]>> {
    match name.strip_prefix(b"xmlns:") {
        Some(prefix) => Some(Some(prefix)),
        None => (name == b"xmlns").then_some(None),
    }
}

pub(super) fn get_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let value = value_of(&document, id, call.bytes(0));
    Ok(call.vm.string(value.unwrap_or_default()).into())
}

pub(super) fn get_attribute_names(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let names: Vec<Vec<u8>> = {
        let tree = document.read();
        let declared = tree[id]
            .declarations
            .iter()
            .map(|declaration| match &declaration.prefix {
                Some(prefix) => [&b"xmlns:"[..], prefix].concat(),
                None => b"xmlns".to_vec(),
            });
        let attributes = tree[id]
            .attributes
            .iter()
            .map(|&id| tree[id].qualified_name());
        declared.chain(attributes).collect()
    };
    let names: Vec<Value> = names
        .into_iter()
        .map(|name| call.vm.string(name).into())
        .collect();
    Ok(list(call.vm, names))
}

pub(super) fn has_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    Ok(value_of(&document, id, call.bytes(0)).is_some().into())
}

pub(super) fn get_attribute_node(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let found = document.read().attribute(id, call.bytes(0));
    if let Some(found) = found {
        return wrap(call.vm, &document, found);
    }
    match declared_prefix(call.bytes(0)) {
        Some(prefix) => declaration(call, &document, id, prefix, false.into()),
        None => Ok(false.into()),
    }
}

/// The node of a namespace declaration of an element, or another value if it has none.
fn declaration(
    call: &mut Call<'_>,
    document: &Document,
    id: NodeId,
    prefix: Option<&[u8]>,
    otherwise: Value,
) -> PhpResult<Value> {
    let found = {
        let tree = document.read();
        let mut declared = tree[id].declarations.iter();
        let found = declared.find(|known| known.prefix.as_deref() == prefix);
        found.map(|found| found.uri.clone())
    };
    match found {
        Some(uri) => namespace_node(call.vm, document, id, prefix, &uri),
        None => Ok(otherwise),
    }
}

fn by_namespace(call: &Call<'_>, document: &Document, id: NodeId) -> Option<NodeId> {
    let namespace = call.optional_bytes(0).filter(|uri| !uri.is_empty());
    document.read().attribute_in(id, namespace, call.bytes(1))
}

pub(super) fn get_attribute_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let mut value = by_namespace(call, &document, id).map(|id| document.read()[id].value.clone());
    if value.is_none() && call.optional_bytes(0) == Some(XMLNS_NAMESPACE) {
        let local = call.bytes(1);
        let prefix = (local != b"xmlns").then_some(local);
        let tree = document.read();
        let found = tree[id]
            .declarations
            .iter()
            .find(|known| known.prefix.as_deref() == prefix);
        value = found.map(|found| found.uri.to_vec());
    }
    Ok(call.vm.string(value.unwrap_or_default()).into())
}

pub(super) fn get_attribute_node_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let found = by_namespace(call, &document, id);
    if found.is_none() && call.optional_bytes(0) == Some(XMLNS_NAMESPACE) {
        let local = call.bytes(1);
        let prefix = (local != b"xmlns").then_some(local);
        return declaration(call, &document, id, prefix, Value::NULL);
    }
    wrap_optional(call.vm, &document, found)
}

pub(super) fn has_attribute_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let mut found = by_namespace(call, &document, id).is_some();
    if !found && call.optional_bytes(0) == Some(XMLNS_NAMESPACE) {
        let prefix = call.bytes(1);
        found = document.read()[id]
            .declarations
            .iter()
            .any(|known| known.prefix.as_deref() == Some(prefix));
    }
    Ok(found.into())
}

/// Takes an attribute or a namespace declaration away; false if there is none.
fn take_away(document: &Document, id: NodeId, name: &[u8]) -> bool {
    let mut tree = document.write();
    if let Some(attribute) = tree.attribute(id, name) {
        tree.detach(attribute);
        return true;
    }
    let Some(prefix) = declared_prefix(name) else {
        return false;
    };
    let mut declared = tree[id].declarations.iter();
    let place = declared.position(|known| known.prefix.as_deref() == prefix);
    let Some(place) = place else {
        return false;
    };
    let users = bound_to(&tree, id, prefix);
    let declaration = tree[id].declarations.remove(place);
    // What is in use is declared again where it is used.
    for user in users {
        let element = match tree[user].kind {
            Kind::Attribute => tree[user].parent,
            _ => Some(user),
        };
        if let Some(element) = element
            && tree.find_namespace(element, prefix).as_ref() != Some(&declaration.uri)
        {
            tree.declare(element, prefix, &declaration.uri);
        }
    }
    true
}

pub(super) fn remove_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    Ok(take_away(&document, id, call.bytes(0)).into())
}

pub(super) fn remove_attribute_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let (uri, local) = (call.optional_bytes(0).unwrap_or_default(), call.bytes(1));
    let declared = {
        let tree = document.read();
        let mut declared = tree[id].declarations.iter();
        let found = declared.find(|known| known.prefix.as_deref() == Some(local));
        found.map(|found| found.uri.clone())
    };
    match declared {
        Some(declared) if *declared != *uri => return Ok(Value::NULL),
        // The name of a prefix takes its namespace away from all that have it.
        Some(_) => {
            let mut tree = document.write();
            for user in bound_to(&tree, id, Some(local)) {
                (tree[user].prefix, tree[user].namespace) = (None, None);
            }
            let declarations = &mut tree[id].declarations;
            declarations.retain(|known| known.prefix.as_deref() != Some(local));
        }
        None => {}
    }
    if let Some(attribute) = by_namespace(call, &document, id) {
        document.write().detach(attribute);
    }
    Ok(Value::NULL)
}

pub(super) fn remove_attribute_node(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let (other, attribute) = argument(call, 0)?;
    if other != document || document.read()[attribute].parent != Some(id) {
        return fail(call.vm, &document, Problem::NotFound);
    }
    document.write().detach(attribute);
    Ok(call.value(0))
}

pub(super) fn set_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let (name, value) = (call.bytes(0), until_zero(call.bytes(1)));
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if !crate::xml::parser::is_name(name) {
        return fail(call.vm, &document, Problem::InvalidCharacter);
    }
    if let Some(prefix) = declared_prefix(name) {
        document.write().declare(id, prefix, value);
        return Ok(true.into());
    }
    let attribute = set_qualified(&document, id, name, value);
    wrap(call.vm, &document, attribute)
}

/// Sets an attribute by its name, whose prefix may stand for a namespace there.
fn set_qualified(document: &Document, id: NodeId, name: &[u8], value: &[u8]) -> NodeId {
    let mut tree = document.write();
    let attribute = tree.set_attribute(id, name, value);
    let (prefix, local) = split_name(name);
    let is_plain = tree[attribute].namespace.is_none() && !tree.is_modern;
    if let Some(prefix) = prefix.filter(|_| is_plain)
        && let Some(uri) = tree.find_namespace(id, Some(prefix))
    {
        let node = &mut tree[attribute];
        (node.name, node.prefix, node.namespace) = (local.into(), Some(prefix.into()), Some(uri));
    }
    attribute
}

pub(super) fn set_attribute_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let (namespace, name, value) = (call.optional_bytes(0), call.bytes(1), call.bytes(2));
    if name.is_empty() {
        return Err(call.value_error(1, "must not be empty"));
    }
    let (prefix, local) = match checked_name(name, namespace, NameOf::Part) {
        Ok(parts) => parts,
        Err(problem) => return fail(call.vm, &document, problem).map(|_| Value::NULL),
    };
    let namespace = namespace.filter(|uri| !uri.is_empty());
    let mut tree = document.write();
    if namespace == Some(XMLNS_NAMESPACE) {
        let declared = if prefix.is_some() { Some(local) } else { None };
        tree.declare(id, declared, value);
        return Ok(Value::NULL);
    }
    if let Some(found) = tree.attribute_in(id, namespace, local) {
        tree.drop_children(found);
        tree[found].value = value.to_vec();
        return Ok(Value::NULL);
    }
    let mut node = Node::new(Kind::Attribute, local);
    node.value = value.to_vec();
    if let Some(uri) = namespace {
        node.namespace = Some(uri.into());
        node.prefix = Some(prefix_for(&mut tree, id, prefix, uri));
    }
    let attribute = tree.add(node);
    tree.add_attribute(id, attribute);
    Ok(Value::NULL)
}

fn put_node(call: &mut Call<'_>, by_namespace: bool) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let (other, attribute) = argument(call, 0)?;
    let (parent, namespace, name) = {
        let tree = other.read();
        let node = &tree[attribute];
        (node.parent, node.namespace.clone(), node.name.clone())
    };
    if other != document && !other.read().is_nowhere {
        return fail(call.vm, &document, Problem::WrongDocument);
    }
    if parent == Some(id) && other == document {
        return Ok(Value::NULL);
    }
    if parent.is_some() && by_namespace {
        return fail(call.vm, &document, Problem::InUseAttribute);
    }
    let old = {
        let tree = document.read();
        if by_namespace {
            tree.attribute_in(id, namespace.as_deref(), &name)
        } else {
            // What is behind the prefix counts.
            let mut attributes = tree[id].attributes.iter().copied();
            attributes.find(|&old| tree[old].name == name)
        }
    };
    let old_object = match old {
        Some(old) => wrap(call.vm, &document, old)?,
        None => Value::NULL,
    };
    if let Some(old) = old {
        document.write().detach(old);
    }
    other.write().detach(attribute);
    let attribute = adopt(&other, attribute, &document);
    let mut tree = document.write();
    tree.add_attribute(id, attribute);
    if !tree.is_modern {
        reconcile_attribute(&mut tree, id, attribute);
    }
    Ok(old_object)
}

pub(super) fn set_attribute_node(call: &mut Call<'_>) -> PhpResult<Value> {
    put_node(call, false)
}

pub(super) fn set_attribute_node_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    put_node(call, true)
}

/// Makes an attribute one by whose value its element is found, or not.
fn set_id(
    call: &mut Call<'_>,
    document: &Document,
    found: Option<NodeId>,
    is_id: bool,
) -> PhpResult<Value> {
    match found {
        Some(attribute) => {
            document.write()[attribute].is_id = is_id;
            Ok(Value::NULL)
        }
        None => fail(call.vm, document, Problem::NotFound).map(|_| Value::NULL),
    }
}

pub(super) fn set_id_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let found = document.read().attribute(id, call.bytes(0));
    let is_id = call.bool(1);
    set_id(call, &document, found, is_id)
}

pub(super) fn set_id_attribute_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let found = by_namespace(call, &document, id);
    let is_id = call.bool(2);
    set_id(call, &document, found, is_id)
}

pub(super) fn set_id_attribute_node(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let (other, attribute) = argument(call, 0)?;
    let is_own = other == document && document.read()[attribute].parent == Some(id);
    let is_id = call.bool(1);
    set_id(call, &document, is_own.then_some(attribute), is_id)
}

pub(super) fn toggle_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let name = call.bytes(0);
    if !crate::xml::parser::is_name(name) {
        return Err(throw(call.vm, Problem::InvalidCharacter));
    }
    let lowercase = name.to_ascii_lowercase();
    let is_html = document.read()[ROOT].kind == Kind::HtmlDocument;
    let name = if is_html { &lowercase } else { name };
    let is_there = value_of(&document, id, name).is_some();
    let force = call.has(1).then(|| call.bool(1));
    if !is_there {
        if force == Some(false) {
            return Ok(false.into());
        }
        match declared_prefix(name) {
            Some(prefix) => document.write().declare(id, prefix, b""),
            None => drop(set_qualified(&document, id, name, b"")),
        }
        return Ok(true.into());
    }
    if force == Some(true) {
        return Ok(true.into());
    }
    take_away(&document, id, name);
    Ok(false.into())
}

/// Puts a node beside an element or at one of its ends; none if that cannot be.
fn insert_adjacent(
    call: &mut Call<'_>,
    (document, id): (&Document, NodeId),
    (other, node): (&Document, NodeId),
) -> PhpResult<Option<NodeId>> {
    let place_name = match call.value(0).object() {
        // The value of a case of Dom\AdjacentPosition.
        Some(case) => hold(slot(&case, 1)).as_bytes().unwrap_or_default().to_vec(),
        None => call.bytes(0).to_ascii_lowercase(),
    };
    let (parent, first, next) = {
        let tree = document.read();
        (tree[id].parent, tree[id].first, tree[id].next)
    };
    let target = match place_name.as_slice() {
        b"beforebegin" => parent.map(|parent| (parent, Some(id))),
        b"afterbegin" => Some((id, first)),
        b"beforeend" => Some((id, None)),
        b"afterend" => parent.map(|parent| (parent, next)),
        _ => return Err(throw(call.vm, Problem::Syntax)),
    };
    let Some((parent, before)) = target else {
        return Ok(None);
    };
    // It is taken out first: in front of itself means in front of what is behind it.
    let before = match before {
        Some(child) if child == node && document == other => document.read()[node].next,
        before => before,
    };
    if document.read().is_modern {
        other.write().detach(node);
        let node = adopt(other, node, document);
        let target = (document, parent);
        super::modern::node::insert(call.vm, target, (document, node), before)?;
        return Ok(Some(node));
    }
    if let Some(problem) = super::mutation::problem_with((document, parent), (other, node)) {
        return Err(throw(call.vm, problem));
    }
    if parent == ROOT && other.read()[node].is_text() {
        return Err(throw(call.vm, Problem::Hierarchy));
    }
    Ok(Some(place((document, parent), (other, node), before)))
}

pub(super) fn insert_adjacent_element(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let (other, node) = argument(call, 1)?;
    let put = insert_adjacent(call, (&document, id), (&other, node))?;
    Ok(put.map_or(Value::NULL, |_| call.value(1)))
}

pub(super) fn insert_adjacent_text(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let text = document.write().add_text(Kind::Text, call.bytes(1));
    insert_adjacent(call, (&document, id), (&document, text))?;
    Ok(Value::NULL)
}
