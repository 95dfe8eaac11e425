//! The extension `standard`.

pub(crate) mod arrays;
pub(crate) mod strings;
mod errors;
pub(crate) mod info;
pub(crate) mod math;
mod output;

use vm_runtime::vm::Vm;

/// Registers the extension.
pub fn register(vm: &mut Vm) {
    arrays::register(vm);
    errors::register(vm);
    info::register(vm);
    math::register(vm);
    output::register(vm);
    strings::register(vm);
}
