//! The classes Fiber and FiberError.

use crate::class::{NativeClass, NativeHandlers, method};
use crate::exceptions::KnownClass;
use crate::frame::call_info;
use crate::function::{Call, class_flags};
use crate::interpreter::fibers::state::{Arguments, Fiber, Outcome, Status, Transfer};
use crate::interpreter::fibers::switch::{data, destruct, prepare, resume, suspend};
use crate::value::{ArrayHandle, ObjectHandle, Value};
use crate::vm::{PhpResult, Vm};

static FIBER: NativeClass = NativeClass::new("final class Fiber")
    .flags(
        class_flags::NOT_CLONEABLE
            | class_flags::NOT_SERIALIZABLE
            | class_flags::NO_DYNAMIC_PROPERTIES,
    )
    .handlers(&NativeHandlers {
        destruct: Some(destruct),
        ..NativeHandlers::STANDARD
    })
    .create_native(|_, _| Some(Box::new(Fiber::new())))
    .methods(&[
        method("public function __construct(callable $callback)", construct),
        method("public function start(mixed ...?$args): mixed", start),
        method(
            "public function resume(mixed $value = null): mixed",
            |call| {
                let value = call.value(0);
                go_on(call, Transfer::Value(value))
            },
        ),
        method(
            "public function throw(Throwable $exception): mixed",
            |call| {
                let exception = call.object(0);
                go_on(call, Transfer::Exception(exception))
            },
        ),
        method("public function isStarted(): bool", |call| {
            Ok(Value::from(status(call) != Status::Initial))
        }),
        method("public function isSuspended(): bool", |call| {
            Ok(Value::from(status(call) == Status::Suspended))
        }),
        method("public function isRunning(): bool", |call| {
            Ok(Value::from(status(call) == Status::Running))
        }),
        method("public function isTerminated(): bool", |call| {
            Ok(Value::from(status(call) == Status::Dead))
        }),
        method("public function getReturn(): mixed", get_return),
        method(
            "public static function suspend(mixed $value = null): mixed",
            suspend_current,
        ),
        method("public static function getCurrent(): ?Fiber", |call| {
            let fiber = call.vm.fiber;
            if fiber.is_null() {
                return Ok(Value::NULL);
            }
            // SAFETY: I3: a running fiber is live.
            Ok(unsafe { ObjectHandle::share_raw((*fiber).object) }.into())
        }),
    ]);

static FIBER_ERROR: NativeClass = NativeClass::new("final class FiberError extends Error").methods(&[
    method("#[Uncounted] public function __construct()", |call| {
        Err(call.vm.throw_error(
            KnownClass::Error,
            "The \"FiberError\" class is reserved for internal use and cannot be manually instantiated",
        ))
    }),
]);

/// The classes of this module.
pub(crate) static CLASSES: &[&NativeClass] = &[&FIBER, &FIBER_ERROR];

fn this(call: &Call<'_>) -> *mut Fiber {
    // SAFETY: I3: these methods are not static, so there is a live `$this`, a Fiber.
    unsafe { data((*call.frame).this.object()) }
}

fn status(call: &Call<'_>) -> Status {
    // SAFETY: I3: the object lives during the call.
    unsafe { (*this(call)).status }
}

fn fiber_error(vm: &mut Vm, message: &str) -> PhpResult<Value> {
    Err(vm.throw_error(KnownClass::FiberError, message))
}

/// Fails where fibers must not be switched.
fn check_switch(vm: &mut Vm) -> PhpResult<()> {
    if vm.fiber_switch_blocks == 0 {
        return Ok(());
    }
    Err(vm.throw_error(
        KnownClass::FiberError,
        "Cannot switch fibers in current execution context",
    ))
}

fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let fiber = this(call);
    let callable = call.value(0);
    // SAFETY: I3: the object lives during the call.
    unsafe {
        if (*fiber).status != Status::Initial || !(*fiber).callable.is_undef() {
            return fiber_error(call.vm, "Cannot call constructor twice");
        }
        match call.vm.resolve_callable(&callable) {
            Ok(callee) => {
                (*fiber).object = (*call.frame).this.object();
                (*fiber).callee = Some(callee);
                (*fiber).callable = callable;
                Ok(Value::NULL)
            }
            Err(reason) => {
                call.vm.check()?;
                Err(call.type_error(0, &format!("must be a valid callback, {reason}")))
            }
        }
    }
}

fn start(call: &mut Call<'_>) -> PhpResult<Value> {
    let fiber = this(call);
    let positional: Vec<Value> = (0..call.count()).map(|index| call.value(index)).collect();
    // SAFETY: I3 and I4: the object and the frame live during the call.
    unsafe {
        if (*fiber).status != Status::Initial || (*fiber).callee.is_none() {
            return fiber_error(
                call.vm,
                "Cannot start a fiber that has already been started",
            );
        }
        check_switch(call.vm)?;
        let frame = call.frame;
        let has_named = (*frame).call_info() & call_info::HAS_EXTRA_NAMED != 0
            && !(*frame).extra_named.is_null();
        let named = has_named.then(|| ArrayHandle::share_raw((*frame).extra_named));
        let vm: *mut Vm = &raw mut *call.vm;
        prepare(vm, fiber)?;
        (*fiber).arguments = Some(Arguments { positional, named });
        resume(vm, fiber, Transfer::Value(Value::NULL))
    }
}

fn go_on(call: &mut Call<'_>, transfer: Transfer) -> PhpResult<Value> {
    let fiber = this(call);
    if status(call) != Status::Suspended {
        return fiber_error(call.vm, "Cannot resume a fiber that is not suspended");
    }
    check_switch(call.vm)?;
    // SAFETY: I3: the object lives during the call.
    unsafe { resume(&raw mut *call.vm, fiber, transfer) }
}

fn suspend_current(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    let fiber = call.vm.fiber;
    if fiber.is_null() {
        return fiber_error(call.vm, "Cannot suspend outside of a fiber");
    }
    // SAFETY: I3: a running fiber is live.
    unsafe {
        if (*fiber).destroyed {
            return fiber_error(call.vm, "Cannot suspend in a force-closed fiber");
        }
        check_switch(call.vm)?;
        suspend(&raw mut *call.vm, fiber, value)
    }
}

fn get_return(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: I3: the object lives during the call.
    let fiber = unsafe { &*this(call) };
    let problem = match (fiber.status, fiber.outcome) {
        (Status::Dead, Outcome::Threw) => "The fiber threw an exception",
        (Status::Dead, Outcome::Aborted) => "The fiber exited with a fatal error",
        (Status::Dead, _) => return Ok(Value::share(&fiber.returned)),
        (Status::Initial, _) => "The fiber has not been started",
        _ => "The fiber has not returned",
    };
    fiber_error(
        call.vm,
        &format!("Cannot get fiber return value: {problem}"),
    )
}
