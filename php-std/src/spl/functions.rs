//! Functions about classes, objects and iterators.

use std::ops::ControlFlow;

use vm_runtime::class::Class;
use vm_runtime::function::Call;
use vm_runtime::interpreter::array_keys::{KeyUse, array_key};
use vm_runtime::interpreter::iteration::{Wanted, walk, walk_elements};
use vm_runtime::object::PhpObject;
use vm_runtime::operators::convert::share_element;
use vm_runtime::operators::to_bool;
use vm_runtime::value::{ArrayHandle, StringHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use crate::core::functions::split_arguments;
use crate::core::{class_argument, name_table};
use crate::support::{direct, functions};

functions! {
    "class_implements($object_or_class, bool $autoload = true): array|false" => class_implements,
    "class_parents($object_or_class, bool $autoload = true): array|false" => class_parents,
    "class_uses($object_or_class, bool $autoload = true): array|false" => class_uses,
    "spl_classes(): array" => spl_classes,
    "spl_object_hash(object $object): string" => spl_object_hash | spl_object_hash_directly,
    "spl_object_id(object $object): int" => spl_object_id | spl_object_id_directly,
    "iterator_apply(Traversable $iterator, callable $callback, ?array $args = null): int" => iterator_apply,
    "iterator_count(Traversable|array $iterator): int" => iterator_count,
    "iterator_to_array(Traversable|array $iterator, bool $preserve_keys = true): array" => iterator_to_array,
}

fn of_class(
    call: &mut Call<'_>,
    classes: impl FnOnce(&Class) -> Vec<*mut Class>,
) -> PhpResult<Value> {
    let autoload = call.bool(1);
    let Some(found) = class_argument(call, 0, autoload)? else {
        return Ok(false.into());
    };
    // SAFETY: I4: classes live until the VM ends.
    let list = classes(unsafe { &*found });
    Ok(name_table(call.vm, &list))
}

fn class_implements(call: &mut Call<'_>) -> PhpResult<Value> {
    of_class(call, |class| class.interfaces.clone())
}

fn class_parents(call: &mut Call<'_>) -> PhpResult<Value> {
    of_class(call, |class| {
        let mut parents = Vec::new();
        let mut next = class.parent;
        while !next.is_null() {
            parents.push(next);
            // SAFETY: I4: classes live until the VM ends.
            next = unsafe { (*next).parent };
        }
        parents
    })
}

fn class_uses(call: &mut Call<'_>) -> PhpResult<Value> {
    of_class(call, |class| class.traits.clone())
}

fn spl_classes(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut table = call.vm.new_array();
    for name in NAMES {
        let shown = call.vm.string(*name);
        (table.make_mut(call.vm)).set_bytes(name.as_bytes(), shown.into());
    }
    Ok(table.into())
}

/// What `spl_classes()` lists.
const NAMES: &[&str] = &[
    "AppendIterator",
    "ArrayIterator",
    "ArrayObject",
    "BadFunctionCallException",
    "BadMethodCallException",
    "CachingIterator",
    "CallbackFilterIterator",
    "DirectoryIterator",
    "DomainException",
    "EmptyIterator",
    "FilesystemIterator",
    "FilterIterator",
    "GlobIterator",
    "InfiniteIterator",
    "InvalidArgumentException",
    "IteratorIterator",
    "LengthException",
    "LimitIterator",
    "LogicException",
    "MultipleIterator",
    "NoRewindIterator",
    "OuterIterator",
    "OutOfBoundsException",
    "OutOfRangeException",
    "OverflowException",
    "ParentIterator",
    "RangeException",
    "RecursiveArrayIterator",
    "RecursiveCachingIterator",
    "RecursiveCallbackFilterIterator",
    "RecursiveDirectoryIterator",
    "RecursiveFilterIterator",
    "RecursiveIterator",
    "RecursiveIteratorIterator",
    "RecursiveRegexIterator",
    "RecursiveTreeIterator",
    "RegexIterator",
    "RuntimeException",
    "SeekableIterator",
    "SplDoublyLinkedList",
    "SplFileInfo",
    "SplFileObject",
    "SplFixedArray",
    "SplHeap",
    "SplMinHeap",
    "SplMaxHeap",
    "SplObjectStorage",
    "SplObserver",
    "SplPriorityQueue",
    "SplQueue",
    "SplStack",
    "SplSubject",
    "SplTempFileObject",
    "UnderflowException",
    "UnexpectedValueException",
];

fn spl_object_hash(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    Ok(hash_of(call.vm, &object).into())
}

/// The number of an object in sixteen digits, and as many zeros.
fn hash_of(vm: &mut Vm, object: &PhpObject) -> StringHandle {
    let mut digits = [b'0'; 32];
    let (mut rest, mut at) = (object.id, 16);
    while rest > 0 {
        at -= 1;
        digits[at] = b"0123456789abcdef"[rest as usize & 15];
        rest >>= 4;
    }
    vm.string(digits)
}

fn spl_object_id(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(Value::from(call.object(0).id as i64))
}

direct! {
    fn spl_object_hash_directly(vm; object: &PhpObject) { hash_of(vm, object) }

    fn spl_object_id_directly(_; object: &PhpObject) { object.id as i64 }
}

fn iterator_apply(call: &mut Call<'_>) -> PhpResult<Value> {
    let (iterator, callback) = (call.value(0), call.value(1));
    let (positional, named) = match call.value(2).array() {
        Some(given) => split_arguments(call.vm, &given)?,
        None => (Vec::new(), None),
    };
    let mut count = 0i64;
    walk(call.vm, &iterator, Wanted::Nothing, &mut |vm, _, _| {
        count += 1;
        let answer = vm.call_named(&callback, positional.clone(), named.clone())?;
        Ok(match to_bool(&answer) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })
    })?;
    Ok(count.into())
}

fn iterator_count(call: &mut Call<'_>) -> PhpResult<Value> {
    let iterator = call.value(0);
    if let Some(array) = iterator.array() {
        return Ok(Value::from(array.len()));
    }
    let mut count = 0i64;
    walk(call.vm, &iterator, Wanted::Nothing, &mut |_, _, _| {
        count += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(count.into())
}

fn iterator_to_array(call: &mut Call<'_>) -> PhpResult<Value> {
    let (iterator, preserve) = (call.value(0), call.bool(1));
    let mut result = call.vm.new_array();
    if let Some(array) = iterator.array() {
        if preserve {
            return Ok(iterator);
        }
        for (_, value) in array.iter() {
            let _ = result.make_mut(call.vm).push(share_element(value));
        }
        return Ok(result.into());
    }
    let wanted = match preserve {
        true => Wanted::KeyAndValue,
        false => Wanted::Value,
    };
    walk_elements(call.vm, &iterator, wanted, &mut |vm, key, value| {
        if preserve {
            set_element(vm, &mut result, &key, value)?;
        } else {
            let _ = result.make_mut(vm).push(value);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(result.into())
}

/// `$result[$key] = $value`, with the errors of keys that an array cannot have.
fn set_element(vm: &mut Vm, result: &mut ArrayHandle, key: &Value, value: Value) -> PhpResult<()> {
    let key = array_key(vm, key, KeyUse::Access)?.to_key();
    result.make_mut(vm).set(key.as_ref(), value);
    Ok(())
}
