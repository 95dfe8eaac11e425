//! Array functions.

mod basic;
mod functional;
mod merge;
mod multisort;
mod numeric;
mod ordering;
mod range;
mod sets;
pub(crate) mod slice;
mod sort;
mod stack;

use vm_runtime::vm::Vm;

/// Registers functions and constants.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    basic::register(vm);
    functional::register(vm);
    sort::register(vm);
    for functions in [
        merge::FUNCTIONS,
        multisort::FUNCTIONS,
        numeric::FUNCTIONS,
        range::FUNCTIONS,
        sets::FUNCTIONS,
        slice::FUNCTIONS,
        stack::FUNCTIONS,
    ] {
        vm.register_functions(functions);
    }
}
