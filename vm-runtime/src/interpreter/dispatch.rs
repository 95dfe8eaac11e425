//! Entering the interpreter from native code.
//!
//! In kind `tail` a handler's last act is a jump to the next one, so one call here runs until a
//! TOP frame is left. In kind `call` each handler returns the next opline to the loop below.

use crate::frame::Frame;
use crate::op::Op;
use crate::vm::Vm;

/// Runs `frame` until it is left. Its `opline` is where it starts; it must be flagged TOP.
pub unsafe fn execute(vm: *mut Vm, frame: *mut Frame) {
    #[cfg(debug_assertions)]
    super::promise::assert_none(vm);
    (*vm).current_frame = frame;
    (*vm).entries += 1;
    run(vm, frame, (*frame).opline);
}

#[cfg(opline_dispatch = "tail")]
unsafe fn run(vm: *mut Vm, frame: *mut Frame, opline: *const Op) {
    ((*opline).handler)(frame, opline, vm);
}

#[cfg(not(opline_dispatch = "tail"))]
unsafe fn run(vm: *mut Vm, _frame: *mut Frame, mut opline: *const Op) {
    while !opline.is_null() {
        #[cfg(debug_assertions)]
        super::exceptions::poison_result((*vm).current_frame, opline);
        opline = ((*opline).handler)((*vm).current_frame, opline, vm);
    }
}
