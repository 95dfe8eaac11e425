//! Documents as text, as libxml2 writes them.

use super::subset;
use super::tree::{Doctype, Kind, Node, NodeId, ROOT, Tree};

/// How a document is written.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Style {
    /// Each element on a line of its own, where it has no text beside it.
    pub(crate) is_indented: bool,
    /// `<a></a>` instead of `<a/>`.
    pub(crate) keeps_end_tags: bool,
    pub(crate) has_no_declaration: bool,
    /// What is beyond ASCII is written as references.
    pub(crate) is_ascii: bool,
}

/// The whole document.
pub(crate) fn document(tree: &Tree, style: Style) -> Vec<u8> {
    let mut writer = Writer {
        tree,
        style: Style {
            is_ascii: tree.encoding.is_none(),
            ..style
        },
        output: Vec::new(),
    };
    if !style.has_no_declaration {
        writer.declaration();
    }
    for child in tree.children(ROOT) {
        writer.node(child, style.is_indented, 0);
        writer.output.push(b'\n');
    }
    encoded(tree, writer.output)
}

/// As [`document`], with a line feed only behind the outermost nodes that `breaks` names, and at the end.
#[cfg(feature = "xsl")]
pub(crate) fn pieces(
    tree: &Tree,
    style: Style,
    breaks: &dyn Fn(NodeId) -> bool,
    ends_line: bool,
) -> Vec<u8> {
    let mut writer = Writer {
        tree,
        style,
        output: Vec::new(),
    };
    if !style.has_no_declaration {
        writer.declaration();
    }
    for child in tree.children(ROOT) {
        writer.node(child, style.is_indented, 0);
        if breaks(child) {
            writer.output.push(b'\n');
        }
    }
    if ends_line {
        writer.output.push(b'\n');
    }
    encoded(tree, writer.output)
}

/// Text in the encoding of the document; what that does not have becomes references.
pub(crate) fn encoded(tree: &Tree, text: Vec<u8>) -> Vec<u8> {
    let Some(name) = &tree.encoding else {
        return text;
    };
    if name.eq_ignore_ascii_case(b"utf-8") {
        return text;
    }
    let Ok(text) = String::from_utf8(text) else {
        return Vec::new();
    };
    match name.to_ascii_uppercase().as_slice() {
        b"ISO-8859-1" | b"LATIN1" => {
            let mut output = Vec::with_capacity(text.len());
            for character in text.chars() {
                match u8::try_from(character as u32) {
                    Ok(byte) => output.push(byte),
                    Err(_) => {
                        output.extend_from_slice(format!("&#{};", character as u32).as_bytes())
                    }
                }
            }
            output
        }
        b"US-ASCII" | b"ASCII" => {
            let mut output = Vec::with_capacity(text.len());
            for character in text.chars() {
                if character.is_ascii() {
                    output.push(character as u8);
                } else {
                    output.extend_from_slice(format!("&#{};", character as u32).as_bytes());
                }
            }
            output
        }
        b"UTF-16" | b"UTF-16LE" | b"UTF-16BE" => {
            let is_little = !name.ends_with(b"BE") && !name.ends_with(b"be");
            let mark = name.len() == 6;
            let units = mark
                .then_some(0xfeff)
                .into_iter()
                .chain(text.encode_utf16());
            units
                .flat_map(|unit| {
                    if is_little {
                        unit.to_le_bytes()
                    } else {
                        unit.to_be_bytes()
                    }
                })
                .collect()
        }
        _ => match encoding_rs::Encoding::for_label(name) {
            Some(encoding) => encoding.encode(&text).0.into_owned(),
            None => text.into_bytes(),
        },
    }
}

/// A node and all below it.
pub(crate) fn node(tree: &Tree, id: NodeId, style: Style) -> Vec<u8> {
    if id == ROOT {
        return document(tree, style);
    }
    let mut writer = Writer {
        tree,
        style,
        output: Vec::new(),
    };
    writer.node(id, style.is_indented, 0);
    writer.output
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

    fn declaration(&mut self) {
        self.push(b"<?xml version=\"");
        let version = self.tree.version.clone();
        self.push(version.as_deref().unwrap_or(b"1.0"));
        self.push(b"\"");
        if let Some(encoding) = self.tree.encoding.clone() {
            self.push(b" encoding=\"");
            self.push(&encoding);
            self.push(b"\"");
        }
        match self.tree.standalone {
            Some(true) => self.push(b" standalone=\"yes\""),
            Some(false) => self.push(b" standalone=\"no\""),
            None => {}
        }
        self.push(b"?>\n");
    }

    fn node(&mut self, id: NodeId, indents: bool, depth: usize) {
        vm_runtime::limits::need_stack();
        let tree = self.tree;
        let node = &tree[id];
        match node.kind {
            Kind::Element => self.element(id, indents, depth),
            Kind::Text if node.is_bare => self.push(&node.value),
            Kind::Text => self.text(&node.value),
            Kind::CData => {
                // The end mark cannot stand inside.
                for (number, part) in split(&node.value, b"]]>").into_iter().enumerate() {
                    if number > 0 {
                        self.push(b"]]]]><![CDATA[>");
                    } else {
                        self.push(b"<![CDATA[");
                    }
                    self.push(part);
                }
                self.push(b"]]>");
            }
            Kind::Comment | Kind::ProcessingInstruction | Kind::EntityReference => {
                simple(node, b"?>", &mut self.output);
            }
            Kind::DocumentType => {
                if let Some(doctype) = &node.doctype {
                    self.doctype(&node.name, doctype);
                }
            }
            Kind::Attribute => self.attribute(id),
            Kind::Fragment => {
                for child in tree.children(id) {
                    self.node(child, indents, depth);
                }
            }
            _ => {}
        }
    }

    fn doctype(&mut self, name: &[u8], doctype: &Doctype) {
        self.push(b"<!DOCTYPE ");
        self.push(name);
        self.push(&external_id(doctype));
        if let Some(subset) = subset::written(doctype) {
            self.push(b" [\n");
            self.push(&subset);
            self.push(b"]");
        }
        self.push(b">");
    }

    fn element(&mut self, id: NodeId, indents: bool, depth: usize) {
        let tree = self.tree;
        let node = &tree[id];
        self.push(b"<");
        let name = node.qualified_name();
        self.push(&name);
        for declaration in &node.declarations {
            match &declaration.prefix {
                Some(prefix) if &**prefix == b"xml" => continue,
                Some(prefix) => {
                    self.push(b" xmlns:");
                    self.push(prefix);
                }
                None => self.push(b" xmlns"),
            }
            self.push(b"=\"");
            self.attribute_value(&declaration.uri);
            self.push(b"\"");
        }
        for &attribute in &node.attributes {
            self.attribute(attribute);
        }
        if node.first.is_none() {
            if self.style.keeps_end_tags {
                self.push(b"></");
                self.push(&name);
                self.push(b">");
            } else {
                self.push(b"/>");
            }
            return;
        }
        self.push(b">");
        let is_text = |child: NodeId| {
            matches!(
                tree[child].kind,
                Kind::Text | Kind::EntityReference | Kind::CData
            )
        };
        let indents = indents && !tree.children(id).any(is_text);
        for child in tree.children(id) {
            if indents {
                self.indent(depth + 1);
            }
            self.node(child, indents, depth + 1);
        }
        if indents {
            self.indent(depth);
        }
        self.push(b"</");
        self.push(&name);
        self.push(b">");
    }

    fn indent(&mut self, depth: usize) {
        self.output.push(b'\n');
        // libxml2 has 60 columns of white space at most.
        self.output
            .extend(std::iter::repeat_n(b' ', 2 * depth.min(30)));
    }

    fn attribute(&mut self, id: NodeId) {
        let node = &self.tree[id];
        self.push(b" ");
        self.push(&node.qualified_name());
        self.push(b"=\"");
        let tree = self.tree;
        let is_reference = |child: NodeId| tree[child].kind == Kind::EntityReference;
        match tree.children(id).any(is_reference) {
            true => {
                for child in tree.children(id) {
                    match is_reference(child) {
                        true => simple(&tree[child], b"", &mut self.output),
                        false => self.attribute_value(&tree[child].value),
                    }
                }
            }
            false => self.attribute_value(&node.value),
        }
        self.push(b"\"");
    }

    fn attribute_value(&mut self, value: &[u8]) {
        let text = String::from_utf8_lossy(value);
        for character in text.chars() {
            match character {
                '"' => self.push(b"&quot;"),
                '&' => self.push(b"&amp;"),
                '<' => self.push(b"&lt;"),
                '>' => self.push(b"&gt;"),
                '\n' => self.push(b"&#10;"),
                '\t' => self.push(b"&#9;"),
                '\r' => self.push(b"&#13;"),
                _ => self.character(character, true),
            }
        }
    }

    fn text(&mut self, value: &[u8]) {
        let text = String::from_utf8_lossy(value);
        for character in text.chars() {
            match character {
                '&' => self.push(b"&amp;"),
                '<' => self.push(b"&lt;"),
                '>' => self.push(b"&gt;"),
                '\r' if self.style.is_ascii => self.push(b"&#xD;"),
                '\r' => self.push(b"&#13;"),
                _ => self.character(character, self.style.is_ascii),
            }
        }
    }

    fn character(&mut self, character: char, may_refer: bool) {
        // Attributes are written with references where no encoding is told.
        if !character.is_ascii()
            && may_refer
            && (self.style.is_ascii || self.tree.encoding.is_none())
        {
            self.push(format!("&#x{:X};", character as u32).as_bytes());
        } else {
            self.push(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

/// A comment, a processing instruction with the end mark it has, or a reference to an entity.
pub(crate) fn simple(node: &Node, end: &[u8], output: &mut Vec<u8>) {
    let mut push = |parts: &[&[u8]]| {
        for part in parts {
            output.extend_from_slice(part);
        }
    };
    match node.kind {
        Kind::Comment if node.is_bare && node.value.is_empty() => {}
        Kind::Comment => push(&[b"<!--", &node.value, b"-->"]),
        Kind::ProcessingInstruction if node.is_bare && node.value.is_empty() => {
            push(&[b"<?", &node.name, end])
        }
        Kind::ProcessingInstruction => push(&[b"<?", &node.name, b" ", &node.value, end]),
        _ => push(&[b"&", &node.name, b";"]),
    }
}

/// ` PUBLIC "..." "..."` or ` SYSTEM "..."`
pub(crate) fn external_id(doctype: &Doctype) -> Vec<u8> {
    let mut output = Vec::new();
    let quoted = |text: &[u8], output: &mut Vec<u8>| {
        let quote = if text.contains(&b'"') { b'\'' } else { b'"' };
        output.push(quote);
        output.extend_from_slice(text);
        output.push(quote);
    };
    let system = doctype.system.as_deref().unwrap_or_default();
    match doctype
        .public
        .as_deref()
        .filter(|public| !public.is_empty())
    {
        Some(public) => {
            output.extend_from_slice(b" PUBLIC ");
            quoted(public, &mut output);
            output.push(b' ');
            quoted(system, &mut output);
        }
        None if !system.is_empty() => {
            output.extend_from_slice(b" SYSTEM ");
            quoted(system, &mut output);
        }
        None => {}
    }
    output
}

/// The parts between occurrences of a mark.
fn split<'a>(text: &'a [u8], mark: &[u8]) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, mark) {
        parts.push(&rest[..at]);
        rest = &rest[at + mark.len()..];
    }
    parts.push(rest);
    parts
}
