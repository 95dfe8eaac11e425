//! The end of a VM: values go before the classes and functions that they refer to.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::function::Function;
use crate::heap::bail_out;
use crate::interpreter::host::is_host_function;
use crate::object::NativeData;
use crate::value::{ObjectHandle, PhpResource, Value, Zval, release};
use crate::vm::Vm;

/// How often is looked for resources that the closing of others has opened.
const CLOSING_ROUNDS: usize = 10;
/// How long closing may take, where there is a limit of time.
const CLOSING_TIME: Duration = Duration::from_millis(200);

impl Drop for Vm {
    fn drop(&mut self) {
        if self.unwound || self.heap.is_abandoned() || std::thread::panicking() {
            self.give_up_heap();
        } else if self.guard(Vm::release_values).is_err() {
            // A panic in here would be one too many.
            self.heap.abandon();
        }
        self.free_functions();
    }
}

/// What objects and resources hold outside the heap.
#[derive(Default)]
struct NativeParts {
    _of_objects: Vec<Box<dyn NativeData>>,
    _of_resources: Vec<Box<dyn std::any::Any>>,
}

impl Vm {
    /// Closes what is open, for a host whose process ends with the VM: the system takes back memory faster than
    /// the VM could. What objects and resources hold besides memory is let go as well, and written if it has to be.
    pub fn end_with_process(&mut self) {
        if !self.unwound && !self.heap.is_abandoned() {
            // What does not come back has been reported, and leaves the rest to the next line.
            let _ = self.guard(Vm::close_resources);
        }
        self.give_up_heap();
    }

    /// The heap goes as a whole: the process ends, or what was being done when the script ended holds values that
    /// nobody knows of.
    fn give_up_heap(&mut self) {
        self.heap.abandon();
        self.drop_native_parts();
    }

    /// Where the heap goes as a whole: frees the native parts of what is left in the heap, without running code of
    /// the script or destroying a value. That is how parts drop while a fatal error unwinds, so
    /// they are dropped by one.
    fn drop_native_parts(&mut self) {
        let mut parts = NativeParts::default();
        for object in self.objects.iter() {
            // SAFETY: I3: registered objects are live, and the heap still is.
            parts._of_objects.extend(unsafe { (*object).native.take() });
        }
        for &resource in self.heap.resources.values() {
            // SAFETY: I3: as above.
            parts
                ._of_resources
                .extend(unsafe { (*resource).payload.take() });
        }
        let are_some = !parts._of_objects.is_empty() || !parts._of_resources.is_empty();
        if are_some && !std::thread::panicking() {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                let _parts = parts;
                bail_out()
            }));
        }
    }

    /// Closes what is still open, the newest first: that may run code of the script, which needs its constants,
    /// static variables and classes. What that code opens is closed, too, unless it opens something each time.
    fn close_resources(&mut self) {
        self.start_short_timer(CLOSING_TIME);
        for _ in 0..CLOSING_ROUNDS {
            let open: Vec<*mut PhpResource> = self.heap.resources.values().copied().collect();
            // SAFETY: I3: registered resources are live, and stay so while they are held here.
            let open: Vec<Value> = unsafe {
                let open = open.into_iter();
                let open = open.filter(|&resource| (*resource).payload.is_some());
                open.map(|resource| {
                    (*resource).header.refcount += 1;
                    Value::from_zval(Zval::from_resource(resource))
                })
                .collect()
            };
            if open.is_empty() {
                break;
            }
            for resource in open.iter().rev() {
                // SAFETY: I3: it is held.
                unsafe {
                    let resource = resource.as_zval().counted().cast::<PhpResource>();
                    if let Some(before_close) = (*resource).before_close.take() {
                        before_close(resource);
                    }
                    (*resource).type_name = "";
                    drop((*resource).payload.take());
                }
                self.finish_exceptions();
            }
        }
        self.output.flush();
        self.stop_timer();
    }

    /// Releases all values that the VM itself holds. No destructor is called any more.
    fn release_values(&mut self) {
        self.close_resources();
        self.objects.ended = true;
        self.mark_destructed();
        let exception = std::mem::replace(&mut self.exception, std::ptr::null_mut());
        if !exception.is_null() {
            // SAFETY: I3: the VM owned a share of the pending exception.
            drop(unsafe { ObjectHandle::from_raw(exception) });
        }
        let globals = self.new_array();
        drop(std::mem::replace(&mut self.globals, globals));
        drop(std::mem::take(&mut self.shutdown_functions));
        drop(std::mem::take(&mut self.ticks));
        drop(std::mem::take(&mut self.autoloaders));
        drop(std::mem::take(&mut self.errors));
        drop(std::mem::take(&mut self.output));
        drop(std::mem::take(&mut self.kept));
        drop(self.destructor_fiber.take());
        drop(std::mem::take(&mut self.lazy));
        self.release_static_variables();
        self.release_class_values();
        for (_, constant) in std::mem::take(&mut self.cached_constants) {
            // SAFETY: made by FETCH_CONSTANT; no code runs any more that would look at it. It has
            // no share of the value.
            drop(unsafe { Box::from_raw(constant) });
        }
        drop(std::mem::take(&mut self.constants));
        drop(std::mem::take(&mut self.retired_constants));
        // What states own may run code of the script, which asks for states.
        drop(std::mem::take(&mut self.extensions));
        self.collect_cycles();
        drop(std::mem::replace(&mut self.globals, empty_globals()));
    }

    /// Frees the functions that scripts declared, and those whose frames are gone with the stack. Those
    /// of classes go with their class, native ones with their index.
    fn free_functions(&mut self) {
        self.kept_code.clear();
        let declared = self.functions.drain().map(|(_, function)| function);
        let functions = declared
            // SAFETY: I4: functions live until now.
            .filter(|&function| unsafe { is_own(function) })
            .chain(self.code_functions.drain())
            .chain(self.stand_ins.drain(..))
            .chain(std::iter::once(std::mem::replace(
                &mut self.pass_function,
                std::ptr::null_mut(),
            )));
        for function in functions.filter(|function| !function.is_null()) {
            // SAFETY: made with `Box::into_raw` for the table that it was just taken from.
            drop(unsafe { Box::from_raw(function) });
        }
    }

    /// Releases the static variables of functions and methods; those of closures went with them.
    fn release_static_variables(&mut self) {
        let mut functions: Vec<*mut Function> = self.functions.values().copied().collect();
        functions.extend(&self.code_functions);
        for &class in &self.class_state.list {
            // SAFETY: I4: classes live until the VM ends.
            functions.extend_from_slice(unsafe { &(*class).own_functions });
        }
        for function in functions {
            // SAFETY: I4: functions live until the VM ends.
            for value in unsafe { (*function).take_static_variables() } {
                // SAFETY: I3: the function gave up its share.
                unsafe { release(&value) };
            }
        }
    }
}

/// True for a function that its entry in the table of functions owns: one that a script declared, or
/// the host.
unsafe fn is_own(function: *mut Function) -> bool {
    // SAFETY: by the caller.
    unsafe { (*function).is_user || is_host_function(&*function) }
}

fn empty_globals() -> crate::value::ArrayHandle {
    // SAFETY: the empty array is always live.
    unsafe { crate::value::ArrayHandle::share_raw(crate::array::empty_array()) }
}
