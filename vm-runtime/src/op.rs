//! Oplines: the 32-byte instructions of op arrays.

use crate::frame::Frame;
use crate::vm::Vm;

/// Operand kind: not used, or an immediate number.
pub const IS_UNUSED: u8 = 0;
/// Operand kind: literal.
pub const IS_CONST: u8 = 1;
/// Operand kind: temporary, consumed once; never undefined, a reference or INDIRECT.
pub const IS_TMP_VAR: u8 = 2;
/// Operand kind: temporary that may hold a reference or an INDIRECT.
pub const IS_VAR: u8 = 4;
/// Operand kind: compiled variable.
pub const IS_CV: u8 = 8;
/// Result flag: the opline does the following JMPZ itself.
pub const IS_SMART_BRANCH_JMPZ: u8 = 1 << 4;
/// Result flag: the opline does the following JMPNZ itself.
pub const IS_SMART_BRANCH_JMPNZ: u8 = 1 << 5;
/// In extended_value of INIT_ARRAY and ADD_ARRAY_ELEMENT: the element is taken by reference.
pub const ELEMENT_BY_REFERENCE: u32 = 1;
/// Result flag of an opline that prepares a call: the variable of op1 keeps what it holds until the call has been made.
pub const KEPT_OP1: u8 = 1 << 6;

/// What every opline points to: executes it and continues with the next.
///
/// # Safety
/// Frame, opline and VM belong together and hold the invariants I1 to I6 of ARCHITECTURE.md.
pub type Handler = unsafe extern "C-unwind" fn(*mut Frame, *const Op, *mut Vm) -> *const Op;

/// An instruction.
///
/// While compiled, an operand is a number: of a literal, a temporary, a CV or an opline. Once
/// published, a CONST operand is the signed byte offset of its literal from the opline, TMP, VAR
/// and CV operands are byte offsets from the frame, and jump targets are signed byte offsets from
/// the opline.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Op {
    /// Machine code of this opline. First, so that dispatch is one indirect jump.
    pub handler: Handler,
    /// First operand.
    pub op1: u32,
    /// Second operand.
    pub op2: u32,
    /// Where the result goes.
    pub result: u32,
    /// Meaning by opcode.
    pub extended_value: u32,
    /// Source line, 1-based.
    pub lineno: u32,
    /// Number of the opcode.
    pub opcode: u8,
    /// Kind of `op1`.
    pub op1_type: u8,
    /// Kind of `op2`.
    pub op2_type: u8,
    /// Kind of the result, with the smart-branch flags.
    pub result_type: u8,
}

const _: () = assert!(size_of::<Op>() == 32);
const _: () = assert!(std::mem::offset_of!(Op, handler) == 0);
const _: () = assert!(std::mem::offset_of!(Op, op1) == 8);
const _: () = assert!(std::mem::offset_of!(Op, opcode) == 28);

// SAFETY: plain data and a function pointer.
unsafe impl Send for Op {}
// SAFETY: as above.
unsafe impl Sync for Op {}

impl std::fmt::Debug for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} {}:{} {}:{} -> {}:{} ext {}",
            self.opcode,
            self.op1_type,
            self.op1,
            self.op2_type,
            self.op2,
            self.result_type,
            self.result,
            self.extended_value
        )
    }
}

impl Op {
    /// An opline without operands, not published.
    pub fn new(opcode: u8, lineno: u32) -> Op {
        Op {
            handler: unpublished,
            op1: 0,
            op2: 0,
            result: 0,
            extended_value: 0,
            lineno,
            opcode,
            op1_type: IS_UNUSED,
            op2_type: IS_UNUSED,
            result_type: IS_UNUSED,
        }
    }
}

/// The handler of oplines that were not published: executing one is a defect of the engine.
unsafe extern "C-unwind" fn unpublished(_: *mut Frame, _: *const Op, _: *mut Vm) -> *const Op {
    panic!("an opline was executed before its op array was published")
}
