//! The system's log.

use std::ffi::CString;

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{define, functions};

functions! {
    "openlog(string $prefix, int $flags, int $facility): true" => openlog,
    "closelog(): true" => closelog,
    "syslog(int $priority, string $message): true" => syslog,
}

#[cold]
pub(super) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    define(vm, CONSTANTS);
}

const CONSTANTS: &[(&str, i64)] = &[
    ("LOG_EMERG", libc::LOG_EMERG as i64),
    ("LOG_ALERT", libc::LOG_ALERT as i64),
    ("LOG_CRIT", libc::LOG_CRIT as i64),
    ("LOG_ERR", libc::LOG_ERR as i64),
    ("LOG_WARNING", libc::LOG_WARNING as i64),
    ("LOG_NOTICE", libc::LOG_NOTICE as i64),
    ("LOG_INFO", libc::LOG_INFO as i64),
    ("LOG_DEBUG", libc::LOG_DEBUG as i64),
    ("LOG_KERN", libc::LOG_KERN as i64),
    ("LOG_USER", libc::LOG_USER as i64),
    ("LOG_MAIL", libc::LOG_MAIL as i64),
    ("LOG_DAEMON", libc::LOG_DAEMON as i64),
    ("LOG_AUTH", libc::LOG_AUTH as i64),
    ("LOG_SYSLOG", libc::LOG_SYSLOG as i64),
    ("LOG_LPR", libc::LOG_LPR as i64),
    ("LOG_NEWS", libc::LOG_NEWS as i64),
    ("LOG_UUCP", libc::LOG_UUCP as i64),
    ("LOG_CRON", libc::LOG_CRON as i64),
    ("LOG_AUTHPRIV", libc::LOG_AUTHPRIV as i64),
    ("LOG_LOCAL0", libc::LOG_LOCAL0 as i64),
    ("LOG_LOCAL1", libc::LOG_LOCAL1 as i64),
    ("LOG_LOCAL2", libc::LOG_LOCAL2 as i64),
    ("LOG_LOCAL3", libc::LOG_LOCAL3 as i64),
    ("LOG_LOCAL4", libc::LOG_LOCAL4 as i64),
    ("LOG_LOCAL5", libc::LOG_LOCAL5 as i64),
    ("LOG_LOCAL6", libc::LOG_LOCAL6 as i64),
    ("LOG_LOCAL7", libc::LOG_LOCAL7 as i64),
    ("LOG_PID", libc::LOG_PID as i64),
    ("LOG_CONS", libc::LOG_CONS as i64),
    ("LOG_ODELAY", libc::LOG_ODELAY as i64),
    ("LOG_NDELAY", libc::LOG_NDELAY as i64),
    ("LOG_NOWAIT", libc::LOG_NOWAIT as i64),
    ("LOG_PERROR", libc::LOG_PERROR as i64),
];

/// What `openlog()` was told. The system keeps a pointer to the prefix: it lives until the next
/// `openlog()` or the end.
#[derive(Debug, Default)]
struct Log {
    prefix: Option<CString>,
}

impl Drop for Log {
    fn drop(&mut self) {
        if self.prefix.is_some() {
            // SAFETY: the log may be closed at any time; it forgets the prefix.
            unsafe { libc::closelog() };
        }
    }
}

/// A text without its zero bytes.
fn c_text(bytes: &[u8]) -> CString {
    let plain: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != 0).collect();
    CString::new(plain).unwrap_or_default()
}

fn openlog(call: &mut Call<'_>) -> PhpResult<Value> {
    let prefix = c_text(call.bytes(0));
    let (flags, facility) = (call.long(1) as i32, call.long(2) as i32);
    // SAFETY: the prefix is kept below for as long as the log uses it.
    unsafe { libc::openlog(prefix.as_ptr(), flags, facility) };
    call.vm.extensions.state::<Log>().prefix = Some(prefix);
    Ok(true.into())
}

fn closelog(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: the log may be closed at any time; it forgets the prefix.
    unsafe { libc::closelog() };
    call.vm.extensions.state::<Log>().prefix = None;
    Ok(true.into())
}

fn syslog(call: &mut Call<'_>) -> PhpResult<Value> {
    let (priority, text) = (call.long(0) as i32, call.bytes(1));
    for line in text.split(|&byte| byte == b'\n') {
        call.vm.poll();
        vm_runtime::diagnostics::write_syslog(priority, line);
    }
    Ok(true.into())
}
