//! The extension `Core`: functions about functions, classes, constants and the running code.

mod backtrace;
mod classes;
pub(crate) mod constants;
pub(crate) mod functions;
mod objects;

pub(crate) use classes::{class_argument, name_table};
pub(crate) use objects::mangled_properties;

use vm_runtime::vm::Vm;

/// Registers the extension.
#[cold]
pub fn register(vm: &mut Vm) {
    vm.register_functions(backtrace::FUNCTIONS);
    vm.register_functions(classes::FUNCTIONS);
    vm.register_functions(constants::FUNCTIONS);
    vm.register_functions(functions::FUNCTIONS);
    vm.register_functions(objects::FUNCTIONS);
    crate::support::define(
        vm,
        &[
            ("DEBUG_BACKTRACE_PROVIDE_OBJECT", 1i64),
            ("DEBUG_BACKTRACE_IGNORE_ARGS", 2i64),
        ],
    );
}
