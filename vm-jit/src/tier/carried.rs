//! What unwinds out of the functions that stubs call: memory may run out while a function is compiled. The unwinder
//! knows the native frame of compiled code, but nothing of stubs, so it goes on in a handler that they jump to.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use vm_runtime::frame::Frame;
use vm_runtime::op::{Handler, Op};
use vm_runtime::vm::Vm;

thread_local! {
    static CARRIED: Cell<Option<Box<dyn Any + Send>>> = const { Cell::new(None) };
}

/// Does the work of a function that a stub calls; gives the handler to go on with.
pub fn carrying(work: impl FnOnce() -> Handler) -> Handler {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(handler) => handler,
        Err(payload) => {
            CARRIED.set(Some(payload));
            go_on_unwinding
        }
    }
}

unsafe extern "C-unwind" fn go_on_unwinding(_: *mut Frame, _: *const Op, _: *mut Vm) -> *const Op {
    let payload = CARRIED.take();
    resume_unwind(payload.expect("something unwinds"))
}
