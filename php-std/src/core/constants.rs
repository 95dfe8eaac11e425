//! Functions about constants.

use std::borrow::Cow;

use vm_runtime::array::PhpArray;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::value::{ARRAY, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{direct, functions};

functions! {
    "define(string $constant_name, mixed $value, bool $case_insensitive = false): bool" => define,
    "defined(string $constant_name): bool" => defined | defined_directly,
    "get_defined_constants(bool $categorize = false): array" => get_defined_constants,
}

functions! { STANDARD_FUNCTIONS:
    "constant(string $name): mixed" => constant | constant_directly,
}

fn define(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.string(0);
    if memchr::memmem::find(name.as_bytes(), b"::").is_some() {
        return Err(call.value_error(0, "cannot be a class constant"));
    }
    if call.bool(2) {
        call.vm.warning(
            "define(): Argument #3 ($case_insensitive) is ignored since declaration of case-insensitive constants is no longer supported",
        );
        call.vm.check()?;
    }
    let value = call.value(1);
    let Some(value) = without_references(call.vm, &value, &mut Vec::new())? else {
        return Err(call.value_error(1, "cannot be a recursive array"));
    };
    let defined = call.vm.define_constant(name.as_bytes(), value);
    if !defined {
        call.vm
            .warning(format!("Constant {} already defined", name.to_text()));
    }
    Ok(defined.into())
}

/// The value of a constant: arrays in it, too, hold values where there were references. None if an
/// array contains itself.
fn without_references(
    vm: &mut Vm,
    value: &Value,
    outer: &mut Vec<*const PhpArray>,
) -> PhpResult<Option<Value>> {
    let Some(array) = value.array() else {
        return Ok(Some(Value::share(value)));
    };
    let has_more = |value: &Zval| value.is_reference() || value.kind() == ARRAY;
    if !array.iter().any(|(_, value)| has_more(value)) {
        return Ok(Some(array.into()));
    }
    vm.check_native_stack()?;
    vm.poll();
    if outer.contains(&array.as_ptr().cast_const()) {
        return Ok(None);
    }
    outer.push(array.as_ptr());
    let mut copy = vm.new_array();
    for (key, value) in array.iter() {
        let Some(value) = without_references(vm, &Value::share(value), outer)? else {
            return Ok(None);
        };
        copy.make_mut(vm).set(key, value);
    }
    outer.pop();
    Ok(Some(copy.into()))
}

/// Splits `Class::NAME`.
fn class_constant_name(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let position = memchr::memmem::rfind(name, b"::")?;
    Some((&name[..position], &name[position + 2..]))
}

/// Names of constants of classes and of namespaces have these.
fn is_qualified(name: &[u8]) -> bool {
    memchr::memchr2(b':', b'\\', name).is_some()
}

direct! {
    /// A constant that is there.
    fn defined_directly(vm; name: &[u8]) {
        (!is_qualified(name) && vm.constants.contains_key(name)).then_some(true)
    }

    /// A constant that is there, and about whose use nothing is said.
    fn constant_directly(vm; name: &[u8]) {
        if is_qualified(name) || vm.is_deprecated_constant(name) {
            return None;
        }
        vm.constants.get(name).map(|value| Value::share(value))
    }
}

fn defined(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.string(0);
    if let Some((class, constant)) = class_constant_name(name.as_bytes()) {
        let scope = call.vm.current_scope();
        let found = match class.to_ascii_lowercase().as_slice() {
            b"self" | b"static" | b"parent" => Some(call.vm.class_for_call(class)?),
            _ => call.vm.class_by_name(class, true)?,
        };
        let Some(found) = found else {
            return Ok(false.into());
        };
        // SAFETY: I4: classes live until the VM ends.
        let (known, about) = unsafe { ((*found).constants.get(constant), (*found).flags) };
        let is_visible = known
            .is_some_and(|constant| vm_runtime::class::is_constant_accessible(constant, scope))
            && (about & class_flags::TRAIT == 0 || scope == found);
        if is_visible {
            // It is evaluated, which may fail.
            call.vm.class_constant_by_name(found, constant, scope)?;
        }
        return Ok(is_visible.into());
    }
    Ok(call.vm.find_constant_bytes(&name).is_some().into())
}

fn constant(call: &mut Call<'_>) -> PhpResult<Value> {
    let name = call.string(0);
    if let Some((class, constant)) = class_constant_name(name.as_bytes()) {
        let scope = call.vm.current_scope();
        let class = call.vm.class_for_call(class)?;
        let value = call.vm.class_constant_by_name(class, constant, scope)?;
        // SAFETY: I4: classes live until the VM ends.
        if let Some(found) = unsafe { (*class).constants.get(constant).cloned() } {
            call.vm.report_deprecated_constant(&found, constant)?;
        }
        // SAFETY: I4: the value of a constant lives as long as its class.
        return Ok(unsafe { Value::share(&*value) });
    }
    let plain = name.as_bytes();
    let plain = plain.strip_prefix(b"\\").unwrap_or(plain);
    if let Some(value) = call.vm.find_constant_bytes(plain) {
        let value = Value::share(value);
        call.vm.note_constant(plain);
        return Ok(value);
    }
    let text = vm_runtime::message::text(plain).into_owned();
    Err(call
        .vm
        .throw_error(KnownClass::Error, format!("Undefined constant \"{text}\"")))
}

fn get_defined_constants(call: &mut Call<'_>) -> PhpResult<Value> {
    // Those of extensions in the order in which they were registered, then the script's.
    let extensions = call.vm.constants_by_extension();
    let all = extensions.iter().flat_map(|(_, constants)| constants);
    let mut names: Vec<Cow<'static, [u8]>> =
        all.map(|constant| constant.as_bytes().into()).collect();
    let mut others: Vec<Cow<'static, [u8]>> = call.vm.constants.keys().cloned().collect();
    others.sort();
    names.extend(others);
    let mut table = call.vm.new_array();
    for name in names {
        let Some(value) = call.vm.constants.get(&name).cloned() else {
            continue;
        };
        table.make_mut(call.vm).set_bytes(&name, value);
    }
    if !call.bool(0) {
        return Ok(table.into());
    }
    let mut categories = call.vm.new_array();
    let mut rest = table;
    for (name, constants) in extensions {
        let mut table = call.vm.new_array();
        for constant in constants {
            if let Some(value) = call.vm.constants.get(constant.as_bytes()).cloned() {
                table
                    .make_mut(call.vm)
                    .set_bytes(constant.as_bytes(), value);
                let name = call.vm.string(constant);
                rest.make_mut(call.vm).remove_string(&name);
            }
        }
        if !table.is_empty() {
            categories
                .make_mut(call.vm)
                .set_bytes(name.as_bytes(), table.into());
        }
    }
    if !rest.is_empty() {
        categories.make_mut(call.vm).set_bytes(b"user", rest.into());
    }
    Ok(categories.into())
}
