//! Variables by name: `compact`, `extract`, `get_defined_vars`; tick functions.

use vm_runtime::array::{KeyRef, PhpArray};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators::convert::share_element;
use vm_runtime::string::PhpString;
use vm_runtime::value::{ARRAY, ArrayHandle, STRING, Value, Zval, make_reference, release};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{define, functions, hold, kept_callable, new_list};

functions! {
    "compact($var_name, ...$var_names): array" => compact,
    "extract(array &?$array, int $flags = EXTR_OVERWRITE, string $prefix = \"\"): int" => extract,
    "register_tick_function(callable $callback, mixed ...$args): bool" => register_tick_function,
    "unregister_tick_function(callable $callback): void" => unregister_tick_function,
}

functions! { CORE_FUNCTIONS:
    "get_defined_vars(): array" => get_defined_vars,
}

const OVERWRITE: i64 = 0;
const SKIP: i64 = 1;
const PREFIX_SAME: i64 = 2;
const PREFIX_ALL: i64 = 3;
const PREFIX_INVALID: i64 = 4;
const PREFIX_IF_EXISTS: i64 = 5;
const IF_EXISTS: i64 = 6;
const REFERENCES: i64 = 256;
/// What says which names are taken; other bits say nothing.
const MODES: i64 = 255;

#[cold]
pub(crate) fn register(vm: &mut Vm) {
    define(
        vm,
        &[
            ("EXTR_OVERWRITE", OVERWRITE),
            ("EXTR_SKIP", SKIP),
            ("EXTR_PREFIX_SAME", PREFIX_SAME),
            ("EXTR_PREFIX_ALL", PREFIX_ALL),
            ("EXTR_PREFIX_INVALID", PREFIX_INVALID),
            ("EXTR_PREFIX_IF_EXISTS", PREFIX_IF_EXISTS),
            ("EXTR_IF_EXISTS", IF_EXISTS),
            ("EXTR_REFS", REFERENCES),
        ],
    );
    vm.register_functions(FUNCTIONS);
}

/// The variables of the code that called.
fn symbols(call: &mut Call<'_>) -> Option<*mut PhpArray> {
    call.vm.caller_symbol_table().map(|table| &raw mut *table)
}

fn compact(call: &mut Call<'_>) -> PhpResult<Value> {
    call.forbid_dynamic()?;
    let Some(table) = symbols(call) else {
        return Ok(call.vm.new_array().into());
    };
    let most = match (call.count(), call.argument(0).deref()) {
        (1, names) if names.kind() == ARRAY => call.array(0).len(),
        (count, _) => count,
    };
    let mut result = PhpArray::keyed(&mut call.vm.heap, most);
    for index in 0..call.count() {
        // SAFETY: I4: the symbol table and the arguments are live; nobody else has the result yet.
        let is_done = unsafe {
            let name: *const Zval = call.argument(index).deref();
            (*name).kind() == STRING
                && add_variable(table, result.make_mut(call.vm), &*(*name).string())
        };
        if !is_done {
            let names = call.value(index);
            collect(call, table, &mut result, &names, index, &mut Vec::new())?;
        }
    }
    Ok(result.into())
}

/// Adds a variable by its name, which stays a string even if it is a number; false if there is none.
///
/// # Safety
/// The table is live.
#[inline]
unsafe fn add_variable(table: *mut PhpArray, result: &mut PhpArray, name: &PhpString) -> bool {
    // SAFETY: by the caller.
    match unsafe { (*table).get_string(name) } {
        Some(value) => {
            result.set_string(name, hold(value));
            true
        }
        None => false,
    }
}

fn collect(
    call: &mut Call<'_>,
    table: *mut PhpArray,
    result: &mut vm_runtime::value::ArrayHandle,
    names: &Value,
    index: usize,
    above: &mut Vec<*const PhpArray>,
) -> PhpResult<()> {
    match names.kind() {
        STRING => {
            call.vm.poll();
            let Some(name) = names.string() else {
                return Ok(());
            };
            // SAFETY: I4: the caller's symbol table is live.
            if unsafe { add_variable(table, result.make_mut(call.vm), &name) } {
                return Ok(());
            }
            if name.as_bytes() == b"this" {
                if let Some(this) = call.vm.running_this() {
                    result.make_mut(call.vm).set_string(&name, this.into());
                }
            } else {
                call.vm.warning(format!(
                    "compact(): Undefined variable ${}",
                    name.whole_text()
                ));
                call.vm.check()?;
            }
        }
        ARRAY => {
            call.vm.check_native_stack()?;
            call.vm.poll();
            let Some(array) = names.array() else {
                return Ok(());
            };
            let address: *const PhpArray = array.as_ptr();
            if above.contains(&address) {
                return Err(call.vm.throw_error(KnownClass::Error, "Recursion detected"));
            }
            above.push(address);
            for (_, inner) in array.iter() {
                collect(call, table, result, &hold(inner), index, above)?;
            }
            above.pop();
        }
        _ => {
            let kind = vm_runtime::operators::value_name(names);
            call.vm.warning(format!(
                "compact(): Argument #{} must be string or array of strings, {kind} given",
                index + 1
            ));
            call.vm.check()?;
        }
    }
    Ok(())
}

fn is_identifier(name: &[u8]) -> bool {
    let is_start = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80;
    match name.split_first() {
        Some((&first, rest)) => {
            is_start(first)
                && rest
                    .iter()
                    .all(|&byte| is_start(byte) || byte.is_ascii_digit())
        }
        None => false,
    }
}

fn extract(call: &mut Call<'_>) -> PhpResult<Value> {
    call.forbid_dynamic()?;
    let flags = call.long(1);
    let by_reference = flags & REFERENCES != 0;
    let mode = flags & MODES;
    if !(OVERWRITE..=IF_EXISTS).contains(&mode) {
        return Err(call.value_error(1, "must be a valid extract type"));
    }
    if (PREFIX_SAME..=PREFIX_IF_EXISTS).contains(&mode) && call.count() < 3 {
        return Err(call.value_error(2, "is required when using this extract type"));
    }
    let prefix = call.bytes(2);
    if !prefix.is_empty() && !is_identifier(prefix) {
        return Err(call.value_error(2, "must be a valid identifier"));
    }
    let Some(table) = symbols(call) else {
        return Ok(0i64.into());
    };
    let array = match by_reference {
        true => separated(call),
        false => call.array(0),
    };
    let mut count = 0i64;
    for position in 0..array.positions() {
        let Some((key, value)) = array.entry_at(position) else {
            continue;
        };
        if let KeyRef::String(name) = key
            && mode == OVERWRITE
            && !by_reference
            && is_identifier(name.as_bytes())
            && name.as_bytes() != b"this"
        {
            // SAFETY: I4 and I5: the table and the array, which is held with its keys, are live.
            unsafe { assign(call.vm, table, name, hold(value)) };
            call.vm.check()?;
            count += 1;
            continue;
        }
        let plain = match key {
            KeyRef::String(name) => Some(name.to_vec()),
            KeyRef::Long(_) => None,
        };
        // SAFETY: I4: the caller's symbol table is live.
        let exists = |name: &[u8]| unsafe { (*table).get_bytes(name).is_some() };
        let number = match key {
            KeyRef::Long(number) => number.to_string().into_bytes(),
            KeyRef::String(_) => Vec::new(),
        };
        let prefixed = |name: &[u8]| [prefix, b"_", name].concat();
        let name = match (mode, &plain) {
            (PREFIX_ALL, Some(name)) if name.is_empty() => continue,
            (PREFIX_ALL, Some(name)) => prefixed(name),
            (PREFIX_ALL | PREFIX_INVALID, None) => prefixed(&number),
            (_, None) => continue,
            (mode, Some(name)) if name.is_empty() && mode != PREFIX_INVALID => continue,
            (SKIP, Some(name)) if exists(name) => continue,
            (IF_EXISTS, Some(name)) if !exists(name) => continue,
            (PREFIX_IF_EXISTS, Some(name)) if !exists(name) => continue,
            (PREFIX_IF_EXISTS, Some(name)) => prefixed(name),
            (PREFIX_SAME, Some(name)) if exists(name) || name.is_empty() || name == b"this" => {
                prefixed(name)
            }
            (PREFIX_INVALID, Some(name)) if !is_identifier(name) || name == b"this" => {
                prefixed(name)
            }
            (_, Some(name)) => name.clone(),
        };
        if !is_identifier(&name) {
            continue;
        }
        if name == b"this" {
            if mode == OVERWRITE || mode == IF_EXISTS {
                return Err(call
                    .vm
                    .throw_error(KnownClass::Error, "Cannot re-assign $this"));
            }
            continue;
        }
        let name = call.vm.string(name);
        // SAFETY: I4 and I5: the table and the array, which is held, are live.
        unsafe {
            if by_reference {
                bind(call.vm, table, &name, (&raw const *value).cast_mut());
            } else {
                assign(call.vm, table, &name, hold(value));
                call.vm.check()?;
            }
        }
        count += 1;
    }
    Ok(count.into())
}

/// The array of argument #1, the only owner of its elements, which become references: a literal stays as it is.
fn separated(call: &mut Call<'_>) -> ArrayHandle {
    let is_variable = call.argument(0).is_reference();
    let mut array = call.take_array(0);
    array.make_mut(call.vm);
    if !is_variable {
        return array;
    }
    call.assign(0, array.into());
    call.array(0)
}

/// Assigns to a variable of the code that called, if that code can see it.
pub(crate) fn set_caller_variable(vm: &mut Vm, name: &[u8], value: Value) {
    if let Some(table) = vm.caller_named_variables().map(|table| &raw mut *table) {
        let name = vm.string(name);
        // SAFETY: I4: the caller's symbol table is live.
        unsafe { assign(vm, table, &name, value) };
    }
}

/// Assigns to a variable of a symbol table.
///
/// # Safety
/// `table` is live.
unsafe fn assign(vm: &mut Vm, table: *mut PhpArray, name: &PhpString, value: Value) {
    // SAFETY: by the caller; the value's share moves into the variable.
    unsafe {
        let slot = (*table).slot_string(name);
        vm_runtime::interpreter::assign_variable(vm, slot, value.into_zval());
    }
}

/// Binds a variable of a symbol table to an element.
///
/// # Safety
/// `table` and `element` are live.
unsafe fn bind(vm: &mut Vm, table: *mut PhpArray, name: &PhpString, element: *mut Zval) {
    // SAFETY: by the caller.
    unsafe {
        make_reference(&mut vm.heap, element);
        let slot = (*table).slot_string(name);
        let old = *slot;
        (*slot).set((*element).share());
        release(&old);
    }
}

fn get_defined_vars(call: &mut Call<'_>) -> PhpResult<Value> {
    call.forbid_dynamic()?;
    let Some(table) = symbols(call) else {
        return Ok(call.vm.new_array().into());
    };
    let mut result = new_list(call.vm, 0);
    // SAFETY: I4: the caller's symbol table is live.
    for (key, value) in unsafe { (*table).iter() } {
        let KeyRef::String(name) = key else { continue };
        result
            .make_mut(call.vm)
            .set_symbol(name, share_element(value));
    }
    Ok(result.into())
}

fn register_tick_function(call: &mut Call<'_>) -> PhpResult<Value> {
    let callback = kept_callable(call, 0);
    let arguments = (1..call.count()).map(|number| call.value(number)).collect();
    call.vm.ticks.register(callback, arguments);
    Ok(true.into())
}

fn unregister_tick_function(call: &mut Call<'_>) -> PhpResult<Value> {
    let callback = call.value(0);
    call.vm.unregister_tick_function(&callback)?;
    Ok(Value::NULL)
}
