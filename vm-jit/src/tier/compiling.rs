//! Units are compiled: translated where the script runs, made into code there or beside it, and entered.

use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use vm_runtime::frame::Frame;
use vm_runtime::generated::Opcode;
use vm_runtime::limits;
use vm_runtime::op::Handler;
use vm_runtime::value::{OBJECT, Zval};

use super::counters::{Clock, Stage, processor_time};
use super::inlining::with_inlined;
use super::maker::{Beside, Made, Maker, Order, Plan};
use super::worth::Promise;
use super::{Inlined, Jit, LEAST_ROOM, MOST_BLOCKS, Mode, original};
use crate::graph::Graph;
use crate::machine::{Placed, Stress, Surroundings};
use crate::passes;
use crate::translate::{self, Code, Constants, Refusal, Request};

/// For so many times half of what compiling it takes is interpreted what would take too long.
const POSTPONED: i32 = 6;

impl Jit {
    /// Compiles a unit for what the frame shows. Its handler words change in any case, so that
    /// nothing counts any more.
    pub(super) fn compile(&mut self, number: u32, frame: *const Frame) {
        let memory = self.memory.as_ref();
        let may_write = memory.is_some_and(|memory| memory.process == std::process::id());
        if !may_write || !limits::fits(LEAST_ROOM) {
            let unit = &mut self.units[number as usize];
            unit.observing = None;
            unit.relearns = false;
            return unit.interpret();
        }
        let unit = &mut self.units[number as usize];
        // SAFETY: the frame runs this function (I4).
        let (cache, this) = unsafe {
            unit.profile.see_frame(frame, unit.code.slots());
            ((*frame).run_time_cache, (*frame).this.kind())
        };
        let has_this = translate::has_this(&unit.code.draft);
        debug_assert!(has_this.is_none_or(|has| has == (this == OBJECT)));
        let mut clock = Clock::start();
        let order = self.order(number, cache, &mut clock);
        // Where time does not count, what is too large stays so.
        if let Err(Refusal::TooLarge) = order
            && self.time_for(number).is_some()
        {
            self.counters.add(&clock);
            let promise = self.units[number as usize].promise;
            self.spent.add(promise, clock.time());
            return self.postpone(number);
        }
        let unit = &mut self.units[number as usize];
        unit.compilations += 1;
        unit.interpreted = Duration::ZERO;
        unit.observing = None;
        unit.relearns = false;
        unit.profile.note_compiled();
        // Code that was made before serves until the new one is there.
        if unit.compilations == 1 {
            unit.interpret();
        }
        let Ok((plan, graph, surroundings)) = order else {
            self.counters.refusals += 1;
            if let Some(memory) = &self.memory {
                unit.keep(&memory.stubs);
            }
            return;
        };
        let order = Order {
            plan,
            graph,
            surroundings,
            clock,
        };
        self.spent.add(unit.promise, order.clock.time());
        unit.cost = order.clock.time();
        unit.invested += unit.cost;
        let is_quick = unit.promise >= Promise::MuchSoon;
        let mut order = Some(order);
        let made = self
            .maker_at_hand(is_quick)
            .and_then(|mut maker| order.take().map(|order| maker.make(order)));
        if let Some(made) = made {
            return self.enter(made);
        }
        self.go_beside();
        let memory = self.memory.as_ref();
        let thread = memory.and_then(|memory| memory.thread.as_ref());
        let ordered = thread.zip(order).map(|(thread, order)| thread.order(order));
        self.units[number as usize].is_ordered = ordered == Some(true);
    }

    /// What makes code while the script waits, if that is wanted: if time does not count, or what takes no time to
    /// speak of gains much and nothing else is being made.
    fn maker_at_hand(&self, is_quick: bool) -> Option<MutexGuard<'_, Maker>> {
        let memory = self.memory.as_ref()?;
        match memory.budget {
            Some(_) if is_quick => memory.maker.try_lock().ok(),
            Some(_) => None,
            None => memory.maker.lock().ok(),
        }
    }

    /// Leaves a unit that takes longer to compile than there is time for to the interpreter, until it has run for
    /// longer still.
    fn postpone(&mut self, number: u32) {
        let threshold = self.threshold();
        let unit = &mut self.units[number as usize];
        unit.least_cost = unit.most_cost();
        unit.cost = unit.least_cost;
        unit.refusals += 1;
        let turns = unit.turns(unit.counted[0]).saturating_mul(POSTPONED);
        unit.copy.set_counter(turns.max(threshold));
        if unit.compilations > 0 {
            unit.limit = unit.new_limit(threshold, true);
            unit.exits.fill(unit.limit);
            unit.watched = processor_time();
        }
    }

    /// Enters code that was made beside the script.
    pub(super) fn enter_made(&mut self) {
        while let Some(thread) = self
            .memory
            .as_ref()
            .and_then(|memory| memory.thread.as_ref())
            && let Some(made) = thread.next()
        {
            // The graph was this thread's, and the entries are from now on.
            limits::take_over(made.memory);
            self.enter(made);
        }
    }

    /// Lets code be made beside the script from now on, if time counts.
    pub(super) fn go_beside(&mut self) {
        // SAFETY: I1: the VM outlives its tier.
        let word = Arc::clone(unsafe { &(*self.vm).interrupt });
        let Some(memory) = &mut self.memory else {
            return;
        };
        if memory.budget.is_some() && memory.thread.is_none() {
            memory.thread = Some(Beside::start(Arc::clone(&memory.maker), word));
        }
    }

    /// Points a unit's handler words at its new code.
    fn enter(&mut self, made: Made) {
        let number = made.unit;
        let cost = made.clock.time();
        self.counters.bytes += made.bytes;
        let unit = &mut self.units[number as usize];
        let more = cost.saturating_sub(unit.cost);
        self.spent.add(unit.promise, more);
        unit.invested += more;
        unit.cost = cost;
        unit.is_ordered = false;
        unit.observing = None;
        let Some(entries) = made.entries else {
            self.counters.add(&made.clock);
            self.counters.refusals += 1;
            if let Some(memory) = &self.memory {
                unit.keep(&memory.stubs);
            }
            return;
        };
        unit.interpret();
        unit.places.push((made.start, made.bytes));
        self.counters.oplines += made.plan.exits.len();
        self.counters.inlined += made.plan.parts.len() - 1;
        self.counters
            .add_unit(&made.clock, made.plan.work, made.plan.blocks);
        let former = std::mem::replace(&mut unit.exits, made.plan.exits);
        unit.former_exits.push(former);
        unit.parts = made.plan.parts;
        // What was not seen may become hot yet.
        for counted in unit.counted.clone() {
            if self.units[number as usize].profile.is_unseen(counted) {
                let handler = self.resting(number, counted);
                let ops = self.units[number as usize].copy.slice_mut();
                ops[counted as usize].handler = handler;
            }
        }
        let (threshold, is_bounded) = (self.threshold(), self.is_bounded());
        let unit = &mut self.units[number as usize];
        unit.copy.set_counter(threshold);
        for (opline, address) in entries {
            // SAFETY: an entry of compiled code has the signature of handlers.
            let handler = unsafe { std::mem::transmute::<usize, Handler>(address) };
            unit.copy.slice_mut()[opline as usize].handler = handler;
        }
        unit.limit = unit.new_limit(threshold, is_bounded);
        unit.watched = processor_time();
        unit.exits.fill(unit.limit);
        // Who leaves where the function ends anyway loses nothing.
        for (opline, op) in unit.copy.slice().iter().enumerate() {
            let opcode = Opcode::from_number(op.opcode);
            let is_end = opcode.is_some_and(|opcode| opcode.facts().effects.terminal);
            if is_end && unit.profile.is_compiled(opline as u32) {
                unit.exits[opline] = i32::MAX;
            }
        }
    }

    /// Translates a unit.
    fn order(
        &mut self,
        number: u32,
        cache: *const u8,
        clock: &mut Clock,
    ) -> Result<(Plan, Graph, Surroundings), Refusal> {
        let (code, members) = with_inlined(&self.units, &self.by_code, number, cache);
        let graph = translation(
            &code,
            (self.vm as u64, &self.constants),
            self.mode,
            (self.units[number as usize].passed, self.most_blocks(number)),
        );
        clock.end(Stage::Translate);
        let graph = graph?;
        let memory = self.memory.as_ref().ok_or(Refusal::Nothing)?;
        let exits: Box<[i32]> = vec![0; code.len() as usize].into();
        let bodies = code.placed().map(|(first, ops, frame)| Placed {
            first,
            ops: ops as u64,
            frame: frame as i32 * size_of::<Zval>() as i32,
        });
        let handlers = (0..code.len()).map(|opline| {
            let (part, opline) = code.local(opline);
            let unit = &self.units[members[part] as usize];
            original(&unit.code, opline) as usize as u64
        });
        let surroundings = Surroundings {
            vm: self.vm as u64,
            // SAFETY: I1: the VM is live.
            interrupt: Arc::as_ptr(unsafe { &(*self.vm).interrupt }) as u64,
            bodies: bodies.collect(),
            handlers: handlers.collect(),
            unit: number,
            counters: exits.as_ptr() as u64,
            exhausted: memory.stubs.exhausted as usize as u64,
            follow: memory.stubs.follow,
            reach: memory.stubs.reach,
            stress: memory.stress.as_ref().map(Stress::of_code),
        };
        let parts = code.placed().zip(&members).enumerate();
        let parts = parts.map(|(part, ((first, ..), unit))| {
            let callers = std::iter::successors(code.caller(part), |caller| code.caller(*caller));
            let (unit, depth) = (*unit, callers.count() as u32);
            Inlined { first, unit, depth }
        });
        let name = &self.units[number as usize].code.draft.display_name;
        let plan = Plan {
            parts: parts.collect(),
            work: members
                .iter()
                .map(|unit| self.units[*unit as usize].work())
                .sum(),
            expected: self.units[number as usize].cost,
            blocks: graph.blocks.len(),
            exits,
            name: String::from_utf8_lossy(name).into_owned(),
            promise: self.units[number as usize].promise,
        };
        clock.end(Stage::Translate);
        Ok((plan, graph, surroundings))
    }
}

fn translation(
    code: &Code<'_>,
    (vm, constants): (u64, &Constants),
    mode: Mode,
    (first, most_blocks): (u32, usize),
) -> Result<Graph, Refusal> {
    translate::translate(&Request {
        code,
        vm,
        constants,
        first,
        most_blocks,
        least_run: match mode {
            Mode::Eager => 1,
            Mode::On | Mode::Off | Mode::Stress => 3,
        },
    })
}

/// The optimised graph of a function. None if there is nothing worth compiling.
pub fn graph_of(code: &Code<'_>, vm: u64, mode: Mode) -> Option<Graph> {
    let constants = Constants::default();
    let mut graph = translation(code, (vm, &constants), mode, (0, MOST_BLOCKS)).ok()?;
    passes::optimise(&mut graph, |_, _| {});
    Some(graph)
}
