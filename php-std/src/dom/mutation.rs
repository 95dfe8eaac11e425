//! Changing the tree: inserting, removing, replacing.

use vm_runtime::function::Call;
use vm_runtime::operators::to_string;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::modern;
use super::namespaces::reconcile;
use super::object::{Problem, adopt, fail, node_of, this, throw_text, until_zero, wrap};
use crate::xml::tree::{Document, Kind, NodeId, ROOT};

/// True for nodes that can have others below them.
pub(super) fn takes_children(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Element
            | Kind::Fragment
            | Kind::Document
            | Kind::HtmlDocument
            | Kind::EntityReference
            | Kind::Attribute
    )
}

/// What is wrong with putting a node below a parent.
pub(super) fn problem_with(
    parent: (&Document, NodeId),
    node: (&Document, NodeId),
) -> Option<Problem> {
    let (document, parent) = parent;
    let (other, id) = node;
    let (parent_kind, kind) = (document.read()[parent].kind, other.read()[id].kind);
    // What belongs to another document is told before what cannot be there at all.
    let is_foreign = document != other && !other.read().is_nowhere;
    if is_foreign {
        return Some(Problem::WrongDocument);
    }
    if !takes_children(parent_kind) || matches!(kind, Kind::Document | Kind::HtmlDocument) {
        return Some(Problem::Hierarchy);
    }
    let is_document = matches!(parent_kind, Kind::Document | Kind::HtmlDocument);
    if is_document && kind == Kind::Attribute {
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
    None
}

/// Puts a node below a parent, in front of a child or at the end. Gives the node's new number;
/// that of the first child for a fragment.
pub(super) fn place(
    (document, parent): (&Document, NodeId),
    (other, id): (&Document, NodeId),
    before: Option<NodeId>,
) -> NodeId {
    let is_fragment = other.read()[id].kind == Kind::Fragment;
    let nodes: Vec<NodeId> = match is_fragment {
        true => other.read().children(id).collect(),
        false => vec![id],
    };
    // In front of itself means in front of what is behind it.
    let before = match before {
        Some(child) if child == id && document == other => document.read()[id].next,
        before => before,
    };
    let mut placed = Vec::with_capacity(nodes.len());
    document.write().materialize(parent);
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
        placed.push(node);
    }
    let mut tree = document.write();
    if !tree.is_modern {
        reconcile(&mut tree, &placed, is_fragment);
    }
    placed.last().copied().unwrap_or(id)
}

/// Gathers arguments, nodes and texts, in a new fragment; none if one of them does not belong there.
fn fragment(call: &mut Call<'_>, document: &Document) -> PhpResult<Option<NodeId>> {
    let fragment = document.write().add(crate::xml::tree::Node::new(
        Kind::Fragment,
        b"#document-fragment",
    ));
    for index in 0..call.count() {
        let argument = call.value(index);
        let Some(object) = argument.object() else {
            let text = to_string(call.vm, &argument)?;
            let mut tree = document.write();
            let id = tree.add_text(Kind::Text, until_zero(&text));
            tree.append(fragment, id);
            continue;
        };
        let (other, id) = node_of(call.vm, &object)?;
        let target = (document, fragment);
        if document.read().is_modern {
            modern::node::check_insertion(target, (&other, id), None, false)
                .map_err(|refusal| modern::node::refuse(call.vm, refusal))?;
        } else if let Some(problem) = problem_below(target, (&other, id)) {
            fail(call.vm, document, problem)?;
            return Ok(None);
        }
        let mut tree = other.write();
        tree.detach(id);
        drop(tree);
        let id = adopt(&other, id, document);
        document.write().append(fragment, id);
    }
    Ok(Some(fragment))
}

/// As [`problem_with`], where no attribute belongs.
fn problem_below(parent: (&Document, NodeId), node: (&Document, NodeId)) -> Option<Problem> {
    match node.0.read()[node.1].kind {
        Kind::Attribute => Some(Problem::Hierarchy),
        _ => problem_with(parent, node).or_else(|| {
            // What was made without a document belongs to none that there is.
            let is_foreign = node.0.read().is_nowhere && !parent.0.read().is_nowhere;
            is_foreign.then_some(Problem::WrongDocument)
        }),
    }
}

/// Checks the types of the arguments of the variadic methods: nodes and strings.
fn check_types(call: &mut Call<'_>) -> PhpResult<()> {
    let own = crate::spl::this(call);
    let modern_class = call.vm.linked_class(b"dom\\node");
    let is_modern = modern_class.is_some_and(|class| own.class().is_subclass_of(class));
    // A document type asks for nodes of the old classes in either case.
    let is_type = own.class().display_name() == "Dom\\DocumentType";
    let (node_class, expected) = match is_modern && !is_type {
        true => (modern_class, "Dom\\Node"),
        false => (call.vm.linked_class(b"domnode"), "DOMNode"),
    };
    for index in 0..call.count() {
        let argument = call.value(index);
        let is_fitting = match argument.view() {
            ValueKind::Object(given) => {
                node_class.is_some_and(|class| given.class().is_subclass_of(class))
            }
            ValueKind::String(_) => true,
            _ => false,
        };
        if !is_fitting {
            let kind = vm_runtime::operators::class_or_type_name(&argument);
            let problem = format!("must be of type {expected}|string, {kind} given");
            return Err(call.type_error(index, &problem));
        }
    }
    Ok(())
}

/// The arguments as one node to be put somewhere; none if they do not belong there.
fn gathered(call: &mut Call<'_>, document: &Document) -> PhpResult<Option<(Document, NodeId)>> {
    if call.count() == 1
        && let Some(object) = call.value(0).object()
    {
        return node_of(call.vm, &object).map(Some);
    }
    let fragment = fragment(call, document)?;
    Ok(fragment.map(|fragment| (document.clone(), fragment)))
}

/// True if what was gathered can be put below a parent; tells if not.
fn fits(vm: &mut Vm, target: (&Document, NodeId), node: (&Document, NodeId)) -> PhpResult<bool> {
    if target.0.read().is_modern {
        modern::node::check_insertion(target, node, None, false)
            .map_err(|refusal| modern::node::refuse(vm, refusal))?;
        return Ok(true);
    }
    match problem_below(target, node) {
        Some(problem) => {
            fail(vm, target.0, problem)?;
            Ok(false)
        }
        None => Ok(true),
    }
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
    } else if fits(vm, target, (&other, id))? {
        place(target, (&other, id), before);
    }
    Ok(Value::NULL)
}

pub(super) fn append(call: &mut Call<'_>) -> PhpResult<Value> {
    check_types(call)?;
    let (document, id) = this(call)?;
    match gathered(call, &document)? {
        Some(node) => settle(call.vm, (&document, id), node, None),
        None => Ok(Value::NULL),
    }
}

pub(super) fn prepend(call: &mut Call<'_>) -> PhpResult<Value> {
    check_types(call)?;
    let (document, id) = this(call)?;
    let Some(node) = gathered(call, &document)? else {
        return Ok(Value::NULL);
    };
    let first = document.read()[id].first;
    settle(call.vm, (&document, id), node, first)
}

pub(super) fn replace_children(call: &mut Call<'_>) -> PhpResult<Value> {
    check_types(call)?;
    let (document, id) = this(call)?;
    let Some((other, node)) = gathered(call, &document)? else {
        return Ok(Value::NULL);
    };
    if !fits(call.vm, (&document, id), (&other, node))? {
        return Ok(Value::NULL);
    }
    document.write().drop_children(id);
    place((&document, id), (&other, node), None);
    Ok(Value::NULL)
}

pub(super) fn remove(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, id) = this(call)?;
    let (has_parent, is_nowhere) = {
        let tree = document.read();
        (tree[id].parent.is_some(), tree.is_nowhere)
    };
    if is_nowhere {
        // What was made without a document cannot be changed.
        return fail(call.vm, &document, Problem::NoModification).map(|_| Value::NULL);
    }
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
    check_types(call)?;
    let (document, id) = this(call)?;
    let Some(parent) = document.read()[id].parent else {
        return Ok(Value::NULL);
    };
    let neighbour = viable(call, &document, id, side == Side::Before)?;
    let Some((other, node)) = gathered(call, &document)? else {
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
        if !fits(call.vm, (&document, parent), (&other, node))? {
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
    // That texts and comments have no children is told by the result alone.
    if !takes_children(document.read()[parent].kind) {
        return Ok(false.into());
    }
    if let Some(problem) = problem_with((document, parent), (other, id)) {
        return fail(vm, document, problem);
    }
    let is_second = other.read()[id].kind == Kind::DocumentType
        && (document.read().doctype()).is_some_and(|known| (document, known) != (other, id));
    if is_second {
        let text = "A document may only contain one document type";
        return Err(throw_text(vm, Problem::Hierarchy, text));
    }
    let is_fragment = other.read()[id].kind == Kind::Fragment;
    if is_fragment && other.read()[id].first.is_none() {
        vm.function_warning("Document Fragment is empty");
        vm.check()?;
        return Ok(false.into());
    }
    let node = place((document, parent), (other, id), before);
    wrap(vm, document, node)
}
