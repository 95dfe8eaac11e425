//! What html5ever builds a tree through.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QualName, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, Prefix};

use super::super::tree::{Doctype, HTML_NAMESPACE, Kind, Node, NodeId, ROOT, Text, Tree};
use super::NO_DEFAULT_NAMESPACE;
use super::problems::Position;

/// The tree that is built.
pub(super) struct Sink<'t, 'p> {
    tree: RefCell<&'t mut Tree>,
    /// The names of elements, as html5ever has them.
    names: RefCell<HashMap<NodeId, Rc<QualName>, foldhash::fast::FixedState>>,
    /// Namespaces that were seen, so that nodes share them.
    namespaces: RefCell<Vec<(Namespace, Text)>>,
    line: Cell<u32>,
    has_no_namespace: bool,
    position: &'p Position<'p>,
}

/// The name of an element.
#[derive(Debug)]
pub(super) struct Name(Rc<QualName>);

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl<'t, 'p> Sink<'t, 'p> {
    pub(super) fn new(tree: &'t mut Tree, options: i64, position: &'p Position<'p>) -> Self {
        Sink {
            tree: RefCell::new(tree),
            names: RefCell::default(),
            namespaces: RefCell::default(),
            line: Cell::new(0),
            has_no_namespace: options & NO_DEFAULT_NAMESPACE != 0,
            position,
        }
    }

    /// A copy of the element in which a fragment is parsed.
    pub(super) fn context(&self, tree: &Tree, id: NodeId) -> NodeId {
        let node = &tree[id];
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let qualified = |node: &Node| {
            QualName::new(
                node.prefix
                    .as_deref()
                    .map(|prefix| Prefix::from(text(prefix))),
                Namespace::from(text(node.namespace.as_deref().unwrap_or_default())),
                LocalName::from(text(&node.name)),
            )
        };
        let attributes = node.attributes.iter().map(|&id| Attribute {
            name: qualified(&tree[id]),
            value: text(&tree[id].value).into(),
        });
        html5ever::interface::create_element(self, qualified(node), attributes.collect())
    }

    /// A namespace as nodes have it.
    fn namespace(&self, namespace: &Namespace) -> Option<Text> {
        let is_left_out = self.has_no_namespace && namespace.as_bytes() == HTML_NAMESPACE;
        if namespace.is_empty() || is_left_out {
            return None;
        }
        let mut known = self.namespaces.borrow_mut();
        if let Some((_, text)) = known.iter().find(|(seen, _)| seen == namespace) {
            return Some(text.clone());
        }
        let text: Text = namespace.as_bytes().into();
        known.push((namespace.clone(), text.clone()));
        Some(text)
    }

    fn put(&self, mut node: Node) -> NodeId {
        node.line = self.line.get();
        self.tree.borrow_mut().add(node)
    }

    fn add_attributes(&self, id: NodeId, attributes: Vec<Attribute>) {
        for attribute in attributes {
            let namespace = self.namespace(&attribute.name.ns);
            let local = attribute.name.local.as_bytes();
            let mut tree = self.tree.borrow_mut();
            if tree.attribute_in(id, namespace.as_deref(), local).is_some() {
                continue;
            }
            let mut node = Node::new(Kind::Attribute, local);
            let prefix = attribute.name.prefix.filter(|prefix| !prefix.is_empty());
            node.prefix = prefix.map(|prefix| prefix.as_bytes().into());
            node.namespace = namespace;
            node.value = attribute.value.as_bytes().to_vec();
            node.line = self.line.get();
            let attribute = tree.add(node);
            tree.add_attribute(id, attribute);
        }
    }

    /// True if the tree has `html`, or one of its parts, already.
    pub(super) fn has(&self, name: &str) -> bool {
        let tree = self.tree.borrow();
        let Some(html) = tree.document_element() else {
            return false;
        };
        name == "html"
            || tree
                .children(html)
                .any(|id| &*tree[id].name == name.as_bytes())
    }

    /// Puts a node or text in front of a child, or at the end.
    fn insert(&self, parent: NodeId, child: NodeOrText<NodeId>, before: Option<NodeId>) {
        let mut tree = self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(id) => {
                tree.detach(id);
                tree.insert(parent, id, before);
            }
            NodeOrText::AppendText(text) => {
                let neighbour = match before {
                    Some(before) => tree[before].previous,
                    None => tree[parent].last,
                };
                if let Some(neighbour) = neighbour.filter(|&id| tree[id].kind == Kind::Text) {
                    tree[neighbour].value.extend_from_slice(text.as_bytes());
                    return;
                }
                let id = tree.add_text(Kind::Text, text.as_bytes());
                tree[id].line = self.line.get();
                tree.insert(parent, id, before);
            }
        }
    }
}

impl TreeSink for Sink<'_, '_> {
    type Handle = NodeId;
    type Output = ();
    type ElemName<'a>
        = Name
    where
        Self: 'a;

    fn finish(self) {}

    fn parse_error(&self, message: Cow<'static, str>) {
        self.position.tree_error(&message);
    }

    fn get_document(&self) -> NodeId {
        ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Name {
        let names = self.names.borrow();
        Name(
            names
                .get(target)
                .expect("every element is made here")
                .clone(),
        )
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> NodeId {
        let mut node = Node::new(Kind::Element, name.local.as_bytes());
        node.namespace = self.namespace(&name.ns);
        let prefix = name.prefix.as_ref().filter(|prefix| !prefix.is_empty());
        node.prefix = prefix.map(|prefix| prefix.as_bytes().into());
        let id = self.put(node);
        self.names.borrow_mut().insert(id, Rc::new(name));
        self.add_attributes(id, attributes);
        if flags.template && !self.has_no_namespace {
            let fragment = self.put(Node::new(Kind::Fragment, b"#document-fragment"));
            self.tree.borrow_mut().templates.insert(id, fragment);
        }
        id
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        let id = self
            .tree
            .borrow_mut()
            .add_text(Kind::Comment, text.as_bytes());
        self.tree.borrow_mut()[id].line = self.line.get();
        id
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        let mut node = Node::new(Kind::ProcessingInstruction, target.as_bytes());
        node.value = data.as_bytes().to_vec();
        self.put(node)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.insert(*parent, child, None);
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        previous: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        let has_parent = self.tree.borrow()[*element].parent.is_some();
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        let mut node = Node::new(Kind::DocumentType, name.as_bytes());
        let given = |text: StrTendril| (!text.is_empty()).then(|| text.as_bytes().to_vec());
        node.doctype = Some(Box::new(Doctype {
            public: given(public),
            system: given(system),
            ..Doctype::default()
        }));
        let id = self.put(node);
        self.tree.borrow_mut().append(ROOT, id);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        let content = self.tree.borrow().templates.get(target).copied();
        // Without the namespace of HTML a template is an element as any other.
        content.unwrap_or(*target)
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.tree.borrow_mut().is_quirks = mode == QuirksMode::Quirks;
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let parent = self.tree.borrow()[*sibling].parent;
        if let Some(parent) = parent {
            self.insert(parent, child, Some(*sibling));
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        self.add_attributes(*target, attributes);
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.tree.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let mut tree = self.tree.borrow_mut();
        while let Some(child) = tree[*node].first {
            tree.detach(child);
            tree.append(*new_parent, child);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &NodeId) -> bool {
        let tree = self.tree.borrow();
        tree.attribute_in(*handle, None, b"encoding")
            .is_some_and(|encoding| {
                let value = &tree[encoding].value;
                value.eq_ignore_ascii_case(b"text/html")
                    || value.eq_ignore_ascii_case(b"application/xhtml+xml")
            })
    }

    fn set_current_line(&self, line: u64) {
        // PHP counts the lines of HTML from 0 on.
        self.line
            .set(u32::try_from(line.saturating_sub(1)).unwrap_or(u32::MAX));
    }

    fn allow_declarative_shadow_roots(&self, _parent: &NodeId) -> bool {
        false
    }
}
