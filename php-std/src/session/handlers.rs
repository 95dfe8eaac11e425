//! Where sessions are kept: the handler `files`, or the script's own.

use vm_runtime::exceptions::KnownClass;
use vm_runtime::operators::value_name;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use super::files::{Files, is_valid_id};
use super::state;

/// The script's own handler: what is called for each operation.
#[derive(Debug, Clone)]
pub(super) struct UserHandlers {
    /// `open`, `close`, `read`, `write`, `destroy`, `gc`.
    pub(super) calls: [Value; 6],
    pub(super) create_sid: Option<Value>,
    pub(super) validate_sid: Option<Value>,
    pub(super) update_timestamp: Option<Value>,
}

/// The operations, by their numbers among [`UserHandlers::calls`].
const OPEN: usize = 0;
const CLOSE: usize = 1;
const READ: usize = 2;
const WRITE: usize = 3;
const DESTROY: usize = 4;
const GC: usize = 5;

/// The script's handler, if it is the one in force.
fn user(vm: &mut Vm) -> Option<UserHandlers> {
    if vm.ini.text("session.save_handler") != b"user" {
        return None;
    }
    state(vm).user.clone()
}

/// The name of the handler in force.
pub(super) fn name(vm: &Vm) -> String {
    String::from_utf8_lossy(vm.ini.text("session.save_handler")).into_owned()
}

/// What messages call the script's own `write`.
pub(super) fn name_of_write(vm: &mut Vm, is_update: bool) -> Option<String> {
    let user = user(vm)?;
    let callable = match user.update_timestamp.clone() {
        Some(update) if is_update => update,
        _ => user.calls[WRITE].clone(),
    };
    if let ValueKind::Object(_) = callable.view() {
        let name = match user.update_timestamp.is_some() && is_update {
            true => "update_timestamp",
            false => "write",
        };
        return Some(name.into());
    }
    let name = crate::support::callable_name(&callable);
    Some(String::from_utf8_lossy(&name).into_owned())
}

/// Calls one of the script's functions, unless one is running.
///
/// With an exception pending nothing is called.
fn call(vm: &mut Vm, callable: &Value, arguments: Vec<Value>) -> PhpResult<Option<Value>> {
    vm.check()?;
    if state(vm).in_handler {
        state(vm).in_handler = false;
        vm.function_warning("Cannot call session save handler in a recursive manner");
        vm.check()?;
        return Ok(None);
    }
    state(vm).in_handler = true;
    let returned = vm.call(callable, arguments);
    state(vm).in_handler = false;
    returned.map(Some)
}

/// Whether a function of the script was successful.
fn verdict(vm: &mut Vm, returned: Option<Value>) -> PhpResult<bool> {
    let Some(returned) = returned else {
        return Ok(false);
    };
    let message = |value: &Value| {
        format!(
            "Session callback must have a return value of type bool, {} returned",
            value_name(value)
        )
    };
    match returned.view() {
        ValueKind::Bool(verdict) => Ok(verdict),
        ValueKind::Long(number @ (0 | -1)) => {
            vm.function_deprecated(message(&returned));
            vm.check()?;
            Ok(number == 0)
        }
        _ => {
            let message = message(&returned);
            Err(vm.throw_error(KnownClass::TypeError, message))
        }
    }
}

fn call_for_verdict(vm: &mut Vm, callable: &Value, arguments: Vec<Value>) -> PhpResult<bool> {
    let returned = call(vm, callable, arguments)?;
    verdict(vm, returned)
}

fn save_path(vm: &Vm) -> Vec<u8> {
    vm.ini.text("session.save_path").to_vec()
}

/// Opens the files, for the handler `files` and for what calls it.
pub(super) fn open_files(vm: &mut Vm, save_path: &[u8]) -> PhpResult<bool> {
    let files = Files::open(vm, save_path)?;
    let is_open = files.is_some();
    state(vm).files = files;
    Ok(is_open)
}

/// Runs something on the open files.
pub(super) fn with_files<T>(
    vm: &mut Vm,
    run: impl FnOnce(&mut Files, &mut Vm) -> PhpResult<T>,
) -> PhpResult<Option<T>> {
    let Some(mut files) = state(vm).files.take() else {
        return Ok(None);
    };
    let outcome = run(&mut files, vm);
    state(vm).files.get_or_insert(files);
    outcome.map(Some)
}

pub(super) fn open(vm: &mut Vm) -> PhpResult<bool> {
    let path = save_path(vm);
    let Some(user) = user(vm) else {
        return open_files(vm, &path);
    };
    let name = vm.ini.text("session.name").to_vec();
    let arguments = vec![vm.string(path).into(), vm.string(name).into()];
    state(vm).user_is_open = true;
    call_for_verdict(vm, &user.calls[OPEN], arguments)
}

/// True if there is something to close.
pub(super) fn is_open(vm: &mut Vm) -> bool {
    state(vm).files.is_some() || state(vm).user_is_open
}

pub(super) fn close(vm: &mut Vm) -> PhpResult<bool> {
    let Some(user) = user(vm) else {
        state(vm).files = None;
        return Ok(true);
    };
    state(vm).user_is_open = false;
    let closed = call_for_verdict(vm, &user.calls[CLOSE], Vec::new());
    state(vm).files = None;
    closed
}

pub(super) fn read(vm: &mut Vm, id: &[u8]) -> PhpResult<Option<Vec<u8>>> {
    let Some(user) = user(vm) else {
        return Ok(with_files(vm, |files, vm| files.read(vm, id))?.flatten());
    };
    let arguments = vec![vm.string(id).into()];
    let returned = call(vm, &user.calls[READ], arguments)?;
    Ok(returned.and_then(|text| text.as_bytes().map(<[u8]>::to_vec)))
}

pub(super) fn write(vm: &mut Vm, id: &[u8], data: &[u8]) -> PhpResult<bool> {
    let Some(user) = user(vm) else {
        let written = with_files(vm, |files, vm| files.write(vm, id, data))?;
        return Ok(written.unwrap_or(false));
    };
    let arguments = vec![vm.string(id).into(), vm.string(data).into()];
    call_for_verdict(vm, &user.calls[WRITE], arguments)
}

/// Notes that a session whose variables did not change was used.
pub(super) fn update_timestamp(vm: &mut Vm, id: &[u8], data: &[u8]) -> PhpResult<bool> {
    let Some(user) = user(vm) else {
        let touched = with_files(vm, |files, vm| files.touch(vm, id))?;
        return Ok(touched.unwrap_or(false));
    };
    let callable = user.update_timestamp.as_ref().unwrap_or(&user.calls[WRITE]);
    let arguments = vec![vm.string(id).into(), vm.string(data).into()];
    call_for_verdict(vm, callable, arguments)
}

pub(super) fn destroy(vm: &mut Vm, id: &[u8]) -> PhpResult<bool> {
    let Some(user) = user(vm) else {
        let destroyed = with_files(vm, |files, _| Ok(files.destroy(id)))?;
        return Ok(destroyed.unwrap_or(false));
    };
    let arguments = vec![vm.string(id).into()];
    call_for_verdict(vm, &user.calls[DESTROY], arguments)
}

/// Removes old sessions; gives their number, -1 if that failed.
pub(super) fn collect(vm: &mut Vm) -> PhpResult<i64> {
    let lifetime = vm.ini.long("session.gc_maxlifetime");
    let Some(user) = user(vm) else {
        let count = with_files(vm, |files, vm| files.collect(vm, lifetime))?;
        return Ok(count.unwrap_or(-1));
    };
    let returned = call(vm, &user.calls[GC], vec![lifetime.into()])?;
    Ok(match returned.as_ref().map(|value| value.view()) {
        Some(ValueKind::Long(count)) => count,
        Some(ValueKind::Bool(true)) => 1,
        _ => -1,
    })
}

/// A new name by PHP's own rules.
pub(super) fn random_id(vm: &mut Vm, prefix: &[u8]) -> PhpResult<Vec<u8>> {
    const DIGITS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-,";
    let length = vm.ini.long("session.sid_length").clamp(22, 256) as usize;
    let bits = vm.ini.long("session.sid_bits_per_character").clamp(4, 6) as u32;
    let mut bytes = vec![0; length];
    if getrandom::fill(&mut bytes).is_err() {
        let message = "Could not gather sufficient random data";
        return Err(vm.throw_error(KnownClass::Exception, message));
    }
    let mask = (1u8 << bits) - 1;
    let mut id = prefix.to_vec();
    id.extend(bytes.iter().map(|byte| DIGITS[(byte & mask) as usize]));
    Ok(id)
}

pub(super) fn create_id(vm: &mut Vm) -> PhpResult<Option<Vec<u8>>> {
    let callable = user(vm).and_then(|user| user.create_sid);
    let Some(callable) = callable else {
        return random_id(vm, b"").map(Some);
    };
    let Some(returned) = call(vm, &callable, Vec::new())? else {
        return Ok(None);
    };
    match returned.as_bytes() {
        Some(id) => Ok(Some(id.to_vec())),
        None => Err(refuse_id(vm)),
    }
}

fn refuse_id(vm: &mut Vm) -> Thrown {
    vm.throw_error(KnownClass::Error, "Session id must be a string")
}

/// Whether the handler can tell what sessions there are.
pub(super) fn can_validate(vm: &mut Vm) -> bool {
    user(vm).is_none_or(|user| user.validate_sid.is_some())
}

/// Whether there is a session of this name.
pub(super) fn validate(vm: &mut Vm, id: &[u8]) -> PhpResult<bool> {
    let Some(user) = user(vm) else {
        let exists = with_files(vm, |files, _| Ok(files.exists(id)))?;
        return Ok(exists.unwrap_or(false));
    };
    match &user.validate_sid {
        Some(callable) => {
            let arguments = vec![vm.string(id).into()];
            call_for_verdict(vm, callable, arguments)
        }
        None => Ok(is_valid_id(id)),
    }
}
