//! The extension `standard`.

pub(crate) mod arrays;
mod assertions;
mod errors;
pub(crate) mod files;
mod highlight;
pub mod info;
mod ini_text;
mod locale;
pub(crate) mod math;
mod network;
mod output;
#[cfg(test)]
mod output_tests;
mod passwords;
mod processes;
pub(crate) mod strings;
mod symbols;
pub(crate) mod variables;

use vm_runtime::vm::Vm;

/// Registers the extension.
pub fn register(vm: &mut Vm) {
    vm.ini.register(vm_runtime::ini::STANDARD);
    arrays::register(vm);
    files::register(vm);
    symbols::register(vm);
    assertions::register(vm);
    errors::register(vm);
    crate::web::register(vm);
    vm.register_functions(highlight::FUNCTIONS);
    info::register(vm);
    ini_text::register(vm);
    locale::register(vm);
    math::register(vm);
    network::register(vm);
    output::register(vm);
    passwords::register(vm);
    processes::register(vm);
    strings::register(vm);
    variables::register(vm);
}
