//! What becomes of a unit whose guards leave too often.

use vm_def::types::TypeMask;
use vm_runtime::frame::Frame;
use vm_runtime::generated::Opcode;
use vm_runtime::op::Op;

use super::counters::processor_time;
use super::looking::{LOOKS, Looked};
use super::{Jit, MOST_COMPILATIONS, Mode, settings};
use crate::translate::{Body, Operand, Which};

/// Guards that leave less often than this, in a second, are left as they are: compiling anew takes
/// more time than they do.
const FEW_EXITS: f64 = 50_000.0;
/// A unit whose guards leave more often than this is compiled anew whatever was spent: it loses more than that takes.
const MANY_EXITS: f64 = 200_000.0;
/// A unit is given up in the end if guards of one opline leave more often than this: it loses a tenth of the time.
const MOST_EXITS: f64 = 1_000_000.0;

/// Functions with more oplines are only compiled for what was seen: the rest takes too long.
const MOST_COMPLETE: usize = 150;

impl Jit {
    /// The guards of an opline left too often, the one with this number in the code of a unit: notes what
    /// was there and compiles anew. The frame is that of the function whose opline it is.
    pub(super) fn exhausted(
        &mut self,
        (number, index): (u32, u32),
        frame: *const Frame,
        opline: *const Op,
    ) {
        let may_compile = self.may_compile(number);
        let is_bounded = self.is_bounded();
        let inlined = self.units[number as usize].part_of(index);
        let part = inlined.unit;
        let local = index.wrapping_sub(inlined.first);
        // Code that was compiled before has other numbers.
        if self.units[part as usize]
            .copy
            .ops()
            .wrapping_add(local as usize)
            != opline
        {
            return;
        }
        let unit = &mut self.units[number as usize];
        let limit = unit.limit;
        if unit.is_ordered || unit.relearns {
            unit.exits[index as usize] = limit;
            return;
        }
        let now = processor_time();
        let passed = now.saturating_sub(unit.watched).as_secs_f64();
        let often = |rate: f64| f64::from(limit) > passed * rate;
        let is_last = unit.compilations >= MOST_COMPILATIONS;
        if is_last || is_bounded && (!often(FEW_EXITS) || !may_compile && !often(MANY_EXITS)) {
            unit.exits[index as usize] = limit;
            unit.watched = now;
            if is_last && self.mode == Mode::On && often(MOST_EXITS) {
                self.give_up(number);
            }
            return;
        }
        let profile = &self.units[part as usize].profile;
        let is_compiled = profile.is_compiled(local) || part != number && profile.is_seen(local);
        if !is_compiled && self.units[part as usize].observing.is_none() {
            // Nothing is known of what stands behind either.
            let unit = &mut self.units[part as usize];
            let variables = unit.code.draft.variables.len() as u32;
            let ops = unit.copy.slice();
            // SAFETY: I4: the frame is about to execute the opline; I1: the VM outlives its tier.
            unsafe {
                unit.profile.observe(frame, ops, local, variables, self.vm);
            }
            self.units[number as usize].exits[index as usize] = LOOKS.into();
            return self.observe(part, Looked::New);
        }
        if is_compiled {
            let will_be_weak = self.units[number as usize].will_be_weak();
            let mut is_new = self.learn(part, frame, local, will_be_weak);
            is_new |= self.learn_others(number, index);
            is_new |= self.complete(number, part);
            if !is_new {
                // Compiling anew would give the same code.
                self.units[number as usize].exits[index as usize] = i32::MAX;
                return;
            }
        }
        self.counters.exhausted += 1;
        if is_compiled && self.is_limited() {
            self.units[number as usize].relearns = true;
            return self.look_again(number);
        }
        let mut own = frame;
        for _ in 0..inlined.depth {
            // SAFETY: I4: the frame of an inlined function was called from the one around it.
            own = unsafe { (*own).previous };
        }
        self.compile(number, own);
    }

    /// Has what was not seen of a unit, and of a part of it, compiled if what was seen has not been all too often. Tells
    /// whether there is any.
    fn complete(&mut self, number: u32, part: u32) -> bool {
        if !self.units[number as usize].will_be_complete() {
            return false;
        }
        let mut is_new = false;
        for number in [number, part] {
            let unit = &mut self.units[number as usize];
            if unit.code.len() <= MOST_COMPLETE {
                is_new |= unit.profile.complete(unit.code.len() as u32);
            }
        }
        is_new
    }

    /// Notes what else than an opline has left often: it is not waited for. Tells whether that was not known.
    fn learn_others(&mut self, number: u32, index: u32) -> bool {
        let unit = &self.units[number as usize];
        let limit = unit.limit;
        let is_patient = !unit.will_be_weak();
        let exits = (0..).zip(&unit.exits);
        let exits = exits.filter(|(opline, _)| *opline != index);
        let often = exits.filter(|(_, left)| **left < limit / 2 || !is_patient && **left < limit);
        let often: Vec<(u32, u32)> = often.map(|(opline, _)| unit.local(opline)).collect();
        let mut is_new = false;
        for (part, local) in often {
            is_new |= self.units[part as usize].profile.note_weak(local);
        }
        is_new
    }

    /// Notes what made the guards of an opline leave, which may leave there no more if code `will_be_weak`. Tells whether
    /// that was not known.
    fn learn(&mut self, number: u32, frame: *const Frame, index: u32, will_be_weak: bool) -> bool {
        let unit = &mut self.units[number as usize];
        let code = Body::new(&unit.code, unit.copy.slice());
        let operands = [(Which::Op1, code.op1(index)), (Which::Op2, code.op2(index))];
        let mut is_new = false;
        for (which, place) in operands {
            if let Operand::Slot(slot) = place {
                // SAFETY: I4: the frame has the slot; compiled code wrote back what it held.
                let kind = unsafe { (*(*frame).slot(slot.0)).kind() };
                // A rope's parts are no values.
                if kind > 12 {
                    continue;
                }
                let types = TypeMask(1 << kind);
                is_new |= !types.is_subset_of(unit.profile.operand(index, which, slot));
                unit.profile.see_operand(index, which, types);
            }
        }
        if code.loop_end(index).is_some() {
            // SAFETY: I4: as above; what a loop tests in front of its first turn are its variables.
            is_new |= unsafe { unit.profile.see_variables(frame, code.variables(), index) };
        }
        // SAFETY: I4: as above; the opline is executed next.
        is_new |= unsafe { unit.profile.try_clauses(frame, code.ops(), index, self.vm) };
        // SAFETY: I1: the VM outlives its tier.
        if settings::wants_debug(unsafe { &*self.vm }, "exits") {
            let name = String::from_utf8_lossy(&unit.code.draft.display_name);
            let opcode = Opcode::from_number(code.op(index).opcode).map_or("", Opcode::name);
            let why = if is_new {
                "other types"
            } else {
                "the same types"
            };
            crate::telling::tell!("; {name}: left too often at {index:04} {opcode}, {why}");
        }
        let mut is_weaker = false;
        if !is_new || will_be_weak {
            is_weaker |= unit.profile.note_weak(index);
        }
        if !is_new {
            // What its guards meet there, others of its kind will.
            let (opcode, operand) = (code.op(index).opcode, code.op(index).op1);
            for opline in 0..code.len() {
                let op = code.op(opline);
                if op.opcode == opcode && op.op1 == operand {
                    is_weaker |= unit.profile.note_weak(opline);
                }
            }
        }
        is_new || is_weaker
    }

    /// Leaves a unit to the interpreter for good.
    fn give_up(&mut self, number: u32) {
        let unit = &mut self.units[number as usize];
        unit.interpret();
        unit.exits.fill(i32::MAX);
        self.counters.given_up += 1;
    }
}
