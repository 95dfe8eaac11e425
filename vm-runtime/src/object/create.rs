//! New objects and clones.

use crate::class::Class;
use crate::class::lookup::{is_method_accessible, scope_text};
use crate::exceptions::KnownClass;
use crate::function::{class_flags, flags};
use crate::object::write::add_reference_source;
use crate::object::{NativeData, PROPERTY_REINITIALISABLE, PhpObject};
use crate::value::{ArrayHandle, ObjectHandle, Zval};
use crate::vm::{PhpResult, Vm};

/// A new object of a class for `new`: refused for classes that cannot have instances. The
/// constructor is not called.
#[inline(always)]
pub fn instantiate(vm: &mut Vm, class: *mut Class) -> PhpResult<ObjectHandle> {
    // SAFETY: I4: classes live until the VM ends.
    if unsafe { (*class).flags & class_flags::PLAIN_INSTANCES != 0 } {
        return Ok(PhpObject::allocate(vm, class));
    }
    instantiate_checked(vm, class)
}

fn instantiate_checked(vm: &mut Vm, class: *mut Class) -> PhpResult<ObjectHandle> {
    const REFUSED: u32 = class_flags::INTERFACE
        | class_flags::TRAIT
        | class_flags::ENUM
        | class_flags::ABSTRACT
        | class_flags::IMPLICIT_ABSTRACT
        | class_flags::NOT_INSTANTIABLE;
    const SPECIAL: u32 = REFUSED | class_flags::THROWABLE;
    // SAFETY: I4: classes live until the VM ends.
    unsafe {
        if (*class).flags & REFUSED & !class_flags::IMPLICIT_ABSTRACT != 0 {
            let name = (*class).display_name();
            let message = match (*class).flags {
                flags if flags & class_flags::INTERFACE != 0 => {
                    format!("Cannot instantiate interface {name}")
                }
                flags if flags & class_flags::TRAIT != 0 => {
                    format!("Cannot instantiate trait {name}")
                }
                flags if flags & class_flags::ENUM != 0 => {
                    format!("Cannot instantiate enum {name}")
                }
                flags if flags & class_flags::ABSTRACT != 0 => {
                    format!("Cannot instantiate abstract class {name}")
                }
                _ if name == "Closure" => {
                    String::from("Instantiation of class Closure is not allowed")
                }
                _ => format!(
                    "The \"{name}\" class is reserved for internal use and cannot be manually instantiated"
                ),
            };
            return Err(vm.throw_error(KnownClass::Error, message));
        }
        let object = new_object(vm, class)?;
        if (*class).flags & SPECIAL & class_flags::THROWABLE != 0 {
            vm.note_origin(&object);
        } else if (*class).flags & SPECIAL == 0
            && (*class).create_native.is_none()
            && (*class).handlers.is_none()
        {
            (*class).flags |= class_flags::PLAIN_INSTANCES;
        }
        Ok(object)
    }
}

/// A new object with its native part. No constructor is called, and nothing is refused.
pub fn new_object(vm: &mut Vm, class: *mut Class) -> PhpResult<ObjectHandle> {
    new_object_with(vm, class, |vm| {
        // SAFETY: I4: classes live until the VM ends.
        let create = unsafe { (*class).create_native };
        create.and_then(|create| create(vm, class))
    })
}

/// As [`new_object`], of a class whose native part is at hand.
pub fn new_object_with(
    vm: &mut Vm,
    class: *mut Class,
    native: impl FnOnce(&mut Vm) -> Option<Box<dyn NativeData>>,
) -> PhpResult<ObjectHandle> {
    // SAFETY: I4: classes live until the VM ends; I3: the new object is ours.
    unsafe {
        if (*class).flags & class_flags::CONSTANTS_UPDATED == 0 {
            vm.initialise_class(class)?;
        }
        let object = PhpObject::allocate(vm, class);
        (*object.as_ptr()).native = native(vm);
        Ok(object)
    }
}

/// `clone $object` in `scope`.
pub fn clone_object(
    vm: &mut Vm,
    object: &ObjectHandle,
    scope: *const Class,
) -> PhpResult<ObjectHandle> {
    let class = object.class();
    if class.flags & class_flags::NOT_CLONEABLE != 0 {
        let message = format!(
            "Trying to clone an uncloneable object of class {}",
            class.display_name()
        );
        return Err(vm.throw_error(KnownClass::Error, message));
    }
    // SAFETY: I4: methods are null or live.
    if let Some(method) = unsafe { class.magic.clone.as_ref() }
        && !is_method_accessible(method, scope)
    {
        let message = format!(
            "Call to {} {}::__clone() from {}",
            crate::class::visibility_name(method.flags),
            crate::class::methods::scope_name(method),
            scope_text(scope)
        );
        return Err(vm.throw_error(KnownClass::Error, message));
    }
    if object.is_lazy() {
        let state = crate::object::lazy::initialise_operand(vm, object)?;
        return match object.is_lazy_proxy() {
            true => crate::object::lazy::clone_proxy(vm, object, &state),
            false => clone_object(vm, &state, state.class),
        };
    }
    let native = match &object.native {
        None => None,
        Some(native) => match native.clone_native(vm) {
            Some(copy) => Some(copy),
            None => {
                // It may have said why.
                vm.check()?;
                let message = format!(
                    "Trying to clone an uncloneable object of class {}",
                    class.display_name()
                );
                return Err(vm.throw_error(KnownClass::Error, message));
            }
        },
    };
    let copy = copy_members(vm, object);
    // SAFETY: I3: the copy is ours alone.
    unsafe { (*copy.as_ptr()).native = native };
    // SAFETY: I3: as above; the object stays in its place.
    if let Some(native) = unsafe { &mut (*copy.as_ptr()).native } {
        native.attached(vm, copy.as_ptr());
    }
    if !class.magic.clone.is_null() {
        let has_readonly = mark_readonly(&copy, true);
        let result = vm.call_function(
            class.magic.clone,
            Some(copy.clone()),
            copy.class,
            Vec::new(),
        );
        if has_readonly {
            mark_readonly(&copy, false);
        }
        result?;
    }
    Ok(copy)
}

/// A copy of an object that has nothing but properties and whose class wants no say; none otherwise.
///
/// # Safety
/// The object is live.
pub unsafe fn plain_copy(vm: &mut Vm, object: *mut PhpObject) -> Option<ObjectHandle> {
    // SAFETY: I3, by the caller's promise.
    let object = unsafe { ObjectHandle::share_raw(object) };
    let class = object.class();
    let is_plain = class.flags & class_flags::NOT_CLONEABLE == 0
        && class.magic.clone.is_null()
        && object.native.is_none()
        && !object.is_lazy();
    is_plain.then(|| copy_members(vm, &object))
}

/// While `__clone` runs, readonly properties may be set once more.
fn mark_readonly(object: &PhpObject, open: bool) -> bool {
    let mut found = false;
    for index in 0..object.slot_count {
        let info = object.class().slot_properties[index as usize];
        // SAFETY: I4: infos are null or live; the slot is below the count.
        unsafe {
            if !info.is_null() && (*info).flags & flags::READONLY != 0 {
                found = true;
                let slot = object.slot(index);
                match open {
                    true => (*slot).extra |= PROPERTY_REINITIALISABLE,
                    false => (*slot).extra &= !PROPERTY_REINITIALISABLE,
                }
            }
        }
    }
    found
}

/// A copy with its own share of every property. References stay bound, unless nobody else is.
fn copy_members(vm: &mut Vm, object: &ObjectHandle) -> ObjectHandle {
    let copy = PhpObject::allocate_with(vm, object.class, |index| {
        // SAFETY: I3: the slot is live.
        let source = unsafe { &*object.slot(index as u32) };
        Zval {
            extra: source.extra & !PROPERTY_REINITIALISABLE,
            ..share_member(source)
        }
    });
    for index in 0..object.slot_count {
        // SAFETY: I3: the slot is live. I4: infos are null or live as long as their class.
        unsafe {
            let value = &*copy.slot(index);
            if !value.is_reference() {
                continue;
            }
            let info = object.class().slot_properties[index as usize];
            if !info.is_null() && (*info).declared.is_some() {
                add_reference_source(&mut *value.reference(), info);
            }
        }
    }
    if !object.dynamic.is_null() {
        // SAFETY: I3: the table lives as long as the object; the copy is ours.
        unsafe {
            let table = ArrayHandle::share_raw(object.dynamic);
            (*copy.as_ptr()).dynamic = (*table.as_ptr()).duplicate(&mut vm.heap).into_raw();
        }
    }
    copy
}

fn share_member(value: &Zval) -> Zval {
    // SAFETY: I3: a reference payload is live.
    if value.is_reference() && unsafe { (*value.counted()).refcount } == 1 {
        return value.deref().share();
    }
    value.share()
}
