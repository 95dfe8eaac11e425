//! WeakReference and WeakMap.

use std::any::Any;

use crate::class::{NativeClass, NativeHandlers, method};
use crate::exceptions::KnownClass;
use crate::function::{Call, class_flags};
use crate::object::{NativeData, PhpObject};
use crate::value::{ArrayHandle, ObjectHandle, StringHandle, Value, ValueKind, Zval};
use crate::vm::{PhpResult, Thrown, Vm};

/// Header flag of objects: someone holds it weakly.
pub(crate) const HEADER_WEAKLY_HELD: u32 = 1 << 13;

/// Who holds objects weakly.
#[derive(Debug, Default)]
pub struct WeakTable {
    /// The WeakReference of each object.
    references: hashbrown::HashMap<usize, *mut PhpObject, foldhash::fast::FixedState>,
    /// The WeakMaps that have an object as key.
    maps: hashbrown::HashMap<usize, Vec<*mut PhpObject>, foldhash::fast::FixedState>,
}

/// What a WeakReference refers to, or null.
struct Referent(*mut PhpObject);

impl NativeData for Referent {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Entries of a WeakMap by object, in order of insertion. Objects are not counted.
#[derive(Default)]
struct Entries {
    order: Vec<(*mut PhpObject, Value)>,
}

impl NativeData for Entries {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        for (_, value) in &self.order {
            visitor(value.as_zval());
        }
    }
}

const MAP_FLAGS: u32 = class_flags::NO_DYNAMIC_PROPERTIES | class_flags::NOT_SERIALIZABLE;

pub(crate) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("final class WeakReference")
        .flags(MAP_FLAGS | class_flags::NOT_CLONEABLE)
        .handlers(&NativeHandlers { debug_info: Some(reference_debug_info), ..NativeHandlers::STANDARD })
        .create_native(|_, _| Some(Box::new(Referent(std::ptr::null_mut()))))
        .methods(&[
            method("public function __construct()", |call| {
                Err(call.vm.throw_error(
                    KnownClass::Error,
                    "Direct instantiation of WeakReference is not allowed, use WeakReference::create instead",
                ))
            }),
            method("public static function create(object $object): WeakReference", create),
            method("public function get(): ?object", get),
        ]),
    &NativeClass::new("final class WeakMap implements ArrayAccess, Countable, IteratorAggregate")
        .flags(MAP_FLAGS)
        .create_native(|_, _| Some(Box::<Entries>::default()))
        .handlers(&NativeHandlers {
            debug_info: Some(map_debug_info),
            offset_pointer: Some(map_pointer),
            ..NativeHandlers::STANDARD
        })
        .methods(&[
            method("public function offsetGet($object): mixed", map_get),
            method("public function offsetSet($object, mixed $value): void", map_set),
            method("public function offsetExists($object): bool", map_exists),
            method("public function offsetUnset($object): void", map_unset),
            method("public function count(): int", |call| Ok(Value::from(entries(&this(call)).order.len()))),
            method("public function getIterator(): Iterator", map_iterator),
        ]),
    &NativeClass::new("final class WeakMapIterator implements Iterator")
        .flags(MAP_FLAGS | class_flags::NOT_INSTANTIABLE)
        .create_native(|_, _| Some(Box::new(MapIterator { map: None, position: 0 })))
        .methods(&[
            method("public function current(): mixed", |call| {
                let (map, position) = iterator_state(call);
                Ok(entries(&map).order.get(position).map_or(Value::NULL, |(_, value)| value.clone()))
            }),
            method("public function key(): mixed", |call| {
                let (map, position) = iterator_state(call);
                let key = entries(&map).order.get(position).map(|(object, _)| *object);
                // SAFETY: I3: keys of a map are live; they leave it when they go.
                Ok(key.map_or(Value::NULL, |object| unsafe { ObjectHandle::share_raw(object).into() }))
            }),
            method("public function next(): void", |call| {
                if let Some(state) = this(call).native::<MapIterator>() {
                    state.position += 1;
                }
                Ok(Value::NULL)
            }),
            method("public function valid(): bool", |call| {
                let (map, position) = iterator_state(call);
                Ok(Value::from(position < entries(&map).order.len()))
            }),
            method("public function rewind(): void", |call| {
                if let Some(state) = this(call).native::<MapIterator>() {
                    state.position = 0;
                }
                Ok(Value::NULL)
            }),
        ]),
];

/// A walk over a WeakMap.
struct MapIterator {
    map: Option<ObjectHandle>,
    position: usize,
}

impl NativeData for MapIterator {
    fn as_any(&mut self) -> &mut dyn Any {
        self
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

fn iterator_state(call: &Call<'_>) -> (ObjectHandle, usize) {
    let object = this(call);
    let state = object.native::<MapIterator>();
    match state {
        Some(MapIterator {
            map: Some(map),
            position,
        }) => (map.clone(), *position),
        _ => (object.clone(), 0),
    }
}

impl Vm {
    /// Clears weak references to an object that is being freed.
    pub fn forget_weak_references(&mut self, object: *mut PhpObject) {
        // SAFETY: I3: the object is being freed and still there.
        if unsafe { (*object).header.type_info & HEADER_WEAKLY_HELD == 0 } {
            return;
        }
        let key = object as usize;
        if let Some(reference) = self.weak.references.remove(&key) {
            // SAFETY: I3: a WeakReference takes itself out of the table when it goes.
            if let Some(referent) = unsafe { (*reference).native::<Referent>() } {
                referent.0 = std::ptr::null_mut();
            }
        }
        for map in self.weak.maps.remove(&key).unwrap_or_default() {
            // SAFETY: I3: a WeakMap takes itself out of the table when it goes.
            let Some(entries) = (unsafe { (*map).native::<Entries>() }) else {
                continue;
            };
            if let Some(position) = entries.order.iter().position(|(found, _)| *found == object) {
                let value = entries.order.remove(position).1;
                drop(value);
            }
        }
    }

    /// A weak holder is being freed.
    pub(crate) fn forget_weak_holder(&mut self, holder: *mut PhpObject) {
        // SAFETY: I3: the holder is being freed and still there.
        unsafe {
            if let Some(referent) = (*holder).native::<Referent>() {
                self.weak.references.remove(&(referent.0 as usize));
            } else if let Some(entries) = (*holder).native::<Entries>() {
                for (object, _) in &entries.order {
                    self.forget_map(*object, holder);
                }
            }
        }
    }

    fn forget_map(&mut self, object: *mut PhpObject, map: *mut PhpObject) {
        if let Some(maps) = self.weak.maps.get_mut(&(object as usize)) {
            maps.retain(|&found| found != map);
        }
    }
}

fn mark(object: *mut PhpObject) {
    // SAFETY: I3: the caller holds the object.
    unsafe { (*object).header.type_info |= HEADER_WEAKLY_HELD };
}

fn create(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let key = object.as_ptr() as usize;
    if let Some(&reference) = call.vm.weak.references.get(&key) {
        // SAFETY: I3: a WeakReference takes itself out of the table when it goes.
        return Ok(unsafe { ObjectHandle::share_raw(reference) }.into());
    }
    let class = call.vm.class_of(KnownClass::WeakReference);
    let reference = super::new_object(call.vm, class)?;
    if let Some(referent) = reference.native::<Referent>() {
        referent.0 = object.as_ptr();
    }
    mark(object.as_ptr());
    call.vm.weak.references.insert(key, reference.as_ptr());
    Ok(reference.into())
}

fn get(call: &mut Call<'_>) -> PhpResult<Value> {
    match this(call).native::<Referent>() {
        Some(referent) if !referent.0.is_null() => {
            // SAFETY: I3: the referent is live as long as it is noted here.
            Ok(unsafe { ObjectHandle::share_raw(referent.0) }.into())
        }
        _ => Ok(Value::NULL),
    }
}

/// The object, or null.
fn reference_debug_info(vm: &mut Vm, reference: *mut PhpObject) -> PhpResult<ArrayHandle> {
    let mut table = vm.new_array();
    // SAFETY: I3: the reference is live, and so is its referent as long as it is noted here.
    let shown = unsafe {
        match (*reference).native::<Referent>() {
            Some(referent) if !referent.0.is_null() => ObjectHandle::share_raw(referent.0).into(),
            _ => Value::NULL,
        }
    };
    table.make_mut(vm).set_bytes(b"object", shown);
    Ok(table)
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
    let map = this(call);
    let found = entries(&map)
        .order
        .iter()
        .find(|(object, _)| *object == key.as_ptr());
    match found {
        Some((_, value)) => Ok(Value::share(value)),
        None => Err(not_contained(call.vm, &key)),
    }
}

fn map_set(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.argument(0).deref().is_null() {
        return Err(call
            .vm
            .throw_error(KnownClass::Error, "Cannot append to WeakMap"));
    }
    let key = key_argument(call)?;
    let map = this(call);
    let value = call.value(1);
    let found = entries(&map)
        .order
        .iter_mut()
        .find(|(object, _)| *object == key.as_ptr());
    if let Some((_, place)) = found {
        let old = std::mem::replace(place, value);
        drop(old);
        return Ok(Value::NULL);
    }
    insert(call.vm, &map, &key, value);
    Ok(Value::NULL)
}

fn insert(vm: &mut Vm, map: &ObjectHandle, key: &ObjectHandle, value: Value) {
    entries(map).order.push((key.as_ptr(), value));
    mark(key.as_ptr());
    vm.weak
        .maps
        .entry(key.as_ptr() as usize)
        .or_default()
        .push(map.as_ptr());
}

fn map_exists(call: &mut Call<'_>) -> PhpResult<Value> {
    let key = key_argument(call)?;
    let map = this(call);
    let found = entries(&map)
        .order
        .iter()
        .find(|(object, _)| *object == key.as_ptr());
    Ok(Value::from(
        found.is_some_and(|(_, value)| !value.is_null()),
    ))
}

fn map_unset(call: &mut Call<'_>) -> PhpResult<Value> {
    let key = key_argument(call)?;
    let map = this(call);
    let position = entries(&map)
        .order
        .iter()
        .position(|(object, _)| *object == key.as_ptr());
    if let Some(position) = position {
        let removed = entries(&map).order.remove(position);
        call.vm.forget_map(key.as_ptr(), map.as_ptr());
        drop(removed);
    }
    Ok(Value::NULL)
}

fn map_pointer(vm: &mut Vm, map: *mut PhpObject, offset: Option<&Zval>) -> PhpResult<*mut Zval> {
    // SAFETY: I3: the map is live, and so is a key that is an object.
    unsafe {
        let Some(offset) = offset else {
            return Err(vm.throw_error(KnownClass::Error, "Cannot append to WeakMap"));
        };
        let ValueKind::Object(key) = offset.view() else {
            return Err(not_an_object(vm));
        };
        let wanted = (&raw const *key).cast_mut();
        match entries(&*map)
            .order
            .iter_mut()
            .find(|(object, _)| *object == wanted)
        {
            Some((_, value)) => Ok(value.as_zval_mut()),
            None => Err(not_contained(vm, key)),
        }
    }
}

fn map_iterator(call: &mut Call<'_>) -> PhpResult<Value> {
    let map = this(call);
    let Some(class) = call.vm.linked_class(b"weakmapiterator") else {
        return Ok(Value::NULL);
    };
    let iterator = super::new_object(call.vm, class)?;
    if let Some(state) = iterator.native::<MapIterator>() {
        state.map = Some(map);
    }
    Ok(iterator.into())
}

/// A list of key and value pairs.
fn map_debug_info(vm: &mut Vm, map: *mut PhpObject) -> PhpResult<ArrayHandle> {
    let mut list = vm.new_array();
    // SAFETY: I3: the map and its keys are live.
    unsafe {
        for (object, value) in &entries(&*map).order {
            let mut pair = vm.new_array();
            let names: [StringHandle; 2] = [vm.string("key"), vm.string("value")];
            pair.make_mut(vm)
                .set_string(&names[0], ObjectHandle::share_raw(*object).into());
            pair.make_mut(vm).set_string(&names[1], value.clone());
            let _ = list.make_mut(vm).push(pair.into());
        }
    }
    Ok(list)
}
