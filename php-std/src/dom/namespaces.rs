//! Namespaces of what is put into a tree of the older classes: declarations and prefixes change as
//! libxml2 changes them.

use crate::xml::tree::{Declaration, Kind, NodeId, Text, Tree, XML_NAMESPACE};

/// Makes nodes that were put somewhere fit the namespaces in force there. Of a single node only its own
/// declarations are compared with those above, of a fragment's nodes also those below them.
pub(super) fn reconcile(tree: &mut Tree, placed: &[NodeId], is_fragment: bool) {
    for &top in placed {
        match (tree[top].kind, tree[top].parent) {
            (Kind::Attribute, Some(element)) => reconcile_attribute(tree, element, top),
            (Kind::Element, Some(parent)) => {
                let below: Vec<NodeId> = match is_fragment {
                    true => tree.descendants(top).collect(),
                    false => Vec::new(),
                };
                for id in std::iter::once(top).chain(below) {
                    drop_known(tree, id, parent);
                }
                bind_below(tree, top);
            }
            _ => {}
        }
    }
}

/// Takes out the declarations of an element that are in force at `parent` already.
fn drop_known(tree: &mut Tree, id: NodeId, parent: NodeId) {
    if tree[id].declarations.is_empty() {
        return;
    }
    let declarations = std::mem::take(&mut tree[id].declarations);
    let is_new = |declaration: &Declaration| {
        let above = declared_prefix(tree, parent, &declaration.uri);
        above.is_none_or(|above| declaration.prefix.is_some() && above != declaration.prefix)
    };
    let kept = declarations.into_iter().filter(is_new).collect();
    tree[id].declarations = kept;
}

/// The prefix that stands for a namespace at an element, the nearest one first; the inner `None` is the
/// default namespace.
fn declared_prefix(tree: &Tree, from: NodeId, uri: &[u8]) -> Option<Option<Text>> {
    let is_in_force = |until: NodeId, prefix: Option<&[u8]>| {
        let way = std::iter::successors(Some(from), |&id| tree[id].parent);
        let mut below = way.take_while(|&id| id != until);
        !below.any(|id| {
            let mut declared = tree[id].declarations.iter();
            declared.any(|declaration| declaration.prefix.as_deref() == prefix)
        })
    };
    let mut at = Some(from);
    while let Some(id) = at {
        let node = &tree[id];
        for declaration in &node.declarations {
            if *declaration.uri == *uri && is_in_force(id, declaration.prefix.as_deref()) {
                return Some(declaration.prefix.clone());
            }
        }
        let is_own = id != from && node.namespace.as_deref() == Some(uri);
        if is_own && is_in_force(id, node.prefix.as_deref()) {
            return Some(node.prefix.clone());
        }
        at = node.parent;
    }
    None
}

/// Gives all elements and attributes from `top` on the prefix that stands for their namespace at `top`,
/// which declares what is missing: an attribute can lose its prefix that way.
pub(super) fn bind_below(tree: &mut Tree, top: NodeId) {
    if tree.is_nowhere {
        return;
    }
    let elements = std::iter::once(top).chain(tree.descendants(top));
    let nodes: Vec<NodeId> = elements
        .filter(|&id| tree[id].kind == Kind::Element)
        .flat_map(|id| std::iter::once(id).chain(tree[id].attributes.iter().copied()))
        .filter(|&id| {
            let namespace = tree[id].namespace.as_deref();
            namespace.is_some_and(|uri| uri != XML_NAMESPACE)
        })
        .collect();
    let mut known: Vec<(Text, Option<Text>)> = Vec::new();
    for id in nodes {
        let Some(uri) = tree[id].namespace.clone() else {
            continue;
        };
        let bound = known.iter().find(|(other, _)| *other == uri);
        let prefix = match bound {
            Some((_, prefix)) => prefix.clone(),
            None => {
                let prefix = match declared_prefix(tree, top, &uri) {
                    Some(prefix) => prefix,
                    None => {
                        let wanted = tree[id].prefix.clone();
                        let wanted = wanted.as_deref().unwrap_or(b"default");
                        Some(declare_free(tree, top, wanted, &uri))
                    }
                };
                known.push((uri, prefix.clone()));
                prefix
            }
        };
        tree[id].prefix = prefix;
    }
}

/// Declares a namespace at an element by a prefix that stands for nothing there, a number behind it if
/// need be.
fn declare_free(tree: &mut Tree, id: NodeId, wanted: &[u8], uri: &[u8]) -> Text {
    let mut prefix = wanted.to_vec();
    let mut number = 0;
    while tree.find_namespace(id, Some(&prefix)).is_some() {
        number += 1;
        prefix = [wanted, number.to_string().as_bytes()].concat();
    }
    tree.declare(id, Some(&prefix), uri);
    prefix.as_slice().into()
}

/// Declares the namespace of an attribute: by the prefix wanted, or by one that is free if the element
/// has declared something else by that.
fn declare_wanted(tree: &mut Tree, id: NodeId, wanted: Option<&[u8]>, uri: &[u8]) -> Text {
    let is_taken = |prefix: &[u8]| {
        let mut declared = tree[id].declarations.iter();
        declared.any(|declaration| declaration.prefix.as_deref() == Some(prefix))
    };
    match wanted.filter(|prefix| !is_taken(prefix)) {
        Some(prefix) => {
            tree.declare(id, Some(prefix), uri);
            prefix.into()
        }
        None => declare_free(tree, id, b"default", uri),
    }
}

/// The prefix by which a new attribute of an element is in a namespace; it is declared if need be.
pub(super) fn prefix_for(
    tree: &mut Tree,
    element: NodeId,
    wanted: Option<&[u8]>,
    uri: &[u8],
) -> Text {
    if uri == XML_NAMESPACE {
        return b"xml"[..].into();
    }
    match declared_prefix(tree, element, uri) {
        Some(Some(prefix)) => prefix,
        Some(None) => {
            // The default namespace is none of attributes: one behind it that has a prefix will do.
            let mut declared = tree[element].declarations.iter();
            let other = declared.find_map(|declaration| {
                let prefix = declaration.prefix.as_ref()?;
                (*declaration.uri == *uri).then(|| prefix.clone())
            });
            other.unwrap_or_else(|| declare_free(tree, element, b"default", uri))
        }
        None => {
            let prefix = declare_wanted(tree, element, wanted, uri);
            bind_below(tree, element);
            prefix
        }
    }
}

/// The prefix by which an attribute without an element is in a namespace: one of the document element,
/// which declares it if need be. None without a document element.
pub(super) fn prefix_in_document(
    tree: &mut Tree,
    wanted: Option<&[u8]>,
    uri: &[u8],
) -> Option<Text> {
    if uri == XML_NAMESPACE {
        return Some(b"xml"[..].into());
    }
    let root = tree.document_element()?;
    Some(match declared_prefix(tree, root, uri) {
        Some(Some(prefix)) => prefix,
        _ => declare_wanted(tree, root, wanted.or(Some(b"default")), uri),
    })
}

/// Declares the namespace of an attribute that was given to an element, unless it is in force there.
pub(super) fn reconcile_attribute(tree: &mut Tree, element: NodeId, id: NodeId) {
    let (Some(uri), Some(prefix)) = (tree[id].namespace.clone(), tree[id].prefix.clone()) else {
        return;
    };
    if tree.find_namespace(element, Some(&prefix)) != Some(uri) {
        bind_below(tree, element);
    }
}

/// The elements and attributes that are in a namespace by what an element declares for a prefix.
pub(super) fn bound_to(tree: &Tree, declaring: NodeId, prefix: Option<&[u8]>) -> Vec<NodeId> {
    let declares = |id: NodeId| {
        let mut declared = tree[id].declarations.iter();
        declared.any(|known| known.prefix.as_deref() == prefix)
    };
    let mut bound = Vec::new();
    let mut at = Some(declaring);
    while let Some(id) = at {
        if id != declaring && declares(id) {
            at = tree.following_outside(id, declaring);
            continue;
        }
        let nodes = std::iter::once(id).chain(tree[id].attributes.iter().copied());
        bound.extend(nodes.filter(|&node| {
            let is_by_prefix = tree[node].kind == Kind::Element || prefix.is_some();
            is_by_prefix && tree[node].namespace.is_some() && tree[node].prefix.as_deref() == prefix
        }));
        at = tree.following(id, declaring);
    }
    bound
}

/// Declares what a copy from another document needs at its top.
pub(super) fn declare_missing(tree: &mut Tree, top: NodeId) {
    let elements: Vec<NodeId> = std::iter::once(top)
        .chain(tree.descendants(top))
        .filter(|&id| tree[id].kind == Kind::Element)
        .collect();
    for element in elements {
        let attributes = tree[element].attributes.clone();
        for id in std::iter::once(element).chain(attributes) {
            let (Some(uri), prefix) = (tree[id].namespace.clone(), tree[id].prefix.clone()) else {
                continue;
            };
            if id != element && prefix.is_none()
                || tree.find_namespace(element, prefix.as_deref()).as_ref() == Some(&uri)
            {
                continue;
            }
            let is_free = |place: NodeId| {
                let mut declared = tree[place].declarations.iter();
                !declared.any(|declaration| declaration.prefix == prefix)
            };
            let place = if is_free(top) { top } else { element };
            tree.declare(place, prefix.as_deref(), &uri);
        }
    }
}
