//! The extension `zip`: archives of files that are read and written.
//!
//! `phar` has a reader and writer of its own for archives in this format: it reads all at once, and
//! says of each thing that is wrong in its own words.

mod add;
mod archive;
mod cipher;
mod class;
mod data;
mod details;
mod extract;
mod format;
mod names;
mod problem;
mod procedural;
mod read;
mod save;

use vm_runtime::vm::Vm;

pub(crate) use read::ZipWrapper;

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(procedural::FUNCTIONS);
    vm.register_classes(class::CLASSES);
}
