//! The extension `standard`.

pub(crate) mod arrays;
mod errors;
pub(crate) mod info;
pub(crate) mod math;
mod output;
pub(crate) mod strings;
mod symbols;
pub(crate) mod variables;

use vm_runtime::vm::Vm;

/// Registers the extension.
pub fn register(vm: &mut Vm) {
    arrays::register(vm);
    symbols::register(vm);
    errors::register(vm);
    info::register(vm);
    math::register(vm);
    output::register(vm);
    strings::register(vm);
    variables::register(vm);
}
