//! The micro-operations of a clause as instructions.

use hashbrown::{HashMap, HashSet};

use vm_def::grammar::JumpField;
use vm_def::ir::layout::Structure;
use vm_def::ir::{
    self, Argument, BlockId as ClauseBlock, Clause, Number, Operation as Micro, Register,
    Representation,
};
use vm_def::types::TypeMask;
use vm_runtime::generated::Opcode;
use vm_runtime::generated::layout::NUMBER_VALUES;
use vm_runtime::layout;
use vm_runtime::op::{IS_CONST, IS_CV, IS_UNUSED};
use vm_runtime::value::{REFCOUNTED, Zval};

use super::state::{SlotState, UNKNOWN};
use super::{Code, Operand, Position, Translator};
use crate::graph::{
    Arguments, BlockId, Held, Operation, Place, Released, Slot, Snapshot, SnapshotId, Target,
    Terminator, Type, Value,
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

/// So many variables are looked at one by one.
const MOST_TESTED: usize = 8;

/// What becomes of an opline when a clause does not apply, and behind it.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Leaving in front of the opline.
    pub exit: SnapshotId,
    /// Another clause is tried here; else guards leave.
    pub fallback: Option<BlockId>,
    /// The opline that follows may be translated in the same block.
    pub is_linear: bool,
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

/// The translation of one clause for one opline.
pub struct Expansion<'t, 'a, 'c> {
    translator: &'t mut Translator<'a>,
    clause: &'c Clause,
    opline: u32,
    exit: SnapshotId,
    fallback: Option<BlockId>,
    is_linear: bool,
    values: HashMap<ir::Value, Value>,
    /// Addresses that may lead to slots of the frame.
    origins: HashMap<Value, Origin>,
    /// Oplines of this function, by the value that is their address.
    targets: HashMap<ir::Value, u32>,
    /// Type words of which only the type is not known.
    uncounted_words: HashSet<Value>,
    /// The types of what addresses lead to.
    types_at: HashMap<Value, TypeMask>,
    /// Tests of types, by the value that answers.
    tests: HashMap<Value, (Value, TypeMask)>,
    /// Literals by the value that is their address.
    literals: HashMap<Value, *const Zval>,
    progress: Progress,
    /// The interrupt word has been looked at.
    has_polled: bool,
}

/// Whether what an opline with this opcode remembers holds for good.
pub fn is_lasting(opcode: u8) -> bool {
    const LASTING: [Opcode; 2] = [Opcode::INIT_FCALL, Opcode::INIT_FCALL_BY_NAME];
    LASTING.iter().any(|&lasting| opcode == lasting as u8)
}

impl<'t, 'a, 'c> Expansion<'t, 'a, 'c> {
    /// The translation of `clause`.
    pub fn new(
        translator: &'t mut Translator<'a>,
        clause: &'c Clause,
        opline: u32,
        way: Way,
    ) -> Expansion<'t, 'a, 'c> {
        Expansion {
            translator,
            clause,
            opline,
            exit: way.exit,
            fallback: way.fallback,
            is_linear: way.is_linear,
            values: HashMap::new(),
            origins: HashMap::new(),
            targets: HashMap::new(),
            uncounted_words: HashSet::new(),
            types_at: HashMap::new(),
            tests: HashMap::new(),
            literals: HashMap::new(),
            progress: Progress::default(),
            has_polled: false,
        }
    }

    /// Translates the clause, which does not take the types in `not`. Gives where to go on if that is
    /// in the same block.
    pub fn expand(mut self, mut at: Position, not: [TypeMask; 2]) -> Option<Position> {
        for (place, not) in [ir::Place::Op1, ir::Place::Op2].into_iter().zip(not) {
            if not != TypeMask::NONE {
                self.guard_type(place, TypeMask(TypeMask::ANY.0 & !not.0), &mut at);
            }
        }
        for instruction in self.clause.instructions() {
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
        let mut instructions = self.clause.instructions();
        let frees = instructions.any(|instruction| matches!(instruction.operation, Micro::Free(_)));
        let successors = self.translator.request.code.successors(self.opline);
        if frees && successors.iter().any(|&target| target <= self.opline) {
            // Behind what is given back nothing may leave any more.
            self.push(&at, Operation::Poll(self.exit));
            self.has_polled = true;
        }
        let mut blocks = self.clause.blocks.iter();
        if blocks.any(|block| {
            matches!(
                block.terminator,
                ir::Terminator::Switch { enters: true, .. }
            )
        }) {
            // The interpreter polls behind the call; there the caller's state would be needed.
            self.push(&at, Operation::Poll(self.exit));
        }
        self.block(ClauseBlock(0), at)
    }

    fn push(&mut self, at: &Position, operation: Operation) -> Option<Value> {
        self.translator.push(at.block, operation)
    }

    /// Goes on only if the condition holds.
    fn guard(&mut self, condition: Value, at: &mut Position) {
        match self.fallback {
            None => {
                self.push(at, Operation::Guard(condition, self.exit));
            }
            Some(fallback) => self.or_else(condition, fallback, at),
        }
    }

    /// Goes on elsewhere if the condition does not hold.
    fn or_else(&mut self, condition: Value, otherwise: BlockId, at: &mut Position) {
        if self.translator.folder.truth(condition) == Some(true) {
            return;
        }
        let graph = &mut self.translator.graph;
        let then = graph.block(self.opline);
        let to = |block| Target {
            block,
            arguments: Vec::new(),
        };
        graph.at_mut(at.block).terminator = Terminator::Branch {
            condition,
            then: to(then),
            otherwise: to(otherwise),
        };
        at.block = then;
    }

    fn guard_place(&mut self, memory: Place, types: TypeMask, at: &mut Position) {
        match self.fallback {
            None => {
                self.push(at, Operation::GuardType(memory, types, self.exit));
            }
            Some(fallback) => {
                if let Some(condition) = self.push(at, Operation::IsType(memory, types)) {
                    self.or_else(condition, fallback, at);
                }
            }
        }
        if let Place::At(address) = memory {
            let known = self.types_at.entry(address).or_insert(TypeMask::ANY);
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
        self.values[&value]
    }

    fn block(&mut self, id: ClauseBlock, mut at: Position) -> Option<Position> {
        let clause = self.clause;
        let block = &clause.blocks[id.0 as usize];
        for instruction in &block.instructions {
            if !super::clause::is_known(&instruction.operation) {
                self.leave(&at);
                return None;
            }
            if let Micro::GuardType(place, types) = &instruction.operation
                && let Some(known) = self.known(*place, &at)
                && !known.intersects(*types)
            {
                self.leave(&at);
                return None;
            }
            if let Micro::Guard(value, _) = &instruction.operation {
                let value = self.value(*value);
                match self.translator.folder.truth(value) {
                    Some(true) => {}
                    // The clause never applies.
                    Some(false) => {
                        self.leave(&at);
                        return None;
                    }
                    None => {
                        self.guard(value, &mut at);
                        if let Some((address, types)) = self.tests.get(&value) {
                            let known = self.types_at.entry(*address).or_insert(TypeMask::ANY);
                            *known = TypeMask(known.0 & types.0);
                        }
                    }
                }
                continue;
            }
            self.prepare(&instruction.operation, &mut at);
            self.progress.has_effect |= instruction.operation.has_effect();
            let value = self.instruction(&instruction.operation, instruction.output, &mut at);
            if let (Some(output), Some(value)) = (instruction.output, value) {
                self.values.insert(output, value);
            }
        }
        match &block.terminator {
            ir::Terminator::Next => {
                let next = self.translator.request.code.following(self.opline);
                self.test_thrown(next, &mut at);
                if self.progress.reentered {
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
            ir::Terminator::Switch {
                frame,
                opline,
                enters,
            } => {
                let (frame, opline) = (self.value(*frame), self.value(*opline));
                self.switch(frame, opline, *enters, &at);
                None
            }
            ir::Terminator::Helper(name) => {
                if let Some(helper) = crate::machine::helper(name) {
                    let exit = self.translator.snapshot(&at.state, self.opline);
                    let terminator = Terminator::Helper(helper as usize as u64, exit);
                    self.translator.graph.at_mut(at.block).terminator = terminator;
                }
                None
            }
            ir::Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.value(*condition);
                if let Some(truth) = self.translator.folder.truth(condition) {
                    return self.block(if truth { *then } else { *otherwise }, at);
                }
                let before = self.progress;
                let (yes, no) = self.branch(condition, at);
                let first = self.block(*then, yes);
                self.progress = before;
                let second = self.block(*otherwise, no);
                first.or(second)
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
                self.values.insert(*output, value);
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
        self.progress.reentered = true;
    }

    /// Writes the opline to the frame, for messages and for whoever looks for an exception.
    fn tell_opline(&mut self, at: &Position) {
        if std::mem::replace(&mut self.progress.is_told, true) {
            return;
        }
        let here = self.translator.request.code.address(self.opline);
        let field = ir::Field::find(Structure::Frame, "opline");
        let frame = self.push(at, Operation::Frame);
        let here = self.push(at, Operation::Literal(here));
        if let (Some(field), Some(frame), Some(here)) = (field, frame, here) {
            self.push(at, Operation::StoreField(field, frame, here));
        }
    }

    /// Behind code that may have thrown: that redirects the frame's opline.
    fn test_thrown(&mut self, next: u32, at: &mut Position) -> Option<()> {
        if !self.progress.reentered {
            return None;
        }
        let here = self.translator.request.code.address(self.opline);
        let field = ir::Field::find(Structure::Frame, "opline")?;
        let sequence = ir::Sequence::find(Structure::Opline, "at")?;
        let frame = self.push(at, Operation::Frame)?;
        let told = self.push(at, Operation::LoadField(field, frame))?;
        let here = self.push(at, Operation::Literal(here))?;
        let same = Operation::Binary(ir::BinaryOperation::EqPointer, told, here);
        let condition = self.push(at, same)?;
        let thrown = self.translator.graph.block(self.opline);
        self.or_else(condition, thrown, at);
        let width = Operation::Long(i64::from(next - self.opline));
        let width = self.translator.push(thrown, width)?;
        let follow = Operation::Element(sequence, told, width);
        let follow = self.translator.push(thrown, follow)?;
        self.translator.graph.at_mut(thrown).terminator = Terminator::Follow(follow);
        Some(())
    }

    fn forget_if_reentered(&mut self, at: &mut Position) {
        if self.progress.reentered {
            self.translator.forget_variables(at);
        }
    }

    /// Leaves in front of the opline, which is interpreted.
    fn leave(&mut self, at: &Position) {
        if let Some(block) = self.fallback {
            let target = Target {
                block,
                arguments: Vec::new(),
            };
            self.translator.graph.at_mut(at.block).terminator = Terminator::Jump(target);
            return;
        }
        self.translator.graph.at_mut(at.block).terminator = Terminator::Leave(self.exit);
        let behind = self.translator.request.code.successors(self.opline);
        self.translator.want_behind(behind);
    }

    /// Ends the block with a choice; gives both ways on.
    fn branch(&mut self, condition: Value, at: Position) -> (Position, Position) {
        let graph = &mut self.translator.graph;
        let (then, otherwise) = (graph.block(self.opline), graph.block(self.opline));
        let to = |block| Target {
            block,
            arguments: Vec::new(),
        };
        graph.at_mut(at.block).terminator = Terminator::Branch {
            condition,
            then: to(then),
            otherwise: to(otherwise),
        };
        let way = |block| Position {
            block,
            state: at.state.clone(),
            opline: self.opline,
        };
        (way(then), way(otherwise))
    }

    /// Goes on at an opline: in the same block if that is the only way on.
    fn go_on(&mut self, at: Position, opline: u32) -> Option<Position> {
        if self.is_linear {
            return Some(Position { opline, ..at });
        }
        self.translator.go(at.block, at.state, opline);
        None
    }

    /// Jumps back look at the interrupt word; the state is still that before the opline.
    fn jump_to(&mut self, at: Position, target: u32) {
        if target <= self.opline && !self.has_polled {
            self.push(&at, Operation::Poll(self.exit));
        }
        self.translator.go(at.block, at.state, target);
    }

    fn jump(&mut self, field: JumpField, at: Position) -> Option<Position> {
        let target = self.translator.request.code.target(self.opline, field);
        self.jump_to(at, target);
        None
    }

    fn go_to(&mut self, value: ir::Value, at: Position) -> Option<Position> {
        match self.targets.get(&value) {
            Some(&target) => self.translator.go(at.block, at.state, target),
            None => {
                let opline = self.value(value);
                if let Some(frame) = self.push(&at, Operation::Frame) {
                    self.switch(frame, opline, true, &at);
                }
            }
        }
        None
    }

    /// Goes on in another frame. This one is either left for good, or needs what is live behind
    /// the opline.
    fn switch(&mut self, frame: Value, opline: Value, enters: bool, at: &Position) {
        let code = self.translator.request.code;
        let next = code.following(self.opline);
        let snapshot = if enters && next < code.len() {
            self.translator.want_behind(vec![next]);
            self.translator.snapshot(&at.state, next)
        } else {
            let nothing = Snapshot {
                opline: self.opline,
                slots: Vec::new(),
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
            let (yes, no) = self.branch(value, at);
            let (jumping, falling) = if on_true { (yes, no) } else { (no, yes) };
            self.jump_to(jumping, target);
            self.translator.go(falling.block, falling.state, next);
            return None;
        }
        self.store(ir::Place::Result, Held::Bool(value), &mut at);
        self.go_on(at, next)
    }

    fn operand(&self, place: ir::Place) -> Operand {
        let code = self.translator.request.code;
        match place {
            ir::Place::Op1 => code.op1(self.opline),
            ir::Place::Op2 => code.op2(self.opline),
            ir::Place::Data => code.data(self.opline),
            ir::Place::Result => code.result(self.opline),
            ir::Place::At(value) => match self.origins.get(&self.value(value)) {
                Some(Origin::Slot(slot)) => Operand::Slot(*slot),
                _ => Operand::None,
            },
        }
    }

    /// Where a place is in memory, for looking at it or writing it there. None if it is nowhere:
    /// a result that nobody wants.
    fn memory(&mut self, place: ir::Place, at: &mut Position) -> Option<Place> {
        match self.operand(place) {
            Operand::Slot(slot) => {
                if let SlotState::Borrowed { address, .. } = at.state.at(slot) {
                    return Some(Place::At(address));
                }
                self.translator.save(at, slot);
                Some(Place::Slot(slot))
            }
            Operand::Literal(literal) => {
                let address = self.push(at, Operation::Literal(literal as u64))?;
                Some(Place::At(address))
            }
            Operand::None => match place {
                ir::Place::At(value) => {
                    let value = self.value(value);
                    self.before_access(value, at);
                    Some(Place::At(value))
                }
                ir::Place::Result => None,
                // An operand that is not used stands for `$this`.
                _ => {
                    let frame = self.push(at, Operation::Frame)?;
                    let this = ir::Field::find(Structure::Frame, "this")?;
                    let this = self.push(at, Operation::LoadField(this, frame))?;
                    Some(Place::At(this))
                }
            },
        }
    }

    /// Where a place is in memory, for writing all of it.
    fn destination(&mut self, place: ir::Place, at: &mut Position) -> Option<Place> {
        match self.operand(place) {
            Operand::Slot(slot) => Some(Place::Slot(slot)),
            _ => self.memory(place, at),
        }
    }

    /// Makes sure that what an address may lead to is in memory.
    fn before_access(&mut self, address: Value, at: &mut Position) {
        match self.origins.get(&address) {
            Some(Origin::Slot(slot) | Origin::Behind(slot)) => {
                let slot = *slot;
                self.translator.save(at, slot);
            }
            Some(Origin::Anywhere) => self.translator.save_variables(at),
            None => {}
        }
    }

    /// Forgets what a write through an address may have changed.
    fn after_write(&mut self, place: Place, types: Option<TypeMask>, at: &mut Position) {
        let written = |types: Option<TypeMask>| match types {
            Some(types) => SlotState::Memory {
                types,
                uncounted: false,
            },
            None => UNKNOWN,
        };
        match place {
            Place::Slot(slot) => at.state.set(slot, written(types)),
            Place::At(address) => match self.origins.get(&address) {
                Some(Origin::Slot(slot)) => at.state.set(*slot, written(types)),
                Some(Origin::Behind(slot)) => at.state.set(*slot, UNKNOWN),
                Some(Origin::Anywhere) => {
                    for number in 0..self.translator.request.code.variables() {
                        at.state.set(Slot(number), UNKNOWN);
                    }
                }
                None => {}
            },
        }
    }

    /// The types that were seen in a slot.
    fn seen(&self, slot: Slot) -> TypeMask {
        let request = self.translator.request;
        request.code.seen(request.profile, self.opline, slot)
    }

    fn has_result(&self) -> bool {
        self.translator.request.code.op(self.opline).result_type & 15 != IS_UNUSED
    }

    /// Writes a number, a truth value, null or nothing.
    fn store(&mut self, place: ir::Place, held: Held, at: &mut Position) {
        if let Operand::Slot(slot) = self.operand(place) {
            let dirty = true;
            at.state.set(slot, SlotState::Held { held, dirty });
        } else if let Some(place) = self.memory(place, at) {
            self.push(at, Operation::Store(place, held));
            self.after_write(place, Some(held.types()), at);
        }
    }

    fn instruction(
        &mut self,
        operation: &Micro,
        output: Option<ir::Value>,
        at: &mut Position,
    ) -> Option<Value> {
        let operation = match operation {
            Micro::GuardType(place, types) => {
                self.guard_type(*place, *types, at);
                return None;
            }
            Micro::Guard(..) => return None,
            Micro::GuardUncounted(place) => {
                self.guard_uncounted(*place, at);
                return None;
            }
            Micro::TestType(place, types) => return self.test_type(*place, *types, at),
            Micro::TypeWord(place) => return self.type_word(*place, at),
            Micro::Load(place, representation) => {
                return self.load(*place, *representation, at);
            }
            Micro::Deref(place) => return self.deref(*place, at),
            Micro::Indirect(place) => {
                let place = self.memory(*place, at)?;
                let address = self.push(at, Operation::Load(place, Type::Address))?;
                self.origins.insert(address, Origin::Anywhere);
                return Some(address);
            }
            Micro::Number(number) => Operation::Long(self.number(*number)),
            Micro::Target(field) => {
                let code = self.translator.request.code;
                let target = code.target(self.opline, *field);
                self.targets.extend(output.map(|output| (output, target)));
                Operation::Literal(code.address(target))
            }
            Micro::Register(register) => match register {
                Register::Frame => Operation::Frame,
                Register::Opline => {
                    Operation::Literal(self.translator.request.code.address(self.opline))
                }
                Register::Vm => Operation::Literal(self.translator.request.vm),
            },
            Micro::CacheWord(base, index, representation) => {
                return self.cache_word(*base, *index, *representation, at);
            }
            Micro::LoadField(field, base) => Operation::LoadField(*field, self.value(*base)),
            Micro::StoreField(field, base, value) => {
                Operation::StoreField(*field, self.value(*base), self.value(*value))
            }
            Micro::Element(sequence, base, index) => {
                Operation::Element(*sequence, self.value(*base), self.value(*index))
            }
            Micro::ConstantLong(value) => Operation::Long(*value),
            Micro::ConstantDouble(value) => Operation::Double(value.to_bits()),
            Micro::ConstantBool(value) => Operation::Bool(*value),
            Micro::Named(index) => Operation::Long(NUMBER_VALUES[usize::from(*index)]),
            Micro::Unary(operation, value) => Operation::Unary(*operation, self.value(*value)),
            Micro::Binary(operation, left, right) => {
                let (left, right) = (self.value(*left), self.value(*right));
                if self.uncounted_words.contains(&left)
                    && *operation == ir::BinaryOperation::AndLong
                    && self.translator.folder.long(right) == Some(i64::from(REFCOUNTED))
                {
                    return self.push(at, Operation::Long(0));
                }
                Operation::Binary(*operation, left, right)
            }
            Micro::Intrinsic(intrinsic, arguments) => {
                return self.intrinsic(*intrinsic, arguments, at);
            }
            Micro::Store(place, representation, value) => {
                self.store_value(*place, *representation, *value, at);
                return None;
            }
            Micro::StoreNull(place) => {
                self.store(*place, Held::Null, at);
                return None;
            }
            Micro::StoreUndef(place) => {
                self.store(*place, Held::Undef, at);
                return None;
            }
            Micro::StoreTyped(place, word, value) => {
                let value = self.value(*value);
                if let Some(place) = self.destination(*place, at) {
                    self.push(at, Operation::StoreTyped(place, *word, value));
                    let types = TypeMask(1 << (*word & 0xff));
                    self.after_write(place, Some(types), at);
                }
                return None;
            }
            Micro::StoreString(place, value) => {
                let value = self.value(*value);
                if let Some(place) = self.destination(*place, at) {
                    self.push(at, Operation::StoreString(place, value));
                    self.after_write(place, Some(TypeMask::STRING), at);
                }
                return None;
            }
            Micro::Move(place, value) => {
                self.copy(*place, *value, false, at);
                return None;
            }
            Micro::Retain(place) => {
                if !self.is_known_uncounted(*place, at) {
                    let place = self.memory(*place, at)?;
                    self.push(at, Operation::Retain(place));
                }
                return None;
            }
            Micro::DropShare(place) => {
                if !self.is_known_uncounted(*place, at) {
                    let place = self.memory(*place, at)?;
                    self.push(at, Operation::DropShare(place));
                }
                return None;
            }
            Micro::Free(place) => {
                self.free(*place, at);
                return None;
            }
            Micro::Release(place) => {
                let place = self.memory(*place, at)?;
                self.push(at, Operation::Release(place, Released::Shared));
                self.after_write(place, None, at);
                return None;
            }
        };
        self.push(at, operation)
    }

    fn number(&self, number: Number) -> i64 {
        let code = self.translator.request.code;
        let op = code.op(self.opline);
        i64::from(match number {
            Number::Op1 => op.op1,
            Number::Op2 => op.op2,
            Number::Result => op.result,
            Number::Extended => op.extended_value,
            Number::DataExtended => code.op(self.opline + 1).extended_value,
        })
    }

    fn cache_word(
        &mut self,
        base: Number,
        index: u8,
        representation: Representation,
        at: &Position,
    ) -> Option<Value> {
        let offset = match base {
            // The low bits are flags.
            Number::Extended | Number::DataExtended => self.number(base) & !7,
            _ => self.number(base),
        };
        let offset = offset as u32 + u32::from(index) * 8;
        if let Some(word) = self.remembered(offset) {
            return match Type::of(representation) {
                Type::Address => self.push(at, Operation::Literal(word)),
                _ => self.push(at, Operation::Long(word as i64)),
            };
        }
        let frame = self.push(at, Operation::Frame)?;
        let cache = self.push(
            at,
            Operation::LoadWord(frame, layout::FRAME_CACHE as u32, Type::Address),
        )?;
        self.push(
            at,
            Operation::LoadWord(cache, offset, Type::of(representation)),
        )
    }

    /// What a word of the runtime cache holds for good: functions that were found by their full name
    /// are never replaced, and every cache of this code gets the same.
    fn remembered(&self, offset: u32) -> Option<u64> {
        let request = self.translator.request;
        let opcode = request.code.op(self.opline).opcode;
        if request.cache.is_null() || !is_lasting(opcode) {
            return None;
        }
        // SAFETY: I4: the offset is that of a word in the cache of this function's frames, which is live.
        let word = unsafe { request.cache.add(offset as usize).cast::<u64>().read() };
        (word != 0).then_some(word)
    }

    /// Whether a variable other than the one at an address holds something counted, as far as that is
    /// not known.
    fn need_release(&mut self, except: Value, at: &mut Position) -> Option<Value> {
        use ir::BinaryOperation::{AndLong, NeLong, OrLong};
        let except = match self.origins.get(&except) {
            Some(Origin::Slot(slot)) => Some(*slot),
            _ => None,
        };
        let code = self.translator.request.code;
        let unknown: Vec<Slot> = (0..code.variables())
            .map(Slot)
            .filter(|slot| Some(*slot) != except && !at.state.at(*slot).is_uncounted())
            .collect();
        if unknown.len() > MOST_TESTED {
            return None;
        }
        if unknown.is_empty() {
            return self.push(at, Operation::Bool(false));
        }
        let mut words = None;
        for slot in unknown {
            self.translator.save(at, slot);
            let word = self.push(at, Operation::TypeWord(Place::Slot(slot)))?;
            words = match words {
                None => Some(word),
                Some(others) => self.push(at, Operation::Binary(OrLong, others, word)),
            };
        }
        let flag = self.push(at, Operation::Long(i64::from(REFCOUNTED)))?;
        let flag = self.push(at, Operation::Binary(AndLong, words?, flag))?;
        let zero = self.push(at, Operation::Long(0))?;
        self.push(at, Operation::Binary(NeLong, flag, zero))
    }

    fn intrinsic(
        &mut self,
        intrinsic: ir::Intrinsic,
        arguments: &[ir::Value],
        at: &mut Position,
    ) -> Option<Value> {
        let given: Vec<Value> = arguments.iter().map(|value| self.value(*value)).collect();
        // Only RETURN asks, and of its own frame.
        if intrinsic == ir::Intrinsic::VariablesNeedRelease
            && let Some(answer) = self.need_release(given[1], at)
        {
            return Some(answer);
        }
        for (wanted, value) in intrinsic.arguments().iter().zip(&given) {
            if let Argument::Typed(_) = wanted {
                self.before_access(*value, at);
            }
        }
        let changes = intrinsic.effect() != ir::IntrinsicEffect::Pure;
        let slots: Vec<Value> = intrinsic
            .arguments()
            .iter()
            .zip(&given)
            .filter(|(wanted, _)| matches!(wanted, Argument::To(Structure::Slot)))
            .map(|(_, value)| *value)
            .collect();
        for slot in &slots {
            self.before_access(*slot, at);
        }
        let value = self.push(at, Operation::Intrinsic(intrinsic, Arguments::new(&given)?));
        for slot in slots.iter().filter(|_| changes) {
            self.after_write(Place::At(*slot), None, at);
        }
        if intrinsic == ir::Intrinsic::GlobalVariable {
            self.origins
                .extend(value.map(|value| (value, Origin::Anywhere)));
        }
        if intrinsic.may_exit()
            && let Some(value) = value
        {
            use vm_def::ir::UnaryOperation::{IsNull, NotBool};
            let null = self.push(at, Operation::Unary(IsNull, value))?;
            let found = self.push(at, Operation::Unary(NotBool, null))?;
            self.guard(found, at);
        }
        value
    }

    /// Whether the opline gives the operand back: variables and literals stay.
    fn is_consumed(&self, place: ir::Place) -> bool {
        let code = self.translator.request.code;
        let kind = match place {
            ir::Place::Op1 => code.op(self.opline).op1_type,
            ir::Place::Op2 => code.op(self.opline).op2_type,
            _ => code.op(self.opline + 1).op1_type,
        };
        kind & (IS_CONST | IS_CV) == 0
    }

    /// Gives back an operand that the opline consumes.
    fn free(&mut self, place: ir::Place, at: &mut Position) {
        if !self.is_consumed(place) {
            return;
        }
        let Operand::Slot(slot) = self.operand(place) else {
            return;
        };
        let state = at.state.at(slot);
        if let SlotState::Borrowed { .. } = state {
            at.state.set(slot, UNKNOWN);
            return;
        }
        if state.is_uncounted() {
            return;
        }
        // Giving back a string runs no code of the script.
        let others = TypeMask(TypeMask::COUNTED.0 & !TypeMask::STRING.0);
        if state.types().intersects(others) {
            self.tell_opline(at);
            self.before_reentering(at);
        } else {
            self.translator.settle(at.block, &mut at.state);
        }
        let temporary = Released::Temporary;
        self.push(at, Operation::Release(Place::Slot(slot), temporary));
        at.state.set(slot, UNKNOWN);
    }

    fn store_value(
        &mut self,
        place: ir::Place,
        representation: Representation,
        value: ir::Value,
        at: &mut Position,
    ) {
        let held = match representation {
            Representation::Long => Held::Long(self.value(value)),
            Representation::Double => Held::Double(self.value(value)),
            Representation::Bool => Held::Bool(self.value(value)),
            Representation::Boxed | Representation::Pointer => {
                return self.copy(place, value, true, at);
            }
        };
        self.store(place, held, at);
    }

    /// Copies the value at an address.
    fn copy(&mut self, place: ir::Place, from: ir::Value, retains: bool, at: &mut Position) {
        let from = self.value(from);
        if place == ir::Place::Result && !self.has_result() {
            return;
        }
        if let Some(Origin::Slot(slot)) = self.origins.get(&from)
            && let SlotState::Held { held, .. } = at.state.at(*slot)
        {
            return self.store(place, held, at);
        }
        if let Some(held) = self.constant_at(from, at) {
            return self.store(place, held, at);
        }
        self.before_access(from, at);
        let types = match self.origins.get(&from) {
            Some(Origin::Slot(slot)) => Some(at.state.at(*slot).types()),
            Some(_) => None,
            None => self.types_at.get(&from).copied(),
        };
        if retains
            && let Operand::Slot(slot) = self.operand(place)
            && slot.0 >= self.translator.request.code.variables()
            && !self.origins.contains_key(&from)
        {
            let (address, types) = (from, types.unwrap_or(TypeMask::ANY));
            at.state.set(slot, SlotState::Borrowed { address, types });
            return;
        }
        if let Some(place) = self.destination(place, at) {
            self.push(at, Operation::Copy(place, from, retains));
            self.after_write(place, types, at);
        }
    }

    /// What a literal at an address is, if it needs no memory.
    fn constant_at(&mut self, address: Value, at: &Position) -> Option<Held> {
        let literal = self.literals.get(&address).copied()?;
        // SAFETY: I4: the address is that of a literal of a live block.
        let value = unsafe { &*literal };
        use vm_runtime::value::{DOUBLE, FALSE, LONG, TRUE};
        Some(match value.kind() {
            LONG => Held::Long(self.push(at, Operation::Long(value.long()))?),
            DOUBLE => Held::Double(self.push(at, Operation::Double(value.double().to_bits()))?),
            FALSE => Held::Bool(self.push(at, Operation::Bool(false))?),
            TRUE => Held::Bool(self.push(at, Operation::Bool(true))?),
            vm_runtime::value::NULL => Held::Null,
            _ => return None,
        })
    }

    fn known(&self, place: ir::Place, at: &Position) -> Option<TypeMask> {
        match self.operand(place) {
            Operand::Slot(slot) => Some(at.state.at(slot).types()),
            Operand::Literal(literal) => Some(Code::literal_types(literal)),
            Operand::None => match place {
                ir::Place::At(value) => self.types_at.get(&self.value(value)).copied(),
                _ => None,
            },
        }
    }

    fn is_known_uncounted(&self, place: ir::Place, at: &Position) -> bool {
        match self.operand(place) {
            Operand::Slot(slot) => at.state.at(slot).is_uncounted(),
            Operand::Literal(_) => true,
            Operand::None => false,
        }
    }

    fn guard_type(&mut self, place: ir::Place, types: TypeMask, at: &mut Position) {
        let known = self.known(place, at).unwrap_or(TypeMask::ANY);
        if known.is_subset_of(types) {
            return;
        }
        let Some(memory) = self.memory(place, at) else {
            return;
        };
        self.guard_place(memory, types, at);
        if let Operand::Slot(slot) = self.operand(place) {
            self.narrow(slot, types, at);
        }
    }

    fn narrow(&mut self, slot: Slot, types: TypeMask, at: &mut Position) {
        if let SlotState::Memory {
            types: known,
            uncounted,
        } = at.state.at(slot)
        {
            let types = TypeMask(types.0 & known.0);
            at.state.set(slot, SlotState::Memory { types, uncounted });
        } else if let SlotState::Borrowed {
            address,
            types: known,
        } = at.state.at(slot)
        {
            let types = TypeMask(types.0 & known.0);
            at.state.set(slot, SlotState::Borrowed { address, types });
        }
    }

    fn guard_uncounted(&mut self, place: ir::Place, at: &mut Position) {
        if self.is_known_uncounted(place, at) {
            return;
        }
        let Some(memory) = self.memory(place, at) else {
            return;
        };
        self.guard_place_uncounted(memory, at);
        if let Place::Slot(slot) = memory
            && let SlotState::Memory { types, .. } = at.state.at(slot)
        {
            let uncounted = true;
            at.state.set(slot, SlotState::Memory { types, uncounted });
        }
    }

    fn test_type(&mut self, place: ir::Place, types: TypeMask, at: &mut Position) -> Option<Value> {
        if let Operand::Slot(slot) = self.operand(place) {
            self.speculate(slot, types, at);
        }
        if let Some(known) = self.known(place, at) {
            if known.is_subset_of(types) {
                return self.push(at, Operation::Bool(true));
            }
            if !known.intersects(types) {
                return self.push(at, Operation::Bool(false));
            }
        }
        let place = self.memory(place, at)?;
        let test = self.push(at, Operation::IsType(place, types))?;
        if let Place::At(address) = place {
            self.tests.insert(test, (address, types));
        }
        Some(test)
    }

    /// Before a question about a slot's type: leaves if the answer is not the one that the profile
    /// expects. References are not expected where nothing is known.
    fn speculate(&mut self, slot: Slot, types: TypeMask, at: &mut Position) {
        let known = at.state.at(slot).types();
        if self.progress.has_effect || known.is_subset_of(types) || !known.intersects(types) {
            return;
        }
        let seen = self.seen(slot);
        let others = TypeMask(known.0 & !types.0);
        let expected = if seen == TypeMask::NONE {
            if !types.is_subset_of(TypeMask::REFERENCE) {
                return;
            }
            others
        } else if !seen.intersects(types) {
            others
        } else if seen.is_subset_of(types) {
            types
        } else {
            return;
        };
        self.guard_slot(slot, expected, at);
    }

    fn guard_slot(&mut self, slot: Slot, types: TypeMask, at: &mut Position) {
        let memory = match at.state.at(slot) {
            SlotState::Borrowed { address, .. } => Place::At(address),
            _ => Place::Slot(slot),
        };
        self.guard_place(memory, types, at);
        self.narrow(slot, types, at);
    }

    /// The type word of a value; often only asked for whether the value is counted.
    fn type_word(&mut self, place: ir::Place, at: &mut Position) -> Option<Value> {
        if let Operand::Slot(slot) = self.operand(place) {
            if !self.progress.has_effect && !at.state.at(slot).is_uncounted() {
                self.expect_uncounted(slot, at);
            }
            let types = at.state.at(slot).types();
            if at.state.at(slot).is_uncounted() {
                let single = types
                    .single()
                    .filter(|kind| *kind < vm_runtime::value::STRING);
                let value = match single {
                    Some(kind) => self.push(at, Operation::Long(i64::from(kind)))?,
                    None => {
                        let place = self.memory(place, at)?;
                        let value = self.push(at, Operation::TypeWord(place))?;
                        self.uncounted_words.insert(value);
                        value
                    }
                };
                return Some(value);
            }
        }
        let place = self.memory(place, at)?;
        self.push(at, Operation::TypeWord(place))
    }

    /// Leaves if a slot holds something counted, unless the profile has seen that.
    fn expect_uncounted(&mut self, slot: Slot, at: &mut Position) {
        let known = at.state.at(slot).types();
        let seen = TypeMask(self.seen(slot).0 & known.0);
        if seen.intersects(TypeMask::COUNTED) {
            return;
        }
        if seen.single().is_some() || Type::holding(seen).is_some() {
            return self.guard_slot(slot, seen, at);
        }
        if let SlotState::Borrowed { .. } = at.state.at(slot) {
            return;
        }
        self.guard_place_uncounted(Place::Slot(slot), at);
        if let SlotState::Memory { types, .. } = at.state.at(slot) {
            let uncounted = true;
            at.state.set(slot, SlotState::Memory { types, uncounted });
        }
    }

    fn deref(&mut self, place: ir::Place, at: &mut Position) -> Option<Value> {
        let slot = match self.operand(place) {
            Operand::Slot(slot) => slot,
            Operand::Literal(literal) => {
                let address = self.push(at, Operation::Literal(literal as u64))?;
                self.literals.insert(address, literal);
                return Some(address);
            }
            Operand::None => {
                let address = self.address(place, at)?;
                return self.push(at, Operation::Deref(address));
            }
        };
        if let SlotState::Borrowed { address, types } = at.state.at(slot) {
            self.types_at.insert(address, types);
            return match types.intersects(TypeMask::REFERENCE) {
                true => self.push(at, Operation::Deref(address)),
                false => Some(address),
            };
        }
        if at.state.at(slot).types().intersects(TypeMask::REFERENCE) {
            if self.seen(slot).intersects(TypeMask::REFERENCE) {
                let address = self.push(at, Operation::SlotAddress(slot))?;
                let address = self.push(at, Operation::Deref(address))?;
                self.origins.insert(address, Origin::Behind(slot));
                return Some(address);
            }
            let types = TypeMask(TypeMask::ANY.0 & !TypeMask::REFERENCE.0);
            self.guard_slot(slot, types, at);
        }
        self.slot_address(slot, at)
    }

    fn slot_address(&mut self, slot: Slot, at: &Position) -> Option<Value> {
        let address = self.push(at, Operation::SlotAddress(slot))?;
        self.origins.insert(address, Origin::Slot(slot));
        Some(address)
    }

    /// The address of a place.
    fn address(&mut self, place: ir::Place, at: &mut Position) -> Option<Value> {
        match self.memory(place, at)? {
            Place::Slot(slot) => self.slot_address(slot, at),
            Place::At(address) => Some(address),
        }
    }

    fn load(
        &mut self,
        place: ir::Place,
        representation: Representation,
        at: &mut Position,
    ) -> Option<Value> {
        if representation == Representation::Boxed {
            return match self.operand(place) {
                Operand::Slot(slot) => match at.state.at(slot) {
                    SlotState::Borrowed { .. } if place == ir::Place::Result => {
                        self.translator.save(at, slot);
                        self.slot_address(slot, at)
                    }
                    SlotState::Borrowed { address, types } => {
                        self.types_at.insert(address, types);
                        Some(address)
                    }
                    _ => self.slot_address(slot, at),
                },
                Operand::Literal(literal) => {
                    let address = self.push(at, Operation::Literal(literal as u64))?;
                    self.literals.insert(address, literal);
                    Some(address)
                }
                _ => self.address(place, at),
            };
        }
        let of = Type::of(representation);
        match self.operand(place) {
            Operand::Slot(slot) if of != Type::Address => {
                match at.state.at(slot) {
                    SlotState::Memory { .. } => {
                        self.translator.load(at.block, &mut at.state, slot, of);
                    }
                    SlotState::Borrowed { address, .. } => {
                        self.translator.load_borrowed(slot, address, of, at);
                    }
                    SlotState::Held { .. } => {}
                }
                match at.state.at(slot) {
                    SlotState::Held { held, .. } => held.value(),
                    SlotState::Memory { .. } | SlotState::Borrowed { .. } => None,
                }
            }
            Operand::Literal(literal) => {
                // SAFETY: I4: the address is that of a literal of a live block.
                let value = unsafe { &*literal };
                self.push(
                    at,
                    match representation {
                        Representation::Double => Operation::Double(value.double().to_bits()),
                        Representation::Bool => {
                            Operation::Bool(value.kind() == vm_runtime::value::TRUE)
                        }
                        Representation::Pointer => Operation::Literal(value.long() as u64),
                        Representation::Long | Representation::Boxed => {
                            Operation::Long(value.long())
                        }
                    },
                )
            }
            _ => {
                let place = self.memory(place, at)?;
                self.push(at, Operation::Load(place, of))
            }
        }
    }
}
