//! The walk over a document: every node once, and the ends of elements.

use std::collections::HashSet;

use crate::xml::builder::Builder;
use crate::xml::error::{XmlError, level};
use crate::xml::parser::{self, Declaration, Parser, Sink, StartTag, TextSource};
use crate::xml::schema::Schema;
use crate::xml::tree::{self, Doctype, Document, Kind, NodeId, ROOT, Tree};

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

    fn text(&mut self, text: &[u8], source: TextSource<'_>, line: u32) {
        self.builder.text(text, source, line);
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

/// What stands at the place of an attribute.
#[derive(Clone, Copy)]
pub(super) enum AttributeAt<'a> {
    Declaration(&'a tree::Declaration),
    Node(NodeId),
}

impl AttributeAt<'_> {
    /// The value, which is the address for a declaration.
    pub(super) fn value(self, tree: &Tree) -> Vec<u8> {
        match self {
            AttributeAt::Declaration(declared) => declared.uri.to_vec(),
            AttributeAt::Node(id) => tree[id].value.clone(),
        }
    }
}

/// The attribute of an element at a place: declarations stand in front.
pub(super) fn attribute_at(tree: &Tree, element: NodeId, place: usize) -> Option<AttributeAt<'_>> {
    let node = &tree[element];
    match node.declarations.get(place) {
        Some(declared) => Some(AttributeAt::Declaration(declared)),
        None => node
            .attributes
            .get(place - node.declarations.len())
            .map(|&id| AttributeAt::Node(id)),
    }
}

/// The place of the attribute of a name, as it is written.
pub(super) fn place_of(tree: &Tree, element: NodeId, name: &[u8]) -> Option<usize> {
    let prefix = match name.strip_prefix(b"xmlns") {
        Some(b"") => Some(None),
        Some(rest) => rest.strip_prefix(b":").map(Some),
        None => None,
    };
    match prefix {
        Some(prefix) => place_of_declaration(tree, element, prefix),
        None => place_of_node(tree, element, tree.attribute(element, name)?),
    }
}

/// The place of the attribute of a name in a namespace.
pub(super) fn place_in(
    tree: &Tree,
    element: NodeId,
    namespace: &[u8],
    name: &[u8],
) -> Option<usize> {
    if namespace == DECLARATIONS {
        let prefix = (name != b"xmlns").then_some(name);
        return place_of_declaration(tree, element, prefix);
    }
    let id = tree.attribute_in(element, Some(namespace), name)?;
    place_of_node(tree, element, id)
}

fn place_of_declaration(tree: &Tree, element: NodeId, prefix: Option<&[u8]>) -> Option<usize> {
    let mut declared = tree[element].declarations.iter();
    declared.position(|declared| declared.prefix.as_deref() == prefix)
}

fn place_of_node(tree: &Tree, element: NodeId, id: NodeId) -> Option<usize> {
    let node = &tree[element];
    let place = node.attributes.iter().position(|&known| known == id)?;
    Some(node.declarations.len() + place)
}

/// The namespace that declarations are in.
pub(super) const DECLARATIONS: &[u8] = b"http://www.w3.org/2000/xmlns/";

/// Where a walk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Start,
    Node(NodeId),
    /// Behind the content of an element.
    End(NodeId),
    Done,
}

/// A text that was parsed.
struct Parsed {
    document: Document,
    empty: HashSet<NodeId>,
    errors: Vec<XmlError>,
    is_good: bool,
}

impl Parsed {
    fn new(bytes: &[u8], options: i64, file: &[u8], encoding: Option<&[u8]>) -> Parsed {
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
        Parsed {
            document,
            empty,
            errors,
            is_good,
        }
    }

    /// Takes out the text at the end, which may go on.
    fn drop_last_text(&mut self) {
        let mut tree = self.document.write();
        let mut id = ROOT;
        while let Some(last) = tree[id].last {
            id = last;
        }
        if tree[id].is_text() {
            tree.detach(id);
        }
    }
}

/// libxml2 reads a few bytes to find the encoding, then pieces of this length, and tells of the nodes of a piece
/// when it is well-formed.
const PIECE: usize = 512;

/// Those few bytes.
const HEAD: usize = 4;

/// The length of the pieces in front of the one that a place is in.
fn read_before(place: usize) -> usize {
    match place.saturating_sub(HEAD) / PIECE {
        0 => 0,
        pieces => HEAD + pieces * PIECE,
    }
}

/// The codes of errors for something that has no end.
const ENDS_EARLY: [i64; 7] = [
    23,
    40,
    45,
    47,
    CDATA_NOT_FINISHED,
    TAG_NOT_FINISHED,
    PREMATURE_END,
];
const CDATA_NOT_FINISHED: i64 = 63;
const TAG_NOT_FINISHED: i64 = 73;
const PREMATURE_END: i64 = 77;

/// The errors as libxml2 tells of them where it reads in pieces: there elements that are open at the end are an
/// error only if there was none before, and another one.
fn as_read_in_pieces(errors: Vec<XmlError>) -> Vec<XmlError> {
    let first = errors.iter().position(|error| error.level == level::FATAL);
    let is_missed = |code: i64| matches!(code, PREMATURE_END | CDATA_NOT_FINISHED);
    let mut told = Vec::with_capacity(errors.len());
    for (place, mut error) in errors.into_iter().enumerate() {
        if is_missed(error.code) {
            if Some(place) != first {
                continue;
            }
            error.code = 5;
            error.message = b"Extra content at the end of the document\n".to_vec();
        } else if error.code == TAG_NOT_FINISHED
            && let Some(at) = memchr::memmem::rfind(&error.message, b" line ")
        {
            // The line of the tag is not told.
            error.message.truncate(at);
            error.message.push(b'\n');
        }
        told.push(error);
    }
    told
}

/// The byte at which an error was found.
fn offset_of(bytes: &[u8], error: &XmlError) -> usize {
    let line = (error.line as usize).saturating_sub(1);
    let start = match line {
        0 => 0,
        line => memchr::memchr_iter(b'\n', bytes)
            .nth(line - 1)
            .map_or(bytes.len(), |at| at + 1),
    };
    // Columns count characters.
    let mut left = (error.column as usize).saturating_sub(1);
    let length = bytes[start..]
        .iter()
        .position(|byte| {
            let begins = byte & 0xc0 != 0x80;
            let is_there = begins && left == 0;
            left -= usize::from(begins && left > 0);
            is_there
        })
        .unwrap_or(bytes.len() - start);
    start + length
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
    /// The attribute that was moved to; declarations of namespaces count as attributes, the first ones.
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
        let mut parsed = Parsed::new(bytes, options, file, encoding);
        let broken = parsed
            .errors
            .iter()
            .find(|error| error.level == level::FATAL);
        if let Some(error) = broken
            && !parsed.is_good
            && options & parser::options::RECOVER == 0
        {
            let place = offset_of(bytes, error);
            let ends_early = place >= bytes.len() && ENDS_EARLY.contains(&error.code);
            let errors = as_read_in_pieces(std::mem::take(&mut parsed.errors));
            // What is missing at the end of a file is found when all in front of it was told.
            if file.is_empty() || !ends_early {
                parsed = Parsed::new(&bytes[..read_before(place)], options, file, encoding);
                parsed.drop_last_text();
            }
            (parsed.errors, parsed.is_good) = (errors, false);
        }
        let Parsed {
            document,
            empty,
            errors,
            is_good,
        } = parsed;
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

    /// The node of the present place; the attribute, if one was moved to, but no declaration.
    pub(super) fn node(&self) -> Option<NodeId> {
        let element = self.element()?;
        let Some(place) = self.attribute else {
            return Some(element);
        };
        match attribute_at(&self.document.read(), element, place)? {
            AttributeAt::Node(id) => Some(id),
            AttributeAt::Declaration(_) => Some(element),
        }
    }

    /// The declaration that was moved to.
    pub(super) fn declaration<'a>(&self, tree: &'a Tree) -> Option<&'a tree::Declaration> {
        match attribute_at(tree, self.element()?, self.attribute?)? {
            AttributeAt::Node(_) => None,
            AttributeAt::Declaration(declared) => Some(declared),
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
