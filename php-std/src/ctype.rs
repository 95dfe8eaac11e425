//! The extension `ctype`: what kind of characters a string consists of.

use vm_runtime::function::Call;
use vm_runtime::operators;
use vm_runtime::value::{LONG, STRING, Value};
use vm_runtime::vm::PhpResult;

use crate::support::{direct, functions};

functions! {
    "ctype_alnum(mixed $text): bool" => alnum | alnum_directly,
    "ctype_alpha(mixed $text): bool" => alpha | alpha_directly,
    "ctype_cntrl(mixed $text): bool" => cntrl | cntrl_directly,
    "ctype_digit(mixed $text): bool" => digit | digit_directly,
    "ctype_graph(mixed $text): bool" => graph | graph_directly,
    "ctype_lower(mixed $text): bool" => lower | lower_directly,
    "ctype_print(mixed $text): bool" => print | print_directly,
    "ctype_punct(mixed $text): bool" => punct | punct_directly,
    "ctype_space(mixed $text): bool" => space | space_directly,
    "ctype_upper(mixed $text): bool" => upper | upper_directly,
    "ctype_xdigit(mixed $text): bool" => xdigit | xdigit_directly,
}

/// True if there are bytes and all are of the kind. Small integers stand for a byte, others for
/// their digits, which is deprecated.
fn all(call: &mut Call<'_>, is: impl Fn(&u8) -> bool) -> PhpResult<Value> {
    let value = call.argument(0).deref();
    if value.kind() == STRING {
        return Ok(are_all(call.bytes(0), is).into());
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

#[inline(always)]
fn are_all(bytes: &[u8], is: impl Fn(&u8) -> bool) -> bool {
    !bytes.is_empty() && bytes.iter().all(is)
}

/// Defines the function of each kind of characters, and its direct entry.
macro_rules! kinds {
    ($($name:ident $direct:ident $is:expr;)*) => {
        $(
            fn $name(call: &mut Call<'_>) -> PhpResult<Value> {
                all(call, $is)
            }

            direct! {
                fn $direct(_; text: &[u8]) { are_all(text, $is) }
            }
        )*
    };
}

kinds! {
    alnum alnum_directly u8::is_ascii_alphanumeric;
    alpha alpha_directly u8::is_ascii_alphabetic;
    cntrl cntrl_directly u8::is_ascii_control;
    digit digit_directly u8::is_ascii_digit;
    graph graph_directly u8::is_ascii_graphic;
    lower lower_directly u8::is_ascii_lowercase;
    print print_directly |byte| (0x20..0x7f).contains(byte);
    punct punct_directly u8::is_ascii_punctuation;
    space space_directly |byte| matches!(byte, b' ' | b'\t'..=b'\r');
    upper upper_directly u8::is_ascii_uppercase;
    xdigit xdigit_directly u8::is_ascii_hexdigit;
}

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut vm_runtime::vm::Vm) {
    vm.register_functions(FUNCTIONS);
}
