//! Autoloading of classes.

use vm_runtime::function::Call;
use vm_runtime::operators::is_identical;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use crate::support::functions;

functions! {
    "spl_autoload_register(?callable $callback = null, bool $throw = true, bool $prepend = false): bool" => register,
    "spl_autoload_unregister(callable $callback): bool" => unregister,
    "spl_autoload_functions(): array" => list,
    "spl_autoload_call(string $class): void" => load,
    "spl_autoload_extensions(?string $file_extensions = null)" => extensions,
}

fn register(call: &mut Call<'_>) -> PhpResult<Value> {
    let callback = call.value(0);
    if callback.is_null() {
        // The default loader looks for files named after the class; there is none here.
        return Ok(true.into());
    }
    if !call.bool(1) {
        call.vm.notice(
            "spl_autoload_register(): Argument #2 ($do_throw) has been ignored, spl_autoload_register() will always throw",
        );
        call.vm.check()?;
    }
    let known = (0..call.vm.autoloaders.len()).any(|index| {
        let autoloader = call.vm.autoloaders[index].clone();
        is_same(call, &autoloader, &callback)
    });
    if known {
        return Ok(true.into());
    }
    if call.bool(2) {
        call.vm.autoloaders.insert(0, callback);
    } else {
        call.vm.autoloaders.push(callback);
    }
    Ok(true.into())
}

fn is_same(call: &mut Call<'_>, one: &Value, other: &Value) -> bool {
    is_identical(call.vm, one, other)
}

fn unregister(call: &mut Call<'_>) -> PhpResult<Value> {
    let callback = call.value(0);
    for index in 0..call.vm.autoloaders.len() {
        let autoloader = call.vm.autoloaders[index].clone();
        if is_same(call, &autoloader, &callback) {
            let removed = call.vm.autoloaders.remove(index);
            drop(removed);
            return Ok(true.into());
        }
    }
    Ok(false.into())
}

fn list(call: &mut Call<'_>) -> PhpResult<Value> {
    let autoloaders = call.vm.autoloaders.clone();
    Ok(crate::support::list(call.vm, autoloaders))
}

fn load(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.string(0);
    let lowercase = name.as_bytes().to_ascii_lowercase();
    let mut index = 0;
    while let Some(autoloader) = call.vm.autoloaders.get(index).cloned() {
        call.vm.call(&autoloader, vec![Value::from(name.clone())])?;
        if call.vm.linked_class(&lowercase).is_some() {
            break;
        }
        index += 1;
    }
    Ok(Value::NULL)
}

fn extensions(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.has(0) {
        return Ok(Value::NULL);
    }
    Ok(call.vm.string(".inc,.php").into())
}
