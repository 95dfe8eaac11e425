//! CachingIterator and RecursiveCachingIterator: one element ahead.

use vm_runtime::class::{Fetched, NativeClass, NativeHandlers, Step, method};
use vm_runtime::function::Call;
use vm_runtime::interpreter::array_keys::{KeyUse, array_key};
use vm_runtime::object::PhpObject;
use vm_runtime::operators::{to_bool, to_string};
use vm_runtime::value::{ArrayHandle, ObjectHandle, StringHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::dual::{
    HANDLERS, dual, element, fetch, go_on, inner, inner_rewind, inner_valid, set_inner,
};
use super::filter::make;
use crate::spl::{this, throw};

const CALL_TOSTRING: i64 = 1;
const CATCH_GET_CHILD: i64 = 16;
const TOSTRING_USE_KEY: i64 = 2;
const TOSTRING_USE_CURRENT: i64 = 4;
const TOSTRING_USE_INNER: i64 = 8;
const FULL_CACHE: i64 = 256;
const STRING_FLAGS: i64 =
    CALL_TOSTRING | TOSTRING_USE_KEY | TOSTRING_USE_CURRENT | TOSTRING_USE_INNER;

/// What a caching iterator knows besides its element.
#[derive(Default)]
pub(super) struct Caching {
    valid: bool,
    text: Option<StringHandle>,
    children: Option<Value>,
    cache: Option<ArrayHandle>,
}

impl Caching {
    /// Values it owns, for the cycle collector.
    pub(super) fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        if let Some(children) = &self.children {
            visitor(children.as_zval());
        }
        if let Some(cache) = &self.cache {
            visitor(&Zval::from_any_array(cache.as_ptr()));
        }
    }
}

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class CachingIterator extends IteratorIterator implements ArrayAccess, Countable, Stringable")
        .constants(&[
            "int CALL_TOSTRING = 1",
            "int CATCH_GET_CHILD = 16",
            "int TOSTRING_USE_KEY = 2",
            "int TOSTRING_USE_CURRENT = 4",
            "int TOSTRING_USE_INNER = 8",
            "int FULL_CACHE = 256",
        ])
        .handlers(&NativeHandlers {
            fetch: Some(fetch_for_loop),
            ..HANDLERS
        })
        .methods(&[
            method("public function __construct(Iterator $iterator, int $flags = CachingIterator::CALL_TOSTRING)", construct),
            method("tentative public function rewind(): void", |call| {
                let object = this(call);
                inner_rewind(call.vm, &object)?;
                let fresh = call.vm.new_array();
                drop(dual(&object).caching.cache.replace(fresh));
                step(call.vm, &object)?;
                Ok(Value::NULL)
            }),
            method("tentative public function valid(): bool", |call| {
                let object = this(call);
                inner(call.vm, &object)?;
                Ok(dual(&object).caching.valid.into())
            }),
            method("tentative public function next(): void", |call| {
                let object = this(call);
                inner(call.vm, &object)?;
                step(call.vm, &object)?;
                Ok(Value::NULL)
            }),
            method("tentative public function hasNext(): bool", |call| {
                let object = this(call);
                let inner = inner(call.vm, &object)?;
                Ok(inner_valid(call.vm, &inner)?.into())
            }),
            method("public function __toString(): string", to_text),
            method("tentative public function getFlags(): int", |call| {
                let object = this(call);
                inner(call.vm, &object)?;
                Ok(dual(&object).flags.into())
            }),
            method("tentative public function setFlags(int $flags): void", set_flags),
            method("tentative public function offsetGet($key): mixed", |call| {
                let (object, key) = (this(call), call.undeclared_string(0)?);
                need_cache(call.vm, &object)?;
                let found = cache(&object).and_then(|cache| {
                    let key = vm_runtime::array::integer_key(key.as_bytes())
                        .map_or(vm_runtime::array::KeyRef::String(&key), vm_runtime::array::KeyRef::Long);
                    cache.get(key).map(Value::share)
                });
                if found.is_none() {
                    call.vm.warning(format!("Undefined array key \"{}\"", key.to_text()));
                    call.vm.check()?;
                }
                Ok(found.unwrap_or(Value::NULL))
            }),
            method("tentative public function offsetSet($key, mixed $value): void", |call| {
                let (object, key, value) = (this(call), call.undeclared_string(0)?, call.value(1));
                need_cache(call.vm, &object)?;
                if let Some(cache) = &mut dual(&object).caching.cache {
                    cache.make_mut(call.vm).set_symbol(&key, value);
                }
                Ok(Value::NULL)
            }),
            method("tentative public function offsetUnset($key): void", |call| {
                let (object, key) = (this(call), call.undeclared_string(0)?);
                need_cache(call.vm, &object)?;
                if let Some(cache) = &mut dual(&object).caching.cache {
                    let cache = cache.make_mut(call.vm);
                    match vm_runtime::array::integer_key(key.as_bytes()) {
                        Some(number) => cache.remove_long(number),
                        None => cache.remove_string(&key),
                    };
                }
                Ok(Value::NULL)
            }),
            method("tentative public function offsetExists($key): bool", |call| {
                let (object, key) = (this(call), call.undeclared_string(0)?);
                need_cache(call.vm, &object)?;
                let found = cache(&object).is_some_and(|cache| {
                    let key = vm_runtime::array::integer_key(key.as_bytes())
                        .map_or(vm_runtime::array::KeyRef::String(&key), vm_runtime::array::KeyRef::Long);
                    cache.get(key).is_some()
                });
                Ok(found.into())
            }),
            method("tentative public function getCache(): array", |call| {
                let object = this(call);
                need_cache(call.vm, &object)?;
                match cache(&object) {
                    Some(cache) => Ok(cache.into()),
                    None => Ok(call.vm.new_array().into()),
                }
            }),
            method("tentative public function count(): int", |call| {
                let object = this(call);
                need_cache(call.vm, &object)?;
                Ok(Value::from(cache(&object).map_or(0, |cache| cache.len())))
            }),
        ]),
    &NativeClass::new("class RecursiveCachingIterator extends CachingIterator implements RecursiveIterator")
        .methods(&[
            method("#[Unchecked(1, 2)] public function __construct(Iterator $iterator, int $flags = RecursiveCachingIterator::CALL_TOSTRING)", |call| {
                let recursive = call.vm.linked_class(b"recursiveiterator");
                let given = call.value(0).object();
                let is_recursive = given.is_some_and(|given| {
                    recursive.is_some_and(|recursive| given.class().is_subclass_of(recursive))
                });
                if !is_recursive {
                    let given = vm_runtime::operators::value_name(call.argument(0));
                    return Err(call.type_error(0, &format!("must be of type RecursiveIterator, {given} given")));
                }
                call.check_from(1)?;
                construct(call)
            }),
            method("tentative public function hasChildren(): bool", |call| {
                let object = this(call);
                inner(call.vm, &object)?;
                Ok(dual(&object).caching.children.is_some().into())
            }),
            method("tentative public function getChildren(): ?RecursiveCachingIterator", |call| {
                let object = this(call);
                inner(call.vm, &object)?;
                Ok(dual(&object).caching.children.clone().unwrap_or(Value::NULL))
            }),
        ]),
];

/// What a loop fetches.
fn fetch_for_loop(
    vm: &mut Vm,
    object: &ObjectHandle,
    goes_on: bool,
    wants_key: bool,
) -> PhpResult<Option<Fetched>> {
    if goes_on {
        go_on(vm, object)?;
        if !dual(object).caching.valid {
            return Ok(None);
        }
    }
    element(object, false, wants_key)
}

fn cache(object: &PhpObject) -> Option<ArrayHandle> {
    dual(object).caching.cache.clone()
}

/// At most one way to convert to a string.
fn check_flags(flags: i64) -> bool {
    (flags & STRING_FLAGS).count_ones() <= 1
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, inner, flags) = (this(call), call.object(0), call.long(1));
    if !check_flags(flags) {
        return Err(call.value_error(
            1,
            "must contain only one of CachingIterator::CALL_TOSTRING, CachingIterator::TOSTRING_USE_KEY, CachingIterator::TOSTRING_USE_CURRENT, or CachingIterator::TOSTRING_USE_INNER",
        ));
    }
    set_inner(call, &object, inner)?;
    let fresh = call.vm.new_array();
    let dual = dual(&object);
    dual.flags = flags & 0xffff;
    drop(dual.caching.cache.replace(fresh));
    Ok(Value::NULL)
}

/// Takes the inner iterator's element and moves the inner iterator on.
fn step(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<()> {
    let caching = &mut dual(object).caching;
    let old = (caching.text.take(), caching.children.take());
    drop(old);
    if !fetch(vm, object, true)? {
        dual(object).caching.valid = false;
        return Ok(());
    }
    dual(object).caching.valid = true;
    let flags = dual(object).flags;
    let current = dual(object)
        .current
        .as_ref()
        .map(|(value, key)| (value.clone(), key.clone()));
    let Some((value, key)) = current else {
        return Ok(());
    };
    if flags & FULL_CACHE != 0 {
        let key = array_key(vm, &key, KeyUse::Access)?.to_key();
        if let Some(cache) = &mut dual(object).caching.cache {
            cache.make_mut(vm).set(key.as_ref(), value.clone());
        }
    }
    let inner = inner(vm, object)?;
    if is_recursive(vm, object) {
        match recurse(vm, object, &inner, flags) {
            Ok(children) => {
                let old = std::mem::replace(&mut dual(object).caching.children, children);
                drop(old);
            }
            Err(Thrown) if flags & CATCH_GET_CHILD != 0 => drop(vm.take_exception()),
            Err(Thrown) => return Err(Thrown),
        }
    }
    if flags & (CALL_TOSTRING | TOSTRING_USE_INNER) != 0 {
        let text = if flags & TOSTRING_USE_INNER != 0 {
            let inner = Value::from(inner.clone());
            to_string(vm, &inner)?
        } else {
            to_string(vm, &value)?
        };
        dual(object).caching.text = Some(text);
    }
    vm.call_iterator(&inner, Step::Next)?;
    dual(object).position += 1;
    Ok(())
}

fn is_recursive(vm: &mut Vm, object: &PhpObject) -> bool {
    let class = vm.linked_class(b"recursivecachingiterator");
    class.is_some_and(|class| object.class().is_subclass_of(class))
}

fn recurse(
    vm: &mut Vm,
    object: &PhpObject,
    inner: &ObjectHandle,
    flags: i64,
) -> PhpResult<Option<Value>> {
    let has = vm.call_method(inner, b"haschildren", Vec::new())?;
    if !to_bool(&has) {
        return Ok(None);
    }
    let children = vm.call_method(inner, b"getchildren", Vec::new())?;
    make(vm, object, vec![children, flags.into()]).map(Some)
}

fn to_text(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    inner(call.vm, &object)?;
    let flags = dual(&object).flags;
    if flags & STRING_FLAGS == 0 {
        let class = object.class().display_name();
        return Err(throw(
            call.vm,
            "BadMethodCallException",
            &format!("{class} does not fetch string value (see CachingIterator::__construct)"),
        ));
    }
    let current = dual(&object)
        .current
        .as_ref()
        .map(|(value, key)| (value.clone(), key.clone()));
    if flags & TOSTRING_USE_KEY != 0 {
        let key = current.map_or(Value::NULL, |(_, key)| key);
        return Ok(to_string(call.vm, &key)?.into());
    }
    if flags & TOSTRING_USE_CURRENT != 0 {
        let value = current.map_or(Value::NULL, |(value, _)| value);
        return Ok(to_string(call.vm, &value)?.into());
    }
    match dual(&object).caching.text.clone() {
        Some(text) => Ok(text.into()),
        None => Ok(call.vm.string("").into()),
    }
}

fn set_flags(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, flags) = (this(call), call.long(0));
    inner(call.vm, &object)?;
    if !check_flags(flags) {
        return Err(call.value_error(
            0,
            "must contain only one of CachingIterator::CALL_TOSTRING, CachingIterator::TOSTRING_USE_KEY, CachingIterator::TOSTRING_USE_CURRENT, or CachingIterator::TOSTRING_USE_INNER",
        ));
    }
    let before = dual(&object).flags;
    if before & CALL_TOSTRING != 0 && flags & CALL_TOSTRING == 0 {
        return Err(throw(
            call.vm,
            "InvalidArgumentException",
            "Unsetting flag CALL_TO_STRING is not possible",
        ));
    }
    if before & TOSTRING_USE_INNER != 0 && flags & TOSTRING_USE_INNER == 0 {
        return Err(throw(
            call.vm,
            "InvalidArgumentException",
            "Unsetting flag TOSTRING_USE_INNER is not possible",
        ));
    }
    if flags & FULL_CACHE != 0 && before & FULL_CACHE == 0 {
        let fresh = call.vm.new_array();
        drop(dual(&object).caching.cache.replace(fresh));
    }
    dual(&object).flags = flags & 0xffff;
    Ok(Value::NULL)
}

fn need_cache(vm: &mut Vm, object: &PhpObject) -> PhpResult<()> {
    inner(vm, object)?;
    if dual(object).flags & FULL_CACHE != 0 {
        return Ok(());
    }
    let class = object.class().display_name();
    Err(throw(
        vm,
        "BadMethodCallException",
        &format!("{class} does not use a full cache (see CachingIterator::__construct)"),
    ))
}
