//! Tests, and jumps that depend on them.
#![allow(
    clippy::useless_conversion,
    reason = "what the assembler's macro expands to"
)]

use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use regalloc2::Inst;
use vm_def::ir::{BinaryOperation, Field, FieldKind};
use vm_def::types::TypeMask;
use vm_runtime::generated::layout::FIELD_OFFSETS;

use super::super::instruction::{Condition, Right, Test};
use super::super::registers::SCRATCH_DOUBLE;
use super::super::survey::OfField;
use super::{Address, Base, Emitter, number};

impl Emitter<'_> {
    /// Compares, so that the processor's flags answer; gives the code to jump on if the answer is
    /// yes, and whether an unordered comparison of floats has to be looked at.
    fn test(&mut self, test: Test, instruction: Inst) -> Flags {
        match test {
            Test::Bool(index) => {
                let value = number(self.operand(instruction, index));
                dynasm!(self.assembler ; .arch x64 ; test Rb(value), 1);
                Flags::NotEqual
            }
            Test::Long(operation, left, right) => {
                let left = number(self.operand(instruction, left));
                let right = self.right(right, instruction);
                let ops = &mut self.assembler;
                match right {
                    Right::Immediate(0) => dynasm!(ops ; .arch x64 ; test Rq(left), Rq(left)),
                    Right::Immediate(value) => compare(ops, left, value),
                    Right::Register(right) => {
                        dynasm!(ops ; .arch x64 ; cmp Rq(left), Rq(right as u8));
                    }
                    Right::Constant(_) => unreachable!("integers have no float operands"),
                }
                Flags::of(operation)
            }
            Test::Bits(index, mask) => {
                let value = number(self.operand(instruction, index));
                dynasm!(self.assembler ; .arch x64 ; test Rd(value), mask);
                Flags::NotEqual
            }
            Test::Double(operation, left, right) => {
                let left = number(self.operand(instruction, left));
                let right = match self.right(right, instruction) {
                    Right::Register(right) => right as u8,
                    Right::Constant(bits) => {
                        let label = self.double(bits);
                        dynasm!(self.assembler
                            ; .arch x64
                            ; movsd Rx(SCRATCH_DOUBLE), [=>label]
                        );
                        SCRATCH_DOUBLE
                    }
                    Right::Immediate(_) => unreachable!("floats have no integer operands"),
                };
                use BinaryOperation::{LeDouble, LtDouble};
                // "Less" is asked the other way round: the flags then say no to NaN by themselves.
                let swapped = matches!(operation, LtDouble | LeDouble);
                let (first, second) = if swapped {
                    (right, left)
                } else {
                    (left, right)
                };
                dynasm!(self.assembler ; .arch x64 ; ucomisd Rx(first), Rx(second));
                Flags::of(operation)
            }
            Test::Type(memory, types) => {
                let of = self.address(memory, instruction);
                self.test_type(of, types)
            }
            Test::Field(field, memory, of) => {
                let place = self.address(memory, instruction);
                self.test_field(field, place, of)
            }
        }
    }

    fn test_field(&mut self, field: Field, place: Address, of: OfField) -> Flags {
        let base = place.base;
        let offset = place.offset + FIELD_OFFSETS[usize::from(field.0)] as i32;
        let is_narrow = field.facts().kind == FieldKind::Unsigned;
        let ops = &mut self.assembler;
        match of {
            OfField::IsTrue => {
                near!(ops, base, offset; test BYTE @, 1);
                Flags::NotEqual
            }
            OfField::HasAny(bits) => {
                match is_narrow {
                    true => near!(ops, base, offset; test DWORD @, bits),
                    false => near!(ops, base, offset; test QWORD @, bits),
                }
                Flags::NotEqual
            }
            OfField::Compares(operation, value) if is_narrow => {
                near!(ops, base, offset; cmp DWORD @, value);
                Flags::of(operation).unsigned()
            }
            OfField::Compares(operation, value) => {
                near!(ops, base, offset; cmp QWORD @, value);
                Flags::of(operation)
            }
        }
    }

    fn test_type(&mut self, of: Address, types: TypeMask) -> Flags {
        let (base, kind) = (of.base, of.kind());
        let ops = &mut self.assembler;
        if let Some(single) = types.single() {
            near!(ops, base, kind; cmp BYTE @, single as i8);
            return Flags::Equal;
        }
        if types == TypeMask::NONE {
            // No type at all: false, since the stack pointer is never null.
            dynasm!(ops ; .arch x64 ; test rsp, rsp);
            return Flags::Equal;
        }
        // One comparison tells a run of types, or all types but a run.
        let others = TypeMask(TypeMask::ANY.0 & !types.0);
        if let Some(single) = others.single() {
            near!(ops, base, kind; cmp BYTE @, single as i8);
            return Flags::NotEqual;
        }
        near!(ops, base, kind; movzx r11d, BYTE @);
        for (asked, flags) in [(types, Flags::BelowOrEqual), (others, Flags::Above)] {
            let (low, width) = (asked.0.trailing_zeros(), asked.0.count_ones());
            if u64::from(asked.0 >> low) == (1u64 << width) - 1 {
                if low > 0 {
                    dynasm!(ops ; .arch x64 ; sub r11d, BYTE low as i8);
                }
                dynasm!(ops ; .arch x64 ; cmp r11d, width as i32 - 1);
                return flags;
            }
        }
        let mask = types.0 as i32;
        dynasm!(ops
            ; .arch x64
            ; mov [rsp - 8], r10
            ; mov r10d, mask
            ; bt r10d, r11d
            ; mov r10, [rsp - 8]
        );
        Flags::Below
    }

    pub(super) fn set(&mut self, test: Test, target: u8, instruction: Inst) {
        let flags = self.test(test, instruction);
        let ops = &mut self.assembler;
        match flags {
            Flags::Equal => dynasm!(ops ; .arch x64 ; sete Rb(target)),
            Flags::NotEqual => dynasm!(ops ; .arch x64 ; setne Rb(target)),
            Flags::Less => dynasm!(ops ; .arch x64 ; setl Rb(target)),
            Flags::LessOrEqual => dynasm!(ops ; .arch x64 ; setle Rb(target)),
            Flags::Greater => dynasm!(ops ; .arch x64 ; setg Rb(target)),
            Flags::GreaterOrEqual => dynasm!(ops ; .arch x64 ; setge Rb(target)),
            Flags::Below => dynasm!(ops ; .arch x64 ; setb Rb(target)),
            Flags::BelowOrEqual => dynasm!(ops ; .arch x64 ; setbe Rb(target)),
            Flags::Above => dynasm!(ops ; .arch x64 ; seta Rb(target)),
            Flags::AboveOrEqual => dynasm!(ops ; .arch x64 ; setae Rb(target)),
            Flags::OrderedEqual => dynasm!(ops
                ; .arch x64
                ; setnp r11b
                ; sete Rb(target)
                ; and Rb(target), r11b
            ),
            Flags::UnorderedOrNotEqual => dynasm!(ops
                ; .arch x64
                ; setp r11b
                ; setne Rb(target)
                ; or Rb(target), r11b
            ),
        }
        dynasm!(ops ; .arch x64 ; movzx Rd(target), Rb(target));
    }

    pub(super) fn jump_if(
        &mut self,
        condition: &Condition,
        label: DynamicLabel,
        instruction: Inst,
    ) {
        self.jump(condition, true, label, instruction);
    }

    pub(super) fn jump_unless(
        &mut self,
        condition: &Condition,
        label: DynamicLabel,
        instruction: Inst,
    ) {
        self.jump(condition, false, label, instruction);
    }

    /// Jumps if a condition holds, or if it does not.
    fn jump(&mut self, condition: &Condition, holds: bool, label: DynamicLabel, instruction: Inst) {
        let (sides, needs_both) = match condition {
            Condition::Test(test, negated) => {
                let flags = self.test(*test, instruction);
                let flags = match *negated == holds {
                    true => flags.negated(),
                    false => flags,
                };
                return self.jump_on(flags, label);
            }
            Condition::Kept(memory, negated) => {
                let of = self.address(*memory, instruction);
                return self.jump_if_kept(of, *negated != holds, label);
            }
            Condition::Both(sides) => (sides, holds),
            Condition::Either(sides) => (sides, !holds),
        };
        let [first, second] = &**sides;
        if needs_both {
            let stays = self.assembler.new_dynamic_label();
            self.jump(first, !holds, stays, instruction);
            self.jump(second, holds, label, instruction);
            dynasm!(self.assembler ; .arch x64 ; =>stays);
        } else {
            self.jump(first, holds, label, instruction);
            self.jump(second, holds, label, instruction);
        }
    }

    fn jump_on(&mut self, flags: Flags, label: DynamicLabel) {
        let ops = &mut self.assembler;
        match flags {
            Flags::Equal => dynasm!(ops ; .arch x64 ; je =>label),
            Flags::NotEqual => dynasm!(ops ; .arch x64 ; jne =>label),
            Flags::Less => dynasm!(ops ; .arch x64 ; jl =>label),
            Flags::LessOrEqual => dynasm!(ops ; .arch x64 ; jle =>label),
            Flags::Greater => dynasm!(ops ; .arch x64 ; jg =>label),
            Flags::GreaterOrEqual => dynasm!(ops ; .arch x64 ; jge =>label),
            Flags::Below => dynasm!(ops ; .arch x64 ; jb =>label),
            Flags::BelowOrEqual => dynasm!(ops ; .arch x64 ; jbe =>label),
            Flags::Above => dynasm!(ops ; .arch x64 ; ja =>label),
            Flags::AboveOrEqual => dynasm!(ops ; .arch x64 ; jae =>label),
            Flags::OrderedEqual => dynasm!(ops
                ; .arch x64
                ; jp >unordered
                ; je =>label
                ; unordered:
            ),
            Flags::UnorderedOrNotEqual => dynasm!(ops
                ; .arch x64
                ; jp =>label
                ; jne =>label
            ),
        }
    }
}

/// Compares a register with a number. The assembler's own form takes four bytes for the number.
fn compare(ops: &mut impl DynasmApi, register: u8, value: i32) {
    match i8::try_from(value) {
        Ok(close) => ops.extend([0x48 | register >> 3, 0x83, 0xf8 | register & 7, close as u8]),
        Err(_) => dynasm!(ops ; .arch x64 ; cmp Rq(register), value),
    }
}

/// Answers in the processor's flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flags {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Below,
    BelowOrEqual,
    Above,
    AboveOrEqual,
    OrderedEqual,
    UnorderedOrNotEqual,
}

impl Flags {
    fn of(operation: BinaryOperation) -> Flags {
        use BinaryOperation::*;
        match operation {
            EqLong | EqBool | EqPointer => Flags::Equal,
            NeLong | NeBool | NePointer => Flags::NotEqual,
            LtLong => Flags::Less,
            LeLong => Flags::LessOrEqual,
            GtLong => Flags::Greater,
            GeLong => Flags::GreaterOrEqual,
            WithinLong => Flags::Below,
            EqDouble => Flags::OrderedEqual,
            NeDouble => Flags::UnorderedOrNotEqual,
            LtDouble | GtDouble => Flags::Above,
            LeDouble | GeDouble => Flags::AboveOrEqual,
            _ => unreachable!("{} is no comparison", operation.word()),
        }
    }

    /// The same for numbers without a sign.
    fn unsigned(self) -> Flags {
        match self {
            Flags::Less => Flags::Below,
            Flags::LessOrEqual => Flags::BelowOrEqual,
            Flags::Greater => Flags::Above,
            Flags::GreaterOrEqual => Flags::AboveOrEqual,
            other => other,
        }
    }

    fn negated(self) -> Flags {
        match self {
            Flags::Equal => Flags::NotEqual,
            Flags::NotEqual => Flags::Equal,
            Flags::Less => Flags::GreaterOrEqual,
            Flags::GreaterOrEqual => Flags::Less,
            Flags::LessOrEqual => Flags::Greater,
            Flags::Greater => Flags::LessOrEqual,
            Flags::Below => Flags::AboveOrEqual,
            Flags::AboveOrEqual => Flags::Below,
            Flags::BelowOrEqual => Flags::Above,
            Flags::Above => Flags::BelowOrEqual,
            Flags::OrderedEqual => Flags::UnorderedOrNotEqual,
            Flags::UnorderedOrNotEqual => Flags::OrderedEqual,
        }
    }
}
