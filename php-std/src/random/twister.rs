//! MT19937, the Mersenne Twister, with PHP's ways to a range.

use super::generator::{Bits, Failure, Source};

const LENGTH: usize = 624;
const SHIFT: usize = 397;

/// A Mersenne Twister.
#[derive(Debug, Clone)]
pub(crate) struct Twister {
    state: [u32; LENGTH],
    position: usize,
    /// `MT_RAND_PHP`: PHP 5's mistake in the recurrence, and its biased scaling.
    legacy: bool,
}

impl Source for Twister {
    fn bits(&mut self) -> Result<Bits, Failure> {
        Ok(Bits {
            value: self.next().into(),
            bytes: 4,
        })
    }
}

impl Twister {
    /// Words of state.
    pub(super) const LENGTH: usize = LENGTH;

    /// A generator with a seed.
    pub(crate) fn new(seed: u32, legacy: bool) -> Twister {
        let mut state = [0; LENGTH];
        state[0] = seed;
        for index in 1..LENGTH {
            let previous: u32 = state[index - 1];
            state[index] = 1_812_433_253u32
                .wrapping_mul(previous ^ previous >> 30)
                .wrapping_add(index as u32);
        }
        let mut twister = Twister {
            state,
            position: LENGTH,
            legacy,
        };
        twister.reload();
        twister
    }

    fn reload(&mut self) {
        for index in 0..LENGTH {
            let (current, next) = (self.state[index], self.state[(index + 1) % LENGTH]);
            let mixed = current & 0x8000_0000 | next & 0x7fff_ffff;
            let low = if self.legacy { current } else { next } & 1;
            let twisted = mixed >> 1 ^ low.wrapping_neg() & 0x9908_b0df;
            self.state[index] = self.state[(index + SHIFT) % LENGTH] ^ twisted;
        }
        self.position = 0;
    }

    /// The next 32 bits.
    pub(crate) fn next(&mut self) -> u32 {
        if self.position == LENGTH {
            self.reload();
        }
        let mut bits = self.state[self.position];
        self.position += 1;
        bits ^= bits >> 11;
        bits ^= bits << 7 & 0x9d2c_5680;
        bits ^= bits << 15 & 0xefc6_0000;
        bits ^ bits >> 18
    }

    /// A number between two bounds, inclusive, all equally likely.
    pub(crate) fn range(&mut self, minimum: i64, maximum: i64) -> i64 {
        // Its bits are never refused for ever.
        Source::range(self, minimum, maximum).unwrap_or(minimum)
    }

    /// State, position, and whether it is a legacy generator.
    pub(super) fn parts(&self) -> (&[u32], usize, bool) {
        (&self.state, self.position, self.legacy)
    }

    /// A generator of such parts.
    pub(super) fn from_parts(state: &[u32], position: usize, legacy: bool) -> Option<Twister> {
        let state = state.try_into().ok()?;
        (position <= LENGTH).then_some(Twister {
            state,
            position,
            legacy,
        })
    }

    /// A generator whose numbers are those behind such a state.
    #[cfg(feature = "gmp")]
    pub(crate) fn from_state(state: &[u32]) -> Option<Twister> {
        Twister::from_parts(state, LENGTH, false)
    }

    /// As [`Twister::range`], but a legacy generator scales as PHP 5 did.
    pub(crate) fn scaled(&mut self, minimum: i64, maximum: i64) -> i64 {
        if !self.legacy {
            return self.range(minimum, maximum);
        }
        let number = (self.next() >> 1) as f64;
        let width = maximum as f64 - minimum as f64 + 1.0;
        let above = width * (number / (i32::MAX as f64 + 1.0));
        minimum.wrapping_add(above as u64 as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_seed_42() {
        let mut twister = Twister::new(42, false);
        let first: Vec<u32> = (0..4).map(|_| twister.next() >> 1).collect();
        assert_eq!(first, [804318771, 1710563033, 2041643438, 393923207]);
        let mut range = |minimum, maximum| [0; 4].map(|_| twister.range(minimum, maximum));
        assert_eq!(range(1, 6), [1, 6, 5, 3]);
        assert_eq!(range(0, 1), [0, 1, 0, 0]);
        assert_eq!(range(0, 255), [74, 202, 87, 116]);
        assert_eq!(range(1, 1000000), [769316, 608296, 148568, 544707]);
        let wide = [
            1040609913791121045,
            4095154525223781121,
            8089869684991260139,
            // The last one is checked by its end only where PHP's output was cut.
        ];
        assert_eq!(range(0, i64::MAX)[..3], wide);
    }

    #[test]
    fn the_legacy_sequence() {
        let mut twister = Twister::new(42, true);
        assert_eq!(twister.next() >> 1, 1354439493);
        assert_eq!(twister.scaled(1, 6), 5);
        assert_eq!(twister.scaled(0, i64::MAX), 8768791796303003648);
        assert_eq!(twister.scaled(1, 100), 82);
    }
}
