//! Loops over objects whose properties are asked for by their names: those that have hooks, and those that native code
//! computes.

use crate::array::KeyRef;
use crate::exceptions::KnownClass;
use crate::frame::Frame;
use crate::function::{class_flags, flags};
use crate::interpreter::iteration::{
    is_traversable, loop_end, no_key, property_visible, store_key, store_reference, store_value,
};
use crate::interpreter::operand::*;
use crate::object::PhpObject;
use crate::object::access::{Access, Lookup, property_offset};
use crate::object::read::read_property;
use crate::object::write::{PropertyPointer, property_pointer};
use crate::op::Op;
use crate::value::{OBJECT, ObjectHandle, StringHandle, Value, Zval, make_reference, release};
use crate::vm::{PhpResult, Thrown, Vm};

fn has_hooks(object: &PhpObject) -> bool {
    object.class().flags & class_flags::HAS_HOOKS != 0
}

/// Whether the class computes properties natively that loops go through.
fn loops_over_computed(object: &PhpObject) -> bool {
    let handlers = object.class().handlers;
    handlers.is_some_and(|handlers| handlers.loops_over_computed)
}

/// Whether a loop asks for each property by its name when its turn comes.
pub(super) fn goes_by_names(object: &PhpObject) -> bool {
    has_hooks(object) || loops_over_computed(object)
}

/// The object whose properties are unpacked and delegated to as if it were Traversable, since its class has hooks.
///
/// # Safety
/// Invariant I3.
pub unsafe fn with_hooks(value: &Zval) -> Option<ObjectHandle> {
    let is_it = value.kind() == OBJECT && has_hooks(&*value.object()) && !is_traversable(value);
    is_it.then(|| ObjectHandle::share_raw(value.object()))
}

/// Name and value of the next property that `scope` sees in an object whose class has hooks.
///
/// # Safety
/// Invariant I4: the class is null or live.
pub unsafe fn next_with_hooks(
    vm: *mut Vm,
    object: &ObjectHandle,
    scope: *mut crate::class::Class,
    position: &mut u32,
) -> PhpResult<Option<(StringHandle, Value)>> {
    let Some(name) = next_name(vm, object, scope, position, Access::Read)? else {
        return Ok(None);
    };
    let value = read_property(&mut *vm, object.as_ptr(), &name, scope, Access::Read)?;
    Ok(Some((
        name,
        Value::from_zval(value.into_zval().into_read()),
    )))
}

/// The next property of an object whose properties are asked for by name: getters are called when their turn comes.
pub(super) unsafe fn fetch_by_name(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    state: *mut Zval,
    access: Access,
) -> *const Op {
    let object = ObjectHandle::share_raw((*state).object());
    let scope = (*(*frame).function).scope;
    match next_name(vm, &object, scope, &mut (*state).extra, access) {
        Ok(Some(name)) => store_property(frame, opline, vm, &object, &name, access),
        Ok(None) => loop_end(opline),
        Err(Thrown) => no_key(frame, opline),
    }
}

/// The name of the next property that `scope` sees in such an object.
unsafe fn next_name(
    vm: *mut Vm,
    object: &ObjectHandle,
    scope: *mut crate::class::Class,
    position: &mut u32,
    access: Access,
) -> PhpResult<Option<StringHandle>> {
    let declared = crate::object::ordered_properties(object.class());
    while (*position as usize) < declared.len() {
        let info = &*declared[*position as usize];
        *position += 1;
        if info.flags & flags::STATIC != 0 || !property_visible(vm, object, info, scope) {
            continue;
        }
        if info.slot == crate::class::NO_SLOT {
            if info.get_hook.is_null() && !loops_over_computed(object) {
                continue;
            }
        } else if info.get_hook.is_null() && (*object.slot(info.slot)).is_undef() {
            continue;
        }
        if access == Access::Write && info.flags & flags::READONLY != 0 {
            crate::object::access::readonly_reference(&mut *vm, info);
            return Err(Thrown);
        }
        return Ok(Some(StringHandle::share_raw(info.name)));
    }
    let start = declared.len() as u32;
    while !object.dynamic.is_null() {
        let index = *position - start;
        if index >= (*object.dynamic).positions() {
            break;
        }
        *position += 1;
        if let Some((KeyRef::String(name), _)) = (*object.dynamic).entry_at(index)
            && (scope.is_null() || !crate::object::is_declared(&mut *vm, object.class, name, scope))
        {
            return Ok(Some(StringHandle::share_raw((&raw const *name).cast_mut())));
        }
    }
    Ok(None)
}

/// Reads a property in the middle of a loop, and gives the loop its name and value.
unsafe fn store_property(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    object: &ObjectHandle,
    name: &crate::string::PhpString,
    access: Access,
) -> *const Op {
    let scope = (*(*frame).function).scope;
    let by_reference = access == Access::Write;
    let hooked = match property_offset(&mut *vm, object.class, name, scope, true) {
        Ok(Lookup::Hooked(info)) => info,
        _ => std::ptr::null(),
    };
    let gives_value = !hooked.is_null()
        && !loops_over_computed(object)
        && ((*hooked).get_hook.is_null()
            || (*(*hooked).get_hook).flags & flags::RETURN_REFERENCE == 0);
    let found = if by_reference && gives_value {
        // It is not even asked for its value.
        Ok(PropertyPointer::Value(Value::NULL))
    } else if by_reference && hooked.is_null() {
        property_pointer(&mut *vm, object.as_ptr(), name, scope, access, 1)
    } else {
        read_property(&mut *vm, object.as_ptr(), name, scope, Access::Read)
            .map(PropertyPointer::Value)
    };
    match found {
        Ok(PropertyPointer::Value(value)) if by_reference && !value.is_reference() => {
            if loops_over_computed(object) {
                // What is referred to is the loop's alone.
                let mut place = value.into_zval();
                make_reference(&mut (*vm).heap, &mut place);
                store_key(frame, opline, KeyRef::String(name));
                store_reference(frame, opline, vm, &mut place);
                release(&place);
                return next(frame);
            }
            let class = object.class().display_name();
            (*vm).throw_error(
                KnownClass::Error,
                format!(
                    "Cannot create reference to property {class}::${}",
                    name.to_text()
                ),
            );
            no_key(frame, opline)
        }
        Ok(PropertyPointer::Value(value)) => {
            store_key(frame, opline, KeyRef::String(name));
            if by_reference {
                let mut value = value.into_zval();
                store_reference(frame, opline, vm, &mut value);
                release(&value);
            } else {
                store_value(frame, opline, vm, value.into_zval().into_read());
            }
            next(frame)
        }
        Ok(PropertyPointer::Slot { slot, info }) => {
            store_key(frame, opline, KeyRef::String(name));
            crate::object::write::make_property_reference(&mut *vm, slot, info);
            store_reference(frame, opline, vm, slot);
            next(frame)
        }
        Err(Thrown) => no_key(frame, opline),
    }
}
