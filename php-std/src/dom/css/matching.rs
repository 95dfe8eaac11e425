//! Which elements selectors select.

use super::{Combinator, Comparison, Complex, Nth, Selectors, Simple, State};
use crate::xml::tree::{Document, HTML_NAMESPACE, Kind, NodeId, Tree};

/// Attributes of HTML whose values are compared in either case.
const IN_EITHER_CASE: &[&[u8]] = &[
    b"accept",
    b"accept-charset",
    b"align",
    b"alink",
    b"axis",
    b"bgcolor",
    b"charset",
    b"checked",
    b"clear",
    b"codetype",
    b"color",
    b"compact",
    b"declare",
    b"defer",
    b"dir",
    b"direction",
    b"disabled",
    b"enctype",
    b"face",
    b"frame",
    b"hreflang",
    b"http-equiv",
    b"lang",
    b"language",
    b"link",
    b"media",
    b"method",
    b"multiple",
    b"nohref",
    b"noresize",
    b"noshade",
    b"nowrap",
    b"readonly",
    b"rel",
    b"rev",
    b"rules",
    b"scope",
    b"scrolling",
    b"selected",
    b"shape",
    b"target",
    b"text",
    b"type",
    b"valign",
    b"valuetype",
    b"vlink",
];

/// The elements below a node that match, in document order; only the first one if asked for.
pub(in crate::dom) fn select(
    document: &Document,
    top: NodeId,
    selectors: &Selectors,
    only_first: bool,
) -> Vec<NodeId> {
    let mut found = Vec::new();
    let elements: Vec<NodeId> = {
        let tree = document.read();
        let is_element = |&id: &NodeId| tree[id].kind == Kind::Element;
        tree.descendants(top).filter(is_element).collect()
    };
    for id in elements {
        let tree = document.read();
        // As often as selectors of the list match: PHP gives an element more than once, too.
        for Complex(compounds) in &selectors.list {
            if meets_column(&tree, id, compounds) {
                selectors.is_unsupported.set(true);
                return found;
            }
            if ends_at(&tree, id, compounds, None) {
                found.push(id);
                if only_first {
                    return found;
                }
            }
        }
    }
    found
}

/// True if an element matches one of the selectors.
pub(in crate::dom) fn matches(tree: &Tree, id: NodeId, selectors: &Selectors) -> bool {
    selectors.list.iter().any(|Complex(compounds)| {
        if meets_column(tree, id, compounds) {
            selectors.is_unsupported.set(true);
        }
        ends_at(tree, id, compounds, None)
    })
}

/// True if an element has what stands behind `||`.
fn meets_column(tree: &Tree, id: NodeId, compounds: &[(Combinator, Vec<Simple>)]) -> bool {
    match compounds.last() {
        Some((Combinator::Column, compound)) => compound
            .iter()
            .all(|simple| matches_simple(tree, id, simple)),
        _ => false,
    }
}

/// True if the last compound matches at an element and those in front of it match around it. In
/// `:has()`, `anchor` is the element that the first combinator starts at.
fn ends_at(
    tree: &Tree,
    id: NodeId,
    compounds: &[(Combinator, Vec<Simple>)],
    anchor: Option<NodeId>,
) -> bool {
    // Selectors within selectors look at the same elements again and again; of a long one each part is a level deeper.
    vm_runtime::limits::poll();
    vm_runtime::limits::need_stack();
    let Some(((combinator, compound), before)) = compounds.split_last() else {
        return true;
    };
    if !compound
        .iter()
        .all(|simple| matches_simple(tree, id, simple))
    {
        return false;
    }
    if before.is_empty() && anchor.is_none() {
        return true;
    }
    let goes_on = |other: NodeId| match anchor {
        Some(anchor) if before.is_empty() => other == anchor,
        _ => ends_at(tree, other, before, anchor),
    };
    let is_element = |&id: &NodeId| tree[id].kind == Kind::Element;
    match combinator {
        Combinator::Child => tree[id].parent.filter(is_element).is_some_and(goes_on),
        Combinator::Descendant => tree.ancestors(id).filter(is_element).any(goes_on),
        Combinator::Next => previous(tree, id).is_some_and(goes_on),
        Combinator::Column => false,
        Combinator::Following => {
            std::iter::successors(previous(tree, id), |&id| previous(tree, id)).any(goes_on)
        }
    }
}

/// The element in front of an element.
fn previous(tree: &Tree, id: NodeId) -> Option<NodeId> {
    std::iter::successors(tree[id].previous, |&id| tree[id].previous)
        .find(|&id| tree[id].kind == Kind::Element)
}

/// The element behind an element.
fn next(tree: &Tree, id: NodeId) -> Option<NodeId> {
    std::iter::successors(tree[id].next, |&id| tree[id].next)
        .find(|&id| tree[id].kind == Kind::Element)
}

fn attribute<'t>(tree: &'t Tree, id: NodeId, name: &[u8]) -> Option<&'t [u8]> {
    let attribute = tree.attribute_in(id, None, name)?;
    Some(&tree[attribute].value)
}

/// Compares names of classes and ids: in quirks mode in either case.
fn is_same(tree: &Tree, one: &[u8], other: &[u8]) -> bool {
    one == other || tree.is_quirks && one.eq_ignore_ascii_case(other)
}

fn matches_simple(tree: &Tree, id: NodeId, simple: &Simple) -> bool {
    match simple {
        Simple::Any => true,
        Simple::Type(name) => {
            if tree.is_html_element(id) {
                tree[id].name.eq_ignore_ascii_case(name)
                    && *tree[id].name == *name.to_ascii_lowercase()
            } else {
                *tree[id].name == **name
            }
        }
        Simple::Id(name) => {
            attribute(tree, id, b"id").is_some_and(|value| is_same(tree, value, name))
        }
        Simple::Class(name) => attribute(tree, id, b"class").is_some_and(|value| {
            value
                .split(u8::is_ascii_whitespace)
                .any(|word| is_same(tree, word, name))
        }),
        Simple::Attribute {
            name,
            comparison,
            value,
            ignores_case,
        } => matches_attribute(tree, id, (name, *comparison, value), *ignores_case),
        Simple::Is(selectors) => matches(tree, id, selectors),
        Simple::Not(selectors) => !matches(tree, id, selectors),
        Simple::Has(selectors) => selectors.list.iter().any(|complex| has(tree, id, complex)),
        Simple::Nth(nth) => matches_nth(tree, id, nth),
        Simple::Both(one, other) => matches_nth(tree, id, one) && matches_nth(tree, id, other),
        Simple::State(state) => matches_state(tree, id, *state),
        Simple::Never => false,
    }
}

fn matches_attribute(
    tree: &Tree,
    id: NodeId,
    (name, comparison, wanted): (&[u8], Comparison, &[u8]),
    ignores_case: Option<bool>,
) -> bool {
    let is_html = tree.is_html_element(id);
    let lowercase = name.to_ascii_lowercase();
    let name = if is_html { &lowercase } else { name };
    let found = tree[id]
        .attributes
        .iter()
        .find(|&&attribute| *tree[attribute].name == *name);
    let Some(&found) = found else {
        return false;
    };
    let ignores_case =
        ignores_case.unwrap_or(is_html && IN_EITHER_CASE.contains(&lowercase.as_slice()));
    let (mut value, mut wanted) = (tree[found].value.clone(), wanted.to_vec());
    if ignores_case {
        value.make_ascii_lowercase();
        wanted.make_ascii_lowercase();
    }
    match comparison {
        Comparison::Exists => true,
        Comparison::Equals => value == wanted,
        Comparison::HasWord => {
            !wanted.is_empty()
                && value
                    .split(u8::is_ascii_whitespace)
                    .any(|word| word == wanted)
        }
        Comparison::HasDash => value
            .strip_prefix(wanted.as_slice())
            .is_some_and(|rest| rest.is_empty() || rest[0] == b'-'),
        Comparison::Starts => !wanted.is_empty() && value.starts_with(&wanted),
        Comparison::Ends => !wanted.is_empty() && value.ends_with(&wanted),
        Comparison::Contains => {
            !wanted.is_empty() && memchr::memmem::find(&value, &wanted).is_some()
        }
    }
}

/// True if something matches that is where the selector says, seen from an element.
fn has(tree: &Tree, id: NodeId, Complex(compounds): &Complex) -> bool {
    let below = |top: NodeId| {
        tree.descendants(top)
            .filter(|&node| tree[node].kind == Kind::Element)
            .any(|node| ends_at(tree, node, compounds, Some(id)))
    };
    match compounds.first() {
        Some((Combinator::Next | Combinator::Following, _)) => {
            std::iter::successors(next(tree, id), |&id| next(tree, id))
                .any(|node| ends_at(tree, node, compounds, Some(id)) || below(node))
        }
        _ => below(id),
    }
}

fn matches_nth(tree: &Tree, id: NodeId, nth: &Nth) -> bool {
    let counts = |other: NodeId| {
        if nth.of_type {
            return tree[other].name == tree[id].name
                && tree[other].namespace == tree[id].namespace;
        }
        nth.of.as_ref().is_none_or(|of| matches(tree, other, of))
    };
    if !counts(id) {
        return false;
    }
    let step = |id: NodeId| {
        if nth.from_end {
            next(tree, id)
        } else {
            previous(tree, id)
        }
    };
    let before = std::iter::successors(step(id), |&id| step(id)).filter(|&id| counts(id));
    let place = before.count() as i64 + 1 - nth.start;
    if nth.step == 0 {
        place == 0
    } else {
        place % nth.step == 0 && place / nth.step >= 0
    }
}

fn is_html(tree: &Tree, id: NodeId, names: &[&[u8]]) -> bool {
    tree[id].namespace.as_deref() == Some(HTML_NAMESPACE) && names.contains(&&*tree[id].name)
}

const FIELDS: [&[u8]; 3] = [b"input", b"select", b"textarea"];
const CONTROLS: [&[u8]; 6] = [
    b"button",
    b"input",
    b"select",
    b"textarea",
    b"optgroup",
    b"fieldset",
];

/// True for a control that is switched off, and for a `fieldset` in one that is.
fn is_disabled(tree: &Tree, id: NodeId) -> bool {
    let has = |id: NodeId| attribute(tree, id, b"disabled").is_some();
    if is_html(tree, id, &CONTROLS) && has(id) {
        return true;
    }
    if !is_html(tree, id, &[b"fieldset"]) {
        return false;
    }
    // What is in the first legend stays switched on.
    let mut child = id;
    for ancestor in tree.ancestors(id) {
        if is_html(tree, ancestor, &[b"fieldset"]) && has(ancestor) {
            let legend = tree
                .children(ancestor)
                .find(|&node| is_html(tree, node, &[b"legend"]));
            if legend.is_some_and(|legend| legend != child) {
                return true;
            }
        }
        child = ancestor;
    }
    false
}

fn is_writable(tree: &Tree, id: NodeId) -> bool {
    if is_html(tree, id, &[b"input", b"textarea"]) {
        return attribute(tree, id, b"readonly").is_none() && !is_disabled(tree, id);
    }
    tree[id].namespace.as_deref() == Some(HTML_NAMESPACE)
        && attribute(tree, id, b"contenteditable")
            .is_some_and(|value| !value.eq_ignore_ascii_case(b"false"))
}

fn matches_state(tree: &Tree, id: NodeId, state: State) -> bool {
    let has = |name: &[u8]| attribute(tree, id, name).is_some();
    match state {
        State::Empty => tree.children(id).all(|child| match tree[child].kind {
            Kind::Comment | Kind::ProcessingInstruction => true,
            Kind::Text | Kind::CData => tree[child].value.is_empty(),
            _ => false,
        }),
        State::Root => tree[id].parent.is_some_and(|parent| {
            matches!(
                tree[parent].kind,
                Kind::Document | Kind::HtmlDocument | Kind::Fragment
            )
        }),
        State::Link => is_html(tree, id, &[b"a", b"area"]) && has(b"href"),
        State::Checked => {
            if is_html(tree, id, &[b"option"]) {
                return has(b"selected");
            }
            let kind = attribute(tree, id, b"type").unwrap_or_default();
            is_html(tree, id, &[b"input"])
                && has(b"checked")
                && (kind.eq_ignore_ascii_case(b"checkbox") || kind.eq_ignore_ascii_case(b"radio"))
        }
        State::Disabled => is_disabled(tree, id),
        State::Enabled => !is_disabled(tree, id),
        State::Optional => is_html(tree, id, &FIELDS) && !has(b"required"),
        State::Required => is_html(tree, id, &FIELDS) && has(b"required"),
        State::PlaceholderShown => {
            is_html(tree, id, &[b"input", b"textarea"]) && has(b"placeholder")
        }
        State::ReadOnly => !is_writable(tree, id),
        State::ReadWrite => is_writable(tree, id),
        State::Hover => has(b"hover"),
        State::Active => has(b"active"),
        State::Focus => has(b"focus"),
    }
}
