//! What an ArrayObject wraps: an array, the properties of an object, or another ArrayObject.

use std::any::Any;

use vm_runtime::array::{Key, KeyRef};
use vm_runtime::class::Class;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::flags;
use vm_runtime::interpreter::array_keys::{KeyUse, array_key, undefined_key};
use vm_runtime::object::access::readonly_reference;
use vm_runtime::object::{Access, NativeData, PhpObject, visible_properties, write};
use vm_runtime::operators::to_bool;
use vm_runtime::value::{
    ARRAY, ArrayHandle, LONG, OBJECT, ObjectHandle, STRING, StringHandle, Value, Zval,
};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::place::{Place, Properties};
use crate::support::direct;

/// The native part.
pub(in crate::spl) struct ArrayData {
    pub(super) storage: Storage,
    pub(super) flags: i64,
    /// Where an ArrayIterator is.
    pub(super) place: Place,
    /// How many times it is being sorted.
    pub(super) sorting: u32,
    /// The class of iterators; null for ArrayIterator itself.
    pub(super) iterator_class: *mut Class,
    /// Whether it is one of an ArrayIterator.
    is_iterator: bool,
    /// The object that this is the native part of; null before anybody has asked for its data.
    own: *mut PhpObject,
}

/// What is wrapped.
pub(super) enum Storage {
    Array(ArrayHandle),
    Object(ObjectHandle),
    /// The object wraps itself: its properties are the elements. It has no share of itself.
    Itself,
}

impl NativeData for ArrayData {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        // SAFETY: I3: an object is live while it is cloned.
        let original = unsafe { self.own.as_ref() };
        let storage = match (&self.storage, original) {
            (Storage::Itself, _) => Storage::Itself,
            // A clone of an iterator iterates what the original does.
            (_, Some(original)) if self.is_iterator => Storage::Object(handle(original)),
            // A clone has the elements for itself, be they properties of an object.
            (Storage::Object(_), Some(original)) => Storage::Array(copy(vm, original).ok()?),
            (Storage::Object(inner), None) => Storage::Object(inner.clone()),
            (Storage::Array(array), _) => {
                let mut elements = array.clone();
                // Elements that are references now, as in loops by reference, stay those of both.
                if elements.iter().any(|(_, value)| value.is_reference()) {
                    elements.make_mut(vm);
                }
                Storage::Array(elements)
            }
        };
        Some(Box::new(ArrayData {
            storage,
            sorting: 0,
            is_iterator: self.is_iterator,
            own: std::ptr::null_mut(),
            place: Place::NOWHERE,
            flags: self.flags,
            iterator_class: self.iterator_class,
        }))
    }

    fn attached(&mut self, _vm: &mut Vm, object: *mut PhpObject) {
        // A clone of the clone follows it, even if nobody has asked it for anything.
        self.own = object;
    }

    /// By their elements; if those are equal, their properties decide.
    fn compare(&self, vm: &mut Vm, this: &PhpObject, other: &PhpObject) -> Option<i32> {
        other.native::<ArrayData>()?;
        let one: Value = copy(vm, this).ok()?.into();
        let other: Value = copy(vm, other).ok()?.into();
        Some(vm_runtime::operators::compare(vm, &one, &other)).filter(|&order| order != 0)
    }

    fn freed(&mut self, vm: &mut Vm, _object: *mut PhpObject) {
        self.place.leave(vm);
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Zval)) {
        match &self.storage {
            Storage::Array(array) => visitor(&Zval::from_any_array(array.as_ptr())),
            Storage::Object(object) => visitor(&Zval::from_object(object.as_ptr())),
            Storage::Itself => {}
        }
    }
}

pub(super) fn create(vm: &mut Vm, class: *mut Class) -> Option<Box<dyn NativeData>> {
    let iterator = vm.linked_class(b"arrayiterator");
    Some(Box::new(ArrayData {
        storage: Storage::Array(vm.new_array()),
        // SAFETY: I4: classes live until the VM ends.
        is_iterator: iterator.is_some_and(|iterator| unsafe { (*class).is_subclass_of(iterator) }),
        flags: 0,
        place: Place::NOWHERE,
        sorting: 0,
        iterator_class: std::ptr::null_mut(),
        own: std::ptr::null_mut(),
    }))
}

pub(in crate::spl) fn data(object: &PhpObject) -> &mut ArrayData {
    let data = object.native::<ArrayData>().expect("made with the object");
    data.own = (&raw const *object).cast_mut();
    data
}

/// A share of an object.
fn handle(object: &PhpObject) -> ObjectHandle {
    // SAFETY: I3: the object is live.
    unsafe { ObjectHandle::share_raw((&raw const *object).cast_mut()) }
}

/// What is wrapped, as a value; none if that is the object itself.
pub(super) fn wrapped(object: &PhpObject) -> Option<Value> {
    match &data(object).storage {
        Storage::Array(array) => Some(array.clone().into()),
        Storage::Object(inner) => Some(inner.clone().into()),
        Storage::Itself => None,
    }
}

/// Where the elements are, other ArrayObjects followed.
pub(super) enum Target<'a> {
    Array(&'a mut ArrayHandle),
    Object(ObjectHandle),
}

/// Where an ArrayObject's elements are. Where such objects wrap each other in a circle, they are the
/// properties of one of them, as those of an ArrayObject that wraps itself are.
pub(super) fn target(object: &PhpObject) -> Target<'_> {
    let mut data = data(object);
    let mut at = (&raw const *object).cast_mut();
    // Brent's way to find a circle: one place is remembered, for twice as many steps each time.
    let mut known = &raw const *data;
    let (mut steps, mut patience) = (0, 1);
    loop {
        match &mut data.storage {
            Storage::Array(array) => return Target::Array(array),
            Storage::Object(inner) => match inner.native::<ArrayData>() {
                Some(next) if std::ptr::eq(next, known) => return Target::Object(inner.clone()),
                Some(next) => (data, at) = (next, inner.as_ptr()),
                None => return Target::Object(inner.clone()),
            },
            // SAFETY: I3: the object is the one that was asked, or what such an object holds.
            Storage::Itself => return Target::Object(unsafe { ObjectHandle::share_raw(at) }),
        }
        steps += 1;
        if steps == patience {
            (known, steps, patience) = (&raw const *data, 0, patience * 2);
        }
    }
}

/// How many elements there are.
pub(super) fn count(vm: &mut Vm, object: &PhpObject) -> PhpResult<usize> {
    Ok(match target(object) {
        Target::Array(array) => array.len(),
        Target::Object(inner) => object_table(vm, &inner)?.len(),
    })
}

/// The elements as an array of their own.
pub(in crate::spl) fn copy(vm: &mut Vm, object: &PhpObject) -> PhpResult<ArrayHandle> {
    match target(object) {
        Target::Array(array) => Ok(array.clone()),
        // An array object's own properties are meant here, not its elements.
        Target::Object(inner) if inner.native::<ArrayData>().is_some() => {
            Ok(vm_runtime::operators::convert::property_table(vm, &inner))
        }
        // As the object has them: what is not public under its mangled name, decimal names as texts.
        Target::Object(inner) => vm_runtime::object::present_properties(vm, &inner),
    }
}

/// The public properties of an object.
pub(super) fn object_table(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<ArrayHandle> {
    let mut table = vm.new_array();
    for property in visible_properties(vm, object, std::ptr::null(), false)? {
        table
            .make_mut(vm)
            .set_symbol(&property.name, property.value);
    }
    Ok(table)
}

fn name_of(vm: &mut Vm, key: KeyRef<'_>) -> PhpResult<StringHandle> {
    vm_runtime::operators::to_string(vm, &key.to_value())
}

/// What an object's property table has under a name: hooks and magic methods are not asked, and
/// what is not public has another name there.
fn stored<'a>(inner: &'a PhpObject, name: &StringHandle) -> Option<&'a Zval> {
    if let Some(slot) = public_slot(inner, name) {
        // SAFETY: I4: the slot belongs to the object.
        return Some(unsafe { &*slot }).filter(|value| !value.is_undef());
    }
    // SAFETY: I3: the table lives as long as the object.
    let dynamic = unsafe { inner.dynamic.as_ref()? };
    dynamic.get_string(name).map(|value| value.deref())
}

/// The slot of a public property that is declared.
fn public_slot(inner: &PhpObject, name: &StringHandle) -> Option<*mut Zval> {
    let info = inner.class().properties.get(name.as_bytes())?;
    let is_other = info.flags & (flags::PRIVATE | flags::PROTECTED | flags::STATIC) != 0;
    if is_other || info.slot == vm_runtime::class::NO_SLOT {
        return None;
    }
    // SAFETY: I4: the class says that there is such a slot.
    Some(unsafe { inner.slot(info.slot) })
}

/// Writes what an object's property table has under a name, as `stored` reads it. Types hold on.
fn store(vm: &mut Vm, inner: &ObjectHandle, name: &StringHandle, value: Value) -> PhpResult<()> {
    let inner = &vm_runtime::object::lazy::with_state(vm, inner)?;
    let info = inner.class().properties.get(name.as_bytes());
    // Hooks of properties that have a value of their own are not asked.
    let is_plain = info.is_none_or(|info| {
        info.declared.is_none() && (info.slot != vm_runtime::class::NO_SLOT || !info.has_hooks())
    });
    if !is_plain {
        return write::write_property(vm, inner.as_ptr(), name, value, std::ptr::null()).map(drop);
    }
    match public_slot(inner, name) {
        Some(slot) => {
            // SAFETY: I3, I4: the slot is live.
            unsafe { replace(slot, value) };
        }
        None => {
            // SAFETY: I3: the handle keeps the object alive.
            let table = unsafe { write::dynamic_table(vm, inner.as_ptr()) };
            let slot = table.slot(KeyRef::String(name));
            // SAFETY: I5: the slot is live.
            unsafe { replace(slot, value) };
        }
    }
    Ok(())
}

/// Puts a value into a slot. A reference there is replaced, as PHP does: what else refers to it keeps its
/// value. The old one is given up after that.
///
/// # Safety
/// The slot is live and owns what it holds (I3).
unsafe fn replace(slot: *mut Zval, value: Value) {
    // SAFETY: by the caller.
    let old = unsafe {
        let old = Value::from_zval(*slot);
        (*slot).set(value.into_zval());
        old
    };
    drop(old);
}

/// The key that an offset means. Errors name the object's class.
fn key_of(vm: &mut Vm, object: &PhpObject, offset: &Zval, purpose: KeyUse) -> PhpResult<Key> {
    let offset = offset.deref();
    if matches!(offset.kind(), ARRAY | OBJECT) && purpose != KeyUse::Isset {
        let kind = vm_runtime::operators::class_or_type_name(offset);
        let class = object.class().display_name();
        let verb = match purpose {
            KeyUse::Unset => "unset",
            _ => "access",
        };
        let message = format!("Cannot {verb} offset of type {kind} on {class}");
        return Err(vm.throw_error(KnownClass::TypeError, message));
    }
    Ok(array_key(vm, offset, purpose)?.to_key())
}

/// The key that an offset means, if that takes no conversion.
#[inline]
fn plain_key(offset: &Zval) -> Option<KeyRef<'_>> {
    let offset = offset.deref();
    match offset.kind() {
        LONG => Some(KeyRef::Long(offset.long())),
        // SAFETY: I3: a string payload is live.
        STRING => Some(KeyRef::of_text(unsafe { &*offset.string() })),
        _ => None,
    }
}

/// The slot of an element of the array that is wrapped, if it is there; for writing only if nobody
/// shares the array.
pub(super) fn place(object: &PhpObject, offset: &Zval, writes: bool) -> *mut Zval {
    let own = data(object);
    let Storage::Array(array) = &mut own.storage else {
        return std::ptr::null_mut();
    };
    let header = &array.header;
    if writes && (own.sorting > 0 || header.is_immutable() || header.refcount > 1) {
        return std::ptr::null_mut();
    }
    match plain_key(offset).and_then(|key| array.get(key)) {
        Some(found) => (&raw const *found).cast_mut(),
        None => std::ptr::null_mut(),
    }
}

direct! {
    pub(super) fn offset_get_directly(_, this; offset: &Zval) {
        let Storage::Array(array) = &data(this).storage else {
            return None;
        };
        array.get(plain_key(offset)?).map(Value::share)
    }

    pub(super) fn offset_exists_directly(_, this; offset: &Zval) {
        let Storage::Array(array) = &data(this).storage else {
            return None;
        };
        Some(array.get(plain_key(offset)?).is_some())
    }

    pub(super) fn append_directly(vm, this; value: &Zval) {
        let own = data(this);
        let Storage::Array(array) = &mut own.storage else {
            return None;
        };
        if own.sorting > 0 {
            return None;
        }
        array.make_mut(vm).push(Value::share(value)).ok()
    }

    pub(super) fn count_directly(_, this;) {
        match &data(this).storage {
            Storage::Array(array) => Some(array.len() as i64),
            Storage::Object(_) | Storage::Itself => None,
        }
    }
}

/// The place of a property of a wrapped object as a reference.
pub(super) fn place_of_property(
    vm: &mut Vm,
    inner: &ObjectHandle,
    name: &StringHandle,
) -> PhpResult<Value> {
    let info = inner.class().properties.get(name.as_bytes());
    if let Some(info) = info.filter(|info| info.flags & flags::READONLY != 0) {
        return Err(readonly_reference(vm, info));
    }
    let access = vm_runtime::object::Access::Write;
    match write::property_pointer(vm, inner.as_ptr(), name, std::ptr::null(), access, 1)? {
        // SAFETY: I3: the place was found in an object that is held.
        write::PropertyPointer::Slot { slot, .. } => unsafe {
            write::reference_to_place(vm, inner, slot)
        },
        write::PropertyPointer::Value(value) => Ok(value),
    }
}

/// The element at an offset. One that is missing is warned about, unless it is only asked for.
pub(super) fn get(
    vm: &mut Vm,
    object: &PhpObject,
    offset: &Zval,
    purpose: KeyUse,
) -> PhpResult<Option<Value>> {
    match target(object) {
        Target::Array(array) => {
            if let Some(found) = plain_key(offset).and_then(|key| array.get(key)) {
                return Ok(Some(Value::share(found)));
            }
            let key = key_of(vm, object, offset, purpose)?;
            let Target::Array(array) = target(object) else {
                return Ok(None);
            };
            let found = array.get(key.as_ref()).map(Value::share);
            if found.is_none() && purpose != KeyUse::Isset {
                undefined_key(vm, key.as_ref());
                vm.check()?;
            }
            Ok(found)
        }
        Target::Object(inner) => {
            let key = key_of(vm, object, offset, purpose)?;
            let name = name_of(vm, key.as_ref())?;
            let inner = vm_runtime::object::lazy::with_state(vm, &inner)?;
            let found = stored(&inner, &name).map(Value::share);
            if found.is_none() && purpose != KeyUse::Isset {
                undefined_key(vm, KeyRef::String(&name));
                vm.check()?;
            }
            Ok(found)
        }
    }
}

/// Throws if the elements are being sorted.
pub(super) fn check_unsorted(vm: &mut Vm, object: &PhpObject) -> PhpResult<()> {
    let mut at = object;
    // As deep as such objects wrap each other; a circle of them has no elements to sort.
    for _ in 0..8 {
        let data = data(at);
        if data.sorting > 0 {
            return Err(vm.throw_error(
                KnownClass::Error,
                "Modification of ArrayObject during sorting is prohibited",
            ));
        }
        match &data.storage {
            Storage::Object(inner) if inner.native::<ArrayData>().is_some() => at = inner,
            _ => break,
        }
    }
    Ok(())
}

/// Sets an element, or appends one.
pub(super) fn set(
    vm: &mut Vm,
    object: &PhpObject,
    offset: Option<&Zval>,
    value: Value,
) -> PhpResult<()> {
    let own = data(object);
    if own.sorting == 0
        && let Storage::Array(array) = &mut own.storage
    {
        if let Some(key) = offset.and_then(plain_key) {
            let slot = array.make_mut(vm).slot(key);
            // SAFETY: I5: the slot is live.
            unsafe { replace(slot, value) };
            return Ok(());
        }
        if offset.is_none() {
            let _ = array.make_mut(vm).push(value);
            return Ok(());
        }
    }
    check_unsorted(vm, object)?;
    match target(object) {
        Target::Array(_) => {
            let key = match offset {
                Some(offset) => Some(key_of(vm, object, offset, KeyUse::Access)?),
                None => None,
            };
            let Target::Array(array) = target(object) else {
                return Ok(());
            };
            match key {
                Some(key) => {
                    let slot = array.make_mut(vm).slot(key.as_ref());
                    // SAFETY: I5: the slot is live.
                    unsafe { replace(slot, value) };
                }
                None => {
                    let _ = array.make_mut(vm).push(value);
                }
            }
            Ok(())
        }
        Target::Object(inner) => {
            let Some(offset) = offset else {
                let inner = vm_runtime::object::lazy::with_state(vm, &inner)?;
                // SAFETY: I3: the handle keeps the object alive.
                let table = unsafe { write::dynamic_table(vm, inner.as_ptr()) };
                let _ = table.push(value);
                return Ok(());
            };
            let key = key_of(vm, object, offset, KeyUse::Access)?;
            let name = name_of(vm, key.as_ref())?;
            store(vm, &inner, &name, value)
        }
    }
}

/// Removes an element.
pub(super) fn unset(vm: &mut Vm, object: &PhpObject, offset: &Zval) -> PhpResult<()> {
    check_unsorted(vm, object)?;
    match target(object) {
        Target::Array(_) => {
            let key = key_of(vm, object, offset, KeyUse::Unset)?;
            let Target::Array(array) = target(object) else {
                return Ok(());
            };
            let array = array.make_mut(vm);
            let removed = array
                .position_of(key.as_ref())
                .map(|position| array.take_at(position));
            drop(removed);
            Ok(())
        }
        Target::Object(inner) => {
            let key = key_of(vm, object, offset, KeyUse::Unset)?;
            let name = name_of(vm, key.as_ref())?;
            let info = inner.class().properties.get(name.as_bytes());
            let is_hidden = info.is_some_and(|info| {
                info.flags & (flags::PRIVATE | flags::PROTECTED) != 0
                    || info.slot == vm_runtime::class::NO_SLOT
            });
            let has_dynamic = || {
                // SAFETY: I3: the table lives as long as the object.
                let dynamic = unsafe { inner.dynamic.as_ref() };
                dynamic.is_some_and(|dynamic| dynamic.get_string(&name).is_some())
            };
            if is_hidden || info.is_none() {
                if has_dynamic() {
                    // SAFETY: I3: the handle keeps the object alive.
                    let table = unsafe { write::dynamic_table(vm, inner.as_ptr()) };
                    table.remove_string(&name);
                }
                return Ok(());
            }
            let had_value = stored(&inner, &name).is_some();
            write::unset_property(vm, inner.as_ptr(), &name, std::ptr::null())?;
            // Whoever takes a declared property away goes on, wherever it stands.
            if had_value && data(object).is_iterator {
                Properties::here(vm, object, &inner)?.advance(vm, object);
            }
            Ok(())
        }
    }
}

/// `isset($object[$offset])`: there and not null; or there and truthy.
pub(super) fn offset_exists(
    vm: &mut Vm,
    object: *mut PhpObject,
    offset: &Zval,
    truthy: bool,
) -> PhpResult<bool> {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { &*object };
    let holds = |value: &Zval| match truthy {
        true => to_bool(value),
        false => !value.deref().is_null(),
    };
    if let (Target::Array(array), Some(key)) = (target(object), plain_key(offset)) {
        return Ok(array.get(key).is_some_and(holds));
    }
    let value = get(vm, object, offset, KeyUse::Isset)?;
    Ok(value.is_some_and(|value| holds(&value)))
}

/// `$object[$offset] ?? ...`
pub(super) fn offset_if_set(
    vm: &mut Vm,
    object: *mut PhpObject,
    offset: &Zval,
) -> PhpResult<Option<Value>> {
    // SAFETY: I3: the object is live, by the caller.
    get(vm, unsafe { &*object }, offset, KeyUse::Isset)
}

/// The slot of an element for nested writes.
pub(super) fn offset_pointer(
    vm: &mut Vm,
    object: *mut PhpObject,
    offset: Option<&Zval>,
    access: Access,
) -> PhpResult<*mut Zval> {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { &*object };
    check_unsorted(vm, object)?;
    let key = match offset {
        Some(offset) => {
            let purpose = match access {
                Access::Unset => KeyUse::Unset,
                _ => KeyUse::Access,
            };
            Some(key_of(vm, object, offset, purpose)?)
        }
        None => None,
    };
    if let (Target::Array(array), Some(key), Access::ReadWrite) = (target(object), &key, access)
        && array.get(key.as_ref()).is_none()
    {
        undefined_key(vm, key.as_ref());
        if let (true, Target::Array(array)) = (vm.check().is_err(), target(object)) {
            // It is made even so.
            array.make_mut(vm).slot(key.as_ref());
            return Err(Thrown);
        }
    }
    match target(object) {
        // Nothing is made for something to be taken out of it.
        Target::Array(array)
            if access == Access::Unset
                && key
                    .as_ref()
                    .is_some_and(|key| array.get(key.as_ref()).is_none()) =>
        {
            Ok(std::ptr::null_mut())
        }
        Target::Array(array) => {
            let array = array.make_mut(vm);
            Ok(match key {
                Some(key) => array.slot(key.as_ref()),
                None => std::ptr::null_mut(),
            })
        }
        Target::Object(inner) => {
            let Some(key) = key else {
                return Ok(std::ptr::null_mut());
            };
            let name = name_of(vm, key.as_ref())?;
            let access = vm_runtime::object::Access::Write;
            match write::property_pointer(vm, inner.as_ptr(), &name, std::ptr::null(), access, 1)? {
                write::PropertyPointer::Slot { slot, .. } => Ok(slot),
                write::PropertyPointer::Value(_) => Ok(std::ptr::null_mut()),
            }
        }
    }
}

/// `(array)`: the elements, unless STD_PROP_LIST is set.
pub(super) fn properties(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { &*object };
    if data(object).flags & 1 != 0 {
        return Ok(vm_runtime::operators::convert::property_table(vm, object));
    }
    copy(vm, object)
}

/// Own properties, then the storage.
pub(super) fn debug_info(vm: &mut Vm, object: *mut PhpObject) -> PhpResult<ArrayHandle> {
    // SAFETY: I3: the object is live, by the caller.
    let object = unsafe { &*object };
    let mut table = vm_runtime::operators::convert::property_table(vm, object);
    let mut class = object.class();
    // The class of the engine that declares the storage.
    while !["ArrayObject", "ArrayIterator"].contains(&class.display_name().as_str()) {
        // SAFETY: I4: one of the two is among the parents.
        class = unsafe { &*class.parent };
    }
    let key = format!("\0{}\0storage", class.display_name());
    // Of one that wraps itself those are the elements.
    if let Some(storage) = wrapped(object) {
        table.make_mut(vm).set_bytes(key.as_bytes(), storage);
    }
    Ok(table)
}
