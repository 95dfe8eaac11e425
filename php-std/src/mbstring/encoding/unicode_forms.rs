//! UTF-16, UCS-2, UCS-4 and UTF-7.

use super::{BAD, Order};

/// True if text in UTF-7 is shifted for nothing somewhere: valid is only `+-`, and a `+` at the end.
pub(super) fn has_empty_shift(bytes: &[u8]) -> bool {
    let is_digit = |byte: &u8| base64_value(*byte, b'/').is_some();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'+', &bytes[at..]) {
        at += found + 1;
        let digits = bytes[at..].iter().take_while(|byte| is_digit(byte)).count();
        at += digits;
        if digits == 0 && !matches!(bytes.get(at), Some(b'-') | None) {
            return true;
        }
    }
    false
}

/// True for bytes that a valid text in UTF-7 does not have anywhere.
pub(super) fn is_never_in_utf7(byte: u8) -> bool {
    matches!(byte, b'\\' | b'~' | 0x7f..)
        || byte < 0x20 && !matches!(byte, 0 | b'\t' | b'\n' | b'\r')
}

/// The order of a text, and the text without its byte order mark.
fn ordered<const N: usize>(bytes: &[u8], order: Order) -> (bool, &[u8]) {
    if order != Order::Detect {
        return (order == Order::Little, bytes);
    }
    let mut mark = [0; N];
    mark[N - 2..].copy_from_slice(&[0xfe, 0xff]);
    if let Some(rest) = bytes.strip_prefix(&mark) {
        return (false, rest);
    }
    mark.reverse();
    match bytes.strip_prefix(&mark) {
        Some(rest) => (true, rest),
        None => (false, bytes),
    }
}

fn units<const N: usize>(bytes: &[u8], order: Order) -> (impl Iterator<Item = u32>, bool) {
    let (little, bytes) = ordered::<N>(bytes, order);
    let units = bytes.chunks_exact(N);
    let is_cut = !units.remainder().is_empty();
    let units = units.map(move |unit| {
        let join = |number: u32, &byte: &u8| number << 8 | byte as u32;
        if little {
            unit.iter().rev().fold(0, join)
        } else {
            unit.iter().fold(0, join)
        }
    });
    (units, is_cut)
}

/// Every unit is a character.
pub(super) fn decode_units<const N: usize>(bytes: &[u8], order: Order, output: &mut Vec<u32>) {
    let (units, is_cut) = units::<N>(bytes, order);
    output.extend(units);
    if is_cut {
        output.push(BAD);
    }
}

/// Joins surrogates; one alone is bad.
fn join_surrogates(units: impl Iterator<Item = u32>, output: &mut Vec<u32>) {
    let mut high: Option<u32> = None;
    for unit in units {
        match (high.take(), unit) {
            (Some(first), 0xdc00..=0xdfff) => {
                output.push(0x1_0000 + ((first & 0x3ff) << 10 | unit & 0x3ff));
                continue;
            }
            (Some(_), _) => output.push(BAD),
            (None, _) => {}
        }
        match unit {
            0xd800..=0xdbff => high = Some(unit),
            0xdc00..=0xdfff => output.push(BAD),
            _ => output.push(unit),
        }
    }
    if high.is_some() {
        output.push(BAD);
    }
}

pub(super) fn decode_utf16(bytes: &[u8], order: Order, output: &mut Vec<u32>) {
    let (units, is_cut) = units::<2>(bytes, order);
    join_surrogates(units, output);
    if is_cut {
        output.push(BAD);
    }
}

/// Appends the bytes of a unit, given the big one first.
pub(super) fn put_unit<const N: usize>(mut unit: [u8; N], order: Order, output: &mut Vec<u8>) {
    if order == Order::Little {
        unit.reverse();
    }
    output.extend_from_slice(&unit);
}

/// The value of a digit of base 64.
pub(super) fn base64_value(byte: u8, last: u8) -> Option<u32> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        byte if byte == last => 63,
        _ => return None,
    } as u32)
}

/// How the digits of base 64 behind a shift end.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Whole,
    /// In the midst of a character, which was called bad.
    Cut,
    /// As `Cut`, behind half of a pair of surrogates, with bits that are no unit.
    CutWithBits,
}

/// The characters of digits of base 64; bad if bits are left over that are not 0.
fn decode_shifted(digits: impl Iterator<Item = u32>, output: &mut Vec<u32>) -> End {
    let (mut bits, mut count, mut number_of_digits) = (0u32, 0, 0);
    let mut units = Vec::new();
    for digit in digits {
        number_of_digits += 1;
        bits = bits << 6 | digit;
        count += 6;
        if count >= 16 {
            count -= 16;
            units.push(bits >> count & 0xffff);
            bits &= (1 << count) - 1;
        }
    }
    let ends_high = matches!(units.last(), Some(0xd800..=0xdbff));
    join_surrogates(units.into_iter(), output);
    let is_cut = count >= 6 || bits != 0 || number_of_digits == 1;
    if is_cut && !ends_high {
        output.push(BAD);
    }
    match (ends_high, count) {
        (true, 1..) => End::CutWithBits,
        (true, _) => End::Cut,
        (false, _) if is_cut => End::Cut,
        _ => End::Whole,
    }
}

/// True for the bytes that UTF-7 leaves as they are.
fn is_direct(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, 0 | b' ' | b'\t' | b'\r' | b'\n')
        || b"'(),-./:?".contains(&byte)
}

pub(super) fn decode_utf7(bytes: &[u8], output: &mut Vec<u32>) {
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        if byte != b'+' {
            output.push(if byte < 0x80 { byte as u32 } else { BAD });
            continue;
        }
        if bytes.get(at) == Some(&b'-') {
            output.push(u32::from(b'+'));
            at += 1;
            continue;
        }
        let is_digit = |byte: &u8| base64_value(*byte, b'/').is_some();
        let length = bytes[at..].iter().take_while(|byte| is_digit(byte)).count();
        let digits = &bytes[at..at + length];
        decode_shifted(
            digits.iter().filter_map(|&byte| base64_value(byte, b'/')),
            output,
        );
        at += length;
        if bytes.get(at) == Some(&b'-') {
            at += 1;
        }
    }
}

pub(super) fn decode_utf7_imap(bytes: &[u8], output: &mut Vec<u32>) {
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        if byte != b'&' {
            let is_plain = (0x20..0x7f).contains(&byte);
            output.push(if is_plain { byte as u32 } else { BAD });
            continue;
        }
        if bytes.get(at) == Some(&b'-') {
            output.push(u32::from(b'&'));
            at += 1;
            continue;
        }
        let is_digit = |byte: &u8| base64_value(*byte, b',').is_some();
        let length = bytes[at..].iter().take_while(|byte| is_digit(byte)).count();
        let digits = &bytes[at..at + length];
        let start = output.len();
        let end = decode_shifted(
            digits.iter().filter_map(|&byte| base64_value(byte, b',')),
            output,
        );
        // What may stand for itself must not be shifted.
        for character in &mut output[start..] {
            if (0x20..0x7f).contains(character) && *character != u32::from(b'&') {
                *character = BAD;
            }
        }
        at += length;
        match bytes.get(at) {
            Some(b'-') => at += 1,
            // What ends too early is bad once.
            Some(_) => {
                if end == End::Whole {
                    output.push(BAD);
                }
                at += 1;
            }
            None if end == End::Cut => {}
            None => output.push(BAD),
        }
    }
}

/// True if UTF-7 writes this character as it is.
pub(super) fn is_plain_in_utf7(character: u32, is_imap: bool) -> bool {
    match u8::try_from(character) {
        Ok(byte) if is_imap => (0x20..0x7f).contains(&byte) && byte != b'&',
        Ok(byte) => is_direct(byte),
        Err(_) => false,
    }
}
