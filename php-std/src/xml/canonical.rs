//! Canonical XML 1.0, inclusive and exclusive.

use std::collections::HashSet;

use super::tree::{Kind, Node, NodeId, ROOT, Tree};
use super::xpath::Item;

/// How a canonical form is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form<'a> {
    /// Of the namespaces in force only those that are used are written.
    pub(crate) is_exclusive: bool,
    pub(crate) with_comments: bool,
    /// Prefixes whose namespaces are written in an exclusive form, too.
    pub(crate) inclusive_prefixes: &'a [Vec<u8>],
    /// The nodes that are written, if not all are.
    pub(crate) visible: Option<&'a HashSet<Item>>,
}

/// The canonical form of a node and all below it.
pub(crate) fn canonical(tree: &Tree, id: NodeId, form: Form<'_>) -> Vec<u8> {
    let mut writer = Writer {
        tree,
        form,
        output: Vec::new(),
    };
    if id == ROOT {
        let element = tree.document_element();
        let mut is_behind = false;
        for child in tree.children(ROOT) {
            let is_element = Some(child) == element;
            let is_written = is_element
                || tree[child].kind == Kind::ProcessingInstruction
                || tree[child].kind == Kind::Comment && form.with_comments;
            if !is_written || !is_element && !writer.is_visible(child) {
                continue;
            }
            if is_behind {
                writer.output.push(b'\n');
            }
            writer.node(child, None);
            if !is_element && !is_behind {
                writer.output.push(b'\n');
            }
            is_behind |= is_element;
        }
    } else {
        writer.node(id, None);
    }
    writer.output
}

struct Writer<'a> {
    tree: &'a Tree,
    form: Form<'a>,
    output: Vec<u8>,
}

/// Prefix and URI.
type Namespace = (Vec<u8>, Vec<u8>);

/// A namespace that an element must write.
#[derive(Debug)]
struct Needed {
    name: Namespace,
    /// An exclusive form writes it although it is not among the nodes that are written.
    by_attribute: bool,
}

impl Needed {
    fn new(prefix: &[u8], uri: &[u8]) -> Self {
        Self {
            name: (prefix.to_vec(), uri.to_vec()),
            by_attribute: false,
        }
    }
}

/// What a prefix is declared as where an element stands.
fn declared(tree: &Tree, id: NodeId, prefix: Option<&[u8]>) -> Option<Vec<u8>> {
    let around = std::iter::once(id).chain(tree.ancestors(id));
    around
        .flat_map(|element| tree.declarations_of(element).to_vec())
        .find(|declaration| declaration.prefix.as_deref() == prefix)
        .map(|declaration| declaration.uri.to_vec())
}

impl Writer<'_> {
    fn is_visible(&self, id: NodeId) -> bool {
        let visible = self.form.visible;
        visible.is_none_or(|visible| visible.contains(&Item::Node(id)))
    }

    /// Writes a node; `written` is what the elements around it have written, if any have.
    fn node(&mut self, id: NodeId, written: Option<&[Namespace]>) {
        vm_runtime::limits::need_stack();
        let node = &self.tree[id];
        match node.kind {
            Kind::Element => self.element(id, written),
            _ if !self.is_visible(id) => {}
            Kind::Text | Kind::CData => self.text(&node.value),
            Kind::Attribute => self.attribute(id),
            Kind::Comment if self.form.with_comments => {
                self.output.extend_from_slice(b"<!--");
                self.output.extend_from_slice(&node.value);
                self.output.extend_from_slice(b"-->");
            }
            Kind::ProcessingInstruction => {
                self.output.extend_from_slice(b"<?");
                self.output.extend_from_slice(&node.name);
                if !node.value.is_empty() {
                    self.output.push(b' ');
                    self.output.extend_from_slice(&node.value);
                }
                self.output.extend_from_slice(b"?>");
            }
            _ => {}
        }
    }

    /// The namespaces that an element must write: those it uses, or all in force. What is in force around an
    /// element that is not the first has been written there.
    fn namespaces(&self, id: NodeId, is_first: bool) -> Vec<Needed> {
        let tree = self.tree;
        let mut found: Vec<Needed> = Vec::new();
        let node = &tree[id];
        let used: Vec<&Node> = (node.attributes.iter().map(|&attribute| &tree[attribute]))
            .filter(|attribute| attribute.prefix.is_some() && attribute.declares().is_none())
            .collect();
        // What is used counts as declared where it is not, but without a prefix what is declared counts.
        if tree.is_modern {
            for user in std::iter::once(node).chain(used.iter().copied()) {
                if let (Some(prefix), Some(uri)) = (&user.prefix, &user.namespace)
                    && prefix[..] != b"xml"[..]
                {
                    found.push(Needed::new(prefix, uri));
                }
            }
        }
        let add = |prefix: &[u8], found: &mut Vec<Needed>| {
            // Each is looked for among all others.
            vm_runtime::limits::poll();
            let asked = (!prefix.is_empty()).then_some(prefix);
            let uri = match tree.is_modern {
                true => declared(tree, id, asked),
                false => tree.find_namespace(id, asked).map(|uri| uri.to_vec()),
            };
            if prefix != b"xml" && !found.iter().any(|known| known.name.0 == prefix) {
                found.push(Needed::new(prefix, &uri.unwrap_or_default()));
            }
        };
        if self.form.is_exclusive {
            add(node.prefix.as_deref().unwrap_or_default(), &mut found);
            for prefix in self.form.inclusive_prefixes {
                let prefix: &[u8] = if prefix == b"#default" { b"" } else { prefix };
                add(prefix, &mut found);
            }
            for attribute in used {
                let prefix = attribute.prefix.as_deref().unwrap_or_default();
                add(prefix, &mut found);
                let of_attribute = found.iter_mut().find(|known| known.name.0 == prefix);
                if let Some(needed) = of_attribute {
                    needed.by_attribute = true;
                }
            }
        } else {
            let around = tree
                .ancestors(id)
                .take_while(|_| is_first || self.form.visible.is_some());
            for element in std::iter::once(id).chain(around) {
                for declaration in tree.declarations_of(element).iter() {
                    add(
                        declaration.prefix.as_deref().unwrap_or_default(),
                        &mut found,
                    );
                }
            }
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        found.dedup_by(|one, other| one.name.0 == other.name.0);
        found
    }

    fn element(&mut self, id: NodeId, written: Option<&[Namespace]>) {
        let tree = self.tree;
        let node = &tree[id];
        // Of an element that is not written its namespaces and attributes can be.
        let is_visible = self.is_visible(id);
        let name = node.qualified_name();
        if is_visible {
            self.output.push(b'<');
            self.output.extend_from_slice(&name);
        }
        let mut in_force = written.unwrap_or_default().to_vec();
        for needed in self.namespaces(id, written.is_none()) {
            vm_runtime::limits::poll();
            let by_attribute = needed.by_attribute;
            let (prefix, uri) = needed.name;
            let known = in_force.iter().find(|known| known.0 == prefix);
            let is_known = known.map_or(uri.is_empty(), |known| known.1 == uri);
            if is_known {
                continue;
            }
            if let Some(visible) = self.form.visible {
                if self.form.is_exclusive && !is_visible {
                    continue;
                }
                let item = Item::Namespace(id, prefix.clone(), uri.clone());
                if !by_attribute && !visible.contains(&item) {
                    continue;
                }
            }
            self.output.extend_from_slice(b" xmlns");
            if !prefix.is_empty() {
                self.output.push(b':');
                self.output.extend_from_slice(&prefix);
            }
            self.output.extend_from_slice(b"=\"");
            self.attribute_value(&uri);
            self.output.push(b'"');
            if is_visible {
                in_force.retain(|known| known.0 != prefix);
                in_force.push((prefix, uri));
            }
        }
        let mut attributes = node.attributes.clone();
        attributes.retain(|&attribute| {
            tree[attribute].declares().is_none() && self.is_visible(attribute)
        });
        attributes.sort_by_key(|&attribute| {
            let attribute = &tree[attribute];
            (attribute.namespace.clone(), attribute.name.clone())
        });
        for attribute in attributes {
            self.attribute(attribute);
        }
        if is_visible {
            self.output.push(b'>');
        }
        for child in tree.children(id) {
            self.node(child, Some(&in_force));
        }
        if is_visible {
            self.output.extend_from_slice(b"</");
            self.output.extend_from_slice(&name);
            self.output.push(b'>');
        }
    }

    fn text(&mut self, text: &[u8]) {
        for &byte in text {
            match byte {
                b'&' => self.output.extend_from_slice(b"&amp;"),
                b'<' => self.output.extend_from_slice(b"&lt;"),
                b'>' => self.output.extend_from_slice(b"&gt;"),
                b'\r' => self.output.extend_from_slice(b"&#xD;"),
                _ => self.output.push(byte),
            }
        }
    }

    fn attribute(&mut self, id: NodeId) {
        let attribute = &self.tree[id];
        self.output.push(b' ');
        self.output.extend(attribute.qualified_name());
        self.output.extend_from_slice(b"=\"");
        self.attribute_value(&attribute.value);
        self.output.push(b'"');
    }

    fn attribute_value(&mut self, text: &[u8]) {
        for &byte in text {
            match byte {
                b'&' => self.output.extend_from_slice(b"&amp;"),
                b'<' => self.output.extend_from_slice(b"&lt;"),
                b'"' => self.output.extend_from_slice(b"&quot;"),
                b'\t' => self.output.extend_from_slice(b"&#x9;"),
                b'\n' => self.output.extend_from_slice(b"&#xA;"),
                b'\r' => self.output.extend_from_slice(b"&#xD;"),
                _ => self.output.push(byte),
            }
        }
    }
}
