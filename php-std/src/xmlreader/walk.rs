//! The walk over a document: every node once, and the ends of elements.

use std::collections::HashSet;

use crate::xml::builder::Builder;
use crate::xml::error::XmlError;
use crate::xml::parser::{Declaration, Parser, Sink, StartTag};
use crate::xml::schema::Schema;
use crate::xml::tree::{Doctype, Document, Kind, NodeId, ROOT, Tree};

/// Builds the tree, and notes which elements are written as empty.
struct Noting<'a> {
    builder: Builder<'a, 'static>,
    empty: HashSet<NodeId>,
}

impl Sink for Noting<'_> {
    fn declaration(&mut self, declaration: Declaration) {
        self.builder.declaration(declaration);
    }

    fn doctype(&mut self, name: &[u8], doctype: &Doctype, line: u32) {
        self.builder.doctype(name, doctype, line);
    }

    fn start(&mut self, tag: StartTag) {
        let is_empty = tag.is_empty;
        self.builder.start(tag);
        if is_empty {
            self.empty.insert(self.builder.current());
        }
    }

    fn end(&mut self, name: &[u8]) {
        self.builder.end(name);
    }

    fn text(&mut self, text: &[u8], behind: &[u8], line: u32) {
        self.builder.text(text, behind, line);
    }

    fn cdata(&mut self, text: &[u8], line: u32) {
        self.builder.cdata(text, line);
    }

    fn comment(&mut self, text: &[u8], line: u32) {
        self.builder.comment(text, line);
    }

    fn instruction(&mut self, target: &[u8], data: &[u8], line: u32) {
        self.builder.instruction(target, data, line);
    }

    fn reference(&mut self, name: &[u8], line: u32) {
        self.builder.reference(name, line);
    }
}

/// Where a walk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Start,
    Node(NodeId),
    /// Behind the content of an element.
    End(NodeId),
    Done,
}

/// Validation by a schema while a document is walked over.
pub(super) struct Validation {
    pub(super) schema: Schema,
    /// What is still to be told, the last first; nothing before the first node.
    pub(super) errors: Option<Vec<XmlError>>,
    pub(super) is_valid: bool,
}

/// A walk.
pub(super) struct Walk {
    pub(super) validation: Option<Validation>,
    pub(super) document: Document,
    empty: HashSet<NodeId>,
    pub(super) place: Place,
    /// The attribute that was moved to.
    pub(super) attribute: Option<usize>,
    /// What is told when the walk comes to its end.
    pub(super) errors: Vec<XmlError>,
    pub(super) is_good: bool,
    pub(super) options: i64,
    /// The text, of which errors show lines.
    pub(super) source: Vec<u8>,
    encoding: Option<Vec<u8>>,
    file: Vec<u8>,
}

impl Walk {
    /// A walk over a text.
    pub(super) fn new(bytes: &[u8], options: i64, file: &[u8], encoding: Option<&[u8]>) -> Walk {
        let document = Document::new(Kind::Document);
        let (is_good, errors, empty) = {
            let mut tree = document.write();
            let mut sink = Noting {
                builder: Builder::new(&mut tree, ROOT, options),
                empty: HashSet::new(),
            };
            let (is_good, errors) = Parser::parse(bytes, options, file, encoding, &mut sink);
            (is_good, errors, sink.empty)
        };
        Walk {
            document,
            empty,
            validation: None,
            place: Place::Start,
            attribute: None,
            errors,
            is_good,
            options,
            source: bytes.to_vec(),
            encoding: encoding.map(<[u8]>::to_vec),
            file: file.to_vec(),
        }
    }

    /// Reads the document again with an option set or not; only before the first node.
    pub(super) fn set_option(&mut self, option: i64, is_on: bool) {
        let options = if is_on {
            self.options | option
        } else {
            self.options & !option
        };
        if self.place != Place::Start {
            self.options = options;
            return;
        }
        let uri = self.document.read().uri.clone();
        let (source, file) = (std::mem::take(&mut self.source), self.file.clone());
        let validation = self.validation.take();
        *self = Walk::new(&source, options, &file, self.encoding.clone().as_deref());
        self.validation = validation;
        self.document.write().uri = uri;
    }

    /// The node of the present place; the attribute, if one was moved to.
    pub(super) fn node(&self) -> Option<NodeId> {
        let element = self.element()?;
        match self.attribute {
            Some(place) => self.document.read()[element].attributes.get(place).copied(),
            None => Some(element),
        }
    }

    /// The node of the present place, attributes aside.
    pub(super) fn element(&self) -> Option<NodeId> {
        match self.place {
            Place::Node(id) | Place::End(id) => Some(id),
            _ => None,
        }
    }

    /// True for an element that is written `<a/>`.
    pub(super) fn is_empty(&self, id: NodeId) -> bool {
        self.empty.contains(&id)
    }

    /// The place behind the present one.
    fn following(&self, tree: &Tree, place: Place) -> Place {
        let behind = |id: NodeId| match (tree[id].next, tree[id].parent) {
            (Some(next), _) => Place::Node(next),
            (None, Some(parent)) if parent != ROOT => Place::End(parent),
            _ => Place::Done,
        };
        match place {
            Place::Start => tree[ROOT].first.map_or(Place::Done, Place::Node),
            Place::Node(id) if tree[id].kind == Kind::Element => match tree[id].first {
                Some(first) => Place::Node(first),
                None if self.is_empty(id) => behind(id),
                None => Place::End(id),
            },
            Place::Node(id) | Place::End(id) => behind(id),
            Place::Done => Place::Done,
        }
    }

    /// Goes on; false at the end.
    pub(super) fn read(&mut self) -> bool {
        self.attribute = None;
        let next = self.following(&self.document.read(), self.place);
        self.place = next;
        next != Place::Done
    }

    /// Goes on behind the present element and all in it; false at the end.
    pub(super) fn skip(&mut self) -> bool {
        if let Place::Node(id) = self.place
            && self.document.read()[id].kind == Kind::Element
        {
            self.attribute = None;
            let tree = self.document.read();
            self.place = match (tree[id].next, tree[id].parent) {
                (Some(next), _) => Place::Node(next),
                (None, Some(parent)) if parent != ROOT => Place::End(parent),
                _ => Place::Done,
            };
            return self.place != Place::Done;
        }
        self.read()
    }
}
