//! Stopping a script from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use vm_runtime::interpreter::state::interrupt;

/// Stops the script that a VM is running, from any thread; see [`Vm::interrupter`](crate::Vm::interrupter).
#[derive(Debug, Clone)]
pub struct Interrupter(pub(crate) Arc<AtomicU32>);

impl Interrupter {
    /// Ends the script with a fatal error at its next jump or call. If none runs, the next one is
    /// ended.
    pub fn stop(&self) {
        self.0.fetch_or(interrupt::STOP, Ordering::Relaxed);
    }
}
