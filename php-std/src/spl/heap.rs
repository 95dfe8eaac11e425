//! SplHeap with its children, and SplPriorityQueue.

use std::any::Any;

use vm_runtime::class::{Class, NativeClass, NativeHandlers, declare, method};
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject};
use vm_runtime::operators::compare;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::spl::{this, throw};

/// An element: the value, and its priority in a queue.
#[derive(Clone)]
struct Element {
    value: Value,
    priority: Value,
}

/// The native part: a binary heap in an array.
#[derive(Default)]
struct Heap {
    elements: Vec<Element>,
    is_queue: bool,
    /// What a queue gives: 1 data, 2 priority, 3 both.
    extract: i64,
    /// A comparison threw while the heap was being changed.
    corrupted: bool,
}

impl NativeData for Heap {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(Heap {
            elements: self.elements.clone(),
            ..*self
        }))
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        for element in &self.elements {
            visitor(element.value.as_zval());
            visitor(element.priority.as_zval());
        }
    }
}

fn create_heap(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::<Heap>::default())
}

fn create_queue(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::new(Heap {
        is_queue: true,
        extract: 1,
        ..Heap::default()
    }))
}

fn heap(object: &PhpObject) -> &mut Heap {
    object.native::<Heap>().expect("made with the object")
}

const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(debug_info),
    ..NativeHandlers::STANDARD
};

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("abstract class SplHeap implements Iterator, Countable")
        .create_native(create_heap)
        .handlers(&HANDLERS)
        .methods(&[
            method("tentative public function extract(): mixed", extract),
            method(
                "tentative public function insert(mixed $value): true",
                |call| {
                    let value = call.value(0);
                    insert(
                        call,
                        Element {
                            value,
                            priority: Value::NULL,
                        },
                    )
                },
            ),
            method("tentative public function top(): mixed", top),
            method("tentative public function count(): int", count),
            method("tentative public function isEmpty(): bool", is_empty),
            method("tentative public function rewind(): void", |_| {
                Ok(Value::NULL)
            }),
            method("tentative public function current(): mixed", current),
            method("tentative public function key(): int", key),
            method("tentative public function next(): void", next),
            method("tentative public function valid(): bool", valid),
            method(
                "tentative public function recoverFromCorruption(): true",
                recover,
            ),
            declare(
                "tentative abstract protected function compare(mixed $value1, mixed $value2): int",
            ),
            method("tentative public function isCorrupted(): bool", |call| {
                Ok(heap(&this(call)).corrupted.into())
            }),
            method("tentative public function __debugInfo(): array", show),
        ]),
    &NativeClass::new("class SplMinHeap extends SplHeap").methods(&[method(
        "tentative protected function compare(mixed $value1, mixed $value2): int",
        |call| {
            let (one, other) = (call.value(0), call.value(1));
            Ok(Value::from(compare(call.vm, &other, &one) as i64))
        },
    )]),
    &NativeClass::new("class SplMaxHeap extends SplHeap").methods(&[method(
        "tentative protected function compare(mixed $value1, mixed $value2): int",
        compare_plainly,
    )]),
    &NativeClass::new("class SplPriorityQueue implements Iterator, Countable")
        .constants(&[
            "int EXTR_BOTH = 3",
            "int EXTR_PRIORITY = 2",
            "int EXTR_DATA = 1",
        ])
        .create_native(create_queue)
        .handlers(&HANDLERS)
        .methods(&[
            method(
                "tentative public function compare(mixed $priority1, mixed $priority2): int",
                compare_plainly,
            ),
            method(
                "public function insert(mixed $value, mixed $priority): true",
                |call| {
                    let (value, priority) = (call.value(0), call.value(1));
                    insert(call, Element { value, priority })
                },
            ),
            method(
                "tentative public function setExtractFlags(int $flags): int",
                |call| {
                    let flags = call.long(0) & 3;
                    if flags == 0 {
                        return Err(throw(
                            call.vm,
                            "RuntimeException",
                            "Must specify at least one extract flag",
                        ));
                    }
                    heap(&this(call)).extract = flags;
                    Ok(flags.into())
                },
            ),
            method("tentative public function top(): mixed", top),
            method("tentative public function extract(): mixed", extract),
            method("tentative public function count(): int", count),
            method("tentative public function isEmpty(): bool", is_empty),
            method("tentative public function rewind(): void", |_| {
                Ok(Value::NULL)
            }),
            method("tentative public function current(): mixed", current),
            method("tentative public function key(): int", key),
            method("tentative public function next(): void", next),
            method("tentative public function valid(): bool", valid),
            method("public function recoverFromCorruption(): true", recover),
            method("tentative public function isCorrupted(): bool", |call| {
                Ok(heap(&this(call)).corrupted.into())
            }),
            method("tentative public function getExtractFlags(): int", |call| {
                Ok(heap(&this(call)).extract.into())
            }),
            method("tentative public function __debugInfo(): array", show),
        ]),
];

fn compare_plainly(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, other) = (call.value(0), call.value(1));
    Ok(Value::from(compare(call.vm, &one, &other) as i64))
}

/// The order of two elements, by the class's `compare()`.
fn order(vm: &mut Vm, object: &ObjectHandle, one: &Element, other: &Element) -> PhpResult<i64> {
    let is_queue = heap(object).is_queue;
    let pick = |element: &Element| {
        if is_queue {
            element.priority.clone()
        } else {
            element.value.clone()
        }
    };
    let arguments = vec![pick(one), pick(other)];
    let result = vm.call_method(object, b"compare", arguments)?;
    Ok(vm_runtime::operators::to_long(vm, &result))
}

fn check(call: &mut Call<'_>, object: &PhpObject) -> PhpResult<()> {
    if heap(object).corrupted {
        return Err(throw(
            call.vm,
            "RuntimeException",
            "Heap is corrupted, heap properties are no longer ensured.",
        ));
    }
    Ok(())
}

fn insert(call: &mut Call<'_>, element: Element) -> PhpResult<Value> {
    let object = this(call);
    check(call, &object)?;
    heap(&object).elements.push(element);
    let mut index = heap(&object).elements.len() - 1;
    while index > 0 {
        let parent = (index - 1) / 2;
        let (one, other) = (
            heap(&object).elements[parent].clone(),
            heap(&object).elements[index].clone(),
        );
        match order(call.vm, &object, &one, &other) {
            Ok(order) if order < 0 => heap(&object).elements.swap(parent, index),
            Ok(_) => break,
            Err(thrown) => {
                heap(&object).corrupted = true;
                return Err(thrown);
            }
        }
        index = parent;
    }
    Ok(true.into())
}

/// Removes the top and restores the order.
fn remove_top(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<Option<Element>> {
    let elements = &mut heap(object).elements;
    if elements.is_empty() {
        return Ok(None);
    }
    let last = elements.len() - 1;
    elements.swap(0, last);
    let removed = elements.pop();
    let mut index = 0;
    loop {
        let length = heap(object).elements.len();
        let mut child = index * 2 + 1;
        if child >= length {
            break;
        }
        let step = |vm: &mut Vm, a: usize, b: usize| {
            let (one, other) = (
                heap(object).elements[a].clone(),
                heap(object).elements[b].clone(),
            );
            order(vm, object, &one, &other)
        };
        let outcome = (|| {
            if child + 1 < length && step(vm, child + 1, child)? > 0 {
                child += 1;
            }
            step(vm, index, child)
        })();
        match outcome {
            Ok(order) if order < 0 => heap(object).elements.swap(index, child),
            Ok(_) => break,
            Err(thrown) => {
                heap(object).corrupted = true;
                drop(removed);
                return Err(thrown);
            }
        }
        index = child;
    }
    Ok(removed)
}

/// What a script gets of an element.
fn shown(vm: &mut Vm, object: &PhpObject, element: Element) -> Value {
    if !heap(object).is_queue {
        return element.value;
    }
    match heap(object).extract {
        1 => element.value,
        2 => element.priority,
        _ => pair(vm, element).into(),
    }
}

fn pair(vm: &mut Vm, element: Element) -> ArrayHandle {
    let mut pair = vm.new_array();
    pair.make_mut(vm).set_bytes(b"data", element.value);
    pair.make_mut(vm).set_bytes(b"priority", element.priority);
    pair
}

fn extract(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    check(call, &object)?;
    match remove_top(call.vm, &object)? {
        Some(element) => Ok(shown(call.vm, &object, element)),
        None => Err(throw(
            call.vm,
            "RuntimeException",
            "Can't extract from an empty heap",
        )),
    }
}

fn top(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    check(call, &object)?;
    match heap(&object).elements.first().cloned() {
        Some(element) => Ok(shown(call.vm, &object, element)),
        None => Err(throw(
            call.vm,
            "RuntimeException",
            "Can't peek at an empty heap",
        )),
    }
}

fn count(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(Value::from(heap(&this(call)).elements.len()))
}

fn is_empty(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(heap(&this(call)).elements.is_empty().into())
}

fn current(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    match heap(&object).elements.first().cloned() {
        Some(element) => Ok(shown(call.vm, &object, element)),
        None => Ok(Value::NULL),
    }
}

fn key(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(Value::from(heap(&this(call)).elements.len() as i64 - 1))
}

fn next(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let removed = remove_top(call.vm, &object)?;
    drop(removed);
    Ok(Value::NULL)
}

fn valid(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((!heap(&this(call)).elements.is_empty()).into())
}

fn recover(call: &mut Call<'_>) -> PhpResult<Value> {
    heap(&this(call)).corrupted = false;
    Ok(true.into())
}

fn show(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    Ok(debug_info(call.vm, object.as_ptr())?.into())
}

fn debug_info(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { &*object };
    let mut table = vm_runtime::operators::convert::property_table(vm, object);
    let Heap {
        elements,
        is_queue,
        extract,
        corrupted,
    } = heap(object);
    let class = if *is_queue {
        "SplPriorityQueue"
    } else {
        "SplHeap"
    };
    let flags = if *is_queue { *extract } else { 0 };
    let list: Vec<Value> = elements
        .clone()
        .into_iter()
        .map(|element| {
            if *is_queue {
                pair(vm, element).into()
            } else {
                element.value
            }
        })
        .collect();
    let list = crate::support::list(vm, list);
    let table_mut = table.make_mut(vm);
    table_mut.set_bytes(format!("\0{class}\0flags").as_bytes(), flags.into());
    table_mut.set_bytes(
        format!("\0{class}\0isCorrupted").as_bytes(),
        (*corrupted).into(),
    );
    table_mut.set_bytes(format!("\0{class}\0heap").as_bytes(), list);
    Ok(table)
}
