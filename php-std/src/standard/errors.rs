//! Errors: levels, handlers, raising and logging them.

use vm_runtime::diagnostics::level;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{define_one, direct, functions};

functions! {
    "error_log(string $message, int $message_type = 0, ?string $destination = null, ?string $additional_headers = null): bool" => error_log,
    "error_get_last(): ?array" => error_get_last,
    "error_clear_last(): void" => error_clear_last,
}

functions! { CORE_FUNCTIONS:
    "error_reporting(?int $error_level = null): int" => error_reporting | error_reporting_directly,
    "trigger_error(string $message, int $error_level = E_USER_NOTICE): true" => trigger_error,
    "user_error(string $message, int $error_level = E_USER_NOTICE): true" => trigger_error,
    "set_error_handler(?callable $callback, int $error_levels = E_ALL)" => set_error_handler,
    "restore_error_handler(): true" => restore_error_handler,
    "set_exception_handler(?callable $callback)" => set_exception_handler,
    "restore_exception_handler(): true" => restore_exception_handler,
}

/// Defines the levels of errors.
pub(super) fn define_levels(vm: &mut Vm) {
    let levels = [
        ("E_ERROR", level::ERROR),
        ("E_WARNING", level::WARNING),
        ("E_PARSE", level::PARSE),
        ("E_NOTICE", level::NOTICE),
        ("E_CORE_ERROR", level::CORE_ERROR),
        ("E_CORE_WARNING", level::CORE_WARNING),
        ("E_COMPILE_ERROR", level::COMPILE_ERROR),
        ("E_COMPILE_WARNING", level::COMPILE_WARNING),
        ("E_USER_ERROR", level::USER_ERROR),
        ("E_USER_WARNING", level::USER_WARNING),
        ("E_USER_NOTICE", level::USER_NOTICE),
        ("E_STRICT", level::STRICT),
        ("E_RECOVERABLE_ERROR", level::RECOVERABLE_ERROR),
        ("E_DEPRECATED", level::DEPRECATED),
        ("E_USER_DEPRECATED", level::USER_DEPRECATED),
        ("E_ALL", level::ALL),
    ];
    for (name, level) in levels {
        define_one(vm, name, (level as i64).into());
    }
    vm.deprecated_constants.push("E_STRICT");
}

fn error_reporting(call: &mut Call<'_>) -> PhpResult<Value> {
    let before = call.vm.errors.reporting;
    if let Some(levels) = call.optional_long(0)
        && levels as u32 != before
    {
        let text = (levels as i32).to_string();
        // The setting takes any number and is open to everyone.
        let _ = call.vm.ini_set("error_reporting", text.as_bytes());
    }
    Ok(i64::from(before as i32).into())
}

direct! {
    fn error_reporting_directly(vm;) { i64::from(vm.errors.reporting as i32) }
}

fn set_error_handler(call: &mut Call<'_>) -> PhpResult<Value> {
    let handler = call.has(0).then(|| call.value(0));
    let levels = call.long(1) as u32;
    Ok(call.vm.set_error_handler(handler, levels).into())
}

fn restore_error_handler(call: &mut Call<'_>) -> PhpResult<Value> {
    drop(call.vm.errors.error_handlers.restore());
    Ok(true.into())
}

fn set_exception_handler(call: &mut Call<'_>) -> PhpResult<Value> {
    let handler = call.has(0).then(|| call.value(0));
    Ok(call.vm.set_exception_handler(handler).into())
}

fn restore_exception_handler(call: &mut Call<'_>) -> PhpResult<Value> {
    drop(call.vm.errors.exception_handlers.restore());
    Ok(true.into())
}

fn trigger_error(call: &mut Call<'_>) -> PhpResult<Value> {
    let level = call.long(1);
    match u32::try_from(level) {
        Ok(level::USER_ERROR) => {
            call.vm.deprecated(
                "Passing E_USER_ERROR to trigger_error() is deprecated since 8.4, throw an \
                 exception or call exit with a string message instead",
            );
            call.vm.check()?;
        }
        Ok(level::USER_WARNING | level::USER_NOTICE | level::USER_DEPRECATED) => {}
        _ => {
            return Err(call.value_error(
                1,
                "must be one of E_USER_ERROR, E_USER_WARNING, E_USER_NOTICE, or E_USER_DEPRECATED",
            ));
        }
    }
    let message = call.bytes(0);
    call.vm.raise(level as u32, message);
    Ok(true.into())
}

fn error_log(call: &mut Call<'_>) -> PhpResult<Value> {
    match call.long(1) {
        1 => {
            let (message, to) = (call.bytes(0), call.optional_bytes(2).unwrap_or_default());
            let headers = call.optional_bytes(3).unwrap_or_default().to_vec();
            let subject = b"PHP error_log message";
            let sent = super::mail::send(call.vm, to, subject, message, headers, b"")?;
            Ok(sent.into())
        }
        2 => Err(call.vm.throw_error(
            KnownClass::ValueError,
            "TCP/IP option is not available for error logging",
        )),
        3 => {
            let target = call.optional_bytes(2).unwrap_or_default();
            let Some(mut stream) = super::files::open(call.vm, target, b"a")? else {
                return Ok(false.into());
            };
            let written = stream.write(call.vm, call.bytes(0));
            Ok(written.is_ok().into())
        }
        4 => {
            let mut line = call.bytes(0).to_vec();
            line.push(b'\n');
            call.vm.write_error(&line);
            Ok(true.into())
        }
        _ => {
            call.vm.log_error(call.bytes(0));
            Ok(true.into())
        }
    }
}

fn error_get_last(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(last) = call.vm.errors.last.clone() else {
        return Ok(Value::NULL);
    };
    let fields: [(&[u8], Value); 4] = [
        (b"type", (last.level as i64).into()),
        (b"message", call.vm.string(&last.message).into()),
        (b"file", last.file.into()),
        (b"line", (last.line as i64).into()),
    ];
    let mut array = call.vm.new_array();
    for (name, value) in fields {
        array.make_mut(call.vm).set_bytes(name, value);
    }
    Ok(array.into())
}

fn error_clear_last(call: &mut Call<'_>) -> PhpResult<Value> {
    call.vm.errors.last = None;
    Ok(Value::NULL)
}
