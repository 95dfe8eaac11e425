//! The server's log, on standard error.

use std::io::Write;

/// Writes a line with the time before it.
pub(super) fn log(line: &str) {
    let line = format!("[{}] {line}\n", php_std::log_time());
    // There is nowhere to report a failure to.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
