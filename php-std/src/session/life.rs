//! The life of a session: started, saved, given another name, destroyed.

use vm_runtime::exceptions::KnownClass;
use vm_runtime::value::{ARRAY, ArrayHandle, PhpReference, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::encoding::{self, Failure};
use super::{cookies, handlers, links, share, state};

/// `$_SESSION` as it is now, if there is one and it is an array.
pub(super) fn variables(vm: &mut Vm) -> Option<ArrayHandle> {
    let variables = state(vm).variables.as_ref()?;
    let value = variables.deref();
    (value.kind() == ARRAY).then(|| Value::share(value).array())?
}

/// Makes an array `$_SESSION`, which the session keeps hold of.
pub(super) fn set_variables(vm: &mut Vm, variables: ArrayHandle) {
    let value: Value = variables.into();
    let reference = PhpReference::allocate(&mut vm.heap, value.into_zval());
    // SAFETY: I3: the reference's one share becomes the value's.
    let reference = unsafe { Value::from_zval(Zval::from_reference(reference.into_raw())) };
    let shared = share(&reference);
    let before = state(vm).variables.replace(reference);
    vm.set_global(b"_SESSION", shared);
    drop(before);
}

/// `handler (path: directory)`, for messages.
fn place(vm: &Vm) -> String {
    let path = String::from_utf8_lossy(vm.ini.text("session.save_path")).into_owned();
    format!("{} (path: {path})", handlers::name(vm))
}

/// Warns unless something was thrown, or passes that on.
fn warn(vm: &mut Vm, message: String) -> PhpResult<()> {
    vm.check()?;
    vm.function_warning(message);
    vm.check()
}

/// Ends the session without saving it.
pub(super) fn abort(vm: &mut Vm) -> PhpResult<bool> {
    if !state(vm).is_active {
        return Ok(false);
    }
    let closed = match handlers::is_open(vm) {
        true => handlers::close(vm),
        false => Ok(true),
    };
    state(vm).is_active = false;
    closed?;
    Ok(true)
}

/// Ends the session because of what was thrown, and hands that on.
fn aborting<T>(vm: &mut Vm, outcome: PhpResult<T>) -> PhpResult<T> {
    if outcome.is_err() {
        // The first exception is the one that counts.
        let _ = abort(vm);
    }
    outcome
}

/// Opens the handler, reads the variables.
pub(super) fn initialise(vm: &mut Vm) -> PhpResult<bool> {
    state(vm).is_active = true;
    let opened = handlers::open(vm);
    if !aborting(vm, opened)? {
        abort(vm)?;
        let message = format!("Failed to initialize storage module: {}", place(vm));
        warn(vm, message)?;
        return Ok(false);
    }
    match state(vm).id.clone() {
        None => {
            let created = handlers::create_id(vm);
            let Some(id) = aborting(vm, created)? else {
                abort(vm)?;
                let message = format!("Failed to create session ID: {}", place(vm));
                vm.check()?;
                return Err(vm.throw_error(KnownClass::Error, message));
            };
            state(vm).id = Some(id);
            state(vm).sends_cookie = vm.ini.bool("session.use_cookies");
        }
        Some(id) if vm.ini.bool("session.use_strict_mode") => {
            let known = handlers::validate(vm, &id);
            if !aborting(vm, known)? {
                let created = handlers::create_id(vm);
                state(vm).id = aborting(vm, created)?;
                state(vm).sends_cookie = vm.ini.bool("session.use_cookies");
            }
        }
        Some(_) => {}
    }
    tell_client(vm)?;
    let fresh = vm.new_array();
    set_variables(vm, fresh);
    let id = state(vm).id.clone().unwrap_or_default();
    let read = handlers::read(vm, &id);
    let Some(text) = aborting(vm, read)? else {
        abort(vm)?;
        let message = format!("Failed to read session data: {}", place(vm));
        warn(vm, message)?;
        return Ok(false);
    };
    let collected = collect_sometimes(vm);
    aborting(vm, collected)?;
    state(vm).original = None;
    if !text.is_empty() {
        decode(vm, &text)?;
    }
    if vm.ini.bool("session.lazy_write") {
        state(vm).original = Some(text);
    }
    Ok(true)
}

/// Tells the client the name if it does not know it.
fn tell_client(vm: &mut Vm) -> PhpResult<()> {
    if vm.ini.bool("session.use_cookies") && std::mem::take(&mut state(vm).sends_cookie) {
        cookies::send(vm)?;
    }
    links::tell(vm);
    Ok(())
}

/// Removes old sessions, as often as the settings say.
fn collect_sometimes(vm: &mut Vm) -> PhpResult<()> {
    let probability = vm.ini.long("session.gc_probability");
    let divisor = vm.ini.long("session.gc_divisor").max(1);
    if probability > 0 {
        let mut bytes = [0; 8];
        // Without chance there is no need to do it either.
        let _ = getrandom::fill(&mut bytes);
        if (u64::from_ne_bytes(bytes) % divisor as u64) < probability as u64 {
            handlers::collect(vm)?;
        }
    }
    Ok(())
}

/// Starts a session, or warns why not.
pub(super) fn start(vm: &mut Vm) -> PhpResult<bool> {
    let handler = handlers::name(vm);
    if !matches!(handler.as_str(), "files" | "user") {
        let message =
            format!("Cannot find session save handler \"{handler}\" - session startup failed");
        warn(vm, message)?;
        return Ok(false);
    }
    let name = vm.ini.text("session.name").to_vec();
    state(vm).sends_cookie = vm.ini.bool("session.use_cookies");
    if state(vm).id.is_none() {
        let mut tables: Vec<&[u8]> = Vec::new();
        if vm.ini.bool("session.use_cookies") {
            tables.push(b"_COOKIE");
        }
        if !vm.ini.bool("session.use_only_cookies") {
            tables.extend([b"_GET".as_slice(), b"_POST"]);
        }
        for table in tables {
            let values = vm.global(table).and_then(|values| values.array());
            let found = values.and_then(|values| values.get_bytes(&name).map(Value::share));
            if let Some(id) = found.as_ref().and_then(|id| id.as_bytes()) {
                if !id.is_empty() {
                    state(vm).id = Some(id.to_vec());
                    state(vm).sends_cookie = false;
                }
                break;
            }
        }
    }
    state(vm).id.take_if(|id| id.is_empty());
    let started = initialise(vm)?;
    if started {
        cookies::send_cache_headers(vm)?;
        let file = vm.current_file().to_vec();
        state(vm).started = Some((file, vm.current_line()));
        if !std::mem::replace(&mut state(vm).is_saved_at_end, true) {
            vm.request_end.push(save_at_end);
        }
    }
    Ok(started)
}

/// The request ends: what was not saved is.
fn save_at_end(vm: &mut Vm) {
    // There is nobody left to catch what is thrown.
    let _ = flush(vm, true);
    state(vm).is_saved_at_end = false;
    let _ = end(vm);
    let state = state(vm);
    (state.variables, state.original) = (None, None);
}

/// Ends the session, saved or not.
pub(super) fn flush(vm: &mut Vm, write: bool) -> PhpResult<bool> {
    if !state(vm).is_active {
        return Ok(false);
    }
    let saved = match write {
        true => save(vm),
        false => Ok(()),
    };
    let closed = match handlers::is_open(vm) {
        true => handlers::close(vm),
        false => Ok(true),
    };
    state(vm).is_active = false;
    saved?;
    closed?;
    Ok(true)
}

fn save(vm: &mut Vm) -> PhpResult<()> {
    if !handlers::is_open(vm) {
        return Ok(());
    }
    let Some(variables) = variables(vm) else {
        return Ok(());
    };
    let id = state(vm).id.clone().unwrap_or_default();
    let text = encoding::encode(vm, &variables)?.unwrap_or_default();
    let is_same = state(vm).original.as_ref() == Some(&text);
    let is_update = is_same && vm.ini.bool("session.lazy_write");
    let written = match is_update {
        true => handlers::update_timestamp(vm, &id, &text)?,
        false => handlers::write(vm, &id, &text)?,
    };
    if written {
        return Ok(());
    }
    let path = String::from_utf8_lossy(vm.ini.text("session.save_path")).into_owned();
    let message = match handlers::name_of_write(vm, is_update) {
        Some(name) => format!(
            "Failed to write session data using user defined save handler. (session.save_path: \
             {path}, handler: {name})"
        ),
        None => format!(
            "Failed to write session data ({}). Please verify that the current setting of \
             session.save_path is correct ({path})",
            handlers::name(vm)
        ),
    };
    warn(vm, message)
}

/// Reads text into `$_SESSION`; the session is destroyed if that fails.
pub(super) fn decode(vm: &mut Vm, text: &[u8]) -> PhpResult<bool> {
    let before = variables(vm).unwrap_or_else(|| vm.new_array());
    match encoding::decode(vm, text, before) {
        Ok(variables) => {
            replace_variables(vm, variables);
            Ok(true)
        }
        Err(Failure::Thrown) => vm.check().map(|()| false),
        Err(Failure::Malformed) => {
            destroy(vm)?;
            let fresh = vm.new_array();
            set_variables(vm, fresh);
            let message = "Failed to decode session object. Session has been destroyed";
            warn(vm, message.into())?;
            Ok(false)
        }
    }
}

/// Changes the contents of `$_SESSION`, which stays the same variable.
pub(super) fn replace_variables(vm: &mut Vm, variables: ArrayHandle) {
    let Some(reference) = state(vm).variables.as_ref().map(|value| share(value)) else {
        return set_variables(vm, variables);
    };
    // SAFETY: I3: the share keeps the reference alive; its value is replaced as a whole.
    unsafe {
        let target = &mut (*reference.reference()).value;
        let old = *target;
        let value: Value = variables.into();
        target.set(value.into_zval());
        vm_runtime::value::release(&old);
    }
}

/// Forgets the session and closes its handler.
fn end(vm: &mut Vm) -> PhpResult<()> {
    if handlers::is_open(vm) {
        handlers::close(vm)?;
    }
    let state = state(vm);
    state.is_active = false;
    (state.id, state.original, state.started) = (None, None, None);
    Ok(())
}

/// Destroys what is kept of the session.
pub(super) fn destroy(vm: &mut Vm) -> PhpResult<bool> {
    if !state(vm).is_active {
        let message = "Trying to destroy uninitialized session";
        warn(vm, message.into())?;
        return Ok(false);
    }
    let id = state(vm).id.clone();
    let mut destroyed = true;
    if let Some(id) = id {
        let outcome = handlers::destroy(vm, &id);
        destroyed = matches!(outcome, Ok(true));
        if !destroyed && vm.exception.is_null() {
            vm.function_warning("Session object destruction failed");
        }
        if outcome.is_err() {
            // The first exception is the one that counts.
            let _ = end(vm);
            return vm.check().map(|()| false);
        }
    }
    end(vm)?;
    Ok(destroyed)
}

/// Gives the session another name; the old one is saved, or destroyed.
pub(super) fn regenerate(vm: &mut Vm, delete_old: bool) -> PhpResult<bool> {
    let id = state(vm).id.clone().unwrap_or_default();
    let shown = String::from_utf8_lossy(&id).into_owned();
    let done = match delete_old {
        true => handlers::destroy(vm, &id),
        false => match variables(vm) {
            Some(variables) => match encoding::encode(vm, &variables) {
                Ok(text) => handlers::write(vm, &id, &text.unwrap_or_default()),
                Err(thrown) => Err(thrown),
            },
            None => handlers::write(vm, &id, b""),
        },
    };
    if !aborting(vm, done)? {
        abort(vm)?;
        let what = match delete_old {
            true => "Session object destruction failed",
            false => "Session write failed",
        };
        let message = format!("{what}. ID: {shown} (path: {})", path(vm));
        warn(vm, message)?;
        return Ok(false);
    }
    let closed = handlers::close(vm);
    aborting(vm, closed)?;
    state(vm).original = None;
    state(vm).id = None;
    let opened = handlers::open(vm);
    if !aborting(vm, opened)? {
        state(vm).is_active = false;
        vm.check()?;
        let message = format!("Failed to open session: {}", place(vm));
        return Err(vm.throw_error(KnownClass::Error, message));
    }
    let created = handlers::create_id(vm);
    let Some(new) = aborting(vm, created)? else {
        abort(vm)?;
        vm.check()?;
        let message = format!("Failed to create new session ID: {}", place(vm));
        return Err(vm.throw_error(KnownClass::Error, message));
    };
    let mut new = new;
    if vm.ini.bool("session.use_strict_mode") && handlers::can_validate(vm) {
        // A name that is taken already is not taken again.
        let taken = handlers::validate(vm, &new);
        if aborting(vm, taken)? {
            let created = handlers::create_id(vm);
            new = aborting(vm, created)?.unwrap_or(new);
        }
    }
    state(vm).id = Some(new.clone());
    let read = handlers::read(vm, &new);
    if aborting(vm, read)?.is_none() {
        abort(vm)?;
        vm.check()?;
        let message = format!("Failed to create(read) session ID: {}", place(vm));
        return Err(vm.throw_error(KnownClass::Error, message));
    }
    state(vm).sends_cookie = true;
    tell_client(vm)?;
    Ok(true)
}

fn path(vm: &Vm) -> String {
    String::from_utf8_lossy(vm.ini.text("session.save_path")).into_owned()
}
