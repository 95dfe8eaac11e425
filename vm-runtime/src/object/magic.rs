//! Calls of `__get`, `__set`, `__isset` and `__unset`, and of property hooks.
//!
//! While a magic method runs for a property of an object, the same kind of access to the same
//! property goes to the property itself. The guards that tell this are kept by the VM while they
//! are in force.

use crate::class::PropertyInfo;
use crate::function::Function;
use crate::object::PhpObject;
use crate::string::PhpString;
use crate::value::{ObjectHandle, StringHandle, Value};
use crate::vm::{PhpResult, Vm};

/// Kinds of magic access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Magic {
    /// `__get`
    Get,
    /// `__set`
    Set,
    /// `__isset`
    Isset,
    /// `__unset`
    Unset,
}

/// A magic access that is going on.
#[derive(Debug)]
pub struct Guard {
    object: *mut PhpObject,
    name: StringHandle,
    kind: Magic,
}

/// True if this access to this property is already going on.
pub(crate) fn is_guarded(vm: &Vm, object: *const PhpObject, name: &PhpString, kind: Magic) -> bool {
    let is_on = |object: *const PhpObject| {
        vm.property_guards.iter().rev().any(|guard| {
            guard.object.cast_const() == object
                && guard.kind == kind
                && (std::ptr::eq(&*guard.name, name) || guard.name.as_bytes() == name.as_bytes())
        })
    };
    if vm.property_guards.is_empty() {
        return false;
    }
    // What goes on in the instance behind a proxy goes on in the proxy.
    // SAFETY: I3: callers hold the object.
    let held = unsafe { &*object };
    is_on(object)
        || held.is_lazy_proxy()
            && super::lazy::instance(vm, held).is_some_and(|instance| is_on(instance.as_ptr()))
}

fn share_name(name: &PhpString) -> StringHandle {
    // SAFETY: I3: a borrowed string is live.
    unsafe { StringHandle::share_raw((&raw const *name).cast_mut()) }
}

/// Calls a magic method with the guard in force. The name is the first argument.
pub(crate) fn call_magic(
    vm: &mut Vm,
    object: *mut PhpObject,
    name: &PhpString,
    kind: Magic,
    value: Option<Value>,
) -> PhpResult<Value> {
    // SAFETY: I3: the object is live now, and the handle keeps it alive during the call.
    let (holder, method) = unsafe {
        let magic = &(*(*object).class).magic;
        let method = match kind {
            Magic::Get => magic.get,
            Magic::Set => magic.set,
            Magic::Isset => magic.isset,
            Magic::Unset => magic.unset,
        };
        (ObjectHandle::share_raw(object), method)
    };
    let name = share_name(name);
    vm.property_guards.push(Guard {
        object,
        name: name.clone(),
        kind,
    });
    let depth = vm.property_guards.len();
    let name = Value::from(name);
    let outcome = match value {
        Some(value) => vm.call_plain_method(method, &holder, [name, value]),
        None => vm.call_plain_method(method, &holder, [name]),
    };
    // A fiber may have left guards of its own behind this one.
    if vm.property_guards.len() == depth {
        vm.property_guards.pop();
    } else if let Some(position) = vm
        .property_guards
        .iter()
        .rposition(|guard| guard.object == object && guard.kind == kind)
    {
        vm.property_guards.remove(position);
    }
    outcome
}

/// Does something with what stands behind a lazy object; if the access is guarded there, it is
/// here, too.
pub(crate) fn with_guard_of<T>(
    vm: &mut Vm,
    lazy: *const PhpObject,
    state: &ObjectHandle,
    name: &PhpString,
    kind: Magic,
    action: impl FnOnce(&mut Vm) -> T,
) -> T {
    let object = state.as_ptr();
    if object.cast_const() == lazy
        || !is_guarded(vm, lazy, name, kind)
        || is_guarded(vm, object, name, kind)
    {
        return action(vm);
    }
    vm.property_guards.push(Guard {
        object,
        name: share_name(name),
        kind,
    });
    let outcome = action(vm);
    let place = vm
        .property_guards
        .iter()
        .rposition(|guard| guard.object == object && guard.kind == kind);
    if let Some(position) = place {
        vm.property_guards.remove(position);
    }
    outcome
}

/// True if the running function is a hook of this very property of this very object: then the
/// access goes to its storage.
pub(crate) fn is_in_hook(vm: &Vm, object: *const PhpObject, info: &PropertyInfo) -> bool {
    let frame = vm.current_frame;
    // SAFETY: I4: the current frame and its function are live.
    unsafe {
        if frame.is_null() || (*frame).function.is_null() {
            return false;
        }
        let hooked = (*(*frame).function).hooked_property;
        !hooked.is_null()
            && (*frame).has_this()
            && std::ptr::eq((*frame).this.object(), object)
            && (*hooked).as_bytes() == (*info.name).as_bytes()
    }
}

/// Calls a hook.
pub(crate) fn call_hook(
    vm: &mut Vm,
    object: *mut PhpObject,
    hook: *const Function,
    value: Option<Value>,
) -> PhpResult<Value> {
    // SAFETY: I3: the object is live now, and the handle keeps it alive during the call.
    let holder = unsafe { ObjectHandle::share_raw(object) };
    match value {
        Some(value) => vm.call_plain_method(hook, &holder, [value]),
        None => vm.call_plain_method(hook, &holder, []),
    }
}
