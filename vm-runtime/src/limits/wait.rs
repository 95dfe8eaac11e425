//! Waiting that limits can end.

use std::os::fd::RawFd;
use std::time::{Duration, Instant};

use crate::vm::Vm;

/// How long native code waits before it looks at the interrupt word again.
const SLICE: Duration = Duration::from_millis(10);

impl Vm {
    /// Waits for a time. What the script has written goes out before.
    pub fn wait(&mut self, time: Duration) {
        let started = Instant::now();
        self.wait_until(|_, slice| {
            let left = time.saturating_sub(started.elapsed());
            std::thread::sleep(left.min(slice));
            (left <= slice).then_some(())
        });
    }

    /// Waits until a descriptor can be read from, or is closed at its other end.
    pub fn wait_readable(&mut self, descriptor: RawFd) {
        self.wait_until(|_, slice| {
            let mut entry = libc::pollfd {
                fd: descriptor,
                events: libc::POLLIN,
                revents: 0,
            };
            // SAFETY: one entry, which the call writes to.
            let ready = unsafe { libc::poll(&mut entry, 1, slice.as_millis() as libc::c_int) };
            let interrupted = ready < 0
                && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted;
            (ready != 0 && !interrupted).then_some(())
        });
    }

    /// Calls `step`, which waits for at most the time it is given, until it gives something. Limits end
    /// the script in between, and the time spent counts.
    pub fn wait_until<T>(&mut self, mut step: impl FnMut(&mut Vm, Duration) -> Option<T>) -> T {
        if let Some(result) = step(self, Duration::ZERO) {
            return result;
        }
        self.output.flush();
        loop {
            self.poll();
            let started = Instant::now();
            let result = step(self, SLICE);
            self.timer.count_wait(started.elapsed());
            if let Some(result) = result {
                return result;
            }
        }
    }
}
