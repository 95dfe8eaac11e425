//! Variables: their types, and dumping them.

mod debug_dump;
mod export;
mod incomplete;
mod nesting;
mod print;
pub(crate) mod properties;
pub(crate) mod recursion;
pub(crate) mod serialize;
#[cfg(test)]
mod tests;
pub(crate) mod types;
pub(crate) mod unserialize;
mod var_dump;

use vm_runtime::vm::Vm;

pub(crate) use serialize::{Series, serialized};
#[cfg(feature = "phar")]
pub(crate) use unserialize::unserialized_with;
pub(crate) use unserialize::{Sequence, unserialized};

/// Registers functions and classes.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    for functions in [
        debug_dump::FUNCTIONS,
        export::FUNCTIONS,
        print::FUNCTIONS,
        serialize::FUNCTIONS,
        types::FUNCTIONS,
        unserialize::FUNCTIONS,
        var_dump::FUNCTIONS,
    ] {
        vm.register_functions(functions);
    }
    vm.register_classes(&[&incomplete::CLASS]);
}
