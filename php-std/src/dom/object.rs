//! Objects that stand for nodes: a node has one object as long as the script holds it.

use std::any::Any;

use vm_runtime::class::Class;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::value::{ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use crate::xml::tree::{Document, HTML_NAMESPACE, Kind, Node, NodeId, ROOT, Tree};

/// The native part of an object for a node.
pub(crate) struct NodeObject {
    /// Document and node; none before the constructor ran.
    pub(crate) node: Option<(Document, NodeId)>,
    /// Objects that belong to this one: the same each time they are asked for.
    pub(super) cached: Vec<(Cached, Value)>,
}

/// What is kept with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cached {
    Implementation,
    TokenList,
    /// The element of a namespace declaration.
    Parent,
}

impl NodeObject {
    fn new(node: Option<(Document, NodeId)>) -> NodeObject {
        NodeObject {
            node,
            cached: Vec::new(),
        }
    }
}

impl NativeData for NodeObject {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        self.cached.iter().for_each(|(_, value)| visitor(value));
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        let Some((document, id)) = self.node.as_ref() else {
            return Some(Box::new(NodeObject::new(None)));
        };
        let node = if *id == ROOT {
            (copy_document(document), ROOT)
        } else {
            let copy = document.write().copy_apart(None, *id, true);
            (document.clone(), copy)
        };
        Some(Box::new(NodeObject::new(Some(node))))
    }

    fn attached(&mut self, _vm: &mut Vm, object: *mut PhpObject) {
        if let Some((document, id)) = &self.node {
            document.note().objects.insert(*id, object);
        }
    }
}

impl Drop for NodeObject {
    fn drop(&mut self) {
        if let Some((document, id)) = &self.node {
            document.forget_object(*id);
        }
    }
}

/// A copy of a whole document.
pub(crate) fn copy_document(document: &Document) -> Document {
    let source = document.read();
    let copy = Document::new(source[ROOT].kind);
    {
        let mut tree = copy.write();
        tree.version = source.version.clone();
        tree.encoding = source.encoding.clone();
        tree.standalone = source.standalone;
        tree.uri = source.uri.clone();
        tree.settings = source.settings;
        tree.classes = source.classes.clone();
        tree.is_modern = source.is_modern;
        tree.is_quirks = source.is_quirks;
        let children: Vec<NodeId> = source.children(ROOT).collect();
        for child in children {
            let child = tree.copy_from(Some(&source), child, true);
            tree.append(ROOT, child);
        }
    }
    copy
}

/// Makes the native part; that of a document is one at once.
pub(super) fn create(vm: &mut Vm, class: *mut Class) -> Option<Box<dyn NativeData>> {
    let document = vm.linked_class(b"domdocument");
    // SAFETY: I4: classes live until the VM ends.
    let is_document = document.is_some_and(|document| unsafe { (*class).is_subclass_of(document) });
    let node = is_document.then(|| (Document::new(Kind::Document), ROOT));
    Some(Box::new(NodeObject::new(node)))
}

/// False for an object that was made without a constructor.
pub(super) fn has_node(object: &PhpObject) -> bool {
    (object.native::<NodeObject>()).is_some_and(|native| native.node.is_some())
}

/// Document and node that an object stands for.
pub(crate) fn node_of(vm: &mut Vm, object: &PhpObject) -> PhpResult<(Document, NodeId)> {
    let native = object.native::<NodeObject>();
    if let Some((document, _)) = native.as_ref().and_then(|native| native.node.as_ref()) {
        document.look_through(0);
    }
    match native.and_then(|native| native.node.clone()) {
        Some((document, id)) => {
            if id == ROOT && document.read().objects.is_empty() {
                let pointer = std::ptr::from_ref(object).cast_mut();
                document.note().objects.insert(ROOT, pointer);
            }
            Ok((document, id))
        }
        None => {
            let name = object.class().display_name();
            Err(vm.throw_error(KnownClass::Error, format!("Couldn't fetch {name}")))
        }
    }
}

/// Document and node that a method was called on.
pub(super) fn this(call: &mut Call<'_>) -> PhpResult<(Document, NodeId)> {
    let object = crate::spl::this(call);
    node_of(call.vm, &object)
}

/// Document and node of an argument.
pub(super) fn argument(call: &mut Call<'_>, index: usize) -> PhpResult<(Document, NodeId)> {
    let object = call.object(index);
    node_of(call.vm, &object)
}

/// Document and node of an argument that may be left out.
pub(super) fn optional(call: &mut Call<'_>, index: usize) -> PhpResult<Option<(Document, NodeId)>> {
    if !call.has(index) {
        return Ok(None);
    }
    argument(call, index).map(Some)
}

/// Makes an object stand for a node: what constructors do.
pub(crate) fn bind(object: &ObjectHandle, document: Document, id: NodeId) {
    if let Some(native) = object.native::<NodeObject>() {
        if let Some((old, id)) = native.node.take() {
            old.forget_object(id);
        }
        document.note().objects.insert(id, object.as_ptr());
        native.node = Some((document, id));
    }
}

/// Makes an object stand for a new node that belongs to no document.
pub(super) fn bind_alone(object: &ObjectHandle, node: Node) {
    let document = Document::new(Kind::Document);
    let id = {
        let mut tree = document.write();
        tree.is_nowhere = true;
        tree.add(node)
    };
    bind(object, document, id);
}

/// The standard class for a node.
fn class_name(tree: &Tree, id: NodeId) -> &'static str {
    let (old, modern) = match tree[id].kind {
        Kind::Element if tree[id].namespace.as_deref() == Some(HTML_NAMESPACE) => {
            ("DOMElement", "Dom\\HTMLElement")
        }
        Kind::Element => ("DOMElement", "Dom\\Element"),
        Kind::Attribute => ("DOMAttr", "Dom\\Attr"),
        Kind::Text => ("DOMText", "Dom\\Text"),
        Kind::CData => ("DOMCdataSection", "Dom\\CDATASection"),
        Kind::EntityReference => ("DOMEntityReference", "Dom\\EntityReference"),
        Kind::Entity => ("DOMEntity", "Dom\\Entity"),
        Kind::ProcessingInstruction => ("DOMProcessingInstruction", "Dom\\ProcessingInstruction"),
        Kind::Comment => ("DOMComment", "Dom\\Comment"),
        Kind::Document => ("DOMDocument", "Dom\\XMLDocument"),
        Kind::HtmlDocument => ("DOMDocument", "Dom\\HTMLDocument"),
        Kind::DocumentType => ("DOMDocumentType", "Dom\\DocumentType"),
        Kind::Fragment => ("DOMDocumentFragment", "Dom\\DocumentFragment"),
        Kind::Notation => ("DOMNotation", "Dom\\Notation"),
        Kind::Namespace => ("DOMNameSpaceNode", "DOMNameSpaceNode"),
    };
    if tree.is_modern { modern } else { old }
}

/// The class of an object for a node.
fn class_of_node(vm: &mut Vm, document: &Document, id: NodeId) -> Option<*mut Class> {
    let name = {
        let tree = document.read();
        let name = class_name(&tree, id);
        let own = tree.classes.iter().find(|(known, _)| known == name);
        let mut found = tree.found_classes.iter();
        let class = own.map(|(_, class)| *class).or_else(|| {
            let known = found.find(|(known, _)| std::ptr::eq(*known, name));
            known.map(|(_, class)| *class)
        });
        if class.is_some() {
            return class;
        }
        name
    };
    let class = vm.linked_class(name.to_ascii_lowercase().as_bytes())?;
    document.note().found_classes.push((name, class));
    Some(class)
}

/// The object for a node.
pub(crate) fn wrap(vm: &mut Vm, document: &Document, id: NodeId) -> PhpResult<Value> {
    let known = document.read().objects.get(&id).copied();
    if let Some(object) = known {
        // SAFETY: I3: an object takes itself out of the table before it goes.
        return Ok(unsafe { ObjectHandle::share_raw(object) }.into());
    }
    let Some(class) = class_of_node(vm, document, id) else {
        return Ok(Value::NULL);
    };
    let object = new_object(vm, class)?;
    bind(&object, document.clone(), id);
    Ok(object.into())
}

/// The object for a node, or `null`.
pub(super) fn wrap_optional(
    vm: &mut Vm,
    document: &Document,
    id: Option<NodeId>,
) -> PhpResult<Value> {
    match id {
        Some(id) => wrap(vm, document, id),
        None => Ok(Value::NULL),
    }
}

/// The object for the document that a node belongs to, or `null`.
pub(super) fn owner(vm: &mut Vm, document: &Document) -> PhpResult<Value> {
    if document.read().is_nowhere {
        return Ok(Value::NULL);
    }
    wrap(vm, document, ROOT)
}

/// Moves a node without a parent, and all below it, to another document; objects go with it.
pub(super) fn adopt(from: &Document, id: NodeId, to: &Document) -> NodeId {
    if from == to {
        return id;
    }
    let (copy, pairs) = {
        let (source, mut target) = (from.read(), to.write());
        let copy = target.copy_from(Some(&source), id, true);
        let mut pairs = Vec::new();
        pair(&source, id, &target, copy, &mut pairs);
        (copy, pairs)
    };
    for (old, new) in pairs {
        let object = {
            let mut source = from.write();
            source.note_loose();
            source.objects.remove(&old)
        };
        if let Some(object) = object {
            to.write().objects.insert(new, object);
            // SAFETY: I3: an object takes itself out of the table before it goes.
            if let Some(native) = unsafe { (*object).native::<NodeObject>() } {
                native.node = Some((to.clone(), new));
            }
        }
    }
    copy
}

/// Lists the nodes of two equal trees side by side.
fn pair(source: &Tree, old: NodeId, target: &Tree, new: NodeId, pairs: &mut Vec<(NodeId, NodeId)>) {
    let mut open = vec![(old, new)];
    while let Some((old, new)) = open.pop() {
        pairs.push((old, new));
        open.extend(
            source[old]
                .attributes
                .iter()
                .copied()
                .zip(target[new].attributes.iter().copied()),
        );
        open.extend(source.children(old).zip(target.children(new)));
    }
}

/// Text as libxml2 takes it: up to a zero byte.
pub(super) fn until_zero(text: &[u8]) -> &[u8] {
    &text[..memchr::memchr(0, text).unwrap_or(text.len())]
}

/// Errors of the DOM: number and text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Problem {
    IndexSize = 1,
    Hierarchy = 3,
    WrongDocument = 4,
    InvalidCharacter = 5,
    NoModification = 7,
    NotFound = 8,
    NotSupported = 9,
    InUseAttribute = 10,
    InvalidState = 11,
    Syntax = 12,
    InvalidModification = 13,
    Namespace = 14,
}

impl Problem {
    fn text(self) -> &'static str {
        match self {
            Problem::IndexSize => "Index Size Error",
            Problem::Hierarchy => "Hierarchy Request Error",
            Problem::WrongDocument => "Wrong Document Error",
            Problem::InvalidCharacter => "Invalid Character Error",
            Problem::NoModification => "No Modification Allowed Error",
            Problem::NotFound => "Not Found Error",
            Problem::NotSupported => "Not Supported Error",
            Problem::InUseAttribute => "Inuse Attribute Error",
            Problem::InvalidState => "Invalid State Error",
            Problem::Syntax => "Syntax Error",
            Problem::InvalidModification => "Invalid Modification Error",
            Problem::Namespace => "Namespace Error",
        }
    }
}

/// Throws a DOMException.
pub(super) fn throw(vm: &mut Vm, problem: Problem) -> Thrown {
    throw_text(vm, problem, problem.text())
}

/// Throws a DOMException with a text of its own.
pub(super) fn throw_text(vm: &mut Vm, problem: Problem, text: &str) -> Thrown {
    let Some(class) = vm.linked_class(b"domexception") else {
        return Thrown;
    };
    // Whoever catches it by its other name finds the class under that, too.
    vm.linked_class(b"dom\\domexception");
    let object = vm.new_throwable(class, text, problem as i64);
    vm.throw_object(object)
}

/// Throws a DOMException, or gives `false` after a warning if the document is not strict.
pub(super) fn fail(vm: &mut Vm, document: &Document, problem: Problem) -> PhpResult<Value> {
    if document.read().settings.is_strict {
        return Err(throw(vm, problem));
    }
    vm.function_warning(problem.text());
    vm.check()?;
    Ok(false.into())
}
