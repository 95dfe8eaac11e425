//! References to characters and entities, and the values of attributes, in which they stand.

use super::super::error::level;
use super::super::tree::Entity;
use super::{AMPLIFICATION, Nothing, Parsed, Parser, Stop, ValuePart, is_character, options};

impl Parser<'_> {
    /// True at a reference to a character or to one of the five known entities.
    pub(super) fn is_plain_reference(&self) -> bool {
        let rest = self.rest();
        rest.starts_with(b"&#")
            || [&b"&lt;"[..], b"&gt;", b"&amp;", b"&quot;", b"&apos;"]
                .iter()
                .any(|known| rest.starts_with(known))
    }

    /// The character that a reference to one of the five known entities stands for.
    pub(super) fn plain_reference(&mut self) -> u8 {
        let end = memchr::memchr(b';', self.rest()).unwrap_or(0);
        let byte = match &self.rest()[1..end] {
            b"lt" => b'<',
            b"gt" => b'>',
            b"amp" => b'&',
            b"quot" => b'"',
            _ => b'\'',
        };
        self.skip(end + 1);
        byte
    }

    /// Appends the character that a numeric reference stands for.
    pub(super) fn push_character(&mut self, text: &mut Vec<u8>) {
        if let Some(character) = self.character_reference() {
            text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    pub(super) fn character_reference(&mut self) -> Option<char> {
        self.skip(2);
        let is_hexadecimal = self.accept(b"x");
        let radix = if is_hexadecimal { 16 } else { 10 };
        let mut number: u32 = 0;
        let mut count = 0;
        let is_closed = loop {
            let Some(byte) = self.peek() else {
                break false;
            };
            if byte == b';' {
                break count > 0;
            }
            let Some(digit) = (byte as char).to_digit(radix) else {
                break false;
            };
            number = number.saturating_mul(radix).saturating_add(digit);
            count += 1;
            self.skip(1);
        };
        if is_closed {
            self.skip(1);
        } else {
            let (code, kind) = if is_hexadecimal {
                (6, "hexadecimal")
            } else {
                (7, "decimal")
            };
            self.fatal(code, format!("CharRef: invalid {kind} value"));
            number = 0;
        }
        match char::from_u32(number).filter(|_| is_character(number)) {
            Some(character) => Some(character),
            None => {
                self.fatal(
                    9,
                    format!("xmlParseCharRef: invalid xmlChar value {number}"),
                );
                None
            }
        }
    }

    /// The name of an entity behind `&`; none after an error.
    pub(super) fn entity_name(&mut self) -> Option<Vec<u8>> {
        // Entities that refer to each other may stand for far more than there is time for.
        vm_runtime::limits::poll();
        self.skip(1);
        let Some(name) = self.name() else {
            self.fatal(68, "xmlParseEntityRef: no name");
            return None;
        };
        if !self.accept(b";") {
            self.fatal(23, "EntityRef: expecting ';'");
            return None;
        }
        Some(name)
    }

    /// Tells that an entity is not known.
    pub(super) fn undefined(&mut self, name: &[u8]) {
        let shown = String::from_utf8_lossy(name).into_owned();
        let message = format!("Entity '{shown}' not defined");
        if self.has_external && !self.standalone {
            self.error(level::ERROR, 27, message);
        } else {
            self.fatal(26, message);
        }
    }

    pub(super) fn find_entity(&self, name: &[u8]) -> Option<Entity> {
        self.doctype.entities.get(name).cloned()
    }

    pub(super) fn reference(&mut self) -> Parsed<()> {
        let line = self.line;
        let Some(name) = self.entity_name() else {
            return Ok(());
        };
        let Some(entity) = self.find_entity(&name) else {
            let is_known_elsewhere = self.has_external && !self.standalone;
            if !is_known_elsewhere && self.is_live() {
                self.at_place();
                self.sink.undefined(&name);
            }
            self.undefined(&name);
            if self.has_external && self.is_live() {
                self.at_place();
                self.sink.reference(&name, line);
            }
            return Ok(());
        };
        let content = match entity.content {
            Some(content) => Some(content),
            None if self.has(options::NOENT) && entity.notation.is_none() => {
                self.external_content(&name, entity.public.as_deref(), entity.system.as_deref())
            }
            None => None,
        };
        let Some(content) = content else {
            if self.is_live() {
                self.at_place();
                self.sink.reference(&name, line);
            }
            return Ok(());
        };
        if self.is_live() {
            self.at_place();
            if self.sink.takes_entity(&name, &content) {
                return Ok(());
            }
        }
        if self.replacing.contains(&name) {
            self.fatal(89, "Detected an entity reference loop");
            return self.give_up();
        }
        self.replaced += content.len();
        if self.replaced > AMPLIFICATION && !self.has(options::PARSEHUGE) {
            self.fatal(89, "Maximum entity amplification factor exceeded");
            return self.give_up();
        }
        if !self.has(options::NOENT) {
            if self.is_live() {
                self.at_place();
                self.sink.reference(&name, line);
            }
            // Its content must be well-formed, too.
            if self.entities_are_checked || !self.references_are_kept.insert(name.clone()) {
                return Ok(());
            }
            let mut nothing = Nothing;
            let mut check = Parser::new(self.options | options::NOENT, &self.file, &mut nothing);
            check.text = content;
            check.doctype = std::mem::take(&mut self.doctype);
            check.has_external = self.has_external;
            check.namespaces = self.namespaces.clone();
            check.replacing = self.replacing.clone();
            check.replacing.push(name);
            check.replaced = self.replaced;
            let _ = check.content(0);
            let is_bad = !check.is_well_formed;
            self.replaced = check.replaced;
            self.doctype = std::mem::take(&mut check.doctype);
            let errors = std::mem::take(&mut check.errors);
            self.errors.extend(errors);
            if is_bad {
                self.is_well_formed = false;
                return self.give_up();
            }
            return Ok(());
        }
        // The content takes the place of the reference for a while.
        let text = std::mem::replace(&mut self.text, content);
        let (at, line, line_start) = (self.at, self.line, self.line_start);
        (self.at, self.line, self.line_start) = (0, 1, 0);
        self.replacing.push(name);
        let depth = self.open.len();
        let ended = self.content_of_entity(depth);
        self.replacing.pop();
        self.text = text;
        (self.at, self.line, self.line_start) = (at, line, line_start);
        if ended.is_err() && !self.is_well_formed {
            return self.give_up();
        }
        Ok(())
    }

    /// The content of an external entity, which is loaded once.
    fn external_content(
        &mut self,
        name: &[u8],
        public: Option<&[u8]>,
        system: Option<&[u8]>,
    ) -> Option<Vec<u8>> {
        let bytes = self.sink.external(public, system?)?;
        let mut text = super::decoded(&bytes, None).ok()?.0;
        // Its own declaration is no content.
        if text.starts_with(b"<?xml") {
            let end = memchr::memmem::find(&text, b"?>")? + 2;
            text.drain(..end);
        }
        if let Some(entity) = self.doctype.entities.get_mut(name) {
            entity.content = Some(text.clone());
        }
        Some(text)
    }

    pub(super) fn content_of_entity(&mut self, depth: usize) -> Parsed<()> {
        while self.at < self.text.len() {
            match self.peek() {
                Some(b'<') if self.starts(b"</") => {
                    if self.open.len() <= depth {
                        self.fatal(85, "Chunk is not well balanced");
                        return Err(Stop);
                    }
                    self.end_tag()?;
                }
                _ => self.piece()?,
            }
        }
        Ok(())
    }

    /// An attribute's value behind its `=`, and its parts if references are kept; none after an error.
    pub(super) fn attribute_value(&mut self) -> Option<(Vec<u8>, Vec<ValuePart>)> {
        let Some(quote @ (b'"' | b'\'')) = self.peek() else {
            self.fatal(39, "AttValue: \" or ' expected");
            return None;
        };
        self.skip(1);
        let mut value = Vec::new();
        let mut parts = Vec::new();
        // Where the text behind the last reference begins.
        let mut start = 0;
        loop {
            match self.peek() {
                None => {
                    self.fatal(40, "AttValue: ' expected");
                    break;
                }
                Some(byte) if byte == quote => {
                    self.skip(1);
                    break;
                }
                Some(b'<') => {
                    self.fatal(38, "Unescaped '<' not allowed in attributes values");
                    break;
                }
                Some(b'&') if self.starts(b"&#") => self.push_character(&mut value),
                Some(b'&') if self.is_plain_reference() => {
                    value.push(self.plain_reference());
                }
                Some(b'&') => {
                    let Some(name) = self.entity_name() else {
                        continue;
                    };
                    match self.find_entity(&name).and_then(|entity| entity.content) {
                        Some(content) => {
                            if !self.has(options::NOENT) {
                                if start < value.len() {
                                    parts.push(ValuePart::Text(value[start..].to_vec()));
                                }
                                parts.push(ValuePart::Reference(name.clone()));
                            }
                            self.entity_in_value(&name, &content, &mut value);
                            start = value.len();
                        }
                        None => self.undefined(&name),
                    }
                }
                Some(b'\n' | b'\t' | b'\r') => {
                    value.push(b' ');
                    self.skip(1);
                }
                Some(byte @ b' '..=b'\x7f') => {
                    value.push(byte);
                    self.skip(1);
                }
                Some(_) => {
                    if !self.other_character(&mut value) {
                        if self.has(options::RECOVER) {
                            let (_, length) = crate::support::utf8::decode(self.rest());
                            self.skip(length);
                        }
                        return None;
                    }
                }
            }
        }
        if !parts.is_empty() && start < value.len() {
            parts.push(ValuePart::Text(value[start..].to_vec()));
        }
        Some((value, parts))
    }

    /// The replacement text of an entity in an attribute's value.
    pub(super) fn entity_in_value(&mut self, name: &[u8], content: &[u8], value: &mut Vec<u8>) {
        if self.replacing.iter().any(|known| known == name) {
            self.fatal(89, "Detected an entity reference loop");
            return;
        }
        self.replaced += content.len();
        if self.replaced > AMPLIFICATION && !self.has(options::PARSEHUGE) {
            self.fatal(89, "Maximum entity amplification factor exceeded");
            return;
        }
        self.replacing.push(name.to_vec());
        let text = std::mem::replace(&mut self.text, content.to_vec());
        let (at, line, line_start) = (self.at, self.line, self.line_start);
        (self.at, self.line, self.line_start) = (0, 1, 0);
        while let Some(byte) = self.peek() {
            match byte {
                b'&' if self.starts(b"&#") => self.push_character(value),
                b'&' => {
                    let Some(name) = self.entity_name() else {
                        break;
                    };
                    match name.as_slice() {
                        b"lt" => value.push(b'<'),
                        b"gt" => value.push(b'>'),
                        b"amp" => value.push(b'&'),
                        b"quot" => value.push(b'"'),
                        b"apos" => value.push(b'\''),
                        _ => match self.find_entity(&name).and_then(|entity| entity.content) {
                            Some(content) => self.entity_in_value(&name, &content, value),
                            None => self.undefined(&name),
                        },
                    }
                }
                b'\n' | b'\t' | b'\r' => {
                    value.push(b' ');
                    self.skip(1);
                }
                _ => {
                    value.push(byte);
                    self.skip(1);
                }
            }
        }
        self.text = text;
        (self.at, self.line, self.line_start) = (at, line, line_start);
        self.replacing.pop();
    }
}
