//! Programs of the system: `exec` and its kin, `popen`, `proc_open`.

mod pipes;
mod run;
mod spawned;

use std::process::{Command, Stdio};

use vm_runtime::vm::Vm;

use crate::standard::info::Environment;

/// Registers the functions.
pub(super) fn register(vm: &mut Vm) {
    for functions in [run::FUNCTIONS, pipes::FUNCTIONS, spawned::FUNCTIONS] {
        vm.register_functions(functions);
    }
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
    vm.output.flush();
    shell
}

/// What a program ended with: its exit code, or the system's status if a signal ended it.
fn exit_number(status: std::process::ExitStatus) -> i64 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or(status.into_raw()) as i64
}
