//! SplDoublyLinkedList, SplQueue and SplStack.

mod elements;

use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

use vm_runtime::class::{Class, Fetched, NativeClass, NativeHandlers, Step, direct_method, method};
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, NativeIterator, PhpObject, internal_iterator};
use vm_runtime::operators::value_name;
use vm_runtime::types::scalar_to_long;
use vm_runtime::value::{ArrayHandle, LONG, ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use self::elements::{Cursor, DELETE, Elements, LIFO};
use crate::spl::{legacy, this, throw};
use crate::support::direct;

/// The native part.
#[derive(Default)]
struct List {
    values: Elements,
    mode: i64,
    /// True for SplStack and SplQueue: the direction is fixed.
    fixed_direction: bool,
}

impl NativeData for List {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(List {
            values: self.values.copied(),
            ..*self
        }))
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        self.values.visit(visitor);
    }
}

/// The last element goes first.
impl Drop for List {
    fn drop(&mut self) {
        let mut values = self.values.take_all();
        while let Some(value) = values.pop_back() {
            drop(value);
        }
    }
}

impl List {
    fn is_lifo(&self) -> bool {
        self.mode & LIFO != 0
    }

    /// Index of an offset that scripts see.
    fn index(&self, offset: i64) -> Option<usize> {
        let length = self.values.len() as i64;
        if !(0..length).contains(&offset) {
            return None;
        }
        Some(if self.is_lifo() {
            length - 1 - offset
        } else {
            offset
        } as usize)
    }

    /// The element of an offset that scripts see.
    fn get(&self, offset: i64) -> Option<&Value> {
        self.values.get(self.index(offset)?)
    }

    /// Where the methods are.
    fn cursor(&self) -> Cursor {
        self.values.cursor
    }

    /// The element that the methods are at.
    fn current(&self) -> Value {
        self.values
            .at(self.cursor())
            .cloned()
            .unwrap_or(Value::NULL)
    }

    fn rewind(&mut self) {
        self.values.cursor = self.values.first(self.mode);
    }

    /// Takes the methods a step on, by `mode`, and gives what goes thereby: it may have a destructor.
    fn advance(&mut self, mode: i64) -> Option<Value> {
        let cursor = self.cursor();
        self.values.cursor = self.values.after(cursor, mode);
        cursor
            .is_somewhere()
            .then(|| self.values.remove_behind(mode))?
    }
}

fn create(_vm: &mut Vm, class: *mut Class) -> Option<Box<dyn NativeData>> {
    let mut list = List::default();
    let mut class = class.cast_const();
    // SAFETY: I4: classes live until the VM ends.
    while let Some(found) = unsafe { class.as_ref() } {
        // SAFETY: as above, with their names.
        match unsafe { (*found.name).as_bytes() } {
            b"SplStack" => (list.mode, list.fixed_direction) = (LIFO, true),
            b"SplQueue" => list.fixed_direction = true,
            _ => {}
        }
        class = found.parent;
    }
    Some(Box::new(list))
}

fn list(object: &PhpObject) -> &mut List {
    object.native::<List>().expect("made with the object")
}

const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(debug_info),
    offset_exists: Some(test_offset),
    own_loop: Some(|vm, list| internal_iterator(vm, Box::new(Walk::new(list)))),
    ..NativeHandlers::STANDARD
};

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new(
        "class SplDoublyLinkedList implements Iterator, Countable, ArrayAccess, Serializable",
    )
    .constants(&[
        "int IT_MODE_LIFO = 2",
        "int IT_MODE_FIFO = 0",
        "int IT_MODE_DELETE = 1",
        "int IT_MODE_KEEP = 0",
    ])
    .create_native(create)
    .handlers(&HANDLERS)
    .methods(&[
        method(
            "tentative public function add(int $index, mixed $value): void",
            add,
        ),
        direct_method(
            "tentative public function pop(): mixed",
            |call| take(call, false, "Can't pop from an empty datastructure"),
            pop_directly,
        ),
        direct_method(
            "tentative public function shift(): mixed",
            |call| take(call, true, "Can't shift from an empty datastructure"),
            shift_directly,
        ),
        direct_method(
            "tentative public function push(mixed $value): void",
            |call| {
                let value = call.value(0);
                list(&this(call)).values.push_back(value);
                Ok(Value::NULL)
            },
            push_directly,
        ),
        direct_method(
            "tentative public function unshift(mixed $value): void",
            |call| {
                let value = call.value(0);
                list(&this(call)).values.push_front(value);
                Ok(Value::NULL)
            },
            unshift_directly,
        ),
        direct_method(
            "tentative public function top(): mixed",
            |call| peek(call, false),
            top_directly,
        ),
        direct_method(
            "tentative public function bottom(): mixed",
            |call| peek(call, true),
            bottom_directly,
        ),
        method("tentative public function __debugInfo(): array", |call| {
            let object = this(call);
            Ok(debug_info(call.vm, object.as_ptr())?.into())
        }),
        direct_method(
            "tentative public function count(): int",
            |call| Ok(Value::from(list(&this(call)).values.len())),
            count_directly,
        ),
        direct_method(
            "tentative public function isEmpty(): bool",
            |call| Ok(list(&this(call)).values.is_empty().into()),
            is_empty_directly,
        ),
        method(
            "tentative public function setIteratorMode(int $mode): int",
            set_mode,
        ),
        method("tentative public function getIteratorMode(): int", |call| {
            let object = this(call);
            let list = list(&object);
            Ok(Value::from(
                list.mode | if list.fixed_direction { 4 } else { 0 },
            ))
        }),
        method(
            "tentative public function offsetExists($index): bool",
            |call| {
                let offset = offset(call)?;
                Ok(list(&this(call)).index(offset).is_some().into())
            },
        ),
        direct_method(
            "tentative public function offsetGet($index): mixed",
            offset_get,
            offset_get_directly,
        ),
        method(
            "tentative public function offsetSet($index, mixed $value): void",
            offset_set,
        ),
        method(
            "tentative public function offsetUnset($index): void",
            offset_unset,
        ),
        direct_method(
            "tentative public function rewind(): void",
            |call| step(call.vm, &this(call), Step::Rewind),
            rewind_directly,
        ),
        direct_method(
            "tentative public function current(): mixed",
            |call| step(call.vm, &this(call), Step::Current),
            current_directly,
        ),
        direct_method(
            "tentative public function key(): int",
            |call| step(call.vm, &this(call), Step::Key),
            key_directly,
        ),
        method("tentative public function prev(): void", |call| {
            let object = this(call);
            let list = list(&object);
            let removed = list.advance(list.mode ^ LIFO);
            drop(removed);
            Ok(Value::NULL)
        }),
        direct_method(
            "tentative public function next(): void",
            |call| step(call.vm, &this(call), Step::Next),
            next_directly,
        ),
        direct_method(
            "tentative public function valid(): bool",
            |call| step(call.vm, &this(call), Step::Valid),
            valid_directly,
        ),
        method(
            "tentative public function unserialize(string $data): void",
            unserialize_legacy,
        ),
        method(
            "tentative public function serialize(): string",
            serialize_legacy,
        ),
        method("tentative public function __serialize(): array", serialize),
        method(
            "tentative public function __unserialize(array $data): void",
            unserialize,
        ),
    ]),
    &NativeClass::new("class SplQueue extends SplDoublyLinkedList").methods(&[
        direct_method(
            "tentative public function enqueue(mixed $value): void",
            |call| {
                let value = call.value(0);
                list(&this(call)).values.push_back(value);
                Ok(Value::NULL)
            },
            push_directly,
        ),
        direct_method(
            "tentative public function dequeue(): mixed",
            |call| take(call, true, "Can't shift from an empty datastructure"),
            shift_directly,
        ),
    ]),
    &NativeClass::new("class SplStack extends SplDoublyLinkedList"),
];

direct! {
    fn push_directly(_, this; value: &Zval) {
        list(this).values.push_back(Value::share(value));
    }

    fn unshift_directly(_, this; value: &Zval) {
        list(this).values.push_front(Value::share(value));
    }

    fn pop_directly(_, this;) {
        list(this).values.pop_back()
    }

    fn shift_directly(_, this;) {
        list(this).values.pop_front()
    }

    fn top_directly(_, this;) {
        list(this).values.back().cloned()
    }

    fn bottom_directly(_, this;) {
        list(this).values.front().cloned()
    }

    fn count_directly(_, this;) {
        list(this).values.len() as i64
    }

    fn is_empty_directly(_, this;) {
        list(this).values.is_empty()
    }

    fn offset_get_directly(_, this; offset: i64) {
        let list = list(this);
        list.get(offset).cloned()
    }

    fn rewind_directly(_, this;) {
        list(this).rewind();
    }

    fn valid_directly(_, this;) {
        list(this).cursor().is_somewhere()
    }

    fn current_directly(_, this;) {
        list(this).current()
    }

    fn key_directly(_, this;) {
        list(this).cursor().key
    }

    fn next_directly(_, this;) {
        // An element that goes may have a destructor.
        let list = list(this);
        let is_kept = list.mode & DELETE == 0;
        is_kept.then(|| {
            list.advance(list.mode);
            Value::NULL
        })
    }
}

fn take(call: &mut Call<'_>, front: bool, problem: &str) -> PhpResult<Value> {
    let object = this(call);
    let values = &mut list(&object).values;
    let taken = if front {
        values.pop_front()
    } else {
        values.pop_back()
    };
    match taken {
        Some(value) => Ok(value),
        None => Err(throw(call.vm, "RuntimeException", problem)),
    }
}

fn peek(call: &mut Call<'_>, front: bool) -> PhpResult<Value> {
    let object = this(call);
    let values = &list(&object).values;
    match if front { values.front() } else { values.back() } {
        Some(value) => Ok(value.clone()),
        None => Err(throw(
            call.vm,
            "RuntimeException",
            "Can't peek at an empty datastructure",
        )),
    }
}

/// A loop over a list: its place is its own, and it keeps the mode that it began with.
struct Walk {
    over: ObjectHandle,
    mode: i64,
    cursor: Rc<Cell<Cursor>>,
}

impl Walk {
    fn new(over: &ObjectHandle) -> Walk {
        let list = list(over);
        Walk {
            over: over.clone(),
            mode: list.mode,
            cursor: list.values.begin_loop(),
        }
    }
}

impl NativeIterator for Walk {
    fn current(&mut self, _vm: &mut Vm) -> PhpResult<Value> {
        let element = list(&self.over).values.at(self.cursor.get());
        Ok(element.cloned().unwrap_or(Value::NULL))
    }

    fn key(&mut self, _vm: &mut Vm) -> PhpResult<Value> {
        Ok(Value::from(self.cursor.get().key))
    }

    fn next(&mut self, _vm: &mut Vm) -> PhpResult<()> {
        let values = &mut list(&self.over).values;
        let cursor = self.cursor.get();
        self.cursor.set(values.after(cursor, self.mode));
        if cursor.is_somewhere() {
            let removed = values.remove_behind(self.mode);
            drop(removed);
        }
        Ok(())
    }

    fn valid(&mut self, _vm: &mut Vm) -> PhpResult<bool> {
        Ok(self.cursor.get().is_somewhere())
    }

    fn rewind(&mut self, _vm: &mut Vm) -> PhpResult<()> {
        self.cursor.set(list(&self.over).values.first(self.mode));
        Ok(())
    }

    fn fetch(
        &mut self,
        _vm: &mut Vm,
        goes_on: bool,
        wants_key: bool,
    ) -> PhpResult<Option<Fetched>> {
        let values = &mut list(&self.over).values;
        let mut cursor = self.cursor.get();
        if goes_on {
            let was_somewhere = cursor.is_somewhere();
            cursor = values.after(cursor, self.mode);
            if self.mode & DELETE != 0 && was_somewhere {
                self.cursor.set(cursor);
                let removed = values.remove_behind(self.mode);
                drop(removed);
                cursor = self.cursor.get();
            }
            self.cursor.set(cursor);
            if !cursor.is_somewhere() {
                return Ok(None);
            }
        }
        // What was removed may have changed the list.
        let value = list(&self.over).values.at(cursor).cloned();
        let key = wants_key.then(|| Value::from(cursor.key));
        Ok(Some((value.unwrap_or(Value::NULL), key)))
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        visitor(&Zval::from_object(self.over.as_ptr()));
    }
}

/// What a method that takes a step does.
fn step(_vm: &mut Vm, object: &ObjectHandle, step: Step) -> PhpResult<Value> {
    let list = list(object);
    Ok(match step {
        Step::Rewind => {
            list.rewind();
            Value::NULL
        }
        Step::Valid => list.cursor().is_somewhere().into(),
        Step::Current => list.current(),
        Step::Key => Value::from(list.cursor().key),
        Step::Next => {
            let removed = list.advance(list.mode);
            drop(removed);
            Value::NULL
        }
    })
}

fn set_mode(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, mode) = (this(call), call.long(0));
    let list = list(&object);
    if list.fixed_direction && (mode & LIFO) != (list.mode & LIFO) {
        return Err(throw(
            call.vm,
            "RuntimeException",
            "Iterators' LIFO/FIFO modes for SplStack/SplQueue objects are frozen",
        ));
    }
    list.mode = mode & (LIFO | DELETE);
    Ok(Value::from(
        list.mode | if list.fixed_direction { 4 } else { 0 },
    ))
}

/// The offset argument as an integer.
fn offset(call: &mut Call<'_>) -> PhpResult<i64> {
    let value = call.value(0);
    let method = call.function().display_name();
    let method = method.rsplit("::").next().unwrap_or_default();
    offset_of(call.vm, &value, method)
}

/// An offset as the `int` argument of a method that it is.
fn offset_of(vm: &mut Vm, value: &Zval, method: &str) -> PhpResult<i64> {
    Ok(match value.view() {
        ValueKind::Long(offset) => offset,
        ValueKind::Null => {
            vm.deprecated(format!(
                "SplDoublyLinkedList::{method}(): Passing null to parameter #1 ($index) of type int \
                 is deprecated"
            ));
            vm.check()?;
            0
        }
        _ => match scalar_to_long(vm, value)? {
            Some(offset) => offset,
            None => return Err(bad_offset(vm, value, method)),
        },
    })
}

fn bad_offset(vm: &mut Vm, value: &Zval, method: &str) -> vm_runtime::vm::Thrown {
    let given = value_name(value);
    let wanted = if method == "offsetSet" { "?int" } else { "int" };
    vm.throw_error(
        vm_runtime::exceptions::KnownClass::TypeError,
        format!(
            "SplDoublyLinkedList::{method}(): Argument #1 ($index) must be of type {wanted}, \
             {given} given"
        ),
    )
}

fn test_offset(vm: &mut Vm, object: *mut PhpObject, value: &Zval, truthy: bool) -> PhpResult<bool> {
    let offset = offset_of(vm, value, "offsetExists")?;
    // SAFETY: I3: the object is live, by the caller.
    let list = list(unsafe { &*object });
    Ok(list.get(offset).is_some_and(|value| {
        if truthy {
            vm_runtime::operators::to_bool(value)
        } else {
            true
        }
    }))
}

fn out_of_range(call: &mut Call<'_>, text: &str) -> vm_runtime::vm::Thrown {
    let function = call.function().display_name();
    throw(
        call.vm,
        "OutOfRangeException",
        &format!("{function}(): Argument #1 ($index) {text}"),
    )
}

fn offset_get(call: &mut Call<'_>) -> PhpResult<Value> {
    let wanted = offset(call)?;
    let object = this(call);
    let list = list(&object);
    match list.get(wanted) {
        Some(value) => Ok(value.clone()),
        None => Err(out_of_range(call, "is out of range")),
    }
}

fn offset_set(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, value) = (this(call), call.value(1));
    if call.argument(0).deref().is_null() {
        list(&object).values.push_back(value);
        return Ok(Value::NULL);
    }
    let wanted = offset(call)?;
    let list = list(&object);
    match list.index(wanted) {
        Some(index) => {
            let old = list.values.replace(index, value);
            drop(old);
            Ok(Value::NULL)
        }
        None => Err(out_of_range(call, "is out of range")),
    }
}

fn offset_unset(call: &mut Call<'_>) -> PhpResult<Value> {
    let wanted = offset(call)?;
    let object = this(call);
    let list = list(&object);
    match list.index(wanted) {
        Some(index) => {
            let removed = list.values.remove(index);
            drop(removed);
            Ok(Value::NULL)
        }
        None => Err(out_of_range(call, "is out of range")),
    }
}

fn add(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, wanted, value) = (this(call), call.long(0), call.value(1));
    let list = list(&object);
    let length = list.values.len() as i64;
    if !(0..=length).contains(&wanted) {
        return Err(out_of_range(call, "is out of range"));
    }
    if wanted == length {
        list.values.push_back(value);
    } else {
        let index = if list.is_lifo() {
            // In front of the element that has this offset, in the order of the list itself.
            length - 1 - wanted
        } else {
            wanted
        };
        list.values.insert(index as usize, value);
    }
    Ok(Value::NULL)
}

fn debug_info(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { &*object };
    let mut table = vm_runtime::operators::convert::property_table(vm, object);
    let list = list(object);
    let values: Vec<Value> = list.values.iter().cloned().collect();
    let flags = list.mode | if list.fixed_direction { 4 } else { 0 };
    table
        .make_mut(vm)
        .set_bytes(b"\0SplDoublyLinkedList\0flags", flags.into());
    let values = crate::support::list(vm, values);
    table
        .make_mut(vm)
        .set_bytes(b"\0SplDoublyLinkedList\0dllist", values);
    Ok(table)
}

fn serialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let values: Vec<Value> = list(&object).values.iter().cloned().collect();
    let flags = Value::from(list(&object).mode | if list(&object).fixed_direction { 4 } else { 0 });
    let values = crate::support::list(call.vm, values);
    let members = vm_runtime::operators::convert::property_table(call.vm, &object);
    Ok(crate::support::list(
        call.vm,
        [flags, values, members.into()],
    ))
}

fn unserialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let parts = call.array(0);
    let flags = parts
        .get_long(0)
        .filter(|flags| flags.kind() == LONG)
        .map(Zval::long);
    let values = parts
        .get_long(1)
        .filter(|values| !values.is_reference())
        .map(Value::share)
        .and_then(|values| values.array());
    let members = parts
        .get_long(2)
        .map(Value::share)
        .and_then(|part| part.array());
    let (Some(flags), Some(values), Some(members)) = (flags, values, members) else {
        return Err(throw(
            call.vm,
            "UnexpectedValueException",
            "Incomplete or ill-typed serialization data",
        ));
    };
    let list = list(&object);
    list.mode = flags & (LIFO | DELETE);
    for (_, value) in values.iter() {
        list.values.push_back(Value::share(value));
    }
    legacy::load_members(call.vm, &object, &members)?;
    Ok(Value::NULL)
}

fn serialize_legacy(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = this(call);
    let flags = list(&object).mode | if list(&object).fixed_direction { 4 } else { 0 };
    let mut writer = legacy::Writer::new(call.vm);
    writer.value(call.vm, &Value::from(flags))?;
    // Code of the script that serialises an element may take others away.
    let mut index = 0;
    while let Some(value) = list(&object).values.get(index).cloned() {
        writer.bytes(b":");
        writer.value(call.vm, &value)?;
        index += 1;
    }
    writer.finish(call.vm)
}

fn unserialize_legacy(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, text) = (this(call), call.string(0));
    if text.is_empty() {
        return Ok(Value::NULL);
    }
    let removed = list(&object).values.take_all();
    drop(removed);
    let mut reader = legacy::Reader::new(call.vm, &text);
    let flags = reader.value(call.vm)?;
    if flags.kind() != LONG {
        return Err(reader.error(call.vm));
    }
    list(&object).mode = flags.long() & (LIFO | DELETE);
    while reader.peek() == b':' {
        reader.expect(call.vm, b':')?;
        let value = reader.value(call.vm)?;
        list(&object).values.push_back(value);
    }
    if !reader.is_at_end() {
        return Err(reader.error(call.vm));
    }
    reader.finish(call.vm)?;
    Ok(Value::NULL)
}
