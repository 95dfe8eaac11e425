//! What reflection sees of a fiber.

use crate::exceptions::BacktraceOptions;
use crate::frame::Frame;
use crate::interpreter::fibers::state::Status;
use crate::interpreter::fibers::switch::data;
use crate::object::PhpObject;
use crate::value::{ArrayHandle, ObjectHandle, Value};
use crate::vm::Vm;

/// What the fiber calls; None once it has ended.
pub fn callable(object: &ObjectHandle) -> Option<Value> {
    // SAFETY: I3: the object is live.
    let fiber = unsafe { &*data(object.as_ptr()) };
    (fiber.status != Status::Dead).then(|| fiber.callable.clone())
}

/// The innermost frame of a fiber that has started and not ended.
pub fn innermost_frame(vm: &Vm, object: &ObjectHandle) -> Option<*mut Frame> {
    // SAFETY: I3: the object is live, and so are the fibers that wait for the running one.
    unsafe {
        let fiber = data(object.as_ptr());
        let status = (*fiber).status;
        if matches!(status, Status::Initial | Status::Dead) {
            return None;
        }
        let mut running = vm.fiber;
        if running == fiber {
            return Some(vm.current_frame);
        }
        if status == Status::Running {
            // It waits for a fiber that it resumed, which knows where.
            while (*running).resumer != fiber {
                running = (*running).resumer;
            }
            return (*running).context.as_ref().map(|context| context.frame);
        }
        (*fiber).context.as_ref().map(|context| context.frame)
    }
}

/// The frames of a suspended fiber: the innermost one, and the one below them all, which owns nothing.
pub(crate) fn suspended_frames(object: &PhpObject) -> Option<(*mut Frame, *mut Frame)> {
    // SAFETY: I3: the object is live.
    let fiber = unsafe { &*data((&raw const *object).cast_mut()) };
    if fiber.status != Status::Suspended {
        return None;
    }
    let context = fiber.context.as_ref()?;
    Some((context.frame, fiber.bottom))
}

/// The calls of the fiber, from its innermost frame to its function.
pub fn trace(vm: &mut Vm, object: &ObjectHandle, options: BacktraceOptions) -> Option<ArrayHandle> {
    let frame = innermost_frame(vm, object)?;
    // SAFETY: I3 and I4: the fiber and its frames are live; no code runs while its outermost frame
    // is cut off from who resumed it.
    unsafe {
        let bottom = (*data(object.as_ptr())).bottom;
        let resumer = std::mem::replace(&mut (*bottom).previous, std::ptr::null_mut());
        let current = std::mem::replace(&mut vm.current_frame, frame);
        let trace = vm.backtrace(options);
        vm.current_frame = current;
        (*bottom).previous = resumer;
        Some(trace)
    }
}
