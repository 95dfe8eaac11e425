//! What the generated handlers call.

use crate::frame::Frame;
use crate::op::Op;
use crate::value::Zval;
use crate::vm::Vm;

/// Safety of all functions here: the operands belong together, as in the real runtime.
pub mod operand {
    use super::{Frame, Op, Vm, Zval};

    pub unsafe fn constant(opline: *const Op, field: u32) -> *mut Zval {
        unsafe { opline.cast::<u8>().offset(field as i32 as isize).cast::<Zval>().cast_mut() }
    }

    #[inline(always)]
    pub unsafe fn slot(frame: *mut Frame, field: u32) -> *mut Zval {
        unsafe { frame.cast::<u8>().add(field as usize).cast() }
    }

    pub unsafe fn argument(frame: *mut Frame, field: u32) -> *mut Zval {
        unsafe { slot(frame, field) }
    }

    pub unsafe fn jump_target(opline: *const Op, field: u32) -> *const Op {
        unsafe { opline.cast::<u8>().offset(field as i32 as isize).cast() }
    }

    pub unsafe fn deref(value: *mut Zval) -> *mut Zval {
        value
    }

    pub unsafe fn indirect(value: *mut Zval) -> *mut Zval {
        value
    }

    pub unsafe fn free(vm: *mut Vm, value: *mut Zval) {
        unsafe {
            if (*value).is_refcounted() {
                (*vm).freed += 1;
            }
            *value = Zval::UNDEF;
        }
    }

    pub unsafe fn fetch_read(
        frame: *mut Frame,
        opline: *const Op,
        vm: *mut Vm,
        kind: u8,
        field: u32,
    ) -> *const Zval {
        unsafe {
            if kind == crate::op::IS_CONST {
                return constant(opline, field);
            }
            let value = slot(frame, field);
            if (*value).kind() == 0 {
                (*vm).warnings += 1;
            }
            value
        }
    }
}

pub mod intrinsics {
    use super::Zval;

    pub unsafe fn string_length(value: *const Zval) -> i64 {
        unsafe { (*value).long() & 0xff }
    }

    pub unsafe fn array_count(value: *const Zval) -> i64 {
        unsafe { (*value).long() }
    }

    pub unsafe fn same_string(left: *const Zval, right: *const Zval) -> bool {
        unsafe { (*left).payload == (*right).payload }
    }

    pub unsafe fn equal_text(left: *const Zval, right: *const Zval) -> bool {
        unsafe { same_string(left, right) }
    }

    pub unsafe fn not_both_numbers(left: *const Zval, right: *const Zval) -> bool {
        let first = |value: *const Zval| unsafe { (*value).payload >> 8 & 0xff };
        first(left) > u64::from(b'9') || first(right) > u64::from(b'9')
    }

    pub unsafe fn kind_of(value: *const Zval) -> i64 {
        unsafe { i64::from((*value).kind()) }
    }

    pub unsafe fn copy(target: *mut Zval, value: *const Zval) {
        unsafe { *target = *value }
    }

    pub unsafe fn packed_element(array: *const Zval, index: i64) -> Option<*const Zval> {
        unsafe { (index >= 0 && index < (*array).long()).then_some(array) }
    }
}

#[inline(always)]
pub unsafe fn interrupted(vm: *mut Vm) -> bool {
    unsafe { (*vm).interrupt }
}

pub unsafe fn interrupt(_: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    unsafe {
        (*vm).interrupt = false;
        (*vm).interrupts += 1;
    }
    opline
}

pub unsafe fn assign_result(vm: *mut Vm, variable: *mut Zval, value: Zval) {
    unsafe {
        operand::free(vm, variable);
        *variable = value;
    }
}

pub unsafe fn pre_increment(frame: *mut Frame, opline: *const Op, _: *mut Vm) -> *const Op {
    unsafe {
        let variable = operand::slot(frame, (*opline).op1);
        match (*variable).long().checked_add(1) {
            Some(value) => (*variable).set_long(value),
            None => (*variable).set_double((*variable).long() as f64 + 1.0),
        }
        if (*opline).result_type != crate::op::IS_UNUSED {
            *operand::slot(frame, (*opline).result) = *variable;
        }
        opline.add(1)
    }
}

pub unsafe fn string_length(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    unsafe {
        let string = operand::slot(frame, (*opline).op1);
        (*operand::slot(frame, (*opline).result)).set_long((*string).long() & 0xff);
        operand::free(vm, string);
        opline.add(1)
    }
}

/// The slow path of sample opcodes that have no other. It must look as if it came back: the compiler
/// does not turn a call of what never does into a jump.
pub unsafe fn unexpected(_: *mut Frame, opline: *const Op, _: *mut Vm) -> *const Op {
    if std::hint::black_box(true) {
        panic!("slow path of opcode {}", unsafe { (*opline).opcode });
    }
    opline
}

/// Ends the interpreter.
pub unsafe fn halt(_: *mut Frame, _: *const Op, _: *mut Vm) -> *const Op {
    core::ptr::null()
}
