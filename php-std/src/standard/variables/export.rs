//! `var_export`.

use vm_runtime::array::KeyRef;
use vm_runtime::function::{Call, class_flags};
use vm_runtime::message::Message;
use vm_runtime::operators::float_text::{integer, with_fraction};
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::properties::{Name, Properties, case_name, is_plain};
use super::recursion::Visit;
use crate::support::{StringBuilder, functions};

functions! {
    "var_export(mixed $value, bool $return = false): ?string" => var_export,
}

fn var_export(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    let mut out = StringBuilder::new(call.vm, 64);
    export(call.vm, &mut out, &value, 0)?;
    if call.bool(1) {
        return Ok(out.into_value(call.vm));
    }
    call.vm.write(out.as_bytes());
    Ok(Value::NULL)
}

/// Appends a value as PHP source. `indent` is that of the line it stands on, 0 at the top.
fn export(vm: &mut Vm, out: &mut StringBuilder, value: &Zval, indent: usize) -> PhpResult<()> {
    match value.view() {
        ValueKind::Null | ValueKind::Resource(_) => out.push(b"NULL"),
        ValueKind::Bool(value) => out.push(if value { b"true" } else { b"false" }),
        // There is no literal for the smallest integer.
        ValueKind::Long(i64::MIN) => out.push(b"-9223372036854775807-1"),
        ValueKind::Long(value) => out.push(integer(value).as_bytes()),
        ValueKind::Double(value) => {
            out.push(with_fraction(value, vm.ini.serialize_precision).as_bytes());
        }
        ValueKind::String(string) => quote(out, string),
        ValueKind::Array(array) => {
            // SAFETY: I3: live; the share keeps it as it is.
            let array = unsafe { ArrayHandle::share_raw((&raw const *array).cast_mut()) };
            return export_array(vm, out, &array, indent);
        }
        ValueKind::Object(object) => {
            // SAFETY: I3: live.
            let object = unsafe { ObjectHandle::share_raw((&raw const *object).cast_mut()) };
            return export_object(vm, out, &object, indent);
        }
    }
    Ok(())
}

/// A string literal in single quotes; NUL bytes stand outside of it.
fn quote(out: &mut StringBuilder, bytes: &[u8]) {
    quote_with(out, bytes, b"' . \"\\0\" . '");
}

/// A string literal in single quotes, `nul` for each NUL byte.
fn quote_with(out: &mut StringBuilder, bytes: &[u8], nul: &[u8]) {
    out.push_byte(b'\'');
    for &byte in bytes {
        match byte {
            b'\'' | b'\\' => out.push(&[b'\\', byte]),
            0 => out.push(nul),
            _ => out.push_byte(byte),
        }
    }
    out.push_byte(b'\'');
}

/// A nested array or object starts on a line of its own.
fn start_line(out: &mut StringBuilder, indent: usize) {
    if indent > 0 {
        out.push_byte(b'\n');
        out.fill(b' ', indent);
    }
}

fn circular(vm: &mut Vm, out: &mut StringBuilder) -> PhpResult<()> {
    out.push(b"NULL");
    vm.warning("var_export does not handle circular references");
    vm.check()
}

fn export_array(
    vm: &mut Vm,
    out: &mut StringBuilder,
    array: &ArrayHandle,
    indent: usize,
) -> PhpResult<()> {
    let Some(_visit) = Visit::start(array) else {
        return circular(vm, out);
    };
    vm.check_native_stack()?;
    start_line(out, indent);
    out.push(b"array (\n");
    for (key, value) in array.iter() {
        out.fill(b' ', indent + 2);
        match key {
            KeyRef::Long(key) => out.push(integer(key).as_bytes()),
            KeyRef::String(key) => quote(out, key),
        }
        out.push(b" => ");
        export(vm, out, value, indent + 2)?;
        out.push(b",\n");
    }
    out.fill(b' ', indent);
    out.push_byte(b')');
    Ok(())
}

fn export_object(
    vm: &mut Vm,
    out: &mut StringBuilder,
    object: &ObjectHandle,
    indent: usize,
) -> PhpResult<()> {
    let Some(_visit) = Visit::start(object) else {
        return circular(vm, out);
    };
    vm.check_native_stack()?;
    start_line(out, indent);
    // SAFETY: I4: a class's name lives as long as it does.
    let class = unsafe { (*object.class().name).as_bytes() };
    let plain = is_plain(vm, object);
    if plain {
        out.push(b"(object) array(\n");
    } else {
        out.push_byte(b'\\');
        out.push(class);
        if object.class().flags & class_flags::ENUM != 0 {
            out.push(b"::");
            out.push(&case_name(object).message());
            return Ok(());
        }
        out.push(b"::__set_state(array(\n");
    }
    let properties = Properties::through_hooks(vm, object)?;
    for position in 0..properties.end() {
        let Some(property) = properties.at(position) else {
            continue;
        };
        let Some(value) = property.value else {
            continue;
        };
        out.fill(b' ', indent + 3);
        match property.name {
            Name::Number(number) => out.push(integer(number).as_bytes()),
            Name::Text(name) => quote_with(out, name, b"\0"),
        }
        out.push(b" => ");
        export(vm, out, value, indent + 2)?;
        out.push(b",\n");
    }
    out.fill(b' ', indent);
    out.push(if plain { b")" } else { b"))" });
    Ok(())
}
