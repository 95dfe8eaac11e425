//! `hebrev`: Hebrew text in the order in which it is written turned to that in which it is seen.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use crate::support::{functions, text};

functions! {
    "hebrev(string $string, int $max_chars_per_line = 0): string" => hebrev,
}

/// Letters of ISO 8859-8.
fn is_hebrew(byte: u8) -> bool {
    (0xe0..=0xfa).contains(&byte)
}

fn is_newline(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// What stands at the other side when a text is read from right to left.
fn mirrored(byte: u8) -> u8 {
    match byte {
        b'(' => b')',
        b')' => b'(',
        b'[' => b']',
        b']' => b'[',
        b'{' => b'}',
        b'}' => b'{',
        b'<' => b'>',
        b'>' => b'<',
        b'\\' => b'/',
        b'/' => b'\\',
        other => other,
    }
}

fn hebrev(call: &mut Call<'_>) -> PhpResult<Value> {
    let logical = call.bytes(0);
    if logical.is_empty() {
        return Ok(call.value(0));
    }
    // Without a number lines are not broken; with a negative one each byte is a line.
    let width = match call.long(1) {
        0 => usize::MAX,
        width => usize::try_from(width).unwrap_or(0),
    };
    text(call.vm, lines_from_the_end(turned(logical), width))
}

/// The whole text from right to left, but for runs of other scripts, whose bytes keep their order.
fn turned(logical: &[u8]) -> Vec<u8> {
    let mut reversed = Vec::with_capacity(logical.len());
    let mut rest = logical;
    let mut in_hebrew = is_hebrew(rest[0]);
    while !rest.is_empty() {
        let belongs = |byte: &u8| match in_hebrew {
            true => {
                is_hebrew(*byte) || is_blank(*byte) || byte.is_ascii_punctuation() || *byte == b'\n'
            }
            false => !is_hebrew(*byte) && *byte != b'\n',
        };
        let mut length = 1 + rest[1..].iter().take_while(|byte| belongs(byte)).count();
        if in_hebrew {
            reversed.extend(rest[..length].iter().map(|&byte| mirrored(byte)));
        } else {
            // Blanks and marks at the end go with the Hebrew that follows.
            let is_loose = |byte: u8| {
                is_blank(byte) || byte.is_ascii_punctuation() && !matches!(byte, b'/' | b'-')
            };
            while length > 1 && is_loose(rest[length - 1]) {
                length -= 1;
            }
            reversed.extend(rest[..length].iter().rev());
        }
        rest = &rest[length..];
        in_hebrew = !in_hebrew;
    }
    reversed.reverse();
    reversed
}

/// The lines of a turned text, whose first one stands at its end; none is longer than `width` unless a word is.
fn lines_from_the_end(mut seen: Vec<u8>, width: usize) -> Vec<u8> {
    let mut result = Vec::with_capacity(seen.len());
    let mut last = seen.len() - 1;
    loop {
        let (mut begin, mut count) = (last, 0);
        while count < width && begin > 0 {
            count += 1;
            begin -= 1;
            if is_newline(seen[begin]) {
                while begin > 0 && is_newline(seen[begin]) {
                    begin -= 1;
                    count += 1;
                }
                if !is_newline(seen[begin]) {
                    begin += 1;
                }
                break;
            }
        }
        if count == width {
            // Not inside of a word, if there is a place between words.
            let places = begin..begin + count;
            begin = (places.clone())
                .find(|&place| is_blank(seen[place]) || is_newline(seen[place]))
                .unwrap_or(begin);
        }
        if is_blank(seen[begin]) {
            seen[begin] = b'\n';
        }
        let line = &seen[begin..=last];
        let breaks = line.iter().take_while(|byte| is_newline(**byte)).count();
        let (breaks, shown) = line.split_at(breaks);
        result.extend(shown);
        result.extend(breaks);
        if begin == 0 {
            return result;
        }
        last = begin - 1;
    }
}
