//! HTML as `DOMDocument::loadHTML()` reads it: as libxml2 2.9 does, which knows HTML 4 and mends
//! documents in its own way, with its own errors.
//!
//! No crate does that; what scripts see are libxml2's trees and texts.

mod content;
pub(crate) mod serialize;
mod tables;
mod tags;

use super::error::{XmlError, level};
use super::tree::{Doctype, Document, Kind, Node, NodeId, ROOT, Tree};

/// Elements that only the parser adds are left out.
const NO_IMPLIED: i64 = 8192;
/// No document type is added.
const NO_DEFAULT_TYPE: i64 = 4;

/// The document type of documents without one.
const DEFAULT_PUBLIC: &[u8] = b"-//W3C//DTD HTML 4.0 Transitional//EN";
const DEFAULT_SYSTEM: &[u8] = b"http://www.w3.org/TR/REC-html40/loose.dtd";

/// Reads a document; it is always made something of.
pub(crate) fn parse(document: &Document, bytes: &[u8], options: i64, file: &[u8]) -> Vec<XmlError> {
    let (text, encoding, broken) = decoded(bytes);
    let mut tree = document.write();
    tree.encoding = encoding;
    tree.standalone = Some(true);
    let mut parser = Parser {
        tree: &mut tree,
        text: &text,
        at: 0,
        line: 1,
        line_start: 0,
        options,
        file,
        open: Vec::new(),
        has_head: false,
        has_body: false,
        discarded: 0,
        errors: Vec::new(),
    };
    parser.document();
    let mut errors = std::mem::take(&mut parser.errors);
    if let Some(broken) = broken {
        note_broken(&mut errors, &bytes[..broken], file);
    }
    if options & NO_DEFAULT_TYPE == 0 && tree.doctype().is_none() {
        let mut node = Node::new(Kind::DocumentType, b"html");
        node.doctype = Some(Box::new(Doctype {
            public: Some(DEFAULT_PUBLIC.to_vec()),
            system: Some(DEFAULT_SYSTEM.to_vec()),
            ..Doctype::default()
        }));
        let doctype = tree.add(node);
        let first = tree[ROOT].first;
        tree.insert(ROOT, doctype, first);
    }
    errors
}

/// The text in UTF-8, the encoding that the document says it has, and where UTF-8 ends that the
/// document seemed to be. Without, bytes are Latin-1.
fn decoded(bytes: &[u8]) -> (Vec<u8>, Option<Vec<u8>>, Option<usize>) {
    if let Some((encoding, length)) = encoding_rs::Encoding::for_bom(bytes) {
        let text = encoding.decode_without_bom_handling(&bytes[length..]).0;
        return (
            text.into_owned().into_bytes(),
            (encoding != encoding_rs::UTF_8).then(|| encoding.name().as_bytes().to_vec()),
            None,
        );
    }
    let named = meta_charset(bytes);
    // What begins like an XML declaration is UTF-8, whatever the rest of it says; from a byte on
    // that is not, it is Latin-1.
    if named.is_none() && bytes.starts_with(b"<?xm") {
        let valid = match std::str::from_utf8(bytes) {
            Ok(_) => return (bytes.to_vec(), None, None),
            Err(error) => error.valid_up_to(),
        };
        let mut text = bytes[..valid].to_vec();
        let rest: String = bytes[valid..].iter().map(|&byte| byte as char).collect();
        text.extend_from_slice(rest.as_bytes());
        return (text, None, Some(valid));
    }
    let known = named.as_deref().and_then(encoding_rs::Encoding::for_label);
    match known {
        Some(encoding) if !named.as_ref().is_some_and(|name| is_latin(name)) => {
            let text = encoding.decode_without_bom_handling(bytes).0;
            (text.into_owned().into_bytes(), named, None)
        }
        _ => {
            let text: String = bytes.iter().map(|&byte| byte as char).collect();
            (text.into_bytes(), known.and(named), None)
        }
    }
}

/// Says that a document is not the UTF-8 it seemed to be, behind `before`. libxml2 comes across the
/// byte twice.
fn note_broken(errors: &mut Vec<XmlError>, before: &[u8], file: &[u8]) {
    let line = memchr::memchr_iter(b'\n', before).count() as u32 + 1;
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    let is_start = |byte: &&u8| **byte & 0xc0 != 0x80;
    let column = before[line_start..].iter().filter(is_start).count() as u32 + 1;
    let behind = |error: &XmlError| (error.line, error.column) > (line, column);
    let place = errors.iter().position(behind).unwrap_or(errors.len());
    let error = |column| XmlError {
        level: level::ERROR,
        code: 81,
        line,
        column,
        message: b"Input is not proper UTF-8, indicate encoding !\n".to_vec(),
        file: file.to_vec(),
    };
    errors.splice(place..place, [error(column), error(column + 1)]);
}

fn is_latin(name: &[u8]) -> bool {
    matches!(
        name.to_ascii_lowercase().as_slice(),
        b"iso-8859-1" | b"latin1"
    )
}

/// The encoding that a `meta` element tells, as it is written there.
fn meta_charset(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'<', rest) {
        rest = &rest[at + 1..];
        if rest.len() < 5 || !rest[..4].eq_ignore_ascii_case(b"meta") {
            continue;
        }
        let end = memchr::memchr(b'>', rest).unwrap_or(rest.len());
        let tag = &rest[..end];
        let lowercase = tag.to_ascii_lowercase();
        let Some(place) = memchr::memmem::find(&lowercase, b"charset") else {
            continue;
        };
        let value = tag[place + 7..].trim_ascii_start();
        let Some(value) = value.strip_prefix(b"=") else {
            continue;
        };
        let value = value.trim_ascii_start();
        let value = value
            .strip_prefix(b"\"")
            .or(value.strip_prefix(b"'"))
            .unwrap_or(value);
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte);
        let length = value.iter().take_while(|byte| is_name(byte)).count();
        if length > 0 {
            return Some(value[..length].to_vec());
        }
    }
    None
}

struct Parser<'a> {
    tree: &'a mut Tree,
    text: &'a [u8],
    at: usize,
    line: u32,
    line_start: usize,
    options: i64,
    file: &'a [u8],
    /// Open elements; discarded ones are not there.
    open: Vec<NodeId>,
    /// There was a `head`, a `body`.
    has_head: bool,
    has_body: bool,
    /// Start tags that were ignored, whose end tags are to be, too.
    discarded: usize,
    errors: Vec<XmlError>,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            match self.peek() {
                Some(b'\n') => {
                    self.line += 1;
                    self.line_start = self.at + 1;
                }
                // Columns count characters.
                Some(0x80..0xc0) => self.line_start += 1,
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.at.min(self.text.len());
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.skip(1);
        }
    }

    fn error(&mut self, code: i64, message: impl Into<Vec<u8>>) {
        self.error_of(level::ERROR, code, message);
    }

    fn error_of(&mut self, level: i64, code: i64, message: impl Into<Vec<u8>>) {
        let mut message = message.into();
        message.push(b'\n');
        self.errors.push(XmlError {
            level,
            code,
            line: self.line,
            column: (self.at - self.line_start) as u32 + 1,
            message,
            file: self.file.to_vec(),
        });
    }

    fn named_error(&mut self, code: i64, before: &str, name: &[u8], behind: &str) {
        let message = [before.as_bytes(), name, behind.as_bytes()].concat();
        self.error(code, message);
    }

    /// The name of the element that is open.
    fn name(&self) -> Option<&[u8]> {
        self.open.last().map(|&id| &*self.tree[id].name)
    }

    fn is_open(&self, name: &[u8]) -> bool {
        self.open.iter().any(|&id| &*self.tree[id].name == name)
    }

    /// Puts a node below the open element. What comes behind the end of the document element still
    /// goes there.
    fn put(&mut self, mut node: Node) -> NodeId {
        node.line = self.line;
        let id = self.tree.add(node);
        let parent = self.open.last().copied();
        let parent = parent.or_else(|| self.tree.document_element());
        self.tree.append(parent.unwrap_or(ROOT), id);
        id
    }

    fn push(&mut self, node: Node) -> NodeId {
        match &*node.name {
            b"head" => self.has_head = true,
            b"body" => self.has_body = true,
            _ => {}
        }
        let id = self.put(node);
        self.open.push(id);
        id
    }

    fn document(&mut self) {
        self.blanks();
        if self.peek().is_none() {
            self.error_of(level::FATAL, 4, "Document is empty");
        }
        self.miscellaneous();
        if self.starts_case(b"<!doctype") {
            self.doctype();
        }
        self.miscellaneous();
        self.content();
    }

    fn starts_case(&self, with: &[u8]) -> bool {
        let rest = self.rest();
        rest.len() >= with.len() && rest[..with.len()].eq_ignore_ascii_case(with)
    }

    /// Comments and processing instructions around the document type.
    fn miscellaneous(&mut self) {
        loop {
            self.blanks();
            if self.rest().starts_with(b"<!--") {
                self.comment();
            } else if self.rest().starts_with(b"<?") {
                self.instruction();
            } else {
                return;
            }
        }
    }

    fn doctype(&mut self) {
        self.skip(9);
        self.blanks();
        let name = self.doctype_name();
        if name.is_empty() {
            self.error(68, "htmlParseDocTypeDecl : no DOCTYPE name !");
        }
        self.blanks();
        let (mut public, mut system) = (None, None);
        if self.starts_case(b"public") {
            self.skip(6);
            self.blanks();
            public = self.literal();
            self.blanks();
            if matches!(self.peek(), Some(b'"' | b'\'')) {
                system = self.literal();
            }
        } else if self.starts_case(b"system") {
            self.skip(6);
            self.blanks();
            system = self.literal();
        }
        self.blanks();
        if self.peek() != Some(b'>') {
            self.error(61, "DOCTYPE improperly terminated");
            while !matches!(self.peek(), None | Some(b'>')) {
                self.skip(1);
            }
        }
        self.skip(1);
        if self.tree.doctype().is_some() {
            return;
        }
        let mut node = Node::new(Kind::DocumentType, &name);
        node.doctype = Some(Box::new(Doctype {
            public,
            system,
            ..Doctype::default()
        }));
        node.line = self.line;
        let id = self.tree.add(node);
        // It comes first, whatever was in front of it.
        let first = self.tree[ROOT].first;
        self.tree.insert(ROOT, id, first);
    }

    fn doctype_name(&mut self) -> Vec<u8> {
        let is_name =
            |byte: &u8| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte) || *byte >= 0x80;
        let length = self.rest().iter().take_while(|byte| is_name(byte)).count();
        let name = self.rest()[..length].to_vec();
        self.skip(length);
        name
    }

    /// A text between quotation marks.
    fn literal(&mut self) -> Option<Vec<u8>> {
        let quote = self.peek().filter(|byte| matches!(byte, b'"' | b'\''))?;
        self.skip(1);
        let length = memchr::memchr(quote, self.rest()).unwrap_or(self.rest().len());
        let text = self.rest()[..length].to_vec();
        self.skip(length + 1);
        Some(text)
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
