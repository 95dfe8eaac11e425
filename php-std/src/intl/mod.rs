//! A part of the extension `intl`: normal forms, graphemes and names of domains.
//!
//! What needs data of locales (formatters, collators, transliterators, ...) is not there, so the
//! extension does not say that it is loaded; programs look for each function or class they need.

mod errors;
mod grapheme;
mod idn;
mod normalizer;
mod punycode;

use vm_runtime::vm::Vm;

use crate::support::define;

/// Registers what there is of the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    errors::register(vm);
    vm.register_functions(grapheme::FUNCTIONS);
    vm.register_functions(idn::FUNCTIONS);
    vm.register_functions(normalizer::FUNCTIONS);
    vm.register_classes(normalizer::CLASSES);
    define(vm, grapheme::CONSTANTS);
    define(vm, idn::CONSTANTS);
}
