//! Which clause an opline takes, by the types that are known and those that the profile expects.

use std::cell::RefCell;

use hashbrown::HashMap;
use vm_def::ir::{
    self, BlockId as ClauseBlock, Clause, Lowering, Operation as Micro, Representation, Structure,
    Worker,
};
use vm_def::types::TypeMask;
use vm_runtime::generated::Opcode;
use vm_runtime::generated::lowering::work_of_opline;
use vm_runtime::op::Op;

use super::expand::{Expansion, Way, begin_alike};
use super::state::SlotState;
use super::trial::Question;
use super::{Operand, Position, Translator, vain};
use crate::graph::{Operation, Place, Type};

/// Whether compiled code can use a clause: it knows the helpers that it goes on with.
pub fn is_supported(clause: &Clause) -> bool {
    clause.blocks.iter().all(|block| match &block.terminator {
        ir::Terminator::Helper(name) => crate::machine::helper(name).is_some(),
        _ => true,
    })
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
    work_of_opline(op, next).is_some_and(|work| work.is_lowered)
}

/// How much compiling an opline has to do: instructions of the definition.
pub fn size(op: &Op, next: Option<&Op>) -> u32 {
    work_of_opline(op, next).map_or(0, |work| work.size.into())
}

/// How much an opline gains by being compiled, and whether it calls a function in a frame of its own.
pub fn gain(op: &Op, next: Option<&Op>) -> (Gain, bool) {
    let Some(work) = work_of_opline(op, next) else {
        return (Gain::None, false);
    };
    let effects = Opcode::from_number(op.opcode).map(|opcode| opcode.facts().effects);
    let is_lasting = effects.is_some_and(|effects| effects.caches_for_good);
    let gain = match work.worker {
        Worker::Processor => Gain::Much,
        Worker::Cache if is_lasting => Gain::Much,
        Worker::Cache => Gain::Some,
        Worker::Runtime => Gain::None,
    };
    (gain, work.enters)
}

/// Translates one opline. Gives where to go on if there is one way on in the same block.
pub fn translate_opline(translator: &mut Translator<'_>, mut at: Position) -> Option<Position> {
    // Where guards left too often, each clause leads to the next one and the last to the slow path.
    let lowering = translator.request.code.lowering(at.opline);
    let code = translator.request.code;
    let is_weak = code.is_weak(at.opline) || code.is_refused(at.opline);
    let Chosen { chosen, other } = match lowering {
        Some(lowering) => choose(translator, &at, lowering, is_weak),
        None => Chosen::default(),
    };
    if chosen.is_empty() {
        return translator.execute(at, false);
    }
    let falls_back = is_weak || chosen.iter().any(|candidate| may_grow(candidate.clause));
    // Before the snapshot: what leaves would make them again.
    let is_chain = chosen.len() > 1 || falls_back;
    settle_operands(translator, &mut at, &chosen, is_chain);
    let exit = translator.snapshot(&at.state, at.opline);
    let is_alone = chosen.len() == 1 && !falls_back;
    let mut rest: &[Candidate] = &{ chosen.into_iter().chain(other).collect::<Vec<_>>() };
    let mut block = at.block;
    while let Some(first) = rest.first() {
        let together = rest.iter().take_while(|other| begin_alike(first, other));
        let (candidates, later) = rest.split_at(together.count().max(1));
        rest = later;
        // What stands in for others is tried where those lead.
        let is_last = later.first().is_none_or(|next| next.stands_in);
        let fallback = (!is_last || falls_back).then(|| translator.graph.block(at.opline));
        let way = Way {
            exit,
            fallback,
            is_alone,
        };
        let here = Position {
            block,
            state: at.state.clone(),
            opline: at.opline,
        };
        let expanded = Expansion::expand(translator, candidates, way, here);
        match fallback.or(expanded.otherwise) {
            // The next way is for what this one leaves.
            Some(otherwise) => {
                if let Some(next) = expanded.next {
                    translator.go(next.block, next.state, next.opline);
                }
                block = otherwise;
            }
            None if block == at.block => return expanded.next,
            None => {
                if let Some(next) = expanded.next {
                    translator.go(next.block, next.state, next.opline);
                }
                return None;
            }
        }
    }
    let slow = Position {
        block,
        state: at.state,
        opline: at.opline,
    };
    if let Some(next) = translator.execute(slow, true) {
        translator.go_back(next.block, next.state, next.opline);
    }
    None
}

/// Operands that stand for copies are made if a clause does more than look at them.
fn settle_operands(
    translator: &mut Translator<'_>,
    at: &mut Position,
    chosen: &[Candidate],
    is_chain: bool,
) {
    let code = translator.request.code;
    if chosen
        .iter()
        .any(|candidate| refuses_late(candidate.clause) || changes_count(candidate.clause))
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

/// Whether a clause reads how many owners something has and writes another number: a copy that is made in between has
/// a share, too.
fn changes_count(clause: &Clause) -> bool {
    clause.instructions().any(|instruction| {
        matches!(&instruction.operation, Micro::StoreField(field, ..)
            if field.facts().name == "refcount")
    })
}

/// Whether a clause does more with an operand than look at it and give it back.
fn takes(clause: &'static Clause, place: ir::Place) -> bool {
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
fn may_grow(clause: &Clause) -> bool {
    let mut instructions = clause.instructions();
    instructions.any(|instruction| {
        matches!(
            instruction.operation,
            Micro::Intrinsic(ir::Intrinsic::PushInPlace, _)
        )
    })
}

/// Blocks of a clause that is worth its room where others have been tried already.
const SHORT: usize = 6;

/// What a variable is that holds nothing.
const UNSET: TypeMask = TypeMask(TypeMask::UNDEF.0 | TypeMask::NULL.0);
/// Types that stand for others elsewhere: a clause's types are those of what they lead to.
const LEADS_ON: TypeMask = TypeMask(TypeMask::REFERENCE.0 | 1 << vm_runtime::value::INDIRECT);

/// Whether a clause looks behind a reference that it finds at a place.
fn follows(clause: &Clause, place: ir::Place) -> bool {
    let mut instructions = clause.instructions();
    instructions.any(|instruction| instruction.operation == Micro::Deref(place))
}

/// Whether a clause looks behind what stands for something elsewhere.
fn leads_on(clause: &Clause, place: ir::Place) -> bool {
    let mut instructions = clause.instructions();
    instructions.any(|instruction| {
        [Micro::Deref(place), Micro::Indirect(place)].contains(&instruction.operation)
    })
}

/// A clause that may apply, with the types that it takes behind references.
#[derive(Clone, Copy)]
pub struct Candidate {
    /// The number of the clause in the lowering.
    pub number: u8,
    pub clause: &'static Clause,
    op1: Option<TypeMask>,
    op2: Option<TypeMask>,
    data: Option<TypeMask>,
    /// Types of op1 and op2 that an earlier clause takes, which is left out.
    pub not: [TypeMask; 2],
    /// It is for what the last of others leaves although its types are as expected.
    pub stands_in: bool,
}

impl Candidate {
    fn new((number, clause): (u8, &'static Clause)) -> Candidate {
        Candidate {
            number,
            clause,
            op1: taken(clause, ir::Place::Op1),
            op2: taken(clause, ir::Place::Op2),
            data: taken(clause, ir::Place::Data),
            not: [TypeMask::NONE; 2],
            stands_in: false,
        }
    }

    /// Leaves to an earlier clause what is its own, although it is not translated. False if that
    /// cannot be told from the types.
    fn leave_to(&mut self, earlier: &Candidate) -> bool {
        let all = |types: Option<TypeMask>| types.unwrap_or(TypeMask::ANY);
        let meets = |a: Option<TypeMask>, b: Option<TypeMask>| all(a).intersects(all(b));
        if !meets(self.op1, earlier.op1)
            || !meets(self.op2, earlier.op2)
            || !meets(self.data, earlier.data)
        {
            return true;
        }
        let covers =
            |mine: Option<TypeMask>, other: Option<TypeMask>| all(mine).is_subset_of(all(other));
        if covers(self.op2, earlier.op2)
            && !covers(self.op1, earlier.op1)
            && !follows(self.clause, ir::Place::Op1)
        {
            self.not[0] = self.not[0].union(all(earlier.op1));
            return true;
        }
        if covers(self.op1, earlier.op1)
            && !covers(self.op2, earlier.op2)
            && !follows(self.clause, ir::Place::Op2)
        {
            self.not[1] = self.not[1].union(all(earlier.op2));
            return true;
        }
        false
    }
}

/// Operands of which a clause may guard the types.
const GUARDED: [ir::Place; 3] = [ir::Place::Op1, ir::Place::Op2, ir::Place::Data];

thread_local! {
    /// What the guards of clauses let through for those operands: it is asked each time that an opline is translated.
    static LET_THROUGH: RefCell<HashMap<*const Clause, [Option<TypeMask>; GUARDED.len()]>> = RefCell::default();
}

/// The types that the guards of a clause let through for an operand, or for what it leads to; none
/// if there is a way without guards.
fn guarded_types(clause: &'static Clause, place: ir::Place) -> Option<TypeMask> {
    let position = GUARDED.iter().position(|guarded| *guarded == place);
    let Some(position) = position else {
        return find_guarded_types(clause, place);
    };
    LET_THROUGH.with_borrow_mut(|known| {
        let known = known.entry(&raw const *clause);
        let types = known.or_insert_with(|| GUARDED.map(|place| find_guarded_types(clause, place)));
        types[position]
    })
}

/// The types that a clause takes for an operand, or for what it leads to; none if it takes all.
pub fn taken(clause: &'static Clause, place: ir::Place) -> Option<TypeMask> {
    let declared = match place {
        ir::Place::Op1 => clause.op1,
        ir::Place::Op2 => clause.op2,
        _ => None,
    };
    match guarded_types(clause, place) {
        Some(types) => Some(TypeMask(types.0 & declared.unwrap_or(TypeMask::ANY).0)),
        None => declared,
    }
}

fn find_guarded_types(clause: &Clause, place: ir::Place) -> Option<TypeMask> {
    let taken = taken_types(clause, &|operation, derived| {
        let leads = |used: ir::Place| match used {
            ir::Place::At(value) => derived.contains(&value),
            other => other == place,
        };
        match operation {
            Micro::Deref(used)
            | Micro::Indirect(used)
            | Micro::Load(used, Representation::Pointer | Representation::Boxed)
            | Micro::GuardType(used, _) => leads(*used),
            Micro::LoadField(field, base) => {
                field.facts().structure == Structure::Reference && derived.contains(base)
            }
            _ => false,
        }
    });
    (taken != TypeMask::ANY).then_some(taken)
}

/// Whether an operation is about something, with the values that are known to be about it.
type Concerns<'c> = &'c dyn Fn(&Micro, &[ir::Value]) -> bool;

/// The types that the guards about something let through on the ways through a clause. What it is about is told
/// by `concerns`.
fn taken_types(clause: &Clause, concerns: Concerns<'_>) -> TypeMask {
    fn from(
        block: ClauseBlock,
        mut types: TypeMask,
        derived: &mut Vec<ir::Value>,
        (clause, concerns): (&Clause, Concerns<'_>),
    ) -> TypeMask {
        let block = &clause.blocks[block.0 as usize];
        for instruction in &block.instructions {
            if !concerns(&instruction.operation, derived) {
                continue;
            }
            match &instruction.operation {
                Micro::GuardType(_, taken) if taken.is_subset_of(LEADS_ON) => {}
                Micro::GuardType(_, taken) => types = TypeMask(types.0 & taken.0),
                _ => derived.extend(instruction.output),
            }
        }
        let mut onward = |next| from(next, types, derived, (clause, concerns));
        match block.terminator {
            ir::Terminator::Branch {
                then, otherwise, ..
            } => onward(then).union(onward(otherwise)),
            ir::Terminator::Overflow {
                exact, overflow, ..
            } => onward(exact).union(onward(overflow)),
            _ => types,
        }
    }
    from(
        ClauseBlock(0),
        TypeMask::ANY,
        &mut Vec::new(),
        (clause, concerns),
    )
}

/// The clauses to translate.
#[derive(Default)]
struct Chosen {
    /// In order: those that the known types allow and the profile expects.
    chosen: Vec<Candidate>,
    /// For what the last of them leaves although its types are as expected.
    other: Option<Candidate>,
}

/// The clauses to translate.
fn choose(
    translator: &Translator<'_>,
    at: &Position,
    lowering: &'static Lowering,
    is_weak: bool,
) -> Chosen {
    let code = translator.request.code;
    let (op1, op2) = (code.op1(at.opline), code.op2(at.opline));
    let known1 = translator.types(&at.state, op1);
    let known2 = translator.types(&at.state, op2);
    let data = match code.has_data(at.opline) {
        true => code.data(at.opline),
        false => Operand::None,
    };
    let known_data = translator.types(&at.state, data);
    let allows = |clause: &Candidate, [known1, known2, data]: [TypeMask; 3]| {
        let allows = |types: Option<TypeMask>, known: TypeMask, place| {
            types.is_none_or(|types| {
                types.intersects(known)
                    || known.intersects(LEADS_ON) && leads_on(clause.clause, place)
            })
        };
        allows(clause.op1, known1, ir::Place::Op1)
            && allows(clause.op2, known2, ir::Place::Op2)
            && allows(clause.data, data, ir::Place::Data)
    };
    let proves = |types: Option<TypeMask>, known: TypeMask| {
        types.is_none_or(|types| known.is_subset_of(types))
    };
    let expected = |operand, known: TypeMask| {
        let seen = match operand {
            Operand::Slot(slot) => code.seen(at.opline, slot),
            _ => known,
        };
        match TypeMask(seen.0 & known.0) {
            TypeMask::NONE => known,
            seen => seen,
        }
    };
    let known = [known1, known2, known_data];
    let (mut likely1, likely2) = (expected(op1, known1), expected(op2, known2));
    // What nobody reads is null once compiled code has run, whatever was seen before.
    if vain::is_in_vain(code, at.opline) {
        likely1 = TypeMask((likely1.0 | UNSET.0) & known1.0);
    }
    let likely = [likely1, likely2, expected(data, known_data)];
    // Which clauses applied is worth more than the types that they take.
    let answers = code.answers(at.opline);
    let answers = answers.filter(|answers| answers.know_a_clause());
    // With nothing to go by, the first clause is the one that the definition expects most. What
    // stands behind a reference is not seen from here.
    let unseen = |likely: TypeMask| likely == TypeMask::ANY || likely.intersects(LEADS_ON);
    let is_unseen = !is_weak && (unseen(likely1) || unseen(likely2));
    let mut chosen: Vec<Candidate> = Vec::new();
    let mut other = None;
    let mut left_out: Vec<Candidate> = Vec::new();
    let mut is_proven = false;
    let clauses = (0..).zip(&lowering.clauses).map(Candidate::new);
    let clauses: Vec<_> = clauses.filter(|clause| allows(clause, known)).collect();
    let applies = |clause: &Candidate| {
        let question = Question::Applies(clause.number);
        answers.is_none_or(|answers| answers.of(question) != 0)
    };
    for (position, &clause) in clauses.iter().enumerate() {
        let mut clause = clause;
        let is_sibling = chosen
            .iter()
            .any(|other: &Candidate| other.op1 == clause.op1 && other.op2 == clause.op2);
        // What stands in front of a clause that applied is left out only if the types tell them apart; what
        // stands in for one that did is not left out.
        let mut later = clauses[position + 1..]
            .iter()
            .filter(|later| applies(later));
        let has_applied = applies(&clause)
            || clause.clause.middle && is_sibling
            || later.any(|&later| !{ later }.leave_to(&clause));
        let is_likely = has_applied && allows(&clause, likely);
        // Behind a clause that the types prove, only others of the same types have a chance.
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
        } else if is_short && other.is_none() {
            other = Some(clause);
        }
        is_proven |= !is_weak && proves(clause.op1, known1) && proves(clause.op2, known2);
    }
    let stands_in = |clause| Candidate {
        stands_in: true,
        ..clause
    };
    let other = other.filter(|_| !is_weak).map(stands_in);
    Chosen { chosen, other }
}
