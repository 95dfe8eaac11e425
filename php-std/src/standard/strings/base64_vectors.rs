//! base64 by vectors of 64 or 32 bytes, where the processor has them: after Wojciech Muła and Daniel Lemire, "Faster
//! Base64 Encoding and Decoding Using AVX2 Instructions" (2018) and "Base64 encoding and decoding at almost the speed of
//! a memory copy" (2020).

/// Encodes the beginning of some bytes; gives how many groups of three were done.
#[inline]
pub(super) fn encode(bytes: &[u8], target: &mut [[u8; 4]]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if bytes.len() >= avx2::ENCODED_AT_ONCE {
        let mut done = 0;
        if bytes.len() >= avx512::BYTES_AT_ONCE && avx512::is_there() {
            // SAFETY: the processor has these instructions.
            done = unsafe { avx512::encode(bytes, target) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has these instructions.
            done += unsafe { avx2::encode(&bytes[done * 3..], &mut target[done..]) };
        }
        return done;
    }
    let _ = (bytes, target);
    0
}

/// Decodes the beginning of a text, as far as it has nothing but digits; gives how many groups of four were done.
#[inline]
pub(super) fn decode(text: &[u8], target: &mut [u8]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if text.len() >= avx2::DECODED_AT_ONCE {
        let mut done = 0;
        if text.len() >= avx512::DIGITS_AT_ONCE && avx512::is_there() {
            // SAFETY: the processor has these instructions.
            done = unsafe { avx512::decode(text, target) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has these instructions.
            done += unsafe { avx2::decode(&text[done * 4..], &mut target[done * 3..]) };
        }
        return done;
    }
    let _ = (text, target);
    0
}

/// Tables of all digits fit into the registers of these processors, so nothing has to be calculated of them.
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    /// Bytes that are encoded at once, to [`DIGITS_AT_ONCE`] digits, or decoded of so many.
    pub(super) const BYTES_AT_ONCE: usize = 48;
    pub(super) const DIGITS_AT_ONCE: usize = 64;
    /// The first 48 bytes of a vector.
    const BYTES: __mmask64 = (1 << BYTES_AT_ONCE) - 1;

    #[inline]
    pub(super) fn is_there() -> bool {
        std::arch::is_x86_feature_detected!("avx512vbmi")
            && std::arch::is_x86_feature_detected!("avx512bw")
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn vector(bytes: &[u8; 64]) -> __m512i {
        // SAFETY: any 64 bytes may be read unaligned.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn encode(bytes: &[u8], target: &mut [[u8; 4]]) -> usize {
        /// Each three bytes become four of which two neighbours have the bits of two digits.
        const SPREAD: [u8; 64] = {
            let mut spread = [0; 64];
            let mut at = 0;
            while at < 64 {
                spread[at] = [1, 0, 2, 1][at % 4] + (at / 4 * 3) as u8;
                at += 1;
            }
            spread
        };
        let (spread, digits) = (vector(&SPREAD), vector(super::super::encode::BASE64));
        // At which bit of eight such bytes each digit begins. Two bits above its six are passed over by the table.
        let begins = _mm512_set1_epi64(0x3036_242a_1016_040a);
        let groups = bytes.len() / BYTES_AT_ONCE * 16;
        let groups = groups.min(target.len() / 16 * 16);
        for done in (0..groups).step_by(16) {
            // SAFETY: 48 bytes are read from here on, and there are as many.
            let given =
                unsafe { _mm512_maskz_loadu_epi8(BYTES, bytes.as_ptr().add(done * 3).cast()) };
            let spread = _mm512_permutexvar_epi8(spread, given);
            let text =
                _mm512_permutexvar_epi8(_mm512_multishift_epi64_epi8(begins, spread), digits);
            // SAFETY: sixteen groups of four are left.
            unsafe { _mm512_storeu_si512(target.as_mut_ptr().add(done).cast(), text) };
        }
        groups
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn decode(text: &[u8], target: &mut [u8]) -> usize {
        /// What bytes below 128 stand for; the highest bit if that is no digit.
        const VALUES: [[u8; 64]; 2] = {
            let mut values = [[0x80; 64]; 2];
            let mut byte = 0;
            while byte < 128 {
                let value = super::super::encode::BASE64_VALUE[byte];
                if value < 64 {
                    values[byte / 64][byte % 64] = value;
                }
                byte += 1;
            }
            values
        };
        /// The three bytes of each four that have something, the highest first.
        const GATHERED: [u8; 64] = {
            let mut gathered = [0; 64];
            let mut at = 0;
            while at < BYTES_AT_ONCE {
                gathered[at] = (at / 3 * 4 + 2 - at % 3) as u8;
                at += 1;
            }
            gathered
        };
        let (low, high) = (vector(&VALUES[0]), vector(&VALUES[1]));
        let gathered = vector(&GATHERED);
        let pieces = (text.len() / DIGITS_AT_ONCE).min(target.len() / BYTES_AT_ONCE);
        for done in 0..pieces {
            // SAFETY: there are 64 bytes from here on.
            let characters =
                unsafe { _mm512_loadu_si512(text.as_ptr().add(done * DIGITS_AT_ONCE).cast()) };
            let digits = _mm512_permutex2var_epi8(low, characters, high);
            // The table knows nothing of the highest bit of what it is asked for.
            if _mm512_movepi8_mask(_mm512_or_si512(digits, characters)) != 0 {
                return done * 16;
            }
            let pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi32(0x0140_0140));
            let groups = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x0001_1000));
            let bytes = _mm512_permutexvar_epi8(gathered, groups);
            // SAFETY: 48 bytes are written, and as many are left.
            unsafe {
                let place = target.as_mut_ptr().add(done * BYTES_AT_ONCE);
                _mm512_mask_storeu_epi8(place.cast(), BYTES, bytes);
            }
        }
        pieces * 16
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    /// Bytes that are looked at to encode 24.
    pub(super) const ENCODED_AT_ONCE: usize = 28;
    /// Digits that are decoded at once.
    pub(super) const DECODED_AT_ONCE: usize = 32;

    /// The same 16 bytes in both halves of a vector.
    #[target_feature(enable = "avx2")]
    fn both(bytes: [u8; 16]) -> __m256i {
        // SAFETY: any 16 bytes may be read unaligned.
        _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn encode(bytes: &[u8], target: &mut [[u8; 4]]) -> usize {
        // Each three bytes become four of which two neighbours have the bits of two digits.
        let spread = both([1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10]);
        // What a digit's character is farther on in ASCII, by the kind of digit: small letters, ten numerals, `+`, `/`
        // and capitals.
        let mut distances = [0u8.wrapping_sub(4); 16];
        distances[0] = b'a' - 26;
        distances[11] = b'+'.wrapping_sub(62);
        distances[12] = b'/'.wrapping_sub(63);
        distances[13] = b'A';
        let distances = both(distances);
        let mut done = 0;
        while bytes.len() - done * 3 >= ENCODED_AT_ONCE && target.len() - done >= 8 {
            // SAFETY: there are 28 bytes from here on.
            let (low, high) = unsafe {
                let place = bytes.as_ptr().add(done * 3);
                (
                    _mm_loadu_si128(place.cast()),
                    _mm_loadu_si128(place.add(12).cast()),
                )
            };
            let groups = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), spread);
            let upper = _mm256_and_si256(groups, _mm256_set1_epi32(0x0fc0_fc00));
            let upper = _mm256_mulhi_epu16(upper, _mm256_set1_epi32(0x0400_0040));
            let lower = _mm256_and_si256(groups, _mm256_set1_epi32(0x003f_03f0));
            let lower = _mm256_mullo_epi16(lower, _mm256_set1_epi32(0x0100_0010));
            let digits = _mm256_or_si256(upper, lower);
            let kind = _mm256_subs_epu8(digits, _mm256_set1_epi8(51));
            let is_capital = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), digits);
            let kind = _mm256_or_si256(kind, _mm256_and_si256(is_capital, _mm256_set1_epi8(13)));
            let text = _mm256_add_epi8(_mm256_shuffle_epi8(distances, kind), digits);
            // SAFETY: eight groups of four are left.
            unsafe { _mm256_storeu_si256(target.as_mut_ptr().add(done).cast(), text) };
            done += 8;
        }
        done
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn decode(text: &[u8], target: &mut [u8]) -> usize {
        // A byte is a digit if what its upper and its lower half say has no bit in common.
        let by_lower = both([
            0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1a, 0x1b, 0x1b,
            0x1b, 0x1a,
        ]);
        let by_upper = both([
            0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10,
            0x10, 0x10,
        ]);
        // What digits are less than their characters, by the upper half; `/` counts one less.
        let distances = [0i8, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0];
        let distances = both(distances.map(|distance| distance as u8));
        let gathered = both([
            2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 0x80, 0x80, 0x80, 0x80,
        ]);
        let slash = _mm256_set1_epi8(b'/' as i8);
        let mut done = 0;
        // The upper half is written with four bytes too many.
        while text.len() - done * 4 >= DECODED_AT_ONCE && target.len() - done * 3 >= 28 {
            // SAFETY: there are 32 bytes from here on.
            let characters = unsafe { _mm256_loadu_si256(text.as_ptr().add(done * 4).cast()) };
            let upper = _mm256_and_si256(_mm256_srli_epi32(characters, 4), slash);
            let lower = _mm256_and_si256(characters, slash);
            let is_other = _mm256_and_si256(
                _mm256_shuffle_epi8(by_upper, upper),
                _mm256_shuffle_epi8(by_lower, lower),
            );
            if _mm256_testz_si256(is_other, is_other) == 0 {
                break;
            }
            let is_slash = _mm256_cmpeq_epi8(characters, slash);
            let distance = _mm256_shuffle_epi8(distances, _mm256_add_epi8(is_slash, upper));
            let digits = _mm256_add_epi8(characters, distance);
            let pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi32(0x0140_0140));
            let groups = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x0001_1000));
            let bytes = _mm256_shuffle_epi8(groups, gathered);
            // SAFETY: 28 bytes are left, of which the first half takes twelve and four that the second overwrites.
            unsafe {
                let place = target.as_mut_ptr().add(done * 3);
                _mm_storeu_si128(place.cast(), _mm256_castsi256_si128(bytes));
                _mm_storeu_si128(place.add(12).cast(), _mm256_extracti128_si256(bytes, 1));
            }
            done += 8;
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::super::encode::{decode_base64, encode_base64};

    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    /// Bit by bit.
    fn plainly(bytes: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        for group in bytes.chunks(3) {
            let bits = group
                .iter()
                .fold(0u32, |bits, &byte| bits << 8 | u32::from(byte));
            let bits = bits << (8 * (3 - group.len()));
            for digit in 0..4 {
                let value = bits >> (18 - 6 * digit) & 63;
                text.push(if digit > group.len() {
                    b'='
                } else {
                    DIGITS[value as usize]
                });
            }
        }
        text
    }

    #[test]
    fn vectors_do_what_is_done_plainly() {
        let mut state = 1u32;
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .take(300)
        .collect();
        for length in 0..bytes.len() {
            let text = plainly(&bytes[..length]);
            assert_eq!(encode_base64(&bytes[..length]), text);
            assert_eq!(
                decode_base64(&text, true).as_deref(),
                Some(&bytes[..length])
            );
        }
    }

    #[test]
    fn what_is_no_digit_is_found_everywhere() {
        for byte in 0..=255u8 {
            let mut text = b"QUJD".repeat(20);
            text[37] = byte;
            // White space is passed over.
            let is_taken = DIGITS.contains(&byte) || b"\t\n\r ".contains(&byte);
            assert_eq!(decode_base64(&text, true).is_some(), is_taken, "{byte}");
        }
    }
}
