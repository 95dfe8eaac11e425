//! Which functions run: looked at now and then, so that those that do not run long cost nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::Thread;
use std::time::Duration;

use vm_runtime::interpreter::state::interrupt;

/// How long a function runs between two looks.
const PERIOD: Duration = Duration::from_millis(2);

/// A thread that has the VM look at what it runs, at the next jump or call.
#[derive(Debug)]
pub struct Sampler {
    quits: Arc<AtomicBool>,
    thread: Option<Thread>,
}

impl Sampler {
    /// Starts; `word` is the VM's interrupt word. Without a thread nothing is ever hot.
    pub fn start(word: Arc<AtomicU32>) -> Sampler {
        let quits = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&quits);
        let thread = std::thread::Builder::new()
            .name(String::from("opline-sampler"))
            .stack_size(64 << 10)
            .spawn(move || {
                while !asked.load(Ordering::Relaxed) {
                    std::thread::park_timeout(PERIOD);
                    word.fetch_or(interrupt::SAMPLE, Ordering::Relaxed);
                }
            });
        Sampler {
            quits,
            thread: thread.ok().map(|handle| handle.thread().clone()),
        }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.quits.store(true, Ordering::Relaxed);
        if let Some(thread) = &self.thread {
            thread.unpark();
        }
    }
}
