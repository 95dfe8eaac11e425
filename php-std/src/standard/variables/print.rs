//! `print_r`.

use vm_runtime::array::KeyRef;
use vm_runtime::function::{Call, class_flags, type_mask};
use vm_runtime::message::Message;
use vm_runtime::operators::to_string;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::properties::{Name, Properties, Visibility, until_nul};
use super::recursion::Visit;
use crate::support::{StringBuilder, functions};

functions! {
    "print_r(mixed $value, bool $return = false): string|true" => print_r,
}

fn print_r(call: &mut Call<'_>) -> PhpResult<Value> {
    let value = call.value(0);
    let mut out = StringBuilder::new(call.vm, 64);
    print(call.vm, &mut out, &value, 0)?;
    if call.bool(1) {
        return Ok(out.into_value(call.vm));
    }
    call.vm.write(out.as_bytes());
    Ok(true.into())
}

/// Appends a value as `print_r` shows it.
fn print(vm: &mut Vm, out: &mut StringBuilder, value: &Zval, indent: usize) -> PhpResult<()> {
    match value.view() {
        ValueKind::Array(array) => {
            // SAFETY: I3: live; the share keeps it as it is.
            let array = unsafe { ArrayHandle::share_raw((&raw const *array).cast_mut()) };
            out.push(b"Array\n");
            let Some(_visit) = Visit::start(&array) else {
                out.push(b" *RECURSION*");
                return Ok(());
            };
            open(vm, out, indent)?;
            for (key, value) in array.iter() {
                out.fill(b' ', indent + 4);
                out.push_byte(b'[');
                match key {
                    KeyRef::Long(key) => out.push_integer(key),
                    KeyRef::String(key) => out.push(key),
                }
                element(vm, out, value, indent)?;
            }
            close(out, indent);
        }
        ValueKind::Object(object) => {
            // SAFETY: I3: live.
            let object = unsafe { ObjectHandle::share_raw((&raw const *object).cast_mut()) };
            return print_object(vm, out, &object, indent);
        }
        ValueKind::Long(value) => out.push_integer(value),
        ValueKind::String(value) => out.push(value.as_bytes()),
        _ => out.push(&to_string(vm, value)?),
    }
    Ok(())
}

fn open(vm: &mut Vm, out: &mut StringBuilder, indent: usize) -> PhpResult<()> {
    vm.check_native_stack()?;
    out.fill(b' ', indent);
    out.push(b"(\n");
    Ok(())
}

fn element(vm: &mut Vm, out: &mut StringBuilder, value: &Zval, indent: usize) -> PhpResult<()> {
    out.push(b"] => ");
    print(vm, out, value, indent + 8)?;
    out.push_byte(b'\n');
    Ok(())
}

fn close(out: &mut StringBuilder, indent: usize) {
    out.fill(b' ', indent);
    out.push(b")\n");
}

fn print_object(
    vm: &mut Vm,
    out: &mut StringBuilder,
    object: &ObjectHandle,
    indent: usize,
) -> PhpResult<()> {
    let class = object.class();
    out.push(&class.display_name().message());
    out.push(
        match (class.flags & class_flags::ENUM != 0, class.backing_type) {
            (false, _) => b" Object\n",
            (true, 0) => b" Enum\n",
            (true, type_mask::LONG) => b" Enum:int\n",
            (true, _) => b" Enum:string\n",
        },
    );
    let Some(_visit) = Visit::start(object) else {
        out.push(b" *RECURSION*");
        return Ok(());
    };
    let properties = Properties::for_debugging(vm, object)?;
    open(vm, out, indent)?;
    for position in 0..properties.end() {
        let Some(property) = properties.at(position) else {
            continue;
        };
        let Some(value) = property.value else {
            continue;
        };
        out.fill(b' ', indent + 4);
        out.push_byte(b'[');
        match property.name {
            Name::Number(number) => out.push_integer(number),
            Name::Text(name) => out.push(name),
        }
        match property.visibility {
            Visibility::Public => {}
            Visibility::Protected => out.push(b":protected"),
            Visibility::Private(class) => {
                out.push_byte(b':');
                out.push(until_nul(class));
                out.push(b":private");
            }
        }
        element(vm, out, value, indent)?;
    }
    close(out, indent);
    Ok(())
}
