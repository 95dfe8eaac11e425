//! A function that the tier watches or has compiled, and what stands in its handler words.

use std::sync::Arc;
use std::time::Duration;

use vm_runtime::class::Class;
use vm_runtime::function::{Function, SharedFunction};
use vm_runtime::object::closure;
use vm_runtime::op::Handler;
use vm_runtime::op_array::OpArray;

use super::copy::Copy;
use super::counters::processor_time;
use super::stubs::Stubs;
use super::worth::{Promise, may_recur};
use super::{COMPLETE_COMPILATION, WEAK_COMPILATION, original};
use crate::translate::{self, Profile};

/// How often the guards of one opline may leave before the unit is compiled anew, in thresholds. Each
/// time it is compiled they may leave so many times more often.
const EXIT_GROWTH: i32 = 4;
/// What an exit is taken to cost, with going on in the interpreter and coming back: half of what it does, for the next
/// code, of which more is seen, takes longer to compile.
const EXIT_NANOSECONDS: u128 = 40;
/// Entries and jumps back while a function is looked at.
pub(super) const OBSERVED: i32 = 40;
/// Entries and jumps back before the next decision when a function is found running for long enough.
const AWAKE: i32 = 40;
/// How often a function is looked at again before it is left alone, each time for so many times longer.
const MOST_DOUBTS: u32 = 3;
const DOUBT_GROWTH: i32 = 8;

/// A function that this tier watches or has compiled.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) code: Arc<OpArray>,
    /// The class to which the functions belong that run it: what runtime caches hold, holds for all of them.
    pub(super) scope: *const Class,
    pub(super) copy: Copy,
    pub(super) profile: Profile,
    pub(super) compilations: u32,
    /// For each opline of the compiled code, how often its guards may still leave.
    pub(super) exits: Box<[i32]>,
    /// How often they might in the beginning.
    pub(super) limit: i32,
    /// The same of code that was compiled earlier: frames may still run it.
    pub(super) former_exits: Vec<Box<[i32]>>,
    /// Where code stands that was compiled for it, then and now, and how long it is.
    pub(super) places: Vec<(usize, usize)>,
    /// What the compiled code is made of.
    pub(super) parts: Vec<Inlined>,
    /// Oplines at which executions are counted: the entry, then headers of loops.
    pub(super) counted: Box<[u32]>,
    /// Those of them where nothing begins that is worth compiling.
    pub(super) dull: Vec<u32>,
    /// Loops: their first and last oplines.
    pub(super) loops: Box<[(u32, u32)]>,
    /// It is the code of a file, which mostly runs once.
    pub(super) runs_once: bool,
    /// It is small and calls itself.
    pub(super) recurs: bool,
    /// Oplines in front of this one are not executed any more.
    pub(super) passed: u32,
    /// What is executed is looked at, so many times more for each opline.
    pub(super) observing: Option<Box<[u8]>>,
    /// All of it has been looked at for a second time.
    pub(super) is_looked_at_again: bool,
    /// It is looked at because guards left too often, and will be compiled anew.
    pub(super) relearns: bool,
    /// How many calls it is away from what is hot, when it is looked at for that.
    pub(super) depth: u32,
    /// How often it is not compiled yet although it is hot.
    pub(super) patience: u32,
    /// How often it was looked at again because it did not seem to be worth compiling.
    pub(super) doubts: u32,
    /// Whether it gains much by being compiled, once that is known.
    pub(super) gains: Option<bool>,
    /// What it promises, as far as is known.
    pub(super) promise: Promise,
    /// It is a small loop that would promise more if it went on for long, and it was waited for that.
    pub(super) may_last: bool,
    pub(super) was_to_last: bool,
    /// The counted opline that was looked at for that.
    pub(super) judged: u32,
    /// For how long it was to be interpreted so far.
    pub(super) waited: Duration,
    /// It was seen how much of the time it takes.
    pub(super) is_probed: bool,
    /// Nothing is counted until it has been found running for so long.
    pub(super) sleeps_until: Option<Duration>,
    /// Since when it is known to be executed often, and for how long it was found running since then, or since it was
    /// compiled.
    pub(super) since: Duration,
    pub(super) interpreted: Duration,
    /// It was found running for so long that compiling it pays whatever it saves.
    pub(super) is_proven: bool,
    /// What compiling it has taken and has not been seen to save yet.
    pub(super) invested: Duration,
    /// How often compiling would have taken too long.
    pub(super) refusals: u32,
    /// Since when is counted what it executes, or its exits.
    pub(super) watched: Duration,
    /// The per cent of its time that compiling it saves.
    pub(super) saved: u32,
    /// What there is to do to compile it, with what is inlined.
    pub(super) work: u32,
    /// What compiling it took the last time, or is likely to take.
    pub(super) cost: Duration,
    /// What it takes at least, because less was not enough.
    pub(super) least_cost: Duration,
    /// Its code is being made.
    pub(super) is_ordered: bool,
}

/// A function whose oplines are part of a unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inlined {
    /// The number of its first opline.
    pub(super) first: u32,
    /// Its own unit.
    pub(super) unit: u32,
    /// How many frames its own is away from that of the unit.
    pub(super) depth: u32,
}

impl Unit {
    /// A function that was not looked at yet, counted at its entry and at the headers of its loops.
    pub(super) fn new(
        code: Arc<OpArray>,
        scope: *const Class,
        copy: Copy,
        (entry, loops): (u32, Vec<(u32, u32)>),
        runs_once: bool,
    ) -> Unit {
        let headers = loops.iter().map(|&(header, _)| header);
        let counted = std::iter::once(entry).chain(headers.filter(|header| *header != entry));
        let counted = counted.collect();
        Unit {
            scope,
            exits: Box::default(),
            limit: 0,
            former_exits: Vec::new(),
            places: Vec::new(),
            parts: Vec::new(),
            recurs: may_recur(&code),
            code,
            copy,
            profile: Profile::default(),
            compilations: 0,
            counted,
            dull: Vec::new(),
            loops: loops.into(),
            runs_once,
            passed: 0,
            observing: None,
            is_looked_at_again: false,
            relearns: false,
            depth: 0,
            patience: 0,
            doubts: 0,
            gains: None,
            promise: Promise::Some,
            may_last: false,
            was_to_last: false,
            judged: 0,
            waited: Duration::ZERO,
            is_probed: false,
            sleeps_until: None,
            since: Duration::ZERO,
            interpreted: Duration::ZERO,
            is_proven: false,
            invested: Duration::ZERO,
            refusals: 0,
            watched: processor_time(),
            saved: 0,
            work: 0,
            cost: Duration::ZERO,
            least_cost: Duration::ZERO,
            is_ordered: false,
        }
    }

    /// An opline is about to be executed: of code that runs once, what stands in front of it and of the loops around it
    /// is not any more. Where that turns out to be wrong, it runs more than once.
    pub(super) fn pass(&mut self, opline: u32) {
        if opline < self.passed {
            self.runs_once = false;
            self.passed = 0;
        }
        if !self.runs_once {
            return;
        }
        let outermost = self.around(opline).map(|(header, _)| header);
        self.passed = self.passed.max(outermost.unwrap_or(opline));
    }

    /// Whether it will be compiled for all that may happen where guards left.
    pub(super) fn will_be_weak(&self) -> bool {
        self.compilations + 1 >= WEAK_COMPILATION
    }

    /// Whether it will be compiled for what was not seen as well.
    pub(super) fn will_be_complete(&self) -> bool {
        self.compilations + 1 >= COMPLETE_COMPILATION
    }

    /// Has a function run the copy of its oplines from now on, and if it is a closure's, those of closures that will be
    /// made at the same place. Frames may go on in the op array's own block.
    ///
    /// # Safety
    /// The function is live and runs the op array of this unit, and nothing else refers to it (I4).
    pub(super) unsafe fn take_over(&self, function: *const Function) {
        // SAFETY: by the caller; what a function is a copy of lives as long.
        unsafe {
            let prototype = closure::prototype_of(function);
            let prototype = prototype.as_ref().map(SharedFunction::as_ptr);
            for function in [function.cast_mut()].into_iter().chain(prototype) {
                if (*function).op_array == Arc::as_ptr(&self.code)
                    && (*function).scope.cast_const() == self.scope
                {
                    (&raw mut (*function).ops).write(self.copy.ops());
                }
            }
        }
    }

    /// The part of the compiled code that an opline belongs to.
    pub(super) fn part_of(&self, opline: u32) -> Inlined {
        let part = self.parts.partition_point(|part| part.first <= opline);
        self.parts[part - 1]
    }

    /// The unit of an opline's function, and its number there.
    pub(super) fn local(&self, opline: u32) -> (u32, u32) {
        let part = self.part_of(opline);
        (part.unit, opline - part.first)
    }

    /// How often the guards of an opline may leave from now on: where the time counts, until that has taken about as
    /// long as compiling anew will.
    pub(super) fn new_limit(&self, threshold: i32, is_bounded: bool) -> i32 {
        let growth = EXIT_GROWTH.pow(self.compilations.clamp(1, WEAK_COMPILATION) - 1);
        let least = threshold.max(1).saturating_mul(growth);
        match is_bounded {
            true => least.max((self.cost.as_nanos() / EXIT_NANOSECONDS) as i32),
            false => least,
        }
    }

    /// Whether a loop around an opline has not come round while somebody looked, or a call was prepared and not made
    /// yet.
    pub(super) fn is_half_seen(&self, opline: u32) -> bool {
        let is_around = |&&(header, last): &&(u32, u32)| header < opline && opline <= last;
        let mut around = self.loops.iter().filter(is_around);
        if around.any(|&(header, _)| self.profile.is_unseen(header)) {
            return true;
        }
        let (calls, _) = translate::calls(self.copy.slice());
        let profile = &self.profile;
        let mut calls = calls.iter();
        calls.any(|&(prepared, made)| profile.is_seen(prepared) && profile.is_unseen(made))
    }

    /// Whether a function that does not seem to be worth compiling is looked at for longer: what it was seen to do may
    /// be what it begins or ends with.
    pub(super) fn looks_again(&mut self, opline: u32, threshold: i32) -> bool {
        let is_loop = self.loops.iter().any(|(header, _)| *header == opline);
        let numbers = 0..self.code.len() as u32;
        let is_seen = |number| self.profile.is_seen(number);
        if is_loop || self.doubts >= MOST_DOUBTS || numbers.into_iter().all(is_seen) {
            return false;
        }
        self.doubts += 1;
        self.gains = None;
        let more = OBSERVED
            .min(threshold)
            .saturating_mul(DOUBT_GROWTH.pow(self.doubts));
        self.copy.set_counter(more);
        true
    }

    /// Leaves what begins at a counted opline to the interpreter; other loops may be worth it.
    pub(super) fn leave_alone(&mut self, opline: u32, stubs: &Stubs) {
        self.dull.push(opline);
        if self
            .counted
            .iter()
            .all(|counted| self.dull.contains(counted))
        {
            self.gains = Some(false);
            return self.interpret();
        }
        self.gains = None;
        let handler = self.resting(opline, stubs);
        self.copy.slice_mut()[opline as usize].handler = handler;
    }

    /// The handler that stands in the word of an opline that is not compiled.
    pub(super) fn resting(&self, opline: u32, stubs: &Stubs) -> Handler {
        let is_counted = self.counted.contains(&opline) && self.sleeps_until.is_none();
        let is_dull = self.dull.contains(&opline);
        match self.counted[0] == opline {
            _ if !is_counted => original(&self.code, opline),
            // A loop that begins where the function does goes by here at each turn.
            true if self.inside(opline).is_some() && !is_dull => stubs.back_edge,
            true if is_dull => stubs.arrival,
            true => stubs.entry,
            false if is_dull => original(&self.code, opline),
            false => stubs.back_edge,
        }
    }

    /// Counts no more until the function has been found running for some time: what does not take much of the
    /// script's time is not slowed down by it.
    pub(super) fn sleep(&mut self, time: Duration, stubs: &Stubs) {
        self.sleeps_until = Some(self.interpreted + time);
        self.change_counted(stubs);
    }

    /// Counts again if it has been found running for long enough.
    pub(super) fn wake(&mut self, stubs: &Stubs) {
        if self
            .sleeps_until
            .is_none_or(|until| self.interpreted < until)
        {
            return;
        }
        self.sleeps_until = None;
        self.change_counted(stubs);
        self.count(AWAKE);
    }

    /// Has the counted oplines rest that are not being looked at.
    pub(super) fn change_counted(&mut self, stubs: &Stubs) {
        for opline in self.counted.clone() {
            let looks = self.observing.as_ref().map(|looks| looks[opline as usize]);
            if looks.is_none_or(|looks| looks == 0) {
                let handler = self.resting(opline, stubs);
                self.copy.slice_mut()[opline as usize].handler = handler;
            }
        }
    }

    /// Counts so many jumps back from now on.
    pub(super) fn count(&mut self, turns: i32) {
        self.copy.set_counter(turns);
        self.watched = processor_time();
    }

    /// Has the unit stay as it is, what is counted or looked at left to the interpreter: code that leaves is better than
    /// none.
    pub(super) fn keep(&mut self, stubs: &Stubs) {
        let counting = [stubs.entry, stubs.arrival, stubs.back_edge, stubs.observe];
        let counting = counting.map(|handler| handler as usize);
        let code = Arc::clone(&self.code);
        for (index, op) in self.copy.slice_mut().iter_mut().enumerate() {
            if counting.contains(&(op.handler as usize)) {
                op.handler = original(&code, index as u32);
            }
        }
        self.exits.fill(i32::MAX);
    }

    /// Leaves all oplines to the interpreter.
    pub(super) fn interpret(&mut self) {
        let code = Arc::clone(&self.code);
        for (index, op) in self.copy.slice_mut().iter_mut().enumerate() {
            op.handler = original(&code, index as u32);
        }
    }
}
