//! The properties of the classes below `Dom\` that differ from the old ones.

use vm_runtime::exceptions::KnownClass;
use vm_runtime::operators::{to_bool, to_string};
use vm_runtime::string::PhpString;
use vm_runtime::value::{ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::implementation;
use crate::dom::lists::{self, List};
use crate::dom::mutation::place;
use crate::dom::object::{Cached, NodeObject, Problem, throw_text, wrap_optional};
use crate::dom::properties::{node_name, set_text};
use crate::xml::builder::Builder;
use crate::xml::parser::Parser;
use crate::xml::tree::{Document, HTML_NAMESPACE, Kind, Node, NodeId, ROOT, Tree};
use crate::xml::{html5, well_formed};

/// The name as `nodeName` has it: elements of HTML in upper case.
pub(super) fn tag_name(document: &Document, id: NodeId) -> Vec<u8> {
    let name = node_name(document, id);
    let tree = document.read();
    if tree[id].kind == Kind::Element && tree.is_html_element(id) {
        name.to_ascii_uppercase()
    } else {
        name
    }
}

/// `body` or `frameset`.
fn body(tree: &Tree) -> Option<NodeId> {
    let html = tree.document_element()?;
    if !tree.is_html_named(html, b"html") {
        return None;
    }
    tree.children(html)
        .find(|&id| tree.is_html_named(id, b"body") || tree.is_html_named(id, b"frameset"))
}

fn head(tree: &Tree) -> Option<NodeId> {
    let html = tree.document_element()?;
    if !tree.is_html_named(html, b"html") {
        return None;
    }
    tree.children(html)
        .find(|&id| tree.is_html_named(id, b"head"))
}

const SVG: &[u8] = b"http://www.w3.org/2000/svg";

/// The element that has the title.
fn title_element(tree: &Tree) -> Option<NodeId> {
    let root = tree.document_element()?;
    if is_svg(tree, root) {
        return tree
            .children(root)
            .find(|&id| &*tree[id].name == b"title" && tree[id].namespace.as_deref() == Some(SVG));
    }
    tree.descendants(ROOT)
        .find(|&id| tree.is_html_named(id, b"title"))
}

fn is_svg(tree: &Tree, root: NodeId) -> bool {
    &*tree[root].name == b"svg" && tree[root].namespace.as_deref() == Some(SVG)
}

/// The title: the text directly in its element, with single blanks.
fn title(tree: &Tree) -> Vec<u8> {
    let Some(element) = title_element(tree) else {
        return Vec::new();
    };
    let texts = tree.children(element).filter(|&id| tree[id].is_text());
    let text: Vec<u8> = texts.flat_map(|id| tree[id].value.clone()).collect();
    let words = text.split(u8::is_ascii_whitespace);
    let words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
    words.join(&b' ')
}

fn string(vm: &mut Vm, bytes: impl AsRef<[u8]>) -> Value {
    vm.string(bytes).into()
}

/// The URI that a `base` element gives, or that of the document.
fn base(tree: &Tree) -> Vec<u8> {
    let given = tree
        .descendants(ROOT)
        .filter(|&id| tree.is_html_named(id, b"base"))
        .find_map(|id| tree.attribute_in(id, None, b"href"));
    let own = tree.uri.clone().unwrap_or_else(|| b"about:blank".to_vec());
    match given {
        Some(href) if memchr::memmem::find(&tree[href].value, b":").is_some() => {
            tree[href].value.clone()
        }
        _ => own,
    }
}

/// The value of a property that has a rule of its own here.
pub(in crate::dom) fn read(
    vm: &mut Vm,
    object: &ObjectHandle,
    (document, id): (&Document, NodeId),
    name: &[u8],
) -> PhpResult<Option<Value>> {
    let kind = document.read()[id].kind;
    let value = match name {
        b"nodeName" | b"tagName" => {
            let name = tag_name(document, id);
            string(vm, name)
        }
        b"name" => {
            let name = node_name(document, id);
            string(vm, name)
        }
        b"nodeValue" if kind == Kind::Element => Value::NULL,
        b"textContent"
            if matches!(
                kind,
                Kind::Document
                    | Kind::HtmlDocument
                    | Kind::DocumentType
                    | Kind::Entity
                    | Kind::EntityReference
                    | Kind::Notation
            ) =>
        {
            Value::NULL
        }
        b"prefix" => {
            let prefix = document.read()[id].prefix.clone();
            prefix.map_or(Value::NULL, |prefix| string(vm, prefix))
        }
        b"baseURI" if document.read().is_html() => {
            let uri = base(&document.read());
            string(vm, uri)
        }
        b"baseURI" | b"documentURI" | b"URL" => {
            let uri = document.read().uri.clone();
            string(vm, uri.unwrap_or_else(|| b"about:blank".to_vec()))
        }
        b"characterSet" | b"charset" | b"inputEncoding" | b"xmlEncoding" => {
            let encoding = document.read().encoding.clone();
            string(vm, encoding.unwrap_or_else(|| b"UTF-8".to_vec()))
        }
        b"xmlVersion" => {
            let version = document.read().version.clone();
            string(vm, version.unwrap_or_else(|| b"1.0".to_vec()))
        }
        b"childNodes" => lists::make(vm, "Dom\\NodeList", List::children(document, id))?,
        b"attributes" => lists::make(vm, "Dom\\NamedNodeMap", List::attributes(document, id))?,
        b"entities" | b"notations" => {
            let kind = if name == b"entities" {
                Kind::Entity
            } else {
                Kind::Notation
            };
            lists::make(
                vm,
                "Dom\\DtdNamedNodeMap",
                List::declared(document, id, kind),
            )?
        }
        b"body" => {
            let found = body(&document.read());
            wrap_optional(vm, document, found)?
        }
        b"head" => {
            let found = head(&document.read());
            wrap_optional(vm, document, found)?
        }
        b"title" => {
            let title = title(&document.read());
            string(vm, title)
        }
        b"implementation" => cached(vm, object, Cached::Implementation, |vm| {
            crate::dom::implementation::make_class(vm, b"dom\\implementation")
        })?,
        b"classList" => {
            let document = document.clone();
            cached(vm, object, Cached::TokenList, |vm| {
                super::token_list::make(vm, &document, id)
            })?
        }
        b"innerHTML" => {
            let is_html = document.read().is_html();
            if is_html {
                let text = html5::serialize::inner(&document.read(), id);
                return Ok(Some(string(vm, text)));
            }
            let text = well_formed::inner(&document.read(), id);
            match text {
                Ok(text) => string(vm, text),
                Err(_) => {
                    let text = "The resulting XML serialization is not well-formed";
                    return Err(throw_text(vm, Problem::Syntax, text));
                }
            }
        }
        b"substitutedNodeValue" => {
            let text = document.read().text_content(id);
            string(vm, text)
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// An object that belongs to another one: the same each time it is asked for.
fn cached(
    vm: &mut Vm,
    object: &ObjectHandle,
    which: Cached,
    make: impl FnOnce(&mut Vm) -> PhpResult<Value>,
) -> PhpResult<Value> {
    let known = object.native::<NodeObject>().and_then(|native| {
        let found = native.cached.iter().find(|known| known.0 == which);
        found.map(|(_, value)| value.clone())
    });
    if let Some(known) = known {
        return Ok(known);
    }
    let value = make(vm)?;
    if let Some(native) = object.native::<NodeObject>() {
        native.cached.push((which, value.clone()));
    }
    Ok(value)
}

/// Sets a property that has a rule of its own here; false for the others.
pub(in crate::dom) fn write(
    vm: &mut Vm,
    (document, id): (&Document, NodeId),
    name: &PhpString,
    value: &Value,
) -> PhpResult<bool> {
    let kind = document.read()[id].kind;
    match name.as_bytes() {
        b"nodeValue" => {
            let has_value = matches!(
                kind,
                Kind::Attribute
                    | Kind::Text
                    | Kind::CData
                    | Kind::Comment
                    | Kind::ProcessingInstruction
            );
            if !has_value {
                return Ok(false);
            }
            let text = text_or_empty(vm, value)?;
            set_text(document, id, &text);
        }
        b"textContent" => {
            if matches!(kind, Kind::Document | Kind::HtmlDocument) {
                return Ok(false);
            }
            let text = text_or_empty(vm, value)?;
            set_text(document, id, &text);
        }
        b"prefix" => return Ok(false),
        b"documentURI" | b"URL" => {
            let text = to_string(vm, value)?.to_vec();
            document.write().uri = Some(text);
        }
        b"charset" | b"characterSet" | b"inputEncoding" | b"xmlEncoding" => {
            let text = to_string(vm, value)?;
            let Some(encoding) = encoding_rs::Encoding::for_label(&text) else {
                let message = "Invalid document encoding";
                return Err(vm.throw_error(KnownClass::ValueError, message));
            };
            document.write().encoding = Some(encoding.name().as_bytes().to_vec());
        }
        b"xmlVersion" => {
            let text = to_string(vm, value)?;
            if !matches!(text.as_bytes(), b"1.0" | b"1.1") {
                let message = "Invalid XML version";
                return Err(vm.throw_error(KnownClass::ValueError, message));
            }
            document.write().version = Some(text.to_vec());
        }
        b"xmlStandalone" => document.write().standalone = Some(to_bool(value)),
        b"title" => {
            let text = to_string(vm, value)?;
            set_title(&mut document.write(), &text);
        }
        b"body" => set_body(vm, document, value)?,
        b"innerHTML" => {
            let text = to_string(vm, value)?;
            set_inner(vm, (document, id), &text)?;
        }
        b"substitutedNodeValue" => {
            let text = to_string(vm, value)?;
            document.write().drop_children(id);
            crate::dom::append_content(vm, document, id, &text)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn text_or_empty(vm: &mut Vm, value: &Value) -> PhpResult<Vec<u8>> {
    if value.is_null() {
        return Ok(Vec::new());
    }
    Ok(to_string(vm, value)?.to_vec())
}

fn set_title(tree: &mut Tree, text: &[u8]) {
    let Some(root) = tree.document_element() else {
        return;
    };
    let element = match title_element(tree) {
        Some(element) => element,
        None if is_svg(tree, root) => {
            let mut node = Node::new(Kind::Element, b"title");
            node.namespace = Some(SVG.into());
            let element = tree.add(node);
            let first = tree[root].first;
            tree.insert(root, element, first);
            element
        }
        None => {
            if tree[root].namespace.as_deref() != Some(HTML_NAMESPACE) {
                return;
            }
            let Some(head) = head(tree) else {
                return;
            };
            implementation::add(tree, head, b"title")
        }
    };
    tree.drop_children(element);
    let text = tree.add_text(Kind::Text, text);
    tree.append(element, text);
}

fn set_body(vm: &mut Vm, document: &Document, value: &Value) -> PhpResult<()> {
    let given = match value.object() {
        Some(object) => Some(crate::dom::object::node_of(vm, &object)?),
        None => None,
    };
    let is_fitting = |(other, id): &(Document, NodeId)| {
        let tree = other.read();
        tree.is_html_named(*id, b"body") || tree.is_html_named(*id, b"frameset")
    };
    let Some((other, id)) = given.filter(is_fitting) else {
        let text = "The new body must either be a body or a frameset tag";
        return Err(throw_text(vm, Problem::Hierarchy, text));
    };
    let old = body(&document.read());
    if other == *document && old == Some(id) {
        return Ok(());
    }
    let parent = old.and_then(|old| document.read()[old].parent);
    if let (Some(old), Some(parent)) = (old, parent) {
        return super::node::replace(vm, (document, parent), (&other, id), old);
    }
    let Some(root) = document.read().document_element() else {
        let text = "A body can only be set if there is a document element";
        return Err(throw_text(vm, Problem::Hierarchy, text));
    };
    super::node::insert(vm, (document, root), (&other, id), None)
}

/// Replaces what is in an element by what a text has.
fn set_inner(vm: &mut Vm, (document, id): (&Document, NodeId), text: &[u8]) -> PhpResult<()> {
    let (is_html, is_quirks) = {
        let tree = document.read();
        (tree.is_html(), tree.is_quirks)
    };
    let (source, from) = if is_html {
        let text = String::from_utf8_lossy(text);
        let tree = document.read();
        html5::parse_fragment(&text, (&tree, id), is_quirks)
    } else {
        let Some(parsed) = parse_xml(document, id, text) else {
            let text = "XML fragment is not well-formed";
            return Err(throw_text(vm, Problem::Syntax, text));
        };
        parsed
    };
    let target = {
        let mut tree = document.write();
        let mut target = tree.templates.get(&id).copied().unwrap_or(id);
        if target == id && is_html && tree.is_html_named(id, b"template") {
            target = tree.add(Node::new(Kind::Fragment, b"#document-fragment"));
            tree.templates.insert(id, target);
        }
        tree.drop_children(target);
        target
    };
    let children: Vec<NodeId> = source.read().children(from).collect();
    for child in children {
        place((document, target), (&source, child), None);
    }
    Ok(())
}

/// Parses a piece of XML where the namespaces of an element are in force.
fn parse_xml(document: &Document, id: NodeId, text: &[u8]) -> Option<(Document, NodeId)> {
    let source = super::new_document(Kind::Document);
    let mut namespaces: Vec<(Option<Vec<u8>>, Vec<u8>)> = Vec::new();
    {
        let tree = document.read();
        let mut path: Vec<NodeId> = std::iter::once(id).chain(tree.ancestors(id)).collect();
        path.reverse();
        for id in path {
            let node = &tree[id];
            if let Some(uri) = &node.namespace {
                let prefix = node.prefix.as_deref().map(<[u8]>::to_vec);
                namespaces.push((prefix, uri.to_vec()));
            } else if node.kind == Kind::Element && node.prefix.is_none() {
                namespaces.push((None, Vec::new()));
            }
            for declaration in tree.declarations_of(id).iter() {
                let prefix = declaration.prefix.as_deref().map(<[u8]>::to_vec);
                namespaces.push((prefix, declaration.uri.to_vec()));
            }
        }
    }
    let top = {
        let mut tree = source.write();
        let top = tree.add(Node::new(Kind::Fragment, b"#document-fragment"));
        let mut builder = Builder::new(&mut tree, top, 0);
        let (is_good, _) = Parser::parse_content(text, 0, None, namespaces, &mut builder);
        if !is_good {
            return None;
        }
        top
    };
    Some((source, top))
}
