//! Text, references, comments and raw text.

use super::super::tree::{Kind, Node};
use super::{NO_IMPLIED, Parser, is_blank};

impl Parser<'_> {
    /// All up to the end of the text.
    pub(super) fn content(&mut self) {
        while let Some(byte) = self.peek() {
            vm_runtime::limits::poll();
            if vm_runtime::limits::is_ending() {
                return;
            }
            if matches!(self.name(), Some(b"script" | b"style")) && !self.rest().starts_with(b"</")
            {
                self.raw_text();
                continue;
            }
            let rest = self.rest();
            let is_tag = |at: usize| {
                rest.get(at)
                    .is_some_and(|&byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':'))
            };
            match byte {
                b'<' if rest.starts_with(b"</") => self.end_tag(),
                b'<' if is_tag(1) => self.start_tag(),
                b'<' if self.starts_case(b"<!doctype") => {
                    self.error(800, "Misplaced DOCTYPE declaration");
                    self.doctype();
                }
                b'<' if rest.starts_with(b"<!--") => self.comment(),
                b'<' if rest.starts_with(b"<?") => self.instruction(),
                b'<' => {
                    self.characters(b"<");
                    self.skip(1);
                }
                b'&' => self.reference(),
                _ => self.text(),
            }
        }
    }

    /// Adds text to the open element; without one it is lost.
    pub(super) fn characters(&mut self, text: &[u8]) {
        self.put_text(Kind::Text, text);
    }

    /// Adds text or a CDATA section, or goes on with one.
    fn put_text(&mut self, kind: Kind, text: &[u8]) {
        let Some(&parent) = self.open.last() else {
            return;
        };
        if let Some(last) = self.tree[parent].last
            && self.tree[last].kind == kind
        {
            self.tree[last].value.extend_from_slice(text);
            return;
        }
        let name: &[u8] = if kind == Kind::CData {
            b"#cdata-section"
        } else {
            b"#text"
        };
        let mut node = Node::new(kind, name);
        node.value = text.to_vec();
        self.put(node);
    }

    fn text(&mut self) {
        let rest = self.rest();
        let length = memchr::memchr3(b'<', b'&', 0, rest).unwrap_or(rest.len());
        let text = rest[..length].to_vec();
        let is_ignorable = text.iter().all(|&byte| is_blank(byte))
            && matches!(rest.get(length), None | Some(b'<'))
            && matches!(self.name(), None | Some(b"html" | b"head"));
        self.skip(length);
        if length > 0 {
            let is_blank = text.iter().all(|&byte| is_blank(byte));
            if !(is_ignorable || is_blank && self.name().is_some()) {
                self.check_paragraph();
            }
            self.characters(&text);
        }
        if self.peek() == Some(0) {
            self.error(9, "Char 0x0 out of allowed range");
            self.characters(b" ");
            self.skip(1);
        }
    }

    /// Text directly in the document is in a paragraph.
    pub(super) fn check_paragraph(&mut self) {
        match self.name() {
            None => {}
            Some(_) if self.options & NO_IMPLIED != 0 => return,
            Some(b"html" | b"head") => {}
            Some(_) => return,
        }
        self.auto_close(b"p");
        self.check_implied(b"p");
        self.push(Node::new(Kind::Element, b"p"));
    }

    fn reference(&mut self) {
        if self.rest().starts_with(b"&#") {
            if let Some(character) = self.character_reference() {
                self.check_paragraph();
                self.characters(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            return;
        }
        let text = self.entity();
        self.check_paragraph();
        self.characters(&text);
    }

    /// What a reference to an entity stands for; itself if it is none.
    pub(super) fn entity(&mut self) -> Vec<u8> {
        self.skip(1);
        let length = match self.rest().first() {
            Some(byte) if byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':') => self
                .rest()
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte))
                .count(),
            _ => 0,
        };
        if length == 0 {
            self.error(68, "htmlParseEntityRef: no name");
            return b"&".to_vec();
        }
        let name = self.rest()[..length].to_vec();
        // At the very end of the text it is the name that is missed.
        if length == self.rest().len() {
            self.error(68, "htmlParseEntityRef: no name");
        }
        self.skip(length);
        if self.peek() != Some(b';') {
            if self.peek().is_some() {
                self.error(23, "htmlParseEntityRef: expecting ';'");
            }
            return [&b"&"[..], &name].concat();
        }
        match crate::standard::strings::html::html4_character(&name) {
            Some(character) => {
                self.skip(1);
                character.encode_utf8(&mut [0; 4]).as_bytes().to_vec()
            }
            None => [&b"&"[..], &name].concat(),
        }
    }

    /// `&#65;` or `&#x41;`
    pub(super) fn character_reference(&mut self) -> Option<char> {
        self.skip(2);
        let is_hexadecimal = matches!(self.peek(), Some(b'x' | b'X'));
        let radix = if is_hexadecimal { 16 } else { 10 };
        if is_hexadecimal {
            self.skip(1);
        }
        let mut number: u32 = 0;
        while let Some(digit) = self.peek().and_then(|byte| (byte as char).to_digit(radix)) {
            number = number.saturating_mul(radix).saturating_add(digit);
            self.skip(1);
        }
        if self.peek() == Some(b';') {
            self.skip(1);
        } else {
            let code = if is_hexadecimal { 6 } else { 7 };
            self.error(code, "htmlParseCharRef: missing semicolon");
        }
        let is_good = matches!(number, 9 | 10 | 13 | 0x20..=0xfffd | 0x10000..);
        let character = char::from_u32(number).filter(|_| is_good);
        if number > 0x10ffff {
            self.error(9, "htmlParseCharRef: value too large");
        } else if character.is_none() {
            self.error(
                9,
                format!("htmlParseCharRef: invalid xmlChar value {number}"),
            );
        }
        character
    }

    /// The text of a script or a style.
    fn raw_text(&mut self) {
        let mut length = 0;
        let rest = self.rest();
        while length < rest.len() {
            let here = &rest[length..];
            // Any end tag ends it.
            if here.starts_with(b"</") && here.get(2).is_some_and(u8::is_ascii_alphabetic) {
                break;
            }
            length += 1;
        }
        let text = rest[..length].to_vec();
        self.put_text(Kind::CData, &text);
        self.skip(length);
    }

    pub(super) fn comment(&mut self) {
        let rest = &self.rest()[4..];
        match memchr::memmem::find(rest, b"-->") {
            Some(length) => {
                let mut node = Node::new(Kind::Comment, b"#comment");
                node.value = rest[..length].to_vec();
                self.put_beside(node);
                self.skip(length + 7);
            }
            None => {
                self.skip(rest.len() + 4);
                self.error(45, "Comment not terminated \n<!--");
            }
        }
    }

    /// Comments and instructions outside of elements belong to the document.
    fn put_beside(&mut self, node: Node) {
        let parent = self.open.last().copied().unwrap_or(super::ROOT);
        let mut node = node;
        node.line = self.line;
        let id = self.tree.add(node);
        self.tree.append(parent, id);
    }

    pub(super) fn instruction(&mut self) {
        let rest = &self.rest()[2..];
        let length = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte))
            .count();
        let end = memchr::memchr(b'>', rest);
        if length == 0 || end.is_none() {
            self.skip(2);
            self.error(46, "PI is not started correctly");
            return;
        }
        let end = end.unwrap_or(rest.len());
        let mut node = Node::new(Kind::ProcessingInstruction, &rest[..length]);
        node.value = rest[length..end].trim_ascii_start().to_vec();
        self.put_beside(node);
        self.skip(end + 3);
    }
}
