//! `-R` and `-F`: code for each line of standard input.

use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

use super::arguments::{Arguments, ForLines, Source};
use super::script::{finish, prepare};

/// Runs what comes before, the body for each line in `$argn` with its number in `$argi`, and what
/// comes after.
pub fn execute(arguments: &Arguments, program: &ForLines) -> ExitCode {
    let mut code = Vec::new();
    if let Some(begin) = &program.begin {
        code.extend_from_slice(begin);
        code.extend_from_slice(b"\n;");
    }
    code.extend_from_slice(b"$argi = 0; while (($argn = fgets(STDIN)) !== false) { $argi++; $argn = rtrim($argn, \"\\r\\n\");\n");
    match &program.body {
        Some(Source::Code(body)) => code.extend_from_slice(body),
        Some(Source::File(path)) => {
            let name = path
                .to_string_lossy()
                .replace('\\', "\\\\")
                .replace('\'', "\\'");
            code.extend_from_slice(format!("require '{name}'").as_bytes());
        }
        _ => {}
    }
    code.extend_from_slice(b"\n; }\n");
    if let Some(end) = &program.end {
        code.extend_from_slice(end);
        code.extend_from_slice(b"\n;");
    }
    let mut vm = match prepare(arguments) {
        Ok(vm) => vm,
        Err(status) => return status,
    };
    let script = match &program.body {
        Some(Source::File(path)) => path.as_os_str().as_bytes(),
        _ => b"Standard input code",
    };
    vm.set_command_line(script, &arguments.rest);
    let status = vm.run_main(&code, b"Command line code", true);
    finish(vm, status)
}
