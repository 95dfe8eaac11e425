//! The class Generator.

use crate::class::{NativeClass, NativeHandlers, direct_method, method};
use crate::exceptions::KnownClass;
use crate::function::{Call, class_flags};
use crate::interpreter::generators::delegation::{current, current_value, inject};
use crate::interpreter::generators::destroy::destruct;
use crate::interpreter::generators::iterate::{is_valid, rewind};
use crate::interpreter::generators::resume::{resume, start};
use crate::interpreter::generators::state::{Generator, data};
use crate::value::{Value, Zval};
use crate::vm::{PhpResult, Vm};

pub(crate) static CLASS: NativeClass =
    NativeClass::new("final class Generator implements Iterator")
        .flags(
            class_flags::NOT_INSTANTIABLE
                | class_flags::NOT_CLONEABLE
                | class_flags::NOT_SERIALIZABLE
                | class_flags::NO_DYNAMIC_PROPERTIES,
        )
        .handlers(&NativeHandlers {
            destruct: Some(destruct),
            ..NativeHandlers::STANDARD
        })
        .methods(&[
            method("public function rewind(): void", |call| {
                with(call, |vm, generator, _| {
                    // SAFETY: see `with`.
                    unsafe { rewind(vm, generator)? };
                    Ok(Value::NULL)
                })
            }),
            direct_method(
                "public function valid(): bool",
                |call| {
                    with(call, |vm, generator, _| {
                        // SAFETY: see `with`.
                        unsafe {
                            start(vm, generator);
                            (*vm).check()?;
                            Ok(Value::from(is_valid(vm, generator)?))
                        }
                    })
                },
                |_, this, arguments, result| {
                    let valid =
                        suspended(this, arguments).map(|generator| !generator.frame.is_null());
                    *result = Zval::from_bool(valid.unwrap_or_default());
                    valid.is_some()
                },
            ),
            direct_method(
                "public function current(): mixed",
                |call| {
                    with(call, |vm, generator, _| {
                        // SAFETY: see `with`.
                        unsafe {
                            start(vm, generator);
                            current_of(vm, generator)
                        }
                    })
                },
                |_, this, arguments, result| {
                    let generator = suspended(this, arguments);
                    let generator = generator.filter(|generator| !generator.frame.is_null());
                    *result = generator.map_or(Zval::UNDEF, |it| it.value.share_deref());
                    generator.is_some()
                },
            ),
            method("public function key(): mixed", |call| with(call, key)),
            method("public function next(): void", |call| {
                with(call, |vm, generator, _| {
                    // SAFETY: see `with`.
                    unsafe {
                        start(vm, generator);
                        (*vm).check()?;
                        resume(vm, generator);
                        (*vm).check()?;
                    }
                    Ok(Value::NULL)
                })
            }),
            method("public function send(mixed $value): mixed", |call| {
                with(call, send)
            }),
            method(
                "public function throw(Throwable $exception): mixed",
                |call| with(call, throw),
            ),
            method("public function getReturn(): mixed", |call| {
                with(call, get_return)
            }),
            method("public function __debugInfo(): array", |call| {
                with(call, debug_info)
            }),
        ]);

/// Calls `body` with the VM and the generator of a method call. The call's frame keeps the object
/// alive; both are passed by address, for generators may be resumed and ended meanwhile.
#[inline(always)]
fn with(
    call: &mut Call<'_>,
    body: impl FnOnce(*mut Vm, *mut Generator, &Call<'_>) -> PhpResult<Value>,
) -> PhpResult<Value> {
    // SAFETY: I3: these methods are not static, so there is a live `$this`, a Generator.
    let generator = unsafe { data((*call.frame).this.object()) };
    let vm: *mut Vm = &raw mut *call.vm;
    body(vm, generator, call)
}

/// The generator of a method call without arguments, if nothing has to run for its value: it has started, or ended,
/// and stands on its own.
fn suspended<'a>(this: &'a Zval, arguments: &[Zval]) -> Option<&'a Generator> {
    // SAFETY: see `with`.
    let generator = unsafe { &*data(this.object()) };
    let started = generator.frame.is_null() || !generator.value.is_undef();
    (generator.stands_alone() && started && !generator.running && arguments.is_empty())
        .then_some(generator)
}

unsafe fn current_of(vm: *mut Vm, generator: *mut Generator) -> PhpResult<Value> {
    (*vm).check()?;
    let node = current(vm, generator);
    (*vm).check()?;
    Ok(Value::from_zval(current_value(generator, node)))
}

fn key(vm: *mut Vm, generator: *mut Generator, _: &Call<'_>) -> PhpResult<Value> {
    // SAFETY: see `with`.
    unsafe {
        start(vm, generator);
        (*vm).check()?;
        let node = current(vm, generator);
        (*vm).check()?;
        if (*generator).frame.is_null() {
            return Ok(Value::NULL);
        }
        Ok(Value::share(&(*node).key))
    }
}

fn send(vm: *mut Vm, generator: *mut Generator, call: &Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    // SAFETY: see `with`.
    unsafe {
        start(vm, generator);
        (*vm).check()?;
        if (*generator).frame.is_null() {
            return Ok(Value::NULL);
        }
        let node = current(vm, generator);
        (*vm).check()?;
        if !(*node).send_target.is_null() && !(*node).running {
            *(*node).send_target = value.into_zval();
        }
        resume(vm, generator);
        current_of(vm, generator)
    }
}

fn throw(vm: *mut Vm, generator: *mut Generator, call: &Call<'_>) -> PhpResult<Value> {
    let exception = call.object(0);
    // SAFETY: see `with`.
    unsafe {
        start(vm, generator);
        if (*generator).frame.is_null() {
            // One that ended it before its first `yield` is what came before this one.
            return Err((*vm).throw_object(exception));
        }
        (*vm).check()?;
        let node = current(vm, generator);
        (*vm).check()?;
        if (*node).running {
            return Err((*vm).throw_error(
                KnownClass::Error,
                "Cannot resume an already running generator",
            ));
        }
        if !(*generator).frame.is_null() {
            inject(vm, generator, node, exception);
            resume(vm, generator);
        }
        current_of(vm, generator)
    }
}

fn get_return(vm: *mut Vm, generator: *mut Generator, _: &Call<'_>) -> PhpResult<Value> {
    // SAFETY: see `with`.
    unsafe {
        start(vm, generator);
        (*vm).check()?;
        if (*generator).returned.is_undef() {
            return Err((*vm).throw_error(
                KnownClass::Exception,
                "Cannot get return value of a generator that hasn't returned",
            ));
        }
        Ok(Value::share(&(*generator).returned))
    }
}

fn debug_info(vm: *mut Vm, generator: *mut Generator, _: &Call<'_>) -> PhpResult<Value> {
    // SAFETY: see `with`; I4: names and classes live until the VM ends.
    unsafe {
        let vm = &mut *vm;
        let function = &*(*generator).function;
        let name = (*function.name).as_bytes();
        let shown = if function.scope.is_null() || name.starts_with(b"{closure") {
            crate::value::StringHandle::share_raw(function.name)
        } else {
            vm.string([(*(*function.scope).name).as_bytes(), b"::", name].concat())
        };
        let mut table = vm.new_array();
        table.make_mut(vm).set_bytes(b"function", shown.into());
        Ok(table.into())
    }
}
