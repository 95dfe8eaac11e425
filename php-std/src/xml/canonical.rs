//! Canonical XML 1.0, inclusive and exclusive.

use super::tree::{Kind, NodeId, ROOT, Tree};

/// The canonical form of a node and all below it.
pub(crate) fn canonical(
    tree: &Tree,
    id: NodeId,
    is_exclusive: bool,
    with_comments: bool,
    inclusive_prefixes: &[Vec<u8>],
) -> Vec<u8> {
    let mut writer = Writer {
        tree,
        is_exclusive,
        with_comments,
        inclusive_prefixes,
        output: Vec::new(),
    };
    if id == ROOT {
        let element = tree.document_element();
        let mut is_behind = false;
        for child in tree.children(ROOT) {
            let is_element = Some(child) == element;
            let is_written = is_element
                || tree[child].kind == Kind::ProcessingInstruction
                || tree[child].kind == Kind::Comment && with_comments;
            if !is_written {
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
    is_exclusive: bool,
    with_comments: bool,
    inclusive_prefixes: &'a [Vec<u8>],
    output: Vec<u8>,
}

/// Prefix and URI.
type Namespace = (Vec<u8>, Vec<u8>);

impl Writer<'_> {
    /// Writes a node; `written` is what the elements around it have written, if any have.
    fn node(&mut self, id: NodeId, written: Option<&[Namespace]>) {
        vm_runtime::limits::need_stack();
        let node = &self.tree[id];
        match node.kind {
            Kind::Element => self.element(id, written),
            Kind::Text | Kind::CData => self.text(&node.value),
            Kind::Comment if self.with_comments => {
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
    fn namespaces(&self, id: NodeId, is_first: bool) -> Vec<Namespace> {
        let tree = self.tree;
        let mut found: Vec<Namespace> = Vec::new();
        let add = |prefix: &[u8], found: &mut Vec<Namespace>| {
            let asked = (!prefix.is_empty()).then_some(prefix);
            let uri = tree
                .find_namespace(id, asked)
                .map_or(Vec::new(), |uri| uri.to_vec());
            if prefix != b"xml" && !found.iter().any(|known| known.0 == prefix) {
                found.push((prefix.to_vec(), uri));
            }
        };
        if self.is_exclusive {
            let node = &tree[id];
            add(node.prefix.as_deref().unwrap_or_default(), &mut found);
            for &attribute in &node.attributes {
                let attribute = &tree[attribute];
                if let Some(prefix) = &attribute.prefix
                    && attribute.declares().is_none()
                {
                    add(prefix, &mut found);
                }
            }
            for prefix in self.inclusive_prefixes {
                let prefix: &[u8] = if prefix == b"#default" { b"" } else { prefix };
                add(prefix, &mut found);
            }
        } else {
            // What is used counts as declared where it is not.
            if let Some(uri) = &tree[id].namespace
                && tree.is_modern
            {
                let prefix = tree[id].prefix.as_deref().unwrap_or_default();
                found.push((prefix.to_vec(), uri.to_vec()));
            }
            let around = tree.ancestors(id).take_while(|_| is_first);
            for element in std::iter::once(id).chain(around) {
                for declaration in tree.declarations_of(element).iter() {
                    add(
                        declaration.prefix.as_deref().unwrap_or_default(),
                        &mut found,
                    );
                }
            }
        }
        found.sort();
        found
    }

    fn element(&mut self, id: NodeId, written: Option<&[Namespace]>) {
        let tree = self.tree;
        let node = &tree[id];
        let name = node.qualified_name();
        self.output.push(b'<');
        self.output.extend_from_slice(&name);
        let mut in_force = written.unwrap_or_default().to_vec();
        for (prefix, uri) in self.namespaces(id, written.is_none()) {
            let known = in_force.iter().find(|known| known.0 == prefix);
            let is_known = known.map_or(uri.is_empty(), |known| known.1 == uri);
            if is_known {
                continue;
            }
            self.output.extend_from_slice(b" xmlns");
            if !prefix.is_empty() {
                self.output.push(b':');
                self.output.extend_from_slice(&prefix);
            }
            self.output.extend_from_slice(b"=\"");
            self.attribute_value(&uri);
            self.output.push(b'"');
            in_force.retain(|known| known.0 != prefix);
            in_force.push((prefix, uri));
        }
        let mut attributes = node.attributes.clone();
        attributes.retain(|&attribute| tree[attribute].declares().is_none());
        attributes.sort_by_key(|&attribute| {
            let attribute = &tree[attribute];
            (attribute.namespace.clone(), attribute.name.clone())
        });
        for attribute in attributes {
            self.output.push(b' ');
            self.output.extend(tree[attribute].qualified_name());
            self.output.extend_from_slice(b"=\"");
            self.attribute_value(&tree[attribute].value);
            self.output.push(b'"');
        }
        self.output.push(b'>');
        for child in tree.children(id) {
            self.node(child, Some(&in_force));
        }
        self.output.extend_from_slice(b"</");
        self.output.extend_from_slice(&name);
        self.output.push(b'>');
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
