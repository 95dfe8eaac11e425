//! What PHP tells about itself and its surroundings: settings, versions, time, memory, system.

mod constants;
mod getopt;
mod memory;
mod settings;
mod system;
mod time;
mod version;

pub(crate) use system::Environment;

use vm_runtime::vm::Vm;

/// Extensions that `extension_loaded` knows.
pub(crate) static EXTENSIONS: &[&str] = &[
    "Core",
    "date",
    "hash",
    "json",
    "pcre",
    "random",
    "Reflection",
    "SPL",
    "standard",
    "ctype",
    "mbstring",
    "tokenizer",
];

/// Registers functions and constants.
pub(crate) fn register(vm: &mut Vm) {
    constants::register(vm);
    for functions in [
        getopt::FUNCTIONS,
        memory::FUNCTIONS,
        settings::FUNCTIONS,
        system::FUNCTIONS,
        time::FUNCTIONS,
        version::FUNCTIONS,
    ] {
        vm.register_functions(functions);
    }
}
