//! Warnings and errors of scripts: raising them, calling user handlers, showing and logging them.

mod display;
mod handlers;

pub use display::{log_time, write_syslog};
pub use handlers::Handlers;

use crate::heap::bail_out;
use crate::message::Message;
use crate::value::StringHandle;
use crate::vm::Vm;

/// Error levels, as `error_reporting` has them.
pub mod level {
    /// Fatal run-time error.
    pub const ERROR: u32 = 1;
    /// Run-time warning.
    pub const WARNING: u32 = 2;
    /// Parse error.
    pub const PARSE: u32 = 4;
    /// Notice.
    pub const NOTICE: u32 = 8;
    /// Fatal start-up error.
    pub const CORE_ERROR: u32 = 16;
    /// Start-up warning.
    pub const CORE_WARNING: u32 = 32;
    /// Fatal compile-time error.
    pub const COMPILE_ERROR: u32 = 64;
    /// Compile-time warning.
    pub const COMPILE_WARNING: u32 = 128;
    /// `trigger_error(E_USER_ERROR)`
    pub const USER_ERROR: u32 = 256;
    /// `trigger_error(E_USER_WARNING)`
    pub const USER_WARNING: u32 = 512;
    /// `trigger_error(E_USER_NOTICE)`
    pub const USER_NOTICE: u32 = 1024;
    /// Not given any more.
    pub const STRICT: u32 = 2048;
    /// A wrong type of argument that may be caught.
    pub const RECOVERABLE_ERROR: u32 = 4096;
    /// Deprecation.
    pub const DEPRECATED: u32 = 8192;
    /// `trigger_error(E_USER_DEPRECATED)`
    pub const USER_DEPRECATED: u32 = 16384;
    /// Everything.
    pub const ALL: u32 = 30719;
    /// Errors that end the script.
    pub const FATAL: u32 =
        ERROR | CORE_ERROR | COMPILE_ERROR | USER_ERROR | RECOVERABLE_ERROR | PARSE;
}

/// The error that `error_get_last()` tells.
#[derive(Debug, Clone)]
pub struct LastError {
    /// Its level.
    pub level: u32,
    /// Its text.
    pub message: Vec<u8>,
    /// Where it happened.
    pub file: StringHandle,
    /// Where it happened.
    pub line: u32,
}

/// Error handling state of a VM.
#[derive(Debug)]
pub struct ErrorState {
    /// The levels that are shown: `error_reporting`, narrowed by `@`.
    pub reporting: u32,
    /// The last error that no user handler took care of.
    pub last: Option<LastError>,
    /// User error handlers.
    pub error_handlers: Handlers,
    /// User exception handlers.
    pub exception_handlers: Handlers,
    /// A fatal error is being reported.
    pub(crate) in_fatal_error: bool,
}

impl Default for ErrorState {
    fn default() -> ErrorState {
        ErrorState {
            reporting: level::ALL,
            last: None,
            error_handlers: Handlers::default(),
            exception_handlers: Handlers::default(),
            in_fatal_error: false,
        }
    }
}

/// Levels that no user handler gets to see.
const NOT_HANDLED: u32 = level::ERROR
    | level::PARSE
    | level::CORE_ERROR
    | level::CORE_WARNING
    | level::COMPILE_ERROR
    | level::COMPILE_WARNING;

/// Levels that end the script, unless a user handler takes care of them.
const ENDING: u32 = level::ERROR
    | level::CORE_ERROR
    | level::COMPILE_ERROR
    | level::USER_ERROR
    | level::RECOVERABLE_ERROR;

impl Vm {
    /// Reports an error at the current position. Levels that end the script do not return unless
    /// a user handler took care of them.
    #[cold]
    pub fn raise(&mut self, level: u32, message: impl Message) {
        let file = self.current_file();
        let line = self.current_line();
        let handled = self.raise_at(level, message, &file, line);
        if !handled && level & ENDING != 0 {
            self.end_after_fatal_error();
        }
    }

    /// Reports an error at a given position; returns true if a user handler took care of it. Never
    /// ends the script.
    #[cold]
    pub fn raise_at(
        &mut self,
        level: u32,
        message: impl Message,
        file: &StringHandle,
        line: u32,
    ) -> bool {
        let message = message.message();
        let message = &*message;
        if level & NOT_HANDLED == 0 && self.call_error_handler(level, message, file, line) {
            return true;
        }
        self.show_error(level, message, file, line);
        if level & level::FATAL != 0 {
            self.exit_status = 255;
        }
        false
    }

    /// Reports a warning. It may run a user handler, which may throw: see [`Vm::check`].
    #[cold]
    pub fn warning(&mut self, message: impl Message) {
        self.raise(level::WARNING, message);
    }

    /// Reports a notice; see [`Vm::warning`].
    #[cold]
    pub fn notice(&mut self, message: impl Message) {
        self.raise(level::NOTICE, message);
    }

    /// Reports a deprecation; see [`Vm::warning`].
    #[cold]
    pub fn deprecated(&mut self, message: impl Message) {
        self.raise(level::DEPRECATED, message);
    }

    /// Reports an error of the native function that is running: `name(): message`.
    #[cold]
    pub fn raise_in_function(&mut self, level: u32, message: impl Message) {
        let mut text = self.current_native_name();
        text.extend_from_slice(b": ");
        text.extend_from_slice(&message.message());
        self.raise(level, text);
    }

    /// As [`Vm::warning`], with the name of the native function that is running.
    #[cold]
    pub fn function_warning(&mut self, message: impl Message) {
        self.raise_in_function(level::WARNING, message);
    }

    /// As [`Vm::notice`], with the name of the native function that is running.
    #[cold]
    pub fn function_notice(&mut self, message: impl Message) {
        self.raise_in_function(level::NOTICE, message);
    }

    /// As [`Vm::deprecated`], with the name of the native function that is running.
    #[cold]
    pub fn function_deprecated(&mut self, message: impl Message) {
        self.raise_in_function(level::DEPRECATED, message);
    }

    /// As [`Vm::fatal_error`], with the name of the native function that is running.
    #[cold]
    pub fn function_fatal_error(&mut self, message: &str) -> ! {
        self.raise_in_function(level::ERROR, message);
        bail_out()
    }

    /// `name()` of the innermost native function that is running.
    pub(crate) fn current_native_name(&self) -> Vec<u8> {
        if self.current_frame.is_null() {
            return match self.ini.is_starting() {
                true => b"PHP Startup".to_vec(),
                false => b"PHP Request Shutdown".to_vec(),
            };
        }
        // SAFETY: I4: the current frame and its function are live.
        unsafe {
            let function = (*self.current_frame).function;
            if let Some(name) = crate::exceptions::running_include(self.current_frame) {
                return format!("{name}()").message().into_owned();
            }
            if function.is_null() {
                return b"main()".to_vec();
            }
            format!("{}()", (*function).display_name())
                .message()
                .into_owned()
        }
    }

    /// Reports a fatal error and unwinds to the native entry.
    #[cold]
    pub fn fatal_error(&mut self, message: &str) -> ! {
        if std::mem::replace(&mut self.errors.in_fatal_error, true) {
            // A fatal error while one is reported: nothing more can be said.
            bail_out();
        }
        let file = self.current_file();
        let line = self.current_line();
        self.raise_at(level::ERROR, message, &file, line);
        self.end_after_fatal_error()
    }

    fn end_after_fatal_error(&mut self) -> ! {
        self.errors.in_fatal_error = false;
        self.exit_status = 255;
        bail_out()
    }

    /// `@`: from here only fatal errors are shown. Returns what [`Vm::end_silence`] restores.
    #[inline]
    pub fn begin_silence(&mut self) -> u32 {
        let before = self.errors.reporting;
        self.errors.reporting &= level::FATAL;
        before
    }

    /// The levels of the `error_reporting` setting, which `@` does not change.
    pub fn configured_reporting(&self) -> u32 {
        match self.ini.get(b"error_reporting").flatten() {
            Some(_) => self.ini.long("error_reporting") as u32,
            None => level::ALL,
        }
    }

    /// The end of `@`, unless the levels were changed meanwhile.
    #[inline]
    pub fn end_silence(&mut self, before: u32) {
        if self.errors.reporting & !level::FATAL == 0 && before & !level::FATAL != 0 {
            self.errors.reporting = before;
        }
    }
}
