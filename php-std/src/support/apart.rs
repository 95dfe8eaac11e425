//! Work on a thread of its own.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};

use vm_runtime::limits;

/// Does work that takes as long as it takes, and was not written to be asked to stop, on a thread of its
/// own: so limits end the script meanwhile. The work itself goes on then, and its result is dropped.
pub(crate) fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    let work = Arc::new(Mutex::new(Some(work)));
    let take = {
        let work = work.clone();
        move || work.lock().unwrap_or_else(PoisonError::into_inner).take()
    };
    let taken = take.clone();
    let is_apart = limits::start_thread(c"opline-apart", move || {
        if let Some(work) = taken() {
            // Nobody listens any more if the script was ended.
            let result = work();
            let _ = sender.send((result, limits::thread_memory()));
        }
    });
    if !is_apart && let Some(work) = take() {
        return work();
    }
    let result = limits::wait_until(|slice| match receiver.recv_timeout(slice) {
        Ok(result) => Some(Some(result)),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(None),
    });
    let (result, memory) = result.expect("the work panicked, and said why");
    // What it works on was this thread's, and the result is from now on.
    limits::take_over(memory);
    result
}
