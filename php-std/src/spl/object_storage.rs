//! SplObjectStorage: objects as keys, each with data.

use std::any::Any;
use std::collections::VecDeque;

use vm_runtime::class::{Class, NativeClass, NativeHandlers, method};
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject};
use vm_runtime::value::{ArrayHandle, OBJECT, ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::spl::{legacy, this, throw};

/// The native part: objects and data in order of attachment.
#[derive(Default)]
struct Storage {
    entries: VecDeque<(ObjectHandle, Value)>,
    /// The number of each entry; they grow, so an entry is found by its number.
    numbers: VecDeque<u64>,
    /// The number of the next entry.
    next: u64,
    /// Entry of each object, by address.
    index: hashbrown::HashMap<usize, u64>,
    position: usize,
}

impl NativeData for Storage {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(Storage {
            entries: self.entries.clone(),
            numbers: self.numbers.clone(),
            next: self.next,
            index: self.index.clone(),
            position: 0,
        }))
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        for (object, data) in &self.entries {
            visitor(&Zval::from_object(object.as_ptr()));
            visitor(data.as_zval());
        }
    }
}

fn key(object: &ObjectHandle) -> usize {
    object.as_ptr() as usize
}

impl Storage {
    fn attach(&mut self, object: ObjectHandle, data: Value) -> Option<Value> {
        if let Some(position) = self.place(&object) {
            return Some(std::mem::replace(&mut self.entries[position].1, data));
        }
        self.index.insert(key(&object), self.next);
        self.numbers.push_back(self.next);
        self.entries.push_back((object, data));
        self.next += 1;
        None
    }

    fn detach(&mut self, object: &ObjectHandle) -> Option<(ObjectHandle, Value)> {
        let number = self.index.remove(&key(object))?;
        let position = self.numbers.binary_search(&number).ok()?;
        self.numbers.remove(position);
        let removed = self.entries.remove(position)?;
        if position < self.position {
            self.position -= 1;
        }
        Some(removed)
    }

    /// Where the entry of an object is.
    fn place(&self, object: &ObjectHandle) -> Option<usize> {
        let number = self.index.get(&key(object))?;
        self.numbers.binary_search(number).ok()
    }

    fn contains(&self, object: &ObjectHandle) -> bool {
        self.index.contains_key(&key(object))
    }
}

fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::<Storage>::default())
}

fn storage(object: &PhpObject) -> &mut Storage {
    object.native::<Storage>().expect("made with the object")
}

const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(debug_info),
    direct_offsets: Some(|offset| offset.deref().kind() == OBJECT),
    offset_exists: Some(test_offset),
    ..NativeHandlers::STANDARD
};

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new(
    "class SplObjectStorage implements Countable, SeekableIterator, Serializable, ArrayAccess",
)
.create_native(create)
.handlers(&HANDLERS)
.methods(&[
    method(
        "tentative public function attach(object $object, mixed $info = null): void",
        attach,
    ),
    method(
        "tentative public function detach(object $object): void",
        detach,
    ),
    method(
        "tentative public function contains(object $object): bool",
        contains,
    ),
    method(
        "tentative public function addAll(SplObjectStorage $storage): int",
        add_all,
    ),
    method(
        "tentative public function removeAll(SplObjectStorage $storage): int",
        remove_all,
    ),
    method(
        "tentative public function removeAllExcept(SplObjectStorage $storage): int",
        remove_all_except,
    ),
    method("tentative public function getInfo(): mixed", |call| {
        let object = this(call);
        let storage = storage(&object);
        Ok(storage
            .entries
            .get(storage.position)
            .map_or(Value::NULL, |(_, data)| data.clone()))
    }),
    method(
        "tentative public function setInfo(mixed $info): void",
        set_info,
    ),
    method(
        "tentative public function count(int $mode = COUNT_NORMAL): int",
        |call| Ok(Value::from(storage(&this(call)).entries.len())),
    ),
    method("tentative public function rewind(): void", |call| {
        storage(&this(call)).position = 0;
        Ok(Value::NULL)
    }),
    method("tentative public function valid(): bool", |call| {
        let object = this(call);
        let storage = storage(&object);
        Ok((storage.position < storage.entries.len()).into())
    }),
    method("tentative public function key(): int", |call| {
        Ok(Value::from(storage(&this(call)).position))
    }),
    method("tentative public function current(): object", current),
    method("tentative public function next(): void", |call| {
        storage(&this(call)).position += 1;
        Ok(Value::NULL)
    }),
    method("public function seek(int $offset): void", seek),
    method(
        "tentative public function offsetExists($object): bool",
        contains,
    ),
    method(
        "tentative public function offsetGet($object): mixed",
        offset_get,
    ),
    method(
        "tentative public function offsetSet($object, mixed $info = null): void",
        attach,
    ),
    method(
        "tentative public function offsetUnset($object): void",
        detach,
    ),
    method(
        "tentative public function getHash(object $object): string",
        get_hash,
    ),
    method(
        "tentative public function serialize(): string",
        serialize_legacy,
    ),
    method(
        "tentative public function unserialize(string $data): void",
        unserialize_legacy,
    ),
    method("tentative public function __serialize(): array", serialize),
    method(
        "tentative public function __unserialize(array $data): void",
        unserialize,
    ),
    method("tentative public function __debugInfo(): array", |call| {
        let object = this(call);
        Ok(debug_info(call.vm, object.as_ptr())?.into())
    }),
])];

fn object_argument(call: &mut Call<'_>) -> PhpResult<ObjectHandle> {
    match call.value(0).object() {
        Some(object) => Ok(object),
        None => {
            let value = call.value(0);
            let given = vm_runtime::operators::value_name(&value);
            Err(call.type_error(0, &format!("must be of type object, {given} given")))
        }
    }
}

fn attach(call: &mut Call<'_>) -> PhpResult<Value> {
    let (owner, object, data) = (this(call), object_argument(call)?, call.value(1));
    let old = storage(&owner).attach(object, data);
    drop(old);
    Ok(Value::NULL)
}

fn detach(call: &mut Call<'_>) -> PhpResult<Value> {
    let (owner, object) = (this(call), object_argument(call)?);
    let removed = storage(&owner).detach(&object);
    drop(removed);
    Ok(Value::NULL)
}

fn contains(call: &mut Call<'_>) -> PhpResult<Value> {
    let (owner, object) = (this(call), object_argument(call)?);
    Ok(storage(&owner).contains(&object).into())
}

fn test_offset(vm: &mut Vm, owner: *mut PhpObject, offset: &Zval, truthy: bool) -> PhpResult<bool> {
    // SAFETY: I3: the object is live, by the caller.
    let owner = unsafe { &*owner };
    let Some(object) = Value::share(offset).object() else {
        let given = vm_runtime::operators::value_name(offset);
        return Err(vm.throw_error(
            vm_runtime::exceptions::KnownClass::TypeError,
            format!("SplObjectStorage::offsetExists(): Argument #1 ($object) must be of type object, {given} given"),
        ));
    };
    let storage = storage(owner);
    let Some(position) = storage.place(&object) else {
        return Ok(false);
    };
    Ok(!truthy || vm_runtime::operators::to_bool(&storage.entries[position].1))
}

fn count_of(owner: &PhpObject) -> PhpResult<Value> {
    Ok(Value::from(storage(owner).entries.len()))
}

fn other_entries(call: &Call<'_>) -> VecDeque<(ObjectHandle, Value)> {
    storage(&call.object(0)).entries.clone()
}

fn add_all(call: &mut Call<'_>) -> PhpResult<Value> {
    let owner = this(call);
    for (object, data) in other_entries(call) {
        drop(storage(&owner).attach(object, data));
    }
    count_of(&owner)
}

fn remove_all(call: &mut Call<'_>) -> PhpResult<Value> {
    let owner = this(call);
    for (object, _) in other_entries(call) {
        drop(storage(&owner).detach(&object));
    }
    storage(&owner).position = 0;
    count_of(&owner)
}

fn remove_all_except(call: &mut Call<'_>) -> PhpResult<Value> {
    let owner = this(call);
    let other = call.object(0);
    for (object, _) in storage(&owner).entries.clone() {
        if !storage(&other).contains(&object) {
            drop(storage(&owner).detach(&object));
        }
    }
    storage(&owner).position = 0;
    count_of(&owner)
}

fn set_info(call: &mut Call<'_>) -> PhpResult<Value> {
    let (owner, data) = (this(call), call.value(0));
    let storage = storage(&owner);
    if let Some((_, place)) = storage.entries.get_mut(storage.position) {
        let old = std::mem::replace(place, data);
        drop(old);
    }
    Ok(Value::NULL)
}

fn current(call: &mut Call<'_>) -> PhpResult<Value> {
    let owner = this(call);
    let storage = storage(&owner);
    match storage.entries.get(storage.position) {
        Some((object, _)) => Ok(object.clone().into()),
        None => Err(throw(
            call.vm,
            "RuntimeException",
            "Called current() on invalid iterator",
        )),
    }
}

fn seek(call: &mut Call<'_>) -> PhpResult<Value> {
    let (owner, wanted) = (this(call), call.long(0));
    let storage = storage(&owner);
    if wanted < 0 || wanted as usize >= storage.entries.len() {
        return Err(throw(
            call.vm,
            "OutOfBoundsException",
            &format!("Seek position {wanted} is out of range"),
        ));
    }
    storage.position = wanted as usize;
    Ok(Value::NULL)
}

fn offset_get(call: &mut Call<'_>) -> PhpResult<Value> {
    let (owner, object) = (this(call), object_argument(call)?);
    let storage = storage(&owner);
    match storage.place(&object) {
        Some(position) => Ok(storage.entries[position].1.clone()),
        None => Err(throw(
            call.vm,
            "UnexpectedValueException",
            "Object not found",
        )),
    }
}

fn get_hash(call: &mut Call<'_>) -> PhpResult<Value> {
    let id = call.object(0).id;
    Ok(call.vm.string(format!("{id:016x}{:016x}", 0)).into())
}

/// A list of pairs of object and data.
fn debug_info(vm: &mut Vm, owner: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the object is live, by the caller.
    let owner = unsafe { &*owner };
    let mut table = vm_runtime::operators::convert::property_table(vm, owner);
    let mut pairs = vm.new_array();
    for (object, data) in storage(owner).entries.clone() {
        let mut pair = vm.new_array();
        pair.make_mut(vm).set_bytes(b"obj", object.into());
        pair.make_mut(vm).set_bytes(b"inf", data);
        let _ = pairs.make_mut(vm).push(pair.into());
    }
    table
        .make_mut(vm)
        .set_bytes(b"\0SplObjectStorage\0storage", pairs.into());
    Ok(table)
}

fn serialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let owner = this(call);
    let mut flat = Vec::new();
    for (object, data) in storage(&owner).entries.clone() {
        flat.push(object.into());
        flat.push(data);
    }
    let flat = crate::support::list(call.vm, flat);
    let members = vm_runtime::operators::convert::property_table(call.vm, &owner);
    Ok(crate::support::list(call.vm, [flat, members.into()]))
}

fn unserialize(call: &mut Call<'_>) -> PhpResult<Value> {
    let owner = this(call);
    let parts = call.array(0);
    let flat = parts
        .get_long(0)
        .map(Value::share)
        .and_then(|flat| flat.array());
    let Some(flat) = flat else {
        return Err(throw(
            call.vm,
            "UnexpectedValueException",
            "Incomplete or ill-typed serialization data",
        ));
    };
    if flat.len() % 2 != 0 {
        return Err(throw(
            call.vm,
            "UnexpectedValueException",
            "Odd number of elements",
        ));
    }
    let values: Vec<Value> = flat.iter().map(|(_, value)| Value::share(value)).collect();
    for pair in values.chunks(2) {
        let Some(object) = pair[0].object() else {
            return Err(throw(call.vm, "UnexpectedValueException", "Non-object key"));
        };
        drop(storage(&owner).attach(object, pair[1].clone()));
    }
    if let Some(members) = parts
        .get_long(1)
        .map(Value::share)
        .and_then(|part| part.array())
    {
        legacy::load_members(call.vm, &owner, &members)?;
    }
    Ok(Value::NULL)
}

fn serialize_legacy(call: &mut Call<'_>) -> PhpResult<Value> {
    let owner = this(call);
    let entries = storage(&owner).entries.clone();
    let mut writer = legacy::Writer::new(call.vm);
    writer.bytes(b"x:");
    writer.value(call.vm, &Value::from(entries.len()))?;
    for (object, data) in entries {
        writer.value(call.vm, &object.into())?;
        writer.bytes(b",");
        writer.value(call.vm, &data)?;
        writer.bytes(b";");
    }
    writer.members(call.vm, &owner)
}

fn unserialize_legacy(call: &mut Call<'_>) -> PhpResult<Value> {
    let (owner, text) = (this(call), call.string(0));
    if text.is_empty() {
        return Ok(Value::NULL);
    }
    let mut reader = legacy::Reader::new(call.vm, &text);
    reader.expect(call.vm, b'x')?;
    reader.expect(call.vm, b':')?;
    let count = reader.number(call.vm)?;
    if count < 0 {
        return Err(reader.error(call.vm));
    }
    for _ in 0..count {
        reader.expect(call.vm, b';')?;
        if !matches!(reader.peek(), b'O' | b'C' | b'r') {
            return Err(reader.error(call.vm));
        }
        let entry = reader.value(call.vm)?;
        let mut data = Value::NULL;
        if reader.peek() == b',' {
            reader.expect(call.vm, b',')?;
            data = reader.value(call.vm)?;
        }
        let Some(object) = entry.object() else {
            return Err(reader.error(call.vm));
        };
        drop(storage(&owner).attach(object, data));
    }
    reader.expect(call.vm, b';')?;
    reader.members(call.vm, &owner)?;
    Ok(Value::NULL)
}
