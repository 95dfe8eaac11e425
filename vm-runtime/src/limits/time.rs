//! `max_execution_time`: a thread of its own sets the interrupt word when the time is up.
//!
//! As in PHP it is processor time of the script that counts, not time spent waiting. A library
//! must not install signal handlers, so the thread sleeps as long as the script can at least still
//! run and looks at its clock again.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::interpreter::state::interrupt;
use crate::vm::Vm;

/// The least that the thread sleeps.
const PRECISION: Duration = Duration::from_millis(1);

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
    /// The VM is no more.
    quit: bool,
}

#[derive(Debug, Default)]
struct Shared {
    order: Mutex<Order>,
    changed: Condvar,
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
            match clock.used() {
                Some(used) if used < deadline => {
                    let left = (deadline - used).max(PRECISION);
                    let waited = self.changed.wait_timeout(order, left);
                    order = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                used => {
                    order.deadline = None;
                    if used.is_some() {
                        word.fetch_or(interrupt::TIMED_OUT, Ordering::Relaxed);
                    }
                }
            }
        }
    }
}

/// The timer of a VM. Its thread starts when it is first set.
#[derive(Debug, Default)]
pub(crate) struct Timer {
    shared: Option<Arc<Shared>>,
}

impl Timer {
    /// Has `word` set after `limit` from now, or never.
    fn set(&mut self, limit: Option<Duration>, word: &Arc<AtomicU32>) {
        if limit.is_none() && self.shared.is_none() {
            return;
        }
        let shared = self.shared.get_or_insert_with(|| {
            let shared = Arc::<Shared>::default();
            let (watched, word) = (shared.clone(), word.clone());
            // Without a thread there is no limit.
            let _ = std::thread::Builder::new()
                .name(String::from("opline-timer"))
                .spawn(move || watched.watch(&word));
            shared
        });
        let clock = Clock::of_this_thread();
        let deadline = limit
            .zip(clock)
            .and_then(|(limit, clock)| Some((clock, clock.used()?.saturating_add(limit))));
        shared.order().deadline = deadline;
        shared.changed.notify_one();
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
    /// Starts counting the time that the script may run; what it has used so far is forgotten.
    pub(crate) fn start_timer(&mut self) {
        self.stop_timer();
        if self.time_limit > 0 {
            let limit = Duration::from_secs(self.time_limit);
            self.timer.set(Some(limit), &self.interrupt);
        }
    }

    /// Lets the script run as long as it takes.
    pub(crate) fn stop_timer(&mut self) {
        self.timer.set(None, &self.interrupt);
        self.interrupt
            .fetch_and(!interrupt::TIMED_OUT, Ordering::Relaxed);
    }
}
