//! Running a program to its end: `exec`, `system`, `passthru`, `shell_exec`, and the escapes for
//! command lines.

use std::process::{Child, Stdio};

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::{exit_number, read_program, shell, wait_for, wait_without_script};
use crate::standard::locale::has_utf8_letters;
use crate::support::{Append, functions, text};

functions! {
    "exec(string $command, &$output = null, &$result_code = null): string|false" => exec,
    "system(string $command, &$result_code = null): string|false" => system,
    "passthru(string $command, &$result_code = null): ?false" => passthru,
    "shell_exec(string $command): string|false|null" => shell_exec,
    "escapeshellarg(string $arg): string" => escape_argument,
    "escapeshellcmd(string $command): string" => escape_command,
}

/// Longest command line.
const LONGEST: usize = 2097152;

/// A program that does not outlive the function that runs it.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        wait_without_script(&mut self.0);
    }
}

/// Runs the command in argument #1 and hands its output to `each`, line by line. What it ended
/// with; None, after a warning, if it could not be run.
fn run(call: &mut Call<'_>, each: &mut dyn FnMut(&mut Call<'_>, &[u8])) -> PhpResult<Option<i64>> {
    check_command(call)?;
    let command = call.bytes(0);
    let child = shell(call.vm, command).stdout(Stdio::piped()).spawn();
    let Ok(child) = child else {
        let shown = vm_runtime::message::text(command).into_owned();
        call.vm
            .function_warning(format!("Unable to fork [{shown}]"));
        return Ok(None);
    };
    let mut child = Program(child);
    if let Some(mut output) = child.0.stdout.take() {
        let mut text = Vec::new();
        while read_program(&mut output, &mut text).is_ok_and(|read| read > 0) {
            let whole = memchr::memrchr(b'\n', &text).map_or(0, |end| end + 1);
            for line in text[..whole].split_inclusive(|&byte| byte == b'\n') {
                each(call, line);
            }
            text.drain(..whole);
        }
        if !text.is_empty() {
            each(call, &text);
        }
    }
    Ok(Some(
        wait_for(call.vm, &mut child.0).map_or(-1, exit_number),
    ))
}

fn check_command(call: &mut Call<'_>) -> PhpResult<()> {
    if call.bytes(0).is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    no_null_bytes(call)
}

fn no_null_bytes(call: &mut Call<'_>) -> PhpResult<()> {
    if memchr::memchr(0, call.bytes(0)).is_some() {
        return Err(call.value_error(0, "must not contain any null bytes"));
    }
    Ok(())
}

/// A line without the white space at its end.
fn trimmed(line: &[u8]) -> &[u8] {
    let end = line
        .iter()
        .rposition(|&byte| !(byte.is_ascii_whitespace() || byte == 0x0b));
    &line[..end.map_or(0, |last| last + 1)]
}

/// True if a variable was passed for argument `index` to be written to.
fn wants(call: &Call<'_>, index: usize) -> bool {
    call.argument(index).is_reference()
}

fn exec(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut lines = match wants(call, 1) {
        true => Some(match call.value(1).array() {
            Some(_) => call.take_array(1),
            None => call.vm.new_array(),
        }),
        false => None,
    };
    let mut last = Vec::new();
    let ended = run(call, &mut |call, line| {
        last = trimmed(line).to_vec();
        if let Some(lines) = &mut lines {
            let line = call.vm.string(&last).into();
            lines.make_mut(call.vm).append(line);
        }
    });
    if let Some(lines) = lines {
        call.assign(1, lines.into());
    }
    let Some(ended) = ended? else {
        return Ok(false.into());
    };
    if wants(call, 2) {
        call.assign(2, ended.into());
    }
    text(call.vm, last)
}

fn system(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut last = Vec::new();
    let ended = run(call, &mut |call, line| {
        last = trimmed(line).to_vec();
        call.vm.write(line);
        call.vm.output.flush();
    })?;
    let Some(ended) = ended else {
        return Ok(false.into());
    };
    if wants(call, 1) {
        call.assign(1, ended.into());
    }
    text(call.vm, last)
}

fn passthru(call: &mut Call<'_>) -> PhpResult<Value> {
    let ended = run(call, &mut |call, line| call.vm.write(line))?;
    let Some(ended) = ended else {
        return Ok(false.into());
    };
    if wants(call, 1) {
        call.assign(1, ended.into());
    }
    Ok(Value::NULL)
}

/// Also what backticks call.
fn shell_exec(call: &mut Call<'_>) -> PhpResult<Value> {
    check_command(call)?;
    let command = call.bytes(0);
    let child = shell(call.vm, command).stdout(Stdio::piped()).spawn();
    let Ok(child) = child else {
        let shown = vm_runtime::message::text(command).into_owned();
        call.vm
            .function_warning(format!("Unable to execute '{shown}'"));
        return Ok(false.into());
    };
    let mut child = Program(child);
    let mut output = Vec::new();
    if let Some(mut stdout) = child.0.stdout.take() {
        while read_program(&mut stdout, &mut output).is_ok_and(|read| read > 0) {}
    }
    // How it ended is not asked for.
    let _ = wait_for(call.vm, &mut child.0);
    if output.is_empty() {
        return Ok(Value::NULL);
    }
    text(call.vm, output)
}

fn too_long(call: &mut Call<'_>, what: &str) -> vm_runtime::vm::Thrown {
    let message = format!("{what} exceeds the allowed length of {LONGEST} bytes");
    call.vm.throw_error(KnownClass::ValueError, message)
}

/// In single quotes, in which only they themselves need an escape. Bytes that are no characters
/// are left out.
fn escape_argument(call: &mut Call<'_>) -> PhpResult<Value> {
    no_null_bytes(call)?;
    let argument = call.bytes(0);
    if argument.len() > LONGEST - 3 {
        return Err(too_long(call, "Argument"));
    }
    let mut quoted = vec![b'\''];
    let is_plain = !has_utf8_letters(call.vm);
    for chunk in argument.utf8_chunks() {
        for byte in chunk.valid().bytes() {
            match byte {
                0x80.. if is_plain => {}
                b'\'' => quoted.extend_from_slice(b"'\\''"),
                byte => quoted.push(byte),
            }
        }
    }
    quoted.push(b'\'');
    text(call.vm, quoted)
}

/// With a backslash before what a shell takes for more than text; quotes only if they have no
/// partner.
fn escape_command(call: &mut Call<'_>) -> PhpResult<Value> {
    no_null_bytes(call)?;
    let command = call.bytes(0);
    if command.len() > LONGEST - 3 {
        return Err(too_long(call, "Command"));
    }
    let mut escaped = escaped_command(command);
    if !has_utf8_letters(call.vm) {
        escaped.retain(u8::is_ascii);
    }
    text(call.vm, escaped)
}

/// A command as `escapeshellcmd()` gives it.
pub(crate) fn escaped_command(command: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(command.len());
    let mut open = None;
    let mut read = 0;
    for chunk in command.utf8_chunks() {
        for byte in chunk.valid().bytes() {
            read += 1;
            match byte {
                b'\'' | b'"' => {
                    let rest = &command[read..];
                    if open == Some(byte) {
                        open = None;
                    } else if open.is_none() && memchr::memchr(byte, rest).is_some() {
                        open = Some(byte);
                    } else {
                        escaped.push(b'\\');
                    }
                }
                b'#' | b'&' | b';' | b'`' | b'|' | b'*' | b'?' | b'~' | b'<' | b'>' | b'^'
                | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'$' | b'\\' | b'\n' => {
                    escaped.push(b'\\');
                }
                _ => {}
            }
            escaped.push(byte);
        }
        read += chunk.invalid().len();
    }
    escaped
}
