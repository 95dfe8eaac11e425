//! Properties as arrays: for casts, `get_object_vars()`, `var_dump()` and the like.

use std::rc::Rc;

use crate::array::KeyRef;
use crate::class::{Class, PropertyInfo, is_property_accessible};
use crate::function::flags;
use crate::object::PhpObject;
use crate::object::access::{Lookup, property_offset};
use crate::object::lazy;
use crate::object::magic::is_in_hook;
use crate::object::write::dynamic_table;
use crate::operators::convert::{property_table, share_element};
use crate::string::PhpString;
use crate::value::{ArrayHandle, ObjectHandle, StringHandle, Value};
use crate::vm::{PhpResult, Vm};

/// All properties by their mangled names, as `(array)` has them before decimal names become
/// integers. A native class may have its own idea.
pub fn properties_of(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<ArrayHandle> {
    match object
        .class()
        .handlers
        .and_then(|handlers| handlers.properties)
    {
        Some(properties) => properties(vm, object.as_ptr()),
        None if object.is_lazy() => {
            let state = lazy::initialise(vm, object)?;
            properties_of(vm, &state)
        }
        None => Ok(property_table(vm, object)),
    }
}

/// Completes the object's own table of properties, which somebody is going to go through.
#[inline]
pub fn fill_table(vm: &mut Vm, object: &ObjectHandle) {
    if let Some(handlers) = object.class().handlers
        && let Some(fill) = handlers.fill_table
    {
        fill(vm, object);
    }
}

/// As [`properties_of`], for what only looks at an object (`(array)`): one that is still lazy is
/// not initialised.
pub fn present_properties(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<ArrayHandle> {
    if object.is_uninitialised_lazy() {
        return Ok(property_table(vm, object));
    }
    let mut table = properties_of(vm, object)?;
    let place = pointer(object);
    if place != 0 && !object.is_lazy() {
        table.make_mut(vm).set_internal_position(place);
    }
    Ok(table)
}

/// Where `current()` and its like stand among the properties of an object: how many come before. The table of
/// dynamic properties keeps it as a position that counts all slots first, whether they have values or not; where it takes
/// a property away, it moves that as a position of its own, which PHP would not.
pub fn pointer(object: &PhpObject) -> u32 {
    // SAFETY: I3: the table of dynamic properties lives as long as the object.
    let Some(dynamic) = (unsafe { object.dynamic.as_ref() }) else {
        return 0;
    };
    let position = dynamic.internal_position();
    let slots = (0..object.slot_count.min(position)).filter(|&slot| has_value(object, slot));
    slots.count() as u32 + dynamic.elements_before(position.saturating_sub(object.slot_count))
}

/// Moves what [`pointer`] tells behind so many properties.
pub fn set_pointer(vm: &mut Vm, object: &ObjectHandle, before: u32) {
    let mut slots = (0..object.slot_count).filter(|&slot| has_value(object, slot));
    let slot = slots.nth(before as usize);
    let declared = (0..object.slot_count).filter(|&slot| has_value(object, slot));
    let declared = declared.count() as u32;
    // SAFETY: I3: the object is live.
    let dynamic = unsafe { dynamic_table(vm, object.as_ptr()) };
    let position = slot.unwrap_or_else(|| {
        let entry = (0..dynamic.positions())
            .filter(|&position| dynamic.entry_at(position).is_some())
            .nth(before.saturating_sub(declared) as usize);
        object.slot_count + entry.unwrap_or(dynamic.positions())
    });
    dynamic.set_internal_position(position);
}

/// Whether a slot holds a property that can be gone through.
fn has_value(object: &PhpObject, slot: u32) -> bool {
    let info = object.class().slot_properties.get(slot as usize);
    // SAFETY: I3: below the slot count.
    info.is_some_and(|info| !info.is_null()) && unsafe { !(*object.slot(slot)).is_undef() }
}

/// What `var_dump()`, `print_r()` and `debug_zval` show: of `__debugInfo()`, of the native class,
/// or the properties.
pub fn debug_properties(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<ArrayHandle> {
    let class = object.class();
    if !class.magic.debug_info.is_null() {
        let info = vm.call_function(
            class.magic.debug_info,
            Some(object.clone()),
            object.class,
            Vec::new(),
        )?;
        if let Some(table) = info.array() {
            return Ok(table);
        }
        if info.is_null() {
            return Ok(vm.new_array());
        }
        vm.fatal_error("__debuginfo() must return an array");
    }
    match class.handlers.and_then(|handlers| handlers.debug_info) {
        Some(debug_info) => debug_info(vm, object.as_ptr()),
        None => properties_of(vm, object),
    }
}

/// A property that a scope can see, with its current value.
#[derive(Debug)]
pub struct VisibleProperty {
    /// The plain name.
    pub name: StringHandle,
    /// The value; the getter's result for a property with a `get` hook.
    pub value: Value,
    /// The declaration; null for a dynamic property.
    pub info: *const PropertyInfo,
}

/// The value that reading a declared property gives, without complaints: what a getter returns if
/// `hooks` says to call it. None if there is no value to read.
fn current_value(
    vm: &mut Vm,
    object: &ObjectHandle,
    info: &PropertyInfo,
    hooks: bool,
) -> PhpResult<Option<Value>> {
    if hooks && !info.get_hook.is_null() && !is_in_hook(vm, object.as_ptr(), info) {
        let this = Some(object.clone());
        let value = vm.call_function(info.get_hook, this, object.class, Vec::new())?;
        return Ok(Some(value));
    }
    if info.slot == crate::class::NO_SLOT {
        return Ok(None);
    }
    // SAFETY: I3: the slot is one of the object's.
    let slot = unsafe { &*object.slot(info.slot) };
    Ok((!slot.is_undef()).then(|| share_element(slot)))
}

/// All properties by their mangled names as `var_export()` has them: getters are called.
pub fn properties_through_hooks(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<ArrayHandle> {
    let object = &lazy::with_state(vm, object)?;
    let mut table = vm.new_array();
    for info in ordered_properties(object.class()) {
        // SAFETY: I4: infos live as long as their class.
        let info = unsafe { &*info };
        if info.flags & flags::STATIC != 0 {
            continue;
        }
        if let Some(value) = current_value(vm, object, info, true)? {
            // SAFETY: I4: names live as long as the class.
            table
                .make_mut(vm)
                .set_string(unsafe { &*info.mangled }, value);
        }
    }
    if !object.dynamic.is_null() {
        // SAFETY: I3: the table lives as long as the object.
        let dynamic = unsafe { ArrayHandle::share_raw(object.dynamic) };
        for (key, value) in dynamic.iter() {
            if let KeyRef::String(name) = key {
                table.make_mut(vm).set_string(name, share_element(value));
            }
        }
    }
    Ok(table)
}

/// The properties that code in `scope` can see, by plain name: `get_object_vars()` and `foreach`.
/// With `hooks`, getters are called.
pub fn visible_properties(
    vm: &mut Vm,
    object: &ObjectHandle,
    scope: *const Class,
    hooks: bool,
) -> PhpResult<Vec<VisibleProperty>> {
    let mut found = Vec::with_capacity(object.slot_count as usize);
    each_visible(vm, object, scope, hooks, |_, property| found.push(property))?;
    Ok(found)
}

/// As [`visible_properties`], one after the other.
pub fn each_visible(
    vm: &mut Vm,
    object: &ObjectHandle,
    scope: *const Class,
    hooks: bool,
    mut each: impl FnMut(&mut Vm, VisibleProperty),
) -> PhpResult<()> {
    let object = &lazy::with_state(vm, object)?;
    fill_table(vm, object);
    let class = object.class();
    let ordered;
    let properties = match class.flags & crate::function::class_flags::HAS_HOOKS {
        0 => class.slot_properties.as_slice(),
        _ => {
            ordered = ordered_properties(class);
            ordered.as_slice()
        }
    };
    for info in properties.iter().filter(|info| !info.is_null()) {
        // SAFETY: I4: infos live as long as their class.
        let info = unsafe { &**info };
        if info.flags & flags::STATIC != 0
            || !is_property_accessible(info, scope)
            || is_shadowed(class, info, scope)
        {
            continue;
        }
        let Some(value) = current_value(vm, object, info, hooks)? else {
            continue;
        };
        // SAFETY: I4: names live as long as the class.
        let name = unsafe { StringHandle::share_raw(info.name) };
        each(vm, VisibleProperty { name, value, info });
    }
    if !object.dynamic.is_null() {
        // SAFETY: I3: the table lives as long as the object.
        let table = unsafe { ArrayHandle::share_raw(object.dynamic) };
        for (key, value) in table.iter() {
            let name = match key {
                KeyRef::String(name) => {
                    if !scope.is_null() && is_declared(vm, object.class, name, scope) {
                        continue;
                    }
                    share_name(name)
                }
                // What was appended through an ArrayObject.
                KeyRef::Long(number) => vm.string(number.to_string()),
            };
            let property = VisibleProperty {
                name,
                value: share_element(value),
                info: std::ptr::null(),
            };
            each(vm, property);
        }
    }
    Ok(())
}

/// True if the name of a dynamic property means a declared one in `scope`.
pub fn is_declared(
    vm: &mut Vm,
    class: *const Class,
    name: &PhpString,
    scope: *const Class,
) -> bool {
    !matches!(
        property_offset(vm, class, name, scope, true),
        Ok(Lookup::Dynamic)
    )
}

/// The plain name in a mangled one (`"\0Class\0name"`).
pub fn unmangled(name: &[u8]) -> &[u8] {
    match name {
        [0, rest @ ..] => match memchr::memchr(0, rest) {
            Some(end) => &rest[end + 1..],
            None => name,
        },
        _ => name,
    }
}

fn share_name(name: &PhpString) -> StringHandle {
    // SAFETY: I3: a borrowed string is live.
    unsafe { StringHandle::share_raw((&raw const *name).cast_mut()) }
}

/// Instance properties in the order in which they are listed: by slot, virtual ones where their
/// class declares them.
pub(crate) fn ordered_properties(class: &Class) -> Vec<*const PropertyInfo> {
    let mut list: Vec<*const PropertyInfo> = Vec::new();
    let loops_over_computed = class.handlers.is_some_and(|it| it.loops_over_computed);
    if class.flags & crate::function::class_flags::HAS_HOOKS == 0 && !loops_over_computed {
        list.extend(class.slot_properties.iter().filter(|info| !info.is_null()));
        return list;
    }
    // Parents first, each in the order of its declaration.
    let mut chain = Vec::new();
    let mut next: *const Class = class;
    while !next.is_null() {
        chain.push(next);
        // SAFETY: I4: classes live until the VM ends.
        next = unsafe { (*next).parent };
    }
    for &ancestor in chain.iter().rev() {
        // SAFETY: I4: as above.
        for (name, info) in unsafe { (*ancestor).properties.iter() } {
            if info.class.cast_const() != ancestor {
                continue;
            }
            // The most derived declaration stands for all, unless the ancestor's is private.
            let shown = match class.properties.get(name) {
                Some(own) if info.flags & flags::PRIVATE == 0 => Rc::as_ptr(own),
                _ => Rc::as_ptr(info),
            };
            if !list.contains(&shown) {
                list.push(shown);
            }
        }
    }
    list
}

/// A private property of a parent is not seen from there if the child has a visible one.
fn is_shadowed(class: &Class, info: &PropertyInfo, scope: *const Class) -> bool {
    if class.parent.is_null() {
        return false;
    }
    // SAFETY: I4: names live as long as the class.
    let name = unsafe { (*info.name).as_bytes() };
    match class.properties.get(name) {
        Some(own) if !std::ptr::eq(&raw const **own, info) => {
            // Code of the private property's class sees its own, everyone else the child's.
            !(info.flags & flags::PRIVATE != 0 && info.class.cast_const() == scope)
        }
        Some(own) => {
            // The child's property is hidden from the class whose private one it hides.
            own.flags & flags::CHANGED != 0
                && !scope.is_null()
                && !std::ptr::eq(scope, class)
                // SAFETY: I4: a scope is null or live.
                && unsafe { (*scope).properties.get(name) }.is_some_and(|hidden| {
                    hidden.flags & flags::PRIVATE != 0
                        && hidden.class.cast_const() == scope
                        && class.is_parent_chain(scope)
                })
        }
        None => false,
    }
}

impl PhpObject {
    /// True if the class has no say in how properties are listed.
    pub fn has_plain_properties(&self) -> bool {
        let class = self.class();
        class.flags & crate::function::class_flags::HAS_HOOKS == 0
            && class
                .handlers
                .is_none_or(|handlers| handlers.properties.is_none())
    }
}
