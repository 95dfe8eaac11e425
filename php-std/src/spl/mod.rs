//! The extension `SPL`: autoloading, iterators, data structures, further exceptions.

mod autoload;
mod exceptions;
mod functions;
mod interfaces;

use vm_runtime::vm::Vm;

/// Registers the extension.
pub fn register(vm: &mut Vm) {
    vm.register_functions(autoload::FUNCTIONS);
    vm.register_functions(functions::FUNCTIONS);
    vm.register_classes(exceptions::CLASSES);
    vm.register_classes(interfaces::CLASSES);
}
