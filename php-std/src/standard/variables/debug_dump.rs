//! `debug_zval_dump`: values with their numbers of owners.

use vm_runtime::array::KeyRef;
use vm_runtime::function::Call;
use vm_runtime::message::Message;
use vm_runtime::operators::float_text::general;
use vm_runtime::value::{ArrayHandle, ObjectHandle, Value, ValueKind, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use super::properties::{Name, Properties, Visibility, lazy_prefix};
use super::recursion::Visit;
use crate::support::{StringBuilder, functions};

functions! {
    "debug_zval_dump(mixed $value, mixed ...$values): void" => debug_zval_dump,
}

fn debug_zval_dump(call: &mut Call<'_>) -> PhpResult<Value> {
    for index in 0..call.count() {
        let mut out = StringBuilder::new(call.vm, 64);
        // SAFETY: I4: the argument's slot lives as long as the call.
        let argument = unsafe { &*call.slot(index) };
        dump(call.vm, &mut out, argument, 0)?;
        call.vm.write(out.as_bytes());
    }
    Ok(Value::NULL)
}

fn owners(count: u32, immutable: bool) -> String {
    if immutable {
        "interned ".into()
    } else {
        format!("refcount({count})")
    }
}

fn dump(vm: &mut Vm, out: &mut StringBuilder, value: &Zval, width: usize) -> PhpResult<()> {
    out.fill(b' ', width);
    if value.is_reference() {
        // SAFETY: I3: a reference payload is live.
        let count = unsafe { (*value.counted()).refcount };
        out.push(format!("reference refcount({count}) {{\n").as_bytes());
        dump(vm, out, value.deref(), width + 2)?;
        out.fill(b' ', width);
        out.push(b"}\n");
        return Ok(());
    }
    match value.view() {
        ValueKind::Null => out.push(b"NULL\n"),
        ValueKind::Bool(value) => out.push(format!("bool({value})\n").as_bytes()),
        ValueKind::Long(value) => out.push(format!("int({value})\n").as_bytes()),
        ValueKind::Double(value) => {
            let text = general(value, vm.ini.serialize_precision);
            out.push(format!("float({text})\n").as_bytes());
        }
        ValueKind::String(string) => {
            let owners = owners(string.header.refcount, string.header.is_immutable());
            out.push(format!("string({}) \"", string.len()).as_bytes());
            out.push(string);
            out.push(format!("\" {}\n", owners.trim_end()).as_bytes());
        }
        ValueKind::Array(array) => {
            // Literals count the code and the argument as their owners, as PHP's do.
            let literal = if width == 0 { 2 } else { 1 };
            let count = if array.header.is_immutable() {
                literal
            } else {
                array.header.refcount
            };
            let owners = owners(count, false);
            // SAFETY: I3: live; the share keeps it as it is.
            let array = unsafe { ArrayHandle::share_raw((&raw const *array).cast_mut()) };
            return dump_array(vm, out, &array, &owners, width);
        }
        ValueKind::Object(object) => {
            let owners = owners(object.header.refcount, false);
            // SAFETY: I3: live.
            let object = unsafe { ObjectHandle::share_raw((&raw const *object).cast_mut()) };
            return dump_object(vm, out, &object, &owners, width);
        }
        ValueKind::Resource(resource) => {
            let name = if resource.type_name.is_empty() {
                "Unknown"
            } else {
                resource.type_name
            };
            let owners = owners(resource.header.refcount, false);
            let text = format!("resource({}) of type ({name}) {owners}\n", resource.id);
            out.push(text.as_bytes());
        }
    }
    Ok(())
}

fn dump_array(
    vm: &mut Vm,
    out: &mut StringBuilder,
    array: &ArrayHandle,
    owners: &str,
    width: usize,
) -> PhpResult<()> {
    let Some(_visit) = Visit::start(array) else {
        out.push(b"*RECURSION*\n");
        return Ok(());
    };
    vm.check_native_stack()?;
    let packed = if array.is_packed() { "packed " } else { "" };
    out.push(format!("array({}) {packed}{owners}{{\n", array.len()).as_bytes());
    for (key, value) in array.iter() {
        out.fill(b' ', width + 2);
        match key {
            KeyRef::Long(key) => out.push(format!("[{key}]=>\n").as_bytes()),
            KeyRef::String(key) => {
                out.push(b"[\"");
                out.push(key);
                out.push(b"\"]=>\n");
            }
        }
        dump(vm, out, value, width + 2)?;
    }
    out.fill(b' ', width);
    out.push(b"}\n");
    Ok(())
}

fn dump_object(
    vm: &mut Vm,
    out: &mut StringBuilder,
    object: &ObjectHandle,
    owners: &str,
    width: usize,
) -> PhpResult<()> {
    let Some(_visit) = Visit::start(object) else {
        out.push(b"*RECURSION*\n");
        return Ok(());
    };
    vm.check_native_stack()?;
    let properties = Properties::for_debugging(vm, object)?;
    let (class, count) = (object.class().display_name(), properties.count());
    let prefix = lazy_prefix(object);
    out.push(
        &format!(
            "{prefix}object({class})#{} ({count}) {owners}{{\n",
            object.id
        )
        .message(),
    );
    for position in 0..properties.end() {
        let Some(property) = properties.at(position) else {
            continue;
        };
        out.fill(b' ', width + 2);
        match property.name {
            Name::Number(number) => out.push(format!("[{number}").as_bytes()),
            Name::Text(name) => {
                out.push(b"[\"");
                out.push(name);
                out.push_byte(b'"');
            }
        }
        match property.visibility {
            Visibility::Public => {}
            Visibility::Protected => out.push(b":protected"),
            Visibility::Private(class) => {
                out.push(b":\"");
                out.push(class);
                out.push(b"\":private");
            }
        }
        out.push(b"]=>\n");
        match (property.value, property.declared) {
            (Some(value), _) => dump(vm, out, value, width + 2)?,
            (None, declared) => {
                let declared = declared.map_or(String::new(), |declared| declared.display());
                out.fill(b' ', width + 2);
                out.push(format!("uninitialized({declared})\n").as_bytes());
            }
        }
    }
    out.fill(b' ', width);
    out.push(b"}\n");
    Ok(())
}
