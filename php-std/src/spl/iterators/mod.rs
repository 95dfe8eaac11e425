//! Iterators around other iterators.

mod append;
mod caching;
mod dual;
mod filter;
mod limit;
mod multiple;
mod recursive;
mod regex;
mod tree;

use vm_runtime::vm::Vm;

/// Registers the classes.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    vm.register_classes(dual::CLASSES);
    vm.register_classes(filter::CLASSES);
    vm.register_classes(limit::CLASSES);
    vm.register_classes(caching::CLASSES);
    vm.register_classes(append::CLASSES);
    vm.register_classes(regex::CLASSES);
    vm.register_classes(recursive::CLASSES);
    vm.register_classes(tree::CLASSES);
    vm.register_classes(multiple::CLASSES);
}
