//! What reflection sees of a fiber.

use crate::frame::Frame;
use crate::interpreter::fibers::state::Status;
use crate::interpreter::fibers::switch::data;
use crate::value::{ObjectHandle, Value};
use crate::vm::Vm;

/// What the fiber calls; None once it has ended.
pub fn callable(object: &ObjectHandle) -> Option<Value> {
    // SAFETY: I3: the object is live.
    let fiber = unsafe { &*data(object.as_ptr()) };
    (fiber.status != Status::Dead).then(|| fiber.callable.clone())
}

/// The innermost frame of a fiber that has started and not ended.
pub fn innermost_frame(vm: &Vm, object: &ObjectHandle) -> Option<*mut Frame> {
    // SAFETY: I3: the object is live.
    let fiber = unsafe { &*data(object.as_ptr()) };
    match fiber.status {
        Status::Initial | Status::Dead => None,
        Status::Running if std::ptr::eq(vm.fiber, fiber) => Some(vm.current_frame),
        _ => fiber.context.as_ref().map(|context| context.frame),
    }
}
