//! The extension `standard`.

pub(crate) mod arrays;
mod assertions;
mod errors;
pub(crate) mod files;
mod highlight;
pub(crate) mod images;
pub mod info;
mod ini_text;
mod locale;
pub(crate) mod mail;
pub(crate) mod math;
pub(crate) mod network;
mod output;
#[cfg(test)]
mod output_tests;
pub(crate) mod passwords;
mod processes;
pub(crate) mod rewrite;
pub(crate) mod strings;
mod symbols;
pub(crate) mod variables;

use vm_runtime::vm::Vm;

pub(crate) use locale::has_utf8_letters;

/// Registers the extension.
#[cold]
pub fn register(vm: &mut Vm) {
    vm.ini.register(vm_runtime::ini::STANDARD);
    arrays::register(vm);
    files::register(vm);
    symbols::register(vm);
    assertions::register(vm);
    vm.register_functions(errors::FUNCTIONS);
    crate::web::register(vm);
    vm.register_functions(highlight::FUNCTIONS);
    images::register(vm);
    vm.register_functions(mail::FUNCTIONS);
    info::register(vm);
    ini_text::register(vm);
    locale::register(vm);
    math::register(vm);
    network::register(vm);
    vm.register_functions(output::FUNCTIONS);
    passwords::register(vm);
    processes::register(vm);
    vm.register_functions(rewrite::FUNCTIONS);
    strings::register(vm);
    variables::register(vm);
    for functions in [
        crate::core::constants::STANDARD_FUNCTIONS,
        crate::core::functions::STANDARD_FUNCTIONS,
        crate::hash::STANDARD_FUNCTIONS,
    ] {
        vm.register_functions(functions);
    }
    vm.register_for("Core", register_core);
}

/// Registers what PHP counts to its core.
fn register_core(vm: &mut Vm) {
    for functions in [
        errors::CORE_FUNCTIONS,
        files::contents::CORE_FUNCTIONS,
        info::memory::CORE_FUNCTIONS,
        info::version::CORE_FUNCTIONS,
        strings::compare::CORE_FUNCTIONS,
        strings::search::CORE_FUNCTIONS,
        symbols::CORE_FUNCTIONS,
        variables::types::CORE_FUNCTIONS,
    ] {
        vm.register_functions(functions);
    }
    errors::define_levels(vm);
    info::constants::register_core(vm);
    output::define_flags(vm);
    files::wrappers::define_standard_streams(vm);
}
