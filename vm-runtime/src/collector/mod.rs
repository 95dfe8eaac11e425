//! The cycle collector: frees values that only hold each other.
//!
//! Reference counts free everything but cycles. A value that loses an owner but not its last may
//! be all that still led to a cycle, so it is noted as a *possible root* ([`roots`]). When enough
//! of them have gathered, trial deletion (Bacon and Rajan's synchronous algorithm) finds garbage:
//!
//! 1. [`trace::mark`] goes through everything the roots lead to and takes away, from each value,
//!    the shares that come from inside. What is left then are shares from outside.
//! 2. [`trace::scan`] gives the shares back to values with owners outside, and to all that they
//!    lead to.
//! 3. What remains is garbage: [`collect`] runs destructors and frees it.
//!
//! Where a value stands in this is its colour, kept in its header together with its place among
//! the roots. No step recurses: values wait on a list of work.
//!
//! # Safety of the whole module
//! Every function takes the VM of the values it works on (I1); values in the buffer and what they
//! lead to are live (I3), for whatever is destroyed leaves the buffer first. Between [`trace::mark`]
//! and the end of [`trace::gather`] counts are not exact (I3), and no user code runs.
#![allow(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

mod collect;
mod destructors;
mod node;
mod roots;
mod trace;

use std::time::{Duration, Instant};

use crate::heap::Heap;
use crate::interpreter::suspended::visit_temporaries;
use crate::value::{COLLECTABLE, Header, PhpReference, REFERENCE, destroy, lost_owner};
use crate::vm::Vm;
use roots::RootBuffer;

pub(crate) use destructors::destructor_fiber;
pub(crate) use node::GC_INFO;

/// Number of possible roots that starts a run, at first and at least.
const THRESHOLD: u32 = 10_001;
/// By how much it changes.
const THRESHOLD_STEP: u32 = 10_000;
/// More than this many roots are never waited for.
const THRESHOLD_MAXIMUM: u32 = 1_000_000_000;
/// A run that frees fewer values than this was not worth it: the next one comes later.
const WORTHWHILE: u64 = 100;

/// The collector's state, part of the heap.
#[derive(Debug)]
pub struct Collector {
    roots: RootBuffer,
    /// Values to look at, kept for the next run.
    work: Vec<*mut Header>,
    /// A run is going on.
    active: bool,
    threshold: u32,
    runs: u64,
    collected: u64,
    started: Instant,
    collecting: Duration,
    destructing: Duration,
    freeing: Duration,
}

impl Default for Collector {
    fn default() -> Collector {
        Collector {
            roots: RootBuffer::default(),
            work: Vec::new(),
            active: false,
            threshold: THRESHOLD,
            runs: 0,
            collected: 0,
            started: Instant::now(),
            collecting: Duration::ZERO,
            destructing: Duration::ZERO,
            freeing: Duration::ZERO,
        }
    }
}

/// What `gc_status()` tells.
#[derive(Debug, Clone, Copy)]
pub struct Status {
    /// A run is going on.
    pub running: bool,
    /// Runs that had something to look at.
    pub runs: u64,
    /// Values freed.
    pub collected: u64,
    /// Number of possible roots that starts the next run.
    pub threshold: u32,
    /// Room for possible roots.
    pub buffer_size: u32,
    /// Possible roots.
    pub roots: u32,
    /// Time since the request began.
    pub application_time: Duration,
    /// Time spent in runs.
    pub collector_time: Duration,
    /// Part of it: destructors.
    pub destructor_time: Duration,
    /// Part of it: freeing.
    pub free_time: Duration,
}

impl Collector {
    /// What `gc_status()` tells.
    pub fn status(&self) -> Status {
        Status {
            running: self.active,
            runs: self.runs,
            collected: self.collected,
            threshold: self.threshold,
            buffer_size: self.roots.size(),
            roots: self.roots.len(),
            application_time: self.started.elapsed(),
            collector_time: self.collecting,
            destructor_time: self.destructing,
            free_time: self.freeing,
        }
    }

    /// After a run that freed `count` values: waits longer where little is found.
    fn adjust_threshold(&mut self, count: u64) {
        if count < WORTHWHILE || self.roots.len() >= self.threshold {
            self.threshold = (self.threshold + THRESHOLD_STEP).min(THRESHOLD_MAXIMUM);
            self.roots.reserve(self.threshold);
        } else if self.threshold > THRESHOLD {
            self.threshold -= THRESHOLD_STEP;
        }
    }
}

/// Notes a value that lost an owner but not its last: it may be all that still led to a cycle.
///
/// # Safety
/// `header` is a live collectable value or a reference (invariant I3).
#[cold]
#[inline(never)]
pub unsafe fn possible_root(header: *mut Header) {
    // SAFETY: I3, by the caller; the heap outlives its values (I1).
    unsafe {
        let mut header = header;
        if (*header).type_info as u8 == REFERENCE {
            let value = (*header.cast::<PhpReference>()).value;
            if value.type_info & COLLECTABLE == 0 {
                return;
            }
            header = value.counted();
            if (*header).type_info & GC_INFO != 0 {
                return;
            }
        }
        let heap: *mut Heap = Heap::of(header);
        let collector = &mut (*heap).collector;
        if !collector.roots.has_room(collector.threshold) && !make_room(heap, header) {
            return;
        }
        (*heap).collector.roots.insert(header);
    }
}

/// As [`possible_root`], for an array or an object that may be known already. False if there is no free place.
///
/// # Safety
/// `header` is a live array or object (invariant I3).
#[inline(always)]
pub unsafe fn note_root(header: *mut Header) -> bool {
    // SAFETY: I3, by the caller; the heap outlives its values (I1).
    unsafe {
        if (*header).type_info & GC_INFO != 0 {
            return true;
        }
        let collector = &mut Heap::of(header).collector;
        collector.roots.insert_easily(header, collector.threshold)
    }
}

/// As [`note_root`], also for a reference, which matters for what it holds.
///
/// # Safety
/// `header` is a live collectable value (invariant I3).
#[inline(always)]
pub unsafe fn is_easily_noted(header: *mut Header) -> bool {
    // SAFETY: I3, by the caller.
    unsafe {
        if (*header).type_info as u8 != REFERENCE {
            return note_root(header);
        }
        let value = &(*header.cast::<PhpReference>()).value;
        value.type_info & COLLECTABLE == 0 || note_root(value.counted())
    }
}

/// Runs the collector because there are many roots. False if the value needs no noting after that.
#[cold]
unsafe fn make_room(heap: *mut Heap, header: *mut Header) -> bool {
    // SAFETY: I1 and I3, by the caller. The share taken here keeps the value alive.
    unsafe {
        let vm = (*heap).vm;
        if vm.is_null() || !(*vm).ini.enable_gc || !(*vm).can_collect() {
            return true;
        }
        (*header).refcount += 1;
        let count = collect::run(vm);
        (*heap).collector.adjust_threshold(count);
        (*header).refcount -= 1;
        if (*header).refcount == 0 {
            destroy(header, (*header).type_info as u8);
            return false;
        }
        (*header).type_info & GC_INFO == 0
    }
}

/// Forgets a possible root that is being destroyed.
///
/// # Safety
/// `header` is a live value.
#[inline(always)]
pub(crate) unsafe fn forget(header: *mut Header) {
    // SAFETY: by the caller.
    unsafe {
        if (*header).type_info & GC_INFO != 0 {
            Heap::of(header).collector.roots.remove(header);
        }
    }
}

impl Vm {
    /// `gc_collect_cycles()`: gives the number of arrays and objects freed.
    pub fn collect_cycles(&mut self) -> u64 {
        if !self.can_collect() {
            return 0;
        }
        // SAFETY: I1: this is the heap's VM.
        unsafe {
            let count = collect::run(self);
            self.note_temporaries();
            count
        }
    }

    /// Counts are exact and no run is going on.
    fn can_collect(&self) -> bool {
        !self.heap.collector.active && !self.unwound && !std::thread::panicking()
    }

    /// Makes roots of what temporaries of running functions hold: it was kept alive, and nobody
    /// will tell when they let go of it.
    unsafe fn note_temporaries(&mut self) {
        let mut frame = self.current_frame;
        while !frame.is_null() {
            if (*frame).is_user() {
                visit_temporaries(frame, &mut |value| {
                    if value.type_info & COLLECTABLE != 0 && (*value.counted()).refcount > 1 {
                        lost_owner(value.counted());
                    }
                });
            }
            frame = (*frame).previous;
        }
    }
}
