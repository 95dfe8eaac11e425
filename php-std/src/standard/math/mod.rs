//! Mathematics.

mod bases;
mod extrema;
mod functions;
pub(crate) mod rounding;
#[cfg(test)]
mod tests;

use vm_runtime::vm::Vm;

/// Registers functions and classes.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    for functions in [
        bases::FUNCTIONS,
        extrema::FUNCTIONS,
        functions::FUNCTIONS,
        rounding::FUNCTIONS,
    ] {
        vm.register_functions(functions);
    }
    vm.register_classes(&[&rounding::ROUNDING_MODE]);
}
