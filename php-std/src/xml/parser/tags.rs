//! Start and end tags, with the rules of namespaces.

use super::super::error::level;
use super::super::tree::split_name;
use super::super::uri::{has_scheme, is_uri};
use super::{
    Attribute, DEEPEST, Declared, Open, Parsed, Parser, StartTag, Stop, ValuePart, known_namespace,
    options,
};

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// An attribute as it was written.
struct Written {
    name: Vec<u8>,
    value: Vec<u8>,
    parts: Vec<ValuePart>,
}

/// What a tag has behind its name.
#[derive(Default)]
struct Found {
    written: Vec<Written>,
    declared: Vec<Declared>,
}

/// What an attribute of that name declares: a prefix, the default namespace, or nothing.
fn declared_prefix(name: &[u8]) -> Option<Option<&[u8]>> {
    match name {
        b"xmlns" => Some(None),
        _ => match name.strip_prefix(b"xmlns:") {
            None | Some([]) => None,
            prefix => Some(prefix),
        },
    }
}

/// True for a byte that a part of a qualified name begins with.
fn is_local_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

impl Parser<'_> {
    pub(super) fn start_tag(&mut self) -> Parsed<()> {
        let line = self.line;
        let start = self.at;
        self.skip(1);
        let Some(name) = self.name() else {
            self.fatal(68, "StartTag: invalid element name");
            if self.open.is_empty() {
                if !self.rest().is_empty() {
                    self.fatal(5, "Extra content at the end of the document");
                }
                return self.stop();
            }
            return Ok(());
        };
        if self.open.len() >= DEEPEST && !self.has(options::PARSEHUGE) {
            self.fatal(
                1,
                format!("Excessive depth in document: {DEEPEST} use XML_PARSE_HUGE option"),
            );
            return self.stop();
        }
        self.check_qualified(&name);
        let mut found = Found::default();
        self.attributes(&name, &mut found);
        let is_empty = self.starts(b"/>");
        let is_broken = !is_empty && !self.starts(b">");
        self.add_defaults(&name, &mut found);
        if self.is_live() && self.sink.wants_pieces() {
            self.sink.source(&self.text[start..self.at]);
        }
        let local = shown(split_name(&name).1);
        self.open_element(name, found, line, is_empty || is_broken);
        if is_broken {
            // The element ends here, what follows belongs to the one around it.
            self.fatal(
                73,
                format!("Couldn't find end of Start Tag {local} line {line}"),
            );
            self.close_element();
            if self.open.is_empty() {
                if self.at < self.text.len() {
                    self.fatal(5, "Extra content at the end of the document");
                }
                return self.stop();
            }
        } else if is_empty {
            self.skip(2);
            self.close_element();
        } else {
            self.accept(b">");
        }
        Ok(())
    }

    /// The attributes of a tag, up to its end or to what cannot stand there.
    fn attributes(&mut self, element: &[u8], found: &mut Found) {
        self.blanks();
        while self.at < self.text.len() && !self.starts(b">") && !self.starts(b"/>") {
            let Some(name) = self.name() else {
                self.fatal(68, "error parsing attribute name");
                self.fatal(65, "attributes construct error");
                return;
            };
            self.check_qualified(&name);
            self.blanks();
            if !self.accept(b"=") {
                let message = format!(
                    "Specification mandates value for attribute {}",
                    shown(&name)
                );
                self.fatal(41, message);
            } else {
                self.blanks();
                if let Some((value, parts)) = self.attribute_value() {
                    self.add_written(element, name, value, parts, found);
                }
            }
            if self.starts(b">") || self.starts(b"/>") {
                return;
            }
            if !self.blanks() {
                self.fatal(65, "attributes construct error");
                return;
            }
        }
    }

    /// Takes an attribute that a tag has: a declaration of a namespace counts from there on.
    fn add_written(
        &mut self,
        element: &[u8],
        name: Vec<u8>,
        value: Vec<u8>,
        parts: Vec<ValuePart>,
        found: &mut Found,
    ) {
        // Each is compared with those before.
        vm_runtime::limits::poll();
        let value = match self.is_id(element, &name) {
            true => value.trim_ascii().to_vec(),
            false => value,
        };
        let prefix = match declared_prefix(&name) {
            Some(prefix) => prefix.map(<[u8]>::to_vec),
            None => {
                found.written.push(Written { name, value, parts });
                return;
            }
        };
        if !self.check_declaration(prefix.as_deref(), &value) {
            return;
        }
        if found.declared.iter().any(|known| known.prefix == prefix) {
            self.fatal(42, format!("Attribute {} redefined", shown(&name)));
            return;
        }
        found.declared.push(Declared {
            prefix,
            uri: value,
            place: found.written.len(),
        });
    }

    /// Tells what is wrong with a declaration of a namespace; false if it does not count.
    fn check_declaration(&mut self, prefix: Option<&[u8]>, value: &[u8]) -> bool {
        const XML: &[u8] = b"http://www.w3.org/XML/1998/namespace";
        const XMLNS: &[u8] = b"http://www.w3.org/2000/xmlns/";
        let is_xml = value == XML;
        let refused = match prefix {
            Some(b"xml") if is_xml => return false,
            Some(b"xml") => Some("xml namespace prefix mapped to wrong URI"),
            Some(_) if is_xml => Some("xml namespace URI mapped to wrong prefix"),
            None if is_xml => Some("xml namespace URI cannot be the default namespace"),
            Some(b"xmlns") => Some("redefinition of the xmlns prefix is forbidden"),
            _ if value == XMLNS => Some("reuse of the xmlns namespace name is forbidden"),
            _ => None,
        };
        if let Some(message) = refused {
            self.error(level::ERROR, 200, message);
            return false;
        }
        if value.is_empty() {
            if let Some(prefix) = prefix {
                let message = format!(
                    "xmlns:{}: Empty XML namespace is not allowed",
                    shown(prefix)
                );
                self.error(level::ERROR, 200, message);
                return false;
            }
            return true;
        }
        let uri = shown(value);
        if !is_uri(value) {
            let label = prefix.map_or(String::from("xmlns"), |prefix| {
                format!("xmlns:{}", shown(prefix))
            });
            let message = format!("{label}: '{uri}' is not a valid URI");
            self.error(level::ERROR, 99, message);
        } else if prefix.is_none() && !has_scheme(value) {
            let message = format!("xmlns: URI {uri} is not absolute");
            self.error(level::WARNING, 100, message);
        }
        true
    }

    /// Tells of a name that was just read and has its colons where none may stand.
    fn check_qualified(&mut self, name: &[u8]) {
        let Some(colon) = memchr::memchr(b':', name) else {
            return;
        };
        let behind = &name[colon + 1..];
        let starts = |text: &[u8]| text.first().is_some_and(|&byte| is_local_start(byte));
        let (text, left) = if colon == 0 {
            (name.to_vec(), 0)
        } else if !starts(behind) {
            (name.to_vec(), behind.len())
        } else {
            match memchr::memchr(b':', behind) {
                Some(second) => (name[..=colon + 1 + second].to_vec(), behind.len() - second),
                None => return,
            }
        };
        let column = self.column() - left as u32;
        let message = format!("Failed to parse QName '{}'", shown(&text));
        self.error_at(level::ERROR, 202, message, column);
    }

    /// Nothing more is read.
    fn stop(&mut self) -> Parsed<()> {
        self.at = self.text.len();
        self.open.clear();
        Err(Stop)
    }

    /// True if the document type says that an attribute is its element's ID.
    fn is_id(&self, element: &[u8], attribute: &[u8]) -> bool {
        let rule = self.doctype.rule(element, attribute);
        rule.is_some_and(|rule| rule.is_id)
    }

    /// Adds attributes that the document type gives a default.
    fn add_defaults(&self, element: &[u8], found: &mut Found) {
        if !self.has(options::DTDATTR) {
            return;
        }
        vm_runtime::limits::poll();
        let Some(rules) = self.doctype.attributes.get(element) else {
            return;
        };
        let given = found.written.len();
        for (name, rule) in rules {
            let Some(default) = &rule.default else {
                continue;
            };
            match declared_prefix(name) {
                Some(prefix) => {
                    let is_given = |known: &Declared| known.prefix.as_deref() == prefix;
                    if !found.declared.iter().any(is_given) {
                        found.declared.push(Declared {
                            prefix: prefix.map(<[u8]>::to_vec),
                            uri: default.clone(),
                            place: found.written.len(),
                        });
                    }
                }
                None if found.written[..given]
                    .iter()
                    .all(|known| known.name != *name) =>
                {
                    found.written.push(Written {
                        name: name.clone(),
                        value: default.clone(),
                        parts: Vec::new(),
                    });
                }
                None => {}
            }
        }
    }

    fn open_element(&mut self, name: Vec<u8>, found: Found, line: u32, is_empty: bool) {
        let before = self.namespaces.len();
        for declared in &found.declared {
            self.namespaces
                .push((declared.prefix.clone(), declared.uri.clone()));
        }
        let (prefix, local) = split_name(&name);
        let (mut prefix, mut local) = (prefix.map(<[u8]>::to_vec), local.to_vec());
        let mut attributes: Vec<Attribute> = Vec::new();
        for attribute in found.written {
            let qualified = attribute.name.clone();
            let made = self.attribute(&name, &local, attribute);
            vm_runtime::limits::poll();
            for known in &attributes {
                if known.name == made.name && known.prefix == made.prefix {
                    let message = format!("Attribute {} redefined", shown(&qualified));
                    self.fatal(42, message);
                    break;
                }
                if known.name == made.name
                    && made.namespace.is_some()
                    && known.namespace == made.namespace
                {
                    let message = format!(
                        "Namespaced Attribute {} in '{}' redefined",
                        shown(&made.name),
                        shown(made.namespace.as_deref().unwrap_or_default())
                    );
                    self.error(level::ERROR, 203, message);
                    break;
                }
            }
            attributes.push(made);
        }
        let mut namespace = self.namespace(prefix.as_deref());
        if let (Some(missing), None) = (&prefix, &namespace) {
            let message = format!(
                "Namespace prefix {} on {} is not defined",
                shown(missing),
                shown(&local)
            );
            self.error(level::ERROR, 201, message);
            local = name.clone();
            prefix = None;
            namespace = None;
        }
        self.open.push(Open {
            qualified: name,
            line,
            namespaces: before,
        });
        if self.is_live() {
            self.at_place();
            self.sink.start(StartTag {
                prefix,
                name: local,
                namespace,
                declarations: found.declared,
                attributes,
                // Where the tag ends, as libxml2 says.
                line: self.line,
                is_empty,
            });
        }
    }

    fn attribute(&mut self, element: &[u8], local_element: &[u8], written: Written) -> Attribute {
        let (prefix, local) = split_name(&written.name);
        let (mut prefix, mut name) = (prefix.map(<[u8]>::to_vec), local.to_vec());
        let namespace = prefix
            .as_deref()
            .and_then(|prefix| self.namespace(Some(prefix)));
        if let (Some(missing), None) = (&prefix, &namespace) {
            let message = format!(
                "Namespace prefix {} for {} on {} is not defined",
                shown(missing),
                shown(&name),
                shown(local_element)
            );
            self.error(level::ERROR, 201, message);
            name = written.name.clone();
            prefix = None;
        }
        let is_declared = self.is_id(element, &written.name);
        let is_xml_id = written.name == b"xml:id";
        if is_xml_id && !super::is_name(&written.value) {
            let message = format!(
                "xml:id : attribute value {} is not an NCName",
                shown(&written.value)
            );
            self.error(level::ERROR, 539, message);
        }
        let mut is_id = is_declared || is_xml_id;
        if is_id && self.is_live() && !self.ids.insert(written.value.clone()) {
            // The first one keeps it.
            is_id = false;
            let message = format!("ID {} already defined", shown(&written.value));
            self.error(level::ERROR, 513, message);
        }
        Attribute {
            is_id,
            prefix,
            name,
            namespace,
            value: written.value,
            parts: written.parts,
        }
    }

    /// The namespace that a prefix stands for.
    fn namespace(&self, prefix: Option<&[u8]>) -> Option<Vec<u8>> {
        if let Some(known) = prefix.and_then(known_namespace) {
            return Some(known);
        }
        let found = self
            .namespaces
            .iter()
            .rev()
            .find(|(known, _)| known.as_deref() == prefix);
        found
            .map(|(_, uri)| uri.clone())
            .filter(|uri| !uri.is_empty())
    }

    fn close_element(&mut self) {
        if let Some(open) = self.open.pop() {
            self.namespaces.truncate(open.namespaces);
            if self.is_live() {
                self.at_place();
                self.sink.end(&open.qualified);
            }
        }
    }

    pub(super) fn end_tag(&mut self) -> Parsed<()> {
        self.skip(2);
        let name = self.name();
        self.blanks();
        if !self.accept(b">") {
            self.fatal(73, "expected '>'");
        }
        let Some(open) = self.open.last() else {
            return self.stop();
        };
        if name.as_ref() != Some(&open.qualified) {
            let (prefix, local) = split_name(&open.qualified);
            let (expected, line) = (shown(local), open.line);
            // The name is read as that of the open element is written.
            let found = match &name {
                Some(name) if prefix.is_some() => shown(split_name(name).1),
                Some(name) => shown(name),
                None => String::from("unparsable"),
            };
            let message =
                format!("Opening and ending tag mismatch: {expected} line {line} and {found}");
            self.fatal(76, message);
        }
        self.close_element();
        Ok(())
    }
}
