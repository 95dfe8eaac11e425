//! What the generated tests need: runs one opline on given values.

use vm_def::facts::{TypeFacts, kind_bits};
use vm_def::grammar::JumpField;
use vm_def::ir::{AbstractValue, Machine, Outcome};

use crate::frame::Frame;
use crate::generated::opcode::Opcode;
use crate::generated::selection::select;
use crate::op::*;
use crate::value::Zval;
use crate::vm::Vm;

const FIRST_SLOT: u32 = core::mem::offset_of!(Frame, slots) as u32;

/// Runs single oplines.
pub struct Harness;

unsafe extern "C-unwind" fn stop(_: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    unsafe { (*vm).stopped_at = opline };
    core::ptr::null()
}

impl Harness {
    pub fn new() -> Harness {
        Harness
    }

    /// Runs the opcode with this handler, or with the one that is selected by the types.
    pub fn run(
        &mut self,
        opcode: Opcode,
        handler: Option<Handler>,
        types: TypeFacts,
        start: &Machine,
    ) -> (Outcome, Machine) {
        let facts = opcode.facts();
        let kind = |kinds: u8| {
            let order = [kind_bits::TMP, kind_bits::CV, kind_bits::VAR, kind_bits::CONST];
            order.into_iter().find(|bit| kinds & bit != 0).unwrap_or(0)
        };
        let mut op = Op {
            handler: stop,
            op1: FIRST_SLOT,
            op2: FIRST_SLOT + 16,
            result: FIRST_SLOT + 32,
            extended_value: start.extended,
            lineno: 0,
            opcode: opcode as u8,
            op1_type: kind(facts.op1.kinds),
            op2_type: kind(facts.op2.kinds),
            result_type: kind(facts.result.kinds),
        };
        op.handler = handler.or_else(|| select(&op, None, types)).expect("a handler");
        // The next opline, and the one that jumps lead to.
        let end = Op { handler: stop, ..op };
        if facts.effects.jumps_op2 {
            op.op2 = 64;
        }
        let ops = [op, end, end];
        let mut frame = Frame {
            opline: core::ptr::null(),
            this: Zval::UNDEF,
            slots: [Zval::UNDEF; 16],
        };
        frame.slots[0] = into_zval(&start.op1);
        frame.slots[1] = into_zval(&start.op2);
        let mut vm = Vm { current_frame: &mut frame, ..Vm::default() };
        let (frame, vm): (*mut Frame, *mut Vm) = (&mut frame, &mut vm);
        let slots = unsafe {
            let mut opline = ops.as_ptr();
            while !opline.is_null() {
                opline = ((*opline).handler)(frame, opline, vm);
            }
            (*frame).slots
        };
        let outcome = match unsafe { (*vm).stopped_at.offset_from(ops.as_ptr()) } {
            1 => Outcome::Next,
            _ => Outcome::Jumped(JumpField::Op2),
        };
        let machine = Machine {
            op1: from_zval(slots[0]),
            op2: from_zval(slots[1]),
            result: from_zval(slots[2]),
            extended: start.extended,
        };
        (outcome, machine)
    }
}

fn into_zval(value: &AbstractValue) -> Zval {
    let mut zval = Zval::UNDEF;
    match value {
        AbstractValue::Undef | AbstractValue::Opaque(_) => {}
        AbstractValue::Null => zval.set_null(),
        AbstractValue::Bool(value) => zval.set_bool(*value),
        AbstractValue::Long(value) => zval.set_long(*value),
        AbstractValue::Double(value) => zval.set_double(*value),
        AbstractValue::String(bytes) => zval = Zval::of_text(bytes),
        AbstractValue::Array(elements) => zval = Zval::counted(7, elements.len() as u64),
    }
    zval
}

fn from_zval(zval: Zval) -> AbstractValue {
    match zval.kind() {
        0 => AbstractValue::Undef,
        1 => AbstractValue::Null,
        2 => AbstractValue::Bool(false),
        3 => AbstractValue::Bool(true),
        4 => AbstractValue::Long(zval.long()),
        5 => AbstractValue::Double(zval.double()),
        6 => AbstractValue::String(zval.text()),
        kind => AbstractValue::Opaque(kind),
    }
}
