//! Parts of text: `mb_substr()` and `mb_strcut()`.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::characters::length;
use super::encoding::{Encoding, Kind, Order, Substitute};
use super::{convert, encoding_argument};
use crate::support::{direct, functions, text, utf8};

functions! {
    "mb_substr(string $string, int $start, ?int $length = null, ?string $encoding = null): string" => mb_substr | mb_substr_directly,
    "mb_strcut(string $string, int $start, ?int $length = null, ?string $encoding = null): string" => mb_strcut,
}

/// Where character `index` starts, or the end; for encodings that tell without decoding.
fn offset(encoding: &Encoding, bytes: &[u8], index: usize) -> Option<usize> {
    if let Some(unit) = encoding.unit() {
        return Some(index.saturating_mul(unit).min(bytes.len()));
    }
    let lengths = encoding.lengths()?;
    let mut at = 0;
    for _ in 0..index {
        if at >= bytes.len() {
            break;
        }
        at += lengths[bytes[at] as usize] as usize;
    }
    Some(at.min(bytes.len()))
}

/// `count` characters from `start` on.
pub(super) fn slice(encoding: &Encoding, bytes: &[u8], start: usize, count: usize) -> Vec<u8> {
    if encoding.is_utf8()
        && let Some(text) = utf8::valid(bytes)
    {
        let rest = &text[utf8::offset_of(text, start)..];
        return rest.as_bytes()[..utf8::offset_of(rest, count)].to_vec();
    }
    if let Some(first) = offset(encoding, bytes, start) {
        let rest = &bytes[first..];
        let end = offset(encoding, rest, count).unwrap_or(rest.len());
        return rest[..end].to_vec();
    }
    let characters = encoding.decode(bytes);
    let part: Vec<u32> = characters.into_iter().skip(start).take(count).collect();
    encoding
        .encode(&part, Substitute::Character(u32::from(b'?')))
        .0
}

/// Start and length with negative ones counted from the end.
fn bounds(start: i64, count: Option<i64>, total: usize) -> (usize, usize) {
    let total = total as i64;
    let first = if start < 0 {
        (total + start).max(0)
    } else {
        start.min(total)
    };
    let count = match count {
        None => total - first,
        Some(count) if count < 0 => (total - first + count).max(0),
        Some(count) => count,
    };
    (first as usize, count as usize)
}

/// As `mb_substr()`, of text in UTF-8.
fn slice_utf8(whole: &str, start: i64, count: Option<i64>) -> &str {
    let counts_from_end = start < 0 || count.is_some_and(|count| count < 0);
    let (start, count) = match count {
        count if counts_from_end => bounds(start, count, whole.chars().count()),
        Some(count) => (start as usize, count as usize),
        None => (start as usize, usize::MAX),
    };
    let rest = &whole[utf8::offset_of(whole, start)..];
    &rest[..utf8::offset_of(rest, count)]
}

direct! {
    fn mb_substr_directly(vm; bytes: &[u8], start: i64, count: i64) {
        // The lowest number is told of by the function itself.
        if start.min(count) == i64::MIN || !super::settings::internal_encoding(vm).is_utf8() {
            return None;
        }
        let part = slice_utf8(utf8::valid(bytes)?, start, Some(count));
        Some(vm.string(part))
    }
}

fn mb_substr(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 3)?;
    let (bytes, start, count) = (call.bytes(0), call.long(1), call.optional_long(2));
    // The lowest number has no positive counterpart.
    for (index, number) in [(1, Some(start)), (2, count)] {
        if number == Some(i64::MIN) {
            let problem = format!("must be between {} and {}", -i64::MAX, i64::MAX);
            return Err(call.value_error(index, &problem));
        }
    }
    if encoding.is_utf8()
        && let Some(whole) = utf8::valid(bytes)
    {
        return text(call.vm, slice_utf8(whole, start, count));
    }
    let counts_from_end = start < 0 || count.is_some_and(|count| count < 0);
    let (start, count) = if counts_from_end {
        bounds(start, count, length(encoding, bytes))
    } else {
        let count = count.map_or(usize::MAX, |count| count as usize);
        (start as usize, count)
    };
    part(call.vm, encoding, bytes, start, count)
}

/// So many characters of a text from one on.
pub(super) fn part(
    vm: &mut Vm,
    encoding: &Encoding,
    bytes: &[u8],
    start: usize,
    count: usize,
) -> PhpResult<Value> {
    if encoding.unit().is_none() {
        let characters = encoding.decode(bytes);
        let part: Vec<u32> = characters.into_iter().skip(start).take(count).collect();
        return convert::encoded(vm, encoding, &part);
    }
    text(vm, slice(encoding, bytes, start, count))
}

/// The start of the character that the byte at `at` belongs to.
fn character_start(encoding: &Encoding, bytes: &[u8], at: usize) -> usize {
    if let Some(unit) = encoding.unit() {
        return at.min(bytes.len()) / unit * unit;
    }
    let table = encoding.cut_lengths();
    if bytes.is_empty() || at >= bytes.len() && table.is_none() {
        return bytes.len();
    }
    if let Kind::Utf8 | Kind::Pictures(_) = encoding.kind {
        let mut start = at;
        while start > 0 && bytes[start] & 0xc0 == 0x80 {
            start -= 1;
        }
        return start;
    }
    if let Kind::Utf16(order) = encoding.kind {
        let start = at & !1;
        let is_little =
            order == Order::Little || order == Order::Detect && bytes.starts_with(b"\xff\xfe");
        let high = match is_little {
            true => bytes.get(start + 1),
            false => bytes.get(start),
        };
        let is_low_surrogate = high.is_some_and(|byte| (0xdc..0xe0).contains(byte));
        return if is_low_surrogate && start >= 2 {
            start - 2
        } else {
            start
        };
    }
    let Some(lengths) = table else {
        return at;
    };
    let mut start = 0;
    loop {
        let Some(&byte) = bytes.get(start) else {
            return bytes.len();
        };
        let next = start + lengths[byte as usize] as usize;
        if next > at {
            return start;
        }
        start = next;
    }
}

fn mb_strcut(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 3)?;
    let (bytes, start, count) = (call.bytes(0), call.long(1), call.optional_long(2));
    if start > bytes.len() as i64 {
        return text(call.vm, "");
    }
    // Without a length all of the text follows the character that is begun in front of the start.
    let length = count.or(Some(bytes.len() as i64));
    let (mut start, mut count) = bounds(start, length, bytes.len());
    if let Kind::Utf16(order) = encoding.kind {
        // The byte order mark is no part of the text.
        let has_mark = matches!(bytes, [0xfe, 0xff, ..] | [0xff, 0xfe, ..]);
        if has_mark && order == Order::Detect {
            start = start.max(2);
        }
        count = count.min(bytes.len() - start.min(bytes.len())) & !1;
    }
    let is_shifted = encoding.cut_lengths().is_none()
        && encoding.unit().is_none()
        && !matches!(
            encoding.kind,
            Kind::Utf8 | Kind::Pictures(_) | Kind::Utf16(_)
        );
    if is_shifted {
        let part = cut_shifted(encoding, bytes, start, count);
        return text(call.vm, part);
    }
    let first = character_start(encoding, bytes, start);
    let end = first.saturating_add(count).min(bytes.len());
    let last = match encoding.cut_lengths() {
        Some(_) if end >= bytes.len() => bytes.len(),
        _ => character_start(encoding, bytes, end),
    };
    text(call.vm, &bytes[first..last.max(first)])
}

/// As many whole characters as fit into `count` bytes, from the one at byte `start` on.
fn cut_shifted(encoding: &Encoding, bytes: &[u8], start: usize, count: usize) -> Vec<u8> {
    let substitute = Substitute::Character(u32::from(b'?'));
    let characters = encoding.decode(bytes);
    let size = |part: &[u32]| {
        vm_runtime::limits::poll();
        encoding.encode(part, substitute).0.len()
    };
    let mut first = 0;
    while first < characters.len() && {
        vm_runtime::limits::poll();
        let mut encoder = super::encoding::Encoder::new(encoding, substitute);
        for &character in &characters[..=first] {
            encoder.push(character);
        }
        encoder.written().len() <= start
    } {
        first += 1;
    }
    let mut last = first;
    while last < characters.len() && size(&characters[first..=last]) <= count {
        last += 1;
    }
    encoding.encode(&characters[first..last], substitute).0
}
