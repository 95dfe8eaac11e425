//! Settings: the `ini_*` functions.

use smallvec::SmallVec;
use vm_runtime::function::Call;
use vm_runtime::ini::{IniDefinition, parse_quantity};
use vm_runtime::operators::to_string;
use vm_runtime::value::{ARRAY, OBJECT, RESOURCE, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::configuration::Files;
use crate::standard::files::check_path;
use crate::support::{direct, functions};

functions! {
    "ini_get(string $option): string|false" => ini_get | ini_get_directly,
    "#[Unchecked(2)] ini_set(string $option, string|int|float|bool|null $value): string|false" => ini_set,
    "#[Unchecked(2)] ini_alter(string $option, string|int|float|bool|null $value): string|false" => ini_set,
    "ini_restore(string $option): void" => ini_restore,
    "ini_get_all(?string $extension = null, bool $details = true): array|false" => ini_get_all,
    "ini_parse_quantity(string $shorthand): int" => ini_parse_quantity,
    "get_cfg_var(string $option): array|string|false" => get_cfg_var,
    "set_include_path(string $include_path): string|false" => set_include_path,
    "get_include_path(): string|false" => get_include_path | get_include_path_directly,
    "php_ini_loaded_file(): string|false" => php_ini_loaded_file,
    "php_ini_scanned_files(): string|false" => php_ini_scanned_files,
}

/// The value of a setting, `""` if it has none; `false` if there is no such setting.
fn current(vm: &mut Vm, name: &[u8]) -> Value {
    vm.ini_value(name).unwrap_or_else(|| false.into())
}

direct! {
    fn ini_get_directly(vm; name: &[u8]) { current(vm, name) }
    fn get_include_path_directly(vm;) { current(vm, b"include_path") }
}

fn ini_get(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(current(call.vm, call.bytes(0)))
}

fn ini_set(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.bytes(0);
    let value = call.value(1);
    // Objects are no text here, even if they can become one.
    if matches!(value.kind(), ARRAY | OBJECT | RESOURCE) {
        return Err(call.type_error(1, "must be of type string|int|float|bool|null"));
    }
    let value = to_string(call.vm, &value)?;
    set(call.vm, name, &value)
}

/// Values that are shorter are copied to the stack meanwhile.
const SHORT: usize = 64;

/// Sets a setting and gives its old value, or `false`.
fn set(vm: &mut Vm, name: &[u8], value: &[u8]) -> PhpResult<Value> {
    // What is about to be replaced is not kept for others who ask.
    let before = match vm.ini.get(name) {
        Some(before) => SmallVec::<[u8; SHORT]>::from_slice(before.unwrap_or_default()),
        None => return Ok(false.into()),
    };
    let before: Value = vm.string(before).into();
    match vm.ini_change(name, value, vm_runtime::ini::access::USER) {
        Ok(()) => Ok(before),
        Err(_) => Ok(false.into()),
    }
}

fn ini_restore(call: &mut Call<'_>) -> PhpResult<Value> {
    call.vm.ini_restore(call.bytes(0));
    Ok(Value::NULL)
}

fn optional(vm: &mut Vm, value: Option<Vec<u8>>) -> Value {
    value.map_or(Value::NULL, |value| vm.string(value).into())
}

fn ini_get_all(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut all: Vec<&IniDefinition> = match call.optional_bytes(0) {
        None => call.vm.ini.definitions().collect(),
        Some(name) => match call.vm.natives.extension(name).cloned() {
            // The engine itself is known under its lower-cased name alone.
            Some(extension) if extension.name != "Core" || name == b"core" => {
                call.vm.settings_of_extension(&extension)
            }
            _ => {
                let name = vm_runtime::message::text(name).into_owned();
                call.vm
                    .function_warning(format!("Extension \"{name}\" cannot be found"));
                return Ok(false.into());
            }
        },
    };
    all.sort_by_key(|definition| definition.name.to_ascii_lowercase());
    let mut result = call.vm.new_array();
    for definition in all {
        let local = call
            .vm
            .ini
            .get(definition.name.as_bytes())
            .flatten()
            .map(<[u8]>::to_vec);
        let local = optional(call.vm, local);
        let entry = if call.bool(1) {
            let global = call.vm.ini.global(definition).map(<[u8]>::to_vec);
            let global = optional(call.vm, global);
            let mut details = call.vm.new_array();
            let target = details.make_mut(call.vm);
            target.set_bytes(b"global_value", global);
            target.set_bytes(b"local_value", local);
            target.set_bytes(b"access", (definition.access as i64).into());
            details.into()
        } else {
            local
        };
        result
            .make_mut(call.vm)
            .set_bytes(definition.name.as_bytes(), entry);
    }
    Ok(result.into())
}

fn ini_parse_quantity(call: &mut Call<'_>) -> PhpResult<Value> {
    let (bytes, invalid) = parse_quantity(call.bytes(0));
    if let Some(invalid) = invalid {
        call.vm.warning(invalid);
    }
    Ok(bytes.into())
}

fn get_cfg_var(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.vm.ini.configured(call.bytes(0)).map(<[u8]>::to_vec);
    Ok(value.map_or(false.into(), |value| call.vm.string(value).into()))
}

fn set_include_path(call: &mut Call<'_>) -> PhpResult<Value> {
    check_path(call, 0)?;
    let path = call.bytes(0);
    if path.is_empty() {
        return Ok(false.into());
    }
    set(call.vm, b"include_path", path)
}

fn get_include_path(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(current(call.vm, b"include_path"))
}

fn php_ini_loaded_file(call: &mut Call<'_>) -> PhpResult<Value> {
    let loaded = call.vm.extensions.state::<Files>().loaded.clone();
    Ok(loaded.map_or(false.into(), |name| call.vm.string(name).into()))
}

fn php_ini_scanned_files(call: &mut Call<'_>) -> PhpResult<Value> {
    let files = call.vm.extensions.state::<Files>();
    if files.further.is_empty() {
        return Ok(false.into());
    }
    let mut names = files.further.join(&b",\n"[..]);
    names.push(b'\n');
    Ok(call.vm.string(names).into())
}
