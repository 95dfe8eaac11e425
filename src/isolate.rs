//! One VM, for a host program.

use vm_runtime::function::Call;
use vm_runtime::output::Sink;
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::Vm as Isolate;

use crate::engine::Script;
use crate::error::Error;
use crate::interrupter::Interrupter;

/// A VM: one isolate with its own memory, functions, classes and globals.
#[derive(Debug)]
pub struct Vm {
    isolate: Box<Isolate>,
}

// SAFETY: a VM owns all it refers to and shares nothing that is written with other VMs; what is
// shared (scripts, interned strings) is immutable.
unsafe impl Send for Vm {}

/// An argument or result of a call from the host.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// `null`
    Null,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `float`
    Float(f64),
    /// `string`
    Text(Vec<u8>),
    /// `array`, as a list of values
    List(Vec<Argument>),
    /// Anything else, by the name of its type.
    Other(String),
}

impl Vm {
    pub(crate) fn from_isolate(isolate: Box<Isolate>) -> Vm {
        Vm { isolate }
    }

    /// The VM below, with everything the runtime crate offers.
    pub fn isolate(&mut self) -> &mut Isolate {
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
    pub fn set_global(&mut self, name: &str, value: Argument) {
        let value = self.make_value(value);
        let isolate = &mut *self.isolate;
        isolate.set_global(name.as_bytes(), value);
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
            let arguments: Vec<Argument> = (0..call.count())
                .map(|index| from_value(&call.value(index)))
                .collect();
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
        let arguments: Vec<Value> = arguments
            .into_iter()
            .map(|argument| self.make_value(argument))
            .collect();
        let called = self.isolate.guard(|vm| {
            vm.call_function(function, None, std::ptr::null_mut(), arguments)
                .map(|value| from_value(&value))
        });
        match called {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(_)) => Err(self.take_exception()),
            Err(_) => Err(Error::Failed { status: 255 }),
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

    fn make_value(&mut self, argument: Argument) -> Value {
        to_value(&mut self.isolate, argument)
    }
}

fn to_value(vm: &mut Isolate, argument: Argument) -> Value {
    match argument {
        Argument::Null | Argument::Other(_) => Value::NULL,
        Argument::Bool(value) => value.into(),
        Argument::Int(value) => value.into(),
        Argument::Float(value) => value.into(),
        Argument::Text(bytes) => vm.string(bytes).into(),
        Argument::List(values) => {
            let mut list = vm.new_array();
            for value in values {
                let value = to_value(vm, value);
                // A fresh list has room for as many elements as fit in memory.
                let _ = list.make_mut(vm).push(value);
            }
            list.into()
        }
    }
}

fn from_value(value: &Value) -> Argument {
    match value.as_zval().view() {
        ValueKind::Null => Argument::Null,
        ValueKind::Bool(value) => Argument::Bool(value),
        ValueKind::Long(value) => Argument::Int(value),
        ValueKind::Double(value) => Argument::Float(value),
        ValueKind::String(text) => Argument::Text(text.as_bytes().to_vec()),
        ValueKind::Array(array) => Argument::List(
            array
                .iter()
                .map(|(_, value)| from_value(&Value::share(value)))
                .collect(),
        ),
        ValueKind::Object(object) => Argument::Other(object.class().display_name()),
        ValueKind::Resource(_) => Argument::Other(String::from("resource")),
    }
}

impl Vm {
    /// Sets `$argv`, `$argc` and `$_SERVER` for a script named `script`.
    pub fn set_command_line(&mut self, script: &[u8], rest: &[Vec<u8>]) {
        let mut words = vec![Argument::Text(script.to_vec())];
        words.extend(rest.iter().map(|word| Argument::Text(word.clone())));
        let count = words.len() as i64;
        let list = self.make_value(Argument::List(words));
        self.isolate.set_superglobals(script, list, count);
    }

    /// Compiles and runs source text as the main script, and gives the exit status. Everything
    /// that goes wrong is in the output, as PHP words it. With `is_bare` the text has no opening
    /// tag (`-r`).
    pub fn run_main(&mut self, source: &[u8], name: &[u8], is_bare: bool) -> i32 {
        use crate::compile::{SourceKind, compile};
        let kind = if is_bare {
            SourceKind::Eval
        } else {
            SourceKind::MainFile
        };
        if !is_bare {
            self.isolate.included_files.push(name.to_vec());
        }
        let compiled = self.isolate.guard(|vm| compile(vm, source, name, kind));
        match compiled {
            Ok(Ok(script)) => self.isolate.run_request(&script),
            Ok(Err(failure)) => {
                use vm_runtime::diagnostics::level;
                let level = if failure.is_parse_error {
                    level::PARSE
                } else {
                    level::COMPILE_ERROR
                };
                self.isolate
                    .report_at(level, failure.message, &failure.file, failure.line);
                self.isolate.exit_status = 255;
                self.isolate.shut_down();
                255
            }
            Err(_) => {
                self.isolate.shut_down();
                255
            }
        }
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
        match compile(&mut self.isolate, source, name, kind) {
            Ok(_) => Ok(()),
            Err(failure) => Err(Error::from(failure)),
        }
    }
}
