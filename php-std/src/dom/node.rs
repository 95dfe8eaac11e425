//! The methods of DOMNode.

use std::collections::HashSet;

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::mutation::{insert_child, problem_with, takes_children};
use super::object::{self, Problem, argument, fail, optional, this, throw, wrap};
use crate::xml::canonical::{Form, canonical as canonical_form};
use crate::xml::tree::{Document, FarLines, Kind, Node, NodeId, ROOT, Tree};
use crate::xml::xpath::Item;

pub(super) fn append_child(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, parent) = this(call)?;
    let (other, id) = argument(call, 0)?;
    insert_child(call.vm, (&document, parent), (&other, id), None)
}

pub(super) fn insert_before(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, parent) = this(call)?;
    let (other, id) = argument(call, 0)?;
    let before = match optional(call, 1)? {
        Some((reference, child)) => {
            if !takes_children(document.read()[parent].kind) {
                return Ok(false.into());
            }
            if let Some(problem) = problem_with((&document, parent), (&other, id)) {
                return fail(call.vm, &document, problem);
            }
            if reference != document || document.read()[child].parent != Some(parent) {
                return fail(call.vm, &document, Problem::NotFound);
            }
            if (&other, id) == (&document, child) {
                document.read()[child].next
            } else {
                Some(child)
            }
        }
        None => None,
    };
    insert_child(call.vm, (&document, parent), (&other, id), before)
}

pub(super) fn remove_child(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, parent) = this(call)?;
    let (other, child) = argument(call, 0)?;
    let is_child = other == document
        && document.read()[child].parent == Some(parent)
        && document.read()[child].kind != Kind::Attribute;
    if !is_child {
        return fail(call.vm, &document, Problem::NotFound);
    }
    document.write().detach(child);
    Ok(call.value(0))
}

pub(super) fn replace_child(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, parent) = this(call)?;
    let (other, id) = argument(call, 0)?;
    let (reference, child) = argument(call, 1)?;
    if other.read()[id].kind == Kind::Attribute {
        return fail(call.vm, &document, Problem::Hierarchy);
    }
    if let Some(problem) = problem_with((&document, parent), (&other, id)) {
        return fail(call.vm, &document, problem);
    }
    if reference != document || document.read()[child].parent != Some(parent) {
        return fail(call.vm, &document, Problem::NotFound);
    }
    if (&other, id) != (&document, child) {
        let next = document.read()[child].next;
        let next = next
            .filter(|&next| (&other, id) != (&document, next))
            .or_else(|| next.and_then(|next| document.read()[next].next));
        document.write().detach(child);
        super::mutation::place((&document, parent), (&other, id), next);
    }
    Ok(call.value(1))
}

pub(super) fn clone_node(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let deep = call.bool(0);
    if id == ROOT {
        let copy = object::copy_document(&document);
        if !deep {
            copy.write().drop_children(ROOT);
        }
        return wrap(call.vm, &copy, ROOT);
    }
    let copy = document.write().copy_apart(None, id, deep);
    wrap(call.vm, &document, copy)
}

pub(super) fn get_line_no(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let tree = document.read();
    // Nodes of other kinds have the line of what stands in front of them, else of what is around.
    let has_line = |id: NodeId| {
        matches!(
            tree[id].kind,
            Kind::Element | Kind::Text | Kind::Comment | Kind::ProcessingInstruction
        )
    };
    let mut asked = Some(id);
    if !has_line(id) {
        asked = tree[id].previous.filter(|&before| has_line(before));
        asked = asked.or(tree[id]
            .parent
            .filter(|&around| tree[around].kind == Kind::Element));
    }
    let line = asked.map_or(-1, |id| i64::from(line_of(&tree, id)));
    Ok(line.into())
}

/// The highest line that every node has.
const FAR: u32 = 65_535;

fn line_of(tree: &Tree, id: NodeId) -> u32 {
    let mut at = id;
    loop {
        let node = &tree[at];
        if node.line < FAR || tree.far_lines == FarLines::Exact {
            return node.line;
        }
        if tree.far_lines == FarLines::Cut {
            return FAR;
        }
        if node.is_text() {
            return node.line;
        }
        let child = node.first.filter(|_| node.kind == Kind::Element);
        match child.or(node.next) {
            Some(next) => at = next,
            None => return node.line,
        }
    }
}

pub(super) fn get_node_path(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let path = node_path(&document.read(), id);
    Ok(call.vm.string(path).into())
}

/// The way to a node, as XPath.
fn node_path(tree: &Tree, id: NodeId) -> Vec<u8> {
    if id == ROOT {
        return b"/".to_vec();
    }
    let mut parts: Vec<Vec<u8>> = Vec::new();
    let mut at = Some(id);
    while let Some(id) = at.filter(|&id| id != ROOT) {
        let node = &tree[id];
        let mut step = match node.kind {
            Kind::Element if node.prefix.is_none() && node.namespace.is_some() => b"*".to_vec(),
            Kind::Element => node.qualified_name(),
            Kind::Attribute => [&b"@"[..], &node.qualified_name()].concat(),
            Kind::Text | Kind::CData => b"text()".to_vec(),
            Kind::Comment => b"comment()".to_vec(),
            Kind::ProcessingInstruction => {
                [&b"processing-instruction('"[..], &node.name, b"')"].concat()
            }
            _ => Vec::new(),
        };
        if node.kind != Kind::Attribute {
            let is_same = |other: NodeId| {
                let other = &tree[other];
                match node.kind {
                    Kind::Element if node.prefix.is_none() && node.namespace.is_some() => {
                        other.kind == Kind::Element
                    }
                    Kind::Element => {
                        other.kind == Kind::Element
                            && other.qualified_name() == node.qualified_name()
                    }
                    Kind::Text | Kind::CData => other.is_text(),
                    _ => {
                        other.kind == node.kind
                            && (node.kind != Kind::ProcessingInstruction || other.name == node.name)
                    }
                }
            };
            let siblings: Vec<NodeId> = match node.parent {
                Some(parent) => tree
                    .children(parent)
                    .filter(|&other| is_same(other))
                    .collect(),
                None => Vec::new(),
            };
            if siblings.len() > 1
                && let Some(place) = siblings.iter().position(|&other| other == id)
            {
                step.extend_from_slice(format!("[{}]", place + 1).as_bytes());
            }
        }
        parts.push(step);
        at = node.parent;
    }
    parts.reverse();
    let mut path = Vec::new();
    for part in parts {
        path.push(b'/');
        path.extend(part);
    }
    path
}

pub(super) fn has_attributes(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let tree = document.read();
    Ok((!tree[id].attributes.is_empty()).into())
}

pub(super) fn has_child_nodes(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let tree = document.read();
    Ok(
        (tree[id].first.is_some()
            || tree[id].kind == Kind::Attribute && !tree[id].value.is_empty())
        .into(),
    )
}

pub(super) fn is_default_namespace(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let namespace = call.bytes(0);
    let tree = document.read();
    let found = tree.find_namespace(element_for_namespace(&tree, id), None);
    Ok((!namespace.is_empty() && found.is_some_and(|found| *found == *namespace)).into())
}

/// The element whose namespaces count for a node.
fn element_for_namespace(tree: &Tree, id: NodeId) -> NodeId {
    match tree[id].kind {
        Kind::Document | Kind::HtmlDocument => tree.document_element().unwrap_or(id),
        Kind::Element => id,
        _ => tree[id].parent.unwrap_or(id),
    }
}

pub(super) fn lookup_namespace_uri(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let prefix = call.optional_bytes(0).filter(|prefix| !prefix.is_empty());
    let found = {
        let tree = document.read();
        tree.find_namespace(element_for_namespace(&tree, id), prefix)
    };
    Ok(found.map_or(Value::NULL, |uri| call.vm.string(uri).into()))
}

pub(super) fn lookup_prefix(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let namespace = call.bytes(0);
    if namespace.is_empty() {
        return Ok(Value::NULL);
    }
    let found = {
        let tree = document.read();
        tree.find_prefix(element_for_namespace(&tree, id), namespace)
    };
    Ok(found
        .flatten()
        .map_or(Value::NULL, |prefix| call.vm.string(prefix).into()))
}

pub(super) fn is_same_node(call: &mut Call<'_>) -> PhpResult<Value> {
    let one = this(call)?;
    let other = argument(call, 0)?;
    Ok((one == other).into())
}

pub(super) fn is_equal_node(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let Some((other, node)) = optional(call, 0)? else {
        return Ok(false.into());
    };
    let is_equal = equal(&document.read(), id, &other.read(), node);
    Ok(is_equal.into())
}

fn equal(one: &Tree, a: NodeId, other: &Tree, b: NodeId) -> bool {
    vm_runtime::limits::need_stack();
    let (x, y) = (&one[a], &other[b]);
    if matches!(x.kind, Kind::DocumentType | Kind::Entity | Kind::Notation) {
        // What they declare does not count, only where it is.
        let place = |node: &Node| {
            let doctype = node.doctype.as_deref();
            doctype.map(|doctype| {
                let part = |id: &Option<Vec<u8>>| id.clone().unwrap_or_default();
                (part(&doctype.public), part(&doctype.system))
            })
        };
        return x.kind == y.kind && x.name == y.name && place(x) == place(y);
    }
    if x.kind != y.kind || x.name != y.name || x.namespace != y.namespace || x.prefix != y.prefix {
        return false;
    }
    if x.kind != Kind::Element && x.value != y.value {
        return false;
    }
    if x.attributes.len() != y.attributes.len() || x.declarations.len() != y.declarations.len() {
        return false;
    }
    let declares = x
        .declarations
        .iter()
        .all(|known| y.declarations.contains(known));
    let same_attributes = x.attributes.iter().all(|&attribute| {
        y.attributes
            .iter()
            .any(|&second| equal(one, attribute, other, second))
    });
    let (first, second): (Vec<NodeId>, Vec<NodeId>) =
        (one.children(a).collect(), other.children(b).collect());
    declares
        && same_attributes
        && first.len() == second.len()
        && first
            .iter()
            .zip(&second)
            .all(|(&a, &b)| equal(one, a, other, b))
}

pub(super) fn is_supported(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(super::implementation::supports(call.bytes(0), call.bytes(1)).into())
}

pub(super) fn normalize(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    normalize_below(&document, id);
    Ok(Value::NULL)
}

/// Joins neighbouring texts and takes out empty ones.
pub(super) fn normalize_below(document: &Document, top: NodeId) {
    let mut tree = document.write();
    let texts: Vec<NodeId> = tree
        .descendants(top)
        .filter(|&id| tree[id].kind == Kind::Text)
        .collect();
    for id in texts {
        if tree[id].parent.is_none() {
            continue;
        }
        while let Some(next) = tree[id].next.filter(|&next| tree[next].kind == Kind::Text) {
            let more = std::mem::take(&mut tree[next].value);
            tree[id].value.extend(more);
            tree.detach(next);
        }
        if tree[id].value.is_empty() {
            tree.detach(id);
        }
    }
}

pub(super) fn contains(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let Some((other, node)) = optional(call, 0)? else {
        return Ok(false.into());
    };
    Ok((document == other && document.read().contains(id, node)).into())
}

pub(super) fn get_root_node(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let root = document.read().root_of(id);
    wrap(call.vm, &document, root)
}

/// Bits of `compareDocumentPosition()`.
const DISCONNECTED: i64 = 1;
const PRECEDING: i64 = 2;
const FOLLOWING: i64 = 4;
const CONTAINS: i64 = 8;
const CONTAINED_BY: i64 = 16;
const SPECIFIC: i64 = 32;

pub(super) fn compare_document_position(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let (other, node) = argument(call, 0)?;
    if (&document, id) == (&other, node) {
        return Ok(0i64.into());
    }
    let tree = document.read();
    if document != other || tree.root_of(id) != tree.root_of(node) {
        let is_first = (document.address(), id) < (other.address(), node);
        let order = if is_first { FOLLOWING } else { PRECEDING };
        return Ok((DISCONNECTED | SPECIFIC | order).into());
    }
    if tree.contains(node, id) {
        return Ok((CONTAINS | PRECEDING).into());
    }
    if tree.contains(id, node) {
        return Ok((CONTAINED_BY | FOLLOWING).into());
    }
    let order = if tree.path(node) < tree.path(id) {
        PRECEDING
    } else {
        FOLLOWING
    };
    let is_specific = tree[id].kind == Kind::Attribute
        && tree[node].kind == Kind::Attribute
        && tree[id].parent == tree[node].parent;
    Ok((order | if is_specific { SPECIFIC } else { 0 }).into())
}

pub(super) fn c14n(call: &mut Call<'_>) -> PhpResult<Value> {
    let text = canonical(call, 0)?;
    Ok(call.vm.string(text).into())
}

pub(super) fn c14n_file(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    let text = canonical(call, 1)?;
    let name = call.bytes(0);
    let length = text.len();
    let Some(mut stream) = crate::libxml::open(call.vm, &crate::xml::uri::file_of(name), b"wb")?
    else {
        return Ok(false.into());
    };
    Ok(match stream.write(call.vm, &text) {
        Ok(_) => length.into(),
        Err(_) => false.into(),
    })
}

/// What the query in an array finds, which tells what is to be written.
fn queried(
    call: &mut Call<'_>,
    index: usize,
    (document, id): (&Document, NodeId),
) -> PhpResult<HashSet<Item>> {
    let given = call.array(index);
    let Some(query) = given.get_bytes(b"query") else {
        return Err(call.value_error(index, "must have a \"query\" key"));
    };
    let query = query.deref();
    let ValueKind::String(query) = query.view() else {
        let kind = vm_runtime::operators::class_or_type_name(query);
        let problem = format!("\"query\" option must be a string, {kind} given");
        return Err(call.type_error(index, &problem));
    };
    let mut namespaces = Vec::new();
    if let Some(given) = given.get_bytes(b"namespaces")
        && let ValueKind::Array(given) = given.deref().view()
    {
        for (prefix, uri) in given.iter() {
            if let (Some(prefix), ValueKind::String(uri)) =
                (prefix.to_value().string(), uri.deref().view())
            {
                namespaces.push((prefix.to_vec(), uri.as_bytes().to_vec()));
            }
        }
    }
    let found = super::xpath::find(call.vm, (document, id), query.as_bytes(), namespaces)?;
    match found {
        Some(found) => Ok(found.into_iter().collect()),
        None => {
            let message = "XPath query did not return a nodeset";
            Err(call.vm.throw_error(KnownClass::Error, message))
        }
    }
}

fn canonical(call: &mut Call<'_>, first: usize) -> PhpResult<Vec<u8>> {
    let (document, id) = this(call)?;
    let (exclusive, comments) = (call.bool(first), call.bool(first + 1));
    let (is_attached, is_nowhere, is_modern) = {
        let tree = document.read();
        (tree.root_of(id) == ROOT, tree.is_nowhere, tree.is_modern)
    };
    if is_nowhere {
        let text = "Node must be associated with a document";
        return Err(call.vm.throw_error(KnownClass::Error, text));
    }
    if !is_attached && is_modern {
        let text = "Canonicalization can only happen on nodes attached to a document.";
        return Err(super::object::throw_text(call.vm, Problem::Hierarchy, text));
    }
    let visible = match call.has(first + 2) {
        true => Some(queried(call, first + 2, (&document, id))?),
        // What is not in the document is not found there.
        false => (!is_attached).then(HashSet::new),
    };
    let mut prefixes = Vec::new();
    if call.has(first + 3) {
        for (_, value) in call.array(first + 3).iter() {
            if let ValueKind::String(prefix) = value.view() {
                prefixes.push(prefix.as_bytes().to_vec());
            }
        }
        if !exclusive {
            call.vm
                .function_notice("Inclusive namespace prefixes only allowed in exclusive mode.");
            call.vm.check()?;
        }
    }
    let form = Form {
        is_exclusive: exclusive,
        with_comments: comments,
        inclusive_prefixes: &prefixes,
        visible: visible.as_ref(),
    };
    // What a query finds is looked for in the whole document.
    let top = if visible.is_some() { ROOT } else { id };
    Ok(canonical_form(&document.read(), top, form))
}

pub(super) fn sleep(call: &mut Call<'_>) -> PhpResult<Value> {
    let class = crate::spl::this(call).class().display_name();
    let message = format!(
        "Serialization of '{class}' is not allowed, unless serialization methods are implemented in a subclass"
    );
    Err(call
        .vm
        .throw_error(vm_runtime::exceptions::KnownClass::Exception, message))
}

pub(super) fn wakeup(call: &mut Call<'_>) -> PhpResult<Value> {
    let class = crate::spl::this(call).class().display_name();
    let message = format!(
        "Unserialization of '{class}' is not allowed, unless unserialization methods are implemented in a subclass"
    );
    Err(call
        .vm
        .throw_error(vm_runtime::exceptions::KnownClass::Exception, message))
}

pub(super) fn construct_entity_reference(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.bytes(0);
    if !crate::xml::parser::is_name(name) {
        return Err(throw(call.vm, Problem::InvalidCharacter));
    }
    object::bind_alone(
        &crate::spl::this(call),
        Node::new(Kind::EntityReference, name),
    );
    Ok(Value::NULL)
}
