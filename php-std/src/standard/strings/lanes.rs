//! Looking at many bytes at once.

/// Bytes that are looked at together.
pub(super) const LANES: usize = 16;

/// Two bytes that are looked for, each in a row of its own.
pub(super) struct Pair(Byte, Byte, [u8; 2]);

impl Pair {
    #[inline(always)]
    pub(super) fn new(first: u8, last: u8) -> Pair {
        Pair(Byte::new(first), Byte::new(last), [first, last])
    }

    /// Whether these are the two bytes.
    #[inline(always)]
    pub(super) fn is(&self, first: u8, last: u8) -> bool {
        self.2 == [first, last]
    }

    /// The places, a bit each, where both rows have their byte.
    #[inline(always)]
    pub(super) fn marks(&self, begins: &[u8; LANES], stops: &[u8; LANES]) -> u32 {
        marks(both(self.0.lanes(begins), self.1.lanes(stops)))
    }
}

/// Four bytes that are looked for in one row.
pub(super) struct AnyOf(Byte, Byte, Byte, Byte);

impl AnyOf {
    #[inline(always)]
    pub(super) fn new([a, b, c, d]: [u8; 4]) -> AnyOf {
        AnyOf(Byte::new(a), Byte::new(b), Byte::new(c), Byte::new(d))
    }

    /// The places, a bit each, that have any of the bytes.
    #[inline(always)]
    pub(super) fn marks(&self, row: &[u8; LANES]) -> u32 {
        let one = either(self.0.lanes(row), self.1.lanes(row));
        let other = either(self.2.lanes(row), self.3.lanes(row));
        marks(either(one, other))
    }
}

/// Puts one byte in the places where `known`, which is as long, has another one; gives how many there are.
pub(super) fn replace_byte(bytes: &mut [u8], known: &[u8], from: u8, to: u8) -> usize {
    let (wanted, other) = (Byte::new(from), Byte::new(to));
    let mut count = 0;
    let (rows, rest) = bytes.as_chunks_mut::<LANES>();
    let (known_rows, known_rest) = known.as_chunks::<LANES>();
    for (row, known) in rows.iter_mut().zip(known_rows) {
        let lanes = wanted.lanes(known);
        count += marks(lanes).count_ones() as usize;
        other.put(lanes, row);
    }
    for (byte, &known) in rest.iter_mut().zip(known_rest) {
        if known == from {
            *byte = to;
            count += 1;
        }
    }
    count
}

/// Puts the letters from `first` (`a` or `A`) on into the other case.
pub(super) fn swap_case_of(bytes: &mut [u8], first: u8) {
    let (rows, rest) = bytes.as_chunks_mut::<LANES>();
    for row in rows {
        swap_case(row, first);
    }
    swap_case_one_by_one(rest, first);
}

#[inline(always)]
fn swap_case_one_by_one(bytes: &mut [u8], first: u8) {
    for byte in bytes {
        *byte ^= u8::from(byte.wrapping_sub(first) < 26) << 5;
    }
}

#[cfg(target_arch = "x86_64")]
use vectors::{Byte, both, either, marks, swap_case};

/// By the vectors that every processor of this architecture has.
#[cfg(target_arch = "x86_64")]
mod vectors {
    use super::LANES;
    use std::arch::x86_64::{
        __m128i, _mm_add_epi8, _mm_and_si128, _mm_andnot_si128, _mm_cmpeq_epi8, _mm_cmplt_epi8,
        _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8, _mm_storeu_si128,
        _mm_xor_si128,
    };

    /// A byte that is looked for, in every lane.
    pub(super) struct Byte(__m128i);

    impl Byte {
        #[inline(always)]
        pub(super) fn new(byte: u8) -> Byte {
            // SAFETY: SSE2 belongs to the architecture.
            Byte(unsafe { _mm_set1_epi8(byte as i8) })
        }

        /// All ones in the lanes that have it.
        #[inline(always)]
        pub(super) fn lanes(&self, row: &[u8; LANES]) -> __m128i {
            // SAFETY: as above; the row is as long as what is loaded.
            unsafe { _mm_cmpeq_epi8(_mm_loadu_si128(row.as_ptr().cast()), self.0) }
        }

        /// Puts it into lanes of a row that are all ones.
        #[inline(always)]
        pub(super) fn put(&self, lanes: __m128i, row: &mut [u8; LANES]) {
            // SAFETY: as above, and what is stored.
            unsafe {
                let place = row.as_mut_ptr().cast();
                let kept = _mm_andnot_si128(lanes, _mm_loadu_si128(place));
                _mm_storeu_si128(place, _mm_or_si128(kept, _mm_and_si128(lanes, self.0)));
            }
        }
    }

    #[inline(always)]
    pub(super) fn both(one: __m128i, other: __m128i) -> __m128i {
        // SAFETY: as above.
        unsafe { _mm_and_si128(one, other) }
    }

    #[inline(always)]
    pub(super) fn either(one: __m128i, other: __m128i) -> __m128i {
        // SAFETY: as above.
        unsafe { _mm_or_si128(one, other) }
    }

    /// Puts the letters from `first` on into the other case.
    #[inline(always)]
    pub(super) fn swap_case(row: &mut [u8; LANES], first: u8) {
        // SAFETY: as above; the row is as long as what is loaded and stored.
        unsafe {
            let place = row.as_mut_ptr().cast();
            let bytes = _mm_loadu_si128(place);
            // The letters are the lowest 26 numbers then.
            let moved = _mm_add_epi8(bytes, _mm_set1_epi8(0x80u8.wrapping_sub(first) as i8));
            let letters = _mm_cmplt_epi8(moved, _mm_set1_epi8(i8::MIN + 26));
            let swapped = _mm_xor_si128(bytes, _mm_and_si128(letters, _mm_set1_epi8(0x20)));
            _mm_storeu_si128(place, swapped);
        }
    }

    /// A bit for each lane.
    #[inline(always)]
    pub(super) fn marks(lanes: __m128i) -> u32 {
        // SAFETY: as above.
        unsafe { _mm_movemask_epi8(lanes) as u32 }
    }
}

#[cfg(not(target_arch = "x86_64"))]
use plain::{Byte, both, either, marks, swap_case};

/// One by one.
#[cfg(not(target_arch = "x86_64"))]
mod plain {
    use super::LANES;

    /// A byte that is looked for.
    pub(super) struct Byte(u8);

    impl Byte {
        pub(super) fn new(byte: u8) -> Byte {
            Byte(byte)
        }

        /// A bit for each lane that has it.
        pub(super) fn lanes(&self, row: &[u8; LANES]) -> u32 {
            row.iter().enumerate().fold(0, |found, (lane, &byte)| {
                found | u32::from(byte == self.0) << lane
            })
        }

        /// Puts it into lanes of a row that have a bit.
        pub(super) fn put(&self, lanes: u32, row: &mut [u8; LANES]) {
            for (lane, byte) in row.iter_mut().enumerate() {
                if lanes >> lane & 1 != 0 {
                    *byte = self.0;
                }
            }
        }
    }

    pub(super) fn both(one: u32, other: u32) -> u32 {
        one & other
    }

    pub(super) fn either(one: u32, other: u32) -> u32 {
        one | other
    }

    pub(super) fn marks(lanes: u32) -> u32 {
        lanes
    }

    /// Puts the letters from `first` on into the other case.
    pub(super) fn swap_case(row: &mut [u8; LANES], first: u8) {
        super::swap_case_one_by_one(row, first);
    }
}
