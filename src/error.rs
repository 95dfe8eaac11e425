//! What can go wrong for a program that embeds the engine.

/// Why a script did not compile or did not run to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The source is not PHP.
    #[error("parse error: {message} in {file} on line {line}")]
    Parse {
        /// PHP's message.
        message: String,
        /// The file as it was named.
        file: String,
        /// 1-based.
        line: u32,
    },
    /// The source breaks a rule that PHP checks when it compiles.
    #[error("{message} in {file} on line {line}")]
    Compile {
        /// PHP's message.
        message: String,
        /// The file as it was named.
        file: String,
        /// 1-based.
        line: u32,
    },
    /// The script ended with a fatal error or an uncaught exception, which is in its output.
    #[error("the script failed with status {status}")]
    Failed {
        /// What the process would exit with.
        status: i32,
    },
    /// A called function threw.
    #[error("uncaught {class}: {message} in {file} on line {line}")]
    Exception {
        /// Class of the exception.
        class: String,
        /// Its message.
        message: String,
        /// Where it was made.
        file: String,
        /// 1-based.
        line: u32,
    },
    /// There is no such function.
    #[error("no function named {name}")]
    NoFunction {
        /// The name.
        name: String,
    },
}

impl From<vm_runtime::interpreter::include::CompileFailure> for Error {
    fn from(failure: vm_runtime::interpreter::include::CompileFailure) -> Error {
        let file = String::from_utf8_lossy(&failure.file).into_owned();
        let (message, line) = (failure.message, failure.line);
        if failure.is_parse_error {
            Error::Parse {
                message,
                file,
                line,
            }
        } else {
            Error::Compile {
                message,
                file,
                line,
            }
        }
    }
}
