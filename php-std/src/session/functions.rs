//! The functions `session_*`.

use vm_runtime::array::KeyRef;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::ini::access;
use vm_runtime::interpreter::request::ShutdownFunction;
use vm_runtime::operators::{to_bool, value_name};
use vm_runtime::value::{ObjectHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::handlers::{self, UserHandlers};
use super::{ACTIVE, NONE, encoding, files, is_sent, is_too_late, life, state};
use crate::standard::files::check_path;
use crate::support::{functions, hold, string_of, text};

functions! {
    "session_name(?string $name = null): string|false" => session_name,
    "session_module_name(?string $module = null): string|false" => session_module_name,
    "session_save_path(?string $path = null): string|false" => session_save_path,
    "session_id(?string $id = null): string|false" => session_id,
    "session_create_id(string $prefix = \"\"): string|false" => session_create_id,
    "session_regenerate_id(bool $delete_old_session = false): bool" => session_regenerate_id,
    "session_decode(string $data): bool" => session_decode,
    "session_encode(): string|false" => session_encode,
    "session_destroy(): bool" => session_destroy,
    "session_unset(): bool" => session_unset,
    "session_gc(): int|false" => session_gc,
    "session_get_cookie_params(): array" => session_get_cookie_params,
    "session_write_close(): bool" => session_write_close,
    "session_abort(): bool" => session_abort,
    "session_reset(): bool" => session_reset,
    "session_status(): int" => session_status,
    "session_register_shutdown(): void" => session_register_shutdown,
    "session_commit(): bool" => session_write_close,
    "session_set_save_handler($open, $close = UNKNOWN, callable $read = UNKNOWN, callable $write = UNKNOWN, callable $destroy = UNKNOWN, callable $gc = UNKNOWN, ?callable $create_sid = null, ?callable $validate_sid = null, ?callable $update_timestamp = null): bool" => session_set_save_handler,
    "session_cache_limiter(?string $value = null): string|false" => session_cache_limiter,
    "session_cache_expire(?int $value = null): int|false" => session_cache_expire,
    "session_set_cookie_params(array|int $lifetime_or_options, ?string $path = null, ?string $domain = null, ?bool $secure = null, ?bool $httponly = null): bool" => session_set_cookie_params,
    "session_start(array $options = []): bool" => session_start,
}

/// Changes a setting as `ini_set()` does.
fn set(vm: &mut Vm, name: &str, value: &[u8]) -> bool {
    vm.ini_change(name.as_bytes(), value, access::USER).is_ok()
}

fn setting(vm: &mut Vm, name: &str) -> PhpResult<Value> {
    let value = vm.ini.text(name).to_vec();
    text(vm, value)
}

/// Gives a setting, and changes it to argument #1 if that was given; what it is called tells `what`.
fn get_and_set(call: &mut Call<'_>, name: &str, what: &str) -> PhpResult<Value> {
    if call.has(0) && is_too_late(call.vm, what) {
        call.vm.check()?;
        return Ok(false.into());
    }
    let before = setting(call.vm, name)?;
    if call.has(0) {
        set(call.vm, name, call.bytes(0));
        call.vm.check()?;
    }
    Ok(before)
}

fn session_name(call: &mut Call<'_>) -> PhpResult<Value> {
    get_and_set(call, "session.name", "Session name")
}

fn session_save_path(call: &mut Call<'_>) -> PhpResult<Value> {
    get_and_set(call, "session.save_path", "Session save path")
}

fn session_cache_limiter(call: &mut Call<'_>) -> PhpResult<Value> {
    get_and_set(call, "session.cache_limiter", "Session cache limiter")
}

fn session_cache_expire(call: &mut Call<'_>) -> PhpResult<Value> {
    let before = call.vm.ini.long("session.cache_expire");
    if let Some(value) = call.optional_long(0) {
        let what = "Session cache expiration";
        if state(call.vm).is_active {
            is_too_late(call.vm, what);
            call.vm.check()?;
            return Ok(before.into());
        }
        if is_sent(call.vm, what) {
            call.vm.check()?;
            return Ok(false.into());
        }
        set(
            call.vm,
            "session.cache_expire",
            value.to_string().as_bytes(),
        );
    }
    Ok(before.into())
}

fn session_module_name(call: &mut Call<'_>) -> PhpResult<Value> {
    let what = "Session save handler module";
    if call.has(0) && is_too_late(call.vm, what) {
        call.vm.check()?;
        return Ok(false.into());
    }
    let before = setting(call.vm, "session.save_handler")?;
    let Some(module) = call.optional_bytes(0) else {
        return Ok(before);
    };
    if module.eq_ignore_ascii_case(b"user") {
        return Err(call.value_error(0, "cannot be \"user\""));
    }
    if !module.eq_ignore_ascii_case(b"files") {
        let shown = String::from_utf8_lossy(module);
        let message = format!("Session handler module \"{shown}\" cannot be found");
        call.vm.function_warning(message);
        call.vm.check()?;
        return Ok(false.into());
    }
    if handlers::is_open(call.vm) {
        handlers::close(call.vm)?;
    }
    set(call.vm, "session.save_handler", module);
    Ok(before)
}

fn session_id(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.has(0) {
        let too_late = match state(call.vm).is_active {
            true => is_too_late(call.vm, "Session ID"),
            false => call.vm.ini.bool("session.use_cookies") && is_sent(call.vm, "Session ID"),
        };
        if too_late {
            call.vm.check()?;
            return Ok(false.into());
        }
    }
    let before = state(call.vm).id.clone().unwrap_or_default();
    if let Some(id) = call.optional_bytes(0) {
        state(call.vm).id = Some(id.to_vec());
    }
    text(call.vm, before)
}

fn session_create_id(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let prefix = call.bytes(0);
    if prefix.len() > 256 {
        return Err(call.value_error(0, "cannot be longer than 256 characters"));
    }
    if !prefix.is_empty() && !files::is_valid_id(prefix) {
        call.vm.function_warning(
            "Prefix cannot contain special characters. Only the A-Z, a-z, 0-9, \"-\", and \",\" \
             characters are allowed",
        );
        call.vm.check()?;
        return Ok(false.into());
    }
    let made = match state(call.vm).is_active && !state(call.vm).in_handler {
        true => handlers::create_id(call.vm)?,
        false => Some(handlers::random_id(call.vm, b"")?),
    };
    match made {
        Some(id) => text(call.vm, [prefix, &id].concat()),
        None => Ok(false.into()),
    }
}

/// Warns that there is no session, unless there is one.
fn needs_session(call: &mut Call<'_>, problem: &str) -> PhpResult<bool> {
    if state(call.vm).is_active {
        return Ok(true);
    }
    call.vm.function_warning(problem);
    call.vm.check()?;
    Ok(false)
}

fn session_regenerate_id(call: &mut Call<'_>) -> PhpResult<Value> {
    let problem = "Session ID cannot be regenerated when there is no active session";
    if !needs_session(call, problem)? {
        return Ok(false.into());
    }
    if call.vm.output.started.is_some() {
        call.vm.function_warning(
            "Session ID cannot be regenerated after headers have already been sent",
        );
        call.vm.check()?;
        return Ok(false.into());
    }
    let delete_old = call.bool(0);
    Ok(life::regenerate(call.vm, delete_old)?.into())
}

fn session_decode(call: &mut Call<'_>) -> PhpResult<Value> {
    let problem = "Session data cannot be decoded when there is no active session";
    if !needs_session(call, problem)? {
        return Ok(false.into());
    }
    Ok(life::decode(call.vm, call.bytes(0))?.into())
}

fn session_encode(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(variables) = life::variables(call.vm) else {
        call.vm
            .function_warning("Cannot encode non-existent session");
        call.vm.check()?;
        return Ok(false.into());
    };
    match encoding::encode(call.vm, &variables)? {
        Some(encoded) => text(call.vm, encoded),
        None => Ok(false.into()),
    }
}

fn session_destroy(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(life::destroy(call.vm)?.into())
}

fn session_unset(call: &mut Call<'_>) -> PhpResult<Value> {
    if !state(call.vm).is_active {
        return Ok(false.into());
    }
    if life::variables(call.vm).is_some() {
        let empty = call.vm.new_array();
        life::replace_variables(call.vm, empty);
    }
    Ok(true.into())
}

fn session_gc(call: &mut Call<'_>) -> PhpResult<Value> {
    let problem = "Session cannot be garbage collected when there is no active session";
    if !needs_session(call, problem)? {
        return Ok(false.into());
    }
    let count = handlers::collect(call.vm)?;
    Ok(if count < 0 {
        false.into()
    } else {
        count.into()
    })
}

fn session_write_close(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(life::flush(call.vm, true)?.into())
}

fn session_abort(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(life::abort(call.vm)?.into())
}

fn session_reset(call: &mut Call<'_>) -> PhpResult<Value> {
    if !state(call.vm).is_active {
        return Ok(false.into());
    }
    life::initialise(call.vm)?;
    Ok(true.into())
}

fn session_status(call: &mut Call<'_>) -> PhpResult<Value> {
    let status = if state(call.vm).is_active {
        ACTIVE
    } else {
        NONE
    };
    Ok(status.into())
}

fn session_register_shutdown(call: &mut Call<'_>) -> PhpResult<Value> {
    register_shutdown(call.vm);
    Ok(Value::NULL)
}

/// Saves the session before objects are destructed.
fn register_shutdown(vm: &mut Vm) {
    let callable: Value = vm.string("session_write_close").into();
    if let Ok(callee) = vm.resolve_callable(&callable) {
        vm.shutdown_functions.push(ShutdownFunction {
            callable,
            callee,
            arguments: Vec::new(),
        });
    }
}

fn session_set_save_handler(call: &mut Call<'_>) -> PhpResult<Value> {
    let is_object = call.count() <= 2;
    if is_object {
        return set_object(call);
    }
    if call.count() < 6 {
        let message = format!(
            "session_set_save_handler() expects at least 6 arguments, {} given",
            call.count()
        );
        return Err(call.vm.throw_error(KnownClass::ArgumentCountError, message));
    }
    call.vm.function_deprecated(
        "Providing individual callbacks instead of an object implementing \
         SessionHandlerInterface is deprecated",
    );
    call.vm.check()?;
    for index in 0..2 {
        let value = call.value(index);
        if let Err(reason) = call.vm.check_callable(&value) {
            call.vm.check()?;
            let problem = format!("must be a valid callback, {reason}");
            return Err(call.type_error(index, &problem));
        }
    }
    if is_too_late(call.vm, "Session save handler") {
        call.vm.check()?;
        return Ok(false.into());
    }
    let optional = |call: &Call<'_>, index| call.has(index).then(|| call.value(index));
    // What is left out stays as it was.
    let before = state(call.vm).user.clone();
    let before = |part: fn(UserHandlers) -> Option<Value>| before.clone().and_then(part);
    let user = UserHandlers {
        calls: std::array::from_fn(|index| call.value(index)),
        create_sid: optional(call, 6).or_else(|| before(|user| user.create_sid)),
        validate_sid: optional(call, 7).or_else(|| before(|user| user.validate_sid)),
        update_timestamp: optional(call, 8).or_else(|| before(|user| user.update_timestamp)),
    };
    install(call.vm, user);
    Ok(true.into())
}

/// Makes the script's handler the one in force.
fn install(vm: &mut Vm, user: UserHandlers) {
    let before = state(vm).user.replace(user);
    drop(before);
    state(vm).sets_handler = true;
    set(vm, "session.save_handler", b"user");
    state(vm).sets_handler = false;
}

fn set_object(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    let is_handler = |vm: &mut Vm, interface: &[u8], object: &ObjectHandle| {
        let interface = vm.linked_class(interface);
        interface.is_some_and(|interface| object.class().is_subclass_of(interface))
    };
    let object = match value.view() {
        ValueKind::Object(_) => value.object(),
        _ => None,
    };
    let object = match object {
        Some(object) if is_handler(call.vm, b"sessionhandlerinterface", &object) => object,
        _ => {
            let given = value_name(&value);
            let problem = format!("must be of type SessionHandlerInterface, {given} given");
            return Err(call.type_error(0, &problem));
        }
    };
    let registers = call.argument(1).is_undef() || to_bool(&call.value(1));
    if is_too_late(call.vm, "Session save handler") {
        call.vm.check()?;
        return Ok(false.into());
    }
    let method = |vm: &mut Vm, name: &str| -> Value {
        let name = vm.string(name).into();
        crate::support::list(vm, [object.clone().into(), name])
    };
    let names = ["open", "close", "read", "write", "destroy", "gc"];
    let calls = names.map(|name| method(call.vm, name));
    let makes_ids = is_handler(call.vm, b"sessionidinterface", &object);
    let updates = is_handler(call.vm, b"sessionupdatetimestamphandlerinterface", &object);
    let user = UserHandlers {
        calls,
        create_sid: makes_ids.then(|| method(call.vm, "create_sid")),
        validate_sid: updates.then(|| method(call.vm, "validateId")),
        update_timestamp: updates.then(|| method(call.vm, "updateTimestamp")),
    };
    if registers {
        register_shutdown(call.vm);
    }
    install(call.vm, user);
    Ok(true.into())
}

/// The parts of the cookie, by their names in arrays, and whether they are switches.
const COOKIE: [(&str, bool); 6] = [
    ("lifetime", false),
    ("path", false),
    ("domain", false),
    ("secure", true),
    ("httponly", true),
    ("samesite", false),
];

fn session_get_cookie_params(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut table = call.vm.new_array();
    for (name, is_switch) in COOKIE {
        let setting = format!("session.cookie_{name}");
        let value: Value = match name {
            "lifetime" => call.vm.ini.long(&setting).into(),
            _ if is_switch => call.vm.ini.bool(&setting).into(),
            _ => {
                let value = call.vm.ini.text(&setting).to_vec();
                call.vm.string(value).into()
            }
        };
        table.make_mut(call.vm).set_bytes(name.as_bytes(), value);
    }
    Ok(table.into())
}

fn session_set_cookie_params(call: &mut Call<'_>) -> PhpResult<Value> {
    if !call.vm.ini.bool("session.use_cookies") {
        call.vm.function_warning(
            "Session cookies cannot be used when session.use_cookies is disabled",
        );
        call.vm.check()?;
        return Ok(false.into());
    }
    if is_too_late(call.vm, "Session cookie parameters") {
        call.vm.check()?;
        return Ok(false.into());
    }
    let mut changes: Vec<(String, Vec<u8>)> = Vec::new();
    if let Some(options) = call.value(0).array() {
        for (index, name) in [(1, "path"), (2, "domain"), (3, "secure"), (4, "httponly")] {
            if call.has(index) {
                debug_assert!(!name.is_empty());
                let problem = "must be null when argument #1 ($lifetime_or_options) is an array";
                return Err(call.value_error(index, problem));
            }
        }
        for (key, value) in options.iter() {
            let value = hold(value);
            let KeyRef::String(key) = key else {
                call.vm.function_warning(
                    "Argument #1 ($lifetime_or_options) cannot contain numeric keys",
                );
                call.vm.check()?;
                continue;
            };
            let lowercase = key.as_bytes().to_ascii_lowercase();
            let known = COOKIE.iter().find(|(name, _)| name.as_bytes() == lowercase);
            match known {
                Some((name, true)) => {
                    let value: &[u8] = if to_bool(&value) { b"1" } else { b"0" };
                    changes.push((name.to_string(), value.to_vec()));
                }
                Some((name, false)) => {
                    let value = string_of(call.vm, &value)?;
                    changes.push((name.to_string(), value.to_vec()));
                }
                None => {
                    let key = String::from_utf8_lossy(key.as_bytes()).into_owned();
                    call.vm.function_warning(format!(
                        "Argument #1 ($lifetime_or_options) contains an unrecognized key \"{key}\""
                    ));
                    call.vm.check()?;
                }
            }
        }
        if changes.is_empty() {
            return Err(call.value_error(0, "must contain at least 1 valid key"));
        }
    } else {
        let lifetime = string_of(call.vm, &call.value(0))?;
        changes.push(("lifetime".into(), lifetime.to_vec()));
        for (index, name) in [(1, "path"), (2, "domain")] {
            if let Some(value) = call.optional_bytes(index) {
                changes.push((name.into(), value.to_vec()));
            }
        }
        for (index, name) in [(3, "secure"), (4, "httponly")] {
            if call.has(index) {
                let value: &[u8] = if call.bool(index) { b"1" } else { b"0" };
                changes.push((name.into(), value.to_vec()));
            }
        }
    }
    // In the order of the table, as PHP does.
    changes.sort_by_key(|(name, _)| COOKIE.iter().position(|(known, _)| known == name));
    for (name, value) in changes {
        let changed = set(call.vm, &format!("session.cookie_{name}"), &value);
        call.vm.check()?;
        if !changed {
            return Ok(false.into());
        }
    }
    Ok(true.into())
}

fn session_start(call: &mut Call<'_>) -> PhpResult<Value> {
    if state(call.vm).is_active {
        let started = state(call.vm).started.clone();
        let place = match started {
            Some((file, line)) => format!(
                " (started from {} on line {line})",
                String::from_utf8_lossy(&file)
            ),
            None => String::new(),
        };
        call.vm.function_notice(format!(
            "Ignoring session_start() because a session is already active{place}"
        ));
        call.vm.check()?;
        return Ok(true.into());
    }
    if call.vm.ini.bool("session.use_cookies") && call.vm.output.started.is_some() {
        call.vm
            .function_warning("Session cannot be started after headers have already been sent");
        call.vm.check()?;
        return Ok(false.into());
    }
    let mut only_reads = false;
    for (key, value) in call.elements(0).iter() {
        let KeyRef::String(key) = key else {
            continue;
        };
        let value = hold(value);
        let name = String::from_utf8_lossy(key.as_bytes()).into_owned();
        let text = match value.view() {
            ValueKind::String(_) | ValueKind::Bool(_) | ValueKind::Long(_) => {
                string_of(call.vm, &value)?
            }
            _ => {
                let message = format!(
                    "session_start(): Option \"{name}\" must be of type string|int|bool, {} given",
                    value_name(&value)
                );
                return Err(call.vm.throw_error(KnownClass::TypeError, message));
            }
        };
        if name == "read_and_close" {
            only_reads = vm_runtime::operators::to_long(call.vm, &value) > 0;
        } else if !set(call.vm, &format!("session.{name}"), &text) {
            call.vm.check()?;
            call.vm
                .function_warning(format!("Setting option \"{name}\" failed"));
            call.vm.check()?;
        }
    }
    if !life::start(call.vm)? {
        let state = state(call.vm);
        state.id.take_if(|id| !files::is_valid_id(id));
        let gone = state.variables.take();
        drop(gone);
        return Ok(false.into());
    }
    if only_reads {
        life::flush(call.vm, false)?;
    }
    Ok(true.into())
}
