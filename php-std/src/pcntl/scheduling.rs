//! Priorities, processors and name spaces of processes.

use std::os::raw::c_int;

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators::{numeric_string, value_name};
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::{note, warn};
use crate::support::{hold, list};

fn errno() -> c_int {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// Warns of what kept a priority from being told or changed.
fn priority_failed(call: &mut Call<'_>, mode_at: usize) -> PhpResult<Value> {
    let error = note(call.vm);
    let reason = match error {
        libc::ESRCH => "No process was located using the given parameters",
        libc::EINVAL => {
            let problem = "must be one of PRIO_PGRP, PRIO_USER, or PRIO_PROCESS";
            return Err(call.value_error(mode_at, problem));
        }
        libc::EPERM => {
            "A process was located, but neither its effective nor real user ID matched the \
             effective user ID of the caller"
        }
        libc::EACCES => "Only a super user may attempt to increase the process priority",
        _ => "Unknown error has occurred",
    };
    warn(call.vm, format!("Error {error}: {reason}"))
}

pub(super) fn getpriority(call: &mut Call<'_>) -> PhpResult<Value> {
    let process = call.optional_long(0).unwrap_or(0);
    let mode = call.long(1);
    // SAFETY: the number of the error is the thread's own; the system checks the arguments.
    let priority = unsafe {
        *libc::__errno_location() = 0;
        libc::getpriority(mode as libc::__priority_which_t, process as libc::id_t)
    };
    if errno() != 0 {
        return priority_failed(call, 1);
    }
    Ok(i64::from(priority).into())
}

pub(super) fn setpriority(call: &mut Call<'_>) -> PhpResult<Value> {
    let (priority, mode) = (call.long(0) as c_int, call.long(2));
    let process = call.optional_long(1).unwrap_or(0);
    // SAFETY: the system checks the arguments.
    let outcome = unsafe {
        libc::setpriority(
            mode as libc::__priority_which_t,
            process as libc::id_t,
            priority,
        )
    };
    if outcome != 0 {
        return priority_failed(call, 2);
    }
    Ok(true.into())
}

pub(super) fn unshare(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: the system checks the flags; what is shared stays as it is for other threads.
    if unsafe { libc::unshare(call.long(0) as c_int) } == 0 {
        return Ok(true.into());
    }
    let error = note(call.vm);
    let reason = match error {
        libc::EINVAL => {
            let problem = "must be a combination of CLONE_* flags, or at least one flag is \
                           unsupported by the kernel";
            return Err(call.value_error(0, problem));
        }
        libc::ENOMEM => "Insufficient memory for unshare",
        libc::EPERM => "No privilege to use these flags",
        _ => "Unknown error has occurred",
    };
    warn(call.vm, format!("Error {error}: {reason}"))
}

pub(super) fn setns(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: asks for the process's own number.
    let own = i64::from(unsafe { libc::getpid() });
    let process = call.optional_long(0).unwrap_or(own);
    let kind = call.long(1);
    // SAFETY: the system checks the number; the descriptor is ours and closed below.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) } as c_int;
    if descriptor < 0 {
        let error = note(call.vm);
        return match error {
            libc::EINVAL | libc::ESRCH => {
                Err(call.value_error(0, &format!("is not a valid process ({process})")))
            }
            libc::ENFILE => warn(
                call.vm,
                format!("Error {error}: File descriptors per-process limit reached"),
            ),
            _ => warn(call.vm, format!("Error {error}")),
        };
    }
    // SAFETY: the descriptor is open; it is closed once.
    let outcome = unsafe {
        let outcome = libc::setns(descriptor, kind as c_int);
        if outcome != 0 {
            note(call.vm);
        }
        libc::close(descriptor);
        outcome
    };
    if outcome == 0 {
        return Ok(true.into());
    }
    let error = call.vm.extensions.state::<super::LastError>().0;
    match error {
        libc::ESRCH => {
            let message = format!("Error {error}: process no longer available ({process})");
            warn(call.vm, message)
        }
        libc::EINVAL => Err(call.value_error(1, &format!("is an invalid nstype ({kind})"))),
        libc::EPERM => {
            let message = format!("Error {error}: No required capability for this process");
            warn(call.vm, message)
        }
        _ => warn(call.vm, format!("Error {error}")),
    }
}

/// The process in argument #1, 0 for the running one.
fn process(call: &Call<'_>) -> libc::pid_t {
    call.optional_long(0).unwrap_or(0) as libc::pid_t
}

/// How many processors there are.
fn processors() -> i64 {
    // SAFETY: asks the system.
    unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) }
}

pub(super) fn getcpuaffinity(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: zeros are a set without members, which the system fills.
    let (outcome, set) = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        let size = size_of::<libc::cpu_set_t>();
        (libc::sched_getaffinity(process(call), size, &mut set), set)
    };
    if outcome != 0 {
        let error = note(call.vm);
        return match error {
            libc::ESRCH | libc::EINVAL => {
                let shown = call.optional_long(0).unwrap_or(0);
                Err(call.value_error(0, &format!("invalid process ({shown})")))
            }
            libc::EPERM => warn(
                call.vm,
                "Calling process not having the proper privileges".into(),
            ),
            _ => warn(call.vm, format!("Error {error}")),
        };
    }
    let members: Vec<Value> = (0..processors())
        // SAFETY: reads the set; there are not more processors than it has room for.
        .filter(|&number| unsafe { libc::CPU_ISSET(number as usize, &set) })
        .map(Value::from)
        .collect();
    Ok(list(call.vm, members))
}

pub(super) fn setcpuaffinity(call: &mut Call<'_>) -> PhpResult<Value> {
    let wanted = call.elements(1);
    if wanted.is_empty() {
        return Err(call.value_error(1, "must not be empty"));
    }
    let most = processors();
    // SAFETY: zeros are a set without members.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for (_, value) in wanted.iter() {
        let value = hold(value);
        let number = match value.view() {
            ValueKind::Long(number) => number,
            ValueKind::String(text) => match numeric_string::parse_whole(text.as_bytes()) {
                Some(_) => numeric_string::to_long(text.as_bytes()),
                None => {
                    let shown = text.to_text().into_owned();
                    return Err(call.value_error(1, &format!("cpu id invalid value ({shown})")));
                }
            },
            _ => {
                let given = value_name(&value);
                let problem = format!("value must be of type int|string, {given} given");
                return Err(call.type_error(1, &problem));
            }
        };
        if !(0..most).contains(&number) {
            let problem = format!("cpu id must be between 0 and {most} ({number})");
            return Err(call.value_error(1, &problem));
        }
        // SAFETY: the number is within the set.
        unsafe { libc::CPU_SET(number as usize, &mut set) };
    }
    // SAFETY: the set is as large as is told.
    let outcome =
        unsafe { libc::sched_setaffinity(process(call), size_of::<libc::cpu_set_t>(), &set) };
    if outcome == 0 {
        return Ok(true.into());
    }
    let error = note(call.vm);
    match error {
        libc::ESRCH => {
            let shown = call.optional_long(0).unwrap_or(0);
            Err(call.value_error(0, &format!("invalid process ({shown})")))
        }
        libc::EPERM => warn(
            call.vm,
            "Calling process not having the proper privileges".into(),
        ),
        libc::EINVAL => {
            let message = "Invalid cpu affinity mask or unmapped cpu(s)";
            Err(call.vm.throw_error(KnownClass::ValueError, message))
        }
        _ => warn(call.vm, format!("Error {error}")),
    }
}

pub(super) fn getcpu(_call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: asks the system.
    Ok(i64::from(unsafe { libc::sched_getcpu() }).into())
}
