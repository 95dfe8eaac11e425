//! Documents of the classes below `Dom\` as XML: the serialization algorithm of the W3C's "DOM
//! Parsing and Serialization", which finds prefixes by itself.

use std::rc::Rc;

use super::html5::serialize::VOID;
use super::parser::{is_name, is_xml_text};
use super::serializer::external_id;
use super::subset;
use super::tree::{HTML_NAMESPACE, Kind, NodeId, ROOT, Text, Tree, XML_NAMESPACE, XMLNS_NAMESPACE};

/// How a document is written.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Style {
    pub(crate) is_indented: bool,
    pub(crate) keeps_end_tags: bool,
    pub(crate) has_no_declaration: bool,
    /// What would not be well-formed is an error.
    pub(crate) must_be_well_formed: bool,
}

/// The text would not be well-formed.
#[derive(Debug)]
pub(crate) struct NotWellFormed;

type Written = Result<(), NotWellFormed>;

/// A node and all below it; for a document with its declaration.
pub(crate) fn node(tree: &Tree, id: NodeId, style: Style) -> Result<Vec<u8>, NotWellFormed> {
    let mut writer = Writer::new(tree, style);
    if id == ROOT && !style.has_no_declaration {
        writer.declaration();
    }
    writer.run(id)?;
    Ok(writer.output)
}

/// What is below a node.
pub(crate) fn inner(tree: &Tree, id: NodeId) -> Result<Vec<u8>, NotWellFormed> {
    let style = Style {
        must_be_well_formed: true,
        ..Style::default()
    };
    let mut writer = Writer::new(tree, style);
    let content = tree.templates.get(&id).copied().unwrap_or(id);
    for child in tree.children(content) {
        writer.run(child)?;
    }
    Ok(writer.output)
}

/// Prefixes by namespace, in the order in which they were found.
type Prefixes = Vec<(Option<Text>, Vec<Text>)>;

/// What counts for the children of an element.
#[derive(Clone)]
struct Scope {
    namespace: Option<Text>,
    prefixes: Rc<Prefixes>,
    depth: usize,
    /// Children stand on lines of their own.
    is_indented: bool,
}

struct Writer<'a> {
    tree: &'a Tree,
    style: Style,
    output: Vec<u8>,
    /// The number of the next prefix that is made up.
    next_prefix: usize,
}

/// A start tag that was written: the name for the end tag, what counts for children, and the first
/// of them.
type Started = (Vec<u8>, Scope, Option<NodeId>);

/// An element whose end tag is still to be written.
struct Open {
    name: Vec<u8>,
    /// The node behind the element.
    next: Option<NodeId>,
    inner: Scope,
    outer: Scope,
}

impl<'a> Writer<'a> {
    fn new(tree: &'a Tree, style: Style) -> Writer<'a> {
        Writer {
            tree,
            style,
            output: Vec::new(),
            next_prefix: 1,
        }
    }

    fn push(&mut self, parts: &[&[u8]]) {
        for part in parts {
            self.output.extend_from_slice(part);
        }
    }

    fn declaration(&mut self) {
        let tree = self.tree;
        let version = tree.version.as_deref().unwrap_or(b"1.0");
        self.push(&[b"<?xml version=\"", version, b"\""]);
        let encoding = tree.encoding.as_deref().unwrap_or(b"UTF-8");
        self.push(&[b" encoding=\"", encoding, b"\""]);
        match tree.standalone {
            Some(true) => self.push(&[b" standalone=\"yes\""]),
            Some(false) => self.push(&[b" standalone=\"no\""]),
            None => {}
        }
        self.push(&[b"?>\n"]);
    }

    fn indent(&mut self, depth: usize) {
        self.output.push(b'\n');
        self.output.extend(std::iter::repeat_n(b' ', 2 * depth));
    }

    /// Writes a node and all below it, without recursion: documents may be deeper than the stack.
    fn run(&mut self, top: NodeId) -> Written {
        let tree = self.tree;
        let mut prefixes = Prefixes::new();
        add(&mut prefixes, Some(XML_NAMESPACE.into()), b"xml"[..].into());
        let mut scope = Scope {
            namespace: None,
            prefixes: Rc::new(prefixes),
            depth: 0,
            is_indented: false,
        };
        let mut open: Vec<Open> = Vec::new();
        let is_list = !matches!(tree[top].kind, Kind::Element) && tree[top].first.is_some();
        let is_holder = matches!(
            tree[top].kind,
            Kind::Document | Kind::HtmlDocument | Kind::Fragment
        );
        let mut at = if is_holder {
            if is_list { tree[top].first } else { None }
        } else {
            Some(top)
        };
        loop {
            let Some(id) = at else {
                let Some(element) = open.pop() else {
                    return Ok(());
                };
                if element.inner.is_indented {
                    self.indent(element.outer.depth);
                }
                self.push(&[b"</", &element.name, b">"]);
                scope = element.outer;
                at = element.next;
                continue;
            };
            let next = if id == top { None } else { tree[id].next };
            if scope.is_indented {
                self.indent(scope.depth);
            }
            at = next;
            if tree[id].kind == Kind::Element {
                if let Some((name, inner, first)) = self.start(id, &scope)? {
                    open.push(Open {
                        name,
                        next,
                        inner: inner.clone(),
                        outer: std::mem::replace(&mut scope, inner),
                    });
                    at = first;
                }
            } else {
                self.leaf(id)?;
            }
        }
    }

    fn leaf(&mut self, id: NodeId) -> Written {
        let tree = self.tree;
        let node = &tree[id];
        let strict = self.style.must_be_well_formed;
        let has = |text: &[u8]| memchr::memmem::find(&node.value, text).is_some();
        match node.kind {
            Kind::Text => {
                if strict && !is_xml_text(&node.value) {
                    return Err(NotWellFormed);
                }
                self.text(&node.value);
            }
            Kind::CData => {
                if strict && (has(b"]]>") || !is_xml_text(&node.value)) {
                    return Err(NotWellFormed);
                }
                self.push(&[b"<![CDATA[", &node.value, b"]]>"]);
            }
            Kind::Comment => {
                let is_bad = has(b"--") || node.value.ends_with(b"-") || !is_xml_text(&node.value);
                if strict && is_bad {
                    return Err(NotWellFormed);
                }
                self.push(&[b"<!--", &node.value, b"-->"]);
            }
            Kind::ProcessingInstruction => {
                let is_bad = node.name.contains(&b':')
                    || node.name.eq_ignore_ascii_case(b"xml")
                    || has(b"?>")
                    || !is_xml_text(&node.value);
                if strict && is_bad {
                    return Err(NotWellFormed);
                }
                self.push(&[b"<?", &node.name, b" ", &node.value, b"?>"]);
            }
            Kind::EntityReference => self.push(&[b"&", &node.name, b";"]),
            Kind::DocumentType => {
                let Some(doctype) = &node.doctype else {
                    return Ok(());
                };
                let (public, system) = (
                    doctype.public.as_deref().unwrap_or_default(),
                    doctype.system.as_deref().unwrap_or_default(),
                );
                let both = system.contains(&b'"') && system.contains(&b'\'');
                if strict && (both || !public.iter().all(is_public_character)) {
                    return Err(NotWellFormed);
                }
                self.push(&[b"<!DOCTYPE ", &node.name, &external_id(doctype)]);
                if let Some(subset) = subset::written(doctype) {
                    self.push(&[b" [\n", &subset, b"]"]);
                }
                self.push(&[b">"]);
                // The document itself is not indented, but its type stands on a line of its own.
                if node.parent == Some(ROOT) {
                    self.push(&[b"\n"]);
                }
            }
            Kind::Attribute => {
                self.push(&[&node.qualified_name(), b"=\""]);
                self.value_of(id);
                self.push(&[b"\""]);
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, value: &[u8]) {
        for &byte in value {
            match byte {
                b'&' => self.output.extend_from_slice(b"&amp;"),
                b'<' => self.output.extend_from_slice(b"&lt;"),
                b'>' => self.output.extend_from_slice(b"&gt;"),
                _ => self.output.push(byte),
            }
        }
    }

    /// The value of an attribute, with the references in it.
    fn value_of(&mut self, id: NodeId) {
        let tree = self.tree;
        let is_reference = |child: NodeId| tree[child].kind == Kind::EntityReference;
        if !tree.children(id).any(is_reference) {
            return self.attribute_value(&tree[id].value);
        }
        for child in tree.children(id) {
            match is_reference(child) {
                true => self.push(&[b"&", &tree[child].name, b";"]),
                false => self.attribute_value(&tree[child].value),
            }
        }
    }

    fn attribute_value(&mut self, value: &[u8]) {
        for &byte in value {
            match byte {
                b'&' => self.output.extend_from_slice(b"&amp;"),
                b'"' => self.output.extend_from_slice(b"&quot;"),
                b'<' => self.output.extend_from_slice(b"&lt;"),
                b'>' => self.output.extend_from_slice(b"&gt;"),
                b'\t' => self.output.extend_from_slice(b"&#9;"),
                b'\n' => self.output.extend_from_slice(b"&#10;"),
                b'\r' => self.output.extend_from_slice(b"&#13;"),
                _ => self.output.push(byte),
            }
        }
    }

    /// A prefix that was not used yet, for a namespace.
    fn make_prefix(&mut self, prefixes: &mut Prefixes, namespace: &Text) -> Text {
        let prefix: Text = format!("ns{}", self.next_prefix).into_bytes().into();
        self.next_prefix += 1;
        add(prefixes, Some(namespace.clone()), prefix.clone());
        prefix
    }

    /// Writes a start tag; nothing for an element without end tag.
    fn start(&mut self, id: NodeId, scope: &Scope) -> Result<Option<Started>, NotWellFormed> {
        let tree = self.tree;
        let node = &tree[id];
        if self.style.must_be_well_formed && (node.name.contains(&b':') || !is_name(&node.name)) {
            return Err(NotWellFormed);
        }
        let mut prefixes = (*scope.prefixes).clone();
        let mut local: Vec<(Text, Option<Text>)> = Vec::new();
        let default = record(tree, id, &mut prefixes, &mut local);
        let mut inherited = scope.namespace.clone();
        let namespace = node.namespace.clone();
        let mut leaves_default = false;
        let qualified = |prefix: &[u8]| [prefix, b":", &node.name].concat();
        let name;
        self.push(&[b"<"]);
        if inherited == namespace {
            // A declaration that says what is so anyway stays, another one would be wrong.
            leaves_default = default
                .as_deref()
                .is_some_and(|uri| uri != namespace.as_deref().unwrap_or_default());
            name = if namespace.as_deref() == Some(XML_NAMESPACE) {
                qualified(b"xml")
            } else {
                node.name.to_vec()
            };
            self.push(&[&name]);
        } else {
            let mut prefix = node.prefix.clone();
            let mut candidate = preferred(&prefixes, prefix.as_deref(), namespace.as_ref());
            if prefix.as_deref() == Some(b"xmlns") {
                if self.style.must_be_well_formed {
                    return Err(NotWellFormed);
                }
                candidate = prefix.clone();
            }
            if let Some(candidate) = candidate {
                name = qualified(&candidate);
                if let Some(default) = &default
                    && **default != *XML_NAMESPACE
                {
                    inherited = (!default.is_empty()).then(|| default.clone());
                }
                self.push(&[&name]);
            } else if let (Some(given), Some(uri)) = (&mut prefix, &namespace) {
                if local.iter().any(|known| known.0 == *given) {
                    *given = self.make_prefix(&mut prefixes, uri);
                } else {
                    add(&mut prefixes, namespace.clone(), given.clone());
                    local.push((given.clone(), namespace.clone()));
                }
                name = qualified(given);
                let given = given.clone();
                self.push(&[&name, b" xmlns:", &given, b"=\""]);
                self.attribute_value(uri);
                self.push(&[b"\""]);
                if let Some(default) = &default {
                    inherited = (!default.is_empty()).then(|| default.clone());
                }
            } else if default.as_deref() != Some(namespace.as_deref().unwrap_or_default()) {
                leaves_default = true;
                name = node.name.to_vec();
                inherited = namespace.clone();
                self.push(&[&name, b" xmlns=\""]);
                self.attribute_value(namespace.as_deref().unwrap_or_default());
                self.push(&[b"\""]);
            } else {
                name = node.name.to_vec();
                inherited = namespace.clone();
                self.push(&[&name]);
            }
        }
        self.attributes(id, &mut prefixes, &mut local, leaves_default)?;
        let content = tree.templates.get(&id).copied().unwrap_or(id);
        let first = tree[content].first;
        let is_html = namespace.as_deref() == Some(HTML_NAMESPACE);
        if first.is_none() && !self.style.keeps_end_tags {
            if is_html && VOID.contains(&&*node.name) {
                self.push(&[b" />"]);
                return Ok(None);
            }
            if !is_html {
                self.push(&[b"/>"]);
                return Ok(None);
            }
        }
        self.push(&[b">"]);
        let has_text = tree
            .children(content)
            .any(|child| tree[child].is_text() || tree[child].kind == Kind::EntityReference);
        let outer_allows = scope.depth == 0 || scope.is_indented;
        let inner = Scope {
            namespace: inherited,
            prefixes: Rc::new(prefixes),
            depth: scope.depth + 1,
            is_indented: self.style.is_indented && outer_allows && !has_text && first.is_some(),
        };
        Ok(Some((name, inner, first)))
    }

    fn attributes(
        &mut self,
        id: NodeId,
        prefixes: &mut Prefixes,
        local: &mut Vec<(Text, Option<Text>)>,
        leaves_default: bool,
    ) -> Written {
        let tree = self.tree;
        let strict = self.style.must_be_well_formed;
        let mut seen: Vec<(Option<Text>, Text)> = Vec::new();
        for &attribute in &tree[id].attributes {
            let node = &tree[attribute];
            if strict {
                let name = (node.namespace.clone(), node.name.clone());
                if seen.contains(&name) {
                    return Err(NotWellFormed);
                }
                seen.push(name);
            }
            let mut candidate: Option<Text> = None;
            if let Some(namespace) = &node.namespace {
                // A prefix that this very tag gives another meaning does not serve.
                let is_hidden = |prefix: &Text| {
                    local
                        .iter()
                        .any(|known| known.0 == *prefix && known.1.as_ref() != Some(namespace))
                };
                candidate = preferred(prefixes, node.prefix.as_deref(), Some(namespace))
                    .filter(|prefix| !is_hidden(prefix));
                if let Some((declared, uri)) = node.declares() {
                    let is_left_out = uri == XML_NAMESPACE
                        || declared.is_none() && leaves_default
                        || declared.is_some_and(|prefix| {
                            let is_here = local.iter().any(|(known, value)| {
                                **known == *prefix && value.as_deref().unwrap_or_default() == uri
                            });
                            !is_here && has(prefixes, uri, prefix)
                        });
                    if is_left_out {
                        continue;
                    }
                    let is_bad = uri == XMLNS_NAMESPACE || uri.is_empty() && declared.is_some();
                    if strict && is_bad {
                        return Err(NotWellFormed);
                    }
                    candidate = node.prefix.clone();
                } else if candidate.is_none() {
                    let is_free = |prefix: &Text| local.iter().all(|known| known.0 != *prefix);
                    let made = match &node.prefix {
                        Some(prefix) if is_free(prefix) => {
                            add(prefixes, Some(namespace.clone()), prefix.clone());
                            local.push((prefix.clone(), Some(namespace.clone())));
                            prefix.clone()
                        }
                        _ => self.make_prefix(prefixes, namespace),
                    };
                    self.push(&[b" xmlns:", &made, b"=\""]);
                    self.attribute_value(namespace);
                    self.push(&[b"\""]);
                    candidate = Some(made);
                }
            }
            self.push(&[b" "]);
            if let Some(prefix) = &candidate {
                self.push(&[prefix, b":"]);
            }
            let is_bad = node.name.contains(&b':')
                || !is_name(&node.name)
                || &*node.name == b"xmlns" && node.namespace.is_none()
                || !is_xml_text(&node.value);
            if strict && is_bad {
                return Err(NotWellFormed);
            }
            self.push(&[&node.name, b"=\""]);
            self.value_of(attribute);
            self.push(&[b"\""]);
        }
        Ok(())
    }
}

fn is_public_character(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b" \r\n-'()+,./:=?;!*#@$_%".contains(byte)
}

fn add(prefixes: &mut Prefixes, namespace: Option<Text>, prefix: Text) {
    match prefixes.iter_mut().find(|known| known.0 == namespace) {
        Some((_, list)) => list.push(prefix),
        None => prefixes.push((namespace, vec![prefix])),
    }
}

fn has(prefixes: &Prefixes, namespace: &[u8], prefix: &[u8]) -> bool {
    prefixes.iter().any(|(known, list)| {
        known.as_deref().unwrap_or_default() == namespace
            && list.iter().any(|known| **known == *prefix)
    })
}

/// The prefix for a namespace: the one that is asked for if it stands for it, else the latest.
fn preferred(prefixes: &Prefixes, wanted: Option<&[u8]>, namespace: Option<&Text>) -> Option<Text> {
    let (_, list) = prefixes
        .iter()
        .find(|known| known.0.as_ref() == namespace)?;
    let asked = list.iter().find(|&known| Some(&**known) == wanted);
    asked.or(list.last()).cloned()
}

/// Notes what an element declares; its default namespace, if it declares one.
fn record(
    tree: &Tree,
    id: NodeId,
    prefixes: &mut Prefixes,
    local: &mut Vec<(Text, Option<Text>)>,
) -> Option<Text> {
    let mut default = None;
    for &attribute in &tree[id].attributes {
        let Some((prefix, uri)) = tree[attribute].declares() else {
            continue;
        };
        let Some(prefix) = prefix else {
            default = Some(uri.into());
            continue;
        };
        if uri == XML_NAMESPACE {
            continue;
        }
        let namespace: Option<Text> = (!uri.is_empty()).then(|| uri.into());
        if has(prefixes, uri, prefix) {
            continue;
        }
        add(prefixes, namespace.clone(), prefix.into());
        local.push((prefix.into(), namespace));
    }
    default
}
