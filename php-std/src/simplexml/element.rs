//! What elements do as objects: their properties, elements, casts and walks.

use vm_runtime::class::{ElementHandlers, NativeHandlers, PropertyHandlers, Step};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::object::read::Question;
use vm_runtime::object::{Access, PhpObject};
use vm_runtime::value::{
    ArrayHandle, DOUBLE, LONG, ObjectHandle, STRING, Value, ValueKind, Zval, make_reference,
};
use vm_runtime::vm::{PhpResult, Vm};

use super::list::{Cursor, Element, Which, own_text};
use super::{make, with};
use crate::support::Append;
use crate::xml::tree::{Document, Kind, Node, NodeId, Tree};

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
                    Ok(match (found, native(object).document()) {
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

pub(super) fn native(object: &PhpObject) -> &mut Element {
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
        return element.node().filter(|_| place == 0);
    }
    element.nth(usize::try_from(place).ok()?)
}

/// An object of the same class for part of an element.
pub(super) fn part(vm: &mut Vm, object: &ObjectHandle, element: Element) -> PhpResult<Value> {
    Ok(make(vm, object.class, element)?.into())
}

/// An object of the same class for a node.
fn single(vm: &mut Vm, object: &ObjectHandle, id: NodeId) -> PhpResult<Value> {
    let element = native(object);
    let mut made = element.clone();
    made.set_node(Some(id));
    (made.which, made.cursor) = (Which::Own, None);
    part(vm, object, made)
}

/// True for a single attribute, which has neither children nor attributes.
fn is_attribute(object: &PhpObject) -> bool {
    let element = native(object);
    match (&element.which, &element.document, element.node) {
        (Which::Own, Some(document), Some(id)) => document.read()[id].kind == Kind::Attribute,
        _ => false,
    }
}

/// A list without nodes makes its first one when something is to be written into it.
fn make_first(object: &ObjectHandle) {
    if super::node(object).is_none()
        && let Which::Named(own) = native(object).which.clone()
        && let (Some(document), Some(parent)) = (native(object).document(), native(object).node())
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
        list.set_node(native(object).node());
        let Some(id) = list.nth(0) else {
            return Ok(Value::NULL);
        };
        return single(vm, object, id);
    }
    if list.nth(0).is_none() {
        match access {
            Access::Isset => return Ok(Value::NULL),
            Access::ReadWrite => return made_child(vm, object, name, list),
            _ => {}
        }
    }
    part(vm, object, list)
}

/// The child that an operator is to change but that is not there: PHP makes an empty one, and has the operator change a
/// place outside of the document.
fn made_child(vm: &mut Vm, object: &ObjectHandle, name: &[u8], list: Element) -> PhpResult<Value> {
    if let (Some(document), Some(parent)) = (list.document(), list.node()) {
        add_element(&document, parent, name, None);
    }
    let mut place = part(vm, object, list)?;
    // SAFETY: I5: the slot is a local value.
    unsafe { make_reference(&mut vm.heap, place.as_zval_mut()) };
    Ok(place)
}

/// Adds a child element in the namespace of its parent.
fn add_element(document: &Document, parent: NodeId, name: &[u8], text: Option<&[u8]>) -> NodeId {
    let mut tree = document.write();
    let mut node = Node::new(Kind::Element, name);
    node.namespace = tree[parent].namespace.clone();
    node.prefix = tree[parent].prefix.clone();
    let id = tree.add(node);
    // An empty text is a node, too.
    if let Some(text) = text {
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
        let element = native(object).node();
        if let (Some(document), Some(id)) = (native(object).document(), element) {
            document.write().set_attribute(id, name, &text);
        }
        return Ok(());
    }
    if is_attribute(object) {
        return Ok(());
    }
    make_first(object);
    let list = with(native(object), Which::Named(name.to_vec()));
    let (Some(document), Some(parent)) = (list.document(), list.node()) else {
        return Ok(());
    };
    match list.nodes().as_slice() {
        [] => drop(add_element(&document, parent, name, Some(&text))),
        [only] => set_text(&document, *only, &text),
        _ => {
            vm.function_warning(
                "Cannot assign to an array of nodes (duplicate subnodes or attr detected)",
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
    let Some(id) = list.nth(0) else {
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
    let is_written = matches!(access, Access::Write | Access::ReadWrite);
    let is_numbered = !matches!(offset.map(Zval::view), Some(ValueKind::String(_)));
    if is_written && is_numbered && is_attribute(object) {
        let message = "Cannot create duplicate attribute";
        return Err(vm.throw_error(KnownClass::Error, message));
    }
    let Some(offset) = offset else {
        // `$list[] = ...` adds one.
        if let Which::Named(name) = native(object).which.clone()
            && let (Some(document), Some(parent)) =
                (native(object).document(), native(object).node())
        {
            let id = add_element(&document, parent, &name, None);
            return single(vm, object, id);
        }
        // PHP takes an element for a list of attributes, too.
        let kind = match native(object).which {
            Which::Attributes(_) => KnownClass::Error,
            _ => KnownClass::ValueError,
        };
        return Err(vm.throw_error(kind, "Cannot append to an attribute list"));
    };
    if let ValueKind::String(name) = offset.view() {
        if is_written {
            make_first(object);
        }
        let mut list = with(
            native(object),
            Which::Attributes(Some(name.as_bytes().to_vec())),
        );
        if matches!(native(object).which, Which::Attributes(_)) {
            list.set_node(native(object).node());
        }
        // None is made for something to be written into it.
        return match list.nth(0) {
            Some(id) => single(vm, object, id),
            None => Ok(Value::NULL),
        };
    }
    let place = offset.to_long(vm);
    if let Some(id) = nth(native(object), place) {
        return single(vm, object, id);
    }
    if is_written
        && let Which::Named(name) = native(object).which.clone()
        && let (Some(document), Some(parent)) = (native(object).document(), native(object).node())
    {
        let count = native(object).nodes().len() as i64;
        if place > count {
            let shown = vm_runtime::message::text(&name).into_owned();
            vm.function_warning(format!(
                "Cannot add element {shown} number {place} when only {count} such elements exist"
            ));
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
        make_first(object);
        let list = with(
            native(object),
            Which::Attributes(Some(name.as_bytes().to_vec())),
        );
        let id = match native(object).which {
            Which::Attributes(_) => native(object).node(),
            _ => list.node(),
        };
        if let (Some(document), Some(id)) = (list.document(), id) {
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
        Which::Children | Which::Attributes(None) => element.nth(0),
        _ => element.first(),
    };
    let (Some(document), Some(id)) = (&element.document, node) else {
        return false;
    };
    let tree = document.read();
    let is_single = tree[id].kind == Kind::Element && element.which == Which::Own;
    !is_single || tree[id].first.is_some() || !tree[id].attributes.is_empty()
}

pub(super) fn count_of(element: &Element) -> usize {
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
        // A CDATA section is no text here, unless LIBXML_NOCDATA made it one.
        let is_text =
            first.is_some_and(|first| tree[first].kind == Kind::Text && !tree[first].is_blank());
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
pub(super) fn table(vm: &mut Vm, object: *mut PhpObject, is_debug: bool) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the caller keeps the object alive.
    let object = unsafe { ObjectHandle::share_raw(object) };
    let element = native(&object).clone();
    let mut result = vm.new_array();
    let Some(document) = element.document() else {
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
    own.set_node(Some(id));
    own.which = Which::Own;
    // What `children()` gives has the attributes of its element when it is shown, but not as an array.
    let is_children = matches!(element.which, Which::Children);
    if is_debug || !is_children {
        let attributes = attribute_table(vm, &own, None);
        if !attributes.is_empty() {
            result
                .make_mut(vm)
                .set_bytes(b"@attributes", attributes.into());
        }
    }
    // A list of several is shown as one, but only if its first element holds exactly one node.
    let holds_one = document.read().children(id).take(2).count() == 1;
    let walks_list =
        holds_one && matches!(element.which, Which::Named(_)) && element.nth(1).is_some();
    if walks_list {
        for id in element.nodes() {
            let value = base_value(vm, &object, &document, id)?;
            result.make_mut(vm).append(value);
        }
        return Ok(result);
    }
    let children: Vec<NodeId> = {
        let tree = document.read();
        // It begins with its first element.
        let first = element.nth(0);
        tree.children(id)
            .skip_while(|&child| is_children && Some(child) != first)
            .collect()
    };
    for child in children {
        let (kind, name, is_alone, is_blank) = {
            let tree = document.read();
            let node = &tree[child];
            let is_alone = node.previous.is_none() && node.next.is_none();
            (node.kind, node.name.to_vec(), is_alone, node.is_blank())
        };
        match kind {
            Kind::Text if is_alone && !is_blank => {
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

/// Puts the walk at a node of the list, or at its end.
fn move_to(object: &ObjectHandle, id: Option<NodeId>) {
    let document = native(object).document.as_ref();
    let cursor = id.zip(document).map(|(node, document)| Cursor {
        node,
        held: document.hold(&[node]),
        object: None,
    });
    let old = std::mem::replace(&mut native(object).cursor, cursor);
    drop(old);
}

/// A step of a loop. Behind the end there is nothing.
pub(super) fn step(vm: &mut Vm, object: &ObjectHandle, step: Step) -> PhpResult<Value> {
    match step {
        Step::Rewind => {
            let first = native(object).nth(0);
            move_to(object, first);
        }
        Step::Next => {
            let at = native(object).cursor.as_ref().map(|cursor| cursor.node);
            if let Some(at) = at {
                let next = native(object).behind(at);
                move_to(object, next);
            }
        }
        Step::Valid => return Ok(native(object).cursor.is_some().into()),
        Step::Current => return Ok(current_of(vm, object)?.unwrap_or(Value::NULL)),
        Step::Key => return Ok(key_of(vm, object).unwrap_or(Value::NULL)),
    }
    Ok(Value::NULL)
}

/// The element at which a walk is.
pub(super) fn current_of(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<Option<Value>> {
    let Some(cursor) = native(object).cursor.clone() else {
        return Ok(None);
    };
    if cursor.object.is_some() {
        return Ok(cursor.object);
    }
    let value = single(vm, object, cursor.node)?;
    let cursor = Cursor {
        object: Some(value.clone()),
        ..cursor
    };
    let old = native(object).cursor.replace(cursor);
    drop(old);
    Ok(Some(value))
}

/// The name of the element at which a walk is.
pub(super) fn key_of(vm: &mut Vm, object: &ObjectHandle) -> Option<Value> {
    let element = native(object);
    let cursor = element.cursor.as_ref()?;
    let name = cursor.held.read()[cursor.node].name.to_vec();
    Some(vm.string(name).into())
}
