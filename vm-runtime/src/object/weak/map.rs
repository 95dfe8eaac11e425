//! WeakMap.

use std::any::Any;
use std::cell::Cell;

use super::order::Order;
use super::{CLASS_FLAGS, HEADER_WEAKLY_HELD, mark};
use crate::class::{NativeClass, NativeHandlers, direct_method, method};
use crate::exceptions::KnownClass;
use crate::function::Call;
use crate::limits::grow_table;
use crate::object::{Access, NativeData, NativeIterator, PhpObject, internal_iterator};
use crate::operators::convert::share_element;
use crate::value::{
    ArrayHandle, COLLECTABLE, Header, OBJECT, ObjectHandle, StringHandle, Value, ValueKind, Zval,
    make_reference,
};
use crate::vm::{PhpResult, Thrown, Vm};

/// An entry. The key is not counted; it takes the entry along when it goes.
pub(crate) struct Entry {
    key: *mut PhpObject,
    /// Which one it is, in order of insertion.
    number: u64,
    value: Value,
    /// The cycle collector has taken away the share of the value.
    pub taken: Cell<bool>,
}

impl Entry {
    /// The value, if it may be part of a cycle.
    pub fn collectable(&self) -> Option<*mut Header> {
        let value = self.value.as_zval();
        (value.type_info & COLLECTABLE != 0).then(|| value.counted())
    }
}

/// The entries of a WeakMap.
#[derive(Default)]
struct Entries {
    /// By the address of the key.
    table: hashbrown::HashMap<usize, Entry, foldhash::fast::FixedState>,
    /// The keys by the numbers of their entries, in order of insertion.
    order: Order,
    next: u64,
}

impl Entries {
    fn get(&self, key: *const PhpObject) -> Option<&Entry> {
        self.table.get(&(key as usize))
    }

    fn get_mut(&mut self, key: *const PhpObject) -> Option<&mut Entry> {
        self.table.get_mut(&(key as usize))
    }

    fn insert(&mut self, key: *mut PhpObject, value: Value) {
        let entry = Entry {
            key,
            number: self.next,
            value,
            taken: Cell::new(false),
        };
        self.order.push(self.next, key as usize);
        self.table.insert(key as usize, entry);
        self.next += 1;
    }

    /// Takes an entry out; the value is the caller's, for dropping it may run user code.
    fn remove(&mut self, key: *const PhpObject) -> Option<Value> {
        let entry = self.table.remove(&(key as usize))?;
        self.order.remove(entry.number);
        Some(entry.value)
    }

    /// The first entry from `number` on.
    fn from(&self, number: u64) -> Option<&Entry> {
        self.table.get(&self.order.from(number)?)
    }

    /// All entries, in order of insertion.
    fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.order.keys().filter_map(|key| self.table.get(&key))
    }
}

// Its values are not told to `visit`: they are held by map and key together, see `entries_of`.
impl NativeData for Entries {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        let mut copy = Entries::default();
        for entry in self.iter() {
            copy.insert(entry.key, share_element(&entry.value));
        }
        Some(Box::new(copy))
    }

    fn attached(&mut self, vm: &mut Vm, map: *mut PhpObject) {
        for entry in self.iter() {
            vm.weak
                .maps
                .entry(entry.key as usize)
                .or_default()
                .push(map);
        }
    }

    fn freed(&mut self, vm: &mut Vm, map: *mut PhpObject) {
        for entry in self.iter() {
            forget_map(vm, entry.key, map);
        }
    }
}

pub(super) static CLASS: NativeClass =
    NativeClass::new("final class WeakMap implements ArrayAccess, Countable, IteratorAggregate")
        .flags(CLASS_FLAGS)
        .create_native(|_, _| Some(Box::<Entries>::default()))
        .handlers(&NativeHandlers {
            debug_info: Some(map_debug_info),
            offset_pointer: Some(map_pointer),
            offset_value: Some(|vm, map, offset| {
                let pointer = map_pointer(vm, map, Some(offset), Access::Read)?;
                // SAFETY: I3: the entry is live.
                Ok(unsafe { Value::share(&*pointer) })
            }),
            offset_store: Some(map_store),
            direct_offsets: Some(|_| true),
            offset_exists: Some(test_key),
            ..NativeHandlers::STANDARD
        })
        .methods(&[
            method("public function offsetGet($object): mixed", map_get),
            method(
                "public function offsetSet($object, mixed $value): void",
                map_set,
            ),
            method("public function offsetExists($object): bool", map_exists),
            method("public function offsetUnset($object): void", map_unset),
            direct_method(
                "public function count(): int",
                |call| Ok(Value::from(entries(&this(call)).order.len())),
                |_, this, arguments, result| {
                    // SAFETY: I3: methods that are not static have a live `$this`.
                    let count = unsafe { entries(&*this.object()) }.order.len();
                    result.set_long(count as i64);
                    arguments.is_empty()
                },
            ),
            method("public function getIterator(): Iterator", map_iterator),
        ]);

/// A walk over a WeakMap. It stands at the first entry whose number is not lower.
struct MapIterator {
    map: ObjectHandle,
    number: u64,
}

impl NativeIterator for MapIterator {
    fn current(&mut self, _vm: &mut Vm) -> PhpResult<Value> {
        Ok(self.present(|entry| Value::share(&entry.value)))
    }

    fn key(&mut self, _vm: &mut Vm) -> PhpResult<Value> {
        // SAFETY: I3: keys of a map are live; they leave it when they go.
        Ok(self.present(|entry| unsafe { ObjectHandle::share_raw(entry.key).into() }))
    }

    fn next(&mut self, _vm: &mut Vm) -> PhpResult<()> {
        if let Some(entry) = entries(&self.map).from(self.number) {
            self.number = entry.number + 1;
        }
        Ok(())
    }

    fn valid(&mut self, _vm: &mut Vm) -> PhpResult<bool> {
        Ok(entries(&self.map).from(self.number).is_some())
    }

    fn rewind(&mut self, _vm: &mut Vm) -> PhpResult<()> {
        self.number = 0;
        Ok(())
    }

    fn gives_references(&self) -> bool {
        true
    }

    fn reference(&mut self, vm: &mut Vm) -> Value {
        let known = entries(&self.map);
        let key = known.from(self.number).map(|entry| entry.key);
        let Some(entry) = key.and_then(|key| known.get_mut(key)) else {
            return Value::NULL;
        };
        // SAFETY: I3: the entry is live, and its share of the reference is told from the new one.
        unsafe {
            let place = entry.value.as_zval_mut();
            make_reference(&mut vm.heap, place);
            Value::from_zval((*place).share())
        }
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        visitor(&Zval::from_object(self.map.as_ptr()));
    }
}

impl MapIterator {
    /// What `read` gives of the entry it stands at, or `null`.
    fn present(&self, read: impl FnOnce(&Entry) -> Value) -> Value {
        entries(&self.map)
            .from(self.number)
            .map_or(Value::NULL, read)
    }
}

fn this(call: &Call<'_>) -> ObjectHandle {
    // SAFETY: I3: these methods are not static, so there is a live `$this`.
    unsafe { ObjectHandle::share_raw((*call.frame).this.object()) }
}

fn entries(map: &PhpObject) -> &mut Entries {
    map.native::<Entries>()
        .expect("a WeakMap is made with its entries")
}

/// Calls `each` with the entries that a value takes part in, as map or as key, and with who else
/// does.
///
/// # Safety
/// `node` is a live value of this VM (invariant I3).
pub(crate) unsafe fn entries_of(
    vm: *mut Vm,
    node: *mut Header,
    mut each: impl FnMut(*mut Header, &Entry),
) {
    // SAFETY: I3, by the caller; maps and keys take themselves out of the table when they go.
    unsafe {
        if (*node).type_info as u8 != OBJECT {
            return;
        }
        let object = node.cast::<PhpObject>();
        if (*node).type_info & HEADER_WEAKLY_HELD != 0
            && let Some(maps) = (*vm).weak.maps.get(&(node as usize))
        {
            for &map in maps {
                if let Some(entry) = entries(&*map).get(object) {
                    each(map.cast(), entry);
                }
            }
        }
        if (*object).class == (*vm).known_class(KnownClass::WeakMap)
            && let Some(entries) = (*object).native::<Entries>()
        {
            for entry in entries.iter() {
                each(entry.key.cast(), entry);
            }
        }
    }
}

/// `key` is being freed.
pub(super) fn forget_key(map: *mut PhpObject, key: *mut PhpObject) {
    // SAFETY: I3: a WeakMap takes itself out of the table when it goes.
    let removed = unsafe { entries(&*map).remove(key) };
    drop(removed);
}

fn forget_map(vm: &mut Vm, key: *mut PhpObject, map: *mut PhpObject) {
    if let Some(maps) = vm.weak.maps.get_mut(&(key as usize)) {
        maps.retain(|found| *found != map);
    }
}

#[cold]
fn not_an_object(vm: &mut Vm) -> Thrown {
    vm.throw_error(KnownClass::TypeError, "WeakMap key must be an object")
}

fn key_argument(call: &mut Call<'_>) -> PhpResult<ObjectHandle> {
    match call.value(0).object() {
        Some(object) => Ok(object),
        None => Err(not_an_object(call.vm)),
    }
}

fn not_contained(vm: &mut Vm, key: &PhpObject) -> Thrown {
    let message = format!(
        "Object {}#{} not contained in WeakMap",
        key.class().display_name(),
        key.id
    );
    vm.throw_error(KnownClass::Error, message)
}

fn map_get(call: &mut Call<'_>) -> PhpResult<Value> {
    let key = key_argument(call)?;
    match entries(&this(call)).get(key.as_ptr()) {
        Some(entry) => Ok(Value::share(&entry.value)),
        None => Err(not_contained(call.vm, &key)),
    }
}

fn map_set(call: &mut Call<'_>) -> PhpResult<Value> {
    let (key, value, map) = (call.value(0), call.value(1), this(call));
    map_store(call.vm, map.as_ptr(), Some(&key), value)?;
    Ok(Value::NULL)
}

fn map_store(
    vm: &mut Vm,
    map: *mut PhpObject,
    offset: Option<&Zval>,
    value: Value,
) -> PhpResult<()> {
    let Some(offset) = offset else {
        return Err(vm.throw_error(KnownClass::Error, "Cannot append to WeakMap"));
    };
    let offset = offset.deref();
    if offset.kind() != OBJECT {
        return Err(not_an_object(vm));
    }
    let key = offset.object();
    // SAFETY: I3: the caller has a share of the map.
    let known = unsafe { entries(&*map) };
    if let Some(entry) = known.get_mut(key) {
        let old = std::mem::replace(&mut entry.value, value);
        drop(old);
        return Ok(());
    }
    // Before anything is changed: running out of memory must not leave a key that does not know its map.
    grow_table(&mut known.table);
    grow_table(&mut vm.weak.maps);
    known.insert(key, value);
    mark(key);
    let maps = vm.weak.maps.entry(key as usize).or_default();
    maps.push(map);
    Ok(())
}

fn map_exists(call: &mut Call<'_>) -> PhpResult<Value> {
    let key = key_argument(call)?;
    let map = this(call);
    let found = entries(&map).get(key.as_ptr());
    Ok(Value::from(
        found.is_some_and(|entry| !entry.value.is_null()),
    ))
}

/// `isset($map[$key])`, or whether the value is true.
fn test_key(vm: &mut Vm, map: *mut PhpObject, offset: &Zval, truthy: bool) -> PhpResult<bool> {
    let ValueKind::Object(key) = offset.view() else {
        return Err(not_an_object(vm));
    };
    // SAFETY: I3: the caller has a share of the map.
    let found = unsafe { entries(&*map) }.get(key);
    Ok(found.is_some_and(|entry| match truthy {
        true => crate::operators::to_bool(&entry.value),
        false => !entry.value.is_null(),
    }))
}

fn map_unset(call: &mut Call<'_>) -> PhpResult<Value> {
    let key = key_argument(call)?;
    let map = this(call);
    let removed = entries(&map).remove(key.as_ptr());
    if removed.is_some() {
        forget_map(call.vm, key.as_ptr(), map.as_ptr());
    }
    drop(removed);
    Ok(Value::NULL)
}

fn map_pointer(
    vm: &mut Vm,
    map: *mut PhpObject,
    offset: Option<&Zval>,
    access: Access,
) -> PhpResult<*mut Zval> {
    if access == Access::Unset {
        return Ok(std::ptr::null_mut());
    }
    // SAFETY: I3: the map is live, and so is a key that is an object.
    unsafe {
        let Some(offset) = offset else {
            return Err(vm.throw_error(KnownClass::Error, "Cannot append to WeakMap"));
        };
        let ValueKind::Object(key) = offset.view() else {
            return Err(not_an_object(vm));
        };
        match entries(&*map).get_mut(key) {
            Some(entry) => Ok(entry.value.as_zval_mut()),
            None => Err(not_contained(vm, key)),
        }
    }
}

fn map_iterator(call: &mut Call<'_>) -> PhpResult<Value> {
    let map = this(call);
    let iterator = Box::new(MapIterator { map, number: 0 });
    Ok(internal_iterator(call.vm, iterator)?.into())
}

/// A list of key and value pairs.
fn map_debug_info(vm: &mut Vm, map: *mut PhpObject) -> PhpResult<ArrayHandle> {
    let mut list = vm.new_array();
    // SAFETY: I3: the map and its keys are live.
    unsafe {
        for entry in entries(&*map).iter() {
            let mut pair = vm.new_array();
            let names: [StringHandle; 2] = [vm.string("key"), vm.string("value")];
            pair.make_mut(vm)
                .set_string(&names[0], ObjectHandle::share_raw(entry.key).into());
            pair.make_mut(vm).set_string(&names[1], entry.value.clone());
            let _ = list.make_mut(vm).push(pair.into());
        }
    }
    Ok(list)
}
