//! The extension `filter`: checking and cleaning values.

mod constants;
mod network;
mod sanitize;
mod validate;

use vm_runtime::array::{KeyRef, PhpArray};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::ini::{IniDefinition, access};
use vm_runtime::op_array::late_globals;
use vm_runtime::operators::convert::{share_element, try_object_to_string};
use vm_runtime::value::{ArrayHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use self::constants::{CONSTANTS, NAMES, filter, flag, input};
pub(crate) use self::network::ipv4;
use self::validate::Options;
use crate::support::{Plain, call_native, current_function, define, direct, functions, list};

functions! {
    "filter_has_var(int $input_type, string $var_name): bool" => filter_has_var,
    "filter_input(int $type, string $var_name, int $filter = FILTER_DEFAULT, array|int $options = 0): mixed" => filter_input,
    "filter_var(mixed $value, int $filter = FILTER_DEFAULT, array|int $options = 0): mixed" => filter_var | filter_var_directly,
    "filter_input_array(int $type, array|int $options = FILTER_DEFAULT, bool $add_empty = true): array|false|null" => filter_input_array,
    "filter_var_array(array $array, array|int $options = FILTER_DEFAULT, bool $add_empty = true): array|false|null" => filter_var_array,
    "filter_list(): array" => filter_list,
    "filter_id(string $name): int|false" => filter_id,
}

static SETTINGS: &[IniDefinition] = &[
    IniDefinition {
        name: "filter.default",
        default: Some("unsafe_raw"),
        access: access::DIRECTORY,
        on_change: Some(|vm, value| {
            if !value.is_some_and(|value| value.eq_ignore_ascii_case(b"unsafe_raw")) {
                vm.deprecated("The filter.default ini setting is deprecated");
            }
            true
        }),
    },
    IniDefinition {
        name: "filter.default_flags",
        default: None,
        access: access::DIRECTORY,
        on_change: None,
    },
];

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(SETTINGS);
    vm.register_functions(FUNCTIONS);
    define(vm, CONSTANTS);
    vm.deprecated_constants
        .extend(["FILTER_SANITIZE_STRING", "FILTER_SANITIZE_STRIPPED"]);
}

/// Whether arrays are filtered, and what a filter is told.
struct Filter {
    number: i64,
    flags: i64,
    /// The value of `options`: an array, or the function of the filter `callback`.
    options: Option<Value>,
}

impl Filter {
    /// A filter as an argument or an element of a definition states it.
    fn new(vm: &mut Vm, number: Option<i64>, given: &Zval) -> Filter {
        let ValueKind::Array(array) = given.view() else {
            // A number alone is a filter where none is told, otherwise its flags.
            let value = given.to_long(vm);
            return match number {
                Some(number) => Filter {
                    number,
                    flags: scalar(value),
                    options: None,
                },
                None => Filter {
                    number: value,
                    flags: flag::REQUIRE_SCALAR,
                    options: None,
                },
            };
        };
        let element = |name: &str| array.get_bytes(name.as_bytes()).map(Value::share);
        let number = match element("filter") {
            Some(value) if number.is_none() => value.to_long(vm),
            _ => number.unwrap_or(filter::UNSAFE_RAW),
        };
        let flags = element("flags").map_or(0, |value| value.to_long(vm));
        let options = element("options").filter(|options| {
            number == filter::CALLBACK || matches!(options.view(), ValueKind::Array(_))
        });
        let flags = match number {
            filter::CALLBACK => flags,
            _ => scalar(flags),
        };
        Filter {
            number,
            flags,
            options,
        }
    }

    fn table(&self) -> Option<ArrayHandle> {
        self.options.as_ref().and_then(Value::array)
    }

    /// What stands for a value that is refused.
    fn failure(&self) -> Value {
        if self.flags & flag::NULL_ON_FAILURE != 0 {
            Value::NULL
        } else {
            false.into()
        }
    }

    fn default(&self) -> Option<Value> {
        let table = self.table()?;
        table.get_bytes(b"default").map(Value::share)
    }

    /// Filters a value, in arrays if the flags say so.
    fn apply(&self, vm: &mut Vm, value: &Zval) -> PhpResult<Value> {
        let is_array = matches!(value.view(), ValueKind::Array(_));
        if is_array && self.flags & flag::REQUIRE_SCALAR != 0
            || !is_array && self.flags & flag::REQUIRE_ARRAY != 0
        {
            return Ok(self.failure());
        }
        let filtered = self.each(vm, value)?;
        if !is_array && self.flags & flag::FORCE_ARRAY != 0 {
            return Ok(list(vm, [filtered]));
        }
        Ok(filtered)
    }

    fn each(&self, vm: &mut Vm, value: &Zval) -> PhpResult<Value> {
        vm.check_native_stack()?;
        vm.poll();
        let ValueKind::Array(array) = value.view() else {
            return self.one(vm, value);
        };
        let mut result = vm.new_array();
        let elements: Vec<_> = array
            .iter()
            .map(|(key, value)| (key.to_key(), share_element(value)))
            .collect();
        for (key, mut value) in elements {
            let filtered = self.each(vm, value.as_zval().deref())?;
            let filtered = put(&mut value, filtered);
            result.make_mut(vm).set(key.as_ref(), filtered);
        }
        result.make_mut(vm).keep_next_key_of(array);
        Ok(result.into())
    }

    fn one(&self, vm: &mut Vm, value: &Zval) -> PhpResult<Value> {
        let failed = |filter: &Filter| filter.default().unwrap_or_else(|| filter.failure());
        if self.number == filter::CALLBACK {
            return self.call_back(vm, value);
        }
        let number = match NAMES.iter().any(|known| known.1 == self.number) {
            true => self.number,
            false => filter::UNSAFE_RAW,
        };
        let text = match value.view() {
            ValueKind::Object(object) => {
                // SAFETY: I3: the value keeps its object.
                let object = unsafe {
                    vm_runtime::value::ObjectHandle::share_raw(
                        std::ptr::from_ref(object).cast_mut(),
                    )
                };
                match try_object_to_string(vm, &object)? {
                    Some(text) => text,
                    None => return Ok(failed(self)),
                }
            }
            _ => crate::support::string_of(vm, value)?,
        };
        if matches!(number, filter::VALIDATE_INT..=filter::VALIDATE_DOMAIN) {
            let table = self.table();
            let options = Options {
                flags: self.flags,
                options: table.as_deref(),
            };
            let taken = validate::validate(vm, number, text.as_bytes(), &options)?;
            vm.check()?;
            return Ok(taken.unwrap_or_else(|| failed(self)));
        }
        if number == filter::SANITIZE_FULL_SPECIAL_CHARS {
            let quotes = if self.flags & flag::NO_ENCODE_QUOTES != 0 {
                0i64
            } else {
                ENT_QUOTES
            };
            return call_native(vm, "htmlspecialchars", vec![text.into(), quotes.into()]);
        }
        let cleaned = sanitize::sanitize(number, text.as_bytes(), self.flags);
        let cleaned = vm.string(cleaned.unwrap_or_default());
        let is_null = cleaned.is_empty() && self.flags & flag::EMPTY_STRING_NULL != 0;
        match number {
            _ if is_null => Ok(Value::NULL),
            filter::SANITIZE_STRING => {
                let stripped = call_native(vm, "strip_tags", vec![cleaned.into()])?;
                let is_empty = stripped.as_bytes().is_some_and(<[u8]>::is_empty);
                let is_null = is_empty && self.flags & flag::EMPTY_STRING_NULL != 0;
                Ok(if is_null { Value::NULL } else { stripped })
            }
            _ => Ok(cleaned.into()),
        }
    }

    fn call_back(&self, vm: &mut Vm, value: &Zval) -> PhpResult<Value> {
        let callable = self.options.clone().unwrap_or_default();
        if vm.resolve_callable(&callable).is_err() {
            let name = current_function(vm);
            let message = format!("{name}(): Option must be a valid callback");
            return Err(vm.throw_error(KnownClass::TypeError, message));
        }
        let text = crate::support::string_of(vm, value)?;
        vm.call(&callable, vec![text.into()])
    }
}

/// What stands for an element in the result: what was made of it. An element that is a reference
/// stays one, and gets that.
fn put(element: &mut Value, filtered: Value) -> Value {
    if !element.as_zval().is_reference() {
        return filtered;
    }
    let place = element.as_zval_mut().deref_mut();
    let old = place.copy();
    place.set(filtered.into_zval());
    // SAFETY: I3: the share that the reference had of its old value goes here.
    drop(unsafe { Value::from_zval(old) });
    std::mem::take(element)
}

/// Of `htmlspecialchars()`.
const ENT_QUOTES: i64 = 3;

/// Flags, which ask for a scalar if they say nothing of arrays.
fn scalar(flags: i64) -> i64 {
    if flags & (flag::REQUIRE_ARRAY | flag::FORCE_ARRAY) == 0 {
        flags | flag::REQUIRE_SCALAR
    } else {
        flags
    }
}

/// True if there is a filter of that number; otherwise there is a warning.
fn check_filter(vm: &mut Vm, number: i64) -> PhpResult<bool> {
    // What is between the first and the last number of its kind but nobody's is the default filter.
    let exists = (filter::VALIDATE_ALL..=filter::VALIDATE_DOMAIN).contains(&number)
        || (filter::SANITIZE_ALL..=filter::SANITIZE_ADD_SLASHES).contains(&number)
        || number == filter::CALLBACK;
    if exists {
        return Ok(true);
    }
    vm.function_warning(format!("Unknown filter with ID {number}"));
    vm.check()?;
    Ok(false)
}

fn filter_var(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = call.long(1);
    if !check_filter(call.vm, number)? {
        return Ok(false.into());
    }
    let (value, options) = (call.value(0), call.value(2));
    Filter::new(call.vm, Some(number), &options).apply(call.vm, &value)
}

direct! {
    /// Of texts, by filters that need no options and say nothing.
    fn filter_var_directly(vm; value: &Zval; number: i64 = filter::UNSAFE_RAW) {
        const SILENT: &[i64] = &[
            filter::VALIDATE_INT,
            filter::VALIDATE_BOOL,
            filter::VALIDATE_FLOAT,
            filter::VALIDATE_URL,
            filter::VALIDATE_EMAIL,
            filter::VALIDATE_IP,
        ];
        let text = <&[u8]>::of(value)?;
        // Texts stay as they are.
        if number == filter::UNSAFE_RAW {
            return Some(Value::share(value));
        }
        if !SILENT.contains(&number) {
            return None;
        }
        let options = Options {
            flags: flag::REQUIRE_SCALAR,
            options: None,
        };
        let taken = validate::validate(vm, number, text, &options).ok()?;
        Some(taken.unwrap_or(Value::from(false)))
    }
}

/// The variables of a kind of input.
fn input_table(call: &mut Call<'_>) -> PhpResult<ArrayHandle> {
    let name: &[u8] = match call.long(0) {
        input::POST => b"_POST",
        input::GET => b"_GET",
        input::COOKIE => b"_COOKIE",
        input::ENV => b"_ENV",
        input::SERVER => b"_SERVER",
        _ => return Err(call.value_error(0, "must be an INPUT_* constant")),
    };
    call.vm.make_late_globals(late_globals::bit(name));
    let table = call.vm.globals.get_bytes(name).map(Value::share);
    let table = table.and_then(|table| table.array());
    Ok(table.unwrap_or_else(|| call.vm.new_array()))
}

fn filter_has_var(call: &mut Call<'_>) -> PhpResult<Value> {
    let table = input_table(call)?;
    Ok(table.get_string(&call.string(1)).is_some().into())
}

fn filter_input(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = call.long(2);
    if !check_filter(call.vm, number)? {
        return Ok(false.into());
    }
    let table = input_table(call)?;
    let options = call.value(3);
    let filter = Filter::new(call.vm, Some(number), &options);
    match table.get_string(&call.string(1)) {
        Some(value) => filter.apply(call.vm, &Value::share(value)),
        None => Ok(match filter.default() {
            Some(default) => default,
            None if filter.flags & flag::NULL_ON_FAILURE != 0 => false.into(),
            None => Value::NULL,
        }),
    }
}

/// Filters the elements of an array as a definition says.
fn filter_table(call: &mut Call<'_>, table: &PhpArray) -> PhpResult<Value> {
    let (definition, add_empty) = (call.value(1), call.bool(2));
    let ValueKind::Array(definition) = definition.view() else {
        let number = call.long(1);
        if !check_filter(call.vm, number)? {
            return Ok(false.into());
        }
        let filter = Filter {
            number,
            flags: flag::REQUIRE_ARRAY,
            options: None,
        };
        let mut result = call.vm.new_array();
        let elements: Vec<_> = table
            .iter()
            .map(|(key, value)| (key.to_key(), share_element(value)))
            .collect();
        for (key, mut value) in elements {
            let filtered = filter.each(call.vm, value.as_zval().deref())?;
            let filtered = put(&mut value, filtered);
            result.make_mut(call.vm).set(key.as_ref(), filtered);
        }
        return Ok(result.into());
    };
    let mut result = call.vm.new_array();
    for (key, wanted) in definition.iter() {
        let KeyRef::String(name) = key else {
            return Err(call.type_error(1, "must contain only string keys"));
        };
        if name.is_empty() {
            return Err(call.value_error(1, "cannot contain empty keys"));
        }
        let filtered = match table.get_string(name) {
            Some(value) => {
                let (value, wanted) = (Value::share(value), Value::share(wanted));
                let mut filter = Filter::new(call.vm, None, &wanted);
                if !NAMES.iter().any(|known| known.1 == filter.number) {
                    filter.number = filter::UNSAFE_RAW;
                }
                filter.apply(call.vm, &value)?
            }
            None if add_empty => Value::NULL,
            None => continue,
        };
        result.make_mut(call.vm).set(key, filtered);
    }
    Ok(result.into())
}

fn filter_input_array(call: &mut Call<'_>) -> PhpResult<Value> {
    let options = call.value(1);
    if let ValueKind::Long(number) = options.view()
        && !check_filter(call.vm, number)?
    {
        return Ok(false.into());
    }
    let table = input_table(call)?;
    if table.is_empty() {
        return Ok(Value::NULL);
    }
    filter_table(call, &table)
}

fn filter_var_array(call: &mut Call<'_>) -> PhpResult<Value> {
    let table = call.array(0);
    filter_table(call, &table)
}

fn filter_list(call: &mut Call<'_>) -> PhpResult<Value> {
    let names: Vec<Value> = NAMES
        .iter()
        .map(|(name, _)| call.vm.string(name).into())
        .collect();
    Ok(list(call.vm, names))
}

fn filter_id(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = match call.bytes(0) {
        b"bool" => b"boolean",
        name => name,
    };
    let found = NAMES.iter().find(|known| known.0.as_bytes() == name);
    Ok(found.map_or(false.into(), |known| known.1.into()))
}
