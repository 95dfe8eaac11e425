//! The native part of objects that hold one thing from when they have been made, and what their classes do alike.

use std::any::Any;

use vm_runtime::class::Class;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, new_object};
use vm_runtime::value::{ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::errors::{self, LastError};
use crate::support::called_class;

/// Why something was not made: a code, and words.
pub(super) struct Refused(pub(super) i64, pub(super) String);

/// What objects of a class hold.
pub(super) trait Held: Sized + 'static {
    /// The class.
    const CLASS: &str;
    /// What is thrown where an object holds nothing yet.
    const NOT_MADE: &str;
    /// What is thrown where such an object is cloned; nothing if that is allowed.
    const NOT_CLONED: Option<&str>;

    /// Made of the arguments of a call.
    fn made(call: &mut Call<'_>) -> PhpResult<Result<Self, Refused>>;

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
    let held = match T::made(call)? {
        Ok(held) => held,
        Err(Refused(code, problem)) => {
            return errors::failed(call.vm, code, &problem, Value::NULL);
        }
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
    let class = T::CLASS.to_ascii_lowercase();
    let class = call.vm.linked_class(class.as_bytes());
    create_object::<T>(call, class.unwrap_or(std::ptr::null_mut()))
}

/// A constructor. Those who ask for no more learn nothing of a problem but that there was one.
pub(super) fn construct<T: Held>(call: &mut Call<'_>) -> PhpResult<Value> {
    construct_telling::<T>(call, |vm, Refused(code, problem)| {
        match errors::failed(vm, code, &problem, Value::NULL) {
            Ok(_) => errors::throw(vm, "Constructor failed", 0),
            Err(thrown) => thrown,
        }
    })
}

/// A constructor that says in its own way what was wrong.
pub(super) fn construct_telling<T: Held>(
    call: &mut Call<'_>,
    tell: impl FnOnce(&mut Vm, Refused) -> Thrown,
) -> PhpResult<Value> {
    let this = crate::spl::this(call);
    let Some(state) = this.native::<State<T>>() else {
        return Ok(Value::NULL);
    };
    if state.0.is_some() {
        let message = format!("{} object is already constructed", T::CLASS);
        return Err(call.vm.throw_error(KnownClass::Error, message));
    }
    match T::made(call)? {
        Ok(held) => {
            state.0 = Some(held);
            Ok(Value::NULL)
        }
        Err(refused) => Err(tell(call.vm, refused)),
    }
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
    message: impl AsRef<[u8]>,
) -> PhpResult<Value> {
    *held.problem() = errors::set(vm, code, message);
    vm.check()?;
    Ok(false.into())
}
