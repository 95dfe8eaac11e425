//! The extension `standard`.

pub(crate) mod strings;

use vm_runtime::vm::Vm;

/// Registers the extension.
pub fn register(vm: &mut Vm) {
    strings::register(vm);
}
