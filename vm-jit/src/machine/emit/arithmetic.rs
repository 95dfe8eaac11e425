//! Operations on integers and floats.
#![allow(
    clippy::useless_conversion,
    reason = "what the assembler's macro expands to"
)]

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use regalloc2::Inst;
use vm_def::ir::{BinaryOperation, OverflowOperation, UnaryOperation};

use super::super::instruction::Right;
use super::super::registers::SCRATCH_DOUBLE;
use super::{Emitter, number};

impl Emitter<'_> {
    pub(super) fn unary(&mut self, operation: UnaryOperation, target: u8, source: u8) {
        let ops = &mut self.assembler;
        match operation {
            UnaryOperation::NegateLong => dynasm!(ops ; .arch x64 ; neg Rq(target)),
            UnaryOperation::NotLong => dynasm!(ops ; .arch x64 ; not Rq(target)),
            UnaryOperation::NotBool => dynasm!(ops ; .arch x64 ; xor Rd(target), BYTE 1),
            UnaryOperation::NegateDouble => {
                let sign = i64::MIN;
                dynasm!(ops
                    ; .arch x64
                    ; mov r11, QWORD sign
                    ; movq Rx(SCRATCH_DOUBLE), r11
                    ; xorpd Rx(target), Rx(SCRATCH_DOUBLE)
                );
            }
            UnaryOperation::LongToDouble => dynasm!(ops
                ; .arch x64
                ; xorps Rx(target), Rx(target)
                ; cvtsi2sd Rx(target), Rq(source)
            ),
            UnaryOperation::BoolToLong => {
                dynasm!(ops ; .arch x64 ; mov Rd(target), Rd(source));
            }
            UnaryOperation::LongToPointer | UnaryOperation::PointerToLong => {
                if target != source {
                    dynasm!(ops ; .arch x64 ; mov Rq(target), Rq(source));
                }
            }
            UnaryOperation::IsNull => dynasm!(ops
                ; .arch x64
                ; test Rq(source), Rq(source)
                ; sete Rb(target)
                ; movzx Rd(target), Rb(target)
            ),
        }
    }

    /// The register of a right operand; constants stay what they are.
    pub(super) fn right(&self, right: Right, instruction: Inst) -> Right {
        match right {
            Right::Register(index) => {
                Right::Register(usize::from(number(self.operand(instruction, index))))
            }
            constant => constant,
        }
    }

    pub(super) fn checked(&mut self, operation: OverflowOperation, target: u8, right: Right) {
        let ops = &mut self.assembler;
        match (operation, right) {
            (OverflowOperation::Add, Right::Register(right)) => {
                dynasm!(ops ; .arch x64 ; add Rq(target), Rq(right as u8));
            }
            (OverflowOperation::Add, Right::Immediate(value)) => {
                short!(ops, value; add Rq(target));
            }
            (OverflowOperation::Sub, Right::Register(right)) => {
                dynasm!(ops ; .arch x64 ; sub Rq(target), Rq(right as u8));
            }
            (OverflowOperation::Sub, Right::Immediate(value)) => {
                short!(ops, value; sub Rq(target));
            }
            (OverflowOperation::Mul, Right::Register(right)) => {
                dynasm!(ops ; .arch x64 ; imul Rq(target), Rq(right as u8));
            }
            (OverflowOperation::Mul, Right::Immediate(value)) => {
                short!(ops, value; imul Rq(target), Rq(target));
            }
            (_, Right::Constant(_)) => unreachable!("integers have no float operands"),
        }
    }

    pub(super) fn binary(
        &mut self,
        operation: BinaryOperation,
        target: u8,
        right: Right,
        instruction: Inst,
    ) {
        use BinaryOperation::*;
        let right = self.right(right, instruction);
        match operation {
            AddLong => self.checked(OverflowOperation::Add, target, right),
            SubLong => self.checked(OverflowOperation::Sub, target, right),
            MulLong => self.checked(OverflowOperation::Mul, target, right),
            DivLong | RemLong => self.divide(operation, right),
            AddDouble | SubDouble | MulDouble | DivDouble => {
                self.float(operation, target, right);
            }
            ShlLong | ShrLong => self.shift(operation, target, right),
            _ => self.bits(operation, target, right),
        }
    }

    pub(super) fn bits(&mut self, operation: BinaryOperation, target: u8, right: Right) {
        use BinaryOperation::*;
        let ops = &mut self.assembler;
        match (operation, right) {
            (AndLong | AndBool, Right::Register(right)) => {
                dynasm!(ops ; .arch x64 ; and Rq(target), Rq(right as u8));
            }
            (AndLong | AndBool, Right::Immediate(value)) => {
                short!(ops, value; and Rq(target));
            }
            (OrLong | OrBool, Right::Register(right)) => {
                dynasm!(ops ; .arch x64 ; or Rq(target), Rq(right as u8));
            }
            (OrLong | OrBool, Right::Immediate(value)) => {
                short!(ops, value; or Rq(target));
            }
            (XorLong | XorBool, Right::Register(right)) => {
                dynasm!(ops ; .arch x64 ; xor Rq(target), Rq(right as u8));
            }
            (XorLong | XorBool, Right::Immediate(value)) => {
                short!(ops, value; xor Rq(target));
            }
            _ => unreachable!("comparisons are tests"),
        }
    }

    pub(super) fn shift(&mut self, operation: BinaryOperation, target: u8, right: Right) {
        let left = operation == BinaryOperation::ShlLong;
        let ops = &mut self.assembler;
        match (left, right) {
            (true, Right::Immediate(count)) => {
                dynasm!(ops ; .arch x64 ; shl Rq(target), (count & 63) as i8);
            }
            (false, Right::Immediate(count)) => {
                dynasm!(ops ; .arch x64 ; sar Rq(target), (count & 63) as i8);
            }
            (true, _) => dynasm!(ops ; .arch x64 ; shl Rq(target), cl),
            (false, _) => dynasm!(ops ; .arch x64 ; sar Rq(target), cl),
        }
    }

    /// Divides `rax`; the divisor is not zero.
    pub(super) fn divide(&mut self, operation: BinaryOperation, right: Right) {
        let Right::Register(right) = right else {
            unreachable!("divisors are in registers");
        };
        let right = right as u8;
        let ops = &mut self.assembler;
        // The processor traps where the smallest integer is divided by -1.
        match operation {
            BinaryOperation::DivLong => dynasm!(ops
                ; .arch x64
                ; cmp Rq(right), -1
                ; je >minus
                ; cqo
                ; idiv Rq(right)
                ; jmp >done
                ; minus:
                ; neg rax
                ; done:
            ),
            _ => dynasm!(ops
                ; .arch x64
                ; xor edx, edx
                ; cmp Rq(right), -1
                ; je >done
                ; cqo
                ; idiv Rq(right)
                ; done:
            ),
        }
    }

    pub(super) fn float(&mut self, operation: BinaryOperation, target: u8, right: Right) {
        use BinaryOperation::*;
        let right = match right {
            Right::Constant(bits) => Err(self.double(bits)),
            Right::Register(right) => Ok(right as u8),
            Right::Immediate(_) => unreachable!("floats have no integer operands"),
        };
        let ops = &mut self.assembler;
        match (operation, right) {
            (AddDouble, Ok(right)) => dynasm!(ops ; .arch x64 ; addsd Rx(target), Rx(right)),
            (AddDouble, Err(label)) => dynasm!(ops ; .arch x64 ; addsd Rx(target), [=>label]),
            (SubDouble, Ok(right)) => dynasm!(ops ; .arch x64 ; subsd Rx(target), Rx(right)),
            (SubDouble, Err(label)) => dynasm!(ops ; .arch x64 ; subsd Rx(target), [=>label]),
            (MulDouble, Ok(right)) => dynasm!(ops ; .arch x64 ; mulsd Rx(target), Rx(right)),
            (MulDouble, Err(label)) => dynasm!(ops ; .arch x64 ; mulsd Rx(target), [=>label]),
            (_, Ok(right)) => dynasm!(ops ; .arch x64 ; divsd Rx(target), Rx(right)),
            (_, Err(label)) => dynasm!(ops ; .arch x64 ; divsd Rx(target), [=>label]),
        }
    }
}
