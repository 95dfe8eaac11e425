//! Variables: their types, and dumping them.

mod debug_dump;
mod export;
mod print;
pub(crate) mod properties;
pub(crate) mod recursion;
mod types;
mod var_dump;

use vm_runtime::vm::Vm;

/// Registers functions.
pub(crate) fn register(vm: &mut Vm) {
    for functions in [
        debug_dump::FUNCTIONS,
        export::FUNCTIONS,
        print::FUNCTIONS,
        types::FUNCTIONS,
        var_dump::FUNCTIONS,
    ] {
        vm.register_functions(functions);
    }
}
