//! ReflectionGenerator.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::subject::{FLAGS, Subject, create, subject, this, uninitialised};

pub(super) static CLASSES: &[&NativeClass] =
    &[&NativeClass::new("final class ReflectionGenerator")
        .create_native(create)
        .flags(FLAGS)
        .methods(&[
            method(
                "public function __construct(Generator $generator)",
                |call| {
                    let (object, generator) = (this(call), call.object(0));
                    *subject(&object) = Subject::Generator(generator);
                    Ok(Value::NULL)
                },
            ),
            method(
                "tentative public function getExecutingGenerator(): Generator",
                executing,
            ),
        ])];

fn executing(call: &mut Call<'_>) -> PhpResult<Value> {
    match subject(&this(call)) {
        Subject::Generator(generator) => Ok(generator.clone().into()),
        _ => Err(uninitialised(call.vm)),
    }
}
