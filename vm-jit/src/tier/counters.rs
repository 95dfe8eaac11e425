//! What `opline.jit_stats` shows.

use std::time::Duration;

use crate::machine::ArenaError;
#[cfg(doc)]
use crate::translate;

/// What compiling consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Oplines to a graph.
    Translate,
    /// Passes over the graph.
    Optimise,
    /// The graph to instructions.
    Lower,
    /// Registers for them.
    Registers,
    /// Bytes for them.
    Emit,
}

const STAGES: [(Stage, &str); 5] = [
    (Stage::Translate, "translate"),
    (Stage::Optimise, "optimise"),
    (Stage::Lower, "lower"),
    (Stage::Registers, "registers"),
    (Stage::Emit, "emit"),
];

/// The processor's time that this thread has had: others do not count.
pub fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock exists on every Linux, and the time is ours to write.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Tells how long each stage took.
#[derive(Debug)]
pub struct Clock {
    last: Duration,
    stages: [Duration; STAGES.len()],
}

impl Clock {
    /// Starts.
    pub fn start() -> Clock {
        Clock {
            last: processor_time(),
            stages: [Duration::ZERO; STAGES.len()],
        }
    }

    /// Goes on, on another thread perhaps.
    pub fn go_on(&mut self) {
        self.last = processor_time();
    }

    /// What all stages took.
    pub fn time(&self) -> Duration {
        self.stages.iter().sum()
    }

    /// Notes that a stage is over.
    pub fn end(&mut self, stage: Stage) {
        let now = processor_time();
        self.stages[stage as usize] += now.saturating_sub(self.last);
        self.last = now;
    }
}

impl std::fmt::Display for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (position, (stage, name)) in STAGES.iter().enumerate() {
            let separator = if position > 0 { ", " } else { "" };
            let time = self.stages[*stage as usize].as_secs_f64() * 1000.0;
            write!(f, "{separator}{name} {time:.3} ms")?;
        }
        Ok(())
    }
}

/// What compiling a unit is likely to take, whatever stands in it.
const UNIT_COST: Duration = Duration::from_micros(60);
/// What an instruction of the definition, or a block, is likely to take besides before any was compiled.
const INSTRUCTION_COST: Duration = Duration::from_nanos(500);
const BLOCK_COST: Duration = Duration::from_micros(5);
/// A unit that took longer than so many times what it was likely to take tells no more of what others will take: the first
/// ones pay for code and tables of this tier that nobody has touched yet, which may be read from a disk.
const MOST_TOLD: u32 = 2;

/// Counts of what the tier did.
#[derive(Debug, Default)]
pub struct Counters {
    /// They are printed at the end.
    pub wanted: bool,
    /// Why nothing is compiled.
    pub refused: Option<ArenaError>,
    /// How often functions were looked at while they ran.
    pub observed: u32,
    /// Functions compiled, again or for the first time.
    pub compiled: u32,
    /// Functions that were not worth it.
    pub refusals: u32,
    /// Functions given up because guards kept leaving.
    pub given_up: u32,
    /// Oplines of compiled functions.
    pub oplines: usize,
    /// Instructions of the definition that they stand for ([`translate::size`]).
    work: usize,
    /// Blocks of their graphs.
    blocks: usize,
    /// Calls that were inlined into them.
    pub inlined: usize,
    /// Bytes of machine code.
    pub bytes: usize,
    /// Functions compiled anew because guards left too often.
    pub exhausted: u32,
    /// The part of the time spent on units that tells what others will take, without what every unit takes.
    telling: Duration,
    /// Time spent compiling, for each stage.
    pub stages: [Duration; STAGES.len()],
}

impl Counters {
    /// The time spent compiling.
    pub fn time(&self) -> Duration {
        self.stages.iter().sum()
    }

    /// What compiling so many instructions of the definition is likely to take, as it did so far.
    pub fn likely_cost(&self, work: u32) -> Duration {
        UNIT_COST + self.rate(self.work, INSTRUCTION_COST) * work
    }

    /// The time that a block takes.
    pub fn block_rate(&self) -> Duration {
        self.rate(self.blocks, BLOCK_COST)
    }

    fn rate(&self, count: usize, likely: Duration) -> Duration {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.telling.checked_div(count).unwrap_or(likely)
    }

    /// Adds what compiling a unit of so many instructions of the definition and blocks took.
    pub fn add_unit(&mut self, clock: &Clock, work: u32, blocks: usize) {
        self.add(clock);
        let foretold = self
            .likely_cost(work)
            .max(UNIT_COST + INSTRUCTION_COST * work);
        let told = clock.time().min(foretold * MOST_TOLD);
        self.telling += told.saturating_sub(UNIT_COST);
        self.work += work as usize;
        self.blocks += blocks;
        self.compiled += 1;
    }

    /// Adds what was spent, on a unit that is not compiled after all as well.
    pub fn add(&mut self, clock: &Clock) {
        for (sum, time) in self.stages.iter_mut().zip(clock.stages) {
            *sum += time;
        }
    }

    /// Prints the counters to standard error, if they are wanted.
    pub fn print(&self) {
        if !self.wanted {
            return;
        }
        if let Some(error) = self.refused {
            crate::telling::tell!(
                "jit: no executable memory ({error:?}): everything is interpreted"
            );
            return;
        }
        crate::telling::tell!(
            "jit: {} looked at, {} compiled ({} anew), {} not worth it, {} given up, {} oplines, {} calls inlined, {} bytes, {:.3} ms",
            self.observed,
            self.compiled,
            self.exhausted,
            self.refusals,
            self.given_up,
            self.oplines,
            self.inlined,
            self.bytes,
            self.time().as_secs_f64() * 1000.0,
        );
        let clock = Clock {
            last: Duration::ZERO,
            stages: self.stages,
        };
        crate::telling::tell!("jit: {clock}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn took(time: Duration) -> Clock {
        let mut clock = Clock::start();
        clock.stages[Stage::Translate as usize] = time;
        clock
    }

    #[test]
    fn a_unit_that_begins_cold_tells_little_of_others() {
        let mut counters = Counters::default();
        let before = counters.likely_cost(100);
        counters.add_unit(&took(Duration::from_millis(50)), 100, 10);
        assert!(counters.likely_cost(100) <= 3 * before);
        assert_eq!(counters.time(), Duration::from_millis(50));
    }

    #[test]
    fn tiny_units_hide_nothing() {
        let mut counters = Counters::default();
        for _ in 0..50 {
            counters.add_unit(&took(Duration::from_micros(40)), 20, 4);
        }
        counters.add_unit(&took(Duration::from_millis(6)), 6000, 130);
        assert!(counters.likely_cost(6000) > Duration::from_millis(2));
    }

    #[test]
    fn a_slow_machine_is_learnt() {
        let mut counters = Counters::default();
        for _ in 0..8 {
            counters.add_unit(&took(Duration::from_micros(400)), 100, 10);
        }
        assert!(counters.likely_cost(100) >= Duration::from_micros(300));
    }
}
