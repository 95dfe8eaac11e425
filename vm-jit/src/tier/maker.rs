//! Graphs to machine code in memory: on the thread of the script, or on one beside it. Both use one maker, one
//! at a time.
//!
//! A graph holds all that was read of the VM, so making code looks at nothing that a script changes.

use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use vm_runtime::interpreter::state::interrupt;
use vm_runtime::limits;
use vm_runtime::vm::Vm;

use super::Inlined;
use super::counters::{Clock, Stage};
use super::perf_map::PerfMap;
use super::settings;
use super::worth::Promise;
use crate::graph::Graph;
use crate::machine::{self, Arena, Emitted, Surroundings, Workshop};
use crate::passes;

/// What becomes of a unit when its code is there.
#[derive(Debug)]
pub struct Plan {
    /// The functions that the code is made of.
    pub parts: Vec<Inlined>,
    /// What there was to do.
    pub work: u32,
    /// What it was likely to take.
    pub expected: Duration,
    /// How many blocks there were before they were optimised.
    pub blocks: usize,
    /// What the exits of each opline are counted in.
    pub exits: Box<[i32]>,
    /// The name of the function and what it promised, for debugging.
    pub name: String,
    pub promise: Promise,
}

/// Code to be made.
#[derive(Debug)]
pub struct Order {
    pub plan: Plan,
    pub graph: Graph,
    pub surroundings: Surroundings,
    /// What has been spent on it.
    pub clock: Clock,
}

/// Code that was made.
#[derive(Debug)]
pub struct Made {
    /// The number of the unit in its tier.
    pub unit: u32,
    pub plan: Plan,
    /// Where the oplines are entered. None if there is no code: the arena is full.
    pub entries: Option<Vec<(u32, usize)>>,
    /// Where it stands, and how long it is.
    pub start: usize,
    pub bytes: usize,
    /// What the thread that made it has allocated, less what it has freed.
    pub memory: isize,
    pub clock: Clock,
}

/// Makes code and places it.
#[derive(Debug)]
pub struct Maker {
    arena: Arena,
    workshop: Workshop,
    shows: Shows,
    /// Told of what was made, if that is wanted.
    perf_map: Option<PerfMap>,
}

/// What is printed of each unit.
#[derive(Debug, Clone, Copy)]
struct Shows {
    passes: bool,
    graph: bool,
    code: bool,
    units: bool,
}

impl Maker {
    /// What makes code in an arena, for a VM with these settings.
    pub fn new(arena: Arena, vm: &Vm) -> Maker {
        let shows = |what| settings::wants_debug(vm, what);
        let mut perf_map = match shows("perf").then(PerfMap::begin) {
            Some(Err(error)) => {
                crate::telling::tell!("opline.jit_debug=perf: {error}");
                None
            }
            Some(Ok(map)) => Some(map),
            None => None,
        };
        if let Some(map) = &mut perf_map {
            let start = arena.mapping().range().0 as usize;
            map.note(start, arena.next() as usize - start, "opline stubs");
        }
        Maker {
            arena,
            perf_map,
            workshop: Workshop::default(),
            shows: Shows {
                passes: shows("passes"),
                graph: shows("graph"),
                code: shows("code"),
                units: shows("units"),
            },
        }
    }

    /// Makes and places the code of a unit.
    pub fn make(&mut self, order: Order) -> Made {
        let memory = limits::thread_memory();
        let mut made = self.make_counted(order);
        made.memory = limits::thread_memory() - memory;
        made
    }

    fn make_counted(&mut self, order: Order) -> Made {
        let Order {
            plan,
            mut graph,
            surroundings,
            mut clock,
        } = order;
        clock.go_on();
        let emitted = self.emit(&mut graph, &surroundings, &mut clock);
        let placed = emitted.map(|(start, emitted)| {
            let start = start as usize;
            self.arena.write(start, &emitted.bytes);
            if let Some(map) = &mut self.perf_map {
                map.note(start, emitted.bytes.len(), &plan.name);
            }
            self.show(&plan, &graph, &emitted, start, &clock);
            (start, emitted)
        });
        let (start, bytes) = match &placed {
            Some((start, emitted)) => (*start, emitted.bytes.len()),
            None => (0, 0),
        };
        let entries = placed.map(|(start, emitted)| {
            let entries = emitted.entries.into_iter();
            let entries = entries.map(|(opline, offset)| (opline, start + offset));
            entries.collect()
        });
        Made {
            unit: surroundings.unit,
            plan,
            entries,
            start,
            bytes,
            memory: 0,
            clock,
        }
    }

    /// Optimises a graph and emits its code. A defect here, which would end the process because compiled code is not
    /// unwound from here, costs the unit its code; debug builds show it.
    fn emit(
        &mut self,
        graph: &mut Graph,
        surroundings: &Surroundings,
        clock: &mut Clock,
    ) -> Option<(u64, Emitted)> {
        let (workshop, arena) = (&mut self.workshop, &mut self.arena);
        let shows_passes = self.shows.passes;
        let mut work = || {
            passes::optimise(graph, |pass, graph| {
                if shows_passes {
                    crate::telling::tell!("; after {pass}\n{graph}");
                }
            });
            clock.end(Stage::Optimise);
            let likely = arena.next() as u64;
            let place = |bytes| arena.reserve(bytes).ok().map(|start| start as u64);
            machine::compile(graph, surroundings, workshop, clock, likely, place)
        };
        if cfg!(debug_assertions) {
            return work();
        }
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
            self.workshop = Workshop::default();
            None
        })
    }

    /// Takes back the place of code that is not executed any more.
    pub fn forget(&mut self, start: usize, bytes: usize) {
        self.arena.free(start, bytes);
    }

    fn show(&self, plan: &Plan, graph: &Graph, emitted: &Emitted, start: usize, clock: &Clock) {
        let name = &plan.name;
        if self.shows.graph {
            crate::telling::tell!("; {name}\n{graph}");
        }
        if self.shows.code {
            let text = crate::inspect::disassemble(emitted, start as u64);
            crate::telling::tell!("; {name} at {start:#x}\n{text}");
        }
        if self.shows.units {
            let blocks = graph.order();
            let instructions = blocks
                .iter()
                .map(|block| graph.at(*block).instructions.len());
            crate::telling::tell!(
                "; {name}: {:?}, {} oplines of {} functions, {} entries, {} blocks, {} instructions, {} bytes, {:.3} ms expected, {clock}",
                plan.promise,
                plan.exits.len(),
                plan.parts.len(),
                graph.entries.len(),
                blocks.len(),
                instructions.sum::<usize>(),
                emitted.bytes.len(),
                plan.expected.as_secs_f64() * 1000.0,
            );
        }
    }
}

/// How long a function runs between two looks: a part of the time that has passed, between these. Waking a thread takes
/// up to a tenth of a millisecond.
const LEAST_PERIOD: Duration = Duration::from_micros(1500);
const MOST_PERIOD: Duration = Duration::from_millis(10);
const PERIODS: u32 = 3;

/// A thread that makes code while the script goes on. When it has nothing to do it has the VM look at what
/// it runs, at the next jump or call: functions that do not run long cost nothing so.
///
/// In a process that was made as a copy of this one there is no such thread, and what it held when the process was
/// copied is held for ever: nothing is sent, received or closed there.
#[derive(Debug)]
pub struct Beside {
    orders: ManuallyDrop<Sender<Order>>,
    made: ManuallyDrop<Receiver<Made>>,
    /// The process whose thread it is.
    process: u32,
}

impl Beside {
    /// Starts; `word` is the VM's interrupt word. Without a thread nothing is ever hot.
    pub fn start(maker: Arc<Mutex<Maker>>, word: Arc<AtomicU32>) -> Beside {
        let (orders, ordered) = channel::<Order>();
        let (finished, made) = channel();
        let run = move || {
            let start = Instant::now();
            loop {
                let period = start.elapsed() / PERIODS;
                match ordered.recv_timeout(period.clamp(LEAST_PERIOD, MOST_PERIOD)) {
                    Ok(order) => {
                        // Making code leaves the maker whole wherever it ends.
                        let mut maker = maker.lock().unwrap_or_else(PoisonError::into_inner);
                        let made = maker.make(order);
                        drop(maker);
                        if finished.send(made).is_err() {
                            break;
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                word.fetch_or(interrupt::SAMPLE, Ordering::Relaxed);
            }
        };
        without_signals(|| {
            limits::start_thread(c"opline-jit", run);
        });
        Beside {
            orders: ManuallyDrop::new(orders),
            made: ManuallyDrop::new(made),
            process: std::process::id(),
        }
    }

    /// Has code made. False if there is nobody who does that.
    pub fn order(&self, order: Order) -> bool {
        self.is_here() && self.orders.send(order).is_ok()
    }

    /// Code that is there by now.
    pub fn next(&self) -> Option<Made> {
        self.is_here().then(|| self.made.try_recv().ok())?
    }

    /// Whether this is the process of the thread, and not a copy of it.
    fn is_here(&self) -> bool {
        self.process == std::process::id()
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if self.is_here() {
            // SAFETY: nothing uses them after this.
            unsafe {
                ManuallyDrop::drop(&mut self.orders);
                ManuallyDrop::drop(&mut self.made);
            }
        }
    }
}

/// Runs `start` with all signals blocked: a thread that it starts leaves them to those of the host, which wait for
/// them.
fn without_signals(start: impl FnOnce()) {
    // SAFETY: the sets are this function's own, and plain numbers; the second call restores what the first one gave.
    unsafe {
        let mut all = std::mem::zeroed();
        let mut before = std::mem::zeroed();
        libc::sigfillset(&mut all);
        let is_blocked = libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before) == 0;
        start();
        if is_blocked {
            libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::TryRecvError;

    /// What is left of the thread's ends when a process drops its own.
    fn after_drop(process: u32) -> TryRecvError {
        let (orders, ordered) = channel();
        let (_finished, made) = channel();
        let beside = Beside {
            orders: ManuallyDrop::new(orders),
            made: ManuallyDrop::new(made),
            process,
        };
        assert!(beside.next().is_none());
        drop(beside);
        ordered.try_recv().unwrap_err()
    }

    #[test]
    fn a_copy_of_the_process_closes_nothing() {
        let here = std::process::id();
        assert_eq!(after_drop(here), TryRecvError::Disconnected);
        assert_eq!(after_drop(here + 1), TryRecvError::Empty);
    }
}
