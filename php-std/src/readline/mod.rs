//! The extension `readline`: lines from the terminal, and those that were read before. At a terminal lines are
//! edited (the feature `editor`); otherwise they are read as the system gives them.

#[cfg(feature = "editor")]
mod editor;
mod history;
pub mod shell;

use std::io::IsTerminal;
use std::os::fd::AsRawFd;

use vm_runtime::function::Call;
use vm_runtime::ini::{IniDefinition, access};
use vm_runtime::limits;
use vm_runtime::operators::to_long;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{define_one, functions, string_of, text};

functions! {
    "readline(?string $prompt = null): string|false" => readline,
    "readline_info(?string $var_name = null, $value = null): mixed" => readline_info,
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

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(SETTINGS);
    vm.register_functions(FUNCTIONS);
    vm.register_functions(history::FUNCTIONS);
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
    /// Who edits lines, once there was one.
    #[cfg(feature = "editor")]
    terminal: Option<Box<editor::Terminal>>,
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
    let prompt = call.optional_bytes(0).unwrap_or_default();
    #[cfg(feature = "editor")]
    if std::io::stdin().is_terminal() {
        return match editor::read(call.vm, prompt, script_words)? {
            Some(line) => {
                // As the library leaves it.
                state(call.vm).line = [line.as_slice(), b"\n"].concat();
                text(call.vm, line)
            }
            None => Ok(false.into()),
        };
    }
    show_prompt(call.vm, prompt);
    match plain_line(call.vm) {
        Some(line) => text(call.vm, line),
        None => Ok(false.into()),
    }
}

/// Reads a line as the system gives it.
fn plain_line(vm: &mut Vm) -> Option<Vec<u8>> {
    vm.output.flush();
    let mut line = Vec::new();
    loop {
        match read_byte() {
            None if line.is_empty() => return None,
            None | Some(b'\n') => return Some(line),
            Some(byte) => {
                if line.len() == line.capacity() {
                    limits::reserve(line.len());
                }
                line.push(byte);
            }
        }
    }
}

/// What ends the word that is to be completed, as for libedit.
#[cfg(feature = "editor")]
const WORD_ENDS: &[u8] = b" \t\n\"\\'`@$><=;|&{(";

/// What the function of the script says a word may become.
#[cfg(feature = "editor")]
fn script_words(vm: &mut Vm, line: &[u8], point: usize) -> PhpResult<editor::Words> {
    let before = &line[..point];
    let start = before
        .iter()
        .rposition(|byte| WORD_ENDS.contains(byte))
        .map_or(0, |at| at + 1);
    let word = before[start..].to_vec();
    let known = state(vm);
    known.line = line.to_vec();
    (known.point, known.end) = (point as i64, line.len() as i64);
    let Some(function) = known.completion.clone() else {
        return Ok(editor::Words::none());
    };
    let shown = vm.string(&word).into();
    let found = vm.call(&function, vec![shown, start.into(), point.into()])?;
    let mut words = Vec::new();
    if let Some(found) = found.array() {
        for (_, value) in found.iter() {
            let value = Value::share(value.deref());
            let text = string_of(vm, &value)?.to_vec();
            if text.starts_with(&word) {
                words.push(text);
            }
        }
    }
    Ok(editor::Words {
        start,
        words,
        ends: true,
    })
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

/// Kept for terminals; without one nobody asks.
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
