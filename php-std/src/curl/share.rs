//! Share handles: what several transfers use together.

use std::any::Any;
use std::ffi::{c_int, c_long};
use std::ptr::null_mut;

use vm_runtime::function::Call;
use vm_runtime::object::{NativeData, PhpObject, new_object};
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::{memory, sys};

/// The native part of a `CurlShareHandle`.
pub(super) struct Native {
    share: *mut sys::CURLSH,
    code: i64,
}

impl Default for Native {
    fn default() -> Native {
        Native {
            share: null_mut(),
            code: 0,
        }
    }
}

impl NativeData for Native {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn visit(&self, _: &mut dyn FnMut(&vm_runtime::value::Zval)) {}
}

impl Drop for Native {
    fn drop(&mut self) {
        if !self.share.is_null() {
            // SAFETY: handles that use it hold the object, so they are gone.
            unsafe { sys::curl_share_cleanup(self.share) };
        }
    }
}

/// libcurl's handle, if an object is one of these.
pub(super) fn pointer(object: &PhpObject) -> Option<*mut sys::CURLSH> {
    Some(object.native::<Native>()?.share)
}

pub(super) fn init(call: &mut Call<'_>) -> PhpResult<Value> {
    memory::install();
    let Some(class) = call.vm.linked_class(b"curlsharehandle") else {
        return Ok(Value::NULL);
    };
    let object = new_object(call.vm, class)?;
    if let Some(native) = object.native::<Native>() {
        // SAFETY: libcurl is prepared.
        native.share = unsafe { sys::curl_share_init() };
    }
    Ok(object.into())
}

pub(super) fn set(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let option = call.long(1);
    // 1: shares something, 2: does not any more.
    if option != 1 && option != 2 {
        let problem = "is not a valid cURL share option";
        return Err(call.value_error(1, problem));
    }
    let number = call.value(2).to_long(call.vm);
    let native = object.native::<Native>().expect("made with the object");
    // SAFETY: the handle is live.
    let code = unsafe {
        sys::curl_share_setopt(
            native.share,
            option as sys::CURLSHoption,
            number as c_long as c_int,
        )
    };
    native.code = i64::from(code);
    Ok((code == 0).into())
}

pub(super) fn error(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let native = object.native::<Native>().expect("made with the object");
    Ok(native.code.into())
}
