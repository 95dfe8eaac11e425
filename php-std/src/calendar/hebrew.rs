//! Jewish dates in Hebrew letters, in ISO 8859-8.

use super::convert::{Date, is_jewish_leap};

/// Flag: an apostrophe behind the thousands.
const ALAFIM_GERESH: i64 = 2;
/// Flag: the word for thousands behind them.
const ALAFIM: i64 = 4;
/// Flag: an apostrophe behind a single letter, a quotation mark before the last of several.
const GERESHAYIM: i64 = 8;

/// The first letter, and those of 1 to 9, 10 to 90 and 100 to 400.
const ALEF: u8 = 0xe0;
const TENS: [u8; 9] = [0xe9, 0xeb, 0xec, 0xee, 0xf0, 0xf1, 0xf2, 0xf4, 0xf6];
const HUNDREDS: [u8; 4] = [0xf7, 0xf8, 0xf9, 0xfa];
/// The word for thousands, between spaces.
const THOUSANDS: &[u8] = b"\x20\xe0\xec\xf4\xe9\xed\x20";

/// The months of a leap year.
const MONTHS: [&[u8]; 13] = [
    b"\xfa\xf9\xf8\xe9",
    b"\xe7\xf9\xe5\xef",
    b"\xeb\xf1\xec\xe5",
    b"\xe8\xe1\xfa",
    b"\xf9\xe1\xe8",
    b"\xe0\xe3\xf8 \xe0'",
    b"\xe0\xe3\xf8 \xe1'",
    b"\xf0\xe9\xf1\xef",
    b"\xe0\xe9\xe9\xf8",
    b"\xf1\xe9\xe5\xef",
    b"\xfa\xee\xe5\xe6",
    b"\xe0\xe1",
    b"\xe0\xec\xe5\xec",
];
/// Adar of a common year.
const ADAR: &[u8] = b"\xe0\xe3\xf8";

/// A date as text; the year is below 10,000.
pub(super) fn shown((year, month, day): Date, flags: i64) -> Vec<u8> {
    let month = match month {
        6 | 7 if !is_jewish_leap(year) => ADAR,
        _ => MONTHS[(month - 1).clamp(0, 12) as usize],
    };
    [number(day, flags), month.to_vec(), number(year, flags)].join(&b' ')
}

fn number(number: i64, flags: i64) -> Vec<u8> {
    let digit = |value: i64| ALEF + value as u8 - 1;
    let mut text = Vec::new();
    if number >= 1000 {
        text.push(digit(number / 1000));
        if flags & ALAFIM_GERESH != 0 {
            text.push(b'\'');
        }
        if flags & ALAFIM != 0 {
            text.extend_from_slice(THOUSANDS);
        }
    }
    let start = text.len();
    let mut rest = number % 1000;
    while rest >= 400 {
        text.push(HUNDREDS[3]);
        rest -= 400;
    }
    if rest >= 100 {
        text.push(HUNDREDS[rest as usize / 100 - 1]);
        rest %= 100;
    }
    // 15 and 16 as 10 and 5 would be parts of the name of God.
    if matches!(rest, 15 | 16) {
        text.extend([digit(9), digit(rest - 9)]);
    } else {
        if rest >= 10 {
            text.push(TENS[rest as usize / 10 - 1]);
        }
        if rest % 10 > 0 {
            text.push(digit(rest % 10));
        }
    }
    if flags & GERESHAYIM != 0 {
        match text.len() - start {
            0 => {}
            1 => text.push(b'\''),
            _ => text.insert(text.len() - 1, b'"'),
        }
    }
    text
}
