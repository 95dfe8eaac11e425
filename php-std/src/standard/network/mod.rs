//! Addresses and names of the network, the system's log.

mod addresses;
mod names;
pub(crate) mod sockets;
mod syslog;

use vm_runtime::vm::Vm;

/// Registers functions and constants.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(addresses::FUNCTIONS);
    vm.register_functions(names::FUNCTIONS);
    sockets::register(vm);
    syslog::register(vm);
}
