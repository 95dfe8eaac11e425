//! SplObjectStorage: objects as keys, each with data.

use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;

use hashbrown::{HashMap, HashTable};
use vm_runtime::class::{Class, Fetched, NativeClass, NativeHandlers, Step, direct_method, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};

use vm_runtime::object::{NativeData, PhpObject};
use vm_runtime::operators::compare;
use vm_runtime::value::{ArrayHandle, OBJECT, ObjectHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::spl::{legacy, this, throw};
use crate::support::{Plain, direct, this_of};

/// The native part: objects and data in order of attachment.
#[derive(Default)]
struct Storage {
    entries: VecDeque<(ObjectHandle, Value)>,
    /// The number of each entry; they grow, so an entry is found by its number.
    numbers: VecDeque<u64>,
    /// The number of the next entry.
    next: u64,
    /// Entry of each object by its address, once there were more than [`FEW`].
    by_address: HashTable<(usize, u64)>,
    /// Whether that has all of them.
    is_indexed: bool,
    /// Entry of each object by what `getHash()` said.
    by_hash: HashMap<Box<[u8]>, u64, foldhash::fast::RandomState>,
    position: usize,
    /// How many entries a loop has gone over: its key. Those that are removed meanwhile count.
    passed: usize,
    /// Where an object was found last: it is mostly asked for again.
    last: Cell<usize>,
}

/// So many entries are looked through faster than an index is made.
const FEW: usize = 8;

/// What an object is found by.
#[derive(Debug)]
enum StorageKey {
    /// Its address.
    Object(usize),
    /// What an overridden `getHash()` says.
    Hash(Box<[u8]>),
}

/// The hash of an address, which nobody chooses: all of its bits in the upper ones, too.
#[inline]
fn hash_of(address: usize) -> u64 {
    let mixed = (address as u64 >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 32
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
            by_address: self.by_address.clone(),
            is_indexed: self.is_indexed,
            by_hash: self.by_hash.clone(),
            position: 0,
            passed: 0,
            last: Cell::new(0),
        }))
    }

    fn compare(&self, vm: &mut Vm, _this: &PhpObject, other: &PhpObject) -> Option<i32> {
        let other = other.native::<Storage>()?;
        if self.entries.len() != other.entries.len() {
            return Some(if self.entries.len() < other.entries.len() {
                -1
            } else {
                1
            });
        }
        // Comparing data may run code of the script, which may change both.
        let own: Vec<(ObjectHandle, Value)> = self.entries.iter().cloned().collect();
        let others: HashMap<*mut PhpObject, Value> = (other.entries.iter())
            .map(|(object, data)| (object.as_ptr(), data.clone()))
            .collect();
        for (object, data) in own {
            let order = match others.get(&object.as_ptr()) {
                Some(found) => compare(vm, &data, found),
                None => 1,
            };
            if order != 0 {
                return Some(order);
            }
        }
        // The properties decide.
        None
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        for (object, data) in &self.entries {
            visitor(&Zval::from_object(object.as_ptr()));
            visitor(data.as_zval());
        }
    }
}

/// The key of an object in a storage, which may be told by user code.
fn key(vm: &mut Vm, owner: &ObjectHandle, object: &ObjectHandle) -> PhpResult<StorageKey> {
    let address = StorageKey::Object(object.as_ptr() as usize);
    let class = owner.class();
    if class.flags & class_flags::INTERNAL != 0 {
        return Ok(address);
    }
    let Some(&method) = class.methods.get(b"gethash") else {
        return Ok(address);
    };
    // SAFETY: I4: methods live as long as their class.
    if unsafe { !(*method).is_user } {
        return Ok(address);
    }
    let hash = vm.call_plain_method(method, owner, [object.clone().into()])?;
    match hash.as_bytes() {
        Some(hash) => Ok(StorageKey::Hash(hash.into())),
        None => {
            let given = vm_runtime::operators::value_name(&hash);
            let class = class.display_name();
            let message = format!(
                "{class}::getHash(): Return value must be of type string, {given} returned"
            );
            Err(vm.throw_error(KnownClass::TypeError, message))
        }
    }
}

/// Adds an object, or replaces its data.
fn put(vm: &mut Vm, owner: &ObjectHandle, object: ObjectHandle, data: Value) -> PhpResult<()> {
    let key = key(vm, owner, &object)?;
    let old = storage(owner).attach(key, object, data);
    drop(old);
    Ok(())
}

/// Removes an object.
fn take(vm: &mut Vm, owner: &ObjectHandle, object: &ObjectHandle) -> PhpResult<()> {
    let key = key(vm, owner, object)?;
    let removed = storage(owner).detach(&key);
    drop(removed);
    Ok(())
}

/// Where the entry of an object is.
fn place(vm: &mut Vm, owner: &ObjectHandle, object: &ObjectHandle) -> PhpResult<Option<usize>> {
    let key = key(vm, owner, object)?;
    Ok(storage(owner).place(&key))
}

impl Storage {
    fn attach(&mut self, key: StorageKey, object: ObjectHandle, data: Value) -> Option<Value> {
        if let Some(position) = self.place(&key) {
            return Some(std::mem::replace(&mut self.entries[position].1, data));
        }
        if self.entries.is_empty() {
            self.entries.reserve(FEW);
            self.numbers.reserve(FEW);
        }
        match key {
            StorageKey::Object(address) if self.is_indexed => self.index(address, self.next),
            StorageKey::Object(address) if self.entries.len() == FEW => {
                self.is_indexed = true;
                let rehash = |(address, _): &(usize, u64)| hash_of(*address);
                self.by_address.reserve(4 * FEW, rehash);
                for place in 0..self.entries.len() {
                    let known = self.entries[place].0.as_ptr() as usize;
                    self.index(known, self.numbers[place]);
                }
                self.index(address, self.next);
            }
            StorageKey::Object(_) => {}
            StorageKey::Hash(hash) => {
                self.by_hash.insert(hash, self.next);
            }
        }
        self.numbers.push_back(self.next);
        self.entries.push_back((object, data));
        self.next += 1;
        None
    }

    /// Notes the number of the entry of an address.
    fn index(&mut self, address: usize, number: u64) {
        let rehash = |(address, _): &(usize, u64)| hash_of(*address);
        self.by_address
            .insert_unique(hash_of(address), (address, number), rehash);
    }

    /// Where the entry of an address is among a few.
    fn scan(&self, address: usize) -> Option<usize> {
        let mut objects = self.entries.iter().map(|(object, _)| object);
        objects.position(|object| object.as_ptr() as usize == address)
    }

    fn detach(&mut self, key: &StorageKey) -> Option<(ObjectHandle, Value)> {
        let number = match key {
            StorageKey::Object(address) if !self.is_indexed => {
                self.scan(*address).map(|place| self.numbers[place])
            }
            StorageKey::Object(address) => {
                let is_it = |(known, _): &(usize, u64)| known == address;
                let entry = self.by_address.find_entry(hash_of(*address), is_it);
                entry.ok().map(|entry| entry.remove().0.1)
            }
            StorageKey::Hash(hash) => self.by_hash.remove(hash),
        }?;
        let position = self.numbers.binary_search(&number).ok()?;
        self.numbers.remove(position);
        if position < self.position {
            self.position -= 1;
        }
        self.entries.remove(position)
    }

    /// Back to the first entry.
    fn rewind(&mut self) {
        (self.position, self.passed) = (0, 0);
    }

    /// To the next entry; behind the last one only the steps are counted.
    fn go_on(&mut self) {
        self.position = (self.position + 1).min(self.entries.len());
        self.passed += 1;
    }

    /// Where the entry of an object is.
    #[inline]
    fn place(&self, key: &StorageKey) -> Option<usize> {
        if let StorageKey::Object(address) = key {
            // Or for the one behind it.
            let last = self.last.get();
            let likely = [last, last + 1].into_iter().find(|&place| {
                let entry = self.entries.get(place);
                entry.is_some_and(|(object, _)| object.as_ptr() as usize == *address)
            });
            if let Some(place) = likely {
                self.last.set(place);
                return Some(place);
            }
        }
        let place = self.look_up(key)?;
        self.last.set(place);
        Some(place)
    }

    fn look_up(&self, key: &StorageKey) -> Option<usize> {
        let number = match key {
            StorageKey::Object(address) if !self.is_indexed => return self.scan(*address),
            StorageKey::Object(address) => {
                let is_it = |(known, _): &(usize, u64)| known == address;
                self.by_address.find(hash_of(*address), is_it)?.1
            }
            StorageKey::Hash(hash) => *self.by_hash.get(hash)?,
        };
        // As long as nothing was removed in between, entries stand as far apart as their numbers.
        let guess = number.checked_sub(*self.numbers.front()?)? as usize;
        if self.numbers.get(guess) == Some(&number) {
            return Some(guess);
        }
        self.numbers.binary_search(&number).ok()
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
    offset_place: Some(|owner, offset, _| {
        let key = <&PhpObject>::of(offset).and_then(|object| plain_key(owner, object));
        let storage = storage(owner);
        match key.and_then(|key| storage.place(&key)) {
            Some(place) => storage.entries[place].1.as_zval_mut(),
            None => std::ptr::null_mut(),
        }
    }),
    direct_offsets: Some(|offset| offset.deref().kind() == OBJECT),
    offset_value: Some(|vm, owner, offset| {
        // SAFETY: I3: the caller keeps both; direct offsets are objects.
        let (own, object) = unsafe { (&*owner, &*offset.deref().object()) };
        if let Some(key) = plain_key(own, object) {
            let storage = storage(own);
            if let Some(place) = storage.place(&key) {
                return Ok(storage.entries[place].1.clone());
            }
        }
        // SAFETY: as above.
        let (owner, object) = unsafe {
            (
                ObjectHandle::share_raw(owner),
                ObjectHandle::share_raw(offset.deref().object()),
            )
        };
        data_of(vm, &owner, &object)
    }),
    offset_store: Some(|vm, owner, offset, value| {
        // SAFETY: I3: the caller keeps the object.
        let own = unsafe { &*owner };
        let plain = offset.and_then(|offset| plain_key(own, <&PhpObject>::of(offset)?));
        if let Some(key) = plain {
            let storage = storage(own);
            if let Some(place) = storage.place(&key) {
                let old = std::mem::replace(&mut storage.entries[place].1, value);
                drop(old);
                return Ok(());
            }
        }
        // SAFETY: as above.
        let owner = unsafe { ObjectHandle::share_raw(owner) };
        match offset.and_then(|offset| Value::share(offset).object()) {
            Some(object) => put(vm, &owner, object, value),
            None => {
                let message = "SplObjectStorage::offsetSet(): Argument #1 ($object) must be of type object, null given";
                Err(vm.throw_error(KnownClass::TypeError, message))
            }
        }
    }),
    step: Some(step),
    fetch: Some(fetch),
    offset_exists: Some(test_offset),
    // Other than `detach()` it leaves a loop where it is.
    offset_unset: Some(|vm, owner, offset| {
        // SAFETY: I3: the caller keeps the object.
        let owner = unsafe { ObjectHandle::share_raw(owner) };
        match Value::share(offset).object() {
            Some(object) => take(vm, &owner, &object).map(|()| true),
            None => Ok(false),
        }
    }),
    ..NativeHandlers::STANDARD
};

pub(super) static CLASSES: &[&NativeClass] = &[&NativeClass::new(
    "class SplObjectStorage implements Countable, SeekableIterator, Serializable, ArrayAccess",
)
.create_native(create)
.handlers(&HANDLERS)
.methods(&[
    direct_method(
        "tentative public function attach(object $object, mixed $info = null): void",
        attach,
        attach_directly,
    ),
    method(
        "tentative public function detach(object $object): void",
        detach,
    ),
    direct_method(
        "tentative public function contains(object $object): bool",
        contains,
        contains_directly,
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
    direct_method(
        "tentative public function count(int $mode = COUNT_NORMAL): int",
        |call| Ok(Value::from(storage(&this(call)).entries.len())),
        count_directly,
    ),
    direct_method(
        "tentative public function rewind(): void",
        |call| step(call.vm, &this(call), Step::Rewind),
        rewind_directly,
    ),
    direct_method(
        "tentative public function valid(): bool",
        |call| step(call.vm, &this(call), Step::Valid),
        valid_directly,
    ),
    direct_method(
        "tentative public function key(): int",
        |call| step(call.vm, &this(call), Step::Key),
        key_directly,
    ),
    direct_method(
        "tentative public function current(): object",
        |call| step(call.vm, &this(call), Step::Current),
        current_directly,
    ),
    direct_method(
        "tentative public function next(): void",
        |call| step(call.vm, &this(call), Step::Next),
        next_directly,
    ),
    method("public function seek(int $offset): void", seek),
    method(
        "tentative public function unserialize(string $data): void",
        unserialize_legacy,
    ),
    method(
        "tentative public function serialize(): string",
        serialize_legacy,
    ),
    direct_method(
        "tentative public function offsetExists($object): bool",
        contains,
        contains_directly,
    ),
    direct_method(
        "tentative public function offsetGet($object): mixed",
        offset_get,
        offset_get_directly,
    ),
    direct_method(
        "tentative public function offsetSet($object, mixed $info = null): void",
        attach,
        attach_directly,
    ),
    method(
        "tentative public function offsetUnset($object): void",
        detach,
    ),
    method(
        "tentative public function getHash(object $object): string",
        get_hash,
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

/// A step of a loop, as the methods take it.
fn step(vm: &mut Vm, owner: &ObjectHandle, step: Step) -> PhpResult<Value> {
    let storage = storage(owner);
    Ok(match step {
        Step::Rewind => {
            storage.rewind();
            Value::NULL
        }
        Step::Valid => (storage.position < storage.entries.len()).into(),
        Step::Current => match storage.entries.get(storage.position) {
            Some((object, _)) => object.clone().into(),
            None => {
                let message = "Called current() on invalid iterator";
                return Err(throw(vm, "RuntimeException", message));
            }
        },
        Step::Key => Value::from(storage.passed),
        Step::Next => {
            storage.go_on();
            Value::NULL
        }
    })
}

/// What a loop fetches.
fn fetch(
    vm: &mut Vm,
    owner: &ObjectHandle,
    goes_on: bool,
    wants_key: bool,
) -> PhpResult<Option<Fetched>> {
    let storage = storage(owner);
    if goes_on {
        storage.go_on();
    }
    if goes_on && storage.position >= storage.entries.len() {
        return Ok(None);
    }
    let key = wants_key.then(|| Value::from(storage.passed));
    Ok(Some((step(vm, owner, Step::Current)?, key)))
}

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
    put(call.vm, &owner, object, data)?;
    Ok(Value::NULL)
}

/// The key of an object in a storage whose class cannot say another one.
#[inline]
fn plain_key(owner: &PhpObject, object: &PhpObject) -> Option<StorageKey> {
    let is_own = owner.class().flags & class_flags::INTERNAL != 0;
    is_own.then_some(StorageKey::Object(&raw const *object as usize))
}

fn attach_directly(_: &mut Vm, this: &Zval, arguments: &[Zval], result: &mut Zval) -> bool {
    let owner = this_of(this);
    let (object, data) = match arguments {
        [object] => (object, Value::NULL),
        [object, data] if !data.is_undef() => (object, Value::share(data.deref())),
        _ => return false,
    };
    let Some(key) = <&PhpObject>::of(object).and_then(|object| plain_key(owner, object)) else {
        return false;
    };
    let own = storage(owner);
    match own.place(&key) {
        // What goes may run a destructor.
        Some(place) if own.entries[place].1.as_zval().is_refcounted() => return false,
        Some(place) => own.entries[place].1 = data,
        None => {
            let Some(object) = Value::share(object).object() else {
                return false;
            };
            own.attach(key, object, data);
        }
    }
    result.set_null();
    true
}

direct! {
    fn contains_directly(_, owner; object: &PhpObject) {
        Some(storage(owner).place(&plain_key(owner, object)?).is_some())
    }

    fn offset_get_directly(_, owner; object: &PhpObject) {
        let storage = storage(owner);
        let place = storage.place(&plain_key(owner, object)?)?;
        Some(storage.entries[place].1.clone())
    }

    fn count_directly(_, owner;) {
        storage(owner).entries.len() as i64
    }

    fn rewind_directly(_, owner;) {
        storage(owner).rewind();
    }

    fn valid_directly(_, owner;) {
        let storage = storage(owner);
        storage.position < storage.entries.len()
    }

    fn key_directly(_, owner;) {
        storage(owner).passed as i64
    }

    fn current_directly(_, owner;) {
        let storage = storage(owner);
        let (object, _) = storage.entries.get(storage.position)?;
        Some(Value::from(object.clone()))
    }

    fn next_directly(_, owner;) {
        storage(owner).go_on();
    }
}

fn detach(call: &mut Call<'_>) -> PhpResult<Value> {
    let (owner, object) = (this(call), object_argument(call)?);
    take(call.vm, &owner, &object)?;
    // A loop goes on behind the first entry, as after `removeAll()`.
    storage(&owner).rewind();
    Ok(Value::NULL)
}

fn contains(call: &mut Call<'_>) -> PhpResult<Value> {
    let (owner, object) = (this(call), object_argument(call)?);
    Ok(place(call.vm, &owner, &object)?.is_some().into())
}

fn test_offset(vm: &mut Vm, owner: *mut PhpObject, offset: &Zval, truthy: bool) -> PhpResult<bool> {
    // SAFETY: I3: the object is live, by the caller.
    let owner = unsafe { ObjectHandle::share_raw(owner) };
    let Some(object) = Value::share(offset).object() else {
        let given = vm_runtime::operators::value_name(offset);
        return Err(vm.throw_error(
            KnownClass::TypeError,
            format!("SplObjectStorage::offsetExists(): Argument #1 ($object) must be of type object, {given} given"),
        ));
    };
    let Some(position) = place(vm, &owner, &object)? else {
        return Ok(false);
    };
    Ok(!truthy || vm_runtime::operators::to_bool(&storage(&owner).entries[position].1))
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
        put(call.vm, &owner, object, data)?;
    }
    count_of(&owner)
}

fn remove_all(call: &mut Call<'_>) -> PhpResult<Value> {
    let owner = this(call);
    for (object, _) in other_entries(call) {
        take(call.vm, &owner, &object)?;
    }
    storage(&owner).rewind();
    count_of(&owner)
}

fn remove_all_except(call: &mut Call<'_>) -> PhpResult<Value> {
    let owner = this(call);
    let other = call.object(0);
    for (object, _) in storage(&owner).entries.clone() {
        if place(call.vm, &other, &object)?.is_none() {
            take(call.vm, &owner, &object)?;
        }
    }
    storage(&owner).rewind();
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
    (storage.position, storage.passed) = (wanted as usize, wanted as usize);
    Ok(Value::NULL)
}

fn offset_get(call: &mut Call<'_>) -> PhpResult<Value> {
    let (owner, object) = (this(call), object_argument(call)?);
    data_of(call.vm, &owner, &object)
}

fn data_of(vm: &mut Vm, owner: &ObjectHandle, object: &ObjectHandle) -> PhpResult<Value> {
    match place(vm, owner, object)? {
        Some(position) => Ok(storage(owner).entries[position].1.clone()),
        None => Err(throw(vm, "UnexpectedValueException", "Object not found")),
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
        .filter(|flat| !flat.is_reference())
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
    // A reference to an object is no key.
    let values: Vec<(bool, Value)> = flat
        .iter()
        .map(|(_, value)| (value.is_reference(), Value::share(value)))
        .collect();
    for pair in values.chunks(2) {
        let [(false, key), (_, info)] = pair else {
            return Err(throw(call.vm, "UnexpectedValueException", "Non-object key"));
        };
        let Some(object) = key.object() else {
            return Err(throw(call.vm, "UnexpectedValueException", "Non-object key"));
        };
        put(call.vm, &owner, object, info.clone())?;
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
        put(call.vm, &owner, object, data)?;
    }
    reader.expect(call.vm, b';')?;
    reader.members(call.vm, &owner)?;
    Ok(Value::NULL)
}
