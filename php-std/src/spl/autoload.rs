//! Autoloading of classes.

use vm_runtime::function::Call;
use vm_runtime::operators::is_identical;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use crate::support::{functions, text};

functions! {
    "spl_autoload_register(?callable $callback = null, bool $throw = true, bool $prepend = false): bool" => register,
    "spl_autoload_unregister(callable $callback): bool" => unregister,
    "spl_autoload_functions(): array" => list,
    "spl_autoload_call(string $class): void" => load,
    "spl_autoload_extensions(?string $file_extensions = null): string" => extensions,
    "spl_autoload(string $class, ?string $file_extensions = null): void" => spl_autoload,
}

fn register(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut callback = call.value(0);
    if callback.is_null() {
        callback = call.vm.string("spl_autoload").into();
    }
    callback = as_pair(call, callback);
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

/// A static method by its name as the pair that it is listed as.
fn as_pair(call: &mut Call<'_>, callback: Value) -> Value {
    let pair = match callback.view() {
        ValueKind::String(name) => {
            let name = name.to_text().into_owned();
            name.split_once("::")
                .map(|(class, method)| [class, method].map(|part| call.vm.string(part).into()))
        }
        _ => None,
    };
    match pair {
        Some(pair) => crate::support::list(call.vm, pair),
        None => callback,
    }
}

fn is_same(call: &mut Call<'_>, one: &Value, other: &Value) -> bool {
    is_identical(call.vm, one, other)
}

fn unregister(call: &mut Call<'_>) -> PhpResult<Value> {
    let callback = call.value(0);
    if let ValueKind::String(name) = callback.view()
        && name.as_bytes().eq_ignore_ascii_case(b"spl_autoload_call")
    {
        drop(std::mem::take(&mut call.vm.autoloaders));
        return Ok(true.into());
    }
    let callback = as_pair(call, callback);
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

/// The extensions of the files that `spl_autoload()` looks for.
#[derive(Debug, Default)]
struct Extensions(Option<Vec<u8>>);

fn known_extensions(call: &mut Call<'_>) -> Vec<u8> {
    let known = &call.vm.extensions.state::<Extensions>().0;
    known.clone().unwrap_or_else(|| b".inc,.php".to_vec())
}

fn extensions(call: &mut Call<'_>) -> PhpResult<Value> {
    if let Some(wanted) = call.optional_bytes(0) {
        call.vm.extensions.state::<Extensions>().0 = Some(wanted.to_vec());
        return text(call.vm, "");
    }
    let known = known_extensions(call);
    text(call.vm, known)
}

/// Loads a class from a file named after it along the include path.
fn spl_autoload(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.bytes(0).to_ascii_lowercase();
    let extensions = match call.optional_bytes(1) {
        Some(extensions) => extensions.to_vec(),
        None => known_extensions(call),
    };
    let mut file: Vec<u8> = name.clone();
    file.iter_mut()
        .filter(|byte| **byte == b'\\')
        .for_each(|byte| *byte = b'/');
    for extension in extensions.split(|&byte| byte == b',') {
        let file = [&file[..], extension].concat();
        let Some(path) = call.vm.resolve_include_path(&file) else {
            continue;
        };
        if !call.vm.included_files.contains(&path) {
            call.vm.include_file(&path, true)?;
        }
        if call.vm.linked_class(&name).is_some() {
            break;
        }
    }
    Ok(Value::NULL)
}
