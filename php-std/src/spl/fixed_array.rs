//! SplFixedArray.

use std::any::Any;

use vm_runtime::array::KeyRef;
use vm_runtime::class::{Class, Fetched, NativeClass, NativeHandlers, direct_method, method};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::interpreter::array_keys::{KeyUse, array_key};
use vm_runtime::object::write::write_property;
use vm_runtime::object::{
    Access, NativeData, NativeIterator, PhpObject, internal_iterator, unmangled,
};
use vm_runtime::operators::convert::share_element;
use vm_runtime::operators::value_name;
use vm_runtime::value::{ArrayHandle, LONG, ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use crate::spl::{this, throw};
use crate::support::direct;

/// The native part.
#[derive(Default)]
struct Values {
    list: Vec<Value>,
    /// The size that was asked for last while elements are being removed.
    resizing_to: Option<usize>,
}

impl NativeData for Values {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, _vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        Some(Box::new(Values {
            list: self.list.clone(),
            resizing_to: None,
        }))
    }

    fn freed(&mut self, _vm: &mut Vm, _object: *mut PhpObject) {
        let_go(std::mem::take(&mut self.list));
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        for value in &self.list {
            visitor(value.as_zval());
        }
    }
}

/// A walk over a SplFixedArray.
struct Walk {
    array: ObjectHandle,
    /// The native part of the array, which stays where it is as long as that lives.
    values: *mut Values,
    position: usize,
}

impl Walk {
    fn new(array: ObjectHandle) -> Walk {
        let values = native(&array);
        Walk {
            values,
            array,
            position: 0,
        }
    }

    /// The elements as they are now.
    #[inline(always)]
    fn list(&self) -> &[Value] {
        // SAFETY: I3: the share keeps the array, and so its native part; nobody holds on to the elements while code of the
        // script runs.
        unsafe { &(*self.values).list }
    }
}

impl NativeIterator for Walk {
    fn current(&mut self, _vm: &mut Vm) -> PhpResult<Value> {
        let value = self.list().get(self.position).cloned();
        Ok(value.unwrap_or(Value::NULL))
    }

    fn key(&mut self, _vm: &mut Vm) -> PhpResult<Value> {
        Ok(self.position.into())
    }

    fn next(&mut self, _vm: &mut Vm) -> PhpResult<()> {
        self.position += 1;
        Ok(())
    }

    fn valid(&mut self, _vm: &mut Vm) -> PhpResult<bool> {
        Ok(self.position < self.list().len())
    }

    fn rewind(&mut self, _vm: &mut Vm) -> PhpResult<()> {
        self.position = 0;
        Ok(())
    }

    fn fetch(
        &mut self,
        _vm: &mut Vm,
        goes_on: bool,
        wants_key: bool,
    ) -> PhpResult<Option<Fetched>> {
        self.position += usize::from(goes_on);
        let value = self.list().get(self.position).cloned();
        let value = value.or_else(|| (!goes_on).then_some(Value::NULL));
        Ok(value.map(|value| (value, wants_key.then(|| self.position.into()))))
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        visitor(&Zval::from_object(self.array.as_ptr()));
    }
}

fn create(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::<Values>::default())
}

fn native(object: &PhpObject) -> &mut Values {
    object.native::<Values>().expect("made with the object")
}

fn values(object: &PhpObject) -> &mut Vec<Value> {
    &mut native(object).list
}

/// Makes room for `size` values; a size that memory cannot hold ends the script.
fn grow(vm: &mut Vm, list: &mut Vec<Value>, size: usize) {
    let element = size_of::<Value>();
    let Some(bytes) = size
        .checked_mul(element)
        .filter(|&bytes| bytes <= isize::MAX as usize)
    else {
        vm.fatal_error(&format!(
            "Possible integer overflow in memory allocation ({size} * {element} + 0)"
        ));
    };
    vm.heap.check_limit(bytes, bytes);
    if list
        .try_reserve_exact(size.saturating_sub(list.len()))
        .is_err()
    {
        vm.fatal_error(&format!("Out of memory (tried to allocate {bytes} bytes)"));
    }
    list.resize(size, Value::NULL);
}

/// Drops all elements there were, the last one first.
fn let_go(mut list: Vec<Value>) {
    while let Some(last) = list.pop() {
        drop(last);
    }
}

/// Changes the size. What destructors of removed elements ask for comes after that.
fn resize(vm: &mut Vm, object: &PhpObject, size: usize) {
    let busy = native(object).resizing_to.replace(size).is_some();
    if busy {
        return;
    }
    while let Some(size) = native(object).resizing_to {
        let list = values(object);
        let removed = list.split_off(list.len().min(size));
        grow(vm, list, size);
        match size {
            0 => let_go(removed),
            _ => drop(removed),
        }
        let native = native(object);
        if native.resizing_to == Some(size) {
            native.resizing_to = None;
        }
    }
}

const HANDLERS: NativeHandlers = NativeHandlers {
    debug_info: Some(table),
    properties: Some(table),
    offset_pointer: Some(pointer),
    offset_place: Some(|object, offset, _| match offset.kind() {
        LONG => match values(object).get_mut(offset.long() as usize) {
            Some(value) => value.as_zval_mut(),
            None => std::ptr::null_mut(),
        },
        _ => std::ptr::null_mut(),
    }),
    offset_value: Some(|vm, object, offset| {
        // SAFETY: I3: the caller keeps the object.
        let object = unsafe { &*object };
        let index = index(vm, object, Some(offset))?;
        Ok(values(object)[index].clone())
    }),
    offset_store: Some(|vm, object, offset, value| {
        // SAFETY: I3: the caller keeps the object.
        let object = unsafe { &*object };
        let index = index(vm, object, offset)?;
        let old = std::mem::replace(&mut values(object)[index], value);
        drop(old);
        Ok(())
    }),
    direct_offsets: Some(|_| true),
    offset_exists: Some(test_offset),
    offset_exists_decides: true,
    ..NativeHandlers::STANDARD
};

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class SplFixedArray implements IteratorAggregate, ArrayAccess, Countable, JsonSerializable")
        .create_native(create)
        .handlers(&HANDLERS)
        .methods(&[
            method("public function __construct(int $size = 0)", |call| {
                let size = call.long(0);
                if size < 0 {
                    return Err(call.value_error(0, "must be greater than or equal to 0"));
                }
                let object = this(call);
                // Called once more it changes nothing.
                if !values(&object).is_empty() {
                    return Ok(Value::NULL);
                }
                grow(call.vm, values(&object), size as usize);
                Ok(Value::NULL)
            }),
            method("#[Deprecated(\"8.4\", \"this method is obsolete, as serialization hooks are provided by __unserialize() and __serialize()\")] tentative public function __wakeup(): void", |_| Ok(Value::NULL)),
            method("public function __serialize(): array", |call| {
                let object = this(call);
                Ok(table(call.vm, object.as_ptr())?.into())
            }),
            method("public function __unserialize(array $data): void", |call| {
                let (object, data) = (this(call), call.array(0));
                if !values(&object).is_empty() {
                    return Ok(Value::NULL);
                }
                let mut given = Vec::new();
                for (key, value) in data.iter() {
                    match key {
                        KeyRef::Long(_) => given.push(Value::share(value)),
                        KeyRef::String(name) => {
                            let name = call.vm.string(unmangled(name.as_bytes()));
                            let value = Value::share(value);
                            write_property(call.vm, object.as_ptr(), &name, value, object.class)?;
                        }
                    }
                }
                drop(std::mem::replace(values(&object), given));
                Ok(Value::NULL)
            }),
            direct_method("tentative public function count(): int", size, size_directly),
            method("tentative public function toArray(): array", to_array),
            method("tentative public static function fromArray(array $array, bool $preserveKeys = true): SplFixedArray", from_array),
            direct_method("tentative public function getSize(): int", size, size_directly),
            method("tentative public function setSize(int $size): true", |call| {
                let size = call.long(0);
                if size < 0 {
                    return Err(call.value_error(0, "must be greater than or equal to 0"));
                }
                let object = this(call);
                resize(call.vm, &object, size as usize);
                Ok(true.into())
            }),
            method("tentative public function offsetExists($index): bool", |call| {
                let (object, offset) = (this(call), call.value(0));
                Ok(test_offset(call.vm, object.as_ptr(), &offset, false)?.into())
            }),
            direct_method("tentative public function offsetGet($index): mixed", |call| {
                let (object, offset) = (this(call), call.value(0));
                let index = index(call.vm, &object, Some(&offset))?;
                Ok(values(&object)[index].clone())
            }, offset_get_directly),
            method("tentative public function offsetSet($index, mixed $value): void", |call| {
                let (object, offset, value) = (this(call), call.value(0), call.value(1));
                let index = index(call.vm, &object, Some(&offset))?;
                let old = std::mem::replace(&mut values(&object)[index], value);
                drop(old);
                Ok(Value::NULL)
            }),
            method("tentative public function offsetUnset($index): void", |call| {
                let (object, offset) = (this(call), call.value(0));
                let index = index(call.vm, &object, Some(&offset))?;
                let old = std::mem::replace(&mut values(&object)[index], Value::NULL);
                drop(old);
                Ok(Value::NULL)
            }),
            method("public function getIterator(): Iterator", |call| {
                let walk = Walk::new(this(call));
                Ok(internal_iterator(call.vm, Box::new(walk))?.into())
            }),
            method("public function jsonSerialize(): array", to_array),
        ]),
];

direct! {
    fn size_directly(_, this;) {
        values(this).len() as i64
    }

    fn offset_get_directly(_, this; index: i64) {
        values(this).get(usize::try_from(index).ok()?).cloned()
    }
}

fn size(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(Value::from(values(&this(call)).len()))
}

fn to_array(call: &mut Call<'_>) -> PhpResult<Value> {
    let list = values(&this(call)).clone();
    Ok(crate::support::list(call.vm, list))
}

fn table(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { &*object };
    let members = vm_runtime::operators::convert::property_table(vm, object);
    let list = values(object).clone();
    let mut table = vm.new_array();
    let target = table.make_mut(vm);
    for (index, value) in list.into_iter().enumerate() {
        target.set_long(index as i64, value);
    }
    for (key, value) in members.iter() {
        target.set(key, share_element(value));
    }
    Ok(table)
}

fn from_array(call: &mut Call<'_>) -> PhpResult<Value> {
    let (array, preserve) = (call.elements(0), call.bool(1));
    // Keys may be far apart, but mostly count the elements.
    let mut list = Vec::new();
    if preserve
        && array
            .iter()
            .any(|(key, _)| matches!(key, KeyRef::Long(i64::MAX)))
    {
        return Err(throw(
            call.vm,
            "InvalidArgumentException",
            "integer overflow detected",
        ));
    }
    if array.packed().is_some() || !preserve {
        grow(call.vm, &mut list, array.len());
        for (place, value) in list.iter_mut().zip(array.live_values()) {
            *place = Value::share(value);
        }
        return made_of(call, list);
    }
    for (key, value) in array.iter() {
        let key = match key {
            KeyRef::Long(key) if key >= 0 => key,
            _ => {
                return Err(throw(
                    call.vm,
                    "InvalidArgumentException",
                    "array must contain only positive integer keys",
                ));
            }
        };
        let key = key as usize;
        if list.len() <= key {
            grow(call.vm, &mut list, key + 1);
        }
        list[key] = Value::share(value);
    }
    made_of(call, list)
}

/// A new object with these values.
fn made_of(call: &mut Call<'_>, list: Vec<Value>) -> PhpResult<Value> {
    let class = call.function().scope;
    let object = vm_runtime::object::new_object(call.vm, class)?;
    *values(&object) = list;
    Ok(object.into())
}

/// The index of an offset, with the errors of a bad one.
#[inline]
fn index(vm: &mut Vm, object: &PhpObject, offset: Option<&Zval>) -> PhpResult<usize> {
    // What loops ask for.
    if let Some(offset) = offset
        && offset.kind() == LONG
        && let Ok(index) = usize::try_from(offset.long())
        && index < values(object).len()
    {
        return Ok(index);
    }
    checked_index(vm, object, offset)
}

#[inline(never)]
fn checked_index(vm: &mut Vm, object: &PhpObject, offset: Option<&Zval>) -> PhpResult<usize> {
    let Some(offset) = offset else {
        return Err(vm.throw_error(
            KnownClass::Error,
            "[] operator not supported for SplFixedArray",
        ));
    };
    let number = number(vm, offset)?;
    match usize::try_from(number) {
        Ok(index) if index < values(object).len() => Ok(index),
        _ => Err(throw(
            vm,
            "OutOfBoundsException",
            "Index invalid or out of range",
        )),
    }
}

fn number(vm: &mut Vm, offset: &Zval) -> PhpResult<i64> {
    Ok(match offset.view() {
        ValueKind::Long(number) => number,
        ValueKind::Double(number) => vm_runtime::operators::integral(vm, number)?,
        ValueKind::Bool(flag) => flag as i64,
        ValueKind::String(text) => match vm_runtime::array::integer_key(text.as_bytes()) {
            Some(number) => number,
            None => return Err(bad_offset(vm, offset)),
        },
        ValueKind::Resource(_) => match array_key(vm, offset, KeyUse::Access)? {
            KeyRef::Long(number) => number,
            KeyRef::String(_) => return Err(bad_offset(vm, offset)),
        },
        _ => return Err(bad_offset(vm, offset)),
    })
}

fn bad_offset(vm: &mut Vm, offset: &Zval) -> Thrown {
    let given = value_name(offset);
    vm.throw_error(
        KnownClass::TypeError,
        format!("Cannot access offset of type {given} on SplFixedArray"),
    )
}

fn test_offset(
    vm: &mut Vm,
    object: *mut PhpObject,
    offset: &Zval,
    truthy: bool,
) -> PhpResult<bool> {
    let number = number(vm, offset)?;
    // SAFETY: I3: the object is live, by the caller.
    let list = values(unsafe { &*object });
    let Some(value) = usize::try_from(number)
        .ok()
        .and_then(|index| list.get(index))
    else {
        return Ok(false);
    };
    Ok(if truthy {
        vm_runtime::operators::to_bool(value)
    } else {
        !value.is_null()
    })
}

/// Elements are not written to in place: what `offsetGet()` gives is a copy.
fn pointer(
    vm: &mut Vm,
    object: *mut PhpObject,
    offset: Option<&Zval>,
    _access: Access,
) -> PhpResult<*mut Zval> {
    // SAFETY: I3: the object is live, by the caller.
    index(vm, unsafe { &*object }, offset)?;
    Ok(std::ptr::null_mut())
}
