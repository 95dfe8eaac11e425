//! SplHeap with its children, and SplPriorityQueue.

use std::any::Any;

use vm_runtime::class::{
    Class, Fetched, NativeClass, NativeHandlers, Step, declare, direct_method, method,
};
use vm_runtime::function::{Call, Function, NativeFunction, class_flags};
use vm_runtime::object::{NativeData, PhpObject};
use vm_runtime::operators::compare;
use vm_runtime::value::{ArrayHandle, DOUBLE, LONG, ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::spl::{this, throw};
use crate::support::direct;

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
    comparison: Comparison,
    /// What all keys are.
    keys: Keys,
    /// What a queue gives: 1 data, 2 priority, 3 both.
    extract: i64,
    /// A comparison threw while the heap was being changed.
    corrupted: bool,
    /// An element is on its way to its place, and the class compares: nothing may be added or
    /// removed meanwhile.
    changing: bool,
}

/// What the values of a heap, or the priorities of a queue, have in common.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Keys {
    /// Integers, which any two are compared in place.
    Long,
    /// Floats with an order.
    Double,
    #[default]
    Other,
}

impl Keys {
    fn of(key: &Zval) -> Keys {
        match key.kind() {
            LONG => Keys::Long,
            DOUBLE if !key.double().is_nan() => Keys::Double,
            _ => Keys::Other,
        }
    }
}

/// How elements are compared: without a call if no class has overridden `compare()`.
#[derive(Clone, Copy, Default)]
enum Comparison {
    /// The greater goes first.
    #[default]
    Plain,
    /// The smaller goes first.
    Reversed,
    /// By a method.
    Method(*const Function),
}

impl Comparison {
    /// How the heaps of a class compare.
    fn of(class: *const Class) -> Comparison {
        // SAFETY: I4: classes and methods live until the VM ends.
        unsafe {
            // No method is looked for where the script could not have overridden one.
            if (*class).flags & class_flags::INTERNAL != 0 {
                let is_reversed = (*(*class).name).as_bytes() == b"SplMinHeap";
                return if is_reversed {
                    Comparison::Reversed
                } else {
                    Comparison::Plain
                };
            }
            let Some(&method) = (*class).methods.get(b"compare") else {
                return Comparison::Plain;
            };
            match (*method).native {
                Some(code) if std::ptr::fn_addr_eq(code, COMPARE_PLAINLY) => Comparison::Plain,
                Some(code) if std::ptr::fn_addr_eq(code, COMPARE_REVERSED) => Comparison::Reversed,
                _ => Comparison::Method(method),
            }
        }
    }
}

impl NativeData for Heap {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(Heap {
            elements: self.elements.clone(),
            changing: false,
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

fn create_heap(_vm: &mut Vm, class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::new(Heap {
        comparison: Comparison::of(class),
        ..Heap::default()
    }))
}

fn create_queue(_vm: &mut Vm, class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::new(Heap {
        is_queue: true,
        comparison: Comparison::of(class),
        extract: 1,
        ..Heap::default()
    }))
}

fn heap(object: &PhpObject) -> &mut Heap {
    object.native::<Heap>().expect("made with the object")
}

const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(debug_info),
    step: Some(step),
    fetch: Some(fetch),
    ..NativeHandlers::STANDARD
};

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("abstract class SplHeap implements Iterator, Countable")
        .create_native(create_heap)
        .handlers(&HANDLERS)
        .methods(&[
            direct_method(
                "tentative public function extract(): mixed",
                extract,
                extract_directly,
            ),
            direct_method(
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
                insert_directly,
            ),
            direct_method("tentative public function top(): mixed", top, top_directly),
            direct_method(
                "tentative public function count(): int",
                count,
                count_directly,
            ),
            direct_method(
                "tentative public function isEmpty(): bool",
                is_empty,
                is_empty_directly,
            ),
            method("tentative public function rewind(): void", |_| {
                Ok(Value::NULL)
            }),
            method("tentative public function current(): mixed", current),
            method("tentative public function key(): int", key),
            method("tentative public function next(): void", next),
            direct_method(
                "tentative public function valid(): bool",
                valid,
                valid_directly,
            ),
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
        compare_reversed,
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
            direct_method(
                "tentative public function insert(mixed $value, mixed $priority): true",
                |call| {
                    let (value, priority) = (call.value(0), call.value(1));
                    insert(call, Element { value, priority })
                },
                enqueue_directly,
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
            direct_method("tentative public function top(): mixed", top, top_directly),
            direct_method(
                "tentative public function extract(): mixed",
                extract,
                extract_directly,
            ),
            direct_method(
                "tentative public function count(): int",
                count,
                count_directly,
            ),
            direct_method(
                "tentative public function isEmpty(): bool",
                is_empty,
                is_empty_directly,
            ),
            method("tentative public function rewind(): void", |_| {
                Ok(Value::NULL)
            }),
            method("tentative public function current(): mixed", current),
            method("tentative public function key(): int", key),
            method("tentative public function next(): void", next),
            direct_method(
                "tentative public function valid(): bool",
                valid,
                valid_directly,
            ),
            method(
                "tentative public function recoverFromCorruption(): true",
                recover,
            ),
            method("tentative public function isCorrupted(): bool", |call| {
                Ok(heap(&this(call)).corrupted.into())
            }),
            method("tentative public function getExtractFlags(): int", |call| {
                Ok(heap(&this(call)).extract.into())
            }),
            method("tentative public function __debugInfo(): array", show),
        ]),
];

const COMPARE_PLAINLY: NativeFunction = compare_plainly;
const COMPARE_REVERSED: NativeFunction = compare_reversed;

fn compare_reversed(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, other) = (call.value(0), call.value(1));
    Ok(Value::from(compare(call.vm, &other, &one) as i64))
}

fn compare_plainly(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, other) = (call.value(0), call.value(1));
    Ok(Value::from(compare(call.vm, &one, &other) as i64))
}

impl Heap {
    /// The order of two elements by their places, where it takes no code of the script and no
    /// conversion.
    #[inline]
    fn plain_order(&self, one: usize, other: usize) -> Option<i64> {
        let pick = |index: usize| match self.is_queue {
            true => self.elements[index].priority.deref(),
            false => self.elements[index].value.deref(),
        };
        let (one, other) = match self.comparison {
            Comparison::Method(_) => return None,
            Comparison::Reversed => (pick(other), pick(one)),
            _ => (pick(one), pick(other)),
        };
        let order = match (one.kind(), other.kind()) {
            (LONG, LONG) => one.long().cmp(&other.long()),
            (DOUBLE, DOUBLE) => one.double().partial_cmp(&other.double())?,
            _ => return None,
        };
        Some(order as i64)
    }
}

/// The order of two elements by their places, as the class compares.
fn order(vm: &mut Vm, object: &ObjectHandle, one: usize, other: usize) -> PhpResult<i64> {
    let heap = heap(object);
    if let Some(order) = heap.plain_order(one, other) {
        return Ok(order);
    }
    let pick = |index: usize| match heap.is_queue {
        true => &heap.elements[index].priority,
        false => &heap.elements[index].value,
    };
    let (one, other) = match heap.comparison {
        Comparison::Reversed => (pick(other), pick(one)),
        _ => (pick(one), pick(other)),
    };
    if let Comparison::Method(method) = heap.comparison {
        let arguments = [one.clone(), other.clone()];
        let result = vm.call_plain_method(method, object, arguments)?;
        return Ok(vm_runtime::operators::to_long(vm, &result));
    }
    // Comparing objects may run user code, which may change the heap.
    let (one, other) = (one.clone(), other.clone());
    let order = compare(vm, &one, &other);
    vm.check()?;
    Ok(i64::from(order))
}

fn check(vm: &mut Vm, object: &PhpObject) -> PhpResult<()> {
    if heap(object).corrupted {
        return Err(throw(
            vm,
            "RuntimeException",
            "Heap is corrupted, heap properties are no longer ensured.",
        ));
    }
    Ok(())
}

/// Runs `change`, which adds or removes an element. None else may while it compares.
fn change<T>(
    vm: &mut Vm,
    object: &ObjectHandle,
    change: impl FnOnce(&mut Vm) -> PhpResult<T>,
) -> PhpResult<T> {
    if std::mem::replace(&mut heap(object).changing, true) {
        let message = "Heap cannot be changed when it is already being modified.";
        return Err(throw(vm, "RuntimeException", message));
    }
    let result = change(vm);
    heap(object).changing = false;
    result
}

fn insert(call: &mut Call<'_>, element: Element) -> PhpResult<Value> {
    let object = this(call);
    let own = heap(&object);
    if own.corrupted || own.changing {
        check(call.vm, &object)?;
        change(call.vm, &object, |_| Ok(()))?;
    }
    let last = own.push(element);
    if let Some(index) = own.sift_up_plainly(last) {
        change(call.vm, &object, |vm| sift_up(vm, &object, index))?;
    }
    Ok(true.into())
}

impl Heap {
    /// Puts an element behind the others; gives where it is.
    fn push(&mut self, element: Element) -> usize {
        let key = match self.is_queue {
            true => &element.priority,
            false => &element.value,
        };
        let keys = Keys::of(key);
        let others = self.elements.len();
        if others == 0 || self.keys != keys {
            self.keys = if others == 0 { keys } else { Keys::Other };
        }
        self.elements.push(element);
        others
    }

    /// True if the next change runs no code of the script.
    fn is_plain(&self) -> bool {
        let is_method = matches!(self.comparison, Comparison::Method(_));
        !is_method && !self.corrupted && !self.changing
    }

    /// Inserts a number among numbers of its kind.
    fn insert_plainly(&mut self, value: &Zval, priority: &Zval) -> Option<bool> {
        let keys = Keys::of(if self.is_queue { priority } else { value });
        let fits = keys != Keys::Other && (self.elements.is_empty() || self.keys == keys);
        if !fits || !self.is_plain() {
            return None;
        }
        let (value, priority) = (Value::share(value), Value::share(priority));
        let last = self.push(Element { value, priority });
        let unplaced = self.sift_up_plainly(last);
        debug_assert!(unplaced.is_none());
        Some(true)
    }
}

direct! {
    fn insert_directly(_, this; value: &Zval) {
        heap(this).insert_plainly(value, &Zval::NULL)
    }

    fn enqueue_directly(_, this; value: &Zval, priority: &Zval) {
        heap(this).insert_plainly(value, priority)
    }

    fn extract_directly(_, this;) {
        let own = heap(this);
        if !own.is_plain() || own.keys == Keys::Other || own.is_queue && own.extract != 1 {
            return None;
        }
        let (element, unplaced) = own.take_top()?;
        debug_assert!(unplaced.is_none());
        Some(element.value)
    }

    fn top_directly(_, this;) {
        let own = heap(this);
        if own.corrupted || own.is_queue && own.extract != 1 {
            return None;
        }
        own.elements.first().map(|top| top.value.clone())
    }

    fn count_directly(_, this;) {
        heap(this).elements.len() as i64
    }

    fn is_empty_directly(_, this;) {
        heap(this).elements.is_empty()
    }

    fn valid_directly(_, this;) {
        !heap(this).elements.is_empty()
    }
}

impl Heap {
    /// Brings an element up to its place as far as that takes no code of the script; gives where it is
    /// if it is not there yet.
    #[inline]
    fn sift_up_plainly(&mut self, mut index: usize) -> Option<usize> {
        while index > 0 {
            let parent = (index - 1) / 2;
            match self.plain_order(parent, index) {
                None => return Some(index),
                Some(order) if order < 0 => self.elements.swap(parent, index),
                Some(_) => break,
            }
            index = parent;
        }
        None
    }
}

/// Brings an element up to its place.
fn sift_up(vm: &mut Vm, object: &ObjectHandle, mut index: usize) -> PhpResult<()> {
    // Code of the script that compares cannot change the elements, but look at them.
    let mut own = heap(object);
    while index > 0 {
        let parent = (index - 1) / 2;
        let outcome = match own.plain_order(parent, index) {
            Some(order) => Ok(order),
            None => {
                let outcome = order(vm, object, parent, index);
                own = heap(object);
                outcome
            }
        };
        match outcome {
            Ok(order) if order < 0 => own.elements.swap(parent, index),
            Ok(_) => break,
            Err(thrown) => {
                heap(object).corrupted = true;
                return Err(thrown);
            }
        }
        index = parent;
    }
    Ok(())
}

impl Heap {
    /// Removes the top, and restores the order as far as that takes no code of the script; gives from
    /// where on it is not restored yet.
    fn take_top(&mut self) -> Option<(Element, Option<usize>)> {
        let last = self.elements.len().checked_sub(1)?;
        let removed = self.elements.swap_remove(0);
        let mut index = 0;
        let left = loop {
            let mut child = index * 2 + 1;
            if child >= last {
                break None;
            }
            if child + 1 < last {
                match self.plain_order(child + 1, child) {
                    None => break Some(index),
                    Some(order) => child += usize::from(order > 0),
                }
            }
            match self.plain_order(index, child) {
                None => break Some(index),
                Some(order) if order < 0 => self.elements.swap(index, child),
                Some(_) => break None,
            }
            index = child;
        };
        Some((removed, left))
    }
}

/// Removes the top and restores the order.
fn remove_top(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<Option<Element>> {
    let own = heap(object);
    if own.changing {
        change(vm, object, |_| Ok(()))?;
    }
    match own.take_top() {
        None => Ok(None),
        Some((removed, None)) => Ok(Some(removed)),
        Some((removed, Some(index))) => {
            change(vm, object, |vm| sift_down(vm, object, index))?;
            Ok(Some(removed))
        }
    }
}

/// Brings an element down to its place.
fn sift_down(vm: &mut Vm, object: &ObjectHandle, mut index: usize) -> PhpResult<()> {
    let mut own = heap(object);
    loop {
        let length = own.elements.len();
        let mut child = index * 2 + 1;
        if child >= length {
            break;
        }
        // As in PHP, the last element is still where it was taken from: an only child is told from it.
        let is_only = child + 1 == length && own.plain_order(index, child).is_none();
        let mut ordered = |one: usize, other: usize| match own.plain_order(one, other) {
            Some(order) => Ok(order),
            None => {
                let outcome = order(vm, object, one, other);
                own = heap(object);
                outcome
            }
        };
        let outcome = (|| {
            if child + 1 < length && ordered(child + 1, child)? > 0 {
                child += 1;
            }
            if is_only && ordered(index, child)? > 0 {
                return ordered(index, index).map(|_| 0);
            }
            ordered(index, child)
        })();
        match outcome {
            Ok(order) if order < 0 => own.elements.swap(index, child),
            Ok(_) => break,
            Err(thrown) => {
                heap(object).corrupted = true;
                return Err(thrown);
            }
        }
        index = child;
    }
    Ok(())
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
    check(call.vm, &object)?;
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
    check(call.vm, &object)?;
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

/// What a loop does, which unlike `current()` refuses a corrupted heap.
fn step(vm: &mut Vm, object: &ObjectHandle, step: Step) -> PhpResult<Value> {
    match step {
        Step::Rewind => Ok(Value::NULL),
        Step::Valid => Ok((!heap(object).elements.is_empty()).into()),
        Step::Key => Ok(Value::from(heap(object).elements.len() as i64 - 1)),
        Step::Current => {
            check(vm, object)?;
            Ok(topmost(vm, object))
        }
        Step::Next => {
            check(vm, object)?;
            drop(remove_top(vm, object)?);
            Ok(Value::NULL)
        }
    }
}

/// What a loop fetches.
fn fetch(
    vm: &mut Vm,
    object: &ObjectHandle,
    goes_on: bool,
    wants_key: bool,
) -> PhpResult<Option<Fetched>> {
    check(vm, object)?;
    if goes_on {
        drop(remove_top(vm, object)?);
        if heap(object).elements.is_empty() {
            return Ok(None);
        }
        check(vm, object)?;
    }
    let value = topmost(vm, object);
    let key = wants_key.then(|| Value::from(heap(object).elements.len() as i64 - 1));
    Ok(Some((value, key)))
}

/// What is on top, as it is to be shown; null if nothing is.
fn topmost(vm: &mut Vm, object: &PhpObject) -> Value {
    match heap(object).elements.first().cloned() {
        Some(element) => shown(vm, object, element),
        None => Value::NULL,
    }
}

fn current(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    Ok(topmost(call.vm, &object))
}

fn key(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    step(call.vm, &object, Step::Key)
}

fn next(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    step(call.vm, &object, Step::Next)
}

fn valid(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    step(call.vm, &object, Step::Valid)
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
        ..
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
