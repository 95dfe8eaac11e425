//! What an object stands for: an element, or a list of children or attributes of one.

use std::any::Any;

use vm_runtime::object::{NativeData, PhpObject};
use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::Vm;

use crate::xml::loose::Held;
use crate::xml::tree::{Document, Kind, NodeId, Tree};

/// Which nodes an object stands for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Which {
    /// The node itself; its child elements are walked over.
    Own,
    /// All child elements.
    Children,
    /// Child elements of a name.
    Named(Vec<u8>),
    /// Attributes, all or those of a name.
    Attributes(Option<Vec<u8>>),
}

/// The native part.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) document: Option<Held>,
    /// The element, or the one whose children or attributes these are.
    pub(super) node: Option<NodeId>,
    pub(super) which: Which,
    /// The namespace that counts, and if it is told by prefix.
    pub(super) namespace: Option<(Vec<u8>, bool)>,
    /// Prefixes that were registered for XPath.
    pub(super) prefixes: Vec<(Vec<u8>, Vec<u8>)>,
    /// Where a walk is.
    pub(super) cursor: Option<Cursor>,
}

/// Where a walk is.
#[derive(Debug, Clone)]
pub(super) struct Cursor {
    pub(super) node: NodeId,
    /// Keeps it, though it may be taken out of the tree.
    pub(super) held: Held,
    /// Its object, if there is one.
    pub(super) object: Option<Value>,
}

impl Default for Element {
    fn default() -> Element {
        Element {
            document: None,
            node: None,
            which: Which::Own,
            namespace: None,
            prefixes: Vec::new(),
            cursor: None,
        }
    }
}

impl Clone for Element {
    fn clone(&self) -> Element {
        Element {
            document: self.document.clone(),
            node: self.node,
            which: self.which.clone(),
            namespace: self.namespace.clone(),
            prefixes: self.prefixes.clone(),
            cursor: self.cursor.clone(),
        }
    }
}

impl NativeData for Element {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        let mut copy = self.clone();
        copy.cursor = None;
        if let (Some(document), Some(id), Which::Own) = (&self.document, self.node, &self.which) {
            let is_root = document.read().document_element() == Some(id);
            if is_root {
                let whole = crate::dom::object::copy_document(document);
                copy.document = Some(whole.hold(&[]));
                copy.set_node(whole.read().document_element());
            } else {
                let node = document.write().copy_apart(None, id, true);
                copy.set_node(Some(node));
            }
        }
        Some(Box::new(copy))
    }

    /// Objects are equal that stand for the same node.
    fn compare(&self, _vm: &mut Vm, _this: &PhpObject, other: &PhpObject) -> Option<i32> {
        let other = other.native::<Element>()?;
        let same = self.document() == other.document() && self.node == other.node;
        Some(i32::from(!same))
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Some(object) = self.cursor.as_ref().and_then(|at| at.object.as_ref()) {
            visitor(object);
        }
    }
}

impl Element {
    /// An object for a node.
    pub(super) fn new(document: &Document, node: NodeId) -> Element {
        Element {
            document: Some(document.hold(&[node])),
            node: Some(node),
            ..Element::default()
        }
    }

    /// The document.
    pub(super) fn document(&self) -> Option<Document> {
        self.document.as_deref().cloned()
    }

    /// The element, or the one whose children or attributes these are.
    pub(super) fn node(&self) -> Option<NodeId> {
        self.node
    }

    /// Stands for another node.
    pub(super) fn set_node(&mut self, node: Option<NodeId>) {
        let held = self.document.as_ref();
        self.document = held.map(|document| document.hold(node.as_slice()));
        self.node = node;
    }

    /// True if a node is in the namespace that counts.
    pub(super) fn is_in_namespace(&self, tree: &Tree, id: NodeId) -> bool {
        let node = &tree[id];
        match &self.namespace {
            None => node.namespace.is_none() || node.prefix.is_none() && node.kind == Kind::Element,
            Some((prefix, true)) => node.prefix.as_deref().unwrap_or_default() == prefix.as_slice(),
            Some((uri, false)) => node.namespace.as_deref() == Some(uri.as_slice()),
        }
    }

    /// The nodes of the list; the child elements of a single element.
    pub(super) fn nodes(&self) -> Vec<NodeId> {
        let (Some(document), Some(node)) = (&self.document, self.node) else {
            return Vec::new();
        };
        let tree = document.read();
        let is_one = |id: &NodeId| self.holds(&tree, *id);
        match &self.which {
            Which::Attributes(_) => {
                let attributes = tree[node].attributes.iter().copied();
                attributes.filter(is_one).collect()
            }
            _ => tree.children(node).filter(is_one).collect(),
        }
    }

    /// The node at a place of the list.
    pub(super) fn nth(&self, place: usize) -> Option<NodeId> {
        let (document, node) = (self.document.as_ref()?, self.node?);
        let tree = document.read();
        let is_one = |id: &NodeId| self.holds(&tree, *id);
        match &self.which {
            Which::Attributes(_) => {
                let mut attributes = tree[node].attributes.iter().copied().filter(is_one);
                attributes.nth(place)
            }
            _ => tree.children(node).filter(is_one).nth(place),
        }
    }

    /// The node of the list that stands behind one.
    pub(super) fn behind(&self, at: NodeId) -> Option<NodeId> {
        let (document, node) = (self.document.as_ref()?, self.node?);
        let tree = document.read();
        let is_one = |id: &NodeId| self.holds(&tree, *id);
        match &self.which {
            Which::Attributes(_) => {
                let mut attributes = tree[node].attributes.iter().copied();
                attributes.find(|&id| id == at)?;
                attributes.find(is_one)
            }
            // One that was taken out, or stands elsewhere now, has nothing behind it.
            _ if tree[at].parent != Some(node) => None,
            _ => std::iter::successors(tree[at].next, |&id| tree[id].next).find(is_one),
        }
    }

    /// Whether a child or an attribute of its node is one of the list.
    fn holds(&self, tree: &Tree, id: NodeId) -> bool {
        let is_named = match &self.which {
            Which::Own | Which::Children => tree[id].kind == Kind::Element,
            Which::Named(name) => tree[id].kind == Kind::Element && *tree[id].name == **name,
            Which::Attributes(name) => name.as_ref().is_none_or(|name| *tree[id].name == **name),
        };
        is_named && self.is_in_namespace(tree, id)
    }

    /// The node that stands for the object: itself, or the first of its list.
    pub(super) fn first(&self) -> Option<NodeId> {
        match self.which {
            Which::Own => self.node,
            Which::Children | Which::Attributes(None) => self.node,
            _ => self.nth(0),
        }
    }

    /// The text of the node: of its own texts, without those of child elements.
    pub(super) fn text(&self) -> Vec<u8> {
        let node = match self.which {
            Which::Children => self.nth(0),
            Which::Attributes(None) => self.nth(0),
            _ => self.first(),
        };
        match (&self.document, node) {
            (Some(document), Some(id)) => own_text(&document.read(), id),
            _ => Vec::new(),
        }
    }
}

/// The texts directly in a node.
pub(super) fn own_text(tree: &Tree, id: NodeId) -> Vec<u8> {
    if tree[id].kind != Kind::Element {
        return tree[id].value.clone();
    }
    let mut text = Vec::new();
    for child in tree.children(id) {
        match tree[child].kind {
            Kind::Text | Kind::CData => text.extend_from_slice(&tree[child].value),
            Kind::EntityReference => {
                text.extend(tree.text_of_reference(&tree[child].name));
            }
            _ => {}
        }
    }
    text
}
