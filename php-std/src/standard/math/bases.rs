//! Numbers in other bases.

use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators::Number;
use vm_runtime::value::{StringHandle, Value, Zval};
use vm_runtime::vm::{PhpResult, Vm};

use crate::support::{direct, functions, text};

functions! {
    "bindec(string $binary_string): int|float" => bindec,
    "hexdec(string $hex_string): int|float" => hexdec,
    "octdec(string $octal_string): int|float" => octdec,
    "decbin(int $num): string" => decbin,
    "decoct(int $num): string" => decoct,
    "#[Frameless(1)] dechex(int $num): string" => dechex | dechex_directly,
    "base_convert(string $num, int $from_base, int $to_base): string" => base_convert,
}

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// Reads a number; other characters are skipped, with a deprecation. `float` if it is too large.
fn read(vm: &mut Vm, digits: &[u8], base: u32) -> PhpResult<Number> {
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
    if invalid {
        vm.deprecated(
            "Invalid characters passed for attempted conversion, these have been ignored",
        );
        vm.check()?;
    }
    Ok(number)
}

fn read_argument(call: &mut Call<'_>, base: u32) -> PhpResult<Value> {
    let number = read(call.vm, call.bytes(0), base)?;
    // SAFETY: numbers are not counted.
    Ok(unsafe { Value::from_zval(Zval::from(number)) })
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

fn decbin(call: &mut Call<'_>) -> PhpResult<Value> {
    let digits = format!("{:b}", call.long(0));
    text(call.vm, digits)
}

fn decoct(call: &mut Call<'_>) -> PhpResult<Value> {
    let digits = format!("{:o}", call.long(0));
    text(call.vm, digits)
}

fn hexadecimal(vm: &mut Vm, number: i64) -> StringHandle {
    let mut digits = [0u8; 16];
    let mut start = digits.len();
    let mut rest = number as u64;
    loop {
        start -= 1;
        digits[start] = DIGITS[(rest & 15) as usize];
        rest >>= 4;
        if rest == 0 {
            return vm.string(&digits[start..]);
        }
    }
}

direct! {
    fn dechex_directly(vm; number: i64) { hexadecimal(vm, number) }
}

fn dechex(call: &mut Call<'_>) -> PhpResult<Value> {
    let number = call.long(0);
    Ok(hexadecimal(call.vm, number).into())
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
        Number::Long(value) => {
            let mut rest = value as u64;
            while rest > 0 || digits.is_empty() {
                digits.push(DIGITS[(rest % base as u64) as usize]);
                rest /= base as u64;
            }
        }
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
