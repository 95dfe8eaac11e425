//! Writing and unsetting properties, and pointers to them.

use crate::class::{Class, NO_SLOT, PropertyInfo};
use crate::exceptions::KnownClass;
use crate::function::{class_flags, flags};
use crate::object::access::{
    Access, Lookup, full_name, has_set_access, property_error, property_error_of, property_info_at,
    property_offset, readonly_error, readonly_reference, set_access_error, uninitialised_error,
};
use crate::object::lazy;
use crate::object::magic::{Magic, call_hook, call_magic, is_guarded, is_in_hook, with_guard_of};
use crate::object::read::{computed, deny, read_property, undefined_property};
use crate::object::{PROPERTY_LAZY, PROPERTY_REINITIALISABLE, PROPERTY_UNSET, PhpObject};
use crate::string::PhpString;
use crate::value::{
    ArrayHandle, HEADER_DESTRUCTOR_CALLED, ObjectHandle, StringHandle, Value, Zval, release,
};
use crate::vm::{PhpResult, Vm};

/// The table of dynamic properties for writing: made or separated if need be.
///
/// # Safety
/// The object is live.
pub unsafe fn dynamic_table<'a>(
    vm: &mut Vm,
    object: *mut PhpObject,
) -> &'a mut crate::array::PhpArray {
    // SAFETY: by the caller.
    unsafe { dynamic_table_for(vm, object, 0) }
}

/// As [`dynamic_table`], with room for so many properties if it is made.
///
/// # Safety
/// As for [`dynamic_table`].
pub unsafe fn dynamic_table_for<'a>(
    vm: &mut Vm,
    object: *mut PhpObject,
    capacity: usize,
) -> &'a mut crate::array::PhpArray {
    // SAFETY: I3: by the caller; the table belongs to the object alone after this.
    unsafe {
        if (*object).dynamic.is_null() {
            let table = crate::array::PhpArray::with_capacity(&mut vm.heap, capacity);
            (*object).dynamic = table.into_raw();
        } else if (*(*object).dynamic).header.refcount > 1 {
            let mut table = ArrayHandle::from_raw((*object).dynamic);
            table.make_mut(vm);
            (*object).dynamic = table.into_raw();
        }
        &mut *(*object).dynamic
    }
}

/// Assigns to a place that may be a reference with typed properties behind it.
///
/// # Safety
/// The place is live.
unsafe fn assign(vm: &mut Vm, place: *mut Zval, mut value: Value) -> PhpResult<Value> {
    // SAFETY: I3: by the caller; the old value is released after it was replaced.
    unsafe {
        let mut target = (*place).deref_mut();
        // Converting the value may run user code that drops or moves the place.
        let _held;
        if (*place).is_reference() && !(*(*place).reference()).sources.is_null() {
            let boxed = crate::value::ReferenceHandle::share_raw((*place).reference());
            crate::types::verify_reference(vm, &boxed, value.as_zval_mut())?;
            target = &mut (*boxed.as_ptr()).value;
            _held = boxed;
        }
        let old = *target;
        let assigned = Value::share(&value);
        target.set(value.into_zval());
        release(&old);
        Ok(assigned)
    }
}

/// True if the running file has `strict_types`.
fn is_strict(vm: &Vm) -> bool {
    let frame = vm.current_frame;
    // SAFETY: I4: the current frame and its function are live.
    unsafe {
        !frame.is_null()
            && !(*frame).function.is_null()
            && (*(*frame).function).flags & flags::STRICT_TYPES != 0
    }
}

/// `$object->name = value`. Gives the value as it was stored, which a type may have changed. Nobody
/// needs to hold the object for this call: who lets go of it while its property's type converts
/// the value gets an Error.
pub fn write_property(
    vm: &mut Vm,
    object: *mut PhpObject,
    name: &PhpString,
    value: Value,
    scope: *const Class,
) -> PhpResult<Value> {
    if let Some((code, object)) = computed(object)
        && (code.write)(vm, &object, name, &value)?
    {
        return Ok(value);
    }
    // SAFETY: I3: the caller keeps the object alive; I4: its class lives until the VM ends.
    unsafe {
        let class = &*(*object).class;
        let mut lookup = property_offset(vm, class, name, scope, !class.magic.set.is_null())?;
        if let Lookup::Hooked(info) = lookup {
            let info = &*info;
            if info.set_hook.is_null() {
                if info.slot == NO_SLOT {
                    let after = " is read-only";
                    return Err(property_error_of(vm, class, info, "Property ", after));
                }
            } else if !is_in_hook(vm, object, info) {
                if !has_set_access(info, scope) {
                    return Err(set_access_error(vm, info, scope, "modify"));
                }
                call_hook(vm, object, info.set_hook, Some(value.clone()))?;
                return Ok(value);
            } else if info.slot == NO_SLOT {
                let problem = "Must not write to virtual property ";
                return Err(property_error_of(vm, class, info, problem, ""));
            }
            lookup = Lookup::Slot {
                index: info.slot,
                info,
            };
        }
        match lookup {
            Lookup::Slot { index, info } => {
                let slot = (*object).slot(index);
                let initialised = !(*slot).is_undef();
                let ask_magic = !initialised
                    && !class.magic.set.is_null()
                    && ((*info).declared.is_none() || (*slot).extra & PROPERTY_UNSET != 0)
                    && (*slot).extra & PROPERTY_LAZY == 0
                    && !is_guarded(vm, object, name, Magic::Set);
                if !ask_magic {
                    if !initialised && !has_set_access(&*info, scope) {
                        return Err(set_access_error(vm, &*info, scope, "modify"));
                    }
                    if let Some(state) = lazy::redirect(vm, object, lookup)? {
                        return write_state(vm, object, &state, name, value, scope);
                    }
                    return write_slot(vm, object, slot, &*info, value, scope);
                }
            }
            Lookup::Dynamic => {
                if !(*object).dynamic.is_null() {
                    let table = dynamic_table(vm, object);
                    if let Some(place) = table.get_string(name) {
                        return assign(vm, (&raw const *place).cast_mut(), value);
                    }
                }
                if class.magic.set.is_null() || is_guarded(vm, object, name, Magic::Set) {
                    if let Some(state) = lazy::redirect(vm, object, lookup)? {
                        return write_state(vm, object, &state, name, value, scope);
                    }
                    return write_dynamic(vm, object, name, value);
                }
            }
            _ if is_guarded(vm, object, name, Magic::Set) => {
                deny(vm, class, name, scope)?;
                return Ok(value);
            }
            _ => {}
        }
        call_magic(vm, object, name, Magic::Set, Some(value.clone()))?;
        Ok(value)
    }
}

/// Writes to what stands behind a lazy object.
fn write_state(
    vm: &mut Vm,
    object: *const PhpObject,
    state: &ObjectHandle,
    name: &PhpString,
    value: Value,
    scope: *const Class,
) -> PhpResult<Value> {
    with_guard_of(vm, object, state, name, Magic::Set, |vm| {
        write_property(vm, state.as_ptr(), name, value, scope)
    })
}

/// Writes a declared property whose slot is known: the rules of readonly, set visibility and type.
///
/// # Safety
/// `slot` is the slot of `info` in the live object.
pub unsafe fn write_slot(
    vm: &mut Vm,
    object: *mut PhpObject,
    slot: *mut Zval,
    info: &PropertyInfo,
    mut value: Value,
    scope: *const Class,
) -> PhpResult<Value> {
    // SAFETY: I3: by the caller; the handle keeps the object alive while types convert.
    unsafe {
        let initialised = !(*slot).is_undef();
        if info.flags & flags::READONLY != 0
            && initialised
            && (*slot).extra & PROPERTY_REINITIALISABLE == 0
        {
            return Err(readonly_error(vm, info));
        }
        if !has_set_access(info, scope) {
            return Err(set_access_error(vm, info, scope, "modify"));
        }
        if info.declared.is_some() {
            let holder = ObjectHandle::share_raw(object);
            let strict = is_strict(vm);
            let verified = crate::types::verify_property(vm, info, value.as_zval_mut(), strict);
            if holder.header.refcount == 1 {
                let text = full_name(info);
                drop(holder);
                let message = format!("Object was released while assigning to property {text}");
                return Err(vm.throw_error(KnownClass::Error, message));
            }
            verified?;
        }
        (*slot).extra &= !PROPERTY_REINITIALISABLE;
        assign(vm, slot, value)
    }
}

/// Writes the storage of a property with hooks, past them (`parent::$name::set()` of a plain
/// parent).
pub fn write_storage(
    vm: &mut Vm,
    object: *mut PhpObject,
    name: &PhpString,
    value: Value,
) -> PhpResult<Value> {
    // SAFETY: I3: the caller keeps the object alive; I4: its class lives until the VM ends.
    unsafe {
        let class = (*object).class;
        match (*class).properties.get_string(name).cloned() {
            Some(info) if info.slot != NO_SLOT => {
                let lookup = Lookup::Slot {
                    index: info.slot,
                    info: std::rc::Rc::as_ptr(&info),
                };
                if let Some(state) = lazy::redirect(vm, object, lookup)? {
                    return write_storage(vm, state.as_ptr(), name, value);
                }
                let slot = (*object).slot(info.slot);
                write_slot(vm, object, slot, &info, value, info.class)
            }
            Some(info) if info.is_virtual() => {
                let problem = "Must not write to virtual property ";
                Err(property_error_of(vm, &*class, &info, problem, ""))
            }
            _ => write_dynamic(vm, object, name, value),
        }
    }
}

/// May the object have a dynamic property of this name? Deprecated for most classes: one that is
/// complained about is made all the same, even if the complaint throws. Native code holds the object
/// `held` times.
pub fn allow_dynamic(
    vm: &mut Vm,
    object: *mut PhpObject,
    name: &PhpString,
    held: u32,
) -> PhpResult<()> {
    // SAFETY: I3: the caller keeps the object alive; the handle does during the handler.
    unsafe {
        let class = &*(*object).class;
        if class.flags & class_flags::NO_DYNAMIC_PROPERTIES != 0 {
            let message = format!(
                "Cannot create dynamic property {}::${}",
                class.display_name(),
                name.to_text()
            );
            return Err(vm.throw_error(KnownClass::Error, message));
        }
        if class.flags & class_flags::ALLOW_DYNAMIC_PROPERTIES == 0 {
            let holder = ObjectHandle::share_raw(object);
            vm.deprecated(format!(
                "Creation of dynamic property {}::${} is deprecated",
                class.display_name(),
                name.to_text()
            ));
            // There is nothing to make it on if the handler let go of the object.
            if (*holder.as_ptr()).header.refcount <= 1 + held {
                vm.check()?;
                // Its destructor runs before the complaint, which comes only if that throws nothing.
                if (*object).header.type_info & HEADER_DESTRUCTOR_CALLED == 0
                    && !class.magic.destruct.is_null()
                    && !(*object).is_lazy()
                {
                    (*object).header.type_info |= HEADER_DESTRUCTOR_CALLED;
                    vm.call_destructor(object);
                    vm.check()?;
                }
                let message = format!(
                    "Cannot create dynamic property {}::${}",
                    class.display_name(),
                    name.to_text()
                );
                return Err(vm.throw_error(KnownClass::Error, message));
            }
        }
        Ok(())
    }
}

/// Sets a dynamic property, of a name that the class does not declare. The caller keeps the object
/// alive.
pub fn write_dynamic(
    vm: &mut Vm,
    object: *mut PhpObject,
    name: &PhpString,
    value: Value,
) -> PhpResult<Value> {
    allow_dynamic(vm, object, name, 0)?;
    let assigned = Value::share(&value);
    write_undeclared(vm, object, name, value);
    Ok(assigned)
}

/// Sets a dynamic property whether the class has such or not. The caller keeps the object alive.
pub fn write_undeclared(vm: &mut Vm, object: *mut PhpObject, name: &PhpString, value: Value) {
    // SAFETY: I3: the caller keeps the object alive.
    unsafe { dynamic_table(vm, object).set_string(name, value) };
}

/// What a fetch for writing gives.
#[derive(Debug)]
pub enum PropertyPointer {
    /// The property's place. It stays valid until user code runs.
    Slot {
        /// The place.
        slot: *mut Zval,
        /// Its declaration if it has a type, else null.
        info: *const PropertyInfo,
    },
    /// A value (or a reference) that a magic method or hook gave, or an object that a readonly
    /// property holds.
    Value(Value),
}

/// `$object->name` to write into: for references, nested writes and compound assignments. Native code
/// holds the object `held` times: if nobody else does any more, no property is made.
pub fn property_pointer(
    vm: &mut Vm,
    object: *mut PhpObject,
    name: &PhpString,
    scope: *const Class,
    access: Access,
    held: u32,
) -> PhpResult<PropertyPointer> {
    if let Some((code, object)) = computed(object)
        && let Some(value) = (code.read)(vm, &object, name, access)?
    {
        return Ok(PropertyPointer::Value(value));
    }
    // SAFETY: I3: the caller keeps the object alive; I4: its class lives until the VM ends.
    unsafe {
        let class = &*(*object).class;
        let has_getter = !class.magic.get.is_null();
        let mut lookup = property_offset(vm, class, name, scope, has_getter)?;
        let fallback = |vm: &mut Vm| {
            read_property(vm, object, name, scope, access).map(PropertyPointer::Value)
        };
        if let Lookup::Hooked(info) = lookup {
            let info = &*info;
            if !is_in_hook(vm, object, info) || info.slot == NO_SLOT {
                return fallback(vm);
            }
            lookup = Lookup::Slot {
                index: info.slot,
                info,
            };
        }
        match lookup {
            Lookup::Slot { index, info } => {
                let info = &*info;
                let slot = (*object).slot(index);
                let guarded = info.flags & flags::READONLY != 0 || !has_set_access(info, scope);
                // While `__clone` runs, `++` may change a readonly property, but nothing indirect.
                let reopened =
                    access == Access::ReadWrite && (*slot).extra & PROPERTY_REINITIALISABLE != 0;
                if (*slot).is_undef() {
                    let is_typed = info.declared.is_some();
                    let uninitialised = is_typed && (*slot).extra & PROPERTY_UNSET == 0
                        || (*slot).extra & PROPERTY_LAZY != 0;
                    if has_getter && !uninitialised && !is_guarded(vm, object, name, Magic::Get) {
                        return fallback(vm);
                    }
                    if let Some(state) = lazy::redirect_held(vm, object, lookup, held)? {
                        return pointer_of_state(vm, object, &state, name, scope, access);
                    }
                    if matches!(access, Access::ReadWrite | Access::Read) {
                        if is_typed {
                            return Err(uninitialised_error(vm, info));
                        }
                        (*slot).set_null();
                        undefined_property(vm, class, name);
                    } else if guarded {
                        return fallback(vm);
                    } else if !is_typed {
                        (*slot).set_null();
                    }
                } else if guarded && !reopened {
                    return fallback(vm);
                }
                let info = if info.declared.is_some() {
                    &raw const *info
                } else {
                    std::ptr::null()
                };
                Ok(PropertyPointer::Slot { slot, info })
            }
            Lookup::Dynamic => {
                if !(*object).dynamic.is_null() {
                    let table = dynamic_table(vm, object);
                    if let Some(place) = table.get_string(name) {
                        let slot = (&raw const *place).cast_mut();
                        return Ok(PropertyPointer::Slot {
                            slot,
                            info: std::ptr::null(),
                        });
                    }
                }
                if has_getter && !is_guarded(vm, object, name, Magic::Get) {
                    return fallback(vm);
                }
                if let Some(state) = lazy::redirect_held(vm, object, lookup, held)? {
                    return pointer_of_state(vm, object, &state, name, scope, access);
                }
                allow_dynamic(vm, object, name, held)?;
                if matches!(access, Access::ReadWrite | Access::Read) {
                    undefined_property(vm, class, name);
                }
                let slot = dynamic_table(vm, object).slot_string(name);
                Ok(PropertyPointer::Slot {
                    slot,
                    info: std::ptr::null(),
                })
            }
            _ => fallback(vm),
        }
    }
}

fn pointer_of_state(
    vm: &mut Vm,
    object: *const PhpObject,
    state: &ObjectHandle,
    name: &PhpString,
    scope: *const Class,
    access: Access,
) -> PhpResult<PropertyPointer> {
    with_guard_of(vm, object, state, name, Magic::Get, |vm| {
        property_pointer(vm, state.as_ptr(), name, scope, access, 1)
    })
}

/// `unset($object->name)`. The caller has one share of the object.
pub fn unset_property(
    vm: &mut Vm,
    object: *mut PhpObject,
    name: &PhpString,
    scope: *const Class,
) -> PhpResult<()> {
    if let Some((code, object)) = computed(object)
        && (code.unset)(vm, &object, name)?
    {
        return Ok(());
    }
    // SAFETY: I3: the caller keeps the object alive; I4: its class lives until the VM ends.
    unsafe {
        let class = &*(*object).class;
        let lookup = property_offset(vm, class, name, scope, !class.magic.unset.is_null())?;
        match lookup {
            Lookup::Slot { index, info } => {
                let info = &*info;
                let slot = (*object).slot(index);
                if !(*slot).is_undef() {
                    if info.flags & flags::READONLY != 0
                        && (*slot).extra & PROPERTY_REINITIALISABLE == 0
                    {
                        return Err(property_error(
                            vm,
                            info,
                            "Cannot unset readonly property ",
                            "",
                        ));
                    }
                    if !has_set_access(info, scope) {
                        return Err(set_access_error(vm, info, scope, "unset"));
                    }
                    let old = *slot;
                    remove_source(&old, info);
                    (*slot).set_undef();
                    (*slot).extra = PROPERTY_UNSET;
                    release(&old);
                    return Ok(());
                }
                if let Some(state) = lazy::redirect_held(vm, object, lookup, 1)? {
                    return unset_state(vm, object, &state, name, scope);
                }
                if info.declared.is_some() && (*slot).extra & PROPERTY_UNSET == 0 {
                    if !has_set_access(info, scope) {
                        return Err(set_access_error(vm, info, scope, "unset"));
                    }
                    // From now on magic methods are asked about it.
                    (*slot).extra |= PROPERTY_UNSET;
                    return Ok(());
                }
            }
            Lookup::Hooked(_) => {
                let message = format!(
                    "Cannot unset hooked property {}::${}",
                    class.display_name(),
                    name.to_text()
                );
                return Err(vm.throw_error(KnownClass::Error, message));
            }
            Lookup::Dynamic => {
                if !(*object).dynamic.is_null() && (*(*object).dynamic).get_string(name).is_some() {
                    let key = StringHandle::share_raw((&raw const *name).cast_mut());
                    dynamic_table(vm, object).remove_string(&key);
                    return Ok(());
                }
            }
            Lookup::Denied => {}
        }
        if (class.magic.unset.is_null() || is_guarded(vm, object, name, Magic::Unset))
            && lookup == Lookup::Dynamic
            && let Some(state) = lazy::redirect_held(vm, object, lookup, 1)?
        {
            return unset_state(vm, object, &state, name, scope);
        }
        let ask = !class.magic.unset.is_null() && !is_guarded(vm, object, name, Magic::Unset);
        if let (false, Lookup::Slot { info, .. }) = (ask, lookup)
            && !has_set_access(&*info, scope)
        {
            return Err(set_access_error(vm, &*info, scope, "unset"));
        }
        if class.magic.unset.is_null() {
            return Ok(());
        }
        if ask {
            call_magic(vm, object, name, Magic::Unset, None)?;
        } else if lookup == Lookup::Denied {
            deny(vm, class, name, scope)?;
        }
        Ok(())
    }
}

fn unset_state(
    vm: &mut Vm,
    object: *const PhpObject,
    state: &ObjectHandle,
    name: &PhpString,
    scope: *const Class,
) -> PhpResult<()> {
    with_guard_of(vm, object, state, name, Magic::Unset, |vm| {
        unset_property(vm, state.as_ptr(), name, scope)
    })
}

/// Notes that a reference is bound to a typed property: assignments through it are checked.
pub fn add_reference_source(reference: &mut crate::value::PhpReference, info: *const PropertyInfo) {
    if reference.sources.is_null() {
        reference.sources = Box::into_raw(Box::default());
    }
    // SAFETY: made above or before; it belongs to the reference.
    unsafe { (*reference.sources).properties.push(info) };
}

/// Makes a property's place a reference, typed if the property is, and gives a share of it. A readonly property
/// that is a reference already, as `array_walk()` leaves it, is not refused.
///
/// # Safety
/// `place` is a slot of the live object, or in its table of dynamic properties.
pub unsafe fn reference_to_place(
    vm: &mut Vm,
    object: &PhpObject,
    place: *mut Zval,
) -> PhpResult<Value> {
    // SAFETY: I3: by the caller; I4: infos live as long as their class.
    unsafe {
        let info = property_info_at(object, place);
        if !(*place).is_reference() && !info.is_null() && (*info).flags & flags::READONLY != 0 {
            return Err(readonly_reference(vm, &*info));
        }
        make_property_reference(vm, place, info);
        Ok(Value::from_zval((*place).share()))
    }
}

/// Makes a property's slot a reference, typed if the property is.
///
/// # Safety
/// The slot is that of a live object; `info` is null or the live declaration.
pub unsafe fn make_property_reference(vm: &mut Vm, slot: *mut Zval, info: *const PropertyInfo) {
    // SAFETY: I3 and I4: by the caller.
    unsafe {
        let was_reference = (*slot).is_reference();
        crate::value::make_reference(&mut vm.heap, slot);
        if !was_reference && !info.is_null() && (*info).declared.is_some() {
            add_reference_source(&mut *(*slot).reference(), info);
        }
    }
}

/// Takes a typed property off the sources of the reference it was bound to, if it was.
pub fn remove_source(value: &Zval, info: *const PropertyInfo) {
    if !value.is_reference() {
        return;
    }
    // SAFETY: I3: a reference payload is live; its sources are null or belong to it.
    unsafe {
        let reference = value.reference();
        if (*reference).sources.is_null() {
            return;
        }
        let properties = &mut (*(*reference).sources).properties;
        if let Some(position) = properties.iter().position(|&source| source == info) {
            properties.swap_remove(position);
        }
        if properties.is_empty() {
            drop(Box::from_raw((*reference).sources));
            (*reference).sources = std::ptr::null_mut();
        }
    }
}
