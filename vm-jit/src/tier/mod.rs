//! When functions are compiled, and what becomes of their oplines.
//!
//! A function with a loop that may be worth it ([`worth`]), or that is found running, gets a [`copy::Copy`] of its
//! oplines. In it the handler words of the first opline and of loop headers lead to counting code. When the counter
//! has run out and it was seen what is executed, the function is compiled, and the words of the oplines where compiled code can be
//! entered lead there; all others are the interpreter's own.

mod compiling;
mod copy;
mod counters;
mod exits;
mod inlining;
mod maker;
mod settings;
mod stubs;
mod units;
mod worth;

use hashbrown::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use vm_runtime::class::Class;
use vm_runtime::frame::{Frame, call_info};
use vm_runtime::function::{Function, flags::CALL_VIA_TRAMPOLINE};
use vm_runtime::generated::Opcode;
use vm_runtime::limits;
use vm_runtime::op::{Handler, Op};
use vm_runtime::op_array::OpArray;
use vm_runtime::tier::Tier;
use vm_runtime::value::Zval;
use vm_runtime::vm::Vm;

pub use compiling::graph_of;
pub use settings::{Mode, register};

use crate::machine::frame::Unwinding;
use crate::machine::{Arena, Mapping, Stress};
use crate::translate::{self, Constants, Profile};
use copy::Copy;
pub use counters::{Clock, Stage};
use counters::{Counters, processor_time};
use inlining::inlined_calls;
use maker::{Beside, Maker};
use stubs::Stubs;
use units::Units;
use worth::{Promise, Spent, has_promising_loop};

/// How often a unit is compiled, then it stays as it is.
const MOST_COMPILATIONS: u32 = 4;
/// How often the guards of one opline may leave before the unit is compiled anew, in thresholds. Each
/// time it is compiled they may leave so many times more often.
const EXIT_GROWTH: i32 = 4;
/// What an exit costs, with going on in the interpreter and coming back.
const EXIT_NANOSECONDS: u128 = 80;
/// Graphs with more blocks are given up.
const MOST_BLOCKS: usize = 2_000;
/// What is known of units, and making code, counts for the script: where its limit leaves less than this, it is
/// interpreted.
const LEAST_ROOM: usize = 1 << 20;
/// Functions with more oplines are not looked at because they are called.
const MOST_OBSERVED: usize = 80;
/// Functions with more oplines are left to the interpreter.
const MOST_OPLINES: usize = 20_000;

/// A function that this tier watches or has compiled.
#[derive(Debug)]
struct Unit {
    code: Arc<OpArray>,
    /// The class to which the functions belong that run it: what runtime caches hold, holds for all of them.
    scope: *const Class,
    copy: Copy,
    profile: Profile,
    compilations: u32,
    /// For each opline of the compiled code, how often its guards may still leave.
    exits: Box<[i32]>,
    /// How often they might in the beginning.
    limit: i32,
    /// The same of code that was compiled earlier: frames may still run it.
    former_exits: Vec<Box<[i32]>>,
    /// Where code stands that was compiled for it, then and now, and how long it is.
    places: Vec<(usize, usize)>,
    /// What the compiled code is made of.
    parts: Vec<Inlined>,
    /// Oplines at which executions are counted: the entry, then headers of loops.
    counted: Box<[u32]>,
    /// Those of them where nothing begins that is worth compiling.
    dull: Vec<u32>,
    /// Loops: their first and last oplines.
    loops: Box<[(u32, u32)]>,
    /// What is executed is looked at, so many times more for each opline.
    observing: Option<Box<[u8]>>,
    /// All of it has been looked at for a second time.
    is_looked_at_again: bool,
    /// It is looked at because guards left too often, and will be compiled anew.
    relearns: bool,
    /// How many calls it is away from what is hot, when it is looked at for that.
    depth: u32,
    /// How often it is not compiled yet although it is hot.
    patience: u32,
    /// How often it was looked at again because it did not seem to be worth compiling.
    doubts: u32,
    /// Whether it gains much by being compiled, once that is known.
    gains: Option<bool>,
    /// What it promises, as far as is known.
    promise: Promise,
    /// The counted opline that was looked at for that.
    judged: u32,
    /// For how long it was to be interpreted so far.
    waited: Duration,
    /// It was seen how much of the time it takes.
    is_probed: bool,
    /// Nothing is counted until it has been found running for so long.
    sleeps_until: Option<Duration>,
    /// Since when it is known to be executed often, and for how long it was found running, until it is compiled.
    since: Duration,
    interpreted: Duration,
    /// How often compiling would have taken too long.
    refusals: u32,
    /// Since when is counted what it executes, or its exits.
    watched: Duration,
    /// The per cent of its time that compiling it saves.
    saved: u32,
    /// What there is to do to compile it, with what is inlined.
    work: u32,
    /// What compiling it took the last time, or is likely to take.
    cost: Duration,
    /// What it takes at least, because less was not enough.
    least_cost: Duration,
    /// Its code is being made.
    is_ordered: bool,
}

/// A function whose oplines are part of a unit.
#[derive(Clone, Copy, Debug)]
struct Inlined {
    /// The number of its first opline.
    first: u32,
    /// Its own unit.
    unit: u32,
    /// How many frames its own is away from that of the unit.
    depth: u32,
}

/// Functions with a long loop and no more oplines take no time to speak of: they are looked at after so many turns, and
/// do not wait for more.
const TINY: usize = 32;
const SOON: i32 = 48;

/// Which oplines are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Looked {
    /// Those that were not seen yet.
    New,
    All,
}

fn is_tiny(code: &OpArray) -> bool {
    code.len() <= TINY
}

/// Looking at a function takes one part in so many of compiling it.
const LOOKING: u32 = 8;
/// How often an opline is looked at, if it shows something new each time, and what was looked at before.
const LOOKS: u8 = 3;
const MORE_LOOKS: u8 = 24;
/// What takes so long to compile is looked at again before.
const DEAR: Duration = Duration::from_micros(500);
/// Entries and jumps back while a function is looked at.
const OBSERVED: i32 = 40;
/// Entries and jumps back before the next decision when a function is found running for long enough.
const AWAKE: i32 = 40;
/// How often that is done again because something has only been seen begin.
const PATIENCE: u32 = 16;
/// How often a function is looked at again before it is left alone, each time for so many times longer.
const MOST_DOUBTS: u32 = 3;
const DOUBT_GROWTH: i32 = 8;

impl Unit {
    /// The part of the compiled code that an opline belongs to.
    fn part_of(&self, opline: u32) -> Inlined {
        let part = self.parts.partition_point(|part| part.first <= opline);
        self.parts[part - 1]
    }

    /// The unit of an opline's function, and its number there.
    fn local(&self, opline: u32) -> (u32, u32) {
        let part = self.part_of(opline);
        (part.unit, opline - part.first)
    }

    /// How often the guards of an opline may leave from now on: where the time counts, until that has taken about as
    /// long as compiling anew will.
    fn new_limit(&self, threshold: i32, is_bounded: bool) -> i32 {
        let growth = EXIT_GROWTH.pow(self.compilations.clamp(1, MOST_COMPILATIONS) - 1);
        let least = threshold.max(1).saturating_mul(growth);
        match is_bounded {
            true => least.max((self.cost.as_nanos() / EXIT_NANOSECONDS) as i32),
            false => least,
        }
    }

    /// Whether a loop around an opline has not come round while somebody looked, or a call was prepared and not made
    /// yet.
    fn is_half_seen(&self, opline: u32) -> bool {
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
    fn looks_again(&mut self, opline: u32, threshold: i32) -> bool {
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
    fn leave_alone(&mut self, opline: u32, stubs: &Stubs) {
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
    fn resting(&self, opline: u32, stubs: &Stubs) -> Handler {
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
    fn sleep(&mut self, time: Duration, stubs: &Stubs) {
        self.sleeps_until = Some(self.interpreted + time);
        self.change_counted(stubs);
    }

    /// Counts again if it has been found running for long enough.
    fn wake(&mut self, stubs: &Stubs) {
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
    fn change_counted(&mut self, stubs: &Stubs) {
        for opline in self.counted.clone() {
            let looks = self.observing.as_ref().map(|looks| looks[opline as usize]);
            if looks.is_none_or(|looks| looks == 0) {
                let handler = self.resting(opline, stubs);
                self.copy.slice_mut()[opline as usize].handler = handler;
            }
        }
    }

    /// Counts so many jumps back from now on.
    fn count(&mut self, turns: i32) {
        self.copy.set_counter(turns);
        self.watched = processor_time();
    }

    /// Leaves all oplines to the interpreter.
    fn interpret(&mut self) {
        let code = Arc::clone(&self.code);
        for (index, op) in self.copy.slice_mut().iter_mut().enumerate() {
            op.handler = original(&code, index as u32);
        }
    }
}

/// The tier of a VM.
#[derive(Debug)]
pub struct Jit {
    vm: *mut Vm,
    mode: Mode,
    /// Made when the first function is prepared, when all settings are known.
    memory: Option<Memory>,
    /// There is no executable memory: everything is interpreted.
    is_given_up: bool,
    units: Units,
    by_code: HashMap<*const OpArray, u32>,
    counters: Counters,
    /// Values that compiled code knows.
    constants: Constants,
    /// What compiling has taken of the script's time.
    spent: Spent,
    /// The processor's time when the tier was made, and when it was last looked which function runs.
    start: Duration,
    sampled: Duration,
    /// At the end it is told where guards left. Known before: the settings go before the tier.
    tells_exits: bool,
}

#[derive(Debug)]
struct Memory {
    /// Taken back before the code goes.
    #[expect(dead_code, reason = "held for its drop")]
    unwinding: Unwinding,
    #[expect(dead_code, reason = "held for its drop")]
    mapping: Arc<Mapping>,
    /// What makes code: while the script waits, or on the thread.
    maker: Arc<Mutex<Maker>>,
    thread: Option<Beside>,
    /// The process that may write code: one that was forked shares the memory.
    process: u32,
    stubs: Stubs,
    threshold: i32,
    /// Per cent of the time that passes; none means no limit.
    budget: Option<u32>,
    /// What has guards leave for no reason, if that is wanted.
    stress: Option<Stress>,
}

impl Jit {
    /// The tier of `vm`, which owns it and does not move (I1).
    pub fn new(vm: *mut Vm, mode: Mode) -> Jit {
        Jit {
            vm,
            mode,
            memory: None,
            is_given_up: false,
            units: Units::default(),
            by_code: HashMap::new(),
            counters: Counters::default(),
            constants: Constants::default(),
            spent: Spent::default(),
            start: processor_time(),
            sampled: processor_time(),
            tells_exits: false,
        }
    }

    fn prepare_memory(&mut self) -> Option<&Memory> {
        if self.memory.is_none() && !self.is_given_up {
            // SAFETY: I1: the VM outlives its tier and is at its final place.
            let vm = unsafe { &*self.vm };
            self.counters.wanted = settings::wants_counters(vm);
            self.tells_exits = settings::wants_debug(vm, "exits");
            let (threshold, budget) = match self.mode {
                Mode::Eager => (0, None),
                Mode::Stress => (settings::threshold(vm), None),
                Mode::On | Mode::Off => (settings::threshold(vm), settings::budget(vm)),
            };
            let made = Arena::new(settings::buffer_size(vm)).and_then(|mut arena| {
                let stubs = Stubs::new(&mut arena, self.vm, hot, exhausted, observe)?;
                let mapping = arena.mapping();
                let (start, bytes) = mapping.range();
                Ok(Memory {
                    unwinding: Unwinding::register(start, bytes),
                    mapping,
                    maker: Arc::new(Mutex::new(Maker::new(arena, vm))),
                    thread: None,
                    process: std::process::id(),
                    stubs,
                    threshold,
                    budget,
                    stress: (self.mode == Mode::Stress).then(|| Stress::new(settings::seed(vm))),
                })
            });
            match made {
                Ok(memory) => self.memory = Some(memory),
                Err(error) => {
                    self.is_given_up = true;
                    self.counters.refused = Some(error);
                }
            }
        }
        self.memory.as_ref()
    }

    /// Lets the next executions of oplines be looked at, of those that were not seen yet or of all, until the function
    /// is hot again.
    fn observe(&mut self, number: u32, which: Looked) {
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
    fn look_again(&mut self, number: u32) {
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
    fn waits(&mut self, number: u32, opline: u32) -> bool {
        let rate = self.counters.instruction_rate();
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
        unit.cost = unit.least_cost.max(rate * unit.whole_work() / 2);
        let is_soon = promise == Promise::MuchSoon && is_tiny(&unit.code);
        if !is_soon && unit.is_to_wait(opline, memory.threshold, &memory.stubs) {
            return true;
        }
        // Looking at it takes its time as well.
        self.spent.add(promise, unit.cost / LOOKING);
        false
    }

    /// Whether enough was seen of what is around an opline that is hot.
    fn is_ready(&mut self, number: u32, opline: u32) -> bool {
        let rate = self.counters.instruction_rate();
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
        unit.cost = unit.least_cost.max(rate * unit.work);
        let gains = unit.gains_much(opline, &inlined);
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

    fn threshold(&self) -> i32 {
        self.memory.as_ref().map_or(0, |memory| memory.threshold)
    }

    /// The handler that stands in the word of an opline that is not compiled.
    fn resting(&self, number: u32, opline: u32) -> Handler {
        let unit = &self.units[number as usize];
        match &self.memory {
            Some(memory) => unit.resting(opline, &memory.stubs),
            None => original(&unit.code, opline),
        }
    }
}

/// The oplines of an op array.
fn oplines(code: &OpArray) -> &[Op] {
    // SAFETY: an op array begins with its oplines.
    unsafe { std::slice::from_raw_parts(code.ops(), code.len()) }
}

/// The interpreter's handler of an opline.
fn original(code: &OpArray, opline: u32) -> Handler {
    debug_assert!((opline as usize) < code.len());
    // SAFETY: the number is that of an opline of the op array.
    unsafe { (*code.ops().add(opline as usize)).handler }
}

impl Tier for Jit {
    fn prepare(&mut self, function: &mut Function) {
        let Some(code) = &function.code else { return };
        if function.ops != code.ops() || code.len() > MOST_OPLINES {
            return;
        }
        if let Some(&number) = self.by_code.get(&Arc::as_ptr(code)) {
            let unit = &self.units[number as usize];
            if unit.scope == function.scope {
                function.ops = unit.copy.ops();
            }
            return;
        }
        // What is not found running does not run long, unless it is a loop that gains.
        if self.is_limited() && self.samples() && !has_promising_loop(oplines(code)) {
            return;
        }
        let code = Arc::clone(code);
        if let Some(number) = self.watch(&code, function.scope) {
            function.ops = self.units[number as usize].copy.ops();
        }
    }

    unsafe fn sample(&mut self, frame: *mut Frame, opline: *const Op) -> *const Op {
        self.enter_made();
        // SAFETY: I4: the frame's function lives.
        let function = unsafe { &*(*frame).function };
        let Some(code) = &function.code else {
            return opline;
        };
        let key = Arc::as_ptr(code);
        let number = match self.by_code.get(&key) {
            Some(&number) => number,
            None => {
                if code.len() > MOST_OPLINES {
                    return opline;
                }
                let code = Arc::clone(code);
                match self.watch(&code, function.scope) {
                    Some(number) => number,
                    None => return opline,
                }
            }
        };
        let now = processor_time();
        let passed = now.saturating_sub(std::mem::replace(&mut self.sampled, now));
        let unit = &mut self.units[number as usize];
        unit.interpreted += passed;
        if unit.scope != function.scope {
            return opline;
        }
        if let Some(memory) = &self.memory {
            unit.wake(&memory.stubs);
        }
        // SAFETY: I4: the function is the VM's, which runs on this thread; other frames of it may go on
        // in the op array's own block.
        unsafe { (&raw mut (*(*frame).function.cast_mut()).ops).write(unit.copy.ops()) };
        match unit.code.find(opline) {
            Some(index) => unit.copy.ops().wrapping_add(index),
            None => opline,
        }
    }

    fn tell(&mut self) {
        if std::mem::take(&mut self.tells_exits) {
            self.print_exits();
        }
        self.counters.print();
        self.counters.wanted = false;
    }

    fn as_any(&mut self) -> &mut dyn std::any::Any {
        self
    }
}

impl Jit {
    /// Whether functions are only watched once they are found running.
    fn samples(&mut self) -> bool {
        self.go_beside();
        let memory = self.memory.as_ref();
        memory.is_some_and(|memory| memory.thread.is_some())
    }

    /// Makes the copy of a function's oplines in which it is counted. None if it is not worth that.
    fn watch(&mut self, code: &Arc<OpArray>, scope: *const Class) -> Option<u32> {
        let (entry, loops) = translate::counted_oplines(oplines(code));
        let is_main = code.draft.name.is_null();
        if loops.is_empty() && is_main && self.mode != Mode::Eager || !limits::fits(LEAST_ROOM) {
            return None;
        }
        self.forget_orphans();
        let number = self.units.next();
        self.prepare_memory()?;
        // From now on it is looked which function runs.
        self.go_beside();
        let memory = self.memory.as_ref()?;
        let code = Arc::clone(code);
        let (threshold, stubs) = (memory.threshold, memory.stubs);
        let soon = match !loops.is_empty() && is_tiny(&code) {
            true => threshold.min(SOON),
            false => threshold,
        };
        let mut copy = Copy::new(&code, number, soon);
        let ops = copy.slice_mut();
        if let Some(op) = ops.get_mut(entry as usize) {
            op.handler = stubs.entry;
        }
        for &(header, _) in &loops {
            ops[header as usize].handler = stubs.back_edge;
        }
        let headers = loops.iter().map(|&(header, _)| header);
        let counted = std::iter::once(entry).chain(headers.filter(|header| *header != entry));
        let counted = counted.collect();
        self.by_code.insert(Arc::as_ptr(&code), number);
        self.units.add(Unit {
            scope,
            exits: Box::default(),
            limit: 0,
            former_exits: Vec::new(),
            places: Vec::new(),
            parts: Vec::new(),
            code,
            copy,
            profile: Profile::default(),
            compilations: 0,
            counted,
            dull: Vec::new(),
            loops: loops.into(),
            observing: None,
            is_looked_at_again: false,
            relearns: false,
            depth: 0,
            patience: 0,
            doubts: 0,
            gains: None,
            promise: Promise::Some,
            judged: 0,
            waited: Duration::ZERO,
            is_probed: false,
            sleeps_until: None,
            since: Duration::ZERO,
            interpreted: Duration::ZERO,
            refusals: 0,
            watched: processor_time(),
            saved: 0,
            work: 0,
            cost: Duration::ZERO,
            least_cost: Duration::ZERO,
            is_ordered: false,
        });
        Some(number)
    }

    /// Notes what an opline calls that is about to be executed, and looks at that as well.
    ///
    /// # Safety
    /// The frame runs the opline, the one with this number in the unit (I4).
    unsafe fn observe_call(
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
        // Closures and what stands in for methods may go before the code does.
        if info & call_info::CLOSURE != 0 || called.flags & CALL_VIA_TRAMPOLINE != 0 {
            return;
        }
        let code = Arc::clone(code);
        let is_small = code.len() <= MOST_OBSERVED;
        self.units[number as usize]
            .profile
            .see_call(index, function, distance);
        let callee = match self.by_code.get(&Arc::as_ptr(&code)) {
            Some(&callee) => Some(callee),
            None if is_small => self.watch(&code, called.scope),
            None => None,
        };
        let Some(callee) = callee else { return };
        let unit = &self.units[callee as usize];
        if unit.scope != called.scope {
            return;
        }
        if called.ops == code.ops() {
            // SAFETY: I4: as in `sample`.
            unsafe { (&raw mut (*function.cast_mut()).ops).write(unit.copy.ops()) };
        }
        // What does not gain does not gain by being inlined, and what is far from the loop that is hot is not inlined.
        let is_light = || unit.may_gain_inlined() || !self.is_limited();
        let is_far = self.is_limited() && self.units[number as usize].depth >= 2;
        if is_small && !is_far && unit.compilations == 0 && unit.observing.is_none() && is_light() {
            self.units[callee as usize].depth = self.units[number as usize].depth + 1;
            self.observe(callee, Looked::New);
            let threshold = self.threshold();
            self.units[callee as usize].copy.set_counter(threshold);
        }
    }

    /// Prints for each unit which oplines' guards left since it was compiled, and how often.
    fn print_exits(&self) {
        for unit in self.units.iter() {
            let name = String::from_utf8_lossy(&unit.code.draft.display_name);
            eprintln!("; {name}: compiled {} times", unit.compilations);
            // Those that are not counted have a limit that is never reached.
            for (opline, left) in unit.exits.iter().enumerate() {
                if *left < unit.limit {
                    let (part, local) = unit.local(opline as u32);
                    let op = &self.units[part as usize].copy.slice()[local as usize];
                    let name = Opcode::from_number(op.opcode).map_or("", Opcode::name);
                    eprintln!(";   {opline:04} {name}: {} exits", unit.limit - *left);
                }
            }
        }
    }
}

impl Drop for Jit {
    fn drop(&mut self) {
        self.tell();
    }
}

/// The tier of the VM and the number of the unit that the frame runs.
///
/// # Safety
/// The VM is live and has a tier of this crate, and the frame runs one of its copies.
unsafe fn unit_of<'a>(frame: *const Frame, vm: *mut Vm) -> Option<(&'a mut Jit, u32)> {
    // SAFETY: by the caller; nobody else holds a reference to the tier while code runs.
    unsafe {
        let tier = (*vm).tier.as_mut()?;
        let jit = tier.as_any().downcast_mut::<Jit>()?;
        Some((jit, Copy::unit_of((*(*frame).function).ops)))
    }
}

/// Called when the counter of a function has run out.
unsafe extern "C" fn hot(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> Handler {
    // SAFETY: counting code runs in copies only, with their frame and VM.
    unsafe {
        if let Some((jit, number)) = unit_of(frame, vm) {
            let unit = &jit.units[number as usize];
            let index = opline.offset_from(unit.copy.ops()) as u32;
            if unit.is_ordered {
                let threshold = jit.threshold();
                jit.units[number as usize].copy.set_counter(threshold);
            } else if jit.mode != Mode::Eager && unit.observing.is_none() {
                if !jit.waits(number, index) {
                    jit.observe(number, Looked::New);
                }
            } else if jit.mode == Mode::Eager || jit.is_ready(number, index) {
                jit.compile(number, frame);
            }
        }
        (*opline).handler
    }
}

/// Called when an opline is about to be executed that is looked at.
unsafe extern "C" fn observe(frame: *mut Frame, opline: *const Op, vm: *mut Vm) -> Handler {
    // SAFETY: the handler stands in copies only, which are run with their frame and VM.
    unsafe {
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
    }
}

/// Called when the guards of an opline left too often, the one with this number in the code of a unit: it is
/// interpreted now.
unsafe extern "C" fn exhausted(
    frame: *mut Frame,
    opline: *const Op,
    vm: *mut Vm,
    unit: u64,
    number: u64,
) -> Handler {
    // SAFETY: compiled code leaves with an opline of the copy that its frame runs.
    unsafe {
        match unit_of(frame, vm) {
            Some((jit, running)) => {
                jit.exhausted((unit as u32, number as u32), frame, opline);
                let unit = &jit.units[running as usize];
                let index = opline.offset_from(unit.copy.ops()) as u32;
                original(&unit.code, index)
            }
            None => (*opline).handler,
        }
    }
}
