//! Callables that are resolved once and called many times: callbacks of native functions.

use crate::frame::call_info;
use crate::function::{Function, flags};
use crate::interpreter::callback::{Callee, run_frame};
use crate::interpreter::calls::{class_value, initialise_cache, push_frame};
use crate::value::{ObjectHandle, REFERENCE, Value, Zval, release};
use crate::vm::{PhpResult, Thrown, Vm};

/// A resolved callable. It keeps what it calls alive, so that the frames of its calls need not.
#[derive(Debug)]
pub struct Prepared {
    callable: Value,
    /// What it calls, if arguments can be placed as they are: no references, nothing special
    /// about the function.
    callee: Option<Callee>,
}

/// True if nothing about a function is special: its arguments can be placed in a frame as they are.
/// Makes it ready to run then.
#[inline]
unsafe fn is_plain(vm: &mut Vm, function: *const Function, arguments: u32) -> bool {
    const SPECIAL: u32 = flags::ABSTRACT
        | flags::DEPRECATED
        | flags::GENERATOR
        | flags::CALL_VIA_TRAMPOLINE
        | flags::VARIADIC;
    let by_value = (*function).quick_arguments & ((1 << (2 * arguments)) - 1) == 0;
    if (*function).flags & SPECIAL != 0 || !by_value {
        return false;
    }
    if (*function).is_user && (*function).run_time_cache.is_null() {
        initialise_cache(vm, function.cast_mut());
    }
    true
}

/// Calls a function that [`is_plain`]. The caller keeps it, and `this`, alive.
#[inline]
unsafe fn call_plain<const N: usize>(
    vm: &mut Vm,
    function: *const Function,
    this: Zval,
    arguments: [Value; N],
) -> PhpResult<Value> {
    const { assert!(N <= MOST) };
    let caller = vm.current_frame;
    let info = call_info::TOP | call_info::DYNAMIC;
    let call = push_frame(vm, function, N as u32, info, this);
    (*call).previous = caller;
    for (number, value) in arguments.map(Value::into_zval).into_iter().enumerate() {
        let value = match value.kind() {
            REFERENCE => value.into_read(),
            _ => value,
        };
        (*call).slot(number as u32).write(value);
    }
    let result = run_frame(vm, caller, call);
    if !vm.exception.is_null() {
        release(&result);
        vm.redirect_to_exception_handler();
        return Err(Thrown);
    }
    Ok(Value::from_zval(result))
}

/// Arguments that a plain call has at most.
const MOST: usize = 4;

impl Vm {
    /// Calls a method that takes its arguments by value.
    pub fn call_plain_method<const N: usize>(
        &mut self,
        method: *const Function,
        object: &ObjectHandle,
        arguments: [Value; N],
    ) -> PhpResult<Value> {
        // SAFETY: I4: methods live until the VM ends; the handle keeps the object.
        unsafe {
            let is_static = (*method).flags & flags::STATIC != 0;
            if is_static || !is_plain(self, method, N as u32) || self.native_stack_is_low() {
                let this = Some(object.clone());
                return self.call_function(method, this, object.class, arguments.into());
            }
            call_plain(self, method, Zval::from_object(object.as_ptr()), arguments)
        }
    }
}

impl Prepared {
    /// Prepares a callable that was checked; one that cannot be called complains when it is.
    pub fn new(vm: &mut Vm, callable: Value) -> Prepared {
        let callee = vm.resolve_callable(callable.as_zval().deref()).ok();
        // SAFETY: I4: the callee keeps its function alive.
        let callee = callee.filter(|callee| unsafe { is_plain(vm, callee.function, MOST as u32) });
        Prepared { callable, callee }
    }

    /// Calls it with up to four arguments.
    #[inline]
    pub fn call<const N: usize>(&self, vm: &mut Vm, arguments: [Value; N]) -> PhpResult<Value> {
        // SAFETY: the callable was resolved in this VM, and is kept alive by `self`.
        unsafe {
            let Some(callee) = self.callee.as_ref().filter(|_| !vm.native_stack_is_low()) else {
                return vm.call(&self.callable, arguments.into());
            };
            let this = match &callee.this {
                Some(object) => Zval::from_object(object.as_ptr()),
                None => class_value(callee.called_class),
            };
            call_plain(vm, callee.function, this, arguments)
        }
    }

    /// Calls it with any number of arguments.
    pub fn call_all(&self, vm: &mut Vm, arguments: Vec<Value>) -> PhpResult<Value> {
        vm.call(&self.callable, arguments)
    }
}
