//! Iterators that leave elements out.

use vm_runtime::class::{NativeClass, Step, declare, method};
use vm_runtime::function::Call;
use vm_runtime::object::{PhpObject, new_object};
use vm_runtime::operators::to_bool;
use vm_runtime::value::{ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::dual::{construct_plain, dual, fetch, fetch_next, inner, inner_rewind, set_inner};
use crate::spl::this;
use crate::support::kept_callable;

/// Goes on until `accept()` agrees.
fn fetch_accepted(vm: &mut Vm, object: &ObjectHandle, mut is_there: bool) -> PhpResult<()> {
    while is_there {
        let accepted = vm.call_method(object, b"accept", Vec::new())?;
        if to_bool(&accepted) {
            return Ok(());
        }
        // What is left out goes when the inner iterator has gone on.
        let inner = inner(vm, object)?;
        vm.call_iterator(&inner, Step::Next)?;
        is_there = fetch(vm, object, true)?;
    }
    super::dual::forget(object);
    Ok(())
}

pub(super) fn rewind(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    inner_rewind(call.vm, &object)?;
    let is_there = fetch(call.vm, &object, true)?;
    fetch_accepted(call.vm, &object, is_there)?;
    Ok(Value::NULL)
}

fn advance(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<()> {
    let is_there = fetch_next(vm, object)?;
    fetch_accepted(vm, object, is_there)
}

pub(super) fn next(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    advance(call.vm, &object)?;
    Ok(Value::NULL)
}

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("abstract class FilterIterator extends IteratorIterator")
        .methods(&[
        declare("tentative abstract public function accept(): bool"),
        method("public function __construct(Iterator $iterator)", construct_plain),
        method("tentative public function rewind(): void", rewind),
        method("tentative public function next(): void", next),
    ]),
    &NativeClass::new("abstract class RecursiveFilterIterator extends FilterIterator implements RecursiveIterator")
        .methods(&[
            method("public function __construct(RecursiveIterator $iterator)", construct_plain),
            method("tentative public function hasChildren(): bool", has_children),
            method("tentative public function getChildren(): ?RecursiveFilterIterator", |call| {
                let object = this(call);
                let children = children(call.vm, &object)?;
                make(call.vm, &object, vec![children])
            }),
        ]),
    &NativeClass::new("class ParentIterator extends RecursiveFilterIterator").methods(&[
        method("public function __construct(RecursiveIterator $iterator)", construct_plain),
        method("tentative public function accept(): bool", has_children),
    ]),
    &NativeClass::new("class CallbackFilterIterator extends FilterIterator").methods(&[
        method("public function __construct(Iterator $iterator, callable $callback)", construct_callback),
        method("tentative public function accept(): bool", accept_callback),
    ]),
    &NativeClass::new(
        "class RecursiveCallbackFilterIterator extends CallbackFilterIterator implements RecursiveIterator",
    )
    .methods(&[
        method("public function __construct(RecursiveIterator $iterator, callable $callback)", construct_callback),
        method("tentative public function hasChildren(): bool", has_children),
        method("tentative public function getChildren(): RecursiveCallbackFilterIterator", |call| {
            let object = this(call);
            let children = children(call.vm, &object)?;
            let callback = dual(&object).argument.clone().unwrap_or(Value::NULL);
            make(call.vm, &object, vec![children, callback])
        }),
    ]),
];

pub(super) fn has_children(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let inner = inner(call.vm, &object)?;
    call.vm.call_method(&inner, b"haschildren", Vec::new())
}

pub(super) fn children(vm: &mut Vm, object: &PhpObject) -> PhpResult<Value> {
    let inner = inner(vm, object)?;
    vm.call_method(&inner, b"getchildren", Vec::new())
}

/// A further object of the same class.
pub(super) fn make(vm: &mut Vm, object: &PhpObject, arguments: Vec<Value>) -> PhpResult<Value> {
    let class = object.class;
    let made = new_object(vm, class)?;
    let constructor = made.class().magic.construct;
    vm.call_function(constructor, Some(made.clone()), class, arguments)?;
    Ok(made.into())
}

fn construct_callback(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, inner, callback) = (this(call), call.object(0), kept_callable(call, 1));
    set_inner(call, &object, inner)?;
    dual(&object).argument = Some(callback);
    Ok(Value::NULL)
}

fn accept_callback(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let inner = inner(call.vm, &object)?;
    let Some((value, key)) = dual(&object)
        .current
        .as_ref()
        .map(|(value, key)| (value.clone(), key.clone()))
    else {
        return Ok(false.into());
    };
    let Some(callback) = dual(&object).argument.clone() else {
        return Ok(false.into());
    };
    let accepted = call.vm.call(&callback, vec![value, key, inner.into()])?;
    Ok(to_bool(&accepted).into())
}
