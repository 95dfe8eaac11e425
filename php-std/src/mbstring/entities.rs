//! Numeric character references: `&#233;` and `&#xE9;`.

use vm_runtime::function::Call;
use vm_runtime::operators::numeric_string::{Number, parse_whole};
use vm_runtime::value::{Value, ValueKind};
use vm_runtime::vm::PhpResult;

use super::{convert, encoding_argument};
use crate::support::functions;

functions! {
    "mb_encode_numericentity(string $string, array $map, ?string $encoding = null, bool $hex = false): string" => mb_encode_numericentity,
    "mb_decode_numericentity(string $string, array $map, ?string $encoding = null): string" => mb_decode_numericentity,
}

/// Characters of a range, and what is added to and left of their numbers.
struct Range {
    first: u32,
    last: u32,
    offset: u32,
    mask: u32,
}

fn ranges(call: &mut Call<'_>) -> PhpResult<Vec<Range>> {
    let map = call.array(1);
    let mut numbers = Vec::with_capacity(map.len());
    if !map.len().is_multiple_of(4) {
        return Err(call.value_error(1, "must have a multiple of 4 elements"));
    }
    for (_, value) in map.iter() {
        match value.view() {
            ValueKind::Long(number) => numbers.push(number as u32),
            _ => {
                let value = Value::share(value);
                let Some(number) = integral(&value) else {
                    return Err(call.value_error(1, "must only be composed of values of type int"));
                };
                numbers.push(number as u32);
            }
        }
    }
    let range = |four: &[u32]| Range {
        first: four[0],
        last: four[1],
        offset: four[2],
        mask: four[3],
    };
    Ok(numbers.chunks_exact(4).map(range).collect())
}

/// The integer that a value without a doubt stands for.
fn integral(value: &Value) -> Option<i64> {
    match value.view() {
        ValueKind::Bool(flag) => Some(flag as i64),
        ValueKind::Double(number) if number.fract() == 0.0 => Some(number as i64),
        ValueKind::String(text) => match parse_whole(text.as_bytes())? {
            Number::Long(number) => Some(number),
            Number::Double(number) => (number.fract() == 0.0).then_some(number as i64),
        },
        _ => None,
    }
}

fn mb_encode_numericentity(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 2)?;
    let ranges = ranges(call)?;
    let is_hexadecimal = call.bool(3);
    let mut output = Vec::new();
    for character in encoding.decode(call.bytes(0)) {
        // As many ranges are looked at as the script likes.
        call.vm.poll();
        let range = ranges
            .iter()
            .find(|range| (range.first..=range.last).contains(&character));
        let Some(range) = range.filter(|_| character != super::encoding::BAD) else {
            output.push(character);
            continue;
        };
        let number = character.wrapping_add(range.offset) & range.mask;
        let text = if is_hexadecimal {
            format!("&#x{number:X};")
        } else {
            format!("&#{number};")
        };
        output.extend(text.bytes().map(u32::from));
    }
    convert::encoded(call.vm, encoding, &output)
}

/// The most digits that are read: decimal ones, and hexadecimal ones.
const MOST_DECIMAL: usize = 10;
const MOST_HEXADECIMAL: usize = 8;

/// A reference at the start of characters, behind its `&#`: the number, and how many characters
/// it takes, without a semicolon.
fn reference(characters: &[u32]) -> Option<(u32, usize)> {
    let (radix, prefix) = match characters.first() {
        Some(0x78 | 0x58) => (16, 1),
        _ => (10, 0),
    };
    let digit = |&character: &u32| char::from_u32(character)?.to_digit(radix);
    let digits: Vec<u32> = characters[prefix..].iter().map_while(digit).collect();
    let most = match radix {
        10 => MOST_DECIMAL,
        _ => MOST_HEXADECIMAL,
    };
    if digits.is_empty() || digits.len() > most {
        return None;
    }
    let number = digits.iter().try_fold(0u32, |number, &digit| {
        number.checked_mul(radix)?.checked_add(digit)
    })?;
    Some((number, prefix + digits.len()))
}

fn mb_decode_numericentity(call: &mut Call<'_>) -> PhpResult<Value> {
    let encoding = encoding_argument(call, 2)?;
    let ranges = ranges(call)?;
    let characters = encoding.decode(call.bytes(0));
    let mut output = Vec::with_capacity(characters.len());
    let mut at = 0;
    while at < characters.len() {
        call.vm.poll();
        let decoded = characters[at..]
            .strip_prefix(&[0x26, 0x23])
            .and_then(reference)
            .and_then(|(number, length)| {
                let character = ranges.iter().find_map(|range| {
                    let original = number.wrapping_sub(range.offset);
                    (range.first..=range.last)
                        .contains(&original)
                        .then_some(original)
                })?;
                Some((character, length))
            });
        match decoded {
            Some((character, length)) => {
                output.push(character);
                at += 2 + length;
                if characters.get(at) == Some(&0x3b) {
                    at += 1;
                }
            }
            None => {
                output.push(characters[at]);
                at += 1;
            }
        }
    }
    convert::encoded(call.vm, encoding, &output)
}
