//! The life of a script in a VM: run, report what nothing caught, shut down.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use crate::frame::Frame;
use crate::heap::{Bailout, bail_out};
use crate::interpreter::callback::Callee;
use crate::op_array::Script;
use crate::value::{HEADER_DESTRUCTOR_CALLED, ObjectHandle, Value};
use crate::vm::{PhpResult, Thrown, Vm};

/// The exit status after a fatal error or an uncaught exception.
const FAILED: i32 = 255;

/// Why code run by [`Vm::guard`] did not come back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Abort {
    /// A fatal error, reported already.
    Fatal,
    /// A defect of the engine: Rust code panicked. The VM must not run scripts any more.
    Panic(String),
}

/// Where code ended that did not come back.
pub(super) struct GivenUp {
    /// The innermost frame.
    pub innermost: *mut Frame,
    /// It was the memory limit that ended it.
    pub memory_ran_out: bool,
}

impl Vm {
    /// Runs `body` and catches fatal errors and panics.
    ///
    /// # Errors
    /// What ended it, if it did not come back. [`Vm::fatal`] is set then.
    pub fn guard<T>(&mut self, body: impl FnOnce(&mut Vm) -> T) -> Result<T, Abort> {
        self.guard_frames(body).map_err(|(abort, _)| abort)
    }

    /// As [`Vm::guard`]; tells besides where it ended.
    fn guard_frames<T>(&mut self, body: impl FnOnce(&mut Vm) -> T) -> Result<T, (Abort, GivenUp)> {
        let frame = self.current_frame;
        let outer = self.heap.enter_thread();
        let result = catch_unwind(AssertUnwindSafe(|| body(self)));
        self.heap.leave_thread(outer);
        result.map_err(|payload| {
            let innermost = std::mem::replace(&mut self.current_frame, frame);
            let status = self.exit_status;
            let memory_ran_out = self.after_unwinding();
            if let Some(bailout) = payload.downcast_ref::<Bailout>() {
                if *bailout == Bailout::Exit {
                    self.exit_status = status;
                }
                let end = GivenUp {
                    innermost,
                    memory_ran_out,
                };
                return (Abort::Fatal, end);
            }
            self.heap.abandon();
            let text = payload
                .downcast_ref::<&str>()
                .map(|text| text.to_string())
                .or_else(|| payload.downcast_ref::<String>().cloned());
            let end = GivenUp {
                innermost,
                memory_ran_out: false,
            };
            (Abort::Panic(text.unwrap_or_default()), end)
        })
    }

    /// As [`Vm::guard`], for a host's call: the frames of what did not come back are given up.
    ///
    /// # Errors
    /// As for [`Vm::guard`].
    pub fn guard_call<T>(&mut self, body: impl FnOnce(&mut Vm) -> T) -> Result<T, Abort> {
        let bottom = self.stack.position();
        // Within a script that runs, its own limit holds.
        let is_outermost = self.time_left().is_none();
        if is_outermost {
            self.start_timer();
        }
        let result = self.guard(body);
        if is_outermost {
            self.stop_timer();
        }
        if result.is_err() {
            // SAFETY: I4: only the call itself could refer to its frames; `guard` left them.
            unsafe { self.stack.return_to(bottom) };
        }
        result
    }

    /// What holds from the end of a fatal error on: nobody released what was in use, so counts are
    /// too high, and no object that is alive now is ever destructed. Gives true if the memory limit was the reason.
    fn after_unwinding(&mut self) -> bool {
        self.fatal = true;
        self.unwound = true;
        self.exit_status = FAILED;
        self.evaluates_expression = false;
        self.errors.in_fatal_error = false;
        self.exception = std::ptr::null_mut();
        let memory_ran_out = self.heap.end_report();
        self.heap.destroy_depth = 0;
        self.mark_destructed();
        memory_ran_out
    }

    /// Makes the destructors of all objects that are alive count as called.
    pub(crate) fn mark_destructed(&mut self) {
        for object in self.objects.iter() {
            // SAFETY: I3: registered objects are live.
            unsafe { (*object).header.type_info |= HEADER_DESTRUCTOR_CALLED };
        }
    }

    /// Runs a script from its first opline to the end of shutdown, as `php` runs a file. Gives the
    /// exit status.
    pub fn run_request(&mut self, script: &Script) -> i32 {
        self.run_main(|vm| vm.run_with_neighbours(script))
    }

    /// As [`Vm::run_request`], without the files that settings put before and behind a script.
    pub fn run_request_alone(&mut self, script: &Script) -> i32 {
        self.run_main(|vm| vm.run_script(script))
    }

    fn run_main(&mut self, main: impl FnOnce(&mut Vm) -> PhpResult<Value>) -> i32 {
        self.fatal = false;
        self.exit_status = 0;
        self.ini.end_startup();
        let bottom = self.stack.position();
        self.start_timer();
        let ran = self.guard_frames(|vm| {
            let result = main(vm);
            vm.main_result = match result.as_ref().map(|value| value.view()) {
                Ok(crate::value::ValueKind::Bool(answer)) => Some(answer),
                _ => None,
            };
            vm.finish_exceptions();
            result.is_ok()
        });
        if let Err((abort, end)) = ran {
            self.report_abort(Some(abort));
            // In a guard, where what is freed counts.
            let ran = self.guard(|vm| {
                // SAFETY: I4: the frames were live when the script ended, and none of them runs any more.
                unsafe { vm.give_up_functions(&end) }
            });
            self.report_abort(ran.err());
        }
        self.shut_down();
        self.stop_timer();
        self.interrupt.store(0, Ordering::Relaxed);
        if self.fatal {
            self.leave_behind(bottom);
        }
        self.exit_status
    }

    /// Runs a piece of an interactive session. Exceptions that are left over are warnings. Gives
    /// false after `exit` and after a fatal error.
    pub fn run_piece(&mut self, script: Script) -> bool {
        self.ini.end_startup();
        // Functions and classes of earlier pieces are called by later ones.
        let script = std::mem::ManuallyDrop::new(script);
        let ran = self.guard(|vm| {
            drop(vm.run_script(&script));
            let mut goes_on = true;
            while let Some(exception) = vm.take_exception() {
                if crate::exceptions::is_exit(&exception) {
                    goes_on = false;
                } else if !vm.call_exception_handler(&exception) {
                    vm.exit_status = 255;
                    crate::exceptions::report::warn_of_uncaught(vm, &exception);
                }
            }
            goes_on
        });
        match ran {
            Ok(goes_on) => goes_on,
            Err(abort) => {
                self.report_abort(Some(abort));
                false
            }
        }
    }

    /// Begins a program that is given in parts, which its limits and settings hold for as a whole.
    pub fn begin_parts(&mut self) {
        self.ini.end_startup();
        self.start_timer();
        let began = self.guard(Vm::start_buffer_of_settings);
        self.report_abort(began.err());
    }

    /// Ends a program that was given in parts. Gives its exit status.
    pub fn end_parts(&mut self) -> i32 {
        self.shut_down();
        self.stop_timer();
        self.interrupt.store(0, Ordering::Relaxed);
        self.exit_status
    }

    /// Runs a part of a program that is given in parts. What it throws and nobody catches is told of as the end of a
    /// script, but what follows may go on; false after a fatal error, which ends all.
    pub fn run_part(&mut self, part: impl FnOnce(&mut Vm) -> PhpResult<Value>) -> bool {
        let ran = self.guard(|vm| {
            drop(part(vm));
            while let Some(exception) = vm.take_exception() {
                vm.report_uncaught(&exception);
            }
        });
        if let Err(abort) = ran {
            self.report_abort(Some(abort));
            return false;
        }
        true
    }

    /// Runs a script between the files that the settings `auto_prepend_file` and `auto_append_file` name.
    fn run_with_neighbours(&mut self, script: &Script) -> PhpResult<Value> {
        let [before, behind] = ["auto_prepend_file", "auto_append_file"]
            .map(|setting| self.ini.text(setting).to_vec())
            .map(|name| if name == b"none" { Vec::new() } else { name });
        if !before.is_empty() {
            self.include_file(&before, true)?;
        }
        let result = self.run_script(script)?;
        if !behind.is_empty() {
            self.include_file(&behind, true)?;
        }
        Ok(result)
    }

    /// After a fatal error: forgets globals and frames, for whatever runs next. Variables of the
    /// script lie in frames that are no more.
    fn leave_behind(&mut self, bottom: crate::frame::StackPosition) {
        // SAFETY: I3: the table of globals is live and ours.
        unsafe { (*self.globals.as_ptr()).forget_entries() };
        self.property_guards.clear();
        // SAFETY: I4: `current_frame` is below the position again, and the table of globals, which
        // led to variables in frames, is forgotten.
        unsafe { self.stack.return_to(bottom) };
    }

    fn report_abort(&mut self, abort: Option<Abort>) {
        if let Some(Abort::Panic(text)) = abort {
            self.write(format!("\nFatal error: Internal error of Opline: {text}\n").as_bytes());
        }
    }

    /// Hands a pending exception to the exception handler, or reports it as uncaught. The end of
    /// an `exit` is no exception.
    pub(crate) fn finish_exceptions(&mut self) {
        // The handler may throw, and set another handler for that.
        while let Some(exception) = self.take_exception() {
            if crate::exceptions::is_exit(&exception) {
                return;
            }
            if !self.call_exception_handler(&exception) {
                return self.report_uncaught(&exception);
            }
        }
    }

    /// Handles an exception that is left over from code that no frame called: if there is no
    /// exception handler, it is the end of everything. So is `exit` in a destructor that runs at the end.
    pub(crate) fn end_without_frames(&mut self) {
        if !self.current_frame.is_null() || self.exception.is_null() {
            return;
        }
        if self.is_exiting() {
            self.finish_exceptions();
            std::panic::resume_unwind(Box::new(Bailout::Exit));
        }
        let is_handled = self.errors.exception_handlers.current.is_some();
        self.finish_exceptions();
        if !is_handled {
            bail_out();
        }
    }

    /// Reports an exception that nobody handles, unless it is the end of an `exit`.
    pub(crate) fn report_uncaught(&mut self, exception: &ObjectHandle) {
        if crate::exceptions::is_exit(exception) {
            return;
        }
        self.exit_status = 255;
        crate::exceptions::report::report_uncaught(self, exception);
    }

    /// Runs shutdown functions, destroys globals and objects, and flushes the output.
    pub fn shut_down(&mut self) {
        let mut functions = std::mem::take(&mut self.shutdown_functions).into_iter();
        // They go when all have run.
        let mut callables = Vec::new();
        while !self.heap.is_abandoned() {
            let Some(function) = functions.next() else {
                // A shutdown function may register further ones.
                functions = std::mem::take(&mut self.shutdown_functions).into_iter();
                if functions.len() == 0 {
                    break;
                }
                continue;
            };
            let ran = self.guard(|vm| {
                // SAFETY: I4: it was resolved in this VM, and its callable keeps it alive.
                let result = unsafe { vm.call_callee(function.callee, function.arguments, None) };
                callables.push(function.callable);
                let exits = vm.is_exiting();
                vm.finish_exceptions();
                result.is_ok() || !exits
            });
            let goes_on = matches!(ran, Ok(true));
            self.report_abort(ran.err());
            if !goes_on {
                break;
            }
        }
        // What they hold may have destructors.
        let ran = self.guard(|vm| {
            drop(callables);
            drop(functions);
            drop(std::mem::take(&mut vm.shutdown_functions));
        });
        self.report_abort(ran.err());
        if !self.fatal && !self.heap.is_abandoned() {
            let ran = self.guard(|vm| {
                vm.destroy_objects();
                vm.finish_exceptions();
            });
            self.report_abort(ran.err());
        }
        // Callbacks of output buffers find the other global variables.
        let ran = self.guard(|vm| vm.end_all_buffers());
        self.report_abort(ran.err());
        for end in std::mem::take(&mut self.request_end) {
            if self.heap.is_abandoned() {
                break;
            }
            let ran = self.guard(|vm| {
                end(vm);
                vm.finish_exceptions();
            });
            self.report_abort(ran.err());
        }
        if !self.fatal && !self.heap.is_abandoned() {
            let ran = self.guard(|vm| {
                vm.release_globals();
                vm.finish_exceptions();
            });
            self.report_abort(ran.err());
        }
        self.output.flush();
    }

    /// Releases objects that only a global variable holds, newest first, then calls the destructors of what is left.
    fn destroy_objects(&mut self) {
        let globals = self.globals.as_ptr();
        // SAFETY: I3 and I5: the table of globals is live; each entry is taken out before its
        // value is released, because destructors may look at the table.
        unsafe {
            // Objects that only a global holds go first, in the order of their declaration
            // reversed, as PHP destroys its symbol table.
            loop {
                let last = (0..(*globals).positions()).rev().find(|&position| {
                    (*globals).entry_at(position).is_some_and(|(_, value)| {
                        value.kind() == crate::value::OBJECT && (*value.counted()).refcount == 1
                    })
                });
                match last {
                    Some(position) => drop((*globals).take_at(position)),
                    None => break,
                }
            }
        }
        self.call_remaining_destructors();
    }

    /// Releases the global variables that are left, whose destructors were called.
    fn release_globals(&mut self) {
        // The old table is dropped with its values.
        let fresh = self.new_array();
        let old = std::mem::replace(&mut self.globals, fresh);
        drop(old);
        self.objects.restart_reuse();
    }

    /// Calls the destructors of all objects that are still alive, in the order of creation.
    pub fn call_remaining_destructors(&mut self) {
        self.objects.stop_reuse();
        let mut id = 0;
        while id + 1 < self.objects.end() {
            id += 1;
            let Some(object) = self.objects.get(id) else {
                continue;
            };
            // SAFETY: I3: registered objects are live; a share keeps it so during its destructor.
            unsafe {
                if (*object).header.type_info & HEADER_DESTRUCTOR_CALLED != 0 {
                    continue;
                }
                (*object).header.type_info |= HEADER_DESTRUCTOR_CALLED;
                if (*(*object).class).magic.destruct.is_null() || (*object).is_lazy() {
                    continue;
                }
                let handle = ObjectHandle::share_raw(object);
                self.call_destructor(handle.as_ptr());
                drop(handle);
            }
        }
    }

    /// A destructor that is not public runs only where its class is at work. Elsewhere that is an
    /// Error, or after the end of the script a warning.
    fn may_destroy(
        &mut self,
        object: &crate::object::PhpObject,
        function: &crate::function::Function,
    ) -> bool {
        let scope = self.current_scope();
        if crate::class::is_method_accessible(function, scope) {
            return true;
        }
        let class = object.class().display_name();
        let visibility = crate::class::visibility_name(function.flags);
        if self.current_frame.is_null() {
            self.warning(format!(
                "Call to {visibility} {class}::__destruct() from global scope during shutdown ignored"
            ));
        } else {
            let scope = crate::class::lookup::scope_text(scope);
            self.throw_error(
                crate::exceptions::KnownClass::Error,
                format!("Call to {visibility} {class}::__destruct() from {scope}"),
            );
        }
        false
    }

    /// Runs an object's destructor. A pending exception waits, and becomes the previous one of
    /// what the destructor throws.
    pub fn call_destructor(&mut self, object: *mut crate::object::PhpObject) {
        debug_assert!(!std::thread::panicking(), "a destructor while unwinding");
        // SAFETY: I3 and I4: the object is live, and so is its class.
        unsafe {
            let function = (*(*object).class).magic.destruct;
            if !self.may_destroy(&*object, &*function) {
                return;
            }
            let pending = self.take_exception();
            let handle = ObjectHandle::share_raw(object);
            let class = handle.class;
            let native = (*class).handlers.and_then(|handlers| handlers.destruct);
            // A class of the script may have a destructor and extend one that is destroyed natively.
            if native.is_none() || function != self.pass_function() {
                let _ = self.call_function(function, Some(handle.clone()), class, Vec::new());
            }
            if let Some(destruct) = native {
                destruct(self, object);
            }
            drop(handle);
            match pending {
                Some(_) => self.put_back_exception(pending),
                None => self.end_without_frames(),
            }
        }
    }

    /// Ends the script from anywhere: shutdown functions and destructors still run.
    pub fn exit(&mut self) -> Thrown {
        crate::exceptions::throw_exit(self)
    }
}

/// A function to be called at shutdown.
#[derive(Debug)]
pub struct ShutdownFunction {
    /// The callable that was registered, which keeps the callee alive.
    pub callable: Value,
    /// What it calls, as the code that registered it saw it.
    pub callee: Callee,
    /// Its arguments.
    pub arguments: Vec<Value>,
}
