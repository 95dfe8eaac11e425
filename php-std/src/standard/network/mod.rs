//! Addresses, names and interfaces of the network, questions to name servers, the system's log.

mod addresses;
mod answer;
mod dns;
mod interfaces;
mod names;
pub(crate) mod sockets;
mod syslog;

pub(crate) use sockets::pair_stream;

use vm_runtime::vm::Vm;

/// Registers functions and constants.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(addresses::FUNCTIONS);
    vm.register_functions(names::FUNCTIONS);
    vm.register_functions(interfaces::FUNCTIONS);
    dns::register(vm);
    sockets::register(vm);
    syslog::register(vm);
}
