//! The frames of inlined calls. They are made and left as the clauses say, but what their heads hold is
//! known, their slots are slots of the unit, and going on in them is going on in the same code.

use smallvec::SmallVec;
use vm_def::facts::EffectFacts;
use vm_def::ir::layout::Structure;
use vm_def::ir::{
    self, BinaryOperation, Field, Intrinsic, Operation as Micro, Reason, UnaryOperation,
};
use vm_runtime::frame::HEADER_SLOTS;
use vm_runtime::generated::layout::NUMBER_VALUES;

use super::super::state::{Callee, Prepared, SlotState};
use super::super::{Operand, Position, structures};
use super::Expansion;
use crate::graph::{Held, Operation, Slot, Value};

impl Expansion<'_, '_, '_> {
    /// The frame that runs the opline.
    pub(super) fn frame(&mut self, at: &Position) -> Option<Value> {
        let (part, _) = self.translator.request.code.local(self.opline);
        self.frame_of(part, at)
    }

    fn frame_of(&mut self, part: usize, at: &Position) -> Option<Value> {
        let frame = self.translator.request.code.frame_of(part);
        let frame = self.push(at, frame)?;
        self.found.frames.insert(frame, part);
        Some(frame)
    }

    /// Whether all frames are known to be where they are expected.
    fn knows_frames(&self, at: &Position) -> bool {
        at.state.frames == self.translator.request.code.depth(self.opline)
    }

    /// The part for the inlined call that the opline prepares.
    fn prepared(&self, at: &Position) -> Option<usize> {
        let part = self.translator.request.code.prepares(self.opline)?;
        self.knows_frames(at).then_some(part)
    }

    /// The part for the inlined call that the opline makes.
    pub(super) fn made(&self, at: &Position) -> Option<usize> {
        let part = self.translator.request.code.makes(self.opline)?;
        self.knows_frames(at).then_some(part)
    }

    /// Reads a field, unless it is one of a frame's head that is known.
    pub(super) fn load_field(
        &mut self,
        field: Field,
        base: Value,
        at: &mut Position,
    ) -> Option<Value> {
        let facts = field.facts();
        if facts.structure == Structure::Vm && facts.name == "stack_top" {
            if let Some(part) = self.prepared(at) {
                return self.prepare_frame(part, field, base, at);
            }
        } else if facts.structure == Structure::Closure && facts.name == "info" {
            if let Some(part) = self.prepared(at) {
                return self.info_of_closure(part, field, base, at);
            }
        } else if facts.structure == Structure::Function
            && let Some(&part) = self.found.closures.get(&base)
        {
            let prototype = self.translator.request.code.call(part)?.function;
            if let Some(known) = structures::held_by_closures(field, prototype) {
                return self.push(at, known);
            }
        } else if facts.structure == Structure::Frame
            && let Some(known) = self.load_from_call(facts.name, base, at)
        {
            return Some(known);
        } else if facts.structure == Structure::Frame
            && let Some(&part) = self.found.frames.get(&base)
        {
            let code = self.translator.request.code;
            let (running, _) = code.local(self.opline);
            let known = match (facts.name, code.call(part)) {
                ("call", _) if part == running && self.knows_frames(at) => {
                    if let Some(inner) = code.preparing(self.opline) {
                        return self.frame_of(inner, at);
                    }
                    None
                }
                ("previous", Some(_)) if part == running => {
                    let caller = code.caller(part)?;
                    return self.frame_of(caller, at);
                }
                ("function", Some(call)) if call.closure.is_some() => {
                    let function = self.push(at, Operation::LoadField(field, base))?;
                    self.found.closures.insert(function, part);
                    return Some(function);
                }
                ("function", Some(call)) => Some(Operation::Literal(call.function as u64)),
                ("argument_count", Some(call)) => Some(Operation::Long(call.arguments.into())),
                (_, Some(_)) => self.translator.head(part, field),
                _ => None,
            };
            if let Some(known) = known {
                let value = self.push(at, known)?;
                if let Operation::SlotAddress(slot) = known {
                    self.found.origins.insert(value, super::Origin::Slot(slot));
                }
                return Some(value);
            }
        }
        let known = self.field_of_literal(field, base);
        self.push(at, known.unwrap_or(Operation::LoadField(field, base)))
    }

    /// Where the info of a frame is read, in front of what cannot be done again: what the clause asks of that of the
    /// unit's own frame has to be what it always was. Frames of a function mostly own the same.
    pub(super) fn expect_info(&mut self, info: Value, frame: Value, at: &mut Position) {
        let code = self.translator.request.code;
        let (running, _) = code.local(self.opline);
        let is_own =
            self.found.frames.get(&frame) == Some(&running) && code.call(running).is_none();
        let progress = self.found.progress;
        // Code of the script may give the frame a symbol table.
        if !is_own || progress.reentered {
            return;
        }
        if self.found.info.is_none() && !progress.has_effect && !code.is_weak(self.opline) {
            let (same, bits) = code.common_info(self.asked_of_info(), self.opline);
            if same != 0 {
                self.found.info = Some((same, bits));
                self.guard_info(info, (same, bits), at);
            }
        }
        self.found.infos.push(info);
    }

    fn guard_info(
        &mut self,
        info: Value,
        (same, bits): (u32, u32),
        at: &mut Position,
    ) -> Option<()> {
        let same = self.push(at, Operation::Long(same.into()))?;
        let found = self.push(at, Operation::Binary(BinaryOperation::AndLong, info, same))?;
        let bits = self.push(at, Operation::Long(bits.into()))?;
        let as_ever = self.push(at, Operation::Binary(BinaryOperation::EqLong, found, bits))?;
        self.guard(as_ever, Reason::Type, at);
        Some(())
    }

    /// The bits of infos of frames that the clause asks for.
    fn asked_of_info(&self) -> u32 {
        let mut infos: SmallVec<[ir::Value; 4]> = SmallVec::new();
        let mut masks: SmallVec<[(ir::Value, i64); 16]> = SmallVec::new();
        let mut asked = 0;
        for instruction in self.clause.instructions() {
            match (&instruction.operation, instruction.output) {
                (Micro::LoadField(field, _), Some(output)) => {
                    let facts = field.facts();
                    if (facts.structure, facts.name) == (Structure::Frame, "info") {
                        infos.push(output);
                    }
                }
                (Micro::Named(index), Some(output)) => {
                    masks.push((output, NUMBER_VALUES[usize::from(*index)]));
                }
                (Micro::ConstantLong(mask), Some(output)) => masks.push((output, *mask)),
                (Micro::Binary(BinaryOperation::AndLong, left, right), _)
                    if infos.contains(left) =>
                {
                    let mut masks = masks.iter();
                    let mask = masks.find_map(|(value, mask)| (value == right).then_some(*mask));
                    asked |= mask.map_or(0, |mask| mask as u32);
                }
                _ => {}
            }
        }
        asked
    }

    /// What is asked of the info of the unit's own frame, if that is known.
    pub(super) fn known_info(
        &self,
        operation: BinaryOperation,
        info: Value,
        asked: Value,
    ) -> Option<i64> {
        let (same, bits) = self.found.info?;
        let is_asked = operation == BinaryOperation::AndLong && self.found.infos.contains(&info);
        let asked = self.translator.graph.long(asked).filter(|_| is_asked)?;
        (asked & !i64::from(same) == 0).then_some(asked & i64::from(bits))
    }

    /// Writes a field; what is known of a frame's head is noted.
    pub(super) fn store_field(
        &mut self,
        field: Field,
        base: Value,
        value: Value,
        at: &mut Position,
    ) {
        let lasting = matches!(field.facts().name, "info" | "return_value");
        if lasting && let Some(&part) = self.found.frames.get(&base) {
            // Different clauses may write different things.
            let known = self.translator.graph.known(value).copied();
            let head = self.translator.heads.entry((part, field));
            let head = head.or_insert(known);
            if *head != known {
                *head = None;
            }
        }
        self.note_call(field, base, value, at);
        self.push(at, Operation::StoreField(field, base, value));
    }

    /// Whether the opline makes a call.
    pub(super) fn closes_call(&self) -> bool {
        let facts = self.translator.request.code.facts(self.opline);
        facts.is_some_and(|facts| facts.effects.closes_call)
    }

    /// What is known of a field of the running frame, or of that of a call that is being prepared.
    fn load_from_call(&mut self, name: &str, base: Value, at: &Position) -> Option<Value> {
        let code = self.translator.request.code;
        let opened = code.opened(self.opline);
        let innermost = self.found.closing.or_else(|| at.state.call(opened))?;
        if base == innermost.frame {
            let known = match name {
                "function" => Operation::Literal(innermost.call.function),
                "argument_count" => Operation::Long(innermost.call.arguments.into()),
                _ => return None,
            };
            return self.push(at, known);
        }
        let (running, _) = code.local(self.opline);
        let is_here = name == "call" && self.found.frames.get(&base) == Some(&running);
        is_here.then_some(innermost.frame)
    }

    /// Notes what is written to the head of a frame that is being made, and that it becomes the innermost call
    /// that is being prepared.
    fn note_call(&mut self, field: Field, base: Value, value: Value, at: &mut Position) {
        let facts = field.facts();
        if facts.structure != Structure::Frame {
            return;
        }
        let (running, _) = self.translator.request.code.local(self.opline);
        let graph = &self.translator.graph;
        match facts.name {
            "function" => self.found.fresh.entry(base).or_default().0 = graph.address(value),
            "argument_count" => {
                let count = graph
                    .long(value)
                    .and_then(|count| u32::try_from(count).ok());
                self.found.fresh.entry(base).or_default().1 = count;
            }
            "call" if self.found.frames.get(&base) == Some(&running) && !self.closes_call() => {
                if self.found.frames.contains_key(&value) {
                    // An inlined call is known otherwise.
                    return;
                }
                match self.found.fresh.get(&value) {
                    Some(&(Some(function), Some(arguments))) => {
                        let (opened, frame) = (self.opline, value);
                        let call = Callee {
                            opened,
                            function,
                            arguments,
                        };
                        self.translator.note_callee(call);
                        at.state.calls.push(Prepared { frame, call });
                    }
                    _ => at.state.calls.clear(),
                }
            }
            _ => {}
        }
    }

    /// A slot of an inlined function's frame.
    pub(super) fn slot_of_frame(
        &mut self,
        base: Value,
        index: Value,
        at: &mut Position,
    ) -> Option<Value> {
        let part = *self.found.frames.get(&base)?;
        let call = self.translator.request.code.call(part)?;
        let index = self.translator.graph.long(index)?;
        let slot = Slot(call.frame.0 + HEADER_SLOTS + u32::try_from(index).ok()?);
        self.slot_address(slot, at)
    }

    /// Goes on only if the frame that is about to be made for an inlined call is where its slots are, and
    /// the function is the one whose oplines stand here. Gives the top of the stack.
    fn prepare_frame(
        &mut self,
        part: usize,
        field: Field,
        vm: Value,
        at: &mut Position,
    ) -> Option<Value> {
        let top = self.push(at, Operation::LoadField(field, vm))?;
        let frame = self.frame_of(part, at)?;
        let here = Operation::Unary(UnaryOperation::PointerToLong, frame);
        let here = self.push(at, here)?;
        let same = Operation::Binary(BinaryOperation::EqLong, top, here);
        let same = self.push(at, same)?;
        self.guard(same, Reason::Function, at);
        let instructions = &self.clause.blocks[self.block.0 as usize].instructions;
        let function = instructions
            .iter()
            .find_map(|instruction| match &instruction.operation {
                Micro::StoreField(field, _, value)
                    if field.facts().structure == Structure::Frame
                        && field.facts().name == "function" =>
                {
                    Some(*value)
                }
                _ => None,
            });
        self.guard_function(part, self.value(function?), at)?;
        self.found.top = Some((here, frame));
        at.state.frames += 1;
        Some(here)
    }

    /// Goes on only if a function is that of an inlined call. Closures that run the same copy of oplines are made at
    /// one place and have one scope.
    fn guard_function(&mut self, part: usize, function: Value, at: &mut Position) -> Option<()> {
        let call = *self.translator.request.code.call(part)?;
        if call.closure.is_some() != self.found.is_closure {
            let never = self.push(at, Operation::Bool(false))?;
            self.guard(never, Reason::Function, at);
            return Some(());
        }
        let (found, expected) = match call.closure {
            Some(_) => {
                let field = Field::find(Structure::Function, "ops")?;
                let ops = self.push(at, Operation::LoadField(field, function))?;
                (ops, structures::held_by_closures(field, call.function)?)
            }
            None => (function, Operation::Literal(call.function as u64)),
        };
        let expected = self.push(at, expected)?;
        let same = Operation::Binary(BinaryOperation::EqPointer, found, expected);
        let same = self.push(at, same)?;
        self.guard(same, Reason::Function, at);
        if call.closure.is_some() {
            self.found.closures.insert(function, part);
        }
        Some(())
    }

    /// What the frame of an inlined call of a closure gets as its info, which has to be what it always was.
    fn info_of_closure(
        &mut self,
        part: usize,
        field: Field,
        closure: Value,
        at: &mut Position,
    ) -> Option<Value> {
        self.found.is_closure = true;
        let found = self.push(at, Operation::LoadField(field, closure))?;
        let Some(info) = self.translator.request.code.call(part)?.closure else {
            return Some(found);
        };
        let expected = self.push(at, Operation::Long(info.into()))?;
        let same = Operation::Binary(BinaryOperation::EqLong, found, expected);
        let same = self.push(at, same)?;
        self.guard(same, Reason::Function, at);
        Some(expected)
    }

    /// The size of the frame of an inlined call.
    pub(super) fn frame_bytes(&mut self, function: Value, at: &mut Position) -> Option<Value> {
        let part = self.prepared(at)?;
        self.guard_function(part, function, at)?;
        let call = *self.translator.request.code.call(part)?;
        let bytes = structures::frame_bytes(call.function, call.arguments.into());
        self.push(at, bytes)
    }

    /// What an intrinsic does to the frame of an inlined call. False if it is not about one.
    pub(super) fn clears_frame(
        &mut self,
        intrinsic: Intrinsic,
        given: &[Value],
        at: &mut Position,
    ) -> bool {
        let (Intrinsic::ClearVariables, &[frame, count]) = (intrinsic, given) else {
            return false;
        };
        let (Some(&part), Some(count)) = (
            self.found.frames.get(&frame),
            self.translator.graph.long(count),
        ) else {
            return false;
        };
        let variables = self.translator.request.code.variables_of(part);
        for slot in variables.skip(count as usize) {
            let (held, dirty) = (Held::Undef, true);
            at.state.set(Slot(slot), SlotState::Held { held, dirty });
        }
        true
    }

    /// Makes a frame the VM's current one.
    fn set_current(&mut self, frame: Value, at: &Position) {
        let vm = self.push(at, Operation::Literal(self.translator.request.vm));
        let field = Field::find(Structure::Vm, "frame");
        if let (Some(vm), Some(field)) = (vm, field) {
            self.push(at, Operation::StoreField(field, vm, frame));
        }
    }

    /// Goes on in an inlined function. False if its first opline is not known.
    pub(super) fn enter_inlined(&mut self, frame: Value, opline: Value, at: &mut Position) -> bool {
        let Some(&part) = self.found.frames.get(&frame) else {
            return false;
        };
        let code = self.translator.request.code;
        let address = self.translator.graph.address(opline);
        match address.and_then(|address| code.find(part, address)) {
            Some(first) if self.made(at) == Some(part) => {
                self.set_current(frame, at);
                self.translator.go(at.block, at.state.clone(), first);
                true
            }
            _ => {
                // Its frame is all that there is.
                for slot in code.variables_of(part) {
                    self.translator.save(at, Slot(slot));
                }
                false
            }
        }
    }

    /// Goes on behind an inlined call whose frame has been left. False if the function is not inlined.
    pub(super) fn leave_inlined(&mut self, frame: Value, at: &mut Position) -> bool {
        let code = self.translator.request.code;
        let (part, _) = code.local(self.opline);
        let Some(behind) = code.behind(part) else {
            return false;
        };
        self.set_current(frame, at);
        at.state
            .calls
            .retain(|call| code.local(call.call.opened).0 != part);
        if let Some(own) = self.frame(at) {
            self.push(at, Operation::LeaveHead(own));
        }
        self.translator.go(at.block, at.state.clone(), behind);
        true
    }

    /// Lets a helper leave the frame of an inlined call. False if the function is not inlined.
    pub(super) fn help_inlined(&mut self, name: &str, at: &mut Position) -> bool {
        let code = self.translator.request.code;
        let (part, _) = code.local(self.opline);
        let (Some(behind), Some(call), Some(caller)) =
            (code.behind(part), code.call(part), code.caller(part))
        else {
            return false;
        };
        let Some(helper) = crate::machine::helper(name) else {
            return false;
        };
        self.translator.save_live(at);
        if let Operand::Slot(result) = code.result_of(caller, call.made) {
            self.translator.save(at, result);
        }
        let execute = Operation::Execute(self.opline, helper.function as usize as u64);
        let Some(next) = self.push(at, execute) else {
            return false;
        };
        for slot in code.slots_of(part) {
            at.state.set(Slot(slot), super::super::state::UNKNOWN);
        }
        at.opline = behind;
        at.state.frames = code.depth(behind);
        let mut here = Position {
            block: at.block,
            state: at.state.clone(),
            opline: behind,
        };
        // Leaving a frame destroys what was its own.
        let effects = EffectFacts {
            may_throw: true,
            calls: true,
            reenters: true,
            ..EffectFacts::default()
        };
        if let Some(there) =
            self.translator
                .behind_call(&mut here, next, &[behind], (effects, true))
        {
            self.translator.go_back(there.block, there.state, behind);
        }
        true
    }
}
