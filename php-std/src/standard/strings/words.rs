//! Changing eight bytes at once, in integers: that is fast however the code around it is optimised.

/// A one in each byte.
const EACH: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte.
const HIGH: u64 = EACH << 7;

/// The highest bit of each byte that lies between two bytes below 128.
#[inline(always)]
fn between(word: u64, first: u8, last: u8) -> u64 {
    let low = word & !HIGH;
    let from_first = low + EACH * u64::from(0x80 - first);
    let behind_last = low + EACH * u64::from(0x7f - last);
    (from_first ^ behind_last) & !word & HIGH
}

/// Changes all bytes, eight at a time; the last ones come together with zeros.
#[inline(always)]
fn change_words(bytes: &mut [u8], change: impl Fn(u64) -> u64) {
    let (words, rest) = bytes.as_chunks_mut::<8>();
    for word in words {
        *word = change(u64::from_le_bytes(*word)).to_le_bytes();
    }
    if !rest.is_empty() {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        let word = change(u64::from_le_bytes(word)).to_le_bytes();
        rest.copy_from_slice(&word[..rest.len()]);
    }
}

/// Moves letters by half the alphabet.
pub(super) fn rotate_letters(bytes: &mut [u8]) {
    change_words(bytes, |word| {
        let small = word | EACH << 5;
        let ups = (between(small, b'a', b'm') & !word) >> 7;
        let downs = (between(small, b'n', b'z') & !word) >> 7;
        word + ups * 13 - downs * 13
    });
}

/// Copies bytes in the opposite order into as much room.
pub(super) fn copy_reversed(source: &[u8], target: &mut [u8]) {
    let (rest, words) = source.as_rchunks::<8>();
    let (places, last) = target.as_chunks_mut::<8>();
    for (place, word) in places.iter_mut().zip(words.iter().rev()) {
        *place = u64::from_le_bytes(*word).swap_bytes().to_le_bytes();
    }
    for (place, byte) in last.iter_mut().zip(rest.iter().rev()) {
        *place = *byte;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_change_as_bytes_do() {
        let all: Vec<u8> = (0..=255).chain(0..=255).collect();
        for length in [0, 1, 7, 8, 9, 255, 256, 300] {
            let bytes = &all[..length];
            let mut changed = bytes.to_vec();
            rotate_letters(&mut changed);
            let rotated: Vec<u8> = bytes
                .iter()
                .map(|&byte| match byte {
                    b'a'..=b'm' | b'A'..=b'M' => byte + 13,
                    b'n'..=b'z' | b'N'..=b'Z' => byte - 13,
                    other => other,
                })
                .collect();
            assert_eq!(changed, rotated);
            let mut changed = vec![0; length];
            copy_reversed(bytes, &mut changed);
            let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
            assert_eq!(changed, reversed);
        }
    }
}
