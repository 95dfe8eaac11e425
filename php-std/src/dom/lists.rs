//! DOMNodeList and DOMNamedNodeMap: lists that follow what happens to their tree.

use std::any::Any;

use vm_runtime::class::{Class, ElementHandlers, NativeHandlers, PropertyHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::read::Question;
use vm_runtime::object::{NativeData, NativeIterator, PhpObject, internal_iterator, new_object};
use vm_runtime::value::{ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::object::{self, wrap};
use super::properties;
use crate::xml::loose::Held;
use crate::xml::tree::{Document, HTML_NAMESPACE, Kind, Node, NodeId, ROOT, Tree};

/// What a list holds.
enum Content {
    Children,
    Attributes,
    /// Elements of a qualified name below a node; `*` for all.
    Named(Vec<u8>),
    /// Elements by namespace and local name.
    NamedIn(Option<Vec<u8>>, Vec<u8>),
    /// Entities and notations of a document type.
    Declared(Vec<NodeId>),
    /// The entity that a reference stands for, and those declared behind it.
    Referred {
        nodes: Vec<NodeId>,
        /// They go with the document type.
        is_declared: bool,
    },
    /// What XPath found.
    Found(Vec<Value>),
}

impl Content {
    /// Nodes that it names one by one.
    fn nodes(&self) -> &[NodeId] {
        match self {
            Content::Declared(nodes) | Content::Referred { nodes, .. } => nodes,
            _ => &[],
        }
    }
}

/// The native part.
#[derive(Default)]
pub(super) struct List {
    source: Option<(Held, NodeId, Content)>,
    /// The nodes as they were at a number of changes.
    known: Option<(u64, Vec<NodeId>)>,
}

impl NativeData for List {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Some((_, _, Content::Found(values))) = &self.source {
            values.iter().for_each(|value| visitor(value));
        }
    }

    /// A copy is a list of nothing.
    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::<List>::default())
    }
}

impl List {
    fn of(document: &Document, id: NodeId, content: Content) -> List {
        List {
            source: Some((
                document.hold(&[&[id], content.nodes()].concat()),
                id,
                content,
            )),
            known: None,
        }
    }

    pub(super) fn children(document: &Document, id: NodeId) -> List {
        // Attributes get their text as a child when somebody asks for it.
        if document.read()[id].kind == Kind::Attribute {
            document.write().materialize(id);
        }
        List::of(document, id, Content::Children)
    }

    pub(super) fn attributes(document: &Document, id: NodeId) -> List {
        List::of(document, id, Content::Attributes)
    }

    pub(super) fn found(document: &Document, values: Vec<Value>) -> List {
        List::of(document, 0, Content::Found(values))
    }

    /// Entities or notations, as nodes.
    pub(super) fn declared(document: &Document, id: NodeId, kind: Kind) -> List {
        let mut tree = document.write();
        let Some(doctype) = tree[id].doctype.clone() else {
            return List::default();
        };
        let mut nodes = Vec::new();
        if kind == Kind::Entity {
            for (name, _) in &doctype.entities {
                nodes.extend(tree.entity_node(id, name));
            }
        } else {
            for (name, public, system) in doctype.notations {
                let mut node = Node::new(Kind::Notation, &name);
                node.doctype = Some(Box::new(crate::xml::tree::Doctype {
                    public: Some(public.unwrap_or_default()),
                    system: Some(system.unwrap_or_default()),
                    ..Default::default()
                }));
                nodes.push(tree.add(node));
            }
        }
        drop(tree);
        List::of(document, id, Content::Declared(nodes))
    }

    /// What a reference has for children: libxml2 finds the declarations behind its own as siblings.
    pub(super) fn referred(document: &Document, id: NodeId) -> List {
        let Some(first) = properties::referred(document, id) else {
            return List::default();
        };
        let mut nodes = vec![first];
        let mut tree = document.write();
        let is_declared = tree[first].parent.is_some();
        if let Some(doctype) = tree[first].parent {
            let names = tree[doctype]
                .doctype
                .iter()
                .flat_map(|known| &known.entities);
            let names: Vec<Vec<u8>> = names.map(|(name, _)| name.clone()).collect();
            let own = tree[first].name.clone();
            let behind = names.iter().skip_while(|name| ***name != *own).skip(1);
            for name in behind {
                nodes.extend(tree.entity_node(doctype, name));
            }
        }
        drop(tree);
        let content = Content::Referred { nodes, is_declared };
        List::of(document, id, content)
    }

    /// A list of a whole document is one of what its object has read since.
    fn follow(&mut self) {
        let Some((document, ROOT, Content::Named(_) | Content::NamedIn(..) | Content::Children)) =
            &mut self.source
        else {
            return;
        };
        loop {
            let successor = document.read().successor.clone();
            let Some(successor) = successor else {
                return;
            };
            *document = successor.hold(&[]);
            self.known = None;
        }
    }

    /// The nodes of the list now.
    fn nodes(&mut self) -> &[NodeId] {
        self.follow();
        let Some((document, id, content)) = &self.source else {
            return &[];
        };
        let tree = document.read();
        let changes = tree.changes;
        if self.known.as_ref().is_none_or(|known| known.0 != changes) {
            let is_element = |&node: &NodeId| tree[node].kind == Kind::Element;
            let nodes = match content {
                Content::Children => tree.children(*id).collect(),
                Content::Attributes => tree[*id].attributes.clone(),
                Content::Named(name) => {
                    let lowercase = name.to_ascii_lowercase();
                    tree.descendants(*id)
                        .filter(is_element)
                        .filter(|&node| {
                            let wanted = if tree.is_html_element(node) {
                                &lowercase
                            } else {
                                name
                            };
                            name == b"*"
                                || match tree.is_modern {
                                    true => tree[node].qualified_name() == *wanted,
                                    // The older classes compare what is behind the prefix.
                                    false => *tree[node].name == **wanted,
                                }
                        })
                        .collect()
                }
                Content::NamedIn(namespace, name) => tree
                    .descendants(*id)
                    .filter(is_element)
                    .filter(|&node| {
                        let node = &tree[node];
                        (name == b"*" || *node.name == **name)
                            && (namespace.as_deref() == Some(b"*")
                                || node.namespace.as_deref().unwrap_or_default()
                                    == namespace.as_deref().unwrap_or_default())
                    })
                    .collect(),
                Content::Declared(nodes) => nodes.clone(),
                Content::Referred { is_declared, .. }
                    if *is_declared && tree.doctype().is_none() =>
                {
                    Vec::new()
                }
                Content::Referred { nodes, .. } => nodes.clone(),
                Content::Found(_) => Vec::new(),
            };
            self.known = Some((changes, nodes));
        }
        match &self.known {
            Some((_, nodes)) => nodes,
            None => &[],
        }
    }

    /// True for attributes and declarations, which have names.
    fn is_map(&self) -> bool {
        matches!(
            self.source,
            Some((_, _, Content::Attributes | Content::Declared(..)))
        )
    }

    /// True for elements by their names.
    fn is_collection(&self) -> bool {
        matches!(
            self.source,
            Some((_, _, Content::Named(_) | Content::NamedIn(..)))
        )
    }

    fn len(&mut self) -> usize {
        if let Some((_, _, Content::Found(values))) = &self.source {
            return values.len();
        }
        self.nodes().len()
    }
}

pub(super) fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::<List>::default())
}

/// A list as an object of a class.
pub(super) fn make(vm: &mut Vm, class: &str, list: List) -> PhpResult<Value> {
    let Some(class) = vm.linked_class(class.to_ascii_lowercase().as_bytes()) else {
        return Ok(Value::NULL);
    };
    let object = new_object(vm, class)?;
    if let Some(native) = object.native::<List>() {
        *native = list;
    }
    Ok(object.into())
}

fn list(object: &PhpObject) -> &mut List {
    object.native::<List>().expect("made with the object")
}

/// The element at a place, or `null`.
fn at(vm: &mut Vm, object: &ObjectHandle, place: i64) -> PhpResult<Value> {
    let Ok(place) = usize::try_from(place) else {
        return Ok(Value::NULL);
    };
    let list = list(object);
    if let Some((_, _, Content::Found(values))) = &list.source {
        return Ok(values.get(place).cloned().unwrap_or_default());
    }
    let Some(id) = list.nodes().get(place).copied() else {
        return Ok(Value::NULL);
    };
    match &list.source {
        Some((document, _, _)) => {
            let document = Document::clone(document);
            wrap(vm, &document, id)
        }
        None => Ok(Value::NULL),
    }
}

/// What lists do in their own way.
pub(super) const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(properties::debug_info),
    properties_by_code: Some(&PropertyHandlers {
        read: |_, object, name, _| {
            if name.as_bytes() != b"length" {
                return Ok(None);
            }
            Ok(Some(list(object).len().into()))
        },
        write: |vm, object, name, _| {
            if name.as_bytes() != b"length" {
                return Ok(false);
            }
            let class = object.class().display_name();
            let message = format!("Cannot modify readonly property {class}::$length");
            Err(vm.throw_error(KnownClass::Error, message))
        },
        has: |_, object, name, question| {
            if name.as_bytes() != b"length" {
                return Ok(None);
            }
            Ok(Some(
                question != Question::NotEmpty || list(object).len() > 0,
            ))
        },
        unset: properties::unset,
    }),
    elements: Some(&ElementHandlers {
        get: |vm, object, offset, _| match offset {
            Some(offset) => element(vm, object, offset, false),
            None => {
                let class = object.class().display_name();
                let message = if class.to_string().starts_with("Dom\\") {
                    format!("Cannot append to {class}")
                } else {
                    format!("Cannot access {class} without offset")
                };
                Err(vm.throw_error(KnownClass::Error, message))
            }
        },
        set: |vm, object, _, _| Err(not_writable(vm, object)),
        exists: |vm, object, offset, _| Ok(!element(vm, object, offset, true)?.is_null()),
        unset: |vm, object, _| Err(not_writable(vm, object)),
    }),
    ..NativeHandlers::STANDARD
};

pub(super) fn not_writable(vm: &mut Vm, object: &ObjectHandle) -> Thrown {
    let class = object.class().display_name();
    vm.throw_error(
        KnownClass::Error,
        format!("Cannot use object of type {class} as array"),
    )
}

/// Throws for an offset that is no number.
pub(super) fn bad_offset(vm: &mut Vm, offset: &Zval, class: &str, is_question: bool) -> Thrown {
    let kind = vm_runtime::operators::class_or_type_name(offset);
    let message = if is_question {
        format!("Cannot access offset of type {kind} in isset or empty")
    } else {
        format!("Cannot access offset of type {kind} on {class}")
    };
    vm.throw_error(KnownClass::TypeError, message)
}

/// A number with a fraction as an offset.
pub(super) fn whole_offset(vm: &mut Vm, number: f64) -> PhpResult<i64> {
    let place = number as i64;
    if place as f64 != number {
        let shown: Value = number.into();
        let shown = vm_runtime::operators::to_string(vm, &shown)?;
        vm.deprecated(format!(
            "Implicit conversion from float {} to int loses precision",
            shown.to_text()
        ));
        vm.check()?;
    }
    Ok(place)
}

/// `$list[$offset]`: by number, or by name in a map.
fn element(
    vm: &mut Vm,
    object: &ObjectHandle,
    offset: &Zval,
    is_question: bool,
) -> PhpResult<Value> {
    let list = list(object);
    let is_modern = match &list.source {
        Some((document, _, _)) => document.read().is_modern,
        None => false,
    };
    let is_map = list.is_map() || is_modern && list.is_collection();
    match offset.view() {
        ValueKind::String(name) => match vm_runtime::array::integer_key(name.as_bytes()) {
            Some(place) => at(vm, object, place),
            None if is_map && (is_modern || !starts_number(name.as_bytes())) => {
                named(vm, object, name.as_bytes())
            }
            None if is_modern => {
                let class = object.class().display_name();
                Err(bad_offset(vm, offset, &class.to_string(), is_question))
            }
            None if starts_number(name.as_bytes()) => {
                let place = offset.to_long(vm);
                at(vm, object, place)
            }
            None => Ok(Value::NULL),
        },
        ValueKind::Long(place) => {
            // A map counts what is in front of its start as the start, but says it is not there.
            let is_before = is_modern && list.is_map() && !is_question;
            at(vm, object, if is_before { place.max(0) } else { place })
        }
        ValueKind::Double(number) if is_modern => {
            let place = whole_offset(vm, number)?;
            at(vm, object, place)
        }
        _ if is_modern => {
            let class = object.class().display_name();
            Err(bad_offset(vm, offset, &class.to_string(), is_question))
        }
        _ => {
            let place = offset.to_long(vm);
            at(vm, object, place)
        }
    }
}

/// True for text that begins like a number.
fn starts_number(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+"));
    let digits = digits.unwrap_or(text);
    let digits = digits.strip_prefix(b".").unwrap_or(digits);
    digits.first().is_some_and(u8::is_ascii_digit)
}

/// True for an element with that ID, or an element of HTML with that name.
fn is_named(tree: &Tree, id: NodeId, key: &[u8]) -> bool {
    let has = |name: &[u8]| {
        let attribute = tree.attribute_in(id, None, name);
        attribute.is_some_and(|attribute| tree[attribute].value == key)
    };
    !key.is_empty()
        && (has(b"id") || tree[id].namespace.as_deref() == Some(HTML_NAMESPACE) && has(b"name"))
}

/// The node of a name in a map.
fn named(vm: &mut Vm, object: &ObjectHandle, name: &[u8]) -> PhpResult<Value> {
    let list = list(object);
    let nodes = list.nodes().to_vec();
    let Some((document, id, content)) = &list.source else {
        return Ok(Value::NULL);
    };
    let document = Document::clone(document);
    let found = {
        let tree = document.read();
        match content {
            Content::Attributes if tree.is_modern => {
                let lowercase = name.to_ascii_lowercase();
                let is_html = tree.is_html_element(*id);
                let wanted = if is_html { &lowercase } else { name };
                nodes
                    .into_iter()
                    .find(|&node| tree[node].qualified_name() == wanted)
            }
            Content::Attributes => tree.attribute(*id, name),
            Content::Named(_) | Content::NamedIn(..) => {
                nodes.into_iter().find(|&node| is_named(&tree, node, name))
            }
            _ => nodes.into_iter().find(|&node| &*tree[node].name == name),
        }
    };
    object::wrap_optional(vm, &document, found)
}

pub(super) fn count(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(list(&crate::spl::this(call)).len().into())
}

pub(super) fn item(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, place) = (crate::spl::this(call), call.long(0));
    at(call.vm, &object, place)
}

pub(super) fn map_item(call: &mut Call<'_>) -> PhpResult<Value> {
    let place = call.long(0);
    if !(0..=i64::from(i32::MAX)).contains(&place) {
        return Err(call.value_error(0, "must be between 0 and 2147483647"));
    }
    item(call)
}

pub(super) fn get_named_item(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, name) = (crate::spl::this(call), call.bytes(0));
    named(call.vm, &object, name)
}

pub(super) fn get_named_item_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let Some((document, id, Content::Attributes)) = &list(&object).source else {
        return Ok(Value::NULL);
    };
    let namespace = call.optional_bytes(0).filter(|uri| !uri.is_empty());
    let found = document.read().attribute_in(*id, namespace, call.bytes(1));
    let document = Document::clone(document);
    object::wrap_optional(call.vm, &document, found)
}

/// A walk over a list.
struct Walk {
    list: ObjectHandle,
    place: usize,
    /// The node that a walk over children stands at: from there it goes on, wherever that is now.
    child: Option<Option<NodeId>>,
    /// The attribute that a walk over those of an element stands at, and how many there were then.
    attribute: Option<(NodeId, usize)>,
    /// Keeps either of them.
    held: Option<Held>,
}

impl Walk {
    fn new(object: ObjectHandle) -> Walk {
        let list = list(&object);
        list.follow();
        let child = match &list.source {
            // The DOM standard counts places, whatever happens to the node that was given last.
            Some((document, id, Content::Children)) if !document.read().is_modern => {
                Some(document.read()[*id].first)
            }
            _ => None,
        };
        let document = list.source.as_ref().map(|(document, ..)| document);
        let held = document.map(|document| document.hold(child.flatten().as_slice()));
        let mut walk = Walk {
            list: object,
            place: 0,
            child,
            attribute: None,
            held,
        };
        walk.note_attribute();
        walk
    }

    fn note_attribute(&mut self) {
        let list = list(&self.list);
        if let Some((_, _, Content::Attributes)) = list.source {
            let nodes = list.nodes();
            self.attribute = nodes.get(self.place).map(|&node| (node, nodes.len()));
            self.keep(self.attribute.map(|(node, _)| node));
        }
    }

    /// Keeps a node instead of the one that was kept.
    fn keep(&mut self, node: Option<NodeId>) {
        let held = self.held.as_ref();
        self.held = held.map(|held| held.hold(node.as_slice()));
    }

    /// Where the walk goes on: PHP follows the attribute that it stands at, which has none behind it once it was taken
    /// away. Behind the first one, and where attributes were added, the newer classes count places.
    fn following_place(&mut self) -> usize {
        let Some((node, count)) = self.attribute else {
            return self.place + 1;
        };
        let list = list(&self.list);
        let is_modern = list
            .source
            .as_ref()
            .is_some_and(|(document, ..)| document.read().is_modern);
        let nodes = list.nodes();
        if is_modern && (self.place == 0 || nodes.len() >= count) {
            return self.place + 1;
        }
        let place = nodes.iter().position(|&other| other == node);
        place.map_or(nodes.len(), |place| place + 1)
    }
}

impl NativeIterator for Walk {
    fn current(&mut self, vm: &mut Vm) -> PhpResult<Value> {
        if let (Some(node), Some(held)) = (self.child, &self.held) {
            let document = Document::clone(held);
            return object::wrap_optional(vm, &document, node);
        }
        at(vm, &self.list.clone(), self.place as i64)
    }

    fn key(&mut self, vm: &mut Vm) -> PhpResult<Value> {
        let is_map = list(&self.list).is_map();
        if !is_map {
            return Ok(self.place.into());
        }
        let Some(id) = list(&self.list).nodes().get(self.place).copied() else {
            return Ok(Value::NULL);
        };
        let name = match &list(&self.list).source {
            Some((document, _, _)) => document.read()[id].name.to_vec(),
            None => Vec::new(),
        };
        Ok(vm.string(name).into())
    }

    fn next(&mut self, _vm: &mut Vm) -> PhpResult<()> {
        self.place = self.following_place();
        self.note_attribute();
        if let (Some(node), Some(held)) = (self.child, &self.held) {
            let next = node.and_then(|node| held.read()[node].next);
            self.child = Some(next);
            self.keep(next);
        }
        Ok(())
    }

    fn valid(&mut self, _vm: &mut Vm) -> PhpResult<bool> {
        Ok(match &self.child {
            Some(node) => node.is_some(),
            None => self.place < list(&self.list).len(),
        })
    }

    fn rewind(&mut self, vm: &mut Vm) -> PhpResult<()> {
        if self.place > 0 {
            let message = "Iterator does not support rewinding";
            return Err(vm.throw_error(KnownClass::Error, message));
        }
        Ok(())
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        visitor(&Zval::from_object(self.list.as_ptr()));
    }
}

pub(super) fn get_iterator(call: &mut Call<'_>) -> PhpResult<Value> {
    let list = crate::spl::this(call);
    Ok(internal_iterator(call.vm, Box::new(Walk::new(list)))?.into())
}

/// The class of lists of elements.
fn collection(document: &Document) -> &'static str {
    if document.read().is_modern {
        "Dom\\HTMLCollection"
    } else {
        "DOMNodeList"
    }
}

/// Throws for an argument with a zero byte in it.
pub(crate) fn no_zero_bytes(call: &mut Call<'_>, indexes: &[usize]) -> PhpResult<()> {
    for &index in indexes {
        if call
            .optional_bytes(index)
            .is_some_and(|text| text.contains(&0))
        {
            return Err(call.value_error(index, "must not contain any null bytes"));
        }
    }
    Ok(())
}

pub(super) fn get_elements_by_tag_name(call: &mut Call<'_>) -> PhpResult<Value> {
    no_zero_bytes(call, &[0])?;
    let (document, id) = object::this(call)?;
    let name = call.bytes(0).to_vec();
    let list = List::of(&document, id, Content::Named(name));
    make(call.vm, collection(&document), list)
}

pub(super) fn get_elements_by_tag_name_ns(call: &mut Call<'_>) -> PhpResult<Value> {
    no_zero_bytes(call, &[0, 1])?;
    let (document, id) = object::this(call)?;
    let namespace = call.optional_bytes(0).map(<[u8]>::to_vec);
    let name = call.bytes(1).to_vec();
    let list = List::of(&document, id, Content::NamedIn(namespace, name));
    make(call.vm, collection(&document), list)
}
