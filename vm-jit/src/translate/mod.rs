//! Op arrays to graphs.
//!
//! The translator walks the oplines and keeps for each slot of the frame what is known of it
//! ([`state::State`]). What an opcode means stands in its lowering alone: [`clause`] turns the micro-operations
//! of the clauses that fit the known or expected types into instructions. An opline without such a
//! clause is *interpreted*: compiled code leaves for its handler, and is entered again behind it.

mod body;
mod clause;
mod code;
mod entered;
mod expand;
mod known;
mod native;
mod profile;
mod state;
mod structures;
mod trial;
mod unread;
mod vain;
mod versions;

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};

use hashbrown::HashMap;
use smallvec::smallvec;

use vm_def::facts::EffectFacts;
use vm_def::ir::{BinaryOperation, Field, Structure};
use vm_def::types::TypeMask;
use vm_runtime::frame::call_info;
use vm_runtime::value::Zval;

use body::Successors;
pub use body::{Body, Operand, calls, calls_itself, counted_oplines, has_this};
pub use clause::{Gain, gain, is_compiled, size};
use code::is_read;
pub use code::{Call, Code};
pub use profile::{Called, Profile, Which};
pub use unread::assigned_at;

use crate::graph::{
    BlockId, Entry, Graph, Held, Operation, Place, Slot, Snapshot, SnapshotId, Target, Terminator,
    Type, Value, Where, Write, Written,
};
use crate::passes::fold::{Folder, fold};
use state::{Callee, SlotState, State};
use versions::{BLOCK_VERSIONS, Choice, LOOP_VERSIONS, Pending, Versions};

/// What the translator is asked for.
#[derive(Debug)]
pub struct Request<'a> {
    /// The oplines.
    pub code: &'a Code<'a>,
    /// The VM; 0 if there is none.
    pub vm: u64,
    /// Where values are kept that are found out.
    pub constants: &'a Constants,
    /// Nothing is entered in front of this opline.
    pub first: u32,
    /// Graphs with more blocks are given up.
    pub most_blocks: usize,
    /// How many oplines in a row must be compiled for it to be worth entering compiled code.
    pub least_run: u32,
}

/// Values that were found out when translating: they stay where they are as long as there is code. What they refer to
/// stays as long as the VM.
#[derive(Debug, Default)]
#[expect(clippy::vec_box, reason = "code holds their addresses")]
pub struct Constants(RefCell<Vec<Box<Zval>>>);

impl Constants {
    fn keep(&self, value: Zval) -> *const Zval {
        let kept = Box::new(value);
        let address: *const Zval = &raw const *kept;
        self.0.borrow_mut().push(kept);
        address
    }
}

/// Why there is no graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// There is nothing worth compiling.
    Nothing,
    /// It would have more blocks than it may have.
    TooLarge,
}

/// Oplines from which more ways lead on are left to the interpreter.
const MOST_WAYS: usize = 3;
/// How often an opline is copied that only asks for a truth value.
const MOST_COPIES: u32 = 4;
/// Types that are not worth a test in front of a loop.
const SELDOM: TypeMask = TypeMask(TypeMask::UNDEF.0 | TypeMask::NULL.0 | TypeMask::REFERENCE.0);
/// Fewer ways are told apart once there are so many blocks for each opline, and some.
const CROWD: usize = 4;
const LEAST_CROWD: usize = 100;

/// Translates a function.
///
/// # Errors
/// There is nothing worth compiling, or too much.
pub fn translate(request: &Request<'_>) -> Result<Graph, Refusal> {
    let mut translator = Translator {
        request,
        graph: Graph::default(),
        versions: Versions::default(),
        pending: VecDeque::new(),
        entries: BTreeSet::new(),
        wanted: Vec::new(),
        folder: Folder::default(),
        copies: HashMap::new(),
        heads: HashMap::new(),
        callees: HashMap::new(),
    };
    translator.run()?;
    translator.graph.invariants = invariants(request);
    match translator.graph.entries.is_empty() {
        true => Err(Refusal::Nothing),
        false => Ok(translator.graph),
    }
}

/// While a function runs its frame is the VM's current one.
fn invariants(request: &Request<'_>) -> Vec<(u32, Write)> {
    let Some(field) = Field::find(Structure::Vm, "frame") else {
        return Vec::new();
    };
    let heads = request.code.heads();
    let invariants = heads.map(|(first, head)| {
        let frame = head.map_or(Where::Frame, |head| Where::Slot(head, 0));
        let write = Write {
            field,
            base: Where::Address(request.vm),
            value: Written::Where(frame),
        };
        (first, write)
    });
    invariants.collect()
}

struct Translator<'a> {
    request: &'a Request<'a>,
    graph: Graph,
    versions: Versions,
    pending: VecDeque<Pending>,
    /// Oplines where the interpreter may enter.
    entries: BTreeSet<u32>,
    /// Those of them that have no block yet.
    wanted: Vec<u32>,
    /// What is known of values that are no constants.
    folder: Folder,
    /// How often oplines that only decide have been copied.
    copies: HashMap<u32, u32>,
    /// What is written to the heads of inlined functions' frames, by part, if that is known and always the same.
    heads: HashMap<(usize, Field), Option<Operation>>,
    /// What oplines call that prepare calls which are not inlined, if that is always the same.
    callees: HashMap<u32, Option<Callee>>,
}

/// Where translation goes on, and what is known there.
#[derive(Debug)]
struct Position {
    block: BlockId,
    state: State,
    opline: u32,
}

impl<'a> Translator<'a> {
    fn run(&mut self) -> Result<(), Refusal> {
        let code = self.request.code;
        self.want_calls();
        for header in code.body(0).loop_headers() {
            self.want_entry(header);
        }
        loop {
            if self.graph.blocks.len() > self.request.most_blocks {
                return Err(Refusal::TooLarge);
            }
            if let Some(pending) = self.pending.pop_front() {
                let at = Position {
                    block: pending.block,
                    state: pending.state,
                    opline: pending.opline,
                };
                self.begin_loop(&at);
                self.follow(at);
            } else if let Some(opline) = self.wanted.pop() {
                let block = self.graph.block(opline);
                self.graph.entries.push(Entry { opline, block });
                let state = self.state_of_entry(block, opline);
                self.go(block, state, opline);
            } else {
                return Ok(());
            }
        }
    }

    /// Whether there are so many blocks already that fewer ways are told apart.
    fn is_crowded(&self) -> bool {
        let most = CROWD * self.request.code.len() as usize + LEAST_CROWD;
        self.graph.blocks.len() > most
    }

    /// Wants to be entered where calls of the function begin: where arguments are received, if that is to be done,
    /// or behind that.
    fn want_calls(&mut self) {
        let body = self.request.code.body(0);
        if body.begins_at_first() {
            self.want_entry(0);
            if self.entries.contains(&0) {
                return;
            }
        } else {
            for opline in body.defaults() {
                self.want_entry(opline);
            }
        }
        self.want_behind(smallvec![body.entry()]);
    }

    /// Makes an opline one where compiled code is entered, if that is worth while.
    fn want_entry(&mut self, opline: u32) {
        let code = self.request.code;
        if opline < self.request.first || !code.is_own(opline) || code.is_unseen(opline) {
            return;
        }
        for at in opline..opline + self.request.least_run {
            if code.is_unseen(at) {
                break;
            }
            if !code.is_own(at) || !self.is_lowered(at) {
                return;
            }
            if !code.successors(at).contains(&(at + 1)) {
                break;
            }
        }
        if self.entries.insert(opline) {
            self.wanted.push(opline);
        }
    }

    /// Whether the opline has clauses that compiled code can use.
    fn is_lowered(&self, opline: u32) -> bool {
        let lowering = self.request.code.lowering(opline);
        lowering.is_some_and(|lowering| lowering.clauses.iter().any(clause::is_supported))
    }

    /// What a loop tests on every turn may be tested in front of it, unless such tests failed there.
    fn begin_loop(&mut self, at: &Position) {
        let code = self.request.code;
        if code.loop_end(at.opline).is_some() && !code.is_weak(at.opline) {
            let snapshot = self.snapshot(&at.state, at.opline);
            self.graph.push(at.block, Operation::Loop(snapshot));
        }
    }

    /// Translates oplines until another version takes over.
    fn follow(&mut self, mut at: Position) {
        loop {
            let known = vain::leave_out(self, &mut at)
                .or_else(|| native::call(self, &mut at))
                .or_else(|| known::execute(self, &mut at));
            let next = match known {
                Some(opline) => Some(Position { opline, ..at }),
                None => clause::translate_opline(self, at),
            };
            let code = self.request.code;
            match next {
                Some(next) if code.is_leader(next.opline) || code.is_unseen(next.opline) => {
                    self.go(next.block, next.state, next.opline);
                    return;
                }
                Some(next) => at = next,
                None => return,
            }
        }
    }

    /// Whether an opline only asks for a truth value that is known, or will be when it is reached: each
    /// way that leads there gets its own copy.
    fn only_decides(&self, state: &State, opline: u32) -> bool {
        let code = self.request.code;
        let effects = code.facts(opline).map(|facts| facts.effects);
        let jumps = effects.is_some_and(|effects| effects.jumps_op2);
        let known = matches!(code.op1(opline), Operand::Slot(slot)
            if matches!(state.at(slot), SlotState::Held { held: Held::Bool(_), .. }));
        let copies = self.copies.get(&opline).copied().unwrap_or_default();
        jumps && known && code.loop_end(opline).is_none() && copies < MOST_COPIES
    }

    /// Ends a block with the way to an opline.
    fn go(&mut self, from: BlockId, state: State, opline: u32) {
        self.go_by(from, state, opline, false);
    }

    /// As [`Translator::go`], behind a slow path: types are tested rather than have a version of what follows for
    /// what such a path leaves behind.
    fn go_back(&mut self, from: BlockId, state: State, opline: u32) {
        self.go_by(from, state, opline, !self.request.code.is_weak(opline));
    }

    fn go_by(&mut self, from: BlockId, mut state: State, opline: u32, is_seldom: bool) {
        let code = self.request.code;
        // Slots of frames that have been left are those of frames to come.
        state.retain(|slot| code.is_live(slot, opline));
        state.frames = state.frames.min(code.depth(opline));
        let begins = self.graph.at(from).opline;
        state.entering = code.entered_loop(state.entering, begins, opline);
        if code.is_unseen(opline) {
            let exit = self.snapshot(&state, opline);
            self.graph.at_mut(from).terminator = Terminator::Unseen(exit);
            return;
        }
        if self.only_decides(&state, opline) {
            *self.copies.entry(opline).or_default() += 1;
            let block = self.graph.block(opline);
            self.pending.push_back(Pending {
                opline,
                block,
                state,
            });
            self.graph.at_mut(from).terminator = Terminator::Jump(Target {
                block,
                arguments: Vec::new(),
            });
            return;
        }
        vain::forget(code, &mut state, opline);
        let last = code.loop_end(opline);
        if let Some(last) = last {
            self.settle(from, &mut state);
            self.expect_types(from, &mut state, opline, last);
        }
        let most = match last {
            _ if self.is_crowded() => 0,
            Some(_) => LOOP_VERSIONS,
            // What stands for something elsewhere is about to be looked at, and need not be copied.
            None if !state.such(SlotState::is_borrowed).is_empty() => BLOCK_VERSIONS + 1,
            None => BLOCK_VERSIONS,
        };
        let choice = Choice {
            cap: most,
            is_loop: last.is_some(),
            exit: is_seldom.then(|| self.snapshot(&state, opline)),
        };
        let (target, pending) =
            self.versions
                .connect(&mut self.graph, from, &mut state, opline, choice);
        self.pending.extend(pending);
        self.graph.at_mut(from).terminator = Terminator::Jump(target);
    }

    /// In front of a loop, so that few versions of it are needed: slots that it uses as numbers, as
    /// far as the profile knows, are tested and loaded once, others are tested, and those that it
    /// does not use are left to the frame. So is what it begins by overwriting, but for numbers.
    fn expect_types(&mut self, from: BlockId, state: &mut State, header: u32, last: u32) {
        let code = self.request.code;
        let mut used = BTreeSet::new();
        for opline in header..=last {
            for place in [code.op1(opline), code.op2(opline), code.result(opline)] {
                if let Operand::Slot(slot) = place
                    && code.is_live(slot, header)
                {
                    used.insert(slot);
                }
            }
        }
        for slot in code.overwritten_from(header) {
            if Type::holding(code.slot(slot, header)).is_none() {
                used.remove(&slot);
            }
        }
        let written = code.written_between(header, last);
        // Once what an unread variable held is given up nothing is there any more.
        let is_unread = |state: &State, slot: Slot| {
            let value = state.at(slot);
            let is_nothing = vain::is_nothing(code.use_of(slot, header), value.types());
            value.is_uncounted() && written.contains(&slot) && is_nothing
        };
        let mut unread = state.such(SlotState::is_uncounted);
        unread.retain(|slot| is_unread(state, *slot));
        for &slot in &unread {
            state.set(slot, vain::nothing());
            used.remove(&slot);
        }
        for slot in state.such(SlotState::is_constant) {
            if written.contains(&slot) {
                self.save_to(from, state, slot);
                let (types, uncounted) = (state.at(slot).types(), false);
                state.set(slot, SlotState::Memory { types, uncounted });
            }
        }
        for slot in state.such(|state| !state.is_constant()) {
            if !used.contains(&slot) && !unread.contains(&slot) && code.is_live(slot, header) {
                self.save_to(from, state, slot);
                state.set(slot, state::UNKNOWN);
            }
        }
        for slot in used {
            if written.contains(&slot) || !self.expect_literal(from, state, slot, header) {
                self.expect_type(from, state, slot, header);
            }
            if is_unread(state, slot) {
                state.set(slot, vain::nothing());
            }
        }
    }

    /// Leaves unless a variable still holds the literal that it held when the function was compiled. False if it held
    /// none.
    fn expect_literal(
        &mut self,
        from: BlockId,
        state: &mut State,
        slot: Slot,
        header: u32,
    ) -> bool {
        let code = self.request.code;
        let SlotState::Memory { types, .. } = state.at(slot) else {
            return false;
        };
        if code.is_weak(header) {
            return false;
        }
        let Some(constant) = code.held_literal(slot) else {
            return false;
        };
        let held = Held::Constant(constant);
        if !types.intersects(held.types()) {
            return false;
        }
        let exit = self.snapshot(state, header);
        let place = Place::Slot(slot);
        if !types.is_subset_of(held.types()) {
            self.graph
                .push(from, Operation::GuardType(place, held.types(), exit));
        }
        let known = self.push(from, Operation::Literal(constant.payload));
        let found = self.graph.push(from, Operation::Load(place, Type::Address));
        let (Some(known), Some(found)) = (known, found) else {
            return false;
        };
        let same = Operation::Binary(BinaryOperation::EqPointer, found, known);
        if let Some(same) = self.push(from, same) {
            self.push(from, Operation::Guard(same, exit));
        }
        state.set(slot, SlotState::Held { held, dirty: false });
        true
    }

    fn expect_type(&mut self, from: BlockId, state: &mut State, slot: Slot, header: u32) {
        let SlotState::Memory { types, .. } = state.at(slot) else {
            return;
        };
        let expected = self.request.code.slot(slot, header);
        let of = Type::holding(expected);
        let is_seldom = expected.single().is_none() || expected.intersects(SELDOM);
        if of.is_none() && is_seldom || self.request.code.was_undefined(slot, header) {
            state.set(slot, state::UNKNOWN);
            return;
        }
        let expected = of.map_or(expected, Type::types);
        if !types.is_subset_of(expected) {
            if !types.intersects(expected) {
                return;
            }
            // Where what was seen has not been all, the next may be something else again.
            if self.request.code.is_weak(header) {
                return state.set(slot, state::UNKNOWN);
            }
            let exit = self.snapshot(state, header);
            let guard = Operation::GuardType(Place::Slot(slot), expected, exit);
            self.graph.push(from, guard);
        }
        match of {
            Some(of) => self.load(from, state, slot, of),
            None => {
                let (types, uncounted) = (expected, !expected.intersects(TypeMask::COUNTED));
                state.set(slot, SlotState::Memory { types, uncounted });
            }
        }
    }

    /// Adds an instruction, unless its value is known already.
    fn push(&mut self, block: BlockId, mut operation: Operation) -> Option<Value> {
        self.note_structure(&operation);
        self.fold_frame_bytes(&mut operation);
        fold(&self.graph, &mut operation);
        if operation.is_constant() {
            return Some(self.graph.constant(operation));
        }
        if let Some(same) = self.folder.same_as(&self.graph, &operation) {
            return Some(same);
        }
        let output = self.graph.push(block, operation);
        if let Some(output) = output {
            self.folder.note(output, &operation);
        }
        output
    }

    /// Loads a slot whose type is known.
    fn load(&mut self, block: BlockId, state: &mut State, slot: Slot, of: Type) {
        if let Some(value) = self
            .graph
            .push(block, Operation::Load(Place::Slot(slot), of))
        {
            let held = of.hold(value);
            let dirty = false;
            state.set(slot, SlotState::Held { held, dirty });
        }
    }

    /// Loads what a temporary stands for.
    fn load_borrowed(&mut self, slot: Slot, address: Value, of: Type, at: &mut Position) {
        if let Some(value) = self.push(at.block, Operation::Load(Place::At(address), of)) {
            let (held, dirty) = (of.hold(value), true);
            at.state.set(slot, SlotState::Held { held, dirty });
        }
    }

    /// The snapshot for leaving in front of an opline.
    fn snapshot(&mut self, state: &State, opline: u32) -> SnapshotId {
        let code = self.request.code;
        let slots = state
            .iter()
            .filter_map(|(slot, state)| Some((slot, state.unsaved()?)))
            .filter(|(slot, _)| code.is_live(*slot, opline));
        let slots = slots.collect();
        let writes = Vec::new();
        self.graph.snapshot(Snapshot {
            opline,
            slots,
            writes,
        })
    }

    /// Leaves for the interpreter, which comes back behind the opline.
    fn interpret(&mut self, at: &Position) {
        let exit = self.snapshot(&at.state, at.opline);
        self.graph.at_mut(at.block).terminator = Terminator::Leave(exit);
        self.want_behind(self.request.code.successors(at.opline));
    }

    /// Executes an opline by its slow path, which other ways of doing it may stand in front of. Gives where to go on
    /// if there is one way on.
    fn execute(&mut self, mut at: Position, is_seldom: bool) -> Option<Position> {
        let code = self.request.code;
        let number = at.opline;
        let effects = code.facts(number).map(|facts| facts.effects);
        let function = crate::machine::slow_path(code.op(number).opcode);
        let (Some(function), Some(effects)) = (function, effects) else {
            self.interpret(&at);
            return None;
        };
        let successors = code.successors(number);
        if effects.terminal || !(1..=MOST_WAYS).contains(&successors.len()) {
            self.interpret(&at);
            return None;
        }
        if effects.calls {
            self.want_behind(successors.clone());
        }
        self.save_live(&mut at);
        let before = at.state.clone();
        if effects.closes_call {
            at.state.close_call(code.opened(number));
        } else if effects.opens_call || code.moves_call(number) {
            at.state.calls.clear();
        }
        let next = self.push(at.block, Operation::Execute(number, function))?;
        for operand in [code.op1(number), code.op2(number), code.result(number)] {
            self.forget(operand, &mut at);
        }
        if code.has_data(number) {
            self.forget(code.data(number), &mut at);
        }
        let mut next = self.behind_call(&mut at, next, &successors, (effects, is_seldom))?;
        if code.is_weak(number) {
            // Other ways of doing the opline lead on with what is known of its operands.
            self.recover(&mut next, &before, number);
        }
        Some(next)
    }

    /// Tests that variables are still what they were in front of an opline that does not write them.
    fn recover(&mut self, at: &mut Position, before: &State, number: u32) {
        let code = self.request.code;
        let Some(facts) = code.facts(number) else {
            return;
        };
        let operands = [
            (code.op1(number), facts.op1.written),
            (code.op2(number), facts.op2.written),
        ];
        let exit = self.snapshot(&at.state, at.opline);
        for (operand, is_written) in operands {
            let Operand::Slot(slot) = operand else {
                continue;
            };
            if is_written || code.is_temporary(slot, number) || at.state.at(slot) != state::UNKNOWN
            {
                continue;
            }
            let types = before.at(slot).types();
            if types.single().is_none() && Type::holding(types).is_none() {
                continue;
            }
            self.push(
                at.block,
                Operation::GuardType(Place::Slot(slot), types, exit),
            );
            let uncounted = !types.intersects(TypeMask::COUNTED);
            at.state.set(slot, SlotState::Memory { types, uncounted });
            if let (SlotState::Held { .. }, Some(of)) = (before.at(slot), Type::holding(types)) {
                self.load(at.block, &mut at.state, slot, of);
            }
        }
    }

    /// Behind a call with these effects, which may have run code of the script: goes on if it gave one of
    /// the oplines of this function where execution may go on, else follows the one that it gave.
    fn behind_call(
        &mut self,
        at: &mut Position,
        next: Value,
        successors: &[u32],
        (effects, is_seldom): (EffectFacts, bool),
    ) -> Option<Position> {
        let code = self.request.code;
        // Nobody could have touched variables, nor sent the frame to another opline.
        let is_quiet = !effects.reenters && !effects.calls;
        let is_sure = is_quiet && !effects.may_throw;
        if !is_quiet {
            self.forget_globals(at);
        }
        if let ([opline], true) = (successors, is_sure) {
            return Some(Position {
                block: at.block,
                state: at.state.clone(),
                opline: *opline,
            });
        }
        let (&last, others) = successors.split_last()?;
        for &opline in others {
            let address = self.push(at.block, Operation::Literal(code.address(opline)))?;
            let same = Operation::Binary(BinaryOperation::EqPointer, next, address);
            let condition = self.push(at.block, same)?;
            let (yes, no) = (self.graph.block(opline), self.graph.block(opline));
            self.graph.at_mut(at.block).terminator = Terminator::branch(condition, yes, no);
            at.block = no;
            let mut there = Position {
                block: yes,
                state: at.state.clone(),
                opline,
            };
            if !is_quiet {
                self.test_variables(&mut there)?;
            }
            self.lead_on(there, is_seldom);
        }
        self.push(at.block, Operation::Onward(next, code.address(last), 0));
        let mut there = Position {
            block: at.block,
            state: at.state.clone(),
            opline: last,
        };
        if !is_quiet {
            self.test_variables(&mut there)?;
        }
        if others.is_empty() {
            return Some(there);
        }
        self.lead_on(there, is_seldom);
        None
    }

    /// Goes on there, as behind a slow path or not.
    fn lead_on(&mut self, there: Position, is_seldom: bool) {
        match is_seldom {
            true => self.go_back(there.block, there.state, there.opline),
            false => self.go(there.block, there.state, there.opline),
        }
    }

    /// What the head of an inlined function's frame holds, if that is known.
    fn head(&self, part: usize, field: Field) -> Option<Operation> {
        self.heads.get(&(part, field)).copied().flatten()
    }

    /// Where something gets at variables by their names, what is known of them holds only as long as it has not. So does
    /// what is known of the heads of inlined functions' frames: leaving them frees their names.
    fn test_variables(&mut self, at: &mut Position) -> Option<()> {
        let code = self.request.code;
        let (mut part, _) = code.local(at.opline);
        let exit = self.snapshot(&at.state, at.opline);
        loop {
            let caller = code.caller(part);
            let mut variables = code.variables_of(part).map(Slot);
            let is_named = code.body(part).has_named_variables();
            let is_known = |slot| at.state.at(slot) != state::UNKNOWN;
            if is_named && (caller.is_some() || variables.any(is_known)) {
                let frame = self.push(at.block, code.frame_of(part))?;
                let info = Field::find(Structure::Frame, "info")?;
                let info = self.push(at.block, Operation::LoadField(info, frame))?;
                let flag = i64::from(call_info::HAS_SYMBOL_TABLE);
                let flag = self.push(at.block, Operation::Long(flag))?;
                let flag = Operation::Binary(BinaryOperation::AndLong, info, flag);
                let flag = self.push(at.block, flag)?;
                let none = self.push(at.block, Operation::Long(0))?;
                let none = Operation::Binary(BinaryOperation::EqLong, flag, none);
                let none = self.push(at.block, none)?;
                self.push(at.block, Operation::Guard(none, exit));
            }
            match caller {
                Some(caller) => part = caller,
                None => return Some(()),
            }
        }
    }

    /// An operand may have become anything.
    fn forget(&self, operand: Operand, at: &mut Position) {
        if let Operand::Slot(slot) = operand {
            at.state.set(slot, state::UNKNOWN);
        }
    }

    /// Writes to the frame whatever others may look at while the opline is executed.
    fn save_live(&mut self, at: &mut Position) {
        let code = self.request.code;
        let result = match code.result(at.opline) {
            Operand::Slot(slot) => Some(slot),
            _ => None,
        };
        for slot in at.state.such(|state| state.unsaved().is_some()) {
            if code.is_live(slot, at.opline) || result == Some(slot) {
                self.save(at, slot);
            }
        }
        self.settle(at.block, &mut at.state);
        // Behind a call a value is as well loaded from the frame as from where it was spilled.
        for slot in at.state.such(|_| true) {
            if let SlotState::Held { held, dirty: false } = at.state.at(slot)
                && !code.is_temporary(slot, at.opline)
                && !at.state.at(slot).is_constant()
            {
                let (types, uncounted) = (held.types(), true);
                at.state.set(slot, SlotState::Memory { types, uncounted });
            }
        }
    }

    /// The variables of top-level code are those of everyone.
    fn forget_globals(&self, at: &mut Position) {
        let code = self.request.code;
        if code.is_top_level() {
            self.forget_variables(at);
        }
    }

    /// Forgets what is known of the variables of the function that runs and of those that wait for it to
    /// return, and of what is sent to functions that are being called.
    fn forget_variables(&self, at: &mut Position) {
        let code = self.request.code;
        at.state.retain(|slot| code.is_temporary(slot, at.opline));
    }

    /// Wants to be entered at the first oplines on the ways from `reached` that are compiled.
    fn want_behind(&mut self, mut reached: Successors) {
        let code = self.request.code;
        let mut seen = BTreeSet::new();
        while let Some(opline) = reached.pop() {
            // The interpreter returns from inlined functions.
            let is_there = opline < code.len();
            let opline = if is_there {
                code.outermost(opline)
            } else {
                opline
            };
            if !is_there || !seen.insert(opline) {
                continue;
            }
            match self.is_lowered(opline) {
                true => self.want_entry(opline),
                false => reached.extend(code.successors(opline)),
            }
        }
    }

    /// The operands of an opline that are variables or temporaries with a known value and are not written: op1, op2 and
    /// that of OP_DATA.
    fn constants(&self, at: &Position) -> [Option<*const Zval>; 3] {
        let code = self.request.code;
        let Some(facts) = code.facts(at.opline) else {
            return [None; 3];
        };
        let constant = |operand, is_read| match operand {
            Operand::Slot(slot) if is_read => at.state.at(slot).constant(),
            _ => None,
        };
        let data = match code.has_data(at.opline) {
            true => code.data(at.opline),
            false => Operand::None,
        };
        [
            constant(code.op1(at.opline), is_read(&facts.op1)),
            vain::stand_in(code, &at.state, at.opline)
                .or_else(|| constant(code.op2(at.opline), is_read(&facts.op2))),
            constant(data, true),
        ]
    }

    /// The types that an operand may have.
    fn types(&self, state: &State, operand: Operand) -> TypeMask {
        match operand {
            Operand::None => TypeMask::ANY,
            Operand::Literal(literal) => Code::literal_types(literal),
            Operand::Slot(slot) => state.at(slot).types(),
        }
    }

    /// Writes a slot to the frame, where it is about to be looked at.
    fn save(&mut self, at: &mut Position, slot: Slot) {
        let block = at.block;
        self.save_to(block, &mut at.state, slot);
    }

    fn save_to(&mut self, block: BlockId, state: &mut State, slot: Slot) {
        if let SlotState::Borrowed { address, types } = state.at(slot) {
            let copy = Operation::Copy(Place::Slot(slot), address, true);
            self.graph.push(block, copy);
            let uncounted = !types.intersects(TypeMask::COUNTED);
            state.set(slot, SlotState::Memory { types, uncounted });
        } else if let Some(held) = state.at(slot).unsaved() {
            let store = Operation::Store(Place::Slot(slot), held);
            self.graph.push(block, store);
            let dirty = false;
            state.set(slot, SlotState::Held { held, dirty });
        }
    }

    /// Makes the copies that temporaries stand for: memory is about to change.
    fn settle(&mut self, block: BlockId, state: &mut State) {
        for slot in state.such(SlotState::is_borrowed) {
            self.save_to(block, state, slot);
        }
    }

    /// Writes all variables to the frame.
    fn save_variables(&mut self, at: &mut Position) {
        let code = self.request.code;
        for slot in at.state.such(|state| state.unsaved().is_some()) {
            if !code.is_temporary(slot, at.opline) {
                self.save(at, slot);
            }
        }
    }
}
