//! Objects as arrays: ArrayAccess, and Countable.

use crate::class::{ElementHandlers, NativeHandlers, OffsetQuestion};
use crate::exceptions::KnownClass;
use crate::function::Function;
use crate::object::{Access, PhpObject};
use crate::value::{ObjectHandle, Value, Zval};
use crate::vm::{PhpResult, Thrown, Vm};

fn method(
    vm: &mut Vm,
    object: &ObjectHandle,
    method: *const Function,
) -> PhpResult<*const Function> {
    if method.is_null() {
        return Err(not_an_array(vm, object));
    }
    Ok(method)
}

/// The Error for `[]` on an object without ArrayAccess.
pub fn not_an_array(vm: &mut Vm, object: &ObjectHandle) -> Thrown {
    let class = object.class().display_name();
    vm.throw_error(
        KnownClass::Error,
        format!("Cannot use object of type {class} as array"),
    )
}

/// Calls a method of ArrayAccess. None is called while an exception is on its way, as of an undefined offset.
fn call<const N: usize>(
    vm: &mut Vm,
    object: &ObjectHandle,
    function: *const Function,
    arguments: [Value; N],
) -> PhpResult<Value> {
    vm.check()?;
    // SAFETY: I4: methods are live.
    let native = unsafe { !(*function).is_user };
    let direct = object
        .class()
        .handlers
        .and_then(|handlers| handlers.direct_offsets);
    if native && direct.is_some_and(|direct| direct(arguments[0].as_zval())) {
        return vm.call_untraced(function, object, arguments.into());
    }
    vm.call_plain_method(function, object, arguments)
}

/// The handlers of a class that computes its elements natively.
fn elements(object: &ObjectHandle) -> Option<&'static ElementHandlers> {
    object.class().handlers?.elements
}

/// `$object[offset]`
pub fn get(vm: &mut Vm, object: &ObjectHandle, offset: &Value) -> PhpResult<Value> {
    get_for(vm, object, offset, Access::Read)
}

/// As [`get`], for reading or for writing into what it gives.
pub fn get_for(
    vm: &mut Vm,
    object: &ObjectHandle,
    offset: &Value,
    access: Access,
) -> PhpResult<Value> {
    if let Some(elements) = elements(object) {
        return (elements.get)(vm, object, Some(offset), access);
    }
    let class = object.class();
    let function = method(vm, object, class.magic.offset_get)?;
    // SAFETY: I4: methods are live.
    if unsafe { !(*function).is_user }
        && let Some(handlers) = class.handlers
        && let (Some(value), Some(direct)) = (handlers.offset_value, handlers.direct_offsets)
        && direct(offset)
    {
        return value(vm, object.as_ptr(), offset);
    }
    call(vm, object, function, [offset.clone()])
}

/// The `offsetGet()` of a class of the script, or null if native code has the elements, or nobody.
///
/// # Safety
/// The object is live.
#[inline(always)]
pub unsafe fn reader_of_user(object: *mut PhpObject) -> *const Function {
    // SAFETY: by the caller; I4: classes and their methods are live.
    unsafe {
        let class = &*(*object).class;
        let method = class.magic.offset_get;
        let computes = |handlers: &NativeHandlers| handlers.elements.is_some();
        match !method.is_null() && (*method).is_user && !class.handlers.is_some_and(computes) {
            true => method,
            false => std::ptr::null(),
        }
    }
}

/// Calls the `offsetGet()` of a class of the script: the value that it gives, undefined if it throws.
///
/// # Safety
/// Method, object and offset are live.
#[inline(never)]
pub unsafe fn read_by_user(
    vm: &mut Vm,
    method: *const Function,
    object: *mut PhpObject,
    offset: &Zval,
) -> Zval {
    // SAFETY: by the caller. What is called may drop the object otherwise.
    let object = unsafe { ObjectHandle::share_raw(object) };
    match vm.call_plain_method(method, &object, [Value::share(offset)]) {
        Ok(value) => value.into_zval().into_read(),
        Err(Thrown) => Zval::UNDEF,
    }
}

/// The slot of an element that native code finds without running code of the script, for reading or
/// for replacing a value that is not counted; null if there is none, or if a class overrides that.
///
/// # Safety
/// The object and the offset are live.
#[inline(always)]
pub unsafe fn place(object: *mut PhpObject, offset: &Zval, writes: bool) -> *mut Zval {
    // SAFETY: by the caller; I4: classes and their methods are live.
    unsafe {
        let class = &*(*object).class;
        let Some(find) = class.handlers.and_then(|handlers| handlers.offset_place) else {
            return std::ptr::null_mut();
        };
        let method = match writes {
            true => class.magic.offset_set,
            false => class.magic.offset_get,
        };
        if method.is_null() || (*method).is_user {
            return std::ptr::null_mut();
        }
        find(&*object, offset, writes)
    }
}

/// `$object[offset]` for reading, where native code has the element, no class overrides it and the offset
/// needs no call.
///
/// # Safety
/// The object is live, and the caller's share of it and of the offset stays until this returns.
#[inline(always)]
pub unsafe fn get_natively(
    vm: &mut Vm,
    object: *mut PhpObject,
    offset: &Zval,
) -> Option<PhpResult<Value>> {
    // SAFETY: by the caller; I4: classes and their methods are live.
    unsafe {
        let class = &*(*object).class;
        let handlers = class.handlers?;
        let (value, direct) = (handlers.offset_value?, handlers.direct_offsets?);
        let is_native = class
            .magic
            .offset_get
            .as_ref()
            .is_some_and(|get| !get.is_user);
        let is_told = is_native && handlers.elements.is_none() && direct(offset);
        is_told.then(|| value(vm, object, offset))
    }
}

/// See [`NativeHandlers::unreadable_is_null`].
pub fn is_null_if_unreadable(object: &ObjectHandle) -> bool {
    let handlers: Option<&NativeHandlers> = object.class().handlers;
    handlers.is_some_and(|handlers| handlers.unreadable_is_null)
}

/// True if the engine reads the elements itself.
pub fn is_native(object: &ObjectHandle) -> bool {
    // SAFETY: I4: methods are null or live.
    unsafe { object.class().magic.offset_get.as_ref() }.is_some_and(|get| !get.is_user)
}

/// `$object[]` where a value is wanted to write into: `offsetGet(null)`, but to classes whose elements
/// have places it is null, or an error.
pub fn get_appended(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<Value> {
    if let Some(elements) = elements(object) {
        return (elements.get)(vm, object, None, Access::Write);
    }
    if is_native(object) && is_null_if_unreadable(object) {
        return Ok(Value::NULL);
    }
    if let Some(Err(Thrown)) = pointer(vm, object, None, Access::Write) {
        return Err(Thrown);
    }
    get(vm, object, &Value::NULL)
}

/// The slot of `$object[offset]` for nested writes, if the class has it natively and `offsetGet()`
/// is not overridden. Null is an element that cannot be written so.
pub fn pointer(
    vm: &mut Vm,
    object: &ObjectHandle,
    offset: Option<&Zval>,
    access: Access,
) -> Option<PhpResult<*mut Zval>> {
    let class = object.class();
    let pointer = class.handlers?.offset_pointer?;
    // SAFETY: I4: methods are null or live.
    let overridden = unsafe {
        class
            .magic
            .offset_get
            .as_ref()
            .is_some_and(|method| method.is_user)
    };
    (!overridden).then(|| pointer(vm, object.as_ptr(), offset, access))
}

/// `$object[offset] = value`; no offset for `[]`.
pub fn set(
    vm: &mut Vm,
    object: &ObjectHandle,
    offset: Option<&Value>,
    value: Value,
) -> PhpResult<()> {
    if let Some(elements) = elements(object) {
        return (elements.set)(vm, object, offset.map(Value::as_zval), &value);
    }
    let class = object.class();
    let function = method(vm, object, class.magic.offset_set)?;
    // SAFETY: I4: methods are live.
    if unsafe { !(*function).is_user }
        && let Some(handlers) = class.handlers
        && let (Some(store), Some(direct)) = (handlers.offset_store, handlers.direct_offsets)
        && offset.is_none_or(|offset| direct(offset))
    {
        return store(vm, object.as_ptr(), offset.map(Value::as_zval), value);
    }
    let offset = offset.cloned().unwrap_or(Value::NULL);
    call(vm, object, function, [offset, value]).map(drop)
}

/// `isset($object[offset])`; with `truthy` the element must also be truthy.
pub fn exists(vm: &mut Vm, object: &ObjectHandle, offset: &Value, truthy: bool) -> PhpResult<bool> {
    if let Some(elements) = elements(object) {
        return (elements.exists)(vm, object, offset, truthy);
    }
    let function = method(vm, object, object.class().magic.offset_exists)?;
    vm.check()?;
    // SAFETY: I4: methods are live. A user's method goes before the native way.
    let native = unsafe { !(*function).is_user };
    if native
        && let Some(test) = object
            .class()
            .handlers
            .and_then(|handlers| handlers.offset_exists)
    {
        let get = object.class().magic.offset_get;
        // SAFETY: I4: methods are null or live.
        let is_read_by_user = unsafe { get.as_ref() }.is_some_and(|get| get.is_user);
        let decides = object
            .class()
            .handlers
            .is_some_and(|known| known.offset_exists_decides);
        if truthy && is_read_by_user && !decides {
            // `offsetExists()` says so of what is null, too.
            let is_there = match looks_at_elements(object) {
                true => {
                    let found = call(vm, object, function, [offset.clone()])?;
                    crate::operators::to_bool(&found)
                }
                false => test(vm, object.as_ptr(), offset, false)?,
            };
            if !is_there {
                return Ok(false);
            }
            let value = get_for(vm, object, offset, Access::Read)?;
            return Ok(crate::operators::to_bool(&value));
        }
        return test(vm, object.as_ptr(), offset, truthy);
    }
    let found = call(vm, object, function, [offset.clone()])?;
    if !crate::operators::to_bool(&found) {
        return Ok(false);
    }
    let handlers = object.class().handlers;
    if !truthy || handlers.is_some_and(|handlers| handlers.offset_exists_decides) {
        return Ok(true);
    }
    if let Some(test) = handlers.and_then(|handlers| handlers.offset_exists)
        && looks_at_elements(object)
        && is_native(object)
    {
        return test(vm, object.as_ptr(), offset, true);
    }
    let value = get(vm, object, offset)?;
    Ok(crate::operators::to_bool(&value))
}

/// Whether the class finds its elements itself, whoever says that they exist: see [`NativeHandlers::offset_if_set`].
fn looks_at_elements(object: &ObjectHandle) -> bool {
    let handlers = object.class().handlers;
    handlers.is_some_and(|handlers| handlers.offset_if_set.is_some())
}

/// `$object[offset] ?? null`
pub fn get_if_set(vm: &mut Vm, object: &ObjectHandle, offset: &Value) -> PhpResult<Value> {
    if let Some(ask) = native_question(object) {
        let found = ask(vm, object.as_ptr(), offset)?;
        return Ok(found.unwrap_or(Value::NULL));
    }
    if !exists(vm, object, offset, false)? {
        return Ok(Value::NULL);
    }
    // Whoever says that an element exists: where it does not, nobody complains.
    let handlers = object.class().handlers;
    match handlers.and_then(|handlers| handlers.offset_if_set) {
        Some(ask) if is_native(object) => {
            Ok(ask(vm, object.as_ptr(), offset)?.unwrap_or(Value::NULL))
        }
        _ => get(vm, object, offset),
    }
}

/// See [`NativeHandlers::offset_if_set`].
fn native_question(object: &ObjectHandle) -> Option<OffsetQuestion> {
    let class = object.class();
    let ask = class.handlers?.offset_if_set?;
    let methods = [class.magic.offset_exists, class.magic.offset_get];
    // SAFETY: I4: methods are null or live.
    let is_native =
        |method: &*const Function| unsafe { method.as_ref() }.is_some_and(|m| !m.is_user);
    methods.iter().all(is_native).then_some(ask)
}

/// `unset($object[offset])`
pub fn unset(vm: &mut Vm, object: &ObjectHandle, offset: &Value) -> PhpResult<()> {
    if let Some(elements) = elements(object) {
        return (elements.unset)(vm, object, offset);
    }
    let function = method(vm, object, object.class().magic.offset_unset)?;
    let handlers = object.class().handlers;
    // SAFETY: I4: methods are live.
    if unsafe { !(*function).is_user }
        && let Some(remove) = handlers.and_then(|handlers| handlers.offset_unset)
    {
        vm.check()?;
        if remove(vm, object.as_ptr(), offset)? {
            return Ok(());
        }
    }
    call(vm, object, function, [offset.clone()]).map(drop)
}

/// `count($object)`; None if it is not Countable.
pub fn count(vm: &mut Vm, object: &ObjectHandle) -> PhpResult<Option<i64>> {
    let function = object.class().magic.count;
    if function.is_null() {
        return Ok(None);
    }
    let counted = vm.call_plain_method(function, object, [])?;
    Ok(Some(crate::operators::to_long(vm, &counted)))
}
