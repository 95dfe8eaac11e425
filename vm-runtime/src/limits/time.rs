//! `max_execution_time`: a thread of its own sets the interrupt word when the time is up.
//!
//! As in PHP it is processor time of the script that counts, so a busy machine ends no script early.
//! Time that the script spends waiting ([`Vm::wait`]) counts too, as PHP counts it on systems without a
//! clock for processes: a limit that `sleep` goes around is none. A library must not install
//! signal handlers, so the thread sleeps as long as the script can at least still run and looks at
//! the clocks again.
//!
//! Once the time is up, whatever still runs (shutdown functions, output callbacks) has [`GRACE`] each
//! time. A script that does not come to a poll ends with its process after `hard_timeout`, if the
//! process is to end with it ([`super::end_process_beyond_limits`]).

use std::io::Write;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::interpreter::state::interrupt;
use crate::limits::memory::{end_process, ends_process};
use crate::limits::start_thread;
use crate::vm::Vm;

/// The least that the thread sleeps.
const PRECISION: Duration = Duration::from_millis(1);
/// How long code may run that comes after a time-out.
const GRACE: Duration = Duration::from_millis(40);

/// The processor time of one thread.
#[derive(Debug, Clone, Copy)]
struct Clock(libc::clockid_t);

impl Clock {
    /// The clock of the calling thread.
    fn of_this_thread() -> Option<Clock> {
        let mut id = 0;
        // SAFETY: the thread is running; `id` is written by the call.
        let failed = unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &mut id) };
        (failed == 0).then_some(Clock(id))
    }

    /// What the thread has used; None if it is no more.
    fn used(self) -> Option<Duration> {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: `time` is written by the call, which fails for clocks that are no more.
        let failed = unsafe { libc::clock_gettime(self.0, &mut time) };
        (failed == 0).then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }
}

/// What the thread waits for.
#[derive(Debug, Default)]
struct Order {
    /// When the time is up, and by which clock.
    deadline: Option<(Clock, Duration)>,
    /// Seconds of the limit, and of those after which the process ends.
    limits: (u64, u64),
    /// When the process ends: the time has been up for a while.
    end: Option<Instant>,
    /// The VM is no more.
    quit: bool,
}

#[derive(Debug, Default)]
struct Shared {
    order: Mutex<Order>,
    changed: Condvar,
    /// Nanoseconds that the script spent waiting.
    waited: AtomicU64,
}

impl Shared {
    fn order(&self) -> MutexGuard<'_, Order> {
        // Nothing panics while it holds the lock.
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of the thread.
    fn watch(&self, word: &AtomicU32) {
        let mut order = self.order();
        while !order.quit {
            let Some((clock, deadline)) = order.deadline else {
                let waited = self.changed.wait(order);
                order = waited.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            if order.end.is_some_and(|end| end <= Instant::now()) {
                let (limit, more) = order.limits;
                end_process(None, 124, |text| {
                    writeln!(
                        text,
                        "\nFatal error: Maximum execution time of {limit}+{more} seconds exceeded (terminated) in Unknown on line 0"
                    )
                });
            }
            match self.used(clock) {
                Some(used) if used < deadline => {
                    let left = (deadline - used).max(PRECISION);
                    let waited = self.changed.wait_timeout(order, left);
                    order = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                Some(used) => {
                    order.deadline = Some((clock, used.saturating_add(GRACE)));
                    if order.end.is_none() && order.limits.1 > 0 && ends_process() {
                        order.end = Some(Instant::now() + Duration::from_secs(order.limits.1));
                    }
                    word.fetch_or(interrupt::TIMED_OUT, Ordering::Relaxed);
                }
                None => order.deadline = None,
            }
        }
    }

    /// What counts against the limit: the thread's time, and what it waited.
    fn used(&self, clock: Clock) -> Option<Duration> {
        let waited = Duration::from_nanos(self.waited.load(Ordering::Relaxed));
        Some(clock.used()?.saturating_add(waited))
    }
}

/// The timer of a VM. Its thread starts when it is first set.
#[derive(Debug, Default)]
pub(crate) struct Timer {
    shared: Option<Arc<Shared>>,
}

impl Timer {
    /// Has `word` set after `left` from now, of a limit in seconds, or never; the process ends `hard` seconds
    /// later.
    fn set(&mut self, limit: Option<(u64, Duration)>, hard: u64, word: &Arc<AtomicU32>) {
        if limit.is_none() && self.shared.is_none() {
            return;
        }
        let shared = self.shared.get_or_insert_with(|| {
            let shared = Arc::<Shared>::default();
            let (watched, word) = (shared.clone(), word.clone());
            // Without a thread there is no limit.
            start_thread(c"opline-timer", move || watched.watch(&word));
            shared
        });
        let clock = Clock::of_this_thread();
        let deadline = limit
            .zip(clock)
            .and_then(|((_, left), clock)| Some((clock, shared.used(clock)?.saturating_add(left))));
        let mut order = shared.order();
        order.deadline = deadline;
        order.limits = (limit.map_or(0, |(limit, _)| limit), hard);
        order.end = None;
        drop(order);
        shared.changed.notify_one();
    }
}

impl Timer {
    /// Counts time that the script spent waiting.
    pub(super) fn count_wait(&self, time: Duration) {
        if let Some(shared) = &self.shared {
            let nanoseconds = time.as_nanos().min(u64::MAX as u128) as u64;
            shared.waited.fetch_add(nanoseconds, Ordering::Relaxed);
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            shared.order().quit = true;
            shared.changed.notify_one();
        }
    }
}

impl Vm {
    /// How long the script may still run; None if that is not limited.
    pub fn time_left(&self) -> Option<Duration> {
        let shared = self.timer.shared.as_ref()?;
        let (clock, deadline) = shared.order().deadline?;
        Some(deadline.saturating_sub(shared.used(clock)?))
    }

    /// Starts counting the time that the script may run; what it has used so far is forgotten.
    pub(crate) fn start_timer(&mut self) {
        self.stop_timer();
        if self.time_limit > 0 {
            self.set_timer(Duration::from_secs(self.time_limit));
        }
    }

    /// As [`Vm::start_timer`], for code that may not run for as long.
    pub(crate) fn start_short_timer(&mut self, most: Duration) {
        self.stop_timer();
        if self.time_limit > 0 {
            self.set_timer(most.min(Duration::from_secs(self.time_limit)));
        }
    }

    fn set_timer(&mut self, left: Duration) {
        let hard = u64::try_from(self.ini.long("hard_timeout")).unwrap_or(0);
        let limit = Some((self.time_limit, left));
        self.timer.set(limit, hard, &self.interrupt);
    }

    /// Goes on in a process that was made as a copy of this one, with this thread alone; `left` is what
    /// [`Vm::time_left`] gave before.
    pub fn continue_in_copy(&mut self, left: Option<Duration>) {
        // The thread is not there, and may have held the lock.
        std::mem::forget(self.timer.shared.take());
        if let Some(left) = left {
            self.set_timer(left);
        }
    }

    /// Lets the script run as long as it takes.
    pub(crate) fn stop_timer(&mut self) {
        self.timer.set(None, 0, &self.interrupt);
        self.interrupt
            .fetch_and(!interrupt::TIMED_OUT, Ordering::Relaxed);
    }
}
