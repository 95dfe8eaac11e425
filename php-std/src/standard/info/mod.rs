//! What PHP tells about itself and its surroundings: settings, versions, time, memory, system.

pub mod configuration;
mod constants;
mod getopt;
mod memory;
pub(crate) mod phpinfo;
mod settings;
mod system;
mod time;
mod version;

pub(crate) use system::Environment;

use vm_runtime::vm::Vm;

/// Registers functions and constants.
pub(crate) fn register(vm: &mut Vm) {
    constants::register(vm);
    for functions in [
        getopt::FUNCTIONS,
        memory::FUNCTIONS,
        phpinfo::FUNCTIONS,
        settings::FUNCTIONS,
        system::FUNCTIONS,
        time::FUNCTIONS,
        version::FUNCTIONS,
    ] {
        vm.register_functions(functions);
    }
}
