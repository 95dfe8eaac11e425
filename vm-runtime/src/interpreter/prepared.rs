//! Callables that are resolved once and called many times: callbacks of native functions.

use std::mem::ManuallyDrop;

use crate::frame::call_info;
use crate::function::{Function, PassBy, flags};
use crate::interpreter::callback::{Callee, run_frame};
use crate::interpreter::calls::{class_value, initialise_cache, push_frame};
use crate::value::{ObjectHandle, REFERENCE, Value, Zval, release};
use crate::vm::{PhpResult, Thrown, Vm};

/// A resolved callable. It keeps what it calls alive, so that the frames of its calls need not.
#[derive(Debug)]
pub struct Prepared {
    callable: Value,
    /// What it calls, if nothing is special about the function: arguments can be placed as they are.
    callee: Option<Callee>,
    /// The parameters, among the first [`MOST`], that take references.
    by_reference: u32,
}

/// True if a function takes this many arguments by value.
#[inline]
unsafe fn takes_values(function: *const Function, arguments: u32) -> bool {
    (*function).quick_arguments & ((1 << (2 * arguments)) - 1) == 0
}

/// The parameters of a function, among the first [`MOST`], that take references.
#[inline]
unsafe fn references(function: *const Function) -> u32 {
    if takes_values(function, MOST as u32) {
        return 0;
    }
    (0..MOST as u32)
        .filter(|&number| (*function).pass_by(number) != PassBy::Value)
        .fold(0, |found, number| found | 1 << number)
}

/// True if nothing about a function is special: its arguments can be placed in a frame as they are,
/// if they are references where it wants some. Makes it ready to run then.
#[inline]
unsafe fn is_plain(vm: &mut Vm, function: *const Function) -> bool {
    const SPECIAL: u32 = flags::ABSTRACT
        | flags::DEPRECATED
        | flags::GENERATOR
        | flags::CALL_VIA_TRAMPOLINE
        | flags::VARIADIC;
    if (*function).flags & SPECIAL != 0 {
        return false;
    }
    if (*function).is_user && (*function).run_time_cache.is_null() {
        initialise_cache(vm, function.cast_mut());
    }
    true
}

/// Calls a function that [`is_plain`]. The caller keeps it, and `this`, alive. `by_reference` tells the
/// parameters that take references, which the arguments are then. As in PHP nothing is called while an exception
/// waits to be taken up.
#[inline]
unsafe fn call_plain<const N: usize>(
    vm: &mut Vm,
    function: *const Function,
    this: Zval,
    arguments: [Value; N],
    by_reference: u32,
) -> PhpResult<Value> {
    const { assert!(N <= MOST) };
    if !vm.exception.is_null() {
        return Err(Thrown);
    }
    if let Some(direct) = (*function).direct {
        vm.poll();
        let borrowed = arguments.each_ref().map(|value| value.as_zval().copy());
        let mut result = Zval::UNDEF;
        if direct(vm, &this, &borrowed, &mut result) {
            return Ok(Value::from_zval(result));
        }
    }
    let caller = vm.current_frame;
    let info = call_info::TOP | call_info::DYNAMIC;
    let call = push_frame(vm, function, N as u32, info, this);
    (*call).previous = caller;
    // Their shares move, each as it is read: arrays of values that are moved are copied as a whole.
    let arguments = ManuallyDrop::new(arguments);
    for (number, value) in arguments.iter().enumerate() {
        let value = value.as_zval().copy();
        let value = match value.kind() {
            REFERENCE if by_reference >> number & 1 == 0 => value.into_read(),
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
            let is_plain = takes_values(method, N as u32) && is_plain(self, method);
            if is_static || !is_plain || self.objects.ended || self.native_stack_is_low() {
                let this = Some(object.clone());
                return self.call_function(method, this, object.class, arguments.into());
            }
            let this = Zval::from_object(object.as_ptr());
            call_plain(self, method, this, arguments, 0)
        }
    }
}

impl Prepared {
    /// Prepares a callable that was checked; one that cannot be called complains when it is.
    pub fn new(vm: &mut Vm, callable: Value) -> Prepared {
        let callee = vm.resolve_callable(callable.as_zval().deref()).ok();
        // SAFETY: I4: the callee keeps its function alive.
        let callee = callee.filter(|callee| unsafe { is_plain(vm, callee.function) });
        // SAFETY: as above.
        let by_reference = callee
            .as_ref()
            .map_or(0, |callee| unsafe { references(callee.function) });
        Prepared {
            callable,
            callee,
            by_reference,
        }
    }

    /// True if arguments are references where that is wanted.
    #[inline]
    fn fits(&self, arguments: &[Value]) -> bool {
        self.by_reference == 0
            || arguments.iter().enumerate().all(|(number, argument)| {
                self.by_reference >> number & 1 == 0 || argument.as_zval().is_reference()
            })
    }

    /// Calls it with up to four arguments.
    #[inline]
    pub fn call<const N: usize>(&self, vm: &mut Vm, arguments: [Value; N]) -> PhpResult<Value> {
        // SAFETY: the callable was resolved in this VM, and is kept alive by `self`.
        unsafe {
            let is_easy = !vm.native_stack_is_low() && self.fits(&arguments);
            let Some(callee) = self.callee.as_ref().filter(|_| is_easy) else {
                return vm.call(&self.callable, arguments.into());
            };
            let this = match &callee.this {
                Some(object) => Zval::from_object(object.as_ptr()),
                None => class_value(callee.called_class),
            };
            call_plain(vm, callee.function, this, arguments, self.by_reference)
        }
    }

    /// Calls it with any number of arguments.
    pub fn call_all(&self, vm: &mut Vm, arguments: Vec<Value>) -> PhpResult<Value> {
        vm.call(&self.callable, arguments)
    }
}
