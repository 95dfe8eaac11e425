//! Functions about functions and calls.

use vm_runtime::array::KeyRef;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::frame::{Frame, call_info};
use vm_runtime::function::Call;
use vm_runtime::interpreter::request::ShutdownFunction;
use vm_runtime::value::{ArrayHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{direct, functions};

functions! {
    "func_num_args(): int" => func_num_args,
    "func_get_arg(int $position): mixed" => func_get_arg,
    "func_get_args(): array" => func_get_args,
    "function_exists(string $function): bool" => function_exists | function_exists_directly,
    "get_defined_functions(bool $exclude_disabled = true): array" => get_defined_functions,
    "exit(string|int $status = 0): never" => exit,
    "die(string|int $status = 0): never" => exit,
}

functions! { STANDARD_FUNCTIONS:
    "call_user_func(callable $callback, mixed ...?$args): mixed" => call_user_func,
    "call_user_func_array(callable $callback, array $args): mixed" => call_user_func_array,
    "forward_static_call(callable $callback, mixed ...$args): mixed" => forward_static_call,
    "forward_static_call_array(callable $callback, array $args): mixed" => forward_static_call_array,
    "register_shutdown_function(callable $callback, mixed ...$args): void" => register_shutdown_function,
}

/// Ends the script: a number is its status, a text is printed. Shutdown functions still run.
fn exit(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.count() > 0 {
        let status = call.value(0);
        match status.as_zval().view() {
            ValueKind::Long(status) => call.vm.exit_status = status as i32 & 0xff,
            _ => {
                call.vm.write(call.string(0).as_bytes());
                // The callback of an output buffer may have thrown.
                call.vm.check()?;
            }
        }
    }
    Err(call.vm.exit())
}

/// The user function that called; an Error at top level.
fn caller(call: &mut Call<'_>, message: &str) -> PhpResult<*mut Frame> {
    // SAFETY: I4: the chain of frames is live during the call.
    unsafe {
        let frame = (*call.frame).previous;
        if frame.is_null() || (*frame).call_info() & call_info::CODE != 0 || !(*frame).is_user() {
            return Err(call.vm.throw_error(KnownClass::Error, message));
        }
        Ok(frame)
    }
}

/// Arguments of a user frame as they are now.
fn arguments_of(vm: &mut Vm, frame: *mut Frame) -> ArrayHandle {
    let mut list = vm.new_array();
    // SAFETY: I4: the frame is live; extra arguments stand behind its slots.
    unsafe {
        let function = &*(*frame).function;
        let declared = function.parameter_count;
        for number in 0..(*frame).argument_count() {
            let slot = if number < declared {
                number
            } else {
                function.slots + number - declared
            };
            let value = Value::share(&*(*frame).slot(slot));
            let _ = list.make_mut(vm).push(value);
        }
    }
    list
}

fn func_num_args(call: &mut Call<'_>) -> PhpResult<Value> {
    call.forbid_dynamic()?;
    let frame = caller(
        call,
        "func_num_args() must be called from a function context",
    )?;
    // SAFETY: I4: the caller's frame is live.
    Ok(Value::from(unsafe { (*frame).argument_count() } as i64))
}

fn func_get_arg(call: &mut Call<'_>) -> PhpResult<Value> {
    call.forbid_dynamic()?;
    let position = call.long(0);
    if position < 0 {
        return Err(call.value_error(0, "must be greater than or equal to 0"));
    }
    let frame = caller(
        call,
        "func_get_arg() cannot be called from the global scope",
    )?;
    let list = arguments_of(call.vm, frame);
    match list.get_long(position) {
        Some(value) => Ok(Value::share(value)),
        None => Err(call.value_error(
            0,
            "must be less than the number of the arguments passed to the currently executed function",
        )),
    }
}

fn func_get_args(call: &mut Call<'_>) -> PhpResult<Value> {
    call.forbid_dynamic()?;
    let frame = caller(
        call,
        "func_get_args() cannot be called from the global scope",
    )?;
    Ok(arguments_of(call.vm, frame).into())
}

direct! {
    fn function_exists_directly(vm; name: &Zval) {
        let ValueKind::String(name) = name.view() else {
            return None;
        };
        Some(vm.function_named(name).is_some())
    }
}

fn function_exists(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.string(0);
    Ok(call.vm.function_named(&name).is_some().into())
}

fn get_defined_functions(call: &mut Call<'_>) -> PhpResult<Value> {
    if !call.bool(0) {
        call.vm.deprecated(
            "get_defined_functions(): Setting $exclude_disabled to false has no effect",
        );
        call.vm.check()?;
    }
    let native: Vec<&'static str> = call.vm.natives.names().collect();
    let mut user: Vec<Box<[u8]>> = call
        .vm
        .functions
        .iter()
        // SAFETY: I4: functions live until the VM ends.
        .filter(|(_, function)| unsafe { (***function).is_user })
        .map(|(name, _)| name.clone())
        .collect();
    user.sort();
    let native: Vec<Value> = native
        .iter()
        .map(|name| call.vm.string(name).into())
        .collect();
    let user: Vec<Value> = user
        .iter()
        .map(|name| call.vm.string(name).into())
        .collect();
    let native = crate::support::list(call.vm, native);
    let user = crate::support::list(call.vm, user);
    let mut table = call.vm.new_array();
    table.make_mut(call.vm).set_bytes(b"internal", native);
    table.make_mut(call.vm).set_bytes(b"user", user);
    Ok(table.into())
}

/// Arguments of a variadic native function from `first` on.
pub(crate) fn rest(call: &Call<'_>, first: usize) -> Vec<Value> {
    (first..call.count())
        .map(|index| call.value(index))
        .collect()
}

/// Arguments given by names that no parameter has.
pub(crate) fn named_arguments(call: &Call<'_>) -> Option<ArrayHandle> {
    // SAFETY: I4: the frame is live until the call returns, and so is its table.
    unsafe {
        let table = (*call.frame).extra_named;
        let given = (*call.frame).call_info() & call_info::HAS_EXTRA_NAMED != 0;
        (given && !table.is_null()).then(|| ArrayHandle::share_raw(table))
    }
}

fn call_user_func(call: &mut Call<'_>) -> PhpResult<Value> {
    let callable = call.value(0);
    let (arguments, named) = (rest(call, 1), named_arguments(call));
    call.vm.call_named(&callable, arguments, named)
}

fn call_user_func_array(call: &mut Call<'_>) -> PhpResult<Value> {
    let callable = call.value(0);
    let (positional, named) = split_arguments(call.vm, &call.array(1))?;
    call.vm.call_named(&callable, positional, named)
}

fn forward_static_call(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: I4: the frame of the native function, its caller's and their functions are live.
    let scope = unsafe {
        let caller = (*call.frame).previous.as_ref();
        let function = caller.and_then(|caller| caller.function.as_ref());
        function.map_or(std::ptr::null_mut(), |function| function.scope)
    };
    if scope.is_null() {
        let message = "Cannot call forward_static_call() when no class scope is active";
        return Err(call.vm.throw_error(KnownClass::Error, message));
    }
    let (arguments, named) = (rest(call, 1), named_arguments(call));
    forward(call, arguments, named)
}

fn forward_static_call_array(call: &mut Call<'_>) -> PhpResult<Value> {
    let (positional, named) = split_arguments(call.vm, &call.array(1))?;
    forward(call, positional, named)
}

/// Calls the callable; `static` stays the caller's class if that is one of the callable's class.
fn forward(
    call: &mut Call<'_>,
    arguments: Vec<Value>,
    named: Option<ArrayHandle>,
) -> PhpResult<Value> {
    // SAFETY: I4: the frame of the native function and that of its caller are live.
    let called = unsafe {
        let caller = (*call.frame).previous.as_mut();
        caller.map_or(std::ptr::null_mut(), |caller| caller.called_class())
    };
    let callable = call.value(0);
    let Ok(mut callee) = call.vm.resolve_callable(&callable) else {
        return call.vm.call_named(&callable, arguments, named);
    };
    // SAFETY: I4: classes live until the VM ends; the callee holds what it calls alive.
    unsafe {
        let class = callee.called_class;
        let forwards = !called.is_null() && !class.is_null() && (*called).is_subclass_of(class);
        if forwards && callee.closure.is_none() {
            callee.called_class = called;
        }
        call.vm.call_callee(callee, arguments, named)
    }
}

/// What an array stands for as a list of arguments: positional ones, then named ones.
pub(crate) fn split_arguments(
    vm: &mut Vm,
    given: &ArrayHandle,
) -> PhpResult<(Vec<Value>, Option<ArrayHandle>)> {
    let mut positional = Vec::new();
    let mut named = None::<ArrayHandle>;
    for (key, value) in given.iter() {
        // References are passed on as such.
        // SAFETY: I3: the share belongs to the new value.
        let value = unsafe { Value::from_zval(value.share()) };
        match key {
            KeyRef::String(name) => {
                let table = named.get_or_insert_with(|| vm.new_array());
                table.make_mut(vm).set_string(name, value);
            }
            KeyRef::Long(_) if named.is_some() => {
                return Err(vm.throw_error(
                    KnownClass::Error,
                    "Cannot use positional argument after named argument",
                ));
            }
            KeyRef::Long(_) => positional.push(value),
        }
    }
    Ok((positional, named))
}

fn register_shutdown_function(call: &mut Call<'_>) -> PhpResult<Value> {
    let callable = call.value(0);
    let arguments = rest(call, 1);
    // Resolved now: `self` and private methods are those of the running code.
    match call.vm.resolve_callable(&callable) {
        Ok(callee) => call.vm.shutdown_functions.push(ShutdownFunction {
            callable,
            callee,
            arguments,
        }),
        Err(reason) => {
            call.vm.check()?;
            return Err(call.type_error(0, &format!("must be a valid callback, {reason}")));
        }
    }
    Ok(Value::NULL)
}
