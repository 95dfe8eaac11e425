//! The native part of objects that hold one thing from when they have been made, and what their classes do alike.

use std::any::Any;

use vm_runtime::class::Class;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, new_object};
use vm_runtime::value::{ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::errors::{self, LastError};
use crate::support::called_class;

/// What objects of a class hold.
pub(super) trait Held: Sized + 'static {
    /// The class, in lower case.
    const CLASS: &[u8];
    /// What is thrown where an object holds nothing yet.
    const NOT_MADE: &str;
    /// What is thrown where such an object is cloned; nothing if that is allowed.
    const NOT_CLONED: Option<&str>;

    /// Made of the arguments of a call. None if there is none, which has been told.
    fn made(call: &mut Call<'_>) -> PhpResult<Option<Self>>;

    /// The same for another object.
    fn copied(&self) -> Option<Self>;

    /// The last problem of the object.
    fn problem(&mut self) -> &mut LastError;
}

/// The native part.
pub(super) struct State<T>(pub(super) Option<T>);

impl<T: Held> NativeData for State<T> {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_native(&self, vm: &mut Vm) -> Option<Box<dyn NativeData>> {
        if let (None, Some(message)) = (&self.0, T::NOT_CLONED) {
            vm.throw_error(KnownClass::Error, message);
            return None;
        }
        Some(Box::new(State(self.0.as_ref().and_then(T::copied))))
    }
}

/// The native part of a new object.
pub(super) fn create<T: Held>(_vm: &mut Vm, _class: *mut Class) -> Option<Box<dyn NativeData>> {
    Some(Box::new(State::<T>(None)))
}

fn create_object<T: Held>(call: &mut Call<'_>, class: *mut Class) -> PhpResult<Value> {
    let Some(held) = T::made(call)? else {
        return Ok(Value::NULL);
    };
    let object = new_object(call.vm, class)?;
    if let Some(state) = object.native::<State<T>>() {
        state.0 = Some(held);
    }
    Ok(object.into())
}

/// The static method that makes an object of the class that it is called on.
pub(super) fn create_static<T: Held>(call: &mut Call<'_>) -> PhpResult<Value> {
    let class = called_class(call);
    create_object::<T>(call, class)
}

/// The function that makes an object.
pub(super) fn create_function<T: Held>(call: &mut Call<'_>) -> PhpResult<Value> {
    let class = call.vm.linked_class(T::CLASS);
    create_object::<T>(call, class.unwrap_or(std::ptr::null_mut()))
}

/// What `$this` holds, or from `first` on the argument in front of it. The last problem is forgotten.
pub(super) fn held<T: Held>(
    call: &mut Call<'_>,
    first: usize,
) -> PhpResult<(ObjectHandle, &'static mut T)> {
    let object = match first {
        0 => crate::spl::this(call),
        _ => call.object(0),
    };
    // SAFETY: I3: the handle that is given with it keeps the object, and with it what it holds.
    let state = unsafe { (*object.as_ptr()).native::<State<T>>() };
    match state.and_then(|state| state.0.as_mut()) {
        Some(held) => {
            *held.problem() = LastError::default();
            errors::clear(call.vm);
            Ok((object, held))
        }
        None => Err(call.vm.throw_error(KnownClass::Error, T::NOT_MADE)),
    }
}

/// Notes a problem, and gives false.
pub(super) fn failed<T: Held>(
    vm: &mut Vm,
    held: &mut T,
    code: i64,
    message: &str,
) -> PhpResult<Value> {
    *held.problem() = errors::set(vm, code, message);
    vm.check()?;
    Ok(false.into())
}
