//! The extension `ctype`: what kind of characters a string consists of.

use vm_runtime::function::Call;
use vm_runtime::operators;
use vm_runtime::value::{LONG, STRING, Value};
use vm_runtime::vm::PhpResult;

use crate::support::functions;

functions! {
    "ctype_alnum(mixed $text): bool" => alnum,
    "ctype_alpha(mixed $text): bool" => alpha,
    "ctype_cntrl(mixed $text): bool" => cntrl,
    "ctype_digit(mixed $text): bool" => digit,
    "ctype_graph(mixed $text): bool" => graph,
    "ctype_lower(mixed $text): bool" => lower,
    "ctype_print(mixed $text): bool" => print,
    "ctype_punct(mixed $text): bool" => punct,
    "ctype_space(mixed $text): bool" => space,
    "ctype_upper(mixed $text): bool" => upper,
    "ctype_xdigit(mixed $text): bool" => xdigit,
}

/// True if there are bytes and all are of the kind. Small integers stand for a byte, others for
/// their digits, which is deprecated.
fn all(call: &mut Call<'_>, is: impl Fn(&u8) -> bool) -> PhpResult<Value> {
    let value = call.argument(0).deref();
    if value.kind() == STRING {
        let bytes = call.bytes(0);
        return Ok((!bytes.is_empty() && bytes.iter().all(is)).into());
    }
    let name = call.function().display_name();
    let kind = operators::class_or_type_name(value);
    let number = (value.kind() == LONG).then(|| value.long());
    call.vm.deprecated(format!(
        "{name}(): Argument of type {kind} will be interpreted as string in the future"
    ));
    call.vm.check()?;
    Ok(match number {
        Some(number @ 0..=255) => is(&(number as u8)),
        Some(number @ -128..=-1) => is(&((number + 256) as u8)),
        Some(number @ 256..) => number.to_string().as_bytes().iter().all(is),
        Some(_) => is(&b'-') && is(&b'0'),
        None => false,
    }
    .into())
}

fn alnum(call: &mut Call<'_>) -> PhpResult<Value> {
    all(call, u8::is_ascii_alphanumeric)
}

fn alpha(call: &mut Call<'_>) -> PhpResult<Value> {
    all(call, u8::is_ascii_alphabetic)
}

fn cntrl(call: &mut Call<'_>) -> PhpResult<Value> {
    all(call, u8::is_ascii_control)
}

fn digit(call: &mut Call<'_>) -> PhpResult<Value> {
    all(call, u8::is_ascii_digit)
}

fn graph(call: &mut Call<'_>) -> PhpResult<Value> {
    all(call, u8::is_ascii_graphic)
}

fn lower(call: &mut Call<'_>) -> PhpResult<Value> {
    all(call, u8::is_ascii_lowercase)
}

fn print(call: &mut Call<'_>) -> PhpResult<Value> {
    all(call, |byte| (0x20..0x7f).contains(byte))
}

fn punct(call: &mut Call<'_>) -> PhpResult<Value> {
    all(call, u8::is_ascii_punctuation)
}

fn space(call: &mut Call<'_>) -> PhpResult<Value> {
    all(call, |byte| matches!(byte, b' ' | b'\t'..=b'\r'))
}

fn upper(call: &mut Call<'_>) -> PhpResult<Value> {
    all(call, u8::is_ascii_uppercase)
}

fn xdigit(call: &mut Call<'_>) -> PhpResult<Value> {
    all(call, u8::is_ascii_hexdigit)
}

/// Registers the extension.
pub(crate) fn register(vm: &mut vm_runtime::vm::Vm) {
    vm.register_functions(FUNCTIONS);
}
