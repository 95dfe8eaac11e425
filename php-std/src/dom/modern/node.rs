//! The methods of Dom\Node, and what may be put where.

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use crate::dom::mutation::place;
use crate::dom::object::{Problem, argument, optional, this, throw, throw_text, wrap};
use crate::xml::tree::{Document, Kind, NodeId, Tree};

pub(super) fn no_constructor(call: &mut Call<'_>) -> PhpResult<Value> {
    let message = "Cannot directly construct this class";
    Err(call.vm.throw_error(KnownClass::Error, message))
}

/// Why a node cannot be put somewhere: the problem, and a text if it has one of its own.
type Refusal = (Problem, Option<&'static str>);

/// Throws the reason.
pub(in crate::dom) fn refuse(vm: &mut Vm, (problem, text): Refusal) -> Thrown {
    match text {
        Some(text) => throw_text(vm, problem, text),
        None => throw(vm, problem),
    }
}

/// "Ensure pre-insert validity" and what replacing asks for: `child` is what the node is put in
/// front of, or what it replaces.
pub(in crate::dom) fn check_insertion(
    (document, parent): (&Document, NodeId),
    (other, id): (&Document, NodeId),
    child: Option<NodeId>,
    replaces: bool,
) -> Result<(), Refusal> {
    const HIERARCHY: Refusal = (Problem::Hierarchy, None);
    let tree = document.read();
    let source = other.read();
    let parent_kind = tree[parent].kind;
    let is_document = matches!(parent_kind, Kind::Document | Kind::HtmlDocument);
    if !is_document && !matches!(parent_kind, Kind::Fragment | Kind::Element) {
        return Err(HIERARCHY);
    }
    if document != other {
        return Err((Problem::WrongDocument, None));
    }
    if document == other && contains_through_templates(&tree, id, parent) {
        return Err(HIERARCHY);
    }
    if child.is_some_and(|child| tree[child].parent != Some(parent)) {
        return Err((Problem::NotFound, None));
    }
    let kind = source[id].kind;
    match kind {
        Kind::Document | Kind::HtmlDocument | Kind::Attribute | Kind::Entity | Kind::Notation => {
            return Err(HIERARCHY);
        }
        Kind::EntityReference if replaces => return Err(HIERARCHY),
        Kind::Text | Kind::CData if is_document => {
            return Err((
                Problem::Hierarchy,
                Some("Cannot insert text as a child of a document"),
            ));
        }
        Kind::DocumentType if !is_document => {
            return Err((
                Problem::Hierarchy,
                Some("Cannot insert a document type into anything other than a document"),
            ));
        }
        _ => {}
    }
    if is_document {
        check_document((&tree, parent), (&source, id), child, replaces)?;
    }
    Ok(())
}

/// True if a node contains another, also through what templates hold.
fn contains_through_templates(tree: &Tree, id: NodeId, inside: NodeId) -> bool {
    let mut at = inside;
    loop {
        if tree.contains(id, at) {
            return true;
        }
        let root = tree.root_of(at);
        let Some((&host, _)) = tree.templates.iter().find(|(_, content)| **content == root) else {
            return false;
        };
        at = host;
    }
}

/// A document has one element, and its type in front of it.
fn check_document(
    (tree, parent): (&Tree, NodeId),
    (source, id): (&Tree, NodeId),
    child: Option<NodeId>,
    replaces: bool,
) -> Result<(), Refusal> {
    let more_elements: Refusal = (
        Problem::Hierarchy,
        Some("Cannot have more than one element child in a document"),
    );
    let not_first: Refusal = (
        Problem::Hierarchy,
        Some("Document types must be the first child in a document"),
    );
    let is_other = |node: NodeId| !(replaces && Some(node) == child);
    let has = |kind: Kind| {
        tree.children(parent)
            .any(|node| tree[node].kind == kind && is_other(node))
    };
    let behind = |child: NodeId| std::iter::successors(tree[child].next, |&id| tree[id].next);
    let before =
        |child: NodeId| std::iter::successors(tree[child].previous, |&id| tree[id].previous);
    let doctype_follows = child.is_some_and(|child| {
        !replaces && tree[child].kind == Kind::DocumentType
            || behind(child).any(|id| tree[id].kind == Kind::DocumentType)
    });
    let kind = source[id].kind;
    match kind {
        Kind::Fragment => {
            let children: Vec<Kind> = source.children(id).map(|id| source[id].kind).collect();
            let count = children
                .iter()
                .filter(|&&kind| kind == Kind::Element)
                .count();
            if children
                .iter()
                .any(|kind| matches!(kind, Kind::Text | Kind::CData))
            {
                return Err((
                    Problem::Hierarchy,
                    Some("Cannot insert text as a child of a document"),
                ));
            }
            if count > 1 || count == 1 && has(Kind::Element) {
                return Err(more_elements);
            }
            if count == 1 && doctype_follows {
                return Err(not_first);
            }
        }
        Kind::Element => {
            if has(Kind::Element) {
                return Err(more_elements);
            }
            if doctype_follows {
                return Err(not_first);
            }
        }
        Kind::DocumentType => {
            let second: Refusal = (
                Problem::Hierarchy,
                Some("A document may only contain one document type"),
            );
            let element_precedes = match child {
                Some(child) => before(child).any(|id| tree[id].kind == Kind::Element),
                None => has(Kind::Element),
            };
            if has(Kind::DocumentType) && !(replaces && element_precedes) {
                return Err(second);
            }
            if element_precedes {
                return Err(not_first);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Puts a node in front of a child or at the end, and gives its object.
pub(in crate::dom) fn insert(
    vm: &mut Vm,
    (document, parent): (&Document, NodeId),
    (other, id): (&Document, NodeId),
    child: Option<NodeId>,
) -> PhpResult<()> {
    check_insertion((document, parent), (other, id), child, false)
        .map_err(|refusal| refuse(vm, refusal))?;
    // In front of itself means in front of what is behind it.
    let child = match child {
        Some(child) if other == document && child == id => document.read()[child].next,
        child => child,
    };
    place((document, parent), (other, id), child);
    Ok(())
}

pub(super) fn append_child(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, parent) = this(call)?;
    let (other, id) = argument(call, 0)?;
    insert(call.vm, (&document, parent), (&other, id), None)?;
    Ok(call.value(0))
}

pub(super) fn insert_before(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, parent) = this(call)?;
    let (other, id) = argument(call, 0)?;
    let child = match optional(call, 1)? {
        Some((reference, _)) if reference != document => {
            let kind = document.read()[parent].kind;
            let problem = match kind {
                Kind::Document | Kind::HtmlDocument | Kind::Fragment | Kind::Element
                    if other != document =>
                {
                    Problem::WrongDocument
                }
                Kind::Document | Kind::HtmlDocument | Kind::Fragment | Kind::Element => {
                    Problem::NotFound
                }
                _ => Problem::Hierarchy,
            };
            return Err(throw(call.vm, problem));
        }
        child => child.map(|(_, child)| child),
    };
    insert(call.vm, (&document, parent), (&other, id), child)?;
    Ok(call.value(0))
}

pub(super) fn replace_child(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, parent) = this(call)?;
    let (other, id) = argument(call, 0)?;
    let (reference, child) = argument(call, 1)?;
    if reference != document {
        let problem = match other == document {
            true => Problem::NotFound,
            false => Problem::WrongDocument,
        };
        return Err(throw(call.vm, problem));
    }
    replace(call.vm, (&document, parent), (&other, id), child)?;
    Ok(call.value(1))
}

/// Puts a node in the place of a child.
pub(in crate::dom) fn replace(
    vm: &mut Vm,
    (document, parent): (&Document, NodeId),
    (other, id): (&Document, NodeId),
    child: NodeId,
) -> PhpResult<()> {
    check_insertion((document, parent), (other, id), Some(child), true)
        .map_err(|refusal| refuse(vm, refusal))?;
    let next = {
        let tree = document.read();
        let next = tree[child].next;
        match next {
            Some(next) if other == document && next == id => tree[next].next,
            next => next,
        }
    };
    document.write().detach(child);
    place((document, parent), (other, id), next);
    Ok(())
}

pub(super) fn remove(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let (has_parent, is_type) = {
        let tree = document.read();
        (
            tree[id].parent.is_some(),
            tree[id].kind == Kind::DocumentType,
        )
    };
    if !has_parent {
        // A document type without a document cannot be changed.
        let problem = match is_type {
            true => Problem::NoModification,
            false => Problem::NotFound,
        };
        return Err(throw(call.vm, problem));
    }
    document.write().detach(id);
    Ok(Value::NULL)
}

pub(super) fn is_same_node(call: &mut Call<'_>) -> PhpResult<Value> {
    let one = this(call)?;
    Ok((optional(call, 0)? == Some(one)).into())
}

pub(super) fn lookup_prefix(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let namespace = call.optional_bytes(0).unwrap_or_default();
    if namespace.is_empty() {
        return Ok(Value::NULL);
    }
    let found = document.read().locate_prefix(id, namespace);
    Ok(found.map_or(Value::NULL, |prefix| call.vm.string(prefix).into()))
}

pub(super) fn lookup_namespace_uri(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let prefix = call.optional_bytes(0).filter(|prefix| !prefix.is_empty());
    let found = document.read().locate_namespace(id, prefix);
    Ok(found.map_or(Value::NULL, |uri| call.vm.string(uri).into()))
}

pub(super) fn is_default_namespace(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let namespace = call.optional_bytes(0).filter(|uri| !uri.is_empty());
    let found = document.read().locate_namespace(id, None);
    Ok((found.as_deref() == namespace).into())
}

/// The object of a new node of a document.
pub(super) fn give(
    vm: &mut Vm,
    document: &Document,
    node: crate::xml::tree::Node,
) -> PhpResult<Value> {
    let id = document.write().add(node);
    wrap(vm, document, id)
}
