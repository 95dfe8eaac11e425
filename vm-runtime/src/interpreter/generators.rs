//! Generators: GENERATOR_CREATE, YIELD, YIELD_FROM, GENERATOR_RETURN. Not built yet: using one is
//! a clear fatal error.

use crate::frame::Frame;
use crate::op::Op;
use crate::vm::Vm;

/// GENERATOR_CREATE.
pub unsafe fn create(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    (*frame).opline = opline;
    (*vm).fatal_error("Generators are not supported by this version of Opline")
}

/// YIELD.
pub unsafe fn yield_(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    create(frame, opline, vm)
}

/// YIELD_FROM.
pub unsafe fn yield_from(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    create(frame, opline, vm)
}

/// GENERATOR_RETURN.
pub unsafe fn return_(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    create(frame, opline, vm)
}
