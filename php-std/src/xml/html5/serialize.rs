//! HTML as text, by the rules of the living standard.

use super::super::tree::{
    HTML_NAMESPACE, Kind, NodeId, ROOT, Tree, XML_NAMESPACE, XMLNS_NAMESPACE,
};

/// Elements without content and end tag.
pub(crate) const VOID: [&[u8]; 18] = [
    b"area",
    b"base",
    b"basefont",
    b"bgsound",
    b"br",
    b"col",
    b"embed",
    b"frame",
    b"hr",
    b"img",
    b"input",
    b"keygen",
    b"link",
    b"meta",
    b"param",
    b"source",
    b"track",
    b"wbr",
];
/// Elements whose text has no references.
const RAW: [&[u8]; 7] = [
    b"style",
    b"script",
    b"xmp",
    b"iframe",
    b"noembed",
    b"noframes",
    b"plaintext",
];

/// A node and all below it.
pub(crate) fn node(tree: &Tree, id: NodeId) -> Vec<u8> {
    let mut output = Vec::new();
    match tree[id].kind {
        Kind::Document | Kind::HtmlDocument | Kind::Fragment => {
            for child in tree.children(id) {
                write(tree, child, &mut output);
            }
        }
        _ => write(tree, id, &mut output),
    }
    output
}

/// What is below an element.
pub(crate) fn inner(tree: &Tree, id: NodeId) -> Vec<u8> {
    let mut output = Vec::new();
    for child in tree.children(content(tree, id)) {
        write(tree, child, &mut output);
    }
    output
}

/// The node whose children are the content of an element: a template has a fragment of its own.
fn content(tree: &Tree, id: NodeId) -> NodeId {
    tree.templates.get(&id).copied().unwrap_or(id)
}

/// Writes without recursion: documents may be deeper than the stack.
fn write(tree: &Tree, top: NodeId, output: &mut Vec<u8>) {
    // Nodes whose end tags are still to be written, each with the child that comes next.
    let mut open: Vec<(NodeId, Option<NodeId>)> = Vec::new();
    let mut at = Some(top);
    loop {
        let Some(id) = at else {
            let Some((element, next)) = open.pop() else {
                return;
            };
            output.extend_from_slice(b"</");
            output.extend(name(tree, element));
            output.push(b'>');
            at = next;
            if open.is_empty() && at.is_none() {
                return;
            }
            continue;
        };
        let next = if id == top { None } else { tree[id].next };
        if tree[id].kind == Kind::Element {
            start_tag(tree, id, output);
            let is_html = tree[id]
                .namespace
                .as_deref()
                .is_none_or(|uri| uri == HTML_NAMESPACE);
            if !(is_html && VOID.contains(&&*tree[id].name)) {
                open.push((id, next));
                at = tree[content(tree, id)].first;
                continue;
            }
        } else {
            leaf(tree, id, output);
        }
        at = next;
        if open.is_empty() && at.is_none() {
            return;
        }
    }
}

/// The name that a tag has: without prefix where it goes without saying.
fn name(tree: &Tree, id: NodeId) -> Vec<u8> {
    let node = &tree[id];
    match node.namespace.as_deref() {
        Some(
            HTML_NAMESPACE | b"http://www.w3.org/2000/svg" | b"http://www.w3.org/1998/Math/MathML",
        ) => node.name.to_vec(),
        _ => node.qualified_name(),
    }
}

fn start_tag(tree: &Tree, id: NodeId, output: &mut Vec<u8>) {
    output.push(b'<');
    output.extend(name(tree, id));
    for &place in &tree[id].attributes {
        let attribute = &tree[place];
        output.push(b' ');
        match attribute.namespace.as_deref() {
            None => output.extend_from_slice(&attribute.name),
            Some(XML_NAMESPACE) => {
                output.extend_from_slice(b"xml:");
                output.extend_from_slice(&attribute.name);
            }
            Some(XMLNS_NAMESPACE) => {
                if &*attribute.name != b"xmlns" {
                    output.extend_from_slice(b"xmlns:");
                }
                output.extend_from_slice(&attribute.name);
            }
            Some(b"http://www.w3.org/1999/xlink") => {
                output.extend_from_slice(b"xlink:");
                output.extend_from_slice(&attribute.name);
            }
            Some(_) => output.extend(attribute.qualified_name()),
        }
        output.extend_from_slice(b"=\"");
        let is_reference = |child: NodeId| tree[child].kind == Kind::EntityReference;
        match tree.children(place).any(is_reference) {
            true => tree
                .children(place)
                .for_each(|child| match is_reference(child) {
                    true => leaf(tree, child, output),
                    false => escape(&tree[child].value, true, output),
                }),
            false => escape(&attribute.value, true, output),
        }
        output.push(b'"');
    }
    output.push(b'>');
}

fn leaf(tree: &Tree, id: NodeId, output: &mut Vec<u8>) {
    let node = &tree[id];
    let mut push = |parts: &[&[u8]]| {
        for part in parts {
            output.extend_from_slice(part);
        }
    };
    match node.kind {
        Kind::Text | Kind::CData => {
            let is_raw = node.parent.is_some_and(|parent| {
                tree[parent].namespace.as_deref() == Some(HTML_NAMESPACE)
                    && RAW.contains(&&*tree[parent].name)
            });
            if is_raw {
                push(&[&node.value]);
            } else {
                escape(&node.value, false, output);
            }
        }
        Kind::Comment => push(&[b"<!--", &node.value, b"-->"]),
        Kind::ProcessingInstruction => push(&[b"<?", &node.name, b" ", &node.value, b">"]),
        Kind::DocumentType => push(&[b"<!DOCTYPE ", &node.name, b">"]),
        Kind::EntityReference => push(&[b"&", &node.name, b";"]),
        _ => debug_assert_ne!(id, ROOT),
    }
}

fn escape(text: &[u8], is_attribute: bool, output: &mut Vec<u8>) {
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        match byte {
            b'&' => output.extend_from_slice(b"&amp;"),
            b'<' if !is_attribute => output.extend_from_slice(b"&lt;"),
            b'>' if !is_attribute => output.extend_from_slice(b"&gt;"),
            b'"' if is_attribute => output.extend_from_slice(b"&quot;"),
            0xc2 if behind.first() == Some(&0xa0) => {
                output.extend_from_slice(b"&nbsp;");
                rest = &behind[1..];
                continue;
            }
            _ => output.push(byte),
        }
        rest = behind;
    }
}
