//! `assert`.

use vm_runtime::class::NativeClass;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::object::instantiate;
use vm_runtime::operators::to_string;
use vm_runtime::value::{ARRAY, NULL, OBJECT, STRING, Value, Zval};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use crate::support::{callable_name, callable_problem, direct, functions};

functions! {
    "assert(mixed $assertion, Throwable|string|null $description = null): bool" => assert | assert_directly,
    "#[Deprecated(\"8.3\")] assert_options(int $option, mixed $value = UNKNOWN): mixed" => assert_options,
}

static CLASS: NativeClass = NativeClass::new("class AssertionError extends Error");

/// Registers the function and its class.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_classes(&[&CLASS]);
}

direct! {
    fn assert_directly(vm; assertion: bool; description: Option<&Zval> = None) {
        let is_plain = description.is_none_or(|it| matches!(it.kind(), NULL | STRING));
        (is_plain && (assertion || vm.ini.assertions <= 0)).then_some(true)
    }
}

fn assert(call: &mut Call<'_>) -> PhpResult<Value> {
    let active = call.vm.ini.assertions > 0 && call.vm.ini.bool("assert.active");
    if !active || call.argument(0).deref().to_bool() {
        return Ok(true.into());
    }
    let description = call.value(1);
    if let Some(callback) = callback(call.vm) {
        if let Some(reason) = callable_problem(call.vm, &callback) {
            let name = match callback.kind() {
                STRING | ARRAY | OBJECT => callable_name(&callback),
                _ => to_string(call.vm, &callback)?.to_vec(),
            };
            let name = vm_runtime::message::text(&name).into_owned();
            let message = format!("Invalid callback {name}, {reason}");
            return Err(call.vm.throw_error(KnownClass::Error, message));
        }
        let file = call.vm.current_file();
        let line = call.vm.current_line();
        let mut arguments = vec![file.into(), (line as i64).into(), Value::NULL];
        if call.has(1) {
            arguments.push(description.clone());
        }
        call.vm.call(&callback, arguments)?;
    }
    if call.vm.ini.bool("assert.exception") {
        return Err(throw(call.vm, &description));
    }
    if call.vm.ini.bool("assert.warning") {
        let message = if description.deref().kind() == NULL {
            b"Assertion failed".to_vec()
        } else {
            let text = to_string(call.vm, &description)?;
            [&text[..], b" failed"].concat()
        };
        call.vm.function_warning(message);
        call.vm.check()?;
    }
    if call.vm.ini.bool("assert.bail") {
        return Err(call.vm.exit());
    }
    Ok(false.into())
}

/// What `assert_options()` set to be called, which need not be a name, and what the setting was then.
#[derive(Debug, Default)]
struct Callback(Option<(Value, Vec<u8>)>);

/// What is called when an assertion fails.
fn callback(vm: &mut Vm) -> Option<Value> {
    let setting = vm.ini.text("assert.callback").to_vec();
    let chosen = &mut vm.extensions.state::<Callback>().0;
    // A setting that was changed later goes before what was chosen.
    if chosen
        .as_ref()
        .is_some_and(|(_, before)| *before != setting)
    {
        let old = chosen.take();
        drop(old);
    }
    if let Some((callback, _)) = &vm.extensions.state::<Callback>().0 {
        return (!callback.is_null()).then(|| callback.clone());
    }
    (!setting.is_empty()).then(|| vm.string(setting).into())
}

/// Reads and sets the settings of assertions.
fn assert_options(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = match call.long(0) {
        1 => "assert.active",
        2 => "assert.callback",
        3 => "assert.bail",
        4 => "assert.warning",
        5 => "assert.exception",
        _ => return Err(call.value_error(0, "must be an ASSERT_* constant")),
    };
    let before: Value = if name != "assert.callback" {
        i64::from(call.vm.ini.bool(name)).into()
    } else {
        callback(call.vm).unwrap_or_default()
    };
    if call.count() > 1 && name == "assert.callback" {
        let value = call.value(1);
        let setting = call.vm.ini.text(name).to_vec();
        let old = call
            .vm
            .extensions
            .state::<Callback>()
            .0
            .replace((value, setting));
        drop(old);
    } else if call.count() > 1 {
        let value = call.value(1);
        let value = to_string(call.vm, &value)?;
        // Everyone may set them, and they take any value.
        let _ = call.vm.ini_set(name, &value);
    }
    Ok(before)
}

/// The code of an `AssertionError`: PHP's `E_ERROR`.
const CODE: i64 = 1;

/// Throws the description if it is a throwable, else an `AssertionError` with that message.
fn throw(vm: &mut Vm, description: &Zval) -> Thrown {
    if let Some(object) = Value::share(description).object() {
        debug_assert_eq!(description.deref().kind(), OBJECT);
        return vm.throw_object(object);
    }
    let message = match to_string(vm, description) {
        Ok(message) => message,
        Err(thrown) => return thrown,
    };
    // The text ends where one of C would.
    let message = match memchr::memchr(0, &message) {
        Some(end) => vm.string(&message[..end]),
        None => message,
    };
    let Ok(Some(class)) = vm.class_by_name(b"AssertionError", false) else {
        return vm.throw_error(KnownClass::Error, message.to_text());
    };
    let Ok(error) = instantiate(vm, class) else {
        return Thrown;
    };
    if let Some(info) = error.class().properties.get(b"message") {
        // SAFETY: I3: the slot is one of the new object's.
        unsafe {
            let slot = error.slot(info.slot);
            let old = *slot;
            (*slot).set(message.into_value().into_zval());
            vm_runtime::value::release(&old);
        }
    }
    if let Some(info) = error.class().properties.get(b"code") {
        // SAFETY: I3: the slot is one of the new object's, and what it holds is a number.
        unsafe { (*error.slot(info.slot)).set(Value::from(CODE).into_zval()) };
    }
    vm.throw_object(error)
}
