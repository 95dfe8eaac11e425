//! `proc_open`: programs with any descriptors.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};

use vm_runtime::array::KeyRef;
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::interpreter::include::os_error_text;
use vm_runtime::limits::Waits;
use vm_runtime::value::{ArrayHandle, Value, ValueKind};
use vm_runtime::vm::{PhpResult, Vm};

use super::descriptors::{Target, target, value_error};
use super::{exit_number, hand_on_signals, shell, wait_for, wait_without_script};
use crate::standard::files::{close_value, new_resource, stream_value};
use crate::standard::info::Environment;
use crate::support::{functions, hold, string_of};

functions! {
    "proc_open(array|string $command, array $descriptor_spec, &$pipes, ?string $cwd = null, ?array $env_vars = null, ?array $options = null)" => proc_open,
    "proc_close(resource $process): int" => proc_close,
    "proc_terminate(resource $process, int $signal = 15): bool" => proc_terminate,
    "proc_get_status(resource $process): array" => proc_get_status,
    "proc_nice(int $priority): bool" => proc_nice,
}

/// A program that runs, or has run.
struct Process {
    child: Child,
    command: Vec<u8>,
    /// It exited, and this was told already.
    exited: Option<ExitStatus>,
    /// Its end by a signal was told: the system has forgotten it.
    gone: bool,
    /// The script's ends of what leads to it.
    pipes: Vec<Value>,
}

impl Process {
    /// Closes what leads to the program, which may wait for the end of its input.
    fn close_pipes(&mut self) {
        for pipe in std::mem::take(&mut self.pipes) {
            close_value(&pipe);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.close_pipes();
        if self.exited.is_none() && !self.gone {
            wait_without_script(&mut self.child);
        }
    }
}

/// The program and its arguments, and how the command is told.
fn command(call: &mut Call<'_>) -> PhpResult<(Command, Vec<u8>)> {
    let Some(parts) = call.value(0).array() else {
        let command = call.bytes(0);
        if memchr::memchr(0, command).is_some() {
            return Err(call.value_error(0, "must not contain any null bytes"));
        }
        return Ok((shell(call.vm, command), command.to_vec()));
    };
    let mut words = Vec::new();
    for (number, (_, part)) in parts.iter().enumerate() {
        let word = string_of(call.vm, &hold(part))?;
        if memchr::memchr(0, word.as_bytes()).is_some() {
            let message = format!("Command array element {} contains a null byte", number + 1);
            return value_error(call.vm, &message);
        }
        words.push(word);
    }
    let Some((program, arguments)) = words.split_first() else {
        return Err(call.value_error(0, "must have at least one element"));
    };
    if program.is_empty() {
        return value_error(
            call.vm,
            "First element must contain a non-empty program name",
        );
    }
    let text = |word: &vm_runtime::value::StringHandle| {
        std::ffi::OsStr::from_bytes(word.as_bytes()).to_owned()
    };
    let mut command = Command::new(text(program));
    command.args(arguments.iter().map(text));
    command
        .env_clear()
        .envs(call.vm.extensions.state::<Environment>().all());
    hand_on_signals(&mut command);
    call.vm.output.flush();
    Ok((command, program.as_bytes().to_vec()))
}

fn set_environment(vm: &mut Vm, command: &mut Command, variables: &ArrayHandle) -> PhpResult<()> {
    command.env_clear();
    for (key, value) in variables.iter() {
        let value = string_of(vm, &hold(value))?;
        let value = std::ffi::OsStr::from_bytes(value.as_bytes());
        match key {
            KeyRef::String(name) if !name.is_empty() => {
                command.env(std::ffi::OsStr::from_bytes(name.as_bytes()), value);
            }
            // "name=value" under a number.
            _ => {
                let text = value.as_bytes();
                if let Some(equals) = memchr::memchr(b'=', text) {
                    command.env(
                        std::ffi::OsStr::from_bytes(&text[..equals]),
                        std::ffi::OsStr::from_bytes(&text[equals + 1..]),
                    );
                }
            }
        }
    }
    Ok(())
}

fn proc_open(call: &mut Call<'_>) -> PhpResult<Value> {
    let (mut command, shown) = command(call)?;
    let specification = call.array(1);
    let (mut targets, mut terminal): (Vec<Target>, _) = (Vec::new(), None);
    for (key, entry) in specification.iter() {
        let KeyRef::Long(number) = key else {
            return Err(call.value_error(1, "must be an integer indexed array"));
        };
        match target(call, number as RawFd, entry, &targets, &mut terminal)? {
            Some(found) => targets.push(found),
            None => return Ok(false.into()),
        }
    }
    if let Some(directory) = call.optional_bytes(3) {
        command.current_dir(std::ffi::OsStr::from_bytes(directory));
    }
    if let Some(variables) = call.value(4).array() {
        set_environment(call.vm, &mut command, &variables)?;
    }
    let numbers: Vec<(RawFd, RawFd)> = targets
        .iter()
        .map(|target| (target.theirs.as_raw_fd(), target.number))
        .collect();
    // SAFETY: between fork and exec only `dup2` is called, which may be called there.
    unsafe {
        command.pre_exec(move || {
            for &(theirs, number) in &numbers {
                if libc::dup2(theirs, number) < 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(())
        });
    }
    let waits = Waits::begin();
    let child = command.spawn();
    waits.end();
    let child = match child {
        Ok(child) => child,
        Err(error) => {
            let reason = os_error_text(&error);
            call.vm
                .function_warning(format!("posix_spawn() failed: {reason}"));
            return Ok(false.into());
        }
    };
    drop(terminal);
    let (mut table, mut pipes) = (call.vm.new_array(), Vec::new());
    for target in targets {
        drop(target.theirs);
        if let Some(ours) = target.ours {
            let stream = ours.into_stream(call.vm);
            let stream = stream_value(call.vm, stream);
            pipes.push(stream.clone());
            table
                .make_mut(call.vm)
                .set(KeyRef::Long(target.number as i64), stream);
        }
    }
    call.assign(2, table.into());
    let process = Process {
        child,
        command: shown,
        exited: None,
        gone: false,
        pipes,
    };
    Ok(new_resource(call.vm, "process", Box::new(process)))
}

/// The process in argument #1, which stays there.
fn process<'a>(call: &mut Call<'a>) -> PhpResult<&'a mut Process> {
    let value = call.argument(0).deref();
    if let ValueKind::Resource(_) = value.view() {
        // SAFETY: I3: the argument keeps the resource alive during the call; natives of one VM
        // run on one thread and do not hold two borrows of a process.
        let resource = unsafe { &mut *value.resource() };
        let payload = resource.payload.as_mut();
        if let Some(process) = payload.and_then(|payload| payload.downcast_mut()) {
            return Ok(process);
        }
    }
    let name = call.function().display_name();
    let message = format!("{name}(): supplied resource is not a valid process resource");
    Err(call.vm.throw_error(KnownClass::TypeError, message))
}

fn proc_close(call: &mut Call<'_>) -> PhpResult<Value> {
    call.vm.output.flush();
    let resource = call.value(0);
    let process = process(call)?;
    process.close_pipes();
    let ended = match process.exited {
        Some(status) => exit_number(status),
        None if process.gone => -1,
        None => wait_for(call.vm, &mut process.child).map_or(-1, exit_number),
    };
    drop(resource);
    process.gone = true;
    crate::standard::files::close_stream(call, 0);
    Ok(ended.into())
}

fn proc_terminate(call: &mut Call<'_>) -> PhpResult<Value> {
    let signal = call.long(1);
    let process = process(call)?;
    if process.exited.is_some() || process.gone {
        return Ok(false.into());
    }
    // SAFETY: plain system call; the number is that of a child nobody has waited for yet.
    let sent = unsafe { libc::kill(process.child.id() as libc::pid_t, signal as i32) };
    Ok((sent == 0).into())
}

fn proc_get_status(call: &mut Call<'_>) -> PhpResult<Value> {
    let process = process(call)?;
    let mut status = process.exited;
    if status.is_none() && !process.gone {
        status = process.child.try_wait().ok().flatten();
        match status {
            Some(ended) if ended.code().is_some() => process.exited = status,
            Some(_) => process.gone = true,
            None => {}
        }
    }
    let running = status.is_none() && !process.gone;
    let code = status.and_then(|status| status.code()).unwrap_or(-1);
    let signal = status.and_then(|status| status.signal());
    let entries: [(&str, Value); 9] = [
        ("command", call.vm.string(&process.command).into()),
        ("pid", (process.child.id() as i64).into()),
        ("cached", process.exited.is_some().into()),
        ("running", running.into()),
        ("signaled", signal.is_some().into()),
        ("stopped", false.into()),
        ("exitcode", (code as i64).into()),
        ("termsig", (signal.unwrap_or(0) as i64).into()),
        ("stopsig", 0i64.into()),
    ];
    let mut result = call.vm.new_array();
    for (name, value) in entries {
        result.make_mut(call.vm).set_bytes(name.as_bytes(), value);
    }
    Ok(result.into())
}

fn proc_nice(call: &mut Call<'_>) -> PhpResult<Value> {
    // SAFETY: plain system calls; -1 can be a result, so the error number tells.
    let failed = unsafe {
        *libc::__errno_location() = 0;
        libc::nice(call.long(0) as i32) == -1 && *libc::__errno_location() != 0
    };
    if failed {
        call.vm.function_warning(
            "Only a super user may attempt to increase the priority of a process",
        );
    }
    Ok((!failed).into())
}
