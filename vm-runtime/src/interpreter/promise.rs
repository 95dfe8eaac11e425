//! What the definition says that a slow path or an intrinsic does not do, held to in debug builds.
//!
//! A slow path may be `pure` or `throws`, and an intrinsic that is not in the table as one that runs code of
//! the script runs none: machine code keeps what it knows of variables over both. The generated code opens
//! a [`Promise`] around the call; entering the interpreter while one is open is a panic with its name.

use vm_def::grammar::SlowClass;

use crate::vm::Vm;

/// What is promised, and by whom.
#[derive(Clone, Copy, Debug)]
pub struct Promised {
    name: &'static str,
    class: SlowClass,
}

/// A promise that is open until it is dropped.
#[derive(Debug)]
pub struct Promise {
    vm: *mut Vm,
    before: Option<Promised>,
    promised: Promised,
    had_exception: bool,
}

impl Promise {
    /// Opens a promise.
    pub unsafe fn new(vm: *mut Vm, name: &'static str, class: SlowClass) -> Promise {
        let promised = Promised { name, class };
        Promise {
            vm,
            before: (*vm).promised.replace(promised),
            promised,
            had_exception: !(*vm).exception.is_null(),
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        // SAFETY: I1: the VM outlives the handler that opened the promise.
        let thrown = unsafe {
            (*self.vm).promised = self.before;
            !(*self.vm).exception.is_null() && !self.had_exception
        };
        if self.promised.class == SlowClass::Pure && !std::thread::panicking() {
            let name = self.promised.name;
            assert!(!thrown, "{name} throws, which it says it does not");
        }
    }
}

/// Code of the script is about to run.
pub unsafe fn assert_none(vm: *mut Vm) {
    if let Some(promised) = (*vm).promised {
        let name = promised.name;
        panic!("{name} runs code of the script, which it says it does not");
    }
}
