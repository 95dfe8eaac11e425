//! `mb_convert_kana()`: between the full and half width forms of Japanese text, and between
//! Hiragana and Katakana.

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::PhpResult;

use super::encoding::BAD;
use super::{convert, encoding_argument};
use crate::support::functions;

functions! {
    "mb_convert_kana(string $string, string $mode = \"KV\", ?string $encoding = null): string" => mb_convert_kana,
}

/// The full width Katakana of U+FF61 to U+FF9F.
const FULL: &str = "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜";
/// The first half width character.
const FIRST_HALF: u32 = 0xff61;
/// The marks of voiced and half-voiced sounds, half width.
const VOICED: u32 = 0xff9e;
const HALF_VOICED: u32 = 0xff9f;
/// From Hiragana to Katakana.
const KATAKANA: u32 = 0x60;

/// The full width form of a half width one.
pub(super) fn full_width(half: u32) -> u32 {
    let index = half.wrapping_sub(FIRST_HALF) as usize;
    FULL.chars().nth(index).map_or(half, u32::from)
}

/// A half width letter with the mark behind it as one full width letter.
pub(super) fn voiced(letter: u32, mark: u32) -> Option<u32> {
    match mark {
        VOICED => match letter {
            0xff73 => Some(0x30f4),
            0xff76..=0xff84 | 0xff8a..=0xff8e => Some(full_width(letter) + 1),
            _ => None,
        },
        HALF_VOICED if (0xff8a..=0xff8e).contains(&letter) => Some(full_width(letter) + 2),
        _ => None,
    }
}

/// The half width form of a full width Katakana or mark: one or two characters.
fn half_width(full: u32) -> Option<(u32, Option<u32>)> {
    let half = |full: u32| {
        let place = FULL.chars().position(|known| known as u32 == full)?;
        Some(FIRST_HALF + place as u32)
    };
    if let Some(half) = half(full) {
        return Some((half, None));
    }
    if full == 0x30f4 {
        return Some((0xff73, Some(VOICED)));
    }
    let base = |offset: u32, mark: u32| {
        let letter = half(full - offset)?;
        (voiced(letter, mark) == Some(full)).then_some((letter, Some(mark)))
    };
    base(1, VOICED).or_else(|| base(2, HALF_VOICED))
}

/// What `A` leaves as it is: quotation marks, the backslash and the tilde.
fn stays_half(character: u32) -> bool {
    matches!(character, 0x22 | 0x27 | 0x5c | 0x7e)
}

/// Flags that exclude one another.
const EXCLUSIVE: [(u8, u8); 9] = [
    (b'A', b'a'),
    (b'A', b'r'),
    (b'R', b'r'),
    (b'N', b'n'),
    (b'S', b's'),
    (b'K', b'k'),
    (b'H', b'h'),
    (b'C', b'c'),
    (b'M', b'm'),
];

/// The flags in words, which are not checked for pairs besides [`EXCLUSIVE`].
const FLAGS: &[u8] = b"AaRrNnSsKkHhCcVMm";

fn mb_convert_kana(call: &mut Call<'_>) -> PhpResult<Value> {
    let mode = call.bytes(1);
    if let Some(&bad) = mode.iter().find(|flag| !FLAGS.contains(flag)) {
        let shown = vm_runtime::message::text(&[bad]).into_owned();
        return Err(call.value_error(1, &format!("contains invalid flag: '{shown}'")));
    }
    let has = |flag: u8| mode.contains(&flag);
    for (one, other) in EXCLUSIVE {
        if has(one) && has(other) {
            let problem = format!(
                "must not combine '{}' and '{}' flags",
                one as char, other as char
            );
            return Err(call.value_error(1, &problem));
        }
    }
    let encoding = encoding_argument(call, 2)?;
    let characters = encoding.decode(call.bytes(0));
    let mut output = Vec::with_capacity(characters.len());
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        at += 1;
        if character == BAD {
            output.push(character);
            continue;
        }
        if (FIRST_HALF..=HALF_VOICED).contains(&character) && (has(b'K') || has(b'H')) {
            let joined = characters.get(at).and_then(|&mark| voiced(character, mark));
            let full = match joined.filter(|_| has(b'V')) {
                Some(joined) => {
                    at += 1;
                    joined
                }
                None => full_width(character),
            };
            let is_katakana = (0x30a1..=0x30f3).contains(&full);
            let is_hiragana = has(b'H') && !has(b'K') && is_katakana;
            output.push(if is_hiragana { full - KATAKANA } else { full });
            continue;
        }
        change(character, &has, &mut output);
    }
    convert::encoded(call.vm, encoding, &output)
}

/// Appends a character as the flags want it.
fn change(character: u32, has: &dyn Fn(u8) -> bool, output: &mut Vec<u32>) {
    let letter = char::from_u32(character).unwrap_or('\u{fffd}');
    let full_ascii = character + 0xfee0;
    let half_ascii = character.wrapping_sub(0xfee0);
    let is_half_of_full = (0xff01..=0xff5e).contains(&character);
    let half = char::from_u32(half_ascii).filter(|_| is_half_of_full);
    output.push(match character {
        0x21..=0x7d if has(b'A') && !stays_half(character) => full_ascii,
        0x20..0x7f if has(b'R') && letter.is_ascii_alphabetic() => full_ascii,
        0x20..0x7f if has(b'N') && letter.is_ascii_digit() => full_ascii,
        0x20 if has(b'S') => 0x3000,
        0x3000 if has(b's') => 0x20,
        _ if half.is_some()
            && (has(b'a') && !stays_half(half_ascii)
                || has(b'r') && half.is_some_and(|half| half.is_ascii_alphabetic())
                || has(b'n') && half.is_some_and(|half| half.is_ascii_digit())) =>
        {
            half_ascii
        }
        0x22 | 0x201c | 0x201d | 0xff02 if has(b'm') && character != 0x22 => 0x22,
        0x2018 | 0x2019 if has(b'm') => 0x27,
        0xffe5 if has(b'm') => 0x5c,
        0x22 if has(b'M') => 0x201d,
        0x27 if has(b'M') => 0x2019,
        0x5c if has(b'M') => 0xffe5,
        0x7e if has(b'M') => 0xffe3,
        _ => {
            let is_katakana = matches!(character, 0x30a1..=0x30f3 | 0x30fd | 0x30fe);
            let is_hiragana = matches!(character, 0x3041..=0x3093 | 0x309d | 0x309e);
            let is_mark = matches!(
                character,
                0x3001 | 0x3002 | 0x300c | 0x300d | 0x309b | 0x309c | 0x30fb | 0x30fc
            );
            if is_hiragana && has(b'h') {
                return match half_width(character + KATAKANA) {
                    Some((letter, mark)) => {
                        output.push(letter);
                        output.extend(mark);
                    }
                    None => output.push(character),
                };
            }
            if (is_katakana || character == 0x30f4) && has(b'k')
                || is_mark && (has(b'k') || has(b'h'))
            {
                return match half_width(character) {
                    Some((letter, mark)) => {
                        output.push(letter);
                        output.extend(mark);
                    }
                    None => output.push(character),
                };
            }
            if is_katakana && has(b'c') {
                character - KATAKANA
            } else if is_hiragana && has(b'C') {
                character + KATAKANA
            } else {
                character
            }
        }
    });
}
