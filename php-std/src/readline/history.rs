//! Lines that were read before.

use std::path::{Path, PathBuf};

use vm_runtime::function::Call;
use vm_runtime::limits;
use vm_runtime::limits::directories::is_allowed;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::state;
use crate::support::{Append, functions, new_list};

functions! {
    "readline_add_history(string $prompt): bool" => readline_add_history,
    "readline_clear_history(): bool" => readline_clear_history,
    "readline_list_history(): array" => readline_list_history,
    "readline_read_history(?string $filename = null): bool" => readline_read_history,
    "readline_write_history(?string $filename = null): bool" => readline_write_history,
}

/// The first line of a file of old lines, as libedit writes it.
const HEADER: &[u8] = b"_HiStOrY_V2_\n";

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
fn history_file(call: &mut Call<'_>) -> PhpResult<Option<PathBuf>> {
    if !call.has(0) {
        let home = std::env::var_os("HOME").unwrap_or_default();
        return Ok(Some(PathBuf::from(home).join(".history")));
    }
    crate::standard::files::check_path(call, 0)?;
    let name = call.bytes(0);
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
    Ok(read(call.vm, &file).into())
}

/// Adds the lines of a file; false if it is none of old lines.
pub(super) fn read(vm: &mut Vm, file: &Path) -> bool {
    let Ok(contents) = limits::read_file(file) else {
        return false;
    };
    let Some(lines) = contents.strip_prefix(HEADER) else {
        return false;
    };
    let lines = lines.strip_suffix(b"\n").unwrap_or(lines);
    if !lines.is_empty() {
        let lines = lines.split(|&byte| byte == b'\n').map(decoded);
        state(vm).history.extend(lines);
    }
    true
}

fn readline_write_history(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(file) = history_file(call)? else {
        return Ok(false.into());
    };
    Ok(write(call.vm, &file).into())
}

/// Writes the lines to a file; false if that failed.
pub(super) fn write(vm: &mut Vm, file: &Path) -> bool {
    let mut contents = HEADER.to_vec();
    for line in &state(vm).history {
        contents.extend(encoded(line));
        contents.push(b'\n');
    }
    limits::write_file(file, &contents).is_ok()
}
