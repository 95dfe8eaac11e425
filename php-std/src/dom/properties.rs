//! The properties of nodes, which are computed when they are read.

use std::borrow::Cow;

use vm_runtime::class::{Class, NativeHandlers, PropertyHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::flags;
use vm_runtime::object::read::Question;
use vm_runtime::object::{Access, PhpObject};
use vm_runtime::operators::{to_bool, to_string};
use vm_runtime::string::PhpString;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::document::replace_content;
use super::lists::{self, List};
use super::modern;
use super::object::{
    NodeObject, Problem, has_node, node_of, owner, throw, until_zero, wrap_optional,
};
use crate::xml::subset;
use crate::xml::tree::{Document, Kind, Node, NodeId, ROOT, Text, XMLNS_NAMESPACE};

/// What objects for nodes do in their own way.
pub(super) const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(debug_info),
    properties_by_code: Some(&PropertyHandlers {
        read: |vm, object, name, _| {
            tell_deprecated(vm, object, name)?;
            read(vm, object, name)
        },
        write,
        has,
        unset: |vm, object, name| unset(vm, object, name),
    }),
    ..NativeHandlers::STANDARD
};

/// True if the class declares a computed property of that name.
pub(super) fn is_computed(object: &PhpObject, name: &PhpString) -> bool {
    vm_runtime::object::is_computed(object, name)
}

/// Properties that are deprecated, with their classes.
const DEPRECATED: &[(&str, &[u8])] = &[
    ("DOMDocument", b"config"),
    ("DOMDocument", b"actualEncoding"),
    ("DOMEntity", b"actualEncoding"),
    ("DOMEntity", b"encoding"),
    ("DOMEntity", b"version"),
];

fn tell_deprecated(vm: &mut Vm, object: &PhpObject, name: &PhpString) -> PhpResult<()> {
    if !DEPRECATED.iter().any(|known| known.1 == name.as_bytes()) {
        return Ok(());
    }
    let Some(info) = object.class().properties.get_string(name) else {
        return Ok(());
    };
    // SAFETY: I4: classes live until the VM ends.
    let class = unsafe { (*info.class).display_name() }.to_string();
    if DEPRECATED.contains(&(class.as_str(), name.as_bytes())) {
        vm.deprecated(format!(
            "Property {class}::${} is deprecated",
            name.to_text()
        ));
        vm.check()?;
    }
    Ok(())
}

pub(super) fn unset(vm: &mut Vm, object: &ObjectHandle, name: &PhpString) -> PhpResult<bool> {
    if !is_computed(object, name) {
        return Ok(false);
    }
    let message = format!(
        "Cannot unset {}::${}",
        object.class().display_name(),
        name.to_text()
    );
    Err(vm.throw_error(KnownClass::Error, message))
}

fn has(
    vm: &mut Vm,
    object: &ObjectHandle,
    name: &PhpString,
    question: Question,
) -> PhpResult<Option<bool>> {
    tell_deprecated(vm, object, name)?;
    let Some(value) = read(vm, object, name)? else {
        return Ok(None);
    };
    Ok(Some(match question {
        Question::Exists => true,
        Question::Isset => !value.is_null(),
        Question::NotEmpty => to_bool(&value),
    }))
}

/// Properties that are shown in front of others of their class.
const SHOWN_FIRST: [(&str, &[&str]); 1] = [("Dom\\CharacterData", &["data", "length"])];

/// Computed properties in the order in which they are shown: those of the class itself first.
pub(crate) fn computed_names(class: &Class) -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = Vec::new();
    let mut own = Some(class);
    while let Some(at) = own {
        let name = at.display_name();
        let first = SHOWN_FIRST.iter().filter(|(class, _)| *class == name);
        names
            .extend(first.flat_map(|(_, names)| names.iter().map(|name| name.as_bytes().to_vec())));
        for (name, info) in at.properties.iter() {
            let is_own = std::ptr::eq(info.class, at);
            if is_own
                && info.flags & flags::VIRTUAL != 0
                && !info.has_hooks()
                && !names.iter().any(|known| known == name)
            {
                names.push(name.to_vec());
            }
        }
        // SAFETY: I4: classes live until the VM ends.
        own = unsafe { at.parent.as_ref() };
    }
    names
}

/// What `var_dump()` shows: ordinary properties, then the computed ones without their objects.
pub(super) fn debug_info(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the caller keeps the object alive.
    let object = unsafe { ObjectHandle::share_raw(object) };
    let mut table = vm_runtime::operators::convert::property_table(vm, &object);
    let is_alone = object.native::<NodeObject>().is_some_and(|native| {
        native
            .node
            .as_ref()
            .is_some_and(|(document, _)| document.read().is_nowhere)
    });
    for name in computed_names(object.class()) {
        // A node of no document cannot tell its own.
        if is_alone && name == b"ownerDocument" {
            continue;
        }
        let name = vm.string(name);
        let access = object
            .class()
            .handlers
            .and_then(|handlers| handlers.properties_by_code);
        let Some(access) = access else {
            continue;
        };
        let value = match object.native::<NodeObject>() {
            Some(_) => read(vm, &object, &name),
            None => (access.read)(vm, &object, &name, Access::Read),
        };
        // What cannot be read is left out; the exception comes behind what is shown.
        let Ok(value) = value else {
            if object.native::<NodeObject>().is_some() {
                break;
            }
            continue;
        };
        let value = match value {
            Some(value) if matches!(value.view(), ValueKind::Object(_)) => {
                vm.string("(object value omitted)").into()
            }
            Some(value) => value,
            None => continue,
        };
        table.make_mut(vm).set_string(&name, value);
    }
    Ok(table)
}

fn string(vm: &mut Vm, bytes: impl AsRef<[u8]>) -> Value {
    vm.string(bytes).into()
}

/// The first or last child that is an element.
pub(super) fn element_child(document: &Document, id: NodeId, from_end: bool) -> Option<NodeId> {
    let tree = document.read();
    let mut elements = tree
        .children(id)
        .filter(|&child| tree[child].kind == Kind::Element);
    if from_end {
        elements.last()
    } else {
        elements.next()
    }
}

/// The nearest sibling that is an element.
fn element_sibling(document: &Document, id: NodeId, backward: bool) -> Option<NodeId> {
    let tree = document.read();
    let step = |id: NodeId| {
        if backward {
            tree[id].previous
        } else {
            tree[id].next
        }
    };
    std::iter::successors(step(id), |&id| step(id)).find(|&id| tree[id].kind == Kind::Element)
}

/// The name as `nodeName` has it.
pub(super) fn node_name(document: &Document, id: NodeId) -> Vec<u8> {
    shown_name(&document.read()[id]).into_owned()
}

/// As [`node_name`], without a copy if there is such a text already.
fn shown_name(node: &Node) -> Cow<'_, [u8]> {
    let fixed: &[u8] = match node.kind {
        Kind::Element | Kind::Attribute => match &node.prefix {
            Some(prefix) if !prefix.is_empty() => return node.qualified_name().into(),
            _ => &node.name,
        },
        Kind::Namespace => match &node.prefix {
            Some(prefix) => return [b"xmlns:", &**prefix].concat().into(),
            None => b"xmlns",
        },
        Kind::Text => b"#text",
        Kind::CData => b"#cdata-section",
        Kind::Comment => b"#comment",
        Kind::Document | Kind::HtmlDocument => b"#document",
        Kind::Fragment => b"#document-fragment",
        _ => &node.name,
    };
    fixed.into()
}

/// True if a node hangs from its document.
fn is_connected(document: &Document, id: NodeId) -> bool {
    document.read().root_of(id) == ROOT
}

/// Document and node of an object whose property is meant: without a node it has none.
fn live_node(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<(Document, NodeId)> {
    match has_node(object) {
        true => node_of(vm, object),
        false => Err(throw(vm, Problem::InvalidState)),
    }
}

fn read(vm: &mut Vm, object: &ObjectHandle, name: &PhpString) -> PhpResult<Option<Value>> {
    if !is_computed(object, name) {
        return Ok(None);
    }
    let (document, id) = live_node(vm, object)?;
    if document.read().is_modern {
        let place = (&document, id);
        let value = modern::properties::read(vm, object, place, name.as_bytes())?;
        if value.is_some() {
            return Ok(value);
        }
    }
    let node = document.read()[id].clone_head();
    let yes_no = |flag: bool| Ok(Value::from(flag));
    let settings = document.read().settings;
    let value = match name.as_bytes() {
        b"nodeName" | b"tagName" => Ok(string(vm, shown_name(&document.read()[id]))),
        b"nodeValue" => Ok(match node.kind {
            // Nothing was ever said of what is in it.
            Kind::Comment | Kind::ProcessingInstruction
                if document.read()[id].is_bare && document.read()[id].value.is_empty() =>
            {
                Value::NULL
            }
            Kind::Element => {
                let content = document.read().text_content(id);
                string(vm, content)
            }
            Kind::Attribute
            | Kind::Text
            | Kind::CData
            | Kind::Comment
            | Kind::Namespace
            | Kind::ProcessingInstruction => {
                let value = document.read()[id].value.clone();
                string(vm, value)
            }
            _ => Value::NULL,
        }),
        b"nodeType" => Ok(match node.kind {
            // Entities are shown as their declarations.
            Kind::Entity => 17i64.into(),
            kind => (kind as i64).into(),
        }),
        b"parentNode" => wrap_optional(
            vm,
            &document,
            node.parent
                .filter(|&parent| !(parent == ROOT && document.read().is_nowhere)),
        ),
        b"parentElement" => {
            let is_element = |&parent: &NodeId| document.read()[parent].kind == Kind::Element;
            let parent = node.parent.filter(is_element);
            wrap_optional(vm, &document, parent)
        }
        b"childNodes" if node.kind == Kind::EntityReference => {
            lists::make(vm, "DOMNodeList", List::referred(&document, id))
        }
        b"childNodes" => lists::make(vm, "DOMNodeList", List::children(&document, id)),
        b"firstChild" => wrap_optional(vm, &document, first_child(&document, id)),
        b"lastChild" => {
            let first = first_child(&document, id);
            let last = match node.kind {
                Kind::EntityReference => first,
                _ => document.read()[id].last,
            };
            wrap_optional(vm, &document, last)
        }
        b"previousSibling" => wrap_optional(
            vm,
            &document,
            attribute_neighbour(&document, id, true).unwrap_or(node.previous),
        ),
        b"nextSibling" => wrap_optional(
            vm,
            &document,
            attribute_neighbour(&document, id, false).unwrap_or(node.next),
        ),
        b"attributes" => {
            if node.kind != Kind::Element {
                return Ok(Some(Value::NULL));
            }
            lists::make(vm, "DOMNamedNodeMap", List::attributes(&document, id))
        }
        b"isConnected" => yes_no(is_connected(&document, id) && !document.read().is_nowhere),
        b"ownerDocument" => {
            if id == ROOT {
                return Ok(Some(Value::NULL));
            }
            owner(vm, &document)
        }
        b"namespaceURI" => {
            let namespace = document.read()[id].namespace.clone();
            Ok(namespace.map_or(Value::NULL, |uri| string(vm, uri)))
        }
        b"prefix" => {
            let prefix = document.read()[id].prefix.clone();
            Ok(string(vm, prefix.as_deref().unwrap_or_default()))
        }
        b"localName" => Ok(match node.kind {
            Kind::Element | Kind::Attribute | Kind::Namespace => {
                let name = document.read()[id].name.clone();
                string(vm, name)
            }
            _ => Value::NULL,
        }),
        b"baseURI" | b"documentURI" => {
            let uri = document.read().uri.clone();
            Ok(uri.map_or(Value::NULL, |uri| string(vm, uri)))
        }
        b"textContent" => {
            let content = document.read().text_content(id);
            Ok(string(vm, content))
        }
        b"firstElementChild" => wrap_optional(vm, &document, element_child(&document, id, false)),
        b"lastElementChild" => wrap_optional(vm, &document, element_child(&document, id, true)),
        b"childElementCount" => {
            let tree = document.read();
            let count = tree
                .children(id)
                .filter(|&child| tree[child].kind == Kind::Element)
                .count();
            Ok(count.into())
        }
        b"previousElementSibling" => {
            wrap_optional(vm, &document, element_sibling(&document, id, true))
        }
        b"nextElementSibling" => {
            wrap_optional(vm, &document, element_sibling(&document, id, false))
        }
        b"schemaTypeInfo" | b"config" => Ok(Value::NULL),
        b"className" | b"id" => {
            let attribute: &[u8] = if name.as_bytes() == b"id" {
                b"id"
            } else {
                b"class"
            };
            let tree = document.read();
            let value = tree
                .attribute(id, attribute)
                .map(|id| tree[id].value.clone());
            drop(tree);
            Ok(string(vm, value.unwrap_or_default()))
        }
        b"data" | b"value" => Ok(string(vm, &document.read()[id].value)),
        b"length" => {
            let value = document.read()[id].value.clone();
            Ok(String::from_utf8_lossy(&value).chars().count().into())
        }
        b"wholeText" => {
            let text = whole_text(&document, id);
            Ok(string(vm, text))
        }
        b"target" => Ok(string(vm, node_name(&document, id))),
        b"name" => Ok(string(
            vm,
            if node.kind == Kind::Attribute {
                document.read()[id].name.to_vec()
            } else {
                node_name(&document, id)
            },
        )),
        b"specified" => yes_no(true),
        b"ownerElement" => wrap_optional(vm, &document, node.parent),
        // Documents.
        b"doctype" => {
            let doctype = document.read().doctype();
            wrap_optional(vm, &document, doctype)
        }
        b"implementation" => super::implementation::make(vm),
        b"documentElement" => {
            let element = document.read().document_element();
            wrap_optional(vm, &document, element)
        }
        b"actualEncoding" | b"encoding" | b"xmlEncoding" => {
            let encoding = if id == ROOT {
                document.read().encoding.clone()
            } else {
                None
            };
            Ok(encoding.map_or(Value::NULL, |name| string(vm, name)))
        }
        b"standalone" | b"xmlStandalone" => yes_no(document.read().standalone == Some(true)),
        b"version" | b"xmlVersion" => {
            let version = if id == ROOT {
                document.read().version.clone()
            } else {
                None
            };
            Ok(version.map_or(Value::NULL, |text| string(vm, text)))
        }
        b"strictErrorChecking" => yes_no(settings.is_strict),
        b"formatOutput" => yes_no(settings.format_output),
        b"validateOnParse" => yes_no(settings.validate_on_parse),
        b"resolveExternals" => yes_no(settings.resolve_externals),
        b"preserveWhiteSpace" => yes_no(settings.preserve_white_space),
        b"recover" => yes_no(settings.recover),
        b"substituteEntities" => yes_no(settings.substitute_entities),
        // Document types and what they declare.
        b"entities" => lists::make(
            vm,
            "DOMNamedNodeMap",
            List::declared(&document, id, Kind::Entity),
        ),
        b"notations" => lists::make(
            vm,
            "DOMNamedNodeMap",
            List::declared(&document, id, Kind::Notation),
        ),
        b"publicId" | b"systemId" | b"internalSubset" | b"notationName" => {
            Ok(declared(vm, &document, id, name.as_bytes()))
        }
        _ => Ok(Value::NULL),
    };
    value.map(Some)
}

/// The first child; attributes get theirs when it is asked for.
fn first_child(document: &Document, id: NodeId) -> Option<NodeId> {
    if document.read()[id].kind == Kind::Attribute {
        document.write().materialize(id);
    }
    if document.read()[id].kind == Kind::EntityReference {
        return referred(document, id);
    }
    document.read()[id].first
}

/// The entity that a reference stands for.
pub(super) fn referred(document: &Document, id: NodeId) -> Option<NodeId> {
    let mut tree = document.write();
    let name = tree[id].name.clone();
    if let Some(node) = tree.predefined_node(&name) {
        return Some(node);
    }
    let doctype = tree.doctype()?;
    tree.entity_node(doctype, &name)
}

/// The neighbour of an attribute.
fn attribute_neighbour(document: &Document, id: NodeId, backward: bool) -> Option<Option<NodeId>> {
    let tree = document.read();
    if tree[id].kind != Kind::Attribute {
        return None;
    }
    let attributes = &tree[tree[id].parent?].attributes;
    let place = attributes.iter().position(|&known| known == id)?;
    let neighbour = if backward {
        place.checked_sub(1)
    } else {
        Some(place + 1)
    };
    Some(neighbour.and_then(|place| attributes.get(place).copied()))
}

/// The text of a node and of the text nodes beside it.
fn whole_text(document: &Document, id: NodeId) -> Vec<u8> {
    let tree = document.read();
    let mut first = id;
    while let Some(previous) = tree[first].previous.filter(|&node| tree[node].is_text()) {
        first = previous;
    }
    let mut text = Vec::new();
    let mut at = Some(first);
    while let Some(id) = at.filter(|&id| tree[id].is_text()) {
        text.extend_from_slice(&tree[id].value);
        at = tree[id].next;
    }
    text
}

/// What a document type or an entity declares.
fn declared(vm: &mut Vm, document: &Document, id: NodeId, name: &[u8]) -> Value {
    let found = {
        let tree = document.read();
        let Some(doctype) = &tree[id].doctype else {
            return Value::NULL;
        };
        let is_type = tree[id].kind == Kind::DocumentType;
        let is_parsed = tree[id].kind == Kind::Entity && doctype.subset.is_none();
        match name {
            b"publicId" if is_type => Some(doctype.public.clone().unwrap_or_default()),
            b"systemId" if is_type => Some(doctype.system.clone().unwrap_or_default()),
            // Where an entity that is parsed stands is not told.
            b"publicId" | b"systemId" if is_parsed => None,
            b"publicId" => doctype.public.clone(),
            b"systemId" => doctype.system.clone(),
            b"internalSubset" => subset::declarations(doctype),
            _ => doctype.subset.clone(),
        }
    };
    found.map_or(Value::NULL, |text| string(vm, text))
}

/// Replaces all that is below a node by text.
pub(super) fn set_text(document: &Document, id: NodeId, text: &[u8]) {
    let text = until_zero(text);
    let mut tree = document.write();
    match tree[id].kind {
        Kind::Element | Kind::Fragment => {
            tree.drop_children(id);
            // An empty text is a node, too.
            let text = tree.add_text(Kind::Text, text);
            tree.append(id, text);
        }
        Kind::Attribute => {
            tree.drop_children(id);
            tree[id].value = text.to_vec();
        }
        Kind::Text | Kind::CData | Kind::Comment | Kind::ProcessingInstruction => {
            tree[id].value = text.to_vec();
            tree[id].is_bare &=
                !matches!(tree[id].kind, Kind::Comment | Kind::ProcessingInstruction);
        }
        _ => {}
    }
}

/// The value of an entity-encoded text: `nodeValue` is taken as XML has it.
fn write(vm: &mut Vm, object: &ObjectHandle, name: &PhpString, value: &Value) -> PhpResult<bool> {
    if !is_computed(object, name) {
        return Ok(false);
    }
    let entity = vm.linked_class(b"domentity");
    let is_entity = entity.is_some_and(|entity| object.class().is_subclass_of(entity));
    let is_own = matches!(
        name.as_bytes(),
        b"actualEncoding" | b"encoding" | b"version"
    );
    if is_entity && is_own || !has_node(object) && !WRITABLE.contains(&name.as_bytes()) {
        return Err(read_only(vm, object, name));
    }
    let (document, id) = live_node(vm, object)?;
    let coerced = coerced(vm, object, name, value)?;
    let value = &coerced;
    if document.read().is_modern && modern::properties::write(vm, (&document, id), name, value)? {
        return Ok(true);
    }
    if document.read().is_modern && matches!(name.as_bytes(), b"nodeValue" | b"textContent") {
        return Err(read_only(vm, object, name));
    }
    match name.as_bytes() {
        b"nodeValue" | b"textContent" | b"data" | b"value" => {
            let text = to_string(vm, value)?;
            let kind = document.read()[id].kind;
            let has_entities = matches!(name.as_bytes(), b"nodeValue" | b"value")
                && matches!(kind, Kind::Element | Kind::Attribute)
                && !document.read().is_modern;
            match has_entities {
                true => replace_content(vm, &document, id, &text)?,
                false => set_text(&document, id, &text),
            }
        }
        b"prefix" if !document.read().is_modern => {
            let prefix = to_string(vm, value)?;
            set_prefix(vm, &document, id, &prefix)?;
        }
        b"className" | b"id" => {
            let text = to_string(vm, value)?;
            let attribute: &[u8] = if name.as_bytes() == b"id" {
                b"id"
            } else {
                b"class"
            };
            document.write().set_attribute(id, attribute, &text);
        }
        b"encoding" if id == ROOT => {
            let text = to_string(vm, value)?;
            let is_known = encoding_rs::Encoding::for_label(&text).is_some();
            if value.is_null() || !is_known {
                let message = "Invalid document encoding";
                return Err(vm.throw_error(KnownClass::ValueError, message));
            }
            document.write().encoding = Some(text.to_vec());
        }
        b"standalone" | b"xmlStandalone" => {
            document.write().standalone = Some(to_bool(value));
        }
        b"version" | b"xmlVersion" if id == ROOT => {
            let text = to_string(vm, value)?.to_vec();
            document.write().version = Some(text);
        }
        b"documentURI" => {
            let text = to_string(vm, value)?.to_vec();
            document.write().uri = Some(text);
        }
        b"strictErrorChecking" => document.write().settings.is_strict = to_bool(value),
        b"formatOutput" => document.write().settings.format_output = to_bool(value),
        b"validateOnParse" => document.write().settings.validate_on_parse = to_bool(value),
        b"resolveExternals" => document.write().settings.resolve_externals = to_bool(value),
        b"preserveWhiteSpace" => document.write().settings.preserve_white_space = to_bool(value),
        b"recover" => document.write().settings.recover = to_bool(value),
        b"substituteEntities" => document.write().settings.substitute_entities = to_bool(value),
        _ => return Err(read_only(vm, object, name)),
    }
    Ok(true)
}

fn read_only(vm: &mut Vm, object: &ObjectHandle, name: &PhpString) -> Thrown {
    let class = object.class().display_name();
    let message = format!(
        "Cannot modify readonly property {class}::${}",
        name.to_text()
    );
    vm.throw_error(KnownClass::Error, message)
}

/// Properties that can be set; their types count for the value.
const WRITABLE: &[&[u8]] = &[
    b"nodeValue",
    b"textContent",
    b"data",
    b"value",
    b"prefix",
    b"className",
    b"id",
    b"encoding",
    b"standalone",
    b"xmlStandalone",
    b"version",
    b"xmlVersion",
    b"documentURI",
    b"URL",
    b"charset",
    b"characterSet",
    b"inputEncoding",
    b"title",
    b"body",
    b"innerHTML",
    b"substitutedNodeValue",
    b"strictErrorChecking",
    b"formatOutput",
    b"validateOnParse",
    b"resolveExternals",
    b"preserveWhiteSpace",
    b"recover",
    b"substituteEntities",
];

/// The value as the type of the property has it.
fn coerced(
    vm: &mut Vm,
    object: &ObjectHandle,
    name: &PhpString,
    value: &Value,
) -> PhpResult<Value> {
    let mut value = value.clone();
    let info = object.class().properties.get_string(name);
    if let Some(info) = info.filter(|_| WRITABLE.contains(&name.as_bytes())) {
        let strict = vm.is_strict();
        vm_runtime::types::verify_property(vm, info, value.as_zval_mut(), strict)?;
    }
    Ok(value)
}

fn set_prefix(vm: &mut Vm, document: &Document, id: NodeId, prefix: &[u8]) -> PhpResult<()> {
    let (kind, namespace, old) = {
        let tree = document.read();
        let node = &tree[id];
        (node.kind, node.namespace.clone(), node.prefix.clone())
    };
    if !matches!(kind, Kind::Element | Kind::Attribute)
        || old.as_deref().unwrap_or_default() == prefix
    {
        return Ok(());
    }
    let Some(namespace) = namespace else {
        return Err(throw(vm, Problem::Namespace));
    };
    let prefix = until_zero(prefix);
    if old.as_deref().unwrap_or_default() == prefix {
        return Ok(());
    }
    let is_bad = prefix == b"xml" && &*namespace != crate::xml::tree::XML_NAMESPACE
        || prefix == b"xmlns" && &*namespace != XMLNS_NAMESPACE;
    if is_bad {
        return Err(throw(vm, Problem::Namespace));
    }
    let mut tree = document.write();
    let element = if kind == Kind::Element {
        Some(id)
    } else {
        tree[id].parent
    };
    let new: Option<Text> = (!prefix.is_empty()).then(|| prefix.into());
    let is_taken = element.is_some_and(|element| {
        let mut declared = tree[element].declarations.iter();
        declared.any(|known| known.prefix == new && known.uri != namespace)
    });
    if is_taken {
        drop(tree);
        return Err(throw(vm, Problem::Namespace));
    }
    tree[id].prefix = new;
    if let Some(element) = element {
        let prefix = (!prefix.is_empty()).then_some(prefix);
        let is_known = tree
            .find_namespace(element, prefix)
            .is_some_and(|found| found == namespace);
        if !is_known {
            tree.declare(element, prefix, &namespace);
        }
    }
    Ok(())
}
