//! Looking at what functions execute before they are compiled: when that begins, what is noted, and when it is enough.

use std::sync::Arc;
use std::time::Duration;

use vm_runtime::frame::{Frame, call_info};
use vm_runtime::function::flags::CALL_VIA_TRAMPOLINE;
use vm_runtime::object::closure;
use vm_runtime::op::{Handler, Op};
use vm_runtime::op_array::OpArray;
use vm_runtime::value::Zval;
use vm_runtime::vm::Vm;

use super::carried::carrying;
use super::counters::processor_time;
use super::inlining::inlined_calls;
use super::unit::OBSERVED;
use super::worth::Promise;
use super::{Jit, unit_of};
use crate::translate::{self, Called};

/// Functions with more oplines are not looked at because they are called.
const MOST_OBSERVED: usize = 80;
/// Looking at a function takes one part in so many of compiling it.
const LOOKING: u32 = 8;
/// How often an opline is looked at, if it shows something new each time, and what was looked at before.
pub(super) const LOOKS: u8 = 3;
const MORE_LOOKS: u8 = 24;
/// What takes so long to compile is looked at again before.
const DEAR: Duration = Duration::from_micros(500);
/// How often it is looked for longer because something has only been seen begin.
const PATIENCE: u32 = 16;

/// Functions with a long loop and no more oplines take no time to speak of: they are looked at after so many turns, and
/// do not wait for more.
const TINY: usize = 32;
pub(super) const SOON: i32 = 48;

pub(super) fn is_tiny(code: &OpArray) -> bool {
    code.len() <= TINY
}

/// Which oplines are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Looked {
    /// Those that were not seen yet.
    New,
    All,
}

impl Jit {
    /// Lets the next executions of oplines be looked at, of those that were not seen yet or of all, until the function
    /// is hot again.
    pub(super) fn observe(&mut self, number: u32, which: Looked) {
        let Some(memory) = &self.memory else { return };
        let unit = &mut self.units[number as usize];
        self.counters.observed += 1;
        let mut looks = vec![0; unit.code.len()];
        for (opline, op) in unit.copy.slice_mut().iter_mut().enumerate() {
            if which == Looked::All || !unit.profile.is_seen(opline as u32) {
                op.handler = memory.stubs.observe;
                looks[opline] = match which {
                    Looked::New => LOOKS,
                    Looked::All => MORE_LOOKS,
                };
            }
        }
        unit.observing = Some(looks.into());
        unit.patience = PATIENCE;
        let looks = match is_tiny(&unit.code) {
            true => SOON / 2,
            false => OBSERVED,
        };
        unit.copy.set_counter(looks.min(memory.threshold));
    }

    /// Lets all executions of a unit's oplines be looked at, and of those of functions that would be inlined: what was
    /// seen at first may be what the script begins with.
    pub(super) fn look_again(&mut self, number: u32) {
        let threshold = self.threshold();
        for (_, callee) in inlined_calls(&self.units, &self.by_code, number) {
            let unit = &self.units[callee as usize];
            if callee != number && unit.compilations == 0 && !unit.is_ordered {
                self.observe(callee, Looked::All);
                self.units[callee as usize].copy.set_counter(threshold);
            }
        }
        self.observe(number, Looked::All);
    }

    /// Waits for a unit to be executed often enough to be looked at, which is not for nothing either. False if
    /// it has been.
    pub(super) fn waits(&mut self, number: u32, opline: u32) -> bool {
        let is_limited = self.is_limited();
        let Some(memory) = &self.memory else {
            return false;
        };
        let unit = &mut self.units[number as usize];
        if !is_limited || unit.profile.is_observed() {
            return false;
        }
        let Some((promise, saved)) = unit.first_promise(opline) else {
            unit.leave_alone(opline, &memory.stubs);
            return true;
        };
        (unit.promise, unit.saved) = (promise, saved);
        if unit.since.is_zero() {
            unit.since = processor_time();
        }
        let likely = self.counters.likely_cost(unit.first_work(opline));
        unit.cost = unit.least_cost.max(likely);
        let is_soon = promise == Promise::MuchSoon && is_tiny(&unit.code);
        if !is_soon && unit.is_to_wait(opline, memory.threshold, &memory.stubs) {
            return true;
        }
        // Nothing is seen for long of what there is no time to compile.
        if !is_soon && !self.may_compile(number) {
            self.refuse(number, opline);
            return true;
        }
        // Looking at it takes its time as well.
        let cost = self.units[number as usize].cost;
        self.spent.add(promise, cost / LOOKING);
        false
    }

    /// Whether enough was seen of what is around an opline that is hot.
    pub(super) fn is_ready(&mut self, number: u32, opline: u32) -> bool {
        let is_limited = self.is_limited();
        let Some(memory) = &self.memory else {
            return true;
        };
        let unit = &mut self.units[number as usize];
        if unit.patience > 0 && unit.is_half_seen(opline) {
            unit.patience -= 1;
            unit.copy.set_counter(OBSERVED.min(memory.threshold));
            return false;
        }
        if !is_limited || unit.relearns {
            return true;
        }
        let is_new = unit.gains.is_none() || unit.judged != opline;
        let inlined = match is_new {
            true => inlined_calls(&self.units, &self.by_code, number),
            false => Vec::new(),
        };
        if is_new {
            let parts = inlined.iter().map(|(_, callee)| *callee);
            let parts = parts.chain([number]);
            let work = parts.map(|part| self.units[part as usize].work()).sum();
            self.units[number as usize].work = work;
        }
        let unit = &mut self.units[number as usize];
        unit.cost = unit.least_cost.max(self.counters.likely_cost(unit.work));
        let gains = unit.gains_much(opline, &inlined);
        if unit.is_to_last() {
            return false;
        }
        let is_soon = unit.promise == Promise::MuchSoon && is_tiny(&unit.code);
        if gains && !is_soon && unit.is_to_wait(opline, memory.threshold, &memory.stubs) {
            return false;
        }
        if unit.gains == Some(false) {
            if unit.looks_again(opline, memory.threshold) {
                return false;
            }
            unit.observing = None;
            unit.leave_alone(opline, &memory.stubs);
            return false;
        }
        if !self.may_compile(number) {
            self.refuse(number, opline);
            return false;
        }
        let unit = &mut self.units[number as usize];
        let is_sure = unit.cost < DEAR || std::mem::replace(&mut unit.is_looked_at_again, true);
        if !is_sure {
            self.look_again(number);
        }
        is_sure
    }

    /// Notes what an opline calls that is about to be executed, and looks at that as well.
    ///
    /// # Safety
    /// The frame runs the opline, the one with this number in the unit (I4).
    pub(super) unsafe fn observe_call(
        &mut self,
        number: u32,
        frame: *mut Frame,
        opline: *const Op,
        index: u32,
    ) {
        // SAFETY: by the caller; what closes a call finds it prepared, with its function.
        let (call, function) = unsafe {
            if !translate::gain(&*opline, None).1 {
                return;
            }
            let call = (*frame).call;
            (call, (*call).function)
        };
        // SAFETY: I4: the function of a frame lives.
        let (called, info) = unsafe { (&*function, (*call).call_info()) };
        let distance = (call as usize).wrapping_sub(frame as usize) / size_of::<Zval>();
        let (Some(code), Ok(distance)) = (&called.code, u32::try_from(distance)) else {
            return;
        };
        if called.flags & CALL_VIA_TRAMPOLINE != 0 {
            return;
        }
        let code = Arc::clone(code);
        let is_small = code.len() <= MOST_OBSERVED;
        // The function of a closure may go before the code does: it is known when its unit is.
        if info & call_info::CLOSURE == 0 {
            let called = Called {
                function,
                distance,
                closure: None,
            };
            self.units[number as usize].profile.see_call(index, called);
        }
        let callee = match self.by_code.get(&Arc::as_ptr(&code)) {
            Some(&callee) => Some(callee),
            None if is_small => self.watch(&code, called.scope, false),
            None => None,
        };
        let Some(callee) = callee else { return };
        let unit = &self.units[callee as usize];
        if unit.scope != called.scope {
            return;
        }
        if called.ops == code.ops() {
            // SAFETY: I4: the function is the VM's, which runs on this thread.
            unsafe { unit.take_over(function) };
        }
        // One that calls itself is not kept by itself.
        if info & call_info::CLOSURE != 0 && callee != number {
            // SAFETY: I4: the call that is prepared is live, and keeps its closure.
            let (prototype, info) =
                unsafe { (closure::prototype_of(function), (*call).this.type_info) };
            if let Some(prototype) = prototype {
                let profile = &mut self.units[number as usize].profile;
                profile.see_closure(index, prototype, distance, info);
            }
        }
        let unit = &self.units[callee as usize];
        // What does not gain does not gain by being inlined, and what is far from the loop that is hot is not inlined.
        let is_proven = self.units[number as usize].is_proven;
        let is_light = || is_proven || unit.may_gain_inlined() || !self.is_limited();
        let is_far = self.is_limited() && self.units[number as usize].depth >= 2;
        if is_small && !is_far && unit.compilations == 0 && unit.observing.is_none() && is_light() {
            self.units[callee as usize].depth = self.units[number as usize].depth + 1;
            self.observe(callee, Looked::New);
            let threshold = self.threshold();
            self.units[callee as usize].copy.set_counter(threshold);
        }
    }
}

/// Called when an opline is about to be executed that is looked at.
pub(super) unsafe extern "C" fn observe(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
) -> Handler {
    // SAFETY: the handler stands in copies only, which are run with their frame and VM.
    carrying(|| unsafe {
        let Some((jit, number)) = unit_of(frame, vm) else {
            return (*opline).handler;
        };
        let index = opline.offset_from(jit.units[number as usize].copy.ops()) as u32;
        jit.observe_call(number, frame, opline, index);
        let unit = &mut jit.units[number as usize];
        let variables = unit.code.draft.variables.len() as u32;
        let ops = unit.copy.slice();
        let is_new = unit.profile.observe(frame, ops, index, variables, vm);
        let left = unit
            .observing
            .as_mut()
            .map(|looks| &mut looks[index as usize]);
        let is_done = left.is_none_or(|left| {
            // What was seen once is likely to be all.
            *left = left.saturating_sub(if is_new { 1 } else { 2 });
            *left == 0
        });
        let resting = jit.resting(number, index);
        if is_done {
            jit.units[number as usize].copy.slice_mut()[index as usize].handler = resting;
        }
        resting
    })
}
