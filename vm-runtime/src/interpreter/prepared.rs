//! Callables that are resolved once and called many times: callbacks of native functions.

use crate::frame::call_info;
use crate::function::{PassBy, flags};
use crate::interpreter::callback::{Callee, run_frame};
use crate::interpreter::calls::{class_value, initialise_cache, push_frame};
use crate::value::{REFERENCE, Value, Zval, release};
use crate::vm::{PhpResult, Thrown, Vm};

/// A resolved callable. It keeps what it calls alive, so that the frames of its calls need not.
#[derive(Debug)]
pub struct Prepared {
    callable: Value,
    /// What it calls, if arguments can be placed as they are: no references, nothing special
    /// about the function.
    callee: Option<Callee>,
}

impl Prepared {
    /// Prepares a callable that was checked; one that cannot be called complains when it is.
    pub fn new(vm: &mut Vm, callable: Value) -> Prepared {
        const SPECIAL: u32 = flags::ABSTRACT
            | flags::DEPRECATED
            | flags::GENERATOR
            | flags::CALL_VIA_TRAMPOLINE
            | flags::VARIADIC;
        let callee = vm.resolve_callable(callable.as_zval().deref()).ok();
        let callee = callee.filter(|callee| {
            let function = callee.function;
            // SAFETY: I4: the callee keeps its function alive.
            unsafe {
                if (*function).is_user && (*function).run_time_cache.is_null() {
                    initialise_cache(function.cast_mut());
                }
                (*function).flags & SPECIAL == 0
                    && (0..4).all(|number| (*function).pass_by(number) == PassBy::Value)
            }
        });
        Prepared { callable, callee }
    }

    /// Calls it with up to four arguments.
    #[inline]
    pub fn call<const N: usize>(&self, vm: &mut Vm, arguments: [Value; N]) -> PhpResult<Value> {
        const { assert!(N <= 4) };
        // SAFETY: the callable was resolved in this VM, and is kept alive by `self`.
        unsafe {
            let Some(callee) = self.callee.as_ref().filter(|_| !vm.native_stack_is_low()) else {
                return vm.call(&self.callable, arguments.into());
            };
            let function = callee.function;
            let this = match &callee.this {
                Some(object) => Zval::from_object(object.as_ptr()),
                None => class_value(callee.called_class),
            };
            let caller = vm.current_frame;
            let info = call_info::TOP | call_info::DYNAMIC;
            let call = push_frame(vm, function, N as u32, info, this);
            (*call).previous = caller;
            for (number, argument) in arguments.into_iter().enumerate() {
                let mut value = argument.into_zval();
                if value.kind() == REFERENCE {
                    value = value.into_read();
                }
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
    }

    /// Calls it with any number of arguments.
    pub fn call_all(&self, vm: &mut Vm, arguments: Vec<Value>) -> PhpResult<Value> {
        vm.call(&self.callable, arguments)
    }
}
