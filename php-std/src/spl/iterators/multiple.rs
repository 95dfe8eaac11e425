//! MultipleIterator: several iterators side by side.

use std::any::Any;

use vm_runtime::class::{ElementHandlers, NativeClass, NativeHandlers, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::interpreter::array_keys::{KeyUse, array_key};
use vm_runtime::object::{NativeData, PhpObject};
use vm_runtime::operators::to_bool;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use crate::spl::{this, throw};

const NEED_ALL: i64 = 1;
const KEYS_ASSOC: i64 = 2;

/// The native part.
struct Iterators {
    list: Vec<(ObjectHandle, Value)>,
    flags: i64,
}

impl NativeData for Iterators {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(Iterators {
            list: self.list.clone(),
            flags: self.flags,
        }))
    }

    // No two are equal.
    fn compare(&self, _vm: &mut Vm, _this: &PhpObject, _other: &PhpObject) -> Option<i32> {
        Some(1)
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        for (iterator, info) in &self.list {
            visitor(&Zval::from_object(iterator.as_ptr()));
            visitor(info.as_zval());
        }
    }
}

fn iterators(object: &PhpObject) -> &mut Iterators {
    object.native::<Iterators>().expect("made with the object")
}

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new("class MultipleIterator implements Iterator")
    .constants(&["int MIT_NEED_ANY = 0", "int MIT_NEED_ALL = 1", "int MIT_KEYS_NUMERIC = 0", "int MIT_KEYS_ASSOC = 2"])
    .create_native(|_, _| Some(Box::new(Iterators { list: Vec::new(), flags: NEED_ALL })))
    .handlers(&NativeHandlers {
        debug_info: Some(debug_info),
        elements: Some(&ELEMENTS),
        ..NativeHandlers::STANDARD
    })
    .methods(&[
        method("public function __construct(int $flags = 1)", |call| {
            let flags = call.long(0);
            iterators(&this(call)).flags = flags;
            Ok(Value::NULL)
        }),
        method("tentative public function getFlags(): int", |call| Ok(iterators(&this(call)).flags.into())),
        method("tentative public function setFlags(int $flags): void", |call| {
            let flags = call.long(0);
            iterators(&this(call)).flags = flags;
            Ok(Value::NULL)
        }),
        method("tentative public function attachIterator(Iterator $iterator, string|int|null $info = null): void", attach),
        method("tentative public function detachIterator(Iterator $iterator): void", |call| {
            let iterator = call.object(0);
            remove(&this(call), &iterator);
            Ok(Value::NULL)
        }),
        method("tentative public function containsIterator(Iterator $iterator): bool", |call| {
            let iterator = call.object(0);
            Ok(iterators(&this(call)).list.iter().any(|(found, _)| found.same(&iterator)).into())
        }),
        method("tentative public function countIterators(): int", |call| {
            Ok(Value::from(iterators(&this(call)).list.len()))
        }),
        method("tentative public function rewind(): void", |call| each(call, b"rewind")),
        method("tentative public function valid(): bool", valid),
        method("tentative public function key(): array", |call| {
            collect(call, b"key", "Called key() with non valid sub iterator")
        }),
        method("tentative public function current(): array", |call| {
            collect(call, b"current", "Called current() with non valid sub iterator")
        }),
        method("tentative public function next(): void", |call| each(call, b"next")),
        method("tentative public function __debugInfo(): array", |call| {
            let object = this(call);
            Ok(debug_info(call.vm, object.as_ptr())?.into())
        }),
    ])];

fn attach(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, iterator, info) = (this(call), call.object(0), call.value(1));
    if !info.is_null() {
        let taken =
            iterators(&object)
                .list
                .iter()
                .any(|(_, known)| match (known.view(), info.view()) {
                    (ValueKind::Long(one), ValueKind::Long(other)) => one == other,
                    (ValueKind::String(one), ValueKind::String(other)) => {
                        one.as_bytes() == other.as_bytes()
                    }
                    _ => false,
                });
        if taken {
            return Err(throw(
                call.vm,
                "InvalidArgumentException",
                "Key duplication error",
            ));
        }
    }
    put(&object, iterator, info);
    Ok(Value::NULL)
}

/// Adds an iterator, or gives it another name.
fn put(object: &PhpObject, iterator: ObjectHandle, info: Value) {
    let list = &mut iterators(object).list;
    match list.iter_mut().find(|(found, _)| found.same(&iterator)) {
        Some((_, place)) => {
            let old = std::mem::replace(place, info);
            drop(old);
        }
        None => list.push((iterator, info)),
    }
}

fn remove(object: &PhpObject, iterator: &ObjectHandle) {
    let list = &mut iterators(object).list;
    if let Some(position) = list.iter().position(|(found, _)| found.same(iterator)) {
        let removed = list.remove(position);
        drop(removed);
    }
}

/// `$several[$iterator] = $info` attaches and `unset($several[$iterator])` detaches; there is no reading.
static ELEMENTS: ElementHandlers = ElementHandlers {
    get: |vm, object, _, _| Err(no_array(vm, object)),
    set: |vm, object, offset, info| {
        let Some(iterator) = offset.and_then(|offset| Value::share(offset).object()) else {
            return Err(no_array(vm, object));
        };
        let is_iterator = match vm.linked_class(b"iterator") {
            Some(class) => iterator.class().is_subclass_of(class),
            None => false,
        };
        if !is_iterator {
            let message = "Can only attach objects that implement the Iterator interface";
            return Err(vm.throw_error(KnownClass::TypeError, message));
        }
        put(object, iterator, info.clone());
        Ok(())
    },
    exists: |vm, object, _, _| Err(no_array(vm, object)),
    unset: |vm, object, offset| match Value::share(offset).object() {
        Some(iterator) => {
            remove(object, &iterator);
            Ok(())
        }
        None => Err(no_array(vm, object)),
    },
};

fn no_array(vm: &mut Vm, object: &PhpObject) -> Thrown {
    let class = object.class().display_name();
    let message = format!("Cannot use object of type {class} as array");
    vm.throw_error(KnownClass::Error, message)
}

fn each(call: &mut Call<'_>, name: &[u8]) -> PhpResult<Value> {
    for (iterator, _) in iterators(&this(call)).list.clone() {
        call.vm.call_method(&iterator, name, Vec::new())?;
    }
    Ok(Value::NULL)
}

fn valid(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let list = iterators(&object).list.clone();
    if list.is_empty() {
        return Ok(false.into());
    }
    let all = iterators(&object).flags & NEED_ALL != 0;
    for (iterator, _) in list {
        let valid = call.vm.call_method(&iterator, b"valid", Vec::new())?;
        if to_bool(&valid) != all {
            return Ok((!all).into());
        }
    }
    Ok(all.into())
}

fn collect(call: &mut Call<'_>, name: &[u8], problem: &str) -> PhpResult<Value> {
    let object = this(call);
    let flags = iterators(&object).flags;
    if iterators(&object).list.is_empty() {
        let name = vm_runtime::message::text(name);
        let message = format!("Called {name}() on an invalid iterator");
        return Err(throw(call.vm, "RuntimeException", &message));
    }
    let mut result = call.vm.new_array();
    for (iterator, info) in iterators(&object).list.clone() {
        let valid = call.vm.call_method(&iterator, b"valid", Vec::new())?;
        let value = if to_bool(&valid) {
            call.vm.call_method(&iterator, name, Vec::new())?
        } else if flags & NEED_ALL != 0 {
            return Err(throw(call.vm, "RuntimeException", problem));
        } else {
            Value::NULL
        };
        if flags & KEYS_ASSOC == 0 {
            let _ = result.make_mut(call.vm).push(value);
            continue;
        }
        if info.is_null() {
            return Err(throw(
                call.vm,
                "InvalidArgumentException",
                "Sub-Iterator is associated with NULL",
            ));
        }
        let key = array_key(call.vm, &info, KeyUse::Access)?.to_key();
        result.make_mut(call.vm).set(key.as_ref(), value);
    }
    Ok(result.into())
}

fn debug_info(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { &*object };
    let mut table = vm_runtime::operators::convert::property_table(vm, object);
    let mut pairs = vm.new_array();
    for (iterator, info) in iterators(object).list.clone() {
        let mut pair = vm.new_array();
        pair.make_mut(vm).set_bytes(b"obj", iterator.into());
        pair.make_mut(vm).set_bytes(b"inf", info);
        let _ = pairs.make_mut(vm).push(pair.into());
    }
    table
        .make_mut(vm)
        .set_bytes(b"\0SplObjectStorage\0storage", pairs.into());
    Ok(table)
}
