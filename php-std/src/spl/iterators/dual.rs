//! IteratorIterator and what all iterators around another one have in common.

use std::any::Any;

use vm_runtime::class::{Class, Fetched, NativeClass, NativeHandlers, Step, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::interpreter::generators::check_iterable;
use vm_runtime::interpreter::iteration::{fetch_element, iterator_of};
use vm_runtime::object::{NativeData, PhpObject};
use vm_runtime::operators::to_bool;
use vm_runtime::value::{ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use crate::spl::{this, throw};

/// The native part: the inner iterator and the element it last gave.
#[derive(Default)]
pub(super) struct Dual {
    /// Holds the object number of what PHP makes to go through the inner iterator.
    pub(super) number: Option<ObjectHandle>,
    pub(super) inner: Option<ObjectHandle>,
    /// Current value and key.
    pub(super) current: Option<(Value, Value)>,
    /// Elements passed since the last rewind.
    pub(super) position: i64,
    /// LimitIterator: offset and count.
    pub(super) limits: (i64, i64),
    /// Flags of CachingIterator, RegexIterator.
    pub(super) flags: i64,
    /// The callback of CallbackFilterIterator, the pattern of RegexIterator.
    pub(super) argument: Option<Value>,
    /// What CachingIterator knows besides.
    pub(super) caching: super::caching::Caching,
    /// What RegexIterator knows besides.
    pub(super) regex: super::regex::Regex,
    /// As `number`, for `list`.
    pub(super) list_number: Option<ObjectHandle>,
    /// AppendIterator: the ArrayIterator of its iterators.
    pub(super) list: Option<ObjectHandle>,
}

impl NativeData for Dual {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        let objects = [&self.number, &self.inner, &self.list_number, &self.list];
        for object in objects.into_iter().flatten() {
            visitor(&Zval::from_object(object.as_ptr()));
        }
        if let Some((value, key)) = &self.current {
            visitor(value.as_zval());
            visitor(key.as_zval());
        }
        if let Some(argument) = &self.argument {
            visitor(argument.as_zval());
        }
        self.caching.visit(visitor);
    }
}

pub(super) fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::<Dual>::default())
}

pub(super) const FLAGS: u32 = class_flags::NOT_CLONEABLE;

pub(super) fn dual(object: &PhpObject) -> &mut Dual {
    object.native::<Dual>().expect("made with the object")
}

/// The inner iterator; an error if the constructor was not called.
pub(super) fn inner(vm: &mut Vm, object: &PhpObject) -> PhpResult<ObjectHandle> {
    match &dual(object).inner {
        Some(inner) => Ok(inner.clone()),
        None => Err(uninitialised(vm)),
    }
}

#[cold]
pub(super) fn uninitialised(vm: &mut Vm) -> Thrown {
    vm.throw_error(
        KnownClass::Error,
        "The object is in an invalid state as the parent constructor was not called",
    )
}

/// Notes the inner iterator, once.
pub(super) fn set_inner(
    call: &mut Call<'_>,
    object: &PhpObject,
    inner: ObjectHandle,
) -> PhpResult<()> {
    if dual(object).inner.is_some() {
        let class = object.class().display_name();
        return Err(throw(
            call.vm,
            "BadMethodCallException",
            &format!("{class}::getIterator() must be called exactly once per instance"),
        ));
    }
    check_iterable(call.vm, &inner)?;
    let number = number(call.vm);
    let dual = dual(object);
    dual.number = Some(number);
    dual.inner = Some(inner);
    Ok(())
}

/// An object that nobody sees: PHP goes through an iterator with one that has a number.
pub(super) fn number(vm: &mut Vm) -> ObjectHandle {
    let class = vm.class_of(KnownClass::StdClass);
    PhpObject::allocate(vm, class)
}

pub(super) fn inner_valid(vm: &mut Vm, inner: &ObjectHandle) -> PhpResult<bool> {
    let valid = vm.call_iterator(inner, Step::Valid)?;
    Ok(to_bool(&valid))
}

/// Forgets the current element.
pub(super) fn forget(object: &PhpObject) {
    let old = dual(object).current.take();
    drop(old);
}

/// Takes the inner iterator's element, if it has one.
pub(super) fn fetch(vm: &mut Vm, object: &PhpObject, check: bool) -> PhpResult<bool> {
    forget(object);
    let inner = inner(vm, object)?;
    if check && !inner_valid(vm, &inner)? {
        return Ok(false);
    }
    let fetched = fetch_element(vm, &inner, false, true)?;
    Ok(keep(object, fetched))
}

/// Takes the inner iterator's next element, if it has one.
pub(super) fn fetch_next(vm: &mut Vm, object: &PhpObject) -> PhpResult<bool> {
    forget(object);
    let inner = inner(vm, object)?;
    let fetched = fetch_element(vm, &inner, true, true)?;
    Ok(keep(object, fetched))
}

/// What a reference leads to.
fn plain(value: Value) -> Value {
    match value.as_zval().is_reference() {
        true => Value::share(value.as_zval()),
        false => value,
    }
}

/// Keeps an element as the current one. False if there is none.
fn keep(object: &PhpObject, fetched: Option<Fetched>) -> bool {
    let Some((value, key)) = fetched else {
        return false;
    };
    let current = (plain(value), key.unwrap_or(Value::NULL));
    let old = dual(object).current.replace(current);
    drop(old);
    true
}

/// The current element for a loop: where it goes on, None is its end.
pub(super) fn element(
    object: &PhpObject,
    goes_on: bool,
    wants_key: bool,
) -> PhpResult<Option<Fetched>> {
    Ok(match &dual(object).current {
        Some((value, key)) => Some((value.clone(), wants_key.then(|| key.clone()))),
        None if goes_on => None,
        None => Some((Value::NULL, wants_key.then_some(Value::NULL))),
    })
}

/// What a loop fetches: only `next()` has something to do, which is a call to traces.
fn fetch_for_loop(
    vm: &mut Vm,
    object: &ObjectHandle,
    goes_on: bool,
    wants_key: bool,
) -> PhpResult<Option<Fetched>> {
    if goes_on {
        go_on(vm, object)?;
    }
    element(object, goes_on, wants_key)
}

/// Calls `next()`.
pub(super) fn go_on(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<()> {
    let next = object.class().magic.iterator[Step::Next as usize];
    vm.call_plain_method(next, object, []).map(drop)
}

pub(super) const HANDLERS: NativeHandlers = NativeHandlers {
    delegate: Some(|object| match &dual(object).inner {
        Some(inner) => inner.as_ptr(),
        None => std::ptr::null_mut(),
    }),
    fetch: Some(fetch_for_loop),
    ..NativeHandlers::STANDARD
};

pub(super) fn inner_rewind(vm: &mut Vm, object: &PhpObject) -> PhpResult<()> {
    forget(object);
    dual(object).position = 0;
    let inner = inner(vm, object)?;
    vm.call_iterator(&inner, Step::Rewind).map(drop)
}

pub(super) fn inner_next(vm: &mut Vm, object: &PhpObject) -> PhpResult<()> {
    forget(object);
    let inner = inner(vm, object)?;
    vm.call_iterator(&inner, Step::Next)?;
    dual(object).position += 1;
    Ok(())
}

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class IteratorIterator implements OuterIterator")
        .flags(FLAGS)
        .create_native(create)
        .handlers(&HANDLERS)
        .methods(&[
            method(
                "public function __construct(Traversable $iterator, ?string $class = null)",
                construct,
            ),
            method(
                "tentative public function getInnerIterator(): ?Iterator",
                get_inner,
            ),
            method("tentative public function rewind(): void", |call| {
                let object = this(call);
                inner_rewind(call.vm, &object)?;
                fetch(call.vm, &object, true)?;
                Ok(Value::NULL)
            }),
            method("tentative public function valid(): bool", valid),
            method("tentative public function key(): mixed", key),
            method("tentative public function current(): mixed", current),
            method("tentative public function next(): void", |call| {
                let object = this(call);
                fetch_next(call.vm, &object)?;
                Ok(Value::NULL)
            }),
        ]),
    &NativeClass::new("class NoRewindIterator extends IteratorIterator")
        .handlers(&NativeHandlers {
            // Each step is one of the inner iterator's.
            fetch: None,
            ..HANDLERS
        })
        .methods(&[
            method(
                "public function __construct(Iterator $iterator)",
                construct_plain,
            ),
            method("tentative public function rewind(): void", |_| {
                Ok(Value::NULL)
            }),
            method("tentative public function valid(): bool", |call| {
                let object = this(call);
                let inner = inner(call.vm, &object)?;
                Ok(inner_valid(call.vm, &inner)?.into())
            }),
            method("tentative public function key(): mixed", |call| {
                pass(call, Step::Key)
            }),
            method("tentative public function current(): mixed", |call| {
                pass(call, Step::Current)
            }),
            method("tentative public function next(): void", |call| {
                pass(call, Step::Next)?;
                Ok(Value::NULL)
            }),
        ]),
    &NativeClass::new("class InfiniteIterator extends IteratorIterator").methods(&[
        method(
            "public function __construct(Iterator $iterator)",
            construct_plain,
        ),
        method("tentative public function next(): void", |call| {
            let object = this(call);
            go_round(call.vm, &object)?;
            Ok(Value::NULL)
        }),
    ]),
    &NativeClass::new("class EmptyIterator implements Iterator").methods(&[
        method("tentative public function current(): never", |call| {
            Err(throw(
                call.vm,
                "BadMethodCallException",
                "Accessing the value of an EmptyIterator",
            ))
        }),
        method("tentative public function next(): void", |_| {
            Ok(Value::NULL)
        }),
        method("tentative public function key(): never", |call| {
            Err(throw(
                call.vm,
                "BadMethodCallException",
                "Accessing the key of an EmptyIterator",
            ))
        }),
        method("tentative public function valid(): false", |_| {
            Ok(false.into())
        }),
        method("tentative public function rewind(): void", |_| {
            Ok(Value::NULL)
        }),
    ]),
];

/// Goes on, behind the last element to the first one.
fn go_round(vm: &mut Vm, object: &PhpObject) -> PhpResult<()> {
    if !fetch_next(vm, object)? {
        inner_rewind(vm, object)?;
        fetch(vm, object, true)?;
    }
    Ok(())
}

/// Hands a call on to the inner iterator.
fn pass(call: &mut Call<'_>, step: Step) -> PhpResult<Value> {
    let object = this(call);
    let inner = inner(call.vm, &object)?;
    call.vm.call_iterator(&inner, step)
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, given) = (this(call), call.object(0));
    let traversable = given.clone();
    let is_iterator = {
        let iterator = call.vm.known_class(KnownClass::Iterator);
        given.class().is_subclass_of(iterator)
    };
    let inner = if is_iterator {
        traversable
    } else {
        iterator_of(call.vm, &given)?
    };
    set_inner(call, &object, inner)?;
    Ok(Value::NULL)
}

/// A constructor that takes an Iterator.
pub(super) fn construct_plain(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, inner) = (this(call), call.object(0));
    set_inner(call, &object, inner)?;
    Ok(Value::NULL)
}

pub(super) fn get_inner(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    Ok(inner(call.vm, &object)?.into())
}

pub(super) fn valid(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    inner(call.vm, &object)?;
    Ok(dual(&object).current.is_some().into())
}

pub(super) fn key(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    inner(call.vm, &object)?;
    Ok(dual(&object)
        .current
        .as_ref()
        .map_or(Value::NULL, |(_, key)| Value::share(key)))
}

pub(super) fn current(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    inner(call.vm, &object)?;
    Ok(dual(&object)
        .current
        .as_ref()
        .map_or(Value::NULL, |(value, _)| Value::share(value)))
}
