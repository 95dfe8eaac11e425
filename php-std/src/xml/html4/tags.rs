//! Tags: what they end, and what goes without saying in front of them.

use super::super::error::level;
use super::super::parser::options;
use super::super::tree::{Kind, Node};
use super::tables::{is_closed_by, is_empty, is_known, priority, wants_end};
use super::{NO_IMPLIED, Parser, is_blank};

/// The deepest nesting without `LIBXML_PARSEHUGE`.
const DEEPEST: usize = 256;

/// An attribute of a tag: name, and the value if it has one.
type Attribute = (Vec<u8>, Option<Vec<u8>>);

impl Parser<'_> {
    /// Ends open elements that cannot have an element of this name in them.
    pub(super) fn auto_close(&mut self, new: &[u8]) {
        while let Some(name) = self.name() {
            if !is_closed_by(name, new) {
                return;
            }
            self.open.pop();
        }
    }

    /// Adds `html`, `head` and `body` where they go without saying.
    pub(super) fn check_implied(&mut self, new: &[u8]) {
        if self.options & NO_IMPLIED != 0 || new == b"html" {
            return;
        }
        if self.open.is_empty() {
            self.push(Node::new(Kind::Element, b"html"));
        }
        if matches!(new, b"body" | b"head") {
            return;
        }
        let is_for_head = matches!(
            new,
            b"script" | b"style" | b"meta" | b"link" | b"title" | b"base"
        );
        if self.open.len() <= 1 && is_for_head {
            if !self.has_head {
                self.push(Node::new(Kind::Element, b"head"));
            }
        } else if !matches!(new, b"noframes" | b"frame" | b"frameset") {
            let is_inside = self.is_open(b"body") || self.is_open(b"head");
            if !self.has_body && !is_inside {
                self.push(Node::new(Kind::Element, b"body"));
            }
        }
    }

    /// The name of an element or attribute in lower case.
    fn html_name(&mut self) -> Vec<u8> {
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b":-_.".contains(byte);
        let starts = |byte: &u8| byte.is_ascii_alphabetic() || b":_.".contains(byte);
        if !self.rest().first().is_some_and(starts) {
            return Vec::new();
        }
        let length = self.rest().iter().take_while(|byte| is_name(byte)).count();
        let name = self.rest()[..length].to_ascii_lowercase();
        self.skip(length);
        name
    }

    fn attributes(&mut self) -> Vec<Attribute> {
        let mut found: Vec<Attribute> = Vec::new();
        self.blanks();
        while let Some(byte) = self.peek() {
            if byte == b'>' || self.rest().starts_with(b"/>") {
                break;
            }
            let name = self.html_name();
            if name.is_empty() {
                self.error(68, "error parsing attribute name");
                while let Some(byte) = self.peek() {
                    if is_blank(byte) || byte == b'>' || self.rest().starts_with(b"/>") {
                        break;
                    }
                    self.skip(1);
                }
                self.blanks();
                continue;
            }
            self.blanks();
            let mut value = None;
            if self.peek() == Some(b'=') {
                self.skip(1);
                self.blanks();
                value = Some(self.attribute_value());
            }
            // Each is compared with those before.
            vm_runtime::limits::poll();
            if found.iter().any(|known| known.0 == name) {
                self.named_error(42, "Attribute ", &name, " redefined");
            } else {
                found.push((name, value));
            }
            self.blanks();
        }
        found
    }

    fn attribute_value(&mut self) -> Vec<u8> {
        let quote = self.peek().filter(|byte| matches!(byte, b'"' | b'\''));
        if quote.is_some() {
            self.skip(1);
        }
        let mut value = Vec::new();
        // A number that no character has ends the value, and the rest is read for nothing.
        let mut end = None;
        loop {
            match self.peek() {
                None => {
                    if quote.is_some() {
                        self.error(40, "AttValue: ' expected");
                    }
                    break;
                }
                byte if byte == quote && quote.is_some() => {
                    self.skip(1);
                    break;
                }
                Some(byte) if quote.is_none() && (is_blank(byte) || byte == b'>') => break,
                Some(b'&') if self.rest().starts_with(b"&#") => match self.character_reference() {
                    Some(character) => {
                        value.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                    None => {
                        end.get_or_insert(value.len());
                    }
                },
                Some(b'&') => value.extend(self.entity()),
                Some(byte) => {
                    value.push(byte);
                    self.skip(1);
                }
            }
        }
        if let Some(end) = end {
            value.truncate(end);
        }
        value
    }

    pub(super) fn start_tag(&mut self) {
        self.skip(1);
        let name = self.html_name();
        self.auto_close(&name);
        self.check_implied(&name);
        let is_misplaced = match name.as_slice() {
            b"html" => !self.open.is_empty(),
            b"head" => self.open.len() != 1,
            b"body" => self.is_open(b"body"),
            _ => false,
        };
        if is_misplaced {
            let shown = [b"<", name.as_slice(), b">"].concat();
            self.named_error(800, "htmlParseStartTag: misplaced ", &shown, " tag");
            self.discarded += 1;
        }
        let attributes = self.attributes();
        let line = self.line;
        if is_misplaced {
            self.finish_tag(&name);
            return;
        }
        // A prefix does not count.
        let local = match memchr::memchr(b':', &name) {
            Some(at) if at > 0 && at + 1 < name.len() => &name[at + 1..],
            _ => &name,
        };
        if self.open.len() > DEEPEST && self.options & options::PARSEHUGE == 0 {
            self.error_of(
                level::FATAL,
                1,
                format!("Excessive depth in document: {DEEPEST} use XML_PARSE_HUGE option"),
            );
            self.at = self.text.len();
            return;
        }
        let node = Node::new(Kind::Element, local);
        let id = self.push(node);
        self.tree[id].line = line;
        for (attribute, value) in attributes {
            let mut node = Node::new(Kind::Attribute, &attribute);
            node.is_bare = value.is_none();
            node.value = value.unwrap_or_default();
            node.is_id = attribute == b"id" || attribute == b"name" && name == b"a";
            node.line = line;
            if node.is_id && self.tree.element_by_id(&node.value).is_some() {
                let shown = node.value.clone();
                self.named_error(513, "ID ", &shown, " already defined");
            }
            let attribute = self.tree.add(node);
            self.tree.add_attribute(id, attribute);
        }
        if !is_known(&name) {
            self.named_error(801, "Tag ", &name, " invalid");
        }
        if self.rest().starts_with(b"/>") {
            self.skip(2);
            self.open.pop();
            return;
        }
        let is_closed = self.finish_tag(&name);
        if !is_closed || is_empty(&name) {
            self.open.pop();
        }
    }

    /// The end of a start tag; false if it is missing.
    fn finish_tag(&mut self, name: &[u8]) -> bool {
        if self.rest().starts_with(b"/>") {
            self.skip(2);
            return true;
        }
        if self.peek() == Some(b'>') {
            self.skip(1);
            return true;
        }
        self.named_error(73, "Couldn't find end of Start Tag ", name, "");
        false
    }

    pub(super) fn end_tag(&mut self) {
        self.skip(2);
        let name = self.html_name();
        if name.is_empty() {
            return;
        }
        self.blanks();
        if self.peek() != Some(b'>') {
            self.error(73, "End tag : expected '>'");
            while !matches!(self.peek(), None | Some(b'>')) {
                self.skip(1);
            }
        }
        self.skip(1);
        if self.discarded > 0 && matches!(name.as_slice(), b"html" | b"body" | b"head") {
            self.discarded -= 1;
            return;
        }
        let local = match memchr::memchr(b':', &name) {
            Some(at) if at > 0 && at + 1 < name.len() => name[at + 1..].to_vec(),
            _ => name.clone(),
        };
        if !self.is_open(&local) {
            self.named_error(76, "Unexpected end tag : ", &name, "");
            return;
        }
        // What is open inside of it ends with it, if that may be.
        let blocks = |open: &[u8]| priority(open) > priority(&local);
        let mut is_blocked = false;
        for &id in self.open.iter().rev() {
            let open = &*self.tree[id].name;
            if open == local {
                break;
            }
            if blocks(open) {
                is_blocked = true;
                break;
            }
        }
        while !is_blocked && self.name() != Some(&local) {
            let inner = self.name().unwrap_or_default().to_vec();
            if wants_end(&inner) {
                self.mismatch(&name, &inner);
            }
            self.open.pop();
        }
        match self.name() {
            Some(open) if open == local => {
                self.open.pop();
            }
            Some(open) => {
                let open = open.to_vec();
                self.mismatch(&name, &open);
            }
            None => {}
        }
    }

    fn mismatch(&mut self, ending: &[u8], open: &[u8]) {
        let behind = format!(" and {}", String::from_utf8_lossy(open));
        self.named_error(76, "Opening and ending tag mismatch: ", ending, &behind);
    }
}
