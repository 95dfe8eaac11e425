//! What PHP tells about itself and its surroundings: settings, versions, time, memory, system.

mod browser;
pub mod configuration;
pub(crate) mod constants;
mod getopt;
pub(crate) mod memory;
pub(crate) mod phpinfo;
mod settings;
mod system;
pub(crate) mod time;
pub(crate) mod version;

pub(crate) use system::temporary_folder;

pub(crate) use system::Environment;

use vm_runtime::vm::Vm;

/// Registers functions and constants.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    constants::register(vm);
    for functions in [
        browser::FUNCTIONS,
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
