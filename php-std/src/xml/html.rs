//! Documents as HTML, as libxml2 writes it.

use super::serializer::{external_id, simple};
use super::tree::{Kind, NodeId, ROOT, Tree};

/// Elements without content and end tag.
const VOID: [&[u8]; 17] = [
    b"area",
    b"base",
    b"basefont",
    b"br",
    b"col",
    b"embed",
    b"frame",
    b"hr",
    b"img",
    b"input",
    b"isindex",
    b"link",
    b"meta",
    b"param",
    b"source",
    b"track",
    b"wbr",
];
/// Attributes that say all by being there.
const BOOLEAN: [&[u8]; 12] = [
    b"checked",
    b"compact",
    b"declare",
    b"defer",
    b"disabled",
    b"ismap",
    b"multiple",
    b"nohref",
    b"noresize",
    b"noshade",
    b"nowrap",
    b"readonly",
];

/// The whole document, with a line feed at its end.
pub(crate) fn document(tree: &Tree) -> Vec<u8> {
    let mut output = Vec::new();
    for child in tree.children(ROOT) {
        write(tree, child, &mut output);
        if tree[child].kind == Kind::DocumentType {
            output.push(b'\n');
        }
    }
    output.push(b'\n');
    output
}

/// A node and all below it.
pub(crate) fn node(tree: &Tree, id: NodeId) -> Vec<u8> {
    if id == ROOT {
        return document(tree);
    }
    let mut output = Vec::new();
    write(tree, id, &mut output);
    output
}

fn write(tree: &Tree, id: NodeId, output: &mut Vec<u8>) {
    let node = &tree[id];
    match node.kind {
        Kind::Element => element(tree, id, output),
        Kind::Text => {
            let parent = node
                .parent
                .map(|parent| tree[parent].name.to_ascii_lowercase());
            if matches!(parent.as_deref(), Some(b"script" | b"style")) {
                output.extend_from_slice(&node.value);
            } else {
                escape(&node.value, output);
            }
        }
        Kind::CData => output.extend_from_slice(&node.value),
        Kind::Comment | Kind::ProcessingInstruction | Kind::EntityReference => {
            simple(node, b">", output);
        }
        Kind::DocumentType => {
            output.extend_from_slice(b"<!DOCTYPE ");
            output.extend_from_slice(&node.name);
            if let Some(doctype) = &node.doctype {
                output.extend(external_id(doctype));
            }
            output.push(b'>');
        }
        Kind::Fragment => {
            for child in tree.children(id) {
                write(tree, child, output);
            }
        }
        _ => {}
    }
}

fn element(tree: &Tree, id: NodeId, output: &mut Vec<u8>) {
    let node = &tree[id];
    let name = node.qualified_name();
    output.push(b'<');
    output.extend_from_slice(&name);
    for declaration in &node.declarations {
        output.extend_from_slice(b" xmlns");
        if let Some(prefix) = &declaration.prefix {
            output.push(b':');
            output.extend_from_slice(prefix);
        }
        output.extend_from_slice(b"=\"");
        escape(&declaration.uri, output);
        output.push(b'"');
    }
    for &attribute in &node.attributes {
        let attribute = &tree[attribute];
        output.push(b' ');
        output.extend(attribute.qualified_name());
        let lowercase = attribute.name.to_ascii_lowercase();
        let is_boolean = BOOLEAN.contains(&lowercase.as_slice()) || lowercase == b"selected";
        if is_boolean
            && (attribute.value.is_empty() || attribute.value.eq_ignore_ascii_case(&lowercase))
        {
            continue;
        }
        output.push(b'=');
        let has_double = attribute.value.contains(&b'"');
        let has_single = attribute.value.contains(&b'\'');
        let quote = if has_double && !has_single {
            b'\''
        } else {
            b'"'
        };
        output.push(quote);
        let mut value = Vec::new();
        escape(&attribute.value, &mut value);
        if has_double && has_single {
            value = String::from_utf8_lossy(&value)
                .replace('"', "&quot;")
                .into_bytes();
        }
        output.extend(value);
        output.push(quote);
    }
    output.push(b'>');
    let lowercase = name.to_ascii_lowercase();
    if VOID.contains(&lowercase.as_slice()) && node.first.is_none() {
        return;
    }
    for child in tree.children(id) {
        write(tree, child, output);
    }
    output.extend_from_slice(b"</");
    output.extend_from_slice(&name);
    output.push(b'>');
}

/// Text with entities for what is beyond ASCII.
fn escape(text: &[u8], output: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(text);
    for character in text.chars() {
        match character {
            '&' => output.extend_from_slice(b"&amp;"),
            '<' => output.extend_from_slice(b"&lt;"),
            '>' => output.extend_from_slice(b"&gt;"),
            _ if character.is_ascii() => output.push(character as u8),
            _ => match crate::standard::strings::html::entity_of(character as u32) {
                Some(name) => output.extend_from_slice(format!("&{name};").as_bytes()),
                None => output.extend_from_slice(format!("&#{};", character as u32).as_bytes()),
            },
        }
    }
}
