//! Reading properties, and asking whether they are there.

use crate::class::{Class, NO_SLOT, PropertyHandlers, PropertyInfo};
use crate::exceptions::KnownClass;
use crate::function::flags;
use crate::object::access::{
    Access, Lookup, denied_error, has_set_access, property_error, property_error_of,
    property_offset, readonly_indirect_error, set_access_error, uninitialised_error,
};
use crate::object::lazy;
use crate::object::magic::{Magic, call_hook, call_magic, is_guarded, is_in_hook, with_guard_of};
use crate::object::{PROPERTY_LAZY, PROPERTY_REINITIALISABLE, PROPERTY_UNSET, PhpObject};
use crate::operators::to_bool;
use crate::string::PhpString;
use crate::value::{NULL, OBJECT, ObjectHandle, UNDEF, Value, Zval};
use crate::vm::{PhpResult, Vm};

/// What [`has_property`] asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// `isset()`: there and not null.
    Isset,
    /// `!empty()`: there and true.
    NotEmpty,
    /// `property_exists()` on the object: there at all.
    Exists,
}

/// The storage that a look-up leads to, if it holds a value.
unsafe fn stored(object: *mut PhpObject, lookup: Lookup, name: &PhpString) -> Option<*mut Zval> {
    // SAFETY: I3: the object is live, by the caller; slots of a look-up belong to its class.
    unsafe {
        match lookup {
            Lookup::Slot { index, .. } => {
                let slot = (*object).slot(index);
                (!(*slot).is_undef()).then_some(slot)
            }
            Lookup::Dynamic if !(*object).dynamic.is_null() => (*(*object).dynamic)
                .get_string(name)
                .map(|value| (&raw const *value).cast_mut()),
            _ => None,
        }
    }
}

/// True if the slot is a typed or lazy one that was never set: magic methods are not asked then.
unsafe fn is_uninitialised(object: *mut PhpObject, lookup: Lookup) -> bool {
    // SAFETY: I3: as for `stored`.
    unsafe {
        match lookup {
            Lookup::Slot { index, info } => {
                let slot = (*object).slot(index);
                (*slot).is_undef()
                    && ((*info).declared.is_some() && (*slot).extra & PROPERTY_UNSET == 0
                        || (*slot).extra & PROPERTY_LAZY != 0)
            }
            _ => false,
        }
    }
}

/// A hooked property's storage as a look-up; only code inside of the hook comes here.
fn backing(info: *const PropertyInfo) -> Lookup {
    // SAFETY: I4: infos live as long as their class.
    let index = unsafe { (*info).slot };
    if index == NO_SLOT {
        Lookup::Denied
    } else {
        Lookup::Slot { index, info }
    }
}

/// The declaration that a look-up leads to, if it has a type.
fn typed(lookup: Lookup) -> Option<&'static PropertyInfo> {
    match lookup {
        Lookup::Slot { info, .. } => {
            // SAFETY: I4: infos live as long as their class, which is until the VM ends.
            unsafe { info.as_ref() }.filter(|info| info.declared.is_some())
        }
        _ => None,
    }
}

/// The handlers of an object whose class computes properties natively.
#[inline]
pub(super) fn computed(
    object: *mut PhpObject,
) -> Option<(&'static PropertyHandlers, ObjectHandle)> {
    // SAFETY: I3: callers keep the object alive; I4: its class lives until the VM ends.
    unsafe {
        let code = (*(*object).class).handlers?.properties_by_code?;
        Some((code, ObjectHandle::share_raw(object)))
    }
}

/// `$object->name` as a value. References that a magic method returned are kept as such if the
/// access is for writing.
pub fn read_property(
    vm: &mut Vm,
    object: *mut PhpObject,
    name: &PhpString,
    scope: *const Class,
    access: Access,
) -> PhpResult<Value> {
    if let Some((code, object)) = computed(object)
        && let Some(value) = (code.read)(vm, &object, name, access)?
    {
        return Ok(value);
    }
    // SAFETY: I3: the caller keeps the object alive; I4: its class lives until the VM ends.
    unsafe {
        let class = &*(*object).class;
        let silent = access == Access::Isset || !class.magic.get.is_null();
        let mut lookup = property_offset(vm, class, name, scope, silent)?;
        if let Lookup::Hooked(info) = lookup {
            let info = &*info;
            if info.get_hook.is_null() {
                if info.slot == NO_SLOT {
                    let after = " is write-only";
                    return Err(property_error_of(vm, class, info, "Property ", after));
                }
                // What has no value yet is complained about for that.
                if access.is_write()
                    && !is_in_hook(vm, object, info)
                    && !matches!((*(*object).slot(info.slot)).deref().kind(), OBJECT | UNDEF)
                {
                    return Err(property_error(
                        vm,
                        info,
                        "Indirect modification of ",
                        " is not allowed",
                    ));
                }
            } else if !is_in_hook(vm, object, info) {
                return read_hooked(vm, object, info, access);
            } else if info.slot == NO_SLOT {
                let problem = "Must not read from virtual property ";
                return Err(property_error_of(vm, class, info, problem, ""));
            }
            lookup = backing(info);
        }
        if let Some(place) = stored(object, lookup, name) {
            return read_stored(vm, place, lookup, scope, access);
        }
        if let Lookup::Slot { info, .. } = lookup
            && access.is_write()
            && (*info).flags & flags::READONLY != 0
            && !(*object).is_lazy()
        {
            match access {
                Access::Write => return Err(readonly_indirect_error(vm, &*info)),
                Access::Unset => return Ok(Value::NULL),
                _ => {}
            }
        }
        if !is_uninitialised(object, lookup)
            && let Some(value) = read_by_magic(vm, object, name, scope, access, lookup)?
        {
            return Ok(value);
        }
        if let Some(state) = lazy::redirect(vm, object, lookup)? {
            let guard = if access == Access::Isset && !class.magic.isset.is_null() {
                Magic::Isset
            } else {
                Magic::Get
            };
            return with_guard_of(vm, object, &state, name, guard, |vm| {
                read_property(vm, state.as_ptr(), name, scope, access)
            });
        }
        if access == Access::Isset {
            return Ok(Value::NULL);
        }
        if let Some(info) = typed(lookup) {
            return Err(uninitialised_error(vm, info));
        }
        undefined_property(vm, class, name);
        vm.check()?;
        Ok(Value::NULL)
    }
}

pub(crate) fn undefined_property(vm: &mut Vm, class: &Class, name: &PhpString) {
    let shown = name.to_text();
    vm.warning(format!(
        "Undefined property: {}::${shown}",
        class.display_name()
    ));
}

unsafe fn read_stored(
    vm: &mut Vm,
    place: *mut Zval,
    lookup: Lookup,
    scope: *const Class,
    access: Access,
) -> PhpResult<Value> {
    // SAFETY: I3: the place holds a value, by the caller.
    unsafe {
        if access.is_write()
            && let Lookup::Slot { info, .. } = lookup
            && (*place).deref().kind() != OBJECT
        {
            let info = &*info;
            let reopened =
                access == Access::ReadWrite && (*place).extra & PROPERTY_REINITIALISABLE != 0;
            if info.flags & flags::READONLY != 0 && !reopened {
                return Err(readonly_indirect_error(vm, info));
            }
            if !has_set_access(info, scope) {
                return Err(set_access_error(vm, info, scope, "indirectly modify"));
            }
        }
        Ok(Value::share(&*place))
    }
}

fn read_hooked(
    vm: &mut Vm,
    object: *mut PhpObject,
    info: &PropertyInfo,
    access: Access,
) -> PhpResult<Value> {
    let value = call_hook(vm, object, info.get_hook, None)?;
    if access.is_write() && !value.is_reference() && value.kind() != OBJECT {
        // SAFETY: I3: the caller keeps the object alive; I4: its class lives until the VM ends.
        let (class, name) = unsafe { ((*object).class().display_name(), info.display_name()) };
        let message = format!("Indirect modification of {class}::${name} is not allowed");
        return Err(vm.throw_error(KnownClass::Error, message));
    }
    Ok(value)
}

/// Asks `__isset` and `__get` as the access demands; None if there is no one to ask.
unsafe fn read_by_magic(
    vm: &mut Vm,
    object: *mut PhpObject,
    name: &PhpString,
    scope: *const Class,
    access: Access,
    lookup: Lookup,
) -> PhpResult<Option<Value>> {
    // SAFETY: I3: the caller keeps the object alive; I4: its class lives until the VM ends.
    let class = unsafe { &*(*object).class };
    let has_getter = !class.magic.get.is_null();
    if access == Access::Isset && !class.magic.isset.is_null() {
        if !is_guarded(vm, object, name, Magic::Isset) {
            let answer = call_magic(vm, object, name, Magic::Isset, None)?;
            if !to_bool(&answer) {
                vm.check()?;
                return Ok(Some(Value::NULL));
            }
        }
        if has_getter && !is_guarded(vm, object, name, Magic::Get) {
            let value = call_magic(vm, object, name, Magic::Get, None)?;
            return typed_answer(vm, class, value, lookup).map(Some);
        }
        return Ok(None);
    }
    if !has_getter {
        return Ok(None);
    }
    if is_guarded(vm, object, name, Magic::Get) {
        if lookup == Lookup::Denied {
            property_offset(vm, class, name, scope, access == Access::Isset)?;
        }
        return Ok(None);
    }
    let value = call_magic(vm, object, name, Magic::Get, None)?;
    if access.is_write() && !value.is_reference() && value.kind() != OBJECT {
        vm.notice(format!(
            "Indirect modification of overloaded property {}::${} has no effect",
            class.display_name(),
            name.to_text()
        ));
        vm.check()?;
    }
    typed_answer(vm, class, value, lookup).map(Some)
}

/// What `__get` gives for a typed property that was unset must fit its type.
fn typed_answer(vm: &mut Vm, class: &Class, mut value: Value, lookup: Lookup) -> PhpResult<Value> {
    let Some(info) = typed(lookup) else {
        return Ok(value);
    };
    // SAFETY: I4: a class with a getter has a live one.
    let strict = unsafe { (*class.magic.get).flags & flags::STRICT_TYPES != 0 };
    crate::types::verify_getter(vm, info, value.as_zval_mut(), strict)?;
    Ok(value)
}

/// True if the object has a property of this name that `scope` may see: what native code computes and
/// magic methods are not asked.
pub fn has_own_property(
    vm: &mut Vm,
    object: *mut PhpObject,
    name: &PhpString,
    scope: *const Class,
) -> PhpResult<bool> {
    // SAFETY: I3: the caller keeps the object alive; I4: its class lives until the VM ends.
    unsafe {
        let class = &*(*object).class;
        let lookup = property_offset(vm, class, name, scope, true)?;
        Ok(matches!(lookup, Lookup::Hooked(_)) || stored(object, lookup, name).is_some())
    }
}

/// `isset($object->name)` and its relatives.
pub fn has_property(
    vm: &mut Vm,
    object: *mut PhpObject,
    name: &PhpString,
    scope: *const Class,
    question: Question,
) -> PhpResult<bool> {
    if let Some((code, object)) = computed(object)
        && let Some(answer) = (code.has)(vm, &object, name, question)?
    {
        return Ok(answer);
    }
    // SAFETY: I3: the caller keeps the object alive; I4: its class lives until the VM ends.
    unsafe {
        let class = &*(*object).class;
        let mut lookup = property_offset(vm, class, name, scope, true)?;
        if let Lookup::Hooked(info) = lookup {
            let info = &*info;
            if info.get_hook.is_null() {
                if info.slot == NO_SLOT {
                    let after = " is write-only";
                    return Err(property_error_of(vm, class, info, "Property ", after));
                }
            } else if !is_in_hook(vm, object, info) {
                if question == Question::Exists {
                    return Ok(true);
                }
                let value = call_hook(vm, object, info.get_hook, None)?;
                return Ok(answer(&value, question));
            } else if info.slot == NO_SLOT {
                let problem = "Must not read from virtual property ";
                return Err(property_error_of(vm, class, info, problem, ""));
            }
            lookup = backing(info);
        }
        if let Some(place) = stored(object, lookup, name) {
            let value = Value::share(&*place);
            return Ok(answer(&value, question));
        }
        let ask = question != Question::Exists
            && !class.magic.isset.is_null()
            && !is_uninitialised(object, lookup)
            && !is_guarded(vm, object, name, Magic::Isset);
        if !ask {
            if let Some(state) = lazy::redirect(vm, object, lookup)? {
                return with_guard_of(vm, object, &state, name, Magic::Isset, |vm| {
                    has_property(vm, state.as_ptr(), name, scope, question)
                });
            }
            return Ok(false);
        }
        let found = call_magic(vm, object, name, Magic::Isset, None)?;
        if !to_bool(&found) {
            vm.check()?;
            return Ok(false);
        }
        if question != Question::NotEmpty {
            return Ok(true);
        }
        if class.magic.get.is_null() || is_guarded(vm, object, name, Magic::Get) {
            return Ok(false);
        }
        let value = call_magic(vm, object, name, Magic::Get, None)?;
        Ok(to_bool(&value))
    }
}

fn answer(value: &Value, question: Question) -> bool {
    match question {
        Question::Isset => value.deref().kind() > NULL,
        Question::NotEmpty => to_bool(value),
        Question::Exists => true,
    }
}

/// The storage of a property with hooks, read past them (`parent::$name::get()` of a plain parent).
pub fn read_storage(vm: &mut Vm, object: *mut PhpObject, name: &PhpString) -> PhpResult<Value> {
    // SAFETY: I3: the caller keeps the object alive; I4: its class lives until the VM ends.
    unsafe {
        let class = &*(*object).class;
        let info = class.properties.get(name.as_bytes());
        if let Some(info) = info.filter(|info| info.is_virtual()) {
            let problem = "Must not read from virtual property ";
            return Err(property_error_of(vm, class, info, problem, ""));
        }
        let Some(info) = info.filter(|info| info.slot != NO_SLOT) else {
            undefined_property(vm, class, name);
            vm.check()?;
            return Ok(Value::NULL);
        };
        let slot = (*object).slot(info.slot);
        if !(*slot).is_undef() {
            return Ok(Value::share(&*slot));
        }
        let lookup = Lookup::Slot {
            index: info.slot,
            info: &raw const **info,
        };
        if let Some(state) = lazy::redirect(vm, object, lookup)? {
            return read_storage(vm, state.as_ptr(), name);
        }
        if info.declared.is_some() {
            return Err(uninitialised_error(vm, info));
        }
        undefined_property(vm, class, name);
        vm.check()?;
        Ok(Value::NULL)
    }
}

/// The Error for a property that the scope may not touch, whose magic method is already running.
pub(crate) fn deny(
    vm: &mut Vm,
    class: &Class,
    name: &PhpString,
    scope: *const Class,
) -> PhpResult<()> {
    match property_offset(vm, class, name, scope, false)? {
        Lookup::Denied => match class.properties.get_string(name).cloned() {
            Some(info) => Err(denied_error(vm, class, &info, name)),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}
