//! What `$value(...)` calls.

use super::{find_double_colon, free_function};
use crate::class::Class;
use crate::class::lookup::{find_method_for_call, find_static_method_for_call};
use crate::exceptions::KnownClass;
use crate::function::{Function, class_flags, flags};
use crate::interpreter::callback::Callee;
use crate::object::{PhpObject, closure};
use crate::string::PhpString;
use crate::value::{ObjectHandle, Value, ValueKind, Zval};
use crate::vm::{PhpResult, Vm};

/// What `$value(...)` calls, with the errors of a dynamic call.
pub fn for_dynamic_call(vm: &mut Vm, value: &Zval) -> PhpResult<Callee> {
    let held = Value::share(value);
    match held.view() {
        ValueKind::String(name) => {
            let bytes = name.as_bytes();
            if let Some(position) = find_double_colon(bytes) {
                let method = vm.string(&bytes[position + 2..]);
                let class = vm.existing_class(&bytes[..position])?;
                return static_callee(vm, class, &method);
            }
            if let Some(function) = vm.function_named(name) {
                return Ok(free_function(function));
            }
            let shown = name.to_text();
            let text = format!("Call to undefined function {shown}()");
            Err(vm.throw_error(KnownClass::Error, text))
        }
        ValueKind::Array(array) => {
            if array.len() != 2 {
                return Err(vm.throw_error(
                    KnownClass::Error,
                    "Array callback must have exactly two elements",
                ));
            }
            let (Some(target), Some(method)) = (array.get_long(0), array.get_long(1)) else {
                return Err(vm.throw_error(
                    KnownClass::Error,
                    "Array callback has to contain indices 0 and 1",
                ));
            };
            let (target, method) = (Value::share(target), Value::share(method));
            if !matches!(target.view(), ValueKind::String(_) | ValueKind::Object(_)) {
                return Err(vm.throw_error(
                    KnownClass::Error,
                    "First array member is not a valid class name or object",
                ));
            }
            let Some(method) = method.string() else {
                return Err(vm.throw_error(
                    KnownClass::Error,
                    "Second array member is not a valid method",
                ));
            };
            match target.object() {
                Some(object) => {
                    if method.as_bytes().eq_ignore_ascii_case(b"__invoke")
                        && let Some(callee) = closure::callee(&object)
                    {
                        return Ok(callee);
                    }
                    let scope = vm.current_scope();
                    let mut pointer = object.as_ptr();
                    let function = find_method_for_call(
                        vm,
                        &mut pointer,
                        method.as_ptr(),
                        std::ptr::null_mut(),
                        scope,
                    )?;
                    // SAFETY: I3: whoever takes the call is live.
                    let object = unsafe { ObjectHandle::share_raw(pointer) };
                    Ok(bind(function, object))
                }
                None => {
                    let Some(name) = target.string() else {
                        unreachable!("it is a string or an object");
                    };
                    let class = match vm.noted_class(&name) {
                        Some(class) => class,
                        None => vm.existing_class_named(&name)?,
                    };
                    static_callee(vm, class, &method)
                }
            }
        }
        ValueKind::Object(object) => {
            if let Some(callee) = closure::callee(object) {
                return Ok(callee);
            }
            let invoke = object.class().magic.invoke;
            match held.object() {
                Some(handle) if !invoke.is_null() => Ok(bind(invoke, handle)),
                _ => {
                    let class = object.class().display_name();
                    Err(vm.throw_error(
                        KnownClass::Error,
                        format!("Object of type {class} is not callable"),
                    ))
                }
            }
        }
        _ => {
            let kind = crate::operators::type_name(&held);
            Err(vm.throw_error(
                KnownClass::Error,
                format!("Value of type {kind} is not callable"),
            ))
        }
    }
}

fn bind(function: *const Function, object: ObjectHandle) -> Callee {
    // SAFETY: I4: functions live until the VM ends.
    let is_static = unsafe { (*function).is_static() };
    let called_class = object.class;
    Callee {
        function,
        this: (!is_static).then_some(object),
        called_class,
        closure: None,
    }
}

fn static_callee(vm: &mut Vm, class: *mut Class, method: &PhpString) -> PhpResult<Callee> {
    if let Some(function) = vm.noted_method(class, method)
        // SAFETY: I4: methods and their classes live until the VM ends.
        && unsafe { (*function).is_static() && (*(*function).scope).flags & class_flags::TRAIT == 0 }
    {
        return Ok(Callee {
            function,
            this: None,
            called_class: class,
            closure: None,
        });
    }
    let scope = vm.current_scope();
    let name = (&raw const *method).cast_mut();
    let this: *mut PhpObject = std::ptr::null_mut();
    let function = find_static_method_for_call(vm, class, name, std::ptr::null_mut(), scope, this)?;
    let callee = Callee {
        function,
        this: None,
        called_class: class,
        closure: None,
    };
    // SAFETY: I4: functions live until the VM ends, trampolines as long as their callee.
    unsafe {
        debug_assert!((*class).flags & class_flags::LINKED != 0);
        if !(*function).is_static() {
            let text = format!(
                "Non-static method {}() cannot be called statically",
                (*function).display_name()
            );
            return Err(vm.throw_error(KnownClass::Error, text));
        }
        if (*function).flags & (flags::ABSTRACT | flags::CALL_VIA_TRAMPOLINE) == 0 {
            vm.note_method(class, method, function);
        }
    }
    Ok(callee)
}
