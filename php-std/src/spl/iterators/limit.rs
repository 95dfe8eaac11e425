//! LimitIterator.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::Call;
use vm_runtime::object::PhpObject;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::dual::{dual, fetch, forget, inner, inner_next, inner_rewind, inner_valid, set_inner};
use crate::spl::{this, throw};

pub(super) static CLASSES: &[&NativeClass] =
    &[
        &NativeClass::new("class LimitIterator extends IteratorIterator").methods(&[
            method(
                "public function __construct(Iterator $iterator, int $offset = 0, int $limit = -1)",
                construct,
            ),
            method("tentative public function rewind(): void", |call| {
                let object = this(call);
                inner_rewind(call.vm, &object)?;
                let offset = dual(&object).limits.0;
                seek_to(call.vm, &object, offset)?;
                Ok(Value::NULL)
            }),
            method("tentative public function valid(): bool", |call| {
                let object = this(call);
                inner(call.vm, &object)?;
                Ok((is_within(&object) && dual(&object).current.is_some()).into())
            }),
            method("tentative public function next(): void", |call| {
                let object = this(call);
                advance(call.vm, &object)?;
                Ok(Value::NULL)
            }),
            method("tentative public function seek(int $offset): int", |call| {
                let (object, offset) = (this(call), call.long(0));
                inner(call.vm, &object)?;
                seek_to(call.vm, &object, offset)?;
                Ok(dual(&object).position.into())
            }),
            method("tentative public function getPosition(): int", |call| {
                let object = this(call);
                inner(call.vm, &object)?;
                Ok(dual(&object).position.into())
            }),
        ]),
    ];

fn is_within(object: &PhpObject) -> bool {
    let dual = dual(object);
    let (offset, limit) = dual.limits;
    limit == -1 || dual.position.saturating_sub(offset) < limit
}

fn advance(vm: &mut Vm, object: &PhpObject) -> PhpResult<()> {
    inner_next(vm, object)?;
    if is_within(object) {
        fetch(vm, object, true)?;
    }
    Ok(())
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, inner, offset, limit) = (this(call), call.object(0), call.long(1), call.long(2));
    if offset < 0 {
        return Err(call.value_error(1, "must be greater than or equal to 0"));
    }
    if limit < -1 {
        return Err(call.value_error(2, "must be greater than or equal to -1"));
    }
    set_inner(call, &object, inner)?;
    dual(&object).limits = (offset, limit);
    Ok(Value::NULL)
}

fn seek_to(vm: &mut Vm, object: &PhpObject, wanted: i64) -> PhpResult<()> {
    forget(object);
    let (offset, limit) = dual(object).limits;
    if wanted < offset {
        return Err(throw(
            vm,
            "OutOfBoundsException",
            &format!("Cannot seek to {wanted} which is below the offset {offset}"),
        ));
    }
    if limit != -1 && wanted - offset >= limit {
        return Err(throw(
            vm,
            "OutOfBoundsException",
            &format!("Cannot seek to {wanted} which is behind offset {offset} plus count {limit}"),
        ));
    }
    let inner = inner(vm, object)?;
    let seekable = vm.linked_class(b"seekableiterator");
    if wanted != dual(object).position
        && seekable.is_some_and(|seekable| inner.class().is_subclass_of(seekable))
    {
        vm.call_method(&inner, b"seek", vec![Value::from(wanted)])?;
        dual(object).position = wanted;
        if inner_valid(vm, &inner)? {
            fetch(vm, object, false)?;
        }
        return Ok(());
    }
    // Forward by single steps, from the start if it lies behind.
    if wanted < dual(object).position {
        inner_rewind(vm, object)?;
    }
    while dual(object).position < wanted && inner_valid(vm, &inner)? {
        inner_next(vm, object)?;
    }
    if inner_valid(vm, &inner)? {
        fetch(vm, object, true)?;
    }
    Ok(())
}
