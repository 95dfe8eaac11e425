//! Calling PHP functions from native code, and callables known only at run time.

use std::sync::atomic::Ordering;

use crate::class::{Class, Step};
use crate::exceptions::KnownClass;
use crate::frame::{Frame, call_info};
use crate::function::{Function, PassBy, flags};
use crate::interpreter::calls::{
    class_value, finish_native, initialise_frame, pop_frame, push_frame, run_native,
};
use crate::interpreter::state::interrupt::SAMPLE;
use crate::value::{ObjectHandle, PhpReference, REFERENCE, Value, Zval, release};
use crate::vm::{PhpResult, Thrown, Vm};

/// A function with what it is called on.
#[derive(Debug)]
pub struct Callee {
    /// The function.
    pub function: *const Function,
    /// `$this`.
    pub this: Option<ObjectHandle>,
    /// The class `static` means, or null.
    pub called_class: *mut Class,
    /// The closure object that owns the function.
    pub closure: Option<ObjectHandle>,
}

impl Callee {
    /// Splits into what a frame holds; the shares move to the frame.
    #[inline]
    pub fn into_frame_parts(self, info: u32) -> ((Zval, *const Function), u32) {
        // The frame finds the closure again through its function.
        let parts = std::mem::ManuallyDrop::new(self);
        let mut info = info;
        if parts.closure.is_some() {
            info |= call_info::CLOSURE;
        }
        let this = match &parts.this {
            Some(object) => {
                info |= call_info::RELEASE_THIS;
                Zval::from_object(object.as_ptr())
            }
            None => class_value(parts.called_class),
        };
        ((this, parts.function), info)
    }
}

impl Drop for Callee {
    fn drop(&mut self) {
        // SAFETY: I4: the function is live; a trampoline that no frame took over is ours.
        unsafe {
            if !self.function.is_null() && (*self.function).flags & flags::CALL_VIA_TRAMPOLINE != 0
            {
                crate::class::lookup::free_trampoline(self.function.cast_mut());
            }
        }
    }
}

/// What a callable value calls, with the errors of a dynamic call (`$f()`).
pub unsafe fn callee_of_value(vm: *mut Vm, value: &Zval) -> PhpResult<Callee> {
    crate::class::callable::for_dynamic_call(&mut *vm, value)
}

/// What a callable value calls; Err holds PHP's reason why it is none.
pub unsafe fn resolve_callee(vm: *mut Vm, value: &Zval) -> Result<Callee, String> {
    (*vm).check_callable(value)
}

/// Reports a call of a deprecated function.
pub unsafe fn deprecated_function(vm: *mut Vm, function: *const Function) {
    if (*function).is_user {
        return (*vm).report_deprecated_function(&*function);
    }
    let message = crate::types::deprecation_message(&*function);
    (*vm).deprecated(message);
}

/// What a prepared trampoline frame calls in truth: `__call` or `__callStatic`.
struct MagicCall {
    handler: *const Function,
    this: Zval,
    info: u32,
    /// The name that was called and the list of arguments.
    arguments: [Value; 2],
}

/// Takes a prepared trampoline frame apart; frame and trampoline are gone then.
unsafe fn take_trampoline(vm: *mut Vm, call: *mut Frame) -> MagicCall {
    let trampoline = (*call).function;
    let count = (*call).argument_count();
    let first = (*call).slot(0);
    let mut arguments =
        crate::array::PhpArray::packed_with(&mut (*vm).heap, count as usize, |number| {
            (*first.add(number)).copy()
        });
    if (*call).call_info() & call_info::HAS_EXTRA_NAMED != 0 {
        for (key, value) in (*(*call).extra_named).iter() {
            arguments.make_mut(&mut *vm).set(key, Value::share(value));
        }
        release(&Zval::from_array((*call).extra_named));
    }
    let (handler, name) = crate::class::lookup::trampoline_parts(trampoline);
    let of_closure = (*call).call_info() & call_info::CLOSURE != 0;
    let info = (*call).call_info() & (call_info::RELEASE_THIS | call_info::NOTES_THIS);
    let this = Zval {
        type_info: (*call).this.type_info & call_info::THIS_TYPE,
        extra: 0,
        ..(*call).this
    };
    pop_frame(vm, call);
    if of_closure {
        crate::object::closure::release_function_owner(trampoline);
    } else {
        crate::class::lookup::recycle_trampoline(&mut *vm, trampoline.cast_mut());
    }
    MagicCall {
        handler,
        this,
        info,
        arguments: [name.into_value(), arguments.into_value()],
    }
}

/// Makes a prepared frame of a trampoline that the VM keeps one of its magic method, where it is. False if
/// that cannot be, and nothing has happened then.
unsafe fn turn_into_magic_call(vm: *mut Vm, call: *mut Frame) -> bool {
    const SPECIAL: u32 = call_info::HAS_EXTRA_NAMED | call_info::CLOSURE;
    let trampoline = (*call).function;
    let handler = (*trampoline).native_data as *const Function;
    if (*trampoline).flags & flags::KEPT == 0
        || (*call).call_info() & SPECIAL != 0
        || !(*handler).is_user
        || (*handler).run_time_cache.is_null()
    {
        return false;
    }
    let bytes = super::calls::frame_bytes(handler, 2);
    let stack = &mut (*vm).stack;
    if call as usize + bytes > stack.end as usize {
        return false;
    }
    let count = (*call).argument_count() as usize;
    let first = (*call).slot(0);
    let list = crate::array::PhpArray::packed_with(&mut (*vm).heap, count, |number| {
        (*first.add(number)).copy()
    });
    (*vm).stack.top = call.byte_add(bytes).cast();
    (*call).function = handler;
    (*call).this.type_info &= call_info::THIS_TYPE
        | call_info::RELEASE_THIS
        | call_info::NOTES_THIS
        | call_info::ALLOCATED;
    (*call).this.extra = 2;
    let name = crate::value::StringHandle::share_raw((*trampoline).name);
    first.write(name.into_value().into_zval());
    first.add(1).write(list.into_value().into_zval());
    true
}

/// Turns a prepared trampoline frame into a call of `__call` or `__callStatic`.
pub unsafe fn enter_trampoline(
    vm: *mut Vm,
    frame: *mut Frame,
    call: *mut Frame,
    target: *mut Zval,
) -> *const crate::op::Op {
    if turn_into_magic_call(vm, call) {
        return super::calls::enter_user(vm, frame, call, target);
    }
    (*frame).call = (*call).previous;
    let magic = take_trampoline(vm, call);
    super::calls::push_call(vm, frame, magic.handler, 2, magic.info, magic.this);
    let call = (*frame).call;
    for (number, argument) in magic.arguments.into_iter().enumerate() {
        *(*call).slot(number as u32) = argument.into_zval();
    }
    if (*magic.handler).is_user {
        return super::calls::enter_user(vm, frame, call, target);
    }
    super::calls::call_native(vm, frame, call, target);
    (*frame).opline.add(1)
}

/// Calls `function` from native code; `this` is an object (whose share moves) or a class.
pub unsafe fn run_function(
    vm: &mut Vm,
    function: *const Function,
    this: Zval,
    info: u32,
    arguments: Vec<Value>,
) -> PhpResult<Value> {
    run_function_named(vm, function, this, info, arguments, None)
}

/// As [`run_function`], with named arguments.
pub unsafe fn run_function_named(
    vm: &mut Vm,
    function: *const Function,
    this: Zval,
    info: u32,
    arguments: Vec<Value>,
    named: Option<crate::value::ArrayHandle>,
) -> PhpResult<Value> {
    if vm.native_stack_is_low() {
        let error = vm.throw_stack_overflow();
        give_back(function, &this, info);
        return Err(error);
    }
    if (*function).flags & flags::ABSTRACT != 0 {
        give_back(function, &this, info);
        return Err(vm.throw_error(
            KnownClass::Error,
            format!(
                "Cannot call abstract method {}()",
                (*function).display_name()
            ),
        ));
    }
    if (*function).flags & flags::DEPRECATED != 0 {
        deprecated_function(vm, function);
        if !vm.exception.is_null() {
            give_back(function, &this, info);
            return Err(Thrown);
        }
    }
    if (*function).is_user && (*function).run_time_cache.is_null() {
        super::calls::initialise_cache(vm, function.cast_mut());
    }
    let caller = vm.current_frame;
    let count = arguments.len() as u32;
    let mut call = push_frame(
        vm,
        function,
        count,
        info | call_info::TOP | call_info::DYNAMIC,
        this,
    );
    (*call).previous = caller;
    for (number, argument) in arguments.into_iter().enumerate() {
        let mut value = argument.into_zval();
        let number = number as u32;
        if (*function).pass_by(number) == PassBy::Reference {
            if value.kind() != REFERENCE {
                if !(*function).is_user || info & call_info::CONSTRUCTOR == 0 {
                    super::arguments::must_be_reference(vm, function, number);
                }
                let boxed = PhpReference::allocate(&mut vm.heap, value);
                value = Zval::from_reference(boxed.into_raw());
            }
        } else if value.kind() == REFERENCE
            && (*function).pass_by(number) == PassBy::Value
            && (*function).flags & flags::CALL_VIA_TRAMPOLINE == 0
        {
            value = value.into_read();
        }
        *(*call).slot(number) = value;
    }
    if let Some(named) = named {
        // Named arguments are placed through a frame that is being prepared.
        let mut holder: Frame = std::mem::zeroed();
        holder.call = call;
        for (key, value) in named.iter() {
            let crate::array::KeyRef::String(name) = key else {
                continue;
            };
            match super::arguments::named_slot(vm, &mut holder, name) {
                Some((slot, number)) if (*function).pass_by(number) == PassBy::Reference => {
                    if !value.is_reference() {
                        super::arguments::must_be_reference(vm, function, number);
                    }
                    (*slot).set(value.share());
                    crate::value::make_reference(&mut vm.heap, slot);
                }
                Some((slot, _)) => (*slot).set(value.share_deref()),
                None => break,
            }
        }
        call = holder.call;
        if vm.exception.is_null() && (*call).call_info() & call_info::MAY_HAVE_UNDEF != 0 {
            let _ = super::arguments::fill_undefined(vm, call);
        }
    }
    if !vm.exception.is_null() {
        finish_native(vm, call);
        rethrow_in_caller(vm);
        return Err(Thrown);
    }
    if (*function).flags & flags::CALL_VIA_TRAMPOLINE != 0 {
        let magic = take_trampoline(vm, call);
        let arguments = magic.arguments.into();
        return run_function(vm, magic.handler, magic.this, magic.info, arguments);
    }
    let result = run_frame(vm, caller, call);
    if !vm.exception.is_null() {
        release(&result);
        rethrow_in_caller(vm);
        return Err(Thrown);
    }
    Ok(Value::from_zval(result))
}

/// Runs a filled frame above `caller`, and comes back to it. With an exception the result is
/// not to be used, but released.
#[inline]
pub(super) unsafe fn run_frame(vm: &mut Vm, caller: *mut Frame, call: *mut Frame) -> Zval {
    // The native code that calls may do so without end, and the function have no poll of its own.
    vm.poll();
    let mut result = Zval::UNDEF;
    if (*(*call).function).is_user {
        initialise_frame(call, &mut result);
        if vm.interrupt.load(Ordering::Relaxed) & SAMPLE != 0 {
            sample(vm, call);
        }
        super::dispatch::execute(vm, call);
        vm.current_frame = caller;
    } else {
        vm.current_frame = call;
        run_native(vm, call, &mut result);
        vm.current_frame = caller;
        finish_native(vm, call);
    }
    // Not as it stands: it was written in parts.
    result.copy()
}

/// Tells the tier above the interpreter that this function, which is about to run, is what runs.
#[cold]
unsafe fn sample(vm: &mut Vm, call: *mut Frame) {
    vm.interrupt.fetch_and(!SAMPLE, Ordering::Relaxed);
    if let Some(tier) = &mut vm.tier {
        (*call).opline = tier.sample(call, (*call).opline);
    }
}

/// Gives back what a call that is not made after all was to hold.
unsafe fn give_back(function: *const Function, this: &Zval, info: u32) {
    if info & call_info::RELEASE_THIS != 0 {
        release(this);
    }
    if info & call_info::CLOSURE != 0 {
        crate::object::closure::release_function_owner(function);
    } else if (*function).flags & flags::CALL_VIA_TRAMPOLINE != 0 {
        crate::class::lookup::free_trampoline(function.cast_mut());
    }
}

/// After native code gave control back with an exception: the user frame below takes it up.
fn rethrow_in_caller(vm: &mut Vm) {
    vm.redirect_to_exception_handler();
}

impl Vm {
    /// Calls a callable value.
    pub fn call(&mut self, callable: &Value, arguments: Vec<Value>) -> PhpResult<Value> {
        self.call_named(callable, arguments, None)
    }

    /// Calls a callable value with positional and named arguments.
    pub fn call_named(
        &mut self,
        callable: &Value,
        arguments: Vec<Value>,
        named: Option<crate::value::ArrayHandle>,
    ) -> PhpResult<Value> {
        // SAFETY: I4: the callee holds what it calls alive.
        unsafe {
            let callee = match self.resolve_callable(callable.as_zval().deref()) {
                Ok(callee) => callee,
                Err(reason) => {
                    if !self.exception.is_null() {
                        return Err(Thrown);
                    }
                    let name = crate::class::callable::callable_name(callable);
                    let name = crate::message::text(&name);
                    let message = format!("Invalid callback {name}, {reason}");
                    return Err(self.throw_error(KnownClass::Error, message));
                }
            };
            self.call_callee(callee, arguments, named)
        }
    }

    /// Calls a resolved callable.
    ///
    /// # Safety
    /// The callee was resolved in this VM.
    pub unsafe fn call_callee(
        &mut self,
        callee: Callee,
        arguments: Vec<Value>,
        named: Option<crate::value::ArrayHandle>,
    ) -> PhpResult<Value> {
        if self.objects.ended {
            return Ok(Value::NULL);
        }
        let ((this, function), info) = callee.into_frame_parts(0);
        run_function_named(self, function, this, info, arguments, named)
    }

    /// Calls a function or method.
    pub fn call_function(
        &mut self,
        function: *const Function,
        this: Option<ObjectHandle>,
        called_class: *mut Class,
        arguments: Vec<Value>,
    ) -> PhpResult<Value> {
        let callee = Callee {
            function,
            this,
            called_class,
            closure: None,
        };
        // SAFETY: I4: functions live until the VM ends.
        unsafe { self.call_callee(callee, arguments, None) }
    }

    /// Calls a native method that traces are not to show.
    pub(crate) fn call_untraced(
        &mut self,
        method: *const Function,
        this: &ObjectHandle,
        arguments: Vec<Value>,
    ) -> PhpResult<Value> {
        // SAFETY: I4: functions live until the VM ends.
        unsafe {
            debug_assert!(!(*method).is_user);
            let called_class = this.class;
            let callee = Callee {
                function: method,
                this: Some(this.clone()),
                called_class,
                closure: None,
            };
            let ((this, function), info) = callee.into_frame_parts(call_info::UNTRACED);
            run_function_named(self, function, this, info, arguments, None)
        }
    }

    /// Calls a method of an iterator for native code that goes over its elements. Generators take
    /// their steps without a call.
    pub fn call_iterator(&mut self, iterator: &ObjectHandle, step: Step) -> PhpResult<Value> {
        let taken = self.take_step(iterator, step)?;
        Ok(match taken.as_zval().is_reference() {
            true => Value::share(taken.as_zval()),
            false => taken,
        })
    }

    /// The current element of an iterator: a reference, if it has one there and goes over it natively.
    pub fn iterator_element(&mut self, iterator: &ObjectHandle) -> PhpResult<Value> {
        self.take_step(iterator, Step::Current)
    }

    fn take_step(&mut self, iterator: &ObjectHandle, step: Step) -> PhpResult<Value> {
        let method = iterator.class().magic.iterator[step as usize];
        if method.is_null() {
            return self.call_method(iterator, step.method(), Vec::new());
        }
        if super::generators::is_generator(self, iterator) {
            return self.call_untraced(method, iterator, Vec::new());
        }
        if let Some(handlers) = iterator.class().handlers
            && let Some(take) = handlers.step
            // Where no loop takes them, its steps are calls of methods, as traces show.
            && iterator.class != self.known_class(KnownClass::InternalIterator)
            // SAFETY: I4: methods are live.
            && unsafe { !(*method).is_user }
        {
            return take(self, iterator, step);
        }
        self.call_plain_method(method, iterator, [])
    }

    /// Calls a method by its lower-cased name. The class must have it.
    pub fn call_method(
        &mut self,
        object: &ObjectHandle,
        lowercase: &[u8],
        arguments: Vec<Value>,
    ) -> PhpResult<Value> {
        match object.class().methods.get(lowercase) {
            Some(&function) if arguments.is_empty() => self.call_plain_method(function, object, []),
            Some(&function) => {
                self.call_function(function, Some(object.clone()), object.class, arguments)
            }
            None => {
                let text = format!(
                    "Call to undefined method {}::{}()",
                    object.class().display_name(),
                    crate::message::text(lowercase)
                );
                Err(self.throw_error(KnownClass::Error, text))
            }
        }
    }
}
