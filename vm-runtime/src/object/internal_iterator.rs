//! InternalIterator: the iterator that `getIterator()` of a native class gives.

use std::any::Any;

use crate::class::{Fetched, NativeClass, NativeHandlers, Step, method};
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
    /// The next element for a loop, or if it does not go on the present one, with its key if that is wanted.
    fn fetch(&mut self, vm: &mut Vm, goes_on: bool, wants_key: bool) -> PhpResult<Option<Fetched>> {
        if goes_on {
            self.next(vm)?;
            if !self.valid(vm)? {
                return Ok(None);
            }
        }
        let value = self.current(vm)?;
        let key = match wants_key {
            true => Some(self.key(vm)?),
            false => None,
        };
        Ok(Some((value, key)))
    }
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

/// The native part.
struct Iteration {
    iterator: Box<dyn NativeIterator>,
    /// It is taking a step: nobody else may look at it then.
    is_running: bool,
    /// Whoever asks before going to the first element is taken there.
    is_rewound: bool,
}

impl NativeData for Iteration {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if !self.is_running {
            self.iterator.visit(visitor);
        }
    }
}

/// The class.
pub(crate) static CLASS: NativeClass =
    NativeClass::new("final class InternalIterator implements Iterator")
        .flags(class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE)
        .handlers(&NativeHandlers {
            step: Some(step),
            fetch: Some(fetch),
            ..NativeHandlers::STANDARD
        })
        .methods(&[
            method("private function __construct()", |_| Ok(Value::NULL)),
            method("public function current(): mixed", |call| {
                take(call, Step::Current)
            }),
            method("public function key(): mixed", |call| take(call, Step::Key)),
            method("public function next(): void", |call| {
                take(call, Step::Next)
            }),
            method("public function valid(): bool", |call| {
                take(call, Step::Valid)
            }),
            method("public function rewind(): void", |call| {
                take(call, Step::Rewind)
            }),
        ]);

/// A step that a method takes.
fn take(call: &mut Call<'_>, wanted: Step) -> PhpResult<Value> {
    match call.this() {
        Some(object) => step(call.vm, &object, wanted),
        None => Ok(Value::NULL),
    }
}

/// What `act` does with the iterator, which is taken to its first element before if it has not been yet and `rewinds`.
/// Nothing where there is no iterator, or it is running already.
#[inline]
fn with_iterator<T>(
    vm: &mut Vm,
    object: &ObjectHandle,
    rewinds: bool,
    act: impl FnOnce(&mut Vm, &mut dyn NativeIterator) -> PhpResult<T>,
) -> Option<PhpResult<T>> {
    let iteration: *mut Iteration = object.native::<Iteration>()?;
    // SAFETY: I3: the handle keeps the object, and so its native part, whose iterator nobody else looks at while it is
    // running.
    let iterator = unsafe {
        if std::mem::replace(&mut (*iteration).is_running, true) {
            return None;
        }
        &mut *(*iteration).iterator
    };
    // SAFETY: as above.
    let is_rewound = unsafe { std::mem::replace(&mut (*iteration).is_rewound, true) };
    let first = match rewinds && !is_rewound {
        true => iterator.rewind(vm),
        false => Ok(()),
    };
    let result = first.and_then(|()| act(vm, iterator));
    // SAFETY: as above: it is still that of the object.
    unsafe { (*iteration).is_running = false };
    Some(result)
}

/// A step of the iterator. Where there is none, or it is running already, it stands nowhere.
fn step(vm: &mut Vm, object: &ObjectHandle, step: Step) -> PhpResult<Value> {
    let rewinds = !matches!(step, Step::Rewind);
    let taken = with_iterator(vm, object, rewinds, |vm, iterator| match step {
        Step::Rewind => iterator.rewind(vm).map(Value::from),
        Step::Valid => iterator.valid(vm).map(Value::from),
        Step::Current => iterator.current(vm),
        Step::Key => iterator.key(vm),
        Step::Next => iterator.next(vm).map(Value::from),
    });
    taken.unwrap_or(Ok(match step {
        Step::Valid => false.into(),
        _ => Value::NULL,
    }))
}

/// The next element, or if it does not go on the present one. Where there is no iterator, or it is running already,
/// there is nothing to go on to.
fn fetch(
    vm: &mut Vm,
    object: &ObjectHandle,
    goes_on: bool,
    wants_key: bool,
) -> PhpResult<Option<Fetched>> {
    if let Some(iteration) = object.native::<Iteration>()
        && !iteration.is_running
        && iteration.is_rewound
    {
        // What a loop does at each element, without what `with_iterator` prepares for the first one.
        iteration.is_running = true;
        let iteration: *mut Iteration = iteration;
        // SAFETY: I3: the handle keeps the object, and so its native part, whose iterator nobody else looks at while
        // it is running.
        unsafe {
            let fetched = (*iteration).iterator.fetch(vm, goes_on, wants_key);
            (*iteration).is_running = false;
            return fetched;
        }
    }
    let fetched = with_iterator(vm, object, true, |vm, iterator| {
        iterator.fetch(vm, goes_on, wants_key)
    });
    let nothing = (!goes_on).then(|| (Value::NULL, wants_key.then_some(Value::NULL)));
    fetched.unwrap_or(Ok(nothing))
}

/// True for an InternalIterator whose class has loops by reference.
pub(crate) fn gives_references(object: &ObjectHandle) -> bool {
    object
        .native::<Iteration>()
        .is_some_and(|iteration| !iteration.is_running && iteration.iterator.gives_references())
}

/// A reference to the element such an iterator stands at.
pub(crate) fn reference_to_element(vm: &mut Vm, object: &ObjectHandle) -> Value {
    object
        .native::<Iteration>()
        .filter(|iteration| !iteration.is_running)
        .map_or(Value::NULL, |iteration| iteration.iterator.reference(vm))
}

/// An InternalIterator.
pub fn internal_iterator(
    vm: &mut Vm,
    iterator: Box<dyn NativeIterator>,
) -> PhpResult<ObjectHandle> {
    let class = vm.class_of(KnownClass::InternalIterator);
    let object = new_object(vm, class)?;
    // SAFETY: I3: the object is new and ours.
    unsafe {
        (*object.as_ptr()).native = Some(Box::new(Iteration {
            iterator,
            is_running: false,
            is_rewound: false,
        }))
    };
    Ok(object)
}
