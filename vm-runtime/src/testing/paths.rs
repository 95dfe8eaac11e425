//! The paths of an opcode on values with memory: strings, arrays, references, undefined variables, with one owner
//! and with several. The handlers, with what they jump to on their middle paths, leave behind what the slow path
//! leaves: the same contents, the same counts of owners, and nothing alive that nobody has.

use vm_def::facts::{OperandFacts, ResultPlace, TypeFacts, kind_bits};
use vm_def::grammar::{ExtendedMeaning, UnusedMeaning};
use vm_def::types::TypeMask;

use super::samples::{Sample, describe, samples};
use super::{Harness, STOPPED_AT, stop};
use crate::frame::{Frame, HEADER_SLOTS};
use crate::generated::Opcode;
use crate::generated::selection::select;
use crate::op::{Handler, IS_CV, IS_TMP_VAR, IS_UNUSED, IS_VAR, Op};
use crate::value::{Zval, release};
use crate::vm::Vm;

/// The slots of op1, op2, the result and OP_DATA.
const OP1: u32 = 0;
const OP2: u32 = 1;
const RESULT: u32 = 2;
const DATA: u32 = 3;
/// The opline that jumps lead to.
const JUMP: u32 = 3;

/// What an opline is run on.
#[derive(Clone, Debug)]
struct Case {
    opcode: Opcode,
    /// Kind and value of op1, op2 and OP_DATA.
    operands: [(u8, Sample); 3],
    has_data: bool,
    result_type: u8,
    extended: u32,
}

/// Runs an opcode on all samples that its operands may have, by all of its paths. Gives how many cases there were.
pub fn compare(harness: &mut Harness, opcode: Opcode, slow: Handler) -> usize {
    let mut count = 0;
    for case in cases(opcode) {
        let types = TypeFacts {
            op1: case.operands[0].1.types(),
            op2: case.operands[1].1.types(),
        };
        let mut run = |handler| harness.run_case(&case, handler);
        let paths = [("generic", TypeFacts::UNKNOWN), ("typed", types)];
        let paths = paths.map(|(path, types)| (path, case.handler(types)));
        // What the compiler never makes: operands that `normalise` would swap.
        let [(_, Some(_)), _] = paths else { continue };
        let expected = run(slow);
        for (path, handler) in paths {
            let found = run(handler.expect("a handler for what is known, as without it"));
            assert_eq!(expected, found, "slow and {path} path of {case:?}");
        }
        count += 1;
    }
    count
}

/// Every kind of every operand, each with every sample, the result used and not, and some extended values.
fn cases(opcode: Opcode) -> Vec<Case> {
    let facts = opcode.facts();
    let operand = |operand: Option<&OperandFacts>| -> Vec<(u8, Sample)> {
        let kinds = operand.map_or(vec![IS_UNUSED], kinds);
        let samples = |kind| samples(kind).into_iter().map(move |sample| (kind, sample));
        kinds.into_iter().flat_map(samples).collect()
    };
    let (op1, op2) = (operand(Some(&facts.op1)), operand(Some(&facts.op2)));
    let data = operand(facts.data.as_ref());
    // With OP_DATA there are too many cases to take all: every seventh.
    let step = if facts.data.is_some() { 7 } else { 1 };
    let mut cases = Vec::new();
    for extended in extended_values(opcode) {
        for result_type in result_types(opcode) {
            for op1 in &op1 {
                for op2 in &op2 {
                    // An element without a value has no key.
                    if op1.0 == IS_UNUSED && op2.0 != IS_UNUSED && facts.op1.may_be_value() {
                        continue;
                    }
                    for data in &data {
                        cases.push(Case {
                            opcode,
                            operands: [*op1, *op2, *data],
                            has_data: facts.data.is_some(),
                            result_type,
                            extended,
                        });
                    }
                }
            }
        }
    }
    cases.into_iter().step_by(step).collect()
}

/// The kinds of an operand that the harness can make: what is in slots, and nothing where that means nothing.
fn kinds(operand: &OperandFacts) -> Vec<u8> {
    // What an opcode's handlers are not made for is nothing that it looks at.
    if operand.kinds == kind_bits::ANY {
        return vec![IS_UNUSED];
    }
    let mut kinds = Vec::new();
    for (bit, kind) in [(kind_bits::TMP, IS_TMP_VAR), (kind_bits::CV, IS_CV)] {
        if operand.kinds & bit != 0 {
            kinds.push(kind);
        }
    }
    let means_nothing = matches!(operand.meaning, UnusedMeaning::Next | UnusedMeaning::None);
    if kinds.is_empty() || operand.kinds & kind_bits::UNUSED != 0 && means_nothing {
        kinds.push(IS_UNUSED);
    }
    kinds
}

fn result_types(opcode: Opcode) -> Vec<u8> {
    let result = opcode.facts().result;
    let mut types = Vec::new();
    for (bit, kind) in [
        (kind_bits::TMP, IS_TMP_VAR),
        (kind_bits::VAR, IS_VAR),
        (kind_bits::UNUSED, IS_UNUSED),
    ] {
        let is_slot = kind == IS_UNUSED || result.place == ResultPlace::Slot;
        if result.kinds & bit != 0 && is_slot {
            types.push(kind);
        }
    }
    types
}

/// What decides what the opcode does.
fn extended_values(opcode: Opcode) -> Vec<u32> {
    let facts = opcode.facts();
    let binary = [Opcode::ADD, Opcode::MUL, Opcode::CONCAT, Opcode::BW_OR];
    match facts.extended {
        [ExtendedMeaning::Op, ..] => binary.map(|opcode| opcode as u32).to_vec(),
        [ExtendedMeaning::Type, ..] => vec![4, 5, 6, 7, 17],
        [ExtendedMeaning::TypeMask, ..] => vec![0x54, 0x82],
        [ExtendedMeaning::Isset, ..] => vec![0, 1],
        [ExtendedMeaning::ArrayInit, ..] => vec![2 << 2],
        _ => vec![0],
    }
}

impl Case {
    /// The opline and the two behind it, not to be executed.
    fn oplines(&self) -> [Op; 4] {
        let offset = |slot: u32| (HEADER_SLOTS + slot) * size_of::<Zval>() as u32;
        let field = |kind: u8, slot: u32| if kind == IS_UNUSED { 0 } else { offset(slot) };
        let [op1, op2, data] = self.operands.map(|(kind, _)| kind);
        let jumps = self.opcode.facts().effects.jumps_op2;
        let op = Op {
            handler: stop,
            op1: field(op1, OP1),
            op2: match jumps {
                true => JUMP * size_of::<Op>() as u32,
                false => field(op2, OP2),
            },
            result: field(self.result_type, RESULT),
            extended_value: self.extended,
            lineno: 1,
            opcode: self.opcode as u8,
            op1_type: op1,
            op2_type: op2,
            result_type: self.result_type,
        };
        let end = Op {
            opcode: Opcode::NOP as u8,
            ..op
        };
        let op_data = Op {
            op1: field(data, DATA),
            op1_type: data,
            op2_type: IS_UNUSED,
            result_type: IS_UNUSED,
            opcode: Opcode::OP_DATA as u8,
            ..op
        };
        let second = if self.has_data { op_data } else { end };
        [op, second, end, end]
    }

    /// The handler that is selected if so much is known of the operands.
    fn handler(&self, types: TypeFacts) -> Option<Handler> {
        let [op, data, ..] = self.oplines();
        select(&op, self.has_data.then_some(&data), types)
    }
}

impl Harness {
    /// What a handler leaves behind; nothing stays alive.
    fn run_case(&mut self, case: &Case, handler: Handler) -> Vec<String> {
        let alive = self.vm.heap.live();
        let seen = self.run_case_once(case, handler);
        // What is kept from the first time on is no leak.
        if self.vm.heap.live() != alive {
            let alive = self.vm.heap.live();
            self.run_case_once(case, handler);
            assert_eq!(self.vm.heap.live(), alive, "left alive by {case:?}");
        }
        seen
    }

    fn run_case_once(&mut self, case: &Case, handler: Handler) -> Vec<String> {
        let facts = case.opcode.facts();
        let [op1, op2, data] = case.operands.map(|(kind, _)| kind);
        let mut ops = case.oplines();
        ops[0].handler = handler;
        let mut memory = [Zval::UNDEF; HEADER_SLOTS as usize + super::SLOTS];
        let frame = memory.as_mut_ptr().cast::<Frame>();
        let mut witnesses = Vec::new();
        let mut seen = Vec::new();
        // SAFETY: frame, oplines and VM live until the end of this function; the operands own
        // their values as invariant I3 wants it.
        unsafe {
            (*frame).function = &*self.function;
            for ((_, sample), slot) in case.operands.iter().zip([OP1, OP2, DATA]) {
                sample.put(&mut self.vm, (*frame).slot(slot), &mut witnesses);
            }
            if facts.result.same_as_before {
                *(*frame).slot(RESULT) = self.vm.new_array().into_value().into_zval();
            }
            let vm: *mut Vm = &mut *self.vm;
            (*vm).current_frame = frame;
            STOPPED_AT.set(std::ptr::null());
            let mut opline = ops.as_ptr();
            while !opline.is_null() {
                opline = ((*opline).handler)(frame, opline, vm);
            }
            (*vm).current_frame = std::ptr::null_mut();
            let thrown = !(*vm).exception.is_null();
            drop((*vm).take_exception());
            let stopped = STOPPED_AT.get();
            let at = ops.iter().position(|op| std::ptr::eq(op, stopped));
            seen.push(match thrown {
                true => "throws".to_owned(),
                false => format!("goes on at {at:?}"),
            });
            let result = (*frame).slot(RESULT);
            // An opline that throws may leave its result as it is, and so may one whose result is that of one branch.
            let is_of_branch = facts.effects.jumps_op2 && facts.result.types == TypeMask::ANY;
            let is_open = thrown || is_of_branch && at == Some(1);
            if !is_open {
                seen.push(format!("result {}", describe(&*result)));
            }
            let operands = [
                (OP1, op1, facts.op1.consumed),
                (OP2, op2, facts.op2.consumed),
                (DATA, data, facts.data.is_some_and(|data| data.consumed)),
            ];
            for (slot, kind, is_consumed) in operands {
                // What is consumed is gone.
                if kind == IS_CV || kind == IS_TMP_VAR && !is_consumed {
                    let value = (*frame).slot(slot);
                    seen.push(format!("slot {slot}: {}", describe(&*value)));
                }
            }
            seen.extend(
                witnesses
                    .iter()
                    .map(|value| format!("elsewhere {}", describe(value))),
            );
            for (slot, kind, is_consumed) in operands {
                if kind == IS_CV || kind == IS_TMP_VAR && !is_consumed {
                    release((*frame).slot(slot));
                }
            }
            release(result);
            for witness in &witnesses {
                release(witness);
            }
        }
        seen
    }
}

/// A handler that has an allocation and forgets it.
unsafe extern "C-unwind" fn forget(_: *mut Frame, opline: *const Op, vm: *mut Vm) -> *const Op {
    // SAFETY: the VM is live, and so is the opline behind the one that is executed.
    unsafe {
        std::mem::forget((*vm).string(b"forgotten"));
        opline.add(1)
    }
}

/// Another opcode's handler does not do the same.
#[test]
#[should_panic(expected = "slow and generic path")]
fn what_differs_is_found() {
    let other = cases(Opcode::BOOL)[0].handler(TypeFacts::UNKNOWN);
    let other = other.expect("a handler");
    compare(&mut Harness::new(), Opcode::QM_ASSIGN, other);
}

#[test]
#[should_panic(expected = "left alive")]
fn what_is_left_alive_is_found() {
    compare(&mut Harness::new(), Opcode::FREE, forget);
}
