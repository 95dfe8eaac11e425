//! Array functions.

mod basic;
mod functional;
mod merge;
mod multisort;
pub(crate) mod numeric;
mod ordering;
mod range;
mod sets;
pub(crate) mod slice;
mod sort;
mod stack;

use vm_runtime::vm::Vm;

/// Sorts by a comparison that need not make sense, as PHP sorts.
#[cfg(feature = "intl")]
pub(crate) fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> std::cmp::Ordering) {
    ordering::hybrid_sort(items, &mut |one, two| compare(one, two) as i32);
}

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
