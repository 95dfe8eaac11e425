//! What is worth compiling, how long it waits for that, and what that may take.

use std::time::Duration;

use vm_runtime::generated::Opcode;
use vm_runtime::op::Op;
use vm_runtime::op_array::OpArray;

use super::copy::ENTRY_WEIGHT;
use super::counters::processor_time;
use super::stubs::Stubs;
use super::unit::OBSERVED;
use super::{Jit, MOST_BLOCKS, Mode, Unit};
use crate::translate::{self, Gain, Profile};

/// The per cent of a loop's oplines that must gain by being compiled for it to be worth that, and of
/// those of a function without a hot loop.
const LIGHT_LOOP: u32 = 75;
const LIGHT_FUNCTION: u32 = 85;
/// So many per cent less may become that much without what is never executed.
const NEAR: u32 = 15;
/// The per cent of the time that compiling must save to be worth while whatever does not gain, and for a small loop
/// soon.
const MUCH_SAVED: u32 = 45;
const LEAST_SAVED: u32 = 15;
const SAVED_SOON: u32 = 65;
/// A loop that comes round so often for each entry of its function pays no more for entering and leaving compiled code;
/// what that takes, in tenths of a nanosecond.
const LONG: u32 = 16;
const ENTERING: u32 = 500;
/// A loop that comes round so often for each entry is likely to go on for as long as it has. For so many turns it is
/// waited to see that.
const LASTING: u32 = 400;
const SHOWING: i32 = 1000;
/// What is interpreted for longer before it is compiled, and takes no more than one part in so many of the time that
/// passes, is not counted until it has been.
const COUNTED: Duration = Duration::from_micros(100);
const SMALL_PART: u32 = 8;
/// What takes longer to compile is not compiled soon, but when it would have saved so many tenths of that.
const CHEAP: Duration = Duration::from_micros(600);
const SAVINGS_OF_DEAR: u32 = 8;
/// A function that gains much and has taken this part of the time since it is known is compiled when it would have
/// saved so many tenths of what that takes: nothing else is what the script waits for.
const LARGE_PART: u32 = 2;
const SAVINGS_OF_LARGE_PART: u32 = 10;
/// For so long is counted first, to see how much of the time it takes.
const PROBE: Duration = Duration::from_micros(20);
/// Oplines of a loop that is compiled soon, and of what is looked at soon.
const SMALL: u32 = 60;
/// Functions without a hot loop that have fewer oplines are left to their callers.
const LEAST_FUNCTION: u32 = 8;
/// Functions with so many oplines may be worth being parts of others even if little of them gains alone.
const MOST_OF_A_PART: usize = 20;
/// What takes so large parts of the time since it is known, and of all the time, dominates the script. If it gains
/// much, waiting for a share of the time would lose most of that.
const GOOD_PART: u32 = 8;
const SOME_PART: u32 = 32;
/// What may be spent in all if it is spent on what dominates: before anything is known of how long the script runs, and
/// one part in so many of the time that passes, for each per cent of the budget.
const FIRST_FOR_DOMINANT: Duration = Duration::from_millis(2);
const BUDGETS_FOR_DOMINANT: u32 = 30;
/// What dominates and would have saved so many times what compiling it takes is compiled, whatever was spent.
const TURNED_OUT: u32 = 3;
/// What would have saved so many times what compiling it takes is compiled, whatever it gains, once the script has run
/// for so long: of shorter ones too little is known, and too little left.
const PROVEN: u32 = 2;
const LONG_RUN: Duration = Duration::from_millis(50);
/// The share of the time that compiling may take grows by itself each time that a script has run for so long, up to so
/// many times: what has run for long is likely to go on.
const SETTLING: Duration = Duration::from_millis(250);
const SETTLED: u32 = 4;
/// A unit may take so many times what it is likely to take, and then it is postponed.
const SURPRISE: u32 = 4;
/// What there is to compile takes no less than this.
const LEAST_COST: Duration = Duration::from_micros(400);
/// Graphs of functions that are compiled at once may have so many times more blocks.
const EAGER_BLOCKS: usize = 10;
/// The budget that is none: whatever is hot is compiled.
const ALL_OF_IT: u32 = 100;

/// How much code promises to gain by being compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// Functions of the runtime do a part of the work.
    Some,
    /// Almost all of it gains.
    Much,
    /// The same, and it is a small loop.
    MuchSoon,
    /// It is a small loop that goes on for long, whatever it saves.
    Lasting,
}

impl Promise {
    fn of(estimate: Estimate, is_small_loop: bool, lasts: bool) -> Promise {
        match estimate.saved() {
            SAVED_SOON.. if is_small_loop => Promise::MuchSoon,
            LEAST_SAVED.. if is_small_loop && lasts => Promise::Lasting,
            MUCH_SAVED.. => Promise::Much,
            _ => Promise::Some,
        }
    }

    /// How many tenths of what compiling it takes it would have saved before it is compiled: what has saved much so
    /// far is likely to save as much again.
    fn savings(self) -> u32 {
        match self {
            Promise::Some => 60,
            Promise::Much => 40,
            Promise::MuchSoon => 3,
            Promise::Lasting => 8,
        }
    }

    /// What compiling code of this kind may take: before anything is known of how long the script runs, and in
    /// thousandths of the time that passes, for each per cent of the budget.
    fn share(self) -> (Duration, u32) {
        match self {
            Promise::Some => (Duration::ZERO, 2),
            Promise::Much => (Duration::from_micros(300), 5),
            Promise::MuchSoon | Promise::Lasting => (Duration::from_millis(3), 40),
        }
    }
}

/// What compiling has taken, for each kind of code.
#[derive(Debug, Default)]
pub struct Spent([Duration; 4]);

impl Spent {
    /// Adds what compiling code took.
    pub fn add(&mut self, promise: Promise, time: Duration) {
        self.0[promise as usize] += time;
    }

    /// Gives back what compiling code took that has saved as much since.
    fn give_back(&mut self, promise: Promise, time: Duration) {
        let spent = &mut self.0[promise as usize];
        *spent = spent.saturating_sub(time);
    }
}

/// Whether a function has a loop that may be worth compiling.
pub fn has_promising_loop(ops: &[Op]) -> bool {
    let (_, loops) = translate::counted_oplines(ops);
    loops
        .iter()
        .any(|&inside| Estimate::of(ops, inside, true, |_| false, |_| true).may_gain(true))
}

/// Whether a small function calls itself: then it may run long without a loop.
pub fn may_recur(code: &OpArray) -> bool {
    code.len() <= SMALL as usize && translate::calls_itself(code)
}

/// Whether an opline leaves the frame for a while: compiled code is left with it, and entered again behind it.
fn suspends(op: &Op) -> bool {
    matches!(
        Opcode::from_number(op.opcode),
        Some(Opcode::YIELD | Opcode::YIELD_FROM)
    )
}

/// The per cent of oplines that must gain. Entering and leaving compiled code takes time as well.
fn least_gain(is_loop: bool) -> u32 {
    match is_loop {
        true => LIGHT_LOOP,
        false => LIGHT_FUNCTION,
    }
}

/// What compiling oplines is likely to bring.
#[derive(Clone, Copy, Debug, Default)]
struct Estimate {
    /// Oplines, and how many of them gain.
    all: u32,
    gaining: u32,
    /// What executing each of them once takes, in tenths of a nanosecond: interpreted and compiled.
    interpreted: u32,
    compiled: u32,
}

impl Estimate {
    /// Of those oplines between two that `counts` names. Calls gain much if they are inlined.
    fn of(
        ops: &[Op],
        (first, last): (u32, u32),
        is_loop: bool,
        is_inlined: impl Fn(u32) -> bool,
        counts: impl Fn(u32) -> bool,
    ) -> Estimate {
        let mut estimate = Estimate::default();
        // Oplines up to this one are left out.
        let mut computed_until = 0;
        for number in (first..=last).filter(|&number| counts(number)) {
            let (op, next) = (&ops[number as usize], ops.get(number as usize + 1));
            let (gain, enters) = translate::gain(op, next);
            let is_inlined = enters && is_inlined(number);
            if gain == Gain::None && number >= computed_until {
                computed_until = translate::assigned_at(ops, number).unwrap_or(0);
            }
            let gain = if number < computed_until {
                Gain::Much
            } else {
                gain
            };
            let (gains, interpreted, compiled) = match gain {
                _ if suspends(op) => (false, 100, 160),
                _ if enters => (
                    is_loop || is_inlined,
                    150,
                    if is_inlined { 50 } else { 120 },
                ),
                Gain::Much => (true, 30, 7),
                Gain::Some => (is_loop, 60, 30),
                Gain::None => (false, 150, 140),
            };
            estimate.all += 1;
            estimate.gaining += u32::from(gains);
            estimate.interpreted += interpreted;
            estimate.compiled += compiled;
        }
        estimate
    }

    /// With what entering costs, if its turns are so few for each time.
    fn entered_for(mut self, turns: u32) -> Estimate {
        if turns < LONG {
            self.compiled += ENTERING / turns.max(1);
        }
        self
    }

    /// The per cent of the time that is saved.
    fn saved(self) -> u32 {
        let saved = self.interpreted.saturating_sub(self.compiled);
        (saved * 100).checked_div(self.interpreted).unwrap_or(0)
    }

    /// Whether enough oplines gain, or enough time is saved.
    fn gains(self, is_loop: bool) -> bool {
        self.gains_nearly(is_loop, 0)
    }

    /// Whether enough may gain: what is not far from that may do so without what is never executed.
    fn may_gain(self, is_loop: bool) -> bool {
        self.gains_nearly(is_loop, NEAR)
    }

    fn gains_nearly(self, is_loop: bool, less: u32) -> bool {
        let least = least_gain(is_loop) - less;
        let saved = self.saved();
        saved >= LEAST_SAVED && self.gaining * 100 >= self.all * least || saved >= MUCH_SAVED
    }
}

impl Unit {
    /// What there is to do to compile what was executed: instructions of the definition.
    pub(super) fn work(&self) -> u32 {
        let seen = |number: &u32| self.profile.is_seen(*number);
        self.work_of((self.passed..self.code.len() as u32).filter(seen))
    }

    /// The same for all of it.
    pub(super) fn whole_work(&self) -> u32 {
        self.work_of(self.passed..self.code.len() as u32)
    }

    fn work_of(&self, numbers: impl Iterator<Item = u32>) -> u32 {
        let ops = self.copy.slice();
        let sizes = numbers.map(|number| {
            let next = ops.get(number as usize + 1);
            translate::size(&ops[number as usize], next)
        });
        sizes.sum()
    }

    /// What there is likely to do for what is hot at an opline before anybody has looked: of a loop that goes on for
    /// long little else is executed meanwhile, and of what may be executed about half is.
    pub(super) fn first_work(&self, opline: u32) -> u32 {
        let half = self.whole_work() / 2;
        match self.around(opline) {
            Some((first, last)) if self.copy.turns_of_entry() >= LASTING => {
                self.work_of(first..last + 1).min(half)
            }
            _ => half,
        }
    }

    /// The outermost loop around an opline.
    pub(super) fn around(&self, opline: u32) -> Option<(u32, u32)> {
        let loops = self.loops.iter().copied();
        loops
            .filter(|(header, last)| (*header..=*last).contains(&opline))
            .min()
    }

    /// What compiling may take and not be a surprise; there is something to compile in any case.
    pub(super) fn most_cost(&self) -> Duration {
        SURPRISE * self.cost.max(LEAST_COST)
    }

    /// The loop that begins at an opline.
    pub(super) fn inside(&self, opline: u32) -> Option<(u32, u32)> {
        let mut loops = self.loops.iter();
        loops.find(|(header, _)| *header == opline).copied()
    }

    fn all_of_it(&self) -> (u32, u32) {
        (0, self.code.len() as u32 - 1)
    }

    /// How often the loop that begins at an opline, or else the function, is to come round before the
    /// interpreter has taken half as long for it as compiling will: what will be executed often has been.
    pub(super) fn turns(&self, opline: u32) -> i32 {
        self.turns_of(opline, self.cost / 2)
    }

    /// How often it is to come round before the interpreter has taken so long for it.
    fn turns_of(&self, opline: u32, time: Duration) -> i32 {
        let turn = self.turn(opline).as_nanos();
        (time.as_nanos() / turn).min(1 << 24) as i32
    }

    /// How long the interpreter takes for one turn.
    fn turn(&self, opline: u32) -> Duration {
        let is_observed = self.profile.is_observed();
        let counts = |profile: &Profile, number| !is_observed || profile.is_seen(number);
        let estimate = self.estimate(opline, &[], counts);
        Duration::from_nanos(u64::from(estimate.interpreted / 10).max(1))
    }

    /// Of the loop that begins at an opline, or else of the whole function.
    fn estimate(
        &self,
        opline: u32,
        inlined: &[(u32, u32)],
        counts: impl Fn(&Profile, u32) -> bool,
    ) -> Estimate {
        let inside = self.inside(opline);
        let estimate = Estimate::of(
            self.copy.slice(),
            inside.unwrap_or(self.all_of_it()),
            inside.is_some(),
            |number| inlined.iter().any(|(made, _)| *made == number),
            |number| counts(&self.profile, number),
        );
        match inside {
            Some(_) => estimate.entered_for(self.copy.turns_of_entry()),
            None => estimate,
        }
    }

    /// What the loop that begins at an opline, or else the whole function, promises before anybody has looked at what
    /// is executed, and the per cent of its time. None if it is not worth looking.
    pub(super) fn first_promise(&self, opline: u32) -> Option<(Promise, u32)> {
        let is_loop = self.inside(opline).is_some();
        let estimate = self.estimate(opline, &[], |_, _| true);
        // Looking at little takes no time.
        let is_long = is_loop && self.copy.turns_of_entry() >= LONG;
        let promise = || match estimate.all <= SMALL && is_long {
            true => Promise::MuchSoon,
            false => Promise::of(estimate, false, false),
        };
        let gains = self.is_proven || estimate.may_gain(is_loop);
        gains.then(|| (promise(), estimate.saved()))
    }

    /// Whether the function may be worth being a part of a loop around its call, which it is as a whole if it is small.
    pub(super) fn may_gain_inlined(&self) -> bool {
        if self.code.len() > MOST_OF_A_PART {
            return self.first_promise(self.counted[0]).is_some();
        }
        let (ops, all) = (self.copy.slice(), self.all_of_it());
        Estimate::of(ops, all, true, |_| true, |_| true).may_gain(true)
    }

    /// Whether compiled code is likely to be much faster than the interpreter in the loop that begins
    /// at an opline, or else in the whole function. Another loop that is hot may promise more than the last one.
    ///
    /// `inlined` are the calls that become part of it, with their units: others take their time.
    pub(super) fn gains_much(&mut self, opline: u32, inlined: &[(u32, u32)]) -> bool {
        if let Some(known) = self.gains
            && (self.judged == opline || self.promise > Promise::Some)
        {
            return known;
        }
        let is_loop = self.inside(opline).is_some();
        let estimate = self.estimate(opline, inlined, Profile::is_seen);
        let is_worth_entering = is_loop || estimate.all >= LEAST_FUNCTION;
        let turns = self.copy.turns_of_entry();
        // All of it is compiled that was seen.
        let is_small = self.executed() <= 2 * SMALL as usize && estimate.all <= SMALL;
        let is_small_loop = is_loop && turns >= LONG && is_small;
        let lasts = is_small_loop && turns >= LASTING;
        let gains = estimate.gains(is_loop) || lasts && estimate.saved() >= LEAST_SAVED;
        let gains = self.is_proven || is_worth_entering && gains;
        if self.gains == Some(true) && !gains {
            return true;
        }
        self.promise = Promise::of(estimate, is_small_loop, lasts);
        self.may_last = is_small_loop && !lasts && estimate.saved() >= LEAST_SAVED;
        self.saved = estimate.saved();
        self.gains = Some(gains);
        self.judged = opline;
        gains
    }

    /// Waits, once, for a small loop that is not compiled soon to show whether it goes on for long.
    pub(super) fn is_to_last(&mut self) -> bool {
        let waits = self.may_last
            && !self.is_proven
            && self.promise < Promise::MuchSoon
            && !self.was_to_last;
        if waits {
            self.was_to_last = true;
            self.gains = None;
            self.count(SHOWING);
        }
        waits
    }

    /// Whether a good part of the time has gone by in it since it is known, and some part of all the time.
    fn dominates(&self, now: Duration, passed: Duration) -> bool {
        self.has_taken(GOOD_PART, now) && self.interpreted >= passed / SOME_PART
    }

    /// Whether one part in so many of the time has gone by in it since it is known.
    fn has_taken(&self, part: u32, now: Duration) -> bool {
        self.interpreted * part >= now.saturating_sub(self.since)
    }

    /// Waits until the loop that begins at an opline, or else the function, has been interpreted for as long as what
    /// it promises asks for. False if it has been.
    pub(super) fn is_to_wait(&mut self, opline: u32, threshold: i32, stubs: &Stubs) -> bool {
        if self.is_proven {
            return false;
        }
        if !self.is_probed {
            self.is_probed = true;
            self.count_for(opline, PROBE, threshold);
            return true;
        }
        let savings = match self.promise {
            Promise::MuchSoon if self.cost > CHEAP => SAVINGS_OF_DEAR,
            Promise::Much if self.has_taken(LARGE_PART, processor_time()) => SAVINGS_OF_LARGE_PART,
            promise => promise.savings(),
        };
        let all = self.cost * savings * 10 / self.saved.max(LEAST_SAVED);
        let left = all.saturating_sub(self.waited.max(self.interpreted));
        if left.is_zero() {
            return false;
        }
        self.waited = all;
        self.rest(opline, left, threshold, stubs);
        true
    }

    /// Whether the loop that begins at an opline, or else the function, has taken a good part of the time since that is
    /// counted.
    fn dominates_now(&self, opline: u32) -> bool {
        let passed = processor_time().saturating_sub(self.watched);
        self.counted_time(opline) * SMALL_PART >= passed
    }

    /// How long the loop that begins at an opline, or else the function, has been interpreted since it is counted.
    pub(super) fn counted_time(&self, opline: u32) -> Duration {
        let turns = match self.inside(opline) {
            Some(_) => self.copy.counted_since_set(),
            None => self.copy.counted_since_set() / ENTRY_WEIGHT as u32,
        };
        self.turn(opline) * turns
    }

    /// Whether how long it is interpreted is known from what is counted. A recursion is hot at its first call, long
    /// before samples tell.
    pub(super) fn is_timed_by_counting(&self) -> bool {
        let is_counted = self.sleeps_until.is_none() && self.dull.is_empty();
        self.recurs && self.compilations == 0 && is_counted && self.gains != Some(false)
    }

    /// Counts until the loop that begins at an opline, or else the function, has been interpreted for some time.
    fn count_for(&mut self, opline: u32, time: Duration, least: i32) {
        let turns = self.turns_of(opline, time);
        self.count(turns.max(least));
    }

    /// As [`Unit::count_for`], or without counting if it takes no good part of the time now. That is not asked of a
    /// recursion while it is looked at, which most of the time goes by with.
    fn rest(&mut self, opline: u32, time: Duration, least: i32, stubs: &Stubs) {
        let is_slowed = self.observing.is_some() && self.recurs;
        let may_sleep = self.compilations == 0 && !is_slowed && time > COUNTED;
        match may_sleep && !self.dominates_now(opline) {
            true => self.sleep(time, stubs),
            false => self.count_for(opline, time, least),
        }
    }
}

impl Jit {
    /// Whether only what gains by it is compiled, in its share of the time.
    pub(super) fn is_limited(&self) -> bool {
        let budget = self.memory.as_ref().and_then(|memory| memory.budget);
        budget.is_some_and(|budget| budget < ALL_OF_IT)
    }

    /// Whether compiling may only take its share of the time.
    pub(super) fn is_bounded(&self) -> bool {
        let memory = self.memory.as_ref();
        memory.is_some_and(|memory| memory.budget.is_some())
    }

    /// Whether compiling has not taken too much of the time yet to compile a unit as well.
    pub(super) fn may_compile(&self, number: u32) -> bool {
        let left = self.time_for(number);
        left.is_none_or(|left| self.units[number as usize].cost <= left)
    }

    /// What may be spent on a unit now. None means that there is no limit.
    pub(super) fn time_for(&self, number: u32) -> Option<Duration> {
        let budget = self.memory.as_ref()?.budget?;
        if budget >= ALL_OF_IT {
            return None;
        }
        let now = processor_time();
        let passed = now.saturating_sub(self.start);
        let unit = &self.units[number as usize];
        let promise = unit.promise;
        let (first, thousandths) = promise.share();
        let settled = (passed.as_nanos() / SETTLING.as_nanos()) as u32;
        let share = budget * thousandths * (1 + settled).min(SETTLED);
        let all = first + passed * share / 1000;
        let left = all.saturating_sub(self.spent.0[promise as usize]);
        if unit.is_proven {
            return Some(left.max(unit.most_cost()));
        }
        if !unit.dominates(now, passed) {
            return Some(left);
        }
        let all = FIRST_FOR_DOMINANT + passed * budget / BUDGETS_FOR_DOMINANT;
        let left = match promise {
            Promise::Some => left,
            _ => left.max(all.saturating_sub(self.spent.0.iter().sum())),
        };
        // What has taken so long is likely to take as long again.
        match unit.interpreted * unit.saved / 100 >= unit.cost * TURNED_OUT {
            true => Some(left.max(unit.most_cost())),
            false => Some(left),
        }
    }

    /// Notes that a unit was found running for some time. What compiling a loop or a recursion took may be spent again
    /// once it has been saved: of other functions less is certain.
    pub(super) fn found_running(&mut self, number: u32, time: Duration) {
        let unit = &mut self.units[number as usize];
        unit.interpreted += time;
        let left = 100 - unit.saved.min(99);
        let is_sure = unit.promise >= Promise::MuchSoon || unit.recurs;
        let is_sure = is_sure && !unit.invested.is_zero();
        if is_sure && unit.interpreted * unit.saved >= unit.invested * left {
            let invested = std::mem::take(&mut unit.invested);
            self.spent.give_back(unit.promise, invested);
        }
        self.prove(number);
    }

    /// Has a unit compiled that was found running for so long that this pays although it does not save much: no share of
    /// the time would be large enough for all that takes a little of it.
    fn prove(&mut self, number: u32) {
        let is_limited = self.is_limited();
        let Some(memory) = &self.memory else { return };
        let unit = &mut self.units[number as usize];
        if !is_limited || unit.is_proven || unit.compilations > 0 || unit.is_ordered {
            return;
        }
        let likely = self.counters.likely_cost(unit.whole_work() / 2);
        let cost = unit.cost.max(likely);
        let saved = unit.saved.max(LEAST_SAVED);
        let passed = self.sampled.saturating_sub(self.start);
        if passed >= LONG_RUN && unit.interpreted * saved / 100 >= cost * PROVEN {
            unit.is_proven = true;
            unit.dull.clear();
            unit.gains = None;
            unit.sleeps_until = None;
            unit.change_counted(&memory.stubs);
            unit.count(OBSERVED);
        }
    }

    /// Leaves a unit that there is no time for to the interpreter for a while, each time for longer; if it gains much,
    /// until it may have taken some part of all the time.
    pub(super) fn refuse(&mut self, number: u32, opline: u32) {
        let Some(memory) = &self.memory else { return };
        let threshold = memory.threshold;
        let passed = processor_time().saturating_sub(self.start);
        let unit = &mut self.units[number as usize];
        unit.refusals += 1;
        let turns = threshold.saturating_mul(8 << unit.refusals.min(8));
        let mut time = unit.turn(opline) * turns as u32;
        let mut least = threshold << unit.refusals.min(8);
        if unit.promise > Promise::Some {
            let enough = unit.cost * TURNED_OUT * 100 / unit.saved.max(1);
            let enough = enough.max(passed / SOME_PART);
            let left = enough.saturating_sub(unit.interpreted);
            // What has taken enough and is refused all the same waits as others do.
            if !left.is_zero() && left < time {
                (time, least) = (left, threshold);
            }
        }
        unit.rest(opline, time, least, &memory.stubs);
    }

    /// How many blocks the graph of a unit may have: as many as are compiled in the time that there is for it, or if
    /// it is not far more than was thought.
    pub(super) fn most_blocks(&self, number: u32) -> usize {
        let Some(left) = self.time_for(number) else {
            return match self.mode {
                Mode::Eager => EAGER_BLOCKS * MOST_BLOCKS,
                Mode::On | Mode::Off | Mode::Stress => MOST_BLOCKS,
            };
        };
        // What was begun is ended, if it is not far more than was thought.
        let time = left.max(self.units[number as usize].most_cost());
        let blocks = time.as_nanos() / self.counters.block_rate().as_nanos().max(1);
        (blocks as usize).min(MOST_BLOCKS)
    }
}
