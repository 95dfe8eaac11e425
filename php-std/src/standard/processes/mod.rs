//! Programs of the system: `exec` and its kin, `popen`, `proc_open`.

mod descriptors;
mod pipes;
mod run;
mod spawned;
mod title;

use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use vm_runtime::limits;
use vm_runtime::vm::Vm;

use crate::standard::info::Environment;

/// How often a program is asked whether it has ended.
const STEP: Duration = Duration::from_millis(1);
/// Bytes read of a program's output at once.
const BLOCK: usize = 8192;

/// Registers the functions.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    for functions in [
        run::FUNCTIONS,
        pipes::FUNCTIONS,
        spawned::FUNCTIONS,
        title::FUNCTIONS,
    ] {
        vm.register_functions(functions);
    }
}

pub(crate) use run::escaped_command;

/// Runs a command that reads `input`; gives the number it ended with, or none if it could not be run.
pub(crate) fn run_with_input(vm: &mut Vm, command: &[u8], input: &[u8]) -> Option<i64> {
    let mut program = shell(vm, command).stdin(Stdio::piped()).spawn().ok()?;
    if let Some(mut pipe) = program.stdin.take() {
        // A program that does not read all of it says what it thinks by its status.
        let _ = io::Write::write_all(&mut pipe, input);
    }
    wait_for(vm, &mut program).ok().map(exit_number)
}

/// A command for the shell, with the environment as the script sees it. What the script printed
/// so far comes before what the program prints.
fn shell(vm: &mut Vm, command: &[u8]) -> Command {
    use std::os::unix::ffi::OsStrExt;
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(std::ffi::OsStr::from_bytes(command));
    shell.stdin(Stdio::inherit()).stderr(Stdio::inherit());
    shell
        .env_clear()
        .envs(vm.extensions.state::<Environment>().all());
    hand_on_signals(&mut shell);
    vm.output.flush();
    shell
}

/// A program that is started ignores what this process ignores for the script, as in PHP: that nobody reads its pipes any more.
/// What the process ignores for its own sake does to it what it always does.
fn hand_on_signals(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    let (ignores_pipes, survives) = (ignores_broken_pipes(), limits::survives_large_files());
    if !ignores_pipes && !survives {
        return;
    }
    let hand_on = move || {
        if survives {
            limits::end_by_large_files();
        }
        if ignores_pipes {
            // The standard library has it end the program, whatever it does here.
            // SAFETY: a plain system call.
            unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
        }
        Ok(())
    };
    // SAFETY: what is called between fork and exec may be called there.
    unsafe { command.pre_exec(hand_on) };
}

/// True if writing to a pipe that nobody reads fails and is no signal.
fn ignores_broken_pipes() -> bool {
    // SAFETY: a plain structure, of which zeros are a value; the system call fills it and changes nothing.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGPIPE, std::ptr::null(), &raw mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

/// What a program ended with: its exit code, or the system's status if a signal ended it.
fn exit_number(status: std::process::ExitStatus) -> i64 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or(status.into_raw()) as i64
}

/// Waits for the end of a program that the script asked to be waited for. A limit ends that.
fn wait_for(vm: &mut Vm, program: &mut Child) -> io::Result<ExitStatus> {
    vm.wait_until(|_, slice| {
        std::thread::sleep(slice.min(STEP));
        program.try_wait().transpose()
    })
}

/// Waits for the end of a program that the script has let go of. When the script ends because of a
/// limit, so does the program.
pub(super) fn wait_without_script(program: &mut Child) {
    while let Ok(None) = program.try_wait() {
        if limits::is_ending() {
            // It may have ended by itself just now.
            let _ = program.kill();
            let _ = program.wait();
            return;
        }
        std::thread::sleep(STEP);
    }
}

/// Reads what a program writes until it ends its output.
fn read_program(output: &mut ChildStdout, buffer: &mut Vec<u8>) -> io::Result<usize> {
    limits::note_file_access();
    limits::wait_readable(output.as_raw_fd());
    let before = buffer.len();
    buffer.resize(before + BLOCK, 0);
    let read = output.read(&mut buffer[before..]);
    buffer.truncate(before + read.as_ref().map_or(0, |&read| read));
    read
}
