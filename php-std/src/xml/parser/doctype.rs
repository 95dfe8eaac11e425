//! The document type declaration: entities, notations, and what it says of attributes.

use super::super::error::level;
use super::super::named::Named;
use super::super::tree::{AttributeRule, Entity};
use super::{Parsed, Parser, Stop};

impl Parser<'_> {
    pub(super) fn doctype(&mut self) -> Parsed<()> {
        let line = self.line;
        self.skip(9);
        self.blanks();
        let Some(name) = self.name() else {
            self.fatal(68, "xmlParseDocTypeDecl : no DOCTYPE name !");
            self.fatal(61, "DOCTYPE improperly terminated");
            self.fatal(4, "Start tag expected, '<' not found");
            return Err(Stop);
        };
        self.blanks();
        let (public, system) = self.external_id();
        self.has_external = system.is_some();
        (self.doctype.public, self.doctype.system) = (public, system);
        self.blanks();
        if self.accept(b"[") {
            let start = self.at;
            let is_closed = self.subset();
            let end = self.at;
            self.doctype.subset = Some(self.text[start..end].to_vec());
            if !is_closed {
                self.fatal(1, "internal error: xmlParseInternalSubset: error detected in Markup declaration\n");
                self.fatal(61, "DOCTYPE improperly terminated");
                self.fatal(4, "Start tag expected, '<' not found");
                return Err(Stop);
            }
            self.skip(1);
            self.blanks();
        }
        if !self.accept(b">") {
            self.fatal(61, "DOCTYPE improperly terminated");
        }
        if self.is_live() {
            self.sink.doctype(&name, &self.doctype, line);
        }
        Ok(())
    }

    /// Text in quotation marks.
    fn literal(&mut self) -> Option<Vec<u8>> {
        let quote = self.peek().filter(|byte| matches!(byte, b'"' | b'\''))?;
        let rest = &self.rest()[1..];
        let length = memchr::memchr(quote, rest)?;
        let literal = rest[..length].to_vec();
        self.skip(length + 2);
        Some(literal)
    }

    /// `SYSTEM "uri"` or `PUBLIC "id" "uri"`: public and system identifier.
    fn external_id(&mut self) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
        if self.accept(b"SYSTEM") {
            self.blanks();
            return (None, self.literal());
        }
        if self.accept(b"PUBLIC") {
            self.blanks();
            let public = self.literal();
            self.blanks();
            return (public, self.literal());
        }
        (None, None)
    }

    /// Declarations up to the closing bracket; false if there is none.
    fn subset(&mut self) -> bool {
        loop {
            self.blanks();
            match self.peek() {
                Some(b']') => return true,
                None => return false,
                Some(b'%') => {
                    let Some(length) = memchr::memchr(b';', self.rest()) else {
                        return false;
                    };
                    self.has_external = true;
                    self.skip(length + 1);
                }
                _ if self.starts(b"<!--") => {
                    let Some(length) = memchr::memmem::find(self.rest(), b"-->") else {
                        return false;
                    };
                    self.skip(length + 3);
                }
                _ if self.starts(b"<?") => {
                    let Some(length) = memchr::memmem::find(self.rest(), b"?>") else {
                        return false;
                    };
                    self.skip(length + 2);
                }
                _ => {
                    let known = if self.accept(b"<!ENTITY") {
                        self.entity_declaration()
                    } else if self.accept(b"<!ATTLIST") {
                        self.attribute_list()
                    } else if self.accept(b"<!NOTATION") {
                        self.notation_declaration()
                    } else if self.starts(b"<!ELEMENT") {
                        Some(())
                    } else {
                        None
                    };
                    if known.is_none() || !self.end_of_declaration() {
                        return false;
                    }
                }
            }
        }
    }

    /// Goes behind the `>` of a declaration, past literals.
    fn end_of_declaration(&mut self) -> bool {
        while let Some(byte) = self.peek() {
            match byte {
                b'>' => {
                    self.skip(1);
                    return true;
                }
                b'"' | b'\'' => {
                    if self.literal().is_none() {
                        return false;
                    }
                }
                _ => self.skip(1),
            }
        }
        false
    }

    fn entity_declaration(&mut self) -> Option<()> {
        self.blanks();
        let is_parameter = self.accept(b"%");
        self.blanks();
        let name = self.name()?;
        self.blanks();
        let mut entity = Entity::default();
        match self.literal() {
            Some(literal) => entity.content = Some(self.entity_value(&literal)),
            None => {
                (entity.public, entity.system) = self.external_id();
                entity.system.as_ref()?;
                self.blanks();
                if self.accept(b"NDATA") {
                    self.blanks();
                    // A name that is missing is an empty one.
                    entity.notation = Some(self.name().unwrap_or_default());
                }
            }
        }
        if !is_parameter {
            self.doctype.entities.insert(name, entity);
        }
        Some(())
    }

    /// The replacement text of an entity: references to characters are replaced.
    fn entity_value(&mut self, literal: &[u8]) -> Vec<u8> {
        let text = std::mem::replace(&mut self.text, literal.to_vec());
        let at = std::mem::take(&mut self.at);
        let mut value = Vec::with_capacity(literal.len());
        while let Some(byte) = self.peek() {
            if self.starts(b"&#") {
                if let Some(character) = self.character_reference() {
                    value.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
            } else {
                value.push(byte);
                self.at += 1;
            }
        }
        self.text = text;
        self.at = at;
        value
    }

    fn notation_declaration(&mut self) -> Option<()> {
        self.blanks();
        let name = self.name()?;
        self.blanks();
        let (public, system) = self.external_id();
        self.doctype.notations.push((name, public, system));
        Some(())
    }

    fn attribute_list(&mut self) -> Option<()> {
        self.blanks();
        let element = self.name()?;
        self.doctype
            .attributes
            .insert(element.clone(), Named::default());
        loop {
            self.blanks();
            let Some(name) = self.name() else {
                return Some(());
            };
            self.blanks();
            let kind = self.attribute_type()?;
            self.blanks();
            let default = if self.accept(b"#REQUIRED") || self.accept(b"#IMPLIED") {
                None
            } else {
                self.accept(b"#FIXED");
                self.blanks();
                self.attribute_value().map(|(value, _)| value)
            };
            vm_runtime::limits::poll();
            self.blanks();
            if self.doctype.rule(&element, &name).is_some() {
                // The first one counts.
                let message = format!(
                    "Attribute {} of element {}: already defined",
                    String::from_utf8_lossy(&name),
                    String::from_utf8_lossy(&element)
                );
                self.error(level::WARNING, 501, message);
            }
            let is_id = kind == b"ID";
            if let Some(rules) = self.doctype.attributes.get_mut(&element) {
                rules.insert(name, AttributeRule { is_id, default });
            }
        }
    }

    /// The type of an attribute: its keyword, or nothing for a list of values.
    fn attribute_type(&mut self) -> Option<Vec<u8>> {
        let mut kind = Vec::new();
        if self.peek() != Some(b'(') {
            kind = self.name()?;
            self.blanks();
        }
        if self.peek() == Some(b'(') {
            let length = memchr::memchr(b')', self.rest())?;
            self.skip(length + 1);
        }
        Some(kind)
    }
}
