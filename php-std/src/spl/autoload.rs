//! Autoloading of classes.

use vm_runtime::class::Class;
use vm_runtime::class::callable::Autoloader;
use vm_runtime::function::{Call, flags};
use vm_runtime::message::Message;
use vm_runtime::operators::is_identical;
use vm_runtime::value::{ObjectHandle, Value, ValueKind};
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
    let called = call.vm.kept_callable(callback.clone());
    callback = as_pair(call, callback);
    if !call.bool(1) {
        call.vm.notice(
            "spl_autoload_register(): Argument #2 ($do_throw) has been ignored, spl_autoload_register() will always throw",
        );
        call.vm.check()?;
    }
    let known = (0..call.vm.autoloaders.len()).any(|index| {
        let known = call.vm.autoloaders[index].listed.clone();
        is_same(call, &known, &callback)
    });
    if known {
        return Ok(true.into());
    }
    let autoloader = Autoloader {
        listed: callback,
        called,
    };
    if call.bool(2) {
        call.vm.autoloaders.insert(0, autoloader);
    } else {
        call.vm.autoloaders.push(autoloader);
    }
    Ok(true.into())
}

/// A method as the pair that it is listed as: a static one is of its class, whoever names it.
fn as_pair(call: &mut Call<'_>, callback: Value) -> Value {
    let (owner, name) = match callback.view() {
        ValueKind::String(name) => {
            let name = name.as_bytes().to_vec();
            let Some(at) = memchr::memmem::find(&name, b"::") else {
                return callback;
            };
            let class: Value = call.vm.string(&name[..at]).into();
            (class, name[at + 2..].to_vec())
        }
        ValueKind::Array(parts) => match (parts.get_long(0), parts.get_long(1)) {
            (Some(owner), Some(name)) => {
                let name = name.deref().as_bytes().unwrap_or_default();
                (Value::share(owner.deref()), name.to_vec())
            }
            _ => return callback,
        },
        _ => return callback,
    };
    let Some((class, object)) = class_of(call, &owner) else {
        return callback;
    };
    // SAFETY: I4: classes and their methods live until the VM ends.
    let class = unsafe { &*class };
    let Some(&method) = class.methods.get(&name.to_ascii_lowercase()) else {
        return callback;
    };
    // SAFETY: as above.
    let method = unsafe { &*method };
    let name = method.display_name();
    let name: Value = match name.rsplit_once("::") {
        Some((_, name)) => call.vm.string(name).into(),
        None => call.vm.string(name).into(),
    };
    let owner = match object {
        Some(object) if method.flags & flags::STATIC == 0 => object.into(),
        _ => call.vm.string(class.display_name().message()).into(),
    };
    crate::support::list(call.vm, [owner, name])
}

/// The class that the owner of a method in a callable stands for, and the object if it is one.
fn class_of(call: &mut Call<'_>, owner: &Value) -> Option<(*mut Class, Option<ObjectHandle>)> {
    if let Some(object) = owner.object() {
        return Some((object.class, Some(object)));
    }
    let name = owner.as_bytes()?.to_ascii_lowercase();
    // SAFETY: I4: the caller's frame, its function and that function's class are live.
    let scope = unsafe {
        let caller = (*call.frame).previous;
        match caller.is_null() || (*caller).function.is_null() {
            true => std::ptr::null_mut(),
            false => (*(*caller).function).scope,
        }
    };
    match name.as_slice() {
        b"self" | b"static" if !scope.is_null() => Some((scope, None)),
        _ => {
            let name = name.strip_prefix(b"\\").unwrap_or(&name);
            Some((call.vm.linked_class(name)?, None))
        }
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
        let known = call.vm.autoloaders[index].listed.clone();
        if is_same(call, &known, &callback) {
            let removed = call.vm.autoloaders.remove(index);
            drop(removed);
            return Ok(true.into());
        }
    }
    Ok(false.into())
}

fn list(call: &mut Call<'_>) -> PhpResult<Value> {
    let autoloaders = call.vm.autoloaders.clone();
    let listed = autoloaders.into_iter().map(|autoloader| autoloader.listed);
    Ok(crate::support::list(call.vm, listed))
}

fn load(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.string(0);
    let lowercase = name.as_bytes().to_ascii_lowercase();
    let mut index = 0;
    while let Some(autoloader) = call.vm.autoloaders.get(index).cloned() {
        call.vm
            .call(&autoloader.called, vec![Value::from(name.clone())])?;
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
    }
    let known = known_extensions(call);
    text(call.vm, known)
}

/// Loads a class from a file named after it along the include path.
fn spl_autoload(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.bytes(0).to_ascii_lowercase();
    let name = name.strip_prefix(b"\\").unwrap_or(&name).to_vec();
    let extensions = match call.optional_bytes(1) {
        Some(extensions) => extensions.to_vec(),
        None => known_extensions(call),
    };
    let mut file: Vec<u8> = name.clone();
    file.iter_mut()
        .filter(|byte| **byte == b'\\')
        .for_each(|byte| *byte = b'/');
    for extension in extensions.split(|&byte| byte == b',') {
        call.vm.poll();
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
