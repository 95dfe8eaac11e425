//! Namespaces: which one a prefix stands for, and where it is declared.

use std::borrow::Cow;

use super::tree::{Declaration, Kind, Node, NodeId, Text, Tree, XML_NAMESPACE, XMLNS_NAMESPACE};

/// The attribute `xmlns="uri"` or `xmlns:prefix="uri"`.
pub(crate) fn declaring_attribute(prefix: Option<&[u8]>, uri: &[u8]) -> Node {
    let mut node = Node::new(Kind::Attribute, prefix.unwrap_or(b"xmlns"));
    node.prefix = prefix.map(|_| b"xmlns"[..].into());
    node.namespace = Some(XMLNS_NAMESPACE.into());
    node.value = uri.to_vec();
    node
}

impl Tree {
    /// The namespace that a prefix stands for at a node.
    pub(crate) fn find_namespace(&self, id: NodeId, prefix: Option<&[u8]>) -> Option<Text> {
        if prefix == Some(b"xml") {
            return Some(XML_NAMESPACE.into());
        }
        if self.is_modern {
            return self.locate_namespace(id, prefix);
        }
        let mut at = Some(id);
        while let Some(node) = at {
            let found = self[node]
                .declarations
                .iter()
                .find(|declaration| declaration.prefix.as_deref() == prefix);
            if let Some(found) = found {
                return (!found.uri.is_empty()).then(|| found.uri.clone());
            }
            at = self[node].parent;
        }
        None
    }

    /// A prefix that stands for a namespace at a node; the inner `None` is the default namespace.
    pub(crate) fn find_prefix(&self, id: NodeId, uri: &[u8]) -> Option<Option<Text>> {
        if uri == XML_NAMESPACE {
            return Some(Some(b"xml"[..].into()));
        }
        let mut at = Some(id);
        while let Some(node) = at {
            for declaration in self.declarations_of(node).iter() {
                if *declaration.uri == *uri
                    && self
                        .find_namespace(id, declaration.prefix.as_deref())
                        .is_some_and(|found| *found == *uri)
                {
                    return Some(declaration.prefix.clone());
                }
            }
            at = self[node].parent;
        }
        None
    }

    /// As [`Tree::copy_from`]; what the copy uses of the namespaces around the original, it declares itself.
    pub(crate) fn copy_apart(&mut self, source: Option<&Tree>, id: NodeId, deep: bool) -> NodeId {
        let copy = self.copy_from(source, id, deep);
        let is_modern = self.is_modern || source.is_some_and(|source| source.is_modern);
        if !is_modern && self[copy].kind == Kind::Element {
            self.declare_used(copy);
        }
        copy
    }

    /// Declares at the top of a tree what its elements and attributes use and nothing there declares.
    fn declare_used(&mut self, top: NodeId) {
        let elements: Vec<NodeId> = std::iter::once(top).chain(self.descendants(top)).collect();
        for element in elements {
            if self[element].kind != Kind::Element {
                continue;
            }
            let attributes = self[element].attributes.clone();
            for id in std::iter::once(element).chain(attributes) {
                let Some(uri) = self[id].namespace.clone() else {
                    continue;
                };
                let prefix = self[id].prefix.clone();
                if self.find_namespace(element, prefix.as_deref()).as_ref() == Some(&uri) {
                    continue;
                }
                let mut declared = self[top].declarations.iter();
                if !declared.any(|declaration| declaration.prefix == prefix) {
                    self.declare(top, prefix.as_deref(), &uri);
                }
            }
        }
    }

    /// Declares a namespace at an element, unless it does so already.
    pub(crate) fn declare(&mut self, id: NodeId, prefix: Option<&[u8]>, uri: &[u8]) {
        if self.is_modern {
            let name = prefix.unwrap_or(b"xmlns");
            if let Some(known) = self.attribute_in(id, Some(XMLNS_NAMESPACE), name) {
                self[known].value = uri.to_vec();
                return;
            }
            let node = declaring_attribute(prefix, uri);
            let attribute = self.add(node);
            self.add_attribute(id, attribute);
            return;
        }
        let known = self[id]
            .declarations
            .iter_mut()
            .find(|declaration| declaration.prefix.as_deref() == prefix);
        match known {
            Some(known) => known.uri = uri.into(),
            None => self[id].declarations.push(Declaration {
                prefix: prefix.map(Into::into),
                uri: uri.into(),
            }),
        }
    }

    /// The namespaces that an element declares.
    pub(crate) fn declarations_of(&self, id: NodeId) -> Cow<'_, [Declaration]> {
        if !self.is_modern {
            return Cow::Borrowed(&self[id].declarations);
        }
        let attributes = self[id].attributes.iter().map(|&id| &self[id]);
        let declared = attributes.filter_map(|attribute| {
            let (prefix, uri) = attribute.declares()?;
            Some(Declaration {
                prefix: prefix.map(Into::into),
                uri: uri.into(),
            })
        });
        Cow::Owned(declared.collect())
    }

    /// The element that a question for namespaces at a node is put to.
    fn element_asked(&self, id: NodeId) -> Option<NodeId> {
        match self[id].kind {
            Kind::Element => Some(id),
            Kind::Document | Kind::HtmlDocument => self.document_element(),
            Kind::DocumentType | Kind::Fragment => None,
            _ => {
                let parent = self[id].parent?;
                (self[parent].kind == Kind::Element).then_some(parent)
            }
        }
    }

    /// "Locate a namespace" of the DOM standard.
    pub(crate) fn locate_namespace(&self, id: NodeId, prefix: Option<&[u8]>) -> Option<Text> {
        match prefix {
            Some(b"xml") => return Some(XML_NAMESPACE.into()),
            Some(b"xmlns") => return Some(XMLNS_NAMESPACE.into()),
            _ => {}
        }
        let mut at = self.element_asked(id);
        while let Some(id) = at.filter(|&id| self[id].kind == Kind::Element) {
            let node = &self[id];
            if node.namespace.is_some() && node.prefix.as_deref() == prefix {
                return node.namespace.clone();
            }
            for &attribute in &node.attributes {
                if let Some((declared, uri)) = self[attribute].declares()
                    && declared == prefix
                {
                    return (!uri.is_empty()).then(|| uri.into());
                }
            }
            at = node.parent;
        }
        None
    }

    /// "Locate a namespace prefix" of the DOM standard.
    pub(crate) fn locate_prefix(&self, id: NodeId, uri: &[u8]) -> Option<Text> {
        let mut at = self.element_asked(id);
        while let Some(id) = at.filter(|&id| self[id].kind == Kind::Element) {
            let node = &self[id];
            if node.namespace.as_deref() == Some(uri) && node.prefix.is_some() {
                return node.prefix.clone();
            }
            for &attribute in &node.attributes {
                if let Some((Some(prefix), known)) = self[attribute].declares()
                    && known == uri
                {
                    return Some(prefix.into());
                }
            }
            at = node.parent;
        }
        None
    }

    /// Makes declarations at a node and below it attributes, as modern documents have them.
    pub(crate) fn modernize(&mut self, top: NodeId) {
        let elements: Vec<NodeId> = std::iter::once(top)
            .chain(self.descendants(top))
            .filter(|&id| !self[id].declarations.is_empty())
            .collect();
        for id in elements {
            let declarations = std::mem::take(&mut self[id].declarations);
            let others = std::mem::take(&mut self[id].attributes);
            for declaration in declarations {
                let node = declaring_attribute(declaration.prefix.as_deref(), &declaration.uri);
                let attribute = self.add(node);
                self.add_attribute(id, attribute);
            }
            self[id].attributes.extend(others);
        }
    }
}

impl Node {
    /// Prefix and URI, if this attribute declares a namespace.
    pub(crate) fn declares(&self) -> Option<(Option<&[u8]>, &[u8])> {
        if self.namespace.as_deref() != Some(XMLNS_NAMESPACE) {
            return None;
        }
        let prefix = self.prefix.as_ref().map(|_| &*self.name);
        Some((prefix, &self.value))
    }
}
