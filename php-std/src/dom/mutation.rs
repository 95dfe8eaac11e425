//! Changing the tree: inserting, removing, replacing.

use vm_runtime::function::Call;
use vm_runtime::operators::to_string;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::modern;
use super::object::{Problem, adopt, fail, node_of, this, wrap};
use crate::xml::tree::{Document, Kind, NodeId, ROOT, Tree};

/// What is wrong with putting a node below a parent.
pub(super) fn problem_with(
    parent: (&Document, NodeId),
    node: (&Document, NodeId),
) -> Option<Problem> {
    let (document, parent) = parent;
    let (other, id) = node;
    let (parent_kind, kind) = (document.read()[parent].kind, other.read()[id].kind);
    let takes_children = matches!(
        parent_kind,
        Kind::Element
            | Kind::Fragment
            | Kind::Document
            | Kind::HtmlDocument
            | Kind::EntityReference
            | Kind::Attribute
    );
    if !takes_children || matches!(kind, Kind::Document | Kind::HtmlDocument) {
        return Some(Problem::Hierarchy);
    }
    if parent_kind == Kind::Attribute && !matches!(kind, Kind::Text | Kind::EntityReference) {
        return Some(Problem::Hierarchy);
    }
    if document == other && document.read().contains(id, parent) {
        return Some(Problem::Hierarchy);
    }
    if kind == Kind::DocumentType && parent != ROOT {
        return Some(Problem::Hierarchy);
    }
    let is_foreign = document != other && !other.read().is_nowhere;
    if is_foreign {
        return Some(Problem::WrongDocument);
    }
    None
}

/// Puts a node below a parent, in front of a child or at the end. Gives the node's new number;
/// that of the first child for a fragment.
pub(super) fn place(
    (document, parent): (&Document, NodeId),
    (other, id): (&Document, NodeId),
    before: Option<NodeId>,
) -> NodeId {
    let nodes: Vec<NodeId> = {
        let tree = other.read();
        match tree[id].kind {
            Kind::Fragment => tree.children(id).collect(),
            _ => vec![id],
        }
    };
    let mut last = id;
    for node in nodes {
        other.write().detach(node);
        let node = adopt(other, node, document);
        let mut tree = document.write();
        if tree[node].kind == Kind::Attribute {
            let name = tree[node].qualified_name();
            if let Some(old) = tree.attribute(parent, &name) {
                tree.detach(old);
            }
            tree.add_attribute(parent, node);
        } else {
            tree.insert(parent, node, before);
        }
        if !tree.is_modern {
            reconcile(&mut tree, node);
        }
        last = node;
    }
    last
}

/// Takes out namespace declarations that an ancestor has made already, and makes those that are
/// missing.
pub(super) fn reconcile(tree: &mut Tree, top: NodeId) {
    if tree[top].kind == Kind::Attribute {
        if let Some(element) = tree[top].parent {
            declare_for(tree, element, top);
        }
        return;
    }
    let elements: Vec<NodeId> = std::iter::once(top)
        .chain(tree.descendants(top))
        .filter(|&id| tree[id].kind == Kind::Element)
        .collect();
    for id in elements {
        if let Some(parent) = tree[id].parent {
            let declarations = std::mem::take(&mut tree[id].declarations);
            let kept = declarations
                .into_iter()
                .filter(|declaration| {
                    let above = tree.find_namespace(parent, declaration.prefix.as_deref());
                    above.is_none_or(|above| above != declaration.uri)
                })
                .collect();
            tree[id].declarations = kept;
        }
        declare_for(tree, id, id);
        for attribute in tree[id].attributes.clone() {
            declare_for(tree, id, attribute);
        }
    }
}

/// Declares the namespace of a node at an element if it is not in force there.
fn declare_for(tree: &mut Tree, element: NodeId, id: NodeId) {
    let Some(namespace) = tree[id].namespace.clone() else {
        return;
    };
    let prefix = tree[id].prefix.clone();
    if tree[id].kind == Kind::Attribute && prefix.is_none() {
        return;
    }
    let found = tree.find_namespace(element, prefix.as_deref());
    if found.is_none_or(|found| found != namespace) {
        tree.declare(element, prefix.as_deref(), &namespace);
    }
}

/// Gathers arguments, nodes and texts, in a new fragment.
fn fragment(call: &mut Call<'_>, document: &Document) -> PhpResult<NodeId> {
    let fragment = document.write().add(crate::xml::tree::Node::new(
        Kind::Fragment,
        b"#document-fragment",
    ));
    for index in 0..call.count() {
        let argument = call.value(index);
        match argument.view() {
            ValueKind::Object(_) => {
                let given = argument.object().map(|object| node_of(call.vm, &object));
                let Some(given) = given else {
                    continue;
                };
                let (other, id) = given?;
                if document.read().is_modern {
                    let target = (document, fragment);
                    modern::node::check_insertion(target, (&other, id), None, false)
                        .map_err(|refusal| modern::node::refuse(call.vm, refusal))?;
                }
                place((document, fragment), (&other, id), None);
            }
            _ => {
                let text = to_string(call.vm, &argument)?;
                let mut tree = document.write();
                let id = tree.add_text(Kind::Text, &text);
                tree.append(fragment, id);
            }
        }
    }
    Ok(fragment)
}

/// Checks the arguments of the variadic methods: nodes and strings.
fn check(call: &mut Call<'_>, document: &Document, parent: NodeId) -> PhpResult<bool> {
    for index in 0..call.count() {
        let argument = call.value(index);
        match argument.view() {
            ValueKind::Object(given) => {
                let node_class = call.vm.linked_class(b"domnode");
                let is_node = node_class.is_some_and(|class| given.class().is_subclass_of(class));
                if !is_node {
                    let name = given.class().display_name();
                    return Err(call.type_error(
                        index,
                        &format!("must be of type DOMNode|string, {name} given"),
                    ));
                }
                let Some(object) = argument.object() else {
                    continue;
                };
                let (other, id) = node_of(call.vm, &object)?;
                if other != *document {
                    fail(call.vm, document, Problem::WrongDocument)?;
                    return Ok(false);
                }
                if let Some(problem) = problem_with((document, parent), (&other, id)) {
                    fail(call.vm, document, problem)?;
                    return Ok(false);
                }
            }
            ValueKind::String(_) => {}
            _ => {
                let kind = vm_runtime::operators::value_name(&argument);
                return Err(call.type_error(
                    index,
                    &format!("must be of type DOMNode|string, {kind} given"),
                ));
            }
        }
    }
    Ok(true)
}

/// The arguments as one node to be put below a parent; none if they do not belong there.
fn gathered(
    call: &mut Call<'_>,
    document: &Document,
    parent: NodeId,
) -> PhpResult<Option<(Document, NodeId)>> {
    if document.read().is_modern {
        if call.count() == 1
            && let Some(object) = call.value(0).object()
        {
            return node_of(call.vm, &object).map(Some);
        }
    } else if !check(call, document, parent)? {
        return Ok(None);
    }
    Ok(Some((document.clone(), fragment(call, document)?)))
}

/// Puts what was gathered below a parent.
fn settle(
    vm: &mut Vm,
    target: (&Document, NodeId),
    (other, id): (Document, NodeId),
    before: Option<NodeId>,
) -> PhpResult<Value> {
    if target.0.read().is_modern {
        modern::node::insert(vm, target, (&other, id), before)?;
    } else {
        place(target, (&other, id), before);
    }
    Ok(Value::NULL)
}

pub(super) fn append(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    match gathered(call, &document, id)? {
        Some(node) => settle(call.vm, (&document, id), node, None),
        None => Ok(Value::NULL),
    }
}

pub(super) fn prepend(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let Some(node) = gathered(call, &document, id)? else {
        return Ok(Value::NULL);
    };
    let first = document.read()[id].first;
    settle(call.vm, (&document, id), node, first)
}

pub(super) fn replace_children(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let Some((other, node)) = gathered(call, &document, id)? else {
        return Ok(Value::NULL);
    };
    if document.read().is_modern {
        modern::node::check_insertion((&document, id), (&other, node), None, false)
            .map_err(|refusal| modern::node::refuse(call.vm, refusal))?;
    }
    document.write().drop_children(id);
    place((&document, id), (&other, node), None);
    Ok(Value::NULL)
}

pub(super) fn remove(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let has_parent = document.read()[id].parent.is_some();
    if !has_parent {
        return fail(call.vm, &document, Problem::NotFound).map(|_| Value::NULL);
    }
    document.write().detach(id);
    Ok(Value::NULL)
}

/// True if a node is among the arguments.
fn is_argument(call: &mut Call<'_>, document: &Document, id: NodeId) -> PhpResult<bool> {
    for index in 0..call.count() {
        if let Some(object) = call.value(index).object()
            && node_of(call.vm, &object)? == (document.clone(), id)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The nearest sibling that is no argument.
fn viable(
    call: &mut Call<'_>,
    document: &Document,
    id: NodeId,
    backward: bool,
) -> PhpResult<Option<NodeId>> {
    let mut at = id;
    loop {
        let next = {
            let tree = document.read();
            if backward {
                tree[at].previous
            } else {
                tree[at].next
            }
        };
        match next {
            Some(next) if is_argument(call, document, next)? => at = next,
            next => return Ok(next),
        }
    }
}

/// Where `before()`, `after()` and `replaceWith()` put things.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
    Instead,
}

/// Puts the arguments beside the node of the call, or in its place.
fn put_beside(call: &mut Call<'_>, side: Side) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let Some(parent) = document.read()[id].parent else {
        return Ok(Value::NULL);
    };
    let neighbour = viable(call, &document, id, side == Side::Before)?;
    let Some((other, node)) = gathered(call, &document, parent)? else {
        return Ok(Value::NULL);
    };
    let is_still_here = document.read()[id].parent == Some(parent);
    let target = match (side, neighbour) {
        (Side::Before, Some(previous)) => document.read()[previous].next,
        (Side::Before, None) => document.read()[parent].first,
        (Side::After | Side::Instead, next) => next,
    };
    if side == Side::Instead && is_still_here {
        if document.read().is_modern {
            if (&other, node) != (&document, id) {
                modern::node::replace(call.vm, (&document, parent), (&other, node), id)?;
            }
            return Ok(Value::NULL);
        }
        document.write().detach(id);
    }
    settle(call.vm, (&document, parent), (other, node), target)
}

pub(super) fn before(call: &mut Call<'_>) -> PhpResult<Value> {
    put_beside(call, Side::Before)
}

pub(super) fn after(call: &mut Call<'_>) -> PhpResult<Value> {
    put_beside(call, Side::After)
}

pub(super) fn replace_with(call: &mut Call<'_>) -> PhpResult<Value> {
    put_beside(call, Side::Instead)
}

/// `appendChild` and `insertBefore`: checks, puts the node there, and gives its object.
pub(super) fn insert_child(
    vm: &mut Vm,
    (document, parent): (&Document, NodeId),
    (other, id): (&Document, NodeId),
    before: Option<NodeId>,
) -> PhpResult<Value> {
    if let Some(problem) = problem_with((document, parent), (other, id)) {
        return fail(vm, document, problem);
    }
    let is_fragment = other.read()[id].kind == Kind::Fragment;
    if is_fragment && other.read()[id].first.is_none() {
        vm.function_warning("Document Fragment is empty");
        vm.check()?;
        return Ok(false.into());
    }
    let node = place(
        (document, parent),
        (other, id),
        before.filter(|&before| before != id),
    );
    wrap(vm, document, node)
}
