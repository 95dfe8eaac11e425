//! InternalIterator: the iterator that `getIterator()` of a native class gives.

use std::any::Any;

use crate::class::{NativeClass, method};
use crate::exceptions::KnownClass;
use crate::function::{Call, class_flags};
use crate::object::{NativeData, new_object};
use crate::value::{ObjectHandle, Value, Zval};
use crate::vm::{PhpResult, Vm};

/// What a native class iterates over.
pub trait NativeIterator {
    /// The present element.
    fn current(&mut self, vm: &mut Vm) -> PhpResult<Value>;
    /// Its key.
    fn key(&mut self, vm: &mut Vm) -> PhpResult<Value>;
    /// Goes on.
    fn next(&mut self, vm: &mut Vm) -> PhpResult<()>;
    /// Whether there is a present element.
    fn valid(&mut self, vm: &mut Vm) -> PhpResult<bool>;
    /// Goes back to the first element.
    fn rewind(&mut self, vm: &mut Vm) -> PhpResult<()>;
    /// Whether loops may go over references to the elements, as [`NativeIterator::reference`] gives
    /// them.
    fn gives_references(&self) -> bool {
        false
    }
    /// A reference to the present element.
    fn reference(&mut self, _vm: &mut Vm) -> Value {
        Value::NULL
    }
    /// Values it owns, for the cycle collector.
    fn visit(&self, visitor: &mut dyn FnMut(&Zval));
}

/// The native part. It is taken out while it runs.
struct Iteration(Option<Box<dyn NativeIterator>>);

impl NativeData for Iteration {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Some(iterator) = &self.0 {
            iterator.visit(visitor);
        }
    }
}

/// The class.
pub(crate) static CLASS: NativeClass =
    NativeClass::new("final class InternalIterator implements Iterator")
        .flags(class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE)
        .methods(&[
            method("private function __construct()", |_| Ok(Value::NULL)),
            method("public function current(): mixed", |call| {
                with(call, Value::NULL, |iterator, vm| iterator.current(vm))
            }),
            method("public function key(): mixed", |call| {
                with(call, Value::NULL, |iterator, vm| iterator.key(vm))
            }),
            method("public function next(): void", |call| {
                with(call, Value::NULL, |iterator, vm| {
                    iterator.next(vm).map(Value::from)
                })
            }),
            method("public function valid(): bool", |call| {
                with(call, false.into(), |iterator, vm| {
                    iterator.valid(vm).map(Value::from)
                })
            }),
            method("public function rewind(): void", |call| {
                with(call, Value::NULL, |iterator, vm| {
                    iterator.rewind(vm).map(Value::from)
                })
            }),
        ]);

/// Runs a step of the iterator; where there is none, or it is running already, gives `otherwise`.
fn with(
    call: &mut Call<'_>,
    otherwise: Value,
    step: impl FnOnce(&mut dyn NativeIterator, &mut Vm) -> PhpResult<Value>,
) -> PhpResult<Value> {
    let Some(object) = call.this() else {
        return Ok(otherwise);
    };
    let Some(mut iterator) = object.native::<Iteration>().and_then(|it| it.0.take()) else {
        return Ok(otherwise);
    };
    let result = step(&mut *iterator, call.vm);
    if let Some(iteration) = object.native::<Iteration>() {
        iteration.0 = Some(iterator);
    }
    result
}

/// True for an InternalIterator whose class has loops by reference.
pub(crate) fn gives_references(object: &ObjectHandle) -> bool {
    object
        .native::<Iteration>()
        .and_then(|iteration| iteration.0.as_ref())
        .is_some_and(|iterator| iterator.gives_references())
}

/// A reference to the element such an iterator stands at.
pub(crate) fn reference_to_element(vm: &mut Vm, object: &ObjectHandle) -> Value {
    object
        .native::<Iteration>()
        .and_then(|iteration| iteration.0.as_mut())
        .map_or(Value::NULL, |iterator| iterator.reference(vm))
}

/// An InternalIterator.
pub fn internal_iterator(
    vm: &mut Vm,
    iterator: Box<dyn NativeIterator>,
) -> PhpResult<ObjectHandle> {
    let class = vm.class_of(KnownClass::InternalIterator);
    let object = new_object(vm, class)?;
    // SAFETY: I3: the object is new and ours.
    unsafe { (*object.as_ptr()).native = Some(Box::new(Iteration(Some(iterator)))) };
    Ok(object)
}
