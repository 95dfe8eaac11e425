//! What the extensions share: registration, string building, callbacks.

mod apart;
mod builder;
mod callback;
#[cfg(test)]
mod cases;
pub(crate) mod counted;
mod direct;
#[cfg(any(feature = "phar", feature = "zip"))]
pub(crate) mod dos_time;
pub(crate) mod encoded_words;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod utf8;

pub(crate) use apart::apart;
pub(crate) use builder::StringBuilder;
pub(crate) use callback::Callback;
pub(crate) use direct::{Outcome, Plain, Receiver, direct, outcome_of, this_of};
pub(crate) use vm_runtime::class::callable::callable_name;

use vm_runtime::array::PhpArray;
use vm_runtime::class::Class;
use vm_runtime::function::Call;
use vm_runtime::value::{ArrayHandle, ObjectHandle, StringHandle, Value, Zval};
use vm_runtime::vm::constants::Constant;
use vm_runtime::vm::{PhpResult, Vm};

/// Defines `FUNCTIONS`, the native functions of a module: signature and code of each, and behind a
/// bar its direct entry ([`vm_runtime::function::DirectFunction`]) if it has one.
///
/// With a name before a colon, defines those that are registered for another extension.
macro_rules! functions {
    ($name:ident: $($signature:literal => $code:path $(| $direct:path)?,)*) => {
        /// Functions of this module that belong to another extension.
        pub(crate) static $name: &[vm_runtime::function::NativeDefinition] = &[
            $(vm_runtime::function::NativeDefinition {
                signature: $signature,
                code: $code,
                direct: $crate::support::direct_entry!($($direct)?),
            },)*
        ];
    };
    ($($signature:literal => $code:path $(| $direct:path)?,)*) => {
        /// The functions of this module.
        pub(crate) static FUNCTIONS: &[vm_runtime::function::NativeDefinition] = &[
            $(vm_runtime::function::NativeDefinition {
                signature: $signature,
                code: $code,
                direct: $crate::support::direct_entry!($($direct)?),
            },)*
        ];
    };
}
pub(crate) use functions;

/// The direct entry of a native function, if there is one.
macro_rules! direct_entry {
    () => {
        None
    };
    ($direct:path) => {
        Some($direct)
    };
}
pub(crate) use direct_entry;

/// Defines constants of the extension that is being registered.
pub(crate) fn define<T: Constant>(vm: &mut Vm, constants: &'static [(&'static str, T)]) {
    vm.register_constants(constants);
}

/// Defines a constant whose value is made at start-up.
pub(crate) fn define_one(vm: &mut Vm, name: &'static str, value: Value) {
    vm.register_constant(name, value);
}

/// The callable in an argument, to be called later from anywhere.
pub(crate) fn kept_callable(call: &mut Call<'_>, index: usize) -> Value {
    let callable = call.value(index);
    call.vm.kept_callable(callable)
}

/// A string value.
#[inline]
pub(crate) fn text(vm: &mut Vm, bytes: impl AsRef<[u8]>) -> PhpResult<Value> {
    Ok(vm.string(bytes).into())
}

/// A text that stands in our code, as a string that is made once a VM.
#[inline]
pub(crate) fn static_text(vm: &mut Vm, text: &'static str) -> Value {
    let name = (&raw const *vm.static_name(text)).cast_mut();
    // SAFETY: I4: names live until the VM ends.
    unsafe { StringHandle::share_raw(name) }.into()
}

/// An empty array with room for `capacity` elements.
#[inline]
pub(crate) fn new_list(vm: &mut Vm, capacity: usize) -> ArrayHandle {
    PhpArray::with_capacity(&mut vm.heap, capacity)
}

/// A list of values.
pub(crate) fn list(vm: &mut Vm, values: impl IntoIterator<Item = Value>) -> Value {
    let mut values = values.into_iter();
    let mut result = new_list(vm, values.size_hint().0);
    let array = result.make_mut(vm);
    match values.size_hint() {
        (count, Some(most)) if count == most => {
            array.extend_with(count, |_| values.next().unwrap_or_default());
        }
        _ => values.for_each(|value| array.append(value)),
    }
    result.into()
}

/// Appending where the next key is known to be free.
pub(crate) trait Append {
    /// Appends a value; one that finds no free key is dropped.
    fn append(&mut self, value: Value);
}

impl Append for PhpArray {
    #[inline]
    fn append(&mut self, value: Value) {
        drop(self.push(value));
    }
}

/// The bytes of a value converted to a string, without a copy if it is one already.
pub(crate) fn string_of(vm: &mut Vm, value: &Zval) -> PhpResult<vm_runtime::value::StringHandle> {
    vm_runtime::operators::to_string(vm, value)
}

/// Sets an element whose key stands in our code: the string is made once a VM.
pub(crate) fn set_named(vm: &mut Vm, array: &mut PhpArray, name: &'static str, value: Value) {
    array.set_string(vm.static_name(name), value);
}

/// An element as a string. Converting what is none may run user code, so it is held meanwhile.
#[inline]
pub(crate) fn element_text(
    vm: &mut Vm,
    element: &Zval,
) -> PhpResult<vm_runtime::value::StringHandle> {
    match element.deref().kind() {
        vm_runtime::value::STRING => string_of(vm, element),
        _ => string_of(vm, &hold(element)),
    }
}

/// The class that a static method was called on.
pub(crate) fn called_class(call: &Call<'_>) -> *mut Class {
    // SAFETY: I4: the frame of a call is live.
    unsafe { (*call.frame).called_class() }
}

/// A new object of a class, with its constructor called without arguments.
pub(crate) fn constructed(vm: &mut Vm, class: *mut Class) -> PhpResult<ObjectHandle> {
    let object = vm_runtime::object::new_object(vm, class)?;
    // SAFETY: I4: classes and functions live until the VM ends.
    let constructor = unsafe { (*class).magic.construct };
    if !constructor.is_null() {
        vm.call_function(constructor, Some(object.clone()), class, Vec::new())?;
    }
    Ok(object)
}

/// A value in a slot that user code may overwrite: a share that stays alive.
#[inline]
pub(crate) fn hold(value: &Zval) -> Value {
    Value::share(value)
}

/// Takes the elements that go out of a list. Who drops them when the list is in order again has destructors find
/// that, which may change it.
#[must_use]
pub(crate) fn take_where<T>(list: &mut Vec<T>, goes: impl FnMut(&mut T) -> bool) -> Vec<T> {
    list.extract_if(.., goes).collect()
}

/// The name of the native function being called, for messages.
pub(crate) fn current_function(vm: &Vm) -> String {
    let frame = vm.current_frame;
    if frame.is_null() {
        return String::new();
    }
    // SAFETY: I4: the current frame and its function are live.
    unsafe {
        match vm_runtime::exceptions::running_include(frame) {
            Some(name) => name.to_string(),
            None => (*(*frame).function).display_name(),
        }
    }
}

/// Calls a native function by its name; `null` if it is disabled.
pub(crate) fn call_native(vm: &mut Vm, name: &str, arguments: Vec<Value>) -> PhpResult<Value> {
    match vm.find_function(name.as_bytes()) {
        Some(function) => vm.call_function(function, None, std::ptr::null_mut(), arguments),
        None => Ok(Value::NULL),
    }
}

/// A random number between two bounds, inclusive, from the VM's seeded generator.
pub(crate) fn random_range(vm: &mut Vm, minimum: i64, maximum: i64) -> i64 {
    crate::random::range(vm, minimum, maximum)
}

/// Takes an array out of a slot, which holds `null` until it is put back.
pub(crate) fn take_array(slot: &mut Zval) -> ArrayHandle {
    debug_assert_eq!(slot.kind(), vm_runtime::value::ARRAY);
    let array = slot.array();
    slot.set_null();
    // SAFETY: I3: the slot gave up its share.
    unsafe { ArrayHandle::from_raw(array) }
}

/// Puts an array in the place of the one in an argument by reference; loops by reference go on at the same position.
pub(crate) fn replace_array(call: &mut Call<'_>, index: usize, mut array: ArrayHandle) {
    if call.argument(index).deref().kind() != vm_runtime::value::ARRAY {
        return call.assign(index, array.into());
    }
    let mut old = call.take_array(index);
    if old.has_iterators() {
        let vm = &mut *call.vm;
        array
            .make_mut(vm)
            .take_iterators(old.make_mut(vm), |_, at| at);
    }
    call.assign(index, array.into());
}

/// Makes an element that is a reference without other owners a plain value again.
pub(crate) fn unwrap_element(slot: &mut Zval, position: u32) {
    if slot.kind() != vm_runtime::value::ARRAY {
        return;
    }
    // SAFETY: I3 and I5: an array with one owner, and a reference with one owner, whose value
    // moves into the element.
    unsafe {
        let array = &mut *slot.array();
        if array.header.is_immutable() || array.header.refcount > 1 || position >= array.positions()
        {
            return;
        }
        let element = array.value_slot(position);
        if (*element).is_reference() && (*(*element).counted()).refcount == 1 {
            let reference = *element;
            let value = (*reference.reference()).value.share();
            (*element).set(value);
            vm_runtime::value::release(&reference);
        }
    }
}

pub(crate) use vm_runtime::types::callable_problem;

/// A property that the running code may read, or nothing: declared, dynamic, or magic.
pub(crate) fn property(
    vm: &mut Vm,
    object: &vm_runtime::value::ObjectHandle,
    name: &vm_runtime::string::PhpString,
) -> PhpResult<Option<Value>> {
    use vm_runtime::object::Access;
    use vm_runtime::object::read::{Question, has_property, read_property};
    let scope = vm.current_scope();
    // What does not exist may be there by magic.
    if !has_property(vm, object.as_ptr(), name, scope, Question::Exists)?
        && (object.class().magic.isset.is_null()
            || !has_property(vm, object.as_ptr(), name, scope, Question::Isset)?)
    {
        return Ok(None);
    }
    read_property(vm, object.as_ptr(), name, scope, Access::Isset).map(Some)
}

/// An entry of parameters, which are an array or an object.
#[cfg(any(feature = "bz2", feature = "zlib"))]
pub(crate) fn parameter(vm: &mut Vm, parameters: &Value, name: &str) -> PhpResult<Option<Value>> {
    use vm_runtime::value::ValueKind;
    match parameters.view() {
        ValueKind::Array(entries) => Ok(entries.get_bytes(name.as_bytes()).map(hold)),
        ValueKind::Object(_) => match parameters.object() {
            Some(object) => {
                let name = vm.string(name);
                property(vm, &object, &name)
            }
            None => Ok(None),
        },
        _ => Ok(None),
    }
}
