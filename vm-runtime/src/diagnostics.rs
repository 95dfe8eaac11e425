//! Warnings and errors of scripts.

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

/// Error handling state of a VM.
#[derive(Debug, Default)]
pub struct ErrorState {
    /// What was reported, in order (until output exists).
    pub reported: Vec<(u32, String)>,
}

impl crate::vm::Vm {
    /// Reports an error of a level.
    pub fn raise(&mut self, level: u32, message: &str) {
        self.errors.reported.push((level, message.to_owned()));
    }

    /// Reports a warning.
    #[cold]
    pub fn warning(&mut self, message: impl AsRef<str>) {
        self.raise(level::WARNING, message.as_ref());
    }

    /// Reports a notice.
    #[cold]
    pub fn notice(&mut self, message: impl AsRef<str>) {
        self.raise(level::NOTICE, message.as_ref());
    }

    /// Reports a deprecation.
    #[cold]
    pub fn deprecated(&mut self, message: impl AsRef<str>) {
        self.raise(level::DEPRECATED, message.as_ref());
    }
}
