//! One VM, for a host program.

use vm_runtime::function::Call;
use vm_runtime::interpreter::include::CompileFailure;
use vm_runtime::output::Sink;
use vm_runtime::vm::{Thrown, Vm as Isolate};

use crate::argument::{Argument, from_values, to_value};
use crate::engine::Script;
use crate::error::Error;
use crate::interrupter::Interrupter;

#[doc(hidden)]
pub use vm_runtime::interpreter::host::STANDARD_INPUT;

/// A VM: one isolate with its own memory, functions, classes and globals.
#[derive(Debug)]
pub struct Vm {
    isolate: Box<Isolate>,
}

// SAFETY: a VM owns all it refers to and shares nothing that is written with other VMs; what is
// shared (scripts, interned strings) is immutable.
unsafe impl Send for Vm {}

impl Vm {
    pub(crate) fn from_isolate(isolate: Box<Isolate>) -> Vm {
        Vm { isolate }
    }

    /// Writes a message as PHP words an error at a place, with the output written so far.
    pub fn report(&mut self, level: u32, message: &str, file: &str, line: u32) {
        self.isolate
            .report_at(level, message, file.as_bytes(), line);
        self.isolate.output.flush();
    }

    /// Sends the output written so far to where it goes.
    pub fn flush_output(&mut self) {
        self.isolate.output.flush();
    }

    /// The VM below, for the command, which is a part of the engine. No promise is kept to others.
    #[doc(hidden)]
    pub fn runtime(&mut self) -> &mut Isolate {
        &mut self.isolate
    }

    /// Keeps output in memory; [`Vm::take_output`] gives it.
    pub fn capture_output(&mut self) {
        self.isolate.output.set_sink(Sink::Capture(Vec::new()));
    }

    /// What was written since the last call, if output is captured.
    pub fn take_output(&mut self) -> Vec<u8> {
        self.isolate.output.take_captured()
    }

    /// Sets an ini setting, as `-d name=value` does; false if there is no such setting or it does
    /// not take the value.
    pub fn set_ini(&mut self, name: &str, value: &str) -> bool {
        self.isolate.set_ini_at_start(name, value)
    }

    /// What stops the script that this VM runs, for another thread.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.isolate.interrupt.clone())
    }

    /// Sets a global variable.
    ///
    /// # Errors
    /// [`Error::Failed`] if the value does not fit into the memory limit.
    pub fn set_global(&mut self, name: &str, value: Argument) -> Result<(), Error> {
        self.guarded(|vm| {
            let value = to_value(vm, value);
            vm.set_global(name.as_bytes(), value);
        })
    }

    /// Runs `body`, which a fatal error may end.
    pub(crate) fn guarded<T>(&mut self, body: impl FnOnce(&mut Isolate) -> T) -> Result<T, Error> {
        let result = self.isolate.guard_call(body);
        result.map_err(|_| Error::Failed {
            status: self.isolate.exit_status,
        })
    }

    /// Runs a script to its end, shutdown functions and destructors included.
    ///
    /// # Errors
    /// [`Error::Failed`] if it ended with a fatal error or an uncaught exception; what PHP says
    /// about it is in the output.
    pub fn run(&mut self, script: &Script) -> Result<(), Error> {
        match self.isolate.run_request(&script.compiled) {
            255 => Err(Error::Failed { status: 255 }),
            _ => Ok(()),
        }
    }

    /// The status that the script's last run ended with (`exit(3)`).
    pub fn exit_status(&self) -> i32 {
        self.isolate.exit_status
    }

    /// Gives scripts a function. Its parameters are not typed; `body` gets all arguments.
    pub fn register_function(
        &mut self,
        name: &str,
        body: impl Fn(&[Argument]) -> Argument + Send + 'static,
    ) {
        let body = move |call: &mut Call<'_>| {
            let arguments = (0..call.count()).map(|index| call.value(index));
            let arguments = from_values(call.vm, arguments.collect());
            let result = body(&arguments);
            Ok(to_value(call.vm, result))
        };
        self.isolate
            .register_host_function(name.as_bytes(), Box::new(body));
    }

    /// Calls a function that scripts or the standard library define.
    ///
    /// # Errors
    /// [`Error::NoFunction`]; [`Error::Exception`] if it threw; [`Error::Failed`] after a fatal
    /// error.
    pub fn call(&mut self, name: &str, arguments: Vec<Argument>) -> Result<Argument, Error> {
        let lowercase = name.to_ascii_lowercase();
        let Some(function) = self.isolate.find_function(lowercase.as_bytes()) else {
            return Err(Error::NoFunction {
                name: name.to_string(),
            });
        };
        let called = self.guarded(|vm| {
            let arguments = arguments
                .into_iter()
                .map(|argument| to_value(vm, argument))
                .collect();
            let value = vm.call_function(function, None, std::ptr::null_mut(), arguments)?;
            Ok(from_values(vm, vec![value]).pop())
        });
        match called? {
            Ok(value) => Ok(value.unwrap_or(Argument::Null)),
            Err(Thrown) => Err(self.take_exception()),
        }
    }

    fn take_exception(&mut self) -> Error {
        match self.isolate.take_exception_parts() {
            Some((class, message, file, line)) => Error::Exception {
                class,
                message,
                file,
                line,
            },
            None => Error::Failed { status: 255 },
        }
    }
}

impl Vm {
    /// Sets `$argv`, `$argc` and `$_SERVER` for a script named `script`.
    pub fn set_command_line(&mut self, script: &[u8], rest: &[Vec<u8>]) {
        let mut words = vec![Argument::Text(script.to_vec())];
        words.extend(rest.iter().map(|word| Argument::Text(word.clone())));
        let count = words.len() as i64;
        let list = to_value(&mut self.isolate, Argument::List(words));
        self.isolate.set_superglobals(script, list, count);
    }

    /// Compiles and runs source text as the main script, and gives the exit status. Everything
    /// that goes wrong is in the output, as PHP words it. With `is_bare` the text has no opening
    /// tag (`-r`).
    pub fn run_main(&mut self, source: &[u8], name: &[u8], is_bare: bool) -> i32 {
        self.run_source(source, name, is_bare, |_| {}).0
    }

    /// As [`Vm::run_main`], for a script that answers a request: `end` runs when it has ended. Tells
    /// besides whether it returned `true` or `false`.
    #[doc(hidden)]
    pub fn run_main_for_result(
        &mut self,
        source: &[u8],
        name: &[u8],
        end: fn(&mut Isolate),
    ) -> (i32, Option<bool>) {
        self.run_source(source, name, false, end)
    }

    fn run_source(
        &mut self,
        source: &[u8],
        name: &[u8],
        is_bare: bool,
        end: fn(&mut Isolate),
    ) -> (i32, Option<bool>) {
        use crate::compile::{SourceKind, compile};
        let kind = if is_bare {
            SourceKind::Eval
        } else {
            SourceKind::MainFile
        };
        // Standard input is no file that was included.
        if !is_bare && name != STANDARD_INPUT {
            self.isolate.included_files.add(name);
        }
        let compiled = self.isolate.guard(|vm| {
            vm.start_buffer_of_settings();
            compile(vm, source, name, kind)
        });
        let status = match compiled {
            // Code of the command line has no neighbours.
            Ok(Ok(script)) if is_bare => self.isolate.run_request_alone(&script),
            Ok(Ok(script)) => self.isolate.run_request(&script),
            Ok(Err(failure)) => {
                self.report_failure(failure);
                self.isolate.shut_down();
                255
            }
            Err(_) => {
                self.isolate.shut_down();
                255
            }
        };
        end(&mut self.isolate);
        (status, self.isolate.main_result.take())
    }

    /// Says what is wrong with source text that does not compile; the exit status says so, too.
    fn report_failure(&mut self, failure: CompileFailure) {
        use vm_runtime::diagnostics::level;
        let level = if failure.is_parse_error {
            level::PARSE
        } else {
            level::COMPILE_ERROR
        };
        self.isolate
            .report_at(level, failure.message, &failure.file, failure.line);
        self.isolate.exit_status = 255;
    }

    /// Compiles and runs a piece of an interactive session; what it leaves is there for the next.
    /// Gives false after `exit` and after a fatal error.
    #[doc(hidden)]
    pub fn run_piece(&mut self, source: &[u8], name: &[u8]) -> bool {
        use crate::compile::{SourceKind, compile};
        let compiled = self
            .isolate
            .guard(|vm| compile(vm, source, name, SourceKind::Eval));
        match compiled {
            Ok(Ok(script)) => self.isolate.run_piece(script),
            Ok(Err(failure)) => {
                self.report_failure(failure);
                true
            }
            Err(_) => false,
        }
    }

    /// Compiles and runs one of the parts that options of the command give (`-B`, `-R`, `-E`). Gives false after a
    /// fatal error.
    #[doc(hidden)]
    pub fn run_part(&mut self, source: &[u8], name: &[u8]) -> bool {
        use crate::compile::{SourceKind, compile};
        let compiled = self
            .isolate
            .guard(|vm| compile(vm, source, name, SourceKind::Eval));
        match compiled {
            Ok(Ok(script)) => {
                // Later parts call its functions.
                let script = std::mem::ManuallyDrop::new(script);
                self.isolate.run_part(|vm| vm.run_script(&script))
            }
            Ok(Err(failure)) => {
                self.report_failure(failure);
                true
            }
            Err(_) => false,
        }
    }

    /// Ends an interactive session: shutdown functions and destructors run. Gives the exit status.
    #[doc(hidden)]
    pub fn end_pieces(&mut self) -> i32 {
        self.isolate.shut_down();
        self.isolate.exit_status
    }

    /// Compiles source text without running it.
    ///
    /// # Errors
    /// [`Error::Parse`] or [`Error::Compile`].
    pub fn check(&mut self, source: &[u8], name: &[u8], is_bare: bool) -> Result<(), Error> {
        use crate::compile::{SourceKind, compile};
        let kind = if is_bare {
            SourceKind::Eval
        } else {
            SourceKind::MainFile
        };
        self.guarded(|vm| compile(vm, source, name, kind))??;
        Ok(())
    }
}
