//! The extension `json`.

mod decode;
mod encode;

use vm_runtime::class::{NativeClass, declare};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Thrown, Vm};

use crate::support::{define, define_one, functions, text};

functions! {
    "json_encode(mixed $value, int $flags = 0, int $depth = 512): string|false" => json_encode,
    "json_decode(string $json, ?bool $associative = null, int $depth = 512, int $flags = 0): mixed" => json_decode,
    "json_validate(string $json, int $depth = 512, int $flags = 0): bool" => json_validate,
    "json_last_error(): int" => json_last_error,
    "json_last_error_msg(): string" => json_last_error_msg,
}

static CLASSES: &[&NativeClass] = &[
    &NativeClass::new("interface JsonSerializable")
        .methods(&[declare("tentative public function jsonSerialize(): mixed")]),
    &NativeClass::new("class JsonException extends Exception"),
];

const PRETTY_PRINT: i64 = 128;
const PARTIAL_OUTPUT: i64 = 512;
const OBJECT_AS_ARRAY: i64 = 1;
const BIGINT_AS_STRING: i64 = 2;
const INVALID_UTF8_IGNORE: i64 = 1 << 20;
const INVALID_UTF8_SUBSTITUTE: i64 = 1 << 21;
const THROW_ON_ERROR: i64 = 1 << 22;

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    vm.register_classes(CLASSES);
    define(
        vm,
        &[
            ("JSON_HEX_TAG", encode::HEX_TAG),
            ("JSON_HEX_AMP", encode::HEX_AMP),
            ("JSON_HEX_APOS", encode::HEX_APOS),
            ("JSON_HEX_QUOT", encode::HEX_QUOT),
            ("JSON_FORCE_OBJECT", encode::FORCE_OBJECT),
            ("JSON_NUMERIC_CHECK", encode::NUMERIC_CHECK),
            ("JSON_UNESCAPED_SLASHES", encode::UNESCAPED_SLASHES),
            ("JSON_PRETTY_PRINT", PRETTY_PRINT),
            ("JSON_UNESCAPED_UNICODE", encode::UNESCAPED_UNICODE),
            ("JSON_PARTIAL_OUTPUT_ON_ERROR", PARTIAL_OUTPUT),
            (
                "JSON_PRESERVE_ZERO_FRACTION",
                encode::PRESERVE_ZERO_FRACTION,
            ),
            (
                "JSON_UNESCAPED_LINE_TERMINATORS",
                encode::UNESCAPED_LINE_TERMINATORS,
            ),
            ("JSON_OBJECT_AS_ARRAY", OBJECT_AS_ARRAY),
            ("JSON_BIGINT_AS_STRING", BIGINT_AS_STRING),
            ("JSON_INVALID_UTF8_IGNORE", INVALID_UTF8_IGNORE),
            ("JSON_INVALID_UTF8_SUBSTITUTE", INVALID_UTF8_SUBSTITUTE),
            ("JSON_THROW_ON_ERROR", THROW_ON_ERROR),
        ],
    );
    for (number, (name, _)) in ERRORS.iter().enumerate() {
        define_one(vm, name, (number as i64).into());
    }
}

/// Names and texts of the errors, by number.
static ERRORS: [(&str, &str); 12] = [
    ("JSON_ERROR_NONE", "No error"),
    ("JSON_ERROR_DEPTH", "Maximum stack depth exceeded"),
    (
        "JSON_ERROR_STATE_MISMATCH",
        "State mismatch (invalid or malformed JSON)",
    ),
    (
        "JSON_ERROR_CTRL_CHAR",
        "Control character error, possibly incorrectly encoded",
    ),
    ("JSON_ERROR_SYNTAX", "Syntax error"),
    (
        "JSON_ERROR_UTF8",
        "Malformed UTF-8 characters, possibly incorrectly encoded",
    ),
    ("JSON_ERROR_RECURSION", "Recursion detected"),
    (
        "JSON_ERROR_INF_OR_NAN",
        "Inf and NaN cannot be JSON encoded",
    ),
    ("JSON_ERROR_UNSUPPORTED_TYPE", "Type is not supported"),
    (
        "JSON_ERROR_INVALID_PROPERTY_NAME",
        "The decoded property name is invalid",
    ),
    (
        "JSON_ERROR_UTF16",
        "Single unpaired UTF-16 surrogate in unicode escape",
    ),
    (
        "JSON_ERROR_NON_BACKED_ENUM",
        "Non-backed enums have no default serialization",
    ),
];

/// What went wrong; the number is PHP's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum JsonError {
    Depth = 1,
    StateMismatch = 2,
    ControlCharacter = 3,
    Syntax = 4,
    Utf8 = 5,
    Recursion = 6,
    InfinityOrNan = 7,
    UnsupportedType = 8,
    PropertyName = 9,
    Utf16 = 10,
    PlainEnum = 11,
}

/// The last error of a VM, 0 if there was none.
#[derive(Debug, Default)]
struct LastError(u8);

fn set_last_error(vm: &mut Vm, error: Option<JsonError>) {
    vm.extensions.state::<LastError>().0 = error.map_or(0, |error| error as u8);
}

fn throw(vm: &mut Vm, error: JsonError) -> Thrown {
    let message = ERRORS[error as usize].1;
    vm.throw_with_code(KnownClass::JsonException, message, error as i64)
}

fn json_encode(call: &mut Call<'_>) -> PhpResult<Value> {
    let (value, flags, depth) = (call.value(0), call.long(1), call.long(2));
    let (builder, error) = encode::encode(call.vm, &value, flags, depth)?;
    // Partial output wins over exceptions.
    if flags & THROW_ON_ERROR != 0 && flags & PARTIAL_OUTPUT == 0 {
        return match error {
            Some(error) => Err(throw(call.vm, error)),
            None => Ok(builder.into_value(call.vm)),
        };
    }
    set_last_error(call.vm, error);
    if error.is_some() && flags & PARTIAL_OUTPUT == 0 {
        return Ok(false.into());
    }
    Ok(builder.into_value(call.vm))
}

/// Checks a depth argument.
fn depth(call: &mut Call<'_>, index: usize) -> PhpResult<usize> {
    match call.long(index) {
        depth if depth <= 0 => Err(call.value_error(index, "must be greater than 0")),
        depth if depth > i32::MAX as i64 => {
            Err(call.value_error(index, "must be less than 2147483647"))
        }
        depth => Ok(depth as usize),
    }
}

fn json_decode(call: &mut Call<'_>) -> PhpResult<Value> {
    let (json, mut flags) = (call.bytes(0), call.long(3));
    if flags & THROW_ON_ERROR == 0 {
        set_last_error(call.vm, None);
    }
    if json.is_empty() {
        return fail(call.vm, JsonError::Syntax, flags);
    }
    let depth = depth(call, 2)?;
    if call.has(1) {
        flags = if call.bool(1) {
            flags | OBJECT_AS_ARRAY
        } else {
            flags & !OBJECT_AS_ARRAY
        };
    }
    match decode::decode(call.vm, json, flags, depth) {
        Ok(value) => Ok(value),
        Err(error) => fail(call.vm, error, flags),
    }
}

fn fail(vm: &mut Vm, error: JsonError, flags: i64) -> PhpResult<Value> {
    if flags & THROW_ON_ERROR != 0 {
        return Err(throw(vm, error));
    }
    set_last_error(vm, Some(error));
    Ok(Value::NULL)
}

fn json_validate(call: &mut Call<'_>) -> PhpResult<Value> {
    let (json, flags) = (call.bytes(0), call.long(2));
    if flags & !INVALID_UTF8_IGNORE != 0 {
        return Err(call.value_error(
            2,
            "must be a valid flag (allowed flags: JSON_INVALID_UTF8_IGNORE)",
        ));
    }
    if json.is_empty() {
        set_last_error(call.vm, Some(JsonError::Syntax));
        return Ok(false.into());
    }
    let depth = depth(call, 1)?;
    let error = decode::decode(call.vm, json, flags | OBJECT_AS_ARRAY, depth).err();
    set_last_error(call.vm, error);
    Ok(error.is_none().into())
}

/// True if text is JSON.
#[cfg(feature = "fileinfo")]
pub(crate) fn is_json(vm: &mut Vm, text: &[u8]) -> bool {
    decode::decode(vm, text, OBJECT_AS_ARRAY, 512).is_ok()
}

fn json_last_error(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((call.vm.extensions.state::<LastError>().0 as i64).into())
}

fn json_last_error_msg(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = call.vm.extensions.state::<LastError>().0;
    text(call.vm, ERRORS[number as usize].1)
}
