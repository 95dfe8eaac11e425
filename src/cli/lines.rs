//! `-R` and `-F`: code for each line of standard input.

use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

use opline::{Argument, Vm};
use vm_runtime::value::Value;

use super::arguments::{Arguments, ForLines, Source};
use super::script::{absolute, finish, open_input, prepare};

/// Runs what comes before, the body for each line in `$argn` with its number in `$argi`, and what
/// comes after.
pub fn execute(arguments: &Arguments, program: &ForLines) -> ExitCode {
    let mut vm = match prepare(arguments) {
        Ok(vm) => vm,
        Err(status) => return status,
    };
    let script = match &program.body {
        Some(Source::File(path)) => path.as_os_str().as_bytes(),
        _ => opline::STANDARD_INPUT,
    };
    if let Some(Source::File(path)) = &program.body
        && let Err(status) = open_input(path)
    {
        return status;
    }
    vm.set_command_line(script, &arguments.rest);
    vm.runtime().begin_parts();
    run(&mut vm, program);
    let status = vm.runtime().end_parts();
    finish(vm, status)
}

/// Runs the parts until a fatal error ends them.
fn run(vm: &mut Vm, program: &ForLines) {
    if let Some(begin) = &program.begin
        && !vm.run_part(begin, b"Command line begin code")
    {
        return;
    }
    let mut number = 0;
    // A part that failed, or ended with a status, ends the loop, but not what comes after.
    while vm.exit_status() == 0
        && let Some(line) = next_line(vm)
    {
        number += 1;
        let is_set = vm.set_global("argn", Argument::Text(line)).is_ok()
            && vm.set_global("argi", Argument::Int(number)).is_ok();
        let goes_on = match &program.body {
            _ if !is_set => false,
            Some(Source::Code(body)) => vm.run_part(body, b"Command line run code"),
            Some(Source::File(path)) => {
                let name = absolute(path).as_os_str().as_bytes().to_vec();
                vm.runtime().run_part(|vm| vm.include_file(&name, true))
            }
            _ => true,
        };
        if !goes_on {
            return;
        }
    }
    if let Some(end) = &program.end {
        vm.run_part(end, b"Command line end code");
    }
}

/// The next line of the script's own `STDIN`, as PHP gives it: up to a zero byte, without what ends it, of which a
/// line that has nothing else becomes a zero byte.
fn next_line(vm: &mut Vm) -> Option<Vec<u8>> {
    let mut line = None;
    vm.runtime().run_part(|vm| {
        let input = vm.find_constant_bytes(b"STDIN").map(Value::share);
        line = input.as_ref().and_then(php_std::next_line);
        Ok(Value::NULL)
    });
    let mut line = line?;
    if let Some(end) = line.iter().position(|&byte| byte == 0) {
        line.truncate(end);
    }
    let is_content = |byte: &u8| !matches!(byte, b'\n' | b'\r');
    match line.iter().rposition(is_content) {
        Some(last) => line.truncate(last + 1),
        None => line = vec![0],
    }
    Some(line)
}
