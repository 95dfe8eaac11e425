//! Programs for the mock interpreter.

use vm_def::facts::TypeFacts;
use vm_def::types::TypeMask;

use crate::frame::Frame;
use crate::generated::opcode::Opcode;
use crate::generated::selection::{normalise, select, select_index};
use crate::generated::table::HANDLER_NAMES;
use crate::op::*;
use crate::value::Zval;
use crate::vm::Vm;

const FIRST_SLOT: u32 = core::mem::offset_of!(Frame, slots) as u32;

/// An operand before it is published.
#[derive(Clone, Copy)]
enum Operand {
    None,
    Number(u32),
    Const(usize),
    Tmp(u32),
    Cv(u32),
    Jump(usize),
}
use Operand::{Const, Cv, Jump, None as No, Number, Tmp};

struct Program {
    ops: Vec<Op>,
    literals: Vec<Zval>,
    // Literals follow the oplines, as in the real runtime.
    memory: Vec<u128>,
}

extern "C-unwind" fn invalid(_: *mut Frame, _: *const Op, _: *mut Vm) -> *const Op {
    panic!("not published")
}

impl Program {
    fn new(literals: &[Zval]) -> Program {
        Program { ops: Vec::new(), literals: literals.to_vec(), memory: Vec::new() }
    }

    fn add(&mut self, opcode: Opcode, op1: Operand, op2: Operand, result: Operand) -> &mut Op {
        let encode = |operand| match operand {
            No => (IS_UNUSED, 0),
            Number(number) => (IS_UNUSED, number),
            Const(index) => (IS_CONST, index as u32),
            Tmp(number) => (IS_TMP_VAR, FIRST_SLOT + number * 16),
            Cv(number) => (IS_CV, FIRST_SLOT + number * 16),
            Jump(target) => (IS_UNUSED, target as u32),
        };
        let (op1_type, op1) = encode(op1);
        let (op2_type, op2) = encode(op2);
        let (result_type, result) = encode(result);
        self.ops.push(Op {
            handler: invalid,
            op1,
            op2,
            result,
            extended_value: 0,
            lineno: 0,
            opcode: opcode as u8,
            op1_type,
            op2_type,
            result_type,
        });
        self.ops.last_mut().unwrap()
    }

    fn publish(&mut self, types: TypeFacts) {
        let count = self.ops.len();
        for index in 0..count {
            let data = self.ops.get(index + 1).copied();
            let op = &mut self.ops[index];
            normalise(op);
            if op.opcode == Opcode::OP_DATA as u8 {
            } else {
                op.handler = select(op, data.as_ref(), types).expect("no such handler");
            }
            let relative = |target: u32| ((target as i32 - index as i32) * 32) as u32;
            let literal = |number: u32| ((count - index) * 32 + number as usize * 16) as u32;
            for (kind, field) in [(op.op1_type, &mut op.op1), (op.op2_type, &mut op.op2)] {
                if kind == IS_CONST {
                    *field = literal(*field);
                }
            }
            let facts = Opcode::from_number(op.opcode).unwrap().facts();
            if facts.effects.jumps_op1 {
                op.op1 = relative(op.op1);
            }
            if facts.effects.jumps_op2 {
                op.op2 = relative(op.op2);
            }
        }
        self.memory = vec![0; count * 2 + self.literals.len()];
        let target = self.memory.as_mut_ptr();
        unsafe {
            core::ptr::copy_nonoverlapping(self.ops.as_ptr(), target.cast(), count);
            let literals = target.add(count * 2).cast();
            core::ptr::copy_nonoverlapping(self.literals.as_ptr(), literals, self.literals.len());
        }
    }

    fn run(&mut self, frame: &mut Frame, vm: &mut Vm) {
        let frame: *mut Frame = frame;
        vm.current_frame = frame;
        let vm: *mut Vm = vm;
        unsafe {
            let mut opline: *const Op = self.memory.as_ptr().cast();
            while !opline.is_null() {
                opline = ((*opline).handler)((*vm).current_frame, opline, vm);
            }
        }
    }
}

fn frame() -> Frame {
    Frame { opline: core::ptr::null(), this: Zval::UNDEF, slots: [Zval::UNDEF; 16] }
}

fn vm() -> Vm {
    Vm { interrupt: true, ..Vm::default() }
}

pub fn run() {
    counting_loop(TypeFacts::UNKNOWN);
    counting_loop(TypeFacts { op1: TypeMask::LONG, op2: TypeMask::LONG });
    selection();
    results();
    text();
}

/// `$i = 0; $sum = 0; do { $sum = $sum + $i; ++$i; } while ($i < 1000000);`
fn counting_loop(types: TypeFacts) {
    let mut program = Program::new(&[Zval::of_long(0), Zval::of_long(1_000_000)]);
    program.add(Opcode::ASSIGN, Cv(0), Const(0), No);
    program.add(Opcode::ASSIGN, Cv(1), Const(0), No);
    program.add(Opcode::ADD, Cv(1), Cv(0), Cv(1));
    // The ASSIGN that the ADD stands for: skipped.
    program.add(Opcode::ASSIGN, Cv(1), Const(0), No);
    program.add(Opcode::PRE_INC, Cv(0), No, No);
    program.add(Opcode::IS_SMALLER, Cv(0), Const(1), Tmp(2)).result_type =
        IS_TMP_VAR | IS_SMART_BRANCH_JMPZ;
    program.add(Opcode::JMPZ, Tmp(2), Jump(8), No);
    program.add(Opcode::JMP, Jump(2), No, No);
    program.add(Opcode::RETURN, Cv(1), No, No);
    program.publish(types);
    let (mut frame, mut vm) = (frame(), vm());
    program.run(&mut frame, &mut vm);
    assert_eq!(frame.slots[1], Zval::of_long(499_999_500_000));
    assert_eq!(vm.interrupts, 1);
    assert_eq!(vm.slow_calls, 0);
}

fn selection() {
    let name = |op: &Op, data: Option<&Op>, types| {
        let mut op = *op;
        normalise(&mut op);
        select_index(&op, data, types).map_or("-", |index| HANDLER_NAMES[index])
    };
    let mut program = Program::new(&[]);
    program.add(Opcode::MUL, Const(0), Cv(0), Tmp(1));
    program.add(Opcode::MUL, Tmp(0), Cv(0), Cv(1));
    program.add(Opcode::ASSIGN_DIM, Cv(0), Number(0), Tmp(1));
    program.add(Opcode::OP_DATA, Const(0), No, No);
    program.add(Opcode::SEND_VAR_EX, Cv(0), Number(12), No);
    program.add(Opcode::SEND_VAR_EX, Cv(0), Number(13), No);
    program.add(Opcode::ISSET_ISEMPTY_CV, Cv(0), No, Tmp(1)).extended_value = 1;
    program.add(Opcode::CONCAT, Const(0), Const(0), Tmp(1));
    let ops = &program.ops;
    let double = TypeFacts { op1: TypeMask::DOUBLE, op2: TypeMask::DOUBLE };
    assert_eq!(name(&ops[0], None, TypeFacts::UNKNOWN), "mul__tmpvarcv_const");
    assert_eq!(name(&ops[0], None, double), "mul_double__tmpvarcv_const");
    assert_eq!(name(&ops[1], None, TypeFacts::UNKNOWN), "mul__tmpvarcv_tmpvarcv_result_cv");
    assert_eq!(name(&ops[2], Some(&ops[3]), TypeFacts::UNKNOWN), "assign_dim__cv_unused_data_const");
    assert_eq!(name(&ops[2], None, TypeFacts::UNKNOWN), "-");
    assert_eq!(name(&ops[4], None, TypeFacts::UNKNOWN), "send_var_ex__cv_unused_quick");
    assert_eq!(name(&ops[5], None, TypeFacts::UNKNOWN), "send_var_ex__cv_unused_any_arg");
    assert_eq!(name(&ops[6], None, TypeFacts::UNKNOWN), "isset_isempty_cv__cv_empty");
    let mut bad = ops[0];
    bad.result_type = IS_UNUSED;
    assert_eq!(name(&bad, None, TypeFacts::UNKNOWN), "-");
    bad.opcode = 200;
    assert_eq!(name(&bad, None, TypeFacts::UNKNOWN), "-");
}

/// Freed operands, warnings, slow paths, results in variables.
fn results() {
    let mut program = Program::new(&[Zval::of_long(5), Zval::of_double(0.5)]);
    program.add(Opcode::STRLEN, Tmp(0), No, Tmp(1));
    program.add(Opcode::ADD, Tmp(1), Const(1), Cv(2));
    program.add(Opcode::ASSIGN, Cv(2), Const(0), No);
    program.add(Opcode::ADD, Cv(3), Const(0), Cv(4));
    program.add(Opcode::ASSIGN, Cv(4), Const(0), No);
    program.add(Opcode::ASSIGN_DIM, Cv(5), Const(0), Tmp(6));
    program.add(Opcode::OP_DATA, Const(0), No, No);
    program.add(Opcode::CONCAT, Tmp(7), Cv(5), Tmp(8));
    program.add(Opcode::IS_EQUAL, Cv(9), Const(0), Tmp(10)).result_type =
        IS_TMP_VAR | IS_SMART_BRANCH_JMPNZ;
    program.add(Opcode::JMPZ, Tmp(10), Jump(0), No);
    program.add(Opcode::RETURN, Const(0), No, No);
    program.publish(TypeFacts::UNKNOWN);
    let (mut frame, mut vm) = (frame(), vm());
    frame.slots[0] = Zval::counted(6, 3);
    frame.slots[4] = Zval::counted(6, 9);
    frame.slots[7] = Zval::counted(6, 1);
    program.run(&mut frame, &mut vm);
    assert_eq!(frame.slots[0], Zval::UNDEF, "a consumed string is freed");
    assert_eq!(frame.slots[1], Zval::of_long(3));
    assert_eq!(frame.slots[2], Zval::of_double(3.5));
    assert_eq!(frame.slots[4], Zval::of_double(5.0), "the old value is released");
    assert_eq!(frame.slots[5], Zval::of_long(10));
    assert_eq!(frame.slots[6], Zval::of_long(10));
    assert_eq!(frame.slots[8], Zval::of_long(11));
    assert_eq!(frame.slots[10], Zval::UNDEF, "a smart branch writes no result");
    assert_eq!(vm.freed, 3);
    assert_eq!(vm.warnings, 2);
}

struct Names;

impl vm_def::disassembly::OperandPrinter for Names {
    fn literal(&self, field: u32) -> String {
        format!("int({field})")
    }

    fn variable(&self, kind: u8, field: u32) -> String {
        let number = (field - FIRST_SLOT) / 16;
        match kind {
            IS_CV => format!("CV{number}($v{number})"),
            IS_VAR => format!("V{number}"),
            _ => format!("T{number}"),
        }
    }

    fn jump_target(&self, field: u32) -> u32 {
        field
    }

    fn jump_table(&self, _: u32) -> Vec<(String, u32)> {
        Vec::new()
    }

    fn opcode_name(&self, number: u32) -> Option<&'static str> {
        Opcode::from_number(number as u8).map(Opcode::name)
    }

    fn frameless_function(&self, index: u32) -> String {
        index.to_string()
    }
}

/// The forms of appendix B.
fn text() {
    let mut program = Program::new(&[]);
    program.add(Opcode::ADD, Cv(0), Const(1), Tmp(5));
    program.add(Opcode::JMPZ, Tmp(5), Jump(9), No);
    program.add(Opcode::JMP, Jump(10), No, No);
    program.add(Opcode::ASSIGN_DIM, Cv(0), No, No);
    program.add(Opcode::OP_DATA, Const(2), No, No);
    program.add(Opcode::ISSET_ISEMPTY_CV, Cv(2), No, Tmp(5));
    program.add(Opcode::SEND_VAR_EX, Cv(0), Number(1), No);
    let lines: Vec<String> = program
        .ops
        .iter()
        .map(|op| crate::generated::disassembler::print(op, &Names))
        .collect();
    let expected = [
        "T5 = ADD CV0($v0) int(1)",
        "JMPZ T5 0009",
        "JMP 0010",
        "ASSIGN_DIM CV0($v0) NEXT",
        "OP_DATA int(2)",
        "T5 = ISSET_ISEMPTY_CV (isset) CV2($v2)",
        "SEND_VAR_EX CV0($v0) 1",
    ];
    assert_eq!(lines, expected);
}
