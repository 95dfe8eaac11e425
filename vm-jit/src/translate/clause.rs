//! Which clause an opline takes, by the types that are known and those that the profile expects.

use smallvec::SmallVec;
use vm_def::ir::{Clause, LEADS_ON, Lowering, Taking, Terminator, Traits, Worker};
use vm_def::types::TypeMask;
use vm_runtime::generated::Opcode;
use vm_runtime::generated::lowering::work_of_opline;
use vm_runtime::op::Op;

use super::expand::{Expansion, Way, begin_alike};
use super::state::SlotState;
use super::trial::{Answers, Question};
use super::{Operand, Position, Translator, vain};
use crate::graph::{Operation, Place, Type};
use crate::machine;

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
    let falls_back = is_weak || chosen.iter().any(|candidate| candidate.traits.may_grow);
    // Before the snapshot: what leaves would make them again.
    let is_chain = chosen.len() > 1 || falls_back;
    settle_operands(translator, &mut at, &chosen, is_chain);
    let exit = translator.snapshot(&at.state, at.opline);
    let is_alone = chosen.len() == 1 && !falls_back;
    let mut rest: &[Candidate] = &{ chosen.into_iter().chain(other).collect::<Candidates>() };
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
        .any(|candidate| candidate.traits.refuses_late || candidate.traits.changes_count)
    {
        translator.settle(at.block, &mut at.state);
    }
    let data = match code.has_data(at.opline) {
        true => code.data(at.opline),
        false => Operand::None,
    };
    let is_taken = |taking: fn(&Traits) -> &Taking| {
        let mut traits = chosen.iter().map(|candidate| candidate.traits);
        traits.any(|traits| taking(traits).takes)
    };
    let operands = [
        (code.op1(at.opline), is_taken(|traits| &traits.op1)),
        (code.op2(at.opline), is_taken(|traits| &traits.op2)),
        (data, is_taken(|traits| &traits.data)),
    ];
    for (operand, is_taken) in operands {
        let Operand::Slot(slot) = operand else {
            continue;
        };
        let SlotState::Borrowed { address, types } = at.state.at(slot) else {
            continue;
        };
        if !is_taken {
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

/// Blocks of a clause that is worth its room where others have been tried already.
const SHORT: usize = 6;

/// What a variable is that holds nothing.
const UNSET: TypeMask = TypeMask(TypeMask::UNDEF.0 | TypeMask::NULL.0);
/// A clause that may apply, with the types that it takes behind references.
#[derive(Clone, Copy)]
pub struct Candidate {
    /// The number of the clause in the lowering.
    pub number: u8,
    pub clause: &'static Clause,
    pub traits: &'static Traits,
    /// Types of op1, op2 and OP_DATA that an earlier clause takes, which is left out.
    pub not: [TypeMask; 3],
    /// It is for what the last of others leaves although its types are as expected.
    pub stands_in: bool,
}

/// Whether compiled code can use a clause: it knows the helpers that it goes on with.
pub fn is_supported(clause: &Clause) -> bool {
    clause.blocks.iter().all(|block| match &block.terminator {
        Terminator::Helper(name) => machine::helper(name).is_some(),
        _ => true,
    })
}

/// Most opcodes have few clauses.
type Candidates = SmallVec<[Candidate; 8]>;

impl Candidate {
    fn new((number, (clause, traits)): (u8, (&'static Clause, &'static Traits))) -> Candidate {
        Candidate {
            number,
            clause,
            traits,
            not: [TypeMask::NONE; 3],
            stands_in: false,
        }
    }

    /// Whether it takes the same types of op1 and op2.
    fn takes_as(&self, other: &Candidate) -> bool {
        let types = |candidate: &Candidate| {
            let traits = candidate.traits;
            (traits.op1.types, traits.op2.types)
        };
        types(self) == types(other)
    }

    /// Leaves to an earlier clause what is its own, although it is not translated. False if that
    /// cannot be told from the types of one operand. `likely` are those of op1, op2 and OP_DATA.
    fn leave_to(&mut self, earlier: &Candidate, likely: [TypeMask; 3]) -> bool {
        let all = |taking: &Taking| taking.types.unwrap_or(TypeMask::ANY);
        let operands = |traits: &'static Traits| [&traits.op1, &traits.op2, &traits.data];
        let (mine, its) = (operands(self.traits), operands(earlier.traits));
        let pairs = || mine.into_iter().zip(its);
        if pairs().any(|(mine, its)| !all(mine).intersects(all(its))) {
            return true;
        }
        let covers = |(mine, its): (&Taking, &Taking)| all(mine).is_subset_of(all(its));
        let leaves = |(mine, its): (&Taking, &Taking), likely: TypeMask| match mine.follows {
            // What stands behind a reference is not its own.
            true => !its.leads_on && likely.intersects(LEADS_ON),
            false => !covers((mine, its)),
        };
        // Whether this operand alone tells them apart: the other clause takes all that is taken here of the others.
        let tells = |&operand: &usize| {
            let mut others = pairs().enumerate().filter(|&(other, _)| other != operand);
            others.all(|(_, pair)| covers(pair))
                && leaves((mine[operand], its[operand]), likely[operand])
        };
        let Some(operand) = (0..mine.len()).find(tells) else {
            return false;
        };
        self.not[operand] = self.not[operand].union(all(its[operand]));
        true
    }
}

/// The clauses to translate.
#[derive(Default)]
struct Chosen {
    /// In order: those that the known types allow and the profile expects.
    chosen: Candidates,
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
        let allows = |taking: &Taking, known: TypeMask| {
            taking.types.is_none_or(|types| {
                types.intersects(known) || known.intersects(LEADS_ON) && taking.leads_on
            })
        };
        let traits = clause.traits;
        allows(&traits.op1, known1) && allows(&traits.op2, known2) && allows(&traits.data, data)
    };
    let proves = |taking: &Taking, known: TypeMask| {
        let types = taking.types;
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
    // With nothing to go by, the first clause is the one that the definition expects most. What
    // stands behind a reference is not seen from here.
    let unseen = |likely: TypeMask| likely == TypeMask::ANY || likely.intersects(LEADS_ON);
    let is_unseen = !is_weak && (unseen(likely1) || unseen(likely2));
    let mut chosen = Candidates::new();
    let mut other = None;
    let mut left_out = Candidates::new();
    let mut is_proven = false;
    let clauses = lowering.clauses.iter().zip(&lowering.traits);
    let clauses = (0..).zip(clauses).map(Candidate::new);
    let clauses = clauses.filter(|clause| clause.traits.companion.is_none());
    let clauses: Candidates = clauses.filter(|clause| allows(clause, known)).collect();
    // Which clauses applied is worth more than the types that they take, unless what is known here allows none of them.
    let applied = |answers: &Answers, clause: &Candidate| {
        let question = Question::Applies(clause.number);
        answers.of(question) != 0
    };
    let answers = code.answers(at.opline);
    let answers = answers.filter(|answers| clauses.iter().any(|clause| applied(answers, clause)));
    let applies = |clause: &Candidate| answers.is_none_or(|answers| applied(answers, clause));
    for (position, &clause) in clauses.iter().enumerate() {
        let mut clause = clause;
        let is_sibling = chosen
            .iter()
            .any(|other: &Candidate| other.takes_as(&clause));
        // What stands in front of a clause that applied is left out only if the types tell them apart; what
        // stands in for one that did is not left out.
        let mut later = clauses[position + 1..]
            .iter()
            .filter(|later| applies(later));
        let has_applied = applies(&clause)
            || clause.traits.is_middle && is_sibling
            || later.any(|&later| !{ later }.leave_to(&clause, likely));
        let is_likely = has_applied && allows(&clause, likely);
        // Behind a clause that the types prove, only others of the same types have a chance.
        let was_seen = answers.is_some() && applies(&clause);
        let is_wanted = is_likely
            && is_supported(clause.clause)
            && (chosen.is_empty() || is_sibling || was_seen || !is_unseen && !is_proven);
        let mut earlier = left_out.iter();
        if !is_wanted || !earlier.all(|earlier| clause.leave_to(earlier, likely)) {
            left_out.push(clause);
            continue;
        }
        // A clause of the middle path that was not seen stands in where others of the same types leave, unless it
        // is much longer than the way to the slow path.
        let is_short = clause.clause.blocks.len() <= SHORT;
        if !clause.traits.is_middle || !is_sibling || was_seen || is_weak && is_short {
            chosen.push(clause);
        } else if is_short && other.is_none() {
            other = Some(clause);
        }
        is_proven |=
            !is_weak && proves(&clause.traits.op1, known1) && proves(&clause.traits.op2, known2);
    }
    let stands_in = |clause| Candidate {
        stands_in: true,
        ..clause
    };
    let other = other.filter(|_| !is_weak).map(stands_in);
    Chosen { chosen, other }
}
