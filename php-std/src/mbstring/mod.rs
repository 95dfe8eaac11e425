//! The extension `mbstring`: text in many encodings.
//!
//! Functions decode their text to a list of characters, work on that, and encode the result;
//! shortcuts for UTF-8 and for encodings whose characters can be told by their first bytes stand
//! where programs spend their time.

mod case;
mod characters;
mod convert;
mod detect;
pub(crate) mod encoding;
mod entities;
mod kana;
mod mail;
mod mime_header;
mod regex;
mod request;
mod search;
mod settings;
pub(crate) mod source;
mod substring;
mod trim;
pub(crate) mod unicode;
mod width;

use vm_runtime::function::Call;
use vm_runtime::value::Zval;
use vm_runtime::vm::{PhpResult, Vm};

use self::encoding::{Encoding, Kind};
use crate::support::Plain;

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    settings::register(vm);
    for functions in [
        case::FUNCTIONS,
        characters::FUNCTIONS,
        convert::FUNCTIONS,
        detect::FUNCTIONS,
        entities::FUNCTIONS,
        kana::FUNCTIONS,
        mail::FUNCTIONS,
        mime_header::FUNCTIONS,
        request::FUNCTIONS,
        search::FUNCTIONS,
        substring::FUNCTIONS,
        trim::FUNCTIONS,
        width::FUNCTIONS,
    ] {
        vm.register_functions(functions);
    }
    regex::register(vm);
    for (name, mapping) in case::MODES {
        crate::support::define_one(vm, name, (mapping as i64).into());
    }
}

#[cfg(feature = "exif")]
pub(crate) use settings::substitute;

/// The first name in a list that is no encoding's; an empty list is all right.
#[cfg(feature = "exif")]
pub(crate) fn unknown_encoding(vm: &mut Vm, names: &[u8]) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    convert::names_in(vm, names).err().map(|unknown| unknown.0)
}

/// Throws if the native stack is used up, with the size that PHP has by default.
fn check_stack(vm: &mut Vm) -> PhpResult<()> {
    vm.poll();
    if !vm.native_stack_is_low() {
        return Ok(());
    }
    let message = "Maximum call stack size of 8306688 bytes (zend.max_allowed_stack_size - \
                   zend.reserved_stack_size) reached. Infinite recursion?";
    Err(vm.throw_error(vm_runtime::exceptions::KnownClass::Error, message))
}

/// The encoding of a name; tells that some are deprecated.
fn named(vm: &mut Vm, name: &[u8]) -> PhpResult<Option<&'static Encoding>> {
    // A single name ends at a NUL byte, unlike those of lists.
    let name = &name[..memchr::memchr(0, name).unwrap_or(name.len())];
    // Only another name than the last one is talked about.
    let state = settings::state(vm);
    if let Some(encoding) = state.last_named(name) {
        return Ok(Some(encoding));
    }
    let Some(encoding) = encoding::find(name) else {
        return Ok(None);
    };
    state.note_named(name, encoding);
    let advice = match encoding.kind {
        Kind::Base64 => {
            "Base64 via mbstring is deprecated; use base64_encode/base64_decode instead"
        }
        Kind::QuotedPrintable => {
            "QPrint via mbstring is deprecated; use quoted_printable_encode/quoted_printable_decode instead"
        }
        Kind::Html => {
            "HTML entities via mbstring is deprecated; use htmlspecialchars, htmlentities, or mb_encode_numericentity/mb_decode_numericentity instead"
        }
        Kind::Uuencode => {
            "Uuencode via mbstring is deprecated; use convert_uuencode/convert_uudecode instead"
        }
        _ => return Ok(Some(encoding)),
    };
    vm.function_deprecated(format!("Handling {advice}"));
    vm.check()?;
    Ok(Some(encoding))
}

/// The encoding that an argument names; an error if there is none.
fn required_encoding(call: &mut Call<'_>, index: usize) -> PhpResult<&'static Encoding> {
    let name = call.bytes(index);
    match named(call.vm, name)? {
        Some(encoding) => Ok(encoding),
        None => {
            let name = convert::shown(name);
            Err(call.value_error(
                index,
                &format!("must be a valid encoding, \"{name}\" given"),
            ))
        }
    }
}

/// The encoding that an argument names, or the internal one.
fn encoding_argument(call: &mut Call<'_>, index: usize) -> PhpResult<&'static Encoding> {
    if call.has(index) {
        required_encoding(call, index)
    } else {
        Ok(settings::internal_encoding(call.vm))
    }
}

/// The encoding of a direct call with so many arguments, and perhaps the encoding's name behind them. Names that may be
/// talked about, or make that the last one, are left to the function.
fn encoding_directly<'a, const COUNT: usize>(
    vm: &mut Vm,
    arguments: &'a [Zval],
) -> Option<(&'static Encoding, &'a [Zval; COUNT])> {
    let (own, rest) = arguments.split_first_chunk()?;
    let encoding = match rest {
        [] => settings::internal_encoding(vm),
        [name] => {
            let name = <&[u8]>::of(name)?;
            settings::state(vm).last_named(name)?
        }
        _ => return None,
    };
    Some((encoding, own))
}
