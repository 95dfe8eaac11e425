//! Comparing strings: by bytes, without case, in natural order.

use std::cmp::Ordering;

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use crate::support::{direct, functions};

functions! {
    "strcoll(string $string1, string $string2): int" => strcoll | strcoll_directly,
    "strnatcmp(string $string1, string $string2): int" => strnatcmp | strnatcmp_directly,
    "strnatcasecmp(string $string1, string $string2): int" => strnatcasecmp | strnatcasecmp_directly,
}

functions! { CORE_FUNCTIONS:
    "strcmp(string $string1, string $string2): int" => strcmp | strcmp_directly,
    "strncmp(string $string1, string $string2, int $length): int" => strncmp | strncmp_directly,
    "strcasecmp(string $string1, string $string2): int" => strcasecmp | strcasecmp_directly,
    "strncasecmp(string $string1, string $string2, int $length): int" => strncasecmp | strncasecmp_directly,
}

/// Order by bytes: the difference of the first bytes that differ, else the order of the lengths.
#[inline]
pub(crate) fn binary_compare(a: &[u8], b: &[u8]) -> i32 {
    difference(a, b, |word| word).unwrap_or(a.len().cmp(&b.len()) as i32)
}

/// The difference of the first bytes that differ, eight bytes being folded at once.
#[inline]
fn difference(a: &[u8], b: &[u8], fold: impl Fn(u64) -> u64) -> Option<i32> {
    const WORD: usize = 8;
    let length = a.len().min(b.len());
    let (a, b) = (&a[..length], &b[..length]);
    let differ = |a: u64, b: u64| {
        let (a, b) = (fold(a), fold(b));
        (a != b).then(|| {
            let at = (a ^ b).trailing_zeros() & !7;
            (a >> at & 0xff) as i32 - (b >> at & 0xff) as i32
        })
    };
    let (words, others) = (a.as_chunks::<WORD>().0, b.as_chunks::<WORD>().0);
    for (&a, &b) in words.iter().zip(others) {
        if let Some(difference) = differ(u64::from_le_bytes(a), u64::from_le_bytes(b)) {
            return Some(difference);
        }
    }
    match (a.last_chunk(), b.last_chunk()) {
        // Together with some that are equal.
        (Some(&a), Some(&b)) => differ(u64::from_le_bytes(a), u64::from_le_bytes(b)),
        _ => differ(short_word(a), short_word(b)),
    }
}

/// Up to seven bytes as a word, zeros behind them.
#[inline(always)]
fn short_word(bytes: &[u8]) -> u64 {
    // Pieces that may overlap, where they are the same.
    match (bytes.first_chunk(), bytes.last_chunk(), bytes.len()) {
        (Some(&start), Some(&end), length) => {
            let (start, end) = (u32::from_le_bytes(start), u32::from_le_bytes(end));
            u64::from(start) | u64::from(end) << ((length - 4) * 8)
        }
        (.., 0) => 0,
        (.., length) => [0, length / 2, length - 1]
            .into_iter()
            .fold(0, |word, at| word | u64::from(bytes[at]) << (at * 8)),
    }
}

/// Eight bytes with letters in lower case.
#[inline]
fn in_lower_case(word: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = EACH << 7;
    let low = word & !HIGH;
    let from_a = low + EACH * u64::from(0x80 - b'A');
    let behind_z = low + EACH * u64::from(0x7f - b'Z');
    let upper = (from_a ^ behind_z) & !word & HIGH;
    word | upper >> 2
}

/// As [`binary_compare`], of the bytes in lower case.
pub(crate) fn case_compare(a: &[u8], b: &[u8]) -> i32 {
    difference(a, b, in_lower_case).unwrap_or(a.len().cmp(&b.len()) as i32)
}

direct! {
    fn strcmp_directly(_; one: &[u8], other: &[u8]) { binary_compare(one, other) as i64 }

    fn strcoll_directly(_; one: &[u8], other: &[u8]) { collate(one, other) }

    fn strcasecmp_directly(_; one: &[u8], other: &[u8]) { case_compare(one, other) as i64 }
}

fn strcmp(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((binary_compare(call.bytes(0), call.bytes(1)) as i64).into())
}

/// The C library's order, in which a string ends with a zero.
fn strcoll(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok(collate(call.bytes(0), call.bytes(1)).into())
}

fn collate(a: &[u8], b: &[u8]) -> i64 {
    let zero_terminated = |bytes| {
        let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
        &bytes[..end]
    };
    let (a, b) = (zero_terminated(a), zero_terminated(b));
    // Where one ends, its zero is compared.
    let ends = || match a.len() < b.len() {
        true => -i32::from(b[a.len()]),
        false => a.get(b.len()).copied().map_or(0, i32::from),
    };
    i64::from(difference(a, b, |word| word).unwrap_or_else(ends))
}

fn strcasecmp(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((case_compare(call.bytes(0), call.bytes(1)) as i64).into())
}

/// The first bytes of both strings, as many as argument #3 says.
fn prefixes<'a>(call: &mut Call<'a>) -> PhpResult<(&'a [u8], &'a [u8])> {
    let length = call.long(2);
    if length < 0 {
        return Err(call.value_error(2, "must be greater than or equal to 0"));
    }
    let (a, b) = (call.bytes(0), call.bytes(1));
    let length = length as usize;
    Ok((&a[..a.len().min(length)], &b[..b.len().min(length)]))
}

fn strncmp(call: &mut Call<'_>) -> PhpResult<Value> {
    let (a, b) = prefixes(call)?;
    Ok((binary_compare(a, b) as i64).into())
}

fn strncasecmp(call: &mut Call<'_>) -> PhpResult<Value> {
    let (a, b) = prefixes(call)?;
    Ok((case_compare(a, b) as i64).into())
}

direct! {
    fn strncmp_directly(_; a: &[u8], b: &[u8], length: i64) {
        let length = usize::try_from(length).ok()?;
        let (a, b) = (&a[..a.len().min(length)], &b[..b.len().min(length)]);
        Some(i64::from(binary_compare(a, b)))
    }

    fn strncasecmp_directly(_; a: &[u8], b: &[u8], length: i64) {
        let length = usize::try_from(length).ok()?;
        let (a, b) = (&a[..a.len().min(length)], &b[..b.len().min(length)]);
        Some(i64::from(case_compare(a, b)))
    }

    fn strnatcmp_directly(_; a: &[u8], b: &[u8]) { i64::from(natural_compare(a, b, false)) }

    fn strnatcasecmp_directly(_; a: &[u8], b: &[u8]) { i64::from(natural_compare(a, b, true)) }
}

fn strnatcmp(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((natural_compare(call.bytes(0), call.bytes(1), false) as i64).into())
}

fn strnatcasecmp(call: &mut Call<'_>) -> PhpResult<Value> {
    Ok((natural_compare(call.bytes(0), call.bytes(1), true) as i64).into())
}

/// Natural order: runs of digits compare as numbers, or, after leading zeros, as fractions. After
/// Martin Pool's strnatcmp, with PHP's treatment of leading zeros and spaces.
pub(crate) fn natural_compare(a: &[u8], b: &[u8], fold: bool) -> i32 {
    if a.is_empty() || b.is_empty() {
        return a.len().cmp(&b.len()) as i32;
    }
    let at = |bytes: &[u8], index: usize| bytes.get(index).copied().unwrap_or(0);
    let skip_zeros = |bytes: &[u8]| {
        let mut index = 0;
        while at(bytes, index) == b'0' && at(bytes, index + 1).is_ascii_digit() {
            index += 1;
        }
        index
    };
    let (mut i, mut j) = (skip_zeros(a), skip_zeros(b));
    loop {
        // What both begin with, up to a number or a space, and never the last byte of either.
        while let (Some(&x), Some(&y)) = (a.get(i), b.get(j))
            && (x == y || fold && x.eq_ignore_ascii_case(&y))
            && !x.is_ascii_digit()
            && !is_space(x)
            && i + 1 < a.len()
            && j + 1 < b.len()
        {
            i += 1;
            j += 1;
        }
        while is_space(at(a, i)) {
            i += 1;
        }
        while is_space(at(b, j)) {
            j += 1;
        }
        let (mut x, mut y) = (at(a, i), at(b, j));
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let fractional = x == b'0' || y == b'0';
            let order = if fractional {
                compare_fractions(a, b, &mut i, &mut j)
            } else {
                compare_numbers(a, b, &mut i, &mut j)
            };
            if order != Ordering::Equal {
                return order as i32;
            }
            match (i >= a.len(), j >= b.len()) {
                (true, true) => return 0,
                (true, false) => return -1,
                (false, true) => return 1,
                (false, false) => {}
            }
            (x, y) = (at(a, i), at(b, j));
        }
        if fold {
            (x, y) = (x.to_ascii_uppercase(), y.to_ascii_uppercase());
        }
        if x != y {
            return x.cmp(&y) as i32;
        }
        i += 1;
        j += 1;
        match (i >= a.len(), j >= b.len()) {
            (true, true) => return 0,
            (true, false) => return -1,
            (false, true) => return 1,
            (false, false) => {}
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Numbers with a same-sized run of digits differ at the first digit; else the longer is greater.
fn compare_numbers(a: &[u8], b: &[u8], i: &mut usize, j: &mut usize) -> Ordering {
    let mut bias = Ordering::Equal;
    loop {
        let x = a.get(*i).copied().filter(u8::is_ascii_digit);
        let y = b.get(*j).copied().filter(u8::is_ascii_digit);
        match (x, y) {
            (None, None) => return bias,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) if bias == Ordering::Equal => bias = x.cmp(&y),
            _ => {}
        }
        *i += 1;
        *j += 1;
    }
}

/// Runs that start with a zero compare like fractions: the first digit that differs decides.
fn compare_fractions(a: &[u8], b: &[u8], i: &mut usize, j: &mut usize) -> Ordering {
    loop {
        let x = a.get(*i).copied().filter(u8::is_ascii_digit);
        let y = b.get(*j).copied().filter(u8::is_ascii_digit);
        match (x, y) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) if x != y => return x.cmp(&y),
            _ => {}
        }
        *i += 1;
        *j += 1;
    }
}
