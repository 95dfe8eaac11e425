//! Start and end tags, with the rules of namespaces.

use super::super::error::level;
use super::super::tree::split_name;
use super::{
    Attribute, DEEPEST, Declared, Open, Parsed, Parser, StartTag, Stop, ValuePart, is_blank,
    known_namespace, options,
};

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// An attribute as it was written.
struct Written {
    name: Vec<u8>,
    value: Vec<u8>,
    parts: Vec<ValuePart>,
    /// Stands in the document type, not in the tag.
    is_default: bool,
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
            if !self.has(options::RECOVER) {
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
        let mut written: Vec<Written> = Vec::new();
        let mut is_broken = false;
        loop {
            let had_blanks = self.blanks();
            if self.starts(b">") || self.starts(b"/>") || self.at >= self.text.len() {
                break;
            }
            if !had_blanks {
                self.fatal(65, "attributes construct error");
                is_broken = true;
                break;
            }
            let Some(attribute) = self.name() else {
                self.fatal(68, "error parsing attribute name");
                self.fatal(65, "attributes construct error");
                is_broken = true;
                break;
            };
            self.blanks();
            if !self.accept(b"=") {
                self.fatal(
                    41,
                    format!(
                        "Specification mandates value for attribute {}",
                        shown(&attribute)
                    ),
                );
                if !self.starts(b">")
                    && !self.starts(b"/>")
                    && self.peek().is_some_and(|byte| !is_blank(byte))
                    && !self.text[self.at - 1].is_ascii_whitespace()
                {
                    self.fatal(65, "attributes construct error");
                    is_broken = true;
                    break;
                }
                continue;
            }
            self.blanks();
            let Some((value, parts)) = self.attribute_value() else {
                if !self.starts(b">") {
                    self.fatal(65, "attributes construct error");
                    is_broken = true;
                }
                break;
            };
            // Each is compared with those before.
            vm_runtime::limits::poll();
            if written.iter().any(|known| known.name == attribute) {
                let column = self.column();
                self.error_at(
                    level::FATAL,
                    42,
                    format!("Attribute {} redefined", shown(&attribute)),
                    column,
                );
                continue;
            }
            let is_tokens = self.is_id(&name, &attribute);
            let value = if is_tokens {
                value.trim_ascii().to_vec()
            } else {
                value
            };
            written.push(Written {
                name: attribute,
                value,
                parts,
                is_default: false,
            });
        }
        let is_empty = self.starts(b"/>");
        if !is_empty && !self.starts(b">") {
            let message = format!(
                "Couldn't find end of Start Tag {} line {line}",
                shown(&name)
            );
            self.fatal(73, message);
            let _ = is_broken;
            if self.open.is_empty() || self.at >= self.text.len() {
                let is_end = self.at >= self.text.len();
                if self.open.is_empty() && !is_end {
                    self.fatal(5, "Extra content at the end of the document");
                }
                return self.stop();
            }
            if !self.has(options::RECOVER) {
                // The tag is passed over.
                return Ok(());
            }
        }
        self.add_defaults(&name, &mut written);
        if self.is_live() && self.sink.wants_pieces() {
            self.sink.source(&self.text[start..self.at]);
        }
        self.open_element(name, written, line, is_empty);
        if is_empty {
            self.skip(2);
            self.close_element();
        } else {
            self.accept(b">");
        }
        Ok(())
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
    fn add_defaults(&self, element: &[u8], written: &mut Vec<Written>) {
        if !self.has(options::DTDATTR) {
            return;
        }
        vm_runtime::limits::poll();
        let Some(rules) = self.doctype.attributes.get(element) else {
            return;
        };
        let given = written.len();
        for (name, rule) in rules {
            if let Some(default) = &rule.default
                && written[..given].iter().all(|known| known.name != *name)
            {
                written.push(Written {
                    name: name.clone(),
                    value: default.clone(),
                    parts: Vec::new(),
                    is_default: true,
                });
            }
        }
    }

    fn open_element(&mut self, name: Vec<u8>, written: Vec<Written>, line: u32, is_empty: bool) {
        let before = self.namespaces.len();
        let mut declarations = Vec::new();
        let mut place = 0;
        for attribute in &written {
            let prefix = match attribute.name.strip_prefix(b"xmlns:") {
                Some(prefix) => Some(prefix.to_vec()),
                None if attribute.name == b"xmlns" => None,
                None => {
                    place += 1;
                    continue;
                }
            };
            if let Some(prefix) = &prefix {
                let prefix = shown(prefix);
                if attribute.value.is_empty() {
                    self.error(
                        level::ERROR,
                        200,
                        format!("xmlns:{prefix}: Empty XML namespace is not allowed"),
                    );
                    continue;
                }
                if prefix == "xml" || prefix == "xmlns" {
                    if prefix == "xmlns" {
                        self.error(
                            level::ERROR,
                            200,
                            "redefinition of the xmlns prefix is forbidden",
                        );
                    }
                    continue;
                }
            }
            if !attribute.value.is_empty() && !attribute.is_default {
                let uri = shown(&attribute.value);
                if !is_uri(&attribute.value) {
                    let label = prefix.as_ref().map_or(String::from("xmlns"), |prefix| {
                        format!("xmlns:{}", shown(prefix))
                    });
                    let message = format!("{label}: '{uri}' is not a valid URI");
                    self.error(level::ERROR, 99, message);
                } else if prefix.is_none() && !has_scheme(&attribute.value) {
                    let message = format!("xmlns: URI {uri} is not absolute");
                    self.error(level::WARNING, 100, message);
                }
            }
            self.namespaces
                .push((prefix.clone(), attribute.value.clone()));
            declarations.push(Declared {
                prefix,
                uri: attribute.value.clone(),
                place,
            });
        }
        let (prefix, local) = split_name(&name);
        let (mut prefix, mut local) = (prefix.map(<[u8]>::to_vec), local.to_vec());
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
        let mut attributes: Vec<Attribute> = Vec::new();
        for attribute in written {
            if attribute.name == b"xmlns" || attribute.name.starts_with(b"xmlns:") {
                continue;
            }
            let made = self.attribute(&name, &local, attribute);
            let is_same = |known: &Attribute| {
                known.name == made.name
                    && known.namespace == made.namespace
                    && made.namespace.is_some()
            };
            vm_runtime::limits::poll();
            if attributes.iter().any(is_same) {
                let message = format!(
                    "Namespaced Attribute {} in '{}' redefined",
                    shown(&made.name),
                    shown(made.namespace.as_deref().unwrap_or_default())
                );
                self.error(level::ERROR, 203, message);
            }
            attributes.push(made);
        }
        self.open.push(Open {
            qualified: name,
            line,
            namespaces: before,
        });
        if self.is_live() {
            self.sink.start(StartTag {
                prefix,
                name: local,
                namespace,
                declarations,
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
                self.sink.end(&open.qualified);
            }
        }
    }

    pub(super) fn end_tag(&mut self) -> Parsed<()> {
        self.skip(2);
        let name = self.name().unwrap_or_default();
        self.blanks();
        let is_closed = self.accept(b">");
        if !is_closed {
            self.fatal(73, "expected '>'");
        }
        let Some(open) = self.open.last() else {
            return self.stop();
        };
        if open.qualified != name {
            let (expected, line) = (shown(&open.qualified), open.line);
            if is_closed || !name.is_empty() {
                let message = format!(
                    "Opening and ending tag mismatch: {expected} line {line} and {}",
                    shown(&name)
                );
                self.fatal(76, message);
            }
        }
        self.close_element();
        if !is_closed {
            if self.open.is_empty() && self.at < self.text.len() {
                self.fatal(5, "Extra content at the end of the document");
            }
            return self.stop();
        }
        Ok(())
    }
}

/// True for what may be a reference to a URI: all characters may stand where they do.
fn is_uri(uri: &[u8]) -> bool {
    let is_escape = |rest: &[u8]| match rest {
        [first, second, ..] => first.is_ascii_hexdigit() && second.is_ascii_hexdigit(),
        _ => false,
    };
    let is_character = |at: usize, byte: u8| match byte {
        b'%' => is_escape(&uri[at + 1..]),
        b'#' => !uri[..at].contains(&b'#'),
        _ => byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=".contains(&byte),
    };
    if !uri
        .iter()
        .enumerate()
        .all(|(at, &byte)| is_character(at, byte))
    {
        return false;
    }
    let rest = match has_scheme(uri) {
        true => &uri[memchr::memchr(b':', uri).map_or(0, |at| at + 1)..],
        false => uri,
    };
    let end = |text: &[u8], marks: &[u8]| {
        let found = text.iter().position(|byte| marks.contains(byte));
        found.unwrap_or(text.len())
    };
    let Some(behind) = rest.strip_prefix(b"//") else {
        // The first part of a relative path would be taken for a scheme.
        return rest.len() < uri.len() || !rest[..end(rest, b"/?#")].contains(&b':');
    };
    let authority = &behind[..end(behind, b"/?#")];
    let host = authority.iter().rposition(|&byte| byte == b'@');
    let host = &authority[host.map_or(0, |at| at + 1)..];
    let port = match host.first() {
        Some(b'[') => match memchr::memchr(b']', host) {
            Some(close) => &host[close + 1..],
            None => return false,
        },
        _ => &host[end(host, b":")..],
    };
    match port.split_first() {
        None => true,
        Some((b':', digits)) => digits.iter().all(u8::is_ascii_digit),
        Some(_) => false,
    }
}

/// True for a URI that does not depend on where it stands.
fn has_scheme(uri: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', uri) else {
        return false;
    };
    let scheme = &uri[..colon];
    scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
}
