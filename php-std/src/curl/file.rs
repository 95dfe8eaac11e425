//! CURLFile and CURLStringFile: files in forms.

use vm_runtime::function::Call;
use vm_runtime::object::Access;
use vm_runtime::object::read::read_property;
use vm_runtime::object::write::write_property;
use vm_runtime::value::{ObjectHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

/// Sets a property of an object.
fn put(vm: &mut Vm, object: &ObjectHandle, name: &'static str, value: &[u8]) -> PhpResult<()> {
    let value: Value = vm.string(value).into();
    let name = vm.static_name(name);
    let class = object.class;
    write_property(vm, object.as_ptr(), name, value, class)?;
    Ok(())
}

fn get(call: &mut Call<'_>, name: &'static str) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let name = call.vm.static_name(name);
    let class = object.class;
    read_property(call.vm, object.as_ptr(), name, class, Access::Read)
}

/// Sets what a constructor, or `curl_file_create()`, is given.
fn fill(call: &mut Call<'_>, object: &ObjectHandle) -> PhpResult<()> {
    let file = call.bytes(0);
    if file.contains(&0) {
        return Err(call.value_error(0, "must not contain any null bytes"));
    }
    let (kind, shown) = (call.optional_bytes(1), call.optional_bytes(2));
    put(call.vm, object, "name", file)?;
    if let Some(kind) = kind {
        put(call.vm, object, "mime", kind)?;
    }
    if let Some(shown) = shown {
        put(call.vm, object, "postname", shown)?;
    }
    Ok(())
}

pub(super) fn create(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(class) = call.vm.linked_class(b"curlfile") else {
        return Ok(Value::NULL);
    };
    let object = vm_runtime::object::new_object(call.vm, class)?;
    fill(call, &object)?;
    Ok(object.into())
}

pub(super) fn construct(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    fill(call, &object)?;
    Ok(Value::NULL)
}

pub(super) fn file_name(call: &mut Call<'_>) -> PhpResult<Value> {
    get(call, "name")
}

pub(super) fn mime_type(call: &mut Call<'_>) -> PhpResult<Value> {
    get(call, "mime")
}

pub(super) fn post_name(call: &mut Call<'_>) -> PhpResult<Value> {
    get(call, "postname")
}

pub(super) fn set_mime_type(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, value) = (crate::spl::this(call), call.bytes(0));
    put(call.vm, &object, "mime", value)?;
    Ok(Value::NULL)
}

pub(super) fn set_post_name(call: &mut Call<'_>) -> PhpResult<Value> {
    let (object, value) = (crate::spl::this(call), call.bytes(0));
    put(call.vm, &object, "postname", value)?;
    Ok(Value::NULL)
}

pub(super) fn construct_string(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = crate::spl::this(call);
    let (data, shown, kind) = (call.bytes(0), call.bytes(1), call.bytes(2));
    put(call.vm, &object, "data", data)?;
    put(call.vm, &object, "postname", shown)?;
    put(call.vm, &object, "mime", kind)?;
    Ok(Value::NULL)
}
