//! Documents as HTML, as libxml2 writes them.

use super::super::serializer::{external_id, simple};
use super::super::tree::{Kind, Node, NodeId, ROOT, Tree};
use super::tables::{is_boolean, is_empty, is_inline, is_known};

/// How a document is written.
#[derive(Debug, Clone, Copy)]
struct Style {
    /// Lines end behind elements that do not stand in a line of text.
    has_lines: bool,
    /// What is beyond ASCII is written by its name or number.
    has_entities: bool,
}

/// The whole document, with a line feed at its end. Its `meta` element tells the encoding.
pub(crate) fn document(tree: &Tree) -> Vec<u8> {
    let named = meta_encoding(tree);
    let known = named.as_deref().and_then(encoding_rs::Encoding::for_label);
    let mut writer = Writer {
        tree,
        style: Style {
            has_lines: tree.settings.format_output,
            has_entities: known.is_none(),
        },
        output: Vec::new(),
    };
    for child in tree.children(ROOT) {
        writer.node(child);
        if tree[child].kind == Kind::DocumentType {
            writer.output.push(b'\n');
        }
    }
    writer.output.push(b'\n');
    match known {
        Some(encoding) if encoding != encoding_rs::UTF_8 => {
            let text = String::from_utf8_lossy(&writer.output).into_owned();
            encoding.encode(&text).0.into_owned()
        }
        _ => writer.output,
    }
}

/// As [`document`], in an encoding that is told.
#[cfg(feature = "xsl")]
pub(crate) fn document_in(tree: &Tree, encoding: &[u8]) -> Vec<u8> {
    let mut writer = Writer {
        tree,
        style: Style {
            has_lines: tree.settings.format_output,
            has_entities: false,
        },
        output: Vec::new(),
    };
    for child in tree.children(ROOT) {
        writer.node(child);
        if tree[child].kind == Kind::DocumentType {
            writer.output.push(b'\n');
        }
    }
    writer.output.push(b'\n');
    match encoding_rs::Encoding::for_label(encoding) {
        Some(encoding) if encoding != encoding_rs::UTF_8 => {
            let text = String::from_utf8_lossy(&writer.output).into_owned();
            encoding.encode(&text).0.into_owned()
        }
        _ => writer.output,
    }
}

/// A node and all below it.
pub(crate) fn node(tree: &Tree, id: NodeId) -> Vec<u8> {
    if id == ROOT {
        return document(tree);
    }
    let mut writer = Writer {
        tree,
        style: Style {
            has_lines: tree.settings.format_output,
            has_entities: false,
        },
        output: Vec::new(),
    };
    writer.node(id);
    writer.output
}

/// The encoding in `<meta http-equiv="Content-Type">` of the head.
fn meta_encoding(tree: &Tree) -> Option<Vec<u8>> {
    let head = head(tree)?;
    let value = |id: NodeId, name: &[u8]| {
        let attribute = tree.attribute(id, name)?;
        Some(&tree[attribute].value)
    };
    tree.children(head).find_map(|id| {
        let is_type = value(id, b"http-equiv")?.eq_ignore_ascii_case(b"content-type");
        if !is_type || !tree[id].name.eq_ignore_ascii_case(b"meta") {
            return None;
        }
        let content = value(id, b"content")?;
        let lowercase = content.to_ascii_lowercase();
        let at = memchr::memmem::find(&lowercase, b"charset=")?;
        Some(content[at + 8..].trim_ascii().to_vec())
    })
}

fn head(tree: &Tree) -> Option<NodeId> {
    let html = tree.document_element()?;
    let is_named = |id: NodeId, name: &[u8]| {
        tree[id].kind == Kind::Element && tree[id].name.eq_ignore_ascii_case(name)
    };
    tree.children(html).find(|&id| is_named(id, b"head"))
}

/// Says in the head which encoding a file has.
pub(crate) fn set_meta_encoding(tree: &mut Tree) {
    if meta_encoding(tree).is_some() {
        return;
    }
    let Some(head) = head(tree) else {
        return;
    };
    let meta = tree.add(Node::new(Kind::Element, b"meta"));
    tree.set_attribute(meta, b"http-equiv", b"Content-Type");
    tree.set_attribute(meta, b"content", b"text/html; charset=UTF-8");
    let first = tree[head].first;
    tree.insert(head, meta, first);
}

/// Says in the head, in the place of what is said there, which encoding a file has.
#[cfg(feature = "xsl")]
pub(crate) fn set_meta_charset(tree: &mut Tree, encoding: &[u8]) {
    let Some(head) = head(tree) else {
        return;
    };
    let content = [b"text/html; charset=", encoding].concat();
    let is_type = |id: &NodeId| {
        tree[*id].name.eq_ignore_ascii_case(b"meta")
            && tree
                .attribute(*id, b"http-equiv")
                .is_some_and(|value| tree[value].value.eq_ignore_ascii_case(b"content-type"))
    };
    let found = tree.children(head).find(is_type);
    if let Some(meta) = found {
        tree.set_attribute(meta, b"content", &content);
        return;
    }
    let meta = tree.add(Node::new(Kind::Element, b"meta"));
    tree.set_attribute(meta, b"http-equiv", b"Content-Type");
    tree.set_attribute(meta, b"content", &content);
    let first = tree[head].first;
    tree.insert(head, meta, first);
}

struct Writer<'a> {
    tree: &'a Tree,
    style: Style,
    output: Vec<u8>,
}

impl Writer<'_> {
    fn push(&mut self, text: &[u8]) {
        self.output.extend_from_slice(text);
    }

    /// Writes without recursion: documents may be deeper than the stack.
    fn node(&mut self, top: NodeId) {
        let tree = self.tree;
        let mut open: Vec<NodeId> = Vec::new();
        let mut at = Some(top);
        loop {
            let Some(id) = at else {
                let Some(element) = open.pop() else {
                    return;
                };
                if tree[element].kind == Kind::Element {
                    self.end_tag(element);
                }
                at = if element == top {
                    None
                } else {
                    tree[element].next
                };
                if open.is_empty() && at.is_none() {
                    return;
                }
                continue;
            };
            let has_content = match tree[id].kind {
                Kind::Element => self.start_tag(id),
                Kind::Fragment => true,
                _ => {
                    self.leaf(id);
                    false
                }
            };
            if has_content {
                open.push(id);
                at = tree[id].first;
            } else {
                at = if id == top { None } else { tree[id].next };
                if open.is_empty() && at.is_none() {
                    return;
                }
            }
        }
    }

    fn leaf(&mut self, id: NodeId) {
        let node = &self.tree[id];
        match node.kind {
            Kind::Text => {
                let parent = node
                    .parent
                    .map(|parent| self.tree[parent].name.to_ascii_lowercase());
                if node.is_bare || matches!(parent.as_deref(), Some(b"script" | b"style")) {
                    self.push(&node.value);
                } else {
                    self.escape(&node.value, false);
                }
            }
            Kind::CData => self.push(&node.value),
            Kind::Comment | Kind::ProcessingInstruction | Kind::EntityReference => {
                simple(node, b">", &mut self.output);
            }
            Kind::DocumentType => {
                self.push(b"<!DOCTYPE ");
                self.push(&node.name);
                if let Some(doctype) = &node.doctype {
                    match (&doctype.public, &doctype.system) {
                        (Some(public), None) if !public.is_empty() => {
                            self.push(b" PUBLIC \"");
                            self.push(public);
                            self.push(b"\"");
                        }
                        _ => self.output.extend(external_id(doctype)),
                    }
                }
                self.push(b">");
            }
            Kind::Attribute => self.attribute(id),
            _ => {}
        }
    }

    /// True for an element that lines end around.
    fn is_block(&self, id: NodeId) -> bool {
        let name = &*self.tree[id].name;
        self.style.has_lines && is_known(name) && !is_inline(name)
    }

    fn is_text(&self, id: NodeId) -> bool {
        matches!(self.tree[id].kind, Kind::Text | Kind::EntityReference)
    }

    /// Ends the line behind an element.
    fn line_behind(&mut self, id: NodeId) {
        let node = &self.tree[id];
        let (Some(next), Some(parent)) = (node.next, node.parent) else {
            return;
        };
        let is_in_paragraph = self.tree[parent].name.first() == Some(&b'p');
        if self.is_block(id) && !self.is_text(next) && !is_in_paragraph {
            self.push(b"\n");
        }
    }

    /// Ends the line at the start or the end of what is in an element.
    fn line_inside(&mut self, id: NodeId, child: Option<NodeId>) {
        let node = &self.tree[id];
        if let Some(child) = child
            && self.is_block(id)
            && !self.is_text(child)
            && node.first != node.last
            && node.name.first() != Some(&b'p')
        {
            self.push(b"\n");
        }
    }

    /// Writes a start tag, and the end tag of an element without content; true if there is some.
    fn start_tag(&mut self, id: NodeId) -> bool {
        let tree = self.tree;
        let node = &tree[id];
        let name = node.qualified_name();
        self.push(b"<");
        self.push(&name);
        for declaration in &node.declarations {
            self.push(b" xmlns");
            if let Some(prefix) = &declaration.prefix {
                self.push(b":");
                self.push(prefix);
            }
            self.push(b"=\"");
            self.escape(&declaration.uri, true);
            self.push(b"\"");
        }
        for &attribute in &node.attributes {
            self.attribute(attribute);
        }
        self.push(b">");
        let lowercase = name.to_ascii_lowercase();
        let is_void = is_empty(&lowercase);
        if node.first.is_none() || is_void {
            if !is_void && lowercase != b"li" {
                self.push(b"</");
                self.push(&name);
                self.push(b">");
            }
            self.line_behind(id);
            return false;
        }
        self.line_inside(id, node.first);
        true
    }

    fn end_tag(&mut self, id: NodeId) {
        let last = self.tree[id].last;
        self.line_inside(id, last);
        self.push(b"</");
        let name = self.tree[id].qualified_name();
        self.push(&name);
        self.push(b">");
        self.line_behind(id);
    }

    fn attribute(&mut self, id: NodeId) {
        let attribute = &self.tree[id];
        self.push(b" ");
        let name = attribute.qualified_name();
        self.push(&name);
        let lowercase = name.to_ascii_lowercase();
        if attribute.is_bare || is_boolean(&lowercase) {
            return;
        }
        self.push(b"=");
        let value = match lowercase.as_slice() {
            b"href" | b"action" | b"src" => escaped_uri(&attribute.value),
            b"name"
                if attribute
                    .parent
                    .is_some_and(|parent| &*self.tree[parent].name == b"a") =>
            {
                escaped_uri(&attribute.value)
            }
            _ => attribute.value.clone(),
        };
        let has_double = value.contains(&b'"');
        let quote: &[u8] = if has_double && !value.contains(&b'\'') {
            b"'"
        } else {
            b"\""
        };
        self.push(quote);
        if quote == b"\"" && has_double {
            for (number, part) in value.split(|&byte| byte == b'"').enumerate() {
                if number > 0 {
                    self.push(b"&quot;");
                }
                self.escape(part, true);
            }
        } else {
            self.escape(&value, true);
        }
        self.push(quote);
    }

    /// Text with references.
    fn escape(&mut self, text: &[u8], is_attribute: bool) {
        let text = String::from_utf8_lossy(text).into_owned();
        let mut rest = text.as_str();
        while let Some(character) = rest.chars().next() {
            match character {
                // A script in an attribute keeps its `&{...}`.
                '&' if is_attribute && rest.starts_with("&{") => self.push(b"&"),
                '&' => self.push(b"&amp;"),
                '<' if is_attribute && rest.starts_with("<!--") => match rest.find("-->") {
                    Some(end) => {
                        self.push(&rest.as_bytes()[..end + 3]);
                        rest = &rest[end + 3..];
                        continue;
                    }
                    None => self.push(b"&lt;"),
                },
                '<' => self.push(b"&lt;"),
                '>' => self.push(b"&gt;"),
                _ if character.is_ascii() || !self.style.has_entities => {
                    self.push(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => match crate::standard::strings::html::entity_of(character as u32) {
                    Some(name) => self.push(format!("&{name};").as_bytes()),
                    None => self.push(format!("&#{};", character as u32).as_bytes()),
                },
            }
            rest = &rest[character.len_utf8()..];
        }
    }
}

/// A URI with what it may not have written in numbers.
fn escaped_uri(value: &[u8]) -> Vec<u8> {
    let value = value.trim_ascii_start();
    let mut output = Vec::with_capacity(value.len());
    for &byte in value {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()\"@/:=?;#%&,+<>{}".contains(&byte) {
            output.push(byte);
        } else {
            output.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
    output
}
