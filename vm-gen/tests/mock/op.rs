//! Oplines.

use crate::frame::Frame;
use crate::vm::Vm;

pub const IS_UNUSED: u8 = 0;
pub const IS_CONST: u8 = 1;
pub const IS_TMP_VAR: u8 = 2;
pub const IS_VAR: u8 = 4;
pub const IS_CV: u8 = 8;
pub const IS_SMART_BRANCH_JMPZ: u8 = 1 << 4;
pub const IS_SMART_BRANCH_JMPNZ: u8 = 1 << 5;

pub type Handler = unsafe extern "C-unwind" fn(*mut Frame, *const Op, *mut Vm) -> *const Op;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Op {
    pub handler: Handler,
    pub op1: u32,
    pub op2: u32,
    pub result: u32,
    pub extended_value: u32,
    pub lineno: u32,
    pub opcode: u8,
    pub op1_type: u8,
    pub op2_type: u8,
    pub result_type: u8,
}
