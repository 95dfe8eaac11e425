//! What elements do: their properties, elements, casts and methods.

use vm_runtime::class::{ElementHandlers, NativeHandlers, PropertyHandlers, Step};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::read::Question;
use vm_runtime::object::{Access, PhpObject};
use vm_runtime::value::{ArrayHandle, DOUBLE, LONG, ObjectHandle, STRING, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::list::{Element, Which, own_text};
use super::{make, with};
use crate::libxml;
use crate::support::Append;
use crate::xml::serializer::{self, Style};
use crate::xml::tree::{Document, Kind, Node, NodeId, ROOT, Tree, split_name};
use crate::xml::well_formed;

pub(super) const HANDLERS: NativeHandlers = NativeHandlers {
    step: Some(step),
    debug_info: Some(|vm, object| table(vm, object, true)),
    properties: Some(|vm, object| table(vm, object, false)),
    variables: Some(|vm, object| table(vm, object, false)),
    cast: Some(cast),
    truth: Some(is_true),
    operate: Some(operate),
    count: Some(|_, object| {
        // SAFETY: I3: the caller keeps the object alive.
        Ok(count_of(native(unsafe { &*object })) as i64)
    }),
    properties_by_code: Some(&PropertyHandlers {
        read: |vm, object, name, access| read_child(vm, object, name.as_bytes(), access).map(Some),
        write: |vm, object, name, value| {
            write_child(vm, object, name.as_bytes(), value)?;
            Ok(true)
        },
        has: |_, object, name, question| Ok(Some(has(object, name.as_bytes(), false, question))),
        unset: |_, object, name| {
            unset_all(&with(
                native(object),
                Which::Named(name.as_bytes().to_vec()),
            ));
            Ok(true)
        },
    }),
    elements: Some(&ElementHandlers {
        get: get_element,
        set: set_element,
        exists: |vm, object, offset, truthy| {
            let question = if truthy {
                Question::NotEmpty
            } else {
                Question::Isset
            };
            match offset.view() {
                ValueKind::String(name) => Ok(has(object, name.as_bytes(), true, question)),
                _ => {
                    let place = offset.to_long(vm);
                    let found = nth(native(object), place);
                    Ok(match (found, native(object).document.clone()) {
                        (Some(id), Some(document)) => {
                            !truthy || truth(&own_text(&document.read(), id), &document.read(), id)
                        }
                        _ => false,
                    })
                }
            }
        },
        unset: |vm, object, offset| {
            let element = native(object);
            match offset.view() {
                ValueKind::String(name) => {
                    unset_all(&with(
                        element,
                        Which::Attributes(Some(name.as_bytes().to_vec())),
                    ));
                }
                _ => {
                    let place = offset.to_long(vm);
                    if let (Some(id), Some(document)) = (nth(element, place), &element.document) {
                        document.write().detach(id);
                    }
                }
            }
            Ok(())
        },
    }),
    ..NativeHandlers::STANDARD
};

fn native(object: &PhpObject) -> &mut Element {
    object.native::<Element>().expect("made with the object")
}

/// The node behind an object; an Error if its constructor did not run.
pub(super) fn node(vm: &mut Vm, object: &PhpObject) -> PhpResult<Option<(Document, NodeId)>> {
    if native(object).document.is_none() {
        let message = "SimpleXMLElement is not properly initialized";
        return Err(vm.throw_error(KnownClass::Error, message));
    }
    Ok(super::node(object))
}

/// The node at a place of the list; the element itself at 0.
fn nth(element: &Element, place: i64) -> Option<NodeId> {
    if element.which == Which::Own {
        return element.node.filter(|_| place == 0);
    }
    element.nodes().get(usize::try_from(place).ok()?).copied()
}

/// An object of the same class for part of an element.
fn part(vm: &mut Vm, object: &ObjectHandle, element: Element) -> PhpResult<Value> {
    Ok(make(vm, object.class, element)?.into())
}

/// An object of the same class for a node.
fn single(vm: &mut Vm, object: &ObjectHandle, id: NodeId) -> PhpResult<Value> {
    let element = native(object);
    let mut made = element.clone();
    (made.node, made.which, made.cursor) = (Some(id), Which::Own, None);
    part(vm, object, made)
}

/// A list without nodes makes its first one when something is to be written into it.
fn make_first(object: &ObjectHandle) {
    if super::node(object).is_none()
        && let Which::Named(own) = native(object).which.clone()
        && let (Some(document), Some(parent)) =
            (native(object).document.clone(), native(object).node)
    {
        add_element(&document, parent, &own, None);
    }
}

fn read_child(vm: &mut Vm, object: &ObjectHandle, name: &[u8], access: Access) -> PhpResult<Value> {
    if node(vm, object)?.is_none() {
        if !matches!(access, Access::Write | Access::ReadWrite) {
            return Ok(Value::NULL);
        }
        make_first(object);
    }
    let mut list = with(native(object), Which::Named(name.to_vec()));
    if matches!(native(object).which, Which::Attributes(_)) {
        list.which = Which::Attributes(Some(name.to_vec()));
        list.node = native(object).node;
        let Some(id) = list.nodes().first().copied() else {
            return Ok(Value::NULL);
        };
        return single(vm, object, id);
    }
    if access == Access::Isset && list.nodes().is_empty() {
        return Ok(Value::NULL);
    }
    part(vm, object, list)
}

/// Adds a child element in the namespace of its parent.
fn add_element(document: &Document, parent: NodeId, name: &[u8], text: Option<&[u8]>) -> NodeId {
    let mut tree = document.write();
    let mut node = Node::new(Kind::Element, name);
    node.namespace = tree[parent].namespace.clone();
    node.prefix = tree[parent].prefix.clone();
    let id = tree.add(node);
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        let text = tree.add_text(Kind::Text, text);
        tree.append(id, text);
    }
    tree.append(parent, id);
    id
}

/// Replaces what a node holds by text.
fn set_text(document: &Document, id: NodeId, text: &[u8]) {
    let mut tree = document.write();
    tree.drop_children(id);
    if tree[id].kind == Kind::Attribute {
        tree[id].value = text.to_vec();
    } else if !text.is_empty() {
        let text = tree.add_text(Kind::Text, text);
        tree.append(id, text);
    }
}

/// The text of a value that is assigned.
fn assigned_text(vm: &mut Vm, value: &Zval, kind: &str) -> PhpResult<Vec<u8>> {
    match value.view() {
        ValueKind::Array(_) | ValueKind::Resource(_) => {
            let message = format!(
                "It's not possible to assign a complex type to {kind}, {} given",
                vm_runtime::operators::value_name(value)
            );
            Err(vm.throw_error(KnownClass::TypeError, message))
        }
        ValueKind::Object(object) if object.native::<Element>().is_none() => {
            let message = format!(
                "It's not possible to assign a complex type to {kind}, {} given",
                vm_runtime::operators::value_name(value)
            );
            Err(vm.throw_error(KnownClass::TypeError, message))
        }
        _ => Ok(crate::support::string_of(vm, value)?.to_vec()),
    }
}

fn write_child(vm: &mut Vm, object: &ObjectHandle, name: &[u8], value: &Zval) -> PhpResult<()> {
    node(vm, object)?;
    let text = assigned_text(vm, value, "properties")?;
    if matches!(native(object).which, Which::Attributes(_)) {
        let element = native(object).node;
        if let (Some(document), Some(id)) = (native(object).document.clone(), element) {
            document.write().set_attribute(id, name, &text);
        }
        return Ok(());
    }
    make_first(object);
    let list = with(native(object), Which::Named(name.to_vec()));
    let (Some(document), Some(parent)) = (list.document.clone(), list.node) else {
        return Ok(());
    };
    match list.nodes().as_slice() {
        [] => drop(add_element(&document, parent, name, Some(&text))),
        [only] => set_text(&document, *only, &text),
        _ => {
            vm.warning(
                "main(): Cannot assign to an array of nodes (duplicate subnodes or attr detected)",
            );
            vm.check()?;
        }
    }
    Ok(())
}

/// True for what counts as true: text, children or attributes.
fn truth(text: &[u8], tree: &Tree, id: NodeId) -> bool {
    let node = &tree[id];
    if node.kind == Kind::Attribute {
        return !text.is_empty() && text != b"0";
    }
    node.first.is_some() || !node.attributes.is_empty()
}

fn has(object: &ObjectHandle, name: &[u8], is_attribute: bool, question: Question) -> bool {
    let which = if is_attribute || matches!(native(object).which, Which::Attributes(_)) {
        Which::Attributes(Some(name.to_vec()))
    } else {
        Which::Named(name.to_vec())
    };
    let list = with(native(object), which);
    let Some(id) = list.nodes().first().copied() else {
        return false;
    };
    match (&list.document, question) {
        (Some(document), Question::NotEmpty) => {
            let tree = document.read();
            let text = own_text(&tree, id);
            let has_elements = tree
                .children(id)
                .any(|child| tree[child].kind == Kind::Element);
            has_elements || !text.is_empty() && text != b"0"
        }
        _ => true,
    }
}

fn unset_all(list: &Element) {
    if let Some(document) = &list.document {
        for id in list.nodes() {
            document.write().detach(id);
        }
    }
}

fn get_element(
    vm: &mut Vm,
    object: &ObjectHandle,
    offset: Option<&Zval>,
    access: Access,
) -> PhpResult<Value> {
    node(vm, object)?;
    let Some(offset) = offset else {
        // `$list[] = ...` adds one.
        if let Which::Named(name) = native(object).which.clone()
            && let (Some(document), Some(parent)) =
                (native(object).document.clone(), native(object).node)
        {
            let id = add_element(&document, parent, &name, None);
            return single(vm, object, id);
        }
        return Err(vm.throw_error(KnownClass::Error, "Cannot create unnamed attribute"));
    };
    if let ValueKind::String(name) = offset.view() {
        let mut list = with(
            native(object),
            Which::Attributes(Some(name.as_bytes().to_vec())),
        );
        if matches!(native(object).which, Which::Attributes(_)) {
            list.node = native(object).node;
        }
        return match list.nodes().first() {
            Some(&id) => single(vm, object, id),
            None if matches!(access, Access::Write | Access::ReadWrite) => {
                let (Some(document), Some(id)) = (list.document.clone(), list.node) else {
                    return Ok(Value::NULL);
                };
                let attribute = document.write().set_attribute(id, name.as_bytes(), b"");
                single(vm, object, attribute)
            }
            None => Ok(Value::NULL),
        };
    }
    let place = offset.to_long(vm);
    if let Some(id) = nth(native(object), place) {
        return single(vm, object, id);
    }
    if matches!(access, Access::Write | Access::ReadWrite)
        && let Which::Named(name) = native(object).which.clone()
        && let (Some(document), Some(parent)) =
            (native(object).document.clone(), native(object).node)
    {
        let count = native(object).nodes().len() as i64;
        if place > count {
            let shown = vm_runtime::message::text(&name).into_owned();
            vm.warning(format!("main(): Cannot add element {shown} number {place} when only {count} such elements exist"));
            vm.check()?;
        }
        let id = add_element(&document, parent, &name, None);
        return single(vm, object, id);
    }
    Ok(Value::NULL)
}

fn set_element(
    vm: &mut Vm,
    object: &ObjectHandle,
    offset: Option<&Zval>,
    value: &Value,
) -> PhpResult<()> {
    node(vm, object)?;
    if let Some(ValueKind::String(name)) = offset.map(Zval::view) {
        let text = assigned_text(vm, value, "attributes")?;
        if name.is_empty() {
            return Err(vm.throw_error(
                KnownClass::ValueError,
                "Cannot create attribute with an empty name",
            ));
        }
        let list = with(
            native(object),
            Which::Attributes(Some(name.as_bytes().to_vec())),
        );
        let id = match native(object).which {
            Which::Attributes(_) => native(object).node,
            _ => list.node,
        };
        if let (Some(document), Some(id)) = (list.document.clone(), id) {
            match list.nodes().first() {
                Some(&attribute) => set_text(&document, attribute, &text),
                None => drop(document.write().set_attribute(id, name.as_bytes(), &text)),
            }
        }
        return Ok(());
    }
    let text = assigned_text(vm, value, "properties")?;
    let target = get_element(vm, object, offset, Access::Write)?;
    if let Some(target) = target.object()
        && let Some((document, id)) = super::node(&target)
    {
        set_text(&document, id, &text);
    }
    Ok(())
}

/// Arithmetic takes the number that the text of an element is.
fn operate(
    vm: &mut Vm,
    operator: &'static str,
    left: &Zval,
    right: &Zval,
) -> PhpResult<Option<Value>> {
    use vm_runtime::operators;
    let mut number = |operand: &Zval| -> PhpResult<Value> {
        match operand.view() {
            ValueKind::Object(object) if object.native::<Element>().is_some() => {
                let object = std::ptr::from_ref(object).cast_mut();
                Ok(cast(vm, object, NUMBER)?.unwrap_or_default())
            }
            _ => Ok(Value::share(operand)),
        }
    };
    let (left, right) = (number(left)?, number(right)?);
    let is_object = |value: &Value| matches!(value.view(), ValueKind::Object(_));
    if is_object(&left) || is_object(&right) {
        return Ok(None);
    }
    let compute = match operator {
        "+" => operators::add,
        "-" => operators::sub,
        "*" => operators::mul,
        "/" => operators::div,
        "%" => operators::modulus,
        "**" => operators::pow,
        _ => return Ok(None),
    };
    let mut result = Value::NULL;
    compute(vm, result.as_zval_mut(), &left, &right);
    vm.check()?;
    Ok(Some(result))
}

/// The type number of a cast to what arithmetic wants.
const NUMBER: u8 = u8::MAX;

fn cast(vm: &mut Vm, object: *mut PhpObject, kind: u8) -> PhpResult<Option<Value>> {
    // SAFETY: I3: the caller keeps the object alive.
    let element = native(unsafe { &*object });
    let text = element.text();
    Ok(match kind {
        STRING => Some(vm.string(text).into()),
        LONG => {
            let text: Value = vm.string(text).into();
            Some(text.to_long(vm).into())
        }
        DOUBLE => {
            let text: Value = vm.string(text).into();
            Some(text.to_double(vm).into())
        }
        // A number as arithmetic wants it.
        _ => {
            use vm_runtime::operators::numeric_string::{Number, parse_whole};
            Some(match parse_whole(&text) {
                Some(Number::Double(number)) => number.into(),
                Some(Number::Long(number)) => number.into(),
                None => vm_runtime::operators::numeric_string::to_long(&text).into(),
            })
        }
    })
}

/// True for a node that is there; an element by itself must have children or attributes.
fn is_true(object: &PhpObject) -> bool {
    let element = native(object);
    let node = match element.which {
        Which::Children | Which::Attributes(None) => element.nodes().first().copied(),
        _ => element.first(),
    };
    let (Some(document), Some(id)) = (&element.document, node) else {
        return false;
    };
    let tree = document.read();
    let is_single = tree[id].kind == Kind::Element && element.which == Which::Own;
    !is_single || tree[id].first.is_some() || !tree[id].attributes.is_empty()
}

fn count_of(element: &Element) -> usize {
    element.nodes().len()
}

/// The value that stands for a child in the property table: its text, or an object.
fn base_value(
    vm: &mut Vm,
    object: &ObjectHandle,
    document: &Document,
    id: NodeId,
) -> PhpResult<Value> {
    let text = {
        let tree = document.read();
        let first = tree[id].first;
        let is_text = first.is_some_and(|first| tree[first].is_text() && !tree[first].is_blank());
        let is_reference = first.is_some_and(|first| tree[first].kind == Kind::EntityReference);
        (is_text || is_reference).then(|| own_text(&tree, id))
    };
    match text {
        Some(text) => Ok(vm.string(text).into()),
        None => single(vm, object, id),
    }
}

/// Adds to a table; what is there already becomes a list.
fn add(vm: &mut Vm, table: &mut ArrayHandle, name: &[u8], value: Value) {
    let existing = table.get_bytes(name).map(Value::share);
    let Some(existing) = existing else {
        table.make_mut(vm).set_bytes(name, value);
        return;
    };
    let mut list = match existing.array() {
        Some(list) => list,
        None => {
            let mut list = vm.new_array();
            list.make_mut(vm).append(existing);
            list
        }
    };
    table.make_mut(vm).set_bytes(name, Value::NULL);
    list.make_mut(vm).append(value);
    table.make_mut(vm).set_bytes(name, list.into());
}

/// The property table: attributes, child elements, text.
fn table(vm: &mut Vm, object: *mut PhpObject, _is_debug: bool) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the caller keeps the object alive.
    let object = unsafe { ObjectHandle::share_raw(object) };
    let element = native(&object).clone();
    let mut result = vm.new_array();
    let Some(document) = element.document.clone() else {
        return Ok(result);
    };
    if let Which::Attributes(name) = &element.which {
        let attributes = attribute_table(vm, &element, name.as_deref());
        if !attributes.is_empty() {
            result
                .make_mut(vm)
                .set_bytes(b"@attributes", attributes.into());
        }
        return Ok(result);
    }
    let Some(id) = element.first() else {
        return Ok(result);
    };
    if document.read()[id].kind == Kind::Attribute {
        let text = document.read()[id].value.clone();
        let text = vm.string(text).into();
        result.make_mut(vm).append(text);
        return Ok(result);
    }
    let mut own = element.clone();
    (own.node, own.which) = (Some(id), Which::Own);
    let attributes = attribute_table(vm, &own, None);
    if !attributes.is_empty() {
        result
            .make_mut(vm)
            .set_bytes(b"@attributes", attributes.into());
    }
    // A list of several is shown as one.
    let walks_list = matches!(element.which, Which::Named(_)) && element.nodes().len() > 1;
    if walks_list {
        for id in element.nodes() {
            let value = base_value(vm, &object, &document, id)?;
            result.make_mut(vm).append(value);
        }
        return Ok(result);
    }
    let children: Vec<NodeId> = document.read().children(id).collect();
    for child in children {
        let (kind, name, is_alone, is_blank) = {
            let tree = document.read();
            let node = &tree[child];
            let is_alone = node.previous.is_none() && node.next.is_none();
            (node.kind, node.name.to_vec(), is_alone, node.is_blank())
        };
        match kind {
            Kind::Text | Kind::CData if is_alone && !is_blank => {
                let text = own_text(&document.read(), id);
                let text = vm.string(text).into();
                result.make_mut(vm).append(text);
            }
            Kind::Text | Kind::CData => {}
            Kind::Element => {
                if !own.is_in_namespace(&document.read(), child) {
                    continue;
                }
                let value = base_value(vm, &object, &document, child)?;
                add(vm, &mut result, &name, value);
            }
            Kind::Comment => {
                let value = single(vm, &object, child)?;
                add(vm, &mut result, b"comment", value);
            }
            Kind::ProcessingInstruction | Kind::EntityReference => {
                let value = single(vm, &object, child)?;
                add(vm, &mut result, &name, value);
            }
            _ => {}
        }
    }
    Ok(result)
}

fn attribute_table(vm: &mut Vm, element: &Element, name: Option<&[u8]>) -> ArrayHandle {
    let mut list = element.clone();
    list.which = Which::Attributes(name.map(<[u8]>::to_vec));
    let mut table = vm.new_array();
    if let Some(document) = &element.document {
        for id in list.nodes() {
            let (name, value) = {
                let tree = document.read();
                (tree[id].name.to_vec(), tree[id].value.clone())
            };
            let value = vm.string(value).into();
            table.make_mut(vm).set_bytes(&name, value);
        }
    }
    table
}

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
    let (document, errors) = libxml::parse_document(call.vm, bytes, options, file);
    libxml::report_with_context(call.vm, errors, options, bytes)?;
    let Some(document) = document else {
        return Err(unreadable(call.vm));
    };
    let root = document.read().document_element();
    let namespace = call.bytes(3).to_vec();
    let is_prefix = call.bool(4);
    let element = native(&object);
    *element = Element {
        document: Some(document),
        node: root,
        ..Element::default()
    };
    if !namespace.is_empty() {
        element.namespace = Some((namespace, is_prefix));
    }
    Ok(Value::NULL)
}

fn unreadable(vm: &mut Vm) -> vm_runtime::vm::Thrown {
    vm.throw_error(KnownClass::Exception, "String could not be parsed as XML")
}

pub(super) fn as_xml(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let Some((document, id)) = node(call.vm, &object)? else {
        return Ok(false.into());
    };
    let is_root = document.read()[id].parent == Some(ROOT);
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

/// Puts the walk at a node of the list, or at its end.
fn move_to(object: &ObjectHandle, id: Option<NodeId>) {
    native(object).cursor = id.map(|id| (id, None));
}

/// A step of a loop. Behind the end there is nothing.
fn step(vm: &mut Vm, object: &ObjectHandle, step: Step) -> PhpResult<Value> {
    match step {
        Step::Rewind => {
            let first = native(object).nodes().first().copied();
            move_to(object, first);
        }
        Step::Next => {
            if let Some((at, _)) = native(object).cursor.clone() {
                let nodes = native(object).nodes();
                let place = nodes.iter().position(|&id| id == at);
                move_to(
                    object,
                    place.and_then(|place| nodes.get(place + 1).copied()),
                );
            }
        }
        Step::Valid => return Ok(native(object).cursor.is_some().into()),
        Step::Current => return Ok(current_of(vm, object)?.unwrap_or(Value::NULL)),
        Step::Key => return Ok(key_of(vm, object).unwrap_or(Value::NULL)),
    }
    Ok(Value::NULL)
}

/// The element at which a walk is.
fn current_of(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<Option<Value>> {
    let Some((id, known)) = native(object).cursor.clone() else {
        return Ok(None);
    };
    if known.is_some() {
        return Ok(known);
    }
    let value = single(vm, object, id)?;
    native(object).cursor = Some((id, Some(value.clone())));
    Ok(Some(value))
}

/// The name of the element at which a walk is.
fn key_of(vm: &mut Vm, object: &ObjectHandle) -> Option<Value> {
    let element = native(object);
    let (id, document) = (element.cursor.as_ref()?.0, element.document.as_ref()?);
    let name = document.read()[id].name.to_vec();
    Some(vm.string(name).into())
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
    let (Some((id, _)), Some(document)) = (element.cursor.clone(), element.document.clone()) else {
        return Ok(false.into());
    };
    let tree = document.read();
    Ok(tree
        .children(id)
        .any(|child| tree[child].kind == Kind::Element)
        .into())
}

pub(super) fn get_children(call: &mut Call<'_>) -> PhpResult<Value> {
    if native(&crate::spl::this(call)).cursor.is_none() {
        return Ok(Value::NULL);
    }
    current(call)
}
