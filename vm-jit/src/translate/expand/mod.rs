//! The micro-operations of a clause as instructions.

mod forks;
mod frames;
mod instructions;
mod literals;
mod places;
mod returns;
mod values;

use forks::Fork;
pub use forks::begin_alike;
use hashbrown::{HashMap, HashSet};
use smallvec::{SmallVec, smallvec};

use vm_def::grammar::OplineField;
use vm_def::ir::layout::Structure;
use vm_def::ir::{self, BlockId as ClauseBlock, Clause, Operation as Micro, Reason};
use vm_def::types::TypeMask;
use vm_runtime::value::{REFCOUNTED, Zval};

use super::clause::Candidate;
use super::state::{Prepared, SlotState};
use super::trial::{self, NO, YES};
use super::{Operand, Position, Translator};
use crate::graph::{
    BlockId, Held, Operation, Place, Slot, Snapshot, SnapshotId, Table, Terminator, Value,
};

/// Where an address leads, as far as slots of the frame are concerned.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Origin {
    /// To this slot.
    Slot(Slot),
    /// To this slot, or into the reference that it holds.
    Behind(Slot),
    /// Nobody knows: perhaps to a variable of the frame.
    Anywhere,
}

/// What a value has to do with the type of what stands at an address.
#[derive(Clone, Copy, Debug)]
enum Question {
    /// It is the number of the type.
    Kind(ir::Value),
    /// It is a mask of types, moved so that the bit of the type comes first.
    Bits(ir::Value, TypeMask),
    /// It is the bit of the type.
    Bit(ir::Value, TypeMask),
    /// It is a type word.
    Word(ir::Place),
    /// It is the bit of a type word that says that the value is counted.
    Flag(ir::Place),
    /// Whether a value is counted.
    IsCounted(ir::Place),
    /// Whether it is not.
    IsUncounted(ir::Place),
}

/// Where a jump table leads on in more ways, the interpreter follows it.
const MOST_TARGETS: usize = 12;
/// How many instructions may stand between a test and what narrows it.
const MOST_BETWEEN: usize = 16;

/// What becomes of an opline when a clause does not apply, and behind it.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Leaving in front of the opline.
    pub exit: SnapshotId,
    /// Another clause is tried here; else guards leave, but for those that are no surprise.
    pub fallback: Option<BlockId>,
    /// There is no other way: the opline that follows may be translated in the same block.
    pub is_alone: bool,
}

/// Where the translation of a clause leads.
#[derive(Debug)]
pub struct Expanded {
    /// Where to go on, if that is in the same block.
    pub next: Option<Position>,
    /// Where values lead that the clause does not take, though nothing unexpected was found.
    pub otherwise: Option<BlockId>,
}

/// What happened so far on a way through a clause.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// Something was changed: the clause applies, and nothing may leave any more.
    has_effect: bool,
    /// The frame tells the opline.
    is_told: bool,
    /// Code of the script may have run, or an exception was left behind.
    reentered: bool,
}

/// What was found out on the way through a clause.
#[derive(Clone, Debug, Default)]
struct Findings {
    values: Table<ir::Value, Value>,
    /// Values that are about types, kinds of arrays, or the frame and its function.
    steady: Table<ir::Value, ()>,
    /// Addresses that may lead to slots of the frame.
    origins: HashMap<Value, Origin>,
    /// Values that were made of types.
    questions: Table<ir::Value, Question>,
    /// Oplines of this function, by the value that is their address.
    targets: HashMap<ir::Value, u32>,
    /// Type words of which only the type is not known.
    uncounted_words: HashSet<Value>,
    /// The types of what addresses lead to, on this way through the clause and until something is written.
    types_at: HashMap<Value, TypeMask>,
    /// Tests of types, by the value that answers.
    tests: HashMap<Value, (Value, TypeMask)>,
    /// Literals by the value that is their address.
    literals: HashMap<Value, *const Zval>,
    /// Addresses of arrays that are parts of literals.
    literal_arrays: HashSet<Value>,
    /// The operands that are variables with a known value, which the opline does not write: op1, op2 and that of OP_DATA.
    constants: [Option<*const Zval>; 3],
    /// Frames, by the value that is their address, with the part whose they are.
    frames: HashMap<Value, usize>,
    /// The functions of inlined calls of closures, with their part.
    closures: HashMap<Value, usize>,
    /// What is called is a closure.
    is_closure: bool,
    /// Bits of the info of the unit's own frame that are known, and how they are; and the values that are that info.
    info: Option<(u32, u32)>,
    infos: SmallVec<[Value; 2]>,
    /// The top of the stack where the frame of an inlined call begins, and that frame.
    top: Option<(Value, Value)>,
    /// Frames, by the value that is the address of their `$this`.
    frames_of: HashMap<Value, Value>,
    /// Objects by the value that is their class.
    classes_of: HashMap<Value, Value>,
    /// Operands of the clause that compare an object's class, with both.
    class_tests: HashMap<ir::Value, (Value, u64)>,
    /// The classes of objects that were compared.
    classes: HashMap<Value, u64>,
    /// The call that the opline makes, if it is known and not inlined.
    closing: Option<Prepared>,
    /// The variables that a branch on a value gives back.
    given_back: Option<(ir::Value, Vec<Slot>)>,
    /// What is known of the heads of frames that the opline makes.
    fresh: HashMap<Value, (Option<u64>, Option<u32>)>,
    progress: Progress,
    /// The interrupt word has been looked at.
    has_polled: bool,
}

/// Few clauses have more values.
const USUAL_VALUES: usize = 48;

impl Findings {
    /// Nothing yet, with room for the values of most clauses.
    fn with_room() -> Findings {
        Findings {
            values: Table::with_room(USUAL_VALUES),
            steady: Table::with_room(USUAL_VALUES),
            questions: Table::with_room(USUAL_VALUES),
            ..Findings::default()
        }
    }
}

/// The translation of clauses for one opline.
pub struct Expansion<'t, 'a, 'c> {
    translator: &'t mut Translator<'a>,
    clause: &'c Clause,
    /// The block of it that is being translated.
    block: ClauseBlock,
    /// Its number in the lowering.
    number: u8,
    opline: u32,
    exit: SnapshotId,
    fallback: Option<BlockId>,
    otherwise: Option<BlockId>,
    is_alone: bool,
    /// Clauses that are the same up to here, in order.
    alike: &'c [Candidate],
    /// Where the first of them parts: the number of an instruction.
    parting: usize,
    /// Where others went on otherwise.
    forks: Vec<Fork<'c>>,
    found: Findings,
}

impl<'t, 'a, 'c> Expansion<'t, 'a, 'c> {
    /// Translates clauses that begin alike, none of which takes the types that the first one does not.
    pub fn expand(
        translator: &'t mut Translator<'a>,
        candidates: &'c [Candidate],
        way: Way,
        at: Position,
    ) -> Expanded {
        let Some((first, alike)) = candidates.split_first() else {
            return Expanded {
                next: Some(at),
                otherwise: None,
            };
        };
        let mut expansion = Expansion {
            translator,
            clause: first.clause,
            block: ClauseBlock(0),
            number: first.number,
            opline: at.opline,
            exit: way.exit,
            fallback: way.fallback,
            otherwise: None,
            is_alone: way.is_alone,
            alike: &[],
            parting: usize::MAX,
            forks: Vec::new(),
            found: Findings::with_room(),
        };
        expansion.go_on_with(alike);
        let next = expansion.first(at, first);
        expansion.go_otherwise(next)
    }

    /// Translates the first clause.
    fn first(&mut self, mut at: Position, candidate: &Candidate) -> Option<Position> {
        self.found.constants = self.translator.constants(&at);
        if self.closes_call() {
            let opened = self.translator.request.code.opened(self.opline);
            self.found.closing = at.state.close_call(opened);
        }
        for (place, not) in [ir::Place::Op1, ir::Place::Op2, ir::Place::Data]
            .into_iter()
            .zip(candidate.not)
        {
            if not != TypeMask::NONE {
                self.guard_type(place, TypeMask(TypeMask::ANY.0 & !not.0), &mut at);
            }
        }
        for instruction in self.clause.instructions() {
            if let Micro::Intrinsic(ir::Intrinsic::VariablesNeedRelease, _) = instruction.operation
            {
                self.expect_uncounted_variables(&mut at);
            }
            // Where nothing counted was seen, what a clause gives back at its end needs no release.
            if let Micro::Free(place) = instruction.operation
                && self.is_consumed(place)
                && let Operand::Slot(slot) = self.operand(place)
                && let SlotState::Memory { .. } = at.state.at(slot)
                && self.fallback.is_none()
            {
                let seen = self.seen(slot);
                if seen != TypeMask::NONE && !seen.intersects(TypeMask::COUNTED) {
                    self.guard_uncounted(place, &mut at);
                }
            }
        }
        let traits = candidate.traits;
        let successors = self.translator.request.code.successors(self.opline);
        if traits.frees && successors.iter().any(|&target| target <= self.opline) {
            // Behind what is given back nothing may leave any more.
            self.poll(&at);
            self.found.has_polled = true;
        }
        if traits.enters_frame && self.made(&at).is_none() {
            // The interpreter polls behind the call; there the caller's state would be needed.
            self.poll(&at);
        }
        self.block(ClauseBlock(0), at)
    }

    fn push(&mut self, at: &Position, operation: Operation) -> Option<Value> {
        self.translator.push(at.block, operation)
    }

    /// Goes on only if the condition holds.
    fn guard(&mut self, condition: Value, reason: Reason, at: &mut Position) {
        match self.way_out(reason) {
            None => {
                self.push(at, Operation::Guard(condition, self.exit));
            }
            Some(fallback) => self.or_else(condition, fallback, at),
        }
    }

    /// Behind what changes something unless it refuses: no guard, for one that leaves for no reason would have it done
    /// twice.
    fn leave_unless_done(&mut self, done: Value, at: &mut Position) {
        let refused = self.way_out(Reason::Value).unwrap_or_else(|| {
            let graph = &mut self.translator.graph;
            let leaving = graph.block(self.opline);
            graph.at_mut(leaving).terminator = Terminator::Unseen(self.exit);
            leaving
        });
        self.or_else(done, refused, at);
    }

    /// Where a guard leads that does not hold; none if it leaves.
    fn way_out(&mut self, reason: Reason) -> Option<BlockId> {
        let answers = self.translator.request.code.answers(self.opline);
        let applied = answers.is_some_and(|answers| answers.apply_only(self.number));
        let is_usual =
            matches!(reason, Reason::Value | Reason::Counted | Reason::Callee) && !applied;
        let has_room = self.otherwise.is_some() || !self.translator.is_crowded();
        (self.fallback.is_some() || is_usual && has_room).then(|| self.otherwise())
    }

    /// Where values lead that the clause does not take.
    fn otherwise(&mut self) -> BlockId {
        let (graph, opline) = (&mut self.translator.graph, self.opline);
        self.fallback
            .unwrap_or_else(|| *self.otherwise.get_or_insert_with(|| graph.block(opline)))
    }

    /// Goes on elsewhere if the condition does not hold.
    fn or_else(&mut self, condition: Value, otherwise: BlockId, at: &mut Position) {
        if self.translator.graph.truth(condition) == Some(true) {
            return;
        }
        let graph = &mut self.translator.graph;
        let then = graph.block(self.opline);
        graph.at_mut(at.block).terminator = Terminator::branch(condition, then, otherwise);
        at.block = then;
    }

    /// What was seen that a question asks; no bits if nobody knows.
    fn answer(&self, question: trial::Question) -> u32 {
        let code = self.translator.request.code;
        code.answer(self.opline, question)
    }

    /// Before the branch at the end of a block: leaves if the condition is not what was always seen. Gives what it
    /// is behind that. Only what is steady is expected: how data compares says little of other data.
    fn speculate_truth(
        &mut self,
        block: ClauseBlock,
        asked: ir::Value,
        at: &mut Position,
    ) -> Option<bool> {
        let expected = match self.answer(trial::Question::Branch(self.number, block)) {
            YES => true,
            NO => false,
            _ => return None,
        };
        if self.found.progress.has_effect || !self.found.steady.contains(asked) {
            return None;
        }
        let mut condition = self.value(asked);
        if !expected {
            let not = Operation::Unary(ir::UnaryOperation::NotBool, condition);
            condition = self.push(at, not)?;
        }
        self.guard(condition, Reason::Type, at);
        Some(expected)
    }

    /// Where it is known how a question came out.
    fn note_answer(&mut self, asked: ir::Value, answer: bool, at: &mut Position) {
        let place = match (self.found.questions.get(asked), answer) {
            (Some(Question::IsUncounted(place)), true)
            | (Some(Question::IsCounted(place)), false) => *place,
            _ => return,
        };
        if !self.found.progress.has_effect {
            self.note_uncounted(place, at);
        }
    }

    /// Narrows what is tested already at the same place, if nothing has been written since: it is as well to leave there.
    fn narrows(&mut self, memory: Place, types: TypeMask, block: BlockId) -> bool {
        let exit = self.exit;
        let instructions = self.translator.graph.at_mut(block).instructions.iter_mut();
        instructions
            .rev()
            .take(MOST_BETWEEN)
            .take_while(|instruction| !instruction.operation.has_effect())
            .find_map(|instruction| match &mut instruction.operation {
                Operation::GuardType(place, before, same)
                    if (*place, *same) == (memory, exit) && before.intersects(types) =>
                {
                    *before = TypeMask(before.0 & types.0);
                    Some(())
                }
                _ => None,
            })
            .is_some()
    }

    fn guard_place(&mut self, memory: Place, types: TypeMask, at: &mut Position) {
        match self.fallback {
            None => {
                if !self.narrows(memory, types, at.block) {
                    self.push(at, Operation::GuardType(memory, types, self.exit));
                }
            }
            Some(fallback) => {
                if let Some(condition) = self.push(at, Operation::IsType(memory, types)) {
                    self.or_else(condition, fallback, at);
                }
            }
        }
        if let Place::At(address) = memory {
            let known = self.found.types_at.entry(address).or_insert(TypeMask::ANY);
            *known = TypeMask(known.0 & types.0);
        }
    }

    fn guard_place_uncounted(&mut self, memory: Place, at: &mut Position) {
        use ir::BinaryOperation::{AndLong, EqLong};
        let Some(fallback) = self.fallback else {
            self.push(at, Operation::GuardUncounted(memory, self.exit));
            return;
        };
        let condition = (|| {
            let word = self.push(at, Operation::TypeWord(memory))?;
            let flag = self.push(at, Operation::Long(i64::from(REFCOUNTED)))?;
            let flag = self.push(at, Operation::Binary(AndLong, word, flag))?;
            let zero = self.push(at, Operation::Long(0))?;
            self.push(at, Operation::Binary(EqLong, flag, zero))
        })();
        if let Some(condition) = condition {
            self.or_else(condition, fallback, at);
        }
    }

    fn value(&self, value: ir::Value) -> Value {
        match self.found.values.get(value) {
            Some(value) => *value,
            None => unreachable!("a value of a clause is defined in front of its uses"),
        }
    }

    fn block(&mut self, id: ClauseBlock, at: Position) -> Option<Position> {
        self.block_from(id, 0, at)
    }

    /// Translates a block of the clause without its first instructions, and those that it leads to.
    fn block_from(&mut self, id: ClauseBlock, first: usize, mut at: Position) -> Option<Position> {
        let clause = self.clause;
        self.block = id;
        let block = &clause.blocks[id.0 as usize];
        for (number, instruction) in block.instructions.iter().enumerate().skip(first) {
            self.part(number, &at);
            if let Micro::GuardType(place, types) = &instruction.operation
                && let Some(known) = self.known(*place, &at)
                && !known.intersects(*types)
            {
                self.leave(&at);
                return None;
            }
            if let Micro::Guard(asked, reason) = &instruction.operation {
                self.found
                    .classes
                    .extend(self.found.class_tests.get(asked).copied());
                let value = self.value(*asked);
                match self.translator.graph.truth(value) {
                    Some(true) => {}
                    // The clause never applies.
                    Some(false) => {
                        self.leave(&at);
                        return None;
                    }
                    None => {
                        self.guard(value, *reason, &mut at);
                        self.note_answer(*asked, true, &mut at);
                        if let Some((address, types)) = self.found.tests.get(&value) {
                            let known =
                                self.found.types_at.entry(*address).or_insert(TypeMask::ANY);
                            *known = TypeMask(known.0 & types.0);
                        }
                    }
                }
                continue;
            }
            self.prepare(&instruction.operation, &mut at);
            self.found.progress.has_effect |= instruction.operation.has_effect();
            let value = self.instruction(&instruction.operation, instruction.output, &mut at);
            if let (Some(output), Some(value)) = (instruction.output, value) {
                self.found.values.insert(output, value);
            }
        }
        self.part(block.instructions.len(), &at);
        match &block.terminator {
            ir::Terminator::Next => {
                let next = self.translator.request.code.following(self.opline);
                self.test_thrown(next, &mut at);
                if self.found.progress.reentered {
                    at.opline = next;
                    self.translator.test_variables(&mut at);
                }
                self.go_on(at, next)
            }
            ir::Terminator::Decide(value) => {
                self.test_thrown(self.opline + 1, &mut at);
                self.forget_if_reentered(&mut at);
                self.decide(self.value(*value), at)
            }
            ir::Terminator::Jump(field) => {
                self.test_thrown(self.opline + 1, &mut at);
                self.forget_if_reentered(&mut at);
                self.jump(*field, at)
            }
            ir::Terminator::Goto(value) => {
                self.test_thrown(self.opline + 1, &mut at);
                self.forget_if_reentered(&mut at);
                self.go_to(*value, at)
            }
            ir::Terminator::Switch { frame, opline, way } => {
                let (frame, opline) = (self.value(*frame), self.value(*opline));
                let is_inlined = match way {
                    ir::Way::Enter => self.enter_inlined(frame, opline, &mut at),
                    ir::Way::Resume => false,
                    ir::Way::Leave => self.leave_inlined(frame, &mut at),
                };
                if !is_inlined {
                    self.switch(frame, opline, *way, &at);
                }
                None
            }
            ir::Terminator::Helper(name) if self.help_inlined(name, &mut at) => None,
            ir::Terminator::Helper(name) => {
                if let Some(helper) = crate::machine::helper(name) {
                    // Who goes on behind the opline finds its result, which is nothing in front of it.
                    if let Operand::Slot(result) = self.translator.request.code.result(self.opline)
                    {
                        self.translator.save(&mut at, result);
                    }
                    let exit = self.translator.snapshot(&at.state, self.opline);
                    let terminator = Terminator::Helper(helper.handler as usize as u64, exit);
                    self.translator.graph.at_mut(at.block).terminator = terminator;
                    // A generator goes on where it was suspended.
                    let successors = self.translator.request.code.successors(self.opline);
                    self.translator.want_behind(successors);
                }
                None
            }
            ir::Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                let asked = *condition;
                if let Some(variables) = self.variables_of(asked) {
                    return self.give_back(&variables, [*then, *otherwise], at);
                }
                let condition = self.value(asked);
                let known = self.translator.graph.truth(condition);
                if let Some(truth) = known.or_else(|| self.speculate_truth(id, asked, &mut at)) {
                    self.note_answer(asked, truth, &mut at);
                    return self.block(if truth { *then } else { *otherwise }, at);
                }
                let (mut yes, mut no) = self.branch(condition, at);
                self.note_answer(asked, true, &mut yes);
                self.note_answer(asked, false, &mut no);
                self.both_ways([(*then, yes), (*otherwise, no)])
            }
            ir::Terminator::Overflow {
                operation,
                output,
                left,
                right,
                exact,
                ..
            } => {
                let (left, right) = (self.value(*left), self.value(*right));
                let checked = Operation::Checked(*operation, left, right, self.exit);
                let value = self.push(&at, checked)?;
                self.found.values.insert(*output, value);
                self.block(*exact, at)
            }
        }
    }

    /// In front of an operation: what others may look at is written, and what it may change is not
    /// relied on any more.
    fn prepare(&mut self, operation: &Micro, at: &mut Position) {
        use ir::IntrinsicEffect::{Pure, Reenters};
        let in_frame = |this: &Self, place| matches!(this.operand(place), Operand::Slot(_));
        match operation {
            Micro::Intrinsic(intrinsic, _) if intrinsic.effect() == Pure => {}
            Micro::Intrinsic(intrinsic, _) => {
                if self.clause.middle {
                    self.tell_opline(at);
                }
                if intrinsic.effect() == Reenters {
                    self.before_reentering(at);
                } else {
                    self.translator.settle(at.block, &mut at.state);
                }
            }
            Micro::Release(_) => {
                self.tell_opline(at);
                self.before_reentering(at);
            }
            Micro::StoreField(field, ..) => {
                let structure = field.facts().structure;
                if !matches!(structure, Structure::Frame | Structure::Vm) {
                    self.translator.settle(at.block, &mut at.state);
                }
            }
            Micro::Store(place, ..)
            | Micro::StoreNull(place)
            | Micro::StoreUndef(place)
            | Micro::StoreTyped(place, ..)
            | Micro::StoreString(place, _)
            | Micro::Move(place, _)
                if *place != ir::Place::Result && !in_frame(self, *place) =>
            {
                self.translator.settle(at.block, &mut at.state);
            }
            _ => {}
        }
    }

    /// Code of the script may run: it finds the frame as the interpreter would have left it.
    fn before_reentering(&mut self, at: &mut Position) {
        self.translator.save_live(at);
        self.translator.forget_globals(at);
        self.found.progress.reentered = true;
    }

    /// Writes the opline to the frame, for messages and for whoever looks for an exception.
    fn tell_opline(&mut self, at: &Position) {
        if std::mem::replace(&mut self.found.progress.is_told, true) {
            return;
        }
        let here = self.translator.request.code.address(self.opline);
        let field = ir::Field::find(Structure::Frame, "opline");
        let frame = self.frame(at);
        let here = self.push(at, Operation::Literal(here));
        if let (Some(field), Some(frame), Some(here)) = (field, frame, here) {
            self.push(at, Operation::StoreField(field, frame, here));
        }
    }

    /// Behind code that may have thrown: that redirects the frame's opline.
    fn test_thrown(&mut self, next: u32, at: &mut Position) -> Option<()> {
        if !self.found.progress.reentered {
            return None;
        }
        let here = self.translator.request.code.address(self.opline);
        let field = ir::Field::find(Structure::Frame, "opline")?;
        let frame = self.frame(at)?;
        let told = self.push(at, Operation::LoadField(field, frame))?;
        self.push(at, Operation::Onward(told, here, next - self.opline));
        Some(())
    }

    fn forget_if_reentered(&mut self, at: &mut Position) {
        if self.found.progress.reentered {
            self.translator.forget_variables(at);
        }
    }

    /// The clause does not apply here.
    fn leave(&mut self, at: &Position) {
        let terminator = Terminator::jump(self.otherwise());
        self.translator.graph.at_mut(at.block).terminator = terminator;
    }

    /// Ends the block with a choice; gives both ways on.
    fn branch(&mut self, condition: Value, at: Position) -> (Position, Position) {
        let graph = &mut self.translator.graph;
        let (then, otherwise) = (graph.block(self.opline), graph.block(self.opline));
        graph.at_mut(at.block).terminator = Terminator::branch(condition, then, otherwise);
        let way = |block| Position {
            block,
            state: at.state.clone(),
            opline: self.opline,
        };
        (way(then), way(otherwise))
    }

    /// Translates two blocks of the clause, of which one or the other is come to.
    fn both_ways(&mut self, ways: [(ClauseBlock, Position); 2]) -> Option<Position> {
        let [(then, yes), (otherwise, no)] = ways;
        // What guards tell on one way does not hold on the other.
        let before = (
            self.found.progress,
            self.found.info,
            self.found.types_at.clone(),
            self.found.classes.clone(),
        );
        let first = self.block(then, yes);
        let found = &mut self.found;
        (found.progress, found.info, found.types_at, found.classes) = before;
        let second = self.block(otherwise, no);
        match (first, second) {
            (Some(first), Some(second)) => {
                for way in [first, second] {
                    self.translator.go(way.block, way.state, way.opline);
                }
                None
            }
            (first, second) => first.or(second),
        }
    }

    /// Goes on at an opline: in the same block if there is no other clause.
    fn go_on(&mut self, at: Position, opline: u32) -> Option<Position> {
        if self.is_alone {
            return Some(Position { opline, ..at });
        }
        self.translator.go(at.block, at.state, opline);
        None
    }

    /// Leaves in front of the opline if the interrupt word is set.
    fn poll(&mut self, at: &Position) {
        if cfg!(feature = "unlimited") {
            return;
        }
        if let Some(word) = self.push(at, Operation::Interrupt) {
            self.push(at, Operation::Poll(word, self.exit));
        }
    }

    /// Jumps back look at the interrupt word; the state is still that before the opline.
    fn jump_to(&mut self, at: Position, target: u32) {
        if target <= self.opline && !self.found.has_polled {
            self.poll(&at);
        }
        self.translator.go(at.block, at.state, target);
    }

    fn jump(&mut self, field: OplineField, at: Position) -> Option<Position> {
        let target = self.translator.request.code.target(self.opline, field);
        self.jump_to(at, target);
        None
    }

    fn go_to(&mut self, value: ir::Value, at: Position) -> Option<Position> {
        let opline = self.value(value);
        match self
            .found
            .targets
            .get(&value)
            .copied()
            .or_else(|| self.here(opline))
        {
            Some(target) => self.translator.go(at.block, at.state, target),
            None => {
                let at = self.go_to_one(opline, at);
                if let Some(frame) = self.frame(&at) {
                    self.switch(frame, opline, ir::Way::Enter, &at);
                }
            }
        }
        None
    }

    /// Goes on with the one of the oplines to which a jump table leads that an address is, as far as they were seen.
    /// Gives where to go on if it is none of them.
    fn go_to_one(&mut self, opline: Value, mut at: Position) -> Position {
        let code = self.translator.request.code;
        let effects = code.facts(self.opline).map(|facts| facts.effects);
        if !effects.is_some_and(|effects| effects.jumps_extended) {
            return at;
        }
        let mut targets = code.successors(self.opline);
        targets.sort_unstable();
        targets.dedup();
        targets.retain(|target| !code.is_unseen(*target));
        if targets.len() > MOST_TARGETS {
            return at;
        }
        for target in targets {
            let address = Operation::Literal(code.address(target));
            let same = self.push(&at, address).and_then(|address| {
                let same = Operation::Binary(ir::BinaryOperation::EqPointer, opline, address);
                self.push(&at, same)
            });
            let Some(same) = same else { return at };
            let (yes, no) = self.branch(same, at);
            self.translator.go(yes.block, yes.state, target);
            at = no;
        }
        at
    }

    /// The opline of this function that an address is known to lead to.
    fn here(&self, opline: Value) -> Option<u32> {
        let code = self.translator.request.code;
        let (running, _) = code.local(self.opline);
        code.find(running, self.translator.graph.address(opline)?)
    }

    /// Goes on in another frame. This one is either left for good, or needs what is live behind
    /// the opline.
    fn switch(&mut self, frame: Value, opline: Value, way: ir::Way, at: &Position) {
        let code = self.translator.request.code;
        let snapshot = if way == ir::Way::Enter && code.has_following(self.opline) {
            let next = code.following(self.opline);
            self.translator.want_behind(smallvec![next]);
            self.translator.snapshot(&at.state, next)
        } else if way == ir::Way::Resume {
            let successors = code.successors(self.opline);
            self.translator.want_behind(successors);
            self.translator.snapshot(&at.state, self.opline)
        } else {
            let nothing = Snapshot {
                opline: self.opline,
                slots: Vec::new(),
                writes: Vec::new(),
            };
            self.translator.graph.snapshot(nothing)
        };
        self.translator.graph.at_mut(at.block).terminator = Terminator::Switch {
            frame,
            opline,
            snapshot,
        };
    }

    fn decide(&mut self, value: Value, mut at: Position) -> Option<Position> {
        let code = self.translator.request.code;
        let next = code.following(self.opline);
        if let Some((target, on_true)) = code.smart_branch(self.opline) {
            if let Some(truth) = self.translator.graph.truth(value) {
                match truth == on_true {
                    true => self.jump_to(at, target),
                    false => self.translator.go(at.block, at.state, next),
                }
                return None;
            }
            let (yes, no) = self.branch(value, at);
            let (jumping, falling) = if on_true { (yes, no) } else { (no, yes) };
            self.jump_to(jumping, target);
            self.translator.go(falling.block, falling.state, next);
            return None;
        }
        self.store(ir::Place::Result, Held::Bool(value), &mut at);
        self.go_on(at, next)
    }
}
