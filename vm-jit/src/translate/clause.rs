//! Which clause an opline takes, by the types that are known and those that the profile expects.

use vm_def::ir::{
    self, BlockId as ClauseBlock, Clause, Lowering, Operation as Micro, Representation, Structure,
};
use vm_def::types::TypeMask;

use super::expand::Expansion;
use super::state::SlotState;
use super::{Operand, Position, Translator, Which};
use crate::graph::{BlockId, Operation, Place, Target, Terminator};

/// Whether compiled code can use a clause: on each way it can do all that comes behind the first
/// effect; where it cannot do something before that, it leaves.
pub fn is_supported(clause: &Clause) -> bool {
    !clause.middle && is_supported_from(clause, ClauseBlock(0), false)
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
        Micro::Release(_) => false,
        _ => true,
    }
}

/// Translates one opline. Gives where to go on if there is one way on in the same block.
pub fn translate_opline(translator: &mut Translator<'_>, at: Position) -> Option<Position> {
    let chosen = match translator.request.code.lowering(at.opline) {
        Some(lowering) => choose(translator, &at, lowering),
        None => Vec::new(),
    };
    if chosen.is_empty() {
        return translator.execute(at);
    }
    let exit = translator.snapshot(&at.state, at.opline);
    let alone = chosen.len() == 1;
    let last = chosen.len() - 1;
    let mut block = at.block;
    for (number, clause) in chosen.into_iter().enumerate() {
        let mut here = Position {
            block,
            state: at.state.clone(),
            opline: at.opline,
        };
        if number < last {
            // Another clause may fit: a test, and a way for each answer.
            block = translator.graph.block(at.opline);
            here.block = test_types(translator, &mut here, clause, block);
        }
        let is_linear = alone && is_linear(clause.clause);
        let next =
            Expansion::new(translator, clause.clause, at.opline, exit, is_linear).expand(here);
        if alone {
            return next;
        }
    }
    None
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

/// Types that stand for others elsewhere: a clause's types are those of what they lead to.
const LEADS_ON: TypeMask = TypeMask(TypeMask::REFERENCE.0 | 1 << vm_runtime::value::INDIRECT);

/// A clause that may apply, with the types that it takes behind references.
#[derive(Clone, Copy)]
pub struct Candidate<'l> {
    clause: &'l Clause,
    op1: Option<TypeMask>,
    op2: Option<TypeMask>,
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
        }
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
) -> Vec<Candidate<'l>> {
    let code = translator.request.code;
    let profile = translator.request.profile;
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
            Operand::Slot(slot) => profile.operand(at.opline, which, slot),
            _ => known,
        };
        let seen = TypeMask(seen.0 & known.0);
        if seen == TypeMask::NONE { known } else { seen }
    };
    let likely1 = expected(Which::Op1, op1, known1);
    let likely2 = expected(Which::Op2, op2, known2);
    // A clause that gives an operand back leaves if it is counted; where it was, it never fits.
    let frees = |clause: &Clause, place: ir::Place, likely: TypeMask| {
        let mut instructions = clause.instructions();
        likely != TypeMask::ANY
            && likely.intersects(TypeMask::COUNTED)
            && instructions.any(|instruction| instruction.operation == Micro::Free(place))
    };
    let possible: Vec<Candidate<'_>> = lowering
        .clauses
        .iter()
        .filter(|clause| is_supported(clause))
        .filter(|clause| !frees(clause, ir::Place::Op1, likely1))
        .filter(|clause| !frees(clause, ir::Place::Op2, likely2))
        .map(Candidate::new)
        .filter(|clause| allows(clause.op1, known1) && allows(clause.op2, known2))
        .collect();
    if let Some(first) = possible.first()
        && proves(first.op1, known1)
        && proves(first.op2, known2)
    {
        return vec![*first];
    }
    let mut likely: Vec<Candidate<'_>> = possible
        .iter()
        .copied()
        .filter(|clause| allows(clause.op1, likely1) && allows(clause.op2, likely2))
        .collect();
    // With nothing to go by, the first clause is the one that the definition expects most. What
    // stands behind a reference is not seen from here.
    let unseen = |likely: TypeMask| likely == TypeMask::ANY || likely.intersects(LEADS_ON);
    if unseen(likely1) || unseen(likely2) {
        likely.truncate(1);
    }
    likely
}

/// Tests whether the operands have the types of a clause; leads to `otherwise` if not. Gives the
/// block where they have.
fn test_types(
    translator: &mut Translator<'_>,
    at: &mut Position,
    clause: Candidate<'_>,
    otherwise: BlockId,
) -> BlockId {
    let code = translator.request.code;
    let operands = [
        (code.op1(at.opline), clause.op1),
        (code.op2(at.opline), clause.op2),
    ];
    let mut block = at.block;
    for (operand, types) in operands {
        let (Operand::Slot(slot), Some(types)) = (operand, types) else {
            continue;
        };
        let SlotState::Memory {
            types: known,
            uncounted,
        } = at.state.at(slot)
        else {
            continue;
        };
        if known.is_subset_of(types) {
            continue;
        }
        let test = Operation::IsType(Place::Slot(slot), types);
        let Some(condition) = translator.graph.push(block, test) else {
            continue;
        };
        let inside = translator.graph.block(at.opline);
        let to = |block| Target {
            block,
            arguments: Vec::new(),
        };
        translator.graph.at_mut(block).terminator = Terminator::Branch {
            condition,
            then: to(inside),
            otherwise: to(otherwise),
        };
        let types = TypeMask(types.0 & known.0);
        at.state.set(slot, SlotState::Memory { types, uncounted });
        block = inside;
    }
    block
}
