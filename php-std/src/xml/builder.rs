//! Builds the tree of a document from what the parser finds.

use super::blanks::Blanks;
use super::error::XmlError;
use super::parser::{Declaration, Parser, Sink, StartTag, TextSource, ValuePart, options};
use super::tree::{self, Doctype, Document, FarLines, Kind, Node, NodeId, ROOT, Tree};

/// Puts what the parser finds below a node.
pub(crate) struct Builder<'a, 'l> {
    tree: &'a mut Tree,
    current: NodeId,
    top: NodeId,
    /// Finds the white space that is left out, if any is.
    blanks: Option<Blanks>,
    load: Option<&'l mut Loader<'l>>,
}

/// Gives the text of an external entity of a public and a system identifier.
pub(crate) type Loader<'a> = dyn FnMut(Option<&[u8]>, &[u8]) -> Option<Vec<u8>> + 'a;

impl<'a, 'l> Builder<'a, 'l> {
    /// A builder below `top`.
    pub(crate) fn new(tree: &'a mut Tree, top: NodeId, options: i64) -> Builder<'a, 'l> {
        Builder {
            tree,
            current: top,
            top,
            blanks: (options & options::NOBLANKS != 0).then(Blanks::default),
            load: None,
        }
    }

    /// The element that is open.
    pub(crate) fn current(&self) -> NodeId {
        self.current
    }

    fn put(&mut self, mut node: Node, line: u32) -> NodeId {
        node.line = line;
        let id = self.tree.add(node);
        self.tree.append(self.current, id);
        id
    }

    fn put_text(&mut self, kind: Kind, value: &[u8], line: u32) {
        let id = self.tree.add_text(kind, value);
        self.tree[id].line = line;
        self.tree.append(self.current, id);
    }
}

impl Sink for Builder<'_, '_> {
    fn declaration(&mut self, declaration: Declaration) {
        self.tree.version = Some(declaration.version.unwrap_or_else(|| b"1.0".to_vec()));
        self.tree.encoding = declaration.encoding;
        self.tree.standalone = declaration.standalone;
    }

    fn doctype(&mut self, name: &[u8], doctype: &Doctype, line: u32) {
        if let Some(blanks) = &mut self.blanks {
            blanks.declare(doctype);
        }
        let mut node = Node::new(Kind::DocumentType, name);
        node.doctype = Some(Box::new(doctype.clone()));
        self.put(node, line);
    }

    fn start(&mut self, tag: StartTag) {
        if let Some(blanks) = &mut self.blanks {
            blanks.open(&tag);
        }
        let mut node = Node::new(Kind::Element, &tag.name);
        node.prefix = tag.prefix.map(Into::into);
        node.namespace = tag.namespace.map(Into::into);
        node.declarations = tag
            .declarations
            .into_iter()
            .map(|declared| tree::Declaration {
                prefix: declared.prefix.map(Into::into),
                uri: declared.uri.into(),
            })
            .collect();
        let id = self.put(node, tag.line);
        if self.tree.is_modern {
            self.tree.modernize(id);
        }
        for attribute in tag.attributes {
            let mut node = Node::new(Kind::Attribute, &attribute.name);
            node.prefix = attribute.prefix.map(Into::into);
            node.namespace = attribute.namespace.map(Into::into);
            node.value = attribute.value;
            node.is_id = attribute.is_id;
            node.line = tag.line;
            let value = node.value.clone();
            let made = self.tree.add(node);
            self.tree.add_attribute(id, made);
            if attribute.parts.is_empty() {
                continue;
            }
            for part in &attribute.parts {
                let child = match part {
                    ValuePart::Text(text) => self.tree.add_text(Kind::Text, text),
                    ValuePart::Reference(name) => {
                        fill_entity(self.tree, name);
                        self.tree.add(Node::new(Kind::EntityReference, name))
                    }
                };
                self.tree.append(made, child);
            }
            // The parser has replaced what entities refer to, too.
            self.tree[made].value = value;
        }
        self.current = id;
    }

    fn end(&mut self, _name: &[u8]) {
        if let Some(blanks) = &mut self.blanks {
            blanks.close();
        }
        if self.current != self.top {
            self.current = self.tree[self.current].parent.unwrap_or(self.top);
        }
    }

    fn text(&mut self, text: &[u8], source: TextSource<'_>, line: u32) {
        if let Some(blanks) = &mut self.blanks
            && !blanks.keeps(self.tree, self.current, source)
        {
            return;
        }
        if let Some(last) = self.tree[self.current].last
            && self.tree[last].kind == Kind::Text
        {
            self.tree[last].value.extend_from_slice(text);
            return;
        }
        self.put_text(Kind::Text, text, line);
    }

    fn cdata(&mut self, text: &[u8], line: u32) {
        self.put_text(Kind::CData, text, line);
    }

    fn comment(&mut self, text: &[u8], line: u32) {
        self.put_text(Kind::Comment, text, line);
    }

    fn instruction(&mut self, target: &[u8], data: &[u8], line: u32) {
        let mut node = Node::new(Kind::ProcessingInstruction, target);
        node.value = data.to_vec();
        self.put(node, line);
    }

    fn external(&mut self, public: Option<&[u8]>, system: &[u8]) -> Option<Vec<u8>> {
        self.load.as_mut().and_then(|load| load(public, system))
    }

    fn reference(&mut self, name: &[u8], line: u32) {
        self.put(Node::new(Kind::EntityReference, name), line);
        fill_entity(self.tree, name);
    }
}

/// Gives an entity that is referred to for the first time what its content means.
fn fill_entity(tree: &mut Tree, name: &[u8]) {
    let Some(id) = tree.doctype() else {
        return;
    };
    let Some(declared) = &tree[id].doctype else {
        return;
    };
    // An entity has a node from the first reference on, so that one that contains itself is not filled again.
    if declared.nodes.get(name).is_some() {
        return;
    }
    let found = declared.entities.get(name);
    let Some(content) = found.and_then(|entity| entity.content.clone()) else {
        return;
    };
    let doctype = Doctype {
        entities: declared.entities.clone(),
        attributes: declared.attributes.clone(),
        ..Doctype::default()
    };
    let Some(node) = tree.entity_node(id, name) else {
        return;
    };
    let mut builder = Builder::new(tree, node, 0);
    let namespaces = Vec::new();
    Parser::parse_content(
        &content,
        options::RECOVER,
        Some(&doctype),
        namespaces,
        &mut builder,
    );
}

/// Parses a document into an empty one; none if it is not well-formed and nothing is to be
/// recovered.
pub(crate) fn parse_into<'a>(
    document: Document,
    bytes: &[u8],
    options: i64,
    file: &[u8],
    encoding: Option<&[u8]>,
    load: Option<&'a mut Loader<'a>>,
) -> (Option<Document>, Vec<XmlError>) {
    let (is_good, errors) = {
        let mut tree = document.write();
        tree.far_lines = if options & options::BIGLINES != 0 {
            FarLines::OfText
        } else {
            FarLines::Cut
        };
        let mut builder = Builder {
            load,
            ..Builder::new(&mut tree, ROOT, options)
        };
        Parser::parse(bytes, options, file, encoding, &mut builder)
    };
    let is_kept = is_good || options & options::RECOVER != 0;
    (is_kept.then_some(document), errors)
}
