//! XInclude: elements that stand for other documents, or for parts of their own.

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::namespaces::declare_missing;
use super::object::{Problem, this, throw};
use crate::libxml;
use crate::xml::tree::{Document, Kind, Node, NodeId, ROOT, Tree, XML_NAMESPACE};
use crate::xml::xpath::Item;

const NAMESPACES: [&[u8]; 2] = [
    b"http://www.w3.org/2001/XInclude",
    b"http://www.w3.org/2003/XInclude",
];

/// Documents that include each other, at most.
const DEEPEST: usize = 40;

pub(super) fn xinclude(call: &mut Call<'_>) -> PhpResult<Value> {
    let (document, _) = this(call)?;
    let (included, has_failed) = include_all(call.vm, &document)?;
    let is_modern = document.read().is_modern;
    match (has_failed, included) {
        (true, _) if is_modern => Err(throw(call.vm, Problem::InvalidModification)),
        (true, _) => Ok((-1i64).into()),
        (false, 0) if !is_modern => Ok(false.into()),
        (false, included) => Ok(included.into()),
    }
}

/// Replaces all inclusions in a document: how many there were, and whether one failed.
pub(crate) fn include_all(vm: &mut Vm, document: &Document) -> PhpResult<(i64, bool)> {
    let uri = document.read().uri.clone().unwrap_or_default();
    let mut run = Run {
        vm,
        open: vec![uri],
        included: 0,
        has_failed: false,
    };
    run.below(document, ROOT)?;
    Ok((run.included, run.has_failed))
}

/// An element of XInclude of that name.
fn is_named(tree: &Tree, id: NodeId, name: &[u8]) -> bool {
    let node = &tree[id];
    let namespace = node.namespace.as_deref().unwrap_or_default();
    node.kind == Kind::Element && &*node.name == name && NAMESPACES.contains(&namespace)
}

fn attribute(tree: &Tree, id: NodeId, name: &[u8]) -> Option<Vec<u8>> {
    let found = tree.attribute_in(id, None, name)?;
    Some(tree[found].value.clone())
}

/// A path as it is seen from a file beside it.
fn relative(path: &[u8], from: &[u8]) -> Vec<u8> {
    let folder = &from[..memchr::memrchr(b'/', from).map_or(0, |at| at + 1)];
    let same = path.iter().zip(folder).take_while(|(a, b)| a == b).count();
    let common = memchr::memrchr(b'/', &path[..same]).map_or(0, |at| at + 1);
    let up = memchr::memchr_iter(b'/', &folder[common..]).count();
    [b"../".repeat(up).as_slice(), &path[common..]].concat()
}

/// What is put in the place of an element: nodes of a document, without their parents.
enum Found {
    Nodes(Document, Vec<NodeId>),
    Text(Vec<u8>),
}

/// The inclusions of a document, and of those that it includes.
struct Run<'a> {
    vm: &'a mut Vm,
    /// The addresses of the documents on the way, the innermost last.
    open: Vec<Vec<u8>>,
    included: i64,
    has_failed: bool,
}

impl Run<'_> {
    fn fail(&mut self, message: String) -> PhpResult<()> {
        self.has_failed = true;
        libxml::report_plain(self.vm, 1600, &message)
    }

    /// Replaces the elements below a node.
    fn below(&mut self, document: &Document, top: NodeId) -> PhpResult<()> {
        let mut found = Vec::new();
        let mut lost = false;
        {
            let tree = document.read();
            let mut at = tree[top].first;
            while let Some(id) = at {
                let is_include = is_named(&tree, id, b"include");
                if is_include {
                    found.push(id);
                }
                lost |= is_named(&tree, id, b"fallback");
                at = match is_include {
                    true => tree.following_outside(id, top),
                    false => tree.following(id, top),
                };
            }
        }
        if lost {
            self.fail("fallback is not the child of an 'include'".to_owned())?;
        }
        for id in found {
            vm_runtime::limits::poll();
            self.include(document, id)?;
            self.vm.check()?;
        }
        Ok(())
    }

    fn include(&mut self, document: &Document, id: NodeId) -> PhpResult<()> {
        let (href, parse, pointer) = {
            let tree = document.read();
            let get = |name| attribute(&tree, id, name);
            (get(b"href"), get(b"parse"), get(b"xpointer"))
        };
        let href = href.unwrap_or_default();
        let is_text = match parse.as_deref() {
            None | Some(b"xml") => false,
            Some(b"text") => true,
            Some(other) => {
                let other = String::from_utf8_lossy(other);
                return self.fail(format!("invalid value {other} for 'parse'"));
            }
        };
        let base = self.open.last().cloned().unwrap_or_default();
        let url = match href.is_empty() {
            true => base.clone(),
            false => libxml::resolved(Some(&base), &href),
        };
        let shown = String::from_utf8_lossy(&url).into_owned();
        if !is_text && pointer.is_none() && self.open.contains(&url) {
            let message = format!("detected a local recursion with no xpointer in {shown}");
            return self.fail(message);
        }
        let loaded = match is_text {
            true => self.text(document, id, &url)?,
            false => self.document(document, &href, &url, pointer.as_deref())?,
        };
        match loaded {
            Some(found) => {
                self.put(document, id, &base, &url, found);
                self.included += 1;
                Ok(())
            }
            None => {
                let fallback = {
                    let tree = document.read();
                    let mut children = tree.children(id);
                    children.find(|&child| is_named(&tree, child, b"fallback"))
                };
                let Some(fallback) = fallback else {
                    let message = format!("could not load {shown}, and no fallback was found");
                    return self.fail(message);
                };
                let included = self.included;
                self.below(document, fallback)?;
                self.included = included + 1;
                let nodes = document.read().children(fallback).collect();
                self.put(
                    document,
                    id,
                    &base,
                    &base,
                    Found::Nodes(document.clone(), nodes),
                );
                Ok(())
            }
        }
    }

    fn text(&mut self, document: &Document, id: NodeId, url: &[u8]) -> PhpResult<Option<Found>> {
        let Some(bytes) = libxml::read_file(self.vm, url, 0)? else {
            return Ok(None);
        };
        let label = attribute(&document.read(), id, b"encoding");
        let label = label.as_deref().unwrap_or(b"UTF-8");
        let Some(encoding) = encoding_rs::Encoding::for_label(label) else {
            let label = String::from_utf8_lossy(label);
            self.fail(format!("encoding {label} not supported"))?;
            return Ok(None);
        };
        let text = encoding.decode(&bytes).0.into_owned().into_bytes();
        Ok(Some(Found::Text(text)))
    }

    /// The nodes of another document, or of this one, that are to be included.
    fn document(
        &mut self,
        document: &Document,
        href: &[u8],
        url: &[u8],
        pointer: Option<&[u8]>,
    ) -> PhpResult<Option<Found>> {
        if href.contains(&b'#') {
            return Ok(None);
        }
        let other = match href.is_empty() {
            true => document.clone(),
            false => match self.load(document, url)? {
                Some(other) => other,
                None => return Ok(None),
            },
        };
        let nodes = match pointer {
            Some(pointer) => {
                let expression = pointer
                    .strip_prefix(b"xpointer(")
                    .and_then(|rest| rest.strip_suffix(b")"));
                let Some(expression) = expression else {
                    let message = "DOMDocument::xinclude(): pointers without xpointer() are not supported by this engine yet";
                    return Err(self.vm.throw_error(KnownClass::Error, message));
                };
                let found = super::xpath::find(self.vm, (&other, ROOT), expression, Vec::new())?;
                let found = found.unwrap_or_default().into_iter();
                let nodes = found.filter_map(|item| match item {
                    Item::Node(node) => Some(node),
                    Item::Namespace(..) => None,
                });
                nodes.collect()
            }
            None => other.read().children(ROOT).collect::<Vec<NodeId>>(),
        };
        let tree = other.read();
        let nodes = nodes.into_iter().filter(|&node| {
            let kind = tree[node].kind;
            !matches!(
                kind,
                Kind::DocumentType | Kind::Document | Kind::HtmlDocument | Kind::Attribute
            )
        });
        let nodes: Vec<NodeId> = nodes.collect();
        drop(tree);
        Ok(Some(Found::Nodes(other, nodes)))
    }

    /// Another document, with what it includes itself.
    fn load(&mut self, document: &Document, url: &[u8]) -> PhpResult<Option<Document>> {
        if self.open.len() >= DEEPEST {
            self.fail("maximum recursion depth exceeded".to_owned())?;
            return Ok(None);
        }
        let Some(source) = libxml::read_file(self.vm, url, 0)? else {
            return Ok(None);
        };
        let (other, errors) = libxml::parse_document(self.vm, &source, 0, url);
        libxml::report_with_context(self.vm, errors, 0, &source)?;
        let Some(other) = other else {
            return Ok(None);
        };
        if document.read().is_modern {
            let mut tree = other.write();
            tree.modernize(ROOT);
            tree.is_modern = true;
        }
        let (included, has_failed) = (self.included, self.has_failed);
        self.open.push(url.to_vec());
        self.below(&other, ROOT)?;
        self.open.pop();
        // What goes wrong there is told, but is not this document's.
        (self.included, self.has_failed) = (included, has_failed);
        Ok(Some(other))
    }

    /// Puts copies in the place of an element; from another folder they tell where they come from.
    fn put(&mut self, document: &Document, id: NodeId, base: &[u8], url: &[u8], found: Found) {
        let Some(parent) = document.read()[id].parent else {
            return;
        };
        let place = relative(url, base);
        match found {
            Found::Text(text) => {
                let mut tree = document.write();
                let text = tree.add_text(Kind::Text, &text);
                tree.insert(parent, text, Some(id));
            }
            Found::Nodes(other, nodes) => {
                for node in nodes {
                    let copy = match other == *document {
                        true => document.write().copy_from(None, node, true),
                        false => {
                            let source = other.read();
                            document.write().copy_from(Some(&source), node, true)
                        }
                    };
                    let mut tree = document.write();
                    tree.insert(parent, copy, Some(id));
                    if tree[copy].kind != Kind::Element {
                        continue;
                    }
                    if !tree.is_modern {
                        declare_missing(&mut tree, copy);
                    }
                    let is_told = tree.attribute_in(copy, Some(XML_NAMESPACE), b"base");
                    if place.contains(&b'/') && is_told.is_none() {
                        let mut node = Node::new(Kind::Attribute, b"base");
                        node.prefix = Some(b"xml"[..].into());
                        node.namespace = Some(XML_NAMESPACE.into());
                        node.value = place.clone();
                        let attribute = tree.add(node);
                        tree.add_attribute(copy, attribute);
                    }
                }
            }
        }
        document.write().detach(id);
    }
}
