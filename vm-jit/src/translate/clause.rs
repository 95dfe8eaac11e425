//! Which clause an opline takes, by the types that are known and those that the profile expects.

use vm_def::ir::{
    self, BlockId as ClauseBlock, Clause, Lowering, Operation as Micro, Representation, Structure,
};
use vm_def::types::TypeMask;
use vm_runtime::generated::Opcode;
use vm_runtime::generated::lowering::of_opline;
use vm_runtime::op::Op;

use super::expand::{Expansion, Way};
use super::state::SlotState;
use super::{Operand, Position, Translator, Which};
use crate::graph::{Operation, Place, Type};

/// Whether compiled code can use a clause: on each way it can do all that comes behind the first
/// effect; where it cannot do something before that, it leaves.
pub fn is_supported(clause: &Clause) -> bool {
    is_supported_from(clause, ClauseBlock(0), false)
}

fn is_supported_from(clause: &Clause, block: ClauseBlock, mut has_effect: bool) -> bool {
    let block = &clause.blocks[block.0 as usize];
    for instruction in &block.instructions {
        if !is_known(&instruction.operation) {
            // A clause that can do nothing before it leaves is none.
            return !has_effect && !std::ptr::eq(block, &clause.blocks[0]);
        }
        has_effect |= instruction.operation.has_effect();
    }
    match &block.terminator {
        ir::Terminator::Helper(name) => crate::machine::helper(name).is_some(),
        ir::Terminator::Branch {
            then, otherwise, ..
        } => {
            is_supported_from(clause, *then, has_effect)
                && is_supported_from(clause, *otherwise, has_effect)
        }
        ir::Terminator::Overflow { exact, .. } => is_supported_from(clause, *exact, has_effect),
        _ => true,
    }
}

/// Whether compiled code can do a micro-operation.
pub fn is_known(operation: &Micro) -> bool {
    match operation {
        Micro::Intrinsic(intrinsic, _) => crate::machine::has_intrinsic(*intrinsic),
        _ => true,
    }
}

/// Whether a clause enters another function's frame.
pub fn enters_frame(clause: &Clause) -> bool {
    clause.blocks.iter().any(|block| {
        matches!(
            block.terminator,
            ir::Terminator::Switch { enters: true, .. }
        )
    })
}

/// Whether an opline calls a function in a frame of its own.
pub fn enters(op: &Op, next: Option<&Op>) -> bool {
    let lowering = of_opline(op, next);
    lowering.is_some_and(|lowering| lowering.clauses.iter().any(enters_frame))
}

/// How much an opline gains by being compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// It is mostly done by instructions of the processor.
    Much,
    /// The same, as long as what is remembered at this place holds.
    Some,
    /// Functions of the runtime do the work, in the interpreter as well.
    None,
}

/// Whether compiled code can do an opline itself.
pub fn is_compiled(op: &Op, next: Option<&Op>) -> bool {
    let lowering = of_opline(op, next);
    lowering.is_some_and(|lowering| lowering.clauses.iter().any(is_supported))
}

/// Whether what an opline with this opcode remembers holds for good.
fn is_lasting(opcode: u8) -> bool {
    const LASTING: [Opcode; 2] = [Opcode::INIT_FCALL, Opcode::INIT_FCALL_BY_NAME];
    LASTING.iter().any(|&lasting| opcode == lasting as u8)
}

/// How much an opline gains by being compiled.
pub fn gain(op: &Op, next: Option<&Op>) -> Gain {
    let Some(lowering) = of_opline(op, next) else {
        return Gain::None;
    };
    let first = lowering.clauses.iter().find(|clause| !clause.middle);
    let Some(clause) = first.filter(|clause| is_supported(clause)) else {
        return Gain::None;
    };
    let is_lasting = is_lasting(op.opcode);
    let mut gain = Gain::Much;
    for instruction in clause.instructions() {
        match &instruction.operation {
            Micro::Intrinsic(intrinsic, _) if intrinsic.effect() != ir::IntrinsicEffect::Pure => {
                return Gain::None;
            }
            Micro::Release(_) => return Gain::None,
            Micro::CacheWord(..) if !is_lasting => gain = Gain::Some,
            _ => {}
        }
    }
    gain
}

/// Translates one opline. Gives where to go on if there is one way on in the same block.
pub fn translate_opline(translator: &mut Translator<'_>, mut at: Position) -> Option<Position> {
    // Where guards left too often, each clause leads to the next one and the last to the slow path.
    let lowering = translator.request.code.lowering(at.opline);
    let is_weak = translator.request.code.is_weak(at.opline);
    let falls_back = is_weak || lowering.is_some_and(may_grow);
    let chosen = match lowering {
        Some(lowering) => choose(translator, &at, lowering, is_weak),
        None => Vec::new(),
    };
    if chosen.is_empty() {
        return translator.execute(at);
    }
    // Before the snapshot: what leaves would make them again.
    let is_chain = chosen.len() > 1 || falls_back;
    settle_operands(translator, &mut at, &chosen, is_chain);
    let exit = translator.snapshot(&at.state, at.opline);
    let alone = chosen.len() == 1 && !falls_back;
    let last = chosen.len() - 1;
    let mut block = at.block;
    for (number, candidate) in chosen.into_iter().enumerate() {
        let here = Position {
            block,
            state: at.state.clone(),
            opline: at.opline,
        };
        let fallback = (number < last || falls_back).then(|| translator.graph.block(at.opline));
        let way = Way {
            exit,
            fallback,
            is_linear: alone && is_linear(candidate.clause),
        };
        let next = Expansion::new(translator, candidate.clause, at.opline, way)
            .expand(here, [candidate.not1, candidate.not2]);
        if alone {
            return next;
        }
        block = fallback.unwrap_or(block);
    }
    if falls_back {
        let slow = Position {
            block,
            state: at.state,
            opline: at.opline,
        };
        if let Some(next) = translator.execute(slow) {
            translator.go(next.block, next.state, next.opline);
        }
    }
    None
}

/// Operands that stand for copies are made if a clause does more than look at them.
fn settle_operands(
    translator: &mut Translator<'_>,
    at: &mut Position,
    chosen: &[Candidate<'_>],
    is_chain: bool,
) {
    let code = translator.request.code;
    if chosen
        .iter()
        .any(|candidate| refuses_late(candidate.clause))
    {
        translator.settle(at.block, &mut at.state);
    }
    let places = [
        (ir::Place::Op1, code.op1(at.opline)),
        (ir::Place::Op2, code.op2(at.opline)),
        (
            ir::Place::Data,
            match code.has_data(at.opline) {
                true => code.data(at.opline),
                false => Operand::None,
            },
        ),
    ];
    for (place, operand) in places {
        let Operand::Slot(slot) = operand else {
            continue;
        };
        let SlotState::Borrowed { address, types } = at.state.at(slot) else {
            continue;
        };
        if !chosen
            .iter()
            .any(|candidate| takes(candidate.clause, place))
        {
            continue;
        }
        let expected = code.seen(at.opline, slot);
        let of = Type::holding(TypeMask(expected.0 & types.0)).filter(|_| !is_chain);
        let Some(of) = of else {
            translator.save(at, slot);
            continue;
        };
        if !types.is_subset_of(of.types()) {
            let exit = translator.snapshot(&at.state, at.opline);
            let guard = Operation::GuardType(Place::At(address), of.types(), exit);
            translator.push(at.block, guard);
        }
        translator.load_borrowed(slot, address, of, at);
    }
}

/// Whether a clause may still refuse when it has begun to change things.
fn refuses_late(clause: &Clause) -> bool {
    clause.instructions().any(|instruction| {
        matches!(&instruction.operation, Micro::Intrinsic(intrinsic, _)
            if intrinsic.may_exit() && intrinsic.effect() != ir::IntrinsicEffect::Pure)
    })
}

/// Whether a clause does more with an operand than look at it and give it back.
fn takes(clause: &Clause, place: ir::Place) -> bool {
    let takes = clause
        .instructions()
        .any(|instruction| match &instruction.operation {
            Micro::Move(..)
            | Micro::Retain(_)
            | Micro::DropShare(_)
            | Micro::Release(_)
            | Micro::Indirect(_) => true,
            // What else stands in a slot is not copied.
            Micro::LoadField(field, _) | Micro::StoreField(field, ..) => {
                field.facts().structure == Structure::Slot
            }
            Micro::Intrinsic(intrinsic, _) => intrinsic.effect() != ir::IntrinsicEffect::Pure,
            _ => false,
        });
    // What may be counted and is not given back is taken over.
    let types = guarded_types(clause, place);
    let is_counted = types.is_none_or(|types| types.intersects(TypeMask::COUNTED));
    let mut instructions = clause.instructions();
    let is_freed = instructions.any(|instruction| instruction.operation == Micro::Free(place));
    takes || is_counted && !is_freed
}

/// Whether an array may have to grow: that is no reason to leave.
fn may_grow(lowering: &Lowering) -> bool {
    let mut instructions = lowering.clauses.iter().flat_map(Clause::instructions);
    instructions.any(|instruction| {
        matches!(
            instruction.operation,
            Micro::Intrinsic(ir::Intrinsic::PushInPlace, _)
        )
    })
}

/// Whether one way leads on, so that the following opline can be translated in place.
fn is_linear(clause: &Clause) -> bool {
    let mut ways = 0;
    let mut stack = vec![ClauseBlock(0)];
    while let Some(block) = stack.pop() {
        match &clause.blocks[block.0 as usize].terminator {
            ir::Terminator::Next | ir::Terminator::Decide(_) => ways += 1,
            ir::Terminator::Branch {
                then, otherwise, ..
            } => stack.extend([*then, *otherwise]),
            ir::Terminator::Overflow { exact, .. } => stack.push(*exact),
            _ => {}
        }
    }
    ways == 1
}

/// Blocks of a clause that is worth its room where others have been tried already.
const SHORT: usize = 6;

/// Types that stand for others elsewhere: a clause's types are those of what they lead to.
const LEADS_ON: TypeMask = TypeMask(TypeMask::REFERENCE.0 | 1 << vm_runtime::value::INDIRECT);

/// A clause that may apply, with the types that it takes behind references.
#[derive(Clone, Copy)]
struct Candidate<'l> {
    clause: &'l Clause,
    op1: Option<TypeMask>,
    op2: Option<TypeMask>,
    /// Types of op1 that an earlier clause takes, which is left out.
    not1: TypeMask,
    /// The same for op2.
    not2: TypeMask,
}

impl<'l> Candidate<'l> {
    fn new(clause: &'l Clause) -> Candidate<'l> {
        let taken = |place, declared: Option<TypeMask>| match guarded_types(clause, place) {
            Some(types) => Some(TypeMask(types.0 & declared.unwrap_or(TypeMask::ANY).0)),
            None => declared,
        };
        Candidate {
            clause,
            op1: taken(ir::Place::Op1, clause.op1),
            op2: taken(ir::Place::Op2, clause.op2),
            not1: TypeMask::NONE,
            not2: TypeMask::NONE,
        }
    }

    /// Leaves to an earlier clause what is its own, although it is not translated. False if that
    /// cannot be told from the types.
    fn leave_to(&mut self, earlier: &Candidate<'_>) -> bool {
        let all = |types: Option<TypeMask>| types.unwrap_or(TypeMask::ANY);
        let meets = |a: Option<TypeMask>, b: Option<TypeMask>| all(a).intersects(all(b));
        if !meets(self.op1, earlier.op1) || !meets(self.op2, earlier.op2) {
            return true;
        }
        let follows = |place| {
            let mut instructions = self.clause.instructions();
            instructions.any(|instruction| instruction.operation == Micro::Deref(place))
        };
        let covers =
            |mine: Option<TypeMask>, other: Option<TypeMask>| all(mine).is_subset_of(all(other));
        if covers(self.op2, earlier.op2)
            && !covers(self.op1, earlier.op1)
            && !follows(ir::Place::Op1)
        {
            self.not1 = self.not1.union(all(earlier.op1));
            return true;
        }
        if covers(self.op1, earlier.op1)
            && !covers(self.op2, earlier.op2)
            && !follows(ir::Place::Op2)
        {
            self.not2 = self.not2.union(all(earlier.op2));
            return true;
        }
        false
    }
}

/// The types that the guards of a clause let through for an operand, or for what it leads to; none
/// if there are no guards.
fn guarded_types(clause: &Clause, place: ir::Place) -> Option<TypeMask> {
    let mut derived: Vec<ir::Value> = Vec::new();
    let mut types: Option<TypeMask> = None;
    for instruction in clause.instructions() {
        let leads = |place_used: ir::Place, derived: &[ir::Value]| match place_used {
            ir::Place::At(value) => derived.contains(&value),
            other => other == place,
        };
        let follows = match &instruction.operation {
            Micro::Deref(used)
            | Micro::Indirect(used)
            | Micro::Load(used, Representation::Pointer | Representation::Boxed) => {
                leads(*used, &derived)
            }
            Micro::LoadField(field, base) => {
                field.facts().structure == Structure::Reference && derived.contains(base)
            }
            Micro::GuardType(used, taken) => {
                if leads(*used, &derived) && !taken.is_subset_of(LEADS_ON) {
                    types = Some(types.unwrap_or(TypeMask::NONE).union(*taken));
                }
                false
            }
            _ => false,
        };
        if follows {
            derived.extend(instruction.output);
        }
    }
    types
}

/// The clauses to translate, in order: those that the known types allow and the profile expects.
fn choose<'l>(
    translator: &Translator<'_>,
    at: &Position,
    lowering: &'l Lowering,
    is_weak: bool,
) -> Vec<Candidate<'l>> {
    let code = translator.request.code;
    let (op1, op2) = (code.op1(at.opline), code.op2(at.opline));
    let known1 = translator.types(&at.state, op1);
    let known2 = translator.types(&at.state, op2);
    let allows = |types: Option<TypeMask>, known: TypeMask| {
        types.is_none_or(|types| types.union(LEADS_ON).intersects(known))
    };
    let proves = |types: Option<TypeMask>, known: TypeMask| {
        types.is_none_or(|types| known.is_subset_of(types))
    };
    let expected = |which, operand, known: TypeMask| {
        let seen = match operand {
            Operand::Slot(slot) => code.operand(at.opline, which, slot),
            _ => known,
        };
        match TypeMask(seen.0 & known.0) {
            TypeMask::NONE => known,
            seen => seen,
        }
    };
    let likely1 = expected(Which::Op1, op1, known1);
    let likely2 = expected(Which::Op2, op2, known2);
    // With nothing to go by, the first clause is the one that the definition expects most. What
    // stands behind a reference is not seen from here.
    let unseen = |likely: TypeMask| likely == TypeMask::ANY || likely.intersects(LEADS_ON);
    let is_unseen = !is_weak && (unseen(likely1) || unseen(likely2));
    let mut chosen: Vec<Candidate<'l>> = Vec::new();
    let mut left_out: Vec<Candidate<'l>> = Vec::new();
    let mut is_proven = false;
    let clauses = lowering.clauses.iter().map(Candidate::new);
    for mut clause in
        clauses.filter(|clause| allows(clause.op1, known1) && allows(clause.op2, known2))
    {
        let is_likely = allows(clause.op1, likely1) && allows(clause.op2, likely2);
        // Behind a clause that the types prove, only others of the same types have a chance.
        let is_sibling = chosen
            .iter()
            .any(|other| other.op1 == clause.op1 && other.op2 == clause.op2);
        let is_wanted = is_likely
            && is_supported(clause.clause)
            && (chosen.is_empty() || is_sibling || !is_unseen && !is_proven);
        if !is_wanted || !left_out.iter().all(|earlier| clause.leave_to(earlier)) {
            left_out.push(clause);
            continue;
        }
        // A clause of the middle path stands in where others of the same types leave, unless it is
        // much longer than the way to the slow path.
        let is_short = clause.clause.blocks.len() <= SHORT;
        if !clause.clause.middle || !is_sibling || is_weak && is_short {
            chosen.push(clause);
        }
        is_proven |= !is_weak && proves(clause.op1, known1) && proves(clause.op2, known2);
    }
    chosen
}
