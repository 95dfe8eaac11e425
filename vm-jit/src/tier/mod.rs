//! When functions are compiled, and what becomes of their oplines.
//!
//! A function with a loop that may be worth it ([`worth`]), or that is found running, gets a [`copy::Copy`] of its
//! oplines. In it the handler words of the first opline and of loop headers lead to counting code. When the counter
//! has run out and it was seen what is executed, the function is compiled, and the words of the oplines where compiled code can be
//! entered lead there; all others are the interpreter's own.

mod carried;
mod compiling;
mod copy;
mod counters;
mod exits;
mod inlining;
mod looking;
mod maker;
mod perf_map;
mod settings;
mod stubs;
mod unit;
mod units;
mod worth;

use hashbrown::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use vm_runtime::class::Class;
use vm_runtime::frame::Frame;
use vm_runtime::function::Function;
use vm_runtime::generated::Opcode;
use vm_runtime::interpreter::kept_code::is_marked;
use vm_runtime::limits;
use vm_runtime::op::{Handler, Op};
use vm_runtime::op_array::OpArray;
use vm_runtime::tier::Tier;
use vm_runtime::vm::Vm;

pub use compiling::graph_of;
pub use settings::{Mode, register};

use crate::machine::frame::Unwinding;
use crate::machine::{Arena, Mapping, Stress};
use crate::translate::{self, Constants};
use carried::carrying;
use copy::Copy;
pub use counters::{Clock, Stage};
use counters::{Counters, processor_time};
use looking::{Looked, SOON, is_tiny, observe};
use maker::{Beside, Maker};
use stubs::Stubs;
use unit::{Inlined, Unit};
use units::Units;
use worth::{Spent, has_promising_loop, may_recur};

/// How often a unit is compiled, then it stays as it is: each time more of it has been seen, and leaving must have taken
/// as long as that takes.
const MOST_COMPILATIONS: u32 = 24;
/// The time that it is compiled for all that may happen where guards left, and the time that it is for what was not
/// seen as well: what was seen has not been all before.
const WEAK_COMPILATION: u32 = 4;
const COMPLETE_COMPILATION: u32 = 8;
/// Graphs with more blocks are given up.
const MOST_BLOCKS: usize = 2_000;
/// What is known of units, and making code, counts for the script: where its limit leaves less than this, it is
/// interpreted.
const LEAST_ROOM: usize = 1 << 20;
/// Functions with more oplines are left to the interpreter.
const MOST_OPLINES: usize = 20_000;

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
        // What is not found running does not run long, unless it is a loop that gains, or a recursion.
        let may_run_long = || has_promising_loop(oplines(code)) || may_recur(code);
        if self.is_limited() && self.samples() && !may_run_long() {
            return;
        }
        let code = Arc::clone(code);
        if let Some(number) = self.watch(&code, function.scope, is_marked(function)) {
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
                match self.watch(&code, function.scope, is_marked(function)) {
                    Some(number) => number,
                    None => return opline,
                }
            }
        };
        let now = processor_time();
        let passed = now.saturating_sub(std::mem::replace(&mut self.sampled, now));
        if !self.units[number as usize].is_timed_by_counting() {
            self.found_running(number, passed);
        }
        let unit = &mut self.units[number as usize];
        if unit.scope != function.scope {
            return opline;
        }
        if let Some(memory) = &self.memory {
            unit.wake(&memory.stubs);
        }
        // SAFETY: I4: the function is the VM's, which runs on this thread.
        unsafe { unit.take_over((*frame).function) };
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
    fn watch(&mut self, code: &Arc<OpArray>, scope: *const Class, runs_again: bool) -> Option<u32> {
        let (entry, loops) = translate::counted_oplines(oplines(code));
        let runs_once = code.draft.name.is_null() && !runs_again;
        if loops.is_empty() && runs_once && self.mode != Mode::Eager || !limits::fits(LEAST_ROOM) {
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
        self.by_code.insert(Arc::as_ptr(&code), number);
        self.units
            .add(Unit::new(code, scope, copy, (entry, loops), runs_once));
        Some(number)
    }

    /// Prints for each unit which oplines' guards left since it was compiled, and how often.
    fn print_exits(&self) {
        for unit in self.units.iter() {
            let name = String::from_utf8_lossy(&unit.code.draft.display_name);
            crate::telling::tell!("; {name}: compiled {} times", unit.compilations);
            for (opline, left) in unit.exits.iter().enumerate() {
                // Those that nothing is done about have a limit that is never reached.
                let limit = match *left <= unit.limit {
                    true => unit.limit,
                    false => i32::MAX,
                };
                if *left < limit {
                    let (part, local) = unit.local(opline as u32);
                    let op = &self.units[part as usize].copy.slice()[local as usize];
                    let name = Opcode::from_number(op.opcode).map_or("", Opcode::name);
                    crate::telling::tell!(";   {opline:04} {name}: {} exits", limit - *left);
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
    carrying(|| unsafe {
        if let Some((jit, number)) = unit_of(frame, vm) {
            let unit = &mut jit.units[number as usize];
            let index = opline.offset_from(unit.copy.ops()) as u32;
            unit.pass(index);
            if unit.is_timed_by_counting() {
                let counted = unit.counted_time(index);
                jit.found_running(number, counted);
            }
            let unit = &mut jit.units[number as usize];
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
    })
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
    carrying(|| unsafe {
        match unit_of(frame, vm) {
            Some((jit, running)) => {
                jit.exhausted((unit as u32, number as u32), frame, opline);
                let unit = &jit.units[running as usize];
                let index = opline.offset_from(unit.copy.ops()) as u32;
                original(&unit.code, index)
            }
            None => (*opline).handler,
        }
    })
}
