//! String functions.

mod base64_vectors;
pub(crate) mod case;
pub(crate) mod compare;
pub(crate) mod encode;
pub(crate) mod format;
pub(crate) mod html;
mod html_charset;
mod lanes;
pub(crate) mod pack;
pub(crate) mod replace;
pub(crate) mod scan;
pub(crate) mod search;
pub(crate) mod similarity;
pub(crate) mod split;
pub(crate) mod substring;
pub(crate) mod tags;
pub(crate) mod token;
pub(crate) mod trim;
pub(crate) mod url;
mod visual;
mod words;

use vm_runtime::vm::Vm;

/// Registers functions and constants.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    case::register(vm);
    html::register(vm);
    url::register(vm);
    for functions in [
        compare::FUNCTIONS,
        encode::FUNCTIONS,
        format::FUNCTIONS,
        similarity::FUNCTIONS,
        tags::FUNCTIONS,
        token::FUNCTIONS,
        pack::FUNCTIONS,
        scan::FUNCTIONS,
        visual::FUNCTIONS,
        replace::FUNCTIONS,
        search::FUNCTIONS,
        split::FUNCTIONS,
        substring::FUNCTIONS,
        trim::FUNCTIONS,
    ] {
        vm.register_functions(functions);
    }
}
