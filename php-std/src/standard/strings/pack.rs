//! `pack` and `unpack`: values as bytes of fixed layouts.

use std::borrow::Cow;

use smallvec::SmallVec;
use vm_runtime::array::{PhpArray, integer_key};
use vm_runtime::exceptions::KnownClass;
use vm_runtime::function::Call;
use vm_runtime::operators;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::encode::hex_digit;
use crate::support::{StringBuilder, functions, string_of};

functions! {
    "pack(string $format, mixed ...$values): string" => pack,
    "unpack(string $format, string $string, int $offset = 0): array|false" => unpack,
}

/// How often a format code applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeat {
    /// No number was given.
    Once,
    Times(usize),
    /// `*`
    All,
}

/// Reads the repetition behind a format code.
fn repetition(format: &[u8], at: &mut usize) -> Repeat {
    if format.get(*at) == Some(&b'*') {
        *at += 1;
        return Repeat::All;
    }
    let digits = format[*at..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if digits == 0 {
        return Repeat::Once;
    }
    let text = std::str::from_utf8(&format[*at..*at + digits]).unwrap_or_default();
    *at += digits;
    Repeat::Times(text.parse().unwrap_or(usize::MAX))
}

/// Bytes of a numeric format code; 0 for others.
fn size_of_code(code: u8) -> usize {
    match code {
        b'c' | b'C' => 1,
        b's' | b'S' | b'n' | b'v' => 2,
        b'i' | b'I' | b'l' | b'L' | b'N' | b'V' | b'f' | b'g' | b'G' => 4,
        b'q' | b'Q' | b'J' | b'P' | b'd' | b'e' | b'E' => 8,
        _ => 0,
    }
}

/// A format code as messages show it.
fn shown(code: &u8) -> Cow<'_, str> {
    vm_runtime::message::text(std::slice::from_ref(code))
}

fn value_error<T>(vm: &mut Vm, message: String) -> PhpResult<T> {
    Err(vm.throw_error(KnownClass::ValueError, message))
}

fn pack(call: &mut Call<'_>) -> PhpResult<Value> {
    let format = call.bytes(0);
    let mut builder = StringBuilder::new(call.vm, format.len() * 4);
    let (mut at, mut argument) = (0, 1);
    while at < format.len() {
        call.vm.poll();
        let code = format[at];
        at += 1;
        let repeat = repetition(format, &mut at);
        match code {
            b'a' | b'A' | b'Z' | b'h' | b'H' => {
                if argument >= call.count() {
                    return value_error(
                        call.vm,
                        format!("Type {}: not enough arguments", shown(&code)),
                    );
                }
                let value = call.value(argument);
                argument += 1;
                let string = string_of(call.vm, &value)?;
                if matches!(code, b'h' | b'H') {
                    pack_hexadecimal(call.vm, &mut builder, code, repeat, &string)?;
                } else {
                    pack_text(&mut builder, code, repeat, &string);
                }
            }
            b'x' | b'X' | b'@' => {
                let count = match repeat {
                    Repeat::Once => 1,
                    Repeat::Times(count) => count,
                    Repeat::All => {
                        call.vm
                            .warning(format!("pack(): Type {}: '*' ignored", shown(&code)));
                        call.vm.check()?;
                        1
                    }
                };
                match code {
                    b'x' => builder.fill(0, count),
                    b'X' => {
                        if count > builder.len() {
                            call.vm.warning("pack(): Type X: outside of string");
                            call.vm.check()?;
                        }
                        builder.shorten(builder.len().saturating_sub(count));
                    }
                    _ => {
                        let length = builder.len();
                        builder.fill(0, count.saturating_sub(length));
                        builder.shorten(count);
                    }
                }
            }
            _ if size_of_code(code) > 0 => {
                let left = call.count() - argument;
                let count = match repeat {
                    Repeat::Once => 1,
                    Repeat::Times(count) => count,
                    Repeat::All => left,
                };
                if count > left {
                    return value_error(
                        call.vm,
                        format!("Type {}: too few arguments", shown(&code)),
                    );
                }
                for _ in 0..count {
                    let value = call.value(argument);
                    argument += 1;
                    pack_number(call.vm, &mut builder, code, &value)?;
                }
            }
            _ => {
                return value_error(
                    call.vm,
                    format!("Type {}: unknown format code", shown(&code)),
                );
            }
        }
    }
    if argument < call.count() {
        let unused = call.count() - argument;
        call.vm
            .warning(format!("pack(): {unused} arguments unused"));
        call.vm.check()?;
    }
    Ok(builder.into_value(call.vm))
}

fn pack_text(builder: &mut StringBuilder, code: u8, repeat: Repeat, string: &[u8]) {
    let length = match repeat {
        Repeat::Once => 1,
        Repeat::Times(count) => count,
        Repeat::All => string.len() + (code == b'Z') as usize,
    };
    // A `Z` always ends in NUL.
    let room = if code == b'Z' {
        length.saturating_sub(1)
    } else {
        length
    };
    let copied = string.len().min(room);
    builder.push(&string[..copied]);
    builder.fill(if code == b'A' { b' ' } else { 0 }, length - copied);
}

fn pack_hexadecimal(
    vm: &mut Vm,
    builder: &mut StringBuilder,
    code: u8,
    repeat: Repeat,
    string: &[u8],
) -> PhpResult<()> {
    let mut digits = match repeat {
        Repeat::Once => 1,
        Repeat::Times(count) => count,
        Repeat::All => string.len(),
    };
    if digits > string.len() {
        vm.warning(format!(
            "pack(): Type {}: not enough characters in string",
            code as char
        ));
        vm.check()?;
        digits = string.len();
    }
    let start = builder.len();
    builder.fill(0, digits.div_ceil(2));
    for (index, &digit) in string[..digits].iter().enumerate() {
        let Some(value) = hex_digit(digit) else {
            let digit = vm_runtime::message::text(&[digit]).into_owned();
            vm.warning(format!(
                "pack(): Type {}: illegal hex digit {digit}",
                code as char
            ));
            vm.check()?;
            continue;
        };
        let high = (index % 2 == 0) == (code == b'H');
        builder.as_mut_bytes()[start + index / 2] |= if high { value << 4 } else { value };
    }
    Ok(())
}

fn pack_number(vm: &mut Vm, builder: &mut StringBuilder, code: u8, value: &Value) -> PhpResult<()> {
    if matches!(code, b'f' | b'g' | b'G' | b'd' | b'e' | b'E') {
        let number = operators::to_double(vm, value);
        vm.check()?;
        match code {
            b'f' | b'g' => builder.push(&(number as f32).to_le_bytes()),
            b'G' => builder.push(&(number as f32).to_be_bytes()),
            b'd' | b'e' => builder.push(&number.to_le_bytes()),
            _ => builder.push(&number.to_be_bytes()),
        }
        return Ok(());
    }
    let number = operators::to_long(vm, value);
    vm.check()?;
    let bytes = number.to_le_bytes();
    match code {
        b'n' => builder.push(&(number as u16).to_be_bytes()),
        b'N' => builder.push(&(number as u32).to_be_bytes()),
        b'J' => builder.push(&number.to_be_bytes()),
        _ => builder.push(&bytes[..size_of_code(code)]),
    }
    Ok(())
}

fn unpack(call: &mut Call<'_>) -> PhpResult<Value> {
    let (format, data, offset) = (call.bytes(0), call.bytes(1), call.long(2));
    if offset < 0 || offset as usize > data.len() {
        return Err(call.value_error(2, "must be contained in argument #2 ($data)"));
    }
    let data = &data[offset as usize..];
    let mut result = PhpArray::keyed(&mut call.vm.heap, 8);
    let (mut at, mut position) = (0, 0usize);
    while at < format.len() {
        call.vm.poll();
        let code = format[at];
        at += 1;
        let repeat = repetition(format, &mut at);
        let end = memchr::memchr(b'/', &format[at..]).map_or(format.len(), |slash| at + slash);
        let name = &format[at..end.min(at + 200)];
        at = end + 1;
        // Size of one element; none means one element of all that is left.
        let (size, mut count) = match code {
            b'X' => {
                let back = match repeat {
                    Repeat::Once => 1,
                    Repeat::Times(count) => count,
                    Repeat::All => {
                        call.vm.warning("unpack(): Type X: '*' ignored");
                        call.vm.check()?;
                        1
                    }
                };
                // The beginning is as far back as it goes.
                position = position.saturating_sub(back);
                continue;
            }
            b'@' => {
                let target = match repeat {
                    Repeat::Times(count) => count,
                    Repeat::Once => 1,
                    Repeat::All => 0,
                };
                if target > data.len() {
                    call.vm.warning("unpack(): Type @: outside of string");
                    call.vm.check()?;
                }
                position = target.min(data.len());
                continue;
            }
            b'a' | b'A' | b'Z' => (
                match repeat {
                    Repeat::Once => Some(1),
                    Repeat::Times(count) => Some(count),
                    Repeat::All => None,
                },
                Repeat::Times(1),
            ),
            b'h' | b'H' => (
                match repeat {
                    Repeat::Once => Some(1),
                    // As many digits as an int of C can count.
                    Repeat::Times(digits) if digits > i32::MAX as usize => {
                        let message = format!("unpack(): Type {}: integer overflow", shown(&code));
                        call.vm.warning(message);
                        return Ok(false.into());
                    }
                    Repeat::Times(digits) => Some(digits.div_ceil(2)),
                    Repeat::All => None,
                },
                Repeat::Times(1),
            ),
            b'x' => (Some(1), repeat),
            _ if size_of_code(code) > 0 => (Some(size_of_code(code)), repeat),
            _ => return value_error(call.vm, format!("Invalid format type {}", shown(&code))),
        };
        let numbered = !matches!(count, Repeat::Once | Repeat::Times(1)) && size_of_code(code) > 0;
        if count == Repeat::Once {
            count = Repeat::Times(1);
        }
        let mut index = 0usize;
        loop {
            if matches!(count, Repeat::Times(times) if index >= times) {
                break;
            }
            let left = data.len() - position;
            let size = size.unwrap_or(left);
            if size > left {
                if count == Repeat::All {
                    break;
                }
                call.vm.warning(format!(
                    "unpack(): Type {}: not enough input values, need {size} values but only {left} {} provided",
                    shown(&code),
                    if left == 1 { "was" } else { "were" }
                ));
                return Ok(false.into());
            }
            let bytes = &data[position..position + size];
            position += size;
            if code != b'x' {
                let value = unpack_value(call.vm, code, repeat, bytes);
                set_element(result.make_mut(call.vm), name, numbered, index, value);
            }
            index += 1;
            if count == Repeat::All && position >= data.len() {
                break;
            }
        }
    }
    Ok(result.into())
}

/// Sets an element by its name, with a number if there may be several; by numbers from 1 on if it has none.
fn set_element(target: &mut PhpArray, name: &[u8], numbered: bool, index: usize, value: Value) {
    if name.is_empty() {
        return target.set_long(index as i64 + 1, value);
    }
    let mut key: SmallVec<[u8; 32]>;
    let name = match numbered {
        true => {
            key = SmallVec::from_slice(name);
            key.extend_from_slice((index + 1).to_string().as_bytes());
            &key
        }
        false => name,
    };
    match integer_key(name) {
        Some(number) => target.set_long(number, value),
        None => target.set_bytes(name, value),
    }
}

/// The number of up to eight bytes, the lowest first.
fn little_endian(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => a.into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => 0,
    }
}

fn unpack_value(vm: &mut Vm, code: u8, repeat: Repeat, bytes: &[u8]) -> Value {
    // Both readings of what is a number.
    let little = little_endian(bytes);
    let big = little.swap_bytes() >> (64 - 8 * bytes.len().clamp(1, 8));
    match code {
        b'a' => vm.string(bytes).into(),
        b'A' => {
            let padding = |byte: &u8| matches!(byte, 0 | b' ' | b'\t' | b'\r' | b'\n');
            let end = bytes
                .iter()
                .rposition(|byte| !padding(byte))
                .map_or(0, |last| last + 1);
            vm.string(&bytes[..end]).into()
        }
        b'Z' => {
            let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
            vm.string(&bytes[..end]).into()
        }
        b'h' | b'H' => {
            let digits = match repeat {
                Repeat::Once => 1,
                Repeat::Times(count) => count,
                Repeat::All => bytes.len() * 2,
            };
            let mut text = Vec::with_capacity(bytes.len() * 2);
            for &byte in bytes {
                let (first, second) = if code == b'H' {
                    (byte >> 4, byte & 15)
                } else {
                    (byte & 15, byte >> 4)
                };
                text.extend([first, second].map(|digit| b"0123456789abcdef"[digit as usize]));
            }
            text.truncate(digits);
            vm.string(text).into()
        }
        b'c' => (little as i8 as i64).into(),
        b's' => (little as i16 as i64).into(),
        b'i' | b'l' => (little as i32 as i64).into(),
        b'C' | b'S' | b'v' | b'I' | b'L' | b'V' | b'q' | b'Q' | b'P' => (little as i64).into(),
        b'n' | b'N' | b'J' => (big as i64).into(),
        b'f' | b'g' => (f32::from_bits(little as u32) as f64).into(),
        b'G' => (f32::from_bits(big as u32) as f64).into(),
        b'd' | b'e' => f64::from_bits(little).into(),
        _ => f64::from_bits(big).into(),
    }
}
