//! ReflectionGenerator and ReflectionFiber.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::exceptions::{BacktraceOptions, KnownClass};
use vm_runtime::frame::Frame;
use vm_runtime::function::Call;
use vm_runtime::interpreter::{
    fibers,
    generators::inspect::{Inspection, inspect},
};
use vm_runtime::value::{ObjectHandle, StringHandle, Value};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::subject::{
    FLAGS, FunctionSubject, Subject, create, fail, own_subject, set_subject, this, uninitialised,
};

pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("final class ReflectionGenerator")
        .create_native(create)
        .flags(FLAGS)
        .methods(&[
            method(
                "public function __construct(Generator $generator)",
                |call| {
                    let (object, generator) = (this(call), call.object(0));
                    set_subject(&object, Subject::Generator(generator));
                    Ok(Value::NULL)
                },
            ),
            method(
                "tentative public function getExecutingLine(): int",
                |call| {
                    let (_, line) = generator_position(call)?;
                    Ok((line as i64).into())
                },
            ),
            method(
                "tentative public function getExecutingFile(): string",
                |call| Ok(generator_position(call)?.0.into()),
            ),
            method(
                "tentative public function getTrace(int $options = DEBUG_BACKTRACE_PROVIDE_OBJECT): array",
                |call| {
                    let seen = generator(call)?;
                    let options = options(call);
                    // SAFETY: I4: the generator keeps its frames.
                    Ok(unsafe { call.vm.trace_of(&seen.frames, options) }.into())
                },
            ),
            method(
                "tentative public function getFunction(): ReflectionFunctionAbstract",
                |call| {
                    let seen = inspect(&held(call)?);
                    // SAFETY: I4: the function lives as long as the generator.
                    let class = unsafe { (*seen.function).scope };
                    let about = FunctionSubject {
                        function: seen.function,
                        closure: seen.closure,
                        class,
                    };
                    super::function::make_function(call.vm, about)
                },
            ),
            method("tentative public function getThis(): ?object", |call| {
                Ok(generator(call)?.this.map_or(Value::NULL, Value::from))
            }),
            method(
                "tentative public function getExecutingGenerator(): Generator",
                |call| Ok(generator(call)?.executing.into()),
            ),
            method("public function isClosed(): bool", |call| {
                let generator = held(call)?;
                Ok(inspect(&generator).frames.is_empty().into())
            }),
        ]),
    &NativeClass::new("final class ReflectionFiber")
        .create_native(create)
        .flags(FLAGS)
        .methods(&[
            method("public function __construct(Fiber $fiber)", |call| {
                let (object, fiber) = (this(call), call.object(0));
                set_subject(&object, Subject::Fiber(fiber));
                Ok(Value::NULL)
            }),
            method("public function getFiber(): Fiber", |call| {
                Ok(held(call)?.into())
            }),
            method("public function getExecutingFile(): ?string", |call| {
                Ok(fiber_position(call)?.map_or(Value::NULL, |(file, _)| file.into()))
            }),
            method("public function getExecutingLine(): ?int", |call| {
                Ok(fiber_position(call)?.map_or(Value::NULL, |(_, line)| (line as i64).into()))
            }),
            method("public function getCallable(): callable", |call| {
                let fiber = held(call)?;
                match fibers::inspect::callable(&fiber) {
                    Some(callable) => Ok(callable),
                    None => Err(call.vm.throw_error(
                        KnownClass::Error,
                        "Cannot fetch the callable from a fiber that has terminated",
                    )),
                }
            }),
            method(
                "public function getTrace(int $options = DEBUG_BACKTRACE_PROVIDE_OBJECT): array",
                |call| {
                    let (fiber, options) = (held(call)?, options(call));
                    match fibers::inspect::trace(call.vm, &fiber, options) {
                        Some(trace) => Ok(trace.into()),
                        None => Err(not_active(call.vm)),
                    }
                },
            ),
]),
];

/// The generator or fiber that `$this` is about.
fn held(call: &mut Call<'_>) -> PhpResult<ObjectHandle> {
    match own_subject(call) {
        Subject::Generator(held) | Subject::Fiber(held) => Ok(held.clone()),
        _ => Err(uninitialised(call.vm)),
    }
}

/// A look at the generator, which must not have ended.
fn generator(call: &mut Call<'_>) -> PhpResult<Inspection> {
    let seen = inspect(&held(call)?);
    if seen.frames.is_empty() {
        let message = "Cannot fetch information from a closed Generator";
        return Err(fail(call.vm, message, 0));
    }
    Ok(seen)
}

fn generator_position(call: &mut Call<'_>) -> PhpResult<(StringHandle, u32)> {
    let seen = generator(call)?;
    // SAFETY: I4: the generator keeps its frames.
    let position = seen
        .frames
        .first()
        .and_then(|&frame| unsafe { call.vm.frame_position(frame) });
    position.ok_or(Thrown)
}

fn not_active(vm: &mut Vm) -> Thrown {
    vm.throw_error(
        KnownClass::Error,
        "Cannot fetch information from a fiber that has not been started or is terminated",
    )
}

fn fiber_frame(call: &mut Call<'_>) -> PhpResult<*mut Frame> {
    let fiber = held(call)?;
    match fibers::inspect::innermost_frame(call.vm, &fiber) {
        Some(frame) => Ok(frame),
        None => Err(not_active(call.vm)),
    }
}

/// Where the innermost user function of the fiber is.
fn fiber_position(call: &mut Call<'_>) -> PhpResult<Option<(StringHandle, u32)>> {
    let mut frame = fiber_frame(call)?;
    // SAFETY: I4: the frames of a fiber that has not ended are live.
    unsafe {
        while !frame.is_null() {
            if let Some(position) = call.vm.frame_position(frame) {
                return Ok(Some(position));
            }
            frame = (*frame).previous;
        }
    }
    Ok(None)
}

fn options(call: &Call<'_>) -> BacktraceOptions {
    let bits = call.long(0);
    BacktraceOptions {
        objects: bits & 1 != 0,
        ignore_arguments: bits & 2 != 0,
        ..Default::default()
    }
}
