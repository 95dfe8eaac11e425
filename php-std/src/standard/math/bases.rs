//! Numbers in other bases.

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators::Number;
use vm_runtime::value::{StringHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{direct, functions, text};

functions! {
    "bindec(string $binary_string): int|float" => bindec | bindec_directly,
    "hexdec(string $hex_string): int|float" => hexdec | hexdec_directly,
    "octdec(string $octal_string): int|float" => octdec | octdec_directly,
    "decbin(int $num): string" => decbin | decbin_directly,
    "decoct(int $num): string" => decoct | decoct_directly,
    "#[Frameless(1)] dechex(int $num): string" => dechex | dechex_directly,
    "base_convert(string $num, int $from_base, int $to_base): string" => base_convert | base_convert_directly,
}

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// Reads a number; other characters are skipped, with a deprecation. `float` if it is too large.
fn read(vm: &mut Vm, digits: &[u8], base: u32) -> PhpResult<Number> {
    let (number, is_whole) = number_in(digits, base);
    if !is_whole {
        vm.deprecated(
            "Invalid characters passed for attempted conversion, these have been ignored",
        );
        vm.check()?;
    }
    Ok(number)
}

/// The number that digits stand for, and whether there is nothing else.
#[inline]
fn number_in(digits: &[u8], base: u32) -> (Number, bool) {
    let trimmed = digits.trim_ascii();
    let prefix: &[u8] = match base {
        2 => b"bB",
        8 => b"oO",
        16 => b"xX",
        _ => b"",
    };
    let digits = match trimmed {
        [b'0', letter, rest @ ..] if prefix.contains(letter) => rest,
        digits => digits,
    };
    let mut invalid = false;
    let mut number = Number::Long(0);
    for &byte in digits {
        let Some(digit) = (byte as char).to_digit(base) else {
            invalid = true;
            continue;
        };
        number = match number {
            Number::Long(value) => match value
                .checked_mul(base as i64)
                .and_then(|value| value.checked_add(digit as i64))
            {
                Some(value) => Number::Long(value),
                None => Number::Double(value as f64 * base as f64 + digit as f64),
            },
            Number::Double(value) => Number::Double(value * base as f64 + digit as f64),
        };
    }
    (number, !invalid)
}

/// A number as a value.
fn value_of(number: Number) -> Value {
    // SAFETY: numbers are not counted.
    unsafe { Value::from_zval(Zval::from(number)) }
}

fn read_argument(call: &mut Call<'_>, base: u32) -> PhpResult<Value> {
    let number = read(call.vm, call.bytes(0), base)?;
    Ok(value_of(number))
}

fn bindec(call: &mut Call<'_>) -> PhpResult<Value> {
    read_argument(call, 2)
}

fn hexdec(call: &mut Call<'_>) -> PhpResult<Value> {
    read_argument(call, 16)
}

fn octdec(call: &mut Call<'_>) -> PhpResult<Value> {
    read_argument(call, 8)
}

/// The digits of a number without a sign.
#[inline]
fn digits_of(vm: &mut Vm, number: i64, base: u64) -> StringHandle {
    let mut digits = [0u8; 64];
    let mut start = digits.len();
    let mut rest = number as u64;
    loop {
        start -= 1;
        digits[start] = DIGITS[(rest % base) as usize];
        rest /= base;
        if rest == 0 {
            return vm.string(&digits[start..]);
        }
    }
}

/// As [`digits_of`]: bases that are a power of two need no division.
fn in_base(vm: &mut Vm, number: i64, base: u64) -> StringHandle {
    match base {
        2 => digits_of(vm, number, 2),
        8 => digits_of(vm, number, 8),
        10 => digits_of(vm, number, 10),
        16 => digits_of(vm, number, 16),
        32 => digits_of(vm, number, 32),
        36 => digits_of(vm, number, 36),
        _ => digits_of(vm, number, base),
    }
}

/// Text that is nothing but a number.
fn whole_number(digits: &[u8], base: u32) -> Option<Value> {
    let (number, is_whole) = number_in(digits, base);
    is_whole.then(|| value_of(number))
}

direct! {
    fn base_convert_directly(vm; digits: &[u8], from: i64, to: i64) {
        let bases = 2..=36;
        if !bases.contains(&from) || !bases.contains(&to) {
            return None;
        }
        match number_in(digits, from as u32) {
            (Number::Long(number), true) => Some(in_base(vm, number, to as u64)),
            _ => None,
        }
    }

    fn bindec_directly(_; digits: &[u8]) { whole_number(digits, 2) }

    fn hexdec_directly(_; digits: &[u8]) { whole_number(digits, 16) }

    fn octdec_directly(_; digits: &[u8]) { whole_number(digits, 8) }

    fn decbin_directly(vm; number: i64) { digits_of(vm, number, 2) }

    fn decoct_directly(vm; number: i64) { digits_of(vm, number, 8) }

    fn dechex_directly(vm; number: i64) { digits_of(vm, number, 16) }
}

fn decbin(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = call.long(0);
    Ok(digits_of(call.vm, number, 2).into())
}

fn decoct(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = call.long(0);
    Ok(digits_of(call.vm, number, 8).into())
}

fn dechex(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = call.long(0);
    Ok(digits_of(call.vm, number, 16).into())
}

fn base_convert(call: &mut Call<'_>) -> PhpResult<Value> {
    let mut bases = [0; 2];
    for (index, base) in bases.iter_mut().enumerate() {
        match call.long(index + 1) {
            given @ 2..=36 => *base = given as u32,
            _ => return Err(call.value_error(index + 1, "must be between 2 and 36 (inclusive)")),
        }
    }
    let number = read(call.vm, call.bytes(0), bases[0])?;
    let base = bases[1];
    let mut digits = Vec::new();
    match number {
        Number::Long(value) => return Ok(in_base(call.vm, value, base.into()).into()),
        Number::Double(value) if value.is_infinite() => {
            let message = format!("An infinite value cannot be converted to base {base}");
            return Err(call.vm.throw_error(KnownClass::ValueError, message));
        }
        Number::Double(value) => {
            let mut rest = value.floor();
            while rest.abs() >= 1.0 {
                digits.push(DIGITS[(rest % base as f64) as usize]);
                rest /= base as f64;
            }
        }
    }
    digits.reverse();
    text(call.vm, digits)
}
