//! Dom\TokenList: the classes of an element.

use std::any::Any;

use vm_runtime::class::{Class, ElementHandlers, NativeHandlers, PropertyHandlers};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::read::Question;
use vm_runtime::object::{NativeData, NativeIterator, PhpObject, internal_iterator, new_object};
use vm_runtime::operators::{to_bool, to_string};
use vm_runtime::value::{ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use crate::dom::object::{Problem, throw_text};
use crate::dom::properties;
use crate::xml::loose::Held;
use crate::xml::tree::{Document, NodeId};

/// The native part: the element whose classes these are.
#[derive(Default)]
pub(super) struct TokenList {
    element: Option<(Held, NodeId)>,
}

impl NativeData for TokenList {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

pub(super) fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::<TokenList>::default())
}

/// The list of an element.
pub(super) fn make(vm: &mut Vm, document: &Document, id: NodeId) -> PhpResult<Value> {
    let Some(class) = vm.linked_class(b"dom\\tokenlist") else {
        return Ok(Value::NULL);
    };
    let object = new_object(vm, class)?;
    if let Some(native) = object.native::<TokenList>() {
        native.element = Some((document.hold(&[id]), id));
    }
    Ok(object.into())
}

/// The value of the attribute.
fn value(object: &PhpObject) -> Vec<u8> {
    let Some((document, id)) = object
        .native::<TokenList>()
        .and_then(|list| list.element.as_ref())
        .map(|(document, id)| (Document::clone(document), *id))
    else {
        return Vec::new();
    };
    let tree = document.read();
    let attribute = tree.attribute_in(id, None, b"class");
    attribute.map_or(Vec::new(), |id| tree[id].value.clone())
}

/// The classes, each once.
fn tokens(object: &PhpObject) -> Vec<Vec<u8>> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    for token in value(object).split(is_blank) {
        if !token.is_empty() && !found.iter().any(|known| known == token) {
            found.push(token.to_vec());
        }
    }
    found
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r')
}

fn set_value(object: &PhpObject, text: &[u8]) {
    let Some((document, id)) = object
        .native::<TokenList>()
        .and_then(|list| list.element.as_ref())
        .map(|(document, id)| (Document::clone(document), *id))
    else {
        return;
    };
    document.write().set_attribute(id, b"class", text);
}

/// Writes the classes back; an element without the attribute gets none for nothing.
fn store(object: &PhpObject, tokens: &[Vec<u8>]) {
    let has_attribute = object.native::<TokenList>().is_some_and(|list| {
        let Some((document, id)) = &list.element else {
            return false;
        };
        document.read().attribute_in(*id, None, b"class").is_some()
    });
    if has_attribute || !tokens.is_empty() {
        set_value(object, &tokens.join(&b' '));
    }
}

/// Throws for a text that is no token.
fn check(vm: &mut Vm, token: &[u8]) -> PhpResult<()> {
    if token.is_empty() {
        let text = "The empty string is not a valid token";
        return Err(throw_text(vm, Problem::Syntax, text));
    }
    if token.iter().any(is_blank) {
        let text = "The token must not contain any ASCII whitespace";
        return Err(throw_text(vm, Problem::InvalidCharacter, text));
    }
    Ok(())
}

/// A token that a call is given.
fn token(call: &mut Call<'_>, index: usize) -> PhpResult<Vec<u8>> {
    let token = call.bytes(index);
    if token.contains(&0) {
        return Err(call.value_error(index, "must not contain any null bytes"));
    }
    Ok(token.to_vec())
}

/// The tokens that a call is given.
fn given(call: &mut Call<'_>) -> PhpResult<Vec<Vec<u8>>> {
    let mut tokens = Vec::new();
    for index in 0..call.count() {
        tokens.push(token(call, index)?);
    }
    for token in &tokens {
        check(call.vm, token)?;
    }
    Ok(tokens)
}

pub(super) fn item(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, place) = (crate::spl::this(call), call.long(0));
    Ok(at(call.vm, &object, place))
}

fn at(vm: &mut Vm, object: &PhpObject, place: i64) -> Value {
    let found = usize::try_from(place)
        .ok()
        .and_then(|place| tokens(object).into_iter().nth(place));
    found.map_or(Value::NULL, |token| vm.string(token).into())
}

pub(super) fn contains(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let token = token(call, 0)?;
    Ok(tokens(&object).contains(&token).into())
}

pub(super) fn add(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let new = given(call)?;
    let mut known = tokens(&object);
    for token in new {
        if !known.contains(&token) {
            known.push(token);
        }
    }
    store(&object, &known);
    Ok(Value::NULL)
}

pub(super) fn remove(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let gone = given(call)?;
    let mut known = tokens(&object);
    known.retain(|token| !gone.contains(token));
    store(&object, &known);
    Ok(Value::NULL)
}

pub(super) fn toggle(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let token = token(call, 0)?;
    check(call.vm, &token)?;
    let force = call.has(1).then(|| call.bool(1));
    let mut known = tokens(&object);
    if let Some(place) = known.iter().position(|known| *known == token) {
        if force == Some(true) {
            return Ok(true.into());
        }
        known.remove(place);
        store(&object, &known);
        return Ok(false.into());
    }
    if force == Some(false) {
        return Ok(false.into());
    }
    known.push(token);
    store(&object, &known);
    Ok(true.into())
}

pub(super) fn replace(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let (old, new) = (token(call, 0)?, token(call, 1)?);
    for token in [&old, &new] {
        if token.is_empty() {
            check(call.vm, token)?;
        }
    }
    for token in [&old, &new] {
        check(call.vm, token)?;
    }
    let mut known = tokens(&object);
    if !known.contains(&old) {
        return Ok(false.into());
    }
    // The new token takes the place of whichever of both comes first.
    let mut is_placed = false;
    known.retain_mut(|token| {
        if *token != old && *token != new {
            return true;
        }
        token.clone_from(&new);
        !std::mem::replace(&mut is_placed, true)
    });
    store(&object, &known);
    Ok(true.into())
}

pub(super) fn supports(call: &mut Call<'_>) -> PhpResult<Value> {
    token(call, 0)?;
    let message = "Attribute \"class\" does not define any supported tokens";
    Err(call.vm.throw_error(KnownClass::TypeError, message))
}

pub(super) fn count(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(tokens(&crate::spl::this(call)).len().into())
}

/// A walk over the tokens.
struct Walk {
    list: ObjectHandle,
    place: usize,
}

impl NativeIterator for Walk {
    fn current(&mut self, vm: &mut Vm) -> PhpResult<Value> {
        Ok(at(vm, &self.list, self.place as i64))
    }

    fn key(&mut self, _vm: &mut Vm) -> PhpResult<Value> {
        Ok(self.place.into())
    }

    fn next(&mut self, _vm: &mut Vm) -> PhpResult<()> {
        self.place += 1;
        Ok(())
    }

    fn valid(&mut self, _vm: &mut Vm) -> PhpResult<bool> {
        Ok(self.place < tokens(&self.list).len())
    }

    fn rewind(&mut self, _vm: &mut Vm) -> PhpResult<()> {
        self.place = 0;
        Ok(())
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        visitor(&Zval::from_object(self.list.as_ptr()));
    }
}

pub(super) fn get_iterator(call: &mut Call<'_>) -> PhpResult<Value> {
    let list = crate::spl::this(call);
    Ok(internal_iterator(call.vm, Box::new(Walk { list, place: 0 }))?.into())
}

/// `$list[$offset]`
fn element(
    vm: &mut Vm,
    object: &ObjectHandle,
    offset: &Zval,
    is_question: bool,
) -> PhpResult<Value> {
    let place = match offset.view() {
        ValueKind::String(text) => match vm_runtime::array::integer_key(text.as_bytes()) {
            Some(place) => place,
            None => return Err(bad_offset(vm, offset, is_question)),
        },
        ValueKind::Array(_) | ValueKind::Object(_) => {
            return Err(bad_offset(vm, offset, is_question));
        }
        ValueKind::Double(number) => crate::dom::lists::whole_offset(vm, number)?,
        _ => offset.to_long(vm),
    };
    vm.check()?;
    Ok(at(vm, object, place))
}

fn bad_offset(vm: &mut Vm, offset: &Zval, is_question: bool) -> Thrown {
    crate::dom::lists::bad_offset(vm, offset, "Dom\\TokenList", is_question)
}

/// What the lists do in their own way.
pub(super) const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(properties::debug_info),
    properties_by_code: Some(&PropertyHandlers {
        read: |vm, object, name, _| {
            Ok(match name.as_bytes() {
                b"length" => Some(tokens(object).len().into()),
                b"value" => {
                    let text = value(object);
                    Some(vm.string(text).into())
                }
                _ => None,
            })
        },
        write: |vm, object, name, value| match name.as_bytes() {
            b"value" => {
                let text = to_string(vm, value)?;
                set_value(object, &text);
                Ok(true)
            }
            b"length" => {
                let message = "Cannot modify readonly property Dom\\TokenList::$length";
                Err(vm.throw_error(KnownClass::Error, message))
            }
            _ => Ok(false),
        },
        has: |vm, object, name, question| {
            Ok(match name.as_bytes() {
                b"length" => Some(question != Question::NotEmpty || !tokens(object).is_empty()),
                b"value" => {
                    let text: Value = vm.string(value(object)).into();
                    Some(question != Question::NotEmpty || to_bool(&text))
                }
                _ => None,
            })
        },
        unset: properties::unset,
    }),
    elements: Some(&ElementHandlers {
        get: |vm, object, offset, _| match offset {
            Some(offset) => element(vm, object, offset, false),
            None => Err(vm.throw_error(KnownClass::Error, "Cannot append to Dom\\TokenList")),
        },
        set: |vm, object, _, _| Err(crate::dom::lists::not_writable(vm, object)),
        exists: |vm, object, offset, is_for_empty| {
            let found = element(vm, object, offset, true)?;
            Ok(if is_for_empty {
                to_bool(&found)
            } else {
                !found.is_null()
            })
        },
        unset: |vm, object, _| Err(crate::dom::lists::not_writable(vm, object)),
    }),
    ..NativeHandlers::STANDARD
};
