//! Closures of methods that `__call` and `__callStatic` stand for.

use crate::value::Value;
use crate::vm::PhpResult;

/// Calls `__call` or `__callStatic` for a closure that was made of a method they stand for: the
/// closure's function is native, its name the method's, its prototype the magic method.
pub(crate) fn call_magic_closure(call: &mut crate::function::Call<'_>) -> PhpResult<Value> {
    let function = call.function();
    let handler = function.prototype;
    // SAFETY: I3: a closure's function holds its name.
    let name = unsafe { crate::value::StringHandle::share_raw(function.name) };
    let mut list = call.vm.new_array();
    for index in 0..call.count() {
        let value = call.value(index);
        let _ = list.make_mut(call.vm).push(value);
    }
    // SAFETY: I4: the frame is live, and so are the named arguments that it says it has.
    unsafe {
        if (*call.frame).call_info() & crate::frame::call_info::HAS_EXTRA_NAMED != 0 {
            for (key, value) in (*(*call.frame).extra_named).iter() {
                if let crate::array::KeyRef::String(name) = key {
                    list.make_mut(call.vm).set_string(name, Value::share(value));
                }
            }
        }
    }
    // SAFETY: I4: the frame is live; its called class lives until the VM ends.
    let called = unsafe { (*call.frame).called_class() };
    let this = call.this();
    call.vm
        .call_function(handler, this, called, vec![name.into(), list.into()])
}
