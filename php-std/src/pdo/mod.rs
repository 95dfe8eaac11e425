//! The extension `PDO` and its driver `pdo_sqlite`.

mod connection;
mod errors;
mod fetch;
mod lazy_row;
mod parameters;
mod sqlite_class;
mod statement;
mod table;

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{functions, list};

functions! {
    "pdo_drivers(): array" => drivers,
}

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_classes(table::CLASSES);
}

/// Registers the driver.
#[cold]
pub(crate) fn register_sqlite(vm: &mut Vm) {
    vm.register_classes(sqlite_class::CLASSES);
}

fn drivers(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.vm.string("sqlite").into();
    Ok(list(call.vm, [name]))
}
