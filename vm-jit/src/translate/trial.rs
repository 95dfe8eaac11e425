//! Trials: the clauses of an opline that is about to be executed are evaluated on the live frame, without
//! writing anything, to see which of them applies, which ways it takes and which types it meets.
//!
//! What a trial sees is a guess at what will be seen later, and compiled code tests it. A trial ends where
//! going on would need what has not been written.

use vm_def::ir::{
    self, BinaryOperation, BlockId, Clause, FieldKind, IntrinsicEffect, Number, Operation as Micro,
    OverflowOperation, Place, Register, Representation, Terminator, UnaryOperation,
};
use vm_def::types::TypeMask;
use vm_runtime::frame::Frame;
use vm_runtime::generated::intrinsics;
use vm_runtime::generated::layout::{FIELD_OFFSETS, NUMBER_VALUES, SEQUENCE_STARTS};
use vm_runtime::generated::lowering::of_opline;
use vm_runtime::op::{IS_CONST, IS_CV, Op};
use vm_runtime::value::{REFERENCE, TRUE, Zval};
use vm_runtime::vm::Vm;

use super::body::{KIND, literal, operand_slot};
use crate::graph::Table;

/// A question that a trial answers. Clauses have the numbers that they have in the opline's lowering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether a clause applies: an answer is [`YES`], or none.
    Applies(u8),
    /// Whether all clauses refuse: [`YES`] if they have, and [`NO`] as well if they have again.
    Refused,
    /// What the branch decides that a block of a clause ends with: [`YES`], [`NO`] or both.
    Branch(u8, BlockId),
    /// The types of what the address leads to that is this value of a clause: bits as in a [`TypeMask`].
    Types(u8, ir::Value),
}

/// It was so.
pub const YES: u32 = 1;
/// It was not so.
pub const NO: u32 = 2;

/// What was seen: bits for each question.
#[derive(Clone, Debug, Default)]
pub struct Answers(Vec<(Question, u32)>);

impl Answers {
    /// The bits of an answer; none if nothing was seen.
    pub fn of(&self, question: Question) -> u32 {
        let found = self.0.iter().find(|(known, _)| *known == question);
        found.map_or(0, |(_, bits)| *bits)
    }

    /// Whether all clauses have refused more than once: a cache that was empty makes them do so once.
    pub fn are_refused(&self) -> bool {
        self.of(Question::Refused) == YES | NO
    }

    /// Whether this clause was seen to apply, and no other one.
    pub fn apply_only(&self, number: u8) -> bool {
        let mut applied = self.0.iter().filter_map(|(question, _)| match question {
            Question::Applies(applied) => Some(*applied),
            _ => None,
        });
        applied.next() == Some(number) && applied.next().is_none()
    }

    /// Adds bits to an answer. Tells whether they are new.
    fn add(&mut self, question: Question, bits: u32) -> bool {
        match self.0.iter_mut().find(|(known, _)| *known == question) {
            Some((_, known)) => std::mem::replace(known, *known | bits) & bits != bits,
            None => {
                self.0.push((question, bits));
                true
            }
        }
    }
}

/// How the trial of a clause ended.
enum Ended {
    /// It applies.
    Applies,
    /// A guard refused.
    Refused,
    /// Nobody knows what it would do next.
    Unknown,
}

/// Most clauses have no more values.
const USUAL_VALUES: usize = 64;

/// The trial of one clause.
struct Trial<'t> {
    frame: *const Frame,
    op: &'t Op,
    next: Option<&'t Op>,
    vm: *const Vm,
    clause: &'t Clause,
    number: u8,
    values: &'t mut Table<ir::Value, u64>,
    /// Something would have been written: places may show what is not there any more.
    has_written: bool,
    answers: &'t mut Answers,
    is_new: bool,
}

/// Tries the clauses of an opline in turn until one applies. Tells whether that showed anything new.
///
/// # Safety
/// The frame is live and about to execute the opline (I4), behind which `next` stands; the VM runs it (I1).
pub unsafe fn run(
    answers: &mut Answers,
    frame: *const Frame,
    op: &Op,
    next: Option<&Op>,
    vm: *const Vm,
) -> bool {
    let Some(lowering) = of_opline(op, next) else {
        return false;
    };
    let mut is_new = false;
    let mut values = Table::with_room(USUAL_VALUES);
    let clauses = lowering.clauses.iter().zip(&lowering.traits);
    for (number, (clause, traits)) in (0..).zip(clauses) {
        // What is seen of a clause that is not translated is about the one that is.
        let number = traits.companion.unwrap_or(number);
        values.clear();
        let mut trial = Trial {
            frame,
            op,
            next,
            vm,
            clause,
            number,
            values: &mut values,
            has_written: false,
            answers,
            is_new: false,
        };
        // SAFETY: by the caller; the clauses in front have refused.
        let ended = unsafe { trial.run() };
        is_new |= trial.is_new;
        match ended {
            Some(Ended::Refused) => {}
            Some(Ended::Applies) => return answers.add(Question::Applies(number), YES) || is_new,
            Some(Ended::Unknown) | None => return is_new,
        }
    }
    let bits = match answers.of(Question::Refused) {
        0 => YES,
        _ => NO,
    };
    answers.add(Question::Refused, bits) || is_new
}

/// What an instruction does to a trial.
enum Step {
    /// It gives a value.
    Value(u64),
    /// It gives none.
    Done,
    /// It refuses.
    Refuse,
}

impl Trial<'_> {
    /// None where nobody knows how to go on.
    ///
    /// # Safety
    /// As for [`run`].
    unsafe fn run(&mut self) -> Option<Ended> {
        for (place, types) in [(Place::Op1, self.clause.op1), (Place::Op2, self.clause.op2)] {
            let Some(types) = types else { continue };
            // SAFETY: by the caller.
            let is_taken = unsafe { self.is_of(place, types)? };
            if !is_taken {
                return Some(Ended::Refused);
            }
        }
        let clause = self.clause;
        let mut id = BlockId(0);
        loop {
            let block = clause.blocks.get(id.0 as usize)?;
            for instruction in &block.instructions {
                // SAFETY: by the caller; all guards in front hold, as they do for a handler that comes here.
                match unsafe { self.step(&instruction.operation) } {
                    Some(Step::Value(value)) => {
                        if let Some(output) = instruction.output {
                            self.values.insert(output, value);
                        }
                    }
                    Some(Step::Done) => {}
                    Some(Step::Refuse) => return Some(Ended::Refused),
                    None if self.has_written => return Some(Ended::Applies),
                    None => return Some(Ended::Unknown),
                }
            }
            id = match &block.terminator {
                Terminator::Branch {
                    condition,
                    then,
                    otherwise,
                } => {
                    let truth = self.value(*condition)? & 1 != 0;
                    let bits = if truth { YES } else { NO };
                    self.note(Question::Branch(self.number, id), bits);
                    if truth { *then } else { *otherwise }
                }
                Terminator::Overflow {
                    operation,
                    output,
                    left,
                    right,
                    exact,
                    ..
                } => {
                    let (left, right) = (self.value(*left)? as i64, self.value(*right)? as i64);
                    let exactly = match operation {
                        OverflowOperation::Add => left.checked_add(right),
                        OverflowOperation::Sub => left.checked_sub(right),
                        OverflowOperation::Mul => left.checked_mul(right),
                    };
                    let Some(value) = exactly else {
                        return Some(Ended::Refused);
                    };
                    self.values.insert(*output, value as u64);
                    *exact
                }
                _ => return Some(Ended::Applies),
            };
        }
    }

    fn note(&mut self, question: Question, bits: u32) {
        self.is_new |= self.answers.add(question, bits);
    }

    fn value(&self, value: ir::Value) -> Option<u64> {
        self.values.get(value).copied()
    }

    /// An address, if it leads anywhere.
    fn address(&self, value: ir::Value) -> Option<*const u8> {
        let address = self.value(value)?;
        (address != 0).then_some(address as *const u8)
    }

    /// Where a place is, for looking at it. None if that is not known, or what is there was overwritten.
    ///
    /// # Safety
    /// As for [`run`].
    unsafe fn place(&self, place: Place) -> Option<*const Zval> {
        let (op, kind, field) = match place {
            Place::Op1 => (self.op, self.op.op1_type, self.op.op1),
            Place::Op2 => (self.op, self.op.op2_type, self.op.op2),
            Place::Data => {
                let next = self.next?;
                (next, next.op1_type, next.op1)
            }
            Place::At(value) if !self.has_written => return Some(self.address(value)?.cast()),
            // A variable that gets the result is looked at before.
            Place::Result if self.op.result_type & KIND == IS_CV => {
                (self.op, IS_CV, self.op.result)
            }
            Place::At(_) | Place::Result => return None,
        };
        if kind == IS_CONST {
            return Some(literal(op, field));
        }
        // SAFETY: by the caller.
        unsafe {
            Some(match operand_slot(kind, field) {
                Some(slot) => (*self.frame).slot(slot.0),
                // An operand that is not used stands for `$this`.
                None => &raw const (*self.frame).this,
            })
        }
    }

    /// The type of what stands at a place; none for what is no value.
    ///
    /// # Safety
    /// As for [`run`].
    unsafe fn types(&self, place: Place) -> Option<TypeMask> {
        // SAFETY: by the caller: places are slots.
        let kind = unsafe { (*self.place(place)?).kind() };
        Some(TypeMask(1u32.checked_shl(kind.into()).unwrap_or_default()))
    }

    /// Whether an operand, or what it leads to, has one of these types.
    ///
    /// # Safety
    /// As for [`run`].
    unsafe fn is_of(&self, place: Place, types: TypeMask) -> Option<bool> {
        // SAFETY: by the caller.
        let own = unsafe { self.types(place)? };
        let leads_on = TypeMask(TypeMask::REFERENCE.0 | 1 << vm_runtime::value::INDIRECT);
        Some(own.intersects(types) || own.intersects(leads_on))
    }

    fn number(&self, number: Number) -> Option<u64> {
        Some(u64::from(match number {
            Number::Op1 => self.op.op1,
            Number::Op2 => self.op.op2,
            Number::Result => self.op.result,
            Number::Extended => self.op.extended_value,
            Number::DataExtended => self.next?.extended_value,
        }))
    }

    /// What an instruction does. None if that is not known.
    ///
    /// # Safety
    /// As for [`run`], and all guards in front hold.
    unsafe fn step(&mut self, operation: &Micro) -> Option<Step> {
        // SAFETY: by the caller: what a clause reads is there if its guards hold, and nothing was written that
        // it reads here: places are not looked at behind writes, and fields are not written at all.
        let value = unsafe {
            match operation {
                Micro::GuardType(place, types) => {
                    let seen = self.see_types(*place)?;
                    return Some(self.goes_on(seen.intersects(*types)));
                }
                Micro::Guard(value, _) => {
                    let holds = self.value(*value)? & 1 != 0;
                    return Some(self.goes_on(holds));
                }
                Micro::GuardUncounted(place) => {
                    let is_counted = (*self.place(*place)?).is_refcounted();
                    return Some(self.goes_on(!is_counted));
                }
                Micro::TestType(place, types) => {
                    u64::from(self.see_types(*place)?.intersects(*types))
                }
                Micro::TypeWord(place) => (*self.place(*place)?).type_info.into(),
                Micro::Load(place, representation) => {
                    let place = self.place(*place)?;
                    match representation {
                        Representation::Boxed => place as u64,
                        Representation::Bool => u64::from((*place).kind() == TRUE),
                        _ => (*place).payload.long as u64,
                    }
                }
                Micro::Deref(place) => {
                    let place = self.place(*place)?;
                    match (*place).kind() {
                        REFERENCE => &raw const (*(*place).payload.reference).value as u64,
                        _ => place as u64,
                    }
                }
                Micro::Indirect(place) => (*self.place(*place)?).payload.long as u64,
                Micro::Number(number) => self.number(*number)?,
                Micro::Register(Register::Frame) => self.frame as u64,
                Micro::Register(Register::Opline) => &raw const *self.op as u64,
                Micro::Register(Register::Vm) => self.vm as u64,
                Micro::CacheWord(base, index, _) => {
                    let offset = match base {
                        // The low bits are flags.
                        Number::Extended | Number::DataExtended => self.number(*base)? & !7,
                        _ => self.number(*base)?,
                    };
                    let cache = (*self.frame).run_time_cache;
                    if cache.is_null() {
                        return None;
                    }
                    let words = cache.add(offset as usize).cast::<u64>();
                    words.add(usize::from(*index)).read()
                }
                Micro::LoadField(field, base) => {
                    let at = self.address(*base)?;
                    let at = at.add(FIELD_OFFSETS[usize::from(field.0)] as usize);
                    match field.facts().kind {
                        FieldKind::Bool => u64::from(at.read() & 1),
                        FieldKind::Byte => u64::from(at.read()),
                        FieldKind::Unsigned => u64::from(at.cast::<u32>().read()),
                        FieldKind::Word | FieldKind::Pointer(_) => at.cast::<u64>().read(),
                        FieldKind::Value => at as u64,
                    }
                }
                Micro::Element(sequence, base, index) => {
                    let (start, is_pointer) = SEQUENCE_STARTS[usize::from(sequence.0)];
                    let start = self.address(*base)?.wrapping_add(start as usize);
                    let start = match is_pointer {
                        true => start.cast::<*const u8>().read(),
                        false => start,
                    };
                    let index = self.value(*index)? as isize;
                    let distance = index.wrapping_mul(sequence.facts().stride.into());
                    start.wrapping_offset(distance) as u64
                }
                Micro::ConstantLong(value) => *value as u64,
                Micro::ConstantDouble(value) => value.to_bits(),
                Micro::ConstantBool(value) => u64::from(*value),
                Micro::Named(index) => NUMBER_VALUES[usize::from(*index)] as u64,
                Micro::Unary(operation, value) => unary(*operation, self.value(*value)?),
                Micro::Binary(operation, left, right) => {
                    binary(*operation, self.value(*left)?, self.value(*right)?)?
                }
                Micro::Intrinsic(intrinsic, arguments)
                    if intrinsic.effect() == IntrinsicEffect::Pure =>
                {
                    let value = self.call(*intrinsic, arguments)?;
                    if intrinsic.may_exit() && value == 0 {
                        return Some(Step::Refuse);
                    }
                    value
                }
                Micro::Apart => 0,
                Micro::Store(..)
                | Micro::StoreNull(_)
                | Micro::StoreUndef(_)
                | Micro::StoreTyped(..)
                | Micro::StoreString(..)
                | Micro::Move(..)
                | Micro::Retain(_)
                | Micro::DropShare(_)
                | Micro::Free(_) => {
                    self.has_written = true;
                    return Some(Step::Done);
                }
                Micro::Intrinsic(..) | Micro::StoreField(..) | Micro::Release(_) => {
                    self.has_written = true;
                    return None;
                }
                Micro::Target(_) => return None,
            }
        };
        Some(Step::Value(value))
    }

    fn goes_on(&self, holds: bool) -> Step {
        match holds {
            true => Step::Done,
            false => Step::Refuse,
        }
    }

    /// The types at a place; what an address leads to is noted.
    ///
    /// # Safety
    /// As for [`run`].
    unsafe fn see_types(&mut self, place: Place) -> Option<TypeMask> {
        // SAFETY: by the caller.
        let types = unsafe { self.types(place)? };
        if let Place::At(value) = place {
            self.note(Question::Types(self.number, value), types.0);
        }
        Some(types)
    }

    /// What an intrinsic gives.
    ///
    /// # Safety
    /// As for [`run`]; the intrinsic changes nothing.
    unsafe fn call(&self, intrinsic: ir::Intrinsic, arguments: &[ir::Value]) -> Option<u64> {
        macro_rules! call {
            ($($argument:ident: $word:ty),*) => {
                // SAFETY: by the caller; machine code calls these functions in the same way, with words.
                unsafe {
                    type Called = unsafe extern "C-unwind" fn(*const Frame, $($word),*) -> u64;
                    let called = std::mem::transmute::<usize, Called>(intrinsics::address(intrinsic));
                    called(self.frame, $(self.value(*$argument)?),*)
                }
            };
        }
        Some(match arguments {
            [a] => call!(a: u64),
            [a, b] => call!(a: u64, b: u64),
            [a, b, c] => call!(a: u64, b: u64, c: u64),
            [a, b, c, d] => call!(a: u64, b: u64, c: u64, d: u64),
            [a, b, c, d, e] => call!(a: u64, b: u64, c: u64, d: u64, e: u64),
            _ => return None,
        })
    }
}

fn unary(operation: UnaryOperation, value: u64) -> u64 {
    match operation {
        UnaryOperation::NegateLong => (value as i64).wrapping_neg() as u64,
        UnaryOperation::NotLong => !value,
        UnaryOperation::NegateDouble => (-f64::from_bits(value)).to_bits(),
        UnaryOperation::NotBool => value ^ 1,
        UnaryOperation::LongToDouble => (value as i64 as f64).to_bits(),
        UnaryOperation::BoolToLong
        | UnaryOperation::LongToPointer
        | UnaryOperation::PointerToLong => value,
        UnaryOperation::IsNull => u64::from(value == 0),
    }
}

/// None for a division by zero, which no clause does.
fn binary(operation: BinaryOperation, left: u64, right: u64) -> Option<u64> {
    use BinaryOperation::*;
    let (long, other) = (left as i64, right as i64);
    let (double, second) = (f64::from_bits(left), f64::from_bits(right));
    Some(match operation {
        AddLong => left.wrapping_add(right),
        SubLong => left.wrapping_sub(right),
        MulLong => left.wrapping_mul(right),
        DivLong if other != 0 => long.wrapping_div(other) as u64,
        RemLong if other != 0 => long.wrapping_rem(other) as u64,
        DivLong | RemLong => return None,
        AndLong | AndBool => left & right,
        OrLong | OrBool => left | right,
        XorLong | XorBool => left ^ right,
        ShlLong => long.wrapping_shl(right as u32) as u64,
        ShrLong => long.wrapping_shr(right as u32) as u64,
        AddDouble => (double + second).to_bits(),
        SubDouble => (double - second).to_bits(),
        MulDouble => (double * second).to_bits(),
        DivDouble => (double / second).to_bits(),
        EqLong | EqBool | EqPointer => u64::from(left == right),
        NeLong | NeBool | NePointer => u64::from(left != right),
        LtLong => u64::from(long < other),
        LeLong => u64::from(long <= other),
        GtLong => u64::from(long > other),
        GeLong => u64::from(long >= other),
        WithinLong => u64::from(left < right),
        EqDouble => u64::from(double == second),
        NeDouble => u64::from(double != second),
        LtDouble => u64::from(double < second),
        LeDouble => u64::from(double <= second),
        GtDouble => u64::from(double > second),
        GeDouble => u64::from(double >= second),
    })
}
