//! What the driver adds: the class `Pdo\Sqlite`, and methods of PDO objects that it made.

use vm_runtime::class::{NativeClass, method};
use vm_runtime::function::{Call, class_flags};
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::connection::{HANDLERS, opened};
use super::errors;
use crate::sqlite::{Kind, open_blob as open_value};
use crate::standard::files::stream_value;
use crate::support::kept_callable;

/// The class.
pub(super) static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("class Pdo\\Sqlite extends PDO")
        .flags(class_flags::NOT_CLONEABLE | class_flags::NOT_SERIALIZABLE | class_flags::NO_DYNAMIC_PROPERTIES)
        .handlers(&HANDLERS)
        .constants(&[
            "DETERMINISTIC = 2048",
            "OPEN_READONLY = 1",
            "OPEN_READWRITE = 2",
            "OPEN_CREATE = 4",
            "ATTR_OPEN_FLAGS = 1000",
            "ATTR_READONLY_STATEMENT = 1001",
            "ATTR_EXTENDED_RESULT_CODES = 1002",
        ])
        .methods(&[
            method("public function createAggregate(string $name, callable $step, callable $finalize, int $numArgs = -1): bool", create_aggregate),
            method("public function createCollation(string $name, callable $callback): bool", create_collation),
            method("public function createFunction(string $function_name, callable $callback, int $num_args = -1, int $flags = 0): bool", create_function),
            method("public function loadExtension(string $name): void", load_extension),
            method("public function openBlob(string $table, string $column, int $rowid, ?string $dbname = \"main\", int $flags = 1)", open_blob),
        ]),
];

pub(super) fn create_function(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, database) = opened(call)?;
    let callables = vec![kept_callable(call, 1)];
    let (name, arguments, flags) = (call.bytes(0), call.long(2), call.long(3));
    Ok(database
        .add(Kind::Function, name, arguments, flags, callables)
        .into())
}

pub(super) fn create_aggregate(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, database) = opened(call)?;
    let callables = vec![kept_callable(call, 1), kept_callable(call, 2)];
    let (name, arguments) = (call.bytes(0), call.long(3));
    Ok(database
        .add(Kind::CountedAggregate, name, arguments, 0, callables)
        .into())
}

pub(super) fn create_collation(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, database) = opened(call)?;
    let callables = vec![kept_callable(call, 1)];
    let name = call.bytes(0);
    Ok(database.add(Kind::Collation, name, 0, 0, callables).into())
}

/// Code of the system is never loaded into the process.
fn load_extension(call: &mut Call<'_>) -> PhpResult<Value> {
    opened(call)?;
    let name = call.bytes(0);
    if name.is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let shown = vm_runtime::message::text(name);
    let message = format!("Unable to load extension \"{shown}\"");
    Err(errors::throw_plain(call.vm, &message))
}

fn open_blob(call: &mut Call<'_>) -> PhpResult<Value> {
    let (_, database) = opened(call)?;
    let name = call.optional_bytes(3).unwrap_or(b"main");
    let place = [name, call.bytes(0), call.bytes(1)];
    let (row, writes) = (call.long(2), call.long(4) & 2 != 0);
    match open_value(call.vm, &database, place, row, writes, "Pdo\\Sqlite") {
        Ok(stream) => Ok(stream_value(call.vm, stream)),
        Err(reason) => {
            call.vm.warning(format!("Unable to open blob: {reason}"));
            call.vm.check()?;
            Ok(false.into())
        }
    }
}
