//! `strtok`: a string taken apart call by call.

use vm_runtime::function::Call;
use vm_runtime::value::{StringHandle, Value};
use vm_runtime::vm::PhpResult;

use super::search::byte_set;
use crate::support::{functions, text};

functions! {
    "strtok(string $string, ?string $token = null): string|false" => strtok,
}

/// The string being taken apart, and where the next token starts.
#[derive(Debug, Default)]
struct Tokenizer {
    string: Option<StringHandle>,
    at: usize,
}

fn strtok(call: &mut Call<'_>) -> PhpResult<Value> {
    let separators = if call.has(1) {
        let string = call.string(0);
        *call.vm.extensions.state() = Tokenizer {
            string: Some(string),
            at: 0,
        };
        call.bytes(1)
    } else {
        call.bytes(0)
    };
    let state: &mut Tokenizer = call.vm.extensions.state();
    let Some(string) = state.string.clone() else {
        if !call.has(1) {
            call.vm
                .warning("strtok(): Both arguments must be provided when starting tokenization");
        }
        return Ok(false.into());
    };
    if state.at >= string.len() {
        return Ok(false.into());
    }
    let set = byte_set(separators);
    let start = string[state.at..]
        .iter()
        .position(|&byte| !set[byte as usize]);
    let Some(start) = start.map(|offset| state.at + offset) else {
        // Nothing but separators is left: the next call has to start anew.
        state.string = None;
        return Ok(false.into());
    };
    let end = string[start..].iter().position(|&byte| set[byte as usize]);
    let end = end.map_or(string.len(), |offset| start + offset);
    state.at = (end + 1).min(string.len());
    text(call.vm, &string[start..end])
}
