//! Helpers that take as long whatever the bytes are: texts, comparison, long numbers, padding.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::{argument_problem, equal, problem, referenced};
use crate::support::{functions, text};

functions! {
    "#[Unconverted] sodium_add(string &$string1, string $string2): void" => add,
    "sodium_compare(#[SensitiveParameter] string $string1, #[SensitiveParameter] string $string2): int" => compare,
    "#[Unconverted] sodium_increment(string &$string): void" => increment,
    "sodium_memcmp(#[SensitiveParameter] string $string1, #[SensitiveParameter] string $string2): int" => memcmp,
    "#[Unconverted] sodium_memzero(#[SensitiveParameter] string &$string): void" => memzero,
    "sodium_pad(#[SensitiveParameter] string $string, int $block_size): string" => pad,
    "sodium_unpad(#[SensitiveParameter] string $string, int $block_size): string" => unpad,
    "sodium_bin2hex(#[SensitiveParameter] string $string): string" => bin2hex,
    "sodium_hex2bin(#[SensitiveParameter] string $string, string $ignore = \"\"): string" => hex2bin,
    "sodium_bin2base64(#[SensitiveParameter] string $string, int $id): string" => bin2base64,
    "sodium_base642bin(#[SensitiveParameter] string $string, int $id, string $ignore = \"\"): string" => base642bin,
}

const SAME_LENGTH: &str = "and argument #2 ($string_2) must have the same length";

fn add(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(mut sum) = referenced(call, 0) else {
        return Err(problem(call.vm, "PHP strings are required"));
    };
    let Some(with) = referenced(call, 1) else {
        return Err(problem(call.vm, "PHP strings are required"));
    };
    if sum.len() != with.len() {
        return Err(argument_problem(call, 0, SAME_LENGTH));
    }
    let mut carry = 0;
    for (byte, with) in sum.iter_mut().zip(&with) {
        carry += u16::from(*byte) + u16::from(*with);
        *byte = carry as u8;
        carry >>= 8;
    }
    let sum = text(call.vm, sum)?;
    call.assign(0, sum);
    Ok(Value::NULL)
}

fn increment(call: &mut Call<'_>) -> PhpResult<Value> {
    let Some(mut sum) = referenced(call, 0) else {
        return Err(problem(call.vm, "a PHP string is required"));
    };
    let mut carry = 1;
    for byte in &mut sum {
        carry += u16::from(*byte);
        *byte = carry as u8;
        carry >>= 8;
    }
    let sum = text(call.vm, sum)?;
    call.assign(0, sum);
    Ok(Value::NULL)
}

fn memzero(call: &mut Call<'_>) -> PhpResult<Value> {
    if referenced(call, 0).is_none() {
        return Err(problem(call.vm, "a PHP string is required"));
    }
    call.assign(0, Value::NULL);
    Ok(Value::NULL)
}

/// Two strings of the same length.
fn pair<'c>(call: &mut Call<'c>) -> PhpResult<(&'c [u8], &'c [u8])> {
    let pair = (call.bytes(0), call.bytes(1));
    match pair.0.len() == pair.1.len() {
        true => Ok(pair),
        false => Err(argument_problem(call, 0, SAME_LENGTH)),
    }
}

/// Compares as numbers whose least byte comes first.
fn compare(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, two) = pair(call)?;
    let (mut greater, mut less) = (0, 0);
    for (&one, &two) in one.iter().zip(two) {
        let (above, below) = (u8::from(one > two), u8::from(one < two));
        let same = 1 - (above | below);
        greater = above | (same & greater);
        less = below | (same & less);
    }
    Ok((i64::from(greater) - i64::from(less)).into())
}

fn memcmp(call: &mut Call<'_>) -> PhpResult<Value> {
    let (one, two) = pair(call)?;
    Ok(if equal(one, two) { 0i64 } else { -1 }.into())
}

fn block_size(call: &mut Call<'_>) -> PhpResult<usize> {
    match call.long(1) {
        ..=0 => Err(argument_problem(call, 1, "must be greater than 0")),
        size => Ok(size as usize),
    }
}

fn pad(call: &mut Call<'_>) -> PhpResult<Value> {
    let size = block_size(call)?;
    let plain = call.bytes(0);
    let more = size - plain.len() % size;
    vm_runtime::limits::reserve(plain.len().saturating_add(more));
    let mut padded = plain.to_vec();
    padded.push(0x80);
    padded.resize(plain.len() + more, 0);
    text(call.vm, padded)
}

fn unpad(call: &mut Call<'_>) -> PhpResult<Value> {
    let size = block_size(call)?;
    let padded = call.bytes(0);
    if padded.len() < size {
        let what = "must be at least as long as the block size";
        return Err(argument_problem(call, 0, what));
    }
    let last = &padded[padded.len() - size..];
    let end = last.iter().rposition(|&byte| byte != 0);
    match end.filter(|&end| last[end] == 0x80) {
        Some(end) => text(call.vm, &padded[..padded.len() - size + end]),
        None => Err(problem(call.vm, "invalid padding")),
    }
}

/// A digit, without a table that could be watched.
fn hex_digit(value: u8) -> u8 {
    value + b'0' + if value > 9 { b'a' - b'0' - 10 } else { 0 }
}

fn bin2hex(call: &mut Call<'_>) -> PhpResult<Value> {
    let bytes = call.bytes(0);
    vm_runtime::limits::reserve(bytes.len() * 2);
    let digits: Vec<u8> = bytes
        .iter()
        .flat_map(|byte| [hex_digit(byte >> 4), hex_digit(byte & 15)])
        .collect();
    text(call.vm, digits)
}

/// Bytes of digits; what is ignored stands between bytes.
fn of_hex(digits: &[u8], ignored: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    let mut first = None;
    for &digit in digits {
        let Some(value) = char::from(digit).to_digit(16) else {
            if first.is_none() && ignored.contains(&digit) {
                continue;
            }
            return None;
        };
        match first.take() {
            None => first = Some(value as u8),
            Some(high) => bytes.push(high << 4 | value as u8),
        }
    }
    first.is_none().then_some(bytes)
}

fn hex2bin(call: &mut Call<'_>) -> PhpResult<Value> {
    match of_hex(call.bytes(0), call.bytes(1)) {
        Some(bytes) => text(call.vm, bytes),
        None => Err(argument_problem(
            call,
            0,
            "must be a valid hexadecimal string",
        )),
    }
}

/// Which digits there are, and whether the last group is filled up.
#[derive(Debug, Clone, Copy)]
struct Variant {
    digits: &'static [u8; 64],
    is_padded: bool,
}

const ORIGINAL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FOR_URLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn variant(call: &mut Call<'_>) -> PhpResult<Variant> {
    let (digits, is_padded) = match call.long(1) {
        1 => (ORIGINAL, true),
        3 => (ORIGINAL, false),
        5 => (FOR_URLS, true),
        7 => (FOR_URLS, false),
        _ => {
            let what = "must be a valid base64 variant identifier";
            return Err(argument_problem(call, 1, what));
        }
    };
    Ok(Variant { digits, is_padded })
}

fn bin2base64(call: &mut Call<'_>) -> PhpResult<Value> {
    let variant = variant(call)?;
    let bytes = call.bytes(0);
    vm_runtime::limits::reserve(bytes.len() / 3 * 4 + 4);
    let mut result = Vec::with_capacity(bytes.len() / 3 * 4 + 4);
    for group in bytes.chunks(3) {
        let mut whole = [0; 4];
        whole[1..=group.len()].copy_from_slice(group);
        let number = u32::from_be_bytes(whole);
        for at in 0..4 {
            if at <= group.len() {
                result.push(variant.digits[(number >> (18 - 6 * at) & 63) as usize]);
            } else if variant.is_padded {
                result.push(b'=');
            }
        }
    }
    text(call.vm, result)
}

impl Variant {
    fn decode(self, given: &[u8], ignored: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(given.len() / 4 * 3 + 2);
        let (mut held, mut bits) = (0u32, 0);
        let mut rest = given.iter();
        while let [byte, ..] = rest.as_slice() {
            match self.digits.iter().position(|digit| digit == byte) {
                Some(value) => {
                    held = held << 6 | value as u32;
                    bits += 6;
                    if bits >= 8 {
                        bits -= 8;
                        bytes.push((held >> bits) as u8);
                    }
                }
                None if ignored.contains(byte) => {}
                None => break,
            }
            rest.next();
        }
        if bits > 4 || held & ((1 << bits) - 1) != 0 {
            return None;
        }
        if self.is_padded {
            let mut missing = bits / 2;
            while missing > 0 {
                match rest.next()? {
                    b'=' => missing -= 1,
                    byte if ignored.contains(byte) => {}
                    _ => return None,
                }
            }
        }
        rest.all(|byte| ignored.contains(byte)).then_some(bytes)
    }
}

fn base642bin(call: &mut Call<'_>) -> PhpResult<Value> {
    let variant = variant(call)?;
    match variant.decode(call.bytes(0), call.bytes(2)) {
        Some(bytes) => text(call.vm, bytes),
        None => Err(argument_problem(call, 0, "must be a valid base64 string")),
    }
}
