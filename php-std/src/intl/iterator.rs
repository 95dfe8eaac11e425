//! The class `IntlIterator`: names one after the other, or parts of a text (`IntlPartsIterator`).

use std::any::Any;

use vm_runtime::class::{Class, NativeClass, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::object::{NativeData, new_object};
use vm_runtime::value::{ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::text;

/// The names, and which of them is the current one.
#[derive(Default)]
struct State {
    names: Vec<String>,
    at: usize,
    is_made: bool,
    /// The keys of parts; names are numbered.
    keys: Vec<i64>,
    /// The break iterator whose parts these are, which goes with the loop, and the kind of their keys.
    source: Option<(ObjectHandle, i64)>,
}

impl State {
    fn go(&mut self, at: usize) {
        self.at = at;
        if let Some((source, _)) = &self.source {
            super::breaks::parts::stand_behind(source, at);
        }
    }

    /// Begins again, with the text that a break iterator has by now.
    fn rewind(&mut self) {
        if let Some((source, kind)) = &self.source {
            (self.keys, self.names) = super::breaks::parts::keyed(source, *kind);
        }
        self.go(0);
    }
}

impl NativeData for State {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Some((source, _)) = &self.source {
            visitor(&Zval::from_object(source.as_ptr()));
        }
    }
}

fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::<State>::default())
}

pub(super) static CLASSES: &[&NativeClass] =
    &[&NativeClass::new("class IntlIterator implements Iterator")
        .flags(class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE)
        .create_native(create)
        .methods(&[
            method("tentative public function current(): mixed", current),
            method("tentative public function key(): mixed", key),
            method("tentative public function next(): void", |call| {
                let state = state(call)?;
                state.go(state.at.wrapping_add(1));
                Ok(Value::NULL)
            }),
            method("tentative public function rewind(): void", |call| {
                state(call)?.rewind();
                Ok(Value::NULL)
            }),
            method("tentative public function valid(): bool", |call| {
                let state = state(call)?;
                Ok((state.at < state.names.len()).into())
            }),
        ])];

/// An iterator over names.
pub(super) fn over(vm: &mut Vm, names: Vec<String>) -> PhpResult<Value> {
    let class = vm
        .linked_class(b"intliterator")
        .unwrap_or(std::ptr::null_mut());
    let object = new_object(vm, class)?;
    if let Some(state) = object.native::<State>() {
        state.names = names;
        state.is_made = true;
    }
    Ok(object.into())
}

/// An iterator over parts of a text, which stands in front of the first one.
pub(super) fn over_parts(vm: &mut Vm, source: ObjectHandle, kind: i64) -> PhpResult<Value> {
    let class = vm
        .linked_class(b"intlpartsiterator")
        .unwrap_or(std::ptr::null_mut());
    let object = new_object(vm, class)?;
    if let Some(state) = object.native::<State>() {
        (state.at, state.is_made) = (usize::MAX, true);
        state.source = Some((source, kind));
    }
    Ok(object.into())
}

/// The break iterator whose parts are looped over.
pub(super) fn source(call: &mut Call<'_>) -> PhpResult<Option<ObjectHandle>> {
    let source = state(call)?.source.as_ref();
    Ok(source.map(|(source, _)| source.clone()))
}

fn state<'c>(call: &mut Call<'c>) -> PhpResult<&'c mut State> {
    let object = crate::spl::this(call);
    // SAFETY: I3: the frame keeps the object, and with it its native part, while the method runs.
    let state = unsafe { (*object.as_ptr()).native::<State>() };
    match state.filter(|state| state.is_made) {
        Some(state) => Ok(state),
        None => {
            let message = "Found unconstructed IntlIterator";
            Err(call.vm.throw_error(KnownClass::Error, message))
        }
    }
}

fn current(call: &mut Call<'_>) -> PhpResult<Value> {
    let state = state(call)?;
    match state.names.get(state.at) {
        Some(name) => text(call.vm, name),
        None => Ok(Value::NULL),
    }
}

fn key(call: &mut Call<'_>) -> PhpResult<Value> {
    let state = state(call)?;
    match state.at < state.names.len() {
        true => Ok(state
            .keys
            .get(state.at)
            .copied()
            .unwrap_or(state.at as i64)
            .into()),
        false => Ok(Value::NULL),
    }
}
