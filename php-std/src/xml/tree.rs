//! The tree of a document: all nodes of a document live in one arena, and refer to each other by
//! number. The places of nodes that were taken out of the tree are used again once nobody can know their numbers any
//! more.

use std::cell::{Ref, RefCell, RefMut};
use std::collections::HashMap;
use std::rc::Rc;

use super::named::Named;
use vm_runtime::class::Class;
use vm_runtime::object::PhpObject;

/// The number of a node in its document; 0 is the document itself.
pub(crate) type NodeId = u32;

/// The document's own node.
pub(crate) const ROOT: NodeId = 0;

/// The kinds of nodes, with the numbers of libxml2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Element = 1,
    Attribute = 2,
    Text = 3,
    CData = 4,
    EntityReference = 5,
    Entity = 6,
    ProcessingInstruction = 7,
    Comment = 8,
    Document = 9,
    DocumentType = 10,
    Fragment = 11,
    Notation = 12,
    #[allow(dead_code, reason = "documents that were read as HTML")]
    HtmlDocument = 13,
    /// A namespace declaration, where a script asks for it as a node.
    Namespace = 18,
}

/// Bytes that many nodes share.
pub(crate) type Text = Rc<[u8]>;

/// A namespace declaration of an element: `xmlns="uri"` or `xmlns:prefix="uri"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declaration {
    pub(crate) prefix: Option<Text>,
    /// Empty for `xmlns=""`.
    pub(crate) uri: Text,
}

/// A notation: its name, public and system identifier.
pub(crate) type Notation = (Vec<u8>, Option<Vec<u8>>, Option<Vec<u8>>);

/// What only document types have.
#[derive(Debug, Clone, Default)]
pub(crate) struct Doctype {
    pub(crate) public: Option<Vec<u8>>,
    pub(crate) system: Option<Vec<u8>>,
    /// The text between `[` and `]`.
    pub(crate) subset: Option<Vec<u8>>,
    pub(crate) entities: Named<Entity>,
    pub(crate) notations: Vec<Notation>,
    /// The nodes of those that were asked for.
    pub(crate) nodes: Named<NodeId>,
    /// Defaults and types of attributes, by their elements.
    pub(crate) attributes: Named<Named<AttributeRule>>,
}

impl Doctype {
    /// What it says of an attribute.
    pub(crate) fn rule(&self, element: &[u8], attribute: &[u8]) -> Option<&AttributeRule> {
        self.attributes.get(element)?.get(attribute)
    }
}

/// An attribute as the document type declares it.
#[derive(Debug, Clone)]
pub(crate) struct AttributeRule {
    pub(crate) is_id: bool,
    pub(crate) default: Option<Vec<u8>>,
}

/// A general entity.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entity {
    /// The replacement text of an internal one.
    pub(crate) content: Option<Vec<u8>>,
    pub(crate) public: Option<Vec<u8>>,
    pub(crate) system: Option<Vec<u8>>,
    pub(crate) notation: Option<Vec<u8>>,
}

/// A node.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) parent: Option<NodeId>,
    pub(crate) first: Option<NodeId>,
    pub(crate) last: Option<NodeId>,
    pub(crate) previous: Option<NodeId>,
    pub(crate) next: Option<NodeId>,
    /// The name without prefix.
    pub(crate) name: Text,
    pub(crate) prefix: Option<Text>,
    pub(crate) namespace: Option<Text>,
    /// Text, comment, data of a processing instruction, value of an attribute.
    pub(crate) value: Vec<u8>,
    pub(crate) attributes: Vec<NodeId>,
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) line: u32,
    /// An attribute by whose value its element is found.
    pub(crate) is_id: bool,
    /// An attribute of HTML without a value, text that is written as it is, or a comment that nobody
    /// gave any data, which is not written.
    pub(crate) is_bare: bool,
    pub(crate) doctype: Option<Box<Doctype>>,
}

impl Node {
    /// A node without relatives.
    pub(crate) fn new(kind: Kind, name: &[u8]) -> Node {
        Node {
            kind,
            parent: None,
            first: None,
            last: None,
            previous: None,
            next: None,
            name: name.into(),
            prefix: None,
            namespace: None,
            value: Vec::new(),
            attributes: Vec::new(),
            declarations: Vec::new(),
            line: 0,
            is_id: false,
            is_bare: false,
            doctype: None,
        }
    }

    /// The name with its prefix.
    pub(crate) fn qualified_name(&self) -> Vec<u8> {
        match &self.prefix {
            Some(prefix) if !prefix.is_empty() => [prefix, &b":"[..], &self.name].concat(),
            _ => self.name.to_vec(),
        }
    }

    /// Kind and relatives.
    pub(crate) fn clone_head(&self) -> Relatives {
        Relatives {
            kind: self.kind,
            parent: self.parent,
            previous: self.previous,
            next: self.next,
        }
    }

    /// True for what holds text of the document.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::CData)
    }

    /// True for white space alone.
    pub(crate) fn is_blank(&self) -> bool {
        self.is_text()
            && self
                .value
                .iter()
                .all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
    }
}

/// Kind and relatives of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Relatives {
    pub(crate) kind: Kind,
    pub(crate) parent: Option<NodeId>,
    pub(crate) previous: Option<NodeId>,
    pub(crate) next: Option<NodeId>,
}

/// A document.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Places whose nodes are gone.
    vacant: Vec<NodeId>,
    /// Objects of the script that stand for nodes now.
    pub(crate) objects: HashMap<NodeId, *mut PhpObject, foldhash::fast::FixedState>,
    pub(crate) version: Option<Vec<u8>>,
    pub(crate) encoding: Option<Vec<u8>>,
    pub(crate) standalone: Option<bool>,
    pub(crate) uri: Option<Vec<u8>>,
    /// Counts changes, for lists that are kept.
    pub(crate) changes: u64,
    pub(crate) settings: Settings,
    /// Classes that objects for nodes have instead of the standard ones, by the names of those.
    pub(crate) classes: Vec<(String, *mut Class)>,
    /// The standard classes that were looked up.
    pub(crate) found_classes: Vec<(&'static str, *mut Class)>,
    /// Holds nodes that belong to no document yet.
    pub(crate) is_nowhere: bool,
    /// A document of the classes below `Dom\\`: declarations of namespaces are attributes, and the
    /// rules are those of the DOM standard.
    pub(crate) is_modern: bool,
    /// How lines beyond 65,535 are told.
    pub(crate) far_lines: FarLines,
    /// An HTML document in quirks mode: names of classes and ids match in either case.
    pub(crate) is_quirks: bool,
    /// What is in `template` elements, as fragments.
    pub(crate) templates: HashMap<NodeId, NodeId, foldhash::fast::FixedState>,
    /// What the object of this document has read instead.
    pub(crate) successor: Option<Document>,
}

/// Lines beyond 65,535, which libxml2 keeps with texts alone, and only if asked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FarLines {
    Exact,
    /// All of them are 65,535.
    Cut,
    /// An element has the line of the nearest text.
    OfText,
}

/// How a document is read and written; scripts set it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    /// Errors are exceptions.
    pub(crate) is_strict: bool,
    pub(crate) format_output: bool,
    pub(crate) validate_on_parse: bool,
    pub(crate) resolve_externals: bool,
    pub(crate) preserve_white_space: bool,
    pub(crate) recover: bool,
    pub(crate) substitute_entities: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            is_strict: true,
            format_output: false,
            validate_on_parse: false,
            resolve_externals: false,
            preserve_white_space: true,
            recover: false,
            substitute_entities: false,
        }
    }
}

/// A shared document.
#[derive(Clone)]
pub(crate) struct Document(Rc<RefCell<Tree>>);

impl std::fmt::Debug for Document {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Document({:p})", Rc::as_ptr(&self.0))
    }
}

impl PartialEq for Document {
    fn eq(&self, other: &Document) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Document {
    /// An empty document.
    pub(crate) fn new(kind: Kind) -> Document {
        Document(Rc::new(RefCell::new(Tree {
            nodes: vec![Node::new(kind, b"#document")],
            vacant: Vec::new(),
            objects: HashMap::default(),
            version: None,
            encoding: None,
            standalone: None,
            uri: None,
            changes: 0,
            settings: Settings::default(),
            classes: Vec::new(),
            found_classes: Vec::new(),
            is_nowhere: false,
            is_modern: false,
            far_lines: FarLines::Exact,
            is_quirks: false,
            templates: HashMap::default(),
            successor: None,
        })))
    }

    /// The tree for reading. No code of the script may run meanwhile.
    pub(crate) fn read(&self) -> Ref<'_, Tree> {
        self.0.borrow()
    }

    /// The tree for writing. No code of the script may run meanwhile.
    pub(crate) fn write(&self) -> RefMut<'_, Tree> {
        let mut tree = self.0.borrow_mut();
        tree.changes += 1;
        tree
    }

    /// The tree for noting what is no change of the document, so that lists stay as they are: which objects stand for
    /// its nodes, and their classes. No code of the script may run meanwhile.
    pub(crate) fn note(&self) -> RefMut<'_, Tree> {
        self.0.borrow_mut()
    }

    /// The object for a node goes. Trees that are in use right now are not touched: they look after
    /// their table themselves.
    pub(crate) fn forget_object(&self, id: NodeId) {
        if let Ok(mut tree) = self.0.try_borrow_mut() {
            tree.objects.remove(&id);
            // Whoever knows a node by its number has the document. Here these are objects alone, and the one that goes.
            let only_objects = Rc::strong_count(&self.0) == tree.objects.len() + 1;
            tree.let_go(id, only_objects);
        }
    }

    /// A number that orders documents.
    pub(crate) fn address(&self) -> usize {
        Rc::as_ptr(&self.0).addr()
    }
}

impl std::ops::Index<NodeId> for Tree {
    type Output = Node;

    fn index(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }
}

impl std::ops::IndexMut<NodeId> for Tree {
    fn index_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }
}

/// A name as XML writes it: prefix and local part.
pub(crate) fn split_name(name: &[u8]) -> (Option<&[u8]>, &[u8]) {
    match memchr::memchr(b':', name) {
        Some(at) if at > 0 && at + 1 < name.len() => (Some(&name[..at]), &name[at + 1..]),
        _ => (None, name),
    }
}

/// What a reference stands for that needs no declaration.
pub(crate) fn predefined(name: &[u8]) -> Option<&'static [u8]> {
    Some(match name {
        b"lt" => b"<",
        b"gt" => b">",
        b"amp" => b"&",
        b"quot" => b"\"",
        b"apos" => b"'",
        _ => return None,
    })
}

/// How many references deep text is looked for: documents that were recovered may have loops.
const DEEPEST_REFERENCE: usize = 40;
/// So many references are followed for one text, and none once it has so many bytes: as long as libxml2 lets a text be.
const MOST_REFERENCES: usize = 1 << 18;
const LONGEST_TEXT_OF_REFERENCES: usize = 10_000_000;

/// The namespace of the prefix `xml`.
pub(crate) const XML_NAMESPACE: &[u8] = b"http://www.w3.org/XML/1998/namespace";
/// The namespace of HTML.
pub(crate) const HTML_NAMESPACE: &[u8] = b"http://www.w3.org/1999/xhtml";
/// The namespace of namespace declarations.
pub(crate) const XMLNS_NAMESPACE: &[u8] = b"http://www.w3.org/2000/xmlns/";

impl Tree {
    /// Adds a node without relatives.
    pub(crate) fn add(&mut self, node: Node) -> NodeId {
        if let Some(id) = self.vacant.pop() {
            self[id] = node;
            return id;
        }
        vm_runtime::limits::grow(&mut self.nodes);
        self.nodes.push(node);
        self.nodes.len() as NodeId - 1
    }

    /// How many nodes there are, those without relatives as well. Others get places behind them.
    #[cfg(feature = "xsl")]
    pub(crate) fn count(&mut self) -> usize {
        self.vacant.clear();
        self.nodes.len()
    }

    /// Lets go of the nodes that came after the first `count`, unless somebody refers to one of them.
    #[cfg(feature = "xsl")]
    pub(crate) fn truncate(&mut self, count: usize) {
        let is_new = |id: &NodeId| *id as usize >= count;
        let links = |node: &Node| {
            let relatives = [node.parent, node.first, node.last, node.previous, node.next];
            relatives.iter().flatten().any(is_new) || node.attributes.iter().any(is_new)
        };
        let is_used = self.objects.keys().any(is_new)
            || self
                .templates
                .iter()
                .any(|(id, content)| is_new(id) || is_new(content))
            || self.nodes.iter().take(count).any(|node| {
                let declared = node.doctype.iter().flat_map(|doctype| &doctype.nodes);
                links(node) || { declared }.any(|(_, id)| is_new(id))
            });
        if !is_used {
            self.nodes.truncate(count);
            self.vacant.retain(|id| !is_new(id));
        }
    }

    /// A new text node.
    pub(crate) fn add_text(&mut self, kind: Kind, value: &[u8]) -> NodeId {
        let name: &[u8] = match kind {
            Kind::CData => b"#cdata-section",
            Kind::Comment => b"#comment",
            _ => b"#text",
        };
        let mut node = Node::new(kind, name);
        node.value = value.to_vec();
        self.add(node)
    }

    /// The children of a node.
    pub(crate) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self[id].first, |&child| self[child].next)
    }

    /// The ancestors of a node, the nearest first.
    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self[id].parent, |&node| self[node].parent)
    }

    /// The next node in document order below `top`, attributes left out.
    pub(crate) fn following(&self, id: NodeId, top: NodeId) -> Option<NodeId> {
        if let Some(child) = self[id].first {
            return Some(child);
        }
        self.following_outside(id, top)
    }

    /// As [`Tree::following`], but without the descendants of the node.
    pub(crate) fn following_outside(&self, mut id: NodeId, top: NodeId) -> Option<NodeId> {
        loop {
            if id == top {
                return None;
            }
            if let Some(next) = self[id].next {
                return Some(next);
            }
            id = self[id].parent?;
        }
    }

    /// The descendants of a node in document order.
    pub(crate) fn descendants(&self, top: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self[top].first, move |&id| self.following(id, top))
    }

    /// The outermost node that a node hangs from.
    pub(crate) fn root_of(&self, id: NodeId) -> NodeId {
        self.ancestors(id).last().unwrap_or(id)
    }

    /// The document element.
    pub(crate) fn document_element(&self) -> Option<NodeId> {
        self.children(ROOT)
            .find(|&child| self[child].kind == Kind::Element)
    }

    /// The document type.
    pub(crate) fn doctype(&self) -> Option<NodeId> {
        self.children(ROOT)
            .find(|&child| self[child].kind == Kind::DocumentType)
    }

    /// True if `ancestor` is the node or one of its ancestors.
    pub(crate) fn contains(&self, ancestor: NodeId, id: NodeId) -> bool {
        id == ancestor || self.ancestors(id).any(|node| node == ancestor)
    }

    /// Takes a node out of its parent.
    pub(crate) fn detach(&mut self, id: NodeId) {
        let Some(parent) = self[id].parent else {
            return;
        };
        if self[id].kind == Kind::Attribute {
            self[parent].attributes.retain(|&attribute| attribute != id);
            self[id].parent = None;
            return;
        }
        let (previous, next) = (self[id].previous, self[id].next);
        match previous {
            Some(previous) => self[previous].next = next,
            None => self[parent].first = next,
        }
        match next {
            Some(next) => self[next].previous = previous,
            None => self[parent].last = previous,
        }
        let node = &mut self[id];
        (node.parent, node.previous, node.next) = (None, None, None);
        self.renew_value(parent);
    }

    /// A node outside the document whose object goes is gone for scripts: what is below it and still has
    /// objects has no parent any more. With `frees` nobody else knows the nodes: their places become vacant.
    fn let_go(&mut self, top: NodeId, frees: bool) {
        if top == ROOT || self.objects.is_empty() || self[top].parent.is_some() {
            return;
        }
        let is_held = |id: &NodeId| self.objects.contains_key(id);
        let mut held: Vec<NodeId> = Vec::new();
        let mut at = Some(top);
        while let Some(id) = at {
            held.extend(self[id].attributes.iter().copied().filter(is_held));
            let is_kept = id != top && is_held(&id);
            if is_kept {
                held.push(id);
            }
            at = match is_kept {
                true => self.following_outside(id, top),
                false => self.following(id, top),
            };
        }
        for id in held {
            self.detach(id);
        }
        let declared = self[top].doctype.iter().flat_map(|doctype| &doctype.nodes);
        let declared: Vec<NodeId> = declared.map(|(_, node)| *node).collect();
        for node in declared {
            self[node].parent = None;
        }
        if frees {
            self.vacate(top);
        }
    }

    /// Makes room of a node without a parent and all below it, unless there is something that documents know.
    fn vacate(&mut self, top: NodeId) {
        let mut nodes = vec![top];
        let mut seen = 0;
        while let Some(&id) = nodes.get(seen) {
            nodes.extend(&self[id].attributes);
            nodes.extend(self.children(id));
            seen += 1;
        }
        let is_known = |id: &NodeId| {
            let node = &self[*id];
            let is_special = match node.kind {
                Kind::Element
                | Kind::Attribute
                | Kind::Text
                | Kind::CData
                | Kind::ProcessingInstruction
                | Kind::Comment
                | Kind::Fragment => node.doctype.is_some(),
                _ => true,
            };
            is_special || self.objects.contains_key(id)
        };
        // What is in a template hangs from it in a way of its own.
        if !self.templates.is_empty() || nodes.iter().any(is_known) {
            return;
        }
        for &id in &nodes {
            let node = &mut self[id];
            (node.parent, node.first, node.last) = (None, None, None);
            (node.previous, node.next) = (None, None);
            (node.prefix, node.namespace) = (None, None);
            (node.value, node.attributes) = (Vec::new(), Vec::new());
            node.declarations = Vec::new();
        }
        self.vacant.extend(nodes);
    }

    /// The value of an attribute follows from what is in it.
    fn renew_value(&mut self, id: NodeId) {
        if self[id].kind == Kind::Attribute {
            self[id].value = self.text_below(id);
        }
    }

    /// Gives an attribute that has a value the text below it that the value follows from.
    pub(crate) fn materialize(&mut self, id: NodeId) {
        let node = &self[id];
        if node.kind != Kind::Attribute || node.first.is_some() || node.value.is_empty() {
            return;
        }
        let value = node.value.clone();
        let text = self.add_text(Kind::Text, &value);
        self.append(id, text);
    }

    /// Puts a node, which has no parent, in front of a child of `parent`, or at the end.
    pub(crate) fn insert(&mut self, parent: NodeId, id: NodeId, before: Option<NodeId>) {
        let previous = match before {
            Some(before) => self[before].previous,
            None => self[parent].last,
        };
        let node = &mut self[id];
        (node.parent, node.previous, node.next) = (Some(parent), previous, before);
        match previous {
            Some(previous) => self[previous].next = Some(id),
            None => self[parent].first = Some(id),
        }
        match before {
            Some(before) => self[before].previous = Some(id),
            None => self[parent].last = Some(id),
        }
        self.renew_value(parent);
    }

    /// Puts a node at the end of a parent.
    pub(crate) fn append(&mut self, parent: NodeId, id: NodeId) {
        self.insert(parent, id, None);
    }

    /// The attribute of a qualified name.
    pub(crate) fn attribute(&self, element: NodeId, name: &[u8]) -> Option<NodeId> {
        let (prefix, local) = split_name(name);
        self[element].attributes.iter().copied().find(|&id| {
            let node = &self[id];
            &*node.name == local && node.prefix.as_deref() == prefix
                || node.prefix.is_none() && &*node.name == name
        })
    }

    /// The attribute of a name in a namespace.
    pub(crate) fn attribute_in(
        &self,
        element: NodeId,
        namespace: Option<&[u8]>,
        local: &[u8],
    ) -> Option<NodeId> {
        self[element].attributes.iter().copied().find(|&id| {
            let node = &self[id];
            &*node.name == local && node.namespace.as_deref() == namespace
        })
    }

    /// Sets an attribute without a namespace, or gives the existing one a new value.
    pub(crate) fn set_attribute(&mut self, element: NodeId, name: &[u8], value: &[u8]) -> NodeId {
        if let Some(id) = self.attribute(element, name) {
            self.drop_children(id);
            self[id].value = value.to_vec();
            self[id].is_bare = false;
            return id;
        }
        let mut node = Node::new(Kind::Attribute, name);
        node.value = value.to_vec();
        node.is_id = name == b"id" && self[ROOT].kind == Kind::HtmlDocument && !self.is_modern;
        let id = self.add(node);
        self.add_attribute(element, id);
        id
    }

    /// Gives an element an attribute that has none yet.
    pub(crate) fn add_attribute(&mut self, element: NodeId, id: NodeId) {
        self[id].parent = Some(element);
        self[element].attributes.push(id);
    }

    /// Lets go of all children.
    pub(crate) fn drop_children(&mut self, id: NodeId) {
        while let Some(child) = self[id].first {
            self.detach(child);
        }
    }

    /// The text of all nodes below a node.
    fn text_below(&self, id: NodeId) -> Vec<u8> {
        let (mut text, mut references) = (Vec::new(), 0);
        self.gather_text(id, 0, &mut text, &mut references);
        text
    }

    /// Appends the text of all nodes below a node, which is `depth` references deep. References lead on until there
    /// are too many of them, or too much text: entities that refer to each other may stand for far more than there is
    /// room or time for.
    fn gather_text(&self, id: NodeId, depth: usize, text: &mut Vec<u8>, references: &mut usize) {
        for child in self.descendants(id) {
            match self[child].kind {
                Kind::Text | Kind::CData => text.extend_from_slice(&self[child].value),
                Kind::EntityReference
                    if depth < DEEPEST_REFERENCE
                        && *references < MOST_REFERENCES
                        && text.len() < LONGEST_TEXT_OF_REFERENCES =>
                {
                    *references += 1;
                    if let Some(entity) = self.known_entity(&self[child].name) {
                        self.gather_text(entity, depth + 1, text, references);
                    }
                }
                _ => {}
            }
        }
    }

    /// The node of an entity of the document type, if there is one yet. Only an entity that the document
    /// refers to has anything in it.
    fn known_entity(&self, name: &[u8]) -> Option<NodeId> {
        let declared = self[self.doctype()?].doctype.as_ref()?;
        declared.nodes.get(name).copied()
    }

    /// The text in a node and all below it.
    pub(crate) fn text_content(&self, id: NodeId) -> Vec<u8> {
        let node = &self[id];
        match node.kind {
            Kind::Element | Kind::Fragment | Kind::Document | Kind::HtmlDocument => {
                self.text_below(id)
            }
            Kind::EntityReference => self.text_of_reference(&node.name),
            _ => node.value.clone(),
        }
    }

    /// The text that a reference to an entity stands for.
    pub(crate) fn text_of_reference(&self, name: &[u8]) -> Vec<u8> {
        let entity = self.known_entity(name);
        entity.map_or(Vec::new(), |entity| self.text_below(entity))
    }

    /// The node of one of the five entities that need no declaration.
    pub(crate) fn predefined_node(&mut self, name: &[u8]) -> Option<NodeId> {
        predefined(name)?;
        let known = self[ROOT].doctype.get_or_insert_default();
        if let Some(node) = known.nodes.get(name) {
            return Some(*node);
        }
        let mut node = Node::new(Kind::Entity, name);
        node.doctype = Some(Box::default());
        let id = self.add(node);
        let known = self[ROOT].doctype.get_or_insert_default();
        known.nodes.insert(name.to_vec(), id);
        Some(id)
    }

    /// The node of a general entity: the same each time it is asked for.
    pub(crate) fn entity_node(&mut self, doctype: NodeId, name: &[u8]) -> Option<NodeId> {
        let declared = self[doctype].doctype.as_ref()?;
        if let Some(node) = declared.nodes.get(name) {
            return Some(*node);
        }
        let entity = declared.entities.get(name)?.clone();
        let mut node = Node::new(Kind::Entity, name);
        node.parent = Some(doctype);
        node.doctype = Some(Box::new(Doctype {
            public: entity.public,
            system: entity.system,
            subset: entity.notation,
            ..Default::default()
        }));
        let id = self.add(node);
        if let Some(declared) = &mut self[doctype].doctype {
            declared.nodes.insert(name.to_vec(), id);
        }
        Some(id)
    }

    /// A copy of a node of this or another tree, without a parent; with all below it if `deep`.
    /// Without, an element still has its attributes.
    pub(crate) fn copy_from(&mut self, source: Option<&Tree>, id: NodeId, deep: bool) -> NodeId {
        let top = self.copy_alone(source, id);
        // Nodes whose children are still to be copied: a tree may be deeper than the stack.
        let mut open = vec![(id, top)];
        while let Some((id, copy)) = open.pop() {
            if !deep {
                break;
            }
            let template = source.unwrap_or(self).templates.get(&id).copied();
            if let Some(content) = template {
                let fragment = self.copy_alone(source, content);
                self.templates.insert(copy, fragment);
                open.push((content, fragment));
            }
            let mut child = source.unwrap_or(self)[id].first;
            while let Some(at) = child {
                let below = self.copy_alone(source, at);
                self.append(copy, below);
                open.push((at, below));
                child = source.unwrap_or(self)[at].next;
            }
        }
        top
    }

    /// A copy of a node and its attributes, without relatives.
    fn copy_alone(&mut self, source: Option<&Tree>, id: NodeId) -> NodeId {
        let mut node = source.unwrap_or(self)[id].clone();
        let attributes = std::mem::take(&mut node.attributes);
        (node.parent, node.first, node.last) = (None, None, None);
        (node.previous, node.next) = (None, None);
        let copy = self.add(node);
        for attribute in attributes {
            let own = self.copy_alone(source, attribute);
            self.add_attribute(copy, own);
            self.copy_references(source, attribute, own);
        }
        copy
    }

    /// Copies what is in an attribute, if that is more than its value tells.
    fn copy_references(&mut self, source: Option<&Tree>, attribute: NodeId, copy: NodeId) {
        let tree = source.unwrap_or(self);
        let is_reference = |&child: &NodeId| tree[child].kind == Kind::EntityReference;
        if !tree.children(attribute).any(|child| is_reference(&child)) {
            return;
        }
        let value = tree[attribute].value.clone();
        let children: Vec<NodeId> = tree.children(attribute).collect();
        for child in children {
            let child = self.copy_alone(source, child);
            self.append(copy, child);
        }
        self[copy].value = value;
    }

    /// The element whose ID is `id`.
    pub(crate) fn element_by_id(&self, id: &[u8]) -> Option<NodeId> {
        self.element_by_id_below(ROOT, id)
    }

    /// The element below a node whose ID is `id`.
    pub(crate) fn element_by_id_below(&self, top: NodeId, id: &[u8]) -> Option<NodeId> {
        let is_id = |attribute: &Node| {
            attribute.is_id
                || self.is_modern && attribute.namespace.is_none() && &*attribute.name == b"id"
        };
        self.descendants(top).find(|&node| {
            self[node]
                .attributes
                .iter()
                .any(|&attribute| is_id(&self[attribute]) && self[attribute].value == id)
        })
    }

    /// True for an HTML document of the classes below `Dom\`.
    pub(crate) fn is_html(&self) -> bool {
        self.is_modern && self[ROOT].kind == Kind::HtmlDocument
    }

    /// True for an element of HTML in an HTML document, whose names are written in either case.
    pub(crate) fn is_html_element(&self, id: NodeId) -> bool {
        self.is_html() && self[id].namespace.as_deref() == Some(HTML_NAMESPACE)
    }

    /// True for an element of HTML of that name.
    pub(crate) fn is_html_named(&self, id: NodeId, name: &[u8]) -> bool {
        self[id].kind == Kind::Element
            && &*self[id].name == name
            && self[id].namespace.as_deref() == Some(HTML_NAMESPACE)
    }

    /// The place of a node in the order of the document: that of the nodes on the way to it.
    pub(crate) fn path(&self, id: NodeId) -> Vec<u32> {
        let mut path: Vec<u32> = Vec::new();
        let mut at = id;
        while let Some(parent) = self[at].parent {
            let place = if self[at].kind == Kind::Attribute {
                let attributes = &self[parent].attributes;
                attributes
                    .iter()
                    .position(|&known| known == at)
                    .unwrap_or(0)
            } else {
                let before = std::iter::successors(self[at].previous, |&node| self[node].previous);
                before.count() + self[parent].attributes.len()
            };
            path.push(place as u32);
            at = parent;
        }
        path.push(at);
        path.reverse();
        path
    }
}
