//! What a transformation made, as text.

use super::stylesheet::Output;
use crate::xml::html4;
use crate::xml::serializer;
use crate::xml::tree::{Doctype, Document, Kind, Node, NodeId, ROOT, Tree};

/// The ways to write a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Xml,
    Html,
    Text,
}

/// The way that a result is written if nothing is said: that of its outermost element.
pub(super) fn method(tree: &Tree, output: &Output) -> Method {
    match output.method.as_deref() {
        Some(b"html") => return Method::Html,
        Some(b"text") => return Method::Text,
        Some(_) => return Method::Xml,
        None => {}
    }
    for child in tree.children(ROOT) {
        let node = &tree[child];
        match node.kind {
            Kind::Element => {
                let is_html = node.namespace.is_none() && node.name.eq_ignore_ascii_case(b"html");
                return if is_html { Method::Html } else { Method::Xml };
            }
            Kind::Text | Kind::CData if !node.is_blank() => return Method::Xml,
            _ => {}
        }
    }
    Method::Xml
}

/// Gives a result what `xsl:output` says: its encoding, and a document type in front of its outermost
/// element.
pub(super) fn finish(document: &Document, output: &Output) -> Method {
    let mut tree = document.write();
    let method = method(&tree, output);
    tree.encoding = output.encoding.clone();
    tree.standalone = output.standalone;
    if let Some(version) = &output.version {
        tree.version = Some(version.clone());
    }
    if method == Method::Html {
        tree[ROOT].kind = Kind::HtmlDocument;
        tree.version = None;
    }
    let wants_type = match method {
        Method::Html => output.system.is_some() || output.public.is_some(),
        Method::Xml => output.system.is_some(),
        Method::Text => false,
    };
    let root = tree.document_element();
    if wants_type && let Some(root) = root {
        let name = match method {
            Method::Html => b"html".to_vec(),
            _ => tree[root].name.to_vec(),
        };
        let mut node = Node::new(Kind::DocumentType, &name);
        node.doctype = Some(Box::new(Doctype {
            public: output.public.clone(),
            system: output.system.clone(),
            ..Doctype::default()
        }));
        let id = tree.add(node);
        let first = tree[ROOT].first;
        tree.insert(ROOT, id, first);
    }
    method
}

/// The text of a result.
pub(super) fn serialize(document: &Document, output: &Output) -> Vec<u8> {
    let method = finish(document, output);
    text(document, output, method)
}

/// The text of a result that is finished.
pub(super) fn text(document: &Document, output: &Output, method: Method) -> Vec<u8> {
    match method {
        Method::Text => {
            let tree = document.read();
            let text = tree.text_content(ROOT);
            match &tree.encoding {
                Some(_) => serializer::encoded(&tree, text),
                None => text,
            }
        }
        Method::Html => {
            let mut tree = document.write();
            let encoding = output.encoding.clone().unwrap_or_else(|| b"UTF-8".to_vec());
            html4::serialize::set_meta_charset(&mut tree, &encoding);
            tree.settings.format_output = output.indent.unwrap_or(true);
            let text = html4::serialize::document_in(&tree, &encoding);
            tree.settings.format_output = false;
            text
        }
        Method::Xml => xml(&document.read(), output),
    }
}

fn xml(tree: &Tree, output: &Output) -> Vec<u8> {
    let style = serializer::Style {
        is_indented: output.indent == Some(true),
        has_no_declaration: output.omits_declaration == Some(true),
        is_ascii: false,
        ..serializer::Style::default()
    };
    let has_lines = output.indent != Some(false);
    let breaks = |id: NodeId| {
        has_lines
            && match tree[id].kind {
                Kind::DocumentType => true,
                Kind::Comment => tree[id].next.is_some(),
                _ => false,
            }
    };
    serializer::pieces(tree, style, &breaks, has_lines)
}
