//! The extension `readline`: lines from the terminal, and those that were read before. Lines are read
//! as the system gives them; the editing is the terminal's own.

use std::io::IsTerminal;
use std::os::fd::AsRawFd;

use vm_runtime::function::Call;
use vm_runtime::ini::{IniDefinition, access};
use vm_runtime::limits;
use vm_runtime::limits::directories::is_allowed;
use vm_runtime::operators::to_long;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{Append, define_one, functions, new_list, string_of, text};

functions! {
    "readline(?string $prompt = null): string|false" => readline,
    "readline_info(?string $var_name = null, $value = null): mixed" => readline_info,
    "readline_add_history(string $prompt): bool" => readline_add_history,
    "readline_clear_history(): bool" => readline_clear_history,
    "readline_list_history(): array" => readline_list_history,
    "readline_read_history(?string $filename = null): bool" => readline_read_history,
    "readline_write_history(?string $filename = null): bool" => readline_write_history,
    "readline_completion_function(callable $callback): bool" => readline_completion_function,
    "readline_callback_handler_install(string $prompt, callable $callback): bool" => readline_callback_handler_install,
    "readline_callback_read_char(): void" => readline_callback_read_char,
    "readline_callback_handler_remove(): bool" => readline_callback_handler_remove,
    "readline_redisplay(): void" => readline_redisplay,
    "readline_on_new_line(): void" => readline_on_new_line,
}

static SETTINGS: &[IniDefinition] = &[
    IniDefinition {
        name: "cli.pager",
        default: Some(""),
        access: access::ALL,
        on_change: None,
    },
    IniDefinition {
        name: "cli.prompt",
        default: Some("\\b \\> "),
        access: access::ALL,
        on_change: None,
    },
];

/// The first line of a file of old lines, as libedit writes it.
const HEADER: &[u8] = b"_HiStOrY_V2_\n";

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(SETTINGS);
    vm.register_functions(FUNCTIONS);
    let library = vm.string("libedit").into();
    define_one(vm, "READLINE_LIB", library);
}

/// What is kept between calls.
#[derive(Debug, Default)]
struct State {
    history: Vec<Vec<u8>>,
    line: Vec<u8>,
    point: i64,
    end: i64,
    name: Vec<u8>,
    completion_over: i64,
    erases_empty_line: i64,
    completion: Option<Value>,
    /// The prompt and the function for lines that are read piece by piece.
    handler: Option<(Vec<u8>, Value)>,
    /// What was read of such a line.
    pending: Vec<u8>,
}

fn state(vm: &mut Vm) -> &mut State {
    vm.extensions.state()
}

/// Reads a byte of standard input; None at its end.
fn read_byte() -> Option<u8> {
    let input = std::io::stdin();
    let descriptor = input.as_raw_fd();
    let mut byte = 0u8;
    loop {
        limits::wait_readable(descriptor);
        // SAFETY: the buffer is one byte long.
        let read = unsafe { libc::read(descriptor, (&raw mut byte).cast(), 1) };
        match read {
            1 => return Some(byte),
            0 => return None,
            _ => {
                let error = std::io::Error::last_os_error();
                if error.kind() != std::io::ErrorKind::Interrupted {
                    return None;
                }
                limits::poll();
            }
        }
    }
}

/// Shows a prompt to whoever sits at the terminal.
fn show_prompt(vm: &mut Vm, prompt: &[u8]) {
    if std::io::stdin().is_terminal() {
        vm.write(prompt);
    }
}

fn readline(call: &mut Call<'_>) -> PhpResult<Value> {
    if let Some(prompt) = call.optional_bytes(0) {
        show_prompt(call.vm, prompt);
    }
    call.vm.output.flush();
    let mut line = Vec::new();
    loop {
        match read_byte() {
            None if line.is_empty() => return Ok(false.into()),
            None | Some(b'\n') => return text(call.vm, line),
            Some(byte) => {
                if line.len() == line.capacity() {
                    limits::reserve(line.len());
                }
                line.push(byte);
            }
        }
    }
}

fn readline_info(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(name) = call.optional_bytes(0) else {
        let mut table = call.vm.new_array();
        for name in [
            "line_buffer",
            "point",
            "end",
            "erase_empty_line",
            "library_version",
            "readline_name",
            "attempted_completion_over",
        ] {
            let value = information(call.vm, name.as_bytes());
            table.make_mut(call.vm).set_bytes(name.as_bytes(), value);
        }
        return Ok(table.into());
    };
    let before = information(call.vm, &name.to_ascii_lowercase());
    if call.has(1) {
        let value = call.value(1);
        let name = name.to_ascii_lowercase();
        match name.as_slice() {
            b"line_buffer" => {
                let line = string_of(call.vm, &value)?.to_vec();
                state(call.vm).line = line;
            }
            b"readline_name" => {
                let name = string_of(call.vm, &value)?.to_vec();
                state(call.vm).name = name;
            }
            b"attempted_completion_over" => {
                state(call.vm).completion_over = to_long(call.vm, &value);
            }
            b"erase_empty_line" => {
                state(call.vm).erases_empty_line = to_long(call.vm, &value);
            }
            b"end" => state(call.vm).end = to_long(call.vm, &value),
            _ => {}
        }
    }
    Ok(before)
}

fn information(vm: &mut Vm, name: &[u8]) -> Value {
    let state = state(vm);
    match name {
        b"line_buffer" => {
            let line = state.line.clone();
            vm.string(line).into()
        }
        b"point" => state.point.into(),
        b"end" => state.end.max(state.line.len() as i64).into(),
        b"erase_empty_line" => state.erases_empty_line.into(),
        b"library_version" => vm.string("EditLine wrapper").into(),
        b"readline_name" => {
            let name = state.name.clone();
            vm.string(name).into()
        }
        b"attempted_completion_over" => state.completion_over.into(),
        _ => Value::NULL,
    }
}

fn readline_add_history(call: &mut Call<'_>) -> PhpResult<Value> {
    let line = call.bytes(0).to_vec();
    limits::reserve(line.len());
    state(call.vm).history.push(line);
    Ok(true.into())
}

fn readline_clear_history(call: &mut Call<'_>) -> PhpResult<Value> {
    state(call.vm).history.clear();
    Ok(true.into())
}

fn readline_list_history(call: &mut Call<'_>) -> PhpResult<Value> {
    let lines = state(call.vm).history.clone();
    let mut list = new_list(call.vm, lines.len());
    for line in lines {
        let line = call.vm.string(line).into();
        list.make_mut(call.vm).append(line);
    }
    Ok(list.into())
}

/// The file of old lines in argument #1, or the user's; None if it is out of bounds.
fn history_file(call: &mut Call<'_>) -> PhpResult<Option<std::path::PathBuf>> {
    let Some(name) = call.optional_bytes(0) else {
        let home = std::env::var_os("HOME").unwrap_or_default();
        return Ok(Some(std::path::PathBuf::from(home).join(".history")));
    };
    let function = call.function().display_name();
    if !is_allowed(call.vm, name, &function)? {
        return Ok(None);
    }
    Ok(Some(crate::standard::files::path(name)))
}

/// A line as libedit writes it: what is not to be seen in octal.
fn encoded(line: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(line.len());
    for &byte in line {
        match byte {
            0..=b' ' | b'\\' | 0x7f => {
                encoded.extend_from_slice(format!("\\{byte:03o}").as_bytes());
            }
            byte => encoded.push(byte),
        }
    }
    encoded
}

fn decoded(line: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some((&byte, after)) = rest.split_first() {
        let octal = after.get(..3).filter(|digits| {
            byte == b'\\' && digits.iter().all(|digit| (b'0'..b'8').contains(digit))
        });
        match octal {
            Some(digits) => {
                let number = digits
                    .iter()
                    .fold(0u32, |number, digit| number * 8 + u32::from(digit - b'0'));
                decoded.push(number as u8);
                rest = &after[3..];
            }
            None => {
                decoded.push(byte);
                rest = after;
            }
        }
    }
    decoded
}

fn readline_read_history(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(file) = history_file(call)? else {
        return Ok(false.into());
    };
    let Ok(contents) = limits::read_file(&file) else {
        return Ok(false.into());
    };
    let Some(lines) = contents.strip_prefix(HEADER) else {
        return Ok(false.into());
    };
    let lines = lines.strip_suffix(b"\n").unwrap_or(lines);
    if !lines.is_empty() {
        let lines = lines.split(|&byte| byte == b'\n').map(decoded);
        state(call.vm).history.extend(lines);
    }
    Ok(true.into())
}

fn readline_write_history(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(file) = history_file(call)? else {
        return Ok(false.into());
    };
    let mut contents = HEADER.to_vec();
    for line in &state(call.vm).history {
        contents.extend(encoded(line));
        contents.push(b'\n');
    }
    Ok(limits::write_file(&file, &contents).is_ok().into())
}

/// Kept for terminals that complete; without one nobody asks.
fn readline_completion_function(call: &mut Call<'_>) -> PhpResult<Value> {
    let function = call.value(0);
    let before = state(call.vm).completion.replace(function);
    drop(before);
    Ok(true.into())
}

fn readline_callback_handler_install(call: &mut Call<'_>) -> PhpResult<Value> {
    let (prompt, function) = (call.bytes(0).to_vec(), call.value(1));
    show_prompt(call.vm, &prompt);
    let before = state(call.vm).handler.replace((prompt, function));
    drop(before);
    Ok(true.into())
}

fn readline_callback_handler_remove(call: &mut Call<'_>) -> PhpResult<Value> {
    let before = state(call.vm).handler.take();
    Ok(before.is_some().into())
}

fn readline_callback_read_char(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some((prompt, function)) = state(call.vm).handler.clone() else {
        return Ok(Value::NULL);
    };
    call.vm.output.flush();
    let line = match read_byte() {
        Some(b'\n') => {
            let line = std::mem::take(&mut state(call.vm).pending);
            call.vm.string(line).into()
        }
        Some(byte) => {
            state(call.vm).pending.push(byte);
            return Ok(Value::NULL);
        }
        None => Value::NULL,
    };
    call.vm.call(&function, vec![line])?;
    if state(call.vm).handler.is_some() {
        show_prompt(call.vm, &prompt);
    }
    Ok(Value::NULL)
}

fn readline_redisplay(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(Value::NULL)
}

fn readline_on_new_line(_call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(Value::NULL)
}
