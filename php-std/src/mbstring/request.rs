//! What belongs to a web request: its parameters, its output, and mail.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::encoding::Kind;
use super::{convert, settings};
use crate::support::{functions, list, text};

functions! {
    "mb_http_input(?string $type = null): array|string|false" => mb_http_input,
    "mb_parse_str(string $string, &$result): bool" => mb_parse_str,
    "mb_output_handler(string $string, int $status): string" => mb_output_handler,
}

fn mb_http_input(call: &mut Call<'_>) -> PhpResult<Value> {
    let kind = match call.optional_bytes(0) {
        None => None,
        Some(kind) => match kind.first().map(u8::to_ascii_uppercase) {
            Some(kind @ (b'G' | b'P' | b'C' | b'S' | b'I' | b'L')) => Some(kind),
            _ => {
                let problem = "must be one of \"G\", \"P\", \"C\", \"S\", \"I\", or \"L\"";
                return Err(call.value_error(0, problem));
            }
        },
    };
    match kind {
        // What may come in is not limited to some encodings.
        Some(b'I') => {
            let name = call.vm.string("UTF-8").into();
            Ok(list(call.vm, [name]))
        }
        Some(b'L') => text(call.vm, "UTF-8"),
        None | Some(b'S') => match settings::state(call.vm).http_input {
            Some(encoding) => text(call.vm, encoding.name),
            None => Ok(false.into()),
        },
        Some(_) => Ok(false.into()),
    }
}

fn mb_parse_str(call: &mut Call<'_>) -> PhpResult<Value> {
    let bytes = call.bytes(0);
    let encoding = settings::internal_encoding(call.vm);
    let table = crate::standard::strings::url::parse_query(call.vm, bytes)?;
    settings::state(call.vm).http_input = Some(encoding);
    call.assign(1, table.into());
    call.vm.check()?;
    Ok(true.into())
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
