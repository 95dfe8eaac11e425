//! What belongs to a web request: its parameters, its output, and mail.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::detect::detect;
use super::encoding::Kind;
use super::{convert, settings};
use crate::standard::strings::url::{query_pairs, register_variable};
use crate::support::{functions, list, text};

functions! {
    "mb_http_input(?string $type = null): array|string|false" => mb_http_input,
    "mb_parse_str(string $string, &$result): bool" => mb_parse_str,
    "mb_output_handler(string $string, int $status): string" => mb_output_handler,
}

fn mb_http_input(call: &mut Call<'_>) -> PhpResult<Value> {
    let kind = match call.optional_bytes(0) {
        None => None,
        Some(kind) => match kind.to_ascii_uppercase().as_slice() {
            &[kind @ (b'G' | b'P' | b'C' | b'S' | b'I' | b'L')] => Some(kind),
            _ => {
                let problem = "must be one of \"G\", \"P\", \"C\", \"S\", \"I\", or \"L\"";
                return Err(call.value_error(0, problem));
            }
        },
    };
    match kind {
        Some(b'I') => {
            let names = settings::http_inputs(call.vm);
            let names: Vec<Value> = names
                .iter()
                .map(|encoding| call.vm.string(encoding.name).into())
                .collect();
            Ok(list(call.vm, names))
        }
        Some(b'L') => {
            let names = settings::http_inputs(call.vm);
            let names: Vec<&str> = names.iter().map(|encoding| encoding.name).collect();
            text(call.vm, names.join(","))
        }
        None | Some(b'S') => match settings::state(call.vm).http_input {
            Some(encoding) => text(call.vm, encoding.name),
            None => Ok(false.into()),
        },
        Some(_) => Ok(false.into()),
    }
}

fn mb_parse_str(call: &mut Call<'_>) -> PhpResult<Value> {
    let bytes = call.bytes(0);
    let to = settings::internal_encoding(call.vm);
    let candidates = settings::http_inputs(call.vm);
    let pairs = query_pairs(call.vm, bytes);
    let texts: Vec<&[u8]> = pairs
        .iter()
        .flat_map(|(name, value)| [name.as_slice(), value.as_slice()])
        .collect();
    let from = match candidates.as_slice() {
        [only] => Some(*only),
        _ => detect(&texts, &candidates, true, true),
    };
    settings::state(call.vm).http_input = from;
    let mut table = call.vm.new_array();
    for (name, value) in pairs {
        let (mut name, value) = match from {
            // What is no text of the encoding is replaced even if nothing else changes.
            Some(from) => (
                convert::encode(call.vm, to, &from.decode(&name)),
                convert::encode(call.vm, to, &from.decode(&value)),
            ),
            None => (name, value),
        };
        let value = text(call.vm, value)?;
        register_variable(call.vm, &mut table, &mut name, value);
    }
    call.assign(1, table.into());
    call.vm.check()?;
    // Nothing has no encoding.
    Ok((!bytes.is_empty()).into())
}

fn mb_output_handler(call: &mut Call<'_>) -> PhpResult<Value> {
    let target = settings::http_output(call.vm);
    let source = settings::internal_encoding(call.vm);
    let is_text = crate::web::media_type(call.vm).is_none_or(|kind| {
        let kind = kind.to_ascii_lowercase();
        kind.starts_with(b"text/") || kind.starts_with(b"application/xhtml+xml")
    });
    if matches!(target.kind, Kind::EightBit) || source == target || !is_text {
        return Ok(call.value(0));
    }
    let converted = convert::convert(call.vm, call.bytes(0), source, target);
    text(call.vm, converted)
}
