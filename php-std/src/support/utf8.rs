//! Reading and writing UTF-8 in byte strings that may be broken.

/// Bytes as text, if all of them are valid: tested with vector instructions where the processor has them.
#[inline]
pub(crate) fn valid(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

/// The character at the start of `bytes`, which is not empty, and its length; none, with the
/// number of bytes to skip, if it is broken.
pub(crate) fn decode(bytes: &[u8]) -> (Option<u32>, usize) {
    let first = bytes[0];
    if first < 0x80 {
        return (Some(first as u32), 1);
    }
    let continuation = |index: usize| {
        bytes
            .get(index)
            .copied()
            .filter(|byte| byte & 0xc0 == 0x80)
            .map(|byte| (byte & 0x3f) as u32)
    };
    match first {
        0xc2..=0xdf => match continuation(1) {
            Some(a) => (Some((first as u32 & 0x1f) << 6 | a), 2),
            None => (None, 1),
        },
        0xe0..=0xef => {
            let Some(a) = continuation(1) else {
                return (None, 1);
            };
            let high = (first as u32 & 0x0f) << 12 | a << 6;
            let Some(b) = continuation(2) else {
                return (None, if plausible(high) { 2 } else { 1 });
            };
            let character = high | b;
            if character < 0x800 || (0xd800..0xe000).contains(&character) {
                return (None, 1);
            }
            (Some(character), 3)
        }
        0xf0..=0xf4 => {
            let Some(a) = continuation(1) else {
                return (None, 1);
            };
            let high = (first as u32 & 0x07) << 18 | a << 12;
            if !(0x10000..0x110000).contains(&high) {
                return (None, 1);
            }
            let Some(b) = continuation(2) else {
                return (None, 2);
            };
            match continuation(3) {
                Some(c) => (Some(high | b << 6 | c), 4),
                None => (None, 3),
            }
        }
        _ => (None, 1),
    }
}

/// As [`decode`], but for what is skipped if the character is broken: PHP skips, outside of mbstring, as many
/// bytes as the first one announces, up to one that may begin a character.
pub(crate) fn decode_or_skip(bytes: &[u8]) -> (Option<u32>, usize) {
    let (character, length) = decode(bytes);
    if character.is_some() {
        return (character, length);
    }
    let announced = match bytes[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    let may_begin = |&byte: &u8| matches!(byte, 0..0x80 | 0xc2..=0xf4);
    let announced = &bytes[..bytes.len().min(announced)];
    let skipped = announced.iter().skip(1).position(may_begin);
    (
        None,
        skipped.map_or(announced.len(), |position| position + 1),
    )
}

/// True if the first two bytes of a sequence of three may start a character.
fn plausible(high: u32) -> bool {
    high >= 0x800 && !(0xd800..0xe000).contains(&high)
}

/// The UTF-8 form of a character, and its length.
pub(crate) fn encode(character: u32) -> ([u8; 4], usize) {
    let low = |shift: u32| 0x80 | (character >> shift & 0x3f) as u8;
    match character {
        0..0x80 => ([character as u8, 0, 0, 0], 1),
        0x80..0x800 => ([0xc0 | (character >> 6) as u8, low(0), 0, 0], 2),
        0x800..0x10000 => ([0xe0 | (character >> 12) as u8, low(6), low(0), 0], 3),
        _ => ([0xf0 | (character >> 18) as u8, low(12), low(6), low(0)], 4),
    }
}

/// Where character `number` of a text starts; the end if it has fewer.
pub(crate) fn offset_of(text: &str, number: usize) -> usize {
    let starts_character = |byte: &u8| byte & 0xc0 != 0x80;
    let bytes = text.as_bytes();
    let (mut at, mut left) = (0, number);
    // Written so that it becomes vector code.
    for chunk in bytes.as_chunks::<32>().0 {
        let starts = chunk
            .iter()
            .fold(0u8, |count, byte| count + u8::from(starts_character(byte)));
        match left.checked_sub(starts.into()) {
            Some(rest) => left = rest,
            None => break,
        }
        at += chunk.len();
    }
    let mut starts = (at..bytes.len()).filter(|&at| starts_character(&bytes[at]));
    starts.nth(left).unwrap_or(bytes.len())
}
