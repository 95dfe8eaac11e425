//! The oplines of a unit: those of its function, and behind them those of functions whose calls are
//! inlined, each time anew. Oplines and slots are numbered through.
//!
//! An inlined function has its frame on the VM stack as if it were called; while compiled code runs it,
//! the frame of the unit's function stays the one that slots are counted from. Frames that are prepared one
//! behind the other follow each other, so the slots of an inlined function have a number, too: compiled code
//! tests that its frame is where it was when it was looked at.

use std::ops::Range;

use vm_def::facts::{OpcodeFacts, OperandFacts, ResultPlace, kind_bits};
use vm_def::grammar::OplineField;
use vm_def::ir::Lowering;
use vm_def::types::TypeMask;
use vm_runtime::frame::HEADER_SLOTS;
use vm_runtime::function::Function;
use vm_runtime::generated::Opcode;
use vm_runtime::op::Op;
use vm_runtime::op_array::OpArray;
use vm_runtime::value::{REFCOUNTED, Zval};

use super::body::{Body, Operand, Successors};
use super::trial::{Answers, Question};
use super::unread::Use;
use super::{Profile, Which, vain};
use crate::graph::{Constant, Operation, Slot};

/// A call that is inlined.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Where it is prepared.
    pub prepared: u32,
    /// Where it is made.
    pub made: u32,
    /// What is called; if that is a closure, what it is a copy of.
    pub function: *const Function,
    /// The info of the frames of a closure.
    pub closure: Option<u32>,
    /// How many arguments are sent.
    pub arguments: u32,
    /// The first slot of its frame's head.
    pub frame: Slot,
}

/// A function whose oplines are part of the unit.
#[derive(Debug)]
struct Part<'a> {
    body: Body<'a>,
    profile: &'a Profile,
    /// Its runtime cache; may be null.
    cache: *const u8,
    /// The number of its first opline.
    first: u32,
    /// The number of its first slot.
    base: u32,
    /// The part that calls it, and the call. None for the unit's function.
    call: Option<(u32, Call)>,
    /// Frames that are in use while it runs, itself and those of callers that are being prepared.
    depth: u32,
}

/// The oplines of a unit.
#[derive(Debug)]
pub struct Code<'a> {
    parts: Vec<Part<'a>>,
    /// By opline: the part where it stands.
    places: Vec<u16>,
    len: u32,
    slots: u32,
}

/// A part of the code where an opline stands, with the number that it has there.
type Local = (usize, u32);

/// Whether an operand is only looked at: a literal may stand there as well.
pub fn is_read(operand: &OperandFacts) -> bool {
    let kinds = operand.kinds;
    kinds != kind_bits::ANY && kinds & kind_bits::CONST != 0 && !operand.written && !operand.defined
}

impl<'a> Code<'a> {
    /// The oplines of `array` that stand in `ops`. `cache` is the runtime cache of the frame that they are
    /// compiled for; it may be null.
    pub fn new(
        array: &'a OpArray,
        ops: &'a [Op],
        profile: &'a Profile,
        cache: *const u8,
    ) -> Code<'a> {
        let body = Body::new(array, ops);
        let (len, slots) = (body.len(), body.slots());
        let part = Part {
            body,
            profile,
            cache,
            first: 0,
            base: 0,
            call: None,
            depth: 0,
        };
        Code {
            parts: vec![part],
            places: vec![0; len as usize],
            len,
            slots,
        }
    }

    /// Adds a function for a call of one of the parts; gives the number of its own part. None if its frame
    /// would not stand behind those that are in use.
    pub fn inline(
        &mut self,
        caller: usize,
        call: Call,
        body: Body<'a>,
        profile: &'a Profile,
    ) -> Option<usize> {
        let outer = &self.parts[caller];
        let depth = self.depth(outer.first + call.prepared) + 1;
        let enclosing = self.parts.iter().filter(|part| {
            let inner = |(of, other): &(u32, Call)| {
                *of as usize == caller
                    && other.prepared < call.prepared
                    && call.prepared <= other.made
            };
            part.call.as_ref().is_some_and(inner)
        });
        let mut used = outer.base + outer.body.slots();
        for part in enclosing {
            used = used.max(part.base + part.call.map_or(0, |(_, call)| call.arguments));
        }
        if call.frame.0 < used {
            return None;
        }
        let base = call.frame.0 + HEADER_SLOTS;
        // SAFETY: I4: functions that were called by their name live as long as the VM; others are kept by the profile.
        let cache = unsafe { (*call.function).run_time_cache };
        let (first, len, slots) = (self.len, body.len(), body.slots());
        self.parts.push(Part {
            body,
            profile,
            cache,
            first,
            base,
            call: Some((caller as u32, call)),
            depth,
        });
        self.len += len;
        self.places
            .resize(self.len as usize, self.parts.len() as u16 - 1);
        self.slots = self.slots.max(base + slots);
        Some(self.parts.len() - 1)
    }

    /// The function's own oplines.
    pub fn body(&self, part: usize) -> &Body<'a> {
        &self.parts[part].body
    }

    /// The number of the first opline of each part, its oplines, and where its frame begins, in slots from
    /// the start of the unit's frame.
    pub fn placed(&self) -> impl Iterator<Item = (u32, *const Op, u32)> {
        self.parts.iter().map(|part| {
            let head = part.call.map(|(_, call)| call.frame);
            let frame = head.map_or(0, |head| head.0 + HEADER_SLOTS);
            (part.first, part.body.ops().as_ptr(), frame)
        })
    }

    /// The number of the first opline of each part, and the first slot of its frame's head if that is not the
    /// unit's frame.
    pub fn heads(&self) -> impl Iterator<Item = (u32, Option<Slot>)> {
        let parts = self.parts.iter();
        parts.map(|part| (part.first, part.call.map(|(_, call)| call.frame)))
    }

    /// The part where an opline stands; behind the last one, that of the last one.
    fn part_of(&self, number: u32) -> usize {
        let place = self.places.get(number as usize);
        place.map_or(self.parts.len() - 1, |place| usize::from(*place))
    }

    fn at(&self, number: u32) -> (&Part<'a>, u32) {
        let part = &self.parts[self.part_of(number)];
        (part, number - part.first)
    }

    /// The oplines of the function that an opline belongs to, with its number there.
    pub fn local_ops(&self, number: u32) -> (&'a [Op], u32) {
        let (part, number) = self.at(number);
        (part.body.ops(), number)
    }

    /// What the function that an opline belongs to does with one of its variables.
    pub fn use_of(&self, slot: Slot, number: u32) -> Use {
        let (part, _) = self.at(number);
        match slot.0.checked_sub(part.base) {
            Some(own) => part.body.use_of(Slot(own)),
            None => Use::Read,
        }
    }

    /// Whether the function that an opline belongs to has variables that nobody reads.
    pub fn has_unread(&self, number: u32) -> bool {
        self.at(number).0.body.has_unread()
    }

    /// Whether the result of an opline goes to the variable of the ASSIGN that follows, which is skipped.
    pub fn is_fused(&self, number: u32) -> bool {
        let (part, number) = self.at(number);
        part.body.is_fused(number)
    }

    /// The part that an opline belongs to, with its number there.
    pub fn local(&self, number: u32) -> Local {
        let part = self.part_of(number);
        (part, number - self.parts[part].first)
    }

    /// Whether an opline is one of the unit's function.
    pub fn is_own(&self, number: u32) -> bool {
        number < self.parts[0].body.len()
    }

    /// Number of oplines.
    #[allow(clippy::len_without_is_empty, reason = "a unit is never empty")]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Number of slots, those of inlined functions and their frames' heads among them.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// The opline with this number.
    pub fn op(&self, number: u32) -> &'a Op {
        let (part, number) = self.at(number);
        part.body.op(number)
    }

    /// What is known about the opcode.
    pub fn facts(&self, number: u32) -> Option<&'static OpcodeFacts> {
        Opcode::from_number(self.op(number).opcode).map(Opcode::facts)
    }

    fn moved(operand: Operand, part: &Part<'_>) -> Operand {
        match operand {
            Operand::Slot(slot) => Operand::Slot(Slot(slot.0 + part.base)),
            other => other,
        }
    }

    /// Where op1 is.
    pub fn op1(&self, number: u32) -> Operand {
        let (part, number) = self.at(number);
        Self::moved(part.body.op1(number), part)
    }

    /// Where op2 is.
    pub fn op2(&self, number: u32) -> Operand {
        let (part, number) = self.at(number);
        Self::moved(part.body.op2(number), part)
    }

    /// Where the result goes.
    pub fn result(&self, number: u32) -> Operand {
        let (part, number) = self.at(number);
        Self::moved(part.body.result(number), part)
    }

    /// Where the operand of OP_DATA is.
    pub fn data(&self, number: u32) -> Operand {
        self.op1(number + 1)
    }

    /// The address of an opline.
    pub fn address(&self, number: u32) -> u64 {
        let (part, number) = self.at(number);
        part.body.address(number)
    }

    /// What the opline means.
    pub fn lowering(&self, number: u32) -> Option<&'static Lowering> {
        let (part, number) = self.at(number);
        part.body.lowering(number)
    }

    /// The opline that a jump field leads to.
    pub fn target(&self, number: u32, field: OplineField) -> u32 {
        let (part, number) = self.at(number);
        part.body.target(number, field) + part.first
    }

    /// The jump that the opline takes itself: its target, and whether it jumps on true.
    pub fn smart_branch(&self, number: u32) -> Option<(u32, bool)> {
        let (part, number) = self.at(number);
        let (target, on_true) = part.body.smart_branch(number)?;
        Some((target + part.first, on_true))
    }

    /// Whether an OP_DATA belongs to the opline.
    pub fn has_data(&self, number: u32) -> bool {
        let (part, number) = self.at(number);
        part.body.has_data(number)
    }

    /// Whether the variables of the unit's function are the script's, which anyone may write.
    pub fn is_top_level(&self) -> bool {
        self.parts[0].body.is_top_level()
    }

    /// The opline behind this one, its OP_DATA and what it does on behalf of others. At the end of the
    /// code that is none of it.
    pub fn following(&self, number: u32) -> u32 {
        let (part, number) = self.at(number);
        part.body.following(number) + part.first
    }

    /// Whether there is an opline behind this one in its function.
    pub fn has_following(&self, number: u32) -> bool {
        let (part, number) = self.at(number);
        part.body.following(number) < part.body.len()
    }

    /// Where execution may go on behind the opline, exceptions aside.
    pub fn successors(&self, number: u32) -> Successors {
        let (part, number) = self.at(number);
        let mut successors = part.body.successors(number);
        for next in &mut successors {
            *next += part.first;
        }
        successors
    }

    /// Whether several ways may lead to the opline.
    pub fn is_leader(&self, number: u32) -> bool {
        let (part, number) = self.at(number);
        part.body.is_leader(number)
    }

    /// The last opline of the loop that begins at this one.
    pub fn loop_end(&self, number: u32) -> Option<u32> {
        let (part, number) = self.at(number);
        Some(part.body.loop_end(number)? + part.first)
    }

    /// The loop that is being entered behind its beginning on the way from one opline to another, if `entering` was
    /// on the way to the first one.
    pub fn entered_loop(&self, entering: Option<u32>, from: u32, to: u32) -> Option<u32> {
        let (part, own) = self.local(to);
        let first = self.parts[part].first;
        match entering {
            // A call in the test.
            Some(header) if self.part_of(header) != part => entering,
            Some(header) if header < to && self.loop_end(header).is_some_and(|last| to <= last) => {
                entering
            }
            Some(_) => None,
            None if self.part_of(from) == part => {
                let header = self.parts[part].body.entered_loop(from - first, own);
                header.map(|header| header + first)
            }
            None => None,
        }
    }

    /// Whether an opline stands in a loop that nothing leaves but an exception.
    pub fn is_endless(&self, number: u32) -> bool {
        let (part, number) = self.at(number);
        part.body.is_endless(number)
    }

    /// The variables that are assigned from an opline on before anything else is done with them.
    pub fn overwritten_from(&self, number: u32) -> Vec<Slot> {
        let (part, number) = self.at(number);
        let own = part.body.overwritten_from(number).into_iter();
        own.map(|slot| Slot(slot.0 + part.base)).collect()
    }

    /// The variables and temporaries that oplines from one to another may write.
    pub fn written_between(&self, first: u32, last: u32) -> Vec<Slot> {
        let mut written = Vec::new();
        for number in first..=last {
            let Some(facts) = self.facts(number) else {
                continue;
            };
            // The only one that looks at variables and takes no literal.
            let sends = self.op(number).opcode == Opcode::SEND_VAR as u8;
            let operands = [
                (self.op1(number), sends || is_read(&facts.op1)),
                (self.op2(number), is_read(&facts.op2)),
                (self.result(number), false),
            ];
            for (operand, is_read) in operands {
                if let (Operand::Slot(slot), false) = (operand, is_read) {
                    written.push(slot);
                }
            }
        }
        written
    }

    /// The literal that a variable of the unit's function held when that was compiled, if one is assigned to it.
    pub fn held_literal(&self, slot: Slot) -> Option<Constant> {
        let part = self.parts.first()?;
        let payload = part.profile.uncounted(slot)?;
        let assigned = (0..part.body.len()).filter_map(|number| {
            let is_assigned = part.body.op(number).opcode == Opcode::ASSIGN as u8;
            match (part.body.op1(number), part.body.op2(number)) {
                (Operand::Slot(to), Operand::Literal(literal)) if is_assigned && to == slot => {
                    Self::constant(literal)
                }
                _ => None,
            }
        });
        let mut assigned = assigned.filter(|constant| constant.payload == payload);
        assigned.next()
    }

    /// Whether the slot's value matters to what begins at the opline, in its function or in those that wait
    /// for it to return.
    pub fn is_live(&self, slot: Slot, mut number: u32) -> bool {
        if let [only] = self.parts.as_slice() {
            return only.body.is_live(slot, number);
        }
        loop {
            let (index, local) = self.local(number);
            let part = &self.parts[index];
            if let Some(own) = slot.0.checked_sub(part.base)
                && own < part.body.slots()
            {
                return part.body.is_live(Slot(own), local);
            }
            if self.is_sent(slot, index, local) {
                return true;
            }
            let Some((caller, call)) = part.call else {
                return false;
            };
            let caller = &self.parts[caller as usize];
            number = caller.first + caller.body.following(call.made);
            if slot.0 < caller.base + caller.body.slots()
                && matches!(caller.body.result(call.made), Operand::Slot(result)
                    if result.0 + caller.base == slot.0)
            {
                // It is written when the function returns.
                return false;
            }
        }
    }

    /// Whether a slot is an argument of a call that is being prepared.
    fn is_sent(&self, slot: Slot, caller: usize, number: u32) -> bool {
        self.parts.iter().any(|part| {
            part.call.is_some_and(|(of, call)| {
                of as usize == caller
                    && call.prepared < number
                    && number <= call.made
                    && (part.base..part.base + call.arguments).contains(&slot.0)
            })
        })
    }

    /// Frames of inlined calls that are in use before an opline: those that run and those that are
    /// being prepared.
    pub fn depth(&self, number: u32) -> u32 {
        if self.parts.len() == 1 {
            return 0;
        }
        let (part, local) = self.at(number);
        let caller = self.part_of(number);
        let prepared = self.parts[1..].iter().filter(|part| {
            part.call.is_some_and(|(of, call)| {
                of as usize == caller && call.prepared < local && local <= call.made
            })
        });
        part.depth + prepared.count() as u32
    }

    /// The part for the inlined call that an opline prepares.
    pub fn prepares(&self, number: u32) -> Option<usize> {
        self.inlined(number, |call| call.prepared)
    }

    /// The part for the inlined call that an opline makes.
    pub fn makes(&self, number: u32) -> Option<usize> {
        self.inlined(number, |call| call.made)
    }

    fn inlined(&self, number: u32, end: impl Fn(&Call) -> u32) -> Option<usize> {
        if self.parts.len() == 1 {
            return None;
        }
        let (caller, local) = self.local(number);
        self.parts.iter().position(|part| {
            let is_it = |(of, call): (u32, Call)| of as usize == caller && end(&call) == local;
            part.call.is_some_and(is_it)
        })
    }

    /// The part for the innermost call that is being prepared before an opline, if that is inlined.
    pub fn preparing(&self, number: u32) -> Option<usize> {
        if self.parts.len() == 1 {
            return None;
        }
        let (part, local) = self.at(number);
        let (_, made) = part.body.preparing(local)?;
        self.makes(part.first + made)
    }

    /// The opline that prepared the innermost call that is being prepared in front of an opline.
    pub fn opened(&self, number: u32) -> Option<u32> {
        let (part, local) = self.at(number);
        let (opened, _) = part.body.preparing(local)?;
        Some(part.first + opened)
    }

    /// The call that a part stands for.
    pub fn call(&self, part: usize) -> Option<&Call> {
        self.parts[part].call.as_ref().map(|(_, call)| call)
    }

    /// The opline at an address in a part.
    pub fn find(&self, part: usize, address: u64) -> Option<u32> {
        let part = &self.parts[part];
        let offset = address.checked_sub(part.body.address(0))?;
        let number = offset / size_of::<Op>() as u64;
        (number < u64::from(part.body.len())).then_some(part.first + number as u32)
    }

    /// Where a function goes on that waits for a part to return.
    pub fn behind(&self, part: usize) -> Option<u32> {
        let (caller, call) = self.parts[part].call?;
        let caller = &self.parts[caller as usize];
        Some(caller.first + caller.body.following(call.made))
    }

    /// The first opline of the unit's function that is executed once the functions have returned that
    /// are inlined around an opline.
    pub fn outermost(&self, mut number: u32) -> u32 {
        while let Some(behind) = self.behind(self.part_of(number)) {
            number = behind;
        }
        number
    }

    /// What stands for the address of the frame that runs an opline.
    pub fn frame(&self, number: u32) -> Operation {
        self.frame_of(self.part_of(number))
    }

    /// What stands for the address of a part's frame.
    pub fn frame_of(&self, part: usize) -> Operation {
        match self.parts[part].call {
            Some((_, call)) => Operation::SlotAddress(call.frame),
            None => Operation::Frame,
        }
    }

    /// Where the result of an opline of a part goes.
    pub fn result_of(&self, part: usize, number: u32) -> Operand {
        self.result(self.parts[part].first + number)
    }

    /// The slots of a part.
    pub fn slots_of(&self, part: usize) -> Range<u32> {
        let part = &self.parts[part];
        part.base..part.base + part.body.slots()
    }

    /// The part that calls a part.
    pub fn caller(&self, part: usize) -> Option<usize> {
        let (caller, _) = self.parts[part].call?;
        Some(caller as usize)
    }

    /// The runtime cache that an opline uses; may be null.
    pub fn cache(&self, number: u32) -> *const u8 {
        self.at(number).0.cache
    }

    /// The variables of a part.
    pub fn variables_of(&self, part: usize) -> Range<u32> {
        let part = &self.parts[part];
        part.base..part.base + part.body.variables()
    }

    /// Whether the slot is a temporary of the function that an opline belongs to, or of one that waits for
    /// that to return.
    pub fn is_temporary(&self, slot: Slot, number: u32) -> bool {
        let mut index = Some(self.part_of(number));
        while let Some(part) = index.map(|index| &self.parts[index]) {
            if let Some(own) = slot.0.checked_sub(part.base)
                && own < part.body.slots()
            {
                return own >= part.body.variables();
            }
            index = part.call.map(|(caller, _)| caller as usize);
        }
        false
    }

    /// Whether execution has not come to an opline while somebody looked.
    pub fn is_unseen(&self, number: u32) -> bool {
        let (part, number) = self.at(number);
        part.profile.is_unseen(number)
    }

    /// Whether a variable of the loop's function had no value where the loop begins, though it has one later.
    pub fn was_undefined(&self, slot: Slot, header: u32) -> bool {
        let (part, header) = self.at(header);
        let own = slot.0.checked_sub(part.base);
        own.is_some_and(|own| part.profile.was_undefined(Slot(own), header))
    }

    /// Of some bits, those that were the same in the infos of all frames that ran the function of an opline, and how they
    /// were.
    pub fn common_info(&self, asked: u32, number: u32) -> (u32, u32) {
        let (part, _) = self.at(number);
        part.profile.common_info(asked)
    }

    /// Whether each way of doing the opline has to be compiled.
    pub fn is_weak(&self, number: u32) -> bool {
        let (part, number) = self.at(number);
        part.profile.is_weak(number)
    }

    /// Whether no clause of an opline applied, more than once, where it is no part of a call: that would not be inlined.
    pub fn is_refused(&self, number: u32) -> bool {
        let effects = self.facts(number).map(|facts| facts.effects);
        let is_call = effects.is_some_and(|effects| effects.opens_call || effects.closes_call);
        let (part, number) = self.at(number);
        !is_call && part.profile.is_refused(number)
    }

    /// Whether the opline may change where the call is prepared or how many arguments it has, if its slow path
    /// executes it: arguments that have a name may.
    pub fn moves_call(&self, number: u32) -> bool {
        let Some(facts) = self.facts(number) else {
            return true;
        };
        let sends = facts.result.place == ResultPlace::Argument;
        facts.effects.moves_call || sends && matches!(self.op2(number), Operand::Literal(_))
    }

    /// What the clauses of an opline met; none if nobody looked, if it was not so too often, or if compiled code changes
    /// what they meet.
    pub fn answers(&self, number: u32) -> Option<&'a Answers> {
        if vain::is_in_vain(self, number) {
            return None;
        }
        let (part, number) = self.at(number);
        part.profile.answers(number)
    }

    /// What was seen that a question asks; no bits if nobody knows.
    pub fn answer(&self, number: u32, question: Question) -> u32 {
        let answers = self.answers(number);
        answers.map_or(0, |answers| answers.of(question))
    }

    /// The types that an operand is likely to have; none if nobody knows.
    pub fn operand(&self, number: u32, which: Which, slot: Slot) -> TypeMask {
        let (part, number) = self.at(number);
        part.profile
            .operand(number, which, Slot(slot.0.wrapping_sub(part.base)))
    }

    /// The types that were seen in a slot by the function that an opline belongs to.
    pub fn slot(&self, slot: Slot, number: u32) -> TypeMask {
        let (part, _) = self.at(number);
        match slot.0.checked_sub(part.base) {
            Some(own) => part.profile.slot(Slot(own)),
            None => TypeMask::NONE,
        }
    }

    /// The types that were seen in a slot where an opline has it as its operand, else anywhere.
    pub fn seen(&self, number: u32, slot: Slot) -> TypeMask {
        let is = |operand| matches!(operand, Operand::Slot(own) if own == slot);
        if is(self.op1(number)) {
            self.operand(number, Which::Op1, slot)
        } else if is(self.op2(number)) {
            self.operand(number, Which::Op2, slot)
        } else if self.has_data(number) && is(self.data(number)) {
            self.operand(number + 1, Which::Op1, slot)
        } else {
            self.slot(slot, number)
        }
    }

    /// What a literal is that is not counted.
    pub fn constant(literal: *const Zval) -> Option<Constant> {
        // SAFETY: I4: the address is that of a literal of a live block, or of a constant, which lives as long as the VM.
        let value = unsafe { &*literal };
        (value.type_info & REFCOUNTED == 0).then(|| Constant {
            address: literal as u64,
            word: value.type_info,
            payload: value.long() as u64,
        })
    }

    /// The type of a literal.
    pub fn literal_types(literal: *const Zval) -> TypeMask {
        // SAFETY: I4: the address is that of a literal of a live block.
        TypeMask(1 << unsafe { (*literal).kind() })
    }
}
