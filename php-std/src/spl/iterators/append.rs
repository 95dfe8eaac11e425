//! AppendIterator: one iterator after the other.

use vm_runtime::class::{NativeClass, NativeHandlers, Step, method};
use vm_runtime::function::Call;
use vm_runtime::interpreter::generators::check_iterable;
use vm_runtime::object::{PhpObject, new_object};
use vm_runtime::operators::to_bool;
use vm_runtime::value::{ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::dual::{HANDLERS, dual, fetch, forget, inner_valid, number, uninitialised};
use crate::spl::{this, throw};

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new(
    "class AppendIterator extends IteratorIterator",
)
.handlers(&NativeHandlers {
    // Its current() asks once more.
    fetch: None,
    ..HANDLERS
})
.methods(&[
    method("public function __construct()", |call| {
        let object = this(call);
        if dual(&object).list.is_some() {
            return Err(throw(
                call.vm,
                "BadMethodCallException",
                "AppendIterator::getIterator() must be called exactly once per instance",
            ));
        }
        if let Some(class) = call.vm.linked_class(b"arrayiterator") {
            let list = new_object(call.vm, class)?;
            let number = number(call.vm);
            let dual = dual(&object);
            dual.list = Some(list);
            dual.list_number = Some(number);
        }
        Ok(Value::NULL)
    }),
    method(
        "tentative public function append(Iterator $iterator): void",
        append,
    ),
    method("tentative public function rewind(): void", |call| {
        let object = this(call);
        let list = list(call.vm, &object)?;
        forget(&object);
        dual(&object).position = 0;
        call.vm.call_iterator(&list, Step::Rewind)?;
        if next_iterator(call.vm, &object)? {
            fetch_or_advance(call.vm, &object)?;
        }
        Ok(Value::NULL)
    }),
    method("tentative public function valid(): bool", |call| {
        let object = this(call);
        list(call.vm, &object)?;
        Ok(dual(&object).current.is_some().into())
    }),
    method("tentative public function current(): mixed", |call| {
        let object = this(call);
        list(call.vm, &object)?;
        fetch_or_advance(call.vm, &object)?;
        Ok(dual(&object)
            .current
            .as_ref()
            .map_or(Value::NULL, |(value, _)| Value::share(value)))
    }),
    method("tentative public function next(): void", |call| {
        let object = this(call);
        advance(call.vm, &object)?;
        Ok(Value::NULL)
    }),
    method(
        "tentative public function getIteratorIndex(): ?int",
        |call| {
            let object = this(call);
            let list = list(call.vm, &object)?;
            if dual(&object).inner.is_none() {
                return Ok(Value::NULL);
            }
            call.vm.call_iterator(&list, Step::Key)
        },
    ),
    method(
        "tentative public function getArrayIterator(): ArrayIterator",
        |call| {
            let object = this(call);
            Ok(list(call.vm, &object)?.into())
        },
    ),
    method(
        "tentative public function getInnerIterator(): ?Iterator",
        |call| {
            let object = this(call);
            list(call.vm, &object)?;
            Ok(dual(&object).inner.clone().into())
        },
    ),
    method("tentative public function key(): mixed", |call| {
        let object = this(call);
        list(call.vm, &object)?;
        Ok(dual(&object)
            .current
            .as_ref()
            .map_or(Value::NULL, |(_, key)| Value::share(key)))
    }),
])];

fn advance(vm: &mut Vm, object: &PhpObject) -> PhpResult<()> {
    list(vm, object)?;
    if let Some(inner) = dual(object).inner.clone()
        && inner_valid(vm, &inner)?
    {
        forget(object);
        vm.call_iterator(&inner, Step::Next)?;
        dual(object).position += 1;
    }
    fetch_or_advance(vm, object)
}

fn list(vm: &mut Vm, object: &PhpObject) -> PhpResult<ObjectHandle> {
    match &dual(object).list {
        Some(list) => Ok(list.clone()),
        None => Err(uninitialised(vm)),
    }
}

/// Makes the list's current iterator the inner one and rewinds it.
fn next_iterator(vm: &mut Vm, object: &PhpObject) -> PhpResult<bool> {
    let list = list(vm, object)?;
    let old = (dual(object).number.take(), dual(object).inner.take());
    drop(old);
    let valid = vm.call_iterator(&list, Step::Valid)?;
    if !to_bool(&valid) {
        return Ok(false);
    }
    let current = vm.call_iterator(&list, Step::Current)?;
    if let Some(inner) = &current.object() {
        check_iterable(vm, inner)?;
    }
    if current.object().is_some() {
        dual(object).number = Some(number(vm));
    }
    let old = std::mem::replace(&mut dual(object).inner, current.object());
    drop(old);
    if let Some(inner) = dual(object).inner.clone() {
        forget(object);
        dual(object).position = 0;
        vm.call_iterator(&inner, Step::Rewind)?;
    }
    Ok(true)
}

/// Takes the next element, of later iterators if need be.
fn fetch_or_advance(vm: &mut Vm, object: &PhpObject) -> PhpResult<()> {
    loop {
        let Some(inner) = dual(object).inner.clone() else {
            forget(object);
            return Ok(());
        };
        if inner_valid(vm, &inner)? {
            fetch(vm, object, false)?;
            return Ok(());
        }
        let list = list(vm, object)?;
        vm.call_iterator(&list, Step::Next)?;
        if !next_iterator(vm, object)? {
            forget(object);
            return Ok(());
        }
    }
}

fn append(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, iterator) = (this(call), call.object(0));
    let list = list(call.vm, &object)?;
    let exhausted = match dual(&object).inner.clone() {
        Some(inner) => !inner_valid(call.vm, &inner)?,
        None => true,
    };
    if dual(&object).inner.is_some() && exhausted {
        call.vm
            .call_method(&list, b"append", vec![iterator.into()])?;
        loop {
            call.vm.call_iterator(&list, Step::Next)?;
            if !next_iterator(call.vm, &object)? {
                break;
            }
            let inner = dual(&object).inner.clone();
            if inner.is_none() || inner_valid(call.vm, &inner.unwrap_or(list.clone()))? {
                break;
            }
        }
    } else {
        call.vm
            .call_method(&list, b"append", vec![iterator.into()])?;
    }
    if dual(&object).inner.is_none() {
        // A list that was gone through stands at what was appended.
        let valid = call.vm.call_iterator(&list, Step::Valid)?;
        if !to_bool(&valid) {
            call.vm.call_iterator(&list, Step::Rewind)?;
        }
        if next_iterator(call.vm, &object)? {
            fetch_or_advance(call.vm, &object)?;
        }
    } else if exhausted {
        fetch_or_advance(call.vm, &object)?;
    }
    Ok(Value::NULL)
}
