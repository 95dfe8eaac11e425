//! The extension `session`: variables that outlive requests.

mod cookies;
mod encoding;
mod files;
mod functions;
mod handler_class;
mod handlers;
mod life;
mod links;
mod settings;

use vm_runtime::value::{Value, Zval};
use vm_runtime::vm::Vm;

use crate::support::define;
use files::Files;
use handlers::UserHandlers;

/// What `session_status()` says.
const NONE: i64 = 1;
const ACTIVE: i64 = 2;

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(settings::SETTINGS);
    vm.register_functions(functions::FUNCTIONS);
    vm.register_classes(handler_class::CLASSES);
    vm.deprecated_constants.push("SID");
    define(
        vm,
        &[
            ("PHP_SESSION_DISABLED", 0),
            ("PHP_SESSION_NONE", NONE),
            ("PHP_SESSION_ACTIVE", ACTIVE),
        ],
    );
}

/// The session of a VM.
#[derive(Debug, Default)]
struct State {
    is_active: bool,
    id: Option<Vec<u8>>,
    /// The handler `files`, while it is open.
    files: Option<Files>,
    /// The handler `user`: what the script gave.
    user: Option<UserHandlers>,
    /// The handler `user` is open.
    user_is_open: bool,
    /// One of its methods runs.
    in_handler: bool,
    /// `$_SESSION`, a reference.
    variables: Option<Value>,
    /// What was read, to see whether anything has changed.
    original: Option<Vec<u8>>,
    /// The client has to be told the name.
    sends_cookie: bool,
    /// Where the session was started.
    started: Option<(Vec<u8>, u32)>,
    /// The end of the request saves the session.
    is_saved_at_end: bool,
    /// `session_set_save_handler()` sets `session.save_handler`.
    sets_handler: bool,
}

fn state(vm: &mut Vm) -> &mut State {
    vm.extensions.state()
}

/// True, after a warning, if a session is active or output has begun: `what` cannot be changed.
fn is_too_late(vm: &mut Vm, what: &str) -> bool {
    if state(vm).is_active {
        vm.function_warning(format!("{what} cannot be changed when a session is active"));
        return true;
    }
    is_sent(vm, what)
}

/// True, after a warning, if output has begun: `what` cannot be changed.
fn is_sent(vm: &mut Vm, what: &str) -> bool {
    let sent = vm.output.started.is_some();
    if sent {
        let message = format!("{what} cannot be changed after headers have already been sent");
        vm.function_warning(message);
    }
    sent
}

/// A share of a value, a reference as such.
fn share(value: &Zval) -> Value {
    // SAFETY: I3: the share belongs to the new value.
    unsafe { Value::from_zval(value.share()) }
}
