//! The extension `pcntl`: processes and signals.

mod processes;
mod scheduling;
mod signals;
mod table;

use vm_runtime::class::NativeClass;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::define;

pub(crate) use signals::count as signals_came;

/// The number of the last error of this extension.
#[derive(Debug, Default)]
struct LastError(i32);

static CLASSES: &[&NativeClass] = &[&NativeClass::new("enum Pcntl\\QosClass").constants(&[
    "case UserInteractive",
    "case UserInitiated",
    "case Default",
    "case Utility",
    "case Background",
])];

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(table::FUNCTIONS);
    vm.register_classes(CLASSES);
    define(vm, table::CONSTANTS);
}

/// Notes the system's error, and gives it.
fn note(vm: &mut Vm) -> i32 {
    let error = std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
    vm.extensions.state::<LastError>().0 = error;
    error
}

/// What the system calls an error.
fn error_text(error: i32) -> String {
    vm_runtime::interpreter::include::os_error_text(&std::io::Error::from_raw_os_error(error))
}

/// `false`, after a warning.
fn warn(vm: &mut Vm, message: String) -> PhpResult<Value> {
    vm.function_warning(message);
    vm.check()?;
    Ok(false.into())
}
