//! The methods of elements.

use vm_runtime::class::Step;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::element::{count_of, current_of, key_of, native, node, part, step, table};
use super::list::{Element, Which};
use super::with;
use crate::libxml;
use crate::xml::serializer::{self, Style};
use crate::xml::tree::{Kind, Node, NodeId, ROOT, Tree, split_name};
use crate::xml::well_formed;
pub(super) fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let (given, options) = (call.bytes(0), call.long(1));
    if i32::try_from(options).is_err() {
        let message = "SimpleXMLElement::__construct(): Argument #2 ($options) is invalid";
        return Err(call.vm.throw_error(KnownClass::Exception, message));
    }
    let is_file = call.bool(2);
    let contents;
    let (bytes, file): (&[u8], &[u8]) = if is_file {
        match libxml::read_file(call.vm, given, options)? {
            Some(read) => {
                contents = read;
                (&contents, given)
            }
            None => return Err(unreadable(call.vm)),
        }
    } else {
        (given, b"")
    };
    if bytes.is_empty() && file.is_empty() {
        // Nothing is said of what is not even there.
        return Err(unreadable(call.vm));
    }
    let (document, errors) = libxml::parse_document(call.vm, bytes, options, file);
    libxml::report_with_context(call.vm, errors, options, bytes)?;
    let Some(document) = document else {
        return Err(unreadable(call.vm));
    };
    let root = document.read().document_element();
    let namespace = call.bytes(3).to_vec();
    let is_prefix = call.bool(4);
    let mut element = Element {
        document: Some(document.hold(&[])),
        namespace: (!namespace.is_empty()).then_some((namespace, is_prefix)),
        ..Element::default()
    };
    element.set_node(root);
    drop(std::mem::replace(native(&object), element));
    Ok(Value::NULL)
}

fn unreadable(vm: &mut Vm) -> vm_runtime::vm::Thrown {
    vm.throw_error(KnownClass::Exception, "String could not be parsed as XML")
}

pub(super) fn as_xml(call: &mut Call<'_>) -> PhpResult<Value> {
    crate::dom::no_zero_bytes(call, &[0])?;
    let object = crate::spl::this(call);
    let Some((document, id)) = node(call.vm, &object)? else {
        return Ok(false.into());
    };
    let is_root = {
        let tree = document.read();
        // The root of what was read as HTML is written as any element.
        tree[id].parent == Some(ROOT) && tree[ROOT].kind != Kind::HtmlDocument
    };
    let text = {
        let tree = document.read();
        let id = if is_root { ROOT } else { id };
        let modern = tree
            .is_modern
            .then(|| well_formed::node(&tree, id, well_formed::Style::default()));
        if let Some(Ok(text)) = modern {
            text
        } else {
            serializer::node(
                &tree,
                id,
                Style {
                    is_ascii: tree.encoding.is_none() && is_root,
                    ..Style::default()
                },
            )
        }
    };
    match call.optional_bytes(0) {
        None => Ok(call.vm.string(text).into()),
        Some(name) => {
            let Some(mut stream) = crate::libxml::open(call.vm, name, b"wb")? else {
                return Ok(false.into());
            };
            Ok(stream.write(call.vm, &text).is_ok().into())
        }
    }
}

/// Notes the namespaces that a node uses, and with `recursive` all below it.
fn used_namespaces(tree: &Tree, id: NodeId, recursive: bool, found: &mut Vec<(Vec<u8>, Vec<u8>)>) {
    let mut note = |id: NodeId| {
        if let Some(uri) = &tree[id].namespace {
            let prefix = tree[id].prefix.as_deref().unwrap_or_default().to_vec();
            if !found.iter().any(|known| known.0 == prefix) {
                found.push((prefix, uri.to_vec()));
            }
        }
    };
    let below = recursive
        .then(|| tree.descendants(id))
        .into_iter()
        .flatten();
    for id in std::iter::once(id).chain(below) {
        note(id);
        for &attribute in &tree[id].attributes {
            note(attribute);
        }
    }
}

fn namespace_table(vm: &mut Vm, found: Vec<(Vec<u8>, Vec<u8>)>) -> Value {
    let mut table = vm.new_array();
    for (prefix, uri) in found {
        let uri = vm.string(uri).into();
        table.make_mut(vm).set_bytes(&prefix, uri);
    }
    table.into()
}

pub(super) fn get_namespaces(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let mut found = Vec::new();
    if let Some((document, id)) = node(call.vm, &object)? {
        used_namespaces(&document.read(), id, call.bool(0), &mut found);
    }
    Ok(namespace_table(call.vm, found))
}

pub(super) fn get_doc_namespaces(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let (recursive, from_root) = (call.bool(0), call.bool(1));
    let Some((document, id)) = node(call.vm, &object)? else {
        return Ok(false.into());
    };
    let mut found: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    {
        let tree = document.read();
        let start = if from_root {
            tree.document_element().unwrap_or(id)
        } else {
            id
        };
        let below = recursive
            .then(|| tree.descendants(start))
            .into_iter()
            .flatten();
        for id in std::iter::once(start).chain(below) {
            for declaration in tree.declarations_of(id).iter() {
                let prefix = declaration.prefix.as_deref().unwrap_or_default().to_vec();
                if !found.iter().any(|known| known.0 == prefix) {
                    found.push((prefix, declaration.uri.to_vec()));
                }
            }
        }
    }
    Ok(namespace_table(call.vm, found))
}

/// Children or attributes in a namespace.
fn selected(call: &mut Call<'_>, which: Which) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    if matches!(native(&object).which, Which::Attributes(_)) {
        return Ok(Value::NULL);
    }
    if node(call.vm, &object)?.is_none() && matches!(which, Which::Attributes(_)) {
        return Ok(Value::NULL);
    }
    let mut list = with(native(&object), which);
    list.namespace = call
        .optional_bytes(0)
        .filter(|name| !name.is_empty())
        .map(|name| (name.to_vec(), call.bool(1)));
    part(call.vm, &object, list)
}

pub(super) fn children(call: &mut Call<'_>) -> PhpResult<Value> {
    selected(call, Which::Children)
}

pub(super) fn attributes(call: &mut Call<'_>) -> PhpResult<Value> {
    selected(call, Which::Attributes(None))
}

pub(super) fn add_child(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let (name, value, namespace) = (
        call.bytes(0),
        call.optional_bytes(1),
        call.optional_bytes(2),
    );
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    if matches!(native(&object).which, Which::Attributes(_)) {
        call.vm.function_warning("Cannot add element to attributes");
        return Ok(Value::NULL);
    }
    let Some((document, parent)) = node(call.vm, &object)? else {
        call.vm
            .function_warning("Cannot add child. Parent is not a permanent member of the XML tree");
        return Ok(Value::NULL);
    };
    let (prefix, local) = split_name(name);
    let id = {
        let mut tree = document.write();
        let mut node = Node::new(Kind::Element, local);
        match namespace {
            None => {
                node.namespace = tree[parent].namespace.clone();
                node.prefix = tree[parent].prefix.clone();
            }
            Some(b"") => {
                node.declarations.push(crate::xml::tree::Declaration {
                    prefix: None,
                    uri: b""[..].into(),
                });
            }
            Some(uri) => {
                node.namespace = Some(uri.into());
                match tree.find_prefix(parent, uri) {
                    Some(known) => node.prefix = known,
                    None => {
                        node.prefix = prefix.map(Into::into);
                        node.declarations.push(crate::xml::tree::Declaration {
                            prefix: prefix.map(Into::into),
                            uri: uri.into(),
                        });
                    }
                }
            }
        }
        let id = tree.add(node);
        tree.append(parent, id);
        id
    };
    crate::dom::append_content(call.vm, &document, id, value.unwrap_or_default())?;
    let mut element = Element::new(&document, id);
    element.namespace = native(&object).namespace.clone();
    if namespace.is_some_and(|uri| !uri.is_empty()) {
        element.namespace = namespace.map(|uri| (uri.to_vec(), false));
    }
    part(call.vm, &object, element)
}

pub(super) fn add_attribute(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let (name, value, namespace) = (call.bytes(0), call.bytes(1), call.optional_bytes(2));
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let Some((document, id)) = node(call.vm, &object)? else {
        call.vm.function_warning("Unable to locate parent Element");
        return Ok(Value::NULL);
    };
    let (prefix, local) = split_name(name);
    let namespace = namespace.filter(|uri| !uri.is_empty());
    if prefix.is_none() && namespace.is_some() {
        call.vm
            .function_warning("Attribute requires prefix for namespace");
        return Ok(Value::NULL);
    }
    let exists = {
        let tree = document.read();
        tree.attribute_in(
            id,
            namespace,
            if namespace.is_some() { local } else { name },
        )
        .is_some()
    };
    if exists {
        call.vm.function_warning("Attribute already exists");
        return Ok(Value::NULL);
    }
    let mut tree = document.write();
    let mut attribute = Node::new(Kind::Attribute, local);
    attribute.value = value.to_vec();
    if let Some(uri) = namespace {
        attribute.namespace = Some(uri.into());
        match tree.find_prefix(id, uri).flatten() {
            Some(known) => attribute.prefix = Some(known),
            None => {
                attribute.prefix = prefix.map(Into::into);
                // Documents of the newer classes are written with the declarations that they need.
                if !tree.is_modern {
                    tree.declare(id, prefix, uri);
                }
            }
        }
    }
    let attribute = tree.add(attribute);
    tree.add_attribute(id, attribute);
    Ok(Value::NULL)
}

pub(super) fn get_name(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let name = match node(call.vm, &object)? {
        Some((document, id)) => {
            let tree = document.read();
            match tree[id].kind {
                Kind::Comment => b"comment".to_vec(),
                Kind::Document | Kind::HtmlDocument => Vec::new(),
                _ => tree[id].name.to_vec(),
            }
        }
        None => Vec::new(),
    };
    Ok(call.vm.string(name).into())
}

pub(super) fn to_string(call: &mut Call<'_>) -> PhpResult<Value> {
    let text = native(&crate::spl::this(call)).text();
    Ok(call.vm.string(text).into())
}

pub(super) fn debug_info(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    Ok(table(call.vm, object.as_ptr(), true)?.into())
}

pub(super) fn count(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    node(call.vm, &object)?;
    Ok(count_of(native(&object)).into())
}

pub(super) fn rewind(call: &mut Call<'_>) -> PhpResult<Value> {
    step(call.vm, &crate::spl::this(call), Step::Rewind)
}

pub(super) fn next(call: &mut Call<'_>) -> PhpResult<Value> {
    step(call.vm, &crate::spl::this(call), Step::Next)
}

pub(super) fn valid(call: &mut Call<'_>) -> PhpResult<Value> {
    step(call.vm, &crate::spl::this(call), Step::Valid)
}

/// What a method gives, which there must be.
fn demanded(vm: &mut Vm, found: Option<Value>) -> PhpResult<Value> {
    let message = "Iterator not initialized or already consumed";
    found.ok_or_else(|| vm.throw_error(KnownClass::Error, message))
}

pub(super) fn current(call: &mut Call<'_>) -> PhpResult<Value> {
    let found = current_of(call.vm, &crate::spl::this(call))?;
    demanded(call.vm, found)
}

pub(super) fn key(call: &mut Call<'_>) -> PhpResult<Value> {
    let found = key_of(call.vm, &crate::spl::this(call));
    demanded(call.vm, found)
}

pub(super) fn has_children(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let element = native(&object);
    let Some(cursor) = &element.cursor else {
        return Ok(false.into());
    };
    let tree = cursor.held.read();
    Ok(tree
        .children(cursor.node)
        .any(|child| tree[child].kind == Kind::Element)
        .into())
}

pub(super) fn get_children(call: &mut Call<'_>) -> PhpResult<Value> {
    if native(&crate::spl::this(call)).cursor.is_none() {
        return Ok(Value::NULL);
    }
    current(call)
}
