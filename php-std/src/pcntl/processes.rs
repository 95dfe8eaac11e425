//! Processes: making them, waiting for them, becoming another program.

use std::ffi::CString;
use std::os::raw::{c_char, c_int};

use std::time::Duration;

use vm_runtime::array::KeyRef;
use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::{LastError, error_text, note, warn};
use crate::support::{hold, string_of, text};

/// How long a process is not looked for while it is waited for.
const LONGEST_SLEEP: Duration = Duration::from_millis(2);

pub(super) fn fork(call: &mut Call<'_>) -> PhpResult<Value> {
    // What waits to be written would be written by both.
    call.vm.output.flush();
    let left = call.vm.time_left();
    // SAFETY: the child goes on in this thread alone, and needs no other.
    let process = unsafe { libc::fork() };
    if process == 0 {
        call.vm.continue_in_copy(left);
    }
    if process < 0 {
        let error = note(call.vm);
        let message = format!("Error {error}");
        call.vm.function_warning(message);
        call.vm.check()?;
    }
    Ok(i64::from(process).into())
}

/// Calls `wait` with flags until there is something to tell of a process, unless they say not to wait.
/// Limits end that, and signals do whose functions ask for it.
fn wait_for_process(flags: c_int, mut wait: impl FnMut(c_int) -> c_int) -> c_int {
    if flags & libc::WNOHANG != 0 {
        return wait(flags);
    }
    let before = super::signals::count();
    limits::wait_until(|slice| {
        let found = wait(flags | libc::WNOHANG);
        if found != 0 {
            return Some(found);
        }
        // A signal ends the sleep.
        let time = slice.min(LONGEST_SLEEP).as_millis() as c_int;
        // SAFETY: nothing is looked at, so this only takes time.
        unsafe { libc::poll(std::ptr::null_mut(), 0, time) };
        if super::signals::interrupt_since(before) {
            // SAFETY: the place is this thread's.
            unsafe { *libc::__errno_location() = libc::EINTR };
            return Some(-1);
        }
        None
    })
}

/// Waits for a process; where to look for options and to tell of the status and the usage is
/// said by the numbers of the arguments.
fn wait(call: &mut Call<'_>, process: i64, status_at: usize) -> PhpResult<Value> {
    let flags = call.long(status_at + 1) as c_int;
    let mut status: c_int = 0;
    // SAFETY: zeros are a value of the structure.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let found = wait_for_process(flags, |flags| {
        // SAFETY: the system fills what is pointed to.
        unsafe { libc::wait4(process as libc::pid_t, &mut status, flags, &mut usage) }
    });
    if found < 0 {
        note(call.vm);
    }
    if call.count() > status_at + 2 {
        let table = match found {
            1.. => crate::standard::info::time::usage_table(call.vm, &usage),
            _ => call.vm.new_array().into(),
        };
        call.assign(status_at + 2, table);
    }
    call.assign(status_at, i64::from(status).into());
    limits::poll();
    call.vm.run_signals()?;
    Ok(i64::from(found).into())
}

pub(super) fn waitpid(call: &mut Call<'_>) -> PhpResult<Value> {
    wait(call, call.long(0), 1)
}

pub(super) fn wait_any(call: &mut Call<'_>) -> PhpResult<Value> {
    wait(call, -1, 0)
}

pub(super) fn waitid(call: &mut Call<'_>) -> PhpResult<Value> {
    let (kind, id) = (call.long(0), call.optional_long(1).unwrap_or(0));
    let flags = call.long(3) as c_int;
    // SAFETY: zeros are a value of the structure.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    call.vm.output.flush();
    let outcome = wait_for_process(flags, |flags| {
        // SAFETY: the system fills the structure, which tells of no process if there is none yet.
        unsafe {
            match libc::waitid(kind as libc::idtype_t, id as libc::id_t, &mut info, flags) {
                0 => info.si_pid(),
                failed => failed,
            }
        }
    });
    if outcome < 0 {
        note(call.vm);
        return Ok(false.into());
    }
    let table = super::signals::info_table(call.vm, &super::signals::Info::of(&info));
    call.assign(2, table);
    Ok(true.into())
}

pub(super) fn wifexited(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(libc::WIFEXITED(call.long(0) as c_int).into())
}

pub(super) fn wifstopped(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(libc::WIFSTOPPED(call.long(0) as c_int).into())
}

pub(super) fn wifcontinued(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(libc::WIFCONTINUED(call.long(0) as c_int).into())
}

pub(super) fn wifsignaled(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(libc::WIFSIGNALED(call.long(0) as c_int).into())
}

pub(super) fn wexitstatus(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(i64::from(libc::WEXITSTATUS(call.long(0) as c_int)).into())
}

pub(super) fn wtermsig(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(i64::from(libc::WTERMSIG(call.long(0) as c_int)).into())
}

pub(super) fn wstopsig(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(i64::from(libc::WSTOPSIG(call.long(0) as c_int)).into())
}

/// A text for the system, cut at a NUL.
fn c_text(bytes: &[u8]) -> CString {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    CString::new(&bytes[..end]).unwrap_or_default()
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    let mut pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
    pointers.push(std::ptr::null());
    pointers
}

pub(super) fn execute(call: &mut Call<'_>) -> PhpResult<Value> {
    let path = call.bytes(0);
    if path.contains(&0) {
        return Err(call.value_error(0, "must not contain any null bytes"));
    }
    let mut arguments = vec![c_text(path)];
    for (_, value) in call.elements(1).iter() {
        let argument = string_of(call.vm, &hold(value))?;
        arguments.push(c_text(&argument));
    }
    let mut environment = Vec::new();
    let has_environment = call.count() > 2;
    if has_environment {
        for (key, value) in call.elements(2).iter() {
            let name = match key {
                KeyRef::Long(number) => number.to_string().into_bytes(),
                KeyRef::String(name) => name.as_bytes().to_vec(),
            };
            let value = string_of(call.vm, &hold(value))?;
            environment.push(c_text(&[&name, b"=".as_slice(), &value].concat()));
        }
    }
    call.vm.output.flush();
    let (arguments, environment) = (pointers(&arguments), pointers(&environment));
    let survives = limits::survives_large_files();
    if survives {
        limits::end_by_large_files();
    }
    // SAFETY: both lists end with null, and their texts live during the call.
    unsafe {
        match has_environment {
            true => libc::execve(arguments[0], arguments.as_ptr(), environment.as_ptr()),
            false => libc::execv(arguments[0], arguments.as_ptr()),
        }
    };
    let error = note(call.vm);
    if survives {
        limits::survive_large_files();
    }
    let message = format!("Error has occurred: (errno {error}) {}", error_text(error));
    warn(call.vm, message)
}

pub(super) fn get_last_error(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(i64::from(call.vm.extensions.state::<LastError>().0).into())
}

pub(super) fn strerror(call: &mut Call<'_>) -> PhpResult<Value> {
    let message = error_text(call.long(0) as i32);
    text(call.vm, message)
}
